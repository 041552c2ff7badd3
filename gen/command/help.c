/* help.c: the table of options as text for people: --help on a terminal, and the manual page.
 *
 * Two columns, as wide as the terminal allows up to 100: what is typed, and what it does, wrapped at words. The
 * manual page is roff in the man macros and says the same, because it is made from the same rows.
 */
#include "command/options.h"

#define INDENT 2
#define LEFT_MOST 30 /* a left column wider than this puts its text on the next line */

/* ---- pieces that both share ---------------------------------------------------------------------------------------
 */

/* "-I, --include=DIR", with the letter's place left free where there is none; "-MF FILE". */
static Str option_label(Arena *arena, const OptionRow *row) {
    if (row->one_dash)
        return str_format(arena, "-%s%s%s", row->name, row->takes == TAKES_NONE ? "" : " ",
                          row->takes == TAKES_NONE ? "" : row->argument);
    Str letter = row->letter != 0 ? str_format(arena, "-%c, ", row->letter) : S("    ");
    if (row->takes == TAKES_NONE) return str_format(arena, "%S--%s", letter, row->name);
    return str_format(arena, "%S--%s=%s", letter, row->name, row->argument);
}

/* What the help says of an option: its sentence, its values where they are few words, its default. */
static Str option_text(Arena *arena, const OptionRow *row) {
    Buf out;
    buf_init(&out, arena);
    buf_add(&out, str_c(row->help));
    if (row->values != NULL) {
        buf_add(&out, S("; one of "));
        for (uint32_t i = 0; option_choice(row->values, i).n != 0; i++) {
            if (i > 0) buf_add(&out, S(", "));
            buf_add(&out, option_choice(row->values, i));
        }
    }
    if (row->initial != NULL) buf_format(&out, " [%s]", row->initial);
    return buf_str(&out);
}

static Str synopsis(Arena *arena, CommandId command) {
    const CommandRow *row = &command_rows[command];
    Buf out;
    buf_init(&out, arena);
    buf_format(&out, "opgen %s", row->name);
    for (const OperandRow *operand = row->operands; operand->name != NULL; operand++) {
        buf_format(&out, operand->optional ? " [%s]" : " %s", operand->name);
        if (operand->repeats) buf_add(&out, S("..."));
    }
    buf_add(&out, S(" [OPTION]..."));
    return buf_str(&out);
}

/* ---- --help -------------------------------------------------------------------------------------------------------
 */

/* Text wrapped at blanks between two margins; the pen stands at column `at`. Ends its line. */
static void wrap(Buf *out, Str text, unsigned left, unsigned width, unsigned at) {
    bool first = true;
    while (text.n > 0) {
        size_t blank = str_find_char(text, ' ');
        Str word = blank == STR_NONE ? text : str_sub(text, 0, blank);
        text = blank == STR_NONE ? (Str){0} : str_sub(text, blank + 1, text.n);
        if (!first && at + 1 + word.n > width) {
            buf_char(out, '\n');
            first = true;
            at = 0;
        }
        if (first && at < left) {
            buf_fill(out, ' ', left - at);
            at = left;
        }
        if (!first) buf_char(out, ' '), at++;
        buf_add(out, word);
        at += (unsigned)word.n;
        first = false;
    }
    buf_char(out, '\n');
}

typedef struct Column {
    unsigned left, width;
} Column;

static void row_out(Buf *out, Column column, Str label, Str text) {
    buf_fill(out, ' ', INDENT);
    buf_add(out, label);
    unsigned at = INDENT + (unsigned)label.n;
    if (at + 2 > column.left) {
        buf_char(out, '\n');
        at = 0;
    }
    wrap(out, text, column.left, column.width, at);
}

/* Where the second column begins, so that one help text has one edge. */
static unsigned left_of(unsigned longest, unsigned width) {
    unsigned most = width / 2 < LEFT_MOST ? width / 2 : LEFT_MOST;
    return INDENT + (longest < most ? longest : most) + 2;
}

static bool shown_for(OptionId option, CommandId command, bool global) {
    if (option_rows[option].commands == OPTION_GLOBAL) return global;
    return !global && command != CMD_NONE && option_is_for(option, command);
}

static void options_out(Buf *out, Column column, CommandId command, bool global, const char *title) {
    bool any = false;
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!shown_for((OptionId)i, command, global)) continue;
        if (!any) buf_format(out, "\n%s:\n", title);
        any = true;
        row_out(out, column, option_label(out->arena, &option_rows[i]), option_text(out->arena, &option_rows[i]));
    }
}

static unsigned longest_option(Arena *arena, CommandId command) {
    unsigned longest = 0;
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!option_is_for((OptionId)i, command)) continue;
        unsigned n = (unsigned)option_label(arena, &option_rows[i]).n;
        if (n > longest) longest = n;
    }
    return longest;
}

void help_short(Buf *out) {
    buf_format(out, "%s.\n\nUsage: opgen COMMAND [ARGUMENT]... [OPTION]...\nCommands:", opgen_summary);
    for (int i = 0; i < CMD_COUNT; i++)
        buf_format(out, "%s %s", i > 0 ? "," : "", command_rows[i].name);
    buf_add(out, S("\nFor more: opgen --help, opgen help COMMAND\n"));
}

