/* SPDX-License-Identifier: MIT */
/*
 * Tests dense linear algebra: eigenvalues, singular values and vectors, and rank. Jacobi's methods
 * and, if available, LAPACK are compared with identities and with each other. Matrices are
 * well-conditioned, graded, rank-deficient, tiny, huge, or contain NaN and infinities.
 */
#include "base/linalg.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/eigenvalues.h"
#include "base/jacobi.h"
#include "td_test.h"

/* ---- symmetric 3 × 3 ------------------------------------------------------------------------- */

static const struct spectrum {
    const char *name;
    double values[3];
} spectra[] = {
    {"regular", {0.3, 0.9, 1.1}},
    {"indefinite", {-2, 0.5, 1}},
    {"twice the same", {0.7, 0.7, 3}},
    {"thrice the same", {2, 2, 2}},
    {"nearly the same", {1, 1 + 1e-12, 1 + 3e-12}},
    {"a thin rod", {1e-13, 1, 1}},
    {"of rank 1", {0, 0, 4}},
    {"zero", {0, 0, 0}},
    {"tiny", {1e-306, 2e-306, 3e-305}},
    {"below normal numbers", {0, 4e-320, 9e-320}},
    {"huge", {-1e307, 2e306, 4e307}},
};
enum { SPECTRA = sizeof spectra / sizeof *spectra };

/* Computes R diag(values) Rᵀ as xx, xy, xz, yy, yz, zz. */
static void compose(const double R[9], const double values[3], double m[6])
{
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++, at++) {
            m[at] = 0;
            for (int k = 0; k < 3; k++)
                m[at] += R[3 * i + k] * values[k] * R[3 * j + k];
        }
}

/* Returns |V Vᵀ − 1|; each row of V is one vector. */
static double departure(int n, const double *V)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += V[i * n + k] * V[j * n + k];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

/* Compares values with the spectrum that the matrix was built from, and checks m v = λ v relative
   to the size of the matrix. */
static void check_spectrum(const char *what, const double m[6], const double wanted[3],
                           const double values[3], const double vectors[9])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double size = fmax(fabs(wanted[0]), fabs(wanted[2]));
    /* one unit in the last place of a denormal number is a large part of it */
    double tolerance = 8 * fmax(size * DBL_EPSILON, 5e-324);
    ck_assert_msg(values[0] <= values[1] && values[1] <= values[2], "%s: not in order", what);
    ck_assert_msg(departure(3, vectors) < 2e-15, "%s: no basis, by %g", what,
                  departure(3, vectors));
    for (int k = 0; k < 3; k++) {
        ck_assert_msg(fabs(values[k] - wanted[k]) <= tolerance, "%s: %.17g for %.17g", what,
                      values[k], wanted[k]);
        for (int i = 0; i < 3; i++) {
            double rest = -values[k] * vectors[3 * k + i];
            for (int j = 0; j < 3; j++)
                rest += m[at[i][j]] * vectors[3 * k + j];
            ck_assert_msg(fabs(rest) <= tolerance, "%s: residual %g", what, rest);
        }
    }
}

#if TD_HAVE_LAPACK
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, unsigned long jobz_len,
            unsigned long uplo_len);
#endif

/* Computes the same with LAPACK. Returns false without LAPACK. */
static bool by_lapack(const double m[6], double values[3], double vectors[9])
{
#if TD_HAVE_LAPACK
    const double a[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]};
    const int n = 3, room = 24;
    double work[24];
    int info;
    memcpy(vectors, a, sizeof a);
    dsyev_("V", "U", &n, vectors, &n, values, work, &room, &info, 1, 1);
    return info == 0;
#else
    (void)m, (void)values, (void)vectors;
    return false;
#endif
}

