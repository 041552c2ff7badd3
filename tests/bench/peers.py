"""peers.py: Jinja2 or minijinja under a clock, with the commands of render_bench.c: load, output, render, compile.

    peers.py jinja2|minijinja

Each gets its data in the way that suits it best. Jinja2 is given the dict itself. minijinja is given it as globals of
its environment, so that it is converted from Python once and not at each rendering; its times include one call into
the extension and the making of one Python string from the output.
"""

import json
import os
import sys
import time


class Jinja2:
    def load(self, files, data):
        import jinja2

        self.env = jinja2.Environment(loader=jinja2.DictLoader(files), undefined=jinja2.StrictUndefined)
        self.template = self.env.get_template("main")
        self.source, self.data = files["main"], data

    def render(self):
        return self.template.render(self.data)

    def compile(self):
        return self.env.from_string(self.source)


class MiniJinja:
    def load(self, files, data):
        import minijinja

        self.env = minijinja.Environment(templates=files)
        self.env.undefined_behavior = "strict"
        for name, value in data.items():
            self.env.add_global(name, value)
        self.source = files["main"]

    def render(self):
        return self.env.render_template("main")

    def compile(self):
        self.env.add_template("compiled", self.source)


def main():
    engine = {"jinja2": Jinja2, "minijinja": MiniJinja}[sys.argv[1]]()
    out = sys.stdout.buffer
    for line in sys.stdin:
        command, *words = line.split()
        if command == "load":
            files, data = {}, {}
            for name in os.listdir(words[0]):
                with open(os.path.join(words[0], name), encoding="utf-8", newline="") as file:
                    files[name] = file.read()
            if "data.json" in files:
                data = json.loads(files.pop("data.json"))
            engine.load(files, data)
            out.write(b"ok\n")
        elif command == "output":
            text = engine.render().encode()
            out.write(b"%d\n" % len(text) + text)
        else:
            work = engine.render if command == "render" else engine.compile
            n = int(words[0])
            start = time.process_time_ns()
            for _ in range(n):
                work()
            out.write(b"%d\n" % (time.process_time_ns() - start))
        out.flush()


main()
