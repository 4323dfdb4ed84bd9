/* SPDX-License-Identifier: MIT */
/*
 * Operational-space inertia in known cases. A free body has its spatial inertia. For an arm, the
 * inertia for some axes is the inverse of that part of the mobility. Stretched and planar arms drop
 * axes that depend on others. test/support/identities.c checks all robots.
 */
#include <math.h>
#include <string.h>

#include "td_test.h"

static void add_link(td_builder *builder, const char *name, double mass, const double com[3])
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    memcpy(link.inertial.position, com, sizeof link.inertial.position);
    const double inertia[6] = {0.1 * mass, 0.02 * mass, 0, 0.2 * mass, -0.01 * mass, 0.15 * mass};
    memcpy(link.inertia, inertia, sizeof inertia);
    assert_ok(td_builder_add_link(builder, &link));
}

static td_model *finish(td_builder *builder, td_base base)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    return model_of_builder(builder, &options);
}

TD_TEST(free_body)
{
    static const double com[3] = {0.3, -0.2, 0.5}, mass = 3;
    td_builder *builder = test_builder("body");
    add_link(builder, "body", mass, com);
    td_model *model = finish(builder, TD_BASE_FLOATING);
    td_workspace *w = test_workspace(model);
    td_random random = {4};
    double y[7], inertia[36], expected[36] = {0}, bar[36], J[36], one[36] = {0};
    td_draw_configuration(&random, model, false, 2, y);
    assert_ok(
        td_operational_inertia(model, w, 0, com, NULL, y, NULL, TD_FRAME_BODY, NULL, inertia, bar));
    const double *I = td_link_at(model, 0)->inertia;
    const int of[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 9; i++)
        expected[6 * (i / 3) + i % 3] = I[of[i]];
    for (int i = 3; i < 6; i++)
        expected[7 * i] = mass;
    td_assert_close(36, inertia, expected, 1e-13, mass);
    assert_ok(td_link_jacobian(model, w, 0, com, y, TD_FRAME_BODY, J));
    for (int i = 0; i < 36; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++)
            sum += J[6 * (i / 6) + k] * bar[6 * k + i % 6];
        one[i] = sum - (i % 7 == 0);
    }
    ck_assert_double_le(td_largest(36, one), 1e-13);
}

/* revolute joints about z, links of 1 m along x */
static td_model *planar_arm(int joints)
{
    static const double none[3] = {0}, com[3] = {0.5, 0.1, 0};
    static const char *const names[] = {"base", "one", "two", "three"}, *const joint[] = {"a", "b",
                                                                                          "c"};
    td_builder *builder = test_builder("planar");
    add_link(builder, names[0], 0, none);
    for (int i = 0; i < joints; i++) {
        td_joint hinge = td_joint_default(joint[i], TD_JOINT_CONTINUOUS, names[i], names[i + 1]);
        hinge.axis[0] = hinge.axis[1] = 0, hinge.axis[2] = 1;
        hinge.origin.position[0] = i > 0;
        add_link(builder, names[i + 1], 2, com);
        assert_ok(td_builder_add_joint(builder, &hinge));
    }
    return finish(builder, TD_BASE_FIXED);
}

static const double tip[3] = {1, 0, 0};

/* Checks which diagonal entries of Λ are nonzero, for one state and in a batch. */
static void check_rank(const td_model *model, size_t link, const unsigned char *axes,
                       const double *y, const char *expected)
{
    td_workspace *w = test_workspace(model);
    const size_t n = td_nyd(model);
    double inertia[36], batch[3 * 36], states[9];
    td_status each[3];
    for (size_t i = 0; i < 3 * n; i++)
        states[i] = y[i % n];
    assert_ok(td_operational_inertia(model, w, link, tip, axes, y, NULL, TD_FRAME_ALIGNED, NULL,
                                     inertia, NULL));
    assert_ok(td_batch_operational_inertia(model, w, 3, link, tip, axes, states, NULL,
                                           TD_FRAME_ALIGNED, NULL, batch, NULL, each));
    for (size_t i = 0; i < 6; i++)
        ck_assert_msg((inertia[7 * i] != 0) == (expected[i] == '1'), "axis %zu: %g, expected %s", i,
                      inertia[7 * i], expected);
    for (size_t i = 0; i < 3; i++)
        td_assert_close(36, batch + 36 * i, inertia, 1e-12, 0);
}

TD_TEST(dependent_axes)
{
    static const unsigned char moves[6] = {0, 0, 0, 1, 1, 1}, across[6] = {0, 0, 1, 0, 1, 0};
    static const double bent[] = {0.3, 0.7, -1.1}, stretched[] = {0, 0, 0};
    td_model *two = planar_arm(2), *three = planar_arm(3);
    check_rank(two, 2, NULL, bent, "001100"); /* ω_z, then the first translation */
    check_rank(two, 2, moves, bent, "000110");
    check_rank(two, 2, moves, stretched, "000010"); /* along y only */
    check_rank(two, 2, across, bent, "001010");
    check_rank(two, 1, NULL, bent, "001000"); /* one joint: everything depends on ω_z */
    check_rank(two, 0, NULL, bent, "000000"); /* the base does not move */
    check_rank(three, 3, NULL, bent, "001110");
    check_rank(three, 3, NULL, stretched, "001010");
}

/* Λ of two axes is the inverse of these rows and columns of J H⁻¹ Jᵀ. */
TD_TEST(selected_axes)
{
    static const unsigned char moves[6] = {0, 0, 0, 1, 1, 0};
    static const double y[] = {0.3, 0.7, -1.1};
    td_model *model = planar_arm(3);
    td_workspace *w = test_workspace(model);
    double A[36], inertia[36], expected[36] = {0};
    assert_ok(
        td_operational_inertia(model, w, 3, tip, moves, y, NULL, TD_FRAME_WORLD, A, inertia, NULL));
    const double determinant = A[21] * A[28] - A[22] * A[27];
    expected[21] = A[28] / determinant, expected[28] = A[21] / determinant;
    expected[22] = expected[27] = -A[22] / determinant;
    td_assert_close(36, inertia, expected, 1e-12, td_largest(36, expected));
}

TD_TEST(refusals)
{
    td_model *model = planar_arm(2);
    td_workspace *w = test_workspace(model);
    td_workspace_options options = td_workspace_options_default();
    options.matrices = false;
    td_workspace *small = test_workspace_with(model, &options);
    const double y[2] = {0.1, 0.2}, none[2] = {NAN, 0};
    double A[36], inertia[36];
    ck_assert_int_eq(
        td_operational_inertia(model, w, 3, NULL, NULL, y, NULL, TD_FRAME_BODY, A, inertia, NULL),
        TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "link");
    ck_assert_int_eq(td_operational_inertia(model, small, 2, NULL, NULL, y, NULL, TD_FRAME_BODY, A,
                                            inertia, NULL),
                     TD_ERROR_MATRICES);
    ck_assert_int_eq(td_operational_inertia(model, w, 2, NULL, NULL, none, NULL, TD_FRAME_BODY, A,
                                            inertia, NULL),
                     TD_ERROR_NOT_FINITE);
    ck_assert(isnan(A[0]) && isnan(inertia[35]));
}
