#!/bin/bash
# opgen render as a program: exit codes, which stream says what, whole messages, and what is on the disk afterwards.
. tests/check.sh
top=$PWD
cd "$work" || exit 2

printf '{"name": "add", "n": 3}\n' >d.json
printf 'op {{ name }}{%% for i in range(n) %%} {{ i }}{%% endfor %%}\n' >t.j2
printf '{%% for i in range(200000) %%}0123456789\n{%% endfor %%}' >big.j2
printf '{{ missing }}\n' >bad.j2
mkdir folder

# ---- what works
run "$OPGEN" render t.j2 d.json
expect 0 ""
is "to stdout" "$out" "op add 0 1 2"
run "$OPGEN" render t.j2 d.json --keep-trailing-newline
is "--keep-trailing-newline" "$out" $'op add 0 1 2\n'
run "$OPGEN" render t.j2 - <d.json
is "data from stdin" "$err$out" "op add 0 1 2"
run "$OPGEN" render - d.json <t.j2
is "template from stdin" "$err$out" "op add 0 1 2"
run "$OPGEN" render -o - t.j2 d.json
is "-o - is stdout" "$err$out" "op add 0 1 2"
run "$OPGEN" render t.j2 --set name=mul --set n=ab --set x=a=b=
expect 2
run "$OPGEN" render - --set name=mul --set x=a=b= --set empty= <<<'{{ name }},{{ x }},{{ empty }},{{ name is string }}'
is "--set" "$err$out" "mul,a=b=,,True"
run "$OPGEN" render t.j2 d.json --set name=mul
is "--set goes over the data" "$err$out" "op mul 0 1 2"
printf 'no data{{ x is defined }}' >alone.j2
run "$OPGEN" render alone.j2
is "no data" "$err$out" "no dataFalse"
: >empty.j2
run "$OPGEN" render empty.j2
is "an empty template" "$status$err$out" "0"
printf '{%% if 1 %%}\n  a\n  {%% endif %%}\nb' >space.j2
run "$OPGEN" render space.j2
is "blanks as they are" "$out" $'\n  a\n  \nb'
run "$OPGEN" render --trim-blocks --lstrip-blocks space.j2
is "--trim-blocks --lstrip-blocks" "$out" $'  a\nb'

# ---- undefined
run "$OPGEN" render bad.j2
expect 2 "bad.j2:1:4: error\[E061\]:*"
is "undefined: stdout is empty" "$out" ""
run "$OPGEN" render --undefined=lenient - <<<'[{{ missing }}]'
is "--undefined=lenient" "$status$err$out" "0[]"
run "$OPGEN" render --undefined=lenient - <<<'[{{ missing.attr }}]'
expect 2 "<stdin>:1:*: error\[E061\]:*"
run "$OPGEN" render --undefined=chainable - <<<'[{{ missing.attr.more }}]'
is "--undefined=chainable" "$status$err$out" "0[]"

# ---- where templates come from
mkdir -p one two own/deep
printf 'one' >one/p.j2
printf 'two' >two/p.j2
printf 'own' >own/p.j2
printf '{%% include "p.j2" %%}' >own/main.j2
run "$OPGEN" render own/main.j2
is "the template's own folder" "$err$out" "own"
run "$OPGEN" render own/main.j2 -I two -I one
is "-I goes first, in order" "$err$out" "two"
run "$OPGEN" render - -I one <own/main.j2
is "a template from stdin includes from -I" "$err$out" "one"
run "$OPGEN" render - <own/main.j2
expect 2 "<stdin>:1:*: error\[E053\]:*"
cp own/p.j2 own/deep/main.j2
printf 'one, not main' >one/main.j2
run "$OPGEN" render own/main.j2 -I one
is "the template named is the one rendered" "$err$out" "one"
printf 'secret' >secret
ln -s ../secret own/link.j2
for name in ../secret "$work/secret" link.j2 deep/../../secret; do
    run "$OPGEN" render -I own - <<<"{% include \"$name\" %}"
    expect 2 "<stdin>:1:*: error\[E05[34]\]:*"
    is "include $name: stdout" "$out" ""
done
run "$OPGEN" render t.j2 d.json -I nowhere -I d.json
is "-I that is no folder" "$status:$err:$out" "2:opgen: error[E002]: cannot use -I nowhere: No such file or directory
opgen: error[E002]: cannot use -I d.json: Not a directory
:"

# ---- input that cannot be read: all of it is said
run "$OPGEN" render missing.j2 gone.json
is "both missing" "$status:$err:$out" '2:opgen: error[E002]: cannot read "missing.j2": No such file or directory
  hint: is the name right, and the folder it is relative to?
opgen: error[E002]: cannot read "gone.json": No such file or directory
  hint: is the name right, and the folder it is relative to?
