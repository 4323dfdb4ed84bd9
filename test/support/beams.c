/* SPDX-License-Identifier: MIT */
/*
 * Beams for the tests of flexible links. Their natural frequencies come from Cholesky factors and
 * Jacobi rotations that only the tests use.
 */
#include "beams.h"

#include <math.h>
#include <stdlib.h>

td_flexible beam_record(int segments)
{
    td_flexible f = td_flexible_default("beam");
    f.length = 0.8;
    f.across[1] = 1;
    f.bending_stiffness[0] = 20;
    f.mass_per_length = 0.4;
    f.segments = segments;
    return f;
}

td_builder *beam_builder(const td_flexible *record, td_joint_type root)
{
    td_builder *builder = test_builder("beam");
    td_link mount = td_link_default("mount"), beam = td_link_default("beam");
    td_joint joint = td_joint_default("root", root, "mount", "beam");
    joint.axis[0] = 0, joint.axis[2] = 1;
    assert_ok(td_builder_add_link(builder, &mount));
    assert_ok(td_builder_add_link(builder, &beam));
    assert_ok(td_builder_add_joint(builder, &joint));
    assert_ok(td_builder_add_flexible(builder, record));
    return builder;
}

td_model *beam_finish(td_builder *builder)
{
    return beam_finish_held(builder, NULL);
}

td_model *beam_finish_held(td_builder *builder, const char *joint)
{
    td_load_options options = td_load_options_default();
    options.locked = &(td_joint_position){joint, 0};
    options.locked_count = joint != NULL;
    td_diagnostics *list = test_diagnostics(20);
    td_model *model;
    options.gravity[2] = 0;
    td_status status = test_builder_finish(builder, &options, list, &model);
    ck_assert_msg(status == TD_OK && td_diagnostics_count(list, TD_SEVERITY_WARNING) == 0, "%s",
                  td_diagnostics_size(list) ? td_diagnostics_at(list, 0)->message : "");
    return model;
}

void beam_add_body(td_builder *builder, const char *parent, const char *name, double x, double mass,
                   double inertia)
{
    td_link link = td_link_default(name);
    td_joint joint = td_joint_default(name, TD_JOINT_FIXED, parent, name);
    joint.origin.position[0] = x;
    link.has_inertial = true;
    link.mass = mass;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = inertia;
    assert_ok(td_builder_add_link(builder, &link));
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* ---- matrices -------------------------------------------------------------------------------- */

void beam_stiffness(const td_model *model, const double *y, double *K)
{
    const size_t n = td_nyd(model);
    const double step = 1e-4;
    td_workspace *w = test_workspace(model);
    td_forces forces = td_forces_default();
    double *x = doubles(3 * n), *up = x + n, *down = x + 2 * n;
    forces.passive = true;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            x[i] = y ? y[i] : 0;
        x[j] += step;
        assert_ok(td_bias_force(model, w, x, NULL, &forces, up));
        x[j] -= 2 * step;
        assert_ok(td_bias_force(model, w, x, NULL, &forces, down));
        for (size_t i = 0; i < n; i++)
            K[i * n + j] = (up[i] - down[i]) / (2 * step);
    }
}

/* A = L Lᵀ, with L in the lower triangle */
static void cholesky(size_t n, double *A)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = A[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            ck_assert(i > j || sum > 0);
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
}

/* b ← L⁻¹ b, with entries of b `apart` numbers apart */
static void forward(size_t n, const double *L, double *b, size_t apart)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i * apart] -= L[i * n + k] * b[k * apart];
        b[i * apart] /= L[i * n + i];
    }
}

void beam_solve(size_t n, double *A, double *b)
{
    cholesky(n, A);
    forward(n, A, b, 1);
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= A[k * n + i] * b[k];
        b[i] /= A[i * n + i];
    }
}

/* leaves the eigenvalues of a symmetric matrix on its diagonal */
static void jacobi(size_t n, double *A)
{
    for (int sweep = 0; sweep < 30; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                const double a = A[p * n + q];
                if (a == 0)
                    continue;
                const double theta = (A[q * n + q] - A[p * n + p]) / (2 * a);
                const double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
                const double c = 1 / hypot(t, 1), s = c * t;
                for (size_t k = 0; k < n; k++) {
                    const double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y;
                    A[k * n + q] = s * x + c * y;
                }
                for (size_t k = 0; k < n; k++) {
                    const double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y;
                    A[q * n + k] = s * x + c * y;
                }
            }
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* With K + σ H = L Lᵀ, the eigenvalues of L⁻¹ H L⁻ᵀ are 1/(λ + σ). The low frequencies are the
   large eigenvalues and therefore accurate. */
void beam_frequencies(const td_model *model, const double *y, size_t count, double *omega)
{
    const size_t n = td_nyd(model);
    const double sigma = 1;
    double *K = doubles(2 * n * n + n), *H = K + n * n, *value = H + n * n;
    td_workspace *w = test_workspace(model);
    beam_stiffness(model, y, K);
    assert_ok(td_mass_matrix(model, w, y ? y : value, NULL, H));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            K[i * n + j] = (K[i * n + j] + K[j * n + i]) / 2 + sigma * H[i * n + j];
    cholesky(n, K);
    for (size_t j = 0; j < n; j++)
        forward(n, K, H + j, n);
    for (size_t i = 0; i < n; i++)
        forward(n, K, H + i * n, 1);
    jacobi(n, H);
    for (size_t i = 0; i < n; i++)
        value[i] = H[i * n + i];
    qsort(value, n, sizeof *value, descending);
    for (size_t i = 0; i < count; i++)
        omega[i] = sqrt(fmax(1 / value[i] - sigma, 0));
}

double root_between(double (*f)(double x), double low, double high)
{
    const double sign = f(low) < 0 ? -1 : 1;
    for (int k = 0; k < 200; k++) {
        const double middle = (low + high) / 2;
        *(sign * f(middle) > 0 ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

double order_of(double a, double b, double exact)
{
    return log2(fabs(a - exact) / fabs(b - exact));
}
