/* SPDX-License-Identifier: MIT */
/*
 * Low-pass filters, see filters.h.
 */
#include "recording/filters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const double pi = 3.14159265358979323846;
static const double largest_part = 0.45; /* of the rate: the largest cut-off */

static double rate_of(size_t n, const double *t)
{
    return (double)(n - 1) / (t[n - 1] - t[0]);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Values with their reflection at both ends: 2 x₀ − x_k at time 2 t₀ − t_k. */
typedef struct padded {
    size_t n, margin;
    double *t, *x;
} padded;

static padded pad(size_t n, const double *t, const double *x, double cutoff)
{
    enum { PERIODS = 2 }; /* of the cut-off: what an end disturbs has died away then */
    const double wanted = ceil(PERIODS * rate_of(n, t) / cutoff);
    const size_t margin = wanted < (double)(n - 1) ? (size_t)wanted : n - 1;
    padded p = {.n = n + 2 * margin, .margin = margin};
    p.t = allocate(p.n, sizeof *p.t);
    p.x = allocate(p.n, sizeof *p.x);
    for (size_t k = 0; k < margin; k++) {
        p.t[k] = 2 * t[0] - t[margin - k];
        p.x[k] = 2 * x[0] - x[margin - k];
        p.t[margin + n + k] = 2 * t[n - 1] - t[n - 2 - k];
        p.x[margin + n + k] = 2 * x[n - 1] - x[n - 2 - k];
    }
    memcpy(p.t + margin, t, n * sizeof *t);
    memcpy(p.x + margin, x, n * sizeof *x);
    return p;
}

/* ---- Butterworth ----------------------------------------------------------------------------- */

/* The factor by which two passes move the cut-off of one: (√2 − 1)^(1/4) for order 2. */
static double two_passes(void)
{
    return pow(sqrt(2) - 1, 0.25);
}

/* One pass of H(s) = 1/(s² + √2 s + 1) at s = (z − 1)/(z + 1)/w, with w the tangent of half the
   angle a step of its cut-off; from the first value at rest. step: 1 or −1. */
static void pass(double w, size_t n, double *x, ptrdiff_t step)
{
    const double a0 = 1 + sqrt(2) * w + w * w;
    const double gain = w * w / a0;
    const double a1 = 2 * (w * w - 1) / a0;
    const double a2 = (1 - sqrt(2) * w + w * w) / a0;
    double *at = step > 0 ? x : x + n - 1;
    double x1 = *at, x2 = *at, y1 = *at, y2 = *at;
    for (size_t k = 0; k < n; k++, at += step) {
        const double y = gain * (*at + 2 * x1 + x2) - a1 * y1 - a2 * y2;
        x2 = x1;
        x1 = *at;
        y2 = y1;
        y1 = *at = y;
    }
}

static double butterworth_width(double rate, double cutoff)
{
    return tan(pi * cutoff / rate) / two_passes();
}

/* ---- smoothing spline ------------------------------------------------------------------------ */

/* The λ of Σ (x − s)² + λ ∫ s″² that has the cut-off for values at equal steps h: there
   H = 1/(1 + λ (2 − 2 cos θ)² / (h³ (2 + cos θ)/3)), θ the angle a step. */
static double stiffness(double rate, double cutoff)
{
    const double h = 1 / rate, c = cos(2 * pi * cutoff / rate);
    return (sqrt(2) - 1) * h * h * h * (2 + c) / 3 / ((2 - 2 * c) * (2 - 2 * c));
}

/* Reinsch, "Smoothing by spline functions", 1967: (R + λ Qᵀ Q) γ = Qᵀ x, s = x − λ Q γ, with γ the
   second derivatives at the inner points, R tridiagonal, Q second differences. */
static void smooth(size_t n, const double *t, double lambda, double *x)
{
    const size_t m = n - 2;
    double *d = allocate(m, sizeof *d);         /* A = L D Lᵀ: D, */
    double *l1 = allocate(m + 1, sizeof *l1);   /* the first */
    double *l2 = allocate(m + 2, sizeof *l2);   /* and second band of L below its diagonal */
    double *g = allocate(m + 2, sizeof *g);     /* γ */
    double(*q)[3] = allocate(m + 2, sizeof *q); /* column j of Q: rows j, j + 1, j + 2 */
    for (size_t j = 0; j < m; j++) {
        const double h0 = t[j + 1] - t[j], h1 = t[j + 2] - t[j + 1];
        q[j][0] = 1 / h0;
        q[j][1] = -1 / h0 - 1 / h1;
        q[j][2] = 1 / h1;
        g[j] = q[j][0] * x[j] + q[j][1] * x[j + 1] + q[j][2] * x[j + 2];
    }
    for (size_t j = 0; j < m; j++) {
        const double h0 = t[j + 1] - t[j], h1 = t[j + 2] - t[j + 1];
        const double a0 =
            (h0 + h1) / 3 + lambda * (q[j][0] * q[j][0] + q[j][1] * q[j][1] + q[j][2] * q[j][2]);
        const double a1 =
            h1 / 6 + lambda * (q[j][1] * q[j + 1][0] + q[j][2] * q[j + 1][1]); /* A[j+1][j] */
        const double a2 = lambda * q[j][2] * q[j + 2][0];                      /* A[j+2][j] */
        /* l1[j], l2[j] hold L[j][j-1] D[j-1] and L[j][j-2] D[j-2] until column j needs them */
        d[j] = a0;
        if (j >= 1) {
            d[j] -= l1[j - 1] * l1[j - 1] * d[j - 1];
        }
        if (j >= 2) {
            d[j] -= l2[j - 2] * l2[j - 2] * d[j - 2];
        }
        l1[j] = (a1 - (j >= 1 ? l2[j - 1] * l1[j - 1] * d[j - 1] : 0)) / d[j]; /* L[j+1][j] */
        l2[j] = a2 / d[j];                                                     /* L[j+2][j] */
    }
    for (size_t j = 1; j < m; j++) { /* L z = Qᵀ x */
        g[j] -= l1[j - 1] * g[j - 1] + (j >= 2 ? l2[j - 2] * g[j - 2] : 0);
    }
    for (size_t j = m; j-- > 0;) { /* Lᵀ γ = D⁻¹ z */
        g[j] =
            g[j] / d[j] - (j + 1 < m ? l1[j] * g[j + 1] : 0) - (j + 2 < m ? l2[j] * g[j + 2] : 0);
    }
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < 3; k++) {
            x[j + k] -= lambda * q[j][k] * g[j];
        }
    }
    free(d);
    free(l1);
    free(l2);
    free(g);
    free(q);
}

