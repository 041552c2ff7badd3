#!/bin/sh
# Every kernel template with each set of dtypes that operators have, for AMD's GPUs: all that clang says of the device's code.
# Results are kept (tests/cc.py) until a byte of what is read changes.
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): the kernels are not looked at for hip"
    exit 77
fi
out="${TMPDIR:-/tmp}/hip.$$"
/usr/bin/python3 tests/device/check_ops.py hip --parts kinds --arch gfx90a --flags=-O0 --compile --syntax --group 90 --out "$out"
status=$?
rm -rf "$out"
exit $status
