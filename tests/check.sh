# check.sh: what the shell tests share. Read with: . tests/check.sh
#
#     run [<stdin] COMMAND...      runs it; $status, $out and $err have what came of it
#     expect STATUS [TEXT]         the last run ended so; TEXT (a pattern of [[ == ]]) is what $err must match
#     is WHAT GOT WANTED           two texts are the same
#     like WHAT GOT PATTERN        the text matches a pattern of [[ == ]]
#     unlike WHAT GOT PATTERN      it does not
#     check WHAT COMMAND...        the command succeeds
#     finish                       the closing line; exits with 1 if anything failed
#
# A check that fails says what was wanted and what was got, and the test goes on.

set -u
passed=0 failed=0 skipped=0 last=
# In tests/run it has the same name each time: objects with debug information have it in them.
work=${OPGEN_TEST_FOLDER:-${TMPDIR:-/tmp}/work.$$}
unset OPGEN_TEST_FOLDER
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    shift
    printf '    %s\n' "$@"
}
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1"
}

run() {
    last=$*
    "$@" >"$work/.out" 2>"$work/.err"
    status=$?
    out=$(cat "$work/.out" && echo .) && out=${out%.}
    err=$(cat "$work/.err" && echo .) && err=${err%.}
}

expect() {
    # shellcheck disable=SC2053 -- the right side is a pattern
    if [[ $status != "$1" ]]; then
        fail "$last" "exit status $status, wanted $1" "stdout: $out" "stderr: $err"
    elif [[ $# -gt 1 && $err != $2 ]]; then
        fail "$last" "stderr: $err" "wanted: $2"
    else
        pass
    fi
}

is() {
    if [[ $2 == "$3" ]]; then pass; else fail "$1" "got:    $2" "wanted: $3"; fi
}

# shellcheck disable=SC2053
like() {
    if [[ $2 == $3 ]]; then pass; else fail "$1" "got:    $2" "wanted: $3"; fi
}

# shellcheck disable=SC2053
unlike() {
    if [[ $2 != $3 ]]; then pass; else fail "$1" "got:      $2" "unwanted: $3"; fi
}

check() {
    local what=$1
    shift
    if "$@"; then pass; else fail "$what" "$*"; fi
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [[ $failed == 0 ]]
    exit
}
