#!/bin/bash
# opgen graph: the text, and the picture: well-formed, complete, nothing over anything else, whatever the graph.
. tests/check.sh
here=$PWD
cd "$work" || exit 2

cat >net.json <<'END'
{"opgen": 1, "name": "net", "dims": {"n": {"max": 100}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 4]}},
 "params": {"w": {"dtype": "f32", "shape": [4]}},
 "nodes": [{"op": "mul", "in": ["x", "w"], "out": "h"}, {"op": "clamp", "in": "h", "attrs": {"min": -1.5}, "out": "c"},
           {"op": "add", "in": ["x", "c"], "out": "y"}],
 "outputs": ["y", "h"]}
END
run "$OPGEN" graph net.json
expect 0 ""
like "text" "$out" 'model net
dim n 1..100
input x f32(n, 4)
param w f32(4,)
h f32(n, 4) = mul(input=x, other=w)
c f32(n, 4) = clamp(input=h; min=-1.5*)
y f32(n, 4) = add(input=x, other=c*)
output y
output h
'
run "$OPGEN" graph net.json -o net.txt
is "to a file" "$status:$(cat net.txt)" "0:${out:-$(cat net.txt)}"
run "$OPGEN" graph - --svg <net.json
cp "$work/.out" piped.svg
"$OPGEN" graph net.json --svg -o net.svg
check "the same picture from a pipe" cmp piped.svg net.svg
(cd / && LC_ALL=de_DE.UTF-8 "$OPGEN" graph "$work/net.json" --svg) >elsewhere.svg
check "and from elsewhere" cmp elsewhere.svg net.svg

# What a picture has to be, whatever is in it.
cat >look.py <<'END'
import re, sys
import xml.etree.ElementTree as tree
top = tree.parse(sys.argv[1]).getroot()
svg = "{http://www.w3.org/2000/svg}"
left, above, width, height = map(int, top.get("viewBox").split())
boxes = []
for group in top.iter(svg + "g"):
    rect = group.find(svg + "rect")
    boxes.append(tuple(int(rect.get(k)) for k in ("x", "y", "width", "height")))
    assert group.find(svg + "title").text
    for text in group.iter(svg + "text"):  # 7 a letter: inside its box
        x, y, w, h = boxes[-1]
        assert x <= int(text.get("x")) and int(text.get("x")) + 7 * len(text.text) <= x + w, text.text
        assert y < int(text.get("y")) <= y + h
assert len(boxes) == int(sys.argv[2]), len(boxes)
rows = {}
for x, y, w, h in boxes:
    assert left <= x and x + w <= left + width and above <= y and y + h <= above + height
    rows.setdefault(y, []).append((x, w, h))
bottom = None
for y, row in sorted(rows.items()):
    assert bottom is None or y > bottom, "rows overlap"
    bottom = y + max(h for _, _, h in row)
    row.sort()
    assert all(a + w < b for (a, w, _), (b, _, _) in zip(row, row[1:])), "boxes overlap"
wires = [path for path in top.iter(svg + "path")]
ends = 0
for path in wires:
    for piece in path.get("d").split("M")[1:]:
        x, y = [int(v) for v in re.split(r"[ VC]", piece)[:2]]
        assert left <= x <= left + width and above <= y <= above + height
    ends += path.get("d").count("M") - 1
print(len(wires), ends)
END
look() { /usr/bin/python3 look.py "$@" 2>&1; }
is "the picture: wires and their ends" "$(look net.svg 6)" "4 6"
svg=$(cat net.svg)
for text in '>net: n 1..100<' '>mul<' '>other: w f32(4,)<' '>min = -1.5<' '>h f32(n, 4)<' '>c f32(n, 4)<' 'class="input"' \
    'class="output"' 'class="map"' 'makes y f32(n, 4)'; do
    like "it has $text" "$svg" "*$text*"
done