TD_LOOP_TEST(spectrum, 0, SPECTRA)
{
    const struct spectrum *s = &spectra[_i];
    td_random random = {77};
    for (int n = 0; n < 200; n++) {
        double R[9], m[6], values[3], vectors[9], alone[3];
        td_random_rotation(&random, R);
        if (n == 0)
            memcpy(R, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof R);
        compose(R, s->values, m);
        ck_assert(td_symmetric_eigen(m, values, vectors));
        check_spectrum(s->name, m, s->values, values, vectors);
        ck_assert(td_symmetric_eigen(m, alone, NULL));
        ck_assert_mem_eq(alone, values, sizeof alone);
        if (by_lapack(m, values, vectors))
            check_spectrum(s->name, m, s->values, values, vectors);
    }
}

/* Tests D B D with D = diag(1, d, d²): the eigenvalues are 1, 3/4 d² and 2/3 d⁴, up to relative
   terms in d². */
TD_TEST(graded_spectrum)
{
    const double d = 1e-9;
    double m[6] = {1, d / 2, d * d / 2, d * d, d * d * d / 2, d * d * d * d}, values[3], vectors[9];
    const double wanted[3] = {d * d * d * d * 2 / 3, d * d * 3 / 4, 1};
    ck_assert(td_symmetric_eigen(m, values, vectors));
    for (int k = 0; k < 3; k++)
        td_assert_close(1, &values[k], &wanted[k], 1e-14, 0);
    ck_assert(departure(3, vectors) < 2e-15);
}

/* ---- singular values ------------------------------------------------------------------------- */

enum { MOST = 24 };

typedef struct matrix {
    const char *name;
    int rows, columns, rank;
    bool graded;           /* columns differ in magnitude */
    double A[MOST * MOST]; /* column-major */
} matrix;

static void fill(td_random *random, matrix *a, const char *name, int rows, int columns, int rank)
{
    *a = (matrix){.name = name, .rows = rows, .columns = columns, .rank = rank};
    double left[MOST * MOST], right[MOST * MOST];
    td_random_fill(random, MOST * MOST, left);
    td_random_fill(random, MOST * MOST, right);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < rank; k++)
                a->A[j * rows + i] += left[k * MOST + i] * right[k * MOST + j];
}

static void scale_columns(matrix *a, double first, double ratio)
{
    a->graded = ratio != 1;
    for (int j = 0; j < a->columns; j++, first *= ratio)
        for (int i = 0; i < a->rows; i++)
            a->A[j * a->rows + i] *= first;
}

enum { MATRICES = 16 };

static void matrix_of(int n, matrix *a)
{
    td_random random = {(uint64_t)(100 + n)};
    static const struct {
        const char *name;
        int rows, columns, rank;
        double first, ratio;
    } kinds[MATRICES] = {
        {"one number", 1, 1, 1, 1, 1},
        {"a column", 9, 1, 1, 1, 1},
        {"square", 12, 12, 12, 1, 1},
        {"tall", MOST, 7, 7, 1, 1},
        {"of rank 1", 8, 8, 1, 1, 1},
        {"short of rank", 20, 12, 5, 1, 1},
        {"short of rank by 1", MOST, MOST, MOST - 1, 1, 1},
        {"zero", 6, 6, 0, 1, 1},
        {"columns of falling lengths", 14, 9, 9, 1, 1e-4},
        {"columns of rising lengths", 14, 9, 9, 1e-32, 1e4},
        {"columns of lengths of all sizes", 12, 12, 12, 1e150, 1e-28},
        {"graded and short of rank", 12, 10, 4, 1, 1e-3},
        {"tiny", 10, 6, 6, 1e-300, 1},
        {"tiny and short of rank", 10, 6, 3, 1e-300, 1},
        {"huge", 10, 6, 6, 1e306, 1},
        {"huge and short of rank", 10, 6, 3, 1e306, 1},
    };
    fill(&random, a, kinds[n].name, kinds[n].rows, kinds[n].columns, kinds[n].rank);
    scale_columns(a, kinds[n].first, kinds[n].ratio);
}

