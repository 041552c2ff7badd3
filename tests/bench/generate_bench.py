#!/usr/bin/python3
"""generate_bench.py: how long `opgen generate` takes, and how much memory, by size and shape of the model.

    generate_bench.py --opgen build/opgen [--runs 5] [--json]

Chains, fans and ladders of maps, a chain of rolls, with and without a named dim, and the blocks of examples/encoder on top of each other,
at 10,000 and 100,000 nodes; models of one node; and a second run, in which nothing has changed. Times are of whole
processes, the best of so many runs, of one node the median as well; memory is the most that a process
held (of one that holds less than this Python, what this Python does). Each run writes into a folder of its own,
and all are removed at the end: ext4 takes long to make files where many were removed in the seconds before. Then each pass over these graphs by itself,
as `opgen graph --passes --json` tells its processor time: the least of three. Every goal is checked, and the exit status is 1 where
one is missed.
"""

import argparse
import json
import os
import re
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


def rolls(n):
    """Views that never come round: what the pass cancel looks at longest."""
    nodes, _ = chain(n)
    return [node("roll", n_["in"], n_["out"]) | {"attrs": {"shifts": [1], "dims": [1]}} for n_ in nodes], [f"t{n - 1}"]


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


def write_stack(path, n):
    """So many blocks of an encoder that there are n nodes, each block with weights of its own."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/encoder/model.json")) as text:
        block = json.load(text)
    model = {"opgen": 1, "name": "bench", "dims": block["dims"], "inputs": block["inputs"], "params": {}, "nodes": []}
    x = next(iter(block["inputs"]))

    def renamed(given, names):
        if isinstance(given, dict):
            return {key: renamed(item, names) for key, item in given.items()}
        return [renamed(item, names) for item in given] if isinstance(given, list) else names.get(given, given)

    for layer in range(-(-n // len(block["nodes"]))):
        names = {name: f"l{layer}_{name}" for name in list(block["params"]) + [node["out"] for node in block["nodes"]]}
        if layer > 0:
            names[x] = f"l{layer - 1}_{block['outputs'][0]}"
        model["params"].update({names[name]: param for name, param in block["params"].items()})
        for node in block["nodes"]:
            model["nodes"].append({**node, "in": renamed(node["in"], names), "out": names[node["out"]]})
    model["outputs"] = [names[block["outputs"][0]]]
    with open(path, "w") as out:
        json.dump(model, out)


def pass_times(opgen, model):
    """{pass: seconds}, the least of some runs."""
    least, path = {}, f"{model}.passes"
    for _ in range(3):
        once([opgen, "graph", model, "--passes", "--json", "-o", path])
        with open(path) as text:  # line by line: what this process holds counts for those that it starts
            for line in text:
                told = re.match(r'  {"name": "(\w+)", .*"seconds": ([0-9.]+)', line)
                if told:
                    seconds = float(told[2])
                    least[told[1]] = min(seconds, least.get(told[1], seconds))
    return least


def apart(work, *args):
    """In a process of its own, whose memory goes with it."""
    process = os.fork()
    if process == 0:
        work(*args)
        os._exit(0)
    if os.waitpid(process, 0)[1] != 0:
        sys.exit("generate_bench: no model was written")


def once(command):
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"generate_bench: {' '.join(command)} failed")
    return time.monotonic() - begun, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


# The longest kernels, and some that are not: the shapes of their operands, and attributes.
ONE_NODE = {
    "softmax": ([[4, 5]], {"dim": -1}),
    "layer_norm": ([[4, 5]], {"normalized_shape": [5]}),
    "sum": ([[4, 5]], {"dim": -1}),
    "linear": ([[4, 5], [6, 5]], {}),
    "scaled_dot_product_attention": ([[2, 3, 8, 16]] * 3, {}),
    "conv2d": ([[1, 3, 8, 8], [4, 3, 3, 3]], {}),
}


def write_one(path, op, shapes, attrs):
    names = ["x", "y", "z"][:len(shapes)]
    nodes = [{"op": op, "in": names, "out": "out", "attrs": attrs}]
    inputs = {name: {"dtype": "f32", "shape": shape} for name, shape in zip(names, shapes)}
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"opgen": 1, "name": "one", "inputs": inputs, "nodes": nodes, "outputs": ["out"]}, out)


def measure(opgen, model, work, runs, fresh):
    """The best time, the most memory, the files of the last run, and the medians of time and processor time."""
    measure.folders = getattr(measure, "folders", 0)
    folder = os.path.join(work, f"out{measure.folders}")
    times, processor, most = [], [], 0
    if not fresh:
        once([opgen, "generate", model, "-o", folder])
    for _ in range(runs):
        if fresh:
            measure.folders += 1
            folder = os.path.join(work, f"out{measure.folders}")
        seconds, memory, used = once([opgen, "generate", model, "-o", folder])
        times.append(seconds)
        processor.append(used)
        most = max(most, memory)
    measure.folders += 1
    files = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    return min(times), most, files, (statistics.median(times), statistics.median(processor))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opgen", default="build/opgen")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    opgen = os.path.abspath(args.opgen)
    rows, pass_rows, missed = [], [], []
    with tempfile.TemporaryDirectory(prefix="opgen_bench_") as work:
        model = os.path.join(work, "model.json")

        def row(name, nodes, seconds, memory, goal):
            rows.append({"model": name, "nodes": nodes, "seconds": round(seconds, 5), "mb": round(memory, 1), "goal": goal})

        def one_node(title, write_model):
            write_model()
            seconds, memory, files, medians = measure(opgen, model, work, max(args.runs, 41), True)
            row(title, 1, seconds, memory, f"10 ms; medians: {1e3 * medians[0]:.1f} ms, processor {1e3 * medians[1]:.1f} ms")
            if seconds >= 0.010:
                missed.append(title)
            return files

        for op, (shapes, attrs) in ONE_NODE.items():
            one_node(f"one node, {op}", lambda op=op, shapes=shapes, attrs=attrs: write_one(model, op, shapes, attrs))
        files = one_node("one node", lambda: write(model, [node("relu", "x", "y")], ["y"], False))
        seconds, memory, files, _ = measure(opgen, model, work, max(args.runs, 21), False)
        row("one node, again", 1, seconds, memory, "writes nothing")
        before = {path: os.stat(path).st_mtime_ns for path in files}
        once([opgen, "generate", model, "-o", os.path.dirname(os.path.dirname(files[0]))])
        if before != {path: os.stat(path).st_mtime_ns for path in files}:
            missed.append("a second run wrote something")
        def compare(title, write_model, goal_mb):
            took, passes = {}, {}
            for n in (SMALL, LARGE):
                apart(write_model, n)
                seconds, memory, _, _ = measure(opgen, model, work, args.runs if n == SMALL else 3, True)
                took[n], passes[n] = seconds, pass_times(opgen, model)
                row(title, n, seconds, memory, f"1 s, {goal_mb} MB" if n == SMALL else f"12 times: {seconds / took[SMALL]:.1f}")
                if n == SMALL and (seconds >= 1 or memory >= goal_mb):
                    missed.append(f"{title}: {seconds:.2f} s, {memory:.0f} MB")
            if took[LARGE] > 12 * took[SMALL]:
                missed.append(f"{title}: ten times the nodes took {took[LARGE] / took[SMALL]:.1f} times as long")
            for name, few in passes[SMALL].items():
                many = passes[LARGE][name]
                pass_rows.append({"model": title, "pass": name, "seconds": [few, many], "times": round(many / max(few, 1e-6), 1)})
                # n log n is 12.5 times; caches are left on the way, and what takes no time is not looked at.
                if many > 25 * few and many > 0.05:
                    missed.append(f"{title}: the pass {name} took {few:.4f} s, and {many:.4f} s for ten times the nodes")

        for name, shape in (("chain", chain), ("chain, kept", kept_chain), ("fan", fan), ("ladder", ladder), ("rolls", rolls)):
            for dim in (False, True):
                compare(name + (" of a named dim" if dim else ""), lambda n: write(model, *shape(n), dim), 200)
        compare("encoder blocks", lambda n: write_stack(model, n), 200)
    if args.json:
        print(json.dumps({"rows": rows, "passes": pass_rows, "missed": missed}, indent=1))
    else:
        print(f"{'opgen generate':28} {'nodes':>8} {'seconds':>9} {'MB':>7}  goal")
        for r in rows:
            print(f"{r['model']:28} {r['nodes']:8} {r['seconds']:9.4f} {r['mb']:7.1f}  {r['goal']}")
        print(f"\n{'passes':28} {'pass':>10} {SMALL:>10} {LARGE:>10}  times")
        for r in pass_rows:
            print(f"{r['model']:28} {r['pass']:>10} {r['seconds'][0]:10.5f} {r['seconds'][1]:10.5f}  {r['times']}")
        for text in missed:
            print(f"missed: {text}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
