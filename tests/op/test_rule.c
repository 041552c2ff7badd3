/* test_rule.c: the rules of operators: what expressions give over symbolic sizes, what is told where they fail, and
 * what becomes of an operator's types and shapes. */
#include "op/rule.h"

#include "template/syntax/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static Arena arena;
static Names names;
static Syms syms;
static Diags diags;
static Rules rules;
static RuleScope *scope;

static Name name_of(const char *c) { return names_get(&names, str_c(c)); }
static SymRef dim(const char *c) { return sym_var(&syms, name_of(c), 1, 1 << 20); }

static void define(const char *name, RuleValue value) {
    RuleScope *inner = ARENA_NEW(&arena, RuleScope);
    *inner = (RuleScope){scope, name_of(name), value};
    scope = inner;
}

/* A shape written as in a model: "batch, 3, n+1", of names and numbers. */
static RuleShape shape(const char *text) {
    RuleShape out = {ARENA_ARRAY(&arena, SymRef, 80), 0};
    Str rest = str_c(text);
    while (rest.n > 0) {
        size_t comma = str_find_char(rest, ',');
        Str one = str_trim(str_sub(rest, 0, comma == STR_NONE ? rest.n : comma));
        const char *c = str_to_c(&arena, one);
        bool number = c[0] >= '0' && c[0] <= '9';
        out.dims[out.rank++] = number ? sym_int(&syms, strtoll(c, NULL, 10)) : dim(c);
        rest = comma == STR_NONE ? S("") : str_sub(rest, comma + 1, rest.n);
    }
    return out;
}

static RuleTensor *tensor(Dtype dtype, const char *sizes) {
    RuleTensor *made = ARENA_NEW(&arena, RuleTensor);
    *made = (RuleTensor){dtype, shape(sizes)};
    return made;
}

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    syms_init(&syms, &arena);
    diags_init(&diags, &arena);
    rules = (Rules){.arena = &arena, .names = &names, .syms = &syms, .diags = &diags};
    scope = NULL;
    define("x", (RuleValue){.kind = RULE_TENSOR, .as.tensor = tensor(DT_F16, "batch, 3, seq, 64")});
    define("m", (RuleValue){.kind = RULE_INT, .as.i = dim("m")});
    define("b", (RuleValue){.kind = RULE_INT, .as.i = dim("batch")});
    define("bias", (RuleValue){.kind = RULE_NONE});
    define("dim", (RuleValue){.kind = RULE_INT, .as.i = sym_int(&syms, -2)});
    define("equation", (RuleValue){.kind = RULE_TEXT, .as.s = S("ij,jk->ik")});
    RuleValue *items = ARENA_ARRAY(&arena, RuleValue, 2);
    items[0] = (RuleValue){.kind = RULE_TENSOR, .as.tensor = tensor(DT_F32, "batch, 3")};
    items[1] = (RuleValue){.kind = RULE_TENSOR, .as.tensor = tensor(DT_F32, "batch, n")};
    define("xs", (RuleValue){.kind = RULE_LIST, .as.list = {items, 2}});
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static OpExpr parse(const char *text) {
    OpExpr expr = {.source = source_new(&arena, S("rule"), str_c(text))};
    expr.expr = parse_expression(&arena, &names, expr.source, 0, (uint32_t)expr.source->text.n, &diags);
    if (expr.expr == NULL) fail_msg("cannot be parsed: %s", text);
    return expr;
}

