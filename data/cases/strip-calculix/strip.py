#!/usr/bin/env python3
"""The bent strip as a mesh for furrow and as a deck for CalculiX (Python standard library).

    strip.py OUT [--cells 16 2 2] [--poisson 0.3] [--push 1]     --push in mm

OUT receives scene.json and end.csv, strip.vtu (prisms of order [2, 2]) and strip.inp (the same elements as C3D15: they lack the
nodes inside side faces). Then

    furrow simulate OUT/scene.json -o OUT/out        load: forces_by_boundary_N[1][0] of frame 1 in OUT/out/summary.json [N]
    cd OUT && ccx -i strip                           load: total force fx in strip.dat [uN]; the deck is in mm, g, s

and with both results there, `strip.py OUT --compare` prints the two loads; exit status 1 where they differ by more than 1 %.
"""
import argparse
import json
import math
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INNER, OUTER, HALF_WIDTH = 22.0, 26.0, 4.0  # mm
YOUNG = 1e6  # Pa
MIDDLES = [(0, 1), (1, 2), (2, 0)]  # of a triangle's edges


class Strip:
    """Nodes on a grid of half cells; elements as VTK_LAGRANGE_WEDGE of order 2, whose first 15 nodes are C3D15's."""

    def __init__(self, cells):
        self.cells, self.number, self.points, self.elements = cells, {}, [], []
        for k in range(cells[2]):
            for j in range(cells[1]):
                for i in range(cells[0]):
                    for foot in ([(0, 0), (2, 0), (2, 2)], [(0, 0), (2, 2), (0, 2)]):
                        self.add([(2 * i + u, 2 * j + v) for u, v in foot], 2 * k)

    def add(self, foot, level):
        middles = [tuple((foot[a][c] + foot[b][c]) // 2 for c in (0, 1)) for a, b in MIDDLES]
        order = ([(p, 0) for p in foot] + [(p, 2) for p in foot] + [(p, 0) for p in middles] + [(p, 2) for p in middles]
                 + [(p, 1) for p in foot] + [(p, 1) for p in middles])
        self.elements.append([self.node(p + (level + up,)) for p, up in order])

    def node(self, at):
        if at not in self.number:
            self.number[at] = len(self.points)
            angle = math.pi / 2 * at[0] / (2 * self.cells[0])
            radius = INNER + (OUTER - INNER) * at[2] / (2 * self.cells[2])
            self.points.append((radius * math.sin(angle), HALF_WIDTH * at[1] / (2 * self.cells[1]), radius * math.cos(angle)))
        return self.number[at]


def vtu(strip):
    rows = lambda lists: "\n".join(" ".join(map(repr, row)) for row in lists)
    count = len(strip.elements)
    array = lambda kind, name, text, width=1: (
        f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}" format="ascii">\n{text}\n</DataArray>\n')
    return ('<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian">\n'
            f'<UnstructuredGrid>\n<Piece NumberOfPoints="{len(strip.points)}" NumberOfCells="{count}">\n<Points>\n'
            + array("Float64", "Points", rows(strip.points), 3) + "</Points>\n<Cells>\n"
            + array("Int64", "connectivity", rows(strip.elements))
            + array("Int64", "offsets", " ".join(str(18 * (e + 1)) for e in range(count)))
            + array("UInt8", "types", "73 " * count) + '</Cells>\n<CellData HigherOrderDegrees="HigherOrderDegrees">\n'
            + array("Float64", "HigherOrderDegrees", "2 2 2\n" * count, 3) + array("Int32", "layer", "0 " * count)
            + "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")


def deck(strip, poisson, push):
    used = sorted({n for element in strip.elements for n in element[:15]})
    name = {n: k + 1 for k, n in enumerate(used)}
    on = lambda axis, at: [n for n in used if abs(strip.points[n][axis] - at) < 1e-9]
    lower = on(2, 0)
    corner = [n for n in on(0, 0) if max(abs(strip.points[n][1]), abs(strip.points[n][2] - INNER)) < 1e-9]
    held = {(n, 1): 0.0 for n in on(0, 0)} | {(n, 2): 0.0 for n in on(1, 0) + lower} | {(n, 3): 0.0 for n in corner}
    held |= {(n, 1): push for n in lower}
    lines = ["*NODE, NSET=NALL"] + ["%d,%.15g,%.15g,%.15g" % (name[n], *strip.points[n]) for n in used]
    lines += ["*ELEMENT, TYPE=C3D15, ELSET=EALL"]
    lines += [",".join(map(str, [e + 1] + [name[n] for n in nodes[:15]])) for e, nodes in enumerate(strip.elements)]
    lines += ["*NSET, NSET=NLOADED"] + ["%d," % name[n] for n in lower]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{YOUNG},{poisson}", "*SOLID SECTION, ELSET=EALL, MATERIAL=M"]
    lines += ["*STEP, NLGEOM, INC=100", "*CONTROLS, PARAMETERS=FIELD", "1.e-8,1.e-7", "*STATIC", "1.0,1.0,0.001,1.0",
              "*BOUNDARY"]
    lines += ["%d,%d,%d,%.15g" % (name[n], c, c, value) for (n, c), value in sorted(held.items())]
    return "\n".join(lines + ["*NODE PRINT, NSET=NLOADED, TOTALS=ONLY", "RF", "*END STEP", ""])


def write(out, options):
    out.mkdir(parents=True, exist_ok=True)
    strip = Strip(options.cells)
    scene = (HERE / "scene.json").read_text(encoding="utf-8")
    (out / "scene.json").write_text(scene.replace('"poisson": 0.3', f'"poisson": {options.poisson}'), encoding="utf-8")
    (out / "end.csv").write_text(f"time_s,x_mm\n0,0\n1,{options.push}\n")
    (out / "strip.vtu").write_text(vtu(strip))
    (out / "strip.inp").write_text(deck(strip, options.poisson, options.push))
    print(f"{out}: {len(strip.elements)} wedges, {len(strip.points)} nodes")


def compare(out):
    ours = json.loads((out / "out/summary.json").read_text())["frames"][-1]["forces_by_boundary_N"][1][0]
    theirs = 1e-6 * float(re.findall(r"total force.*\n\s*(\S+)", (out / "strip.dat").read_text())[-1])
    print(f"end load: furrow {1000 * ours:.6g} mN, CalculiX {1000 * theirs:.6g} mN, {100 * (ours / theirs - 1):+.3f} %")
    return 0 if abs(ours / theirs - 1) < 0.01 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cells", type=int, nargs=3, default=[16, 2, 2], help="along the arc, across, through the thickness")
    parser.add_argument("--poisson", type=float, default=0.3)
    parser.add_argument("--push", type=float, default=1.0)
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    return compare(options.out) if options.compare else write(options.out, options)


if __name__ == "__main__":
    sys.exit(main())
