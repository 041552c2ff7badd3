/* test_watch.c: runs that are watched: profiles, in sums, as JSON and as a trace; the node that a NaN comes up in. The
 * model's values must be right whoever watches. */
#include "watched.h"

#include "opgen_device.h"

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static OpgenInstance *make(const OpgenOptions *options) {
    OpgenInstance *instance;
    if (opgen_create(&watched, options, &instance)) fail_msg("%s", opgen_last_error());
    if (give_watched(instance, 9, 5)) fail_msg("%s", opgen_last_error());
    return instance;
}

static void runs_right(OpgenInstance *instance, int64_t n, float root, float c) {
    Watched all;
    make_watched(&all, n);
    if (run_watched(instance, &all)) fail_msg("%s", opgen_last_error());
    assert_true(watched_right(&all, root, c));
}

static void failed(int got, int wanted, const char *first, const char *second) {
    if (got != wanted || !strstr(opgen_last_error(), first) || !strstr(opgen_last_error(), second))
        fail_msg("status %d (wanted %d): %s (wanted: %s ... %s)", got, wanted, opgen_last_error(), first, second);
}

/* Runs that go on meanwhile make the text longer or shorter. */
static cJSON *parsed(OpgenInstance *instance, int format) {
    size_t length, room;
    char *text = NULL;
    assert_int_equal(opgen_profile_text(instance, format, NULL, 0, &length), OPGEN_OK);
    do {
        room = length + 100;
        free(text);
        text = malloc(room);
        assert_int_equal(opgen_profile_text(instance, format, text, room, &length), OPGEN_OK);
    } while (length >= room);
    assert_int_equal(strlen(text), length);
    cJSON *json = cJSON_Parse(text);
    if (!json) fail_msg("no JSON: %s", text);
    free(text);
    return json;
}

static double member(const cJSON *json, const char *name) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(json, name);
    if (!cJSON_IsNumber(found)) fail_msg("%s is no number", name);
    return found->valuedouble;
}

/* ---- profiles ---- */

static void sums(void **state) {
    (void)state;
    OpgenInstance *instance = make(NULL);
    OpgenTimes runs, calls[4];
    failed(opgen_profile_get(instance, &runs, calls, 4), OPGEN_BAD_ARGUMENT, "no profile was started", "");
    runs_right(instance, 3, 3, 5);
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    for (int64_t n = 0; n < 10; n++)
        runs_right(instance, n, 3, 5);
    assert_int_equal(opgen_profile_get(instance, &runs, calls, 4), OPGEN_OK);
    double inside = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(calls[i].count, 10);
        assert_true(calls[i].least >= 0 && calls[i].least <= calls[i].greatest &&
                    calls[i].greatest <= calls[i].seconds);
        inside += calls[i].seconds;
    }
    assert_int_equal(runs.count, 10);
    assert_true(runs.seconds > 0 && inside <= runs.seconds + 1e-9);
    /* n from 0 to 9: 45 rows */
    assert_true(calls[0].bytes == 32 * 45 && calls[0].flops == 4 * 45);
    assert_true(calls[1].bytes == 48 * 45 + 320 && calls[1].flops == 12 * 45);
    assert_true(calls[2].bytes == 8 * 45 && calls[2].flops == -1);
    assert_int_equal(calls[3].count, 0);
    /* new weights are folded meanwhile */
    assert_int_equal(give_watched(instance, 16, 1), OPGEN_OK);
    assert_int_equal(opgen_profile_stop(instance), OPGEN_OK);
    runs_right(instance, 3, 4, 1);
    assert_int_equal(opgen_profile_get(instance, &runs, calls, 4), OPGEN_OK);
    assert_int_equal(runs.count, 10);
    assert_int_equal(calls[3].count, 1);
    assert_true(calls[3].bytes == 32 && calls[3].flops == 4);
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    runs_right(instance, 2, 4, 1);
    assert_int_equal(opgen_profile_get(instance, &runs, calls, 2), OPGEN_OK);
    assert_int_equal(runs.count, 1);
    assert_true(calls[0].count == 1 && calls[0].bytes == 64);
    assert_int_equal(opgen_profile_get(instance, NULL, NULL, 0), OPGEN_OK);
    failed(opgen_profile_get(instance, &runs, calls, 5), OPGEN_BAD_ARGUMENT, "wanted 0 to 4 calls, got 5", "");
    failed(opgen_profile_get(instance, &runs, NULL, 4), OPGEN_BAD_ARGUMENT, "no room", "");
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    failed(opgen_profile_start(instance), OPGEN_BAD_ARGUMENT, "freed before", "");
    failed(opgen_profile_stop(NULL), OPGEN_BAD_ARGUMENT, "NULL", "");
}

