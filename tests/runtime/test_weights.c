/* test_weights.c: weights in a running instance: from files and from memory, in part and as a whole; files that are not
 * what they should be or that change while they are mapped. */
#include "model.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define ENTRY(name, dtype, shape, begin, end)                                                                          \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end "]}"
#define GOOD "{" ENTRY("w", "F32", "[4]", 0, 16) "," ENTRY("b", "F32", "[4]", 16, 32) "}"

static const float first[] = {1, 2, 3, 4, 10, 20, 30, 40}, second[] = {-1, 0.5f, 8, 2, 7, 7, 7, 7};
static char *path;

static OpgenInstance *make(const OpgenModel *model, const char *weights, int copy) {
    OpgenOptions options = opgen_options();
    options.weights = weights;
    options.copy_weights = copy;
    OpgenInstance *instance;
    if (opgen_create(model, &options, &instance)) fail_msg("%s", opgen_last_error());
    return instance;
}

static int run(OpgenInstance *instance, Tensors *all) {
    return opgen_run(instance, all->inputs, 3, all->outputs, 2, NULL);
}

static void runs_with(OpgenInstance *instance, const float *w, const float *b) {
    Tensors all;
    make_tensors(&all, 5);
    if (run(instance, &all)) fail_msg("%s", opgen_last_error());
    assert_true(outputs_right(&all, w, b));
    free_tensors(&all);
}

static void failed(int got, int wanted, const char *one, const char *two) {
    if (got != wanted || !strstr(opgen_last_error(), one) || !strstr(opgen_last_error(), two))
        fail_msg("status %d (wanted %d): %s (wanted: %s ... %s)", got, wanted, opgen_last_error(), one, two);
}

static void from_a_file(void **state) {
    (void)state;
    for (int copy = 0; copy < 2; copy++) {
        write_stored(path, GOOD, first, sizeof first);
        OpgenInstance *instance = make(&affine, path, copy);
        runs_with(instance, first, first + 4);
        assert_int_equal(unlink(path), 0); /* what is mapped stays */
        runs_with(instance, first, first + 4);
        write_stored(path,
                     "{\"__metadata__\":{\"format\":\"pt\"}," ENTRY("unused", "I8", "[0,3]", 0, 0) "," ENTRY(
                         "b", "F32", "[4]", 16, 32) "," ENTRY("w", "F32", "[4]", 0, 16) "}   ",
                     second, sizeof second);
        assert_int_equal(opgen_weights_load(instance, path), OPGEN_OK);
        runs_with(instance, second, second + 4);
        assert_int_equal(opgen_free(instance), OPGEN_OK);
    }
}

static void not_aligned_in_the_file(void **state) {
    (void)state;
    for (int pad = 0; pad < 8; pad++) { /* one of them is aligned */
        char header[300];
        snprintf(header, sizeof header, "%s%*s", GOOD, pad, "");
        write_stored(path, header, first, sizeof first);
        OpgenInstance *instance = make(&affine, path, 0);
        runs_with(instance, first, first + 4);
        assert_int_equal(opgen_free(instance), OPGEN_OK);
    }
}

