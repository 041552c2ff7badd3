/* opgen_safetensors.c: safetensors headers. Whatever the bytes are, this ends in a usable table or in a text that says
 * where and why.
 *
 * The JSON in the header is of one shape, so its parser is a small one: strings, integers, and the objects that the
 * format names, in that order and no deeper. It works on a copy of the header and unescapes in place, since an escape
 * is never shorter than what it stands for.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "opgen_safetensors.h"
#include "opgen_internal.h"

#include <stdlib.h>

/* ---- dtypes of the format -----------------------------------------------------------------------------------------
 */

static const struct {
    const char *text;
    int32_t dtype, bits;
} stored_dtypes[] = {
    {"BOOL", OPGEN_BOOL, 8}, {"U8", OPGEN_U8, 8},    {"I8", OPGEN_I8, 8},      {"U16", OPGEN_U16, 16},
    {"I16", OPGEN_I16, 16},  {"U32", OPGEN_U32, 32}, {"I32", OPGEN_I32, 32},   {"U64", OPGEN_U64, 64},
    {"I64", OPGEN_I64, 64},  {"F16", OPGEN_F16, 16}, {"BF16", OPGEN_BF16, 16}, {"F32", OPGEN_F32, 32},
    {"F64", OPGEN_F64, 64},  {"C64", -1, 64},        {"F8_E4M3", -1, 8},       {"F8_E5M2", -1, 8},
    {"F8_E8M0", -1, 8},      {"F6_E2M3", -1, 6},     {"F6_E3M2", -1, 6},       {"F4", -1, 4},
};
enum { STORED_DTYPES = sizeof stored_dtypes / sizeof *stored_dtypes };

/* ---- the parser ---------------------------------------------------------------------------------------------------
 */

typedef struct Parser {
    const char *path;
    char *text; /* the copy */
    size_t at, size;
    OpgenSafetensors *file;
    size_t shape_count;
    uint64_t data_size;
} Parser;

/* The reader's position counts from the start of the file, as a hex editor shows it. */
static int bad(const Parser *p, const char *what) {
    return opgen_fail(OPGEN_BAD_FORMAT, "%s: byte %zu: bad safetensors header: %s", opgen_tail(p->path), p->at + 8,
                      what);
}

