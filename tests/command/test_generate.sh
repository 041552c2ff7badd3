#!/bin/bash
# opgen generate and outputs: what is written where, what is left alone, depfile and stamp, two runs at once, kill -9.
. tests/check.sh
cd "$work" || exit 2

model() { # NAME OPERATOR: a model of one operator over any number of rows
    printf '{"opgen": 1, "name": "%s", "dims": {"n": {"max": 1000}},\n "inputs": {"x": {"dtype": "f32", "shape": ["n", 3]}},\n' "$1"
    printf ' "nodes": [{"op": "%s", "in": "x", "out": "y"}],\n "outputs": ["y"]}\n' "$2"
}
sums() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum); }
times() { (cd "$1" && find . -type f -printf '%p %T@\n' | sort); }
temporaries() { find . -name '.opgen-*'; }
model net neg >net.json

# ---- the files
run "$OPGEN" generate net.json -o gen
expect 0 ""
is "nothing is said" "$out" ""
for file in net.c net.h net.mk Makefile CMakeLists.txt opgen.h opgen_rt.c opgen.manifest.json; do
    check "gen/net/$file" test -s "gen/net/$file"
done
check "a function" test -n "$(find gen/net -name 'k_neg_f32_*.c')"
run "$OPGEN" outputs net.json -o gen
expect 0 ""
is "outputs names what is written" "$(sort <<<"${out%$'\n'}")" "$(find gen -type f | sort)"
run "$OPGEN" outputs net.json
like "the usual folder" "$out" $'gen/net/*'
before=$(times gen)
run "$OPGEN" generate net.json -o gen
expect 0 ""
is "what is up to date is not written" "$(times gen)" "$before"
run "$OPGEN" generate net.json -o other -v
like "-v says what was done" "$status:$out$err" $'0:opgen: net: [0-9]* files written, 0 unchanged\n'
run "$OPGEN" generate net.json -o other -v
like "and what was not" "$status:$out$err" $'0:opgen: net: 0 files written, [0-9]* unchanged\n'
run "$OPGEN" generate net.json -o other -v --diagnostics=json
is "notes are not for programs" "$status:$out$err" $'0:[]\n'

# ---- the same bytes wherever and however
mkdir -p deep/er
(cd deep/er && LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo HOME=/nowhere "$OPGEN" generate "$work/net.json" -o "$work/there")
is "the same bytes from elsewhere" "$(sums there)" "$(sums gen)"
is "no place of this machine in them" "$(grep -rl "$work" there)" ""
"$OPGEN" generate - -o piped <net.json
is "the same bytes from standard input" "$(sums piped)" "$(sums gen)"

# ---- -o -
run "$OPGEN" generate net.json -o -
expect 0 ""
like "one stream" "$out" $'*// ==> net.c <==\n*// ==> opgen.h <==\n*'
check "and no folder" test ! -e ./-
for option in -MD --force --prune --stamp=s; do
    run "$OPGEN" generate net.json -o - $option
    expect 2 "opgen: error\[E001\]: ${option%%=*} is for files in a folder, not for -o -"$'\n'
done
run "$OPGEN" generate net.json net.json -o -
expect 2 "opgen: error\[E001\]: -o - is for one model"$'\n'

# ---- several models, and every mistake of all of them in one go
model two relu >two.json
run "$OPGEN" generate net.json two.json net.json -o both
expect 0 ""
is "each has its folder" "$(ls both)" $'net\ntwo'
sed 's/"x", "out"/"z", "out"/' net.json >bad.json
sed 's/"relu"/"rleu"/' two.json >worse.json
run "$OPGEN" generate bad.json worse.json missing.json -o none
expect 2 'opgen: error\[E002\]: cannot read "missing.json": No such file*bad.json:3:32: error\[E021\]: nothing *"z"*worse.json:3:* "rleu"*'
check "nothing is written then" test ! -e none
cp net.json again.json
run "$OPGEN" generate net.json again.json -o none
expect 2 'again.json:1:1: error\[E023\]: two models are named "net"*net.json:1:1: note: the other one*'
run "$OPGEN" generate net.json -b cdua -o none
expect 2 '*there is no backend "cdua"*'
run "$OPGEN" generate net.json -b gpu -o none
expect 2 '*the backend "gpu" is what several have in common, and none by itself*list backends*'
run "$OPGEN" generate net.json -I nothere -o none
expect 2 '*cannot use -I nothere: it is not a folder*'
run env OPGEN_DATA="$work/deep" "$OPGEN" generate net.json -o none
expect 2 '*there are no operators*hint: set OPGEN_DATA*'
check "nothing is written after any of these" test ! -e none

# ---- whose a file is
before=$(sums gen)
echo '/* mine */' >>gen/net/net.c
run "$OPGEN" generate net.json -o gen
expect 2 'opgen: error\[E006\]: cannot write "gen/net/net.c": it was edited since opgen wrote it*--force overwrites it*'
like "it is as it was" "$(tail -1 gen/net/net.c)" "/\* mine \*/"
run "$OPGEN" generate net.json -o gen --force
expect 0 ""
is "--force" "$(sums gen)" "$before"
mkdir -p own/net && echo mine >own/net/Makefile
run "$OPGEN" generate net.json -o own
expect 2 '*cannot write "own/net/Makefile": it is there, and opgen did not write it*'
is "nothing is put beside it" "$(find own -type f)" "own/net/Makefile"
echo precious >precious && mkdir -p linked/net && ln -s ../../precious linked/net/net.c
run "$OPGEN" generate net.json -o linked --force
expect 0 ""
is "a link is replaced, and not what it leads to" "$(cat precious):$(test -L linked/net/net.c && echo link)" "precious:"

