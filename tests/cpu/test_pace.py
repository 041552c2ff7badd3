#!/usr/bin/python3
"""What a function takes does not depend on its operands: not where a power underflows or overflows, of f32, f16 and bf16.

    OPGEN=build/opgen tests/cpu/test_pace.py [--show]

Processors compute subnormal numbers in microcode, which takes a hundred times as long; so does what underflows in some
instructions. One such element a vector is enough. Each function is timed with operands around 0, and then with those whose
powers underflow or overflow. Left out are operands whose results are subnormal themselves: of f16 there are none.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
MOST = 4  # times what operands around 0 take
FAR = {"logsumexp": 12}  # of what has another way where operands are not around 0
ROW, SIZE = 1000, 16000  # rows end within a vector
passed = failed = 0

FUNCTIONS = ["exp", "exp2", "expm1", "sigmoid", "silu", "tanh", "gelu", "mish", "softplus", "logsigmoid", "elu", "selu", "celu", "erf",
             "sinh", "cosh", "log", "log1p", "softmax", "log_softmax", "logsumexp"]
ALONG_ROWS = ("softmax", "log_softmax", "logsumexp")
RANGES = {"small": (-30, -17), "half": (-86, 86), "large": (-100, -90), "larger": (90, 100), "larger still": (200, 1000),
          "as small": (-1000, -200), "vast": (-65000, -2000), "as vast": (2000, 65000), "infinite": (-np.inf, -np.inf)}


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def write(folder, dtype, low, high):
    """SIZE numbers between low and high; the first of each row is 0, which all others are taken beside in a softmax."""
    rng = np.random.default_rng(5)
    x = np.full(SIZE, low, np.float32) if low == high else rng.uniform(low, high, SIZE).astype(np.float32)
    x[::ROW] = 0
    if dtype == "bf16":
        x = (x.view(np.uint32) >> 16).astype(np.uint16).view("V2")
    path = os.path.join(folder, f"{dtype}_{low}_{high}.npy")
    np.save(path, (x.astype(np.float16) if dtype == "f16" else x).reshape(SIZE // ROW, ROW))
    return path


def times(path, folder, data):
    ended = subprocess.run([OPGEN, "run", path, "-o", os.path.join(folder, "gen"), "--without=beside", "--cc=gcc -march=native", f"--in=x={data}", "--profile",
                            "--repeat=25", "--json"], capture_output=True, text=True, timeout=300)
    check(f"opgen run: status {ended.returncode}", ended.returncode == 0, ended.stderr)
    calls = json.loads(ended.stdout)["profile"]["calls"]
    return {call["nodes"]: call["least"] for call in calls}


def most_of(key):
    return FAR.get(key.removeprefix("y_"), MOST)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for dtype in ("f32", "f16", "bf16"):
            nodes = [{"op": op, "in": ["x"], "out": f"y_{op}", "attrs": {"dim": -1} if op in ALONG_ROWS else {}} for op in FUNCTIONS]
            model = {"opgen": 1, "name": f"pace_{dtype}", "inputs": {"x": {"dtype": dtype, "shape": [SIZE // ROW, ROW]}},
                     "nodes": nodes, "outputs": [one["out"] for one in nodes]}
            path = os.path.join(folder, f"pace_{dtype}.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(model, file)
            usual = times(path, folder, write(folder, dtype, -1, 1))
            check(f"{dtype}: a time of each function", len(usual) == len(FUNCTIONS), str(usual))
            rows = {}
            for name, (low, high) in RANGES.items():
                if dtype != "f16" and name in ("large", "larger"):
                    continue
                data = write(folder, dtype, low, high)
                rows[name] = times(path, folder, data)
                for _ in range(2):
                    if any(rows[name][key] > most_of(key) * usual[key] for key in usual):  # others may have been at work meanwhile
                        rows[name] = {key: min(rows[name][key], again) for key, again in times(path, folder, data).items()}
            for key, base in usual.items():
                if "--show" in sys.argv:
                    print(f"{dtype:4} {key:14} {base * 1e9 / SIZE * 16:6.2f} ns a vector of 16;",
                          " ".join(f"{name} {row[key] / base:.1f}" for name, row in rows.items()))
                for name, row in rows.items():
                    check(f"{key[2:]} {dtype}, operands {name}: {row[key] / base:.1f} times what others take, allowed {most_of(key)}", row[key] <= most_of(key) * base)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


main()
