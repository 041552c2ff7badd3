#!/bin/bash
# Models that are wrong, through every command that reads one: each mistake at its line and column in one run, the exit
# status 2 (1 of lint, whose answer they are), nothing on the other stream, and no folder, file or temporary file.
. tests/check.sh
cd "$work" || exit 2

# refuses FILE TEXT: what every command says of it
refuses() {
    local command
    for command in generate check compile run verify outputs graph; do
        run "$OPGEN" $command "$1"
        is "$command $1: status" "$status" 2
        is "$command $1: message" "$err" "$2"
        is "$command $1: nothing on standard output" "$out" ""
    done
    run "$OPGEN" lint "$1"
    is "lint $1" "$status:$out:$err" "1:$2:"
    is "nothing is made of $1" "$(find . -name 'gen*' -o -name '.opgen-*' -o -name '*.so')" ""
}

# ---- text that is no JSON
printf '{"opgen": 1,\n "name": "a" "dims": {},\n "x": 01, "y": [1,,2], "z": "\\q", "u": tru,\n "nodes": [}\n' >syntax.json
refuses syntax.json 'syntax.json:2:14: error[E010]: expected '"',' or '}'"' after a value, got a string
    2 |  "name": "a" "dims": {},
      |              ^ is a comma missing before it?
syntax.json:3:7: error[E010]: 01 is not a number in JSON: it begins with 0
    3 |  "x": 01, "y": [1,,2], "z": "\q", "u": tru,
      |       ^~ remove the zeros in front
syntax.json:3:19: error[E010]: expected a value after '"',', got ','"'
    3 |  "x": 01, "y": [1,,2], "z": "\q", "u": tru,
      |                   ^
syntax.json:3:30: error[E010]: \q is not an escape that JSON knows
    3 |  "x": 01, "y": [1,,2], "z": "\q", "u": tru,
      |                              ^~ a backslash is written \\
syntax.json:3:40: error[E010]: expected a value after '"':'"', got "tru"
    3 |  "x": 01, "y": [1,,2], "z": "\q", "u": tru,
      |                                        ^~~ did you mean true?
syntax.json:4:12: error[E010]: expected a value or '"']', got '}'"'
    4 |  "nodes": [}
      |            ^
syntax.json:4:12: error[E010]: expected '"',' or ']' after a value, got '}'"'
    4 |  "nodes": [}
      |            ^
syntax.json:4:11: note: the array begins here
'

# ---- what a model cannot be: keys, kinds, names, dims, dtypes, paths, operators, circles, all in one file
cat >wrong.json <<'E'
{"opgen": 1, "name": "math", "inptus": {},
 "dims": {"n": {"min": -1}, "half": 2.5, "big": 99999999999999999999, "int": 4, "threads": {"max": 8}},
 "inputs": {"x": {"dtype": "f32", "shape": ["threads", 8]}, "stream": {"dtype": "f33", "shape": ["rows"]}, "x": {"dtype": "f32", "shape": []}},
 "params": {"blockDim": {"dtype": "f32", "shape": [4]}, "w": {"dtype": "f32", "shape": ["threads"]}},
 "weights": "../w.safetensors",
 "nodes": [
  {"op": "relo", "in": "x", "out": "a"},
  {"op": "add", "in": ["x", "b"], "out": "b"},
  {"op": "relu", "in": "x", "out": "c"},
  {"op": "relu", "in": "x", "out": "c"},
  {"op": "softmax", "in": "x", "attrs": {"dmi": 1}, "out": "y"}],
 "outputs": ["y", "z"]}
