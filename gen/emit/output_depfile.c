/* output_depfile.c: what a build has to know of a run: the rule for Make and Ninja, and the stamp.
 *
 * The syntax is Make's, and Ninja reads most of it the same way. Written is what both read as the name that was meant:
 * `\ ` for a blank (backslashes before it doubled), `\#`, `\:`, `$$`. A name that Make would take for something else,
 * without a word, is an error. So is not what only Ninja stumbles over (older ones over quotes, for example): it says
 * so, or builds again each time.
 */
#include "emit/output_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the depfile --------------------------------------------------------------------------------------------------
 */

/* .PHONY and the like: a rule for it is something else. */
static bool is_special(Str name) {
    return name.n > 1 && name.p[0] == '.' && name.p[1] >= 'A' && name.p[1] <= 'Z' &&
           str_find_char(name, '/') == STR_NONE;
}

/* Why Make would not understand the name; NULL if it would. */
static const char *trouble(Str name, bool target) {
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i], next = i + 1 < name.n ? name.p[i + 1] : '\0';
        if ((unsigned char)c < ' ' || c == 0x7f) return "a control character";
        if (c == ';') return "a semicolon";
        if (c == '=') return "an equals sign";
        if (c == '|') return "a bar";
        if (c == '%' && target) return "a percent sign";
        if (c == '\\' && (next == '#' || next == ':' || next == '\0')) return "a backslash there";
    }
    if (name.n == 0) return "no letter";
    if (target && is_special(name)) return "a form that Make keeps for itself";
    if (name.p[name.n - 1] == ' ') return "a blank at its end";
    if (name.p[name.n - 1] == ')' && str_find_char(name, '(') != STR_NONE) return "parentheses at its end";
    return NULL;
}

static void add_name(Buf *out, Str name) {
    size_t backslashes = 0; /* in a row, right here */
    /* What Make reads as somebody's home, or as a word of its language. */
    if (name.p[0] == '~' || str_eq(name, S("define"))) buf_add(out, S("./"));
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (c == ' ') buf_fill(out, '\\', backslashes + 1);
        if (c == '#' || c == ':') buf_char(out, '\\');
        if (c == '$') buf_char(out, '$');
        buf_char(out, c);
        backslashes = c == '\\' ? backslashes + 1 : 0;
    }
}

static bool are_good(const Str *names, uint32_t n, bool targets, Diags *diags) {
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        const char *why = trouble(names[i], targets);
        if (why == NULL) continue;
        Diag *diag = diag_error(diags, E_IO, NOWHERE,
                                "cannot name %Q in a depfile: it has %s, and Make would misread it", names[i], why);
        diag_hint(diags, diag, "rename it, or its folder");
        good = false;
    }
    return good;
}

bool output_depfile(Arena *arena, const Str *targets, uint32_t target_count, const Str *inputs, uint32_t input_count,
                    bool phony, Diags *diags, Str *text) {
    bool good = are_good(targets, target_count, true, diags);
    good = are_good(inputs, input_count, phony, diags) && good;
    if (!good) return false;
    Buf out, rules;
    buf_init(&out, arena);
    buf_init(&rules, arena);
    Names seen; /* what is made is not needed for itself, and what was read twice is one */
    names_init(&seen, arena);
    for (uint32_t i = 0; i < target_count; i++) {
        if (names_find(&seen, targets[i]) != NULL) continue;
        names_get(&seen, targets[i]);
        if (i > 0) buf_char(&out, ' ');
        add_name(&out, targets[i]);
    }
    buf_char(&out, ':');
    for (uint32_t i = 0; i < input_count; i++) {
        if (names_find(&seen, inputs[i]) != NULL) continue;
        names_get(&seen, inputs[i]);
        buf_add(&out, S(" \\\n  "));
        add_name(&out, inputs[i]);
        buf_char(&rules, '\n');
        add_name(&rules, inputs[i]);
        buf_add(&rules, S(":\n"));
    }
    buf_char(&out, '\n');
    if (phony) buf_add(&out, buf_str(&rules));
    *text = buf_str(&out);
    return true;
}

/* ---- the stamp ----------------------------------------------------------------------------------------------------
 */

static int touch(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0) return errno == EACCES && utimensat(AT_FDCWD, path, NULL, 0) == 0 ? 0 : errno; /* read-only, but ours */
    int error = futimens(fd, NULL) != 0 ? errno : 0;
    if (close(fd) != 0 && error == 0) error = errno;
    return error;
}

bool output_stamp(Arena *arena, Str path, Diags *diags) {
    int error = str_find_char(path, '\0') != STR_NONE ? EINVAL : 0;
    Str above = path;
    while (above.n > 0 && above.p[above.n - 1] != '/')
        above.n--;
    const char *folder_c = str_to_c(arena, above), *path_c = str_to_c(arena, path);
    if (error == 0 && above.n > 0) {
        int folder = target_open(folder_c, true);
        if (folder < 0 && errno != EACCES) error = errno;
        if (folder >= 0) close(folder);
    }
    if (error == 0) error = touch(path_c);
    if (error != 0) diag_error(diags, E_IO, NOWHERE, "cannot touch the stamp %Q: %s", path, strerror(error));
    return error == 0;
}
