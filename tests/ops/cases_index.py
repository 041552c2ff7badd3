"""cases_index.py: the cases of operators that take and put elements where integers say.

Integers are within the dim that they are for, but in the cases of negative ones; what becomes of others is for
tests/command/test_index.sh, because a run with one fails.
"""

from values import FLOATS, NUMPY

FEW = [{"T": "f32", "P": "i64"}, {"T": "i8", "P": "i32"}]
ALL = [{"T": dtype, "P": "i64"} for dtype in NUMPY] + [{"T": dtype, "P": "i32"} for dtype in ("f32", "f16", "i64", "bool")]
SUMMED = ["whole", -9, 9]  # whose sums are exact in all dtypes, in any order

# operator: (shapes, attributes, how far integers go); all dtypes in the first.
TAKEN = {
    "embedding": [({"input": [2, 3], "weight": [10, 4]}, {}, 10), ({"input": [], "weight": [3, 5]}, {"padding_idx": 1}, 3), ({"input": [7], "weight": [1, 33]}, {"padding_idx": -1}, 1),
                  ({"input": [0, 3], "weight": [4, 2]}, {}, 4), ({"input": [3, 2, 2], "weight": [129, 1]}, {}, 129), ({"input": [2, 2], "weight": [5, 0]}, {}, 5)],
    "index_select": [({"input": [4, 3], "index": [2]}, {"dim": 0}, 4), ({"input": [4, 3, 5], "index": [7]}, {"dim": 1}, 3), ({"input": [2, 3, 5], "index": [9]}, {"dim": -1}, 5),
                     ({"input": [6], "index": [4]}, {"dim": 0}, 6), ({"input": [3, 2], "index": [0]}, {"dim": 0}, 3), ({"input": [3, 0], "index": [2]}, {"dim": 0}, 3)],
    "gather": [({"input": [4, 3], "index": [4, 2]}, {"dim": 1}, 3), ({"input": [4, 3], "index": [9, 3]}, {"dim": 0}, 4), ({"input": [3, 4, 5], "index": [2, 7, 5]}, {"dim": -2}, 4),
               ({"input": [7], "index": [12]}, {"dim": 0}, 7), ({"input": [3, 4], "index": [0, 2]}, {"dim": 1}, 4), ({"input": [5, 129], "index": [3, 200]}, {"dim": 1}, 129)],
    "take_along_dim": [({"input": [4, 3], "indices": [1, 3]}, {"dim": 0}, 4), ({"input": [4, 3], "indices": [5]}, {}, 12), ({"input": [1, 5, 3], "indices": [2, 4, 1]}, {"dim": 1}, 5),
                       ({"input": [2, 1, 6], "indices": [1, 3, 4]}, {"dim": -1}, 6), ({"input": [2, 3], "indices": [2, 0]}, {"dim": 1}, 3)],
    "select_at": [({"input": [4, 3], "index": [2, 5]}, {"dim": 1}, 3), ({"input": [4, 3, 2], "index": [2, 1, 3]}, {"dim": 0}, 4), ({"input": [5, 2], "index": []}, {"dim": -2}, 5)],
    "gather_at": [({"input": [4, 3], "index": [4, 2]}, {"dim": 1}, 3), ({"input": [2, 5, 3], "index": [2, 9, 1]}, {"dim": 1}, 5)],
    "take_along_at": [({"input": [4, 3], "indices": [1, 3]}, {"dim": 0}, 4), ({"input": [2, 1, 6], "indices": [1, 3, 4]}, {"dim": 2}, 6)],
}
PUT = {
    "scatter": [({"input": [4, 3], "index": [2, 3], "src": [2, 3]}, {"dim": 0}, 4), ({"input": [4, 3], "index": [3, 5], "src": [4, 6]}, {"dim": -1}, 3),
                ({"input": [2, 6, 3], "index": [2, 4, 2], "src": [3, 4, 3]}, {"dim": 1}, 6), ({"input": [9], "index": [4], "src": [4]}, {"dim": 0}, 9),
                ({"input": [3, 4], "index": [0, 4], "src": [1, 4]}, {"dim": 0}, 3), ({"input": [3, 300], "index": [2, 290], "src": [2, 300]}, {"dim": 0}, 3)],
    "scatter_add": [({"input": [4, 3], "index": [2, 3], "src": [2, 3]}, {"dim": 0}, 4), ({"input": [4, 3], "index": [3, 5], "src": [4, 6]}, {"dim": -1}, 3),
                    ({"input": [2, 6, 3], "index": [2, 4, 2], "src": [3, 4, 3]}, {"dim": 1}, 6), ({"input": [9], "index": [4], "src": [4]}, {"dim": 0}, 9)],
}
# shapes, in names, attributes, how far integers go
SYMBOLIC = {
    "embedding": [([{"input": [2, 3], "weight": [10, 4]}, {"input": [1, 7], "weight": [10, 4]}, {"input": [0, 1], "weight": [10, 4]}], {"input": ["a", "b"], "weight": [10, 4]}, {}, 10)],
    "index_select": [([{"input": [4, 3], "index": [5]}, {"input": [9, 1], "index": [1]}], {"input": ["a", "b"], "index": ["c"]}, {"dim": 0}, 4)],
    "gather": [([{"input": [4, 3], "index": [4, 3]}, {"input": [3, 8], "index": [3, 8]}], {"input": ["a", "b"], "index": ["a", "b"]}, {"dim": 1}, 3)],
}


