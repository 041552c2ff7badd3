/* reserved.c: names that cannot stand in generated code, in one table for opdefs and models alike.
 *
 * Names of operators, inputs, attributes and dims become names of parameters and variables of C, C++, CUDA, HIP and
 * MUSA sources. What would not compile there, or would mean something else, is refused where it is written, and told
 * with its reason. Names that PyTorch's operators have (min, max, input, index) are free: generated code does not spell
 * attributes as bare names.
 */
#include "op/opdef_inner.h"

typedef struct Group {
    const char *words; /* parted by blanks */
    const char *why;
} Group;

static const Group groups[] = {
    {"_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local asm auto "
     "break case "
     "char const constexpr continue default do double else enum extern float for fortran goto if inline int long "
     "nullptr "
     "register restrict return short signed sizeof static struct switch typedef typeof typeof_unqual union unsigned "
     "void "
     "volatile while",
     "a keyword of C"},
    {"alignas alignof and and_eq bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield "
     "compl "
     "concept const_cast consteval constinit decltype delete dynamic_cast explicit export false final friend import "
     "module "
     "mutable namespace new noexcept not not_eq operator or or_eq override private protected public reinterpret_cast "
     "requires "
     "static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor "
     "xor_eq",
     "a keyword of C++"},
    {"blockDim blockIdx cluster_dims dim3 gridDim half half2 nv_bfloat16 threadIdx warpSize",
     "a word of CUDA, HIP and MUSA"},
    {"CHAR_BIT DBL_MAX EOF FLT_EPSILON FLT_MAX HUGE_VAL HUGE_VALF I INFINITY INT16_MAX INT16_MIN INT32_MAX INT32_MIN "
     "INT64_C INT64_MAX INT64_MIN INT8_MAX INT8_MIN INT_MAX INT_MIN M_E M_PI NAN NULL SIZE_MAX UINT64_C UINT64_MAX "
     "assert complex errno imaginary linux offsetof omp_get_num_threads setjmp stderr stdin stdout unix va_arg va_end "
     "va_list va_start",
     "a macro of the C library"},
    {"int16_t int32_t int64_t int8_t intptr_t main ptrdiff_t size_t ssize_t uint16_t uint32_t uint64_t uint8_t "
     "uintptr_t",
     "a name of the C library"},
    {"False None True in is none", "a word of the expression language"},
};

enum { MARKS = 4096 };

/* Where a word is marked: by how it begins and ends, and its length. */
static uint32_t mark_of(const char *p, size_t n) {
    return ((uint32_t)(unsigned char)p[0] * 331u + (uint32_t)(unsigned char)p[n - 1] * 37u + (uint32_t)n) % MARKS;
}

/* A bit for each word of the lists above, made when they are first needed: most names are none of them, and are asked
 * for often. */
static const uint64_t *marks(void) {
    static uint64_t bits[MARKS / 64];
    static bool made;
    if (made) return bits;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const char *p = groups[i].words;
        while (*p != '\0') {
            size_t n = strcspn(p, " ");
            bits[mark_of(p, n) / 64] |= UINT64_C(1) << mark_of(p, n) % 64;
            p += n + strspn(p + n, " ");
        }
    }
    made = true;
    return bits;
}

static bool may_be_listed(Str name) {
    return name.n > 0 && (marks()[mark_of(name.p, name.n) / 64] >> mark_of(name.p, name.n) % 64 & 1) != 0;
}

const char *reserved_why(Str name) {
    for (size_t i = 0; may_be_listed(name) && i < sizeof groups / sizeof *groups; i++) {
        if (op_list_has(groups[i].words, name)) return groups[i].why;
    }
    if (str_starts(name, S("opgen")) || str_starts(name, S("OPGEN"))) return "kept for opgen's own names";
    return NULL;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_identifier(Str name) {
    if (name.n == 0 || !is_letter(name.p[0])) return false;
    for (size_t i = 1; i < name.n; i++) {
        char c = name.p[i];
        if (!is_letter(c) && c != '_' && (c < '0' || c > '9')) return false;
        if (c == '_' && name.p[i - 1] == '_') return false;
    }
    return true;
}
