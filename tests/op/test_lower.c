/* test_lower.c: the code that bodies become on the CPU, and the findings about those that cannot be any. */
#include "op/backend.h"
#include "op/lower_internal.h"
#include "template/syntax/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static Arena arena;
static Names names;
static Diags diags;
static Syms syms;
static const Backend *cpu;
static Buf lets;
static uint32_t let_count;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    diags_init(&diags, &arena);
    syms_init(&syms, &arena);
    buf_init(&lets, &arena);
    let_count = 0;
    Str root = S("templates");
    cpu = backend_read(&arena, &names, &root, 1, S("cpu"), (Span){NULL, 0, 0}, &diags);
    assert_non_null(cpu);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static Str let(void *user, Str text, Dtype type) {
    (void)user;
    Str name = str_format(&arena, "t%u", let_count++);
    buf_format(&lets, "%s %S = %S; ", dtype_name(type), name, text);
    return name;
}

static const RuleScope *in_scope(const RuleScope *outer, const char *name, RuleValue value) {
    RuleScope *scope = ARENA_NEW(&arena, RuleScope);
    RuleScope *of = outer == NULL ? NULL : arena_copy(&arena, outer, sizeof *outer);
    *scope = (RuleScope){of, names_get(&names, str_c(name)), value};
    return scope;
}

/* The attributes and sizes that bodies here may use. */
static const RuleScope *scope_of_all(void) {
    Name n = names_get(&names, S("n"));
    RuleTensor *tensor = ARENA_NEW(&arena, RuleTensor);
    tensor->dtype = DT_F16;
    const RuleScope *scope = in_scope(NULL, "n", (RuleValue){.kind = RULE_INT, .as.i = sym_var(&syms, n, 1, 1000)});
    scope = in_scope(scope, "alpha", (RuleValue){.kind = RULE_FLOAT, .as.f = 0.1});
    scope = in_scope(scope, "k", (RuleValue){.kind = RULE_INT, .as.i = sym_int(&syms, 3)});
    scope = in_scope(scope, "approximate", (RuleValue){.kind = RULE_TEXT, .as.s = S("tanh")});
    scope = in_scope(scope, "T", (RuleValue){.kind = RULE_DTYPE, .as.dtype = DT_F16});
    scope = in_scope(scope, "bias", (RuleValue){.kind = RULE_NONE});
    return in_scope(scope, "h", (RuleValue){.kind = RULE_TENSOR, .as.tensor = tensor});
}

/* "x:f32 y:i32=a[i] + 1": names, their types and texts (the name itself). */
static size_t read_names(const char *text, LowerName *out) {
    Str rest = str_c(text);
    size_t n = 0;
    while (rest.n > 0) {
        size_t end = str_find_char(rest, ';');
        Str one = str_sub(rest, 0, end == STR_NONE ? rest.n : end);
        rest = str_sub(rest, end == STR_NONE ? rest.n : end + 1, rest.n);
        size_t colon = str_find_char(one, ':'), equal = str_find_char(one, '=');
        Str name = str_sub(one, 0, colon), type = str_sub(one, colon + 1, equal == STR_NONE ? one.n : equal);
        Lowered value = {equal == STR_NONE ? name : str_sub(one, equal + 1, one.n), DT_COUNT, false};
        if (str_eq(type, S("literal")))
            value.type = DT_F64, value.literal = true;
        else
            assert_true(dtype_parse(type, &value.type));
        out[n++] = (LowerName){names_get(&names, name), value};
    }
    return n;
}

static bool lower_text(const char *given, const char *body, bool with_let, Lowered *out) {
    Rules rules = {.arena = &arena, .names = &names, .syms = &syms, .diags = &diags};
    Lower lower = {.arena = &arena, .diags = &diags, .rules = &rules, .scope = scope_of_all(), .dims = S("d_")};
    backend_lower(cpu, &lower);
    if (with_let) lower.let = let;
    LowerName list[8];
    size_t n = read_names(given, list);
    Source *source = source_new(&arena, S("body"), str_c(body));
    OpExpr expr = {parse_expression(&arena, &names, source, 0, (uint32_t)source->text.n, &diags), source};
    assert_non_null(expr.expr);
    lets.n = 0;
    let_count = 0;
    return lower_expr(&lower, &expr, list, n, out);
}

static Str findings(void) {
    Buf buf;
    buf_init(&buf, &arena);
    diags_render(&diags, DIAG_TEXT, false, &buf);
    return buf_str(&buf);
}

