#!/usr/bin/python3
"""test_differential.py: random templates, rendered by Jinja2 and by opgen, must give the same text or fail both.

Settings come from the environment: SEED (printed; case N of a seed is always the same), FIRST (the case to begin
with), COUNT (cases to run, 5000) or SECONDS (how long to go on with new ones), SHOW (differences shown before it
stops, 5), BATCH (the program that renders, made of test_fixtures.c), IGNORE (a pattern: a difference with it in opgen's
findings is only counted, so that one that is known does not hide the others). A difference is shrunk before it is shown.

generate.py says what the templates are made of and what is left out because it is Python's own.
"""

import collections
import json
import os
import random
import re
import sys
import time

import batch
import compiled
import fixture
import generate

SEED = os.environ.get("SEED", "1")
FIRST = int(os.environ.get("FIRST", "0"))
SECONDS = float(os.environ.get("SECONDS", "0"))
COUNT = int(os.environ.get("COUNT", "0" if SECONDS else "5000"))
SHOW = int(os.environ.get("SHOW", "5"))
IGNORE = os.environ.get("IGNORE")
BATCH = 50
COMPILED = compiled.Compiled()

# What Python prints of itself. A case whose text has it says nothing about templates.
ARTEFACT = re.compile(r" at 0x[0-9a-f]+|<generator|<function|<bound method|<built-in|<Macro|<TemplateModule|<Cycler|<Joiner|<class "
                      r"|<jinja2\.|<BlockReference|<dict_|<reversed|<list_|<LoopContext|&lt;(?:generator|function|bound|built-in|Macro|LoopContext)"
                      r"|GENERATOR OBJECT|<TemplateReference|<itertools|AT 0X")


def text_of(case):
    return {
        "template": str(case["template"]),
        "files": {name: str(node) for name, node in case["files"].items()},
        "data": case["data"],
        "options": case["options"],
    }


def jinja(plain):
    # The data may be changed by the template: Jinja2 gets a copy.
    return fixture.render(plain["template"], json.loads(json.dumps(plain["data"])), plain["options"], plain["files"], fold=False, compiled=COMPILED)


def compare(expected, answer):
    """None if they agree, else what kind of difference it is."""
    text, error = expected
    if "crash" in answer:
        return "crash"
    if "odd" in answer:
        return "odd: " + answer["odd"]
    if error is not None:
        return None if not answer["ok"] else "opgen renders, Jinja2 fails"
    if ARTEFACT.search(text) or "cannot be printed: its elements come one by one" in answer["text"]:
        return None  # where Python prints `<generator object ...>`, opgen has an error
    if not answer["ok"]:
        return "Jinja2 renders, opgen fails"
    return None if answer["text"] == text else "the texts differ"


# ---- shrinking


def places(node, path=()):
    """Every Node below this one with the way to it, the outer ones first."""
    for k, part in enumerate(node.parts):
        if isinstance(part, generate.Node):
            yield path + (k,), part
            yield from places(part, path + (k,))


def replaced(root, path, new):
    root = root.copy()
    node = root
    for k in path[:-1]:
        node = node.parts[k]
    if new is None:
        node.parts[path[-1]] = ""
    else:
        node.parts[path[-1]] = new.copy() if isinstance(new, generate.Node) else new
    return root


def smaller(root):
    """Versions of a template with a little less in it."""
    for path, node in places(root):
        if node.kind in ("stmt", "text", "body"):
            yield replaced(root, path, None)
        children = [p for p in node.parts if isinstance(p, generate.Node)]
        if node.kind == "stmt":
            for child in children:
                if child.kind == "body":
                    yield replaced(root, path, child)
        if node.kind == "expr":
            for child in children:
                yield replaced(root, path, child)
            for text in ("1", '"a"', "[]"):
                if str(node) != text and len(str(node)) > len(text):
                    yield replaced(root, path, text)


