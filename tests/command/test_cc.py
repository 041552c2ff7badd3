#!/usr/bin/python3
"""tests/remember, the compiler that remembers: that it compiles again whatever might have changed, and nothing else."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile

failures, passed = [], 0
# Stands for the compiler: what it is called with is told, but for questions.
TELLING = """
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int question = 0;
    for (int i = 1; i < argc; i++) question |= !strcmp(argv[i], "-M") || !strcmp(argv[i], "--version") || !strncmp(argv[i], "-print", 6);
    if (!question) {
        FILE *file = fopen(CALLS, "a");
        fputs("called", file);
        fclose(file);
    }
    argv[0] = (char *)REAL;
    return execv(REAL, argv);
}
"""


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


def contents(name):
    with open(name, "rb") as file:
        return file.read()


def main():
    program = os.path.abspath(os.path.join(os.environ.get("BUILD") or "build", "test-bin", "remember"))
    if not os.path.exists(program):
        print(f"there is no {program}: run make test")
        return 1
    top = os.path.realpath(tempfile.mkdtemp())
    os.chdir(top)
    others = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if one != os.path.dirname(program))
    real = shutil.which((os.environ.get("CC") or "gcc").split()[0], path=others) or shutil.which("gcc", path=others)
    environment = dict(os.environ, PATH=others, OPGEN_TEST_CACHE=f"{top}/kept")
    for name in "OPGEN_TEST_CACHE_LOG", "OPGEN_TEST_SHARED":
        environment.pop(name, None)

    def telling(more=""):
        write("telling.c", TELLING + more)
        subprocess.run([real, f'-DCALLS="{top}/calls"', f'-DREAL="{real}"', "-o", "cc.new", "telling.c"], check=True, env=environment)
        os.rename("cc.new", "cc")

    telling()

    def calls():
        return os.path.getsize("calls") if os.path.exists("calls") else 0

    def compiled(*arguments, **more):
        """Exit status, what was said, and whether the compiler ran."""
        before, folder, compiler = calls(), more.pop("folder", "."), more.pop("compiler", f"{top}/cc")
        done = subprocess.run([program, compiler, *arguments], capture_output=True, text=True, env={**environment, **more}, cwd=folder)
        return done.returncode, done.stderr, calls() > before

    def again(*arguments, **more):
        """Whether it is compiled the first time and not the second."""
        return compiled(*arguments, **more)[2], compiled(*arguments, **more)[2]

    def value(name="./out"):
        return subprocess.run([name], check=False).returncode

    once = (True, False)
    write("part.h", "#define VALUE 3\n")
    write("main.c", '#include "part.h"\nint unused(void) { int x; return 1; }\nint main(void) { return VALUE + MORE; }\n')
    usual = ("-Wall", "-DMORE=1", "-o", "out", "main.c")
    status, said, ran = compiled(*usual)
    check("the first time", status == 0 and ran and "unused variable" in said and value() == 4, said)
    os.remove("out")
    second = compiled(*usual)
    check("the second time it is there, and the same is said", second == (0, said, False) and value() == 4, str(second))
    os.makedirs("other")
    for name in ("part.h", "main.c"):
        shutil.copy(name, f"other/{name}")
    check("the same elsewhere", compiled(*usual, folder="other")[2] is False and value("other/out") == 4)
    check("but not with the folder in it", again("-g", *usual) == once and again("-g", *usual, folder="other") == once)
    check("nor is another name of a source the same", compiled("-Wall", "-DMORE=1", "-o", "other/out", "other/main.c")[2])
    check("but another name of what is made", not compiled("-Wall", "-DMORE=1", "-o", "elsewhere", "main.c")[2] and value("./elsewhere") == 4)
    check("another option", compiled("-Wall", "-DMORE=2", "-o", "out", "main.c")[2] and value() == 5)

    # ---- headers: other ones, at once or later, in the place of what was read
    write("part.h", "#define VALUE 3 /* the same */\n")
    check("another byte of a header", compiled(*usual)[2])
    write("part.h", "#define VALUE 7\n")
    check("another header", compiled(*usual)[2] and value() == 8)
    write("part.h", "#define VALUE 3\n")
    check("the first one again", not compiled(*usual)[2] and value() == 4)
    for folder in ("first", "second", "source"):
        os.makedirs(folder)
    write("second/found.h", "#define FOUND 1\n")
    write("source/found.c", '#include "found.h"\n#include <limits.h>\nint main(void) { return FOUND + (INT_MAX == 5); }\n')
    found = ("-Ifirst", "-Isecond", "-o", "out", "source/found.c")
    check("a header in the second folder", again(*found) == once and value() == 1)
    write("first/found.h", "#define FOUND 2\n")
    check("and then in the first one", again(*found) == once and value() == 2)
    write("source/found.h", "#define FOUND 3\n")
    check("and then beside the source", again(*found) == once and value() == 3)
    write("first/limits.h", "#define INT_MAX 5\n")
    check("in the place of the system's", again(*found) == once and value() == 4)
    write("clock.c", 'const char *made = __TIME__;\nint main(void) { return !made; }\n')
    check("the time of day", compiled("-o", "out", "clock.c")[2] and compiled("-o", "out", "clock.c")[2])

    # ---- rules for make
    rules = ("-MMD", "-MP", "-MF", "main.d", "-MT", "main.x", "-DMORE=1", "-c", "-o", "main.o", "main.c")
    check("rules for make", again(*rules) == once)
    with open("main.d", encoding="utf-8") as file:
        before = file.read()
    os.remove("main.d")
    check("they are written as well", not compiled(*rules)[2] and open("main.d", encoding="utf-8").read() == before and "main.x: main.c part.h" in before, before)

    # ---- linking
    write("more.c", "int more(void) { return 1; }\n")
    compiled("-c", "-o", "more.o", "more.c")
    linked = ("-DMORE=more()", "-Wno-implicit-function-declaration", "-o", "out", "main.c", "more.o")
    check("with an object", again(*linked) == once and value() == 4)
    write("more.c", "int more(void) { return 2; }\n")
    compiled("-c", "-o", "more.o", "more.c")
    check("with another object", compiled(*linked)[2] and value() == 5)
    compiled("-DMORE=more()", "-Wno-implicit-function-declaration", "-c", "-o", "main.o", "main.c")
    write("objects", "main.o 'more.o'\n")
    check("objects in a file", again("-o", "out", "@objects") == once and value() == 5)
    write("more.c", "int more(void) { return 4; }\n")
    compiled("-c", "-o", "more.o", "more.c")
    check("that are other ones", again("-o", "out", "@objects") == once and value() == 7)
    os.makedirs("lib/a")
    os.makedirs("lib/b")
    compiled("-shared", "-fPIC", "-o", "lib/b/libmore.so", "more.c")
    library = ("-o", "out", "main.o", "-Llib/a", "-Llib/b", "-lmore", f"-Wl,-rpath,{top}/lib/a:{top}/lib/b")
    check("a library", again(*library) == once and value() == 7)
    compiled("-c", "-o", "lib/more.o", "more.c")
    subprocess.run(["ar", "rcs", "lib/a/libmore.a", "lib/more.o"], check=True)
    check("one that comes before it", again(*library) == once)
    compiled("-DMORE=1", "-shared", "-fPIC", "-o", "lib/b/libmore.so", "more.c")
    os.remove("lib/a/libmore.a")
    write("more.c", "int more(void) { return 5; }\n")
    compiled("-shared", "-fPIC", "-o", "lib/b/libmore.so", "more.c")
    check("one that changed", again(*library) == once and value() == 8)

    # ---- what else decides
    check("another variable", again(*usual, CPATH=f"{top}/other") == once)
    for turn in ("first", "second"):
        status, said, ran = compiled("-o", "out", "main.c")
        check(f"what fails is not kept, the {turn} time", status != 0 and ran and "MORE" in said, said)
    check("only read", again("-fsyntax-only", "-DMORE=1", "main.c") == once)
    write("script", f'#!/bin/sh\necho >>"{top}/calls"\nexec {real} "$@"\n')
    os.chmod("script", 0o755)
    check("a script is not known", [compiled(*usual, compiler=f"{top}/script")[2] for _ in range(2)] == [True, True])
    check("nor what is loaded before", compiled(*usual, LD_PRELOAD="")[2])
    check("off", compiled(*usual, OPGEN_TEST_CACHE="off")[2])
    check("an output that is no file", compiled("-Wall", "-DMORE=1", "-o", "/dev/null", "main.c")[0] == 0 and os.path.exists("/dev/null"))
    check("known", not compiled(*usual)[2])
    telling("int another_compiler;\n")
    check("another compiler", again(*usual) == once)
    os.symlink(program, "gcc")
    before = calls()
    os.makedirs("bin")
    os.rename("cc", "bin/gcc")
    done = subprocess.run(["./gcc", *usual], env={**environment, "PATH": f"{top}:{top}/bin:{others}"}, check=False)
    check("by the compiler's own name", done.returncode == 0 and calls() > before)
    os.rename("bin/gcc", "cc")

    # ---- what clang passes on
    skipped, clang = 0, shutil.which("clang", path=others)

    def told(*arguments):
        """What the log says of a call, and of the same again."""
        for _ in range(2):
            compiled(*arguments, "-DMORE=1", "-S", "-emit-llvm", "-o", "main.ll", "main.c", compiler=clang, OPGEN_TEST_CACHE_LOG=f"{top}/log")
        with open("log", encoding="utf-8") as file:
            said = [line.split("\t")[0] for line in file]
        os.remove("log")
        return said

    if clang:
        check("clang, without its passes", told("-Xclang", "-disable-llvm-passes") == ["miss", "hit"])
        check("clang, what is not known to write nothing", told("-Xclang", "-fno-builtin") == ["none", "none"])
        check("clang, an option that wants another", told("-Xclang") == ["none", "none"])
    else:
        skipped = 3
        print("skipped: there is no clang\n" * skipped, end="")

    # ---- what is read ahead
    def read_ahead(compiler, shared):
        double = '__attribute__((target("avx2"))) void twice(int *x) { _mm256_storeu_si256((__m256i *)x, _mm256_slli_epi32(_mm256_loadu_si256((const __m256i *)x), 1)); }\n'
        write("wide.c", f'#include "part.h"\n#include <immintrin.h>\nint value = VALUE;\n{double}')
        write("bare.c", double)
        write("named.c", f"#define _GNU_SOURCE\n#include <immintrin.h>\n{double}")
        name = os.path.basename(compiler)
        rules = ["-MMD", "-MF", "wide.d", "-MT", "wide.x"] if name == "gcc" else []  # with which clang reads all itself
        wide = ("-O2", *rules, "-c", "-o")
        subprocess.run([compiler, *wide, "plain.o", "wide.c"], check=True, env=environment)
        plain = contents("plain.o"), rules and contents("wide.d")

        def ahead(*arguments):
            """Exit status, and how many headers the compiler has as it reads them."""
            status = compiled(*arguments, compiler=compiler, OPGEN_TEST_SHARED=shared)[0]
            return status, sum(name.endswith((".gch", ".pch")) for _, _, names in os.walk(shared) for name in names)

        os.makedirs(shared)
        check(f"{name}: the intrinsics, read ahead", ahead(*wide, "wide.o", "wide.c") == (0, 1))
        check(f"{name}: make no difference", (contents("wide.o"), rules and contents("wide.d")) == plain)
        check(f"{name}: another definition needs no other", ahead("-DOPGEN_X=1", *wide, "wide.o", "wide.c") == (0, 1) and contents("wide.o") == plain[0])
        write("part.h", "#define VALUE 4\n")
        check(f"{name}: nor do they hide another header", ahead(*wide, "wide.o", "wide.c") == (0, 1) and contents("wide.o") != plain[0])
        write("part.h", "#define VALUE 3\n")
        check(f"{name}: they are not read for what does not include them", ahead("-O2", "-c", "-o", "bare.o", "bare.c") == (1, 1))
        check(f"{name}: nor before a standard is named", ahead("-O2", "-c", "-o", "named.o", "named.c") == (0, 1))
        check(f"{name}: nor with debug information", ahead("-g", *wide, "wide.o", "wide.c") == (0, 1))
        check(f"{name}: but for each set of options", ahead("-fPIC", *wide, "wide.o", "wide.c") == (0, 2))

    for name in "gcc", "clang":
        compiler = shutil.which(name, path=others)
        if compiler and platform.machine() == "x86_64":
            read_ahead(compiler, f"{top}/shared-{name}")
        else:
            skipped += 8
            print(f"skipped: no {name} for x86-64\n" * 8, end="")

    # ---- what is thrown away
    check("known still", not compiled(*usual)[2])
    subprocess.run([program, "--clean"], env=environment, check=True)
    check("kept when it is new", not compiled(*usual)[2])
    for folder, _, files in os.walk("kept"):
        for name in files:
            os.utime(os.path.join(folder, name), (1, 1))
    subprocess.run([program, "--clean"], env=environment, check=True)
    check("thrown away when it is old", not [name for _, _, files in os.walk("kept") for name in files if name == "made"] and compiled(*usual)[2])
    os.chdir("/")
    shutil.rmtree(top)
    print(f"{passed} passed, {len(failures)} failed, {skipped} skipped")
    return 1 if failures else 0


sys.exit(main())
