#!/bin/bash
# test_fold_model: a generated model that computes much once for a set of weights, with its weights in a file and in the library, with and
# without the pass; weights are replaced and swapped while it runs, under ASan and ThreadSanitizer.
set -u
passed=0 failed=0 skipped=0
cc=${CC:-cc}
warnings="-std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror"
libraries="-lpthread -ldl -lm"

check() {
    local what=$1
    shift
    if "$@" >"$TMPDIR/log" 2>&1; then
        passed=$((passed + 1))
        sed -n 's/^[0-9]* runs/  &/p' "$TMPDIR/log"
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        head -n 100 "$TMPDIR/log"
    fi
}

cat >"$TMPDIR/kept.json" <<'END'
{"opgen": 1, "name": "kept", "dims": {"n": {"min": 1, "max": 9}}, "weights": "kept.safetensors",
 "inputs": {"x": {"dtype": "f32", "shape": ["n", 8]}},
 "params": {"w": {"dtype": "f32", "shape": [4, 8]}, "s": {"dtype": "f32", "shape": [8]}, "b": {"dtype": "f32", "shape": [4]}},
 "nodes": [
  {"op": "mul", "in": ["w", "s"], "out": "ws"},
  {"op": "transpose", "in": "ws", "attrs": {"dim0": 0, "dim1": 1}, "out": "wt"},
  {"op": "matmul", "in": ["x", "wt"], "out": "h"},
  {"op": "full", "attrs": {"size": [4], "fill_value": 0.5}, "out": "one_half"},
  {"op": "mul", "in": ["b", "one_half"], "out": "b2"},
  {"op": "add", "in": ["h", "b2"], "out": "y"},
  {"op": "exp", "in": "b2", "out": "e"},
  {"op": "neg", "in": "b", "out": "nb"},
  {"op": "add_", "in": ["nb", "b2"], "out": "r"},
  {"op": "arange", "attrs": {"end": 8, "dtype": "f32"}, "out": "i"},
  {"op": "sin", "in": "i", "out": "t"}],
 "outputs": ["y", "e", "r", "t"]}
END

sanitizer() { # the first compiler that links it, of those that there are
    echo 'int main(void) { return 0; }' >"$TMPDIR/none.c"
    for with in "$cc" clang gcc; do
        $with "-fsanitize=$1" "$TMPDIR/none.c" -o "$TMPDIR/none" 2>/dev/null && "$TMPDIR/none" && echo "$with" && return
    done
}

# what: the folder of the model's sources; the sanitizer
build_and_run() {
    local folder=$1 with sources
    with=$(sanitizer "$2")
    if [ -z "$with" ]; then
        skipped=$((skipped + 1))
        echo "skipped: no compiler here links -fsanitize=$2"
        return
    fi
    if [ ! -d "$TMPDIR/runtime-$2" ]; then # the same for every model
        mkdir "$TMPDIR/runtime-$2"
        cp "$folder"/opgen*.[ch] "$TMPDIR/runtime-$2/"
        # shellcheck disable=SC2086
        cd "$TMPDIR/runtime-$2" && check "building the runtime, $2" $with $warnings "-fsanitize=$2" -c opgen*.c
        cd - >/dev/null
    fi
    sources=$(ls "$folder"/*.c | grep -v -e _models.c -e '/opgen[^/]*$')
    # shellcheck disable=SC2086
    check "building $folder, $2" $with $warnings "-fsanitize=$2" -DOPGEN_NO_CLONES -I"$folder" -Itests/runtime tests/runtime/fold_model.c $sources \
        "$TMPDIR/runtime-$2"/*.o -o "$folder/program-$2" $libraries
    [ -f "$TMPDIR/kept.safetensors" ] || "$folder/program-$2" "$TMPDIR/kept.safetensors"
    cp "$TMPDIR/kept.safetensors" "$folder/"
    check "running $folder, $2" env TSAN_OPTIONS=halt_on_error=1 "$folder/program-$2"
}

check "generating" "$OPGEN" generate "$TMPDIR/kept.json" -o "$TMPDIR/file"
build_and_run "$TMPDIR/file/kept" thread
build_and_run "$TMPDIR/file/kept" address,undefined
check "generating with the weights in it" "$OPGEN" generate "$TMPDIR/kept.json" --embed-weights -o "$TMPDIR/inside"
build_and_run "$TMPDIR/inside/kept" address,undefined
check "generating without the pass" "$OPGEN" generate "$TMPDIR/kept.json" --without fold -o "$TMPDIR/plain"
build_and_run "$TMPDIR/plain/kept" address,undefined
check "there is something to compute once" grep -q '"ws": 128' "$TMPDIR/file/kept/opgen.manifest.json"
check "and nothing without the pass" grep -q '"folded": {"calls": 0, ' "$TMPDIR/plain/kept/opgen.manifest.json"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