static void skip_space(Parser *p) {
    while (p->at < p->size &&
           (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' || p->text[p->at] == '\r'))
        p->at++;
}

/* Steps over a mark that must be there. */
static int expect(Parser *p, char mark) {
    skip_space(p);
    if (p->at < p->size && p->text[p->at] == mark) {
        p->at++;
        return OPGEN_OK;
    }
    char what[48] = "wanted \"?\", but it ends here";
    what[8] = mark;
    if (p->at < p->size) memcpy(what + 10, " here", 6);
    return bad(p, what);
}

static bool next_is(Parser *p, char mark) {
    skip_space(p);
    if (p->at >= p->size || p->text[p->at] != mark) return false;
    p->at++;
    return true;
}

/* After an element: a comma and more (true in *more), or the closing mark. */
static int comma_or(Parser *p, char close, bool *more) {
    *more = next_is(p, ',');
    return *more ? OPGEN_OK : expect(p, close);
}

static int hex4(Parser *p, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c = p->at < p->size ? (unsigned char)p->text[p->at] : 0;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return bad(p, "\\u wants four hex digits");
        *code = *code * 16 + (uint32_t)digit;
        p->at++;
    }
    return OPGEN_OK;
}

static size_t put_utf8(char *to, uint32_t code) {
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    to[0] = (char)(first[extra] | (code >> (6 * extra)));
    for (size_t i = 1; i <= extra; i++)
        to[i] = (char)(0x80 | ((code >> (6 * (extra - i))) & 0x3F));
    return extra + 1;
}

/* How many bytes the character at the place has; 0 when it is not UTF-8. */
static size_t utf8_length(const Parser *p) {
    const unsigned char *s = (const unsigned char *)p->text + p->at;
    size_t left = p->size - p->at;
    size_t extra = s[0] < 0x80                   ? 0
                   : s[0] >= 0xC2 && s[0] < 0xE0 ? 1
                   : (s[0] & 0xF0) == 0xE0       ? 2
                   : s[0] >= 0xF0 && s[0] < 0xF5 ? 3
                                                 : 4;
    if (extra == 4 || extra >= left) return 0;
    for (size_t i = 1; i <= extra; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    /* too long a form, a surrogate, beyond the last character */
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
        (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return extra + 1;
}

static int escape(Parser *p, char *to, size_t *length) {
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = p->at < p->size ? p->text[p->at] : '\0';
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        p->at++;
        to[0] = values[letter - letters];
        *length = 1;
        return OPGEN_OK;
    }
    if (c != 'u') return bad(p, "no such escape in a string");
    p->at++;
    uint32_t code, low;
    int status = hex4(p, &code);
    if (status) return status;
    if (code == 0) return bad(p, "a NUL in a string");
    if (code >= 0xDC00 && code < 0xE000) return bad(p, "half a surrogate pair");
    if (code >= 0xD800 && code < 0xDC00) {
        if (p->size - p->at < 2 || p->text[p->at] != '\\' || p->text[p->at + 1] != 'u')
            return bad(p, "half a surrogate pair");
        p->at += 2;
        if ((status = hex4(p, &low))) return status;
        if (low < 0xDC00 || low > 0xDFFF) return bad(p, "half a surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    *length = put_utf8(to, code);
    return OPGEN_OK;
}

/* The string is left in the copy, closed by a NUL where its quote was or before. */
static int read_string(Parser *p, const char **string) {
    int status = expect(p, '"');
    if (status) return status;
    char *to = p->text + p->at;
    *string = to;
    while (p->at < p->size) {
        unsigned char c = (unsigned char)p->text[p->at];
        size_t length = 0;
        if (c == '"') {
            p->at++;
            *to = '\0';
            return OPGEN_OK;
        }
        if (c < 0x20) return bad(p, "a control character in a string");
        if (c == '\\') {
            p->at++;
            if ((status = escape(p, to, &length))) return status;
        } else {
            length = utf8_length(p);
            if (length == 0) return bad(p, "not UTF-8");
            memmove(to, p->text + p->at, length);
            p->at += length;
        }
        to += length;
    }
    return bad(p, "a string that does not end");
}

/* Integers from 0 to 2^63 - 1, written plainly. */
static int read_integer(Parser *p, int64_t *value) {
    skip_space(p);
    size_t start = p->at;
    int64_t sum = 0;
    while (p->at < p->size && p->text[p->at] >= '0' && p->text[p->at] <= '9') {
        int digit = p->text[p->at] - '0';
        if (sum > (INT64_MAX - digit) / 10) return bad(p, "a number beyond 2^63 - 1");
        sum = sum * 10 + digit;
        p->at++;
    }
    if (p->at == start) return bad(p, "wanted an integer that is not negative");
    if (p->text[start] == '0' && p->at - start > 1) return bad(p, "a number with a leading 0");
    if (p->at < p->size && strchr(".eE", p->text[p->at]) && p->text[p->at])
        return bad(p, "wanted an integer, got a fraction");
    *value = sum;
    return OPGEN_OK;
}

/* ---- tensors ------------------------------------------------------------------------------------------------------
 */

/* Makes room for one more element, moving what is there. */
static int grow(const OpgenAllocator *memory, void **items, size_t *room, size_t count, size_t size) {
    if (count < *room) return OPGEN_OK;
    size_t wanted = *room == 0 ? 64 : *room * 2;
    void *larger = opgen_get_zeros(memory, wanted, size);
    if (!larger) return OPGEN_NO_MEMORY;
    if (count > 0) memcpy(larger, *items, count * size);
    opgen_give(memory, *items, *room * size);
    *items = larger;
    *room = wanted;
    return OPGEN_OK;
}

static int read_shape(Parser *p, OpgenStored *tensor) {
    int status = expect(p, '[');
    if (status || next_is(p, ']')) return status;
    for (bool more = true; more;) {
        if (tensor->rank == OPGEN_MAX_RANK) return bad(p, "a tensor of more than 64 axes");
        void *shapes = p->file->shapes;
        if ((status = grow(&p->file->memory, &shapes, &p->file->shape_room, p->shape_count, sizeof(int64_t))))
            return status;
        p->file->shapes = shapes;
        if ((status = read_integer(p, &p->file->shapes[p->shape_count]))) return status;
        p->shape_count++;
        tensor->rank++;
        if ((status = comma_or(p, ']', &more))) return status;
    }
    return OPGEN_OK;
}

static int read_offsets(Parser *p, OpgenStored *tensor) {
    int64_t begin, end;
    int status = expect(p, '[');
    if (!status) status = read_integer(p, &begin);
    if (!status) status = expect(p, ',');
    if (!status) status = read_integer(p, &end);
    if (!status) status = expect(p, ']');
    if (status) return status;
    if (end < begin) return bad(p, "data_offsets that end before they begin");
    if ((uint64_t)end > p->data_size) {
        return opgen_fail(OPGEN_BAD_FORMAT,
                          "%s: tensor \"%s\" ends at byte %lld of the data, which has %llu: the file was cut short or "
                          "its header lies",
                          opgen_tail(p->path), tensor->name, (long long)end, (unsigned long long)p->data_size);
    }
    tensor->begin = (uint64_t)begin;
    tensor->size = (uint64_t)(end - begin);
    return OPGEN_OK;
}

/* That the bytes are as many as dtype and shape say. The shape is not in place yet. */
static int check_size(const Parser *p, const OpgenStored *tensor, int32_t bits) {
    const int64_t *shape = p->file->shapes ? p->file->shapes + p->shape_count - tensor->rank : NULL;
    int64_t total = bits;
    for (int32_t i = 0; i < tensor->rank; i++) {
        if (!opgen_multiply(total, shape[i], &total)) {
            return opgen_fail(OPGEN_BAD_FORMAT, "%s: tensor \"%s\": its shape is too large for 64 bits",
                              opgen_tail(p->path), tensor->name);
        }
    }
    if (total % 8 == 0 && (uint64_t)total / 8 == tensor->size) return OPGEN_OK;
    char room[200];
    OpgenText text = {room, sizeof room, 0, 0};
    opgen_add_shape(&text, tensor->rank, shape);
    return opgen_fail(OPGEN_BAD_FORMAT, "%s: tensor \"%s\": %s %s takes %lld bytes, and its data_offsets have %llu",
                      opgen_tail(p->path), tensor->name, tensor->dtype_text, room,
                      (long long)(total / 8 + (total % 8 != 0)), (unsigned long long)tensor->size);
}

static int read_dtype(Parser *p, OpgenStored *tensor, int32_t *bits) {
    int status = read_string(p, &tensor->dtype_text);
    if (status) return status;
    for (int i = 0; i < STORED_DTYPES; i++) {
        if (strcmp(tensor->dtype_text, stored_dtypes[i].text) == 0) {
            tensor->dtype = stored_dtypes[i].dtype;
            *bits = stored_dtypes[i].bits;
            return OPGEN_OK;
        }
    }
    return opgen_fail(OPGEN_BAD_FORMAT, "%s: tensor \"%s\": there is no dtype \"%.40s\" in the format",
                      opgen_tail(p->path), tensor->name, tensor->dtype_text);
}

static int read_tensor(Parser *p, const char *name) {
    enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
    OpgenStored tensor = {.name = name};
    int32_t bits = 0;
    int seen = 0, status = expect(p, '{');
    for (bool more = true; more && !status;) {
        const char *key;
        if ((status = read_string(p, &key)) || (status = expect(p, ':'))) return status;
        int which = strcmp(key, "dtype") == 0          ? DTYPE
                    : strcmp(key, "shape") == 0        ? SHAPE
                    : strcmp(key, "data_offsets") == 0 ? OFFSETS
                                                       : 0;
        if (which == 0 || (seen & which) != 0) {
            return opgen_fail(OPGEN_BAD_FORMAT, "%s: tensor \"%s\": key \"%.40s\" %s", opgen_tail(p->path), name, key,
                              which == 0 ? "is not of the format, which has dtype, shape and data_offsets"
                                         : "is there twice");
        }
        seen |= which;
        status = which == DTYPE   ? read_dtype(p, &tensor, &bits)
                 : which == SHAPE ? read_shape(p, &tensor)
                                  : read_offsets(p, &tensor);
        if (!status) status = comma_or(p, '}', &more);
    }
    if (status) return status;
    if (seen != (DTYPE | SHAPE | OFFSETS)) {
        return opgen_fail(OPGEN_BAD_FORMAT, "%s: tensor \"%s\" has no %s", opgen_tail(p->path), name,
                          !(seen & DTYPE)   ? "dtype"
                          : !(seen & SHAPE) ? "shape"
                                            : "data_offsets");
    }
    if ((status = check_size(p, &tensor, bits))) return status;
    OpgenSafetensors *file = p->file;
    if (file->count == INT32_MAX) return bad(p, "too many tensors");
    void *tensors = file->tensors;
    status = grow(&file->memory, &tensors, &file->tensor_room, (size_t)file->count, sizeof tensor);
    file->tensors = tensors;
    if (!status) file->tensors[file->count++] = tensor;
    return status;
}

/* "__metadata__": text to text, which nothing here reads. */
static int skip_metadata(Parser *p) {
    int status = expect(p, '{');
    if (status || next_is(p, '}')) return status;
    for (bool more = true; more && !status;) {
        const char *text;
        if (!(status = read_string(p, &text)) && !(status = expect(p, ':')) && !(status = read_string(p, &text)))
            status = comma_or(p, '}', &more);
    }
    return status;
}

static int read_header(Parser *p) {
    int status = OPGEN_OK;
    if (p->size == 0 || p->text[0] != '{') return bad(p, "it does not begin with \"{\": this is no safetensors file");
    p->at = 1;
    bool metadata = false, more = !next_is(p, '}');
    while (more && !status) {
        const char *name;
        if ((status = read_string(p, &name)) || (status = expect(p, ':'))) return status;
        if (strcmp(name, "__metadata__") == 0) {
            if (metadata) return bad(p, "\"__metadata__\" is there twice");
            metadata = true;
            status = skip_metadata(p);
        } else {
            status = read_tensor(p, name);
        }
        if (!status) status = comma_or(p, '}', &more);
    }
    if (status) return status;
    skip_space(p);
    return p->at == p->size ? OPGEN_OK : bad(p, "text after the closing brace");
}

/* ---- the table ----------------------------------------------------------------------------------------------------
 */

static int by_place(const void *a, const void *b) {
    const OpgenStored *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->size != y->size ? (x->size < y->size ? -1 : 1) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const OpgenStored *)a)->name, ((const OpgenStored *)b)->name);
}

/* Shapes get their place when the list of them has stopped moving; then the bytes are followed from first to last. */
static int check_table(Parser *p) {
    OpgenSafetensors *file = p->file;
    size_t next_shape = 0;
    for (int32_t i = 0; i < file->count; i++) {
        file->tensors[i].shape = file->shapes ? file->shapes + next_shape : NULL;
        next_shape += (size_t)file->tensors[i].rank;
    }
    size_t count = (size_t)file->count;
    if (count > 0) qsort(file->tensors, count, sizeof *file->tensors, by_place);
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        const OpgenStored *tensor = &file->tensors[i];
        if (tensor->begin != end) {
            return opgen_fail(
                OPGEN_BAD_FORMAT,
                "%s: tensor \"%s\" begins at byte %llu of the data, and what is before it ends at %llu: %s",
                opgen_tail(p->path), tensor->name, (unsigned long long)tensor->begin, (unsigned long long)end,
                tensor->begin < end ? "they overlap" : "there is a hole");
        }
        end += tensor->size;
    }
    if (end != p->data_size) {
        return opgen_fail(OPGEN_BAD_FORMAT,
                          "%s: the tensors end at byte %llu of the data, which has %llu: bytes that no tensor has",
                          opgen_tail(p->path), (unsigned long long)end, (unsigned long long)p->data_size);
    }
    if (count > 0) qsort(file->tensors, count, sizeof *file->tensors, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(file->tensors[i].name, file->tensors[i - 1].name) == 0)
            return opgen_fail(OPGEN_BAD_FORMAT, "%s: tensor \"%s\" is there twice", opgen_tail(p->path),
                              file->tensors[i].name);
        file->tensors[i].begin += 8 + p->size;
    }
    return OPGEN_OK;
}