static void before_and_in_part(void **state) {
    (void)state;
    OpgenInstance *instance = make(&affine, NULL, 0);
    Tensors all;
    make_tensors(&all, 2);
    failed(run(instance, &all), OPGEN_NO_WEIGHTS, "param \"w\", as others, has no value yet", "opgen_weights_load");
    int64_t four = COLUMNS;
    const char *w = "w", *b = "b";
    DLTensor tensor = opgen_tensor((void *)(uintptr_t)first, OPGEN_F32, 1, &four);
    assert_int_equal(opgen_weights_replace(instance, &w, &tensor, 1), OPGEN_OK);
    failed(run(instance, &all), OPGEN_NO_WEIGHTS, "param \"b\" has no value yet", "");
    tensor.byte_offset = 16;
    assert_int_equal(opgen_weights_replace(instance, &b, &tensor, 1), OPGEN_OK);
    runs_with(instance, first, first + 4);
    assert_int_equal(opgen_weights_replace(instance, NULL, NULL, 0), OPGEN_OK);
    runs_with(instance, first, first + 4);
    free_tensors(&all);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void what_replace_refuses(void **state) {
    (void)state;
    write_stored(path, GOOD, first, sizeof first);
    OpgenInstance *instance = make(&affine, path, 0);
    int64_t four = COLUMNS, five = 5;
    const char *names[] = {"w", "b"};
    DLTensor good = opgen_tensor((void *)(uintptr_t)second, OPGEN_F32, 1, &four), tensors[] = {good, good};
    failed(opgen_weights_replace(instance, names, tensors, -1), OPGEN_BAD_ARGUMENT, "count is negative", "");
    failed(opgen_weights_replace(instance, NULL, tensors, 2), OPGEN_BAD_ARGUMENT, "names is NULL", "");
    failed(opgen_weights_replace(instance, names, NULL, 2), OPGEN_BAD_ARGUMENT, "tensors is NULL", "");
    names[1] = NULL;
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_ARGUMENT, "name 1 is NULL", "");
    names[1] = "w";
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_NAME, "\"w\" is given twice", "");
    names[1] = "bias";
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_NAME, "no param \"bias\"", "");
    names[1] = "b";
    tensors[1].dtype = opgen_dl_dtype(OPGEN_F64);
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_DTYPE,
           "param \"b\": wanted f32 (4,), got f64 (4,)", "");
    tensors[1] = good;
    tensors[1].shape = &five;
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_SHAPE,
           "param \"b\": wanted f32 (4,), got f32 (5,)", "");
    tensors[1] = good;
    tensors[1].device.device_type = kDLCUDA;
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_DEVICE, "param \"b\"", "host memory");
    tensors[1] = good;
    int64_t twice = 2;
    tensors[1].strides = &twice;
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_LAYOUT, "param \"b\": wanted contiguous",
           "strides (2,)");
    tensors[1] = good;
    tensors[1].byte_offset = 1;
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_LAYOUT,
           "param \"b\": wanted f32 at a multiple", "1 beyond one");
    tensors[1] = good;
    tensors[1].data = NULL;
    failed(opgen_weights_replace(instance, names, tensors, 2), OPGEN_BAD_ARGUMENT, "param \"b\"", "NULL");
    runs_with(instance, first, first + 4); /* not even w was replaced */
    tensors[1] = good;
    assert_int_equal(opgen_weights_replace(instance, names, tensors, 2), OPGEN_OK);
    runs_with(instance, second, second);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void what_load_refuses(void **state) {
    (void)state;
    static const struct {
        const char *header;
        int status;
        const char *one, *two;
    } cases[] = {
        {"{" ENTRY("w", "F32", "[4]", 0, 16) "," ENTRY("bb", "F32", "[4]", 16, 32) "}", OPGEN_BAD_NAME,
         "has no tensor \"b\", which model affine wants", "did you mean \"bb\"?"},
        {"{" ENTRY("w", "F16", "[8]", 0, 16) "," ENTRY("b", "F32", "[4]", 16, 32) "}", OPGEN_BAD_DTYPE,
         "tensor \"w\": wanted f32 (4,), got f16 (8,)", ""},
        {"{" ENTRY("w", "F8_E4M3", "[16]", 0, 16) "," ENTRY("b", "F32", "[4]", 16, 32) "}", OPGEN_BAD_DTYPE,
         "F8_E4M3, which opgen does not have", "\"w\""},
        {"{" ENTRY("w", "F32", "[2,2]", 0, 16) "," ENTRY("b", "F32", "[4]", 16, 32) "}", OPGEN_BAD_SHAPE,
         "tensor \"w\": wanted f32 (4,), got f32 (2, 2)", "1 axes, got 2"},
        {"{" ENTRY("w", "F32", "[3]", 0, 12) "," ENTRY("b", "F32", "[5]", 12, 32) "}", OPGEN_BAD_SHAPE,
         "tensor \"w\": wanted f32 (4,), got f32 (3,)", "axis 0 is 3, not 4"},
        {"{" ENTRY("w", "F32", "[4]", 0, 16) "}", OPGEN_BAD_FORMAT, "bytes that no tensor has", ""},
    };
    write_stored(path, GOOD, first, sizeof first);
    OpgenInstance *instance = make(&affine, path, 0), *other;
    char *bad = temporary("bad.safetensors");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_stored(bad, cases[i].header, second, sizeof second);
        failed(opgen_weights_load(instance, bad), cases[i].status, cases[i].one, cases[i].two);
        assert_non_null(strstr(opgen_last_error(), "bad.safetensors"));
        OpgenOptions options = opgen_options();
        options.weights = bad;
        failed(opgen_create(&affine, &options, &other), cases[i].status, cases[i].one, cases[i].two);
        assert_null(other);
    }
    failed(opgen_weights_load(instance, NULL), OPGEN_BAD_ARGUMENT, "path is NULL", "");
    failed(opgen_weights_load(instance, "/nowhere/x.safetensors"), OPGEN_BAD_FILE, "/nowhere/x.safetensors",
           "No such file");
    failed(opgen_weights_load(instance, "/"), OPGEN_BAD_FILE, "no regular file", "");
    unlink(bad);
    assert_int_equal(mkfifo(bad, 0600), 0);
    failed(opgen_weights_load(instance, bad), OPGEN_BAD_FILE, "no regular file",
           ""); /* and does not wait for a writer */
    unlink(bad);
    runs_with(instance, first, first + 4);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free(bad);
}

