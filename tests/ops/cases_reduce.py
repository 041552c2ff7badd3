"""cases_reduce.py: the cases of reductions.

Large ones are of whole numbers (of powers of 2 for products), whose sums are exact in f32 in whatever order: one element
left out or taken twice shows. Random numbers are for small ones.
"""

from values import FLOATS, INTS

PLACES = [([7, 9], {"dim": 1}), ([7, 9], {"dim": 0}), ([3, 5, 7], {"dim": 1, "keepdim": True}), ([3, 5, 7], {"dim": -1}), ([3, 5, 7], {"dim": -3}),
          ([1, 1], {"dim": 0}), ([1], {"dim": 0}), ([], {"dim": -1}), ([0, 3], {"dim": 1}), ([2, 1, 3], {"dim": 1})]
MANY = [([3, 5, 7], {"dim": [0, -1]}), ([2, 3, 4, 5], {"dim": [1, 3], "keepdim": True}), ([2, 3, 4, 5], {"dim": [0, 2]}), ([2, 3, 4], {"dim": [0, 1, 2]}),
        ([2, 3, 4], {"dim": []}), ([2, 3, 4], {"dim": [-1, 1]})]
WHOLE = [([5, 13], {}), ([1], {}), ([], {}), ([3, 5, 7], {"keepdim": True})]
NOTHING = [([0], {}), ([2, 0], {"dim": 1}), ([0, 3], {"dim": 0, "keepdim": True})]
LARGE = [([100003], {}), ([3, 20011], {"dim": 1}), ([20011, 3], {"dim": 0}), ([17, 33, 65], {"dim": 1}), ([40, 2, 501], {"dim": [0, 2]})]

LISTED = "sum mean amax amin all any norm std var var_mean logsumexp count_nonzero".split()  # take lists of dims
ONE = "prod max min argmax argmin".split()
EMPTY = "sum prod mean all any norm std var var_mean logsumexp count_nonzero".split()  # have an answer for nothing
NO_KEEP = ("count_nonzero",)
NEEDS_DIM = ("max", "min", "logsumexp")
CORE = ("f32", "i32", "bool")
EXACT = "amax amin max min".split()
VARIANTS = {
    "norm": [{"p": 0}, {"p": 1}, {"p": 3}, {"p": "inf"}, {"p": "-inf"}, {"p": 0.5}, {"p": -1}],
    "std": [{"correction": 0}, {"correction": 2}],
    "var": [{"correction": 0}, {"correction": 2}],
    "var_mean": [{"correction": 0}],
    "sum": [{"dtype": "f64"}, {"dtype": "i32"}],
    "prod": [{"dtype": "f64"}],
    "mean": [{"dtype": "f64"}],
}


