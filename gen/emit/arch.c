/* arch.c: operators that are for some backends alone, found before anything is written for another. */
#include "emit/draft.h"

static bool is_listed(const Json *arch, Str backend) {
    if (arch->kind == JSON_OBJECT) return json_get(arch, backend) != NULL;
    for (uint32_t i = 0; i < arch->as.array.n; i++)
        if (str_eq(arch->as.array.items[i].as.s, backend)) return true;
    return false;
}

static bool is_for(const OpDef *op, const Backend *backend) {
    for (; backend != NULL; backend = backend->parent)
        if (is_listed(op->arch, name_str(backend->name))) return true;
    return false;
}

static Str backends_of(Arena *arena, const OpDef *op) {
    Buf out;
    buf_init(&out, arena);
    uint32_t n = op->arch->kind == JSON_OBJECT ? op->arch->as.object.n : op->arch->as.array.n;
    for (uint32_t i = 0; i < n; i++) {
        Str name = op->arch->kind == JSON_OBJECT ? name_str(op->arch->as.object.members[i].key)
                                                 : op->arch->as.array.items[i].as.s;
        buf_format(&out, "%s%S", i == 0 ? "" : ", ", name);
    }
    return buf_str(&out);
}

bool plan_check_arch(Plan *plan) {
    Graph *graph = plan->graph;
    bool good = true;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        if (node->op->arch == NULL || is_for(node->op, plan->backend)) continue;
        Diag *diag = diag_error(graph->diags, E_NO_FUNCTION, node->place, "op \"%s\" is not for the backend \"%s\"",
                                node->op->name->p, plan->backend->name->p);
        diag_hint(graph->diags, diag, "it is for %S", backends_of(plan->arena, node->op));
        good = false;
    }
    return good;
}
