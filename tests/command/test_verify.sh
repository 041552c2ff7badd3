#!/bin/bash
# opgen verify: two libraries of one model that agree, and one that was made to differ.
. tests/check.sh
cd "$work" || exit 2
export CFLAGS=-O0 # the tested library's; the reference says its own

cat >net.json <<'END'
{"opgen": 1, "name": "net", "dims": {"n": {"max": 1000}, "m": {"min": 2, "max": 2000000}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", "m"]}, "k": {"dtype": "i32", "shape": ["m"]}},
 "params": {"w": {"dtype": "f32", "shape": [1]}},
 "nodes": [{"op": "mul", "in": ["x", "w"], "out": "h"}, {"op": "exp", "in": "h", "out": "y"},
           {"op": "add", "in": ["k", "k"], "out": "kk"}],
 "outputs": ["y", "kk"]}
END
run "$OPGEN" verify net.json
expect 0 ""
like "three sizes, each output" "$out" $'sizes *output  dtype  shape *max abs  max rel\nn=1, m=2 *y *f32 *(1, 2) *ok\nn=1, m=2 *kk *i32 *(2,) *0 *0 *ok\n*'
is "lines" "$(wc -l <<<"$out")" 8
unlike "none differs" "$out" "*DIFFERS*"
check "what it is compared with has no vectors of one processor" bash -c 'symbols=$(nm gen/net.reference/*.so) && of="_(blocks|part).*v4" && ! grep -E "$of" <<<"$symbols" && { nm gen/net/*.so | grep -qE "$of" || [ "$(uname -m)" != x86_64 ]; }'
check "where it lies" test -s gen/net/libnet.so -a -s gen/net.reference/libnet.so
check "sizes are large, and not too large" /usr/bin/python3 -c '
import re, sys
n = max(int(a) * int(b) for a, b in re.findall(r"n=(\d+), m=(\d+)", sys.argv[1]))
assert 1e6 < n * 4 < 64 * 2 ** 20, n' "$out"
run "$OPGEN" verify net.json --json --dim n=3 --dim m=5 --seed 9 --rtol 0.5 --atol 0
check "JSON" /usr/bin/python3 -c '
import json, sys
told = json.loads(sys.argv[1])
assert told["model"] == "net" and told["backend"] == "cpu" and told["same"] is True and told["not_run"] == []
assert [(o["name"], o["dims"], o["elements"], o["wrong"]) for o in told["outputs"]] == [("y", "n=3, m=5", 15, 0), ("kk", "n=3, m=5", 5, 0)]
assert told["outputs"][0]["rtol"] == 0.5 and told["outputs"][0]["atol"] == 0' "$out"

# ---- a compiler that makes something else of the tested one
mkdir -p planted/cpu
cat >template <<'END'
{% block FUNC %}
{{ signature }} {
    (void)threads;
{% for n in dims %}
    for (int64_t i{{ loop.index0 }} = 0; i{{ loop.index0 }} < {{ n }}; i{{ loop.index0 }}++)
{% endfor %}
    {
{% set index = [] %}{% for n in dims %}{% do index.append("i" ~ loop.index0) %}{% endfor %}
        {{ element(index) }}
    }
{% for write in writes %}
#ifdef TESTED
    {{ write.name }}[3] = PLANTED;
#endif
{% endfor %}
}
{% endblock %}
END
planted() { # VALUE ARGUMENT...
    sed "s/PLANTED/$1/" template >planted/cpu/map.c.j2
    run "$OPGEN" verify net.json -I planted --cc "cc -DTESTED" --dim n=3 --dim m=5 "${@:2}"
}
planted 100
expect 1 ""
like "an element, where it is, and both values" "$out" \
    $'*y *f32 *(3, 5) *DIFFERS in 1 of 15: at (0, 3) it is 100, wanted [0-9.]*\n*kk *i32 *(5,) *DIFFERS in 1 of 5: at (3,) it is 100, wanted [0-9]*\n'
planted 100 --rtol 1000 --atol 1000
like "integers have no tolerance" "$status:$out" $'1:*y *ok\n*kk *DIFFERS*'
unlike "nor is any named" "$out" "*may be off*"
planted NAN
like "NaN is never near" "$status:$out" $'1:*y *DIFFERS in 1 of 15: at (0, 3) it is nan, wanted *'
planted INFINITY --json
check "as JSON" /usr/bin/python3 -c '
import json, sys
told = json.loads(sys.argv[1])
y = told["outputs"][0]
assert told["same"] is False and y["wrong"] == 1 and y["max_abs"] == "inf" and y["got"] == "inf" and y["at"] == "(0, 3)"' "$out"

# ---- small values: what is allowed besides is as small
cat >small.json <<'END'
{"opgen": 1, "name": "net", "inputs": {"x": {"dtype": "f16", "shape": [4, 4000]}}, "outputs": ["y"],
 "nodes": [{"op": "softmax", "in": "x", "attrs": {"dim": -1}, "out": "s"}, {"op": "abs", "in": "s", "out": "y"}]}
END
run "$OPGEN" verify small.json --json
check "a softmax of many" /usr/bin/python3 -c '
import json, sys
y = json.loads(sys.argv[1])["outputs"][0]
assert y["wrong"] == 0 and 1e-6 <= y["atol"] < 1e-6 * 1.01 and y["max_abs"] < 1e-6, y' "$out"
cat >scaled.json <<'END'
{"opgen": 1, "name": "net", "inputs": {"x": {"dtype": "f16", "shape": [4, 4000]}}, "outputs": ["y"],
 "nodes": [{"op": "full", "in": [], "attrs": {"size": [1], "fill_value": 0.0002, "dtype": "f16"}, "out": "k"}, {"op": "mul", "in": ["x", "k"], "out": "y"}]}
END
sed 's/PLANTED/0/' template >planted/cpu/map.c.j2
for given in "" "--atol 1e-3"; do
    run "$OPGEN" verify scaled.json -I planted --cc "cc -DTESTED" $given
    like "nothing in the place of something small ${given:-if nothing is given}" "$status:$out:$err" "$([ -n "$given" ] && echo '0:*ok*' || echo '1:*DIFFERS in 1 of 16000: at (0, 3) it is 0, wanted *[0-9]; it may be off by *e-0[67]*')"
done

# ---- integers that lead somewhere: each input has as large ones as it can have, whatever the others need
cat >places.json <<'END'
{"opgen": 1, "name": "places", "dims": {"n": {"max": 40}, "m": {"max": 30}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", "m"]}, "at": {"dtype": "i64", "shape": [5]}, "to": {"dtype": "i32", "shape": ["m", 60]}, "k": {"dtype": "i32", "shape": [60]}},
 "nodes": [{"op": "index_select", "in": {"input": "x", "index": "at"}, "attrs": {"dim": 0}, "out": "y"},
           {"op": "add", "in": ["at", "at"], "out": "from"}, {"op": "add", "in": ["to", "k"], "out": "sum"}],
 "outputs": ["y", "from", "sum"]}
END
for seed in 1 2 3; do
    run "$OPGEN" verify places.json --seed $seed
    like "random positions, $seed" "$status:$out:$err" "0:*n=1, m=1*n=40, m=30*:"
    unlike "all of them ran, $seed" "$out" "*not run*"
done
run "$OPGEN" run gen/places/libplaces.so --dim n=1 --dim m=20 --json
check "positions are 0, and other integers are any" /usr/bin/python3 -c '
import json, sys
made = {o["name"]: o for o in json.loads(sys.argv[1])["outputs"]}
assert made["from"]["max"] == 0 and made["sum"]["max"] > 4, made' "$out"
/usr/bin/python3 -c 'import numpy; numpy.save("at.npy", numpy.array([0, 1, 2, 3, 9]))'
run "$OPGEN" run gen/places/libplaces.so --dim n=9 --in at=at.npy
expect 2 '*places: node "y*": position 9 is beyond the 9 that there are*'

# ---- what cannot be compared
run "$OPGEN" verify net.json -b cdua
expect 2 '*there is no backend "cdua"*'
run "$OPGEN" verify net.json --dim q=1
expect 2 '*net has no dim "q"*'
run "$OPGEN" verify net.json --weights nothere
expect 2 '*nothere: *'

finish
