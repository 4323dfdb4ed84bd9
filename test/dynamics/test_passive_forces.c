/* SPDX-License-Identifier: MIT */
/*
 * Passive forces in closed form, on a robot with a leader and a follower. Their axes are vertical
 * and pass through the centers of mass, so nothing else acts. Covers damping, friction and its
 * smoothing, springs (equation 31 of the articulated-body paper), and rotors behind gears. The
 * follower's forces reach the leader with factors α² and |α|. On any robot, forward dynamics with
 * passive forces must invert inverse dynamics.
 */
#include <math.h>
#include <string.h>

#include "algebra.h"
#include "functions.h"

/* moments of inertia about the axes; offset of the follower */
static const double inertia[2] = {0.7, 0.3}, offset = 0.25;

typedef struct passive {
    double damping, friction, stiffness, reference, reduction, rotor;
} passive;

static td_joint joint_of(const char *name, const char *child, const passive *p)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, "base", child);
    joint.axis[0] = 0, joint.axis[2] = 1;
    joint.damping = p->damping;
    joint.friction = p->friction;
    joint.spring_stiffness = p->stiffness;
    joint.spring_reference = p->reference;
    return joint;
}

/* q1 = alpha q0 + offset */
static td_model *pair(const passive p[2], double alpha)
{
    static const char *const joints[] = {"leader", "follower"}, *const links[] = {"l0", "l1"};
    td_builder *builder = test_builder("pair");
    td_link base = td_link_default("base");
    td_builder_add_link(builder, &base);
    for (int i = 0; i < 2; i++) {
        td_link link = td_solid_link(links[i], 1, inertia[i]);
        td_joint joint = joint_of(joints[i], links[i], &p[i]);
        joint.mimic = i ? "leader" : NULL;
        joint.multiplier = alpha;
        joint.offset = offset;
        td_transmission t = td_transmission_default(joints[i], joints[i]);
        t.actuator = "motor";
        t.mechanical_reduction = p[i].reduction;
        t.rotor_inertia = p[i].rotor;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
        assert_ok(td_builder_add_transmission(builder, &t));
    }
    td_model *model = model_of_builder(builder, NULL);
    ck_assert(td_nyd(model) == 1 && td_nv(model) == 2);
    return model;
}

static double smoothed(double rate, double v0)
{
    return rate / sqrt(rate * rate + v0 * v0);
}

/* all passive forces of both joints at once, against explicit sums */
TD_LOOP_TEST(leader_and_follower, 0, 5)
{
    static const double alphas[] = {1, -1, 2.5, -0.4, 1e-3};
    td_random random = {(uint64_t)_i};
    double alpha = alphas[_i];
    for (int k = 0; k < 50; k++) {
        passive p[2];
        for (int i = 0; i < 2; i++) {
            double x[6];
            td_random_fill(&random, 6, x);
            p[i] = (passive){1 + x[0], 1 + x[1], 4 + 3 * x[2], x[3], 50 * x[4], 1e-3 + 1e-3 * x[5]};
            if (k == 0) /* ones, so that nothing is zero */
                p[i].damping = p[i].friction = p[i].stiffness = p[i].rotor = 1;
        }
        td_model *model = pair(p, alpha);
        td_workspace *w = test_workspace(model);
        td_forces forces = td_forces_default();
        forces.passive = true;
        forces.friction_velocity = k % 2 ? 1e-3 : 0.8;
        double v0 = forces.friction_velocity;
        double y = 3 * td_random_number(&random), yd = td_random_number(&random);
        double ydd = td_random_number(&random), follower = alpha * y + offset;

        double H = inertia[0] + p[0].reduction * p[0].reduction * p[0].rotor +
                   alpha * alpha * (inertia[1] + p[1].reduction * p[1].reduction * p[1].rotor);
        double damping = (p[0].damping + alpha * alpha * p[1].damping) * yd;
        double friction = p[0].friction * smoothed(yd, v0) +
                          fabs(alpha) * p[1].friction * smoothed(yd, v0 / fabs(alpha));
        double spring = p[0].stiffness * (y - p[0].reference) +
                        alpha * p[1].stiffness * (follower - p[1].reference);
        double C = damping + friction + spring, got, size = fabs(damping) + friction + fabs(spring);
        assert_ok(td_mass_matrix(model, w, &y, &forces, &got));
        td_assert_close(1, &got, &H, 4e-15, 0);
        assert_ok(td_bias_force(model, w, &y, &yd, &forces, &got));
        td_assert_close(1, &got, &C, 4e-15, size);
        double tau = H * ydd + C;
        assert_ok(td_inverse_dynamics(model, w, &y, &yd, &ydd, &forces, &got));
        td_assert_close(1, &got, &tau, 4e-15, size + H);
        assert_ok(td_forward_dynamics(model, w, &y, &yd, &tau, &forces, &got));
        td_assert_close(1, &got, &ydd, 4e-15, 1 + size / H);

        /* no passive forces if they are not requested */
        double bare = inertia[0] + alpha * alpha * inertia[1];
        forces.passive = false;
        assert_ok(td_mass_matrix(model, w, &y, &forces, &got));
        td_assert_close(1, &got, &bare, 4e-15, 0);
        assert_ok(td_bias_force(model, w, &y, &yd, NULL, &got));
        ck_assert_double_le(fabs(got), 1e-15);
    }
}

