/* sym.c: making Syms, each once.
 *
 * Whatever has the same content is the same pointer: a hash table over all that were made finds it. A new Sym gets its
 * range, height and size here, from its operands; what would be too large to be walked is refused here, so that no
 * other file has to ask.
 */
#include "op/sym_internal.h"

void syms_init(Syms *syms, Arena *arena) {
    *syms = (Syms){.arena = arena, .most = SYM_MOST_SYMS};
    sym_int(syms, 0); /* number 0, which failures give */
}

void sym_clear_fault(Syms *syms) {
    syms->overflow = false;
    syms->fault = SYM_FINE;
}

SymRef sym_fail(Syms *syms, SymFault fault) {
    if (!syms->overflow) syms->fault = fault;
    syms->overflow = true;
    return syms->all.items[0];
}

/* ---- the table */
static uint64_t mix(uint64_t hash, uint64_t with) {
    hash = (hash ^ with) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_ref(uint64_t hash, SymRef a) { return mix(hash, a == NULL ? 0 : (uint64_t)a->id + 1); }

static uint64_t hash_of(const Sym *sym) {
    uint64_t hash = mix(0x51ed270b, (uint64_t)sym->kind);
    if (sym->kind == SYM_VAR) {
        hash = mix(hash, sym->name->hash);
        hash = mix(hash, (uint64_t)sym->low);
        hash = mix(hash, (uint64_t)sym->high);
    }
    hash = mix(hash, (uint64_t)sym->constant);
    for (uint32_t i = 0; i < sym->n; i++)
        hash = hash_ref(mix(hash, (uint64_t)sym->terms[i].coefficient), sym->terms[i].atom);
    return hash_ref(hash_ref(hash_ref(hash, sym->a), sym->b), sym->c);
}

static bool same(const Sym *x, const Sym *y) {
    if (x->kind != y->kind || x->constant != y->constant || x->n != y->n || x->name != y->name) return false;
    if (x->a != y->a || x->b != y->b || x->c != y->c) return false;
    if (x->kind == SYM_VAR && (x->low != y->low || x->high != y->high)) return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->terms[i].coefficient != y->terms[i].coefficient || x->terms[i].atom != y->terms[i].atom) return false;
    return true;
}

static void grow_table(Syms *syms) {
    uint32_t cap = syms->table_cap ? syms->table_cap * 2 : 256;
    uint32_t *table = ARENA_ARRAY(syms->arena, uint32_t, cap);
    for (uint32_t i = 0; i < syms->all.n; i++) {
        uint64_t at = hash_of(syms->all.items[i]);
        while (table[at & (cap - 1)] != 0)
            at++;
        table[at & (cap - 1)] = i + 1;
    }
    syms->table = table, syms->table_cap = cap;
}

/* The Sym of this content if there is one; else NULL, and *slot is where it goes. */
static SymRef find(Syms *syms, const Sym *sym, uint64_t *slot) {
    if (syms->all.n * 4 >= syms->table_cap * 3) grow_table(syms);
    uint64_t at = hash_of(sym);
    for (;; at++) {
        uint32_t entry = syms->table[at & (syms->table_cap - 1)];
        if (entry == 0) break;
        if (same(syms->all.items[entry - 1], sym)) return syms->all.items[entry - 1];
    }
    *slot = at & (syms->table_cap - 1);
    return NULL;
}

/* ---- range, height and size, from the parts */
static bool grows_by(Sym *sym, SymRef part, uint64_t times) {
    uint64_t size = (uint64_t)sym->size + times * part->size;
    if (size > SYM_MOST_SIZE) return false;
    sym->size = (uint32_t)size;
    if (part->height >= sym->height) sym->height = part->height + 1;
    sym->partial |= part->partial;
    return sym->height <= SYM_MOST_HEIGHT;
}

static bool measure(Sym *sym) {
    sym->size = 1;
    for (uint32_t i = 0; i < sym->n; i++)
        if (!grows_by(sym, sym->terms[i].atom, sym->kind == SYM_PRODUCT ? (uint64_t)sym->terms[i].coefficient : 1))
            return false;
    if (sym->kind == SYM_VAR) return true; /* an index's size is not a part of it */
    if (sym->a != NULL && !grows_by(sym, sym->a, 1)) return false;
    if (sym->b != NULL && !grows_by(sym, sym->b, 1)) return false;
    if (sym->c != NULL && !grows_by(sym, sym->c, 1)) return false;
    if ((sym->kind == SYM_FLOORDIV || sym->kind == SYM_MOD) && sym->b->low <= 0 && sym->b->high >= 0)
        sym->partial = true;
    return true;
}

