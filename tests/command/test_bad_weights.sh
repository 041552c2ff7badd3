#!/bin/bash
# Files of weights that are cut short, that lie, and that are not the model's, to generate --embed-weights, compile, run and
# verify: status 2, the whole message, and nothing written.
. tests/check.sh
cd "$work" || exit 2

cat >net.json <<'E'
{"opgen": 1, "name": "net", "inputs": {"x": {"dtype": "f32", "shape": [3, 2]}},
 "params": {"w": {"dtype": "f32", "shape": [2, 2]}, "b": {"dtype": "f32", "shape": [2]}},
 "weights": "net.safetensors",
 "nodes": [{"op": "linear", "in": ["x", "w", "b"], "out": "y"}], "outputs": ["y"]}
E

number() { # eight bytes, the least first
    local value=$1 i
    for i in 0 8 16 24 32 40 48 56; do printf "\\x$(printf %02x $((value >> i & 255)))"; done
}
file() { # HEADER BYTES [LENGTH]: a file of weights with so many bytes of data, whose header is said to be so long
    { number "${3:-${#1}}"; printf %s "$1"; head -c "$2" /dev/zero; } >net.safetensors
}

# refuses WHAT TEXT: what the commands say of it; none of them builds or writes anything
refuses() {
    local command
    for command in "generate --embed-weights" compile run verify; do
        run "$OPGEN" $command net.json
        is "$command: $1" "$status:$out:$err" "2::$2"$'\n'
    done
    is "nothing is made: $1" "$(find . -name 'gen*' -o -name '.opgen-*')" ""
}
lies() { # WHAT TEXT: of the file itself
    refuses "$1" "opgen: error[E002]: net.safetensors: $2"
}
w='"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}'
b='"b":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}'

# ---- cut short, and a length of the header that cannot be
: >net.safetensors
lies "empty" "0 bytes are no safetensors file: the length of its header takes 8"
printf 'abc' >net.safetensors
lies "three bytes" "3 bytes are no safetensors file: the length of its header takes 8"
behind="bytes of header follow, and it has fewer: the file was cut short or is no safetensors file"
file "{$w,$b}" 24 1000
lies "a header beyond the file" "its first 8 bytes say that 1000 $behind"
file "{$w,$b}" 24 99999999999
lies "a header of 99 GB" "its first 8 bytes say that 99999999999 $behind"
file "{$w,$b}" 24 -1
lies "the longest header" "its first 8 bytes say that 18446744073709551615 $behind"
file "{$w,$b}" 24 40
lies "a header that is longer than its length" "byte 48: bad safetensors header: a string that does not end"
file "{$w,$b}" 23
lies "data that are cut short" \
    'tensor "b" ends at byte 24 of the data, which has 23: the file was cut short or its header lies'
file "{$w,$b}" 25
lies "data that nobody has" "the tensors end at byte 24 of the data, which has 25: bytes that no tensor has"

# ---- a header that is no JSON, or not of the format
file 'hello' 24
lies "text" 'byte 8: bad safetensors header: it does not begin with "{": this is no safetensors file'
file '[]' 24
lies "an array" 'byte 8: bad safetensors header: it does not begin with "{": this is no safetensors file'
file '{"w":' 24
lies "JSON that is cut short" 'byte 13: bad safetensors header: wanted "{", but it ends here'
file "{$w,$b}x" 24
lies "text behind" 'byte 120: bad safetensors header: text after the closing brace'
file '{"w":{"shape":[2,2],"data_offsets":[0,16]}}' 16
lies "no dtype" 'tensor "w" has no dtype'
file '{"w":{"dtype":"F31","shape":[2,2],"data_offsets":[0,16]}}' 16
lies "a dtype that there is not" 'tensor "w": there is no dtype "F31" in the format'
file '{"w":{"dtype":"F32","shape":[2,2.0],"data_offsets":[0,16]}}' 16
lies "a fraction" 'byte 40: bad safetensors header: wanted an integer, got a fraction'
file '{"w\n\u001b[31m":{"dtype":"F\u001b","shape":[2,2],"data_offsets":[0,16]}}' 16
lies "names for a terminal" 'tensor "w\n\x1b[31m": there is no dtype "F\x1b" in the format'
file "{$w,${b/b/w}}" 24
lies "a tensor twice" 'tensor "w" is there twice'
file '{"w":{"dtype":"F32","dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}' 16
lies "a key twice" 'tensor "w": key "dtype" is there twice'

