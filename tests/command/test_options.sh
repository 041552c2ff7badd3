#!/bin/bash
# The command line: what is understood, what is said of what is not, and that help, manual page and completions all
# come from the one table.
. tests/check.sh

# ---- without a command
run "$OPGEN"
expect 2 "opgen makes native libraries of models: "*"Usage: opgen COMMAND"*"opgen help COMMAND"*
is "short help leaves stdout empty" "$out" ""
run "$OPGEN" --color=never
expect 2 "*Usage: opgen COMMAND*"
run "$OPGEN" --version
expect 0 ""
like "the version" "$out" $'opgen [0-9].[0-9]*.[0-9]*\n'

# ---- help
run "$OPGEN" --help
expect 0 ""
top=$out
run "$OPGEN" help
is "help is --help" "$out" "$top"
run "$OPGEN" -h
is "-h is --help" "$out" "$top"
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$top")
is "the commands" "$(tr '\n' ' ' <<<"$commands")" \
    'compile generate check outputs run verify bench graph lint list show render doctor help completion '
for command in $commands; do
    run "$OPGEN" help "$command"
    expect 0 ""
    like "help $command begins with its usage" "$out" "Usage: opgen $command*"
    text=$out
    run "$OPGEN" "$command" --help
    is "$command --help is help $command" "$out" "$text"
    for width in 40 60 80 100; do
        run env COLUMNS=$width "$OPGEN" help "$command"
        long=$(grep -v -e '^Usage' -e '^  opgen' -e '^  eval' <<<"$out" | awk -v most=$width 'length > most')
        is "help $command in $width columns" "$long" ""
    done
done
run env COLUMNS=1000 "$OPGEN" help render
is "help is never wider than 100" "$(awk 'length > 100' <<<"$out")" ""
run env COLUMNS=100 "$OPGEN" help render
wide=$out
run env COLUMNS=1000 "$OPGEN" help render
is "a wide terminal" "$out" "$wide"

# ---- every option of the help is one that the parser knows, and no other
options=$("$OPGEN" help render | sed -n 's/^  [- ].*--\([a-z-]*\).*$/\1/p' | sort -u)
like "help shows options" "$options" "*include*max-depth*"
for option in $options; do
    run "$OPGEN" render "--$option" </dev/null
    unlike "--$option is known" "$err" "*has no option*"
done

# ---- what is not understood: exit 2, nothing on stdout, the whole message
usage() { # MESSAGE ARGUMENT...: all of stderr
    local wanted=$1
    shift
    run "$OPGEN" "$@"
    expect 2
    is "opgen $*" "$err" "$wanted"$'\n'
    is "opgen $*: stdout" "$out" ""
}
usage 'opgen: error[E001]: there is no command "rendr"
  hint: did you mean "render"?' rendr
usage 'opgen: error[E001]: there is no command "compl"
  hint: did you mean "completion"?' compl
usage 'opgen: error[E001]: there is no command "comp"
  hint: see: opgen --help' comp
usage 'opgen: error[E001]: there is no command "xyzzy"
  hint: see: opgen --help' xyzzy --trim-blocks
usage 'opgen: error[E001]: there is no command "rendr"
  hint: did you mean "render"?' help rendr
usage 'opgen: error[E001]: render has no option --trim-block
  hint: did you mean "--trim-blocks"?' render --trim-block x
usage 'opgen: error[E001]: render has no option -trim-blocks
  hint: did you mean "--trim-blocks"?' render -trim-blocks x
usage 'opgen: error[E001]: render has no option --frobnicate
  hint: see: opgen help render' render --frobnicate x
usage 'opgen: error[E001]: render has no option -q
  hint: see: opgen help render' render -q x
usage 'opgen: error[E001]: render has no option --man
  hint: see: opgen help render' render --man x
usage 'opgen: error[E001]: unknown option --versoin
  hint: did you mean "--version"?' --versoin
usage 'opgen: error[E001]: unknown option --max-depth
  hint: see: opgen --help' --max-depth 3
usage 'opgen: error[E001]: render needs TEMPLATE
  hint: see: opgen help render' render
usage 'opgen: error[E001]: render takes no further argument, but was given "c"' render a b c
usage 'opgen: error[E001]: run takes no further argument, but was given "x=a.npy"
  hint: did you mean "--in=x=a.npy"?' run m.json x=a.npy
