/* SPDX-License-Identifier: MIT */
/*
 * Solves levels of priority. Required rows A x = v are decomposed by singular values, A = U Σ
 * Eᵀ. Each orthonormal row e of E gives e x = σ (uᵀ v) / (σ² + λ²). The damping λ is zero unless
 * σ is small (A. Maciejewski and C. Klein, International Journal of Robotics Research 7, 1988).
 * If all of these are feasible within bounds, one program finds x:
 *
 *   minimize |C x − w|² + δ² |x|²  over wished rows, subject to  E x = e  and the bounds
 *
 * Otherwise a preceding program reduces e to its feasible part: it minimizes Σ σ² s² subject to
 * E x + s = e. If bounds of rows contradict each other, a program before that relaxes them: it
 * minimizes |t|² with B x − t within the bounds.
 *
 * Columns at a bound that was active in the last call are first fixed there. If their
 * multipliers have the right signs, the solution is found. Otherwise the program is solved with
 * all columns. Columns that the reduced e requires to be at a bound stay there.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/dense.h"
#include "base/jacobi.h"
#include "ik/rate.h"

/* ---- required rows --------------------------------------------------------------------------- */

/* Reduces n × m columns to a triangle R, m × m, by Householder reflections, column by column. */
static void triangle(size_t n, size_t m, double *A, double *R)
{
    for (size_t k = 0; k < m; k++) {
        double *a = A + k * n;
        const double square = td_dense_dot(n - k, a + k, a + k);
        const double length = sqrt(square), end = a[k] > 0 ? -length : length;
        const double divisor = square + length * fabs(a[k]);
        a[k] -= end;
        for (size_t j = k + 1; j < m && divisor > 0; j++) {
            double *b = A + j * n;
            const double along = td_dense_dot(n - k, a + k, b + k);
            for (size_t i = k; i < n; i++)
                b[i] -= along / divisor * a[i];
        }
        for (size_t i = 0; i < m; i++)
            R[k * m + i] = i < k ? a[i] : i == k ? end : 0;
    }
}

