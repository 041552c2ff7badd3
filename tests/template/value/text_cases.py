"""text_cases.py SEED COUNT: cases for test_text.c with what Python makes of them, one JSON array a line.

    ["percent", format, values, result]            format % values
    ["format", format, args, keywords, result]     format.format(*args, **keywords)
    ["one", value, spec, result]                   format(value, spec)
    ["escape", value, result]                      markupsafe.escape(value)
    ["method", self, name, args, keywords, result, self afterwards]
    ["unicode", characters joined by "|", [upper, lower, title, casefold, swapcase], predicates of each as bits]

Results are repr()s; null where Python fails. A value that JSON does not have is an object with one member, which says
what it is: {"tuple": [...]}, {"safe": text}, {"float": text}, {"int": digits}, {"dict": [[key, value], ...]}.
"""

import json
import math
import random
import sys

from markupsafe import Markup, escape

CHARACTERS = list("abABz \t\n071_-+.,&<>'\"{}%:ßΣςσǆǅǄéÉﬁİı中五²½٣\u00a0\u2028\r\x1c\x85😀Ⅷª\u0301ᾳŉΐ")
STR_METHODS = """capitalize casefold center count endswith expandtabs find format format_map index isalnum isalpha isascii
    isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip
    maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines
    startswith strip swapcase title translate upper zfill""".split()
LIST_METHODS = "append clear copy count extend index insert pop remove reverse sort".split()
DICT_METHODS = "clear copy fromkeys get items keys pop popitem setdefault update values".split()
INTS = [0, 1, -1, 2, 5, -7, 10, 42, 97, 255, -255, 1234567, -1234567, 999999999, 2**31, 2**53, 10**15, -(10**18)]
INTS += [2**63 - 1, -(2**63), 2**63, 10**30, -(10**40), 0x1F600]
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 0.5, 2.5, 9.995, 999.9995, 99999.5, 1234567.891, 123456789.123, 1e15, 1e16, 1e22]
FLOATS += [1e-5, 1e-4, 0.0001234, 1e100, -1e-100, 1.7e308, 5e-324, math.inf, -math.inf, math.nan]
PREDICATES = [str.isalpha, str.isdecimal, str.isdigit, str.isnumeric, str.isspace, str.isprintable, str.isidentifier]
PREDICATES += [lambda c: ("a" + c).isidentifier(), str.islower, str.isupper, str.istitle]
LONGEST = 3000  # what is longer (a width that came by chance) tests nothing more

r = random.Random(int(sys.argv[1]))


class Unusable(Exception):
    """A case whose result differs from run to run, or that Python itself gets wrong."""


def chance(probability):
    return r.random() < probability


def encode(value):
    if isinstance(value, Markup):
        return {"safe": str.__str__(value)}
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else {"int": str(value)}
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, dict):
        return {"dict": [[encode(k), encode(v)] for k, v in value.items()]}
    items = [encode(item) for item in value]
    return {"tuple": items} if isinstance(value, tuple) else items


# ---- values


def text(most=8, safe=0.1):
    letters = r.choice([CHARACTERS, CHARACTERS, "ab", "abA <&>", "aA \t\n"])
    made = "".join(r.choice(letters) for _ in range(r.choice([0, 1, 2, 3, 5, most])))
    return Markup(made) if chance(safe) else made


def integer():
    return r.choice(INTS) if chance(0.8) else r.randint(-1000, 1000)


def real():
    if chance(0.7):
        return r.choice(FLOATS)
    return r.uniform(-1000, 1000) if chance(0.5) else r.uniform(-1, 1) * 10 ** r.randint(-20, 20)


def value(depth=0):
    kind = r.random()
    if kind < 0.25 or (kind >= 0.75 and depth == 2):
        return text()
    if kind < 0.45:
        return integer()
    if kind < 0.65:
        return real()
    if kind < 0.72:
        return chance(0.5)
    if kind < 0.75:
        return None
    many = range(r.randint(0, 3))
    if kind < 0.85:
        return [value(depth + 1) for _ in many]
    if kind < 0.92:
        return tuple(value(depth + 1) for _ in many)
    return {r.choice(["a", "b", "k", 1, "name"]): value(depth + 1) for _ in many}


