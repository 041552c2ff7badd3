#!/bin/bash
# opgen lint on models: they are told from operators by what is in them, and may use operators linted beside them.
. tests/check.sh
ops=$PWD/tests/graph/ops.json
cd "$work" || exit 2
mkdir empty mine folder
export OPGEN_DATA=$PWD/empty
cp "$ops" mine/ops.json

cat >good.json <<'END'
{"opgen": 1, "name": "mlp", "dims": {"n": {"max": 256}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 8]}},
 "params": {"w": {"dtype": "f32", "shape": [16, 8]}},
 "nodes": [{"op": "linear", "in": ["x", "w"], "out": "y"}],
 "outputs": ["y"]}
END

# ---- what is right
run "$OPGEN" lint -I mine good.json
expect 0 ""
is "nothing to say" "$out" ""

# ---- every mistake, each at its place
cat >bad.json <<'END'
{"opgen": 1, "name": "mlp",
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 8]}},
 "params": {"w": {"dtype": "f32", "shape": [16, 8]}},
 "nodes": [{"op": "linear", "in": {"input": "x", "wieght": "w"}, "out": "y"}],
 "outputs": ["z"]}
END
run "$OPGEN" lint -I mine bad.json
expect 1 ""
is "all findings, on stdout" "$out" 'bad.json:2:46: error[E021]: there is no dim "n"
    2 |  "inputs": {"x": {"dtype": "f32", "shape": ["n", 8]}},
      |                                              ^ declare it: "dims": {"n": {"min": 1, "max": 256}}
bad.json:4:50: error[E021]: op "linear" has no input "wieght"
    4 |  "nodes": [{"op": "linear", "in": {"input": "x", "wieght": "w"}, "out": "y"}],
      |                                                  ^~~~~~~~ did you mean "weight"?
bad.json:5:14: error[E021]: no node makes "z"
    5 |  "outputs": ["z"]}
      |              ^~~
'
run "$OPGEN" lint -I mine --diagnostics=github bad.json
expect 1
like "in other formats" "$out" '*::error file=bad.json,line=2,col=46*::error file=bad.json,line=5,col=14*'

# ---- without the operators there is no such op; a key alone makes it a model
run "$OPGEN" lint good.json
expect 1
like "an operator that there is not" "$out" '*good.json:4:19: error\[E021\]: there is no op "linear"*'
echo '{"opgen": 1}' >head.json
run "$OPGEN" lint head.json
expect 1
like "known by \"opgen\"" "$out" '*head.json:1:1: error\[E022\]: a model has a name*'
echo '{"nodes": []}' >nodes.json
run "$OPGEN" lint nodes.json
expect 1
like "known by \"nodes\"" "$out" '*nodes.json:1:1: error\[E022\]: a model says which version*'
echo '{"size": 3}' >data.json
run "$OPGEN" lint data.json
expect 0 ""

# ---- a folder of operators and models, whichever is read first
cp good.json folder/a.json
cp "$ops" folder/b.json
cp bad.json folder/c.json
run "$OPGEN" lint folder/a.json folder/b.json
unlike "operators beside it" "$out" '*folder/a.json*'
run "$OPGEN" lint folder
expect 1
unlike "operators in its folder" "$out" '*folder/a.json*'
like "and the one that is wrong" "$out" '*folder/c.json:4:50*'

# ---- a warning is no mistake
sed 's/"params": {/"params": {"v": {"dtype": "f32", "shape": [1]}, /' good.json >warn.json
run "$OPGEN" lint -I mine warn.json
expect 0 ""
like "but is told" "$out" '*warn.json:3:13: warning\[E042\]: param "v" is not used*'

finish
