#!/bin/bash
# test_headers: the runtime compiles with the compiler alone, silently, as C11; its headers do so as C11 and as C++17, and beside DLPack's own.
set -u
passed=0 failed=0 skipped=0
out=$TMPDIR/out.o
warnings="-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror"

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

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1"
}

folder=$TMPDIR/runtime
cp -R runtime "$folder" # as generated code has it: nothing of opgen beside it
for cc in gcc clang; do
    if ! command -v $cc >/dev/null; then
        skip "there is no $cc"
        continue
    fi
    for source in "$folder"/*.c; do
        check "$cc $(basename "$source")" $cc -std=c11 -O2 $warnings -c -o "$out" "$source"
        check "$cc -std=gnu11 -D_GNU_SOURCE $(basename "$source")" $cc -std=gnu11 -D_GNU_SOURCE -O0 $warnings -c -o "$out" "$source"
    done
done
for language in "cc:c:-std=c11" "clang:c:-std=c11" "c++:c++:-std=c++17" "clang++:c++:-std=c++17"; do
    IFS=: read -r compiler name standard <<<"$language"
    if ! command -v "$compiler" >/dev/null; then
        skip "there is no $compiler"
        continue
    fi
    for header in opgen.h opgen_model.h opgen_index.h opgen_device.h opgen_npy.h opgen_safetensors.h opgen_dlpack.h; do
        printf '#include "%s"\n#include "%s"\n' $header $header >"$TMPDIR/one.$name"
        check "$compiler $header" "$compiler" -x "$name" $standard $warnings -I"$folder" -fsyntax-only "$TMPDIR/one.$name"
    done
done

# DLPack's own header, in either order. Where it is not installed, one that has its guard and what every version of it has.
cat >"$TMPDIR/dlpack.h" <<'END'
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#include <stdint.h>
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2 } DLDataTypeCode;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides; uint64_t byte_offset;
} DLTensor;
#endif
END
real=$(echo '#include <dlpack/dlpack.h>' | ${CC:-cc} -M -x c - 2>/dev/null | tr ' ' '\n' | grep 'dlpack/dlpack.h$')
[ -n "$real" ] || skip "DLPack's own dlpack.h is not installed (libdlpack-dev)"
for dlpack in "$TMPDIR/dlpack.h" $real; do
    for name in c c++; do
        for order in before after; do
            {
                [ $order = before ] && echo "#include \"$dlpack\""
                echo '#include "opgen_device.h"'
                [ $order = after ] && echo "#include \"$dlpack\""
                cat <<'END'
#include <stddef.h>
#ifdef __cplusplus
#define IS(what) static_assert(what, #what)
#else
#define IS(what) _Static_assert(what, #what)
#endif
IS(sizeof(DLDevice) == 8);
IS(sizeof(DLDataType) == 4);
IS(sizeof(DLTensor) == 48);
IS(offsetof(DLTensor, device) == 8);
IS(offsetof(DLTensor, ndim) == 16);
IS(offsetof(DLTensor, dtype) == 20);
IS(offsetof(DLTensor, shape) == 24);
IS(offsetof(DLTensor, strides) == 32);
IS(offsetof(DLTensor, byte_offset) == 40);
int use(DLTensor *t) { return opgen_run(NULL, t, 1, t, 1, NULL) + (int)kDLCUDA; }
END
            } >"$TMPDIR/both.$name"
            if [ $name = c ]; then compiler="${CC:-cc} -std=c11"; else compiler="c++ -std=c++17"; fi
            command -v c++ >/dev/null || [ $name = c ] || continue
            check "$name, $(basename "$(dirname "$dlpack")")/dlpack.h $order opgen.h" $compiler -x $name -Wall -Wextra -Werror -I"$folder" -fsyntax-only "$TMPDIR/both.$name"
        done
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
