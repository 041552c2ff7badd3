/* symbols.c: scopes and their analysis. See symbols.h. The rules are Jinja's; where two of its frames share a Python
 * variable and reset it in between, here each has a slot of its own. */
#include "template/code/symbols.h"

#include "template/code/compile.h"

Symbols *symbols_new(Arena *arena, Activation *owner, Symbols *parent) {
    Symbols *symbols = ARENA_NEW(arena, Symbols);
    symbols->arena = arena;
    symbols->owner = owner;
    symbols->parent = parent;
    map_init(&symbols->refs, arena);
    map_init(&symbols->loads, arena);
    map_init(&symbols->stores, arena);
    symbols->idents = ARENA_NEW(arena, Map);
    map_init(symbols->idents, arena);
    return symbols;
}

static Symbols *layer_over(Symbols *base) {
    Symbols *layer = ARENA_NEW(base->arena, Symbols);
    *layer = (Symbols){.parent = base->parent, .base = base, .owner = base->owner, .arena = base->arena};
    layer->idents = base->idents;
    map_init(&layer->refs, base->arena);
    map_init(&layer->loads, base->arena);
    map_init(&layer->stores, base->arena);
    return layer;
}

/* In this frame, its layers included. */
static Ident *find_own(const Symbols *symbols, Name name) {
    for (; symbols != NULL; symbols = symbols->base) {
        Ident *ident = map_get(&symbols->refs, name);
        if (ident != NULL) return ident;
    }
    return NULL;
}

Ident *symbols_find(const Symbols *symbols, Name name) {
    for (; symbols != NULL; symbols = symbols->parent) {
        Ident *ident = find_own(symbols, name);
        if (ident != NULL) return ident;
    }
    return NULL;
}

Load *symbols_find_load(const Symbols *symbols, const Ident *ident) {
    for (const Symbols *frame = symbols; frame != NULL; frame = frame->parent) {
        for (const Symbols *layer = frame; layer != NULL; layer = layer->base) {
            Load *load = map_get(&layer->loads, ident->name);
            if (load != NULL && load->ident == ident) return load;
        }
    }
    return NULL;
}

static void set_load(Symbols *symbols, Ident *ident, LoadKind kind, Ident *of) {
    Load *load = ARENA_NEW(symbols->arena, Load);
    *load = (Load){ident, of, kind};
    map_set(&symbols->loads, ident->name, load);
}

static Ident *define(Symbols *symbols, Name name, LoadKind kind, Ident *of) {
    Ident *ident = map_get(symbols->idents, name);
    if (ident == NULL) {
        ident = ARENA_NEW(symbols->arena, Ident);
        *ident = (Ident){name, symbols->owner, activation_slot(symbols->owner)};
        *VEC_PUSH(symbols->arena, &symbols->owner->function->variables) = (LocalRef){name, ident->slot, 0};
        map_set(symbols->idents, name, ident);
    }
    map_set(&symbols->refs, name, ident);
    set_load(symbols, ident, kind, of);
    return ident;
}

Ident *symbols_parameter(Symbols *symbols, Name name) {
    map_set(&symbols->stores, name, symbols);
    return define(symbols, name, LOAD_PARAM, NULL);
}

void symbols_adopt(Symbols *symbols, Name name, Ident *ident) {
    map_set(&symbols->stores, name, symbols);
    map_set(symbols->idents, name, ident);
    map_set(&symbols->refs, name, ident);
    set_load(symbols, ident, LOAD_PARAM, NULL);
}

void symbols_load(Symbols *symbols, Name name) {
    if (symbols_find(symbols, name) == NULL) define(symbols, name, LOAD_RESOLVE, NULL);
}

void symbols_store(Symbols *symbols, Name name) {
    map_set(&symbols->stores, name, symbols);
    if (find_own(symbols, name) != NULL) return;
    Ident *outer = symbols->parent != NULL ? symbols_find(symbols->parent, name) : NULL;
    if (outer != NULL)
        define(symbols, name, LOAD_ALIAS, outer);
    else
        define(symbols, name, LOAD_UNSET, NULL);
}

static bool stored_in_frame(const Symbols *symbols, Name name) {
    for (; symbols != NULL; symbols = symbols->base)
        if (map_get(&symbols->stores, name) != NULL) return true;
    return false;
}

