#!/usr/bin/python3
"""test_cpu_math.py: the headers of templates/cpu, compiled as generated code is.

math_check.c and double_check.c are built by gcc and clang for the oldest and for newer processors, with the flags of backend.json: each function's
greatest error has to be within what math_functions.h and double_functions.h allow, and each compiler has to say that it vectorised its loop. So is
integer_check.c, of which gcc has to say the same of the loops of powers and shifts. kernel_check.c is built in all ways that
generated code may be: with threads, for one processor, without optimisation, as C++, with sanitizers. Of functions with clones, the assembly
has to have each version, with that processor's instructions and without a call.
"""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import cc

HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATES = os.path.join(HERE, "..", "..", "templates", "cpu")
SANITIZE = ["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# What x86-64-v4 adds to v3, as Linux calls it.
V4 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

passed, failed, skipped = [], [], []


def verdict(good, what, more=""):
    (passed if good else failed).append(what)
    if not good:
        print(f"FAILED: {what}\n{more[-3000:]}", flush=True)


def skip(count, why):
    for _ in range(count):
        skipped.append(why)
        print("skipped:", why)


def compile_it(command):
    return cc.run(command)


def run(program, *arguments):
    # Sanitizers of the process that started this one are not the program's.
    environment = {key: value for key, value in os.environ.items() if not key.endswith("SAN_OPTIONS")}
    return subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, timeout=250)


def functions_of(name):
    """{line: name} of math_functions.h and double_functions.h"""
    with open(os.path.join(HERE, f"{name}_functions.h"), encoding="utf-8") as file:
        matches = [(number, re.match(r"(UNARY|BELOW|BINARY|DOUBLE|DOUBLES|NEAR)\((\w+),", line)) for number, line in enumerate(file, 1)]
    more = {"DOUBLE": "_f64", "DOUBLES": "_f64", "NEAR": "_near_f64"}
    return {number: match[2] + more.get(match[1], "") for number, match in matches if match}


def many_of(name):
    """Those of many at once."""
    with open(os.path.join(HERE, f"{name}_functions.h"), encoding="utf-8") as file:
        matches = re.findall(r"^(MANY|BESIDE|PAIRS|HALF)\((\w+),", file.read(), re.M)
    return [f"{name}_{32 if kind == 'PAIRS' else kind.lower()}" for kind, name in matches]


def processor_has(features):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = next((line for line in file if line.startswith("flags")), "")
    return features <= set(flags.split())


def build_math(folder, flags, name, compiler, arch):
    program = os.path.join(folder, f"{name}_{compiler}_{arch}")
    told = ["-fopt-info-vec-optimized"] if compiler == "gcc" else ["-Rpass=loop-vectorize"]
    extra = SANITIZE if arch == "sanitized" else [f"-march={arch}", *told]
    built = compile_it([compiler, *flags, *extra, "-o", program, os.path.join(HERE, f"{name}_check.c"), "-lm"])
    ran = None
    if built.returncode == 0 and (arch != "x86-64-v4" or processor_has(V4)):
        # Every so manieth number.
        few = arch != "x86-64-v3" or (name, compiler) == ("double", "gcc")
        ran = run(program, "65537" if arch == "sanitized" else "16411" if few else "4099")
    return name, compiler, arch, built, ran


def check_math(name, compiler, arch, built, ran):
    functions = functions_of(name)
    where = f"{compiler} {arch}"
    if built.returncode != 0:
        verdict(False, f"{where} compiles {name}_check.c", built.stderr)
        return
    if arch != "sanitized":
        pattern = name + r"_functions\.h:(\d+):\d+: (?:optimized: loop vectorized|remark: vectorized loop)"
        lines = {int(match[1]) for match in re.finditer(pattern, built.stderr)}
        # The oldest processors compare no 64-bit integers in vectors.
        for line, function in functions.items() if (name, compiler, arch) != ("double", "gcc", "x86-64") else []:
            verdict(line in lines, f"{where} vectorises {function}")
    others = ["f16", "bf16", "powers_of_ten"] if name == "math" else ["powers_of_two", "powers_of_ten", "whole_powers", "sin_f64", "cos_f64", "tan_f64"]
    wanted = [*functions.values(), *many_of(name), *others]
    if ran is None:
        skip(len(wanted), f"this processor does not run code for {arch}")
        return
    said = {match[2]: match[1] == "ok" for match in re.finditer(r"^(ok|WRONG)\s+(\w+) ", ran.stdout, re.M)}
    for one in wanted:
        told = [line for line in ran.stdout.splitlines() if line.split()[1:2] == [one]]
        verdict(said.get(one, False), f"{where} computes {one}", "\n".join(told) or ran.stdout + ran.stderr)
    verdict(ran.returncode == 0, f"{where}: exit status of {name}_check", ran.stdout + ran.stderr)


INTEGERS = [f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)]


def check_integers(arch, compiler, built, ran):
    where = f"{compiler} {arch}"
    if built.returncode != 0:
        verdict(False, f"{where} compiles integer_check.c", built.stderr)
        return
    if compiler == "gcc" and arch in ("x86-64-v3", "x86-64-v4"):
        with open(os.path.join(HERE, "integer_check.c"), encoding="utf-8") as file:
            text = file.read().splitlines()
        # A loop of a macro is where that is used.
        told = re.findall(r"integer_check\.c:(\d+):\d+: optimized: loop vectorized", built.stderr)
        for number, line in enumerate(text, 1):
            # Of unsigned ones both remainders are one; no processor divides vectors of 64 bits.
            if re.match(r"(UN)?SIGNED\([iu]\d+, \d+\)$", line):
                verdict(told.count(str(number)) >= (3 if "64" in line else 5), f"{where} vectorises what is in {line}", built.stderr)
    if ran is None:
        skip(len(INTEGERS), f"this processor does not run code for {arch}")
        return
    for name in INTEGERS:
        verdict(re.search(rf"^ok +{name} 0 wrong$", ran.stdout, re.M), f"{where} computes with {name}", ran.stdout + ran.stderr)


