/* SPDX-License-Identifier: MIT */
/*
 * A control loop with computed torque: the robot follows a reference from its neutral configuration
 * to another one. Forward dynamics simulates the robot. The model and the workspace are created
 * before the loop. The loop itself allocates nothing, and every failure is reported by a status.
 *
 *   control_loop robot.urdf
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tandem/tandem.h>

/* Joints move by the amplitude (rad or m) in the first second and rest in the second one. */
static const double amplitude = 0.1, step = 1e-3, pi = 3.14159265358979323846;

/* Computes the reference from 0 to 1 in one second, with zero velocity and acceleration at both
   ends. */
static void reference(double t, double *s, double *sd, double *sdd)
{
    t = t < 1 ? t : 1;
    *s = t - sin(2 * pi * t) / (2 * pi);
    *sd = 1 - cos(2 * pi * t);
    *sdd = 2 * pi * sin(2 * pi * t);
}

/* Controls the robot for two seconds. error: largest position error of a joint at the end. */
static td_status control(const td_model *robot, td_workspace *workspace, double *memory,
                         double *error)
{
    const size_t n = td_nyd(robot), positions = td_ny(robot);
    double *y = memory, *yd = y + positions, *ydd = yd + n, *command = ydd + n, *tau = command + n;
    td_neutral(robot, TD_COORDINATES_INDEPENDENT, y);
    for (size_t i = 0; i < n; i++)
        yd[i] = 0;
    for (int tick = 0; tick < 2000; tick++) {
        double s, sd, sdd;
        reference(tick * step, &s, &sd, &sdd);
        for (size_t i = 0; i < n; i++) /* critically damped error: e'' + 40 e' + 400 e = 0 */
            command[i] =
                amplitude * sdd + 40 * (amplitude * sd - yd[i]) + 400 * (amplitude * s - y[i]);
        td_status status = td_inverse_dynamics(robot, workspace, y, yd, command, NULL, tau);
        if (status == TD_OK) /* the robot */
            status = td_forward_dynamics(robot, workspace, y, yd, tau, NULL, ydd);
        if (status != TD_OK)
            return status;
        for (size_t i = 0; i < n; i++)
            yd[i] += ydd[i] * step;
        td_integrate(robot, TD_COORDINATES_INDEPENDENT, y, yd, step, y);
    }
    *error = 0;
    for (size_t i = 0; i < n; i++)
        *error = fmax(*error, fabs(y[i] - amplitude));
    return TD_OK;
}

int main(int argc, char **argv)
{
    td_model *robot;
    td_status status = td_load_urdf(argc > 1 ? argv[1] : "-", NULL, NULL, &robot);
    if (status != TD_OK) {
        fprintf(stderr, "%s\n", td_status_text(status));
        return 1;
    }
    td_workspace *workspace;
    td_workspace_new(robot, NULL, &workspace);
    double *memory = calloc(td_ny(robot) + 4 * td_nyd(robot) + 1, sizeof *memory), error;
    status = TD_ERROR_MEMORY;
    if (td_ny(robot) != td_nyd(robot))
        fputs("this example is for robots without quaternions\n", stderr);
    else if (workspace != NULL && memory != NULL)
        status = control(robot, workspace, memory, &error);
    if (status == TD_OK)
        printf("largest error after 2 s: %.1e\n", error);
    else
        fprintf(stderr, "%s\n", td_status_text(status));
    free(memory);
    td_workspace_free(workspace);
    td_model_free(robot);
    return status == TD_OK ? 0 : 1;
}
