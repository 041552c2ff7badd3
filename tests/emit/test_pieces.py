#!/usr/bin/python3
"""Weights that are put together of several: products read them where they lie, and what cannot is made once for a set of weights.

    OPGEN=build/opgen tests/emit/test_pieces.py

First what is computed when a library is loaded: nothing of what products alone read row by row, whatever passes, candidates,
backends or profiles make of all else. Then numbers: parts of 1, 3, 17, 48 and many rows, rows of 1 to 100 elements, all floats,
inputs of 1, 3, 128 and 300 rows, for vectors of several lengths, beside NumPy's; and beside those for other weights, when one param
is replaced and when a file is loaded in place of another.
"""

import json
import os
import struct
import subprocess
import sys

import numpy as np

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests"))
import cc  # noqa: E402

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
RNG = np.random.default_rng(11)
passed = failed = 0


def check(what, good, *said):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *said, sep="\n    ")


def opgen(*args, **env):
    ended = subprocess.run([OPGEN, *args], capture_output=True, text=True, timeout=300, env=os.environ | env, check=False)
    check(f"{' '.join(args)}: status {ended.returncode}", ended.returncode == 0, ended.stderr)
    return ended


def node(op, given, out, **attrs):
    return {"op": op, "in": given, "out": out} | ({"attrs": attrs} if attrs else {})


def model_of(name, params, nodes, outputs, inputs, dtype="f32", **more):
    typed = {key: {"dtype": dtype, "shape": shape} for key, shape in params.items()}
    given = {key: {"dtype": dtype, "shape": shape} for key, shape in inputs.items()}
    return {"opgen": 1, "name": name, "dims": {"m": {"min": 1, "max": 300}}, "inputs": given, "params": typed, "nodes": nodes, "outputs": outputs} | more


# ---- what is computed when a library is loaded


def kept(work, model, *options, ending="m"):
    """Names of what is kept with the weights, and of all functions."""
    with open(f"{work}/m.json", "w") as out:
        json.dump(model, out)
    opgen("generate", f"{work}/m.json", "-o", f"{work}/gen", "--prune", *options)
    with open(f"{work}/gen/{ending}/opgen.manifest.json") as text:
        manifest = json.load(text)
    return set(manifest.get("folded", {}).get("kept", {})), " ".join(f["uri"] for f in manifest["functions"])


def cat_model(k=128, rows=(96, 64), ops=(), dim=0, outputs=("y",), first=None, reader=None):
    parts = [f"w{i}" for i in range(len(rows))]
    shape = (lambda n: [n, k]) if dim == 0 else (lambda n: [k, n])
    nodes = [*(first or []), node("cat", [parts], "w", dim=dim), reader or node("linear", ["x", "w"], "y"), *ops]
    width = k if dim == 0 else sum(rows)
    return model_of("m", {p: shape(n) for p, n in zip(parts, rows)}, nodes, list(outputs), {"x": ["m", width]})