/* The length that the first 8 bytes give, held against what there is. */
static int header_length(const char *path, const unsigned char *bytes, uint64_t file_size, size_t *length) {
    if (file_size < 8) {
        return opgen_fail(OPGEN_BAD_FORMAT, "%s: %llu bytes are no safetensors file: the length of its header takes 8",
                          opgen_tail(path), (unsigned long long)file_size);
    }
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    if (value > OPGEN_SAFETENSORS_MAX_HEADER || value > file_size - 8) {
        return opgen_fail(OPGEN_BAD_FORMAT,
                          "%s: its first 8 bytes say that %llu bytes of header follow, and %s: the file was cut short "
                          "or is no safetensors "
                          "file",
                          opgen_tail(path), (unsigned long long)value,
                          value > file_size - 8 ? "it has fewer" : "a header has at most 100,000,000");
    }
    *length = (size_t)value;
    return OPGEN_OK;
}

/* The header is in file->text. */
static int parse_copy(const char *path, size_t length, uint64_t file_size, OpgenSafetensors *file) {
    const union {
        uint16_t number;
        unsigned char first;
    } order = {1};
    if (order.first != 1)
        return opgen_fail(OPGEN_BAD_FORMAT, "%s: safetensors are little-endian, and this machine is not",
                          opgen_tail(path));
    Parser parser = {
        .path = path, .text = file->text, .size = length, .file = file, .data_size = file_size - 8 - length};
    int status = read_header(&parser);
    if (!status) status = check_table(&parser);
    if (status) opgen_safetensors_free(file);
    return status;
}

