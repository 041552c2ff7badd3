#!/bin/bash
# opgen bench: what it measures goes together, in each format; it checks before it measures, and says what it cannot do.
. tests/check.sh
emulated=(-I "$PWD/tests/device")
cd "$work" || exit 2
export CFLAGS=-O1 EMUCXXFLAGS=-O0

cat >net.json <<'END'
{"opgen": 1, "name": "net", "dims": {"n": {"max": 1000}, "m": {"min": 2, "max": 2000000}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", "m"]}, "k": {"dtype": "i32", "shape": ["m"]},
            "c": {"dtype": "f32", "shape": [2, 3, 64, 8], "mutable": true}, "r": {"dtype": "f32", "shape": [2, 3, 1, 8]}, "l": {"dtype": "i64", "shape": [2]}},
 "nodes": [{"op": "mul", "in": ["x", "x"], "out": "h"}, {"op": "exp", "in": "h", "out": "y"},
           {"op": "add", "in": ["k", "k"], "out": "kk"}, {"op": "sum", "in": "x", "attrs": {"dim": 1}, "out": "s"},
           {"op": "kv_cache_append_", "in": ["c", "r", "l"], "out": "cc"}],
 "outputs": ["y", "kk", "s"]}
END
dims=(--dim n=5 --dim m=70 --time 0.02)
run "$OPGEN" bench net.json "${dims[@]}" --repeat 9
expect 0 ""
like "the table" "$out" $'net on cpu, n=5, m=70: results as the CPU\'s reference\ntimes: a clock, 1 thread; *MB, take turns*\ncopy: *product: linear f32 of 1024*GFLOP/s\n\noperators *calls *us *least *most *GB/s *of copy *GFLOP/s *of product\nwhole *1 *\n*medians of 9 and 9 runs\n'
is "a row for the whole and each operator" "$(sed -n '/^operators/,/^$/p' <<<"$out" | grep -c .)" 6
check "where it lies" test -s gen/net/libnet.so -a -s gen/net.reference/libnet.so -a -s gen/linear_f32_1024/liblinear_f32_1024.so

# ---- numbers go together
cat >look.py <<'END'
import json, subprocess, sys
told, repeat = json.loads(sys.argv[1]), int(sys.argv[2])
assert told["model"] == "net" and told["checked"] is True and told["dims"] == {"n": 5, "m": 70}, told
caches = [int(subprocess.run(["getconf", f"LEVEL{n}_CACHE_SIZE"], capture_output=True, text=True).stdout or 0) for n in (3, 2)]
cache = next(size for size in (*caches, 32 << 20) if size > 0)
assert told["set_bytes"] == 5 * 70 * 8 + 70 * 8 + 5 * 4 + 2 * 3 * 65 * 8 * 4 + 16, told
assert told["caches"] == ("rotated" if told["sets"] * told["set_bytes"] >= 2 * cache else "warm"), (told, cache)
copy, product, rows = told["copy"], told["product"], [told["whole"], *told["operators"]]
assert product["flops"] == 2.0 * product["size"] ** 3 and product["dtype"] == "f32" and copy["bytes"] >= 2 ** 27
names = sorted(name for row in rows for name in row["name"].split(", ") if name != "whole")
assert names == ["add", "exp", "kv_cache_append_", "square", "sum"], names
for row in [copy, product, *rows]:
    assert 0 < row["least"] <= row["seconds"] <= row["most"] < 60, row
for row in rows:
    assert row["runs"] == repeat if repeat else row["runs"] >= 3, row
    for share, what, peak in (("of_copy", "bytes", copy), ("of_product", "flops", product)):
        if row[what]:
            wanted = row[what] / row["seconds"] / (peak[what] / peak["seconds"])
            assert abs(row[share] - wanted) <= 1e-6 * wanted, (row, wanted)
        else:
            assert row[share] is None, row
whole, parts = rows[0], rows[1:]
assert parts == sorted(parts, key=lambda row: -row["seconds"])
assert whole["bytes"] == sum(row["bytes"] for row in parts) and whole["flops"] == sum(row["flops"] for row in parts)
by = {row["name"]: row for row in parts}
assert by["kv_cache_append_"]["bytes"] == 2 * 2 * 3 * 8 * 4 and by["kv_cache_append_"]["flops"] == 0, by  # not the cache
assert by["add"]["bytes"] == 2 * 70 * 4, by  # k is read once
END
run "$OPGEN" bench net.json "${dims[@]}" --json
check "JSON" /usr/bin/python3 look.py "$out" 0
like "how it was timed" "$out" '*"timer": "clock", "caches": *, "sets": *, "threads": 1,*'

