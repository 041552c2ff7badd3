#!/usr/bin/python3
"""Maps that make i8 and u8 of floats, and floats of them, many at once (bytes.c.j2), beside NumPy: bit by bit.

    OPGEN=build/opgen tests/cpu/test_bytes.py

Scales are powers of two, so that products are exact and the nearest integer is often in the middle between two; rounded before or after a choice between
whole numbers, between others, and not at all; what is no number, infinite, or beyond i32; of one row, of rows with a factor each, and of rows beside one that
all share. Sizes end anywhere in a vector. "Far" is what has more than a kilobyte here. Of bytes made of 16 bits and of bytes as they are also sums along
a middle dim, all of them the greatest and all the least ones: as many rows as lanes of 16 bits hold, and more.
"""

import glob
import os
import sys
import tempfile

import numpy as np

import models
from models import to_bf16

BYTES = {"i8": np.int8, "u8": np.uint8}
LIMITS = {"i8": (-128, 127), "u8": (0, 255)}
SPECIAL = [np.nan, np.inf, -np.inf, 2.0**31, -(2.0**31), 2.0**31 - 128, -(2.0**31) - 256, 1e20, 2.0**32 + 512, 1022, 1021.9, 1024, -1026, 2, 6, -2, 0.0, -0.0]
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def of_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def byte(x, to):
    """As the documentation says it: towards zero, what is left after wrapping around, 0 for all that i32 does not hold."""
    whole = np.trunc(x)
    held = np.isfinite(whole) & (np.abs(whole) < 2.0**31)
    return (np.where(held, whole, 0).astype(np.int64) & 255).astype(np.uint8).view(BYTES[to])


def floats(rng, shape, dtype):
    """Eighths between those that become bytes and some beyond, and some that never do; as they are stored, and as doubles."""
    x = (rng.integers(-1400, 1400, shape) * 0.75).astype(np.float32)
    at = rng.random(shape) < 0.05
    x[at] = rng.choice(SPECIAL, at.sum())
    with np.errstate(over="ignore"):
        stored = {"f32": lambda: x, "f16": lambda: x.astype(np.float16), "bf16": lambda: to_bf16(x), "i32": lambda: np.nan_to_num(x, nan=9, posinf=77, neginf=-5).clip(-1e6, 1e6).astype(np.int32)}[dtype]()
    return stored, (of_bf16(stored) if dtype == "bf16" else stored).astype(np.float64)


def cast(of, to):
    return {"op": "cast", "in": [of], "attrs": {"dtype": to}}


def clamp(least, most):
    return {"op": "clamp", "in": [""], "attrs": {"min": least, "max": most}}


ROUND = {"op": "round", "in": [""]}


def ends(to):
    """name, nodes that make a byte of a float, and what they make."""
    least, most = LIMITS[to]
    yield "whole", [ROUND, clamp(least, most)], lambda x: np.clip(np.rint(x), least, most)
    yield "between others", [ROUND, clamp(least + 27.5, most - 27.5)], lambda x: np.clip(np.rint(x), least + 27.5, most - 27.5)
    yield "rounded", [ROUND], np.rint
    yield "clamped", [clamp(least, most)], lambda x: np.clip(x, least, most)
    yield "shifted", [ROUND, {"op": "add", "in": ["", 3.0]}, clamp(least, most)], lambda x: np.clip(np.rint(x) + 3, least, most)
    yield "cast", [], lambda x: x


