/* lower_type.c: what types operands come to have, and the table's text for them.
 *
 * Elements decide: a number, a symbolic size or an expression of numbers takes the type of the elements that it meets,
 * as a Python number does that meets a tensor. Only a float among integers, and an integer among booleans, changes what
 * comes out.
 */
#include "op/lower_internal.h"

/* Texts that repeat their operands, without a way to declare them, could grow without bound. */
enum { TEXT_MOST = 1 << 20 };

Low low_of_lowered(Lowered value) {
    Number number;
    if (value.literal && low_number_of_text(value.text, &number)) return low_number(NULL, number);
    Str text = lower_bare(value.text);
    Low low = low_code(NULL, text, dtype_compute(value.type), low_text_level(text));
    low.as.code.soft = value.literal && !dtype_is_float(value.type);
    return low;
}

Lowered low_to_lowered(LowerRun *run, Low value) {
    Arena *arena = run->lower->arena;
    if (value.kind == LOW_CODE) {
        Str text = low_text_operand(arena, value.as.code.text, value.as.code.level);
        return (Lowered){text, value.as.code.type, value.as.code.soft};
    }
    Buf buf;
    buf_init(&buf, arena);
    Number number = value.as.number;
    low_number_print(&buf, number);
    Dtype type = number.kind == NUM_BOOL  ? DT_BOOL
                 : number.kind == NUM_INT ? DT_I64
                 : number.kind == NUM_BIG ? DT_U64
                                          : DT_F64;
    return (Lowered){buf_str(&buf), type, true};
}

/* ---- looking up */

static bool find(LowerRun *run, Str name, Dtype type, LowerFunction *out) {
    return run->lower->function(run->lower->user, name, type, out);
}

static DtypeSet types_of(LowerRun *run, Str name) {
    DtypeSet set = 0;
    LowerFunction function;
    for (Dtype type = 0; type < DT_COUNT; type++)
        if (dtype_compute(type) == type && find(run, name, type, &function)) set |= (DtypeSet)1 << type;
    return set;
}

typedef bool (*TypeTest)(Dtype type);
static bool is_bool(Dtype type) { return type == DT_BOOL; }

static bool any_type(DtypeSet set, TypeTest test) {
    for (Dtype type = 0; type < DT_COUNT; type++)
        if (set >> type & 1 && test(type)) return true;
    return false;
}

/* How a message calls what is looked up. */
static Str shown(Str name) {
    if (str_eq(name, S("neg"))) return S("-");
    if (str_eq(name, S("select"))) return S("if");
    return name;
}

static void no_function(LowerRun *run, const Expr *expr, Str name, Dtype type) {
    const char *got = dtype_name(type);
    Str cast = S("cast:");
    if (str_starts(name, cast)) {
        low_error_as(run, E_NO_FUNCTION, expr, "this backend has no conversion from %s to %S", got,
                     str_sub(name, cast.n, name.n));
        return;
    }
    DtypeSet set = types_of(run, name);
    if (set == 0) {
        low_error_as(run, E_NO_FUNCTION, expr, "this backend has no %Q", shown(name));
        return;
    }
    TypeTest same = dtype_is_float(type) ? dtype_is_float : type == DT_BOOL ? is_bool : dtype_is_int;
    if (any_type(set, same)) {
        low_error_as(run, E_NO_FUNCTION, expr, "this backend has no %Q for %s", shown(name), got);
        return;
    }
    bool ints = any_type(set, dtype_is_int), floats = any_type(set, dtype_is_float), bools = any_type(set, is_bool);
    Diag *diag = low_error(run, expr, "%Q needs %s%s%s%s%s, got %s", shown(name), ints ? "integers" : "",
                           ints && floats ? " or " : "", floats ? "floats" : "",
                           (ints || floats) && bools ? " or " : "", bools ? "booleans" : "", got);
    if (diag != NULL && type == DT_BOOL && ints)
        diag_hint(run->lower->diags, diag, "int(x) makes 0 and 1 of a boolean");
}

/* ---- numbers that get a type */

static Low literal(LowerRun *run, Low value, Dtype type) {
    Arena *arena = run->lower->arena;
    Str digits;
    bool negative;
    const char *special;
    Number number = value.as.number;
    if (!low_number_digits(arena, number, type, &digits, &negative, &special)) {
        Buf buf;
        buf_init(&buf, arena);
        low_number_print(&buf, number);
        low_error(run, value.expr, "%S does not fit in %s", buf_str(&buf), dtype_name(type));
        return low_bad(value.expr);
    }
    /* The magnitude of the least integer is none of its type's. */
    bool least = negative && dtype_is_int(type) && number.kind == NUM_INT &&
                 (uint64_t)0 - (uint64_t)number.as.i == (uint64_t)1 << (8 * dtype_size(type) - 1);
    Str name = special != NULL ? str_c(special) : least ? S("lowest") : S("literal");
    LowerFunction function;
    if (!find(run, name, type, &function)) {
        no_function(run, value.expr, name, type);
        return low_bad(value.expr);
    }
    unsigned level;
    TextOperand operand = {digits, LEVEL_PRIMARY};
    Str text = low_text_fill(arena, function.text, &operand, 1, &level);
    if (negative && !least) {
        operand = (TextOperand){text, level};
        text = low_text_fill(arena, S("-{0}"), &operand, 1, &level);
    }
    return low_code(value.expr, text, type, level);
}

