/* bench_show.c: what was measured: a table for people, JSON and CSV for programs.
 *
 * Rows are the model as a whole, then what it calls by operators, those that take longest first. All numbers of a row
 * are of one run of the model.
 */
#include "command/bench.h"

#include "command/rows.h"

#include <stdlib.h>

/* One row in numbers; negative: not known. */
typedef struct Line {
    const BenchPart *part;
    Spread times, other;
    int64_t other_calls;
    double bandwidth, of_copy, rate, of_product, ratio;
} Line;

typedef VEC(Line) Lines;

static double divided(double a, double b) { return a < 0 || b <= 0 ? -1 : a / b; }

static Line line_of(Bench *bench, const BenchPart *part, const BenchPart *other) {
    Arena *arena = bench->command->arena;
    Line line = {.part = part, .times = bench_spread(arena, &part->samples), .ratio = -1};
    line.other.median = -1;
    line.bandwidth = divided(part->bytes > 0 ? part->bytes : -1, line.times.median);
    line.rate = divided(part->flops > 0 ? part->flops : -1, line.times.median);
    line.of_copy = divided(line.bandwidth, divided(bench->copy_bytes, bench->copy.median));
    line.of_product = divided(line.rate, divided(bench->product_flops, bench->product.median));
    if (other == NULL || other->samples.n == 0) return line;
    line.other = bench_spread(arena, &other->samples);
    line.other_calls = other->calls;
    line.ratio = divided(line.other.median, line.times.median);
    return line;
}

static const BenchPart *same_part(const BenchSide *side, Str name) {
    for (uint32_t i = 0; i < side->parts.n; i++)
        if (str_eq(side->parts.items[i].name, name)) return &side->parts.items[i];
    return NULL;
}

static int by_time(const void *a, const void *b) {
    const Line *x = a, *y = b;
    if (x->times.median != y->times.median) return x->times.median > y->times.median ? -1 : 1;
    return str_cmp(x->part->name, y->part->name);
}

static Lines lines_of(Bench *bench) {
    Arena *arena = bench->command->arena;
    const BenchSide *side = &bench->sides[0], *other = bench->side_count > 1 ? &bench->sides[1] : NULL;
    Lines lines = {0};
    *VEC_PUSH(arena, &lines) = line_of(bench, &side->whole, other != NULL ? &other->whole : NULL);
    for (uint32_t i = 0; i < side->parts.n; i++) {
        const BenchPart *part = &side->parts.items[i];
        *VEC_PUSH(arena, &lines) = line_of(bench, part, other != NULL ? same_part(other, part->name) : NULL);
    }
    if (lines.n > 2) qsort(lines.items + 1, lines.n - 1, sizeof *lines.items, by_time);
    return lines;
}

/* Whether inputs and outputs come from memory: between two runs with the same ones there are more than a cache holds.
 */
static bool is_rotated(const BenchSide *side) {
    return side->set_count > 1 && (double)side->set_count * (double)side->set_bytes >= 2 * (double)bench_cache();
}

static const char *cold(const Bench *bench) {
    return bench->sides[0].session->device != NULL ? "flushed" : is_rotated(&bench->sides[0]) ? "rotated" : "warm";
}

/* ---- a table ------------------------------------------------------------------------------------------------------
 */

static Str number(Arena *arena, const char *format, double value) {
    return value < 0 ? S("-") : str_format(arena, format, value);
}

static Str share(Arena *arena, double value) { return value < 0 ? S("-") : str_format(arena, "%.1f %%", 100 * value); }

static Str microseconds(Arena *arena, double seconds) {
    double value = seconds * 1e6;
    return seconds < 0 ? S("-") : str_format(arena, value < 100 ? "%.2f" : value < 10000 ? "%.1f" : "%.0f", value);
}

