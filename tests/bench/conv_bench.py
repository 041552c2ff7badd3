#!/usr/bin/env python3
"""conv_bench.py: opgen's convolutions beside ONNX Runtime's and PyTorch's, in f32: all that ResNet-50 is made of, at batch 1.

    conv_bench.py --opgen build/opgen [--work DIR] [--rounds N] [--threads 2,1] [--only TEXT] [--json]

Needs a Python with onnxruntime, onnx and torch (PyPI); what of them is missing is told and left out. Each convolution is
followed by a relu, as it mostly is there. All run in one process and take turns, and what is compared is the best of all
turns, since other programs may run at the same time. Of one thread the processor's time is counted, of several the wall clock. Results are
compared, too: what is fast and wrong ends with 1.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import time

import numpy as np

# channels in, size in, channels out, window, stride, padding, how many there are
SHAPES = [(3, 224, 64, 7, 2, 3, 1), (64, 56, 64, 1, 1, 0, 1), (64, 56, 64, 3, 1, 1, 3), (64, 56, 256, 1, 1, 0, 4), (256, 56, 64, 1, 1, 0, 2),
          (256, 56, 128, 1, 1, 0, 1), (128, 56, 128, 3, 2, 1, 1), (128, 28, 512, 1, 1, 0, 4), (256, 56, 512, 1, 2, 0, 1), (512, 28, 128, 1, 1, 0, 3), (128, 28, 128, 3, 1, 1, 3),
          (512, 28, 256, 1, 1, 0, 1), (256, 28, 256, 3, 2, 1, 1), (256, 14, 1024, 1, 1, 0, 6), (512, 28, 1024, 1, 2, 0, 1), (1024, 14, 256, 1, 1, 0, 5), (256, 14, 256, 3, 1, 1, 5),
          (1024, 14, 512, 1, 1, 0, 1), (512, 14, 512, 3, 2, 1, 1), (512, 7, 2048, 1, 1, 0, 3), (1024, 14, 2048, 1, 2, 0, 1), (2048, 7, 512, 1, 1, 0, 2), (512, 7, 512, 3, 1, 1, 2)]


# ---- opgen's library


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class Allocator(ctypes.Structure):
    _fields_ = [("alloc", ctypes.c_void_p), ("free", ctypes.c_void_p), ("context", ctypes.c_void_p)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("contexts", ctypes.c_int32), ("busy", ctypes.c_int32), ("threads", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("weights", ctypes.c_char_p), ("no_weights", ctypes.c_int32), ("copy_weights", ctypes.c_int32), ("allocator", Allocator), ("device_allocator", Allocator),
                ("device", ctypes.c_void_p)]


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ("opgen_library_model", "opgen_last_error"):
            getattr(self.lib, name).restype = ctypes.c_char_p if name == "opgen_last_error" else ctypes.c_void_p
        self.library = ctypes.c_void_p()
        self.check(self.lib.opgen_open(path.encode(), ctypes.byref(self.library)))
        self.model = ctypes.c_void_p(self.lib.opgen_library_model(self.library, 0))
        self.instances = {}

    def check(self, status):
        if status:
            sys.exit(f"conv_bench: {self.lib.opgen_last_error().decode()}")

    def run(self, inputs, output, threads):
        """A function that runs it once."""
        if threads not in self.instances:
            options, instance = Options(size=ctypes.sizeof(Options), threads=threads), ctypes.c_void_p()
            self.check(self.lib.opgen_create(self.model, ctypes.byref(options), ctypes.byref(instance)))
            self.instances[threads] = instance
        keep = []

        def tensors(arrays):
            made = (DLTensor * len(arrays))()
            for one, array in zip(made, arrays):
                shape = (ctypes.c_int64 * array.ndim)(*array.shape)
                keep.append((array, shape))
                one.data, one.device_type, one.ndim, one.code, one.bits, one.lanes, one.shape = array.ctypes.data, 1, array.ndim, 2, 32, 1, ctypes.addressof(shape)
            return made

        given, made, instance = tensors(inputs), tensors([output]), self.instances[threads]

        def once():
            self.check(self.lib.opgen_run(instance, given, len(given), made, 1, None))

        once.keep = keep
        return once


def compiled(opgen, work, k, stride, padding):
    name = f"conv_k{k}_s{stride}_p{padding}"
    dims = {d: {"max": 8192} for d in ("c", "o", "h", "v")}
    model = {"opgen": 1, "name": name, "dims": dims, "inputs": {"x": {"dtype": "f32", "shape": [1, "c", "h", "v"]}, "w": {"dtype": "f32", "shape": ["o", "c", k, k]}, "b": {"dtype": "f32", "shape": ["o"]}},
             "nodes": [{"op": "conv2d", "in": ["x", "w", "b"], "attrs": {"stride": stride, "padding": padding}, "out": "t"}, {"op": "relu", "in": ["t"], "out": "y"}], "outputs": ["y"]}
    path = os.path.join(work, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    subprocess.run([opgen, "compile", path, "-o", work, "--threads"], check=True, stdout=subprocess.DEVNULL)
    return Library(os.path.join(work, name, f"lib{name}.so"))


# ---- peers


def onnx_run(x, w, b, stride, padding, threads):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    k = w.shape[2]
    size = (x.shape[2] + 2 * padding - k) // stride + 1
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["t"], kernel_shape=[k, k], strides=[stride] * 2, pads=[padding] * 4), helper.make_node("Relu", ["t"], ["y"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, w.shape[0], size, size])],
                              [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"x": x})[0]


def torch_run(x, w, b, stride, padding, threads):
    import torch

    tensors = [torch.from_numpy(a) for a in (x, w, b)]

    def once():
        with torch.inference_mode():
            return torch.relu_(torch.nn.functional.conv2d(*tensors, stride, padding))

    torch.set_num_threads(threads)
    return once


def measure(runs, threads, rounds):
    """The best time of each, in seconds."""
    clock = time.thread_time if threads == 1 else time.perf_counter
    best = {name: float("inf") for name in runs}
    times = {}
    for name, run in runs.items():
        start = clock()
        run()
        run()
        times[name] = max(1, int(0.01 / max((clock() - start) / 2, 1e-6)))
    for _ in range(rounds):
        for name, run in runs.items():
            run()
            for _ in range(min(times[name], 10)):
                start = clock()
                run()
                best[name] = min(best[name], clock() - start)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opgen", default="build/opgen")
    parser.add_argument("--work", default="build/bench/conv")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--threads", default="2,1")
    parser.add_argument("--only", default="")
    parser.add_argument("--peers", default="onnxruntime,torch")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    peers = {}
    for name, make in (("onnxruntime", onnx_run), ("torch", torch_run)):
        try:
            __import__(name)
            if name in args.peers.split(","):
                peers[name] = make
        except ImportError:
            print(f"conv_bench: there is no {name} here; it is not measured", file=sys.stderr)
    libraries, random, right, results = {}, np.random.default_rng(1), True, []
    for threads in map(int, args.threads.split(",")):
        total = {}
        for c, size, o, k, stride, padding, count in SHAPES:
            label = f"{c}x{size}x{size} -> {o}, {k}x{k} / {stride}"
            if args.only not in label:
                continue
            key = (k, stride, padding)
            if key not in libraries:
                libraries[key] = compiled(args.opgen, args.work, *key)
            out = (size + 2 * padding - k) // stride + 1
            x, w, b = (random.standard_normal(shape, dtype=np.float32) for shape in ((1, c, size, size), (o, c, k, k), (o,)))
            y = np.full((1, o, out, out), np.nan, np.float32)
            runs = {"opgen": libraries[key].run([x, w, b], y, threads)}
            for name, make in peers.items():
                runs[name] = make(x, w, b, stride, padding, threads)
            runs["opgen"]()
            for name in peers:
                their = np.asarray(runs[name]())
                if not np.allclose(y, their, rtol=1e-4, atol=1e-4 * (c * k * k) ** 0.5):
                    print(f"conv_bench: {label}: opgen and {name} differ by {np.nanmax(np.abs(y - their))}", file=sys.stderr)
                    right = False
            best = measure(runs, threads, args.rounds)
            for name, seconds in best.items():
                total[name] = total.get(name, 0) + count * seconds
            flops = 2 * c * k * k * o * out * out
            results.append({"threads": threads, "shape": label, "count": count, **best})
            if not args.json:
                print(f"{threads} thread{'s' if threads > 1 else ' '}  {label:32} x{count}  opgen {best['opgen'] * 1e6:8.1f} us, {flops / best['opgen'] / 1e9:6.1f} GFLOP/s" +
                      "".join(f"   {name} {best[name] * 1e6:8.1f}, ratio {best[name] / best['opgen']:5.2f}" for name in peers), flush=True)
        results.append({"threads": threads, "shape": "all", **total})
        if total and not args.json:
            print(f"{threads} thread{'s' if threads > 1 else ' '}  {'all of them':35}  opgen {total['opgen'] * 1e3:8.2f} ms" + "".join(f"   {name} {total[name] * 1e3:8.2f}, ratio {total[name] / total['opgen']:5.2f}" for name in peers), flush=True)
    if args.json:
        print(json.dumps(results, indent=1))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
