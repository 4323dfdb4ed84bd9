/* SPDX-License-Identifier: MIT */
/*
 * Computes splines through points as B-splines. The kinds differ in their knots and in additional
 * conditions. The equations are banded, and solved by elimination with row pivoting.
 *
 *   kind         knots                                     additional conditions
 *   not a knot   the points but (degree − 1)/2 at each end none
 *   B            averages of degree consecutive times      none
 *   clamped      the points                                (degree − 1)/2 derivatives at each end
 *   periodic     the points                                as clamped, with derivatives from the
 *                                                          continuity of all others
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "trajectory_inside.h"

enum { MOST_DEGREE = 5, MOST_HALF = 2, WIDTH = 3 * MOST_DEGREE + 1 };

typedef struct spline {
    size_t degree, half;     /* half = (degree − 1) / 2 */
    size_t points, n, count; /* count of B-splines and their coefficients */
    const double *t;
    double *knot;   /* count + degree + 1 */
    double *matrix; /* count × WIDTH: column j of row i at j − i + degree */
    double *right;  /* count × columns: right-hand sides, then coefficients */
    size_t columns;
    bool derivatives; /* derivatives at the ends are among the conditions */
} spline;

/* ---- B-splines ------------------------------------------------------------------------------- */

/* Computes the order-th derivatives at t of the degree + 1 B-splines that are nonzero in the
   span (de Boor, chapter X). Starts with the values for degree − order, then applies N' = d (N_i
   / (u_{i+d} − u_i) − N_{i+1} / (u_{i+d+1} − u_{i+1})) in each step. */
static void basis(const spline *s, size_t span, double t, size_t order, double *out)
{
    double last[MOST_DEGREE + 2] = {0};
    out[0] = 1;
    for (size_t d = 1; d <= s->degree; d++) {
        memcpy(last + 1, out,
               d * sizeof *out); /* last[r]: B-spline span − d + r, of degree d − 1 */
        last[0] = last[d + 1] = 0;
        for (size_t r = 0; r <= d; r++) {
            const double *u = s->knot + span - d + r;
            const double left = r > 0 ? last[r] / (u[d] - u[0]) : 0;
            const double right = r < d ? last[r + 1] / (u[d + 1] - u[1]) : 0;
            out[r] = d > s->degree - order ? (double)d * (left - right)
                                           : (t - u[0]) * left + (u[d + 1] - t) * right;
        }
    }
}

static void set_knots(spline *s, td_spline_kind kind)
{
    const size_t p = s->degree, last = s->points - 1;
    const double *t = s->t;
    for (size_t i = 0; i <= p; i++) {
        s->knot[i] = t[0];
        s->knot[s->count + i] = t[last];
    }
    for (size_t i = p + 1; i < s->count; i++) {
        const size_t j = i - p; /* index among inner knots, from 1 */
        double sum = 0;
        for (size_t k = 0; k < p; k++)
            sum += kind == TD_SPLINE_B ? t[j + k] : 0;
        s->knot[i] = kind == TD_SPLINE_B            ? sum / (double)p
                     : kind == TD_SPLINE_NOT_A_KNOT ? t[j + s->half]
                                                    : t[j];
    }
}

/* ---- equations ------------------------------------------------------------------------------- */

static void set_row(spline *s, size_t row, double t, size_t order)
{
    double values[MOST_DEGREE + 1];
    const size_t span = td_interval_at(s->degree, s->count, s->knot, t); /* is not empty */
    basis(s, span, t, order, values);
    for (size_t r = 0; r <= s->degree; r++) {
        const size_t column = span - s->degree + r;
        if (values[r] != 0)
            s->matrix[row * WIDTH + column + s->degree - row] = values[r];
    }
}

/* Sets rows for the values; rows for derivatives at the ends follow the first and precede the
   last. */
