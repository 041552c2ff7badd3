#!/bin/sh
# Every function of the operator tests for AMD's GPUs: all that hipcc's clang says of the host's code. test_hip_code.sh has the device's,
# as machine code. Results are kept (tests/cc.py) until a byte of what is read changes.
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): the kernels are not looked at for hip"
    exit 77
fi
out="${TMPDIR:-/tmp}/hip.$$"
/usr/bin/python3 tests/device/compile_ops.py hip --arch gfx90a --out "$out" \
    --pass all 300 "-Qunused-arguments -fsyntax-only --cuda-host-only"
status=$?
rm -rf "$out"
exit $status
