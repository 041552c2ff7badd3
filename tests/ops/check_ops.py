#!/usr/bin/python3
"""check_ops.py: every operator of opdefs/, generated, compiled and run, against what PyTorch makes of the same inputs.

The cases and results are in FAMILY.json and FAMILY.safetensors beside this file (cases.py says how they are made). Many
cases are the nodes of one model, so that few compilers run; a model's functions are compiled some hundred at a time.
PARTS says which models are made, and SUITES in which ways each is built: a suite is a test of its own, test_SUITE.sh. A
case counts once for each build, and each file that a compiler has nothing to say about counts.

    tests/ops/check_ops.py --suite NAME                what a test runs
    tests/ops/check_ops.py [FAMILY...] [--help]        for work on one family or case: all suites
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import numpy as np

import cc
from opinfo import read_ops
from plan import good, judge, model_text, read_made, runs_of, uncovered, write_given
from values import encode, read_tensors

CORE = ("f32", "i32", "bool")
# Something of each template and each way to go over elements, for the builds that take long.
VECTOR = "sum amax argmax var logsumexp any dot mm scaled_dot_product_attention softmax layer_norm cumsum conv2d max_pool2d avg_pool2d exp gelu add sub lt cast transpose pad cat".split()
NODES = 1500  # in one model
AT_ONCE = 120  # functions in one run of the compiler; of parts that are optimised fewer, so that all cores have some
DEFINED = re.compile(r"^(?:__attribute__\(\(.*?\)\) )?(?:\w+ )*\**(?:\w+ \*?)(\w+)(?:\(|\[.* = )", re.M)  # functions and tables
WORKERS = len(os.sched_getaffinity(0))

passed = failed = 0
shown = {}


def check(what, wrong=()):
    """One case: right, or what is wrong with it. Of one operator the first few are told."""
    global passed, failed
    if not wrong:
        passed += 1
        return
    failed += 1
    shown[what.split(" ")[0]] = shown.get(what.split(" ")[0], 0) + 1
    if shown[what.split(" ")[0]] <= 12:
        print(f"FAILED: {what}", *wrong, sep="\n    ")


def command(arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", check=False, **more)


# ---- builds

with open("templates/cpu/backend.json", encoding="utf-8") as _file:
    COMPILER = json.load(_file)["compiler"]
FLAGS = [flag for flag in COMPILER["flags"] + COMPILER["shared"] if not flag.startswith("-O") and flag != "-shared"]
CC = os.environ.get("CC", "gcc")


class Build:
    """A way to build models, and the parts that it is for. `cc` None: the compiler is not there."""

    def __init__(self, name, cc, flags, parts, threads=1, runs=True):
        self.name, self.cc, self.flags, self.parts, self.threads, self.runs = name, (cc or CC).split(), flags, parts, threads, runs
        self.missing = cc is None
        self.driver = "sanitized" if "-DSANITIZED" in flags else "plain"


def thin(run, seen):
    """The first run of each operator with each dtype of CORE, and with one of the others, which takes turns."""
    op, dtypes = run.case["op"], run.dtypes()
    other = ("f16", "bf16", "f64")[zlib.crc32(op.encode()) % 3]
    if "as" in run.case:
        return False
    if not dtypes <= set(CORE) and other not in dtypes:
        return False
    key = op, str(run.types) if dtypes <= set(CORE) else other
    return key not in seen and not seen.add(key)


def is_large(run):
    return run.largest() >= 16384 and not run.case.get("brief") and "as" not in run.case


# What a run is in: the first that fits.
PARTS = {
    "dims": lambda run, seen: run.symbolic and "as" not in run.case and not run.case.get("brief"),
    "half": lambda run, seen: ".half" in run.case["name"],
    "vector": lambda run, seen: is_large(run) and run.case["op"] in VECTOR and ("f32" in run.given.values() or run.case["op"] in ("sum", "cast", "add", "exp", "relu", "var")),
    "large": lambda run, seen: is_large(run),
    "thin": thin,
    "floats": lambda run, seen: not run.dtypes() <= set(CORE) and run.dtypes() & {"f16", "bf16", "f64"},
    "ints": lambda run, seen: not run.dtypes() <= set(CORE),
    "core": lambda run, seen: True,
}

# Compilers take nearly all of the time: what is many is compiled quickly, what is few in every way. Versions for several
# processors (clones) take several times as long, so they are where the vector code has something to do.
GCC = CC if "clang" not in CC else shutil.which("gcc") and "gcc"
CLANG = CC if "clang" in CC else shutil.which("clang") and "clang"
WARNINGS, ONE, STREAM = COMPILER["warnings"], "-DOPGEN_NO_CLONES", "-DOPGEN_STREAM_BYTES=65536"
TURNS = "-DOPGEN_TAKE_TURNS=1"  # one way of going through memory; the other, where it is 0
HAS_V3 = "avx2" in cc.processor() and "f16c" in cc.processor()
# Of a pointer that is NULL the one says as much as the other.
SANITIZE = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize=null,object-size", "-fno-sanitize-recover=all", "-DSANITIZED"]
OPTIMIZE = [flag for flag in COMPILER["flags"] if flag.startswith("-O")]
SUITES = {
    # What is not in the suites below.
    "values": [Build("quick", CLANG or CC, ["-O0", ONE, *WARNINGS], ("core", "floats", "ints")),
               Build("read", GCC, ["-fsyntax-only", ONE, *WARNINGS], ("floats", "ints"), runs=False)],  # gcc compiles of "core" the thin part
    "optimized": [Build("optimized", GCC, ["-O1", ONE, *WARNINGS], ("thin",)),
                  Build("inlined", GCC, ["-Og", ONE, *WARNINGS], ("dims",))],  # half of the time; of the same kernels "thin" has most
    # Threads, with so little that is large that stores go past the cache. Versions for all processors of a few; as users have it
    # optimised what this one has of all that is vectors.
    "large": [Build("clones", GCC, ["-O2", STREAM, "-DOPGEN_TAKE_TURNS=0", *WARNINGS, *COMPILER["threads"]], ("half",), threads=3),
              Build("whole", GCC, [*OPTIMIZE, ONE, "-march=native", STREAM, "-DOPGEN_TAKE_TURNS=0", *WARNINGS, *COMPILER["threads"]], ("vector",), threads=3),
              Build("native", CLANG, ["-O1", ONE, STREAM, "-DOPGEN_TAKE_TURNS=2", "-march=native", *WARNINGS], ("vector", "half")),
              Build("older", GCC, ["-O1", ONE, STREAM, TURNS, "-march=x86-64-v3", *WARNINGS], ("half",) if HAS_V3 else ()),
              Build("threads", GCC, ["-Og", ONE, STREAM, TURNS, *WARNINGS, *COMPILER["threads"]], ("large",), threads=3)],
    "sanitized": [# What sanitizers make of conversions gcc warns of.
                  Build("sanitized", CLANG or CC, ["-O0", "-g1", ONE, *(WARNINGS if CLANG else []), *SANITIZE], ("dims", "thin"))],
}


def build_driver(build, folder):
    """The program that runs models: one as it is, one for what has to have a sanitizer in it."""
    sources = sorted(glob.glob("runtime/*.c")) + [f"{HERE}/run_model.c"]
    out = f"{folder}/run_model.{build.driver}"
    # What is said of kernels is not said of it: so the same for several suites.
    flags = [flag for flag in build.flags if flag.startswith(("-fsanitize", "-fno-sanitize", "-DSANITIZED"))]
    done = cc.run([*build.cc, "-std=c11", "-D_GNU_SOURCE", "-O0" if "-DSANITIZED" in flags else "-O1", "-g", "-Iruntime", *flags, "-o", out, *sources, "-lm", "-lpthread", "-ldl"])
    if done.returncode:
        check("run_model", [done.stderr[-3000:]])
    return out


def warnings_of(said):
    """One line of each kind of warning."""
    kinds = {}
    for line in said.splitlines():
        found = re.search(r"([^/]*): (?:warning|error): .*(\[-W[^]]*\])|error: ", line)
        if found:
            kinds.setdefault(found.group(2), line[line.rfind("/") + 1 :])
    return list(kinds.values())


# ---- models


class Model:
    def __init__(self, name, part, runs):
        self.name, self.part, self.runs = name, part, runs
        self.folder = self.error = None

    def generate(self, top):
        """Writes, and has the sources generated. Cases of which opgen says that they cannot be are taken out and told."""
        self.folder = f"{top}/{self.name}"
        os.makedirs(self.folder)
        while self.runs:
            text, first = model_text(self.name, self.runs)
            with open(f"{self.folder}/{self.name}.json", "w", encoding="utf-8") as file:
                file.write(text)
            done = command([os.environ["OPGEN"], "generate", f"{self.folder}/{self.name}.json", "-o", f"{self.folder}/gen", "--diagnostics=json"])
            if done.returncode == 0:
                return
            self.error = done.stderr[-2000:]
            findings = {}
            for finding in self.errors(done.stderr):
                # The finding itself may be in an opdef or a template; a note then leads to the node.
                for place in [finding, *finding.get("notes", [])]:
                    number = (place.get("line") or 0) - first
                    if (place.get("file") or "").endswith(f"/{self.name}.json") and 0 <= number < len(self.runs):
                        findings.setdefault(number, finding.get("message"))
            if not findings:
                break
            for number, message in findings.items():
                check(self.runs[number].title(self.runs[number].sets[0]), [f"generate: {message}"])
            self.runs = [run for number, run in enumerate(self.runs) if number not in findings]
        else:
            return  # nothing is left, and of each it was told why
        check(self.name, [f"generate: {self.error}"])
        self.runs = []

    @staticmethod
    def errors(text):
        try:
            return [finding for finding in json.loads(text) if finding.get("level") == "error"]
        except ValueError:
            return []

    def chunks(self):
        """Files that include some of the model's each: those whose names fall together, so that a new one changes one file alone."""
        kernels = sorted(os.path.basename(path) for path in glob.glob(f"{self.folder}/gen/**/k_*.c", recursive=True))
        self.source = os.path.dirname(next(iter(glob.glob(f"{self.folder}/gen/**/{self.name}.c", recursive=True)), f"{self.folder}/gen/x"))
        found = [f"{self.source}/{self.name}.c", f"{self.source}/{self.name}_models.c"]
        most, boxes = AT_ONCE if self.part in ("core", "floats", "ints") else AT_ONCE // 3, 1
        while boxes * most < len(kernels):
            boxes *= 2
        for box in range(boxes):
            path = f"{self.source}/all{box}.c"
            with open(path, "w", encoding="utf-8") as file:
                for number, kernel in enumerate(kernel for kernel in kernels if zlib.crc32(kernel.encode()) % boxes == box):
                    file.write(self.included(kernel, number))
            found.append(path)
        return found

    def included(self, kernel, number):
        """A file among others of one translation unit: what is static in it gets a number."""
        with open(f"{self.source}/{kernel}", encoding="utf-8") as file:
            names = sorted({name for name in DEFINED.findall(file.read()) if not name.startswith((kernel[2:-2], "__"))})
        before = "".join(f"#define {name} {name}_{number}\n" for name in names)
        return f'{before}#include "{kernel}"\n' + "".join(f"#undef {name}\n" for name in names)

    def compile(self, build, source):
        name = os.path.basename(source)
        result = [] if "-fsyntax-only" in build.flags else ["-o", f"{name[:-2]}.{build.name}.o"]
        done = cc.run([*build.cc, *FLAGS, *build.flags, "-c", *result, name], self.source)
        return done.returncode != 0, done.stderr

    def execute(self, build, driver):
        """Links, runs, and returns what came out of each run."""
        library = f"{self.folder}/lib.{build.name}.so"
        done = command([*build.cc, *COMPILER["shared"], *build.flags, "-o", library, *glob.glob(f"{self.source}/*.{build.name}.o"), *COMPILER["libraries"]])
        if done.returncode:
            return f"link: {done.stderr[-2000:]}", []
        arguments, outs = [driver, library, self.name, str(build.threads)], []
        for at in range(self.rounds()):
            outs.append(f"{self.folder}/{at}.{build.name}.out")
            arguments += [f"{self.folder}/{at}.in", outs[-1]]
        done = command(arguments)
        if done.returncode:
            return f"exit status {done.returncode}: {done.stderr[-3000:]}", []
        return None, [read_made(out) for out in outs]

    def fill(self):
        """The files of inputs, one a run of the model."""
        for at in range(self.rounds()):
            write_given(f"{self.folder}/{at}.in", [tensor for run in self.runs for tensor in run.inputs(run.sets[at % len(run.sets)])])

    def named(self, text):
        """The cases that a text names by their tensors or functions."""
        names = set(re.findall(r"\bn\d+(?=_)", text))
        return [f"{run.name}: {run.title(run.sets[0])}" for run in self.runs if run.name in names][:8]

    def rounds(self):
        return max(len(run.sets) for run in self.runs)


