/* command.c: one run of opgen, from arguments to exit status.
 *
 * Commands add findings and return; here alone they are shown, at the end, in the format that was asked for. A
 * request for memory that cannot be met ends in the trap set here, wherever it was made; the message for it is
 * written without asking for more.
 */
#include "command/command.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <errno.h>

bool command_print(Command *command, Str text) {
    int error = file_write_all(STDOUT_FILENO, text);
    if (error == 0) return true;
    Diag *diag =
        diag_error(&command->diags, E_IO, span(NULL, 0, 0), "cannot write to standard output: %s", strerror(error));
    if (error == EPIPE) diag_hint(&command->diags, diag, "the program that reads it ended before it had everything");
    if (error == ENOSPC) diag_hint(&command->diags, diag, "what was written so far is incomplete");
    return false;
}

/* ---- help and completion ------------------------------------------------------------------------------------------
 */

/* How wide help is set: the terminal, COLUMNS where there is none, 80; within what can be read. */
static unsigned width_of_help(void) {
    enum { LEAST = 40, USUAL = 80, MOST = 100 };
    unsigned long width = USUAL;
    struct winsize window;
    const char *columns = getenv("COLUMNS");
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        width = window.ws_col;
    else if (columns != NULL && strtoul(columns, NULL, 10) > 0)
        width = strtoul(columns, NULL, 10);
    return width < LEAST ? LEAST : width > MOST ? MOST : (unsigned)width;
}

static void print_help(Command *command, CommandId about) {
    Buf out;
    buf_init(&out, command->arena);
    if (about == CMD_NONE)
        help_top(&out, width_of_help());
    else
        help_command(&out, about, width_of_help());
    command_print(command, buf_str(&out));
}

void command_help(Command *command) {
    const Options *options = &command->options;
    if (!options->values[OPT_MAN].given) {
        print_help(command, options->operand_count > 0 ? command_find(options->operands[0]) : CMD_NONE);
        return;
    }
    Buf out;
    buf_init(&out, command->arena);
    help_man(&out);
    command_print(command, buf_str(&out));
}

void command_completion(Command *command) {
    static void (*const writers[])(Buf *) = {completion_bash, completion_zsh, completion_fish};
    const char *shells = command_rows[CMD_COMPLETION].operands[0].values;
    Buf out;
    buf_init(&out, command->arena);
    uint32_t i = 0;
    while (!str_eq(option_choice(shells, i), command->options.operands[0]))
        i++;
    writers[i](&out);
    command_print(command, buf_str(&out));
}

/* ---- the run ------------------------------------------------------------------------------------------------------
 */

static bool wants_color(const Options *options, int stream) {
    enum { AUTO, ALWAYS, NEVER };
    if (options->values[OPT_COLOR].choice != AUTO) return options->values[OPT_COLOR].choice == ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(stream) && (no_color == NULL || *no_color == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

/* Formats for programs are one document in any case; people see something only when there is something. */
static void show_findings(Command *command) {
    DiagFormat format = (DiagFormat)command->options.values[OPT_DIAGNOSTICS].choice;
    if (command->diags.items.n == 0 && (format == DIAG_TEXT || format == DIAG_GITHUB)) return;
    Buf out;
    buf_init(&out, command->arena);
    diags_render(&command->diags, format, wants_color(&command->options, STDERR_FILENO), &out);
    (void)file_write_all(STDERR_FILENO, buf_str(&out)); /* there is nowhere left to say that this failed */
}

void command_print_findings(Command *command, Diags *diags) {
    DiagFormat format = (DiagFormat)command->options.values[OPT_DIAGNOSTICS].choice;
    if (diags->items.n == 0 && (format == DIAG_TEXT || format == DIAG_GITHUB)) return;
    Buf out;
    buf_init(&out, command->arena);
    diags_render(diags, format, wants_color(&command->options, STDOUT_FILENO), &out);
    command_print(command, buf_str(&out));
}

static void run_command(Command *command) {
    static void (*const commands[CMD_COUNT])(Command *) = {
        [CMD_COMPILE] = command_compile, [CMD_GENERATE] = command_generate, [CMD_CHECK] = command_check,
        [CMD_OUTPUTS] = command_outputs, [CMD_RUN] = command_run,           [CMD_VERIFY] = command_verify,
        [CMD_BENCH] = command_bench,     [CMD_GRAPH] = command_graph,       [CMD_LINT] = command_lint,
        [CMD_LIST] = command_list,       [CMD_SHOW] = command_show,         [CMD_RENDER] = command_render,
        [CMD_DOCTOR] = command_doctor,   [CMD_HELP] = command_help,         [CMD_COMPLETION] = command_completion};
    const Options *options = &command->options;
    if (options->values[OPT_HELP].given)
        print_help(command, options->command);
    else if (options->values[OPT_VERSION].given)
        command_print(command, S("opgen " OPGEN_VERSION "\n"));
    else
        commands[options->command](command);
}

static int run(Arena *arena, int argc, char **argv) {
    Command command = {.arena = arena};
    diags_init(&command.diags, arena);
    bool understood = options_parse(arena, argc, argv, &command.options, &command.diags);
    const OptionValue *values = command.options.values;
    if (understood && command.options.command == CMD_NONE && !values[OPT_HELP].given && !values[OPT_VERSION].given) {
        Buf out;
        buf_init(&out, arena);
        help_short(&out);
        (void)file_write_all(STDERR_FILENO, buf_str(&out));
        return STATUS_CANNOT;
    }
    if (understood) run_command(&command);
    show_findings(&command);
    if (command.diags.errors > 0) return STATUS_CANNOT;
    return command.negative ? STATUS_NEGATIVE : STATUS_DONE;
}

/* In a function of its own, so that nothing it changes lies in a register of the one that set the trap. */
static int report_failure(const MemTrap *trap) {
    char line[96];
    int n;
    if (trap->why == MEM_THROWN) {
        n = snprintf(line, sizeof line, "opgen: an error was left without a report; this is a bug in opgen\n");
    } else {
        n = snprintf(line, sizeof line, "opgen: error[E%03d]: out of memory (%zu bytes wanted)\n", E_MEMORY,
                     trap->wanted);
    }
    (void)file_write_all(STDERR_FILENO, str(line, (size_t)n));
    return trap->why == MEM_THROWN ? STATUS_BUG : STATUS_CANNOT;
}

int command_main(int argc, char **argv) {
    Arena arena;
    MemTrap trap;
    arena_init(&arena);
    if (MEM_TRAP(&trap)) {
        int status = report_failure(&trap);
        arena_free(&arena);
        return status;
    }
    int status = run(&arena, argc, argv);
    mem_untrap(&trap);
    arena_free(&arena);
    return status;
}