/* A run that failed in its checks is in no profile. */
static void failures_do_not_count(void **state) {
    (void)state;
    OpgenInstance *instance = make(NULL);
    OpgenTimes runs;
    Watched all;
    make_watched(&all, 4);
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    all.input.data = NULL;
    failed(run_watched(instance, &all), OPGEN_BAD_ARGUMENT, "input \"x\"", "NULL");
    assert_int_equal(opgen_profile_get(instance, &runs, NULL, 0), OPGEN_OK);
    assert_int_equal(runs.count, 0);
    runs_right(instance, 4, 3, 5);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void as_json(void **state) {
    (void)state;
    OpgenInstance *instance = make(NULL);
    size_t length;
    failed(opgen_profile_text(instance, OPGEN_PROFILE_JSON, NULL, 0, &length), OPGEN_BAD_ARGUMENT, "no profile", "");
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    for (int i = 0; i < 5; i++)
        runs_right(instance, 7, 3, 5);
    cJSON *json = parsed(instance, OPGEN_PROFILE_JSON);
    assert_string_equal(cJSON_GetObjectItem(json, "model")->valuestring, "watched");
    assert_true(member(cJSON_GetObjectItem(json, "runs"), "count") == 5);
    const cJSON *calls = cJSON_GetObjectItem(json, "calls"), *call = cJSON_GetArrayItem(calls, 1);
    assert_int_equal(cJSON_GetArraySize(calls), 3);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "fold")), 1);
    assert_string_equal(cJSON_GetObjectItem(call, "function")->valuestring, "both_f32_2");
    assert_string_equal(cJSON_GetObjectItem(call, "operators")->valuestring, "mul, add, sub");
    assert_string_equal(cJSON_GetObjectItem(call, "nodes")->valuestring, "p, y, d");
    assert_true(member(call, "count") == 5 && member(call, "bytes") == 5 * (48 * 7 + 32));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(calls, 2), "flops")));
    cJSON_Delete(json);
    /* cut wherever it is */
    assert_int_equal(opgen_profile_text(instance, OPGEN_PROFILE_JSON, NULL, 0, &length), OPGEN_OK);
    char *whole = malloc(length + 1), *cut = malloc(length + 1);
    size_t told;
    assert_int_equal(opgen_profile_text(instance, OPGEN_PROFILE_JSON, whole, length + 1, &told), OPGEN_OK);
    for (size_t size = 1; size <= length + 1; size += 37) {
        memset(cut, 'x', length + 1);
        assert_int_equal(opgen_profile_text(instance, OPGEN_PROFILE_JSON, cut, size, &told), OPGEN_OK);
        assert_int_equal(told, length);
        assert_true(strlen(cut) == size - 1 && memcmp(cut, whole, size - 1) == 0);
    }
    free(whole);
    free(cut);
    failed(opgen_profile_text(instance, 7, NULL, 0, &length), OPGEN_BAD_ARGUMENT, "no format 7", "");
    failed(opgen_profile_text(instance, OPGEN_PROFILE_JSON, NULL, 5, &length), OPGEN_BAD_ARGUMENT, "text is NULL", "");
    failed(opgen_profile_write(instance, OPGEN_PROFILE_JSON, "/nowhere/profile.json"), OPGEN_BAD_FILE, "/nowhere", "");
    failed(opgen_profile_write(instance, OPGEN_PROFILE_JSON, NULL), OPGEN_BAD_ARGUMENT, "path is NULL", "");
    runs_right(instance, 7, 3, 5);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* Each call lies within a run of the same context, and no two of a context overlap. */
