/* SPDX-License-Identifier: MIT */
/*
 * Motors and independent coordinates, u = M_u⁻ᵀ tau_y and ẏ = M_u⁻¹ u̇, drive by drive. A drive with
 * as many motors as coordinates or more gives any force, with the least Σ weight u²; one with fewer
 * comes as near as it can.
 */
#include "kernel/algebra/least_squares.h"
#include "kernel/kernel.h"

/* squares of pivots against those of their columns: the motors do not span the coordinates */
#define SINGULAR_DRIVE 1e-16
/* the square of a gear ratio that is no ratio any more, should the reference have none */
#define LEAST_RATIO 1e-8

typedef struct drive_room {
    real *A, *R;       /* columns, m × n, and their factor */
    real *size;        /* squares of the columns' lengths at the reference */
    real *part, *step; /* right side and solution */
    real *scale;       /* motors: 1/√weight */
} drive_room;

static drive_room drive_take(td_stack *stack, const td_drive *d)
{
    const size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
    const size_t most = m > n ? m : n, least = m < n ? m : n;
    drive_room r;
    r.A = td_take(stack, real, m * n);
    r.R = td_take(stack, real, least * least);
    r.size = td_take(stack, real, most);
    r.part = td_take(stack, real, most);
    r.step = td_take(stack, real, most);
    r.scale = td_take(stack, real, m);
    return r;
}

static void drive_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    const size_t begin = stack->used;
    const td_drives *const both[] = {sizes->drives, sizes->chart_drives};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; both[i] && k < both[i]->count; k++, stack->used = begin)
            drive_take(stack, &both[i]->drive[k]);
}

/* the drive's part of M_u: a column per coordinate, scaled; or, transposed, a column per motor */
static void drive_columns(const td_drives *drives, const td_drive *d, const td_csr *M_u,
                          const real *values, bool by_motor, const drive_room *r)
{
    size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
    clear(r->A, m * n);
    for (size_t j = 0; j < (by_motor ? m : n); j++)
        r->size[j] = splat(0);
    for (size_t i = 0; i < m; i++) {
        int row = drives->motor[(size_t)d->motor + i];
        for (int e = M_u->row[row]; e < M_u->row[row + 1]; e++) {
            if (drives->others && drives->local[M_u->column[e]] < 0)
                continue;
            size_t j = (size_t)drives->local[M_u->column[e]];
            real at_reference = r->scale[i] * M_u->value[e];
            real least = LEAST_RATIO * r->scale[i] * r->scale[i];
            real square = at_reference * at_reference;
            r->size[by_motor ? i : j] += select_lt(square, least, least, square);
            r->A[by_motor ? i * n + j : j * m + i] = r->scale[i] * values[e];
        }
    }
}

static void scale_motors(const td_drives *drives, const td_drive *d, const double *weight,
                         const drive_room *r)
{
    for (size_t i = 0; i < (size_t)d->motors; i++) {
        int row = drives->motor[(size_t)d->motor + i];
        r->scale[i] = weight ? real_sqrt(splat(1 / weight[row])) : splat(1);
    }
}

/* rest −= M_uᵀ u of a drive's motors: of its coordinates, or of those of no drive, which charts
   alone have in its rows */
static void drive_subtract(const td_drives *drives, const td_drive *d, const td_csr *M_u,
                           const real *values, const real *u, bool own, real *rest)
{
    for (int k = d->motor; k < d->motor + d->motors; k++) {
        int row = drives->motor[k];
        for (int e = M_u->row[row]; e < M_u->row[row + 1]; e++)
            if (!drives->others || (drives->local[M_u->column[e]] >= 0) == own)
                rest[M_u->column[e]] -= values[e] * u[row];
    }
}

/* rest = tau − M_uᵀ u of the drive's coordinates */
static void drive_rest(const td_drives *drives, const td_drive *d, const td_csr *M_u,
                       const real *values, const real *tau, const real *u, real *rest)
{
    for (int k = d->coordinate; k < d->coordinate + d->coordinates; k++)
        rest[drives->coordinate[k]] = tau[drives->coordinate[k]];
    drive_subtract(drives, d, M_u, values, u, true, rest);
}

/* what the motors must still do for the rest of the force, onto u */
static void drive_more(const td_drives *drives, const td_drive *d, const drive_room *r,
                       bool by_motor, const real *rest, real *u)
{
    size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
    for (size_t j = 0; j < n; j++)
        r->part[j] = rest[drives->coordinate[(size_t)d->coordinate + j]];
    if (by_motor)
        solve_columns(n, m, r->A, r->R, r->part, r->step, 1);
    else
        solve_rows(m, n, r->A, r->R, r->part, r->step);
    for (size_t i = 0; i < m; i++) {
        real more = by_motor ? -r->step[i] : r->scale[i] * r->step[i];
        u[drives->motor[(size_t)d->motor + i]] += more;
    }
}

static void drive_forces(const td_drives *drives, const td_csr *M_u, const td_reals *values,
                         const double *weight, const td_scratch *s, const td_reals *tau_y,
                         td_reals *out_u, td_reals *out_rest)
{
    const real *tau = tau_y, *entry = values;
    real *u = out_u, *rest = out_rest, bad = splat(-1);
    copy(rest, tau, (size_t)M_u->columns);
    clear(u, (size_t)M_u->rows);
    for (size_t k = 0; k < drives->count; k++) {
        const td_drive *d = &drives->drive[k];
        td_scope(s->stack, drive);
        const drive_room r = drive_take(s->stack, d);
        size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
        bool by_motor = m < n;
        real least;
        if (m == 0)
            continue;
        scale_motors(drives, d, by_motor ? NULL : weight, &r);
        drive_columns(drives, d, M_u, entry, by_motor, &r);
        factor_columns(by_motor ? n : m, by_motor ? m : n, r.size, SINGULAR_DRIVE, r.A, r.R,
                       &least);
        if (!by_motor)
            bad = first_bad(bad, splat(SINGULAR_DRIVE), least,
                            (size_t)drives->coordinate[d->coordinate]);
        /* twice: the columns of Q are orthogonal but for rounding times the condition */
        for (int pass = 0; pass < 2; pass++) {
            drive_more(drives, d, &r, by_motor, rest, u);
            drive_rest(drives, d, M_u, entry, tau, u, rest);
        }
        if (drives->others)
            drive_subtract(drives, d, M_u, entry, u, false, rest);
    }
    *s->singular = bad;
}

static void drive_rates(const td_drives *drives, const td_csr *M_u, const td_reals *values,
                        const td_scratch *s, const td_reals *rates, td_reals *yd)
{
    const real *rate = rates;
    real *out = yd, bad = splat(-1);
    for (size_t k = 0; k < drives->count; k++) {
        const td_drive *d = &drives->drive[k];
        td_scope(s->stack, drive);
        const drive_room r = drive_take(s->stack, d);
        size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
        real least;
        scale_motors(drives, d, NULL, &r);
        drive_columns(drives, d, M_u, values, false, &r);
        factor_columns(m, n, r.size, SINGULAR_DRIVE, r.A, r.R, &least);
        bad =
            first_bad(bad, splat(SINGULAR_DRIVE), least, (size_t)drives->coordinate[d->coordinate]);
        for (size_t i = 0; i < m; i++)
            r.part[i] = rate[drives->motor[(size_t)d->motor + i]];
        solve_columns(m, n, r.A, r.R, r.part, r.step, 1);
        for (size_t j = 0; j < n; j++)
            out[drives->coordinate[(size_t)d->coordinate + j]] = -r.step[j];
    }
    *s->singular = bad;
}
