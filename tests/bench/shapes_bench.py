#!/usr/bin/python3
"""shapes_bench.py: the works of tests/device/bench.py on the CPU, one thread, beside PyTorch eager: shapes that tables have, and others.

    PEER/bin/python tests/bench/shapes_bench.py [--opgen build/opgen] [--only sum,cat] [--part 8] [--dtype f32]

--part: of the rows there one in so many; tensors of some 64 MB at 8. --dtype: in the place of 16-bit floats. opgen's times are those of
`opgen bench`, which checks results first; sets of tensors take turns on both sides.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn.functional as F

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "device"))

import bench

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def ours(options, work, inputs, nodes, outputs, n, folder):
    """Microseconds, the median; or what went wrong."""
    tensors = {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in inputs.items()}
    model = {"opgen": 1, "name": "w", "dims": {"n": {"min": 1, "max": work[4]}}, "inputs": tensors, "nodes": nodes, "outputs": outputs}
    with open(f"{folder}/w.json", "w", encoding="utf-8") as file:
        json.dump(model, file)
    command = [options.opgen, "bench", f"{folder}/w.json", "-o", f"{folder}/gen", "--dim", f"n={n}", "--json", "--time", "0.4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (json.loads(done.stdout)["whole"]["seconds"] * 1e6, None) if done.returncode == 0 else (None, done.stderr or done.stdout)


def theirs(inputs, expression, n):
    sets = [[torch.randn([n if d == "n" else d for d in shape]).to(TYPES[dtype]) for dtype, shape in inputs.values()] for _ in range(2)]
    function = eval("lambda " + ", ".join(inputs) + ": " + expression, {"torch": torch, "F": F})
    function(*sets[0])
    times, end = [], time.monotonic() + 1
    while time.monotonic() < end or len(times) < 3:
        start = time.perf_counter()
        function(*sets[len(times) % 2])
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opgen", default=os.path.join(TOP, "build", "opgen"))
    parser.add_argument("--only", default="", help="works whose name has one of these, with commas between")
    parser.add_argument("--part", type=int, default=8)
    parser.add_argument("--dtype", choices=sorted(TYPES))
    options = parser.parse_args()
    torch.set_num_threads(1)
    failed = 0
    print(f"{'work':24} {'n':>8} {'opgen us':>10} {'PyTorch us':>10} {'times':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name, work in {**bench.works(), **bench.others()}.items():
            inputs, nodes, outputs, expression, whole = work
            if any(dtype == "i64" for dtype, _ in inputs.values()) or not any(part in name for part in options.only.split(",")):
                continue
            inputs = {key: (options.dtype or dtype, shape) for key, (dtype, shape) in inputs.items()}
            n = max(1, whole // options.part)
            us, error = ours(options, work, inputs, nodes, outputs, n, folder)
            if error:
                failed += 1
                print(f"{name:24} {n:8} {error[-300:]}")
                continue
            peer = theirs(inputs, expression, n)
            print(f"{name:24} {n:8} {us:10.0f} {peer:10.0f} {peer / us:6.2f}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
