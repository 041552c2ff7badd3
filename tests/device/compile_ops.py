#!/usr/bin/python3
"""compile_ops.py: the functions of the operator tests of tests/ops through a backend's own compiler. No device is needed.

    tests/device/compile_ops.py BACKEND --pass PARTS N FLAGS [--pass ...] [--part 3/12] [--arch A,B] [--through BACKEND] [--each N]

Each function is compiled once, in whichever models it is, and of those that are equal but for their names one; about N of them are one
source: of a small kernel a compiler spends more time with its own headers. Which source a function is in depends on its name alone, until
there are half or twice as many. PARTS: of case_models.py's, or all, or others, which is what no pass before has. Besides: the device file,
and the driver of each model, with FLAGS as well. --part: of the functions alone, those whose names fall to it; all parts together have each
of them once.

A compiler has to be silent, and where it makes nothing but device code, that has kernels of each function. What it said is kept by
tests/cc.py, until a byte of what is read changes, where `make test` has made that. Suites that run side by side share the sources.
"""

import argparse
import concurrent.futures
import fcntl
import glob
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time
import zlib

from case_models import PARTS, ROOT, WORKERS, Checks, arguments, complaints, gather, generate, read_backend

import cc

ALL = [part for part in PARTS if part != "sample"]
AMD_KERNELS = rb"\w+\.kd\b"  # each has a descriptor in AMD's machine code


