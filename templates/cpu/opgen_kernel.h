/* opgen_kernel.h: what kernels are written with beyond C: versions of a function for several processors, loops that are
 * told to be independent, threads, and stores that pass the cache by. C11 and C++17; where a compiler has none of
 * these, everything here is plain C that does the same.
 */
#ifndef OPGEN_KERNEL_H
#define OPGEN_KERNEL_H

/* What a loop copies it copies: gcc makes a memcpy of it otherwise, and of that, for as much as some vectors hold, stores
 * of 16 bytes; a processor waits where it reads by 32 what two of them wrote. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#include "opgen_math.h"

#include <stddef.h>

/* ---- OPGEN_CLONES, in front of a function: compiled once for each of several processors; the one that runs is chosen
 * when the program is loaded. What it calls has to be inlined into it: the functions of these headers are. The body of
 * a parallel loop is not: there it has to be a function of its own. Nothing where the whole file is compiled for such a
 * processor (-march=native), where OPGEN_NO_CLONES is defined, and where linker or C library can not choose. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__AVX2__) && !defined(OPGEN_NO_CLONES) &&                    \
    !defined(OPGEN_FREESTANDING)
#if defined(__clang__)
/* It compares an arch= with the wrong thing; of features, it takes one for each version. */
#if __clang_major__ >= 14
#define OPGEN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
/* Of sums of conditions clang 14 makes what AVX-512 has no instruction for, and stops. */
#define OPGEN_CLONES_FOR_TRUTHS __attribute__((target_clones("avx2", "default")))
#endif
#elif defined(__GNUC__) && __GNUC__ >= 12
#define OPGEN_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif defined(__GNUC__) && __GNUC__ >= 6
#define OPGEN_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef OPGEN_CLONES
#define OPGEN_CLONES
#endif
#ifndef OPGEN_CLONES_FOR_TRUTHS
#define OPGEN_CLONES_FOR_TRUTHS OPGEN_CLONES
#endif

/* ---- OPGEN_LEVELS: where clones would do, but what is called differs from processor to processor: functions in front
 * of which stand OPGEN_V4 and OPGEN_V3 may use intrinsics of x86-64-v4 and v3, and opgen_level() says at run time which
 * of them can be called: 4, 3 or 0. Where a file is compiled for one kind of processor, OPGEN_LEVEL is what it has. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(OPGEN_FREESTANDING)
#define OPGEN_X86
#define OPGEN_V4 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,lzcnt")))
#define OPGEN_V3 __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt")))
/* Of functions that are made of others: these, which are to be parts of them but where nothing is optimised. */
#if defined(__OPTIMIZE__)
#define OPGEN_V4_PART OPGEN_V4 OPGEN_INLINE
#define OPGEN_V3_PART OPGEN_V3 OPGEN_INLINE
/* Of functions of which all that they call is to be a part, however often they call it. */
#define OPGEN_WHOLE __attribute__((flatten))
#else
#define OPGEN_V4_PART OPGEN_V4 static inline
#define OPGEN_V3_PART OPGEN_V3 static inline
#define OPGEN_WHOLE
#endif
#if !defined(__AVX2__) && !defined(OPGEN_NO_CLONES)
#define OPGEN_LEVELS
static inline int opgen_level(void) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? 4
               : 3;
}
#endif
#endif
#if defined(OPGEN_X86) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define OPGEN_LEVEL 4
#elif defined(OPGEN_X86) && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define OPGEN_LEVEL 3
#else
#define OPGEN_LEVEL 0
#endif

/* x / n, where n is a number of elements that is the same in all turns of a loop: x times 1 / n, put right by what is
 * left of x then. The same as a division, but of some numbers below 1e-30; sooner where that is all that a loop does. */
OPGEN_INLINE float opgen_over(float x, float n, int level) {
#if defined(OPGEN_X86)
    if (level >= 3) {
        const float part = 1 / n, y = x * part;
        return opgen_isfinite_f32(y) ? fmaf(fmaf(-y, n, x), part, y) : y;
    }
#endif
    (void)level;
    return x / n;
}

