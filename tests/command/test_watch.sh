#!/bin/bash
# Runs that are watched, of generated code: what each call leaves held against a model that gives all its values; profiles as tables, JSON and
# traces; runs that were dumped done again, bit by bit; the node that a NaN comes up in.
. tests/check.sh
cd "$work" || exit 2
export CFLAGS=-O0 # what is built is not what is tested
python() { /usr/bin/python3 -c "import glob, json, os, sys
import numpy as np
$1" "${@:2}"; }

# Views that lie in others' memory, operators in place, what depends on weights alone, outputs that are copies, sizes that are expressions.
cat >net.json <<'END'
{"opgen": 1, "name": "net", "dims": {"n": {"min": 1, "max": 40}, "m": 6},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 6]}, "k": {"dtype": "i64", "shape": ["n"]}},
 "params": {"w": {"dtype": "f32", "shape": [6, 6]}, "b": {"dtype": "f32", "shape": [6]}},
 "nodes": [
  {"op": "exp", "in": "b", "out": "eb"},
  {"op": "linear", "in": {"input": "x", "weight": "w", "bias": "eb"}, "out": "h"},
  {"op": "relu", "in": "h", "out": "r"},
  {"op": "reshape", "in": "r", "attrs": {"shape": ["n * 2", 3]}, "out": "folded"},
  {"op": "softmax", "in": "folded", "attrs": {"dim": -1}, "out": "s"},
  {"op": "reshape", "in": "s", "attrs": {"shape": ["n", 6]}, "out": "back"},
  {"op": "linear", "in": {"input": "back", "weight": "w"}, "out": "g"},
  {"op": "sub_", "in": ["g", "x"], "out": "g2"},
  {"op": "sum", "in": "g2", "attrs": {"dim": 1}, "out": "t"},
  {"op": "add", "in": ["k", "k"], "out": "kk"},
  {"op": "cumsum", "in": "kk", "attrs": {"dim": 0}, "out": "c"},
  {"op": "log", "in": "t", "out": "l"}],
 "outputs": ["g2", "l", "c", "folded", "eb"]}
