/* options.c: the parser that obeys the table of commands and options (table.c).
 *
 * It takes what people type: long options with = or a blank, short ones with the value behind or after them, several
 * short flags together, the compiler's long ones with one dash, options before, between and after operands, and -- to
 * end them. It goes on after a mistake, so that one run names every one.
 */
#include "command/options.h"

#include <stdlib.h>

bool option_is_for(OptionId option, CommandId command) {
    unsigned commands = option_rows[option].commands;
    return commands == OPTION_GLOBAL || (command != CMD_NONE && (commands & OPTION_OF(command)) != 0);
}

Str option_shown(Arena *arena, const OptionRow *row) {
    return str_format(arena, row->one_dash ? "-%s" : "--%s", row->name);
}

Str option_choice(const char *values, uint32_t i) {
    Str rest = str_c(values);
    for (;; i--) {
        size_t bar = str_find_char(rest, '|');
        if (i == 0) return bar == STR_NONE ? rest : str_sub(rest, 0, bar);
        if (bar == STR_NONE) return (Str){0};
        rest = str_sub(rest, bar + 1, rest.n);
    }
}

CommandId command_find(Str name) {
    for (int i = 0; i < CMD_COUNT; i++) {
        if (str_eq(name, str_c(command_rows[i].name))) return (CommandId)i;
    }
    return CMD_NONE;
}

/* ---- suggestions --------------------------------------------------------------------------------------------------
 */

/* A beginning that only one candidate has is what was meant; otherwise the nearest in spelling. */
static bool suggest(Diags *diags, Diag *diag, Str wrong, const Str *candidates, size_t n) {
    size_t found = 0, which = 0;
    for (size_t i = 0; i < n; i++) {
        if (wrong.n >= 2 && str_starts(candidates[i], wrong)) which = i, found++;
    }
    if (found != 1) return diag_suggest(diags, diag, wrong, candidates, n);
    diag_hint(diags, diag, "did you mean %Q?", candidates[which]);
    return true;
}

bool command_suggest(Diags *diags, Diag *diag, Str wrong) {
    Str names[CMD_COUNT];
    for (int i = 0; i < CMD_COUNT; i++)
        names[i] = str_c(command_rows[i].name);
    return suggest(diags, diag, wrong, names, CMD_COUNT);
}

static void suggest_choice(Diags *diags, Diag *diag, Str wrong, const char *values) {
    Str names[16];
    size_t n = 0;
    while (n < sizeof names / sizeof *names && (names[n] = option_choice(values, (uint32_t)n)).n != 0)
        n++;
    suggest(diags, diag, wrong, names, n);
}

/* ---- parsing ------------------------------------------------------------------------------------------------------
 */

typedef struct Parser {
    Arena *arena;
    Options *options;
    Diags *diags;
    int argc, at;
    char **argv;
    bool ended; /* -- was seen */
} Parser;

/* An option and how it was written: "-I", "--include". */
typedef struct Seen {
    OptionId option;
    Str shown;
} Seen;

static Span nowhere(void) { return (Span){0}; }

static const char *command_in_help(const Options *options) {
    return options->command == CMD_NONE ? "" : command_rows[options->command].name;
}

static Diag *usage(Parser *parser, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = diag_vadd(parser->diags, DIAG_ERROR, E_USAGE, nowhere(), format, args);
    va_end(args);
    return diag;
}

static void see_help(Parser *parser, Diag *diag) {
    if (parser->options->command == CMD_NONE) {
        diag_hint(parser->diags, diag, "see: opgen --help");
    } else {
        diag_hint(parser->diags, diag, "see: opgen help %s", command_in_help(parser->options));
    }
}