/* Equation 31 in the tree: the spring pulls back with k (q − q₀), and inverse dynamics provides
   that force. */
TD_TEST(springs)
{
    const passive p[2] = {{0, 0, 5, 0.5, 1, 0}, {0, 0, 2, -1, 1, 0}};
    td_model *model = pair(p, 2);
    td_workspace *w = test_workspace(model);
    td_forces forces = td_forces_default();
    forces.passive = true;
    const double q[2] = {0.75, 1};
    double tau[2], qdd[2];
    assert_ok(TD_IN_TREE(w, td_inverse_dynamics(model, w, q, NULL, NULL, &forces, tau)));
    ck_assert_double_eq(tau[0], 5 * 0.25);
    ck_assert_double_eq(tau[1], 2 * 2);
    assert_ok(TD_IN_TREE(w, td_forward_dynamics(model, w, q, NULL, NULL, &forces, qdd)));
    ck_assert_double_eq_tol(qdd[0], -5 * 0.25 / inertia[0], 1e-14);
    ck_assert_double_eq_tol(qdd[1], -2 * 2 / inertia[1], 1e-14);
}

/* friction: odd, f/√2 at v₀, f far above it, slope f / v₀ at rest */
TD_TEST(friction_is_smoothed)
{
    const passive p[2] = {{0, 3, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0}};
    td_model *model = pair(p, 1);
    td_workspace *w = test_workspace(model);
    td_forces forces = td_forces_default();
    forces.passive = true;
    const double v0 = forces.friction_velocity;
    ck_assert_double_eq(v0, 1e-3);
    const struct {
        double rate, expected;
    } cases[] = {{0, 0},   {v0, 3 / sqrt(2)}, {-v0, -3 / sqrt(2)},
                 {1e3, 3}, {-1e3, -3},        {1e-12, 3e-12 / v0}};
    const double q[2] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double qd[2] = {cases[i].rate, 0}, tau[2];
        TD_IN_TREE(w, td_bias_force(model, w, q, qd, &forces, tau));
        /* first neglected terms: ½ (v₀ / q̇)² = 5e-13, and ½ (q̇ / v₀)² */
        ck_assert_double_le(fabs(tau[0] - cases[i].expected), 1e-12 * fabs(cases[i].expected));
        ck_assert_double_eq(tau[1], 0);
    }
}

