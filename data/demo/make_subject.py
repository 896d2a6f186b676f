#!/usr/bin/env python3
"""The demo subject: a head that this project makes itself, from formulas (Python standard library, deterministic).

    make_subject.py OUT            writes OUT/truth: skin, skull, layout and the scene that `furrow simulate` runs
    make_subject.py OUT --noise    turns OUT/sim (what simulate wrote) into OUT/capture: scans with noise, mask, gravity

Between the two: furrow simulate OUT/truth/scene.json -o OUT/sim
OUT/capture is complete, project.json included: furrow fit OUT/capture/project.json

The fit's mesh is coarser than the truth's. The scan's vertices are the first 1,212 of the truth's 2,864 skin vertices, which
has a further one in every triangle in front; skull and tetrahedra are coarser likewise.

Shape, in mm, y up, z forward, x to the subject's left. Skin and skull are radial graphs over the unit sphere,
    skin(d) = r(d) d,   skull(d) = (r(d) - t(d)) d,
r an ellipsoid with Gaussian bumps (nose, brow, lips, chin, cheeks) in angles, t the depth of the tissue, so that neither can
intersect itself or the other. The sphere is an icosahedral grid whose points are drawn to the face by a conformal map
(a boost along z): triangles stay nearly equilateral, fine in front and coarse behind.
"""
import argparse
import json
import math
import random
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = ["forehead", "nose", "cheek_left", "cheek_right", "lips", "chin", "periphery"]

SEMI_AXES = (74.0, 110.0, 94.0)
SKIN_FREQUENCY, SKULL_FREQUENCY = 11, 10
FRONT_SCALE = 0.56  # spacing in front over that of the uniform grid; behind it is 1 / FRONT_SCALE

# (azimuth, elevation, width in azimuth, width in elevation) in degrees; amplitude of the skin, of the depth, in mm
BUMPS = [
    ((0, -10, 6.5, 9), 17.0, 7.0),      # nose
    ((0, 14, 26, 5.5), 3.0, 0.5),       # brow
    ((17, 4, 7, 5), -4.0, 0.0),         # eyes
    ((-17, 4, 7, 5), -4.0, 0.0),
    ((0, -33, 13, 7), 4.5, 6.0),        # lips
    ((0, -53, 15, 9), 15.0, 5.0),       # chin
    ((30, -22, 15, 13), 4.0, 11.0),     # cheeks
    ((-30, -22, 15, 13), 4.0, 11.0),
    ((0, 34, 30, 14), 1.0, 1.0),        # forehead
    ((62, -25, 22, 25), -2.0, 4.0),     # jaw
    ((-62, -25, 22, 25), -2.0, 4.0),
]
SCALP_DEPTH = 6.0


# ---- the sphere ----------------------------------------------------------------------------------------------------
def normalised(p):
    length = math.sqrt(sum(c * c for c in p))
    return tuple(c / length for c in p)


def icosahedron():
    golden = (1 + math.sqrt(5)) / 2
    corners = [normalised(p) for p in [
        (-1, golden, 0), (1, golden, 0), (-1, -golden, 0), (1, -golden, 0), (0, -1, golden), (0, 1, golden),
        (0, -1, -golden), (0, 1, -golden), (golden, 0, -1), (golden, 0, 1), (-golden, 0, -1), (-golden, 0, 1)]]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
             (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10),
             (8, 6, 7), (9, 8, 1)]
    return corners, faces


def icosphere(frequency):
    """Unit directions and triangles; every face of the icosahedron is split into frequency^2 triangles."""
    corners, faces = icosahedron()
    points, triangles, index_of = [], [], {}

    def vertex(face, i, j):
        weights = {}
        for corner, weight in zip(face, (frequency - i - j, i, j)):
            if weight:
                weights[corner] = weight
        key = tuple(sorted(weights.items()))
        if key not in index_of:
            index_of[key] = len(points)
            points.append(normalised(tuple(
                sum(w * corners[c][axis] for c, w in key) for axis in range(3))))
        return index_of[key]

    for face in faces:
        for i in range(frequency):
            for j in range(frequency - i):
                triangles.append((vertex(face, i, j), vertex(face, i + 1, j), vertex(face, i, j + 1)))
                if i + j < frequency - 1:
                    triangles.append((vertex(face, i + 1, j), vertex(face, i + 1, j + 1), vertex(face, i, j + 1)))
    return points, triangles


