#!/usr/bin/python3
"""overhead_bench.py: what runs and loading cost beside the kernels.

    overhead_bench.py --opgen build/opgen [--cc gcc]

A model that copies one float: nanoseconds a run. Two models with 400 MB of weights in a file that is mapped: one whose
linears read them as they lie, and one with the layers of BERT-base, of which the matrices that make q, k and v are put
together when weights are loaded. A million runs and ten thousand swaps of weights: memory and file descriptors before
and after. Every goal is checked, and the exit status is 1 where one is missed.
"""

import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = os.path.join(HERE, "../../runtime")
RUN_GOAL, LOAD_GOAL = 2000, 50  # nanoseconds, milliseconds


def write_weights(path, params):
    header, at = {}, 0
    for name, shape in params.items():
        size = 4
        for axis in shape:
            size *= axis
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    piece = struct.pack("<f", 0.0078125) * (1 << 18)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for start in range(0, at, len(piece)):
            out.write(piece[: at - start])
    return at


class Model:
    def __init__(self, name, width):
        self.name, self.params, self.nodes = name, {}, []
        self.inputs = {"x": {"dtype": "f32", "shape": ["s", width]}}

    def node(self, op, inputs, out, **attrs):
        self.nodes.append({"op": op, "in": inputs, "out": out, **({"attrs": attrs} if attrs else {})})
        return out

    def linear(self, x, n_in, n_out, out):
        self.params[f"{out}_w"], self.params[f"{out}_b"] = [n_out, n_in], [n_out]
        return self.node("linear", {"input": x, "weight": f"{out}_w", "bias": f"{out}_b"}, out)

    def write(self, folder, y):
        path = os.path.join(folder, f"{self.name}.json")
        params = {name: {"dtype": "f32", "shape": shape} for name, shape in self.params.items()}
        with open(path, "w") as out:
            json.dump({"opgen": 1, "name": self.name, "dims": {"s": {"min": 1, "max": 512}}, "inputs": self.inputs, "params": params,
                       "weights": f"{self.name}.safetensors", "nodes": self.nodes, "outputs": [y]}, out)
        return path, write_weights(os.path.join(folder, f"{self.name}.safetensors"), self.params)


def plain(folder):
    model, x = Model("plain", 2048), "x"
    for layer in range(24):
        x = model.linear(x, 2048, 2048, f"h{layer}")
    return model.write(folder, x)


def layers_of_bert(folder):
    model, x = Model("layers", 768), "x"
    for layer in range(12):
        at = lambda name: f"l{layer}_{name}"
        heads = []
        for name in "qkv":
            made = model.linear(x, 768, 768, at(name))
            made = model.node("reshape", made, at(name + "_rows"), shape=["s", 12, 64])
            heads.append(model.node("transpose", made, at(name + "_heads"), dim0=0, dim1=1))
        made = model.node("scaled_dot_product_attention", heads, at("mixed"))
        made = model.node("transpose", made, at("back"), dim0=0, dim1=1)
        made = model.linear(model.node("reshape", made, at("flat"), shape=["s", 768]), 768, 768, at("out"))
        made = model.node("add", [made, x], at("h"))
        up = model.node("gelu", model.linear(made, 768, 3072, at("up")), at("active"))
        x = model.node("add", [model.linear(up, 3072, 768, at("down")), made], at("y"))
    return model.write(folder, model.linear(x, 768, 22000, "head"))


def compiled(opgen, model, folder):
    done = subprocess.run([opgen, "compile", model, "-o", os.path.join(folder, "gen")], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"overhead_bench: {done.stderr}")
    return done.stdout.strip()


def said(command, pattern):
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(pattern, done.stdout)
    if done.returncode not in (0, 1) or not found:
        sys.exit(f"overhead_bench: {' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout.strip(), found, done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--opgen", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--swaps", type=int, default=10_000)
    options = parser.parse_args()
    opgen, missed = os.path.abspath(options.opgen), []
    with tempfile.TemporaryDirectory(prefix="opgen_bench_") as folder:
        program = os.path.join(folder, "bench")
        sources = [os.path.join(RUNTIME, name) for name in sorted(os.listdir(RUNTIME)) if name.endswith(".c")]
        subprocess.run([options.cc, "-std=c11", "-D_GNU_SOURCE", "-O2", "-I", RUNTIME, os.path.join(HERE, "overhead_bench.c"), *sources,
                        "-o", program, "-lpthread", "-ldl", "-lm"], check=True)
        copy = os.path.join(folder, "copy.json")
        with open(copy, "w") as out:
            json.dump({"opgen": 1, "name": "copy", "inputs": {"x": {"dtype": "f32", "shape": [1]}},
                       "nodes": [{"op": "clone", "in": "x", "out": "y"}], "outputs": ["y"]}, out)
        text, found, _ = said([program, "run", compiled(opgen, copy, folder)], r"run (\d+) ns")
        print(f"one float copied: {text}", flush=True)
        if int(found[1]) > RUN_GOAL:
            missed.append(f"a run takes {found[1]} ns, and {RUN_GOAL} is the goal")
        for what, make in (("linears that read weights as they lie", plain), ("layers of BERT-base", layers_of_bert)):
            model, size = make(folder)
            library = compiled(opgen, model, folder)
            weights = os.path.join(os.path.dirname(library), os.path.basename(model)[:-5] + ".safetensors")
            text, found, _ = said([program, "load", library, weights], r"load ([\d.]+) ms")
            print(f"{what}, {size / 1e6:.0f} MB: {text}", flush=True)
            if float(found[1]) > LOAD_GOAL:
                missed.append(f"loading {what} takes {found[1]} ms, and {LOAD_GOAL} is the goal")
        mlp = compiled(opgen, os.path.join(HERE, "../../examples/mlp/model.json"), folder)
        text, _, status = said([program, "month", mlp, os.path.join(os.path.dirname(mlp), "mlp.safetensors"), str(options.runs),
                                str(options.swaps)], r"resident")
        print(text)
        if status:
            missed.append("memory or descriptors grow")
    for text in missed:
        print(f"MISSED: {text}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
