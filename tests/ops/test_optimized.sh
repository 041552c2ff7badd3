#!/bin/bash
# One case of each operator, optimised, and those with sizes of run time, inlined and simplified (-Og), against PyTorch's values.
exec "${PYTHON:-/usr/bin/python3}" tests/ops/check_ops.py --suite optimized
