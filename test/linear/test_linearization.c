/* SPDX-License-Identifier: MIT */
/*
 * Tests linear models of robots. A and B are compared with differences of motions. Spectra of
 * chains of masses and springs and of pendulums are compared with formulas. Regulators stabilize an
 * upright pole. Equilibria are compared with bisection and checked for ÿ = 0. Compliance is
 * compared with analytic Jacobians and with beams. Also tests which flexible modes motors reach,
 * and statuses.
 */
#include <math.h>
#include <string.h>

#include "functions.h"
#include "linear/linear.h"
#include "loop_robots.h"
#include "tandem/chart.h"

enum { MOST = 48 };

static const double pi = 3.14159265358979323846;

/* ---- robots ---------------------------------------------------------------------------------- */

static void add_link(td_builder *builder, const char *name, double mass, double at, double inertia)
{
    td_link link = td_solid_link(name, mass, inertia);
    link.inertial.position[0] = at;
    assert_ok(td_builder_add_link(builder, &link));
}

/* Returns a joint. at: its position along x of the parent; axis: 0, 1, 2. */
static td_joint joint_of(const char *name, td_joint_type type, const char *parent,
                         const char *child, double at, int axis)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    joint.origin.position[0] = at;
    for (int i = 0; i < 3; i++)
        joint.axis[i] = i == axis;
    return joint;
}

static td_model *finish(td_builder *builder, const char *const *actuated, size_t count)
{
    td_load_options options = td_load_options_default();
    options.actuation = count ? TD_ACTUATION_LIST : TD_ACTUATION_INDEPENDENT;
    options.actuated = actuated;
    options.actuated_count = count;
    return model_of_builder(builder, &options);
}

/* Builds a cart of 2 kg on rails along x with a pole: 0.3 kg at its end, 0.5 m long, upright at
   zero. Only the cart has a motor. */
static td_model *cart_and_pole(double damping)
{
    static const char *const motors[] = {"rail"};
    td_builder *builder = test_builder("cart_pole");
    add_link(builder, "ground", 0, 0, 0);
    add_link(builder, "cart", 2, 0, 0.1);
    td_link pole = td_solid_link("pole", 0.3, 0.004);
    pole.inertial.position[2] = 0.5;
    assert_ok(td_builder_add_link(builder, &pole));
    td_joint rail = joint_of("rail", TD_JOINT_PRISMATIC, "ground", "cart", 0, 0);
    td_joint pin = joint_of("pin", TD_JOINT_CONTINUOUS, "cart", "pole", 0, 1);
    pin.damping = damping;
    assert_ok(td_builder_add_joint(builder, &rail));
    assert_ok(td_builder_add_joint(builder, &pin));
    return finish(builder, motors, 1);
}

/* Builds a planar arm of hinges about z with springs and links along x, of given lengths and
   stiffnesses. */
