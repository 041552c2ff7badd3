/* test_parse.c: trees; errors word for word, with their places as byte offsets (line, column and caret are base's); how
 * deep is too deep. The trees here are a few of each kind, to read; test_against_jinja.py compares thousands.
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

typedef struct Case {
    const char *text, *expected;
    int options; /* as for --dump */
} Case;

typedef struct Parsed {
    Arena arena;
    Diags diags;
    Str out; /* the dump, or the findings */
    bool ok;
} Parsed;

/* from-to text (hint), and under it the notes */
static void show_findings(Buf *out, const Diags *diags) {
    for (uint32_t i = 0; i < diags->items.n; i++) {
        const Diag *diag = diags->items.items[i];
        buf_format(out, "%u-%u %S", diag->span.from, diag->span.to, diag->text);
        if (diag->hint.n) buf_format(out, " (%S)", diag->hint);
        buf_char(out, '\n');
        for (uint32_t j = 0; j < diag->notes.n; j++) {
            const DiagNote *note = &diag->notes.items[j];
            buf_format(out, "  %u-%u %S\n", note->span.from, note->span.to, note->text);
        }
    }
}

static void parse_with(Parsed *p, Str text, int bits) {
    SyntaxOptions options = {bits & 1, bits & 2, bits & 4};
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
        show_findings(&out, &p->diags);
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
        parse_with(&p, str_sub(rest, 1, end), bits);
        if (!p.ok) fputs("error\n", stdout);
        fwrite(p.out.p, 1, p.out.n, stdout);
        putchar('\0');
        arena_free(&p.arena);
        at += end + 1;
    }
    arena_free(&arena);
    return fflush(stdout) == 0 ? 0 : 1;
}

