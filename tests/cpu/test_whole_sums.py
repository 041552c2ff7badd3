#!/usr/bin/python3
"""Sums and means of integers of 8 and 16 bits, and of truths, that were made floats (reduce_whole.c.j2), beside NumPy: bit by bit, for such sums are exact.

    OPGEN=build/opgen tests/cpu/test_whole_sums.py

Along rows, columns, a middle dim and all there is, of lengths that end anywhere in a vector, and of some whose sums f32 would not hold on the way; none at all
is 0. "Far" is what has more than a kilobyte here.
"""

import os
import sys
import tempfile

import numpy as np

import models

KINDS = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "bool": np.bool_}
FLOATS = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
SHAPES = [((3, 100), 1), ((70, 63), 1), ((200, 65), 1), ((5, 1000), 1), ((2, 70001), 1), ((129, 33), 1), ((4, 0), 1), ((100, 3), 0), ((300, 70), 0), ((1000, 130), 0), ((70001, 2), 0), ((40, 1025), 0), ((0, 5), 0),
          ((3, 70, 40), 1), ((20, 9, 3), 1), ((300, 500), None), ((1, 1), None)]
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def works(rng):
    """name, operand, its dtype, the floats' dtype, fold, dim, what is wanted"""
    for number, (shape, dim) in enumerate(SHAPES):
        for again, (dtype, of) in enumerate(KINDS.items()):
            # All of the greatest where that is most: a sum of floats would round.
            most = np.iinfo(of).max if dtype != "bool" else 1
            least = 0 if dtype == "bool" else np.iinfo(of).min
            x = rng.integers(most - 3 if number % 3 == 0 and most > 9 else least, most, shape, endpoint=True).astype(of)
            to = ["f32", "f32", "f64", "f16"][(number + again) % 4] if most <= 255 else ["f32", "f64"][(number + again) % 2]
            fold = "mean" if (number + again) % 3 == 1 and x.size else "sum"
            total, count = x.sum(axis=dim, dtype=np.int64), x.size if dim is None else shape[dim]
            within = np.float64 if to == "f64" else np.float32
            want = total.astype(within) / within(count) if fold == "mean" else total.astype(within)
            with np.errstate(over="ignore"):
                yield f"{fold}_{dtype}_{to}_{'x'.join(map(str, shape))}", x, dtype, to, fold, dim, want.astype(FLOATS[to])


def run(folder, made, flags):
    model = {"opgen": 1, "name": "whole", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}
    for name, x, dtype, to, fold, dim, _ in made:
        sizes = [f"{name}_{i}" for i in range(x.ndim)]
        model["dims"] |= {size: {"min": 0, "max": 1 << 20} for size in sizes}
        model["inputs"][f"x_{name}"] = {"dtype": dtype, "shape": sizes}
        model["nodes"] += [{"op": "cast", "in": f"x_{name}", "attrs": {"dtype": to}, "out": f"c_{name}"},
                           {"op": fold, "in": f"c_{name}", "attrs": {} if dim is None else {"dim": dim}, "out": f"r_{name}"}]
        model["outputs"].append(f"r_{name}")
    out = models.results(folder, model, {f"x_{one[0]}": one[1] for one in made}, flags, check)
    if out is None:
        return
    for name, _, _, _, _, _, want in made:
        got = out[f"r_{name}"]
        good = got.shape == want.shape and bool(np.all(np.abs(got.astype(np.float64) - want) <= np.spacing(np.abs(want))) if name.startswith("mean") else np.array_equal(got, want))
        check(f"{name}, {flags}", good, f"got {got.ravel()[:4]}, wanted {want.ravel()[:4]}")


made = list(works(np.random.default_rng(61)))
os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
with tempfile.TemporaryDirectory() as work:
    run(work, made[::2], "-march=native -DOPGEN_TAKE_TURNS=0")
    models.each_has(work, "whole", "opgen_add_i64(", check)
    run(work, made[1::4], "-march=x86-64-v3 -DOPGEN_TAKE_TURNS=1")
    run(work, made[3::4], "-DOPGEN_TAKE_TURNS=2")
    run(work, made[2::7], "-DOPGEN_NO_CLONES")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
