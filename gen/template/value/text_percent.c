/* text_percent.c: "format % values".
 *
 * The language is that of Python's %: flags, width and precision (also as '*'), a key in parentheses that is looked up
 * in a mapping, and the conversions d i u o x X e E f F g G c s r a. A safe format escapes what is put into it. */
#include "template/value/text.h"

#include <math.h>

typedef struct Percent {
    Run *run;
    Buf out;
    bool safe; /* the format is: what goes in is escaped */
    Value args;
    const List *tuple;   /* NULL: one value */
    bool taken;          /* the one value was */
    uint32_t next;       /* of the tuple */
    Value from;          /* what "%(name)s" looks in: the args as they were given */
    bool mapping;        /* it could be a mapping, so it need not be used up */
    const char *p, *end; /* the rest of the format */
} Percent;

typedef struct Spec {
    bool left, plus, blank, alternate, zero;
    int64_t width;     /* 0: none */
    int64_t precision; /* -1: none */
    char letter;
} Spec;

static Value next_value(Percent *state) {
    if (state->tuple != NULL) {
        if (state->next < state->tuple->n) return state->tuple->items[state->next++];
        run_fail(state->run, "%%: not enough values for the format; there are %u", state->tuple->n);
    }
    if (state->taken) run_fail(state->run, "%%: not enough values for the format; there is 1");
    state->taken = true;
    return state->args;
}

static Value find_key(Percent *state, Str key) {
    Run *run = state->run;
    if (state->from.kind == V_UNDEFINED) run_fail_undefined(run, state->from);
    if (state->from.kind != V_DICT)
        run_fail(run, "%%: \"%%(%S)\" wants a dict, not %s", key, val_type_name(state->from));
    Value *found = dict_find(run, state->from.as.dict, val_str(run, key));
    if (found == NULL) run_fail(run, "%%: the dict has no key %Q", key);
    return *found;
}

/* "(name)": the value is then the one to be converted next. */
static void read_key(Percent *state) {
    const char *from = ++state->p;
    for (int depth = 1; state->p < state->end; state->p++) {
        if (*state->p == '(') depth++;
        if (*state->p == ')' && --depth == 0) break;
    }
    if (state->p == state->end) run_fail(state->run, "%%: \"%%(\" is not closed by \")\"");
    state->args = find_key(state, str(from, (size_t)(state->p++ - from)));
    state->tuple = NULL;
    state->taken = false;
}

static int64_t read_count(Percent *state, const char *what) {
    if (state->p < state->end && *state->p == '*') {
        state->p++;
        Value v = next_value(state);
        if (state->safe || (v.kind != V_INT && v.kind != V_BOOL))
            run_fail(state->run, "%%: \"*\" wants an int for the %s, not %s", what,
                     state->safe ? "a value of a safe text, which is escaped" : val_type_name(v));
        int64_t n = v.kind == V_BOOL ? v.as.b : v.as.i;
        if (n > TEXT_MOST_WIDTH || n < -TEXT_MOST_WIDTH)
            run_fail_as(state->run, E_LIMIT, S(""), "%%: a %s of %lld is more than %d", what, (long long)n,
                        TEXT_MOST_WIDTH);
        return n;
    }
    int64_t n = 0;
    for (; state->p < state->end && *state->p >= '0' && *state->p <= '9'; state->p++) {
        n = n * 10 + (*state->p - '0');
        if (n > TEXT_MOST_WIDTH)
            run_fail_as(state->run, E_LIMIT, S(""), "%%: the %s is more than %d", what, TEXT_MOST_WIDTH);
    }
    return n;
}

static Spec read_spec(Percent *state) {
    Spec spec = {.precision = -1};
    if (state->p < state->end && *state->p == '(') read_key(state);
    for (; state->p < state->end; state->p++) {
        char c = *state->p;
        if (c == '-')
            spec.left = true;
        else if (c == '+')
            spec.plus = true;
        else if (c == ' ')
            spec.blank = true;
        else if (c == '#')
            spec.alternate = true;
        else if (c == '0')
            spec.zero = true;
        else
            break;
    }
    spec.width = read_count(state, "width");
    if (spec.width < 0) spec.left = true, spec.width = -spec.width;
    if (state->p < state->end && *state->p == '.') {
        state->p++;
        spec.precision = read_count(state, "precision");
        if (spec.precision < 0) spec.precision = 0;
    }
    if (state->p < state->end && (*state->p == 'h' || *state->p == 'l' || *state->p == 'L')) state->p++;
    if (state->p == state->end)
        run_fail(state->run, "%%: the format ends within a \"%%\"; \"%%%%\" is the sign itself");
    spec.letter = *state->p++;
    return spec;
}