/* invalid numbers of transmissions are replaced by defaults, with a warning */
TD_TEST(rotors_without_sense)
{
    static const struct {
        double reduction, rotor;
        size_t warnings;
    } cases[] = {{3, 0.5, 0}, {0, 0.5, 1}, {NAN, 0.5, 1}, {-3, -0.5, 1}, {INFINITY, NAN, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        td_builder *builder = test_builder("rotor");
        td_link links[2] = {td_link_default("base"), td_link_default("arm")};
        links[1].has_inertial = true;
        links[1].mass = 1;
        links[1].inertia[0] = links[1].inertia[3] = links[1].inertia[5] = 1;
        td_joint joint = td_joint_default("turn", TD_JOINT_CONTINUOUS, "base", "arm");
        td_transmission drive = td_transmission_default("drive", "turn");
        drive.mechanical_reduction = cases[k].reduction;
        drive.rotor_inertia = cases[k].rotor;
        assert_ok(td_builder_add_link(builder, &links[0]));
        assert_ok(td_builder_add_link(builder, &links[1]));
        assert_ok(td_builder_add_joint(builder, &joint));
        assert_ok(td_builder_add_transmission(builder, &drive));
        td_model *model;
        td_diagnostics *said = test_diagnostics(0);
        assert_ok(test_builder_finish(builder, NULL, said, &model));
        size_t warnings = 0;
        for (size_t i = 0; i < td_diagnostics_size(said); i++)
            warnings += strcmp(td_diagnostics_at(said, i)->code, "URDF-T002") == 0;
        ck_assert_uint_eq(warnings, cases[k].warnings);
        const double n = cases[k].reduction, J = cases[k].rotor, y = 0;
        const double rotor = k == 0 ? n * n * J : isfinite(J) && J > 0 ? J : 0;
        td_workspace *w = test_workspace(model);
        td_forces forces = td_forces_default();
        forces.passive = true;
        double H;
        assert_ok(td_mass_matrix(model, w, &y, &forces, &H));
        ck_assert_double_eq_tol(H, 1 + rotor, 1e-15 * (1 + rotor));
    }
}

/* rotors add only to the diagonal of H, with the square of the reduction, and several transmissions
   of a joint add up */
TD_TEST(rotors)
{
    td_random random = {5};
    td_builder *builder = regular_robot(&random, 9, 0, false, TD_BASE_FLOATING);
    td_transmission second = td_transmission_default("second", "scalar0");
    second.actuator = "other motor";
    second.mechanical_reduction = -7;
    second.rotor_inertia = 0.02;
    assert_ok(td_builder_add_transmission(builder, &second));
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    states *s = states_new(&random, model, true, 1);
    size_t n = td_nv(model);
    double *bare = doubles(n * n), *H = doubles(n * n);
    double *rotor = doubles(n), sum = 0;
    for (size_t k = 0; k < td_transmission_count(model); k++) {
        const td_transmission *t = td_transmission_at(model, k);
        td_joint_place place = td_joint_place_at(model, td_joint_index(model, t->joint));
        sum += rotor[place.qd] += pow(t->mechanical_reduction * t->ratio, 2) * t->rotor_inertia;
    }
    ck_assert_double_ge(sum, 49 * 0.02);
    s->forces.passive = true;
    TD_IN_TREE(s->a.w, td_mass_matrix(model, s->a.w, s->y, NULL, bare));
    TD_IN_TREE(s->a.w, td_mass_matrix(model, s->a.w, s->y, &s->forces, H));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i == j)
                ck_assert_double_eq_tol(H[i * n + i], bare[i * n + i] + rotor[i],
                                        1e-15 * H[i * n + i]);
            else
                ck_assert_double_eq(H[i * n + j], bare[i * n + j]);
}

/* FD ∘ ID and hybrid ∘ ID with passive forces, on robots with all joints. Given values are returned
   unchanged, to the last bit, and computed values do not depend on their initial contents. */
TD_LOOP_TEST(forward_undoes_inverse, 0, 4)
{
    td_random random = {(uint64_t)(300 + _i)};
    for (int k = 0; k < 10; k++) {
        td_base base = k % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
        td_builder *builder = regular_robot(&random, 2 + (size_t)k, k % 3 ? 3 : 0, false, base);
        td_model *model = robot_for(builder, base, NULL);
        for (int tree = 0; tree < 2; tree++) {
            states *s = states_new(&random, model, tree, 1);
            arguments *a = &s->a;
            size_t n = tree ? td_nv(model) : td_nyd(model);
            double *tau = doubles(n), *ydd = doubles(n);
            double *H = doubles(n * n), *M = doubles(n * n);
            s->forces.passive = true;
            TD_IN(a->w, coordinates_for(tree),
                  td_inverse_dynamics(model, a->w, a->y, a->yd, a->ydd, a->forces, tau));
            td_status status =
                TD_IN(a->w, coordinates_for(tree),
                      td_forward_dynamics(model, a->w, a->y, a->yd, tau, a->forces, ydd));
            assert_ok(status);
            TD_IN(a->w, coordinates_for(tree), td_mass_matrix(model, a->w, a->y, a->forces, H));
            TD_IN(a->w, coordinates_for(tree),
                  td_mass_matrix_inverse(model, a->w, a->y, a->forces, M));
            double scale = mat_norm(n, M) * (td_largest(n, tau) + mat_norm(n, H));
            td_assert_close(n, ydd, a->ydd, 1e-14, scale);

            double *x = doubles(n), *z = doubles(n);
            for (size_t i = 0; i < n; i++) {
                x[i] = s->given[i] ? s->ydd[i] : NAN;
                z[i] = s->given[i] ? NAN : tau[i];
            }
            status = TD_IN(a->w, coordinates_for(tree),
                           td_hybrid_dynamics(model, a->w, a->y, a->yd, s->given, a->forces, x, z));
            assert_ok(status);
            for (size_t i = 0; i < n; i++)
                ck_assert_double_eq(s->given[i] ? x[i] : z[i], s->given[i] ? s->ydd[i] : tau[i]);
            td_assert_close(n, x, a->ydd, 1e-14, scale);
            td_assert_close(n, z, tau, 1e-14, scale * mat_norm(n, H));
        }
    }
}
