#!/bin/bash
# Operators over enough to be divided among threads and done by vectors, with versions for several processors, against PyTorch's values.
exec "${PYTHON:-/usr/bin/python3}" tests/ops/check_ops.py --suite large
