#!/bin/sh
# parts: 4
# Every function of the operator tests through hipcc's compiler of devices, for gfx90a: each kernel template with each dtype as
# machine code, optimised, but with loops left as they are and instructions in their order, which takes as long as -O0 and makes a quarter
# of its code; all others are read and nothing is made of them, a tenth of the work. `make device-compile` makes machine code of all in full.
# Results are kept (tests/cc.py) until a byte of what is read changes.
PATH="$PATH:/opt/rocm/bin"
if ! command -v hipcc >/dev/null; then
    echo "there is no hipcc (make deps-hip): nothing is compiled for hip"
    exit 77
fi
quiet="-Qunused-arguments --cuda-device-only"
plain="-fno-unroll-loops -mllvm -unroll-threshold=0 -mllvm -pragma-unroll-threshold=0 -mllvm -enable-misched=false -mllvm -enable-post-misched=false -mllvm -disable-lsr"
exec /usr/bin/python3 tests/device/compile_ops.py hip --arch gfx90a --part "${OPGEN_TEST_PART:-1/1}" \
    --pass kinds 60 "$quiet -O1 $plain -c" --pass others 600 "$quiet -fsyntax-only"
