#!/usr/bin/python3
"""check_bad.py: what can go wrong on a real device: what is told, and that the model, or at least the process, goes on.

    tests/device/check_bad.py BACKEND [--only TEXT] [--arch native] [--out DIR]

Each case is a process of its own, for some leave the device's context of no use. Needs PyTorch for the device.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys

import torch

from torch_side import Failed, Runtime, compiled, device_type

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DIM = {"n": {"min": 1, "max": 1 << 20}}
PLUS = {"opgen": 1, "name": "plus", "dims": DIM, "inputs": {"x": {"dtype": "f32", "shape": ["n"]}}, "nodes": [{"op": "add", "in": ["x", 1], "out": "y"}], "outputs": ["y"]}
# An outer product between, of which each row is sorted: n * n elements, more than once.
OUTER = {"opgen": 1, "name": "outer", "dims": DIM, "inputs": {"x": {"dtype": "f32", "shape": ["n", 1]}, "z": {"dtype": "f32", "shape": [1, "n"]}},
         "nodes": [{"op": "matmul", "in": ["x", "z"], "out": "m"}, {"op": "sort", "in": "m", "attrs": {"dim": 1}, "out": ["s", "i"]}, {"op": "amax", "in": "s", "attrs": {"dim": 1}, "out": "y"}], "outputs": ["y"]}
LOOK = {"opgen": 1, "name": "look", "dims": DIM, "inputs": {"i": {"dtype": "i64", "shape": ["n"]}, "t": {"dtype": "f32", "shape": [10, 64]}}, "nodes": [{"op": "embedding", "in": ["i", "t"], "out": "y"}], "outputs": ["y"]}


class Case:
    def __init__(self, options):
        self.options, self.device = options, device_type(options.backend)
        self.runtime = Runtime(options.out)

    def made(self, model, arch=None):
        name = model["name"] + (arch or "")
        error = compiled({**model, "name": name}, self.options.out, self.options.backend, arch or self.options.arch)
        if error:
            sys.exit(error)
        return f"{self.options.out}/{name}/lib{name}.so"

    def plus(self, instance, n=1000, on="cuda", stream=None, device=None):
        x = torch.arange(n, dtype=torch.float32, device=on)
        y = torch.full((n,), float("nan"), device=on)
        self.runtime.run(instance, [x], [y], ["f32", "f32"], device or self.device, stream)
        if on == "cuda":
            torch.cuda.synchronize()
            assert bool((y == x + 1).all()), "wrong results"


def told(pattern, call):
    """That it fails, with a text like this."""
    try:
        call()
    except Failed as failed:
        print(f"    {failed}")
        assert re.search(pattern, str(failed)), f"wanted a text like {pattern}"
        return
    raise AssertionError(f"it was taken; wanted a text like {pattern}")


def host_tensors(case):
    instance = case.runtime.create(case.made(PLUS))
    told(r'input "x": wanted on CUDA.*got on CPU|wanted on \w+ 0, got on', lambda: case.plus(instance, on="cpu", device=1))
    told(r'input "x": its memory is not that of \w+ device 0: copy it there first', lambda: case.plus(instance, on="cpu"))
    case.plus(instance)


def out_of_memory(case):
    instance = case.runtime.create(case.made(OUTER))

    def run(n):
        x, z = torch.rand(n, 1, device="cuda"), torch.rand(1, n, device="cuda")
        y = torch.full((n,), float("nan"), device="cuda")
        case.runtime.run(instance, [x, z], [y], ["f32"] * 3, case.device)
        torch.cuda.synchronize()
        assert torch.allclose(y, (x * z.amax()).squeeze(1)), "wrong results"

    told(r"\d+ bytes were wanted, \d+ of \d+ are free", lambda: run(400000))
    run(300)


def sticky_error(case):
    instance = case.runtime.create(case.made(PLUS))
    case.plus(instance)
    x, y = torch.zeros(1000, device="cuda"), torch.zeros(1000, device="cuda")
    broken = torch.zeros(4, device="cuda")[torch.tensor([1 << 40], device="cuda")]  # stops all that the process has on the device
    run = lambda: case.runtime.run(instance, [x], [y], ["f32", "f32"], case.device)

    def until_told():
        for _ in range(1000):
            run()
        case.runtime.wait(instance)

    told(r"plus: .*(assert|illegal|launch failure|Assert)", until_told)
    told(r"plus: ", run)
    try:
        case.runtime.free(instance)
    except Failed as failed:
        print(f"    {failed}")
    del broken
    os._exit(0)  # PyTorch's own end would ask the device


def capture(case):
    instance = case.runtime.create(case.made(PLUS))
    case.plus(instance)
    x, y = torch.arange(1000, dtype=torch.float32, device="cuda"), torch.zeros(1000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y += x
        told("the stream is being captured into a graph", lambda: case.runtime.run(instance, [x], [y], ["f32", "f32"], case.device, torch.cuda.current_stream().cuda_stream))
        y += x
    graph.replay()
    torch.cuda.synchronize()
    assert bool((y == 2 * x).all()), "the caller's graph is spoilt"
    case.plus(instance)


def streams(case):
    """Many runs in streams of the caller's."""
    instance = case.runtime.create(case.made(PLUS))
    all_streams = [torch.cuda.Stream() for _ in range(4)]
    for at in range(40):
        case.plus(instance, 100 + at, stream=all_streams[at % 4].cuda_stream)


