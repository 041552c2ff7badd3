#!/usr/bin/python3
"""test_few_columns.py: reductions over rows of few columns, which are folded several as one, or many at once (reduce_few.c.j2).

    OPGEN=build/opgen tests/cpu/test_few_columns.py

The kernels of some reductions, built with sanitizers as generated code may be. Of numbers of rows and columns around those where the ways change,
each column has to be what the kernel that reduces the last dim makes of it by itself, which goes other ways: bit by bit, or a variance to 1e-5, and
zeros of either sign alike; numbers are whole and small, with some that are none, infinite or 0 of either sign. What is reduced ends where its memory does.
Of numbers of all sizes two threads have to make the same bits as one, and sums have to be as near as sums by halves are. The kernel of a matrix, of some, takes slabs one by one.
"""

import concurrent.futures
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import alone
import cc

REDUCTIONS = [("sum", "f32"), ("sum", "f16"), ("sum", "i8"), ("sum", "u8"), ("sum", "i16"), ("amax", "f32"), ("amax", "f16"), ("amin", "u8"), ("argmax", "f32"),
              ("argmin", "f16"), ("argmax", "i64"), ("argmax", "i8"), ("prod", "i8"), ("norm", "f16"), ("mean", "bf16"), ("all", "bool"), ("any", "f64"), ("count_nonzero", "f16"),
              ("count_nonzero", "f32"), ("count_nonzero", "f64"), ("sum", "f64"), ("argmin", "f64"), ("var", "f32"), ("var", "f16"), ("logsumexp", "f32")]
