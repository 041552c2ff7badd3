#!/bin/bash
# An index that is no position, on a backend for GPUs: the run's kernels go on, and whoever waits for them is told which node it was in
# which call. On the emulated device a run is done when it returns, so it is the run itself.
. tests/check.sh
emulated=(-b emulated -I "$PWD/tests/device")
cd "$work" || exit 2
export EMUCXXFLAGS=-O0

cat >m.json <<'JSON'
{"opgen": 1, "name": "m", "dims": {"n": {"min": 1, "max": 4096}},
 "inputs": {"ids": {"dtype": "i64", "shape": ["n"]}, "at": {"dtype": "i32", "shape": ["n", 4]}, "to": {"dtype": "i64", "shape": ["n", 8]},
            "t": {"dtype": "f32", "shape": [7, 8]}},
 "nodes": [{"op": "embedding", "in": {"input": "ids", "weight": "t"}, "out": "e"}, {"op": "softmax", "in": "e", "attrs": {"dim": -1}, "out": "s"},
           {"op": "gather", "in": {"input": "s", "index": "at"}, "attrs": {"dim": 1}, "out": "y"},
           {"op": "scatter_add", "in": {"input": "e", "index": "to", "src": "s"}, "attrs": {"dim": 1}, "out": "z"}],
 "outputs": ["y", "z"]}
JSON
/usr/bin/python3 - <<'PY'
import numpy as np
good = {"ids": np.array([6, 0, 3]), "at": np.array([[0, 1, 2, 7]] * 3, np.int32), "to": np.array([[7, 0, 1, 2, 3, 4, 5, 6]] * 3)}
np.savez("good.npz", **good)
for name, value in (("ids", 7), ("ids", -1), ("at", 8), ("to", -2**62), ("to", 1000)):
    bad = {key: array.copy() for key, array in good.items()}
    bad[name].flat[-1] = value
    np.savez(f"{name}{value}.npz", **bad)
PY
run "$OPGEN" compile m.json "${emulated[@]}" -o gen
is "compile" "$status:$err" "0:"
run "$OPGEN" compile m.json -o cpu
is "compile for the CPU" "$status" 0
for library in gen/m/libm.so cpu/m/libm.so; do
    run "$OPGEN" run $library --in good.npz
    is "$library: indices that are positions" "$status:$err" "0:"
    while IFS=: read -r file text; do
        run "$OPGEN" run $library --in "$file.npz"
        like "$library: $file" "$status:$err" "2:*$text*"
    done <<'END'
ids7:m: node "e_rows*": position 7 is beyond the 7 that there are
ids-1:m: node "e_rows*": position -1 is beyond the 7 that there are
at8:m: node "y_at*": position 8 is beyond the 8 that there are
to-4611686018427387904:m: node "z_*": position -4611686018427387904 is beyond the 8 that there are
to1000:m: node "z_*": position 1000 is beyond the 8 that there are
END
done

# ---- what it costs those that have none: no word of it in functions that look at no index
check "functions without an index have no parameter for it" bash -c '! grep -l fault gen/m/k_softmax*'

# ---- the folder of one backend taken by another, and given back
run "$OPGEN" compile m.json -o gen
is "the CPU's where the device's was" "$status:$err" "0:"
run "$OPGEN" compile m.json "${emulated[@]}" -o gen
is "and the device's again" "$status:$err" "0:"

finish
