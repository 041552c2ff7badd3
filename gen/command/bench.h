/* bench.h: what the parts of `opgen bench` share: libraries side by side, what their runs took, and what the machine
 * can do.
 *
 * bench.c decides what is compared and times nothing that it has not checked. bench_runs.c has the runs, bench_peaks.c
 * a copy and a matrix product to hold them against, bench_show.c the tables.
 */
#ifndef OPGEN_COMMAND_BENCH_H
#define OPGEN_COMMAND_BENCH_H

#include "command/session.h"

typedef VEC(double) Samples; /* seconds */

typedef struct Spread {
    double median, least, most;
    uint32_t n; /* of how many */
} Spread;

/* The model as a whole, or all calls of the same operators. */
typedef struct BenchPart {
    Str name;
    int64_t calls;       /* in a run */
    double bytes, flops; /* of a run; negative: not known */
    Samples samples;
    double now; /* what is added up in the run that goes on */
} BenchPart;

/* One library. Its runs take turns with sets of inputs and outputs, so that no cache has them, or another way is found
 * to empty the caches. */
typedef struct BenchSide {
    Session *session;
    Str name;
    const OpgenDevice *device;
    uint32_t set_count, next;
    size_t set_bytes;
    DLTensor *inputs, *outputs; /* of all sets, one behind the other */
    VEC(void *) memory;         /* of the device */
    BenchPart whole;
    VEC(BenchPart) parts;
    uint32_t *part_of; /* by call */
    OpgenTimes *calls;
    void *timers[2];
} BenchSide;

/* What is written on a device between runs, in place of what its caches had. */
typedef struct BenchFlush {
    const OpgenDevice *device;
    void *from, *to;
    size_t size;
} BenchFlush;

typedef struct Bench {
    Command *command;
    BenchSide sides[2]; /* what is measured, and what it is held against */
    uint32_t side_count;
    bool referenced; /* checked against the CPU's reference, not each other alone */
    BenchFlush flush;
    int32_t threads;
    OpgenDtype dtype; /* what the model mostly computes with */
    Spread copy, product;
    double copy_bytes, product_flops;
    int64_t product_size;
} Bench;

/* ---- bench_runs.c */
/* Memory for a session that is prepared, and which of its calls are one part. False after adding findings. */
bool bench_begin(Bench *bench, BenchSide *side, Session *session, Str name);
void bench_end(Bench *bench, BenchSide *side);
/* Runs the first `count` sides in turn until it is known what they take: the whole, or call by call. `seconds` is about
 * how long that may last; `repeat`: so many runs, 0: as many as it takes. False after adding findings. */
bool bench_whole(Bench *bench, BenchSide *sides, uint32_t count, double seconds, uint64_t repeat);
bool bench_parts(Bench *bench, BenchSide *sides, uint32_t count, double seconds, uint64_t repeat);
/* Buffers with which a device's caches are emptied; none where memory is the host's. */
bool bench_flush_new(Bench *bench, const OpgenDevice *device);
void bench_flush_free(BenchFlush *flush);
/* Seconds of one copy between them. */
bool bench_flush_time(Bench *bench, BenchSide *side, double *seconds);
Spread bench_spread(Arena *arena, const Samples *samples);
size_t bench_cache(void); /* the bytes of the processor's last cache */
double bench_now(void);   /* seconds of a clock */
bool bench_device_error(Bench *bench, const OpgenDevice *device, const char *what, int error);

/* ---- bench_peaks.c */
/* For about so many seconds. */
bool bench_copy(Bench *bench, double budget);
bool bench_product(Bench *bench, double budget);

/* ---- bench_show.c */
void bench_show(Bench *bench);

#endif
