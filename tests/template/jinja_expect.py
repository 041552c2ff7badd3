#!/usr/bin/python3
"""jinja_expect.py: holds the fixtures to Jinja2 itself, and fills in what they expect.

    jinja_expect.py --check [NAME...]    every expected text is what Jinja2 3.1.2 renders, every error one in Jinja2 too
    jinja_expect.py --write [NAME...]    fills these sections in
    jinja_expect.py --pin [NAME...]      fills in the findings that opgen gives for errors/, to be read before they are kept

NAME picks the fixtures whose path has it as a part. `fixtures/` gets `--- expected`, `errors/` gets `--- jinja`, the
exception that Jinja2 raises, and `--- error`, opgen's findings. A fixture of errors/ where opgen means to differ from
Jinja2 says why in its option "jinja".
"""

import os
import sys

import fixture


def from_jinja(case):
    """The section that Jinja2 decides and its text (None if it decides none), or what is wrong."""
    folder = os.path.relpath(case.path, fixture.HERE).split(os.sep)[0]
    if folder == "errors" and "jinja" in case.options:
        return None, None, None
    text, error = fixture.render_fixture(case)
    if folder == "fixtures":
        if error is not None:
            return None, None, "Jinja2 fails: " + error
        return "expected", text, "an error section in fixtures/" if case.get("error") is not None else None
    if error is None:
        return None, None, "Jinja2 renders this: " + repr(text)
    return "jinja", error, "the error shows an address: " + error if " at 0x" in error else None


def from_opgen(cases):
    import batch

    renderer = batch.Renderer()
    requests = [{"template": c.get("template"), "files": c.files, "data": c.data, "options": c.options} for c in cases]
    for case, answer in zip(cases, renderer.render(requests)):
        if "crash" in answer or "odd" in answer:
            yield None, None, answer.get("crash") or answer["odd"]
        elif answer["ok"]:
            yield None, None, "opgen renders this: " + repr(answer["text"])
        else:
            yield "error", answer["text"], None


def main():
    mode, names = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if mode not in ("--check", "--write", "--pin"):
        sys.exit(__doc__)
    folders = ("errors",) if mode == "--pin" else ("fixtures", "errors")
    failed = written = 0
    cases = []
    for path in [path for folder in folders for path in fixture.find(folder, names)]:
        try:
            cases.append(fixture.read(path))
        except ValueError as error:
            failed += 1
            print(f"FAILED: {error}")
    for case, (section, text, problem) in zip(cases, from_opgen(cases) if mode == "--pin" else map(from_jinja, cases)):
        if problem is None and section is not None and case.get(section) != text:
            if mode == "--check":
                problem = f"{section} is not Jinja2's:\n    here:   {case.get(section)!r}\n    Jinja2: {text!r}"
            else:
                case.put(section, text)
                fixture.write(case)
                written += 1
                if fixture.read(case.path).get(section) != text:
                    problem = "what was written does not read back"
        if problem is not None:
            failed += 1
            print(f"FAILED: {os.path.relpath(case.path, fixture.HERE)}: {problem}")
    if mode != "--check":
        print(f"{written} written")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
