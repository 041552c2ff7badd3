"""cases_norm.py: the cases of normalisations and scans."""

from values import FLOATS, INTS

SMALL = ("f32",)


def softmaxes(add):
    for op in ("softmax", "log_softmax"):
        shapes = [([5, 9], -1), ([5, 9], 0), ([3, 5, 7], 1), ([3, 5, 7], -1), ([1], 0), ([], -1), ([4, 1], 1), ([0, 3], 1), ([3, 0], 0), ([3, 0], 1), ([2, 1025], 1), ([2, 3, 130], 2),
                  ([300, 3], 0)]
        for at, (shape, dim) in enumerate(shapes):
            add(f"{op}.{at}", op, {"input": shape}, {"input": ["normal", 3]}, {"dim": dim}, list(FLOATS) if at < 2 or at == 10 else SMALL, rel=64, abs=16 if op == "log_softmax" else 0)
        for at, row in enumerate((["-inf", 1, 2], ["-inf", "-inf"], ["inf", 1], ["nan", 1], [1000, 1001, -1000], [-1e4, -1e4], [0, 0, 0, 0], [80, -80])):
            add(f"{op}.special{at}", op, {"input": [2, len(row)]}, {"input": ["list", row]}, {"dim": 1}, FLOATS, rel=64, abs=256 if op == "log_softmax" else 0)
        for to in FLOATS:
            types = ("bool", *INTS, "f16") if to == "f32" else ("i32", "f32") if to != "f64" else ("u8", "f16")
            add(f"{op}.to.{to}", op, {"input": [3, 5]}, {"input": "normal"}, {"dim": 1, "dtype": to}, types, rel=64, abs=64)
        add(f"{op}_dim.0", f"{op}_dim", {"input": [3, 4, 5]}, {"input": "normal"}, {"dim": 1}, FLOATS, rel=64, abs=16)
        add(f"{op}_dim.1", f"{op}_dim", {"input": [7]}, {"input": "normal"}, {"dim": -1}, FLOATS, rel=64, abs=16)
        add(f"{op}.symbolic", op, [{"input": size} for size in ([3, 5], [1, 1], [2, 300])], {"input": "normal"}, {"dim": -1}, ("f32", "f16"), dims={"input": ["a", "b"]}, rel=64,
            abs=16)
        # Rows that are gone through sixteen at once, as many as that and others, of lengths up to and beyond that of such rows.
        add(f"{op}.short", op, [{"input": size} for size in ([33, 31], [16, 32], [50, 2], [1, 17], [49, 33])], {"input": ["normal", 3]}, {"dim": -1}, FLOATS,
            dims={"input": ["a", "b"]}, rel=64, abs=16)
        # Columns 64 at once, and so many elements of each as fit with them, and one more.
        add(f"{op}.tiles", op, [{"input": size} for size in ([2, 5, 64], [1, 3, 70], [2, 7, 33], [3, 4, 31])], {"input": ["normal", 3]}, {"dim": 1}, FLOATS,
            dims={"input": ["a", "b", "c"]}, rel=64, abs=16)
        add(f"{op}.tiles_deep", op, [{"input": size} for size in ([1, 256, 33], [1, 257, 33])], {"input": ["normal", 3]}, {"dim": 1}, SMALL,
            dims={"input": ["a", "b", "c"]}, rel=64, abs=16)
        add(f"{op}.blocks", op, {"input": [2, 4101]}, {"input": ["normal", 3]}, {"dim": -1}, SMALL, rel=64, abs=16)
        for at, row in enumerate(([1] * 39 + ["nan"], ["-inf"] * 40, [0] * 20 + ["inf"] + [0] * 19, ["-inf"] * 70 + [2], [-200] * 64 + [0] * 3)):
            add(f"{op}.special_long{at}", op, {"input": [2, len(row)]}, {"input": ["list", row]}, {"dim": 1}, FLOATS, rel=64, abs=256 if op == "log_softmax" else 0)
        add(f"{op}.symbolic1", op, [{"input": size} for size in ([3, 5], [1, 1], [70, 20])], {"input": "normal"}, {"dim": 0}, ("f32",), dims={"input": ["a", "b"]}, rel=64, abs=16)


        for at, (shape, dim) in enumerate([([300, 1025], -1), ([129, 257], 0)]):
            add(f"{op}.large{at}", op, {"input": shape}, {"input": ["normal", 3]}, {"dim": dim}, SMALL, every=101, rel=256, abs=64)


