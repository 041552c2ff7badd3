#!/usr/bin/python3
"""fit_math.py [NAME ...]: makes the coefficients of opgen_exp.h, opgen_double.h, opgen_double_trig.h, opgen_double_hyperbolic.h, opgen_trig.h, opgen_many.h, opgen_many_v3.h, opgen_many_trig.h, opgen_many_inverse.h, opgen_many_pairs.h, opgen_half.h,
opgen_half_inverse.h, opgen_half_v3.h, opgen_powers.h and opgen_intervals.h. Needs mpmath and numpy; no test runs it.

Each polynomial is the one whose greatest error, divided by what the error is measured against, is least (found by Lawson's method: least squares
again and again, where what is far off weighs more). Its coefficients are then rounded to what they are stored in, one after the other from the
lowest power up, each time fitting the rest to what is left. Prints log2 of the greatest error before and after rounding, and the coefficients,
lowest power first, as C writes them. Those of doubles are rounded to fewer bits than a double has, where a float needs no more.
"""

import sys

import mpmath
import numpy as np
from mpmath import mpf

mpmath.mp.dps = 60
LOG2 = mpmath.log(2)
LOG10 = mpmath.log(10)


def lawson(target, basis):
    """The c for which max |target - basis c| is least."""
    weight = np.ones(len(target)) / len(target)
    scale = np.max(np.abs(basis), axis=0)
    best, least = None, np.inf
    for _ in range(1000):
        root = np.sqrt(weight)
        c = np.linalg.lstsq(basis * root[:, None] / scale, target * root, rcond=None)[0] / scale
        error = np.abs(target - basis @ c)
        if np.max(error) < least:
            best, least = c, np.max(error)
        weight = weight * error
        if not np.sum(weight) > 0:
            break
        weight /= np.sum(weight)
    return best, least


def rounded(value, bits):
    digits, exponent = np.frexp(value)
    return float(np.ldexp(np.rint(np.ldexp(digits, bits)), exponent - bits))


def fit(f, scale, powers, low, high, bits, points=600):
    """c, and its greatest error before and after rounding: f(x) is about the sum of c x**power, to errors in units of scale(x)."""
    low, high = mpf(low), mpf(high)
    xs = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * (k + mpf(0.5)) / points) for k in range(points)]
    exact = [f(x) / scale(x) for x in xs]
    columns = [[x**p / scale(x) for p in powers] for x in xs]
    basis = np.array([[float(v) for v in row] for row in columns])
    done, ideal = [], None
    for i in range(len(powers)):
        left = np.array([float(e - sum(mpf(c) * v for c, v in zip(done, row))) for e, row in zip(exact, columns)])
        c, most = lawson(left, basis[:, i:])
        ideal = most if ideal is None else ideal
        done.append(rounded(c[0], bits))
    got = max(abs(float(e - sum(mpf(c) * v for c, v in zip(done, row)))) for e, row in zip(exact, columns))
    return done, ideal, got


def nodes(low, high, n):
    """Where polynomials that have these values are about as near as they get in between."""
    return [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * (k + mpf(0.5)) / n) for k in range(n)]


def fit_wide(f, scale, powers, low, high):
    """As fit, in 53 bits, by least squares alone, but those of 60 digits."""
    low, high, step = mpf(low), mpf(high), powers[1] - powers[0]
    xs = [mpmath.root(v, step) if step > 1 else v for v in nodes(low**step, high**step, 3 * len(powers))]
    rows = [[x**p / scale(x) for p in powers] for x in xs]
    left, done, ideal = [f(x) / scale(x) for x in xs], [], None
    for i in range(len(powers)):
        c = mpmath.lu_solve(mpmath.matrix([row[i:] for row in rows]), mpmath.matrix(left))
        ideal = ideal or max(abs(e - sum(a * v for a, v in zip(c, row))) for e, row in zip(left, rows))
        done.append(near_double(c[0], 53))
        left = [e - mpf(done[i]) * row[i] for e, row in zip(left, rows)]
    return done, float(ideal), float(max(map(abs, left)))


def near_double(value, bits):
    """As rounded, of what has more digits."""
    digits, exponent = mpmath.frexp(value)
    return float(mpmath.ldexp(mpmath.nint(mpmath.ldexp(digits, bits)), exponent - bits))


def parts_of(value, bits, n):
    """A sum of n doubles, of which all but the last have so many bits."""
    parts = []
    for i in range(n):
        parts.append(near_double(value - sum(map(mpf, parts)), bits if i < n - 1 else 53))
    return parts


def wide_quotient(f, above, below, at):
    """P and Q, polynomials that begin with 1, which is not given back: P / Q is about f(x). And the greatest error. at(n) is n operands."""
    xs = at(above + below)
    rows = mpmath.matrix([[x**i for i in range(1, above + 1)] + [-f(x) * x**i for i in range(1, below + 1)] for x in xs])
    c = [near_double(v, 53) for v in mpmath.lu_solve(rows, mpmath.matrix([f(x) - 1 for x in xs]))]

    def quotient(x):
        return (1 + sum(mpf(v) * x**i for i, v in enumerate(c[:above], 1))) / (1 + sum(mpf(v) * x**i for i, v in enumerate(c[above:], 1)))

    return c, float(max(abs(quotient(x) / f(x) - 1) for x in at(400)))


def tan_quotient():
    """Of q, the square of x: tan(x) / x."""
    return wide_quotient(lambda q: mpmath.tan(mpmath.sqrt(q)) / mpmath.sqrt(q), 3, 4, lambda n: nodes(0, QUARTER_PI**2, n))


def erfc_quotient():
    """erfc(x) * exp(x^2) for x from 0 to 28, by what is as good for (x - 3.4) / (x + 3.4)."""
    return wide_quotient(lambda x: mpmath.erfc(x) * mpmath.exp(x * x), 10, 11,
                         lambda n: [mpf("3.4") * (1 + t) / (1 - t) for t in nodes(mpf(-1), mpf("24.6") / mpf("31.4"), n)])