/* A number from 1 to `most`, with a suffix for sizes. */
static bool read_number(Str text, bool size, uint64_t most, uint64_t *number) {
    uint64_t value = 0, factor = 1;
    if (size && text.n > 1) {
        static const char suffixes[] = "KMG";
        const char *found = strchr(suffixes, text.p[text.n - 1] & ~0x20);
        if (found != NULL && *found != '\0') {
            factor = UINT64_C(1) << (10 * (found - suffixes + 1));
            text.n--;
        }
    }
    if (text.n == 0) return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') return false;
        unsigned digit = (unsigned)(text.p[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (value == 0 || value > most / factor) return false;
    *number = value * factor;
    return true;
}

static void show_size(Buf *out, uint64_t n) {
    unsigned step = 0;
    while (step < 3 && n % 1024 == 0)
        n /= 1024, step++;
    buf_format(out, "%llu%s", (unsigned long long)n, (const char *[]){"", "K", "M", "G"}[step]);
}

/* NAME=VALUE; the text may be anything, also nothing. */
static bool is_pair(Str text) {
    size_t equals = str_find_char(text, '=');
    if (equals == STR_NONE || equals == 0 || (text.p[0] >= '0' && text.p[0] <= '9')) return false;
    for (size_t i = 0; i < equals; i++) {
        char c = text.p[i];
        if (c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) return false;
    }
    return true;
}

/* A decimal number that is finite and not negative. */
static bool read_real(Arena *arena, Str text, double *number) {
    if (text.n == 0 || ((text.p[0] < '0' || text.p[0] > '9') && text.p[0] != '.')) return false;
    if (text.n > 1 && (text.p[1] == 'x' || text.p[1] == 'X')) return false;
    const char *c = str_to_c(arena, text);
    char *end;
    *number = strtod(c, &end);
    return *end == '\0' && *number <= 1.7976931348623157e308;
}

static void take_value(Parser *parser, const Seen *seen, Str text) {
    const OptionRow *row = &option_rows[seen->option];
    OptionValue *value = &parser->options->values[seen->option];
    if (row->takes == TAKES_CHOICE) {
        uint32_t i = 0;
        Str choice;
        while ((choice = option_choice(row->values, i)).n != 0 && !str_eq(choice, text))
            i++;
        if (choice.n == 0) {
            Diag *diag = usage(parser, "%S takes one of %s, not %Q", seen->shown, row->values, text);
            suggest_choice(parser->diags, diag, text, row->values);
            return;
        }
        value->choice = i;
    } else if (row->takes == TAKES_COUNT || row->takes == TAKES_SIZE) {
        if (!read_number(text, row->takes == TAKES_SIZE, row->most, &value->number)) {
            Buf most;
            buf_init(&most, parser->arena);
            if (row->takes == TAKES_SIZE)
                show_size(&most, row->most);
            else
                buf_int(&most, (int64_t)row->most);
            usage(parser, "%S takes a number%s from 1 to %S, not %Q", seen->shown,
                  row->takes == TAKES_SIZE ? " of bytes (K, M or G may follow)" : "", buf_str(&most), text);
            return;
        }
    } else if (row->takes == TAKES_REAL) {
        if (!read_real(parser->arena, text, &value->real)) {
            usage(parser, "%S takes a number that is not negative, such as 1e-5, not %Q", seen->shown, text);
            return;
        }
    } else if (row->takes == TAKES_PAIR) {
        if (!is_pair(text)) {
            usage(parser, "%S takes %s, a name of letters, digits and _ before the =, not %Q", seen->shown,
                  row->argument, text);
            return;
        }
        if (str_invalid_utf8(text) != STR_NONE) {
            usage(parser, "%S is given text that is not valid UTF-8", seen->shown);
            return;
        }
    } else if (text.n == 0) {
        usage(parser, "%S is given an empty name", seen->shown);
        return;
    }
    if (value->given > 0 && !row->repeats && !str_eq(value->text, text)) {
        usage(parser, "%S is given twice: %Q and %Q", seen->shown, value->text, text);
        return;
    }
    value->text = text;
    *VEC_PUSH(parser->arena, &value->all) = text;
}

/* The option's value: behind the = or the letter if there is one, otherwise the next argument. */
static void read_option(Parser *parser, const Seen *seen, bool attached, Str text) {
    const OptionRow *row = &option_rows[seen->option];
    OptionValue *value = &parser->options->values[seen->option];
    if (row->takes == TAKES_NONE) {
        if (attached) usage(parser, "%S takes no value, but was given %Q", seen->shown, text);
    } else if (!attached && parser->at >= parser->argc) {
        Diag *diag = usage(parser, "%S needs a value: %S %s", seen->shown, seen->shown, row->argument);
        see_help(parser, diag);
    } else {
        take_value(parser, seen, attached ? text : str_c(parser->argv[parser->at++]));
    }
    value->given++;
}

static void unknown_option(Parser *parser, Str shown, Str name, CommandId command) {
    Diag *diag;
    if (command == CMD_NONE)
        diag = usage(parser, "unknown option %S", shown);
    else
        diag = usage(parser, "%s has no option %S", command_rows[command].name, shown);
    Str names[OPT_COUNT];
    size_t n = 0;
    for (int i = 0; i < OPT_COUNT; i++) {
        if (option_is_for((OptionId)i, command)) names[n++] = option_shown(parser->arena, &option_rows[i]);
    }
    if (name.n > 0 && suggest(parser->diags, diag, str_format(parser->arena, "--%S", name), names, n)) return;
    if (name.n > 0 && suggest(parser->diags, diag, str_format(parser->arena, "-%S", name), names, n)) return;
    see_help(parser, diag);
}

static void read_long(Parser *parser, Str argument) {
    Str name = str_sub(argument, 2, argument.n);
    size_t equals = str_find_char(name, '=');
    Str text = {0};
    if (equals != STR_NONE) {
        text = str_sub(name, equals + 1, name.n);
        name = str_sub(name, 0, equals);
    }
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!option_is_for((OptionId)i, parser->options->command) || option_rows[i].one_dash ||
            !str_eq(name, str_c(option_rows[i].name))) {
            continue;
        }
        Seen seen = {(OptionId)i, str_sub(argument, 0, name.n + 2)};
        read_option(parser, &seen, equals != STR_NONE, text);
        return;
    }
    unknown_option(parser, str_sub(argument, 0, name.n + 2), name, parser->options->command);
}

