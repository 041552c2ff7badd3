#!/usr/bin/python3
"""--freeze: what depends on the weights alone is computed while generating, and the library gives what it gave before.

    OPGEN=build/opgen tests/command/test_freeze.py

A model with everything of it: weights that are transposed, scaled, normed, cut and put together, that are an output, or a
view of one, a table of positions, one in f64, and params that are read both as they are and computed with. It is compiled as
it is, frozen, and frozen with its weights embedded; outputs are compared with each other and with NumPy's. Then what the
files are: the params that are left, their bytes, what check and --prune say of them, what is said where it cannot be.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
RNG = np.random.default_rng(7)
NAMES = {"float32": "F32", "float64": "F64", "int64": "I64", "int8": "I8"}

os.environ.setdefault("CFLAGS", "-O1 -DOPGEN_NO_CLONES")  # how well a compiler does is not what is tested

passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def opgen(*args, want=0):
    ended = subprocess.run([OPGEN, *args], capture_output=True, text=True, timeout=300)
    check(f"{' '.join(args)}: status {ended.returncode}", ended.returncode == want, ended.stderr)
    return ended


def write_safetensors(path, arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": NAMES[str(array.dtype)], "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    with open(path, "rb") as file:
        bytes_ = file.read()
    n = struct.unpack("<Q", bytes_[:8])[0]
    header, arrays = json.loads(bytes_[8 : 8 + n]), {}
    kinds = {stored: kind for kind, stored in NAMES.items()}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + n + at for at in entry["data_offsets"])
        kind = np.dtype(kinds[entry["dtype"]])
        check(f"{name} lies at a multiple of its elements' size", begin % kind.itemsize == 0)
        arrays[name] = np.frombuffer(bytes_[begin:end], kind).reshape(entry["shape"])
    return arrays


def node(op, given, out, **attrs):
    return {"op": op, "in": given, "out": out} | ({"attrs": attrs} if attrs else {})


WEIGHTS = {
    "w": RNG.standard_normal((24, 16)).astype("f4"),
    "scale": RNG.standard_normal(16).astype("f4"),
    "bias": RNG.standard_normal(24).astype("f4"),
    "kept": RNG.standard_normal((8, 24)).astype("f4"),
    "small": RNG.standard_normal((6, 4)).astype("f4"),
    "wide": RNG.standard_normal(24),
    "filters": RNG.standard_normal((5, 3, 3, 3)).astype("f4"),
    "mean": RNG.standard_normal(5).astype("f4"),
    "var": RNG.random(5).astype("f4") + 0.5,
}
NODES = [
    # All of w is made anew: rows times a scale, normed.
    node("mul", ["w", "scale"], "w_scaled"),
    node("layer_norm", ["w_scaled"], "w_normed", normalized_shape=[16]),
    node("linear", {"input": "x", "weight": "w_normed", "bias": "bias"}, "h"),
    # Read as it is, and computed with.
    node("linear", {"input": "h", "weight": "kept"}, "y0"),
    node("sum", ["kept"], "kept_sum", dim=0),
    node("add", ["h", "kept_sum"], "y1"),
    # An output, and a view of one that no function makes.
    node("tanh", ["small"], "y2"),
    node("reshape", ["small"], "y3", shape=[4, 6]),
    # What is the C library's is left to the library.
    node("exp", ["wide"], "wide_exp"),
    node("cast", ["wide_exp"], "single_exp", dtype="f32"),
    node("mul", ["h", "single_exp"], "y4"),
    node("conv2d", {"input": "image", "weight": "filters"}, "c"),
    node("batch_norm", {"input": "c", "running_mean": "mean", "running_var": "var"}, "y5"),
]
OUTPUTS = [f"y{i}" for i in range(6)]


def reference(x, image):
    scaled = WEIGHTS["w"] * WEIGHTS["scale"]
    normed = (scaled - scaled.mean(1, keepdims=True)) / np.sqrt(scaled.var(1, keepdims=True) + 1e-5)
    h = x @ normed.T + WEIGHTS["bias"]
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (2, 3))
    c = np.einsum("nihwab,oiab->nohw", windows, WEIGHTS["filters"])
    mean, var = (WEIGHTS[name][:, None, None] for name in ("mean", "var"))
    return [
        h @ WEIGHTS["kept"].T,
        h + WEIGHTS["kept"].sum(0),
        np.tanh(WEIGHTS["small"]),
        WEIGHTS["small"].reshape(4, 6),
        h * np.exp(WEIGHTS["wide"]),
        (c - mean) / np.sqrt(var + 1e-5),
    ]


def model_of(name, nodes, outputs, inputs, weights):
    params = {key: {"dtype": {"float32": "f32", "float64": "f64"}[str(array.dtype)], "shape": list(array.shape)} for key, array in weights.items()}
    return {"opgen": 1, "name": name, "dims": {"batch": {"min": 1, "max": 64}}, "inputs": inputs, "params": params, "weights": "own.safetensors", "nodes": nodes, "outputs": outputs}


def run(library, work):
    os.makedirs(f"{work}/out", exist_ok=True)
    args = ["run", library, "--in", f"x={work}/x.npy", "--in", f"image={work}/image.npy"]
    for name in OUTPUTS:
        args += ["--out", f"{name}={work}/out/{name}.npy"]
    opgen(*args)
    return [np.load(f"{work}/out/{name}.npy") for name in OUTPUTS]


def equal(got, wanted, tolerance):
    return got.shape == wanted.shape and bool(np.all(np.abs(got - wanted) <= tolerance * np.abs(wanted).max()))


def params_of(library):
    with open(f"{os.path.dirname(library)}/{os.path.basename(library)[3:-3]}.c") as text:
        table = text.read().split("opgen_model_params[] = {")[1].split("};")[0]
    return set(re.findall(r'\{"(\w+)"', table))


def outputs_and_files(work):
    inputs = {"x": {"dtype": "f32", "shape": ["batch", 16]}, "image": {"dtype": "f32", "shape": ["batch", 3, 8, 9]}}
    write_safetensors(f"{work}/own.safetensors", WEIGHTS)
    with open(f"{work}/m.json", "w") as out:
        json.dump(model_of("m", NODES, OUTPUTS, inputs, WEIGHTS), out)
    x, image = RNG.standard_normal((3, 16)).astype("f4"), RNG.standard_normal((3, 3, 8, 9)).astype("f4")
    np.save(f"{work}/x.npy", x)
    np.save(f"{work}/image.npy", image)
    wanted = reference(x, image)
    results = {}
    for form, options in {"plain": [], "frozen": ["--freeze"], "embedded": ["--freeze", "--embed-weights"]}.items():
        folder = f"{work}/{form}"
        opgen("compile", f"{work}/m.json", "-o", folder, *options)
        results[form] = run(f"{folder}/m/libm.so", work)
        for name, got, right in zip(OUTPUTS, results[form], wanted):
            check(f"{form}: {name} is NumPy's", equal(got, right, 2e-5), float(np.abs(got - right).max()))
    for name, plain, frozen, embedded in zip(OUTPUTS, *results.values()):
        check(f"{name}: frozen is as it was", equal(frozen, plain, 1e-5))
        check(f"{name}: embedded is the same bits", np.array_equal(frozen, embedded))
    # What only constants were made of is gone, and what is f64 stays, with what is read as it is.
    params = params_of(f"{work}/frozen/m/libm.so")
    check("the params that are left", not params & {"w", "scale", "small", "mean", "var"} and {"bias", "kept", "wide"} <= params, params)
    check("the plain one has all", params_of(f"{work}/plain/m/libm.so") == set(WEIGHTS))
    stored = read_safetensors(f"{work}/frozen/m/m.frozen.safetensors")
    check("the file has them and no others", set(stored) == params, set(stored), params)
    check("what is read as it is has its bytes", np.array_equal(stored["kept"], WEIGHTS["kept"]))
    check("a constant output has its value", any(array.shape == (6, 4) and equal(array, np.tanh(WEIGHTS["small"]), 1e-6) for array in stored.values()))
    check("embedded has no file", not os.path.exists(f"{work}/embedded/m/m.frozen.safetensors"))
    check("the model's own file is not beside it", not os.path.exists(f"{work}/frozen/m/own.safetensors"))
    return f"{work}/m.json"


def files_of_the_set(work, model):
    folder = f"{work}/frozen"
    opgen("check", model, "-o", folder, "--freeze")
    opgen("check", model, "-o", folder, want=1)
    with open(f"{folder}/m/opgen.manifest.json") as text:
        manifest = json.load(text)
    check("the manifest has the file", any(file["path"] == "m.frozen.safetensors" for file in manifest["files"]))
    check("and what was frozen", set(manifest["frozen"]["params"]) >= {"w", "scale", "small"}, manifest.get("frozen"))
    check("the weights are an input", any(file["path"] == "own.safetensors" for file in manifest["inputs"]))
    listed = opgen("outputs", model, "-o", folder, "--freeze").stdout.split()
    check("outputs lists it", f"{folder}/m/m.frozen.safetensors" in listed)
    before = os.stat(f"{folder}/m/m.frozen.safetensors").st_mtime_ns
    opgen("generate", model, "-o", folder, "--freeze")
    check("again is the same bytes", os.stat(f"{folder}/m/m.frozen.safetensors").st_mtime_ns == before)
    # Other weights are another file.
    write_safetensors(f"{work}/own.safetensors", WEIGHTS | {"small": WEIGHTS["small"] + 1})
    opgen("check", model, "-o", folder, "--freeze", want=1)
    write_safetensors(f"{work}/own.safetensors", WEIGHTS)
    opgen("generate", model, "-o", folder, "--prune")
    check("it is pruned", not os.path.exists(f"{folder}/m/m.frozen.safetensors"))


def names_that_are_gone(work, model):
    opgen("compile", model, "-o", f"{work}/frozen", "--freeze")
    with open(f"{work}/replace.c", "w") as out:
        out.write(
            '#include <stdio.h>\n#include "m.h"\nint main(void) {\n    OpgenInstance *m;\n'
            "    float data[6 * 4] = {0};\n    int64_t shape[] = {6, 4};\n"
            '    DLTensor tensor = opgen_tensor(data, OPGEN_F32, 2, shape);\n    const char *names[] = {"small"};\n'
            "    if (m_create(NULL, &m) != 0) return puts(opgen_last_error()), 1;\n"
            "    if (opgen_weights_replace(m, names, &tensor, 1) == 0) return 1;\n"
            "    puts(opgen_last_error());\n    return m_free(m);\n}\n"
        )
    folder = f"{work}/frozen/m"
    command = [os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{folder}", f"{work}/replace.c", "-o", f"{work}/replace", f"{folder}/libm.so", f"-Wl,-rpath,{folder}"]
    made = subprocess.run(command, capture_output=True, text=True)
    check("a program links it", made.returncode == 0, made.stderr)
    ran = subprocess.run([f"{work}/replace"], capture_output=True, text=True)
    check("a param that is gone says so", ran.returncode == 0 and 'param "small" is frozen' in ran.stdout, ran.stdout, ran.stderr)


def all_constant(work):
    """No weights of its own: what is computed from literals alone is all the weights that there are."""
    nodes = [node("arange", [], "p", end=70), node("cast", ["p"], "f", dtype="f32"), node("cumsum", ["f"], "sums", dim=0), node("add", ["x", "sums"], "y")]
    model = {"opgen": 1, "name": "t", "inputs": {"x": {"dtype": "f32", "shape": [70]}}, "nodes": nodes, "outputs": ["y", "sums"]}
    with open(f"{work}/t.json", "w") as out:
        json.dump(model, out)
    x = RNG.standard_normal(70).astype("f4")
    np.save(f"{work}/x.npy", x)
    for options in ([], ["--embed-weights"]):
        opgen("compile", f"{work}/t.json", "-o", f"{work}/t", "--freeze", *options)
        opgen("run", f"{work}/t/t/libt.so", "--in", f"x={work}/x.npy", "--out", f"y={work}/y.npy", "--out", f"sums={work}/sums.npy")
        sums = np.arange(70, dtype="f4").cumsum()
        check(f"a table of positions {options}", np.array_equal(np.load(f"{work}/sums.npy"), sums) and equal(np.load(f"{work}/y.npy"), x + sums, 1e-6))
        check(f"its values are params {options}", params_of(f"{work}/t/t/libt.so") == {"sums"})


def what_cannot_be(work):
    x = {"x": {"dtype": "f32", "shape": ["batch", 4]}}
    model = model_of("n", [node("add", ["x", "b"], "y")], ["y"], x, {"b": np.zeros(4, "f4")})
    with open(f"{work}/n.json", "w") as out:
        json.dump({key: value for key, value in model.items() if key != "weights"}, out)
    said = opgen("generate", f"{work}/n.json", "-o", f"{work}/n", "--freeze", want=2).stderr
    check("no file of weights", "there are no weights to freeze" in said, said)
    said = opgen("generate", f"{work}/m.json", "-o", "-", "--freeze", want=2).stderr
    check("-o -", "--embed-weights" in said, said)
    said = opgen("generate", f"{work}/m.json", "-o", f"{work}/n", "--freeze", "--profile", "embedded", want=2).stderr
    check("a profile", "--freeze is not for --profile" in said, said)
    write_safetensors(f"{work}/short.safetensors", {"b": np.zeros(3, "f4")})
    with open(f"{work}/n.json", "w") as out:
        json.dump(model | {"weights": "short.safetensors"}, out)
    said = opgen("generate", f"{work}/n.json", "-o", f"{work}/n", "--freeze", want=2).stderr
    check("weights of another shape", "cannot be frozen" in said, said)
    done = subprocess.run([OPGEN, "generate", f"{work}/m.json", "-o", f"{work}/none", "--freeze"], capture_output=True, text=True, env={"PATH": work}, check=False)
    good = done.returncode == 2 and "cc cannot be run" in done.stderr and "without --freeze a library computes them" in done.stderr
    check("no compiler", good and not os.path.exists(f"{work}/none"), done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="opgen_freeze_") as work:
        model = outputs_and_files(work)
        files_of_the_set(work, model)
        names_that_are_gone(work, model)
        all_constant(work)
        what_cannot_be(work)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()
