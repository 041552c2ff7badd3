#!/usr/bin/python3
"""The shrinker of test_random_models.py: on models that fail for a known reason it finds the reason, and no more; and the
whole way, from a comparison that is wrong on purpose to the small model that is written."""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shrink import cleaned, measure, names_in, names_out, shrink  # noqa: E402

passed = failed = 0


def check(what, good, *more):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}", *more)


def random_model(seed, n):
    """Maps, reductions that keep their dim and lists, over (batch, 7, 16); every node but the culprits is harmless."""
    rng = random.Random(seed)
    model = {
        "opgen": 1, "name": "random", "dims": {"batch": {"min": 1, "max": 8}},
        "inputs": {f"x{i}": {"dtype": "f32", "shape": ["batch", 7, 16]} for i in range(4)},
        "params": {"w0": {"dtype": "f32", "shape": [7, 16]}}, "nodes": []}
    names = list(model["inputs"]) + ["w0"]
    for i in range(n):
        op = rng.choice(["relu", "neg", "add", "mul"])
        reads = [rng.choice(names[-8:]) for _ in range(2 if op in ("add", "mul") else 1)]
        model["nodes"].append({"op": op, "in": reads, "out": f"t{i}"})
        names.append(f"t{i}")
    model["outputs"] = [f"t{n - 1}", f"t{n // 2}", f"t{n // 3}"]
    return model


def types(model):
    known = {}
    for node in model["nodes"]:
        for name in names_out(node):
            known[name] = ("f32", ("batch", 7, 16))
    return known


def ancestors(model, name):
    makers = {out: node for node in model["nodes"] for out in names_out(node)}
    seen, left = [], [name]
    while left:
        node = makers.get(left.pop())
        if node is not None and node not in seen:
            seen.append(node)
            left += names_in(node)
    return seen


def finds_one_node():
    for seed in range(8):
        model = random_model(seed, 40)
        model["nodes"][11] = {"op": "softmax", "in": ["x0"], "out": "t11", "attrs": {"dim": -1}}
        model["nodes"][25] = {"op": "add", "in": ["t11", "t24"], "out": "t25"}
        model["outputs"].append("t25")
        tries = []

        def fails(candidate):
            tries.append(measure(candidate))
            return any(node["op"] == "softmax" for node in cleaned(candidate)["nodes"])

        small = shrink(model, fails, types)
        check(f"one node, seed {seed}", len(small["nodes"]) == 1 and small["nodes"][0]["op"] == "softmax", small)
        check("one output, one input", len(small["outputs"]) == 1 and len(small["inputs"]) == 1 and not small["params"], small)
        sizes = [size for tensor in small["inputs"].values() for size in tensor["shape"] if size != "batch"]
        check("sizes of 1", sizes == [1, 1] and small.get("dims", {"batch": {"max": 1}})["batch"]["max"] == 1, small)
        check("few tries", len(tries) < 400, len(tries))


def finds_two_nodes():
    """The reason is two nodes, one somewhere behind the other, and a size."""
    for seed in range(8):
        model = random_model(100 + seed, 30)
        model["nodes"][5] = {"op": "tanh", "in": ["x1"], "out": "t5"}
        model["nodes"][6] = {"op": "neg", "in": ["t5"], "out": "t6"}
        model["nodes"][20] = {"op": "exp", "in": ["t6"], "out": "t20"}
        model["outputs"].append("t20")

        def fails(candidate):
            sizes = [size for tensor in candidate["inputs"].values() for size in tensor["shape"]]
            for node in candidate["nodes"]:
                if node["op"] == "exp" and any(other["op"] == "tanh" for other in ancestors(candidate, node["out"])):
                    return any(isinstance(size, int) and size >= 5 for size in sizes)
            return False

        small = shrink(model, fails, types)
        check(f"two nodes, seed {seed}", [node["op"] for node in small["nodes"]] == ["tanh", "exp"], small)
        sizes = sorted(size for tensor in small["inputs"].values() for size in tensor["shape"] if size != "batch")
        check("the size that it takes", sizes == [1, 5], small)
        check("it fails", fails(small), small)


def takes_no_model_for_failing():
    model = random_model(1, 10)
    try:
        shrink(model, lambda candidate: False)
        check("refused", False)
    except ValueError:
        check("refused", True)
    before = json.dumps(model)

    def picky(candidate):  # whatever is not the model as it was is broken in some other way
        if len(candidate["nodes"]) < 10:
            raise RuntimeError("something else")
        candidate["nodes"] = []  # and it may spoil what it gets
        return True

    small = shrink(model, picky, types)
    check("left as it was", len(small["nodes"]) == len(cleaned(json.loads(before))["nodes"]) or len(small["nodes"]) == 10, small)
    check("the model is not changed", json.dumps(model) == before)


def keeps_to_its_time():
    import time

    def slow(candidate):
        time.sleep(0.05)
        return True

    begun = time.monotonic()
    shrink(random_model(3, 200), slow, types, seconds=1)
    check("in time", time.monotonic() - begun < 3, time.monotonic() - begun)


def lists_and_numbers():
    model = {
        "opgen": 1, "name": "lists", "inputs": {"x": {"dtype": "f32", "shape": [4, 6]}, "z": {"dtype": "f32", "shape": [4, 6]}},
        "nodes": [
            {"op": "chunk", "in": ["x"], "out": ["a", "b"], "attrs": {"chunks": 2, "dim": 1}},
            {"op": "cat", "in": [["b", "a", "b"]], "out": "c", "attrs": {"dim": 1}},
            {"op": "add", "in": {"input": "c", "other": 2.5}, "out": "d"},
            {"op": "reshape", "in": "d", "out": "e", "attrs": {"shape": [4, 9]}}],
        "outputs": ["e", "a"]}
    small = shrink(model, lambda candidate: any(node["op"] == "cat" for node in candidate["nodes"]),
                   lambda candidate: {name: ("f32", (4, 3)) for name in "ab"})
    check("a list", [node["op"] for node in small["nodes"]] == ["cat"] and small["outputs"] == ["c"], small)
    check("what it reads", set(small["inputs"]) <= {"a", "b"} and small["inputs"], small)


def the_whole_way():
    """One of NumPy's operators is wrong on purpose: the test fails, and shows a model of little more than this operator."""
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory(prefix="opgen_shrink_") as folder:
        program = (
            f"import sys; sys.path.insert(0, {here!r})\n"
            "import test_random_models as t\n"
            "add = t.Graph.add\n"
            "def wrong(self, op, inputs, shape, step, **attrs):\n"
            "    spoiled = (lambda a: step(a) + 0.5) if op == 'sigmoid' else step\n"
            "    return add(self, op, inputs, shape, spoiled, **attrs)\n"
            "t.Graph.add = wrong\n"
            "t.WAYS = t.WAYS[:1]\n"
            "t.main()\n")
        env = os.environ | {"SEED": "5", "COUNT": "6", "BUILD": folder, "SHRINK_SECONDS": "60"}
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=500)
        check("it fails", done.returncode == 1, done.stdout, done.stderr)
        check("and says how to do it again", "SEED=5 ONLY=" in done.stdout and "verify" in done.stdout, done.stdout)
        models = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".json")]
        check("models are written", models and all(path in done.stdout for path in models), done.stdout)
        for path in models:
            with open(path) as text:
                small = json.load(text)
            ops = [node["op"] for node in small["nodes"]]
            check("the operator alone", ops == ["sigmoid"], ops, done.stdout)


def main():
    finds_one_node()
    finds_two_nodes()
    takes_no_model_for_failing()
    keeps_to_its_time()
    lists_and_numbers()
    the_whole_way()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()
