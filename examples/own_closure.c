/* SPDX-License-Identifier: MIT */
/*
 * A user-supplied closure function, for mechanisms that a file cannot describe: a cam turns by θ
 * and lifts its follower by r sin²(θ). The robot is built in C. The cam torque that holds the
 * follower against gravity is Gᵀ times the follower's weight.
 *
 *   own_closure [ANGLE]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tandem/tandem.h>

static const double lift = 0.02; /* r, m */

/* x = r sin²θ, G = r sin 2θ, dG/dt = 2 r cos 2θ · θ̇ */
static int follow_cam(const void *context, const double *y, const double *yd, double *x, double *G,
                      double *G_rate)
{
    (void)context;
    x[0] = lift * sin(y[0]) * sin(y[0]);
    G[0] = lift * sin(2 * y[0]);
    if (yd)
        G_rate[0] = 2 * lift * cos(2 * y[0]) * yd[0];
    return 0;
}

static td_status add_link(td_builder *builder, const char *name, double mass)
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 1e-4 * mass;
    return td_builder_add_link(builder, &link);
}

static td_status add_joint(td_builder *builder, const char *name, td_joint_type type,
                           const char *child, const double axis[3])
{
    td_joint joint = td_joint_default(name, type, "ground", child);
    for (int i = 0; i < 3; i++)
        joint.axis[i] = axis[i];
    return td_builder_add_joint(builder, &joint);
}

static td_status build(td_model **robot)
{
    static const double across[3] = {0, 1, 0}, up[3] = {0, 0, 1};
    static const char *const follower[] = {"follower"}, *const cam[] = {"cam"};
    td_builder *builder;
    td_builder_new("cam", &builder);
    td_status status = builder ? add_link(builder, "ground", 0) : TD_ERROR_MEMORY;
    if (status == TD_OK)
        status = add_link(builder, "disc", 0.5);
    if (status == TD_OK)
        status = add_link(builder, "rod", 0.2);
    if (status == TD_OK)
        status = add_joint(builder, "cam", TD_JOINT_CONTINUOUS, "disc", across);
    if (status == TD_OK)
        status = add_joint(builder, "follower", TD_JOINT_PRISMATIC, "rod", up);
    td_closure_function closure = {.size_of = sizeof closure,
                                   .name = "cam",
                                   .dependents = 1,
                                   .independents = 1,
                                   .dependent = follower,
                                   .independent = cam,
                                   .solve = follow_cam};
    td_load_options options = td_load_options_default();
    options.closures = &closure;
    options.closure_count = 1;
    if (status == TD_OK)
        status = td_builder_finish(builder, &options, NULL, robot);
    td_builder_free(builder);
    return status;
}

int main(int argc, char **argv)
{
    td_model *robot = NULL;
    td_status status = build(&robot);
    td_workspace *workspace = NULL;
    if (status == TD_OK)
        status = td_workspace_new(robot, NULL, &workspace);
    double angle = argc > 1 ? strtod(argv[1], NULL) : 0.5, tau = 0;
    if (status == TD_OK)
        status = td_inverse_dynamics(robot, workspace, &angle, NULL, NULL, NULL, &tau);
    if (status == TD_OK)
        printf("torque %.6f N m\n", tau);
    else
        fprintf(stderr, "%s\n", td_status_text(status));
    td_workspace_free(workspace);
    td_model_free(robot);
    return status == TD_OK ? 0 : 1;
}
