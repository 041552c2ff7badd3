#!/usr/bin/python3
"""check_ops.py: every operator as C for machines without an operating system, against what PyTorch makes of the same inputs.

The cases are those of tests/ops. Some hundred are the nodes of one model, which is generated with --profile=embedded, compiled as
C11 without a C library (no warning is allowed), called from a program that is written here, and judged as tests/ops does. Each run
is done twice, in other memory and with outputs poisoned by other bytes; what lies around outputs and memory must stay.

    tests/embedded/check_ops.py --sample       what `make test` runs: two dtypes of each operator, in one file a model
    tests/embedded/check_ops.py [FAMILY...]    all cases, both compilers, one file and many; --cc, --run for another machine
"""

import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OPS = os.path.join(os.path.dirname(HERE), "ops")
sys.path[:0] = [OPS, os.path.dirname(HERE)]

import numpy as np

import cc
from opinfo import read_ops
from plan import judge, model_text, runs_of, wanted_of
from values import NUMPY, read_tensors

NODES = 150  # in one model: a function takes that many tensors as arguments, and more
FLAGS = "-std=c11 -ffreestanding -Wall -Wextra -Wconversion -Wshadow -Werror".split()
WORKERS = len(os.sched_getaffinity(0))
GUARD = 64
passed = failed = 0


def check(what, wrong=()):
    global passed, failed
    passed, failed = passed + (not wrong), failed + bool(wrong)
    if wrong and failed <= 40:
        print(f"FAILED: {what}", *wrong, sep="\n    ")