static td_model *arm(size_t links, const double *length, const double *stiffness)
{
    static const char *const name[] = {"l0", "l1", "l2", "l3"}, *const hinge[] = {"j1", "j2", "j3"};
    td_builder *builder = test_builder("arm");
    add_link(builder, name[0], 0, 0, 0);
    for (size_t i = 0; i < links; i++) {
        add_link(builder, name[i + 1], 1, length[i] / 2, 0.01);
        td_joint joint =
            joint_of(hinge[i], TD_JOINT_CONTINUOUS, name[i], name[i + 1], i ? length[i - 1] : 0, 2);
        joint.spring_stiffness = stiffness[i];
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return finish(builder, NULL, 0);
}

/* Builds a crank of 1 m and a rod of 2 m, which move a slider. The slider is the independent joint,
   and the crank has the motor. */
static td_model *slider_crank(void)
{
    td_builder *builder = test_builder("slider");
    add_link(builder, "ground", 0, 0, 0);
    add_link(builder, "crank", 1, 0.5, 0.1);
    add_link(builder, "rod", 1, 1, 0.3);
    add_link(builder, "block", 1, 0, 0.1);
    td_joint joints[] = {joint_of("turn", TD_JOINT_CONTINUOUS, "ground", "crank", 0, 2),
                         joint_of("knee", TD_JOINT_CONTINUOUS, "crank", "rod", 1, 2),
                         joint_of("slide", TD_JOINT_PRISMATIC, "ground", "block", 0, 0)};
    const double start[] = {pi / 2, -pi / 2 - pi / 6, sqrt(3)};
    for (int i = 0; i < 3; i++) {
        joints[i].reference[0] = start[i];
        joints[i].independent = i == 2;
        assert_ok(td_builder_add_joint(builder, &joints[i]));
    }
    td_loop loop = td_loop_default("pin", "rod", "block");
    loop.type = TD_LOOP_REVOLUTE;
    loop.axis[0] = 0, loop.axis[2] = 1;
    loop.predecessor_origin.position[0] = 2;
    assert_ok(td_builder_add_loop(builder, &loop));
    static const char *const motors[] = {"turn"};
    return finish(builder, motors, 1);
}

typedef struct fixture {
    td_model *model;
    td_workspace *w;
    td_linearization *l;
    size_t n;
} fixture;

static fixture fixture_of(td_model *model, td_inputs inputs)
{
    fixture f = {.model = model, .w = test_workspace(model), .n = td_nyd(model)};
    ck_assert_ptr_nonnull(f.w);
    assert_ok(test_linearization_new(model, inputs, &f.l));
    ck_assert_uint_eq(td_linearization_states(f.l), 2 * f.n);
    ck_assert_uint_eq(td_linearization_inputs(f.l),
                      inputs == TD_INPUTS_MOTORS ? td_nu(model) : f.n);
    return f;
}

/* ---- A and B --------------------------------------------------------------------------------- */

/* Computes ÿ at a state displaced by t along (δy, δẏ), with inputs changed by du. */
static void accelerate(const fixture *f, const double *y, const double *yd, const double *u,
                       const td_forces *forces, const double *direction, double t, double *ydd)
{
    double moved[MOST], rate[MOST], tau[MOST];
    td_integrate(f->model, TD_COORDINATES_INDEPENDENT, y, direction, t, moved);
    for (size_t i = 0; i < f->n; i++)
        rate[i] = yd[i] + t * direction[f->n + i];
    assert_ok(td_forces_from_actuators(f->model, f->w, moved, u, tau));
    assert_ok(td_forward_dynamics(f->model, f->w, moved, rate, tau, forces, ydd));
}

/* Computes d/dt of δy from two motions with the same ẏ, one displaced by ε along e_k. */
static void diverge(const fixture *f, const double *y, const double *yd, size_t k, double *out)
{
    const double epsilon = 1e-5, t = 1e-3;
    double unit[MOST] = {0}, beside[MOST], one[MOST], other[MOST], before[MOST], after[MOST];
    unit[k] = 1;
    td_integrate(f->model, TD_COORDINATES_INDEPENDENT, y, unit, epsilon, beside);
    td_integrate(f->model, TD_COORDINATES_INDEPENDENT, y, yd, t, one);
    td_integrate(f->model, TD_COORDINATES_INDEPENDENT, beside, yd, t, other);
    td_difference(f->model, TD_COORDINATES_INDEPENDENT, one, other, after);
    td_integrate(f->model, TD_COORDINATES_INDEPENDENT, y, yd, -t, one);
    td_integrate(f->model, TD_COORDINATES_INDEPENDENT, beside, yd, -t, other);
    td_difference(f->model, TD_COORDINATES_INDEPENDENT, one, other, before);
    for (size_t i = 0; i < f->n; i++)
        out[i] = (after[i] - before[i]) / (2 * t * epsilon);
}

/* Compares A and B at y, in motion with all forces, with differences of motions. */
static void check_slopes(td_random *random, const fixture *of, const double *y, bool diverges)
{
    const fixture f = *of;
    const size_t n = f.n, m = td_nu(f.model);
    td_forces forces = with_passive_forces();
    forces.friction_velocity = 0.5;
    double yd[MOST], u[MOST], direction[2 * MOST] = {0}, h = 1e-3;
    td_random_fill(random, n, yd);
    td_random_fill(random, m, u);
    assert_ok(td_linearize(f.l, f.w, y, yd, u, &forces));
    const double *A = td_linearization_A(f.l), *B = td_linearization_B(f.l);
    double ydd[MOST], expected[MOST], column[MOST];
    accelerate(&f, y, yd, u, &forces, direction, 0, ydd);
    td_assert_close(n, td_linearization_ydd(f.l), ydd, 1e-10, td_largest(n, ydd));
    for (size_t k = 0; k < 2 * n; k++) {
        double at[4][MOST];
        direction[k] = 1;
        for (int p = 0; p < 4; p++)
            accelerate(&f, y, yd, u, &forces, direction, h * (double[]){-2, -1, 1, 2}[p], at[p]);
        direction[k] = 0;
        for (size_t i = 0; i < n; i++) {
            expected[i] = (at[0][i] - 8 * at[1][i] + 8 * at[2][i] - at[3][i]) / (12 * h);
            column[i] = A[(n + i) * 2 * n + k];
        }
        td_assert_close(n, column, expected, 1e-6, 1 + td_largest(n, expected));
        for (size_t i = 0; i < n; i++) {
            column[i] = A[i * 2 * n + k];
            expected[i] = k == n + i;
        }
        if (k < n && diverges)
            diverge(&f, y, yd, k, expected);
        if (k >= n || diverges) /* skips floating poses that loops determine in part */
            td_assert_close(n, column, expected, 1e-5, 1);
    }
    for (size_t k = 0; k < m; k++) { /* ÿ is linear in u */
        double more[MOST];
        memcpy(more, u, sizeof more);
        more[k] += 1;
        accelerate(&f, y, yd, more, &forces, direction, 0, expected);
        for (size_t i = 0; i < n; i++) {
            column[i] = B[(n + i) * m + k];
            expected[i] -= ydd[i];
            ck_assert_double_eq(B[i * m + k], 0);
        }
        td_assert_close(n, column, expected, 1e-8, td_largest(n, ydd) + td_largest(n, expected));
    }
}

/* Tests random robots with all joint types and followers. */
TD_LOOP_TEST(matrices_are_the_slopes_of_motions, 0, 24)
{
    td_random random = {20 + (uint64_t)_i};
    td_builder *builder =
        regular_robot(&random, 7, (size_t)_i % 3, false, _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED);
    td_load_options options = td_load_options_default();
    options.base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_model *model = model_of_builder(builder, &options);
    fixture f = fixture_of(model, TD_INPUTS_MOTORS);
    double y[MOST];
    td_draw_configuration(&random, model, false, 1, y);
    check_slopes(&random, &f, y, true);
}

/* Tests loops with motors in the independent joints, where M_u is constant. */
TD_LOOP_TEST(slopes_through_loops, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {60 + (uint64_t)_i};
    td_model *model = loop_robot_load(robot);
    fixture f = fixture_of(model, TD_INPUTS_MOTORS);
    double y[MOST];
    loop_robot_state(&random, robot, model, y);
    check_slopes(&random, &f, y, false);
}

/* Tests a motor in a dependent joint. M_u depends on y, and so A has the term H⁻¹ ∂(M_uᵀ u)/∂y. */
TD_LOOP_TEST(slopes_of_motors_in_loops, 0, 3)
{
    const double y = (double[]){1.9, 2.2, 2.6}[_i];
    td_random random = {80 + (uint64_t)_i};
    fixture f = fixture_of(slider_crank(), TD_INPUTS_MOTORS);
    check_slopes(&random, &f, &y, true);
}

/* A and B refer to y. Charts are refused, and y is unchanged. */
TD_TEST(charts_are_refused)
{
    int used = 0;
    td_random random = {70};
    for (size_t i = 0; i < loop_robot_count; i++) {
        td_model *model = loop_robot_load(&loop_robots[i]);
        fixture f = fixture_of(model, TD_INPUTS_FORCES);
        double y[MOST], before[MOST], q[MOST * 3];
        bool swapped;
        for (int n = 0; n < 40; n++) {
            loop_robot_state(&random, &loop_robots[i], model, y);
            if (td_closure(model, f.w, y, NULL, NULL, q, NULL, NULL) != TD_OK ||
                td_chart_choose(model, f.w, q, NULL, &swapped) != TD_OK)
                continue;
            if (td_chart_is_used(f.w)) {
                used++;
                memcpy(before, y, td_ny(model) * sizeof *y);
                ck_assert_int_eq(td_linearize(f.l, f.w, y, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
                ck_assert_int_eq(td_linearize_held(f.l, f.w, y, NULL, NULL), TD_ERROR_ARGUMENT);
                ck_assert_int_eq(td_equilibrium(f.l, f.w, y, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
                ck_assert_mem_eq(before, y, td_ny(model) * sizeof *y);
            }
            assert_ok(td_chart_leave(model, f.w, q));
        }
    }
#if TANDEM_HAS_URDF /* none of the other robots passes a dead point */
    ck_assert_int_gt(used, 0);
#endif
}

/* Forces and motor inputs are equivalent if each joint has a motor. */
TD_TEST(inputs_of_both_kinds)
{
    const double length[] = {0.4, 0.3, 0.2}, stiffness[] = {3, 2, 1};
    fixture f = fixture_of(arm(3, length, stiffness), TD_INPUTS_FORCES);
    td_linearization *motors;
    assert_ok(test_linearization_new(f.model, TD_INPUTS_MOTORS, &motors));
    const double y[] = {0.3, -0.2, 0.5}, yd[] = {1, 2, -1};
    assert_ok(td_linearize_held(f.l, f.w, y, yd, NULL));
    assert_ok(td_linearize_held(motors, f.w, y, yd, NULL));
    td_assert_close(36, td_linearization_A(f.l), td_linearization_A(motors), 1e-14, 1);
    td_assert_close(18, td_linearization_B(f.l), td_linearization_B(motors), 1e-14, 1);
    double tau[3], none[3] = {0};
    assert_ok(td_inverse_dynamics(f.model, f.w, y, yd, NULL, NULL, tau));
    td_assert_close(3, td_linearization_u(f.l), tau, 1e-14, 1);
    td_assert_close(3, td_linearization_ydd(f.l), none, 1e-11, 1);
}

/* ---- spectra --------------------------------------------------------------------------------- */

/* n masses in a row on springs, the last one free, in relative coordinates: ω_j = 2 √(k/m) sin((2j
   − 1) π / (4n + 2)), ζ_j = ω_j c / 2k. */
TD_TEST(chain_of_masses_and_springs)
{
    enum { N = 6 };
    const double k = 50, m = 0.7, c = 0.02;
    char name[N + 1][4], joints[N][4];
    td_builder *builder = test_builder("chain");
    strcpy(name[0], "l0");
    add_link(builder, name[0], 0, 0, 0);
    for (int i = 0; i < N; i++) {
        name[i + 1][0] = 'l', name[i + 1][1] = (char)('1' + i), name[i + 1][2] = '\0';
        joints[i][0] = 'j', joints[i][1] = (char)('1' + i), joints[i][2] = '\0';
        add_link(builder, name[i + 1], m, 0.1, 0.01);
        td_joint joint = joint_of(joints[i], TD_JOINT_PRISMATIC, name[i], name[i + 1], 0.2, 0);
        joint.spring_stiffness = k;
        joint.damping = c;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    fixture f = fixture_of(finish(builder, NULL, 0), TD_INPUTS_MOTORS);
    const td_forces forces = with_passive_forces();
    double y[N] = {0}, real[2 * N], imaginary[2 * N];
    assert_ok(td_equilibrium(f.l, f.w, y, NULL, &forces, NULL));
    assert_ok(td_linearize(f.l, f.w, y, NULL, NULL, &forces));
    assert_ok(td_linear_eigenvalues(2 * N, td_linearization_A(f.l), real, imaginary));
    for (int j = 0; j < N; j++) {
        const double omega = 2 * sqrt(k / m) * sin((2 * j + 1) * pi / (4 * N + 2));
        const double expected[] = {omega, omega * c / (2 * k)};
        for (int i = 2 * j; i < 2 * j + 2; i++) {
            const double magnitude = hypot(real[i], imaginary[i]);
            const double found[] = {magnitude, -real[i] / magnitude};
            td_assert_close(2, found, expected, 1e-12, 0);
        }
    }
}

/* A pole on a fixed cart: λ² = ± m g l / (I + m l²) upright and hanging; with damping λ² + c/J λ +
   ... */
TD_TEST(pendulum)
{
    for (int hangs = 0; hangs < 2; hangs++) {
        const double damping = 0.05, J = 0.004 + 0.3 * 0.25, moment = 0.3 * 9.81 * 0.5;
        fixture f = fixture_of(cart_and_pole(damping), TD_INPUTS_FORCES);
        const td_forces forces = with_passive_forces();
        const double y[] = {0.2, hangs ? pi : 0};
        assert_ok(td_linearize(f.l, f.w, y, NULL, NULL, &forces));
        /* the pole alone: locks the cart by removing its row and column of the same H */
        double H[4], K[4];
        assert_ok(td_inverse_dynamics_derivatives(f.model, f.w, y, NULL, NULL, &forces, NULL, K,
                                                  NULL, H));
        const double A[] = {0, 1, -K[3] / H[3], -damping / H[3]};
        double real[2], imaginary[2];
        assert_ok(td_linear_eigenvalues(2, A, real, imaginary));
        const double sum = -damping / J, product = (hangs ? 1 : -1) * moment / J;
        const double found[] = {real[0] + real[1], real[0] * real[1] - imaginary[0] * imaginary[1]};
        const double expected[] = {sum, product};
        td_assert_close(2, found, expected, 1e-13, 0);
        /* with a free cart: λ² = ∓ m g l (M + m) / ((M + m) J − (m l)²), undamped */
        const td_forces rigid = td_forces_default();
        double all_real[4], all_imaginary[4];
        assert_ok(td_linearize(f.l, f.w, y, NULL, NULL, &rigid));
        assert_ok(td_linear_eigenvalues(4, td_linearization_A(f.l), all_real, all_imaginary));
        const double square = moment * 2.3 / (2.3 * J - 0.15 * 0.15);
        const double size = hypot(all_real[3], all_imaginary[3]), root = sqrt(square);
        td_assert_close(1, &size, &root, 1e-13, 0);
        ck_assert((fabs(all_imaginary[3]) > 1) == hangs);
    }
}

/* ---- floating robots --------------------------------------------------------------------------
 */

/* Hamilton product of quaternions x, y, z, w. */
static void multiply(const double a[4], const double b[4], double out[4])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[3] * b[i] + b[3] * a[i] + a[j] * b[k] - a[k] * b[j];
    }
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* Moves a base together with gravity. All derivatives stay the same, since they are expressed in
   axes of bodies. */
TD_LOOP_TEST(moved_with_gravity, 0, 10)
{
    td_random random = {(uint64_t)_i + 90};
    td_builder *builder = regular_robot(&random, 5, 3, false, TD_BASE_FLOATING);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    const size_t n = td_nyd(model), square = n * n;
    ck_assert_int_eq(td_joint_at(model, td_independent_joint(model, 0))->type, TD_JOINT_FLOATING);
    double y[MOST], moved[MOST], yd[MOST], ydd[MOST], R[9], g[3], turned[3];
    double *found[2] = {doubles(6 * square), doubles(6 * square)};
    td_draw_configuration(&random, model, false, 1, y);
    td_random_fill(&random, n, yd);
    td_random_fill(&random, n, ydd);
    double quaternion[4] = {0.3, -0.5, 0.2, 0.7}, size = 0;
    for (int i = 0; i < 4; i++)
        size += quaternion[i] * quaternion[i];
    for (int i = 0; i < 4; i++)
        quaternion[i] /= sqrt(size);
    td_rotation_from_quaternion(quaternion, R);
    memcpy(g, td_gravity(model, NULL), sizeof g);
    memcpy(moved, y, sizeof moved);
    multiply(quaternion, y + 3, moved + 3);
    for (int i = 0; i < 3; i++) {
        moved[i] = 0.4 * i - 2, turned[i] = 0;
        for (int k = 0; k < 3; k++) {
            moved[i] += R[3 * i + k] * y[k];
            turned[i] += R[3 * i + k] * g[k];
        }
    }
    for (int k = 0; k < 2; k++) {
        td_workspace *w = test_workspace(model);
        double *out = found[k];
        assert_ok(td_set_gravity(w, k ? turned : g));
        assert_ok(td_inverse_dynamics_derivatives(model, w, k ? moved : y, yd, ydd, NULL, NULL, out,
                                                  out + square, out + 2 * square));
        assert_ok(td_forward_dynamics_derivatives(model, w, k ? moved : y, yd, ydd, NULL, NULL,
                                                  out + 3 * square, out + 4 * square,
                                                  out + 5 * square));
    }
    /* tolerance of forward dynamics times the condition number of H */
    for (size_t of = 0; of < 6; of++)
        td_assert_close(square, found[0] + of * square, found[1] + of * square,
                        of < 3 ? 1e-13 : 1e-10, 1 + td_largest(square, found[1] + of * square));
}

/* ---- equilibria and regulators --------------------------------------------------------------- */

/* A four-bar has ẍ = a x + d ẋ + b u in terms of its crank, with weights q₁, q₂ and r. Riccati's
   equation has s₁₂ = r/b² (a + √(a² + b² q₁/r)), s₂₂ = r/b² (d + √(d² + b²/r (q₂ + 2 s₁₂))), and K
   = b/r (s₁₂, s₂₂). */
TD_TEST(four_bar_is_regulated)
{
    const double q[] = {10, 0.5}, r = 0.1, Q[] = {q[0], 0, 0, q[1]};
    td_builder *builder = chain_of_four_bars(1, CHAIN_OF_CRANK_ROCKERS);
    fixture f = fixture_of(finish(builder, NULL, 0), TD_INPUTS_MOTORS);
    td_random random = {31};
    for (int n = 0; n < 10; n++) {
        const double y = 0.4 * td_random_number(&random), yd = td_random_number(&random);
        double K[2];
        assert_ok(td_linearize_held(f.l, f.w, &y, &yd, NULL));
        const double *A = td_linearization_A(f.l), *B = td_linearization_B(f.l);
        ck_assert(A[0] == 0 && A[1] == 1 && B[0] == 0);
        assert_ok(td_linear_regulator(2, 1, A, B, Q, &r, false, K, NULL));
        const double a = A[2], d = A[3], b = B[1], weight = b * b / r;
        const double s12 = (a + sqrt(a * a + weight * q[0])) / weight;
        const double s22 = (d + sqrt(d * d + weight * (q[1] + 2 * s12))) / weight;
        const double expected[] = {b / r * s12, b / r * s22};
        td_assert_close(2, K, expected, 1e-11, 0);
    }
}

/* The cart can hold the pole only upright. A regulator stabilizes that: deviations decay by a
   factor over some time. */
TD_TEST(cart_holds_a_pole)
{
    fixture f = fixture_of(cart_and_pole(0), TD_INPUTS_MOTORS);
    const double upright[] = {0.3, 0}, tilted[] = {0.3, 0.2};
    ck_assert_int_eq(td_linearize_held(f.l, f.w, tilted, NULL, NULL), TD_ERROR_UNDERACTUATED);
    const double moment = -0.3 * 9.81 * 0.5 * sin(0.2);
    td_assert_close(1, td_linearization_rest(f.l) + 1, &moment, 1e-12, 0);
    ck_assert(isnan(td_linearization_A(f.l)[0]) && isnan(td_linearization_B(f.l)[3]));
    assert_ok(td_linearize_held(f.l, f.w, upright, NULL, NULL));
    const double *A = td_linearization_A(f.l), *B = td_linearization_B(f.l);
    size_t reached;
    assert_ok(td_linear_controllable(4, 1, A, B, 0, &reached, NULL, NULL));
    ck_assert_uint_eq(reached, 4);
    double Q[16] = {0}, R = 0.1, K[4];
    for (int i = 0; i < 4; i++)
        Q[5 * i] = 1;
    assert_ok(td_linear_regulator(4, 1, A, B, Q, &R, false, K, NULL));
    double loop[16], Ad[16], zero[4] = {0}, none[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            loop[4 * i + j] = A[4 * i + j] - B[i] * K[j];
    assert_ok(td_linear_discrete(4, 1, loop, zero, 30, Ad, none));
    ck_assert_double_le(td_largest(16, Ad), 1e-4);
}

/* ---- equilibria ------------------------------------------------------------------------------ */

/* A motor at the hub reaches all states of a single flexible link. With two opposite flexible links
   it reaches half of the bending: the hub's rotation never bends the links against each other. */
static void check_beams(int beams, int segments, size_t expected)
{
    static const char *const name[] = {"beam0", "beam1"}, *const clamp[] = {"clamp0", "clamp1"};
    td_builder *builder = test_builder("beams");
    add_link(builder, "base", 0, 0, 0);
    add_link(builder, "hub", 1, 0, 0.01);
    td_joint hinge = joint_of("hinge", TD_JOINT_CONTINUOUS, "base", "hub", 0, 2);
    assert_ok(td_builder_add_joint(builder, &hinge));
    for (int i = 0; i < beams; i++) {
        add_link(builder, name[i], 0, 0, 0);
        td_joint joint =
            joint_of(clamp[i], TD_JOINT_FIXED, "hub", name[i], i == 0 ? 0.05 : -0.05, 2);
        assert_ok(td_builder_add_joint(builder, &joint));
        td_flexible beam = td_flexible_default(name[i]);
        beam.axis[0] = i == 0 ? 1 : -1;
        beam.length = 1;
        beam.across[1] = 1;
        beam.bending_stiffness[0] = 20;
        beam.mass_per_length = 0.4;
        beam.damping_ratio = 0.01;
        beam.segments = segments;
        assert_ok(td_builder_add_flexible(builder, &beam));
    }
    static const char *const motors[] = {"hinge"};
    td_model *model = finish(builder, motors, 1);
    fixture f = fixture_of(model, TD_INPUTS_MOTORS);
    const size_t n = td_linearization_states(f.l);
    double y[64] = {0}, u = 0, *margin = test_malloc(n * sizeof *margin);
    const td_forces forces = with_passive_forces();
    ck_assert_uint_eq(n, 2 * (1 + (size_t)(beams * segments)));
    assert_ok(td_linearize(f.l, f.w, y, NULL, &u, &forces));
    size_t reached, most;
    assert_ok(td_linear_controllable(n, 1, td_linearization_A(f.l), td_linearization_B(f.l), 0,
                                     &reached, &most, margin));
    ck_assert_msg(reached <= expected && expected <= most, "%d beams of %d: %zu to %zu of %zu",
                  beams, segments, reached, most, n);
    /* with more segments the overdamped modes lie close together */
    ck_assert_uint_le(most - reached, segments <= 10 ? 0 : 6);
    for (size_t i = 0; i < n && segments <= 10; i++)
        ck_assert_msg(margin[i] <= 5e-11 || margin[i] > 1e-7, "margin %g", margin[i]);
}

TD_TEST(beams_that_are_alike_are_half_reached)
{
    static const int segments[] = {3, 6, 10, 16, 20};
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        if (segments[i] <= 10)
            check_beams(1, segments[i], 2 + 2 * (size_t)segments[i]);
        check_beams(2, segments[i], 2 + 2 * (size_t)segments[i]);
    }
}

/* An arm with a spring starts horizontally: k q = −m g l cos q, compared with bisection. Without a
   spring it hangs down, from any start. */
TD_TEST(arm_comes_to_rest)
{
    for (int sprung = 0; sprung < 2; sprung++) {
        const double k = sprung ? 4.0 : 0.0, moment = 1.3 * 9.81 * 0.4;
        td_builder *builder = test_builder("arm");
        add_link(builder, "l0", 0, 0, 0);
        add_link(builder, "l1", 1.3, 0.4, 0.01);
        td_joint joint = joint_of("j", TD_JOINT_CONTINUOUS, "l0", "l1", 0, 1);
        joint.axis[1] = -1; /* upward */
        joint.spring_stiffness = k;
        assert_ok(td_builder_add_joint(builder, &joint));
        fixture f = fixture_of(finish(builder, NULL, 0), TD_INPUTS_FORCES);
        const td_forces forces = with_passive_forces();
        double y = 0, low = -pi / 2 - 1e-9, high = 0;
        for (int i = 0; i < 200; i++) {
            const double middle = (low + high) / 2, left = k * middle + moment * cos(middle);
            *(left > 0 ? &high : &low) = middle;
        }
        if (!sprung)
            low = -pi / 2;
        assert_ok(td_equilibrium(f.l, f.w, &y, NULL, &forces, NULL));
        td_assert_close(1, &y, &low, 1e-12, 1);
        const double up[] = {1.2}, hold[] = {moment * cos(1.2) + k * 1.2};
        y = up[0] + 0.3;
        assert_ok(td_equilibrium(f.l, f.w, &y, hold, &forces, NULL));
        double tau;
        assert_ok(td_inverse_dynamics(f.model, f.w, &y, NULL, NULL, &forces, &tau));
        td_assert_close(1, &tau, hold, 1e-12, 0);
        const double most[] = {100};
        const double before = y;
        if (!sprung) {
            ck_assert_int_eq(td_equilibrium(f.l, f.w, &y, most, &forces, NULL),
                             TD_ERROR_EQUILIBRIUM);
            ck_assert_double_eq(y, before);
        }
    }
}

/* Random robots on springs have ÿ = 0 at the equilibrium found, also with inputs. Fixed coordinates
   stay equal to the bit. */
TD_LOOP_TEST(robots_come_to_rest, 0, 24)
{
    td_random random = {320 + (uint64_t)_i};
    td_builder *builder = td_random_robot(&random, 6, (size_t)_i % 3, true);
    td_model *bare, *model = NULL;
    assert_ok(test_builder_finish(builder, NULL, NULL, &bare));
    builder = test_builder("sprung");
    for (size_t i = 0; i < td_link_count(bare); i++)
        assert_ok(td_builder_add_link(builder, td_link_at(bare, i)));
    for (size_t i = 0; i < td_joint_count(bare); i++) {
        td_joint joint = *td_joint_at(bare, i);
        if (td_joint_kind_of(joint.type)->sprung)
            joint.spring_stiffness = 200;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    assert_ok(test_builder_finish(builder, NULL, NULL, &model));
    fixture f = fixture_of(model, TD_INPUTS_FORCES);
    const td_forces forces = with_passive_forces();
    unsigned char held[MOST] = {0};
    double y[MOST], u[MOST], start[MOST], tau[MOST];
    held[0] = (unsigned char)(_i % 2);
    td_draw_configuration(&random, model, false, 0.3, y);
    td_random_fill(&random, f.n, u);
    memcpy(start, y, sizeof start);
    assert_ok(td_equilibrium(f.l, f.w, y, u, &forces, held));
    assert_ok(td_inverse_dynamics(model, f.w, y, NULL, NULL, &forces, tau));
    for (size_t i = 0; i < f.n; i++)
        ck_assert(held[i] ? y[i] == start[i] : fabs(tau[i] - u[i]) <= 1e-8 * 200);
}

/* ---- compliance ------------------------------------------------------------------------------ */

static const double springs[][3] = {
    {100, 70, 30}, {100e-18, 70e-18, 30e-18}, {100e12, 70, 30e-12}, {100e-16, 70, 30e16}};

/* Three links in the plane: Σ J_i J_iᵀ / k_i with the columns J_i = (ẑ, ẑ × (p − o_i)), for springs
   k of any size and ratio. Fixed joints contribute nothing, and other directions have no stiffness.
 */
TD_LOOP_TEST(compliance_of_three_links, 0, sizeof springs / sizeof *springs)
{
    const double length[] = {0.5, 0.4, 0.3}, *const k = springs[_i], q[] = {0.3, -0.7, 1.1};
    fixture f = fixture_of(arm(3, length, k), TD_INPUTS_FORCES);
    const td_forces forces = with_passive_forces();
    const double tip[] = {0.3, 0, 0};
    double origin[4][2] = {{0}}, angle = 0, K[9], compliance[36], stiffness[36];
    const double spring[] = {k[0], 0, 0, 0, k[1], 0, 0, 0, k[2]};
    for (int i = 0; i < 3; i++) {
        angle += q[i];
        origin[i + 1][0] = origin[i][0] + length[i] * cos(angle);
        origin[i + 1][1] = origin[i][1] + length[i] * sin(angle);
    }
    assert_ok(td_set_gravity(f.w, (double[]){0, 0, 0}));
    for (int which = 0; which < 8; which++) {
        unsigned char held[3];
        double expected[36] = {0};
        for (int i = 0; i < 3; i++) {
            const double x = origin[3][0] - origin[i][0], y = origin[3][1] - origin[i][1];
            const double column[6] = {0, 0, 1, -y, x, 0};
            held[i] = which >> i & 1;
            for (int r = 0; r < 36 && !held[i]; r++)
                expected[r] += column[r / 6] * column[r % 6] / k[i];
        }
        assert_ok(
            td_link_compliance(f.model, f.w, 3, tip, q, &forces, held, K, compliance, stiffness));
        td_assert_close(36, compliance, expected, 1e-13, td_largest(36, expected));
        td_assert_close(9, K, spring, 1e-13, td_largest(9, spring));
        ck_assert(isnan(stiffness[0]));
    }
    td_forces without = td_forces_default();
    ck_assert_int_eq(
        td_link_compliance(f.model, f.w, 3, tip, q, &without, NULL, K, compliance, stiffness),
        TD_ERROR_STIFFNESS);
    ck_assert(isnan(compliance[35]) && isnan(stiffness[0]) && K[0] == 0);
    ck_assert_int_eq(
        td_link_compliance(f.model, f.w, 9, tip, q, &without, NULL, K, compliance, NULL),
        TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_link_compliance(NULL, f.w, 3, tip, q, NULL, NULL, K, compliance, NULL),
                     TD_ERROR_ARGUMENT);
}

/* A body on six joints with springs has a stiffness, the inverse of the compliance. Along world
   axes at its origin it equals the springs. */
TD_LOOP_TEST(stiffness_of_a_body_on_springs, 1, 4)
{
    static const char *const link[] = {"l0", "l1", "l2", "l3", "l4", "l5", "l6"};
    static const char *const name[] = {"x", "y", "z", "rx", "ry", "rz"};
    const double size = 10 * pow(1e9, _i - 2);
    td_builder *builder = test_builder("body");
    add_link(builder, link[0], 0, 0, 0);
    for (int i = 0; i < 6; i++) {
        add_link(builder, link[i + 1], 1, 0, 0.1);
        td_joint joint = joint_of(name[i], i < 3 ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS,
                                  link[i], link[i + 1], 0, i % 3);
        joint.spring_stiffness = size * (i + 1);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    fixture f = fixture_of(finish(builder, NULL, 0), TD_INPUTS_FORCES);
    const td_forces forces = with_passive_forces();
    const double y[6] = {0.1, 0.2, 0.3, 0, 0, 0};
    double stiffness[36], expected[36] = {0};
    assert_ok(td_link_compliance(f.model, f.w, 6, NULL, y, &forces, NULL, NULL, NULL, stiffness));
    for (int i = 0; i < 6; i++)
        expected[7 * i] = size * (i < 3 ? i + 4 : i - 2);
    td_assert_close(36, stiffness, expected, 1e-13, 6 * size);
}

static const double EI = 6.13592315154256, rod_length = 0.3;

/* Computes the deflection of a planar arm of two rods, one upright and one horizontal, under 1 N
   along x at its tip: along x and y and about z, with rigid rods or rigid joints. */
static void yield(int segments, bool rods_held, double out[3])
{
    const double length = rod_length;
    td_builder *builder = test_builder("rods");
    static const char *const name[] = {"ground", "rod1", "rod2"};
    add_link(builder, name[0], 0, 0, 0);
    for (int i = 1; i < 3; i++) {
        add_link(builder, name[i], 0, 0, 0);
        td_joint joint = joint_of(i == 1 ? "j1" : "j2", TD_JOINT_CONTINUOUS, name[i - 1], name[i],
                                  i == 1 ? 0 : length, 2);
        joint.spring_stiffness = 1000;
        joint.spring_reference = i == 1 ? pi / 2 : -pi / 2;
        assert_ok(td_builder_add_joint(builder, &joint));
        td_flexible rod = td_flexible_default(name[i]);
        rod.length = length;
        rod.across[1] = 1;
        rod.bending_stiffness[0] = EI;
        rod.mass_per_length = 0.15;
        rod.segments = segments;
        assert_ok(td_builder_add_flexible(builder, &rod));
    }
    add_link(builder, "tip", 0, 0, 0);
    td_joint end = joint_of("end", TD_JOINT_FIXED, name[2], "tip", length, 2);
    assert_ok(td_builder_add_joint(builder, &end));
    fixture f = fixture_of(finish(builder, NULL, 0), TD_INPUTS_FORCES);
    const td_forces forces = with_passive_forces();
    double *y = doubles(f.n), compliance[36];
    unsigned char *held = test_malloc(f.n);
    for (size_t i = 0; i < td_joint_count(f.model); i++) {
        const td_joint_place place = td_joint_place_at(f.model, i);
        const bool elastic = td_joint_at(f.model, i)->flexible != NULL;
        if (place.nyd > 0) {
            held[place.yd] = elastic == rods_held;
            y[place.y] = elastic ? 0 : td_joint_at(f.model, i)->spring_reference;
        }
    }
    assert_ok(td_set_gravity(f.w, (double[]){0, 0, 0}));
    assert_ok(td_link_compliance(f.model, f.w, td_link_index(f.model, "tip"), NULL, y, &forces,
                                 held, NULL, compliance, NULL));
    out[0] = compliance[3 * 6 + 3], out[1] = compliance[4 * 6 + 3], out[2] = compliance[2 * 6 + 3];
}

/* Joints of 1000 N m/rad alone: (0.09, −0.09) mm and −3e-4 rad. Rods alone: the force bends the
   upright one by F l³/3EI = 1.46677 mm and F l²/2EI = 0.0073339 rad. This moves the horizontal one
   down by 2.20016 mm. Convergence is quadratic in the distance of the rods' hinges. */
TD_TEST(rods_and_joints_yield)
{
    const double joints[] = {0.09e-3, -0.09e-3, -3e-4};
    const double l = rod_length,
                 rods[] = {l * l * l / (3 * EI), -l * l * l / (2 * EI), -l * l / (2 * EI)};
    double found[3], coarse[3];
    yield(4, true, found);
    td_assert_close(3, found, joints, 1e-12, 0);
    yield(20, false, coarse);
    yield(40, false, found);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_le(fabs(found[i] - rods[i]), 1e-3 * fabs(rods[i]));
        found[i] += (found[i] - coarse[i]) / 3; /* extrapolates the second-order error away */
    }
    td_assert_close(3, found, rods, 2e-6, 0);
}

/* ---- traps --------------------------------------------------------------------------------------
 */

#if TANDEM_HAS_URDF
/* Enables floating-point traps for the bundled robots at their assembled configurations. Calls that
   succeed divide by no zero, and results equal those without traps. */
TD_LOOP_TEST(nothing_traps_on_robots, 0, td_robot_count())
{
    td_model *model = td_load_robot(td_robots[_i], NULL);
    const td_inputs inputs =
        td_actuation_status(model) == TD_OK ? TD_INPUTS_MOTORS : TD_INPUTS_FORCES;
    fixture f = fixture_of(model, inputs);
    const size_t n = 2 * f.n, m = td_linearization_inputs(f.l), link = td_link_count(model) - 1;
    double *y = doubles(2 * td_ny(model)), *rest = y + td_ny(model);
    double *of[2], *out[2];
    for (int k = 0; k < 2; k++) {
        of[k] = test_calloc(2 * n * (n + m) + 1, sizeof *y);
        out[k] = test_calloc(4 * n + 80, sizeof *y);
    }
    const td_forces forces = with_passive_forces();
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    td_status status[2][6];
    for (int trap = 0; trap < 2; trap++) {
        double *A = of[trap], *B = A + n * n, *Ad = B + n * m, *Bd = Ad + n * n, *x = out[trap];
        size_t reached = 0, most = 0;
        td_closure_start(model, f.w, NULL);
        memcpy(rest, y, td_ny(model) * sizeof *y);
        if (trap && status[0][0] == TD_OK)
            td_trap();
        status[trap][0] = td_linearize(f.l, f.w, y, NULL, NULL, &forces);
        td_trap_no_more();
        memcpy(A, td_linearization_A(f.l), n * n * sizeof *A);
        memcpy(B, td_linearization_B(f.l), n * m * sizeof *B);
        if (trap && status[0][0] == TD_OK)
            td_trap();
        status[trap][1] = td_linear_eigenvalues(n, A, x, x + n);
        status[trap][2] = td_linear_controllable(n, m, A, B, 0, &reached, &most, x + 2 * n);
        status[trap][3] = td_linear_discrete(n, m, A, B, 0.01, Ad, Bd);
        td_trap_no_more();
        x[3 * n] = (double)reached;
        x[3 * n + 1] = (double)most;
        if (trap && status[0][4] == TD_OK)
            td_trap();
        status[trap][4] = td_equilibrium(f.l, f.w, rest, NULL, &forces, NULL);
        td_trap_no_more();
        if (trap && status[0][5] == TD_OK)
            td_trap();
        status[trap][5] = td_link_compliance(model, f.w, link, NULL, y, &forces, NULL, NULL,
                                             x + 3 * n + 2, x + 3 * n + 38);
        td_trap_no_more();
    }
    ck_assert_mem_eq(status[0], status[1], sizeof status[0]);
    if (status[0][0] == TD_OK) {
        ck_assert_mem_eq(of[0], of[1], (2 * n * (n + m)) * sizeof *y);
        ck_assert_mem_eq(out[0], out[1], (3 * n + 2) * sizeof *y);
    }
}
#endif

/* ---- statuses -------------------------------------------------------------------------------- */

/* Stretched out, at 3 m, the slider has no A. */
TD_TEST(dead_point)
{
    fixture f = fixture_of(slider_crank(), TD_INPUTS_MOTORS);
    const double dead = 3, well = 1.9;
    ck_assert_uint_eq(f.n, 1);
    ck_assert_int_eq(td_linearize(f.l, f.w, &dead, NULL, NULL, NULL), TD_ERROR_CLOSURE_SINGULAR);
    ck_assert(isnan(td_linearization_A(f.l)[2]) && isnan(td_linearization_B(f.l)[1]));
    assert_ok(td_linearize(f.l, f.w, &well, NULL, NULL, NULL));
}

TD_TEST(arguments_are_checked)
{
    td_linearization *l = (td_linearization *)1;
    td_model *model = cart_and_pole(0);
    ck_assert_int_eq(test_linearization_new(NULL, TD_INPUTS_FORCES, &l), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(l);
    ck_assert_int_eq(test_linearization_new(model, (td_inputs)7, &l), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_linearization_new(model, TD_INPUTS_FORCES, NULL), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_linearization_states(NULL), 0);
    ck_assert_ptr_null(td_linearization_A(NULL));
    td_linearization_free(NULL);
    fixture f = fixture_of(model, TD_INPUTS_MOTORS);
    double y[] = {0, 0};
    const double wrong[] = {NAN, 0};
    ck_assert_int_eq(td_linearize(NULL, f.w, y, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linearize_held(NULL, f.w, y, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linearize(f.l, NULL, y, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linearize(f.l, f.w, NULL, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_linearize(f.l, f.w, wrong, NULL, NULL, NULL), TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(td_equilibrium(f.l, f.w, NULL, NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_equilibrium(f.l, f.w, y, wrong, NULL, NULL), TD_ERROR_NOT_FINITE);
}
