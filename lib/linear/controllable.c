/* SPDX-License-Identifier: MIT */
/*
 * What inputs reach of a linear system, mode by mode (Popov, Belevitch and Hautus): those of an
 * eigenvalue λ of A are reached where no left vector w has wᵀ (A − λ, B) = 0, that is, where this
 * matrix has full rank. Its rank is the same in any units of its rows and of its columns, which are
 * chosen anew for each λ: slow modes count as much as fast ones. (The staircase of orthogonal
 * transformations, the other usual way, hands the rounding of each step to the next one: of twenty
 * masses on springs, driven in the middle, it finds all reached, and not half.)
 *
 * Where eigenvalues are together, as many modes are not reached as there are left vectors w, and w'
 * with w'ᵀ (A − λ, B) in the span of (wᵀ, 0), and so on. Those that are known are rows below the
 * matrix then: what else it lacks of full rank is new.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/dense.h"
#include "base/eigenvalues.h"
#include "base/stack.h"
#include "linear/linear.h"

enum { SWEEPS = 8, REFINEMENTS = 4, MOST_AROUND = 8 };

static const double UNSURE = 100;     /* margins from tolerance to so many times it say nothing */
static const double WRONG = 1e-8;     /* by how much a λ near zero may be wrong */
static const double DEFECTIVE = 1e-5; /* what is left of wᵀ v where a λ is known badly */
static const double SAME = 1e-10;     /* the largest distance of λ from itself */
static const double LEAST_STEP = 1e-300; /* one over the longest step */
/* Modes are near each other within NEAR of their λ and NEAR_ZERO. */
static const double NEAR = 1e-4, NEAR_ZERO = 1e-6;
/* Left vectors of modes within AROUND of each other have APART beside each other. */
static const double AROUND = 0.1, APART = 1e-4;

typedef struct reach {
    size_t n, m, columns; /* columns: n + m */
    double tolerance;
    double *A, *B;               /* n × n, n × m, without noise */
    double *real, *imaginary;    /* n eigenvalues, made better where it matters */
    double *margin;              /* n */
    double *first_re, *first_im; /* n eigenvalues as they came */
    bool *taken;                 /* n: to work with */
    /* the matrix that is eliminated: 2 n rows at most, in two parts */
    size_t rows, rank;
    double *re, *im;
    double *size;         /* of the numbers that entries are the sum of */
    double *row, *column; /* its units */
    double *peak;         /* the largest square in what is left of a row, or of a column */
    size_t *order;        /* of rows: pivots in turn, then what is left */
    size_t *index;        /* of columns that are not zero in the row of a pivot */
    size_t *free;         /* columns that have no pivot yet */
    size_t *pivot;        /* columns in the order of pivots */
    double next;          /* the last pivot that was taken */
    bool levelled;        /* units are those of level at first */
    /* left vectors of what is left: n each */
    size_t vectors;
    size_t known, *owner; /* left vectors of modes that are not reached, and of which */
    double *known_re, *known_im;
    double *w_re, *w_im;
    double *x_re, *x_im; /* 2 n */
} reach;

static void take(td_stack *stack, reach *r)
{
    const size_t n = r->n, rows = 2 * n;
    r->A = td_take(stack, double, n *n);
    r->B = td_take(stack, double, n * r->m);
    r->real = td_take(stack, double, n);
    r->imaginary = td_take(stack, double, n);
    r->margin = td_take(stack, double, n);
    r->first_re = td_take(stack, double, n);
    r->first_im = td_take(stack, double, n);
    r->taken = td_take(stack, bool, n);
    r->re = td_take(stack, double, rows * r->columns);
    r->im = td_take(stack, double, rows * r->columns);
    r->size = td_take(stack, double, rows * r->columns);
    r->row = td_take(stack, double, rows);
    r->column = td_take(stack, double, r->columns);
    r->peak = td_take(stack, double, rows > r->columns ? rows : r->columns);
    r->order = td_take(stack, size_t, rows);
    r->index = td_take(stack, size_t, r->columns);
    r->free = td_take(stack, size_t, r->columns);
    r->pivot = td_take(stack, size_t, r->columns);
    r->w_re = td_take(stack, double, rows *n);
    r->w_im = td_take(stack, double, rows *n);
    r->owner = td_take(stack, size_t, n);
    r->known_re = td_take(stack, double, n *n);
    r->known_im = td_take(stack, double, n *n);
    r->x_re = td_take(stack, double, rows);
    r->x_im = td_take(stack, double, rows);
}

