#!/usr/bin/env python3
"""Lays out the input of a named case in one folder (Python standard library).

    prepare.py CASE SHARED OUT     CASE: ct-head-slab, ct-head-A, ct-head-A-world, ct-head-B, finger-A-forward;
                                   SHARED: the shared folder

OUT receives copies of the scans, masks, layouts and boundaries that the case's scenes name, the data's licence, and what has
to be made from the truth: ready-made quadratic meshes as VTU in the pose of the neutral scan (`truth_mesh.vtu`, displaced by
the truth's own displacement) and at rest (`rest_mesh.vtu`), and for the slab the box of its closed form (`box/`). Finger
strokes come with their mesh (the true ligament field in it), and with that field on the nodes of a generated patch.
"""
import ast
import json
import math
import shutil
import struct
import sys
import zipfile
from pathlib import Path

CASES = {
    "ct-head-slab": {"data": "slab", "neutral": "tangential_-y", "layout": "layout1"},
    "ct-head-A": {"data": "A", "neutral": "upright", "layout": "layout7"},
    "ct-head-A-world": {"data": "A", "neutral": "upright", "layout": "layout7"},
    "ct-head-B": {"data": "B", "neutral": "upright", "layout": "layout19"},
    "finger-A-forward": {"finger": "A"},
}
VTK_QUADRATIC_TETRA = 24


# ---- reading the truth ---------------------------------------------------------------------------------------------
def read_rows(file, kind):
    return [[kind(word) for word in line.split()] for line in file.read_text().splitlines() if line.strip()]