# ---- what XML would misread
mkdir ops
cat >ops/odd.json <<'END'
{"op": "odd", "doc": "a < b && \"c\" > 'd' \u0001 \u202e ]]> </title>", "kind": "map", "inputs": ["x"],
 "attrs": {"mode": {"type": "enum", "values": ["<&>\"'", "plain"], "default": "<&>\"'"}}, "expr": "x"}
END
sed 's/"clamp", "in": "h", "attrs": {"min": -1.5}/"odd", "in": "h"/' net.json >odd.json
run "$OPGEN" graph odd.json -I ops --svg -o odd.svg
expect 0 ""
is "it is well-formed" "$(look odd.svg 6)" "4 6"
check "and says what was written" /usr/bin/python3 -c '
import xml.etree.ElementTree as tree
titles = [t.text for t in tree.parse("odd.svg").getroot().iter("{http://www.w3.org/2000/svg}title")]
assert any("a < b && \"c\" > \x27d\x27 \ufffd \u202e ]]> </title>" in t and "mode = " in t for t in titles), titles'

# ---- large ones, wide, deep, and small ones
make() { # KIND COUNT
    /usr/bin/python3 - "$@" <<'END'
import json, random, sys
kind, n = sys.argv[1], int(sys.argv[2])
r = random.Random(7)
names, nodes = ["x"], []
for i in range(n):
    if kind == "chain": a, b = names[-1], names[-1]
    elif kind == "wide": a, b = "x", "x"
    elif kind == "far": a, b = names[-1], "x"
    else: a, b = r.choice(names[-20:] if r.random() < 0.9 else names), r.choice(names[-6:])
    nodes.append({"op": "add", "in": [a, b], "out": f"t{i}"})
    names.append(f"t{i}")
used = {name for node in nodes for name in node["in"]}
outputs = [name for name in names if name not in used] or ["x"]
print(json.dumps({"opgen": 1, "name": kind, "inputs": {"x": {"dtype": "f32", "shape": [8]}}, "nodes": nodes, "outputs": outputs}))
print(len(nodes) + 1 + len(outputs), file=sys.stderr)
END
}
for what in "random 1000" "wide 300" "far 1000" "chain 20000" "random 1"; do
    # shellcheck disable=SC2086
    boxes=$(make $what 2>&1 >large.json)
    run "$OPGEN" graph large.json --svg -o large.svg
    is "$what" "$status:$err" "0:"
    like "$what: the picture" "$(look large.svg "$boxes")" "[0-9]* [0-9]*"
done

# ---- what passes do
cat >passes.json <<'END'
{"opgen": 1, "name": "steps", "dims": {"n": {"max": 100}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 4]}},
 "nodes": [{"op": "relu", "in": "x", "out": "a"}, {"op": "relu", "in": "x", "out": "b"}, {"op": "exp", "in": "a", "out": "unread"},
           {"op": "reshape", "in": "b", "out": "flat", "attrs": {"shape": ["4 * n"]}}, {"op": "sum", "in": "flat", "attrs": {"dim": 0}, "out": "s"},
           {"op": "tanh", "in": "a", "out": "c"}, {"op": "mul", "in": ["c", "b"], "out": "y"}],
 "outputs": ["y", "s"]}
END
run "$OPGEN" graph passes.json --passes
is "warnings alone" "$status" 0
like "stages" "$out" '== read: 7 nodes ==
model steps
*
== dead: 1 node changed, 6 nodes now ==
*
== same: 1 node changed, 5 nodes now ==
*
== functions: * call* of * function*: * node*
*
    *y f32(n, 4) = mul(input=c, other=a)