/* As fmax, which is a call that costs half of the time */
static double larger(double x, double y)
{
    return x > y ? x : y;
}

/* Of the numbers beside it, what counts as zero */
static double noise(size_t n)
{
    return 16 * (double)n * DBL_EPSILON;
}

/* What is within rounding of zero beside the largest of its row or of its column becomes zero; in
   B, whose inputs have units of their own, of its column. Units that are made from rounding noise
   would make it as large as the numbers. row and column: n each. */
static void drop_noise(reach *r)
{
    const size_t n = r->n, m = r->m;
    const double least = noise(n);
    for (size_t i = 0; i < n; i++) {
        r->row[i] = r->column[i] = 0;
        for (size_t j = 0; j < n; j++) {
            r->row[i] = larger(r->row[i], fabs(r->A[i * n + j]));
            r->column[i] = larger(r->column[i], fabs(r->A[j * n + i]));
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (fabs(r->A[i * n + j]) <= least * larger(r->row[i], r->column[j]))
                r->A[i * n + j] = 0;
    for (size_t j = 0; j < m; j++) {
        double most = 0;
        for (size_t i = 0; i < n; i++)
            most = larger(most, fabs(r->B[i * m + j]));
        for (size_t i = 0; i < n; i++)
            if (fabs(r->B[i * m + j]) <= least * most)
                r->B[i * m + j] = 0;
    }
}

/* Where two states act on each other so little that their frequency is within rounding of zero
   beside the fastest one, the smaller of the two numbers becomes zero: what gravity does to a joint
   about the vertical may be all that is in its row and column. */
static void drop_returns(reach *r)
{
    const size_t n = r->n;
    memcpy(r->re, r->A, n * n * sizeof *r->A);
    td_balance(n, r->re, r->row);
    const double least = noise(n) * td_dense_largest(n * n, r->re);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double *a = &r->A[i * n + j], *b = &r->A[j * n + i];
            if (*a != 0 && *b != 0 && sqrt(fabs(*a)) * sqrt(fabs(*b)) <= least)
                *(fabs(*a) < fabs(*b) ? a : b) = 0;
        }
}

/* ---- rank ------------------------------------------------------------------------------------ */

/* (A − λ, B) and, below, the left vectors that there are with zeros. On the diagonal what is within
   rounding of λ is zero, as nothing else in its row and column might show how small it is. */
static void fill(reach *r, double real, double imaginary)
{
    const size_t n = r->n, m = r->m, wide = r->columns;
    r->rows = n + r->vectors;
    memset(r->re, 0, r->rows * wide * sizeof *r->re);
    memset(r->im, 0, r->rows * wide * sizeof *r->im);
    for (size_t i = 0; i < n; i++) {
        memcpy(r->re + i * wide, r->A + i * n, n * sizeof *r->A);
        if (m > 0)
            memcpy(r->re + i * wide + n, r->B + i * m, m * sizeof *r->B);
        const double rest = r->A[i * n + i] - real;
        const bool none = hypot(rest, imaginary) <= noise(n);
        r->re[i * wide + i] = none ? 0 : rest;
        r->im[i * wide + i] = none ? 0 : -imaginary;
    }
    for (size_t k = 0; k < r->vectors; k++) {
        memcpy(r->re + (n + k) * wide, r->w_re + k * n, n * sizeof *r->w_re);
        memcpy(r->im + (n + k) * wide, r->w_im + k * n, n * sizeof *r->w_im);
    }
}

/* Units in which the logarithms of entries have means of zero in rows and in columns (Curtis and
   Reid, 1972), by turns */
static void level(reach *r)
{
    enum { TURNS = 6 };
    const size_t rows = r->rows, wide = r->columns;
    for (size_t turn = 0; turn < 2 * TURNS; turn++) {
        const bool columns = turn % 2;
        for (size_t k = 0; k < (columns ? wide : rows); k++) {
            double sum = 0;
            size_t count = 0;
            for (size_t l = 0; l < (columns ? rows : wide); l++) {
                const double x = r->size[columns ? l * wide + k : k * wide + l];
                if (x > 0) {
                    sum += log2(x * (columns ? r->row[l] : r->column[l]));
                    count++;
                }
            }
            if (count > 0)
                (columns ? r->column : r->row)[k] = exp2(-sum / (double)count);
        }
    }
}

/* Units in which the largest entries of all rows and columns have about one size (Ruiz, 2001). Of
   the difference A − λ it is the size of both that counts, and of λ at least as much as it may be
   wrong by: what is left of a difference would be made as large as the numbers. */
static void equilibrate(reach *r, double lambda)
{
    const size_t rows = r->rows, wide = r->columns;
    double *most = r->peak;
    for (size_t i = 0; i < rows * wide; i++)
        r->size[i] = larger(fabs(r->re[i]), fabs(r->im[i]));
    for (size_t i = 0; i < r->n; i++)
        r->size[i * wide + i] = larger(fabs(r->A[i * r->n + i]) + lambda, WRONG);
    for (size_t i = 0; i < rows; i++)
        r->row[i] = 1;
    for (size_t j = 0; j < wide; j++)
        r->column[j] = 1;
    if (r->levelled)
        level(r);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 0; i < rows; i++) {
            double peak = 0;
            for (size_t j = 0; j < wide; j++)
                peak = larger(peak, r->size[i * wide + j] * r->column[j]);
            if (peak > 0)
                r->row[i] /= sqrt(peak * r->row[i]);
        }
        memset(most, 0, wide * sizeof *most);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < wide; j++)
                most[j] = larger(most[j], r->size[i * wide + j] * r->row[i]);
        for (size_t j = 0; j < wide; j++)
            if (most[j] > 0)
                r->column[j] /= sqrt(most[j] * r->column[j]);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < wide; j++) {
            r->re[i * wide + j] *= r->row[i] * r->column[j];
            r->im[i * wide + j] *= r->row[i] * r->column[j];
        }
}