static void add_text(Percent *state, const Spec *spec, Str s) {
    if (spec->precision >= 0 && (uint64_t)spec->precision < s.n)
        s = str_sub(s, 0, text_offset(s, (size_t)spec->precision));
    size_t n = spec->width == 0 ? 0 : str_count(s);
    size_t pad = (size_t)spec->width > n ? (size_t)spec->width - n : 0;
    text_pad(&state->out, s, ' ', spec->left ? 0 : pad, spec->left ? pad : 0);
}

/* digits: without the sign, and with the prefix of an alternate form as its first `prefix` bytes. */
static void add_number(Percent *state, const Spec *spec, bool negative, Str digits, size_t prefix) {
    Buf *out = &state->out;
    char sign = negative ? '-' : spec->plus ? '+' : spec->blank ? ' ' : '\0';
    size_t n = digits.n + (sign != '\0');
    size_t pad = (size_t)spec->width > n ? (size_t)spec->width - n : 0;
    bool zeros = spec->zero && !spec->left;
    if (!spec->left && !zeros) buf_fill(out, ' ', pad);
    if (sign != '\0') buf_char(out, sign);
    buf_add(out, str_sub(digits, 0, prefix));
    if (zeros) buf_fill(out, '0', pad);
    buf_add(out, str_sub(digits, prefix, digits.n));
    if (spec->left) buf_fill(out, ' ', pad);
}

NORETURN static void fail_conversion(Percent *state, const Spec *spec, const char *wanted, Value v) {
    if (run_undefined_fails(state->run, v)) run_fail_undefined(state->run, v);
    run_fail(state->run, "%%: \"%%%c\" wants %s, not %s", spec->letter, wanted, val_type_name(v));
}

static void convert_integer(Percent *state, const Spec *spec, Value v) {
    Run *run = state->run;
    bool decimal = spec->letter == 'd' || spec->letter == 'i' || spec->letter == 'u';
    if (!decimal && state->safe)
        run_fail(run, "%%: a safe text takes no \"%%%c\"; format the number first", spec->letter);
    if (decimal && v.kind == V_FLOAT) {
        if (!isfinite(v.as.f))
            run_fail(run, "%%: \"%%%c\" cannot take %s", spec->letter, isnan(v.as.f) ? "NaN" : "infinity");
        v = val_of_double_int(run, v.as.f);
    }
    if (!val_is_int(v)) fail_conversion(state, spec, decimal ? "a number" : "an int", v);
    Buf digits;
    buf_init(&digits, run->arena);
    size_t prefix = 0;
    unsigned base = decimal ? 10 : spec->letter == 'o' ? 8 : 16;
    if (spec->alternate && base != 10) {
        buf_add(&digits, base == 8 ? S("0o") : spec->letter == 'X' ? S("0X") : S("0x"));
        prefix = 2;
    }
    Buf plain;
    buf_init(&plain, run->arena);
    text_digits(&plain, v, base);
    if (spec->precision > 0 && (size_t)spec->precision > plain.n)
        buf_fill(&digits, '0', (size_t)spec->precision - plain.n);
    buf_add(&digits, buf_str(&plain));
    if (spec->letter == 'X')
        for (size_t i = 0; i < digits.n; i++)
            if (digits.p[i] >= 'a' && digits.p[i] <= 'f') digits.p[i] = (char)(digits.p[i] - 32);
    add_number(state, spec, text_is_negative(v), buf_str(&digits), prefix);
}

static void convert_float(Percent *state, const Spec *spec, Value v) {
    if (!val_is_number(v)) fail_conversion(state, spec, "a number", v);
    Buf text;
    buf_init(&text, state->run->arena);
    char lower = (char)(spec->letter | 32);
    text_float(&text, val_to_double(state->run, v), lower, spec->precision < 0 ? 6 : (int)spec->precision,
               spec->alternate, false);
    if (spec->letter != lower)
        for (size_t i = 0; i < text.n; i++)
            if (text.p[i] >= 'a' && text.p[i] <= 'z') text.p[i] = (char)(text.p[i] - 32);
    Str s = buf_str(&text);
    bool negative = s.p[0] == '-';
    add_number(state, spec, negative, str_sub(s, negative, s.n), 0);
}

