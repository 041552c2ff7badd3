#!/bin/sh
# gemm_bench.sh: the generated matrix products beside OpenBLAS's, in f32.
#
#     tests/bench/gemm_bench.sh [THREADS]      up to so many threads, 2 if left out
#
# Needs OpenBLAS with its headers (Debian: libopenblas-dev). $CC is the compiler, OPENBLAS_CORETYPE which of its
# kernels OpenBLAS takes, where it does not know the processor. $CFLAGS are added: -DOPGEN_VECTOR_BYTES=32 measures what
# a processor without AVX-512 would run.
set -eu

BUILD=${BUILD:-build}
OPGEN=${OPGEN:-$BUILD/opgen}
CC=${CC:-gcc}
work=$BUILD/bench/gemm

[ -x "$OPGEN" ] || {
    echo "gemm_bench: there is no $OPGEN; run make first" >&2
    exit 2
}
printf '#include <cblas.h>\nint main(void) { return 0; }\n' | $CC -x c - -o /dev/null -lopenblas 2>/dev/null || {
    echo "gemm_bench: $CC finds no OpenBLAS to compare with (libopenblas-dev)" >&2
    exit 2
}
threads=
if printf '#include <omp.h>\nint main(void) { return omp_get_num_threads() - 1; }\n' | $CC -fopenmp -x c - -o /dev/null 2>/dev/null; then
    threads=-fopenmp
else
    echo "gemm_bench: $CC has no OpenMP; one thread is measured" >&2
    set -- 1
fi
rm -rf "$work"
mkdir -p "$work"
for op in mm linear; do
    transposed=0 inputs='"input": "x", "mat2": "w"' shape='["k", "n"]'
    [ $op = mm ] || transposed=1 inputs='"input": "x", "weight": "w"' shape='["n", "k"]'
    cat >"$work/$op.json" <<END
{"opgen": 1, "name": "gemm_$op", "dims": {"m": {"max": 4096}, "n": {"max": 4096}, "k": {"max": 4096}},
 "inputs": {"x": {"dtype": "f32", "shape": ["m", "k"]}, "w": {"dtype": "f32", "shape": $shape}},
 "nodes": [{"op": "$op", "in": {$inputs}, "out": "y"}], "outputs": ["y"]}
END
    "$OPGEN" generate "$work/$op.json" -o "$work" >"$work/$op.log"
    file=$(ls "$work/gemm_$op/"k_*.c)
    name=${file##*/k_}
    # shellcheck disable=SC2086
    $CC -std=c11 -D_GNU_SOURCE -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -Wall -Wextra $threads ${CFLAGS:-} \
        -I"$work/gemm_$op" -DKERNEL_FILE="\"$file\"" -DKERNEL="${name%.c}" -DTRANSPOSED=$transposed \
        -I. tests/bench/gemm_bench.c -o "$work/$op" -lopenblas -lm
    "$work/$op" "$@"
done