static int start(size_t length, const OpgenAllocator *memory, OpgenSafetensors *file) {
    memset(file, 0, sizeof *file);
    file->memory = opgen_allocator_or_default(memory);
    file->text_size = length;
    file->text = opgen_get(&file->memory, length, 1);
    return file->text ? OPGEN_OK : OPGEN_NO_MEMORY;
}

int opgen_safetensors_parse(const char *path, const void *bytes, size_t size, uint64_t file_size,
                            const OpgenAllocator *memory, OpgenSafetensors *file) {
    memset(file, 0, sizeof *file);
    size_t length;
    int status = header_length(path, bytes, size < 8 ? size : file_size, &length);
    if (!status && length > size - 8) {
        status = opgen_fail(OPGEN_BAD_ARGUMENT, "%s: the header has %zu bytes, of which %zu were given",
                            opgen_tail(path), length, size - 8);
    }
    if (!status) status = start(length, memory, file);
    if (status) return status;
    if (length > 0) memcpy(file->text, (const char *)bytes + 8, length);
    return parse_copy(path, length, file_size, file);
}

int opgen_safetensors_read(const char *path, int fd, uint64_t file_size, const OpgenAllocator *memory,
                           OpgenSafetensors *file) {
    memset(file, 0, sizeof *file);
    unsigned char bytes[8] = {0};
    size_t length;
    int status = opgen_read_at(fd, path, bytes, file_size < 8 ? 0 : 8, 0);
    if (!status) status = header_length(path, bytes, file_size, &length);
    if (!status) status = start(length, memory, file);
    if (status) return status;
    if ((status = opgen_read_at(fd, path, file->text, length, 8))) {
        opgen_safetensors_free(file);
        return status;
    }
    return parse_copy(path, length, file_size, file);
}

const OpgenStored *opgen_safetensors_find(const OpgenSafetensors *file, const char *name) {
    OpgenStored wanted = {.name = name};
    return file->count == 0 ? NULL : bsearch(&wanted, file->tensors, (size_t)file->count, sizeof wanted, by_name);
}

void opgen_safetensors_free(OpgenSafetensors *file) {
    if (file->memory.free) {
        opgen_give(&file->memory, file->text, file->text_size);
        opgen_give(&file->memory, file->tensors, file->tensor_room * sizeof *file->tensors);
        opgen_give(&file->memory, file->shapes, file->shape_room * sizeof *file->shapes);
    }
    memset(file, 0, sizeof *file);
}
