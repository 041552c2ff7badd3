/* command.c: reads the arguments of a compiler: which files it reads and writes, and whether nothing else.
 *
 * Every argument is part of the key as it stands; this is about files. What names one in a way that is not known here
 * makes the call one that is not kept. */
#include "remember.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What writes elsewhere than to -o, reads what is not told, or says something else each time. A star: what follows. */
static const char strange[] =
    "- -E -M -MM -MG -MJ* -v -### -Q -H -save-temps* --save-temps* -fprofile* -fauto-profile* --coverage "
    "-ftest-coverage -gsplit-dwarf -B* -specs* --specs* -fdump* -d* -wrapper -ftime* -fstack-usage "
    "-fcallgraph* -fplugin* -fsanitize-blacklist* -fsanitize-ignorelist* -flto* -fmodule* -include-pch "
    "-fpch* -Xlinker -Xassembler -Xpreprocessor -T* -Wp,* -Wa,* -fsave-opt* "
    "-foptimization-record* -fuse-ld* -print* --print* --version -dump* --help* -imacros* -iprefix* "
    "-iwith* -I- -rdynamic-list* -ccbin* -keep* --keep* -dc -dlink* -rdc* --resource-usage -time* "
    "--time* -odir* -t*";
/* The next argument belongs to these. */
static const char before[] = "-D -U -u -z -target --param -mllvm -arch -isysroot";

/* What clang's own option may pass on. */
static const char passed[] = "-disable-llvm-passes";

static bool matches(Str word, const char *patterns) {
    for (Str left = str_c(patterns); left.n > 0;) {
        size_t end = str_find_char(left, ' ');
        Str pattern = str_sub(left, 0, end == STR_NONE ? left.n : end);
        left = str_sub(left, end == STR_NONE ? left.n : end + 1, left.n);
        bool open = str_ends(pattern, S("*"));
        if (open ? str_starts(word, str_sub(pattern, 0, pattern.n - 1)) : str_eq(word, pattern)) return true;
    }
    return false;
}

static bool is_source(Str word) {
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".S", ".s", ".cu", ".hip", ".mu"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(word, str_c(ends[i]))) return true;
    return false;
}

static bool is_input(Str word) {
    return str_ends(word, S(".o")) || str_ends(word, S(".a")) || str_ends(word, S(".so")) ||
           str_find(word, S(".so.")) != STR_NONE;
}

/* A file of arguments: words between white space, with quotes and backslashes as a compiler reads them. */
static bool read_file_of_words(Command *command, Str name) {
    Str text;
    if (!file_bytes(command->arena, str_to_c(command->arena, name), &text)) return false;
    size_t at = 0;
    while (at < text.n) {
        Buf word;
        buf_init(&word, command->arena);
        char quote = 0;
        bool any = false;
        for (; at < text.n; at++) {
            char c = text.p[at];
            bool white = c == ' ' || c == '\n' || c == '\t' || c == '\r';
            if (white && quote == 0) {
                if (any) break;
                continue;
            }
            any = true;
            if (c == '\\' && at + 1 < text.n)
                buf_char(&word, text.p[++at]);
            else if (quote == 0 && (c == '"' || c == '\''))
                quote = c;
            else if (c == quote)
                quote = 0;
            else
                buf_char(&word, c);
        }
        if (quote != 0 || (word.n > 0 && word.p[0] == '@')) return false;
        if (any) *VEC_PUSH(command->arena, &command->words) = buf_str(&word);
    }
    return true;
}

static bool read_words(Command *command) {
    for (int i = 1; i < command->argc; i++) {
        Str word = str_c(command->argv[i]);
        if (!str_starts(word, S("@")))
            *VEC_PUSH(command->arena, &command->words) = word;
        else if (!read_file_of_words(command, str_sub(word, 1, word.n)))
            return false;
    }
    return true;
}

/* A program, and no script: what that would call nobody knows. */
static bool is_program(const char *path) {
    char head[4];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, head, sizeof head);
    close(fd);
    return n == 4 && memcmp(head, "\177ELF", 4) == 0;
}

/* An option whose value is its rest or, if that is empty, the next word. */
static bool valued(const Command *command, uint32_t *i, Str option, Str *value) {
    Str word = command->words.items[*i];
    if (!str_starts(word, option)) return false;
    *value = str_sub(word, option.n, word.n);
    if (value->n == 0 && *i + 1 < command->words.n) *value = command->words.items[++*i];
    return true;
}

