"""opinfo.py: what the operator tests have to know of opdefs/: inputs, attributes, and which dtypes an operator takes and makes."""

import functools
import glob
import json
import types as types_module

import numpy as np

from values import FLOATS, INTS, ORDER, dtypes_of


class Input:
    def __init__(self, given, first):
        given = {"name": given} if isinstance(given, str) else given
        self.name, self.type = given["name"], given.get("type", first)
        self.list, self.optional = given.get("list", False), given.get("optional", False)


class Op:
    def __init__(self, given):
        self.name, self.kind, self.attrs = given["op"], given["kind"], given.get("attrs", {})
        # What its functions are made of, or leads there.
        self.template = given.get("kernel") or (self.name if self.kind == "composite" else self.kind)
        self.types = given.get("types", {"T": "float"})
        self.first = next(iter(self.types))
        self.inputs = [Input(one, self.first) for one in given["inputs"]]
        self.outputs = [{"name": one} if isinstance(one, str) else one for one in given.get("outputs", ["y"])]
        self.mutates = given.get("mutates", [])
        self.arch = given.get("arch", [])  # the backends that it is for; none: all
        self.in_place = bool(given.get("in_place")) or bool(self.mutates)
        self.result = self.outputs[0].get("type", self.first)
        self.counted = "count" in self.outputs[0]

    def dtypes(self, variable=None):
        return dtypes_of(self.types[variable or self.first])


def read_ops(folder="opdefs"):
    ops = {}
    for path in sorted(glob.glob(f"{folder}/*.json")):
        if path.endswith(".schema.json"):
            continue
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for one in document.get("ops", [document]):
            ops[one["op"]] = Op(one)
    return ops


def base_of(ops, name):
    """The operator behind an in-place name, and whether it is one."""
    if name in ops:
        return ops[name], bool(ops[name].mutates)
    return ops[name[:-1]], True


def promote(dtypes):
    """PyTorch's promotion, of the dtypes that it has."""
    best = dtypes[0]
    for dtype in dtypes[1:]:
        best = promote_two(best, dtype)
    return best


def promote_two(a, b):
    rank = {"bool": 0, **{d: 1 for d in INTS}, **{d: 2 for d in FLOATS}}
    if a == b:
        return a
    if rank[a] != rank[b]:
        return a if rank[a] > rank[b] else b
    if rank[a] == 2:
        return "f32" if {a, b} == {"f16", "bf16"} else max(a, b, key=FLOATS.index)
    size = {d: int(d[1:]) for d in (a, b)}
    if a[0] == b[0]:
        return a if size[a] >= size[b] else b
    signed, other = (a, b) if a[0] == "i" else (b, a)
    return signed if size[signed] > size[other] else f"i{2 * size[other]}"


def category(dtype):
    return 2 if dtype in FLOATS else 1 if dtype in INTS else 0


def joined(*levels):
    """What counts more stands first: what follows counts only where it is of a higher category."""
    best = None
    for found in reversed([promote(level) for level in levels if level]):
        best = found if best is None or category(best) <= category(found) else promote_two(found, best)
    return best


def of_number(number):
    return "bool" if isinstance(number, bool) else "i64" if isinstance(number, int) else "f32"


def assignment(op, types, shapes, numbers=None):
    """The dtype of each input (a list of them where the input is one) and of each type variable. `numbers`: of inputs that
    are given one in the place of a tensor."""
    given, numbers = {}, numbers or {}
    for one in op.inputs:
        if one.name not in shapes:
            continue
        own = types.get(one.name) if isinstance(types, dict) else types
        if one.type in op.types:
            own = own or types.get(one.type)
        elif isinstance(types, str) or one.name not in types:
            own = {"to_float(T)": types if types in FLOATS else "f32"}.get(one.type, one.type) if isinstance(types, str) else one.type
        given[one.name] = own if isinstance(own, list) else [own] * len(shapes[one.name]) if one.list else own
    variables = {}
    for variable in op.types:
        dims, none, weak = [], [], []
        for one in op.inputs:
            if one.type == variable and one.name in given:
                (none if op.kind in ("map", "composite") and shapes[one.name] == [] else dims).extend(given[one.name] if one.list else [given[one.name]])
            elif one.type == variable and one.name in numbers:
                weak.append(of_number(numbers[one.name]))
        if dims or none or weak:
            variables[variable] = joined(dims, none, weak)
    return given, variables


@functools.lru_cache(None)
def rule(text):
    return compile(text.strip(), "<type>", "eval")


def results(op, placed, variables, given, attrs, types):
    """The dtypes of the outputs."""
    if placed:
        return [given[op.inputs[0].name]] * len(op.outputs)
    knows = {name: name for name in ORDER} | {name: attrs.get(name) for name in op.attrs} | variables
    knows |= {"none": None, "is_none": lambda x: x is None, "is_float": lambda d: d in FLOATS, "is_int": lambda d: d in INTS,
              "to_float": lambda d: d if d in FLOATS else "f32", "promote": lambda *d: promote(d), "int": int}
    for name, attr in op.attrs.items():
        if name not in attrs:
            knows[name] = attr.get("default")
    for one in op.inputs:
        knows[one.name] = types_module.SimpleNamespace(dtype=given.get(one.name))
    if not variables:
        knows[op.first] = types
    return [eval(rule(out.get("type", op.first)), {"__builtins__": {}}, knows) for out in op.outputs]


def variant_name(types):
    if isinstance(types, str):
        return types
    return ".".join("-".join(t) if isinstance(t, list) else t for t in types.values())


def case_shapes(case):
    return [{name: shape for name, shape in one.items()} for one in case["shapes"]]


def element_count(shape):
    return int(np.prod(shape, dtype=np.int64))
