#!/bin/bash
# Some of each operator as C for machines without an operating system; check_ops.py has the others.
exec "${PYTHON:-/usr/bin/python3}" tests/embedded/check_ops.py --sample
