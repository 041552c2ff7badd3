/* view_key.c: answers about views, remembered.
 *
 * A model has the same few views again and again, layer by layer, and what their rules say depends on the operator, its
 * attributes and the types around it alone, never on which tensors these are. So an answer is kept under all of that as
 * bytes. Sizes are Syms, which exist once each, so their addresses say which they are. The memory is bounded: when it
 * is full it begins anew, for what it holds can always be asked again.
 */
#include "pass/inner.h"

enum { MOST_ANSWERS = 1 << 16, MOST_BYTES = 16 << 20 };

void view_memory_init(ViewMemory *memory, Arena *arena) {
    *memory = (ViewMemory){.arena = arena, .mark = arena_mark(arena)};
    names_init(&memory->keys, arena);
    map_init(&memory->answers, arena);
    buf_init(&memory->text, arena);
}

void view_memory_trim(ViewMemory *memory) {
    if (memory->answers.n < MOST_ANSWERS && memory->bytes < MOST_BYTES) return;
    Arena *arena = memory->arena;
    arena_reset(arena, memory->mark);
    view_memory_init(memory, arena);
}

static void add_bytes(Buf *key, const void *p, size_t n) { buf_add(key, str((const char *)p, n)); }

static void add_number(Buf *key, uint32_t number) { add_bytes(key, &number, sizeof number); }

static void add_type(Buf *key, const RuleTensor *type) {
    add_number(key, (uint32_t)type->dtype);
    add_number(key, type->shape.rank);
    add_bytes(key, type->shape.dims, type->shape.rank * sizeof *type->shape.dims);
}

/* Lists are of numbers, so there is no depth to speak of. */
static void add_value(Buf *key, const RuleValue *value) {
    add_number(key, (uint32_t)value->kind);
    switch (value->kind) {
    case RULE_NONE:
        break;
    case RULE_BOOL:
    case RULE_INT:
        add_bytes(key, &value->as.i, sizeof value->as.i);
        break;
    case RULE_FLOAT:
        add_bytes(key, &value->as.f, sizeof value->as.f);
        break;
    case RULE_TEXT:
        add_number(key, (uint32_t)value->as.s.n);
        buf_add(key, value->as.s);
        break;
    case RULE_LIST:
        add_number(key, value->as.list.n);
        for (uint32_t i = 0; i < value->as.list.n; i++)
            add_value(key, &value->as.list.items[i]);
        break;
    case RULE_TENSOR:
        add_type(key, value->as.tensor);
        break;
    case RULE_DTYPE:
        add_number(key, (uint32_t)value->as.dtype);
        break;
    }
}

Name view_key(ViewMemory *memory, const Node *node) {
    Buf *key = &memory->text;
    const OpDef *op = node->op;
    key->n = 0;
    add_bytes(key, &op, sizeof op);
    for (uint32_t i = 0; i < op->attrs.n; i++)
        add_value(key, &node->attrs[i]);
    for (uint32_t i = 0; i < op->inputs.n; i++) {
        const RuleScalar *scalar = graph_scalar(node, i);
        add_number(key, node->counts[i]);
        add_number(key, scalar == NULL ? 0 : (uint32_t)scalar->text.n);
        if (scalar != NULL) {
            add_number(key, (uint32_t)scalar->dtype);
            buf_add(key, scalar->text);
        }
        for (uint32_t k = 0; k < node->counts[i]; k++)
            add_type(key, &node->inputs[i][k]->type);
    }
    for (uint32_t k = 0; k < node->output_n; k++) {
        add_number(key, node->outputs[k] != NULL);
        if (node->outputs[k] != NULL) add_type(key, &node->outputs[k]->type);
    }
    memory->bytes += key->n;
    return names_get(&memory->keys, buf_str(key));
}

Name view_key_at(ViewMemory *memory, Name kind, uint32_t output, const SymRef *at, uint32_t rank) {
    Buf *key = &memory->text;
    key->n = 0;
    add_bytes(key, &kind, sizeof kind);
    add_number(key, output);
    add_bytes(key, at, rank * sizeof *at);
    memory->bytes += key->n;
    return names_get(&memory->keys, buf_str(key));
}