def what_is_computed(work):
    for what, model, options, wanted in [
        ("a product reads its rows", cat_model(), [], set()),
        ("many rows of a cache line", cat_model(k=16, rows=(1, 1500)), [], set()),
        ("small ones are one piece", cat_model(rows=(64, 64)), [], {"w"}),
        ("short rows", cat_model(k=15, rows=(900, 900)), [], {"w"}),
        ("along the rows", cat_model(k=96, rows=(128, 64), dim=1), [], {"w"}),
        ("it is an output", cat_model(outputs=("y", "w")), [], {"w"}),
        ("something else reads it", cat_model(ops=[node("add", ["x", "w"], "z")], outputs=("y", "z"), k=160, rows=(1, 0))
            | {"inputs": {"x": {"dtype": "f32", "shape": [160]}}, "params": {"w0": {"dtype": "f32", "shape": [96, 160]}, "w1": {"dtype": "f32", "shape": [64, 160]}}},
            [], {"w"}),
        ("two products read it", cat_model(ops=[node("linear", ["y", "w"], "z")], outputs=("z",), rows=(64, 64), k=128)
            | {"params": {"w0": {"dtype": "f32", "shape": [64, 128]}, "w1": {"dtype": "f32", "shape": [64, 128]}}}, [], {"w"}),
        ("two products of large ones", cat_model(ops=[node("linear", ["y", "w"], "z")], outputs=("z",), rows=(100, 92), k=192), [], set()),
        ("columns of it", cat_model(reader=node("matmul", ["x", "w"], "y"), rows=(96, 64), k=160) | {"inputs": {"x": {"dtype": "f32", "shape": ["m", 160]}}}, [], {"w"}),
        ("a part is computed", cat_model(first=[node("neg", ["w0"], "v")], reader=node("linear", ["x", "w"], "y")) | {}, [], set()),
        ("more parts than a function reads", cat_model(rows=(16,) * 16), [], {"w"}),
        ("nothing is joined", cat_model(), ["--without", "fuse"], {"w"}),
        ("nothing is computed before", cat_model(), ["--without", "fold"], set()),
        ("a candidate that says nothing of pieces", cat_model(), ["--use", "gemm_openblas"], {"w"}),
        ("a device", cat_model(), ["--backend", "cuda"], {"w"}),
        ("a profile", cat_model(), ["--profile", "embedded"], {"w"}),
    ]:  # fmt: skip
        if what == "a part is computed":
            model["nodes"][1]["in"] = [["v", "w1"]]
            wanted = {"w"}
        got, functions = kept(work, model, *options)
        check(what, got == wanted, got, functions)
        check(f"{what}: what reads pieces is one function with them", ("cat_linear" in functions) == (not wanted), functions)
    # Frozen, it is a param as any other, one piece of memory in the file.
    model = cat_model() | {"weights": "own.safetensors"}
    write_weights(f"{work}/own.safetensors", {p: stored(RNG.standard_normal(of["shape"]), "f32") for p, of in model["params"].items()}, "f32")
    got, functions = kept(work, model, "--freeze")
    with open(f"{work}/gen/m/opgen.manifest.json") as text:
        frozen = json.load(text)["frozen"]["params"]
    check("frozen", not got and "cat" not in functions and set(frozen) == {"w0", "w1"}, got, functions, frozen)
    # What the pass "wide" makes one product of; biases are small.
    names, params, nodes = "qkv", {}, []
    for name in names:
        params[f"{name}_w"], params[f"{name}_b"] = [96, 128], [96]
        nodes += [node("linear", ["x", f"{name}_w", f"{name}_b"], name), node("neg", [name], f"y_{name}")]
    model = model_of("m", params, nodes, [f"y_{name}" for name in names], {"x": ["m", 128]})
    got, functions = kept(work, model)
    check("three linears are one, of weights apart", len(got) == 1 and functions.count("linear") == 1 and "cat_linear" in functions, got, functions)
    got, functions = kept(work, model, "--without", "wide")
    check("without wide there is nothing to put together", not got and "cat" not in functions, got, functions)


# ---- numbers

KINDS = {"f32": ("F32", "f4"), "f64": ("F64", "f8"), "f16": ("F16", "f2"), "bf16": ("BF16", "u2")}
CLOSE = {"f32": 1e-5, "f64": 1e-13, "f16": 1e-3, "bf16": 8e-3}


def stored(values, dtype):
    """As memory has them."""
    if dtype != "bf16":
        return values.astype(KINDS[dtype][1])
    bits = values.astype("f4").view("u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")


def read(array, dtype):
    return (array.astype("u4") << 16).view("f4").astype("f8") if dtype == "bf16" else array.astype("f8")


def write_weights(path, arrays, dtype):
    header, at = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": KINDS[dtype][0], "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in arrays.values()))


