#!/bin/bash
# opgen generate on a disk that fails: each of its calls that change something fails in turn. What was there is there as it
# was, nothing is left beside it, and the message names the path and the reason. Standard output fails in every command.
. tests/check.sh
here=$PWD
cd "$work" || exit 2

cat >two.json <<'E'
{"opgen": 1, "name": "net", "inputs": {"x": {"dtype": "f32", "shape": [4, 3]}},
 "nodes": [{"op": "relu", "in": "x", "out": "y"}, {"op": "softmax", "in": "y", "attrs": {"dim": 1}, "out": "z"}], "outputs": ["z"]}
E
sed -e 's/"relu"/"neg"/' -e 's/, {"op": "softmax".*"out": "z"}/, {"op": "exp", "in": "y", "out": "z"}/' two.json >net.json
state() { [[ -e $1 ]] && (cd "$1" && find . -printf '%y %m %p\n' | sort && find . -type f ! -name '*.stamp' -print0 | sort -z | xargs -0 sha256sum); }

# ---- nowhere to say it
"$OPGEN" generate net.json -o gen || exit 2
for command in "generate -o -" outputs graph "graph --svg" "check -o none" "show op relu" "list ops"; do
    operand=net.json
    [[ $command == show* || $command == list* ]] && operand=
    run bash -c '"$0" '"$command $operand"' >/dev/full' "$OPGEN"
    is "$command >/dev/full" "$status:$err" '2:opgen: error[E002]: cannot write to standard output: No space left on device
  hint: what was written so far is incomplete
'
done
sed 's/"neg"/"ngo"/' net.json >bad.json
run bash -c '"$0" lint bad.json >/dev/full' "$OPGEN"
is "lint >/dev/full" "$status:$err" '2:opgen: error[E002]: cannot write to standard output: No space left on device
  hint: what was written so far is incomplete
'
for command in "compile -o gen" "run -o gen" "verify -o gen"; do
    run bash -c '"$0" '"$command"' net.json >/dev/full' "$OPGEN"
    like "$command >/dev/full" "$status:$err" '2:*opgen: error\[E002\]: cannot write to standard output: No space left on device*'
done
rm -r gen

# ---- each call fails
if ! "${CC:-cc}" -O1 -shared -fPIC -o fail.so "$here/tests/command/fail_call.c" 2>cc.err; then
    fail "fail_call.c" "$(cat cc.err)"
    finish
fi
# with less of a runtime, for each of its files is written as often as calls are refused
data=${OPGEN_DATA:-$here}
mkdir -p data/runtime && ln -s "$data/opdefs" "$data/templates" data && cp "$data"/runtime/opgen_{base.c,internal.h} data/runtime
export OPGEN_DATA=$work/data
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
broken() { # N ERRNO COMMAND...
    local n=$1 errno=$2
    shift 2
    rm -f failed
    run env LD_PRELOAD="$work/fail.so" FAIL_AT="$n" FAIL_ERRNO="$errno" FAIL_LOG="$work/failed" "$@"
    call=none
    [[ -e failed ]] && call=$(cat failed)
}
said() { # REASON: the message for the call that failed
    like "$call fails: message" "$status:$out$err" "2:opgen: error\[E002\]: cannot * \"*\": $1*"
}

# a folder that was not there, nor those above it
errors=(28 "No space left on device" 5 "Input/output error" 30 "Read-only file system" 13 "Permission denied")
seen=
for ((n = 1; n < 1000; n++)); do
    errno=${errors[n % 4 * 2]} reason=${errors[n % 4 * 2 + 1]}
    broken $n "$errno" "$OPGEN" generate two.json -o deep/er/gen
    [[ $call == none ]] && break
    seen+="${call%% *} "
    if [[ $status == 0 && $call == @(rename opgen.manifest.json|unlink *) ]]; then
        # what this disk does not swap is renamed, and what could not be thrown away goes next time
        is "$call fails: all is there" "$err:$("$OPGEN" check two.json -o deep/er/gen)" ":"
        rm -r deep
        continue
    fi
    said "$reason"
    is "$call fails: nothing is there" "$(find . -path './deep*')" ""
done
is "at last nothing fails" "$status:$err" "0:"
for call in open write close mkdir rename; do like "$call was among them" "$seen" "*$call *"; done
check "there were many" test $n -gt 40

# one that has another model's files, of which some change, some come, some go
"$OPGEN" generate net.json -o gen -MD --stamp gen/done.stamp && touch -d '-1 hour' gen/done.stamp || exit 2
cp -a gen old && before=$(state gen)
"$OPGEN" generate two.json -o gen -MD --stamp gen/done.stamp --prune && after=$(state gen) || exit 2
files() { grep -v ' ./net\.d$' <<<"$1"; } # without the depfile, which comes when the files are there
seen=
for ((n = 1; n < 1000; n++)); do
    rm -rf gen && cp -a old gen
    errno=${errors[n % 4 * 2]} reason=${errors[n % 4 * 2 + 1]}
    broken $n "$errno" "$OPGEN" generate two.json -o gen -MD --stamp gen/done.stamp --prune
    [[ $call == none ]] && break
    seen+="${call%% *} "
    now=$(state gen)
    if [[ $status == 0 ]]; then
        # and a folder that was there needs not be made, and a stamp that may not be opened is touched all the same
        like "$call fails and nothing is lost" "$call $errno" "@(rename *|unlink *|mkdir gen *|open gen/done.stamp 13)"
        [[ $call == unlink* ]] && "$OPGEN" generate two.json -o gen --prune && now=$(state gen)
        is "$call fails: all is new" "$now" "$after"
    elif [[ $(files "$now") == "$(files "$after")" ]]; then
        said "$reason" # the depfile or the stamp
        [[ $call == close* ]] || # of the stamp, which is touched then
            check "$call fails: the stamp says that it is not done" test gen/done.stamp -ot old/net/net.c
    else
        said "$reason"
        is "$call fails: all is as it was" "$now" "$before"
    fi
done
is "at last nothing fails here, too" "$status:$err:$(state gen)" "0::$after"
for call in open write close rename unlink futimens; do like "$call was among them" "$seen" "*$call *"; done
is "no temporary file is left" "$(find . -name '.opgen-*')" ""

finish
