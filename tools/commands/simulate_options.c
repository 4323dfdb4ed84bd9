/* SPDX-License-Identifier: MIT */
/*
 * The arguments of tandem simulate.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/option_value.h"
#include "input/value.h"
#include "simulate.h"
#include "text.h"

enum {
    KEY_TIME = 0x200,
    KEY_STEP,
    KEY_RTOL,
    KEY_INTEGRATOR,
    KEY_RATE,
    KEY_TAU,
    KEY_INTERPOLATE,
    KEY_DRIVE,
    KEY_PD,
    KEY_COMPUTED_TORQUE,
    KEY_STOPS,
    KEY_STICTION,
    KEY_RESIDUAL,
    KEY_CONSTRAINTS
};

static const char *const integrators[] = {[TD_METHOD_DORMAND_PRINCE] = "dormand-prince",
                                          [TD_METHOD_RK4] = "rk4",
                                          [TD_METHOD_SEMI_IMPLICIT_EULER] = "euler",
                                          [TD_METHOD_RADAU] = "radau",
                                          [TD_METHOD_AUTO] = "auto",
                                          [TD_METHOD_DORMAND_PRINCE_8] = "dormand-prince-8",
                                          [TD_METHOD_EXPONENTIAL] = "exponential",
                                          [TD_METHOD_EXPONENTIAL_LINEAR] = "exponential-linear"};

static void read_gains(simulate_options *options, const char *text, struct argp_state *state)
{
    const char *comma = strchr(text, ',');
    char *first = text_format("%.*s", comma != NULL ? (int)(comma - text) : 0, text);
    if (comma == NULL || !parse_number(first, &options->kp) ||
        !parse_number(comma + 1, &options->kd) || options->kp < 0 || options->kd < 0) {
        option_error(state, "--pd must be two nonnegative numbers KP,KD, not '%s'", text);
    }
    free(first);
    options->pd = true;
}

/* One of two words. */
static bool read_word(const char *option, const char *text, const char *no, const char *yes,
                      struct argp_state *state)
{
    if (strcmp(text, no) != 0 && strcmp(text, yes) != 0) {
        option_error(state, "--%s must be '%s' or '%s', not '%s'", option, no, yes, text);
    }
    return strcmp(text, yes) == 0;
}

/* Whether the text is numbers with commas between: forces of all joints. */
static bool is_values(const char *text)
{
    char *copy = text_format("%s", text);
    char *rest = copy;
    bool good = true;
    const value_unit *u;
    double value;
    for (char *part = strsep(&rest, ","); part != NULL && good; part = strsep(&rest, ",")) {
        good = value_parse(part, &value, &u);
    }
    free(copy);
    return good;
}

static void read_tau(simulate_options *options, const char *text, struct argp_state *state)
{
    if (strchr(text, '=') != NULL || is_values(text)) {
        options_assign(&options->common, QUANTITY_TAU, text);
    } else if (options->tau != NULL) {
        option_error(state, "more than one table of forces: '%s'", text);
    } else {
        options->tau = text;
    }
}

td_method simulate_method(const simulate_options *options, struct argp_state *state)
{
    td_method method = isnan(options->step) ? TD_METHOD_AUTO : TD_METHOD_RK4;
    size_t known = sizeof integrators / sizeof integrators[0];
    for (size_t i = 0; options->integrator != NULL && i <= known; i++) {
        if (i == known) {
            option_error(state,
                         "--integrator must be 'auto', 'dormand-prince', 'dormand-prince-8', "
                         "'rk4', 'euler', 'exponential', 'exponential-linear' or 'radau', not '%s'",
                         options->integrator);
        } else if (strcmp(options->integrator, integrators[i]) == 0) {
            method = (td_method)i;
            break;
        }
    }
    if (state != NULL && !td_method_is_fixed(method) && !isnan(options->step)) {
        option_error(state, "--step is for fixed-step methods; use --rtol with '%s'",
                     integrators[method]);
    }
    if (state != NULL && td_method_is_fixed(method) && !isnan(options->rtol)) {
        option_error(state, "--rtol is for adaptive methods; use --step with fixed-step methods");
    }
    return method;
}

