#!/usr/bin/python3
"""fit_double.py [NAME ...]: makes the coefficients and tables of opgen_many_double.h and its neighbours. Needs mpmath; no test runs it.

fit_math.py fits in double, which is not enough where the result is to be right to all of a double. Here the sum of the squares of errors at
Chebyshev's nodes is least, in 60 digits; coefficients are rounded one after the other from the lowest power up, each time fitting the rest to what
is left. Prints log2 of the greatest error, relative to the function, and the coefficients, lowest power first, as C writes them.
"""

import math
import sys

import mpmath
from mpmath import mpf

mpmath.mp.dps = 60
LOG2 = mpmath.log(2)


def nodes(low, high, count, squares):
    """Of x, or of x * x where all powers are odd, or even."""
    a, b = (low * low, high * high) if squares else (low, high)
    xs = [(a + b) / 2 - (b - a) / 2 * mpmath.cos(mpmath.pi * (i + mpf(0.5)) / count) for i in range(count)]
    return [mpmath.sqrt(x) for x in xs] if squares else xs


def fit(f, scale, powers, low, high):
    """c, and the greatest error: f(x) is about the sum of c x**power, to errors in units of scale(x)."""
    low, high, n = mpf(low), mpf(high), len(powers)
    of_squares = n > 1 and low >= 0 and all((p - powers[0]) % 2 == 0 for p in powers)
    xs = [x for x in nodes(low, high, 4 * n + 9, of_squares) if scale(x) != 0]
    columns = [[x**p / scale(x) for p in powers] for x in xs]
    left, done = [f(x) / scale(x) for x in xs], []
    for j in range(n):
        squares = mpmath.matrix(n - j, n - j)
        sums = mpmath.matrix(n - j, 1)
        for r in range(n - j):
            sums[r] = mpmath.fsum(row[j + r] * e for row, e in zip(columns, left))
            for c in range(n - j):
                squares[r, c] = mpmath.fsum(row[j + r] * row[j + c] for row in columns)
        done.append(float(mpmath.lu_solve(squares, sums)[0]))
        left = [e - mpf(done[j]) * row[j] for e, row in zip(left, columns)]
    checked = [x for x in nodes(low, high, 400, of_squares) if scale(x) != 0]
    return done, max(abs((f(x) - sum(mpf(c) * x**p for c, p in zip(done, powers))) / scale(x)) for x in checked)


def written(value):
    """As C writes it, without zeros that say nothing."""
    if value == 0:
        return "0"
    digits, exponent = value.hex().split("p")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + "p" + exponent


def off(exact):
    """How far it is from the next double, in units of that one's last place."""
    near = float(exact)
    return abs(exact - mpf(near)) / mpf(math.ulp(near))


def nearest(about, functions, tries, places=0):
    """Of the doubles about this one, whose last places are 0, that of which these functions are nearest to being doubles."""
    ulp = math.ulp(float(about)) * 2**places
    about = round(float(about) / ulp) * ulp
    candidates = (about + step * ulp for step in range(-tries, tries + 1))
    return min(candidates, key=lambda x: max(off(f(mpf(x))) for f in functions))


def logs():
    """For 12 to 24, modulo 16: a number of 51 bits about 16 / i, and its logarithms, natural and to bases 2 and 10, negative."""
    of = [lambda x: -mpmath.log(x), lambda x: -mpmath.log(x, 2), lambda x: -mpmath.log10(x)]
    rows = [[0.0] * 16 for _ in range(4)]
    for i in range(12, 25):
        x = 1.0 if i == 16 else nearest(mpf(16) / i, of, 1500, 2)
        for row, value in zip(rows, [x, *(float(f(mpf(x))) + 0.0 for f in of)]):
            row[i % 16] = value
    return rows


def log1p_logs():
    """Doubles about 15 / (15 + i), and their logarithms, negative."""
    ofs = [nearest(mpf(15) / (15 + i), [mpmath.log], 1500) if i else 1.0 for i in range(16)]
    return [ofs, [float(-mpmath.log(mpf(x))) + 0.0 for x in ofs]]


def powers():
    """2^(i / 16), and the same less 1 for i from -8 to 7, what is negative behind the others."""
    around = [i if i < 8 else i - 16 for i in range(16)]
    return [[float(mpf(2) ** (mpf(i) / 16)) for i in range(16)], [float(mpmath.expm1(LOG2 * i / 16)) for i in around]]


def pow_logs():
    """-log2 of the factors of logs(): as a sum, of which the first part has so few bits that a whole number can be added."""
    rows = [[0.0] * 16 for _ in range(2)]
    for i, x in enumerate(logs()[0]):
        if x != 0:
            exact = -mpmath.log(mpf(x), 2)
            rows[0][i] = float(mpmath.nint(exact * 2**40)) / 2**40 + 0.0
            rows[1][i] = float(exact - mpf(rows[0][i])) + 0.0
    return rows


def pow_parts():
    """What 2^(i / 16) is more than a double."""
    return [[float(mpf(2) ** (mpf(i) / 16) - mpf(float(mpf(2) ** (mpf(i) / 16)))) for i in range(16)]]


ERF_SLOPE, ERF_LESS, ERF_MOST = mpf(1.71), mpf(0.0752), mpf("5.936")


