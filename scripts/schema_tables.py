#!/usr/bin/env python3
"""Writes the key tables of docs/files.md from the schemas in data/schema.

    scripts/schema_tables.py           rewrites what stands between the markers
    scripts/schema_tables.py --check   changes nothing; exit status 1 when the page is behind the schemas
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "files.md"


def default_of(schema):
    if "default" not in schema or schema["default"] in ({}, []):
        return ""
    return "`%s`" % json.dumps(schema["default"], ensure_ascii=False)


def variants(schema):
    """The schema itself, the items of a list, and the alternatives: where further keys may hide."""
    yield schema, ""
    if "items" in schema:
        for inner, suffix in variants(schema["items"]):
            yield inner, "[]" + suffix
    for alternative in schema.get("oneOf", []):
        yield from variants(alternative)


def rows(schema, path=""):
    for name, inner in schema.get("properties", {}).items():
        if name == "$schema":
            continue
        key = f"{path}{name}"
        unit = inner.get("x-unit", "none")
        text = inner.get("description", "").replace("|", "\\|")
        yield f"| `{key}` | {text} | {'' if unit == 'none' else unit} | {default_of(inner)} |"
        for variant, suffix in variants(inner):
            yield from rows(variant, f"{key}{suffix}.")


def table(name):
    schema = json.loads((ROOT / "data" / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    return "\n".join(["| key | what it is | dimension | default |", "|---|---|---|---|", *rows(schema)])


def main():
    page = PAGE.read_text(encoding="utf-8")
    new = re.sub(r"(<!-- keys of (\w+) -->\n).*?(<!-- end -->)",
                 lambda m: m.group(1) + table(m.group(2)) + "\n" + m.group(3), page, flags=re.S)
    if new == page:
        return 0
    if "--check" in sys.argv[1:]:
        print("docs/files.md is behind data/schema: run scripts/schema_tables.py")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
