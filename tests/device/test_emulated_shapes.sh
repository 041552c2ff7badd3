#!/bin/bash
# test_emulated_shapes.sh: shapes that take other ways through the kernels than small ones do, on the emulated device beside the CPU's reference:
# reductions in the middle with so many columns that each has one thread, rows that are no whole vectors, pictures' layouts, sorts of all lengths.
. tests/check.sh
here=$PWD/tests/device
cd "$work" || exit 2

same() { # MODEL DIMS...
    local dims=("${@:2}")
    run "$OPGEN" verify "$1.json" -b emulated -I "$here" "${dims[@]/#/--dim=}" --json -o gen
    check "$1 of ${dims[*]}" /usr/bin/python3 -c '
import json, sys
told = json.loads(sys.argv[1])
assert told["same"] is True and told["not_run"] == [] and len(told["outputs"]) == len(json.load(open(sys.argv[2]))["outputs"]) and all(o["wrong"] == 0 for o in told["outputs"]), told' "$out" "$1.json"
}

cat >reduce.json <<'END'
{"opgen": 1, "name": "reduce", "dims": {"n": {"min": 0, "max": 1000000}, "m": {"max": 100}},
 "inputs": {"x": {"dtype": "bf16", "shape": ["n", 2, 8]}, "z": {"dtype": "f32", "shape": ["n", "m", 3]}, "q": {"dtype": "f16", "shape": ["n", 49]},
            "u": {"dtype": "i8", "shape": ["n", "m"]}},
 "nodes": [{"op": "sum", "in": "x", "attrs": {"dim": 1}, "out": "a"}, {"op": "argmax", "in": "x", "attrs": {"dim": 1}, "out": "b"},
           {"op": "var", "in": "z", "attrs": {"dim": 1, "correction": 0}, "out": "c"}, {"op": "mean", "in": "q", "attrs": {"dim": 1}, "out": "d"},
           {"op": "argmin", "in": "q", "attrs": {"dim": 1}, "out": "e"}, {"op": "amax", "in": "u", "attrs": {"dim": 1}, "out": "f"},
           {"op": "softmax", "in": "x", "attrs": {"dim": 1}, "out": "g"}],
 "outputs": ["a", "b", "c", "d", "e", "f", "g"]}
END
for dims in "0 3" "1 1" "5 2" "33 99" "1000 7" "270400 1"; do
    same reduce "n=${dims% *}" "m=${dims#* }"
done

cat >rows.json <<'END'
{"opgen": 1, "name": "rows", "dims": {"n": {"min": 0, "max": 100000}, "m": {"max": 1000}},
 "inputs": {"x": {"dtype": "bf16", "shape": ["n", "m"]}, "c": {"dtype": "bf16", "shape": ["m"]}, "k": {"dtype": "bf16", "shape": ["n", 1]},
            "p": {"dtype": "f32", "shape": [3, "n", 1, "m"]}, "s": {"dtype": "f32", "shape": [1, 2, "m"]}},
 "nodes": [{"op": "add", "in": ["x", "c"], "out": "a"}, {"op": "mul", "in": ["x", "k"], "out": "b"}, {"op": "sub", "in": ["p", "s"], "out": "d"}],
 "outputs": ["a", "b", "d"]}
END
for dims in "0 5" "1 1" "1 7" "3 5" "37 30" "8 16" "129 33"; do
    same rows "n=${dims% *}" "m=${dims#* }"
done

cat >pictures.json <<'END'
{"opgen": 1, "name": "pictures", "dims": {"n": {"max": 100}, "c": {"max": 300}, "h": {"max": 300}, "w": {"max": 300}},
 "inputs": {"x": {"dtype": "bf16", "shape": ["n", "c", "h", "w"]}, "z": {"dtype": "f32", "shape": ["n", "h", "w", "c"]}, "b": {"dtype": "f32", "shape": ["w", 1]}},
 "nodes": [{"op": "permute", "in": "x", "attrs": {"dims": [0, 2, 3, 1]}, "out": "a"}, {"op": "permute", "in": "z", "attrs": {"dims": [0, 3, 1, 2]}, "out": "d"},
           {"op": "permute", "in": "x", "attrs": {"dims": [0, 3, 2, 1]}, "out": "e"}, {"op": "permute", "in": "x", "attrs": {"dims": [2, 3, 0, 1]}, "out": "f"},
           {"op": "permute", "in": "x", "attrs": {"dims": [0, 2, 3, 1]}, "out": "g_"}, {"op": "cast", "in": "g_", "attrs": {"dtype": "f32"}, "out": "gw"},
           {"op": "add", "in": ["gw", "b"], "out": "g"},
           {"op": "max_pool2d", "in": "x", "attrs": {"kernel_size": 3, "stride": 2, "padding": 1}, "out": "p"}],
 "outputs": ["a", "d", "e", "f", "g_", "gw", "g", "p"]}
END
for dims in "1 1 1 1" "2 3 5 7" "1 64 4 16" "3 8 28 28" "2 130 9 9" "1 3 40 100" "2 16 64 64"; do
    read -r n c h w <<<"$dims"
    same pictures "n=$n" "c=$c" "h=$h" "w=$w"
done


cat >sort.json <<'END'
{"opgen": 1, "name": "sort", "dims": {"n": {"max": 100000}, "m": {"max": 100000}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", "m"]}, "y": {"dtype": "i8", "shape": ["m", "n"]}},
 "nodes": [{"op": "sort", "in": "x", "attrs": {"dim": 1}, "out": ["a", "b"]}, {"op": "sort", "in": "y", "attrs": {"dim": 0, "descending": true}, "out": ["c", "d"]}],
 "outputs": ["a", "b", "c", "d"]}
END
for dims in "40 1" "5 20" "33 33" "9 128" "3 129" "2 1024" "2 5000"; do
    same sort "n=${dims% *}" "m=${dims#* }"
done

cat >topk.json <<'END'
{"opgen": 1, "name": "topk", "dims": {"n": {"max": 100000}, "m": {"min": 64, "max": 100000}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", "m"]}, "y": {"dtype": "i8", "shape": ["m", "n"]}},
 "nodes": [{"op": "topk", "in": "x", "attrs": {"k": 50}, "out": ["a", "b"]}, {"op": "topk", "in": "y", "attrs": {"k": 7, "dim": 0, "largest": false}, "out": ["c", "d"]},
           {"op": "topk", "in": "x", "attrs": {"k": 64, "largest": false}, "out": ["e", "f"]}],
 "outputs": ["a", "b", "c", "d", "e", "f"]}
END
for dims in "3 64" "2 513" "3 1024" "2 1025" "2 5000" "1 20000"; do
    same topk "n=${dims% *}" "m=${dims#* }"
done
# Rows in order, from which each element is kept for a while; all the same; no numbers.
/usr/bin/python3 -c '
import numpy as np
n = np.arange(7000)
np.savez("rows.npz", x=np.array([n, -n, 0 * n, np.where(n % 7 == 0, np.nan, n), np.where(n % 3 == 0, -0.0, 0.0)], np.float32), y=np.tile((n // 40 - 90).astype(np.int8)[:, None], 5))'
run "$OPGEN" run topk.json -b emulated -I "$here" --in=rows.npz --out=emulated.npz -o gen
run "$OPGEN" run topk.json --in=rows.npz --out=cpu.npz -o gen
check "topk of rows in order" /usr/bin/python3 -c '
import numpy as np
one, other = np.load("emulated.npz"), np.load("cpu.npz")
assert len(one.files) == 6 and all(one[name].tobytes() == other[name].tobytes() for name in one.files), one.files'

finish
