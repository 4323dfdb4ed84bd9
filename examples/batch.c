/* SPDX-License-Identifier: MIT */
/*
 * Evaluates many states in one call: computes the joint torques at rest for random configurations,
 * on all processors, and prints the largest torque of each joint.
 *
 *   batch robot.urdf [STATES]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tandem/tandem.h>

/* Fills the rows of y with random positions, and computes the rows of tau. */
static td_status compute(const td_model *robot, td_workspace *workspace, size_t states, double *y,
                         double *tau)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < states; i++)
        td_random_configuration(robot, TD_COORDINATES_INDEPENDENT, &seed, y + i * td_ny(robot));
    /* fills the row of a failed state with NaN; all other rows are valid */
    return td_batch_inverse_dynamics(robot, workspace, states, y, NULL, NULL, NULL, tau, NULL);
}

static void print_largest(const td_model *robot, size_t states, const double *tau)
{
    const size_t n = td_nyd(robot);
    for (size_t i = 0; i < td_independent_count(robot); i++) {
        const size_t joint = td_independent_joint(robot, i);
        const td_joint_place place = td_joint_place_at(robot, joint);
        for (size_t k = 0; k < place.nyd; k++) {
            double largest = 0;
            for (size_t row = 0; row < states; row++)
                largest = fmax(largest, fabs(tau[row * n + place.yd + k]));
            printf("%s%s %.6g\n", td_joint_at(robot, joint)->name,
                   td_component_text(robot, joint, TD_QUANTITY_FORCE, (size_t)k), largest);
        }
    }
}

int main(int argc, char **argv)
{
    const size_t states = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    td_model *robot;
    td_status status = td_load_urdf(argc > 1 ? argv[1] : "-", NULL, NULL, &robot);
    if (status != TD_OK) {
        fprintf(stderr, "%s\n", td_status_text(status));
        return 1;
    }
    td_workspace_options options = td_workspace_options_default();
    options.threads = 0; /* one for each processor */
    td_workspace *workspace;
    status = td_workspace_new(robot, &options, &workspace);
    double *y = calloc(states * td_ny(robot) + 1, sizeof *y);
    double *tau = calloc(states * td_nyd(robot) + 1, sizeof *tau);
    if (status == TD_OK)
        status =
            y != NULL && tau != NULL ? compute(robot, workspace, states, y, tau) : TD_ERROR_MEMORY;
    if (status == TD_OK)
        print_largest(robot, states, tau);
    else
        fprintf(stderr, "%s\n", td_status_text(status));
    free(tau);
    free(y);
    td_workspace_free(workspace);
    td_model_free(robot);
    return status == TD_OK ? 0 : 1;
}
