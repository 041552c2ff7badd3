/* walk.h: where the parts of a JSON text are, for who reads only some of them.
 *
 * What is walked over is not checked: a text that is no JSON may look as if it were. Whoever finds something to read
 * has it parsed (read.c), which tells what is wrong.
 */
#ifndef OPGEN_JSON_WALK_H
#define OPGEN_JSON_WALK_H

#include "base/str.h"

typedef struct JsonWalk {
    const char *p, *end;
} JsonWalk;

/* The next character that is no blank, which stays; '\0' at the end. */
char json_walk_next(JsonWalk *walk);
/* Past this one, if it is next. */
bool json_walk_take(JsonWalk *walk, char c);
/* Past a string; *text is what is in it, or empty where it has escapes. */
bool json_walk_string(JsonWalk *walk, Str *text);
/* Past a value, whatever is in it. */
bool json_walk_skip(JsonWalk *walk);
/* Past the next key of an object and its colon; false at the object's end or where this is no object. */
bool json_walk_key(JsonWalk *walk, bool first, Str *name);

#endif
