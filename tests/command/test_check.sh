#!/bin/bash
# opgen check: a verdict on each file, the exit status that goes with it, and nothing written.
. tests/check.sh
cd "$work" || exit 2

model() { # OPERATOR
    printf '{"opgen": 1, "name": "net", "inputs": {"x": {"dtype": "f32", "shape": [4, 3]}},\n'
    printf ' "nodes": [{"op": "%s", "in": "x", "out": "y"}],\n "outputs": ["y"]}\n' "$1"
}
model neg >net.json
model relu >changed.json
state() { find . -path ./.out -prune -o -path ./.err -prune -o -printf '%p %s %T@ %i\n' | sort; }

run "$OPGEN" check net.json -o gen
expect 1
like "nothing is there" "$out" $'gen/net/*: missing\n*gen/net/opgen.manifest.json: missing\n'
check "and check makes nothing" test ! -e gen
"$OPGEN" generate net.json -o gen || exit 2

before=$(state)
run "$OPGEN" check net.json -o gen
expect 0 ""
is "nothing to say" "$out" ""

run "$OPGEN" check changed.json -o gen
expect 1 "opgen: to mend it: opgen generate changed.json -o gen --prune"$'\n'
like "stale, missing, left over" "$out" \
    $'*gen/net/k_relu_f32_*.c: missing\ngen/net/net.c: stale\n*gen/net/k_neg_f32_*.c: left over\ngen/net/opgen.manifest.json: stale\n'
is "only what differs is named" "$(grep -c opgen_rt <<<"$out")" 0
is "nothing was written by any of these" "$(state)" "$before"

# ---- the patch is the change that generate would make
cp -R gen saved
sed -i 's/neg/gne/' gen/net/net.c && rm gen/net/net.h
before=$(state)
run "$OPGEN" check net.json -o gen --diff
expect 1
is "nor by --diff" "$(state)" "$before"
grep -v -e '^gen/net/[^ ]*: ' "$work/.out" >patch.diff
if command -v patch >/dev/null; then
    patch -s -p0 <patch.diff
    is "patch takes the diff" "$?" 0
    is "and the files are as they were" "$(diff -r gen saved)" ""
else
    skip "patch is not installed: the diff is not applied"
fi
rm -r gen patch.diff && mv saved gen

echo mine >>gen/net/net.c
run "$OPGEN" check net.json -o gen
is "edited" "$status:$out" $'1:gen/net/net.c: edited by hand\n'
rm gen/net/net.c && ln -s ../../net.json gen/net/net.c
run "$OPGEN" check net.json -o gen
is "a link" "$status:$out" $'1:gen/net/net.c: a symbolic link\n'
rm gen/net/net.c && mkdir gen/net/net.c
run "$OPGEN" check net.json -o gen
is "a folder" "$status:$out" $'1:gen/net/net.c: a folder is in its place\n'
rmdir gen/net/net.c
run "$OPGEN" check net.json -o gen
is "gone" "$status:$out" $'1:gen/net/net.c: missing\n'
echo '{}' >gen/net/opgen.manifest.json
run "$OPGEN" check net.json -o gen
like "a manifest that is none" "$status:$out" *$'1:*gen/net/opgen.manifest.json: not what opgen wrote: *\n'
"$OPGEN" generate net.json -o gen --force || exit 2

# ---- options that change the files are part of the question
run "$OPGEN" check net.json changed.json -o gen
expect 2 '*two models are named "net"*'
sed 's/"net"/"other"/' net.json >other.json
run "$OPGEN" check net.json other.json -o gen
like "one of two" "$status:$out" $'1:gen/other/*: missing\n*'

# ---- what cannot be said
sed 's/"neg"/"ngo"/' net.json >bad.json
run "$OPGEN" check bad.json -o gen
expect 2 'bad.json:2:* "ngo"*'
is "nothing on stdout" "$out" ""
run "$OPGEN" check missing.json -o gen
expect 2 '*cannot read "missing.json"*'
run "$OPGEN" check net.json -o net.json
expect 2 '*cannot read "net.json/net"*'
run sh -c '"$0" check changed.json -o gen >/dev/full' "$OPGEN"
expect 2 '*cannot write to standard output*'
run "$OPGEN" check changed.json -o gen --diagnostics=json
is "no notes for programs" "$status:$err" $'1:[]\n'

finish
