/* SPDX-License-Identifier: MIT */
/*
 * A fixed amount of work for counting instructions: one function, called again and again on a chain of
 * a given length. Prints nothing; instructions.sh runs it under valgrind and takes differences.
 *
 *   instructions FUNCTION JOINTS CALLS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tandem/tandem.h"

/* links of 0.1 m and 0.5 kg, axes x, y, z in turn */
static td_model *chain(size_t joints)
{
    td_builder *builder = td_builder_new("chain");
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= joints; i++) {
        char parent[24], name[24], joint_name[24];
        snprintf(parent, sizeof parent, "l%zu", i - 1);
        snprintf(name, sizeof name, "l%zu", i);
        snprintf(joint_name, sizeof joint_name, "j%zu", i);
        td_link link = td_link_default(name);
        link.has_inertial = true;
        link.mass = 0.5;
        link.inertial.position[2] = 0.05;
        link.inertia[0] = link.inertia[3] = 1e-3;
        link.inertia[5] = 5e-4;
        td_joint joint = td_joint_default(joint_name, TD_JOINT_CONTINUOUS, parent, name);
        joint.axis[0] = i % 3 == 0, joint.axis[1] = i % 3 == 1, joint.axis[2] = i % 3 == 2;
        joint.origin.position[2] = 0.1;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    td_model *model = NULL;
    td_builder_finish(builder, NULL, NULL, &model);
    td_builder_free(builder);
    return model;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: instructions rnea|aba|crba|fk JOINTS CALLS\n");
        return 2;
    }
    const char *function = argv[1];
    td_model *model = chain((size_t)atol(argv[2]));
    td_workspace *workspace = td_workspace_new(model);
    if (!model || !workspace)
        return 2;
    size_t n = td_nv(model);
    double *q = calloc(n, sizeof *q), *qd = calloc(n, sizeof *qd), *x = calloc(n, sizeof *x);
    double *out = calloc(n * n + 12 * (n + 1), sizeof *out);
    for (size_t i = 0; i < n; i++)
        q[i] = 0.01 * (double)i, qd[i] = 0.02, x[i] = 0.03;
    for (long calls = atol(argv[3]); calls > 0; calls--) {
        if (strcmp(function, "rnea") == 0)
            td_inverse_dynamics(model, workspace, q, qd, x, NULL, out);
        else if (strcmp(function, "aba") == 0)
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
