/* SPDX-License-Identifier: MIT */
/*
 * Solves for motor forces, u = M_u⁻ᵀ tau_y, and for independent velocities, ẏ = M_u⁻¹ u̇, one drive
 * at a time. A drive with at least as many motors as coordinates can produce any force; u then
 * minimizes Σ weight u². With fewer motors, u is the least-squares solution.
 */
#include "kernel/algebra/least_squares.h"
#include "kernel/kernel.h"

/* squared ratio of a pivot to its column below which the motors do not span the coordinates */
#define SINGULAR_DRIVE 1e-16
/* lower bound of a squared gear ratio, for ratios that vanish at the reference */
#define LEAST_RATIO 1e-8

typedef struct drive_room {
    real *A, *R;       /* columns of M_u, m × n, then Q; and R */
    real *size;        /* squared lengths of the columns at the reference */
    real *part, *step; /* right-hand side and solution */
    real *scale;       /* motors: 1/√weight */
    real *side, *u;    /* forces of the coordinates, and of the motors */
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
    r.side = td_take(stack, real, n);
    r.u = td_take(stack, real, m);
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

/* Extracts the drive's part of M_u: one column per coordinate, scaled, or, if by_motor is true, one
   column per motor. */
static void drive_columns(const td_actuation_map *map, const td_drive *d, const real *values,
                          bool by_motor, const drive_room *r)
{
    const td_drives *drives = &map->drives;
    const td_csr *M_u = &map->matrix;
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

static void scale_motors(const td_actuation_map *map, const td_drive *d, const double *weight,
                         const drive_room *r)
{
    const td_drives *drives = &map->drives;
    for (size_t i = 0; i < (size_t)d->motors; i++) {
        int row = drives->motor[(size_t)d->motor + i];
        r->scale[i] = weight ? real_sqrt(splat(1 / weight[row])) : splat(1);
    }
}

/* Factors the drive's part of M_u: one column per coordinate, scaled, or one column per motor if
   there are fewer motors than coordinates. */
static void factor_drive(const td_actuation_map *map, const td_drive *d, const real *values,
                         const double *weight, const drive_room *r, real *least)
{
    const size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
    const bool by_motor = m < n;
    scale_motors(map, d, by_motor ? NULL : weight, r);
    drive_columns(map, d, values, by_motor, r);
    factor_columns(by_motor ? n : m, by_motor ? m : n, r->size, SINGULAR_DRIVE, r->A, r->R, least);
}

/* part = side − M_uᵀ u for the drive's coordinates */
static void drive_rest(const td_actuation_map *map, const td_drive *d, const real *values,
                       const drive_room *r)
{
    const td_drives *drives = &map->drives;
    const td_csr *M_u = &map->matrix;
    copy(r->part, r->side, (size_t)d->coordinates);
    for (int i = 0; i < d->motors; i++) {
        const int row = drives->motor[d->motor + i];
        for (int e = M_u->row[row]; e < M_u->row[row + 1]; e++) {
            const int j = drives->local[M_u->column[e]];
            if (j >= 0) /* only charts have others */
                r->part[j] -= values[e] * r->u[i];
        }
    }
}

/* Solves for u of the drive's motors with M_uᵀ u = side, in the least-squares sense if there are
   fewer motors than coordinates. Stores the residual in part. */
static void solve_drive(const td_actuation_map *map, const td_drive *d, const real *values,
                        const drive_room *r)
{
    const size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
    clear(r->u, m);
    copy(r->part, r->side, n);
    /* two passes, since rounding makes the columns of Q orthogonal only to ε times the condition
       number */
    for (int pass = 0; pass < 2; pass++) {
        if (m < n)
            solve_columns(n, m, r->A, r->R, r->part, r->step, 1);
        else
            solve_rows(m, n, r->A, r->R, r->part, r->step);
        for (size_t i = 0; i < m; i++)
            r->u[i] += m < n ? -r->step[i] : r->scale[i] * r->step[i];
        drive_rest(map, d, values, r);
    }
}

/* rest −= M_uᵀ u for coordinates of no drive. Only charts have such coordinates in a drive's
   rows. */
static void subtract_others(const td_actuation_map *map, const td_drive *d, const real *values,
                            const real *u, real *rest)
{
    const td_drives *drives = &map->drives;
    const td_csr *M_u = &map->matrix;
    for (int k = d->motor; k < d->motor + d->motors; k++) {
        const int row = drives->motor[k];
        for (int e = M_u->row[row]; e < M_u->row[row + 1]; e++)
            if (drives->local[M_u->column[e]] < 0)
                rest[M_u->column[e]] -= values[e] * u[row];
    }
}

static void drive_forces(const td_actuation_map *map, const td_scratch *s, const double *weight,
                         const td_reals *tau_y, td_reals *out_u, td_reals *out_rest)
{
    const td_drives *drives = &map->drives;
    const td_csr *M_u = &map->matrix;
    const real *values = s->M_u;
    const real *tau = tau_y;
    real *u = out_u, *rest = out_rest, bad = splat(-1);
    copy(rest, tau, (size_t)M_u->columns);
    clear(u, (size_t)M_u->rows);
    for (size_t k = 0; k < drives->count; k++) {
        const td_drive *d = &drives->drive[k];
        const int *motor = drives->motor + d->motor, *at = drives->coordinate + d->coordinate;
        td_scope(s->stack, drive);
        const drive_room r = drive_take(s->stack, d);
        real least;
        if (d->motors == 0)
            continue;
        factor_drive(map, d, values, weight, &r, &least);
        if (d->motors >= d->coordinates)
            bad = first_bad(bad, splat(SINGULAR_DRIVE), least, (size_t)at[0]);
        for (int j = 0; j < d->coordinates; j++)
            r.side[j] = tau[at[j]];
        solve_drive(map, d, values, &r);
        for (int i = 0; i < d->motors; i++)
            u[motor[i]] = r.u[i];
        for (int j = 0; j < d->coordinates; j++)
            rest[at[j]] = r.part[j];
        if (drives->others)
            subtract_others(map, d, values, u, rest);
    }
    *s->singular = bad;
}

/* ---- derivatives along y -----------------------------------------------------------------------

   With A = M_uᵀ of a drive, weights W, and X = ∂(A u)/∂y, Z = ∂(M_u λ)/∂y at constant u and λ:

     ∂u = A⁻¹ (∂τ − X)                        as many motors as coordinates
     ∂u = W⁻¹ Z + A⁺ (∂τ − X − A W⁻¹ Z)       more: u = W⁻¹ Aᵀ λ with A u = τ
     ∂u = A⁺ (∂τ − X) + (Aᵀ A)⁻¹ Z            fewer: λ is the residual τ − A u

   where A⁺ minimizes Σ weight u², or is the least-squares inverse. */

/* Computes λ of each drive; λ is 0 for coordinates of no drive. */
static void drive_multipliers(const td_actuation_map *map, const td_scratch *s,
                              const double *weight, const td_reals *forces, const td_reals *left,
                              td_reals *out)
{
    const td_drives *drives = &map->drives;
    const td_csr *M_u = &map->matrix;
    const real *values = s->M_u;
    const real *u = forces, *rest = left;
    real *lambda = out;
    clear(lambda, (size_t)M_u->columns);
    for (size_t k = 0; k < drives->count; k++) {
        const td_drive *d = &drives->drive[k];
        const int *motor = drives->motor + d->motor, *at = drives->coordinate + d->coordinate;
        td_scope(s->stack, drive);
        const drive_room r = drive_take(s->stack, d);
        real least;
        for (int j = 0; d->motors < d->coordinates && j < d->coordinates; j++)
            lambda[at[j]] = rest[at[j]];
        if (d->motors <= d->coordinates)
            continue;
        factor_drive(map, d, values, weight, &r, &least);
        for (int i = 0; i < d->motors; i++)
            r.part[i] = u[motor[i]] / r.scale[i];
        solve_columns((size_t)d->motors, (size_t)d->coordinates, r.A, r.R, r.part, r.step, 1);
        for (int j = 0; j < d->coordinates; j++)
            lambda[at[j]] = -r.step[j];
    }
}

/* Solves for the change of u of the drive's motors caused by a change `side` of the forces. If the
   numbers of motors and coordinates differ, Z adds the change of M_u λ, by motors (NULL: zero). */
static void solve_change(const td_actuation_map *map, const td_drive *d, const real *values,
                         const drive_room *r, const real *Z, size_t n)
{
    const td_drives *drives = &map->drives;
    const td_csr *M_u = &map->matrix;
    const int *motor = drives->motor + d->motor;
    const bool more = d->motors > d->coordinates, fewer = d->motors < d->coordinates;
    for (int i = 0; Z && more && i < d->motors; i++)
        for (int e = M_u->row[motor[i]]; e < M_u->row[motor[i] + 1]; e++) {
            const int j = drives->local[M_u->column[e]];
            if (j >= 0)
                r->side[j] -= values[e] * r->scale[i] * r->scale[i] * Z[(size_t)motor[i] * n];
        }
    solve_drive(map, d, values, r);
    for (int i = 0; Z && more && i < d->motors; i++)
        r->u[i] += r->scale[i] * r->scale[i] * Z[(size_t)motor[i] * n];
    if (!Z || !fewer)
        return;
    for (int i = 0; i < d->motors; i++)
        r->part[i] = Z[(size_t)motor[i] * n];
    solve_normal((size_t)d->motors, r->R, r->part, r->step);
    for (int i = 0; i < d->motors; i++)
        r->u[i] += r->step[i];
}

static void drive_force_derivatives(const td_actuation_map *map, const td_scratch *s,
                                    const double *weight, const td_reals *in_X,
                                    const td_reals *in_Z, td_reals *by_position, td_reals *by_force)
{
    const td_drives *drives = &map->drives;
    const td_csr *M_u = &map->matrix;
    const real *values = s->M_u;
    const real *X = in_X, *Z = in_Z;
    const size_t n = (size_t)M_u->columns;
    real *along = by_position, *by_tau = by_force;
    for (int i = 0; i < 2; i++)
        if (i ? by_tau : along)
            clear(i ? by_tau : along, (size_t)M_u->rows * n);
    for (size_t k = 0; k < drives->count; k++) {
        const td_drive *d = &drives->drive[k];
        const int *motor = drives->motor + d->motor, *at = drives->coordinate + d->coordinate;
        td_scope(s->stack, drive);
        const drive_room r = drive_take(s->stack, d);
        real least;
        if (d->motors == 0)
            continue;
        factor_drive(map, d, values, weight, &r, &least);
        for (size_t a = 0; along && X && a < n; a++) {
            for (int j = 0; j < d->coordinates; j++)
                r.side[j] = -X[(size_t)at[j] * n + a];
            solve_change(map, d, values, &r, Z ? Z + a : NULL, n);
            for (int i = 0; i < d->motors; i++)
                along[(size_t)motor[i] * n + a] = r.u[i];
        }
        for (int c = 0; by_tau && c < d->coordinates; c++) {
            clear(r.side, (size_t)d->coordinates);
            r.side[c] = splat(1);
            solve_drive(map, d, values, &r);
            for (int i = 0; i < d->motors; i++)
                by_tau[(size_t)motor[i] * n + (size_t)at[c]] = r.u[i];
        }
    }
}

/* ---- rates ----------------------------------------------------------------------------------- */

static void drive_rates(const td_actuation_map *map, const td_scratch *s, const td_reals *rates,
                        td_reals *yd)
{
    const td_drives *drives = &map->drives;
    const real *values = s->M_u;
    const real *rate = rates;
    real *out = yd, bad = splat(-1);
    for (size_t k = 0; k < drives->count; k++) {
        const td_drive *d = &drives->drive[k];
        td_scope(s->stack, drive);
        const drive_room r = drive_take(s->stack, d);
        size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
        real least;
        factor_drive(map, d, values, NULL, &r, &least);
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
