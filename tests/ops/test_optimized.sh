#!/bin/bash
# One case of each operator and those with sizes of run time, optimised, against PyTorch's values.
exec "${PYTHON:-/usr/bin/python3}" tests/ops/check_ops.py --suite optimized