typedef struct Row {
    const char *given, *body, *wanted; /* wanted: "f32 text", after the declarations */
} Row;

static void check_row(const Row *row, bool with_let) {
    Lowered value;
    if (!lower_text(row->given, row->body, with_let, &value)) fail_msg("%s: %.*s", row->body, STR_ARG(findings()));
    Str got =
        str_format(&arena, "%S%s%s %S", buf_str(&lets), dtype_name(value.type), value.literal ? "?" : "", value.text);
    if (!str_eq(got, str_c(row->wanted)))
        fail_msg("%s\n   got: %.*s\nwanted: %s", row->body, STR_ARG(got), row->wanted);
}
#define CHECK(rows, with_let)                                                                                          \
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows)[0]; i++)                                                        \
    check_row(&(rows)[i], with_let)

static void numbers_take_types(void **state) {
    (void)state;
    static const Row rows[] = {
        {"x:f32", "x * 2 + 1", "f32 (x * 2.0f + 1.0f)"},
        {"x:f64", "x * 0.1 + 1e16", "f64 (x * 0.1 + 1e+16)"},
        {"x:f32", "x * 0.1 + 16777217", "f32 (x * 0.1f + 16777216.0f)"},
        {"x:f32", "x * 3.4028234663852886e38", "f32 (x * 3.4028235e+38f)"},
        {"x:f32", "x * 1e-50", "f32 (x * 0.0f)"},
        {"x:i32", "x * 2 + 1", "i32 opgen_add_i32(opgen_mul_i32(x, 2), 1)"},
        {"x:i32", "x * 2.5", "f32 ((float)x * 2.5f)"},
        {"x:u64", "x - 18446744073709551615", "u64 opgen_sub_u64(x, 18446744073709551615u)"},
        {"x:i64", "x + -9223372036854775808", "i64 opgen_add_i64(x, INT64_MIN)"},
        {"x:i8", "x + -128", "i8 opgen_add_i8(x, INT8_MIN)"},
        {"x:u64", "x + 0xffffffffffffffff", "u64 opgen_add_u64(x, 18446744073709551615u)"},
        {"x:bool", "x + 1", "i64 opgen_add_i64((int64_t)x, 1)"},
        {"x:bool", "x * 0.5", "f32 ((float)(int32_t)x * 0.5f)"},
        {"x:f16", "x * 2", "f32 (x * 2.0f)"},
        {"x:bf16", "x * 2", "f32 (x * 2.0f)"},
        {"x:f32", "x + inf", "f32 (x + INFINITY)"},
        {"x:f32", "max(x, -inf)", "f32 opgen_max_f32(x, -INFINITY)"},
        {"x:f64", "x + nan", "f64 (x + NAN)"},
        {"x:f64", "x * (2 * pi)", "f64 (x * 6.283185307179586)"},
        {"x:f64", "x * log(2)", "f64 (x * opgen_log_f64(2.0))"},
        {"x:f32", "x * log(2)", "f32 (x * opgen_log_f32(2.0f))"},
        {"x:i32", "x * log(2)", "f32 ((float)x * opgen_log_f32(2.0f))"},
        {"x:f64", "x * (0.1 if x > 0 else 0.2)", "f64 (x * (x > 0.0 ? 0.1 : 0.2))"},
        {"x:f64", "0.1 if x > 0 else 0.2", "f64 (x > 0.0 ? 0.1 : 0.2)"},
        {"x:f32", "1 if x > 0 else (-1 if x < 0 else 0)", "i64? (x > 0.0f ? 1 : x < 0.0f ? -1 : 0)"},
        {"x:f32", "(1 if x > 0 else 0) * x", "f32 ((float)(x > 0.0f ? 1 : 0) * x)"},
        {"x:i8", "(1 if x > 0 else 0) * x", "i8 opgen_mul_i8((int8_t)(x > 0 ? 1 : 0), x)"},
        {"x:f32", "shift_left(1, 3) + x", "f32 ((float)opgen_shl_i64(1, 3) + x)"},
        {"x:f32", "x if alpha == inf else -x", "f32 (-x)"},
        {"x:f32", "x if -inf < k < inf else -x", "f32 x"},
        {"c:literal=inf;x:f32", "x if c > alpha else -x", "f32 x"},
        {"x:f32", "x * (1 if k == 9007199254740993 and inf != 2 else 2)", "f32 (x * 2.0f)"},
        {"", "-inf", "f64? -inf"},
        {"", "2", "i64? 2"},
        {"", "k + 1", "i64? 4"},
        {"", "True", "bool? true"},
        {"", "alpha * 2", "f64? 0.2"},
        {"c:literal=0.1;x:f32", "x * c", "f32 (x * 0.1f)"},
        {"c:literal=-inf;x:f64", "max(x, c)", "f64 opgen_max_f64(x, -INFINITY)"},
    };
    CHECK(rows, false);
}