def scalar():
    return r.choice([integer, integer, real, real, lambda: chance(0.5), text])()


# ---- formats


def spec():
    out = ""
    if chance(0.3):
        out += r.choice(["", "*", "0", "x", "é", "<", "_"]) + r.choice("<>=^")
    out += r.choice("+- ") if chance(0.3) else ""
    out += "z" if chance(0.1) else ""
    out += "#" if chance(0.2) else ""
    out += "0" if chance(0.25) else ""
    out += str(r.choice([0, 1, 3, 5, 8, 10, 12, 20, 21])) if chance(0.5) else ""
    out += r.choice(",_") if chance(0.25) else ""
    out += "." + str(r.choice([0, 1, 2, 3, 5, 10, 17, 20])) if chance(0.3) else ""
    out += r.choice("bcdeEfFgGnosxX%") if chance(0.6) else ""
    return out + (r.choice(["?", "d", "é", ".", "_,"]) if chance(0.03) else "")


def percent():
    out = "%"
    out += "(%s)" % r.choice(["a", "b", "name", "a(b)"]) if chance(0.15) else ""
    out += "".join(flag for flag in "-+ #0" if chance(0.2))
    out += r.choice(["*", "0", "1", "5", "8", "12", "20"]) if chance(0.4) else ""
    out += "." + r.choice(["*", "", "0", "1", "2", "5", "10", "17", "25"]) if chance(0.3) else ""
    out += r.choice("hlL") if chance(0.05) else ""
    return out + (r.choice("diuoxXeEfFgGcsra%dsfxg") if chance(0.97) else r.choice(["y", "é", "", ")"]))


NAMES = ["", "", "", "0", "0", "1", "2", "a", "k", "0[0]", "1[a]", "a[0]", "k[name]", "0[0][0]", "0[a][1]", "[0]"]
NAMES += ["0.real", "0.imag", "1.numerator", "a.b", "0[1", "x y", "٣", "-1", "0[0]x", "0..a", "0[]"]


def field(depth=0):
    out = "{" + r.choice(NAMES)
    out += "!" + r.choice("rsarsarsaxé") if chance(0.3) else ""
    if chance(0.5):
        out += ":" + spec()
        out += field(depth + 1) if depth < 3 and chance(0.15) else ""
    return out + "}"


def percent_case():
    count = r.randint(0, 3)
    form = "".join(r.choice(["", "a", "é ", "<"]) + percent() for _ in range(count))
    how = r.random()
    if how < 0.6:
        count = r.choice([count, count, count, count + 1, count + form.count("*")])
        values = tuple(scalar() if chance(0.7) else value() for _ in range(count))
    elif how < 0.8:
        values = {"a": scalar(), "b": value(), "name": text(), "a(b)": integer()}
    else:
        values = value()
    many = values if isinstance(values, tuple) else values.values() if isinstance(values, dict) else [values]
    stars = "*" in form
    if stars and any(isinstance(v, int) and abs(v) > LONGEST for v in many):
        raise Unusable
    if chance(0.12) and not any(isinstance(v, str) for v in many):
        form = Markup(form)  # whose %d reads numbers out of texts, which is not taken over
    return ["percent", form, values], lambda: form % values


def format_case():
    form = "".join(r.choice(["", "", "a", "{{", "}}", "é ", "x<y", "&"]) + field() for _ in range(r.randint(0, 3)))
    form += r.choice(["", "", "", "}", "{", "a"])
    form = Markup(form) if chance(0.15) else form
    args = tuple(value() for _ in range(r.randint(0, 3)))
    keywords = {name: value() for name in "ak" if chance(0.8)}
    return ["format", form, args, keywords], lambda: form.format(*args, **keywords)


def one_case():
    v, how = scalar() if chance(0.8) else value(), spec()
    return ["one", v, how], lambda: str(format(v, how))


def escape_case():
    v = value()
    return ["escape", v], lambda: escape(v)


# ---- methods