/* clang-format off */
static const Case exprs[] = {
    {"{{ -1|abs|f(-x) }}",
     "(emit (filter f (filter abs (- 1)) (- (name x))))\n", 0},
    {"{{ -x ** 2 ** -y }}",
     "(emit (** (** (- (name x)) 2) (- (name y))))\n", 0},
    {"{{ a + b * c ~ d - e // 2 % 3 }}",
     "(emit (- (+ (name a) (~ (* (name b) (name c)) (name d))) (% (// (name e) 2) 3)))\n", 0},
    {"{{ a ~ b ~ c + d ~ e }}",
     "(emit (+ (~ (name a) (name b) (name c)) (~ (name d) (name e))))\n", 0},
    {"{{ not a in b and not (c or d) }}",
     "(emit (and (not (compare (name a) in (name b))) (not (or (name c) (name d)))))\n", 0},
    {"{{ a < b <= c != d in e not in f }}",
     "(emit (compare (name a) < (name b) <= (name c) != (name d) in (name e) not in (name f)))\n", 0},
    {"{{ x is divisibleby 3 and y is not none }}",
     "(emit (and (test divisibleby (name x) 3) (not (test none (name y)))))\n", 0},
    {"{{ x is not sameas(y, z)|not }}",
     "(emit (filter not (not (test sameas (name x) (name y) (name z)))))\n", 0},
    {"{{ x is a.b [1].c is d }}",
     "(emit (test d (test a.b (name x) (attr (list 1) c))))\n", 0},
    {"{{ a if b else c if d else e }}",
     "(emit (if (name b) (name a) (if (name d) (name c) (name e))))\n", 0},
    {"{{ a if b if c }}",
     "(emit (if (name c) (if (name b) (name a) _) _))\n", 0},
    {"{{ a.b.0.c[1].1.5 }}",
     "(emit (item (item (item (attr (item (attr (name a) b) 0) c) 1) 1) 5))\n", 0},
    {"{{ a[1:2, 3][:][::2][] }}",
     "(emit (item (slice (slice (item (name a) (tuple (slice _ 1 2 _) 3)) _ _ _) _ _ 2) (tuple)))\n", 0},
    {"{{ f(a, b=1, *c, **d)(1,) }}",
     "(emit (call (call (name f) (name a) b=1 *(name c) **(name d)) 1))\n", 0},
    {"{{ x|f.g(1)(2)|h }}",
     "(emit (filter h (call (filter f.g (name x) 1) 2)))\n", 0},
    {"{{ 1.e5 }}",
     "(emit (attr 1 e5))\n", 0},
    {"{{ \"a\" 'b' \"\\x41\\u00e9\\U0001F600\\101\\q\\N{BULLET}\\\n"
     "\" }}",
     "(emit \"abAé😀A\\\\q•\")\n", 0},
    {"{{ [1, [], (), (1,), {}, {\"a\": 1, b: [2],}] }}",
     "(emit (list 1 (list) (tuple) (tuple 1) (dict) (dict \"a\" 1 (name b) (list 2))))\n", 0},
    {"{{ 0x1F + 0b11 + 0o17 + 1_000 + 00 + 1e5 + 1.5E-3 + 2_0.5 }}",
     "(emit (+ (+ (+ (+ (+ (+ (+ 31 3) 15) 1000) 0) 100000.0) 0.0015) 20.5))\n", 0},
    {"{{ 9223372036854775807, 9223372036854775808, 0XFFFF_FFFF_FFFF_FFFF }}",
     "(emit (tuple 9223372036854775807 (big 9223372036854775808) (big 0xFFFFFFFFFFFFFFFF)))\n", 0},
    {"{{ true, True, none, None, in, and,変数 }}",
     "(emit (tuple true true none none (name in) (name and) (name 変数)))\n", 0},
    {"{{ {'a': {'b': 1}}}}{{ {'a': 1} }}",
     "(emit (dict \"a\" (dict \"b\" 1)))\n"
     "(emit (dict \"a\" 1))\n", 0},
    {"{{ - - 1, + -x.y, not not z }}",
     "(emit (tuple (- (- 1)) (+ (- (attr (name x) y))) (not (not (name z)))))\n", 0},
};
static const Case statements[] = {
    {"{% for a, (b, c) in d if e recursive %}x{% else %}y{% endfor %}",
     "(for (tuple a (tuple b c)) (name d) if (name e) recursive\n"
     "  (text \"x\")\n"
     "  (else\n"
     "    (text \"y\")))\n", 0},
    {"{% if a: %}1{% elif b, c %}2{% else: %}3{% endif %}",
     "(if (name a)\n"
     "  (text \"1\")\n"
     "  (elif (tuple (name b) (name c))\n"
     "    (text \"2\"))\n"
     "  (else\n"
     "    (text \"3\")))\n", 0},
    {"{% set a, b = 1, 2 %}{% set ns.x = 3 %}{% set c | f(1) | g %}t{% endset %}",
     "(set (tuple a b) (tuple 1 2))\n"
     "(set (nsref ns x) 3)\n"
     "(set-block c (filter g (filter f _ 1))\n"
     "  (text \"t\"))\n", 0},
    {"{% macro m(a, b=1) %}{{ a }}{% endmacro %}{% call(x) m(1) %}{{ x }}{% endcall %}{% call m() %}{% endcall %}",
     "(macro m (a b=1)\n"
     "  (emit (name a)))\n"
     "(call-block (x) (call (name m) 1)\n"
     "  (emit (name x)))\n"
     "(call-block () (call (name m)))\n", 0},
    {"{% filter a|b(1) %}x{% endfilter %}{% with a=1, b=2 %}{% endwith %}{% autoescape true %}{% endautoescape %}",
     "(filter-block (filter b (filter a _) 1)\n"
     "  (text \"x\"))\n"
     "(with a=1 b=2)\n"
     "(autoescape true)\n", 0},
    {"{% extends \"a\" %}{% include [\"a\", b] ignore missing without context %}{% include \"a\" if b %}",
     "(extends \"a\")\n"
     "(include (list \"a\" (name b)) ignore-missing without-context)\n"
     "(include (if (name b) \"a\" _) with-context)\n", 0},
    {"{% import \"a\" as b with context %}{% from \"a\" import b, c as d, with context %}{% from \"a\" import b %}",
     "(import \"a\" as b with-context)\n"
     "(from \"a\" b c as d with-context)\n"
     "(from \"a\" b without-context)\n", 0},
    {"{% block a scoped required %} {# c #} {% endblock a %}{% block b %}{{ x }}{% endblock %}",
     "(block a scoped required\n"
     "  (text \" \")\n"
     "  (text \" \"))\n"
     "(block b\n"
     "  (emit (name x)))\n", 0},
    {"{% do x.append(1), 2 %}{% print a, b %}{% print %}{% for x in y %}{% if z %}{% break %}{% endif %}{% continue %}{% endfor %}",
     "(do (tuple (call (attr (name x) append) 1) 2))\n"
     "(emit (name a))\n"
     "(emit (name b))\n"
     "(for x (name y)\n"
     "  (if (name z)\n"
     "    (break))\n"
     "  (continue))\n", 0},
};
static const Case white_space[] = {
    {"a \n"
     " {%- if x -%} \n"
     " b \n"
     " {%- endif +%} \n"
     " c\n",
     "(text \"a\")\n"
     "(if (name x)\n"
     "  (text \"b\"))\n"
     "(text \" \\n c\")\n", 0},
    {"a\n"
     "\n",
     "(text \"a\\n\")\n", 0},
    {"a\r\n"
     "b\r"
     "c\n",
     "(text \"a\\nb\\nc\\n\")\n", 4},
    {"a\r\n"
     "\r\n",
     "(text \"a\\n\")\n", 0},
    {"{{- x -}}   y{#- c -#} z",
     "(emit (name x))\n"
     "(text \"y\")\n"
     "(text \"z\")\n", 0},
    {"{% if x %}\n"
     "\n"
     "a{% endif %}\r\n"
     "{# c #}\n"
     "{{ x }}\n"
     "b{% if y +%}\n"
     "c{% endif -%}\n"
     "  d",
     "(if (name x)\n"
     "  (text \"\\na\"))\n"
     "(emit (name x))\n"
     "(text \"\\nb\")\n"
     "(if (name y)\n"
     "  (text \"\\nc\"))\n"
     "(text \"d\")\n", 1},
    {"  {% if x %}\n"
     "\t{# c #}a  {% endif %}\n"
     "  {{ x }}\n"
     "  {%+ if y %}{% endif %}",
     "(if (name x)\n"
     "  (text \"\\n\")\n"
     "  (text \"a  \"))\n"
     "(text \"\\n  \")\n"
     "(emit (name x))\n"
     "(text \"\\n  \")\n"
     "(if (name y))\n", 2},
    {"  {% for x in y %}\n"
     "    {{ x }}\n"
     "  {% endfor %}\n",
     "(for x (name y)\n"
     "  (text \"    \")\n"
     "  (emit (name x))\n"
     "  (text \"\\n\"))\n", 3},
    {"{% raw %} {{ x }} {% endraw %}|{%- raw -%} a{% raw %} {%- endraw -%} |",
     "(text \" {{ x }} \")\n"
     "(text \"|\")\n"
     "(text \"a{% raw %}\")\n"
     "(text \"|\")\n", 0},
    {"  {% raw %}\n"
     "  {% a %}\n"
     "  {% endraw %}\n"
     "b",
     "(text \"\\n  {% a %}\\n\")\n"
     "(text \"b\")\n", 3},
    {"{#-#}-#}{#--#}{#+#}{##}",
     "(text \"-#}\")\n", 0},
    {"{ {% if x %}}{% endif %} { { }} %} #}",
     "(text \"{ \")\n"
     "(if (name x)\n"
     "  (text \"}\"))\n"
     "(text \" { { }} %} #}\")\n", 0},
};
static const Case errors[] = {
    {"{{ a + }} {{ }} {{ , }} {{ a b }} {{ (1, 2 }} {{ [1, (2] }}",
     "7-9 expected an expression, got \"}}\"\n"
     "13-15 expected an expression, got \"}}\"\n"
     "19-20 expected an expression, got \",\"\n"
     "29-30 expected \"}}\", got \"b\"\n"
     "43-45 expected \")\", got \"}}\"\n"
     "  37-38 the \"(\" that is open here\n"
     "55-56 expected \")\", got \"]\"\n"
     "  53-54 the \"(\" that is open here\n", 0},
    {"{{ {'a' 1} }} {{ {'a': 1 }} {{ f(x }}",
     "8-9 expected \":\", got \"1\"\n"
     "  3-4 the \"{\" that is open here\n"
     "26-27 expected \"}}\", got \"}\"\n"
     "35-37 expected \",\" or \")\", got \"}}\"\n"
     "  32-33 the \"(\" that is open here\n", 0},
    {"{% if a = 1 %}{% endif %}{{ a && b }}{{ a || b }}{{ !a }}{{ a ? b : c }}{{ a == not b }}",
     "8-9 expected \"%}\", got \"=\" (\"==\" compares)\n"
     "30-31 unexpected character \"&\" (\"and\" is what \"&&\" means elsewhere)\n"
     "43-44 expected a filter's name, got \"|\" (\"or\" is what \"||\" means elsewhere)\n"
     "52-53 unexpected character \"!\" (\"not\" is what \"!\" means elsewhere)\n"
     "62-63 unexpected character \"?\" (write \"a if test else b\")\n"
     "84-85 expected \"}}\", got \"b\" (\"not\" was read as a name here: write (not ...) behind an operator)\n", 0},
    {"{{ x|f[0] }}{{ x|1 }}{{ x is }}{{ x is a is b }}{{ x is a if b }}{{ a.'b' }}{{ a[1:2:3:4] }}{{ a; }}{{ “x” }}",
     "6-7 expected \"}}\", got \"[\" (put parentheses around the filter or test to go on from its result)\n"
     "17-18 expected a filter's name, got \"1\"\n"
     "29-31 expected a test's name, got \"}}\"\n"
     "41-43 a second \"is\" behind a test without arguments (join tests by \"and\")\n"
     "61-62 expected \"}}\", got \"b\" (\"if\" was read as a name here; parentheses make clear what is meant)\n"
     "70-73 expected a name or a number behind \".\", got the string 'b'\n"
     "86-87 expected \"]\", got \":\"\n"
     "  80-81 the \"[\" that is open here\n"
     "96-97 expected \"}}\", got \";\"\n"
     "103-106 unexpected character \"“\" (strings stand in \" or ')\n", 0},
    {"{{ f(*a, b) }}{{ f(**a, *b) }}{{ f(a=1, b) }}{{ f(*a, *b) }}{{ f(**a, **b) }}{{ f(a=1, b=2, a=3) }}",
     "9-10 an argument without a name behind \"*\"\n"
     "24-25 an argument behind \"**\"\n"
     "40-41 an argument without a name behind one with a name\n"
     "54-55 a second \"*\" argument\n"
     "70-72 a second \"**\" argument\n"
     "92-93 argument \"a\" is given twice\n"
     "  82-83 the first one is here\n", 0},
    {"{{ \"\\xg\" }}{{ \"\\u12\" }}{{ \"\\U00110000\" }}{{ \"\\ud800\" }}{{ \"\\N{NO}\" }}{{ \"\\N\" }}{{ \"\\U0001\" }}",
     "4-6 \"\\x\" needs two hexadecimal digits\n"
     "15-19 \"\\u\" needs four hexadecimal digits\n"
     "27-37 there is no character with this number\n"
     "45-51 half a surrogate pair is no character: write it as \"\\U\" and eight digits\n"
     "59-65 there is no character of this name\n"
     "73-75 \"\\N\" needs the name of a character in braces\n"
     "83-89 \"\\U\" needs eight hexadecimal digits\n", 0},
    {"{% fro x in y %}{% endfor %}{% FOR x in y %}{% endfro %}{% trans %}{% endtrans %}{% debug %}{% x = 1 %}{% 1 %}{% %}",
     "3-6 there is no tag \"fro\" (did you mean \"for\"?)\n"
     "31-34 there is no tag \"FOR\" (did you mean \"for\"?)\n"
     "47-53 there is no tag \"endfro\" (did you mean \"endfor\"?)\n"
     "59-64 there is no tag \"trans\"\n"
     "84-89 there is no tag \"debug\"\n"
     "95-96 there is no tag \"x\" (write {% set x = ... %})\n"
     "106-107 expected a tag's name, got \"1\"\n"
     "113-115 expected a tag's name, got \"%}\"\n", 0},
    {"{% for a b %}{% if c %}{% endfor %}{% endif %}{% else %}{% endmacro %}",
     "9-10 expected \"in\", got \"b\"\n"
     "26-32 expected \"endif\", got \"endfor\"\n"
     "  13-23 the \"if\" that is open here\n"
     "49-53 \"else\" without an \"if\" or \"for\"\n"
     "59-67 \"endmacro\" without a \"macro\"\n", 0},
    {"{% if a %}{% else %}{% elif b %}{% else %}{% endif x %}{% for a in b %}{% elif c %}{% endfor %}",
     "23-27 \"elif\" behind the \"else\" of its \"if\"\n"
     "  13-17 the \"else\" that is there already\n"
     "35-39 a second \"else\" for one \"if\"\n"
     "  13-17 the \"else\" that is there already\n"
     "51-52 expected \"%}\", got \"x\"\n"
     "74-78 expected \"endfor\", got \"elif\"\n"
     "  55-71 the \"for\" that is open here\n", 0},
    {"{% for a in b %}\n"
     "{% if c %}\n"
     "{{ d }}",
     "35-35 expected \"endif\", got the end of the template\n"
     "  17-27 the \"if\" that is open here\n"
     "  0-16 the \"for\" that is open here\n", 0},
    {"{% if c %}{% endfor %}",
     "13-19 expected \"endif\", got \"endfor\"\n"
     "  0-10 the \"if\" that is open here\n", 0},
    {"{% set a[0] = 1 %}{% set a.b.c = 1 %}{% set 1 = 2 %}{% set (a, [b]) = 1 %}{% for a + b in c %}{% endfor %}{% for true in c %}{% endfor %}{% set a, n.b = 1 %}",
     "8-9 expected \"=\" or \"%}\", got \"[\" (only a name, a tuple of names or an attribute of a namespace can be set)\n"
     "28-29 expected \"=\" or \"%}\", got \".\" (only a name, a tuple of names or an attribute of a namespace can be set)\n"
     "44-45 cannot assign to a literal (only a name, a tuple of names or an attribute of a namespace can be set)\n"
     "63-66 cannot assign to a list (only a name, a tuple of names or an attribute of a namespace can be set)\n"
     "83-84 expected \"in\", got \"+\"\n"
     "113-117 cannot assign to a literal (only a name, a tuple of names or an attribute of a namespace can be set)\n"
     "148-149 expected \"=\" or \"%}\", got \".\" (only a name, a tuple of names or an attribute of a namespace can be set)\n", 0},
    {"{% macro m %}{% endmacro %}{% macro 1() %}{% endmacro %}{% macro m(a=1, b, a) %}{% endmacro %}{% macro m(none, a,) %}{% endmacro %}{% macro m(a b) %}{% endmacro %}",
     "11-13 expected \"(\", got \"%}\"\n"
     "36-37 expected a macro's name, got \"1\"\n"
     "72-73 parameter \"b\" has no default but stands behind one that has\n"
     "75-76 parameter \"a\" has no default but stands behind one that has\n"
     "75-76 two parameters are named \"a\"\n"
     "  67-68 the first one is here\n"
     "105-109 \"none\" is a literal and cannot be used as a name\n"
     "113-114 expected a parameter's name, got \")\"\n"
     "144-145 expected \",\" or \")\", got \"b\"\n"
     "  141-142 the \"(\" that is open here\n", 0},
    {"{% call m %}{% endcall %}{% filter %}{% endfilter %}{% with a=1 b=2 %}{% endwith %}{% with a %}{% endwith %}",
     "8-9 \"call\" needs a call, as in {% call f() %}\n"
     "35-37 expected a filter's name, got \"%}\"\n"
     "64-65 expected \",\" or \"%}\", got \"b\"\n"
     "93-95 expected \"=\", got \"%}\"\n", 0},
    {"{% block a-b %}{% endblock %}{% block %}{% endblock %}{% block c %}{% endblock d %}{% block c %}{% endblock %}{% block e required scoped %}{% endblock %}",
     "10-11 a block's name cannot have a hyphen (use \"_\")\n"
     "38-40 expected a block's name, got \"%}\"\n"
     "79-80 expected \"c\" or \"%}\", got \"d\"\n"
     "  54-67 the \"block\" that is open here\n"
     "92-93 there are two blocks named \"c\"\n"
     "  63-64 the first one is here\n"
     "130-136 expected \"%}\", got \"scoped\" (\"scoped\" stands before \"required\")\n", 0},
    {"{% block a required %} x {% endblock %}{% block b required %}{% set c = 1 %}{% endblock %}",
     "22-25 a required block may hold only white space and comments\n"
     "  0-22 the \"block\" that is required\n"
     "61-76 a required block may hold only white space and comments\n"
     "  39-61 the \"block\" that is required\n", 0},
    {"{% include %}{% import \"a\" %}{% import \"a\" as 1 %}{% from \"a\" %}{% from \"a\" import %}{% from \"a\" import _b %}{% from \"a\" import b, %}{% extends a, b %}",
     "11-13 expected an expression, got \"%}\"\n"
     "27-29 expected \"as\", got \"%}\"\n"
     "46-47 expected a name, got \"1\"\n"
     "62-64 expected \"import\", got \"%}\"\n"
     "83-85 expected a name to import, got \"%}\"\n"
     "104-106 names that begin with \"_\" are private and cannot be imported\n"
     "131-133 expected a name to import, got \"%}\"\n"
     "145-146 expected \"%}\", got \",\"\n", 0},
    {"{% break %}{% for a in b %}{% break %}{% macro m() %}{% continue %}{% endmacro %}{% else %}{% break %}{% endfor %}",
     "3-8 \"break\" outside a loop\n"
     "56-64 \"continue\" outside a loop\n"
     "94-99 \"break\" outside a loop\n", 0},
    {"{% for a in b %}{% for c in d recursive %}{% break %}{% else %}{% break %}{% endfor %}{% block e %}{% break %}{% endblock %}{% endfor %}",
     "66-71 \"break\" outside a loop\n"
     "102-107 \"break\" outside a loop\n", 0},
    {"a\n"
     "{{ b",
     "2-4 the tag that begins here is never closed: \"}}\" is missing\n", 0},
    {"{% if a %}\n"
     "  {% set b = \"c",
     "24-25 the string that begins here is never closed\n", 0},
    {"a {# b\n"
     "{% if c %}",
     "2-4 the comment that begins here is never closed: \"#}\" is missing\n", 0},
    {"{% raw %} {{ x }}",
     "0-9 the raw block that begins here is never closed: {% endraw %} is missing\n", 0},
    {"{% raw x %}{% endraw %}",
     "3-6 \"raw\" takes nothing behind it (write {% raw %} or {%- raw -%})\n", 0},
    {"{{ a {% if b %} {{ c {# d #} {% endif %}",
     "5-7 expected \"}}\", got \"{%\"\n"
     "  0-2 the \"{{\" that is open here\n"
     "21-23 expected \"}}\", got \"{#\"\n"
     "  16-18 the \"{{\" that is open here\n", 0},
    {"{{ \"a }} {{ b }} {{ \"c\" }}",
     "21-22 expected \"}}\", got \"c\"\n"
     "  3-4 the string that begins here holds \"}}\": is its closing quote missing?\n", 0},
    {"{{ a %}{% if b }}{% endif %}{{ a } }}",
     "5-7 expected \"}}\", got \"%}\"\n"
     "  0-2 the \"{{\" that is open here\n"
     "15-17 expected \"%}\", got \"}}\"\n"
     "  7-9 the \"{%\" that is open here\n"
     "33-34 expected \"}}\", got \"}\"\n", 0},
    {"{{ a\n"
     "  b }}\n"
     "{{ é + * ü }}",
     "7-8 expected \"}}\", got \"b\"\n"
     "20-21 expected an expression, got \"*\"\n", 0},
    {"{% for a in b %}{% if c %}{% endfor %}{% endif %}{% if %}{% elif %}{% for in b %}{% endfor %}{% else x %}{% endif %}",
     "29-35 expected \"endif\", got \"endfor\"\n"
     "  16-26 the \"if\" that is open here\n"
     "55-57 expected an expression, got \"%}\"\n"
     "65-67 expected an expression, got \"%}\"\n"
     "77-78 expected \"in\", got \"b\" (\"in\" was read as a name here; parentheses make clear what is meant)\n"
     "101-102 expected \"%}\", got \"x\"\n", 0},
    {"{% set a = %}{% set = 1 %}{% set b %}{% sett c = 1 %}{% block d %}{% endset %}{% endblok %}",
     "11-13 expected an expression, got \"%}\"\n"
     "20-21 expected an expression, got \"=\"\n"
     "40-44 there is no tag \"sett\" (did you mean \"set\"?)\n"
     "69-75 expected \"endblock\", got \"endset\"\n"
     "  53-66 the \"block\" that is open here\n"
     "81-88 there is no tag \"endblok\" (did you mean \"endblock\"?)\n", 0},
    {"{% FILTER upper %}{% endfilter x %}{% endfor %}{% edif %}{{ 1_ }}{{ 0x }}{{ 1.2.3 }}{{ a[ }}{{ a[1, ] }}{{ a[b c] }}",
     "3-9 there is no tag \"FILTER\" (did you mean \"filter\"?)\n"
     "31-32 expected \"%}\", got \"x\"\n"
     "38-44 \"endfor\" without a \"for\"\n"
     "50-54 there is no tag \"edif\" (did you mean \"endif\"?)\n"
     "61-62 expected \"}}\", got \"_\"\n"
     "69-70 expected \"}}\", got \"x\"\n"
     "90-92 expected an expression, got \"}}\"\n"
     "100-101 expected an expression, got \"]\"\n"
     "111-112 expected \"]\", got \"c\"\n"
     "  108-109 the \"[\" that is open here\n", 0},
    {"{{ \"a\n"
     "b\" c }}{{ 'd' 'a very long string of more than forty bytes, which is not shown' e }}{{ e 'a very long string of more than forty bytes, which is not shown' }}",
     "9-10 expected \"}}\", got \"c\"\n"
     "86-87 expected \"}}\", got \"e\"\n"
     "95-160 expected \"}}\", got a string\n", 0},
};
/* clang-format on */