static double size_of_matrix(const matrix *a)
{
    return td_largest((size_t)(a->rows * a->columns), a->A);
}

/* Checks that A V has orthogonal columns whose lengths are the singular values, and that V is
   orthonormal (row j: vector j). Divides by the largest entry so that squares neither overflow nor
   underflow. */
static void check_vectors(const matrix *a, const char *method, const double *values,
                          const double *V)
{
    int m = a->rows, n = a->columns;
    double size = size_of_matrix(a), unit = size > 0 ? size : 1, tolerance = 4e-15 * n;
    static double image[MOST][MOST];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) {
            image[k][i] = 0;
            for (int j = 0; j < n; j++)
                image[k][i] += a->A[j * m + i] / unit * V[k * n + j];
        }
    ck_assert_msg(departure(n, V) <= tolerance, "%s, %s: no basis, by %g", a->name, method,
                  departure(n, V));
    for (int k = 0; k < n; k++) {
        ck_assert_msg(k == 0 || values[k] <= values[k - 1], "%s, %s: order", a->name, method);
        ck_assert_msg(a->graded || k >= a->rank || values[k] / unit > 1e-4, "%s, %s: rank below %d",
                      a->name, method, a->rank);
        ck_assert_msg(k < a->rank || values[k] / unit <= tolerance * n, "%s, %s: rank above %d",
                      a->name, method, a->rank);
        for (int l = 0; l <= k; l++) {
            double dot = 0, wanted = k == l ? values[k] / unit * (values[k] / unit) : 0;
            for (int i = 0; i < m; i++)
                dot += image[k][i] * image[l][i];
            ck_assert_msg(fabs(dot - wanted) <= tolerance * n, "%s, %s: %g for %g", a->name, method,
                          dot, wanted);
        }
    }
}

TD_LOOP_TEST(singular_values, 0, MATRICES)
{
    static matrix a, used;
    static double values[2][MOST], V[2][MOST * MOST], transposed[MOST * MOST];
    matrix_of(_i, &a);
    int m = a.rows, n = a.columns;
    used = a;
    ck_assert(td_right_vectors(m, n, used.A, values[0], transposed));
    for (int i = 0; i < n * n; i++)
        V[0][i] = transposed[i / n + i % n * n];
    check_vectors(&a, "the library's", values[0], V[0]);
    used = a;
    td_jacobi_svd(m, n, used.A, values[1], V[1]);
    check_vectors(&a, "Jacobi's", values[1], V[1]);
    td_assert_close((size_t)n, values[0], values[1], 1e-14, size_of_matrix(&a));

    double smallest, largest;
    used = a;
    td_singular_values(m, n, used.A, &smallest, &largest);
    td_assert_close(1, &largest, &values[1][0], 1e-14, 0);
    td_assert_close(1, &smallest, &values[1][n - 1], 1e-14, size_of_matrix(&a));
}

/* Tests pairs of orthogonal columns of lengths 1, 1e-40, 1e-80 and 1e-120, rotated by 45 degrees.
   The second column of each pair also has a component along the first row, which lies in the span
   of the first pair. Every singular value has full relative accuracy, even the tiniest. */
TD_TEST(graded_values)
{
    enum { N = 8 };
    double A[N * N] = {0}, copy[N * N], smallest, largest, values[N], V[N * N], wanted[N];
    for (int k = 0; k < N; k += 2) {
        double size = pow(10, -20 * k), part = sqrt(0.5) * size;
        wanted[k] = wanted[k + 1] = size;
        A[k * N + k] = A[k * N + k + 1] = A[(k + 1) * N + k] = part;
        A[(k + 1) * N + k + 1] = -part;
        if (k > 0)
            A[(k + 1) * N] = size;
    }
    memcpy(copy, A, sizeof A);
    td_jacobi_svd(N, N, A, values, V);
    ck_assert(departure(N, V) < 1e-14);
    for (int k = 0; k < N; k++)
        td_assert_close(1, &values[k], &wanted[k], 1e-14, 0);
    td_singular_values(N, N, copy, &smallest, &largest);
    td_assert_close(1, &smallest, &wanted[N - 1], 1e-14, 0);
    td_assert_close(1, &largest, &wanted[0], 1e-14, 0);
}

