#!/bin/bash
# Inputs that a run changes, and params under other names in weights files: what is made of them, and every slip by its name.
. tests/check.sh
cd "$work" || exit 2
export CFLAGS=-O0 # what is built is not what is tested
python() { /usr/bin/python3 -c "import json
import numpy as np
def st(path, **named):
    header, at, data = {}, 0, b''
    for name, a in named.items():
        header[name.replace('__', '.')] = {'dtype': 'F32', 'shape': list(a.shape), 'data_offsets': [at, at + a.nbytes]}
        at, data = at + a.nbytes, data + a.tobytes()
    text = json.dumps(header).encode()
    open(path, 'wb').write(len(text).to_bytes(8, 'little') + text + data)
$1" "${@:2}"; }

# A sum that goes on from run to run, and a cache; both under names of their own in the weights' file.
cat >sums.json <<'EOF'
{"opgen": 1, "name": "sums", "dims": {"n": {"min": 1, "max": 100}, "batch": {"max": 4}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n"]}, "sum": {"dtype": "f32", "shape": ["n"], "mutable": true},
            "cache": {"dtype": "f32", "shape": ["batch", 2, 6, 3], "mutable": true}, "rows": {"dtype": "f32", "shape": ["batch", 2, 2, 3]},
            "lengths": {"dtype": "i64", "shape": ["batch"]}},
 "params": {"w": {"dtype": "f32", "shape": [1], "key": "net.0.weight"}, "b": {"dtype": "f32", "shape": [1]}},
 "weights": "w.safetensors",
 "nodes": [{"op": "mul", "in": ["x", "w"], "out": "xw"}, {"op": "add", "in": ["xw", "b"], "out": "more"},
           {"op": "mul", "in": ["sum", 2], "out": "old"},
           {"op": "add_", "in": ["sum", "more"], "out": "sum1"},
           {"op": "kv_cache_append_", "in": ["cache", "rows", "lengths"], "out": "cache1"},
           {"op": "add", "in": ["old", "sum1"], "out": "y"}],
 "outputs": ["y"]}
EOF
python '
r = np.random.default_rng(1)
f = lambda *s: r.normal(size=s).astype("f4")
st("w.safetensors", net__0__weight=np.array([3], "f4"), b=np.array([0.5], "f4"), other=f(4))
st("plain.safetensors", w=np.array([3], "f4"), b=np.array([0.5], "f4"))
st("near.safetensors", net__0__weights=np.array([3], "f4"), b=np.array([0.5], "f4"))
st("shape.safetensors", net__0__weight=np.array([3, 4], "f4"), b=np.array([0.5], "f4"))
np.savez("in.npz", x=f(5), sum=f(5), cache=f(3, 2, 6, 3), rows=f(3, 2, 2, 3), lengths=np.array([0, 5, 3]))'

# ---- a run gives what it changed back, beside the outputs, and no copy is made of it
run "$OPGEN" run sums.json -o gen --in in.npz --out out.npz
expect 0 ""
after='
i, o = np.load("in.npz"), np.load("out.npz")
assert sorted(o.files) == ["cache", "sum", "y"], o.files
total = i["sum"].astype("f8") + i["x"] * 3.0 + 0.5
assert np.allclose(o["sum"], total, atol=1e-6) and np.allclose(o["y"], total + 2 * i["sum"], atol=1e-6)
cache = i["cache"].copy()
for b, n in enumerate(i["lengths"]):
    for t in range(2):
        if n + t < 6: cache[b, :, n + t] = i["rows"][b, :, t]
assert np.array_equal(o["cache"], cache)'
check "the values" python "$after"
unlike "nothing is copied" "$(grep -c 'copy(run, ' gen/sums/sums.c)" '[1-9]*'
like "the header says what is changed" "$(cat gen/sums/sums.h)" '*input sum: f32 (n,), changed by a run
*input cache: f32 (batch, 2, 6, 3), changed by a run
*const DLTensor \*in_x, DLTensor \*in_sum, DLTensor \*in_cache, const DLTensor \*in_rows*'
run "$OPGEN" run gen/sums/libsums.so --in in.npz --out sum=sum.npy --out cache=cache.npz
expect 0 ""
check "one by one" python 'o = np.load("out.npz"); assert np.array_equal(np.load("sum.npy"), o["sum"]) and np.array_equal(np.load("cache.npz")["cache"], o["cache"])'
python 'i, o = dict(np.load("in.npz")), np.load("out.npz"); np.savez("again.npz", **{**i, "sum": o["sum"], "cache": o["cache"]})'
run "$OPGEN" run gen/sums/libsums.so --in again.npz --out twice.npz
expect 0 ""
check "from there on" python 'i, o = np.load("again.npz"), np.load("twice.npz"); assert np.allclose(o["sum"], i["sum"] + i["x"] * 3.0 + 0.5, atol=1e-6)'
run "$OPGEN" run gen/sums/libsums.so --in in.npz
like "the table has them, too" "$out" $'output *\ny *\nsum (input) *\ncache (input) *'
run "$OPGEN" run gen/sums/libsums.so --in in.npz --json
check "and JSON" python 'import sys; j = json.loads(sys.argv[1]); assert [t["name"] for t in j["outputs"]] == ["y"] and [t["name"] for t in j["changed"]] == ["sum", "cache"], j' "$out"
run "$OPGEN" run gen/sums/libsums.so --in in.npz --out x=x.npy
expect 2 '*sums has no output "x"*'

run "$OPGEN" graph sums.json
like "the graph says it" "$out" $'*input sum f32(n,) mutable
*param w f32(1,) key "net.0.weight"
param b f32(1,)
*'
run "$OPGEN" graph sums.json --svg
like "and the picture" "$out" '*input sum: f32(n,), changed by a run*'

# ---- with the passes and without them
run "$OPGEN" verify sums.json -o gen
expect 0 ""
like "what is changed is compared" "$out" $'*y *ok*sum *ok*cache *ok*'

# ---- an input that is not mutable stays as it is
sed 's/, "mutable": true//' sums.json >copies.json
run "$OPGEN" run copies.json -o copies --in in.npz --out copies.npz
expect 0 '*warning*nothing uses what this node makes*it changes a copy of input "cache"*'
check "only outputs come back, the same" python 'o = np.load("copies.npz"); assert o.files == ["y"] and np.array_equal(o["y"], np.load("out.npz")["y"])'

# ---- the old value in a view that is read later: the result is made elsewhere and brought back
cat >late.json <<'EOF'
{"opgen": 1, "name": "late", "inputs": {"k": {"dtype": "f32", "shape": [4], "mutable": true}},
 "nodes": [{"op": "reshape", "in": "k", "out": "v", "attrs": {"shape": [2, 2]}}, {"op": "relu_", "in": "k", "out": "k1"},
           {"op": "reshape", "in": "k1", "out": "v1", "attrs": {"shape": [2, 2]}}, {"op": "mm", "in": ["v", "v1"], "out": "y"}], "outputs": ["y"]}
EOF
python 'np.save("k.npy", np.array([-1, 2, -3, 4], "f4"))'
run "$OPGEN" run late.json -o gen --in k=k.npy --out late.npz
expect 0 ""
check "both values" python '
o, k = np.load("late.npz"), np.load("k.npy").reshape(2, 2)
assert np.array_equal(o["k"], [0, 2, 0, 4]) and np.allclose(o["y"], k @ np.maximum(k, 0))'

# ---- weights under their keys
run "$OPGEN" run gen/sums/libsums.so --in in.npz --weights near.safetensors
expect 2 '*near.safetensors: has no tensor "net.0.weight", which model sums wants as param "w", did you mean "net.0.weights"?*'
run "$OPGEN" run gen/sums/libsums.so --in in.npz --weights plain.safetensors
expect 2 '*has no tensor "net.0.weight", which model sums wants as param "w"*'
run "$OPGEN" run gen/sums/libsums.so --in in.npz --weights shape.safetensors
expect 2 '*tensor "net.0.weight": wanted f32 (1,), got f32 (2,)*'
sed 's/w.safetensors/near.safetensors/' sums.json >near.json
run "$OPGEN" compile near.json -o gen
expect 2 '*param "w" cannot be loaded: the weights have no tensor "net.0.weight", which is its key*'
run "$OPGEN" compile sums.json -o embedded --embed-weights
expect 0 "*"
run "$OPGEN" run embedded/sums/libsums.so --in in.npz --out out.npz
expect 0 ""
check "embedded ones have the same values" python "$after"

# ---- a program: what overlaps, and params by either name
cat >main.c <<'EOF'
#include <stdio.h>
#include <string.h>
#include "sums.h"
#define TRY(call) printf("%s\n", (call) == 0 ? "good" : opgen_last_error())
int main(void) {
    OpgenInstance *sums;
    float memory[5 + 5 + 36 + 12] = {0}, y[5], two[1] = {2};
    int64_t lengths[1] = {0}, n[1] = {5}, caches[4] = {1, 2, 6, 3}, new[4] = {1, 2, 2, 3}, one[1] = {1};
    DLTensor x = opgen_tensor(memory, OPGEN_F32, 1, n), sum = opgen_tensor(memory + 5, OPGEN_F32, 1, n);
    DLTensor cache = opgen_tensor(memory + 10, OPGEN_F32, 4, caches), rows = opgen_tensor(memory + 46, OPGEN_F32, 4, new);
    DLTensor from = opgen_tensor(lengths, OPGEN_I64, 1, one), out = opgen_tensor(y, OPGEN_F32, 1, n), w = opgen_tensor(two, OPGEN_F32, 1, one);
    if (sums_create(NULL, &sums)) return puts(opgen_last_error()), 1;
    TRY(sums_run(sums, &x, &sum, &cache, &rows, &from, &out, NULL));
    sum.data = memory + 4;
    TRY(sums_run(sums, &x, &sum, &cache, &rows, &from, &out, NULL));
    sum.data = memory + 6;
    TRY(sums_run(sums, &x, &sum, &cache, &rows, &from, &out, NULL));
    sum.data = y;
    TRY(sums_run(sums, &x, &sum, &cache, &rows, &from, &out, NULL));
    sum.data = memory + 5;
    rows.data = memory + 40;
    TRY(sums_run(sums, &x, &sum, &cache, &rows, &from, &out, NULL));
    rows.data = memory + 46;
    printf("%d %d %d\n", opgen_find_param(&sums_model, "w"), opgen_find_param(&sums_model, "net.0.weight"), opgen_find_param(&sums_model, "b"));
    TRY(opgen_weights_replace(sums, (const char *const[]){"net.0.weight"}, &w, 1));
    TRY(opgen_weights_replace(sums, (const char *const[]){"net.0.weight", "w"}, (DLTensor[]){w, w}, 2));
    memset(memory, 0, sizeof memory);
    memory[0] = 10;
    TRY(sums_run(sums, &x, &sum, &cache, &rows, &from, &out, NULL));
    printf("%g %g\n", (double)memory[5], (double)memory[6]);
    return sums_free(sums);
}
EOF
check "a program links it" "${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -Igen/sums main.c -o main -Lgen/sums -lsums -Wl,-rpath,"$PWD/gen/sums"
run ./main
expect 0 ""
is "what it says" "$out" 'good
sums: input "sum", which a run changes, overlaps input "x" in memory; give each its own
sums: input "sum", which a run changes, overlaps input "cache" in memory; give each its own
sums: output "y" overlaps input "sum" in memory; give each its own
sums: input "cache", which a run changes, overlaps input "rows" in memory; give each its own
0 0 1
good
sums: param "w" is given twice
good
20.5 0.5
'

# ---- in C without a C library
cat >bare.json <<'EOF'
{"opgen": 1, "name": "bare", "inputs": {"x": {"dtype": "f32", "shape": [4]}, "sum": {"dtype": "f32", "shape": [4], "mutable": true},
  "cache": {"dtype": "f32", "shape": [1, 2, 4, 2], "mutable": true}, "rows": {"dtype": "f32", "shape": [1, 2, 1, 2]}, "lengths": {"dtype": "i64", "shape": [1]}},
 "nodes": [{"op": "add_", "in": ["sum", "x"], "out": "s"}, {"op": "kv_cache_append_", "in": ["cache", "rows", "lengths"], "out": "c"}, {"op": "sum", "in": "c", "out": "y"}], "outputs": ["y"]}
EOF
cat >bare_main.c <<'EOF'
#include <stdio.h>
#include "bare.h"
int main(void) {
    const float x[4] = {1, 2, 3, 4}, rows[4] = {5, 6, 7, 8};
    float sum[4] = {0}, cache[16] = {0}, y[1];
    for (int64_t n = 0; n < 6; n++) /* two more than there is room for */
        if (bare_run(x, sum, cache, rows, &n, y) != bare_ok) return 1;
    printf("%g %g %g %g\n", (double)sum[0], (double)sum[3], (double)cache[15], (double)y[0]);
    return 0;
}
EOF
run "$OPGEN" generate bare.json --profile=embedded -o bare
expect 0 "*"
check "it compiles without a word" bash -c "'${CC:-gcc}' -std=c11 -Wall -Wextra -Werror -Ibare/bare bare_main.c bare/bare/*.c -o bare_main -lm"
run ./bare_main
expect 0 ""
is "and changes what it is given" "$out" $'6 24 8 104\n'
finish
