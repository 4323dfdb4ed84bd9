/* SPDX-License-Identifier: MIT */
/*
 * Digits of forward dynamics against the same kernels in quadruple precision, where inertias of
 * very different size meet: links of some grams at the end of a long arm, on joints that turn them
 * about themselves or swing them far out. For one state, which goes by the bodies' axes then, as
 * for one of a batch.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "td_test.h"
#include "workspace.h"

extern const td_kernels td_kernels_quad;

enum { ARM = 20, FINE = 3, JOINTS = ARM + FINE, STATES = 5 };

/* The last links of an arm: their masses are a few grams and their moments some 1e-9 kg m²; centres
   of mass lie along the joint's axis or anywhere, that far out. */
typedef struct fine_links {
    const char *name;
    double length, reach; /* m: between their joints, from joint to centre of mass */
    bool oblique, along;
    double tolerance; /* of one state: relative to the largest acceleration */
} fine_links;

static const fine_links fine[] = {
    {"rods that spin", 0.3, 0.1, false, true, 1e-14},
    {"rods that spin, far out", 2, 2, false, true, 1e-14},
    {"rods that spin, oblique", 0.02, 0.3, true, true, 1e-13},
    {"pendulums", 2, 2, false, false, 2e-12},
    {"pendulums, oblique", 0.3, 0.3, true, false, 2e-12},
    {"links near their axes", 2, 0.02, true, false, 5e-12},
};

/* between a and b, of any size */
static double between(td_random *random, double a, double b)
{
    return a * pow(b / a, 0.5 + 0.5 * td_random_number(random));
}

static void unit(td_random *random, double x[3])
{
    double length;
    do {
        td_random_fill(random, 3, x);
        length = hypot(hypot(x[0], x[1]), x[2]);
    } while (length < 0.1);
    for (int k = 0; k < 3; k++)
        x[k] /= length;
}

static td_model *arm_with(const fine_links *f, td_random *random)
{
    td_builder *builder = td_builder_new(f->name);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= JOINTS; i++) {
        const bool is_fine = i > ARM;
        char name[16], parent[16], child[16];
        double way[3], center[3];
        snprintf(name, sizeof name, "j%zu", i);
        snprintf(parent, sizeof parent, "l%zu", i - 1);
        snprintf(child, sizeof child, "l%zu", i);
        td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
        td_link link = td_link_default(child);
        unit(random, way), unit(random, center);
        joint.axis[0] = i % 3 == 0, joint.axis[1] = i % 3 == 1, joint.axis[2] = i % 3 == 2;
        if (f->oblique)
            unit(random, joint.axis);
        link.has_inertial = true;
        link.mass = is_fine ? between(random, 1e-3, 5e-3) : 1;
        for (int k = 0; k < 3; k++) {
            joint.origin.position[k] = i > 1 ? (i > ARM + 1 ? f->length : 0.3) * way[k] : 0;
            link.inertial.position[k] =
                is_fine ? f->reach * (f->along ? joint.axis[k] : center[k]) : 0.12 * center[k];
            link.inertia[k == 0   ? 0
                         : k == 1 ? 3
                                  : 5] = is_fine ? between(random, 1e-9, 1.5e-9) : 0.0075;
        }
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    td_model *model;
    ck_assert_int_eq(td_builder_finish(builder, NULL, NULL, &model), TD_OK);
    td_builder_free(builder);
    return model;
}

START_TEST(fine_links_far_out)
{
    const fine_links *f = &fine[_i];
    td_random random = {(uint64_t)(40 + _i)};
    for (int robot = 0; robot < 12; robot++) {
        td_model *model = arm_with(f, &random), quad = *model;
        quad.batch = &td_kernels_quad;
        td_workspace *w = td_workspace_new(model), *v = td_workspace_new(&quad);
        double q[STATES * JOINTS], qd[STATES * JOINTS], tau[STATES * JOINTS];
        double one[STATES * JOINTS], many[STATES * JOINTS], exact[STATES * JOINTS];
        td_random_fill(&random, STATES * JOINTS, q);
        td_random_fill(&random, STATES * JOINTS, qd);
        td_random_fill(&random, STATES * JOINTS, tau);
        for (int i = 0; i < STATES * JOINTS; i++)
            q[i] *= 3, tau[i] *= 10;
        ck_assert_int_eq(td_batch_forward_dynamics(&quad, v, STATES, q, qd, tau, NULL, exact, NULL),
                         TD_OK);
        ck_assert_int_eq(td_batch_forward_dynamics(model, w, STATES, q, qd, tau, NULL, many, NULL),
                         TD_OK);
        for (size_t n = 0; n < STATES; n++) {
            const size_t at = n * JOINTS;
            ck_assert_int_eq(
                td_forward_dynamics(model, w, q + at, qd + at, tau + at, NULL, one + at), TD_OK);
            const double largest = td_largest(JOINTS, exact + at);
            ck_assert_double_ge(largest, 100);
            double error = td_largest_difference(JOINTS, one + at, exact + at) / largest;
            ck_assert_msg(error < f->tolerance, "%s, one state: %.3g", f->name, error);
            error = td_largest_difference(JOINTS, many + at, exact + at) / largest;
            ck_assert_msg(error < fmin(1e-13, f->tolerance), "%s, batch: %.3g", f->name, error);
        }
        td_workspace_free(w), td_workspace_free(v);
        td_model_free(model);
    }
}
END_TEST

/* Hybrid dynamics of one state goes the same way: with no acceleration given it is forward
   dynamics, to the last bit. */
START_TEST(fine_links_in_hybrid_dynamics)
{
    td_random random = {7};
    td_model *model = arm_with(&fine[1], &random);
    td_workspace *w = td_workspace_new(model);
    double q[JOINTS], qd[JOINTS], tau[JOINTS], qdd[JOINTS], hybrid[JOINTS] = {0};
    unsigned char given[JOINTS] = {0};
    td_random_fill(&random, JOINTS, q);
    td_random_fill(&random, JOINTS, qd);
    td_random_fill(&random, JOINTS, tau);
    ck_assert_int_eq(td_forward_dynamics(model, w, q, qd, tau, NULL, qdd), TD_OK);
    ck_assert_int_eq(td_hybrid_dynamics(model, w, q, qd, given, NULL, hybrid, tau), TD_OK);
    ck_assert_mem_eq(hybrid, qdd, sizeof qdd);
    td_workspace_free(w);
    td_model_free(model);
}
END_TEST

#if TANDEM_HAS_URDF
/* Usual robots go by the world's axes, which take half the time. */
START_TEST(usual_robots)
{
    static const char *const robots[] = {
        "arm7.urdf",          "humanoid.urdf",         "hand_a.urdf",   "gripper.urdf",
        "linear_leg.urdf",    "larm_leg.urdf",         "five_bar.urdf", "pasibot_leg.urdf",
        "parallelogram.urdf", "recupera_shoulder.urdf"};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++)
        for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
            td_load_options options = td_load_options_default();
            options.base = (td_base)base;
            td_model *model = td_load_robot(robots[i], &options);
            ck_assert_msg(!model->tree.fine, "%s", robots[i]);
            td_model_free(model);
        }
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("digits");
    TCase *tcase = tcase_create("digits");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, fine_links_far_out, 0, (int)(sizeof fine / sizeof *fine));
    tcase_add_test(tcase, fine_links_in_hybrid_dynamics);
#if TANDEM_HAS_URDF
    tcase_add_test(tcase, usual_robots);
#endif
    suite_add_tcase(suite, tcase);
    return td_test_run(suite);
}