PROGRAM = r"""
#include "opgen.h"
#include <stdio.h>
#include <stdlib.h>
enum { MOST = 16 };
static void require(int status) {
    if (status) fprintf(stderr, "%s\n", opgen_last_error()), exit(1);
}
static void *file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    void *bytes = malloc(1 << 24);
    if (!f || !bytes) exit(2);
    *size = fread(bytes, 1, 1 << 24, f);
    fclose(f);
    return bytes;
}
static void run(OpgenInstance *instance, const OpgenModel *model, long m, const char *folder, const char *when) {
    DLTensor in[MOST], out[MOST];
    int64_t in_shapes[MOST][2], out_shapes[MOST][2];
    char path[4096];
    size_t size;
    if (model->input_count > MOST || model->output_count > MOST) exit(4);
    for (int i = 0; i < model->input_count; i++) {
        snprintf(path, sizeof path, "%s/%s.in", folder, model->inputs[i].name);
        in_shapes[i][0] = m, in_shapes[i][1] = model->inputs[i].axes[1].size;
        in[i] = opgen_tensor(file(path, &size), model->inputs[i].dtype, 2, in_shapes[i]);
    }
    for (int i = 0; i < model->output_count; i++) {
        out[i] = opgen_tensor(NULL, model->outputs[i].dtype, 2, out_shapes[i]);
    }
    require(opgen_infer_shapes(instance, in, model->input_count, out, model->output_count));
    for (int i = 0; i < model->output_count; i++) {
        size = (size_t)opgen_shape_bytes(model->outputs[i].dtype, 2, out_shapes[i]);
        void *memory = malloc(size + 1);
        memset(memory, 0xff, size); /* NaN */
        out[i] = opgen_tensor(memory, model->outputs[i].dtype, 2, out_shapes[i]);
    }
    require(opgen_run(instance, in, model->input_count, out, model->output_count, NULL));
    for (int i = 0; i < model->output_count; i++) {
        snprintf(path, sizeof path, "%s/%s.%s.%ld", folder, model->outputs[i].name, when, m);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(out[i].data, 1, (size_t)opgen_shape_bytes(model->outputs[i].dtype, 2, out_shapes[i]), f) == 0) exit(3);
        fclose(f);
        free(out[i].data);
    }
    for (int i = 0; i < model->input_count; i++)
        free(in[i].data);
}
int main(int argc, char **argv) { /* LIBRARY FOLDER OTHER_WEIGHTS PARAM ROWS COLUMNS M... */
    OpgenLibrary *library;
    OpgenInstance *instance;
    OpgenOptions options = opgen_options();
    options.threads = 2;
    require(opgen_open(argv[1], &library));
    const OpgenModel *model = opgen_library_model(library, 0);
    require(opgen_create(model, &options, &instance));
    for (int i = 7; i < argc; i++)
        run(instance, model, atol(argv[i]), argv[2], "first");
    int64_t shape[2] = {atol(argv[5]), atol(argv[6])};
    char path[4096];
    size_t size;
    snprintf(path, sizeof path, "%s/%s.param", argv[2], argv[4]);
    const char *names[] = {argv[4]};
    DLTensor tensor = opgen_tensor(file(path, &size), model->params[0].dtype, 2, shape);
    require(opgen_weights_replace(instance, names, &tensor, 1));
    free(tensor.data);
    for (int i = 7; i < argc; i++)
        run(instance, model, atol(argv[i]), argv[2], "replaced");
    require(opgen_weights_load(instance, argv[3]));
    for (int i = 7; i < argc; i++)
        run(instance, model, atol(argv[i]), argv[2], "other");
    require(opgen_free(instance));
    return opgen_close(library);
}
"""
MS = [1, 3, 128, 300]