/* -MD, -MF FILE, -MFFILE: as the compilers take them. False: it is none of these. */
static bool read_one_dash(Parser *parser, Str argument) {
    Str given = str_sub(argument, 1, argument.n);
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        Str name = str_c(row->name);
        if (!row->one_dash || !option_is_for((OptionId)i, parser->options->command) || !str_starts(given, name))
            continue;
        bool attached = given.n > name.n;
        if (attached && row->takes == TAKES_NONE) continue;
        Seen seen = {(OptionId)i, option_shown(parser->arena, row)};
        read_option(parser, &seen, attached, str_sub(given, name.n, given.n));
        return true;
    }
    return false;
}

static void read_short(Parser *parser, Str argument) {
    if (read_one_dash(parser, argument)) return;
    for (size_t at = 1; at < argument.n; at++) {
        int i = 0;
        while (i < OPT_COUNT &&
               (option_rows[i].letter != argument.p[at] || !option_is_for((OptionId)i, parser->options->command))) {
            i++;
        }
        Str shown = str_format(parser->arena, "-%c", argument.p[at]);
        if (i == OPT_COUNT) {
            /* One dash too few is a likelier slip than five wrong letters. */
            Str name = argument.n > 2 ? str_sub(argument, 1, argument.n) : (Str){0};
            unknown_option(parser, at == 1 ? argument : shown, at == 1 ? name : (Str){0}, parser->options->command);
            return;
        }
        Seen seen = {(OptionId)i, shown};
        bool attached = option_rows[i].takes != TAKES_NONE && at + 1 < argument.n;
        read_option(parser, &seen, attached, attached ? str_sub(argument, at + 1, argument.n) : (Str){0});
        if (option_rows[i].takes != TAKES_NONE) return;
    }
}

/* The row of operand number `at`; NULL: there can be no such one. */
static const OperandRow *operand_row(const OperandRow *rows, uint32_t at) {
    for (uint32_t i = 0; rows[i].name != NULL; i++) {
        if (i == at || rows[i].repeats) return &rows[i];
    }
    return NULL;
}

/* NAME=VALUE by itself is likely an option's: of what has a number there, or of what has a file. */
static void suggest_pair(Parser *parser, Diag *diag, Str argument) {
    size_t equals = str_find_char(argument, '=');
    if (equals == STR_NONE || equals == 0 || equals + 1 == argument.n) return;
    bool number = true;
    for (size_t i = equals + 1; i < argument.n; i++)
        number = number && argument.p[i] >= '0' && argument.p[i] <= '9';
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (row->takes != (number ? TAKES_PAIR : TAKES_NAMED)) continue;
        if (!option_is_for((OptionId)i, parser->options->command)) continue;
        Str whole = str_format(parser->arena, "%S=%S", option_shown(parser->arena, row), argument);
        diag_hint(parser->diags, diag, "did you mean %Q?", whole);
        return;
    }
}

