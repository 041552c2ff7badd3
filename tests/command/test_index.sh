#!/bin/bash
# Integers that say where: a run with one that is no position fails, tells which node and what, writes nothing beyond its
# tensors, and the model goes on working. Also of weights, when they are loaded.
. tests/check.sh

cd "$work" || exit 1
export CFLAGS="-O1 -DOPGEN_NO_CLONES -fsanitize=address,undefined -fno-sanitize-recover=all" LDFLAGS="-fsanitize=address,undefined"
cat >model.json <<'EOF'
{"opgen": 1, "name": "m", "dims": {"n": {"min": 0, "max": 64}},
 "inputs": {"x": {"dtype": "f32", "shape": [4, 3]}, "i": {"dtype": "i64", "shape": ["n"]}, "j": {"dtype": "i32", "shape": ["n"]}},
 "params": {"w": {"dtype": "f32", "shape": [10, 3]}, "p": {"dtype": "i64", "shape": [2]}},
 "nodes": [
   {"op": "embedding", "in": ["i", "w"], "out": "e"},
   {"op": "index_select", "in": ["x", "j"], "attrs": {"dim": 0}, "out": "s"},
   {"op": "add", "in": ["e", "s"], "out": "y"},
   {"op": "index", "in": ["x", "j"], "out": "wrapped"},
   {"op": "index_select", "in": ["w", "p"], "attrs": {"dim": 0}, "out": "two"},
   {"op": "reshape", "in": ["j"], "attrs": {"shape": ["n", 1]}, "out": "columns"},
   {"op": "expand", "in": ["columns"], "attrs": {"size": ["n", 3]}, "out": "rows"},
   {"op": "scatter_add", "in": ["x", "rows", "e"], "attrs": {"dim": 0}, "out": "added"},
   {"op": "one_hot", "in": ["j"], "attrs": {"num_classes": 4}, "out": "hot"}],
 "outputs": ["y", "wrapped", "two", "added", "hot"]}
EOF
/usr/bin/python3 - <<'EOF'
import json, numpy as np

def tensors(path, **given):
    header, at = {}, 0
    for name, array in given.items():
        header[name] = {"dtype": {"f": "F", "i": "I"}[array.dtype.kind] + str(8 * array.itemsize), "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in given.values()))

random = np.random.default_rng(1)
x, w = (random.standard_normal(shape).astype("f4") for shape in ((4, 3), (10, 3)))
i, j = np.array([0, 9, 3, 3, 1]), np.array([0, 3, 1, 2, 3], "i4")
np.save("x.npy", x), np.save("i.npy", i), np.save("j.npy", j)
tensors("good.safetensors", w=w, p=np.array([9, 0]))
tensors("bad.safetensors", w=w, p=np.array([1, 10]))
added = x.copy()
np.add.at(added, j, w[i])
np.save("want_y.npy", w[i] + x[j]), np.save("want_added.npy", added)
np.save("want_two.npy", w[[9, 0]]), np.save("want_hot.npy", np.ascontiguousarray(np.eye(4, dtype="i8")[j])), np.save("want_wrapped.npy", x[j])
for name, at, value in (("i_beyond", 4, 10), ("i_negative", 0, -1), ("i_least", 2, -(2**63)), ("i_most", 1, 2**63 - 1)):
    bad = i.copy()
    bad[at] = value
    np.save(f"{name}.npy", bad)
for name, at, value in (("j_beyond", 4, 4), ("j_negative", 0, -1), ("j_least", 2, -(2**31)), ("j_most", 1, 2**31 - 1)):
    bad = j.copy()
    bad[at] = value
    np.save(f"{name}.npy", bad)
EOF
run "$OPGEN" compile model.json -o out
expect 0 ""
# The library has a sanitizer in it, and opgen, which loads it, has none.
asan=$("${CC:-gcc}" -print-file-name=libasan.so)
opgen() { LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 "$OPGEN" "$@"; }

all=(--weights good.safetensors --in x=x.npy)
run opgen run out/m/libm.so "${all[@]}" --in i=i.npy --in j=j.npy --out y=y.npy --out wrapped=wrapped.npy --out two=two.npy --out added=added.npy --out hot=hot.npy
expect 0 ""
for name in y wrapped two added hot; do
    check "the values of $name" /usr/bin/python3 -c '
import sys, numpy
got, wanted = (numpy.load(name) for name in sys.argv[1:])
sys.exit(not (got.shape == wanted.shape and numpy.allclose(got, wanted, rtol=1e-6, atol=1e-6)))' $name.npy want_$name.npy
done

fails() { # I J MESSAGE
    run opgen run out/m/libm.so "${all[@]}" --in i="$1".npy --in j="$2".npy --out y=bad.npy
    expect 2 "*$3*"
}
fails i_beyond j 'm: node "e_rows": position 10 is beyond the 10 that there are'
fails i_negative j 'm: node "e_rows": position -1 is beyond the 10 that there are'
fails i_least j 'm: node "e_rows": position -9223372036854775808 is beyond the 10 that there are'
fails i_most j 'm: node "e_rows": position 9223372036854775807 is beyond the 10 that there are'
fails i j_beyond 'position 4 is beyond the 4 that there are'
fails i j_negative 'm: node "s_at": position -1 is beyond the 4 that there are'
fails i j_least 'm: node "s_at": position -2147483648 is beyond the 4 that there are'
fails i j_most 'm: node "s_at": position 2147483647 is beyond the 4 that there are'
is "nothing was written" "$(ls bad.npy 2>/dev/null)" ""

run opgen run out/m/libm.so --weights bad.safetensors --in x=x.npy --in i=i.npy --in j=j.npy
expect 2 '*node "two_at": position 10 is beyond the 10 that there are*'
finish
