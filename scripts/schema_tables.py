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


def code(value):
    return "`%s`" % json.dumps(value, ensure_ascii=False)


def default_of(schema):
    return "" if schema.get("default", {}) in ({}, []) else code(schema["default"])


def seed_of(schema):
    """What the papers have; a text of several words is prose, not a value."""
    seed = schema.get("x-seed", "")
    return seed if isinstance(seed, str) and " " in seed or seed == "" else code(seed)


def variants(schema):
    """The schema itself, the items of a list, and the alternatives: where further keys may hide."""
    yield schema, ""
    if "items" in schema:
        for inner, suffix in variants(schema["items"]):
            yield inner, "[]" + suffix
    for alternative in schema.get("oneOf", []):
        yield from variants(alternative)


def rows(schema, model, path=""):
    """One tuple a key: key, text, dimension, the papers' value, default. `model`: without the other model's keys."""
    for name, inner in schema.get("properties", {}).items():
        if name == "$schema" or model and inner.get("x-model", model) != model:
            continue
        key = f"{path}{name}"
        unit = inner.get("x-unit", "none")
        text = inner.get("description", "").replace("|", "\\|")
        yield f"`{key}`", text, "" if unit == "none" else unit, seed_of(inner), default_of(inner)
        for variant, suffix in variants(inner):
            yield from rows(variant, model, f"{key}{suffix}.")


def table(name, model):
    schema = json.loads((ROOT / "data" / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    head = ["key", "what it is", "dimension", "papers", "default"]
    lines = [head, *rows(schema, model)]
    if model != "shell":
        lines = [[cell for cell, title in zip(line, head) if title != "papers"] for line in lines]
    lines = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([lines[0], "|" + "---|" * (lines[0].count("|") - 1), *lines[1:]])


def main():
    page = PAGE.read_text(encoding="utf-8")
    new = re.sub(r"(<!-- keys of (\w+)(?: (\w+))? -->\n).*?(<!-- end -->)",
                 lambda m: m.group(1) + table(m.group(2), m.group(3)) + "\n" + m.group(4), page, flags=re.S)
    if new == page:
        return 0
    if "--check" in sys.argv[1:]:
        print("docs/files.md is behind data/schema: run scripts/schema_tables.py")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
