/* SPDX-License-Identifier: MIT */
/*
 * Determines which modes of a linear system its inputs reach. Let Aᵀ Z = Z T be a Schur form whose
 * first k eigenvalues form a group. Let S be the leading block of T and W the first k columns of Z.
 * Then z = Wᵀ x obeys ż = Sᵀ z + Wᵀ B u. The number of reached states of the group is the dimension
 * of the Krylov space of (Sᵀ, Wᵀ B). For a single eigenvalue this is the Popov-Belevitch-Hautus
 * test, wᵀ B ≠ 0. For a group it is the staircase algorithm (C. C. Paige, Properties of numerical
 * algorithms related to computing controllability, IEEE Trans. Automatic Control 26, 1981). In a
 * staircase of the whole system, rounding errors propagate from step to step, so that every state
 * of a long chain seems to be reached. The staircase of a group has few steps.
 *
 * Eigenvalues are merged into groups if rounding may have split one Jordan block. This is
 * assumed if they are closer than the error of one of them, n ε |A| / s, where s is the cosine
 * between its left and right eigenvectors (J. H. Wilkinson, The Algebraic Eigenvalue Problem,
 * 1965, chapter 2). For groups at distance d, ε rotates left eigenvectors by ε |A| / (s d),
 * where 1 / s is the norm of the group's projector. Groups rotated by more than the tolerance
 * are merged, too. Conjugate pairs are in one group, so that both have the same margin.
 */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/dense.h"
#include "base/eigenvalues.h"
#include "base/linalg.h"
#include "base/stack.h"
#include "linear/linear.h"

typedef double _Complex scalar;

/* margins between tolerance and this multiple of it are undecided */
static const double UNSURE = 100;

typedef struct reach {
    size_t n, m;
    /* noise: numbers this small relative to the largest entry count as zero */
    double tolerance, noise;
    double *A, *B;            /* n × n, n × m: balanced and scaled */
    double *real, *imaginary; /* n: eigenvalues of A in the order of td_linear_eigenvalues */
    double *margin;           /* n, in the same order */
    double *row;              /* n */
    scalar *T, *Z;            /* n × n column-major: Schur form of Aᵀ */
    scalar *F;                /* n × m column-major: B in the Schur basis */
    scalar *K;                /* n × (n + m) column-major: a Krylov space; also the projector */
    size_t *owner;            /* n: the eigenvalue that T has in a column */
    size_t *group;            /* n: for each eigenvalue, a representative of its group */
} reach;

static void take(td_stack *stack, reach *r)
{
    const size_t n = r->n;
    double **const vector[] = {&r->real, &r->imaginary, &r->margin, &r->row};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        *vector[i] = td_take(stack, double, n);
    r->A = td_take(stack, double, n *n);
    r->B = td_take(stack, double, n * r->m);
    r->T = td_take(stack, scalar, n * n);
    r->Z = td_take(stack, scalar, n * n);
    r->F = td_take(stack, scalar, n * r->m);
    r->K = td_take(stack, scalar, n * (n + r->m));
    r->owner = td_take(stack, size_t, n);
    r->group = td_take(stack, size_t, n);
}

/* ---- the system ------------------------------------------------------------------------------ */

/* Copies A and B in units that balance A, scaled so that A's largest entry is about one and the
   magnitudes in each column of B sum to one. Scales the eigenvalues with A. Rows and columns
   within rounding of zero do not affect the units, since balancing would enlarge them. */
static void take_system(reach *r, const double *A, const double *B)
{
    const size_t n = r->n, m = r->m;
    memcpy(r->A, A, n * n * sizeof *A);
    td_balance(n, r->A, r->noise * td_dense_largest(n * n, A), r->row);
    const double largest = td_dense_largest(n * n, r->A);
    const int exponent = largest > 0 ? -ilogb(largest) : 0;
    for (size_t i = 0; i < n * n; i++)
        r->A[i] = ldexp(r->A[i], exponent);
    for (size_t i = 0; i < n; i++) {
        r->real[i] = ldexp(r->real[i], exponent);
        r->imaginary[i] = ldexp(r->imaginary[i], exponent);
    }
    for (size_t j = 0; j < m; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            r->B[i * m + j] = B[i * m + j] / r->row[i];
            sum += fabs(r->B[i * m + j]);
        }
        for (size_t i = 0; i < n && sum > 0; i++)
            r->B[i * m + j] /= sum;
    }
}

/* ---- Schur form ------------------------------------------------------------------------------ */

