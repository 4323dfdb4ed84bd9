/* SPDX-License-Identifier: MIT */
/*
 * Low-pass filters; see filters.h.
 */
#include "filters.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double largest_part = 0.45; /* of the rate: the largest cut-off */

double td_filter_rate(size_t n, const double *t)
{
    return (double)(n - 1) / (t[n - 1] - t[0]);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Values minus the line through the first and the last one, with their reflections at both ends:
   2 x₀ − x_k at time 2 t₀ − t_k. A filter does not change a line; without it, transients at the
   ends are smaller. */
typedef struct padded {
    size_t n, margin;
    double *t, *x;
    double first, slope; /* first value and slope of the line */
} padded;

static double line_at(const padded *p, double since)
{
    return p->first + p->slope * since;
}

static void padded_free(padded *p)
{
    free(p->t);
    free(p->x);
}

/* Fills p. Returns false if out of memory. The caller frees p in both cases. */
static bool pad(padded *p, size_t n, const double *t, const double *x, double cutoff)
{
    enum { PERIODS = 2 }; /* of the cut-off frequency: transients have decayed after this time */
    const double wanted = ceil(PERIODS * td_filter_rate(n, t) / cutoff);
    const size_t margin = wanted < (double)(n - 1) ? (size_t)wanted : n - 1;
    p->n = n + 2 * margin;
    p->margin = margin;
    p->t = calloc(p->n, sizeof *p->t);
    p->x = calloc(p->n, sizeof *p->x);
    if (!p->t || !p->x)
        return false;
    p->first = x[0];
    p->slope = (x[n - 1] - x[0]) / (t[n - 1] - t[0]);
    double *inner = p->x + margin;
    for (size_t i = 0; i < n; i++)
        inner[i] = x[i] - line_at(p, t[i] - t[0]);
    memcpy(p->t + margin, t, n * sizeof *t);
    for (size_t k = 0; k < margin; k++) {
        p->t[k] = 2 * t[0] - t[margin - k];
        p->x[k] = 2 * inner[0] - inner[margin - k];
        p->t[margin + n + k] = 2 * t[n - 1] - t[n - 2 - k];
        p->x[margin + n + k] = 2 * inner[n - 1] - inner[n - 2 - k];
    }
    return true;
}

/* ---- Butterworth ----------------------------------------------------------------------------- */

/* Returns the factor by which a second pass lowers the cut-off: (√2 − 1)^(1/4) for order 2. */
static double two_passes(void)
{
    return pow(sqrt(2) - 1, 0.25);
}

/* Applies one pass of H(s) = 1/(s² + √2 s + 1) at s = (z − 1)/(z + 1)/w. w is the tangent of half
   the angle per step at its cut-off. The filter begins at rest at the first value. step: 1 forward,
   −1 backward. */
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

/* Returns the λ of Σ (x − s)² + λ ∫ s″² that has this cut-off for values at equal steps h. There
   H = 1/(1 + λ (2 − 2 cos θ)² / (h³ (2 + cos θ)/3)), where θ is the angle per step. */
static double stiffness(double rate, double cutoff)
{
    const double h = 1 / rate, c = cos(2 * pi * cutoff / rate);
    return (sqrt(2) - 1) * h * h * h * (2 + c) / 3 / ((2 - 2 * c) * (2 - 2 * c));
}

/* Computes the smoothing spline of Reinsch, "Smoothing by spline functions", 1967: (R + λ Qᵀ Q) γ =
   Qᵀ x, s = x − λ Q γ, with γ the second derivatives at the inner points, R tridiagonal, Q second
   differences. */
static td_status smooth(size_t n, const double *t, double lambda, double *x)
{
    const size_t m = n - 2;
    double *room = calloc(7 * (m + 2), sizeof *room);
    if (!room)
        return TD_ERROR_MEMORY;
    double *d = room;                          /* A = L D Lᵀ: D, */
    double *l1 = d + m + 2;                    /* the first */
    double *l2 = l1 + m + 2;                   /* and second band of L below its diagonal */
    double *g = l2 + m + 2;                    /* γ */
    double(*q)[3] = (double(*)[3])(g + m + 2); /* column j of Q: rows j, j + 1, j + 2 */
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
        /* column j of A = L D Lᵀ */
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
    free(room);
    return TD_OK;
}

/* ---- both ------------------------------------------------------------------------------------ */

td_status td_filter_apply(td_filter kind, size_t n, const double *t, double cutoff, double *x)
{
    if (kind == TD_FILTER_NONE)
        return TD_OK;
    const double rate = td_filter_rate(n, t);
    padded p;
    td_status status = pad(&p, n, t, x, cutoff) ? TD_OK : TD_ERROR_MEMORY;
    if (status == TD_OK && kind == TD_FILTER_BUTTERWORTH) {
        const double w = butterworth_width(rate, cutoff);
        pass(w, p.n, p.x, 1);
        pass(w, p.n, p.x, -1);
    } else if (status == TD_OK) {
        status = smooth(p.n, p.t, stiffness(rate, cutoff), p.x);
    }
    for (size_t i = 0; i < n && status == TD_OK; i++)
        x[i] = p.x[p.margin + i] + p.first + p.slope * (t[i] - t[0]);
    padded_free(&p);
    return status;
}

double td_filter_response(td_filter kind, double rate, double cutoff, double frequency)
{
    if (kind == TD_FILTER_NONE) {
        return 1;
    }
    if (kind == TD_FILTER_BUTTERWORTH) {
        /* |H|² of one pass is the gain of two */
        return 1 / (1 + pow(tan(pi * frequency / rate) / butterworth_width(rate, cutoff), 4));
    }
    const double h = 1 / rate, c = cos(2 * pi * frequency / rate);
    return 1 /
           (1 + stiffness(rate, cutoff) * (2 - 2 * c) * (2 - 2 * c) / (h * h * h * (2 + c) / 3));
}

double td_filter_largest_cutoff(size_t n, const double *t)
{
    return largest_part * td_filter_rate(n, t);
}
