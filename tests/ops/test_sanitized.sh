#!/bin/bash
# The same cases as test_optimized.sh, with sanitizers in the generated code.
exec "${PYTHON:-/usr/bin/python3}" tests/ops/check_ops.py --suite sanitized
