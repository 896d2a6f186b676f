#!/usr/bin/env python3
"""Prints what scripts/test found: every failure, every skipped test with its reason, and a closing line of counts.

    scripts/test_summary.py FOLDER   with FOLDER/checks (tab-separated) and FOLDER/ctest.xml (JUnit, written by ctest)

Exit status 1 if anything failed or if nothing ran.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def skip_reason(output):
    """What GTEST_SKIP() printed after `file:line: Skipped`."""
    lines = [line.strip() for line in (output or "").splitlines()]
    for index, line in enumerate(lines):
        if line.endswith(": Skipped"):
            reason = []
            for following in lines[index + 1:]:
                if not following or following.startswith("["):
                    break
                reason.append(following)
            return " ".join(reason) or "no reason given"
    return "no reason given"


def ctest_results(file):
    """(state, name, reason) of every test in ctest's JUnit file."""
    if not file.is_file():
        return []
    results = []
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        output = case.findtext("system-out")
        failure = case.find("failure")
        if case.find("skipped") is not None:
            results.append(("skipped", case.get("name"), skip_reason(output)))
        elif failure is not None or case.get("status") == "fail":
            message = failure.get("message", "") if failure is not None else ""
            results.append(("failed", case.get("name"), re.sub(r"\s+", " ", message)))
        elif case.get("status") in ("run", None):
            results.append(("passed", case.get("name"), ""))
        else:
            results.append(("skipped", case.get("name"), case.get("status")))
    return results


def main(folder):
    checks = [(line.split("\t") + [""])[:3] for line in (folder / "checks").read_text().splitlines()]
    results = [tuple(check) for check in checks] + ctest_results(folder / "ctest.xml")
    by_state = {state: [r for r in results if r[0] == state] for state in ("passed", "failed", "skipped")}
    if by_state["skipped"]:
        print("Skipped:")
        reasons = {}
        for _, name, reason in by_state["skipped"]:
            reasons.setdefault(reason, []).append(name)
        for reason, names in reasons.items():
            print(f"  {reason}")
            for name in names:
                print(f"    {name}")
    if by_state["failed"]:
        print("Failed:")
        for _, name, reason in by_state["failed"]:
            print(f"  {name}" + (f": {reason}" if reason else ""))
    print(", ".join(f"{len(by_state[state])} {state}" for state in ("passed", "failed", "skipped")))
    return 1 if by_state["failed"] or not by_state["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
