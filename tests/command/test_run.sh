#!/bin/bash
# opgen run: libraries and models, arrays in and out held against NumPy, dims, weights, and every slip by its name.
. tests/check.sh
cd "$work" || exit 2
export CFLAGS=-O0 # what is built is not what is tested
python() { /usr/bin/python3 -c "import json, sys
import numpy as np
$1" "${@:2}"; }

cat >net.json <<'END'
{"opgen": 1, "name": "net", "dims": {"n": {"min": 0, "max": 100}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 4]}, "k": {"dtype": "i64", "shape": ["n"]},
            "h": {"dtype": "f16", "shape": ["n"]}, "g": {"dtype": "bf16", "shape": ["n"]},
            "b": {"dtype": "bool", "shape": ["n"]}, "s": {"dtype": "f64", "shape": []}},
 "params": {"w": {"dtype": "f32", "shape": [4]}},
 "nodes": [{"op": "mul", "in": ["x", "w"], "out": "y"}, {"op": "add", "in": ["k", "k"], "out": "doubled"},
           {"op": "neg", "in": "h", "out": "hh"}, {"op": "neg", "in": "g", "out": "gg"},
           {"op": "logical_not", "in": "b", "out": "bb"}, {"op": "neg", "in": "s", "out": "ss"}],
 "outputs": ["y", "doubled", "hh", "gg", "bb", "ss"]}
END
python '
r = np.random.default_rng(5)
np.savez("in.npz", x=r.normal(size=(7, 4)).astype("f4"), k=r.integers(-9, 9, 7), h=r.normal(size=7).astype("f2"),
         g=(r.normal(size=7).astype("f4").view("u4") >> 16).astype("u2").view("V2"), b=r.integers(0, 2, 7) == 1,
         s=np.float64(2.5), w=np.zeros(3, "f4"), y=np.zeros(2))
a = np.load("in.npz")
np.savez("good.npz", **{k: a[k] for k in "xkhgbs"})
for k in "xkhgbs": np.save(k + ".npy", a[k])
np.save("double.npy", a["x"].astype("f8"))
np.save("short.npy", a["x"][:, :3])
np.save("flat.npy", a["k"][:3])
np.save("many.npy", np.zeros((101, 4), "f4"))
def st(path, w):
    header = json.dumps({"w": {"dtype": "F32", "shape": list(w.shape), "data_offsets": [0, w.nbytes]}}).encode()
    open(path, "wb").write(len(header).to_bytes(8, "little") + header + w.tobytes())
st("w.st", np.array([1, -2, 3, 0.5], "f4"))'

# ---- a model, against NumPy
run "$OPGEN" run net.json --in good.npz --weights w.st --out out.npz
expect 0 ""
is "quiet when the outputs are written" "$out" ""
check "every output" python '
a, o = np.load("in.npz"), np.load("out.npz")
assert sorted(o) == ["bb", "doubled", "gg", "hh", "ss", "y"], sorted(o)
assert o["y"].dtype == np.float32 and np.array_equal(o["y"], a["x"] * np.array([1, -2, 3, 0.5], "f4"))
assert o["doubled"].dtype == np.int64 and np.array_equal(o["doubled"], a["k"] * 2)
assert o["hh"].dtype == np.float16 and np.array_equal(o["hh"], -a["h"])
assert np.array_equal(o["gg"].view("u2") ^ 0x8000, a["g"].view("u2"))
assert o["bb"].dtype == np.bool_ and np.array_equal(o["bb"], ~a["b"])
assert o["ss"].shape == () and o["ss"] == -2.5'

# ---- a library
library=gen/net/libnet.so
run "$OPGEN" run $library --weights w.st --in x=x.npy --in k=in.npz:k --in h=in.npz --in g=g.npy --in b=b.npy --in s=s.npy \
    --out y=y.npy --out doubled=kk.npy --out hh=one.npz
expect 0 ""
check "one by one" python '
o = np.load("out.npz")
assert np.array_equal(np.load("y.npy"), o["y"]) and np.array_equal(np.load("kk.npy"), o["doubled"])
assert list(np.load("one.npz")) == ["hh"]'
cp $library l.so
run "$OPGEN" run l.so --weights w.st --dim n=3
expect 0 ""
like "a table" "$out" $'output   dtype  shape   min *max *mean *values\ny        f32    (3, 4)  *\ndoubled  i64    (3,)    *\nhh *f16 *\ngg *bf16 *\nbb *bool *true*\nss       f64    ()      *'
run "$OPGEN" run l.so --weights w.st --in good.npz --json
check "JSON has the same numbers" python '
o, told = np.load("out.npz"), json.loads(sys.argv[1])
assert told["model"] == "net" and told["dims"] == {"n": 7}
for t in told["outputs"]:
    v = o[t["name"]]
    if t["dtype"] == "bf16": v = (v.view("u2").astype("u4") << 16).view("f4")
    assert t["shape"] == list(v.shape) and t["nan"] == 0 and t["inf"] == 0
    same = lambda a, b: v.dtype.type(a) == b
    assert same(t["min"], v.min()) and same(t["max"], v.max()) and abs(t["mean"] - v.astype("f8").mean()) < 1e-12, t
    assert all(map(same, t["values"], v.ravel())) and len(t["values"]) == min(5, v.size)' "$out"

