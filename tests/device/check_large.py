#!/usr/bin/python3
"""check_large.py: tensors of more than 2^31 elements on a device, one operator and more of each template, beside PyTorch on the same one.

    tests/device/check_large.py BACKEND [--only TEXT] [--arch native] [--out DIR]

Models are generated and compiled by $OPGEN, loaded by the runtime, and given PyTorch's own tensors. Inputs are random, outputs
poisoned. PyTorch computes in f32, some rows at a time, and what it makes is rounded to the output's dtype. Needs PyTorch for the
device, and some 60 GB of its memory.
"""

import argparse
import concurrent.futures
import os
import sys

import torch
import torch.nn.functional as F

from torch_side import TYPES, Runtime, compiled, device_type

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ROWS, ODD, EVEN = 32769, 65537, 65544
PIECE = 1 << 28  # elements that PyTorch looks at at once


def one(op, inputs, attrs=None, out="y"):
    return [{"op": op, "in": inputs, "out": out, **({"attrs": attrs} if attrs else {})}]


def by_rows(f):
    """For some rows of the inputs that have rows of their own, those of the output."""
    return ("rows", f)


def whole(f):
    return ("whole", f)


def works():
    """name: inputs {name: (dtype, shape)}, nodes, outputs {name: (dtype, shape)}, what they are to be."""
    x = lambda dtype, columns=EVEN: {"x": (dtype, [ROWS, columns])}
    y = lambda dtype, columns=EVEN: {"y": (dtype, [ROWS, columns])}
    row = lambda dtype: {"w": (dtype, [EVEN])}
    norm = lambda t: t * torch.rsqrt((t * t).mean(1, keepdim=True) + 1e-6)
    return {
        "map": ({"x": ("f16", [2147483659])}, one("add", ["x", 1]), {"y": ("f16", [2147483659])}, by_rows(lambda x: x + 1)),
        "map broadcast": ({**x("bf16"), **row("bf16")}, one("add", ["x", "w"]), y("bf16"), by_rows(lambda x, w: x + w)),
        "map odd": (x("u8", ODD), one("bitwise_not", ["x"]), y("u8", ODD), by_rows(lambda x: ~x)),
        "transpose": (x("bf16"), one("transpose", ["x"], {"dim0": 0, "dim1": 1}), {"y": ("bf16", [EVEN, ROWS])}, whole(lambda x: x.t())),
        "transpose words": ({"x": ("f16", [ROWS + 7, EVEN])}, one("transpose", ["x"], {"dim0": 0, "dim1": 1}), {"y": ("f16", [EVEN, ROWS + 7])}, whole(lambda x: x.t())),
        "rows": (x("f16"), one("amax", ["x"], {"dim": 1}), {"y": ("f16", [ROWS])}, by_rows(lambda x: x.amax(1))),
        "argmax": (x("bf16"), one("argmax", ["x"], {"dim": 1}), {"y": ("i64", [ROWS])}, by_rows(lambda x: x.argmax(1))),
        "columns": (x("f16"), one("sum", ["x"], {"dim": 0}), {"y": ("f16", [EVEN])}, whole(lambda x: x.sum(0, dtype=torch.float32))),
        "columns odd": (x("u8", ODD), one("amax", ["x"], {"dim": 0}), {"y": ("u8", [ODD])}, whole(lambda x: x.amax(0))),
        "all": (x("u8", ODD), one("sum", ["x"]), {"y": ("i64", [])}, whole(lambda x: sum(part.sum(dtype=torch.int64) for part in x.split(1024)))),
        "all odd": ({"x": ("f32", [2147483659])}, one("amin", ["x"]), {"y": ("f32", [])}, whole(lambda x: torch.stack([part.amin() for part in x.split(PIECE)]).amin())),
        "var": (x("bf16"), one("var", ["x"], {"dim": 1}), {"y": ("bf16", [ROWS])}, by_rows(lambda x: x.var(1))),
        "softmax": (x("f16"), one("softmax", ["x"], {"dim": 1}), y("f16"), by_rows(lambda x: x.softmax(1))),
        "log_softmax": (x("bf16"), one("log_softmax", ["x"], {"dim": 1}), y("bf16"), by_rows(lambda x: x.log_softmax(1))),
        "softmax odd": (x("f16", ODD), one("softmax", ["x"], {"dim": 1}), y("f16", ODD), by_rows(lambda x: x.softmax(1))),
        "layer_norm": ({**x("bf16"), **row("bf16")}, one("layer_norm", ["x", "w"]), y("bf16"), by_rows(lambda x, w: F.layer_norm(x, (EVEN,), w))),
        "rms_norm": ({**x("f16"), **row("f16")}, one("rms_norm", ["x", "w"], {"eps": 1e-6}), y("f16"), by_rows(lambda x, w: norm(x) * w)),
        "add_rms_norm": ({**x("f16"), "r": ("f16", [ROWS, EVEN]), **row("f16")}, one("add_rms_norm", ["x", "r", "w"], {"eps": 1e-6}, ["y", "s"]), {**y("f16"), "s": ("f16", [ROWS, EVEN])},
                         by_rows(lambda x, r, w: (norm(x + r) * w, x + r))),
        "cumsum": (x("f32"), one("cumsum", ["x"], {"dim": 1}), y("f32"), by_rows(lambda x: x.double().cumsum(1))),
        "cumsum first": ({"x": ("u8", [ROWS, ODD])}, one("cumsum", ["x"], {"dim": 0, "dtype": "i32"}), y("i32", ODD), whole(lambda x: x.cumsum(0, dtype=torch.int32))),
        "embedding": ({"x": ("i64", [ROWS]), "t": ("bf16", [1000, EVEN])}, one("embedding", ["x", "t"]), y("bf16"), by_rows(lambda x, t: t[x])),
        "gather": ({**x("f16"), "i": ("i32", [ROWS, EVEN])}, one("gather", ["x", "i"], {"dim": 1}), y("f16"), by_rows(lambda x, i: x.gather(1, i.long()))),
        "scatter_add": ({**x("f32"), "i": ("i64", [ROWS, 8]), "s": ("f32", [ROWS, 8])}, one("scatter_add", ["x", "i", "s"], {"dim": 1}), y("f32"), by_rows(lambda x, i, s: x.scatter_add(1, i, s))),
        "topk": (x("f32"), one("topk", ["x"], {"k": 3, "dim": 1}, ["y", "i"]), {"y": ("f32", [ROWS, 3]), "i": ("i64", [ROWS, 3])}, by_rows(lambda x: x.topk(3, 1))),
        "sort": ({"x": ("f32", [67108881, 33])}, one("sort", ["x"], {"dim": 1}, ["y", "i"]), {"y": ("f32", [67108881, 33]), "i": ("i64", [67108881, 33])}, by_rows(lambda x: x.sort(dim=1, stable=True))),
        "searchsorted": ({"t": ("f32", [1000]), **x("f32")}, [*one("sort", ["t"], None, ["s", "n"]), *one("searchsorted", ["s", "x"])], y("i64"),
                         by_rows(lambda t, x: torch.searchsorted(t.sort()[0], x))),
        "cache": ({"c": ("f16", [3, 5, 2236981, 64]), "r": ("f16", [3, 5, 7, 64]), "n": ("i64", [3])}, one("kv_cache_append_", ["c", "r", "n"]), {"y": ("f16", [3, 5, 2236981, 64])},
                  whole(lambda c, r, n: torch.stack([torch.cat([cache[:, :at], rows, cache[:, at + 7 :]], 1) for cache, rows, at in zip(c, r, n.tolist())]))),
        "gemm": ({"x": ("f16", [ROWS * 2, 17]), "m": ("f16", [32776, 17])}, one("linear", ["x", "m"]), {"y": ("f16", [ROWS * 2, 32776])}, by_rows(lambda x, m: x @ m.t())),
        "attention": ({"x": ("f16", [8193, 8, 32776, 1]), "k": ("f16", [8193, 8, 5, 1]), "v": ("f16", [8193, 8, 5, 1])}, one("scaled_dot_product_attention", ["x", "k", "v"]),
                      {"y": ("f16", [8193, 8, 32776, 1])}, by_rows(lambda x, k, v: F.scaled_dot_product_attention(x, k, v))),
        "conv": ({"x": ("f16", [129, 4, 2048, 2056]), "m": ("f16", [4, 4, 3, 3])}, one("conv2d", ["x", "m"], {"padding": 1}), {"y": ("f16", [129, 4, 2048, 2056])},
                 by_rows(lambda x, m: F.conv2d(x, m, padding=1))),
        "pool": ({"x": ("f16", [129, 4, 2048, 2056])}, one("max_pool2d", ["x"], {"kernel_size": 3, "stride": 1, "padding": 1}), {"y": ("f16", [129, 4, 2048, 2056])},
                 by_rows(lambda x: F.max_pool2d(x, 3, 1, 1))),
    }