def works(rng):
    """name, dtypes and shapes of what is read, with their arrays; nodes; what is wanted; the result's dtype"""
    size = lambda: int(rng.choice([1, 60, 2000, 5000])) + int(rng.integers(0, 70))
    scale = np.array(0.25, np.float32)
    for number, (dtype, kinds) in enumerate({"f32": BYTES, "f16": ["i8"], "bf16": ["u8"]}.items()):
        for to in kinds:
            for name, nodes, made in ends(to):
                stored, x = floats(rng, size(), dtype)
                yield f"{name}_{dtype}_{to}".replace(" ", "_"), {"x": (dtype, ["n"], stored), "s": ("f32", [], scale)}, [
                    *([cast("x", "f32")] if number else []), {"op": "mul", "in": ["" if number else "x", "s"]}, *nodes, cast("", to)], byte(made(x * 0.25), to), to
    for m in 1, 40, 63, 65, 100, 130, 300, 1000, 2100:
        dtype, to = str(rng.choice(["f32", "f16", "bf16", "i32"])), str(rng.choice(list(BYTES)))
        (name, nodes, made), rows = list(ends(to))[m % 4], int(rng.integers(3, 9))
        for shape in ["n", 1], ["m"]:
            stored, x = floats(rng, (rows, m), dtype)
            by = 2.0 ** rng.integers(-4, 1, (rows, 1) if shape == ["n", 1] else m).astype(np.float32)
            yield f"{'factors' if len(shape) > 1 else 'shared'}_{m}", {"x": (dtype, ["n", "m"], stored), "s": ("f32", shape, by)}, [
                cast("x", "f32"), {"op": "mul", "in": ["", "s"]}, *nodes, cast("", to)], byte(made(x * by), to), to
    for of in BYTES:
        n = size()
        x, y = (rng.integers(*LIMITS[of], n, dtype=BYTES[of], endpoint=True) for _ in "xy")
        least, most = LIMITS[of]
        sums = [cast("x", "f32"), {"op": "mul", "in": ["", "s"]}, cast("y", "f32"), {"op": "mul", "in": ["", 1.5]}, {"op": "add", "in": [1, 3]}]
        total = x * 0.25 + y * 1.5
        both = {"x": (of, ["n"], x), "y": (of, ["n"], y), "s": ("f32", [], scale)}
        yield f"added_{of}", both, [*sums, ROUND, clamp(least, most), cast("", of)], byte(np.clip(np.rint(total), least, most), of), of
        yield f"weighed_{of}", both, [*sums, cast("", of)], byte(total, of), of
        for to, as_stored in ("f16", lambda v: v.astype(np.float16)), ("bf16", to_bf16):
            yield f"sum_{of}_{to}", both, [*sums, cast("", to)], as_stored(total), to
        half = (rng.integers(-64, 64, n) * 0.5).astype(np.float16)
        yield f"beside_{of}_f16", {"x": (of, ["n"], x), "y": ("f16", ["n"], half)}, [cast("x", "f16"), {"op": "add", "in": ["", "y"]}], (x + half.astype(np.float32)).astype(np.float16), "f16"
        for m in 40, 100, 300, 1000:
            x = rng.integers(*LIMITS[of], (5, m), dtype=BYTES[of], endpoint=True)
            by = 2.0 ** rng.integers(-4, 1, m)
            to, stored = ("f16", by.astype(np.float16)) if m % 200 else ("bf16", to_bf16(by))
            yield f"of_rows_{of}_{m}", {"x": (of, ["n", "m"], x), "s": (to, ["m"], stored)}, [cast("x", to), {"op": "mul", "in": ["", "s"]}], (to_bf16 if to == "bf16" else lambda v: v.astype(np.float16))(x * by), to


def run(folder, made, flags):
    model = {"opgen": 1, "name": "bytes", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}
    arrays = {}
    for name, inputs, nodes, _, _ in made:
        sizes = {}
        for one, (dtype, shape, array) in inputs.items():
            sizes |= {dim: size for dim, size in zip(shape, array.shape) if isinstance(dim, str)}
            model["inputs"][f"{name}_{one}"] = {"dtype": dtype, "shape": [f"{name}_{dim}" if isinstance(dim, str) else dim for dim in shape]}
            arrays[f"{name}_{one}"] = array.view("V2") if dtype == "bf16" else array
        model["dims"] |= {f"{name}_{dim}": {"max": 1 << 20} for dim in sizes}
        results = []
        for i, node in enumerate(nodes):
            named = [results[one] if isinstance(one, int) else one if isinstance(one, float) else f"{name}_{one}" if one else results[-1] for one in node["in"]]
            results.append(f"{name}_{i}")
            model["nodes"].append({**node, "in": named, "out": results[-1]})
        model["outputs"].append(results[-1])
    out = models.results(folder, model, arrays, flags, check)
    if out is None:
        return
    for (name, inputs, _, want, to), output in zip(made, model["outputs"]):
        got, bits = out[output], np.uint8 if to in BYTES else np.uint16
        wrong = np.flatnonzero(got.view(bits).ravel() != want.view(bits).ravel()) if got.shape == want.shape else None
        check(f"{name} of {want.shape}, {flags}", wrong is not None and len(wrong) == 0, got.shape if wrong is None else
              f"{len(wrong)} are wrong: at {wrong[:4]} of {[a.ravel()[wrong[:4]] for _, s, a in inputs.values() if s == inputs['x'][1]]} got {got.ravel()[wrong[:4]]}, wanted {want.ravel()[wrong[:4]]}")


