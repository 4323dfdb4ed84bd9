/* SPDX-License-Identifier: MIT */
/*
 * A step of damped least squares within limits. A coordinate that δ would move beyond its limit
 * ends at the limit, and the others are solved again. If δ would move a follower beyond its limit,
 * the step is the best one that ends there: with B the follower's row of G and H = Aᵀ A + damping,
 *
 *   δ = −H⁻¹ (Aᵀ b + Bᵀ ν),   B δ = distance to the limit
 *
 * while ν has the sign of an active limit. Each round adds one coordinate or follower at its limit,
 * so the number of rounds is at most the number of both.
 */
#include <math.h>
#include <string.h>

#include "base/cholesky.h"
#include "ik/ik.h"

/* Computes H + Σ a aᵀ and gradient + Σ b a for three rows. */
static void add_rows(size_t n, const double *restrict a, const double b[3],
                     double *restrict gradient, double *restrict H)
{
    const double *restrict a1 = a + n, *restrict a2 = a + 2 * n;
    for (size_t j = 0; j < n; j++)
        gradient[j] += b[0] * a[j] + b[1] * a1[j] + b[2] * a2[j];
    for (size_t j = 0; j < n; j++) {
        double *restrict row = H + j * n;
        const double x = a[j], x1 = a1[j], x2 = a2[j];
        for (size_t k = 0; k < n; k++)
            row[k] += x * a[k] + x1 * a1[k] + x2 * a2[k];
    }
}

static void add_row(size_t n, const double *restrict a, double b, double *restrict gradient,
                    double *restrict H)
{
    for (size_t j = 0; j < n; j++)
        gradient[j] += b * a[j];
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++)
            H[j * n + k] += a[j] * a[k];
}

/* Adds the rows of goals. */
static void add_goals(td_ik *ik, const td_ik_posture *p)
{
    const size_t n = ik->columns, m = ik->rows;
    for (size_t i = 0; i < m;) {
        const double *a = ik->A + i * n, *scale = ik->scale + i;
        double b[3];
        size_t rows = m - i < 3 ? 1 : 3;
        for (size_t k = 0; k < rows; k++)
            b[k] = scale[k] * (p->r[i + k] + ik->shift[i + k]);
        if (rows == 3 && (scale[0] > 0 || scale[1] > 0 || scale[2] > 0))
            add_rows(n, a, b, ik->gradient, ik->H); /* rows with scale 0 are zero in A */
        else if (rows == 1 && scale[0] > 0)
            add_row(n, a, b[0], ik->gradient, ik->H);
        i += rows;
    }
}

/* Adds the excess of followers. */
static void add_excess(td_ik *ik, const td_ik_posture *p)
{
    const size_t n = ik->columns;
    for (size_t f = 0; f < ik->followers; f++) {
        const double x = td_ik_excess(ik, &ik->follower[f], p->q);
        if (x != 0)
            add_row(n, ik->F + f * n, x, ik->gradient, ik->H);
    }
}

double td_ik_slope(td_ik *ik, const td_ik_posture *p)
{
    const size_t n = ik->columns;
    memset(ik->gradient, 0, n * sizeof *ik->gradient);
    memset(ik->H, 0, n * n * sizeof *ik->H);
    if (ik->restores)
        add_excess(ik, p);
    else
        add_goals(ik, p);
    double square = 0;
    for (size_t j = 0; j < n; j++) {
        const size_t v = ik->column[j];
        /* y may be an entry without limits */
        const double y = p->y[ik->position[v]], g = ik->gradient[j];
        ik->stopped[j] = (g > 0 && y <= ik->lower[v]) || (g < 0 && y >= ik->upper[v]);
        square += ik->stopped[j] ? 0 : g * g;
    }
    return sqrt(square);
}

