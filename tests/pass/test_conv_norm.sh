#!/bin/bash
# batch_norm that went into a convolution's weights: the results are those of both operators one after the other.
. tests/check.sh
cd "$work" || exit 2
export CFLAGS="-O1 -DOPGEN_NO_CLONES"

cat >net.json <<'END'
{"opgen": 1, "name": "net", "dims": {"n": {"max": 3}, "h": {"min": 3, "max": 12}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 4, "h", 9]}},
 "params": {"w": {"dtype": "f32", "shape": [6, 2, 3, 3]}, "c": {"dtype": "f32", "shape": [6]}, "mean": {"dtype": "f32", "shape": [6]}, "deviation": {"dtype": "f32", "shape": [6]},
            "gain": {"dtype": "f32", "shape": [6]}, "shift": {"dtype": "f32", "shape": [6]}, "residual": {"dtype": "f32", "shape": [6, 1, 1]}},
 "nodes": [{"op": "square", "in": ["deviation"], "out": "v"}, {"op": "add", "in": ["v", 0.25], "out": "var"},
           {"op": "conv2d", "in": ["x", "w", "c"], "attrs": {"padding": "same", "groups": 2}, "out": "p"},
           {"op": "batch_norm", "in": ["p", "mean", "var", "gain", "shift"], "out": "b"},
           {"op": "add", "in": ["b", "residual"], "out": "r"}, {"op": "relu", "in": ["r"], "out": "y"}],
 "outputs": ["y"]}
END
run "$OPGEN" graph net.json --passes
expect 0 ""
unlike "no normalisation is left" "${out##*== functions}" "*batch_norm_apply*"
like "bias, residual and relu are of the convolution's function" "${out##*== functions}" "*conv2d_add_relu_*conv2d(*"
run "$OPGEN" verify net.json
expect 0 ""
like "three sizes" "$out" "*n=3, h=12*ok*"
unlike "none differs" "$out" "*DIFFERS*"
finish