def written(value, bits):
    """Hexadecimal without zeros at its end, an f behind that of a float."""
    digits, exponent = value.hex().split("p")
    digits = digits.rstrip("0") if "." in digits else digits
    return f"{digits.rstrip('.')}p{exponent}" + ("f" if bits == 24 else "")


HALF = mpf("0.5005")
HALF_LOG2 = HALF * LOG2
SIXTEENTH = mpf(1) / 32 * mpf("1.001")
SIXTEENTH_LOG2 = mpf(1) / 32 * LOG2 * mpf("1.0001")
CENTRE = mpf(1) / 64
CENTRE_31 = mpf(1) / 62 * mpf("1.001")
QUARTER_PI = mpmath.pi / 4 * mpf("1.000001")
THIRD = mpf(1) / 3 + mpf("1e-6")
THIRD_AND_MORE = mpf(1) / 3 * mpf("1.0001")
EIGHTH = mpf(1) / 8 * mpf("1.0001")
EIGHTH_LOG2 = LOG2 / 8 * mpf("1.0001")
HALF_PI = mpmath.pi / 2
POW_REST = mpf("0.02978515625")  # the most that pow_logs leaves


def odd(first, n):
    return list(range(first, first + 2 * n, 2))


def atanh_log2(s):
    return mpmath.log((1 + s) / (1 - s), 2)


def at(t):
    return 3 * (1 + t) / (1 - t)


def at_2(t):
    return 2 * (1 + t) / (1 - t)


def scaled_erfc(t):
    return mpmath.erfc(at(t)) * mpmath.exp(at(t) ** 2)