static double square(const reach *r, size_t row, size_t column)
{
    const double re = r->re[row * r->columns + column], im = r->im[row * r->columns + column];
    return re * re + im * im;
}

static double peak_of(const reach *r, size_t row, size_t left)
{
    double most = 0;
    for (size_t j = 0; j < left; j++)
        most = larger(most, square(r, row, r->free[j]));
    return most;
}

/* An entry of rows from the k-th on that is at least half as large as the largest one, the first
   such: rows that are nearly empty, as those of q̇ are, stand first, and cost least. */
static double find_pivot(reach *r, size_t k, size_t left, size_t *at)
{
    double most = 0;
    size_t place = k;
    for (size_t i = k; i < r->rows; i++)
        if (r->peak[r->order[i]] > 4 * most) {
            most = r->peak[r->order[i]];
            place = i;
        }
    const size_t row = r->order[place];
    memmove(r->order + k + 1, r->order + k, (place - k) * sizeof *r->order);
    r->order[k] = row;
    for (size_t j = 0; j < left; j++)
        if (square(r, row, r->free[j]) == most)
            *at = j;
    return sqrt(most);
}

/* row ← row − factor × that of the pivot; the factor takes the place of what becomes zero */
static void subtract(reach *r, size_t row, size_t from, size_t column, size_t count)
{
    double *re = r->re + row * r->columns, *im = r->im + row * r->columns;
    const double *pre = r->re + from * r->columns, *pim = r->im + from * r->columns;
    const double size = pre[column] * pre[column] + pim[column] * pim[column];
    const double a = (re[column] * pre[column] + im[column] * pim[column]) / size;
    const double b = (im[column] * pre[column] - re[column] * pim[column]) / size;
    for (size_t k = 0; k < count; k++) {
        const size_t j = r->index[k];
        re[j] -= a * pre[j] - b * pim[j];
        im[j] -= a * pim[j] + b * pre[j];
    }
    re[column] = a;
    im[column] = b;
}

