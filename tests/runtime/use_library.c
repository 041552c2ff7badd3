/* use_library.c: a user's program, in the C that is C++ as well: opens the library of its first argument, runs the
 * model `named` with the weights that lie beside it, and goes through what opening and closing refuse. Linked with the
 * library or, as USE_LINKED, calling its model directly. */
#include "opgen.h"

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(what)                                                                                                  \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, opgen_last_error());                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#ifdef USE_LINKED
#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const OpgenModel named_model;
#endif

static void run_named(OpgenInstance *instance) {
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, s[2] = {0, 100}, y[8];
    int64_t e[4] = {1, 2, 3, 4}, t[5], by_4[2] = {2, 4}, two[1] = {2}, four[1] = {4}, five[1] = {5};
    DLTensor inputs[3] = {opgen_tensor(x, OPGEN_F32, 2, by_4), opgen_tensor(s, OPGEN_F32, 1, two),
                          opgen_tensor(e, OPGEN_I64, 1, four)};
    DLTensor outputs[2] = {opgen_tensor(y, OPGEN_F32, 2, by_4), opgen_tensor(t, OPGEN_I64, 1, five)};
    REQUIRE(opgen_run(instance, inputs, 3, outputs, 2, NULL) == OPGEN_OK);
    /* the file beside the library: w = 1 2 3 4, b = 10 20 30 40 */
    for (int i = 0; i < 8; i++)
        REQUIRE(y[i] == x[i] * (float)(i % 4 + 1) + (float)(10 * (i % 4 + 1)) + (float)(i / 4 * 100));
    REQUIRE(t[0] == 1 && t[3] == 10 && t[4] == 2);
}

int main(int count, char **arguments) {
    OpgenInstance *instance;
    REQUIRE(count >= 2);
#ifdef USE_LINKED
    REQUIRE(opgen_create(&named_model, NULL, &instance) == OPGEN_OK);
    run_named(instance);
    REQUIRE(opgen_free(instance) == OPGEN_OK);
#endif
    OpgenLibrary *library, *again, *none;
    REQUIRE(opgen_open(arguments[1], &library) == OPGEN_OK);
    REQUIRE(opgen_open(arguments[1], &again) == OPGEN_OK);
    REQUIRE(opgen_model_count(library) == 3);
    REQUIRE(strcmp(opgen_model_name(library, 1), "fixed") == 0);
    REQUIRE(opgen_model_name(library, 3) == NULL && opgen_library_model(library, -1) == NULL);
    REQUIRE(opgen_library_find(library, "scaled") == opgen_library_model(library, 2));
    REQUIRE(opgen_library_find(library, "nmaed") == NULL && strstr(opgen_last_error(), "did you mean \"named\"?"));
    REQUIRE(opgen_model_count(NULL) == 0 && opgen_library_find(NULL, "x") == NULL);

    REQUIRE(opgen_create(opgen_library_model(library, 0), NULL, &instance) == OPGEN_OK);
    run_named(instance);
    /* One of the two libraries has the instance; the other can go. */
    int first = opgen_close(library), second = opgen_close(again);
    REQUIRE((first == OPGEN_BUSY) != (second == OPGEN_BUSY) && strstr(opgen_last_error(), "1 instance"));
    OpgenLibrary *open = first == OPGEN_BUSY ? library : again, *closed = first == OPGEN_BUSY ? again : library;
    run_named(instance);
    REQUIRE(opgen_free(instance) == OPGEN_OK);
    REQUIRE(opgen_close(closed) == OPGEN_BAD_ARGUMENT && strstr(opgen_last_error(), "closed before"));
    REQUIRE(opgen_close(open) == OPGEN_OK);
    REQUIRE(opgen_close(open) == OPGEN_BAD_ARGUMENT);
    REQUIRE(opgen_close(NULL) == OPGEN_OK);
    for (int i = 0; i < 200; i++) { /* more than are remembered */
        REQUIRE(opgen_open(arguments[1], &library) == OPGEN_OK);
        REQUIRE(opgen_close(library) == OPGEN_OK);
    }

    REQUIRE(opgen_open(NULL, &none) == OPGEN_BAD_ARGUMENT && none == NULL);
    REQUIRE(opgen_open("", &none) == OPGEN_BAD_ARGUMENT);
    REQUIRE(opgen_open(arguments[1], NULL) == OPGEN_BAD_ARGUMENT);
    REQUIRE(opgen_open("/nowhere/libnone.so", &none) == OPGEN_BAD_FILE &&
            strstr(opgen_last_error(), "/nowhere/libnone.so"));
    for (int i = 2; i < count; i++) { /* what is no library of ours: status and text */
        int status = opgen_open(arguments[i], &none);
        printf("%s: %s\n", opgen_status_text(status), opgen_last_error());
        REQUIRE(status != OPGEN_OK && none == NULL);
    }
    return 0;
}