usage 'opgen: error[E001]: run takes no further argument, but was given "n=4"
  hint: did you mean "--dim=n=4"?' run m.json n=4
usage 'opgen: error[E001]: -o needs a value: -o FILE
  hint: see: opgen help render' render x -o
usage 'opgen: error[E001]: --include needs a value: --include DIR
  hint: see: opgen help render' render x --include
usage 'opgen: error[E001]: --output is given an empty name' render x --output=
usage 'opgen: error[E001]: --trim-blocks takes no value, but was given "yes"' render x --trim-blocks=yes
usage 'opgen: error[E001]: --undefined takes one of strict|lenient|chainable, not "lenent"
  hint: did you mean "lenient"?' render x --undefined lenent
usage 'opgen: error[E001]: --color takes one of auto|always|never, not "blue"' render x --color=blue
usage 'opgen: error[E001]: -o is given twice: "a" and "b"' render -o a x -o b
usage 'opgen: error[E001]: --max-loops takes a number from 1 to 4611686018427387904, not "0"' render x --max-loops=0
usage 'opgen: error[E001]: --max-loops takes a number from 1 to 4611686018427387904, not "1K"' render x --max-loops=1K
usage 'opgen: error[E001]: --max-depth takes a number from 1 to 100000, not "99999999999999999999"' \
    render x --max-depth 99999999999999999999
usage 'opgen: error[E001]: --max-memory takes a number of bytes (K, M or G may follow) from 1 to 1024G, not "2048G"' \
    render x --max-memory=2048G
usage 'opgen: error[E001]: --max-output takes a number of bytes (K, M or G may follow) from 1 to 1024G, not "K"' \
    render x --max-output=K
usage 'opgen: error[E001]: --set takes NAME=VALUE, a name of letters, digits and _ before the =, not "9=1"' \
    render x --set 9=1
usage 'opgen: error[E001]: SHELL is one of bash|zsh|fish, not "fisch"
  hint: did you mean "fish"?' completion fisch
usage 'opgen: error[E001]: completion needs SHELL
  hint: see: opgen help completion' completion
usage 'opgen: error[E001]: generate needs MODEL
  hint: see: opgen help generate' generate -MD
usage 'opgen: error[E001]: -MF needs a value: -MF FILE
  hint: see: opgen help generate' generate m -MF
usage 'opgen: error[E001]: generate has no option -MX
  hint: did you mean "-MD"?' generate m -MX
usage 'opgen: error[E001]: generate has no option -MDx
  hint: did you mean "-MD"?' generate m -MDx
usage 'opgen: error[E001]: generate has no option --MF
  hint: did you mean "-MF"?' generate m --MF x
usage 'opgen: error[E001]: --rtol takes a number that is not negative, such as 1e-5, not "-1"' verify m --rtol -1
usage 'opgen: error[E001]: --rtol takes a number that is not negative, such as 1e-5, not "nan"' verify m --rtol=nan
usage 'opgen: error[E001]: --rtol takes a number that is not negative, such as 1e-5, not "1e999"' verify m --rtol=1e999
# All of them in one go.
usage 'opgen: error[E001]: render has no option --bogus
  hint: see: opgen help render
opgen: error[E001]: --undefined takes one of strict|lenient|chainable, not "x"
opgen: error[E001]: -o needs a value: -o FILE
  hint: see: opgen help render' render --bogus x --undefined=x -o

# ---- all the ways to write an option
cd "$work" || exit 2
mkdir folder && printf 'included' >folder/part.j2 && printf '{%% include "part.j2" %%}\n{%% if x is defined %%}{%% endif %%}\n' >t.j2
mkdir -p sub && mv t.j2 sub/t.j2
for way in "-I folder" "-Ifolder" "--include folder" "--include=folder" "-I nothere/.. -I folder"; do
    mkdir -p nothere
    # shellcheck disable=SC2086
    run "$OPGEN" render $way sub/t.j2
    is "$way" "$err$out" $'included\n'
    # shellcheck disable=SC2086
    run "$OPGEN" render sub/t.j2 $way
    is "$way behind the operand" "$err$out" $'included\n'
    # shellcheck disable=SC2086
    run "$OPGEN" $way render sub/t.j2
    is "$way before the command" "$err$out" $'included\n'
