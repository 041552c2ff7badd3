#!/usr/bin/python3
"""overhead_bench.py: what runs and loading cost beside the kernels.

    overhead_bench.py --opgen build/opgen [--cc gcc]

A model that copies one float: nanoseconds a run. The first load in a new process, the page cache being warm: opening the
library and making an instance with weights in a file that is mapped, of 400 MB that one linear after the other reads, of
BERT-base, and of a decoder of 100 million parameters; the median of some processes, for 400 MB, and the worst. A million
runs and ten thousand swaps of weights: memory and file descriptors before and after. Every goal is checked, and the exit
status is 1 where one is missed.
"""

import argparse
import json
import os
import re
import statistics
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


def plain(opgen, folder):
    """Linears in a row."""
    params, nodes, width = {}, [], 2048
    for layer in range(24):
        at = f"h{layer}"
        params[f"{at}_w"], params[f"{at}_b"] = [width, width], [width]
        nodes.append({"op": "linear", "in": {"input": f"h{layer - 1}" if layer else "x", "weight": f"{at}_w", "bias": f"{at}_b"}, "out": at})
    path = os.path.join(folder, "plain.json")
    with open(path, "w") as out:
        json.dump({"opgen": 1, "name": "plain", "dims": {"s": {"min": 1, "max": 512}}, "inputs": {"x": {"dtype": "f32", "shape": ["s", width]}},
                   "params": {name: {"dtype": "f32", "shape": shape} for name, shape in params.items()}, "weights": "plain.safetensors",
                   "nodes": nodes, "outputs": [at]}, out)
    return path, write_weights(os.path.join(folder, "plain.safetensors"), params)


BERT = {"architectures": ["BertModel"], "model_type": "bert", "vocab_size": 30522, "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "gelu", "max_position_embeddings": 512, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12}
DECODER = {"model_type": "llama", "vocab_size": 32000, "hidden_size": 768, "intermediate_size": 2048, "num_hidden_layers": 12,
           "num_attention_heads": 12, "num_key_value_heads": 4, "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-6,
           "tie_word_embeddings": True}


def rendered(template, config):
    """A whole model by a template of opgen's own, with weights of its shapes."""
    def make(opgen, folder):
        own = os.path.join(folder, template)
        os.makedirs(own)
        with open(os.path.join(own, "config.json"), "w") as out:
            json.dump(config, out)
        done = subprocess.run([opgen, "render", f"models/{template}.json.j2", os.path.join(own, "config.json")], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"overhead_bench: {done.stderr}")
        path, model = os.path.join(own, "model.json"), json.loads(done.stdout)
        with open(path, "w") as out:
            out.write(done.stdout)
        return path, write_weights(os.path.join(own, model["weights"]), {p.get("key", n): p["shape"] for n, p in model["params"].items()})
    return make


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
    parser.add_argument("--loads", type=int, default=11, help="processes that load a model")
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
        for what, make in (("linears", plain), ("BERT-base", rendered("bert", BERT)), ("a decoder", rendered("llama", DECODER))):
            model, size = make(opgen, folder)
            library = compiled(opgen, model, folder)
            loads = [said([program, "load", library], r"open ([\d.]+) ms, load ([\d.]+) ms, (\d+) bytes") for _ in range(options.loads)]
            took = sorted(float(found[1]) + float(found[2]) for _, found, _ in loads)
            median, worst = (time * 4e8 / size for time in (statistics.median(took), took[-1]))
            print(f"{what}, {size / 1e6:.0f} MB: first load {statistics.median(took):.2f} ms, at worst {took[-1]:.2f} ms, of {len(took)} processes; "
                  f"for 400 MB {median:.2f} and {worst:.2f} ms; {loads[0][1][3]} bytes computed", flush=True)
            if median > LOAD_GOAL:
                missed.append(f"loading {what} takes {median:.0f} ms for 400 MB, and {LOAD_GOAL} is the goal")
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
