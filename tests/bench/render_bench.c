/* render_bench.c: the engine under a clock. bench.py talks to it over standard input, a command a line:
 *
 *     load DIR            a case: the files in DIR are templates, but data.json, which is the data
 *     output              the text of one rendering: its length on a line, then its bytes
 *     render N            renders N times; prints the nanoseconds of all of them
 *     compile N           parses and compiles DIR/main N times; the same
 *     spawn N PROGRAM...  runs a program N times with its output to /dev/null; prints nanoseconds from start to exit,
 * one a line peak FILE PROGRAM...  runs it once with its output to FILE; prints exit status, peak resident KiB,
 * nanoseconds
 *
 * Programs are started from here because a child's peak memory counts what its parent held when it was started, and
 * this process is small. Times are of the monotonic clock.
 */
#include "base/file.h"
#include "template/template.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

typedef struct Bench {
    Arena arena;
    Names names;
    Diags diags;
    Engine *engine;
    Template *template;
    Source *source;
    Value data;
} Bench;

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static NORETURN void die(Bench *bench, const char *what) {
    Buf findings;
    buf_init(&findings, &bench->arena);
    diags_render(&bench->diags, DIAG_TEXT, false, &findings);
    fprintf(stderr, "render_bench: %s\n%.*s", what, STR_ARG(buf_str(&findings)));
    exit(2);
}

static void load(Bench *bench, const char *folder) {
    arena_free(&bench->arena);
    arena_init(&bench->arena);
    names_init(&bench->names, &bench->arena);
    diags_init(&bench->diags, &bench->arena);
    bench->engine = engine_new(&bench->arena, &bench->names, &bench->diags, &(EngineOptions){0});
    bench->data = val_missing();
    DIR *dir = opendir(folder);
    if (dir == NULL) die(bench, "there is no such case");
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        Str path = str_format(&bench->arena, "%s/%s", folder, entry->d_name);
        Source *source = file_read_text(&bench->arena, path, span(NULL, 0, 0), &bench->diags);
        if (source == NULL) die(bench, "a file cannot be read");
        if (strcmp(entry->d_name, "data.json") == 0) {
            Json *json = json_parse(&bench->arena, &bench->names, source, &bench->diags);
            if (json == NULL) die(bench, "the data is not JSON");
            bench->data = val_of_json(&bench->arena, json);
        } else {
            engine_add_text(bench->engine, str_copy(&bench->arena, str_c(entry->d_name)), source->text);
            if (strcmp(entry->d_name, "main") == 0) bench->source = source;
        }
    }
    closedir(dir);
    bench->template = engine_load(bench->engine, S("main"), span(NULL, 0, 0));
    if (bench->template == NULL) die(bench, "the template cannot be compiled");
}

static void output(Bench *bench) {
    Arena out;
    arena_init(&out);
    Str text;
    if (!engine_render(bench->engine, bench->template, bench->data, &out, &text)) die(bench, "the template fails");
    printf("%zu\n", text.n);
    fwrite(text.p, 1, text.n, stdout);
    arena_free(&out);
}

static int64_t time_render(Bench *bench, long n) {
    int64_t start = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < n; i++) {
        Arena out;
        arena_init(&out);
        Str text;
        if (!engine_render(bench->engine, bench->template, bench->data, &out, &text)) die(bench, "the template fails");
        arena_free(&out);
    }
    return now(CLOCK_PROCESS_CPUTIME_ID) - start;
}

/* An engine for each compilation, its making included: that is what one that is compiled once pays. */
static int64_t time_compile(Bench *bench, long n) {
    int64_t start = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < n; i++) {
        Arena arena;
        arena_init(&arena);
        Names names;
        Diags diags;
        names_init(&names, &arena);
        diags_init(&diags, &arena);
        Engine *engine = engine_new(&arena, &names, &diags, &(EngineOptions){0});
        if (engine_compile(engine, source_new(&arena, S("main"), bench->source->text)) == NULL)
            die(bench, "the template cannot be compiled");
        arena_free(&arena);
    }
    return now(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static int64_t run_program(char **argv, const char *to, int *status, struct rusage *usage) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_t pid;
    int64_t start = now(CLOCK_MONOTONIC);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    if (error != 0) {
        fprintf(stderr, "render_bench: cannot run %s: %s\n", argv[0], strerror(error));
        exit(2);
    }
    while (wait4(pid, status, 0, usage) < 0 && errno == EINTR)
        continue;
    int64_t end = now(CLOCK_MONOTONIC);
    posix_spawn_file_actions_destroy(&actions);
    return end - start;
}

static void spawn_program(long n, char **argv) {
    for (long i = 0; i < n; i++) {
        int status;
        struct rusage usage;
        printf("%lld\n", (long long)run_program(argv, "/dev/null", &status, &usage));
    }
}

static void peak_program(const char *to, char **argv) {
    int status;
    struct rusage usage;
    int64_t ns = run_program(argv, to, &status, &usage);
    printf("%d %ld %lld\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, usage.ru_maxrss, (long long)ns);
}

int main(void) {
    Bench bench = {.data = {0}};
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *words[32];
        size_t n = 0;
        for (char *word = strtok(line, " \n"); word != NULL && n < 31; word = strtok(NULL, " \n"))
            words[n++] = word;
        words[n] = NULL;
        if (n == 2 && strcmp(words[0], "load") == 0) {
            load(&bench, words[1]);
            printf("ok\n");
        } else if (n == 1 && strcmp(words[0], "output") == 0) {
            output(&bench);
        } else if (n == 2 && strcmp(words[0], "render") == 0) {
            printf("%lld\n", (long long)time_render(&bench, atol(words[1])));
        } else if (n == 2 && strcmp(words[0], "compile") == 0) {
            printf("%lld\n", (long long)time_compile(&bench, atol(words[1])));
        } else if (n >= 3 && strcmp(words[0], "spawn") == 0) {
            spawn_program(atol(words[1]), words + 2);
        } else if (n >= 3 && strcmp(words[0], "peak") == 0) {
            peak_program(words[1], words + 2);
        } else {
            fprintf(stderr, "render_bench: what is this: %s\n", n > 0 ? words[0] : "");
            return 2;
        }
        fflush(stdout);
    }
    arena_free(&bench.arena);
    free(line);
    return 0;
}
