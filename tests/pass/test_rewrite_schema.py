#!/usr/bin/python3
"""opdefs/rewrites/rewrite.schema.json: it is a JSON Schema, what is beside it obeys it, and it refuses what lint refuses.

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


SCHEMA = load("opdefs/rewrites/rewrite.schema.json")
jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def mistakes(document):
    return [f"{list(error.absolute_path)}: {error.message}" for error in VALIDATOR.iter_errors(document)]


def lint(document):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return subprocess.run([os.environ["OPGEN"], "lint", path], capture_output=True, text=True, check=False).stdout


NODE = {"op": "neg", "in": ["x"], "out": "y"}
ADD = {"op": "add", "in": ["x", "z"], "out": "y"}
STEP = {"op": "abs", "in": ["x"], "out": "y"}
RULE = {"rewrite": "r", "match": [NODE], "steps": [STEP]}


def node(**parts):
    return {**RULE, "match": [{**NODE, **parts}]}


RIGHT = [
    RULE, {"rewrites": [RULE], "doc": "d", "$schema": "rewrite.schema.json"}, {"rewrite": "r", "off": True}, {**RULE, "doc": "d"},
    {"rewrite": "r", "match": [NODE], "give": {"y": "x"}}, {**RULE, "match": [[NODE], [{**NODE, "op": "exp"}]]},
    {**RULE, "when": "x.rank > 1", "constant": ["x"]}, node(**{"in": "x"}), node(**{"in": {"input": "x"}}), node(shared=True, doc="d"),
    {**RULE, "match": [{**ADD, "any_order": True}]}, {**RULE, "match": [{**ADD, "in": ["x", 0.5]}]},
    {**RULE, "match": [{**ADD, "in": ["x", {"number": "k"}]}], "when": "k > 1"},
    {**RULE, "match": [{"op": "linear", "in": ["x", "w", "b?"], "out": ["y"]}]},
    {**RULE, "match": [{"op": "linear", "in": ["x", "w", None], "out": "y"}]},
    {**RULE, "match": [{"op": "cat", "in": [["x", "z"]], "attrs": {"dim": "_"}, "out": "y"}]},
    {**RULE, "match": [{"op": "sum", "in": ["x"], "attrs": {"dim": "d", "keepdim": True}, "out": "y"}], "when": "len(d) == 1"},
]
WRONG = [
    {"rewrites": {}}, {"rewrites": [1]}, {"rewrites": [], "rewrite": "r"}, {"rewrite": "r"}, {"rewrite": "r", "match": [NODE]}, {**RULE, "rewrite": 1},
    {**RULE, "rewrite": "2r"}, {**RULE, "nothing": 1}, {**RULE, "doc": 1}, {**RULE, "off": 1}, {**RULE, "match": []}, {**RULE, "match": NODE},
    {**RULE, "match": [1]}, {**RULE, "match": [{**NODE, "nothing": 1}]}, {**RULE, "match": [{"op": "neg", "in": ["x"]}]}, node(op=1),
    node(**{"in": 1}), node(**{"in": [True]}), node(**{"in": [{}]}), node(**{"in": [{"number": "k", "more": 1}]}), node(out=1), node(attrs=[]),
    node(any_order=1), node(shared="x"), {**RULE, "constant": "x"}, {**RULE, "constant": [1]}, {**RULE, "when": ["x"]}, {**RULE, "steps": []},
    {**RULE, "steps": [1]}, {**RULE, "steps": [{"op": "abs", "in": ["x"]}]}, {"rewrite": "r", "match": [NODE], "give": ["y"]},
    {"rewrite": "r", "match": [NODE], "give": {"y": 1}}, {**RULE, "match": [[NODE], NODE]}, {**RULE, "match": [[]]},
]


def main():
    paths = sorted(path for path in glob.glob("opdefs/rewrites/*.json") if not path.endswith(".schema.json"))
    check("opdefs/rewrites holds files", len(paths) >= 4)
    for path in paths:
        check(path, not mistakes(load(path)), *mistakes(load(path))[:5])
        check(f"{path} names the schema", load(path).get("$schema") == "rewrite.schema.json")
    for document in RIGHT:
        check(f"right: {document}", not mistakes(document), *mistakes(document)[:3])
        check(f"lint takes: {document}", not lint(document), lint(document))
    for document in WRONG:
        check(f"wrong: {document}", mistakes(document))
        check(f"lint refuses: {document}", lint(document))
    with open("opdefs/README.md", encoding="utf-8") as file:
        text = file.read()
    section = text[text.index("## Rules that replace operators") : text.index("## Expressions")]
    explained = set(re.findall(r"`\"?([a-z_]+)\b", section))
    for name in ("rule", "node"):
        for key in set(SCHEMA["$defs"][name]["properties"]) - {"doc"}:
            check(f"the reference explains {key}", key in explained or f'"{key}"' in section)
    asked = {
        "a rule": (set(SCHEMA["$defs"]["rule"]["properties"]), {**RULE, "?": 1}),
        "an operator of a match": (set(SCHEMA["$defs"]["node"]["properties"]), node(**{"?": 1})),
        "a step": (set(SCHEMA["$defs"]["step"]["properties"]), {**RULE, "steps": [{**STEP, "?": 1}]}),
        "a file of rules": (set(SCHEMA["$defs"]["file"]["properties"]), {"rewrites": [RULE], "?": 1}),
    }
    for what, (known, document) in asked.items():
        told = re.search(re.escape(what) + r' has no key "\?"\n.*\n.*its keys are: (.*)', lint(document))
        check(f"the keys of {what}", told and set(told[1].split()) == known, told and told[1], sorted(known))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
