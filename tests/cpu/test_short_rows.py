#!/usr/bin/python3
"""test_short_rows.py: reductions of rows so short that many are folded at once, as columns (opgen_across_v4.h), or that lanes of many become one at once.

    OPGEN=build/opgen tests/cpu/test_short_rows.py

The kernels of some reductions, built with sanitizers as generated code may be. Of rows of any length up to beyond where they are short,
in numbers of rows around those that go together, all of them have to be what each is by itself, bit by bit (a variance or logarithm to 1e-5): numbers are whole and small,
so that the order of a sum does not matter, with some that are none, infinite or 0 of either sign. What is reduced ends where its memory does.
Two threads have to make the same bits as one. Copies are no calls.
"""

import concurrent.futures
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import alone
import cc

# What is greatest or least, and where it stands: that is where it is read from.
EXTREMES = [("max", "f32"), ("min", "i8"), ("max", "i32"), ("min", "i64")]
REDUCTIONS = [("sum", "f32"), ("sum", "f16"), ("sum", "i8"), ("sum", "u8"), ("sum", "i16"), ("amax", "f32"), ("amax", "f16"), ("amin", "u8"), ("argmax", "f32"),
              ("argmin", "f16"), ("argmax", "i64"), ("argmax", "i8"), ("prod", "i8"), ("mean", "bf16"), ("all", "bool"), ("any", "f64"), ("count_nonzero", "f16"),
              ("var", "f32"), ("var", "f16"), ("var", "bf16"), ("var", "f64"), ("logsumexp", "f32"), ("any", "f32"), ("logsumexp", "f16"), ("amin", "f32"), ("sum", "bf16"),
              ("argmax", "bf16"), ("all", "f32"), ("any", "f16"), ("argmax", "f32 as i8"), ("argmin", "i16 as i8"), ("sum", "i16 as u8"), ("sum", "f32 as i8"),
              ("amax", "i8"), ("argmin", "u8"), ("any", "u8"), ("all", "i8"), ("sum", "bool"), ("sum", "f64"), ("amax", "f64"),
              ("amin", "i64"), ("sum", "i32"), ("sum", "u16"), ("all", "i64"), ("amax", "i16"), ("amin", "u32"), ("any", "i16"), ("argmax", "f64"), ("argmin", "i16"),
              ("any", "u16"), ("all", "u32"), *EXTREMES, ("norm", "f32"), ("norm", "f16"), ("prod", "f32"), ("prod", "bf16")]
# Those that opgen_tile.h knows, or what stands on it.
TILES = [("sum", "f32"), ("sum", "f16"), ("amax", "f32"), ("amin", "f32"), ("mean", "bf16"), ("sum", "bf16"), ("var", "f32"), ("var", "bf16"), ("var", "f16"),
         ("argmax", "f32"), ("argmin", "f32"), ("argmin", "f16"), ("argmax", "bf16"), ("amax", "f16"), ("amin", "bf16"), ("any", "f32"), ("all", "f32"), ("any", "i32"), ("all", "bf16"), ("any", "f16"),
         ("sum", "i8"), ("sum", "u8"), ("sum", "bool"), ("amin", "u8"), ("amax", "i8"), ("argmax", "i8"), ("argmin", "u8"), ("all", "bool"), ("any", "u8"), ("all", "i8"),
         ("sum", "i16"), ("any", "f64"), ("sum", "f64"), ("amax", "f64"), ("amin", "i64"), ("sum", "i32"), ("sum", "u16"), ("all", "i64"), ("amax", "i16"), ("amin", "u32"), ("any", "i16"), ("argmax", "f64"), ("argmin", "i16"), ("argmax", "i64"), ("argmin", "i32"),
         ("any", "u16"), ("all", "u32"), *EXTREMES, ("norm", "f32"), ("norm", "f16"), ("prod", "f32"), ("prod", "bf16")]
