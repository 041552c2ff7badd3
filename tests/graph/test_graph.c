/* test_graph.c: changing graphs: random ones, in random order, through random changes; after each the graph agrees with
 * itself and with what a slow and simple reckoning says.
 */
#include "graph/graph.h"
#include "graph/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "fixture.h"

/* ---- chance, the same in every run */

static uint64_t chance_state;

static uint32_t chance(uint32_t below) {
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (uint32_t)((chance_state >> 33) % below);
}

static void expect_sound(Arena *arena, const Graph *graph) {
    Diags diags;
    diags_init(&diags, arena);
    if (graph_check(graph, &diags)) return;
    Buf out;
    buf_init(&out, arena);
    diags_render(&diags, DIAG_TEXT, false, &out);
    graph_dump(graph, &out);
    fail_msg("%.*s", STR_ARG(buf_str(&out)));
}

/* ---- order.h alone */

/* What order_sort promises, as directly as can be: the smallest that nothing holds back, again and again. */
static uint32_t simple_sort(Arena *arena, uint32_t n, const OrderEdges *edges, uint32_t *out) {
    bool *done = ARENA_ARRAY(arena, bool, n);
    uint32_t placed = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < n && !more; i++) {
            bool ready = !done[i];
            for (uint32_t k = 0; k < edges->n; k++)
                if (edges->items[k].after == i && !done[edges->items[k].before]) ready = false;
            if (!ready) continue;
            out[placed++] = i;
            done[i] = more = true;
        }
    }
    return placed;
}

typedef struct Cycles {
    const OrderEdges *edges;
    bool *on;
    unsigned n;
} Cycles;

static bool has_edge(const OrderEdges *edges, uint32_t before, uint32_t after) {
    for (uint32_t i = 0; i < edges->n; i++)
        if (edges->items[i].before == before && edges->items[i].after == after) return true;
    return false;
}

static void see_cycle(void *user, const uint32_t *cycle, uint32_t length) {
    Cycles *seen = user;
    seen->n++;
    assert_true(length > 0);
    for (uint32_t i = 0; i < length; i++) {
        assert_true(has_edge(seen->edges, cycle[i], cycle[(i + 1) % length]));
        assert_true(cycle[0] <= cycle[i]);
        assert_false(seen->on[cycle[i]]);
        seen->on[cycle[i]] = true;
    }
}

/* Knots by reachability: as many cycles as there are sets of things that come before each other. */
static unsigned simple_knots(Arena *arena, uint32_t n, const OrderEdges *edges) {
    bool *reach = ARENA_ARRAY(arena, bool, (size_t)n *n), *counted = ARENA_ARRAY(arena, bool, n);
    for (uint32_t i = 0; i < edges->n; i++)
        reach[edges->items[i].before * n + edges->items[i].after] = true;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (reach[i * n + k] && reach[k * n + j]) reach[i * n + j] = true;
    unsigned knots = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!reach[i * n + i] || counted[i]) continue;
        knots++;
        for (uint32_t j = 0; j < n; j++)
            if (reach[i * n + j] && reach[j * n + i]) counted[j] = true;
    }
    return knots;
}

static void orders(void **state) {
    (void)state;
    chance_state = 88172645463325252u;
    for (int round = 0; round < 3000; round++) {
        Arena arena;
        arena_init(&arena);
        uint32_t n = 1 + chance(12);
        OrderEdges edges = {0};
        bool forward = chance(2) == 0;
        for (uint32_t k = chance(2 * n + 1); k > 0; k--) {
            OrderEdge edge = {chance(n), chance(n)};
            if (forward && edge.before == edge.after) continue;
            *VEC_PUSH(&arena, &edges) = edge;
        }
        /* Without cycles: along a random order of the numbers. */
        uint32_t rank[12];
        for (uint32_t i = 0; i < n; i++)
            rank[i] = i;
        for (uint32_t i = n; i > 1; i--) {
            uint32_t other = chance(i), was = rank[i - 1];
            rank[i - 1] = rank[other], rank[other] = was;
        }
        for (uint32_t i = 0; forward && i < edges.n; i++) {
            OrderEdge edge = edges.items[i];
            if (rank[edge.before] > rank[edge.after]) edges.items[i] = (OrderEdge){edge.after, edge.before};
        }
        uint32_t got[12], wanted[12];
        uint32_t got_n = order_sort(&arena, n, &edges, got), wanted_n = simple_sort(&arena, n, &edges, wanted);
        assert_int_equal(got_n, wanted_n);
        if (forward) assert_int_equal(got_n, n);
        assert_memory_equal(got, wanted, got_n * sizeof *got);
        Cycles seen = {.edges = &edges, .on = ARENA_ARRAY(&arena, bool, n)};
        order_cycles(&arena, n, &edges, see_cycle, &seen);
        assert_int_equal(seen.n, simple_knots(&arena, n, &edges));
        arena_free(&arena);
    }
}

