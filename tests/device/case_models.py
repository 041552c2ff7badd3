#!/usr/bin/python3
"""case_models.py: the cases of tests/ops as models for a backend, generated; for check_ops.py, which runs them, and compile_ops.py, which compiles
them. Which compiler a backend has is in its backend.json."""

import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OPS = f"{ROOT}/tests/ops"
sys.path[:0] = [OPS, f"{ROOT}/tests"]

from opinfo import read_ops
from plan import model_text, runs_of
from values import read_tensors

CORE = ("f32", "i32", "bool")
WORKERS = len(os.sched_getaffinity(0))


def command(arguments, folder=None):
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", check=False, cwd=folder)


# ---- which cases


def thin(run, seen):
    """The first run of each operator with each dtype of CORE, f16 and bf16."""
    op, dtypes = run.case["op"], run.dtypes()
    key = op, str(run.types)
    return (dtypes <= set(CORE) or bool(dtypes & {"f16", "bf16"})) and key not in seen and not seen.add(key)


# Something of each template and each way to go over elements.
SAMPLE = "sum amax argmax var any mean softmax log_softmax layer_norm rms_norm add_rms_norm cumsum cumprod gelu add lt cast transpose permute pad cat matmul addmm scaled_dot_product_attention conv2d max_pool2d avg_pool2d adaptive_avg_pool2d embedding gather scatter_add kv_cache_append sort topk searchsorted".split()


def sampled(run, seen):
    """Of these operators the largest case of one dtype, which takes turns, and one with named dims."""
    op = run.case["op"]
    dtype = ("f32", "bf16", "f16")[SAMPLE.index(op) % 3] if op in SAMPLE else None
    if dtype is None or dtype not in run.dtypes() and not run.symbolic or run.largest() > 20000:
        return False
    key = op, run.symbolic
    return key not in seen and not seen.add(key)


def kinds(run, seen):
    """Of each kernel template, of maps, reductions and composites, those that bring a dtype, with named dims and without."""
    new = {(run.op.template, run.symbolic, dtype) for dtype in run.dtypes()} - seen
    seen.update(new)
    return bool(new)


PARTS = {
    "kinds": kinds,
    "sample": sampled,
    "dims": lambda run, seen: run.symbolic,
    "large": lambda run, seen: run.largest() >= 16384 and not run.case.get("brief"),
    "thin": thin,
    "halves": lambda run, seen: bool(run.dtypes() & {"f16", "bf16"}),
    "floats": lambda run, seen: bool(run.dtypes() & {"f64"}),
    "ints": lambda run, seen: not run.dtypes() <= set(CORE),
    "core": lambda run, seen: True,
}


class Model:
    def __init__(self, name, runs, options):
        self.name, self.runs, self.options = name, runs, options
        self.folder = f"{options.out}/{name}"
        self.wrong = []  # (title, what)

    def generate(self):
        """The sources. Cases of which opgen says that they cannot be are taken out and told."""
        os.makedirs(self.folder, exist_ok=True)
        while self.runs:
            text, first = model_text(self.name, self.runs)
            with open(f"{self.folder}/{self.name}.json", "w", encoding="utf-8") as file:
                file.write(text)
            shutil.rmtree(f"{self.folder}/gen", ignore_errors=True)
            done = command([os.environ["OPGEN"], "generate", f"{self.folder}/{self.name}.json", "-b", self.options.backend, *self.options.include, "-o", f"{self.folder}/gen", "--diagnostics=json"])
            if done.returncode == 0:
                break
            findings = {}
            try:
                said = [finding for finding in json.loads(done.stderr) if finding.get("level") == "error"]
            except ValueError:
                said = []
            for finding in said:
                for place in [finding, *finding.get("notes", [])]:
                    number = (place.get("line") or 0) - first
                    if (place.get("file") or "").endswith(f"/{self.name}.json") and 0 <= number < len(self.runs):
                        findings.setdefault(number, finding.get("message"))
            if not findings:
                self.wrong.append((self.name, f"generate: {done.stderr[-2000:]}"))
                self.runs = []
                break
            for number, message in findings.items():
                self.wrong.append((self.runs[number].title(self.runs[number].sets[0]), f"generate: {message}"))
            self.runs = [run for number, run in enumerate(self.runs) if number not in findings]


