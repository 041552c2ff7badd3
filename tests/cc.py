#!/usr/bin/python3
"""cc.py: compilers by way of tests/remember, which remembers what they made.

    cc.run(["gcc", "-O2", "-shared", "-fPIC", "-o", "lib.so", "kernel.c"], folder)
    tests/cc.py gcc -O2 -shared -fPIC -o lib.so kernel.c

BUILD/test-bin/remember is made by `make test`; without it, compilers are called as they are. tests/run also puts a folder
of links to it in front of PATH, so that what is called by others goes the same way.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(TOP, os.environ.get("BUILD") or "build", "test-bin", "remember")


class Done:
    """As subprocess.CompletedProcess, with what was said as one text."""

    def __init__(self, returncode, stderr):
        self.returncode, self.stderr, self.stdout = returncode, stderr, ""


def run(arguments, cwd=None):
    before = [PROGRAM] if os.path.exists(PROGRAM) else []
    done = subprocess.run([*before, *arguments], capture_output=True, text=True, errors="replace", check=False, cwd=cwd)
    return Done(done.returncode, done.stdout + done.stderr)


def of_kernels(command):
    """A value of --cc: what is given here is for the sources of kernels alone (tests/kernel_cc)."""
    return f"{TOP}/tests/kernel_cc {','.join(command.split())}"


def work_folder():
    """A new folder, gone at the end. In tests/run it has the same name each time: objects with debug information have it
    in them."""
    own = os.environ.get("OPGEN_TEST_FOLDER")
    if own is None:
        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder, True)
        return folder
    number = 0
    while True:
        try:
            os.makedirs(f"{own}/{number}")
            return f"{own}/{number}"
        except FileExistsError:
            number += 1


def processor():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        return "".join(sorted({line for line in file if line.startswith(("model", "cpu family", "vendor_id", "flags", "stepping"))}))


def main():
    arguments = sys.argv[1:]
    if os.path.exists(PROGRAM):
        arguments.insert(0, PROGRAM)
    os.execvp(arguments[0], arguments)


if __name__ == "__main__":
    main()