static const char *findings(void) {
    Buf out;
    buf_init(&out, &arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    diags_init(&diags, &arena);
    return str_to_c(&arena, buf_str(&out));
}

static void gives(const char *text, const char *wanted) {
    OpExpr expr = parse(text);
    RuleValue value;
    if (!rule_eval(&rules, &expr, scope, &value)) fail_msg("%s fails:\n%s", text, findings());
    assert_int_equal(diags.errors, 0);
    Buf out;
    buf_init(&out, &arena);
    rule_print(&out, &value);
    if (!str_eq(buf_str(&out), str_c(wanted)))
        fail_msg("%s gives %s, not %s", text, str_to_c(&arena, buf_str(&out)), wanted);
}

/* The finding's first line after its place, and its caret line, joined by a newline. */
static void fails(const char *text, const char *wanted) {
    OpExpr expr = parse(text);
    RuleValue value;
    if (rule_eval(&rules, &expr, scope, &value)) fail_msg("%s does not fail", text);
    assert_int_equal(diags.errors, 1);
    assert_false(syms.overflow);
    const char *got = findings();
    const char *full = str_to_c(&arena, str_format(&arena, "rule:1:%s\n", wanted));
    if (strcmp(got, full) != 0) fail_msg("%s fails with\n%snot\n%s", text, got, full);
}

static void numbers(void **state) {
    (void)state;
    gives("2 + 3 * 4 - -1", "15");
    gives("7 // 2, -7 // 2, 7 % -2, -7 % 2", "[3, -4, -1, 1]");
    gives("7 / 2, 1 / 4 * 2", "[3.5, 0.5]");
    gives("7.0 // 2, -7.5 // 2, -7.5 % 2", "[3.0, -4.0, 0.5]");
    gives("2 ** 10, 2 ** -1, 2.0 ** 3, m ** 2", "[1024, 0.5, 8.0, m*m]");
    gives("b * 784 // 784, b * 784 % 784, (m + 1) * 2", "[batch, 0, 2*m + 2]");
    gives("0x10 + 1_000", "1016");
    gives("inf, -inf, pi > 3", "[inf, -inf, True]");
    gives("true + 1, +3, not 0, not m", "[2, 3, True, False]");
    gives("none, True, 1.5, 'a'", "[None, True, 1.5, \"a\"]");
    gives("'a'", "a");
    gives("1 == 1.0, 1 != 2, m == 1.5, m == inf, m < inf, -inf < m", "[True, True, False, False, True, True]");
    gives("nan == nan, nan != nan, nan <= nan, nan >= 1, nan < 1", "[False, True, False, False, False]");
}

static void lists_and_texts(void **state) {
    (void)state;
    gives("[1, 2] + [3] * 2", "[1, 2, 3, 3]");
    gives("2 * [0], [1] * 0, [] * 5", "[[0, 0], [], []]");
    gives("x.shape[:-1] + [10]", "[batch, 3, seq, 10]");
    gives("x.shape[::-1], x.shape[1:3], x.shape[-1]", "[[64, seq, 3, batch], [3, seq], 64]");
    gives("[1,2,3,4,5][4:0:-2], [1,2,3][5:], [1,2,3][-9:2], [1,2,3][::9223372036854775807]",
          "[[5, 3], [], [1, 2], [1]]");
    gives("[3,1,2].index(1), [1,2,1].count(1), x.shape.index(b)", "[1, 2, 0]");
    gives("'ij' in equation, equation.index('->'), equation[0], equation[3:5], equation.count(',')",
          "[True, 5, \"i\", \"jk\", 1]");
    gives("2 in [1, 2], m in [1, m], 3 not in [1]", "[True, True, True]");
    gives("[1, 2] == [1, 2], [1] == [1, 2], [b] == [b], [1, m] == 3", "[True, False, True, False]");
    gives("[1, 2] < [1, 3], [1] < [1, 0], 'a' < 'b'", "[True, True, True]");
    gives("'a' + 'b', 'ab' * 2, len('häh')", "[\"ab\", \"abab\", 3]");
    gives("[1,2,3]|sum, [3,1,2]|sort, [1,2]|reverse, [1,2]|first, [1,2]|last, [4]|length, [1]|list",
          "[6, [1, 2, 3], [2, 1], 1, 2, 1, [1]]");
    gives("[5,3,9,1,1,7,2]|sort|max, [2, 1]|min", "[9, 1]");
}

static void tensors(void **state) {
    (void)state;
    gives("x.rank, x.numel, x.dtype, x.itemsize", "[4, 192*batch*seq, f16, 2]");
    gives("x.dtype == f16, x.dtype == 'f16', x.dtype == f32, x.dtype in [f32, f16]", "[True, True, False, True]");
    gives("bias is none, x is not none, is_none(bias), is_none(x)", "[True, True, True, False]");
    gives("xs[1].shape, len(xs), sizes(xs, 0), sum(sizes(xs, -1)), xs[-1].rank",
          "[[batch, n], 2, [batch, batch], n + 3, 2]");
    gives("1 if x else 2, 1 if bias else 2", "[1, 2]");
}

static void functions(void **state) {
    (void)state;
    gives("len([1, 2]), min(3, 1, 2), max([1, 5]), min(1.5, 2), max(1, 2.5)", "[2, 1, 5, 1.5, 2.5]");
    gives("max(m, 1), min(m, m + 1), min(m, b), max(m, nan), abs(-3), abs(m), abs(-2.5)",
          "[m, m, min(batch, m), nan, 3, m, 2.5]");
    gives("sum([]), prod([]), prod(x.shape), sum([1, 0.5])", "[0, 1, 192*batch*seq, 1.5]");
    gives("range(3), range(1, 4), range(5, 0, -2), range(0), range(3, 1)", "[[0, 1, 2], [1, 2, 3], [5, 3, 1], [], []]");
    gives("int(2.9), int(-2.9), float(2), bool(3), bool([]), int(true)", "[2, -2, 2.0, True, False, 1]");
    gives("broadcast([b, 1, 4], [3, 1]), broadcast([]), broadcast([1], [0])", "[[batch, 3, 4], [], [0]]");
    gives("broadcast_index([m, 5, 6], [3, 1]), broadcast_index([4], [1]), broadcast_index([4, 5], []), "
          "broadcast_index([], []), broadcast_index([3, 4], [b, 4])",
          "[[5, 0], [0], [], [], [3, 4]]");
    gives("ravel([1, 2], [3, 4]), unravel(6, [3, 4]), unravel(ravel([m % 3, 2], [3, 4]), [3, 4])",
          "[6, [1, 2], [m % 3, 2]]");
    gives("unravel(0, []), unravel(5, [0, 3]), ravel([], [])", "[[], [0, 0], 0]");
    gives("wrap(-1, 4), wrap(0, 4), wrap(-1, 0), wrap(dim, x.rank)", "[3, 0, 0, 2]");
    gives("wrap_dims(none, 3), wrap_dims(-1, 3), wrap_dims([2, -3], 3), wrap_dims([], 3), wrap_dims(-1, 0)",
          "[[0, 1, 2], [2], [0, 2], [], []]");
    gives("drop([5, 6, 7], [0, 2]), drop([], []), insert([5, 6], [0, 3], m), insert([], [0], 1)",
          "[[6], [], [m, 5, 6, m], [1]]");
    gives("ones([1, b, 1, 3], none), ones([1, b, 1], 1), ones([1, 2, 1], [-1])", "[[0, 2], [], [2]]");
    gives("alike(xs, 1), alike(xs, none), alike(xs[:1], -1), alike([], 0), alike([xs[0], x], none)",
          "[True, n == 3, True, True, False]");
    gives("promote(f16, bf16), promote(i8), to_float(i64), to_float(f16), to_float(bool), is_float(f64), is_int(bool), "
          "is_int(u8)",
          "[f32, i8, f32, f16, f32, True, False, True]");
}

/* Batch, rows, columns, what is summed; where the dims of the operands and the result are among these. */
static void equations(void **state) {
    (void)state;
    gives("pick([5, 6, m], [2, 0, 0]), pick([], [])", "[[m, 5, 5], []]");
    gives("einsum('ij,jk->ik', [m, 3], [3, b])", "[[], [m], [batch], [3], [0, 2], [2, 1], [0, 1]]");
    gives("einsum(equation, [m, 3], [3, b])", "[[], [m], [batch], [3], [0, 2], [2, 1], [0, 1]]");
    gives("einsum(' b i j , b j k ', [2, 3, 4], [2, 4, 5])", "[[], [3], [5], [2, 4], [2, 0, 3], [2, 3, 1], [0, 1]]");
    gives("einsum('bhid,bhjd->bhij', [1, 2, 3, 4], [1, 2, 5, 4])",
          "[[1, 2], [3], [5], [4], [0, 1, 2, 4], [0, 1, 3, 4], [0, 1, 2, 3]]");
    gives("einsum('bA,Ac', [2, 3], [3, 4])", "[[], [2], [4], [3], [0, 2], [2, 1], [0, 1]]");
    gives("einsum('ij,ji->', [2, 3], [3, 2])", "[[], [], [], [2, 3], [0, 1], [1, 0], []]");
    gives("einsum(',', [], []), einsum('i,', [m], [])",
          "[[[], [], [], [], [], [], []], [[], [m], [], [], [0], [], [0]]]");
    gives("einsum('ij,kl->ki', [2, 3], [4, 5])", "[[], [2], [4], [3, 5], [0, 2], [1, 3], [1, 0]]");
    gives("einsum('iij,j->ij', [2, 2, 3], [3])", "[[3], [2], [], [], [1, 1, 0], [0], [1, 0]]");
    /* Sizes of 1 broadcast; "..." stands for dims that are counted from the last. */
    gives("einsum('ij,jk->ik', [2, 1], [3, 4])", "[[], [2], [4], [3], [0, 2], [2, 1], [0, 1]]");
    gives("einsum('...ij,...jk', [2, 1, 3, 5], [7, 5, 4])",
          "[[7], [2, 3], [4], [5], [1, 0, 2, 4], [0, 4, 3], [1, 0, 2, 3]]");
    gives("einsum('i...,...->...', [2, m], [m])", "[[m], [], [], [2], [1, 0], [0], [0]]");
    gives("einsum('...,...->', [2, 3], [3])", "[[], [], [], [2, 3], [0, 1], [1], []]");
    static const char *const wrong[][3] = {
        {"'ij,jk,kl'", "[2, 3], [3, 4]", "\"ij,jk,kl\": there are two operands, which a comma parts"},
        {"'ij->ji'", "[2, 3], [3, 4]", "\"ij->ji\": there are two operands, which a comma parts"},
        {"'i1,j'", "[2, 3], [3]", "\"i1,j\": \"i1\" cannot be read: dims are letters, and there may be one \"...\""},
        {"'i..,j'", "[2, 3], [3]", "\"i..,j\": \"i..\" cannot be read: dims are letters, and there may be one \"...\""},
        {"'...i...,j'", "[2], [3]",
         "\"...i...,j\": \"...i...\" cannot be read: dims are letters, and there may be one \"...\""},
        {"'ijk, j'", "[2, 3], [3]", "\"ijk, j\": \"ijk\" is of 3 dims, but the operand has 2"},
        {"'ij,k...'", "[2, 3], []", "\"ij,k...\": \"k...\" is of at least 1 dim, but the operand has 0"},
        {"'ij,jk->ii'", "[2, 3], [3, 4]", "\"ij,jk->ii\": the result \"ii\" has a dim twice"},
        {"'ij,jk->im'", "[2, 3], [3, 4]", "\"ij,jk->im\": the result \"im\" has a dim that no operand has"},
        {"'ij,jk'", "[2, 3], [4, 4]", "\"ij,jk\": a dim of both operands has the sizes 3 and 4"},
        {"'ij,jk'", "[2, m], [b, 4]", "\"ij,jk\": a dim of both operands has the sizes m and batch"},
        {"'ii,jk'", "[2, 1], [4, 4]", "\"ii,jk\": a diagonal has the sizes 2 and 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Buf line;
        buf_init(&line, &arena);
        buf_char(&line, '^');
        buf_fill(&line, '~', strlen(wrong[i][0]) - 1);
        const char *call = str_to_c(&arena, str_format(&arena, "einsum(%s, %s)", wrong[i][0], wrong[i][1]));
        fails(call,
              str_to_c(&arena, str_format(&arena, "8: error[E029]: the equation %s\n    1 | %s\n      |        %S",
                                          wrong[i][2], call, buf_str(&line))));
    }
    fails("einsum(4, [2], [2])", "8: error[E029]: einsum wants an equation, a text here, but this is an integer\n"
                                 "    1 | einsum(4, [2], [2])\n"
                                 "      |        ^");
    fails("pick([1], [1])", "11: error[E029]: there is no position 1 among 1\n"
                            "    1 | pick([1], [1])\n"
                            "      |           ^~~");
}

static void what_is_undecided_stays_symbolic(void **state) {
    (void)state;
    gives("m == 4", "m == 4");
    gives("4 if m > 2 else m", "4 if m > 2 else m");
    gives("[m, 1] if b == 1 else [2, 3]", "[m if batch == 1 else 2, 1 if batch == 1 else 3]");
    gives("m > 2 and b > 3, m > 2 or b > 3, not m > 2", "[m > 2 and batch > 3, m > 2 or batch > 3, m <= 2]");
    gives("2 < m < 9", "m > 2 and m <= 8");
    gives("m in [2, 3]", "m == 2 or m == 3");
    gives("'a' if m > 2 else 'a'", "a");
    gives("m > 0 and m < 1048577, m == b or true", "[True, True]");
    gives("0 if b > 0 else 1 // 0", "0"); /* what is not chosen is not asked */
    gives("[m] == [4]", "m == 4");
}

static void errors(void **state) {
    (void)state;
    fails("x.shape[0] + y", "14: error[E029]: \"y\" is not defined here\n"
                            "    1 | x.shape[0] + y\n"
                            "      |              ^");
    fails("biass", "1: error[E029]: \"biass\" is not defined here\n"
                   "    1 | biass\n"
                   "      | ^~~~~ did you mean \"bias\"?");
    fails("x.shpe", "3: error[E029]: a tensor has no attribute \"shpe\"\n"
                    "    1 | x.shpe\n"
                    "      |   ^~~~ did you mean \"shape\"?");
    fails("bias.shape", "6: error[E029]: None has no attribute \"shape\"\n"
                        "    1 | bias.shape\n"
                        "      |      ^~~~~ where an input may be left out, ask first: ... if not is_none(x) else ...");
    fails("lenn([])", "1: error[E029]: there is no function \"lenn\"\n"
                      "    1 | lenn([])\n"
                      "      | ^~~~ did you mean \"len\"?");
    fails("exp(1)", "1: error[E029]: \"exp\" is for elements, and this is decided before there are any\n"
                    "    1 | exp(1)\n"
                    "      | ^~~");
    fails("[1]|lenght", "5: error[E029]: there is no filter \"lenght\"\n"
                        "    1 | [1]|lenght\n"
                        "      |     ^~~~~~ did you mean \"length\"?");
    fails("wrap(1)", "1: error[E029]: wrap takes 2 arguments, but got 1\n"
                     "    1 | wrap(1)\n"
                     "      | ^~~~~~~");
    fails("[1, 2][5]", "8: error[E029]: there is no item 5: this list has 2\n"
                       "    1 | [1, 2][5]\n"
                       "      |        ^ the last is [1], or [-1]");
    fails("[1, 2][m]", "8: error[E029]: an index has to be a number here, but m is known only when the model runs\n"
                       "    1 | [1, 2][m]\n"
                       "      |        ^ rules decide by what is fixed: ranks, attributes, sizes that are numbers");
    fails("'a' if m > 2 else 'b'",
          "8: error[E029]: this depends on whether m > 2, which is known only when the model runs\n"
          "    1 | 'a' if m > 2 else 'b'\n"
          "      |        ^~~~~ rules decide by what is fixed: ranks, attributes, sizes that are numbers");
    fails("[1] + 2", "5: error[E029]: + does not go with a list and an integer\n"
                     "    1 | [1] + 2\n"
                     "      |     ^ a list takes another list: ... + [x]");
    fails("m / 2", "3: error[E029]: / makes a float, which no size can be\n"
                   "    1 | m / 2\n"
                   "      |   ^ // divides integers and rounds down");
    fails("1 + (2 // 0)", "5: error[E029]: this divides by zero\n"
                          "    1 | 1 + (2 // 0)\n"
                          "      |     ^~~~~~~~");
    fails("9223372036854775807 + 1", "1: error[E029]: size does not fit 64 bits\n"
                                     "    1 | 9223372036854775807 + 1\n"
                                     "      | ^~~~~~~~~~~~~~~~~~~~~~~");
    fails("9223372036854775808", "1: error[E029]: this integer does not fit 64 bits\n"
                                 "    1 | 9223372036854775808\n"
                                 "      | ^~~~~~~~~~~~~~~~~~~");
    fails("m ** 70", "1: error[E029]: what this makes of the named dims is too large an expression\n"
                     "    1 | m ** 70\n"
                     "      | ^~~~~~~");
    fails("range(10**12)",
          "1: error[E029]: a list of 1000000000000 items is longer than the 100000 that a rule may make\n"
          "    1 | range(10**12)\n"
          "      | ^~~~~~~~~~~~~");
    fails("[0] * 10**12",
          "1: error[E029]: a list of 1000000000000 items is longer than the 100000 that a rule may make\n"
          "    1 | [0] * 10**12\n"
          "      | ^~~~~~~~~~~~");
    fails("wrap(4, 4)", "6: error[E029]: there is no dim 4: of rank 4, dims are -4 to 3\n"
                        "    1 | wrap(4, 4)\n"
                        "      |      ^");
    fails("wrap_dims([1, -2], 3)", "11: error[E029]: dim 1 is named twice\n"
                                   "    1 | wrap_dims([1, -2], 3)\n"
                                   "      |           ^~~~~~~");
    fails("drop([1, 2], [2])", "14: error[E029]: there is no position 2 among 2\n"
                               "    1 | drop([1, 2], [2])\n"
                               "      |              ^~~");
    fails("insert([1], [0, 0], 1)", "13: error[E029]: position 0 is named twice\n"
                                    "    1 | insert([1], [0, 0], 1)\n"
                                    "      |             ^~~~~~");
    fails("broadcast([2, 3], [4, 3])", "1: error[E031]: shapes (2, 3) and (4, 3) do not broadcast: dim -2 is 2 and 4\n"
                                       "    1 | broadcast([2, 3], [4, 3])\n"
                                       "      | ^~~~~~~~~~~~~~~~~~~~~~~~~");
    fails("broadcast_index([2], [4, 3])",
          "1: error[E029]: a shape of 2 dims does not broadcast to what has an index of 1\n"
          "    1 | broadcast_index([2], [4, 3])\n"
          "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~");
    fails("broadcast_index(2, [3])", "17: error[E029]: broadcast_index wants an index, a list of integers here, but "
                                     "this is an integer\n"
                                     "    1 | broadcast_index(2, [3])\n"
                                     "      |                 ^");
    fails("broadcast([b], [1], [m])",
          "1: error[E031]: shapes (batch,) and (m,) do not broadcast: dim -1 is batch and m, which could differ\n"
          "    1 | broadcast([b], [1], [m])\n"
          "      | ^~~~~~~~~~~~~~~~~~~~~~~~ if they are always equal, give both the same name");
    fails("1 < 'a'", "1: error[E029]: there is no order between an integer and text\n"
                     "    1 | 1 < 'a'\n"
                     "      | ^~~~~~~");
    fails("min([])", "5: error[E029]: min of a list without items\n"
                     "    1 | min([])\n"
                     "      |     ^~");
    fails("sum(x.shape + [f32])", "5: error[E029]: sum wants numbers, but item 4 is a dtype\n"
                                  "    1 | sum(x.shape + [f32])\n"
                                  "      |     ^~~~~~~~~~~~~~~");
    fails("float(f16)", "7: error[E029]: float wants a number here, but this is a dtype\n"
                        "    1 | float(f16)\n"
                        "      |       ^~~ of dtypes the function is called to_float");
    fails("[1].index(2)", "11: error[E029]: 2 is not in it\n"
                          "    1 | [1].index(2)\n"
                          "      |           ^");
    fails("[1].indx(2)", "5: error[E029]: there is no method \"indx\"\n"
                         "    1 | [1].indx(2)\n"
                         "      |     ^~~~ did you mean \"index\"?");
    fails("1 if false", "1: error[E029]: there is no \"else\", and the condition does not always hold\n"
                        "    1 | 1 if false\n"
                        "      | ^~~~~~~~~~");
    fails("{'a': 1}", "1: error[E029]: rules have no dicts\n"
                      "    1 | {'a': 1}\n"
                      "      | ^~~~~~~~");
    fails("1 is even", "6: error[E029]: rules have no test \"even\"\n"
                       "    1 | 1 is even\n"
                       "      |      ^~~~ there is `is none`; anything else is compared with ==, <, in, ...");
}

static void work_is_bounded(void **state) {
    (void)state;
    Buf text; /* each list is short enough, all together are not */
    buf_init(&text, &arena);
    for (int i = 0; i < 150; i++)
        buf_add(&text, i ? S(" + sum(range(100000))") : S("sum(range(100000))"));
    OpExpr expr = parse(str_to_c(&arena, buf_str(&text)));
    RuleValue value;
    assert_false(rule_eval(&rules, &expr, scope, &value));
    assert_non_null(strstr(findings(), "this rule takes more than 10000000 steps"));
    /* as high as a tree may be */
    text.n = 0;
    for (int i = 0; i < 190; i++)
        buf_add(&text, S("-("));
    buf_char(&text, '1');
    for (int i = 0; i < 190; i++)
        buf_char(&text, ')');
    gives(str_to_c(&arena, buf_str(&text)), "1");
}

static void shapes_of_outputs(void **state) {
    (void)state;
    OpOutput output = {.shape = parse("x.shape[:2] + [m]")};
    RuleShape got;
    assert_true(rule_shape(&rules, &output, scope, &got));
    Buf out;
    buf_init(&out, &arena);
    rule_print_shape(&out, got);
    assert_string_equal(str_to_c(&arena, buf_str(&out)), "(batch, 3, m)");
    output = (OpOutput){.rank = parse("x.rank - 1"), .dim = parse("x.shape[k + 1] * 2")};
    assert_true(rule_shape(&rules, &output, scope, &got));
    out.n = 0;
    rule_print_shape(&out, got);
    assert_string_equal(str_to_c(&arena, buf_str(&out)), "(6, 2*seq, 128)");
    output = (OpOutput){.shape = parse("[3, 2 - 5]")};
    rules.use = (RuleUse){.what = "the shape of ", .name = name_of("y"), .op = name_of("cut")};
    assert_false(rule_shape(&rules, &output, scope, &got));
    assert_string_equal(findings(), "rule:1:1: error[E031]: a size cannot be negative, but dim 1 is -3\n"
                                    "    1 | [3, 2 - 5]\n"
                                    "      | ^~~~~~~~~~\n"
                                    "opgen: note: for the shape of \"y\" of \"cut\"\n");
    output = (OpOutput){.shape = parse("range(65)")};
    rules.use.what = NULL;
    assert_false(rule_shape(&rules, &output, scope, &got));
    assert_non_null(strstr(findings(), "a tensor has from 0 to 64 dims, but here 65"));
    output = (OpOutput){.doc = S("")};
    assert_true(rule_shape(&rules, &output, scope, &got) && got.rank == RULE_NO_RANK);
}

/* ---- operators */
static OpTable table;

static const OpDef *read_op(const char *json, const char *name) {
    optable_init(&table, &arena, &names);
    Source *source = source_new(&arena, S("ops.json"), str_c(json));
    if (!optable_read(&table, source, &diags)) fail_msg("%s", findings());
    const OpDef *op = optable_get(&table, name_of(name));
    assert_non_null(op);
    return op;
}

typedef struct Use {
    const OpDef *op;
    const RuleTensor *inputs[8];
    uint32_t counts[8];
    RuleValue attrs[8];
    RuleCall call;
    RuleTensor outputs[16];
    uint32_t output_counts[8];
    Dtype types[8];
    Source *model;
} Use;

static void begin(Use *use, const OpDef *op) {
    *use = (Use){.op = op};
    for (uint32_t i = 0; i < op->attrs.n; i++)
        if (op->attrs.items[i].fallback != NULL) use->attrs[i] = rule_of_json(&rules, op->attrs.items[i].fallback);
    use->model = source_new(&arena, S("model.json"), S("{\"op\": \"this\"}"));
    use->call = (RuleCall){.op = op, .inputs = use->inputs, .counts = use->counts, .attrs = use->attrs};
    use->call.node = span(use->model, 0, 14);
}

static void give(Use *use, uint32_t input, Dtype dtype, const char *sizes) {
    use->inputs[input] = tensor(dtype, sizes), use->counts[input] = 1;
}

static void give_list(Use *use, uint32_t input, uint32_t n, const RuleTensor *tensors) {
    use->inputs[input] = tensors, use->counts[input] = n;
}

static const char *infer(Use *use) {
    if (!rule_output_counts(&rules, &use->call, use->output_counts)) return findings();
    if (!rule_infer(&rules, &use->call, use->outputs, use->types)) return findings();
    assert_int_equal(diags.errors, 0);
    Buf out;
    buf_init(&out, &arena);
    uint32_t n = 0;
    for (uint32_t i = 0; i < use->op->outputs.n; i++)
        n += use->output_counts[i];
    for (uint32_t i = 0; i < n; i++) {
        buf_format(&out, "%s%s ", i ? " " : "", dtype_name(use->outputs[i].dtype));
        if (use->outputs[i].shape.rank == RULE_NO_RANK)
            buf_char(&out, '?');
        else
            rule_print_shape(&out, use->outputs[i].shape);
    }
    return str_to_c(&arena, buf_str(&out));
}

static const char linear[] =
    "{\"op\": \"linear\", \"kind\": \"kernel\", \"kernel\": \"gemm\", \"doc\": \"d\",\n"
    " \"inputs\": [\"input\", \"weight\", {\"name\": \"bias\", \"optional\": true}],\n"
    " \"types\": {\"T\": [\"f32\", \"f16\", \"bf16\"]},\n"
    " \"outputs\": [{\"name\": \"y\", \"shape\": \"input.shape[:-1] + [weight.shape[0]]\"}],\n"
    " \"require\": [{\"that\": \"input.shape[-1] == weight.shape[1]\",\n"
    "  \"else\": \"inner sizes differ: input has {{ input.shape[-1] }}, weight has {{ weight.shape[1] }}\"},\n"
    "  {\"that\": \"weight.rank == 2\", \"else\": \"weight is {{ weight.shape }} of {{ weight.dtype }}, not a "
    "matrix\"}]}";

static void a_kernel(void **state) {
    (void)state;
    Use use;
    begin(&use, read_op(linear, "linear"));
    give(&use, 0, DT_F16, "batch, seq, 784"), give(&use, 1, DT_F16, "512, 784");
    assert_string_equal(infer(&use), "f16 (batch, seq, 512)");
    assert_int_equal(use.types[0], DT_F16);
    give(&use, 2, DT_BF16, "512");
    assert_string_equal(infer(&use), "f32 (batch, seq, 512)");
    give(&use, 2, DT_COUNT, "");
    assert_string_equal(infer(&use), "f16 (batch, seq, 512)");
    give(&use, 0, DT_I32, "batch, 784"), give(&use, 1, DT_I32, "512, 784");
    assert_string_equal(infer(&use),
                        "model.json:1:1: error[E030]: input has dtype i32, but linear takes f16, bf16 or f32\n"
                        "    1 | {\"op\": \"this\"}\n"
                        "      | ^~~~~~~~~~~~~~ cast it first\n");
    give(&use, 0, DT_F16, "batch, 783"), give(&use, 1, DT_F16, "512, 784");
    assert_string_equal(infer(&use), "model.json:1:1: error[E031]: inner sizes differ: input has 783, weight has 784\n"
                                     "    1 | {\"op\": \"this\"}\n"
                                     "      | ^~~~~~~~~~~~~~\n"
                                     "ops.json:5:24: note: \"linear\" requires this\n");
    give(&use, 0, DT_F16, "batch, 784"), give(&use, 1, DT_F16, "2, 784, 3");
    assert_string_equal(infer(&use), "model.json:1:1: error[E031]: weight is [2, 784, 3] of f16, not a matrix\n"
                                     "    1 | {\"op\": \"this\"}\n"
                                     "      | ^~~~~~~~~~~~~~\n"
                                     "ops.json:7:13: note: \"linear\" requires this\n");
    give(&use, 0, DT_F16, ""), give(&use, 1, DT_F16, "512, 784");
    assert_string_equal(infer(&use), "ops.json:5:36: error[E029]: there is no item -1: this list has 0\n"
                                     "    5 |  \"require\": [{\"that\": \"input.shape[-1] == weight.shape[1]\",\n"
                                     "      |                                    ^~\n"
                                     "model.json:1:1: note: for a requirement of \"linear\", used here\n");
}

static void requirements_that_sizes_decide(void **state) {
    (void)state;
    Use use;
    begin(&use, read_op(linear, "linear"));
    give(&use, 0, DT_F16, "batch, k"), give(&use, 1, DT_F16, "512, m");
    assert_string_equal(infer(&use), "model.json:1:1: error[E031]: inner sizes differ: input has k, weight has m\n"
                                     "    1 | {\"op\": \"this\"}\n"
                                     "      | ^~~~~~~~~~~~~~ they could differ: it takes m == k\n"
                                     "ops.json:5:24: note: \"linear\" requires this\n");
    RuleChecks checks = {NULL, 0, 0};
    use.call.checks = &checks;
    assert_string_equal(infer(&use), "f16 (batch, 512)");
    assert_int_equal(checks.n, 1);
    assert_ptr_equal(checks.items[0].condition, sym_eq(&syms, dim("k"), dim("m")));
    assert_true(str_eq(checks.items[0].otherwise, S("inner sizes differ: input has k, weight has m")));
    give(&use, 1, DT_F16, "512, k");
    checks.n = 0;
    assert_string_equal(infer(&use), "f16 (batch, 512)");
    assert_int_equal(checks.n, 0);
}

static void a_map(void **state) {
    (void)state;
    Use use;
    begin(&use,
          read_op(
              "{\"op\": \"add\", \"kind\": \"map\", \"doc\": \"d\", \"inputs\": [\"a\", \"b\"], \"expr\": \"a + b\",\n"
              " \"types\": {\"T\": [\"float\", \"int\"]}}",
              "add"));
    give(&use, 0, DT_F16, "batch, 1, 4"), give(&use, 1, DT_F32, "3, 1");
    assert_string_equal(infer(&use), "f32 (batch, 3, 4)");
    /* A tensor without dims counts only where it is of a higher category. */
    give(&use, 1, DT_F64, "");
    assert_string_equal(infer(&use), "f16 (batch, 1, 4)");
    give(&use, 0, DT_I64, "n"), give(&use, 1, DT_F16, "");
    assert_string_equal(infer(&use), "f16 (n,)");
    give(&use, 0, DT_BOOL, "n"), give(&use, 1, DT_I8, "");
    assert_string_equal(infer(&use), "i8 (n,)");
    give(&use, 0, DT_F16, ""), give(&use, 1, DT_F32, "");
    assert_string_equal(infer(&use), "f32 ()");
    /* A number counts only where it is of a higher category than any tensor, and has to fit. */
    RuleScalar numbers[2] = {{.text = S("")}, {S("2"), DT_I64, use.call.node}};
    use.call.scalars = numbers;
    give(&use, 0, DT_I8, ""), give(&use, 1, DT_I64, "");
    assert_string_equal(infer(&use), "i8 ()");
    assert_int_equal(rule_input_dtype(&rules, &use.call, 1, NULL), DT_I8);
    give(&use, 0, DT_F16, "n");
    assert_string_equal(infer(&use), "f16 (n,)");
    numbers[1].text = S("-129");
    give(&use, 0, DT_I8, "n");
    assert_non_null(strstr(infer(&use), "error[E025]: b of add is i8 here, which does not hold -129\n"));
    numbers[1] = (RuleScalar){S("2.5"), DT_F32, use.call.node};
    give(&use, 0, DT_I64, "n"), give(&use, 1, DT_F32, "");
    assert_string_equal(infer(&use), "f32 (n,)");
    give(&use, 0, DT_F64, "");
    assert_string_equal(infer(&use), "f64 ()");
    use.call.scalars = NULL;
    /* What is known of variables is not asked of the inputs again. */
    Dtype known = DT_BF16;
    use.call.types = &known;
    assert_string_equal(infer(&use), "bf16 ()");
    use.call.types = NULL;
    give(&use, 0, DT_BOOL, "n"), give(&use, 1, DT_BOOL, "n");
    assert_non_null(strstr(infer(&use),
                           "error[E030]: a has dtype bool, but add takes u8, i8, u16, i16, u32, i32, u64, i64, "
                           "f16, bf16, f32 or f64\n"));
    give(&use, 0, DT_F32, "batch, n"), give(&use, 1, DT_F32, "batch, m");
    assert_string_equal(infer(&use),
                        "model.json:1:1: error[E031]: shapes a (batch, n) and b (batch, m) do not broadcast: dim -1 "
                        "is n and m, which could differ\n"
                        "    1 | {\"op\": \"this\"}\n"
                        "      | ^~~~~~~~~~~~~~ if they are always equal, give both the same name\n");
    give(&use, 0, DT_F32, "2, 3"), give(&use, 1, DT_F32, "4, 3");
    assert_non_null(strstr(infer(&use), "shapes a (2, 3) and b (4, 3) do not broadcast: dim -2 is 2 and 4\n"));
    give(&use, 0, DT_F32, "0, 3"), give(&use, 1, DT_F32, "1, 3");
    assert_string_equal(infer(&use), "f32 (0, 3)");
    begin(&use, read_op("{\"op\": \"where\", \"kind\": \"map\", \"doc\": \"d\", \"expr\": \"a if c else b\",\n"
                        " \"inputs\": [{\"name\": \"c\", \"type\": \"bool\"}, \"a\", \"b\"],\n"
                        " \"types\": {\"T\": [\"f16\", \"bf16\"]}}",
                        "where"));
    give(&use, 0, DT_BOOL, "n"), give(&use, 1, DT_F16, "n"), give(&use, 2, DT_F16, "1");
    assert_string_equal(infer(&use), "f16 (n,)");
    give(&use, 2, DT_BF16, "1");
    assert_non_null(
        strstr(infer(&use), "error[E030]: a (f16), b (bf16) together are f32, but where takes f16 or bf16\n"));
    give(&use, 0, DT_U8, "n"), give(&use, 2, DT_F16, "1");
    assert_non_null(strstr(infer(&use), "error[E030]: c has dtype u8, but where takes bool\n"));
}

static void a_reduction(void **state) {
    (void)state;
    Use use;
    begin(&use,
          read_op("{\"op\": \"sum\", \"kind\": \"reduce\", \"doc\": \"d\", \"inputs\": [\"x\"], \"init\": \"0\", "
                  "\"combine\": \"a + b\",\n"
                  " \"attrs\": {\"dim\": {\"type\": \"list\", \"of\": \"int\", \"spread\": true, \"default\": null},\n"
                  "  \"keepdim\": {\"type\": \"bool\", \"default\": false}},\n"
                  " \"types\": {\"T\": \"float\"}}",
                  "sum"));
    RuleValue list[2] = {{.kind = RULE_INT, .as.i = sym_int(&syms, -1)}, {.kind = RULE_INT, .as.i = sym_int(&syms, 0)}};
    give(&use, 0, DT_F32, "batch, 3, n");
    assert_string_equal(infer(&use), "f32 ()");
    use.attrs[0] = (RuleValue){.kind = RULE_LIST, .as.list = {list, 2}};
    assert_string_equal(infer(&use), "f32 (3,)");
    use.attrs[1] = (RuleValue){.kind = RULE_BOOL, .as.i = sym_int(&syms, 1)};
    assert_string_equal(infer(&use), "f32 (1, 3, 1)");
    RuleShape whole;
    bool reduced[RULE_MOST_RANK];
    assert_true(rule_reduced(&rules, &use.call, &whole, reduced));
    assert_true(whole.rank == 3 && reduced[0] && !reduced[1] && reduced[2]);
    use.attrs[0].as.list.n = 0; /* none is all */
    assert_string_equal(infer(&use), "f32 (1, 1, 1)");
    list[0].as.i = sym_int(&syms, 3);
    use.attrs[0].as.list.n = 1;
    assert_non_null(strstr(infer(&use),
                           "model.json:1:1: error[E031]: attribute \"dim\" of sum: there is no dim 3: of rank 3, dims "
                           "are -3 to 2\n"));
}

static void views_and_lists(void **state) {
    (void)state;
    Use use;
    begin(
        &use,
        read_op(
            "{\"op\": \"cat\", \"kind\": \"view\", \"doc\": \"d\", \"inputs\": [{\"name\": \"xs\", \"list\": true}],\n"
            " \"attrs\": {\"dim\": {\"type\": \"int\", \"default\": 0}},\n"
            " \"outputs\": [{\"name\": \"y\", \"shape\": {\"rank\": \"xs[0].rank\",\n"
            "  \"dim\": \"sum(sizes(xs, dim)) if k == wrap(dim, xs[0].rank) else xs[0].shape[k]\"}}],\n"
            " \"index\": \"i[d]\", \"types\": {\"T\": \"any\"}}",
            "cat"));
    RuleTensor xs[2] = {*tensor(DT_U8, "batch, n"), *tensor(DT_I8, "3, n")};
    give_list(&use, 0, 2, xs);
    assert_string_equal(infer(&use), "i16 (batch + 3, n)");
    use.attrs[0].as.i = sym_int(&syms, -1);
    assert_string_equal(infer(&use), "i16 (batch, 2*n)");
    begin(&use, read_op("{\"op\": \"chunk\", \"kind\": \"view\", \"doc\": \"d\", \"inputs\": [\"x\"],\n"
                        " \"attrs\": {\"chunks\": {\"type\": \"int\", \"default\": 2}},\n"
                        " \"outputs\": [{\"name\": \"y\", \"count\": \"chunks\",\n"
                        "  \"shape\": \"[min(4, x.shape[0] - n * 4)] + x.shape[1:]\"}],\n"
                        " \"index\": \"i[d]\", \"types\": {\"T\": \"any\"}}",
                        "chunk"));
    give(&use, 0, DT_F32, "7, m");
    assert_string_equal(infer(&use), "f32 (4, m) f32 (3, m)");
    use.attrs[0].as.i = dim("n");
    assert_non_null(strstr(infer(&use),
                           "how many tensors there are has to be a number here, but n is known only when the model "
                           "runs"));
    use.attrs[0].as.i = sym_int(&syms, -1);
    assert_non_null(strstr(infer(&use), "from 0 to 100000 tensors may come out of it, but here -1"));
}

static void types_and_defaults(void **state) {
    (void)state;
    Use use;
    begin(&use, read_op("{\"op\": \"cast\", \"kind\": \"map\", \"doc\": \"d\", \"inputs\": [\"x\"], \"expr\": \"x\",\n"
                        " \"attrs\": {\"dtype\": {\"type\": \"dtype\"}}, \"types\": {\"T\": \"any\"},\n"
                        " \"outputs\": [{\"name\": \"y\", \"type\": \"dtype\"}]}",
                        "cast"));
    give(&use, 0, DT_I32, "n");
    use.attrs[0] = (RuleValue){.kind = RULE_TEXT, .as.s = S("bf16")};
    assert_string_equal(infer(&use), "bf16 (n,)");
    begin(&use, read_op("{\"op\": \"sin\", \"kind\": \"map\", \"doc\": \"d\", \"inputs\": [\"x\"], \"expr\": "
                        "\"sin(x)\", \"types\": {\"T\": \"any\"},\n"
                        " \"outputs\": [{\"name\": \"y\", \"type\": \"to_float(T)\"}]}",
                        "sin"));
    give(&use, 0, DT_I32, "n");
    assert_string_equal(infer(&use), "f32 (n,)");
    give(&use, 0, DT_F16, "n");
    assert_string_equal(infer(&use), "f16 (n,)");
    begin(&use, read_op("{\"op\": \"twice\", \"kind\": \"composite\", \"doc\": \"d\", \"inputs\": [\"x\"],\n"
                        " \"steps\": [{\"op\": \"neg\", \"in\": [\"x\"], \"out\": \"y\"}]}",
                        "twice"));
    give(&use, 0, DT_F16, "n");
    assert_string_equal(infer(&use), "f16 ?");
    /* What rules see of a use, outputs too: for costs. */
    begin(&use, read_op(linear, "linear"));
    give(&use, 0, DT_F16, "batch, 784"), give(&use, 1, DT_F16, "512, 784");
    assert_string_equal(infer(&use), "f16 (batch, 512)");
    OpExpr cost = parse("2 * y.numel * input.shape[-1], T");
    RuleValue value;
    assert_true(rule_eval(&rules, &cost, rule_scope(&rules, &use.call, use.outputs), &value));
    Buf out;
    buf_init(&out, &arena);
    rule_print(&out, &value);
    assert_string_equal(str_to_c(&arena, buf_str(&out)), "[802816*batch, f16]");
}

/* Every function that the list says rules have is there, and takes what the list says. */
static void the_list_of_functions_is_true(void **state) {
    (void)state;
    enum { IN_RULE = 1, IN_BODY = 2, IN_BOTH = 3 };
    static const struct {
        const char *name;
        int least, most, where;
    } list[] = {
#define BUILTIN(function, least, most, where, gives) {#function, least, most, where},
#include "op/builtins.h"
#undef BUILTIN
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        OpExpr expr = parse(str_to_c(&arena, str_format(&arena, "%s()", list[i].name)));
        RuleValue value;
        assert_false(rule_eval(&rules, &expr, NULL, &value));
        const char *got = findings();
        const char *wanted = list[i].where & IN_RULE ? " takes " : " is for elements";
        if (strstr(got, wanted) == NULL) fail_msg("%s: %s", list[i].name, got);
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(numbers),
        CASE(lists_and_texts),
        CASE(tensors),
        CASE(functions),
        CASE(equations),
        CASE(what_is_undecided_stays_symbolic),
        CASE(errors),
        CASE(work_is_bounded),
        CASE(shapes_of_outputs),
        CASE(a_kernel),
        CASE(requirements_that_sizes_decide),
        CASE(a_map),
        CASE(a_reduction),
        CASE(views_and_lists),
        CASE(types_and_defaults),
        CASE(the_list_of_functions_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