/* ---- OPGEN_SIMD, in front of a loop: no turn reads what another writes, even where input and output are the same
 * memory. OPGEN_PARALLEL(threads), in front of a loop whose turns are independent: so many threads share them. */
#define OPGEN_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define OPGEN_SIMD _Pragma("clang loop vectorize(assume_safety)")
/* Of requests to memory, more at once than a processor takes are slower; OPGEN_UNROLLED: of up to eight turns all, so that what each of
 * them has stays in registers. */
#define OPGEN_ROLLED _Pragma("clang loop unroll(disable)")
#define OPGEN_UNROLLED _Pragma("clang loop unroll(full)")
/* A loop that is not vectorised all the same is no mistake. */
_Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#elif defined(__GNUC__)
#define OPGEN_SIMD _Pragma("GCC ivdep")
#define OPGEN_ROLLED _Pragma("GCC unroll 1")
#define OPGEN_UNROLLED _Pragma("GCC unroll 8")
/* A loop of 16 turns or fewer is 16 times its body before gcc looks for vectors, and of what is of several widths it
 * then finds none. */
#define OPGEN_SHORT _Pragma("GCC unroll 1")
#else
#define OPGEN_SIMD
#define OPGEN_ROLLED
#define OPGEN_UNROLLED
#endif
#ifndef OPGEN_SHORT
#define OPGEN_SHORT
#endif
#if defined(_OPENMP) && !defined(OPGEN_FREESTANDING)
#define OPGEN_PARALLEL(threads) OPGEN_PRAGMA(omp parallel for schedule(static) num_threads((int)(threads)))
#else
#define OPGEN_PARALLEL(threads)
#endif

#if defined(OPGEN_X86)
/* Computed where this stands, in a register: not only where it is needed after a branch, nor as a part of what follows. */
#define OPGEN_COMPUTED(v) __asm__("" : "+v"(v))
#endif

/* Vectors of as many as are under way, one after the other and two at a time. */
#if defined(__clang__)
#define OPGEN_ALL_OF(most) _Pragma("clang loop unroll(full)") for (int i = 0; i < (most); i++)
#define OPGEN_TWO_OF(most) _Pragma("clang loop unroll(full)") for (int k = 0; k < (most); k += 2)
#elif defined(__GNUC__)
#define OPGEN_ALL_OF(most) _Pragma("GCC unroll 4") for (int i = 0; i < (most); i++)
#define OPGEN_TWO_OF(most) _Pragma("GCC unroll 2") for (int k = 0; k < (most); k += 2)
#endif

/* Compilers that see through it keep a place for each of several that follow each other, where one is enough. */
#if defined(__GNUC__)
#define OPGEN_ONE_PLACE(place) __asm__("" : "+r"(place))
#else
#define OPGEN_ONE_PLACE(place) (void)(place)
#endif

/* Of a variable compilers do not know the value from here on. */
#if defined(__GNUC__)
#define OPGEN_UNKNOWN(v) __asm__("" : "+m"(v))
#else
#define OPGEN_UNKNOWN(v) (void)(v)
#endif

/* A 0 that compilers do not know: of an array filled with what they do they make a string instruction, which takes 30
 * cycles before it begins. */
OPGEN_INLINE int64_t opgen_zero(void) {
    int64_t zero = 0;
#if defined(OPGEN_X86)
    __asm__("" : "+r"(zero));
#endif
    return zero;
}

/* In front of an array: it begins where a line of the cache does, so that no vector is in two of them. */
#if defined(__GNUC__)
#define OPGEN_IN_LINE __attribute__((aligned(64)))
#else
#define OPGEN_IN_LINE
#endif

/* The same for pages: what is written by vectors that begin anywhere. One that is in two pages takes a processor as long as
 * some hundred others. */
#if defined(__GNUC__) && !defined(OPGEN_FREESTANDING)
#define OPGEN_IN_PAGE __attribute__((aligned(4096)))
#else
#define OPGEN_IN_PAGE OPGEN_IN_LINE
#endif

