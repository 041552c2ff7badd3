#!/usr/bin/python3
"""compile_ops.py: the functions of the operator tests of tests/ops through a backend's own compiler. No device is needed.

    tests/device/compile_ops.py BACKEND --pass PARTS N FLAGS [--pass ...] [--arch A,B] [--through BACKEND] [--each N]

Each function is compiled once, in whichever models it is, and about N of them are one source: of a small kernel a compiler spends more
time with its own headers. Which source a function is in depends on its name alone while there are about as many. PARTS: of case_models.py's, or
all. Besides: the device file, and the driver of each model, with FLAGS as well.

A compiler has to be silent. What it said is kept by tests/cc.py, until a byte of what is read changes, where `make test` has made that.
"""

import argparse
import concurrent.futures
import glob
import os
import sys
import time
import zlib

from case_models import PARTS, ROOT, WORKERS, Checks, arguments, complaints, gather, generate, read_backend

import cc

ALL = [part for part in PARTS if part != "sample"]


class Pool:
    """All functions in one folder, with the headers."""

    def __init__(self, models, options):
        self.options, self.folder, self.parts = options, f"{options.out}/pool", {}
        os.makedirs(self.folder)
        for model in models:
            for path in glob.glob(f"{options.out}/{model.name}/gen/{model.name}/*"):
                name = os.path.basename(path)
                function = name.startswith("k_") and name.endswith(options.ext)
                if not function and not name.endswith(".h") and name not in (f"{model.name}{options.ext}", f"opgen_{options.backend}{options.ext}"):
                    continue
                if function:
                    self.parts.setdefault(name, set()).add(model.name.rstrip("0123456789"))
                if not os.path.exists(f"{self.folder}/{name}"):
                    os.link(path, f"{self.folder}/{name}")
        self.drivers = [f"{model.name}{options.ext}" for model in models]

    def boxes(self, number, parts, group):
        names = [name for name, those in sorted(self.parts.items()) if those & set(parts)]
        count = max(1, -(-len(names) // group))
        for box in range(count):
            chosen = [name for name in names if zlib.crc32(name.encode()) % count == box]
            if chosen:
                source = f"all{number}_{box}{self.options.ext}"
                with open(f"{self.folder}/{source}", "w", encoding="utf-8") as file:
                    file.write("".join(f'#include "{name}"\n' for name in chosen))
                yield source, sum(os.path.getsize(f"{self.folder}/{name}") for name in chosen)

    def compile(self, job):
        source, flags, _ = job
        out = [] if "-fsyntax-only" in flags else ["-o", f"{self.folder}/{source}.o"]
        done = cc.run([*self.options.compiler, *flags, *out, source], self.folder)
        if out and os.path.exists(out[1]):
            os.remove(out[1])
        return None if done.returncode == 0 and not complaints(done.stderr) else done.stderr[:3000]


def main():
    parser = argparse.ArgumentParser()
    arguments(parser)
    parser.add_argument("--pass", dest="passes", action="append", nargs=3, required=True, metavar=("PARTS", "N", "FLAGS"))
    parser.add_argument("--each", type=int, default=1, help="of the files every so manieth")
    parser.add_argument("--out", default="build/device/compiled")
    options = parser.parse_args()
    os.chdir(ROOT)
    options.out = os.path.abspath(options.out)
    if not read_backend(options):
        return 0
    passes = [(ALL if parts == "all" else parts.split(","), int(group), flags.split()) for parts, group, flags in options.passes]
    options.parts = ",".join(part for part in PARTS if any(part in parts for parts, _, _ in passes))
    start, check = time.monotonic(), Checks()
    models = generate(gather(options), check)
    functions, jobs = Pool(models, options), []
    for number, (parts, group, flags) in enumerate(passes):
        jobs += [(source, flags, size) for source, size in functions.boxes(number, parts, group)]
    # The driver has no code for devices.
    jobs += [(f"opgen_{options.backend}{options.ext}", flags, 0) for _, _, flags in passes]
    jobs += [(driver, [*passes[0][2], *options.host], 0) for driver in functions.drivers]
    jobs = sorted(jobs[:: options.each], key=lambda job: -job[2])
    print(f"{sum(len(model.runs) for model in models)} cases, {len(functions.parts)} functions: generated in {time.monotonic() - start:.1f} s", flush=True)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for (source, flags, _), error in zip(jobs, pool.map(functions.compile, jobs)):
            check(f"{source} compiles in silence: {' '.join(flags)}", [error] if error else [])
    used = os.times()
    print(f"{len(jobs)} files compiled in {time.monotonic() - start:.1f} s, {used.children_user + used.children_system:.0f} s of processors", flush=True)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
