#!/bin/bash
# opgen lint, list and show as programs: exit codes, which stream says what, what they find in files, folders and the READMEs.
. tests/check.sh
top=$PWD
cd "$work" || exit 2
unset OPGEN_DATA

op() { # NAME REST
    printf '{"op": "%s", "doc": "an operator", "kind": "map", "inputs": ["x"], %s}\n' "$1" "$2"
}
mkdir -p own/below
op twice '"expr": "x * 2"' >own/twice.json
op bad '"expr": "x + z"' >bad.json
printf 'a {{ b }}\n' >own/below/good.j2
printf 'a {{ b \n' >bad.j2
printf '{"some": "data"}\n' >data.json
printf '{"some": }\n' >broken.json
printf 'caf\xe9' >latin.json

# ---- lint: what is right says nothing
run "$OPGEN" lint own
is "a folder that is right" "$status:$out$err" "0:"
run "$OPGEN" lint own/twice.json own/below/good.j2 data.json
is "files that are right" "$status:$out$err" "0:"
run "$OPGEN" lint
is "opgen's own operators and templates" "$status:$out$err" "0:"
run "$OPGEN" lint "$top/opdefs"
is "opdefs/" "$status:$out$err" "0:"

# ---- what is wrong goes to stdout, with exit status 1
run "$OPGEN" lint bad.json
expect 1 ""
is "a finding" "$out" 'bad.json:1:82: error[E021]: there is no "z" in a map'"'"'s expression
    1 | {"op": "bad", "doc": "an operator", "kind": "map", "inputs": ["x"], "expr": "x + z"}
      |                                                                                  ^
'
run "$OPGEN" lint bad.j2
expect 1 ""
like "a template" "$out" 'bad.j2:1:3: error\[E050\]: the tag that begins here is never closed*'
run "$OPGEN" lint broken.json latin.json bad.json own
expect 1 ""
like "all of them" "$out" 'bad.json:1:82: *broken.json:1:10: error\[E010\]*latin.json:1:4: error\[E004\]*'
run "$OPGEN" lint .
expect 1 ""
like "a folder and those below it" "$out" '*bad.j2:1:3: *bad.json:1:82: *broken.json:1:10: *'
run "$OPGEN" lint bad.json --diagnostics=json
expect 1
like "--diagnostics=json is for what is found" "$out" '*"E021"*"bad.json"*'
check "and JSON" "/usr/bin/python3" -c 'import json, sys; json.loads(sys.argv[1])' "$out"
run "$OPGEN" lint bad.json --diagnostics=github
like "--diagnostics=github" "$status:$err$out" '1:::error file=bad.json,line=1,*'
run "$OPGEN" lint bad.json bad.json ./bad.json
is "a file once" "$(grep -c E021 <<<"$out")" 1

# ---- what cannot be read goes to stderr, with exit status 2, and the rest is checked all the same
run "$OPGEN" lint nowhere bad.json
expect 2 'opgen: error\[E002\]: cannot read nowhere: No such file or directory'$'\n'
like "the other file" "$out" 'bad.json:1:82: *'
run "$OPGEN" lint own -I nowhere
expect 2 'opgen: error\[E002\]: cannot use -I nowhere: *'
mkdir empty && OPGEN_DATA=empty run "$OPGEN" lint
expect 2 'opgen: error\[E001\]: lint was given no PATH*'
run "$OPGEN" lint own >/dev/full
expect 0
run sh -c '"$0" lint bad.json >/dev/full' "$OPGEN"
expect 2 '*cannot write to standard output*'

# ---- operators of other files
step() { # NAME OPERATOR
    printf '{"op": "%s", "kind": "composite", "inputs": ["x"], "steps": [{"op": "%s", "in": ["x"], "out": "y"}]}\n' "$1" "$2"
}
mkdir steps other
step quadruple twice >steps/quadruple.json
run "$OPGEN" lint steps
like "a step that there is not" "$status:$out" '1:steps/quadruple.json:1:* error\[E021\]: there is no operator "twice"*'
run "$OPGEN" lint steps own/twice.json
is "one that is linted beside it" "$status:$out" "0:"
run "$OPGEN" lint steps -I own
is "one of -I" "$status:$out" "0:"
step neg_neg neg >other/neg.json
run "$OPGEN" lint other
is "one of opgen's own" "$status:$out" "0:"
op neg '"expr": "-x"' >other/own_neg.json
run "$OPGEN" lint other
is "one that goes over opgen's own" "$status:$out" "0:"
op twice '"expr": "x + x"' >own/again.json
run "$OPGEN" lint own
like "an operator twice" "$status:$out" '1:own/twice.json:1:8: error\[E023\]: the operator "twice" is there already*own/again.json:1:8: note: the first one*'
rm own/again.json
op wrong '"expr": "q"' >other/wrong.json
run "$OPGEN" lint own -I other
is "mistakes of -I are not asked for" "$status:$out" "0:"
ln -s .. own/below/loop
run "$OPGEN" lint own
is "a link that leads back" "$status:$out$err" "0:"