static void set_matrix(spline *s)
{
    const size_t extra = s->derivatives ? s->half : 0, last = s->points - 1;
    memset(s->matrix, 0, s->count * WIDTH * sizeof *s->matrix);
    set_row(s, 0, s->t[0], 0);
    for (size_t k = 1; k <= extra; k++) {
        set_row(s, k, s->t[0], k);
        set_row(s, s->count - 1 - k, s->t[last], k);
    }
    for (size_t i = 1; i < last; i++)
        set_row(s, i + extra, s->t[i], 0);
    set_row(s, s->count - 1, s->t[last], 0);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Eliminates. Returns false if the matrix is singular. */
static bool eliminate(spline *s)
{
    const size_t p = s->degree, n = s->count;
#define AT(i, j) s->matrix[(i)*WIDTH + (j) + p - (i)]
    for (size_t c = 0; c < n; c++) {
        const size_t rows = least(c + p + 1, n), columns = least(c + 2 * p + 1, n);
        size_t pivot = c;
        for (size_t i = c + 1; i < rows; i++)
            if (fabs(AT(i, c)) > fabs(AT(pivot, c)))
                pivot = i;
        if (!(fabs(AT(pivot, c)) > 0))
            return false;
        for (size_t j = c; j < columns && pivot != c; j++) {
            const double swap = AT(c, j);
            AT(c, j) = AT(pivot, j);
            AT(pivot, j) = swap;
        }
        for (size_t k = 0; k < s->columns && pivot != c; k++) {
            const double swap = s->right[c * s->columns + k];
            s->right[c * s->columns + k] = s->right[pivot * s->columns + k];
            s->right[pivot * s->columns + k] = swap;
        }
        for (size_t i = c + 1; i < rows; i++) {
            const double factor = AT(i, c) / AT(c, c);
            for (size_t j = c; j < columns && factor != 0; j++)
                AT(i, j) -= factor * AT(c, j);
            for (size_t k = 0; k < s->columns && factor != 0; k++)
                s->right[i * s->columns + k] -= factor * s->right[c * s->columns + k];
        }
    }
    for (size_t c = n; c-- > 0;)
        for (size_t k = 0; k < s->columns; k++) {
            double sum = s->right[c * s->columns + k];
            for (size_t j = c + 1; j < least(c + 2 * p + 1, n); j++)
                sum -= AT(c, j) * s->right[j * s->columns + k];
            s->right[c * s->columns + k] = sum / AT(c, c);
        }
#undef AT
    return true;
}

/* ---- equations ------------------------------------------------------------------------------- */

/* Returns the order-th derivative of column k of the spline at t, in the span. */
static double derivative(const spline *s, size_t span, double t, size_t order, size_t k)
{
    double values[MOST_DEGREE + 1], sum = 0;
    basis(s, span, t, order, values);
    for (size_t r = 0; r <= s->degree; r++)
        sum += values[r] * s->right[(span - s->degree + r) * s->columns + k];
    return sum;
}

static void set_right(spline *s, const double *values, const double *begin, const double *end)
{
    const size_t extra = s->derivatives ? s->half : 0, n = s->n, last = s->points - 1;
    for (size_t i = 0; i < s->points; i++) {
        const size_t row = i == 0 ? 0 : i == last ? s->count - 1 : i + extra;
        memcpy(s->right + row * s->columns, values + i * n, n * sizeof *values);
    }
    for (size_t k = 1; k <= extra; k++)
        for (size_t j = 0; j < n; j++) {
            s->right[k * s->columns + j] = begin ? begin[(k - 1) * n + j] : 0;
            s->right[(s->count - 1 - k) * s->columns + j] = end ? end[(k - 1) * n + j] : 0;
        }
    /* one unit column per unknown derivative */
    for (size_t k = 1; k <= extra && s->columns > n; k++) {
        s->right[k * s->columns + n + k - 1] = 1;
        s->right[(s->count - 1 - k) * s->columns + n + k - 1] = 1;
    }
}

/* For periodic splines: adds multiples of the unit columns to the other columns, so that
   derivatives half + 1 to degree − 1 agree at the ends. */
static void close_period(spline *s)
{
    const size_t half = s->half, n = s->n, span = s->count - 1;
    const double a = s->t[0], b = s->t[s->points - 1];
    double jump[MOST_HALF][MOST_HALF];
    for (size_t i = 0; i < half; i++)
        for (size_t k = 0; k < half; k++)
            jump[i][k] = derivative(s, s->degree, a, half + 1 + i, n + k) -
                         derivative(s, span, b, half + 1 + i, n + k);
    for (size_t j = 0; j < n; j++) {
        double r[MOST_HALF] = {0}, x[MOST_HALF] = {0};
        for (size_t i = 0; i < half; i++)
            r[i] = derivative(s, span, b, half + 1 + i, j) -
                   derivative(s, s->degree, a, half + 1 + i, j);
        if (half == 1) {
            x[0] = r[0] / jump[0][0];
        } else {
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): half is 2 */
            const double det = jump[0][0] * jump[1][1] - jump[0][1] * jump[1][0];
            x[0] = (r[0] * jump[1][1] - r[1] * jump[0][1]) / det;
            x[1] = (r[1] * jump[0][0] - r[0] * jump[1][0]) / det;
        }
        for (size_t i = 0; i < s->count; i++)
            for (size_t k = 0; k < half; k++)
                s->right[i * s->columns + j] += x[k] * s->right[i * s->columns + n + k];
    }
}