def read_backend(options):
    """Into options: what its backend.json says, and whether its compiler is here. --arch: some, with commas; left out, the last of the default."""
    own = f"{HERE}/{options.backend}/backend.json"  # of a backend that is for tests alone
    options.include = ["-I", HERE] if os.path.exists(own) else []
    with open(own if options.include else f"templates/{options.backend}/backend.json", encoding="utf-8") as file:
        data = json.load(file)
    options.ext = data["ext"]
    if options.through:
        with open(f"templates/{options.through}/backend.json", encoding="utf-8") as file:
            data = json.load(file)
    compiler = data["compiler"]
    program = os.environ.get(compiler["variable"]) or shutil.which(compiler["command"]) or next((f"{place}/{compiler['command']}" for place in compiler.get("places", []) if os.path.exists(f"{place}/{compiler['command']}")), compiler["command"])
    if not shutil.which(program):
        print(f"0 passed, 0 failed, 1 skipped\nskipped: there is no {compiler['command']}")
        return False
    arch = []
    if "arch" in data:
        options.arch = options.arch or data["arch"]["default"][-1]
        arch = [compiler["arch"].replace("{0}", one).replace("{1}", one.removeprefix(data["arch"]["prefix"])) for one in options.arch.split(",")]
    options.program = program
    shared = [one for one in compiler["shared"] if one != "-shared" and not one.startswith(("-Wl,", "-Xlinker"))]
    options.compiler = [program, *compiler["flags"], *shared, *compiler["warnings"], *arch]
    if options.through:
        options.compiler += ["-x", "cu", f"-I{HERE}/compat"]
    options.host = [] if options.through else compiler.get("host", [])
    options.linker = [program, *compiler["shared"], *arch]
    return True


def gather(options, kind=Model):
    """Models of the cases of some parts, not yet generated."""
    families, ops = {}, read_ops()
    for path in sorted(glob.glob(f"{OPS}/*.json")):
        with open(path, encoding="utf-8") as file:
            families[os.path.basename(path)[:-5]] = json.load(file)
    runs, wanted, seen = [], options.parts.split(","), set()
    parts = {part: [] for part in PARTS if part in wanted or part not in ("sample", "kinds")}
    for family, cases in families.items():
        runs += runs_of(cases, ops, read_tensors(f"{OPS}/{family}.safetensors"), len(runs))
    runs = [run for run in runs if not run.op.arch or options.backend in run.op.arch]
    if "sample" in parts:
        runs.sort(key=lambda run: -run.largest())
    for run in runs:
        if options.case in run.title(run.sets[0]):
            parts[next(part for part in parts if PARTS[part](run, seen))].append(run)
    models = []
    for part in wanted:
        found = parts[part][: options.most]
        models += [kind(f"{part}{at // options.nodes}", found[at : at + options.nodes], options) for at in range(0, len(found), options.nodes)]
    shutil.rmtree(options.out, ignore_errors=True)
    return models


class Checks:
    """Counts, and tells the first few of what failed."""

    def __init__(self):
        self.passed = self.failed = 0
        self.shown = {}

    def __call__(self, what, wrong):
        if not wrong:
            self.passed += 1
            return
        self.failed += 1
        op = what.split(" ")[0].split(".")[0]
        self.shown[op] = self.shown.get(op, 0) + 1
        if self.shown[op] <= 4:
            print(f"FAILED: {what}", *[str(one)[:1500] for one in wrong], sep="\n    ", flush=True)

    def end(self):
        for op, count in sorted(self.shown.items()):
            if count > 4:
                print(f"    and {count - 4} more of {op}")
        print(f"{self.passed} passed, {self.failed} failed, 0 skipped")
        return 1 if self.failed else 0


def generate(models, check):
    """All of them; those of which something is left."""
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(Model.generate, models))
    for model in models:
        for title, why in model.wrong:
            check(title, [why])
    return [model for model in models if model.runs]


def complaints(said):
    return [line for line in said.splitlines() if re.search(r"\b(warning|error)\b", line) and "Remark" not in line]


def arguments(parser):
    parser.add_argument("backend")
    parser.add_argument("--case", default="")
    parser.add_argument("--arch", default="")
    parser.add_argument("--nodes", type=int, default=400)
    parser.add_argument("--most", type=int, default=10**9, help="cases of each part")
    parser.add_argument("--through", help="another backend, whose compiler compiles this one's sources by way of compat/")
