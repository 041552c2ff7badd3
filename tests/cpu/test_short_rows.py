#!/usr/bin/python3
"""test_short_rows.py: reductions of rows so short that many are folded at once, as columns (opgen_across.h).

    OPGEN=build/opgen tests/cpu/test_short_rows.py

The kernels of some reductions, built with sanitizers as generated code may be. Of rows of any length up to beyond where they are short,
in numbers of rows around those that go together, all of them have to be what each is by itself, bit by bit: numbers are whole and small,
so that the order of a sum does not matter, with some that are none, infinite or 0 of either sign. What is reduced ends where its memory does.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import cc

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
REDUCTIONS = [("sum", "f32"), ("sum", "f16"), ("sum", "i8"), ("sum", "u8"), ("sum", "i16"), ("amax", "f32"), ("amax", "f16"), ("amin", "u8"), ("argmax", "f32"),
              ("argmin", "f16"), ("argmax", "i64"), ("argmax", "i8"), ("prod", "i8"), ("mean", "bf16"), ("all", "bool"), ("any", "f64"), ("count_nonzero", "f16")]
HARNESS = """
#include "KERNEL.c"
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 180 * 140 };
static uint32_t state = 7;
static uint32_t next(void) { return (state = state * 1664525u + 1013904223u) >> 8; }

/* An element of a kind, as its bytes. */
static void element(unsigned char *at) {
    const uint32_t any = next() % 64;
    const int small = (int)(next() % 7) - 3;
    const float x = any == 0 ? NAN : any == 1 ? INFINITY : any == 2 ? -0.0f : (float)small;
    IN one;
    MAKE;
    memcpy(at, &one, sizeof one);
}

int main(void) {
    unsigned char *all = malloc(MOST * sizeof(IN));
    for (int i = 0; i < MOST; i++)
        element(all + (size_t)i * sizeof(IN));
    for (int64_t n = 1; n <= 140; n += n < 36 ? 1 : 13) {
        for (int64_t rows = 1; rows <= 180; rows += rows < 31 ? 30 : rows < 34 ? 1 : 21) {
            IN *x = malloc((size_t)(rows * n) * sizeof(IN));
            OUT *y = malloc((size_t)rows * sizeof(OUT)), *own = malloc((size_t)rows * sizeof(OUT));
            memcpy(x, all + (size_t)(next() % (uint32_t)(MOST - rows * n + 1)) * sizeof(IN), (size_t)(rows * n) * sizeof(IN));
            memset(y, 0xa5, (size_t)rows * sizeof(OUT));
            FUNCTION(y, x, rows, n, 1);
            for (int64_t row = 0; row < rows; row++)
                FUNCTION(own + row, x + row * n, 1, n, 1);
            for (int64_t row = 0; row < rows; row++) {
                if (memcmp(y + row, own + row, sizeof(OUT)) == 0) continue;
                printf("row %d of %d, of %d elements, is not what it is by itself\\n", (int)row, (int)rows, (int)n);
                fflush(stdout);
                return 1;
            }
            free(x);
            free(y);
            free(own);
        }
    }
    free(all);
    return 0;
}
"""
MAKE = {"f32": "one = x", "f64": "one = (double)x", "f16": "one = opgen_f16_of_f32(x)", "bf16": "one = opgen_bf16_of_f32(x)", "bool": "one = any > 3"}


def generated(folder, op, dtype):
    """Where the kernel of a reduction is, and its name."""
    name = f"{op}_{dtype}"
    path = os.path.join(folder, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"opgen": 1, "name": name, "dims": {"n": {"max": 1 << 20}, "m": {"max": 1 << 20}}, "inputs": {"x": {"dtype": dtype, "shape": ["n", "m"]}},
                   "nodes": [{"op": op, "in": ["x"], "out": "y", "attrs": {"dim": -1}}], "outputs": ["y"]}, file)
    subprocess.run([OPGEN, "generate", path, "-o", os.path.join(folder, "gen")], check=True, capture_output=True, timeout=60)
    out = os.path.join(folder, "gen", name)
    return out, next(one for one in os.listdir(out) if one.startswith("k_") and one.endswith(".c"))


def verdict(folder, op, dtype, compiler):
    """What went wrong, or nothing."""
    out, kernel = generated(os.path.join(folder, compiler), op, dtype)
    with open(os.path.join(out, kernel), encoding="utf-8") as file:
        text = file.read()
    if "opgen_across_" not in text:
        return "short rows do not go as columns"
    result, of = re.search(rf"^void {kernel[2:-2]}\((\w+) \*y0, const (\w+) \*x0, ", text, re.M).groups()
    harness = HARNESS.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]).replace("IN ", of + " ").replace("(IN)", f"({of})")
    harness = harness.replace("OUT ", result + " ").replace("(OUT)", f"({result})").replace("MAKE", MAKE.get(dtype, f"one = ({of})(any == 0 ? 127 : small)"))
    name = os.path.join(out, f"harness_{compiler}")
    with open(name + ".c", "w", encoding="utf-8") as file:
        file.write(harness)
    built = cc.run([compiler, "-std=c11", "-O1", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=all", f"-I{out}", "-o", name, name + ".c", "-lm"])
    if built.returncode != 0:
        return built.stderr[-2000:]
    environment = {key: value for key, value in os.environ.items() if not key.endswith("SAN_OPTIONS")}
    ran = subprocess.run([name], capture_output=True, text=True, env=environment, timeout=250)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr[-2000:] or f"status {ran.returncode}"


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for compiler in "gcc", "clang":
            os.mkdir(os.path.join(folder, compiler))
        waiting = {f"{op} {dtype}, {compiler}": pool.submit(verdict, folder, op, dtype, compiler)
                   for i, (op, dtype) in enumerate(REDUCTIONS) for compiler in ("gcc", "clang") if compiler == "gcc" or i % 3 == 0}
        for what, future in waiting.items():
            wrong = future.result()
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"FAILED: {what}\n{wrong}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


main()
