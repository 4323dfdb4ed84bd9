/* SPDX-License-Identifier: MIT */
/*
 * tandem simulate: computes the motion of a robot under forces, as a table.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/value.h"
#include "output/output_file.h"
#include "run.h"
#include "simulate.h"
#include "text.h"

/* ---- the motion ------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted; /* 0 or the signal */

/* The first signal ends the table. The second one ends the program (output_file.h). */
static const int caught[] = {SIGINT, SIGTERM};
enum { CAUGHT = sizeof caught / sizeof caught[0] };
static struct sigaction before[CAUGHT];

static void interrupt(int signal)
{
    interrupted = signal;
    for (size_t i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], &before[i], NULL);
    }
}

/* Catches signals. Signals that the shell ignores for background jobs stay ignored. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    output_prepare();
    for (size_t i = 0; i < CAUGHT; i++) {
        if (sigaction(caught[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN) {
            sigaction(caught[i], &action, NULL);
        }
    }
}

/* Writes rows up to the end of the last step. inclusive: also the row at the end. */
static td_status write_rows(row_writer *w, double end, bool inclusive)
{
    td_status status = TD_OK;
    while (status == TD_OK) {
        double t = (double)w->written / w->options->rate;
        if (t > end || (t == end && !inclusive)) {
            break;
        }
        status = rows_write(w, t);
    }
    return status;
}

/* Simulates from the start to the end, or until the simulation fails or is interrupted. */
static td_status move(row_writer *w, acting *a, double end, progress *p)
{
    td_simulation *s = w->simulation;
    td_status status = TD_OK;
    bool written = true; /* rows could be written */
    rows_note_events(w);
    while (status == TD_OK && !interrupted && written) {
        double now = td_simulation_time(s);
        if (acting_enter(a, now, end) && now > 0) {
            status = td_simulation_jump(s);
            rows_note_events(w);
        }
        status = status == TD_OK ? write_rows(w, now, true) : status;
        if (status != TD_OK || now >= end) {
            break;
        }
        status = td_simulation_step(s, acting_next(a, now, end));
        if (status == TD_OK) {
            status = write_rows(w, td_simulation_time(s), false);
            rows_note_events(w);
        } else if (status == TD_ERROR_STOP) {
            rows_note_events(w);
        }
        if (progress_update(p, td_simulation_time(s), end)) {
            written = table_output_flush(w->table);
        }
    }
    progress_clear(p);
    return status;
}

/* Reports why the motion ends early or, if t is NaN, does not begin. Returns the exit code. */
static int complain_end(const session *s, td_simulation *simulation, double t, td_status status)
{
    session ours = *s;
    ours.workspace = td_simulation_workspace(simulation);
    char *what =
        isnan(t) ? text_format("%s: the motion cannot start", s->file)
                 : text_format("%s: the motion ends at t = %s s", s->file, number_clear(t).text);
    size_t loop = td_simulation_failed_loop(simulation);
    bool passed = loop != TD_NONE && loop != td_failed_loop(ours.workspace, NULL);
    int code = EXIT_COMPUTE;
    if (status == TD_ERROR_STOP && td_simulation_event_count(simulation) > 0) {
        size_t joint = td_simulation_event_at(simulation, 0).joint;
        complain("%s: %s: joint '%s'", what, td_status_text(status),
                 td_joint_at(s->model, joint)->name);
    } else if (passed) { /* in coordinates other than the model's */
        complain("%s: %s: loop '%s'", what, td_status_text(status),
                 td_loop_at(s->model, loop)->name);
    } else {
        code = session_complain(&ours, what, status);
    }
    free(what);
    return code;
}

/* Suggests a remedy for fixed steps that are too long. Restarts the simulation at the initial state
   to find the fastest joint. */
static void advise_steps(const session *s, td_simulation *simulation, const robot_state *x,
                         double step)
{
    double rate = 0;
    size_t joint = TD_NONE;
    if (td_simulation_start(simulation, 0, x->value[QUANTITY_Q], x->value[QUANTITY_QD], NULL) ==
        TD_OK) {
        joint = td_simulation_fastest(simulation, &rate);
    }
    if (joint == TD_NONE || rate * step < 1) {
        complain("the steps may be too long: try a shorter --step, or leave --step out");
        return;
    }
    complain("%s: the problem is stiff: the forces on joint '%s' (friction, damping, springs, "
             "feedback) change its initial motion within %.2g s, and steps longer than %.2g s are "
             "unstable; try a shorter --step, or the integrators 'auto' or 'radau'",
             s->file, td_joint_at(s->model, joint)->name, 1 / rate, 2 / rate);
}

/* Reports where the written rows are. An incomplete table does not get its final name. */
static void complain_interrupted(table_output *table, double t)
{
    const char *partial = table_output_make_partial(table);
    complain("interrupted at t = %s s%s%s%s", number_clear(t).text,
             partial != NULL ? "; the rows before it are in '" : "", partial != NULL ? partial : "",
             partial != NULL ? "'" : "");
}