def numbers(work, dtype, flags):
    size = np.dtype(KINDS[dtype][1]).itemsize
    params, inputs, nodes, outputs, reference = {}, {}, [], [], {}
    for k in (1, 5, 17, 64, 100):
        # With many rows, all together are more than what is always kept; the shortest rows are never read apart.
        many = 65536 // (k * size) if k > 5 else 100
        inputs[f"x{k}"] = ["m", k]
        parts = {f"w{k}_{n}": [n, k] for n in (1, 3, 17, 48, many)}
        if k == 17:
            parts = dict(reversed(parts.items()))
        params |= parts
        if k == 64:  # one by one in the model: the pass "wide" joins them
            for name in parts:
                params[f"b_{name}"] = [parts[name][0]]
                nodes += [node("linear", [f"x{k}", name, f"b_{name}"], f"h_{name}"), node("neg", [f"h_{name}"], f"y_{name}")]
                outputs.append(f"y_{name}")
                reference[f"y_{name}"] = lambda w, x, k=k, name=name: -(x[f"x{k}"] @ w[name].T + w[f"b_{name}"])
        else:
            nodes += [node("cat", [list(parts)], f"w{k}", dim=0), node("linear", [f"x{k}", f"w{k}"], f"y{k}")]
            outputs.append(f"y{k}")
            reference[f"y{k}"] = lambda w, x, k=k, parts=parts: x[f"x{k}"] @ np.concatenate([w[name] for name in parts]).T
    made = [{name: stored(RNG.standard_normal(shape), dtype) for name, shape in params.items()} for _ in range(2)]
    name = "w100_17"
    changed = made[0] | {name: stored(RNG.standard_normal(params[name]), dtype)}
    given = {key: stored(RNG.standard_normal((max(MS), shape[1])), dtype) for key, shape in inputs.items()}
    os.makedirs(f"{work}/{dtype}", exist_ok=True)
    write_weights(f"{work}/{dtype}/own.safetensors", made[0], dtype)
    write_weights(f"{work}/{dtype}/other.safetensors", made[1], dtype)
    changed[name].tofile(f"{work}/{dtype}/{name}.param")
    for key, array in given.items():
        array.tofile(f"{work}/{dtype}/{key}.in")
    with open(f"{work}/{dtype}/p.json", "w") as out:
        json.dump(model_of("p", params, nodes, outputs, inputs, dtype, weights="own.safetensors"), out)
    opgen("compile", f"{work}/{dtype}/p.json", "-o", f"{work}/{dtype}/gen", "--threads", CFLAGS=flags)
    with open(f"{work}/{dtype}/gen/p/opgen.manifest.json") as text:
        functions = json.load(text)["functions"]
    read_apart = {node for f in functions if f["uri"].startswith("cat_linear") for node in f["nodes"]}
    check(f"{dtype}: products read pieces", {"y17", "y100"} <= read_apart and not {"y1", "y5"} & read_apart if size > 2 else "y100" in read_apart, read_apart)
    rows, columns = params[name]
    ran = subprocess.run([f"{work}/program", f"{work}/{dtype}/gen/p/libp.so", f"{work}/{dtype}", f"{work}/{dtype}/other.safetensors", name, str(rows),
                          str(columns), *map(str, MS)], capture_output=True, text=True, check=False)  # fmt: skip
    check(f"{dtype}: it runs", ran.returncode == 0, ran.stdout, ran.stderr)
    if ran.returncode:
        return
    for when, weights in zip(("first", "replaced", "other"), (made[0], changed, made[1])):
        w = {key: read(array, dtype) for key, array in weights.items()}
        for m in MS:
            x = {key: read(array[:m], dtype) for key, array in given.items()}
            for out in outputs:
                wanted = reference[out](w, x)
                try:
                    got = read(np.fromfile(f"{work}/{dtype}/{out}.{when}.{m}", KINDS[dtype][1]), dtype).reshape(wanted.shape)
                except (OSError, ValueError) as error:
                    check(f"{dtype} {flags}: {out}, {when}, {m} rows", False, str(error))
                    continue
                worst = float(np.abs(got - wanted).max() / np.abs(wanted).max())
                check(f"{dtype} {flags}: {out}, {when}, {m} rows", worst <= CLOSE[dtype], worst)


def main():
    work = cc.work_folder()
    what_is_computed(work)
    with open(f"{work}/program.c", "w") as out:
        out.write(PROGRAM)
    runtime = os.path.join(TOP, "runtime")
    sources = sorted(f"{runtime}/{name}" for name in os.listdir(runtime) if name.endswith(".c"))
    built = cc.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-O1", f"-I{runtime}", f"{work}/program.c", *sources, "-o", f"{work}/program",
                    "-lpthread", "-ldl", "-lm"])  # fmt: skip
    check("the program is built", built.returncode == 0, built.stderr)
    numbers(work, "f32", "-O1")
    numbers(work, "f64", "-O0 -DOPGEN_VECTOR_BYTES=32")
    numbers(work, "bf16", "-O0 -DOPGEN_NO_CLONES")
    numbers(work, "f16", "-O0 -DOPGEN_VECTOR_BYTES=0")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
