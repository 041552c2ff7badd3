/* test_safetensors.c: headers of safetensors files: what is right is read as it is, and of what is wrong each kind is
 * refused with a text that says so; then every byte of a good file set to every value. */
#include "model.h"

#include "opgen_safetensors.h"

#include <cmocka.h>

static int parse(const char *header, size_t data_size, OpgenSafetensors *file) {
    size_t size;
    static const char data[4096];
    unsigned char *bytes = stored(header, data, data_size, &size);
    int status = opgen_safetensors_parse("some.safetensors", bytes, size, size, NULL, file);
    free(bytes);
    return status;
}

static void good_headers(void **state) {
    (void)state;
    OpgenSafetensors file;
    assert_int_equal(parse("{}", 0, &file), OPGEN_OK);
    assert_int_equal(file.count, 0);
    assert_null(opgen_safetensors_find(&file, ""));
    opgen_safetensors_free(&file);
    /* The order of tensors, of keys and of bytes are three; blanks where JSON has them, and at the end. */
    const char *header = "{ \"__metadata__\" : {\"a\":\"\\\"{\", \"b\" : \"\"} ,\n\"z\":{\"shape\":[2, "
                         "3],\"data_offsets\":[4,10],\"dtype\":\"U8\"},"
                         "\"a\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[0,4]},\"m\":{\"dtype\":\"F64\","
                         "\"shape\":[5,0],\"data_offsets\":[4,4]},"
                         "\"n\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[10,11]}}   ";
    assert_int_equal(parse(header, 11, &file), OPGEN_OK);
    assert_int_equal(file.count, 4);
    const OpgenStored *z = opgen_safetensors_find(&file, "z"), *a = opgen_safetensors_find(&file, "a");
    assert_int_equal(z->dtype, OPGEN_U8);
    assert_int_equal(z->rank, 2);
    assert_int_equal(z->shape[0], 2);
    assert_int_equal(z->shape[1], 3);
    assert_int_equal(z->begin, 8 + strlen(header) + 4);
    assert_int_equal(z->size, 6);
    assert_int_equal(a->rank, 0);
    assert_int_equal(a->dtype, OPGEN_I32);
    assert_int_equal(opgen_safetensors_find(&file, "n")->dtype, -1);
    assert_string_equal(opgen_safetensors_find(&file, "n")->dtype_text, "F4");
    assert_null(opgen_safetensors_find(&file, "b"));
    opgen_safetensors_free(&file);
    opgen_safetensors_free(&file); /* is empty now */
}

static void names_with_escapes(void **state) {
    (void)state;
    static const struct {
        const char *written, *name;
    } cases[] = {
        {"", ""},
        {"a.b/c d", "a.b/c d"},
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
        {"\\u0041\\u00e9\\u20AC\\ud83d\\ude00", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\x9f\xbf\xf4\x8f\xbf\xbf",
         "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\x9f\xbf\xf4\x8f\xbf\xbf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[300];
        OpgenSafetensors file;
        snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
                 cases[i].written);
        if (parse(header, 1, &file)) fail_msg("%s", opgen_last_error());
        assert_string_equal(file.tensors[0].name, cases[i].name);
        assert_non_null(opgen_safetensors_find(&file, cases[i].name));
        opgen_safetensors_free(&file);
    }
}

#define ONE(text) "{\"a\":{" text "}}"
#define U8 "\"dtype\":\"U8\""

