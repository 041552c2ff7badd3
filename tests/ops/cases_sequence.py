"""cases_sequence.py: the cases of rotary embeddings and of caches of keys, and what they mean, in float64.

Rotations are written as Hugging Face's models have them (apply_rotary_pos_emb), and, where interleaved, as products of
complex numbers; caches as one assignment after the other.
"""

import math

import torch

from references import REFERENCE
from values import FLOATS

INDEX = ("i64", "i32")


def rope_frequencies(input, dim, base, factor, low, high, original, mixed):
    plain = base ** (input * -2.0 / dim)
    if not mixed:
        return plain / factor
    # As modeling_rope_utils.py has it: by wavelength.
    wavelength = 2 * math.pi / plain
    smooth = (original / wavelength - low) / (high - low)
    between = (1 - smooth) / factor * plain + smooth * plain
    slow, fast = wavelength > original / low, wavelength < original / high
    return torch.where(slow, plain / factor, torch.where(fast, plain, between))


def rope_tables(positions, dim, base=10000.0, factor=1.0, low_freq_factor=None, high_freq_factor=None, original_max_position_embeddings=None, dtype="f32"):
    pairs = torch.arange(dim // 2, dtype=torch.float64)
    frequencies = rope_frequencies(pairs, dim, base, factor, low_freq_factor, high_freq_factor, original_max_position_embeddings, low_freq_factor is not None)
    angles = positions[..., None].to(torch.float64) * frequencies
    return [angles.cos(), angles.sin()]


def apply_rotary_emb(input, cos, sin, interleaved=False):
    pairs = cos.shape[-1]
    turned, rest = input[..., : 2 * pairs], input[..., 2 * pairs :]
    if interleaved:
        product = torch.view_as_complex(turned.reshape(*turned.shape[:-1], pairs, 2).contiguous()) * torch.complex(*torch.broadcast_tensors(cos, sin))
        turned = torch.view_as_real(product).reshape(turned.shape)
    else:
        half = torch.cat((-turned[..., pairs:], turned[..., :pairs]), -1)
        turned = turned * torch.cat((cos, cos), -1) + half * torch.cat((sin, sin), -1)
    return torch.cat((turned, rest), -1)


def rope(input, positions, dim=None, base=10000.0, interleaved=False, **scaling):
    cos, sin = rope_tables(positions, dim or input.shape[-1], base, **scaling)
    between = [1] * (input.dim() - 1 - positions.dim())
    shape = [*positions.shape[:-1], *between, positions.shape[-1], cos.shape[-1]]
    return apply_rotary_emb(input, cos.reshape(shape), sin.reshape(shape), interleaved)


def rotary_partner(input, dim, interleaved):
    order = list(range(input.shape[-1]))
    for i in range(dim // 2):
        a, b = (2 * i, 2 * i + 1) if interleaved else (i, i + dim // 2)
        order[a], order[b] = b, a
    return input[..., order]


def rotary_spread(input, size, interleaved):
    n = input.shape[-1]
    return input[..., [min(i // 2 if interleaved else i if i < n else i - n, n - 1) for i in range(size)]]


def rotary_turn(input, partner, cos, sin, dim, middle, interleaved, whole):
    at = torch.arange(input.shape[-1])
    sign = torch.where(at % 2 == 1 if interleaved else at >= middle, 1.0, -1.0).double()
    turned = input * cos + sign * sin * partner
    return turned if whole else torch.where(at < dim, turned, input)


def kv_cache_append(cache, rows, lengths):
    out = cache.clone()
    for b in range(rows.shape[0]):
        for t in range(rows.shape[2]):
            at = int(lengths[b]) + t
            if 0 <= at < cache.shape[2]:
                out[b, :, at] = rows[b, :, t]
    return out


REFERENCE.update({
    "rope_frequencies": rope_frequencies,
    "rope_tables": rope_tables,
    "apply_rotary_emb": apply_rotary_emb,
    "rope": rope,
    "rotary_partner": rotary_partner,
    "rotary_spread": rotary_spread,
    "rotary_turn": rotary_turn,
    "cache_positions": lambda lengths, length: lengths[..., None] + torch.arange(length),
    "count_up": lambda input: input + torch.arange(input.shape[-1]),
    "kv_cache_append_": kv_cache_append,
})

LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64, "base": 500.0}
NEAR = ["whole", 0, 40]


def cases(ops):
    made = []

    def add(name, op, shapes, attrs=None, types=("f32",), values=None, **more):
        if op in ops:
            made.append({"name": name, "op": op, "shapes": shapes if isinstance(shapes, list) else [shapes], "attrs": attrs or {}, "values": values or {},
                         "types": list(types), **({} if "exact" in more else {"rel": 64, "abs": 64}), **more})

    def floats(**fixed):
        return [{"T": dtype, **fixed} for dtype in FLOATS]

    for at, more in enumerate(({}, {"mixed": True})):
        attrs = {"dim": 32, "base": 10000.0, "factor": 4.0, "low": 1.0, "high": 4.0, "original": 512, "mixed": False} | more
        add(f"rope_frequencies.{at}", "rope_frequencies", {"input": [16]}, attrs, ["f64"], {"input": ["list", list(range(16))]})
    for at, (shape, attrs) in enumerate((([3, 5], {"dim": 8}), ([7], {"dim": 2, "base": 100.0}), ([2, 1], {"dim": 64, "factor": 2.5}), ([33], {"dim": 24, **LLAMA3}), ([0], {"dim": 6}))):
        for dtype in FLOATS if at == 0 else ("f32", "f64"):
            add(f"rope_tables.{at}.{dtype}", "rope_tables", {"positions": shape}, {**attrs, "dtype": dtype}, INDEX if at == 0 else INDEX[:1], {"positions": NEAR})
    for way in (False, True):
        kind = {"interleaved": way}
        name = "pairs" if way else "halves"
        for at, (shape, dim) in enumerate((([2, 3, 8], 8), ([5, 7], 4), ([3, 64], 64), ([2, 6], 2))):
            add(f"rotary_partner.{name}{at}", "rotary_partner", {"input": shape}, {"dim": dim, **kind}, FLOATS if at == 0 else ("f32",), exact=True)
            add(f"rotary_turn.{name}{at}", "rotary_turn", {one: shape for one in ("input", "partner", "cos", "sin")}, {"dim": dim, "middle": dim // 2, "whole": dim == shape[-1], **kind},
                [*floats(S="f32"), *[{"T": "f32", "S": dtype} for dtype in FLOATS]] if at == 0 else [{"T": "f32", "S": "f32"}])
        for at, (shape, size) in enumerate((([2, 4], 8), ([3], 6), ([2, 3], 9))):
            add(f"rotary_spread.{name}{at}", "rotary_spread", {"input": shape}, {"size": size, **kind}, FLOATS if at == 0 else ("f32",), exact=True)
        for at, (shape, table) in enumerate((([2, 3, 4, 8], [4, 4]), ([2, 3, 5, 6], [2, 1, 5, 3]), ([4, 10], [4, 3]), ([2, 2, 1, 64], [1, 32]), ([7, 2], [1]), ([2, 0, 4], [2]))):
            add(f"apply_rotary_emb.{name}{at}", "apply_rotary_emb", {"input": shape, "cos": table, "sin": table}, kind,
                [*floats(S="f32"), *[{"T": "f16", "S": dtype} for dtype in FLOATS]] if at == 0 else [{"T": "f32", "S": "f32"}], {"cos": ["uniform", -1, 1], "sin": ["uniform", -1, 1]})
        for at, (shape, places, attrs) in enumerate((([2, 3, 4, 8], [2, 4], {}), ([3, 5, 16], [5], {"dim": 6, "base": 500.0}), ([2, 2, 3, 4, 12], [2, 4], {"factor": 2.0}), ([2, 3, 4], [2, 3], {}),
                                                     ([1, 2, 9, 32], [9], LLAMA3))):
            add(f"rope.{name}{at}", "rope", {"input": shape, "positions": places}, {**attrs, **kind}, [*floats(P="i64"), {"T": "f32", "P": "i32"}] if at == 0 else [{"T": "f32", "P": "i64"}],
                {"positions": NEAR})
    add("rope.named", "rope", [{"input": [2, 3, 4, 8], "positions": [2, 4]}, {"input": [1, 1, 1, 8], "positions": [1, 1]}], {}, [{"T": "f32", "P": "i64"}], {"positions": NEAR},
        dims={"input": ["b", "h", "l", 8], "positions": ["b", "l"]})
    for at, (shape, length) in enumerate((([3], 4), ([], 5), ([2, 2], 1), ([4], 0))):
        add(f"cache_positions.{at}", "cache_positions", {"lengths": shape}, {"length": length}, INDEX, {"lengths": ["whole", -5, 100]}, exact=True)
    add("count_up.0", "count_up", {"input": [3, 5]}, {}, INDEX, {"input": ["whole", -5, 100]}, exact=True)
    # lengths: none yet, some, just full, beyond, before the first place, and what no memory has.
    lengths = [0, 3, 6, 7, 8, 9, -1, -2, -3, 2**62, -(2**62)]
    for place in ("direct", "computed"):
        for at, (cache, rows) in enumerate((([11, 2, 8, 4], [11, 2, 2, 4]), ([11, 1, 5, 3], [11, 1, 9, 3]), ([2, 3, 4, 5], [2, 3, 1, 5]), ([2, 1, 4, 6], [2, 1, 0, 6]), ([3, 2, 1, 1], [3, 2, 3, 1]))):
            types = [*floats(N="f32", P="i64"), *[{"T": "f32", "N": dtype, "P": "i64"} for dtype in FLOATS]] if at == 0 else [{"T": "f32", "N": "f32", "P": "i64"}]
            add(f"kv_cache_append_.{place}{at}", "kv_cache_append_", {"cache": cache, "rows": rows, "lengths": cache[:1]}, {}, types,
                {"lengths": ["list", lengths], "cache": "finite", "rows": ["normal"]}, place=place, exact=True)
        add(f"kv_cache_append_.{place}.i32", "kv_cache_append_", {"cache": [5, 2, 8, 4], "rows": [5, 2, 3, 4], "lengths": [5]}, {}, [{"T": "f32", "N": "f32", "P": "i32"}],
            {"lengths": ["list", [0, 6, 8, -2, 2**31 - 1]]}, place=place, exact=True)
        add(f"kv_cache_append_.{place}.named", "kv_cache_append_",
            [{"cache": [2, 2, 8, 4], "rows": [2, 2, 3, 4], "lengths": [2]}, {"cache": [1, 1, 9, 4], "rows": [1, 1, 1, 4], "lengths": [1]}, {"cache": [4, 3, 2, 4], "rows": [4, 3, 7, 4], "lengths": [4]}], {},
            [{"T": "f32", "N": "f32", "P": "i64"}], {"lengths": ["list", [1, 6, 0, 2]]}, place=place, exact=True,
            dims={"cache": ["b", "h", "c", 4], "rows": ["b", "h", "l", 4], "lengths": ["b"]})
    return {"sequence": made}
