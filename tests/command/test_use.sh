#!/bin/bash
# --use: a candidate template in the place of an operator's own: the product of matrices by OpenBLAS.
. tests/check.sh
cd "$work" || exit 2
cat >product.json <<'END'
{"opgen": 1, "name": "product", "dims": {"n": {"min": 0, "max": 70}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 33]}, "y": {"dtype": "f64", "shape": [2, "n", 5]},
            "z": {"dtype": "f16", "shape": [7, 33]}, "i": {"dtype": "i32", "shape": [4, 6]}},
 "params": {"w": {"dtype": "f32", "shape": [19, 33]}, "b": {"dtype": "f32", "shape": [19]}},
 "nodes": [{"op": "linear", "in": ["x", "w", "b"], "out": "l"}, {"op": "gelu", "in": "l", "out": "g"},
           {"op": "transpose", "in": "y", "attrs": {"dim0": 1, "dim1": 2}, "out": "t"},
           {"op": "bmm", "in": ["t", "y"], "out": "p"},
           {"op": "cast", "in": "x", "attrs": {"dtype": "f16"}, "out": "h"}, {"op": "linear", "in": ["z", "h"], "out": "q"},
           {"op": "transpose", "in": "i", "attrs": {"dim0": 0, "dim1": 1}, "out": "it"},
           {"op": "mm", "in": ["i", "it"], "out": "m"}],
 "outputs": ["g", "p", "q", "m"]}
END
for cc in gcc clang; do
    run "$OPGEN" verify product.json -o "$cc" --use gemm_openblas --cc "$cc -Wall -Wextra -Werror"
    is "$cc: the same values as without it" "$status:$err" 0:
    check "$cc: it is OpenBLAS that computes" grep -q -- -lopenblas "$cc/product/product.mk"
    integers=$(ls "$cc"/product/k_*mm_i32_*.c)
    check "$cc: but not of integers" sh -c "test -s $integers && ! grep -q cblas $integers"
done
run "$OPGEN" generate product.json -o plain
check "nobody else is linked with it" sh -c "! grep -rq openblas plain/product/product.mk plain/product/CMakeLists.txt"
run "$OPGEN" check product.json -o gcc
is "another template is another file" "$status" 1
like "and the command that mends it says so" "$("$OPGEN" check product.json -o plain --use gemm_openblas 2>&1)" '*--use gemm_openblas --prune*'
run "$OPGEN" generate product.json -o gen --use gemm_openblass
expect 2 "*no operator here has that candidate*"
like "a misspelt one" "$err" '*did you mean "gemm_openblas"?*'
check "nothing is written then" test ! -e gen
finish
