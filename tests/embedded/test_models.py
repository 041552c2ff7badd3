#!/usr/bin/python3
"""test_models.py: whole models as C for machines without an operating system, called through ctypes: values in every form that
there is (one file or many, weights embedded or handed in, constants computed while generating, at start, or in each run), what
functions return, which symbols a model needs, and that what is generated is the same bytes whatever compiler computes constants.
"""

import concurrent.futures
import ctypes
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import cc

OPGEN, CC = os.path.abspath(os.environ["OPGEN"]), os.environ.get("CC", "gcc").split()
FLAGS = "-std=c11 -ffreestanding -Wall -Wextra -Wconversion -Wshadow -Werror".split()
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples")
# What a compiler may call in any environment, and what <math.h> declares.
ALLOWED = {"memcpy", "memmove", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_"}
passed = failed = skipped = 0


def check(what, got, wanted=True):
    global passed, failed
    if got == wanted:
        passed += 1
        return True
    failed += 1
    print(f"FAILED: {what}\n    got:    {str(got)[:1500]}\n    wanted: {str(wanted)[:1500]}")
    return False


def command(arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", check=False, **more)


def near(what, got, wanted, tolerance=2e-4):
    """Elements, within a part of the largest; what is exact is compared bit by bit."""
    wanted = np.asarray(wanted)
    if got.dtype.kind != "f":
        return check(what, got.tolist(), wanted.tolist())
    wrong = ~(np.abs(got.astype("f8") - wanted) <= tolerance * max(1e-30, np.max(np.abs(wanted), initial=0)))
    return check(f"{what}: {got[wrong][:3]}, wanted {wanted[wrong][:3]}", int(np.count_nonzero(wrong)), 0)


# ---- safetensors

NAMES = {"BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U32": "<u4", "F16": "<f2", "F32": "<f4", "F64": "<f8", "U64": "<u8"}


def write_tensors(path, tensors):
    header, at = {}, 0
    for name, array in tensors.items():
        kind = next(key for key, value in NAMES.items() if np.dtype(value) == array.dtype)
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in tensors.values()))


def read_tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    end = 8 + int.from_bytes(data[:8], "little")
    return {name: np.frombuffer(data, NAMES[one["dtype"]], int(np.prod(one["shape"])), end + one["data_offsets"][0]).reshape(one["shape"]).copy()
            for name, one in json.loads(data[8:end]).items() if name != "__metadata__"}


# ---- a generated model


class Library:
    """A model's sources, generated and compiled so, and loaded."""

    def __init__(self, model, folder, options, define=(), level="-O1"):
        self.options, self.define, self.lib = options, define, None
        with open(model, encoding="utf-8") as file:
            self.model = json.load(file)
        self.name = self.model["name"]
        done = command([OPGEN, "generate", model, "-o", folder, "--profile=embedded", *options])
        self.source = f"{folder}/{self.name}"
        if not check(f"generate {self.name} {options}", (done.returncode, done.stderr), (0, "")):
            return
        with open(f"{self.source}/opgen.manifest.json", encoding="utf-8") as file:
            self.manifest = json.load(file)
        with open(f"{self.source}/{self.name}.h", encoding="utf-8") as file:
            self.header = file.read()
        sources = sorted(name for name in os.listdir(self.source) if name.endswith(".c"))
        done = cc.run([*CC, *FLAGS, level, *define, "-fPIC", "-shared", "-o", f"{os.path.abspath(folder)}/model.so", *sources, "-lm"], self.source)
        if check(f"compile {self.name} {options}", (done.returncode, done.stderr[:1500]), (0, "")):
            self.lib = ctypes.CDLL(f"{folder}/model.so")
            self.symbols(f"{folder}/model.so")

    def symbols(self, path):
        """Nothing of a C library but mathematics; exported is what the header declares."""
        found = command(["nm", "-D", path]).stdout.splitlines()
        math = ctypes.CDLL("libm.so.6")
        wanted = {line.split()[1].split("@")[0] for line in found if line.split()[0] == "U"}
        strange = sorted(name for name in wanted - ALLOWED if not hasattr(math, name))
        check(f"{self.name} {self.options}: nothing else is needed", strange, [])
        exported = {line.split()[2] for line in found if len(line.split()) == 3 and line.split()[1] in "TDRB"}
        if "--single-file" in self.options:
            declared = set(re.findall(r"^int (\w+)\(", self.header, re.M))
            declared -= {"mlp_run"} if "-DMLP_NO_MEMORY" in self.define else set()
            check(f"{self.name} {self.options}: exported", exported, declared)

    def number(self, name):
        return int(re.search(rf"^#define {name} (\d+)", self.header, re.M).group(1))

    def params(self, tensors, folded=None):
        """The struct of pointers that a model without embedded weights wants."""
        names = list(self.model["params"])
        keys = [self.model["params"][name].get("key", name) for name in names]
        self.kept = [np.ascontiguousarray(tensors[key]) for key in keys]
        made = (ctypes.c_void_p * (len(names) + 1))(*[array.ctypes.data for array in self.kept], 0 if folded is None else folded)
        return ctypes.addressof(made), made

    def run(self, tensors, dims, inputs, outputs):
        """The status; outputs are written. Weights that are not embedded are handed in, and folded first."""
        first = []
        if "params" in self.model and "--embed-weights" not in self.options:
            pointer, keep = self.params(tensors)
            if f"int {self.name}_fold(" in self.header:
                folded = aligned(self.number(f"{self.name}_folded_bytes"))
                memory = aligned(self.number(f"{self.name}_fold_bytes"))
                status = getattr(self.lib, f"{self.name}_fold")(ctypes.c_void_p(pointer), at(folded), at(memory))
                if status:
                    return status
                pointer, keep = self.params(tensors, folded.ctypes.data)
            first = [ctypes.c_void_p(pointer)]
        return getattr(self.lib, f"{self.name}_run")(*first, *map(ctypes.c_int64, dims), *map(at, [*inputs, *outputs]))


