/* test_dump.c: OPGEN_LOG=4: the folder of a run has what it was given, what its calls left and what it gave; and one
 * that cannot be made changes nothing. */
#include "watched.h"

#include "opgen_npy.h"

#include <dirent.h>
#include <unistd.h>
#include <cmocka.h>

static OpgenInstance *make(const OpgenOptions *options) {
    OpgenInstance *instance;
    if (opgen_create(&watched, options, &instance)) fail_msg("%s", opgen_last_error());
    if (give_watched(instance, 9, 5)) fail_msg("%s", opgen_last_error());
    return instance;
}

static bool has(const char *folder, const char *name) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

static void same_array(const char *folder, const char *name, const void *data, size_t bytes) {
    char path[1200];
    OpgenArray array;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (opgen_npy_read(path, NULL, &array)) fail_msg("%s", opgen_last_error());
    assert_int_equal(array.size, bytes);
    assert_memory_equal(array.data, data, bytes);
    opgen_array_free(&array);
}

/* The folders of runs, in order of their names; how many. */
static int dumps_in(const char *folder, char found[][600], int most) {
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort), kept = 0;
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.' && kept < most)
            snprintf(found[kept++], 600, "%s/%.255s", folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return kept;
}

static void a_dump(void **state) {
    (void)state;
    char *folder = temporary("dumps"), *log = temporary("dump.log");
    char found[4][600];
    char command[700];
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", folder, folder);
    assert_int_equal(system(command), 0);
    setenv("OPGEN_LOG", "4", 1);
    setenv("OPGEN_DUMP", folder, 1);
    int kept = dup(2);
    assert_non_null(freopen(log, "w", stderr));
    OpgenInstance *instance = make(NULL);
    unsetenv("OPGEN_LOG");
    unsetenv("OPGEN_DUMP");
    Watched all;
    make_watched(&all, 3);
    int status = run_watched(instance, &all);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    assert_int_equal(status, OPGEN_OK);
    assert_int_equal(dumps_in(folder, found, 4), 1);
    float r[12], y[12], d[12], w[4] = {9, 9, 9, 9};
    for (int i = 0; i < 12; i++)
        r[i] = (float)i, y[i] = (float)i * 3 + 5, d[i] = (float)i - 3;
    same_array(found[0], "inputs/x.npy", all.x, sizeof r);
    same_array(found[0], "outputs/y.npy", y, sizeof y);
    same_array(found[0], "nodes/0000-r.npy", r, sizeof r);
    same_array(found[0], "nodes/0001-y.npy", y, sizeof y);
    same_array(found[0], "nodes/0001-d.npy", d, sizeof d);
    same_array(found[0], "params/w.npy", w, sizeof w); /* no file has it */
    assert_true(has(found[0], "outputs/t.npy") && has(found[0], "params/c.npy") && has(found[0], "run.json"));
    assert_true(watched_right(&all, 3, 5));
    /* A folder that cannot be made is told, and the run goes on. */
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    setenv("OPGEN_LOG", "4", 1);
    setenv("OPGEN_DUMP", "/nowhere/at/all", 1);
    kept = dup(2);
    assert_non_null(freopen(log, "w", stderr));
    instance = make(NULL);
    unsetenv("OPGEN_LOG");
    unsetenv("OPGEN_DUMP");
    status = run_watched(instance, &all);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    assert_int_equal(status, OPGEN_OK);
    assert_true(watched_right(&all, 3, 5));
    FILE *file = fopen(log, "r");
    char text[4000];
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    assert_non_null(strstr(text, "/nowhere/at/all/watched-"));
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free(folder);
    free(log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
