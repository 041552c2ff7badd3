#!/bin/sh
# Every function of the operator tests for AMD's GPUs: all that hipcc's clang says of the device's code and of the host's. test_hip_code.sh
# has machine code. Results are kept (tests/cc.py) until a byte of what is read changes.
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): the kernels are not looked at for hip"
    exit 77
fi
out="${TMPDIR:-/tmp}/hip.$$"
/usr/bin/python3 tests/device/compile_ops.py hip --arch gfx90a --out "$out" \
    --pass all 300 "-Qunused-arguments -fsyntax-only --cuda-host-only" --pass all 300 "-Qunused-arguments -fsyntax-only --cuda-device-only"
status=$?
rm -rf "$out"
exit $status
