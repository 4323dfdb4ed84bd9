/* SPDX-License-Identifier: MIT */
/*
 * A closed loop: turns the crank of a four-bar linkage and computes the other joints by q = γ(y).
 * If the loop cannot be closed, prints the status and the name of the loop.
 *
 *   loop four_bar.urdf [CRANK ANGLE]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem/tandem.h>

static int print_joints(const td_model *robot, td_workspace *workspace, const double *y, double *q)
{
    td_status status = td_closure(robot, workspace, y, NULL, NULL, q, NULL, NULL);
    if (status != TD_OK) {
        double residual;
        size_t loop = td_failed_loop(workspace, &residual);
        fprintf(stderr, "%s", td_status_text(status));
        if (loop != TD_NONE)
            fprintf(stderr, ": loop '%s' stays open by %.3g", td_loop_at(robot, loop)->name,
                    residual);
        fputc('\n', stderr);
        return 1;
    }
    for (size_t i = 0; i < td_movable_count(robot); i++) {
        const size_t joint = td_movable_joint(robot, i);
        const td_joint_place place = td_joint_place_at(robot, joint);
        printf("%s %.6f%s\n", td_joint_at(robot, joint)->name, q[place.q],
               place.dependent ? " follows" : "");
    }
    return 0;
}

int main(int argc, char **argv)
{
    td_model *robot;
    td_status status = td_load_urdf(argc > 1 ? argv[1] : "-", NULL, NULL, &robot);
    if (status != TD_OK) {
        fprintf(stderr, "%s\n", td_status_text(status));
        return 1;
    }
    int result = 1;
    td_workspace *workspace;
    td_workspace_new(robot, NULL, &workspace);
    double *y = calloc(td_ny(robot) + 1, sizeof *y), *q = calloc(td_nq(robot) + 1, sizeof *q);
    if (workspace != NULL && y != NULL && q != NULL) {
        /* start at the reference configuration: the loops may not close with all joints at zero */
        memcpy(y, td_reference(robot, TD_COORDINATES_INDEPENDENT), td_ny(robot) * sizeof *y);
        if (argc > 2)
            y[0] = strtod(argv[2], NULL);
        result = print_joints(robot, workspace, y, q);
    }
    free(q);
    free(y);
    td_workspace_free(workspace);
    td_model_free(robot);
    return result;
}