:'
run "$OPGEN" render folder
is "a folder as template" "$status:$err:$out" '2:opgen: error[E002]: cannot read "folder": Is a directory
:'
run "$OPGEN" render t.j2 folder
is "a folder as data" "$status:$err:$out" '2:opgen: error[E002]: cannot read "folder": Is a directory
:'
run "$OPGEN" render - - </dev/null
is "stdin twice" "$status:$err:$out" "2:opgen: error[E001]: TEMPLATE and DATA cannot both be read from standard input
:"
printf '[1, 2]\n' >list.json
run "$OPGEN" render t.j2 list.json
is "data that is no object" "$status:$err:$out" '2:list.json:1:1: error[E014]: the data of a template is an object, but this is an array
    1 | [1, 2]
      | ^~~~~~ put it into one: {"data": ...}
:'
printf '{"a": 1,}\n' >bad.json
printf '{%% if %%}' >syntax.j2
run "$OPGEN" render syntax.j2 bad.json
expect 2 "*bad.json:1:*: error\[E010\]:*syntax.j2:1:*: error\[E050\]:*"
printf 'a\0b' >nul.j2
run "$OPGEN" render nul.j2
expect 2 "nul.j2:1:2: error\[E004\]: *NUL*"
printf 'a\xff' >latin.j2
run "$OPGEN" render latin.j2
expect 2 "latin.j2:1:2: error\[E004\]: *UTF-8*"
run "$OPGEN" render t.j2 - <&-
expect 2 "*error\[E002\]: cannot read \"-\": Bad file descriptor*"

# ---- limits
run "$OPGEN" render --max-loops=10 - <<<'{% for i in range(11) %}{% endfor %}'
expect 2 "<stdin>:1:*: error\[E062\]:*"
run "$OPGEN" render --max-loops=11 - <<<'{% for i in range(11) %}{% endfor %}'
expect 0 ""
run "$OPGEN" render --max-output=1K big.j2
expect 2 "big.j2:*: error\[E062\]:*"
is "nothing of what was rendered before the limit" "$out" ""
run "$OPGEN" render --max-memory=1M - <<<'{% set x = namespace(s="0123456789abcdef") %}{% for i in range(30) %}{% set x.s = x.s ~ x.s %}{% endfor %}'
expect 2 "<stdin>:*: error\[E062\]:*"
run "$OPGEN" render --max-depth=5 - <<<'{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}'
expect 2 "<stdin>:*: error\[E062\]:*"
run "$OPGEN" render --max-depth=10000 - <<<'{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}'
expect 2 "<stdin>:*: error\[E062\]:*"

# ---- output that cannot be written
("$OPGEN" render big.j2 2>err; echo $? >status) | head -c1 >/dev/null
is "a closed pipe" "$(cat status):$(cat err)" "2:opgen: error[E002]: cannot write to standard output: Broken pipe
  hint: the program that reads it ended before it had everything"
"$OPGEN" render t.j2 d.json >/dev/full 2>err
is "a full disk" "$?:$(cat err)" "2:opgen: error[E002]: cannot write to standard output: No space left on device
  hint: what was written so far is incomplete"
"$OPGEN" render t.j2 d.json >&- 2>err
is "a closed stdout" "$?:$(cat err)" "2:opgen: error[E002]: cannot write to standard output: Bad file descriptor"
"$OPGEN" render bad.j2 2>&- >out
is "a closed stderr" "$?:$(cat out)" "2:"
"$OPGEN" render t.j2 d.json -o closed.txt >&- 2>&- <&-
is "all closed, to a file" "$?:$(cat closed.txt)" "0:op add 0 1 2"
run "$OPGEN" render t.j2 d.json -o /dev/full
is "-o /dev/full" "$status:$err:$out" '2:opgen: error[E002]: cannot write "/dev/full": No space left on device
:'
run "$OPGEN" render t.j2 d.json -o d.json/under/out.txt
is "-o below a file" "$status:$err:$out" '2:opgen: error[E002]: cannot write "d.json/under/out.txt": Not a directory
  hint: a part of the path is a file
:'
run "$OPGEN" render t.j2 d.json -o folder
is "-o a folder" "$status:$err:$out" '2:opgen: error[E002]: cannot write "folder": Is a directory
  hint: a folder is in the way
:'

# ---- files: whole or not at all, and untouched when nothing changed
run "$OPGEN" render t.j2 d.json -o new/sub/out.txt
is "-o makes the folders above" "$status:$err:$out:$(cat new/sub/out.txt)" "0:::op add 0 1 2"
touch -d '2001-02-03' new/sub/out.txt
before=$(stat -c '%Y %i' new/sub/out.txt)
run "$OPGEN" render t.j2 d.json -o new/sub/out.txt
is "the same bytes are not written again" "$status:$(stat -c '%Y %i' new/sub/out.txt)" "0:$before"
run "$OPGEN" render bad.j2 -o new/sub/out.txt
is "what fails leaves the old file" "$status:$(cat new/sub/out.txt):$(stat -c '%Y %i' new/sub/out.txt)" "2:op add 0 1 2:$before"
run "$OPGEN" render bad.j2 -o new/sub/other.txt
is "what fails makes no file" "$status:$(ls -A new/sub)" "2:out.txt"
run "$OPGEN" render big.j2 --max-output=1M -o new/sub/other.txt
is "what reaches a limit makes no file" "$status:$(ls -A new/sub)" "2:out.txt"
chmod 750 new/sub/out.txt
run "$OPGEN" render t.j2 d.json --set name=mul -o new/sub/out.txt
is "a changed file keeps its mode" "$(cat new/sub/out.txt):$(stat -c %a new/sub/out.txt)" "op mul 0 1 2:750"
is "no temporary file stays" "$(ls -A new/sub)" "out.txt"
# Too little room for the whole: 64 KiB files at most.
(ulimit -f 64; trap '' XFSZ; "$OPGEN" render big.j2 -o new/sub/out.txt 2>err; echo $? >status)
is "a file that does not fit" "$(cat status):$(cat err):$(cat new/sub/out.txt):$(ls -A new/sub)" \
    '2:opgen: error[E002]: cannot write "new/sub/out.txt": File too large:op mul 0 1 2:out.txt'

