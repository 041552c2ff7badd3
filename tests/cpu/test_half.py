#!/usr/bin/python3
"""Maps that store f16 and bf16: right to the last bit of nearly all, of every operand there is, and by the faster functions where they may be.

    OPGEN=build/opgen tests/cpu/test_half.py

One model of activations, each of all 65,536 f16 or bf16, is run and compared with float64: results are the nearest 16-bit float, or
the other one beside the exact value where that lies near the middle. Then which maps are made of functions of opgen_half.h and those beside it:
those whose results come to the store by products alone, not those where a sum could cancel what is right of them.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cc

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
AVX512 = "avx512f" in cc.processor()
os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def opgen(*args):
    ended = subprocess.run([OPGEN, *args], capture_output=True, text=True, timeout=300)
    check(f"{' '.join(args)}: status {ended.returncode}", ended.returncode == 0, ended.stderr)


def power(x, f=np.exp):
    """Of what computing in f32 makes infinity, that."""
    y = f(x)
    return np.where(y > float(np.finfo(np.float32).max), np.inf, y)


def mish(x):
    e = power(np.minimum(x, 40))
    return x * (e * (e + 2) / (e * (e + 2) + 2))


def softplus(x):
    return np.where(x > 20, x, np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def gelu_tanh(x):
    u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (2 / (1 + power(-2 * u)))


def selu(x):
    return 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.where(x > 0, 0, x)))


def tanhshrink(x):
    """Where the difference would have few bits left, its series."""
    q = x * x
    return np.where(np.abs(x) < 0.02, x * q * (1 / 3 - q * (2 / 15 - q * (17 / 315))), x - np.tanh(x))


def each(f):
    return np.vectorize(f, otypes=[np.float64])


def gelu(x):
    return np.where(np.isneginf(x), np.nan, 0.5 * x * each(math.erfc)(-x / math.sqrt(2)))


# name: operator, attributes, what it is in float64, how far off a result may be in units of its last place (0.5: the nearest)
ACTIVATIONS = {
    "silu": ("silu", {}, lambda x: x / (1 + power(-x)), 0.63),
    "sigmoid": ("sigmoid", {}, lambda x: 1 / (1 + power(-x)), 0.63),
    "exp": ("exp", {}, np.exp, 0.503),
    "exp2": ("exp2", {}, np.exp2, 0.503),
    "expm1": ("expm1", {}, np.expm1, 0.508),
    "tanh": ("tanh", {}, np.tanh, 0.55),
    "erf": ("erf", {}, each(math.erf), 0.51),
    "erfc": ("erfc", {}, each(math.erfc), 0.58),
    "sinh": ("sinh", {}, lambda x: np.sinh(np.clip(x, -90, 90)), 0.56),
    "cosh": ("cosh", {}, lambda x: np.cosh(np.clip(x, -90, 90)), 0.52),
    "elu": ("elu", {}, lambda x: np.where(x > 0, x, np.expm1(x)), 0.55),
    "selu": ("selu", {}, selu, 0.55),
    "softplus": ("softplus", {}, softplus, 0.58),
    "logsigmoid": ("logsigmoid", {}, lambda x: -softplus(-x), 0.58),
    "mish": ("mish", {}, mish, 0.63),
    "gelu": ("gelu", {}, gelu, 0.6),
    "gelu_tanh": ("gelu", {"approximate": "tanh"}, gelu_tanh, 0.63),
    "tanhshrink": ("tanhshrink", {}, tanhshrink, 0.6),
    "hardswish": ("hardswish", {}, lambda x: x * np.clip(x + 3, 0, 6) / 6, 0.501),
    "hardsigmoid": ("hardsigmoid", {}, lambda x: np.clip(x + 3, 0, 6) / 6, 0.501),
    "log": ("log", {}, np.log, 0.58),
    "log2": ("log2", {}, np.log2, 0.58),
    "log10": ("log10", {}, np.log10, 0.58),
    "sqrt": ("sqrt", {}, np.sqrt, 0.5),
    "rsqrt": ("rsqrt", {}, lambda x: 1 / np.sqrt(x), 0.503),
    "sin": ("sin", {}, np.sin, 0.503),
    "cos": ("cos", {}, np.cos, 0.503),
    "tan": ("tan", {}, np.tan, 0.507),
    "asin": ("asin", {}, np.arcsin, 0.503),
    "acos": ("acos", {}, np.arccos, 0.503),
    "atan": ("atan", {}, np.arctan, 0.57),
    "asinh": ("asinh", {}, np.arcsinh, 0.59),
    "acosh": ("acosh", {}, np.arccosh, 0.56),
    "atanh": ("atanh", {}, np.arctanh, 0.62),
    "log1p": ("log1p", {}, np.log1p, 0.56),
}
INVERSE = ("sin", "cos", "tan", "asin", "acos", "atan", "asinh", "acosh", "atanh", "log1p")
OF_BF16 = ("silu", "sigmoid", "exp", "exp2", "expm1", "mish", "tanh", "erf", "elu", "sinh", "cosh", "softplus", "logsigmoid", "erfc", "tanhshrink", "hardswish", "hardsigmoid", "log", "log2", "log10", "sqrt", "rsqrt", *INVERSE)


def value(bits, dtype):
    """f16 and bf16 as float64."""
    bits = np.asarray(bits, np.uint16)
    if dtype == "f16":
        return bits.view(np.float16).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def spacing(x, dtype):
    """The unit of the last place of results of the size of x."""
    least, digits = (-14, 10) if dtype == "f16" else (-126, 7)
    _, exponent = np.frexp(x)
    return np.ldexp(1.0, np.maximum(exponent - 1, least) - digits)


def compare(name, dtype, got_bits, want, allowed):
    got, infinite = value(got_bits, dtype), 65536.0 if dtype == "f16" else 2.0**128
    nan = np.isnan(want)
    check(f"{name} {dtype}: NaN where there is no number, nowhere else", np.array_equal(np.isnan(got), nan), np.flatnonzero(np.isnan(got) != nan)[:8])
    want, got, got_bits = want[~nan], got[~nan], got_bits[~nan]
    signs = got_bits >> 15 != np.signbit(want)
    check(f"{name} {dtype}: signs", not signs.any(), want[signs][:8], got[signs][:8])
    # Infinity is where the next power of two would be.
    size = np.clip(want, -infinite, infinite)
    off = np.abs(np.clip(got, -infinite, infinite) - size) / spacing(np.clip(size, -infinite / 2, infinite / 2), dtype)
    worst = int(np.argmax(off))
    print(f"{name} {dtype}: {off[worst]:.4f} ulp, {np.count_nonzero(off > 0.5)} of {len(off)} not the nearest")
    check(f"{name} {dtype}: {off[worst]} ulp, allowed {allowed}", off[worst] <= allowed, f"wanted {want[worst]}, got {got[worst]}")
    check(f"{name} {dtype}: the nearest, but for a few", np.count_nonzero(off > 0.5) <= len(off) // 30)


def all_operands(folder):
    bits = np.arange(65536, dtype=np.uint16)
    runs = [(name, "f16") for name in ACTIVATIONS] + [(name, "bf16") for name in OF_BF16]
    model = {"opgen": 1, "name": "all_operands", "inputs": {}, "nodes": [], "outputs": []}
    args = []
    for name, dtype in runs:
        op, attrs, _, _ = ACTIVATIONS[name]
        key = f"{name}_{dtype}"
        # Of a size that is no multiple of what is made at once.
        model["inputs"][f"x_{key}"] = {"dtype": dtype, "shape": [65536 - 3]}
        model["nodes"].append({"op": op, "in": [f"x_{key}"], "out": key, "attrs": attrs})
        model["outputs"].append(key)
        # Each has another order, so that what is left over at the end is something else.
        order = np.roll(bits, 1000 * len(args))[3:]
        path = os.path.join(folder, f"x_{key}.npy")
        np.save(path, order.view(np.float16) if dtype == "f16" else order.view("V2"))
        args += [f"--in=x_{key}={path}", f"--out={key}={os.path.join(folder, key)}.npy"]
    path = os.path.join(folder, "all_operands.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    # Apart: of several in one function each is computed in full.
    opgen("run", path, "--without=beside", f"--cc={cc.of_kernels('gcc -march=native')}", "-o", os.path.join(folder, "gen"), *args)
    for name, dtype in runs:
        key = f"{name}_{dtype}"
        got = np.load(os.path.join(folder, f"{key}.npy")).view(np.uint16)
        x = value(np.load(os.path.join(folder, f"x_{key}.npy")).view(np.uint16), dtype)
        with np.errstate(all="ignore"):
            want = ACTIVATIONS[name][2](x)
        compare(name, dtype, got, want, ACTIVATIONS[name][3])


# A function, and what it is multiplied by beside a row that all share: how far off that may be, beside rounding what is multiplied as well.
PRODUCTS = {"sigmoid": 0.63, "silu": 0.63, "gelu": 0.63, "gelu_tanh": 0.66, "mish": 0.66, "log": 0.63, "tanhshrink": 0.63, "sin": 0.63}


def rows(folder):
    """Products with a function, of rows that end anywhere, beside a tensor and a row that all share."""
    rng = np.random.default_rng(11)
    for dtype in ("f16", "bf16"):
        given = {"x": rng.standard_normal((33, 229)) * 4, "w": rng.standard_normal((33, 229)), "y": rng.standard_normal(229)}
        bits = {key: (of.astype(np.float16).view(np.uint16) if dtype == "f16" else (of.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)) for key, of in given.items()}
        model = {"opgen": 1, "name": f"rows_{dtype}", "dims": {"m": {"max": 999}, "n": {"max": 999}}, "outputs": list(PRODUCTS), "nodes": [],
                 "inputs": {"x": {"dtype": dtype, "shape": ["m", "n"]}, "w": {"dtype": dtype, "shape": ["m", "n"]}, "y": {"dtype": dtype, "shape": ["n"]}}}
        args = []
        for name in PRODUCTS:
            op, attrs, _, _ = ACTIVATIONS[name]
            model["nodes"] += [node(op, ["x"], f"{name}_", **attrs), node("mul", [f"{name}_", "w"], f"{name}_w"), node("mul", [f"{name}_w", "y"], name)]
            args.append(f"--out={name}={os.path.join(folder, f'{name}_rows.npy')}")
        path = os.path.join(folder, "rows.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(model, file)
        for key, of in bits.items():
            np.save(os.path.join(folder, f"{key}.npy"), of.view(np.float16) if dtype == "f16" else of.view("V2"))
        opgen("run", path, "--without=beside", f"--cc={cc.of_kernels('gcc -march=native')}", "-o", os.path.join(folder, "gen"),
              *[f"--in={key}={os.path.join(folder, key)}.npy" for key in given], *args)
        x, w, y = (value(bits[key], dtype) for key in given)
        for name, allowed in PRODUCTS.items():
            with np.errstate(all="ignore"):
                want = ACTIVATIONS[name][2](x) * w * y
            got = np.load(os.path.join(folder, f"{name}_rows.npy")).view(np.uint16)
            # What is left of gelu far below 0 is less than what 1 + erf loses in f32; with AVX2 alone, which adds them, half a place of bf16 from -3.5 on.
            tail = x < (-5 if AVX512 else -3.5) if name.startswith("gelu") else np.zeros(x.shape, bool)
            far = np.abs(value(got, dtype) - want)[tail] <= 6e-8 * np.abs(w * y)[tail] + (2.0**-24 if dtype == "f16" else 0) + (0 if AVX512 else 2.0**-8 * np.abs(want)[tail])
            check(f"{name} of rows, a product, {dtype}, far below 0", far.all(), x[tail][~far][:8])
            compare(f"{name} of rows, a product,", dtype, got[~tail], want[~tail], allowed)


def conversions(folder):
    """What only converts, every bit: of f32 those beside the middle between two, too, of a size that no vector divides."""
    rng = np.random.default_rng(3)
    wide = rng.integers(0, 1 << 32, 40001, dtype=np.uint64).astype(np.uint32)
    wide[:30000] &= np.uint32(0xFFFF8000)  # the middle between two bf16
    wide[10000:20000] ^= rng.integers(0, 2, 10000).astype(np.uint32)
    halves = np.concatenate([rng.uniform(-70000, 70000, 20000), rng.uniform(-1e-4, 1e-4, 20000)]).astype(np.float16).astype(np.float32).view(np.uint32)
    halves = np.concatenate([halves + np.uint32(0x1000), wide])  # the middle between two f16
    all_bits, few = np.arange(65536 - 5, dtype=np.uint16), {"f16": np.float16, "bf16": "V2", "f32": np.float32}
    with np.errstate(all="ignore"):
        floats = halves.view(np.float32)
        rounded = np.where(np.isnan(floats), 0x7FC0, (halves.astype(np.uint64) + 0x7FFF + (halves >> 16 & 1)) >> 16).astype(np.uint16)
        of_f16 = all_bits.view(np.float16).astype(np.float32)
        of_bf16 = (all_bits.astype(np.uint32) << 16).view(np.float32)
        bits = of_f16.view(np.uint32)
        between = np.where(np.isnan(of_f16), 0x7FC0, (bits.astype(np.uint64) + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        cases = {("f32", "f16"): (halves, floats.astype(np.float16)), ("f32", "bf16"): (halves, rounded), ("f16", "f32"): (all_bits, of_f16),
                 ("bf16", "f32"): (all_bits, of_bf16), ("f16", "bf16"): (all_bits, between), ("bf16", "f16"): (all_bits, of_bf16.astype(np.float16))}
    model, args = {"opgen": 1, "name": "conversions", "inputs": {}, "nodes": [], "outputs": []}, []
    for (source, to), (given, _) in cases.items():
        key = f"{source}_{to}"
        model["inputs"][f"x_{key}"] = {"dtype": source, "shape": [len(given)]}
        model["nodes"].append(node("cast", [f"x_{key}"], key, dtype=to))
        model["outputs"].append(key)
        np.save(os.path.join(folder, f"x_{key}.npy"), given.view(few[source]))
        args += [f"--in=x_{key}={os.path.join(folder, f'x_{key}.npy')}", f"--out={key}={os.path.join(folder, key)}.npy"]
    path = os.path.join(folder, "conversions.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    opgen("run", path, "--without=beside", "-o", os.path.join(folder, "gen"), *args)
    for (source, to), (_, want) in cases.items():
        kind = np.uint32 if to == "f32" else np.uint16
        got, want = np.load(os.path.join(folder, f"{source}_{to}.npy")).view(kind), np.ascontiguousarray(want).view(kind)
        most = {"f32": 0x7F800000, "f16": 0x7C00, "bf16": 0x7F80}[to]
        sign = {"f32": 0x7FFFFFFF}.get(to, 0x7FFF)
        wrong = np.where((want & sign) > most, (got & sign) <= most, got != want)  # one NaN is as good as another
        check(f"{source} to {to}: {np.count_nonzero(wrong)} wrong", not wrong.any(), f"first at {np.argmax(wrong)}: wanted {want[np.argmax(wrong)]:x}, got {got[np.argmax(wrong)]:x}")


def node(op, given, out, **attrs):
    return {"op": op, "in": given, "out": out, "attrs": attrs}


# What is read, its dtype, what is made of it, and whether functions of opgen_half.h may do.
CHAINS = {
    "silu_times": ("f16", [node("silu", ["x"], "a"), node("mul", ["a", "y"], "b")], True),
    "gate": ("bf16", [node("sigmoid", ["x"], "a"), node("mul", ["y", "a"], "c"), node("div", ["c", "y"], "b")], True),
    "gelu_times": ("f16", [node("gelu", ["x"], "a"), node("mul", ["a", "y"], "b")], True),
    "logarithm_times": ("bf16", [node("log", ["x"], "a"), node("mul", ["y", "a"], "b")], True),
    # It may be negative, and so what it is 1 more than may be 0.
    "gelu_and_1_times": ("f16", [node("gelu", ["x"], "a"), node("add", ["a", 1], "c"), node("mul", ["c", "y"], "b")], False),
    "gelu_residual": ("f16", [node("gelu", ["x"], "a"), node("add", ["a", "y"], "b")], False),
    "residual": ("f16", [node("silu", ["x"], "a"), node("add", ["a", "y"], "b")], False),
    "exp_less_1": ("f16", [node("exp", ["x"], "a"), node("sub", ["a", 1], "b")], False),
    "less_tanh": ("f16", [node("tanh", ["x"], "a"), node("sub", ["y", "a"], "b")], False),
    # The one that is stored alone.
    "exp_of_exp": ("f16", [node("exp", ["x"], "a"), node("exp", ["a"], "b")], True),
    "sine": ("f16", [node("exp", ["x"], "a"), node("sin", ["a"], "b")], False),
    "greater": ("f16", [node("exp", ["x"], "a"), node("gt", ["a", "y"], "c"), node("where", ["c", "x", "y"], "b")], False),
    "chosen": ("f16", [node("exp", ["x"], "a"), node("gt", ["x", "y"], "c"), node("where", ["c", "a", "y"], "b")], True),
    "in_f32": ("f32", [node("silu", ["x"], "b")], False),
    "from_f32": ("f32", [node("silu", ["x"], "a"), node("cast", ["a"], "b", dtype="f16")], True),
}


def which(folder):
    for name, (dtype, nodes, halved) in CHAINS.items():
        model = {"opgen": 1, "name": name, "dims": {"n": {"max": 1 << 20}}, "nodes": nodes, "outputs": ["b"],
                 "inputs": {key: {"dtype": dtype, "shape": ["n"]} for key in ("x", "y") if any(key in one["in"] for one in nodes)}}
        path = os.path.join(folder, f"{name}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(model, file)
        opgen("generate", path, "-o", os.path.join(folder, "which"))
        out, text = os.path.join(folder, "which", name), ""
        for one in os.listdir(out):
            if one.startswith("k_"):
                with open(os.path.join(out, one), encoding="utf-8") as file:
                    text += file.read()
        check(f"{name}: {'' if halved else 'not '}by functions of opgen_half.h", ("opgen_half.h" in text) == halved, text)
        if name == "exp_of_exp":
            check(f"{name}: one of two", text.count("opgen_exp_many(") == 2 and text.count("opgen_exp_half(") == 2, text)


with tempfile.TemporaryDirectory() as work:
    all_operands(work)
    conversions(work)
    rows(work)
    which(work)
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