# Whose rows of 16 bits go some pages apart.
APART = [("sum", "f16"), ("mean", "bf16")]
# Whose rows, as one, are read one after the other where a processor wants that.
ORDERED = [("amax", "f32"), ("argmax", "f32"), ("var", "f32"), ("sum", "i8"), ("sum", "f16"), ("all", "bool"), ("any", "f64")]
# Of which a matrix, too, is reduced, slab by slab.
FLAT = [("sum", "f32"), ("argmin", "f16"), ("var", "f32"), ("var", "f16")]
# Whose slabs go upright where the first cache has room for them, and far ones of many columns by blocks of rows, on some processors.
UPRIGHT = [("amax", "f32"), ("argmax", "f32"), ("var", "f32"), ("norm", "f16")]
# By the one as a processor has it that asks into the second cache, by another as one that asks for nothing, as one that asks into the first, and as one
# that wants rows in order: the same on each that runs this.
WAYS = {"gcc": ("gcc", ["-DOPGEN_TAKE_TURNS=0", "-DOPGEN_STREAM_BYTES=2048"]), "nearest": ("gcc", ["-DOPGEN_TAKE_TURNS=1", "-DOPGEN_STREAM_BYTES=2048"]), "clang": ("clang", ["-DOPGEN_TAKE_TURNS=2"]), "in_order": ("gcc", ["-DOPGEN_TAKE_TURNS=3", "-DOPGEN_STREAM_BYTES=65536"]), "flat": ("gcc", ["-DOPGEN_STREAM_BYTES=16384"])}
HARNESS = """
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "opgen_math.h"

void COLUMNS(OUT *y, const IN *x, SIZES int64_t rows, int64_t columns, int threads);
void ROWS(OUT *y, const IN *x, int64_t rows, int64_t columns, int threads);

static void columns_of(OUT *y, const IN *x, int64_t slabs, int64_t rows, int64_t columns, int threads) {
    CALL;
}

static uint32_t state = 7;
static uint32_t kinds = 256; /* of so many two are no number or infinite */
static int rough; /* numbers of all sizes, of which no sum is exact */
static int same; /* 1: all are the greatest, -1: all are the least */
static uint32_t next(void) { return (state = state * 1664525u + 1013904223u) >> 8; }

/* An element of a kind. */
static IN element(void) {
    const uint32_t any = next() % kinds;
    const int small = same != 0 ? same * 127 : (int)(next() % 7) - 3;
    const float x = same != 0 ? (float)same * INFINITY : rough ? ldexpf((float)(next() % 1024 + 1024), (int)(next() % 24) - 22) : any == 0 ? NAN : any == 1 ? INFINITY : any == 2 ? -0.0f : (float)small;
    (void)x;
    IN one;
    MAKE;
    return one;
}

static void check(int64_t slabs, int64_t rows, int64_t columns) {
    IN *x = malloc((size_t)(slabs * rows * columns) * sizeof(IN)), *column = malloc((size_t)rows * sizeof(IN));
    OUT *y = malloc((size_t)(slabs * columns) * sizeof(OUT)), *shared = malloc((size_t)(slabs * columns) * sizeof(OUT)), own;
    for (int64_t i = 0; i < slabs * rows * columns; i++)
        x[i] = element();
    memset(y, 0xa5, (size_t)(slabs * columns) * sizeof(OUT));
    columns_of(y, x, slabs, rows, columns, 1);
    columns_of(shared, x, slabs, rows, columns, 2);
    if (memcmp(y, shared, (size_t)(slabs * columns) * sizeof(OUT)) != 0) {
        printf("of %d, %d, %d: threads make something else of it\\n", (int)slabs, (int)rows, (int)columns);
        fflush(stdout);
        exit(1);
    }
    for (int64_t slab = 0; slab < slabs && (!rough || (SUM_WITHIN) > 0); slab++) {
        for (int64_t c = 0; c < columns; c++) {
            for (int64_t r = 0; r < rows; r++)
                column[r] = x[(slab * rows + r) * columns + c];
            ROWS(&own, column, 1, rows, 1);
            const OUT *got = y + slab * columns + c;
            if (memcmp(got, &own, sizeof own) == 0 || NEAR) continue;
            if (rough && fabs((double)*got - (double)own) <= (SUM_WITHIN) * fabs((double)own)) continue;
            printf("of %d, %d, %d: column %d of %d is not what it is by itself\\n", (int)slabs, (int)rows, (int)columns, (int)c, (int)slab);
            fflush(stdout);
            exit(1);
        }
    }
    free(x);
    free(column);
    free(y);
    free(shared);
}

int main(void) {
    static const int slabs[] = {1, 2, 17, 47, 100}, rows[] = {1, 2, 5, 16, 33, 100, 131, 600}, columns[] = {1, 2, 3, 4, 7, 8, 12, 20, 33, 64, 65, 130, 257, 600};
    enum { SLABS = sizeof slabs / sizeof *slabs, ROWS_ = sizeof rows / sizeof *rows, COLUMNS_ = sizeof columns / sizeof *columns };
    for (int s = 0; s < SLABS; s++)
        for (int r = 0; r < ROWS_; r++)
            for (int c = 0; c < COLUMNS_; c++)
                if (slabs[s] * rows[r] * columns[c] <= 6000) check(slabs[s], rows[r], columns[c]);
    kinds = 1 << 20;
    check(1, 44000, 3);
    check(2, 19000, 7);
    check(2, 1100, 130);
    check(1, 700, 600);
    kinds = 256;
    check(2, 19000, 7);
    check(47, 131, 33);
    check(17, 9, 601);
    kinds = 3000; /* the greatest is in any row, not among the first */
    check(17, 400, 13); /* more rows than lanes of bytes hold, and longer than what is read at once */
    check(17, 1100, 9);
    check(18, 700, 21);
    check(17, 260, 45);
    check(17, 131, 64);
    check(18, 140, 131);
    check(17, 70, 250);
    check(40, 100, 3); /* of which vectors have several rows */
    check(41, 131, 5);
    check(33, 240, 2);
    check(100, 61, 7);
    check(40, 30, 10);
    check(17, 90, 12);
    check(18, 60, 31);
    kinds = 256;
    for (same = -1; same <= 1; same += 2) {
        check(47, 16, 33);
        check(17, 400, 13);
        check(40, 5, 7);
        check(1, 2000, 20);
        check(1, 16, 600);
    }
    same = 0;
    check(18, 16, 290);
    check(18, 40, 70); /* longer than what always goes upright */
    check(17, 20, 270); /* and wider */
    check(17, 19, 650);
    check(17, 60, 70);
    if (sizeof(IN) == 1) check(1, 900, 2100); /* of which threads share blocks of rows, some at once */
    check(2800, 3, 6); /* what comes of them goes past the cache */
    check(2800, 3, 12);
    check(11, 3, 1700);
    check(2, 3, 512);
    check(1, 3, 40007);
    rough = 1;
    check(500, 9, 5);
    check(500, 4, 12);
    check(2000, 300, 3);
    check(100, 30, 3);
    check(1, 44000, 3);
    check(2, 500, 600);
    if ((SUM_WITHIN) > 0) check(17, 40000, 9); /* of which a plain sum, one after the other, would be that far off */
    return 0;
}
"""
MAKE = {"f32": "one = x", "f64": "one = (double)x", "f16": "one = opgen_f16_of_f32(x)", "bf16": "one = opgen_bf16_of_f32(x)", "bool": "one = any > 3"}
CALL = {False: "COLUMNS(y, x, slabs, rows, columns, threads)", True: "for (int64_t s = 0; s < slabs; s++) COLUMNS(y + s * columns, x + s * rows * columns, rows, columns, threads)"}
NEAR = {"amax": "*got == own", "var f16": "((*got & 0x7fff) > 0x7c00 && (own & 0x7fff) > 0x7c00) || (uint16_t)(*got - own + 1) <= 2",
        "var f32": "(isnan(*got) && isnan(own)) || fabsf(*got - own) <= 1e-5f * fabsf(own)", "logsumexp": "(isnan(*got) && isnan(own)) || *got == own || fabsf(*got - own) <= 1e-5f * fabsf(own)"}
