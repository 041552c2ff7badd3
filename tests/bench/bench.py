#!/usr/bin/python3
"""bench.py: opgen's template engine against Jinja2 and minijinja, and against its own goals. Called by run.sh.

Rendering and compiling are measured in processor time, which does not count what else the machine does.
Every case is measured in rounds, and in each round all engines take their turn, so that a machine that grows slower
in between is no one's advantage. What is shown is the median over the rounds. Before a case is measured, all engines
must have rendered the same text.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys

GOAL_JINJA2, GOAL_MINIJINJA, GOAL_START_MS, GOAL_MEMORY = 20, 1, 5, 3
SLICE_NS = 60e6  # what one engine gets in one round
HERE = os.path.dirname(os.path.abspath(__file__))


class Worker:
    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"bench: {self.name} ended at: {' '.join(map(str, words))[:200]}")
        return line.decode().strip()

    def output(self):
        return self.process.stdout.read(int(self.ask("output")))

    def lines(self, n, *words):
        return [int(self.ask(*words))] + [int(self.process.stdout.readline()) for _ in range(n - 1)]


# ---- the cases


PAGE = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>{{ page_title|upper }} - {{ site.name }}</title>
</head>
<body>
{% include "navigation" %}
{% macro field(label, value) %}<dt>{{ label }}</dt><dd>{{ value|e }}</dd>{% endmacro %}
<main>
  <h1>{{ page_title|title }}</h1>
  {% if user %}
  <p class="user">Signed in as {{ user.name|e }}{% if user.admin %} (admin){% endif %}</p>
  {% else %}
  <p><a href="{{ site.login }}">Sign in</a></p>
  {% endif %}
  <ul>
  {% for item in items %}
    <li class="{{ "odd" if loop.index is odd else "even" }}{% if loop.first %} first{% endif %}{% if loop.last %} last{% endif %}">
      <h2>{{ loop.index }}. {{ item.title }}</h2>
      <p>{{ item.text|replace("\\n", " ")|trim }}</p>
      <dl>{{ field("price", item.price) }}{{ field("tags", item.tags|join(", ")) }}</dl>
      {% if item.notes %}{% for note in item.notes %}<em>{{ note }}</em>{% endfor %}{% else %}<em>none</em>{% endif %}
    </li>
  {% endfor %}
  </ul>
</main>
<footer>{{ site.name }} {{ site.year }}</footer>
</body>
</html>
"""
NAVIGATION = """<nav>
  {% for entry in navigation %}
  <a href="{{ entry.href|e }}"{% if entry.href == current %} class="current"{% endif %}>{{ entry.caption }}</a>
  {% endfor %}
</nav>
"""
PAGE_DATA = {
    "page_title": "things to buy",
    "site": {"name": "The Shop", "login": "login.html", "year": 2024},
    "user": {"name": "Grace & Co", "admin": True},
    "current": "products.html",
    "navigation": [{"href": f"{n}.html", "caption": n.capitalize()} for n in "index download products blog news about".split()],
    "items": [{"title": f"Item {k}", "text": f" a text\nabout item {k} ", "price": 10 * k + 5, "tags": ["new", "cheap", f"t{k}"][: k % 3 + 1],
               "notes": [f"note {k}", "mind the gap"][: k % 3]} for k in range(6)],
}


def table(cell, rows, loop="{% for row in table %}<tr>{% for cell in row %}<td>{{ cell@ }}</td>{% endfor %}</tr>\n{% endfor %}"):
    return {"main": "<table>\n" + loop.replace("@", cell) + "</table>\n"}, {"table": rows}


def render_cases():
    ints = [[10 * r + c for c in range(10)] for r in range(1000)]
    strings = [[f"cell {r} {c}" for c in range(10)] for r in range(1000)]
    markup = [[f"<b>{r}<i> & {c}" if c % 2 else f"plain {r}" for c in range(10)] for r in range(1000)]
    dicts = [{f"k{c}": 10 * r + c for c in range(10)} for r in range(1000)]
    prices = [[(137 * (10 * r + c) % 100_000) / 100 for c in range(10)] for r in range(1000)]
    random.seed(1)
    doubles = [[random.uniform(-1000, 1000) for c in range(10)] for r in range(1000)]
    yield "table 1000x10, integers", *table("", ints)
    yield "table 1000x10, strings", *table("", strings)
    yield "table 1000x10, strings|e", *table("|e", markup)
    yield "table 1000x10, floats, 2 digits", *table("", prices)
    yield "table 1000x10, random doubles", *table("", doubles)
    yield "table 1000x10, dict|items", *table("", dicts, "{% for row in table %}<tr>{% for k, v in row|items %}<td>{{ k }}={{ v }}</td>{% endfor %}</tr>\n{% endfor %}")
    yield "page of 6 items, include", {"main": PAGE, "navigation": NAVIGATION}, PAGE_DATA