static void check_inputs(simulate_options *options, struct argp_state *state)
{
    const char *const input[] = {options->common.file, options->tau, options->drive,
                                 options->track};
    size_t standard = 0;
    for (size_t i = 0; i < sizeof input / sizeof input[0]; i++) {
        standard += input[i] != NULL && strcmp(input[i], "-") == 0;
        file_use_read(&options->common.files, input[i]);
    }
    if (standard > 1) {
        option_error(state, "only one file can be standard input");
    }
    options_take_suffix(&options->common, &options->output, true, state);
    if (options->linear && options->tau == NULL) {
        option_error(state, "--interpolate requires a table: --tau FILE");
    }
    simulate_method(options, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    simulate_options *options = state->input;
    switch (key) {
    case KEY_TIME:
        options->time = option_time("time", arg, false, state);
        break;
    case KEY_STEP:
        options->step = option_time("step", arg, false, state);
        break;
    case KEY_RTOL:
        options->rtol = option_positive("rtol", arg, state);
        break;
    case KEY_INTEGRATOR:
        options->integrator = arg;
        break;
    case KEY_RATE:
        options->rate = option_frequency("rate", arg, state);
        break;
    case KEY_TAU:
        read_tau(options, arg, state);
        break;
    case KEY_INTERPOLATE:
        options->linear = read_word("interpolate", arg, "step", "linear", state);
        break;
    case KEY_DRIVE:
        options->drive = arg;
        break;
    case KEY_PD:
        read_gains(options, arg, state);
        break;
    case KEY_COMPUTED_TORQUE:
        options->track = arg;
        break;
    case KEY_STOPS:
        options->stops = arg == NULL || read_word("stops", arg, "spring", "impact", state)
                             ? TD_STOPS_IMPACT
                             : TD_STOPS_SPRING;
        break;
    case KEY_STICTION:
        options->stiction = true;
        break;
    case KEY_CONSTRAINTS:
        options->constraints = true;
        break;
    case KEY_RESIDUAL:
        options->residual = true;
        break;
    case 'o':
        options->output = arg;
        break;
    case ARGP_KEY_END:
        check_inputs(options, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {NULL, 0, NULL, 0, "The motion:", 1},
    {"time", KEY_TIME, "SECONDS", 0, "Simulate this long (default: as long as tables, else 1)", 1},
    {"rate", KEY_RATE, "HZ", 0, "Set the rows per second (default 100)", 1},
    {"output", 'o', "FILE", 0, OUTPUT_FILE_HELP, 1},
    {"residual", KEY_RESIDUAL, NULL, 0, "Add a column of closure errors", 1},
    {"constraints", KEY_CONSTRAINTS, NULL, 0, "Add columns of forces of mimic joints and loops", 1},
    {NULL, 0, NULL, 0, "Forces in addition to gravity; all forces add up:", 2},
    {"tau", KEY_TAU, "JOINT=VALUE|FILE", 0, TAU_HELP "; or a table: t, tau:JOINT", 2},
    {"interpolate", KEY_INTERPOLATE, "KIND", 0,
     "Interpolate --tau FILE: 'step' (default) or 'linear'", 2},
    {"drive", KEY_DRIVE, "FILE", 0, "Prescribe the motion of joints: a table t, q:JOINT, ...", 2},
    {"pd", KEY_PD, "KP,KD", 0, "Hold joints by motors: KP (q0 - q) - KD qd (100,20)", 2},
    {"computed-torque", KEY_COMPUTED_TORQUE, "FILE", 0,
     "Let motors follow this motion, with the gains of --pd", 2},
    {"stops", KEY_STOPS, "HOW", OPTION_ARG_OPTIONAL,
     "Stop joints at limits: 'impact' (default), 'spring'", 2},
    {"stiction", KEY_STICTION, NULL, 0, "Let friction hold joints at rest (else it is smoothed)",
     2},
    {NULL, 0, NULL, 0, "Integration:", 3},
    {"integrator", KEY_INTEGRATOR, "HOW", 0,
     "Choose the method: 'auto' (default), 'dormand-prince', 'dormand-prince-8', 'radau'; with "
     "fixed steps 'rk4', 'euler', 'exponential', 'exponential-linear'",
     3},
    {"rtol", KEY_RTOL, "R", 0, "Set the tolerance of adaptive methods (default 1e-8)", 3},
    {"step", KEY_STEP, "H", 0, "Use fixed steps (default 1e-3 s); alone it means 'rk4'", 3},
    {0},
};
static const struct argp_child children[] = {
    {&load_argp, 0, NULL, 0},        {&velocity_argp, 0, "The robot and its state:", 4},
    {&plot_option_argp, 0, NULL, 0}, {&hidden_columns_argp, 0, NULL, 0},
    {&no_passive_argp, 0, NULL, 0},  {&actuated_argp, 0, NULL, 0},
    {&plan_argp, 0, NULL, 0},        {0}};
const struct argp simulate_argp = {
    argp_options,
    parse,
    "FILE",
    "Simulate a robot from the state -q and --qd and print a CSV table "
    "(docs/simulation.md).\vColumns: t, q:, qd:, qdd:, tau: for each joint, energy:total and work "
    "(J), event. Ctrl-C ends the table after a complete row (exit status 130); a motion that stops "
    "early exits with 1 or 4.\n\nExamples:\n  tandem simulate robot.urdf --time 2 -q elbow=1 -o "
    "fall.csv\n  tandem simulate robot.urdf --tau tau.csv --interpolate linear --stiction",
    children,
    NULL,
    NULL};
