/* SPDX-License-Identifier: MIT */
/*
 * Robots whose joints follow others by curves.
 */
#include "curve_robots.h"

#include <math.h>

td_link curve_link(const char *name)
{
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 0.7;
    link.inertial.position[0] = 0.1, link.inertial.position[1] = 0.05;
    link.inertia[0] = 0.02, link.inertia[3] = 0.03, link.inertia[5] = 0.025;
    return link;
}

td_builder *curve_row(const char *types)
{
    static const char *const links[] = {"l0", "l1", "l2", "l3", "l4", "l5", "l6"};
    static const char *const joints[] = {"j1", "j2", "j3", "j4", "j5", "j6"};
    td_builder *builder = test_builder("row");
    td_link base = td_link_default("l0");
    assert_ok(td_builder_add_link(builder, &base));
    for (size_t i = 0; types[i]; i++) {
        const td_link link = curve_link(links[i + 1]);
        const td_joint_type type = types[i] == 'p'   ? TD_JOINT_PRISMATIC
                                   : types[i] == 'c' ? TD_JOINT_CONTINUOUS
                                   : types[i] == 'b' ? TD_JOINT_BALL
                                                     : TD_JOINT_REVOLUTE;
        td_joint joint = td_joint_default(joints[i], type, links[i], links[i + 1]);
        joint.axis[0] = i % 3 == 0, joint.axis[1] = i % 3 == 1, joint.axis[2] = i % 3 == 2;
        joint.origin.position[0] = 0.3;
        joint.limit.lower = -3, joint.limit.upper = 3;
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

void curve_follow(td_builder *builder, const char *joint, const td_curve *curve, size_t curves,
                  double offset)
{
    td_follower follower = td_follower_default(joint);
    follower.curve = curve;
    follower.curves = curves;
    follower.offset = offset;
    assert_ok(td_builder_add_follower(builder, &follower));
}

td_curve curve_polynomial(const char *leader, size_t n, const double *coefficient)
{
    td_curve curve = td_curve_default(TD_CURVE_POLYNOMIAL, leader);
    curve.coefficient = coefficient;
    curve.coefficients = n;
    return curve;
}

td_curve curve_sine(const char *leader, double amplitude, double frequency, double phase)
{
    td_curve curve = td_curve_default(TD_CURVE_SINE, leader);
    curve.amplitude = amplitude;
    curve.frequency = frequency;
    curve.phase = phase;
    return curve;
}

td_curve curve_table(const char *leader, size_t n, const double *at, const double *value)
{
    td_curve curve = td_curve_default(TD_CURVE_SPLINE, leader);
    curve.at = at;
    curve.value = value;
    curve.points = n;
    return curve;
}

void curve_agrees_in_chart(const td_model *model, td_workspace *w, td_workspace *in_chart,
                           const double *y, td_random *random)
{
    enum { ROOM = 64 };
    const size_t nv = td_nv(model), n = td_nyd(model), rows = td_constraint_count(model);
    double q[ROOM], u[ROOM], G[ROOM * ROOM], tau[ROOM], force[ROOM], qdd[2][ROOM], found[ROOM];
    double *K = doubles(rows * nv);
    bool changed;
    ck_assert_uint_le(nv, ROOM);
    assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
    assert_ok(td_chart_choose(model, in_chart, q, NULL, &changed));
    assert_ok(td_independent_coordinates(model, in_chart, q, u, NULL));
    assert_ok(td_closure_jacobian(model, in_chart, u, G));
    assert_ok(td_constraint_jacobian(model, w, q, K));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < nv; k++)
                sum += K[i * nv + k] * G[k * n + j];
            ck_assert_double_le(fabs(sum), 1e-10 * (1 + td_largest(nv * n, G)));
        }
    td_random_fill(random, nv, tau);
    for (int k = 0; k < 2; k++) {
        td_workspace *of = k ? in_chart : w;
        assert_ok(td_project_force(model, of, k ? u : y, tau, force));
        assert_ok(td_forward_dynamics(model, of, k ? u : y, NULL, force, NULL, found));
        assert_ok(td_closure(model, of, k ? u : y, NULL, found, NULL, NULL, qdd[k]));
    }
    td_assert_close(nv, qdd[0], qdd[1], 1e-8, 1 + td_largest(nv, qdd[0]));
}
