/* print_flat.c: lists, tuples and dicts of a few numbers and plain texts, as repr() gives them, written in one go:
 * there is nothing in them that can fail or hold itself, and how long they can get is known beforehand. print.c has the
 * rest.
 */
#include "template/value/big.h"
#include "template/value/digits.h"
#include "template/value/inner.h"

/* So few that not much more room is asked for than is used, even at the end of what the output may have. */
enum { FLAT_MOST = 32, ITEM_ROOM = 48 /* of a number, or around a text; with what parts it from the next one */ };
_Static_assert((int)ITEM_ROOM >= (int)FLOAT_ROOM + 8 && (int)ITEM_ROOM >= (int)BIG_SHORT_ROOM + 8, "numbers fit");

/* What each takes at the most; 0 if it is not one of these. */
static inline size_t item_room(const Value *v) {
    switch (v->kind) {
    case V_NONE:
    case V_BOOL:
    case V_INT:
    case V_FLOAT:
        return ITEM_ROOM;
    case V_BIG:
        return v->as.big->n <= BIG_SHORT_LIMBS ? ITEM_ROOM : 0;
    case V_STR:
        return (v->flags & VAL_SAFE) == 0 ? v->n + ITEM_ROOM : 0;
    default:
        return 0;
    }
}

size_t val_flat_room(Value v) {
    size_t room = ITEM_ROOM;
    if (v.kind == V_LIST || v.kind == V_TUPLE) {
        const List *list = v.as.list;
        if (list->n > FLAT_MOST) return 0;
        for (uint32_t i = 0; i < list->n; i++) {
            const size_t n = item_room(&list->items[i]);
            if (n == 0) return 0;
            room += n;
        }
        return room;
    }
    if (v.kind == V_BIG) return item_room(&v);
    if (v.kind != V_DICT || v.as.dict->used != v.as.dict->live || v.as.dict->used > FLAT_MOST) return 0;
    for (uint32_t i = 0; i < v.as.dict->used; i++) {
        const DictEntry *entry = &v.as.dict->entries[i];
        const size_t key = item_room(&entry->key), value = item_room(&entry->value);
        if (key == 0 || value == 0) return 0;
        room += key + value;
    }
    return room;
}

#define EACH(byte) ((byte)*0x0101010101010101u)

/* Whether one of eight bytes is no ASCII character that stands for itself between single quotes. */
static inline uint64_t is_odd(uint64_t word) {
    const uint64_t quote = word ^ EACH('\''), backslash = word ^ EACH('\\');
    const uint64_t low = (word - EACH(0x20)) & ~word, high = word | (word + EACH(1));
    return (low | high | ((quote - EACH(1)) & ~quote) | ((backslash - EACH(1)) & ~backslash)) & EACH(0x80);
}

static inline uint64_t load_8(const char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

/* Fewer than 8 bytes, the first one lowest, and zeros. */
static inline uint64_t load_short(const char *p, size_t n) {
    const unsigned char *bytes = (const unsigned char *)p;
    if (n == 0) return 0;
    if (n < 4) return bytes[0] | (uint64_t)bytes[n / 2] << n / 2 * 8 | (uint64_t)bytes[n - 1] << (n - 1) * 8;
    uint64_t word = 0;
    for (size_t i = 0; i < 4; i++)
        word |= (uint64_t)bytes[i] << 8 * i | (uint64_t)bytes[n - 4 + i] << 8 * (n - 4 + i);
    return word;
}

/* Copies n bytes, and perhaps some more behind them; false if some of them are odd. */
static inline bool copy_plain(char *to, const char *from, size_t n) {
    uint64_t odd;
    if (n >= 8) {
        odd = is_odd(load_8(from + n - 8));
        for (size_t i = 0; i + 8 < n; i += 8) {
            odd |= is_odd(load_8(from + i));
            memcpy(to + i, from + i, 8);
        }
        memcpy(to + n - 8, from + n - 8, 8);
    } else {
        const uint64_t word = load_short(from, n);
        odd = is_odd(word | EACH(' ') << 8 * n);
        digits_store_8(to, word);
    }
    return odd == 0;
}

static inline char *put_item(char *to, const Value *v) {
    switch (v->kind) {
    case V_INT:
        return digits_write_int(to, v->as.i);
    case V_FLOAT:
        return float_write(to, v->as.f);
    case V_STR:
        *to++ = '\'';
        if (!copy_plain(to, v->as.s, v->n)) return NULL;
        to[v->n] = '\'';
        return to + v->n + 1;
    case V_BIG:
        return big_write_short(to, v->as.big);
    default:
        return constant_write(to, v);
    }
}

static inline char *put_two(char *to, const char *text) {
    memcpy(to, text, 2);
    return to + 2;
}

static char *put_list(char *to, const List *list) {
    for (uint32_t i = 0; i < list->n; i++) {
        if (i > 0) to = put_two(to, ", ");
        to = put_item(to, &list->items[i]);
        if (to == NULL) return NULL;
    }
    return to;
}

static char *put_dict(char *to, const Dict *dict) {
    for (uint32_t i = 0; i < dict->used; i++) {
        if (i > 0) to = put_two(to, ", ");
        to = put_item(to, &dict->entries[i].key);
        if (to == NULL) return NULL;
        to = put_item(put_two(to, ": "), &dict->entries[i].value);
        if (to == NULL) return NULL;
    }
    return to;
}

char *val_write_flat(char *to, Value v) {
    static const char opening[] = {[V_LIST] = '[', [V_TUPLE] = '(', [V_DICT] = '{'};
    static const char closing[] = {[V_LIST] = ']', [V_TUPLE] = ')', [V_DICT] = '}'};
    if (v.kind == V_BIG) return big_write_short(to, v.as.big);
    *to++ = opening[v.kind];
    to = v.kind == V_DICT ? put_dict(to, v.as.dict) : put_list(to, v.as.list);
    if (to == NULL) return NULL;
    if (v.kind == V_TUPLE && v.as.list->n == 1) *to++ = ',';
    *to++ = closing[v.kind];
    return to;
}
