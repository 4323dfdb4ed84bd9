/* SPDX-License-Identifier: MIT */
/*
 * Shifts and fits polynomials of degree four.
 */
#include <math.h>
#include <string.h>

#include "export/writer.h"

/* Repeats Horner's scheme: the remainder of each division by x − x0 is a coefficient. */
void td_polynomial_shift(double *c, size_t count, double x0)
{
    for (size_t i = 0; i + 1 < count; i++)
        for (size_t k = count - 1; k-- > i;)
            c[k] += x0 * c[k + 1];
}

void td_quartic_fit(double (*f)(const void *context, double x), const void *context, double lower,
                    double upper, double c[TD_QUARTIC], double *error)
{
    enum { NODES = 65, SAMPLES = 2000 };
    const double middle = (lower + upper) / 2, half = (upper - lower) / 2;
    double a[TD_QUARTIC] = {0};
    /* a_k = 2/N Σ f(x_i) T_k(t_i) with T_k(cos θ) = cos k θ; half as large for k = 0 */
    for (int i = 0; i < NODES; i++) {
        const double angle = M_PI * (i + 0.5) / NODES;
        const double value = f(context, middle + half * cos(angle));
        for (int k = 0; k < TD_QUARTIC; k++)
            a[k] += (k ? 2.0 : 1.0) / NODES * value * cos(k * angle);
    }
    /* T_0 … T_4 in powers of t; then t = (x − middle)/half */
    const double powers[TD_QUARTIC] = {a[0] - a[2] + a[4], a[1] - 3 * a[3], 2 * a[2] - 8 * a[4],
                                       4 * a[3], 8 * a[4]};
    double scale = 1;
    for (int k = 0; k < TD_QUARTIC; k++, scale *= half)
        c[k] = powers[k] / scale;
    td_polynomial_shift(c, TD_QUARTIC, -middle);
    *error = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        const double x = lower + (upper - lower) * i / SAMPLES;
        double value = 0;
        for (int k = TD_QUARTIC; k-- > 0;)
            value = value * x + c[k];
        *error = fmax(*error, fabs(value - f(context, x)));
    }
}
