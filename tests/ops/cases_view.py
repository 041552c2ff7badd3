"""cases_view.py: the cases of views. What is expected is which element of the inputs stands where, so one answer serves all dtypes."""

from values import NUMPY

FEW = ["f32", "i8"]

# operator: (shape of the input, attributes) for all dtypes in the first, for a few in the others.
CASES = {
    "view": [([2, 3], {"shape": [3, -1]}), ([], {"shape": [1, 1]}), ([1], {"shape": []}), ([4, 6], {"shape": [2, 2, -1, 3]}),
             ([0, 3], {"shape": [3, 0]}), ([5], {"shape": [-1]})],
    "reshape": [([2, 3], {"shape": [3, -1]}), ([], {"shape": [1, 1]}), ([1], {"shape": []}), ([4, 6], {"shape": [2, 2, -1, 3]}),
                ([0, 3], {"shape": [3, 0]}), ([1025], {"shape": [5, 205]})],
    "flatten": [([2, 3, 4], {"start_dim": 1}), ([2, 3, 4], {"end_dim": 1}), ([2, 3], {}), ([], {}), ([2, 3, 4, 5], {"start_dim": -3, "end_dim": -2}),
                ([2, 0, 3], {})],
    "squeeze": [([1, 2, 1, 3], {}), ([1, 2, 1, 3], {"dim": 2}), ([1, 2, 1, 3], {"dim": [0, -2]}), ([2, 3], {"dim": 1}), ([1], {}), ([], {}),
                ([1, 0, 1], {})],
    "unsqueeze": [([2, 3], {"dim": -1}), ([2, 3], {"dim": 0}), ([2, 3], {"dim": 1}), ([], {"dim": 0}), ([0], {"dim": -2})],
    "transpose": [([2, 3, 4], {"dim0": 0, "dim1": -1}), ([7, 5], {"dim0": 0, "dim1": 1}), ([2, 3], {"dim0": 1, "dim1": 1}), ([33, 65], {"dim0": -1, "dim1": -2}),
                  ([3, 0], {"dim0": 0, "dim1": 1}), ([2, 3, 4, 5], {"dim0": 1, "dim1": 2})],
    "permute": [([2, 3, 4], {"dims": [2, 0, -2]}), ([2, 3, 4, 5], {"dims": [3, 1, 2, 0]}), ([2, 3], {"dims": [0, 1]}), ([], {"dims": []}), ([2, 0, 3], {"dims": [2, 1, 0]}),
                ([2, 3, 4, 5], {"dims": [0, 2, 3, 1]})],
    "movedim": [([2, 3, 4], {"source": 0, "destination": 2}), ([2, 3, 4], {"source": [0, -1], "destination": [1, 0]}), ([2, 3, 4], {"source": -1, "destination": -3})],
    "expand": [([3, 1], {"size": [2, -1, 4]}), ([], {"size": [3, 2]}), ([1], {"size": [5]}), ([1, 3], {"size": [0, 3]}), ([2, 3], {"size": [-1, -1]}),
               ([1, 2, 1], {"size": [3, 2, 5]})],
    "broadcast_to": [([3, 1], {"shape": [2, 3, 4]}), ([], {"shape": [3, 2]}), ([3], {"shape": [2, 3]}), ([1], {"shape": [0]})],
    "narrow": [([2, 4], {"dim": 1, "start": 1, "length": 2}), ([5, 3], {"dim": 0, "start": -2, "length": 2}), ([5], {"dim": -1, "start": 5, "length": 0}),
               ([9, 7], {"dim": -1, "start": 2, "length": 5}), ([5, 3], {"dim": 0, "start": 0, "length": 5})],
    "slice": [([2, 5], {"dim": 1, "start": 1, "end": -1}), ([5, 2], {"step": 2}), ([7], {"start": -3}), ([7], {"start": 2, "end": 100, "step": 3}), ([7], {"start": 5, "end": 2}),
              ([3, 8, 2], {"dim": -2, "start": 1, "step": 3}), ([7], {"start": -100, "end": -2}), ([0, 2], {"step": 2}), ([1025], {"step": 7})],
    "select": [([2, 3, 4], {"dim": 1, "index": -1}), ([5], {"dim": 0, "index": 3}), ([2, 3, 4], {"dim": -1, "index": 0}), ([2, 3, 0], {"dim": 0, "index": 1})],
    "split": [([2, 5], {"split_size_or_sections": 2, "dim": 1}), ([2, 5], {"split_size_or_sections": [1, 4], "dim": 1}), ([6, 3], {"split_size_or_sections": 3}),
              ([4, 3], {"split_size_or_sections": 9}), ([5, 2], {"split_size_or_sections": [2, 0, 3], "dim": -2})],
    "chunk": [([2, 6], {"chunks": 2, "dim": 1}), ([5, 2], {"chunks": 3}), ([7], {"chunks": 4}), ([2, 3], {"chunks": 7, "dim": -1}), ([3, 4], {"chunks": 1})],
    "unbind": [([2, 3], {"dim": 1}), ([3], {}), ([2, 3, 4], {"dim": -2}), ([2, 0], {})],
    "flip": [([2, 3, 4], {"dims": [0, -1]}), ([7], {"dims": 0}), ([5, 6], {"dims": [1]}), ([2, 3], {"dims": []}), ([0, 3], {"dims": [0]}), ([1025], {"dims": [-1]})],
    "roll": [([2, 3], {"shifts": 1}), ([2, 3], {"shifts": [1, -2], "dims": [0, 1]}), ([7], {"shifts": -10}), ([5, 4], {"shifts": 9, "dims": -2}), ([0, 3], {"shifts": 1}),
             ([1025], {"shifts": 300, "dims": 0})],
    "repeat": [([2, 3], {"repeats": [2, 1, 3]}), ([3], {"repeats": [4]}), ([], {"repeats": [3]}), ([2, 3], {"repeats": [0, 2]}), ([0, 2], {"repeats": [2, 2]})],
    "repeat_interleave": [([2, 3], {"repeats": 2}), ([2, 3], {"repeats": 3, "dim": 1}), ([2, 3], {"repeats": 2, "dim": -2}), ([3], {"repeats": 0}), ([2, 0], {"repeats": 2, "dim": 0})],
    "tile": [([2, 3], {"dims": [2]}), ([2, 3], {"dims": [2, 1, 2]}), ([], {"dims": [3]}), ([3, 2], {"dims": [2, 2]}), ([2], {"dims": []})],
    "pad": [([2, 3], {"pad": [1, 2, 0, 1], "value": 3}), ([2, 3, 4], {"pad": [2, 1], "mode": "reflect"}), ([2, 3, 4], {"pad": [2, 1], "mode": "replicate"}),
            ([2, 3, 4], {"pad": [2, 1], "mode": "circular"}), ([5, 6], {"pad": [-1, -2]}), ([5, 6], {"pad": [-1, 2, 3, -3]}), ([3], {"pad": [0, 0]}), ([0, 3], {"pad": [1, 1, 2, 1]}),
            ([2, 4, 5], {"pad": [2, 3, 1, 2], "mode": "reflect"}), ([2, 4, 5], {"pad": [2, -3, 1, 2], "mode": "replicate"}), ([2, 4, 5], {"pad": [5, 4, 1, 0], "mode": "circular"}),
            ([1, 2, 3, 4], {"pad": [1, 1, 1, 1, 1, 1]}), ([], {"pad": []})],
    "contiguous": [([2, 3], {}), ([], {}), ([0], {}), ([1025], {})],
    "depth_to_space": [([2, 8, 3, 3], {"blocksize": 2}), ([2, 8, 3, 3], {"blocksize": 2, "mode": "CRD"}), ([1, 9, 2, 5], {"blocksize": 3}), ([1, 3, 2, 2], {"blocksize": 1}),
                       ([0, 4, 2, 3], {"blocksize": 2})],
    "space_to_depth": [([2, 3, 4, 4], {"blocksize": 2}), ([1, 2, 6, 3], {"blocksize": 3}), ([2, 3, 1, 2], {"blocksize": 1})],
    "diagonal": [([3, 4], {}), ([3, 2, 4], {"offset": -1, "dim1": 0, "dim2": 2}), ([3, 4], {"offset": 2}), ([3, 4], {"offset": 7}), ([2, 3, 3], {"dim1": -1, "dim2": -2}), ([0, 3], {})],
    "unfold": [([2, 7], {"dimension": 1, "size": 3, "step": 2}), ([5], {"dimension": 0, "size": 5, "step": 1}), ([4, 6], {"dimension": -2, "size": 2, "step": 1}),
               ([7], {"dimension": 0, "size": 1, "step": 3})],
}
LISTS = {
    "stack": [([[2, 3], [2, 3]], {"dim": 1}), ([[2, 3], [2, 3], [2, 3]], {}), ([[4]], {"dim": -1}), ([[], []], {}), ([[0, 2], [0, 2]], {"dim": 2})],
    "cat": [([[2, 3], [2, 1], [2, 2]], {"dim": -1}), ([[3, 2], [1, 2]], {}), ([[5]], {}), ([[2, 0], [2, 3]], {"dim": 1}), ([[0], [0]], {}), ([[2, 3, 4], [2, 5, 4]], {"dim": 1}),
            ([[1]] * 9, {})],
}
# operator: (sizes, shape in names, attributes)
SYMBOLIC = {
    "transpose": [([[3, 5], [1, 1], [17, 4], [0, 3]], ["a", "b"], {"dim0": 0, "dim1": 1})],
    "permute": [([[2, 3, 4], [5, 1, 2]], ["a", "b", "c"], {"dims": [2, 0, 1]})],
    "reshape": [([[2, 12], [5, 12], [1, 12]], ["a", 12], {"shape": [-1, 4]})],
    "flatten": [([[2, 3, 4], [1, 5, 2]], ["a", "b", "c"], {"start_dim": 1})],
    "flip": [([[4, 3], [1, 1], [33, 2]], ["a", "b"], {"dims": [0, 1]})],
    "roll": [([[4, 3], [1, 1], [7, 2]], ["a", "b"], {"shifts": [1, -2], "dims": [0, 1]}), ([[4, 3], [1, 1], [7, 2]], ["a", "b"], {"shifts": 5})],
    "slice": [([[7], [9], [2], [12]], ["a"], {"start": 1, "end": -1, "step": 2})],
    "narrow": [([[7, 2], [3, 4]], ["a", "b"], {"dim": 0, "start": 1, "length": 2})],
    "pad": [([[4, 3], [2, 7]], ["a", "b"], {"pad": [1, 2, 2, 0]}), ([[4, 3], [9, 7]], ["a", "b"], {"pad": [1, 2], "mode": "reflect"}),
            ([[4, 3], [2, 7]], ["a", "b"], {"pad": [1, 2], "mode": "circular"})],
    "repeat": [([[2, 3], [4, 1]], ["a", "b"], {"repeats": [2, 3]})],
    "repeat_interleave": [([[2, 3], [4, 1]], ["a", "b"], {"repeats": 2, "dim": 0})],
    "unsqueeze": [([[2], [4]], ["a"], {"dim": 0})],
    "select": [([[5, 3], [2, 8]], ["a", "b"], {"dim": 0, "index": -1})],
    "diagonal": [([[5, 3], [2, 8]], ["a", "b"], {"offset": 1})],
    "unfold": [([[7], [12]], ["a"], {"dimension": 0, "size": 3, "step": 2})],
    "chunk": [([[6, 4], [1, 4]], ["a", 4], {"chunks": 2, "dim": 1})],
    "depth_to_space": [([[1, 4, 2, 3], [3, 4, 5, 1]], ["n", 4, "h", "w"], {"blocksize": 2})],
    "tile": [([[2, 3], [4, 1]], ["a", "b"], {"dims": [2, 2]})],
    "squeeze": [([[1, 3], [1, 9]], [1, "b"], {"dim": 0})],
}