def cases(ops):
    made = []
    for op in LISTED + ONE:
        types = ops[op].dtypes()
        core = [d for d in types if d in CORE]
        others = [d for d in types if d not in core]
        floats = [d for d in types if d in FLOATS]
        places = PLACES + (MANY if op in LISTED else []) + ([] if op in NEEDS_DIM else WHOLE) + (NOTHING if op in EMPTY else [])
        if op in NEEDS_DIM:
            places = [p for p in places if "dim" in p[1]]
        if op in NO_KEEP:
            places = [p for p in places if not p[1].get("keepdim")]
        given = {"rel": 32 if op in ("norm", "logsumexp", "prod") else 16}
        if op in ("sum", "mean"):
            given["abs"] = 256
        if op in ("std", "var", "var_mean"):
            given["abs"] = 64
        if op in EXACT:
            given["exact"] = True

        def add(name, shape, attrs, kind, types, **more):
            if types:
                made.append({"name": name, "op": op, "shapes": [{"input": shape}], "values": {"input": kind}, "attrs": attrs, "types": types, **{**given, **more}})

        def numbers(shape):
            if op == "prod":
                return "power"
            return ["rare", 5] if op in ("all", "any") else "normal"

        for at, (shape, attrs) in enumerate(places):
            add(f"{op}.{at}", shape, attrs, numbers(shape), core + others if at == 0 else core if at < 5 else core[-1:])
        # Ties, infinities and NaN.
        rows = {"dim": 1}
        for at, row in enumerate((["nan", 1, 2], [1, "nan", 2, "nan"], ["inf", 1, "-inf"], ["inf", "inf"], ["-inf", "-inf"], ["nan", "inf"], [0, -0.0], [3, 1, 3, 1], [0, 0, 0], [5])):
            add(f"{op}.special{at}", [2, len(row)], rows, ["list", row], floats)
        if op in EXACT + ["argmax", "argmin"]:
            # [7, 9] above has the same functions.
            add(f"{op}.ties", [5, 40], rows, ["whole", 0, 3], core + others)
            add(f"{op}.far", [3, 1030], rows, "distinct", [d for d in core + others if d not in ("bool", "u8", "i8", "f16", "bf16")])
            add(f"{op}.ends", [7, 29], rows, "special", [d for d in types if d in INTS and d != "u64"])
        for at, extra in enumerate(VARIANTS.get(op, [])):
            own = [d for d in floats if d in ("f32", "f16", "f64")[: 3 if at < 2 else 1]] if "dtype" not in extra else [d for d in types if d in ("f32", "f16", "i32", "bool")]
            own = [d for d in own if extra.get("dtype") != "i32" or d not in FLOATS]
            one = {"dim": 1}
            add(f"{op}.attrs{at}", [5, 9], {**one, **extra}, "nonzero" if op == "norm" and extra.get("p") == -1 else "normal", own)
            add(f"{op}.attrs{at}.few", [3, 2], {**one, **extra}, "normal", [d for d in own if d == "f32"])
            add(f"{op}.attrs{at}.one", [3, 1], {**one, **extra}, "normal", [d for d in own if d == "f32"])
        for at, (shape, attrs) in enumerate(LARGE):
            if op in ONE and isinstance(attrs.get("dim"), list) or op in NEEDS_DIM and not attrs:
                continue
            kind = ["whole", -8, 8] if op not in ("prod", "all", "any") else "power" if op == "prod" else ["rare", 3000]
            own = [d for d in types if d in (("f32", "f64") if at == 2 else ("f32", "f16", "i64")[: 3 if at == 0 else 1])]
            if op == "prod":
                kind = ["list", [2, -1, 0.5, 1, -1, 1, 1]]  # seven of them: every seventh alone would overflow, and nobody takes these
                own = [d for d in own if d in ("f32", "f64")]
            if op in ("sum", "prod", "count_nonzero", "all", "any", "amax", "amin"):
                add(f"{op}.large{at}", shape, attrs, kind, own, exact=True, rel=0, abs=0)
            elif op in ("var", "std", "var_mean"):
                # One number after the other, the error grows with their count.
                add(f"{op}.large{at}", shape, attrs, kind, [d for d in own if d != "f64"], abs=16384)
                add(f"{op}.large{at}.f64", shape, attrs, kind, [d for d in own if d == "f64"], abs=1 << 20)
            else:
                add(f"{op}.large{at}", shape, attrs, kind, own)
        # A few with sizes that are known at run time only.
        for at, (sizes, names, attrs) in enumerate([([[3, 5], [1, 1], [2, 700], [9, 16]], ["a", "b"], {"dim": 1}), ([[3, 5], [1, 1], [700, 2], [16, 9]], ["a", "b"], {"dim": 0}),
                                                    ([[4, 6], [1, 1], [40, 50]], ["a", "b"], {})]):
            if not attrs and op in NEEDS_DIM:
                continue
            own = [d for d in types if d in (("f32", "f16") if at == 0 else ("f32",))] or types[:1]
            made.append({"name": f"{op}.symbolic{at}", "op": op, "shapes": [{"input": size} for size in sizes], "values": {"input": numbers([])}, "attrs": attrs, "types": own,
                         "dims": {"input": names}, **{**given, **({"abs": 2048} if op in ("sum", "mean", "var", "std", "var_mean") else {})}})
    return {"reduce": made}
