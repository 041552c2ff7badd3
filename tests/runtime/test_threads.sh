#!/bin/bash
# test_threads: stress.c under ThreadSanitizer, 16 threads, for STRESS_SECONDS (4), and under valgrind where there is one; and
# test_replay.c, whose device has graphs and streams, under ThreadSanitizer.
set -u
passed=0 failed=0 skipped=0
flags="-std=c11 -D_GNU_SOURCE -g -Iruntime -Wall -Wextra -Werror"
libraries="-lpthread -ldl -lm"

verdict() {
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
        sed 's/^/  /' "$TMPDIR/log"
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        head -n 100 "$TMPDIR/log"
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1"
}

echo 'int main(void) { return 0; }' >"$TMPDIR/none.c"
tsan=
for cc in "${CC:-cc}" clang gcc; do
    if $cc -fsanitize=thread "$TMPDIR/none.c" -o "$TMPDIR/none" 2>/dev/null && "$TMPDIR/none"; then
        tsan=$cc
        break
    fi
done
if [ -n "$tsan" ]; then
    $tsan $flags -O1 -fsanitize=thread tests/runtime/stress.c runtime/*.c -o "$TMPDIR/stress-tsan" $libraries >"$TMPDIR/log" 2>&1 &&
        TSAN_OPTIONS=halt_on_error=1 "$TMPDIR/stress-tsan" "${STRESS_SECONDS:-4}" >"$TMPDIR/log" 2>&1
    verdict "ThreadSanitizer" $?
    # shellcheck disable=SC2086
    $tsan $flags -O1 -fsanitize=thread tests/runtime/test_replay.c runtime/*.c -o "$TMPDIR/replay-tsan" -lcmocka $libraries >"$TMPDIR/log" 2>&1 &&
        TSAN_OPTIONS=halt_on_error=1 "$TMPDIR/replay-tsan" >"$TMPDIR/log" 2>&1
    verdict "ThreadSanitizer, a device with graphs" $?
else
    skip "no compiler here links ThreadSanitizer"
fi
if command -v valgrind >/dev/null; then
    # shellcheck disable=SC2086
    ${CC:-cc} $flags -O1 tests/runtime/stress.c runtime/*.c -o "$TMPDIR/stress" $libraries >"$TMPDIR/log" 2>&1 &&
        valgrind -q --error-exitcode=9 --leak-check=full --fair-sched=yes "$TMPDIR/stress" 6 >"$TMPDIR/log" 2>&1
    verdict "valgrind" $?
else
    skip "there is no valgrind"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