/* Assigns each eigenvalue to the nearest unassigned column of T, and computes F. */
static void match(reach *r)
{
    const size_t n = r->n, m = r->m;
    for (size_t i = 0; i < n; i++)
        r->owner[i] = n;
    for (size_t i = 0; i < n; i++) {
        const scalar value = r->real[i] + r->imaginary[i] * I;
        size_t best = n;
        for (size_t k = 0; k < n; k++)
            if (r->owner[k] == n &&
                (best == n || cabs(r->T[k * (n + 1)] - value) < cabs(r->T[best * (n + 1)] - value)))
                best = k;
        r->owner[best] = i;
    }
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                r->F[k * n + i] += r->Z[i * n + j] * r->B[j * m + k];
}

/* Swaps eigenvalues k and k + 1 of the Schur form (LAPACK's trexc). */
static void exchange(reach *r, size_t k)
{
    const size_t n = r->n, owner = r->owner[k];
    scalar *left = r->T + k * n, *right = left + n;
    const scalar upper = left[k], lower = right[k + 1], f = right[k], g = lower - upper;
    const double size = cabs(f), length = hypot(size, cabs(g));
    /* divisors that are never zero: compilers may divide before they test */
    const double by_length = length > 0 ? length : 1, by_size = size > 0 ? size : 1;
    const double c = length > 0 ? size / by_length : 1;
    const scalar s = length > 0 ? (size > 0 ? f / by_size : 1) * conj(g) / by_length : 0;
    td_rotate_complex(n - k - 2, right + n + k, right + n + k + 1, n, c, s);
    td_rotate_complex(k, left, right, 1, c, conj(s));
    td_rotate_complex(r->m, r->F + k, r->F + k + 1, n, c, conj(s));
    left[k] = lower;
    right[k + 1] = upper;
    r->owner[k] = r->owner[k + 1];
    r->owner[k + 1] = owner;
}

