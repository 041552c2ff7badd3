#!/bin/bash
# opgen graph: the text, and the picture: well-formed, complete, nothing over anything else, whatever the graph.
. tests/check.sh
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

# ---- what goes wrong
run "$OPGEN" graph missing.json
expect 2 '*cannot read "missing.json"*'
run "$OPGEN" graph net.json --svg -o nowhere/x.svg
check "folders are made" test -s nowhere/x.svg
run "$OPGEN" graph net.json -o net.json/x
expect 2 '*cannot write "net.json/x"*'
run sh -c '"$0" graph net.json --svg >/dev/full' "$OPGEN"
expect 2 '*cannot write to standard output*'

finish
