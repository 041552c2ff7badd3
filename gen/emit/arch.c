/* arch.c: operators that are for some backends alone, or for some of a backend's architectures, found before anything
 * is written for another. */
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

static bool lists(const Json *list, Str name) {
    for (uint32_t i = 0; i < list->as.array.n; i++)
        if (list->as.array.items[i].kind == JSON_STRING && str_eq(list->as.array.items[i].as.s, name)) return true;
    return false;
}

static Str words_of(Arena *arena, const Json *list) {
    Buf out;
    buf_init(&out, arena);
    for (uint32_t i = 0; i < list->as.array.n; i++)
        buf_format(&out, i == 0 ? "%S" : ", %S", list->as.array.items[i].as.s);
    return buf_str(&out);
}

/* Of an operator that is for the backend: whether it is for each architecture that is asked for. */
static bool check_archs(Plan *plan, const Node *node) {
    const Json *list = NULL;
    for (const Backend *at = plan->backend; at != NULL && list == NULL && node->op->arch->kind == JSON_OBJECT;
         at = at->parent)
        list = json_get(node->op->arch, name_str(at->name));
    if (list == NULL || list->kind != JSON_ARRAY || list->as.array.n == 0) return true;
    for (uint32_t i = 0; i < plan->arch_count; i++) {
        if (lists(list, plan->archs[i])) continue;
        Diag *diag =
            diag_error(plan->graph->diags, E_NO_FUNCTION, node->place, "op \"%s\" is not for %Q of the backend \"%s\"",
                       node->op->name->p, plan->archs[i], plan->backend->name->p);
        diag_hint(plan->graph->diags, diag, "it is for %S", words_of(plan->arena, list));
        return false;
    }
    return true;
}

bool plan_check_arch(Plan *plan) {
    Graph *graph = plan->graph;
    bool good = true;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        if (node->op->arch == NULL) continue;
        if (is_for(node->op, plan->backend)) {
            good &= check_archs(plan, node);
            continue;
        }
        Diag *diag = diag_error(graph->diags, E_NO_FUNCTION, node->place, "op \"%s\" is not for the backend \"%s\"",
                                node->op->name->p, plan->backend->name->p);
        diag_hint(graph->diags, diag, "it is for %S", backends_of(plan->arena, node->op));
        good = false;
    }
    return good;
}
