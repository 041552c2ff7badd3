#!/usr/bin/python3
"""Sums of integers of 8 and 16 bits and of booleans, which blocks of rows make in fewer bits than the 64 of what they are, and running ones.

    OPGEN=build/opgen tests/ops/test_sums_of_few_bits.py

Beside NumPy, exactly: of the greatest numbers that there are, of the least, and of any; along rows and columns shorter and longer than
blocks, of conditions too; by gcc and by clang where it is there.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
DTYPES = {"u8": np.uint8, "i8": np.int8, "bool": np.bool_, "i16": np.int16, "u16": np.uint16}
SHAPES = [(3, 7), (70000, 2), (2, 70000), (600, 140), (2, 700, 17), (900, 5), (500, 13), (300, 31)]
# Sizes that are known when code is generated; others are dims, and share what is compiled.
KNOWN = [("u8", (2, 70000)), ("bool", (2, 70000)), ("bool", (70000, 2))]
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def model():
    dims, inputs, nodes = {}, {}, []
    for dtype in DTYPES:
        for i, shape in enumerate(SHAPES):
            x = f"{dtype}_{i}"
            named = [f"d{i}_{dim}" for dim in range(len(shape))]
            inputs[x] = {"dtype": dtype, "shape": list(shape) if (dtype, shape) in KNOWN else named}
            dims.update({name: {"max": 100000} for name in named})
            for dim in range(len(shape)):
                nodes.append({"op": "sum", "in": [x], "out": f"{x}_sum{dim}", "attrs": {"dim": [dim]}})
                nodes.append({"op": "cumsum", "in": [x], "out": f"{x}_cumsum{dim}", "attrs": {"dim": dim}})
            nodes.append({"op": "sum", "in": [x], "out": f"{x}_all"})
            if dtype == "i16":
                nodes.append({"op": "gt", "in": [x, 5], "out": f"{x}_gt"})
                nodes.append({"op": "sum", "in": [f"{x}_gt"], "out": f"{x}_count", "attrs": {"dim": [0]}})
    return {"opgen": 1, "name": "sums", "dims": dims, "inputs": inputs, "nodes": nodes, "outputs": [n["out"] for n in nodes if n["op"] in ("sum", "cumsum")]}


def arrays(kind, rng):
    made = {}
    for dtype, of in DTYPES.items():
        low, high = (0, 1) if dtype == "bool" else (np.iinfo(of).min, np.iinfo(of).max)
        for i, shape in enumerate(SHAPES):
            made[f"{dtype}_{i}"] = (rng.integers(low, high + 1, shape) if kind == "any" else np.full(shape, high if kind == "greatest" else low)).astype(of)
    return made


def wanted(given):
    made = {}
    for x, array in given.items():
        for dim in range(array.ndim):
            made[f"{x}_sum{dim}"] = array.sum(dim, dtype=np.int64)
            made[f"{x}_cumsum{dim}"] = array.cumsum(dim, dtype=np.int64)
        made[f"{x}_all"] = array.sum(dtype=np.int64)
        if x.startswith("i16"):
            made[f"{x}_count"] = (array > 5).sum(0, dtype=np.int64)
    return made


def main():
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "sums.json"), "w", encoding="utf-8") as file:
            json.dump(model(), file)
        for compiler in compilers:
            done = subprocess.run([OPGEN, "compile", "sums.json", "-o", compiler, "--cc", f"{compiler} -march=native"], cwd=folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "CFLAGS": "-O2"})  # the versions of loops that -O3 adds take as long again
            check(f"{compiler} compiles it", done.returncode == 0, done.stderr)
            for kind in ("greatest", "least", "any") if done.returncode == 0 else ():
                given = arrays(kind, np.random.default_rng(3))
                np.savez(os.path.join(folder, "in.npz"), **given)
                ran = subprocess.run([OPGEN, "run", done.stdout.strip(), "--in=in.npz", "--out=out.npz"], cwd=folder, capture_output=True, text=True, check=False)
                check(f"{compiler}: it runs", ran.returncode == 0, ran.stderr)
                if ran.returncode != 0:
                    continue
                with np.load(os.path.join(folder, "out.npz")) as got:
                    for name, sums in wanted(given).items():
                        check(f"{compiler}, {kind}: {name}", got[name].dtype == np.int64 and np.array_equal(got[name], sums), got[name], sums)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
