/* test_arena: slots in the arena: never two at one place at one time, whatever the dims are; and as little room as can
 * be. */
#include "emit/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena arena;
    Names names;
    Graph graph;
    Plan plan;
    uint64_t seed;
} Fixture;

static void init(Fixture *fixture, uint64_t seed) {
    memset(fixture, 0, sizeof *fixture);
    arena_init(&fixture->arena);
    names_init(&fixture->names, &fixture->arena);
    fixture->graph = (Graph){.arena = &fixture->arena, .names = &fixture->names};
    syms_init(&fixture->graph.syms, &fixture->arena);
    fixture->plan = (Plan){.arena = &fixture->arena, .graph = &fixture->graph};
    fixture->seed = seed;
}

static uint32_t draw(Fixture *fixture, uint32_t below) {
    fixture->seed = fixture->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((fixture->seed >> 33) % below);
}

static SymRef add_dim(Fixture *fixture, const char *name, int64_t min, int64_t max) {
    GraphDim dim = {.name = names_get(&fixture->names, str_c(name)), .min = min, .max = max};
    dim.sym = sym_var(&fixture->graph.syms, dim.name, min, max);
    *VEC_PUSH(&fixture->arena, &fixture->graph.dims) = dim;
    return dim.sym;
}

static void add_slot(Fixture *fixture, SymRef bytes, uint32_t first, uint32_t last) {
    *VEC_PUSH(&fixture->arena, &fixture->plan.slots) = (Slot){.bytes = bytes, .first = first, .last = last};
}

static void add_known(Fixture *fixture, int64_t bytes, uint32_t first, uint32_t last) {
    add_slot(fixture, sym_int(&fixture->graph.syms, bytes), first, last);
}

static int64_t largest_sum(const Plan *plan) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < plan->slots.n; i++)
        if (plan->slots.items[i].last >= end) end = plan->slots.items[i].last + 1;
    int64_t *change = calloc((size_t)end + 1, sizeof *change), sum = 0, most = 0;
    for (uint32_t i = 0; i < plan->slots.n; i++) {
        change[plan->slots.items[i].first] += plan->slots.items[i].planned;
        change[plan->slots.items[i].last + 1] -= plan->slots.items[i].planned;
    }
    for (uint32_t i = 0; i < end; i++)
        if ((sum += change[i]) > most) most = sum;
    free(change);
    return most;
}

static bool together(const Slot *a, const Slot *b) { return a->first <= b->last && b->first <= a->last; }