def at(array):
    return ctypes.c_void_p(array.ctypes.data)


def aligned(size, shape=None, dtype="u1", fill=0xA5):
    """Bytes at a multiple of 64, poisoned."""
    room = np.full(size + 64, fill, "u1")
    begin = -room.ctypes.data % 64
    part = room[begin : begin + size]
    return part if shape is None else part.view(dtype).reshape(shape)


def empty(shape, dtype="f4"):
    return aligned(int(np.prod(shape)) * np.dtype(dtype).itemsize, shape, dtype)


# ---- the examples

FORMS = {"many": [], "single": ["--single-file"], "embedded": ["--embed-weights"], "all": ["--single-file", "--embed-weights"],
         "unfolded": ["--single-file", "--embed-weights", "--without", "fold"]}


def example(name, form, folder):
    base = f"{EXAMPLES}/{name}"
    library = Library(f"{base}/model.json", f"{folder}/{name}.{form}", FORMS[form])
    if library.lib is None:
        return
    x, expected = np.load(f"{base}/x.npy"), np.load(f"{base}/expected.npy")
    tensors = read_tensors(f"{base}/{name}.safetensors")
    dims = {"mlp": lambda: (len(x), 128), "encoder": lambda: x.shape[:2]}[name]()
    shapes = {"mlp": [(len(x), 10), (len(x), 10)], "encoder": [x.shape]}[name]
    for turn in range(2):  # what is left in memory by one run is no matter to the next
        outputs = [empty(shape) for shape in shapes]
        before = x.copy()
        check(f"{name} {form} runs", library.run(tensors, dims, [x], outputs), 0)
        near(f"{name} {form}", outputs[0], expected)
        check(f"{name} {form}: the input stays", bool(np.array_equal(before, x)))
    if name == "encoder" and "--embed-weights" in FORMS[form]:
        kept = library.manifest["folded"]["kept"]
        with open(f"{library.source}/{name}.c", encoding="utf-8") as file:
            text = file.read()
        check(f"{name} {form}: weights of three linears became one", sorted(kept.values()), [] if form == "unfolded" else [768, 49152])
        check(f"{name} {form}: and by themselves are not there", "encoder_weights_wq[" in text, form == "unfolded")
        check(f"{name} {form}: flash", library.manifest["profile"]["constants"], sum(array.nbytes for array in tensors.values()))
        check(f"{name} {form}: nothing is computed at start", "_fold(" in library.header, False)


# ---- models of templates/models: everything that they need is in one file


def rendered(name, folder, options, level="-O0"):
    os.makedirs(folder)
    shutil.copy(f"{EXAMPLES}/{name}/model.safetensors", folder)
    done = command([OPGEN, "render", f"models/{name}.json.j2", f"{EXAMPLES}/{name}/config.json", "-o", f"{folder}/{name}.json"])
    check(f"render {name}", (done.returncode, done.stderr), (0, ""))
    return Library(f"{folder}/{name}.json", f"{folder}/gen", options, level=level)


def array(name, file):
    return np.ascontiguousarray(np.load(f"{EXAMPLES}/{name}/{file}.npy"))


