/* emit_weights.c: weights as data of the library.
 *
 * A table of 64-bit words is what every compiler takes, whatever the machine that it runs on; for one that orders bytes
 * the other way the file says so instead of being wrong. Files are kept small, so that they are compiled side by side:
 * params fill one up to its size, and one that is larger than that has a file of its own.
 */
#include "emit/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <opgen_safetensors.h>

enum { ALIGN = 64, WORD = 8, MOST_IN_FILE = 1 << 20, WORDS_IN_LINE = 6 };

/* ---- the file, read with the runtime's own reader */
static void *alloc_in(void *arena, size_t size, size_t align) {
    if (align > 16) return NULL;
    return arena_zalloc(arena, size < 16 ? 16 : size);
}

static void free_in(void *arena, void *memory, size_t size) {
    (void)arena;
    (void)memory;
    (void)size;
}

/* What is done with the weights, for messages. */
typedef struct Checked {
    Arena *arena;
    const Graph *graph;
    const char *done; /* "embedded" */
} Checked;

static bool wrong(const Checked *checked, const Tensor *param, const char *why) {
    diag_error(checked->graph->diags, E_MISMATCH, param->place, "param \"%s\" cannot be %s: %s", param->name->p,
               checked->done, why);
    return false;
}

static bool check_param(const Checked *checked, const Tensor *param, const OpgenStored *stored) {
    Arena *arena = checked->arena;
    Dtype dtype = param->type.dtype;
    if (stored == NULL && str_eq(param->key, name_str(param->name)))
        return wrong(checked, param, "the weights have no tensor of this name");
    if (stored == NULL) {
        Str why = str_format(arena, "the weights have no tensor %Q, which is its key", param->key);
        return wrong(checked, param, str_to_c(arena, why));
    }
    bool same = stored->dtype >= 0 && (uint32_t)stored->rank == param->type.shape.rank &&
                strcmp(opgen_dtype_name((OpgenDtype)stored->dtype), dtype_name(dtype)) == 0;
    Buf shape;
    buf_init(&shape, arena);
    for (int32_t d = 0; d < stored->rank; d++) {
        int64_t size = -1;
        same = same && sym_is_int(param->type.shape.dims[d], &size) && size == stored->shape[d];
        buf_format(&shape, "%s%lld", d > 0 ? ", " : "", (long long)stored->shape[d]);
    }
    if (same) return true;
    Buf wanted;
    buf_init(&wanted, arena);
    rule_print_shape(&wanted, param->type.shape);
    Str why = str_format(arena, "the model wants %s %S, the weights have %s (%S%s)", dtype_name(dtype),
                         buf_str(&wanted), stored->dtype_text, buf_str(&shape), stored->rank == 1 ? "," : "");
    return wrong(checked, param, str_to_c(arena, why));
}

static const OpgenStored *find_stored(Arena *arena, const OpgenSafetensors *file, const Tensor *param) {
    return opgen_safetensors_find(file, str_to_c(arena, param->key));
}

static bool check_params(const Checked *checked, const OpgenSafetensors *file) {
    const Graph *graph = checked->graph;
    bool good = true;
    for (uint32_t i = 0; i < graph->params.n; i++)
        good &= check_param(checked, graph->params.items[i], find_stored(checked->arena, file, graph->params.items[i]));
    return good;
}

/* The header alone is read. The descriptor is closed on every way out. */
static int read_header(Arena *arena, const char *path, int fd, uint64_t size, OpgenSafetensors *file) {
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        close(fd);
        mem_fail(trap.why, trap.wanted);
    }
    OpgenAllocator memory = {alloc_in, free_in, arena};
    int status = opgen_safetensors_read(path, fd, size, &memory, file);
    mem_untrap(&trap);
    close(fd);
    return status;
}

bool emit_check_weights(Arena *arena, const Graph *graph, Str path) {
    if (graph->params.n == 0) return true;
    const char *name = str_to_c(arena, path);
    struct stat about;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int error = fd < 0 || fstat(fd, &about) != 0 ? errno : 0;
    if (error == 0 && !S_ISREG(about.st_mode)) error = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    if (error != 0) {
        if (fd >= 0) close(fd);
        Diag *diag =
            diag_error(graph->diags, E_IO, graph->weights_at, "cannot read the weights %Q: %s", path, strerror(error));
        if (error == ENOENT) diag_hint(graph->diags, diag, "the model names them, relative to its folder");
        return false;
    }
    OpgenSafetensors file;
    if (read_header(arena, name, fd, (uint64_t)about.st_size, &file) != OPGEN_OK) {
        diag_error(graph->diags, E_IO, span(NULL, 0, 0), "%s", opgen_last_error());
        return false;
    }
    return check_params(&(Checked){arena, graph, "loaded"}, &file);
}

/* ---- the sources */
typedef struct Weights {
    EmitContext *context;
    Str *at; /* by param */
    Buf table;
    uint32_t file;
    uint64_t words; /* in the table */
} Weights;

static void add_word(Weights *weights, const char *from, size_t n) {
    static const char digits[] = "0123456789abcdef";
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)(unsigned char)from[i] << (8 * i);
    char *to = buf_room(&weights->table, 24);
    size_t at = 0;
    if (weights->words % WORDS_IN_LINE == 0) memcpy(to, "    ", 4), at = 4;
    to[at++] = '0', to[at++] = 'x';
    unsigned shift = 60;
    while (shift > 0 && word >> shift == 0)
        shift -= 4;
    for (;; shift -= 4) {
        to[at++] = digits[word >> shift & 15];
        if (shift == 0) break;
    }
    to[at++] = ',';
    to[at++] = ++weights->words % WORDS_IN_LINE == 0 ? '\n' : ' ';
    weights->table.n += at;
}

