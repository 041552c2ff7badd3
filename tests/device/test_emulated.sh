#!/bin/sh
# Kernels of GPUs on the CPU, thread by thread: cases of each template, of the operator tests.
/usr/bin/python3 tests/device/check_ops.py emulated --parts sample --flags=-O0 --group 8 --out "${TMPDIR:-/tmp}/emulated.$$"
status=$?
rm -rf "${TMPDIR:-/tmp}/emulated.$$"
exit $status
