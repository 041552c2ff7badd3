#!/usr/bin/python3
"""Maps over rows of f16 and bf16, beside a row that all share, a column, or one of each: rows of any length, in any part of a block.

    OPGEN=build/opgen tests/cpu/test_rows_of_halves.py

Sums and products bit by bit beside NumPy, which computes in f32 and rounds once; functions within a unit of the last place. By gcc for
two kinds of processor, in the cache and past it, and by clang, where it is there, for any.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cc
import models

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
WIDTHS = [1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130, 257, 1000]
# Of these the length is known when code is generated, too; others share what is compiled for any.
KNOWN = [("of_both", 7), ("silu", 100)]
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def of_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def stored(x, dtype):
    """Bits of what f32 becomes."""
    with np.errstate(all="ignore"):
        return x.astype(np.float16).view(np.uint16) if dtype == "f16" else models.to_bf16(x)


def loaded(bits, dtype):
    return bits.view(np.float16).astype(np.float32) if dtype == "f16" else of_bf16(bits)


def place(bits):
    """Where a 16-bit float is in their order."""
    bits = bits.astype(np.int32)
    return np.where(bits & 0x8000, 0x8000 - bits, bits)


def node(op, given, out, **attrs):
    return {"op": op, "in": given, "out": out, "attrs": attrs}


def silu(x):
    return x / (1 + np.exp(-x.astype(np.float64)))


# What is beside x, as shapes of m rows of n, by the dtype that x has; the nodes that make "out"; what that is in f32 or better,
# and so many places it may be off.
WORKS = {
    "shared": ({"b": ["n"]}, [node("add", ["x", "b"], "out")], lambda x, b: x + b, 0),
    "of_both": ({"c": ["m", 1], "b": ["n"]}, [node("mul", ["x", "c"], "t"), node("sub", ["t", "b"], "out")], lambda x, c, b: x * c - b, 0),
    "chosen": ({"b": ["n"]}, [node("gt", ["x", "b"], "t"), node("where", ["t", "x", "b"], "out")], lambda x, b: np.where(x > b, x, b), 0),
    "silu": ({"b": ["n"]}, [node("add", ["x", "b"], "t"), node("silu", ["t"], "out")], lambda x, b: silu(x + b), 1),
    "gated": ({"b": ["m", "n"], "c": ["m", 1]}, [node("silu", ["x"], "s"), node("mul", ["s", "b"], "t"), node("mul", ["t", "c"], "out")],
              lambda x, b, c: silu(x) * b * c, 1),
    "exp": ({"b": ["n"], "r": ["m", "n"]}, [node("sub", ["x", "b"], "s"), node("exp", ["s"], "t"), node("add", ["t", "r"], "out")],
            lambda x, b, r: np.exp((x - b).astype(np.float64)) + r, 1),
}


def drawn(rng, shape, dtype):
    x = (rng.standard_normal(shape) * 2).astype(np.float32)
    # What is no number, or not finite, in some places.
    for special in (np.nan, np.inf, -np.inf, -0.0):
        x[rng.random(shape) < 0.01] = special
    return stored(x, dtype)


def model():
    """All works of both dtypes, of rows of n and, where it says so, of a length known when code is generated."""
    made = {"opgen": 1, "name": "rows", "dims": {"m": {"max": 16}, "n": {"max": 2000}}, "inputs": {}, "nodes": [], "outputs": []}
    for dtype in ("f16", "bf16"):
        for name, (beside, nodes, _, _) in WORKS.items():
            for width in ("n", *(width for of, width in KNOWN if of == name)):
                key = f"{name}_{dtype}_{width}"
                for one, shape in {"x": ["m", "n"], **beside}.items():
                    made["inputs"][f"{key}_{one}"] = {"dtype": dtype, "shape": [width if d == "n" else d for d in shape]}
                made["nodes"] += [{**one, "in": [f"{key}_{given}" for given in one["in"]], "out": f"{key}_{one['out']}"} for one in nodes]
                made["outputs"].append(f"{key}_out")
    return made


def drawn_for(given, width, rng):
    sizes = {"m": int(rng.integers(2, 9)), "n": width}
    return {name: drawn(rng, [sizes.get(d, d) for d in one["shape"]], one["dtype"]) for name, one in given["inputs"].items()}


def run(folder, given, compiler):
    where = os.path.join(folder, "".join(c if c.isalnum() else "_" for c in compiler))
    # Apart: each has the function that it would have alone.
    built = subprocess.run([OPGEN, "compile", "rows.json", "-o", where, "--without=beside", f"--cc={cc.of_kernels(compiler)}"], cwd=folder, capture_output=True, text=True, timeout=600)
    check(f"{compiler}: status {built.returncode}", built.returncode == 0, built.stderr[:2000])
    for width in WIDTHS if built.returncode == 0 else ():
        inputs = drawn_for(given, width, np.random.default_rng(width))
        np.savez(os.path.join(folder, "in.npz"),
                 **{name: bits.view(np.float16) if given["inputs"][name]["dtype"] == "f16" else bits.view("V2") for name, bits in inputs.items()})
        ran = subprocess.run([OPGEN, "run", built.stdout.strip(), "--in=in.npz", "--out=out.npz"], cwd=folder, capture_output=True, text=True, timeout=600)
        check(f"{compiler}, rows of {width}: status {ran.returncode}", ran.returncode == 0, ran.stderr[:2000])
        if ran.returncode:
            continue
        with np.load(os.path.join(folder, "out.npz")) as got:
            for out in given["outputs"]:
                compare(out, width, compiler, inputs, got[out].view(np.uint16))


def compare(out, width, compiler, inputs, bits):
    key = out.removesuffix("_out")
    name, dtype, _ = key.rsplit("_", 2)
    beside, _, function, off = WORKS[name]
    with np.errstate(all="ignore"):
        want = stored(function(*[loaded(inputs[f"{key}_{one}"], dtype) for one in ["x", *beside]]), dtype)
    far = np.where(np.isnan(loaded(want, dtype)) & np.isnan(loaded(bits, dtype)), 0, np.abs(place(bits) - place(want)))
    check(f"{key}, rows of {width}, by {compiler}", far.max() <= off, f"{np.count_nonzero(far > off)} of {far.size} are off, by up to {far.max()}, first at {np.argmax(far)}")


def main():
    given = model()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "rows.json"), "w", encoding="utf-8") as file:
            json.dump(given, file)
        run(folder, given, "gcc -march=native -DOPGEN_STREAM_BYTES=1024 -DOPGEN_TAKE_TURNS=0")
        os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
        run(folder, given, f"gcc -march=x86-64-v3 -DOPGEN_STREAM_BYTES={1 << 30}")
        run(folder, given, f"{'clang' if shutil.which('clang') else 'gcc'} -DOPGEN_NO_CLONES -DOPGEN_STREAM_BYTES=1024 -DOPGEN_TAKE_TURNS=1")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


main()
