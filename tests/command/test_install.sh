#!/bin/bash
# make install, uninstall and bundle: what they leave where, and that it runs from there.
. tests/check.sh

# Asks for what the run of the tests has built already, with the flags it was built with.
make_() { make --no-print-directory -s "$@" >"$work/make.log" 2>&1 || cat "$work/make.log"; }

root=$work/root
make_ install DESTDIR="$root" PREFIX=/usr
is "what is installed" "$(cd "$root" && find . -type f -not -path './usr/share/opgen/*' | sort)" "./usr/bin/opgen
./usr/share/bash-completion/completions/opgen
./usr/share/fish/vendor_completions.d/opgen.fish
./usr/share/man/man1/opgen.1
./usr/share/zsh/site-functions/_opgen"
is "the installed opgen runs" "$(cd / && printf '{{ 6 * 7 }}' | "$root/usr/bin/opgen" render - 2>&1)" "42"
is "bash completion" "$(cat "$root/usr/share/bash-completion/completions/opgen")" "$("$OPGEN" completion bash)"
is "zsh completion" "$(cat "$root/usr/share/zsh/site-functions/_opgen")" "$("$OPGEN" completion zsh)"
is "fish completion" "$(cat "$root/usr/share/fish/vendor_completions.d/opgen.fish")" "$("$OPGEN" completion fish)"
is "manual page" "$(cat "$root/usr/share/man/man1/opgen.1")" "$("$OPGEN" help --man)"
cat >"$work/net.json" <<'END'
{"opgen": 1, "name": "net", "inputs": {"x": {"dtype": "f32", "shape": [4]}},
 "nodes": [{"op": "neg", "in": "x", "out": "y"}], "outputs": ["y"]}
END
finds_its_own() { # OPGEN FOLDER: with its own operators, templates and runtime, and no others
    run env -u OPGEN_DATA "$1" generate "$work/net.json" -o "$2" -MD
    expect 0 ""
    is "inputs of $1 are its own" \
        "$(grep -e opdefs -e templates -e runtime "$2/net.d" | grep -v "^  $3/" | grep -v '^ *[^ ]*gen/')" ""
    check "there are some" test "$(grep -c "^  $3/" "$2/net.d")" -gt 10
    "$1" check "$work/net.json" -o "$2"
}
is "the folders of data" "$(ls "$root/usr/share/opgen")" $'opdefs\nruntime\ntemplates'
touch "$root/usr/share/opgen/opdefs/old.json"
make_ install DESTDIR="$root" PREFIX=/usr
check "installing again leaves nothing of an older one" test ! -e "$root/usr/share/opgen/opdefs/old.json"
finds_its_own "$root/usr/bin/opgen" "$work/installed" "$root/usr/share/opgen"
make_ uninstall DESTDIR="$root" PREFIX=/usr
is "uninstall leaves no file" "$(find "$root" -type f)" ""

# The bundle, moved, and with the system's own libraries out of its sight but for the C library.
make_ bundle
mv "$BUILD/bundle" "$work/moved"
is "the bundle runs elsewhere" "$(cd / && printf '{{ 6 * 7 }}' | "$work/moved/bin/opgen" render - 2>&1)" "42"
is "its libraries come along" \
    "$(ldd "$work/moved/bin/opgen" | awk '$2 == "=>" { print $3 }' | grep -v -e "^$work/moved/" -e '/lib[cm]\.so\.6$')" ""
finds_its_own "$work/moved/bin/opgen" "$work/bundled" "$work/moved"
is "and writes the same" "$(diff -r "$work/installed/net" "$work/bundled/net")" ""
check "libcjson is one of them" test -e "$work/moved/lib/libcjson.so.1"

finish
