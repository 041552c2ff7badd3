#!/usr/bin/python3
"""test_slabs.py: reductions along a middle dim, of slabs: by opgen_slab.h and opgen_near_powers.h, and small ones upright.

    OPGEN=build/opgen tests/cpu/test_slabs.py

Kernels built with sanitizers go over slabs of rows and columns that are whole vectors and are not, few and many, on both sides of where this way ends, of one so wide that it goes in pieces, and their
results are compared with float64: of random numbers about 0, far from it, of a first row unlike all others, and with what is infinite or no number in some columns.
"""

import concurrent.futures
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import alone
import cc

SHAPES = [(40, 64, 16), (33, 16, 64), (20, 7, 17), (18, 40, 50), (17, 33, 31), (19, 4, 32), (17, 1000, 16), (17, 1200, 16), (17, 120, 72), (18, 20, 300), (17, 64, 300), (40, 5, 15), (9, 64, 32), (17, 3, 48), (40, 3, 20), (60, 9, 12), (45, 10, 10), (19, 1, 33), (17, 12, 100), (35, 2, 64), (1, 37, 9001), (40, 30, 10), (40, 100, 3), (18, 400, 13)]
# Rows that are read in order, each number of vectors; and several of which fill one.
SHAPES += [(17, 20 + columns % 7, columns) for columns in range(81, 257, 16)] + [(40, 150, 7), (30, 41, 5), (33, 30, 2), (50, 14, 4), (37, 20, 6), (21, 9, 8), (45, 5, 7)]
SLABS = {"sum": "opgen_slab_sum_DTYPE(", "mean": "opgen_slab_sum_DTYPE(", "norm": "opgen_slab_squares_DTYPE(", "var": "opgen_slab_var_DTYPE(", "logsumexp": "opgen_near_slabs_f32("}
OPS = {
    "f16": ["sum", "mean", "norm", "var", "logsumexp", "amax", "argmax", "max"],
    "bf16": ["sum", "norm", "var", "logsumexp", "amax", "argmax"],
    "f32": ["sum", "var", "logsumexp", "amax", "argmax", "max"],
}
# Where pages come in order and where they do not, what is read ahead is another; and AVX2 has variances of its own.
BUILT = {"gcc": ("gcc", ["-DOPGEN_TAKE_TURNS=3"]), "clang": ("clang", []), "avx2": ("gcc", ["-march=x86-64-v3", "-DOPGEN_TAKE_TURNS=2"])}
HARNESS = """
#include "KERNEL.c"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    FILE *given = fopen("DATA", "rb"), *made = fopen("MADE", "wb");
    int64_t n[3];
    if (given == NULL || made == NULL) return 2;
    while (fread(n, sizeof *n, 3, given) == 3) {
        const size_t all = (size_t)(n[0] * n[1] * n[2]), kept = (size_t)(n[0] * n[2]);
        TYPE *x = malloc(all * sizeof *x);
        RESULT *y = malloc(kept * sizeof *y);
        int64_t *z = malloc(kept * sizeof *z);
        if (x == NULL || y == NULL || z == NULL || fread(x, sizeof *x, all, given) != all) return 2;
        memset(y, 0x5a, kept * sizeof *y);
        FUNCTION(y, PLACES x, n[0], n[1], n[2], 1);
        if (fwrite(y, sizeof *y, kept, made) != kept) return 2;
        free(x), free(y), free(z);
    }
    return fclose(made) != 0 || fclose(given) != 0;
}
"""


