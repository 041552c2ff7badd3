"""cases_number.py: the cases of numbers and of tensors without dims among the operands of maps.

Neither raises the dtype of tensors with dims within its kind, and numbers not that of any tensor: f16 * 2.5 is f16, i32 + 2.5
is f32, bool + 2 is i64.
"""

from cases_map import Maker, second_values
from opinfo import joined, of_number
from values import FLOATS, INTS, dtypes_of

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
THIRD = {"lerp": 0.25}
# dtypes of a tensor with dims and of one without
PAIRS = [("f16", "f32"), ("f32", "f64"), ("i8", "i64"), ("u8", "i32"), ("i32", "f16"), ("bool", "i8"), ("f32", "i64"), ("f64", "f16"), ("bf16", "f32"), ("bf16", "f16"), ("u8", "bool")]


def fits(op, dtype, *numbers):
    return joined([dtype] if dtype else [], [], [of_number(n) for n in numbers]) in dtypes_of(op.types[op.first])


def kind(op, name, dtypes):
    """Values of a tensor that an operator takes everywhere."""
    if name != "input" or op == "pow":
        return second_values(op, dtypes) or "normal"
    return "normal"


def two(m, name, op):
    """Operators of two tensors, of which either is a number."""
    first, second = [one.name for one in op.inputs]
    every = op.dtypes()
    groups = [(3, every), (2.5, [d for d in every if d in (*FLOATS, "i32", "u8")] + (["bool"] if "bool" in every else [])), (True, [d for d in every if d in ("bool", "i32", "f16")])]
    for at, (number, types) in enumerate(groups):
        types = [d for d in types if fits(op, d, number)]
        if types:
            m.add(f"{name}.number{at}", name, [{first: [5, 13]}], {first: kind(name, first, types)}, types=types, numbers={second: number})
    for at, number in enumerate((5, 0.5)):
        types = [d for d in ("f32", "i32", "bf16") if fits(op, d, number)]
        if types:
            m.add(f"{name}.number.first{at}", name, [{second: [5, 13]}], {second: "nonzero" if second_values(name, types) is None and name != "pow" else kind(name, second, types)}, types=types,
                  numbers={first: number})
    types = [d for d in ("f64", "i8", "bf16") if fits(op, d, 3)]
    m.add(f"{name}.number.point", name, [{first: []}], {first: kind(name, first, types)}, types=types, numbers={second: 3})
    pairs = [pair for pair in PAIRS if joined([pair[0]], [pair[1]]) in every and not (name == "pow" and pair[0] not in FLOATS)]
    positive = name in ("bitwise_left_shift", "bitwise_right_shift")
    for at, (a, b) in enumerate((([5, 13], []), ([], [3, 5]))):
        own = [{first: p if at == 0 else q, second: q if at == 0 else p} for p, q in pairs]
        if own:
            m.add(f"{name}.point{at}", name, [{first: a, second: b}], {first: "normal", second: ["whole", 1, 5] if positive or name == "pow" else "nonzero"}, types=own)


def comparisons(m):
    near = {"input": ["list", [0.1, 0.2, -0.1, 0.0999, 0.10009765625, 0.0999755859375, "inf", "nan", 0]]}
    for op in COMPARISONS:
        m.add(f"{op}.number.rounded", op, [{"input": [3, 9]}], near, types=list(FLOATS), numbers={"other": 0.1})
        m.add(f"{op}.point.rounded", op, [{"input": [3, 9], "other": []}], {**near, "other": ["list", [0.1]]}, types=[{"input": "f16", "other": "f32"}, {"input": "bf16", "other": "f64"}])
        m.add(f"{op}.number.half", op, [{"input": [3, 9]}], types=["i32", "i64", "u8"], numbers={"other": 2.5})
        m.add(f"{op}.number.zero", op, [{"input": [3, 9]}], {"input": "special"}, types=list(INTS), numbers={"other": 0})
        m.add(f"{op}.number.wide", op, [{"input": [3, 9]}], {"input": ["list", [2048, 2050, 2049, 0]]}, types=["f16", "f32"], numbers={"other": 2049})
        # A wider integer without dims loses its high bits.
        m.add(f"{op}.point.wraps", op, [{"input": [3, 9], "other": []}], {"other": ["list", [300]]}, types=[{"input": "i8", "other": "i64"}, {"input": "u8", "other": "i16"}])
    for op, number, dtype in (("add", -128, "i8"), ("sub", 127, "i8"), ("mul", -2147483648, "i32"), ("add", -9223372036854775808, "i64"), ("maximum", 4294967295, "u32"), ("minimum", 255, "u8"),
                              ("bitwise_and", 65535, "u16"), ("maximum", -0.0, "f32"), ("mul", 1e-45, "f32"), ("add", 1e300, "f64"), ("mul", 1e6, "f16"), ("div", 3e38, "bf16")):
        m.add(f"{op}.number.end.{dtype}", op, [{"input": [3, 9]}], {"input": "special"}, types=[dtype], numbers={"other": number})
    names = ["input", "other"]
    m.add("bitwise_and.number.high", "bitwise_and", [{names[0]: [6]}], {names[0]: ["raw", [2**64 - 1, 2**63, 5, 0, 1, 2**63 + 7]]}, types=["u64"], numbers={"other": 2**63 - 1}, numpy=True)


