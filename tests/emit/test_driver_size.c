/* test_driver_size: sizes as C, random ones over small and enormous dims, compiled and held against sym_value: what
 * fits 64 bits is right, what does not is OPGEN_NO_SIZE, and the sanitizer sees nothing. */
#include "emit/driver.h"

#include "driver_case.h"

#include <opgen_index.h>

enum { SIZES = 400, DIMS = 4, TRIES = 60 };

static uint64_t seed = 3;

static uint64_t draw(uint64_t below) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 20) % below;
}

static const int64_t limits[DIMS][2] = {{0, 9}, {1, INT32_MAX}, {0, INT64_C(1) << 40}, {2, (INT64_C(1) << 62) - 1}};

static SymRef random_sym(Syms *syms, const SymRef *dims, int depth) {
    if (depth == 0 || draw(6) == 0) {
        if (draw(3) == 0) return sym_int(syms, (int64_t)draw(70) - 10);
        return dims[draw(DIMS)];
    }
    SymRef a = random_sym(syms, dims, depth - 1), b = random_sym(syms, dims, depth - 1);
    switch (draw(11)) {
    case 0:
    case 1:
        return sym_add(syms, a, b);
    case 2:
        return sym_sub(syms, a, b);
    case 3:
    case 4:
        return sym_mul(syms, a, b);
    case 5:
        return sym_floordiv(syms, a, b);
    case 6:
        return sym_mod(syms, a, b);
    case 7:
        return sym_min(syms, a, b);
    case 8:
        return sym_max(syms, a, b);
    case 9:
        return sym_select(syms, sym_lt(syms, a, b), a, b);
    default:
        return sym_select(syms, sym_eq(syms, sym_mod(syms, a, sym_int(syms, 7)), sym_int(syms, 3)), b, a);
    }
}

/* In 128 bits; false: beyond these, or divided by zero. What is not chosen, or is multiplied by 0, does not count. */
static bool exact(SymRef a, const Map *values, __int128 *out);

static bool exact_product(SymRef a, const Map *values, __int128 *out) {
    bool told = true;
    *out = 1;
    for (uint32_t i = 0; i < a->n; i++) {
        __int128 factor = 0;
        if (!exact(a->terms[i].atom, values, &factor)) {
            told = false;
        } else if (factor == 0) {
            *out = 0;
            return true;
        }
        for (int64_t power = a->terms[i].coefficient; power > 0 && told; power--)
            told = !__builtin_mul_overflow(*out, factor, out);
    }
    return told;
}

static bool exact(SymRef a, const Map *values, __int128 *out) {
    __int128 x = 0, y = 0, c = 0;
    if (a->kind == SYM_VAR) {
        *out = *(const int64_t *)map_get(values, a->name);
        return true;
    }
    if (a->kind == SYM_PRODUCT) return exact_product(a, values, out);
    if (a->kind == SYM_SUM) {
        *out = a->constant;
        for (uint32_t i = 0; i < a->n; i++)
            if (!exact(a->terms[i].atom, values, &x) || __builtin_mul_overflow(x, a->terms[i].coefficient, &x) ||
                __builtin_add_overflow(*out, x, out))
                return false;
        return true;
    }
    if (a->kind == SYM_SELECT) return exact(a->c, values, &c) && exact(c != 0 ? a->a : a->b, values, out);
    if (!exact(a->a, values, &x) || !exact(a->b, values, &y)) return false;
    if (a->kind == SYM_FLOORDIV || a->kind == SYM_MOD) {
        if (y == 0) return false;
        __int128 rest = x % y;
        if (rest != 0 && (rest < 0) != (y < 0)) rest += y;
        *out = a->kind == SYM_MOD ? rest : (x - rest) / y;
    } else {
        *out = a->kind == SYM_MIN   ? (x < y ? x : y)
               : a->kind == SYM_MAX ? (x > y ? x : y)
               : a->kind == SYM_LT  ? x < y
                                    : x == y;
    }
    return true;
}

static bool is_beyond(SymRef a) { return a->low == INT64_MIN || a->high == INT64_MAX; }

