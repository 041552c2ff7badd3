#!/bin/bash
# What is said where a convolution or a pool is given what does not fit.
. tests/check.sh
cd "$work" || exit 2

# said SHAPE OP WEIGHT ATTRS PATTERN: a model of one node; an empty WEIGHT is none
said() {
    local params='' in='["x"]'
    [ -z "$3" ] || params="\"params\": {\"w\": {\"dtype\": \"f32\", \"shape\": $3}}," in='["x", "w"]'
    cat >net.json <<END
{"opgen": 1, "name": "net", "dims": {"h": {"min": 1, "max": 64}}, "inputs": {"x": {"dtype": "${DTYPE:-f32}", "shape": $1}}, $params
 "nodes": [{"op": "$2", "in": $in, "attrs": $4, "out": "y"}], "outputs": ["y"]}
END
    run "$OPGEN" check net.json
    expect 2 "*$5*"
}

said '[2, 3, 8]' conv2d '[4, 3, 3]' '{}' 'weight has 4 dims, and input 4, or 3 where there is no batch; but input has shape [[]2, 3, 8], weight [[]4, 3, 3]'
said '[2, 3, 8, 8]' conv2d '[4, 4, 3, 3]' '{}' 'input has 3 channels, but weight is for 4 in each of 1 groups'
said '[2, 4, 8, 8]' conv2d '[5, 2, 3, 3]' '{"groups": 2}' '5 channels of the result are not 2 groups'
said '[2, 4, 8, 8]' conv2d '[4, 4, 3, 3]' '{"groups": 0}' 'groups is at least 1, not 0'
said '[2, 4, 8, 8]' conv2d '[4, 4, 3, 3]' '{"stride": [1, 0]}' 'stride and dilation are at least 1: [[]1, 0] and [[]1, 1]'
said '[2, 4, 8, 8]' conv2d '[4, 4, 3, 3]' '{"padding": -1}' 'padding is not negative: [[]-1, -1]'
said '[2, 4, 8, 8]' conv2d '[4, 4, 3, 3]' '{"padding": "same", "stride": 2}' "with padding 'same' stride is 1, not [[]2, 2]"
said '[2, 4, 8, 8]' conv2d '[4, 4, 3, 3]' '{"padding": "some"}' 'there is no dim "some"'
said '[2, 4, 8, 8]' conv2d '[4, 4, 3, 3]' '{"padding": [1, 2, 3]}' '"padding" is a list of 2, but this has 3'
said '[2, 4, 2, 8]' conv2d '[4, 4, 3, 3]' '{}' 'the window is larger than the input with its padding: input has shape [[]2, 4, 2, 8], weight [[]4, 4, 3, 3]'
said '[2, 4, 8]' conv1d '[4, 4, 5]' '{"dilation": 2}' 'the window is larger than the input with its padding'
DTYPE=f16 said '[2, 4, 8, 8]' conv2d '[4, 4, 3, 3]' '{}' 'dtypes differ: input is f16, weight is f32'
said '[2, 4, 8, 8]' conv_transpose2d '[3, 4, 3, 3]' '{}' 'input has 4 channels, but weight is for 3'
said '[2, 4, 8, 8]' conv_transpose2d '[4, 4, 3, 3]' '{"stride": 2, "output_padding": 2}' 'output_padding is less than stride or dilation: [[]2, 2]'
said '[2, 4, 1, 1]' conv_transpose2d '[4, 4, 3, 3]' '{"padding": 2}' 'padding of [[]2, 2] leaves nothing of the result'
said '[2, 8]' max_pool2d '' '{"kernel_size": 2}' 'input has 4 dims, (n, c, h, w), or 3 where there is no batch, but the shape is [[]2, 8]'
said '[2, 3, 8, 8]' max_pool2d '' '{"kernel_size": 0}' 'kernel_size, stride and dilation are at least 1'
said '[2, 3, 8, 8]' max_pool2d '' '{"kernel_size": 3, "padding": 2}' 'padding is at most half a window: [[]2, 2] for kernel_size [[]3, 3]'
said '[2, 3, 4, 8]' avg_pool2d '' '{"kernel_size": 5}' 'the window is larger than the input with its padding: the shape is [[]2, 3, 4, 8], kernel_size [[]5, 5]'
said '[2, 3, 8, 8]' avg_pool2d '' '{"kernel_size": 2, "divisor_override": 0}' 'the divisor is 0'
said '[2, 3, 8, 8]' avg_pool2d '' '{}' 'kernel_size'
said '[2, 3, 0, 8]' adaptive_max_pool2d '' '{"output_size": 2}' 'there is nothing to pool over: the shape is [[]2, 3, 0, 8]'
said '[2, 3, 8, 8]' adaptive_avg_pool2d '' '{"output_size": [2, -1]}' 'output_size is not negative: [[]2, -1]'
said '[2, 3, 8]' lp_pool1d '' '{"kernel_size": 2, "norm_type": 0}' 'norm_type is not 0'

# A size that is only known at a run is asked for there.
cat >late.json <<'END'
{"opgen": 1, "name": "late", "dims": {"h": {"min": 1, "max": 64}}, "inputs": {"x": {"dtype": "f32", "shape": [1, 1, "h"]}, "w": {"dtype": "f32", "shape": [1, 1, 3]}},
 "nodes": [{"op": "conv1d", "in": ["x", "w"], "out": "y"}], "outputs": ["y"]}
END
export CFLAGS=-O0
run "$OPGEN" run late.json --dim h=2
expect 2 '*the window is larger than the input*'
run "$OPGEN" run late.json --dim h=3
expect 0 ''
finish
