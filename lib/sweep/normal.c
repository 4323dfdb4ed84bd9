/* SPDX-License-Identifier: MIT */
/*
 * Computes the quantile of the normal distribution (see sample.h) by PPND16 of M. J. Wichura,
 * Algorithm AS 241, The Percentage Points of the Normal Distribution, Applied Statistics 37,
 * 477–484, 1988. It has a built-in logarithm, because C libraries differ in the last bits.
 */
#include <math.h>
#include <stddef.h>

#include "sweep/sample.h"

enum { COEFFICIENTS = 8 };

/* A quotient of polynomials of degree seven, coefficients in ascending order. */
typedef struct quotient {
    double above[COEFFICIENTS], below[COEFFICIENTS];
} quotient;

/* for |p − 1/2| ≤ 0.425, in the variable 0.425² − (p − 1/2)² */
static const quotient middle = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
     3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
     5.2264952788528545610e+3},
};
/* for r = √(−ln p) ≤ 5, in the variable r − 1.6 */
static const quotient outer = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9},
};
/* for larger r, in the variable r − 5 */
static const quotient far = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15},
};

static double value(const quotient *f, double r)
{
    double above = 0, below = 0;
    for (size_t k = COEFFICIENTS; k-- > 0;) {
        above = above * r + f->above[k];
        below = below * r + f->below[k];
    }
    return above / below;
}

/* Computes ln p in the tails, 0 < p ≤ 0.075, with a relative error of 1.2e-16. With p = m · 2ᵉ, m
   in √½ … √2, and s = (m − 1) / (m + 1)

     ln p = e ln 2 + 2 artanh s,  artanh s = s + s³/3 + s⁵/5 + …,

   where |s| < 0.172, so the first omitted term is below 10⁻¹⁸. frexp, sums, products and quotients
   give the same bits everywhere. */
static double logarithm(double p)
{
    enum { TERMS = 10 };
    /* ln 2 as 32 bits, whose product with e is exact, and the remainder */
    static const double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
    int e;
    double m = frexp(p, &e);
    if (m < M_SQRT1_2)
        m *= 2, e--;
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int k = TERMS; k > 0; k--)
        sum = (sum + 1.0 / (2 * k + 1)) * square;
    return e * high + (2 * s + (2 * s * sum + e * low));
}

double td_normal_quantile(double p)
{
    const double q = p - 0.5;
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (fabs(q) <= 0.425)
        return q * value(&middle, 0.180625 - q * q);
    const double tail = q < 0 ? p : 1 - p;
    if (tail == 0)
        return q < 0 ? -INFINITY : INFINITY;
    const double r = sqrt(-logarithm(tail));
    const double x = r <= 5 ? value(&outer, r - 1.6) : value(&far, r - 5);
    return q < 0 ? -x : x;
}
