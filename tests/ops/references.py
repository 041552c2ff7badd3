"""references.py: what each operator means, as PyTorch computes it on float64 (integers: on int64, wrapped afterwards).

REFERENCE has for each operator a function of its inputs and attributes, called by the opdef's names. NATIVE names those
whose result jumps where rounding moves a quotient over a whole number: they are computed in f32 for all types that
opgen computes in f32. Where PyTorch 1.13, which these run on, differs from what PyTorch documents today, today's meaning
is written out, with a note.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F

NATIVE = {"div", "floor_divide", "remainder", "fmod", "round"}
NAN = float("nan")
TORCH = {"bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
         "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}


class Now:
    """What a reference may ask about its call, beside its arguments."""

    dtype = "f32"  # of the first type variable


def number(x):
    return float(x) if isinstance(x, str) else x


def dims_of(dim, rank):
    """The dims that an attribute names, as PyTorch has it: none, and an empty list, are all of them."""
    if dim is None or dim == []:
        return tuple(range(rank))
    return tuple(d % max(rank, 1) for d in (dim if isinstance(dim, list) else [dim]))


# ---- maps


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if not input.is_floating_point():
        return input
    most = LARGEST[Now.dtype]
    return torch.nan_to_num(input, nan, most if posinf is None else posinf, -most if neginf is None else neginf)


def softshrink(input, lambd=0.5):
    # 1.13 makes 0 of NaN; since 2.2 it stays NaN.
    return torch.where(torch.isnan(input), input, F.softshrink(input, lambd))


def softplus(input, beta=1.0, threshold=20.0):
    return F.softplus(input, beta, threshold)


def prelu(input, weight):
    slope = weight.reshape([]) if weight.numel() == 1 else weight.reshape([-1] + [1] * (input.dim() - 2))
    return torch.where(input > 0, input, slope * input)


def shift_left(input, other):
    # PyTorch leaves distances out of range open; opgen shifts everything out.
    return torch.bitwise_left_shift(input, other)


def clamp(input, min=None, max=None):
    return torch.clamp(input, min, max)


def halves(input):
    return torch.chunk(input, 2, -1)


def lerp(input, end, weight):
    return torch.lerp(input.expand(torch.broadcast_shapes(input.shape, end.shape, weight.shape)).contiguous(), end, weight)


def numpy_two(of):
    """A function of two arrays, which broadcast. 1.13's vectorised pow and fmod fail for the greatest numbers."""
    return lambda a, b: torch.from_numpy(np.asarray(of(*np.broadcast_arrays(a.numpy(), b.numpy()))))


def power(a, b):
    if a.dtype.kind == "f":
        return np.power(a, b)
    return torch.pow(torch.from_numpy(a.copy()), torch.from_numpy(b.copy())).numpy()


def remainder(a, b):
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest).astype(a.dtype)


def floor_quotient(a, b):
    if a.dtype.kind != "f":
        return np.floor_divide(a, b)
    rest = np.fmod(a, b)
    quotient = (a - rest) / b - ((rest != 0) & ((b < 0) != (rest < 0)))
    down = np.floor(quotient)
    near = np.where(quotient - down > 0.5, down + 1, down)
    return np.where(b == 0, a / b, np.where(quotient == 0, np.copysign(0, a / b), near)).astype(a.dtype)


def div(input, other, rounding_mode=None):
    return REFERENCE["floor_divide"](input, other) if rounding_mode == "floor" else torch.div(input, other, rounding_mode=rounding_mode)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    return torch.where(input < min_val, torch.full_like(input, min_val), torch.where(input > max_val, torch.full_like(input, max_val), input))


def relu6(input):
    return torch.where(input > 6, torch.full_like(input, 6), torch.where(input < 0, torch.zeros_like(input), input))


def threshold(input, threshold, value):
    return torch.where(input <= threshold, torch.full_like(input, value), input)


