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

#ifdef OPGEN_HOST
#include <cuda_runtime_api.h>
#else

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

/* Two by one instruction. */
#if __CUDA_ARCH__ >= 800
#define OPGEN_HAS_PAIRS
OPGEN_KERNEL uint32_t opgen_f16_pair(float a, float b) {
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(b), "f"(a));
    return pair;
}
OPGEN_KERNEL uint32_t opgen_bf16_pair(float a, float b) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(b), "f"(a));
    return pair;
}
#endif

/* The greater and the less of two, NaN if either is, by one instruction; of zeros +0 is the greater. */
#if __CUDA_ARCH__ >= 800
#define OPGEN_HAS_EXTREMES
OPGEN_KERNEL float opgen_min_f32(float a, float b) {
    float c;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
    return c;
}
OPGEN_KERNEL float opgen_max_f32(float a, float b) {
    float c;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
    return c;
}
#endif

#define OPGEN_HAS_HALVES
OPGEN_KERNEL uint32_t opgen_low_halves(uint32_t a, uint32_t b) { return __byte_perm(a, b, 0x5410); }
OPGEN_KERNEL uint32_t opgen_high_halves(uint32_t a, uint32_t b) { return __byte_perm(a, b, 0x7632); }

#define OPGEN_HAS_NEAR
OPGEN_KERNEL float opgen_exp2_near(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
OPGEN_KERNEL float opgen_reciprocal_near(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* 16 bytes at once: what compilers make of a copy of four words is four stores. */
#define OPGEN_HAS_MOVES
template <int HOW> OPGEN_KERNEL void opgen_store16(void *to, const uint32_t (&words)[4]) {
    if constexpr (HOW == OPGEN_ONCE)
        asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]),
                     "r"(words[2]), "r"(words[3])
                     : "memory");
    else
        asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]),
                     "r"(words[3])
                     : "memory");
}

/* Asked for where it is written, even if it is used in a branch alone. KEPT: what is written meanwhile is not pushed
 * out by it in small pieces. */
template <int HOW> OPGEN_KERNEL uint4 opgen_load16(const void *from) {
    uint4 v;
#if __CUDA_ARCH__ >= 800
    if constexpr (HOW == OPGEN_KEPT) {
        uint64_t policy;
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from), "l"(policy)
                     : "memory");
        return v;
    }
#endif
    if constexpr (HOW == OPGEN_ONCE) {
        asm volatile("ld.global.cs.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from)
                     : "memory");
        return v;
    }
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from)
                 : "memory");
    return v;
}

/* ---- clusters of blocks, which read each other's shared memory: from sm_90 on. Whether there are any is asked of the
 * code that the device runs. */
#if CUDART_VERSION >= 11080
#define OPGEN_HAS_CLUSTERS
OPGEN_KERNEL void opgen_cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* Where another block of the cluster has what this one has here in shared memory. */
template <typename T> OPGEN_KERNEL const T *opgen_cluster_shared(const T *here, int block) {
#if __CUDA_ARCH__ >= 900
    const T *there;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(block));
    return there;
#else
    return here;
#endif
}

template <typename K> static inline bool opgen_can_cluster(K *kernel) {
    enum { MOST = 64, UNKNOWN = 0, NO = 1, YES = 2 };
    static char known[MOST];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device < 0 || device >= MOST) return false;
    char answer = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (answer == UNKNOWN) {
        cudaFuncAttributes about;
        answer =
            cudaFuncGetAttributes(&about, (const void *)kernel) == cudaSuccess && about.binaryVersion >= 90 ? YES : NO;
        __atomic_store_n(&known[device], answer, __ATOMIC_RELAXED);
    }
    return answer == YES;
}

template <typename... P, typename... A>
static inline int opgen_launch_cluster(void (*kernel)(P...), int64_t grid, int block, int cluster, cudaStream_t stream,
                                       A... args) {
    cudaLaunchAttribute wanted;
    wanted.id = cudaLaunchAttributeClusterDimension;
    wanted.val.clusterDim.x = (unsigned)cluster, wanted.val.clusterDim.y = 1, wanted.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)grid), config.blockDim = dim3((unsigned)block), config.stream = stream;
    config.attrs = &wanted, config.numAttrs = 1;
    return (int)cudaLaunchKernelEx(&config, kernel, (P)args...);
}
#endif

#endif
#endif