/* Takes the branches of an if into their frame. A name that not all of them store starts as what it means outside. */
static void merge_branches(Symbols *symbols, Symbols *const *branches, uint32_t n) {
    Map counts; /* name -> how many branches store it */
    map_init(&counts, symbols->arena);
    for (uint32_t i = 0; i < n; i++) {
        const Map *stores = &branches[i]->stores;
        for (uint32_t j = 0; j < stores->n; j++) {
            Name name = stores->entries[j].key;
            if (stored_in_frame(symbols, name)) continue;
            uint32_t *count = map_get(&counts, name);
            if (count == NULL) map_set(&counts, name, count = ARENA_NEW(symbols->arena, uint32_t));
            ++*count;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const Symbols *branch = branches[i];
        for (uint32_t j = 0; j < branch->refs.n; j++)
            map_set(&symbols->refs, branch->refs.entries[j].key, branch->refs.entries[j].value);
        for (uint32_t j = 0; j < branch->loads.n; j++)
            map_set(&symbols->loads, branch->loads.entries[j].key, branch->loads.entries[j].value);
        for (uint32_t j = 0; j < branch->stores.n; j++)
            map_set(&symbols->stores, branch->stores.entries[j].key, symbols);
    }
    for (uint32_t j = 0; j < counts.n; j++) {
        if (*(const uint32_t *)counts.entries[j].value == n) continue;
        Name name = counts.entries[j].key;
        Ident *ident = symbols_find(symbols, name);
        Ident *outer = symbols->parent != NULL ? symbols_find(symbols->parent, name) : NULL;
        set_load(symbols, ident, outer != NULL ? LOAD_ALIAS : LOAD_RESOLVE, outer);
    }
}

Locals symbols_stores(Arena *arena, const Symbols *symbols, const Activation *at) {
    VEC(LocalRef) refs = {0};
    Map seen;
    map_init(&seen, arena);
    for (const Symbols *frame = symbols; frame != NULL; frame = frame->parent) {
        for (const Symbols *layer = frame; layer != NULL; layer = layer->base) {
            for (uint32_t i = 0; i < layer->stores.n; i++) {
                Name name = layer->stores.entries[i].key;
                if (map_set(&seen, name, &seen) != NULL) continue;
                const Ident *ident = symbols_find(symbols, name);
                *VEC_PUSH(arena, &refs) = (LocalRef){name, ident->slot, activation_distance(at, ident->owner)};
            }
        }
    }
    return (Locals){refs.items, refs.n};
}

/* ---- the analysis of a frame's statements */

void symbols_target(Symbols *symbols, const Expr *target, bool parameter) {
    switch (target->kind) {
    case X_NAME:
        if (parameter)
            symbols_parameter(symbols, target->as.name);
        else
            symbols_store(symbols, target->as.name);
        break;
    case X_NSREF:
        symbols_load(symbols, target->as.nsref.name);
        break;
    default:
        for (uint32_t i = 0; i < target->as.list.n; i++)
            symbols_target(symbols, target->as.list.items[i], parameter);
    }
}

static void visit_within(void *symbols, const Expr *x) { symbols_expr(symbols, x); }

void symbols_expr(Symbols *symbols, const Expr *x) {
    if (x == NULL) return;
    if (x->kind == X_NAME)
        symbols_load(symbols, x->as.name);
    else if (x->kind == X_NSREF)
        symbols_load(symbols, x->as.nsref.name);
    else
        ast_each(x, visit_within, symbols);
}

static void visit(Symbols *symbols, const Stmt *stmt);

void symbols_body(Symbols *symbols, const Body *body) {
    for (uint32_t i = 0; i < body->n; i++)
        visit(symbols, body->items[i]);
}

/* An elif is to Jinja an if of its own within the list of elifs, so each is a layer over the one before. */
static void visit_if(Symbols *symbols, const Stmt *stmt) {
    uint32_t n = stmt->as.cond.n;
    symbols_expr(symbols, stmt->as.cond.branches[0].test);
    Symbols *parts[3] = {layer_over(symbols), layer_over(symbols), layer_over(symbols)};
    symbols_body(parts[0], &stmt->as.cond.branches[0].body);
    for (uint32_t i = 1; i < n; i++) {
        symbols_expr(parts[1], stmt->as.cond.branches[i].test);
        Symbols *inner[3] = {layer_over(parts[1]), layer_over(parts[1]), layer_over(parts[1])};
        symbols_body(inner[0], &stmt->as.cond.branches[i].body);
        merge_branches(parts[1], inner, 3);
    }
    symbols_body(parts[2], &stmt->as.cond.otherwise);
    merge_branches(symbols, parts, 3);
}

static void visit(Symbols *symbols, const Stmt *stmt) {
    switch (stmt->kind) {
    case S_TEXT:
    case S_BREAK:
    case S_CONTINUE:
    case S_BLOCK:      /* a scope of its own, and no part of this one */
    case S_AUTOESCAPE: /* the same, its condition included */
        break;
    case S_EMIT:
    case S_DO:
    case S_EXTENDS:
        symbols_expr(symbols, stmt->as.expr);
        break;
    case S_FOR:
        symbols_expr(symbols, stmt->as.loop.iter);
        break;
    case S_IF:
        visit_if(symbols, stmt);
        break;
    case S_SET:
        symbols_expr(symbols, stmt->as.set.value);
        symbols_target(symbols, stmt->as.set.target, false);
        break;
    case S_SET_BLOCK:
        symbols_target(symbols, stmt->as.set_block.target, false);
        break;
    case S_MACRO:
        symbols_store(symbols, stmt->as.macro.name);
        break;
    case S_CALL_BLOCK:
        symbols_expr(symbols, stmt->as.macro.call);
        break;
    case S_FILTER_BLOCK:
        symbols_expr(symbols, stmt->as.filter_block.filter);
        break;
    case S_WITH:
        for (uint32_t i = 0; i < stmt->as.with.n; i++)
            symbols_expr(symbols, stmt->as.with.values[i]);
        break;
    case S_INCLUDE:
        symbols_expr(symbols, stmt->as.load.file);
        break;
    case S_IMPORT:
        symbols_expr(symbols, stmt->as.load.file);
        symbols_store(symbols, stmt->as.load.target);
        break;
    case S_FROM:
        symbols_expr(symbols, stmt->as.load.file);
        for (uint32_t i = 0; i < stmt->as.load.n; i++)
            symbols_store(symbols, stmt->as.load.names[i].alias);
        break;
    }
}
