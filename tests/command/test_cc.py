#!/usr/bin/python3
"""tests/cc.py, the compiler that remembers: that it compiles again whatever might have changed, and nothing else."""

import os
import shutil
import subprocess
import sys
import tempfile

failures, passed = [], 0


def check(what, good, more=""):
    global passed
    if good:
        passed += 1
    else:
        failures.append(what)
        print(f"FAILED: {what}", more, sep="\n    ")


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    program, top = os.path.abspath("tests/cc.py"), tempfile.mkdtemp()
    os.chdir(top)
    real = shutil.which(os.environ.get("CC", "gcc").split()[0]) or shutil.which("gcc")
    # A compiler that tells when it is asked for more than names of files.
    write("cc", f'#!/bin/sh\ncase " $* " in *" -M "* | *--version*) ;; *) echo >>"{top}/calls" ;; esac\nexec {real} "$@"\n')
    os.chmod("cc", 0o755)
    environment = dict(os.environ, OPGEN_TEST_CACHE=f"{top}/kept")

    def calls():
        return os.path.getsize("calls") if os.path.exists("calls") else 0

    def compiled(*arguments, **more):
        """Exit status, what was said, and whether the compiler ran."""
        before = calls()
        done = subprocess.run([program, f"{top}/cc", *arguments], capture_output=True, text=True, env={**environment, **more})
        return done.returncode, done.stderr, calls() > before

    def value():
        return subprocess.run(["./out"], check=False).returncode

    write("part.h", "#define VALUE 3\n")
    write("main.c", '#include "part.h"\nint unused(void) { int x; return 1; }\nint main(void) { return VALUE + MORE; }\n')
    usual = ("-Wall", "-DMORE=1", "-o", "out", "main.c")
    status, said, ran = compiled(*usual)
    check("the first time", status == 0 and ran and "unused variable" in said and value() == 4, said)
    os.remove("out")
    again = compiled(*usual)
    check("the second time it is there, and the same is said", again == (0, said, False) and value() == 4, str(again))
    os.makedirs("other")
    for name in ("part.h", "main.c"):
        shutil.copy(name, f"other/{name}")
    check("the same elsewhere", compiled("-Wall", "-DMORE=1", "-o", "other/out", "other/main.c")[2] is False)
    check("another option", compiled("-Wall", "-DMORE=2", "-o", "out", "main.c")[2] and value() == 5)
    write("part.h", "#define VALUE 3 /* the same */\n")
    check("another byte of a header", compiled(*usual)[2])
    write("part.h", "#define VALUE 7\n")
    check("another header", compiled(*usual)[2] and value() == 8)
    check("another variable", compiled(*usual, CPATH=f"{top}/other")[2])
    write("more.c", "int more(void) { return 1; }\n")
    compiled("-c", "-o", "more.o", "more.c")
    linked = ("-DMORE=more()", "-Wno-implicit-function-declaration", "-o", "out", "main.c", "more.o")
    check("with an object", compiled(*linked)[2] and not compiled(*linked)[2] and value() == 8)
    write("more.c", "int more(void) { return 2; }\n")
    compiled("-c", "-o", "more.o", "more.c")
    check("with another object", compiled(*linked)[2] and value() == 9)
    for turn in ("first", "second"):
        status, said, ran = compiled("-o", "out", "main.c")
        check(f"what fails is not kept, the {turn} time", status != 0 and ran and "MORE" in said, said)
    check("only read", compiled("-fsyntax-only", "-DMORE=1", "main.c")[2] and not compiled("-fsyntax-only", "-DMORE=1", "main.c")[2])
    check("off", compiled(*usual, OPGEN_TEST_CACHE="off")[2])
    check("known", not compiled(*usual)[2])
    subprocess.run([program, "--clean"], env=environment, check=True)
    check("kept when it is new", not compiled(*usual)[2])
    for folder, _, files in os.walk("kept"):
        for name in files:
            os.utime(os.path.join(folder, name), (1, 1))
    subprocess.run([program, "--clean"], env=environment, check=True)
    check("thrown away when it is old", compiled(*usual)[2])
    os.chdir("/")
    shutil.rmtree(top)
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


sys.exit(main())
