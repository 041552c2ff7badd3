"""cases_edge.py: what the other files leave out of empty, tiny and large tensors, of NaN and infinities, operator by operator.

Of maps a case is made from one that is there: their bodies are the same for any shape, but each goes once over nothing and
once over enough to be divided among threads.
"""

from values import FLOATS

LARGE = 16411

# operator: (shapes of the inputs, attributes)
VIEWS = {
    "broadcast_to": [([0], {"shape": [2, 0]}), ([129], {"shape": [131, 129]})], "expand": [([0, 1], {"size": [0, 4]})],
    "movedim": [([2, 0, 3], {"source": 0, "destination": -1}), ([1], {"source": 0, "destination": 0}), ([5, 7, 9], {"source": 2, "destination": 0}),
                ([129, 7, 19], {"source": 0, "destination": -1})],
    "narrow": [([0, 3], {"dim": 1, "start": 0, "length": 2}), ([1], {"dim": 0, "start": 0, "length": 1}), ([200, 129], {"dim": -1, "start": 1, "length": 127})],
    "select": [([1], {"dim": 0, "index": 0}), ([3, 129, 129], {"dim": -1, "index": 5})], "slice": [([1], {})],
    "space_to_depth": [([0, 2, 2, 4], {"blocksize": 2}), ([1, 1, 1, 1], {"blocksize": 1}), ([3, 5, 9, 3], {"blocksize": 3}), ([1, 5, 66, 66], {"blocksize": 2})],
    "depth_to_space": [([1, 1, 1, 1], {"blocksize": 1}), ([3, 9, 5, 7], {"blocksize": 3}), ([1, 20, 33, 33], {"blocksize": 2, "mode": "CRD"})],
    "split": [([0, 3], {"split_size_or_sections": 2, "dim": 1}), ([1], {"split_size_or_sections": 1}), ([5, 7], {"split_size_or_sections": 3, "dim": -1}),
              ([129, 258], {"split_size_or_sections": 129, "dim": -1})],
    "chunk": [([0, 4], {"chunks": 2, "dim": 1}), ([1], {"chunks": 1}), ([129, 258], {"chunks": 2, "dim": -1})], "unbind": [([1], {}), ([16411, 2], {"dim": -1})],
    "tile": [([0, 2], {"dims": [2, 2]}), ([3], {"dims": [3]}), ([129, 65], {"dims": [2, 1]})], "repeat": [([129, 65], {"repeats": [1, 3]})],
    "repeat_interleave": [([1], {"repeats": 3}), ([129, 65], {"repeats": 3, "dim": 0}), ([16411], {"repeats": 2})],
    "unfold": [([1], {"dimension": 0, "size": 1, "step": 1}), ([0, 5], {"dimension": 1, "size": 2, "step": 2})],
    "diagonal": [([1, 1], {}), ([129, 131, 129], {"offset": 1})], "flatten": [([3, 5, 7], {}), ([33, 17, 33], {"start_dim": -2})], "squeeze": [([129, 1, 129], {"dim": -2})],
    "unsqueeze": [([3, 5], {"dim": -2}), ([129, 129], {"dim": 1})], "reshape": [([129, 130], {"shape": [130, -1]})], "view": [([129, 130], {"shape": [-1, 65]})],
    "contiguous": [([129, 129], {})],
}
LISTS = {"stack": [([[129, 65], [129, 65]], {"dim": -1})], "cat": [([[129, 65], [0, 65], [5, 65]], {}), ([[LARGE], [3], [LARGE]], {})]}
WILD = ["list", ["nan", 1, 2, 3, -1, "inf", 0.5, 2, 1, -2, "-inf", 0, 1, 1, 2, 3, -3, 1, 0.25]]  # some rows have none of them
MATRIX = {
    "addmm": {"input": "m n", "mat1": "m k", "mat2": "k n"}, "addmv": {"input": "m", "mat": "m k", "vec": "k"}, "addr": {"input": "m n", "vec1": "m", "vec2": "n"},
    "baddbmm": {"input": "b m n", "batch1": "b m k", "batch2": "b k n"}, "bmm": {"input": "b m k", "mat2": "b k n"}, "matmul": {"input": "b m k", "other": "b k n"},
    "linear": {"input": "b m k", "weight": "n k", "bias": "n"}, "mv": {"input": "m k", "vec": "k"}, "outer": {"input": "m", "vec2": "n"}, "inner": {"input": "m k", "other": "n k"},
    "einsum": {"input": "m k", "other": "k n"}, "dot": {"input": "k", "tensor": "k"}, "addr_apply": {"input": "m n", "vec1": "m 1", "vec2": "n"}}