Low low_resolve(LowerRun *run, Low value, Dtype float_type) {
    Dtype before = run->float_type;
    bool forced = run->forced;
    run->float_type = float_type;
    run->forced = true;
    Low low = low_evaluate(run, low_expr(run, value.expr));
    run->float_type = before;
    run->forced = forced;
    return low;
}

/* ---- types that come together */

static Dtype to_float(LowerRun *run, Dtype type) { return dtype_is_float(type) ? type : run->float_type; }

/* 0 boolean, 1 integer, 2 float */
static int class_of(Dtype type) { return dtype_is_float(type) ? 2 : type == DT_BOOL ? 0 : 1; }

static const char *other_name(RuleKind kind) {
    switch (kind) {
    case RULE_NONE:
        return "None";
    case RULE_TEXT:
        return "a text";
    case RULE_LIST:
        return "a list";
    case RULE_TENSOR:
        return "a whole tensor";
    case RULE_DTYPE:
        return "a dtype";
    default:
        return "a number";
    }
}

static Low not_an_element(LowerRun *run, Low value) {
    low_error(run, value.expr, "this is %s, which no element can be computed with", other_name(value.as.rule.kind));
    return low_bad(value.expr);
}

/* What an operand is once its tree is evaluated; expressions of numbers stay, if they are floats. */
static Low settle(LowerRun *run, Low value) {
    value = low_evaluate(run, value);
    if (value.kind == LOW_OTHER) return not_an_element(run, value);
    if (value.kind != LOW_FREE) return value;
    bool dry = run->dry, probing = run->probing;
    run->dry = run->probing = true;
    Low low = low_resolve(run, value, run->float_type);
    run->dry = dry;
    run->probing = probing;
    if (low.kind != LOW_CODE) return low;
    if (dtype_is_float(low.as.code.type)) return value;
    low = low_resolve(run, value, run->float_type);
    low.as.code.soft = true;
    return low;
}

Dtype low_common(LowerRun *run, Low *operands, uint32_t n) {
    Dtype type = DT_COUNT;
    int class = 0;
    bool big = false, bad = false;
    for (uint32_t i = 0; i < n; i++) {
        Low *low = &operands[i];
        *low = settle(run, *low);
        if (low->kind == LOW_BAD) {
            bad = true;
        } else if (low->kind == LOW_CODE && !low->as.code.soft) {
            type = type == DT_COUNT ? low->as.code.type : dtype_promote(type, low->as.code.type);
        } else {
            int of = 2;
            if (low->kind == LOW_CODE) of = class_of(low->as.code.type);
            if (low->kind == LOW_NUM)
                of = low->as.number.kind == NUM_FLOAT ? 2 : low->as.number.kind == NUM_BOOL ? 0 : 1;
            big = big || (low->kind == LOW_NUM && low->as.number.kind == NUM_BIG);
            if (of > class) class = of;
        }
    }
    if (bad) return DT_COUNT;
    if (type == DT_COUNT) return class == 2 ? run->float_type : class == 0 ? DT_BOOL : big ? DT_U64 : DT_I64;
    if (class == 2) return to_float(run, type);
    return class == 1 && type == DT_BOOL ? DT_I64 : type;
}

static Str cast_name(Dtype to) {
    static const Str names[DT_COUNT] = {
        [DT_BOOL] = {"cast:bool", 9}, [DT_U8] = {"cast:u8", 7},     [DT_I8] = {"cast:i8", 7},
        [DT_U16] = {"cast:u16", 8},   [DT_I16] = {"cast:i16", 8},   [DT_U32] = {"cast:u32", 8},
        [DT_I32] = {"cast:i32", 8},   [DT_U64] = {"cast:u64", 8},   [DT_I64] = {"cast:i64", 8},
        [DT_F16] = {"cast:f16", 8},   [DT_BF16] = {"cast:bf16", 9}, [DT_F32] = {"cast:f32", 8},
        [DT_F64] = {"cast:f64", 8},
    };
    return names[to];
}

