/* sha256.c: FIPS 180-4, section 6.2, as it is written there, and with the instructions that some processors have for
 * it. */
#include "base/sha256.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, int n) { return x >> n | x << (32 - n); }

static uint32_t big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

/* Sums of rotations, one turned on by the next. */
static uint32_t sum0(uint32_t a) { return rotated(a ^ rotated(a ^ rotated(a, 9), 11), 2); } /* 2, 13, 22 */
static uint32_t sum1(uint32_t e) { return rotated(e ^ rotated(e ^ rotated(e, 14), 5), 6); } /* 6, 11, 25 */
static uint32_t low0(uint32_t x) { return rotated(x ^ rotated(x, 11), 7) ^ x >> 3; }        /* 7, 18 */
static uint32_t low1(uint32_t x) { return rotated(x ^ rotated(x, 2), 17) ^ x >> 10; }       /* 17, 19 */
static uint32_t choice(uint32_t e, uint32_t f, uint32_t g) { return g ^ (e & (f ^ g)); }
static uint32_t majority(uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (c & (a | b)); }

/* Round t. What moves to the next name is named so by the next round instead. */
#define ROUND(a, b, c, d, e, f, g, h, t)                                                                               \
    do {                                                                                                               \
        uint32_t t1 = h + sum1(e) + choice(e, f, g) + constants[t] + w[t];                                             \
        d += t1;                                                                                                       \
        h = t1 + sum0(a) + majority(a, b, c);                                                                          \
    } while (0)

static void add_block(uint32_t state[8], const unsigned char *block) {
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = big_endian(block + (size_t)t * 4);
    for (int t = 16; t < 64; t++)
        w[t] = w[t - 16] + low0(w[t - 15]) + w[t - 7] + low1(w[t - 2]);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t += 8) { /* after eight rounds each is in its own place again */
        ROUND(a, b, c, d, e, f, g, h, t);
        ROUND(h, a, b, c, d, e, f, g, t + 1);
        ROUND(g, h, a, b, c, d, e, f, t + 2);
        ROUND(f, g, h, a, b, c, d, e, t + 3);
        ROUND(e, f, g, h, a, b, c, d, t + 4);
        ROUND(d, e, f, g, h, a, b, c, t + 5);
        ROUND(c, d, e, f, g, h, a, b, t + 6);
        ROUND(b, c, d, e, f, g, h, a, t + 7);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void add_plain(uint32_t state[8], const unsigned char *blocks, size_t n) {
    for (; n > 0; n--, blocks += 64)
        add_block(state, blocks);
}

#if defined(__x86_64__) && defined(__GNUC__)
/* ---- the same with the processor's own instructions, where it has them: four rounds at a time, the state as they want
 * it. */
#define FAST __attribute__((target("sha,sse4.1")))
#define INSIDE static inline __attribute__((always_inline, target("sha,sse4.1")))

INSIDE __m128i load(const void *p) { return _mm_loadu_si128((const __m128i *)p); }

/* With the words at w[now]. */
INSIDE void four_rounds(__m128i *s0, __m128i *s1, const __m128i w[4], int now, const uint32_t *constant) {
    __m128i sum = _mm_add_epi32(w[now], load(constant));
    *s1 = _mm_sha256rnds2_epu32(*s1, *s0, sum);
    *s0 = _mm_sha256rnds2_epu32(*s0, *s1, _mm_shuffle_epi32(sum, 0x0e));
}

/* The words at w[now] become those of 16 rounds later. */
INSIDE void next_words(__m128i w[4], int now) {
    __m128i last = w[(now + 3) & 3];
    __m128i next =
        _mm_add_epi32(_mm_sha256msg1_epu32(w[now], w[(now + 1) & 3]), _mm_alignr_epi8(last, w[(now + 2) & 3], 4));
    w[now] = _mm_sha256msg2_epu32(next, last);
}

FAST static void add_fast(uint32_t state[8], const unsigned char *blocks, size_t n) {
    const __m128i turn = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i badc = _mm_shuffle_epi32(load(state), 0xb1), hgfe = _mm_shuffle_epi32(load(state + 4), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (; n > 0; n--, blocks += 64) {
        __m128i s0 = abef, s1 = cdgh, w[4];
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(load(blocks + 16 * i), turn);
        for (int t = 0; t < 48; t += 16) {
            four_rounds(&s0, &s1, w, 0, constants + t), next_words(w, 0);
            four_rounds(&s0, &s1, w, 1, constants + t + 4), next_words(w, 1);
            four_rounds(&s0, &s1, w, 2, constants + t + 8), next_words(w, 2);
            four_rounds(&s0, &s1, w, 3, constants + t + 12), next_words(w, 3);
        }
        for (int i = 0; i < 4; i++)
            four_rounds(&s0, &s1, w, i, constants + 48 + 4 * i);
        abef = _mm_add_epi32(s0, abef), cdgh = _mm_add_epi32(s1, cdgh);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_fast(void) {
    static int known = -1;
    if (known >= 0) return known;
    unsigned a, b, c, d, features = 0;
    known = __get_cpuid_count(7, 0, &a, &features, &c, &d) != 0 && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
            (features >> 29 & 1) != 0 && (c >> 19 & 1) != 0; /* SHA, SSE4.1 */
    return known;
}

static void add_blocks(uint32_t state[8], const unsigned char *blocks, size_t n) {
    (has_fast() ? add_fast : add_plain)(state, blocks, n);
}
#else
static void add_blocks(uint32_t state[8], const unsigned char *blocks, size_t n) { add_plain(state, blocks, n); }
#endif

/* ---- texts of any length */
void sha256_init(Sha256 *sha) {
    *sha = (Sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(Sha256 *sha, Str bytes) {
    size_t held = sha->n % sizeof sha->block;
    sha->n += bytes.n;
    if (held > 0) {
        size_t n = sizeof sha->block - held < bytes.n ? sizeof sha->block - held : bytes.n;
        memcpy(sha->block + held, bytes.p, n);
        bytes = str_sub(bytes, n, bytes.n);
        if (held + n < sizeof sha->block) return;
        add_blocks(sha->state, sha->block, 1);
    }
    const size_t whole = bytes.n / sizeof sha->block;
    if (whole > 0) add_blocks(sha->state, (const unsigned char *)bytes.p, whole);
    bytes = str_sub(bytes, whole * sizeof sha->block, bytes.n);
    if (bytes.n > 0) memcpy(sha->block, bytes.p, bytes.n);
}

void sha256_end(Sha256 *sha, char digits[SHA256_DIGITS]) {
    static const unsigned char padding[64] = {0x80};
    uint64_t bits = sha->n * 8;
    size_t held = sha->n % sizeof sha->block;
    sha256_add(sha, str((const char *)padding, (held < 56 ? 56 : 120) - held));
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(sha, str((const char *)length, sizeof length));
    for (int i = 0; i < SHA256_DIGITS; i++)
        digits[i] = "0123456789abcdef"[sha->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
}

Str sha256_of(Arena *arena, Str bytes) {
    char *digits = arena_alloc(arena, SHA256_DIGITS);
    Sha256 sha;
    sha256_init(&sha);
    sha256_add(&sha, bytes);
    sha256_end(&sha, digits);
    return str(digits, SHA256_DIGITS);
}
