#!/usr/bin/python3
"""jinja_expect.py: holds the fixtures to Jinja2 itself.

    jinja_expect.py --check [NAME...]    every expected text is what Jinja2 3.1.2 renders, every error one in Jinja2 too
    jinja_expect.py --write [NAME...]    fills these sections in

NAME picks the fixtures whose path has it as a part. `fixtures/` gets `--- expected`; `errors/` gets `--- jinja`, the
exception that Jinja2 raises. (The message that opgen gives, `--- error`, is written by `test_fixtures --write` and read
by a person.) A fixture of errors/ where opgen means to differ from Jinja2 says why in its option "jinja".
"""

import sys

import fixture


def outcome(case, folder):
    """The section that Jinja2 decides and its text, or an error."""
    if folder == "errors" and "jinja" in case.options:
        return None, None, None
    text, error = fixture.render_fixture(case)
    if folder == "fixtures":
        if error is not None:
            return None, None, "Jinja2 fails: " + error
        if case.get("error") is not None:
            return None, None, "an error section in fixtures/"
        return "expected", text, None
    if error is None:
        return None, None, "Jinja2 renders this: " + repr(text)
    if "memory at 0x" in error or " at 0x" in error:
        return None, None, "the error shows an address: " + error
    return "jinja", error, None


def main():
    args = sys.argv[1:]
    if not args or args[0] not in ("--check", "--write"):
        sys.exit(__doc__)
    passed = failed = written = 0
    for folder in ("fixtures", "errors"):
        for path in fixture.find(folder, args[1:]):
            try:
                case = fixture.read(path)
                section, text, problem = outcome(case, folder)
                if problem is None and section is not None and case.get(section) != text:
                    if args[0] == "--write":
                        case.put(section, text)
                        fixture.write(case)
                        written += 1
                        if fixture.read(path).get(section) != text:
                            problem = "what was written does not read back"
                    else:
                        problem = f"{section} is not Jinja2's:\n  here:   {case.get(section)!r}\n  Jinja2: {text!r}"
            except ValueError as error:
                problem = str(error)
            if problem is None:
                passed += 1
            else:
                failed += 1
                print(f"{path}: {problem}")
    if args[0] == "--write":
        print(f"jinja_expect: {written} written")
    print(f"jinja_expect: {passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or passed == 0 else 0)


main()
