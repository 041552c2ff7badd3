#!/bin/bash
# The backends of GPUs as far as a machine without one goes: data that gen/ knows nothing of, sources in each vendor's own names,
# architectures, and compilers, where they are here; elsewhere a line says what was left out.
. tests/check.sh
top=$PWD
cd "$work" || exit 2
export PATH="$PATH:/usr/local/cuda/bin"

# ---- no name of a backend for GPUs, of its compiler or of an architecture in gen/, but in comments
check "gen/ knows no backend of GPUs" /usr/bin/python3 - "$top/gen" <<'PY'
import glob, re, sys
found = []
for path in glob.glob(sys.argv[1] + "/**/*.[ch]", recursive=True):
    if path.endswith(("reserved.c", "entities.c")):
        continue  # words of languages
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), open(path, encoding="utf-8").read(), flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        if "as in " not in line and re.search(r"\b(cuda|hip|musa|nvcc|hipcc|mcc|nvidia|rocm|sm_\d+|gfx\d+|mp_\d+)", line, re.I):
            found.append(f"{path}:{number}: {line.strip()}")
print("\n".join(found))
sys.exit(bool(found))
PY

cat >m.json <<'JSON'
{"opgen": 1, "name": "m", "dims": {"n": {"min": 1, "max": 4096}},
 "inputs": {"x": {"dtype": "bf16", "shape": ["n", 512]}, "b": {"dtype": "bf16", "shape": [512]}},
 "nodes": [{"op": "add", "in": ["x", "b"], "out": "h"}, {"op": "gelu", "in": "h", "out": "g"},
           {"op": "softmax", "in": "g", "attrs": {"dim": -1}, "out": "s"}, {"op": "sum", "in": "s", "attrs": {"dim": 0}, "out": "y"}],
 "outputs": ["s", "y"]}
JSON

