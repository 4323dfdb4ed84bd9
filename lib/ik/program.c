/* SPDX-License-Identifier: MIT */
/*
 * Solves quadratic programs by the dual active-set method (D. Goldfarb and A. Idnani, A numerically
 * stable dual method for solving strictly convex quadratic programs, Mathematical Programming 27,
 * 1983). It starts at the unconstrained minimum and activates one violated bound at a time. With N
 * the normals of active bounds and n the normal of a new one,
 *
 *   Jᵀ N = (R; 0)       J = (J1 J2),   z = J2 J2ᵀ n   the step direction that N allows
 *   r = R⁻¹ J1ᵀ n                                     the change of multipliers along it
 *
 * The objective grows with each activated bound. So no set of bounds occurs twice, and the
 * method does not cycle. An iteration limit guards against cycling by rounding.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "ik/program.h"

/* Bounds are numbered: equalities, then bounds of x, then rows. */

void td_program_take(td_stack *stack, size_t n, size_t equalities, size_t columns, size_t rows,
                     td_program *p)
{
    const size_t bounds = equalities + columns + rows;
    p->J = td_take(stack, double, n *n);
    p->x = td_take(stack, double, n);
    p->multipliers = td_take(stack, double, bounds);
    p->R = td_take(stack, double, n *n);
    p->d = td_take(stack, double, n);
    p->z = td_take(stack, double, n);
    p->r = td_take(stack, double, n + 1);
    p->u = td_take(stack, double, n + 1);
    p->held = td_take(stack, size_t, n + 1);
    p->side = td_take(stack, signed char, n + 1);
    p->state = td_take(stack, signed char, bounds);
}

