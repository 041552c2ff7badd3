"""cases_map.py: the cases of operators that go element by element, in-place forms and mixed dtypes included, and of `create`.

A case is a dict, whose keys cases.py explains. Shapes that a map sees as one row share their values, which repeat after
PERIOD elements, so that one expected row serves them all; PERIOD is odd, so that every value meets every lane of a vector.
"""

from values import FLOATS, INTS, MILD, NUMPY, extremes, specials

PERIOD = 61
# What shape a map's inputs have is no business of its body: a few operators get all, the others some.
ROWS = [[1025], [1], [7], [5, 13], [3, 5, 7], [], [0], [3, 0, 2]]
FEW_ROWS = [[1025], [7], [3, 5, 7], []]
ALL_SHAPES = ("neg", "exp", "relu", "isnan", "add", "sub", "lt", "where", "swiglu")
BROADCASTS = [([5, 7], [7]), ([5, 7], [5, 1]), ([5, 1], [1, 7]), ([3, 5, 7], [5, 1]), ([], [3, 5]), ([4], []), ([0, 3], [1, 3]),
              ([2, 0], [2, 1]), ([2, 1, 3, 1], [4, 1, 5]), ([1, 1], [3, 3])]
CORE = ("f32", "i32")

# Whose results are exact in every dtype, as is the sign of a zero.
EXACT = """abs neg ceil floor round trunc clone relu clamp hardtanh relu6 maximum minimum where masked_fill nan_to_num tril triu frac
    threshold hardshrink sign copy_ cast full zeros ones full_like zeros_like ones_like empty_like arange eye fill_ zero_ add_one
    bitwise_not fmod""".split()
SIGNED_ZERO = "abs neg ceil floor round trunc clone where tril triu sqrt copy_".split()

# Values that are no operand of what an operator multiplies on the way: there, a product overflows that a float64 holds.
WITHIN = {op: "mild" for op in """hardswish gelu mish silu selu softplus swiglu lerp addcmul addcdiv local_response_apply
    batch_norm_apply tanhshrink logsigmoid""".split()}
# Errors beyond the usual, in units of half an ulp of 1: absolute ones where a difference is left of numbers around 1.
ABSOLUTE = {"gelu": 64, "mish": 4, "tanhshrink": 16, "logsigmoid": 4, "elu": 4, "celu": 4, "selu": 8, "gelu_and_mul": 64,
            "softplus": 4, "lerp": 64, "addcmul": 64, "addcdiv": 64, "add": 0, "silu": 4, "swiglu": 16, "silu_and_mul": 16}
RELATIVE = {"pow": 16, "atan2": 16, "normalize": 32, "local_response_apply": 64, "batch_norm_apply": 32, "batch_norm": 32}

UNARY = """abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal square ceil floor round trunc frac sign sin cos tan asin
    acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc bitwise_not logical_not isnan isinf isfinite nan_to_num clone relu
    relu6 leaky_relu elu celu selu gelu silu mish hardswish hardsigmoid hardtanh softplus softsign softshrink hardshrink tanhshrink
    logsigmoid add_one""".split()
# Unary operators with attributes: all their dtypes with the first, the core ones with the others.
ATTRIBUTES = {
    "round": [{"decimals": 2}, {"decimals": -1}],
    "nan_to_num": [{"nan": 1.0, "posinf": 2.0, "neginf": -3.0}, {"nan": -2}],
    "clamp": [{"min": -1, "max": 2}, {"max": 3}, {"min": -2}, {"min": 3, "max": 1}, {"min": -0.5, "max": 0.75}],
    "leaky_relu": [{"negative_slope": 0.2}, {"negative_slope": 0}, {"negative_slope": -1.5}],
    "elu": [{"alpha": 0.5}, {"alpha": 2}],
    "celu": [{"alpha": 0.5}, {"alpha": 2}],
    "gelu": [{"approximate": "tanh"}],
    "hardtanh": [{"min_val": -2, "max_val": 3}, {"min_val": -0.25, "max_val": 0.5}, {"min_val": -2000000001, "max_val": 2000000001}],
    "softplus": [{"beta": 2.0, "threshold": 3.0}, {"beta": 0.5}],
    "softshrink": [{"lambd": 0}, {"lambd": 1.5}],
    "hardshrink": [{"lambd": 0}, {"lambd": 1.5}],
    "threshold": [{"threshold": 1, "value": 5}, {"threshold": 0.5, "value": -2.0}],
    "masked_fill": [{"value": 3}, {"value": "-inf"}, {"value": "nan"}],
    "scale": [{"factor": 3}, {"factor": 0.3}, {"factor": 1}],
    "full_like": [{"fill_value": 2}, {"fill_value": -1.5}, {"fill_value": "inf"}],
    "fill_": [{"value": 2}, {"value": -1.5}, {"value": "-inf"}],
    "tril": [{}, {"diagonal": -1}, {"diagonal": 2}],
    "triu": [{}, {"diagonal": -1}, {"diagonal": 2}],
}
# Limits of types that hold none below 0.
POSITIVE = {"clamp": {"min": 1, "max": 5}, "hardtanh": {"min_val": 1, "max_val": 5}}


