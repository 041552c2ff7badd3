"""values.py: what the operator tests feed in, and how their tensors are kept: dtypes, inputs made of a name, safetensors.

Inputs are not stored. They come out of their kind ("special", "normal", ...), their dtype and a seed, which is a hash of
their name, by integer arithmetic and a few exact float operations, so every machine makes the same ones. An array here
is in the form in which it lies in memory: bf16 as the upper half of an f32, in uint16.
"""

import json
import math
import struct

import numpy as np

NUMPY = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "i32": np.int32,
         "u64": np.uint64, "i64": np.int64, "f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
FLOATS = ("f16", "bf16", "f32", "f64")
INTS = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64")
GROUPS = {"float": FLOATS, "int": INTS, "any": tuple(NUMPY)}
ORDER = tuple(NUMPY)  # the order of OpgenDtype

# The greatest finite value, the least normal one, the least one above zero.
LIMITS = {"f16": (65504.0, 2.0**-14, 2.0**-24), "bf16": (float(2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133),
          "f32": (float(2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149), "f64": (float(np.finfo(np.float64).max), 2.0**-1022, 5e-324)}


def is_float(dtype):
    return dtype in FLOATS


def dtypes_of(types):
    """A set of an opdef: a group, a dtype, or a list of these."""
    found = []
    for name in [types] if isinstance(types, str) else types:
        found += GROUPS.get(name, (name,))
    return [dtype for dtype in ORDER if dtype in found]


# ---- floats and what they are in memory


def encode(dtype, values):
    """float64 numbers, or integers, as the dtype: floats rounded once, to the nearest."""
    if dtype == "bf16":
        with np.errstate(over="ignore"):
            bits = np.ravel(values).astype(np.float32).view(np.uint32).astype(np.uint64)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        return np.where(np.isnan(values), 0x7FC0, rounded.reshape(np.shape(values))).astype(np.uint16)
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(NUMPY[dtype])


def decode(dtype, array):
    """What an array in memory holds: floats as float64, the rest as it is."""
    if dtype == "bf16":
        wide = np.ravel(array).astype(np.uint32) << 16
        return wide.view(np.float32).astype(np.float64).reshape(np.shape(array))
    return array.astype(np.float64) if is_float(dtype) else array


# ---- random bits: splitmix64 of a name's FNV-1a


def random_bits(name, count):
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    # Arrays of integers wrap around in silence; a sum or product of two numbers would not.
    z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def unit(bits):
    """Numbers from 0 up to and not with 1."""
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normal(bits):
    """About a normal distribution: four uniform numbers added up, from -3.46 to 3.46."""
    parts = [(bits >> np.uint64(16 * i) & np.uint64(0xFFFF)).astype(np.float64) for i in range(4)]
    return (sum(parts) / 65536 - 2) * 1.75


def whole(bits, low, high):
    """Whole numbers from low to high, both included, as int64."""
    return (bits % np.uint64(high - low + 1)).astype(np.int64) + low


# ---- kinds of values

MILD = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, 6.0, -6.0, 0.1, -0.1,
        1e-3, -1e-3, 20.5, -20.5, 90.0, -90.0]


def specials(dtype):
    most, least, tiny = LIMITS[dtype]
    return MILD + [most, -most, least, -least, tiny, -tiny, least * 0.75, most / 2, 2.0**-8, 1023.5, -4097.0, 88.5, -104.0]


def extremes(dtype):
    info = np.iinfo(NUMPY[dtype])
    low, high = int(info.min), min(int(info.max), 2**63 - 1)  # above that NumPy and PyTorch have no common ground
    return [low, high, low + 1, high - 1, high // 2, high // 2 + 1, 0, 1, 2, 3, 7, 10, 100, 126]


def cut(list_, bits, rest):
    """`rest` with the list in front."""
    front = np.asarray(list_[: len(rest)])
    return np.concatenate([front.astype(rest.dtype), rest[len(front) :]])


def floats_of(kind, dtype, bits, count):
    name, *given = kind
    if name == "special":
        return cut(specials(dtype), bits, 4 * normal(bits))
    if name == "mild":
        return cut(MILD, bits, 4 * normal(bits))
    if name == "finite":
        return cut([x for x in specials(dtype) if np.isfinite(x)], bits, 4 * normal(bits))
    if name in ("cross0", "cross1"):
        chosen = [float(x) for x in (given[0] if given else specials(dtype))]
        at = np.arange(count)
        return np.asarray(chosen, np.float64)[(at if name == "cross0" else at // len(chosen)) % len(chosen)]
    if name == "normal":
        return normal(bits) * (given[0] if given else 1.0)
    if name == "nonzero":
        x = normal(bits)
        return x + np.where(x < 0, -0.5, 0.5)
    if name == "whole":
        return whole(bits, *given).astype(np.float64)
    if name == "uniform":
        return given[0] + unit(bits) * (given[1] - given[0])
    if name == "power":  # powers of 2, of both signs, whose products are exact
        return np.where(bits >> np.uint64(40) & np.uint64(1), -1.0, 1.0) * np.exp2(whole(bits, -1, 1))
    if name == "distinct":
        return np.argsort(bits, kind="stable").astype(np.float64) - count // 2
    if name == "list":
        return np.resize(np.asarray([float(x) for x in given[0]], np.float64), count)
    raise ValueError(f"no kind of floats: {name}")


def ints_of(kind, dtype, bits, count):
    name, *given = kind
    if name == "raw":  # these, also beyond what i64 holds
        return np.resize(np.array(given[0], NUMPY[dtype]), count)
    info = np.iinfo(NUMPY[dtype])
    width, low = info.bits, 0 if info.min == 0 else None
    full = bits >> np.uint64(64 - width) if dtype != "u64" else bits >> np.uint64(1)
    full = full.astype(NUMPY[dtype]).astype(np.int64) if dtype != "u64" else full.astype(np.int64)
    if name in ("special", "finite"):
        return cut(extremes(dtype), bits, np.where(bits >> np.uint64(8) & np.uint64(1), full, whole(bits, 0 if low == 0 else -20, 20)))
    if name == "mild" or name == "normal":
        return whole(bits, 0 if low == 0 else -9, 9)
    if name in ("cross0", "cross1"):
        chosen = np.asarray(extremes(dtype), np.int64)
        at = np.arange(count)
        return chosen[(at if name == "cross0" else at // len(chosen)) % len(chosen)]
    if name == "nonzero":
        x = whole(bits, 1, 9)
        return x if low == 0 else np.where((bits >> np.uint64(20) & np.uint64(1)) * (x > 1), -x, x)  # no -1: the least divided by it is nowhere
    if name == "shift":
        return whole(bits, 0, width - 1)
    if name == "whole":
        return whole(bits, max(given[0], 0) if low == 0 else given[0], given[1])
    if name == "power":
        return whole(bits, 0 if low == 0 else -1, 2)
    if name == "distinct":
        return np.argsort(bits, kind="stable") - (0 if low == 0 else count // 2)
    if name == "list":
        return np.resize(np.asarray(given[0], np.int64), count)
    raise ValueError(f"no kind of integers: {name}")


def make(kind, dtype, count, name):
    """So many values of a kind: a word, or a list of a word and its numbers."""
    kind = [kind] if isinstance(kind, str) else kind
    bits = random_bits(name, count)
    if dtype == "bool":
        if kind[0] == "list":
            return np.resize(np.asarray(kind[1]) != 0, count)
        return bits % np.uint64(kind[1] if kind[0] == "rare" else 2) == 0
    if kind[0] == "rare":  # mostly zeros, or mostly ones of a bool's truth
        kind = ["whole", 0, 1]
    if is_float(dtype):
        return encode(dtype, floats_of(kind, dtype, bits, count))
    return ints_of(kind, dtype, bits, count).astype(NUMPY[dtype])


def make_input(case, name, dtype, shape, period, kind):
    """An input of a case: its values repeat after `period` where there is one."""
    count = math.prod(shape)
    seed = f"{case} {name} {dtype}"
    if period is None:
        return make(kind, dtype, count, f"{seed} {shape}").reshape(shape)
    return np.resize(make(kind, dtype, period, seed), count).reshape(shape) if count else make(kind, dtype, 0, seed).reshape(shape)


# ---- safetensors

STORED = {"BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "U32": np.uint32, "I32": np.int32,
          "U64": np.uint64, "I64": np.int64, "F32": np.float32, "F64": np.float64}
STORED_NAME = {np.dtype(numpy): name for name, numpy in STORED.items()}


def write_tensors(path, tensors):
    header, at = {}, 0
    order = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))  # so that all are aligned
    for name in order:
        size = tensors[name].nbytes
        header[name] = {"dtype": STORED_NAME[tensors[name].dtype], "shape": list(tensors[name].shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in order:
            file.write(np.ascontiguousarray(tensors[name]).tobytes())


def read_tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, what in json.loads(data[8:start]).items():
        begin, end = what["data_offsets"]
        tensors[name] = np.frombuffer(data[start + begin : start + end], STORED[what["dtype"]]).reshape(what["shape"])
    return tensors
