#!/bin/bash
# opgen compile: what is built and what is not built again, what is said of compilers that fail, interrupts, weights.
. tests/check.sh
cd "$work" || exit 2

model() { # NAME OPERATOR [MEMBER]
    printf '{"opgen": 1, "name": "%s", %s"inputs": {"x": {"dtype": "f32", "shape": [4, 3]}},\n' "$1" "${3:-}"
    printf ' "nodes": [{"op": "%s", "in": "x", "out": "y"}],\n "outputs": ["y"]}\n' "$2"
}
export CFLAGS=-O0 # what is built is not what is tested
mtimes() { find "$@" -printf '%p %T@\n' | sort; }
model net neg >net.json

# ---- a library, and nothing but its path
run "$OPGEN" compile net.json
expect 0 ""
is "the library" "$out" $'gen/net/libnet.so\n'
check "it is there" test -s gen/net/libnet.so
before=$(mtimes gen)
run "$OPGEN" compile net.json
is "once more" "$status:$out$err" $'0:gen/net/libnet.so\n'
is "nothing is built again" "$(mtimes gen)" "$before"
cat >odd <<'END'
#!/bin/sh
echo "$@" >>commands
exec cc "$@"
END
chmod +x odd
run "$OPGEN" compile net.json --arch native --threads --cc "$work/odd"
expect 0 ""
check "other flags, another build" test "$(mtimes gen)" != "$before"
check "by that compiler, for that machine, with threads" grep -q -e '-march=native.* -fopenmp.* -c -o obj/net.o' gen/net/commands
model net relu >net.json
before=$(mtimes gen/net/obj/opgen_rt.o)
run "$OPGEN" compile net.json --arch native --threads --cc "$work/odd" -v
expect 0 "opgen: net: *odd * -c * k_relu_f32_*.c*"
is "only what changed" "$(mtimes gen/net/obj/opgen_rt.o)" "$before"
is "what is left over is removed" "$(find gen -name 'k_neg*.c')" ""
model two neg >two.json
run "$OPGEN" compile net.json two.json --arch native --threads --cc "$work/odd" -j 2
is "two" "$status:$out$err" $'0:gen/net/libnet.so\ngen/two/libtwo.so\n'

# ---- the sources need nothing of opgen's
cat >main.c <<'END'
#include "net.h"
#include "opgen.h"
#include <stdio.h>

int main(void) {
    float x[12] = {-1, 2, -3, 4}, y[12];
    int64_t shape[2] = {4, 3};
    OpgenInstance *net;
    DLTensor in = opgen_tensor(x, OPGEN_F32, 2, shape), out = opgen_tensor(y, OPGEN_F32, 2, shape);
    if (opgen_create(&net_model, NULL, &net) || opgen_run(net, &in, 1, &out, 1, NULL)) return 1;
    opgen_free(net);
    return printf("%g %g %g %g\n", (double)y[0], (double)y[1], (double)y[2], (double)y[3]) < 0;
}
END
run env -i PATH="$PATH" sh -c 'cc -std=c11 -Igen/net main.c gen/net/*.c -o main -lm -lpthread -ldl && ./main'
is "compiled by hand" "$status:$out$err" $'0:0 2 0 4\n'

# ---- what fails
mkdir -p broken/cpu
printf '{%% block FUNC %%}\n{{ signature }} { this is no C; }\n{%% endblock %%}\n' >broken/cpu/map.c.j2
# Not remembered: what is still being compiled when something fails is seen, and that is to be what comes first.
run env OPGEN_TEST_CACHE=off "$OPGEN" compile two.json -I broken -o broken_gen
expect 2 "*cc * -c * k_neg_f32_*.c*error:*opgen: error\[E080\]: two cannot be built in \"broken_gen/two\": make ended with status 2"*
is "nothing on stdout" "$out" ""
unlike "what make says of itself is left out" "$err" "*\*\*\**"
unlike "and what did not fail" "$err" "*-c *opgen_rt.c*"
run "$OPGEN" compile two.json -I broken -o broken_gen --diagnostics=json
check "as JSON" /usr/bin/python3 -c '
import json, sys
found = json.loads(sys.argv[1])
assert found[0]["code"] == "E080" and "error:" in found[0]["hint"], found' "$err"
check "no library of a build that failed" test ! -e broken_gen/two/libtwo.so
run "$OPGEN" compile two.json --cc no-such-compiler
expect 2 '*no-such-compiler*opgen: error\[E080\]: two cannot be built*hint: opgen doctor tells what is missing*'
check "the library of before stays" test -s gen/two/libtwo.so
run env MAKE=no-such-make "$OPGEN" compile two.json
expect 2 'opgen: error\[E080\]: cannot run no-such-make: No such file or directory*hint: see: opgen doctor*'
run "$OPGEN" compile two.json -o -
expect 2 '*-o - is for generate*'
run "$OPGEN" compile missing.json
expect 2 '*cannot read "missing.json"*'
mkdir "a folder" && cp -a gen/two "a folder" && rm "a folder/two/libtwo.so"
run make -s -f /dev/stdin <<<"all: ; @'$OPGEN' compile two.json -o 'a folder' -j1"
is "below another make, with blanks in names" "$status:$out$err" $'0:a folder/two/libtwo.so\n'

