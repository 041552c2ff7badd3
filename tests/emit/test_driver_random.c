/* test_driver_random: random models of maps, views and operators in place, generated, compiled and run; what comes out,
 * and what is left in the inputs, is compared with an interpreter that gives every tensor memory of its own. */
#include "driver_case.h"

enum { MOST = 64, STEPS = 36, LEAST_N = 4, MOST_N = 11, COLUMNS = 6 };

typedef struct Thing {
    char name[16];
    int scale, more, columns; /* (scale*n + more, columns), or, if flat, so many in a row */
    bool flat, gone;          /* gone: it was changed in place */
    const char *op;           /* NULL: an input or a param */
    int a, b, start, changes; /* operands; changes: the input whose value it becomes, or -1 */
    bool is_mutable;          /* an input that runs may change; others are only read */
    float *data;
} Thing;

typedef struct Case {
    Thing things[MOST];
    int n, inputs, params;
    int outputs[MOST], output_n;
    uint64_t seed;
} Case;

static uint32_t draw(Case *it, uint32_t below) {
    it->seed = it->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((it->seed >> 33) % below);
}

static bool alike(const Thing *a, const Thing *b) {
    return a->scale == b->scale && a->more == b->more && a->columns == b->columns && a->flat == b->flat;
}

static Thing *push(Case *it, const char *prefix, const char *op, const Thing *like) {
    Thing *thing = &it->things[it->n];
    *thing = (Thing){.scale = like->scale, .more = like->more, .columns = like->columns, .flat = like->flat};
    thing->op = op, thing->a = thing->b = thing->changes = -1;
    snprintf(thing->name, sizeof thing->name, "%s%d", prefix, it->n++);
    return thing;
}

/* One that may be read; -1: there is none that is like `like`. */
static int pick(Case *it, const Thing *like) {
    for (int tries = 0; tries < 200; tries++) {
        int at = (int)draw(it, (uint32_t)it->n);
        if (!it->things[at].gone && (like == NULL || alike(&it->things[at], like))) return at;
    }
    return -1;
}

static void step(Case *it) {
    int a = pick(it, NULL), b;
    if (a < 0) return;
    Thing *from = &it->things[a], *made;
    bool is_param = a >= it->inputs && a < it->inputs + it->params;
    switch (draw(it, 10)) {
    case 0:
    case 1:
        if ((b = pick(it, from)) < 0) return;
        made = push(it, "t", draw(it, 2) ? "add" : "mul", from);
        made->a = a, made->b = b;
        return;
    case 2:
        made = push(it, "t", "relu", from);
        made->a = a;
        return;
    case 3:
        made = push(it, "t", "reshape", from);
        made->flat = !made->flat, made->a = a;
        return;
    case 4:
        if (from->flat || from->scale * LEAST_N + from->more < 2) return;
        made = push(it, "t", "slice", from);
        made->more--, made->a = a, made->start = (int)draw(it, 2);
        return;
    case 5:
        if (from->flat || from->scale != 0) return;
        made = push(it, "t", "transpose", from);
        made->more = from->columns, made->columns = from->more, made->a = a;
        return;
    case 6:
        made = push(it, "t", "twice", from);
        made->a = a;
        return;
    default:
        if (is_param) return;
        if (draw(it, 2)) {
            made = push(it, "p", "relu_", from);
        } else {
            if ((b = pick(it, from)) < 0) return;
            made = push(it, "p", "add_", from);
            made->b = b;
        }
        made->a = a, made->changes = a >= it->inputs ? from->changes : from->is_mutable ? a : -1;
        from->gone = true;
    }
}

/* ---- the model's text */
static void add_rows(Buf *out, const Thing *thing, int times) {
    buf_format(out, thing->scale == 0 ? "%d" : "\"%d*n + %d\"",
               thing->scale == 0 ? thing->more * times : thing->scale * times, thing->more * times);
}

static void add_shape(Buf *out, const Thing *thing) {
    buf_char(out, '[');
    if (thing->scale == 1 && thing->more == 0 && !thing->flat)
        buf_add(out, S("\"n\""));
    else
        add_rows(out, thing, thing->flat ? thing->columns : 1);
    if (!thing->flat) buf_format(out, ", %d", thing->columns);
    buf_char(out, ']');
}

