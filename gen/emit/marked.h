/* marked.h: the text of a function before its name and parameters are known.
 *
 * A template writes marks in their place: a byte 1 and a letter. The name has a hash of the text, and only parameters
 * that the text names are kept, so both come last.
 */
#ifndef OPGEN_EMIT_MARKED_H
#define OPGEN_EMIT_MARKED_H

#include "base/map.h"

#define MARK_URI S("\001U")
#define MARK_PARAMS S("\001P")
#define MARK_NAMES S("\001N")
#define MARK_ARGS S("\001A")

bool marked_is_word(char c); /* may stand in a word of C */

/* Which of some words of C a text has. Marks are none, nor is what a mark begins. */
typedef struct Words {
    Names asked;
    Map found;                       /* of asked */
    uint64_t filter[(1 << 14) / 64]; /* by the first two letters: most words of a text are none of them */
} Words;

void words_init(Words *words, Arena *arena);
void words_ask(Words *words, Str word);
void words_look(Words *words, Str text);
bool words_has(const Words *words, Str word);

Str marked_fill(Arena *arena, Str text, Str uri, Str params, Str names);
/* Lines that are empty but for blanks are empty, no two of them in a row, none at the ends. */
void marked_tidy(Str text, Buf *out);

#endif
