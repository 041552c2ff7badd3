/* opgen_vendor.h: what NVIDIA's GPUs do in an instruction of their own, under the names that opgen_gpu.h builds on.
 *
 * The conversions are the instructions that the intrinsics of cuda_fp16.h and cuda_bf16.h stand for; these headers are
 * not included, because they take a compiler longer than all else of a kernel.
 */
#ifndef OPGEN_VENDOR_H
#define OPGEN_VENDOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define OPGEN_KERNEL static __device__ __forceinline__

OPGEN_KERNEL float opgen_f32_of_f16(uint16_t h) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

OPGEN_KERNEL uint16_t opgen_f16_of_f32(float f) {
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

OPGEN_KERNEL float opgen_f32_of_bf16(uint16_t h) { return __uint_as_float((uint32_t)h << 16); }

OPGEN_KERNEL uint16_t opgen_bf16_of_f32(float f) {
#if __CUDA_ARCH__ >= 800
    uint16_t h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
#else
    const uint32_t bits = __float_as_uint(f);
    return (uint16_t)(f != f ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
#endif
}

/* Of all lanes of a group of `width` (a power of two, at most a warp), each of which calls it. */
OPGEN_KERNEL uint32_t opgen_word_xor(uint32_t word, int lanes, int width) {
    return __shfl_xor_sync(0xffffffffu, word, lanes, width);
}
OPGEN_KERNEL uint32_t opgen_word_up(uint32_t word, int by, int width) {
    return __shfl_up_sync(0xffffffffu, word, by, width);
}

/* 16 bytes at once: what compilers make of a copy of four words is four stores. */
#define OPGEN_HAS_MOVES
OPGEN_KERNEL void opgen_store16(void *to, const uint32_t (&words)[4]) {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]) : "memory");
}

/* The same that is to stay in the second cache: what is written meanwhile is not pushed out by it in small pieces. */
OPGEN_KERNEL uint4 opgen_load16_kept(const void *from) {
    uint4 v;
#if __CUDA_ARCH__ >= 800
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from), "l"(policy)
                 : "memory");
#else
    v = *(const uint4 *)from;
#endif
    return v;
}

#endif
