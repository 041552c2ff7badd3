/* verify.c: `opgen verify`: a backend's library against one for the CPU in which nothing is fused and loops stay loops.
 */
#include "command/verify.h"

#include "command/build.h"
#include "command/rows.h"
#include "command/values.h"

#include "base/diag_formats.h"
#include "base/folder.h"

#include <math.h>

static const Span nowhere = {NULL, 0, 0};

enum { MOST_BYTES = 64 << 20 }; /* of tensors in a case, where sizes are ours to choose */

/* One output of one run, or an input that it changed, as it is told. */
typedef struct Compared {
    Str dims;
    const SessionTensor *output;
    ValueDifference difference;
    Str at, got, wanted;        /* where it is worst */
    double rtol, atol, allowed; /* allowed: there */
} Compared;

struct Verify {
    Command *command;
    Arena *arena;
    Session *tested, *reference;
    VEC(Compared) compared;
    VEC(Str) left_out; /* cases whose dims do not go together */
};

Verify *verify_new(Session *tested, Session *reference) {
    Verify *verify = ARENA_NEW(tested->command->arena, Verify);
    verify->command = tested->command;
    verify->arena = tested->command->arena;
    verify->tested = tested;
    verify->reference = reference;
    return verify;
}

/* By dtype: what rounding once at each of some steps may come to. An absolute difference is allowed for what nearly
 * cancels, and so is as small as values are: a softmax over a vocabulary has none that is as large as what sums of
 * values around 1 may be off by. */
static void tolerance(const Verify *verify, const SessionTensor *wanted, double *rtol, double *atol) {
    const double least = 1e-3;
    const OpgenDtype dtype = wanted->about->dtype;
    const OptionValue *values = verify->command->options.values;
    *rtol = *atol = 0;
    if (dtype != OPGEN_F16 && dtype != OPGEN_BF16 && dtype != OPGEN_F32 && dtype != OPGEN_F64) return;
    *rtol = dtype == OPGEN_F64 ? 1e-10 : dtype == OPGEN_F32 ? 1e-4 : dtype == OPGEN_F16 ? 4e-3 : 2e-2;
    *atol = dtype == OPGEN_F64 ? 1e-12 : dtype == OPGEN_F32 ? 1e-5 : dtype == OPGEN_F16 ? 1e-3 : 1e-2;
    double small = values_smallness(dtype, wanted->data, wanted->n);
    *atol *= small < least ? least : small;
    if (values[OPT_RTOL].given) *rtol = values[OPT_RTOL].real;
    if (values[OPT_ATOL].given) *atol = values[OPT_ATOL].real;
}

/* The position of element `at`: "(3, 4)". */
static Str position(Arena *arena, const SessionTensor *tensor, size_t at) {
    int32_t rank = tensor->about->rank;
    int64_t *index = ARENA_ARRAY(arena, int64_t, (size_t)rank);
    for (int32_t i = rank; i-- > 0;) {
        index[i] = (int64_t)(at % (size_t)tensor->shape[i]);
        at /= (size_t)tensor->shape[i];
    }
    SessionTensor shown = {.about = tensor->about, .shape = index};
    return session_shape(arena, &shown);
}

static void compare(Verify *verify) {
    Arena *arena = verify->arena;
    for (int32_t i = 0; i < verify->tested->result_count; i++) {
        const SessionTensor *got = verify->tested->results[i], *wanted = verify->reference->results[i];
        OpgenDtype dtype = got->about->dtype;
        Compared compared = {.dims = session_dims(verify->tested), .output = ARENA_NEW(arena, SessionTensor)};
        tolerance(verify, wanted, &compared.rtol, &compared.atol);
        compared.difference = values_compare(dtype, got->data, wanted->data, got->n, compared.rtol, compared.atol);
        SessionTensor *kept = ARENA_NEW(arena, SessionTensor);
        *kept = *got;
        kept->shape = arena_copy(arena, got->shape, (size_t)got->about->rank * sizeof *got->shape);
        compared.output = kept;
        if (compared.difference.wrong > 0) {
            Buf a, b;
            buf_init(&a, arena);
            buf_init(&b, arena);
            value_print(&a, dtype, got->data, compared.difference.worst, value_digits(dtype), false);
            value_print(&b, dtype, wanted->data, compared.difference.worst, value_digits(dtype), false);
            compared.got = buf_str(&a);
            compared.wanted = buf_str(&b);
            double y = value_get(dtype, wanted->data, compared.difference.worst);
            compared.allowed = compared.atol + compared.rtol * (y < 0 ? -y : y);
            compared.at = position(arena, got, compared.difference.worst);
            verify->command->negative = true;
        }
        *VEC_PUSH(arena, &verify->compared) = compared;
    }
}

