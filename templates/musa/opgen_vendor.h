/* opgen_vendor.h: what Moore Threads' GPUs do in an instruction of their own, under the names that opgen_gpu.h builds
 * on. */
#ifndef OPGEN_VENDOR_H
#define OPGEN_VENDOR_H

#include <math.h>
#include <musa_fp16.h>
#include <musa_runtime.h>
#include <stdint.h>
#include <string.h>

#define OPGEN_KERNEL static __device__ __forceinline__

OPGEN_KERNEL float opgen_f32_of_f16(uint16_t h) { return __half2float(__ushort_as_half(h)); }

OPGEN_KERNEL uint16_t opgen_f16_of_f32(float f) { return __half_as_ushort(__float2half_rn(f)); }

OPGEN_KERNEL float opgen_f32_of_bf16(uint16_t h) { return __uint_as_float((uint32_t)h << 16); }

/* To nearest, halves to even. */
OPGEN_KERNEL uint16_t opgen_bf16_of_f32(float f) {
    const uint32_t bits = __float_as_uint(f);
    return (uint16_t)(f != f ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* Of all lanes of a group of `width` (a power of two, at most a warp), each of which calls it. */
OPGEN_KERNEL uint32_t opgen_word_xor(uint32_t word, int lanes, int width) {
    return __shfl_xor_sync(0xffffffffu, word, lanes, width);
}
OPGEN_KERNEL uint32_t opgen_word_up(uint32_t word, int by, int width) {
    return __shfl_up_sync(0xffffffffu, word, by, width);
}

#endif
