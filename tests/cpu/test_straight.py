#!/usr/bin/python3
"""test_straight.py: functions of 16 bits that go straight from where they are read to where they are written (opgen_straight.h).

    OPGEN=build/opgen tests/cpu/test_straight.py

The kernels of some maps, built with sanitizers as generated code may be, with all that is large past the cache and with nothing, for
each kind of processor that has them go so. Of random lengths that begin anywhere in a line, with operands of which some are so large that the short way does not hold,
results have to be bit by bit those of one element after the other, in another array and in the place of what was read; nothing beside them may change.
The two ways of asinh are not rounded alike: one bit is left to them.
A processor without x86-64-v4 has none go straight: there bf16 halfway between two numbers is rounded up in 64 at once, and by itself to even.
"""

import concurrent.futures
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import alone
import cc

MAPS = [("sin", "bf16"), ("asinh", "f16"), ("tanh", "f16"), ("silu", "bf16")]
WAYS = {
    "in the cache": ["-DOPGEN_STREAM_BYTES=INT64_MAX"],
    "past it": ["-DOPGEN_STREAM_BYTES=256", "-DOPGEN_TAKE_TURNS=2"],
    "past it, near": ["-DOPGEN_STREAM_BYTES=256", "-DOPGEN_TAKE_TURNS=3"],
}
HARNESS = """
#include "KERNEL.c"
#include <stdio.h>
#include <stdlib.h>
enum { N = 24000 };
/* One that is not a number is as good as another. */
static int same(uint16_t a, uint16_t b) { return a == b || ((a & 0x7fff) > INFINITE && (b & 0x7fff) > INFINITE); }
#if defined(OPGEN_LEVELS)
#define LEVEL opgen_level()
#else
#define LEVEL OPGEN_LEVEL
#endif
static int as_one(uint16_t a, uint16_t b) { return same(a, b) || (BF16 && LEVEL != 4 && (uint16_t)(a - b) == 1) || (TWO_WAYS && abs(a - b) == 1); }
int main(void) {
    static _Alignas(64) uint16_t x[N], in_place[N], apart[N], singly[N];
    uint32_t state = 2463534242u;
    for (int turn = 0; turn < 400; turn++) {
        for (int i = 0; i < N; i++) {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            /* About 1 to 8, and every so often anything. */
            const int often = turn % 4;
            x[i] = state % 200 < (uint32_t)often ? (uint16_t)(state >> 8) : (uint16_t)(ONE + (state >> 8) % EIGHT);
            in_place[i] = x[i], apart[i] = singly[i] = 0x5a5a;
        }
        const int from = turn % 97, n = turn % 10 == 0 ? 20000 + turn : (int)(state % 700);
        FUNCTION(apart + from, x + from, n, 1);
        FUNCTION(in_place + from, in_place + from, n, 1);
        for (int i = from; i < from + n; i++)
            FUNCTION(singly + i, x + i, 1, 1);
        for (int i = 0; i < N; i++) {
            const int inside = i >= from && i < from + n;
            if (!as_one(apart[i], singly[i]) || !(inside ? same(in_place[i], apart[i]) : in_place[i] == x[i])) {
                printf("of %d from %d: at %d of %#x apart %#x, in place %#x, singly %#x\\n", n, from, i, (unsigned)x[i], (unsigned)apart[i],
                       (unsigned)in_place[i], (unsigned)singly[i]);
                return 1;
            }
        }
    }
    return 0;
}
"""


def verdict(out, kernel, dtype, compiler, way, flags):
    """What went wrong, or nothing."""
    one, eight, infinite = (0x3C00, 0xC00, 0x7C00) if dtype == "f16" else (0x3F80, 0x180, 0x7F80)
    text = HARNESS.replace("KERNEL.c", kernel).replace("FUNCTION", kernel[2:-2]).replace("BF16", str(int(dtype == "bf16"))).replace("ONE", str(one)).replace("EIGHT", str(eight))
    text = text.replace("INFINITE", str(infinite)).replace("TWO_WAYS", str(int("asinh" in kernel)))
    return alone.verdict(out, f"{compiler}_{way}".replace(" ", "_").replace(",", ""), text, compiler, ["-O1", *flags])


def main():
    passed = failed = 0
    folder = cc.work_folder()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {}
        for op, dtype in MAPS:
            out, (kernel,) = alone.generated(folder, f"{op}_{dtype}", {"x": {"dtype": dtype, "shape": ["n"]}}, [{"op": op, "in": ["x"], "out": "y"}])
            with open(os.path.join(out, kernel), encoding="utf-8") as file:
                straight = "_straight(" in file.read()
            passed, failed = passed + straight, failed + (not straight)
            if not straight:
                print(f"FAILED: {op} {dtype} is one that goes straight")
            for compiler in "gcc", "clang":
                for way, flags in WAYS.items():
                    waiting[f"{op} {dtype}, {compiler}, {way}"] = pool.submit(verdict, out, kernel, dtype, compiler, way, flags)
        alone.finish(waiting, passed, failed)


main()