END
python '
model = json.load(open("net.json"))
model["name"] = "every"
model["nodes"] = [{**n, "op": n["op"].rstrip("_")} for n in model["nodes"]]
model["outputs"] = [n["out"] for n in model["nodes"]]
json.dump(model, open("every.json", "w"))
r = np.random.default_rng(7)
np.savez("in.npz", x=-r.random((9, 6)).astype("f4"), k=r.integers(-5, 5, 9))
np.savez("nan.npz", x=9 + r.random((9, 6)).astype("f4"), k=r.integers(-5, 5, 9))
w, b = r.random((6, 6)).astype("f4"), r.normal(size=6).astype("f4")
header = json.dumps({"w": {"dtype": "F32", "shape": [6, 6], "data_offsets": [0, 144]}, "b": {"dtype": "F32", "shape": [6], "data_offsets": [144, 168]}})
header = header.ljust(-(-len(header) // 64) * 64)
open("w.st", "wb").write(len(header).to_bytes(8, "little") + header.encode() + w.tobytes() + b.tobytes())'
run "$OPGEN" compile net.json -o gen
expect 0
run "$OPGEN" run every.json -o gen --in in.npz --weights w.st --out every.npz --without rewrite --without fuse --without fold
expect 0
library=gen/net/libnet.so

# ---- dumps, and each value that a call leaves
mkdir dumps
run env OPGEN_LOG=4 OPGEN_DUMP=dumps "$OPGEN" run $library --in in.npz --weights w.st --out first.npz
expect 0
dump=$(echo dumps/net-*-1)
check "calls leave what they should" python '
every, seen = np.load("every.npz"), set()
for path in sorted(glob.glob(sys.argv[1] + "/nodes/*.npy")):
    name = os.path.basename(path)[5:-4]
    if name not in every: continue
    got, wanted = np.load(path), every[name]
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (name, got.shape, wanted.shape)
    assert np.allclose(got, wanted, 1e-5, 1e-6), (name, got, wanted)
    seen.add(name)
assert len(seen) >= 5 and "g2" in seen and "c" in seen, seen
for name, value in np.load("first.npz").items():
    assert np.array_equal(np.load(f"{sys.argv[1]}/outputs/{name}.npy"), value), name
about = json.load(open(sys.argv[1] + "/run.json"))
assert about["model"] == "net" and about["dims"]["n"] == 9 and about["weights"] == os.path.realpath("w.st"), about' "$dump"

# ---- and the run once more from there: the same bits; other weights, others
run "$OPGEN" run $library --replay "$dump" --out again.npz
expect 0 ""
is "nothing differs" "$(grep -c 'the same bits' <<<"$out")" 5
check "the same bits" python '
a, b = np.load("first.npz"), np.load("again.npz")
assert sorted(a) == sorted(b) and all(a[k].tobytes() == b[k].tobytes() for k in a)'
python '
b = bytearray(open("w.st", "rb").read())
b[-1] ^= 0x80
open("other.st", "wb").write(b)'
run "$OPGEN" run $library --replay "$dump" --weights other.st
expect 1 ""
like "what differs is told" "$out" *'replay: g2: '*' of 54 values differ, by at most '*'replay: c: the same bits'*
run "$OPGEN" run $library --replay dumps
expect 2 '*dumps/run.json*'
run "$OPGEN" run gen/every/libevery.so --weights w.st --replay "$dump"
expect 2 '*is a run of "net", not of every*'
echo '[1]' >"$dump/run.json"
run "$OPGEN" run $library --replay "$dump"
expect 2 '*no run that OPGEN_LOG=4 wrote*'

# ---- a run that changes an input, with weights that no file has
cat >acc.json <<'E'
{"opgen": 1, "name": "acc", "dims": {"n": {"min": 1, "max": 9}}, "params": {"w": {"dtype": "f32", "shape": [1]}},
 "inputs": {"s": {"dtype": "f32", "shape": ["n"], "mutable": true}, "x": {"dtype": "f32", "shape": ["n"]}},
 "nodes": [{"op": "mul", "in": ["x", "w"], "out": "p"}, {"op": "add_", "in": ["s", "p"], "out": "s2"}, {"op": "neg", "in": "s2", "out": "y"}],
 "outputs": ["y"]}
E
mkdir others
run env OPGEN_LOG=4 OPGEN_DUMP=others "$OPGEN" run acc.json -o gen --dim n=5 --seed 3
expect 0
run "$OPGEN" run gen/acc/libacc.so --replay "$(echo others/acc-*-1)"
expect 0 ""
like "output and state" "$out" *$'\nreplay: y: the same bits\nreplay: s: the same bits\n'
check "before and after" python '
at = glob.glob("others/acc-*-1")[0]
load = lambda name: np.load(f"{at}/{name}.npy")
assert np.array_equal(load("changed/s"), load("inputs/s") + load("inputs/x") * load("params/w")) and np.array_equal(load("outputs/y"), -load("changed/s"))'

# ---- NaN: log of what is negative
run env OPGEN_CHECK=nan "$OPGEN" run $library --in nan.npz --weights w.st
expect 2 '*net: node* "*l" (*log): tensor "l", an output, has a NaN at (0,), the first in its run*'
run env OPGEN_CHECK=nan "$OPGEN" run $library --in in.npz --weights w.st
expect 0 ""
python '
b = bytearray(open("w.st", "rb").read())
b[-24:-20] = np.float32("nan").tobytes()
open("bad.st", "wb").write(b)'
run env OPGEN_CHECK=nan "$OPGEN" run $library --in in.npz --weights bad.st
expect 2 '*net: param "b" has a NaN at (0,)*'

# ---- weights of which nothing is right: all of it is told
python '
header = json.dumps({"w": {"dtype": "F32", "shape": [3, 3], "data_offsets": [0, 36]}, "c": {"dtype": "F32", "shape": [1], "data_offsets": [36, 40]}})
open("wrong.st", "wb").write(len(header).to_bytes(8, "little") + header.encode() + bytes(40))'
run "$OPGEN" run $library --in in.npz --weights wrong.st
expect 2 '*wrong.st: tensor "w": wanted f32 (6, 6), got f32 (3, 3)*; has no tensor "b", which model net wants*'

# ---- profiles
run "$OPGEN" run $library --in in.npz --weights w.st --profile --trace trace.json --repeat 7
expect 0 ""
like "outputs, operators, functions" "$out" 'output  '*$'\n\n7 runs: '*' us each, from '*$'\noperators '*' calls  total ms '*softmax*$'\nfunction '*
check "lines of a table are aligned" python '
tables = sys.argv[1].split("\n\n")[-2:]
for table in tables:
    lines = table.strip("\n").split("\n")
    assert len(lines) > 3 and len({len(line) for line in lines}) == 1, table' "$out"
run "$OPGEN" run $library --in in.npz --weights w.st --profile --json --repeat 3
expect 0 ""
check "JSON" python '
told = json.loads(sys.argv[1])
profile = told["profile"]
assert [o["name"] for o in told["outputs"]] == ["g2", "l", "c", "folded", "eb"]
assert profile["runs"]["count"] == 3 and all(c["count"] == 3 for c in profile["calls"]) and len(profile["calls"]) >= 5
share = sum(c["seconds"] for c in profile["calls"]) / profile["runs"]["seconds"]
assert 0 < share <= 1.0001, share
linear = [c for c in profile["calls"] if c["operators"].startswith("linear") and "h" in c["nodes"].split(", ")][0]
assert linear["flops"] >= 3 * 9 * 6 * 6 * 2 and linear["bytes"] == 3 * 4 * (9 * 6 * 2 + 36 + 6), linear
assert profile["fold"] and profile["fold"][0]["count"] == 0' "$out"
check "the trace" python '
trace = json.load(open("trace.json"))
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
runs = [e for e in events if e["cat"] == "run"]
calls = [e for e in events if e["cat"] == "call"]
assert len(runs) == 7 and len(calls) == 7 * len(trace["opgen"]["calls"]) and trace["eventsLost"] == 0
for call in calls:
    assert any(r["ts"] - .002 <= call["ts"] and call["ts"] + call["dur"] <= r["ts"] + r["dur"] + .002 for r in runs), call'
run "$OPGEN" run $library --in in.npz --weights w.st --repeat 3
expect 2 '*--repeat is of use with --profile or --trace*'
run "$OPGEN" run $library --in in.npz --weights w.st --trace /nowhere/trace.json
expect 2 '*/nowhere/trace.json*'
run env OPGEN_PROFILE=env.json "$OPGEN" run $library --in in.npz --weights w.st
expect 0 ""
check "OPGEN_PROFILE" python 'p = json.load(open("env.json")); assert p["opgen"]["runs"]["count"] == 1 and p["opgen"]["fold"][0]["count"] == 1'
finish
