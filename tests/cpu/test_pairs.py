#!/usr/bin/python3
"""test_pairs.py: maps of two operands that go straight from where they are read to where they are written (opgen_straight_pairs.h).

    OPGEN=build/opgen tests/cpu/test_pairs.py

Powers, angles, distances and remainders of f32, f16 and bf16, and powers, angles and remainders of f64, of pairs of many kinds, in runs that end anywhere: near 1, of either sign to whole
powers, near 1 to high powers, far apart, any bits there are. Built with sanitizers, in the cache and past it, results are compared with
float64: how far off they are, where there is no number, and signs. Each has to be one that goes straight, but those of f64, which have 32 pairs at
once (opgen_pairs_double.h).
"""

import concurrent.futures
import fractions
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import alone
import cc

# dtype: digits behind the first, least exponent, of a C compiler
TYPES = {"f32": (23, -126, "float"), "f16": (10, -14, "uint16_t"), "bf16": (7, -126, "uint16_t"), "f64": (52, -1022, "double")}
WAYS = {"in the cache": ["-DOPGEN_STREAM_BYTES=INT64_MAX"], "past it": ["-DOPGEN_STREAM_BYTES=256", "-DOPGEN_TAKE_TURNS=2"]}
HARNESS = """
#include "KERNEL.c"
#include <stdio.h>
enum { N = COUNT };
int main(void) {
    static TYPE x[N], y[N], z[N];
    FILE *given = fopen("DATA", "rb"), *made = fopen("MADE", "wb");
    if (given == NULL || made == NULL || fread(x, sizeof *x, N, given) != N || fread(y, sizeof *y, N, given) != N) return 2;
    memset(z, 0x5a, sizeof z);
    /* Runs from any place in a line on. */
    for (int at = 0, turn = 0; at < N; turn++) {
        const int n = turn % 7 == 0 ? 1 + turn % 31 : 300 + turn % 97, some = n < N - at ? n : N - at;
        FUNCTION(z + at, x + at, y + at, some, 1);
        at += some;
    }
    return fwrite(z, sizeof *z, N, made) != N || fclose(made) != 0 || fclose(given) != 0;
}
"""


def remainder(x, y):
    left = np.fmod(x, y)
    return np.where((left != 0) & ((left < 0) != (y < 0)), left + y, left)


def floor_divide(x, y):
    left = np.fmod(x, y)
    down = np.rint((x - left) / y) - ((left != 0) & ((left < 0) != (y < 0)))
    return np.where(y == 0, x / y, np.where(down == 0, np.copysign(0.0, np.copysign(1.0, x) * y), down))


def floor_divide_f64(x, y):
    """The same of doubles, whose quotient float64 does not have exactly."""
    about = floor_divide(x, y)
    for i in np.flatnonzero(np.isfinite(x) & np.isfinite(y) & (y != 0) & (about != 0) & (np.abs(about) < 1e300)):
        about[i] = fractions.Fraction(x[i]) // fractions.Fraction(y[i])
    return about


# operator: what it is in float64; how far off a result may be in units of its last place, of f32, f16, bf16 and, but of distances, f64 (PyTorch's formula, which far quotients have, is off by 1)
OPERATORS = {
    "pow": (np.power, 1.6, 0.57, 0.52, 2),
    "atan2": (np.arctan2, 2.5, 0.66, 0.53, 2.7),
    "hypot": (np.hypot, 0.57, 0.501, 0.501),
    "fmod": (np.fmod, 0, 0.001, 0.001, 0),
    "remainder": (remainder, 0.5, 0.501, 0.501, 0),
    "floor_divide": (floor_divide, 0.5, 0.501, 0.501, 2),
}


def rounded(x, dtype):
    """Bits of numbers near these."""
    if dtype == "f64":
        return x.view(np.uint64)
    with np.errstate(over="ignore"):
        if dtype == "f16":
            return x.astype(np.float16).view(np.uint16)
        bits = x.astype(np.float32).view(np.uint32)
    return bits if dtype == "f32" else (bits >> 16).astype(np.uint16)