# How far a sum of numbers of all sizes may be from what the other kernel makes of it.
SUM_WITHIN = {"sum f32": "1.5e-6", "sum f64": "3e-15"}


def verdict(folder, op, dtype, way):
    """What went wrong, or nothing."""
    flat = way == "flat"
    inputs = {name: {"dtype": dtype, "shape": shape} for name, shape in (("x", ["m", "k"] if flat else ["n", "m", "k"]), ("z", ["n", "m"]))}
    out, kernels = alone.generated(os.path.join(folder, way), f"{op}_{dtype}", inputs,
                                   [{"op": op, "in": ["x"], "out": "y", "attrs": {"dim": -2}}, {"op": op, "in": ["z"], "out": "w", "attrs": {"dim": -1}}])
    texts = {}
    for kernel in kernels:
        with open(os.path.join(out, kernel), encoding="utf-8") as file:
            texts[kernel] = file.read()
    columns, rows = sorted(texts, key=lambda kernel: "_few(" not in texts[kernel])
    if "_few(" not in texts[columns]:
        return "few columns do not go together"
    result, of = re.search(rf"^void {columns[2:-2]}\((\w+) \*y0, const (\w+) \*x0, ", texts[columns], re.M).groups()
    harness = HARNESS.replace("CALL", CALL[flat]).replace("SIZES", "" if flat else "int64_t slabs,").replace("COLUMNS(", columns[2:-2] + "(").replace("ROWS(", rows[2:-2] + "(")
    harness = re.sub(r"\bIN\b", of, re.sub(r"\bOUT\b", result, harness)).replace("NEAR", NEAR.get(f"{op} {dtype}", NEAR.get(op, "0"))).replace("SUM_WITHIN", SUM_WITHIN.get(f"{op} {dtype}", "0"))
    compiler, flags = WAYS[way]
    if way == "in_order" and "in_order" not in texts[columns]:
        return "rows are not read in order"
    return alone.verdict(out, f"harness_{way}", harness.replace("MAKE", MAKE.get(dtype, f"one = ({of})(any == 0 ? 127 : small)")), compiler, flags=flags, beside=kernels)