def fractional(attrs):
    return any(isinstance(x, (float, str)) for x in attrs.values())


def rows_of(op):
    return ROWS if op in ALL_SHAPES else FEW_ROWS


class Maker:
    """Adds cases of operators by name; knows from the opdefs what each takes."""

    def __init__(self, ops):
        self.ops, self.made = ops, []

    def add(self, name, op, shapes, values=None, **more):
        base = op[:-1] if op.endswith("_") and op not in REFERENCED else op
        case = {"name": name, "op": op, "shapes": shapes, "values": values or {}, **more}
        if base in EXACT:
            case["exact"] = True
        if base in SIGNED_ZERO:
            case["zeros"] = True
        if base in ABSOLUTE:
            case.setdefault("abs", ABSOLUTE[base])
        if base in RELATIVE:
            case.setdefault("rel", RELATIVE[base])
        self.made.append(case)

    def split(self, op):
        """The dtypes of an operator: those that get every shape, and the others."""
        all_ = self.ops[op].dtypes()
        core = [d for d in all_ if d in CORE] or all_[:1]
        return core, [d for d in all_ if d not in core]


REFERENCED = ("copy_", "fill_", "zero_")  # in-place operators without another form


def unary(m):
    for op in UNARY + ["clamp", "threshold", "scale"]:
        if op not in m.ops:
            continue
        core, others = m.split(op)
        values = {"input": WITHIN.get(op, "special")}
        attrs = ATTRIBUTES.get(op, []) if op in ("clamp", "threshold", "scale") else [{}] + ATTRIBUTES.get(op, [])
        for number, given in enumerate(attrs):
            name = op if number == 0 else f"{op}.{number}"
            own = [d for d in core if not (fractional(given) or op == "round" and given) or d in FLOATS]
            rows = ROWS[:1] if number > 0 else rows_of(op)
            if own:
                m.add(name, op, [{"input": s} for s in rows], values, attrs=given, types=own, period=PERIOD)
            rest = [d for d in others if number == 0 or d in ("f16", "f64")]
            rest = [d for d in rest if not fractional(given) or d in FLOATS]
            unsigned = [d for d in rest if op in POSITIVE and d.startswith("u")]
            if unsigned:
                m.add(f"{name}.unsigned", op, [{"input": [1025]}], values, attrs=POSITIVE[op], types=unsigned, period=PERIOD)
            rest = [d for d in rest if d not in unsigned]
            if rest:
                m.add(f"{name}.more", op, [{"input": [1025]}], values, attrs=given, types=rest, period=PERIOD)
    # decimals are a matter of decimal digits: the values are near, and not halves.
    for case in m.made:
        if case["op"] == "round" and case.get("attrs"):
            case["values"], case["exact"], case["rel"] = {"input": ["normal", 30]}, False, 8


BINARY = """add sub mul div floor_divide pow fmod remainder maximum minimum atan2 hypot bitwise_and bitwise_or bitwise_xor
    bitwise_left_shift bitwise_right_shift logical_and logical_or logical_xor eq ne lt le gt ge""".split()
SECOND = {"pow": "exponent"}
QUOTIENTS = ("div", "floor_divide", "fmod", "remainder")
BINARY_ATTRIBUTES = {"add": [{"alpha": 2}, {"alpha": -0.5}], "sub": [{"alpha": 3}, {"alpha": 0.25}],
                     "div": [{"rounding_mode": "trunc"}, {"rounding_mode": "floor"}]}


