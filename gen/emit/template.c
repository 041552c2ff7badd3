/* template.c: which file is the template of a backend. BACKEND/NAME.EXT.j2, where a backend's own goes before its
 * parent's; a backend's EXT is what its sources end in. */
#include "emit/plan.h"

Template *emit_template(Engine *engine, Arena *arena, const Backend *backend, Str name, Span from) {
    VEC(Str) paths = {NULL, 0, 0};
    for (const Backend *at = backend; at != NULL; at = at->parent)
        *VEC_PUSH(arena, &paths) = str_format(arena, "%S/%S%S.j2", name_str(at->name), name, at->ext);
    return engine_load_first(engine, paths.items, paths.n, from);
}