size_t td_program_unknowns(const td_program *p)
{
    return p->columns + (p->soft_equalities ? p->equalities : 0) + (p->soft_rows ? p->rows : 0);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The normal of a bound: a dense part, and one entry elsewhere. */
typedef struct normal {
    const double *dense; /* columns; NULL: no dense part */
    size_t entry;        /* index among all unknowns; their number: no entry */
    double value;
} normal;

static normal normal_of(const td_program *p, size_t bound)
{
    const size_t none = td_program_unknowns(p);
    if (bound < p->equalities)
        return (normal){p->E + bound * p->columns, p->soft_equalities ? p->columns + bound : none,
                        1};
    bound -= p->equalities;
    if (bound < p->columns)
        return (normal){NULL, bound, 1};
    bound -= p->columns;
    return (normal){
        p->B + bound * p->columns,
        p->soft_rows ? p->columns + (p->soft_equalities ? p->equalities : 0) + bound : none, -1};
}

static double dot(size_t n, const double *restrict a, const double *restrict b)
{
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add(size_t n, double by, const double *restrict a, double *restrict b)
{
    for (size_t i = 0; i < n; i++)
        b[i] += by * a[i];
}

/* Returns nᵀ x. */
static double along(const td_program *p, size_t bound, const double *x)
{
    const normal n = normal_of(p, bound);
    return (n.dense ? dot(p->columns, n.dense, x) : 0) +
           (n.entry < td_program_unknowns(p) ? n.value * x[n.entry] : 0);
}

static double limit_of(const td_program *p, size_t bound, int side)
{
    if (bound < p->equalities)
        return p->e[bound];
    bound -= p->equalities;
    if (bound < p->columns)
        return side > 0 ? p->upper[bound] : p->lower[bound];
    bound -= p->columns;
    return side > 0 ? p->row_upper[bound] : p->row_lower[bound];
}

/* Computes d = Jᵀ n. */
static void into_J(const td_program *p, size_t bound, double *d)
{
    const size_t size = td_program_unknowns(p);
    const normal n = normal_of(p, bound);
    memset(d, 0, size * sizeof *d);
    for (size_t i = 0; i < p->columns && n.dense; i++)
        if (n.dense[i] != 0)
            add(size, n.dense[i], p->J + i * size, d);
    if (n.entry < size)
        add(size, n.value, p->J + n.entry * size, d);
}

/* ---- active bounds --------------------------------------------------------------------------- */

/* Activates a bound: a reflection of J2 maps J2ᵀ n onto its first axis. */
static void take_up(td_program *p, size_t q, double length)
{
    const size_t n = td_program_unknowns(p), rest = n - q;
    double *w = p->d + q;
    const double end = w[0] > 0 ? -length : length;        /* maps d2 onto the first axis */
    const double divisor = length * (length + fabs(w[0])); /* wᵀ w / 2 */
    w[0] -= end;
    for (size_t i = 0; i < n && divisor > 0; i++) {
        double *row = p->J + i * n + q;
        add(rest, -dot(rest, row, w) / divisor, w, row);
    }
    for (size_t i = 0; i < q; i++)
        p->R[i * n + q] = p->d[i];
    p->R[q * n + q] = end;
}

/* Deactivates a bound: removes its column of R, and restores the triangle by rotations. */
static void leave(td_program *p, size_t q, size_t which)
{
    const size_t n = td_program_unknowns(p);
    p->state[p->held[which]] = 0;
    for (size_t k = which; k + 1 < q; k++) {
        p->held[k] = p->held[k + 1];
        p->side[k] = p->side[k + 1];
        p->u[k] = p->u[k + 1];
        for (size_t i = 0; i <= k + 1; i++)
            p->R[i * n + k] = p->R[i * n + k + 1];
    }
    for (size_t k = which; k + 1 < q; k++) {
        double *above = p->R + k * n, *below = above + n;
        const double length = hypot(above[k], below[k]);
        if (!(length > 0))
            continue;
        const double c = above[k] / length, s = below[k] / length;
        for (size_t j = k; j + 1 < q; j++) {
            const double x = above[j];
            above[j] = c * x + s * below[j];
            below[j] = c * below[j] - s * x;
        }
        for (size_t i = 0; i < n; i++) {
            double *row = p->J + i * n + k;
            const double x = row[0];
            row[0] = c * x + s * row[1];
            row[1] = c * row[1] - s * x;
        }
    }
}

/* Computes r = R⁻¹ d for the first q entries. */
static void back(const td_program *p, size_t q, const double *d, double *r)
{
    const size_t n = td_program_unknowns(p);
    for (size_t i = q; i-- > 0;) {
        double sum = d[i];
        for (size_t k = i + 1; k < q; k++)
            sum -= p->R[i * n + k] * r[k];
        r[i] = sum / p->R[i * n + i];
    }
}

/* ---- the next bound -------------------------------------------------------------------------- */

typedef struct broken {
    size_t bound;
    int side;
    double by;
} broken;

static double tolerance_of(const td_program *p, double limit)
{
    return 1e-11 * fmax(fabs(limit), td_dense_largest(p->columns, p->x));
}

/* Finds the most violated bound, bounds of first before the others; the first violated one (Bland's
   rule) after too many iterations. Returns false if all are satisfied. */
static bool find_broken(const td_program *p, bool least, broken *most)
{
    bool found = false, found_first = false;
    for (size_t i = 0; i < p->columns + p->rows; i++) {
        const size_t bound = p->equalities + i;
        const double low = limit_of(p, bound, -1), high = limit_of(p, bound, 1);
        if (p->state[bound] || (isinf(low) && isinf(high)))
            continue;
        const double x = i < p->columns ? p->x[i] : along(p, bound, p->x);
        const double by = fmax(low - x, x - high);
        if (!(by > 0) || !(by > tolerance_of(p, x)))
            continue;
        const bool first = p->first && p->first[i];
        if (found && ((found_first && !first) || (found_first == first && by <= most->by)))
            continue;
        *most = (broken){bound, x > high ? 1 : -1, by};
        found = true;
        found_first = first;
        if (least)
            return true;
    }
    return found;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Moves x until the bound is satisfied, and activates it. Deactivates other bounds on the way. */
static td_program_status step(td_program *p, size_t *q, const broken *next, size_t most)
{
    const size_t n = td_program_unknowns(p);
    const bool equality = next->bound < p->equalities;
    double own = 0; /* multiplier of the new bound */
    for (; p->steps < most; p->steps++) {
        const double left =
            next->side * (limit_of(p, next->bound, next->side) - along(p, next->bound, p->x));
        into_J(p, next->bound, p->d);
        for (size_t i = 0; i < n; i++) /* direction to the inside */
            p->d[i] *= -next->side;
        double square = 0, whole = 0;
        for (size_t i = 0; i < n; i++) {
            whole += p->d[i] * p->d[i];
            square += i >= *q ? p->d[i] * p->d[i] : 0;
        }
        const bool depends = *q == n || !(square > 1e-24 * whole);
        back(p, *q, p->d, p->r);
        size_t leaving = *q;
        double shortest = INFINITY;
        for (size_t k = 0; k < *q; k++)
            if (p->held[k] >= p->equalities && p->r[k] > 0 && p->u[k] / p->r[k] < shortest) {
                shortest = p->u[k] / p->r[k];
                leaving = k;
            }
        if (depends && equality && fabs(left) <= 1e-9 * (1 + tolerance_of(p, 0) * 1e11))
            return TD_PROGRAM_SOLVED; /* linearly dependent on active bounds */
        if (depends && leaving == *q)
            return TD_PROGRAM_EMPTY;
        const double full = depends ? INFINITY : -left / square;
        const double length = fmin(full, shortest);
        for (size_t k = 0; k < *q; k++)
            p->u[k] -= length * p->r[k];
        own += length;
        for (size_t i = 0; i < n && !depends; i++)
            p->x[i] += length * dot(n - *q, p->J + i * n + *q, p->d + *q);
        if (full <= shortest) {
            take_up(p, *q, sqrt(square));
            p->held[*q] = next->bound;
            p->side[*q] = (signed char)next->side;
            p->u[*q] = own;
            p->state[next->bound] = (signed char)next->side;
            p->steps++;
            ++*q;
            return TD_PROGRAM_SOLVED;
        }
        leave(p, *q, leaving);
        --*q;
    }
    return TD_PROGRAM_ENDLESS;
}

/* Removes rounding errors of active bounds by the smallest change of x in the norm of H. */
static void settle(td_program *p, size_t q)
{
    const size_t n = td_program_unknowns(p);
    for (size_t k = 0; k < q; k++) {
        double sum =
            -p->side[k] * (limit_of(p, p->held[k], p->side[k]) - along(p, p->held[k], p->x));
        for (size_t i = 0; i < k; i++) /* Rᵀ z = remainder */
            sum -= p->R[i * n + k] * p->z[i];
        p->z[k] = sum / p->R[k * n + k];
    }
    for (size_t i = 0; i < n; i++)
        p->x[i] += dot(q, p->J + i * n, p->z);
    for (size_t i = 0; i < p->columns; i++)
        p->x[i] = fmin(fmax(p->x[i], p->lower[i]), p->upper[i]);
    for (size_t k = 0; k < q; k++)
        if (p->held[k] >= p->equalities && p->held[k] < p->equalities + p->columns)
            p->x[p->held[k] - p->equalities] = limit_of(p, p->held[k], p->side[k]);
}

td_program_status td_program_solve(td_program *p)
{
    const size_t bounds = p->equalities + p->columns + p->rows, most = 100 + 10 * bounds;
    size_t q = 0;
    td_program_status status = TD_PROGRAM_SOLVED;
    p->steps = 0;
    memset(p->state, 0, bounds * sizeof *p->state);
    for (size_t i = 0; i < p->equalities && status == TD_PROGRAM_SOLVED; i++) {
        const broken next = {i, along(p, i, p->x) > p->e[i] ? 1 : -1, 0};
        status = step(p, &q, &next, most);
    }
    broken next;
    while (status == TD_PROGRAM_SOLVED && find_broken(p, p->steps > most / 2, &next))
        status = step(p, &q, &next, most);
    if (status != TD_PROGRAM_SOLVED)
        return status;
    settle(p, q);
    memset(p->multipliers, 0, bounds * sizeof *p->multipliers);
    for (size_t k = 0; k < q; k++)
        p->multipliers[p->held[k]] = p->side[k] * p->u[k];
    return status;
}
