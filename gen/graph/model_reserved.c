/* model_reserved.c: names that a model cannot have, though they may stand in code.
 *
 * A model's name is also that of its header and of its CMake target. Its folder is where headers are looked for first,
 * before those of the system: a math.h of somebody's own there would be found by whatever includes <math.h>.
 */
#include "graph/model.h"

/* Parted by blanks. Of the C library, with what its headers include; of compilers; of CUDA, HIP and MUSA. */
static const char headers[] =
    " alloca assert byteswap complex ctype dirent dlfcn elf endian errno fcntl features fenv float getopt inttypes "
    "iso646 libintl limits link locale malloc math memory omp poll pthread sched semaphore setjmp signal stdalign "
    "stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings syscall syslimits "
    "tgmath threads time uchar unistd values version wchar wctype "
    "emmintrin immintrin mm_malloc mmintrin xmmintrin "
    "builtin_types channel_descriptor common_functions cuda cuda_bf16 cuda_fp16 cuda_runtime cuda_runtime_api "
    "device_types driver_types hip library_types math_constants math_functions mma musa nvrtc surface_types "
    "texture_types vector_functions vector_types ";

static const char targets[] =
    " ALL_BUILD INSTALL ZERO_CHECK all clean edit_cache help install preinstall rebuild_cache ";

static bool has(Model *model, const char *words, Str name) {
    return strstr(words, str_to_c(model->scratch, str_format(model->scratch, " %S ", name))) != NULL;
}

void model_check_name(Model *model, const Json *value) {
    Str name = value->as.s;
    Diag *diag = NULL;
    if (!is_identifier(name) || reserved_why(name) != NULL) return;
    if (has(model, headers, name))
        diag = model_error(model, value, E_BAD_NAME,
                           "a model %Q would have a header %S.h, and the system has one of that name", name, name);
    else if (has(model, targets, name))
        diag = model_error(model, value, E_BAD_NAME,
                           "a model %Q would be a CMake target of that name, which CMake keeps for itself", name);
    if (diag != NULL) diag_hint(model->diags, diag, "give the model another name");
}