/* ---- Large outputs. A store to memory that is not in the cache reads it first, which is a third of all traffic of a
 * copy, and drives out what others need. So a kernel computes a block into an array of its own, which stays in the
 * cache, and stores that past it. What will be read is asked for a page ahead. Intel's processors fetch ahead within a
 * page, and look up one page at a time: there blocks of OPGEN_BLOCK_BYTES of OPGEN_STREAMS pages take turns, so that
 * much is under way at any time, and what will be read when the next pages have their turn is asked for ahead. Lines at
 * one place of all those pages share the 8 or 12 ways of a set of the first cache, of two inputs as well. AMD's are
 * slower so: they have blocks one after the other, of OPGEN_LONG_BLOCK times as many bytes where an element has four or
 * more. */
#define OPGEN_BLOCK_BYTES 256
#define OPGEN_STREAMS 4
#define OPGEN_PAGE_BLOCKS (4096 / OPGEN_BLOCK_BYTES)
/* Blocks in which all these pages have their turns. */
#define OPGEN_TURNS (OPGEN_STREAMS * OPGEN_PAGE_BLOCKS)
/* OPGEN_FAR_OR_NEAR: columns folded side by side, where they are of what no cache holds and where they are not. */
#if defined(OPGEN_FREESTANDING)
#define OPGEN_LONG_BLOCK 1 /* the stack is small, and nothing goes past a cache */
#define OPGEN_FAR_OR_NEAR(far, near) (near)
#else
#define OPGEN_LONG_BLOCK 2
#define OPGEN_FAR_OR_NEAR(far, near) (far)
#endif

    /* Where what will be read is asked into: the second cache; the nearest, by pages that take turns; the nearest on
     * the way through, as what is read once alone; the nearest, one row after the other. */
    enum {
        OPGEN_SECOND,
        OPGEN_NEAREST,
        OPGEN_PASSING,
        OPGEN_IN_ORDER
    };

/* Which of these is this processor's: where pages take turns, which is Intel's way, it is the nearest; of lines for the
 * nearest AMD's processors wait for so few at once that half of what the memory gives is lost, but those without
 * AVX-512 (Zen 3) are as fast with what passes, and have it sooner, and Zen 5, known by vp2intersect, has more under
 * way for the nearest than for the second. OPGEN_TAKE_TURNS, one of the four, says it instead. */
OPGEN_INLINE int opgen_asks_into(void) {
#if defined(OPGEN_TAKE_TURNS)
    return OPGEN_TAKE_TURNS;
#elif defined(OPGEN_X86)
    return __builtin_cpu_is("intel")                      ? OPGEN_NEAREST
           : __builtin_cpu_supports("avx512vp2intersect") ? OPGEN_IN_ORDER
           : __builtin_cpu_supports("avx512f")            ? OPGEN_SECOND
                                                          : OPGEN_PASSING;
#else
    return OPGEN_SECOND;
#endif
}

/* The same of maps of one input, which write beside what they read, and of long rows of 16 bits: there AMD's with AVX-512, too, have what
 * passes sooner (Zen 4: exponentials of floats are 1.2 times as fast). */
OPGEN_INLINE int opgen_asks_in_passing(void) {
    const int into = opgen_asks_into();
#if defined(OPGEN_X86) && !defined(OPGEN_TAKE_TURNS)
    if (into == OPGEN_SECOND) return OPGEN_PASSING;
#endif
    return into;
}

/* Of rows of so many bytes: some that are short, beside each other, no processor sees ahead. */
OPGEN_INLINE int opgen_asks_for_rows(int64_t bytes) {
    const int into = opgen_asks_into();
    return into == OPGEN_PASSING && bytes > 256 && bytes <= 2048 ? OPGEN_SECOND : into;
}

/* Whether pages take turns on this processor. */
OPGEN_INLINE bool opgen_takes_turns(void) { return opgen_asks_into() == OPGEN_NEAREST; }

/* Whether it wants rows in order; `second`: of what is so little to compute, or so short, that one does which asks into
 * the second cache. */
OPGEN_INLINE bool opgen_wants_order(bool second) {
    const int into = opgen_asks_into();
    return into == OPGEN_IN_ORDER || (second && into == OPGEN_SECOND);
}