static Str model_text(Case *it, Arena *arena) {
    Buf out;
    buf_init(&out, arena);
    buf_format(&out, "{\"opgen\": 1, \"name\": \"some\", \"dims\": {\"n\": {\"min\": %d, \"max\": %d}}, \"inputs\": {",
               LEAST_N, MOST_N);
    for (int i = 0; i < it->inputs + it->params; i++) {
        if (i == it->inputs) buf_add(&out, S("}, \"params\": {"));
        buf_format(&out, "%s\"%s\": {\"dtype\": \"f32\", \"shape\": ", i == 0 || i == it->inputs ? "" : ", ",
                   it->things[i].name);
        add_shape(&out, &it->things[i]);
        buf_add(&out, it->things[i].is_mutable ? S(", \"mutable\": true}") : S("}"));
    }
    buf_add(&out, S("}, \"nodes\": [\n"));
    for (int i = it->inputs + it->params; i < it->n; i++) {
        const Thing *thing = &it->things[i];
        buf_format(&out, "%s  {\"op\": \"%s\", \"in\": [\"%s\"", i == it->inputs + it->params ? "" : ",\n", thing->op,
                   it->things[thing->a].name);
        if (thing->b >= 0) buf_format(&out, ", \"%s\"", it->things[thing->b].name);
        buf_format(&out, "], \"out\": \"%s\"", thing->name);
        if (strcmp(thing->op, "reshape") == 0) {
            buf_add(&out, S(", \"attrs\": {\"shape\": "));
            add_shape(&out, thing);
            buf_char(&out, '}');
        } else if (strcmp(thing->op, "slice") == 0) {
            if (thing->start == 1)
                buf_add(&out, S(", \"attrs\": {\"start\": 1}"));
            else
                buf_add(&out, S(", \"attrs\": {\"end\": -1}"));
        } else if (strcmp(thing->op, "transpose") == 0) {
            buf_add(&out, S(", \"attrs\": {\"dim0\": 0, \"dim1\": 1}"));
        }
        buf_char(&out, '}');
    }
    buf_add(&out, S("\n], \"outputs\": ["));
    for (int i = 0; i < it->output_n; i++)
        buf_format(&out, "%s\"%s\"", i == 0 ? "" : ", ", it->things[it->outputs[i]].name);
    buf_add(&out, S("]}\n"));
    return buf_str(&out);
}

/* ---- the interpreter */
static int rows_of(const Thing *thing, int n) { return thing->scale * n + thing->more; }
static size_t count_of(const Thing *thing, int n) { return (size_t)(rows_of(thing, n) * thing->columns); }

static float operate(const char *op, float a, float b) {
    if (op[0] == 'r') return a > 0 ? a : 0;
    if (op[0] == 't') return 2 * a;
    return op[0] == 'a' ? a + b : a * b;
}

static void interpret(Case *it, int n) {
    for (int i = it->inputs + it->params; i < it->n; i++) {
        Thing *thing = &it->things[i];
        const Thing *a = &it->things[thing->a];
        size_t count = count_of(thing, n), columns = (size_t)thing->columns, rows = (size_t)rows_of(thing, n);
        thing->data = malloc(count * sizeof *thing->data);
        assert_non_null(thing->data);
        for (size_t k = 0; k < count; k++) {
            if (strcmp(thing->op, "reshape") == 0)
                thing->data[k] = a->data[k];
            else if (strcmp(thing->op, "slice") == 0)
                thing->data[k] = a->data[k + (size_t)thing->start * columns];
            else if (strcmp(thing->op, "transpose") == 0)
                thing->data[k] = a->data[k % columns * rows + k / columns];
            else
                thing->data[k] = operate(thing->op, a->data[k], thing->b < 0 ? 0 : it->things[thing->b].data[k]);
        }
    }
}

/* ---- one model */
static void make(Case *it, uint64_t seed) {
    *it = (Case){.seed = seed, .inputs = 3, .params = 2};
    const Thing shapes[] = {{.scale = 1, .columns = COLUMNS},
                            {.scale = 1, .columns = COLUMNS},
                            {.more = 4, .columns = COLUMNS},
                            {.more = 4, .columns = COLUMNS},
                            {.more = 24, .columns = 1, .flat = true}};
    for (int i = 0; i < it->inputs + it->params; i++)
        push(it, i < it->inputs ? "x" : "w", NULL, &shapes[i])->is_mutable = i < it->inputs && draw(it, 3) > 0;
    while (it->n < STEPS + 5)
        step(it);
    for (int i = it->n - 1; i >= it->inputs + it->params && it->output_n < 6; i--)
        if (!it->things[i].gone && draw(it, 3) != 0) it->outputs[it->output_n++] = i;
    if (it->output_n == 0) it->outputs[it->output_n++] = it->n - 1;
}

