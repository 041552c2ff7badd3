/* completion.c: the table of options as completion scripts for bash, zsh and fish.
 *
 * Each script knows the commands, which options belong to which of them, and what a value is: one of a few words, a
 * file, a folder. Everything comes from the rows in options.c.
 */
#include "command/options.h"

/* Calls with the words of a '|' list, each after a separator. */
static void words_out(Buf *out, const char *values) {
    for (uint32_t i = 0; option_choice(values, i).n != 0; i++) {
        if (i > 0) buf_char(out, ' ');
        buf_add(out, option_choice(values, i));
    }
}

static void command_names(Buf *out) {
    for (int i = 0; i < CMD_COUNT; i++)
        buf_format(out, "%s%s", i > 0 ? " " : "", command_rows[i].name);
}

/* Text inside '...' of a shell. */
static void quoted(Buf *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            buf_add(out, S("'\\''"));
        else
            buf_char(out, *text);
    }
}

/* ---- bash ---------------------------------------------------------------------------------------------------------
 */

static void bash_option_words(Buf *out, CommandId command) {
    bool any = false;
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!option_is_for((OptionId)i, command)) continue;
        if (any) buf_char(out, ' ');
        any = true;
        const OptionRow *row = &option_rows[i];
        if (row->letter != 0) buf_format(out, "-%c ", row->letter);
        bool equals = row->takes != TAKES_NONE && !row->one_dash;
        buf_format(out, "%S%s", option_shown(out->arena, row), equals ? "=" : "");
    }
}

/* The shell's words for the names that opgen itself knows; NULL: it is none of these. */
static const char *names_of(ValueType takes) {
    return takes == TAKES_BACKEND ? "opgen list backends 2>/dev/null | cut -d\" \" -f1"
           : takes == TAKES_NAME  ? "opgen list ops 2>/dev/null | cut -d\" \" -f1"
                                  : NULL;
}

/* What to offer for a value, as a line of the script. */
static void bash_value(Buf *out, ValueType takes, const char *values) {
    switch (takes) {
    case TAKES_FILE:
    case TAKES_NAMED:
        buf_add(out, S("compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"));
        break;
    case TAKES_PROGRAM:
        buf_add(out, S("mapfile -t COMPREPLY < <(compgen -c -- \"$word\")"));
        break;
    case TAKES_BACKEND:
    case TAKES_NAME:
        buf_format(out, "mapfile -t COMPREPLY < <(compgen -W \"$(%s)\" -- \"$word\")", names_of(takes));
        break;
    case TAKES_FOLDER:
        buf_add(out, S("compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\")"));
        break;
    case TAKES_CHOICE:
        buf_add(out, S("COMPREPLY=($(compgen -W '"));
        words_out(out, values);
        buf_add(out, S("' -- \"$word\"))"));
        break;
    case TAKES_COMMAND:
        buf_add(out, S("COMPREPLY=($(compgen -W '"));
        command_names(out);
        buf_add(out, S("' -- \"$word\"))"));
        break;
    case TAKES_NONE:
    case TAKES_COUNT:
    case TAKES_SIZE:
    case TAKES_REAL:
    case TAKES_PAIR:
    case TAKES_TEXT:
        buf_char(out, ':');
        break;
    }
}

/* The option in each command that takes it, and before any command, as patterns of `case COMMAND:WORD in`. */
static void bash_patterns(Buf *out, const OptionRow *row) {
    for (int i = -1; i < CMD_COUNT; i++) {
        if (row->commands == OPTION_GLOBAL && i >= 0) break;
        if (i >= 0 && (row->commands & OPTION_OF(i)) == 0) continue;
        const char *command = row->commands == OPTION_GLOBAL ? "*" : i < 0 ? "" : command_rows[i].name;
        buf_format(out, "%s%s:%S", i < 0 ? "" : "|", command, option_shown(out->arena, row));
        if (row->letter != 0) buf_format(out, "|%s:-%c", command, row->letter);
    }
}

