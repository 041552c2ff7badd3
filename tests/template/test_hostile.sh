#!/bin/bash
# test_hostile.sh: templates, data and surroundings made to break `opgen render`.
#
# Each must end with exit status 2 and a message at the right place, with nothing on standard output, within thirty seconds
# and 2 GiB, and without a crash. What is merely large must work.
. tests/check.sh

opgen=${OPGEN:-build/opgen}
seconds=30
memory=$((2 * 1024 * 1024))
# The sanitizer reserves address space without bounds, and is slow.
case $opgen in *asan*) seconds=60 memory=unlimited ;; esac

cd "$work" || exit 2
[[ $opgen == /* ]] || opgen=$OLDPWD/$opgen
mkdir -p roots/sub elsewhere

# limited ARGS...: one run of opgen within the bounds; $out, $err, $status.
limited() {
    run bash -c 'ulimit -v '"$memory"'; ulimit -c 0; exec timeout -s KILL '"$seconds"' "$@"' opgen "$opgen" "$@"
}

# refused WHAT PATTERN ARGS...: it ends with 2, says PATTERN (of [[ == ]]) and prints nothing.
refused() {
    local what=$1 pattern=$2
    shift 2
    limited "$@"
    local said=${err:0:1200} printed=${out:0:200}
    # shellcheck disable=SC2053
    if [[ $status == 137 ]]; then fail "$what" "not done within $seconds s"
    elif [[ $status != 2 ]]; then fail "$what" "exit status $status, wanted 2" "stderr: $said" "stdout: $printed"
    elif [[ -n $out ]]; then fail "$what" "something is on stdout: $printed" "stderr: $said"
    elif [[ $err != $pattern ]]; then fail "$what" "stderr: $said" "wanted: $pattern"
    elif [[ $err != *"error[E"* ]]; then fail "$what" "no numbered error: $said"
    elif ((${#err} > 100000)); then fail "$what" "the message has ${#err} characters"
    else pass; fi
}

# template WHAT PATTERN TEXT [DATA]: TEXT is refused as a template.
template() {
    printf '%s' "$3" >t.txt
    printf '%s' "${4:-{\}}" >d.json
    refused "$1" "$2" render t.txt d.json
}

# works WHAT WANTED ARGS...: exit status 0 and this text.
works() {
    local what=$1 wanted=$2
    shift 2
    limited "$@"
    if [[ $status != 0 ]]; then fail "$what" "exit status $status" "stderr: ${err:0:1200}"
    elif [[ $out != "$wanted" ]]; then fail "$what" "got: ${out:0:200}" "wanted: ${wanted:0:200}"
    else pass; fi
}

# Prints a text many times.
times() { /usr/bin/python3 -c 'import sys; sys.stdout.write(sys.argv[1] * int(sys.argv[2]))' "$1" "$2"; }

# ---- loops and ranges
template "nested loops" '*t.txt:1:*E062*loops*' '{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}'
template "a range of 10^12" '*t.txt:1:*E062*1000000000000*' '{% for i in range(10 ** 12) %}x{% endfor %}'
template "a range of 10^30" '*t.txt:1:*error*range*' '{{ range(10 ** 30)|length }}'
template "a range as list" '*t.txt:1:*E062*' '{{ range(10 ** 12)|list }}'
template "a range that is summed" '*t.txt:1:*E062*' '{{ range(10 ** 12)|sum }}'
template "a range that is searched by text" '*t.txt:1:*E062*' '{{ "a" in range(10 ** 12) }}'
template "long ranges in a loop" '*t.txt:1:*E062*' '{% for i in range(10 ** 8) %}{{ range(10 ** 8)|sum }}{% endfor %}'
template "a list that grows while it is gone through" '*t.txt:1:*E062*' '{% set l = [1] %}{% for x in l %}{% do l.append(x) %}{% endfor %}'
template "a list added to itself" '*t.txt:1:*E062*' '{% set l = [1] %}{% for i in range(100) %}{% do l.extend(l) %}{% endfor %}'
template "a recursive loop without end" '*t.txt:1:*E062*' '{% for x in [[1]] recursive %}{{ loop([x]) }}{% endfor %}'
template "a list within itself, flattened" '*t.txt:1:*error*' '{% set l = [] %}{% do l.append(l) %}{% for x in l recursive %}{{ loop(x) }}{% endfor %}'
template "filters over many elements many times" '*t.txt:1:*E062*' '{% set l = range(10 ** 6)|list %}{% for i in range(10 ** 6) %}{% set x = l|map("string")|list|sort %}{% endfor %}'
template "a comparison that doubles its work" '*error*' '{% set ns = namespace(a=[], b=[]) %}{% for i in range(200) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}'
template "a list printed that doubles its length" '*error*' '{% set ns = namespace(a=["x"]) %}{% for i in range(200) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a }}'
template "a list as JSON that doubles its length" '*error*' '{% set ns = namespace(a=["x"]) %}{% for i in range(200) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a|tojson }}'
template "a list within itself as JSON" '*error*' '{% set l = [] %}{% do l.append(l) %}{{ l|tojson }}'
template "a list within itself, compared" '*error*' '{% set a = [] %}{% do a.append(a) %}{% set b = [] %}{% do b.append(b) %}{{ a == b }}'
template "a list within itself, ordered" '*error*' '{% set a = [] %}{% do a.append(a) %}{% set b = [] %}{% do b.append(b) %}{{ [a, b]|sort }}'
template "a list nested by a loop, compared" '*error*' '{% set ns = namespace(a=[], b=[]) %}{% for i in range(1000000) %}{% set ns.a = [ns.a] %}{% set ns.b = [ns.b] %}{% endfor %}{{ ns.a == ns.b }}{{ 1 // 0 }}'
template "a list nested by a loop, printed" '*error*' '{% set ns = namespace(a=[]) %}{% for i in range(1000000) %}{% set ns.a = [ns.a] %}{% endfor %}{{ ns.a|string|length }}{{ ns.a|pprint|length }}{{ 1 // 0 }}'
template "a tuple nested by a loop, as key" '*error*' '{% set ns = namespace(a=()) %}{% for i in range(1000000) %}{% set ns.a = (ns.a,) %}{% endfor %}{{ {ns.a: 1}|length }}{{ 1 // 0 }}'

# ---- templates that load themselves and each other
template "including itself" '*t.txt:1:*E062*deep*note:*' '{% include "t.txt" %}'
template "extending itself" '*t.txt:1:*E062*deep*' '{% extends "t.txt" %}'
template "importing itself" '*t.txt:1:*E06*' '{% import "t.txt" as t with context %}'
template "a macro without end" '*t.txt:1:*E062*' '{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}'
template "macros that double" '*error*' '{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(150) }}'
template "a caller without end" '*t.txt:1:*E062*' '{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{% call m() %}x{% endcall %}'
template "a block without end" '*t.txt:1:*E062*' '{% block b %}{{ self.b() }}{% endblock %}'
printf '{%% include "b.txt" %%}' >a.txt
printf '{%% include "a.txt" %%}' >b.txt
refused "including each other" '*txt:1:*E062*note:*' render a.txt
printf '{%% extends "b.txt" %%}' >a.txt
printf '{%% extends "a.txt" %%}' >b.txt
refused "extending each other" '*txt:1:*E062*' render a.txt
printf '{%% import "b.txt" as x with context %%}{{ x }}' >a.txt
printf '{%% from "a.txt" import y with context %%}{{ y }}' >b.txt
refused "importing each other" '*txt:1:*E06*' render a.txt
printf '{%% include "b.txt" %%}{%% include "b.txt" %%}' >a.txt
for k in b c d e f g h i j k l m n o p q r s t u v w x y z; do
    next=$(echo "$k" | tr 'b-z' 'c-za')
    [[ $k == z ]] && printf x >z.txt || printf '{%% include "%s.txt" %%}{%% include "%s.txt" %%}{%% include "%s.txt" %%}' "$next" "$next" "$next" >$k.txt
done
refused "includes that triple at each level" '*error*' render a.txt
rm -f ?.txt

# ---- depth
deep() { # WHAT, what opens, the middle, what closes
    { times "$2" 100000; printf '%s' "$3"; times "$4" 100000; } >t.txt
    refused "$1" '*t.txt:1:*E051*' render t.txt
}
{ printf '{{ '; times '(' 100000; printf 1; times ')' 100000; printf ' }}'; } >t.txt
refused "100,000 parentheses" '*t.txt:1:*E051*' render t.txt
{ printf '{{ '; times '[' 100000; times ']' 100000; printf ' }}'; } >t.txt
refused "100,000 lists" '*t.txt:1:*E051*' render t.txt
{ printf '{{ '; times '{1:' 100000; printf 1; times '}' 100000; printf ' }}'; } >t.txt
refused "100,000 dicts" '*t.txt:1:*E051*' render t.txt
{ printf '{{ '; times '-' 100000; printf '1 }}'; } >t.txt
refused "100,000 signs" '*t.txt:1:*E05*' render t.txt
{ printf '{{ '; times 'not ' 100000; printf '1 }}'; } >t.txt
refused "100,000 nots" '*t.txt:1:*E051*' render t.txt
{ printf '{{ '; times '1 if 1 else ' 100000; printf '1 }}'; } >t.txt
refused "100,000 conditionals" '*t.txt:1:*E051*' render t.txt
{ printf '{{ 1'; times '.a' 100000; printf ' }}'; } >t.txt
refused "100,000 attributes" '*t.txt:1:*E05*' render t.txt
{ printf '{{ x'; times '[0]' 100000; printf ' }}'; } >t.txt
refused "100,000 items" '*t.txt:1:*E051*' render t.txt
{ printf '{{ x'; times '()' 100000; printf ' }}'; } >t.txt
refused "100,000 calls" '*t.txt:1:*E051*' render t.txt
{ printf '{{ x'; times '|e' 100000; printf ' }}'; } >t.txt
refused "100,000 filters" '*t.txt:1:*E051*' render t.txt
{ printf '{{ 1'; times ' + 1' 100000; printf ' }}'; } >t.txt
refused "100,000 additions" '*t.txt:1:*E051*' render t.txt
{ printf '{{ 1'; times ' and 1' 100000; printf ' }}'; } >t.txt
refused "100,000 ands" '*t.txt:1:*E051*' render t.txt
deep "100,000 ifs" '{% if 1 %}' x '{% endif %}'
deep "100,000 fors" '{% for a in b %}' x '{% endfor %}'
deep "100,000 withs" '{% with %}' x '{% endwith %}'
deep "100,000 macros" '{% macro m() %}' x '{% endmacro %}'
deep "100,000 filter blocks" '{% filter e %}' x '{% endfilter %}'
deep "100,000 set blocks" '{% set x %}' x '{% endset %}'
deep "100,000 call blocks" '{% call m() %}' x '{% endcall %}'
/usr/bin/python3 -c 'n = 100000
print("".join("{% block b" + str(i) + " %}" for i in range(n)) + "{% endblock %}" * n)' >t.txt
refused "100,000 blocks" '*t.txt:1:*E051*' render t.txt
times '{% if 1 %}' 100000 >t.txt
refused "100,000 ifs that stay open" '*t.txt:1:*error*' render t.txt
times '{{ 1 + }}' 100000 >t.txt
refused "100,000 errors" '*t.txt:1:*E050*more*' render t.txt
times '(' 1000000 | sed 's/^/{{ /' >t.txt
refused "a million parentheses that stay open" '*t.txt:1:*error*' render t.txt
printf 1 >t.txt
{ printf '{"a":'; times '[' 100000; times ']' 100000; printf '}'; } >d.json
refused "JSON nested 100,000 deep" '*d.json:1:*E012*' render t.txt d.json
times '{"a":' 100000 >d.json
refused "JSON that stays open" '*d.json:1:*error*' render t.txt d.json
times '[' 1000000 >d.json
refused "JSON of a million brackets" '*d.json:1:*error*' render t.txt d.json

# ---- sizes
template "a text of 10^12" '*t.txt:1:*E062*' '{{ "x" * 10 ** 12 }}'
template "a text of 3 * 10^9" '*t.txt:1:*E062*' '{{ "x" * 3000000000 }}'
template "a list of 10^12" '*t.txt:1:*E062*' '{{ [1] * 10 ** 12 }}'
template "center" '*t.txt:1:*E062*' '{{ "x"|center(10 ** 12) }}'
template "the method center" '*t.txt:1:*E062*' '{{ "x".center(10 ** 12) }}'
template "ljust" '*t.txt:1:*E062*' '{{ "x".ljust(10 ** 12) }}'
template "zfill" '*t.txt:1:*E062*' '{{ "x".zfill(10 ** 12) }}'
template "expandtabs" '*t.txt:1:*E062*' '{{ ("\t" * 10000).expandtabs(10 ** 9) }}'
template "a power" '*t.txt:1:*E062*' '{{ 10 ** (10 ** 10) }}'
template "a tower of powers" '*t.txt:1:*E062*' '{{ ((9 ** 99) ** 99) ** 99 }}'
template "a negative power of a power" '*t.txt:1:*error*' '{{ 2.5 ** 10 ** 10 }}{{ 1 // 0 }}'
template "a number that squares itself" '*t.txt:1:*E062*' '{% set ns = namespace(n=10) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}'
template "percent, width" '*t.txt:1:*E06*' '{{ "%1000000000d" % 1 }}{{ "%1000000000000d" % 1 }}'
template "percent, precision" '*t.txt:1:*error*' '{{ "%.1000000000f" % 1.5 }}{{ "%.1000000000000f" % 1.5 }}'
template "percent, star" '*t.txt:1:*error*' '{{ "%*d" % (10 ** 12, 1) }}'
template "format, width" '*t.txt:1:*error*' '{{ "{:1000000000000}".format(1) }}'
template "format, precision" '*t.txt:1:*error*' '{{ "{:.1000000000000f}".format(1.5) }}'
template "format, nested width" '*t.txt:1:*error*' '{{ "{:{}}".format(1, 10 ** 12) }}'
template "indent" '*t.txt:1:*E062*' '{{ ("a\n" * 100000)|indent(10 ** 6) }}'
template "join" '*t.txt:1:*E062*' '{{ range(10 ** 6)|join("x" * 10 ** 6) }}'
template "replace" '*t.txt:1:*E062*' '{{ ("a" * 10 ** 6)|replace("a", "b" * 10 ** 6) }}'
template "the method replace with nothing to replace" '*t.txt:1:*E062*' '{{ ("a" * 10 ** 6).replace("", "b" * 10 ** 6) }}'
template "batch" '*t.txt:1:*E062*' '{{ [1]|batch(10 ** 12, "x")|list }}'
template "slice" '*t.txt:1:*E062*' '{{ [1]|slice(10 ** 12)|list }}'
template "wordwrap" '*t.txt:1:*E062*' '{{ ("a" * 10 ** 6)|wordwrap(1, true, "b" * 10 ** 6) }}'
template "a text that doubles" '*t.txt:1:*E062*' '{% set ns = namespace(s="x") %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}'
template "a set block that doubles" '*t.txt:1:*E062*' '{% set ns = namespace(s="x") %}{% for i in range(99) %}{% set ns.s %}{{ ns.s }}{{ ns.s }}{% endset %}{% endfor %}'
template "a list that doubles" '*t.txt:1:*E062*' '{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}'
template "escaping that grows" '*t.txt:1:*E062*' '{% set ns = namespace(s="&") %}{% for i in range(10 ** 6) %}{% set ns.s = ns.s|forceescape|forceescape ~ ns.s %}{% endfor %}'
template "output without end" '*t.txt:1:*E062*' '{% for i in range(10 ** 8) %}{{ "x" * 1000 }}{% endfor %}'
template "a filter block without end" '*t.txt:1:*E062*' '{% filter upper %}{% for i in range(10 ** 8) %}{{ "x" * 1000 }}{% endfor %}{% endfilter %}'
template "a dict without end" '*t.txt:1:*E062*' '{% set d = {} %}{% for i in range(10 ** 8) %}{% do d.update({i: i}) %}{% endfor %}'
template "a cycler of much" '*t.txt:1:*E062*' '{% set c = cycler("x" * 10 ** 9, "y" * 10 ** 9) %}{{ c.next() }}{{ c.next() }}'
template "an integer of many digits" '*t.txt:1:*error*' "{{ $(times 9 1000000) }}"
template "an integer read from text" '*t.txt:1:*error*' '{{ ("9" * 10 ** 7)|int }}{{ 1 // 0 }}'
template "a float of many digits" '*error*' "{{ 1.$(times 9 1000000) }}{{ 1 // 0 }}"
template "tojson, indent" '*t.txt:1:*error*' '{{ [[1], [2]]|tojson(10 ** 12) }}'
template "truncate" '*error*' '{{ ("ab " * 10 ** 6)|truncate(10 ** 12) and 1 // 0 }}'
template "many words" '*error*' '{{ ("a " * 10 ** 7)|wordcount and ("a " * 10 ** 7).split()|length and 1 // 0 }}'
template "a search that goes back" '*error*' '{{ ("a" * 10 ** 6 ~ "b") in ("a" * 2 * 10 ** 6) or 1 // 0 }}'
template "a split that goes back" '*error*' '{{ ("a" * 4 * 10 ** 6).split("a" * 10 ** 6 ~ "b")|length and 1 // 0 }}'
template "urlize of much" '*error*' '{{ ("http://" * 10 ** 5)|urlize|length and ("(" * 10 ** 5)|urlize|length and ("a@" * 10 ** 5)|urlize|length and 1 // 0 }}'
template "striptags of much" '*error*' '{{ ("<" * 10 ** 6)|striptags|length and ("<!--" * 10 ** 6)|striptags|length and ("&" * 10 ** 6)|striptags|length and 1 // 0 }}'
template "pprint of much" '*error*' '{{ range(10 ** 5)|list|pprint|length and 1 // 0 }}'
template "unique of much" '*error*' '{{ range(10 ** 6)|unique|list|length and 1 // 0 }}'
{ times '{# #}' 1000000; printf '{{ 1 // 0 }}'; } >t.txt
refused "a million comments" '*t.txt:1:*division*' render t.txt
{ printf '{{ "'; times 'x' 10000000; printf '" // 0 }}'; } >t.txt
refused "a literal of 10 MB, shown in an error" '*t.txt:1:*error*' render t.txt
{ printf '{{ '; times 'x' 1000000; printf ' }}'; } >t.txt
refused "a name of 1 MB" '*t.txt:1:*error*' render t.txt
printf '{{ a }}' >t.txt
{ printf '{"a": "'; times x 20000000; printf '"}'; } >d.json
limited render t.txt d.json
is "20 MB of data" "$status ${#out}" "0 20000000"

# ---- places that must stay out of reach
printf secret >elsewhere/secret.txt
printf inside >roots/inside.txt
ln -sf ../elsewhere/secret.txt roots/link.txt
ln -sfn ../elsewhere roots/linked
ln -sf inside.txt roots/good.txt
outside() {
    printf '{%% include "%s" %%}' "$1" >roots/t.txt
    refused "include of $1" '*roots/t.txt:1:*E05[34]*' render roots/t.txt
    [[ $err == *secret*secret* && $err != *secret.txt* ]] && fail "include of $1" "the text shows: $err"
    printf '{%% import "%s" as x %%}{{ x }}' "$1" >roots/t.txt
    refused "import of $1" '*roots/t.txt:1:*E05[34]*' render roots/t.txt
    printf '{%% extends "%s" %%}' "$1" >roots/t.txt
    refused "extends of $1" '*roots/t.txt:1:*E05[34]*' render roots/t.txt
    printf '{%% include ["%s"] %%}' "$1" >roots/t.txt
    refused "include of a list with $1" '*roots/t.txt:1:*E05[34]*' render roots/t.txt
}
outside ../elsewhere/secret.txt
outside sub/../../elsewhere/secret.txt
outside "$PWD/elsewhere/secret.txt"
outside /etc/passwd
outside link.txt
outside linked/secret.txt
outside ./../elsewhere/secret.txt
outside //etc/passwd
outside ""
outside .
outside ..
printf '{%% include "inside.txt" %%}{%% include "good.txt" %%}' >roots/t.txt
works "an include inside, also by a link" "insideinside" render roots/t.txt
printf '{%% include "sub" %%}' >roots/t.txt
refused "include of a folder" '*roots/t.txt:1:12*error*' render roots/t.txt
mkfifo roots/fifo
printf '{%% include "fifo" %%}' >roots/t.txt
refused "include of a pipe" '*error*' render roots/t.txt
printf '{%% include "none.txt" %%}' >roots/t.txt
chmod 000 roots/inside.txt
refused "a template that is not there" '*roots/t.txt:1:12*E053*' render roots/t.txt
chmod 644 roots/inside.txt
refused "a folder as template" '*roots*' render roots
refused "a template that is no file" '*nothing.txt*' render nothing.txt
printf 1 >t.txt
refused "data that is no file" '*nothing.json*' render t.txt nothing.json

# ---- bytes that are no text
bytes() { # WHAT PATTERN BYTES (for printf)
    # shellcheck disable=SC2059
    printf "$3" >t.txt
    refused "$1 in a template" "$2" render t.txt
    # shellcheck disable=SC2059
    printf "$3" >roots/part.txt
    printf '\n {%% include "part.txt" %%}' >roots/t.txt
    refused "$1 in an include" "${2//t.txt/part.txt}*roots/t.txt:2:*" render roots/t.txt
    printf 1 >t.txt
    # shellcheck disable=SC2059
    printf "{\"a\": \"$3\"}" >d.json
    refused "$1 in data" '*d.json:*E004*' render t.txt d.json
}
bytes "a NUL byte" '*t.txt:2:2:*E004*' 'a\nb\0c'
bytes "a stray continuation byte" '*t.txt:2:2:*E004*' 'a\nb\200c'
bytes "a sequence cut short" '*t.txt:2:2:*E004*' 'a\nb\303'
bytes "an overlong sequence" '*t.txt:2:2:*E004*' 'a\nb\300\257c'
bytes "a surrogate" '*t.txt:2:2:*E004*' 'a\nb\355\240\200c'
bytes "a code past the last" '*t.txt:2:2:*E004*' 'a\nb\364\220\200\200c'
bytes "Latin-1" '*t.txt:2:2:*E004*' 'a\nb\344c'

# ---- errors, all of them
printf '{{ 1 + }}\n{%% if %%}x{%% endif %%}\n{{ a b }}\n' >t.txt
printf '{"a": 1,\n "a": 2,\n "b": 01}' >d.json
refused "several errors in template and data" '*d.json:2:*E011*d.json:3:*t.txt:1:8:*t.txt:2:7:*t.txt:3:6:*' render t.txt d.json
template "a missing variable" '*t.txt:2:5:*E061*"user_nmae"*did you mean "user_name"*' $'line\n {{ user_nmae }}' '{"user_name": "x"}'
template "data that is a list" '*d.json:1:1:*E014*' 'x' '[1]'
template "data with text behind it" '*d.json:1:*E010*' 'x' '{} {}'
template "data that is empty" '*d.json*E010*' 'x' ' '
template "no text before an error" '*t.txt:1:*division*' 'much text before it {{ 1 // 0 }}'

# ---- output that cannot be written
printf 'text' >t.txt
run bash -c '"$0" render t.txt >/dev/full' "$opgen"
expect 2 '*error*No space left*'
printf '{%% for i in range(100000) %%}0123456789{%% endfor %%}' >t.txt
run bash -c '"$0" render t.txt >/dev/full' "$opgen"
expect 2 '*error*No space left*'
run bash -c '{ "$0" render t.txt 2>pipe.err; echo $? >pipe.status; } | :' "$opgen"
is "a closed pipe" "$(cat pipe.status)" 2
check "a closed pipe has a message" grep -q 'error' pipe.err
run bash -c '"$0" render t.txt >&-' "$opgen"
expect 2 '*error*'
printf old >kept.txt
printf '{{ 1 // 0 }}' >t.txt
refused "an error with -o" '*division*' render t.txt -o kept.txt
is "what was there stays" "$(cat kept.txt)" old
refused "an error with -o to a new file" '*division*' render t.txt -o new.txt
check "no file is made" test ! -e new.txt
printf '{%% for i in range(100000) %%}0123456789{%% endfor %%}' >t.txt
run bash -c 'ulimit -f 100; exec "$0" render t.txt -o kept.txt' "$opgen"
expect 2 '*error*kept.txt*'
is "what was there stays when the disk is full" "$(cat kept.txt)" old
refused "-o below a file" '*kept.txt/out*' render t.txt -o kept.txt/out
is "nothing is left behind" "$(find . -name '*.tmp*' -o -name '.kept*' -o -name '.new*' | head -3)" ""
check "no core file" test ! -e core

finish