*'
unlike "what is dead is gone" "${out#*== dead}" '*unread f32*'
unlike "what is the same is one" "${out#*== same}" '*b f32(n, 4) = relu*'
like "what did nothing" "$out" '*: no change ==
*'
run "$OPGEN" graph passes.json --passes --without same --without dead
unlike "without them" "$out" '*== same*'
like "all is left" "$out" '*== functions:*b f32(n, 4) = relu*'
"$OPGEN" list passes | awk '{print $1}' >all_passes
run "$OPGEN" graph passes.json --passes --json
check "JSON has the passes of the table, and the nodes" /usr/bin/python3 -c '
import json, sys
told, table = json.loads(sys.argv[1]), open("all_passes").read().split()
names = [p["name"] for p in told["passes"]]
assert told["model"] == "steps" and names[0] == "" and names[-1] == "functions", names
assert names[1:-1] == [name for name in table if name in names] and "dead" in names and "same" in names, (names, table)
by = dict(zip(names, told["passes"]))
assert by[""]["nodes"] == 7 and by["dead"]["changes"] == 1 and by["dead"]["nodes"] == 6 and by["same"]["nodes"] == 5
assert all(0 <= p["seconds"] < 5 for p in told["passes"])
for p in told["passes"]:
    assert p["graph"] is None or len(p["graph"]) == p["nodes"], p
    assert (p["graph"] is None) == (p["changes"] == 0 or p["name"] == "functions") or p["name"] == ""
first = by[""]["graph"][3]
assert first == {"op": "reshape", "in": {"input": "b"}, "attrs": {"shape": ["4*n"]}, "out": ["flat"]}, first
called = [out for call in told["calls"] for node in call["nodes"] for out in node["out"]]
viewed = [out for node in told["views"] for out in node["out"]]
assert sorted(called + viewed) == ["a", "c", "flat", "s", "y"], (called, viewed)
assert {w for call in told["calls"] for w in call["writes"]} >= {"y", "s"} and not any(call["once"] for call in told["calls"])' "$out"

# A picture of stages: text within its boxes, boxes that do not overlap, those of a function within its frame, nothing outside.
cat >stages.py <<'END'
import sys
import xml.etree.ElementTree as tree
top = tree.parse(sys.argv[1]).getroot()
svg = "{http://www.w3.org/2000/svg}"
left, above, width, height = map(int, top.get("viewBox").split())
counts = {}
def move(at, x, y):
    for part in (at.get("transform") or "").split(" "):
        if part.startswith("translate"):
            dx, dy = part[10:-1].split(",")
            x, y = x + int(dx), y + int(dy)
    return x, y
def look(at, x, y, within):
    """The boxes directly below, which must not overlap."""
    x, y = move(at, x, y)
    boxes, own = [], None
    for child in at:
        if child.tag == svg + "rect" and at.tag == svg + "g":
            own = tuple(int(child.get(k)) for k in ("x", "y", "width", "height"))
            own = (own[0] + x, own[1] + y, own[2], own[3])
            counts[at.get("class")] = counts.get(at.get("class"), 0) + 1
            for a, size, low, high in ((own[0], own[2], within[0], within[2]), (own[1], own[3], within[1], within[3])):
                assert low <= a and a + size <= low + high, ("outside", own, within, at.get("class"))
    for child in at:
        if child.tag == svg + "text":
            assert child.text is not None
            letters, tx, ty = len(child.text) * 7, int(child.get("x")) + x, int(child.get("y")) + y
            box = own or (left, above, width, height)
            if child.get("class") != "label":
                assert box[0] <= tx and tx + letters <= box[0] + box[2] and box[1] < ty <= box[1] + box[3], (child.text, box)
            assert tx + letters <= left + width, ("clipped", child.text)
        if child.tag == svg + "g":
            boxes += look(child, x, y, own or within)
    if at.get("transform") or at.tag == svg + "svg":
        rows = sorted(boxes, key=lambda b: (b[1], b[0]))
        for i, a in enumerate(rows):
            for b in rows[i + 1:]:
                if b[1] >= a[1] + a[3]:
                    break
                assert a[0] + a[2] <= b[0] or b[0] + b[2] <= a[0], ("overlap", a, b)
        return [] if own is None else [own]
    return [own] if own else boxes