void completion_bash(Buf *out) {
    buf_add(out,
            S("# opgen's completion for bash; made by: opgen completion bash\n"
              "_opgen() {\n"
              "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= operands=0 i\n"
              "    local IFS=$' \\t\\n' value_of=\n"
              "    COMPREPLY=()\n"
              "    # bash parts --name=value into three words\n"
              "    if [[ $word == = ]]; then value_of=$before word=\n"
              "    elif [[ $before == = ]]; then value_of=${COMP_WORDS[COMP_CWORD-2]}\n"
              "    else value_of=$before; fi\n"
              "    # --in NAME=FILE is more of them\n"
              "    [[ $before == = && $COMP_CWORD -gt 3 && $value_of != -* ]] && value_of=${COMP_WORDS[COMP_CWORD-3]}\n"
              "    [[ $value_of == = ]] && value_of=${COMP_WORDS[COMP_CWORD-4]}\n"
              "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
              "        case $command:${COMP_WORDS[i]} in\n"
              "        "));
    bool any = false;
    for (int i = 0; i < OPT_COUNT; i++) {
        if (option_rows[i].takes == TAKES_NONE) continue;
        buf_add(out, any ? S("|") : S(""));
        bash_patterns(out, &option_rows[i]);
        any = true;
    }
    buf_add(out, S(") ((i++))\n"
                   "            while [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i+1]} == = ]]; do ((i++)); done ;;\n"
                   "        *:-?*) ;;\n"
                   "        *) if [[ -z $command ]]; then command=${COMP_WORDS[i]}; else ((operands++)); fi ;;\n"
                   "        esac\n"
                   "    done\n"
                   "    case $command:$value_of in\n"));
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionRow *row = &option_rows[i];
        if (row->takes == TAKES_NONE) continue;
        buf_add(out, S("    "));
        bash_patterns(out, row);
        buf_add(out, S(") "));
        bash_value(out, row->takes, row->values);
        buf_add(out, S("; return ;;\n"));
    }
    buf_add(out, S("    esac\n"
                   "    if [[ $word == -* ]]; then\n"
                   "        case $command in\n"));
    for (int i = 0; i < CMD_COUNT; i++) {
        buf_format(out, "        %s) COMPREPLY=($(compgen -W '", command_rows[i].name);
        bash_option_words(out, (CommandId)i);
        buf_add(out, S("' -- \"$word\")) ;;\n"));
    }
    buf_add(out, S("        *) COMPREPLY=($(compgen -W '"));
    bash_option_words(out, CMD_NONE);
    buf_add(out, S("' -- \"$word\")) ;;\n"
                   "        esac\n"
                   "        [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
                   "        return\n"
                   "    fi\n"
                   "    case $command:$operands in\n"
                   "    :*) COMPREPLY=($(compgen -W '"));
    command_names(out);
    buf_add(out, S("' -- \"$word\")) ;;\n"));
    for (int i = 0; i < CMD_COUNT; i++) {
        for (uint32_t k = 0; command_rows[i].operands[k].name != NULL; k++) {
            const OperandRow *operand = &command_rows[i].operands[k];
            if (operand->repeats)
                buf_format(out, "    %s:*) ", command_rows[i].name);
            else
                buf_format(out, "    %s:%u) ", command_rows[i].name, k);
            bash_value(out, operand->takes, operand->values);
            buf_add(out, S(" ;;\n"));
        }
    }
    buf_add(out, S("    esac\n"
                   "}\n"
                   "complete -F _opgen opgen\n"));
}

/* ---- zsh ----------------------------------------------------------------------------------------------------------
 */

/* Text inside '...' of an _arguments specification, where brackets and colons end things. */
static void zsh_text(Buf *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            buf_add(out, S("'\\''"));
            continue;
        }
        if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') buf_char(out, '\\');
        buf_char(out, *text);
    }
}

static void zsh_action(Buf *out, ValueType takes, const char *values) {
    switch (takes) {
    case TAKES_FILE:
    case TAKES_NAMED:
        buf_add(out, S("_files"));
        break;
    case TAKES_PROGRAM:
        buf_add(out, S("_command_names -e"));
        break;
    case TAKES_BACKEND:
    case TAKES_NAME:
        buf_format(out, "{compadd $(%s)}", names_of(takes));
        break;
    case TAKES_FOLDER:
        buf_add(out, S("_files -/"));
        break;
    case TAKES_CHOICE:
        buf_char(out, '(');
        words_out(out, values);
        buf_char(out, ')');
        break;
    case TAKES_COMMAND:
        buf_char(out, '(');
        command_names(out);
        buf_char(out, ')');
        break;
    case TAKES_NONE:
    case TAKES_COUNT:
    case TAKES_SIZE:
    case TAKES_REAL:
    case TAKES_PAIR:
    case TAKES_TEXT:
        buf_char(out, ' ');
        break;
    }
}

static void zsh_option(Buf *out, const OptionRow *row) {
    const char *star = row->repeats ? "*" : "";
    for (int form = row->letter != 0 ? 0 : 1; form < 2; form++) {
        if (form == 0)
            buf_format(out, " \\\n            '%s-%c", star, row->letter);
        else
            buf_format(out, " \\\n            '%s%S", star, option_shown(out->arena, row));
        if (row->takes != TAKES_NONE) buf_add(out, form == 0 || row->one_dash ? S("+") : S("="));
        buf_char(out, '[');
        zsh_text(out, row->help);
        buf_char(out, ']');
        if (row->takes != TAKES_NONE) {
            buf_format(out, ":%s:", row->argument);
            zsh_action(out, row->takes, row->values);
        }
        buf_char(out, '\'');
    }
}