# ---- kernels and their templates
mkdir -p kernels/cpu
printf '{"op": "mine", "kind": "kernel", "inputs": ["x"], "kernel": "my_kernel"}\n' >kernels/mine.json
run "$OPGEN" lint kernels
like "no template" "$status:$out" '1:*error\[E053\]: there is no kernel template "my_kernel"*'
: >kernels/cpu/my_kernel.c.j2
run "$OPGEN" lint kernels
is "a template" "$status:$out" "0:"

# ---- list
run "$OPGEN" list ops
expect 0 ""
like "operators" "$out" $'abs  *\n*add_  *\n*cat  *view *tensors...*\n*where *map *condition, input, other*'
is "in order" "$out" "$(LC_ALL=C sort <<<"${out%$'\n'}")"$'\n'
is "no blanks at the ends" "$(grep -c ' $' <<<"$out")" 0
is "one column of kinds" "$(grep -bo -m1 -e ' map ' -e ' view ' -e ' reduce ' <<<"$out" | head -1 | cut -d: -f1)" \
    "$(awk '{ print index($0, " " $2 " ") - 1; exit }' <<<"$out")"
unlike "only opgen's own" "$out" '*twice *'
run "$OPGEN" list ops -I own
like "those of -I" "$out" $'*\ntwice  *an operator\n*'
run "$OPGEN" list ops --json
check "list --json is JSON" /usr/bin/python3 -c '
import json, sys
ops = json.loads(sys.argv[1])
assert len(ops) > 200 and {"name": "neg", "kind": "map", "inputs": "input", "doc": "the negative"} in ops' "$out"
run "$OPGEN" list templates -I kernels
like "templates" "$status:$out" $'*my_kernel.c *cpu *kernels/cpu/my_kernel.c.j2\n*'
run "$OPGEN" list backends
like "backends" "$status:$out" $'0:*cpu *.c *cc *C11*\n*'
run "$OPGEN" list kernels -I kernels
like "kernels, who has them and who uses them" "$status:$out" $'*\nmap *cpu* every map\nmy_kernel *cpu *mine\n*'
run "$OPGEN" list kernels --json -I kernels
check "list kernels --json is JSON" /usr/bin/python3 -c '
import json, sys
assert {"name": "my_kernel", "backends": "cpu", "operators": "mine"} in json.loads(sys.argv[1])' "$out"
run "$OPGEN" list ops -I bad.json
expect 2 '*cannot use -I bad.json: it is not a folder*'
mkdir with_bad && cp bad.json with_bad
run "$OPGEN" list ops -I with_bad
expect 2 'with_bad/bad.json:1:82: *'
is "nothing on stdout then" "$out" ""
run "$OPGEN" list things
expect 2 '*WHAT is one of ops|backends|profiles|templates|kernels|passes, not "things"*'

# ---- show
run "$OPGEN" show op twice -I own
expect 0 ""
is "an operator" "$out" 'twice: an operator

kind        map
from        own/twice.json:1
inputs      x: T
outputs     y: T
types       T: float
expr        x * 2
'
run "$OPGEN" show op var_mean
like "a reduction" "$out" *$'\nacc         n = '*$'\n            m = T\n'*$'\nfinish      var = '*
run "$OPGEN" show op add_
like "an in-place form" "$out" $'add_: *\\(in place\\)\n*\nchanges     input\n*'
run "$OPGEN" show op normalize
like "a composite" "$out" *$'\nsteps       length = norm(input=input, '*
run "$OPGEN" show op twice -I own --json
check "show --json is JSON" /usr/bin/python3 -c '
import json, sys
shown = json.loads(sys.argv[1])
assert shown["name"] == "twice" and shown["line"] == 1 and shown["definition"]["expr"] == "x * 2"' "$out"
run "$OPGEN" show op gleu
expect 2 'opgen: error\[E021\]: there is no operator "gleu"'$'\n''  hint: did you mean "gelu"?'$'\n'
is "nothing on stdout" "$out" ""
for name in $("$OPGEN" list ops | awk '{ print $1 }'); do
    "$OPGEN" show op "$name" >shown 2>&1 || fail "show op $name" "$(cat shown)"
done
pass

# ---- what the reference shows is right, and it names every function there is
cd "$top" || exit 2
blocks=0
while IFS= read -r -d $'\x01' block; do
    printf '%s' "$block" >"$work/block.json"
    OPGEN_DATA=opdefs/.. run "$OPGEN" lint "$work/block.json"
    blocks=$((blocks + 1))
    [[ $block == *'"kernel": "gemm"'* ]] && out=$(grep -v -e 'E053' -e '^ ' <<<"$out")
    is "opdefs/README.md, block $blocks" "${out%$'\n'}" ""
done < <(awk '/^```json/ { inside = 1; next } /^```/ { if (inside) printf "\001"; inside = 0 } inside' opdefs/README.md)
is "the reference shows five kinds and a rule" "$blocks" 6
for name in $(tr '\n' ' ' <gen/op/builtins.h | grep -o 'BUILTIN( *[a-z0-9_]*, [0-9]' | sed 's/BUILTIN( *//; s/,.*//'); do
    check "the reference has $name" grep -q "^| \`$name\` |" opdefs/README.md
done
finish