# ---- two at once take turns
touch gen/two/two.c gen/two/opgen_rt.c
for i in 1 2 3; do "$OPGEN" compile two.json -j2 >"turn.$i" 2>&1 & done
wait
is "each has the library" "$(cat turn.[123])" "$(printf 'gen/two/libtwo.so\n%.0s' 1 2 3)"
run "$OPGEN" run gen/two/libtwo.so
expect 0 ""

# ---- an interrupt ends the compilers, too
cat >slow <<'END'
#!/bin/sh
echo $$ >>compilers
exec sleep 60
END
chmod +x slow
set -m
"$OPGEN" compile two.json -o slow_gen --cc "$work/slow" >out 2>err &
child=$!
for _ in $(seq 100); do [[ -s slow_gen/two/compilers ]] && break; sleep 0.05; done
kill -INT $child
{ wait $child; } 2>/dev/null
is "interrupted" "$?:$(cat out)" "130:"
set +m
left=
for pid in $(cat slow_gen/two/compilers); do kill -0 "$pid" 2>/dev/null && left+=" $pid"; done
check "there were compilers" test -s slow_gen/two/compilers
is "and none is left" "$left" ""

# ---- a terminal shows how far it is, a pipe does not
on_terminal() {
    /usr/bin/python3 -c '
import os, pty, sys
os.environ["TERM"] = "xterm"
pty.spawn(sys.argv[1:])' "$@" </dev/null
}
if /usr/bin/python3 -c 'import os; os.openpty()' 2>/dev/null; then
    rm "a folder/two/obj/opgen_rt.o" "a folder/two/obj/two.o"
    text=$(on_terminal "$OPGEN" compile two.json -o "a folder")
    like "counted" "$text" *$'\rtwo: 1 of 3: '*$'\rtwo: 3 of 3: libtwo.so'*
    like "and cleared" "$text" *$'\r\033[K'*'opgen: two: built in a folder/two'*'a folder/two/libtwo.so'*
else
    skip "this machine has no pseudo-terminals: progress"
fi

# ---- weights lie beside the library
/usr/bin/python3 -c '
import json, struct
header = json.dumps({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}).encode()
open("w.st", "wb").write(len(header).to_bytes(8, "little") + header + struct.pack("<3f", 1, 2, 3))'
cat >weighted.json <<'END'
{"opgen": 1, "name": "weighted", "inputs": {"x": {"dtype": "f32", "shape": [3]}},
 "params": {"w": {"dtype": "f32", "shape": [3]}}, "weights": "w.st",
 "nodes": [{"op": "mul", "in": ["x", "w"], "out": "y"}], "outputs": ["y"]}
END
run "$OPGEN" compile weighted.json
expect 0 ""
is "a link" "$(stat -c %i gen/weighted/w.st)" "$(stat -c %i w.st)"
before=$(mtimes gen/weighted)
run "$OPGEN" compile weighted.json
is "stays" "$(mtimes gen/weighted)" "$before"
cp w.st w2 && printf '\0\0\0\101' | dd of=w2 bs=1 seek=$(($(stat -c %s w2) - 4)) conv=notrunc 2>/dev/null && mv w2 w.st
run "$OPGEN" compile weighted.json
check "others take its place" cmp w.st gen/weighted/w.st
rm gen/weighted/w.st && ln -s "$work/net.json" gen/weighted/w.st && before=$(cat net.json)
run "$OPGEN" compile weighted.json
is "a link of somebody else's is not followed" "$status:$(cat net.json)" "0:$before"
check "but replaced" cmp w.st gen/weighted/w.st
if mkdir -p /dev/shm/opgen.$$ 2>/dev/null; then
    cp -a gen/weighted /dev/shm/opgen.$$ && rm /dev/shm/opgen.$$/weighted/w.st
    run "$OPGEN" compile weighted.json -o /dev/shm/opgen.$$
    expect 0 ""
    check "on another disk" cmp w.st /dev/shm/opgen.$$/weighted/w.st
    rm -r /dev/shm/opgen.$$
else
    skip "/dev/shm cannot be written: weights on another disk"
fi
rm w.st
run "$OPGEN" compile weighted.json
expect 2 '*cannot read the weights "w.st": No such file or directory*'
run "$OPGEN" compile weighted.json --embed-weights
expect 2 '*w.st*'

finish