/* The function's text over operands that have its type already. */
static Low fill(LowerRun *run, const Expr *expr, const LowerFunction *function, Low *operands, uint32_t n) {
    TextOperand texts[10];
    size_t length = function->text.n;
    if (n > 10) n = 10;
    for (uint32_t i = 0; i < n; i++) {
        if (operands[i].kind != LOW_CODE) return low_bad(expr);
        char place[4] = {'{', (char)('0' + i), '}', '\0'};
        size_t first = str_find(function->text, str_c(place));
        if (first != STR_NONE &&
            str_find(str_sub(function->text, first + 1, function->text.n), str_c(place)) != STR_NONE)
            low_share(run, &operands[i]);
        texts[i] = (TextOperand){operands[i].as.code.text, operands[i].as.code.level};
        length += texts[i].text.n;
    }
    if (length > TEXT_MOST) {
        low_error(run, expr, "the code of this expression becomes longer than %d bytes", TEXT_MOST);
        return low_bad(expr);
    }
    unsigned level;
    Str text = low_text_fill(run->lower->arena, function->text, texts, n, &level);
    return low_code(expr, text, function->result, level);
}

Low low_convert(LowerRun *run, Low value, Dtype to) {
    value = low_evaluate(run, value);
    switch (value.kind) {
    case LOW_NUM:
        return literal(run, value, to);
    case LOW_FREE:
        value = low_resolve(run, value, to_float(run, dtype_is_float(to) ? to : DT_F32));
        return low_convert(run, value, to);
    case LOW_OTHER:
        return not_an_element(run, value);
    case LOW_CODE:
        break;
    default:
        return value;
    }
    value.as.code.soft = false;
    if (value.as.code.type == to) return value;
    LowerFunction function;
    if (!find(run, cast_name(to), value.as.code.type, &function)) {
        no_function(run, value.expr, cast_name(to), value.as.code.type);
        return low_bad(value.expr);
    }
    return fill(run, value.expr, &function, &value, 1);
}

Low low_apply_at(LowerRun *run, const Expr *expr, Str name, Low *operands, uint32_t n, Dtype type) {
    LowerFunction function;
    bool found = find(run, name, type, &function);
    /* What is for floats alone takes integers and booleans as floats. */
    if (!found && !dtype_is_float(type) && !any_type(types_of(run, name), dtype_is_int) &&
        !any_type(types_of(run, name), is_bool))
        found = find(run, name, to_float(run, type), &function);
    if (!found) {
        no_function(run, expr, name, type);
        return low_bad(expr);
    }
    for (uint32_t i = 0; i < n; i++)
        operands[i] = low_convert(run, operands[i], function.operand);
    return fill(run, expr, &function, operands, n);
}

Low low_apply(LowerRun *run, const Expr *expr, Str name, Low *operands, uint32_t n) {
    Dtype type = low_common(run, operands, n);
    return type == DT_COUNT ? low_bad(expr) : low_apply_at(run, expr, name, operands, n, type);
}

/* Of three words as a sum of products: compilers make no vectors of choices between truths. */
static bool select_by_bits(LowerRun *run, const Expr *expr, const Low *operands, Low *out) {
    static const char *const needed[] = {"bit_and", "bit_or", "bit_not"};
    LowerFunction function;
    for (int i = 0; i < 3; i++) {
        if (operands[i].kind != LOW_CODE || !low_text_is_plain(operands[i].as.code.text)) return false;
        if (!find(run, str_c(needed[i]), DT_BOOL, &function)) return false;
    }
    Low test = operands[0], first[2] = {operands[0], operands[1]};
    Low second[2] = {low_apply_at(run, expr, S("bit_not"), &test, 1, DT_BOOL), operands[2]};
    Low both[2] = {low_apply_at(run, expr, S("bit_and"), first, 2, DT_BOOL),
                   low_apply_at(run, expr, S("bit_and"), second, 2, DT_BOOL)};
    *out = low_apply_at(run, expr, S("bit_or"), both, 2, DT_BOOL);
    return true;
}

Low low_select(LowerRun *run, const Expr *expr, Low test, Low a, Low b) {
    Low operands[3] = {test, a, b};
    Dtype type = low_common(run, operands + 1, 2);
    operands[0] = low_convert(run, test, DT_BOOL);
    if (type == DT_COUNT || operands[0].kind == LOW_BAD) return low_bad(expr);
    LowerFunction function;
    if (!find(run, S("select"), type, &function)) {
        no_function(run, expr, S("select"), type);
        return low_bad(expr);
    }
    operands[1] = low_convert(run, operands[1], type);
    operands[2] = low_convert(run, operands[2], type);
    Low bits;
    if (type == DT_BOOL && select_by_bits(run, expr, operands, &bits)) return bits;
    return fill(run, expr, &function, operands, 3);
}

bool low_share(LowerRun *run, Low *value) {
    if (value->kind != LOW_CODE || low_text_is_plain(value->as.code.text)) return true;
    Lower *lower = run->lower;
    if (lower->let == NULL) return false;
    if (run->dry) return true;
    value->as.code.text = lower->let(lower->user, value->as.code.text, value->as.code.type);
    value->as.code.level = LEVEL_PRIMARY;
    return true;
}