/* Runs the motion and writes the table. *ended: the status at the end of the motion. */
static int run_motion(row_writer *w, acting *a, double end, td_status *ended)
{
    const simulate_options *options = w->options;
    table_output table;
    catch_signals();
    if (!table_output_open(&table, options->output)) {
        return EXIT_FILE;
    }
    w->table = &table;
    if (!rows_begin(w)) {
        table_output_close(&table, false);
        rows_free(w);
        return EXIT_FILE;
    }
    progress p = progress_start(options);
    td_status status = *ended = move(w, a, end, &p);
    double reached = td_simulation_time(w->simulation);
    int code = EXIT_GOOD;
    if (status != TD_OK) { /* before the last row: rows_write may close loops in the workspace */
        code = complain_end(w->s, w->simulation, reached, status);
    } else if (interrupted) {
        complain_interrupted(&table, reached);
        code = 128 + interrupted;
    }
    if (reached > w->last) {
        rows_write(w, reached);
    }
    rows_end(w);
    double elapsed = progress_elapsed(&p);
    code = table_output_close(&table, true) ? code : (int)EXIT_FILE;
    report_limits(w);
    if (!print_summary(w, elapsed) && code == EXIT_GOOD) {
        code = EXIT_NEGATIVE; /* rows are written even so, as in tandem ik */
    }
    rows_free(w);
    return code;
}

/* ---- setup ---------------------------------------------------------------------------------- */

/* Chooses the duration. Prints a message and returns an exit code if steps or rows are too short
   for it, or if a motion of --drive ends with nonzero velocity. */
static int choose_time(const simulate_options *options, const acting *a, double *end)
{
    double duration = acting_duration(a);
    *end = !isnan(options->time) ? options->time : duration > 0 ? duration : 1;
    double rounding = nextafter(*end, INFINITY) - *end;
    bool steps = options->step < 1e3 * rounding;
    if (steps || 1 / options->rate < 1e3 * rounding) {
        complain("%s %s: cannot be resolved over %s s, because times are rounded to %.1g s",
                 steps ? "--step" : "--rate",
                 number_clear(steps ? options->step : options->rate).text, number_clear(*end).text,
                 rounding);
        return EXIT_USAGE;
    }
    return acting_covers(a, *end) ? EXIT_GOOD : EXIT_COMPUTE;
}

static td_integrator_options chosen_integrator(const simulate_options *options)
{
    td_integrator_options integrator = td_integrator_options_default();
    integrator.method = options->method;
    integrator.step = isnan(options->step) ? 0 : options->step;
    integrator.rtol = isnan(options->rtol) ? integrator.rtol : options->rtol;
    return integrator;
}

static td_status make_simulation(const simulate_options *options,
                                 const td_integrator_options *integrator, acting *a,
                                 td_simulation **s)
{
    td_simulation_options o = td_simulation_options_default();
    o.integrator = integrator;
    td_forces forces = a->forces; /* only the callback supplies wrenches that change with time */
    forces.wrenches = a->wrench != NULL ? NULL : forces.wrenches;
    o.wrenches = a->wrench != NULL;
    o.forces = &forces;
    o.act = acting_forces;
    o.context = a;
    o.given = a->drive.n > 0 ? a->given : NULL;
    o.motion = acting_motion;
    o.stops = options->stops;
    o.stiction = options->stiction;
    return td_simulation_new(a->s->model, &o, s);
}

static int run_acting(const session *s, const coordinates *c, const robot_state *x,
                      const simulate_options *options, acting *a)
{
    double end;
    int code = choose_time(options, a, &end);
    if (code != EXIT_GOOD) {
        return code;
    }
    td_simulation *simulation;
    const td_integrator_options integrator = chosen_integrator(options);
    td_status status = make_simulation(options, &integrator, a, &simulation);
    if (status != TD_OK) {
        complain("%s: %s", s->file, td_status_text(status));
        return EXIT_COMPUTE;
    }
    if (!loads_carry(s->loads, s->model, td_simulation_workspace(simulation))) {
        td_simulation_free(simulation);
        return EXIT_COMPUTE;
    }
    acting_enter(a, 0, end);
    coordinates columns = coordinates_new(s->model, options->common.tree);
    row_writer w = {.s = s,
                    .c = &columns,
                    .options = options,
                    .simulation = simulation,
                    .given = a->drive.n > 0 ? a->given : NULL,
                    .forces = c,
                    .last = -1};
    status = td_simulation_start(simulation, 0, x->value[QUANTITY_Q], x->value[QUANTITY_QD], NULL);
    code = status == TD_OK ? run_motion(&w, a, end, &status)
                           : complain_end(s, simulation, NAN, status);
    const bool strayed = status == TD_ERROR_NOT_FINITE || status == TD_ERROR_DIVERGED;
    if (strayed && td_method_is_fixed(integrator.method)) {
        acting_enter(a, 0, end);
        advise_steps(s, simulation, x, integrator.step > 0 ? integrator.step : 1e-3);
    }
    coordinates_free(&columns);
    td_simulation_free(simulation);
    return code;
}

static int run(const session *s, void *context)
{
    simulate_options *options = context;
    coordinates c = coordinates_new(s->model, false);
    robot_state x = state_new(&c);
    acting a;
    int code = state_read(&x, &c, &options->common, false);
    for (size_t i = 0; i < c.size[QUANTITY_TAU]; i++) { /* a file with a state sets no forces */
        x.value[QUANTITY_TAU][i] = x.given[QUANTITY_TAU][i] ? x.value[QUANTITY_TAU][i] : 0;
    }
    if (code == EXIT_GOOD) {
        code = acting_new(&a, s, &c, options, &x);
    }
    if (code == EXIT_GOOD) {
        code = run_acting(s, &c, &x, options, &a);
        acting_free(&a);
    }
    state_free(&x);
    coordinates_free(&c);
    return code;
}

int command_simulate(int argc, char **argv)
{
    simulate_options options = {
        .time = NAN, .rate = 100, .step = NAN, .rtol = NAN, .stops = TD_STOPS_NONE};
    return run_session(&options_of_simulate, argc, argv, &options, run);
}
