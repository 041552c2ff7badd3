#!/bin/sh
# Each kernel template with each dtype as machine code for sm_80; what the host runs is compiled in test_nvcc_90a.sh. Of all
# functions `make device-compile` has it, and for sm_90a.
# Results are kept (tests/cc.py) until a byte of what is read changes.
PATH="$PATH:/usr/local/cuda/bin"
if ! command -v nvcc >/dev/null; then
    echo "there is no nvcc: nothing is compiled for cuda"
    exit 77
fi
out="${TMPDIR:-/tmp}/nvcc.$$"
/usr/bin/python3 tests/device/compile_ops.py cuda --arch sm_80 --out "$out" --pass kinds 160 "-cubin -Xcicc=-O1 -Xptxas=-O0"
status=$?
rm -rf "$out"
exit $status
