/* freeze_file.c: the weights of a frozen model as a file of the set, beside which its library will lie.
 *
 * In the order of their elements' sizes, the largest first, so that each lies at a multiple of its own and the runtime
 * can map the file; the header is filled up with blanks for the same reason, as the format allows.
 */
#include "emit/profile.h"

#include "json/json.h"

#include <opgen_safetensors.h>

enum { ALIGN = 64, LENGTH = 8 };

/* What the format calls it. */
static Str stored_dtype(Arena *arena, Dtype dtype) {
    Str name = str_c(dtype_name(dtype));
    char *upper = arena_copy(arena, name.p, name.n);
    for (size_t i = 0; i < name.n; i++)
        if (upper[i] >= 'a' && upper[i] <= 'z') upper[i] = (char)(upper[i] - 'a' + 'A');
    return str(upper, name.n);
}

static void add_entry(EmitContext *context, Buf *header, const Tensor *param, uint64_t begin, uint64_t size) {
    buf_add(header, S(", "));
    json_quote(header, param->key);
    buf_format(header, ": {\"dtype\": \"%S\", \"shape\": [", stored_dtype(context->arena, param->type.dtype));
    for (uint32_t d = 0; d < param->type.shape.rank; d++) {
        int64_t dim = 0;
        sym_is_int(param->type.shape.dims[d], &dim);
        buf_format(header, d > 0 ? ", %lld" : "%lld", (long long)dim);
    }
    buf_format(header, "], \"data_offsets\": [%llu, %llu]}", (unsigned long long)begin,
               (unsigned long long)(begin + size));
}

bool emit_frozen_file(EmitContext *context) {
    Graph *graph = context->graph;
    if (context->frozen == NULL) return true;
    graph->weights = S("");
    if (graph->params.n == 0) return true;
    Buf header, data, file;
    buf_init(&header, context->arena);
    buf_init(&data, context->arena);
    buf_init(&file, context->arena);
    buf_format(&header, "{\"__metadata__\": {\"generated\": \"by opgen %S from the weights of %S: do not edit\"}",
               context->options->version, name_str(graph->name));
    for (uint32_t size = 8; size > 0; size /= 2)
        for (uint32_t i = 0; i < graph->params.n; i++) {
            if (dtype_size(graph->params.items[i]->type.dtype) != size) continue;
            add_entry(context, &header, graph->params.items[i], data.n, context->frozen[i].n);
            buf_add(&data, context->frozen[i]);
        }
    buf_char(&header, '}');
    buf_fill(&header, ' ', (ALIGN - (LENGTH + header.n) % ALIGN) % ALIGN);
    for (unsigned i = 0; i < LENGTH; i++)
        buf_char(&file, (char)(header.n >> (8 * i) & 0xff));
    buf_add(&file, buf_str(&header));
    buf_add(&file, buf_str(&data));
    graph->weights = str_format(context->arena, "%S.frozen.safetensors", name_str(graph->name));
    return emit_add(context, graph->weights, buf_str(&file));
}
