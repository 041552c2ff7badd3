"""cases_every.py: every operator in every dtype over nothing, one element, odd sizes and enough to be divided, over tensors that
are spread over each other, along negative dims, with infinities and NaN; most of it with sizes that are known at run time alone.

Maps take values and results of cases that are there ("as"): a row of them serves all shapes, so nothing more is stored. Kernels
are shared, so that what is compiled more is what is spread. Of reductions and scans little is left to store.
"""

import itertools

from cases_edge import MATRIX
from values import FLOATS

SIZES = [[0, 5], [1, 1], [3, 7], [3, 5471]]  # the last is more than a thread's part
WILD = ["list", ["nan", 1, 2, 3, -1, "inf", 0.5, 2, 1, -2, "-inf", 0, 1, 1, 2, 3, -3, 1, 0.25, 1, 1]]
KEPT = ("attrs", "exact", "zeros", "rel", "abs", "steps", "period", "values")
TWO = ["a", "b"]


def bases(cases, seen):
    """Cases of maps of which all inputs have one shape, with the dtypes that no case before had."""
    for case in cases:
        if "period" not in case or any(key in case for key in ("place", "numbers", "numpy", "as")):
            continue
        if any(shape != next(iter(one.values())) for one in case["shapes"] for shape in one.values()):
            continue
        key = case["op"], str(case.get("attrs")) if case["op"] == "cast" else ""
        types = [given for given in case["types"] if (*key, str(given)) not in seen]
        seen.update((*key, str(given)) for given in types)
        if types:
            yield case, types


def maps(ops, families):
    seen = set()
    for cases in families.values():
        for case, types in list(bases(cases, seen)):
            names, row = list(case["shapes"][0]), case["period"]
            more = {"op": case["op"], "as": case["name"], "types": types, **{key: case[key] for key in KEPT if key in case}}
            if not names:
                continue
            cases.append({"name": f"{case['name']}.sizes", "shapes": [{name: size for name in names} for size in SIZES], "dims": {name: TWO for name in names}, "least": 0, **more})
            if len(names) > 1:
                first, rest = names[0], names[1:]
                spread = [{first: [3, row], **{name: [row] for name in rest}}, {first: [row], **{name: [3, row] for name in rest}},
                          {first: [3, 1, row], **{name: [2, row] for name in rest}}]
                cases.append({"name": f"{case['name']}.spread", "shapes": spread, **more})


def views(ops, families):
    """What moves elements: empty, along negative dims and with sizes of run time in the dtypes that did not have it."""
    for cases in families.values():
        for case in list(cases):
            shapes = [shape for one in case["shapes"] for shape in one.values()]
            empty = any(0 in (shape if not shape or not isinstance(shape[0], list) else sum(shape, [])) for shape in shapes)
            negative = any(isinstance(value, int) and value < 0 for key, value in case.get("attrs", {}).items() if "dim" in key)
            if not case.get("view") or "as" in case or not all(isinstance(given, str) for given in case["types"]) or not (empty or negative or "dims" in case):
                continue
            types = [dtype for dtype in ops[case["op"]].dtypes() if dtype not in case["types"]]
            if types:
                cases.append({**case, "name": f"{case['name']}.every", "as": case["name"], "types": types})


def reductions(add, ops):
    listed = "sum mean amax amin all any norm std var var_mean logsumexp count_nonzero prod max min argmax argmin".split()
    for op in listed:
        types = ops[op].dtypes()
        floats, others = [d for d in types if d in FLOATS], [d for d in types if d not in FLOATS]
        near = {"rel": 32, "abs": 256} if op not in ("amax", "amin", "max", "min") else {"exact": True}
        sizes = [{"input": size} for size in ([0, 5], [1, 1], [7, 3], [3, 21], [2, 63])]
        rare = {"all": ["rare", 7], "any": ["rare", 7], "prod": "power"}.get(op, "normal")
        for at, (own, kind) in enumerate(((floats, WILD), (others, rare))):
            if own:
                add(f"{op}.every{at}", op, sizes, {"input": kind}, own, attrs={"dim": -1}, dims={"input": TWO}, least=0, brief=True, **near)
        # Those of whole numbers are exact, whatever is added first.
        large = {"prod": ["list", [1, -1, 1, 1, -1, 1, 1]], "all": ["rare", 3000], "any": ["rare", 3000]}.get(op, ["whole", -2, 2])
        more = {"abs": 1 << 14, "rel": 64} if op in ("var", "std", "var_mean", "norm", "mean", "logsumexp") else {"exact": True}
        wide = [d for d in floats if d == "f64"] if "abs" in more else []
        long = [{"input": size} for size in ([5, 3301], [2, 8192], [1, 20480])]
        add(f"{op}.every.large", op, long, {"input": large}, [d for d in types if d not in wide], attrs={"dim": -1}, brief=True, **more)
        if wide:
            add(f"{op}.every.large.f64", op, long, {"input": large}, wide, attrs={"dim": -1}, brief=True, **{**more, "abs": 1 << 20})
        # Enough columns for blocks that share what is reduced.
        if op in ("sum", "argmax", "amin", "var"):
            add(f"{op}.every.columns", op, [{"input": [600, 4352]}], {"input": large}, [d for d in types if d in ("f32", "f16", "u8")], attrs={"dim": 0}, brief=True, every=37, **more)


