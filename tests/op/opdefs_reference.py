#!/usr/bin/python3
"""opdefs_reference.py: what PyTorch makes of the cases of opdefs/: shapes and dtypes, of views where each element is from, and
of products of matrices the elements.

    python3 tests/op/opdefs_reference.py > tests/op/opdefs_reference.json

Needs PyTorch (Debian's python3-torch); its answers are kept in the file, so that the tests do not. A view is asked with
inputs whose elements are numbered, through all tensors of a list; an element that comes from no input is -1. A product
is asked with the same numbers, in f64.
"""

import glob
import json

import torch
import torch.nn.functional as F

TORCH = {"bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
         "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
OURS = {theirs: ours for ours, theirs in TORCH.items()}
GROUPS = {"float": "f32", "int": "i32", "any": "f32"}


def input_of(given):
    return given if isinstance(given, dict) else {"name": given}


def make(dtype, shape, first):
    count = 1
    for size in shape:
        count *= size
    values = torch.arange(first, first + count)
    return (values % 2 == 0 if dtype == "bool" else values.to(TORCH[dtype])).reshape(shape), first + count


def takes(types, dtype):
    """Whether a set of dtypes has this one; positions, whose set has not, are i64."""
    names = [types] if isinstance(types, str) else types
    kind = "none" if dtype == "bool" else "float" if dtype in ("f16", "bf16", "f32", "f64") else "int"
    return any(name in (dtype, kind, "any") for name in names)


def tensors_of(op, case, dtype, first):
    types = op.get("types", {"T": "float"})
    tensors = {}
    for given in map(input_of, op["inputs"]):
        name = given["name"]
        if name not in case.get("shapes", {}):
            continue
        kind = given.get("type", next(iter(types)))
        own = kind if kind not in types else dtype if takes(types[kind], dtype) else "i64"
        shapes = case["shapes"][name] if given.get("list") else [case["shapes"][name]]
        made = []
        for shape in shapes:
            tensor, first = make(own, shape, first)
            made.append(tensor)
        tensors[name] = made if given.get("list") else made[0]
    return tensors


def ask(case, tensors):
    got = eval(case["reference"], {"torch": torch, "F": F, **tensors})
    return list(got) if isinstance(got, (tuple, list)) else [got]


def answer(op, case, dtype):
    outputs = ask(case, tensors_of(op, case, dtype, 1000))
    found = {"outputs": [{"dtype": OURS[y.dtype], "shape": list(y.shape)} for y in outputs]}
    if op["kind"] == "view":
        found["from"] = [[v - 1000 if v >= 1000 else -1 for v in map(int, y.flatten().tolist())] for y in outputs]
    if op.get("kernel") == "gemm" and dtype == "f32":
        found["values"] = [y.flatten().tolist() for y in ask(case, tensors_of(op, case, "f64", 1))]
    return found


def main():
    answers = []
    for path in sorted(glob.glob("opdefs/*.json")):
        if path.endswith(".schema.json"):
            continue
        with open(path, encoding="utf-8") as file:
            ops = json.load(file)["ops"]
        for op in ops:
            sets = next(iter(op.get("types", {"T": "float"}).values()))
            for number, case in enumerate(op["tests"]):
                dtypes = case.get("dtypes") or [GROUPS.get(name, name) for name in ([sets] if isinstance(sets, str) else sets)]
                for dtype in dtypes:
                    answers.append({"op": op["op"], "case": number, "dtype": dtype, **answer(op, case, dtype)})
    print("[\n" + ",\n".join(map(json.dumps, answers)) + "\n]")


main()
