/* SPDX-License-Identifier: MIT */
/*
 * Coefficients of Radau IIA methods with s stages and order 2s − 1 (Hairer and Wanner, Solving
 * ODEs II, IV.5 and IV.8). They are computed from their definitions, so the same code works for
 * any odd number of stages:
 *
 *   nodes          zeros of the (s − 1)-th derivative of θ^(s−1) (θ − 1)^s
 *   A⁻¹            derivatives at the nodes of the Lagrange polynomials of the nodes and 0
 *   eigenvalues    poles of the stability function, the Padé approximant of e^z of degrees s − 1, s
 *   eigenvectors   by inverse iteration
 *   error          a formula of order s with one more stage, f(x₀), of weight 1/λ₀: its quadrature
 *                  minus the method's is γ₀ at 0 and v at the nodes, Σ v[i] cᵢ^(k−1) = −γ₀ δ_k1
 */
#include "radau_table.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lu.h"

enum { MOST = TD_RADAU_STAGES };

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Returns P_s − P_(s−1) of the Legendre polynomials, whose zeros are the nodes with x = 2c − 1,
   and its derivative, by their recursions. */
static double radau_polynomial(int s, double x, double *slope)
{
    double p[2] = {1, x}, d[2] = {0, 1};
    for (int k = 1; k < s; k++) { /* (k + 1) P_(k+1) = (2k + 1) x P_k − k P_(k−1) */
        const double next = ((2 * k + 1) * x * p[1] - k * p[0]) / (k + 1);
        const double slope_next = ((2 * k + 1) * (p[1] + x * d[1]) - k * d[0]) / (k + 1);
        p[0] = p[1], p[1] = next;
        d[0] = d[1], d[1] = slope_next;
    }
    *slope = d[1] - d[0];
    return p[1] - p[0];
}

