/* backend.h: what a backend writes for types, operators and functions: its backend.json, and its parents'.
 *
 * A backend is the folder templates/NAME. What its backend.json leaves out is its parent's; a function is overridden
 * type by type, and null takes away what the parent has. Nothing of a backend is known to the generator but through
 * this.
 */
#ifndef OPGEN_OP_BACKEND_H
#define OPGEN_OP_BACKEND_H

#include "json/json.h"
#include "op/lower.h"

typedef struct BackendType {
    Str name;    /* of what is in memory: "float", "opgen_bf16" */
    Str compute; /* of variables, where it is computed in itself: "float"; bool may be a byte in memory */
    Str load;    /* the compute type from what is in memory: "{0}" */
    Str store;   /* and back */
} BackendType;

typedef struct BackendFunction {
    LowerFunction by[DT_COUNT]; /* of the types in `has` */
    DtypeSet has;               /* compute types */
} BackendFunction;

typedef struct Backend Backend;
struct Backend {
    Name name;
    const Backend *parent; /* NULL: none */
    Source *source;
    const Json *json; /* its own file; see backend_get */
    Names *names;
    Str doc;
    Str ext;                     /* of sources, with the point */
    BackendType types[DT_COUNT]; /* name is empty: the backend has no such type */
    Map functions;               /* Name -> BackendFunction */
    Str *function_names;
    size_t function_count;
};

/* The backend of this name from the first of the folders that has NAME/backend.json. `from` is what asked for it. NULL
 * after adding all findings of the files. */
const Backend *backend_read(Arena *arena, Names *names, const Str *roots, size_t n, Str name, Span from, Diags *diags);
/* A profile: a form of the backend `of`, for machines of another kind. It is a backend of its own, whose parent that
 * is, in NAME/profile.json, with a member "profile" that says what is generated. of: empty: any. */
const Backend *backend_read_profile(Arena *arena, Names *names, const Str *roots, size_t n, Str name, Str of, Span from,
                                    Diags *diags);
/* A member of its file, or of the nearest parent's that has one; NULL if none has. Of the compiler: by its own key. */
const Json *backend_get(const Backend *backend, Str key);
const Json *backend_compiler(const Backend *backend, Str key);
bool backend_lookups_check(const Backend *backend); /* as group_nodes has it */
/* Lower's `function`; user is the backend. */
bool backend_function(void *user, Str name, Dtype type, LowerFunction *out);
void backend_lower(const Backend *backend, Lower *lower); /* sets what a Lower has of the backend */

/* An expression of the compute type for this element in memory, and what is stored for a value of the compute type. */
Str backend_load(const Backend *backend, Arena *arena, Dtype type, Str element);
Str backend_store(const Backend *backend, Arena *arena, Dtype type, Str value);
/* The name of a compute type: of variables. */
Str backend_compute_name(const Backend *backend, Dtype type);

#endif
