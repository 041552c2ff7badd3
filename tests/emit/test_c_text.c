/* test_c_text.c: which names a source has for itself, and their new names. */
#include "output_case.h"

#include "emit/c_text.h"

#include <stdlib.h>

static int by_text(const void *a, const void *b) { return str_cmp(*(const Str *)a, *(const Str *)b); }

static Str sorted(const Names *names) {
    Str *all = ARENA_ARRAY(&arena, Str, names->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < names->cap; i++)
        if (names->table[i] != NULL) all[n++] = name_str(names->table[i]);
    qsort(all, n, sizeof *all, by_text);
    Buf out;
    buf_init(&out, &arena);
    for (uint32_t i = 0; i < n; i++)
        buf_format(&out, "%s%S", i > 0 ? " " : "", all[i]);
    return buf_str(&out);
}

static void assert_names(const char *text, const char *declared, const char *macros) {
    Names own, defined;
    names_init(&own, &arena);
    names_init(&defined, &arena);
    c_own_names(str_c(text), &own, &defined);
    assert_text(sorted(&own), declared);
    assert_text(sorted(&defined), macros);
}

static void declared(void **state) {
    (void)state;
    assert_names("", "", "");
    assert_names("static void f(int a, int (*g)(int)) { int h = a; f(h, g); }\n", "f", "");
    assert_names("OPGEN_CLONES static void f(int a);\nextern int not_ours(int);\n", "f", "");
    assert_names("__attribute__((target(\"avx2\"))) static int64_t f(float *a) { return 0; }", "f", "");
    assert_names("static const int table[] = {one, two}, other = 3;", "other table", "");
    assert_names("static int a, *b, c[2][3];", "a b c", "");
    assert_names("typedef float v4 __attribute__((vector_size(16)));\ntypedef int (*fn)(int);", "v4", "");
    assert_names("typedef uint32_t word, other;", "other word", "");
    assert_names("enum { ONE = 1 << 2, TWO, THREE = f(ONE, TWO) };", "ONE THREE TWO", "");
    assert_names("enum kind { ONE };\nstruct pair { int a, b; };\ntypedef struct { int c; } Named;",
                 "Named ONE kind pair", "");
    assert_names("void f(void) { enum { LOCAL = 1 }; static int also; struct s { int x; }; }", "f", "");
    assert_names("/* static int a; */ // int b;\nstatic const char *text = \"; int c; {\"; char d = '{'; int e;",
                 "d e text", "");
    assert_names("static inline float f(void) { return 1.5e-3f + 0x1p-3f; }\nstatic float g(void);", "f g", "");
}

static void macros(void **state) {
    (void)state;
    assert_names("#define ONE 1\n#  define TWO(x) \\\n  (x)\n#undef ONE\n", "", "ONE TWO");
    /* What whoever compiles it may set is his. */
    assert_names("#ifndef SET\n#define SET 3\n#endif\n", "", "");
    assert_names("#ifndef GUARD\n#define GUARD\ntypedef int t;\n#endif\n", "t", "GUARD");
    assert_names("int a; # not a line\n", "a", "");
    bool empty;
    assert_text(c_defined(S("#define A"), &empty), "A");
    assert_true(empty);
    assert_text(c_defined(S("# define A(x) x"), &empty), "A");
    assert_false(empty);
    assert_text(c_defined(S("#defined A"), &empty), "");
    assert_text(c_included(S("#include <math.h> /* why */")), "<math.h>");
    assert_text(c_included(S("# include \"a b.h\"")), "\"a b.h\"");
    assert_text(c_included(S("#include")), "");
    assert_text(c_included(S("#include \"open")), "");
}

static void renamed(void **state) {
    (void)state;
    Names names;
    names_init(&names, &arena);
    names_get(&names, S("f"));
    names_get(&names, S("T"));
    Buf out;
    buf_init(&out, &arena);
    c_rename(&out, S("#define G(x) f(x) /* f */\nT f(T of) { return \"f\"[0] + f(of) + 0xf + 1.f; } // f\n"), &names,
             S("k1"));
    assert_text(buf_str(&out),
                "#define G(x) k1_f(x) /* f */\nk1_T k1_f(k1_T of) { return \"f\"[0] + k1_f(of) + 0xf + 1.f; } // f\n");
}

static void words(void **state) {
    (void)state;
    Str text = S("#define A(b) \\\n  c b\n# include \"d\" // e\nf(\"g\", 0x1, 'h'); i");
    Buf out;
    buf_init(&out, &arena);
    bool line = true;
    Str word;
    for (size_t at = 0; (word = c_next_word(text, &at, &line)).n > 0;)
        buf_format(&out, "%S ", word);
    assert_text(buf_str(&out), "define A b c b include f i ");
}

/* Whatever the text, nothing is read beyond it, and nothing is lost. */
static void any_text(void **state) {
    (void)state;
    const char pieces[] = "a \n#/*\"'\\{}();,=[1.*typedef enum __attribute__ #define x";
    uint64_t random = 7;
    Names none;
    names_init(&none, &arena);
    for (int round = 0; round < 3000; round++) {
        ArenaMark mark = arena_mark(&arena);
        Buf text, out;
        buf_init(&text, &arena);
        buf_init(&out, &arena);
        for (int i = 0; i < 30; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 33) % (sizeof pieces - 1), n = (size_t)(random >> 50) % 8;
            if (at + n > sizeof pieces - 1) n = sizeof pieces - 1 - at;
            buf_add(&text, str(pieces + at, n));
        }
        /* In memory of its own, so that a sanitizer knows its end. */
        char *copy = malloc(text.n + 1);
        memcpy(copy, text.p == NULL ? "" : text.p, text.n);
        copy = realloc(copy, text.n > 0 ? text.n : 1);
        Names declared_names, macro_names;
        names_init(&declared_names, &arena);
        names_init(&macro_names, &arena);
        c_own_names(str(copy, text.n), &declared_names, &macro_names);
        c_rename(&out, str(copy, text.n), &none, S("p"));
        assert_true(str_eq(buf_str(&out), str(copy, text.n)));
        bool line = true;
        for (size_t at = 0; c_next_word(str(copy, text.n), &at, &line).n > 0;)
            assert_true(at <= text.n);
        free(copy);
        arena_reset(&arena, mark);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        TEST(declared), TEST(macros), TEST(renamed), TEST(words), TEST(any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