def others(m):
    every = m.ops["where"].dtypes()
    m.add("where.number.other", "where", [{"condition": [5, 7], "input": [7]}], types=every, numbers={"other": 1})
    m.add("where.number.input", "where", [{"condition": [5, 1], "other": [7]}], types=["f32", "i32", "f16", "bool"], numbers={"input": 2.5})
    m.add("where.number.both", "where", [{"condition": [5, 7]}], types=["bool"], numbers={"input": 1, "other": 2.0})
    m.add("where.number.ints", "where", [{"condition": [5, 7]}], types=["bool"], numbers={"input": -7, "other": 2})
    for at, test in enumerate((True, False)):
        m.add(f"where.number.condition{at}", "where", [{"input": [5, 7], "other": [7]}], types=["f32", "i8"], numbers={"condition": test})
        m.add(f"masked_fill.number{at}", "masked_fill", [{"input": [5, 7]}], attrs={"value": 3}, types=["f32", "i8"], numbers={"mask": test})
    for op, names in (("addcmul", ("tensor1", "tensor2")), ("addcdiv", ("tensor1", "tensor2")), ("lerp", ("end", "weight"))):
        types = [d for d in m.ops[op].dtypes() if d in (*FLOATS, "i32")]
        for at, name in enumerate(names):
            number, other = (2.5, names[1 - at]) if name != "weight" else (0.25, "end")
            own = [d for d in types if fits(m.ops[op], d, number)]
            m.add(f"{op}.number{at}", op, [{"input": [5, 7], other: [7]}], {"input": "normal", other: "nonzero"}, types=own, numbers={name: number}, abs=64)
        m.add(f"{op}.number2", op, [{"input": [5, 7]}], {"input": "normal"}, types=["f32", "f16"], numbers={names[0]: 3, names[1]: 0.5}, abs=64)
        own = [{"input": a, names[0]: a, names[1]: b} for a, b in (("f32", "f64"), ("f16", "f32"), ("f32", "i32"))]
        m.add(f"{op}.point", op, [{"input": [5, 7], names[0]: [7], names[1]: []}], {name: "nonzero" for name in ("input", *names)}, types=own, abs=64)
    m.add("where.point", "where", [{"condition": [5, 1], "input": [7], "other": []}], types=[{"condition": "bool", "input": a, "other": b} for a, b in PAIRS])
    for op, number in (("add_", 3), ("mul_", 2.5), ("sub_", True)):
        for way in ("direct", "computed"):
            m.add(f"{op}.number.{way}", op, [{"input": [5, 13]}], types=["f32", "f16"] + ([] if number == 2.5 else ["i32"]), numbers={"other": number}, place=way)
    for op in ("add", "mul", "where"):
        one = {"condition": ["a", "b"], "input": ["b"]} if op == "where" else {"input": ["a", "b"]}
        sizes = [{name: [{"a": a, "b": b}[dim] for dim in shape] for name, shape in one.items()} for a, b in ((3, 5), (0, 4), (1, 1), (17, 64))]
        m.add(f"{op}.number.symbolic", op, sizes, types=["f32", "i8"], numbers={"other": 2}, dims=one, least=0)
    # One that is large, for the code that goes by vectors.
    for op, number in (("mul", 0.1), ("lt", 0.5), ("add", 7)):
        m.add(f"{op}.number.large", op, [{"input": [40009]}], types=["f32", "f16"], numbers={"other": number}, period=61)


def cases(ops):
    m = Maker(ops)
    for name, op in sorted(ops.items()):
        if op.kind == "map" and len(op.inputs) == 2 and not op.mutates and all(one.type == op.first and not one.optional for one in op.inputs):
            if all("default" in attr for attr in op.attrs.values()):
                two(m, name, op)
    comparisons(m)
    others(m)
    return {"number": m.made}