static void bad_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t data;
        const char *wanted;
    } cases[] = {
        {"", 0, "byte 8: bad safetensors header: it does not begin with \"{\""},
        {" {}", 0, "does not begin with \"{\""},
        {"[]", 0, "does not begin with \"{\""},
        {"{", 0, "byte 9: bad safetensors header: wanted \"\"\", but it ends here"},
        {"{}x", 0, "text after the closing brace"},
        {"{}{}", 0, "text after the closing brace"},
        {"{,}", 0, "wanted \"\"\""},
        {"{\"a\"}", 0, "wanted \":\" here"},
        {"{\"a\":1}", 0, "wanted \"{\" here"},
        {"{\"a\":null}", 0, "wanted \"{\" here"},
        {"{a:1}", 0, "wanted \"\"\" here"},
        {"{'a':1}", 0, "wanted \"\"\" here"},
        {"{\"a", 0, "a string that does not end"},
        {"{\"a\n\":1}", 0, "a control character"},
        {"{\"\\x\":1}", 0, "no such escape"},
        {"{\"\\", 0, "no such escape"},
        {"{\"\\u12g4\":1}", 0, "four hex digits"},
        {"{\"\\u12", 0, "four hex digits"},
        {"{\"\\u0000\":1}", 0, "a NUL"},
        {"{\"\\ud800\":1}", 0, "half a surrogate pair"},
        {"{\"\\ud800\\u0041\":1}", 0, "half a surrogate pair"},
        {"{\"\\udc00\":1}", 0, "half a surrogate pair"},
        {"{\"\x80\":1}", 0, "not UTF-8"},
        {"{\"\xc0\x80\":1}", 0, "not UTF-8"},
        {"{\"\xe0\x80\x80\":1}", 0, "not UTF-8"},
        {"{\"\xed\xa0\x80\":1}", 0, "not UTF-8"},
        {"{\"\xf0\x80\x80\x80\":1}", 0, "not UTF-8"},
        {"{\"\xf4\x90\x80\x80\":1}", 0, "not UTF-8"},
        {"{\"\xff\":1}", 0, "not UTF-8"},
        {"{\"\xe2\x82", 0, "not UTF-8"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "wanted \"\"\" here"},
        {"{\"__metadata__\":{\"a\":\"b\",}}", 0, "wanted \"\"\" here"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "\"__metadata__\" is there twice"},
        {"{\"__metadata__\":{},}", 0, "wanted \"\"\" here"},
        {ONE(""), 0, "wanted \"\"\" here"},
        {ONE("\"shape\":[],\"data_offsets\":[0,1]"), 1, "tensor \"a\" has no dtype"},
        {ONE(U8 ",\"data_offsets\":[0,1]"), 1, "has no shape"},
        {ONE(U8 ",\"shape\":[]"), 1, "has no data_offsets"},
        {ONE(U8 "," U8), 1, "\"dtype\" is there twice"},
        {ONE("\"Dtype\":\"U8\""), 1, "\"Dtype\" is not of the format"},
        {ONE("\"dtype\":\"u8\""), 1, "there is no dtype \"u8\""},
        {ONE("\"dtype\":8"), 1, "wanted \"\"\" here"},
        {ONE("\"shape\":1"), 1, "wanted \"[\" here"},
        {ONE("\"shape\":[1"), 1, "wanted \"]\" here"},
        {ONE("\"shape\":[1,]"), 1, "wanted an integer"},
        {ONE("\"shape\":[-1]"), 1, "not negative"},
        {ONE("\"shape\":[01]"), 1, "leading 0"},
        {ONE("\"shape\":[1.0]"), 1, "a fraction"},
        {ONE("\"shape\":[1e3]"), 1, "a fraction"},
        {ONE("\"shape\":[\"1\"]"), 1, "wanted an integer"},
        {ONE("\"shape\":[[1]]"), 1, "wanted an integer"},
        {ONE("\"shape\":[9223372036854775808]"), 1, "beyond 2^63 - 1"},
        {ONE("\"shape\":[99999999999999999999999999]"), 1, "beyond 2^63 - 1"},
        {ONE(U8 ",\"shape\":[9223372036854775807,2],\"data_offsets\":[0,1]"), 1, "too large for 64 bits"},
        {ONE("\"data_offsets\":[0]"), 1, "wanted \",\" here"},
        {ONE("\"data_offsets\":[0,1,2]"), 1, "wanted \"]\" here"},
        {ONE("\"data_offsets\":[1,0]"), 1, "end before they begin"},
        {ONE(U8 ",\"shape\":[2],\"data_offsets\":[0,2]"), 1, "tensor \"a\" ends at byte 2 of the data, which has 1"},
        {ONE(U8 ",\"shape\":[1],\"data_offsets\":[9223372036854775806,9223372036854775807]"), 1,
         "ends at byte 9223372036854775807"},
        {ONE(U8 ",\"shape\":[2],\"data_offsets\":[0,1]"), 1, "U8 (2,) takes 2 bytes, and its data_offsets have 1"},
        {ONE("\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,1]"), 1, "F32 () takes 4 bytes"},
        {ONE("\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,1]"), 1, "F4 (3,) takes 2 bytes"},
        {ONE(U8 ",\"shape\":[1],\"data_offsets\":[0,1]"), 2,
         "end at byte 1 of the data, which has 2: bytes that no tensor has"},
        {ONE(U8 ",\"shape\":[1],\"data_offsets\":[1,2]"), 2,
         "\"a\" begins at byte 1 of the data, and what is before it ends at 0: there is a hole"},
        {"{\"a\":{" U8 ",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{" U8 ",\"shape\":[2],\"data_offsets\":[1,3]}}", 3,
         "they overlap"},
        {"{\"a\":{" U8 ",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{" U8 ",\"shape\":[2],\"data_offsets\":[0,2]}}", 2,
         "they overlap"},
        {"{\"a\":{" U8 ",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{" U8 ",\"shape\":[1],\"data_offsets\":[1,2]}}", 2,
         "\"a\" is there twice"},
        {"{\"a\":{" U8 ",\"shape\":[1],\"data_offsets\":[0,1]},\"\\u0061\":{" U8
         ",\"shape\":[1],\"data_offsets\":[1,2]}}",
         2, "\"a\" is there twice"},
        {"{\"a\":{" U8 ",\"shape\":[1],\"data_offsets\":[0,1]}", 1, "wanted \"}\", but it ends here"},
        {"{\"a\":{" U8 ",\"shape\":[1],\"data_offsets\":[0,1]}]", 1, "wanted \"}\" here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OpgenSafetensors file;
        int status = parse(cases[i].header, cases[i].data, &file);
        if (status != OPGEN_BAD_FORMAT || !strstr(opgen_last_error(), cases[i].wanted) ||
            !strstr(opgen_last_error(), "some.safetensors: "))
            fail_msg("%s: status %d: %s (wanted: %s)", cases[i].header, status, opgen_last_error(), cases[i].wanted);
        assert_null(file.tensors);
    }
    char many[400] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1";
    for (int i = 0; i < 64; i++)
        strcat(many, ",1");
    OpgenSafetensors file;
    assert_int_equal(parse(many, 1, &file), OPGEN_BAD_FORMAT);
    assert_non_null(strstr(opgen_last_error(), "more than 64 axes"));
}

