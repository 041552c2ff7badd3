/* measure.c: what calls take, added up by what they compute and by the function that does it. */
#include "command/measure.h"

#include "command/rows.h"

#include <stdlib.h>

static const Span nowhere = {NULL, 0, 0};

enum { USUAL = 10 }; /* runs */

bool measure_wanted(Command *command) {
    const OptionValue *values = command->options.values;
    if (values[OPT_MEASURE].given || values[OPT_TRACE].given) return true;
    if (values[OPT_REPEAT].given)
        diag_error(&command->diags, E_USAGE, nowhere, "--repeat is of use with --profile or --trace alone");
    return false;
}

bool measure_runs(Session *session) {
    Command *command = session->command;
    const OptionValue *values = command->options.values;
    uint64_t n = values[OPT_REPEAT].given ? values[OPT_REPEAT].number : USUAL;
    if (opgen_profile_start(session->instance) != OPGEN_OK) return session_error(session);
    for (uint64_t i = 0; i < n; i++)
        if (!session_run(session)) return false;
    if (opgen_profile_stop(session->instance) != OPGEN_OK) return session_error(session);
    if (!values[OPT_TRACE].given) return true;
    const char *path = str_to_c(command->arena, values[OPT_TRACE].text);
    if (opgen_profile_write(session->instance, OPGEN_PROFILE_TRACE, path) == OPGEN_OK) return true;
    diag_error(&command->diags, E_IO, nowhere, "%s", opgen_last_error());
    return false;
}

/* ---- sums ---------------------------------------------------------------------------------------------------------
 */

typedef struct Part {
    Str name;
    OpgenTimes times;
    uint32_t number; /* in the order in which they are called first */
} Part;

typedef struct Parts {
    VEC(Part) items;
    Names names;
    Map at; /* name -> its place, from 1 */
} Parts;

static double plus(double a, double b) { return a < 0 || b < 0 ? -1 : a + b; }

static void add_part(Arena *arena, Parts *parts, const char *name, const OpgenTimes *times) {
    Name key = names_get(&parts->names, str_c(name));
    uintptr_t at = (uintptr_t)map_get(&parts->at, key);
    if (at == 0) {
        *VEC_PUSH(arena, &parts->items) = (Part){.name = name_str(key), .number = parts->items.n};
        at = parts->items.n;
        map_set(&parts->at, key, (void *)at);
    }
    OpgenTimes *sum = &parts->items.items[at - 1].times;
    sum->count += times->count;
    sum->seconds += times->seconds;
    sum->bytes = plus(sum->bytes, times->bytes);
    sum->flops = plus(sum->flops, times->flops);
}

static int by_seconds(const void *a, const void *b) {
    const Part *x = a, *y = b;
    if (x->times.seconds != y->times.seconds) return x->times.seconds > y->times.seconds ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- as a table ---------------------------------------------------------------------------------------------------
 */

enum { COLUMNS = 7 };

static Str rate(Arena *arena, double amount, double seconds) {
    return amount <= 0 || seconds <= 0 ? S("-") : str_format(arena, "%.2f", amount / seconds * 1e-9);
}

static void add_row(Arena *arena, Rows *rows, const Part *part, double whole) {
    const OpgenTimes *times = &part->times;
    double n = times->count > 0 ? (double)times->count : 1;
    *VEC_PUSH(arena, rows) =
        (Row){{part->name, str_format(arena, "%lld", (long long)times->count),
               str_format(arena, "%.3f", times->seconds * 1e3), str_format(arena, "%.3f", times->seconds * 1e6 / n),
               whole > 0 ? str_format(arena, "%.1f %%", 100 * times->seconds / whole) : S("-"),
               rate(arena, times->bytes, times->seconds), rate(arena, times->flops, times->seconds)}};
}

static void print_parts(Buf *out, Arena *arena, const char *title, Parts *parts, double whole) {
    Rows rows = {0};
    *VEC_PUSH(arena, &rows) =
        (Row){{str_c(title), S("calls"), S("total ms"), S("mean us"), S("share"), S("GB/s"), S("GFLOP/s")}};
    if (parts->items.n > 0) qsort(parts->items.items, parts->items.n, sizeof(Part), by_seconds);
    for (uint32_t i = 0; i < parts->items.n; i++)
        add_row(arena, &rows, &parts->items.items[i], whole);
    rows_align(arena, &rows, 1, COLUMNS);
    rows_text(out, &rows, COLUMNS, 0);
}

static OpgenTimes *read_calls(Session *session, OpgenTimes *runs) {
    int32_t n = session->model->call_count;
    OpgenTimes *calls = ARENA_ARRAY(session->command->arena, OpgenTimes, (size_t)n + 1);
    if (opgen_profile_get(session->instance, runs, calls, n) == OPGEN_OK) return calls;
    session_error(session);
    return NULL;
}

void measure_print(Buf *out, Session *session) {
    Arena *arena = session->command->arena;
    const OpgenModel *model = session->model;
    OpgenTimes runs, *calls = read_calls(session, &runs);
    if (calls == NULL || runs.count == 0) return;
    Parts operators = {0}, functions = {0};
    names_init(&operators.names, arena), names_init(&functions.names, arena);
    map_init(&operators.at, arena), map_init(&functions.at, arena);
    double inside = 0;
    for (int32_t i = 0; i < model->call_count; i++) {
        add_part(arena, &operators, model->calls[i].operators, &calls[i]);
        add_part(arena, &functions, model->calls[i].function, &calls[i]);
        inside += calls[i].seconds;
    }
    double n = (double)runs.count;
    buf_format(out, "%lld runs: %.3f us each, from %.3f to %.3f; %.3f us of that between calls\n\n",
               (long long)runs.count, runs.seconds * 1e6 / n, runs.least * 1e6, runs.greatest * 1e6,
               (runs.seconds - inside) * 1e6 / n);
    print_parts(out, arena, "operators", &operators, runs.seconds);
    buf_char(out, '\n');
    print_parts(out, arena, "function", &functions, runs.seconds);
}

bool measure_print_json(Buf *out, Session *session) {
    size_t n, again;
    if (opgen_profile_text(session->instance, OPGEN_PROFILE_JSON, NULL, 0, &n) != OPGEN_OK)
        return session_error(session);
    char *text = arena_alloc(session->command->arena, n + 1);
    if (opgen_profile_text(session->instance, OPGEN_PROFILE_JSON, text, n + 1, &again) != OPGEN_OK)
        return session_error(session);
    while (again > 0 && text[again - 1] == '\n')
        again--;
    buf_format(out, ",\n \"profile\": %S", str(text, again));
    return true;
}