# ---- what is left over
model net relu >changed.json
run "$OPGEN" generate changed.json -o gen
expect 0 '*warning\[E007\]: "gen/net/k_neg_f32_*.c" is left over from an earlier run*--prune removes it*'
check "it stays" test -n "$(find gen/net -name 'k_neg_*')"
run "$OPGEN" generate changed.json -o gen --prune
expect 0 ""
check "--prune" test -z "$(find gen/net -name 'k_neg_*')"

# ---- where nothing can be written
echo file >file
run "$OPGEN" generate net.json -o file
expect 2 '*cannot write into "file/net": Not a directory*'
run "$OPGEN" generate net.json -o /proc/nowhere
expect 2 '*cannot write into "/proc/nowhere/net": *'
(ulimit -f 4 && "$OPGEN" generate net.json -o full >full.out 2>&1)
is "a full disk" "$?" 2
like "a full disk: message" "$(cat full.out)" '*cannot write "full/net/*'
check "nothing is there after a full disk" test ! -e full
(ulimit -f 4 && "$OPGEN" generate net.json -o gen >/dev/null 2>&1)
run "$OPGEN" check changed.json -o gen
expect 0 ""
mkdir closed && chmod 555 closed
somebody=() # root may write everywhere
[[ $(id -u) == 0 ]] && somebody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${somebody[@]}" test -r "$work/net.json" 2>/dev/null; then
    run "${somebody[@]}" "$OPGEN" generate "$work/net.json" -o "$work/closed"
    expect 2 '*cannot write into "*/closed/net": Permission denied*'
else
    skip "nobody else may read the test's folder: a folder without the right to write"
fi

# ---- depfile
run "$OPGEN" generate net.json -o dep -MD
expect 0 ""
rule=$(cat dep/net.d)
like "its targets are all files" "$rule" "*dep/net/net.c *dep/net/opgen.manifest.json:*"
for input in 'net\.json' '.*/opdefs/map_[a-z]*\.json' '.*/templates/cpu/backend\.json' '.*/templates/model/.*' \
    '.*/runtime/opgen_rt\.c'; do
    check "an input: $input" grep -q "^  $input\( \\\\\)\?$" dep/net.d
done
for file in $(sed -e '1,/:/s/^.*://' -e 's/\\$//' dep/net.d); do check "the input $file is there" test -e "$file"; done
run "$OPGEN" generate net.json -o dep -MD -MF dep/other.d -MT one -MTtwo -MP
is "-MF -MT -MP" "$status:$(head -1 dep/other.d):$(grep -cx 'net.json:' dep/other.d)" '0:one two: \:1'
run "$OPGEN" generate net.json -MF x
expect 2 'opgen: error\[E001\]: -MF is of use with -MD alone'$'\n'
run "$OPGEN" generate net.json two.json -MD
expect 2 'opgen: error\[E001\]: -MD for several models needs -MF FILE'$'\n'

# ---- a stamp and a depfile in a makefile
cat >stamped.mk <<'END'
gen.stamp: net.json
	$(OPGEN) generate net.json -o made -MD -MF gen.d -MP --stamp gen.stamp --prune && echo ran
-include gen.d
END
run make -s -f stamped.mk
is "the first time" "$status:$out$err" $'0:ran\n'
run make -s -f stamped.mk
is "up to date" "$status:$out$err" "0:"
before=$(times made)
touch -d '-1 hour' gen.stamp
run make -s -f stamped.mk
is "a touched model" "$status:$out$err" $'0:ran\n'
is "files keep their times" "$(times made)" "$before"
touch -d '-1 hour' gen.stamp
model net relu >net.json
run make -s -f stamped.mk
is "a changed model" "$status:$out:$(find made -name 'k_*' | wc -l)" $'0:ran\n:1'
model net neg >net.json

# ---- two at once
for i in 1 2 3 4 5 6; do "$OPGEN" generate net.json -o at_once -MD --stamp at_once.stamp 2>"at_once.$i" & done
wait
is "none of those at once has a complaint" "$(cat at_once.[1-6])" ""
run "$OPGEN" check net.json -o at_once
expect 0 ""
is "and no temporary file is left" "$(temporaries)" ""

# ---- killed: each time the next run finds what it knows
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    [[ $((i % 2)) == 0 ]] && file=net.json || file=changed.json
    "$OPGEN" generate $file -o killed --prune &
    child=$!
    sleep 0.0$((RANDOM % 4))$((RANDOM % 10))
    kill -9 $child 2>/dev/null
    { wait $child; } 2>/dev/null
done
run "$OPGEN" generate net.json -o killed --prune
expect 0 ""
run "$OPGEN" check net.json -o killed
expect 0 ""
is "no temporary file is left" "$(temporaries)" ""

finish