look(top, 0, 0, (left, above, width, height))
print(" ".join(f"{k}={counts[k]}" for k in sorted(counts) if k in ("frame", "port", "input", "output")))
END
run "$OPGEN" graph passes.json --passes --svg -o stages.svg
is "it is drawn" "$status" 0
like "stages as a picture" "$(/usr/bin/python3 stages.py stages.svg 2>&1)" "frame=[1-9]* input=[4-9]* output=[0-9]* port=[0-9]*"
svg=$(cat stages.svg)
for text in '>steps: n 1..100<' '>read<' '>dead<' '1 node changed, 6 nodes now. Remove' '>functions<' 'class="frame"'; do
    like "it has $text" "$svg" "*$text*"
done
seconds() { # of the processor's time
    /usr/bin/python3 -c '
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.2f}" if done.returncode == 0 else "failed")' "$@"
}
slower=1
[[ $OPGEN == *asan* ]] && slower=20
for what in "random 1000" "wide 300" "far 1000" "chain 1000" "random 1"; do
    # shellcheck disable=SC2086
    make $what 2>/dev/null >large.json
    took=$(seconds "$OPGEN" graph large.json --passes --svg -o large.svg)
    check "$what: drawn in $took s" awk "BEGIN {exit !($took < 1 * $slower)}"
    like "$what: stages as a picture" "$(/usr/bin/python3 stages.py large.svg 2>&1)" "frame=*"
done
make random 10000 2>/dev/null >large.json
for form in "" --svg --json; do
    # shellcheck disable=SC2086
    took=$(seconds "$OPGEN" graph large.json --passes $form -o large.out)
    check "10000 nodes ${form:-as text} in $took s" awk "BEGIN {exit !($took < 10 * $slower)}"
    # shellcheck disable=SC2086
    took=$(seconds "$OPGEN" graph large.json --memory $form -o large.out)
    check "and their memory in $took s" awk "BEGIN {exit !($took < 10 * $slower)}"
done

# ---- memory
cat >memory.json <<'END'
{"opgen": 1, "name": "room", "dims": {"n": {"max": 64}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 16]}, "w": {"dtype": "f32", "shape": [16, 16]}},
 "nodes": [{"op": "matmul", "in": ["x", "w"], "out": "a"}, {"op": "reshape", "in": "a", "out": "v", "attrs": {"shape": ["16 * n"]}},
           {"op": "relu", "in": "v", "out": "b"}, {"op": "reshape", "in": "b", "out": "c", "attrs": {"shape": ["n", 16]}},
           {"op": "matmul", "in": ["c", "w"], "out": "y"}],
 "outputs": ["y"]}
END
run "$OPGEN" graph memory.json --memory --without fuse
expect 0 ""
like "the arena as text" "$out" 'model room for n=64
arena * bytes (*iB), 0.00 % above the * that live at call *, the largest sum

slot *offset *bytes  calls *tensors
* a f32(n, 16); v f32(16\*n,) alias; b f32(16\*n,) in place from 1; c f32(n, 16) alias
*
call *lives  function
   0 *  matmul_f32_*
   1 *  relu_f32_*
   2 *  matmul_f32_*'