def name_of(name):
    return "l_" + name.replace(" ", "_")


def build(options, name, work):
    inputs, nodes, outputs, _ = work
    tensors = {k: {"dtype": t, "shape": s, **({"mutable": True} if k == "c" else {})} for k, (t, s) in inputs.items()}
    return compiled({"opgen": 1, "name": name_of(name), "inputs": tensors, "nodes": nodes, "outputs": list(outputs)}, options.out, options.backend, options.arch)


def drawn(dtype, shape, most):
    if dtype in ("i64", "i32"):
        return torch.randint(0, most, shape, device="cuda", dtype=TYPES[dtype])
    if dtype == "u8":
        return torch.randint(0, 256, shape, device="cuda", dtype=torch.uint8)
    return torch.empty(shape, device="cuda", dtype=TYPES[dtype]).normal_()


def differ(got, wanted, dtype):
    """How many are neither within what rounding to the dtype does nor, where numbers of the results' size cancel, near. Small results,
    a softmax's, are held to as much: what is allowed goes with their size, but for the last step that f16 has near 0."""
    if dtype in ("f16", "bf16", "f32"):
        wanted = wanted.to(torch.float32) if dtype != "f32" else wanted
        rtol, atol = {"f16": (2e-3, 1e-3), "bf16": (1e-2, 1e-2), "f32": (1e-4, 1e-4)}[dtype]
        got = got.to(wanted.dtype)
        atol = atol * float(wanted.double().square().mean().sqrt()) + (6e-8 if dtype == "f16" else 0)
        return int((~((got - wanted).abs() <= atol + rtol * wanted.abs())).sum())
    return int((got != wanted.to(got.dtype)).sum())