def interval(f, at, powers, low, high):
    """f there, almost a double, and coefficients of powers of the distance from low to high, relative to f."""
    value = float(f(mpf(at)))
    c, worst = fit(lambda r: f(at + r) - value, lambda r: f(at + r), range(1, powers + 1), low * mpf("1.0001"), high * mpf("1.0001"))
    print(f"    around {float(at):.3f}: {float(mpmath.log(worst, 2)):.2f}")
    return [value, *c]


def erf():
    """Of each of 8 intervals: where it is, erf there, and coefficients of powers of the distance."""
    rows = []
    for k in range(8):
        low, high = (min(ERF_MOST, (ERF_SLOPE - mpmath.sqrt(max(0, ERF_SLOPE**2 - 4 * ERF_LESS * g))) / (2 * ERF_LESS)) for g in (k - mpf("0.5"), k + mpf("0.5")))
        at = nearest((low + high) / 2, [mpmath.erf], 300) if k else 0.0
        rows.append([at, *interval(mpmath.erf, at, 14, low - at if k else mpf("1e-6"), high - at)])
    return list(zip(*rows))


def erf_near():
    """The same around multiples of 1/2 up to 3.5."""
    return list(zip(*(interval(mpmath.erf, mpf(k) / 2, 13, mpf("-0.25") if k else mpf("1e-6"), mpf("0.25")) for k in range(8))))


def log1p_exp():
    """Of each of 8 intervals around 0 to 7: log(1 + exp(-x)), and coefficients of powers of the distance."""
    return list(zip(*(interval(lambda x: mpmath.log1p(mpmath.exp(-x)), k, 13, mpf("-0.5") if k else mpf("-1e-6"), mpf("0.5")) for k in range(8))))


def atan():
    """c, what |x| is multiplied by, and atan(c), of two intervals an octave from 1/16 to 16."""
    rows = [[0.0] * 16 for _ in range(3)]
    for octave in range(-4, 4):
        for half in range(2):
            low, high = mpf(2) ** octave * (1 + mpf(half) / 2), mpf(2) ** octave * (1 + mpf(half + 1) / 2)
            middle = mpmath.tan((mpmath.atan(low) + mpmath.atan(high)) / 2)
            c = 0.0 if octave == -4 else 1.0 if octave == 3 else nearest(middle, [mpmath.atan], 300)
            at = (octave + 1023) % 8 * 2 + half
            rows[0][at], rows[1][at], rows[2][at] = c, 0.0 if octave == 3 else 1.0, float(mpmath.pi / 2 if octave == 3 else mpmath.atan(mpf(c)))
    return rows


PART = LOG2 / 32 * mpf("1.0001")
OF = mpf("0.0418")


def odd(first, n):
    return range(first, first + 2 * n, 2)


FITS = [
    ("expm1", lambda x: mpmath.expm1(x) - x, mpmath.expm1, range(2, 8), -PART, PART),
    ("exp2", lambda x: mpmath.expm1(x * LOG2), lambda x: mpf(2) ** x, range(1, 8), -mpf("0.03126"), mpf("0.03126")),
    ("near", lambda x: mpmath.expm1(x * LOG2), lambda x: mpf(2) ** x, range(1, 7), -mpf("0.03126"), mpf("0.03126")),
    ("log1p", lambda x: mpmath.log1p(x) - x + x * x / 2, mpmath.log1p, range(3, 11), -OF, OF),
    ("pow", lambda x: (mpmath.log1p(x) - x + x * x / 2) / LOG2, mpmath.log1p, range(3, 13), -OF, OF),
    ("sin", lambda x: mpmath.sin(x) - x, mpmath.sin, odd(3, 8), mpf("1e-6"), mpmath.pi / 2 * mpf("1.00001")),
    ("sin_quarter", lambda x: mpmath.sin(x) - x, mpmath.sin, odd(3, 6), mpf("1e-6"), mpmath.pi / 4 * mpf("1.00001")),
    ("cos_quarter", lambda x: mpmath.cos(x) - 1 + x * x / 2, mpmath.cos, range(4, 16, 2), mpf("1e-6"), mpmath.pi / 4 * mpf("1.00001")),
    ("atan", lambda x: mpmath.atan(x) - x, mpmath.atan, odd(3, 6), mpf("1e-6"), mpf("0.12501")),
]


def parts(x, count):
    """x as a sum of so many doubles."""
    out = []
    for _ in range(count):
        out.append(float(x - mpmath.fsum(out)))
    return out


def main(only):
    for name, f, scale, degrees, low, high in FITS:
        if not only or name in only:
            c, worst = fit(f, scale, list(degrees), low, high)
            print(f"{name}: {float(mpmath.log(worst, 2)):.2f}\n    " + " ".join(written(v) for v in c), flush=True)
    for name, rows in ("logs", logs), ("log1p_logs", log1p_logs), ("pow_logs", pow_logs), ("pow_parts", pow_parts), ("powers", powers), ("erf", erf), ("erf_near", erf_near), ("log1p_exp", log1p_exp), ("atan", atan):
        if not only or name in only:
            print(f"{name}:")
            for row in rows():
                print("    {" + ", ".join(written(v) for v in row) + "},", flush=True)
    for name, x in ("pi", mpmath.pi), ("log(2)", LOG2), ("1/log(2)", 1 / LOG2), ("1/log(10)", 1 / mpmath.log(10)), ("log10(2)", mpmath.log10(2)):
        print(f"{name}:", *(written(v) for v in parts(x, 3)))


if __name__ == "__main__":
    main(sys.argv[1:])