is "columns stand below each other" "$(sed -n '/^slot/,/^$/p' <<<"$out" | awk 'NF {print index($0, "..") > 0 ? index($0, "..") : 0}' | sort -u | wc -l | awk '{print ($1 <= 3)}')" 1
check_memory() { # FILE
    /usr/bin/python3 -c '
import json, sys
told = json.load(open(sys.argv[1]))
slots, lives = told["slots"], [0] * len(told["calls"])
for i, a in enumerate(slots):
    assert a["tensors"] and 0 <= a["first"] <= a["last"] < len(lives)
    for c in range(a["first"], a["last"] + 1): lives[c] += a["bytes"]
    for t in a["tensors"]: assert a["first"] <= t["first"] <= t["last"] <= a["last"], (a, t)
    assert sum(t["how"] in ("own", "workspace") for t in a["tensors"]) == 1, a
for i, a in enumerate(slots if len(slots) < 3000 else []):
    for b in slots[:i]:
        assert a["last"] < b["first"] or b["last"] < a["first"] or a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"], (a, b)
assert lives == [c["lives"] for c in told["calls"]]
assert told["largest_sum"] == max(lives, default=0) and told["arena"] == max([s["offset"] + s["bytes"] for s in slots], default=0)
assert told["arena"] <= 1.1 * told["largest_sum"], (told["arena"], told["largest_sum"])' "$1" 2>&1
}
for model in memory.json "$here"/examples/*/model.json; do
    for without in "" "--without fuse"; do
        # shellcheck disable=SC2086
        run "$OPGEN" graph "$model" --memory --json $without -o plan.json
        is "$model $without" "$status:$(check_memory plan.json)" "0:"
    done
done
run "$OPGEN" graph memory.json --memory --svg --without fuse -o room.svg
expect 0 ""
check "it is a picture with a box a slot" /usr/bin/python3 -c '
import subprocess, json, sys
import xml.etree.ElementTree as tree
top, svg = tree.parse("room.svg").getroot(), "{http://www.w3.org/2000/svg}"
left, above, width, height = map(int, top.get("viewBox").split())
boxes = [g for g in top.iter(svg + "g") if g.get("class") in ("slot", "workspace")]
told = json.loads(subprocess.run([sys.argv[1], "graph", "memory.json", "--memory", "--json", "--without", "fuse"], stdout=subprocess.PIPE).stdout)
assert len(boxes) == len(told["slots"]), len(boxes)
for g, slot in zip(boxes, told["slots"]):
    r = g.find(svg + "rect")
    x, y, w, h = (int(r.get(k)) for k in ("x", "y", "width", "height"))
    assert left <= x and x + w <= left + width and above <= y and y + h <= above + height
    assert str(slot["bytes"]) + " bytes" in g.find(svg + "title").text
    for text in g.iter(svg + "text"):
        if text.get("transform") is None and text.get("x") != "0":
            assert x <= int(text.get("x")) and int(text.get("x")) + 7 * len(text.text) <= x + w and y <= int(text.get("y")) <= y + h, text.text
assert any("b f32(16*n,), in place" in g.find(svg + "title").text and "c f32(n, 16), alias" in g.find(svg + "title").text for g in boxes)
assert top.find(svg + "path[@class=\"sum\"]") is not None
texts = [t.text for t in top.iter(svg + "text")]
assert "room: memory for n=64" in texts and any("0.00 % above the largest sum" in t for t in texts), texts' "$OPGEN"
for what in "random 1000" "wide 300" "chain 300"; do
    # shellcheck disable=SC2086
    make $what 2>/dev/null >large.json
    run "$OPGEN" graph large.json --memory --json --without fuse -o plan.json
    is "$what: its memory" "$status:$(check_memory plan.json)" "0:"
done

# ---- what goes wrong
run "$OPGEN" graph net.json --passes --memory
expect 2 '*--passes and --memory*'
run "$OPGEN" graph net.json --passes --svg --json
expect 2 '*--svg and --json*'
run "$OPGEN" graph net.json --json
expect 2 '*--json goes with --passes or --memory*'
run "$OPGEN" graph net.json --without fuse
expect 2 '*--without goes with --passes or --memory*'
run "$OPGEN" graph net.json --memory --backend nowhere
expect 2 '*nowhere*'
run "$OPGEN" graph missing.json
expect 2 '*cannot read "missing.json"*'
run "$OPGEN" graph net.json --svg -o nowhere/x.svg
check "folders are made" test -s nowhere/x.svg
run "$OPGEN" graph net.json -o net.json/x
expect 2 '*cannot write "net.json/x"*'
run sh -c '"$0" graph net.json --svg >/dev/full' "$OPGEN"
expect 2 '*cannot write to standard output*'

finish
