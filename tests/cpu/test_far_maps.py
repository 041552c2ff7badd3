#!/usr/bin/python3
"""Maps of what no cache holds, of functions of floats and doubles, and that compute little, all ways of going through memory, beside NumPy.

    OPGEN=build/opgen tests/cpu/test_far_maps.py

What is one number, or what is read unchanged (relu of unsigned integers), goes to memory without a block that would be filled for nothing;
a choice of truths; functions of floats, by themselves and between a sum and a product, and of doubles, some of operands that are further than what
is computed by vectors. "Far" is what has more than a
kilobyte here, so that small arrays take the ways of large ones; sizes end anywhere in a block or a vector.
"""

import glob
import math
import os
import sys
import tempfile

import numpy as np

import models

UNSIGNED = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}
erf = np.vectorize(math.erf)
softplus = lambda x: np.where(x > 20, x, np.log1p(np.exp(np.minimum(x, 20))))
DOUBLES = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "tanh": np.tanh,
    "sinh": np.sinh, "cosh": np.cosh, "erf": erf, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)), "gelu": lambda x: 0.5 * x * (1 + erf(x * math.sqrt(0.5))), "softplus": softplus,
    "logsigmoid": lambda x: -np.logaddexp(0, -x), "mish": lambda x: x * np.tanh(softplus(x))}
FLOATS = ["exp", "exp2", "expm1", "log", "log2", "tanh", "erf", "sin", "cos", "sigmoid", "silu", "gelu", "softplus", "logsigmoid", "mish"]
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def works(rng):
    """name, op, attributes, operands, what is wanted, how far off it may be: of that or the operand, or an array."""
    size = lambda: int(rng.integers(300, 9000))
    for dtype, kind in UNSIGNED.items():
        for op in "relu", "abs":
            x = rng.integers(0, np.iinfo(kind).max, size(), dtype=kind, endpoint=True)
            yield f"{op}_{dtype}", op, {}, [x], x, 0
        x = rng.integers(0, 9, size(), dtype=kind)
        yield f"isinf_{dtype}", "isinf", {}, [x], np.zeros(len(x), bool), 0
    for dtype, kind in ("f32", np.float32), ("f64", np.float64), ("f16", np.float16), ("i16", np.int16):
        x = rng.integers(0, 9, size()).astype(np.float32)
        yield f"full_{dtype}", "full_like", {"fill_value": 3, "dtype": dtype}, [x], np.full(len(x), 3, kind), 0
        yield f"zeros_{dtype}", "zeros_like", {"dtype": dtype}, [x], np.zeros(len(x), kind), 0
    test, a, b = (rng.random((3, size())) < 0.5)
    yield "where_bool", "where", {}, [test, a, b], np.where(test, a, b), 0
    for op, function in DOUBLES.items():
        x = rng.normal(size=size()) * 10.0 ** rng.integers(-3, 2)
        if op in ("sin", "cos", "tan"):
            x[rng.integers(0, len(x), 3)] = [1e300, -3e9, 2.0**26 + 1]
        if op in ("asin", "acos", "atanh", "log", "log2", "log10", "acosh"):
            x = np.abs(np.sin(x)) + (op == "acosh")
        x[rng.integers(0, len(x), 2)] = np.nan
        with np.errstate(all="ignore"):
            yield f"{op}_f64", op, {}, [x], function(x), 2.0**-49
    for op in FLOATS:
        n = size()
        x, w = rng.normal(size=n).astype(np.float32) * 3, rng.normal(size=n).astype(np.float32)
        x[rng.integers(0, n, 3)] = [np.nan, 30, 1000 if op != "exp" else 80]
        if op in ("log", "log2"):
            x, w = np.abs(x), np.abs(w)
        with np.errstate(all="ignore"):
            yield f"{op}_f32", op, {}, [x], DOUBLES[op](x.astype(np.float64)).astype(np.float32), 2.0**-20
            x, w = x[1:], w[1:]  # of the same size they would be one kernel
            inner = (x + w).astype(np.float64)
            want = (DOUBLES[op](inner) * w).astype(np.float32)
            yield f"fused_{op}", ["add", op, "mul"], {}, [x, w], want, 2.0**-20 * np.maximum(np.abs(inner) * np.abs(w), 1 + np.abs(want))


def run(folder, made, flags):
    model = {"opgen": 1, "name": "far", "inputs": {}, "nodes": [], "outputs": [f"{w[0]}_out" for w in made]}
    inputs = {}
    for name, op, attributes, operands, _, _ in made:
        given = [f"{name}_{i}" for i in range(len(operands))]
        for one, x in zip(given, operands):
            kind = x.dtype.name.replace("uint", "u").replace("int", "i").replace("float", "f")
            model["inputs"][one] = {"dtype": kind, "shape": [len(x)]}
            inputs[one] = x
        if isinstance(op, list):
            first, middle, end = op
            model["nodes"].append({"op": first, "in": given, "out": f"{name}_sum"})
            model["nodes"].append({"op": middle, "in": f"{name}_sum", "out": f"{name}_of"})
            model["nodes"].append({"op": end, "in": [f"{name}_of", given[1]], "out": f"{name}_out"})
            continue
        model["nodes"].append({"op": op, "in": given if len(given) > 1 else given[0], "out": f"{name}_out", "attrs": attributes})
    out = models.results(folder, model, inputs, flags, check)
    if out is None:
        return
    for name, _, _, operands, want, off in made:
        got = out[f"{name}_out"]
        good = got.shape == want.shape and got.dtype == want.dtype
        good = good and (np.array_equal(np.isnan(got), np.isnan(want)) if want.dtype.kind == "f" else np.array_equal(got, want))
        if good and want.dtype.kind == "f":
            number = ~np.isnan(want)
            with np.errstate(invalid="ignore"):
                room = off if isinstance(off, np.ndarray) else off * np.maximum(np.abs(want), np.abs(operands[0].astype(np.float64)) * (off > 0))
                near = np.abs(got - want) <= room
            good = bool(np.all(near[number] | (got == want)[number]))
        check(f"{name} of {len(want)}, {flags}", good, f"got {got[:5]}, wanted {want[:5]}")


def fills(folder):
    """Nothing is computed where blocks go by: what stands in them was written before."""
    for name in "relu_u8", "isinf_", "full_like_", "zeros_like_":
        found = [open(path, encoding="utf-8").read() for path in glob.glob(os.path.join(folder, "made", "far", f"k_*{name}*.c"))]
        check(f"there is a kernel of {name}", found)
        for text in found:
            blocks = text.split("while (opgen_next_block(", 1)[-1].split("if (stream) opgen_stream_end();")[0]
            check(f"{name} is streamed and not computed by blocks", "opgen_stream(" in blocks and "for (" not in blocks, blocks)


made = list(works(np.random.default_rng(29)))
names = {name for op in FLOATS for name in (f"{op}_f32", f"fused_{op}")}
floats, little = [one for one in made if one[0] in names], [one for one in made if one[0] not in names]
with tempfile.TemporaryDirectory() as work:
    run(work, little + floats[::4], "-march=native -DOPGEN_TAKE_TURNS=0")
    fills(work)
    os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
    run(work, little[::3] + floats[1::4], "-DOPGEN_NO_CLONES -DOPGEN_TAKE_TURNS=1")
    run(work, little[1::3] + floats[2::4], "-march=native -DOPGEN_TAKE_TURNS=3")
    run(work, floats, "-march=x86-64-v3 -DOPGEN_TAKE_TURNS=2")
    run(work, floats[3::4], "-DOPGEN_TAKE_TURNS=2")  # a version for each kind of processor, as users have them
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