def scans(add, ops):
    for op in ("cumsum", "cumprod"):
        types = ops[op].dtypes()
        floats, others = [d for d in types if d in FLOATS], [d for d in types if d not in FLOATS]
        sizes = [{"input": size} for size in ([0, 5], [1, 1], [5, 7])]
        for at, own in enumerate((floats, others)):
            kind = ["list", [1, -1, 1, 0.5, 2, 1, -1, "inf", 1, "nan", -1]] if own is floats else ["list", [1, 0, 1, 1, 2]]
            if own:
                add(f"{op}.every{at}", op, sizes, {"input": kind}, own, attrs={"dim": -1}, dims={"input": TWO}, least=0, brief=True, rel=32, abs=32)
        add(f"{op}.every.large", op, [{"input": [17, 1031]}], {"input": ["list", [1, 1, 1, 1, 1, 1, 1]]}, types, attrs={"dim": -1}, exact=True, brief=True, every=97)


def norms(add, ops):
    """Softmax and the norms of rows: rows of one and of many, and no rows."""
    near = {"rel": 64, "abs": 256}
    for op, attrs in (("softmax", {"dim": -1}), ("log_softmax", {"dim": -1})):
        floats = [d for d in ops[op].dtypes() if d in FLOATS]
        for at, kind in enumerate((WILD, "normal")):
            add(f"{op}.every{at}", op, [{"input": size} for size in ([0, 5], [1, 1], [3, 21], [2, 700])], {"input": kind}, floats, attrs=attrs, dims={"input": TWO}, least=0, brief=True, **near)
        add(f"{op}.every.first", op, [{"input": size} for size in ([5, 0], [1, 1], [21, 3])], {"input": "normal"}, floats, attrs={"dim": -2}, dims={"input": TWO}, least=0, brief=True, **near)
    for op in ("layer_norm", "rms_norm"):
        floats = [d for d in ops[op].dtypes() if d in FLOATS]
        for at, kind in enumerate((WILD, "normal")):
            add(f"{op}.every{at}", op, [{"input": size, "weight": size[-1:]} for size in ([0, 21], [1, 21], [5, 21])], {"input": kind, "weight": "normal"}, floats, attrs={"normalized_shape": [21]},
                dims={"input": ["a", 21], "weight": [21]}, least=0, brief=True, **near)


def matrices(add, ops):
    """Products with sizes of run time, some of which are 0 and 1."""
    for op, names in MATRIX.items():
        attrs = {"equation": "ij,jk->ik"} if op == "einsum" else {}
        sets = [{"m": m, "n": n, "k": k, "b": b, "1": 1} for m, n, k, b in ((0, 3, 4, 2), (1, 1, 1, 1), (3, 5, 7, 2), (17, 9, 0, 3), (5, 33, 19, 2))]
        shapes = [{name: [sizes[dim] for dim in dims.split()] for name, dims in names.items()} for sizes in sets]
        dims = {name: [1 if dim == "1" else dim for dim in dims.split()] for name, dims in names.items()}
        add(f"{op}.every", op, shapes, {name: ["whole", -3, 3] for name in names}, ops[op].dtypes(), attrs=attrs, dims=dims, least=0, brief=True, exact=True)


def halves(add):
    """16-bit floats over enough that vectors, blocks and threads have their turn, in rows that end anywhere."""
    for at, (a, b) in enumerate((([131, 129], [129]), ([20011], [20011]), ([67, 3, 97], [3, 1]))):
        add(f"add.half{at}", "add", [{"input": a, "other": b}], {"input": "normal", "other": "normal"}, ["f16", "bf16"], exact=True, every=37)
    # Each of a length of its own: of one length they would be one kernel, and one with several outputs goes through memory in another way.
    for at, (op, dtype) in enumerate(itertools.product(("relu", "exp", "tanh", "gelu"), ("f16", "bf16"))):
        add(f"{op}.half.{dtype}", op, [{"input": [20011 + 70 * at]}], {"input": "normal"}, [dtype], every=37)
    for at, dim in enumerate((-1, 0)):
        for op in ("sum", "amax", "var"):
            more = {"abs": 1 << 14} if op == "var" else {"exact": True}
            add(f"{op}.half{at}", op, [{"input": [131, 1061] if dim else [1061, 131]}], {"input": ["whole", -4, 4]}, ["f16", "bf16"], attrs={"dim": dim}, **more)


def cases(ops, families):
    made = []

    def add(name, op, shapes, values, types, attrs=None, **more):
        made.append({"name": name, "op": op, "shapes": shapes, "values": values, "attrs": attrs or {}, "types": types, **more})

    maps(ops, families)
    views(ops, families)
    matrices(add, ops)
    reductions(add, ops)
    scans(add, ops)
    halves(add)
    norms(add, ops)
    return made
