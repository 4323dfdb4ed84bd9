/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues by single-shift QR iteration on a Hessenberg matrix (Golub and Van Loan, Matrix
 * Computations, 7.4 and 7.5). It uses complex numbers, in which conjugate pairs need no double
 * shift. At the end, pairs of a real matrix are made exact conjugates.
 */
#include "base/eigenvalues.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef double _Complex scalar;

enum { MOST_STEPS = 100 }; /* for one eigenvalue; three are typical */

void td_balance(size_t n, double *A, double least, double *unit)
{
    for (size_t i = 0; i < n; i++)
        unit[i] = 1;
    bool changed = true;
    for (int sweep = 0; sweep < 20 && changed; sweep++) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            double row = 0, column = 0;
            for (size_t j = 0; j < n; j++) {
                row += j == i ? 0 : fabs(A[i * n + j]);
                column += j == i ? 0 : fabs(A[j * n + i]);
            }
            const double d = row > least && column > least ? exp2(rint(log2(row / column) / 2)) : 1;
            if (d == 1)
                continue;
            changed = true;
            unit[i] *= d;
            for (size_t j = 0; j < n; j++) {
                A[i * n + j] /= d;
                A[j * n + i] *= d;
            }
        }
    }
}

/* Computes A ← A (1 − 2 v vᵀ / square), for columns from `first` on. */
static void reflect(size_t n, size_t first, double square, const double *v, double *A)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = first; j < n; j++)
            sum += A[i * n + j] * v[j];
        for (size_t j = first; j < n; j++)
            A[i * n + j] -= 2 * sum / square * v[j];
    }
}

/* Reduces A ← Qᵀ A Q to Hessenberg form by reflections. v has n numbers. Also computes Z ← Z Q
   unless Z is NULL. */
static void reduce(size_t n, double *A, double *v, double *Z)
{
    for (size_t k = 0; k + 2 < n; k++) {
        double square = 0, length = 0;
        for (size_t i = k + 1; i < n; i++) {
            v[i] = A[i * n + k];
            length = hypot(length, v[i]);
        }
        v[k + 1] += copysign(length, v[k + 1]);
        for (size_t i = k + 1; i < n; i++)
            square += v[i] * v[i];
        if (!(square > 0))
            continue;
        for (size_t j = k; j < n; j++) {
            double sum = 0;
            for (size_t i = k + 1; i < n; i++)
                sum += v[i] * A[i * n + j];
            for (size_t i = k + 1; i < n; i++)
                A[i * n + j] -= 2 * sum / square * v[i];
        }
        reflect(n, k + 1, square, v, A);
        if (Z)
            reflect(n, k + 1, square, v, Z);
    }
}

/* Returns the eigenvalue of the trailing 2 × 2 block at `high` that is nearer to its last entry.
   Every tenth step returns an exceptional shift, which breaks cycles. */
static scalar shift_of(size_t n, const scalar *H, size_t high, int step)
{
    const scalar a = H[(high - 1) * n + high - 1], b = H[(high - 1) * n + high];
    const scalar c = H[high * n + high - 1], d = H[high * n + high];
    if (step % 10 == 9)
        return d + 1.5 * cabs(c);
    const scalar half = (a - d) / 2, root = csqrt(half * half + b * c);
    const scalar sum = cabs(half + root) > cabs(half - root) ? half + root : half - root;
    return cabs(sum) > 0 ? d - b * c / sum : d;
}

void td_rotate_complex(size_t count, scalar *x, scalar *y, size_t stride, scalar c, scalar s)
{
    for (size_t i = 0; i < count * stride; i += stride) {
        const scalar a = x[i], b = y[i];
        x[i] = c * a + s * b;
        y[i] = conj(c) * b - conj(s) * a;
    }
}

/* Does a QR step on rows and columns low to high: H − shift = Q R, H ← R Q + shift. `turn`
   stores (cosine, sine) of each rotation. With Z, computes Z ← Z Q and rotates the whole of H. */
