"""generate_expr.py: the expressions of random templates, each made for a wanted type. generate.py says more."""

FIELDS = {"name": "str", "n": "int", "on": "bool", "tags": "list:str", "w": "float"}
DATA = {
    "i": "int", "j": "int", "big": "int", "f": "float", "s": "str", "t": "str", "html": "str", "b": "bool",
    "li": "list:int", "ls": "list:str", "lf": "list:float", "us": "list:rec", "u": "rec", "d": "map", "none_": "none",
}
LOCALS = ["x", "y", "z", "v", "w"]
WORDS = ["", "a", "ab", "Hello", "hello world", "A-b_c", "é", "漢字", "😀", "<b>", "&amp;", "it's", 'say "q"', "a\nb", " x ", "1", "-2",
         "3.5", "a,b,c", "%s", "{}", "\t", "Zz", "foo bar baz qux", "http://e.com/?a=1&b=2"]
TEXTS = ["a", " ", "\n", "text ", "  \n  ", "<p>", "\n\n", "é", "x\n", "\n  y", "{ ", "%", "# ", "'", "\t"]
TYPES = ["int", "float", "str", "bool", "list:int", "list:str", "rec", "map"]


class Node:
    """A piece of a template. kind: body (children may go), stmt (a body in it may take its place), expr, lit."""

    def __init__(self, kind, *parts):
        self.kind = kind
        self.parts = list(parts)

    def __str__(self):
        return "".join(map(str, self.parts))

    def copy(self):
        return Node(self.kind, *(p.copy() if isinstance(p, Node) else p for p in self.parts))


def X(*parts):
    return Node("expr", *parts)


def literal(text):
    """A string literal of the template language."""
    out = ""
    for c in text:
        out += {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}.get(c, c)
    return '"' + out + '"'