def as_bits(x, dtype):
    if dtype == "f32":
        return x.astype(np.float32).view(np.uint32)
    return x.astype(np.float16).view(np.uint16) if dtype == "f16" else (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def value(bits, dtype):
    if dtype == "f32":
        return bits.view(np.float32).astype(np.float64)
    return bits.view(np.float16).astype(np.float64) if dtype == "f16" else (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def slabs(dtype, rng):
    for shape in SHAPES:
        for kind in range(4):
            x = rng.standard_normal(shape)
            if kind == 1:
                x = x + 8
            elif kind == 2:
                x[:, 0] += 40
            elif kind == 3:
                x[rng.random(shape) < 0.002] = np.inf
                x[rng.random(shape) < 0.002] = np.nan
            yield as_bits(x, dtype)


def logsumexp(x):
    most = x.max(1)
    of = np.where(np.isfinite(most), most, 0)
    return of + np.log(np.exp(x - of[:, None]).sum(1))


EXACT = {
    "sum": lambda x: x.sum(1),
    "var": lambda x: x.var(1, ddof=1) if x.shape[1] > 1 else np.full(x[:, 0].shape, np.nan),
    "mean": lambda x: x.mean(1),
    "norm": lambda x: np.sqrt((x * x).sum(1)),
    "logsumexp": logsumexp,
    "amax": lambda x: x.max(1),
    "max": lambda x: x.max(1),
    "argmax": lambda x: x.argmax(1).astype(np.float64),
}


def wrong(op, dtype, given, made):
    """What is wrong with results, or nothing."""
    digits, at = {"f16": 11, "bf16": 8, "f32": 20}[dtype], 0
    for bits in given:
        x = value(bits, dtype)
        with np.errstate(all="ignore"):
            want = EXACT[op](x)
            size = np.abs(x).sum(1) if op == "sum" else np.abs(x).mean(1) if op == "mean" else want if op in ("var", "norm") else 0 * want
            tell = ~np.isnan(want) & ~np.isinf(want)
        got = made[at : at + want.size]
        got = (got.astype(np.float64) if op == "argmax" else value(got, dtype)).reshape(want.shape)
        at += want.size
        nan, infinite = np.isnan(want), np.isinf(want)
        if not np.array_equal(np.isnan(got), nan) or not np.array_equal(got[infinite], want[infinite]):
            return f"{bits.shape}: no number, or one, where it is not to be"
        if op in ("amax", "argmax", "max") and not np.array_equal(got[tell], want[tell]):
            return f"{bits.shape}: not the same"
        off = np.abs(got[tell] - want[tell]) - np.abs(want[tell]) * 2.0**-digits - (2.0**-18 if op == "logsumexp" else 2.0**-25 if dtype == "f16" else 0)
        if op == "var" and dtype == "f32":  # what differs from a mean has the places of what it was
            off = off - (np.sqrt(want) * np.abs(x).max(1))[tell] * 2.0**-22
        if not (off <= size[tell] * 2.0 ** (-19 if dtype == "f32" else -13)).all():
            return f"{bits.shape}: off by {off.max()} more than rounding"
    return "" if at == len(made) else f"{len(made)} results, not {at}"


def verdict(out, kernel, op, dtype, way, given):
    data, made = (os.path.join(out, way + end) for end in (".data", ".made"))
    with open(data, "wb") as file:
        for bits in given:
            file.write(np.array(bits.shape, np.int64).tobytes() + bits.tobytes())
    text = HARNESS.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]).replace("DATA", data).replace("MADE", made).replace("PLACES", "z," if op == "max" else "")
    text = text.replace("TYPE", "float" if dtype == "f32" else "uint16_t").replace("RESULT", "int64_t" if op == "argmax" else "float" if dtype == "f32" else "uint16_t")
    compiler, flags = BUILT[way]
    said = alone.verdict(out, way, text, compiler, flags)
    return said or wrong(op, dtype, given, np.fromfile(made, np.int64 if op == "argmax" else given[0].dtype))


def main():
    passed = failed = 0
    folder = cc.work_folder()
    rng = np.random.default_rng(23)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {}
        for dtype, ops in OPS.items():
            given = list(slabs(dtype, rng))
            for op in ops:
                inputs = {"x": {"dtype": dtype, "shape": ["a", "b", "c"]}}
                out, (kernel,) = alone.generated(folder, f"{op}_{dtype}", inputs, [{"op": op, "in": ["x"], "out": ["y", "at"] if op == "max" else "y", "attrs": {"dim": 1}}], ["y"])
                with open(os.path.join(out, kernel), encoding="utf-8") as file:
                    text = file.read()
                of = "" if (op, dtype) == ("sum", "f32") else SLABS.get(op, "").replace("DTYPE", dtype)
                for way in [of] * bool(of) + ["_upright("] * (op != "logsumexp"):
                    passed, failed = passed + (way in text), failed + (way not in text)
                    if way not in text:
                        print(f"FAILED: {op} {dtype} has {way}")
                for way in BUILT if of.startswith("opgen_slab_var_") and dtype != "f32" else ("gcc", "clang"):
                    waiting[f"{op} {dtype}, {way}"] = pool.submit(verdict, out, kernel, op, dtype, way, given)
        alone.finish(waiting, passed, failed)


main()