def second_values(op, dtypes):
    """Of the second operand, where it is not the same kind as the first: by dtype, one for floats, one for integers."""
    if op in QUOTIENTS:
        return "nonzero"
    if op in ("bitwise_left_shift", "bitwise_right_shift"):
        return "shift"
    return ["whole", 0, 5] if op == "pow" else None


def binary(m):
    for number, op in enumerate(op for op in BINARY if op in m.ops):
        second = SECOND.get(op, "other")
        core, others = m.split(op)
        near = second_values(op, core)
        # Rows; all dtypes. Integers are near zero where a power or a quotient has to be defined.
        for types, rows in ((core, rows_of(op)), (others, ROWS[:1])):
            ints, rest = [d for d in types if d in INTS], [d for d in types if d not in INTS]
            suffix = "" if types is core else ".more"
            if ints:
                values = {"input": "normal" if op == "pow" else "special", second: near or "special"}
                if op in ("div",):
                    values["input"] = "normal"
                m.add(f"{op}{suffix}.int", op, [{"input": s, second: s} for s in rows], values, types=ints, period=PERIOD)
            if rest:
                values = {"input": WITHIN.get(op, "special"), second: "normal"}
                m.add(f"{op}{suffix}", op, [{"input": s, second: s} for s in rows], values, types=rest, period=PERIOD)
        for at, (a, b) in enumerate(BROADCASTS):
            types = core[:1] + [d for d in others if d == ("f16", "u8", "i64")[at % 3] and at == number % 10]
            if op not in ALL_SHAPES and at % 5 != number % 5:
                continue
            values = {"input": "normal", second: near or "normal"}
            m.add(f"{op}.broadcast{at}", op, [{"input": a, second: b}], values, types=types)
        # Every pair of special values.
        for dtype in FLOATS:
            if dtype in core + others and op not in ("floor_divide", "remainder", "fmod"):
                count = len(specials(dtype))
                m.add(f"{op}.cross.{dtype}", op, [{"input": [count, count], second: [count, count]}], {"input": "cross0", second: "cross1"},
                      types=[dtype])
        if op in ("floor_divide", "remainder", "fmod"):
            count = len(MILD)
            m.add(f"{op}.cross", op, [{"input": [count, count], second: [count, count]}],
                  {"input": ["cross0", [str(x) for x in MILD]], second: ["cross1", [str(x) for x in MILD]]}, types=list(FLOATS))
        ints = [d for d in core + others if d in INTS and d not in ("u64",)]
        if ints and op not in ("pow", *QUOTIENTS, "bitwise_left_shift", "bitwise_right_shift"):
            for dtype in ints:
                count = len(extremes(dtype))
                m.add(f"{op}.cross.{dtype}", op, [{"input": [count, count], second: [count, count]}], {"input": "cross0", second: "cross1"},
                      types=[dtype])
        for at, given in enumerate(BINARY_ATTRIBUTES.get(op, [])):
            types = [d for d in core + others if d in ("f32", "f16", "f64") or d in ("i32", "i8", "u16", "i64") and not fractional(given)]
            for kind in ("int", "float"):
                own = [d for d in types if (d in INTS) == (kind == "int")]
                if own:
                    m.add(f"{op}.{kind}{at}", op, [{"input": [1025], second: [1025]}, {"input": [5, 13], second: [5, 13]}],
                          {"input": "normal", second: near or "normal"}, attrs=given, types=own, period=PERIOD)
    if "pow" in m.ops:
        m.add("pow.negative", "pow", [{"input": [9, 7], "exponent": [7]}], {"input": ["whole", -3, 3], "exponent": ["whole", -3, 3]},
              types=["i8", "i16", "i32", "i64"])
        m.add("pow.root", "pow", [{"input": [41], "exponent": [1]}], {"input": ["uniform", 0, 50], "exponent": ["list", [0.5]]},
              types=list(FLOATS))
        m.add("pow.wrap", "pow", [{"input": [9, 8], "exponent": [8]}], {"input": ["whole", -9, 9], "exponent": ["list", [0, 1, 5, 9, 17, 25, 31, 40]]},
              types=["i8", "u8", "i32", "i64", "u16"] )
    for op in ("add", "mul", "sub"):
        if op in m.ops:
            m.add(f"{op}.symbolic", op, [{"input": [a, b], "other": [b]} for a, b in ((3, 5), (1, 1), (17, 64), (2, 1))],
                  {"input": "normal", "other": "normal"}, types=["f32", "i32", "f16"], dims={"input": ["a", "b"], "other": ["b"]})
    m.add("sub.symbolic2", "sub", [{"input": [a, 1], "other": [1, b]} for a, b in ((3, 5), (1, 4), (7, 1), (1, 1))],
          types=["f32"], dims={"input": ["a", 1], "other": [1, "b"]})
    m.add("mul.symbolic0", "mul", [{"input": [a, b], "other": [a, b]} for a, b in ((3, 0), (0, 4), (7, 33), (1, 1))],
          types=["f32", "u8"], dims={"input": ["a", "b"], "other": ["a", "b"]}, least=0)