/* ---- whole graphs */

/* A graph of map operators without cycles, its nodes in any order. */
static Str random_model(Arena *arena, uint32_t n) {
    Str *nodes = ARENA_ARRAY(arena, Str, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = chance(i + 2), b = chance(i + 2);
        if (chance(3) == 0)
            nodes[i] = str_format(arena, "{\"op\": \"relu\", \"in\": \"t%u\", \"out\": \"t%u\"}", a, i + 2);
        else if (chance(6) == 0)
            nodes[i] = str_format(arena, "{\"op\": \"top\", \"in\": \"t%u\", \"out\": [\"t%u\"]}", a, i + 2);
        else
            nodes[i] =
                str_format(arena, "{\"op\": \"add\", \"in\": [\"t%u\", \"t%u\"], \"out\": \"t%u\"}", a, b, i + 2);
    }
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = chance(i);
        Str was = nodes[i - 1];
        nodes[i - 1] = nodes[other], nodes[other] = was;
    }
    Buf out;
    buf_init(&out, arena);
    buf_add(&out, S("{\"opgen\": 1, \"name\": \"m\", \"dims\": {\"n\": {}}, \"inputs\": {\"t0\": {\"dtype\": \"f32\", "
                    "\"shape\": [\"n\", 8]},"
                    "\"t1\": {\"dtype\": \"f32\", \"shape\": [8]}}, \"nodes\": ["));
    for (uint32_t i = 0; i < n; i++)
        buf_format(&out, i == 0 ? "%S" : ",\n%S", nodes[i]);
    buf_add(&out, S("], \"outputs\": ["));
    for (uint32_t i = 0; i < 3 && i < n; i++)
        buf_format(&out, "%s\"t%u\"", i > 0 ? ", " : "", (unsigned)(n + 1 - i));
    buf_add(&out, S("]}"));
    return buf_str(&out);
}

/* Everything that a tensor is made of and everything that is made of it, counted by walking the nodes: what uses must
 * say. */
static void expect_uses(const Graph *graph) {
    uint32_t uses = 0, reads = 0;
    for (uint32_t i = 0; i < graph->tensors.n; i++)
        uses += graph->tensors.items[i]->uses.n;
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        for (uint32_t k = 0; k < graph->nodes.items[i]->op->inputs.n; k++)
            reads += graph->nodes.items[i]->counts[k];
    assert_int_equal(uses, reads);
}

/* Whether `tensor` is made, over any number of nodes, of `of`. */
static bool made_of(Arena *arena, const Graph *graph, const Tensor *tensor, const Tensor *of) {
    bool *is = ARENA_ARRAY(arena, bool, graph->tensors.n);
    is[of->number] = true;
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const Node *node = graph->nodes.items[i];
        bool any = false;
        for (uint32_t k = 0; k < node->op->inputs.n; k++)
            for (uint32_t m = 0; m < node->counts[k]; m++)
                any = any || is[node->inputs[k][m]->number];
        for (uint32_t k = 0; any && k < node->output_n; k++)
            if (node->outputs[k] != NULL) is[node->outputs[k]->number] = true;
    }
    return is[tensor->number];
}

static bool is_dead(const Node *node) {
    for (uint32_t i = 0; i < node->output_n; i++)
        if (node->outputs[i] != NULL && (node->outputs[i]->uses.n > 0 || node->outputs[i]->output)) return false;
    return true;
}

static void change(Arena *arena, Graph *graph) {
    if (graph->nodes.n == 0) return;
    Node *node = graph->nodes.items[chance(graph->nodes.n)];
    Tensor *tensor = graph->tensors.items[chance(graph->tensors.n)];
    switch (chance(3)) {
    case 0: /* another tensor in the place of a result, unless that would make a circle */
        if (node->outputs[0] != NULL && !made_of(arena, graph, tensor, node->outputs[0]))
            graph_replace(graph, node->outputs[0], tensor);
        break;
    case 1: /* all that is dead */
        for (uint32_t i = graph->nodes.n; i-- > 0;)
            if (graph->nodes.items[i] != NULL && is_dead(graph->nodes.items[i]))
                graph_remove(graph, graph->nodes.items[i]);
        break;
    case 2: { /* a new node whose result some readers get: those that it is not made of */
        Tensor *reads[] = {tensor};
        Tensor **inputs[] = {reads};
        uint32_t counts[] = {1};
        const OpDef *relu = optable_get(graph->ops, names_get(graph->names, S("relu")));
        Node *added = graph_node(graph, relu, inputs, counts, NULL, NULL, (Span){0});
        if (added == NULL) { /* of integers there is no relu: that is told, and nothing is changed */
            assert_int_equal(tensor->type.dtype, DT_I64);
            break;
        }
        Tensor *result = added->outputs[0];
        assert_ptr_equal(result->producer, added);
        assert_true(result->type.shape.rank == tensor->type.shape.rank);
        if (node->outputs[0] != NULL && node->outputs[0] != tensor && !made_of(arena, graph, result, node->outputs[0]))
            graph_replace(graph, node->outputs[0], result);
        break;
    }
    }
    graph_sort(graph);
}

