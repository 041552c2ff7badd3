#!/bin/bash
# opgen generate --profile=embedded: which files there are, and that check, outputs, depfiles and --prune know them as any others.
. tests/check.sh
repository=$PWD
cd "$work" || exit 2
cp "$repository"/examples/mlp/model.json "$repository"/examples/mlp/mlp.safetensors . || exit 2
embedded=(--profile=embedded)
files() { (cd "$1" && find . -type f | sort | tr '\n' ' '); }

# ---- many files
run "$OPGEN" generate model.json -o gen "${embedded[@]}"
expect 0 ""
like "the files" "$(files gen/mlp)" './.gitattributes ./CMakeLists.txt ./Makefile ./k_*.c ./k_*.c ./k_*.c ./mlp.c ./mlp.h ./mlp.mk ./opgen.manifest.json ./opgen_embedded.h ./opgen_exp.h ./opgen_index.h ./opgen_kernel.h ./opgen_math.h '
run "$OPGEN" check model.json -o gen "${embedded[@]}"
expect 0 ""
is "up to date" "$out" ""
run "$OPGEN" outputs model.json -o gen "${embedded[@]}"
expect 0 ""
is "outputs names all of them" "$(sort <<<"$out" | sed '/^$/d')" "$(find gen/mlp -type f | sort)"
run "$OPGEN" check model.json -o gen
expect 1 "opgen: to mend it: opgen generate model.json -o gen --prune"$'\n'
run "$OPGEN" check model.json -o gen "${embedded[@]}" --single-file
expect 1 "opgen: to mend it: opgen generate model.json -o gen --profile embedded --single-file --prune"$'\n'
check "the manifest is JSON that says it" /usr/bin/python3 -c '
import json, sys
manifest = json.load(open("gen/mlp/opgen.manifest.json"))
assert manifest["profile"] == {"name": "embedded", "single": False, "constants": 0, "memory": 131136}, manifest["profile"]
assert {"templates/embedded/profile.json", "templates/cpu/backend.json"} <= {one["path"] for one in manifest["inputs"]}, manifest["inputs"]'

# ---- one file, in the place of many
run "$OPGEN" generate model.json -o gen "${embedded[@]}" --single-file --embed-weights --prune -MD --stamp gen/stamp
expect 0
is "one file and its header" "$(files gen/mlp)" "./.gitattributes ./mlp.c ./mlp.h ./opgen.manifest.json "
like "the depfile has what the profile is made of" "$(cat gen/mlp.d)" $'gen/stamp:*mlp.safetensors*'
for input in embedded/profile.json embedded/driver.c.j2 embedded/gemm.c.j2 model/embedded.h.j2 cpu/backend.json cpu/opgen_math.h; do
    like "the depfile has $input" "$(cat gen/mlp.d)" "*templates/$input*"
done
run "$OPGEN" check model.json -o gen "${embedded[@]}" --single-file --embed-weights
expect 0 ""
unlike "of opgen's headers it includes none but its own" "$(grep '#include "' gen/mlp/mlp.c)" "*opgen*"
is "and of others, beside <stdint.h>, what compilers have, and <math.h>" \
    "$(${CC:-gcc} -std=c11 -ffreestanding -H -fsyntax-only gen/mlp/mlp.c 2>&1 | sed -n 's,^\. .*/,,p' | sort -u | tr '\n' ' ')" \
    "math.h mlp.h stdbool.h stddef.h "
if [[ $(uname -m) == x86_64 ]]; then
    run gcc -std=c11 -ffreestanding -mfpmath=387 -fsyntax-only gen/mlp/mlp.c
    expect 1 "*computed in their own precision*-mfpmath=sse*"
else
    skip "no processor here that computes floats in another precision"
fi
run "$OPGEN" generate model.json -o - "${embedded[@]}" --single-file --embed-weights
expect 0 ""
check "the same to standard output" grep -qF "$(sed -n 40,60p gen/mlp/mlp.c)" <<<"$out"
before=$(cd gen && find . -type f -printf '%p %T@\n' | sort)
run "$OPGEN" generate model.json -o gen "${embedded[@]}" --single-file --embed-weights
expect 0 ""
is "nothing is written twice" "$(cd gen && find . -type f ! -name stamp -printf '%p %T@\n' | sort)" "$(grep -v stamp <<<"$before")"