def ternary(m):
    for op, names, types in (("where", ("condition", "input", "other"), None), ("lerp", ("input", "end", "weight"), None),
                             ("addcmul", ("input", "tensor1", "tensor2"), None), ("addcdiv", ("input", "tensor1", "tensor2"), None)):
        core, others = m.split(op)
        values = {name: WITHIN.get(op, "special") for name in names}
        if op == "addcdiv":
            values["tensor2"] = "nonzero"
        if op == "lerp":
            values.update(weight="normal", input="normal", end="normal")
        m.add(op, op, [{name: s for name in names} for s in rows_of(op)], values, types=core, period=PERIOD)
        m.add(f"{op}.more", op, [{name: [1025] for name in names}], values, types=others, period=PERIOD)
        near = {name: "nonzero" if name == "tensor2" else "normal" for name in names}
        shapes = [([5, 7], [7], [5, 1]), ([], [3], [2, 1]), ([2, 1, 3], [4, 1], []), ([1], [0], [1]), ([4, 4], [4, 4], [])]
        for at, three in enumerate(shapes):
            m.add(f"{op}.broadcast{at}", op, [dict(zip(names, three))], near, types=core[-1:] + (["f16"] if at == 0 else []))
        if op.startswith("addc"):
            for at, given in enumerate([{"value": 2}, {"value": -0.5}, {"value": 0}]):
                own = [d for d in core + others if d in ("f32", "f16", "f64") or d in ("i32", "u8") and not fractional(given)]
                m.add(f"{op}.value{at}", op, [{name: [3, 5] for name in names}], near, attrs=given, types=own)
    core, others = m.split("masked_fill")
    for at, given in enumerate(ATTRIBUTES["masked_fill"]):
        types = core + others if at == 0 else list(FLOATS)
        m.add(f"masked_fill.{at}", "masked_fill", [{"input": [5, 7], "mask": [5, 7]}], {"input": "special"}, attrs=given, types=types)
        m.add(f"masked_fill.{at}.broadcast", "masked_fill", [{"input": [5, 7], "mask": [5, 1]}, {"input": [2, 3], "mask": []}, {"input": [], "mask": []}],
              {"input": "normal"}, attrs=given, types=["f32"])
    for op, names in (("prelu_broadcast", ("input", "slope")), ("swiglu", ("gate", "up")), ("local_response_apply", ("input", "around"))):
        core, others = m.split(op)
        given = {"attrs": {"alpha": 0.5, "beta": 0.75, "k": 1}} if op == "local_response_apply" else {}
        values = {names[0]: WITHIN.get(op, "special"), names[1]: ["uniform", 0, 4] if given else "normal"}
        m.add(op, op, [{name: s for name in names} for s in rows_of(op)], values, types=core, period=PERIOD, **given)
        m.add(f"{op}.more", op, [{name: [1025] for name in names}], values, types=others, period=PERIOD, **given)
        m.add(f"{op}.broadcast", op, [{names[0]: [5, 7], names[1]: [7]}, {names[0]: [3, 1], names[1]: [1, 4]}],
              {**values, names[0]: "normal"}, types=core, **given)
    for op in ("silu_and_mul", "gelu_and_mul"):
        core, others = m.split(op)
        for at, given in enumerate([{}, {"approximate": "tanh"}] if op == "gelu_and_mul" else [{}]):
            name = op if at == 0 else f"{op}.tanh"
            # In f16 and bf16 the opened gate is rounded before it is multiplied, where it is stored.
            m.add(name, op, [{"input": s} for s in ([2, 8], [14], [3, 5, 66], [0, 4], [3, 0], [1, 2])], {"input": "normal"}, attrs=given,
                  types=core)
            m.add(f"{name}.more", op, [{"input": [3, 5, 66]}], {"input": "normal"}, attrs=given, types=others, steps=2)
        m.add(f"{op}.symbolic", op, [{"input": [a, 6]} for a in (1, 4, 33)], {"input": "normal"}, types=["f32"], dims={"input": ["a", 6]})
    core, others = m.split("prelu")
    for at, (a, b) in enumerate([([2, 3, 4], [3]), ([2, 3], [3]), ([5], [1]), ([2, 3, 4, 5], [3]), ([2, 3, 4], [1]), ([], [1]), ([3, 4], [])]):
        m.add(f"prelu.{at}", "prelu", [{"input": a, "weight": b}], {"input": "mild", "weight": "normal"},
              types=core + others if at == 0 else core)