def full(size, fill_value, dtype=None):
    return torch.full(size, fill_value, dtype=torch.float64 if isinstance(fill_value, float) else None)


def arange(end, start=0, step=1, dtype=None):
    # What is made is start + i * step, each rounded once.
    count = max(0, math.ceil((end - start) / step))
    if all(float(x).is_integer() for x in (start, step)):
        return int(start) + torch.arange(count) * int(step)
    return float(start) + torch.arange(count, dtype=torch.float64) * float(step)


def mish(input):
    return input * torch.tanh(F.softplus(input, threshold=1000))


def same_kind(op):
    """Of an operator that PyTorch has by the same name, arguments and all."""
    return lambda *inputs, **attrs: getattr(torch, op)(*inputs, **attrs)


def of_functional(op):
    return lambda *inputs, **attrs: getattr(F, op)(*inputs, **attrs)


REFERENCE = {op: same_kind(op) for op in """
    abs neg exp exp2 expm1 log log2 log10 sqrt rsqrt reciprocal square ceil floor round trunc sin cos tan asin acos atan
    sinh cosh tanh asinh acosh atanh sigmoid erf erfc bitwise_not logical_not isnan isinf isfinite clone add sub mul maximum minimum atan2 hypot bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift logical_and
    logical_or logical_xor eq ne lt le gt ge where addcmul addcdiv tril triu""".split()}
REFERENCE.update({op: of_functional(op) for op in """
    relu leaky_relu elu celu selu gelu silu hardswish hardsigmoid softsign hardshrink tanhshrink""".split()})
REFERENCE.update({
    "log1p": lambda input: torch.from_numpy(np.asarray(np.log1p(input.numpy()))),  # 1.13's is infinite from 2^1023 on
    "frac": lambda input: input - torch.trunc(input),
    "sign": lambda input: torch.where(input > 0, 1, 0) - torch.where(input < 0, 1, 0),
    "nan_to_num": nan_to_num,
    "clamp": clamp,
    "copy_": lambda input, src: src.expand(input.shape),
    "cast": lambda input, dtype: input,
    "pow": lambda input, exponent: numpy_two(power)(input, exponent),
    "fmod": lambda input, other: numpy_two(np.fmod)(input, other),
    "remainder": lambda input, other: numpy_two(remainder)(input, other),
    "div": div,
    "floor_divide": lambda input, other: numpy_two(floor_quotient)(input, other),
    "lerp": lerp,
    "masked_fill": lambda input, mask, value: torch.where(mask, torch.full([], value, dtype=input.dtype), input),
    "add_one": lambda input: input + 1,
    "scale": lambda input, factor: input * factor,
    "relu6": relu6,
    "prelu": prelu,
    "prelu_broadcast": lambda input, slope: torch.where(input > 0, input, slope * input),
    "mish": mish,
    "hardtanh": hardtanh,
    "softplus": softplus,
    "softshrink": softshrink,
    "threshold": threshold,
    "logsigmoid": lambda input: torch.clamp(input, max=0) - torch.log1p(torch.exp(-torch.abs(input))),
    "silu_and_mul": lambda input: F.silu(halves(input)[0]) * halves(input)[1],
    "gelu_and_mul": lambda input, approximate="none": F.gelu(halves(input)[0], approximate=approximate) * halves(input)[1],
    "swiglu": lambda gate, up: F.silu(gate) * up,
    "full": full,
    "zeros": lambda size, dtype=None: torch.zeros(size),
    "ones": lambda size, dtype=None: torch.ones(size),
    "full_like": lambda input, fill_value, dtype=None: torch.full(input.shape, number(fill_value), dtype=torch.float64 if isinstance(number(fill_value), float) else None),
    "zeros_like": lambda input, dtype=None: torch.zeros(input.shape),
    "ones_like": lambda input, dtype=None: torch.ones(input.shape),
    "empty_like": lambda input, dtype=None: torch.zeros(input.shape),
    "arange": arange,
    "eye": lambda n, m=None, dtype=None: torch.eye(n, n if m is None else m),
    "fill_": lambda input, value: torch.full(input.shape, number(value), dtype=torch.float64 if isinstance(number(value), float) else None),
    "zero_": lambda input: torch.zeros(input.shape),
})


