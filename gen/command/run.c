/* run.c: `opgen run`: a model or a library is run once, and what comes out is shown or written. */
#include "command/build.h"
#include "command/measure.h"
#include "command/replay.h"
#include "command/rows.h"
#include "command/session.h"
#include "command/values.h"

#include "base/file.h"

static const Span nowhere = {NULL, 0, 0};

enum { FIRST = 5 }; /* values that are shown */

/* ---- which library ------------------------------------------------------------------------------------------------
 */

/* The operand itself, or what is made of it. */
static bool find_library(Command *command, Str *library) {
    *library = command->options.operands[0];
    if (session_is_library(command->arena, *library)) return true;
    Models models;
    return models_read(command, &models) &&
           build_all(&models, command->options.values[OPT_THREADS].number > 1, library);
}

/* ---- what comes out -----------------------------------------------------------------------------------------------
 */

static Str value_at(Arena *arena, const SessionTensor *tensor, size_t at, int digits) {
    Buf out;
    buf_init(&out, arena);
    value_print(&out, tensor->about->dtype, tensor->data, at, digits, false);
    return buf_str(&out);
}

static Str first_values(Arena *arena, const SessionTensor *tensor) {
    Buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < tensor->n && i < FIRST; i++)
        buf_format(&out, i > 0 ? " %S" : "%S", value_at(arena, tensor, i, 5));
    if (tensor->n > FIRST) buf_add(&out, S(" ..."));
    return buf_str(&out);
}

static void add_table(Buf *out, Session *session) {
    Arena *arena = session->command->arena;
    Rows rows = {0};
    *VEC_PUSH(arena, &rows) = (Row){{S("output"), S("dtype"), S("shape"), S("min"), S("max"), S("mean"), S("values")}};
    for (int32_t i = 0; i < session->result_count; i++) {
        const SessionTensor *output = session->results[i];
        OpgenDtype dtype = output->about->dtype;
        ValueFacts facts = values_facts(dtype, output->data, output->n);
        bool any = facts.least < facts.n;
        Str values = first_values(arena, output);
        if (facts.nans > 0) values = str_format(arena, "%S  (%zu NaN)", values, facts.nans);
        if (facts.infs > 0) values = str_format(arena, "%S  (%zu infinite)", values, facts.infs);
        *VEC_PUSH(arena, &rows) =
            (Row){{str_format(arena, output->about->changed ? "%s (input)" : "%s", output->about->name),
                   str_c(opgen_dtype_name(dtype)), session_shape(arena, output),
                   any ? value_at(arena, output, facts.least, 5) : S("-"),
                   any ? value_at(arena, output, facts.greatest, 5) : S("-"),
                   facts.n > facts.nans + facts.infs ? str_format(arena, "%.5g", facts.mean) : S("-"), values}};
    }
    rows_text(out, &rows, 7, 0);
}

static void json_value(Buf *out, const SessionTensor *tensor, const char *name, size_t at) {
    buf_format(out, ", \"%s\": ", name);
    if (at < tensor->n)
        value_print(out, tensor->about->dtype, tensor->data, at, value_digits(tensor->about->dtype), true);
    else
        buf_add(out, S("null"));
}

static void print_result(Buf *out, const SessionTensor *output, bool comma) {
    OpgenDtype dtype = output->about->dtype;
    ValueFacts facts = values_facts(dtype, output->data, output->n);
    buf_format(out, "%s\n  {\"name\": \"%s\", \"dtype\": \"%s\", \"shape\": [", comma ? "," : "", output->about->name,
               opgen_dtype_name(dtype));
    for (int32_t k = 0; k < output->about->rank; k++)
        buf_format(out, k > 0 ? ", %lld" : "%lld", (long long)output->shape[k]);
    buf_char(out, ']');
    json_value(out, output, "min", facts.least);
    json_value(out, output, "max", facts.greatest);
    if (facts.n > facts.nans + facts.infs)
        buf_format(out, ", \"mean\": %.17g", facts.mean);
    else
        buf_add(out, S(", \"mean\": null"));
    buf_format(out, ", \"nan\": %zu, \"inf\": %zu, \"values\": [", facts.nans, facts.infs);
    for (size_t k = 0; k < output->n && k < FIRST; k++) {
        if (k > 0) buf_add(out, S(", "));
        value_print(out, dtype, output->data, k, value_digits(dtype), true);
    }
    buf_add(out, S("]}"));
}

/* Without its end, for more may follow. */
static void add_json(Buf *out, Session *session) {
    buf_format(out, "{\"model\": \"%s\", \"dims\": {", session->model->name);
    for (int32_t i = 0; i < session->model->dim_count; i++)
        buf_format(out, "%s\"%s\": %lld", i > 0 ? ", " : "", session->model->dims[i].name, (long long)session->dims[i]);
    buf_add(out, S("},\n \"outputs\": ["));
    for (int32_t i = 0; i < session->result_count; i++) {
        /* What is changed is a list of its own, where there is any. */
        if (i == session->model->output_count) buf_add(out, S("],\n \"changed\": ["));
        print_result(out, session->results[i], i > 0 && i != session->model->output_count);
    }
    buf_char(out, ']');
}