def cases(ops):
    made = []

    def add(name, op, shapes, attrs, most, types, lowest=0, **more):
        shapes = shapes if isinstance(shapes, list) else [shapes]
        values = {one.name: ["whole", lowest, most - 1] if one.type == "P" else "finite" for one in ops[op].inputs}
        made.append({"name": name, "op": op, "shapes": shapes, "attrs": attrs, "values": values, "types": types, "exact": True, **more})

    for op, given in (TAKEN | PUT).items():
        for at, (shapes, attrs, most) in enumerate(given):
            add(f"{op}.{at}", op, shapes, attrs, most, ALL if at == 0 else FEW)
            if op == "scatter_add":
                made[-1]["values"] |= {"input": SUMMED, "src": SUMMED}
    for op, given in SYMBOLIC.items():
        for at, (shapes, names, attrs, most) in enumerate(given):
            add(f"{op}.symbolic{at}", op, shapes, attrs, most, FEW[:1], dims=names)
            if any(0 in one["input"] for one in shapes):
                made[-1]["least"] = 0  # what dims may be
    add("scatter.value", "scatter", {"input": [4, 3], "index": [2, 3]}, {"dim": 0, "value": 2}, 4, ALL)
    add("scatter.value1", "scatter", {"input": [4, 3], "index": [2, 3]}, {"dim": 1, "value": -1.5}, 3, [{"T": "f32", "P": "i64"}, {"T": "f16", "P": "i64"}])
    add("embedding.large", "embedding", {"input": [130], "weight": [50, 129]}, {}, 50, FEW, every=37)
    add("gather.large", "gather", {"input": [129, 131], "index": [129, 131]}, {"dim": 0}, 129, FEW, every=37)
    add("scatter_add.large", "scatter_add", {"input": [7, 3000], "index": [9, 3000], "src": [9, 3000]}, {"dim": 0}, 7, [{"T": "f32", "P": "i64"}, {"T": "i32", "P": "i32"}], every=37)
    made[-1]["values"] |= {"input": SUMMED, "src": SUMMED}
    # Negative integers count from the end, in `index` alone.
    one, two, four = {"input": [4, 3], "index0": [5]}, {"input": [4, 3], "index0": [2], "index1": [2]}, {f"index{k}": [2] for k in range(4)}
    add("index.0", "index", one, {}, 4, ALL, -4)
    add("index.1", "index", two, {}, 3, ALL, -3)
    add("index.2", "index", {"input": [4, 3, 5], "index0": [2, 1], "index1": [6]}, {}, 3, FEW, -3)
    add("index.3", "index", {"input": [3, 4, 5], "index0": [2, 1], "index1": [1, 3], "index2": []}, {}, 3, FEW, -3)
    add("index.4", "index", {"input": [3, 2, 4, 2, 3], **four}, {}, 2, FEW, -2)
    add("index.5", "index", {"input": [3, 2, 4, 2], **four}, {}, 2, FEW, 0)
    add("index.6", "index", {"input": [3, 2], "index0": []}, {}, 3, FEW)
    add("index.7", "index", {"input": [3, 2], "index0": [0]}, {}, 3, FEW)
    add("index.symbolic", "index", [{"input": [4, 3], "index0": [5], "index1": [1]}, {"input": [9, 2], "index0": [1], "index1": [1]}], {}, 2, FEW[:1], -2,
        dims={"input": ["a", "b"], "index0": ["c"], "index1": [1]})
    for at, shapes in enumerate(({"input": [4, 3], "index0": [5]}, {"input": [4, 3, 2], "index0": [3, 1], "index1": [2]}, {"input": [3, 4, 5, 2], **four})):
        add(f"index_at.{at}", "index_at", shapes, {}, min(shapes["input"][: len(shapes) - 1]), ALL if at == 0 else FEW)
    add("positions.0", "positions", {"input": [2, 3]}, {"size": 5}, 5, ["i32", "i64"])
    add("positions.1", "positions", {"input": [129]}, {"size": 7, "wrap": True}, 7, ["i32", "i64"], -7)
    for at, (shape, classes) in enumerate((([2, 3], 5), ([], 4), ([0, 2], 1), ([130], 7))):
        add(f"one_hot.{at}", "one_hot", {"tensor": shape}, {"num_classes": classes}, classes, ["i32", "i64"])
    for at, (shapes, attrs, most) in enumerate(PUT["scatter"][:3]):
        for place in ("direct", "computed"):
            add(f"scatter_at_.{at}.{place}", "scatter_at_", shapes, attrs, most, ALL if at == 0 and place == "direct" else FEW, place=place)
            add(f"scatter_at_.{at}.{place}.added", "scatter_at_", shapes, attrs | {"accumulate": True}, most, [{"T": d, "P": "i64"} for d in (*FLOATS, "i32", "bool")], place=place)
            made[-1]["values"] |= {"input": SUMMED, "src": SUMMED}
    for op, shapes, most, place in (("index_put_", {"input": [4, 3], "index0": [5], "values": [5, 3]}, 4, "direct"), ("index_put_", {"input": [4, 3], "index0": [2], "index1": [2], "values": [1]}, 3, "computed"),
                                    ("index_put_", {"input": [4, 3, 2], "index0": [2, 1], "index1": [3], "values": [3, 2]}, 3, "direct"),
                                    ("index_put_", {"input": [3, 2, 4, 2], **four, "values": []}, 2, "direct")):
        at = len(made)
        add(f"{op}.{at}", op, shapes, {}, most, ALL if most == 4 else FEW, -most, place=place)
        add(f"{op}.{at}.added", op, shapes, {"accumulate": True}, most, [{"T": d, "P": "i64"} for d in (*FLOATS, "i32", "bool")], -most, place=place)
        made[-1]["values"] |= {"input": SUMMED, "values": SUMMED}
        add(f"index_put_at_.{at}", "index_put_at_", shapes, {}, most, ALL if most == 4 else FEW, place=place)
    made += ordered()
    return {"index": made}