# name, f, scale, powers, interval, bits
FITS = [
    # in float
    ("exp_near", lambda x: mpmath.expm1(x) - x, mpmath.exp, range(2, 7), -HALF_LOG2, HALF_LOG2, 24),
    ("exp2_near", lambda x: 2**x - 1, lambda x: 2**x, range(1, 7), -HALF, HALF, 24),
    ("expm1", lambda x: mpmath.expm1(x) - x, mpmath.expm1, range(2, 8), -0.55, 0.55, 24),
    ("log_near", lambda x: mpmath.log1p(x) - x, mpmath.log1p, range(2, 11), -THIRD, THIRD, 24),
    ("tanh", lambda x: mpmath.tanh(x) - x, mpmath.tanh, odd(3, 5), 1e-3, 0.625, 24),
    ("erf_small", lambda x: mpmath.erf(x) - x, mpmath.erf, odd(1, 6), 1e-3, "0.9", 24),
    ("erf_large", lambda x: mpmath.log(mpmath.erfc(x), 2), lambda x: mpmath.erf(x) / mpmath.erfc(x) / LOG2, range(1, 7), "0.9", 4, 24),
    ("sine_sin", lambda x: mpmath.sin(x) - x, mpmath.sin, odd(3, 3), 1e-3, QUARTER_PI, 24),
    ("sine_cos", lambda x: mpmath.cos(x) - 1, mpmath.cos, odd(2, 4), 1e-3, QUARTER_PI, 24),
    # in float, of many at once
    ("exp_many", lambda x: mpmath.expm1(x) - x, mpmath.exp, range(2, 4), -SIXTEENTH_LOG2, SIXTEENTH_LOG2, 24),
    ("expm1_many", lambda x: mpmath.expm1(x) - x, mpmath.expm1, range(2, 5), -SIXTEENTH_LOG2, SIXTEENTH_LOG2, 24),
    ("log_many", lambda x: mpmath.log1p(x) - x, mpmath.log1p, range(2, 5), -CENTRE, CENTRE, 24),
    ("exp2_many", lambda x: 2**x - 1, lambda x: 2**x, range(1, 4), -SIXTEENTH, SIXTEENTH, 24),
    ("log2_many", lambda x: (mpmath.log1p(x) - x) / LOG2, lambda x: mpmath.log1p(x) / LOG2, range(2, 5), -CENTRE, CENTRE, 24),
    ("log10_many", lambda x: (mpmath.log1p(x) - x) / LOG10, lambda x: mpmath.log1p(x) / LOG10, range(2, 5), -CENTRE, CENTRE, 24),
    ("sinh_many", lambda x: mpmath.sinh(x) - x, mpmath.sinh, odd(3, 4), 1e-3, "1.0001", 24),
    ("log1p_exp_many", lambda x: mpmath.log1p(x) - x, mpmath.log1p, range(2, 5), -CENTRE_31, CENTRE_31, 24),
    ("tan_many", lambda x: mpmath.tan(x) - x, mpmath.tan, odd(3, 6), 1e-3, QUARTER_PI, 24),
    ("atan_many", lambda x: mpmath.atan(x) - x, mpmath.atan, odd(3, 8), 1e-3, 1, 24),
    ("asin_many", lambda x: mpmath.asin(x) - x, mpmath.asin, odd(3, 5), 1e-3, mpf("0.50005"), 24),
    ("atanh_many", lambda x: mpmath.atanh(x) - x, mpmath.atanh, odd(3, 4), 1e-3, THIRD_AND_MORE, 24),
    ("twice_atanh_many", lambda x: 2 * mpmath.atanh(x / 2) - x, lambda x: 2 * mpmath.atanh(x / 2), odd(3, 4), 1e-3, 2 * THIRD_AND_MORE, 24),
    # in float, of many at once on x86-64-v3; the sine is a little less at its end
    ("exp_v3", lambda x: mpmath.expm1(x) - x, mpmath.exp, range(2, 5), -EIGHTH_LOG2, EIGHTH_LOG2, 24),
    ("exp2_v3", lambda x: 2**x - 1, lambda x: 2**x, range(1, 5), -EIGHTH, EIGHTH, 24),
    ("exp2_half_v3", lambda x: 2**x - 1, lambda x: 2**x, range(1, 4), -EIGHTH, EIGHTH, 24),
    ("sine_v3", lambda x: mpmath.sin(x) * (1 - mpf("4e-8") * (x / HALF_PI) ** 8) - x, mpmath.sin, odd(3, 4), 1e-3, HALF_PI * mpf("1.0001"), 24),
    ("log2_of_rest_v3", lambda x: (mpmath.log1p(x) - x) / LOG2, lambda x: mpmath.log1p(x) / LOG2, range(2, 11), -THIRD, THIRD, 24),
    ("log1p_of_power_v3", lambda d: 2 * mpmath.atanh(d / 2) - d, lambda d: 2 * mpmath.atanh(d / 2), odd(3, 4), 1e-3, mpf(2) / 3, 24),
    # in float, for results in 16 bits
    ("power_half", lambda x: 2**x - 1, lambda x: 2**x, range(1, 3), -SIXTEENTH, SIXTEENTH, 24),
    ("power_less_1_half", lambda x: 2**x - 1, lambda x: 2**x - 1, range(1, 4), 1e-5, SIXTEENTH, 24),
    ("log1p_half", mpmath.log1p, mpmath.log1p, range(1, 6), 1e-6, 1, 24),
    ("sinh_half", mpmath.sinh, mpmath.sinh, odd(1, 2), 1e-3, 0.7, 24),
    ("sine_half", mpmath.sin, mpmath.sin, odd(1, 4), 1e-3, HALF_PI * mpf("1.0001"), 24),
    ("tan_half", mpmath.tan, mpmath.tan, odd(1, 5), 1e-3, QUARTER_PI, 24),
    ("atan_half", mpmath.atan, mpmath.atan, odd(1, 5), 1e-3, 1, 24),
    ("asin_half", mpmath.asin, mpmath.asin, odd(1, 4), 1e-3, mpf("0.50005"), 24),
    ("atanh_half", lambda x: mpmath.atanh(x) - x, mpmath.atanh, [3], 1e-3, (mpmath.sqrt(2) - 1) ** 2 * mpf("1.001"), 24),
    ("erfc_half", lambda t: scaled_erfc_of(t), lambda t: scaled_erfc_of(t), range(4), 1 / mpf("11.7"), 1 / mpf("1.4"), 24),
    ("pow_half_log2", lambda x: mpmath.log1p(x) / LOG2, lambda x: mpmath.log1p(x) / LOG2, range(1, 4), -mpf(1) / 64, mpf(1) / 32, 24),
    # in pairs of floats, of many pairs at once: what is near 0 is exact in units of it, what is further off of 0.06
    ("pow_log", lambda r: mpmath.log1p(r) - r + r * r / 2, lambda r: mpmath.log1p(r) if abs(r) < 0.0172 else mpf("0.06"), range(3, 6), -POW_REST, POW_REST, 24),
    ("pow_exp", lambda x: mpmath.expm1(x) - x, mpmath.exp, range(2, 4), -LOG2 / 32, LOG2 / 32, 24),
    # in double, of many pairs at once
    ("pow_log2", lambda x: mpmath.log1p(x) / LOG2, lambda x: mpmath.log1p(x) / LOG2, range(1, 7), -mpf(1) / 26, mpf(1) / 24, 46),
    ("pow_exp2", lambda x: 2**x - 1, lambda x: 2**x, range(1, 4), -SIXTEENTH, SIXTEENTH, 46),
    # in double, of doubles: the first of exp(x) - 1 - x - x^2 / 2
    ("expm1_f64", lambda x: mpmath.expm1(x) - x - x * x / 2, mpmath.expm1, range(3, 13), -mpf("0.50001") * LOG2, mpf("0.50001") * LOG2, 53),
    ("log_f64", lambda s: 2 * mpmath.atanh(s) - 2 * s, lambda s: 2 * mpmath.atanh(s), odd(3, 7), mpf("1e-3"), (mpmath.sqrt(2) - 1) ** 2 * mpf("1.0001"), 53),
    ("erf_small_f64", lambda x: mpmath.erf(x) - x, mpmath.erf, odd(1, 12), mpf("1e-3"), mpf("0.9") * mpf("1.0001"), 53),
    ("erf_large_f64", lambda t: mpmath.erfc(at_2(t)) * mpmath.exp(at_2(t) ** 2), lambda t: mpmath.exp(at_2(t) ** 2) * mpmath.erf(at_2(t)), range(13),
     (mpf("0.9") - 2) / (mpf("0.9") + 2), mpf(4) / 8, 53),
    # in double
    ("exp2_wide", lambda x: 2**x - 1, lambda x: 2**x, range(1, 7), -HALF, HALF, 40),
    ("log2_wide", atanh_log2, atanh_log2, odd(1, 6), 1e-3, "0.2000001", 46),
    ("sinh", lambda x: mpmath.sinh(x) - x, mpmath.sinh, odd(3, 4), 1e-3, 1, 40),
    ("erfc", scaled_erfc, scaled_erfc, range(12), -1, (mpf("10.3") - 3) / (mpf("10.3") + 3), 40),
    ("sin_near", lambda x: mpmath.sin(x) - x, mpmath.sin, odd(3, 3), 1e-3, QUARTER_PI, 40),
    ("cos_near", lambda x: mpmath.cos(x) - 1, mpmath.cos, odd(2, 4), 1e-3, QUARTER_PI, 40),
    ("asin_near", lambda x: mpmath.asin(x) - x, mpmath.asin, odd(3, 6), 1e-3, 0.5, 40),
    ("atan_near", lambda x: mpmath.atan(x) - x, mpmath.atan, odd(3, 10), 1e-3, 1, 40),
]