def whole(name, inputs, outputs, dims, folder):
    library = rendered(name, f"{folder}/{name}", FORMS["all"])
    if library.lib is None:
        return
    given, wanted = [array(name, one) for one in inputs], [array(name, one) for one in outputs]
    got = [empty(one.shape) for one in wanted]
    check(f"{name} runs", library.run({}, dims(given[0].shape), given, got), 0)
    for one, made, want in zip(outputs, got, wanted):
        near(f"{name} {one}", made, want)
    if name == "bert":
        given[0][0, 0] = 10**6
        check("what is no token is said", library.run({}, dims(given[0].shape), given, got), 5)


def llama(folder, form):
    """Prompts of different lengths, then a token after the other; the caches are inputs that runs write into."""
    library = rendered("llama", f"{folder}/llama.{form}", FORMS[form])
    if library.lib is None:
        return
    tensors = read_tensors(f"{EXAMPLES}/llama/model.safetensors")
    prompts, expected, wanted = array("llama", "prompts"), array("llama", "expected_tokens"), array("llama", "expected_logits")
    batch, capacity, steps = len(prompts), 96, wanted.shape[1]
    tokens, now = np.maximum(prompts, 0), (prompts >= 0).sum(1)
    lengths, last = np.zeros(batch, "i8"), now - 1
    caches = {key: empty([{"batch": batch, "capacity": capacity}.get(size, size) for size in one["shape"]]) for key, one in library.model["inputs"].items() if one.get("mutable")}
    far, logits = 0.0, empty((batch, wanted.shape[2]))
    for step in range(steps):
        values = {"tokens": np.ascontiguousarray(tokens), "lengths": lengths, "last": last, **caches}
        sizes = {"batch": batch, "length": tokens.shape[1], "capacity": capacity}
        inputs = [values[key] for key in library.model["inputs"]]
        if library.run(tensors, [sizes[key] for key in library.model["dims"]], inputs, [logits]) != 0:
            break
        far = max(far, float(np.max(np.abs(logits - wanted[:, step]))))
        best = logits.argmax(1)
        if best.tolist() != expected[:, step].tolist():
            break
        lengths, tokens, now, last = lengths + now, best[:, None].astype("i8"), np.ones(batch, "i8"), np.zeros(batch, "i8")
    check(f"llama {form}: tokens, and how far logits are off", [step, far < 1e-3], [steps - 1, True])


# ---- a model of constants

CONSTANTS = {
    "opgen": 1, "name": "tables", "weights": "tables.safetensors", "dims": {"n": {"min": 0, "max": 9}},
    "inputs": {"x": {"dtype": "f32", "shape": ["n", 6]}},
    "params": {"w": {"dtype": "f32", "shape": [6, 4]}, "scale": {"dtype": "f16", "shape": [4]}, "count": {"dtype": "i64", "shape": [3]},
               "small": {"dtype": "i8", "shape": [4]}, "on": {"dtype": "bool", "shape": [4]}, "wide": {"dtype": "f64", "shape": [4]},
               "seldom": {"dtype": "f32", "shape": [7]}},
    "nodes": [
        {"op": "cast", "in": "scale", "out": "scale32", "attrs": {"dtype": "f32"}}, {"op": "mul", "in": ["w", "scale32"], "out": "scaled"},
        {"op": "transpose", "in": "scaled", "out": "turned", "attrs": {"dim0": 0, "dim1": 1}}, {"op": "linear", "in": ["x", "turned"], "out": "y"},
        {"op": "softmax", "in": "scaled", "out": "soft", "attrs": {"dim": 0}}, {"op": "mm", "in": ["x", "soft"], "out": "z"},
        {"op": "mul", "in": ["count", "count"], "out": "squares"}, {"op": "sub", "in": ["squares", 1], "out": "less"},
        {"op": "exp", "in": "wide", "out": "powers"}, {"op": "neg", "in": "powers", "out": "minus"},
        {"op": "neg", "in": "small", "out": "other"}, {"op": "logical_not", "in": "on", "out": "off"},
        {"op": "abs", "in": "seldom", "out": "special"}],
    "outputs": ["y", "z", "less", "minus", "other", "off", "special"]}