/* Moves the eigenvalues of a group to the first columns of the Schur form. Returns their number. */
static size_t collect(reach *r, size_t group)
{
    size_t size = 0;
    for (size_t from = 0; from < r->n; from++)
        if (r->group[r->owner[from]] == group) {
            for (size_t k = from; k > size; k--)
                exchange(r, k - 1);
            size++;
        }
    return size;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Returns the norm of the spectral projector (1, X; 0, 0) of the first columns, with S X − X T'
   = −F for T = (S, F; 0, T'). Denominators have a lower bound, as in LAPACK's trsyl. */
static double projector_norm(reach *r, size_t size)
{
    const size_t n = r->n;
    double square = 1;
    for (size_t j = size; j < n && square < 1 / (r->noise * r->noise); j++)
        for (size_t i = size; i-- > 0;) {
            scalar x = r->T[j * n + i];
            for (size_t k = i + 1; k < size; k++)
                x -= r->T[k * n + i] * r->K[j * n + k];
            for (size_t k = size; k < j; k++)
                x += r->K[k * n + i] * r->T[j * n + k];
            const scalar gap = r->T[i * (n + 1)] - r->T[j * (n + 1)];
            x /= cabs(gap) > r->noise ? gap : r->noise;
            r->K[j * n + i] = x;
            square += creal(x * conj(x));
        }
    return sqrt(square);
}

/* Merges groups with eigenvalues that are closer than the error of one of the groups. The error
   is `factor` times the norm of the group's projector. */
static void join_groups(reach *r, double factor)
{
    const size_t n = r->n;
    double *const error = r->row;
    scalar *const value = r->Z;
    for (size_t i = 0; i < n; i++)
        error[i] = 0;
    for (size_t i = 0; i < n; i++) {
        if (error[i] > 0)
            continue;
        const size_t size = collect(r, r->group[i]);
        const double e = factor * projector_norm(r, size);
        for (size_t k = 0; k < size; k++) {
            value[r->owner[k]] = r->T[k * (n + 1)];
            error[r->owner[k]] = e;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if ((r->imaginary[i] < 0 && j + 1 == i) ||
                cabs(value[i] - value[j]) <= fmax(error[i], error[j])) {
                const size_t old = r->group[i];
                for (size_t k = 0; k < n; k++)
                    if (r->group[k] == old)
                        r->group[k] = r->group[j];
            }
}

static scalar dot(size_t n, const scalar *a, const scalar *b)
{
    scalar sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += conj(a[i]) * b[i];
    return sum;
}

/* Computes x ← x − q qᴴ x. */
static void subtract(size_t n, const scalar *q, scalar *x)
{
    const scalar part = dot(n, q, x);
    for (size_t i = 0; i < n; i++)
        x[i] -= part * q[i];
}

/* Selects the longest of the columns from `done` to `count`. Normalizes it to the next vector of
   an orthonormal basis and makes the other columns orthogonal to it. Returns its length. */
static double next_vector(size_t n, scalar *columns, size_t done, size_t count)
{
    size_t best = done;
    double longest = 0;
    for (size_t j = done; j < count; j++) {
        const double length = sqrt(creal(dot(n, columns + j * n, columns + j * n)));
        if (length > longest) {
            longest = length;
            best = j;
        }
    }
    scalar *q = columns + done * n, *other = columns + best * n;
    for (size_t i = 0; i < n && longest > 0; i++) {
        const scalar x = q[i];
        q[i] = other[i] / longest;
        if (best != done)
            other[i] = x;
    }
    for (size_t j = done + 1; j < count && longest > 0; j++)
        subtract(n, q, columns + j * n);
    return longest;
}

/* Builds the Krylov space of the group in the first columns. Sets the margin of reached states
   to the smallest pivot, and of the others to the first pivot that is too small. S is used
   without its mean, in units of its largest entry. A lower bound for these units keeps rounding
   of A below the tolerance. */
static void count_group(reach *r, size_t size)
{
    const size_t n = r->n, m = r->m, group = r->group[r->owner[0]];
    scalar mean = 0;
    for (size_t i = 0; i < size; i++)
        mean += r->T[i * (n + 1)] / (double)size;
    double scale = r->noise / r->tolerance;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++)
            scale = fmax(scale, cabs(r->T[i * n + j] - (i == j ? mean : 0)));
    for (size_t k = 0; k < m; k++)
        memcpy(r->K + k * size, r->F + k * n, size * sizeof *r->F);
    size_t done = 0;
    double least = INFINITY, left = 0;
    for (; done < size && m > 0; done++) {
        left = next_vector(size, r->K, done, done + m);
        if (!(left > r->tolerance))
            break;
        least = fmin(least, left);
        const scalar *q = r->K + done * size;
        scalar *x = r->K + (done + m) * size;
        for (size_t i = 0; i < size; i++) {
            x[i] = -mean * q[i];
            for (size_t j = 0; j <= i; j++)
                x[i] += r->T[i * n + j] * q[j];
            x[i] /= scale;
        }
        for (size_t k = 0; k < 2 * (done + 1); k++)
            subtract(size, r->K + k % (done + 1) * size, x);
    }
    for (size_t i = 0, member = 0; i < n; i++)
        if (r->group[i] == group)
            r->margin[i] = member++ < done ? least : left;
}

static void find_margins(reach *r)
{
    const size_t n = r->n;
    for (size_t i = 0; i < n; i++)
        r->group[i] = i;
    join_groups(r, r->noise);
    join_groups(r, DBL_EPSILON / r->tolerance);
    for (size_t i = 0; i < n; i++)
        r->margin[i] = -1;
    for (size_t i = 0; i < n; i++)
        if (r->margin[i] < 0)
            count_group(r, collect(r, r->group[i]));
}

td_status td_linear_controllable(size_t n, size_t m, const double *A, const double *B,
                                 double tolerance, size_t *reached, size_t *most, double *margin)
{
    if (!reached || !(tolerance >= 0) || (n > 0 && (!A || (m > 0 && !B))))
        return TD_ERROR_ARGUMENT;
    *reached = 0;
    if (most)
        *most = 0;
    td_dense_spoil(n, margin);
    if (!td_dense_finite(n * n, A) || !td_dense_finite(n * m, B))
        return TD_ERROR_NOT_FINITE;
    reach r = {.n = n,
               .m = m,
               .tolerance = tolerance > 0 ? tolerance : 1e-10,
               .noise = 8 * (double)n * DBL_EPSILON};
    td_stack stack = {0};
    if (!td_take_twice(&stack, take(&stack, &r)))
        return TD_ERROR_MEMORY;
    td_status status = td_linear_eigenvalues(n, A, r.real, r.imaginary);
    if (status == TD_OK) {
        take_system(&r, A, B);
        status = td_schur((int)n, r.A, r.T, r.Z); /* row-major A is column-major Aᵀ */
    }
    if (status == TD_OK) {
        match(&r);
        find_margins(&r);
        for (size_t i = 0; i < n; i++) {
            *reached += r.margin[i] > UNSURE * r.tolerance;
            if (most)
                *most += r.margin[i] > r.tolerance;
        }
        if (margin)
            memcpy(margin, r.margin, n * sizeof *margin);
    }
    td_stack_end(&stack);
    return status;
}
