#!/usr/bin/python3
"""make.py: writes model.json, weights and expected results of one block of a transformer's encoder, with NumPy alone.

    python3 make.py

The block is the pre-norm one: x + attention(layer_norm(x)), then that plus its feed-forward part. Weights are random, from
a seed. Expected results are computed in float64 from the weights as they are stored.
"""
import json
import math
import os

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEADS, INNER = 64, 4, 256
HEAD = WIDTH // HEADS


def safetensors(path, tensors):
    header, at, blobs = {}, 0, []
    for name in sorted(tensors):
        data = numpy.ascontiguousarray(tensors[name], dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensors[name].shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        blobs.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text + b"".join(blobs))


def params():
    random = numpy.random.default_rng(11)

    def matrix(n, k):
        return (random.standard_normal((n, k)) / math.sqrt(k)).astype("f4")

    def vector(n, around):
        return (around + 0.1 * random.standard_normal(n)).astype("f4")

    made = {}
    for name in "qkvo":
        made[f"w{name}"], made[f"b{name}"] = matrix(WIDTH, WIDTH), vector(WIDTH, 0)
    made["w_up"], made["b_up"] = matrix(INNER, WIDTH), vector(INNER, 0)
    made["w_down"], made["b_down"] = matrix(WIDTH, INNER), vector(WIDTH, 0)
    for name in ("norm1", "norm2"):
        made[f"{name}_w"], made[f"{name}_b"] = vector(WIDTH, 1), vector(WIDTH, 0)
    return made


def nodes():
    made = []

    def node(op, out, *inputs, **attrs):
        made.append({"op": op, "in": list(inputs), "out": out} | ({"attrs": attrs} if attrs else {}))
        return out

    def norm(out, of, name):
        made.append({"op": "layer_norm", "in": {"input": of, "weight": f"{name}_w", "bias": f"{name}_b"}, "out": out})

    norm("n1", "x", "norm1")
    for name in "qkv":
        node("linear", f"{name}_flat", "n1", f"w{name}", f"b{name}")
        node("reshape", f"{name}_split", f"{name}_flat", shape=["batch", "length", HEADS, HEAD])
        node("transpose", f"{name}_heads", f"{name}_split", dim0=1, dim1=2)
    node("transpose", "k_turned", "k_heads", dim0=2, dim1=3)
    node("matmul", "products", "q_heads", "k_turned")
    node("scale", "scores", "products", factor=1 / math.sqrt(HEAD))
    node("softmax", "weights", "scores", dim=-1)
    node("matmul", "mixed", "weights", "v_heads")
    node("transpose", "mixed_back", "mixed", dim0=1, dim1=2)
    node("reshape", "joined", "mixed_back", shape=["batch", "length", WIDTH])
    node("linear", "attended", "joined", "wo", "bo")
    node("add", "h", "x", "attended")
    norm("n2", "h", "norm2")
    node("linear", "up", "n2", "w_up", "b_up")
    node("gelu", "active", "up")
    node("linear", "down", "active", "w_down", "b_down")
    node("add", "y", "h", "down")
    return made


def model(made):
    shapes = {name: {"dtype": "f32", "shape": list(value.shape)} for name, value in made.items()}
    return {
        "opgen": 1,
        "name": "encoder",
        "doc": "one pre-norm block of a transformer's encoder",
        "dims": {"batch": {"min": 1, "max": 8}, "length": {"min": 1, "max": 128}},
        "inputs": {"x": {"dtype": "f32", "shape": ["batch", "length", WIDTH]}},
        "params": shapes,
        "weights": "encoder.safetensors",
        "nodes": nodes(),
        "outputs": ["y"],
    }


def expected(made, x):
    p = {name: value.astype("f8") for name, value in made.items()}
    x = x.astype("f8")

    def norm(a, name):
        centred = a - a.mean(-1, keepdims=True)
        return centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * p[f"{name}_w"] + p[f"{name}_b"]

    n1 = norm(x, "norm1")
    batch, length, _ = x.shape
    q, k, v = ((n1 @ p[f"w{c}"].T + p[f"b{c}"]).reshape(batch, length, HEADS, HEAD).swapaxes(1, 2) for c in "qkv")
    scores = q @ k.swapaxes(2, 3) / math.sqrt(HEAD)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    joined = (weights @ v).swapaxes(1, 2).reshape(batch, length, WIDTH)
    h = x + joined @ p["wo"].T + p["bo"]
    up = norm(h, "norm2") @ p["w_up"].T + p["b_up"]
    active = up * 0.5 * (1 + numpy.vectorize(math.erf)(up / math.sqrt(2)))
    return h + active @ p["w_down"].T + p["b_down"]


def dump(value):
    """A node a line: a model is read by people too."""
    lines = ["{"]
    for i, (key, part) in enumerate(value.items()):
        end = "," if i + 1 < len(value) else ""
        if key in ("nodes", "params"):
            items = part if key == "nodes" else [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in part.items()]
            rows = [json.dumps(item) if key == "nodes" else item for item in items]
            inner = ",\n    ".join(rows)
            lines.append(f"  {json.dumps(key)}: {'[' if key == 'nodes' else '{'}\n    {inner}\n  {']' if key == 'nodes' else '}'}{end}")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(part)}{end}")
    return "\n".join(lines + ["}"]) + "\n"


def main():
    made = params()
    with open(os.path.join(HERE, "model.json"), "w") as out:
        out.write(dump(model(made)))
    safetensors(os.path.join(HERE, "encoder.safetensors"), made)
    x = numpy.random.default_rng(12).standard_normal((2, 9, WIDTH)).astype("f4")
    numpy.save(os.path.join(HERE, "x.npy"), x)
    numpy.save(os.path.join(HERE, "expected.npy"), expected(made, x).astype("f4"))


main()
