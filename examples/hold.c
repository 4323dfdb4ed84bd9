/* SPDX-License-Identifier: MIT */
/*
 * Computes the torques that hold a robot against gravity, with the named joints at the given
 * positions:
 *
 *   hold robot.urdf [JOINT POSITION]...
 *
 * Prints one line per independent joint, and the errors and warnings of the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tandem/tandem.h>

int main(int argc, char **argv)
{
    td_diagnostics *diagnostics;
    td_diagnostics_new(0, &diagnostics);
    td_model *robot;
    td_status status = td_load_urdf(argc > 1 ? argv[1] : "-", NULL, diagnostics, &robot);
    for (size_t i = 0; i < td_diagnostics_size(diagnostics); i++) {
        const td_diagnostic *d = td_diagnostics_at(diagnostics, i);
        fprintf(stderr, "line %d: %s: %s\n", d->source.line, td_severity_text(d->severity),
                d->message);
    }
    td_diagnostics_free(diagnostics);
    if (status != TD_OK) {
        fprintf(stderr, "%s\n", td_status_text(status));
        return 1;
    }

    td_workspace *workspace;
    td_workspace_new(robot, NULL, &workspace);
    double *y = calloc(td_ny(robot) + 1, sizeof *y);
    double *tau = calloc(td_nyd(robot) + 1, sizeof *tau);
    status = TD_ERROR_MEMORY;
    if (workspace != NULL && y != NULL && tau != NULL) {
        td_neutral(robot, TD_COORDINATES_INDEPENDENT, y);
        status = TD_OK;
        for (int i = 2; i + 1 < argc && status == TD_OK; i += 2) {
            size_t at;
            status = td_coordinate_of(robot, TD_COORDINATES_INDEPENDENT, argv[i], &at, NULL);
            if (status == TD_OK)
                y[at] = strtod(argv[i + 1], NULL);
        }
        if (status == TD_OK)
            status = td_inverse_dynamics(robot, workspace, y, NULL, NULL, NULL, tau);
        if (status != TD_OK)
            fprintf(stderr, "%s\n", td_status_text(status));
        for (size_t i = 0; i < td_independent_count(robot) && status == TD_OK; i++) {
            size_t joint = td_independent_joint(robot, i);
            printf("%s %.6g\n", td_joint_at(robot, joint)->name,
                   tau[td_joint_place_at(robot, joint).yd]);
        }
    }
    free(tau);
    free(y);
    td_workspace_free(workspace);
    td_model_free(robot);
    return status == TD_OK ? 0 : 1;
}