/* From how many bytes on, read and written together, that pays: about a last-level cache. */
#if defined(OPGEN_FREESTANDING)
#undef OPGEN_STREAM_BYTES
#define OPGEN_STREAM_BYTES INT64_MAX
#elif !defined(OPGEN_STREAM_BYTES)
#define OPGEN_STREAM_BYTES ((int64_t)32 << 20)
#endif

#if defined(__SSE2__) && !defined(OPGEN_FREESTANDING)
#define OPGEN_SSE2
#include <emmintrin.h>
#endif

/* Asks for the line of memory at this address, which may lie beyond the end of what there is. */
#if defined(__GNUC__) && !defined(OPGEN_FREESTANDING)
#define OPGEN_PREFETCH(pointer) __builtin_prefetch((const void *)(pointer), 0, 3)
#define OPGEN_PREFETCH_SECOND(pointer) __builtin_prefetch((const void *)(pointer), 0, 2)
#define OPGEN_PREFETCH_PASSING(pointer) __builtin_prefetch((const void *)(pointer), 0, 0)
#else
#define OPGEN_PREFETCH(pointer) ((void)(pointer))
#define OPGEN_PREFETCH_SECOND(pointer) ((void)(pointer))
#define OPGEN_PREFETCH_PASSING(pointer) ((void)(pointer))
#endif

OPGEN_INLINE void opgen_ask(const void *pointer, int into) {
    if (into == OPGEN_NEAREST || into == OPGEN_IN_ORDER)
        OPGEN_PREFETCH(pointer);
    else if (into == OPGEN_SECOND)
        OPGEN_PREFETCH_SECOND(pointer);
    else
        OPGEN_PREFETCH_PASSING(pointer);
}

/* The same for all lines of a block that is so many bytes further on. */
OPGEN_INLINE void opgen_ahead(const void *from, int64_t further, int64_t bytes, int into) {
    const uintptr_t at = (uintptr_t)from + (uintptr_t)further;
    OPGEN_ROLLED
    for (uintptr_t i = 0; i < (uintptr_t)bytes; i += 64)
        opgen_ask((const void *)(at + i), into);
}

/* Reads from each line of a block that is there, in their order, which a processor that sees ahead what is read so sees then, whatever the order of
 * what is read of it for good. */
OPGEN_INLINE void opgen_touch(const void *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += 64)
        (void)((const volatile char *)from)[i];
}

/* A block that is read in some order, of many that follow each other: where a processor asks into the second cache it sees the next ones ahead once each
 * line of this one is read, elsewhere they are asked for. */
OPGEN_INLINE void opgen_in_sight(const void *from, int64_t further, int64_t bytes, int into) {
    if (into == OPGEN_SECOND)
        opgen_touch(from, bytes);
    else
        opgen_ahead(from, further, bytes, OPGEN_SECOND);
}

/* opgen_ahead of a constant number of lines up to 16, one request after the other with nothing between them: what is computed of many streams at
 * once leaves a processor little room to look ahead in. */
#define OPGEN_ASK_LINES(ask)                                                                                           \
    do {                                                                                                               \
        uintptr_t at = (uintptr_t)from + (uintptr_t)further;                                                           \
        OPGEN_ONE_PLACE(at);                                                                                           \
        OPGEN_UNROLLED for (uintptr_t i = 0; i < some; i++) ask(at + 64 * i);                                          \
        OPGEN_UNROLLED for (uintptr_t i = 8; i < all; i++) ask(at + 64 * i);                                           \
    } while (0)
OPGEN_INLINE void opgen_ask_lines(const void *from, int64_t further, int lines, int into) {
    const uintptr_t all = (uintptr_t)lines, some = all < 8 ? all : 8;
    if (into == OPGEN_NEAREST || into == OPGEN_IN_ORDER)
        OPGEN_ASK_LINES(OPGEN_PREFETCH);
    else if (into == OPGEN_SECOND)
        OPGEN_ASK_LINES(OPGEN_PREFETCH_SECOND);
    else
        OPGEN_ASK_LINES(OPGEN_PREFETCH_PASSING);
}
#undef OPGEN_ASK_LINES