# ---- two models in one program: whatever they have alike is each one's own
sed 's/"name": "mlp"/"name": "other"/' model.json >other.json
run "$OPGEN" generate model.json other.json -o two "${embedded[@]}" --single-file --embed-weights
expect 0 ""
printf '#include "mlp/mlp.h"\n#include "other/other.h"\nint main(void) { static float x[64], y[10], z[10], w[10];\n' >two/main.c
printf 'return mlp_run(1, 128, x, y, z) || other_run(1, 128, x, w, z) || y[3] != w[3] || y[3] <= 0; }\n' >>two/main.c
run ${CC:-gcc} -std=c11 -O1 -Wall -Wextra -Werror -o two/main two/main.c two/mlp/mlp.c two/other/other.c -lm
expect 0 ""
check "both run" two/main

# ---- the build files
run "$OPGEN" generate model.json -o 'a b' "${embedded[@]}" --embed-weights
expect 0 ""
run make -C 'a b/mlp' --no-print-directory BUILD=../../made CFLAGS="-Wall -Wextra -Wconversion -Wshadow -Werror"
expect 0 ""
check "an archive" test -s made/libmlp.a
is "that exports functions alone" "$(nm -g --defined-only made/libmlp.a | awk 'NF == 3 && $2 != "T"')" ""
run make -C 'a b/mlp' --no-print-directory BUILD=../../made CFLAGS="-Wall -Wextra -Wconversion -Wshadow -Werror"
is "made once" "$status:$out" "0:"
run make -C 'a b/mlp' --no-print-directory BUILD=../../made clean
check "and gone" test ! -e made/libmlp.a
if command -v cmake >/dev/null; then
    run cmake -S 'a b/mlp' -B cmake
    expect 0
    run cmake --build cmake
    expect 0
    check "an archive by CMake" test -s cmake/libmlp.a
else
    skip "cmake is not installed: its file is not tried"
fi

# ---- what makes no sense
run "$OPGEN" generate model.json -o no --single-file
expect 2 "*--single-file is of use with --profile alone*"
run "$OPGEN" generate model.json -o no --profile=embeded
expect 2 '*there is no profile "embeded"*embedded*'
run "$OPGEN" generate model.json -o no --profile=cpu
expect 2 '*there is no profile "cpu"*'
run "$OPGEN" generate model.json -o no --profile=../embedded
expect 2 '*there is no profile "../embedded"*'
mkdir -p mine/gpu2 mine/bare
printf '{"name": "gpu2", "parent": "cpu", "doc": "another"}\n' >mine/gpu2/backend.json
run "$OPGEN" generate model.json -o no -I mine -b gpu2 --profile=embedded
expect 2 '*the profile "embedded" is not one of the backend "gpu2"*it is one of cpu*'
printf '{"name": "bare", "parent": "gpu2", "profile": {"files": {"gitattributes": ".gitattributes"}}}\n' >mine/bare/profile.json
run "$OPGEN" generate model.json -o no -I mine -b gpu2 --profile=bare --single-file
expect 2 '*the profile "bare" has no form in a single file*'
run "$OPGEN" generate model.json -o bare -I mine -b gpu2 --profile=bare
expect 0 ""
check "a profile of one's own has the files that it names" test ! -e bare/mlp/Makefile -a -e bare/mlp/.gitattributes -a ! -e bare/mlp/opgen.h
printf '{"name": "bare", "parent": "gpu2", "profile": {"flies": {}}}\n' >mine/bare/profile.json
run "$OPGEN" generate model.json -o no -I mine -b gpu2 --profile=bare
expect 2 '*"profile" has no key "flies"*files*'
printf '{"name": "bare", "parent": "gpu2"}\n' >mine/bare/profile.json
run "$OPGEN" generate model.json -o no -I mine -b gpu2 --profile=bare
expect 2 '*a profile needs a "profile"*'
check "nothing was written by any of these" test ! -e no
run "$OPGEN" list profiles
like "they are listed" "$status:$out" $'0:*embedded *cpu *C11*\n*'
run "$OPGEN" list backends
unlike "and are no backends" "$out" "*embedded*"
run "$OPGEN" compile model.json -o no --profile=embedded
expect 2 '*--profile*'
finish
