#!/usr/bin/python3
"""Rows that consist of pieces, as those of cat, pad, roll and repeat: each piece a loop of its own, whatever lengths they have.

    OPGEN=build/opgen tests/ops/test_rows_of_pieces.py

Beside NumPy, bit by bit: rows shorter and longer than those for which conditions are taken out of the loop, of one dim and of several,
plain and with functions of what is moved; in the cache by gcc, past it by clang where it is there.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def node(op, given, out, **attrs):
    return {"op": op, "in": given, "out": out, "attrs": attrs}


def works(rng):
    """Name: inputs, nodes that make "out", what that is."""
    made = {}
    for dtype in ("int32", "float16"):
        draw = lambda *shape: rng.integers(-100, 100, shape).astype(dtype)
        for sizes in ([100, 3, 57], [30, 2], [1, 1, 300, 1], [0, 65, 64]):
            parts = [draw(3, 5, size) for size in sizes]
            names = [f"p{i}" for i in range(len(parts))]
            key = f"{dtype}_{'_'.join(map(str, sizes))}"
            made[f"cat_{key}"] = dict(zip(names, parts)), [node("cat", [names], "out", dim=-1)], np.concatenate(parts, -1)
            flat = [p.reshape(-1) for p in parts]
            made[f"flat_{key}"] = dict(zip(names, flat)), [node("cat", [names], "out", dim=0)], np.concatenate(flat)
        for width, pad in ((200, [3, 5]), (10, [1, 60]), (300, [-7, 100]), (128, [0, 1, 2, 3])):
            x = draw(7, width)
            both = [(0, 0), tuple(pad)] if len(pad) == 2 else [tuple(pad[2:]), tuple(pad[:2])]
            cut = x[:, max(0, -both[1][0]):]
            both[1] = (max(0, both[1][0]), both[1][1])
            made[f"pad_{dtype}_{width}_{pad[0]}_{pad[1]}".replace("-", "m")] = ({"x": x}, [node("pad", ["x"], "out", pad=pad, value=9)],
                                                                               np.pad(cut, both, constant_values=9))
        for width, shift in ((200, 7), (65, -64), (33, 100), (1, 5)):
            x = draw(4, 3, width)
            made[f"roll_{dtype}_{width}"] = {"x": x}, [node("roll", ["x"], "out", shifts=[shift, 1], dims=[2, 0])], np.roll(x, (shift, 1), (2, 0))
            made[f"turn_{dtype}_{width}"] = {"x": x.reshape(-1)}, [node("roll", ["x"], "out", shifts=shift)], np.roll(x.reshape(-1), shift)
            made[f"repeat_{dtype}_{width}"] = {"x": x}, [node("repeat", ["x"], "out", repeats=[2, 1, 3])], np.tile(x, (2, 1, 3))
    x, y = rng.standard_normal((9, 100)).astype(np.float16), rng.standard_normal((9, 61)).astype(np.float16)
    both = np.concatenate([-x, y], 1)
    made["half"] = ({"x": x, "y": y}, [node("neg", ["x"], "n"), node("cat", [["n", "y"]], "c", dim=1), node("relu", ["c"], "r"), node("add", ["r", "c"], "out")],
                    (np.maximum(both, 0).astype(np.float32) + both.astype(np.float32)).astype(np.float16))
    turned = np.concatenate([-x[:, 50:], x[:, :50]], 1)
    made["rotary"] = ({"x": x}, [node("chunk", ["x"], ["a", "b"], chunks=2, dim=1), node("neg", ["b"], "n"), node("cat", [["n", "a"]], "c", dim=1),
                                 node("mul", ["c", 2], "out")], (turned.astype(np.float32) * 2).astype(np.float16))
    return made


NAMES = {"int32": "i32", "float16": "f16"}


def run(folder, made, compiler):
    model = {"opgen": 1, "name": "pieces", "inputs": {}, "nodes": [], "outputs": []}
    arrays = {}
    for name, (inputs, nodes, _) in made.items():
        names = {key: f"{name}_{key}" for key in [*inputs, "out", *(out for one in nodes for out in ([one["out"]] if isinstance(one["out"], str) else one["out"]))]}

        def renamed(value):
            return [renamed(one) for one in value] if isinstance(value, list) else names.get(value, value) if isinstance(value, str) else value

        for key, array in inputs.items():
            model["inputs"][names[key]] = {"dtype": NAMES[str(array.dtype)], "shape": list(array.shape)}
            arrays[names[key]] = array
        model["nodes"] += [{**one, "in": renamed(one["in"]), "out": renamed(one["out"])} for one in nodes]
        model["outputs"].append(names["out"])
    path = os.path.join(folder, "pieces.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    np.savez(os.path.join(folder, "in.npz"), **arrays)
    where = os.path.join(folder, "".join(c if c.isalnum() else "_" for c in compiler))
    # Apart: of several in one function the last would have no loop of its own.
    ended = subprocess.run([OPGEN, "run", path, "-o", where, "--without=beside", f"--cc={compiler}", f"--in={folder}/in.npz", f"--out={folder}/out.npz"],
                           capture_output=True, text=True, timeout=300)
    check(f"{compiler}: status {ended.returncode}", ended.returncode == 0, ended.stderr[:2000])
    if ended.returncode:
        return
    with np.load(os.path.join(folder, "out.npz")) as got:
        for name, (_, _, want) in made.items():
            array = got[f"{name}_out"]
            same = array.shape == want.shape and array.dtype == want.dtype and array.tobytes() == want.tobytes()
            check(f"{name} by {compiler}", same, f"wanted {want.dtype} {want.shape}, got {array.dtype} {array.shape}",
                  f"{np.count_nonzero(array != want) if array.shape == want.shape else 'all'} differ")


made = works(np.random.default_rng(3))
with tempfile.TemporaryDirectory() as work:
    run(work, made, "gcc -march=native")
    run(work, made, f"{'clang' if shutil.which('clang') else 'gcc'} -march=native -DOPGEN_STREAM_BYTES=1024")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