/* Pivots of rows and columns in turn, until what is left is within the tolerance or one row; the
   largest entry that is left. */
static double eliminate(reach *r)
{
    size_t left = r->columns;
    for (size_t j = 0; j < left; j++)
        r->free[j] = j;
    for (size_t i = 0; i < r->rows; i++) {
        r->order[i] = i;
        r->peak[i] = peak_of(r, i, left);
    }
    r->next = 1;
    for (r->rank = 0; r->rank < r->rows; r->rank++) {
        size_t at = 0;
        const double pivot = left > 0 ? find_pivot(r, r->rank, left, &at) : 0;
        if (!(pivot > r->tolerance) || r->rank + 1 == r->rows)
            return pivot;
        const size_t row = r->order[r->rank], column = r->free[at];
        size_t count = 0;
        left--;
        memmove(r->free + at, r->free + at + 1, (left - at) * sizeof *r->free);
        for (size_t j = 0; j < left; j++)
            if (square(r, row, r->free[j]) > 0)
                r->index[count++] = r->free[j];
        r->next = pivot;
        r->pivot[r->rank] = column;
        for (size_t i = r->rank + 1; i < r->rows; i++)
            if (square(r, r->order[i], column) > 0) {
                subtract(r, r->order[i], row, column, count);
                r->peak[r->order[i]] = peak_of(r, r->order[i], left);
            }
    }
    return 0;
}

/* The left vectors of the rows that are left, of which the first n numbers are kept: n of them at
   most. They make what elimination has made of these rows of the rows as they were. */
static void find_vectors(reach *r, size_t behind)
{
    const size_t n = r->n, wide = r->columns;
    const size_t count = r->rows - r->rank;
    for (size_t k = 0; k < count; k++) {
        memset(r->x_re, 0, r->rows * sizeof *r->x_re);
        memset(r->x_im, 0, r->rows * sizeof *r->x_im);
        r->x_re[r->order[r->rank + k]] = 1;
        for (size_t p = r->rank; p-- > 0;) {
            double re = 0, im = 0;
            for (size_t i = p + 1; i < r->rows; i++) {
                const size_t row = r->order[i];
                const double a = r->re[row * wide + r->pivot[p]],
                             b = r->im[row * wide + r->pivot[p]];
                re -= a * r->x_re[row] - b * r->x_im[row];
                im -= a * r->x_im[row] + b * r->x_re[row];
            }
            r->x_re[r->order[p]] = re;
            r->x_im[r->order[p]] = im;
        }
        for (size_t i = 0; i < n; i++) {
            r->w_re[(behind + k) * n + i] = r->x_re[i] * r->row[i];
            r->w_im[(behind + k) * n + i] = r->x_im[i] * r->row[i];
        }
    }
    r->vectors = behind + count;
}

static double probe(reach *r, double real, double imaginary)
{
    fill(r, real, imaginary);
    equilibrate(r, hypot(real, imaginary));
    return eliminate(r);
}

/* ---- modes ----------------------------------------------------------------------------------- */

/* The numbers of the pivots' columns beside which that of a free column makes all rows of pivots
   zero, into x */
static void find_right(reach *r, size_t free)
{
    const size_t wide = r->columns;
    for (size_t p = r->rank; p-- > 0;) {
        const double *re = r->re + r->order[p] * wide, *im = r->im + r->order[p] * wide;
        double a = re[free], b = im[free];
        for (size_t q = p + 1; q < r->rank; q++) {
            const size_t j = r->pivot[q];
            a += re[j] * r->x_re[q] - im[j] * r->x_im[q];
            b += re[j] * r->x_im[q] + im[j] * r->x_re[q];
        }
        const size_t j = r->pivot[p];
        const double size = re[j] * re[j] + im[j] * im[j];
        r->x_re[p] = -(a * re[j] + b * im[j]) / size;
        r->x_im[p] = -(b * re[j] - a * im[j]) / size;
    }
}

/* Newton's step in λ towards one at which what elimination leaves is least: that changes by
   −wᵀ v, w being the left vector and v the right one of each column that is left. Returns how much
   of the numbers that wᵀ v is the sum of is left of them: little where eigenvalues are together
   that have not as many vectors, which are known to a root of rounding alone. λ is infinite where
   there is no step. */
