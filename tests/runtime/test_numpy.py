"""test_numpy: what NumPy writes is read, and what is written NumPy reads, element for element."""

import glob
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("NumPy is not there (python3-numpy)")
    sys.exit(77)

failures = []
passed = 0


def check(what, good, detail=""):
    global passed
    if good:
        passed += 1
    else:
        failures.append(what)
        print(f"FAILED: {what} {detail}")


def build(folder):
    tool = os.path.join(folder, "copy_arrays")
    sources = ["tests/runtime/copy_arrays.c"] + sorted(glob.glob("runtime/*.c"))
    flags = ["-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-Iruntime"]
    subprocess.run([*os.environ.get("CC", "gcc").split(), *flags, *sources, "-o", tool, "-lpthread", "-ldl", "-lm"], check=True)
    return tool


class Copied:
    def __init__(self, returncode, stderr):
        self.returncode, self.stderr = returncode, stderr


def copy(tool, source, target):
    """One process copies all; if it ends, that was the reason, and what it said is shown."""
    tool.stdin.write(f"{source}\t{target}\n")
    tool.stdin.flush()
    line = tool.stdout.readline()
    return Copied(int(line[0]), line[2:]) if line.endswith("\n") else Copied(tool.wait(), "it ended")


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def main():
    folder = os.environ.get("TMPDIR") or tempfile.mkdtemp()
    with subprocess.Popen([build(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tool:
        copy_all(folder, tool)
        tool.stdin.close()
        check("nothing is left behind", tool.wait() == 0, f"exit status {tool.returncode}")
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


def copy_all(folder, tool):
    random = numpy.random.default_rng(1)
    here, there = (os.path.join(folder, name) for name in ("here.npy", "there.npy"))
    for dtype in ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"):
        for shape in ((), (1,), (7,), (3, 5), (2, 3, 4), (4, 0, 2), (1, 1, 1, 6)):
            for order in "CF":
                for ends in "<>":
                    for version in ((1, 0), (2, 0), (3, 0)):
                        array = numpy.asarray(random.integers(0, 2 if dtype == "?" else 100, shape)).astype(dtype)
                        with open(here, "wb") as file:
                            numpy.lib.format.write_array(file, numpy.asarray(array.astype(numpy.dtype(dtype).newbyteorder(ends)), order=order), version)
                        what = f"{ends}{dtype} {shape} {order} {version}"
                        if shape in ((3, 5), ()) or version == (1, 0):
                            done = copy(tool, here, there)
                            check(what, done.returncode == 0 and same(numpy.load(there), array), done.stderr)
    with open(here, "wb") as file:  # bfloat16 as ml_dtypes has it
        numpy.save(file, numpy.arange(6, dtype="u2").reshape(2, 3).view("V2"))
    done = copy(tool, here, there)
    check("V2", done.returncode == 0 and same(numpy.load(there).view("u2"), numpy.arange(6, dtype="u2").reshape(2, 3)), done.stderr)

    here, there = (os.path.join(folder, name) for name in ("here.npz", "there.npz"))
    arrays = {"x": random.random((3, 4), "f4"), "päth/ y": numpy.arange(5), "none": numpy.zeros((0, 3), "i1"), "one": numpy.float64(2)}
    numpy.savez(here, **arrays)
    done = copy(tool, here, there)
    check("savez", done.returncode == 0, done.stderr)
    loaded = numpy.load(there)
    check("names of the archive", loaded.files == list(arrays), loaded.files)
    for name, array in arrays.items():
        check(f"array {name} of the archive", same(loaded[name], numpy.asarray(array)))
    numpy.savez(here)
    done = copy(tool, here, there)
    check("an archive of nothing", done.returncode == 0 and numpy.load(there).files == [], done.stderr)

    numpy.savez_compressed(here, x=numpy.zeros(1000))
    done = copy(tool, here, there)
    check("savez_compressed", done.returncode == 1 and "numpy.savez, not numpy.savez_compressed" in done.stderr, done.stderr)
    for what, array in (("complex", numpy.zeros(2, "c8")), ("text", numpy.array(["a"])), ("records", numpy.zeros(2, [("a", "f4")])), ("objects", numpy.array([None]))):
        numpy.save(os.path.join(folder, "bad.npy"), array, allow_pickle=True)
        done = copy(tool, os.path.join(folder, "bad.npy"), os.path.join(folder, "bad-out.npy"))
        check(what, done.returncode == 1 and "bad.npy" in done.stderr and not os.path.exists(os.path.join(folder, "bad-out.npy")), done.stderr)


if __name__ == "__main__":
    sys.exit(main())
