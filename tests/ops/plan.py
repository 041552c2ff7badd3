"""plan.py: cases as models: which runs there are, the model.json that holds many of them, their inputs, and the judge of what comes out.

A model has a node for each run, one on each line, so that a line of a finding names the case.
"""

import json
import math
import re

import numpy as np

from opinfo import assignment, base_of, results, variant_name
from values import FLOATS, LIMITS, NUMPY, ORDER, decode, encode, make_input

# Half an ulp of 1 in the type that is computed in, and of the result.
COMPUTED = {"f16": 2.0**-24, "bf16": 2.0**-24, "f32": 2.0**-24, "f64": 2.0**-53}
ROUNDED = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}


class Run:
    """A case with its dtypes and shapes (all sets of them, where dims have names)."""

    def __init__(self, number, case, ops, types, sets, expected):
        self.name, self.case, self.types, self.sets, self.expected, self.known = f"n{number}", case, types, sets, expected, {}
        self.op, self.placed = base_of(ops, case["op"])
        shapes = case["shapes"][sets[0]]
        self.given, self.variables = assignment(self.op, types, shapes, case.get("numbers"))
        self.made = results(self.op, self.placed, self.variables, self.given, case.get("attrs", {}), types)
        self.symbolic = "dims" in case
        self.source = case.get("as", case["name"])  # whose values and results these are
        # The first input is mutable, and what an operator in place does to it is seen; of every fourth it works on a copy.
        self.changes = case.get("place") == "direct" and number % 4 != 3

    def title(self, at):
        shapes = ", ".join(f"{name} {shape}" for name, shape in self.case["shapes"][at].items())
        shapes += "".join(f", {name} {json.dumps(number)}" for name, number in self.case.get("numbers", {}).items())
        return f"{self.case['name']} [{variant_name(self.types)}] {self.case['op']}({shapes}) {json.dumps(self.case.get('attrs', {}))}"

    def tensors(self, at):
        """(name in the model, input, dtype, shape, name of the values) of each input tensor of a set of shapes."""
        for one in self.op.inputs:
            if one.name not in self.case["shapes"][at]:
                continue
            shape, dtype = self.case["shapes"][at][one.name], self.given[one.name]
            if not one.list:
                yield f"{self.name}_{one.name}", one.name, dtype, shape, one.name
            for k in range(len(shape)) if one.list else ():
                yield f"{self.name}_{one.name}{k}", one.name, dtype[k], shape[k], f"{one.name}{k}"

    def inputs(self, at):
        """The input tensors' bytes, in that order; made once, for whoever gives them and whoever looks at them afterwards."""
        if at not in self.known:
            kinds, period = self.case.get("values", {}), self.case.get("period")
            self.known[at] = [(name, dtype, make_input(self.source, seed, dtype, shape, period, kinds.get(one, "normal")))
                              for name, one, dtype, shape, seed in self.tensors(at)]
            for _, _, array in self.known[at]:
                array.setflags(write=False)
        return self.known[at]

    def dtypes(self):
        found = set(self.made)
        for dtype in self.given.values():
            found.update(dtype if isinstance(dtype, list) else [dtype])
        return found

    def largest(self):
        """Elements of the largest input or result."""
        sizes = [math.prod(shape) for at in self.sets for _, _, _, shape, _ in self.tensors(at)]
        sizes += [self.expected[key].size * self.case.get("every", 1) for key in self.keys()]
        return max(sizes)

    def keys(self):
        return [f"{self.key(self.sets[0])}/{output}" for output in self.outputs()]

    def outputs(self):
        """The names of the results, in order."""
        if not self.op.counted:
            return [out["name"] for out in self.op.outputs]
        start, names = f"{self.key(self.sets[0])}/", []
        count = sum(key.startswith(start) for key in self.expected)
        return [f"{self.op.outputs[0]['name']}{n}" for n in range(count)]

    def key(self, at):
        if self.case.get("view"):
            return f"{self.source}/{at}"
        return f"{self.source}/{variant_name(self.types)}/{0 if 'period' in self.case else at}"


def runs_of(cases, ops, expected, number=0):
    """All runs of some cases; their names count from `number`."""
    found = []
    for case in cases:
        for types in case["types"]:
            sets = list(range(len(case["shapes"])))
            for chosen in [sets] if "dims" in case else [[at] for at in sets]:
                found.append(Run(number + len(found), case, ops, types, chosen, expected))
    return found


# ---- models


def shape_in_names(run, shape):
    return [re.sub(r"[a-z]+", lambda word: f"{run.name}_{word.group()}", dim) if isinstance(dim, str) else dim for dim in shape]


