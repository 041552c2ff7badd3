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

# ---- the patch is the change that generate would make: after it all is up to date, also where files are left over
if command -v patch >/dev/null; then
    "$OPGEN" generate changed.json -o 'wan ted' || exit 2
    for change in "" warned edited; do
        rm -rf gen && "$OPGEN" generate net.json -o gen || exit 2
        # a run without --prune has entered them in the manifest
        [[ $change == warned ]] && "$OPGEN" generate changed.json -o gen 2>/dev/null
        [[ $change == edited ]] && sed -i 's/neg/gne/' gen/net/net.c && rm gen/net/net.h
        cp -R gen 'sa ved' && before=$(state)
        run "$OPGEN" check changed.json -o gen --diff
        is "check --diff $change" "$status:$(grep -c '^+++ /dev/null' <<<"$out")" "1:1"
        is "nothing was written by it" "$(state)" "$before"
        cp "$work/.out" patch.diff && before=
        patch -s -p0 <patch.diff
        is "patch takes the diff $change" "$?:$(find gen -name '*.orig' -o -name '*.rej')" "0:"
        run "$OPGEN" check changed.json -o gen
        is "and all is up to date $change" "$status:$out$err" "0:"
        is "as if it had been generated $change" "$(diff -r gen 'wan ted')" ""
        # from within the folder, and for one whose name has a blank
        run "$OPGEN" check changed.json -o 'sa ved' --diff
        (cd 'sa ved' && patch -s -p1 <"$work/.out")
        run "$OPGEN" check changed.json -o 'sa ved'
        is "patch -p1 $change" "$status:$out$err" "0:"
        rm -rf 'sa ved'
    done
    rm -r 'wan ted' patch.diff
else
    skip "patch is not installed: the diff is not applied"
fi
rm -rf gen && "$OPGEN" generate net.json -o gen || exit 2

# ---- an operator's own text counts, not the file that it is in
mkdir ops && operators() { # DOC OF ONE THAT IS NOT USED, FACTOR
    printf '{"doc": "%s", "ops": [\n {"op": "other", "doc": "%s", "kind": "map", "inputs": ["x"], "expr": "x"},\n' "$1" "$1"
    printf ' {"op": "times", "kind": "map", "inputs": ["x"], "in_place": true, "expr": "x * %s"}]}\n' "$2"
}
operators one 2 >ops/some.json
for op in times times_; do
    operators one 2 >ops/some.json
    model $op >times.json
    "$OPGEN" generate times.json -I ops -o own -MD || exit 2
    is "$op: the manifest names it" "$(grep -c '"opdefs/some.json#times"' own/net/opgen.manifest.json)" 1
    is "$op: a depfile names the file, once" "$(grep -c ' ops/some.json' own/net.d)" 1
    operators "another text of the file" 2 >ops/some.json
    run "$OPGEN" check times.json -I ops -o own
    is "$op: another operator was changed" "$status:$out$err" "0:"
    operators one 3 >ops/some.json
    run "$OPGEN" check times.json -I ops -o own
    like "$op: the operator was changed" "$status:$out" '1:*own/net/opgen.manifest.json: stale*'
    rm -r own
done

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
