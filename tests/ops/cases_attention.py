"""cases_attention.py: the cases of attention, and what PyTorch makes of them: its own function's formula, step by step in float64.

The functions are long, so most sizes go through models with named dims, where one function serves them all. Blocks are of
128 keys, of 128 elements and of some hundred rows, panels of 8 to 32: sizes are below, at and above these.
"""

import torch

from references import REFERENCE
from values import FLOATS

OP = "scaled_dot_product_attention"
SMALL = ("f32",)
# batch, heads, queries, keys, elements, elements of a value
SIZES = [(2, 3, 5, 7, 8, 6), (1, 1, 1, 1, 1, 1), (1, 2, 16, 16, 16, 16), (1, 2, 33, 65, 17, 40), (2, 1, 1, 130, 20, 8), (1, 1, 2, 31, 64, 33), (1, 1, 3, 129, 130, 9), (1, 1, 150, 40, 9, 5),
         (1, 1, 3, 300, 12, 34), (1, 2, 12, 128, 128, 16), (2, 2, 0, 3, 4, 5), (2, 2, 3, 0, 4, 5), (0, 2, 3, 3, 4, 5), (2, 2, 3, 4, 5, 0), (2, 2, 3, 4, 0, 5)]
CAUSAL = [(2, 3, 5, 7, 8, 6), (1, 1, 1, 1, 1, 1), (1, 2, 7, 5, 8, 8), (1, 1, 150, 150, 8, 8), (1, 1, 3, 300, 4, 4), (1, 1, 140, 20, 4, 4), (1, 1, 20, 0, 4, 4), (1, 1, 260, 260, 8, 9)]


def attention(query, key, value, attn_mask=None, lengths=None, is_causal=False, scale=None, enable_gqa=False, masked_rows="zero"):
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(times, -3), value.repeat_interleave(times, -3)
    scale = max(query.shape[-1], 1) ** -0.5 if scale is None else scale
    scores = torch.matmul(query * scale, key.transpose(-2, -1))
    if lengths is not None:
        # What is behind the lengths is not there; the last query is that of the last key.
        exist = lengths.reshape(*lengths.shape, *[1] * (scores.dim() - lengths.dim()))
        keys, rows = torch.arange(scores.shape[-1]), torch.arange(scores.shape[-2])[:, None]
        scores = scores.masked_fill(keys > exist - scores.shape[-2] + rows if is_causal else keys >= exist, -torch.inf)
    elif is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = torch.softmax(scores, -1)
    if masked_rows == "zero":
        weights = torch.where((scores == -torch.inf).all(-1, keepdim=True), 0.0, weights)
    elif lengths is not None:
        weights = torch.where(exist <= 0, 0.0, weights)
    return torch.matmul(weights, value)


REFERENCE[OP] = attention