/* Converts the spline to pieces between knots, by their derivatives at the left end. */
static td_trajectory *pieces_of(const spline *s)
{
    td_trajectory *t = td_trajectory_new(s->n, s->count - s->degree, s->degree);
    for (size_t i = 0; t && i < t->pieces; i++) {
        const size_t span = s->degree + i;
        t->begin[i] = s->knot[span];
        double factorial = 1;
        for (size_t k = 0; k <= s->degree; k++) {
            factorial *= k > 0 ? (double)k : 1;
            for (size_t j = 0; j < s->n; j++)
                td_piece(t, i, j)[k] = derivative(s, span, s->knot[span], k, j) / factorial;
        }
    }
    if (t)
        t->begin[t->pieces] = s->t[s->points - 1];
    return t;
}

/* ---- the function ---------------------------------------------------------------------------- */

static bool is_valid(size_t points, size_t n, const double *t, const double *values, size_t degree,
                     td_spline_kind kind)
{
    if (n == 0 || !t || !values || (degree != 3 && degree != 5) || (unsigned)kind > TD_SPLINE_B)
        return false;
    const size_t need = kind == TD_SPLINE_CLAMPED ? 2 : kind == TD_SPLINE_PERIODIC ? 3 : degree + 1;
    if (points < need || points > (SIZE_MAX >> 16) / n)
        return false;
    for (size_t i = 1; i < points; i++)
        if (t[i] <= t[i - 1])
            return false;
    for (size_t j = 0; j < n && kind == TD_SPLINE_PERIODIC; j++)
        if (values[j] != values[(points - 1) * n + j])
            return false;
    return true;
}

static void spline_take(spline *s, td_stack *stack)
{
    s->knot = td_take(stack, double, s->count + s->degree + 1);
    s->matrix = td_take(stack, double, s->count *WIDTH);
    s->right = td_take(stack, double, s->count * s->columns);
}

static td_status solve(spline *s, td_spline_kind kind, const double *values, const double *begin,
                       const double *end, td_trajectory **trajectory)
{
    const bool clamped = kind == TD_SPLINE_CLAMPED;
    set_knots(s, kind);
    set_matrix(s);
    set_right(s, values, clamped ? begin : NULL, clamped ? end : NULL);
    if (!eliminate(s))
        return TD_ERROR_NOT_FINITE; /* times that are equal to rounding */
    if (kind == TD_SPLINE_PERIODIC)
        close_period(s);
    *trajectory = pieces_of(s);
    return *trajectory ? TD_OK : TD_ERROR_MEMORY;
}

td_status td_trajectory_spline(size_t points, size_t n, const double *t, const double *values,
                               size_t degree, td_spline_kind kind, const double *begin,
                               const double *end, td_trajectory **trajectory)
{
    if (trajectory)
        *trajectory = NULL;
    if (!trajectory || !is_valid(points, n, t, values, degree, kind))
        return TD_ERROR_ARGUMENT;
    const bool ends = kind == TD_SPLINE_CLAMPED || kind == TD_SPLINE_PERIODIC;
    const size_t half = (degree - 1) / 2;
    if (!td_dense_finite(points, t) || !td_dense_finite(points * n, values) ||
        (kind == TD_SPLINE_CLAMPED && begin && !td_dense_finite(half * n, begin)) ||
        (kind == TD_SPLINE_CLAMPED && end && !td_dense_finite(half * n, end)))
        return TD_ERROR_NOT_FINITE;
    spline s = {.degree = degree,
                .half = half,
                .points = points,
                .n = n,
                .count = points + (ends ? degree - 1 : 0),
                .t = t,
                .columns = n + (kind == TD_SPLINE_PERIODIC ? half : 0),
                .derivatives = ends};
    td_stack stack = {0};
    const td_status status = td_take_twice(&stack, spline_take(&s, &stack))
                                 ? solve(&s, kind, values, begin, end, trajectory)
                                 : TD_ERROR_MEMORY;
    td_stack_end(&stack);
    return status;
}
