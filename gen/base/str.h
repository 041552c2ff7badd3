/* str.h: text with a length, and a buffer that grows.
 *
 * A Str points at bytes that somebody else owns (an arena, a file, a literal) and is never
 * terminated by a NUL that counts. A Buf collects bytes in an arena. There is no other string
 * in gen/: `char *` stands only where the system wants one.
 */
#ifndef OPGEN_BASE_STR_H
#define OPGEN_BASE_STR_H

#include "arena.h"

#include <stdarg.h>
#include <string.h>

typedef struct Str {
    const char *p;
    size_t n;
} Str;

#define S(literal) ((Str){"" literal, sizeof(literal) - 1})
#define STR_ARG(s) (int)(s).n, (s).p /* for "%.*s" in the C library's printf */

static inline Str str(const char *p, size_t n) { return (Str){p, n}; }
Str str_c(const char *c); /* of a C string */
static inline bool str_eq(Str a, Str b) { return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0); }
int str_cmp(Str a, Str b); /* by bytes, which for UTF-8 is by code point */
bool str_starts(Str s, Str prefix);
bool str_ends(Str s, Str suffix);
#define STR_NONE ((size_t)-1)
size_t str_find(Str s, Str needle);  /* offset or STR_NONE */
size_t str_find_char(Str s, char c); /* offset or STR_NONE */
Str str_sub(Str s, size_t from, size_t to);
Str str_trim(Str s);      /* ASCII white space */
uint64_t str_hash(Str s); /* seeded anew in each process: for tables, never for what is written */
Str str_copy(Arena *arena, Str s);
const char *str_to_c(Arena *arena, Str s); /* NUL-terminated copy, for the system's calls */

/* printf into the arena. Besides the C library's conversions, %S takes a Str (by value), %Q a Str to be
 * shown in double quotes with escapes. */
Str str_format(Arena *arena, const char *format, ...);
Str str_vformat(Arena *arena, const char *format, va_list args);

/* The offset of the first byte that is not valid UTF-8 (or STR_NONE), and the length of a valid sequence. */
size_t str_invalid_utf8(Str s);
/* Decode one code point of valid UTF-8; *size gets its bytes. Encode gives 1 to 4 bytes. */
uint32_t str_decode(const char *p, const char *end, unsigned *size);
unsigned str_encode(uint32_t code, char out[4]);
size_t str_count(Str s); /* code points */

/* How far apart two words are (insertions, deletions, changes, swaps): what "did you mean" asks. */
unsigned str_distance(Str a, Str b, unsigned give_up_above);

typedef struct Buf {
    Arena *arena;
    char *p;
    size_t n, cap;
} Buf;

static inline void buf_init(Buf *buf, Arena *arena) { *buf = (Buf){arena, NULL, 0, 0}; }
void buf_grow(Buf *buf, size_t extra); /* room for extra more bytes */
static inline char *buf_room(Buf *buf, size_t extra) {
    if (buf->p == NULL || buf->cap - buf->n < extra) buf_grow(buf, extra);
    return buf->p + buf->n;
}
static inline void buf_add(Buf *buf, Str s) {
    if (s.n == 0) return;
    memcpy(buf_room(buf, s.n), s.p, s.n);
    buf->n += s.n;
}
static inline void buf_char(Buf *buf, char c) { *buf_room(buf, 1) = c, buf->n++; }
void buf_code(Buf *buf, uint32_t code); /* a code point as UTF-8 */
void buf_fill(Buf *buf, char c, size_t n);
void buf_int(Buf *buf, int64_t i);
void buf_json(Buf *buf, Str s);                     /* in double quotes, with the escapes that JSON wants */
void buf_quoted(Buf *buf, Str s);                   /* in double quotes, to be read by people: what %Q does */
void buf_format(Buf *buf, const char *format, ...); /* as str_format */
void buf_vformat(Buf *buf, const char *format, va_list args);
static inline Str buf_str(const Buf *buf) { return (Str){buf->p, buf->n}; }

#endif
