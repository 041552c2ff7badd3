#!/bin/bash
# What deps.sh names and installs, and what it says where hipcc cannot be had: programs that stand for apt-get, id and sudo.
. tests/check.sh

if [[ -e /opt/rocm/bin/hipcc ]]; then
    echo "hipcc is in /opt/rocm: it cannot be taken away for a while"
    exit 77
fi
bin=$work/bin
mkdir -p "$bin"
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do ln -s "$folder"/* "$bin/" 2>/dev/null; done
rm -f "$bin"/{apt-get,sudo,hipcc}
script() { # NAME TEXT
    rm -f "$bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}
deps() { run env PATH="$bin" sh tests/deps.sh "$@"; }
calls() { sed 's/^.*Use-Pty=0 //' "$work/calls" 2>/dev/null | grep -v update | uniq; }
without='opgen: hipcc is not there and cannot be had (%s): the tests go on without it, and skip what needs it\n'
script id 'echo 0'

deps missing hip
is "hipcc is missing" "$status:$out" "0:hipcc"
deps missing test
is "the tests do without it" "$status:$out:$err" "0::"

deps try hip
is "no apt-get" "$status:$out:$err" "0::$(printf "$without" "there is no apt-get here")"$'\n'
deps install test
is "no apt-get: of the tests" "$status:$out:$err" "0::$(printf "$without" "there is no apt-get here")"$'\n'
deps install hip
is "asked for, it is missed" "$status:$out:$err" "2::opgen: missing packages: hipcc
opgen: there is no apt-get here; install them with: apt-get install --no-install-recommends hipcc
"

script apt-get 'echo "$@" >>"'"$work"'/calls"; case "$*" in *update) ;; *) echo "E: Unable to locate package hipcc" >&2; exit 100 ;; esac'
deps try hip
is "there is no such package" "$status:$(tail -n 1 <<<"${err%$'\n'}")" "0:$(printf "$without" "apt-get install failed")"
is "what was asked for" "$(calls)" "install -y --no-install-recommends hipcc"
deps install hip
is "there is no such package: asked for" "$status:$(head -n 1 <<<"$(grep opgen: <<<"$err")")" "2:opgen: missing packages: hipcc"

script id 'echo 1000'
rm "$work/calls"
deps try hip
is "neither root nor sudo" "$status:$out:$err" "0::$(printf "$without" "installing takes root or sudo")"$'\n'
script sudo 'case $1 in -n) exit 1 ;; esac; exec "$@"'
deps try hip
is "no password is asked for" "$status:$out:$err" "0::$(printf "$without" "installing takes root or sudo")"$'\n'
check "nothing was installed" test ! -e "$work/calls"

script apt-get 'echo "$@" >>"'"$work"'/calls"; case "$*" in *hipcc) printf "#!/bin/sh\n" >"'"$bin"'/hipcc"; chmod +x "'"$bin"'/hipcc" ;; esac'
script sudo 'case $1 in -n) shift ;; esac; exec "$@"'
deps install test
is "installed" "$status:$out" "0:opgen: about to install with apt-get: hipcc
opgen: installed
"
is "by which call" "$(calls)" "install -y --no-install-recommends hipcc"
rm "$work/calls"
deps try hip
is "it is there" "$status:$out:$err" "0::"
deps missing hip
is "and not missing" "$status:$out" "0:"
check "nothing was installed again" test ! -e "$work/calls"

script make 'exit 0'
rm "$bin/cmake"
script apt-get 'case "$*" in *update) ;; *) exit 100 ;; esac'
deps missing test
is "what the tests need is named" "$status:$out" "0:cmake"
deps install test
is "and not done without" "$status:$(tail -n 1 <<<"${err%$'\n'}")" \
    "2:opgen: apt-get install failed; install them with: apt-get install --no-install-recommends cmake"
deps nonsense
is "how it is called" "$status:$err" "2:usage: tests/deps.sh missing|install build|test|hip, or try hip
"
finish
