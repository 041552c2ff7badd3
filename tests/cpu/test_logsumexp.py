#!/usr/bin/python3
"""logsumexp beside NumPy in f64 or, of doubles, in long double: along rows, over columns and along a middle dim, of lengths that end anywhere in a vector, with infinities of both signs, NaN,
what is masked by -infinity, what is far greater than its neighbours, and what rises all the way.

    OPGEN=build/opgen tests/cpu/test_logsumexp.py

By what this processor has, by AVX2 alone, and by neither; where pages take turns, and where the processor sees ahead. Also of something computed, and with
something that follows.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cc

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
DTYPES = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64, "i32": np.int32}
PLACES = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-22, "f64": 2.0**-50}
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def exact(x, dim):
    most = x.max(dim, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        finite = np.where(np.isfinite(most), most, 0)
        return np.log(np.exp(x - finite).sum(dim)) + finite.squeeze(dim)


def arrays(rng, kind):
    """Name, array: two dims, either of which is folded. Some columns and rows are as ever, whatever is in others."""
    ways = ["plain", "masked", "infinite", "none", "spread", "large", "rising"]
    for number, length in enumerate([1, 2, 3, 7, 8, 17, 40, 48, 63, 130, 600, 1024, 1500, 17000]):
        for how in ways if np.issubdtype(kind, np.floating) else ["plain"]:
            other = int(rng.integers(1, 90)) if length < 4000 else 3
            x = rng.normal(size=(other, length)) * 3
            if how == "masked":
                x[rng.random(x.shape) < 0.7] = -np.inf
            elif how == "infinite":
                x[rng.integers(other), rng.integers(length)] = np.inf
                x[rng.integers(other), rng.integers(length)] = np.copysign(np.nan, rng.choice([-1.0, 1.0]))
            elif how == "none":
                x[rng.integers(other)], x[:, rng.integers(length)] = -np.inf, -np.inf
            elif how == "spread":
                x *= 100
            elif how == "large":
                x *= 1e3 if kind == np.float16 else float(rng.choice([1e4, 1e6, 1e9, 1e37]))
            elif how == "rising":
                x += np.linspace(-150, 150, length) + np.linspace(60, -60, other)[:, None]
            yield f"{how} {length}", (x.T if number % 2 else x).astype(kind)


def slabs(rng, kind):
    """The same of three dims, of which the middle one is folded: small ones beside each other, narrow ones, some that are wide."""
    for shape in (70, 4, 20), (40, 8, 16), (33, 1, 7), (19, 300, 3), (50, 2, 5), (21, 64, 64), (17, 5, 300), (18, 3, 4500):
        for how in ["plain", "masked", "some far"]:
            x = rng.normal(size=shape) * 3
            if how == "masked":
                x[rng.random(x.shape) < 0.7] = -np.inf
            elif how == "some far":
                for far in np.inf, -np.inf, np.nan, 2000, -3000:
                    x[rng.integers(shape[0]), rng.integers(shape[1]), rng.integers(shape[2])] = far
            yield f"{how} {shape}", x.astype(kind)


def models(rng):
    """A dtype, what it is, nodes, array, what should come out, what it is made from, dim."""
    for dtype, kind in DTYPES.items():
        for name, x in slabs(rng, kind) if dtype != "i32" else ():
            x = cut(dtype, x)
            of = x.astype(np.longdouble if dtype == "f64" else np.float64)
            yield dtype, f"{dtype} {name} over 1", [{"op": "logsumexp", "attrs": {"dim": 1}}], x, exact(of, 1), of, 1
        for name, x in arrays(rng, kind):
            x = cut(dtype, x)
            for dim in (0, 1):
                of = x.astype(np.longdouble if dtype == "f64" else np.float64)
                node = {"op": "logsumexp", "attrs": {"dim": dim}}
                yield dtype, f"{dtype} {name} over {dim} of {x.shape}", [node], x, exact(of, dim), of, dim
            if dtype == "f32" and name.startswith(("plain", "masked")):
                less = {"op": "mul", "of": 0.5}
                yield dtype, f"{dtype} {name} of half", [less, node], x, exact(of / 2, dim), of / 2, dim
                with np.errstate(invalid="ignore"):
                    want = exact(of, 1)[:, None]
                    yield dtype, f"{dtype} {name} kept, exp(x - that)", [{"op": "logsumexp", "attrs": {"dim": 1, "keepdim": True}}, "exp_less"], x, np.exp(of - want), np.exp(of - want), None


def cut(dtype, x):
    """What bf16 has of floats."""
    return (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32) if dtype == "bf16" else x


def stored(dtype, x):
    return (x.view(np.uint32) >> 16).astype(np.uint16).view("V2") if dtype == "bf16" else x


def run(folder, made, flags):
    model = {"opgen": 1, "name": "far", "dims": {}, "inputs": {}, "nodes": [], "outputs": []}
    for number, (dtype, _, nodes, x, *_) in enumerate(made):
        at = f"w{number}"
        shape = list(x.shape)
        if number % 29:  # known when it runs: the functions are the same for all
            shape = [f"dim{n}_{number}" for n in range(x.ndim)]
            model["dims"].update({name: {"max": 1 << 20} for name in shape})
        model["inputs"][at] = {"dtype": dtype, "shape": shape}
        for step, node in enumerate(nodes):
            to = f"w{number}_{step}"
            if node == "exp_less":
                model["nodes"] += [{"op": "sub", "in": [f"w{number}", at], "out": f"{to}_less"}, {"op": "exp", "in": f"{to}_less", "out": to}]
            elif "of" in node:
                model["nodes"].append({"op": node["op"], "in": [at, node["of"]], "out": to})
            else:
                model["nodes"].append({"op": node["op"], "in": at, "out": to, "attrs": node["attrs"]})
            at = to
        model["outputs"].append(at)
    with open(os.path.join(folder, "far.json"), "w", encoding="utf-8") as out:
        json.dump(model, out)
    np.savez(os.path.join(folder, "in.npz"), **{f"w{n}": stored(w[0], w[3]) for n, w in enumerate(made)})
    done = subprocess.run([OPGEN, "compile", "far.json", "-o", "made", "--cc", cc.of_kernels(flags)], cwd=folder, capture_output=True, text=True, check=False)
    check(f"compile {flags}", done.returncode == 0, done.stderr[-2000:])
    if done.returncode:
        return
    ran = subprocess.run([OPGEN, "run", done.stdout.strip(), "--in=in.npz", "--out=out.npz"], cwd=folder, capture_output=True, text=True, check=False)
    check(f"run {flags}", ran.returncode == 0, ran.stderr[-2000:])
    if ran.returncode:
        return
    with np.load(os.path.join(folder, "out.npz")) as got:
        for (dtype, what, _, _, want, of, dim), name in zip(made, model["outputs"]):
            result = got[name]
            if result.dtype.kind == "V":
                result = (result.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
            result, rounded = result.astype(want.dtype), PLACES.get(dtype, PLACES["f32"])
            with np.errstate(invalid="ignore"):
                most = np.abs(of.max(dim)) if dim is not None else 0
                off = rounded * (np.abs(want) + most + 1) if dim is not None else 2.0**-20 * (1 + np.abs(np.log(np.maximum(want, 1e-300)))) * want
                near = np.abs(result - want) <= np.where(np.isfinite(off), off, 0)
                good = near | (result == want) | np.isnan(result) & np.isnan(want)
            if dim is None:  # what comes to less than the least normal number
                good |= want < 1e-37
            worst = np.argmax(~good)
            check(f"{what}, {flags}", result.shape == want.shape and np.all(good),
                  f"{np.count_nonzero(~good)} of {want.size} are off, the first {result.flat[worst]!r}, not {want.flat[worst]!r}")


PARTS = {
    "op": "parts", "doc": "the greatest, and the sum of exponentials of what all are less than that", "kind": "reduce", "inputs": ["input"],
    "attrs": {"dim": {"type": "list", "of": "int", "spread": True}}, "types": {"T": "float"}, "outputs": ["most", "powers"],
    "acc": {"m": "T", "s": "T"}, "init": {"m": "-inf", "s": "0"}, "map": {"m": "input", "s": "1"},
    "combine": {"m": "max(a.m, b.m)", "s": "a.s * (1 if a.m >= b.m else exp(-abs(a.m - b.m))) + b.s * (1 if b.m >= a.m else exp(-abs(a.m - b.m)))"},
    "finish": {"most": "m", "powers": "s"},
    "tests": [{"shapes": {"input": [2, 3]}, "attrs": {"dim": 1}, "reference": "torch.logsumexp(input, 1)"}],
}


def run_parts(folder):
    """An operator whose accumulators are those of logsumexp and which gives them as they are: the greatest is the greatest then."""
    x = (np.random.default_rng(30).normal(size=(40, 200)) * 3).astype(np.float32)
    os.mkdir(os.path.join(folder, "ops"))
    nodes = [{"op": "parts", "in": "x", "out": [f"most{dim}", f"powers{dim}"], "attrs": {"dim": dim}} for dim in (0, 1)]
    model = {"opgen": 1, "name": "parts", "inputs": {"x": {"dtype": "f32", "shape": list(x.shape)}}, "nodes": nodes, "outputs": [name for node in nodes for name in node["out"]]}
    for name, said in ("parts.json", model), (os.path.join("ops", "parts.json"), PARTS):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            json.dump(said, out)
    np.savez(os.path.join(folder, "in.npz"), x=x)
    ran = subprocess.run([OPGEN, "run", "parts.json", "-I", "ops", "-o", "made_parts", "--in=in.npz", "--out=out.npz"], cwd=folder, capture_output=True, text=True, check=False)
    check("run parts", ran.returncode == 0, ran.stderr[-2000:])
    if ran.returncode:
        return
    with np.load(os.path.join(folder, "out.npz")) as got:
        for dim in (0, 1):
            check(f"the greatest over {dim}", np.array_equal(got[f"most{dim}"], x.max(dim)))
            want = np.exp(x.astype(np.float64) - x.max(dim, keepdims=True)).sum(dim)
            check(f"its powers over {dim}", np.all(np.abs(got[f"powers{dim}"] - want) <= 2.0**-20 * want))


made = list(models(np.random.default_rng(29)))
with tempfile.TemporaryDirectory() as work:
    # -O2: the versions of loops that -O3 adds take as long again; test_large.sh has them.
    run(work, made, "gcc -O2 -march=native")
    run_parts(work)
    os.environ["CFLAGS"] = "-Og"  # compilers take nearly all of the time
    run(work, [one for one in made if one[0] == "f32"], "clang -DOPGEN_TAKE_TURNS=1 -DOPGEN_STREAM_BYTES=1024")
    run(work, made[1::3], "gcc -DOPGEN_NO_CLONES -DOPGEN_STREAM_BYTES=1024")
    run(work, made[::3], "gcc -march=x86-64-v3 -DOPGEN_TAKE_TURNS=2 -DOPGEN_STREAM_BYTES=1024")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
