#!/usr/bin/python3
"""opdefs/opdef.schema.json: it is a JSON Schema, what is in opdefs/ obeys it, and it refuses what lint refuses for its form.

The keys that it knows, those that opdefs/README.md explains and those that lint takes are the same.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema

passed = failed = 0


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *details, sep="\n    ")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


SCHEMA = load("opdefs/opdef.schema.json")
jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def mistakes(document):
    return [f"{list(error.absolute_path)}: {error.message}" for error in VALIDATOR.iter_errors(document)]


def lint(document):
    """What lint finds in the form: names and expressions aside."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "op.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return subprocess.run([os.environ["OPGEN"], "lint", path], capture_output=True, text=True, check=False).stdout


MAP = {"op": "f", "kind": "map", "inputs": ["x"], "expr": "x"}
VIEW = {"op": "f", "kind": "view", "inputs": ["x"], "outputs": [{"name": "y", "shape": "x.shape"}], "index": "i[d]"}
REDUCE = {"op": "f", "kind": "reduce", "inputs": ["x"], "attrs": {"dim": {"type": "int"}}, "init": 0, "combine": "a + b"}
KERNEL = {"op": "f", "kind": "kernel", "inputs": ["x"], "kernel": "k"}
COMPOSITE = {"op": "f", "kind": "composite", "inputs": ["x"], "steps": [{"op": "neg", "in": ["x"], "out": "y"}]}


def attr(**parts):
    return {**MAP, "attrs": {"a": parts}}


RIGHT = [
    MAP, VIEW, REDUCE, COMPOSITE, {"ops": [MAP], "doc": "some", "$schema": "opdef.schema.json"},
    {**MAP, "$schema": "opdef.schema.json", "doc": "d", "in_place": True, "let": {"h": "x"}, "cost": {"flops": 1}},
    {**MAP, "outputs": ["y", {"name": "z", "type": "T"}], "expr": {"y": "x", "z": 0}},
    {**MAP, "types": {"T": "float"}, "arch": ["cpu"], "grad": {"x": "dy"}}, {**MAP, "arch": {"cuda": ["sm_90"]}},
    {**MAP, "inputs": [{"name": "x", "type": "T", "optional": True, "doc": "d"}]},
    {**MAP, "require": [{"that": "x.rank > 1", "else": "no"}]}, attr(type="int", default=None),
    attr(type="list", of="int", spread=True, len=2, default=1), attr(type="enum", values=["a"], default="a"),
    attr(type="float", default="inf"), {**VIEW, "valid": "i[0] > 0", "fill": "0"},
    {**MAP, "tests": [{"shapes": {"x": [2, 0]}, "dtypes": ["f32"], "tolerance": {"f32": 1e-6}, "reference": "x"}]},
    {**KERNEL, "kernel": "softmax", "sizes": {"n": "x.numel", "m": 2}, "holes": {"a": {"of": "x", "shape": "[n]", "index": "i"}, "y": {}}},
    {**REDUCE, "acc": {"s": "T"}, "map": "x", "finish": "s / count", "over": "[0]"},
    {**COMPOSITE, "steps": [{"op": "neg", "in": {"input": "x"}, "out": ["y"], "attrs": {}, "when": "x.rank > 0"}]},
]
WRONG = [
    {}, [], {"ops": {}}, {"ops": [1]}, {"ops": [], "op": "f"}, {**MAP, "kind": "loop"}, {**MAP, "op": "2f"}, {**MAP, "op": "a__b"},
    {k: v for k, v in MAP.items() if k != "inputs"}, {k: v for k, v in MAP.items() if k != "expr"}, {**MAP, "nothing": 1},
    {**MAP, "init": "0"}, {**MAP, "kernel": "k"}, {**VIEW, "expr": "x"}, {k: v for k, v in VIEW.items() if k != "index"},
    {k: v for k, v in REDUCE.items() if k != "init"}, {**REDUCE, "steps": []}, {**KERNEL, "kernel": 1}, {**COMPOSITE, "steps": []},
    {**COMPOSITE, "steps": [{"op": "neg", "in": ["x"]}]}, {**COMPOSITE, "steps": [{"op": "neg", "in": 1, "out": "y"}]},
    {**MAP, "expr": ["x"]}, {**MAP, "expr": None}, {**MAP, "inputs": [1]}, {**MAP, "inputs": [{"nam": "x"}]}, {**MAP, "outputs": []},
    {**MAP, "outputs": [{"name": "y", "shape": {"rank": 1}}]}, {**MAP, "types": {}}, {**MAP, "types": {"T": "f17"}},
    {**MAP, "types": {"T": []}}, {**MAP, "require": [{"that": "x.rank > 1"}]}, {**MAP, "mutates": []}, {**MAP, "in_place": 1},
    {**MAP, "doc": 1}, attr(), attr(type="itn"), attr(type="enum"), attr(type="int", values=["a"]), attr(type="int", len=2),
    attr(type="list", of="list"), attr(type="list", len=0), attr(type="int", defualt=0), {**MAP, "cost": {"flop": 1}}, {**MAP, "arch": []},
    {**MAP, "arch": "cpu"}, {**MAP, "tests": [{"shapes": {"x": [-1]}}]}, {**MAP, "tests": [{"shapes": {"x": [1]}, "dtypes": ["f33"]}]},
    {**MAP, "tests": [{"shapes": {"x": [1]}, "tolerance": -1}]}, {**MAP, "tests": [{"shape": {}}]}, {**MAP, "grad": []},
    {**MAP, "sizes": {}}, {**KERNEL, "sizes": []}, {**KERNEL, "sizes": {"2n": 1}}, {**KERNEL, "sizes": {"n": [1]}}, {**KERNEL, "holes": {"x": 1}},
    {**KERNEL, "holes": {"x": {"off": "x"}}}, {**KERNEL, "holes": {"x": {"of": 1}}}, {**KERNEL, "holes": {"x": {"shape": 4}}},
]