def constants(folder):
    random = np.random.default_rng(3)
    tensors = {"w": random.standard_normal((6, 4)).astype("f4"), "scale": np.array([1.5, -2, 6e-8, 65504], "f2"),
               "count": np.array([-(2**63), 3037000499, -7], "i8"), "small": np.array([-128, 127, 0, -1], "i1"),
               "on": np.array([True, False, True, True]), "wide": np.array([1e-310, -1, 700, 0.1], "f8"),
               "seldom": np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, -1e-40, 3.4028235e38], "f4")}
    os.makedirs(folder)
    write_tensors(f"{folder}/tables.safetensors", tensors)
    with open(f"{folder}/tables.json", "w", encoding="utf-8") as file:
        json.dump(CONSTANTS, file)
    scaled = tensors["w"].astype("f8") * tensors["scale"].astype("f8")
    soft = np.exp(scaled - scaled.max(0)) / np.exp(scaled - scaled.max(0)).sum(0)
    for form, options in FORMS.items():
        library = Library(f"{folder}/tables.json", f"{folder}/{form}", options)
        if library.lib is None:
            continue
        for n in (0, 5, 9):
            x = random.standard_normal((n, 6)).astype("f4")
            outputs = [empty((n, 4)), empty((n, 4)), empty(3, "i8"), empty(4, "f8"), empty(4, "i1"), empty(4, "u1"), empty(7)]
            check(f"tables {form} {n}", library.run(tensors, [n], [x if n else empty((1, 6))], outputs), 0)
            near(f"y {form}", outputs[0], x @ scaled, 2e-5)
            near(f"z {form}", outputs[1], x @ soft, 2e-5)
            with np.errstate(over="ignore"):
                near(f"less {form}", outputs[2], tensors["count"] * tensors["count"] - 1)
            near(f"minus {form}", outputs[3], -np.exp(tensors["wide"]), 1e-15)
            near(f"other {form}", outputs[4], -tensors["small"])
            near(f"off {form}", outputs[5], (~tensors["on"]).astype("u1"))
            special = np.abs(tensors["seldom"])
            check(f"special {form}", [outputs[6].view("u4")[1:].tolist(), bool(np.isnan(outputs[6][0]))], [special.view("u4")[1:].tolist(), True])
        kept = library.manifest["folded"]
        check(f"tables {form}: what is computed at start", kept["calls"] > 0, form in ("many", "single"))
        if "--embed-weights" in options and form != "unfolded":
            # Doubles are left to runs: their functions are the C library's.
            check(f"tables {form}: kept", sorted(kept["kept"]), sorted(name for name in kept["kept"] if name not in ("powers", "minus")))
            check(f"tables {form}: something is kept", {"less", "other", "off", "special"} <= set(kept["kept"]))
            check(f"tables {form}: what of it is in flash", "tables_weights_w[" in open(f"{library.source}/tables.c", encoding="utf-8").read(), False)


def same_everywhere(folder):
    """Constants are the same whatever compiler computes them; without one they can be left to runs."""
    compilers = [path for path in (shutil.which("gcc"), shutil.which("clang")) if path]
    texts = []
    for number, path in enumerate([*compilers, *compilers[:1]]):
        os.makedirs(f"{folder}/bin{number}")
        os.symlink(path, f"{folder}/bin{number}/cc")
        env = {**os.environ, "PATH": f"{folder}/bin{number}:{os.environ['PATH']}"}
        made = []
        for model in (f"{EXAMPLES}/encoder/model.json", f"{folder}/../constants/tables.json"):
            done = command([OPGEN, "generate", model, "-o", "-", "--profile=embedded", "--embed-weights", "--single-file"], env=env)
            check(f"constants by {path}", (done.returncode, done.stderr), (0, ""))
            made.append(done.stdout)
        texts.append(made)
    for other in texts[1:]:
        check("the same bytes by each compiler", other == texts[0])
    os.makedirs(f"{folder}/none")
    env = {**os.environ, "PATH": f"{folder}/none"}
    arguments = [OPGEN, "generate", f"{EXAMPLES}/encoder/model.json", "-o", f"{folder}/out", "--profile=embedded"]
    done = command([*arguments, "--embed-weights"], env=env)
    check("no compiler: refused", done.returncode, 2)
    check("no compiler: why, and what to do", ["constants cannot be computed: cc cannot be run" in done.stderr, "--without fold" in done.stderr], [True, True])
    check("no compiler: nothing is written", os.path.exists(f"{folder}/out"), False)
    for more in (["--embed-weights", "--without", "fold"], []):
        check(f"no compiler, {more}", command([*arguments, *more], env=env).returncode, 0)
    done = command([OPGEN, "outputs", f"{EXAMPLES}/encoder/model.json", "-o", f"{folder}/out", "--profile=embedded", "--embed-weights", "--single-file"], env=env)
    check("outputs computes nothing", [done.returncode, done.stdout.count("\n")], [0, 4])
    left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("opgen-constant-")]
    check("nothing is left of it", left, [])


# ---- what functions return