/* Numbers that stand in the place of tensors. */
static void numbers_of_models(void **state) {
    (void)state;
    static const struct {
        const char *text;
        Dtype type;
        bool fits;
    } fits[] = {{"127", DT_I8, true},
                {"128", DT_I8, false},
                {"-128", DT_I8, true},
                {"-129", DT_I8, false},
                {"-1", DT_U64, false},
                {"18446744073709551615", DT_U64, true},
                {"1e300", DT_F32, false},
                {"1e300", DT_F64, true},
                {"1e30", DT_F16, true},
                {"9223372036854775808", DT_I64, false},
                {"18446744073709551616", DT_F64, false},
                {"inf", DT_F32, true}};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        if (lower_number_fits(&arena, str_c(fits[i].text), fits[i].type) != fits[i].fits)
            fail_msg("%s as %s", fits[i].text, dtype_name(fits[i].type));
    static const struct {
        const char *text;
        Dtype type;
        const char *rounded; /* NumPy's float16, and the upper half of its float32 */
    } rounded[] = {{"0.1", DT_F16, "0.0999755859375"},
                   {"2049", DT_F16, "2048.0"},
                   {"2051", DT_F16, "2052.0"},
                   {"65519", DT_F16, "65504.0"},
                   {"-65520", DT_F16, "-inf"},
                   {"1e-8", DT_F16, "0.0"},
                   {"3e-8", DT_F16, "5.960464477539063e-08"},
                   {"0.1", DT_BF16, "0.10009765625"},
                   {"-257", DT_BF16, "-256.0"},
                   {"3.4e38", DT_BF16, "inf"},
                   {"-0.0", DT_F16, "-0.0"},
                   {"0.1", DT_F32, "0.1"},
                   {"true", DT_F16, "1.0"},
                   {"inf", DT_BF16, "inf"}};
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
        Str got = lower_number_rounded(&arena, str_c(rounded[i].text), rounded[i].type);
        if (!str_eq(got, str_c(rounded[i].rounded)))
            fail_msg("%s as %s is %.*s", rounded[i].text, dtype_name(rounded[i].type), STR_ARG(got));
    }
}

static void rules_and_sizes(void **state) {
    (void)state;
    static const Row rows[] = {
        {"x:f32", "x * alpha", "f32 (x * 0.1f)"},
        {"x:f64", "x * alpha", "f64 (x * 0.1)"},
        {"x:f32", "x / n", "f32 (x / (float)d_n)"},
        {"x:i32", "x + n", "i32 opgen_add_i32(x, (int32_t)d_n)"},
        {"x:f32", "x * (k * 2 + 1)", "f32 (x * 7.0f)"},
        {"x:f32", "x if approximate == 'tanh' else nothing(x)", "f32 x"},
        {"x:f32", "x if approximate == 'none' else exp(x)", "f32 opgen_exp_f32(x)"},
        {"x:f32", "x if approximate != 'none' and k > 2 else exp(x)", "f32 x"},
        {"x:f32", "approximate == 'none' and nothing(x) > 0 or x > 1", "bool (x > 1.0f)"},
        {"x:f32", "approximate == 'tanh' and x", "bool (x != 0.0f)"},
        {"x:f32", "x > 1 or k < 2", "bool (x > 1.0f)"},
        {"x:f32", "x > 1 or k > 2", "bool? true"},
        {"x:f32", "x if is_none(bias) else x + bias", "f32 x"},
        {"x:f32", "x if is_float(T) else 0", "f32 x"},
        {"x:f32", "x if not is_int(h.dtype) else 0", "f32 x"},
        {"x:f32", "x if n > 2000 else -x", "f32 (-x)"},
        {"x:f32;a.m:f32=am;b.m:f32=bm", "a.m - b.m * x", "f32 (am - bm * x)"},
        {"x:u8", "x if x >= 0 else -x", "u8 x"},
        {"x:u8", "x < 300", "bool? true"},
        {"x:bool", "x < False", "bool? false"},
        {"x:u8", "-1 < x < 7", "bool (x < 7)"},
    };
    CHECK(rows, false);
}