def placed(m):
    """In-place forms: on an input of the model, and on something computed."""
    for op, what in sorted(m.ops.items()):
        if not what.in_place:
            continue
        name = f"{op}_" if op not in REFERENCED else op
        types = what.dtypes() if what.result == "T" or op in REFERENCED else [d for d in what.dtypes()
                                                                             if d in FLOATS or what.result == "bool"]
        inputs = [i.name for i in what.inputs]
        if len(inputs) > 3:
            continue
        attrs = ATTRIBUTES.get(op, [{}])[0] if op in ("threshold", "scale", "masked_fill", "fill_") else {"min": 1, "max": 5} if op == "clamp" else {}
        values = {inputs[0]: WITHIN.get(op, "special" if op not in ("pow", "lerp") else "normal")}
        for other in inputs[1:]:
            values[other] = second_values(op, types) or ("nonzero" if other == "tensor2" else "normal")
        if op in ("pow", "div", "floor_divide", "tril", "triu", "copy_"):
            values[inputs[0]] = "normal"
        shape = [5, 13]
        small = [{i: (shape if at == 0 else [13]) for at, i in enumerate(inputs)}]
        for at, way in enumerate(("direct", "computed")):
            # The body is that of the operator itself, which is tested with all dtypes.
            own = [d for d in types if d in (("f32", "f16", "i32", "bool") if at == 0 else ("f32", "i32"))] or types[:1]
            own = types if at == 0 and op in REFERENCED else own
            more = {"period": PERIOD} if len(inputs) == 1 and op not in ("tril", "triu") else {}
            shapes = small if not more else [{inputs[0]: [1025]}] if at == 0 else [{inputs[0]: [7]}, {inputs[0]: []}]
            m.add(f"{name}.{way}", name, shapes, values, attrs=attrs, types=own, place=way, **more)
    for a, b in (("f32", "f16"), ("f16", "f32"), ("f32", "i32"), ("f64", "bool"), ("i64", "i32"), ("i32", "u8"), ("f32", "f64")):
        m.add(f"add_.{a}.{b}", "add_", [{"input": [5, 7], "other": [7]}], types=[{"input": a, "other": b}], place="direct")


def mixed(m):
    """Inputs of two dtypes: computed in what both promote to."""
    pairs = [("f16", "f32"), ("i32", "f16"), ("bool", "i32"), ("u8", "i8"), ("i16", "u8"), ("f64", "f32"), ("bf16", "f16"), ("i64", "f32"),
             ("bool", "f32"), ("i64", "i8"), ("bool", "u8"), ("bf16", "i8")]
    for op in ("add", "mul", "sub", "div", "eq", "lt", "maximum", "atan2", "logical_and", "pow"):
        second = SECOND.get(op, "other")
        own = [p for p in pairs if not (op == "pow" and p[0] not in FLOATS)]
        m.add(f"mixed.{op}", op, [{"input": [5, 7], second: [7]}], {"input": "normal", second: "nonzero" if op == "div" else "normal"},
              types=[{"input": a, second: b} for a, b in own])
    m.add("mixed.where", "where", [{"condition": [5, 7], "input": [7], "other": [5, 1]}],
          types=[{"condition": "bool", "input": a, "other": b} for a, b in pairs])
    m.add("mixed.addcmul", "addcmul", [{"input": [5, 7], "tensor1": [7], "tensor2": [5, 1]}],
          types=[{"input": "f16", "tensor1": "f32", "tensor2": "bf16"}, {"input": "f32", "tensor1": "i32", "tensor2": "u8"}])


