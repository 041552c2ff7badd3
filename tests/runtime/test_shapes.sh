#!/bin/bash
# test_shapes: what a model's header tells of shapes, held against runs of the same library over the whole range of its dims; and sizes that
# cannot be, refused by the header's functions, by runs and when the model is read.
. tests/check.sh
here=$PWD
cd "$work" || exit 2

cat >ranges.json <<'END'
{"opgen": 1, "name": "ranges", "dims": {"batch": {"min": 1, "max": 9}, "length": {"min": 2, "max": 33}},
 "inputs": {"x": {"dtype": "f32", "shape": ["batch", "length", 3]}, "m": {"dtype": "f32", "shape": ["batch", "length"]}},
 "nodes": [
  {"op": "add", "in": ["x", "x"], "out": "twice"},
  {"op": "reshape", "in": "twice", "attrs": {"shape": ["batch", "length * 3"]}, "out": "y"},
  {"op": "sum", "in": "x", "attrs": {"dim": -1}, "out": "sums"},
  {"op": "add", "in": ["sums", "m"], "out": "s"},
  {"op": "sum", "in": "x", "out": "whole"},
  {"op": "reshape", "in": "x", "attrs": {"shape": ["batch * length // 2", 6]}, "out": "rows"}],
 "outputs": ["y", "s", "whole", "rows"]}
END
run "$OPGEN" generate ranges.json -o gen
expect 0
sources=$(ls gen/ranges/*.c | grep -v _models.c)
for way in "" "-fsanitize=address,undefined -fno-sanitize-recover=undefined"; do
    # shellcheck disable=SC2086
    run ${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror $way -DOPGEN_NO_CLONES -Igen/ranges "$here/tests/runtime/shapes_model.c" $sources \
        -o shapes -lpthread -ldl -lm
    expect 0
    run ./shapes
    is "shapes and runs${way:+, sanitized}" "$status:$out:$err" "0:23 runs"$'\n'":"
done
echo '#include "ranges.h"' >header.cpp
run ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Igen/ranges header.cpp
expect 0 ""

# ---- models that have little to tell
sed 's/"name": "ranges"/"name": "fixed"/; s/{"batch": .*}},$/{"batch": 4, "length": 6},/' ranges.json >fixed.json
cat >scalar.json <<'END'
{"opgen": 1, "name": "scalar", "inputs": {"x": {"dtype": "f32", "shape": [4]}}, "nodes": [{"op": "sum", "in": "x", "out": "y"}], "outputs": ["y"]}
END
cat >blank.json <<'END'
{"opgen": 1, "name": "blank", "nodes": [{"op": "full", "attrs": {"size": [4], "fill_value": 1}, "out": "y"}], "outputs": ["y"]}
END
for model in fixed scalar blank; do
    run "$OPGEN" generate $model.json -o gen
    expect 0
    echo "#include \"$model.h\"" >$model.c
    run ${CC:-cc} -std=c11 -Wall -Wextra -Werror -fsyntax-only -Igen/$model $model.c
    expect 0 ""
done
like "sizes that are numbers" "$(cat gen/fixed/fixed.h)" "*fixed_shapes(*"
like "no inputs" "$(cat gen/blank/blank.h)" "*blank_shapes(int64_t shape_y[[]1[]])*"
unlike "no sizes" "$(cat gen/scalar/scalar.h)" "*scalar_shapes(*"

# ---- at run time, from the command line
/usr/bin/python3 -c '
import numpy as np
for n, shape in dict(x=(2, 4, 3), long=(2, 34, 3), flat=(2, 4), odd=(3, 5, 3), x_odd=(3, 5), m=(2, 4), other=(2, 5), narrow=(2, 4, 2)).items():
    np.save(n, np.ones(shape, "f4"))'
run "$OPGEN" compile ranges.json -o gen
expect 0
library=gen/ranges/libranges.so
run "$OPGEN" run $library --in x=x.npy --in m=m.npy
expect 0
run "$OPGEN" run $library --in x=long.npy --in m=m.npy
expect 2 '*the dim length is a number from 2 to 33, but in long.npy it is 34*'
run "$OPGEN" run $library --in x=x.npy --in m=other.npy
expect 2 '*the dim length is 4, but in other.npy it is 5*'
run "$OPGEN" run $library --in x=narrow.npy --in m=m.npy
expect 2 '*f32 (batch, length, 3)*narrow.npy*f32 (2, 4, 2)*'
run "$OPGEN" run $library --in x=odd.npy --in m=x_odd.npy
expect 2 '**elements of shape*do not make the shape*with batch=3, length=5*'

# ---- when the model is read, where it is known then
for change in 's/"batch \* length \/\/ 2", 6/"batch", "length", 4/' 's/"batch": {"min": 1, "max": 9}/"batch": 3/; s/"length": {"min": 2, "max": 33}/"length": 5/'; do
    sed "$change" ranges.json >bad.json
    run "$OPGEN" generate bad.json -o bad
    expect 2 '*error*elements of shape*do not make the shape*'
done
check "nothing is written" test ! -e bad
finish