SHARED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "KERNEL.c"
int main(void) {
    enum { SLABS = 100, ROWS = 20, COLUMNS = 5, SIZE = ROWS * COLUMNS };
    float *x = malloc(sizeof(float) * SLABS * SIZE), *w = malloc(sizeof(float) * SIZE), *y = malloc(sizeof(float) * SLABS * COLUMNS);
    for (int i = 0; i < SLABS * SIZE; i++)
        x[i] = (float)(i * 37 % 101 - 50);
    for (int i = 0; i < SIZE; i++)
        w[i] = (float)(i * 13 % 7 + 1);
    FUNCTION(y, x, w, SLABS, ROWS, COLUMNS, 1);
    for (int i = 0; i < SLABS * COLUMNS; i++) {
        float most = -INFINITY;
        for (int r = 0; r < ROWS; r++) {
            const int at = r * COLUMNS + i % COLUMNS;
            most = fmaxf(most, x[i / COLUMNS * SIZE + at] * w[at]);
        }
        if (most == y[i]) continue;
        printf("%d: %g, not %g\\n", i, (double)y[i], (double)most);
        return 1;
    }
    free(x), free(w), free(y);
    return 0;
}
"""


def shared_verdict(folder):
    """What went wrong where all slabs share an operand, which ends where its memory does; or nothing."""
    out, (kernel,) = alone.generated(folder, "shared", {"x": {"dtype": "f32", "shape": ["n", "m", "k"]}, "w": {"dtype": "f32", "shape": ["m", "k"]}},
                                     [{"op": "mul", "in": ["x", "w"], "out": "s"}, {"op": "amax", "in": ["s"], "out": "y", "attrs": {"dim": 1}}], ["y"])
    return alone.verdict(out, "harness", SHARED.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]), "gcc")


SCALED = """
#include <stdio.h>
#include <stdlib.h>
#include "KERNEL.c"
static int check(int slabs, int rows, int columns) {
    const int size = rows * columns;
    float *x = malloc(sizeof(float) * (size_t)(slabs * size)), *w = malloc(sizeof(float) * (size_t)slabs), *y = malloc(sizeof(float) * (size_t)(slabs * columns));
    int wrong = 0;
    for (int i = 0; i < slabs * size; i++)
        x[i] = (float)(i * 37 % 101 - 50);
    for (int i = 0; i < slabs; i++)
        w[i] = (float)(i + 1);
    FUNCTION(y, x, w, slabs, rows, columns, 1);
    for (int i = 0; i < slabs * columns; i++) {
        float sum = 0;
        for (int r = 0; r < rows; r++)
            sum += x[i / columns * size + r * columns + i % columns] * w[i / columns];
        if (sum != y[i] && wrong++ == 0) printf("of %d, %d, %d: %g, not %g at %d\\n", slabs, rows, columns, (double)y[i], (double)sum, i);
    }
    free(x), free(w), free(y);
    return wrong;
}
int main(void) { return check(40, 5, 7) != 0 || check(40, 20, 5) != 0 || check(20, 8, 20) != 0 || check(20, 3, 700) != 0; }
"""


def scaled_verdict(folder):
    """What went wrong where each slab has a factor of its own, or nothing."""
    out, (kernel,) = alone.generated(folder, "scaled", {"x": {"dtype": "f32", "shape": ["n", "m", "k"]}, "w": {"dtype": "f32", "shape": ["n", 1, 1]}},
                                     [{"op": "mul", "in": ["x", "w"], "out": "s"}, {"op": "sum", "in": ["s"], "out": "y", "attrs": {"dim": 1}}], ["y"])
    return alone.verdict(out, "scaled_harness", SCALED.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]), "gcc")


def main():
    folder = cc.work_folder()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for way in WAYS:
            os.mkdir(os.path.join(folder, way))
        alone.finish({"an operand that all slabs share": pool.submit(shared_verdict, folder), "a factor of each slab": pool.submit(scaled_verdict, folder)} | {f"{op} {dtype}, {way}": pool.submit(verdict, folder, op, dtype, way) for i, one in enumerate(REDUCTIONS) for (op, dtype) in [one] for way in WAYS
                      if way == "gcc" or (i % 5 == 0 or one in APART if way == "clang" else one in FLAT if way == "flat" else one in UPRIGHT if way == "nearest" else one in ORDERED)})


main()