def models_of(families, ops, options, wanted):
    runs, parts, seen = [], {part: [] for part in PARTS}, set()
    for family, cases in families.items():
        runs += runs_of(cases, ops, read_tensors(f"{HERE}/{family}.safetensors"), len(runs))
    for run in runs:
        if options.case in run.title(run.sets[0]):
            parts[next(part for part, fits in PARTS.items() if fits(run, seen))].append(run)
    return [Model(f"{part}{at // NODES}", part, found[at : at + NODES]) for part, found in parts.items() if part in wanted for at in range(0, len(found), NODES)]


def compare(model, build, made):
    for at, (tensors, unsteady) in enumerate(made):
        for run in model.runs:
            if at < len(run.sets):
                check(f"{run.title(run.sets[at])} ({build.name})", judge(run, run.sets[at], tensors, unsteady))


# ---- the test of the test


def test_judge():
    """The comparison refuses what is nearly right."""
    near = {"rel": 8}
    one = np.array([1.0, -2.0, 0.0, np.nan, np.inf])
    for dtype, step in (("f64", 2.0**-48), ("f32", 2.0**-19), ("f16", 2.0**-9), ("bf16", 2.0**-6)):
        def judged(values, case=near):
            return list(good(case, dtype, encode(dtype, values), one))

        check(f"judge of {dtype}", [] if judged(one) == [True] * 5 else ["refuses what is right"])
        wrong = judged(np.array([1 + 2 * step, -2 - 4 * step, 1e-3, 1.0, np.nan]))
        check(f"judge of {dtype}, wrong", [] if wrong == [False] * 5 else [f"takes what is wrong: {wrong}"])
        wrong = judged(np.array([np.nan, np.inf, -np.inf, np.inf, -np.inf]))
        check(f"judge of {dtype}, not finite", [] if wrong == [False] * 5 else [f"takes what is wrong: {wrong}"])
        zero = judged(np.array([1.0, -2.0, -0.0, np.nan, np.inf]), {"exact": True, "zeros": True})
        check(f"judge of {dtype}, zeros", [] if zero == [True, True, False, True, True] else [f"takes -0 for 0: {zero}"])
        poison = np.frombuffer(bytes([0xA5]) * 40, encode(dtype, one).dtype)[:5]
        check(f"judge of {dtype}, poison", ["takes poison"] if good(near, dtype, poison, one).any() else [])
    check("judge of bool", [] if list(good({}, "bool", np.array([1, 0, 2, 0xA5], np.uint8), np.array([True, False, True, True]))) == [True, True, False, False] else ["takes other bytes"])