static void check_trace(const cJSON *trace, int runs, int calls) {
    const cJSON *event;
    int seen_runs = 0, seen_calls = 0;
    double begin[70] = {0}, end[70] = {0}, last[70] = {0};
    cJSON_ArrayForEach(event, cJSON_GetObjectItem(trace, "traceEvents")) {
        if (strcmp(cJSON_GetObjectItem(event, "ph")->valuestring, "M") == 0) continue;
        assert_string_equal(cJSON_GetObjectItem(event, "ph")->valuestring, "X");
        int context = (int)member(event, "tid");
        double from = member(event, "ts"), to = from + member(event, "dur");
        assert_in_range(context, 0, 69);
        const char *category = cJSON_GetObjectItem(event, "cat")->valuestring;
        if (strcmp(category, "run") == 0) {
            assert_true(from >= end[context]);
            begin[context] = last[context] = from;
            end[context] = to;
            seen_runs++;
        } else if (strcmp(category, "call") == 0) {
            assert_true(from >= last[context] - 0.002 && from >= begin[context] - 0.002 && to <= end[context] + 0.002);
            last[context] = to;
            seen_calls++;
        }
    }
    assert_int_equal(seen_runs, runs);
    assert_int_equal(seen_calls, calls);
}

static void as_trace(void **state) {
    (void)state;
    OpgenInstance *instance = make(NULL);
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    for (int i = 0; i < 6; i++)
        runs_right(instance, i, 3, 5);
    assert_int_equal(give_watched(instance, 16, 1), OPGEN_OK);
    cJSON *trace = parsed(instance, OPGEN_PROFILE_TRACE);
    check_trace(trace, 6, 18);
    assert_true(member(trace, "eventsLost") == 0);
    assert_true(member(cJSON_GetObjectItem(cJSON_GetObjectItem(trace, "opgen"), "runs"), "count") == 6);
    cJSON_Delete(trace);
    char *path = temporary("trace.json");
    assert_int_equal(opgen_profile_write(instance, OPGEN_PROFILE_TRACE, path), OPGEN_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(100000);
    size_t n = fread(text, 1, 99999, file);
    fclose(file);
    text[n] = '\0';
    trace = cJSON_Parse(text);
    assert_non_null(trace);
    check_trace(trace, 6, 18);
    cJSON_Delete(trace);
    free(text);
    free(path);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* The newest are kept, and the sums have all. */
static void more_than_is_kept(void **state) {
    (void)state;
    enum { RUNS = 70000, KEPT = 1 << 18 };
    OpgenInstance *instance = make(NULL);
    OpgenTimes runs, calls[3];
    Watched all;
    make_watched(&all, 1);
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(run_watched(instance, &all), OPGEN_OK);
    assert_int_equal(opgen_profile_get(instance, &runs, calls, 3), OPGEN_OK);
    assert_true(runs.count == RUNS && calls[0].count == RUNS && calls[2].count == RUNS);
    cJSON *trace = parsed(instance, OPGEN_PROFILE_TRACE);
    assert_true(member(trace, "eventsLost") == 4.0 * RUNS - KEPT);
    check_trace(trace, KEPT / 4, KEPT / 4 * 3);
    cJSON_Delete(trace);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* ---- tables that are broken ---- */

static void broken_tables(void **state) {
    (void)state;
    OpgenInstance *instance;
    for (int what = 0; what < 16; what++) {
        OpgenModel model = watched;
        OpgenCall calls[4];
        OpgenResult results[5];
        memcpy(calls, watched_calls, sizeof calls);
        memcpy(results, watched_results, sizeof results);
        model.calls = calls;
        model.results = results;
        if (what == 0) model.call_count = -1;
        if (what == 1) model.calls = NULL;
        if (what == 2) model.results = NULL;
        if (what == 3) model.numbers = NULL;
        if (what == 4) model.fold_call_count = -1;
        if (what == 5) calls[2].result = 5;
        if (what == 6) calls[1].result_count = 5;
        if (what == 7) calls[0].bytes = 9;
        if (what == 8) calls[3].operators = NULL;
        if (what == 9) results[0].rank = 65;
        if (what == 10) results[0].sizes = 8;
        if (what == 11) results[1].at = 2;
        if (what == 12) results[2].value = 1;
        if (what == 13) results[2].number = -2;
        if (what == 14) results[3].dtype = 99;
        if (what == 15) results[4].place = 7;
        failed(opgen_create(&model, NULL, &instance), OPGEN_BAD_ARGUMENT, "model watched: its table of calls is broken",
               "");
        assert_null(instance);
    }
}

/* ---- many at once ---- */

enum { THREADS = 8, EACH = 400 };
static atomic_int going;

static void *runner(void *instance) {
    Watched all;
    make_watched(&all, 5);
    for (int i = 0; i < EACH; i++) {
        if (run_watched(instance, &all) || !watched_right(&all, 3, 5)) abort();
    }
    atomic_fetch_sub(&going, 1);
    return NULL;
}

static void several_contexts(void **state) {
    (void)state;
    OpgenOptions options = opgen_options();
    options.contexts = 3;
    OpgenInstance *instance = make(&options);
    pthread_t threads[THREADS];
    OpgenTimes runs, calls[3];
    assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
    atomic_store(&going, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, runner, instance), 0);
    int64_t before = 0;
    while (atomic_load(&going) > 0) { /* read meanwhile, whole runs or none */
        assert_int_equal(opgen_profile_get(instance, &runs, calls, 3), OPGEN_OK);
        assert_true(runs.count >= before && calls[0].count == runs.count && calls[2].count == runs.count);
        before = runs.count;
        cJSON_Delete(parsed(instance, OPGEN_PROFILE_JSON));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(opgen_profile_get(instance, &runs, calls, 3), OPGEN_OK);
    assert_int_equal(runs.count, THREADS * EACH);
    assert_true(calls[1].bytes == (48.0 * 5 + 32) * THREADS * EACH);
    cJSON *trace = parsed(instance, OPGEN_PROFILE_TRACE);
    check_trace(trace, THREADS * EACH, 3 * THREADS * EACH);
    cJSON_Delete(trace);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

/* ---- OPGEN_PROFILE ---- */

static void from_the_environment(void **state) {
    (void)state;
    char *first = temporary("env.json"), *second = temporary("env-2.json"), *third = temporary("env-3.json");
    unlink(first); /* of an earlier run in a folder that stays */
    unlink(second);
    setenv("OPGEN_PROFILE", first, 1);
    OpgenInstance *one = make(NULL), *two = make(NULL), *idle = make(NULL);
    unsetenv("OPGEN_PROFILE");
    runs_right(one, 3, 3, 5);
    runs_right(two, 4, 3, 5);
    assert_int_equal(access(first, F_OK), -1);
    assert_int_equal(opgen_free(two), OPGEN_OK);
    assert_int_equal(opgen_free(one), OPGEN_OK);
    assert_int_equal(opgen_free(idle), OPGEN_OK);
    assert_int_equal(access(first, R_OK), 0);
    assert_int_equal(access(second, R_OK), 0);
    assert_int_equal(access(third, F_OK), -1); /* nothing was measured */
    free(first);
    free(second);
    free(third);
}

/* ---- memory that is not there ---- */

typedef struct Scarce {
    int left;
    long blocks;
} Scarce;

static void *scarce_alloc(void *context, size_t size, size_t align) {
    Scarce *scarce = context;
    void *memory = NULL;
    if (scarce->left == 0 || posix_memalign(&memory, align < 8 ? 8 : align, size)) return NULL;
    if (scarce->left > 0) scarce->left--;
    scarce->blocks++;
    return memory;
}

static void scarce_free(void *context, void *memory, size_t size) {
    (void)size;
    ((Scarce *)context)->blocks--;
    free(memory);
}

static void without_memory(void **state) {
    (void)state;
    char *path = temporary("scarce.json");
    for (int steps = 0, done = 0; !done; steps++) {
        Scarce scarce = {-1, 0};
        OpgenOptions options = opgen_options();
        options.allocator = (OpgenAllocator){scarce_alloc, scarce_free, &scarce};
        OpgenInstance *instance = make(&options);
        runs_right(instance, 5, 3, 5);
        Watched all;
        make_watched(&all, 5);
        scarce.left = steps;
        int status = opgen_profile_start(instance);
        if (!status) status = run_watched(instance, &all);
        if (!status) status = opgen_profile_write(instance, OPGEN_PROFILE_TRACE, path);
        done = !status && scarce.left > 0;
        if (status) failed(status, OPGEN_NO_MEMORY, "out of memory", "");
        scarce.left = -1;
        runs_right(instance, 5, 3, 5);
        assert_int_equal(opgen_free(instance), OPGEN_OK);
        assert_int_equal(scarce.blocks, 0);
        assert_true(steps < 100);
    }
    free(path);
}

/* ---- a device with streams ---- */

static struct { long clock, timers, waits; } ticks;

static int host_alloc(int32_t id, size_t size, size_t align, void **memory) {
    (void)id;
    return posix_memalign(memory, align, size);
}
static void host_free(int32_t id, void *memory, size_t size) {
    (void)id;
    (void)size;
    free(memory);
}
static int host_copy(int32_t id, void *to, const void *from, size_t size, OpgenCopy way, void *stream) {
    (void)id;
    (void)way;
    (void)stream;
    memcpy(to, from, size);
    return 0;
}
static const char *host_error(int error) { return error ? "an error" : "none"; }
static int host_synchronize(int32_t id, void *stream) {
    (void)id;
    (void)stream;
    ticks.waits++;
    return 0;
}
static int tick_new(int32_t id, void **timer) {
    (void)id;
    ticks.timers++;
    *timer = calloc(1, sizeof(long));
    return *timer ? 0 : 2;
}
static void tick_free(int32_t id, void *timer) {
    (void)id;
    ticks.timers--;
    free(timer);
}
static int tick_record(int32_t id, void *timer, void *stream) {
    (void)id;
    (void)stream;
    *(long *)timer = ++ticks.clock;
    return 0;
}
static int tick_wait(int32_t id, void *timer, void *stream) {
    (void)id;
    (void)timer;
    (void)stream;
    return 0;
}
static int tick_synchronize(int32_t id, void *timer) {
    (void)id;
    (void)timer;
    return 0;
}
static int tick_read(int32_t id, void *first, void *second, double *seconds) {
    (void)id;
    *seconds = (double)(*(long *)second - *(long *)first) * 0.25;
    return 0;
}

/* The device's clock where it has one; otherwise each call is waited for. */
static void a_device(void **state) {
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        OpgenDevice device = {.abi = OPGEN_ABI, .name = "ticking", .dl_device = kDLExtDev, .alloc = host_alloc};
        device.free = host_free;
        device.copy = host_copy;
        device.error_text = host_error;
        device.synchronize = host_synchronize;
        device.event_new = tick_new;
        device.event_free = tick_free;
        device.event_record = tick_record;
        device.event_wait = tick_wait;
        device.event_synchronize = tick_synchronize;
        if (timed) {
            device.timer_new = tick_new;
            device.timer_read = tick_read;
        }
        OpgenModel model = watched;
        model.backend = "ticking";
        OpgenOptions options = opgen_options();
        options.device = &device;
        OpgenInstance *instance;
        ticks.timers = 0;
        setenv("OPGEN_CHECK", "nan", 1);
        if (opgen_create(&model, &options, &instance) || give_watched(instance, 9, 5))
            fail_msg("%s", opgen_last_error());
        unsetenv("OPGEN_CHECK");
        assert_int_equal(opgen_profile_start(instance), OPGEN_OK);
        Watched all;
        make_watched(&all, 6);
        all.input.device.device_type = all.outputs[0].device.device_type = all.outputs[1].device.device_type =
            kDLExtDev;
        for (int i = 0; i < 4; i++) {
            if (run_watched(instance, &all)) fail_msg("%s", opgen_last_error());
            assert_true(watched_right(&all, 3, 5));
        }
        OpgenTimes runs, calls[3];
        assert_int_equal(opgen_profile_get(instance, &runs, calls, 3), OPGEN_OK);
        assert_true(runs.count == 4 && calls[2].count == 4);
        if (timed) assert_true(calls[1].seconds == 1 && calls[1].least == 0.25);
        all.x[5] = -1;
        failed(run_watched(instance, &all), OPGEN_FOUND_NAN, "node \"r\" (sqrt): tensor \"r\" has a NaN at (1, 1)", "");
        all.x[5] = 25;
        assert_int_equal(run_watched(instance, &all), OPGEN_OK);
        assert_true(watched_right(&all, 3, 5));
        assert_int_equal(opgen_free(instance), OPGEN_OK);
        assert_int_equal(ticks.timers, 0);
    }
}

/* ---- NaN ---- */

static void the_first_nan(void **state) {
    (void)state;
    setenv("OPGEN_CHECK", "nan", 1);
    OpgenInstance *instance = make(NULL);
    unsetenv("OPGEN_CHECK");
    Watched all;
    make_watched(&all, 5);
    assert_int_equal(run_watched(instance, &all), OPGEN_OK);
    assert_true(watched_right(&all, 3, 5));
    /* an input's own */
    all.x[9] = NAN;
    failed(run_watched(instance, &all), OPGEN_FOUND_NAN, "watched: input \"x\" has a NaN at (2, 1)", "");
    /* one that a node makes, in the arena, which others pass on */
    all.x[9] = -1;
    failed(run_watched(instance, &all), OPGEN_FOUND_NAN, "watched: node \"r\" (sqrt): tensor \"r\" has a NaN at (2, 1)",
           "the first in its run");
    /* inf - inf: only one of two results of a call, and not the output */
    all.x[9] = INFINITY;
    assert_int_equal(give_watched(instance, INFINITY, 5), OPGEN_OK);
    failed(run_watched(instance, &all), OPGEN_FOUND_NAN, "nodes \"p, y, d\" (mul, add, sub): tensor ", "has a NaN at ");
    assert_int_equal(give_watched(instance, 9, 5), OPGEN_OK);
    all.x[9] = 81;
    assert_int_equal(run_watched(instance, &all), OPGEN_OK);
    assert_true(watched_right(&all, 3, 5));
    /* weights: what fails changes nothing */
    failed(give_watched(instance, 4, NAN), OPGEN_FOUND_NAN, "param \"c\" has a NaN at (0,)", "");
    failed(give_watched(instance, -4, 5), OPGEN_FOUND_NAN, "node \"s\" (sqrt): tensor \"s\" has a NaN at (0,)",
           "once for the weights");
    assert_int_equal(run_watched(instance, &all), OPGEN_OK);
    assert_true(watched_right(&all, 3, 5));
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(failures_do_not_count),
        cmocka_unit_test(as_json),
        cmocka_unit_test(as_trace),
        cmocka_unit_test(more_than_is_kept),
        cmocka_unit_test(broken_tables),
        cmocka_unit_test(several_contexts),
        cmocka_unit_test(from_the_environment),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(a_device),
        cmocka_unit_test(the_first_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