class Pool:
    """All functions in one folder, with the headers."""

    def __init__(self, options, cases, parts, drivers):
        self.options, self.folder, self.cases, self.parts, self.drivers = options, f"{options.out}/pool", cases, parts, drivers

    def names_of(self, passes):
        """Of each pass the functions, in order."""
        taken = set()
        for parts, _, _ in passes:
            found = [name for name, those in sorted(self.parts.items()) if (name not in taken if parts == ["others"] else set(those) & set(parts))]
            taken.update(found)
            yield found

    def boxes(self, names, group, part, parts):
        """The functions that fall to one of some parts, as sources of about so many: their number is a power of two, so that a few functions
        more or less do not put all of them into others."""
        falls = [name for name in names if zlib.crc32(name.encode()) % parts == part]
        count = 2 ** max(0, round(math.log2(max(1, len(names)) / parts / group)))
        boxes = [[name for name in falls if zlib.crc32(name.encode()) // parts % count == box] for box in range(count)]
        return [box for box in boxes if box]

    def write(self, source, names):
        with open(f"{self.folder}/{source}", "w", encoding="utf-8") as file:
            file.write("".join(f'#include "{name}"\n' for name in names))
        return sum(os.path.getsize(f"{self.folder}/{name}") for name in names)

    def compile(self, job):
        source, flags, names, _ = job
        out = [] if "-fsyntax-only" in flags else ["-o", f"{self.folder}/{source}.o"]
        done = cc.run([*self.options.compiler, *flags, *out, source], self.folder)
        wrong = [] if done.returncode == 0 and not complaints(done.stderr) else [done.stderr[:3000]]
        if out and os.path.exists(out[1]):
            if "--cuda-device-only" in flags and not wrong:
                wrong += [f"there is no kernel of {name}" for name in self.without_kernels(names, out[1])]
            os.remove(out[1])
        return wrong

    def without_kernels(self, names, path):
        """Functions that have kernels, but not in what was made of them."""
        with open(path, "rb") as file:
            made = b"\n".join(re.findall(AMD_KERNELS, file.read()))
        for name in names:
            with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                if "__global__" in file.read() and name[2 : -len(self.options.ext)].encode() not in made:
                    yield name


def fill(options):
    """Generates the models, and has of each function one copy in the pool."""
    wrong, parts, first = [], {}, {}
    models = generate(gather(options), lambda title, why: wrong.append((title, why)))
    os.makedirs(f"{options.out}/pool")
    for model in models:
        for path in sorted(glob.glob(f"{options.out}/{model.name}/gen/{model.name}/*")):
            name = os.path.basename(path)
            function = name.startswith("k_") and name.endswith(options.ext)
            if not function and not name.endswith(".h") and name not in (f"{model.name}{options.ext}", f"opgen_{options.backend}{options.ext}"):
                continue
            if function:
                with open(path, encoding="utf-8") as file:
                    text = file.read().replace(name[2 : -len(options.ext)], "").split("\n", 1)[1]  # without its name, and the title
                parts.setdefault(first.setdefault(text, name), set()).add(model.name.rstrip("0123456789"))
            if not os.path.exists(f"{options.out}/pool/{name}"):
                os.link(path, f"{options.out}/pool/{name}")
    return {
        "wrong": wrong,
        "cases": sum(len(model.runs) for model in models),
        "parts": {name: sorted(those) for name, those in parts.items()},
        "drivers": [f"{model.name}{options.ext}" for model in models],
    }


def fill_once(options):
    """As fill, but who comes first does it for all who share the folder."""
    index = f"{options.out}/index.json"
    os.makedirs(os.path.dirname(options.out), exist_ok=True)
    with open(f"{options.out}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(index):
            with open(index, encoding="utf-8") as file:
                return json.load(file)
        made = fill(options)
        with open(index, "w", encoding="utf-8") as file:
            json.dump(made, file)
        return made


def jobs_of(pool, passes, options, check):
    """(source, flags, functions, size), the largest first."""
    jobs, (part, parts) = [], options.part
    for number, ((_, group, flags), names) in enumerate(zip(passes, pool.names_of(passes))):
        every = [name for at in range(parts) for box in pool.boxes(names, group, at, parts) for name in box]
        check("the parts have each function once", [] if sorted(every) == names else [f"{len(names)} functions, in the parts {len(every)}"])
        for box, chosen in enumerate(pool.boxes(names, group, part, parts)):
            source = f"all{number}_{box}{options.ext}" if parts == 1 else f"part{part + 1}_{number}_{box}{options.ext}"
            jobs.append((source, flags, chosen, pool.write(source, chosen)))
    if parts == 1:  # the driver has no code for devices
        jobs += [(f"opgen_{options.backend}{options.ext}", flags, [], 0) for _, _, flags in passes]
        jobs += [(driver, [*passes[0][2], *options.host], [], 0) for driver in pool.drivers]
    return sorted(jobs[:: options.each], key=lambda job: -job[3])


def run(options, passes):
    start, check = time.monotonic(), Checks()
    made = fill_once(options) if options.shared else fill(options)
    for title, why in made.pop("wrong"):
        check(title, why)
    pool = Pool(options, **made)
    jobs = jobs_of(pool, passes, options, check)
    count = sum(len(names) for _, _, names, _ in jobs)
    print(f"{pool.cases} cases, {len(pool.parts)} functions, {count} to compile: generated in {time.monotonic() - start:.1f} s", flush=True)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
        for (source, flags, _, _), wrong in zip(jobs, workers.map(pool.compile, jobs)):
            check(f"{source} compiles in silence: {' '.join(flags)}", wrong)
    used = os.times()
    print(f"{len(jobs)} files compiled in {time.monotonic() - start:.1f} s, {used.children_user + used.children_system:.0f} s of processors", flush=True)
    return check.end()


def read_part(text):
    """3/12: the third of twelve, as (2, 12)."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is no part as 3/12")
    return int(found[1]) - 1, int(found[2])


def main():
    parser = argparse.ArgumentParser()
    arguments(parser)
    parser.add_argument("--pass", dest="passes", action="append", nargs=3, required=True, metavar=("PARTS", "N", "FLAGS"))
    parser.add_argument("--part", type=read_part, default="1/1", metavar="K/N")
    parser.add_argument("--each", type=int, default=1, help="of the files every so manieth")
    parser.add_argument("--out", help="left out: one that is shared in tests/run, else one that is gone at the end")
    options = parser.parse_args()
    os.chdir(ROOT)
    if not read_backend(options):
        return 0
    passes = [(ALL if parts == "all" else parts.split(","), int(group), flags.split()) for parts, group, flags in options.passes]
    wanted = {part for parts, _, _ in passes for part in (ALL if parts == ["others"] else parts)}
    options.parts = ",".join(part for part in PARTS if part in wanted)
    shared = os.environ.get("OPGEN_TEST_SHARED")
    options.shared = options.out is None and bool(shared)
    if options.shared:
        options.out = f"{shared}/{options.backend}-{options.parts.replace(',', '-')}"
    elif options.out is None:
        own = tempfile.mkdtemp()
        options.out = f"{own}/compiled"
        try:
            return run(options, passes)
        finally:
            shutil.rmtree(own, ignore_errors=True)
    options.out = os.path.abspath(options.out)
    return run(options, passes)


if __name__ == "__main__":
    sys.exit(main())
