#!/bin/sh
# Something of each kernel template as machine code for sm_90a, whose kernels may do more.
# Results are kept (tests/cc.py) until a byte of what is read changes.
PATH="$PATH:/usr/local/cuda/bin"
if ! command -v nvcc >/dev/null; then
    echo "there is no nvcc: nothing is compiled for cuda"
    exit 77
fi
out="${TMPDIR:-/tmp}/nvcc_90a.$$"
/usr/bin/python3 tests/device/compile_ops.py cuda --arch sm_90a --out "$out" --pass sample 40 "-c -Xcicc=-O1 -Xptxas=-O1 -Xcompiler=-O0"
status=$?
rm -rf "$out"
exit $status