done
printf 'dashes' >./-t.j2
run "$OPGEN" render -- -t.j2
is "-- ends the options" "$err$out" "dashes"
run "$OPGEN" --color never --diagnostics=text render --color=never -- -t.j2
is "the same value twice is no mistake" "$err$out" "dashes"
run "$OPGEN" render --max-output=1k --max-memory 64M --max-depth=10000 --max-loops=1 -- -t.j2
is "sizes" "$err$out" "dashes"
cd - >/dev/null || exit 2

# ---- the manual page
run "$OPGEN" help --man
expect 0 ""
man=$out
for option in $options; do
    check "the manual page has --$option" grep -q -- "^\\.B .*\\\\-\\\\-${option//-/\\\\-}" <<<"$man"
done
for command in $commands; do check "the manual page has $command" grep -qx "\\.SS $command" <<<"$man"; done
is "groff has no complaint" "$(groff -ww -man -Tutf8 <<<"$man" 2>&1 >/dev/null)" ""
like "groff sets it" "$(groff -man -Tascii -P-cbou <<<"$man")" "*EXIT STATUS*"

# ---- bash completes by bash's own rules
completions() { # WORD...: what bash would offer for the last of them
    bash -c '
        compopt() { :; }
        eval "$("$OPGEN" completion bash)" || exit
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _opgen
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" 2>&1 | sort | tr '\n' ' '
}
is "bash: commands" "$(completions opgen '')" \
    "bench check compile completion doctor generate graph help lint list outputs render run show verify "
is "bash: commands that begin so" "$(completions opgen re)" "render "
is "bash: options that begin so" "$(completions opgen render --max)" "--max-depth= --max-loops= --max-memory= --max-output= "
is "bash: options of another command" "$(completions opgen help --m)" "--man "
is "bash: a value behind =" "$(completions opgen render --undefined = le)" "lenient "
is "bash: all values behind =" "$(completions opgen render --color =)" "always auto never "
is "bash: a value behind a blank" "$(completions opgen render --undefined s)" "strict "
is "bash: an operand that is a word" "$(completions opgen completion '')" "bash fish zsh "
is "bash: an operand that is a command" "$(completions opgen --color = never help re)" "render "
is "bash: options with one dash" "$(completions opgen generate -M)" "-MD -MF -MP -MT "
is "bash: one name, two kinds of values" "$(completions opgen list ops --di; completions opgen run m --di)" \
    "--diagnostics= --diagnostics= --dim= "
cd "$work" && mkdir -p files/fold && : >"files/a file" && : >files/b.j2
is "bash: files" "$(completions opgen render files/)" "files/a file files/b.j2 files/fold "
is "bash: folders" "$(completions opgen render -I files/)" "files/fold "
is "bash: the second operand" "$(completions opgen render x files/b)" "files/b.j2 "
is "bash: no third" "$(completions opgen render x y '')" " "
cd - >/dev/null || exit 2

# ---- zsh and fish: their own parsers where they are installed, and the same options in any case
for shell in zsh fish; do
    run "$OPGEN" completion $shell
    expect 0 ""
    for option in $options; do check "$shell: --$option" grep -qE -- "(--| -l )$option( |\[|=)" <<<"$out"; done
    if command -v $shell >/dev/null; then
        cp "$work/.out" "$work/completion.$shell"
        is "$shell parses it" "$($shell -n "$work/completion.$shell" 2>&1)" ""
    else
        skip "$shell is not installed: its completion is not parsed by it"
    fi
done

if [[ -e $work/completion.fish ]]; then
    offered() { HOME=$work fish --no-config -c "source $work/completion.fish; complete -C '$1'" 2>&1 | cut -f1 | sort | tr '\n' ' '; }
    is "fish: commands" "$(offered 'opgen re')" "render "
    is "fish: options" "$(offered 'opgen render --max-')" "--max-depth --max-loops --max-memory --max-output "
    is "fish: options with one dash" "$(offered 'opgen generate m -M')" "-MD -MF -MP -MT "
    is "fish: a value" "$(offered 'opgen render --undefined le')" "lenient "
    is "fish: a word" "$(offered 'opgen completion ')" "bash fish zsh "
fi

finish