/* ---- rank ------------------------------------------------------------------------------------ */

/* Checks that Q R reproduces the selected columns. */
static void check_factors(const matrix *a, int rank, const double *Q, const double *R,
                          const int *column)
{
    int m = a->rows, n = a->columns;
    double size = size_of_matrix(a), unit = size > 0 ? size : 1;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) {
            double rest = a->A[column[k] * m + i] / unit;
            for (int l = 0; l < rank && l <= k; l++)
                rest -= Q[l * m + i] * (R[l * n + k] / unit);
            ck_assert_msg(fabs(rest) < 1e-10, "%s: column %d is off by %g", a->name, k, rest);
        }
}

TD_LOOP_TEST(rank, 0, 10)
{
    static matrix a, used, scaled;
    static double R[2][MOST * MOST];
    static const double powers[] = {-300, 400};
    int class_of[MOST] = {0}, column[2][MOST];
    td_random random = {(uint64_t)_i};
    int wanted = 1 + _i;
    fill(&random, &a, "short of rank", 15, 12, wanted);
    used = a;
    ck_assert_int_eq(td_pivoted_qr(15, 12, used.A, class_of, 1e-10, R[0], column[0]), wanted);
    check_factors(&a, wanted, used.A, R[0], column[0]);
    for (int p = 0; p < 2; p++) {
        scaled = a;
        for (int i = 0; i < 15 * 12; i++)
            scaled.A[i] = ldexp(a.A[i], (int)(2 * powers[p]));
        used = scaled;
        ck_assert_int_eq(td_pivoted_qr(15, 12, used.A, class_of, 1e-10, R[1], column[1]), wanted);
        ck_assert_mem_eq(column[0], column[1], 12 * sizeof(int));
        for (int i = 0; i < wanted; i++)
            for (int k = i; k < 12; k++)
                ck_assert_double_eq(R[1][i * 12 + k],
                                    ldexp(R[0][i * 12 + k], (int)(2 * powers[p])));
    }
}

/* ---- NaN and infinity ------------------------------------------------------------------------ */

TD_TEST(not_finite)
{
    static const double none[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 6; i++) {
            double m[6] = {1, 0.1, 0.2, 2, 0.3, 3}, values[3] = {7, 7, 7}, vectors[9] = {7};
            m[i] = none[k];
            ck_assert(!td_symmetric_eigen(m, values, vectors));
            ck_assert(values[0] == 7 && values[2] == 7 && vectors[0] == 7);
        }
        for (int i = 0; i < 12; i++) {
            double A[4][12], values[2][3], V[2][9], R[9], smallest, largest;
            int column[3], class_of[3] = {0};
            for (int n = 0; n < 4; n++)
                for (int j = 0; j < 12; j++)
                    A[n][j] = j == i ? none[k] : 1.0 / (1 + j);
            ck_assert(td_right_vectors(4, 3, A[0], values[0], V[0]));
            td_jacobi_svd(4, 3, A[1], values[1], V[1]);
            for (int n = 0; n < 2; n++)
                for (int j = 0; j < 9; j++)
                    ck_assert(isnan(values[n][j % 3]) && isnan(V[n][j]));
            td_singular_values(4, 3, A[2], &smallest, &largest);
            ck_assert(isnan(smallest) && isnan(largest));
            ck_assert_int_eq(td_pivoted_qr(4, 3, A[3], class_of, 1e-10, R, column), 0);
        }
    }
}