def statuses(folder):
    library = Library(f"{EXAMPLES}/mlp/model.json", f"{folder}/status", ["--embed-weights"], ["-DMLP_MEMORY_BYTES=8192"])
    if library.lib is None:
        return
    run, run_in, shapes = library.lib.mlp_run, library.lib.mlp_run_in, library.lib.mlp_shapes
    word = ctypes.c_int64
    x = np.load(f"{EXAMPLES}/mlp/x.npy")
    n = len(x)
    y, logits, large = empty((n, 10)), empty((n, 10)), (empty((256, 10)), empty((256, 10)))
    check("a run", run(word(n), word(128), at(x), at(y), at(logits)), 0)
    for what, dims in {"too small": (0, 128), "too large": (257, 128), "negative": (-1, 128), "far too large": (2**40 + 8, 128), "another": (8, 127)}.items():
        got = [empty((8, 10)), empty((8, 10))]
        check(f"a dim is {what}", run(*map(word, dims), at(x), *map(at, got)), 1)
        check(f"a dim is {what}: nothing is written", all((one.view("u1") == 0xA5).all() for one in got))
    none, odd = ctypes.c_void_p(), ctypes.c_void_p(x.ctypes.data + 1)
    for what, pointers in {"NULL in": (none, at(y), at(logits)), "NULL out": (at(x), none, at(logits)), "odd": (odd, at(y), at(logits))}.items():
        check(f"a pointer is {what}", run(word(n), word(128), *pointers), 3)
    check("too little memory", run(word(256), word(128), at(empty((256, 64))), *map(at, large)), 4)
    memory = aligned(512 * n + 64)
    size = ctypes.c_size_t
    near("y", y, np.load(f"{EXAMPLES}/mlp/expected.npy"))
    again = empty((n, 10))
    check("memory of one's own", run_in(at(memory), size(memory.nbytes), word(n), word(128), at(x), at(again), at(logits)), 0)
    check("and the same", again.tobytes() == y.tobytes())
    check("a byte less", run_in(at(memory), size(memory.nbytes - 1), word(n), word(128), at(x), at(again), at(logits)), 4)
    check("none", run_in(at(memory), size(0), word(n), word(128), at(x), at(again), at(logits)), 4)
    check("NULL", run_in(none, size(memory.nbytes), word(n), word(128), at(x), at(again), at(logits)), 3)
    check("at an odd place", run_in(ctypes.c_void_p(memory.ctypes.data + 8), size(memory.nbytes - 8), word(n), word(128), at(x), at(again), at(logits)), 3)
    shape = [(word * 2)(), (word * 2)()]
    check("shapes", [shapes(word(7), word(128), *shape), *map(list, shape)], [0, [7, 10], [7, 10]])
    check("shapes of what cannot be", shapes(word(0), word(128), *shape), 1)
    check("the header says what memory there is", [library.number("MLP_MEMORY_BYTES"), library.manifest["profile"]["memory"]], [131136, 131136])
    own = Library(f"{EXAMPLES}/mlp/model.json", f"{folder}/own", ["--single-file"], ["-DMLP_NO_MEMORY", "-DMLP_ALIGN=64"])
    check("without memory there is no run", [hasattr(own.lib, "mlp_run"), hasattr(own.lib, "mlp_run_in")], [False, True])
    cxx = shutil.which("g++")
    if cxx:
        with open(f"{folder}/use.cc", "w", encoding="utf-8") as file:
            file.write('#include "mlp.h"\nint use(const float *x, float *y, float *z) { return mlp_run(mlp_max_batch, mlp_min_inner, x, y, z); }\n'
                       "static_assert(mlp_elements_x == 256 * 64 && mlp_ok == 0, \"\");\n")
        done = command([cxx, "-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only", f"-I{library.source}", f"{folder}/use.cc"])
        check("the header is C++ as well", (done.returncode, done.stderr), (0, ""))


def main():
    folder = cc.work_folder()
    jobs = [(example, name, form, folder) for name, form in itertools.product(("mlp", "encoder"), FORMS)]
    jobs = [job for job in jobs if job[1:3] not in (("mlp", "unfolded"), ("mlp", "embedded"), ("encoder", "many"))]
    jobs += [(constants, f"{folder}/constants"), (statuses, folder), (llama, folder, "all"), (llama, folder, "many")]
    jobs += [(whole, "bert", ["input_ids", "attention_mask", "token_type_ids"], ["last_hidden_state", "pooler_output"], lambda shape: shape, folder),
             (whole, "resnet", ["x"], ["logits"], lambda shape: shape[:1], folder), (whole, "vit", ["pixel_values"], ["logits"], lambda shape: shape[:1], folder)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for job in [pool.submit(*job) for job in jobs]:
            job.result()
    same_everywhere(f"{folder}/same")
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
