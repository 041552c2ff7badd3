#!/usr/bin/python3
"""test_shared_rows.py: reductions over columns on threads that share blocks of the rows.

    OPGEN=build/opgen tests/cpu/test_shared_rows.py

Of some thousand rows, whose last block is short or is one row, and of columns that fill vectors and do not, with an infinity and what is no number in some:
bit by bit what one thread gives, however many there are, and that beside NumPy in f64. Each kernel has to have that way.
"""

import concurrent.futures
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import alone
import cc

SHAPES = [(12288, 300), (8193, 641), (13000, 513), (4100, 2000)]
TYPES = {"f32": (np.float32, "float"), "f16": (np.float16, "uint16_t"), "i8": (np.int8, "int8_t")}
# operator: in f64, and how far off a result may be in shares of the greatest size there is
OPERATORS = {
    ("sum", "f32"): (lambda x: x.sum(0), 2.0**-16),
    ("sum", "f16"): (lambda x: x.sum(0), 2.0**-10),
    ("var", "f32"): (lambda x: x.var(0, ddof=1), 2.0**-18),
    ("amax", "f32"): (lambda x: x.max(0), 0),
    ("argmax", "f32"): (lambda x: x.argmax(0), 0),
    ("argmin", "i8"): (lambda x: x.argmin(0), 0),
}
HARNESS = """
#include "KERNEL.c"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    FILE *given = fopen("DATA", "rb"), *made = fopen("MADE", "wb");
    int64_t n[2];
    if (given == NULL || made == NULL) return 2;
    while (fread(n, sizeof *n, 2, given) == 2) {
        const size_t all = (size_t)(n[0] * n[1]), kept = (size_t)n[1];
        TYPE *x = malloc(all * sizeof *x);
        RESULT *y = malloc(kept * sizeof *y), *one = malloc(kept * sizeof *one);
        if (x == NULL || y == NULL || one == NULL || fread(x, sizeof *x, all, given) != all) return 2;
        FUNCTION(one, x, n[0], n[1], 1);
        for (int threads = 2; threads < 5; threads++) {
            memset(y, 0x5a, kept * sizeof *y);
            FUNCTION(y, x, n[0], n[1], threads);
            for (size_t i = 0; i < kept; i++)
                if (memcmp(y + i, one + i, sizeof *y) != 0) {
                    printf("of %d rows, by %d threads another one at %d\\n", (int)n[0], threads, (int)i);
                    return 1;
                }
        }
        if (fwrite(one, sizeof *one, kept, made) != kept) return 2;
        free(x), free(y), free(one);
    }
    return fclose(made) != 0 || fclose(given) != 0;
}
"""


def arrays(dtype, rng):
    kind = TYPES[dtype][0]
    for shape in SHAPES:
        x = (rng.standard_normal(shape) * (30 if dtype == "i8" else 1)).astype(kind)
        if dtype != "i8":
            x[rng.integers(shape[0], size=9), rng.integers(shape[1], size=9)] = np.inf
            x[rng.integers(shape[0], size=9), rng.integers(shape[1], size=9)] = np.nan
        yield x


def wrong(op, dtype, given, made):
    exact, share = OPERATORS[op, dtype]
    at = 0
    for x in given:
        with np.errstate(all="ignore"):
            want = exact(x.astype(np.float64)).astype(np.float64)
        got = made[at : at + want.size].astype(np.float64)
        at += want.size
        tell = np.isfinite(want)
        if not np.array_equal(np.isnan(got), np.isnan(want)) or not np.array_equal(got[np.isinf(want)], want[np.isinf(want)]):
            return f"{x.shape}: no number, or infinite, where it is not to be"
        off = np.abs(got[tell] - want[tell])
        if not (off <= share * np.abs(want[tell]).max()).all():
            return f"{x.shape}: off by {off.max()}"
    return "" if at == len(made) else f"{len(made)} results, not {at}"


def verdict(out, kernel, op, dtype, compiler, given):
    data, made = (os.path.join(out, compiler + end) for end in (".data", ".made"))
    with open(data, "wb") as file:
        for x in given:
            file.write(np.array(x.shape, np.int64).tobytes() + x.tobytes())
    kind, c = (np.int64, "int64_t") if op.startswith("arg") else TYPES[dtype]
    text = HARNESS.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]).replace("DATA", data).replace("MADE", made)
    text = text.replace("TYPE", TYPES[dtype][1]).replace("RESULT", c)
    said = alone.verdict(out, compiler, text, compiler, ["-fopenmp", "-DOPGEN_STREAM_BYTES=1024"])
    return said or wrong(op, dtype, given, np.fromfile(made, kind))


def main():
    passed = failed = 0
    folder = cc.work_folder()
    rng = np.random.default_rng(29)
    given = {dtype: list(arrays(dtype, rng)) for dtype in TYPES}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {}
        for op, dtype in OPERATORS:
            inputs = {"x": {"dtype": dtype, "shape": ["n", "c"]}}
            out, (kernel,) = alone.generated(folder, f"{op}_{dtype}", inputs, [{"op": op, "in": ["x"], "out": "y", "attrs": {"dim": 0}}])
            with open(os.path.join(out, kernel), encoding="utf-8") as file:
                shares = "threads share blocks" in file.read()
            passed, failed = passed + shares, failed + (not shares)
            if not shares:
                print(f"FAILED: {op} {dtype} has blocks that threads share")
            waiting[f"{op} {dtype}"] = pool.submit(verdict, out, kernel, op, dtype, "gcc", given[dtype])
        alone.finish(waiting, passed, failed)


main()
