/* SPDX-License-Identifier: MIT */
/*
 * Cubic and quintic splines through points. The unknowns of a point are m = f' and, for
 * quintics, k = f''. Each point and its neighbors give the same number of equations. The matrix
 * is block tridiagonal (cyclic for periodic splines), with 2 × 2 blocks. For cubics the second
 * unknown is unused: k = 0. The matrix is proportional to the Hessian of the spline's energy
 * ∫ f''² or ∫ f'''² in m and k. It is positive definite, so elimination needs no pivoting.
 */
#include "spline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    double a[2][2];
} block;

/* The equations of a point: before x_(i−1) + here x_i + behind x_(i+1) + last x_(n−1) = right. */
typedef struct line {
    block before, here, behind, last;
    double right[2];
} line;

/* Computes A −= B C. */
static void subtract(block *A, const block *B, const block *C)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            A->a[i][j] -= B->a[i][0] * C->a[0][j] + B->a[i][1] * C->a[1][j];
}

static void subtract_vector(double r[2], const block *B, const double x[2])
{
    for (int i = 0; i < 2; i++)
        r[i] -= B->a[i][0] * x[0] + B->a[i][1] * x[1];
}

static void add(block *A, const block *B)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            A->a[i][j] += B->a[i][j];
}

static block times(const block *A, const block *B)
{
    block C = {{{0}}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            C.a[i][j] = A->a[i][0] * B->a[0][j] + A->a[i][1] * B->a[1][j];
    return C;
}

static block inverse(const block *A)
{
    const double(*a)[2] = A->a;
    const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    return (block){{{a[1][1] / determinant, -a[0][1] / determinant},
                    {-a[1][0] / determinant, a[0][0] / determinant}}};
}

/* Eliminates all unknowns except the last point's, then substitutes backwards. `right`
   becomes the solution. `last` couples a cyclic matrix to the last point; `row` is the last
   point's row for the point that is eliminated. */
static void solve(line *l, size_t n)
{
    block row = l[n - 1].behind; /* coupling to the first point */
    l[0].last = l[0].before;
    for (size_t i = 0; i + 1 < n; i++) {
        if (i + 2 == n) {
            add(&l[i].last, &l[i].behind);
            add(&row, &l[i + 1].before);
        }
        const block inverted = inverse(&l[i].here);
        const double r[2] = {l[i].right[0], l[i].right[1]};
        l[i].behind = times(&inverted, &l[i].behind);
        l[i].last = times(&inverted, &l[i].last);
        for (int k = 0; k < 2; k++)
            l[i].right[k] = inverted.a[k][0] * r[0] + inverted.a[k][1] * r[1];
        subtract(&l[n - 1].here, &row, &l[i].last);
        subtract_vector(l[n - 1].right, &row, l[i].right);
        if (i + 2 == n)
            break;
        block next = {{{0}}};
        subtract(&next, &row, &l[i].behind);
        row = next;
        subtract(&l[i + 1].here, &l[i + 1].before, &l[i].behind);
        subtract(&l[i + 1].last, &l[i + 1].before, &l[i].last);
        subtract_vector(l[i + 1].right, &l[i + 1].before, l[i].right);
    }
    line *end = &l[n - 1];
    const block inverted = inverse(&end->here);
    const double r[2] = {end->right[0], end->right[1]};
    for (int k = 0; k < 2; k++)
        end->right[k] = inverted.a[k][0] * r[0] + inverted.a[k][1] * r[1];
    for (size_t i = n - 1; i-- > 0;) {
        if (i + 2 < n)
            subtract_vector(l[i].right, &l[i].behind, l[i + 1].right);
        subtract_vector(l[i].right, &l[i].last, end->right);
    }
}

/* Adds the piece between two points to the equations of both; h is their distance and D the
   rise. A cubic's equation is continuity of f''; a quintic's are continuity of −f'''' and −f'''. By
   symmetry the end of the piece has the same terms with the opposite sign. */
static void add_piece(int degree, double h, double D, line *first, line *last)
{
    if (degree == 3) { /* f''(0) = 6 D/h² − (4 m₀ + 2 m₁)/h, f''(h) = −6 D/h² + (2 m₀ + 4 m₁)/h */
        first->here.a[0][0] += 4 / h;
        first->behind.a[0][0] += 2 / h;
        last->before.a[0][0] += 2 / h;
        last->here.a[0][0] += 4 / h;
        first->right[0] += 6 * D / (h * h);
        last->right[0] += 6 * D / (h * h);
        return;
    }
    /* f'''(0) = 60 D/h³ − (36 m₀ + 24 m₁)/h² − (9 k₀ − 3 k₁)/h
       f''''(0) = −360 D/h⁴ + (192 m₀ + 168 m₁)/h³ + (36 k₀ − 24 k₁)/h² */
    const double h2 = h * h, h3 = h2 * h, h4 = h2 * h2;
    const block same = {{{192 / h3, 36 / h2}, {36 / h2, 9 / h}}};
    const block other = {{{168 / h3, -24 / h2}, {24 / h2, -3 / h}}};
    const double sign[2] = {1, -1}; /* m and f'''' keep their sign when the piece is reversed */
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            first->here.a[i][j] += same.a[i][j];
            first->behind.a[i][j] += other.a[i][j];
            last->here.a[i][j] += sign[i] * sign[j] * same.a[i][j];
            last->before.a[i][j] += sign[i] * sign[j] * other.a[i][j];
        }
    }
    first->right[0] += 360 * D / h4;
    last->right[0] += 360 * D / h4;
    first->right[1] += 60 * D / h3;
    last->right[1] -= 60 * D / h3;
}

