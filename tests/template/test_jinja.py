#!/usr/bin/python3
"""test_jinja.py: what the fixtures expect is what Jinja2 itself renders (jinja_expect.py --check)."""

import sys

import jinja_expect

sys.argv[1:] = ["--check"]
sys.exit(jinja_expect.main())