static void convert_character(Percent *state, Spec *spec, Value v) {
    Run *run = state->run;
    if (state->safe) run_fail(run, "%%: a safe text takes no \"%%c\"; use \"%%s\"");
    spec->precision = -1;
    if (v.kind == V_STR) {
        if (str_count(val_text(v)) != 1)
            run_fail(run, "%%: \"%%c\" wants an int or one character, not %zu", str_count(val_text(v)));
        add_text(state, spec, val_text(v));
        return;
    }
    if (!val_is_int(v)) fail_conversion(state, spec, "an int or one character", v);
    int64_t code = v.kind == V_BIG ? -1 : v.kind == V_BOOL ? v.as.b : v.as.i;
    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        run_fail(run, "%%: \"%%c\" wants the number of a character, from 0 to 0x10ffff and not a surrogate");
    char bytes[4];
    add_text(state, spec, str(bytes, str_encode((uint32_t)code, bytes)));
}

static void convert_text(Percent *state, const Spec *spec, Value v) {
    Run *run = state->run;
    Value text;
    if (spec->letter == 's') {
        text = state->safe ? text_escape(run, v) : val_to_str(run, v);
    } else {
        Buf repr;
        buf_init(&repr, run->arena);
        val_repr(run, &repr, v);
        text = text_take(run, &repr, 0);
        if (state->safe) text = text_escape(run, text);
        if (spec->letter == 'a') {
            Buf ascii;
            buf_init(&ascii, run->arena);
            text_ascii(&ascii, val_text(text));
            text = text_take(run, &ascii, 0);
        }
    }
    add_text(state, spec, val_text(text));
}

/* What stands behind a "%". "%%" is the sign, but not with anything in between. */
static void convert(Percent *state) {
    if (state->p < state->end && *state->p == '%') {
        buf_char(&state->out, *state->p++);
        return;
    }
    Spec spec = read_spec(state);
    const char *letter = memchr("diuoxXeEfFgGcsra", spec.letter, 16);
    if (letter == NULL) {
        unsigned size;
        str_decode(state->p - 1, state->end, &size);
        Str shown = str(state->p - 1, size);
        run_fail_as(state->run, E_RENDER, S("\"%%\" is the sign itself"), "%%: there is no conversion \"%%%S\"", shown);
    }
    Value v = next_value(state);
    switch (spec.letter) {
    case 's':
    case 'r':
    case 'a':
        convert_text(state, &spec, v);
        break;
    case 'c':
        convert_character(state, &spec, v);
        break;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        convert_integer(state, &spec, v);
        break;
    default:
        convert_float(state, &spec, v);
        break;
    }
}

Value text_percent(Run *run, Value format, Value args) {
    Str s = val_text(format);
    Percent state = {.run = run, .safe = (format.flags & VAL_SAFE) != 0, .args = args, .from = args};
    buf_init(&state.out, run->arena);
    if (args.kind == V_TUPLE) state.tuple = args.as.list;
    /* What can be indexed counts as a mapping, as in Python, and need not be used up. */
    state.mapping = args.kind == V_DICT || args.kind == V_LIST || args.kind == V_RANGE || args.kind == V_UNDEFINED;
    state.p = s.p, state.end = s.p + s.n;
    while (state.p < state.end) {
        const char *sign = memchr(state.p, '%', (size_t)(state.end - state.p));
        if (sign == NULL) sign = state.end;
        buf_add(&state.out, str(state.p, (size_t)(sign - state.p)));
        if (sign == state.end) break;
        state.p = sign + 1;
        convert(&state);
    }
    bool rest = state.tuple != NULL ? state.next < state.tuple->n : !state.taken && !state.mapping;
    if (rest && state.tuple != NULL) run_fail(run, "%%: the format takes %u of %u values", state.next, state.tuple->n);
    if (rest) run_fail(run, "%%: the format takes no value, and there is one");
    return text_take(run, &state.out, format.flags & VAL_SAFE);
}