def maps(add, ops, families):
    """Each map, and what is made of maps alone, over nothing and over much."""
    bases = {}
    for cases in families.values():
        for case in cases:
            if "period" in case and "place" not in case and "numbers" not in case and not case.get("numpy"):
                bases.setdefault(case["op"], case)
    for name, base in sorted(bases.items()):
        names, keep = list(base["shapes"][0]), {key: base[key] for key in ("attrs", "exact", "zeros", "rel", "abs", "period") if key in base}
        seen = [size for case in families["large"] if case["op"] == name for size in case["shapes"]]
        shapes = [[0], [3, 0, 2], [1]] + ([] if seen else [[LARGE]])
        dtype = next(d for d in ("f32", "i32", base["types"][0]) if d in base["types"])
        add(f"{name}.edge", name, [{one: shape for one in names} for shape in shapes], base["values"], types=[dtype], **keep)


def views(add, ops):
    for op, given in VIEWS.items():
        for at, (shape, attrs) in enumerate(given):
            add(f"{op}.edge{at}", op, [{"input": shape}], {"input": "finite"}, attrs=attrs, types=ops[op].dtypes(), view=True, **({"every": 37} if len(shape) and max(shape) > 60 else {}))
    for op, given in LISTS.items():
        for at, (shapes, attrs) in enumerate(given):
            add(f"{op}.edge{at}", op, [{"tensors": shapes}], {"tensors": "finite"}, attrs=attrs, types=ops[op].dtypes(), view=True, every=37)


def norms(add, ops):
    near = {"rel": 64, "abs": 64}
    channels = {"running_mean": [6], "running_var": [6], "weight": [6], "bias": [6]}
    kinds = {"running_mean": "normal", "running_var": ["uniform", 0.5, 2], "mean": "normal", "var": ["uniform", 0.5, 2], "weight": "normal", "bias": "normal", "around": ["uniform", 0, 4]}
    for op, more, attrs in (("group_norm", {}, {"num_groups": 3}), ("instance_norm", {}, {}), ("batch_norm", channels, {}), ("normalize", {}, {}), ("local_response_norm", {}, {"size": 3}),
                            ("instance_norm_rows", {}, {})):
        steps = {"normalize": 2, "local_response_norm": 3}.get(op, 1)
        for at, (shape, kind) in enumerate((([4, 6, 5], WILD), ([1, 6, 1], "normal") if op != "instance_norm" and op != "instance_norm_rows" else ([1, 6, 2], "normal"), ([0, 6, 3], "normal"),
                                            ([3, 6, 1025], "normal"))):
            thin = {"every": 37} if at == 3 else {}
            add(f"{op}.edge{at}", op, [{"input": shape, **more}], {"input": kind, **kinds}, attrs=attrs, types=["f32"] if at == 3 else list(FLOATS), steps=steps, **near, **thin)
    for op, first in (("layer_norm_dims", ["input"]), ("rms_norm_dims", ["input"]), ("add_rms_norm_dims", ["input", "residual"])):
        for at, (shape, kind) in enumerate((([5, 7], "normal"), ([4, 5], WILD), ([1, 1], "normal"), ([0, 5], "normal"))):
            add(f"{op}.edge{at}", op, [{**{name: shape for name in first}, "weight": shape[-1:]}], {**{name: kind for name in first}, **kinds}, attrs={"dims": 1, "eps": 1e-5}, types=list(FLOATS),
                steps=2 if len(first) > 1 else 1, **near)
    for op in ("softmax_dim", "log_softmax_dim"):
        for at, (shape, kind) in enumerate((([1], "normal"), ([0, 3], "normal"), ([4, 5], WILD))):
            add(f"{op}.edge{at}", op, [{"input": shape}], {"input": kind}, attrs={"dim": -1}, types=list(FLOATS), rel=64, abs=256)
    for op in ("silu_and_mul", "gelu_and_mul"):
        add(f"{op}.edge0", op, [{"input": [5, 8]}], {"input": ["list", ["nan", 1, -1, "inf", 0.5, 2, -3]]}, types=list(FLOATS), steps=2, abs=64)
        add(f"{op}.edge1", op, [{"input": [33, 1026]}], {"input": "normal"}, types=["f32"], every=37, abs=64)
    for op, names in (("batch_norm_apply", ("input", "mean", "var")),):
        for at, shape in enumerate(([0, 3], [127, 131])):
            add(f"{op}.edge{at}", op, [{name: shape if name == "input" else shape[1:] for name in names}], {"input": "normal", **kinds}, types=["f32"], **near, **({"every": 37} if at else {}))
    for op in ("tril", "triu"):
        add(f"{op}.edge0", op, [{"input": [1, 1]}, {"input": [5, 7]}], {"input": "special"}, types=ops[op].dtypes(), exact=True, zeros=True)
        add(f"{op}.edge1", op, [{"input": [131, 129]}], {"input": "special"}, types=["f32"], exact=True, every=37)
    for at, (shape, weight) in enumerate((([0, 3], [3]), ([129, 131], [131]), ([5, 1], [1]))):
        add(f"prelu.edge{at}", "prelu", [{"input": shape, "weight": weight}], {"input": "mild", "weight": "normal"}, types=["f32"] if at == 1 else list(FLOATS), **({"every": 37} if at == 1 else {}))
    for at, shape in enumerate(([0, 3], [129, 131])):
        add(f"masked_fill.edge{at}", "masked_fill", [{"input": shape, "mask": shape}], {"input": "special"}, attrs={"value": 1}, types=["f32"] if at else ops["masked_fill"].dtypes(), exact=True, **({"every": 37} if at else {}))
        for op, attrs in (("fill_", {"value": 2.5}), ("zero_", {})):
            add(f"{op}.edge{at}", op, [{"input": shape}], {}, attrs=attrs, types=["f32"], exact=True, place="direct", **({"every": 37} if at else {}))
        add(f"copy_.edge{at}", "copy_", [{"input": shape, "src": shape[1:]}], {"input": "normal", "src": "special"}, types=[{"input": "f16", "src": "f32"}], exact=True, place="direct",
            **({"every": 37} if at else {}))
    for op in ("cumsum", "cumprod"):
        add(f"{op}.edge", op, [{"input": [129, 131]}], {"input": ["list", [1, -1, 1, 1, -1, 0.5, 2, 1, -1]]}, attrs={"dim": -1}, types=["f32"], exact=True, every=37)