def refined(points, triangles, chosen):
    """A vertex in every chosen triangle, edges between two of them flipped: edges there become 1/sqrt(3) as long.

    `chosen(point)` decides for a triangle by its centre. The given points stay the first ones.
    """
    points = list(points)
    centre_of, across = {}, {}
    for triangle in triangles:
        a, b, c = triangle
        centre = normalised(tuple(points[a][k] + points[b][k] + points[c][k] for k in range(3)))
        if chosen(centre):
            centre_of[triangle] = len(points)
            points.append(centre)
        for edge in ((a, b), (b, c), (c, a)):
            across[edge] = triangle
    finer = [triangle for triangle in triangles if triangle not in centre_of]
    for (a, b), triangle in across.items():
        if triangle not in centre_of:
            continue
        opposite = across[(b, a)]
        if opposite in centre_of:
            finer.append((a, centre_of[opposite], centre_of[triangle]))
        else:
            finer.append((a, b, centre_of[triangle]))
    return points, finer


def drawn_to_face(d):
    """Conformal map of the sphere that scales by FRONT_SCALE at +z and by its inverse at -z (aberration formula)."""
    beta = (1 - FRONT_SCALE ** 2) / (1 + FRONT_SCALE ** 2)
    scale = math.sqrt(1 - beta * beta) / (1 + beta * d[2])
    return normalised((d[0] * scale, d[1] * scale, (d[2] + beta) / (1 + beta * d[2])))


# ---- the head ------------------------------------------------------------------------------------------------------
def angles(d):
    """Azimuth (from the face's middle towards the subject's left) and elevation in degrees."""
    return math.degrees(math.atan2(d[0], d[2])), math.degrees(math.asin(max(-1.0, min(1.0, d[1]))))


def bump(d, shape):
    azimuth, elevation = angles(d)
    u = (azimuth - shape[0]) * math.cos(math.radians(elevation)) / shape[2]
    v = (elevation - shape[1]) / shape[3]
    return math.exp(-(u * u + v * v) / 2)


def skin_radius(d):
    ellipsoid = 1 / math.sqrt(sum((c / a) ** 2 for c, a in zip(d, SEMI_AXES)))
    return ellipsoid + sum(amplitude * bump(d, shape) for shape, amplitude, _ in BUMPS)


def depth(d):
    return SCALP_DEPTH + sum(amplitude * bump(d, shape) for shape, _, amplitude in BUMPS)


def skin_point(d):
    r = skin_radius(d)
    return tuple(r * c for c in d)


def skull_point(d):
    r = skin_radius(d) - depth(d)
    return tuple(r * c for c in d)


def label(d):
    """Cluster of a direction, 1..7: the painted layout."""
    azimuth, elevation = angles(d)
    side = abs(azimuth) * math.cos(math.radians(elevation))
    if side < 38 and elevation >= 18:
        return 1 if elevation < 52 else 7
    if side < 11 and -22 <= elevation < 8:
        return 2
    if side < 20 and -43 <= elevation < -22:
        return 5
    if side < 24 and -72 <= elevation < -43:
        return 6
    if side < 48 and -43 <= elevation < 18:
        return 3 if azimuth > 0 else 4
    return 7


def observed(d):
    """What the scanner sees well: the front of the head."""
    azimuth, elevation = angles(d)
    return abs(azimuth) * math.cos(math.radians(elevation)) < 62 and -66 < elevation < 62


def in_front(d):
    """Where the truth's surfaces are finer than the scan's; d is a point of the uniform grid."""
    return drawn_to_face(d)[2] > 0.2


def surfaces():
    """Everything that is fixed by formulas: directions and triangles of the scan's skin and of the finer ones."""
    points, triangles = icosphere(SKIN_FREQUENCY)
    fine_points, fine_triangles = refined(points, triangles, in_front)
    skull_points, skull_triangles = icosphere(SKULL_FREQUENCY)
    fine_skull_points, fine_skull_triangles = refined(skull_points, skull_triangles, in_front)

    def on(pair):
        return [drawn_to_face(d) for d in pair[0]], pair[1]

    return {"scan": on((points, triangles)), "skin": on((fine_points, fine_triangles)),
            "skull": on((skull_points, skull_triangles)), "fine_skull": on((fine_skull_points, fine_skull_triangles))}


# ---- files ---------------------------------------------------------------------------------------------------------
def write_obj(file, points, triangles, comment):
    lines = [f"# {comment}; unit mm; x to the subject's left, y up, z forward"]
    lines += ["v %.6f %.6f %.6f" % tuple(p) for p in points]
    lines += ["f %d %d %d" % tuple(v + 1 for v in t) for t in triangles]
    file.write_text("\n".join(lines) + "\n")


def read_obj_points(file):
    points = []
    for line in file.read_text().splitlines():
        if line.startswith("v "):
            points.append(tuple(float(c) for c in line.split()[1:4]))
    return points


def write_lines(file, values):
    file.write_text("\n".join(str(v) for v in values) + "\n")