/* A line that is so many bytes further on, where that is not 0. */
OPGEN_INLINE void opgen_ask_for(const void *from, int64_t ahead) {
    if (ahead != 0) OPGEN_PREFETCH((uintptr_t)from + (uintptr_t)ahead);
}

/* How many rows apart those are that are folded at once into sums of columns; a row has so many bytes, an element of it `bytes`. Within a page a
 * processor sees little ahead, and in pages beside each other less than in such as are apart. One that asks into the second cache wants them
 * further apart, and rows that are wider as well, where nothing else sees these ahead: not those of which there are several sums, nor such as are
 * converted, which are asked for. Of elements of less than four bytes lines of each row are asked for instead: of what is converted or of which
 * there are several sums wherever anything is asked for, of others where a processor wants rows in order. */
enum { OPGEN_ALONE, OPGEN_ASKED, OPGEN_SEVERAL, OPGEN_CONVERTED };
OPGEN_INLINE int64_t opgen_rows_apart(int64_t row, int64_t bytes, int of) {
    const int into = opgen_asks_into();
    const bool one = of == OPGEN_ALONE || of == OPGEN_ASKED, second = one && into == OPGEN_SECOND;
    if (bytes < 4 && into != OPGEN_PASSING && (!one || into == OPGEN_IN_ORDER)) return 1;
    const int64_t widest = !second ? 2048 : of == OPGEN_ASKED ? 4096 : 32768;
    return row > 0 && row <= widest ? (second ? 65536 : 16384) / row : 1;
}

/* How far ahead of some rows that are folded at once, of so many bytes together, others are asked for: where a processor
 * sees ahead itself, the next ones. */
OPGEN_INLINE int64_t opgen_rows_ahead(int64_t bytes, int into) {
    return into != OPGEN_PASSING && bytes < 8192 ? 8192 : bytes;
}

/* The same of a slab, some columns of which are read from its first row to its last: the same ones of the next, or of few
 * rows, which may be wide, those behind them where the cache would not hold the others until then. The second one does up to 256 KB; of four rows
 * and fewer, which a processor sees ahead as well, what is behind them comes sooner there, too. */
#define OPGEN_FEW_ROWS 8
#define OPGEN_FEW_ROWS_SECOND 16
OPGEN_INLINE int64_t opgen_slab_ahead(int64_t rows, int64_t bytes) {
    const bool second = opgen_asks_into() == OPGEN_SECOND;
    const int64_t most = second ? OPGEN_FEW_ROWS_SECOND : OPGEN_FEW_ROWS;
    if (rows <= most && bytes > (second && rows > 4 ? 262144 : 49152)) return 1024;
    return bytes > 0 ? (4096 + bytes - 1) / bytes * bytes : 0;
}

/* Which rows of a slab are few, so that some of its columns are read from the first to the last, however wide they are: where what is asked for
 * stands in the second cache until then, more of them, of all kinds; elsewhere so many. */
OPGEN_INLINE int64_t opgen_few_rows(int64_t elsewhere) {
    return opgen_asks_into() == OPGEN_SECOND ? OPGEN_FEW_ROWS_SECOND : elsewhere;
}

/* How many bytes slabs may have whose rows of 64 columns and more, of elements of so many bytes, are read so: what the first
 * cache holds where that was found to be sooner. 0: of bytes that become something wider, which never are. */
OPGEN_INLINE int64_t opgen_upright_bytes(int size) {
    const int into = opgen_asks_into();
    const bool asks = into == OPGEN_SECOND || into == OPGEN_NEAREST;
    const bool sooner = size == 2 ? into != OPGEN_IN_ORDER : size > 2 ? into == OPGEN_NEAREST : size == 1 && asks;
    return sooner ? 32768 : 4096;
}

/* The same where places are found, of slabs of so many rows and columns. */
OPGEN_INLINE int64_t opgen_upright_places(int64_t rows, int64_t columns) {
    const int into = opgen_asks_into();
    if (into != OPGEN_SECOND && into != OPGEN_NEAREST) return columns >= 64 ? 16384 : 4096;
    return columns >= 64 || rows <= 256 ? 32768 : 4096;
}