void completion_zsh(Buf *out) {
    buf_add(out, S("#compdef opgen\n"
                   "# opgen's completion for zsh; made by: opgen completion zsh\n"
                   "_opgen() {\n"
                   "    local state line\n"
                   "    typeset -A opt_args\n"
                   "    _arguments -C"));
    for (int i = 0; i < OPT_COUNT; i++) {
        if (option_is_for((OptionId)i, CMD_NONE)) zsh_option(out, &option_rows[i]);
    }
    buf_add(out, S(" \\\n            '1:command:->command' '*::argument:->argument'\n"
                   "    case $state in\n"
                   "    command)\n"
                   "        local -a commands=(\n"));
    for (int i = 0; i < CMD_COUNT; i++) {
        buf_format(out, "            '%s:", command_rows[i].name);
        zsh_text(out, command_rows[i].summary);
        buf_add(out, S("'\n"));
    }
    buf_add(out, S("        )\n"
                   "        _describe command commands\n"
                   "        ;;\n"
                   "    argument)\n"
                   "        case $line[1] in\n"));
    for (int i = 0; i < CMD_COUNT; i++) {
        buf_format(out, "        %s)\n            _arguments", command_rows[i].name);
        for (int k = 0; k < OPT_COUNT; k++) {
            if (option_is_for((OptionId)k, (CommandId)i)) zsh_option(out, &option_rows[k]);
        }
        for (uint32_t k = 0; command_rows[i].operands[k].name != NULL; k++) {
            const OperandRow *operand = &command_rows[i].operands[k];
            buf_add(out, S(" \\\n            '"));
            if (operand->repeats)
                buf_char(out, '*');
            else
                buf_format(out, "%u", k + 1);
            buf_format(out, ":%s%s:", operand->optional ? ":" : "", operand->name);
            zsh_action(out, operand->takes, operand->values);
            buf_char(out, '\'');
        }
        buf_add(out, S("\n            ;;\n"));
    }
    buf_add(out, S("        esac\n"
                   "        ;;\n"
                   "    esac\n"
                   "}\n"
                   "if [ \"$funcstack[1]\" = _opgen ]; then _opgen \"$@\"; else compdef _opgen opgen; fi\n"));
}

/* ---- fish ---------------------------------------------------------------------------------------------------------
 */

static void fish_value(Buf *out, ValueType takes, const char *values) {
    switch (takes) {
    case TAKES_FILE:
    case TAKES_NAMED:
        buf_add(out, S(" -F"));
        break;
    case TAKES_PROGRAM:
        buf_add(out, S(" -a '(__fish_complete_command)'"));
        break;
    case TAKES_BACKEND:
    case TAKES_NAME:
        buf_format(out, " -a '(%s)'", names_of(takes));
        break;
    case TAKES_FOLDER:
        buf_add(out, S(" -a '(__fish_complete_directories)'"));
        break;
    case TAKES_CHOICE:
        buf_add(out, S(" -a '"));
        words_out(out, values);
        buf_char(out, '\'');
        break;
    case TAKES_COMMAND:
        buf_add(out, S(" -a '"));
        command_names(out);
        buf_char(out, '\'');
        break;
    case TAKES_NONE:
    case TAKES_COUNT:
    case TAKES_SIZE:
    case TAKES_REAL:
    case TAKES_PAIR:
    case TAKES_TEXT:
        break;
    }
}

static void fish_option(Buf *out, const OptionRow *row, CommandId command) {
    buf_add(out, S("complete -c opgen"));
    if (command != CMD_NONE) buf_format(out, " -n '__fish_seen_subcommand_from %s'", command_rows[command].name);
    if (row->letter != 0) buf_format(out, " -s %c", row->letter);
    buf_format(out, row->one_dash ? " -o %s" : " -l %s", row->name);
    if (row->takes != TAKES_NONE) {
        buf_add(out, S(" -r"));
        if (row->takes != TAKES_FILE && row->takes != TAKES_NAMED) buf_add(out, S(" -f"));
        fish_value(out, row->takes, row->values);
    }
    buf_add(out, S(" -d '"));
    quoted(out, row->help);
    buf_add(out, S("'\n"));
}

void completion_fish(Buf *out) {
    buf_add(out, S("# opgen's completion for fish; made by: opgen completion fish\n"
                   "complete -c opgen -f\n"));
    for (int i = 0; i < CMD_COUNT; i++) {
        buf_format(out, "complete -c opgen -n __fish_use_subcommand -a %s -d '", command_rows[i].name);
        quoted(out, command_rows[i].summary);
        buf_add(out, S("'\n"));
        for (uint32_t k = 0; command_rows[i].operands[k].name != NULL; k++) {
            const OperandRow *operand = &command_rows[i].operands[k];
            buf_format(out, "complete -c opgen -n '__fish_seen_subcommand_from %s'", command_rows[i].name);
            fish_value(out, operand->takes, operand->values);
            buf_char(out, '\n');
        }
    }
    for (int i = 0; i < OPT_COUNT; i++) {
        if (option_rows[i].commands == OPTION_GLOBAL) fish_option(out, &option_rows[i], CMD_NONE);
        for (int k = 0; k < CMD_COUNT; k++) {
            if (option_rows[i].commands != OPTION_GLOBAL && option_is_for((OptionId)i, (CommandId)k)) {
                fish_option(out, &option_rows[i], (CommandId)k);
            }
        }
    }
}