static double step(reach *r, double *real, double *imaginary)
{
    const size_t n = r->n, *last = r->free, row = r->order[r->rank];
    double re = 0, im = 0, size = 0, rest = 0;
    for (size_t f = 0; f < r->columns - r->rank; f++) {
        find_right(r, last[f]);
        double a = 0, b = 0, all = 0;
        for (size_t p = 0; p <= r->rank; p++) {
            const size_t j = p < r->rank ? r->pivot[p] : last[f];
            if (j >= n)
                continue;
            const double x = p < r->rank ? r->x_re[p] : 1, y = p < r->rank ? r->x_im[p] : 0;
            const double c = r->column[j] * (r->w_re[j] * x - r->w_im[j] * y);
            const double d = r->column[j] * (r->w_re[j] * y + r->w_im[j] * x);
            a += c;
            b += d;
            all += hypot(c, d);
        }
        const double c = r->re[row * r->columns + last[f]], d = r->im[row * r->columns + last[f]];
        re += a * c + b * d;
        im += a * d - b * c;
        size += a * a + b * b;
        rest = all > 0 ? larger(rest, hypot(a, b) / all) : rest;
    }
    /* where wᵀ v is zero, or as good as that, no step is one, and a division would trap */
    const bool steps = size > LEAST_STEP * larger(fabs(re), fabs(im));
    *real = steps ? *real + re / size : INFINITY;
    *imaginary = steps ? *imaginary + im / size : INFINITY;
    return rest;
}

static double probe_mode(reach *r, double real, double imaginary)
{
    r->vectors = 0;
    return probe(r, real, imaginary);
}

/* The margin of the i-th mode at its λ; where it is small, of a better λ. False where λ is not
   known well. */
static bool refine(reach *r, size_t i)
{
    double rest = 1;
    r->margin[i] = probe_mode(r, r->real[i], r->imaginary[i]);
    for (int k = 0; k < REFINEMENTS && r->margin[i] < sqrt(r->tolerance); k++) {
        double real = r->real[i], imaginary = r->imaginary[i];
        find_vectors(r, 0);
        rest = step(r, &real, &imaginary);
        if (!isfinite(real) || !isfinite(imaginary))
            break;
        const double margin = probe_mode(r, real, imaginary);
        if (!(margin < r->margin[i]))
            break;
        r->margin[i] = margin;
        r->real[i] = real;
        r->imaginary[i] = r->imaginary[i] == 0 ? 0 : imaginary;
    }
    return rest > DEFECTIVE;
}

/* The mean of eigenvalues that are together with the i-th, each within part of the sizes of the
   next one, and how many they are. Such means are known as well as if they were alone. */
static size_t mean_of(reach *r, size_t i, double part, double *real, double *imaginary)
{
    size_t *member = r->order, count = 1;
    bool *taken = r->taken;
    memset(taken, 0, r->n * sizeof *taken);
    member[0] = i;
    taken[i] = true;
    *real = *imaginary = 0;
    for (size_t k = 0; k < count; k++) {
        const double re = r->first_re[member[k]], im = r->first_im[member[k]];
        const double radius = part * (hypot(re, im) + 0.1);
        *real += re;
        *imaginary += im;
        for (size_t j = 0; j < r->n; j++)
            if (!taken[j] && hypot(r->first_re[j] - re, r->first_im[j] - im) <= radius) {
                taken[j] = true;
                member[count++] = j;
            }
    }
    *real /= (double)count;
    *imaginary /= (double)count;
    return count;
}

/* The margin of the i-th mode. Eigenvalues of Jordan blocks are as far apart as a root of rounding,
   each as good as not an eigenvalue; their mean is one. Where both are, rounding hides how many
   modes there are. */