static void iterate(size_t n, scalar *H, size_t low, size_t high, scalar shift, scalar *turn,
                    scalar *Z)
{
    const size_t last = Z ? n - 1 : high, first = Z ? 0 : low;
    for (size_t i = low; i <= high; i++)
        H[i * n + i] -= shift;
    for (size_t k = low; k < high; k++) {
        scalar *upper = H + k * n, *lower = upper + n;
        const double length = hypot(cabs(upper[k]), cabs(lower[k]));
        /* a divisor that is never zero: compilers may divide before they test */
        const double by = length > 0 ? length : 1;
        const scalar c = length > 0 ? upper[k] / by : 1, s = length > 0 ? lower[k] / by : 0;
        td_rotate_complex(last + 1 - k, upper + k, lower + k, 1, conj(c), conj(s));
        turn[2 * k] = c;
        turn[2 * k + 1] = s;
    }
    for (size_t k = low; k < high; k++) {
        const scalar c = turn[2 * k], s = turn[2 * k + 1];
        scalar *column = H + first * n + k;
        td_rotate_complex(k + 2 - first, column, column + 1, n, c, s);
        if (Z)
            td_rotate_complex(n, Z + k, Z + k + 1, n, c, s);
    }
    for (size_t i = low; i <= high; i++)
        H[i * n + i] += shift;
}

/* Iterates until the diagonal of H has the eigenvalues. */
static bool diagonalize(size_t n, scalar *H, scalar *turn, scalar *Z)
{
    int step = 0;
    for (size_t high = n > 0 ? n - 1 : 0; high > 0;) {
        size_t low = high;
        for (; low > 0; low--) {
            const double next = cabs(H[(low - 1) * n + low - 1]) + cabs(H[low * n + low]);
            if (cabs(H[low * n + low - 1]) <= DBL_EPSILON * next + DBL_MIN)
                break;
        }
        if (low == high) {
            high--;
            step = 0;
        } else if (step++ == MOST_STEPS) {
            return false;
        } else {
            iterate(n, H, low, high, shift_of(n, H, high, step), turn, Z);
        }
    }
    return true;
}

/* Cleans eigenvalues of a real matrix: values near the real axis become real. Others are paired
   with the nearest conjugate, which is moved next to its partner. */
static void pair(size_t n, scalar *value, double *real, double *imaginary)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, cabs(value[i]));
    for (size_t i = 0; i < n; i++) {
        size_t partner = i;
        double nearest = fabs(cimag(value[i])); /* from the real axis */
        for (size_t j = i + 1; j < n; j++) {
            const double distance = cabs(value[j] - conj(value[i])) / 2;
            if (distance < nearest) {
                nearest = distance;
                partner = j;
            }
        }
        real[i] = creal(value[i]);
        imaginary[i] = 0;
        if (partner == i || fabs(cimag(value[i])) <= 4 * DBL_EPSILON * most)
            continue;
        const scalar middle = (value[i] + conj(value[partner])) / 2;
        value[partner] = value[i + 1];
        real[i] = real[i + 1] = creal(middle);
        imaginary[i] = fabs(cimag(middle));
        imaginary[i + 1] = -imaginary[i];
        i++;
    }
}

td_status td_qr_eigenvalues(size_t n, double *A, double *real, double *imaginary)
{
    if (n == 0)
        return TD_OK;
    scalar *H = malloc((n * n + 2 * n) * sizeof *H);
    if (!H)
        return TD_ERROR_MEMORY;
    scalar *turn = H + n * n;
    td_balance(n, A, 0, real);
    reduce(n, A, real, NULL);
    for (size_t i = 0; i < n * n; i++)
        H[i] = i / n > i % n + 1 ? 0 : A[i];
    const bool found = diagonalize(n, H, turn, NULL);
    for (size_t i = 0; i < n; i++)
        turn[i] = H[i * n + i];
    if (found)
        pair(n, turn, real, imaginary);
    free(H);
    return found ? TD_OK : TD_ERROR_NOT_FINITE;
}

/* Transposes A in place. */
static void transpose(size_t n, scalar *A)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const scalar x = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = x;
        }
}

td_status td_qr_schur(size_t n, const double *A, scalar *T, scalar *Z)
{
    double *real = malloc((2 * n * n + n + 1) * sizeof *real);
    scalar *turn = malloc((2 * n + 1) * sizeof *turn);
    td_status status = real && turn ? TD_OK : TD_ERROR_MEMORY;
    if (status == TD_OK) {
        double *H = real, *Q = H + n * n;
        for (size_t i = 0; i < n * n; i++) {
            H[i] = A[i % n * n + i / n];
            Q[i] = i / n == i % n;
        }
        reduce(n, H, Q + n * n, Q);
        for (size_t i = 0; i < n * n; i++) {
            T[i] = i / n > i % n + 1 ? 0 : H[i];
            Z[i] = Q[i];
        }
        status = diagonalize(n, T, turn, Z) ? TD_OK : TD_ERROR_NOT_FINITE;
        for (size_t i = 0; i < n * n; i++)
            T[i] = i / n > i % n ? 0 : T[i];
        transpose(n, T);
        transpose(n, Z);
    }
    free(real);
    free(turn);
    return status;
}