def model_text(name, runs):
    inputs, nodes, outputs, dims = [], [], [], {}
    for run in runs:
        case, wanted = run.case, {}
        least = case.get("least", 1)
        named = case.get("dims", {})
        for at, (tensor, one, dtype, shape, seed) in enumerate(run.tensors(run.sets[0])):
            if run.symbolic:
                shape = named[one][int(seed[len(one) :])] if seed != one else named[one]
                shape = shape_in_names(run, shape)
                dims.update({dim: {"min": least, "max": 100000} for dim in shape if isinstance(dim, str) and dim.isidentifier()})
            changed = {"mutable": True} if at == 0 and run.changes else {}
            inputs.append(f"{json.dumps(tensor)}: {json.dumps({'dtype': dtype, 'shape': shape} | changed)}")
            wanted.setdefault(one, []).append(tensor)
        given = {one.name: wanted[one.name] if one.list else wanted[one.name][0] for one in run.op.inputs if one.name in wanted}
        first = next(iter(given), None)
        out = [f"{run.name}_{output}" for output in run.outputs()]
        node = {"op": case["op"], "in": {**given, **case.get("numbers", {})}, "out": out if run.op.counted or len(out) != 1 else out[0]}
        if case.get("attrs"):
            node["attrs"] = case["attrs"]
        text = json.dumps(node)
        if case.get("place") == "computed":
            node["in"][first] = f"{run.name}_copy"
            text = json.dumps({"op": "clone", "in": given[first], "out": f"{run.name}_copy"}) + ", " + json.dumps(node)
        nodes.append(text)
        outputs += out
    lines = [f'{{"opgen": 1, "name": "{name}",', f'"dims": {json.dumps(dims)},', '"inputs": {', ",\n".join(inputs), '}, "nodes": [']
    first_node = sum(line.count("\n") + 1 for line in lines) + 1
    lines += [",\n".join(nodes), f'], "outputs": {json.dumps(outputs)}}}', ""]
    return "\n".join(lines), first_node


# ---- tensors to and from run_model


def write_given(path, arrays):
    with open(path, "wb") as file:
        for name, dtype, array in arrays:
            file.write(f"{name} {dtype} {array.ndim}{''.join(f' {size}' for size in array.shape)}\n".encode())
        file.write(b"\n")
        for _, _, array in arrays:
            file.write(np.ascontiguousarray(array).tobytes())