def parts_of(inputs, tensors, first, last, rows):
    f = lambda t: t.float() if t.dtype in (torch.float16, torch.bfloat16) else t
    return [f(t[first:last]) if t.shape[0] == rows else f(t) for t in tensors]


def check(runtime, options, name, work):
    inputs, _, outputs, (way, wanted) = work
    model = name_of(name)
    instance = runtime.create(f"{options.out}/{model}/lib{model}.so")
    most = 1000 if "t" in inputs else min((shape[1] for _, shape in inputs.values() if len(shape) > 1), default=100)
    given = [drawn(dtype, shape, most) for dtype, shape in inputs.values()]
    if name == "scatter_add":  # of two that go to one place the order is nobody's
        given[1] = torch.rand([ROWS, 64], device="cuda").argsort(1)[:, :8] * 1024
    if name == "cache":
        given[2] = torch.tensor([0, 1000003, 2236970], device="cuda")
    before = [tensor.clone() if input == "c" else tensor for input, tensor in zip(inputs, given)]
    made = [torch.empty(shape, device="cuda", dtype=TYPES[dtype]) for dtype, shape in outputs.values()]
    for tensor in made:
        tensor.view(-1).view(torch.uint8).fill_(0xB5)
    types = [dtype for dtype, _ in outputs.values()]
    torch.cuda.synchronize()
    runtime.run(instance, given, made, [dtype for dtype, _ in inputs.values()] + types, options.device)
    runtime.wait(instance)
    torch.cuda.synchronize()
    wrong, looked = 0, 0
    if way == "whole":
        answer = wanted(*before)
        for got, dtype in zip(made, types):
            rows = max(1, PIECE // max(1, got[0].numel())) if got.dim() else 1
            for first in range(0, got.shape[0] if got.dim() else 1, rows):
                part = slice(first, first + rows) if got.dim() else ...
                wrong += differ(got[part], answer[part], dtype)
                looked += got[part].numel()
    else:
        rows = made[0].shape[0]
        step = max(1, PIECE // max(1, max(t.numel() for t in given + made) // rows))
        for first in range(0, rows, step):
            last = min(rows, first + step)
            answer = wanted(*parts_of(inputs, given, first, last, rows))
            for got, part, dtype in zip(made, answer if isinstance(answer, tuple) else [answer], types):
                wrong += differ(got[first:last], part, dtype)
                looked += part.numel()
    runtime.free(instance)
    return wrong, looked


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("backend")
    parser.add_argument("--only", default="")
    parser.add_argument("--arch", default="native")
    parser.add_argument("--out", default="build/device/large")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.makedirs(options.out, exist_ok=True)
    options.device, runtime = device_type(options.backend), Runtime(options.out)
    chosen = {name: work for name, work in works().items() if options.only in name}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        errors = list(pool.map(lambda item: build(options, *item), chosen.items()))
    torch.manual_seed(1)
    passed = failed = 0
    for (name, work), error in zip(chosen.items(), errors):
        try:
            wrong, looked = (1, 0) if error else check(runtime, options, name, work)
        except Exception as problem:  # the others are run
            wrong, looked, error = 1, 0, f"{type(problem).__name__}: {problem}"
        torch.cuda.empty_cache()
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(f"{'FAILED' if wrong else 'ok':7} {name:16} {looked:11} elements{f', {wrong} differ' if wrong else ''} {(error or '')[:600]}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
