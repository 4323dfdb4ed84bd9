/* SPDX-License-Identifier: MIT */
/*
 * A fixed amount of work for counting instructions: one function, called again and again on a chain
 * of a given length. Prints nothing; instructions.sh runs it under valgrind and takes differences.
 *
 *   instructions FUNCTION JOINTS CALLS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tandem/tandem.h"

/* a link of 0.5 kg below a joint; leader NULL for an independent one */
static void add(td_builder *builder, size_t i, size_t parent, int axis, const char *leader,
                double multiplier)
{
    char parent_name[24], name[24], joint_name[24];
    snprintf(parent_name, sizeof parent_name, "l%zu", parent);
    snprintf(name, sizeof name, "l%zu", i);
    snprintf(joint_name, sizeof joint_name, "j%zu", i);
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 0.5;
    link.inertial.position[2] = 0.05;
    link.inertia[0] = link.inertia[3] = 1e-3;
    link.inertia[5] = 5e-4;
    td_joint joint = td_joint_default(joint_name, TD_JOINT_CONTINUOUS, parent_name, name);
    joint.axis[0] = axis == 0, joint.axis[1] = axis == 1, joint.axis[2] = axis == 2;
    joint.origin.position[2] = 0.1;
    joint.mimic = leader;
    joint.multiplier = multiplier;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
}

static td_model *finish(td_builder *builder, td_plan plan)
{
    td_load_options options = td_load_options_default();
    options.plan = plan;
    td_model *model = NULL;
    td_builder_finish(builder, &options, NULL, &model);
    td_builder_free(builder);
    return model;
}

/* axes x, y, z in turn */
static td_model *chain(size_t joints)
{
    td_builder *builder = td_builder_new("chain");
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= joints; i++)
        add(builder, i, i - 1, (int)((i + 2) % 3), NULL, 1);
    return finish(builder, TD_PLAN_AUTO);
}

/* parallelograms, each standing on the coupler of the one before: crank, coupler, rocker */
static td_model *parallelograms(size_t modules, td_plan plan)
{
    td_builder *builder = td_builder_new("parallelograms");
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t m = 0; m < modules; m++) {
        char leader[24];
        size_t ground = m ? 3 * m - 1 : 0, crank = 3 * m + 1;
        snprintf(leader, sizeof leader, "j%zu", crank);
        int axis = (int)(m % 3);
        add(builder, crank, ground, axis, NULL, 1);
        add(builder, crank + 1, crank, axis, leader, -1);
        add(builder, crank + 2, ground, axis, leader, 1);
    }
    return finish(builder, plan);
}

/* an arm of seven joints with that many fingers of three, the outer two of which follow the first
 */
static td_model *hand_on_arm(size_t fingers, td_plan plan)
{
    td_builder *builder = td_builder_new("hand on arm");
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= 7; i++)
        add(builder, i, i - 1, (int)(i % 3), NULL, 1);
    for (size_t f = 0; f < fingers; f++) {
        char leader[24];
        size_t first = 8 + 3 * f;
        snprintf(leader, sizeof leader, "j%zu", first);
        add(builder, first, 7, 0, NULL, 1);
        add(builder, first + 1, first, 0, leader, 0.9);
        add(builder, first + 2, first + 1, 0, leader, 0.7);
    }
    return finish(builder, plan);
}

static td_model *model_for(const char *function, size_t size)
{
    if (strcmp(function, "cluster") == 0)
        return parallelograms(size, TD_PLAN_CLUSTER);
    if (strcmp(function, "reduced") == 0)
        return parallelograms(size, TD_PLAN_REDUCED);
    if (strcmp(function, "hand-cluster") == 0)
        return hand_on_arm(size, TD_PLAN_CLUSTER);
    if (strcmp(function, "hand-reduced") == 0)
        return hand_on_arm(size, TD_PLAN_REDUCED);
    return chain(size);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: instructions rnea|aba|crba|fk JOINTS CALLS\n"
                        "       instructions cluster|reduced PARALLELOGRAMS CALLS\n"
                        "       instructions hand-cluster|hand-reduced FINGERS CALLS\n");
        return 2;
    }
    const char *function = argv[1];
    td_model *model = model_for(function, (size_t)atol(argv[2]));
    td_workspace *workspace = td_workspace_new(model);
    if (!model || !workspace)
        return 2;
    size_t n = td_nyd(model), links = td_link_count(model);
    double *q = calloc(n, sizeof *q), *qd = calloc(n, sizeof *qd), *x = calloc(n, sizeof *x);
    double *out = calloc(n * n + 12 * links, sizeof *out);
    for (size_t i = 0; i < n; i++)
        q[i] = 0.01 * (double)i, qd[i] = 0.02, x[i] = 0.03;
    for (long calls = atol(argv[3]); calls > 0; calls--) {
        if (strcmp(function, "rnea") == 0)
            td_inverse_dynamics(model, workspace, q, qd, x, NULL, out);
        else if (strcmp(function, "fk") != 0) /* aba, and the plans */
            td_forward_dynamics(model, workspace, q, qd, x, NULL, out);
        else if (strcmp(function, "crba") == 0)
            td_mass_matrix(model, workspace, q, NULL, out);
        else
            td_link_poses(model, workspace, q, out);
    }
    free(q), free(qd), free(x), free(out);
    td_workspace_free(workspace);
    td_model_free(model);
    return 0;
}
