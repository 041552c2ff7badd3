#!/bin/sh
# deps.sh: what the build and the tests need from the system, and how it gets there.
#
#     tests/deps.sh missing build|test|hip prints the packages that are missing, on one line; nothing if all is there
#     tests/deps.sh install build|test|hip says what it is about to install, then installs it with apt-get
#     tests/deps.sh try hip                the same, but ends well where it cannot be had, and says so on one line
#
# hip is what the tests can do without: `install test` tries it as well, `missing test` does not name it.
#
# Each need is probed by use (a command that is found, a header that the compiler reads), not by asking the
# package manager, so that a hand-built library counts and other distributions work once the needs are met.
# Installing takes root or sudo; without either the packages and the command are named, with exit status 2.
set -u

cc=${CC:-gcc}

have() { command -v "$1" >/dev/null 2>&1; }

has_header() {
    if have "${cc%% *}"; then
        echo "#include <$1>" | $cc ${CPPFLAGS:-} -E -x c - >/dev/null 2>&1
        return
    fi
    for dir in /usr/include /usr/include/*-linux-gnu /usr/local/include; do
        [ -e "$dir/$1" ] && return 0
    done
    return 1
}

has_jinja2() {
    [ -e /usr/lib/python3/dist-packages/jinja2/__init__.py ] || /usr/bin/python3 -c 'import jinja2' 2>/dev/null
}

has_numpy() {
    [ -e /usr/lib/python3/dist-packages/numpy/__init__.py ] || /usr/bin/python3 -c 'import numpy' 2>/dev/null
}

has_jsonschema() {
    [ -e /usr/lib/python3/dist-packages/jsonschema/__init__.py ] || /usr/bin/python3 -c 'import jsonschema' 2>/dev/null
}

has_libfuzzer() {
    have clang && ls "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer*.a >/dev/null 2>&1
}

# Others have a cblas.h, too.
has_openblas() {
    has_header cblas.h || return
    have "${cc%% *}" || { ls /usr/lib/*/libopenblas.* /usr/lib/libopenblas.* >/dev/null 2>&1; return; }
    case $($cc -print-file-name=libopenblas.so) in */*) ;; *) return 1 ;; esac
}

# Prints the missing ones of a set, in the order in which they are listed here.
missing() {
    if [ "$1" = hip ]; then
        have hipcc || [ -x /opt/rocm/bin/hipcc ] || echo hipcc
        return
    fi
    have "${cc%% *}" || echo gcc
    have make || echo make
    have pkg-config || echo pkg-config
    has_header stdio.h || echo libc6-dev
    has_header cjson/cJSON.h || echo libcjson-dev
    has_header gmp.h || echo libgmp-dev
    has_header unistr.h || echo libunistring-dev
    [ "$1" = test ] || return 0
    has_header cmocka.h || echo libcmocka-dev
    has_openblas || echo libopenblas-dev
    [ -x /usr/bin/python3 ] || echo python3
    has_jinja2 || echo python3-jinja2
    has_jsonschema || echo python3-jsonschema
    has_numpy || echo python3-numpy
    have g++ || echo g++
    have cmake || echo cmake
    have valgrind || echo valgrind
    have clang || echo clang
    has_libfuzzer || echo libclang-rt-14-dev
    have clang-format || echo clang-format
    have groff || echo groff-base
}

# Installs $packages, or is false and says in $why what is in the way. Whoever only tries is not asked for a password.
get() {
    why="there is no apt-get here"
    have apt-get || return 1
    why="installing takes root or sudo"
    if [ "$(id -u)" = 0 ]; then
        as_root="env"
    elif have sudo && { [ "$2" = install ] || sudo -n true 2>/dev/null; }; then
        as_root="sudo env"
    else
        return 1
    fi
    echo "opgen: about to install with apt-get: $packages"
    apt="$as_root DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0"
    fresh=no
    why="apt-get update failed"
    if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
        $apt update >&2 || return 1
        fresh=yes
    fi
    # shellcheck disable=SC2086 -- $packages is a list of words
    if ! $apt install -y --no-install-recommends $packages >&2; then
        if [ $fresh = no ]; then $apt update >&2 || return 1; fi
        why="apt-get install failed"
        [ $fresh = no ] && $apt install -y --no-install-recommends $packages >&2 || return 1
    fi
    packages=$(missing_line "$1")
    why="apt-get succeeded, but these are still not usable"
    [ -z "$packages" ] || return 1
    echo "opgen: installed"
}

missing_line() { missing "$1" | tr '\n' ' ' | sed 's/ $//'; }

install() {
    packages=$(missing_line "$1")
    [ -z "$packages" ] || get "$1" install || {
        echo "opgen: missing packages: $packages" >&2
        echo "opgen: $why; install them with: apt-get install --no-install-recommends $packages" >&2
        exit 2
    }
}

try() {
    packages=$(missing_line "$1")
    [ -z "$packages" ] || get "$1" try ||
        echo "opgen: $packages is not there and cannot be had ($why): the tests go on without it, and skip what needs it" >&2
}

case "${1:-} ${2:-}" in
"missing build" | "missing test" | "missing hip") missing_line "$2" ;;
"install build" | "install hip") install "$2" ;;
"install test") install test && try hip ;;
"try hip") try hip ;;
*)
    echo "usage: tests/deps.sh missing|install build|test|hip, or try hip" >&2
    exit 2
    ;;
esac
