#!/usr/bin/python3
"""seeds.py: what fuzzers begin with: those of the template engine with the fixtures, that of operators with opgen's own.

    seeds.py FOLDER      writes FOLDER/template/* and so on (build/fuzz/corpus, in the Makefile)

Names are hashes of what is in the files, so that writing them again changes nothing.
"""

import glob
import hashlib
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "template"))
import fixture  # noqa: E402


def keep(folder, data):
    path = os.path.join(folder, hashlib.sha1(data).hexdigest())
    if not os.path.exists(path):
        with open(path, "wb") as file:
            file.write(data)


def options_byte(options):
    undefined = ["strict", "lenient", "chainable"].index(options.get("undefined", "strict"))
    flags = ("trim_blocks", "lstrip_blocks", "keep_trailing_newline", "autoescape")
    return bytes([sum(1 << k for k, name in enumerate(flags) if options.get(name)) | undefined << 4])


def steps_of(op, ops):
    """The operators that it is made of, and it: a file that needs no other."""
    all = {}
    for step in op.get("steps", []):
        name = step["op"]
        base = ops.get(name) or ops.get(name.rstrip("_"))
        if base is not None and base is not op:
            all.update(steps_of(base, ops))
    all[op["op"]] = op
    return all


def keep_operators(folder):
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
    ops = {}
    for path in sorted(glob.glob(os.path.join(top, "opdefs", "*.json"))):
        with open(path, encoding="utf-8") as file:
            for op in json.load(file).get("ops", []):
                ops[op["op"]] = {key: value for key, value in op.items() if key not in ("tests", "doc")}
    os.makedirs(folder, exist_ok=True)
    for op in ops.values():
        # the operator first: the fuzzer generates for the first ones
        parts = [op] + [part for part in steps_of(op, ops).values() if part is not op]
        keep(folder, json.dumps({"ops": parts}).encode())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folders = {name: os.path.join(sys.argv[1], name) for name in ("template", "parse", "render")}
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    keep_operators(os.path.join(sys.argv[1], "opdef"))
    count = 0
    for path in fixture.find("fixtures") + fixture.find("errors"):
        case = fixture.read(path)
        for text in [case.get("template")] + list(case.files.values()):
            keep(folders["template"], text.encode())
            keep(folders["parse"], text.encode())
        data = case.get("data") or "{}"
        keep(folders["render"], options_byte(case.options) + case.get("template").encode() + b"\0" + data.encode())
        count += 1
    print(f"seeds: {count} fixtures")


main()
