#!/usr/bin/python3
"""Maps of one input of 8 bits, whose 256 results are looked up (opgen_lookup.h), beside NumPy.

    OPGEN=build/opgen tests/cpu/test_lookup.py

Functions of i8, u8 and bool; and chains as quantised models have them: from 8 bits by a scale, which is a tensor of one number or a constant, and a
function, to f32, f16, bf16 and back to 8 bits. Results are as near to what they should be as they are elsewhere, and one value has one result,
wherever it stands. "Far" is what has more than a kilobyte here. Sizes end anywhere in a vector, begin at 1, and pass where looking up begins.
"""

import glob
import os
import sys
import tempfile

import numpy as np

import models
from models import cc

KINDS = {"i8": np.int8, "u8": np.uint8, "bool": np.bool_}
sigmoid = lambda x: 1 / (1 + np.exp(-x))
FUNCTIONS = {"tanh": np.tanh, "sigmoid": sigmoid, "exp": np.exp, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "acosh": np.arccosh,
             "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "atan": np.arctan, "expm1": np.expm1}
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def works(rng):
    """name, nodes, operands, what is wanted as doubles, how far off it may be, dtype of the result"""
    for kind, of in KINDS.items():
        for op, function in FUNCTIONS.items():
            n = int(rng.choice([1, 4090, 5000, 70001])) + int(rng.integers(0, 9))
            x = (rng.random(n) < 0.5) if kind == "bool" else rng.integers(np.iinfo(of).min, np.iinfo(of).max, n, dtype=of, endpoint=True)
            with np.errstate(all="ignore"):
                yield f"{op}_{kind}", [{"op": op, "in": "x"}], [x], function(x.astype(np.float64)), 2.0**-20, "f32"
    for to, off in ("f32", 2.0**-20), ("f16", 2.0**-10), ("bf16", 2.0**-7):
        n = int(rng.integers(4096, 9000))
        x, scale = rng.integers(-128, 128, n, dtype=np.int8), np.array(rng.random() / 20 + 0.01, np.float32)
        nodes = [{"op": "cast", "in": "x", "attrs": {"dtype": "f32"}}, {"op": "mul", "in": ["", "s"]}, {"op": "tanh", "in": ""},
                 {"op": "cast", "in": "", "attrs": {"dtype": to}}]
        yield f"scaled_tanh_{to}", nodes, [x, scale], np.tanh(x.astype(np.float64) * scale), off, to
    for kind in "i8", "u8":
        n = int(rng.integers(4096, 90000))
        of = np.iinfo(KINDS[kind])
        x, scale = rng.integers(of.min, of.max, n, dtype=KINDS[kind], endpoint=True), np.array(0.0371, np.float32)
        nodes = [{"op": "cast", "in": "x", "attrs": {"dtype": "f32"}}, {"op": "mul", "in": ["", "s"]}, {"op": "sigmoid", "in": ""},
                 {"op": "mul", "in": ["", 117.3]}, {"op": "round", "in": ""}, {"op": "cast", "in": "", "attrs": {"dtype": kind}}]
        yield f"requantised_{kind}", nodes, [x, scale], np.rint(sigmoid(x * np.float64(scale)) * 117.3), 0, kind


def run(folder, made, flags):
    model = {"opgen": 1, "name": "looked_up", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}
    inputs = {}
    for name, nodes, operands, _, _, to in made:
        for one, x in zip(("x", "s"), operands):
            kind = x.dtype.name.replace("uint", "u").replace("int", "i").replace("float", "f")
            model["inputs"][f"{name}_{one}"] = {"dtype": kind, "shape": [name] * x.ndim}
            inputs[f"{name}_{one}"] = x
        model["dims"][name] = {"max": 1 << 20}
        before = ""
        for i, node in enumerate(nodes):
            names = {"": before, "x": f"{name}_x", "s": f"{name}_s"}
            given = node["in"] if isinstance(node["in"], list) else [node["in"]]
            before = f"{name}_{i}"
            model["nodes"].append({**node, "in": [names[g] if isinstance(g, str) else g for g in given], "out": before})
        model["outputs"].append(before)
    out = models.results(folder, model, inputs, flags, check)
    if out is None:
        return
    for (name, _, operands, want, off, to), output in zip(made, model["outputs"]):
        got, x = out[output], operands[0]
        with np.errstate(all="ignore"):
            want = want.astype(np.float32) if want.dtype.kind == "f" else want
            number = (got.view(np.uint16).astype(np.uint32) << 16).view(np.float32) if to == "bf16" else got
            near = np.abs(number.astype(np.float64) - want) <= off * np.maximum(np.abs(want), 1e-30)
            good = got.shape == want.shape and bool(np.all(near | (number == want) | (np.isnan(number) & np.isnan(want))))
        check(f"{name} of {len(want)}, {flags}", good, f"got {number[:5]}, wanted {want[:5]}, first wrong at {np.argmin(near)}")
        bits = got.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[got.itemsize])
        which = x.view(np.uint8)
        first = np.zeros(256, bits.dtype)
        first[which] = bits
        check(f"{name}, {flags}: one value has one result", np.array_equal(first[which], bits))


def is_written(folder):
    """All of these look up: what would be computed in any case would prove nothing."""
    kernels = glob.glob(os.path.join(folder, "made", "looked_up", "k_*.c"))
    check("there are kernels", kernels)
    for path in kernels:
        with open(path, encoding="utf-8") as file:
            check(f"{os.path.basename(path)} looks up", "opgen_look_up(" in file.read())


made = list(works(np.random.default_rng(43)))
with tempfile.TemporaryDirectory() as work:
    # -O2: the versions of loops that -O3 adds take as long again; test_large.sh has them.
    run(work, made, "-O2 -march=native -DOPGEN_TAKE_TURNS=0")
    is_written(work)
    os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
    run(work, made[::2], "-march=native -DOPGEN_TAKE_TURNS=1")
    run(work, [*made[1:-4:4], *made[-4:]], "-DOPGEN_TAKE_TURNS=2")
    run(work, made[::5], "-DOPGEN_NO_CLONES")
    run(work, made[::3], "-march=x86-64-v3")  # each by itself
    run(work, made[1::6], "-march=x86-64-v3 -DOPGEN_TAKE_TURNS=1")
there = "avx512_vbmi" in cc.processor()
if not there:
    print("skipped: this processor has no AVX-512 VBMI: nothing was looked up by vectors")
print(f"{passed} passed, {failed} failed, {0 if there else 1} skipped")
sys.exit(1 if failed or not passed else 0)
