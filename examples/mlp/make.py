#!/usr/bin/python3
"""make.py: writes the weights, an input and the expected results of mlp, with NumPy alone.

    python3 make.py

Weights are random, from a seed. Expected results are computed in float64 from the weights as they are stored.
"""
import json
import math
import os

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))


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


def main():
    random = numpy.random.default_rng(7)
    w1, w2 = random.standard_normal((128, 64)) / 8, random.standard_normal((10, 128)) / 11
    b1, b2 = random.standard_normal(128) / 10, random.standard_normal(10) / 10
    made = {"w1": w1, "b1": b1, "w2": w2, "b2": b2}
    made = {name: value.astype("f4") for name, value in made.items()}
    safetensors(os.path.join(HERE, "mlp.safetensors"), made)
    x = random.standard_normal((5, 64)).astype("f4")
    w1, b1, w2, b2 = (made[name].astype("f8") for name in ("w1", "b1", "w2", "b2"))
    h = x.astype("f8") @ w1.T + b1
    a = 0.5 * h * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
    logits = a @ w2.T + b2
    y = numpy.exp(logits - logits.max(-1, keepdims=True))
    y /= y.sum(-1, keepdims=True)
    numpy.save(os.path.join(HERE, "x.npy"), x)
    numpy.save(os.path.join(HERE, "expected.npy"), y.astype("f4"))


main()
