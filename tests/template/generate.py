"""generate.py: makes random templates and data of which most render.

A template is a tree of Nodes, so that test_differential.py can take parts out of it. Expressions are made for a wanted type (int,
float, str, bool, list of one of these, dict), with the names in scope and their types kept loosely: now and then a
name is used out of its scope or a value of the wrong type is taken, because how things fail is compared as well.

What is left out on purpose, because Python shows itself there: printing generators, functions, macros, modules and
`loop` (they print addresses), the order of random and lipsum, identity of equal numbers and texts (`sameas`), and
`loop` read in an included template (whether it is there depends on whether the loop's own body names it) or gone
through itself. So is what Jinja2 3.1.2 does against its own manual: an include without context in a macro or in a set,
filter or call block writes past the block, and under `{% autoescape x %}` with a name `~` forgets to escape. Numbers
that become counts, widths or exponents are kept small, so that Jinja2 ends in time.
"""

from generate_expr import LOCALS, TEXTS, TYPES, WORDS, Expressions, Node, X


def random_data(rng):
    def word():
        return rng.choice(WORDS)

    def number():
        return rng.choice([0, 1, 2, 3, 5, 7, -1, -4, 10, 42, 100])

    def real():
        return rng.choice([0.0, 0.5, 1.0, -1.5, 2.25, 3.14159, 1e-7, 1e16, 100.0, 0.1])

    def rec():
        r = {"name": word(), "n": number(), "on": rng.random() < 0.5, "tags": [word() for _ in range(rng.randrange(3))],
             "w": real()}
        if rng.random() < 0.1:
            del r[rng.choice(list(r))]
        return r

    return {
        "i": number(), "j": number(), "big": rng.choice([2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**20, 10**40]),
        "f": real(), "s": word(), "t": word(), "html": rng.choice(["<a href='x'>&\"</a>", "<", "a & b", "&lt;"]),
        "b": rng.random() < 0.5,
        "li": [number() for _ in range(rng.randrange(5))], "ls": [word() for _ in range(rng.randrange(4))],
        "lf": [real() for _ in range(rng.randrange(4))], "us": [rec() for _ in range(rng.randrange(4))], "u": rec(),
        "d": {rng.choice("abcdefxyz") + rng.choice(["", "1", "é"]): number() for _ in range(rng.randrange(4))}, "none_": None,
    }