def value(bits, dtype):
    if dtype == "f16":
        return bits.view(np.float16).astype(np.float64)
    if dtype == "f64":
        return bits.view(np.float64)
    with np.errstate(invalid="ignore"):
        return (bits if dtype == "f32" else bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def pairs(dtype, rng):
    xs, ys = [], []
    most = 30 if dtype == "f16" else 250
    for turn in range(400):
        n = int(rng.integers(20, 400))
        x, y = rng.uniform(0.05, 4, n), rng.uniform(-3, 3, n)
        if turn % 6 == 1:
            x, y = rng.uniform(-9, 9, n), np.rint(rng.uniform(-5, 5, n))
        elif turn % 6 == 2:
            x = 1 + rng.uniform(-0.1, 0.1, n)
            y = rng.uniform(-40, 40, n) / np.log(x)
        elif turn % 6 == 3:
            x, y = (10 ** rng.uniform(-4, 4, n) * rng.choice([-1, 1], n) for _ in range(2))
        elif turn % 6 == 4:
            x, y = (2 ** rng.uniform(-most / 2, most / 2, n) for _ in range(2))
            y = np.where(rng.random(n) < 0.5, y, x * rng.uniform(0.01, 100, n))
        x, y = rounded(x.copy(), dtype), rounded(y.copy(), dtype)
        if turn % 6 == 5:
            x, y = (rng.integers(0, (1 << (8 * x.itemsize)) - 1, n, dtype=np.uint64).astype(x.dtype) for _ in range(2))
        xs.append(x)
        ys.append(y)
    return np.concatenate(xs), np.concatenate(ys)


def off(got, want, dtype):
    """In units of the last place; infinity is where the next power of two would be."""
    digits, least, _ = TYPES[dtype]
    most = 2.0 ** {"f16": 16, "f64": 1023}.get(dtype, 128)
    _, exponent = np.frexp(np.clip(want, -most / 2, most / 2))
    unit = np.ldexp(1.0, np.maximum(exponent - 1, least) - digits)
    return np.abs(np.clip(got, -most, most) - np.clip(want, -most, most)) / unit


def said(op, dtype, got, want, allowed):
    """What is wrong with these, or nothing."""
    nan = np.isnan(want)
    if not np.array_equal(np.isnan(got), nan):
        return f"{np.count_nonzero(np.isnan(got) != nan)} times no number, or one where there is none, first at {np.flatnonzero(np.isnan(got) != nan)[0]}"
    signs = ~nan & (np.signbit(got) != np.signbit(want))
    if signs.any():
        return f"{np.count_nonzero(signs)} of another sign, first at {np.flatnonzero(signs)[0]}"
    far = np.where(nan, 0, off(np.where(nan, 0, got), np.where(nan, 0, want), dtype))
    worst = int(np.argmax(far))
    print(f"{op} {dtype}: {far[worst]:.4f} units")
    return "" if far[worst] <= allowed else f"{far[worst]} units at {worst}, allowed {allowed}: got {got[worst]}, wanted {want[worst]}"


def verdict(out, kernel, op, dtype, compiler, way, given, allowed):
    x, y = given
    name = f"{compiler}_{way}".replace(" ", "_")
    data, made = (os.path.join(out, name + end) for end in (".data", ".made"))
    with open(data, "wb") as file:
        file.write(x.tobytes() + y.tobytes())
    text = HARNESS.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]).replace("TYPE", TYPES[dtype][2])
    text = text.replace("COUNT", str(len(x))).replace("DATA", data).replace("MADE", made)
    wrong = alone.verdict(out, name, text, compiler, WAYS[way])
    if wrong:
        return wrong
    with np.errstate(all="ignore"):
        want = (floor_divide_f64 if (op, dtype) == ("floor_divide", "f64") else OPERATORS[op][0])(value(x, dtype), value(y, dtype))
    return said(op, dtype, value(np.fromfile(made, x.dtype), dtype), want, allowed)


def main():
    passed = failed = 0
    folder = cc.work_folder()
    rng = np.random.default_rng(17)
    given = {dtype: pairs(dtype, rng) for dtype in TYPES}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {}
        for op, (_, *allowed) in OPERATORS.items():
            for dtype, most in zip(TYPES, allowed):
                inputs = {name: {"dtype": dtype, "shape": ["n"]} for name in "xy"}
                out, (kernel,) = alone.generated(folder, f"{op}_{dtype}", inputs, [{"op": op, "in": ["x", "y"], "out": "z"}])
                with open(os.path.join(out, kernel), encoding="utf-8") as file:
                    straight = "_straight(" in file.read()
                good = straight == (dtype != "f64")
                passed, failed = passed + good, failed + (not good)
                if not good:
                    print(f"FAILED: {op} {dtype} is {'' if straight else 'not '}one that goes straight")
                for compiler, way in zip(("gcc", "clang") if dtype != "f16" else ("clang", "gcc"), WAYS):
                    waiting[f"{op} {dtype}, {compiler}, {way}"] = pool.submit(verdict, out, kernel, op, dtype, compiler, way, given[dtype], most)
        alone.finish(waiting, passed, failed)


main()
