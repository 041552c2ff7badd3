#!/usr/bin/python3
"""sweep.py: one kernel at many sizes, and as several folders of templates make it, by turns: a table in a minute or two.

    sweep.py OPS DTYPES SHAPE [SIZES] [--data DIR]... [--turns 3] [--cached] [--threads 1] [--mib 128] [--opgen build/opgen] [--cc cc] [--json]

    sweep.py sum,amax f32,f16 n,m@0 20,50,100,300,1000          over columns, so many of them
    sweep.py sum,mul:sum f64 n,m@-1 5,9,17,64                   over rows; squares that are summed
    sweep.py var f32 n,k,m@1 49x512,7x3000                      over the middle one of three
    sweep.py add,silu:mul f16 n,m+m 100,1000                    maps: something that rows share; silu of x, times y
    sweep.py sum f32 n,m@0 300,700 --data . --data /tmp/before  as two trees make it

A shape's n is as large as makes --mib of what is read; its other letters are the sizes, in order, with x between them. The library
is compiled once with open dims, so a size costs a second. What stands in the table is the median over --turns of how fast the memory
that a model reads and writes passes, of what memcpy takes for as much as it writes and a plain sum for the rest (kernel_bench.c);
variants take turns at each size. --cached adds lines of GB/s in the cache, the best of the turns. Neither has a goal: kernel_bench.py has those.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys

import kernel_bench

CACHED_BYTES = 400000


def read_shape(text):
    found = re.fullmatch(r"([a-z](?:,[a-z])*)(?:@(-?\d+)|((?:\+[a-z](?:,[a-z])*)+))?", text)
    if not found or "n" not in found[1].split(","):
        raise argparse.ArgumentTypeError(f"{text!r} is no shape as n,m@0 or n,k,m@1 of reductions or n,m+m of maps: letters, n among the first ones")
    operands = [part.split(",") for part in text.partition("@")[0].split("+")]
    letters = list(dict.fromkeys(letter for part in operands for letter in part if letter != "n"))
    return operands, int(found[2]) if found[2] else None, letters


def operand_counts(opgen):
    """How many operands each operator takes, by name."""
    done = subprocess.run([opgen, "list", "ops", "--json"], capture_output=True, text=True, check=True)
    return {op["name"]: op["inputs"].count(",") + 1 for op in json.loads(done.stdout)}


def model(ops, dtype, operands, dim, tag, counts):
    """A chain: each of `ops` takes what came before, at first x, and if it takes more the operands that are left, or the same again."""
    names = ["x", "y", "z"][:len(operands)]
    nodes, value, left = [], "x", names[1:]
    for i, op in enumerate(ops):
        last = i == len(ops) - 1
        takes = [value] + [left.pop(0) if left else value for _ in range(counts.get(op, 1) - 1)]
        node = {"op": op, "in": takes, "out": "out" if last else f"v{i}"}
        if last and dim is not None:
            node["attrs"] = {"dim": dim}
        nodes.append(node)
        value = node["out"]
    if left:
        sys.exit(f"sweep.py: {':'.join(ops)} does not take {len(operands)} operands")
    return kernel_bench.model(f"{'_'.join(ops)}_{dtype}_{tag}", nodes, ["out"], **dict(zip(names, ((dtype, shape) for shape in operands))))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip(), description="\n\n".join(__doc__.split("\n\n")[2:]), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ops", type=lambda text: text.split(","))
    parser.add_argument("dtypes", type=lambda text: text.split(","))
    parser.add_argument("shape", type=read_shape)
    parser.add_argument("sizes", type=lambda text: text.split(","), nargs="?", default=[""])
    parser.add_argument("--data", action="append", help="a folder with templates, opdefs and runtime")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--cached", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mib", type=int, default=128)
    parser.add_argument("--opgen", default="build/opgen")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    operands, dim, letters = args.shape
    sizes = []
    for text in args.sizes:
        if not re.fullmatch("x".join([r"[1-9]\d*"] * len(letters)), text):
            parser.error(f"size {text!r}: wanted {' x '.join(letters) or 'none, the shape has n alone'}, as in {'x'.join(['64'] * len(letters)) or 'no third word'}")
        sizes.append(dict(zip(letters, map(int, text.split("x")))))
    for dtype in args.dtypes:
        if dtype not in kernel_bench.BYTES:
            parser.error(f"dtype {dtype!r}: there are {', '.join(kernel_bench.BYTES)}")
    if args.turns < 1 or args.mib < 1 or args.threads < 1:
        parser.error("--turns, --mib and --threads are at least 1")
    folders = args.data or ["."]
    for folder in folders:
        if not os.path.isdir(os.path.join(folder, "templates")):
            parser.error(f"--data {folder}: there is no folder templates in it")
    work = os.path.join(os.environ.get("BUILD", "build"), "bench", "sweep")
    os.makedirs(work, exist_ok=True)
    bench, counts = kernel_bench.built(args.cc, work), operand_counts(args.opgen)

    def library(text, k):
        folder = os.path.join(work, str(k))
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, text["name"] + ".json")
        with open(path, "w") as out:
            json.dump(text, out)
        command = [args.opgen, "compile", path, "-o", folder, "--cc", args.cc] + (["--threads"] if args.threads > 1 else [])
        done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, OPGEN_DATA=folders[k]) if args.data else None)
        if done.returncode and "error[E030]" in done.stderr:
            return None
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout.strip()

    def measured(kind, one, of, dtype, total):
        elements = [(math.prod(of[letter] for letter in part if letter != "n"), "n" in part) for part in operands]
        n = max(1, (total // kernel_bench.BYTES[dtype] - sum(each for each, grows in elements if not grows)) // sum(each for each, grows in elements if grows))
        done = subprocess.run([bench, str(args.threads), one, kind, f"n={n}", *(f"{k}={v}" for k, v in of.items())], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        words = [float(word) for word in done.stdout.split()[1:]]
        return words[1] if kind == "cached" else words[3]

    rows, wide = [], max([7] + [len(text) for text in args.sizes]) + 2
    label = max(len(op) for op in args.ops) + 6
    if not args.json:
        print(" " * (label + 2) + "".join(f"{text:>{wide}}" for text in args.sizes))
    for op in args.ops:
        for dtype in args.dtypes:
            text = model(op.split(":"), dtype, operands, dim, "of_" + "_".join("".join(part) for part in operands) + (f"_{dim}".replace("-", "last") if dim is not None else ""), counts)
            libraries = [library(text, k) for k in range(len(folders))]
            if None in libraries:
                print(f"{op + ' ' + dtype:{label}}  an operator does not take it", file=sys.stderr)
                continue
            ratios, cached = [[[] for _ in sizes] for _ in folders], [[[] for _ in sizes] for _ in folders]
            for s, of in enumerate(sizes):
                for _ in range(args.turns):
                    for k, one in enumerate(libraries):
                        ratios[k][s].append(measured("copy", one, of, dtype, args.mib << 20))
                    for k, one in enumerate(libraries if args.cached else []):
                        cached[k][s].append(measured("cached", one, of, dtype, CACHED_BYTES))
            for k, folder in enumerate(folders):
                row = {"op": op, "dtype": dtype, "data": folder, "ratio": {text: round(statistics.median(ratios[k][s]), 3) for s, text in enumerate(args.sizes)}}
                if args.cached:
                    row["cached_gb_s"] = {text: max(cached[k][s]) for s, text in enumerate(args.sizes)}
                rows.append(row)
                if not args.json:
                    print(f"{op + ' ' + dtype:{label}}{k if len(folders) > 1 else '':>2}" + "".join(f"{value:{wide}.2f}" for value in row["ratio"].values()), flush=True)
                    if args.cached:
                        print(f"{'  in the cache':{label}}  " + "".join(f"{value:{wide}.1f}" for value in row["cached_gb_s"].values()), flush=True)
    if not rows:
        sys.exit("sweep.py: no operator takes any of the dtypes")
    if args.json:
        print(json.dumps({"threads": args.threads, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
