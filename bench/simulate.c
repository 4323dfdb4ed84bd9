/* SPDX-License-Identifier: MIT */
/*
 * How much faster than real time a simulation with a fixed step is: a humanoid with a fixed base
 * under PD control of all independent joints, by the classical Runge-Kutta method with steps of
 * 1 ms, on one core.
 *
 *   simulate [--core N] [FILE]
 *
 * Each joint is pulled to where it begins with stiffness ω² H_ii and damping 2 ω H_ii (ω = 20/s, H
 * the mass matrix at the start) after a push of 0.5 rad/s. Three runs: rigid bodies alone; with the
 * file's damping and friction, smoothed over 0.1 rad/s, since over less the fingers are stiffer
 * than an explicit method with this step can follow; and with that by semi-implicit Euler. The best
 * and the median of many seconds of motion; the balance of energy tells whether it is one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tandem/simulation.h"
#include "tandem/urdf.h"

#include "measure.h"

enum { MEASUREMENTS = 41 };

typedef struct servo {
    size_t n;
    double *stiffness, *damping, *rest; /* n each */
} servo;

static td_status hold(void *context, const td_action *a)
{
    const servo *k = context;
    for (size_t i = 0; i < k->n; i++)
        a->tau_y[i] = k->stiffness[i] * (k->rest[i] - a->y[i]) - k->damping[i] * a->yd[i];
    return TD_OK;
}

static servo servo_of(const td_model *model)
{
    const size_t n = td_nyd(model);
    const double omega = 20;
    servo k = {n, allocate(n, sizeof(double)), allocate(n, sizeof(double)),
               allocate(n, sizeof(double))};
    double *H = allocate(n * n, sizeof *H);
    td_workspace *w;
    td_workspace_new(model, NULL, &w);
    if (!w || td_mass_matrix(model, w, k.rest, NULL, H) != TD_OK) {
        fprintf(stderr, "simulate: no mass matrix at zero\n");
        exit(1);
    }
    for (size_t i = 0; i < n; i++) {
        k.stiffness[i] = omega * omega * H[i * n + i];
        k.damping[i] = 2 * omega * H[i * n + i];
    }
    td_workspace_free(w);
    free(H);
    return k;
}

/* A second of motion, again and again, each from the same push. */
static void run(const td_model *model, servo *k, const char *name, td_method method, bool passive)
{
    td_integrator_options integrator = td_integrator_options_default();
    integrator.method = method;
    integrator.step = 1e-3;
    td_forces forces = td_forces_default();
    forces.passive = passive;
    forces.friction_velocity = 0.1;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &integrator;
    options.forces = &forces;
    options.act = hold;
    options.context = k;
    td_simulation *s;
    double *push = allocate(k->n, sizeof *push), *yd = allocate(k->n, sizeof *yd);
    for (size_t i = 0; i < k->n; i++)
        push[i] = i % 2 ? -0.5 : 0.5;
    td_status status = td_simulation_new(model, &options, &s);
    double time[MEASUREMENTS], error = 0, least = INFINITY, most = 0;
    for (int m = 0; m < MEASUREMENTS && status == TD_OK; m++) {
        status = td_simulation_start(s, 0, NULL, push, NULL);
        const double begin = now_ns();
        if (status == TD_OK)
            status = td_simulation_advance(s, 1);
        time[m] = now_ns() - begin;
    }
    /* once more, to see what it is */
    if (status == TD_OK)
        status = td_simulation_start(s, 0, NULL, push, NULL);
    td_simulation_sample state = td_simulation_sample_default();
    state.yd = yd;
    double start = NAN;
    for (int m = 0; m <= 1000 && status == TD_OK; m++) {
        status = td_simulation_evaluate(s, td_simulation_time(s), &state);
        const double now = state.kinetic + state.potential - state.work;
        start = isnan(start) ? now : start;
        error = fmax(error, fabs(now - start));
        least = fmin(least, state.kinetic);
        most = fmax(most, state.kinetic);
        if (status == TD_OK && m < 1000)
            status = td_simulation_advance(s, 1e-3 * (m + 1));
    }
    if (status != TD_OK) {
        fprintf(stderr, "simulate: %s: %s\n", name, td_status_text(status));
        exit(1);
    }
    const sample second = sample_of(time, MEASUREMENTS);
    printf("%-34s %6.0f × real time (median %.0f), %5.2f µs a step; energy - work within %.1e of "
           "%.3g J\n",
           name, 1e9 / second.best, 1e9 / second.median, second.best / 1e6, error, most - least);
    td_simulation_free(s);
    free(push), free(yd);
}

int main(int argc, char **argv)
{
    int core = -1, at = 1;
    if (argc > 2 && strcmp(argv[1], "--core") == 0) {
        core = atoi(argv[2]);
        at = 3;
    }
    const char *file = argc > at ? argv[at] : BENCH_ROBOTS_DIRECTORY "/humanoid.urdf";
    td_model *model;
    td_status status = td_load_urdf(file, NULL, NULL, &model);
    if (status != TD_OK) {
        fprintf(stderr, "simulate: %s: %s\n", file, td_status_text(status));
        return 1;
    }
    char text[256];
    printf("%s, core %d: %zu independent joints, %zu followers, steps of 1 ms\n",
           processor(text, sizeof text), pin(core), td_nyd(model), td_nv(model) - td_nyd(model));
    servo k = servo_of(model);
    run(model, &k, "rigid bodies", TD_METHOD_RK4, false);
    run(model, &k, "with damping and friction", TD_METHOD_RK4, true);
    run(model, &k, "the same, semi-implicit Euler", TD_METHOD_SEMI_IMPLICIT_EULER, true);
    free(k.stiffness), free(k.damping), free(k.rest);
    td_model_free(model);
    return 0;
}
