#!/usr/bin/python3
"""The greatest size of floats (reduce_size.c.j2) beside NumPy, bit by bit: what is no number is greater than infinity, whatever its sign.

    OPGEN=build/opgen tests/cpu/test_sizes.py

Along rows, columns, a middle dim and all there is, of lengths that end anywhere in a vector; as the greatest of what an operator before it has made, and as
norms of that order, of which that of nothing is 0. Some rows are all of what is below the normal numbers, some all 0 of either sign. "Far" is what has more than a kilobyte here.
"""

import os
import sys
import tempfile

import numpy as np

import models

BITS = {"f16": (np.uint16, 0x7C00), "bf16": (np.uint16, 0x7F80), "f32": (np.uint32, 0x7F800000), "f64": (np.uint64, 0x7FF0000000000000)}
FLOATS = {"f16": np.float16, "bf16": "V2", "f32": np.float32, "f64": np.float64}
SHAPES = [((3, 100), 1), ((70, 63), 1), ((200, 65), 1), ((100, 33), 1), ((90, 216), 1), ((40, 9), 1), ((5, 1000), 1), ((2, 70001), 1), ((129, 17), 1), ((0, 4), 1), ((4, 0), 1), ((100, 3), 0), ((300, 70), 0),
          ((1000, 130), 0), ((70001, 2), 0), ((40, 1025), 0), ((3, 70, 40), 1), ((20, 9, 3), 1), ((300, 500), None), ((1, 1), None)]
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def works(rng):
    """name, operand as bits, its dtype, dim, the greatest size as bits"""
    for number, (shape, dim) in enumerate(SHAPES):
        for dtype, (of, infinity) in BITS.items():
            # Anything, now and then infinite or no number; some all small, some all 0.
            x = rng.integers(0, infinity, shape, dtype=of)
            x = np.where(rng.random(shape) < 0.3 / max(1, x.size**0.5), infinity + rng.integers(0, 2, shape, dtype=of) * 77, x).astype(of)
            if number % 4 == 1:
                x = (x % 5).astype(of)
            elif number % 7 == 3:
                x = np.zeros_like(x)
            top = of(1) << of(8 * x.itemsize - 1)
            want = x.max(axis=dim, initial=0) if number != 9 else np.zeros(0, of)
            yield f"{dtype}_{'x'.join(map(str, shape))}", x + rng.integers(0, 2, shape, dtype=of) * top, dtype, dim, want


def run(folder, made, flags):
    model = {"opgen": 1, "name": "sizes", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}
    for name, x, dtype, dim, want in made:
        sizes = [f"{name}_{i}" for i in range(x.ndim)]
        model["dims"] |= {size: {"min": 0, "max": 1 << 20} for size in sizes}
        model["inputs"][f"x_{name}"] = {"dtype": dtype, "shape": sizes}
        attrs = {} if dim is None else {"dim": dim}
        if x.size or not want.size:
            model["nodes"] += [{"op": "abs", "in": f"x_{name}", "out": f"a_{name}"}, {"op": "amax", "in": f"a_{name}", "attrs": attrs, "out": f"r_{name}"}]
            model["outputs"].append(f"r_{name}")
        model["nodes"].append({"op": "norm", "in": f"x_{name}", "attrs": {**attrs, "p": "inf"}, "out": f"n_{name}"})
        model["outputs"].append(f"n_{name}")
    out = models.results(folder, model, {f"x_{name}": x.view(FLOATS[dtype]) for name, x, dtype, _, _ in made}, flags, check)
    if out is None:
        return
    for name, _, dtype, _, want in made:
        of, infinity = BITS[dtype]
        for kind in "rn":
            if f"{kind}_{name}" not in out:
                continue
            got = np.ascontiguousarray(out[f"{kind}_{name}"]).view(of).reshape(out[f"{kind}_{name}"].shape)
            size = got & ~(of(1) << of(8 * got.itemsize - 1))
            good = got.shape == want.shape and bool(np.all(np.where(want > infinity, size > infinity, got == want)))
            check(f"{kind} {name}, {flags}", good, f"got {got.ravel()[:4]}, wanted {want.ravel()[:4]}")


made = list(works(np.random.default_rng(67)))
os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
with tempfile.TemporaryDirectory() as work:
    run(work, made[::3], "-march=native -DOPGEN_TAKE_TURNS=0")
    models.each_has(work, "sizes", "opgen_size_", check)
    run(work, made[1::6], "-march=x86-64-v3 -DOPGEN_TAKE_TURNS=1")
    run(work, made[2::6], "-DOPGEN_TAKE_TURNS=2")
    run(work, made[4::6], "-DOPGEN_NO_CLONES -DOPGEN_TAKE_TURNS=3")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
