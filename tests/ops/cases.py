#!/usr/bin/python3
"""cases.py: makes the cases that test_ops.py runs: FAMILY.json, the cases, and FAMILY.safetensors, what PyTorch makes of them.

    python3 tests/ops/cases.py             all families, run by hand in the repository's top folder
    python3 tests/ops/cases.py reduce      one

Needs PyTorch (Debian's python3-torch) and NumPy. Results are computed in float64 from inputs that are rounded to their
dtype (integers: in int64, wrapped), by references.py. Results in f16, bf16 and f32 are kept as f32, not yet rounded to
16 bits, so that the comparison can ask for the nearest.

The keys of a case:

    name, op        its own name; the operator
    shapes          the inputs' shapes, by name: a list of such sets, each of which is run
    types           dtypes: one for all inputs, or one for each by name
    numbers         inputs that are given a number in the place of a tensor
    values          how inputs are filled (values.py), by name; "normal" where nothing is said
    attrs           the operator's attributes
    period          values repeat after so many elements, and one row of so many results serves all shapes
    as              values and results are those of the case of this name, whose row serves these shapes, too
    dims            shapes in names of dims; all sets of shapes are run with one model. "least": what the dims' min is
    place           of in-place operators: on an input of the model ("direct"), or on something computed
    exact           the result is the nearest of its dtype; zeros: its zeros have the right sign
    rel, abs        else how far off it may be before it is rounded: units of half an ulp of the type that is computed in,
                    of the result and of 1
    steps           the result is made in so many steps, each of which rounds to the dtype
    view            what is kept is the number of the element that stands there, counted through all inputs, -1: `fill`
    brief           though large, it is compiled quickly
    every           only every so-manieth element is kept, of the shape `sizes`
"""

import inspect
import json
import os
import sys

import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import cases_attention
import cases_conv
import cases_edge
import cases_every
import cases_index
import cases_map
import cases_matrix
import cases_norm
import cases_number
import cases_reduce
import cases_sequence
import cases_view
from opinfo import assignment, base_of, read_ops, results, variant_name
import references_index  # noqa: F401, puts its own into REFERENCE
from references import NATIVE, REFERENCE, Now
from values import FLOATS, NUMPY, decode, encode, make_input, write_tensors


def to_torch(dtype, array):
    """Floats as float64, integers as int64 (u64 by its bits), booleans as they are."""
    if dtype == "bool":
        return torch.from_numpy(array.copy())
    if dtype in FLOATS:
        return torch.from_numpy(np.array(decode(dtype, array)))
    return torch.from_numpy(np.array(array.view(np.int64) if dtype == "u64" else array.astype(np.int64)))


def stored(dtype, result):
    """A result as it is kept for its dtype."""
    array = result.detach().contiguous().numpy() if isinstance(result, torch.Tensor) else np.asarray(result)
    with np.errstate(all="ignore"):
        if dtype == "bool":
            return array != 0
        if dtype in FLOATS:
            return array.astype(np.float64 if dtype == "f64" else np.float32)
        return array.astype(np.int64).astype(NUMPY[dtype]) if array.dtype.kind != "u" else array.astype(NUMPY[dtype])


def promoted(tensor, dtype, of, compared):
    """An input in the type that all are computed in. What is compared is of the dtype itself."""
    if of in FLOATS and dtype != of:
        tensor = tensor.to(torch.float64) if of == "f64" else tensor.to(torch.float32).to(torch.float64)
        return torch.from_numpy(decode(of, encode(of, tensor.numpy()))) if compared else tensor
    if of not in FLOATS and of != "bool" and dtype != of and dtype not in FLOATS:
        return to_torch(of, tensor.to(torch.int64).numpy().astype(NUMPY[of]))  # the low bits of a wider one
    return tensor


def of_number(number, of, compared):
    """A number as the tensor without dims that it stands for."""
    wide = torch.tensor(number).to(torch.float64 if of in FLOATS else torch.bool if of == "bool" else torch.int64)
    if isinstance(number, float):
        wide = torch.tensor(number, dtype=torch.float64)
    return promoted(wide, None, of, compared)


def call(op, inputs, attrs):
    reference = REFERENCE[op.name]
    given = {name: float(x) if isinstance(x, str) and op.attrs[name].get("type") == "float" else x for name, x in attrs.items()}
    takes_all = any(p.kind == p.VAR_POSITIONAL for p in inspect.signature(reference).parameters.values())
    result = reference(*inputs.values(), **given) if takes_all else reference(**inputs, **given)
    return list(result) if isinstance(result, (list, tuple)) else [result]


WIDE = {"clone": lambda x: x, "maximum": np.maximum, "minimum": np.minimum, "add": np.add, "mul": np.multiply, "lt": np.less, "gt": np.greater,
        "bitwise_and": np.bitwise_and, "floor_divide": np.floor_divide, "remainder": np.remainder, "bitwise_right_shift": np.right_shift,
        "cast": lambda x: x.astype(np.float32)}