# ---- offsets
offsets() { file "{$w,"'"b":{"dtype":"F32","shape":[2],"data_offsets":['"$1]}}" "$2"; }
offsets 12,20 20
lies "an overlap" 'tensor "b" begins at byte 12 of the data, and what is before it ends at 16: they overlap'
offsets 20,28 28
lies "a hole" 'tensor "b" begins at byte 20 of the data, and what is before it ends at 16: there is a hole'
offsets 16,18446744073709551617 24
lies "an end beyond 64 bits" 'byte 134: bad safetensors header: a number beyond 2^63 - 1'
offsets 16,9223372036854775807 24
lies "an end beyond the file" \
    'tensor "b" ends at byte 9223372036854775807 of the data, which has 24: the file was cut short or its header lies'
offsets 24,16 24
lies "an end before the beginning" 'byte 118: bad safetensors header: data_offsets that end before they begin'
offsets -8,16 24
lies "a negative beginning" 'byte 112: bad safetensors header: wanted an integer that is not negative'

# ---- bytes that dtype and shape do not make
file '{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]},'"$b}" 24
lies "a shape of other bytes" 'tensor "w": F32 (2, 3) takes 24 bytes, and its data_offsets have 16'
file '{"w":{"dtype":"F64","shape":[2,2],"data_offsets":[0,16]},'"$b}" 24
lies "a dtype of other bytes" 'tensor "w": F64 (2, 2) takes 32 bytes, and its data_offsets have 16'
file '{"w":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,16]},'"$b}" 24
lies "a shape beyond 64 bits" 'tensor "w": its shape is too large for 64 bits'

# ---- good files of another model: each param is told at its place
mismatch() { # FILE'S TEXT; what is wrong with w, or nothing, and with b
    local command done text
    for command in "generate --embed-weights" compile run verify; do
        [[ $command == generate* ]] && done=embedded || done=loaded
        text=
        [[ -n $1 ]] && text="net.json:2:13: error[E040]: param \"w\" cannot be $done: $1"'
    2 |  "params": {"w": {"dtype": "f32", "shape": [2, 2]}, "b": {"dtype": "f32", "shape": [2]}},
      |             ^~~
'
        text+="net.json:2:53: error[E040]: param \"b\" cannot be $done: $2"'
    2 |  "params": {"w": {"dtype": "f32", "shape": [2, 2]}, "b": {"dtype": "f32", "shape": [2]}},
      |                                                     ^~~
'
        run "$OPGEN" $command net.json
        is "$command: $1, $2" "$status:$out:$err" "2::$text"
        check "$command made nothing" test ! -e gen
    done
}
file "{$w}" 16
mismatch "" "the weights have no tensor of this name"
file '{"b":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}}' 24
mismatch "the model wants f32 (2, 2), the weights have F32 (4,)" "the model wants f32 (2,), the weights have I32 (2,)"
file '{}' 0
mismatch "the weights have no tensor of this name" "the weights have no tensor of this name"

# ---- no file at all, or none that can be
at='net.json:3:13: error[E002]: cannot read the weights "net.safetensors": '
shown='
    3 |  "weights": "net.safetensors",
      |             ^~~~~~~~~~~~~~~~~'
no_file() { # REASON HINT
    local command
    for command in compile run verify; do
        run "$OPGEN" $command net.json
        is "$command: $1" "$status:$out:$err" "2::$at$1$shown$2"$'\n'
        check "$command made nothing" test ! -e gen
    done
}
rm net.safetensors
no_file "No such file or directory" " the model names them, relative to its folder"
mkdir net.safetensors
no_file "Is a directory" ""
rmdir net.safetensors && mkfifo net.safetensors
no_file "Invalid argument" ""
rm net.safetensors && ln -s net.safetensors net.safetensors
no_file "Too many levels of symbolic links" ""
run "$OPGEN" generate --embed-weights net.json
is "a link to itself is not embedded" "$status:$err" '2:opgen: error[E002]: cannot read "net.safetensors": Too many levels of symbolic links
  hint: a symbolic link leads back to itself
'

# ---- --weights is taken at the run, with the same care
rm net.safetensors && file "{$w,$b}" 24 && mv net.safetensors good
file "{$w,$b}" 23 && mv net.safetensors short
file "{$w}" 16 && mv net.safetensors half
run "$OPGEN" run net.json --weights short
is "--weights: cut short" "$status:$out:$err" '2::opgen: error[E081]: short: tensor "b" ends at byte 24 of the data, which has 23: the file was cut short or its header lies
'
run "$OPGEN" run net.json --weights half
is "--weights: half of them" "$status:$out:$err" '2::opgen: error[E081]: half: has no tensor "b", which model net wants, did you mean "w"?
'
run "$OPGEN" run net.json --weights good
is "--weights: good ones" "$status:$err" "0:"

finish