# As FITS, of which fit would want more digits than a double has.
WIDE = [
    ("sin_f64", lambda x: mpmath.sin(x) - x, mpmath.sin, odd(3, 6), 1e-3, QUARTER_PI),
    ("cos_f64", lambda x: mpmath.cos(x) - 1 + x * x / 2, mpmath.cos, odd(4, 6), 1e-3, QUARTER_PI),
    ("asin_f64", lambda x: mpmath.asin(x) - x, mpmath.asin, odd(3, 12), 1e-3, mpf("0.500001")),
    ("atan_f64", lambda x: mpmath.atan(x) - x, mpmath.atan, odd(3, 19), 1e-3, 1),
    ("sinh_f64", lambda x: mpmath.sinh(x) - x, mpmath.sinh, odd(3, 5), 1e-3, mpf("0.50001") * LOG2),
    ("cosh_f64", lambda x: mpmath.cosh(x) - 1 - x * x / 2, mpmath.cosh, odd(4, 4), 1e-3, mpf("0.50001") * LOG2),
    ("twice_atanh_f64", lambda s: 2 * mpmath.atanh(s) - 2 * s, lambda s: 2 * mpmath.atanh(s), odd(3, 7), 1e-3, mpf("0.2001")),
    ("cbrt_f64", lambda e: (1 - e) ** (-mpf(2) / 3) - 1, lambda e: (1 - e) ** (-mpf(2) / 3), range(1, 13), mpf("-0.108"), mpf("0.112")),
    ("log2_wide_f64", lambda s: (2 * mpmath.atanh(s) - 2 * s - 2 * s**3 / 3) / LOG2, lambda s: 2 * mpmath.atanh(s) / LOG2, odd(5, 7), 1e-3,
     (mpmath.sqrt(2) - 1) ** 2 * mpf("1.0001")),
]


# name, f, width of an interval, powers, whether in the first the polynomial is that of f(x) - x, what is added to f that its errors are measured by,
# whether the distance is that from the middle itself
TABLES = [
    ("erf_table", mpmath.erf, 0.125, 5, True, 0, True),
    ("tanh_table", mpmath.tanh, 0.29, 6, False, 0, False),
    ("log1p_exp_below_table", lambda x: mpmath.log1p(mpmath.exp(-x)), 0.5, 5, False, 0, True),
    ("gelu_table", lambda x: mpmath.erf(x / mpmath.sqrt(2)) / 2, 0.18, 4, False, 0.5, False),
    ("gelu_tanh_table", lambda x: mpmath.tanh(mpf("0.7978845608028654") * (x + mpf("0.044715") * x**3)) / 2, 0.18, 4, False, 0.5, False),
]