def cases(ops):
    made = []

    def add(name, shapes, attrs=None, types=SMALL, values=None, **more):
        if OP in ops:
            made.append({"name": f"attention.{name}", "op": OP, "shapes": shapes if isinstance(shapes, list) else [shapes], "values": {**{i.name: "normal" for i in ops[OP].inputs if i.name != "lengths"}, **(values or {})},
                         "attrs": attrs or {}, "types": list(types), "rel": 64, "abs": 64, **more})

    def three(b, h, l, s, e, v, heads=None):
        return {"query": [b, h, l, e], "key": [b, heads or h, s, e], "value": [b, heads or h, s, v]}

    def with_bool(*types):
        return [{"T": of, "M": "bool"} for of in types]

    dims = {"query": ["b", "h", "l", "e"], "key": ["b", "h", "s", "e"], "value": ["b", "h", "s", "v"]}
    add("named", [three(*one) for one in SIZES], types=FLOATS, dims=dims, least=0)
    add("named.causal", [three(*one) for one in CAUSAL], {"is_causal": True}, ("f32", "f64"), dims=dims, least=0)
    masked = dims | {"attn_mask": ["l", "s"]}
    add("named.added", [three(*one) | {"attn_mask": list(one[2:4])} for one in SIZES], {"scale": 0.5}, dims=masked, least=0)
    add("named.bool", [three(*one) | {"attn_mask": [one[0], 1, 1, one[3]]} for one in SIZES], types=with_bool("f32"), values={"attn_mask": ["rare", 3]},
        dims=dims | {"attn_mask": ["b", 1, 1, "s"]}, least=0)
    groups = dims | {"query": ["b", "h * 3", "l", "e"]}
    add("named.grouped", [{"query": [b, 3 * h, l, e], "key": [b, h, s, e], "value": [b, h, s, v]} for b, h, l, s, e, v in SIZES if h], {"enable_gqa": True}, dims=groups, least=0)
    # Sizes that are known when code is written.
    for at, one in enumerate([(2, 3, 5, 7, 8, 6), (1, 1, 1, 1, 1, 1), (1, 2, 20, 140, 64, 64), (1, 1, 3, 5, 4, 1100), (1, 1, 2, 0, 4, 3), (1, 1, 2, 3, 0, 4), (1, 1, 0, 3, 4, 4)]):
        add(f"known{at}", three(*one), types=FLOATS if at == 0 else SMALL)
    for at, (q, k, v) in enumerate([([4, 8], [5, 8], [5, 6]), ([3, 4, 8], [3, 5, 8], [3, 5, 6]), ([2, 1, 3, 4, 8], [2, 3, 1, 5, 8], [3, 3, 5, 2]), ([4, 8], [3, 5, 8], [2, 1, 5, 6])]):
        add(f"ranks{at}", {"query": q, "key": k, "value": v})
    for at, scale in enumerate((1, -0.75, 0, 3)):
        add(f"scale{at}", three(1, 2, 5, 7, 8, 6), {"scale": scale}, types=("f32", "bf16") if at == 0 else SMALL)
    for at, mask in enumerate([[7], [5, 1], [1, 1], [3, 5, 7], [3, 1, 7], [2, 1, 5, 7], []]):
        add(f"mask{at}", three(2, 3, 5, 7, 8, 6) | {"attn_mask": mask})
        add(f"mask{at}.bool", three(2, 3, 5, 7, 8, 6) | {"attn_mask": mask}, types=with_bool("f32"), values={"attn_mask": ["list", [1, 0, 1, 1, 0]]})
    every = three(1, 2, 5, 7, 8, 6) | {"attn_mask": [5, 7]}
    add("mask.types", every, types=[*with_bool(*FLOATS), {"T": "f16", "M": "f32"}, {"T": "f32", "M": "f16"}, {"T": "bf16", "M": "bf16"}, {"T": "f64", "M": "f64"}])
    # The mask lets some rows see nothing, in each of the two ways, and others nothing of a whole block of keys.
    nothing = ["list", [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0]]
    for rows in ("zero", "nan"):
        add(f"nothing.{rows}", every, {"masked_rows": rows}, with_bool("f32", "f64"), {"attn_mask": nothing})
        add(f"nothing.{rows}.added", every, {"masked_rows": rows}, SMALL, {"attn_mask": ["list", ["-inf"] * 7 + [0.5, "-inf", 1, 0, -2, "-inf", 3]]})
        add(f"nothing.{rows}.keys", three(1, 1, 2, 0, 4, 3), {"masked_rows": rows})
        late = three(1, 1, 3, 300, 4, 3) | {"attn_mask": [3, 300]}
        add(f"late.{rows}", late, {"masked_rows": rows}, with_bool("f32"), {"attn_mask": ["list", [0] * 290 + [1] * 10 + [1] * 20 + [0] * 280 + [0] * 300]})
    add("mask.low", every, values={"attn_mask": ["list", [-3e38, -3e38, 0, -3e38, 1]]})
    add("causal.mask", every, {"is_causal": True}, with_bool("f32"), {"attn_mask": ["list", [1, 1, 0]]})
    add("causal.ranks", {"query": [6, 4], "key": [6, 4], "value": [6, 4]}, {"is_causal": True}, types=FLOATS)
    for at, (h, heads, more) in enumerate([(6, 2, {}), (4, 4, {}), (4, 1, {"is_causal": True}), (6, 3, {"is_causal": True, "scale": 2})]):
        add(f"grouped{at}", three(2, h, 5, 7, 8, 6, heads), {"enable_gqa": True, **more})
        add(f"grouped{at}.mask", three(2, h, 5, 7, 8, 6, heads) | {"attn_mask": [h, 5, 7]}, {"enable_gqa": True, **more})
    add("grouped.long", three(1, 2, 150, 20, 8, 6, 1), {"enable_gqa": True, "is_causal": True})
    # Lengths: nothing, a few, all, and what cannot be; of a few queries, many, and of one, whose keys are cut into parts.
    some = {"lengths": ["list", [0, 1, 5, 64, 128, 129, 10**6, -3]]}
    for causal in (False, True):
        way = {"is_causal": causal}
        sized = f"lengths.{'causal' if causal else 'all'}"
        keys = three(8, 2, 3, 140, 8, 6)
        add(f"{sized}.types", keys | {"lengths": [8]}, way, [*[{"T": dtype, "P": "i64"} for dtype in FLOATS], {"T": "f32", "P": "i32"}], some)
        add(f"{sized}.grouped", three(8, 4, 3, 140, 8, 6, 2) | {"lengths": [8]}, {"enable_gqa": True, **way}, [{"T": "f32", "P": "i64"}], some)
        add(f"{sized}.nan", three(8, 4, 3, 14, 8, 6, 2) | {"lengths": [8]}, {"enable_gqa": True, "masked_rows": "nan", **way}, [{"T": "f32", "P": "i64"}], {"lengths": ["list", [0, 1, 2, 5, 14, 15, -1, 3]]})
        add(f"{sized}.ranks", {"query": [2, 4, 5, 8], "key": [2, 4, 9, 8], "value": [2, 4, 9, 6], "lengths": [2, 4]}, way, [{"T": "f32", "P": "i64"}], {"lengths": ["list", [0, 1, 5, 9, 12, -1, 3, 4]]})
        add(f"{sized}.one", {"query": [2, 5, 8], "key": [2, 9, 8], "value": [2, 9, 6], "lengths": []}, way, [{"T": "f32", "P": "i64"}], {"lengths": ["list", [7]]})
        add(f"{sized}.mask", keys | {"lengths": [8], "attn_mask": [3, 140]}, way, [{"T": "f32", "P": "i64", "M": "f32"}], some)
        for at, (h, l, heads) in enumerate(((1, 1, 1), (4, 1, 2), (3, 8, 3), (3, 9, 1))):
            add(f"{sized}.parts{at}", three(2, h, l, 1500, 20, 12, heads) | {"lengths": [2]}, {"enable_gqa": h != heads, **way}, [{"T": "f32", "P": "i64"}], {"lengths": ["list", [1400, 700]]})
        add(f"{sized}.long", three(1, 2, 300, 333, 20, 12) | {"lengths": [1]}, way, [{"T": "f32", "P": "i64"}], {"lengths": ["list", [310]]}, every=41)
        add(f"{sized}.named", [three(b, h, l, s, e, v) | {"lengths": [b]} for b, h, l, s, e, v in SIZES], way, [{"T": "f32", "P": "i64"}], {"lengths": ["list", [3, 40, 1]]}, dims=dims | {"lengths": ["b"]}, least=0)
    add("parts", three(1, 1, 1, 5000, 8, 9), every=2)
    add("parts.masked", three(1, 1, 2, 1600, 8, 9) | {"attn_mask": [2, 1600]}, types=with_bool("f32"), values={"attn_mask": ["list", [0] * 1300 + [1] * 300 + [0] * 1600]})
    # Later keys have ever greater products, so that what is summed up is scaled at each block; and great ones.
    add("growing", {"query": [2, 1], "key": [520, 1], "value": [520, 3]}, {"scale": 1}, ("f32", "f64"),
        {"query": ["list", [1, 0.5]], "key": ["list", [at / 16 for at in range(520)]]})
    add("falling", {"query": [20, 1], "key": [520, 1], "value": [520, 3]}, {"scale": 1}, SMALL, {"query": ["list", [1, 0.5]], "key": ["list", [-at / 16 for at in range(520)]]})
    add("great", three(1, 1, 4, 9, 3, 2), {"scale": 1}, ("f32", "f64"), {"query": ["list", [1000, -1000, 1]], "key": ["list", [1, 100, 3, -4]]})
    for at, row in enumerate((["nan", 1, 2], ["inf", 1, 2], ["-inf", 1, 1])):
        for name in ("query", "key", "value"):
            add(f"special{at}.{name}", {"query": [2, 3], "key": [4, 3], "value": [4, 3]}, {"scale": 1}, values={name: ["list", [*row, *[0.5] * 3]] if name != "key" else ["list", [0.5] * 3 + row]})
    large = {"query": [2, 2, 300, 70], "key": [2, 2, 333, 70], "value": [2, 2, 333, 50]}
    add("large", large, every=41)
    add("large.causal", large, {"is_causal": True}, every=41)
    return {"attention": made}
