#!/usr/bin/python3
"""kernel_bench.py: generated maps and reductions beside memcpy and a plain sum, on arrays past the cache.

    kernel_bench.py --opgen build/opgen [--threads 1] [--cc gcc] [--only TEXT] [--json] [--every REGEX] [--shape SHAPE]... [--fused REGEX] [--attempts 5]

Without --every some maps and reductions, such as models have; with it every operator of those two kinds and every dtype whose row
has a name that the regular expression matches from its begin to its end: pow_i32_nbym, sum_f16_nbym_0 (over columns), sum_f16_nbym_last1.

A shape is of a reduction, and which dim goes, or of a map's operands; of n there are as many as make 128 MiB of it all:

    kernel_bench.py --every '(sum|argmax)_f32.*' --shape n,100,3@1 --shape n,7@-1        sum_f32_nby100by3_1, ...
    kernel_bench.py --every '(add|mul)_f16.*' --shape n,3+n,1 --shape n,64,49+64,1       add_f16_nby3_nby1, ...

With --fused it is chains of maps, and reductions of what is computed on the way, as fused_cases.py has them (.* for all).

Each model is compiled as a user would compile it and run through opgen.h. A map's goal is 90 % of the speed at which memcpy
moves what it writes and as much of what it reads, and a sum over floats reads the rest; a reduction's, 90 % of what such a sum
reads. Each is also run in the cache: where it is slower there than its peer past it ("computes"), arithmetic binds, and there is
no goal, only a row. Others on a machine take time away, of the one or of the other: a row that misses its goal is measured
again, some times at most, and the best of each counts. The exit status is 1 where a goal is missed.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys

import fused_cases

GOAL = 0.9
ATTEMPTS = 5
CACHED = {"copy": (4096, 4), "read": (16384, 16)}  # elements, and in so many rows


def model(name, nodes, outputs, **inputs):
    tensors = {k: {"dtype": v[0], "shape": v[1]} for k, v in inputs.items()}
    dims = {d: {"max": 1 << 30} for v in inputs.values() for d in v[1]}
    return {"opgen": 1, "name": name, "dims": dims, "inputs": tensors,
            "nodes": nodes, "outputs": outputs}


def one(op, of, shape, count=1, **attrs):
    names = ["x", "y", "z"][:count]
    node = {"op": op, "in": names, "out": "out"}
    if attrs:
        node["attrs"] = attrs
    text = "_".join([op, of, "by".join(map(str, shape))] + [f"{v}".replace("-", "last") for v in attrs.values()])
    name = "".join(c if c.isalnum() else "_" for c in text).strip("_")
    while "__" in name:
        name = name.replace("__", "_")
    return model(name, [node], ["out"], **{k: (of, shape) for k in names})


def chain(dtype):
    nodes = [{"op": "add", "in": ["x", "bias"], "out": "a"}, {"op": "gelu", "in": "a", "out": "b"},
             {"op": "add", "in": ["b", "y"], "out": "out"}]
    return model(f"bias_gelu_residual_{dtype}", nodes, ["out"], x=(dtype, ["n", "m"]), bias=(dtype, ["m"]),
                 y=(dtype, ["n", "m"]))


# name of the comparison, model, sizes
def cases():
    flat, square = {"n": 1 << 26}, {"n": 8192, "m": 8192}
    half = {"n": 1 << 27}
    for op, dtype, count in [("relu", "f32", 1), ("add", "f32", 2), ("mul", "f32", 2), ("add_one", "f32", 0),
                             ("neg", "f64", 1), ("abs", "i32", 1), ("add", "i8", 2), ("gelu", "f32", 1),
                             ("sigmoid", "f32", 1), ("silu", "f32", 1), ("exp", "f32", 1), ("log", "f32", 1), ("tanh", "f32", 1), ("sqrt", "f32", 1),
                             ("mish", "f32", 1), ("softplus", "f32", 1), ("sin", "f32", 1), ("cos", "f32", 1), ("log2", "f32", 1)]:
        if count:
            sizes = {"n": (1 << 28) // {"f32": 4, "f64": 8, "i32": 4, "i8": 1}[dtype]}
            yield "copy", one(op, dtype, ["n"], count), sizes
    for op, dtype, count in [("relu", "f16", 1), ("add", "bf16", 2), ("silu", "f16", 1), ("sigmoid", "f16", 1), ("exp", "f16", 1),
                             ("swiglu", "f16", 2), ("tanh", "f16", 1), ("mish", "f16", 1), ("silu", "bf16", 1)]:
        yield "copy", one(op, dtype, ["n"], count), half
    yield "copy", one("gelu", "f16", ["n"], approximate="tanh"), half
    yield "copy", chain("f32"), square
    yield "copy", one("cast", "f32", ["n"], 1, dtype="f16"), flat
    for op, dtype, dim in [("sum", "f32", -1), ("sum", "f32", 0), ("mean", "f32", -1), ("amax", "f32", -1),
                           ("amax", "f32", 0), ("argmax", "f32", -1), ("argmax", "f32", 0), ("var", "f32", -1),
                           ("var", "f32", 0), ("norm", "f32", -1), ("sum", "f64", -1), ("sum", "i32", -1), ("amin", "i8", -1),
                           ("sum", "f16", 0), ("amax", "f16", 0), ("argmax", "f16", 0), ("var", "f16", 0)]:
        n = {"f64": 4096, "i8": 16384, "f16": 16384}.get(dtype, 8192)
        yield "read", one(op, dtype, ["n", "m"], 1, dim=dim), {"n": n, "m": 8192 if dtype != "i8" else 16384}
    yield "read", one("sum", "f32", ["n"], 1), flat
    yield "read", one("sum", "f16", ["n", "m"], 1, dim=-1), {"n": 8192, "m": 16384}
    yield "read", one("any", "bool", ["n"], 1), {"n": 1 << 28}


TOTAL = 1 << 27
BYTES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


def named(model, *more):
    model["name"] = "_".join([model["name"].split("_nby")[0], *more])
    return model


def read_shape(text):
    """As it stands, where it is one of those that are told above."""
    if not re.fullmatch(r"(n|\d+)(,(n|\d+))*((@-?\d+)|(\+(n|\d+)(,(n|\d+))*)*)", text) or "n" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is no shape as n,100,3@1 of a reduction or n,3+n,1 of a map: sizes, one of them n, and the dim that goes or more operands")
    rank, dim = text.count(",") + 1, text.partition("@")[2]
    if dim and not -rank <= int(dim) < rank:
        raise argparse.ArgumentTypeError(f"{text!r} has no dim {dim}: they go from {-rank} to {rank - 1}")
    return text


def shaped(op, dtype, inputs, shape):
    """A row of a shape, or nothing where it is one of the other kind of operator or has other operands. No size is told to the compiler
    but those of 1: dims are counted from the last one, as operands are laid over each other."""
    over, _, dim = shape.partition("@")
    operands = [[int(size) if size.isdigit() else size for size in one.split(",")] for one in over.split("+")]
    if bool(dim) != (op["kind"] == "reduce") or len(operands) not in (1, inputs):
        return
    operands = operands * (inputs // len(operands))
    known = [math.prod(size for size in sizes if size != "n") for sizes in operands]
    open_ones = sum(count for count, sizes in zip(known, operands) if "n" in sizes)
    left = TOTAL // BYTES[dtype] - sum(count for count, sizes in zip(known, operands) if "n" not in sizes)
    shapes, sizes = [], {}
    for sizes_of in operands:
        names = [f"d{len(sizes_of) - 1 - i}" if size != 1 else 1 for i, size in enumerate(sizes_of)]
        sizes.update((name, left // max(open_ones, 1) if size == "n" else size) for name, size in zip(names, sizes_of) if name != 1)
        shapes.append(names)
    attrs = {"dim": int(dim)} if dim else {}
    text = one(op["name"], dtype, ["n", "m"], inputs, **attrs)
    text["dims"] = {name: {"max": 1 << 30} for name in sizes}
    for i, names in enumerate(shapes):
        text["inputs"]["xyz"[i]]["shape"] = names
    parts = ["by".join(map(str, sizes_of)) for sizes_of in (operands if "+" in over else operands[:1])]
    yield "read" if dim else "copy", named(text, *parts, *([dim.replace("-", "last")] if dim else [])), sizes


def every(opgen, wanted, shapes):
    """Every map of one to three inputs, and every reduction, over rows and over columns where no shapes are told, of 128 MiB; those
    that an operator does not take are left out when they are compiled."""
    done = subprocess.run([opgen, "list", "ops", "--json"], capture_output=True, text=True, check=True)
    for op in json.loads(done.stdout):
        name, inputs = op["name"], op["inputs"].count(",") + 1
        if op["kind"] not in ("map", "reduce") or name.endswith("_") or inputs > 3:
            continue
        for dtype, size in BYTES.items():
            if shapes:
                rows = [row for shape in shapes for row in shaped(op, dtype, inputs, shape)]
            elif op["kind"] == "map":
                rows = [("copy", one(name, dtype, ["n", "m"], inputs), {"n": 8192, "m": (1 << 14) // size})]
            else:
                rows = [("read", one(name, dtype, ["n", "m"], 1, dim=dim), {"n": 8192, "m": (1 << 14) // size}) for dim in (-1, 0)]
            for _, text, _ in rows:
                for i, of in enumerate(op["inputs"].split(", ")):
                    if of in ("condition", "mask"):
                        text["inputs"]["xyz"[i]]["dtype"] = "bool"
            yield from (row for row in rows if re.fullmatch(wanted, row[1]["name"]))


def small_of(sizes, elements, few):
    """Sizes of what lies in the cache."""
    if "m" in sizes:
        columns = min(sizes["m"], elements // few)
        return {"n": elements // columns, "m": columns}
    most = max(sizes, key=sizes.get)
    return {**sizes, most: max(1, elements // (math.prod(sizes.values()) // sizes[most]))}


def read_regex(text):
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error
    return text


def built(cc, work):
    """kernel_bench.c."""
    bench = os.path.join(work, "kernel_bench")
    sources = sorted(os.path.join("runtime", name) for name in os.listdir("runtime") if name.endswith(".c"))
    subprocess.run([cc, "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-fopenmp", "-Iruntime",
                    "tests/bench/kernel_bench.c", *sources, "-o", bench, "-ldl", "-lpthread", "-lm"], check=True)
    return bench


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opgen", default="build/opgen")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--every", metavar="REGEX", type=read_regex)
    parser.add_argument("--shape", action="append", default=[], type=read_shape)
    parser.add_argument("--fused", metavar="REGEX", type=read_regex)
    parser.add_argument("--attempts", type=int, default=ATTEMPTS)
    args = parser.parse_args()
    if args.shape and not args.every:
        parser.error("--shape says what shapes, --every of which operators")
    if args.fused and args.every:
        parser.error("--fused and --every are rows of their own: give one of them")
    work = os.path.join(os.environ.get("BUILD", "build"), "bench", "kernels")
    os.makedirs(work, exist_ok=True)
    bench = built(args.cc, work)
    rows, missed = [], []
    if not args.json:
        print(f"{'model':34} {'us':>10} {'GB/s':>7} {'cached':>7} {'beside':>7}       ratio")
    of = every(args.opgen, args.every, args.shape) if args.every else fused_cases.cases(args.fused) if args.fused else cases()
    for kind, text, sizes in of:
        name = text["name"]
        if args.only not in name:
            continue
        path = os.path.join(work, name + ".json")
        with open(path, "w") as out:
            json.dump(text, out)
        command = [args.opgen, "compile", path, "-o", work, "--cc", args.cc] + (["--threads"] if args.threads > 1 else [])
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode and args.every and "error[E0" in done.stderr and "error[E080]" not in done.stderr:
            continue
        if done.returncode:
            sys.exit(done.stderr)
        library = done.stdout.strip()

        def measured(kind, sizes):
            done = subprocess.run([bench, str(args.threads), library, kind, *(f"{k}={v}" for k, v in sizes.items())], capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            return [float(word) for word in done.stdout.split()[1:]]

        elements, few = CACHED[kind]
        small = small_of(sizes, elements, few)
        us, peer, copied, cached = 1e12, 0, 0, 0
        for _ in range(args.attempts):
            again, rate, other, _, copy = measured(kind, sizes)
            moved = rate * again
            us, peer, copied = min(us, again), max(peer, other), max(copied, copy)
            cached = max(cached, measured("cached", small)[1])
            ratio, computes = moved / us / peer, args.threads == 1 and cached < (copied if kind == "copy" else peer)
            if ratio >= GOAL:
                break
        row = {"model": name, "us": us, "gb_s": moved / us, "beside": kind, "beside_gb_s": peer, "ratio": round(ratio, 3),
               "cached_gb_s": cached, "computes": computes}
        if kind == "copy":
            row["memcpy_gb_s"] = copied
        rows.append(row)
        if ratio < GOAL and not computes:
            missed.append(name)
        if not args.json:
            remark = "" if ratio >= GOAL else "  computes" if computes else "  missed"
            print(f"{name:34} {us:10.1f} {moved / us:7.2f} {cached:7.1f} {peer:7.2f} {kind:5} {ratio:.3f}{remark}", flush=True)
    if not rows:
        sys.exit(f"no row has a name that {args.every or args.fused or args.only!r} matches: names are as {'squares_f16_200' if args.fused else 'sum_f16_nbym_last1'}; .* is all of them")
    if args.json:
        print(json.dumps({"threads": args.threads, "rows": rows, "missed": missed}, indent=1))
    else:
        computing = sum(row["computes"] and row["ratio"] < GOAL for row in rows)
        print(f"{len(rows) - len(missed) - computing} reached {GOAL:.0%}, {len(missed)} missed, {computing} compute")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