def middle(f, at, width, below):
    """Of the floats about `at` the one whose f is nearest to being a float; not beyond it where what is subtracted from it would not be exact."""
    step, found = float(np.spacing(np.float32(at))), []
    for i in range(400):
        x = float(np.float32(at + (i // 2) * step * (1 if i % 2 and not below else -1)))
        y = float(f(mpf(x)))
        found.append((abs(float(f(mpf(x)) - mpf(rounded(y, 24)))) / float(np.spacing(np.float32(y))), x))
    return min(found)[1]


def table(f, width, powers, near, beside, at_middle):
    """A row of each of 32 intervals: where it is if not in its middle, f there, coefficients of powers of the distance; and the greatest error of
    all."""
    rows, worst = [], 0
    for k in range(32):
        at = k * width if at_middle or not k else middle(f, k * width, width, k == 1)
        value = rounded(float(f(mpf(at))), 24)
        low, high = mpf(k * width - width * 0.5001) - at, mpf(k * width + width * 0.5001) - at

        def rest(r, at=at, value=value, k=k):
            return f(at + r) - value - (r if near and k == 0 else 0)

        c, _, got = fit(rest, lambda r, at=at: beside + f(at + r), range(1, powers + 1), low if k else width * mpf("1e-4"), high, 24, 120)
        rows.append([value, *c] if at_middle else [at, value, *c])
        worst = max(worst, got)
    return rows, worst


def power_table():
    """2^(i / 16), and less 1 for i from -8 to 7, what is negative behind the others; 2^(i / 32)."""
    around = [i if i < 8 else i - 16 for i in range(16)]
    return [[rounded(float(2 ** (mpf(i) / 16)), 24) for i in range(16)], [rounded(float(mpmath.expm1(LOG2 * i / 16)), 24) for i in around],
            [rounded(float(2 ** (mpf(i) / 32)), 24) for i in range(32)]]


def nearest_logs(about, bases):
    """Of the floats about this one the one whose logarithms to these bases are nearest to being floats, and those, negative."""
    found, about = [], np.float32(about)
    for step in range(-2000, 2001) if about != 1 else [0]:
        of = float(about) + step * float(np.spacing(about))
        exact = [-mpmath.log(mpf(of)) / mpmath.log(base) for base in bases]
        near = [rounded(float(log), 24) for log in exact]
        found.append((max(abs(log - mpf(n)) / mpf(float(np.spacing(np.float32(abs(n))))) for log, n in zip(exact, near)), of, *near))
    return min(found)[1:]


def log_table():
    """For 24 to 48, modulo 32: a float about 32 / i, and its logarithms, natural and to base 2."""
    rows = [[0.0] * 32, [0.0] * 32, [0.0] * 32]
    for i in range(24, 49):
        rows[0][i % 32], rows[1][i % 32], rows[2][i % 32] = nearest_logs(32 / i, [mpmath.e, 2])
    return rows


def log10_table():
    """The same to base 10, of other floats."""
    rows = [[0.0] * 32, [0.0] * 32]
    for i in range(24, 49):
        rows[0][i % 32], rows[1][i % 32] = nearest_logs(32 / i, [10])
    return rows


def pow_table():
    """Of doubles: for 12 to 24, modulo 16, 16 / i and the logarithm of that to base 2, negative; 2^(i / 16)."""
    rows = [[0.0] * 16, [0.0] * 16, [float(2 ** (mpf(i) / 16)) for i in range(16)]]
    for i in range(12, 25):
        of = 16 / i
        rows[0][i % 16], rows[1][i % 16] = of, float(-mpmath.log(mpf(of), 2)) + 0.0
    return rows


def pow_logs():
    """For 24 to 48, modulo 32: the multiple of 1/64, of 1/32 from 1 on, that is nearest to 32 / i over all of the 32nd around i / 32; its logarithm,
    negative, in multiples of 2^-16; the rest of that."""
    rows = [[0.0] * 32, [0.0] * 32, [0.0] * 32]
    for i in range(24, 49):
        low, high, step = max((i - 0.5) / 32, 0.75), min((i + 0.5) / 32, 1.5), 32 if i <= 32 else 64
        left = lambda of, low=low, high=high: max(abs(low * of - 1), abs(high * of - 1))
        of = min((n / step for n in range(20, 100)), key=left) if i != 32 else 1.0
        log = -mpmath.log(mpf(of))
        near = float(mpmath.nint(log * 65536)) / 65536
        for row, value in zip(rows, (of, near + 0.0, rounded(float(log - mpf(near)), 24))):
            row[i % 32] = value
    return rows


def pow_rest():
    """By what share 2^(i / 16) is more than the float nearest to it."""
    powers = [2 ** (mpf(i) / 16) for i in range(16)]
    return [rounded(float(power / mpf(rounded(float(power), 24)) - 1), 24) for power in powers]


def pow_half_logs():
    """For each 32nd of numbers from 1 to 2: a float about 1 by the middle of it, of the first and the last 1 and 1/2, and its logarithm to base 2,
    negative."""
    of = [1.0 if k == 0 else 0.5 if k == 31 else rounded(64 / (65 + 2 * k), 24) for k in range(32)]
    return [of, [rounded(float(-mpmath.log(mpf(value), 2)), 24) + 0.0 for value in of]]


def log1p_exp_table():
    """Floats about 31 / (31 + i), and their logarithms."""
    return list(zip(*(nearest_logs(31 / (31 + i), [mpmath.e]) for i in range(32))))


def normal(x):
    """Of what is further from 0."""
    return mpmath.ncdf(-x)


def normal_by_tanh(x):
    return 1 / (1 + mpmath.exp(2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpf("0.044715") * x**3)))


def share(f):
    """What f(x) has of x: at 0, where f is 0, its slope."""
    return lambda x: f(x) / x if x > mpf("1e-20") else mpmath.diff(f, 0)


def shrunk(x):
    """What x - tanh(x) has of x^3."""
    return (x - mpmath.tanh(x)) / x**3 if x > mpf("1e-8") else mpf(1) / 3


def scaled_erfc_of(t):
    """erfc(x) * exp(x^2) / t, where t is 1 / (x + 1.4)."""
    x = 1 / t - mpf("1.4")
    return mpmath.erfc(x) * mpmath.exp(x * x) / t


def logarithm(base):
    return lambda m: mpmath.log(m) / mpmath.log(base)


ENDS = 1 << 17  # infinity, as f16
LEAST = 2**-30  # 0, with a sign
# name, f, whether the result is x * f(x), from, to (None: f is of |x|, from 0 on), what f is below and above (None: what it is there), highest
# power, and what the polynomial is raised to
INTERVALS = [
    ("normal", normal, True, None, "5.72", 0, 0, 2, 4),
    ("normal_by_tanh", normal_by_tanh, True, None, "5.4", 0, 0, 2, 4),
    ("erfc", mpmath.erfc, False, "-2.85", "3.95", 2, 0, 3, 4),
    ("tanh", share(mpmath.tanh), True, None, "5.55", 0, None, 2, 1),
    ("tanhshrink", shrunk, True, None, "5.1", 0, 0, 2, 1),
    ("erf", share(mpmath.erf), True, None, "3", 0, None, 2, 1),
    ("log1p_exp", lambda x: mpmath.log1p(mpmath.exp(-x)), False, None, "17.33", 0, LEAST, 3, 2),
    ("sinh", share(mpmath.sinh), True, None, "11.7836", 0, ENDS, 2, 4),
    ("cosh", mpmath.cosh, False, None, "11.7836", 0, ENDS, 3, 2),
]


def intervals(f, times_x, low, high, below, above, powers, root):
    """Of 32 intervals, numbered modulo 32, coefficients of powers of the operand: f is about the polynomial to the power of `root`, of what f16
    tells apart; those at the ends are constant. Gives the width, the least and the most, rows, and the greatest error in units of the result."""
    low, high = low and mpf(low), mpf(high)
    if low is None:
        first, width = 0, high / mpf("30.5")
    else:
        width = (high - low) / 30
        while True:
            first = int(mpmath.floor(low / width - mpf("0.5")))
            if (first + mpf("30.5")) * width >= high:
                break
            width *= mpf("1.0005")
    width = mpf(1) / mpf(rounded(float(1 / width), 12))
    rows, worst = [[0.0] * 32 for _ in range(powers + 1)], 0

    def part(x):
        return mpmath.root(f(x), root)

    def scale(x):
        return part(x) / root * max(1, mpf(2) ** -14 / max(abs(x) if times_x else 1, 1) / f(x))

    for k in range(first, first + 32):
        beyond = above if k == first + 31 else below if k == first and low is not None else None
        if beyond is not None:
            rows[0][k % 32] = rounded(float(mpmath.root(beyond, root)), 24)
            continue
        left, right = (k - mpf("0.501")) * width, (k + mpf("0.501" if k < first + 31 else "0.001")) * width
        c, _, got = fit(part, scale, range(powers + 1), max(left, mpf("1e-4")) if low is None else left, right, 24, 60)
        for power, value in enumerate(c):
            rows[power][k % 32] = value
        worst = max(worst, got)
    return width, first, rows, worst


def erfcx_table():
    """Of the eight intervals that 1 + x has for each exponent from 0 to 3, numbered by the lowest five bits of that and of the fraction's first
    three, coefficients of powers of the distance from the middle; and the greatest error."""

    def erfcx(x):
        return mpmath.erfc(x) * mpmath.exp(x**2)

    rows, worst = [[0.0] * 32 for _ in range(5)], 0
    for i in range(28):  # up to 12 - 1, more than 10.3
        size = mpf(2) ** (i // 8)
        middle, half = size * (1 + (i % 8 + mpf(0.5)) / 8) - 1, size / 16 * mpf("1.0001")
        c, _, got = fit(lambda r, at=middle: erfcx(at + r), lambda r, at=middle: erfcx(at + r), range(5), -half, half, 24, 120)
        for power, value in enumerate(c):
            rows[power][(127 * 8 + i) % 32] = value
        worst = max(worst, got)
    return rows, worst


BITS = [21, 19, 17]  # of each coefficient
# For m from 3/4 to 3/2, in 1/32 around i / 32 at place i modulo 32: the logarithm to a base, by the distance from there in 1/32.
def log_intervals(base):
    rows, worst, f = [[0.0] * 32 for _ in range(3)], 0, logarithm(base)
    for i in range(24, 49):
        done = []
        for power in range(1 if i == 32 else 0, 3):
            c, _, got = fit(lambda d, i=i, done=done: f((i + d) / 32) - sum(mpf(c) * d**p for p, c in done), lambda d, i=i: abs(f((i + d) / 32)),
                            range(power, 3), -mpf("0.501") if i > 24 else mpf(0), mpf("0.501") if i < 48 else mpf(0), BITS[power], 60)
            done.append((power, c[0]))
        for power, c in done:
            rows[power][i % 32] = c
        worst = max(worst, got)
    return rows, worst


# Of halves of octaves (opgen_half_inverse.h). name: from where to where v goes; what is fitted, r and the lowest power of it, of v.


def asinh_octave(v):
    return mpmath.asinh, (v - mpf("0.75")) / mpf("1.25"), v == mpf("0.75")


def acosh_octave(v):
    return lambda r: mpmath.acosh(1 + r) / mpmath.sqrt(r) if r > 1e-8 else mpmath.sqrt(2), v - 1, False


def atanh_octave(v):
    return (mpmath.atanh, 1 - v, v >= mpf("0.75")) if v >= 0.5 else (lambda u: mpmath.atanh(1 - u), v, False)


OCTAVES = [("asinh", asinh_octave, "0.75", 49152), ("acosh", acosh_octave, 1, 65536), ("atanh", atanh_octave, mpf(2) ** -11, 1)]


def octaves(of, low, high, powers=3):
    """Of each half of an octave, numbered by the lowest bit of an exponent's four and the first of the fraction, coefficients of powers of r; and the
    greatest error."""
    low, high = mpf(low), mpf(high)
    rows, worst = [[0.0] * 32 for _ in range(powers + 1)], 0
    exponent = int(mpmath.floor(mpmath.log(low, 2)))
    while mpf(2) ** exponent < high:
        for half in range(2):
            least, most = (mpf(2) ** exponent * (2 + half + i) / 2 for i in range(2))
            if most <= low or least >= high:
                continue
            f, begin, from_0 = of(max(least, low))
            end = of(most - (most - least) * mpf("1e-12"))[1]
            begin, end = min(begin, end), max(begin, end)
            from_0 = from_0 or of(most - (most - least) * mpf("1e-12"))[2]
            c, _, got = fit(f, f, range(1 if from_0 else 0, powers + 1), max(begin, mpf("1e-4")) if from_0 else begin, end, 24, 200)
            for power, value in enumerate([0.0] * from_0 + c):
                rows[power][(2 * exponent + half + 254) % 32] = value
                if high == 1 and most == 1:  # which is in the next interval
                    rows[power][(2 * exponent + half + 255) % 32] = value
            worst = max(worst, got)
        exponent += 1
    return rows, worst


def parts_of_two_over_pi():
    """Five of 29 bits, each the nearest to what is left, and one double for the rest."""
    left, parts = 2 / mpmath.pi, []
    for i in range(1, 6):
        parts.append(mpmath.ldexp(mpmath.nint(mpmath.ldexp(left, 29 * i)), -29 * i))
        left -= parts[-1]
    return [float(part) for part in parts] + [float(left)]


# ---- For results in 16 bits on x86-64-v3 (opgen_half_v3.h): quarters of powers of two, quotients of polynomials, 16th powers of one.

QUARTER = mpf("0.5005")


def quarter(r):
    return mpf(2) ** (r / 4)


def square_of_part():
    """c and b: 2**x is about c * ((x + 23/16)**2 + b), for x up to 1/32; and c times 2**(i / 16) as a table of opgen_powers.h has it."""
    middle, xs = mpf(23) / 16, [mpf(1) / 32 * mpmath.cos(mpmath.pi * (k + mpf(0.5)) / 600) for k in range(600)]
    basis = np.array([[float((x * x + 2 * middle * x) / 2**x), float(1 / 2**x)] for x in xs])
    (c, one), most = lawson(np.ones(len(xs)), basis)
    c = rounded(c, 24)
    print("   ", ", ".join(hex(int(np.float32(c * 2.0 ** (i / 16)).view(np.uint32)) - (i << 19)) for i in range(16)))
    return [c, rounded(one / c - float(middle) ** 2, 24)], most


def quarter_quotient():
    """The c for which (c + r) / (c - r) is about 2^(r / 4), and the greatest error."""
    rs = [QUARTER * k / 100 for k in range(1, 101)]

    def worst(c):
        return max(abs((c + r) / (c - r) / quarter(r) - 1) for r in rs)

    low, high = mpf("11.4"), mpf("11.6")
    for _ in range(40):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if worst(a) < worst(b) else (a, high)
    c = rounded(float(low), 24)
    return [c], worst(mpf(c))


def root_of_16(f, times_x, high):
    """P for which P(x)^16 is about f(-x), for x from -high to 0, as far as f16 tells results apart: x * f(x) or f(x)."""

    def scale(x):
        of, size = f(-x), f(-x) * max(-x if times_x else 1, mpf(2) ** -60)
        return mpmath.root(of, 16) * max(size, mpf(2) ** -14) / size / 16

    c, _, got = fit(lambda x: mpmath.root(f(-x), 16), scale, range(7), -mpf(high), mpf(0), 24, 400)
    return c, got


def odd_quotient(f, above, below, high, points=400):
    """P and then Q, polynomials of x^2, the highest coefficient of Q 1: x * P / Q is about f(x) for x from 0 to high. As lawson, P - f(x) / x * Q
    over the Q of the turn before."""
    xs = [mpf(high) / 2 - mpf(high) / 2 * mpmath.cos(mpmath.pi * (k + mpf(0.5)) / points) for k in range(points)]
    y, q = np.array([float(f(x) / x) for x in xs]), np.array([float(x * x) for x in xs])
    weight, under, best, least = np.ones(points) / points, np.ones(points), None, np.inf
    for _ in range(4000):
        basis = np.stack([q**i for i in range(above + 1)] + [-y * q**i for i in range(1, below + 1)], 1) / (under * y)[:, None]
        root, size = np.sqrt(weight), np.max(np.abs(basis), axis=0)
        c = np.linalg.lstsq(basis * root[:, None] / size, root / under, rcond=None)[0] / size
        under = 1 + sum(c[above + i] * q**i for i in range(1, below + 1))
        error = np.abs(sum(c[i] * q**i for i in range(above + 1)) / under / y - 1)
        if np.max(error) < least:
            best, least = c, np.max(error)
        weight = weight * (error + np.max(error) * 1e-3)
        weight /= np.sum(weight)
    all_of = [rounded(v / best[-1], 24) for v in [*best[:above + 1], 1, *best[above + 1:]]]
    upper, lower = all_of[:above + 1], all_of[above + 1:]
    return all_of, max(abs(sum(c * v**i for i, c in enumerate(upper)) / sum(c * v**i for i, c in enumerate(lower)) / w - 1) for v, w in zip(q, y))


# ---- Of floats on x86-64-v3 (opgen_many_v3.h).


def many_quotient(f, at_0, scale, above, below, high, points=1500):
    """P and then Q, polynomials of x^2 of so many coefficients: x * P / Q is about f(x) for x from 0 to high, with errors in units of scale(x). As
    lawson, P - f(x) / x * Q over the Q of the turn before. Q begins with a float that at_0, f(x) / x at 0, times which is nearly one as well."""
    first = min((1 + i / 2**23 for i in range(0, 1 << 23, 65)), key=lambda v: abs(float(at_0 * v) - rounded(float(at_0 * v), 24)) / v) if at_0 != 1 else 1.0
    k = np.arange(points)
    xs = (1e-3 + high) / 2 - (high - 1e-3) / 2 * np.cos(np.pi * (k + 0.5) / points)
    y, unit = np.array([float(f(mpf(x))) for x in xs]), np.array([float(scale(mpf(x))) for x in xs])
    q = (xs / high) ** 2
    weight, under, best, least = np.ones(points) / points, np.ones(points), None, np.inf
    for _ in range(400):
        basis = np.stack([xs * q**i for i in range(above)] + [-y * q**i for i in range(1, below)], 1) / (unit * under)[:, None]
        root, size = np.sqrt(weight)[:, None], np.max(np.abs(basis), axis=0)
        c = np.linalg.lstsq(basis * root / size, y / (unit * under) * root[:, 0], rcond=None)[0] / size
        under = 1 + sum(c[above + i - 1] * q**i for i in range(1, below))
        error = np.abs(xs * sum(c[i] * q**i for i in range(above)) / under - y) / unit
        if np.max(error) < least and np.min(under) > 0:
            best, least = c, np.max(error)
        weight = weight * (error + 1e-3 * np.max(error))
        weight /= np.sum(weight)
    lower = [rounded(v * first / high ** (2 * i), 24) for i, v in enumerate([1, *best[above:]])]

    def bottom(x):
        return sum(mpf(c) * x ** (2 * i) for i, c in enumerate(lower))

    upper, _, got = fit(lambda x: f(x) * bottom(x), lambda x: scale(x) * bottom(x), odd(1, above), 1e-3, high, 24)
    return [*upper, *lower], got


def half_erf(x):
    return mpmath.erf(x / mpmath.sqrt(2)) / 2


def half_tanh(x):
    return mpmath.tanh(mpf("0.7978845608028654") * (x + mpf("0.044715") * x**3)) / 2


MANY_V3 = [
    ("tanh_quotient", lambda: many_quotient(mpmath.tanh, 1, mpmath.tanh, 5, 5, 8.8)),
    ("erf_quotient", lambda: many_quotient(mpmath.erf, 2 / mpmath.sqrt(mpmath.pi), mpmath.erf, 6, 6, 3.93)),
    ("gelu_quotient", lambda: many_quotient(half_erf, 1 / mpmath.sqrt(2 * mpmath.pi), lambda x: 0.5 + half_erf(x), 6, 6, 5.6)),
    ("gelu_tanh_quotient", lambda: many_quotient(half_tanh, 1 / mpmath.sqrt(2 * mpmath.pi), lambda x: 0.5 + half_tanh(x), 6, 6, 4.9)),
]

HALVES_V3 = [
    ("square_of_part", square_of_part),
    ("quarter_quotient_v3", quarter_quotient),
    ("quarter_v3", lambda: fit(quarter, quarter, range(4), -QUARTER, QUARTER, 24)[::2]),
    ("quarter_powers_v3", lambda: ([rounded(float(quarter(mpf(k))), 24) for k in range(4)], 2**-25)),
    ("quarter_less_1_v3", lambda: fit(lambda r: quarter(r) - 1, lambda r: quarter(r) - 1, range(1, 5), -QUARTER, QUARTER, 24)[::2]),
    ("quarter_less_1_below_v3", lambda: fit(lambda r: quarter(r) - 1, lambda r: quarter(r) - 1, range(1, 4), -QUARTER, QUARTER, 24)[::2]),
    ("quarter_odd_v3", lambda: fit(lambda r: mpmath.sinh(r * LOG2 / 4), lambda r: mpmath.sinh(r * LOG2 / 4), odd(1, 2), 1e-3, QUARTER, 24)[::2]),
    ("quarter_even_v3", lambda: fit(lambda r: mpmath.cosh(r * LOG2 / 4) - 1, lambda r: mpmath.cosh(r * LOG2 / 4), [2], 1e-3, QUARTER, 24)[::2]),
    ("log1p_v3", lambda: fit(mpmath.log1p, mpmath.log1p, range(1, 7), 1e-6, 1, 24)[::2]),
    ("log_v3", lambda: fit(mpmath.log1p, mpmath.log1p, range(1, 7), -THIRD, THIRD, 24)[::2]),
    ("gelu_root_v3", lambda: root_of_16(lambda x: mpmath.ncdf(-x), True, "5.75")),
    ("erfc_root_v3", lambda: root_of_16(mpmath.erfc, False, "3.97")),
    ("tanh_quotient_v3", lambda: odd_quotient(mpmath.tanh, 2, 3, "5.25")),
    ("erf_quotient_v3", lambda: odd_quotient(mpmath.erf, 3, 3, "2.97")),
]


def main(only):
    for name, f, scale, powers, low, high, bits in FITS:
        if not only or name in only:
            c, ideal, got = fit(f, scale, list(powers), low, high, bits)
            print(f"{name}: {np.log2(ideal):.2f}, rounded {np.log2(got):.2f}")
            print("   ", " ".join(written(v, bits) for v in c), flush=True)
    for name, f, scale, powers, low, high in WIDE:
        if not only or name in only:
            c, ideal, got = fit_wide(f, scale, list(powers), low, high)
            print(f"{name}: {np.log2(ideal):.2f}, rounded {np.log2(got):.2f}")
            print("   ", " ".join(written(v, 53) for v in c), flush=True)
    for name, made in ("tan_f64", tan_quotient), ("erfc_f64", erfc_quotient):
        if not only or name in only:
            c, got = made()
            print(f"{name}: {np.log2(got):.2f}")
            print("   ", " ".join(written(v, 53) for v in c))
    if not only or "parts_f64" in only:
        for name, value, bits, n in (("2 / log(2)", 2 / LOG2, 53, 2), ("2 / 3 / log(2)", 2 / (3 * LOG2), 26, 2), ("log(2)", LOG2, 26, 2),
                                     ("log(2) / log(10)", LOG2 / LOG10, 42, 2)):
            print(f"parts of {name}:\n   ", " ".join(written(v, 53) for v in parts_of(value, bits, n)))
        print("parts of pi / 2, and what it is more than a double, of that:\n   ", " ".join(written(v, 53) for v in parts_of(HALF_PI, 29, 4)),
              written(float(HALF_PI / float(HALF_PI) - 1), 53))
    for name, f, width, powers, near, beside, at_middle in TABLES:
        if not only or name in only:
            rows, worst = table(f, width, powers, near, beside, at_middle)
            print(f"{name}: {np.log2(worst):.2f}")
            for column in zip(*rows):
                print("    {" + ", ".join(written(v, 24) if v else "0" for v in column) + "},", flush=True)
    for name, rows in ("power_table", power_table), ("log_table", log_table), ("log10_table", log10_table), ("log1p_exp_table", log1p_exp_table), ("pow_logs", pow_logs), ("pow_rest", lambda: [pow_rest()]), ("pow_half_logs", pow_half_logs):
        if not only or name in only:
            print(f"{name}:")
            for row in rows():
                print("    {" + ", ".join(written(v, 24) if v else "0" for v in row) + "},", flush=True)
    for name, f, times_x, low, high, below, above, powers, root in INTERVALS:
        if not only or name + "_intervals" in only:
            width, first, rows, worst = intervals(f, times_x, low, high, below, above, powers, root)
            print(f"{name}_intervals: {np.log2(float(worst)):.2f}")
            ends = [float(1 / width), float(np.float32(first * width)), float(np.float32((first + 31) * width))]
            print("    " + ", ".join(written(rounded(v, 24), 24) for v in ends) + ",", flush=True)
            for row in rows:
                print("    {" + ", ".join(written(v, 24) if v else "0" for v in row) + "},", flush=True)
    for name, of, low, high in OCTAVES:
        if not only or name + "_octaves" in only:
            rows, worst = octaves(of, low, high)
            print(f"{name}_octaves: {np.log2(float(worst)):.2f}")
            for row in rows:
                print("    {" + ", ".join(written(v, 24) if v else "0" for v in row) + "},", flush=True)
    if not only or "erfcx_table" in only:
        rows, worst = erfcx_table()
        print(f"erfcx_table: {np.log2(float(worst)):.2f}")
        for row in rows:
            print("    {" + ", ".join(written(v, 24) if v else "0" for v in row) + "},", flush=True)
    if not only or "pow_table" in only:
        print("pow_table:")
        for row in pow_table():
            print("    {" + ", ".join(written(v, 53) if v else "0" for v in row) + "},", flush=True)
    for name, base in ("log", mpmath.e), ("log2", 2), ("log10", 10):
        if not only or name + "_intervals" in only:
            rows, worst = log_intervals(base)
            print(f"{name}_intervals: {np.log2(float(worst)):.2f}")
            for row in rows:
                print("    {" + ", ".join(written(v, 24) if v else "0" for v in row) + "},", flush=True)
    for name, made in MANY_V3 + HALVES_V3:
        if not only or name in only:
            c, got = made()
            print(f"{name}: {np.log2(float(got)):.2f}")
            print("   ", " ".join(written(float(v), 24) for v in c), flush=True)
    if not only or "parts" in only:
        print("parts of 2/pi:\n   ", " ".join(written(v, 53) for v in parts_of_two_over_pi()))
    print("log(2) in two floats:\n   ", written(rounded(float(LOG2), 16), 24),
          written(rounded(float(LOG2 - mpf(rounded(float(LOG2), 16))), 24), 24))


if __name__ == "__main__":
    main(sys.argv[1:])