def shrink(case, kind, renderer):
    deadline = time.monotonic() + 30

    def still(candidate):
        plain = text_of(candidate)
        return compare(jinja(plain), renderer.render([plain])[0]) == kind

    changed = True
    while changed and time.monotonic() < deadline:
        changed = False
        for which in [None] + sorted(case["files"]):
            root = case["template"] if which is None else case["files"][which]
            for version in smaller(root):
                if time.monotonic() > deadline:
                    return case
                candidate = dict(case, template=version) if which is None else dict(case, files={**case["files"], which: version})
                if still(candidate):
                    case, changed = candidate, True
                    break
            if changed:
                break
        if changed:
            continue
        for name in sorted(case["files"]):
            candidate = dict(case, files={k: v for k, v in case["files"].items() if k != name})
            if still(candidate):
                case, changed = candidate, True
                break
        for name in sorted(case["data"]):
            candidate = dict(case, data={k: v for k, v in case["data"].items() if k != name})
            if still(candidate):
                case, changed = candidate, True
        for name in sorted(case["options"]):
            candidate = dict(case, options={k: v for k, v in case["options"].items() if k != name})
            if still(candidate):
                case, changed = candidate, True
    return case


def show(number, kind, case, renderer):
    plain = text_of(case)
    text, error = jinja(plain)
    answer = renderer.render([plain])[0]
    print(f"FAILED: case {number} of seed {SEED}: {kind}")
    print(f"    options:  {json.dumps(plain['options'])}")
    print(f"    data:     {json.dumps(plain['data'], ensure_ascii=False)}")
    print(f"    template: {plain['template']!r}")
    for name, body in plain["files"].items():
        print(f"    {name + ':':9} {body!r}")
    print(f"    Jinja2:   {text!r}" if error is None else f"    Jinja2:   {error}")
    got = answer.get("crash", answer.get("text", ""))
    print(f"    opgen:    {got!r}" if answer.get("ok") else "    opgen:    " + got.replace("\n", "\n              "), flush=True)


def main():
    if not os.path.exists(batch.PROGRAM):
        print(f"there is no {batch.PROGRAM}: run make test")
        return 1
    print(f"SEED={SEED}" + (f" FIRST={FIRST}" if FIRST else "") + (f" COUNT={COUNT}" if COUNT else f" SECONDS={SECONDS:g}"))
    renderer = batch.Renderer()
    passed = failed = rendered = artefacts = ignored = 0
    kinds = collections.Counter()
    start = time.monotonic()
    number = FIRST
    while (number - FIRST < COUNT if COUNT else time.monotonic() - start < SECONDS) and failed < SHOW:
        cases = []
        for n in range(number, number + (min(BATCH, FIRST + COUNT - number) if COUNT else BATCH)):
            cases.append(generate.random_case(random.Random(f"{SEED}:{n}")))
        plains = [text_of(case) for case in cases]
        answers = renderer.render(plains)
        for case, plain, answer in zip(cases, plains, answers):
            expected = jinja(plain)
            rendered += expected[1] is None
            artefacts += expected[1] is None and bool(ARTEFACT.search(expected[0]))
            kind = compare(expected, answer)
            if kind is None:
                passed += 1
            elif IGNORE and re.search(IGNORE, answer.get("text", "")):
                ignored += 1
            elif failed < SHOW:
                failed += 1
                kinds[kind] += 1
                show(number, kind, shrink(case, kind, renderer), renderer)
            number += 1
    COMPILED.save()
    left = renderer.close()
    if left:
        failed += 1
        print("FAILED: the program did not end in peace:\n" + left)
    share = 100 * rendered / max(1, number - FIRST)
    print(f"{number - FIRST} templates, {share:.0f} % rendered by Jinja2, {artefacts} not compared for what Python prints of itself")
    if share < 60 and number - FIRST >= 200:
        failed += 1
        print("FAILED: less than 60 % of the templates render, so too little is compared")
    if ignored:
        print(f"skipped: {ignored} differences with {IGNORE!r}")
    for kind, n in kinds.most_common():
        print(f"    {n} x {kind}")
    print(f"{passed} passed, {failed} failed, {ignored} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
