#!/usr/bin/python3
"""cc.py: a compiler that remembers what it made, for tests that compile much generated code, most of it the same as last time.

    tests/cc.py gcc -std=c11 -O2 -shared -fPIC -o lib.so kernel.c -lm        in the place of gcc
    cc.run(["gcc", ...])                                                     the same in Python

What is tested is what the code does: it is run each time. Only the way from the same sources to the same object is not
gone again. The same are: every byte of every file that the compiler reads (system headers, objects and archives
included), all arguments but names of files, the compiler and the packages of compilers and C libraries, the variables that compilers
obey, and for -march=native the processor. Only what succeeded is kept, and what the compiler said is said again.

Results lie in BUILD/test-cache; OPGEN_TEST_CACHE names another folder, or is `off`. What nobody asked for in two weeks
is thrown away by `tests/cc.py --clean`, which tests/run calls, and so is the oldest beyond MOST bytes.
"""

import functools
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST, KEPT, HOUR = 1 << 30, 14 * 86400, 3600
VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH")
PACKAGES = ("gcc*", "g++*", "cpp*", "clang*", "llvm*", "libclang*", "libllvm*", "libLLVM*", "binutils*", "libbinutils*", "libc6*", "libgcc*", "libstdc++*", "lib*san*", "libgomp*", "libomp*")
# What is written elsewhere than to -o, or read from somewhere that is not seen here.
STRANGE = re.compile(r"^(-E|-M.*|-save-temps.*|-|@.*|-fprofile.*|--coverage|-gsplit-dwarf|-B.*|-specs.*|-fdump.*|-wrapper)$")
SOURCE = (".c", ".cc", ".cpp", ".S", ".s")
BEFORE_NAME = ("-o", "-I", "-isystem", "-include", "-idirafter", "-iquote", "-L", "-D", "-U", "-T", "-u", "-z", "-Xlinker", "-target", "-x")


class Done:
    """As subprocess.CompletedProcess, with what was said as one text."""

    def __init__(self, returncode, stderr):
        self.returncode, self.stderr, self.stdout = returncode, stderr, ""


def folder():
    named = os.environ.get("OPGEN_TEST_CACHE")
    if named == "off":
        return None
    return os.path.join(TOP, named or os.path.join(os.environ.get("BUILD") or "build", "test-cache"))


def call(command, cwd=None):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=cwd)


@functools.lru_cache(None)
def identity(compiler):
    """The program, and the packages that it and what it calls may come from: a new version of one has a new list of files."""
    path = os.path.realpath(shutil.which(compiler) or compiler)
    found = [path, call([compiler, "--version"]).stdout]
    for name in [path, *sorted(path for word in PACKAGES for path in glob.glob(f"/var/lib/dpkg/info/{word}.list"))]:
        try:
            state = os.stat(name)
            found.append(f"{name} {state.st_size} {state.st_mtime_ns}")
        except OSError:
            found.append(f"{name} none")
    return "\n".join(found)


@functools.lru_cache(None)
def processor():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        return "".join(sorted({line for line in file if line.startswith(("model", "cpu family", "vendor_id", "flags", "stepping"))}))


def of_file(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_by(command, sources, cwd):
    """The files that compiling reads, as the compiler tells; none if it does not."""
    done = call([*command, "-M", *sources], cwd)
    if done.returncode:
        return None
    names = []
    for rule in re.split(r"\n(?! )", done.stdout.replace("\\\n", "\n ")):
        names += re.findall(r"(?:[^\s\\]|\\.)+", rule.split(":", 1)[1]) if ":" in rule else []
    return [os.path.join(cwd or ".", name.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$")) for name in names]


def key_of(arguments, cwd):
    """(key, file that is written or none); none if this is not to be kept."""
    compiler, out, rest, sources, objects, asks = arguments[0], None, [], [], [], []
    words = iter(arguments[1:])
    for word in words:
        if STRANGE.match(word):
            return None, None
        if word in BEFORE_NAME:
            name = next(words, "")
            if word == "-o":
                out = name
                continue
            asks += [word, name]
            if word not in ("-I", "-isystem", "-include", "-idirafter", "-iquote"):
                rest += [word, name]
        elif word.endswith(SOURCE) and not word.startswith("-"):
            sources.append(word)
        elif word.endswith((".o", ".a", ".so")) and not word.startswith("-"):
            objects.append(word)
        else:
            asks += [word] if not word.startswith(("-l", "-Wl,", "-shared")) and word not in ("-c", "-S") else []
            rest += [word] if not word.startswith("-I") else []
    if not sources or (out is None) != ("-fsyntax-only" in rest):
        return None, None
    files = read_by([compiler, *[ask for ask in asks if ask != "-fsyntax-only"]], sources, cwd)
    if files is None:
        return None, None
    digest = hashlib.sha256()
    for part in [identity(compiler), *[f"{name}={os.environ.get(name)}" for name in VARIABLES], *rest, processor() if any("native" in word for word in rest) else ""]:
        digest.update(part.encode() + b"\0")
    try:
        for name in [*files, *[os.path.join(cwd or ".", name) for name in objects]]:
            digest.update(f"{os.path.basename(name)} {of_file(name)}\n".encode())
    except OSError:
        return None, None
    return digest.hexdigest(), out


def run(arguments, cwd=None):
    top = folder()
    key, out = key_of(arguments, cwd) if top else (None, None)
    if key is None:
        done = call(arguments, cwd)
        return Done(done.returncode, done.stdout + done.stderr)
    place = os.path.join(top, key[:2], key)
    target = os.path.join(cwd or ".", out) if out else None
    try:
        with open(f"{place}/said", encoding="utf-8", newline="") as file:
            said = file.read()
        if target:
            shutil.copy(f"{place}/made", target)
        os.utime(f"{place}/said")
        return Done(0, said)
    except OSError:
        pass
    done = call(arguments, cwd)
    said = done.stdout + done.stderr
    if done.returncode == 0:
        keep(place, target, said)
    return Done(done.returncode, said)


def keep(place, made, said):
    """All of it at once, whoever else is at it. That there is no room for it is no error."""
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        new = tempfile.mkdtemp(prefix="new-", dir=os.path.dirname(place))
        try:
            if made:
                shutil.copy(made, f"{new}/made")
            with open(f"{new}/said", "w", encoding="utf-8", newline="") as file:
                file.write(said)
            os.rename(new, place)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)
    except OSError:
        pass


def entry(place):
    """(when it was last asked for, bytes, place); one that is not complete is somebody's, or was."""
    try:
        return os.stat(f"{place}/said").st_mtime, sum(file.stat().st_size for file in os.scandir(place)), place
    except OSError:
        made = os.stat(place).st_mtime
        return made if made > time.time() - HOUR else 0, 0, place


def clean():
    top, entries = folder(), []
    for two in os.listdir(top) if top and os.path.isdir(top) else []:
        for name in os.listdir(os.path.join(top, two)):
            try:
                entries.append(entry(os.path.join(top, two, name)))
            except OSError:
                pass  # another run is at it
    room, oldest = MOST, time.time() - KEPT
    for used, size, place in sorted(entries, reverse=True):
        room -= size
        if room < 0 or used < oldest:
            shutil.rmtree(place, ignore_errors=True)


def main():
    if sys.argv[1:] == ["--clean"]:
        clean()
        return 0
    done = run(sys.argv[1:])
    sys.stderr.write(done.stderr)
    return done.returncode if done.returncode >= 0 else 1


if __name__ == "__main__":
    sys.exit(main())
