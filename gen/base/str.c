/* str.c: comparing, searching, hashing and decoding text, and the buffer it is collected in.
 *
 * What is formatted is in format.c. Nothing here depends on the locale. */
#include "base/str.h"

#include <sys/auxv.h>

Str str_c(const char *c) { return str(c, strlen(c)); }

int str_cmp(Str a, Str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n == 0 ? 0 : memcmp(a.p, b.p, n);
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(Str s, Str prefix) { return s.n >= prefix.n && str_eq(str(s.p, prefix.n), prefix); }

bool str_ends(Str s, Str suffix) { return s.n >= suffix.n && str_eq(str_sub(s, s.n - suffix.n, s.n), suffix); }

size_t str_find(Str s, Str needle) {
    if (needle.n == 0) return 0;
    if (s.n < needle.n) return STR_NONE;
    const char *p = memmem(s.p, s.n, needle.p, needle.n);
    return p == NULL ? STR_NONE : (size_t)(p - s.p);
}

size_t str_find_char(Str s, char c) {
    const char *p = s.n == 0 ? NULL : memchr(s.p, c, s.n);
    return p == NULL ? STR_NONE : (size_t)(p - s.p);
}

/* Offsets past the end mean the end. */
Str str_sub(Str s, size_t from, size_t to) {
    if (to > s.n) to = s.n;
    if (from > to) from = to;
    return from == 0 ? str(s.p, to) : str(s.p + from, to - from);
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Str str_trim(Str s) {
    size_t from = 0, to = s.n;
    while (from < to && is_space(s.p[from]))
        from++;
    while (to > from && is_space(s.p[to - 1]))
        to--;
    return str_sub(s, from, to);
}

/* Keys come from data that is not trusted, so the seed is one nobody can know beforehand: 16 random bytes
 * that the kernel hands to every process. */
static uint64_t seeds[2] = {0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u};

__attribute__((constructor)) static void set_seeds(void) {
    const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM); /* the kernel's word for a pointer is a long */
    if (random != NULL) memcpy(seeds, random, sizeof seeds);
    seeds[0] |= 1;
}

static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t str_hash(Str s) {
    uint64_t hash = seeds[1] ^ s.n, word;
    const char *p = s.p;
    size_t n = s.n;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        hash = fold(hash ^ word, seeds[0]) + seeds[1];
    }
    word = 0;
    if (n != 0) memcpy(&word, p, n);
    hash = fold(hash ^ word, seeds[0]);
    return fold(hash ^ seeds[1], 0x9fb21c651e98df25u);
}

Str str_copy(Arena *arena, Str s) { return str(s.n == 0 ? "" : arena_copy(arena, s.p, s.n), s.n); }

const char *str_to_c(Arena *arena, Str s) {
    char *p = arena_alloc(arena, s.n + 1);
    if (s.n != 0) memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return p;
}

/* The length of the valid sequence at p, or 0. Overlong forms, surrogates and what lies past U+10FFFF are not valid. */
static unsigned sequence(const unsigned char *p, size_t n) {
    unsigned char c = p[0];
    if (c < 0x80) return 1;
    if (c < 0xc2 || c > 0xf4) return 0;
    unsigned size = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (n < size) return 0;
    unsigned char least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    unsigned char most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < least || p[1] > most) return 0;
    for (unsigned i = 2; i < size; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return size;
}

size_t str_invalid_utf8(Str s) {
    const unsigned char *p = (const unsigned char *)s.p;
    const uint64_t high = 0x8080808080808080u;
    for (size_t i = 0; i < s.n;) {
        uint64_t word, four[4];
        while (s.n - i >= 32 && (memcpy(four, p + i, 32), ((four[0] | four[1] | four[2] | four[3]) & high) == 0))
            i += 32;
        while (s.n - i >= 8 && (memcpy(&word, p + i, 8), (word & high) == 0))
            i += 8;
        if (i == s.n) break;
        unsigned size = sequence(p + i, s.n - i);
        if (size == 0) return i;
        i += size;
    }
    return STR_NONE;
}

uint32_t str_decode(const char *text, const char *end, unsigned *size) {
    const unsigned char *p = (const unsigned char *)text;
    /* One byte of text that is not valid reads as the replacement character, so that no caller runs off the end. */
    switch (*size = sequence(p, (size_t)(end - text))) {
    case 1:
        return p[0];
    case 2:
        return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    case 3:
        return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    case 4:
        return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
    default:
        *size = 1;
        return 0xfffd;
    }
}

unsigned str_encode(uint32_t code, char out[4]) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    unsigned size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (unsigned i = size - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(first[size] | code);
    return size;
}

size_t str_count(Str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

/* Only cells within `most` of the diagonal can hold a distance of at most `most`, so three rows of that band
 * are all that is kept, however long the words are. Distances are between bytes. */
unsigned str_distance(Str a, Str b, unsigned give_up_above) {
    enum { MOST = 16, WIDTH = 2 * MOST + 3 };
    unsigned most = give_up_above < MOST ? give_up_above : MOST;
    size_t apart = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (apart > most) return most + 1;
    unsigned rows[3][WIDTH], far = most + 1;
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (unsigned k = 0; k < WIDTH; k++)
        before[k] = last[k] = far;
    for (size_t i = 0; i <= a.n; i++) {
        unsigned best = far;
        for (unsigned k = 0; k < WIDTH; k++)
            row[k] = far;
        for (unsigned k = 1; k <= 2 * most + 1; k++) {
            /* Cell k of row i is for the first i bytes of a and the first j of b. */
            if (i + k < most + 1 || i + k - most - 1 > b.n) continue;
            size_t j = i + k - most - 1;
            unsigned cost = i == 0 && j == 0 ? 0 : far;
            if (i > 0 && last[k + 1] + 1 < cost) cost = last[k + 1] + 1;
            if (j > 0 && row[k - 1] + 1 < cost) cost = row[k - 1] + 1;
            if (i > 0 && j > 0) {
                unsigned change = last[k] + (a.p[i - 1] != b.p[j - 1]);
                if (change < cost) cost = change;
                bool swapped = i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
                if (swapped && before[k] + 1 < cost) cost = before[k] + 1;
            }
            row[k] = cost;
            if (cost < best) best = cost;
        }
        if (best == far) return far;
        unsigned *oldest = before;
        before = last, last = row, row = oldest;
    }
    return last[b.n + most + 1 - a.n];
}

void buf_grow(Buf *buf, size_t extra) {
    if (extra > SIZE_MAX - buf->n) mem_fail(MEM_SYSTEM, extra);
    size_t need = buf->n + extra;
    if (buf->p != NULL && need <= buf->cap) return;
    size_t cap = buf->cap > SIZE_MAX / 2 ? SIZE_MAX : buf->cap * 2;
    if (cap < 64) cap = 64;
    if (cap < need) cap = need;
    buf->p = arena_resize(buf->arena, buf->p, buf->cap, cap);
    buf->cap = cap;
}

void buf_code(Buf *buf, uint32_t code) {
    char bytes[4];
    buf_add(buf, str(bytes, str_encode(code, bytes)));
}

void buf_fill(Buf *buf, char c, size_t n) {
    if (n == 0) return;
    memset(buf_room(buf, n), c, n);
    buf->n += n;
}

void buf_int(Buf *buf, int64_t i) {
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    do
        digits[--at] = (char)('0' + rest % 10), rest /= 10;
    while (rest != 0);
    if (i < 0) digits[--at] = '-';
    buf_add(buf, str(digits + at, sizeof digits - at));
}