/* Replaces an equation of a point by x_i = value. */
static void fix(line *l, int i, double value)
{
    for (int j = 0; j < 2; j++)
        l->before.a[i][j] = l->here.a[i][j] = l->behind.a[i][j] = 0;
    l->here.a[i][i] = 1;
    l->right[i] = value;
}

bool td_spline_derivatives(int degree, td_spline_ends ends, size_t n, const double *x,
                           const double *value, double *slope, double *bend)
{
    const bool cyclic = ends == TD_SPLINE_PERIODIC;
    const size_t count = cyclic ? n - 1 : n;
    line *l = calloc(count, sizeof *l);
    if (!l)
        return false;
    for (size_t i = 0; i + 1 < n; i++)
        add_piece(degree, x[i + 1] - x[i], value[i + 1] - value[i], &l[i], &l[(i + 1) % count]);
    for (size_t i = 0; i < count; i++) {
        const bool end = !cyclic && (i == 0 || i + 1 == n);
        if (end && ends == TD_SPLINE_CLAMPED)
            fix(&l[i], 0, slope[i]);
        if (degree == 3)
            fix(&l[i], 1, 0);
        else if (end)
            fix(&l[i], 1, ends == TD_SPLINE_CLAMPED ? bend[i] : 0);
    }
    solve(l, count);
    for (size_t i = 0; i < n; i++) {
        slope[i] = l[i % count].right[0];
        if (degree == 5)
            bend[i] = l[i % count].right[1];
    }
    free(l);
    return true;
}

void td_spline_piece(int degree, double h, const double value[2], const double slope[2],
                     const double bend[2], double coefficient[TD_SPLINE_POWERS])
{
    const double D = value[1] - value[0];
    double *c = coefficient;
    c[0] = value[0];
    c[1] = slope[0];
    if (degree == 3) {
        c[2] = (3 * D / h - (2 * slope[0] + slope[1])) / h;
        c[3] = (slope[0] + slope[1] - 2 * D / h) / (h * h);
        return;
    }
    const double h2 = h * h, h3 = h2 * h;
    c[2] = bend[0] / 2;
    c[3] = (20 * D / h - 8 * slope[1] - 12 * slope[0] - (3 * bend[0] - bend[1]) * h) / (2 * h2);
    c[4] =
        (-30 * D / h + 14 * slope[1] + 16 * slope[0] + (3 * bend[0] - 2 * bend[1]) * h) / (2 * h3);
    c[5] = (12 * D / h - 6 * (slope[0] + slope[1]) - (bend[0] - bend[1]) * h) / (2 * h2 * h2);
}
