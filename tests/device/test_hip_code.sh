#!/bin/sh
# Every function of the operator tests as machine code for gfx90a, and all that the compiler says on the way. Optimised code of all is
# `make device-compile`'s. Results are kept (tests/cc.py) until a byte of what is read changes.
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): nothing is compiled for hip"
    exit 77
fi
out="${TMPDIR:-/tmp}/hip_code.$$"
/usr/bin/python3 tests/device/compile_ops.py hip --arch gfx90a --out "$out" --pass all 100 "-Qunused-arguments -O0 -c --cuda-device-only"
status=$?
rm -rf "$out"
exit $status