static void parentheses(void **state) {
    (void)state;
    static const Row rows[] = {
        {"x:f32;y:f32", "x - (y - 1)", "f32 (x - (y - 1.0f))"},
        {"x:f32;y:f32", "x - y - 1", "f32 (x - y - 1.0f)"},
        {"x:f32;y:f32", "(x + y) * (x - y)", "f32 ((x + y) * (x - y))"},
        {"x:f32;y:f32", "x * y / x", "f32 (x * y / x)"},
        {"x:f32;y:f32", "x / (y * x)", "f32 (x / (y * x))"},
        {"x:f32", "-(-x)", "f32 (-(-x))"},
        {"x:f32", "x - -2", "f32 (x - -2.0f)"},
        {"x:f32", "-(x + 1) * 2", "f32 (-(x + 1.0f) * 2.0f)"},
        {"x:f32;y:f32", "x > 0 and y > 0 or not (x < y)", "bool ((x > 0.0f && y > 0.0f) || !(x < y))"},
        {"x:f32;y:f32", "(x > 0 or y > 0) and x < y", "bool ((x > 0.0f || y > 0.0f) && x < y)"},
        {"x:f32;y:f32", "(x < y) == (y < 1)", "bool ((x < y) == (y < 1.0f))"},
        {"x:f32=a ? b : c", "x * 2", "f32 ((a ? b : c) * 2.0f)"},
        {"x:f32=(a + b)", "x + 1", "f32 (a + b + 1.0f)"},
        {"x:f32=(a + b)", "exp(x)", "f32 opgen_exp_f32(a + b)"},
        {"x:f32=(a) + (b)", "x * 2", "f32 (((a) + (b)) * 2.0f)"},
        {"x:f32=-a", "-x", "f32 (-(-a))"},
        {"x:f32=1e-5f", "x * 2", "f32 (1e-5f * 2.0f)"},
        {"x:f32=(float)a[i + 1]", "x * 2", "f32 ((float)a[i + 1] * 2.0f)"},
        {"x:f32=(float)(a + b)", "-x", "f32 (-(float)(a + b))"},
        {"x:i32;y:i32", "bit_or(bit_and(x, 3), bit_not(y))", "i32 (int32_t)((int32_t)(x & 3) | (int32_t)~y)"},
        {"x:f32;y:f32", "x if x > y else y if y > 0 else 0", "f32 (x > y ? x : y > 0.0f ? y : 0.0f)"},
        {"x:f32;y:f32", "(x if x > y else y) + 1", "f32 ((x > y ? x : y) + 1.0f)"},
        {"x:bool;y:bool", "(not x) == y", "bool ((!x) == y)"},
        {"x:bool;y:bool", "x == (not y)", "bool (x == !y)"},
        {"x:bool;y:bool", "x < (y and x)", "bool (x < (y & x))"},
    };
    CHECK(rows, false);
}