static void random_changes(void **state) {
    (void)state;
    chance_state = 2463534242u;
    for (int round = 0; round < 300; round++) {
        Arena arena;
        arena_init(&arena);
        Ops ops;
        fixture_ops(&arena, &ops);
        Diags diags;
        diags_init(&diags, &arena);
        uint32_t n = 1 + chance(30);
        Graph *graph = fixture_read(&arena, &ops, random_model(&arena, n), &diags);
        if (graph == NULL) fixture_die(&arena, &diags);
        assert_int_equal(graph->nodes.n, n);
        expect_sound(&arena, graph);
        uint32_t outputs = graph->outputs.n;
        Name *names = arena_copy(&arena, graph->output_names.items, outputs * sizeof *names);
        for (int i = 0; i < 12; i++) {
            change(&arena, graph);
            expect_sound(&arena, graph);
            expect_uses(graph);
            assert_int_equal(graph->outputs.n, outputs);
            assert_memory_equal(graph->output_names.items, names, outputs * sizeof *names);
        }
        arena_free(&arena);
    }
}

/* ---- what replace and remove do to outputs and names */

static Graph *small(Arena *arena, Ops *ops, const char *nodes, const char *outputs) {
    Diags diags;
    diags_init(&diags, arena);
    Str text = str_format(
        arena,
        "{\"opgen\": 1, \"name\": \"m\", \"inputs\": {\"x\": {\"dtype\": \"f32\", \"shape\": [4]}}, \"nodes\": [%s], "
        "\"outputs\": [%s]}",
        nodes, outputs);
    Graph *graph = fixture_read(arena, ops, text, &diags);
    if (graph == NULL) fixture_die(arena, &diags);
    return graph;
}

static void expect_dump(Arena *arena, const Graph *graph, const char *wanted) {
    Buf out;
    buf_init(&out, arena);
    graph_dump(graph, &out);
    assert_string_equal(str_to_c(arena, buf_str(&out)), wanted);
    expect_sound(arena, graph);
}

static void outputs_keep_names(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    Graph *graph =
        small(arena, &ops,
              "{\"op\": \"relu\", \"in\": \"x\", \"out\": \"h\"}, {\"op\": \"gelu\", \"in\": \"h\", \"out\": \"y\"},"
              "{\"op\": \"relu\", \"in\": \"h\", \"out\": \"z\"}",
              "\"y\", \"z\"");
    Tensor *x = graph->inputs.items[0], *h = graph->nodes.items[0]->outputs[0], *y = graph->outputs.items[0],
           *z = graph->outputs.items[1];
    /* A step of the way becomes the output, and is called so. */
    graph_replace(graph, y, h);
    graph_remove(graph, y->producer);
    graph_sort(graph);
    expect_dump(arena, graph,
                "model m\ninput x f32(4,)\ny f32(4,) = relu(x=x)\nz f32(4,) = relu(x=y)\noutput y\noutput z\n");
    /* One that is an output already keeps its name, and is both; so does an input. */
    graph_replace(graph, z, h);
    graph_remove(graph, z->producer);
    graph_sort(graph);
    expect_dump(arena, graph, "model m\ninput x f32(4,)\ny f32(4,) = relu(x=x)\noutput y\noutput z = y\n");
    graph_replace(graph, h, x);
    graph_remove(graph, h->producer);
    graph_sort(graph);
    expect_dump(arena, graph, "model m\ninput x f32(4,)\noutput y = x\noutput z = x\n");
}

static void removing_leaves_holes(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    Graph *graph =
        small(arena, &ops,
              "{\"op\": \"relu\", \"in\": \"x\", \"out\": \"h\"}, {\"op\": \"gelu\", \"in\": \"h\", \"out\": \"y\"},"
              "{\"op\": \"relu\", \"in\": \"h\", \"out\": \"z\"}",
              "\"y\"");
    Node *dead = graph->nodes.items[2];
    graph_remove(graph, dead);
    assert_int_equal(graph->nodes.n, 3);
    assert_null(graph->nodes.items[2]);
    Diags diags;
    diags_init(&diags, arena);
    assert_false(graph_check(graph, &diags));
    graph_remove(graph, dead); /* twice is once */
    graph_sort(graph);
    expect_dump(
        arena, graph,
        "model m\ninput x f32(4,)\nh f32(4,) = relu(x=x)\ny f32(4,) = gelu(input=h; approximate=\"none\")\noutput y\n");
}