static void add_caption(Buf *out, const Bench *bench) {
    const BenchSide *side = &bench->sides[0];
    const OpgenModel *model = side->session->model;
    Str dims = session_dims(side->session);
    double megabytes = (double)side->set_count * (double)side->set_bytes / (1 << 20);
    buf_format(out, "%s on %s%s%S: %s\n", model->name, model->backend, dims.n > 0 ? ", " : "", dims,
               !bench->referenced      ? "results as the other's"
               : bench->side_count > 1 ? "results as the CPU's reference, both"
                                       : "results as the CPU's reference");
    if (bench->side_count > 1)
        buf_format(out, "other: %S, on %s\n", bench->sides[1].name, bench->sides[1].session->model->backend);
    if (bench->sides[0].session->device != NULL)
        buf_format(
            out,
            "times: the device's, of runs as one graph, and of calls one by one (a short one shows its launch); before "
            "each run a copy of %llu MB empties the caches\n",
            (unsigned long long)(bench->flush.size >> 20));
    else
        buf_format(out, "times: a clock, %d thread%s; %u set%s of inputs and outputs, %.3g MB, take turns%s\n",
                   (int)bench->threads, bench->threads == 1 ? "" : "s", (unsigned)side->set_count,
                   side->set_count == 1 ? "" : "s", megabytes, is_rotated(side) ? ", more than any cache has" : "");
    buf_format(
        out,
        "copy: %.0f MB, %.1f GB/s; product: linear %s of %lld x %lld by %lld x %lld, by opgen on %s, %.1f GFLOP/s\n\n",
        bench->copy_bytes / 2 / (1 << 20), bench->copy_bytes / bench->copy.median * 1e-9,
        opgen_dtype_name(bench->dtype), (long long)bench->product_size, (long long)bench->product_size,
        (long long)bench->product_size, (long long)bench->product_size, model->backend,
        bench->product_flops / bench->product.median * 1e-9);
}

static void add_table(Buf *out, Bench *bench, const Lines *lines) {
    Arena *arena = bench->command->arena;
    Rows rows = {0};
    unsigned columns = bench->side_count > 1 ? 11 : 9;
    *VEC_PUSH(arena, &rows) = (Row){{S("operators"), S("calls"), S("us"), S("least"), S("most"), S("GB/s"),
                                     S("of copy"), S("GFLOP/s"), S("of product"), S("other us"), S("ratio")}};
    for (uint32_t i = 0; i < lines->n; i++) {
        const Line *line = &lines->items[i];
        double rate = line->rate < 0 ? -1 : line->rate * 1e-9,
               bandwidth = line->bandwidth < 0 ? -1 : line->bandwidth * 1e-9;
        *VEC_PUSH(arena, &rows) =
            (Row){{line->part->name, str_format(arena, "%lld", (long long)line->part->calls),
                   microseconds(arena, line->times.median), microseconds(arena, line->times.least),
                   microseconds(arena, line->times.most), number(arena, bandwidth < 100 ? "%.2f" : "%.0f", bandwidth),
                   share(arena, line->of_copy), number(arena, rate < 100 ? "%.2f" : "%.0f", rate),
                   share(arena, line->of_product), microseconds(arena, line->other.median),
                   number(arena, "%.3f", line->ratio)}};
    }
    rows_align(arena, &rows, 1, columns);
    rows_text(out, &rows, columns, 0);
    buf_format(out, "\nmedians of %u and %u runs\n", (unsigned)bench->sides[0].whole.samples.n,
               bench->sides[0].parts.n > 0 ? (unsigned)bench->sides[0].parts.items[0].samples.n : 0);
}

/* ---- for programs -------------------------------------------------------------------------------------------------
 */

static void add_number(Buf *out, const char *name, double value) {
    buf_format(out, ", \"%s\": ", name);
    if (value < 0)
        buf_add(out, S("null"));
    else
        buf_format(out, "%.15g", value); /* bytes and operations to the last one */
}

static void add_spread(Buf *out, const Spread *spread) {
    add_number(out, "seconds", spread->median);
    add_number(out, "least", spread->least);
    add_number(out, "most", spread->most);
    buf_format(out, ", \"runs\": %u", (unsigned)spread->n);
}

