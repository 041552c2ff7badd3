#!/bin/bash
# What is generated, on its own: the header of each example compiles by itself as C11, C++17 and C++20 with every warning,
# all sources as C11, with gcc and clang; and make and CMake build a copy of the folder elsewhere, where nothing of opgen is
# in reach, from a path with blanks. A build that is killed, or run by many, leaves nothing that the next one trusts.
. tests/check.sh
repository=$PWD
cd "$work" || exit 2

compilers() { # those that are there
    local compiler
    for compiler in "$@"; do command -v "$compiler" >/dev/null && echo "$compiler"; done
}
examples=$repository/examples
for name in mlp encoder add_one; do
    run "$OPGEN" generate "$examples/$name/model.json" -I "$examples/add_one/ops" -o gen
    expect 0 ""
    [[ $name == add_one ]] && continue
    run "$OPGEN" generate "$examples/$name/model.json" --embed-weights -o embedded
    expect 0 ""
done
for compiler in gcc clang g++ clang++; do
    command -v $compiler >/dev/null || skip "$compiler is not installed: nothing is compiled with it"
done

# ---- headers, alone and in front of what they include
strict="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -fsyntax-only"
for folder in gen/* embedded/*; do
    name=${folder##*/}
    for header in "$name.h" $(cd "$folder" && ls ./*_weights.h 2>/dev/null); do
        printf '#include "%s"\n#include "%s"\n' "$header" "$header" >use.c
        for compiler in $(compilers gcc clang); do
            run "$compiler" -std=c11 $strict -I"$folder" use.c
            is "$compiler -std=c11: $folder/$header" "$status:$err" "0:"
        done
        cp use.c use.cc
        for compiler in $(compilers g++ clang++); do
            for standard in c++17 c++20; do
                run "$compiler" -std=$standard $strict -I"$folder" use.cc
                is "$compiler -std=$standard: $folder/$header" "$status:$err" "0:"
            done
        done
    done
done

# ---- sources; those that are the same in several folders once
mkdir sums
for compiler in $(compilers gcc clang); do
    for source in gen/*/*.c embedded/*/*.c; do
        sum=$(sha256sum <"$source" | cut -d ' ' -f 1)
        [[ -e sums/$compiler.$sum ]] && continue
        : >"sums/$compiler.$sum"
        run "$compiler" -std=c11 -Wall -Wextra -Werror -fsyntax-only "$source"
        is "$compiler: $source" "$status:$err" "0:"
    done
done

# ---- built where nothing of opgen is
mkdir -p tools 'else where'
for tool in make cmake ninja cc gcc c++ as ld ar ranlib nm sh bash mkdir rm mv cp echo cmp cat sed grep uname expr test true; do
    path=$(type -P $tool) && ln -s "$(readlink -f "$path")" tools/$tool
done
cp -R gen/plus_one 'else where/a dd$one'
alone() { env -i PATH="$work/tools" HOME=/nowhere "$@"; }
build='else where/a dd$one'
run alone make -s -C "$build" -j8 CFLAGS="-O0 -Wall -Wextra -Werror"
is "make" "$status:$err" "0:"
check "a shared and a static library" test -s "$build/libplus_one.so" -a -s "$build/libplus_one.a"
is "no path of this machine is in the objects" "$(grep -l "$work" "$build"/obj/*.d)" ""
if command -v cmake >/dev/null; then
    run alone cmake -S "$build" -B "$work/cm ake" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" \
        -DBUILD_SHARED_LIBS=ON -DCMAKE_MAKE_PROGRAM="$work/tools/make" -DCMAKE_C_COMPILER="$work/tools/gcc"
    is "cmake" "$status:$err" "0:"
    run alone cmake --build "$work/cm ake" -j4
    is "cmake --build" "$status:$err" "0:"
else
    skip "cmake is not installed"
fi

# ---- what make makes again, and what not
made() { make -C "$build" CFLAGS=-O0 V= "$@" 2>&1 | sed -n 's/^  [A-Z]* *//p' | sort | tr '\n' ' '; }
made >/dev/null
is "nothing to be done" "$(made)" ""
touch "$build/plus_one.h"
is "after a header what includes it" "$(made)" "libplus_one.a libplus_one.so plus_one.c plus_one_models.c "
sleep 0.01 && rm "$build/obj/plus_one.d" && touch "$build/opgen_npy.h"
like "after another header" "$(made)" "*opgen_npy.c *"
mv "$build/opgen_math.h" "$build/opgen_new.h"
run make -C "$build" -n
check "a header that is gone is no riddle for make" test "$status" = 0
mv "$build/opgen_new.h" "$build/opgen_math.h"
made >/dev/null

# a compiler that is killed in the middle of its object
cat >halves <<'E'
#!/bin/sh
for last; do :; done
for word; do [ "$before" = -o ] && echo half >"$word"; before=$word; done
kill -9 $PPID $$
E
chmod +x halves
touch -d '+1 second' "$build/plus_one.c"
{ run make -C "$build" CC="$work/halves" CFLAGS=-O0; } 2>killed
check "the build was killed" test "$status" != 0
check "the object is the old one" test "$(head -c 4 "$build/obj/plus_one.o" | tail -c 3)" = ELF
touch -d '-1 hour' "$build/plus_one.c"
like "the next build makes it again" "$(made)" "*libplus_one.so *plus_one.c *"
run "$OPGEN" run "$build/libplus_one.so" --dim n=3
is "the library can be loaded" "$status:$err" "0:"

# make -n writes nothing, -B and -j many build all, clean leaves the sources
cp -R gen/plus_one fresh && before=$(ls -A fresh)
run make -C fresh -n
is "make -n in a new folder" "$status:$err:$(ls -A fresh)" "0::$before"
run make -s -C fresh -B -j16 CFLAGS=-O0
is "make -B -j16" "$status:$err" "0:"
run make -s -C fresh clean
is "make clean" "$status:$err:$(ls -A fresh)" "0::$before"
mkdir 'my dir' my dir && touch my/own dir/own
run make -s -C fresh clean BUILD="$work/my dir"
like "a BUILD that make cannot take" "$status:$err" "2:*BUILD is one path without blanks, not '*/my dir'.  Stop."$'\n'
is "and nothing of anybody's is removed" "$(ls my dir)" $'dir:\nown\n\nmy:\nown'

finish