static void examine(reach *r, size_t i)
{
    static const double part[] = {1e-7, 1e-5, 1e-3, 1e-2};
    const bool known = refine(r, i), low = r->margin[i] <= r->tolerance;
    for (size_t k = 0, last = 1; k < sizeof part / sizeof *part; k++) {
        double real, imaginary;
        const size_t count = mean_of(r, i, part[k], &real, &imaginary);
        if (count == last)
            continue;
        last = count;
        const double margin = probe_mode(r, real, imaginary);
        if (margin > r->tolerance)
            continue;
        if (low && known) {
            if (hypot(real - r->real[i], imaginary - r->imaginary[i]) > SAME)
                r->margin[i] = sqrt(UNSURE) * r->tolerance;
            return;
        }
        r->margin[i] = margin;
        r->real[i] = real;
        r->imaginary[i] = imaginary;
        return;
    }
    if (low && !known)
        r->margin[i] = sqrt(UNSURE) * r->tolerance;
}

/* Where parts act one way alone many units are as good. A mode that seems not to be reached, and is
   reached in others, is unsure. */
static void doubt(reach *r, size_t i)
{
    if (r->margin[i] > r->tolerance)
        return;
    r->levelled = true;
    if (probe_mode(r, r->real[i], r->imaginary[i]) > UNSURE * r->tolerance)
        r->margin[i] = sqrt(UNSURE) * r->tolerance;
    r->levelled = false;
}

