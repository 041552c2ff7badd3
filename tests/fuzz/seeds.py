#!/usr/bin/python3
"""seeds.py: what the fuzzers of the template engine begin with, made from the fixtures.

    seeds.py FOLDER      writes FOLDER/template/*, FOLDER/parse/* and FOLDER/render/* (build/fuzz/corpus, in the Makefile)

Names are hashes of what is in the files, so that writing them again changes nothing.
"""

import hashlib
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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folders = {name: os.path.join(sys.argv[1], name) for name in ("template", "parse", "render")}
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
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