/* Which of the results, or -1 after adding a finding: outputs by name, and the inputs that the run changes. */
static int32_t find_result(Session *session, Str name) {
    for (int32_t i = session->model->output_count; i < session->result_count; i++)
        if (str_eq(str_c(session->results[i]->about->name), name)) return i;
    return session_find(session, session->model->outputs, session->model->output_count, "output", name);
}

static OpgenNamed named(const SessionTensor *output) {
    const OpgenTensor *about = output->about;
    return (OpgenNamed){about->name, opgen_tensor(output->data, about->dtype, about->rank, output->shape)};
}

/* y=FILE.npy, y=FILE.npz, FILE.npz; before the run with `write` false, so that a slip is told at once. */
static void write_output(Session *session, Str text, bool write) {
    Command *command = session->command;
    size_t equals = str_find_char(text, '=');
    bool all = equals == STR_NONE && str_ends(text, S(".npz"));
    if (!all && (equals == STR_NONE || equals == 0 || equals + 1 == text.n)) {
        diag_error(&command->diags, E_USAGE, nowhere, "--out takes NAME=FILE.npy or FILE.npz, not %Q", text);
        return;
    }
    Str path = all ? text : str_sub(text, equals + 1, text.n);
    int32_t at = all ? 0 : find_result(session, str_sub(text, 0, equals));
    if (at < 0 || !write) return;
    const char *c = str_to_c(command->arena, path);
    const SessionTensor *output = session->results[at];
    int status;
    if (str_ends(path, S(".npz"))) {
        int32_t n = all ? session->result_count : 1;
        OpgenNamed *tensors = ARENA_ARRAY(command->arena, OpgenNamed, (size_t)n);
        for (int32_t i = 0; i < n; i++)
            tensors[i] = named(session->results[all ? i : at]);
        status = opgen_npz_write(c, tensors, n);
    } else {
        status = opgen_npy_write(c, output->about->dtype, output->about->rank, output->shape, output->data);
    }
    if (status != OPGEN_OK) diag_error(&command->diags, E_IO, nowhere, "%s", opgen_last_error());
}

static void write_outputs(Session *session, bool write) {
    const OptionValue *out = &session->command->options.values[OPT_OUT];
    for (uint32_t i = 0; i < out->all.n; i++)
        write_output(session, out->all.items[i], write);
}

static void run_once(Command *command, Session *session, Str library) {
    const OptionValue *values = command->options.values;
    if (!session_open(command, library, values[OPT_MODEL].given ? values[OPT_MODEL].text : S(""), session)) return;
    write_outputs(session, false);
    bool measured = measure_wanted(command);
    if (command->diags.errors > 0 || !session_set_up(session)) return;
    uint64_t seed = values[OPT_SEED].given ? values[OPT_SEED].number : 1;
    if (!session_prepare(session, SIZES_LEAST, seed, INT64_MAX, NULL)) return;
    if (session->random_weights) {
        diag_add(&command->diags, DIAG_WARNING, E_MISSING, nowhere,
                 "the weights of %s are random: neither the model nor --weights names a file", session->model->name);
    }
    if (!session_run_first(session)) return;
    write_outputs(session, true);
    if (command->diags.errors > 0) return;
    Buf out;
    bool json = values[OPT_JSON].given > 0;
    buf_init(&out, command->arena);
    if (json)
        add_json(&out, session);
    else if (!values[OPT_OUT].given)
        add_table(&out, session);
    Buf replayed;
    buf_init(&replayed, command->arena);
    replay_compare(&replayed, session);
    if (!json) buf_add(&out, buf_str(&replayed));
    /* Runs that are measured come behind: the first one is slower, and those that change inputs would go on. */
    if (measured && measure_runs(session) && values[OPT_MEASURE].given) {
        if (json)
            measure_print_json(&out, session);
        else
            buf_add(&out, out.n > 0 ? S("\n") : S("")), measure_print(&out, session);
    }
    if (command->diags.errors > 0) return;
    if (json) buf_add(&out, S("}\n"));
    if (out.n > 0) command_print(command, buf_str(&out));
}

void command_run(Command *command) {
    Session *session = ARENA_NEW(command->arena, Session);
    Str library;
    if (!find_library(command, &library)) return;
    MemTrap trap;
    if (MEM_TRAP(&trap)) {
        session_close(session);
        mem_fail(trap.why, trap.wanted);
    }
    run_once(command, session, library);
    mem_untrap(&trap);
    session_close(session);
}
