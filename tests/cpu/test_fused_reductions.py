#!/usr/bin/python3
"""Reductions of what is computed on the way, along rows and columns, beside NumPy in f64.

    OPGEN=build/opgen tests/cpu/test_fused_reductions.py

Sums, extremes and places of a function of what is read, of two tensors, of one or the other as a third says, of a tensor and what a row has one of, and of a tensor and what all rows
share: functions that are made of many elements at once and such that are not, of f32, f64, f16, bf16 and bytes. Rows are of lengths that end anywhere in a
vector, a group or a block, from 1 on, few of them and so many that some are computed at once. "Far" is what has more than a kilobyte here.
"""

import os
import sys
import tempfile

import numpy as np

import models

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "u8": np.uint8}
sigmoid = lambda x: 1 / (1 + np.exp(-x))
# name, nodes of x, w (what all rows share), k (what a row has one of) and y; what they are; a reduction; dtypes
CHAINS = [
    ("squares", [("mul", "x", "x", "a")], lambda x, w, k, y: x * x, "sum", "f32 f16 bf16 f64"),
    ("sizes", [("abs", "x", "a")], lambda x, w, k, y: np.abs(x), "amax", "f32 f16 bf16 f64 i8"),
    ("place_of_size", [("abs", "x", "a")], lambda x, w, k, y: np.abs(x), "argmax", "f32 f16"),
    ("product", [("mul", "x", "w", "a")], lambda x, w, k, y: x * w, "sum", "f32 f16 bf16 f64"),
    ("above_bias", [("add", "x", "w", "a")], lambda x, w, k, y: x + w, "amax", "f32 f16"),
    ("dot", [("mul", "x", "y", "a")], lambda x, w, k, y: x * y, "sum", "f32 f16 f64"),
    ("from_mean", [("sub", "x", "k", "d"), ("mul", "d", "d", "a")], lambda x, w, k, y: (x - k) ** 2, "mean", "f32 f16 f64"),
    ("powers", [("sub", "x", "k", "d"), ("exp", "d", "a")], lambda x, w, k, y: np.exp(x - k), "sum", "f32 f16 bf16 f64"),
    ("sigmoids", [("sigmoid", "x", "a")], lambda x, w, k, y: sigmoid(x), "sum", "f32 f16 f64"),
    ("losses", [("softplus", "x", "s"), ("mul", "x", "y", "p"), ("sub", "s", "p", "a")], lambda x, w, k, y: np.logaddexp(0, x) - x * y, "mean", "f32"),
    ("least_tanh", [("tanh", "x", "a")], lambda x, w, k, y: np.tanh(x), "amin", "f32 f16"),
    ("weighed", [("mul", "x", "w", "a")], lambda x, w, k, y: x * w * k, "sum of k", "f32 f16"),
    ("spread", [("mul", "x", "w", "a")], lambda x, w, k, y: x * w, "var", "f32 f16")]
# The same of bytes as floats.
BYTES = [("floats", [], lambda x, w: x, "sum"), ("scaled", [("mul", "c", "w", "a")], lambda x, w: x * w, "sum"), ("highest", [("add", "c", "w", "a")], lambda x, w: x + w, "amax")]
FOLDS = {"sum": np.sum, "sum of k": np.sum, "mean": np.mean, "amax": np.max, "amin": np.min, "argmax": np.argmax, "var": lambda v, axis: v.var(axis=axis, ddof=1)}
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def narrow(x, dtype):
    """As it is stored; of bf16 its bits."""
    return models.to_bf16(x) if dtype == "bf16" else x.astype(DTYPES[dtype])


def wide(x, dtype):
    return (x.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64) if dtype == "bf16" else x.astype(np.float64)