def unpack_rows(data, columns=3):
    values = struct.unpack("<%df" % (len(data) // 4), data)
    return [values[i:i + columns] for i in range(0, len(values), columns)]


def npy_rows(data):
    """Rows of a .npy array of little-endian float32 in C order."""
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    if header["descr"] != "<f4" or header["fortran_order"]:
        raise ValueError("expected float32 in C order, found %s" % header)
    return unpack_rows(data[10 + length:], header["shape"][1])


def truth_displacement(truth, pose):
    """Displacement of every node from rest to a pose [mm]."""
    raw = truth / f"U_{pose}.f32"
    if raw.is_file():
        return unpack_rows(raw.read_bytes())
    with zipfile.ZipFile(truth / "displacements.npz") as archive:
        return npy_rows(archive.read(pose + ".npy"))


def fixed_flags(truth, nodes):
    """The data's list where it has one; else (slab) the bottom face z = 0."""
    listed = truth / "fixed_nodes.txt"
    if not listed.is_file():
        return [int(abs(node[2]) < 1e-9) for node in nodes]
    flags = [0] * len(nodes)
    for row in read_rows(listed, int):
        flags[row[0]] = 1
    return flags


# ---- writing meshes ------------------------------------------------------------------------------------------------
def write_vtu(file, nodes, elements, labels, fixed):
    """ASCII VTU of quadratic tetrahedra; CalculiX's C3D10 and VTK number the nodes alike."""
    def array(name, kind, rows, components=1):
        shape = "" if components == 1 else f' NumberOfComponents="{components}"'
        body = "\n".join(rows)
        return f'<DataArray type="{kind}" Name="{name}"{shape} format="ascii">\n{body}\n</DataArray>\n'

    count = len(elements)
    file.write_text(
        '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian">\n'
        f'<UnstructuredGrid>\n<Piece NumberOfPoints="{len(nodes)}" NumberOfCells="{count}">\n<Points>\n'
        + array("Points", "Float64", ("%.9g %.9g %.9g" % tuple(p) for p in nodes), 3)
        + "</Points>\n<Cells>\n"
        + array("connectivity", "Int64", (" ".join(map(str, e)) for e in elements))
        + array("offsets", "Int64", (str(10 * (i + 1)) for i in range(count)))
        + array("types", "UInt8", (str(VTK_QUADRATIC_TETRA) for _ in elements))
        + "</Cells>\n<PointData>\n" + array("fixed", "UInt8", map(str, fixed))
        + "</PointData>\n<CellData>\n" + array("label", "Int32", map(str, labels))
        + "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")


def write_truth_meshes(truth, neutral, out):
    rest = read_rows(truth / "nodes_rest.txt", float)
    rows = read_rows(truth / "tets10.txt", int)
    elements = [row[:10] for row in rows]
    labels = [row[10] if len(row) > 10 else 1 for row in rows]
    fixed = fixed_flags(truth, rest)
    displacement = truth_displacement(truth, neutral)
    if len(displacement) != len(rest):
        sys.exit(f"prepare: {truth}: {len(displacement)} displacements for {len(rest)} nodes")
    moved = [[x + u for x, u in zip(p, d)] for p, d in zip(rest, displacement)]
    write_vtu(out / "rest_mesh.vtu", rest, elements, labels, fixed)
    write_vtu(out / "truth_mesh.vtu", moved, elements, labels, fixed)


def box_surface(low, high, counts):
    """Boundary of a box on a grid: points, and triangles by group (`wall` the sides, `skull` below, `skin` on top)."""
    points, index_of = [], {}
    groups = {"wall": [], "skull": [], "skin": []}

    def vertex(ijk):
        if ijk not in index_of:
            index_of[ijk] = len(points)
            points.append([a + (b - a) * i / n for a, b, i, n in zip(low, high, ijk, counts)])
        return index_of[ijk]

    for axis in (2, 0, 1):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for end in (counts[axis], 0):
            group = "wall" if axis != 2 else ("skin" if end else "skull")
            for i in range(counts[u]):
                for j in range(counts[v]):
                    corners = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        ijk = [0, 0, 0]
                        ijk[axis], ijk[u], ijk[v] = end, i + di, j + dj
                        corners.append(vertex(tuple(ijk)))
                    a, b, c, d = corners if end else corners[::-1]
                    groups[group] += [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
    return points, groups


def write_obj(file, points, groups, comment):
    lines = [f"# {comment}"] + ["v %.9g %.9g %.9g" % tuple(p) for p in points]
    for name, triangles in groups.items():
        lines.append(f"g {name}")
        lines += ["f %d %d %d" % tuple(v + 1 for v in t) for t in triangles]
    file.write_text("\n".join(lines) + "\n")


def write_box(out):
    """The slab of the closed form at rest: 104 x 104 x 10 mm, z = 0 below."""
    out.mkdir(exist_ok=True)
    points, groups = box_surface((-52.0, -52.0, 0.0), (52.0, 52.0, 10.0), (26, 26, 3))
    write_obj(out / "volume.obj", points, groups, "slab at rest; mm; wall: sides, skull: bottom, skin: top")
    used = sorted({v for t in groups["skin"] for v in t})
    new = {v: i for i, v in enumerate(used)}
    write_obj(out / "skin.obj", [points[v] for v in used],
              {"skin": [tuple(new[v] for v in t) for t in groups["skin"]]}, "top of the slab at rest; mm")


# ---- a case --------------------------------------------------------------------------------------------------------
def copy_into(source, out, names):
    for name in names:
        file = source / name
        if not file.exists():
            sys.exit(f"prepare: {file} is missing")
        if file.is_dir():
            (out / name).mkdir(exist_ok=True)
            for inner in file.glob("*.obj"):
                shutil.copyfile(inner, out / name / inner.name)
        else:
            shutil.copyfile(file, out / name)


def write_patch_field(file):
    """b at the inner nodes of the generated 4 x 2 patch of quartic cells, row by row."""
    lines = ["b"]
    for _ in range(4 * 2 + 1):
        lines += ["%.17g" % (0.5 + 1.5 * (1 + math.tanh((-14 + 28 * i / 16) / 4)) / 2) for i in range(4 * 4 + 1)]
    file.write_text("\n".join(lines) + "\n")


def prepare_finger(source, out):
    for stroke in ("stroke1", "stroke2", "stroke3"):
        (out / stroke).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / stroke / "finger.csv", out / stroke / "finger.csv")
        (out / "clean" / stroke).mkdir(parents=True, exist_ok=True)
        for frame in (source / "clean" / stroke).glob("*.obj"):
            shutil.copyfile(frame, out / "clean" / stroke / frame.name)
    shutil.copyfile(source / "skin.obj", out / "skin.obj")
    shutil.copyfile(source / "truth" / "mesh_truth.vtu", out / "mesh_truth.vtu")
    write_patch_field(out / "patch_b.csv")


def need_folder(folder):
    if not folder.is_dir():
        sys.exit(f"prepare: {folder} is missing: the shared test data is not part of the project; "
                 "name its folder with --shared or FURROW_SHARED")


def prepare(case, shared, out):
    """Fills `out` and returns nothing; files that are there are written again."""
    entry = CASES[case]
    if "finger" in entry:
        need_folder(shared / "data" / "finger" / entry["finger"])
        prepare_finger(shared / "data" / "finger" / entry["finger"], out)
        return
    source = shared / "data" / "ct-head" / entry["data"]
    need_folder(source)
    out.mkdir(parents=True, exist_ok=True)
    layout = entry["layout"]
    names = ["skin.obj", "volume_boundary.obj", "observed_mask.txt", f"{layout}.txt", "clean", "noisy"]
    if (source / f"{layout}_names.json").is_file():
        names.append(f"{layout}_names.json")
    if case.endswith("-world"):
        names.append("world")
    copy_into(source, out, names)
    shutil.copyfile(source.parent / "CT_DATA_COPYRIGHT.txt", out / "CT_DATA_COPYRIGHT.txt")
    if not (source / f"{layout}_names.json").is_file():
        (out / f"{layout}_names.json").write_text(json.dumps({"1": "slab"}) + "\n")
    if (source / "truth").is_dir():
        write_truth_meshes(source / "truth", entry["neutral"], out)
        shutil.copyfile(source / "truth" / "skin_rest.obj", out / "skin_rest.obj")
    if case == "ct-head-slab":
        write_box(out / "box")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in CASES:
        sys.exit("usage: prepare.py {%s} SHARED OUT" % ",".join(CASES))
    prepare(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))


if __name__ == "__main__":
    main()
