/* SPDX-License-Identifier: MIT */
/*
 * Solves the equations of the stages of a Radau IIA step, z[i] = h Σ a[i][j] f(t + c[j] h, x +
 * z[j]), by simplified Newton iterations (Hairer and Wanner, Solving ODEs II, IV.8). With D =
 * A⁻¹ = T Λ T⁻¹
 *
 *   r = f(x + z) − D z / h,   (Λ/h − J) w = T⁻¹ r,   z ← z + T w
 *
 * These are one real and (s − 1)/2 complex systems of the size of x.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/lu.h"
#include "radau_inside.h"

/* ---- matrices -------------------------------------------------------------------------------- */

static bool factor(td_integrator *i, double h)
{
    struct td_radau *r = i->radau;
    const size_t n = i->ode.size;
    bool good = true;
    for (size_t k = 0; k < n * n; k++)
        r->real[k] = -r->J[k];
    for (size_t k = 0; k < n; k++)
        r->real[k * n + k] += r->table.lambda[0][0] / h;
    good = td_lu_factor(n, r->real, r->pivot[0]);
    for (int p = 0; 2 * p + 1 < r->table.stages && good; p++) {
        double *E = r->pair[p];
        for (size_t k = 0; k < n * n; k++) {
            E[2 * k] = -r->J[k];
            E[2 * k + 1] = 0;
        }
        for (size_t k = 0; k < n; k++) {
            E[2 * (k * n + k)] += r->table.lambda[p + 1][0] / h;
            E[2 * (k * n + k) + 1] += r->table.lambda[p + 1][1] / h;
        }
        good = td_lu_factor_complex(n, E, r->pivot[p + 1]);
    }
    r->factored = good ? h : 0;
    return good;
}

td_status td_radau_prepare(td_integrator *i, double h)
{
    struct td_radau *r = i->radau;
    if (!r->known) {
        r->factored = 0;
        td_status status = td_integrator_current_rate(i);
        if (status == TD_OK)
            status = td_integrator_jacobian(i, i->t, i->x, i->rate, r->J);
        if (status != TD_OK)
            return status;
        r->known = r->fresh = true;
    }
    return r->factored == h || factor(i, h) ? TD_OK : TD_ERROR_STEP;
}

/* ---- one iteration --------------------------------------------------------------------------- */

/* Evaluates f at the stages into r->stage. */
static td_status rates(td_integrator *i, double h)
{
    struct td_radau *r = i->radau;
    td_status status = TD_OK;
    for (int s = 0; s < r->table.stages && status == TD_OK; s++) {
        for (size_t j = 0; j < i->ode.size; j++)
            i->trial[j] = i->x[j] + r->z[s][j];
        status = td_integrator_rate(i, i->t + r->table.c[s] * h, i->trial, r->stage[s]);
    }
    return status;
}

/* Replaces f by T⁻¹ (f − D z / h). */
static void transform(td_integrator *i, double h)
{
    struct td_radau *r = i->radau;
    const td_radau_table *a = &r->table;
    for (size_t j = 0; j < i->ode.size; j++) {
        double rest[TD_RADAU_STAGES];
        for (int s = 0; s < a->stages; s++) {
            double sum = 0;
            for (int k = 0; k < a->stages; k++)
                sum += a->D[s][k] * r->z[k][j];
            rest[s] = r->stage[s][j] - sum / h;
        }
        for (int s = 0; s < a->stages; s++) {
            double sum = 0;
            for (int k = 0; k < a->stages; k++)
                sum += a->T_inverse[s][k] * rest[k];
            r->stage[s][j] = sum;
        }
    }
}

/* Replaces T⁻¹ r by w. A block (α −β; β α) of Λ acts on (a, b) as α + iβ on a + ib. */
static void solve(td_integrator *i)
{
    struct td_radau *r = i->radau;
    const size_t n = i->ode.size;
    td_lu_solve(n, r->real, r->pivot[0], r->stage[0]);
    for (int p = 0; 2 * p + 1 < r->table.stages; p++) {
        double *a = r->stage[2 * p + 1], *b = r->stage[2 * p + 2];
        for (size_t j = 0; j < n; j++) {
            r->pairs[2 * j] = a[j];
            r->pairs[2 * j + 1] = b[j];
        }
        td_lu_solve_complex(n, r->pair[p], r->pivot[p + 1], r->pairs);
        for (size_t j = 0; j < n; j++) {
            a[j] = r->pairs[2 * j];
            b[j] = r->pairs[2 * j + 1];
        }
    }
}