static void add_line(Buf *out, const Line *line) {
    buf_add(out, S("{\"name\": "));
    buf_json(out, line->part->name);
    buf_format(out, ", \"calls\": %lld", (long long)line->part->calls);
    add_spread(out, &line->times);
    add_number(out, "bytes", line->part->bytes);
    add_number(out, "flops", line->part->flops);
    add_number(out, "of_copy", line->of_copy);
    add_number(out, "of_product", line->of_product);
    if (line->other.median >= 0) {
        buf_format(out, ", \"other\": {\"calls\": %lld", (long long)line->other_calls);
        add_spread(out, &line->other);
        buf_char(out, '}');
    }
    add_number(out, "ratio", line->ratio);
    buf_char(out, '}');
}

static void add_json(Buf *out, Bench *bench, const Lines *lines) {
    const BenchSide *side = &bench->sides[0];
    const OpgenModel *model = side->session->model;
    buf_format(out, "{\"model\": \"%s\", \"backend\": \"%s\", \"checked\": true, \"dims\": {", model->name,
               model->backend);
    for (int32_t i = 0; i < model->dim_count; i++)
        buf_format(out, "%s\"%s\": %lld", i > 0 ? ", " : "", model->dims[i].name, (long long)side->session->dims[i]);
    buf_format(out, "},\n \"timer\": \"%s\", \"caches\": \"%s\", \"sets\": %u, \"set_bytes\": %zu, \"threads\": %d",
               side->timers[1] != NULL ? "device" : "clock", cold(bench), (unsigned)side->set_count, side->set_bytes,
               (int)bench->threads);
    if (bench->side_count > 1) {
        buf_add(out, S(", \"other\": "));
        buf_json(out, bench->sides[1].name);
    }
    buf_format(out, ",\n \"copy\": {\"bytes\": %.0f", bench->copy_bytes);
    add_spread(out, &bench->copy);
    buf_format(out, "},\n \"product\": {\"dtype\": \"%s\", \"size\": %lld", opgen_dtype_name(bench->dtype),
               (long long)bench->product_size);
    add_number(out, "flops", bench->product_flops);
    add_spread(out, &bench->product);
    buf_add(out, S("},\n \"whole\": "));
    add_line(out, &lines->items[0]);
    buf_add(out, S(",\n \"operators\": ["));
    for (uint32_t i = 1; i < lines->n; i++) {
        buf_add(out, i > 1 ? S(",\n  ") : S("\n  "));
        add_line(out, &lines->items[i]);
    }
    buf_add(out, S("]}\n"));
}

static void add_cell(Buf *out, double value) {
    buf_char(out, ',');
    if (value >= 0) buf_format(out, "%.15g", value);
}

static void add_csv(Buf *out, const Lines *lines) {
    buf_add(out, S("operators,calls,seconds,least,most,runs,bytes,flops,of_copy,of_product,other_seconds,ratio\n"));
    for (uint32_t i = 0; i < lines->n; i++) {
        const Line *line = &lines->items[i];
        buf_format(out, "\"%S\",%lld", line->part->name, (long long)line->part->calls); /* names have no quotes */
        add_cell(out, line->times.median);
        add_cell(out, line->times.least);
        add_cell(out, line->times.most);
        add_cell(out, line->times.n);
        add_cell(out, line->part->bytes);
        add_cell(out, line->part->flops);
        add_cell(out, line->of_copy);
        add_cell(out, line->of_product);
        add_cell(out, line->other.median);
        add_cell(out, line->ratio);
        buf_char(out, '\n');
    }
}

void bench_show(Bench *bench) {
    const OptionValue *values = bench->command->options.values;
    Buf out;
    buf_init(&out, bench->command->arena);
    Lines lines = lines_of(bench);
    if (values[OPT_JSON].given) {
        add_json(&out, bench, &lines);
    } else if (values[OPT_CSV].given) {
        add_csv(&out, &lines);
    } else {
        add_caption(&out, bench);
        add_table(&out, bench, &lines);
    }
    command_print(bench->command, buf_str(&out));
}