static void check(const Case *cases, size_t n, bool ok) {
    for (size_t i = 0; i < n; i++) {
        Parsed p;
        parse_with(&p, str_c(cases[i].text), cases[i].options);
        if (p.ok != ok || !str_eq(p.out, str_c(cases[i].expected)))
            fail_msg("%s\nexpected:\n%sgot:\n%.*s", cases[i].text, cases[i].expected, STR_ARG(p.out));
        arena_free(&p.arena);
    }
}
#define CHECK_ALL(cases, ok) check(cases, sizeof cases / sizeof *cases, ok)

static void trees_of_expressions(void **state) {
    (void)state;
    CHECK_ALL(exprs, true);
}

static void trees_of_statements(void **state) {
    (void)state;
    CHECK_ALL(statements, true);
}

static void white_space_around_tags(void **state) {
    (void)state;
    CHECK_ALL(white_space, true);
}

static void errors_word_for_word(void **state) {
    (void)state;
    CHECK_ALL(errors, false);
}

/* Text is not copied unless its line ends have to be changed. */
static void text_is_a_piece_of_the_source(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    Names names;
    names_init(&names, &arena);
    Diags diags;
    diags_init(&diags, &arena);
    SyntaxOptions options = {false, false, false};
    Source *source = source_new(&arena, S("t"), S("ab{{ 'cd' }}\r\n"));
    TemplateAst *ast = parse_template(&arena, &names, source, &options, &diags);
    assert_non_null(ast);
    assert_int_equal(ast->body.n, 2);
    assert_ptr_equal(ast->body.items[0]->as.text.p, source->text.p);
    assert_ptr_equal(ast->body.items[1]->as.expr->as.literal.as.s.p, source->text.p + 6);
    arena_free(&arena);
}

