#!/bin/bash
# opgen doctor: what it finds, what it misses, and that it believes nothing that it did not try.
. tests/check.sh
cd "$work" || exit 2

run "$OPGEN" doctor
expect 0 ""
like "three lists" "$out" $'programs\n  make *GNU Make [0-9]*\n  cc *[0-9].[0-9]*/cc\n*devices\n  NVIDIA *\nbackends\n  cpu *ready\n*'
run "$OPGEN" doctor --json
expect 0 ""
check "JSON" /usr/bin/python3 -c '
import json, sys
told = json.loads(sys.argv[1])
tools = {t["name"]: t for t in told["programs"]}
assert tools["make"]["in_path"] and "GNU Make" in tools["make"]["version"], tools
assert [b for b in told["backends"] if b["name"] == "cpu"][0] == \
    {"name": "cpu", "compiler": "cc", "builds": True, "device": True, "trouble": None}, told["backends"]' "$out"

# ---- with other programs in PATH
tool() { # NAME LINE...
    mkdir -p bin && printf '#!/bin/sh\n%s\n' "${*:2}" >"bin/$1" && chmod +x "bin/$1"
}
in_path() { run env PATH="$work/bin" "$OPGEN" doctor "$@"; }
sh=$(command -v sh)
tool make 'echo "GNU Make 9.9"'
in_path
expect 1 ""
like "no compiler" "$out" *$'\n  make *GNU Make 9.9 *\n  cc *missing\n*\n  cpu *cannot be built: cc is not found\n'*
tool cc 'echo broken; exit 1'
in_path
like "one that does not work" "$status:$out" *$'1:*\n  cc *no version *bin/cc\n*cpu *cannot be built: cc does not compile C: broken\n'*
tool cc 'case $1 in --version) printf "Copyright 2020\nsome compiler 1.2.3\n" ;; *) echo "stdio.h: No such file"; exit 1 ;; esac'
in_path
like "one without headers" "$status:$out" *$'1:*\n  cc *some compiler 1.2.3 *\n*cpu *cannot be built: cc does not compile C: stdio.h: No such file\n'*
tool cc 'case $1 in --version) echo some compiler 1.2.3 ;; *) exit 0 ;; esac'
in_path
like "one that works" "$status:$out" *$'0:*\n  cpu *ready\n'*
rm bin/make
in_path --json
check "no make" /usr/bin/python3 -c '
import json, sys
told = json.loads(sys.argv[1])
assert {"name": "make", "path": None, "in_path": False, "version": None} in told["programs"], told
assert [b["trouble"] for b in told["backends"] if b["name"] == "cpu"] == ["make is not found"], told' "$out"
is "no make: the status" "$status" 1
tool make 'echo GNU Make 9.9'
tool clang 'kill -9 $$'
in_path
like "one that is killed" "$status:$out" *$'0:*\n  clang *no version *\n'*

# ---- a backend of somebody's own is looked at as well
mkdir -p mine/other
printf '{"name": "other", "parent": "cpu", "doc": "mine", "ext": ".oth", "compiler": {"command": "othercc"}}' >mine/other/backend.json
run "$OPGEN" doctor -I mine
like "its compiler is missing" "$status:$out" *$'0:*\n  othercc *missing\n*\n  other *cannot be built: othercc is not found\n'*
run "$OPGEN" list backends -I mine
like "and it is listed" "$out" *$'cpu *cc *C11*\nother *cpu *.oth *othercc *mine\n'*

finish