static void operators_and_functions(void **state) {
    (void)state;
    static const Row rows[] = {
        {"x:i32", "x / 2", "f32 ((float)x / 2.0f)"},
        {"x:i32", "x // 2", "i32 opgen_floordiv_i32(x, 2)"},
        {"x:f32", "x % 2", "f32 opgen_mod_f32(x, 2.0f)"},
        {"x:f32", "x ** 3", "f32 (x * x * x)"},
        {"x:f32", "x ** 0.5", "f32 sqrtf(x)"},
        {"x:f32", "x ** 2.5", "f32 opgen_pow_f32(x, 2.5f)"},
        {"x:f32", "x ** 5", "f32 opgen_pow_f32(x, 5.0f)"},
        {"x:i32;y:i32", "x ** y", "i32 opgen_pow_i32(x, y)"},
        {"x:f32;y:i64", "x + y", "f32 (x + (float)y)"},
        {"x:i8;y:u8", "x + y", "i16 opgen_add_i16((int16_t)x, (int16_t)y)"},
        {"x:bool;y:bool", "x + y", "bool (x || y)"},
        {"x:f32;y:bool", "x if y else 1.5", "f32 (y ? x : 1.5f)"},
        {"x:i32;y:i32", "x if y else 1.5", "f32 (y != 0 ? (float)x : 1.5f)"},
        {"x:i32", "sin(x)", "f32 opgen_sin_f32((float)x)"},
        {"x:f64", "sin(x)", "f64 opgen_sin_f64(x)"},
        {"x:i32", "max(x, 0, 3.5)", "f32 opgen_max_f32(opgen_max_f32((float)x, 0.0f), 3.5f)"},
        {"x:i32", "max(x)", "i32 x"},
        {"x:i32", "floor(x)", "i32 x"},
        {"x:f32", "0 < x <= 6", "bool (0.0f < x && x <= 6.0f)"},
        {"x:f32", "bool(x) + 1", "i64 opgen_add_i64((int64_t)(x != 0.0f), 1)"},
        {"x:f32", "int(x)", "i64 opgen_i64_of_f32(x)"},
        {"x:u8", "float(x)", "f32 (float)x"},
        {"x:f64", "float(x)", "f64 x"},
        {"x:f32", "cast(x, T)", "f32 opgen_f32_of_f16(opgen_f16_of_f32(x))"},
        {"x:f64", "cast(x, bf16)", "f32 opgen_f32_of_bf16(opgen_bf16_of_f32((float)x))"},
        {"x:f32", "cast(x, u8)", "u8 opgen_u8_of_f32(x)"},
        {"x:f32", "cast(x, f32)", "f32 x"},
        {"", "cast(2, f32)", "f32 2.0f"},
        {"", "lowest(i64)", "i64 INT64_MIN"},
        {"", "highest(u8)", "u8 255"},
        {"", "highest(u64)", "u64 18446744073709551615u"},
        {"", "lowest(T)", "f32 (-INFINITY)"},
        {"", "largest(h.dtype)", "f32 65504.0f"},
        {"", "largest(bf16)", "f32 3.3895314e+38f"},
        {"", "highest(bool)", "bool true"},
        {"x:f32", "0.5 * x * (1 + tanh(sqrt(2.0 / pi) * (x + 0.044715 * x ** 3)))",
         "f32 (0.5f * x * (1.0f + opgen_tanh_f32(0.7978846f * (x + 0.044715f * (x * x * x)))))"},
    };
    CHECK(rows, false);
}

static void computed_once(void **state) {
    (void)state;
    static const Row rows[] = {
        {"x:f32=a[i] + 1.0f", "x * x", "f32 t0 = a[i] + 1.0f; f32 (t0 * t0)"},
        {"x:f32=a[i] + 1.0f", "x * 2", "f32 ((a[i] + 1.0f) * 2.0f)"},
        {"x:f32=a[i];y:f32", "x * y + x", "f32 t0 = a[i]; f32 (t0 * y + t0)"},
        {"x:f32=a[i]", "x if approximate == 'tanh' else x * x", "f32 a[i]"},
        {"x:f32;y:f32", "(x * y) ** 2", "f32 t0 = x * y; f32 (t0 * t0)"},
        {"x:f32;y:f32", "0 < x * y <= 6", "f32 t0 = x * y; bool (0.0f < t0 && t0 <= 6.0f)"},
        {"x:f32;y:f32", "(0.1 if x * y > 0 else x ** 2) ** 2", "f32 t0 = x * y > 0.0f ? 0.1f : x * x; f32 (t0 * t0)"},
        {"x:i32", "x ** 2.0", "f32 t0 = (float)x; f32 (t0 * t0)"},
        {"x:f32=2.0f", "x * x", "f32 (2.0f * 2.0f)"},
    };
    CHECK(rows, true);
    /* Without a way to declare it a power is a call, and what a chain compares twice is written twice. */
    static const Row without[] = {
        {"x:f32;y:f32", "(x * y) ** 2", "f32 opgen_pow_f32(x * y, 2.0f)"},
        {"x:f32;y:f32", "0 < x * y <= 6", "bool (0.0f < x * y && x * y <= 6.0f)"},
    };
    CHECK(without, false);
}

