/* bench.c: `opgen bench`: which libraries are measured, and that they are right before they are.
 */
#include "command/bench.h"

#include "command/build.h"
#include "command/verify.h"

static const Span nowhere = {NULL, 0, 0};

/* Everything that has to be given back, however the command ends. */
typedef struct Held {
    Bench bench;
    Session tested, other, reference;
} Held;

static void let_go(Held *held) {
    for (int i = 0; i < 2; i++)
        bench_end(&held->bench, &held->bench.sides[i]);
    bench_flush_free(&held->bench.flush);
    session_close(&held->tested);
    session_close(&held->other);
    session_close(&held->reference);
}

/* ---- which libraries ----------------------------------------------------------------------------------------------
 */

static bool build_tested(Command *command, Str *library) {
    Models models;
    bool threads = command->options.values[OPT_THREADS].number > 1;
    return models_read(command, &models) && build_all(&models, threads, library);
}

/* The same model on another backend, in a folder of its own beside the first one's. */
static bool build_on(Command *command, Str backend, Str *library) {
    Models models;
    Options kept = command->options;
    if (!models_read(command, &models)) return false;
    models.suffix = str_format(command->arena, ".%S", backend);
    command->options.values[OPT_BACKEND].text = backend;
    command->options.values[OPT_ARCH] = command->options.values[OPT_CC] = (OptionValue){0}; /* the first one's */
    bool good = build_all(&models, kept.values[OPT_THREADS].number > 1, library);
    command->options = kept;
    return good;
}

/* What --vs names. A library is a file, a backend one that there is. */
static bool find_other(Command *command, bool model, Str *library) {
    Str given = command->options.values[OPT_VS].text;
    Folders roots = {0}, names = {0};
    *library = given;
    if (session_is_library(command->arena, given)) return true;
    command_roots(command, &roots);
    command_backends(command, &roots, &names);
    for (uint32_t i = 0; model && i < names.n; i++)
        if (str_eq(names.items[i], given)) return build_on(command, given, library);
    Diag *diag =
        diag_error(&command->diags, E_USAGE, nowhere, "--vs %Q is neither a library%s", given,
                   model ? " nor a backend" : ", and only of a model's JSON file another backend can be built");
    if (model) diag_suggest(&command->diags, diag, given, names.items, names.n);
    return false;
}

/* ---- that they are right ------------------------------------------------------------------------------------------
 */

static bool same_tensors(Session *a, const Session *b, const OpgenTensor *x, int32_t x_count, const OpgenTensor *y,
                         int32_t y_count, const char *what) {
    bool same = x_count == y_count;
    for (int32_t i = 0; same && i < x_count; i++)
        same = strcmp(x[i].name, y[i].name) == 0 && x[i].dtype == y[i].dtype && x[i].rank == y[i].rank &&
               x[i].changed == y[i].changed;
    if (!same)
        diag_error(&a->command->diags, E_RUN, nowhere, "%S and %S have other %ss: they cannot be compared", a->path,
                   b->path, what);
    return same;
}

static bool same_model(Session *a, Session *b) {
    const OpgenModel *x = a->model, *y = b->model;
    bool same = x->dim_count == y->dim_count;
    for (int32_t i = 0; same && i < x->dim_count; i++)
        same = strcmp(x->dims[i].name, y->dims[i].name) == 0;
    if (!same)
        diag_error(&a->command->diags, E_RUN, nowhere, "%S and %S have other dims: they cannot be compared", a->path,
                   b->path);
    return same && same_tensors(a, b, x->inputs, x->input_count, y->inputs, y->input_count, "input") &&
           same_tensors(a, b, x->outputs, x->output_count, y->outputs, y->output_count, "output");
}

/* Compares one with the reference, for the sizes that are timed. What differs is shown, and false. */
static bool check(Session *tested, Session *reference) {
    Command *command = tested->command;
    Verify *verify = verify_new(tested, reference);
    if (!verify_case(verify, SIZES_LEAST, INT64_MAX) || !verify_compared(verify)) return false;
    if (!command->negative) return true;
    verify_print(verify);
    diag_add(&command->diags, DIAG_WARNING, E_RUN, nowhere, "%S gives other results than %S: nothing was timed",
             tested->path, reference->path);
    return false;
}

/* ---- what it computes with ----------------------------------------------------------------------------------------
 */

