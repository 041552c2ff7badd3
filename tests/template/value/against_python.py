"""against_python.py FILE: checks the lines that test_against_python.c wrote against Python itself.

    op TAB a TAB b TAB result TAB order TAB same-hash TAB repr(a)
    repr TAB a TAB text
    text TAB first code point TAB repr
    slice TAB n TAB start TAB stop TAB step TAB list TAB range TAB text TAB text      9: left out

Numbers are written as bits: i and hexadecimal digits, b for a bool, f and the 16 digits of a double.
"""

import math
import struct
import sys

MOST_BITS = 16384
OPS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
}


def number(text):
    if text[0] == "f":
        return struct.unpack(">d", bytes.fromhex(text[1:]))[0]
    return bool(int(text[1:], 16)) if text[0] == "b" else int(text[1:], 16)


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or struct.pack(">d", a) == struct.pack(">d", b)
    return a == b


def too_large(op, a, b):
    """Whether Python should not be asked: the result would be past the limit by far."""
    if op != "**" or isinstance(a, float) or isinstance(b, float) or b < 0 or abs(a) < 2:
        return False
    return (abs(a).bit_length() - 1) * b >= MOST_BITS


def wanted(op, a, b):
    if too_large(op, a, b):
        return "error"
    try:
        result = OPS[op](a, b)
    except (ZeroDivisionError, OverflowError):
        return "error"
    if isinstance(result, complex) or (isinstance(result, int) and abs(result).bit_length() > MOST_BITS):
        return "error"
    return result


def order(a, b):
    return -1 if a < b else 1 if a > b else 0 if a == b else 2


def sliced(n, start, stop, step):
    part = slice(*(None if bound == 9 else bound for bound in (start, stop)), step)
    wide = "".join(chr((0x61, 0xE9, 0x4E2D, 0x1F600)[i % 4] + i) for i in range(n))
    values = [list(range(n)), range(3, 3 + 2 * n, 2), "abcdefg"[:n], wide]
    return [repr(value[part]) for value in values]


def check(fields):
    if fields[0] == "text":
        codes = range(int(fields[1]), int(fields[1]) + 64)
        text = "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF)
        return None if repr(text) == fields[2] else repr(text)
    if fields[0] == "slice":
        right = sliced(*map(int, fields[1:5]))
        return None if right == fields[5:] else right
    if fields[0] == "repr":
        f = number(fields[1])
        return None if repr(f) == fields[2] else repr(f)
    op, a, b, result, ordered, hashed, text = fields
    a, b = number(a), number(b)
    right = wanted(op, a, b)
    if right == "error":
        if not result.startswith("error "):
            return "an error"
    elif result.startswith("error ") or not same(number(result), right):
        return f"{right!r}"
    if int(ordered) != order(a, b):
        return f"order {order(a, b)}"
    if a == b and hashed != "1":
        return "the same hash"
    if a != b and hashed == "1" and a == a and b == b:
        return "another hash"
    if text != repr(a):
        return f"repr {a!r}"
    return None


def main():
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    wrong = lines = 0
    with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
        for line in file:
            lines += 1
            fields = line.rstrip("\n").split("\t")
            complaint = check(fields)
            if complaint is not None:
                wrong += 1
                if wrong <= 20:
                    print(f"{fields}: Python has {complaint}")
    print(f"{lines} lines compared, {wrong} wrong")
    return 0 if wrong == 0 and lines > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