/* What readers of a tensor that is changed in place read is told to be before it, also after changes. */
static void readers_before_change(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    Graph *graph =
        small(arena, &ops,
              "{\"op\": \"relu\", \"in\": \"x\", \"out\": \"h\"}, {\"op\": \"relu_\", \"in\": \"h\", \"out\": \"y\"},"
              "{\"op\": \"gelu\", \"in\": \"x\", \"out\": \"z\"}",
              "\"y\", \"z\"");
    Tensor *h = graph->nodes.items[0]->outputs[0];
    graph_replace(graph, graph->inputs.items[0], graph->inputs.items[0]); /* nothing */
    Node *gelu = graph->nodes.items[2];
    Tensor *reads[] = {h};
    Tensor **inputs[] = {reads};
    uint32_t counts[] = {1};
    Node *late = graph_node(graph, gelu->op, inputs, counts, gelu->attrs, NULL, (Span){0});
    assert_non_null(late);
    graph_replace(graph, gelu->outputs[0], late->outputs[0]);
    graph_remove(graph, gelu);
    Diags diags;
    diags_init(&diags, arena);
    graph_sort(graph);
    expect_dump(arena, graph,
                "model m\ninput x f32(4,)\nh f32(4,) = relu(x=x)\nz f32(4,) = gelu(input=h; approximate=\"none\")\n"
                "y f32(4,) = relu_(x=h)\noutput y\noutput z\n");
}

/* A graph that is wrong is found to be wrong: each thing that graph_check compares, broken once. */
static void check_finds(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    for (int fault = 0; fault < 10; fault++) {
        Graph *graph = small(arena, &ops,
                             "{\"op\": \"relu\", \"in\": \"x\", \"out\": \"h\"}, {\"op\": \"add\", \"in\": [\"h\", "
                             "\"x\"], \"out\": \"y\"}",
                             "\"y\"");
        expect_sound(arena, graph);
        Node *first = graph->nodes.items[0], *last = graph->nodes.items[1];
        Tensor *x = graph->inputs.items[0], *h = first->outputs[0], *y = last->outputs[0];
        switch (fault) {
        case 0:
            last->inputs[0][0] = x;
            break;
        case 1:
            h->uses.n = 0;
            break;
        case 2:
            h->producer = last;
            break;
        case 3:
            graph->nodes.items[0] = last, graph->nodes.items[1] = first;
            break;
        case 4:
            graph->nodes.items[0] = last, graph->nodes.items[1] = first, last->number = 0, first->number = 1;
            break;
        case 5:
            y->output = false;
            break;
        case 6:
            graph->outputs.items[0] = h;
            break;
        case 7:
            h->number = 7;
            break;
        case 8:
            h->type.dtype = DT_COUNT;
            break;
        case 9:
            x->role = TENSOR_PARAM;
            break;
        }
        Diags diags;
        diags_init(&diags, arena);
        if (graph_check(graph, &diags)) fail_msg("fault %d is not found", fault);
        assert_true(diags.errors > 0 && diags.items.items[0]->code == E_BROKEN_GRAPH);
    }
}

/* Many readers: taking them away one after another, and giving them to another tensor, takes no search. */
static void fans(void **state) {
    Arena *arena = *state;
    Ops ops;
    fixture_ops(arena, &ops);
    enum { N = 30000 };
    Buf nodes;
    buf_init(&nodes, arena);
    buf_add(&nodes, S("{\"op\": \"relu\", \"in\": \"x\", \"out\": \"y\"}"));
    for (int i = 0; i < N; i++)
        buf_format(&nodes, ",{\"op\": \"relu\", \"in\": \"x\", \"out\": \"t%d\"}", i);
    Graph *graph = small(arena, &ops, str_to_c(arena, buf_str(&nodes)), "\"y\"");
    assert_int_equal(graph->inputs.items[0]->uses.n, N + 1);
    for (uint32_t i = 1; i <= N; i++) {
        graph_replace(graph, graph->nodes.items[i]->outputs[0], graph->nodes.items[0]->outputs[0]);
        graph_remove(graph, graph->nodes.items[i]);
    }
    graph_sort(graph);
    assert_int_equal(graph->nodes.n, 1);
    assert_int_equal(graph->tensors.n, 2);
    expect_sound(arena, graph);
}

static int make_arena(void **state) {
    static Arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int drop_arena(void **state) {
    arena_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),
        cmocka_unit_test(random_changes),
        cmocka_unit_test_setup_teardown(outputs_keep_names, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(removing_leaves_holes, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(readers_before_change, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(check_finds, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(fans, make_arena, drop_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