static bool finish_file(Weights *weights) {
    EmitContext *context = weights->context;
    Str model = name_str(context->graph->name), ext = S(".c");
    if (weights->words == 0) return true;
    Str from = driver_comment(context->arena, context->options->model_name);
    Str name = str_format(context->arena, "%S_weights_%u", model, (unsigned)weights->file);
    Str text =
        str_format(context->arena,
                   "/* Generated by opgen %S from the weights of %S: do not edit. */\n#include \"%S_weights.h\"\n\n"
                   "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
                   "#error \"these weights are written for little-endian machines\"\n#endif\n\nconst uint64_t %S[%llu] "
                   "= {\n%S%s};\n",
                   context->options->version, from, model, name, (unsigned long long)weights->words,
                   buf_str(&weights->table), weights->words % WORDS_IN_LINE == 0 ? "" : "\n");
    Str file = str_format(context->arena, "%S%S", name, ext);
    *VEC_PUSH(context->arena, &context->files.sources) = file;
    weights->file++;
    weights->words = 0;
    buf_init(&weights->table, context->arena);
    return emit_add(context, file, text);
}

static bool add_param(Weights *weights, uint32_t number, Str bytes) {
    EmitContext *context = weights->context;
    bool good = true;
    if (weights->words * WORD + bytes.n > MOST_IN_FILE) good = finish_file(weights);
    weights->at[number] = str_format(context->arena, "%S_weights_%u + %llu", name_str(context->graph->name),
                                     (unsigned)weights->file, (unsigned long long)weights->words);
    for (size_t i = 0; i < bytes.n; i += WORD)
        add_word(weights, bytes.p + i, bytes.n - i < WORD ? bytes.n - i : WORD);
    if (bytes.n == 0) add_word(weights, NULL, 0); /* even nothing has a place */
    while (weights->words % (ALIGN / WORD) != 0)
        add_word(weights, NULL, 0);
    return good;
}

static bool add_header(Weights *weights) {
    EmitContext *context = weights->context;
    Str model = name_str(context->graph->name);
    Buf text;
    buf_init(&text, context->arena);
    buf_format(&text,
               "/* Generated by opgen %S from the weights of %S: do not edit. */\n#ifndef OPGEN_WEIGHTS_%S_H\n"
               "#define OPGEN_WEIGHTS_%S_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
               context->options->version, driver_comment(context->arena, context->options->model_name), model, model);
    for (uint32_t i = 0; i < weights->file; i++)
        buf_format(&text, "extern const uint64_t %S_weights_%u[] __attribute__((aligned(%d)));\n", model, (unsigned)i,
                   ALIGN);
    buf_add(&text, S("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"));
    Str file = str_format(context->arena, "%S_weights.h", model);
    *VEC_PUSH(context->arena, &context->files.headers) = file;
    return emit_add(context, file, buf_str(&text));
}

static bool add_all(EmitContext *context, const Str *bytes, Str *at) {
    const Graph *graph = context->graph;
    Weights weights = {.context = context, .at = at};
    buf_init(&weights.table, context->arena);
    bool good = true;
    for (uint32_t i = 0; i < graph->params.n; i++)
        good &= add_param(&weights, i, bytes[i]);
    good &= finish_file(&weights);
    return good & add_header(&weights);
}

Str *emit_read_weights(EmitContext *context, const char *act, const char *done) {
    Graph *graph = context->graph;
    Arena *arena = context->arena;
    Str path = context->options->weights, bytes;
    if (path.n == 0) {
        Diag *diag = diag_error(graph->diags, E_MISSING, span(graph->source, 0, 0),
                                "there are no weights to %s: the model names no file of weights", act);
        diag_hint(graph->diags, diag, "give it \"weights\": \"FILE.safetensors\"");
        return NULL;
    }
    if (!file_read(arena, path, span(NULL, 0, 0), graph->diags, &bytes)) return NULL;
    Str name = path;
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] == '/') name = str_sub(path, i + 1, path.n);
    emit_input(context, path, graph->weights.n > 0 ? graph->weights : name, bytes);
    OpgenAllocator memory = {alloc_in, free_in, arena};
    OpgenSafetensors file;
    if (opgen_safetensors_parse(str_to_c(arena, path), bytes.p, bytes.n, bytes.n, &memory, &file) != OPGEN_OK) {
        diag_error(graph->diags, E_IO, span(NULL, 0, 0), "%s", opgen_last_error());
        return NULL;
    }
    if (!check_params(&(Checked){arena, graph, done}, &file)) return NULL;
    Str *all = ARENA_ARRAY(arena, Str, (size_t)graph->params.n + 1);
    for (uint32_t i = 0; i < graph->params.n; i++) {
        const OpgenStored *stored = find_stored(arena, &file, graph->params.items[i]);
        all[i] = str(bytes.p + stored->begin, stored->size);
    }
    return all;
}

bool emit_weights(EmitContext *context, const Str **embedded) {
    const uint32_t n = context->graph->params.n;
    *embedded = NULL;
    if (!context->options->embed || n == 0) return true;
    Str *bytes = context->frozen != NULL ? context->frozen : emit_read_weights(context, "embed", "embedded");
    if (bytes == NULL) return false;
    if (context->profile != NULL) {
        context->profile->weights = bytes;
        return true;
    }
    Str *at = ARENA_ARRAY(context->arena, Str, (size_t)n + 1);
    *embedded = at;
    return add_all(context, bytes, at);
}