def test_covered(families, ops):
    missing, unknown = uncovered(families, ops)
    for name in missing:
        check(f"{name} has no case", ["add one to tests/ops/cases_*.py and run tests/ops/cases.py"])
    for name in unknown:
        check(f"{name} has cases", ["but is no operator"])
    check("every operator has cases for every dtype")


def chosen_builds(options):
    """Those of the suite; what is not there is told."""
    skipped, chosen = 0, []
    for build in [build for suite in SUITES for build in SUITES[suite] if options.suite in (None, suite) and options.build in build.name]:
        if build.missing:
            skipped += 1
            print(f"skipped: the build {build.name} wants the compiler that $CC is not")
        else:
            chosen.append(build)
        if options.level:
            build.flags = [options.level if flag.startswith("-O") else flag for flag in build.flags]
    return chosen, skipped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*")
    parser.add_argument("--case", default="", metavar="TEXT", help="only cases whose title has TEXT")
    parser.add_argument("--suite", metavar="NAME", choices=sorted(SUITES), help="one of: " + " ".join(SUITES))
    parser.add_argument("--build", default="", metavar="NAME", help="one of the builds")
    parser.add_argument("--keep", metavar="DIR", help="leave everything in DIR")
    parser.add_argument("--level", metavar="-O0", help="compile at this level")
    options = parser.parse_args()
    ops = read_ops()
    families = {}
    for path in sorted(glob.glob(f"{HERE}/*.json")):
        with open(path, encoding="utf-8") as file:
            families[os.path.basename(path)[:-5]] = json.load(file)
    if options.suite in (None, "values"):
        test_judge()
        test_covered(families, ops)

    top = options.keep or cc.work_folder()
    os.makedirs(top, exist_ok=True)
    families = {name: cases for name, cases in families.items() if not options.families or name in options.families}
    chosen, skipped = chosen_builds(options)
    models = models_of(families, ops, options, {part for build in chosen for part in build.parts})
    times = {}
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        def phase(name, work, items):
            start = time.monotonic()
            results = list(pool.map(lambda item: work(*item), items))
            times[name] = time.monotonic() - start
            return results

        kinds = {build.driver: build for build in reversed(chosen) if build.runs}
        building = {kind: pool.submit(build_driver, build, top) for kind, build in kinds.items()}
        phase("generate", Model.generate, [(model, top) for model in models])
        drivers = {kind: job.result() for kind, job in building.items()}
        models = [model for model in models if model.runs]
        jobs = [(model, build, source) for model in models for source in model.chunks() for build in chosen if model.part in build.parts]
        jobs.sort(key=lambda job: -os.path.getsize(job[2]))
        broken = {}
        for (model, build, source), (error, said) in zip(jobs, phase("compile", Model.compile, jobs)):
            if error:
                broken.setdefault((model, build), said[:3000])
            check(f"{model.name} {os.path.basename(source)} compiles in silence ({build.name})", warnings_of(said))
        phase("fill", Model.fill, [(model,) for model in models])
        pairs = [(model, build) for model in models for build in chosen if model.part in build.parts]
        for model, build in pairs:
            if (model, build) in broken:
                check(f"{model.name} ({build.name})", [f"compile: {broken[model, build]}"])
        pairs = [pair for pair in pairs if pair not in broken and pair[1].runs]
        for (model, build), (error, made) in zip(pairs, phase("run", lambda model, build: model.execute(build, drivers[build.driver]), pairs)):
            if error:
                check(f"{model.name} ({build.name})", [error, *model.named(error)])
            else:
                compare(model, build, made)
    if not options.keep:
        shutil.rmtree(top, ignore_errors=True)
    for name, count in sorted(shown.items()):
        if count > 12:
            print(f"    and {count - 12} more of {name}")
    print(", ".join(f"{name} {seconds:.1f} s" for name, seconds in times.items()) + f"; {len(models)} models, {len(jobs)} files compiled")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