class Generator(Expressions):
    # ---- statements

    def tag(self, *parts):
        open_ = self.rng.choices(["{%", "{%-", "{%+"], [10, 2, 1])[0]
        close = self.rng.choices(["%}", "-%}", "+%}"], [10, 2, 1])[0]
        return [open_ + " ", *parts, " " + close]

    def plain_tag(self, *parts):
        return ["{% ", *parts, " %}"]

    def body(self, depth, least=1):
        items = []
        for _ in range(self.rng.randint(least, 4)):
            if self.budget <= 0:
                break
            self.budget -= 1
            items.append(self.statement(depth))
        return Node("body", *(items or ["-"]))

    def kept_body(self, *args, **kwargs):
        self.buffers += 1
        body = self.scoped_body(*args, breakable=False, **kwargs)
        self.buffers -= 1
        return body

    def scoped_body(self, depth, names=(), loops=None, breakable=None):
        saved = self.loops, self.breakable
        if loops is not None:
            self.loops = loops
        self.breakable = bool(breakable) if breakable is not None else self.breakable
        self.scopes.append(dict(names))
        self.macros.append({})
        body = self.body(depth)
        self.macros.pop()
        self.scopes.pop()
        self.loops, self.breakable = saved
        return body

    def statement(self, depth):
        rng = self.rng
        r = rng.random()
        if depth <= 0 or r < 0.14:
            return Node("text", rng.choice(TEXTS)) if self.chance(0.35) else self.print_()
        if r < 0.40:
            return self.print_()
        kinds = ["if"] * 5 + ["for"] * 7 + ["set"] * 5 + ["set_block", "with", "with", "macro", "macro", "call", "filter_block", "include", "do", "raw",
                                                         "comment", "namespace", "autoescape", "loopcontrol", "loopcontrol", "recursive"]
        return getattr(self, "stmt_" + rng.choice(kinds))(depth - 1)

    def print_(self):
        open_ = self.rng.choices(["{{ ", "{{- ", "{{"], [10, 1, 1])[0]
        close = self.rng.choices([" }}", " -}}"], [12, 1])[0]
        e = self.expr("any")
        if self.chance(0.03):
            e = X(e, ", ", self.expr("any"))
        return Node("stmt", open_ if open_ != "{{" else "{{ ", e, close)

    def stmt_if(self, depth):
        parts = self.tag("if ", self.expr(self.pick("bool", "bool", "any")))
        before = dict(self.scopes[-1])
        parts.append(self.body(depth))
        while self.chance(0.25):
            parts += self.tag("elif ", self.expr("bool"))
            parts.append(self.body(depth))
        if self.chance(0.4):
            parts += self.tag("else")
            parts.append(self.body(depth))
        if self.chance(0.7):
            self.scopes[-1].clear()
            self.scopes[-1].update(before)
        return Node("stmt", *parts, *self.tag("endif"))

    def stmt_for(self, depth):
        r = self.rng.randrange(7)
        name, other = self.new_name(), self.rng.choice(LOCALS)
        if r == 0:
            target, bound, over = name, {name: "int"}, X("range(", self.small(0, 4), ")")
        elif r == 1:
            target, bound, over = name, {name: "str"}, self.expr(self.pick("list:str", "str", "map"))
        elif r == 2:
            target, bound, over = name, {name: "rec"}, self.expr("list:rec")
        elif r == 3:
            target, bound = f"{name}, {other}", {name: "str", other: "int"}
            over = X(self.expr("map"), self.pick(".items()", "|dictsort", "|items"))
        elif r == 4:
            target, bound, over = name, {name: "float"}, self.expr("list:float")
        elif r == 5:
            target, bound = f"({name}, {other})", {name: "int", other: "str"}
            over = X("[[", self.expr("int", 1), ", ", self.expr("str", 1), "], (", self.expr("int", 1), ", ", self.expr("str", 1), ")]")
        else:
            target, bound, over = name, {name: "int"}, self.expr("list:int")
        test = ""
        if self.chance(0.2):
            self.scopes.append(bound)
            saved, self.loops = self.loops, 0 if not self.loops else self.loops
            test = X(" if ", self.expr("bool", 1))
            self.loops = saved
            self.scopes.pop()
        parts = self.tag(f"for {target} in ", over, test)
        parts.append(self.scoped_body(depth, bound, loops=self.loops + 1, breakable=True))
        if self.chance(0.2):
            parts += self.tag("else")
            parts.append(self.scoped_body(depth))
        return Node("stmt", *parts, *self.tag("endfor"))

    def stmt_recursive(self, depth):
        test = X(" if ", self.pick("x", "x is iterable or x > 0")) if self.chance(0.2) else ""
        body = self.pick("{{ x if x is not iterable else '(' ~ loop(x) ~ ')' }}", "{{ loop(x) if x is iterable else x }},",
                         "{% if x is iterable %}[{{ loop(x) }}]{% else %}{{ x }}{{ loop.depth }}{{ loop.index }}{% endif %}",
                         "{{ loop.depth0 }}{{ loop(x) if x is iterable }}{{ ';' if loop.last }}")
        return Node("stmt", "{% for x in ", self.pick("[1, [2, 3], [4, [5]]]", "[[1], [], [[2]]]", "[[], 1]", "[1, li]"), test, " recursive %}", body,
                    "{% endfor %}")

    def stmt_set(self, depth):
        if self.chance(0.1):
            a, b = self.rng.sample(LOCALS, 2)
            value = X(self.expr("int"), ", ", self.expr("str"))
            self.bind(a, "int")
            self.bind(b, "str")
            return Node("stmt", *self.tag(f"set {a}, {b} = ", value))
        name, type_ = self.new_name(), self.rng.choice(TYPES)
        value = self.expr(type_)
        self.bind(name, type_)
        return Node("stmt", *self.tag(f"set {name} = ", value))

    def stmt_set_block(self, depth):
        name = self.new_name()
        parts = self.tag(f"set {name}", self.pick("", "", " | upper", " | trim", " | replace('a', 'b') | upper"))
        parts.append(self.kept_body(depth))
        self.bind(name, "str")
        return Node("stmt", *parts, *self.tag("endset"))

    def stmt_with(self, depth):
        names = {}
        parts = []
        for _ in range(self.rng.randrange(3)):
            name, type_ = self.new_name(), self.rng.choice(TYPES)
            if name in names:
                continue
            parts.append(X(name, " = ", self.expr(type_)))
            names[name] = type_
        return Node("stmt", *self.tag("with ", *self.separated(parts)), self.scoped_body(depth, names), *self.tag("endwith"))

    def stmt_macro(self, depth):
        self.names += 1
        name = f"m{self.names}"
        parameters = [(p, self.rng.choice(["int", "str", "list:int", "rec"])) for p in self.rng.sample(["p", "q", "r"], self.rng.randrange(4))]
        shown = []
        default = False
        for p, type_ in parameters:
            default = default or self.chance(0.4)
            shown.append(X(p, "=", self.expr(type_, 1)) if default else p)
        parts = self.tag(f"macro {name}(", *self.separated(shown), ")")
        outer = self.macros
        self.macros = [{}] + [dict(scope) for scope in outer]
        parts.append(self.kept_body(depth, dict(parameters), loops=0))
        self.macros = outer
        caller = self.chance(0.35)
        if caller:
            parts.append(self.pick("[{{ caller() }}]", "{{ caller() if caller is defined }}", "{{ caller(1, 'a') if caller }}"))
        if self.chance(0.2):
            parts.append(self.pick("{{ varargs }}", "{{ kwargs }}", "{{ varargs|length }}{{ kwargs|length }}"))
        self.macros[-1][name] = (parameters, caller)
        return Node("stmt", *parts, *self.tag("endmacro"))

    def stmt_call(self, depth):
        call = self.macro_call(2)
        if call is None:
            return self.print_()
        names = self.pick({}, {}, {"c": "int"}, {"c": "int", "k": "str"})
        shown = f"({', '.join(names)}) " if names else " "
        body = self.kept_body(depth, names, loops=self.loops)
        return Node("stmt", *self.tag("call", shown, call), body, *self.tag("endcall"))

    def stmt_filter_block(self, depth):
        name = self.pick("upper", "trim", "replace('a', 'b')", "indent(2)", "lower | title", "e", "wordwrap(6)", "truncate(9)", "center(10)")
        return Node("stmt", *self.tag("filter ", name), self.kept_body(depth), *self.tag("endfilter"))

    def stmt_include(self, depth):
        if len(self.files) > 2 or self.chance(0.2):
            return Node("stmt", *self.tag("include ", self.pick("'nope' ignore missing", "['nope', 'f1'] ignore missing", "'f1' ignore missing")))
        name = f"f{len(self.files) + 1}"
        self.files[name] = Node("body", "")
        saved = self.loops, self.breakable, self.macros, self.scopes
        self.loops, self.breakable = 0, False
        how = self.pick("", "", "", " with context", " with context" if self.buffers else " without context")
        if how == " without context":
            self.scopes, self.macros = [{}], [{}]
        else:
            self.scopes, self.macros = [dict(s) for s in self.scopes] + [{}], [dict(m) for m in self.macros] + [{}]
        if self.chance(0.4):  # a library
            exported = Node("body", *[self.stmt_macro(depth - 1), Node("stmt", "{% set exported = ", self.expr("int"), " %}"),
                                      Node("stmt", "{% set _hidden = 1 %}")])
            macro = f"m{self.names}"
            parameters = self.macros[-1].get(macro)
            self.files[name] = exported
            self.loops, self.breakable, self.macros, self.scopes = saved
            how = self.pick("", "", " with context")
            alias = self.pick("", " as lib_m") if parameters else ""
            if self.chance(0.5) or not parameters:
                return Node("stmt", f"{{% import '{name}' as lib{how} %}}{{{{ lib.exported }}}}{{{{ lib._hidden is defined }}}}")
            self.macros[-1]["lib_m" if alias else macro] = parameters
            return Node("stmt", f"{{% from '{name}' import {macro}{alias}, exported{how} %}}{{{{ exported }}}}")
        self.files[name] = self.body(depth)
        self.loops, self.breakable, self.macros, self.scopes = saved
        return Node("stmt", *self.tag(f"include '{name}'", how))

    def stmt_do(self, depth):
        names = self.visible("list:int")
        if not names or self.chance(0.2):
            return Node("stmt", *self.tag("do ", self.expr("any")))
        change = self.pick("append(1)", "insert(0, 9)", "extend([4, 5])", "reverse()", "sort()", "clear()", "pop()", "append(li|length)")
        if self.loops and ("append" in change or "insert" in change or "extend" in change):
            change = "reverse()"  # a list that grows while it is gone through does not end
        return Node("stmt", *self.tag("do ", self.rng.choice(names), "." + change))

    def stmt_raw(self, depth):
        return Node("stmt", self.pick("{% raw %}", "{%- raw %}", "{% raw -%}"), self.pick("{{ x }}", " {% if %} ", "{# c #}", "\n a \n"),
                    self.pick("{% endraw %}", "{%- endraw -%}"))

    def stmt_comment(self, depth):
        return Node("stmt", self.pick("{#", "{#-"), self.pick(" c ", "\n", " {{ x }} "), self.pick("#}", "-#}"), self.pick("", "\n"))

    def stmt_namespace(self, depth):
        if not self.namespaces or self.chance(0.3):
            self.names += 1
            name = f"ns{self.names}"
            if len(self.scopes) == 1:
                self.namespaces.append(name)
            return Node("stmt", f"{{% set {name} = namespace(k=", self.expr("int"), f", s=", self.expr("str"), f") %}}{{{{ {name}.k }}}}")
        name = self.rng.choice(self.namespaces)
        return Node("stmt", f"{{% set {name}.k = ", self.expr("int"), f" %}}{{{{ {name}.k }}}}{{{{ {name}.s }}}}")

    def stmt_autoescape(self, depth):
        return Node("stmt", *self.tag("autoescape ", self.pick("true", "false")), self.body(depth), *self.tag("endautoescape"))

    def stmt_loopcontrol(self, depth):
        if not self.breakable:
            return self.print_()
        return Node("stmt", "{% if ", self.expr("bool", 1), " %}{% ", self.pick("break", "continue"), " %}{% endif %}")

    # ---- whole templates

    def block(self, depth, name, scoped=False, super_=False):
        names = {} if not scoped else dict(self.scopes[-1])
        saved, self.scopes = self.scopes, [self.scopes[0], names]
        loops, self.loops = self.loops, 0
        breakable, self.breakable = self.breakable, False
        body = self.body(depth)
        self.scopes, self.loops, self.breakable = saved, loops, breakable
        parts = ["{% block ", name, " scoped" if scoped else "", " %}", body]
        if super_:
            parts.append(self.pick("{{ super() }}", "{{ super()|upper }}", "{{ super() }}{{ super() }}"))
        return Node("stmt", *parts, "{% endblock %}")

    def template(self):
        """(main, files) as Nodes."""
        if self.chance(0.15):
            main = self.inheritance()
        else:
            main = self.body(self.rng.randint(1, 4), least=2)
        if self.chance(0.2):
            main.parts.append("\n")
        return main, self.files

    def inheritance(self):
        levels = self.rng.randint(2, 3)
        names = ["b1", "b2", "b3"][: self.rng.randint(1, 3)]
        base = Node("body")
        for name in names:
            base.parts.append(Node("text", self.rng.choice(TEXTS)))
            if self.chance(0.3):
                base.parts.append(self.stmt_set(1))
            if self.chance(0.3):
                self.scopes.append({"x": "int"})
                self.scopes[-1]["x"] = "int"
                block = self.block(1, name, scoped=self.chance(0.7))
                self.scopes.pop()
                base.parts.append(Node("stmt", "{% for x in [1, 2] %}", Node("body", block), "{% endfor %}"))
            else:
                base.parts.append(self.block(2, name))
        if self.chance(0.3):
            base.parts.append(Node("stmt", "{{ self.", self.rng.choice(names), "() }}"))
        self.files["base"] = base
        parent = "base"
        for level in range(1, levels):
            child = Node("body", f"{{% extends '{parent}' %}}")
            for name in names:
                if self.chance(0.3):
                    child.parts.append(self.stmt_set(1))
                if self.chance(0.2):
                    child.parts.append(self.stmt_macro(1))
                if self.chance(0.7):
                    child.parts.append(self.block(2, name, super_=self.chance(0.5)))
            if level == levels - 1:
                return child
            self.files[f"level{level}"] = child
            parent = f"level{level}"
        return child


def random_options(rng):
    options = {}
    for name in ("trim_blocks", "lstrip_blocks", "keep_trailing_newline"):
        if rng.random() < 0.3:
            options[name] = True
    if rng.random() < 0.15:
        options["autoescape"] = True
    undefined = rng.choices(["strict", "lenient", "chainable"], [5, 4, 1])[0]
    if undefined != "strict":
        options["undefined"] = undefined
    return options


def random_case(rng):
    generator = Generator(rng)
    options = random_options(rng)
    data = random_data(rng)
    main, files = generator.template()
    return {"template": main, "files": files, "data": data, "options": options}
