"""alone.py: a kernel by itself: generated from a model of a few nodes, and built with sanitizers into a program that includes its source.

    out, kernels = alone.generated(folder, "sum_f32", inputs, nodes)
    wrong = alone.verdict(out, "harness", text, "gcc")
    alone.finish({"sum f32, gcc": future, ...})
"""

import json
import os
import subprocess
import sys

import cc

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
FLAGS = ["-std=c11", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# Sanitizers take most of a compiler's time where it optimises as well: so gcc, which does a little, leaves out what the other, which does not, looks at
# too; and both what takes most and is seen over whole operators too (tests/ops/test_sanitized.sh): whether addresses wrap.
WAYS = {"gcc": ["-Og", "-march=native", "-fno-sanitize=null,object-size,pointer-overflow"],
        "clang": ["-O0", "-march=native", "-fno-sanitize=pointer-overflow"]}


def generated(folder, name, inputs, nodes, outputs=None):
    """The folder of a model's sources, and its kernels by name; the model's outputs are the nodes', or those named. A dim that is a name is as large as it likes."""
    path = os.path.join(folder, f"{name}.json")
    dims = {dim: {"max": 1 << 30} for one in inputs.values() for dim in one["shape"] if isinstance(dim, str)}
    model = {"opgen": 1, "name": name, "dims": dims, "inputs": inputs, "nodes": nodes, "outputs": outputs or [node["out"] for node in nodes]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    done = subprocess.run([OPGEN, "generate", path, "-o", os.path.join(folder, "gen")], check=False, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{name} is not generated:\n{done.stderr}")
    out = os.path.join(folder, "gen", name)
    return out, sorted(one for one in os.listdir(out) if one.startswith("k_") and one.endswith(".c"))


def verdict(out, name, text, compiler, flags=(), beside=()):
    """What went wrong when the program was built, of sources of the folder `beside` it as well, and run; or nothing. For this
    processor alone, which is sooner done."""
    flags = [*WAYS[compiler], *flags]
    name = os.path.join(out, name)
    with open(name + ".c", "w", encoding="utf-8") as file:
        file.write(text)
    built = cc.run([compiler, *FLAGS, *flags, f"-I{out}", "-o", name, name + ".c", *(os.path.join(out, one) for one in beside), "-lm"])
    if built.returncode != 0:
        return built.stderr[-2000:]
    environment = {key: value for key, value in os.environ.items() if not key.endswith("SAN_OPTIONS")}
    ran = subprocess.run([name], capture_output=True, text=True, env=environment, timeout=250)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr[-2000:] or f"status {ran.returncode}"


def finish(waiting, passed=0, failed=0):
    """Says what of the verdicts that are waited for went wrong, and how many did not; ends the test."""
    for what, future in waiting.items():
        wrong = future.result()
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(f"FAILED: {what}\n{wrong}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)
