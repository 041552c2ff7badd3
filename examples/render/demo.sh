#!/bin/sh
# demo.sh: the template engine alone, step by step, with the commands as they are run.
set -eu
cd "$(dirname "$0")/../.."

opgen=${OPGEN:-build/opgen}
cc=${CC:-gcc}
here=examples/render
made=build/demo_render
rm -rf "$made" && mkdir -p "$made"

bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi

title() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
# Shows a command, then runs it; what it says is set in.
try() {
    printf '  %s$ %s%s\n' "$dim" "$*" "$plain"
    "$@" >"$made/.said" 2>&1 || { sed 's/^/    /' "$made/.said" && exit 1; }
    sed 's/^/    /' "$made/.said"
    rm "$made/.said"
}

title "1. An operator is a JSON file: what it computes, for which types"
try cat $here/add.json

title "2. One template renders it for CUDA"
try "$opgen" render $here/kernel.j2 $here/add.json --set backend=cuda --trim-blocks -o $made/add.cu
try sed -n 1,21p $made/add.cu

title "3. The same template renders it for HIP, in HIP's own names"
try "$opgen" render $here/kernel.j2 $here/add.json --set backend=hip --trim-blocks -o $made/add.hip
try grep -n hip $made/add.hip

title "4. The same template renders it as C"
try "$opgen" render $here/kernel.j2 $here/add.json --set backend=c --trim-blocks -o $made/add.c
try cat $made/add.c

title "5. The C compiles and runs, and every value is checked"
try "$cc" -std=c11 -O2 -Wall -Wextra -Werror -o $made/add $here/main.c $made/add.c
try $made/add

title "6. A mistake in a template is shown where it stands"
printf '{%% for input in inputs %%}\n{{ inptus }}\n{%% endfor %%}\n' >$made/mistake.j2
printf '  %s$ %s%s\n' "$dim" "$opgen render $made/mistake.j2 $here/add.json" "$plain"
status=0
"$opgen" render $made/mistake.j2 $here/add.json >"$made/.said" 2>&1 || status=$?
sed 's/^/    /' "$made/.said"
rm "$made/.said"
[ "$status" = 2 ] || { echo "    exit status $status, where 2 was expected" && exit 1; }

printf '\nThe sources are in %s/: add.cu, add.hip, add.c\n' "$made"
