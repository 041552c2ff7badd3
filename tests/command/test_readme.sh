#!/bin/bash
# Every command that a README shows is run, and what it shows as output is what comes out.
#
# A block is ```console: a line `$ COMMAND`, then its output (standard output and standard error as on a terminal). In
# the blocks opgen is the one under test, and the working folder is a copy of the repository's examples.
. tests/check.sh

mkdir -p "$work/bin" "$work/at"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$OPGEN" >"$work/bin/opgen"
chmod +x "$work/bin/opgen"
PATH=$work/bin:$PATH
readmes=$(find . -name README.md -not -path './build/*' -not -path './.git/*' -not -path './shared/*' | sort)
blocks=0

run_block() { # FILE LINE COMMAND WANTED
    local got
    got=$(cd "$work/at" && eval "$3" 2>&1)
    is "$1:$2: \$ $3" "$got" "$4"
    blocks=$((blocks + 1))
}

for readme in $readmes; do
    rm -rf "$work/at" && mkdir "$work/at" && cp -R examples "$work/at/"
    inside=no command= wanted= number=0 at=0
    while IFS= read -r line; do
        number=$((number + 1))
        if [[ $inside == no ]]; then
            [[ $line == '```console' ]] && inside=yes
            continue
        fi
        if [[ $line == '$ '* || $line == '```' ]]; then
            [[ -n $command ]] && run_block "$readme" "$at" "$command" "${wanted%$'\n'}"
            command=${line#'$ '} wanted='' at=$number
            [[ $line == '```' ]] && inside=no command=
        else
            wanted+=$line$'\n'
        fi
    done <"$readme"
    is "$readme ends its last block" "$inside" no
done
check "the READMEs show commands" test "$blocks" -gt 2
finish
