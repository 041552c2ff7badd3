#!/bin/bash
# test_library: a library as generated code makes it, built with the compiler alone; opened and linked from C and from C++; its weights beside it;
# what is no library; and what OPGEN_LOG says.
set -u
passed=0 failed=0
cc=${CC:-cc}
flags="-Wall -Wextra -Werror -O1 -g -Iruntime"
libraries="-lpthread -ldl -lm"
cd "$(dirname "$0")/../.." || exit 1
abi=$(sed -n 's/^#define OPGEN_ABI //p' runtime/opgen_model.h)

check() {
    local what=$1
    shift
    if "$@" >"$TMPDIR/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        cat "$TMPDIR/log"
    fi
}

has() { grep -qF -- "$1" "$2" || { echo "no line has: $1"; cat "$2"; return 1; }; }

folder="$TMPDIR/a folder"
mkdir "$folder"
check "library" $cc -std=c11 -D_GNU_SOURCE $flags -DWRONG_ABI=0 -fPIC -shared tests/runtime/library.c runtime/*.c -o "$folder/libnamed.so" $libraries
check "library of another ABI" $cc -std=c11 -D_GNU_SOURCE $flags -DWRONG_ABI=1 -fPIC -shared tests/runtime/library.c runtime/*.c -o "$folder/libother.so" $libraries
echo 'int nothing;' | check "library of someone else" $cc -x c - -fPIC -shared -o "$folder/libforeign.so"
echo 'no library' >"$folder/libtext.so"
/usr/bin/python3 - "$folder/named.safetensors" <<'END'
import struct, sys
header = b'{"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[4],"data_offsets":[16,32]}}'
header += b" " * (-len(header) % 8)
open(sys.argv[1], "wb").write(struct.pack("<Q", len(header)) + header + struct.pack("<8f", 1, 2, 3, 4, 10, 20, 30, 40))
END
others=("$folder/libother.so" "$folder/libforeign.so" "$folder/libtext.so")

for language in "c:$cc:-std=c11" "c++:c++:-std=c++17"; do
    IFS=: read -r name compiler standard <<<"$language"
    # The runtime in the program, the library opened: two runtimes in one process.
    objects=()
    for source in runtime/*.c; do
        object=$TMPDIR/$(basename "$source" .c).o
        [ -e "$object" ] || check "$source" $cc -std=c11 $flags -fsanitize=address,undefined -c "$source" -o "$object"
        objects+=("$object")
    done
    check "$name, opened: build" $compiler -x $name $standard $flags -fsanitize=address,undefined tests/runtime/use_library.c -x none "${objects[@]}" -o "$TMPDIR/opened-$name" $libraries
    check "$name, opened" "$TMPDIR/opened-$name" "$folder/libnamed.so" "${others[@]}"
    cp "$TMPDIR/log" "$TMPDIR/refused"
    check "another ABI" has "bad ABI: $folder/libother.so: the model was made for version $((abi + 1)) of the runtime's ABI, and this runtime has $abi" "$TMPDIR/refused"
    check "someone else's" has "bad format: $folder/libforeign.so: is no library that opgen made" "$TMPDIR/refused"
    check "a text" has "bad file: $folder/libtext.so: cannot be loaded" "$TMPDIR/refused"
    # The library linked: its runtime is the program's.
    check "$name, linked: build" $compiler -x $name $standard $flags -DUSE_LINKED tests/runtime/use_library.c -x none -L"$folder" -lnamed "-Wl,-rpath,$folder" -o "$TMPDIR/linked-$name" $libraries
    check "$name, linked" "$TMPDIR/linked-$name" "$folder/libnamed.so"
done
# A name without a slash is looked for in the working folder.
check "in the working folder" env -C "$folder" "$TMPDIR/opened-c" libnamed.so

mkdir "$TMPDIR/dumps"
for level in 0 1 2 3 4 5; do
    OPGEN_LOG=$level OPGEN_DUMP=$TMPDIR/dumps "$TMPDIR/linked-c" "$folder/libnamed.so" 2>"$TMPDIR/stderr-$level" || failed=$((failed + 1))
done
check "level 0 is silent" test ! -s "$TMPDIR/stderr-0"
check "level 1 names" has "opgen: named: run 1: inputs x, s, e" "$TMPDIR/stderr-1"
check "level 1 names outputs" has "opgen: named: run 1: outputs y, t" "$TMPDIR/stderr-1"
check "level 2 has shapes" has "opgen: named: run 1: inputs x f32 (2, 4), s f32 (2,), e i64 (4,)" "$TMPDIR/stderr-2"
check "level 3 has statistics" has "x f32 (2, 4) least 1 greatest 8 mean 4.5, s f32 (2,) least 0 greatest 100 mean 50" "$TMPDIR/stderr-3"
check "level 5 is none" has "OPGEN_LOG=5 is none of 0, 1, 2, 3, 4" "$TMPDIR/stderr-5"
# Three runs of five tensors.
check "level 4 dumps" test "$(find "$TMPDIR/dumps" -path '*/named-*puts/*.npy' | wc -l)" = 15
check "and says of what" has '"model": "named", "backend": "cpu", "dims": {"batch": 2}, "threads": 1, "weights": "' "$(echo "$TMPDIR"/dumps/named-*-1)/run.json"
check "a dump is an array" /usr/bin/python3 - "$TMPDIR/dumps" <<'END'
import glob, sys
path = glob.glob(sys.argv[1] + "/named-*-1/outputs/y.npy")[0]
data = open(path, "rb").read()
assert data[:8] == b"\x93NUMPY\x01\0" and b"'shape': (2, 4), " in data and len(data) == 128 + 32, data
END
OPGEN_CHECK=inf "$TMPDIR/linked-c" "$folder/libnamed.so" 2>"$TMPDIR/stderr"
check "a check that is not there" has "OPGEN_CHECK=inf is not nan" "$TMPDIR/stderr"

# What the library gives to others is the runtime's own and its models.
if command -v nm >/dev/null; then
    nm -D --defined-only "$folder/libnamed.so" | awk '{ print $3 }' | grep -v '^opgen_\|^named_model$' >"$TMPDIR/symbols"
    check "exported names" test ! -s "$TMPDIR/symbols"
    nm -D --defined-only "$folder/libnamed.so" >"$TMPDIR/symbols"
    for inner in opgen_fail opgen_enter opgen_set_load; do
        if grep -qw $inner "$TMPDIR/symbols"; then
            failed=$((failed + 1))
            echo "FAILED: $inner is exported"
        fi
    done
fi
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