bool verify_case(Verify *verify, SessionSizes sizes, int64_t most) {
    const OptionValue *values = verify->command->options.values;
    uint64_t seed = (values[OPT_SEED].given ? values[OPT_SEED].number : 1) + (uint64_t)sizes;
    Str why = S("");
    if (!session_prepare(verify->tested, sizes, seed, most, &why)) {
        *VEC_PUSH(verify->arena, &verify->left_out) = why;
        return verify->command->diags.errors == 0;
    }
    Str dims = session_dims(verify->tested);
    for (uint32_t i = 0; i < verify->compared.n; i++) {
        if (str_eq(verify->compared.items[i].dims, dims)) return true; /* the same sizes once more */
    }
    command_progress(verify->command, dims.n > 0 ? "%s: checking %S" : "%s: checking%S", verify->tested->model->name,
                     dims);
    if (!session_prepare(verify->reference, sizes, seed, most, NULL)) return false;
    if (!session_run_first(verify->reference) || !session_draw_as(verify->tested, verify->reference)) return false;
    if (!session_run(verify->tested)) return false;
    compare(verify);
    return true;
}

/* ---- what it says -------------------------------------------------------------------------------------------------
 */

static void print_text(Verify *verify) {
    Arena *arena = verify->arena;
    Rows rows = {0};
    *VEC_PUSH(arena, &rows) =
        (Row){{S("sizes"), S("output"), S("dtype"), S("shape"), S("max abs"), S("max rel"), S("")}};
    for (uint32_t i = 0; i < verify->compared.n; i++) {
        const Compared *compared = &verify->compared.items[i];
        const ValueDifference *difference = &compared->difference;
        Str verdict = S("ok");
        if (difference->wrong > 0)
            verdict = str_format(arena, "DIFFERS in %zu of %zu: at %S it is %S, wanted %S", difference->wrong,
                                 compared->output->n, compared->at, compared->got, compared->wanted);
        if (compared->allowed > 0 && isfinite(compared->allowed))
            verdict = str_format(arena, "%S; it may be off by %.2g", verdict, compared->allowed);
        *VEC_PUSH(arena, &rows) = (Row){
            {compared->dims.n > 0 ? compared->dims : S("fixed"), str_c(compared->output->about->name),
             str_c(opgen_dtype_name(compared->output->about->dtype)), session_shape(arena, compared->output),
             str_format(arena, "%.2g", difference->max_abs), str_format(arena, "%.2g", difference->max_rel), verdict}};
    }
    Buf out;
    buf_init(&out, arena);
    rows_text(&out, &rows, 7, 0);
    for (uint32_t i = 0; i < verify->left_out.n; i++) {
        buf_add(&out, S("not run: "));
        diag_show(&out, verify->left_out.items[i]); /* an operator's words are anybody's text */
        buf_char(&out, '\n');
    }
    command_print(verify->command, buf_str(&out));
}

/* JSON has no infinity. */
static void json_number(Buf *out, double x) {
    if (x - x == 0)
        buf_format(out, "%.9g", x);
    else
        buf_add(out, S("\"inf\""));
}