static SymRange range_of_parts(const Sym *sym) {
    SymRange range = {0, 1, false};
    switch (sym->kind) {
    case SYM_VAR:
        return sym_range_of(sym);
    case SYM_SUM:
        range = (SymRange){sym->constant, sym->constant, false};
        for (uint32_t i = 0; i < sym->n; i++) {
            SymRange factor = {sym->terms[i].coefficient, sym->terms[i].coefficient, false};
            range = sym_range_add(range, sym_range_mul(factor, sym_range_of(sym->terms[i].atom)));
        }
        return range;
    case SYM_PRODUCT:
        range = (SymRange){1, 1, false};
        for (uint32_t i = 0; i < sym->n; i++)
            range = sym_range_mul(range, sym_range_power(sym_range_of(sym->terms[i].atom), sym->terms[i].coefficient));
        return range;
    case SYM_FLOORDIV:
        return sym_range_floordiv(sym_range_of(sym->a), sym_range_of(sym->b));
    case SYM_MOD:
        return sym_range_mod(sym_range_of(sym->a), sym_range_of(sym->b));
    case SYM_MIN:
        range.low = sym->a->low < sym->b->low ? sym->a->low : sym->b->low;
        range.high = sym->a->high < sym->b->high ? sym->a->high : sym->b->high;
        return range;
    case SYM_MAX:
        range.low = sym->a->low > sym->b->low ? sym->a->low : sym->b->low;
        range.high = sym->a->high > sym->b->high ? sym->a->high : sym->b->high;
        return range;
    case SYM_SELECT:
        range.low = sym->a->low < sym->b->low ? sym->a->low : sym->b->low;
        range.high = sym->a->high > sym->b->high ? sym->a->high : sym->b->high;
        return range;
    case SYM_LT:
    case SYM_EQ:
        break;
    }
    return range;
}

static SymRef intern(Syms *syms, Sym *sym) {
    uint64_t slot;
    SymRef found = find(syms, sym, &slot);
    if (found != NULL) return found;
    if (syms->all.n >= syms->most) return sym_fail(syms, SYM_TOO_MANY);
    if (!measure(sym)) return sym_fail(syms, SYM_TOO_MANY);
    SymRange range = range_of_parts(sym);
    if (range.none) return sym_fail(syms, SYM_TOO_LARGE);
    bool known = range.low == range.high && range.low != INT64_MIN && range.low != INT64_MAX;
    if (known && (sym->kind != SYM_SUM || sym->n > 0) && sym->kind != SYM_PRODUCT) return sym_int(syms, range.low);
    sym->low = range.low, sym->high = range.high;
    sym->id = syms->all.n;
    if (sym->n > 0) sym->terms = arena_copy(syms->arena, sym->terms, sym->n * sizeof *sym->terms);
    Sym *kept = arena_copy(syms->arena, sym, sizeof *sym);
    *VEC_PUSH(syms->arena, &syms->all) = kept;
    syms->table[slot] = syms->all.n;
    return kept;
}

/* ---- what is made */
SymRef sym_int(Syms *syms, int64_t i) {
    Sym sym = {.kind = SYM_SUM, .constant = i};
    return intern(syms, &sym);
}

SymRef sym_var(Syms *syms, Name name, int64_t low, int64_t high) {
    if (low == high) return sym_int(syms, low);
    Sym sym = {.kind = SYM_VAR, .name = name, .low = low, .high = high};
    return intern(syms, &sym);
}

SymRef sym_index(Syms *syms, Name name, SymRef size) {
    if (size->high == 1) return sym_int(syms, 0);
    /* The range is a part of what makes it this index; no position is there where the size is 0. */
    int64_t high = size->high == INT64_MAX ? INT64_MAX : size->high > 0 ? size->high - 1 : 0;
    Sym sym = {.kind = SYM_VAR, .name = name, .low = 0, .high = high, .a = size};
    return intern(syms, &sym);
}

SymRef sym_make(Syms *syms, SymKind kind, SymRef a, SymRef b, SymRef c) {
    Sym sym = {.kind = kind, .a = a, .b = b, .c = c};
    return intern(syms, &sym);
}

SymRef sym_make_product(Syms *syms, const SymTerm *factors, uint32_t n) {
    Sym sym = {.kind = SYM_PRODUCT, .terms = factors, .n = n};
    return intern(syms, &sym);
}

SymRef sym_make_sum(Syms *syms, int64_t constant, const SymTerm *terms, uint32_t n) {
    if (n == 1 && constant == 0 && terms[0].coefficient == 1 && terms[0].atom->kind != SYM_PRODUCT)
        return terms[0].atom;
    if (n > SYM_MOST_TERMS) return sym_fail(syms, SYM_TOO_MANY);
    Sym sym = {.kind = SYM_SUM, .constant = constant, .terms = terms, .n = n};
    return intern(syms, &sym);
}

bool sym_is_int(SymRef a, int64_t *i) {
    if (a->kind != SYM_SUM || a->n != 0) return false;
    *i = a->constant;
    return true;
}

int sym_truth(SymRef condition) {
    if (condition->low > 0 || condition->high < 0) return 1;
    return condition->low == 0 && condition->high == 0 ? 0 : -1;
}