def command(arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", check=False, **more)


# ---- the program that calls a model

# One file holds what a run is given: dims, sizes of inputs and outputs in bytes, then the inputs. The other what it made: twice
# the outputs and the inputs as they are afterwards.
CALLER = """
#include "NAME.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = %(dims)d, INPUTS = %(inputs)d, OUTPUTS = %(outputs)d, GUARD = 64 };
static int64_t numbers[DIMS + INPUTS + OUTPUTS + 1];
static char *inputs[INPUTS + 1], *outputs[OUTPUTS + 1], *given[INPUTS + 1];

static char *room(size_t bytes, int with) {
    char *whole = malloc(bytes + 2 * GUARD + 2 * 64);
    if (whole == NULL) exit(9);
    char *p = whole + 128 - (uintptr_t)whole %% 64;
    ((char **)p)[-1] = whole;
    memset(p, with, bytes + 2 * GUARD);
    return p + GUARD;
}

static void give(char *p) { free(((char **)(p - GUARD))[-1]); }

static void whole(const char *p, size_t bytes, int with, const char *what, int which) {
    for (int i = 1; i <= GUARD; i++)
        if (p[-i] != (char)with || p[bytes + (size_t)i - 1] != (char)with) {
            printf("%%s %%d: written outside of it\\n", what, which);
            exit(1);
        }
}

static int call(void *memory, size_t bytes) {
    return NAME_run_in(memory, bytes, %(arguments)s);
}

int main(int argc, char **argv) {
    for (int at = 1; at + 1 < argc; at += 2) {
        FILE *from = fopen(argv[at], "rb"), *to = fopen(argv[at + 1], "wb");
        if (!from || !to || fread(numbers, 8, DIMS + INPUTS + OUTPUTS, from) != DIMS + INPUTS + OUTPUTS) return 9;
        for (int i = 0; i < INPUTS; i++) {
            const size_t n = (size_t)numbers[DIMS + i];
            given[i] = room(n, 0);
            if (n && fread(given[i], 1, n, from) != n) return 9;
        }
        for (int turn = 0; turn < 2; turn++) {
            const int poison = turn ? 0x3c : 0xa5;
            for (int i = 0; i < INPUTS; i++)
                inputs[i] = memcpy(room((size_t)numbers[DIMS + i], 0x5b), given[i], (size_t)numbers[DIMS + i]);
            for (int i = 0; i < OUTPUTS; i++)
                outputs[i] = room((size_t)numbers[DIMS + INPUTS + i], poison);
            /* The least memory that is enough, to a quarter. */
            size_t bytes = turn ? 0 : %(memory)s;
            char *memory = room(bytes, 0x77);
            int status = call(memory, bytes);
            while (status == NAME_small_memory && bytes < SIZE_MAX / 4) {
                give(memory);
                bytes += bytes / 4 / 64 * 64 + 64;
                memory = room(bytes, 0x77);
                status = call(memory, bytes);
            }
            if (status != NAME_ok) {
                printf("status %%d\\n", status);
                return 1;
            }
            whole(memory, bytes, 0x77, "memory", 0);
            give(memory);
            for (int i = 0; i < OUTPUTS; i++) {
                const size_t n = (size_t)numbers[DIMS + INPUTS + i];
                whole(outputs[i], n, poison, "output", i);
                fwrite(outputs[i], 1, n, to);
                give(outputs[i]);
            }
            for (int i = 0; i < INPUTS; i++) {
                whole(inputs[i], (size_t)numbers[DIMS + i], 0x5b, "input", i);
                fwrite(inputs[i], 1, (size_t)numbers[DIMS + i], to);
                give(inputs[i]);
            }
        }
        if (fclose(to) != 0) return 9;
        fclose(from);
        for (int i = 0; i < INPUTS; i++)
            give(given[i]);
    }
    return 0;
}
"""


class Build:
    def __init__(self, name, cc, flags, single, run=()):
        self.name, self.cc, self.flags, self.single, self.run = name, cc.split(), flags, single, list(run)


class Model:
    def __init__(self, name, runs):
        self.name, self.runs = name, runs

    def write(self, top):
        self.folder = f"{top}/{self.name}"
        os.makedirs(self.folder)
        text, _ = model_text(self.name, self.runs)
        with open(f"{self.folder}/{self.name}.json", "w", encoding="utf-8") as file:
            file.write(text)
        self.model = json.loads(text)
        for at in range(self.rounds()):
            self.fill(at)
        self.caller()

    def rounds(self):
        return max(len(run.sets) for run in self.runs)

    def at(self, run, at):
        return run.sets[at % len(run.sets)]

    def dims(self, at):
        """The sizes of named dims: where an input has a name alone, its shape there tells."""
        found = {}
        given = self.model["inputs"]
        for run in self.runs:
            for tensor, _, _, shape, _ in run.tensors(self.at(run, at)):
                for name, size in zip(given[tensor]["shape"], shape):
                    if isinstance(name, str):
                        found.setdefault(name, size)
        return [found[name] for name in self.model["dims"]]

    def results(self, at):
        """(name, dtype, shape) of each output."""
        for run in self.runs:
            sources = list(run.inputs(self.at(run, at)))
            for number, output in enumerate(run.outputs()):
                dtype = run.made[0 if run.op.counted else number]
                _, shape = wanted_of(run, self.at(run, at), output, dtype, sources)
                yield f"{run.name}_{output}", dtype, shape

    def fill(self, at):
        tensors = {name: np.ascontiguousarray(array) for run in self.runs for name, _, array in run.inputs(self.at(run, at))}
        arrays = [tensors[name] for name in self.model["inputs"]]
        sizes = [int(np.prod(shape, dtype=np.int64)) * np.dtype(NUMPY[dtype]).itemsize for _, dtype, shape in self.results(at)]
        with open(f"{self.folder}/{at}.in", "wb") as file:
            file.write(np.array([*self.dims(at), *(array.nbytes for array in arrays), *sizes], np.int64).tobytes())
            for array in arrays:
                file.write(array.tobytes())

    def caller(self):
        arguments = [f"numbers[{i}]" for i in range(len(self.model["dims"]))]
        arguments += [f"(void *)inputs[{i}]" for i in range(len(self.model["inputs"]))]
        arguments += [f"(void *)outputs[{i}]" for i in range(len(self.model["outputs"]))]
        text = CALLER % {"dims": len(self.model["dims"]), "inputs": len(self.model["inputs"]), "outputs": len(self.model["outputs"]),
                         "arguments": ", ".join(arguments), "memory": "0" if self.model["dims"] else f"{self.name.upper()}_MEMORY_BYTES"}
        with open(f"{self.folder}/caller.c", "w", encoding="utf-8") as file:
            file.write(text.replace("NAME", self.name))

    def build(self, build):
        """None, or what is wrong."""
        gen = f"{self.folder}/{build.name}"
        done = command([os.environ["OPGEN"], "generate", f"{self.folder}/{self.name}.json", "-o", gen, "--profile=embedded",
                        *(["--single-file"] if build.single else [])])
        if done.returncode:
            return done.stderr[-2000:]
        source = f"{gen}/{self.name}"
        files = sorted(glob.glob(f"{source}/*.c"))
        # The static memory for the largest dims is more than there is.
        own = [f"-D{self.name.upper()}_NO_MEMORY"] if self.model["dims"] else []
        objects = []
        for number, path in enumerate(files):
            objects.append(f"{gen}/{number}.o")
            done = cc.run([*build.cc, *FLAGS, *build.flags, *own, "-c", "-o", objects[-1], os.path.basename(path)], source)
            if done.returncode:
                return f"{os.path.basename(path)}: {done.stderr[:1500]}"
        plain = [flag for flag in build.flags if flag.startswith(("-m", "-f"))]
        done = command([*build.cc, "-std=c11", "-O0", *plain, f"-I{source}", "-o", f"{gen}/run", f"{self.folder}/caller.c", *objects, "-lm"])
        if done.returncode:
            return done.stderr[-1500:]
        # One at a time: what a small machine is told at its start is short.
        for at in range(self.rounds()):
            done = command([*build.run, f"{gen}/run", f"{self.folder}/{at}.in", f"{self.folder}/{at}.{build.name}"])
            if done.returncode:
                return f"exit status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        return None

    def made(self, build, at):
        """As judge wants it: what the first turn made, and the names of what the second made otherwise."""
        with open(f"{self.folder}/{at}.{build.name}", "rb") as file:
            data = file.read()
        inputs = {name: (dtype, array) for run in self.runs for name, dtype, array in run.inputs(self.at(run, at))}
        made, unsteady, place = {}, [], 0
        for turn in range(2):
            for name, dtype, shape in self.results(at):
                numpy = np.dtype(np.uint8 if dtype == "bool" else NUMPY[dtype])
                count = int(np.prod(shape, dtype=np.int64))
                array = np.frombuffer(data, numpy, count, place).reshape(shape)
                place += array.nbytes
                if turn == 0:
                    made[name] = dtype, array
                elif array.tobytes() != made[name][1].tobytes():
                    unsteady.append(name)
            for name in self.model["inputs"]:
                dtype, array = inputs[name]
                numpy = np.dtype(np.uint8 if dtype == "bool" else NUMPY[dtype])
                after = np.frombuffer(data, numpy, array.size, place).reshape(array.shape)
                place += after.nbytes
                if turn == 0 and after.tobytes() != np.ascontiguousarray(array).tobytes():
                    made[f"{name}.after"] = dtype, after
        return made, unsteady


def sample(runs):
    """One case of each operator in f32 or what it has of others, and one in a dtype that takes turns."""
    seen, chosen = {}, []
    for run in runs:
        op, dtypes = run.case["op"], run.dtypes()
        if run.largest() > 20000:
            continue
        key = op, "f32" if "f32" in dtypes else min(dtypes)
        other = ("f16", "i32", "f64", "u8", "bf16", "i64")[sum(map(ord, op)) % 6]
        if key in seen and (other not in dtypes or (op, other) in seen):
            continue
        seen[key] = seen[op, other] = True
        chosen.append(run)
    return chosen


def builds_of(options):
    if options.cc:
        return [Build("given", options.cc, options.flags.split(), not options.many, options.run.split())]
    own = os.environ.get("CC", "gcc")
    if options.sample:
        return [Build("single", own, ["-O0"], True)]
    clang = shutil.which("clang")
    found = [Build("single", own, ["-O2"], True), Build("many", own, ["-O1"], False)]
    return found + ([Build("clang", clang, ["-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"], True)] if clang else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*")
    parser.add_argument("--case", default="", metavar="TEXT", help="only cases whose title has TEXT")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--cc", default="", metavar="COMMAND", help="another compiler")
    parser.add_argument("--flags", default="-O2", help="with --cc")
    parser.add_argument("--run", default="", metavar="COMMAND", help="with --cc: what runs its programs")
    parser.add_argument("--many", action="store_true", help="with --cc: not in one file")
    parser.add_argument("--keep", metavar="DIR", help="leave everything in DIR")
    options = parser.parse_args()
    ops, runs = read_ops(), []
    for path in sorted(glob.glob(f"{OPS}/*.json")):
        family = os.path.basename(path)[:-5]
        if options.families and family not in options.families:
            continue
        with open(path, encoding="utf-8") as file:
            runs += runs_of(json.load(file), ops, read_tensors(f"{OPS}/{family}.safetensors"), len(runs))
    runs = [run for run in runs if options.case in run.title(run.sets[0])]
    runs = sample(runs) if options.sample else runs
    # Cases with named dims by themselves: they have several rounds.
    parts = {"fixed": [run for run in runs if not run.symbolic], "dims": [run for run in runs if run.symbolic]}
    models = [Model(f"{part}{at // NODES}", found[at : at + NODES]) for part, found in parts.items() for at in range(0, len(found), NODES)]
    top = options.keep or cc.work_folder()
    os.makedirs(top, exist_ok=True)
    builds = builds_of(options)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda model: model.write(top), models))
        jobs = [(model, build) for model in models for build in builds]
        for (model, build), wrong in zip(jobs, pool.map(lambda job: job[0].build(job[1]), jobs)):
            check(f"{model.name} ({build.name})", [wrong] if wrong else [])
            for at in range(model.rounds() if not wrong else 0):
                made, unsteady = model.made(build, at)
                for run in model.runs:
                    if at < len(run.sets):
                        check(f"{run.title(run.sets[at])} ({build.name})", judge(run, run.sets[at], made, unsteady))
    if not options.keep:
        shutil.rmtree(top, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