# One of the compilers has what is stored go past the cache, and some go through memory as a processor does that has several rows take turns (2): as they
# pass, but places also as processors do that ask by pages (1), sums of bytes only so, and some tiles in order (3).
PLACES = [("argmax", "f32"), ("argmin", "i32")]
BY_PAGES = [("sum", "i8"), ("sum", "bool")]  # whose rows of less than a vector are tiles there
TURNS = [(one, 1) for one in PLACES + BY_PAGES] + [(one, 2) for one in sorted({*REDUCTIONS[::3], *TILES} - {("argmin", "i32"), *BY_PAGES})[::2]] + [(one, 3) for one in [("sum", "f32"), ("amax", "f16"), ("argmax", "f32"), ("any", "f16")]]
COPIES = REDUCTIONS[::3]  # in which copies are looked at: each kind of tile, and rows that are none
HARNESS = """
#include "KERNEL.c"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 600 * 1100 };
static uint32_t state = 7;
static uint32_t next(void) { return (state = state * 1664525u + 1013904223u) >> 8; }

/* An element of a kind, as its bytes; what is no number or infinite is in one of four stretches. */
static void element(unsigned char *at, int i) {
    const uint32_t any = next() % 1024 + (i / 4096 % 4 == 0 ? 0 : 2);
    const int small = (int)(next() % 7) - 3;
    const float x = any == 0 ? NAN : any == 1 ? INFINITY : any == 2 ? -0.0f : (float)small;
    IN one;
    MAKE;
    memcpy(at, &one, sizeof one);
}

/* The bytes of a result, the last ones first, in one of two texts by turns. */
static const char *bytes_of(const void *result) {
    static char texts[2][2 * sizeof(OUT) + 1];
    static int turn;
    char *text = texts[turn = !turn];
    for (size_t i = 0; i < sizeof(OUT); i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)result)[sizeof(OUT) - 1 - i]);
    return text;
}

BOTH
/* So many rows of n elements, anywhere of all. */
static void check(const unsigned char *all, int64_t n, int64_t rows) {
    IN *x = malloc((size_t)(rows * n) * sizeof(IN));
    OUT *y = malloc((size_t)rows * sizeof(OUT)), *own = malloc((size_t)rows * sizeof(OUT)), *shared = malloc((size_t)rows * sizeof(OUT));
    memcpy(x, all + (size_t)(next() % (uint32_t)(MOST - rows * n + 1)) * sizeof(IN), (size_t)(rows * n) * sizeof(IN));
    memset(y, 0xa5, (size_t)rows * sizeof(OUT));
    FUNCTION(y, x, rows, n, 1);
    FUNCTION(shared, x, rows, n, 2);
    for (int64_t row = 0; row < rows; row++)
        FUNCTION(own + row, x + row * n, 1, n, 1);
    for (int64_t row = 0; row < rows; row++) {
        const bool same = memcmp(y + row, shared + row, sizeof(OUT)) == 0;
        if (same && (memcmp(y + row, own + row, sizeof(OUT)) == 0 || NEAR)) continue;
        printf("row %d of %d, of %d elements, is not what it is by %s: %s and %s\\n", (int)row, (int)rows, (int)n, same ? "itself" : "two threads",
               bytes_of(y + row), bytes_of(same ? own + row : shared + row));
        fflush(stdout);
        exit(1);
    }
    free(x);
    free(y);
    free(own);
    free(shared);
}

int main(void) {
    unsigned char *all = malloc(MOST * sizeof(IN));
    for (int i = 0; i < MOST; i++)
        element(all + (size_t)i * sizeof(IN), i);
    for (int64_t n = 1; n <= 5000; n += n < 36 ? 1 : n < 140 ? 13 : n < 500 ? 61 : 2100)
        for (int64_t rows = 1; rows <= 180 && rows * n <= 180 * 1100; rows += rows < 31 ? 30 : rows < 34 ? 1 : 21)
            check(all, n, rows);
    for (int64_t n = 1; n <= 9; n++) /* so many that what comes of them is stored a block at a time */
        check(all, n, 2150 + 7 * n);
    check(all, 1106, 545); /* so many that those longer ones go together as well */
    free(all);
    return 0;
}
"""
# Of two results, one as the others have it, where the other one says it stands.
BOTH = """static void both(OUT *y, const IN *x, int64_t rows, int64_t n, int threads) {
    int64_t *at = malloc((size_t)rows * sizeof *at);
    memset(at, 0xa5, (size_t)rows * sizeof *at);
    FUNCTION(y, at, x, rows, n, threads);
    for (int64_t row = 0; row < rows; row++)
        if (at[row] < 0 || at[row] >= n || (memcmp(y + row, x + row * n + at[row], sizeof *y) != 0 && y[row] != x[row * n + at[row]])) { /* 0 is -0 */
            printf("row %d of %d, of %d elements: what is greatest or least is not where it is said to stand, %d\\n", (int)row, (int)rows, (int)n, (int)at[row]);
            fflush(stdout);
            exit(1);
        }
    free(at);
}
"""

# Of which few decide.
TRUTHS = {"any": "any > 1015 ? x : any % 2 == 0 ? 0.0f : -0.0f", "all": "any < 1015 ? x + (float)(x == 0.0f) : any % 2 == 0 ? 0.0f : -0.0f"}
MAKE = {"f32": "one = made", "f64": "one = (double)made", "f16": "one = opgen_f16_of_f32(made)", "bf16": "one = opgen_bf16_of_f32(made)", "bool": "one = any > 3"}

