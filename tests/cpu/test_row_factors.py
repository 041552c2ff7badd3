#!/usr/bin/python3
"""test_row_factors.py: maps of rows beside what each row, each of some rows or each of several slabs has one of, and beside a row that all share.

    OPGEN=build/opgen tests/cpu/test_row_factors.py

The kernels of some maps, built with sanitizers as generated code may be, in the cache and past it. Rows are of lengths around those where the ways
of going along them change; every element has to be bit by bit what the kernel makes of it alone. What is read and written ends where its memory does.
"""

import concurrent.futures
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import alone
import cc

FACTORS = {"rows": (["n", "m", 1], "a * m + b"), "some rows": (["m", 1], "b"), "slabs": (["n", 1, 1], "a"), "all": (["k"], "j")}
MAPS = {
    "product": (["f32", "f16", "bf16", "f64", "i8"], [{"op": "mul", "in": ["x", "z"], "out": "y"}]),
    "above": (["f32", "f16", "f64", "i8"], [{"op": "gt", "in": ["x", "z"], "out": "y"}]),
    "bytes": (["f32", "bf16", "f64"], [{"op": "mul", "in": ["x", "z"], "out": "p"}, {"op": "clamp", "in": ["p"], "attrs": {"min": -128, "max": 127}, "out": "c"},
                                       {"op": "cast", "in": ["c"], "attrs": {"dtype": "i8"}, "out": "y"}]),
}
WAYS = {"in the cache": [], "past it": ["-DOPGEN_STREAM_BYTES=256"]}
HARNESS = """
#include "KERNEL.c"
#include <stdio.h>
#include <stdlib.h>

static uint32_t state = 7;
static uint32_t next(void) { return (state = state * 1664525u + 1013904223u) >> 8; }

static void fill(T *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const float x = (float)((int)(next() % 2001) - 1000) / 64.0f;
        to[i] = MAKE;
    }
}

int main(void) {
    static const int lengths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 200, 255, 256, 300, 511, 512, 1000, 1023, 1024, 1025, 2048, 2049, 4096, 4097, 8192, 8193};
    for (unsigned c = 0; c < sizeof lengths / sizeof *lengths; c++) {
        for (int64_t n = 1; n <= 8; n = n == 3 ? 8 : n + 1) {
            for (int64_t m = 1; m <= 700 && (m == 1 || m * lengths[c] <= 3000); m = m * 3 + 1) {
                const int64_t k = lengths[c];
                U *y = malloc((size_t)(n * m * k) * sizeof(U));
                T *x = malloc((size_t)(n * m * k) * sizeof(T)), *z = malloc((size_t)(FACTORS) * sizeof(T));
                fill(x, n * m * k);
                fill(z, FACTORS);
                FUNCTION(y, x, z, SIZES, 1);
                for (int64_t a = 0; a < n; a++) {
                    for (int64_t b = 0; b < m; b++) {
                        for (int64_t j = 0; j < k; j++) {
                            U own;
                            const int64_t at = (a * m + b) * k + j;
                            FUNCTION(&own, x + at, z + (FACTOR), ONES, 1);
                            if (memcmp(&own, y + at, sizeof own) == 0) continue;
                            printf("of %d, %d, %d: at %d, %d, %d not what it is alone\\n", (int)n, (int)m, (int)k, (int)a, (int)b, (int)j);
                            fflush(stdout);
                            return 1;
                        }
                    }
                }
                free(x);
                free(y);
                free(z);
            }
        }
    }
    return 0;
}
"""
MAKE = {"f32": "x", "f64": "(double)x", "f16": "opgen_f16_of_f32(x)", "bf16": "opgen_bf16_of_f32(x)"}


def verdict(folder, factor, name, dtype, way):
    """What went wrong, or nothing."""
    shape, at = FACTORS[factor]
    out, (kernel,) = alone.generated(folder, f"{factor}_{name}_{dtype}_{way}".replace(" ", "_"), {"x": {"dtype": dtype, "shape": ["n", "m", "k"]}, "z": {"dtype": dtype, "shape": shape}},
                                     MAPS[name][1], ["y"])
    with open(os.path.join(out, kernel), encoding="utf-8") as file:
        text = file.read()
    to, of, sizes = re.search(rf"^void {kernel[2:-2]}\((\w+) \*y0, const (\w+) \*x0, const \w+ \*x1, (.*)int threads\)", text, re.M).groups()
    sizes = sizes.count("int64_t")
    # Dims that go together are one.
    harness = HARNESS.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]).replace("MAKE", MAKE.get(dtype, f"({of})(x * 8.0f)")).replace("FACTORS", "k" if factor == "all" else "n * m").replace("FACTOR", at)
    harness = harness.replace("SIZES", "n, m, k" if sizes == 3 else "n, m * k" if factor == "slabs" else "n * m, k").replace("ONES", ", ".join(["1"] * sizes))
    return alone.verdict(out, "harness", re.sub(r"\bU\b", to, re.sub(r"\bT\b", of, harness)), "gcc", flags=WAYS[way])


def main():
    folder = cc.work_folder()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        alone.finish({f"{name} {factor}, {dtype}, {way}": pool.submit(verdict, folder, factor, name, dtype, way)
                      for name, (dtypes, _) in MAPS.items() for factor in FACTORS for dtype in dtypes for way in WAYS})


main()