def large_template():
    part = """{# part @ #}
<section id="s@">
  {% if flags.f@ and n > @ %}<h2>{{ title|upper }} @</h2>{% elif n == @ %}{{ "just " ~ @ }}{% else %}-{% endif %}
  {% for row in rows if row.id % 7 != @ %}
    <p class="{{ loop.cycle("a", "b") }}">{{ loop.index }}: {{ row.name|e|default("none") }} {{ row.price * 1.19 + @ }}</p>
  {% else %}
    <p>nothing</p>
  {% endfor %}
  {% set total@ = rows|map(attribute="price")|sum %}{{ total@|round(2) }}
</section>
"""
    text = ""
    k = 0
    while len(text) < 100_000:
        text += part.replace("@", str(k))
        k += 1
    return text


MEMORY = [
    ("loop of strings", {"main": "{% for i in range(1000000) %}{{ text }}{% endfor %}"}, {"text": "0123456789" * 10}),
    ("loop with ~ and filters", {"main": "{% for i in range(1000000) %}{{ (text ~ i ~ text)|upper|replace('A', 'B') }}\n{% endfor %}"}, {"text": "abcdefghij" * 5}),
    ("macro calls", {"main": "{% macro row(a, b) %}<tr><td>{{ a }}</td><td>{{ b }}</td></tr>\n{% endmacro %}{% for i in range(1000000) %}{{ row(i, text) }}{% endfor %}"}, {"text": "x" * 70}),
    ("set blocks", {"main": "{% for i in range(1000000) %}{% set line %}{{ i }}: {{ text }}{% endset %}{{ line }}\n{% endfor %}"}, {"text": "x" * 90}),
    ("includes in the loop", {"main": "{% for i in range(1000000) %}{% include 'part' %}{% endfor %}", "part": "<p>{{ i }} {{ text }}</p>\n"}, {"text": "x" * 90}),
    ("list appended to and joined", {"main": "{% set ns = namespace(l=[]) %}{% for i in range(1000000) %}{% do ns.l.append(text ~ i) %}{% endfor %}{{ ns.l|join('\n') }}"}, {"text": "x" * 90}),
    ("filter block", {"main": "{% filter upper %}{% for i in range(1000000) %}{{ text }}{{ i }}\n{% endfor %}{% endfilter %}"}, {"text": "x" * 90}),
    ("text built in a namespace", {"main": "{% set ns = namespace(s='') %}{% for i in range(1000000) %}{% set ns.s = ns.s ~ text %}{% endfor %}{{ ns.s }}"}, {"text": "x" * 100}),
]


# ---- measuring


def write_case(work, name, files, data):
    folder = os.path.join(work, "cases", "".join(c if c.isalnum() else "-" for c in name))
    os.makedirs(folder, exist_ok=True)
    for file, text in {**files, "data.json": json.dumps(data)}.items():
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write(text)
    return folder


def measure(workers, command, rounds):
    """Median nanoseconds of one operation, for each worker."""
    counts = {}
    for worker in workers:
        n, total = 1, int(worker.ask(command, 1))
        while total < SLICE_NS / 10:
            n = max(n * 2, int(n * SLICE_NS / 10 / max(total, 1)))
            total = int(worker.ask(command, n))
        counts[worker] = max(1, int(n * SLICE_NS / total))
    times = {worker: [] for worker in workers}
    for _ in range(rounds):
        for worker in workers:
            times[worker].append(int(worker.ask(command, counts[worker])) / counts[worker])
    return {worker.name: statistics.median(values) for worker, values in times.items()}


def human(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.2f} {unit}"
    return f"{ns:.0f} ns"


