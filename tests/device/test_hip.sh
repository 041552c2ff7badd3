#!/bin/sh
# Each kernel template with each dtype, and the drivers, for AMD's GPUs: all that hipcc's clang says of the host's code. What it says
# of the device's, and that of every function, it says in test_hip_code.sh. Results are kept (tests/cc.py) until a byte of what is read changes.
PATH="$PATH:/opt/rocm/bin"
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): the kernels are not looked at for hip"
    exit 77
fi
exec /usr/bin/python3 tests/device/compile_ops.py hip --arch gfx90a --pass kinds 600 "-Qunused-arguments -fsyntax-only --cuda-host-only"