class Expressions:
    def __init__(self, rng):
        self.rng = rng
        self.scopes = [dict(DATA)]
        self.macros = [{}]  # name -> (list of parameter types, has caller)
        self.loops = 0  # loops around this place whose `loop` is visible
        self.breakable = False
        self.files = {}
        self.blocks = 0
        self.names = 0
        self.budget = 40  # statements left
        self.namespaces = []
        self.buffers = 0  # macros and blocks around this place whose text is kept back

    # ---- little helpers

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *options):
        return self.rng.choice(options)

    def small(self, least=0, most=5):
        """An int expression that stays small, whatever it is made of."""
        if self.chance(0.7):
            return str(self.rng.randint(least, most))
        return X("(", self.expr("int", 1), f" % {most - least + 1}", f" + {least}" if least else "", ")")

    def visible(self, kind):
        found = {}
        for scope in self.scopes:
            found.update(scope)
        return [name for name, type_ in found.items() if type_ == kind]

    def new_name(self):
        if self.chance(0.2):
            return self.rng.choice(list(DATA))
        return self.rng.choice(LOCALS)

    def bind(self, name, type_):
        self.scopes[-1][name] = type_

    # ---- expressions

    def expr(self, type_, depth=None):
        if depth is None:
            depth = self.rng.choice([0, 1, 1, 2, 2, 3])
        if self.chance(0.015):
            type_ = self.rng.choice(TYPES)
        if type_ == "any":
            type_ = self.rng.choice(TYPES + ["str", "int"])
        if self.chance(0.006):
            return X(self.pick("nothing", "u.nothing", "d['nope']", "li[99]", "y", "not_there"))
        if depth <= 0:
            return self.leaf(type_)
        maker = getattr(self, "make_" + type_.split(":")[0], None)
        if self.chance(0.06):
            cond = self.expr("bool", depth - 1)
            return X("(", self.expr(type_, depth - 1), " if ", cond, " else ", self.expr(type_, depth - 1), ")")
        if self.chance(0.03) and type_ not in ("rec", "map"):
            return X("(", self.expr(type_, depth - 1), self.pick(" or ", " and "), self.expr(type_, depth - 1), ")")
        if type_.startswith("list:"):
            return self.make_list(type_[5:], depth - 1)
        return maker(depth - 1) if maker else self.leaf(type_)

    def leaf(self, type_):
        names = self.visible(type_)
        if names and self.chance(0.65):
            name = self.rng.choice(names)
            if name == "big" and self.chance(0.7):
                return Node("lit", str(self.rng.randint(0, 9)))
            return Node("lit", name)
        if type_ in FIELDS.values() and self.chance(0.25):
            field = self.rng.choice([k for k, v in FIELDS.items() if v == type_])
            holder = self.rng.choice(self.visible("rec") or ["u"])
            return X(holder, "." + field) if self.chance(0.7) else X(holder, f"['{field}']")
        if type_ == "int":
            if self.loops and self.chance(0.3):
                return Node("lit", self.pick("loop.index", "loop.index0", "loop.length", "loop.revindex", "loop.revindex0",
                                             "loop.depth", "loop.depth0"))
            return Node("lit", self.pick("0", "1", "2", "3", "7", "10", "-1", "1_000", "0x1f", "255"))
        if type_ == "float":
            return Node("lit", self.pick("0.5", "1.0", "2.5", "-0.25", "1e3", "1e-7", "1e20", "0.1"))
        if type_ == "str":
            return Node("lit", literal(self.rng.choice(WORDS)))
        if type_ == "bool":
            if self.loops and self.chance(0.3):
                return Node("lit", self.pick("loop.first", "loop.last"))
            return Node("lit", self.pick("true", "false", "True", "False"))
        if type_ == "none":
            return Node("lit", "none")
        if type_ == "rec":
            return Node("lit", self.pick("u", '{"name": "k", "n": 3, "on": true, "tags": ["p", "q"], "w": 1.5}'))
        if type_ == "map":
            return Node("lit", self.pick("d", "{}", '{"a": 1, "b": 2}', "dict(k=5)"))
        if type_.startswith("list:"):
            return X("[", *self.separated([self.leaf(type_[5:]) for _ in range(self.rng.randrange(4))]), "]")
        raise ValueError(type_)

    @staticmethod
    def separated(items, mark=", "):
        out = []
        for item in items:
            if out:
                out.append(mark)
            out.append(item)
        return out

    def make_int(self, depth):
        r = self.rng.randrange(22)
        e = lambda type_="int": self.expr(type_, depth)
        if r < 6:
            return X("(", e(), self.pick(" + ", " - ", " * ", "+", "-", "*"), e(), ")")
        if r == 6:
            return X("(", e(), self.pick(" // ", " % "), self.pick("2", "3", "-3", "7", "(j or 1)"), ")")
        if r == 7:
            return X("(", e(), " ** ", str(self.rng.randrange(4)), ")")
        if r == 8:
            return X("(", self.pick("-", "+", "- "), e(), ")")
        if r == 9:
            return X("(", e(), ")|abs")
        if r == 10:
            return X(e(self.pick("str", "list:int", "list:str", "map", "rec")), self.pick("|length", "|count"))
        if r == 11:
            return X(e("list:int"), "|sum")
        if r == 12:
            return X("(", e("str"), ").", self.pick("find", "rfind", "count"), "(", e("str"), ")")
        if r == 13:
            return X("(", e(self.pick("str", "float", "int", "bool")), ")|int", self.pick("", "(5)", "(default=-1)"))
        if r == 14:
            return X("(", e("list:int"), " + [1])", self.pick("|first", "|last", "|max", "|min", "[0]", "[-1]"))
        if r == 15:
            return X("(", e("map"), ").get(", literal(self.pick("a", "b", "x")), ", ", self.leaf("int"), ")")
        if r == 16:
            return X("(", e("str"), ")|wordcount")
        if r == 17:
            return X("(", e("list:int"), ").", self.pick("count", "count", "index"), "(", e(), ")")
        if r == 18:
            return X("(", e("bool"), " + ", e(), ")")
        if r == 19:
            return X("(", e(), self.pick("|string|length", "|round", "|round(-1)"), ")")
        if r == 20:
            return X("(", e("list:rec"), "|", self.pick("sum(attribute='n')", "map(attribute='n')|sum",
                                                         "selectattr('on')|list|length", "map(attribute='n', default=0)|max or 0"), ")")
        return X("range(", self.small(), ")", self.pick("|length", "|sum", "|list|length"))

    def make_float(self, depth):
        e = lambda type_="float": self.expr(type_, depth)
        r = self.rng.randrange(9)
        if r < 3:
            return X("(", e(self.pick("int", "float")), self.pick(" + ", " - ", " * "), e(), ")")
        if r == 3:
            return X("(", e(self.pick("int", "float")), " / ", self.pick("2", "3", "0.5", "-4", "7.0"), ")")
        if r == 4:
            return X("(", e(self.pick("str", "int", "float")), ")|float", self.pick("", "(1.5)"))
        if r == 5:
            return X("(", e(), ")|round", self.pick("", "(1)", "(2)", "(1, 'floor')", "(2, 'ceil')", "(-1)", "(3, method='common')"))
        if r == 6:
            return X("(", e(), self.pick(" // ", " % "), self.pick("2", "0.3", "-1.5"), ")")
        if r == 7:
            return X("(", self.pick("-", "+"), e(), ")")
        return X("(", e("list:float"), " + [0.5])", self.pick("|sum", "|max", "|min", "|first", "|last"))

    STR_FILTERS = ["upper", "lower", "title", "capitalize", "trim", "e", "escape", "string", "reverse", "striptags", "urlencode",
                   "indent", "indent(2, true)", "indent('> ', blank=true)", "wordwrap(5)", "wordwrap(8, false)", "wordwrap(4, wrapstring='|')",
                   "truncate(4)", "truncate(5, true, '..', 0)", "truncate(3, end='', leeway=1)", "replace('a', 'b')", "replace('', '-')",
                   "replace('l', 'L', 1)", "safe", "forceescape", "tojson", "list|join('.')", "center(9)", "default('d')", "d('d', true)",
                   "first|d('-')", "last|d('-')", "trim('ab')", "pprint", "urlize", "format", "unique|join", "sort|join", "batch(2)|list|string",
                   "length|string", "max|d('')", "int|string", "select('in', 'abc')|join", "map('upper')|join(' ')", "list|string"]
    STR_METHODS = ["upper()", "lower()", "title()", "capitalize()", "swapcase()", "strip()", "lstrip()", "rstrip('b ')", "replace('a', 'bb')",
                   "replace('b', '', 1)", "center(7, '*')", "ljust(5)", "rjust(5, '0')", "zfill(4)", "expandtabs(4)", "casefold()",
                   "removeprefix('a')", "removesuffix('c')", "split()|join('+')", "split(',')|join(';')", "rsplit(' ', 1)|string",
                   "splitlines()|string", "partition(' ')|string", "rpartition('a')|join('/')", "join(['1', '2'])", "format(1, 2)"]

    def make_str(self, depth):
        e = lambda type_="str": self.expr(type_, depth)
        r = self.rng.randrange(20)
        if r < 3:
            return X("(", *self.separated([e("any") if self.chance(0.4) else e() for _ in range(self.rng.randint(2, 4))], " ~ "), ")")
        if r == 3:
            return X("(", e(), " + ", e(), ")")
        if r == 4:
            return X("(", e(), " * ", self.small(0, 3), ")")
        if r < 9:
            return X("(", e(), ")|", self.rng.choice(self.STR_FILTERS))
        if r < 12:
            return X("(", e(), ").", self.rng.choice(self.STR_METHODS))
        if r == 12:
            return X("(", e(), ")", self.slice())
        if r == 13:
            return X(e(self.pick("list:str", "list:int")), "|join(", literal(self.pick(",", "", ", ", "<", "-")), ")")
        if r == 14:
            return X("(", e("any"), ")|string")
        if r == 15:
            spec = self.pick("%s", "%5s|", "%-5s|", "%.2s", "%r", "[%s]")
            return X("(", literal(spec), " % (", e(), ",))") if self.chance(0.6) else X(literal(spec), "|format(", e(), ")")
        if r == 16:
            kind, spec = self.pick(("int", "%d"), ("int", "%05d"), ("int", "%+d"), ("int", "%x"), ("float", "%.2f"), ("float", "%8.3e"),
                                   ("float", "%g"), ("int", "%s"), ("float", "%s"), ("int", "%5.1f"), ("int", "%o"))
            return X("(", literal(spec), " % (", e(kind), "))")
        if r == 17:
            kind, spec = self.pick(("int", "{:d}"), ("int", "{:>6}"), ("int", "{:,}"), ("int", "{:#x}"), ("float", "{:.3f}"), ("float", "{:10.2e}"),
                                   ("str", "{:<6}|"), ("str", "{:^7}"), ("str", "{!r}"), ("str", "{0}{0}"), ("float", "{:g}"), ("int", "{:08.2f}"),
                                   ("float", "{:%}"), ("int", "{:+}"), ("str", "{:.2}|"), ("float", "{}"), ("int", "{:_b}"))
            return X(literal(spec), ".format(", e(kind), ")")
        if r == 18:
            return X("(", e(self.pick("rec", "map", "list:int", "list:str", "str", "float")), ")|tojson", self.pick("", "", "(2)"))
        return self.macro_call(depth) or X("(", e("int"), ")|", self.pick("filesizeformat", "filesizeformat(true)", "string", "pprint"))

    def slice(self):
        if self.chance(0.3):
            return X("[", self.pick("0", "-1", "1"), ":]|first|d('-')")
        bound = lambda: self.pick("", "0", "1", "2", "-1", "-2", "5", "i", "none")
        return X("[", bound(), ":", bound(), self.pick("", "", ":", ":2", ":-1", ":-2"), "]")

    def make_bool(self, depth):
        e = lambda type_: self.expr(type_, depth)
        r = self.rng.randrange(16)
        if r < 3:
            kind = self.pick("int", "float", "str", "list:int")
            return X("(", e(kind), self.pick(" < ", " <= ", " > ", " >= ", " == ", " != "), e(kind), ")")
        if r == 3:
            return X("(", e("int"), self.pick(" < ", " <= ", " == ", " != "), e("int"), self.pick(" < ", " >= ", " == "), e("float"), ")")
        if r == 4:
            return X("(", e("any"), self.pick(" == ", " != "), e("any"), ")")
        if r == 5:
            kind = self.pick("int", "str")
            return X("(", e(kind), self.pick(" in ", " not in "), e("list:" + kind), ")")
        if r == 6:
            return X("(", e("str"), self.pick(" in ", " not in "), e(self.pick("str", "map", "rec")), ")")
        if r == 7:
            return X("(", e("bool"), self.pick(" and ", " or "), e("bool"), ")")
        if r == 8:
            return X("(not ", e(self.pick("bool", "any")), ")")
        if r == 9:
            return X("(", e("int"), " is ", self.pick("", "not "), self.pick("odd", "even", "divisibleby 3", "gt 2", "lt(5)", "ge 0", "le(1)",
                                                                             "eq 3", "ne 3", "number", "integer", "float", "boolean"), ")")
        if r == 10:
            return X("(", e("any"), " is ", self.pick("", "not "), self.pick("string", "number", "mapping", "sequence", "iterable", "none",
                                                                             "defined", "undefined", "boolean", "true", "false", "integer", "float"), ")")
        if r == 11:
            return X("(", e("str"), " is ", self.pick("", "not "), self.pick("lower", "upper", "string", "in 'abc'", "eq 'a'", "escaped"), ")")
        if r == 12:
            return X("(", e("str"), ").", self.pick("startswith('a')", "endswith('b')", "isdigit()", "isalpha()", "isupper()", "islower()", "isspace()",
                                                    "isalnum()", "istitle()", "isidentifier()", "isnumeric()", "startswith(('a', 'H'))"))
        if r == 13:
            return X("(", self.pick("nothing", "u.nope", "d.q", "x", "loop"), self.pick(" is defined", " is not defined"), ")")
        if r == 14 and self.loops:
            return X("loop.changed(", e("int"), ")")
        return X("((", e("any"), ")|d(false, true) is true)")

    def make_list(self, kind, depth):
        e = lambda type_: self.expr(type_, depth)
        r = self.rng.randrange(12)
        if kind == "rec":
            return X(self.pick("us", "us|sort(attribute='n')", "us|reverse|list", "us|selectattr('on')|list", "us|rejectattr('on', 'true')|list",
                               "us[:2]", "us|list", "us|unique(attribute='name')|list", "[u]", "us|sort(attribute='on,name', reverse=true)",
                               "us|selectattr('n', 'gt', 1)|list", "us|groupby('on')|map(attribute='list')|first|d([])"))
        if r < 3:
            return X("[", *self.separated([e(kind) for _ in range(self.rng.randrange(4))]), "]")
        if r == 3:
            return X("(", e("list:" + kind), " + ", e("list:" + kind), ")")
        if r == 4:
            return X("(", e("list:" + kind), ")", "[", self.pick("", "1", "-2", "0"), ":", self.pick("", "3", "-1"), self.pick("", "", ":2", ":-1"), "]")
        if r == 5:
            return X("(", e("list:" + kind), "|", self.pick("sort", "sort(true)", "reverse|list", "unique|list", "list", "select|list", "reject|list",
                                                            "sort(reverse=true)", "batch(2)|first|d([])|list", "slice(2)|first|list"), ")")
        if r == 6:
            return X("(", e("list:" + kind), " * ", self.small(0, 2), ")")
        if kind == "int":
            if r < 9:
                return X("range(", self.small(0, 6), self.pick("", ", 8", ", 9, 2"), ")|list")
            return X("(", self.pick("us|map(attribute='n', default=0)|list", "d.values()|list", "d|dictsort|map(attribute=1)|list", "li|select('odd')|list",
                                    "li|reject('even')|list", "li|map('abs')|list", "ls|map('length')|list", "ls|map('int')|list", "li|select('gt', 2)|list"), ")")
        if kind == "str":
            if r < 9:
                return X("(", e("str"), ")", self.pick(".split()", ".split(',')", "|list", ".splitlines()", ".rsplit('a')"))
            return X("(", self.pick("us|map(attribute='name', default='-')|list", "d|list", "d.keys()|sort", "ls|map('upper')|list", "li|map('string')|list",
                                    "ls|select('string')|list", "ls|map('replace', 'a', 'o')|list", "ls|reject('equalto', 'a')|list", "ls|map('trim')|list"), ")")
        return self.leaf("list:" + kind)

    def make_rec(self, depth):
        if self.chance(0.4):
            return X("{", '"name": ', self.expr("str", depth), ', "n": ', self.expr("int", depth), ', "on": ', self.expr("bool", depth),
                     ', "tags": ', self.expr("list:str", depth), ', "w": 0.5}')
        return X("(us[", self.pick("0", "-1", "1"), "] or u)") if self.chance(0.2) else self.leaf("rec")

    def make_map(self, depth):
        r = self.rng.randrange(4)
        if r == 0:
            pairs = []
            for _ in range(self.rng.randrange(3)):
                pairs.append(X(self.expr("str", depth) if self.chance(0.5) else literal(self.pick("a", "b", "k")), ": ", self.expr("int", depth)))
            return X("{", *self.separated(pairs), "}")
        if r == 1:
            return X("dict(", self.expr("map", depth), ", k=", self.expr("int", depth), ")")
        if r == 2:
            return X("dict(", self.expr("map", depth), "|dictsort", self.pick("", "(by='value')", "(true)", "(reverse=true)"), ")")
        return X("(", self.expr("map", depth), ").copy()")

    def macro_call(self, depth):
        found = {}
        for scope in self.macros:
            found.update(scope)
        if not found:
            return None
        name = self.rng.choice(list(found))
        parameters, _ = found[name]
        args = []
        for k, (parameter, type_) in enumerate(parameters):
            value = self.expr(type_, depth - 1)
            if self.chance(0.2):
                args += [X(p, "=", self.expr(t, depth - 1)) for p, t in parameters[k:]]
                break
            args.append(value)
        if self.chance(0.05):
            args = args[:-1]
        return X(name, "(", *self.separated(args), ")")