/* Of 16 bits also slabs of wider rows, up to 32 of them and up to so many bytes, where what comes is asked for into the first cache or the second. */
OPGEN_INLINE bool opgen_wide_upright(int64_t rows, int64_t bytes, int64_t most) {
    const int into = opgen_asks_into();
    return (into == OPGEN_SECOND || into == OPGEN_NEAREST) && rows <= 32 && bytes <= most;
}

/* Lines of a few, between what is computed: many lines at once wait for each other, and what is computed then waits
 * for them. */
OPGEN_INLINE void opgen_ahead_passing(const void *from, int64_t further, int64_t bytes) {
    const uintptr_t at = (uintptr_t)from + (uintptr_t)further;
    for (uintptr_t i = 0; i < (uintptr_t)bytes; i += 64)
        OPGEN_PREFETCH_PASSING(at + i);
}

/* The blocks of what is written from place `done` to place `to`, each of `most` places or fewer. */
typedef struct OpgenBlocks {
    int64_t done, to;
    int64_t turn;     /* of OPGEN_TURNS blocks behind `done`, so many are done as well */
    int64_t at, size; /* the block whose turn it is */
} OpgenBlocks;

/* The next one of y, which has `bytes` for a place; false: there is none. It ends where a line of the cache does, if it
 * can be as long as one. */
OPGEN_INLINE bool opgen_next_block(OpgenBlocks *b, const void *y, int64_t bytes, int64_t most, bool turns) {
    if (b->done >= b->to) return false;
    const int64_t over = (int64_t)(((uintptr_t)y + (uintptr_t)(b->done * bytes)) % 64) / bytes;
    if (turns && over == 0 && b->to - b->done >= OPGEN_TURNS * most) {
        b->at = b->done + (b->turn % OPGEN_STREAMS * OPGEN_PAGE_BLOCKS + b->turn / OPGEN_STREAMS) * most;
        b->size = most;
        if (++b->turn == OPGEN_TURNS) b->done += OPGEN_TURNS * most, b->turn = 0;
    } else {
        b->at = b->done;
        b->size = opgen_min(over < most ? most - over : most, b->to - b->done);
        b->done += b->size;
    }
    return true;
}

/* ---- Reductions of which comes a good part of what they read. How many results wait to be stored past the cache; how
 * many a piece of a long row has, at least; and how many bytes a slab has that is folded row by row, though its rows
 * fill no vector. */
#if defined(OPGEN_FREESTANDING)
#define OPGEN_HELD 32
#define OPGEN_PIECE 64
#define OPGEN_NARROW 512
#else
#define OPGEN_HELD 1024
#define OPGEN_PIECE 512
#define OPGEN_NARROW 4096
#endif

/* How many columns slabs have, at most, that are folded by blocks of rows; and where that is as fast of more, or of far ones faster. */
#define OPGEN_BLOCK_COLUMNS 64
#define OPGEN_WIDE_BLOCK_COLUMNS OPGEN_FAR_OR_NEAR(256, 64)

/* ---- Rows of few columns, which follow each other in memory, are folded several as one. What fills no vector is done one
 * by one, so of what stands behind such a row there is as much as fills one, and no more rows than for which that is there:
 * opgen_lanes of `width` elements, a multiple of `full`; opgen_steps of `size` elements, rows of `width`.
 *
 * opgen_together: how many of them, whose elements have so many `bytes`, as one: a power of two, for which the least is to
 * be done, in quarters of a cycle or so. 256 bytes are enough for vectors, and the more there are the less in order memory
 * is read; `tile` elements, or 0, stay in registers. What the rows were folded into is folded again, for `ending` an
 * element. Where a processor wants rows in order (`second`: opgen_wants_order), and there are `wide` bytes of them: so
 * many that they are whole lines, 1 KB of them and at most OPGEN_WIDE_ROW or OPGEN_WIDE_SECOND, for then each is read from its begin to its
 * end before the next one. */
