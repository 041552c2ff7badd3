#!/bin/bash
# test_headers: the headers of templates/cpu compile silently together, in either order, as they do in a single file that has several kernels:
# none takes a name that another one has.
. tests/check.sh

names=$(ls templates/cpu/*.h)
for name in $names; do echo "#include \"$(basename "$name")\""; done >"$work/all.c"
tac "$work/all.c" >"$work/back.c"
native=
[ "$(uname -m)" = x86_64 ] && native="-march=x86-64-v3 -march=x86-64-v4"
for cc in gcc clang; do
    if ! command -v $cc >/dev/null; then
        skip "there is no $cc"
        continue
    fi
    for flags in "" -DOPGEN_FREESTANDING -DOPGEN_NO_CLONES $native; do
        for order in all back; do
            # shellcheck disable=SC2086
            check "$cc $flags, $order" $cc -std=c11 -Wall -Wextra -Wno-unused-function -Werror $flags -fsyntax-only -Itemplates/cpu "$work/$order.c"
        done
    done
done
finish