/* Copies the free rows and columns of H with damping, and factors them into L Lᵀ. */
static bool factor(td_ik *ik, size_t n, double damping)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = ik->H + ik->free[i] * ik->columns;
        for (size_t j = 0; j <= i; j++)
            ik->L[i * n + j] = row[ik->free[j]] + (i == j ? damping : 0);
    }
    return td_cholesky(n, ik->L);
}

/* Returns the number of rows of F in use. */
static size_t rows_of(const td_ik *ik)
{
    return ik->followers + (ik->opens ? 1 : 0);
}

/* Returns how far a follower may move toward its lower (−1) or upper limit; way() returns how
   far δ moves it. */
static double way_left(const td_ik *ik, const td_ik_posture *p, size_t f, int side)
{
    if (f == ik->followers)
        return side > 0 ? ik->room : -INFINITY;
    const td_ik_follower *follower = &ik->follower[f];
    const double q = p->q[follower->q];
    return side > 0 ? fmax(follower->upper - q, 0) - follower->margin
                    : fmin(follower->lower - q, 0) + follower->margin;
}

static double way(const td_ik *ik, size_t f)
{
    double sum = 0;
    for (size_t k = 0; k < ik->columns; k++)
        sum += ik->F[f * ik->columns + k] * ik->delta[k];
    return sum;
}

/* Computes X = H⁻¹ Bᵀ, S = B X and ν of the followers at a limit, and δ including them; `right`
   is δ without them. If ν has the wrong sign for some, makes them inactive and returns false. */
static bool hold(td_ik *ik, const td_ik_posture *p, size_t n, size_t count)
{
    const size_t columns = ik->columns;
    for (size_t a = 0; a < count; a++) {
        double *x = ik->X + a * columns;
        for (size_t i = 0; i < n; i++)
            x[i] = ik->F[ik->acting[a] * columns + ik->free[i]];
        td_cholesky_solve(n, ik->L, x);
        double nu = -way_left(ik, p, ik->acting[a], ik->active[ik->acting[a]]);
        for (size_t k = 0; k < columns; k++) /* δ of fixed coordinates is known */
            nu += ik->fixed[k] ? ik->F[ik->acting[a] * columns + k] * ik->delta[k] : 0;
        for (size_t i = 0; i < n; i++)
            nu += ik->F[ik->acting[a] * columns + ik->free[i]] * ik->right[i];
        ik->nu[a] = nu;
    }
    for (size_t a = 0; a < count; a++) /* S = L Lᵀ, with some damping for linearly dependent rows */
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += ik->F[ik->acting[a] * columns + ik->free[i]] * ik->X[b * columns + i];
            for (size_t k = 0; k < b; k++)
                sum -= ik->S[a * count + k] * ik->S[b * count + k];
            if (a == b)
                ik->S[a * count + a] = sqrt(fmax(sum, 0) * (1 + 1e-12) + 1e-300);
            else
                ik->S[a * count + b] = sum / ik->S[b * count + b];
        }
    td_cholesky_solve(count, ik->S, ik->nu);
    bool held = true;
    for (size_t a = 0; a < count; a++)
        if (!(ik->nu[a] * ik->active[ik->acting[a]] >= 0)) {
            ik->active[ik->acting[a]] = 2;
            held = false;
        }
    for (size_t i = 0; i < n && held; i++)
        for (size_t a = 0; a < count; a++)
            ik->right[i] -= ik->X[a * columns + i] * ik->nu[a];
    return held;
}

/* Solves for δ with the present fixed coordinates and followers. Returns false if a pivot is not
   positive. */