/* w ← w − what it has of the rows of vectors, twice; how much is left */
static double orthogonalize(const reach *r, size_t rows, double *re, double *im)
{
    const size_t n = r->n;
    double before = 0, after = 0;
    for (size_t i = 0; i < n; i++)
        before += (re[i] * re[i] + im[i] * im[i]);
    for (size_t k = 0; k < 2 * rows; k++) {
        const double *a = r->w_re + k % rows * n, *b = r->w_im + k % rows * n;
        double x = 0, y = 0;
        for (size_t i = 0; i < n; i++) {
            x += (a[i] * re[i] + b[i] * im[i]);
            y += (a[i] * im[i] - b[i] * re[i]);
        }
        for (size_t i = 0; i < n; i++) {
            re[i] -= x * a[i] - y * b[i];
            im[i] -= x * b[i] + y * a[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        after += (re[i] * re[i] + im[i] * im[i]);
    for (size_t i = 0; i < n && after > 0; i++) {
        re[i] /= sqrt(after);
        im[i] /= sqrt(after);
    }
    return before > 0 ? sqrt(after / before) : 0;
}

/* The left vectors that are known of modes within part of the i-th λ, and beside, the last most of
   them, as rows of length one across each other */
static void gather(reach *r, size_t i, double part, double beside, size_t most)
{
    const size_t n = r->n;
    const double size = hypot(r->real[i], r->imaginary[i]);
    const double radius = part * size + beside;
    r->vectors = 0;
    for (size_t k = r->known; k-- > 0 && r->vectors < most;) {
        const size_t j = r->owner[k];
        if (hypot(r->real[j] - r->real[i], r->imaginary[j] - r->imaginary[i]) > radius)
            continue;
        double *re = r->w_re + r->vectors * n, *im = r->w_im + r->vectors * n;
        memcpy(re, r->known_re + k * n, n * sizeof *re);
        memcpy(im, r->known_im + k * n, n * sizeof *im);
        orthogonalize(r, r->vectors, re, im);
        r->vectors++;
    }
}

/* Whether a vector has enough beside those of modes around the i-th: else they are of eigenvalues
   that are together, as far as rounding of Jordan blocks has put them apart. */
static bool is_apart(reach *r, size_t i, const double *re, const double *im)
{
    const size_t n = r->n;
    gather(r, i, AROUND, AROUND, MOST_AROUND);
    double *x = r->w_re + r->vectors * n, *y = r->w_im + r->vectors * n;
    memcpy(x, re, n * sizeof *x);
    memcpy(y, im, n * sizeof *y);
    return orthogonalize(r, r->vectors, x, y) > APART;
}

/* Takes the vector of those that were found that has most beside those that are gathered. */
static bool keep(reach *r, size_t i, size_t gathered)
{
    const size_t n = r->n;
    double *re = r->known_re + r->known * n, *im = r->known_im + r->known * n, most = 0;
    size_t best = 0;
    for (size_t k = gathered; k < r->vectors; k++) {
        memcpy(re, r->w_re + k * n, n * sizeof *re);
        memcpy(im, r->w_im + k * n, n * sizeof *im);
        const double left = orthogonalize(r, gathered, re, im);
        if (left > most) {
            most = left;
            best = k;
        }
    }
    memcpy(re, r->w_re + best * n, n * sizeof *re);
    memcpy(im, r->w_im + best * n, n * sizeof *im);
    orthogonalize(r, gathered, re, im);
    const bool apart = is_apart(r, i, re, im);
    r->owner[r->known++] = i;
    return apart;
}

/* Whether the i-th mode, which seems not to be reached, adds to the left vectors of those near it
   that are not: w with wᵀ (A − λ, B) in their span. Else it has its λ with another one, and is
   reached beside it. Where rounding hides this it is unsure. */
static void settle(reach *r, size_t i)
{
    const size_t n = r->n;
    gather(r, i, NEAR, NEAR_ZERO, n);
    const size_t gathered = r->vectors;
    const double left = probe(r, r->real[i], r->imaginary[i]);
    const size_t found = left > r->tolerance ? 0 : r->rows - r->rank;
    bool sure = found >= gathered && found <= n && r->known < n;
    if (sure && found == gathered) {
        sure = r->next > sqrt(r->tolerance); /* less may be one more that is known badly */
        r->margin[i] = r->next;
    } else if (sure) {
        find_vectors(r, gathered);
        sure = keep(r, i, gathered);
    }
    if (!sure)
        r->margin[i] = sqrt(UNSURE) * r->tolerance;
}

static void find_margins(reach *r)
{
    const size_t n = r->n;
    for (size_t i = 0; i < n; i++)
        if (r->first_im[i] >= 0) {
            examine(r, i);
            doubt(r, i);
        }
    r->known = 0;
    for (size_t i = 0; i < n; i++) {
        const double alone = r->margin[i];
        if (alone <= r->tolerance)
            settle(r, i);
        if (r->first_im[i] == 0)
            continue;
        /* the conjugate, which comes next, is like this one unless both are together */
        const double size = hypot(r->real[i], r->imaginary[i]);
        const bool together = fabs(r->imaginary[i]) <= NEAR * size + NEAR_ZERO;
        r->real[i + 1] = r->real[i];
        r->imaginary[i + 1] = -r->imaginary[i];
        r->margin[i + 1] = together ? alone : r->margin[i];
        i++;
        if (together && alone <= r->tolerance)
            settle(r, i);
    }
}

/* A, B and eigenvalues, without noise, in units in which A is balanced and its largest entry, and
   that of each input, are about one. */
static void take_system(reach *r, const double *A, const double *B)
{
    const size_t n = r->n, m = r->m;
    double largest;
    memcpy(r->A, A, n * n * sizeof *A);
    if (m > 0)
        memcpy(r->B, B, n * m * sizeof *B);
    drop_noise(r);
    drop_returns(r);
    td_balance(n, r->A, r->row);
    largest = td_dense_largest(n * n, r->A);
    const int exponent = largest > 0 ? -ilogb(largest) : 0;
    for (size_t i = 0; i < n * n; i++)
        r->A[i] = ldexp(r->A[i], exponent);
    for (size_t i = 0; i < n; i++) {
        r->first_re[i] = r->real[i] = ldexp(r->real[i], exponent);
        r->first_im[i] = r->imaginary[i] = ldexp(r->imaginary[i], exponent);
    }
    for (size_t j = 0; j < m; j++) {
        double most = 0;
        for (size_t i = 0; i < n; i++) {
            r->B[i * m + j] /= r->row[i];
            most = larger(most, fabs(r->B[i * m + j]));
        }
        for (size_t i = 0; i < n && most > 0; i++)
            r->B[i * m + j] = ldexp(r->B[i * m + j], -ilogb(most));
    }
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
    reach r = {.n = n, .m = m, .columns = n + m, .tolerance = tolerance > 0 ? tolerance : 1e-10};
    td_stack stack = {0};
    if (!td_take_twice(&stack, take(&stack, &r)))
        return TD_ERROR_MEMORY;
    const td_status status = td_linear_eigenvalues(n, A, r.real, r.imaginary);
    if (status == TD_OK) {
        take_system(&r, A, B);
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
