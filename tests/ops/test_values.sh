#!/bin/bash
# Every operator with every dtype and odd shape against PyTorch's values, compiled quickly; and that no compiler warns of any of it.
exec "${PYTHON:-/usr/bin/python3}" tests/ops/check_ops.py --suite values
