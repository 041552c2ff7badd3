"""cases_conv.py: the cases of convolutions and of pooling.

The convolution's functions are long, so most sizes go through models with named dims, where one function serves them all. Blocks are of
up to 192 pixels, which begin at whole vectors of 4 to 16, of 4 or 8 channels, and 192 elements of windows are summed up at a
time: sizes are below, at and above these.
"""

import torch
import torch.nn.functional as F

from references import REFERENCE
from values import FLOATS

SMALL = ("f32",)


def real(name):
    """Pools of integers in floats, where PyTorch 1.13 has none of integers; all values here are small."""
    return lambda input, **attrs: getattr(F, name)(input if input.is_floating_point() else input.to(torch.float64), **attrs)


def mean_of(nd):
    def pool(input, **attrs):
        if input.is_floating_point():
            return getattr(F, f"avg_pool{nd}d")(input, **attrs)
        return torch.trunc(getattr(F, f"avg_pool{nd}d")(input.to(torch.float64), **attrs)).to(torch.int64)

    return pool


def forward(nd):
    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        return getattr(F, f"conv{nd}d")(input, weight, bias, stride, padding, dilation, groups)

    return conv


def backward(nd):
    def conv(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        return getattr(F, f"conv_transpose{nd}d")(input, weight, bias, stride, padding, output_padding, groups, dilation)

    return conv


def turn_windows(input, groups=1):
    return torch.cat([part.transpose(0, 1) for part in input.flip(list(range(2, input.dim()))).chunk(groups)])


def spread(input, stride, before, behind):
    at = [slice(None)] * (input.dim() - len(stride)) + [slice(None, None, s) for s in stride]
    wide = torch.zeros(list(input.shape[: input.dim() - len(stride)]) + [(n - 1) * s + 1 for n, s in zip(input.shape[input.dim() - len(stride):], stride)], dtype=input.dtype)
    wide[at] = input
    return F.pad(wide, [n for pair in zip(reversed(before), reversed(behind)) for n in pair])


for nd in (1, 2, 3):
    REFERENCE[f"conv{nd}d"] = forward(nd)
    REFERENCE[f"conv_transpose{nd}d"] = backward(nd)
    REFERENCE[f"max_pool{nd}d"] = real(f"max_pool{nd}d")
    REFERENCE[f"max_pool{nd}d_with_indices"] = real(f"max_pool{nd}d_with_indices")
    REFERENCE[f"avg_pool{nd}d"] = mean_of(nd)
    REFERENCE[f"adaptive_avg_pool{nd}d"] = REFERENCE[f"adaptive_avg_pool{nd}d_windows"] = real(f"adaptive_avg_pool{nd}d")
REFERENCE["adaptive_max_pool2d"] = real("adaptive_max_pool2d")
REFERENCE["adaptive_max_pool2d_with_indices"] = real("adaptive_max_pool2d_with_indices")
REFERENCE["lp_pool1d"] = lambda input, norm_type, kernel_size, stride=None, ceil_mode=False: lp(input, norm_type, kernel_size, stride, ceil_mode, 1)
REFERENCE["lp_pool2d"] = lambda input, norm_type, kernel_size, stride=None, ceil_mode=False: lp(input, norm_type, kernel_size, stride, ceil_mode, 2)
REFERENCE["spread"], REFERENCE["turn_windows"] = spread, turn_windows


def lp(input, norm_type, kernel_size, stride, ceil_mode, nd):
    size = kernel_size**nd if isinstance(kernel_size, int) else int(torch.tensor(kernel_size).prod())
    means = getattr(F, f"avg_pool{nd}d")(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (means * size).pow(1 / norm_type)


def convolutions(ops, made):
    def add(name, op, shapes, attrs=None, types=SMALL, k=9, **more):
        if op in ops:
            made.append({"name": f"conv.{name}", "op": op, "shapes": shapes if isinstance(shapes, list) else [shapes], "values": {**{i.name: "normal" for i in ops[op].inputs}, **more.pop("values", {})},
                         "attrs": attrs or {}, "types": list(types), "rel": 8, "abs": 4 * max(k, 4), **more})

    def two(n, c, h, w, o, kh, kw, groups=1, bias=True):
        return {"input": [n, c, h, w], "weight": [o, c // groups, kh, kw], **({"bias": [o]} if bias else {})}

    dims = {"input": ["n", "c", "h", "v"], "weight": ["o", "c", 3, 3], "bias": ["o"]}
    # Every dtype; sizes around those of blocks; nothing at all.
    sizes = [two(*one, 3, 3) for one in [(1, 1, 1, 1, 1), (2, 3, 5, 7, 4), (1, 2, 14, 14, 9), (1, 22, 7, 7, 8), (1, 3, 20, 21, 17), (0, 3, 5, 5, 4), (1, 5, 3, 130, 3), (1, 2, 1, 40, 12)]]
    add("named", "conv2d", sizes, {"padding": 1}, FLOATS, 200, dims=dims, least=0)
    add("named.stride", "conv2d", sizes, {"padding": 1, "stride": 2}, k=200, dims=dims, least=0)
    one = [two(n, c, h, w, o, 1, 1) for n, c, h, w, o in [(1, 1, 1, 1, 1), (2, 3, 5, 7, 4), (1, 193, 7, 7, 20), (1, 64, 14, 14, 33), (3, 5, 1, 3, 2), (0, 3, 2, 2, 4)]]
    add("named.point", "conv2d", one, {}, ("f32", "f16"), 200, dims=dims | {"weight": ["o", "c", 1, 1]}, least=0)
    add("named.point.stride", "conv2d", one[:5], {"stride": 2}, k=200, dims=dims | {"weight": ["o", "c", 1, 1]}, least=1)
    # Windows of named sizes, and all else at once: dilation, groups, steps longer than windows, other paddings.
    add("named.window", "conv2d", [two(1, 2, 9, 8, 3, kh, kw) for kh, kw in [(1, 1), (3, 2), (5, 7)]], {"padding": 1}, k=70, dims=dims | {"weight": ["o", "c", "kh", "kv"]}, least=1)
    groups = {"input": ["n", "c * 2", "h", "v"], "weight": ["o", "c", 2, 3]}
    add("named.groups", "conv2d", [two(n, 2 * c, h, w, 2 * o, 2, 3, 2, False) for n, c, h, w, o in [(1, 1, 4, 5, 1), (2, 3, 8, 9, 2), (1, 4, 12, 40, 5)]],
        {"groups": 2, "stride": [2, 3], "padding": [2, 1], "dilation": [3, 2]}, k=24, dims=groups, least=1)
    add("depth", "conv2d", two(2, 6, 9, 17, 6, 3, 3, 6), {"groups": 6, "padding": 1})
    add("depth.twice", "conv2d", two(1, 3, 8, 8, 6, 3, 3, 3, False), {"groups": 3, "stride": 2, "padding": "valid"})
    add("same", "conv2d", two(1, 2, 6, 7, 3, 4, 2), {"padding": "same", "dilation": [1, 3]}, k=16)
    add("large.window", "conv2d", two(1, 2, 3, 4, 2, 5, 6), {"padding": [1, 1]}, k=60)
    add("far", "conv2d", two(1, 1, 10, 11, 2, 2, 2), {"stride": 4, "padding": 1})
    add("no.batch", "conv2d", {"input": [3, 6, 7], "weight": [4, 3, 3, 3]}, {"padding": 1}, k=27)
    # Rows that are too long for the stage: dilation, and a window as wide as the row.
    add("wide", "conv2d", two(1, 1, 2, 14000, 1, 1, 2), {"dilation": [1, 13000]}, every=7)
    row = {"input": ["n", "c", "l"], "weight": ["o", "c", 3], "bias": ["o"]}
    rows = [{"input": [n, c, l], "weight": [o, c, 3], "bias": [o]} for n, c, l, o in [(1, 1, 3, 1), (2, 3, 50, 5), (1, 66, 200, 9), (1, 2, 402, 3)]]
    add("row", "conv1d", rows, {"padding": 1}, FLOATS, 200, dims=row, least=1)
    add("row.far", "conv1d", rows, {"stride": 3, "padding": 2, "dilation": 2}, k=200, dims=row, least=1)
    add("row.same", "conv1d", {"input": [2, 9], "weight": [3, 2, 4]}, {"padding": "same"}, k=8)
    cube = {"input": ["n", "c", "d", "h", "v"], "weight": ["o", "c", 2, 3, 3], "bias": ["o"]}
    cubes = [{"input": [n, c, d, h, w], "weight": [o, c, 2, 3, 3], "bias": [o]} for n, c, d, h, w, o in [(1, 1, 2, 3, 3, 1), (2, 3, 4, 6, 5, 4), (1, 2, 6, 8, 9, 9)]]
    add("cube", "conv3d", cubes, {"padding": 1}, k=54, dims=cube, least=1)
    add("cube.far", "conv3d", cubes[1], {"stride": [2, 1, 3], "padding": [1, 0, 2], "dilation": [1, 2, 1]}, FLOATS, 54)
    add("cube.same", "conv3d", {"input": [2, 4, 5, 6], "weight": [4, 1, 1, 3, 2], "bias": [4]}, {"padding": "same", "groups": 2}, k=6)
    # Whole blocks, and what is left over of vectors of every kind: of channels, of pixels, of a window's elements.
    for at, (n, c, h, w, o, attrs) in enumerate([(1, 24, 28, 29, 21, {"padding": 1}), (2, 40, 14, 15, 72, {"padding": 1}), (1, 200, 7, 7, 341, {"padding": 1}), (1, 2, 6, 300, 11, {"padding": 1}), (1, 16, 65, 63, 20, {"padding": 1, "stride": 2})]):
        add(f"large{at}", "conv2d", two(n, c, h, w, o, 3, 3), attrs, k=9 * c, every=13)
    add("large.point", "conv2d", two(1, 300, 14, 14, 90, 1, 1), {}, ("f32", "f64"), 300, every=13)
    add("large.groups", "conv2d", two(2, 24, 24, 23, 24, 3, 3, 8), {"padding": 1, "groups": 8}, k=27, every=13)
    # Infinities and NaN reach those elements that have them in their window.
    add("special", "conv2d", {"input": [1, 1, 5, 5], "weight": [1, 1, 3, 3]}, {"padding": 1}, values={"input": ["list", [1, 2, 3, 4, 5, "inf", 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, "nan", 1, 2, 3, 4, 5, 6]], "weight": ["list", [1, 2, 1]]})
    # Transposed.
    add("back", "conv_transpose2d", {"input": [2, 3, 4, 5], "weight": [3, 4, 3, 2], "bias": [4]}, {}, FLOATS, 27)
    add("back.far", "conv_transpose2d", {"input": [1, 4, 4, 5], "weight": [4, 3, 3, 3]}, {"stride": [2, 3], "padding": [1, 2], "output_padding": [1, 0], "groups": 2}, k=18)
    add("back.wide", "conv_transpose2d", {"input": [3, 4, 3], "weight": [3, 2, 2, 3], "bias": [2]}, {"stride": 2, "dilation": [3, 2], "padding": 1}, k=18)
    add("back.crop", "conv_transpose2d", {"input": [1, 2, 6, 6], "weight": [2, 2, 1, 2]}, {"padding": [2, 1]}, k=4)
    add("back.row", "conv_transpose1d", {"input": [2, 3, 7], "weight": [3, 4, 4], "bias": [4]}, {"stride": 3, "padding": 1, "output_padding": 2}, FLOATS, 12)
    add("back.cube", "conv_transpose3d", {"input": [1, 2, 3, 4, 3], "weight": [2, 3, 2, 3, 2], "bias": [3]}, {"stride": [1, 2, 2], "padding": [1, 0, 1], "dilation": [1, 1, 2]}, FLOATS, 24)
    back = {"input": ["n", 3, "h", "v"], "weight": [3, 4, 3, 3]}
    add("back.named", "conv_transpose2d", [{"input": [n, 3, h, w], "weight": [3, 4, 3, 3]} for n, h, w in [(1, 1, 1), (2, 5, 9)]], {"stride": 2, "padding": 1, "output_padding": 1}, k=27, dims=back, least=1)
    for at, (shape, stride, before, behind) in enumerate([([2, 3, 4], [2, 3], [1, -1], [0, 2]), ([5], [1], [-2], [-1]), ([2, 1, 1], [4, 4], [2, 0], [1, 3])]):
        add(f"spread{at}", "spread", {"input": shape}, {"stride": stride, "before": before, "behind": behind}, ops["spread"].dtypes() if at == 0 and "spread" in ops else SMALL, exact=True)
    add("turned", "turn_windows", {"input": [4, 3, 2, 5]}, {"groups": 2}, ops["turn_windows"].dtypes() if "turn_windows" in ops else SMALL, exact=True)
    add("turned.whole", "turn_windows", {"input": [4, 3]}, {})


def pools(ops, made):
    def add(name, op, shapes, attrs, types=SMALL, **more):
        if op in ops:
            made.append({"name": f"pool.{name}", "op": op, "shapes": shapes if isinstance(shapes, list) else [shapes], "values": {"input": "normal", **more.pop("values", {})},
                         "attrs": attrs, "types": [t for t in types if t in ops[op].dtypes()], "rel": 8, "abs": 8, **more})

    shape = {1: [2, 3, 11], 2: [2, 3, 9, 8], 3: [2, 2, 5, 6, 7]}
    ways = [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}, {"kernel_size": 2, "stride": 3, "ceil_mode": True}, {"kernel_size": 4, "stride": 1, "padding": 2}]
    named = {1: ["n", "c", "l"], 2: ["n", "c", "h", "v"], 3: ["n", "c", "d", "h", "v"]}
    whole = ["list", [3, -4, 7, 7, -1, 0, 5, -9, 2, 8, -6, 1, 1]]
    for nd in (1, 2, 3):
        for op in (f"max_pool{nd}d", f"max_pool{nd}d_with_indices", f"avg_pool{nd}d"):
            for at, way in enumerate(ways):
                types = ops[op].dtypes() if at == 0 and op in ops else SMALL
                add(f"{op}.{at}", op, {"input": shape[nd]}, way, types, values={"input": ["list", [abs(x) for x in whole[1]] if "max" in op else whole[1]] if at == 0 else "normal"}, exact="max" in op)
            if nd == 2:
                add(f"{op}.signed", op, {"input": shape[nd]}, ways[1], ("i8", "i32", "i64"), values={"input": whole}, exact="max" in op)
            add(f"{op}.named", op, [{"input": s} for s in ([1, 1, *[4] * nd], shape[nd], [0, 3, *[5] * nd], [1, 2, *[3] * (nd - 1), 300])], ways[2], dims={"input": named[nd]}, least=0, exact="max" in op)
            add(f"{op}.one", op, {"input": shape[nd][1:]}, {"kernel_size": shape[nd][2:]}, exact="max" in op)
            if "max" in op:
                add(f"{op}.wide", op, {"input": shape[nd]}, {"kernel_size": 2, "dilation": 3, "padding": 1, "stride": 1}, exact=True)
                # The last NaN of a window is the greatest; of equals the first; and what has nothing above -inf.
                add(f"{op}.special", op, {"input": shape[nd]}, ways[1], ("f32", "f16"), values={"input": ["list", [1, "nan", 2, "-inf", "inf", 5, "-inf", "-inf", "-inf", "-inf", "-inf", "-inf", "nan", "nan", 3, 3, 3, 1, "inf"]]}, exact=True)
            else:
                add(f"{op}.special", op, {"input": shape[nd]}, ways[1], values={"input": ["list", [1, 2, "-inf", 3, 4, 5, 6, 7, 8, 9, "nan", 1, 2, 3, 4, 5, 6, "inf", 7, 8, 9, 1, 2]]})
                for k, way in enumerate(ways[1:4]):
                    add(f"{op}.inside{k}", op, {"input": shape[nd]}, {**way, "count_include_pad": False}, ("f32", "i64") if k == 1 else SMALL, values={"input": whole if k == 1 else "normal"})
                if nd > 1:
                    add(f"{op}.divisor", op, {"input": shape[nd]}, {**ways[1], "divisor_override": -3}, ("f32", "i64"), values={"input": whole})
    for op in ("max_pool2d", "max_pool2d_with_indices", "avg_pool2d"):
        add(f"{op}.large", op, {"input": [2, 4, 65, 140]}, {"kernel_size": 3, "stride": 2, "padding": 1}, exact="max" in op, every=7)
        add(f"{op}.dense", op, {"input": [3, 64, 150]}, {"kernel_size": [2, 3], "stride": 1}, ("f32", "f16"), exact="max" in op, every=17)
    add("far", "max_pool2d", {"input": [1, 2, 20, 21]}, {"kernel_size": [2, 1], "stride": [5, 6]}, exact=True)
    for nd in (1, 2, 3):
        for at, size in enumerate((1, 3, [2, 5, 4][:nd], [9, 1, 12][:nd])):
            add(f"adaptive{nd}.{at}", f"adaptive_avg_pool{nd}d", {"input": shape[nd]}, {"output_size": size}, FLOATS if at == 1 else SMALL)
        add(f"adaptive{nd}.named", f"adaptive_avg_pool{nd}d", [{"input": s} for s in (shape[nd], [0, 1, *[2] * nd], [1, 1, *[13] * nd])], {"output_size": 4}, dims={"input": named[nd]}, least=0)
        add(f"adaptive{nd}.windows", f"adaptive_avg_pool{nd}d_windows", {"input": shape[nd][1:]}, {"output_size": 1}, FLOATS)
    add("adaptive1.one", "adaptive_avg_pool2d", [{"input": s} for s in (shape[2], [1, 1, 7, 7])], {"output_size": 1}, dims={"input": named[2]}, least=1)
    for op in ("adaptive_max_pool2d", "adaptive_max_pool2d_with_indices"):
        for at, size in enumerate((1, [4, 3], [10, 11])):
            add(f"{op}.{at}", op, {"input": shape[2]}, {"output_size": size}, FLOATS if at == 1 else SMALL, values={"input": ["list", [3, -4, "nan", 7, 7, -1, 0, 5, -9, 2, 8, -6, 1, 1]] if at == 1 else "normal"}, exact=True)
    for nd in (1, 2):
        add(f"lp{nd}", f"lp_pool{nd}d", {"input": shape[nd]}, {"norm_type": 2, "kernel_size": 3}, FLOATS, rel=64)
        add(f"lp{nd}.ceil", f"lp_pool{nd}d", {"input": shape[nd]}, {"norm_type": 3, "kernel_size": 3, "stride": 2, "ceil_mode": True}, values={"input": ["list", [1, 0.5, 3, 2, 0, 4, 1]]}, rel=64)
        add(f"lp{nd}.one", f"lp_pool{nd}d", {"input": shape[nd][1:]}, {"norm_type": 1, "kernel_size": 2}, rel=64)


def cases(ops):
    conv, pool = [], []
    convolutions(ops, conv)
    pools(ops, pool)
    return {"conv": conv, "pool": pool}
