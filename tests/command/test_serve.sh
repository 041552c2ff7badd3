#!/bin/bash
# A library as it is shipped: installed by make and by CMake, found by pkg-config and by find_package, linked shared and static from C and
# C++, opened, served from by eight threads while weights are swapped; and nothing of it leaks or reads what it should not.
. tests/check.sh
cp -R examples tests/bench/overhead_bench.c "$work/"
cd "$work" || exit 2
unset PKG_CONFIG_PATH
export CFLAGS="-O0 -DOPGEN_NO_CLONES" CXXFLAGS=-O0
serve=examples/serve prefix=$PWD/out/prefix
case $OPGEN in /*) ;; *) OPGEN=$OLDPWD/$OPGEN ;; esac

run make -s -C $serve OPGEN="$OPGEN" OUT="$PWD/out" CFLAGS="$CFLAGS -Werror" CXXFLAGS="$CXXFLAGS -Werror"
expect 0
like "C, linked" "$out" *'direct: class 9 with 0.1523'$'\n''direct: refused: mlp: input "x": wanted f32 (batch, 64), got f32 (1, 63)'*
like "C++, linked" "$out" *'raii: class 9 with 0.1523'$'\n''raii: refused: /nowhere.safetensors: cannot be opened'*
like "opened" "$out" *'open: input x: f32 (batch, 64)'$'\n''open: output y has 40 bytes, the first value is 0.'*
like "eight threads" "$out" *'threads: '[1-9]*' answers of one set, '[1-9]*' of the other, 0 of none; '[1-9]*' swaps'*
run make -s -C $serve OPGEN=/nowhere OUT="$PWD/out"
is "made once" "$status" 0

# ---- what pkg-config says is enough, shared and static
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
is "a version" "$(pkg-config --modversion mlp)" "$("$OPGEN" --version | sed 's/.* //')"
# shellcheck disable=SC2046
run "${CC:-cc}" -O1 $(pkg-config --cflags mlp) $serve/direct.c $(pkg-config --libs mlp) -o direct
expect 0 ""
run env LD_LIBRARY_PATH="$prefix/lib" ./direct
like "shared" "$status:$out" '0:direct: class 9*'
mkdir alone && cp "$prefix/lib/libmlp.a" "$prefix/lib/mlp.safetensors" alone/
# shellcheck disable=SC2046
run "${CC:-cc}" -O1 $(pkg-config --cflags mlp) $serve/direct.c -Lalone $(pkg-config --static --libs mlp | sed "s,-L$prefix/lib,,") -o alone/direct
expect 0 ""
run alone/direct
like "static, weights beside the program" "$status:$out" '0:direct: class 9*'

# ---- what runs, swaps and failures leave behind: nothing
# shellcheck disable=SC2046
run "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror $(pkg-config --cflags mlp) overhead_bench.c $(pkg-config --libs mlp) -lpthread -o bench
expect 0 ""
run env LD_LIBRARY_PATH="$prefix/lib" ./bench month "$prefix/lib/libmlp.so" "$prefix/lib/mlp.safetensors" 20000 500
like "memory and descriptors" "$status:$out$err" '0:20000 runs, 500 swaps: *'

# ---- installed below DESTDIR, and taken away again
run make -s -C out/gen/mlp install DESTDIR="$PWD/stage" PREFIX=/opt/models LIBDIR=/opt/models/lib64
expect 0
check "where DESTDIR says" test -e stage/opt/models/lib64/libmlp.so -a -e stage/opt/models/include/mlp/mlp.h
check "but it says where it will be" grep -qx 'libdir=/opt/models/lib64' stage/opt/models/lib64/pkgconfig/mlp.pc
run make -s -C out/gen/mlp uninstall DESTDIR="$PWD/stage" PREFIX=/opt/models LIBDIR=/opt/models/lib64
expect 0
is "nothing is left" "$(find stage -type f)" ""

# ---- CMake: what make installed, what CMake installed, and moved elsewhere
if command -v cmake >/dev/null; then
    run make -s -C $serve cmake OPGEN="$OPGEN" OUT="$PWD/out"
    expect 0
    like "find_package" "$out" *'direct: class 9'*'raii: class 9'*'threads: '*' 0 of none;'*
    run cmake -S out/gen/mlp -B built -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_PREFIX="$PWD/installed" --log-level=WARNING
    expect 0
    run cmake --build built -j2
    expect 0
    run cmake --install built
    expect 0
    mv installed moved
    run cmake -S $serve -B consumer -DCMAKE_PREFIX_PATH="$PWD/moved" --log-level=WARNING
    expect 0
    run cmake --build consumer --target direct
    expect 0
    cp moved/lib*/mlp.safetensors consumer/
    run consumer/direct
    like "static, installed by CMake, and moved" "$status:$out" '0:direct: class 9*'
    rm -rf moved/lib*/libmlp.* consumer
    run cmake -S $serve -B consumer -DCMAKE_PREFIX_PATH="$PWD/moved"
    like "a library that is not there is said" "$status:$err" '1:*neither libmlp.so nor libmlp.a is in*'
else
    skip "cmake is not installed"
fi

# ---- memory
if command -v valgrind >/dev/null; then
    checked() { # PROGRAM ARGUMENTS: nothing is wrong and nothing is lost
        run valgrind -q --error-exitcode=9 --leak-check=full --fair-sched=yes "$@"
        is "valgrind: $1" "$status:$err" "0:"
    }
    checked out/direct
    checked out/raii
    checked out/open "$prefix/lib/libmlp.so"
    checked out/threads "$prefix/lib/mlp.safetensors" 0.5
else
    skip "there is no valgrind"
fi
finish
