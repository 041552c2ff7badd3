/* template.c: which template an operator is made with, and which file is that of a backend: BACKEND/NAME.EXT.j2, where
 * a backend's own goes before its parent's; a backend's EXT is what its sources end in. */
#include "emit/plan.h"

Name plan_kernel(const Str *use, uint32_t use_count, const OpDef *op) {
    for (uint32_t i = 0; i < op->candidates.n; i++)
        for (uint32_t k = 0; k < use_count; k++)
            if (str_eq(name_str(op->candidates.items[i]), use[k])) return op->candidates.items[i];
    return op->kernel;
}

Template *emit_template(Engine *engine, Arena *arena, const Backend *backend, Str name, Span from) {
    VEC(Str) paths = {NULL, 0, 0};
    for (const Backend *at = backend; at != NULL; at = at->parent)
        *VEC_PUSH(arena, &paths) = str_format(arena, "%S/%S%S.j2", name_str(at->name), name, at->ext);
    return engine_load_first(engine, paths.items, paths.n, from);
}