def works(rng, few):
    """name, nodes, operands by name, the computed elements, reduction, dtype of what is computed."""
    lengths = [1, 7, 31, 47, 48, 63, 64, 65, 100, 127, 128, 129, 200, 255, 257, 511, 513, 1000, 1023, 2049, 4095, 4097, 5000, 16384, 16400]
    for name, nodes, function, fold, dtypes in CHAINS:
        for dtype in dtypes.split():
            for again in range(1 if few else 2):
                columns = int(rng.choice(lengths[1:] if fold == "var" else lengths))
                rows = int(rng.choice([1, 33, 70] if columns > 600 else [3, 70, 129, 200])) + (int(rng.integers(0, 90)) if columns < 600 else 0)
                x, y = (narrow(rng.normal(size=(rows, columns)), dtype) for _ in "xy")
                w, k = narrow(rng.normal(size=columns), dtype), narrow(np.abs(rng.normal(size=(rows, 1))), dtype)  # f16 holds sums of powers above it
                given = {"x": x, "y": y, "w": w, "k": k}
                used = {n for node in nodes for n in node[1:-1]} | ({"k"} if fold == "sum of k" else set())
                elements = function(*(wide(given[n], dtype) for n in "xwky"))
                yield f"{name}_{dtype}_{rows}x{columns}_{again}", nodes, {n: (v, dtype) for n, v in given.items() if n in used}, elements, fold, dtype
    down = [("weighed_down", [("mul", "x", "k", "a")], lambda x, k: x * k, "sum down"), ("squares_down", [("mul", "x", "x", "a")], lambda x, k: x * x, "sum down"),
            ("sizes_down", [("abs", "x", "a")], lambda x, k: np.abs(x), "amax down"), ("spread_down", [("mul", "x", "k", "a")], lambda x, k: x * k, "var down")]
    for name, nodes, function, fold in down:
        for dtype in "f16", "bf16", "f32":
            columns, rows = int(rng.choice([1, 3, 40, 63, 65, 100, 127, 129, 200, 300, 1000, 2100])), int(rng.integers(2, 80))
            x, k = narrow(rng.normal(size=(rows, columns)), dtype), narrow(np.abs(rng.normal(size=(rows, 1))), dtype)
            given = {"x": (x, dtype), "k": (k, dtype)}
            yield f"{name}_{dtype}_{rows}x{columns}", nodes, {n: v for n, v in given.items() if n in nodes[0]}, function(wide(x, dtype), wide(k, dtype)), fold, dtype
    for fold in "sum", "amax":
        for dtype in "f32", "f16":
            columns, rows = int(rng.choice(lengths)), int(rng.integers(1, 200))
            x, k = narrow(rng.normal(size=(rows, columns)), dtype), narrow(rng.normal(size=(rows, 1)), dtype)
            y = rng.integers(0, 2, (rows, columns)).astype(bool)
            given = {"x": (x, dtype), "y": (y, "bool"), "k": (k, dtype)}
            yield f"masked_{fold}_{dtype}_{rows}x{columns}", [("where", "y", "x", "k", "a")], given, np.where(y, wide(x, dtype), wide(k, dtype)), fold, dtype
    for again, (name, nodes, function, fold) in enumerate(BYTES if few else BYTES + BYTES[1:]):
        for dtype in "i8", "u8":
            columns, rows = int(rng.choice(lengths)), int(rng.integers(1, 400))
            x = rng.integers(np.iinfo(DTYPES[dtype]).min, np.iinfo(DTYPES[dtype]).max, (rows, columns), dtype=DTYPES[dtype], endpoint=True)
            w = rng.normal(size=columns).astype(np.float32)
            given = {"x": (x, dtype), **({"w": (w, "f32")} if nodes else {})}
            yield f"{name}_{dtype}_{rows}x{columns}_{again}", [("cast", "x", "c"), *nodes], given, function(x.astype(np.float64), w.astype(np.float64)), fold, "f32"


def run(folder, made, flags):
    model = {"opgen": 1, "name": "fused", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}
    inputs = {}
    for name, nodes, operands, elements, fold, _ in made:
        rows, columns = f"n_{name}", f"m_{name}"
        model["dims"] |= {rows: {"max": 1 << 20}, columns: {"max": 1 << 20}}
        for one, (x, dtype) in operands.items():
            shape = {"x": [rows, columns], "y": [rows, columns], "w": [columns], "k": [rows, 1]}[one]
            model["inputs"][f"{one}_{name}"] = {"dtype": dtype, "shape": shape}
            inputs[f"{one}_{name}"] = x.view("V2") if dtype == "bf16" else x
        for op, *given, out in nodes:
            attrs = {"attrs": {"dtype": "f32"}} if op == "cast" else {}
            model["nodes"].append({"op": op, "in": [f"{g}_{name}" for g in given], "out": f"{out}_{name}", **attrs})
        of_k = fold == "sum of k"  # times what a row has one of, behind the fold
        model["nodes"].append({"op": fold.split()[0], "in": f"{nodes[-1][-1]}_{name}", "out": f"{'s' if of_k else 'r'}_{name}", "attrs": {"dim": 0 if fold.endswith("down") else -1, **({"keepdim": True} if of_k else {})}})
        if of_k:
            model["nodes"].append({"op": "mul", "in": [f"s_{name}", f"k_{name}"], "out": f"r_{name}"})
        model["outputs"].append(f"r_{name}")
    got_all = models.results(folder, model, inputs, flags, check)
    if got_all is None:
        return
    for name, _, operands, elements, fold, dtype in made:
        fold, elements = fold.removesuffix(" down"), elements.T if fold.endswith("down") else elements
        got, want = got_all[f"r_{name}"].reshape(len(elements)), FOLDS[fold](elements, axis=-1)
        if fold == "argmax":
            chosen = elements[np.arange(len(elements)), got]
            # Of what is rounded on the way several may be the greatest.
            good = bool(np.all(elements.max(-1) - chosen <= 2.0**-10 * elements.max(-1)))
        else:
            step = {"f64": 2.0**-45, "f32": 2.0**-18, "f16": 2.0**-9, "bf16": 2.0**-6, "i8": 0}[dtype]
            size = np.mean(np.abs(elements), axis=-1) * (elements.shape[-1] if fold.startswith("sum") else 1) + (np.mean(elements**2, axis=-1) if fold == "var" else 0)
            number = wide(got, dtype)
            good = got.shape == want.shape and bool(np.all(np.abs(number - want) <= step * (np.abs(want) + (size if dtype in ("f32", "f64") else size / 64) + 1e-6)))
        check(f"{name}, {flags}", good, f"got {got[:4]}, wanted {want[:4]}")


rng = np.random.default_rng(53)
with tempfile.TemporaryDirectory() as work:
    # -O2: the versions of loops that -O3 adds take as long again; test_large.sh has them.
    run(work, list(works(rng, False)), "-O2 -march=native -DOPGEN_TAKE_TURNS=0")
    os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
    for first, flags in enumerate(["-march=native -DOPGEN_TAKE_TURNS=1", "-march=x86-64-v3 -DOPGEN_TAKE_TURNS=3"]):
        run(work, list(works(rng, True))[first::2], flags)
    run(work, list(works(rng, True))[1::4], "-DOPGEN_TAKE_TURNS=2")  # versions for all processors take thrice as long
    run(work, list(works(rng, True))[::4], "-DOPGEN_NO_CLONES")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
