#!/usr/bin/python3
"""The runner of the tests, put to suites of every kind: what it counts, what it shows, and that nothing passes silently."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SUITES = {  # file: (text, passed, failed, skipped, what the runner's output must have)
    "test_counts.sh": ("echo noise; echo '3 passed, 0 failed, 1 skipped'; echo 'skipped: no such device'", 3, 0, 1, "no such device"),
    "test_fails.sh": ("echo the-detail; echo '1 passed, 2 failed, 0 skipped'; exit 1", 1, 2, 0, "    | the-detail"),
    "test_fails_but_says_zero.sh": ("echo '1 passed, 2 failed, 0 skipped'", 1, 2, 0, "FAIL  tests/x/test_fails_but_says_zero.sh"),
    "test_plain.sh": ("echo fine", 1, 0, 0, "ok    tests/x/test_plain.sh"),
    "test_plain_bad.sh": ("echo why; exit 3", 0, 1, 0, "exit status 3"),
    "test_parts.sh": ("# parts: 3\nmkdir \"$OPGEN_TEST_SHARED/${OPGEN_TEST_PART%/3}\"", 3, 0, 0, "ok    tests/x/test_parts.sh:3/3"),
    "test_skips_parts.sh": ("# parts: 2\necho the same reason; exit 77", 0, 0, 2, "tests/x/test_skips_parts.sh: the same reason"),
    "test_lies.sh": ("echo '5 passed, 0 failed, 0 skipped'; exit 1", 5, 1, 0, "exit status 1"),
    "test_skips.sh": ("echo one; echo the reason; exit 77", 0, 0, 1, "tests/x/test_skips.sh: the reason"),
    "test_skips_silently.sh": ("exit 77", 0, 1, 1, "skipped without a reason"),
    "test_skips_a_case_silently.sh": ("echo '1 passed, 0 failed, 1 skipped'", 1, 1, 1, "skipped without a reason"),
    "test_nothing.sh": ("echo '0 passed, 0 failed, 0 skipped'", 0, 1, 0, "ran no test"),
    "test_crashes.sh": ("kill -SEGV $$", 0, 1, 0, "ended by signal 11"),
    "test_python.py": ("print('2 passed, 0 failed, 0 skipped')", 2, 0, 0, "ok    tests/x/test_python.py"),
    "test_python_raises.py": ("raise SystemExit('oh no')", 0, 1, 0, "    | oh no"),
    "test_cmocka.c": ("[==========] Running 3 test(s).\\n[  PASSED  ] 2 test(s).\\n[  SKIPPED ] 1 test(s), listed below:\\n"
                      "[  SKIPPED ] needs_a_gpu\\n", 2, 0, 1, "tests/x/test_cmocka.c: needs_a_gpu"),
    "test_cmocka_fails.c": ("[  PASSED  ] 2 test(s).\\n[  FAILED  ] tests: 1 test(s), listed below:\\n[  FAILED  ] a\\n", 2, 1, 0, "FAIL"),
}
passed = failed = 0


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *details, sep="\n    ")


def run(top, *arguments):
    done = subprocess.run([sys.executable, os.path.join(top, "tests/run"), *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    top = tempfile.mkdtemp()
    os.makedirs(os.path.join(top, "tests/x"))
    os.makedirs(os.path.join(top, "build/tests/x"))
    shutil.copy("tests/run", os.path.join(top, "tests/run"))
    for name, (text, *_) in SUITES.items():
        with open(os.path.join(top, "tests/x", name), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        if name.endswith(".c"):  # what stands in for its binary prints what cmocka prints
            binary = os.path.join(top, "build/tests/x", name[:-2])
            with open(binary, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nprintf '{text}'\n")
            os.chmod(binary, 0o755)
    for name, (_, *counts, wanted) in SUITES.items():
        status, output = run(top, "--only", name)
        closing = output.rstrip("\n").split("\n")[-1]
        want = "{} passed, {} failed, {} skipped".format(*counts)
        check(f"{name}: closing line", closing == want, f"got:    {closing}", f"wanted: {want}")
        check(f"{name}: exit status", (status != 0) == (counts[1] != 0), f"got {status}")
        check(f"{name}: says {wanted}", wanted in output, output)
    status, output = run(top)
    want = "{} passed, {} failed, {} skipped".format(*(sum(row[i] for row in SUITES.values()) for i in (1, 2, 3)))
    check("all together", output.endswith("\n" + want + "\n") and status == 1, output[-300:], want)
    for name, row in SUITES.items():
        lines = re.findall(rf"^(?:ok  |FAIL|skip)  tests/x/{re.escape(name)}(\S*) ", output, re.M)
        parts = re.match(r"# parts: (\d+)\n", row[0])
        wanted = [f":{part}/{parts[1]}" for part in range(1, int(parts[1]) + 1)] if parts else [""]
        check(f"{name} has one line of each part", sorted(lines) == wanted, lines)
        check(f"{name}: reasons once", output.count(f"    tests/x/{name}: ") == (row[3] > 0 and row[2] == 0))
    status, output = run(top, "--only", "no such test")
    check("a filter that matches nothing fails", status == 1 and output.endswith("0 passed, 0 failed, 0 skipped\n"), output)
    shutil.rmtree(top)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