/* False for what cannot be kept. */
static bool read_word(Command *command, uint32_t *i, bool *reads) {
    static const char *const folders[] = {"-isystem", "-iquote", "-idirafter", "-I"};
    Arena *arena = command->arena;
    Str word = command->words.items[*i], value;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        if (str_eq(word, S("-I-")) || !valued(command, i, str_c(folders[k]), &value)) continue;
        *VEC_PUSH(arena, &command->folders) = value;
        return value.n > 0;
    }
    if (str_eq(word, S("-o"))) return valued(command, i, word, &command->made);
    if (str_eq(word, S("-MF"))) return valued(command, i, word, &command->rules);
    if (valued(command, i, S("-x"), &value)) {
        command->language = !str_eq(value, S("none")); /* of every file that follows, whatever its name */
        return value.n > 0;
    }
    if (str_eq(word, S("-MT")) || str_eq(word, S("-MQ")) || str_eq(word, S("-include")) || matches(word, before))
        return ++*i < command->words.n;
    if (str_eq(word, S("-MD")) || str_eq(word, S("-MMD")) || str_eq(word, S("-MP"))) return true;
    if (str_eq(word, S("-Xclang"))) return ++*i < command->words.n && matches(command->words.items[*i], passed);
    if (matches(word, strange)) return false;
    if (str_starts(word, S("-fopt-info")) && str_find_char(word, '=') != STR_NONE) return false;
    if (str_find(word, S("/tmpxft_")) != STR_NONE) return false; /* of nvcc, another name each time */
    if (valued(command, i, S("-L"), &value)) {
        *VEC_PUSH(arena, &command->places) = value;
        return value.n > 0;
    }
    if (valued(command, i, S("-l"), &value)) {
        *VEC_PUSH(arena, &command->libs) = value;
        return value.n > 0;
    }
    if (str_starts(word, S("-Wl,-rpath,")) && str_find_char(str_sub(word, 11, word.n), ',') == STR_NONE) return true;
    if (str_starts(word, S("-Wl,")))
        return str_find(word, S("-Map")) == STR_NONE && str_find(word, S("script")) == STR_NONE &&
               str_find(word, S("-T")) == STR_NONE && str_find_char(word, '@') == STR_NONE &&
               str_find(word, S("list")) == STR_NONE && str_find(word, S("--dep")) == STR_NONE &&
               str_find(word, S("plugin")) == STR_NONE && str_find(word, S("-L")) == STR_NONE &&
               str_find(word, S("-l")) == STR_NONE && str_find(word, S("print")) == STR_NONE;
    if (str_eq(word, S("-c")) || str_eq(word, S("-S")) || str_eq(word, S("-fsyntax-only")) ||
        (command->cuda && str_eq(word, S("-cubin")))) {
        command->links = false;
        *reads = *reads || str_eq(word, S("-fsyntax-only"));
        return true;
    }
    if (str_starts(word, S("-"))) {
        bool debug = str_starts(word, S("-g")) && !str_eq(word, S("-g0")) && !str_starts(word, S("-gencode"));
        command->debug = command->debug || debug;
        command->native = command->native || str_find(word, S("native")) != STR_NONE;
        return true;
    }
    bool source = command->language || is_source(word);
    if (!source && !is_input(word)) return false;
    *VEC_PUSH(arena, source ? &command->sources : &command->inputs) = word;
    return true;
}

bool command_read(Command *command) {
    command->links = true;
    bool reads = false, wants_rules = false;
    const char *base = strrchr(command->compiler, '/');
    command->cuda = base != NULL && strcmp(base, "/nvcc") == 0;
    command->hip = base != NULL && strcmp(base, "/hipcc") == 0; /* a script, but one that is known */
    if ((!command->hip && !is_program(command->compiler)) || !read_words(command)) return false;
    for (uint32_t i = 0; i < command->words.n; i++) {
        Str word = command->words.items[i];
        wants_rules = wants_rules || str_eq(word, S("-MD")) || str_eq(word, S("-MMD"));
        if (!read_word(command, &i, &reads)) return false;
    }
    if (command->sources.n + command->inputs.n == 0) return false;
    if ((command->cuda || command->hip) && (command->links || command->sources.n != 1)) return false;
    /* Who names no file has its name made up by the compiler. */
    if (wants_rules != (command->rules.n > 0) || (wants_rules && command->sources.n != 1)) return false;
    if (reads == (command->made.n > 0)) return false;
    char folder[4096];
    if (getcwd(folder, sizeof folder) == NULL || strstr(folder, "/CMakeScratch/") != NULL) return false; /* the same */
    struct stat state;
    if (!reads && stat(str_to_c(command->arena, command->made), &state) == 0 && !S_ISREG(state.st_mode)) return false;
    return true;
}
