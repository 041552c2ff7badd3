#!/usr/bin/python3
"""Rows that integers name, looked up where they are read: in front of every kind of kernel, one function each, the values are NumPy's.

    OPGEN=build/opgen tests/emit/test_lookups.py

Each part of the model is an index_select whose result one operator alone reads, in f32 and f16. What is looked up must not
become a call of its own. Beside them maps with positions of their own (arange) that broadcast to what they are joined with.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
RNG = np.random.default_rng(5)
FLOATS = {"f32": ("f4", 2e-5), "f16": ("f2", 3e-3)}

passed = failed = 0
nodes, inputs, wanted = [], {}, {}


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def node(op, given, out, **attrs):
    nodes.append({"op": op, "in": given, "out": out} | ({"attrs": attrs} if attrs else {}))
    return out


def given(name, array):
    inputs[name] = array
    return name


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def looked_up(name, dtype, read, reference, row=(48,)):
    table, ids = RNG.standard_normal((40, *row)).astype(FLOATS[dtype][0]), RNG.integers(0, 40, 7)
    rows = node("index_select", [given(f"{name}_{dtype}_table", table), given(f"{name}_{dtype}_ids", ids)], f"{name}_{dtype}_rows", dim=0)
    read(rows, f"{name}_{dtype}")
    wanted[f"{name}_{dtype}"] = reference(table[ids].astype("f4")), FLOATS[dtype][1]


def parts(dtype):
    kind = FLOATS[dtype][0]
    matrix, keys, values = (RNG.standard_normal(shape).astype(kind) for shape in ((48, 20), (7, 9, 16), (7, 6, 16)))
    m, k, v = (given(f"{name}_{dtype}", array) for name, array in (("m", matrix), ("k", keys), ("v", values)))
    matrix, keys, values = (array.astype("f4") for array in (matrix, keys, values))
    looked_up("sum", dtype, lambda x, out: node("sum", [x], out, dim=1), lambda x: x.sum(1))
    looked_up("columns", dtype, lambda x, out: node("sum", [x], out, dim=0), lambda x: x.sum(0))
    looked_up("most", dtype, lambda x, out: node("argmax", [x], out, dim=1), lambda x: x.argmax(1))
    looked_up("product", dtype, lambda x, out: node("matmul", [x, m], out), lambda x: x @ matrix)
    looked_up("softmax", dtype, lambda x, out: node("softmax", [x], out, dim=1), softmax)
    looked_up("softmax0", dtype, lambda x, out: node("softmax", [x], out, dim=0), lambda x: softmax(x.T).T)
    looked_up("cumsum", dtype, lambda x, out: node("cumsum", [x], out, dim=1), lambda x: x.cumsum(1))
    looked_up("rms", dtype, lambda x, out: node("rms_norm", [x], out, normalized_shape=[48], eps=1e-5), lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5))
    looked_up("norm", dtype, lambda x, out: node("layer_norm", [x], out, normalized_shape=[48]), lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5))
    looked_up("relu", dtype, lambda x, out: node("relu", [x], out), lambda x: np.maximum(x, 0))
    looked_up("turned", dtype, lambda x, out: node("neg", [node("transpose", [x], f"{out}_t", dim0=0, dim1=1)], out), lambda x: -x.T)
    looked_up("query", dtype, lambda x, out: node("scaled_dot_product_attention", {"query": x, "key": k, "value": k}, out),
              lambda x: softmax(x @ keys.swapaxes(1, 2) / 4) @ keys, (6, 16))
    looked_up("key", dtype, lambda x, out: node("scaled_dot_product_attention", {"query": k, "key": x, "value": v}, out),
              lambda x: softmax(keys @ x.swapaxes(1, 2) / 4) @ values, (6, 16))


def positions():
    x, column = RNG.standard_normal((5, 4)).astype("f4"), RNG.standard_normal((5, 1)).astype("f4")
    given("x", x), given("column", column)
    node("sum", [node("mul", ["x", node("arange", [], "a", end=4)], "x_a")], "times", dim=1)
    node("add", ["column", node("arange", [], "b", end=4)], "beside")
    node("add", [node("sum", ["x"], "x_sum", dim=1, keepdim=True), node("arange", [], "c", end=4)], "behind")
    wanted["times"] = (x * np.arange(4)).sum(1), 1e-5
    wanted["beside"] = column + np.arange(4), 1e-6
    wanted["behind"] = x.sum(1, keepdims=True) + np.arange(4), 1e-5


def dtype_of(array):
    return {"f": "f", "i": "i"}[array.dtype.kind] + str(8 * array.itemsize)


def main():
    for dtype in FLOATS:
        parts(dtype)
    positions()
    with tempfile.TemporaryDirectory() as top:
        model = {"opgen": 1, "name": "lookups", "inputs": {name: {"dtype": dtype_of(array), "shape": list(array.shape)} for name, array in inputs.items()},
                 "nodes": nodes, "outputs": list(wanted)}
        with open(f"{top}/lookups.json", "w", encoding="utf-8") as file:
            json.dump(model, file)
        arguments = [OPGEN, "run", f"{top}/lookups.json", "-o", f"{top}/gen"]
        for name, array in inputs.items():
            np.save(f"{top}/{name}.npy", array)
            arguments += ["--in", f"{name}={top}/{name}.npy"]
        for name in wanted:
            arguments += ["--out", f"{name}={top}/got_{name}.npy"]
        done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "CFLAGS": "-O0 -DOPGEN_NO_CLONES"}, check=False)
        check("the model runs", done.returncode == 0, done.stderr[-2000:])
        if done.returncode:
            return
        for name, (want, room) in wanted.items():
            got = np.load(f"{top}/got_{name}.npy").astype("f8")
            near = got.shape == want.shape and bool((np.abs(got - want) <= room * max(1, np.abs(want).max())).all())
            check(name, near, f"off by {np.abs(got - want).max() if got.shape == want.shape else got.shape}")
        functions = [name for name in os.listdir(f"{top}/gen/lookups") if re.match(r"k_select_at_.*\.c$", name)]
        alone = [name for name in functions if re.match(r"k_select_at_(f|i)\d+_", name)]
        check("what is looked up is no call of its own", functions and not alone, *alone)


main()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
