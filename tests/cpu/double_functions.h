/* double_functions.h: the functions of doubles of templates/cpu, one a line: a compiler that says which loops it
 * vectorised names these lines. The number is how far off a result may be, in units of its last place: the greatest
 * error over random doubles, by any compiler, rounded up. NEAR: of operands up to OPGEN_TRIG_NEAR it is
 * opgen_NAME_near_f64 that is vectorised. DOUBLES: of two operands.
 */
DOUBLE(exp, 0.95)
DOUBLE(exp2, 1.1)
DOUBLE(expm1, 1.85)
DOUBLE(log, 0.9)
DOUBLE(log2, 1.2)
DOUBLE(log1p, 0.9)
DOUBLE(tanh, 2.6)
DOUBLE(erf, 1.8)
NEAR(sin, 1.4)
NEAR(cos, 1.4)
NEAR(tan, 2.7)
DOUBLE(asin, 1.7)
DOUBLE(acos, 1.3)
DOUBLE(atan, 2.2)
DOUBLES(atan2, 2.2)
