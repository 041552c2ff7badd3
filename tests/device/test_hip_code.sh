#!/bin/sh
# parts: 16
# Every function of the operator tests as machine code for gfx90a, optimised: with loops left as they are and instructions in their
# order, which takes as long as -O0 and makes a quarter of its code; `make device-compile` takes the time to do it in full. Results are kept
# (tests/cc.py) until a byte of what is read changes.
PATH="$PATH:/opt/rocm/bin"
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): nothing is compiled for hip"
    exit 77
fi
plain="-fno-unroll-loops -mllvm -unroll-threshold=0 -mllvm -pragma-unroll-threshold=0 -mllvm -enable-misched=false -mllvm -enable-post-misched=false -mllvm -disable-lsr"
exec /usr/bin/python3 tests/device/compile_ops.py hip --arch gfx90a --part "${OPGEN_TEST_PART:-1/1}" \
    --pass all 100 "-Qunused-arguments -O1 $plain -c --cuda-device-only"