def read_made(path):
    """name: (dtype, array as in memory); names of what differed between the two passes."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"\n\n") + 2 if not data.startswith(b"\n") else 1
    at, made, unsteady = end, {}, []
    for line in data[: end - 1].decode().splitlines():
        name, dtype, _, *sizes = line.split(" ")
        shape = [int(size) for size in sizes]
        numpy = np.dtype(np.uint8 if dtype == "bool" else NUMPY[dtype])
        count = math.prod(shape)
        if name.endswith(".unsteady"):
            name = name[: -len(".unsteady")]
            unsteady.append(name)
        made[name] = dtype, np.frombuffer(data, numpy, count, at).reshape(shape)
        at += count * numpy.itemsize
    return made, unsteady


# ---- the judge


def bytes_equal(got, want):
    return (got.view(f"u{got.dtype.itemsize}") == want.view(f"u{want.dtype.itemsize}")) if got.dtype.itemsize in (1, 2, 4, 8) else got == want


def good(case, dtype, got, want):
    """Element by element, whether what was computed is what was wanted; both flat."""
    if dtype == "bool":
        return got == want.astype(np.uint8)  # 0 and 1, and nothing else that C takes for true
    if dtype not in FLOATS:
        return got == want
    value, aim = decode(dtype, got), want.astype(np.float64)
    nearest = decode(dtype, encode(dtype, aim))
    same = (value == nearest) | np.isnan(value) & np.isnan(nearest)
    if case.get("zeros"):
        same &= (nearest != 0) | (np.signbit(value) == np.signbit(nearest))
    if case.get("exact"):
        return same
    with np.errstate(all="ignore"):
        room = COMPUTED[dtype] * (case.get("rel", 8) * np.abs(aim) + case.get("abs", 0))
        room += 1.02 * ROUNDED[dtype] * case.get("steps", 1) * np.abs(aim) + (LIMITS[dtype][2] * 0.51 if dtype in ("f16",) else LIMITS[dtype][1])
        return same | np.isfinite(value) & np.isfinite(nearest) & (np.abs(value - aim) <= room)


def wanted_of(run, at, output, dtype, sources):
    """The elements that are wanted, flat, and the shape; `every` alone thins them out."""
    case = run.case
    key = f"{run.key(at)}/{output}"
    kept = run.expected[key]
    if case.get("view"):
        flat = np.concatenate([np.ravel(array) for _, _, array in sources])
        fill = encode(dtype, case.get("fill", 0)) if dtype != "bool" else np.asarray(bool(case.get("fill", 0)))
        chosen = flat[np.maximum(np.ravel(kept), 0)] if flat.size else np.full(kept.size, fill, flat.dtype)
        return np.where(np.ravel(kept) < 0, fill, chosen).astype(flat.dtype), tuple(case.get("sizes", kept.shape))
    if "period" in case:
        shape = np.broadcast_shapes(*case["shapes"][at].values())
        return np.resize(kept, math.prod(shape)) if math.prod(shape) else kept[:0], tuple(shape)
    if "every" in case:
        return np.ravel(kept), tuple(case["sizes"])
    return np.ravel(kept), kept.shape


def show(array, at):
    return ", ".join(f"[{i}] {array[i]!r}" for i in at[:4])


def judge(run, at, made, unsteady):
    """What is wrong with a run's results; an empty list if nothing is."""
    wrong, case = [], run.case
    sources = run.inputs(at)
    for number, output in enumerate(run.outputs()):
        name = f"{run.name}_{output}"
        dtype, array = made[name]
        wanted_dtype = run.made[0 if run.op.counted else number]
        want, shape = wanted_of(run, at, output, dtype, sources)
        if dtype != wanted_dtype:
            wrong.append(f"{output} is {dtype}, wanted {wanted_dtype}")
            continue
        if tuple(array.shape) != tuple(shape):
            wrong.append(f"{output} has the shape {list(array.shape)}, wanted {list(shape)}")
            continue
        if name in unsteady:
            wrong.append(f"{output} is not the same the second time")
        flat = np.ravel(array)[:: case.get("every", 1)]
        if case.get("view"):
            wanted = want.astype(np.uint8) if dtype == "bool" else want
            right = bytes_equal(flat, wanted)
        else:
            wanted = want
            right = good(case, dtype, flat, want)
        bad = np.flatnonzero(~right)
        if len(bad):
            values = decode(dtype, wanted) if case.get("view") else wanted
            wrong.append(f"{output}: {len(bad)} of {len(flat)} elements are wrong: got {show(decode(dtype, flat), bad)}; wanted {show(values, bad)}")
    # Operators in place change a mutable input that they are given, and nothing else changes one.
    for position, (name, dtype, array) in enumerate(sources):
        after = made.get(f"{name}.after")
        if run.changes and position == 0:
            result = made[f"{run.name}_{run.outputs()[0]}"][1]
            now = after[1] if after else array.view(np.uint8) if dtype == "bool" else array
            if not np.array_equal(np.ravel(now).view(np.uint8), np.ravel(result).view(np.uint8)):
                wrong.append("the input does not hold the result afterwards")
        elif after:
            wrong.append(f"the input {name} was changed")
    return wrong


# ---- what has to be there


def uncovered(families, ops):
    """Operators, in-place forms and dtypes that no case has."""
    seen = set()
    for cases in families.values():
        for case in cases:
            try:
                op, placed = base_of(ops, case["op"])
            except KeyError:
                continue
            for types in case["types"]:
                given, variables = assignment(op, types, case["shapes"][0], case.get("numbers"))
                made = results(op, placed, variables, given, case.get("attrs", {}), types)
                seen.add(case["op"])
                seen.update((case["op"], variable, dtype) for variable, dtype in variables.items())
                seen.update((case["op"], "result", dtype) for dtype in made)
    missing = []
    for op in ops.values():
        names = [op.name] + ([f"{op.name}_"] if op.in_place and not op.mutates else [])
        for name in names:
            if name not in seen:
                missing.append(name)
                continue
            used = {one.type for one in op.inputs}
            for variable in op.types:
                # The body of an in-place form is that of its operator: one dtype does.
                for dtype in op.dtypes(variable) if variable in used and name == op.name else ():
                    if (name, variable, dtype) not in seen:
                        missing.append(f"{name} with {variable} {dtype}")
            if "dtype" in op.attrs and not used:
                missing += [f"{name} of {dtype}" for dtype in ORDER if (name, "result", dtype) not in seen]
    unknown = sorted({case["op"] for cases in families.values() for case in cases} - {n for op in ops.values() for n in (op.name, f"{op.name}_")})
    return missing, unknown