static bool solve_free(td_ik *ik, const td_ik_posture *p, double damping)
{
    const size_t columns = ik->columns;
    size_t n = 0, count = 0;
    bool moved = false; /* fixed coordinates move, too */
    for (size_t j = 0; j < columns; j++) {
        if (!ik->fixed[j])
            ik->free[n++] = j;
        moved = moved || (ik->fixed[j] && ik->delta[j] != 0);
    }
    if (!factor(ik, n, damping))
        return false;
    for (bool again = true; again; ik->acts = count) {
        count = 0;
        for (size_t f = 0; f < rows_of(ik); f++)
            if (ik->active[f] == 1 || ik->active[f] == -1)
                ik->acting[count++] = f;
        for (size_t i = 0; i < n; i++) {
            const size_t j = ik->free[i];
            double sum = -ik->gradient[j];
            for (size_t k = 0; k < columns && moved; k++)
                if (ik->fixed[k] && ik->delta[k] != 0)
                    sum -= ik->H[j * columns + k] * ik->delta[k];
            ik->right[i] = sum;
        }
        td_cholesky_solve(n, ik->L, ik->right);
        again = count > 0 && !hold(ik, p, n, count);
    }
    for (size_t i = 0; i < n; i++)
        ik->delta[ik->free[i]] = ik->right[i];
    return true;
}

/* Fixes coordinates and followers that δ moves beyond their limits. Returns whether there are
   any. */
static bool limit(td_ik *ik, const td_ik_posture *p)
{
    bool changed = false;
    for (size_t j = 0; j < ik->columns; j++) {
        const size_t v = ik->column[j];
        if (ik->fixed[j])
            continue;
        const double y = p->y[ik->position[v]], end = y + ik->delta[j];
        if (end >= ik->lower[v] && end <= ik->upper[v])
            continue;
        ik->delta[j] = (end < ik->lower[v] ? ik->lower[v] : ik->upper[v]) - y;
        ik->fixed[j] = changed = true;
    }
    for (size_t f = 0; f < rows_of(ik); f++) {
        if (ik->active[f] != 0)
            continue;
        const double x = way(ik, f);
        const bool above = x > way_left(ik, p, f, 1), below = x < way_left(ik, p, f, -1);
        if (above || below) {
            ik->active[f] = above ? 1 : -1;
            changed = true;
        }
    }
    return changed;
}

/* Frees coordinates at their limits that active followers push back inside, once each. Returns
   whether there are any. */
static bool release(td_ik *ik)
{
    const size_t n = ik->columns;
    bool any = false;
    for (size_t j = 0; j < n && ik->acts > 0; j++) {
        if (!ik->stopped[j] || !ik->fixed[j] || ik->released[j])
            continue;
        double slope = ik->gradient[j];
        for (size_t k = 0; k < n; k++)
            slope += ik->H[j * n + k] * ik->delta[k];
        for (size_t a = 0; a < ik->acts; a++)
            slope += ik->F[ik->acting[a] * n + j] * ik->nu[a];
        if (slope * ik->gradient[j] < 0) {
            ik->fixed[j] = 0;
            ik->released[j] = 1;
            any = true;
        }
    }
    return any;
}

bool td_ik_step(td_ik *ik, const td_ik_posture *p, double damping, double *decrease)
{
    const size_t n = ik->columns;
    memset(ik->delta, 0, n * sizeof *ik->delta);
    memset(ik->released, 0, n * sizeof *ik->released);
    memcpy(ik->fixed, ik->stopped, n * sizeof *ik->fixed);
    ik->active[ik->followers] = 0;
    for (size_t f = 0; f < ik->followers; f++) /* a follower that is being restored is not a
                                                  bound */
        ik->active[f] = ik->restores && td_ik_excess(ik, &ik->follower[f], p->q) != 0 ? 2 : 0;
    do {
        do {
            if (!solve_free(ik, p, damping))
                return false;
        } while (limit(ik, p));
    } while (release(ik));
    double less = 0; /* −2 gᵀδ − δᵀ H δ */
    for (size_t j = 0; j < n; j++) {
        double sum = 2 * ik->gradient[j];
        for (size_t k = 0; k < n; k++)
            sum += ik->H[j * n + k] * ik->delta[k];
        less -= sum * ik->delta[j];
    }
    *decrease = less;
    return true;
}