# ---- sources: each vendor's own names and nobody else's
for backend in cuda hip musa; do
    run "$OPGEN" generate m.json -b $backend -o gen/$backend
    is "generate -b $backend" "$status" 0
    sources=$(cat gen/$backend/m/*.{cu,hip,mu} 2>/dev/null | sed 's/opgen_device_[a-z]*//g')
    for other in cuda hip musa; do
        calls=$(grep -cE "\b$other(Stream_t|GetLastError|Error_t|Malloc)" <<<"$sources")
        if [ $other = $backend ]; then
            check "$backend calls its own library" test "$calls" -gt 10
        else
            is "$backend calls no $other" "$calls" 0
        fi
    done
    run "$OPGEN" check m.json -b $backend -o gen/$backend
    is "check -b $backend" "$status" 0
done

# ---- what is compiled together: functions of one template, but for long ones; an edit of one is another source of its template
cat >units.py <<'PY'
import json, sys
nodes = [{"op": "layer_norm", "in": "x", "out": "h"}, {"op": "linear", "in": ["h", "w"], "out": "a"}, {"op": sys.argv[1], "in": "a", "out": "b"},
         {"op": "linear", "in": ["b", "w"], "out": "c"}, {"op": "cumsum", "in": "c", "attrs": {"dim": 0}, "out": "d"}, {"op": "exp", "in": "d", "out": "y"},
         {"op": "topk", "in": "d", "attrs": {"k": 3}, "out": ["v", "i"]}]
print(json.dumps({"opgen": 1, "name": "u", "inputs": {"x": {"dtype": "f32", "shape": [64, 64]}}, "params": {"w": {"dtype": "f32", "shape": [64, 64]}},
                  "nodes": nodes, "outputs": ["y", "v", "i"]}))
PY
for op in gelu silu; do
    /usr/bin/python3 units.py $op >u.json
    run "$OPGEN" generate u.json -b cuda -o gen/units-$op
    is "sources of a model with $op" "$status" 0
done
check "each function is in one source, and long ones are one" /usr/bin/python3 - "$top/templates/cuda/backend.json" gen/units-gelu/u gen/units-silu/u <<'PY'
import glob, json, os, re, sys
group = json.load(open(sys.argv[1]))["compiler"]["group"]
def sources(folder):
    text = open(f"{folder}/u.mk").read()
    return re.search(r"U_SOURCES := .*?\n(.*?)\)", text, re.S).group(1).replace("\\", "").split()
def members(folder):
    return {one: re.findall(r'^#include "(k_.*)"$', open(f"{folder}/{one}").read(), re.M) for one in sources(folder)}
for folder in sys.argv[2:]:
    functions = sorted(os.path.basename(path) for path in glob.glob(f"{folder}/k_*.cu"))
    found = members(folder)
    alone = [one for one in found if one.startswith("k_")]
    assert sorted(alone + [one for them in found.values() for one in them]) == functions and len(functions) >= 6, (found, functions)
    assert set(alone) == {one for one in functions if os.path.getsize(f"{folder}/{one}") > group / 2}, alone
    assert any(len(them) > 1 for them in found.values()), found
before, after = ({(one, open(f"{folder}/{one}").read()) for one in sources(folder) if one != "u.cu"} for folder in sys.argv[2:])
assert len(after - before) == 1, after - before
PY

# ---- and of many functions of one template, one name of which several have
cat >many.py <<'PY'
import json
nodes, outputs = [], []
for n, op in enumerate(["mine"] + ["add"] * 24 + ["mul"] * 3 + ["exp", "sin", "cos", "tanh", "erf", "sqrt", "neg", "abs", "floor", "ceil"]):
    attrs = {"alpha": n} if op == "add" else {}
    nodes.append({"op": op, "in": [f"x{n}", f"x{n}"] if op in ("add", "mul") else f"x{n}", "attrs": attrs, "out": f"y{n}"})
    outputs.append(f"y{n}")
print(json.dumps({"opgen": 1, "name": "u", "inputs": {f"x{n}": {"dtype": "f32", "shape": [64 + n]} for n in range(len(nodes))}, "nodes": nodes, "outputs": outputs}))
PY
mkdir -p edited && /usr/bin/python3 many.py >many.json
for by in 2 3 4 5; do
    printf '{"op": "mine", "doc": "of the test", "kind": "map", "inputs": ["input"], "expr": "input * %s"}' $by >edited/mine.json
    run "$OPGEN" generate many.json -b cuda -I edited -o gen/by-$by
    is "many sources, $by" "$status" 0
done
check "an edit of an operator is one source, and none is longer than it should be" /usr/bin/python3 - "$top/templates/cuda/backend.json" gen/by-2/u gen/by-3/u gen/by-4/u gen/by-5/u <<'PY'
import json, os, re, sys
group = json.load(open(sys.argv[1]))["compiler"]["group"]
def units(folder):
    text = open(f"{folder}/u.mk").read()
    names = re.search(r"U_SOURCES := .*?\n(.*?)\)", text, re.S).group(1).replace("\\", "").split()
    return {one: tuple(re.findall(r'^#include "(k_.*)"$', open(f"{folder}/{one}").read(), re.M)) for one in names if one != "u.cu"}
all = [units(folder) for folder in sys.argv[2:]]
for folder, found in zip(sys.argv[2:], all):
    functions = [one for them in found.values() for one in them]
    assert len(functions) > 30 and len(functions) == len(set(functions)), found
    sizes = [sum(os.path.getsize(f"{folder}/{one}") for one in them) for them in found.values()]
    assert max(sizes) <= group and len(sizes) < len(functions), (sizes, group)
for before, after in zip(all, all[1:]):
    changed = [one for one in before | after if before.get(one) != after.get(one)]
    assert len(changed) == 1 and "mine" in str(after[changed[0]]), (changed, before, after)
PY

# ---- a fourth one is a folder
mkdir -p mine/other
sed 's/"name": "cuda"/"name": "other"/; s/"prefix": "cuda"/"prefix": "other"/; s/cudaStream_t/otherStream_t/g; s/"\.cu"/".oth"/' \
    "$top/templates/cuda/backend.json" >mine/other/backend.json
cp "$top/templates/cuda/opgen_vendor.h" mine/other/
run "$OPGEN" generate m.json -b other -I mine -o gen/other
is "a fourth backend" "$status" 0
check "it has its own names" grep -q "otherGetLastError" gen/other/m/k_*.oth
check "and its device" grep -q "opgen_device_other" gen/other/m/opgen_other.oth

# ---- architectures
run "$OPGEN" compile m.json -b cuda --arch sm_91 -o gen/none
like "one that is not known" "$status:$err" '2:*the backend "cuda" knows no "sm_91"*it knows: *sm_90a*'
is "nothing was generated" "$(ls gen/none 2>/dev/null)" ""
mkdir -p ops && cat >ops/only.json <<'JSON'
{"op": "only", "doc": "for one architecture", "kind": "map", "inputs": ["input"], "expr": "input + 1", "arch": {"cuda": ["sm_90"]}}
JSON
sed 's/"gelu"/"only"/' m.json >only.json
run "$OPGEN" compile only.json -I ops -b cuda --arch sm_80,sm_90 -o gen/none
like "an operator that is for another" "$status:$err" '2:*op "only" is not for "sm_80" of the backend "cuda"*it is for sm_90*'
run "$OPGEN" compile only.json -I ops -b hip -o gen/none
like "or for another backend" "$status:$err" '2:*op "only" is not for the backend "hip"*it is for cuda*'
if ! [ -e /dev/nvidiactl ]; then
    run "$OPGEN" compile m.json -b cuda --arch native -o gen/none
    like "no device" "$status:$err" '2:*--arch native: there is no device of the backend "cuda" here*'
fi

# ---- compilers
units() { # BACKEND: the sources that are compiled, but for the driver
    sed -n '/^M_SOURCES :=/,/)/p' "gen/$1/m/m.mk" | grep -o '[a-z_0-9]*\.[a-z]*' | grep -v "^m\." | sed "s|^|gen/$1/m/|"
}
if command -v nvcc >/dev/null; then
    run "$OPGEN" compile m.json -b cuda --arch sm_80,sm_90a -o gen/built
    is "nvcc: sm_80, sm_90a" "$status" 0
    check "the library" test -s gen/built/m/libm.so
    if ! [ -e /dev/nvidiactl ]; then
        run "$OPGEN" run gen/built/m/libm.so
        like "it says that there is no device" "$status:$err" '2:*m: there is no device of NVIDIA here (*'
    fi
    for backend in hip musa; do
        for file in $(units $backend) gen/$backend/m/opgen_$backend.*; do
            run nvcc -x cu "-I$top/tests/device/compat" -std=c++17 -Xcompiler=-Wall -gencode=arch=compute_80,code=sm_80 -c -o out.o "$file"
            is "$(basename "$file") through nvcc" "$status:$err" "0:"
        done
    done
else
    skip "there is no nvcc: nothing is compiled for cuda"
fi
PATH="$PATH:/opt/rocm/bin"
if command -v hipcc >/dev/null; then
    for file in $(units hip) gen/hip/m/m.hip gen/hip/m/opgen_hip.hip; do
        run hipcc -x hip -std=c++17 -O1 -fPIC -Wall -Wextra -Wno-unused-parameter -Wno-unused-variable -Wno-pass-failed --offload-arch=gfx90a -c -o out.o "$file"
        is "$(basename "$file") for gfx90a" "$status:$err" "0:"
    done
    run hipcc --offload-arch=gfx90a -x c++ -DOPGEN_HOST -D__HIP_PLATFORM_AMD__=1 -std=c++17 -O1 -fPIC -Wall -Wextra -c -o out.o gen/hip/m/m.hip
    is "the driver for the host alone" "$status:$err" "0:"
else
    skip "there is no hipcc (make deps-hip): nothing is compiled for hip"
fi

finish
