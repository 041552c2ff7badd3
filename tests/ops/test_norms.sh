#!/bin/bash
# Softmax, norms and scans, end to end against PyTorch's values, in every build. The other families take minutes of
# compiling: `make test-ops` runs all of them.
exec "${PYTHON:-/usr/bin/python3}" tests/ops/check_ops.py norm scan