# ---- random inputs: by the seed alone
for seed in 1 1 2; do "$OPGEN" run l.so --weights w.st --dim n=50 --seed $seed --out random.$seed.npz --out y=y.$seed.npy; done
run "$OPGEN" run l.so --weights w.st --dim n=50 --out again.npz
check "the same for the same seed" cmp random.1.npz again.npz
check "others for another" python '
a, b = np.load("random.1.npz"), np.load("random.2.npz")
assert all(not np.array_equal(a[k], b[k]) for k in a)
y = a["y"]
assert np.isfinite(y).all() and -3 <= y.min() < -1 and 1 < y.max() <= 3 and len(np.unique(y)) > 150
assert set(np.unique(a["doubled"])) <= {0, 2, 4, 6} and len(np.unique(a["bb"])) == 2'
run "$OPGEN" run l.so
expect 0 '*warning\[E022\]: the weights of net are random: neither the model nor --weights names a file*'
like "1 where the least is 0" "$out" *$'\ny        f32    (1, 4)  '*
run "$OPGEN" run l.so --weights w.st --dim n=0 --json
like "empty" "$status:$out" '0:*"shape": \[0, 4\], "min": null, "max": null, "mean": null, "nan": 0, "inf": 0, "values": \[\]*'
python 'np.save("odd.npy", np.array([[np.nan, np.inf, -np.inf, 1]], "f4"))'
run "$OPGEN" run l.so --weights w.st --in x=odd.npy
like "what is no number is counted" "$out" *$'\ny        f32    (1, 4)  -inf      0.5       0.5       nan -inf -inf 0.5  (1 NaN)  (2 infinite)\n'*
run "$OPGEN" run l.so --weights w.st --in x=odd.npy --json
check "and is JSON" python 't = json.loads(sys.argv[1])["outputs"][0]; assert t["values"][:2] == ["nan", "-inf"], t' "$out"

# ---- slips
slip() { # MESSAGE ARGUMENT...
    run "$OPGEN" run l.so --weights w.st "${@:2}"
    expect 2 "opgen: error\[$1"
    is "nothing on stdout" "$out" ""
}
slip 'E021\]: net has no input "xx"*hint: there are: x, k, h, g, b, s*' --in xx=x.npy
slip 'E021\]: net has no input "weight"*hint: there are: x, k, h, g, b, s*' --in weight=x.npy
slip 'E021\]: net has no input "w"*' --in in.npz
slip 'E021\]: in.npz has no array "z"*' --in x=in.npz:z
slip 'E001\]: --in takes NAME=FILE.npy, NAME=FILE.npz:ARRAY or FILE.npz, not "x.npy"*' --in x.npy
slip 'E001\]: the input x is given twice: "x.npy" and "in.npz"*' --in x=x.npy --in x=in.npz:x
slip 'E031\]: the input x: f32 (n, 4) does not take double.npy: it holds f64 (7, 4)*astype(numpy.float32)*' --in x=double.npy
slip 'E031\]: the input x: f32 (n, 4) does not take short.npy: it holds f32 (7, 3)*' --in x=short.npy
slip 'E031\]: the input k: i64 (n,) does not take x.npy: it holds f32 (7, 4)*' --in k=x.npy
slip 'E031\]: the dim n is 7, but in flat.npy it is 3*' --in x=x.npy --in k=flat.npy
slip 'E031\]: the dim n is 3, but in x.npy it is 7*' --in x=x.npy --dim n=3
slip 'E031\]: the dim n is a number from 0 to 100, but in many.npy it is 101*' --in x=many.npy
slip 'E025\]: the dim n is a number from 0 to 100, not "101"*' --dim n=101
slip 'E025\]: the dim n is a number from 0 to 100, not "1e1"*' --dim n=1e1
slip 'E021\]: net has no dim "m" *' --dim m=1
slip 'E081\]: nothere.npy: cannot be opened: No such file*' --in x=nothere.npy
slip 'E081\]: w.st: *' --in x=w.st
slip 'E021\]: net has no output "duobled"*hint: did you mean "doubled"?*' --out duobled=y.npy
slip 'E001\]: --out takes NAME=FILE.npy or FILE.npz, not "y.npy"*' --out y.npy
slip 'E002\]: nowhere/y.npy: *' --out y=nowhere/y.npy
slip 'E081\]: *no model "nat"*' --model nat
run "$OPGEN" run l.so --weights x.npy
expect 2 '*error\[E081\]: x.npy: *'
run "$OPGEN" run /usr/bin/env
expect 2 '*error\[E081\]: /usr/bin/env: cannot be loaded: *'
head -c 2000 l.so >half.so
run "$OPGEN" run half.so
expect 2 '*error\[E081\]: half.so is cut short: *'
run "$OPGEN" run nothere.so
expect 2 '*cannot read "nothere.so"*'
run sh -c '"$0" run l.so --weights w.st >/dev/full' "$OPGEN"
expect 2 '*cannot write to standard output*'

# ---- weights that the model names, and embedded ones
sed 's/"name": "net"/"name": "net", "weights": "w.st"/' net.json >named.json
run "$OPGEN" run named.json --in good.npz --out named.npz
expect 0 ""
check "the same outputs" cmp named.npz out.npz
run "$OPGEN" run $library --in good.npz --out beside.npz
is "found beside the library" "$status:$(cmp beside.npz out.npz)" "0:"
run "$OPGEN" run named.json --embed-weights --in good.npz --out embedded.npz
is "embedded" "$status:$(cmp embedded.npz out.npz)" "0:"
rm gen/net/w.st
run "$OPGEN" run $library --in good.npz --out embedded.npz
is "no file is needed" "$status:$(cmp embedded.npz out.npz)" "0:"

finish
