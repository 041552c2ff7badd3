"""models.py: what tests of kernels do with a model: compiled by opgen with a compiler and flags for its kernels, and run on arrays, as a user would."""

import glob
import json
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cc

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))


def to_bf16(x):
    """The bits of the nearest bf16, halves to even."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), 0x7FC0, rounded).astype(np.uint16)


def results(folder, model, inputs, flags, check, compiler="gcc"):
    """The outputs by name, or nothing where it failed, which `check` has been told. What has more than a kilobyte is far."""
    with open(os.path.join(folder, "model.json"), "w", encoding="utf-8") as out:
        json.dump(model, out)
    np.savez(os.path.join(folder, "in.npz"), **inputs)
    kernels = cc.of_kernels(f"{compiler} -DOPGEN_STREAM_BYTES=1024 {flags}")
    done = subprocess.run([OPGEN, "compile", "model.json", "-o", "made", "--cc", kernels], cwd=folder, capture_output=True, text=True, check=False)
    check(f"compile {flags}", done.returncode == 0, done.stderr[-2000:])
    if done.returncode != 0:
        return None
    done = subprocess.run([OPGEN, "run", done.stdout.strip(), "--in=in.npz", "--out=out.npz"], cwd=folder, capture_output=True, text=True, check=False)
    check(f"run {flags}", done.returncode == 0, done.stderr[-2000:])
    if done.returncode != 0:
        return None
    with np.load(os.path.join(folder, "out.npz")) as file:
        return dict(file)


def each_has(folder, name, word, check):
    """Tells `check` of each kernel of the model compiled last whether it has this: without it a test would prove nothing of what makes it."""
    paths = glob.glob(os.path.join(folder, "made", name, "k_*.c"))
    check(f"{name} has kernels", paths)
    for path in paths:
        with open(path, encoding="utf-8") as file:
            check(f"{os.path.basename(path)} has {word}", word in file.read())