class Report:
    def __init__(self):
        self.rows = []

    def speed(self, what, times, goal_jinja2):
        row = {"what": what, "opgen_ns": times["opgen"]}
        for peer, goal in (("jinja2", goal_jinja2), ("minijinja", GOAL_MINIJINJA)):
            if peer in times:
                row[f"{peer}_ns"] = times[peer]
                row[f"vs_{peer}"] = times[peer] / times["opgen"]
                if goal:
                    row[f"goal_{peer}"] = goal
        row["met"] = all(row[f"vs_{peer}"] >= row[f"goal_{peer}"] for peer in ("jinja2", "minijinja") if f"vs_{peer}" in row and f"goal_{peer}" in row)
        self.rows.append(row)
        cells = [f"{what:<32}", f"{human(times['opgen']):>10}"]
        for peer in ("jinja2", "minijinja"):
            if peer not in times:
                cells.append(f"{'not measured':>27}")
                continue
            goal = f"(goal {row[f'goal_{peer}']}x)" if f"goal_{peer}" in row else ""
            cells.append(f"{human(times[peer]):>10} {row[f'vs_{peer}']:6.1f}x {goal:>10}" if peer == "jinja2" else f"{human(times[peer]):>10} {row[f'vs_{peer}']:6.2f}x {goal:>10}")
        print("  ".join(cells) + ("" if row["met"] else "  missed"), file=self.out, flush=True)

    def value(self, what, value, unit, goal, extra=""):
        met = value <= goal
        self.rows.append({"what": what, "value": value, "unit": unit, "goal": goal, "met": met})
        print(f"{what:<32}  {value:10.2f} {unit:<12} (goal {goal} {unit}){extra}" + ("" if met else "  missed"), file=self.out, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opgen", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--minijinja", default="", help="a Python that has minijinja")
    parser.add_argument("--work", required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", help="part of the name of what is measured")
    options = parser.parse_args()
    report = Report()
    report.out = sys.stderr if options.json else sys.stdout
    say = lambda text: print(text, file=report.out, flush=True)
    wanted = lambda name: options.only in name

    opgen = Worker("opgen", [options.program])
    workers = [opgen, Worker("jinja2", [sys.executable, "-B", os.path.join(HERE, "peers.py"), "jinja2"])]
    if options.minijinja:
        workers.append(Worker("minijinja", [options.minijinja, "-B", os.path.join(HERE, "peers.py"), "minijinja"]))
    else:
        say("minijinja is not measured: it could not be installed from PyPI")

    import jinja2

    minijinja = subprocess.run([options.minijinja, "-c", "from importlib.metadata import version; print(version('minijinja'))"], capture_output=True,
                               text=True).stdout.strip() if options.minijinja else "not measured"
    say(f"jinja2 {jinja2.__version__} on Python {platform.python_version()}; minijinja {minijinja}; {platform.machine()}, {os.cpu_count()} cores")
    say(f"median of {options.rounds} interleaved rounds, processor time; minijinja with its data converted beforehand, its output made into a Python string\n")
    say(f"{'rendering':<32}  {'opgen':>10}  {'Jinja2':>10} {'':>18}  {'minijinja':>10}")
    for name, files, data in render_cases():
        if not wanted(name):
            continue
        folder = write_case(options.work, name, files, data)
        for worker in workers:
            worker.ask("load", folder)
        texts = {worker.name: worker.output() for worker in workers}
        for worker in workers:
            if texts[worker.name] != texts["jinja2"]:
                sys.exit(f"bench: {worker.name} renders another text than Jinja2 for {name}:\n{texts[worker.name][:600]!r}\n{texts['jinja2'][:600]!r}")
        report.speed(name, measure(workers, "render", options.rounds), GOAL_JINJA2)

    say(f"\n{'parsing and compiling':<32}  {'opgen':>10}  {'Jinja2':>10} {'':>18}  {'minijinja':>10}")
    large = large_template()
    for name, files, data in (("compile the page", {"main": PAGE, "navigation": NAVIGATION}, PAGE_DATA),
                              (f"compile {len(large) // 1000} kB", {"main": large}, {})):
        if not wanted(name):
            continue
        folder = write_case(options.work, name, files, data)
        for worker in workers:
            worker.ask("load", folder)
        report.speed(name, measure(workers, "compile", options.rounds), None)

    say("\nthe command")
    name = "start to exit, small template"
    if wanted(name):
        folder = write_case(options.work, name, {"main": "Hello {{ name }}!\n{% for i in range(3) %}{{ i }}\n{% endfor %}"}, {"name": "world"})
        command = [os.path.abspath(options.opgen), "render", os.path.join(folder, "main"), os.path.join(folder, "data.json")]
        runs, floor = [], []
        for _ in range(10):
            runs += opgen.lines(5, "spawn", 5, *command)
            floor += opgen.lines(5, "spawn", 5, "/bin/true")
        report.value(name, statistics.median(runs) / 1e6, "ms", GOAL_START_MS,
                     f"; best {min(runs) / 1e6:.2f} ms; /bin/true: median {statistics.median(floor) / 1e6:.2f} ms, best {min(floor) / 1e6:.2f} ms")

    say("\npeak memory of a render of about 100 MB, by the size of its output")
    for shape, files, data in MEMORY:
        if not wanted(shape):
            continue
        folder = write_case(options.work, "memory " + shape, files, data)
        target = os.path.join(options.work, "output")
        status, peak, ns = map(int, opgen.ask("peak", target, os.path.abspath(options.opgen), "render", os.path.join(folder, "main"),
                                              os.path.join(folder, "data.json")).split())
        size = os.path.getsize(target)
        os.unlink(target)
        if status != 0 or size < 90e6:
            sys.exit(f"bench: opgen render ended with {status} and {size} bytes for {shape}")
        report.value(shape, peak * 1024 / size, "x output", GOAL_MEMORY, f"; {size / 1e6:.0f} MB in {ns / 1e9:.2f} s, {size / 1e6 / (ns / 1e9):.0f} MB/s")

    missed = sum(not row["met"] for row in report.rows)
    if options.json:
        print(json.dumps({"jinja2": jinja2.__version__, "minijinja": minijinja, "rounds": options.rounds, "rows": report.rows}, indent=1))
    say(f"\n{len(report.rows) - missed} goals met, {missed} missed")


main()
