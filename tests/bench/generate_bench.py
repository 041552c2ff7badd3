#!/usr/bin/python3
"""generate_bench.py: how long `opgen generate` takes, and how much memory, by size and shape of the model.

    generate_bench.py --opgen build/opgen [--runs 5] [--json]

Chains, fans and ladders of maps, with and without a named dim, at 10,000 and 100,000 nodes; a model of one node; and a
second run, in which nothing has changed. Times are of whole processes, medians of so many runs; memory is the most that
a process held. Every goal is checked, and the exit status is 1 where one is missed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SMALL, LARGE = 10_000, 100_000
OPS = ["relu", "sigmoid", "neg", "abs", "tanh", "square"]


def node(op, inputs, out):
    return {"op": op, "in": inputs, "out": out}


def chain(n):
    return [node(OPS[i % len(OPS)], f"t{i - 1}" if i else "x", f"t{i}") for i in range(n)], [f"t{n - 1}"]


def kept_chain(n):
    """Every tenth value is an output, so that functions are many and short."""
    nodes, _ = chain(n)
    return nodes, [f"t{i}" for i in range(9, n, 10)]


def fan(n):
    """All read the input, and a tree of sums reads them."""
    leaves = [node(OPS[i % len(OPS)], "x", f"l{i}") for i in range(n // 2)]
    names, nodes = [f"l{i}" for i in range(n // 2)], leaves
    while len(names) > 1:
        above = []
        for i in range(0, len(names) - 1, 2):
            name = f"s{len(nodes)}"
            nodes.append(node("add", [names[i], names[i + 1]], name))
            above.append(name)
        if len(names) % 2:
            above.append(names[-1])
        names = above
    return nodes, names


def ladder(n):
    """Two chains, each step of which reads both."""
    nodes, a, b = [], "x", "x"
    for i in range(n // 2):
        nodes += [node("add", [a, b], f"a{i}"), node("mul", [a, b], f"b{i}")]
        a, b = f"a{i}", f"b{i}"
    return nodes, [a, b]


def write(path, nodes, outputs, dim):
    model = {"opgen": 1, "name": "bench"}
    if dim:
        model["dims"] = {"n": {"min": 1, "max": 4096}}
    model["inputs"] = {"x": {"dtype": "f32", "shape": ["n" if dim else 64, 64]}}
    model["nodes"], model["outputs"] = nodes, outputs
    with open(path, "w") as out:
        json.dump(model, out)


def once(command):
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"generate_bench: {' '.join(command)} failed")
    return time.monotonic() - begun, usage.ru_maxrss / 1024


def measure(opgen, model, work, runs, fresh):
    folder = os.path.join(work, "out")
    command = [opgen, "generate", model, "-o", folder]
    times, most = [], 0
    if not fresh:
        once(command)
    for _ in range(runs):
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        seconds, memory = once(command)
        times.append(seconds)
        most = max(most, memory)
    files = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    return statistics.median(times), most, files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opgen", default="build/opgen")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    opgen = os.path.abspath(args.opgen)
    rows, missed = [], []
    with tempfile.TemporaryDirectory(prefix="opgen_bench_") as work:
        model = os.path.join(work, "model.json")

        def row(name, nodes, seconds, memory, goal):
            rows.append({"model": name, "nodes": nodes, "seconds": round(seconds, 5), "mb": round(memory, 1), "goal": goal})

        write(model, [node("relu", "x", "y")], ["y"], False)
        seconds, memory, files = measure(opgen, model, work, max(args.runs, 21), True)
        row("one node", 1, seconds, memory, "10 ms")
        if seconds >= 0.010:
            missed.append("one node")
        before = {path: os.stat(path).st_mtime_ns for path in files}
        seconds, memory, files = measure(opgen, model, work, max(args.runs, 21), False)
        row("one node, again", 1, seconds, memory, "writes nothing")
        shutil.rmtree(os.path.join(work, "out"))
        once([opgen, "generate", model, "-o", os.path.join(work, "out")])
        before = {path: os.stat(path).st_mtime_ns for path in files}
        once([opgen, "generate", model, "-o", os.path.join(work, "out")])
        if before != {path: os.stat(path).st_mtime_ns for path in files}:
            missed.append("a second run wrote something")
        for name, shape in (("chain", chain), ("chain, kept", kept_chain), ("fan", fan), ("ladder", ladder)):
            for dim in (False, True):
                title = name + (" of a named dim" if dim else "")
                took = {}
                for n in (SMALL, LARGE):
                    nodes, outputs = shape(n)
                    write(model, nodes, outputs, dim)
                    seconds, memory, _ = measure(opgen, model, work, args.runs if n == SMALL else 3, True)
                    took[n] = seconds
                    row(title, n, seconds, memory, "1 s, 200 MB" if n == SMALL else f"12 times: {seconds / took[SMALL]:.1f}")
                    if n == SMALL and (seconds >= 1 or memory >= 200):
                        missed.append(f"{title}: {seconds:.2f} s, {memory:.0f} MB")
                if took[LARGE] > 12 * took[SMALL]:
                    missed.append(f"{title}: ten times the nodes took {took[LARGE] / took[SMALL]:.1f} times as long")
    if args.json:
        print(json.dumps({"rows": rows, "missed": missed}, indent=1))
    else:
        print(f"{'opgen generate':28} {'nodes':>8} {'seconds':>9} {'MB':>7}  goal")
        for r in rows:
            print(f"{r['model']:28} {r['nodes']:8} {r['seconds']:9.4f} {r['mb']:7.1f}  {r['goal']}")
        for text in missed:
            print(f"missed: {text}")
    sys.exit(1 if missed else 0)


main()