def matrices(add, ops):
    whole = ["whole", -4, 4]

    def shapes(names, **sizes):
        return [{name: [int(sizes.get(dim, 1)) for dim in dims.split()] for name, dims in names.items()}]

    for op, names in MATRIX.items():
        attrs = {"equation": "ij,jk->ik"} if op == "einsum" else {}
        wild = {name: WILD if at == 0 else ["list", [1, 2, 0.5]] for at, name in enumerate(names)}
        add(f"{op}.edge.wild", op, shapes(names, m=4, n=3, k=5, b=2), wild, attrs=attrs, types=list(FLOATS), abs=64)
        add(f"{op}.edge.one", op, shapes(names, m=1, n=1, k=1, b=1), {}, attrs=attrs, types=ops[op].dtypes(), abs=16)
        for at, sizes in enumerate(({"m": 0, "n": 3, "k": 4, "b": 2}, {"m": 3, "n": 2, "k": 0, "b": 2})):
            add(f"{op}.edge.none{at}", op, shapes(names, **sizes), {}, attrs=attrs, types=ops[op].dtypes(), abs=16)
        add(f"{op}.edge.large", op, shapes(names, m=131, n=127, k=137 if op != "dot" else 20011, b=2), {name: whole for name in names}, attrs=attrs, types=["f32"], exact=True, every=37, brief=True)
    for at, (a, weights, types) in enumerate((([2, 3], [4, 1], ["f32", "f16", "bf16", "f64", "i32", "u8", "i8", "u16", "i16", "u32", "u64", "i64"]), ([2, 5, 3], [4, 4, 2], ["f32"]), ([3], [2, 1], ["f32"]),
                                              ([0, 3], [2, 2], None), ([1, 1], [1, 1], None))):
        k = a[-1]
        for more in ({}, {"biases": [[n] for n in weights]}):
            add(f"linears.{at}{'.bias' if more else ''}", "linears", [{"input": a, "weights": [[n, k] for n in weights], **more}], {"input": WILD if at == 1 else "normal"},
                types=(types or ops["linears"].dtypes()) if more else types[:2] if types else ["f32"], abs=16)
    add("linears.large", "linears", [{"input": [131, 137], "weights": [[127, 137], [3, 137]]}], {"input": whole, "weights": whole}, types=["f32"], exact=True, brief=True)
    # What is added without dims is of any dtype, and does not make the product another one.
    add("addr.point", "addr", [{"input": [], "vec1": [4], "vec2": [5]}], {}, types=[{"input": "f64", "vec1": "f32", "vec2": "f32"}, {"input": "f16", "vec1": "f32", "vec2": "f32"}], abs=16)


def cases(ops, families):
    made = []

    def add(name, op, shapes, values, types, attrs=None, **more):
        made.append({"name": name, "op": op, "shapes": shapes, "values": {**{one.name: "normal" for one in ops[op].inputs}, **values}, "attrs": attrs or {}, "types": types, **more})

    maps(add, ops, families)
    views(add, ops)
    norms(add, ops)
    matrices(add, ops)
    return made