def made(m):
    every = list(NUMPY)
    for at, given in enumerate([{"size": [2, 3], "fill_value": 2}, {"size": [7], "fill_value": -1.5}, {"size": [], "fill_value": 3},
                                {"size": [3, 0], "fill_value": 1}, {"size": [1025], "fill_value": 1}]):
        dtypes = every if at == 0 else list(FLOATS)
        for dtype in dtypes:
            m.add(f"full.{at}.{dtype}", "full", [{}], attrs={**given, "dtype": dtype}, types=[dtype])
    m.add("full.plain", "full", [{}], attrs={"size": [3], "fill_value": "inf"}, types=["f32"])
    for op in ("zeros", "ones"):
        for dtype in every:
            m.add(f"{op}.{dtype}", op, [{}], attrs={"size": [2, 3], "dtype": dtype}, types=[dtype])
        m.add(f"{op}.plain", op, [{}], attrs={"size": [5]}, types=["f32"])
        m.add(f"{op}.none", op, [{}], attrs={"size": [0, 2]}, types=["f32"])
        m.add(f"{op}.one", op, [{}], attrs={"size": []}, types=["f32"])
    for op in ("full_like", "zeros_like", "ones_like", "empty_like", "fill_", "zero_"):
        for at, given in enumerate(ATTRIBUTES.get(op, [{}])):
            types = every if at == 0 else list(FLOATS)
            shapes = [{"input": s} for s in ([3, 5], [], [0, 3], [1025])]
            if op not in ("fill_", "zero_"):
                m.add(f"{op}.{at}", op, shapes, attrs=given, types=types)
        if op.endswith("_like"):
            given = ATTRIBUTES.get(op, [{}])[0]
            for dtype in ("f16", "i64", "bool", "f64"):
                m.add(f"{op}.to.{dtype}", op, [{"input": [3, 5]}], attrs={**given, "dtype": dtype}, types=["f32", "i32"])
    ranges = [{"end": 5}, {"start": 1, "end": 2.5, "step": 0.5}, {"start": 5, "end": -6, "step": -3}, {"end": 0}, {"start": 0, "end": 1, "step": 0.1},
              {"start": -3, "end": 1000}, {"start": 2, "end": 2.5}, {"start": 3, "end": 3, "step": 7}]
    for at, given in enumerate(ranges):
        m.add(f"arange.{at}", "arange", [{}], attrs=given, types=["i64" if all(float(x).is_integer() for x in given.values()) else "f32"])
        for dtype in ("f32", "f64", "f16", "bf16"):
            m.add(f"arange.{at}.{dtype}", "arange", [{}], attrs={**given, "dtype": dtype}, types=[dtype])
    for dtype in INTS:
        m.add(f"arange.{dtype}", "arange", [{}], attrs={"start": 2, "end": 60, "step": 7, "dtype": dtype}, types=[dtype])
    m.add("arange.bool", "arange", [{}], attrs={"end": 2, "dtype": "bool"}, types=["bool"])
    for at, given in enumerate([{"n": 3, "m": 4}, {"n": 4}, {"n": 0}, {"n": 5, "m": 2}, {"n": 3, "m": 0}]):
        for dtype in every if at == 0 else ["f32"]:
            m.add(f"eye.{at}.{dtype}", "eye", [{}], attrs={**given, "dtype": dtype}, types=[dtype])
    m.add("eye.plain", "eye", [{}], attrs={"n": 33}, types=["f32"])