static void print_json(Verify *verify) {
    Buf out;
    buf_init(&out, verify->arena);
    buf_format(&out, "{\"model\": \"%s\", \"backend\": \"%s\", \"same\": %s,\n \"outputs\": [",
               verify->tested->model->name, verify->tested->model->backend,
               verify->command->negative ? "false" : "true");
    for (uint32_t i = 0; i < verify->compared.n; i++) {
        const Compared *compared = &verify->compared.items[i];
        buf_format(&out, "%s\n  {\"name\": \"%s\", \"dims\": ", i > 0 ? "," : "", compared->output->about->name);
        buf_json(&out, compared->dims);
        buf_format(&out, ", \"elements\": %zu, \"wrong\": %zu, \"max_abs\": ", compared->output->n,
                   compared->difference.wrong);
        json_number(&out, compared->difference.max_abs);
        buf_add(&out, S(", \"max_rel\": "));
        json_number(&out, compared->difference.max_rel);
        buf_format(&out, ", \"rtol\": %.9g, \"atol\": %.9g", compared->rtol, compared->atol);
        if (compared->difference.wrong > 0) {
            buf_add(&out, S(", \"at\": "));
            buf_json(&out, compared->at);
            buf_add(&out, S(", \"got\": "));
            buf_json(&out, compared->got);
            buf_add(&out, S(", \"wanted\": "));
            buf_json(&out, compared->wanted);
        }
        buf_char(&out, '}');
    }
    buf_add(&out, S("],\n \"not_run\": ["));
    for (uint32_t i = 0; i < verify->left_out.n; i++) {
        if (i > 0) buf_add(&out, S(", "));
        buf_json(&out, verify->left_out.items[i]);
    }
    buf_add(&out, S("]}\n"));
    command_print(verify->command, buf_str(&out));
}

bool verify_compared(Verify *verify) {
    Command *command = verify->command;
    command_progress_end(command);
    if (verify->compared.n > 0) return true;
    Diag *diag = diag_error(&command->diags, E_RUN, nowhere, "%s was not compared: %S", verify->tested->model->name,
                            verify->left_out.n > 0 ? verify->left_out.items[0] : S("it has no output"));
    if (verify->left_out.n > 0) diag_hint(&command->diags, diag, "choose sizes that go together: --dim NAME=SIZE");
    return false;
}

void verify_print(Verify *verify) {
    if (verify->command->options.values[OPT_JSON].given)
        print_json(verify);
    else
        print_text(verify);
}

/* ---- the run ------------------------------------------------------------------------------------------------------
 */

static void verify_libraries(Session *tested, Session *reference, Str tested_path, Str reference_path) {
    Command *command = tested->command;
    if (!session_open(command, tested_path, S(""), tested) ||
        !session_open(command, reference_path, S(""), reference) || !session_set_up(tested) ||
        !session_set_up(reference)) {
        return;
    }
    Verify *verify = verify_new(tested, reference);
    for (SessionSizes sizes = SIZES_LEAST; sizes <= SIZES_GREATEST; sizes++) {
        if (!verify_case(verify, sizes, MOST_BYTES)) return;
    }
    if (verify_compared(verify)) verify_print(verify);
}

bool verify_reference(Command *command, Str *library) {
    Models models;
    if (!models_read(command, &models)) return false;
    models.plain = true;
    if (!models_emit(&models, S("cpu"))) return false;
    BuildOptions options = {.reference = true};
    OutputOptions how = {.force = command->options.values[OPT_FORCE].given > 0, .prune = true};
    models.suffix = S(".reference");
    if (!models_write(&models, command->options.values[OPT_FOLDER].text, &how)) return false;
    options.folder = models_folder(&models, &models.items.items[0], command->options.values[OPT_FOLDER].text);
    return build_model(&models, &models.items.items[0], &options, library);
}

void command_verify(Command *command) {
    Models models;
    Str paths[2];
    bool threads = command->options.values[OPT_THREADS].number > 1;
    if (!models_read(command, &models) || !build_all(&models, threads, &paths[0])) return;
    if (!verify_reference(command, &paths[1])) return;
    Session *tested = ARENA_NEW(command->arena, Session), *reference = ARENA_NEW(command->arena, Session);
    tested->command = reference->command = command;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        session_close(tested);
        session_close(reference);
        mem_fail(trap.why, trap.wanted);
    }
    verify_libraries(tested, reference, paths[0], paths[1]);
    mem_untrap(&trap);
    session_close(tested);
    session_close(reference);
}
