/* sha256.h: the SHA-256 of FIPS 180-4, by which opgen knows a text again.
 *
 * What tells one text from another here has to hold on every machine and for years, so it is a hash that is
 * specified; str_hash is the one for tables.
 */
#ifndef OPGEN_BASE_SHA256_H
#define OPGEN_BASE_SHA256_H

#include "str.h"

enum { SHA256_BYTES = 32, SHA256_DIGITS = 64 };

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t n; /* bytes so far */
    unsigned char block[64];
} Sha256;

void sha256_init(Sha256 *sha);
void sha256_add(Sha256 *sha, Str bytes);
/* Lower-case digits, as sha256sum prints them. What was added is used up. */
void sha256_end(Sha256 *sha, char digits[SHA256_DIGITS]);
/* All of it in one. */
Str sha256_of(Arena *arena, Str bytes);

#endif