def pose_gravity(truth, pose):
    g = truth["gravity_m_per_s2"]
    return [g * c for c in normalised(truth["poses"][pose]["direction"])]


def write_poses(file, truth):
    lines = ["frame,gx,gy,gz"]
    lines += [",".join([pose] + ["%.9f" % (c + 0.0) for c in pose_gravity(truth, pose)]) for pose in truth["poses"]]
    file.write_text("\n".join(lines) + "\n")


def write_layout(folder, directions):
    write_lines(folder / "layout7.txt", [label(d) for d in directions])
    names = {str(i + 1): name for i, name in enumerate(NAMES)}
    (folder / "layout7_names.json").write_text(json.dumps(names, indent=1) + "\n")


def truth_scene(truth):
    neutral = pose_gravity(truth, truth["neutral"])
    return {
        "furrow": 1,
        "model": "tet",
        "surface": {"mesh": "skin.obj", "unit": "mm"},
        "bones": [{"mesh": "skull.obj", "unit": "mm"}],
        "tet": {"size": "6 mm", "order": 2},
        "tissue": {
            "law": "neo-hookean",
            "clusters": {
                "layout": "layout7.txt",
                "names": "layout7_names.json",
                "young": {name: f"{value} kPa" for name, value in truth["young_kPa"].items()},
            },
            "poisson": truth["poisson"],
        },
        "density": f"{truth['density_kg_per_m3']} kg/m^3",
        "gravity": [f"{c:g} m/s^2" for c in neutral],
        "rest": "scan",
        "poses": "poses.csv",
    }


def write_truth(out, truth):
    folder = out / "truth"
    folder.mkdir(parents=True, exist_ok=True)
    shapes = surfaces()
    skin_directions, skin_triangles = shapes["skin"]
    skull_directions, skull_triangles = shapes["fine_skull"]
    write_obj(folder / "skin.obj", [skin_point(d) for d in skin_directions], skin_triangles, "demo subject, gravity-free")
    write_obj(folder / "skull.obj", [skull_point(d) for d in skull_directions], skull_triangles, "demo subject, skull")
    write_layout(folder, skin_directions)
    write_poses(folder / "poses.csv", truth)
    (folder / "scene.json").write_text(json.dumps(truth_scene(truth), indent=2) + "\n")
    print(f"{folder}: skin {len(skin_directions)} vertices, skull {len(skull_directions)} vertices, "
          f"{len(truth['poses'])} poses")


def write_capture(out, truth):
    folder, sim = out / "capture", out / "sim" / "surface"
    shapes = surfaces()
    directions, triangles = shapes["scan"]
    skull_directions, skull_triangles = shapes["skull"]
    missing = [pose for pose in truth["poses"] if not (sim / f"{pose}.obj").is_file()]
    if missing:
        sys.exit(f"make_subject: {sim}/{missing[0]}.obj is missing: run furrow simulate {out}/truth/scene.json -o {out}/sim")
    (folder / "poses").mkdir(parents=True, exist_ok=True)
    noise = random.Random(truth["seed"])
    for pose, entry in truth["poses"].items():
        points = read_obj_points(sim / f"{pose}.obj")[:len(directions)]
        if len(points) < len(directions):
            sys.exit(f"make_subject: {sim}/{pose}.obj has {len(points)} vertices, wanted at least {len(directions)}")
        neutral = entry["use"] == "neutral"
        sigma = truth["noise_mm"]["neutral" if neutral else "poses"]
        scanned = [[c + noise.gauss(0, sigma) for c in p] for p in points]
        file = folder / "skin.obj" if neutral else folder / "poses" / f"{pose}.obj"
        write_obj(file, scanned, triangles, f"demo subject, {pose}, scanned with noise of {sigma} mm")
    write_obj(folder / "skull.obj", [skull_point(d) for d in skull_directions], skull_triangles, "demo subject, skull")
    write_layout(folder, directions)
    write_lines(folder / "observed_mask.txt", [int(observed(d)) for d in directions])
    write_poses(folder / "poses.csv", truth)
    for name in ("project.json", "scene.json"):
        shutil.copyfile(HERE / name, folder / name)
    print(f"{folder}: {len(directions)} scan vertices, {sum(map(observed, directions))} observed")


def main():
    parser = argparse.ArgumentParser(description="Makes the demo subject.")
    parser.add_argument("out", type=Path, help="folder to write into")
    parser.add_argument("--noise", action="store_true", help="make OUT/capture from OUT/sim")
    parser.add_argument("--truth", type=Path, default=HERE / "truth.json", help="the truth (default: %(default)s)")
    arguments = parser.parse_args()
    truth = json.loads(arguments.truth.read_text())
    (write_capture if arguments.noise else write_truth)(arguments.out, truth)


if __name__ == "__main__":
    main()