# Of which the greatest or least stands anywhere, not among the first of many alike.
PLACED = {"argmax": "x + (i % 1931 > 1700 ? 8.0f : 0.0f)", "argmin": "x - (i % 1931 > 1700 ? 8.0f : 0.0f)"}

# Of which a product is the same in any order: powers of two that are not many, and nothing that is 0.
FACTORS = {"prod": "any < 2 ? x : any > 1015 ? (any % 4 < 2 ? 2.0f : 0.5f) : any % 2 == 0 ? 1.0f : -1.0f"}

# What is rounded.
NEAR = {"f32": "(isnan(y[row]) && isnan(own[row])) || fabsf(y[row] - own[row]) <= 1e-5f * (fabsf(own[row]) + LEAST)",
        "f64": "(isnan(y[row]) && isnan(own[row])) || fabs(y[row] - own[row]) <= 1e-14 * fabs(own[row])",
        "f16": "((y[row] & 0x7fff) > 0x7c00 && (own[row] & 0x7fff) > 0x7c00) || (uint16_t)(y[row] - own[row] + 1) <= 2",
        "bf16": "((y[row] & 0x7fff) > 0x7f80 && (own[row] & 0x7fff) > 0x7f80) || (uint16_t)(y[row] - own[row] + 1) <= 2"}


def verdict(folder, op, dtype, compiler, turns):
    """What went wrong, or nothing."""
    dtype, _, narrowed = dtype.partition(" as ")  # lanes then have less bits than what is read
    two = op in ("max", "min")
    made = [{"op": "cast", "in": ["x"], "out": "c", "attrs": {"dtype": narrowed}}] if narrowed else []
    out, (kernel,) = alone.generated(os.path.join(folder, compiler), f"{op}_{dtype}_{narrowed}{turns}", {"x": {"dtype": dtype, "shape": ["n", "m"]}},
                                     [*made, {"op": op, "in": ["c" if made else "x"], "out": ["y", "at"] if two else "y", "attrs": {"dim": -1}}], ["y"])
    with open(os.path.join(out, kernel), encoding="utf-8") as file:
        text = file.read()
    if "opgen_columns_" not in text:
        return "short rows do not go as columns"
    if ("opgen_tile_" in text) != (not narrowed and (op, dtype) in TILES):
        return "short rows are read as tiles, or are not"
    result, of = re.search(rf"^void {kernel[2:-2]}\((\w+) \*y0, (?:int64_t \*y1, )?const (\w+) \*x0, ", text, re.M).groups()
    harness = HARNESS.replace("FUNCTION", "both").replace("BOTH\n", BOTH) if two else HARNESS.replace("BOTH\n", "")
    harness = harness.replace("(float)small;", f"(float)small, made = {(TRUTHS | PLACED | (FACTORS if dtype[0] in 'fb' else {})).get('arg' + op if two else op, 'x')};").replace("MAKE", MAKE.get(dtype, f"one = ({of})(any == 0 ? 127 : isfinite(made) ? (int)made : 1)")).replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]).replace("IN ", of + " ").replace("(IN)", f"({of})")
    harness = harness.replace("OUT ", result + " ").replace("(OUT)", f"({result})").replace("NEAR", NEAR[{"opgen_f16": "f16", "opgen_bf16": "bf16", "double": "f64"}.get(result, "f32")] if op in ("var", "logsumexp") else "0").replace("LEAST", "1" if op == "logsumexp" else "0")
    return (compiler == "gcc" and (op, dtype) in COPIES and checked_copies(out, kernel)) or alone.verdict(out, f"harness_{compiler}", harness, compiler, flags=[f"-DOPGEN_TAKE_TURNS={turns}", "-DOPGEN_STREAM_BYTES=2048"] if turns else [])


def checked_copies(out, kernel):
    """Where a system has copies checked, as many do, gcc calls nothing for each vector to make one; what is wrong, or nothing."""
    made = os.path.join(out, "checked.o")
    built = cc.run(["gcc", "-std=c11", "-O1", "-march=native", "-D_FORTIFY_SOURCE=3", "-c", "-o", made, os.path.join(out, kernel)])
    if built.returncode != 0:
        return built.stderr[-2000:]
    with open(made, "rb") as file:
        return "copies are calls of __memcpy_chk" if b"__memcpy_chk" in file.read() else ""


def main():
    folder = cc.work_folder()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for compiler in "gcc", "clang":
            os.mkdir(os.path.join(folder, compiler))
        alone.finish({f"{op} {dtype}, {compiler}{f', turns {turns}' if turns else ''}": pool.submit(verdict, folder, op, dtype, compiler, turns)
                      for compiler, of in (("gcc", [(one, 0) for one in REDUCTIONS]), ("clang", TURNS)) for (op, dtype), turns in of})


main()