def norms(add):
    for op in ("layer_norm", "rms_norm", "add_rms_norm"):
        # The sum of add_rms_norm may be rounded before it is normalised.
        near = {"rel": 64, "abs": 64, "steps": 2 if op == "add_rms_norm" else 1}
        first = ["input", "residual"] if op == "add_rms_norm" else ["input"]
        for at, (shape, norm) in enumerate([([5, 9], [9]), ([3, 4, 65], [65]), ([2, 3, 4], [3, 4]), ([7], [7]), ([3, 1], [1]), ([0, 5], [5]), ([2, 1025], [1025]), ([2, 3, 1], [3, 1])]):
            given = {name: shape for name in first}
            types = FLOATS if at in (0, 6) else SMALL
            kinds = {name: "normal" for name in [*first, "weight", "bias"]}
            if op == "layer_norm":
                add(f"{op}.{at}", op, {**given, "weight": norm, "bias": norm}, kinds, {"normalized_shape": norm}, types, **near)
                add(f"{op}.{at}.weight", op, {**given, "weight": norm}, kinds, {}, SMALL, **near)
                add(f"{op}.{at}.bias", op, {**given, "bias": norm}, kinds, {"normalized_shape": norm}, SMALL, **near)
            else:
                add(f"{op}.{at}", op, {**given, "weight": norm}, kinds, {"normalized_shape": norm, "eps": 1e-6}, types, **near)
                add(f"{op}.{at}.weight", op, {**given, "weight": norm}, kinds, {}, SMALL, **near)
            add(f"{op}.{at}.none", op, given, kinds, {"normalized_shape": norm}, FLOATS if at == 0 else SMALL, **near)
        kinds = {name: "normal" for name in [*first, "weight", "bias"]}
        add(f"{op}.last", op, {name: [3, 6] for name in first}, kinds, {}, SMALL, **near)
        add(f"{op}.eps", op, {name: [3, 6] for name in first}, kinds, {"eps": 0.5}, SMALL, **near)
        # Far from zero: the variance is what is left of large numbers.
        add(f"{op}.far", op, {name: [3, 40] for name in first}, {name: ["uniform", 1000, 1001] for name in first}, {"normalized_shape": [40]}, ("f32", "f64"), rel=64,
            abs=20000 if op == "layer_norm" else 64)
        # The weights may be of another dtype than what is normalised.
        more = {"bias": [9]} if op == "layer_norm" else {}
        for one, other in (("f16", "f32"), ("bf16", "f32")):
            assign = {name: one for name in first} | {"weight": other} | {name: other for name in more}
            add(f"{op}.mixed.{one}", op, {**{name: [5, 9] for name in first}, "weight": [9], **more}, kinds, {}, [assign], **near)
        for at, row in enumerate((["nan", 1, 2], ["inf", 1, 2], [0, 0, 0], [5, 5])):
            add(f"{op}.special{at}", op, {name: [2, len(row)] for name in first}, {name: ["list", row] for name in first}, {"normalized_shape": [len(row)]}, ("f32", "f16"), **near)
        add(f"{op}.symbolic", op, [{name: size for name in first} | {"weight": size[-1:]} for size in ([3, 5], [1, 1], [2, 300])], kinds, {}, ("f32", "f16"),
            dims={name: ["a", "b"] for name in first} | {"weight": ["b"]}, **near)
        add(f"{op}.large", op, {name: [300, 1025] for name in first} | {"weight": [1025]}, kinds, {}, SMALL, every=101, rel=256, abs=256)
        given = {name: [2, 3, 4] for name in first}
        more = {"bias": [3, 4]} if op == "layer_norm" else {}
        add(f"{op}_dims.0", f"{op}_dims", {**given, "weight": [3, 4], **more}, kinds, {"dims": 2, "eps": 0.5}, FLOATS, **near)
        add(f"{op}_dims.1", f"{op}_dims", given, kinds, {"dims": 1, "eps": 1e-5}, FLOATS, **near)
    near = {"rel": 64, "abs": 64}
    for at, (shape, groups) in enumerate([([2, 6, 5], 3), ([2, 6, 3, 4], 2), ([2, 4, 3], 1), ([3, 4, 2], 4), ([2, 6], 3), ([0, 4, 3], 2), ([2, 8, 33], 2)]):
        kinds = {"input": "normal", "weight": "normal", "bias": "normal"}
        channel = shape[1:2]
        add(f"group_norm.{at}", "group_norm", {"input": shape, "weight": channel, "bias": channel}, kinds, {"num_groups": groups}, FLOATS if at == 0 else SMALL, **near)
        add(f"group_norm.{at}.none", "group_norm", {"input": shape}, kinds, {"num_groups": groups, "eps": 0.1}, FLOATS if at == 0 else SMALL, **near)
        add(f"group_norm.{at}.bias", "group_norm", {"input": shape, "bias": channel}, kinds, {"num_groups": groups}, SMALL, **near)
    for at, shape in enumerate([[2, 3, 5], [2, 3, 4, 5], [1, 1, 2], [2, 3, 2, 2, 3], [0, 2, 3], [2, 2, 129]]):
        kinds = {"input": "normal", "weight": "normal", "bias": "normal", "running_mean": "normal", "running_var": ["uniform", 0.5, 2]}
        channel = shape[1:2]
        add(f"instance_norm.{at}", "instance_norm", {"input": shape, "weight": channel, "bias": channel}, kinds, {}, FLOATS if at == 0 else SMALL, **near)
        add(f"instance_norm.{at}.none", "instance_norm", {"input": shape}, kinds, {"eps": 0.1}, FLOATS if at == 0 else SMALL, **near)
        add(f"instance_norm_rows.{at}", "instance_norm_rows", {"input": shape, "weight": channel}, kinds, {}, FLOATS if at == 0 else SMALL, **near)
        add(f"instance_norm.{at}.stored", "instance_norm", {"input": shape, "running_mean": channel, "running_var": channel}, kinds, {"use_input_stats": False}, FLOATS if at == 0 else SMALL,
            **near)
        stored = {"input": shape, "running_mean": channel, "running_var": channel}
        add(f"batch_norm.{at}", "batch_norm", {**stored, "weight": channel, "bias": channel}, kinds, {}, FLOATS if at == 0 else SMALL, **near)
        add(f"batch_norm.{at}.none", "batch_norm", stored, kinds, {"eps": 0.1}, FLOATS if at == 0 else SMALL, **near)
        add(f"batch_norm.{at}.weight", "batch_norm", {**stored, "weight": channel}, kinds, {}, SMALL, **near)
        add(f"batch_norm.{at}.bias", "batch_norm", {**stored, "bias": channel}, kinds, {}, SMALL, **near)
    kinds = {"input": "normal", "weight": "normal", "bias": "normal", "running_mean": "normal", "running_var": ["uniform", 0.5, 2], "mean": "normal", "var": ["uniform", 0.5, 2]}
    add("batch_norm.flat", "batch_norm", {"input": [5, 3], "running_mean": [3], "running_var": [3]}, kinds, {}, SMALL, **near)
    add("batch_norm.symbolic", "batch_norm", [{"input": [n, 3, h], "running_mean": [3], "running_var": [3], "weight": [3], "bias": [3]} for n, h in ((2, 5), (1, 1), (4, 33))], kinds, {},
        SMALL, dims={"input": ["n", 3, "h"], "running_mean": [3], "running_var": [3], "weight": [3], "bias": [3]}, **near)
    for one in ("f16", "bf16", "f32"):
        other = "f64" if one == "f32" else "f32"
        names = ["running_mean", "running_var", "weight", "bias"]
        add(f"batch_norm.mixed.{one}", "batch_norm", {"input": [2, 3, 5], **{name: [3] for name in names}}, kinds, {}, [{"input": one, **{name: other for name in names}}], **near)
    apply = {"input": [5, 3], "mean": [3], "var": [3]}
    add("batch_norm_apply.0", "batch_norm_apply", {**apply, "weight": [3], "bias": [3]}, kinds, {}, FLOATS, **near)
    add("batch_norm_apply.1", "batch_norm_apply", apply, kinds, {"eps": 0.5}, FLOATS, **near)
    add("batch_norm_apply.2", "batch_norm_apply", {**apply, "bias": [1]}, kinds, {}, SMALL, **near)
    for at, (shape, attrs) in enumerate([([3, 5], {}), ([3, 5], {"p": 1.0}), ([3, 5], {"p": 3, "dim": 0}), ([2, 3, 4], {"dim": -1}), ([3, 4], {"p": "inf"}), ([2, 1], {}), ([0, 3], {}),
                                         ([5], {"dim": 0}), ([3, 1025], {"dim": 1}), ([3, 4], {"eps": 100.0})]):
        add(f"normalize.{at}", "normalize", {"input": shape}, {"input": "normal"}, attrs, FLOATS if at == 0 else SMALL, steps=2, **near)
    add("normalize.zero", "normalize", {"input": [2, 4]}, {"input": ["list", [0, 0, 0, 0]]}, {}, ("f32", "f64"), **near)
    add("normalize.symbolic", "normalize", [{"input": size} for size in ([3, 5], [1, 1], [2, 300])], {"input": "normal"}, {}, SMALL, dims={"input": ["a", "b"]}, **near)
    for at, (shape, attrs) in enumerate([([2, 5, 4], {"size": 3}), ([2, 5, 4], {"size": 2, "alpha": 0.5, "beta": 0.5, "k": 2}), ([1, 3, 2, 2], {"size": 5}), ([2, 1, 3], {"size": 1}),
                                         ([2, 7, 3, 3], {"size": 4, "alpha": 1.0})]):
        add(f"local_response_norm.{at}", "local_response_norm", {"input": shape}, {"input": "normal"}, attrs, FLOATS if at == 0 else SMALL, steps=3, rel=64)