/* ---- places ---- */

static const Expr *part(const Expr *e, const char *path) {
    for (; *path; path++) {
        switch (*path) {
        case 'a':
            e = e->kind == X_CALL || e->kind == X_FILTER || e->kind == X_TEST ? e->as.call.a : e->as.pair.a;
            break;
        case 'b':
            e = e->as.pair.b;
            break;
        case 'i':
            e = e->as.list.items[1];
            break;
        default:
            e = e->as.call.args.args[0];
            break;
        }
    }
    return e;
}

static void places_of_nodes(void **state) {
    (void)state;
    static const char text[] = "##(aa + bb.cc[1])|ff.g(-x ~ y) is not tt ##";
    static const struct {
        const char *path, *whole, *at;
    } places[] = {
        {"", "(aa + bb.cc[1])|ff.g(-x ~ y) is not tt", "is not"},
        {"a", "(aa + bb.cc[1])|ff.g(-x ~ y) is not tt", "tt"},
        {"aa", "(aa + bb.cc[1])|ff.g(-x ~ y)", "ff.g"},
        {"aaa", "(aa + bb.cc[1])", "+"},
        {"aaaa", "aa", "aa"},
        {"aaab", "bb.cc[1]", "["},
        {"aaaba", "bb.cc", "cc"},
        {"aaabb", "1", "1"},
        {"aa0", "-x ~ y", "~"},
        {"aa0i", "y", "y"},
    };
    Arena arena;
    arena_init(&arena);
    Names names;
    names_init(&names, &arena);
    Diags diags;
    diags_init(&diags, &arena);
    Source *source = source_new(&arena, S("t"), str_c(text));
    const Expr *e = parse_expression(&arena, &names, source, 2, (uint32_t)strlen(text) - 2, &diags);
    assert_non_null(e);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const Expr *at = part(e, places[i].path);
        Str whole = str_sub(source->text, at->from, at->to), shown = str_sub(source->text, at->at, at->at_to);
        if (!str_eq(whole, str_c(places[i].whole)) || !str_eq(shown, str_c(places[i].at)))
            fail_msg("%s: %.*s at %.*s", places[i].path, STR_ARG(whole), STR_ARG(shown));
    }
    arena_free(&arena);
}