# ---- views: called on numbered elements


def pad(input, pad, mode="constant", value=0):
    """By index, so that all modes go on any rank, and every dim may be padded."""
    pairs = [(pad[2 * k], pad[2 * k + 1]) if 2 * k < len(pad) else (0, 0) for k in range(input.dim())][::-1]
    out = input
    for dim, (before, behind) in enumerate(pairs):
        size = input.shape[dim]
        at = torch.arange(-before, size + behind)
        inside = (at >= 0) & (at < size)
        if mode == "reflect":
            at = size - 1 - (size - 1 - at.abs()).abs()
        elif mode == "replicate":
            at = at.clamp(0, max(size - 1, 0))
        elif mode == "circular":
            at = at % max(size, 1)
        else:
            at = at.clamp(0, max(size - 1, 0))
        if size == 0:
            out = torch.full([*out.shape[:dim], len(at), *out.shape[dim + 1 :]], -1, dtype=out.dtype)
            continue
        out = out.index_select(dim, at)
        if mode == "constant":
            shape = [-1 if d == dim else 1 for d in range(out.dim())]
            out = torch.where(inside.reshape(shape), out, torch.full([], -1, dtype=out.dtype))
    return out


def depth_to_space(input, blocksize, mode="DCR"):
    n, c, h, w = input.shape
    b = blocksize
    if mode == "CRD":
        return input.reshape(n, c // (b * b), b, b, h, w).permute(0, 1, 4, 2, 5, 3).reshape(n, c // (b * b), h * b, w * b)
    return input.reshape(n, b, b, c // (b * b), h, w).permute(0, 3, 4, 1, 5, 2).reshape(n, c // (b * b), h * b, w * b)


def space_to_depth(input, blocksize):
    n, c, h, w = input.shape
    b = blocksize
    return input.reshape(n, c, h // b, b, w // b, b).permute(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


def squeeze(input, dim=None):
    # Several dims at once came with 2.0.
    drop = [d for d in dims_of(dim, input.dim()) if input.shape[d] == 1]
    return input.reshape([size for d, size in enumerate(input.shape) if d not in drop])


def slice_(input, dim=0, start=0, end=None, step=1):
    return input[(slice(None),) * (dim % input.dim()) + (slice(start, end, step),)]


def list_(x):
    return x if isinstance(x, list) else [x]


REFERENCE.update({
    "view": lambda input, shape: input.reshape(shape),
    "reshape": lambda input, shape: input.reshape(shape),
    "flatten": lambda input, start_dim=0, end_dim=-1: torch.flatten(input, start_dim, end_dim),
    "squeeze": squeeze,
    "unsqueeze": lambda input, dim: input.unsqueeze(dim),
    "transpose": lambda input, dim0, dim1: input.transpose(dim0, dim1),
    "permute": lambda input, dims: input.permute(dims),
    "movedim": lambda input, source, destination: torch.movedim(input, source, destination),
    "expand": lambda input, size: input.expand(size),
    "broadcast_to": lambda input, shape: input.broadcast_to(shape),
    "narrow": lambda input, dim, start, length: input.narrow(dim, start, length),
    "slice": slice_,
    "select": lambda input, dim, index: input.select(dim, index),
    "split": lambda input, split_size_or_sections, dim=0: torch.split(input, split_size_or_sections, dim),
    "chunk": lambda input, chunks, dim=0: torch.chunk(input, chunks, dim),
    "unbind": lambda input, dim=0: torch.unbind(input, dim),
    "flip": lambda input, dims: torch.flip(input, list_(dims)),
    "roll": lambda input, shifts, dims=None: torch.roll(input, shifts, dims if dims is not None else ()),
    "repeat": lambda input, repeats: input.repeat(repeats),
    "repeat_interleave": lambda input, repeats, dim=None: torch.repeat_interleave(input, repeats, dim),
    "tile": lambda input, dims: torch.tile(input, dims),
    "stack": lambda tensors, dim=0: torch.stack(tensors, dim),
    "cat": lambda tensors, dim=0: torch.cat(tensors, dim),
    "pad": pad,
    "contiguous": lambda input: input,
    "depth_to_space": depth_to_space,
    "space_to_depth": space_to_depth,
    "diagonal": lambda input, offset=0, dim1=0, dim2=1: torch.diagonal(input, offset, dim1, dim2),
    "unfold": lambda input, dimension, size, step: input.unfold(dimension, size, step),
})


# ---- reductions: over NumPy, which says what becomes of nothing and of ties


def reduction(of):
    """A function of (array, axes, keepdims)."""

    def reference(input, dim=None, keepdim=False, **attrs):
        x = input.numpy()
        axes = dims_of(dim, x.ndim)
        y = of(x.reshape(1) if x.ndim == 0 else x, axes if x.ndim else (0,), keepdim and x.ndim > 0, **attrs)
        y = np.asarray(y)
        return torch.from_numpy(np.array(y.reshape(()) if x.ndim == 0 else y))

    return reference


def variance(x, axes, keep, correction=1):
    count = math.prod(x.shape[a] for a in axes)
    with np.errstate(all="ignore"):
        mean = np.mean(x, axis=axes, keepdims=True) if count else np.full([1 if a in axes else s for a, s in enumerate(x.shape)], NAN)
        y = np.sum((x - mean) ** 2, axis=axes, keepdims=keep) / np.float64(max(count - correction, 0))
    return y


def extreme(which):
    """Values and first indices along one dim, or index among all. NaN is beyond everything."""

    def reference(input, dim=None, keepdim=False):
        x = input.numpy()
        flat = x.reshape(-1) if dim is None else x.reshape(1) if x.ndim == 0 else x
        axis = 0 if dim is None or x.ndim == 0 else dim
        at = np.expand_dims(getattr(np, which)(flat, axis=axis), axis)
        values = np.take_along_axis(flat, at, axis)
        shape = list(x.shape)
        if dim is None:
            shape = [1] * x.ndim if keepdim else []
        elif x.ndim:
            shape[dim] = 1
            if not keepdim:
                del shape[dim]
        return torch.from_numpy(np.array(values.reshape(shape))), torch.from_numpy(np.array(at.reshape(shape)))

    return reference


def norm(x, axes, keep, p=2):
    p = number(p)
    with np.errstate(all="ignore"):
        if p == math.inf:
            return np.max(np.abs(x), axis=axes, keepdims=keep, initial=0)
        if p == -math.inf:
            return np.min(np.abs(x), axis=axes, keepdims=keep, initial=math.inf)
        if p == 0:
            return np.sum(x != 0, axis=axes, keepdims=keep).astype(np.float64)
        return np.sum(np.abs(x) ** p, axis=axes, keepdims=keep) ** (1 / p)


def logsumexp(x, axes, keep):
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        most = np.max(x, axis=axes, keepdims=True, initial=-math.inf)
        most = np.where(np.isfinite(most), most, 0)
        y = np.log(np.sum(np.exp(x - most), axis=axes, keepdims=True)) + most
    return y if keep else np.squeeze(y, axis=axes)


def mean(x, axes, keep, dtype=None):
    count = math.prod(x.shape[a] for a in axes)
    with np.errstate(all="ignore"):
        return np.sum(x, axis=axes, keepdims=keep) / np.float64(count)


def total(of):
    def reduce(x, axes, keep, dtype=None):
        if dtype is not None and not x.dtype.kind == "f" and dtype in LARGEST:
            x = x.astype(np.float64)
        elif dtype is not None and dtype not in LARGEST and x.dtype.kind == "f":
            x = x.astype(np.int64)
        return of(x.astype(np.int64) if x.dtype.kind == "b" else x, axis=axes, keepdims=keep)

    return reduce


REFERENCE.update({
    "sum": reduction(total(np.sum)),
    "prod": reduction(total(np.prod)),
    "mean": reduction(mean),
    "amax": reduction(lambda x, axes, keep: np.max(x, axis=axes, keepdims=keep)),
    "amin": reduction(lambda x, axes, keep: np.min(x, axis=axes, keepdims=keep)),
    "max": extreme("argmax"),
    "min": extreme("argmin"),
    "argmax": lambda *a, **k: extreme("argmax")(*a, **k)[1],
    "argmin": lambda *a, **k: extreme("argmin")(*a, **k)[1],
    "all": reduction(lambda x, axes, keep: np.all(x != 0, axis=axes, keepdims=keep)),
    "any": reduction(lambda x, axes, keep: np.any(x != 0, axis=axes, keepdims=keep)),
    "norm": reduction(norm),
    "std": reduction(lambda x, axes, keep, correction=1: np.sqrt(variance(x, axes, keep, correction))),
    "var": reduction(variance),
    "logsumexp": reduction(logsumexp),
    "count_nonzero": reduction(lambda x, axes, keep: np.sum(x != 0, axis=axes, keepdims=keep)),
})


def var_mean(input, dim=None, correction=1, keepdim=False):
    average = REFERENCE["mean"](input, dim, keepdim)
    # Of infinities alone, PyTorch's mean beside a variance is NaN.
    infinite = REFERENCE["all"](torch.isinf(input), dim, keepdim)
    return REFERENCE["var"](input, dim, keepdim, correction=correction), torch.where(infinite, NAN, average)


REFERENCE["var_mean"] = var_mean


# ---- softmax, norms, scans


def floating(of):
    """Softmax and its logarithm; what is no float is made the dtype that is asked for first."""
    return lambda input, dim, dtype=None: of(input.to(torch.float64), dim)


def layer_norm(input, weight=None, bias=None, normalized_shape=None, eps=1e-5):
    shape = normalized_shape or (list(weight.shape) if weight is not None else [input.shape[-1]])
    return F.layer_norm(input, shape, weight, bias, eps)


def rms_norm(input, weight=None, normalized_shape=None, eps=None):
    # Newer than 1.13. Without eps it is that of the dtype.
    shape = normalized_shape or (list(weight.shape) if weight is not None else [input.shape[-1]])
    dims = tuple(range(-len(shape), 0))
    eps = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}[Now.dtype] if eps is None else eps
    y = input * torch.rsqrt(torch.mean(input * input, dims, keepdim=True) + eps)
    return y if weight is None else y * weight


def channels(x, rank):
    return None if x is None else x.reshape([-1] + [1] * (rank - 2))


def group_norm(input, weight=None, bias=None, num_groups=1, eps=1e-5):
    return F.group_norm(input, num_groups, weight, bias, eps)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, eps=eps)
    dims = tuple(range(2, input.dim()))
    centred = input - torch.mean(input, dims, keepdim=True)
    y = centred * torch.rsqrt(torch.mean(centred * centred, dims, keepdim=True) + eps)
    y = y if weight is None else y * channels(weight, input.dim())
    return y if bias is None else y + channels(bias, input.dim())


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    rank = input.dim()
    y = (input - channels(running_mean, rank)) * torch.rsqrt(channels(running_var, rank) + eps)
    y = y if weight is None else y * channels(weight, rank)
    return y if bias is None else y + channels(bias, rank)


def batch_norm_apply(input, mean, var, weight=None, bias=None, eps=1e-5):
    y = (input - mean) / torch.sqrt(var + eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / REFERENCE["norm"](input, p=p, dim=[dim], keepdim=True).clamp(min=eps)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    squares = F.pad(input * input, [0, 0] * (input.dim() - 2) + [size // 2, (size - 1) // 2])
    return input / (k + alpha * squares.unfold(1, size, 1).mean(-1)) ** beta


def add_rms_norm(input, residual, weight=None, normalized_shape=None, eps=None):
    total = input + residual
    return rms_norm(total, weight, normalized_shape, eps), total


def cumulate(of):
    def reference(input, dim, dtype=None):
        x = input.to(torch.int64) if input.dtype == torch.bool else input
        return of(x, dim)

    return reference


REFERENCE.update({
    "softmax": floating(torch.softmax),
    "log_softmax": floating(torch.log_softmax),
    "softmax_dim": floating(torch.softmax),
    "log_softmax_dim": floating(torch.log_softmax),
    "layer_norm_dims": lambda input, dims, eps, weight=None, bias=None: layer_norm(input, weight, bias, list(input.shape[-dims:]), eps),
    "rms_norm_dims": lambda input, dims, eps, weight=None: rms_norm(input, weight, list(input.shape[-dims:]), eps),
    "add_rms_norm_dims": lambda input, residual, dims, eps, weight=None: add_rms_norm(input, residual, weight, list(input.shape[-dims:]), eps),
    "instance_norm_rows": lambda input, weight=None, bias=None, eps=1e-5: instance_norm(input, weight=weight, bias=bias, eps=eps),
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "batch_norm": batch_norm,
    "batch_norm_apply": batch_norm_apply,
    "normalize": normalize,
    "local_response_norm": local_response_norm,
    "local_response_apply": lambda input, around, alpha, beta, k: input / (k + alpha * around) ** beta,
    "add_rms_norm": add_rms_norm,
    "cumsum": cumulate(torch.cumsum),
    "cumprod": cumulate(torch.cumprod),
})


# ---- matrices


def scaled(input, beta, product):
    """beta * input + product; what is multiplied by zero is not looked at."""
    if beta == 0:
        return product
    return (beta * input if beta != 1 else input) + product


def times(alpha, product):
    return alpha * product if alpha != 1 else product


REFERENCE.update({
    "mm": lambda input, mat2: torch.mm(input, mat2),
    "bmm": lambda input, mat2: torch.bmm(input, mat2),
    "matmul": lambda input, other: torch.matmul(input, other),
    "mv": lambda input, vec: torch.mv(input, vec),
    "dot": lambda input, tensor: torch.dot(input, tensor),
    "outer": lambda input, vec2: torch.outer(input, vec2),
    "inner": lambda input, other: torch.inner(input, other),
    "addmm": lambda input, mat1, mat2, beta=1, alpha=1: scaled(input, beta, times(alpha, torch.mm(mat1, mat2))),
    "baddbmm": lambda input, batch1, batch2, beta=1, alpha=1: scaled(input, beta, times(alpha, torch.bmm(batch1, batch2))),
    "addmv": lambda input, mat, vec, beta=1, alpha=1: scaled(input, beta, times(alpha, torch.mv(mat, vec))),
    "addr": lambda input, vec1, vec2, beta=1, alpha=1: scaled(input, beta, times(alpha, torch.outer(vec1, vec2))),
    "addr_apply": lambda input, vec1, vec2, beta=1, alpha=1: scaled(input, beta, times(alpha, vec1 * vec2)),
    "linear": lambda input, weight, bias=None: torch.matmul(input, weight.transpose(-1, -2) if weight.dim() > 1 else weight) + (
        0 if bias is None else bias),
    "linears": lambda input, weights, biases=None: [REFERENCE["linear"](input, weight, biases[at] if biases else None) for at, weight in enumerate(weights)],
    "einsum": lambda input, other, equation: torch.einsum(equation, input, other),
})
