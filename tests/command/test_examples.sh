#!/bin/bash
# The examples: what their READMEs promise, with values that NumPy computed.
. tests/check.sh

cp -R examples "$work/examples"
cd "$work" || exit 1
export CFLAGS="-O1 -DOPGEN_NO_CLONES"

near() { # WHAT FILE EXPECTED: equal within 1e-5, and no NaN
    check "$1" /usr/bin/python3 -c '
import sys, numpy
got, wanted = (numpy.load(name).astype("f8") for name in sys.argv[1:])
sys.exit(not (got.shape == wanted.shape and bool((abs(got - wanted) <= 1e-5).all())))' "$2" "$3"
}

run "$OPGEN" check examples/checked_in/model.json -o examples/checked_in/gen
expect 0 ""
is "the checked-in sources are fresh" "$out" ""

run make -s -C examples/checked_in
expect 0 ""
like "a plain makefile builds them, and the values are right" "$out" '*0 wrong*'
if command -v cmake >/dev/null; then
    check "CMake configures" cmake -S examples/checked_in -B nearest -DCMAKE_BUILD_TYPE=Debug --log-level=ERROR
    run cmake --build nearest
    expect 0 ""
    run nearest/nearest
    expect 0 ""
    like "the values are right there too" "$out" '*0 wrong*'
else
    skip "cmake is not installed"
fi

run "$OPGEN" lint examples/add_one/ops
expect 0 ""
/usr/bin/python3 -c 'import numpy; numpy.save("x.npy", numpy.arange(5, dtype="f4"))
numpy.save("wanted.npy", numpy.arange(1, 6, dtype="f4"))'
run "$OPGEN" run examples/add_one/model.json -I examples/add_one/ops -o out --in x=x.npy --out y=y.npy
expect 0 ""
near "an operator of one's own" y.npy wanted.npy

run "$OPGEN" compile examples/mlp/model.json -o out
expect 0 ""
run "$OPGEN" run out/mlp/libmlp.so --in x=examples/mlp/x.npy --out y=mlp.npy
expect 0 ""
near "the values of mlp" mlp.npy examples/mlp/expected.npy
check "a program links it" "${CC:-gcc}" -Iout/mlp examples/mlp/main.c -o out/mlp/classify -Lout/mlp -lmlp -Wl,-rpath,"\$ORIGIN" -lm
run out/mlp/classify out/mlp/mlp.safetensors
expect 0 ""
like "and runs" "$out" 'row 0: class * with *'

run "$OPGEN" run examples/encoder/model.json -o out --in x=examples/encoder/x.npy --out y=encoder.npy
expect 0 ""
near "the values of encoder" encoder.npy examples/encoder/expected.npy
finish