static void sizes_as_c(void **state) {
    (void)state;
    World world;
    world_init(&world);
    Arena *arena = &world.arena;
    Graph graph = {.arena = arena, .names = &world.names};
    Syms *syms = &graph.syms;
    syms_init(syms, arena);
    static const char *const names[DIMS] = {"a", "b", "c", "d"};
    SymRef dims[DIMS], sizes[SIZES];
    for (int i = 0; i < DIMS; i++) {
        GraphDim dim = {.name = names_get(&world.names, str_c(names[i])), .min = limits[i][0], .max = limits[i][1]};
        dims[i] = dim.sym = sym_var(syms, dim.name, dim.min, dim.max);
        *VEC_PUSH(arena, &graph.dims) = dim;
    }
    Buf text;
    buf_init(&text, arena);
    buf_add(&text, S("#include \"opgen_index.h\"\nvoid all(const int64_t *dims, int64_t *out);\n"));
    unsigned safe = 0;
    for (int i = 0; i < SIZES;) {
        sym_clear_fault(syms);
        int64_t number;
        SymRef size = random_sym(syms, dims, 1 + (int)draw(4));
        if (syms->overflow || sym_is_int(size, &number)) continue;
        bool used[DIMS] = {false};
        size_dims(&graph, size, used);
        safe += size_is_safe(size);
        assert_false(size_is_safe(size) && is_beyond(size));
        buf_format(&text, "static int64_t f%d(const int64_t *dims) {\n", i);
        size_declare_dims(&text, &graph, used, S("dims"));
        buf_add(&text, S("    return "));
        size_print(&text, size);
        buf_add(&text, S(";\n}\n"));
        sizes[i++] = size;
    }
    buf_add(&text, S("void all(const int64_t *dims, int64_t *out) {\n"));
    for (int i = 0; i < SIZES; i++)
        buf_format(&text, "    out[%d] = f%d(dims);\n", i, i);
    buf_add(&text, S("}\n"));
    bool changed;
    Str path = str_format(arena, "%s/sizes.c", world.folder);
    assert_true(file_write_if_changed(arena, path, buf_str(&text), &world.diags, &changed));
    world_shell(&world,
                "cc -std=c11 -Wall -Wextra -Werror -Iruntime -O1 -fsanitize=undefined "
                "-fno-sanitize-recover=undefined -fPIC -shared -o %s/lib.so %S",
                world.folder, path);
    world.library = dlopen(str_to_c(arena, str_format(arena, "%s/lib.so", world.folder)), RTLD_NOW);
    assert_non_null(world.library);
    void (*all)(const int64_t *, int64_t *) = (void (*)(const int64_t *, int64_t *))dlsym(world.library, "all");
    assert_non_null(all);
    unsigned fit = 0, beyond = 0, careful = 0;
    for (int try = 0; try < TRIES; try++) {
        int64_t values[DIMS], got[SIZES];
        Map map;
        map_init(&map, arena);
        for (int i = 0; i < DIMS; i++) {
            uint64_t range = (uint64_t)(limits[i][1] - limits[i][0]);
            values[i] = try == 0   ? limits[i][0]
                        : try == 1 ? limits[i][1]
                                   : limits[i][0] + (int64_t)draw((range >> draw(try < TRIES / 2 ? 60 : 10)) + 1);
            map_set(&map, graph.dims.items[i].name, &values[i]);
        }
        all(values, got);
        for (int i = 0; i < SIZES; i++) {
            __int128 wanted = 0;
            bool told = exact(sizes[i], &map, &wanted), fits = told && wanted > INT64_MIN && wanted <= INT64_MAX;
            bool refused = got[i] == OPGEN_NO_SIZE;
            if (refused ? size_is_safe(sizes[i]) : told && got[i] != wanted) {
                Buf shown;
                buf_init(&shown, arena);
                size_print(&shown, sizes[i]);
                fail_msg("%.*s with %lld %lld %lld %lld: got %lld, and modulo 2^64 it is %lld",
                         STR_ARG(buf_str(&shown)), (long long)values[0], (long long)values[1], (long long)values[2],
                         (long long)values[3], (long long)got[i], (long long)wanted);
            }
            fit += fits && !refused;
            beyond += !fits;
            careful += fits && refused;
        }
    }
    print_message("%u of %u sizes are plain; %u values fit, %u do not, %u were refused without need\n", safe,
                  (unsigned)SIZES, fit, beyond, careful);
    assert_true(safe > SIZES / 20 && beyond > 500 && fit > 5000 && careful * 4 < beyond);
    world_free(&world);
}

/* ---- the functions themselves, at the ends of their ranges */
static void numbers_that_do_not_fit(void **state) {
    (void)state;
    static const int64_t all[] = {
        INT64_MIN + 1,    INT64_MIN + 2, -(INT64_C(1) << 32), -3,       -2, -1, 0, 1, 2, 3, 7, INT64_C(3037000500),
        INT64_C(1) << 32, INT64_MAX / 2, INT64_MAX - 1,       INT64_MAX};
    enum { N = sizeof all / sizeof *all };
    for (int i = 0; i < N; i++) {
        assert_true(opgen_try_add(OPGEN_NO_SIZE, all[i]) == OPGEN_NO_SIZE);
        assert_true(opgen_try_mul(all[i], OPGEN_NO_SIZE) == (all[i] == 0 ? 0 : OPGEN_NO_SIZE));
        assert_true(opgen_try_floordiv(all[i], 0) == OPGEN_NO_SIZE && opgen_floordiv(all[i], 0) == 0);
        assert_true(opgen_try_mod(all[i], 0) == OPGEN_NO_SIZE && opgen_mod(all[i], 0) == 0);
        for (int k = 0; k < N; k++) {
            __int128 sum = (__int128)all[i] + all[k], product = (__int128)all[i] * all[k];
            assert_true(opgen_try_add(all[i], all[k]) ==
                        (sum > INT64_MIN && sum <= INT64_MAX ? (int64_t)sum : OPGEN_NO_SIZE));
            assert_true(opgen_try_mul(all[i], all[k]) ==
                        (product > INT64_MIN && product <= INT64_MAX ? (int64_t)product : OPGEN_NO_SIZE));
            if (all[k] == 0) continue;
            __int128 quotient = (__int128)all[i] / all[k];
            if (quotient * all[k] != all[i] && (all[i] < 0) != (all[k] < 0)) quotient--;
            assert_true(opgen_floordiv(all[i], all[k]) == (int64_t)quotient);
            assert_true(opgen_mod(all[i], all[k]) == (int64_t)(all[i] - quotient * all[k]));
        }
    }
    assert_true(opgen_floordiv(INT64_MIN, -1) == INT64_MIN && opgen_mod(INT64_MIN, -1) == 0);
    assert_true(opgen_try_select(OPGEN_NO_SIZE, 1, 2) == OPGEN_NO_SIZE);
    assert_true(opgen_try_select(0, OPGEN_NO_SIZE, 2) == 2 && opgen_try_select(5, 1, OPGEN_NO_SIZE) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_as_c), cmocka_unit_test(numbers_that_do_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