static void compare(Case *it, const float *got, int thing, int n, const char *what, Str text) {
    const Thing *wanted = &it->things[thing];
    for (size_t k = 0; k < count_of(wanted, n); k++)
        if (!(got[k] == wanted->data[k]))
            fail_msg("%s %s[%zu] with n = %d: wanted %g, got %g, of\n%.*s", what, wanted->name, k, n,
                     (double)wanted->data[k], (double)got[k], STR_ARG(text));
}

static void run_with(Case *it, const OpgenModel *model, int n, Str text) {
    float *left[MOST], *outputs[MOST];
    const void *in[MOST], *params[MOST];
    void *out[MOST];
    for (int i = 0; i < it->inputs + it->params; i++) {
        Thing *thing = &it->things[i];
        size_t count = count_of(thing, n);
        thing->data = malloc(count * sizeof *thing->data);
        left[i] = malloc(count * sizeof *thing->data);
        assert_true(thing->data != NULL && left[i] != NULL);
        for (size_t k = 0; k < count; k++)
            thing->data[k] = left[i][k] = (float)((int)draw(it, 5) - 2);
        if (i < it->inputs)
            in[i] = left[i];
        else
            params[i - it->inputs] = left[i];
    }
    interpret(it, n);
    for (int i = 0; i < it->output_n; i++) {
        size_t bytes = count_of(&it->things[it->outputs[i]], n) * sizeof(float);
        out[i] = outputs[i] = malloc(bytes);
        assert_non_null(out[i]);
        memset(out[i], 0xff, bytes);
    }
    int64_t dims[1] = {n}, sizes[4 * MOST];
    assert_int_equal(model->shapes(dims, sizes), 0);
    assert_true(model->check == NULL || model->check(dims) == NULL);
    world_run(model, in, params, out, dims);
    for (int i = 0; i < it->output_n; i++)
        compare(it, outputs[i], it->outputs[i], n, "output", text);
    for (int i = 0; i < it->inputs + it->params; i++) {
        int last = i;
        for (int k = 0; k < it->n; k++)
            if (it->things[k].changes == i) last = k;
        compare(it, left[i], last, n, "left in an input:", text);
    }
    for (int i = 0; i < it->output_n; i++)
        free(outputs[i]);
    for (int i = 0; i < it->inputs + it->params; i++)
        free(left[i]);
    for (int i = 0; i < it->n; i++)
        free(it->things[i].data);
}

static unsigned written_back, shared;

static void random_models(void **state) {
    (void)state;
    const char *chosen = getenv("SEED");
    uint64_t first = chosen != NULL ? strtoull(chosen, NULL, 10) : 1, count = chosen != NULL ? 1 : 24;
    for (uint64_t seed = first; seed < first + count; seed++) {
        static Case it;
        World world;
        world_init(&world);
        make(&it, seed);
        Str text = model_text(&it, &world.arena);
        if (chosen != NULL) print_message("%.*s", STR_ARG(text));
        world.options.without = seed % 2 == 0 ? PASS_ALL : 0;
        world_emit(&world, world_read(&world, text));
        const Plan *plan = &world.result.plan;
        for (uint32_t c = 0; c < plan->calls.n; c++) {
            const Call *call = &plan->calls.items[c];
            written_back += call->function == NULL && call->to.kind == PLACE_INPUT;
        }
        for (uint32_t t = 0; t < plan->graph->tensors.n; t++)
            shared += plan->graph->tensors.items[t]->name->p[0] == 'p' && plan->places[t].kind == PLACE_INPUT;
        const OpgenModel *model = world_load(&world, "some");
        for (int n = LEAST_N; n <= MOST_N; n += 3)
            run_with(&it, model, n, text);
        world_free(&world);
    }
    if (chosen != NULL) return;
    /* Both ways of changing an input were taken. */
    assert_true(written_back > 0 && shared > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