def converted(m):
    every = list(NUMPY)
    for to in every:
        # What the target holds, with digits behind the point; floats beyond f16 become its infinity.
        values = {"input": "special"} if to in FLOATS else {"input": ["uniform", 0 if to.startswith("u") else -100, 100]}
        floats, ints = list(FLOATS), [d for d in every if d not in FLOATS]
        m.add(f"cast.{to}.float", "cast", [{"input": [61]}], {"input": "special"} if to == "bool" else values, attrs={"dtype": to}, types=floats)
        m.add(f"cast.{to}.int", "cast", [{"input": [61]}], {"input": "special"}, attrs={"dtype": to}, types=ints)
    m.add("cast.shapes", "cast", [{"input": s} for s in ([], [0], [3, 5, 7], [1])], {"input": "normal"}, attrs={"dtype": "f16"}, types=["f32", "i32"])
    for at, dtype in enumerate(every):
        for step in (1, 4, 9):
            other = every[(at + step) % len(every)]
            values = {"input": "normal", "src": ["whole", 0, 100]}
            m.add(f"copy_.{dtype}.{other}", "copy_", [{"input": [3, 5], "src": [5]}], values, types=[{"input": dtype, "src": other}], place="direct")
    for op in ("tril", "triu"):
        core, others = m.split(op)
        for at, given in enumerate(ATTRIBUTES[op]):
            m.add(f"{op}.{at}", op, [{"input": s} for s in ([3, 4], [2, 3, 3], [5, 1], [1, 5], [0, 3], [2, 0], [17, 33])], {"input": "finite"}, attrs=given,
                  types=core)
            if at == 0:
                m.add(f"{op}.more", op, [{"input": [5, 7]}], {"input": "finite"}, types=others)
        m.add(f"{op}.symbolic", op, [{"input": [2, a, b]} for a, b in ((3, 4), (1, 1), (9, 2))], types=["f32"], dims={"input": [2, "a", "b"]})
    for op in ("exp", "relu", "neg", "isnan"):
        m.add(f"{op}.symbolic", op, [{"input": [a, 3]} for a in (0, 1, 7, 400)], types=["f32", "f16"], dims={"input": ["a", 3]}, least=0)
    # Above what a signed integer holds.
    high = [2**64 - 1, 2**63, 2**63 + 1, 0, 1, 2**63 - 1]
    for op in ("clone", "maximum", "minimum", "add", "mul", "lt", "gt", "bitwise_and", "floor_divide", "remainder", "bitwise_right_shift"):
        names = [i.name for i in m.ops[op].inputs]
        second = [3, 7, 2**63, 5, 2**64 - 2, 1] if op != "bitwise_right_shift" else [0, 1, 63, 2, 3, 62]
        m.add(f"{op}.high", op, [{name: [6] for name in names}], {name: ["raw", high if at == 0 else second] for at, name in enumerate(names)},
              types=["u64"], numpy=True)
    m.add("cast.high", "cast", [{"input": [6]}], {"input": ["raw", high]}, types=["u64"], attrs={"dtype": "f32"}, numpy=True)


def large(m):
    """Large enough to be divided among threads."""
    rows = [[40009], [3, 13337]]
    for op in ("exp", "relu", "gelu", "sqrt", "isnan", "neg"):
        m.add(f"{op}.large", op, [{"input": s} for s in rows], {"input": WITHIN.get(op, "special")}, types=["f32"], period=PERIOD)
    for op in ("add", "mul", "div", "lt", "maximum"):
        m.add(f"{op}.large", op, [{"input": s, "other": s} for s in rows], {"input": "special", "other": "nonzero"}, types=["f32"], period=PERIOD)
    for at, other in enumerate(([129], [257, 1], [])):
        m.add(f"sub.large{at}", "sub", [{"input": [257, 129], "other": other}], {"input": "normal", "other": "normal"}, types=["f32"], every=37)
    m.add("cast.large", "cast", [{"input": s} for s in rows], {"input": "special"}, attrs={"dtype": "f16"}, types=["f32"], period=PERIOD)
    m.add("cast.large.back", "cast", [{"input": s} for s in rows], {"input": "special"}, attrs={"dtype": "f32"}, types=["f16", "bf16"], period=PERIOD)
    m.add("where.large", "where", [{"condition": s, "input": s, "other": s} for s in rows], types=["f32"], period=PERIOD)
    m.add("relu_.large", "relu_", [{"input": [40009]}], {"input": "special"}, types=["f32"], place="direct", period=PERIOD)
    m.add("arange.large", "arange", [{}], attrs={"start": -7, "end": 40000, "step": 3}, types=["i64"], every=37)
    m.add("full.large", "full", [{}], attrs={"size": [40009], "fill_value": 2.5}, types=["f32"], every=37)


def cases(ops):
    families = {}
    for family, makers in (("unary", [unary]), ("binary", [binary]), ("ternary", [ternary]), ("place", [placed, mixed]), ("create", [made, converted]), ("large", [large])):
        m = Maker(ops)
        for maker in makers:
            maker(m)
        families[family] = m.made
    return families