/* Each tensor that is wrong is named, with what is wanted and what is there, and the first one's status is given. */
static void all_that_is_wrong(void **state) {
    (void)state;
    char *bad = temporary("wrong.safetensors");
    write_stored(path, GOOD, first, sizeof first);
    OpgenInstance *instance = make(&affine, path, 0);
    write_stored(bad, "{" ENTRY("w", "F16", "[4]", 0, 8) "," ENTRY("b", "F32", "[6]", 8, 32) "}", second,
                 sizeof second);
    failed(opgen_weights_load(instance, bad), OPGEN_BAD_DTYPE,
           "wrong.safetensors: tensor \"w\": wanted f32 (4,), got f16 (4,): the dtypes differ; tensor \"b\": ",
           "wanted f32 (4,), got f32 (6,): axis 0 is 6, not 4");
    write_stored(bad, "{" ENTRY("v", "F32", "[8]", 0, 32) "}", second, sizeof second);
    failed(opgen_weights_load(instance, bad), OPGEN_BAD_NAME, "has no tensor \"w\"", "; has no tensor \"b\"");
    runs_with(instance, first, first + 4);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    /* more than a message holds are counted */
    enum { MANY = 200 };
    static OpgenTensor params[MANY];
    static char names[MANY][60];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "encoder_layer_%d_attention_self_query_weight", i);
        params[i] = (OpgenTensor){names[i], OPGEN_F32, 1, four_axis, NULL, NULL, 0};
    }
    OpgenModel model = affine;
    model.params = params;
    model.param_count = MANY;
    OpgenOptions options = opgen_options();
    options.weights = path;
    failed(opgen_create(&model, &options, &instance), OPGEN_BAD_NAME, "\"encoder_layer_3_", "; and 1");
    size_t length = strlen(opgen_last_error());
    assert_true(length < 2000 && strcmp(opgen_last_error() + length - 5, " more") == 0);
    free(bad);
}