/* Finds the nodes by Newton's method, deflated by the zeros found before. */
static void find_nodes(td_radau_table *r)
{
    const int s = r->stages;
    const double pi = acos(-1);
    r->c[s - 1] = 1;
    for (int i = 0; i + 1 < s; i++) {
        double x = -cos(pi * (2 * i + 1) / (2 * s - 1));
        for (int n = 0; n < 50; n++) {
            double slope, value = radau_polynomial(s, x, &slope), divided = slope;
            for (int k = 0; k < i; k++)
                divided -= value / (x - (2 * r->c[k] - 1));
            divided -= value / (x - 1);
            x -= value / divided;
        }
        r->c[i] = 0.5 * (x + 1);
    }
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static double node(const td_radau_table *r, int i)
{
    return i == 0 ? 0 : r->c[i - 1];
}

static void find_weights(td_radau_table *r)
{
    for (int i = 0; i <= r->stages; i++) {
        r->weight[i] = 1;
        for (int k = 0; k <= r->stages; k++)
            r->weight[i] /= k == i ? 1 : node(r, i) - node(r, k);
    }
}

static void find_matrix(td_radau_table *r)
{
    for (int i = 0; i < r->stages; i++)
        for (int j = 0; j < r->stages; j++) {
            r->D[i][j] = 0;
            if (i != j)
                r->D[i][j] = r->weight[j + 1] / r->weight[i + 1] / (r->c[i] - r->c[j]);
            for (int k = 0; k <= r->stages && i == j; k++)
                r->D[i][i] += k == i + 1 ? 0 : 1 / (r->c[i] - node(r, k));
        }
}

void td_radau_lagrange(const td_radau_table *r, double theta, double *value)
{
    for (int i = 0; i < r->stages; i++) {
        double product = r->weight[i + 1] * theta;
        for (int k = 0; k < r->stages; k++)
            product *= k == i ? 1 : theta - r->c[k];
        value[i] = product;
    }
}

/* ---- eigenvalues and eigenvectors ------------------------------------------------------------ */

static void multiply(double *a, const double *b)
{
    const double real = a[0] * b[0] - a[1] * b[1];
    a[1] = a[0] * b[1] + a[1] * b[0];
    a[0] = real;
}

/* Computes the coefficients of Q(z) = Σ (−z)^j (2s − 1 − j)! s! / ((2s − 1)! j! (s − j)!), divided
   by the coefficient of z^s. */
static void denominator(int s, double *q)
{
    q[0] = 1;
    for (int j = 0; j < s; j++)
        q[j + 1] = -q[j] * (s - j) / ((2 * s - 1 - j) * (double)(j + 1));
    for (int j = 0; j <= s; j++)
        q[j] /= q[s];
}

/* Computes all zeros of a polynomial simultaneously (Durand and Kerner). */
static void find_zeros(int s, const double *q, double (*z)[2])
{
    const double begin[2] = {1.2, 2.9};
    double power[2] = {1, 0};
    for (int i = 0; i < s; i++) {
        multiply(power, begin);
        const double size = hypot(power[0], power[1]);
        power[0] /= size, power[1] /= size;
        z[i][0] = s + 2 * power[0];
        z[i][1] = 2 * power[1] * s;
    }
    for (int n = 0; n < 200; n++)
        for (int i = 0; i < s; i++) {
            double value[2] = {1, 0}, others[2] = {1, 0};
            for (int j = s - 1; j >= 0; j--) {
                multiply(value, z[i]);
                value[0] += q[j];
            }
            for (int k = 0; k < s; k++)
                if (k != i)
                    multiply(others, (double[2]){z[i][0] - z[k][0], z[i][1] - z[k][1]});
            const double square = others[0] * others[0] + others[1] * others[1];
            multiply(value, (double[2]){others[0], -others[1]});
            z[i][0] -= value[0] / square;
            z[i][1] -= value[1] / square;
        }
}

static void find_eigenvalues(td_radau_table *r)
{
    double q[MOST + 1], z[MOST][2];
    int pairs = 0;
    denominator(r->stages, q);
    find_zeros(r->stages, q, z);
    for (int i = 0; i < r->stages; i++) {
        const bool real = fabs(z[i][1]) < 1e-6;
        if (real || z[i][1] > 0)
            memcpy(r->lambda[real ? 0 : ++pairs], z[i], sizeof z[i]);
    }
    r->lambda[0][1] = 0;
}

/* Computes the eigenvector t of D, as s complex pairs. */
static void eigenvector(const td_radau_table *r, const double *lambda, double *t)
{
    const size_t s = (size_t)r->stages;
    double A[2 * MOST * MOST] = {0};
    size_t pivot[MOST];
    for (size_t i = 0; i < s; i++) {
        for (size_t j = 0; j < s; j++)
            A[2 * (i * s + j)] = r->D[i][j];
        A[2 * (i * s + i)] -= lambda[0] * (1 + 1e-13);
        A[2 * (i * s + i) + 1] = -lambda[1];
        t[2 * i] = 1;
        t[2 * i + 1] = 0;
    }
    td_lu_factor_complex(s, A, pivot);
    for (int n = 0; n < 3; n++) {
        td_lu_solve_complex(s, A, pivot, t);
        const double largest = td_dense_largest(2 * s, t);
        for (size_t i = 0; i < 2 * s; i++)
            t[i] /= largest;
    }
}

/* Computes the columns of T. From D (u + iv) = (α + iβ) (u + iv), the columns u, −v give the
   block (α −β; β α). */
static void find_vectors(td_radau_table *r)
{
    const size_t s = (size_t)r->stages;
    double t[2 * MOST], A[MOST * MOST];
    size_t pivot[MOST];
    for (int k = 0; k <= r->stages / 2; k++) {
        eigenvector(r, r->lambda[k], t);
        for (size_t i = 0; i < s && k == 0; i++)
            r->T[i][0] = t[2 * i];
        for (size_t i = 0; i < s && k > 0; i++) {
            r->T[i][2 * k - 1] = t[2 * i];
            r->T[i][2 * k] = -t[2 * i + 1];
        }
    }
    for (size_t i = 0; i < s; i++)
        memcpy(A + i * s, r->T[i], s * sizeof *A);
    td_lu_factor(s, A, pivot);
    for (size_t j = 0; j < s; j++) {
        double column[MOST] = {0};
        column[j] = 1;
        td_lu_solve(s, A, pivot, column);
        for (size_t i = 0; i < s; i++)
            r->T_inverse[i][j] = column[i];
    }
}

/* ---- the error ------------------------------------------------------------------------------- */

static void find_error(td_radau_table *r)
{
    const size_t s = (size_t)r->stages;
    double A[MOST * MOST], v[MOST] = {0};
    size_t pivot[MOST];
    for (size_t j = 0; j < s; j++) {
        double power = 1;
        for (size_t k = 0; k < s; k++, power *= r->c[j])
            A[k * s + j] = power;
    }
    v[0] = -1 / r->lambda[0][0];
    td_lu_factor(s, A, pivot);
    td_lu_solve(s, A, pivot, v);
    for (size_t j = 0; j < s; j++) {
        r->error[j] = 0;
        for (size_t i = 0; i < s; i++)
            r->error[j] += v[i] * r->D[i][j];
    }
}

void td_radau_table_make(td_radau_table *table, int stages)
{
    memset(table, 0, sizeof *table);
    table->stages = stages;
    find_nodes(table);
    find_weights(table);
    find_matrix(table);
    find_eigenvalues(table);
    find_vectors(table);
    find_error(table);
}