static void lengths_that_lie(void **state) {
    (void)state;
    OpgenSafetensors file;
    unsigned char bytes[16] = {2, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
    for (size_t size = 0; size < 10; size++)
        assert_int_equal(opgen_safetensors_parse("x", bytes, size, size, NULL, &file), OPGEN_BAD_FORMAT);
    assert_int_equal(opgen_safetensors_parse("x", bytes, 10, 10, NULL, &file), OPGEN_OK);
    opgen_safetensors_free(&file);
    static const uint64_t lengths[] = {
        0, 1, 3, 100000000, 100000001, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 8, UINT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memcpy(bytes, &lengths[i], 8);
        assert_int_equal(opgen_safetensors_parse("x", bytes, 10, 10, NULL, &file), OPGEN_BAD_FORMAT);
    }
    /* A file that is large enough, so that only the limit is in the way; no such memory is asked for. */
    memcpy(bytes, &lengths[4], 8);
    assert_int_equal(opgen_safetensors_parse("x", bytes, 10, INT64_MAX, NULL, &file), OPGEN_BAD_FORMAT);
    assert_non_null(strstr(opgen_last_error(), "at most 100,000,000"));
}

/* 256 values at each place: it ends in a table or in a text, and the table is inside of the file. */
static void every_byte_every_value(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = stored("{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},\"b\":{\"dtype\":"
                                  "\"I8\",\"shape\":[2,2],\"data_offsets\":[16,20]}}",
                                  "01234567890123456789", 20, &size);
    size_t good = 0;
    for (size_t i = 0; i < size - 20; i++) {
        unsigned char kept = bytes[i];
        for (int value = 0; value < 256; value++) {
            bytes[i] = (unsigned char)value;
            OpgenSafetensors file;
            int status = opgen_safetensors_parse("x", bytes, size, size, NULL, &file);
            if (status) {
                assert_int_equal(status, OPGEN_BAD_FORMAT);
                continue;
            }
            good++;
            assert_int_equal(file.count, 2);
            for (int k = 0; k < 2; k++)
                assert_true(file.tensors[k].begin <= size && file.tensors[k].size <= size - file.tensors[k].begin);
            opgen_safetensors_free(&file);
        }
        bytes[i] = kept;
    }
    assert_true(good >= size - 20); /* at least when the value was the right one */
    free(bytes);
}

/* Ten thousand tensors: neither reading nor looking for each is quadratic. */
static void many_tensors(void **state) {
    (void)state;
    enum { MANY = 10000 };
    char *header = malloc(MANY * 100), *at = header, name[32];
    for (int i = 0; i < MANY; i++) {
        at += sprintf(at, "%c\"layer.%d.weight\":{\"dtype\":\"I16\",\"shape\":[1,1,1],\"data_offsets\":[%d,%d]}",
                      i == 0 ? '{' : ',', i, 2 * i, 2 * i + 2);
    }
    strcpy(at, "}");
    size_t size;
    void *data = calloc(MANY, 2);
    unsigned char *bytes = stored(header, data, MANY * 2, &size);
    OpgenSafetensors file;
    assert_int_equal(opgen_safetensors_parse("x", bytes, size, size, NULL, &file), OPGEN_OK);
    assert_int_equal(file.count, MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "layer.%d.weight", i);
        const OpgenStored *found = opgen_safetensors_find(&file, name);
        assert_non_null(found);
        assert_int_equal(found->begin, 8 + strlen(header) + 2 * (size_t)i);
        assert_int_equal(found->shape[2], 1);
    }
    opgen_safetensors_free(&file);
    free(bytes);
    free(data);
    free(header);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_headers),     cmocka_unit_test(names_with_escapes),     cmocka_unit_test(bad_headers),
        cmocka_unit_test(lengths_that_lie), cmocka_unit_test(every_byte_every_value), cmocka_unit_test(many_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