E
refuses wrong.json 'wrong.json:1:22: error[E024]: a model "math" would have a header math.h, and the system has one of that name
    1 | {"opgen": 1, "name": "math", "inptus": {},
      |                      ^~~~~~ give the model another name
wrong.json:1:30: error[E020]: a model has no key "inptus"
    1 | {"opgen": 1, "name": "math", "inptus": {},
      |                              ^~~~~~~~ did you mean "inputs"?
wrong.json:2:24: error[E025]: the least size of a dim is not negative, but this is -1
    2 |  "dims": {"n": {"min": -1}, "half": 2.5, "big": 99999999999999999999, "int": 4, "threads": {"max": 8}},
      |                        ^~
wrong.json:2:29: error[E024]: "half" cannot be the name of a dim: it is a word of CUDA, HIP and MUSA
    2 |  "dims": {"n": {"min": -1}, "half": 2.5, "big": 99999999999999999999, "int": 4, "threads": {"max": 8}},
      |                             ^~~~~~ names stand in the generated sources
wrong.json:2:37: error[E025]: a dim is a whole number, but this is 2.5
    2 |  "dims": {"n": {"min": -1}, "half": 2.5, "big": 99999999999999999999, "int": 4, "threads": {"max": 8}},
      |                                     ^~~
wrong.json:2:49: error[E025]: a dim is at most 4611686018427387904, but this is 99999999999999999999
    2 |  "dims": {"n": {"min": -1}, "half": 2.5, "big": 99999999999999999999, "int": 4, "threads": {"max": 8}},
      |                                                 ^~~~~~~~~~~~~~~~~~~~
wrong.json:2:71: error[E024]: "int" cannot be the name of a dim: it is a keyword of C
    2 |  "dims": {"n": {"min": -1}, "half": 2.5, "big": 99999999999999999999, "int": 4, "threads": {"max": 8}},
      |                                                                       ^~~~~ names stand in the generated sources
wrong.json:3:81: error[E025]: there is no dtype "f33"
    3 |  "inputs": {"x": {"dtype": "f32", "shape": ["threads", 8]}, "stream": {"dtype": "f33", "shape": ["rows"]}, "x": {"dtype": "f32", "shape": []}},
      |                                                                                 ^~~~~ did you mean "f32"?
wrong.json:3:99: error[E021]: there is no dim "rows"
    3 |  "inputs": {"x": {"dtype": "f32", "shape": ["threads", 8]}, "stream": {"dtype": "f33", "shape": ["rows"]}, "x": {"dtype": "f32", "shape": []}},
      |                                                                                                   ^~~~ declare it: "dims": {"rows": {"min": 1, "max": 256}}
wrong.json:3:108: error[E011]: this object has the key "x" twice
    3 |  "inputs": {"x": {"dtype": "f32", "shape": ["threads", 8]}, "stream": {"dtype": "f33", "shape": ["rows"]}, "x": {"dtype": "f32", "shape": []}},
      |                                                                                                            ^~~
wrong.json:3:13: note: it stands here first
wrong.json:4:13: error[E024]: "blockDim" cannot be the name of a param: it is a word of CUDA, HIP and MUSA
    4 |  "params": {"blockDim": {"dtype": "f32", "shape": [4]}, "w": {"dtype": "f32", "shape": ["threads"]}},
      |             ^~~~~~~~~~ names stand in the generated sources
wrong.json:4:89: error[E025]: a param has a fixed shape, but this dim varies
    4 |  "params": {"blockDim": {"dtype": "f32", "shape": [4]}, "w": {"dtype": "f32", "shape": ["threads"]}},
      |                                                                                         ^~~~~~~~~ write a number, or give the dim one: "dims": {"hidden": 512}
wrong.json:5:13: error[E041]: "weights" is a file in the model'"'"'s folder, but "../w.safetensors" leaves it with ".."
    5 |  "weights": "../w.safetensors",
      |             ^~~~~~~~~~~~~~~~~~ write a path from the model'"'"'s folder on: "mlp.safetensors"
wrong.json:7:10: error[E021]: there is no op "relo"
    7 |   {"op": "relo", "in": "x", "out": "a"},
      |          ^~~~~~ did you mean "relu"?
wrong.json:8:10: error[E026]: this node reads what it makes itself: "b"
    8 |   {"op": "add", "in": ["x", "b"], "out": "b"},
      |          ^~~~~
wrong.json:10:36: error[E023]: "c" cannot name the result of a node, because it names the result of a node
   10 |   {"op": "relu", "in": "x", "out": "c"},
      |                                    ^~~
wrong.json:9:36: note: here
wrong.json:11:10: error[E022]: op "softmax" needs attribute "dim"
   11 |   {"op": "softmax", "in": "x", "attrs": {"dmi": 1}, "out": "y"}],
      |          ^~~~~~~~~
wrong.json:11:42: error[E021]: op "softmax" has no attribute "dmi"
   11 |   {"op": "softmax", "in": "x", "attrs": {"dmi": 1}, "out": "y"}],
      |                                          ^~~~~ did you mean "dim"?
wrong.json:12:19: error[E021]: no node makes "z"
   12 |  "outputs": ["y", "z"]}
      |                   ^~~
'