# ---- beside another library, or another backend
run "$OPGEN" bench gen/net/libnet.so --vs gen/net.reference/libnet.so "${dims[@]}" --csv --repeat 4
expect 0 ""
check "CSV" /usr/bin/python3 -c '
import csv, io, sys
rows = list(csv.DictReader(io.StringIO(sys.argv[1])))
whole = rows[0]
assert whole["operators"] == "whole" and whole["runs"] == "4" and {"add", "sum", "kv_cache_append_"} <= {row["operators"] for row in rows}
for row in rows:
    if row["ratio"]:
        ratio = float(row["other_seconds"]) / float(row["seconds"])
        assert abs(float(row["ratio"]) - ratio) <= 1e-6 * ratio, row
assert all(row["ratio"] for row in rows if row["operators"] in ("whole", "add", "sum"))' "$out"
echo '{"opgen": 1, "name": "one", "inputs": {"x": {"dtype": "f32", "shape": [40]}}, "nodes": [{"op": "exp", "in": "x", "out": "y"}], "outputs": ["y"]}' >one.json
run "$OPGEN" bench one.json "${emulated[@]}" -b emulated --vs cpu --repeat 3 --time 0.02 -o emu
like "another backend, beside the CPU's" "$status:$err:$out" \
    $'0::one on emulated: results as the CPU\'s reference, both\nother: emu/one.cpu/libone.so, on cpu\n*product: linear f32 of 64 x 64 by 64 x 64, by opgen on emulated*other us *ratio\nwhole *'

# ---- what gives other results is not timed
mkdir -p planted/cpu
cat >planted/cpu/map.c.j2 <<'END'
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
    {{ write.name }}[3] = 100;
#endif
{% endfor %}
}
{% endblock %}
END
cp -r gen bad # nobody builds the reference again
run "$OPGEN" bench net.json -I planted --cc "cc -DTESTED" --dim n=3 --dim m=5 -o bad
expect 1 '*warning*bad/net/libnet.so gives other results than bad/net.reference/libnet.so: nothing was timed*'
like "what differs" "$out" $'sizes *n=3, m=5 *y *DIFFERS in 1 of 15: at (0, 3) it is 100, wanted *'
unlike "no time" "$out" "*GB/s*"
run "$OPGEN" bench net.json --vs bad/net/libnet.so --dim n=3 --dim m=5
expect 1 '*bad/net/libnet.so gives other results than gen/net.reference/libnet.so: nothing was timed*'
run "$OPGEN" bench gen/net/libnet.so --vs bad/net/libnet.so --dim n=3 --dim m=5 --json
expect 1 '*gen/net/libnet.so gives other results than bad/net/libnet.so*'
like "as JSON" "$out" '*"same": false*'

# ---- what cannot be
run "$OPGEN" bench gen/net/libnet.so
expect 2 $'*gen/net/libnet.so is a library: there is nothing that its results can be compared with\n*give the model\'s JSON file, or another library with --vs*'
run "$OPGEN" bench net.json --vs cdu
expect 2 $'*--vs "cdu" is neither a library nor a backend\n*did you mean "cpu"*'
run "$OPGEN" bench gen/net/libnet.so --vs cpu
expect 2 '*--vs "cpu" is neither a library, and only of a model*'
run "$OPGEN" bench gen/net/libnet.so --vs gen/linear_f32_1024/liblinear_f32_1024.so
expect 2 '*have other dims: they cannot be compared*'
run "$OPGEN" bench net.json --json --csv
expect 2 '*--json and --csv are two formats*'
run "$OPGEN" bench net.json --dim n=0
expect 2 '*the dim n is a number from 1 to 1000, not "0"*'
run env NVCC=./no-such-nvcc PATH=/usr/bin:/bin "$OPGEN" bench net.json -b cuda -o none
expect 2 '*no-such-nvcc*'
# ---- threads
run "$OPGEN" bench net.json "${dims[@]}" --json --threads 2
expect 0 ""
check "JSON, as many runs as it takes, two threads" /usr/bin/python3 look.py "$out" 0
like "it says so" "$out" '*"timer": "clock", "caches": *, "sets": *, "threads": 2,*'

# Threads wait for another run in a library that stays when the model's is closed.
for _ in 1 2 3 4; do
    run "$OPGEN" run gen/net/libnet.so --threads 2 --dim n=900 --dim m=900
    expect 0 ""
done

finish