def part_of(whole):
    if whole and chance(0.6):
        at = r.randrange(len(whole))
        return str.__str__(whole)[at : r.randint(at, min(len(whole), at + 3))]
    return text(3)


def bounds():
    places = [None, 0, 1, 2, -1, -2, 3, 5, 100, -100, 10**30, -(10**30), True]
    return [r.choice(places) for _ in range(r.choice([0, 0, 1, 2]))]


def optional(*choices):
    return [r.choice(choices)] if chance(0.5) else []


def on_str():
    s, name, args, keywords = text(20, 0.15), r.choice(STR_METHODS), [], {}
    if name in ("center", "ljust", "rjust"):
        args = [r.choice([0, 1, 3, 5, 8, 11, -4, 20, True])] + optional("*", "é", "ab", "", "<")
    elif name == "zfill":
        s, args = r.choice([s, "-12", "+5", "--", "+"]), [r.choice([0, 1, 3, 5, 8, 11, -4, 20])]
    elif name in ("count", "find", "rfind", "index", "rindex"):
        args = [part_of(s)] + bounds()
    elif name in ("startswith", "endswith"):
        args = [r.choice([part_of(s), (part_of(s), part_of(s)), s[:1], s[-1:], ()])] + bounds()
    elif name == "expandtabs":
        args = optional(0, 1, 4, 8, -1)
        keywords = {"tabsize": 3} if not args and chance(0.5) else {}
    elif name == "format":
        s, args, keywords = s + field(), [value(), value()], {"a": value()}
    elif name == "format_map":
        s, args = s + "{a}{k!r:5}", [{"a": value(), "k": value()}]
    elif name == "join":
        args = [r.choice([[text() for _ in range(r.randint(0, 4))], s, (text(), text()), {"a": 1, "b": 2}, [1, "a"]])]
    elif name in ("strip", "lstrip", "rstrip"):
        args = optional(None, text(5), "ab", "é中", "".join(CHARACTERS[20:]) * 2)
    elif name in ("partition", "rpartition"):
        args = [part_of(s)]
    elif name in ("split", "rsplit"):
        args = [r.choice([None, part_of(s), "a", "ab", "b"])] + optional(0, 1, 2, -1, 5) if chance(0.7) else []
        keywords = {"maxsplit": r.choice([0, 1, 2, -1])} if len(args) < 2 and chance(0.4) else {}
    elif name == "splitlines":
        keywords = {"keepends": chance(0.5)} if chance(0.5) else {}
    elif name == "replace":
        args = [part_of(s), text(4)] + optional(0, 1, 2, -1)
    elif name in ("removeprefix", "removesuffix"):
        args = [r.choice([part_of(s), s[:2], s[-2:]])]
    elif name == "translate":
        table = "".join(chr(i + 1) for i in range(130))
        args = [r.choice([{97: "X", 98: None, 65: 0x4E2D, "c": 1}, table, {}, [1, 2], {97: -5}, {97: [1]}, 5])]
    elif name == "maketrans":
        args = r.choice([["ab", "cd"], ["ab", "c"], ["ab", "cd", "e"], [{"a": "b", 5: None}], [{"ab": 1}], ["x"]])
    if name.startswith("r") and chance(0.1):  # a long needle goes another way
        s, args[:1] = "xy" * 20 + s + "xy" * 12, ["xy" * 10]
    return s, name, args, keywords


def on_list():
    items = [r.choice([1, 2, 3, 1.0, "a", [1], True, None, math.nan]) for _ in range(r.randint(0, 5))]
    if chance(0.4):
        items = [n for n in (scalar() for _ in range(6)) if isinstance(n, (int, float)) and n == n]
    name, item, keywords = r.choice(LIST_METHODS), r.choice([1, 2, "a", [1], None, 9]), {}
    args = {
        "append": [item],
        "count": [item],
        "extend": [r.choice([[1, 2], "ab", (3,), {"k": 1}, 5])],
        "index": [item] + [r.choice([0, 1, -1, 10]) for _ in range(r.choice([0, 0, 1, 2]))],
        "insert": [r.choice([0, 1, -1, 99, -99]), item],
        "pop": optional(0, 1, -1, 7, -9),
        "remove": [item],
    }.get(name, [])
    if name == "sort" and chance(0.6):
        keywords = {"reverse": chance(0.5)}
    return items, name, args, keywords