# ---- what does not go together: shapes, sizes, circles, stated types
cat >shapes.json <<'E'
{"opgen": 1, "name": "shapes", "dims": {"n": {"max": 9}},
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 8]}, "z": {"dtype": "f32", "shape": ["n - 10", "9223372036854775807 * 2"]},
  "huge": {"dtype": "f64", "shape": [4611686018427387904, 2]}},
 "params": {"w": {"dtype": "f32", "shape": [4, 5]}},
 "nodes": [
  {"op": "add", "in": ["x", "w"], "out": "c"},
  {"op": "sigmoid", "in": "g", "out": "e"},
  {"op": "tanh", "in": "e", "out": "f"},
  {"op": "neg", "in": "f", "out": "g"},
  {"op": "relu", "in": "x", "out": "y"}],
 "tensors": {"y": {"dtype": "f16", "shape": ["n", 7]}},
 "outputs": ["c", "g", "y"]}
E
refuses shapes.json 'shapes.json:2:87: error[E025]: a dim is not negative, but this is -1 or less
    2 |  "inputs": {"x": {"dtype": "f32", "shape": ["n", 8]}, "z": {"dtype": "f32", "shape": ["n - 10", "9223372036854775807 * 2"]},
      |                                                                                       ^~~~~~~~
shapes.json:2:98: error[E029]: size does not fit 64 bits
    2 |  "inputs": {"x": {"dtype": "f32", "shape": ["n", 8]}, "z": {"dtype": "f32", "shape": ["n - 10", "9223372036854775807 * 2"]},
      |                                                                                                  ^~~~~~~~~~~~~~~~~~~~~~~
shapes.json:3:3: error[E005]: "huge" has the shape (4611686018427387904, 2), which is more than 2^63 bytes
    3 |   "huge": {"dtype": "f64", "shape": [4611686018427387904, 2]}},
      |   ^~~~~~
shapes.json:6:10: error[E031]: shapes input (n, 8) and other (4, 5) do not broadcast: dim -1 is 8 and 5
    6 |   {"op": "add", "in": ["x", "w"], "out": "c"},
      |          ^~~~~
shapes.json:7:10: error[E026]: nodes wait for each other in a circle: "e" -> "f" -> "g" -> "e"
    7 |   {"op": "sigmoid", "in": "g", "out": "e"},
      |          ^~~~~~~~~
shapes.json:11:29: error[E040]: "y" is stated to be f16, but is f32
   11 |  "tensors": {"y": {"dtype": "f16", "shape": ["n", 7]}},
      |                             ^~~~~
shapes.json:11:45: error[E040]: "y" is stated to have the shape (n, 7), but has (n, 8)
   11 |  "tensors": {"y": {"dtype": "f16", "shape": ["n", 7]}},
      |                                             ^~~~~~~~
shapes.json:10:10: note: from this node
'

# ---- weights behind a link that leads out of the model's folder; one within it, or beside a model that is a link, is good
small() { # NAME
    printf '{"opgen": 1, "name": "%s", "inputs": {"x": {"dtype": "f32", "shape": [2]}},\n' "$1"
    printf ' "params": {"w": {"dtype": "f32", "shape": [2]}}, "weights": "sub/w.safetensors",\n'
    printf ' "nodes": [{"op": "add", "in": ["x", "w"], "out": "y"}], "outputs": ["y"]}\n'
}
mkdir -p outside within/sub linked/sub stored/sub
header='{"w": {"dtype": "F32", "shape": [2], "data_offsets": [0,8]}}'
printf "\\x$(printf %02x ${#header})"'\0\0\0\0\0\0\0%s12345678' "$header" >outside/w.safetensors
mkdir leads && small leads >leads/leads.json && ln -s ../outside leads/sub
refuses leads/leads.json 'leads/leads.json:2:62: error[E041]: "weights" is a file in the model'"'"'s folder, but "sub/w.safetensors" leads out of it by a symbolic link
    2 |  "params": {"w": {"dtype": "f32", "shape": [2]}}, "weights": "sub/w.safetensors",
      |                                                              ^~~~~~~~~~~~~~~~~~~ copy the file into the model'"'"'s folder
'
run "$OPGEN" generate leads/leads.json --embed-weights -o embedded
is "nor are they embedded" "$status:$out:$(ls -d embedded 2>&1)" "2::ls: cannot access 'embedded': No such file or directory"
small within >within/within.json && cp outside/w.safetensors within/real && ln -s ../real within/sub/w.safetensors
run "$OPGEN" generate within/within.json --embed-weights -o embedded
is "a link within the folder" "$status:$err" "0:"
small linked >stored/model.json && cp outside/w.safetensors stored/sub
ln -s ../stored/model.json linked/model.json && ln -s ../../stored/sub/w.safetensors linked/sub/w.safetensors
run "$OPGEN" generate linked/model.json --embed-weights -o embedded
is "a folder of links to another" "$status:$err" "0:"

# ---- two models whose names make would not tell apart
small Net >upper.json && small net >lower.json
run "$OPGEN" generate upper.json lower.json -o both
is "upper and lower case" "$status:$err" '2:lower.json:1:1: error[E023]: the models "Net" and "net" differ in upper and lower case alone
    1 | {"opgen": 1, "name": "net", "inputs": {"x": {"dtype": "f32", "shape": [2]}},
      | ^
upper.json:1:1: note: the other one
'
check "nothing is written" test ! -e both

# ---- two models of which one is called as things of the other are
two() { # NAME INPUT
    printf '{"opgen": 1, "name": "%s", "inputs": {"%s": {"dtype": "f32", "shape": [2]}},\n' "$1" "$2"
    printf ' "nodes": [{"op": "relu", "in": "%s", "out": "y"}], "outputs": ["y"]}\n' "$2"
}
two net model >first.json
while read -r name input clash; do
    two $name $input >second.json
    run "$OPGEN" generate first.json second.json -o two
    like "net and $name" "$status:$err" "2:second.json:1:1: error*the models \"net\" and \"$name\" would both have $clash in what*first.json:1:1: note: the other one*"
done <<'E'
net_input x net_input_model
net_runtime x NET_RUNTIME_SOURCES
E
sed -i 's/"out": "y"/"out": "free"/; s/"outputs": \["y"\]/"outputs": ["free"]/' first.json
two net_output x >second.json
run "$OPGEN" generate first.json second.json -o two
like "an output" "$status:$err" '2:*would both have net_output_free in what*'
check "nothing is written" test ! -e two
two net x >first.json && two net_in x >second.json
run "$OPGEN" generate first.json second.json -o two
is "others go together" "$status:$err" "0:"

# ---- what generated code calls things itself, and functions of the C library, are names like others
names() { # NAME DIM INPUT PARAM OUTPUT
    printf '{"opgen": 1, "name": "%s", "dims": {"%s": {"max": 9}, "%s_min": {"max": 8}},\n' "$1" "$2" "$2"
    printf ' "inputs": {"%s": {"dtype": "f32", "shape": ["%s", "%s_min"]}},\n' "$3" "$2" "$2"
    printf ' "params": {"%s": {"dtype": "f32", "shape": []}},\n' "$4"
    printf ' "nodes": [{"op": "add", "in": ["%s", "%s"], "out": "%s"}], "outputs": ["%s"]}\n' "$3" "$4" "$5" "$5"
}
while read -r name dim input param output; do
    names $name $dim $input $param $output >named.json
    run "$OPGEN" generate named.json -o named
    is "names $name $dim $input $param $output" "$status:$err" "0:"
    run "${CC:-cc}" -std=c11 -Wall -Wextra -Wshadow -Werror -fsyntax-only named/$name/$name.c named/$name/${name}_models.c
    is "$name.c" "$status:$err" "0:"
    printf '#include "%s.h"\n_Static_assert(%s_min_%s == 1 && %s_max_%s_min == 8 && %s_dim_%s_min == 1, "dims");\n' \
        $name $name $dim $name $dim $name $dim >named.c
    run "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -Inamed/$name -fsyntax-only named.c
    is "$name.h" "$status:$err" "0:"
done <<'E'
model threads stream workspace values
strlen dims sizes known offsets
printf i k run arena
m n x y0 exp
k_add_f32 batch inputs outputs instance
check shapes prepare copy run_0
free EOL status in_x out_y
seen count numbers watcher failed
E
for name in all install stdio cuda_runtime; do
    names $name n x w y >named.json
    run "$OPGEN" generate named.json -o refused
    like "$name" "$status:$err" "2:named.json:1:22: error\[E024\]: a model \"$name\" would *give the model another name"$'\n'
done
names net n x w y >named.json
run "$OPGEN" generate named.json -o functions
function=$(basename "$(echo functions/net/k_add_*.c)" .c)
names $function n x w y >named.json
run "$OPGEN" generate named.json -o refused
is "a model named like one of its functions" "$status:$err" \
    "2:opgen: error[E024]: two generated files would be \"$function.c\""$'\n'
check "nothing is written" test ! -e refused

finish
