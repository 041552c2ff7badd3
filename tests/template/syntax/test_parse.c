/* test_parse.c: trees, and errors word for word.
 *
 * With --dump this program is the parser for test_against_jinja.py: standard input is templates, each a digit
 * (1 trim_blocks + 2 lstrip_blocks + 4 keep_trailing_newline), the text and a NUL; for each come the tree's dump
 * or the word "error" and the findings, and a NUL.
 */
#include "template/syntax/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

typedef struct Parsed {
    Arena arena;
    Diags diags;
    Str out; /* the dump, or the findings */
    bool ok;
} Parsed;

static void parse_with(Parsed *p, Str text, SyntaxOptions options) {
    arena_init(&p->arena);
    Names names;
    names_init(&names, &p->arena);
    diags_init(&p->diags, &p->arena);
    Source *source = source_new(&p->arena, S("t"), text);
    TemplateAst *ast = parse_template(&p->arena, &names, source, &options, &p->diags);
    Buf out;
    buf_init(&out, &p->arena);
    if (ast)
        ast_dump(&out, ast);
    else
        diags_render(&p->diags, DIAG_TEXT, false, &out);
    p->ok = ast != NULL;
    p->out = buf_str(&out);
}

/* standard input to standard output */
static int dump_all(void) {
    Arena arena;
    arena_init(&arena);
    Buf in;
    buf_init(&in, &arena);
    size_t n;
    do {
        char *room = buf_room(&in, 65536);
        n = fread(room, 1, 65536, stdin);
        in.n += n;
    } while (n > 0);
    for (size_t at = 0; at < in.n;) {
        Str rest = str(in.p + at, in.n - at);
        size_t end = str_find_char(rest, '\0');
        if (end == STR_NONE || end == 0) return 1;
        int bits = rest.p[0] - '0';
        Parsed p;
        parse_with(&p, str_sub(rest, 1, end), (SyntaxOptions){bits & 1, bits & 2, bits & 4});
        if (!p.ok) fputs("error\n", stdout);
        fwrite(p.out.p, 1, p.out.n, stdout);
        putchar('\0');
        arena_free(&p.arena);
        at += end + 1;
    }
    arena_free(&arena);
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--dump") == 0) return dump_all();
    return 0;
}
