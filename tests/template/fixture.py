"""fixture.py: reads and writes fixture files, and renders one with Jinja2.

A fixture is one UTF-8 file of sections. README.md in this folder describes the format; case.c reads the same files
for the C tests. This module is the only one that knows how Jinja2 is set up for comparison.
"""

import json
import os
import re
import sys
import warnings

import jinja2
import jinja2.compiler
import jinja2.nodes

warnings.simplefilter("ignore", SyntaxWarning)  # of Python, about what Jinja2 made of a template

HERE = os.path.dirname(os.path.abspath(__file__))
MAIN = "main"  # the name under which a fixture's own template is known
OPTIONS = {"trim_blocks", "lstrip_blocks", "keep_trailing_newline", "undefined", "autoescape", "jinja", "limits"}
UNDEFINED = {
    "strict": jinja2.StrictUndefined,
    "lenient": jinja2.Undefined,
    "chainable": jinja2.ChainableUndefined,
}


class Fixture:
    def __init__(self, path):
        self.path = path
        self.sections = []  # [name, text] in the order of the file

    def get(self, name, default=None):
        for key, text in self.sections:
            if key == name:
                return text
        return default

    def put(self, name, text):
        for section in self.sections:
            if section[0] == name:
                section[1] = text
                return
        self.sections.append([name, text])

    @property
    def options(self):
        return json.loads(self.get("options", "{}") or "{}")

    @property
    def data(self):
        return json.loads(self.get("data", "{}") or "{}")

    @property
    def files(self):
        return {key[5:]: text for key, text in self.sections if key.startswith("file ")}


MARKS = {"¶": "", "␉": "\t", "␍": "\r", "␋": "\v", "␌": "\f"}


def decode_line(line):
    line = line.rstrip("\n")
    if line.startswith("¶"):
        line = line[1:]
    if line.endswith("¶"):
        line = line[:-1]
    return re.sub("[␉␍␋␌]", lambda m: MARKS[m.group()], line)


def encode_line(line):
    for mark in "␉␍␋␌":
        if mark in line:
            raise ValueError("a text cannot hold the mark " + mark)
        line = line.replace(MARKS[mark], mark)
    if line.startswith("--- ") or line.startswith("¶"):
        line = "¶" + line
    if line.endswith(" ") or line.endswith("¶"):
        line += "¶"
    return line


def read(path):
    fixture = Fixture(path)
    with open(path, encoding="utf-8", newline="\n") as file:
        lines = file.read().split("\n")
    current = None
    ended = False
    for number, line in enumerate(lines, 1):
        if ended:
            if line:
                raise ValueError(f"{path}:{number}: text after --- end")
            continue
        if line == "--- end":
            ended = True
        elif line.startswith("--- "):
            name = line[4:]
            if name not in ("options", "data", "template", "expected", "error", "jinja") and not name.startswith("file "):
                raise ValueError(f"{path}:{number}: no such section: {name}")
            if fixture.get(name) is not None:
                raise ValueError(f"{path}:{number}: a second section {name}")
            current = [name, []]
            fixture.sections.append(current)
        elif current is None:
            raise ValueError(f"{path}:{number}: text before the first section")
        else:
            current[1].append(decode_line(line))
    if not ended:
        raise ValueError(f"{path}: --- end is missing")
    fixture.sections = [[name, "\n".join(text)] for name, text in fixture.sections]
    unknown = set(fixture.options) - OPTIONS
    if unknown:
        raise ValueError(f"{path}: unknown options {sorted(unknown)}")
    if fixture.get("template") is None:
        raise ValueError(f"{path}: no template")
    return fixture


def write(fixture):
    out = []
    for name, text in fixture.sections:
        out.append("--- " + name)
        out.extend(encode_line(line) for line in text.split("\n"))
    out.append("--- end")
    os.makedirs(os.path.dirname(fixture.path), exist_ok=True)
    with open(fixture.path, "w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(out) + "\n")


class PlainCode(jinja2.compiler.CodeGenerator):
    """Jinja2's compiler without its folding of constants, which loses what is Markup: folded, `"<"|e ~ "<"` is text."""

    def _output_child_to_const(self, node, frame, finalize):
        if not isinstance(node, jinja2.nodes.TemplateData):
            raise jinja2.nodes.Impossible()
        return super()._output_child_to_const(node, frame, finalize)


class PlainEnvironment(jinja2.Environment):
    code_generator_class = PlainCode


def environment(options, files, fold=True, compiled=None):
    return (jinja2.Environment if fold else PlainEnvironment)(
        optimized=fold,
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"],
        undefined=UNDEFINED[options.get("undefined", "strict")],
        trim_blocks=options.get("trim_blocks", False),
        lstrip_blocks=options.get("lstrip_blocks", False),
        keep_trailing_newline=options.get("keep_trailing_newline", False),
        autoescape=options.get("autoescape", False),
        loader=jinja2.DictLoader(files),
        cache_size=0,
        bytecode_cache=compiled,
    )


def render(template, data, options, files, fold=True, compiled=None):
    """What Jinja2 makes of it: (text, None), or (None, 'ErrorType: message'). `compiled` remembers its code (compiled.py)."""
    try:
        env = environment(options, {**files, MAIN: template}, fold, compiled)
        return env.get_template(MAIN).render(data), None
    except RecursionError:
        return None, "RecursionError"
    except MemoryError:
        return None, "MemoryError"
    except jinja2.TemplateSyntaxError as error:
        return None, f"{type(error).__name__}: {error.message} (line {error.lineno})"
    except Exception as error:  # whatever a template can make Python raise
        return None, f"{type(error).__name__}: {error}"


def render_fixture(fixture):
    return render(fixture.get("template"), fixture.data, fixture.options, fixture.files)


def find(folder, names=()):
    paths = []
    for base, _, files in os.walk(os.path.join(HERE, folder)):
        paths += [os.path.join(base, name) for name in files if name.endswith(".txt")]
    paths.sort()
    if names:
        paths = [p for p in paths if any(name in os.path.relpath(p, HERE) for name in names)]
    return paths


if jinja2.__version__ != "3.1.2" and not os.environ.get("ANY_JINJA2"):
    sys.exit(f"fixture.py: the truth is Jinja2 3.1.2, this is {jinja2.__version__} (run with /usr/bin/python3)")