def reused_streams(case):
    """Streams that are destroyed while a run is under way: their handles come again, for streams that wait for nothing by themselves."""
    instance = case.runtime.create(case.made(OUTER))
    library = torch.cuda.cudart()
    x, handle, handles = torch.rand(512, 1, device="cuda"), ctypes.c_void_p(), set()
    z, y = [torch.zeros(1, 512, device="cuda") for _ in range(2)], [torch.zeros(512, device="cuda") for _ in range(2)]
    for turn in range(200):
        for at, sign in enumerate((1, -1)):
            z[at].fill_(sign * (turn + 1))
            y[at].fill_(float("nan"))
        torch.cuda.synchronize()
        for at in range(2):
            assert int(library.cudaStreamCreate(ctypes.addressof(handle))) == 0
            handles.add(handle.value)
            case.runtime.run(instance, [x, z[at]], [y[at]], ["f32"] * 3, case.device, handle.value)
            assert int(library.cudaStreamDestroy(handle.value)) == 0
        torch.cuda.synchronize()
        assert all(torch.allclose(y[at], x.squeeze(1) * z[at][0, 0]) for at in range(2)), "wrong results"
    print(f"    400 streams had {len(handles)} handles")


def nothing(case):
    """Runs of size 0 between others, in the same stream and in another."""
    instance = case.runtime.create(case.made({**PLUS, "name": "plus0", "dims": {"n": {"min": 0, "max": 1 << 20}}}))
    other = torch.cuda.Stream()
    for at in range(20):
        case.plus(instance, 0, stream=other.cuda_stream if at % 3 == 1 else None)
        case.plus(instance, 1000 * (at % 2), stream=other.cuda_stream if at % 2 else None)


def other_device(case):
    if torch.cuda.device_count() < 2:
        print("    skipped: there is one device")
        return
    instance = case.runtime.create(case.made(PLUS))
    with torch.cuda.device(1):
        stream = torch.cuda.Stream(1)
    told(r"is the stream one of another device", lambda: case.plus(instance, stream=stream.cuda_stream))
    x = torch.zeros(1000, device="cuda:1")
    told(r'input "x"', lambda: case.runtime.run(instance, [x], [torch.zeros(1000, device="cuda:0")], ["f32", "f32"], case.device))
    case.plus(instance)


def bad_index(case):
    instance = case.runtime.create(case.made(LOOK))
    table, y = torch.rand(10, 64, device="cuda"), torch.zeros(3, 64, device="cuda")

    def run(*indices):
        i = torch.tensor(indices, device="cuda")
        case.runtime.run(instance, [i, table], [y], ["i64", "f32", "f32"], case.device)
        case.runtime.wait(instance)
        assert bool((y == table[i]).all()), "wrong results"

    run(0, 9, 4)
    told(r'look: node "y.*": position 10 is beyond the 10 that there are', lambda: run(1, 10, 2))
    told(r'look: node "y.*": position -1 is beyond the 10', lambda: run(1, -1, 2))
    run(3, 3, 0)


def other_architecture(case):
    path = case.made(PLUS, "sm_80")
    told(r"it was compiled for sm_80, but device 0 \(.*\) is sm_\d+", lambda: case.runtime.create(path))


def no_device(case):
    path = case.made(PLUS)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    told(r"there is no device of NVIDIA here", lambda: case.runtime.create(path))


CASES = {f.__name__: f for f in (host_tensors, out_of_memory, sticky_error, capture, streams, reused_streams, nothing, other_device, bad_index, other_architecture, no_device)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("backend")
    parser.add_argument("--only", default="")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--arch", default="native")
    parser.add_argument("--out", default="build/device/bad")
    options = parser.parse_args()
    os.chdir(ROOT)
    if options.case:
        CASES[options.case](Case(options))
        return 0
    os.makedirs(options.out, exist_ok=True)
    passed = failed = 0
    for name in CASES:
        if options.only not in name:
            continue
        folder = f"{options.out}/{name}"
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run([sys.executable, __file__, options.backend, "--case", name, "--arch", options.arch, "--out", folder], capture_output=True, text=True, check=False)
        passed, failed = passed + (done.returncode == 0), failed + (done.returncode != 0)
        print(f"{'FAILED' if done.returncode else 'ok':7} {name}\n{done.stdout}{done.stderr[-1500:] if done.returncode else ''}", end="", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