def scans(add):
    every = ("bool", *INTS, *FLOATS)
    for op in ("cumsum", "cumprod"):
        kind = "normal" if op == "cumsum" else "power"
        for at, (shape, dim) in enumerate([([5, 9], 1), ([5, 9], 0), ([3, 5, 7], 1), ([3, 5, 7], -3), ([1], 0), ([], 0), ([0, 3], 0), ([3, 0], 0), ([7], -1)]):
            # Sums of whole numbers: exact.
            add(f"{op}.{at}", op, {"input": shape}, {"input": ["whole", -5, 5] if op == "cumsum" else kind}, {"dim": dim}, every if at == 0 else ("f32", "i32", "u8"), exact=True)
        large = ["whole", -3, 3] if op == "cumsum" else ["list", [2, -1, 0.5, 1, -1, 1, 4, 0.25]]
        add(f"{op}.large", op, {"input": [5003]}, {"input": large}, {"dim": 0}, ("f32", "f64", "bf16"), exact=True, every=7)
        add(f"{op}.wide", op, {"input": [130, 33]}, {"input": large}, {"dim": 0}, ("f32", "f16"), exact=True)
        add(f"{op}.random", op, {"input": [4, 50]}, {"input": ["uniform", 0.7, 1.3]}, {"dim": 1}, FLOATS, rel=256)
        for at, row in enumerate((["nan", 1, 2], [1, "inf", 2, "-inf"], [0, 3, "nan"])):
            add(f"{op}.special{at}", op, {"input": [2, len(row)]}, {"input": ["list", row]}, {"dim": 1}, FLOATS)
        for dtype in ("f64", "i32"):
            add(f"{op}.to.{dtype}", op, {"input": [3, 5]}, {"input": ["whole", 1, 3]}, {"dim": 1, "dtype": dtype}, ("f32", "i32", "bool") if dtype == "f64" else ("i64", "u8", "bool"))
        for dim in (0, 1):
            add(f"{op}.symbolic{dim}", op, [{"input": size} for size in ([3, 5], [1, 1], [2, 200], [90, 3])], {"input": ["whole", -1, 1]}, {"dim": dim}, ("f32", "i32"),
                dims={"input": ["a", "b"]}, exact=True)


def cases(ops):
    families = {}
    for family, make in (("norm", [softmaxes, norms]), ("scan", [scans])):
        made = []

        def add(name, op, shapes, values, attrs, types, **more):
            if op in ops:
                made.append({"name": name, "op": op, "shapes": shapes if isinstance(shapes, list) else [shapes], "values": values, "attrs": attrs,
                             "types": [t for t in types if isinstance(t, dict) or t in ops[op].dtypes()], **more})

        for one in make:
            one(add)
        families[family] = made
    return families