def is_written(folder):
    """What would be made one by one would prove nothing, nor would what is rounded in any case."""
    text = ""
    for path in glob.glob(os.path.join(folder, "made", "bytes", "k_*.c")):
        with open(path, encoding="utf-8") as file:
            text += file.read()
    for call in "bytes64(to_", "bytes64(p_", "bytes64_rounded(to_", "bytes64_rounded(p_", "widen_i8(w_", "widen_u8(w_":
        check(f"{call} is there", call in text)


def sums(folder, flags):
    """Of slabs of so many rows and columns."""
    shapes = [(20, 128, 64), (20, 129, 64), (20, 200, 64), (3, 256, 64), (40, 140, 7), (18, 300, 70), (30, 16, 700), (1, 700, 50), (1, 300, 1100), (2, 257, 300)]
    model, arrays, want = {"opgen": 1, "name": "sums", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}, {}, {}
    model["dims"] = {dim: {"max": 1 << 20} for i in range(len(shapes)) for dim in (f"n{i}", f"k{i}", f"m{i}")}
    for i, shape in enumerate(shapes):
        for of, to in ("i16", "u8"), ("f16", "u8"), ("i16", "i8"), ("u8", "u8"), ("i8", "i8"):
            for at, value in zip(("least", "most"), LIMITS[to]):
                name = f"{of}_{to}_{at}_{i}"
                arrays[name] = np.full(shape, value, {"i16": np.int16, "f16": np.float16, **BYTES}[of])
                model["inputs"][name] = {"dtype": of, "shape": [f"n{i}", f"k{i}", f"m{i}"]}
                model["nodes"] += [{**cast(name, to), "out": f"c_{name}"}, {"op": "sum", "in": [f"c_{name}"], "out": f"y_{name}", "attrs": {"dim": 1}}]
                model["outputs"].append(f"y_{name}")
                want[f"y_{name}"] = np.full((shape[0], shape[2]), value * shape[1])
    out = models.results(folder, model, arrays, flags, check)
    for name, sum_of in want.items() if out is not None else ():
        check(f"{name} of {sum_of.shape}, {flags}", np.array_equal(out[name], sum_of), f"got {out[name].ravel()[:4]}, wanted {sum_of.flat[0]}")


def places(folder, flags):
    """Of the greatest bytes of a middle dim, and their sums, where bytes are made of what is wider: vectors have as many columns as that has in them."""
    rng = np.random.default_rng(61)
    model, arrays, want = {"opgen": 1, "name": "places", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}, {}, {}
    for i, shape in enumerate([(70, 5, 33), (70, 9, 20), (70, 3, 5), (70, 6, 4), (70, 4, 8), (50, 7, 70), (20, 5, 130)]):
        for of in "f64", "f32", "f16", "i16", "i8":
            for op in "argmax", "sum":
                x, name = rng.integers(-128, 128, shape), f"{op}_{of}_{i}"
                arrays[name] = x.astype({"f": "<f", "i": "<i"}[of[0]] + str(int(of[1:]) // 8))
                model["inputs"][name] = {"dtype": of, "shape": [f"n{i}", f"k{i}", f"m{i}"]}
                model["nodes"] += [{**cast(name, "i8"), "out": f"c_{name}"}, {"op": op, "in": [f"c_{name}"], "out": f"y_{name}", "attrs": {"dim": 1}}]
                model["outputs"].append(f"y_{name}")
                want[f"y_{name}"] = getattr(x, op)(1)
        model["dims"] |= {f"{dim}{i}": {"max": 1 << 20} for dim in "nkm"}
    out = models.results(folder, model, arrays, flags, check)
    for name, made in want.items() if out is not None else ():
        check(f"{name} of {made.shape}, {flags}", np.array_equal(out[name], made), f"{np.count_nonzero(out[name] != made)} are wrong")


def main():
    made = list(works(np.random.default_rng(59)))
    with tempfile.TemporaryDirectory() as work:
        os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
        run(work, made[::3], "-march=native -DOPGEN_TAKE_TURNS=0")
        sums(work, "-march=native -DOPGEN_TAKE_TURNS=0 -DOPGEN_STREAM_BYTES=65536")
        places(work, "-march=native")
        sums(work, "-DOPGEN_NO_CLONES -DOPGEN_TAKE_TURNS=1")
        run(work, made, "-march=native -DOPGEN_TAKE_TURNS=2")
        is_written(work)
        run(work, made[::2], "-march=x86-64-v3 -DOPGEN_TAKE_TURNS=1")
        run(work, made[1::3], "-DOPGEN_NO_CLONES")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


main()