void help_top(Buf *out, unsigned width) {
    Column column = {left_of(longest_option(out->arena, CMD_NONE), width), width};
    wrap(out, str_format(out->arena, "%s.", opgen_summary), 0, width, 0);
    buf_add(out, S("\nUsage: opgen COMMAND [ARGUMENT]... [OPTION]...\n\nCommands:\n"));
    for (int i = 0; i < CMD_COUNT; i++)
        row_out(out, column, str_c(command_rows[i].name), str_c(command_rows[i].summary));
    options_out(out, column, CMD_NONE, true, "Options of every command");
    buf_add(out, S("\nopgen help COMMAND explains one command.\n"));
}

void help_command(Buf *out, CommandId command, unsigned width) {
    const CommandRow *row = &command_rows[command];
    Column column = {left_of(longest_option(out->arena, command), width), width};
    buf_format(out, "Usage: %S\n\n", synopsis(out->arena, command));
    wrap(out, str_c(row->text), 0, width, 0);
    if (row->operands[0].name != NULL) buf_add(out, S("\nArguments:\n"));
    for (const OperandRow *operand = row->operands; operand->name != NULL; operand++) {
        row_out(out, column, str_c(operand->name), str_c(operand->help));
    }
    options_out(out, column, command, false, "Options");
    options_out(out, column, command, true, "Options of every command");
    buf_format(out, "\nExample:\n  %s\n", row->example);
}

/* ---- the manual page ----------------------------------------------------------------------------------------------
 */

/* Text that roff shall not read: backslashes, hyphens that are typed, and a full stop or quote that begins a line. */
static void roff(Buf *out, Str text) {
    if (text.n > 0 && (text.p[0] == '.' || text.p[0] == '\'')) buf_add(out, S("\\&"));
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\\')
            buf_add(out, S("\\e"));
        else if (c == '-')
            buf_add(out, S("\\-"));
        else if (c == '"')
            buf_add(out, S("\\(dq"));
        else
            buf_char(out, c);
    }
}

static void roff_entry(Buf *out, Str label, Str text) {
    buf_add(out, S(".TP\n.B "));
    roff(out, str_trim(label));
    buf_char(out, '\n');
    roff(out, text);
    buf_add(out, S(".\n"));
}

static void roff_options(Buf *out, CommandId command, bool global) {
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!shown_for((OptionId)i, command, global)) continue;
        roff_entry(out, option_label(out->arena, &option_rows[i]), option_text(out->arena, &option_rows[i]));
    }
}

static void roff_command(Buf *out, CommandId command) {
    const CommandRow *row = &command_rows[command];
    buf_format(out, ".SS %s\n.B ", row->name);
    roff(out, synopsis(out->arena, command));
    buf_add(out, S("\n.PP\n"));
    roff(out, str_c(row->text));
    buf_char(out, '\n');
    for (const OperandRow *operand = row->operands; operand->name != NULL; operand++) {
        roff_entry(out, str_c(operand->name), str_c(operand->help));
    }
    roff_options(out, command, false);
    buf_add(out, S(".PP\nExample:\n.PP\n.RS 4\n.nf\n"));
    roff(out, str_c(row->example));
    buf_add(out, S("\n.fi\n.RE\n"));
}

static const struct {
    const char *code, *text;
} exit_rows[] = {
    {"0", "Done"},
    {"1", "A negative verdict: what was checked has an error, is not up to date, or differs"},
    {"2", "It could not be done: bad input, a wrong command line, a file that cannot be read or written, a compiler "
          "that failed"},
    {"70", "An error in opgen itself"},
    {"130", "Interrupted"},
};

void help_man(Buf *out) {
    buf_format(out, ".TH OPGEN 1 \"\" \"opgen %s\" \"User commands\"\n.SH NAME\nopgen \\- ", OPGEN_VERSION);
    roff(out, str_sub(str_c(opgen_summary), sizeof "opgen " - 1, strlen(opgen_summary)));
    buf_add(out, S("\n.SH SYNOPSIS\n.B opgen\n.I COMMAND\n[\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n.SH COMMANDS\n"));
    for (int i = 0; i < CMD_COUNT; i++)
        roff_command(out, (CommandId)i);
    buf_add(out, S(".SH OPTIONS\nThese are taken by every command.\n"));
    roff_options(out, CMD_NONE, true);
    buf_add(out, S(".SH EXIT STATUS\n"));
    for (size_t i = 0; i < sizeof exit_rows / sizeof *exit_rows; i++) {
        roff_entry(out, str_c(exit_rows[i].code), str_c(exit_rows[i].text));
    }
    buf_add(out, S(".SH ENVIRONMENT\n"));
    roff_entry(out, S("NO_COLOR"), S("When set to anything but the empty text, \"--color=auto\" never colours"));
    roff_entry(out, S("COLUMNS"), S("How wide help is set where standard output is no terminal"));
    roff_entry(out, S("OPGEN_DATA"),
               S("The folder that has opgen's own opdefs, templates and runtime, in place of the "
                 "one that it was installed with"));
    roff_entry(out, S("MAKE"), S("The make that builds libraries, in place of \"make\""));
}
