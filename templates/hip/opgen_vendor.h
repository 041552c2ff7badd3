/* opgen_vendor.h: what AMD's GPUs do in an instruction of their own, under the names that opgen_gpu.h builds on. */
#ifndef OPGEN_VENDOR_H
#define OPGEN_VENDOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef OPGEN_HOST
#include <hip/hip_runtime_api.h>
#else

#include <hip/hip_runtime.h>

#include <hip/hip_fp16.h>

#define OPGEN_KERNEL static __device__ __forceinline__

/* Where code for the device alone is made, in which tables of host functions have no place. */
#ifdef __HIP_DEVICE_COMPILE__
#define OPGEN_DEVICE_PASS
#endif

OPGEN_KERNEL float opgen_f32_of_f16(uint16_t h) { return __half2float(__ushort_as_half(h)); }

OPGEN_KERNEL uint16_t opgen_f16_of_f32(float f) { return __half_as_ushort(__float2half_rn(f)); }

OPGEN_KERNEL float opgen_f32_of_bf16(uint16_t h) { return __uint_as_float((uint32_t)h << 16); }

/* To nearest, halves to even: there is an instruction from gfx950 on alone. */
OPGEN_KERNEL uint16_t opgen_bf16_of_f32(float f) {
    const uint32_t bits = __float_as_uint(f);
    return (uint16_t)(f != f ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* Of all lanes of a group of `width` (a power of two, at most a wavefront), each of which calls it. */
OPGEN_KERNEL uint32_t opgen_word_xor(uint32_t word, int lanes, int width) {
    return (uint32_t)__shfl_xor((int)word, lanes, width);
}
OPGEN_KERNEL uint32_t opgen_word_up(uint32_t word, int by, int width) {
    return (uint32_t)__shfl_up((int)word, (unsigned)by, width);
}

#endif
#endif