def expected(case, op, placed, types, shapes, period):
    """The results of one case, by the names of the outputs."""
    numbers = case.get("numbers", {})
    given, variables = assignment(op, types, shapes, numbers)
    made = results(op, placed, variables, given, case.get("attrs", {}), types)
    kinds, inputs = case.get("values", {}), {}
    Now.dtype = variables.get(op.first, "f32")
    floats = op.result.startswith("to_float(T)") and variables.get(op.first) not in FLOATS
    compared = not any(dtype in FLOATS for dtype in made)
    for one in op.inputs:
        if one.name in numbers:
            of = variables.get(one.type, one.type)
            inputs[one.name] = np.array(numbers[one.name], NUMPY[of]) if case.get("numpy") else of_number(numbers[one.name], of, compared)
        if one.name not in shapes:
            continue
        parts = []
        for at, (dtype, shape) in enumerate(zip(given[one.name] if one.list else [given[one.name]], shapes[one.name] if one.list else [shapes[one.name]])):
            array = make_input(case["name"], f"{one.name}{at}" if one.list else one.name, dtype, [period] if period else shape, period, kinds.get(one.name, "normal"))
            if case.get("numpy"):
                parts.append(array)
                continue
            tensor = to_torch(dtype, array)
            if one.type in variables:
                tensor = promoted(tensor, dtype, variables[one.type], compared)
            if floats and not tensor.is_floating_point() and one.type == op.first:
                tensor = tensor.to(torch.float32).to(torch.float64)
            if op.name in NATIVE and variables[op.first] in ("f16", "bf16", "f32"):
                tensor = tensor.to(torch.float32)
            parts.append(tensor)
        inputs[one.name] = parts if one.list else parts[0]
    if case.get("numpy"):
        got = [WIDE[op.name](*inputs.values())]
    else:
        got = call(op, inputs, case.get("attrs", {}))
    if op.counted:
        names = [f"{op.outputs[0]['name']}{n}" for n in range(len(got))]
        made = made * len(got)
    else:
        names = [out["name"] for out in op.outputs]
    assert len(got) == len(names), (case["name"], len(got), names)
    return {name: stored(dtype, tensor) for name, dtype, tensor in zip(names, made, got)}


def numbered(case, op, shapes):
    """Views: which element of the inputs stands where."""
    inputs, first = {}, 0
    for one in op.inputs:
        parts = []
        for shape in shapes[one.name] if one.list else [shapes[one.name]]:
            count = int(np.prod(shape, dtype=np.int64))
            parts.append(torch.arange(first, first + count).reshape(shape))
            first += count
        inputs[one.name] = parts if one.list else parts[0]
    got = call(op, inputs, case.get("attrs", {}))
    names = [f"{op.outputs[0]['name']}{n}" for n in range(len(got))] if op.counted else [op.outputs[0]["name"]]
    return {name: tensor.contiguous().numpy().astype(np.int32) for name, tensor in zip(names, got)}


def thinned(case, array):
    if "every" not in case:
        return array
    assert len(case["shapes"]) == 1, case["name"]
    case["sizes"] = list(array.shape)
    return array.reshape(-1)[:: case["every"]]


def make_family(family, cases, ops):
    tensors, names = {}, set()
    for case in cases:
        name = case["name"]
        assert name not in names, name
        names.add(name)
        if "as" in case:
            assert case["as"] in names, name
            continue
        op, placed = base_of(ops, case["op"])
        if case.get("view"):
            for at, shapes in enumerate(case["shapes"]):
                for output, array in numbered(case, op, shapes).items():
                    tensors[f"{name}/{at}/{output}"] = thinned(case, array)
            continue
        for types in case["types"]:
            period = case.get("period")
            for at, shapes in enumerate(case["shapes"][:1] if period else case["shapes"]):
                rows = {one: [period] for one in shapes} if period else shapes
                for output, array in expected(case, op, placed, types, rows, period).items():
                    tensors[f"{name}/{variant_name(types)}/{at}/{output}"] = thinned(case, array)
    write_tensors(f"{HERE}/{family}.safetensors", tensors)
    with open(f"{HERE}/{family}.json", "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps({key: value for key, value in case.items() if value != {} and value is not False}, separators=(",", ":")) for case in cases) + "\n]\n")
    runs = sum(len(case["types"]) * len(case["shapes"]) for case in cases)
    size = os.path.getsize(f"{HERE}/{family}.safetensors") + os.path.getsize(f"{HERE}/{family}.json")
    print(f"{family}: {len(cases)} cases, {runs} runs, {len(tensors)} tensors, {size / 1e6:.2f} MB")
    return size


def main():
    np.seterr(all="ignore")
    torch.set_num_threads(1)
    ops = read_ops(os.path.join(HERE, "..", "..", "opdefs"))
    families = cases_map.cases(ops)
    for module in (cases_view, cases_reduce, cases_norm, cases_matrix, cases_attention, cases_conv, cases_number, cases_index, cases_sequence):
        families.update(module.cases(ops))
    families["edge"] = cases_edge.cases(ops, families)
    families["every"] = cases_every.cases(ops, families)
    total = sum(make_family(name, cases, ops) for name, cases in families.items() if not sys.argv[1:] or name in sys.argv[1:])
    print(f"{total / 1e6:.2f} MB")


main()
