#!/usr/bin/env python3
"""Prints what the demo found beside its truth, and where the files are.   show_result.py OUT [--truth truth.json]"""
import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TO_KPA = {"Pa": 0.001, "kPa": 1.0, "MPa": 1000.0}


def print_parameters(fit, truth):
    print("%-12s %9s %9s %9s %9s %7s   %s" % ("stiffness", "truth", "found", "error", "log_std", "z", "95 % interval [kPa]"))
    found = {entry["name"]: entry for entry in fit["parameters"]}
    for name, true in truth["young_kPa"].items():
        entry = found["tissue.young." + name]
        scale = TO_KPA[entry["unit"]]
        value, std = scale * entry["value"], entry["log_std"]
        low, high = (scale * end for end in entry["interval95"])
        z = math.log(value / true) / std if std > 0 else math.inf
        print("%-12s %5.2f kPa %5.2f kPa %+8.2f%% %9.4f %+7.2f   %.3f .. %.3f%s" % (
            name, true, value, 100 * (value / true - 1), std, z, low, high,
            "" if entry["determined"] else "   (not determined)"))


def print_validation(validation):
    print("%-16s %10s %8s %8s %8s %14s" % ("held-out pose", "mean [mm]", "rms", "p95", "max", "naive mean"))
    for entry in validation["observations"]:
        naive = entry.get("naive")
        print("%-16s %10.4f %8.4f %8.4f %8.4f %14s" % (
            entry["name"], entry["mean_error"], entry["rms"], entry["p95"], entry["max"],
            "%.4f" % naive["mean_error"] if naive else "-"))
    print("(scans carry noise of 0.05 mm per coordinate: its mean length alone is 0.08 mm)")


def main():
    out = Path(sys.argv[1])
    truth = json.loads((HERE / "truth.json").read_text())
    fit = json.loads((out / "fit" / "fit.json").read_text())
    print(f"{fit['status']}: {fit.get('termination', '')}\n")
    print_parameters(fit, truth)
    for entry in fit.get("undetermined", []):
        print("not determined:", entry["combination"], "log_std %.2g" % entry["log_std"])
    print()
    print_validation(json.loads((out / "fit" / "validation.json").read_text()))
    print(f"""
files
  {out}/capture    the capture: neutral scan, skull, layout, poses, project.json
  {out}/fit        report.html (start there), fit.json, the calibrated scene.json, validation.json and error maps
  {out}/export     the calibrated scene for other programs
  {out}/truth      the truth, as a scene""")


if __name__ == "__main__":
    main()