def on_tuple():
    return tuple(r.choice([1, 2, "a"]) for _ in range(4)), r.choice(["count", "index"]), [r.choice([1, 2, "a", 5])], {}


def on_dict():
    items = {r.choice(["a", "b", 1, 2.5, (1, 2), None]): r.choice([1, "x", None]) for _ in range(r.randint(0, 5))}
    name, key = r.choice(DICT_METHODS), r.choice(["a", "b", 1, 1.0, True, (1, 2), [1], None, "zz"])
    args = {
        "get": [key] + optional(5),
        "pop": [key] + optional(5),
        "setdefault": [key] + optional(5),
        "fromkeys": r.choice([["ab"], [[1, 2], 0], [5]]),
        "update": r.choice([[], [{"a": 9, "n": 1}], [[["q", 1], ("r", 2)]], [["ab"]], [[[1]]], [[1]], [{}, {}], [5]]),
    }.get(name, [])
    return items, name, args, {"kw": 1, "a": 2} if name == "update" and chance(0.5) else {}


def on_number():
    if chance(0.5):
        return integer(), r.choice(["bit_length", "bit_count", "conjugate", "as_integer_ratio"]), [], {}
    f, name = real(), r.choice(["is_integer", "hex", "as_integer_ratio", "conjugate", "fromhex"])
    numbers = [f.hex(), " 0x1.8p3 ", "1.8", "-inf", "nan", "0x", "abc", "0x1p2000", "+0x.8p-1"]
    return f, name, [r.choice(numbers)] if name == "fromhex" else [], {}


def method_case():
    who, name, args, keywords = r.choice([on_str] * 7 + [on_list, on_list, on_tuple, on_dict, on_dict, on_number])()
    args = list(args)
    if chance(0.03) and name not in ("expandtabs", "splitlines"):
        args.append(value())
    if chance(0.03):
        args = args[:-1]
    if chance(0.01):
        keywords = {"sep": "a"}
    if chance(0.02) and name not in ("insert", "zfill", "center", "ljust", "rjust", "expandtabs"):
        args = [value() for _ in args]
    return ["method", who, name, args, keywords], lambda: getattr(who, name)(*args, **keywords)


# ---- what Python says


def shown(result):
    seen = repr(result)
    if len(seen) > LONGEST or " object at " in seen or "<built-in" in seen or "<bound" in seen:
        raise Unusable
    return seen


def case():
    kind, ask = r.choice([one_case] * 5 + [percent_case] * 4 + [format_case] * 4 + [escape_case] + [method_case] * 8)()
    made = kind[:1] + [encode(part) for part in kind[1:]]
    for i in {"format": [3], "method": [4]}.get(kind[0], []):
        made[i] = {name: encode(v) for name, v in kind[i].items()}
    try:
        made.append(shown(ask()))
        if kind[0] == "method":
            made.append(shown(kind[1]))
    except Unusable:
        raise
    except Exception:
        made.append(None)
        if kind[0] == "method":
            made.append(None)
    line = json.dumps(made, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError as error:  # half of a surrogate pair, which Python's texts can have
        raise Unusable from error
    return line


def unicode_blocks():
    codes = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code <= 0xDFFF]
    for at in range(0, len(codes), 256):
        block = codes[at : at + 256]
        joined = "|".join(block)
        mapped = [joined.upper(), joined.lower(), joined.title(), joined.casefold(), joined.swapcase()]
        bits = [sum(bool(is_so(c)) << i for i, is_so in enumerate(PREDICATES)) for c in block]
        yield json.dumps(["unicode", joined, [None if m == joined else m for m in mapped], bits], ensure_ascii=False)


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    made = 0
    while made < int(sys.argv[2]):
        try:
            print(case())
            made += 1
        except Unusable:
            pass
    for line in unicode_blocks():
        print(line)


main()
