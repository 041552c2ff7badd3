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
make_ uninstall DESTDIR="$root" PREFIX=/usr
is "uninstall leaves no file" "$(find "$root" -type f)" ""

# The bundle, moved, and with the system's own libraries out of its sight but for the C library.
make_ bundle
mv "$BUILD/bundle" "$work/moved"
is "the bundle runs elsewhere" "$(cd / && printf '{{ 6 * 7 }}' | "$work/moved/bin/opgen" render - 2>&1)" "42"
is "its libraries come along" \
    "$(ldd "$work/moved/bin/opgen" | awk '$2 == "=>" { print $3 }' | grep -v -e "^$work/moved/" -e '/lib[cm]\.so\.6$')" ""
check "libcjson is one of them" test -e "$work/moved/lib/libcjson.so.1"

finish
