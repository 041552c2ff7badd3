/* progress.c: what a command says on the way: notes for who watches, and a line on a terminal that is written over.
 *
 * Programs that read standard error get findings alone, in the format that they asked for; so both are for terminals,
 * and notes for those who asked for them.
 */
#include "command/command.h"

#include "base/file.h"
#include "command/child.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_for_people(const Command *command) {
    return command->options.values[OPT_DIAGNOSTICS].choice == DIAG_TEXT;
}

void command_note(Command *command, const char *format, ...) {
    if (!is_for_people(command)) return;
    if (!command->options.values[OPT_VERBOSE].given && !isatty(STDERR_FILENO)) return;
    command_progress_end(command);
    Buf out;
    va_list args;
    buf_init(&out, command->arena);
    buf_add(&out, S("opgen: "));
    va_start(args, format);
    buf_vformat(&out, format, args);
    va_end(args);
    buf_char(&out, '\n');
    (void)file_write_all(STDERR_FILENO, buf_str(&out));
}

static bool is_drawable(const Command *command) {
    const char *terminal = getenv("TERM");
    return is_for_people(command) && isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

/* As much of the text as stands on one line of the terminal. */
static Str cut(Str text) {
    struct winsize window;
    size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1u : 79;
    size_t at = 0;
    unsigned size;
    for (size_t column = 0; at < text.n && column < width; column++, at += size)
        (void)str_decode(text.p + at, text.p + text.n, &size);
    return str_sub(text, 0, at);
}

void command_progress(Command *command, const char *format, ...) {
    if (!is_drawable(command)) return;
    Buf out;
    va_list args;
    buf_init(&out, command->arena);
    va_start(args, format);
    Str text = str_vformat(command->arena, format, args);
    va_end(args);
    buf_format(&out, "\r%S\x1b[K", cut(text));
    process_line(true);
    command->line_drawn = true;
    (void)file_write_all(STDERR_FILENO, buf_str(&out));
}

void command_progress_end(Command *command) {
    if (!command->line_drawn) return;
    command->line_drawn = false;
    (void)file_write_all(STDERR_FILENO, S("\r\x1b[K"));
    process_line(false);
}