def ordered():
    """Sorts: special values and NaN among them, and many equal ones."""
    made, every = [], list(NUMPY)

    def add(name, op, shape, attrs, types, values="special"):
        made.append({"name": name, "op": op, "shapes": [{"input": shape}], "attrs": attrs, "values": {"input": values}, "types": types, "exact": True})

    few = ["f32", "i8"]
    for op, at_all in (("sort", {}), ("argsort", {}), ("topk", {"k": 3}), ("topk_few", {"k": 3})):
        add(f"{op}.0", op, [4, 7], {**at_all, "dim": 1}, every)
        add(f"{op}.1", op, [5, 3, 4], {**at_all, "dim": 0}, few)
        add(f"{op}.2", op, [3, 40, 2], {**at_all, "dim": -2}, few, ["whole", 0, 5])
        for way in (True, False):
            named = {"largest" if op.startswith("topk") else "descending": way}
            add(f"{op}.{way}", op, [2, 130], {**at_all, **named}, ["f32", "f16", "i64", "bool"], "mild")
    add("sort.3", "sort", [0, 3], {}, few)
    add("sort.4", "sort", [3, 0], {}, few)
    add("sort.5", "sort", [1], {}, few)
    add("sort.6", "sort", [1000], {"stable": True}, few, ["whole", 0, 9])
    for way in (True, False):  # long enough to be sorted by keys
        add(f"sort.7.{way}", "sort", [3, 90], {"descending": way}, every)
    add("topk.3", "topk", [200], {"k": 100, "sorted": True}, few, ["whole", 0, 9])
    add("topk.4", "topk", [3, 5], {"k": 0}, few)
    add("topk.5", "topk", [3, 5], {"k": 5, "largest": False}, few)
    row = ["list", [-3, -1, -1, 0, 0.5, 2, 2, 2, 7]]
    whole = ["list", [0, 0, 1, 1, 1, 3, 5, 6, 9]]
    for at, (rows, shape) in enumerate((([9], [2, 5]), ([2, 9], [2, 4]), ([9], []), ([0], [3]), ([2, 3, 9], [2, 3, 1]))):
        for right in (False, True):
            for types, in_order in (([d for d in NUMPY if d in FLOATS], row), ([d for d in NUMPY if d not in FLOATS and d != "bool"], whole)):
                made.append({"name": f"searchsorted.{at}.{right}.{types[0]}", "op": "searchsorted", "shapes": [{"sorted_sequence": rows, "input": shape}], "attrs": {"right": right},
                             "values": {"sorted_sequence": in_order, "input": "mild"}, "types": types if at == 0 else types[2:3], "exact": True})
    return made