/* Computes E, e and sigma. */
static void split(td_ik_rate *rate, td_ik_rate_result *result)
{
    const size_t n = rate->ik->columns, m = rate->needs, size = m < n ? m : n;
    rate->modes = 0;
    result->smallest = result->largest = 0;
    if (size == 0)
        return;
    double *copy = rate->need_copy;
    /* the columns are the rows of A, or its columns if there are fewer */
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            copy[m <= n ? i * n + j : j * m + i] = rate->need[i * n + j];
    const size_t other = m <= n ? n : m;
    triangle(other, size, copy, rate->R);
    td_jacobi_svd((int)size, (int)size, rate->R, rate->value, rate->V);
    const double largest = rate->value[0], small = rate->options.damping * largest;
    const size_t rank = rate->ik->rank;
    result->largest = largest;
    result->smallest = rank == 0 ? 0 : rate->value[(rank < size ? rank : size) - 1];
    for (size_t k = 0; k < size; k++) {
        const double sigma = rate->value[k], *v = rate->V + k * size;
        if (!(sigma > 1e-10 * largest))
            break;
        double *E = rate->E + k * n, along = 0; /* σ uᵀ v */
        memset(E, 0, n * sizeof *E);
        for (size_t i = 0; i < m; i++) {
            const double *row = rate->need + i * n;
            if (m <= n) {
                along += sigma * v[i] * rate->need_by[i];
                for (size_t j = 0; j < n; j++)
                    E[j] += v[i] / sigma * row[j];
            } else {
                for (size_t j = 0; j < n; j++)
                    along += v[j] * row[j] * rate->need_by[i];
            }
        }
        if (m > n)
            memcpy(E, v, n * sizeof *E);
        const double lambda = sigma < small ? 0.25 * (small - sigma) * (small + sigma) : 0; /* λ² */
        rate->e[k] = along / (sigma * sigma + lambda);
        rate->sigma[k] = sigma;
        rate->modes++;
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

static void set_diagonal(td_program *p, size_t from, size_t count, double root)
{
    const size_t n = td_program_unknowns(p);
    for (size_t i = from; i < from + count; i++)
        p->J[i * n + i] = 1 / root;
}

/* Gathers a (columns) over the unknowns. Returns its product with the fixed columns. */
static double gather(const td_ik_rate *rate, const double *a, double *over)
{
    double fixed = 0;
    for (size_t k = 0, i = 0; k < rate->ik->columns; k++)
        if (rate->fixed[k])
            fixed += a[k] * rate->x[k];
        else
            over[i++] = a[k];
    return fixed;
}

/* Prepares a program of free columns and slacks of soft rows, with c = 0 and J = 0. */
static void prepare(td_ik_rate *rate, size_t equalities, bool soft_equalities, bool soft_rows)
{
    td_program *p = &rate->program;
    const size_t columns = rate->ik->columns;
    size_t count = 0;
    for (size_t k = 0; k < columns; k++) {
        if (rate->fixed[k]) {
            rate->x[k] = rate->fixed[k] > 0 ? rate->column_upper[k] : rate->column_lower[k];
            continue;
        }
        rate->lower_free[count] = rate->column_lower[k];
        rate->upper_free[count] = rate->column_upper[k];
        rate->first[count] = rate->held[k];
        rate->free[count++] = k;
    }
    for (size_t i = 0; i < equalities; i++)
        rate->e_free[i] =
            rate->e[i] - gather(rate, rate->E + i * columns, rate->E_free + i * count);
    for (size_t i = 0; i < rate->rows; i++) {
        const double at = gather(rate, rate->B + i * columns, rate->B_free + i * count);
        rate->row_lower_free[i] = rate->row_lower[i] - at;
        rate->row_upper_free[i] = rate->row_upper[i] - at;
        rate->first[count + i] = rate->held[columns + i];
    }
    p->columns = count;
    p->equalities = equalities;
    p->rows = rate->rows;
    p->soft_equalities = soft_equalities;
    p->soft_rows = soft_rows;
    p->E = rate->E_free;
    p->e = rate->e_free;
    p->lower = rate->lower_free;
    p->upper = rate->upper_free;
    p->B = rate->B_free;
    p->row_lower = rate->row_lower_free;
    p->row_upper = rate->row_upper_free;
    p->first = rate->first;
    const size_t n = td_program_unknowns(p);
    memset(p->J, 0, n * n * sizeof *p->J);
    memset(p->x, 0, n * sizeof *p->x);
}

/* Expands x and the multipliers to all columns. slope (columns): the derivative of the objective.
   Returns false if a multiplier of a fixed column has the wrong sign. */
static bool spread(td_ik_rate *rate, bool wished, double damping)
{
    const td_program *p = &rate->program;
    const size_t columns = rate->ik->columns;
    double size = 0;
    for (size_t i = 0; i < p->columns; i++)
        rate->x[rate->free[i]] = p->x[i];
    for (size_t k = 0; k < columns; k++) {
        double sum = wished ? -rate->gradient[k] : damping * rate->x[k];
        for (size_t j = 0; j < columns && wished; j++)
            sum += rate->H[k * columns + j] * rate->x[j];
        rate->slope[k] = sum;
        size = fmax(size, fabs(sum));
    }
    for (size_t i = 0; i < p->equalities; i++)
        for (size_t k = 0; k < columns; k++)
            rate->slope[k] += p->multipliers[i] * rate->E[i * columns + k];
    for (size_t i = 0; i < p->rows; i++) {
        const double u = p->multipliers[p->equalities + p->columns + i];
        for (size_t k = 0; k < columns && u != 0; k++)
            rate->slope[k] += u * rate->B[i * columns + k];
    }
    bool right = true;
    for (size_t k = 0, i = 0; k < columns; k++)
        if (rate->fixed[k]) {
            rate->multiplier[k] = -rate->slope[k];
            right = right && rate->fixed[k] * rate->multiplier[k] >= -1e-10 * size;
        } else {
            rate->multiplier[k] = p->multipliers[p->equalities + i++];
        }
    return right;
}

static td_program_status solve(td_ik_rate *rate, td_ik_rate_result *result)
{
    const td_program_status status = td_program_solve(&rate->program);
    result->steps += rate->program.steps;
    return status;
}

/* Computes H and gradient of wished goals, with damping. Returns false if there are none. */
static bool square(td_ik_rate *rate)
{
    const size_t n = rate->ik->columns;
    double *H = rate->H, longest = 0;
    if (rate->wishes == 0)
        return false;
    memset(H, 0, n * n * sizeof *H);
    memset(rate->gradient, 0, n * sizeof *H);
    for (size_t i = 0; i < rate->wishes; i++) {
        const double *row = rate->wish + i * n;
        for (size_t j = 0; j < n; j++) {
            if (row[j] == 0)
                continue;
            rate->gradient[j] += row[j] * rate->wish_by[i];
            for (size_t k = 0; k < n; k++)
                H[j * n + k] += row[j] * row[k];
        }
    }
    for (size_t j = 0; j < n; j++)
        longest = fmax(longest, H[j * n + j]);
    for (size_t j = 0; j < n; j++)
        H[j * n + j] += rate->options.wish_damping * rate->options.wish_damping * longest;
    return longest > 0;
}

/* Computes c and J = L⁻ᵀ of H over the unknowns. Returns false if a pivot is not positive. */
static bool centre(td_ik_rate *rate)
{
    td_program *p = &rate->program;
    const size_t columns = rate->ik->columns, n = p->columns;
    double *L = rate->L;
    for (size_t i = 0; i < n; i++) {
        const size_t k = rate->free[i];
        p->x[i] = rate->gradient[k] - gather(rate, rate->H + k * columns, L + i * n);
    }
    if (!td_cholesky(n, L))
        return false;
    td_cholesky_solve(n, L, p->x);
    for (size_t i = 0; i < n; i++) { /* row i of J is column i of L⁻¹ */
        double *row = p->J + i * n;
        row[i] = 1;
        for (size_t r = i; r < n; r++) {
            double sum = row[r];
            for (size_t k = i; k < r; k++)
                sum -= L[r * n + k] * row[k];
            row[r] = sum / L[r * n + r];
        }
    }
    return true;
}

/* Minimizes the error of wished goals subject to E x = e; without wished goals minimizes |x|². */
static td_program_status aim(td_ik_rate *rate, bool wished, td_ik_rate_result *result, bool *right)
{
    prepare(rate, rate->modes, false, false);
    wished = wished && centre(rate);
    if (!wished)
        set_diagonal(&rate->program, 0, rate->program.columns, 1);
    const td_program_status status = solve(rate, result);
    *right = status == TD_PROGRAM_SOLVED && spread(rate, wished, 1);
    return status;
}

/* Relaxes contradicting bounds of rows as little as possible, and keeps bounds of x. */
static bool relax(td_ik_rate *rate, td_ik_rate_result *result)
{
    const size_t n = rate->ik->columns;
    prepare(rate, 0, false, true);
    set_diagonal(&rate->program, 0, n, 1e-6);
    set_diagonal(&rate->program, n, rate->rows, 1);
    if (solve(rate, result) != TD_PROGRAM_SOLVED)
        return false;
    for (size_t i = 0; i < rate->rows; i++) {
        const double at = td_dense_dot(n, rate->B + i * n, rate->program.x);
        rate->row_lower[i] = fmin(rate->row_lower[i], at);
        rate->row_upper[i] = fmax(rate->row_upper[i], at);
    }
    return true;
}

/* Reduces e to its feasible part within the bounds. */
static td_program_status approach(td_ik_rate *rate, td_ik_rate_result *result, bool *right)
{
    td_program *p = &rate->program;
    const double damping = rate->modes ? 1e-6 * rate->sigma[0] : 1;
    prepare(rate, rate->modes, true, false);
    set_diagonal(p, 0, p->columns, damping);
    for (size_t k = 0; k < rate->modes; k++)
        set_diagonal(p, p->columns + k, 1, rate->sigma[k]);
    const td_program_status status = solve(rate, result);
    *right = status == TD_PROGRAM_SOLVED && spread(rate, false, damping * damping);
    return status;
}

/* Reduces e to its reachable part and fixes the columns it uses. Returns false if no column is
 * left. */
static bool settle(td_ik_rate *rate)
{
    const size_t n = rate->ik->columns;
    const double largest = td_dense_largest(n, rate->x);
    double off = 0;
    for (size_t k = 0; k < rate->modes; k++) {
        const double at = td_dense_dot(n, rate->E + k * n, rate->x);
        off = fmax(off, fabs(at - rate->e[k]));
        rate->e[k] = at;
    }
    /* bounds that are active only by minimizing |x| have smaller multipliers */
    const double nothing = rate->modes ? 1e-10 * rate->sigma[0] * rate->sigma[0] * largest : 0;
    for (size_t k = 0; k < n; k++) {
        const double u = rate->multiplier[k];
        rate->fixed[k] = (signed char)(u > nothing ? 1 : u < -nothing ? -1 : 0);
    }
    return off > 1e-9 * largest;
}

/* ---- all levels ------------------------------------------------------------------------------ */

/* Frees fixed columns whose multipliers have the wrong sign. Returns false if there are no such
   columns. */
static bool release(td_ik_rate *rate)
{
    bool any = false;
    for (size_t k = 0; k < rate->ik->columns; k++)
        if (rate->fixed[k] * rate->multiplier[k] < 0) {
            rate->fixed[k] = 0;
            any = true;
        }
    return any;
}

/* Tries a solution with the last active bounds, and drops those that turn out inactive. Returns
   false if that fails. */
static bool try_held(td_ik_rate *rate, bool wished, td_ik_rate_result *result)
{
    enum { ROUNDS = 4 };
    const size_t n = rate->ik->columns;
    bool any = false, right = false;
    for (size_t k = 0; k < n; k++)
        any = any || rate->held[k];
    if (!any)
        return false;
    memcpy(rate->fixed, rate->held, n);
    for (int i = 0; i < ROUNDS; i++) {
        if (aim(rate, wished, result, &right) != TD_PROGRAM_SOLVED)
            break;
        if (right || !release(rate))
            return true;
    }
    right = false;
    for (int i = 0; i < ROUNDS && !right; i++)
        if (approach(rate, result, &right) != TD_PROGRAM_SOLVED)
            return false;
        else
            right = right || !release(rate);
    if (!right)
        return false;
    memcpy(rate->value, rate->e, rate->modes * sizeof *rate->e);
    if (settle(rate) && aim(rate, wished, result, &right) == TD_PROGRAM_SOLVED)
        return true;
    memcpy(rate->e, rate->value, rate->modes * sizeof *rate->e);
    return false;
}

bool td_ik_rate_levels(td_ik_rate *rate, td_ik_rate_result *result)
{
    const size_t n = rate->ik->columns;
    bool sound = true, right;
    split(rate, result);
    const bool wished = square(rate);
    if (try_held(rate, wished, result))
        return true;
    memset(rate->fixed, 0, n);
    if (aim(rate, wished, result, &right) == TD_PROGRAM_SOLVED)
        return true;
    td_program_status status = approach(rate, result, &right);
    if (status == TD_PROGRAM_EMPTY && rate->rows > 0) {
        sound = false;
        if (relax(rate, result))
            status = approach(rate, result, &right);
    }
    if (status != TD_PROGRAM_SOLVED) { /* only rounding: clamp to the bounds of x */
        for (size_t k = 0; k < n; k++)
            rate->x[k] = fmin(fmax(0, rate->column_lower[k]), rate->column_upper[k]);
        return false;
    }
    settle(rate);
    memcpy(rate->slope, rate->x, n * sizeof *rate->x);
    if (aim(rate, wished, result, &right) != TD_PROGRAM_SOLVED)
        memcpy(rate->x, rate->slope, n * sizeof *rate->x);
    return sound;
}
