/* SPDX-License-Identifier: MIT */
/*
 * A program for platforms where the tests do not run. Builds a pendulum and computes its holding
 * torque directly, from its model file, and in a batch with two threads. It must link. If it can
 * run, it prints the torque and exits with 0.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tandem/tandem.h>

/* Builds a pendulum of 1 kg, half a meter from a joint about x. */
static td_model *pendulum(void)
{
    td_builder *builder;
    td_builder_new("pendulum", &builder);
    td_link base = td_link_default("base"), bob = td_link_default("bob");
    bob.has_inertial = true;
    bob.mass = 1;
    bob.inertial.position[2] = -0.5;
    for (int i = 0; i < 6; i++)
        bob.inertia[i] = i == 0 || i == 3 || i == 5 ? 0.01 : 0;
    td_joint joint = td_joint_default("joint", TD_JOINT_CONTINUOUS, "base", "bob");
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &bob);
    td_builder_add_joint(builder, &joint);
    td_model *model = NULL;
    td_builder_finish(builder, NULL, NULL, &model);
    td_builder_free(builder);
    return model;
}

static td_model *by_file(const td_model *model)
{
    size_t size = 0;
    if (td_model_write(model, NULL, 0, &size) != TD_OK)
        return NULL;
    char *text = malloc(size);
    td_model *copy = NULL;
    if (text && td_model_write(model, text, size, &size) == TD_OK)
        td_load_model_memory(text, size, "pendulum", NULL, NULL, &copy);
    free(text);
    return copy;
}

int main(void)
{
    enum { STATES = 9 };
    double y[STATES], tau[STATES], largest = 0;
    td_model *model = pendulum(), *copy = model ? by_file(model) : NULL;
    td_workspace_options options = td_workspace_options_default();
    options.threads = 2;
    td_workspace *workspace;
    td_workspace_new(copy, &options, &workspace);
    for (int i = 0; i < STATES; i++)
        y[i] = 0.1 * i;
    if (!workspace ||
        td_batch_inverse_dynamics(copy, workspace, STATES, y, NULL, NULL, NULL, tau, NULL) != TD_OK)
        return 1;
    for (int i = 0; i < STATES; i++) /* m g l sin y */
        largest = fmax(largest, fabs(tau[i] - 9.81 * 0.5 * sin(y[i])));
    printf("%s, %.17g, away %.2g\n", td_isa(copy), tau[STATES - 1], largest);
    td_workspace_free(workspace);
    td_model_free(copy);
    td_model_free(model);
    return largest < 1e-14 ? 0 : 1;
}