static void read_operand(Parser *parser, Str argument) {
    Options *options = parser->options;
    if (options->command == CMD_NONE) return; /* the command itself, unknown: said already */
    const OperandRow *rows = command_rows[options->command].operands;
    const OperandRow *row = operand_row(rows, options->operand_count);
    if (row == NULL) {
        suggest_pair(
            parser, usage(parser, "%s takes no further argument, but was given %Q", command_in_help(options), argument),
            argument);
        return;
    }
    options->operands[options->operand_count++] = argument;
    if ((row->takes == TAKES_FILE || row->takes == TAKES_NAME) && argument.n == 0)
        usage(parser, "%s is an empty name", row->name);
    if (row->takes == TAKES_COMMAND && command_find(argument) == CMD_NONE) {
        Diag *diag = usage(parser, "there is no command %Q", argument);
        if (!command_suggest(parser->diags, diag, argument)) diag_hint(parser->diags, diag, "see: opgen --help");
    }
    if (row->takes != TAKES_CHOICE) return;
    for (uint32_t i = 0; option_choice(row->values, i).n != 0; i++) {
        if (str_eq(option_choice(row->values, i), argument)) return;
    }
    Diag *diag = usage(parser, "%s is one of %s, not %Q", row->name, row->values, argument);
    suggest_choice(parser->diags, diag, argument, row->values);
}

/* Whether the argument is an option whose value is the argument behind it. What is a flag for one command and takes a
 * value for another takes it, unless that is the name of a command. */
static bool wants_next(Arena *arena, Str argument, const char *next) {
    bool flag = false, takes = false;
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (str_eq(argument, option_shown(arena, row)) || (argument.n == 2 && argument.p[1] == row->letter))
            *(row->takes == TAKES_NONE ? &flag : &takes) = true;
    }
    return takes && !(flag && next != NULL && command_find(str_c(next)) != CMD_NONE);
}

/* The command is the first argument that is neither an option nor an option's value. It is looked for first, because
 * which options there are depends on it. */
static int find_command(const Parser *parser) {
    for (int i = 1; i < parser->argc; i++) {
        Str argument = str_c(parser->argv[i]);
        if (str_eq(argument, S("--"))) return i + 1 < parser->argc ? i + 1 : 0;
        if (argument.n < 2 || argument.p[0] != '-') return i;
        if (wants_next(parser->arena, argument, i + 1 < parser->argc ? parser->argv[i + 1] : NULL)) i++;
    }
    return 0;
}

static void check_operands(Parser *parser) {
    Options *options = parser->options;
    if (options->command == CMD_NONE || options->values[OPT_HELP].given || options->values[OPT_VERSION].given) return;
    const OperandRow *row = operand_row(command_rows[options->command].operands, options->operand_count);
    if (row == NULL || row->optional) return;
    /* One that repeats is there when it is there once. */
    if (row->repeats && &command_rows[options->command].operands[options->operand_count] != row) return;
    Diag *diag = usage(parser, "%s needs %s", command_in_help(options), row->name);
    see_help(parser, diag);
}

bool options_parse(Arena *arena, int argc, char **argv, Options *options, Diags *diags) {
    *options = (Options){.command = CMD_NONE};
    options->operands = ARENA_ARRAY(arena, Str, (size_t)argc);
    for (int i = 0; i < OPT_COUNT; i++) {
        if (option_rows[i].initial != NULL) options->values[i].text = str_c(option_rows[i].initial);
    }
    uint32_t errors = diags->errors;
    Parser parser = {.arena = arena, .options = options, .diags = diags, .argc = argc, .at = 1, .argv = argv};
    int command_at = find_command(&parser);
    if (command_at != 0) {
        Str name = str_c(argv[command_at]);
        options->command = command_find(name);
        if (options->command == CMD_NONE) {
            Diag *diag = usage(&parser, "there is no command %Q", name);
            if (!command_suggest(diags, diag, name)) diag_hint(diags, diag, "see: opgen --help");
        }
    }
    bool known = command_at == 0 || options->command != CMD_NONE;
    while (parser.at < argc) {
        int at = parser.at++;
        Str argument = str_c(argv[at]);
        if (at == command_at) continue;
        if (parser.ended || argument.n < 2 || argument.p[0] != '-')
            read_operand(&parser, argument);
        else if (argument.n == 2 && argument.p[1] == '-')
            parser.ended = true;
        else if (!known && !str_starts(argument, S("--diagnostics")) && !str_starts(argument, S("--color")))
            continue;
        else if (argument.p[1] == '-')
            read_long(&parser, argument);
        else
            read_short(&parser, argument);
    }
    if (diags->errors == errors) check_operands(&parser);
    return diags->errors == errors;
}