def keys_of(definition):
    return set(definition["properties"])


def main():
    paths = sorted(path for path in glob.glob("opdefs/*.json") if not path.endswith(".schema.json"))
    check("opdefs/ holds files", len(paths) >= 9)
    for path in paths:
        check(path, not mistakes(load(path)), *mistakes(load(path))[:5])
        check(f"{path} names the schema", load(path).get("$schema") == "opdef.schema.json")
    for document in RIGHT:
        check(f"right: {document}", not mistakes(document), *mistakes(document)[:3])
        check(f"lint takes: {document}", not lint(document), lint(document))
    for document in WRONG:
        check(f"wrong: {document}", mistakes(document))
        if document: # of {} and [] lint does not know that they are meant as operators
            check(f"lint refuses: {document}", lint(document))

    # The same keys everywhere. Of each kind, lint refuses just those that the schema refuses.
    operator = SCHEMA["$defs"]["operator"]
    with open("opdefs/README.md", encoding="utf-8") as file:
        explained = set(re.findall(r"`([a-z_]+)`", "".join(line for line in file if line.startswith("|"))))
    for key in keys_of(operator) - {"$schema"}:
        check(f"the reference explains {key}", key in explained)
    for base in (MAP, VIEW, REDUCE, KERNEL, COMPOSITE):
        for key in keys_of(operator):
            if key in base:
                continue
            refused = any(f"['{key}']" in text and "False schema" in text for text in mistakes({**base, key: "?"}))
            found = f'"{key}" is a key of' in lint({**base, key: "?"})
            check(f"{key} of a {base['kind']}", refused == found, f"schema: {refused}", f"lint: {found}")
    objects = {"input": SCHEMA["$defs"]["input"]["anyOf"][1], "output": SCHEMA["$defs"]["output"]["anyOf"][1]}
    asked = {
        "an input": (keys_of(objects["input"]), {**MAP, "inputs": [{"name": "x", "?": 1}]}),
        "an attribute": (keys_of(SCHEMA["$defs"]["attr"]), attr(type="int", **{"?": 1})),
        "an output": (keys_of(objects["output"]), {**MAP, "outputs": [{"name": "y", "?": 1}]}),
        "a step": (keys_of(SCHEMA["$defs"]["step"]), {**COMPOSITE, "steps": [{**COMPOSITE["steps"][0], "?": 1}]}),
        "a test": (keys_of(SCHEMA["$defs"]["test"]), {**MAP, "tests": [{"shapes": {"x": [1]}, "?": 1}]}),
        "a hole": (keys_of(SCHEMA["$defs"]["hole"]), {**KERNEL, "holes": {"x": {"?": 1}}}),
        "a requirement": (keys_of(SCHEMA["$defs"]["requirement"]), {**MAP, "require": [{"that": "x.rank", "else": "n", "?": 1}]}),
        "a cost": (keys_of(operator["properties"]["cost"]), {**MAP, "cost": {"?": 1}}),
        "a file of operators": (keys_of(SCHEMA["$defs"]["file"]), {"ops": [MAP], "?": 1}),
    }
    for what, (known, document) in asked.items():
        told = re.search(re.escape(what) + r' has no key "\?"\n.*\n.*its keys are: (.*)', lint(document))
        check(f"the keys of {what}", told and set(told[1].split()) == known, told and told[1], sorted(known))

    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
