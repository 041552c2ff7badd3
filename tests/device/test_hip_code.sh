#!/bin/sh
# Each kernel template with each set of dtypes as machine code for gfx90a. Of all functions `make device-compile` has it.
# Results are kept (tests/cc.py) until a byte of what is read changes.
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): nothing is compiled for hip"
    exit 77
fi
out="${TMPDIR:-/tmp}/hip_code.$$"
/usr/bin/python3 tests/device/compile_ops.py hip --arch gfx90a --out "$out" --pass kinds 50 "-Qunused-arguments -O1 -c --cuda-device-only"
status=$?
rm -rf "$out"
exit $status