static void expressions_alone(void **state) {
    (void)state;
    static const Case cases[] = {
        {"1, 2", "(tuple 1 2)", 0},
        {"a if b else c", "(if (name b) (name a) (name c))", 0},
        {"{'a': {'b': 1}}", "(dict \"a\" (dict \"b\" 1))", 0},
        {"a\n+ b % c", "(+ (name a) (% (name b) (name c)))", 0},
        {"", "2-2 expected an expression, got the end of the expression\n", 1},
        {"a b", "4-5 expected the end of the expression, got \"b\"\n", 1},
        {"a }}", "4-5 expected the end of the expression, got \"}\"\n", 1},
        {"a %}", "5-6 expected an expression, got \"}\"\n", 1},
        {"f(a", "5-5 expected \",\" or \")\", got the end of the expression\n  3-4 the \"(\" that is open here\n", 1},
        {"'a", "2-3 the string that begins here is never closed\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena arena;
        arena_init(&arena);
        Names names;
        names_init(&names, &arena);
        Diags diags;
        diags_init(&diags, &arena);
        Str text = str_format(&arena, "{{%s}}", cases[i].text);
        Source *source = source_new(&arena, S("t"), text);
        const Expr *e = parse_expression(&arena, &names, source, 2, (uint32_t)text.n - 2, &diags);
        Buf out;
        buf_init(&out, &arena);
        if (e)
            ast_dump_expr(&out, e);
        else
            show_findings(&out, &diags);
        if ((e == NULL) != cases[i].options || !str_eq(buf_str(&out), str_c(cases[i].expected)))
            fail_msg("%s\nexpected:\n%s\ngot:\n%.*s", cases[i].text, cases[i].expected, STR_ARG(buf_str(&out)));
        arena_free(&arena);
    }
}

/* ---- depth ---- */

typedef struct Deep {
    const char *before, *repeated, *middle, *closing, *after;
    uint32_t most;     /* how often it may be repeated */
    uint32_t from, to; /* the error's place in the repetition that is one too many */
    const char *what;
} Deep;

static const Deep deep[] = {
    {"{{ ", "(", "x", ")", " }}", 399, 0, 1, "expression"},
    {"{{ ", "[", "", "]", " }}", 399, 0, 1, "expression"},
    {"{{ ", "{1:", "1", "}", " }}", 399, 0, 1, "expression"},
    {"{{ ", "(1,", "1", ")", " }}", 399, 0, 1, "expression"},
    {"{{ ", "not ", "x", "", " }}", 399, 0, 3, "expression"},
    {"{{ ", "-", "x", "", " }}", 399, 0, 1, "expression"},
    {"{{ f", "(f", "", ")", " }}", 399, 0, 1, "expression"},
    {"{{ f", "(a=f", "", ")", " }}", 399, 0, 1, "expression"},
    {"{{ a", "[a", "", "]", " }}", 399, 0, 1, "expression"},
    {"{{ ", "a if b else ", "c", "", " }}", 399, 2, 4, "expression"},
    {"{{ x", "|f(x", "", ")", " }}", 399, 2, 3, "expression"},
    {"{{ a", ".a", "", "", " }}", 399, 1, 2, "expression"},
    {"{{ a", ".0", "", "", " }}", 399, 1, 2, "expression"},
    {"{{ a", "[0]", "", "", " }}", 399, 0, 1, "expression"},
    {"{{ a", "()", "", "", " }}", 399, 0, 1, "expression"},
    {"{{ a", "|f", "", "", " }}", 399, 1, 2, "expression"},
    {"{{ a", " is t(1)", "", "", " }}", 399, 4, 5, "expression"},
    {"{{ 1", "+1", "", "", " }}", 399, 0, 1, "expression"},
    {"{{ 1", "**1", "", "", " }}", 399, 0, 2, "expression"},
    {"{{ 1", " and 1", "", "", " }}", 399, 1, 4, "expression"},
    {"{{ a", " if b", "", "", " }}", 399, 1, 3, "expression"},
    {"{% for ", "(", "a", ")", " in b %}{% endfor %}", 399, 0, 1, "expression"},
    {"", "{% if a %}", "x", "{% endif %}", "", 399, 0, 10, "block"},
    {"", "{% for a in b %}", "", "{% endfor %}", "", 399, 0, 16, "block"},
    {"", "{% macro m() %}", "", "{% endmacro %}", "", 399, 0, 15, "block"},
    {"", "{% if a %}{% else %}", "x", "{% endif %}", "", 399, 0, 10, "block"},
};

static Str repeated(Arena *arena, const Deep *d, uint32_t n) {
    Buf out;
    buf_init(&out, arena);
    buf_add(&out, str_c(d->before));
    for (uint32_t i = 0; i < n; i++)
        buf_add(&out, str_c(d->repeated));
    buf_add(&out, str_c(d->middle));
    for (uint32_t i = 0; i < n; i++)
        buf_add(&out, str_c(d->closing));
    buf_add(&out, str_c(d->after));
    return buf_str(&out);
}

static void depth_has_a_limit(void **state) {
    (void)state;
    static const uint32_t beyond[] = {1, 2, 100000};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        const Deep *d = &deep[i];
        Arena arena;
        arena_init(&arena);
        Parsed p;
        parse_with(&p, repeated(&arena, d, d->most), 0);
        if (!p.ok) fail_msg("%s: %u are too many: %.*s", d->repeated, d->most, STR_ARG(p.out));
        arena_free(&p.arena);
        for (size_t j = 0; j < sizeof beyond / sizeof *beyond; j++) {
            uint32_t start = (uint32_t)(strlen(d->before) + d->most * strlen(d->repeated));
            parse_with(&p, repeated(&arena, d, d->most + beyond[j]), 0);
            Str expected = str_format(&arena, "%u-%u this %s is nested more than 400 levels deep\n", start + d->from,
                                      start + d->to, d->what);
            if (p.ok || !str_eq(p.out, expected))
                fail_msg("%s, %u more: %.*s", d->repeated, beyond[j], (int)(p.out.n < 500 ? p.out.n : 500), p.out.p);
            assert_int_equal(p.diags.items.items[0]->code, E_TEMPLATE_DEPTH);
            arena_free(&p.arena);
        }
        arena_free(&arena);
    }
}