/* ---- both ------------------------------------------------------------------------------------ */

void filter_apply(filter_kind kind, size_t n, const double *t, double cutoff, double *x)
{
    if (kind == FILTER_NONE) {
        return;
    }
    const double rate = rate_of(n, t);
    /* without the line through the ends, which a filter keeps, less begins at the ends */
    const double first = x[0], slope = (x[n - 1] - x[0]) / (t[n - 1] - t[0]);
    for (size_t i = 0; i < n; i++) {
        x[i] -= first + slope * (t[i] - t[0]);
    }
    padded p = pad(n, t, x, cutoff);
    if (kind == FILTER_BUTTERWORTH) {
        const double w = butterworth_width(rate, cutoff);
        pass(w, p.n, p.x, 1);
        pass(w, p.n, p.x, -1);
    } else {
        smooth(p.n, p.t, stiffness(rate, cutoff), p.x);
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = p.x[p.margin + i] + first + slope * (t[i] - t[0]);
    }
    free(p.t);
    free(p.x);
}

double filter_response(filter_kind kind, double rate, double cutoff, double frequency)
{
    if (kind == FILTER_NONE) {
        return 1;
    }
    if (kind == FILTER_BUTTERWORTH) {
        /* |H|² of one pass, which is H of two */
        return 1 / (1 + pow(tan(pi * frequency / rate) / butterworth_width(rate, cutoff), 4));
    }
    const double h = 1 / rate, c = cos(2 * pi * frequency / rate);
    return 1 /
           (1 + stiffness(rate, cutoff) * (2 - 2 * c) * (2 - 2 * c) / (h * h * h * (2 + c) / 3));
}

double filter_largest_cutoff(size_t n, const double *t)
{
    return largest_part * rate_of(n, t);
}