/* Computes z ← z + T w. Returns the largest change relative to the tolerance. */
static double move(td_integrator *i)
{
    struct td_radau *r = i->radau;
    const td_radau_table *a = &r->table;
    double largest = 0;
    for (size_t j = 0; j < i->ode.size; j++)
        for (int s = 0; s < a->stages; s++) {
            double change = 0;
            for (int k = 0; k < a->stages; k++)
                change += a->T[s][k] * r->stage[k][j];
            r->z[s][j] += change;
            const double part = fabs(change) / r->scale[j];
            largest = part > largest || isnan(part) ? part : largest;
        }
    return largest;
}

/* ---- the iterations -------------------------------------------------------------------------- */

/* Initializes z by extrapolating the last polynomial, or to zero. */
static void begin(td_integrator *i, double h)
{
    struct td_radau *r = i->radau;
    const size_t n = i->ode.size;
    const double length = i->dense_end - i->dense_begin;
    double here[TD_RADAU_STAGES], there[TD_RADAU_STAGES];
    if (r->follows)
        td_radau_lagrange(&r->table, (i->t - i->dense_begin) / length, here);
    for (int s = 0; s < r->table.stages; s++) {
        memset(r->z[s], 0, n * sizeof *r->z[s]);
        if (!r->follows)
            continue;
        td_radau_lagrange(&r->table, (i->t + r->table.c[s] * h - i->dense_begin) / length, there);
        for (int k = 0; k < r->table.stages; k++)
            for (size_t j = 0; j < n; j++)
                r->z[s][j] += (there[k] - here[k]) * r->kept[k][j];
    }
}

int td_radau_solve(td_integrator *i, double h, double *shorter, td_status *status)
{
    struct td_radau *r = i->radau;
    const int most = 7 + 5 * (r->table.stages - 3) / 2;
    double last = 0, last_ratio = 1;
    begin(i, h);
    r->contraction = pow(fmax(r->contraction, DBL_EPSILON), 0.8);
    r->slowest = 0;
    *shorter = 0.5;
    for (int n = 1; n <= most; n++) {
        *status = rates(i, h);
        if (*status != TD_OK)
            return 0;
        transform(i, h);
        solve(i);
        const double change = move(i);
        if (!isfinite(change))
            return 0;
        if (n > 1) {
            const double ratio = change / last;
            r->slowest = n == 2 ? ratio : sqrt(ratio * last_ratio);
            last_ratio = ratio;
            if (r->slowest >= 0.99)
                return 0;
            r->contraction = r->slowest / (1 - r->slowest);
            /* predicted change after the remaining iterations */
            const double end = r->contraction * change * pow(r->slowest, most - 1 - n) / r->newton;
            if (n < most && end >= 1) {
                *shorter = 0.8 * pow(fmin(fmax(end, 1e-4), 20), -1.0 / (3 + most - n));
                return 0;
            }
        }
        last = fmax(change, DBL_MIN);
        if (r->contraction * change <= r->newton)
            return n;
    }
    return 0;
}

/* ---- the error ------------------------------------------------------------------------------- */

/* Computes e ← (λ/h − J)⁻¹ (f + λ/h e). */
static void filter(td_integrator *i, double h, const double *rate, double *e)
{
    struct td_radau *r = i->radau;
    for (size_t j = 0; j < i->ode.size; j++)
        e[j] = rate[j] + r->table.lambda[0][0] / h * e[j];
    td_lu_solve(i->ode.size, r->real, r->pivot[0], e);
}

static double largest(const td_integrator *i, const double *e)
{
    double most = 0;
    for (size_t j = 0; j < i->ode.size; j++) {
        const double part = fabs(e[j]) / i->radau->scale[j];
        most = part > most || isnan(part) ? part : most;
    }
    return most;
}

td_status td_radau_error(td_integrator *i, double h, bool filtered, double *error)
{
    struct td_radau *r = i->radau;
    const size_t n = i->ode.size;
    double *of_stages = r->stage[0], *e = r->stage[1];
    for (size_t j = 0; j < n; j++) {
        of_stages[j] = 0;
        for (int s = 0; s < r->table.stages; s++)
            of_stages[j] += r->table.error[s] * r->z[s][j];
    }
    memcpy(e, of_stages, n * sizeof *e);
    filter(i, h, i->rate, e);
    *error = largest(i, e);
    if (!filtered || *error < 1)
        return TD_OK;
    /* removes spurious errors of components that decay within the step */
    for (size_t j = 0; j < n; j++)
        i->trial[j] = i->x[j] + e[j];
    td_status status = td_integrator_rate(i, i->t, i->trial, r->stage[2]);
    if (status != TD_OK)
        return TD_OK; /* keep the first estimate */
    memcpy(e, of_stages, n * sizeof *e);
    filter(i, h, r->stage[2], e);
    *error = largest(i, e);
    return TD_OK;
}