def cases(ops):
    made = []

    def add(name, op, shapes, attrs, types, **more):
        if op == "pad" and attrs.get("mode", "constant") == "constant":
            more["fill"] = attrs.get("value", 0)
        made.append({"name": name, "op": op, "shapes": shapes, "attrs": attrs, "values": {i.name: "finite" for i in ops[op].inputs}, "types": types,
                     "view": True, **more})

    for op, given in CASES.items():
        for at, (shape, attrs) in enumerate(given):
            add(f"{op}.{at}", op, [{"input": shape}], attrs, list(NUMPY) if at == 0 else FEW)
    for op, given in LISTS.items():
        for at, (shapes, attrs) in enumerate(given):
            add(f"{op}.{at}", op, [{"tensors": shapes}], attrs, list(NUMPY) if at == 0 else FEW)
    for op, given in SYMBOLIC.items():
        for at, (sizes, names, attrs) in enumerate(given):
            more = {"least": 0} if any(0 in size for size in sizes) else {}
            add(f"{op}.symbolic{at}", op, [{"input": size} for size in sizes], attrs, FEW[:1], dims={"input": names}, **more)
    add("cat.symbolic", "cat", [{"tensors": [[a, 2], [b, 2]]} for a, b in ((3, 1), (1, 5), (8, 8))], {}, FEW, dims={"tensors": [["a", 2], ["b", 2]]})
    add("stack.symbolic", "stack", [{"tensors": [[a], [a]]} for a in (3, 1, 20)], {"dim": 1}, FEW, dims={"tensors": [["a"], ["a"]]})
    # Large ones, of which every 37th element is kept.
    for op, shape, attrs in (("transpose", [257, 129], {"dim0": 0, "dim1": 1}), ("permute", [17, 33, 65], {"dims": [2, 0, 1]}), ("flip", [257, 129], {"dims": [0, 1]}),
                             ("roll", [257, 129], {"shifts": [100, -7], "dims": [0, 1]}), ("pad", [257, 129], {"pad": [3, 5, 1, 2], "mode": "reflect"}),
                             ("expand", [257, 1], {"size": [257, 129]}), ("unfold", [20011], {"dimension": 0, "size": 3, "step": 2}), ("slice", [40009], {"start": 3, "step": 5})):
        add(f"{op}.large", op, [{"input": shape}], attrs, FEW, every=37)
    add("cat.large", "cat", [{"tensors": [[129, 100], [129, 3], [129, 57]]}], {"dim": 1}, FEW, every=37)
    # A list of several dtypes is of the one that they promote to.
    made.append({"name": "cat.mixed", "op": "cat", "shapes": [{"tensors": [[3], [2]]}], "values": {"tensors": "normal"},
                 "types": [{"tensors": ["f32", "f16"]}, {"tensors": ["i32", "f32"]}, {"tensors": ["u8", "i8"]}, {"tensors": ["bool", "i64"]}]})
    return {"view": made}
