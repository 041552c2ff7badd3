#!/usr/bin/python3
"""Which stage may include which, and which calls are not made outside of base.

The rules hold in gen/; and they can fail: each is also put to a copy of gen/ into which an offence was planted.
"""

import os
import re
import sys

STAGES = ["base", "json", "template", "op", "graph", "pass", "emit", "command"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"', re.M)
NOT_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
UNSAFE = "strcpy strcat stpcpy sprintf vsprintf gets".split()
MEMORY = "malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf aligned_alloc posix_memalign".split()


def read_tree(top):
    """{path below top: text} of every C file."""
    files = {}
    for folder, _, names in os.walk(top):
        for name in names:
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    files[os.path.relpath(path, top)] = file.read()
    return files


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def wrong_include(files, path, stage, target):
    if "/" not in target:
        beside = os.path.join(os.path.dirname(path), target)
        return None if beside in files else f'"{target}" is not beside it; name it from gen/'
    if target not in files:
        return f"there is no {target} in gen/"
    of = target.split("/")[0]
    if stage == "main":
        return None if of == "command" else f"main.c includes {target}; it may include command/ alone"
    if STAGES.index(of) > STAGES.index(stage):
        return f"{stage} includes {target}, which comes later"
    return None


def late_includes(files):
    for path, text in sorted(files.items()):
        stage = "main" if path == "main.c" else path.split("/")[0] if "/" in path else ""
        if stage != "main" and stage not in STAGES:
            yield f"{path}:1: belongs to no stage"
            continue
        for match in INCLUDE.finditer(text):
            wrong = wrong_include(files, path, stage, match[1])
            if wrong:
                yield f"{path}:{line_of(text, match.start(1))}: {wrong}"


def forbidden_calls(files):
    for path, text in sorted(files.items()):
        names = UNSAFE + ([] if path == "base/mem.c" else MEMORY)
        code = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        # Not a member (arena->free), not part of a longer name (mem_free).
        for match in re.finditer(r"(?<![\w.>])(?:" + "|".join(names) + r")(?=\s*\()", code):
            yield f"{path}:{line_of(code, match.start())}: calls {match[0]}"


PLANTED = [  # what, rule, file, text added to it, what is found (nothing: None)
    ("base includes template", late_includes, "base/str.h", '#include "template/template.h"', "base includes template/"),
    ("json includes command", late_includes, "json/json.h", ' #  include "command/options.h"', "json includes command/"),
    ("main.c includes base", late_includes, "main.c", '#include "base/str.h"', "main.c includes base/str.h"),
    ("a folder that is no stage", late_includes, "helper/helper.c", "int helper;", "helper/helper.c:1: belongs to no stage"),
    ("a file of no stage", late_includes, "stray.c", "int stray;", "stray.c:1: belongs to no stage"),
    ("a header that is not there", late_includes, "base/vec.c", '#include "base/nothing.h"', "there is no base/nothing.h"),
    ("a header that is not beside", late_includes, "base/vec.c", '#include "json.h"', '"json.h" is not beside it'),
    ("malloc", forbidden_calls, "command/render.c", "void *leak(void) { return malloc(8); }", "command/render.c:"),
    ("free", forbidden_calls, "base/str.c", "void leak(char *p) { free (p); }", "calls free"),
    ("strdup", forbidden_calls, "json/json.h", "char *leak(char *p) { return strdup(p); }", "calls strdup"),
    ("sprintf, even in mem.c", forbidden_calls, "base/mem.c", 'void bad(char *p) { sprintf(p, "x"); }', "calls sprintf"),
    ("malloc in mem.c", forbidden_calls, "base/mem.c", "void *fine(void) { return malloc(1); }", None),
    ("comments, text and other names", forbidden_calls, "base/str.c",
     '/* malloc(1) */ char text[] = "free(2)"; // strcpy(3)\nvoid fine(void) { mem_free(arena->free(1)); }', None),
]


def main():
    passed = failed = 0

    def check(what, good, *details):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print(f"FAILED: {what}", *details, sep="\n    ")

    files = read_tree("gen")
    check("gen/ holds sources", len(files) > 10, f"{len(files)} files")
    for rule in (late_includes, forbidden_calls):
        found = list(rule(files))
        check(rule.__name__, not found, *found)
    for what, rule, path, text, wanted in PLANTED:
        before = set(rule(files))
        found = [line for line in rule({**files, path: files.get(path, "") + text + "\n"}) if line not in before]
        good = not found if wanted is None else len(found) == 1 and wanted in found[0]
        check(f"planted: {what}", good, f"found: {found}", f"wanted: {wanted}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
