/* fuzz_render.c: options, template and data out of one input: a byte whose bits are the options, the template, a NUL
 * byte, the data as JSON. seeds.py writes such inputs from the fixtures. */
#include "fuzz_engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return -1;
    Str text = str((const char *)data + 1, size - 1), json = S("");
    const char *end = memchr(text.p, 0, text.n);
    if (end != NULL) {
        json = str(end + 1, text.n - (size_t)(end - text.p) - 1);
        text.n = (size_t)(end - text.p);
    }
    if (!is_text(text) || !is_text(json)) return -1;
    EngineOptions options = small_limits();
    options.syntax.trim_blocks = (data[0] & 1) != 0;
    options.syntax.lstrip_blocks = (data[0] & 2) != 0;
    options.syntax.keep_trailing_newline = (data[0] & 4) != 0;
    options.autoescape = (data[0] & 8) != 0;
    options.undefined = (UndefinedMode)((data[0] >> 4) % 3);
    compile_and_render(&options, text, json);
    return 0;
}
