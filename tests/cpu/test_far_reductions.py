#!/usr/bin/python3
"""Reductions of what no cache holds, all ways of going through memory (pages by turns, one row after the other, or as the processor sees
ahead), beside NumPy in f64.

    OPGEN=build/opgen tests/cpu/test_far_reductions.py

Over the first, a middle and the last dim, of lengths that end anywhere in a piece, a tile or a vector. "Far" is what has more than a
kilobyte here, so that small arrays take the ways of large ones. Sums of floats within what their order can make, all else exactly;
and sums of columns with an infinity or NaN in them.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cc

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}
# Of a result, as it is stored, and of what was added up to it.
ROUNDED = {"f16": 2.0**-10, "f32": 2.0**-20, "f64": 2.0**-48, "i8": 0, "i32": 0}
ADDED = {"f16": 2.0**-21, "f32": 2.0**-21, "f64": 2.0**-50, "i8": 0, "i32": 0}
OPS = {"sum": np.sum, "amax": np.max, "argmax": np.argmax, "argmin": np.argmin, "any": lambda x, dim: (x != 0).any(dim), "count_nonzero": lambda x, dim: np.count_nonzero(np.maximum(x, 0), dim), "var": lambda x, dim: x.var(dim, ddof=1), "norm": lambda x, dim: np.sqrt((x * x).sum(dim))}
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def shapes(rng):
    """Shape and dim: few wide rows, many narrow ones, 1000 columns, three dims, rows themselves, and rows wider than what is folded at once."""
    wide, narrow, any_ = (int(rng.integers(low, high)) for low, high in [(4000, 9000), (1, 140), (100, 700)])
    yield (int(rng.integers(9, 40)), wide), 0
    yield (int(rng.integers(9, 300)), narrow), 0
    yield (int(rng.integers(9, 300)), 1000), 0
    yield (3, 41, any_), int(rng.integers(0, 2))
    yield (5, int(rng.integers(40, 20000))), 1
    yield (int(rng.integers(9, 20)), int(rng.integers(20000, 140000))), 0


def works(rng):
    for dtype, kind in DTYPES.items():
        for op, function in OPS.items():
            if op in ("var", "norm") and dtype[0] == "i":
                continue
            for shape, dim in [list(shapes(rng))[int(rng.integers(6))], list(shapes(rng))[0 if op == "argmax" else 2]]:
                x = (rng.normal(size=shape) * (3 if dtype[0] == "f" else 30)).astype(kind)
                if op == "any":
                    x[rng.random(shape) < 0.99] = 0
                if dtype[0] == "f" and rng.random() < 0.5:
                    x[(*([0] * (len(shape) - 1)), -1)], x[(-1,) * len(shape)] = np.inf, np.nan
                with np.errstate(invalid="ignore"):
                    yield op, dtype, shape, dim, x, function(x.astype(np.float64), dim)


def run(folder, made, flags):
    names = [f"w{i}" for i in range(len(made))]
    model = {"opgen": 1, "name": "far", "inputs": {}, "nodes": [], "outputs": [f"{n}_out" for n in names]}
    for name, (op, dtype, shape, dim, x, _) in zip(names, made):
        model["inputs"][name] = {"dtype": dtype, "shape": list(shape)}
        if op == "count_nonzero":  # of something computed: 16-bit floats are converted then
            model["nodes"].append({"op": "relu", "in": name, "out": f"{name}_at_least_0"})
            name = f"{name}_at_least_0"
        model["nodes"].append({"op": op, "in": name, "out": f"{name.removesuffix('_at_least_0')}_out", "attrs": {"dim": dim}})
    with open(os.path.join(folder, "far.json"), "w") as out:
        json.dump(model, out)
    np.savez(os.path.join(folder, "in.npz"), **{n: w[4] for n, w in zip(names, made)})
    done = subprocess.run([OPGEN, "compile", "far.json", "-o", "made", "--cc", cc.of_kernels(f"gcc -DOPGEN_STREAM_BYTES=1024 {flags}")],
                          cwd=folder, capture_output=True, text=True)
    check(f"compile {flags}", done.returncode == 0, done.stderr[-2000:])
    if done.returncode:
        return
    ran = subprocess.run([OPGEN, "run", done.stdout.strip(), "--in=in.npz", "--out=out.npz"], cwd=folder, capture_output=True, text=True)
    check(f"run {flags}", ran.returncode == 0, ran.stderr[-2000:])
    if ran.returncode:
        return
    with np.load(os.path.join(folder, "out.npz")) as got:
        for name, (op, dtype, shape, dim, x, want) in zip(names, made):
            result = got[f"{name}_out"].astype(np.float64)
            with np.errstate(invalid="ignore"):
                off = {"var": ROUNDED[dtype] * want, "norm": ROUNDED[dtype] * want, "sum": ROUNDED[dtype] * np.abs(want) + ADDED[dtype] * np.abs(x.astype(np.float64)).sum(dim)}
                near = np.abs(result - want) <= off.get(op, 0)
                good = result.shape == want.shape and np.all(near | (result == want) | np.isnan(result) & np.isnan(want))
            check(f"{op} of {dtype} {shape} over {dim}, {flags}", good, f"{np.count_nonzero(result != want)} of {want.size} differ")


made = list(works(np.random.default_rng(23)))
with tempfile.TemporaryDirectory() as work:
    # -O2: the versions of loops that -O3 adds take as long again; test_large.sh has them.
    run(work, made, "-O2 -march=native -DOPGEN_TAKE_TURNS=0")
    os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
    run(work, made[::2], "-DOPGEN_NO_CLONES -DOPGEN_TAKE_TURNS=1")
    run(work, made[1::2], "-DOPGEN_NO_CLONES -DOPGEN_TAKE_TURNS=2")
    run(work, made, "-march=native -DOPGEN_TAKE_TURNS=3")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