/* A file that has no name any more is there as long as it is mapped; so is one that another was renamed over. */
static void removed_while_mapped(void **state) {
    (void)state;
    char header[300], *next = temporary("next.safetensors");
    snprintf(header, sizeof header, "%s%*s", GOOD, (int)(8 - strlen(GOOD) % 8), "");
    write_stored(path, header, first, sizeof first);
    OpgenInstance *instance = make(&affine, path, 0);
    write_stored(next, header, second, sizeof second);
    assert_int_equal(rename(next, path), 0);
    runs_with(instance, first, first + 4);
    assert_int_equal(opgen_weights_load(instance, path), OPGEN_OK);
    runs_with(instance, second, second + 4);
    assert_int_equal(unlink(path), 0);
    runs_with(instance, second, second + 4);
    failed(opgen_weights_load(instance, path), OPGEN_BAD_FILE, "weights.safetensors", "No such file");
    runs_with(instance, second, second + 4);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free(next);
}

/* Every prefix of a good file is refused, and the instance goes on with what it has. */
static void cut_at_every_byte(void **state) {
    (void)state;
    write_stored(path, GOOD, first, sizeof first);
    OpgenInstance *instance = make(&affine, path, 0);
    char *bad = temporary("cut.safetensors");
    size_t size;
    unsigned char *bytes = stored(GOOD, second, sizeof second, &size);
    for (size_t cut = 0; cut < size; cut++) {
        write_file(bad, bytes, cut);
        assert_int_equal(opgen_weights_load(instance, bad), OPGEN_BAD_FORMAT);
        assert_non_null(strstr(opgen_last_error(), "cut.safetensors"));
    }
    bytes[size] = 0;
    write_file(bad, bytes, size + 1); /* one more is not right either */
    failed(opgen_weights_load(instance, bad), OPGEN_BAD_FORMAT, "bytes that no tensor has", "");
    runs_with(instance, first, first + 4);
    write_file(bad, bytes, size);
    assert_int_equal(opgen_weights_load(instance, bad), OPGEN_OK);
    runs_with(instance, second, second + 4);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    free(bytes);
    free(bad);
}

static void changed_while_mapped(void **state) {
    (void)state;
    /* Only what is aligned is mapped; so the header is filled up to a multiple of 8, as the format's own library does.
     */
    char header[300];
    snprintf(header, sizeof header, "%s%*s", GOOD, (int)(8 - strlen(GOOD) % 8), "");
    for (int copy = 0; copy < 2; copy++) {
        for (int way = 0; way < 2; way++) {
            write_stored(path, header, first, sizeof first);
            OpgenInstance *instance = make(&affine, path, copy);
            runs_with(instance, first, first + 4);
            if (way == 0) {
                assert_int_equal(truncate(path, 100), 0);
            } else {
                struct timespec times[2] = {{1, 0}, {1, 0}}; /* another time of change: something was written */
                assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
            }
            Tensors all;
            make_tensors(&all, 2);
            if (copy) {
                assert_int_equal(run(instance, &all), OPGEN_OK);
                assert_true(outputs_right(&all, first, first + 4));
            } else {
                failed(run(instance, &all), OPGEN_BAD_FILE, "was changed while it was mapped", "copy_weights");
                char *other = temporary("other.safetensors");
                write_stored(other, GOOD, second, sizeof second);
                assert_int_equal(opgen_weights_load(instance, other), OPGEN_OK);
                runs_with(instance, second, second + 4);
                free(other);
            }
            free_tensors(&all);
            assert_int_equal(opgen_free(instance), OPGEN_OK);
        }
    }
}