TD_TEST(nothing)
{
    double smallest = 7, largest = 7, none = 7;
    td_singular_values(0, 0, &none, &smallest, &largest);
    ck_assert(smallest == 0 && largest == 0);
    ck_assert(td_right_vectors(0, 0, &none, &none, &none));
    td_jacobi_svd(3, 0, &none, &none, &none);
    ck_assert(none == 7);
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

/* Returns the largest distance of any value from its nearest counterpart, in both directions. */
static double apart(size_t n, const double *re, const double *im, const double *others,
                    const double *parts)
{
    double worst = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        double nearest = INFINITY;
        for (size_t j = 0; j < n; j++)
            nearest = i < n ? fmin(nearest, hypot(re[i] - others[j], im[i] - parts[j]))
                            : fmin(nearest, hypot(re[j] - others[i - n], im[j] - parts[i - n]));
        worst = fmax(worst, nearest);
    }
    return worst;
}

/* Compares td_qr_eigenvalues with td_eigenvalues, which uses LAPACK if the build has it. The
   matrices are random, badly scaled, cyclic (eigenvalues on a circle) and Jordan blocks (known to
   the n-th root of rounding). Complex pairs must be conjugate to the bit. */
TD_LOOP_TEST(eigenvalues, 0, 80)
{
    enum { N = 24 };
    td_random random = {90 + (uint64_t)_i};
    const size_t n = 1 + td_random_below(&random, N);
    double A[N * N], copy[N * N], re[N], im[N], others[N], parts[N], tolerance = 1e-11;
    td_random_fill(&random, n * n, A);
    for (size_t i = 0; i < n * n && _i % 4 == 1; i++)
        A[i] *= exp2((double)(i / n) - (double)(i % n));
    for (size_t i = 0; i < n * n && _i % 4 == 2; i++)
        A[i] = i / n == (i % n + 1) % n;
    for (size_t i = 0; i < n * n && _i % 4 == 3; i++)
        A[i] = i / n == i % n ? 2 : i / n + 1 == i % n;
    if (_i % 4 == 3)
        tolerance = 3 * pow(2e-16, 1 / (double)n);
    memcpy(copy, A, sizeof copy);
    assert_ok(td_qr_eigenvalues(n, A, re, im));
    assert_ok(td_eigenvalues((int)n, copy, others, parts));
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, hypot(re[i], im[i]));
    ck_assert_double_le(apart(n, re, im, others, parts), tolerance * most);
    for (size_t i = 0; i < n; i++)
        if (im[i] != 0) {
            ck_assert(re[i] == re[i + 1] && im[i] == -im[i + 1] && im[i] > 0);
            i++;
        }
}

/* Checks A = Z T Zᴴ with Z unitary and T upper triangular, by both methods. */
TD_LOOP_TEST(schur_forms, 0, 25)
{
    enum { SIZE = 24 };
    td_random random = {890 + (uint64_t)_i};
    const size_t n = (size_t)_i;
    double A[SIZE * SIZE];
    double _Complex T[SIZE * SIZE], Z[SIZE * SIZE];
    td_random_fill(&random, n * n, A);
    for (size_t i = 0; _i % 3 == 2 && i < n * n; i++)
        A[i] = i % n == i / n + 1; /* a Jordan block */
    for (int own = 0; own < 2; own++) {
        ck_assert_int_eq(own ? td_qr_schur(n, A, T, Z) : td_schur((int)n, A, T, Z), TD_OK);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double _Complex entry = -A[j * n + i], product = i == j ? -1 : 0;
                for (size_t k = 0; k < n; k++) {
                    product += Z[k * n + i] * conj(Z[k * n + j]);
                    for (size_t l = k; l < n; l++)
                        entry += Z[k * n + i] * T[l * n + k] * conj(Z[l * n + j]);
                }
                ck_assert_double_le(cabs(entry), 1e-14 * (double)n);
                ck_assert_double_le(cabs(product), 1e-14 * (double)n);
                ck_assert(i <= j || T[j * n + i] == 0);
            }
    }
}