/* Offsets as a run makes them, for these dims; and what is said of the planned ones. Returns the bytes of all. */
static int64_t check(Fixture *fixture, const int64_t *dims) {
    Plan *plan = &fixture->plan;
    uint32_t n = plan->slots.n, left = n;
    int64_t *offsets = calloc((size_t)n + 1, sizeof *offsets), *bytes = calloc((size_t)n + 1, sizeof *bytes), all = 0;
    bool *known = calloc((size_t)n + 1, 1);
    assert_true(offsets != NULL && bytes != NULL && known != NULL);
    Map values;
    map_init(&values, &fixture->arena);
    int64_t *copies = ARENA_ARRAY(&fixture->arena, int64_t, fixture->graph.dims.n + 1);
    for (uint32_t i = 0; i < fixture->graph.dims.n; i++) {
        copies[i] = dims[i];
        map_set(&values, fixture->graph.dims.items[i].name, &copies[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        assert_true(sym_value(plan->slots.items[i].bytes, &values, &bytes[i]));
    while (left > 0) { /* whatever order the lists allow; a circle would go on for ever */
        uint32_t before = left;
        for (uint32_t i = 0; i < n; i++) {
            const Slot *slot = &plan->slots.items[i];
            bool ready = !known[i];
            for (uint32_t k = 0; k < slot->on.n && ready; k++) {
                uint32_t below = slot->on.items[k];
                ready = known[below];
                assert_true(together(slot, &plan->slots.items[below]));
                if (ready && offsets[below] + bytes[below] > offsets[i]) offsets[i] = offsets[below] + bytes[below];
            }
            if (!ready) {
                if (!known[i]) offsets[i] = 0;
                continue;
            }
            known[i] = true;
            left--;
            if (offsets[i] + bytes[i] > all) all = offsets[i] + bytes[i];
        }
        assert_true(left < before);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            if (!together(&plan->slots.items[i], &plan->slots.items[k]) || bytes[i] == 0 || bytes[k] == 0) continue;
            if (offsets[i] < offsets[k] + bytes[k] && offsets[k] < offsets[i] + bytes[i])
                fail_msg("slots %u and %u overlap", (unsigned)i, (unsigned)k);
        }
    free(offsets);
    free(bytes);
    free(known);
    return all;
}

/* The planned offsets are what the lists make of the planned sizes. */
static void check_planned(Fixture *fixture) {
    const Plan *plan = &fixture->plan;
    assert_int_equal(check(fixture, plan->planned_dims.items), plan->arena_planned);
    for (uint32_t i = 0; i < plan->slots.n; i++) {
        int64_t offset = 0;
        for (uint32_t k = 0; k < plan->slots.items[i].on.n; k++) {
            const Slot *below = &plan->slots.items[plan->slots.items[i].on.items[k]];
            if (below->offset + below->planned > offset) offset = below->offset + below->planned;
        }
        assert_int_equal(plan->slots.items[i].offset, offset);
    }
}

/* ---- how much room it takes */
typedef enum Kind { UNIFORM, NETWORK, BRANCHES, TRAINING, KINDS } Kind;

static void add_random(Fixture *fixture, Kind kind, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i, last = i + 1 + draw(fixture, 6);
        int64_t bytes = 64 * (1 + draw(fixture, 1000));
        if (kind == UNIFORM) {
            first = draw(fixture, n);
            last = first + draw(fixture, n - first);
        } else if (kind == NETWORK) { /* layers, now and then with a connection over many of them */
            if (draw(fixture, 20) == 0) last = i + draw(fixture, 200);
        } else if (kind == BRANCHES) {
            last = i + 1 + (draw(fixture, 4) == 0 ? draw(fixture, 30) : draw(fixture, 3));
            bytes = INT64_C(64) << draw(fixture, 10);
        } else { /* what the way forward leaves for the way back */
            last = i % 10 == 0 && 2 * n > 2 * i ? 2 * n - i : i + 1;
            bytes = 64 * (1 + (int64_t)draw(fixture, 30) * draw(fixture, 30));
        }
        add_known(fixture, bytes, first, last);
    }
}

static void little_room(void **state) {
    (void)state;
    static const char *const names[] = {"uniform", "network", "branches", "training"};
    static const double wanted[] = {1.08, 1.06, 1.03, 1.03}; /* of the largest sum; the worst of all rounds */
    for (int kind = 0; kind < KINDS; kind++) {
        double worst = 1, sum = 0;
        enum { ROUNDS = 12 };
        for (unsigned round = 0; round < ROUNDS; round++) {
            Fixture fixture;
            init(&fixture, 77 * round + (unsigned)kind);
            add_random(&fixture, (Kind)kind, 40 + 60 * round);
            plan_arena(&fixture.plan);
            check_planned(&fixture);
            double ratio = (double)fixture.plan.arena_planned / (double)largest_sum(&fixture.plan);
            if (ratio > worst) worst = ratio;
            sum += ratio;
            arena_free(&fixture.arena);
        }
        print_message("%s: %.4f of the least that can be, at worst %.4f\n", names[kind], sum / ROUNDS, worst);
        if (worst > wanted[kind]) fail_msg("%s: %g is more than %g", names[kind], worst, wanted[kind]);
    }
}

/* ---- dims */
static void whatever_the_dims(void **state) {
    (void)state;
    for (unsigned round = 0; round < 30; round++) {
        Fixture fixture;
        init(&fixture, 1000 + round);
        Syms *syms = &fixture.graph.syms;
        SymRef dims[] = {add_dim(&fixture, "n", 0, 4096), add_dim(&fixture, "m", 1, 300), add_dim(&fixture, "k", 0, 9)};
        uint32_t n = 10 + draw(&fixture, 90);
        for (uint32_t i = 0; i < n; i++) {
            SymRef size = sym_int(syms, draw(&fixture, 8));
            for (int d = 0; d < 3; d++)
                size = sym_add(syms, size, sym_mul(syms, sym_int(syms, draw(&fixture, 5)), dims[d]));
            if (draw(&fixture, 3) == 0) size = sym_mul(syms, size, dims[draw(&fixture, 3)]);
            uint32_t first = draw(&fixture, n), last = first + draw(&fixture, draw(&fixture, 2) ? 8 : n);
            add_slot(&fixture, sym_mul(syms, size, sym_int(syms, 64)), first, last);
        }
        assert_false(syms->overflow);
        plan_arena(&fixture.plan);
        uint32_t listed = 0;
        for (uint32_t i = 0; i < n; i++)
            listed += fixture.plan.slots.items[i].on.n;
        assert_true(listed <= 3 * n);
        assert_int_equal(fixture.plan.planned_dims.items[0], 4096);
        for (unsigned tries = 0; tries < 20; tries++)
            check(&fixture, (int64_t[]){tries == 0 ? 0 : draw(&fixture, 4097), 1 + draw(&fixture, 300),
                                        tries < 2 ? 0 : draw(&fixture, 10)});
        arena_free(&fixture.arena);
    }
}

/* Memory for the largest dims may be beyond all machines; then it is planned for smaller ones. */
static void dims_beyond_machines(void **state) {
    (void)state;
    Fixture fixture;
    init(&fixture, 5);
    Syms *syms = &fixture.graph.syms;
    SymRef n = add_dim(&fixture, "n", 1, INT64_C(1) << 40), m = add_dim(&fixture, "m", 2, INT64_C(1) << 40);
    SymRef both = sym_mul(syms, sym_mul(syms, n, m), sym_int(syms, 64));
    for (uint32_t i = 0; i < 20; i++)
        add_slot(&fixture, i % 3 == 0 ? both : sym_mul(syms, i % 3 == 1 ? n : m, sym_int(syms, 128)), i, i + 2);
    plan_arena(&fixture.plan);
    assert_int_equal(fixture.plan.planned_dims.items[0], 1024);
    assert_int_equal(fixture.plan.planned_dims.items[1], 1024);
    check_planned(&fixture);
    check(&fixture, (int64_t[]){100, 7});
    check(&fixture, (int64_t[]){1, 1 << 20});
    arena_free(&fixture.arena);
    /* A size that no dims make small is planned as a little one, and is as large as it is at run time. */
    init(&fixture, 6);
    add_known(&fixture, INT64_C(1) << 61, 0, 1);
    add_known(&fixture, 128, 1, 2);
    add_known(&fixture, 64, 2, 3);
    plan_arena(&fixture.plan);
    assert_true(check(&fixture, NULL) == (INT64_C(1) << 61) + 128);
    arena_free(&fixture.arena);
}

static void empty_slots(void **state) {
    (void)state;
    Fixture fixture;
    init(&fixture, 7);
    plan_arena(&fixture.plan);
    assert_int_equal(fixture.plan.arena_planned, 0);
    for (uint32_t i = 0; i < 5; i++)
        add_known(&fixture, i % 2 == 0 ? 0 : 640, 0, 4);
    plan_arena(&fixture.plan);
    assert_int_equal(fixture.plan.arena_planned, 2 * 640);
    check(&fixture, NULL);
    arena_free(&fixture.arena);
}

/* ---- many of them: as quick as a graph of so many nodes is read */
static void many_slots(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        enum { MANY = 100000 };
        Fixture fixture;
        init(&fixture, 8);
        for (uint32_t i = 0; i < MANY; i++) {
            uint32_t first = i, last = i + 1;
            if (kind == 1) last = MANY; /* all of them at once */
            if (kind == 2) last = i + 1 + draw(&fixture, 30);
            if (kind == 3) first = draw(&fixture, MANY), last = first + draw(&fixture, MANY - first);
            add_known(&fixture, kind == 0 ? 4096 : 64 * (1 + draw(&fixture, 100)), first, last);
        }
        clock_t start = clock();
        plan_arena(&fixture.plan);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        double ratio = (double)fixture.plan.arena_planned / (double)largest_sum(&fixture.plan);
        print_message("%d slots, kind %d: %.3f s (with sanitizers), %.4f of the least that can be\n", (int)MANY, kind,
                      seconds, ratio);
        assert_true(seconds < 20);
        if (kind < 2) assert_true(fixture.plan.arena_planned == largest_sum(&fixture.plan));
        if (kind == 2) assert_true(ratio < 1.1);
        if (kind == 0) assert_int_equal(fixture.plan.arena_planned, 8192);
        arena_free(&fixture.arena);
    }
}

/* The same plan on every machine and in every run. */
static void always_the_same(void **state) {
    (void)state;
    Fixture one, two;
    init(&one, 9), init(&two, 9);
    add_random(&one, UNIFORM, 300), add_random(&two, UNIFORM, 300);
    plan_arena(&one.plan), plan_arena(&two.plan);
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(one.plan.slots.items[i].offset, two.plan.slots.items[i].offset);
        assert_int_equal(one.plan.slots.items[i].on.n, two.plan.slots.items[i].on.n);
    }
    arena_free(&one.arena), arena_free(&two.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_room), cmocka_unit_test(whatever_the_dims), cmocka_unit_test(dims_beyond_machines),
        cmocka_unit_test(empty_slots), cmocka_unit_test(many_slots),        cmocka_unit_test(always_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