static void the_file_that_the_model_names(void **state) {
    (void)state;
    OpgenModel model = affine;
    OpgenInstance *instance;
    model.weights = path; /* absolute: nothing is put before it */
    write_stored(path, GOOD, first, sizeof first);
    instance = make(&model, NULL, 0);
    runs_with(instance, first, first + 4);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
    model.weights = "no-such-file.safetensors";
    failed(opgen_create(&model, NULL, &instance), OPGEN_BAD_FILE, "no-such-file.safetensors: cannot be opened",
           "no_weights in the options");
    OpgenOptions options = opgen_options();
    options.no_weights = 1;
    assert_int_equal(opgen_create(&model, &options, &instance), OPGEN_OK);
    assert_int_equal(opgen_weights_load(instance, path), OPGEN_OK);
    runs_with(instance, first, first + 4);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void embedded(void **state) {
    (void)state;
    OpgenModel model = fixed;
    model.weights = "no-such-file.safetensors"; /* not needed: all is embedded */
    OpgenInstance *instance = make(&model, NULL, 0);
    float y[COLUMNS] = {0};
    int64_t four = COLUMNS;
    DLTensor output = opgen_tensor(y, OPGEN_F32, 1, &four);
    assert_int_equal(opgen_run(instance, NULL, 0, &output, 1, NULL), OPGEN_OK);
    assert_memory_equal(y, fixed_data, sizeof y);
    write_stored(path, "{" ENTRY("w", "F32", "[4]", 0, 16) "}", second, 16);
    assert_int_equal(opgen_weights_load(instance, path), OPGEN_OK);
    assert_int_equal(opgen_run(instance, NULL, 0, &output, 1, NULL), OPGEN_OK);
    assert_memory_equal(y, second, sizeof y);
    write_stored(path, "{" ENTRY("v", "F32", "[4]", 0, 16) "}", first, 16); /* it need not be in a file */
    assert_int_equal(opgen_weights_load(instance, path), OPGEN_OK);
    assert_int_equal(opgen_run(instance, NULL, 0, &output, 1, NULL), OPGEN_OK);
    assert_memory_equal(y, second, sizeof y);
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

static void a_param_whose_size_is_a_dim(void **state) {
    (void)state;
    write_stored(path, "{" ENTRY("w", "F32", "[8]", 0, 32) "}", second, 32);
    OpgenInstance *instance = make(&scaled, path, 0);
    float y[8];
    int64_t eight = 8, seven = 7, many = 101, room;
    DLTensor input = opgen_tensor((void *)(uintptr_t)first, OPGEN_F32, 1, &eight),
             output = opgen_tensor(y, OPGEN_F32, 1, &eight);
    assert_int_equal(opgen_run(instance, &input, 1, &output, 1, NULL), OPGEN_OK);
    for (int i = 0; i < 8; i++)
        assert_true(y[i] == first[i] * second[i]);
    input.shape = output.shape = &seven;
    failed(opgen_run(instance, &input, 1, &output, 1, NULL), OPGEN_BAD_SHAPE,
           "param \"w\": wanted f32 (n,), got f32 (8,)", "n is 7 by input \"x\"");
    output.shape = &room;
    failed(opgen_infer_shapes(instance, &input, 1, &output, 1), OPGEN_BAD_SHAPE, "param \"w\"",
           "n is 7 by input \"x\"");
    const char *name = "w";
    DLTensor weight = opgen_tensor((void *)(uintptr_t)first, OPGEN_F32, 1, &seven);
    assert_int_equal(opgen_weights_replace(instance, &name, &weight, 1), OPGEN_OK);
    output.shape = &seven;
    assert_int_equal(opgen_run(instance, &input, 1, &output, 1, NULL), OPGEN_OK);
    for (int i = 0; i < 7; i++)
        assert_true(y[i] == first[i] * first[i]);
    weight.shape = &many;
    failed(opgen_weights_replace(instance, &name, &weight, 1), OPGEN_BAD_SHAPE, "n goes from 0 to 100", "");
    assert_int_equal(opgen_free(instance), OPGEN_OK);
}

int main(void) {
    path = temporary("weights.safetensors");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_a_file),
        cmocka_unit_test(not_aligned_in_the_file),
        cmocka_unit_test(before_and_in_part),
        cmocka_unit_test(what_replace_refuses),
        cmocka_unit_test(what_load_refuses),
        cmocka_unit_test(all_that_is_wrong),
        cmocka_unit_test(removed_while_mapped),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(changed_while_mapped),
        cmocka_unit_test(the_file_that_the_model_names),
        cmocka_unit_test(embedded),
        cmocka_unit_test(a_param_whose_size_is_a_dim),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    free(path);
    return failures;
}