# ---- findings in the other formats
run "$OPGEN" render bad.j2 --diagnostics=json
is "json" "$status$(/usr/bin/python3 -c '
import json, sys
for f in json.load(open(sys.argv[1])): print(f["file"], f["line"], f["column"], f["level"], f["code"])' .err)" "2bad.j2 1 4 error E061"
run "$OPGEN" render t.j2 d.json --diagnostics=json
is "json without a finding is a document too" "$(/usr/bin/python3 -c 'import json; print(json.load(open(".err")))')$out" "[]op add 0 1 2"
run "$OPGEN" render bad.j2 --diagnostics=sarif
is "sarif" "$status$(/usr/bin/python3 -c '
import json
s = json.load(open(".err"))
r = s["runs"][0]["results"][0]
print(s["version"], r["ruleId"], r["level"], r["locations"][0]["physicalLocation"]["region"]["startColumn"])')" "22.1.0 E061 error 4"
run "$OPGEN" render bad.j2 --diagnostics github
expect 2 "::error file=bad.j2,line=1,*::*"
run "$OPGEN" --diagnostics=json rendr
expect 2 '\[*"E001"*\]*'

# ---- colour
escape=$'\033'
run "$OPGEN" render bad.j2
unlike "no colour in a pipe" "$err" "*$escape*"
run "$OPGEN" render bad.j2 --color=always
like "--color=always" "$err" "*$escape\[*"
run env NO_COLOR=1 "$OPGEN" render bad.j2 --color=always
like "--color=always goes over NO_COLOR" "$err" "*$escape\[*"
on_terminal() { # what comes out when stderr is a terminal
    /usr/bin/python3 -c '
import os, pty, sys
out = []
def read(fd):
    data = os.read(fd, 4096)
    out.append(data)
    return b""
os.environ["TERM"] = "xterm"
sys.stdout.flush()
pty.spawn(sys.argv[1:], read)
print("coloured" if b"\x1b[" in b"".join(out) else "plain")' "$@" </dev/null
}
if /usr/bin/python3 -c 'import os; os.openpty()' 2>/dev/null; then
    is "colour on a terminal" "$(on_terminal "$OPGEN" render bad.j2)" "coloured"
    is "NO_COLOR" "$(NO_COLOR=1 on_terminal "$OPGEN" render bad.j2)" "plain"
    is "an empty NO_COLOR is none" "$(NO_COLOR='' on_terminal "$OPGEN" render bad.j2)" "coloured"
    is "--color=never" "$(on_terminal "$OPGEN" render bad.j2 --color=never)" "plain"
else
    skip "this machine has no pseudo-terminals: colour on a terminal"
fi

# ---- signals
printf '{%% for i in range(1000000000) %%}{%% for k in range(1000000000) %%}{%% endfor %%}{%% endfor %%}' >endless.j2
signalled() { # SIGNAL: the status of a run that is stopped by it
    "$OPGEN" render endless.j2 --max-loops=4000000000000000000 -o signal.txt 2>err &
    local child=$!
    sleep 0.3
    kill -"$1" $child
    { wait $child; } 2>/dev/null
}
# A job in the background ignores SIGINT unless job control is on.
set -m
signalled INT
is "interrupt" "$?:$(cat err):$(ls -A signal.txt 2>/dev/null)" "130::"
set +m
signalled TERM
is "terminate" "$?:$(ls -A signal.txt 2>/dev/null)" "143:"
if [[ $OPGEN == "${OPGEN_ASAN:-}" ]]; then
    skip "a sanitized opgen leaves crashes to the sanitizer"
else
    signalled SEGV
    is "a crash" "$?:$(cat err)" "70:opgen: this is a bug in opgen: it crashed; no output was kept"
fi

# ---- output is the same wherever and whenever it is made
run "$OPGEN" render "$top/examples/render/kernel.j2" "$top/examples/render/add.json" --set backend=c --trim-blocks
first=$out
cd / && run env LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo HOME=/nowhere "$OPGEN" render "$top/examples/render/kernel.j2" - \
    --set backend=c --trim-blocks <"$top/examples/render/add.json"
is "the same bytes from elsewhere" "$status:$out" "0:$first"
like "and there are some" "$first" "*int add_f32(float \*y, *"

finish