def has_openmp(compiler, folder):
    probe = os.path.join(folder, "probe.c")
    with open(probe, "w", encoding="utf-8") as file:
        file.write("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
    return compile_it([compiler, "-fopenmp", "-o", os.path.join(folder, f"probe_{compiler}"), probe]).returncode == 0


def kernel_builds(folder, flags):
    """(name, command without its output), and why others are left out"""
    builds, left_out = [], []
    for compiler, plus in (("gcc", "g++"), ("clang", "clang++")):
        if not shutil.which(compiler):
            left_out += [f"{compiler} is not installed"] * 7
            continue
        builds.append((compiler, [compiler, *flags]))
        builds.append((f"{compiler} -O0", [compiler, *flags, "-O0"]))
        builds.append((f"{compiler} without clones", [compiler, *flags, "-DOPGEN_NO_CLONES"]))
        builds.append((f"{compiler} with sanitizers", [compiler, *flags, *SANITIZE]))
        if processor_has({"avx2", "fma"}):
            builds.append((f"{compiler} for one processor", [compiler, *flags, "-march=x86-64-v3"]))
        else:
            left_out.append("this processor does not run code for x86-64-v3")
        if has_openmp(compiler, folder):
            builds.append((f"{compiler} with threads", [compiler, *flags, "-fopenmp"]))
        else:
            left_out.append(f"{compiler} has no OpenMP here")
        if shutil.which(plus):
            cxx = [flag for flag in flags if not flag.startswith("-std=")]
            builds.append((f"{plus}", [plus, "-std=c++17", *cxx, "-x", "c++"]))
        else:
            left_out.append(f"there is no {plus}")
    return builds, left_out


def build_kernel(folder, number, name, command):
    program = os.path.join(folder, f"kernel_{number}")
    built = compile_it([*command, os.path.join(HERE, "kernel_check.c"), "-o", program, "-lm"])
    ran = run(program) if built.returncode == 0 else None
    return name, built, ran


def bodies(assembly):
    """{label: lines} of an assembly file's functions"""
    found, lines = {}, None
    for line in assembly.splitlines():
        match = re.match(r'"?([\w.$-]+)"?:', line)
        if match and not match[1].startswith(".L"):
            lines = found.setdefault(match[1], [])
        elif lines is not None:
            lines.append(line)
    return found


def check_clones(folder, flags):
    # What each version is called, and a register that only it has.
    versions = {"gcc": {"arch_x86_64_v3": "ymm", "arch_x86_64_v4": "zmm", "default": "xmm"},
                "clang": {"avx2": "ymm", "avx512f": "zmm", "default": "xmm"}}
    for compiler, names in versions.items():
        at = os.path.join(folder, f"kernel_{compiler}.s")
        built = compile_it([compiler, *flags, "-S", "-o", at, os.path.join(HERE, "kernel_check.c")])
        if built.returncode != 0:
            verdict(False, f"{compiler} writes assembly", built.stderr)
            continue
        with open(at, encoding="utf-8") as file:
            functions = bodies(file.read())
        for function in ("part", "sum", "blocks"):
            for name, register in names.items():
                labels = [label for label in functions if re.match(rf"{function}\.{name}(\.|$)", label)]
                if not labels and name == "default":
                    labels = [label for label in functions if label == function]
                text = "\n".join(line for label in labels for line in functions[label])
                # memcpy is left for the odd ends of a block; whole lines are stored by what the processor has for that.
                # Some distributions' compilers guard stacks.
                calls = {call.removesuffix("@PLT") for call in re.findall(r"\bcall\w*\s+(\S+)", text)}
                calls -= {"memcpy", "opgen_lines_v4", "opgen_lines_v3", "__stack_chk_fail"}
                verdict(f"%{register}" in text, f"{compiler}: {function} for {name} has {register}", " ".join(functions))
                verdict(labels != [] and not calls, f"{compiler}: {function} for {name} calls nothing", str(calls))


def main():
    with open(os.path.join(TEMPLATES, "backend.json"), encoding="utf-8") as file:
        compiler = json.load(file)["compiler"]
    flags = compiler["flags"] + compiler["warnings"] + ["-Wshadow", "-Werror", "-I" + TEMPLATES]
    archs = ["x86-64", "x86-64-v3", "x86-64-v4", "sanitized"]
    if not processor_has({"avx2", "fma"}):
        archs.remove("x86-64-v3")
        skip(1, "this processor does not run code for x86-64-v3")
    folder = cc.work_folder()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        # One of the compilers sanitizes: what the other would find is the same.
        ways = [(c, a) for c in ("gcc", "clang") for a in archs if a != "sanitized" or c == "clang"]
        maths = [pool.submit(build_math, folder, flags, name, c, a) for name in ("math", "double") for c, a in ways]
        integers = [(a, c, pool.submit(build_math, folder, flags, "integer", c, a)) for c, a in ways]
        builds, left_out = kernel_builds(folder, flags)
        kernels = [pool.submit(build_kernel, folder, i, *build) for i, build in enumerate(builds)]
        for future in maths:
            check_math(*future.result())
        for arch, compiler, future in integers:
            check_integers(arch, compiler, *future.result()[3:])
        for future in kernels:
            name, built, ran = future.result()
            verdict(ran is not None and ran.returncode == 0, f"kernel_check.c by {name}",
                    built.stderr if ran is None else ran.stdout + ran.stderr)
        for why in left_out:
            skip(1, why)
        check_clones(folder, flags)
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
