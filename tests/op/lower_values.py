#!/usr/bin/python3
"""lower_values.py FOLDER: runs the functions of FOLDER/bodies.c, which test_lower_values.c wrote, and compares them with Python.

Each body runs on every type that its case names: on all pairs of special values (zeros of both signs, infinities, NaN, subnormals, the ends
of the range, halves) and on seeded random ones. It is compiled by clang as the backend says and by gcc with less and with more than that, without a
warning, and once more by gcc with the sanitizer for undefined behaviour. References are computed by numpy in float64, or in long double for f64; integers by Python.
"""

import concurrent.futures
import ctypes
import json
import math
import os
import re
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import cc

TEMPLATES = os.path.join(HERE, "..", "..", "templates", "cpu")
NUMPY = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "i32": np.int32,
         "u64": np.uint64, "i64": np.int64, "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
FLOATS = {"f16": (11, -14, 65504.0), "bf16": (8, -126, float.fromhex("0x1.fep127")), "f32": (24, -126, float(np.finfo(np.float32).max)),
          "f64": (53, -1022, float(np.finfo(np.float64).max))}  # bits of precision, least normal exponent, greatest
WIDE = np.longdouble


# ---- what references are made of

def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def bf16_bits(x):
    """Rounded to nearest, halves to even, by way of integers larger than any carry."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    low, high = bits & 0xFFFF, bits >> 16
    high = high + ((low > 0x8000) | ((low == 0x8000) & (high & 1 == 1)))
    return np.where(np.isnan(x), 0x7FC0, high).astype(np.uint16)


def to_bf16(x):
    return from_bf16(bf16_bits(x))


def by_element(function):
    def call(x):
        return np.array([math.nan if math.isnan(v) else function(float(v)) for v in np.ravel(x)], np.float64)
    return call


def wrap(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def to_int(x, bits):
    """As x86 converts, to a signed integer of so many bits; what it does not hold is the least."""
    if math.isfinite(x) and -(1 << (bits - 1)) <= math.trunc(x) < 1 << (bits - 1):
        return math.trunc(x)
    return -(1 << (bits - 1))


def to_u64(x):
    return math.trunc(x) if 2.0**63 <= x < 2.0**64 else to_int(x, 64)


def power(a, b):
    if b < 0:
        return 1 if a == 1 else (-1 if b % 2 else 1) if a == -1 else 0
    return pow(a, b, 1 << 64)  # what is left after wrapping is the same


# ---- operands

def bits_of(dtype):
    return 1 if dtype == "bool" else int("".join(c for c in dtype if c.isdigit()))


def operands(dtype, number):
    random = np.random.default_rng(1000 + number)
    if dtype == "bool":
        special = [0, 1]
        more = random.integers(0, 2, 8)
    elif dtype in FLOATS:
        precision, least, most = FLOATS[dtype]
        tiny = 2.0 ** (least - precision + 1)
        special = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2, 2.5, -2.5, 3, -3, 6, 7.75, 10, -87.5, 100, tiny, -tiny, 3 * tiny, 2.0**least,
                   1 - 2.0**-precision, 1 + 2.0 ** (1 - precision), most, -most, math.inf, -math.inf, math.nan, 255, 256.5, 65535]
        special += [value for value in (2.0**31, -(2.0**31), 2.0**31 - 1, 2.0**33, -(2.0**63), 2.0**63, 1.5 * 2.0**63, 2.0**64) if abs(value) <= most]
        more = np.concatenate([random.normal(0, 2, 600), random.uniform(-1, 1, 300),
                               random.choice([-1.0, 1.0], 600) * 2.0 ** random.uniform(least - 4, math.log2(most), 600)])
    else:
        low, high = (0, (1 << bits_of(dtype)) - 1) if dtype[0] == "u" else (-(1 << (bits_of(dtype) - 1)), (1 << (bits_of(dtype) - 1)) - 1)
        special = [v for v in (0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 100, -1, -2, -3, -7, -8, low, low + 1, high - 1, high, high // 2,
                               65535, 65536, 46341, 1 << 31, 1 << 53, (1 << 53) + 1) if low <= v <= high]
        more = np.concatenate([random.integers(low, high, 300, dtype=NUMPY[dtype], endpoint=True),
                               random.integers(max(low, -20), 20, 300).astype(NUMPY[dtype])])

    def of(values):
        return bf16_bits(np.asarray(values, np.float64).astype(np.float32)) if dtype == "bf16" else np.array(values).astype(NUMPY[dtype]) if dtype in FLOATS else np.array(values, NUMPY[dtype])

    a = of(special)
    b = of(more)
    x = np.concatenate([np.repeat(a, len(a)), b, b])
    y = np.concatenate([np.tile(a, len(a)), random.permutation(b), np.resize(a, len(b))])
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


# ---- comparing

def as_float(values, dtype, wide):
    values = from_bf16(values) if dtype == "bf16" else values
    return values.astype(WIDE if wide else np.float64)


def compare_floats(got, want, dtype, ulp, near, scale):
    """Where they differ by more than is allowed."""
    precision, least, most = FLOATS[dtype]
    size = np.abs(want) if scale is None else np.maximum(np.abs(want), scale)
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.where(np.isfinite(size), size, 0))[1] - 1
        unit = np.ldexp(np.ones_like(want), np.maximum(exponent, least) - precision + 1)
        # What lies beyond the greatest by more than half a unit rounds to infinity; what is near that may.
        over = np.abs(want) >= most + unit * 0.5
        over_maybe = np.abs(want) * (1 + 2.0**-precision * (ulp + 1)) >= most
        good = (np.isnan(got) & np.isnan(want)) | (got == want) | (over & (got == np.sign(want) * np.inf))
        good |= over_maybe & np.isfinite(want) & (np.isinf(got) & (np.sign(got) == np.sign(want)) | (np.abs(got) == most))
        limit = unit * (max(ulp, 0.5) if dtype in ("f16", "bf16") else ulp) * (1 + 1e-9) + near
        good |= np.isfinite(got) & np.isfinite(want) & (np.abs(got - want) <= limit)
    return ~good


def reference(case, dtype, result, x, y):
    """The wanted values; a float reference is not rounded."""
    wide = result == "f64"
    if dtype not in FLOATS and result not in FLOATS:
        out_bits, in_bits = bits_of(result), bits_of(dtype)
        signed = dtype[0] == "i"
        low, high = (0, 1) if dtype == "bool" else (-(1 << (in_bits - 1)) if signed else 0, (1 << (in_bits - signed)) - 1)
        scope = {"bits": in_bits, "lowest": low, "highest": high, "power": power, "wrap": lambda v: wrap(int(v), in_bits, signed)}
        code = compile(case["int"], case["expr"], "eval")
        values = [eval(code, scope, {"x": int(a), "y": int(b)}) for a, b in zip(x, y)]
        if result == "bool":
            return np.array([bool(v) for v in values])
        return np.array([wrap(int(v), out_bits, result[0] == "i") for v in values], NUMPY[result])
    if dtype not in FLOATS and not case.get("wide"):
        x, y = x.astype(np.float32), y.astype(np.float32)
    fx, fy = as_float(x, dtype, wide), as_float(y, dtype, wide)
    if "each" in case and result not in FLOATS:
        code = compile(case["each"], case["expr"], "eval")
        values = [eval(code, {"to_int": to_int, "to_u64": to_u64}, {"x": float(a)}) for a in fx]
        return np.array([wrap(v, bits_of(result), result[0] == "i") for v in values], NUMPY[result])
    scope = {"np": np, "x": fx, "y": fy, "to_bf16": to_bf16, "erf": by_element(math.erf), "erfc": by_element(math.erfc),
             "largest": FLOATS.get(dtype, FLOATS["f32"])[2]}
    with np.errstate(all="ignore"):
        return np.asarray(eval(case["ref"], scope))


def check(case, dtype, result, function, number):
    x, y = operands(dtype, number)
    # Poisoned, so that what is not written is seen.
    out = np.full(len(x), 0x5A, np.uint8).repeat(np.dtype(NUMPY[result]).itemsize).view(NUMPY[result]) if result != "bool" else np.full(len(x), 2, np.uint8)
    pointer = ctypes.c_void_p
    function.argtypes = [ctypes.c_int64, pointer, pointer, pointer]
    function.restype = None
    function(len(x), x.ctypes.data, y.ctypes.data, out.ctypes.data)
    want = reference(case, dtype, result, x, y)
    if result in FLOATS:
        wide = result == "f64"
        got = as_float(out, result, wide)
        scale = None
        if "relative_to" in case:
            with np.errstate(all="ignore"):
                scale = eval(case["relative_to"], {"x": as_float(x, dtype, wide), "y": as_float(y, dtype, wide)})
        # numpy's long double functions are the C library's own; the others here are those of a double.
        bad = compare_floats(got, want.astype(got.dtype), result, case.get("ulp", 0.5), case.get("near", 0), scale)
    else:
        got = out
        bad = got != (want.astype(np.uint8) if result == "bool" else want)
    wrong = np.flatnonzero(bad)
    if len(wrong) == 0:
        return []
    shown = [f"x = {show(x[i], dtype)}, y = {show(y[i], dtype)}: got {got[i]!r}, wanted {want[i]!r}" for i in wrong[:4]]
    return [f"{case['expr']} for {dtype}: {len(wrong)} of {len(x)} wrong"] + shown


def show(value, dtype):
    return repr(float(from_bf16(np.array([value]))[0]) if dtype == "bf16" else value.item())


def check_vectors(told, folder):
    """Which loops gcc says that it vectorised; those that cases name have to be among them. (passed, failed)"""
    with open(os.path.join(HERE, "lower_values.json"), encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    function, at = None, []
    with open(os.path.join(folder, "bodies.c"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("void f") and line.endswith("{\n"):
                function = line.split("(")[0].split()[1]
            at.append(function)
    vectorised = {at[int(match[1]) - 1] for match in re.finditer(r"bodies\.c:(\d+):.*loop vectorized", told)}
    wanted = [(number, dtype) for number, case in enumerate(cases) for dtype in case.get("vector", [])]
    missing = [(number, dtype) for number, dtype in wanted if f"f{number}_{dtype}" not in vectorised]
    for number, dtype in missing:
        print(f"FAILED: gcc does not vectorise {cases[number]['expr']} for {dtype}")
    print(f"gcc vectorises {len(wanted) - len(missing)} of the {len(wanted)} loops that it should")
    return len(wanted) - len(missing), len(missing)


def run(library, folder):
    """In a process of its own: {number of failures, lines}."""
    with open(os.path.join(HERE, "lower_values.json"), encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    with open(os.path.join(folder, "bodies.json"), encoding="utf-8") as file:
        table = json.load(file)
    code = ctypes.CDLL(library)
    passed = failed = 0
    for number, dtype, result in table:
        complaint = check(cases[number], dtype, result, code[f"f{number}_{dtype}"], number)
        passed, failed = passed + (not complaint), failed + bool(complaint)
        if complaint:
            print("FAILED:", *complaint, sep="\n    ", flush=True)
    print(passed, failed)


def main(folder):
    with open(os.path.join(TEMPLATES, "backend.json"), encoding="utf-8") as file:
        compiler = json.load(file)["compiler"]
    flags = compiler["flags"] + compiler["warnings"] + compiler["shared"] + ["-Werror", "-I" + os.path.abspath(TEMPLATES)]
    sanitize = ["-O0", "-g", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
    # Equal functions would be made one, and reported once. What is left of a loop not once more by shorter vectors, which is a third of the time
    # and which clang's are.
    tuned = ["-O3", "-march=native", "-fno-ipa-icf", "--param", "vect-epilogues-nomask=0", "-fopt-info-vec-optimized", "-DOPGEN_BY_BITS"]
    builds = {"gcc": ["gcc", *flags, "-O1"], "clang": ["clang", *flags], "gcc, tuned": ["gcc", *flags, *tuned],
              "gcc, sanitized": ["gcc", *flags, *sanitize]}

    def library_of(name):
        return os.path.join(folder, name.replace(", ", "_") + ".so")

    def compile_it(name):
        return cc.run([*builds[name], "-o", library_of(name), "bodies.c", *compiler["libraries"]], folder)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(builds, pool.map(compile_it, builds)))
    passed = failed = 0
    for name, built in results.items():
        library = library_of(name)
        if built.returncode != 0:
            print(f"FAILED: {name} does not compile the bodies\n{built.stderr[:4000]}")
            failed += 1
            continue
        # Sanitizers of the process that started this one are not the library's.
        environment = {key: value for key, value in os.environ.items() if not key.endswith("SAN_OPTIONS")}
        ran = subprocess.run([sys.executable, __file__, "--run", library, folder], capture_output=True, text=True, env=environment)
        lines = ran.stdout.splitlines()
        if ran.returncode != 0 or not lines:
            print(f"FAILED: {name}: exit status {ran.returncode}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
            failed += 1
            continue
        good, bad = map(int, lines[-1].split())
        if bad:
            print(f"{name}:", *lines[:-1], sep="\n")
        print(f"{name}: {good} bodies right, {bad} wrong")
        passed, failed = passed + good, failed + bad
    good, bad = check_vectors(results["gcc, tuned"].stderr, folder)
    passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(sys.argv[2], sys.argv[3])
    else:
        sys.exit(main(sys.argv[1]))