static void mistakes(void **state) {
    (void)state;
    static const struct {
        const char *given, *body, *wanted;
    } rows[] = {
        {"x:f32", "1 + exq(x)", "body:1:5: error[E021]: there is no function \"exq\"|did you mean \"exp\"?"},
        {"x:f32", "alpa * x", "body:1:1: error[E021]: there is no \"alpa\" here|did you mean \"alpha\"?"},
        {"value:f32", "valeu * 2", "body:1:1: error[E021]: there is no \"valeu\" here|did you mean \"value\"?"},
        {"x:f32;y:f32", "2 * bit_and(x, y)", "body:1:5: error[E027]: \"bit_and\" needs integers or booleans, got f32"},
        {"x:f32", "shift_left(x, 1)", "body:1:1: error[E027]: \"shift_left\" needs integers, got f32"},
        {"x:bool;y:bool", "x - y",
         "body:1:1: error[E027]: \"-\" needs integers or floats, got bool|int(x) makes 0 and 1 of a boolean"},
        {"x:u8", "x + 300", "body:1:5: error[E027]: 300 does not fit in u8"},
        {"x:u8", "x + -1", "body:1:5: error[E027]: -1 does not fit in u8"},
        {"x:f32", "x * 1e39", "body:1:5: error[E027]: 1e+39 does not fit in f32"},
        {"x:u64", "x + 18446744073709551616",
         "body:1:5: error[E027]: no integer type holds 18446744073709551616|a float is written with a point"},
        {"x:f32", "exp(x, x)", "body:1:1: error[E027]: exp takes 1 argument, got 2"},
        {"x:f32", "max()", "body:1:1: error[E027]: max takes at least 1 argument, got 0"},
        {"x:f32", "exp(x=x)", "body:1:1: error[E027]: exp takes its arguments by place"},
        {"x:f32", "x < 'a'", "body:1:5: error[E027]: this is a text, which no element can be computed with"},
        {"x:f32", "x + bias", "body:1:5: error[E027]: this is None, which no element can be computed with"},
        {"x:f32", "x in [1, 2]", "body:1:1: error[E027]: in asks for what is known when code is generated"},
        {"x:f32", "x if x > 0",
         "body:1:1: error[E027]: nothing says what this is when the condition is false|add an else"},
        {"x:f32", "cast(x, alpha)", "body:1:9: error[E027]: cast needs a dtype here|a type variable"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Lowered value;
        diags_init(&diags, &arena);
        assert_false(lower_text(rows[i].given, rows[i].body, false, &value));
        assert_int_equal(diags.errors, 1);
        Str got = findings(), wanted = str_c(rows[i].wanted);
        size_t bar = str_find_char(wanted, '|');
        Str hint = bar == STR_NONE ? S("") : str_sub(wanted, bar + 1, wanted.n);
        if (!str_starts(got, str_sub(wanted, 0, bar == STR_NONE ? wanted.n : bar)) || str_find(got, hint) == STR_NONE)
            fail_msg("%s\n   got: %.*s\nwanted: %s", rows[i].body, STR_ARG(got), rows[i].wanted);
    }
}

/* Every mistake of a body in one go. */
static void several_mistakes(void **state) {
    (void)state;
    Lowered value;
    assert_false(lower_text("x:u8", "exq(x) + (x + 300) * nothing", false, &value));
    assert_int_equal(diags.errors, 3);
}

static void functions_that_a_backend_lacks(void **state) {
    (void)state;
    BackendFunction *erf = map_get(&cpu->functions, names_find(&names, S("erf")));
    erf->has &= ~((DtypeSet)1 << DT_F64);
    Lowered value;
    assert_false(lower_text("x:f64", "1 + erf(x)", false, &value));
    assert_true(str_starts(findings(), S("body:1:5: error[E028]: this backend has no \"erf\" for f64")));
    assert_true(lower_text("x:i32", "erf(x)", false, &value));
    assert_true(str_eq(value.text, S("opgen_erf_f32((float)x)")));
    erf->has = 0;
    diags_init(&diags, &arena);
    assert_false(lower_text("x:f32", "erf(x)", false, &value));
    assert_true(str_starts(findings(), S("body:1:1: error[E028]: this backend has no \"erf\"\n")));
}

static void conversions(void **state) {
    (void)state;
    Rules rules = {.arena = &arena, .names = &names, .syms = &syms, .diags = &diags};
    Lower lower = {.arena = &arena, .diags = &diags, .rules = &rules};
    backend_lower(cpu, &lower);
    static const struct {
        Lowered value;
        Dtype to;
        const char *wanted;
    } rows[] = {
        {{{"2", 1}, DT_I64, true}, DT_F32, "2.0f"},
        {{{"2", 1}, DT_I64, true}, DT_F16, "2.0f"},
        {{{"-2.5", 4}, DT_F64, true}, DT_I32, "(-2)"},
        {{{"0.1", 3}, DT_F64, true}, DT_BOOL, "true"},
        {{{"nan", 3}, DT_F64, true}, DT_F64, "NAN"},
        {{{"a + b", 5}, DT_F32, false}, DT_I32, "opgen_i32_of_f32(a + b)"},
        {{{"a + b", 5}, DT_F32, false}, DT_F32, "(a + b)"},
        {{{"(a < b)", 7}, DT_BOOL, false}, DT_F32, "(float)(int32_t)(a < b)"},
        {{{"a", 1}, DT_I64, false}, DT_BOOL, "(a != 0)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Lowered got = lower_convert(&lower, rows[i].value, rows[i].to);
        assert_string_equal(str_to_c(&arena, got.text), rows[i].wanted);
        assert_int_equal(got.type, dtype_compute(rows[i].to));
        assert_false(got.literal);
    }
    assert_int_equal(diags.errors, 0);
    lower_convert(&lower, (Lowered){S("300"), DT_I64, true}, DT_U8);
    assert_int_equal(diags.errors, 1);
    assert_string_equal(str_to_c(&arena, lower_bare(S("((a) + (b))"))), "(a) + (b)");
    assert_string_equal(str_to_c(&arena, lower_bare(S("(a, b)"))), "(a, b)");
    assert_string_equal(str_to_c(&arena, lower_bare(S("(a)(b)"))), "(a)(b)");
}

/* Everything that the expression language has for bodies, this backend has for every type that it makes sense for. */
static void cpu_is_complete(void **state) {
    (void)state;
    enum { IN_RULE, IN_BODY, IN_BOTH };
    static const struct {
        const char *name;
        int where;
    } all[] = {
#define BUILTIN(name, least, most, where, doc) {#name, where},
#include "op/builtins.h"
#undef BUILTIN
    };
    /* These are about types, and need conversions and literals alone. */
    static const char *about_types[] = {"cast", "lowest", "highest", "largest", "bool", "int", "float"};
    size_t found = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bool skip = all[i].where == IN_RULE;
        for (size_t k = 0; k < sizeof about_types / sizeof about_types[0]; k++)
            skip = skip || strcmp(all[i].name, about_types[k]) == 0;
        if (skip) continue;
        LowerFunction function;
        bool has = false;
        for (Dtype type = 0; type < DT_COUNT; type++)
            has = has || backend_function((void *)(uintptr_t)cpu, str_c(all[i].name), type, &function);
        if (!has) fail_msg("the cpu backend has no %s", all[i].name);
        found++;
    }
    assert_true(found > 40);
    for (Dtype to = 0; to < DT_COUNT; to++)
        for (Dtype from = 0; from < DT_COUNT; from++) {
            if (dtype_compute(from) != from || (dtype_compute(to) != to && from != DT_F32) || from == to) continue;
            LowerFunction function;
            Str name = str_format(&arena, "cast:%s", dtype_name(to));
            if (!backend_function((void *)(uintptr_t)cpu, name, from, &function))
                fail_msg("the cpu backend has no %.*s of %s", STR_ARG(name), dtype_name(from));
        }
}

/* The text of an expression as deep as the parser takes, without a way to repeat what it is made of. */
static void deep_and_long(void **state) {
    (void)state;
    Buf buf;
    buf_init(&buf, &arena);
    for (int i = 0; i < 100; i++)
        buf_add(&buf, S("(y < x + "));
    buf_char(&buf, 'x');
    for (int i = 0; i < 100; i++)
        buf_add(&buf, S(" < y)"));
    buf_char(&buf, '\0');
    Lowered value;
    assert_false(lower_text("x:f32;y:f32", buf.p, false, &value));
    assert_non_null(strstr(str_to_c(&arena, findings()), "becomes longer than"));
    diags_init(&diags, &arena);
    assert_true(lower_text("x:f32;y:f32", buf.p, true, &value));
}

int main(void) {
#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(numbers_take_types), CASE(numbers_of_models),       CASE(rules_and_sizes),
        CASE(parentheses),        CASE(operators_and_functions), CASE(computed_once),
        CASE(mistakes),           CASE(several_mistakes),        CASE(functions_that_a_backend_lacks),
        CASE(conversions),        CASE(cpu_is_complete),         CASE(deep_and_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
