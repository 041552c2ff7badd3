#!/bin/bash
# Operators with every dtype and odd shape, but what other suites of the same cases have, against PyTorch's values, compiled quickly; and that no compiler warns of any of it.
exec "${PYTHON:-/usr/bin/python3}" tests/ops/check_ops.py --suite values