#define OPGEN_WIDE_ROW 4096
/* The same where one asks into the second cache. */
#define OPGEN_WIDE_SECOND 2048
/* The same where each row is folded into one that is as long, which the first cache has room for. */
#define OPGEN_LONG_ROW 36864
OPGEN_INLINE int64_t opgen_lanes(int64_t width, int64_t full) { return (width + full - 1) / full * full; }
OPGEN_INLINE int64_t opgen_steps(int64_t size, int64_t width, int64_t lanes) {
    return size < lanes ? 0 : (size - lanes) / width + 1;
}
OPGEN_INLINE int64_t opgen_row_cost(int64_t lanes, int64_t bytes, int64_t tile) {
    const int64_t left = tile > 0 ? lanes % tile : lanes, cost = 40 + (2 * (lanes - left) + 3 * left) * bytes / 8;
    return lanes * bytes > 256 ? cost * 5 / 4 : cost;
}
OPGEN_INLINE int64_t opgen_together(int64_t rows, int64_t columns, int64_t bytes, int64_t full, int64_t tile, int64_t ending,
                                    int64_t wide, bool second) {
    int64_t best = 1, least = INT64_MAX;
    if (rows * columns * bytes >= wide && opgen_wants_order(second)) {
        const int64_t most = opgen_wants_order(false) ? OPGEN_WIDE_ROW : OPGEN_WIDE_SECOND;
        for (int64_t row = columns * bytes; best * row < 1024 || best * row % 64 != 0; best *= 2)
            if (2 * best > rows || 2 * best * row > most) break;
        return best;
    }
    for (int64_t t = 1; t <= rows && t * columns * bytes <= 512; t *= 2) {
        const int64_t width = t * columns, lanes = opgen_lanes(width, full), steps = opgen_steps(rows * columns, width, lanes);
        const int64_t rest = rows * columns - steps * width;
        const int64_t cost = steps * opgen_row_cost(lanes, bytes, tile) + ending * lanes +
                             (rest > 0 ? 300 + (ending + 3) * rest : 0);
        if (cost < least) least = cost, best = t;
    }
    return best;
}

/* A row comes again and again: so many bytes of it, which are there, and then as many as there are from any place of it on. */
#define OPGEN_AGAIN 512 /* elements that are computed beside it, or a block */
OPGEN_INLINE void opgen_again(void *to, size_t bytes, size_t more) {
    for (size_t have = bytes, next; have < bytes + more; have += next) {
        next = have < bytes + more - have ? have : bytes + more - have;
        memcpy((char *)to + have, to, next);
    }
}

/* Lines from the cache to memory, past it: the fewer stores there are for a line, the more lines are under way. */
#if defined(OPGEN_X86)
typedef long long opgen_line_v4 __attribute__((vector_size(64)));
typedef long long opgen_line_v3 __attribute__((vector_size(32)));
#if defined(__clang__)
#define OPGEN_PAST(line, to) __builtin_nontemporal_store(line, to)
#define OPGEN_PAST_V4 OPGEN_PAST
#define OPGEN_PAST_V3 OPGEN_PAST
#else
#define OPGEN_PAST_V4(line, to) __builtin_ia32_movntdq512(to, line)
#define OPGEN_PAST_V3(line, to) __builtin_ia32_movntdq256(to, line)
#endif
__attribute__((target("avx512f"), noinline, unused)) static void opgen_lines_v4(char *to, const char *from,
                                                                                size_t bytes) {
    OPGEN_ROLLED
    for (; bytes >= 64; to += 64, from += 64, bytes -= 64) {
        opgen_line_v4 line;
        memcpy(&line, from, 64);
        OPGEN_PAST_V4(line, (opgen_line_v4 *)(void *)to);
    }
}
__attribute__((target("avx"), noinline, unused)) static void opgen_lines_v3(char *to, const char *from, size_t bytes) {
    OPGEN_ROLLED
    for (; bytes >= 32; to += 32, from += 32, bytes -= 32) {
        opgen_line_v3 line;
        memcpy(&line, from, 32);
        OPGEN_PAST_V3(line, (opgen_line_v3 *)(void *)to);
    }
}
#endif