/* The floats that most bytes of weights and inputs are. */
static OpgenDtype dtype_of(const Session *session) {
    const OpgenModel *model = session->model;
    double bytes[OPGEN_F64 + 1] = {0};
    const int64_t *size = session->sizes;
    for (int32_t i = 0; i < model->input_count + model->output_count + model->param_count; i++) {
        int32_t output = i - model->input_count, param = output - model->output_count;
        const OpgenTensor *about = output < 0  ? &model->inputs[i]
                                   : param < 0 ? &model->outputs[output]
                                               : &model->params[param];
        if (about->dtype >= OPGEN_F16)
            bytes[about->dtype] += (double)opgen_shape_bytes(about->dtype, about->rank, size) + 1;
        size += about->rank;
    }
    OpgenDtype most = OPGEN_F32;
    for (int i = OPGEN_F16; i <= OPGEN_F64; i++)
        if (bytes[i] > bytes[most]) most = (OpgenDtype)i;
    return most;
}

/* ---- the run ------------------------------------------------------------------------------------------------------
 */

static void measure(Held *held) {
    Bench *bench = &held->bench;
    const OptionValue *values = bench->command->options.values;
    uint64_t repeat = values[OPT_REPEAT].given ? values[OPT_REPEAT].number : 0;
    double seconds = values[OPT_TIME].given ? values[OPT_TIME].real : 1;
    const OpgenDevice *device = held->tested.device != NULL ? held->tested.device : held->other.device;
    bench->dtype = dtype_of(&held->tested);
    bench->threads = held->tested.device != NULL ? 1 : (int32_t)values[OPT_THREADS].number;
    if (bench->threads < 1) bench->threads = 1;
    if (!bench_begin(bench, &bench->sides[0], &held->tested, held->tested.path)) return;
    bench->side_count = 1;
    if (held->other.instance != NULL) {
        if (!bench_begin(bench, &bench->sides[1], &held->other, held->other.path)) return;
        bench->side_count = 2;
    }
    if (!bench_flush_new(bench, device)) return;
    if (!bench_whole(bench, bench->sides, bench->side_count, seconds, repeat) ||
        !bench_parts(bench, bench->sides, bench->side_count, seconds, repeat) ||
        !bench_copy(bench, seconds < 0.5 ? seconds : 0.5) || !bench_product(bench, seconds < 0.5 ? seconds : 0.5))
        return;
    command_progress_end(bench->command);
    bench_show(bench);
}

static bool open_one(Command *command, Str path, Session *session) {
    return session_open(command, path, S(""), session) && session_set_up(session);
}

/* A device that is not there is told before anything is built for the comparison. */
static void bench_all(Held *held, Str tested) {
    Command *command = held->bench.command;
    bool other = command->options.values[OPT_VS].given,
         model = !session_is_library(command->arena, command->options.operands[0]);
    Str path;
    if (!open_one(command, tested, &held->tested)) return;
    if (other && (!find_other(command, model, &path) || !open_one(command, path, &held->other) ||
                  !same_model(&held->tested, &held->other)))
        return;
    if (model && (!verify_reference(command, &path) || !open_one(command, path, &held->reference))) return;
    if (!check(&held->tested, model ? &held->reference : &held->other)) return;
    if (model && other && !check(&held->other, &held->reference)) return;
    held->bench.referenced = model;
    measure(held);
}

void command_bench(Command *command) {
    const OptionValue *values = command->options.values;
    Str library = command->options.operands[0];
    if (values[OPT_JSON].given && values[OPT_CSV].given) {
        diag_error(&command->diags, E_USAGE, nowhere, "--json and --csv are two formats: give one of them");
        return;
    }
    if (session_is_library(command->arena, library)) {
        if (!values[OPT_VS].given) {
            Diag *diag = diag_error(&command->diags, E_USAGE, nowhere,
                                    "%S is a library: there is nothing that its results can be compared with", library);
            diag_hint(&command->diags, diag, "give the model's JSON file, or another library with --vs");
            return;
        }
    } else if (!build_tested(command, &library)) {
        return;
    }
    Held *held = ARENA_NEW(command->arena, Held);
    held->bench.command = held->tested.command = held->other.command = held->reference.command = command;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        let_go(held);
        mem_fail(trap.why, trap.wanted);
    }
    bench_all(held, library);
    mem_untrap(&trap);
    let_go(held);
}