/* What is a list in the tree may be as long as it likes. */
static void length_has_no_limit(void **state) {
    (void)state;
    static const Deep longs[] = {
        {"{{ 1", "~1", "", "", " }}", 100000, 0, 0, ""},
        {"{{ 1", "<1", "", "", " }}", 100000, 0, 0, ""},
        {"{{ [", "1,", "", "", "] }}", 100000, 0, 0, ""},
        {"{{ f(", "1,", "", "", ") }}", 100000, 0, 0, ""},
        {"{{ '", "x", "", "", "' }}", 100000, 0, 0, ""},
        {"{{ ", "'x'", "", "", " }}", 100000, 0, 0, ""},
        {"{% if a %}", "{% elif b %}", "", "", "{% endif %}", 100000, 0, 0, ""},
        {"", "{{ x }}", "", "", "", 100000, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++) {
        Arena arena;
        arena_init(&arena);
        Parsed p;
        parse_with(&p, repeated(&arena, &longs[i], longs[i].most), 0);
        if (!p.ok) fail_msg("%s: %.*s", longs[i].repeated, STR_ARG(p.out));
        arena_free(&p.arena);
        arena_free(&arena);
    }
}

/* Text made to be looked at again and again. Squared, these would take minutes. */
static void no_text_is_slow(void **state) {
    (void)state;
    static const Deep slow[] = {
        {"{{ ( ", "\"'\\", "", "", " }}", 300000, 0, 0, ""},
        {"{{ a b ", "'\\", "", "", "", 300000, 0, 0, ""},
        {"", "{#", "", "", "", 300000, 0, 0, ""},
        {"{% raw %}", "{% ", "", "", "", 300000, 0, 0, ""},
        {"", "   {% raw", "", "", "", 100000, 0, 0, ""},
        {"", "{{ ( }}", "", "", "", 100000, 0, 0, ""},
        {"", "{% endfor %}", "", "", "", 100000, 0, 0, ""},
        {"", "{% nothing %}", "{% endnothing %}", "", "", 50000, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        Arena arena;
        arena_init(&arena);
        Parsed p;
        clock_t start = clock();
        parse_with(&p, repeated(&arena, &slow[i], slow[i].most), 0);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        assert_false(p.ok);
        if (seconds > 20) fail_msg("%s took %.1f s", slow[i].repeated, seconds);
        arena_free(&p.arena);
        arena_free(&arena);
    }
}

/* Names given twice are found without comparing each with each. */
static void many_names(void **state) {
    (void)state;
    Arena arena;
    arena_init(&arena);
    Buf text;
    buf_init(&text, &arena);
    buf_add(&text, S("{% macro m("));
    for (int i = 0; i < 100000; i++)
        buf_format(&text, "a%d, ", i);
    buf_add(&text, S("a7, a99999) %}{% endmacro %}{{ f("));
    for (int i = 0; i < 100000; i++)
        buf_format(&text, "a%d=1, ", i);
    buf_add(&text, S("a8=1, a4=1) }}"));
    Parsed p;
    parse_with(&p, buf_str(&text), 0);
    assert_false(p.ok);
    static const char *const expected[] = {"two parameters are named \"a7\"", "two parameters are named \"a99999\"",
                                           "argument \"a8\" is given twice", "argument \"a4\" is given twice"};
    assert_int_equal(p.diags.items.n, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(str_eq(p.diags.items.items[i]->text, str_c(expected[i])));
    arena_free(&p.arena);
    arena_free(&arena);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--dump") == 0) return dump_all();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_expressions),
        cmocka_unit_test(trees_of_statements),
        cmocka_unit_test(white_space_around_tags),
        cmocka_unit_test(errors_word_for_word),
        cmocka_unit_test(text_is_a_piece_of_the_source),
        cmocka_unit_test(places_of_nodes),
        cmocka_unit_test(expressions_alone),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(length_has_no_limit),
        cmocka_unit_test(no_text_is_slow),
        cmocka_unit_test(many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