#if defined(OPGEN_X86)
/* 32 bytes or 64, past the cache where `past`: then they belong to a place aligned to as many. */
OPGEN_V3_PART void opgen_put_v3(void *to, opgen_line_v3 line, bool past) {
    if (past)
        OPGEN_PAST_V3(line, (opgen_line_v3 *)to);
    else
        memcpy(to, &line, sizeof line);
}
OPGEN_V4 static inline void opgen_put_v4(void *to, opgen_line_v4 line, bool past) {
    if (past)
        OPGEN_PAST_V4(line, (opgen_line_v4 *)to);
    else
        memcpy(to, &line, sizeof line);
}
#endif

/* The same of 128 bytes that were just computed, and may be in registers still: whether that is this `level`'s way, of a
 * place aligned to 32, and done. What is stored now and then waits for less than a block at once. */
#if defined(OPGEN_X86)
OPGEN_V3 static inline void opgen_put_128_v3(char *to, const char *from) {
    for (int64_t i = 0; i < 128; i += 32) {
        opgen_line_v3 line;
        memcpy(&line, from + i, 32);
        OPGEN_PAST_V3(line, (opgen_line_v3 *)(void *)(to + i));
    }
}
#endif
OPGEN_INLINE bool opgen_past_128(void *to, const void *from, int level) {
    (void)to, (void)from, (void)level;
#if defined(OPGEN_X86)
    if (level == 3 && (uintptr_t)to % 32 == 0) {
        opgen_put_128_v3((char *)to, (const char *)from);
        return true;
    }
#endif
    return false;
}

/* Copies a block that is in the cache to memory that will not be read soon. Whole lines of 64 bytes go past the cache,
 * what is left at both ends does not. Any alignment. */
OPGEN_INLINE void opgen_stream(void *to, const void *from, int64_t bytes) {
    char *out = (char *)to;
    const char *in = (const char *)from;
    size_t left = (size_t)bytes;
#if defined(OPGEN_SSE2) || (defined(__clang__) && !defined(OPGEN_FREESTANDING))
    const size_t past = (uintptr_t)to % 64, gap = past == 0 ? 0 : 64 - past, head = gap < left ? gap : left;
    if (head != 0) memcpy(out, in, head);
    out += head, in += head, left -= head;
    const size_t lines = left / 64 * 64;
#if defined(OPGEN_X86)
    if (__builtin_cpu_supports("avx512f")) {
        opgen_lines_v4(out, in, lines);
    } else if (__builtin_cpu_supports("avx")) {
        opgen_lines_v3(out, in, lines);
    } else
#endif
    {
        OPGEN_ROLLED
        for (size_t i = 0; i < lines; i += 16) {
#if defined(OPGEN_SSE2)
            __m128i part;
            memcpy(&part, in + i, 16);
            _mm_stream_si128((__m128i *)(void *)(out + i), part);
#else
            uint64_t part[2];
            memcpy(part, in + i, 16);
            __builtin_nontemporal_store(part[0], (uint64_t *)(void *)(out + i));
            __builtin_nontemporal_store(part[1], (uint64_t *)(void *)(out + i + 8));
#endif
        }
    }
    out += lines, in += lines, left -= lines;
#endif
    if (left != 0) memcpy(out, in, left);
}

/* After the last block, in the thread that wrote it: from then on others see what was written. */
OPGEN_INLINE void opgen_stream_end(void) {
#if defined(OPGEN_SSE2)
    _mm_sfence();
#elif defined(__clang__) && !defined(OPGEN_FREESTANDING)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* A position within a size. What is none leaves in `fault` why the run cannot go on, and 0 is taken; of threads that
 * find something at the same time one says what. */
OPGEN_INLINE int64_t opgen_position(int64_t at, int64_t size, int64_t *fault) {
    if ((uint64_t)at < (uint64_t)size) return at;
#if defined(__GNUC__) && !defined(OPGEN_FREESTANDING)
    int64_t none = 0;
    if (!__atomic_compare_exchange_n(fault, &none, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return 0;
#else
    if (fault[0] != 0) return 0;
    fault[0] = 1;
#endif
    fault[1] = at;
    fault[2] = size;
    return 0;
}

#endif
