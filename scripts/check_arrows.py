#!/usr/bin/env python3
"""Checks the direction of every #include (DESIGN: arrows run one way only).

    calibrate -> inverse -> forward -> forward/base
    calibrate -> capture -> forward/base

forward/base includes nothing else of ours, and no part of forward/ (a subfolder, or the files of one name at its top, such
as scene.h and scene.cpp) includes another that leads back to it: below there is an order, without a list of it. Tests may include
anything; nothing includes tests. A heavy library is included by one .cpp file (and headers that this file alone includes), so that
it can be swapped.

Prints file:line and the reason for every violation; exit status 1 if there is one.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["forward", "inverse", "capture", "calibrate", "tests"]
SUFFIXES = {".h", ".hpp", ".cpp", ".cc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')

# What a part may include besides itself; a part is the longest prefix in this table.
ALLOWED = {
    "forward/base": [],
    "forward": ["forward"],
    "inverse": ["forward", "inverse"],
    "capture": ["forward/base"],
    "calibrate": ["forward", "inverse", "capture", "calibrate"],
    "tests": ["forward", "inverse", "capture", "calibrate", "tests"],
}

# Library -> (pattern of its headers, what may include it). One file each; a folder ends with a slash.
HEAVY = {
    "CHOLMOD": re.compile(r"^(suitesparse/)?cholmod\.h$|^Eigen/CholmodSupport$"),
    "UMFPACK": re.compile(r"^(suitesparse/)?umfpack\.h$|^Eigen/UmfPackSupport$"),
    "TetGen": re.compile(r"^tetgen\.h$"),
    "Ceres": re.compile(r"^ceres/"),
    "tinygltf": re.compile(r"^tiny_gltf\.h$"),
    "VTK": re.compile(r"^vtk[A-Z]\w*\.h$"),
    "CGAL": re.compile(r"^CGAL/"),
    "Embree": re.compile(r"^embree\d*/"),
}
CONFINED = {"CLI11": (re.compile(r"^CLI/"), "calibrate/cli/")}


def part_of(path):
    """The part of the table that a path from the root belongs to, or None when it is not ours."""
    best = None
    for part in ALLOWED:
        if path.startswith(part + "/") and (best is None or len(part) > len(best)):
            best = part
    return best


def may_include(user, used):
    """`user` and `used` are paths from the root."""
    source, target = part_of(user), part_of(used)
    if source == target:
        return True
    return any(used.startswith(allowed + "/") for allowed in ALLOWED[source])


def unit_of(path):
    """The part that must not lead back to itself: forward/solve/newton.cpp -> forward/solve, forward/scene.h -> forward/scene."""
    folder, _, name = path.rpartition("/")
    return folder if folder != "forward" else f"{folder}/{name.split('.')[0]}"


def unit_graph(graph):
    """Parts of the libraries and the parts they include; `graph` has files."""
    units = {}
    for user, useds in graph.items():
        for used in useds:
            if not user.startswith("tests/") and unit_of(user) != unit_of(used):
                units.setdefault(unit_of(user), {})[unit_of(used)] = f"{user} includes {used}"
    return units


def sources():
    for folder in FOLDERS:
        yield from sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SUFFIXES)


def includes_of(file):
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def check_own(user, number, quote, used):
    """Violations of one include that names something of ours."""
    where = f"{user}:{number}"
    if quote == "<":
        return [f'{where}: <{used}> is ours: include it as "{used}"']
    if not (ROOT / used).is_file():
        return [f'{where}: "{used}" does not exist (paths are from the root of the project)']
    if not may_include(user, used):
        return [f'{where}: {part_of(user)} may not include "{used}"']
    return []


def check_foreign(user, number, used, users_of):
    where = f"{user}:{number}"
    if user.startswith("tests/"):
        return []
    for library, (pattern, folder) in CONFINED.items():
        if pattern.match(used) and not user.startswith(folder):
            return [f"{where}: {library} belongs in {folder}"]
    for library, pattern in HEAVY.items():
        if not pattern.match(used):
            continue
        users_of.setdefault(library, {}).setdefault(user, number)
    return []


def check_heavy(users_of, graph):
    """Every heavy library behind one .cpp; a header that one .cpp alone includes counts as a part of it."""
    includers = {}
    for user, useds in graph.items():
        for used in useds:
            includers.setdefault(used, set()).add(user)
    for library, users in sorted(users_of.items()):
        behind = {}
        for user, number in sorted(users.items()):
            sole = next(iter(includers.get(user, [""]))) if len(includers.get(user, [])) == 1 else ""
            if user.endswith((".h", ".hpp")) and not sole.endswith((".cpp", ".cc")):
                yield f"{user}:{number}: a header that others share includes {library}: keep it behind one .cpp"
                continue
            behind.setdefault(sole if user.endswith((".h", ".hpp")) else user, f"{user}:{number}")
        for file, where in sorted(behind.items())[1:]:
            yield f"{where}: {library} is already behind {min(behind)}: keep it behind one .cpp"


def find_cycle(graph):
    """One cycle of a graph as a list of nodes, or None. Depth first, three colours."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for following in graph.get(node, []):
            found = visit(following)
            if found:
                return found
        path.pop()
        done.add(node)
        return None

    for node in graph:
        found = visit(node)
        if found:
            return found
    return None


def main():
    violations, users_of, graph = [], {}, {}
    count = 0
    for file in sources():
        user = file.relative_to(ROOT).as_posix()
        count += 1
        for number, quote, used in includes_of(file):
            if part_of(used):
                violations += check_own(user, number, quote, used)
                graph.setdefault(user, []).append(used)
            elif quote == '"' and (file.parent / used).is_file():
                violations.append(f'{user}:{number}: write "{used}" as a path from the root of the project')
            else:
                violations += check_foreign(user, number, used, users_of)
    violations += check_heavy(users_of, graph)
    units = unit_graph(graph)
    cycle = find_cycle(graph)
    if cycle:
        violations.append(f"{cycle[0]}:1: includes itself: " + " -> ".join(cycle))
    cycle = find_cycle(units)
    if cycle:
        violations.append("parts that include each other: " + " -> ".join(cycle) + "".join(
            f"\n  {units[a][b]}" for a, b in zip(cycle, cycle[1:])))
    for violation in sorted(set(violations)):
        print(violation)
    if violations:
        return 1
    print(f"check_arrows: {count} files, all includes run one way")
    return 0


if __name__ == "__main__":
    sys.exit(main())
