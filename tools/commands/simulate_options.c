/* SPDX-License-Identifier: MIT */
/*
 * Reads the arguments of tandem simulate.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/option_value.h"
#include "input/value.h"
#include "simulate.h"
#include "text.h"

static const option_choice methods[] = {{"auto", TD_METHOD_AUTO},
                                        {"dormand-prince", TD_METHOD_DORMAND_PRINCE},
                                        {"dormand-prince-8", TD_METHOD_DORMAND_PRINCE_8},
                                        {"rk4", TD_METHOD_RK4},
                                        {"euler", TD_METHOD_SEMI_IMPLICIT_EULER},
                                        {"exponential", TD_METHOD_EXPONENTIAL},
                                        {"exponential-linear", TD_METHOD_EXPONENTIAL_LINEAR},
                                        {"radau", TD_METHOD_RADAU},
                                        {0}};
static const option_choice lines[] = {{"step", false}, {"linear", true}, {0}};
static const option_choice stops[] = {
    {"spring", TD_STOPS_SPRING}, {"impact", TD_STOPS_IMPACT}, {0}};

static void read_gains(const command_option *o, char *text, command_line *line)
{
    simulate_options *options = line->options;
    (void)o;
    const char *comma = strchr(text, ',');
    scoped char *first = text_format("%.*s", comma != NULL ? (int)(comma - text) : 0, text);
    if (comma == NULL || !parse_number(first, &options->kp) ||
        !parse_number(comma + 1, &options->kd) || options->kp < 0 || options->kd < 0) {
        option_error(line, "--pd must be two nonnegative numbers KP,KD, not '%s'", text);
    }
    options->pd = true;
}

/* Returns whether the text is a list of numbers separated by commas: forces of all joints. */
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

static void read_tau(const command_option *o, char *text, command_line *line)
{
    simulate_options *options = line->options;
    (void)o;
    if (strchr(text, '=') != NULL || is_values(text)) {
        options_assign(&options->common, QUANTITY_TAU, text);
    } else if (options->tau != NULL) {
        option_error(line, "more than one table of forces: '%s'", text);
    } else {
        options->tau = text;
    }
}

static void check_method(simulate_options *options, const command_line *line)
{
    if (!option_given(line, "integrator")) {
        options->method = isnan(options->step) ? TD_METHOD_AUTO : TD_METHOD_RK4;
    }
    const bool fixed = td_method_is_fixed(options->method);
    if (!fixed && !isnan(options->step)) {
        option_error(line, "--step is for fixed-step methods; use --rtol with '%s'",
                     choice_word(methods, (int)options->method));
    } else if (fixed && !isnan(options->rtol)) {
        option_error(line, "--rtol is for adaptive methods; use --step with fixed-step methods");
    }
}

static void check(command_line *line)
{
    simulate_options *options = line->options;
    const char *const input[] = {options->common.file, options->tau, options->drive,
                                 options->track};
    size_t standard = 0;
    for (size_t i = 0; i < sizeof input / sizeof input[0]; i++) {
        standard += input[i] != NULL && strcmp(input[i], "-") == 0;
        file_use_read(&options->common.files, input[i]);
    }
    if (standard > 1) {
        option_error(line, "only one file can be standard input");
    }
    options_take_suffix(&options->common, &options->output, true, line);
    if (options->linear && options->tau == NULL) {
        option_error(line, "--interpolate requires a table: --tau FILE");
    }
    check_method(options, line);
}

#define AT(member) .at = offsetof(simulate_options, member)

static const command_option command_rows[] = {
    {.help = "The motion:", .group = 1},
    {"time", "SECONDS", "Simulate this long (default: as long as tables, else 1)", option_time,
     AT(time), .group = 1},
    {"rate", "HZ", "Set the rows per second (default 100)", option_frequency, AT(rate), .group = 1},
    {"output", "FILE", OUTPUT_FILE_HELP, option_text, AT(output), .letter = 'o', .group = 1},
    {"residual", NULL, "Add a column of closure errors", option_flag, AT(residual), .group = 1},
    {"constraints", NULL, "Add columns of forces of mimic joints and loops", option_flag,
     AT(constraints), .group = 1},
    {.help = "Forces in addition to gravity; all forces add up:", .group = 2},
    {"tau", "JOINT=VALUE|FILE", TAU_HELP "; or a table: t, tau:JOINT", read_tau, .at = 0,
     .group = 2},
    {"interpolate", "KIND", "Interpolate --tau FILE: 'step' (default) or 'linear'", option_choose,
     AT(linear), .of = lines, .group = 2},
    {"drive", "FILE", "Prescribe the motion of joints: a table t, q:JOINT, ...", option_text,
     AT(drive), .group = 2},
    {"pd", "KP,KD", "Hold joints by motors: KP (q0 - q) - KD qd (100,20)", read_gains, .at = 0,
     .group = 2},
    {"computed-torque", "FILE", "Let motors follow this motion, with the gains of --pd",
     option_text, AT(track), .group = 2},
    {"stops", "HOW", "Stop joints at limits: 'impact' (default), 'spring'", option_choose,
     AT(stops), .of = stops, .group = 2, .optional = true},
    {"stiction", NULL, "Let friction hold joints at rest (else it is smoothed)", option_flag,
     AT(stiction), .group = 2},
    {.help = "Integration:", .group = 3},
    {"integrator", "HOW",
     "Choose the method: 'auto' (default), 'dormand-prince', 'dormand-prince-8', 'radau'; with "
     "fixed steps 'rk4', 'euler', 'exponential', 'exponential-linear'",
     option_choose, AT(method), .of = methods, .group = 3},
    {"rtol", "R", "Set the tolerance of adaptive methods (default 1e-8)", option_positive, AT(rtol),
     .group = 3},
    {"step", "H", "Use fixed steps (default 1e-3 s); alone it means 'rk4'", option_time, AT(step),
     .group = 3},
    {0},
};
const option_set options_of_simulate = {
    .rows = command_rows,
    .usage = "FILE",
    .check = check,
    .about = "Simulate a robot from the state -q and --qd and print a CSV table "
             "(docs/simulation.md).\vColumns: t, q:, qd:, qdd:, tau: for each joint, energy:total "
             "and work "
             "(J), event. Ctrl-C ends the table after a complete row (exit status 130); a motion "
             "that stops "
             "early exits with 1 or 4.\n\nExamples:\n  tandem simulate robot.urdf --time 2 -q "
             "elbow=1 -o "
             "fall.csv\n  tandem simulate robot.urdf --tau tau.csv --interpolate linear --stiction",
    .parts = {&load_set, &velocity_set, &picture_set, &hidden_columns_set, &no_passive_set,
              &actuated_set, &plan_set},
    .header = {[1] = "The robot and its state:"},
    .group[1] = 4};
