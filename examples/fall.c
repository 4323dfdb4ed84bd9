/* SPDX-License-Identifier: MIT */
/*
 * Simulates a robot that falls from its neutral position against its stops, under gravity, friction
 * and springs:
 *
 *   fall robot.urdf SECONDS
 *
 * Prints the time and the position of the first joint ten times per second, the events at stops,
 * and finally the drift of energy minus work.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tandem/simulation.h>
#include <tandem/tandem.h>

/* Prints the events at the end of the last step. */
static void print_events(const td_model *robot, const td_simulation *s)
{
    for (size_t i = 0; i < td_simulation_event_count(s); i++) {
        const td_simulation_event e = td_simulation_event_at(s, i);
        const char *name =
            e.loop == TD_NONE ? td_joint_at(robot, e.joint)->name : td_loop_at(robot, e.loop)->name;
        printf("%.6f %s: %s\n", e.t, name, td_event_text(e.kind));
    }
}

/* Integrates step by step, and prints rows at times within each step. */
static td_status fall(const td_model *robot, td_simulation *s, double end, double *y)
{
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = y;
    td_status status = td_simulation_start(s, 0, NULL, NULL, NULL);
    double start = NAN, balance = NAN;
    int row = 0;
    while (status == TD_OK) {
        while (row / 10.0 <= td_simulation_time(s) && status == TD_OK) {
            status = td_simulation_evaluate(s, row / 10.0, &sample);
            balance = sample.kinetic + sample.potential - sample.work;
            start = row == 0 ? balance : start;
            printf("%.1f %.6f\n", row++ / 10.0, y[0]);
        }
        if (status != TD_OK || td_simulation_time(s) >= end)
            break;
        status = td_simulation_step(s, end);
        print_events(robot, s);
    }
    printf("energy less work within %.0e J\n", fabs(balance - start));
    return status;
}

int main(int argc, char **argv)
{
    td_model *robot;
    td_status status = td_load_urdf(argc > 1 ? argv[1] : "-", NULL, NULL, &robot);
    if (status != TD_OK) {
        fprintf(stderr, "%s\n", td_status_text(status));
        return 1;
    }
    td_simulation_options options = td_simulation_options_default();
    options.stops = TD_STOPS_IMPACT;
    options.stiction = true;
    td_simulation *s;
    double *y = calloc(td_ny(robot) + 1, sizeof *y);
    status = td_simulation_new(robot, &options, &s);
    if (y != NULL && status == TD_OK)
        status = fall(robot, s, argc > 2 ? strtod(argv[2], NULL) : 1, y);
    if (status != TD_OK)
        fprintf(stderr, "%s\n", td_status_text(status));
    free(y);
    td_simulation_free(s);
    td_model_free(robot);
    return y != NULL && status == TD_OK ? 0 : 1;
}
