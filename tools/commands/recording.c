/* SPDX-License-Identifier: MIT */
/*
 * tandem recording: computes torques, powers and reactions of a recorded motion, and reports what
 * the motors must provide.
 */
#include "commands/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/link_name.h"
#include "input/option_value.h"
#include "run.h"
#include "text.h"

static const option_choice filters[] = {{"butterworth", TD_FILTER_BUTTERWORTH},
                                        {"spline", TD_FILTER_SPLINE},
                                        {"none", TD_FILTER_NONE},
                                        {0}};
static const option_choice curves[] = {{"cubic", true}, {"quintic", false}, {0}};

static void check(command_line *line)
{
    recorded_options *options = line->options;
    if (options->filter == TD_FILTER_NONE && options->cutoff.count > 0) {
        option_error(line, "--cutoff requires a filter: --filter butterworth or spline");
    }
    options->recording.words = &options->common.columns;
    options_take_suffix(&options->common, &options->output, false, line);
}

#define AT(member) .at = offsetof(recorded_options, member)

static const command_option command_rows[] = {
    {"sampled", "HZ", "Rows per second, if the table has no column of times", option_frequency,
     AT(recording.sampled), .group = 1},
    {"gap", "SECONDS", "Interpolate gaps up to this long (default: 10 steps)", option_time,
     AT(recording.gap), .group = 1},
    {"repair", NULL, "Drop times that go back, replace outliers, fill gaps", option_flag,
     AT(recording.repair), .group = 1},
    {"filter", "KIND", "Use 'butterworth', 'spline' or 'none' (default)", option_choose, AT(filter),
     .of = filters, .group = 2},
    {"cutoff", "[COLUMN=]HZ", "Set the cutoff (default: least error of forces)", option_list,
     AT(cutoff), .group = 2},
    {"curve", "KIND",
     "Choose the curve through the rows of a table; a spline, 'quintic' (default) or 'cubic'",
     option_choose, AT(cubic), .of = curves, .group = 2},
    {"rate", "HZ", "Set the rows per second (default: as recorded)", option_frequency, AT(rate),
     .group = 2},
    {"cable", "LINK:X,Y,Z,X,Y,Z,FORCE", "Pull a point of a link toward a point of the world",
     option_list, AT(cable), .group = 3},
    {"reactions", "JOINT", "Add the wrench of this joint or loop, or of 'all'", option_list,
     AT(reaction), .group = 4},
    {"ground", "PLANE", GROUND_HELP, option_ground, AT(ground.plane), .group = 4},
    {"foot", "POINT", "Split them among feet, each LINK or LINK:X,Y,Z (m)", option_list,
     AT(ground.foot), .group = 4},
    {"contact", "HEIGHT", "A foot is in contact below this height (m)", option_length,
     AT(ground.contact_height), .group = 4},
    {"plate", "POINT", "Use columns plate:LINK.mx about LINK:X,Y,Z (m, world)", option_list,
     AT(ground.plate), .group = 4},
    {"frame", "FRAME", FRAME_HELP, option_choose, AT(frame), .of = frame_choices, .group = 4},
    {"output", "FILE", OUTPUT_FILE_HELP "; '-': instead of the report", option_text, AT(output),
     .letter = 'o', .group = 4},
    {"csv", NULL, "Print the report as a table", option_flag, AT(csv), .group = 4},
    {0},
};
static const option_argument arguments[] = {
    {"RECORDED", AT(recording.path), "the table RECORDED is missing ('-' is standard input)",
     .takes = NULL},
    {0},
};
static const option_rule rules[] = {
    {"csv", NULL, "json", "give --csv or --json, not both"},
    {"foot", "ground", NULL, "--foot requires the plane: --ground X,Y,Z"},
    {"contact plate", "foot", NULL, "--contact and --plate require --foot"},
    {0}};
const option_set options_of_recording = {
    .rows = command_rows,
    .usage = "FILE RECORDED",
    .arguments = arguments,
    .rules = rules,
    .check = check,
    .about =
        "Analyze a recorded motion: forces, speeds, power and energy of each motor, the worst "
        "instants, and violated limits (docs/recording.md).\vRECORDED is a CSV table ('-': "
        "standard input) of times and "
        "joints. Joints without a column stay where -q puts them. A spline gives missing "
        "derivatives."
        "\n\nExamples:\n  tandem recording robot.urdf recorded.csv --unit deg --filter "
        "butterworth\n  tandem recording robot.urdf recorded.csv --map 'Elbow angle=elbow' --unit "
        "deg "
        "--unit ms --filter spline --cutoff 6 -o torques.csv",
    .parts = {&load_set, &state_set, &picture_set, &columns_set, &no_passive_set, &actuated_set},
    .header = {[1] = "The robot:"},
    .group[1] = 5};

/* Finds the joints and loops of --reactions. Prints a message and returns false on failure. */
static bool choose_reactions(recorded_result *m)
{
    const word_list *words = &m->options->reaction;
    const td_model *model = m->s->model;
    const size_t joints = td_joint_count(model), count = joints + td_loop_count(model);
    m->joint = allocate(count * (words->count + 1), sizeof *m->joint);
    for (size_t i = 0; i < words->count; i++) {
        size_t joint = td_joint_index(model, words->word[i]);
        for (size_t l = 0; l < td_loop_count(model) && joint == TD_NONE; l++) {
            if (strcmp(words->word[i], td_loop_at(model, l)->name) == 0) {
                joint = joints + l;
            }
        }
        if (joint == TD_NONE && strcmp(words->word[i], "all") == 0) {
            for (size_t k = 0; k < count; k++) {
                m->joint[m->joints] = k;
                m->joints += k < joints - m->s->loads->points || k >= joints;
            }
        } else if (joint == TD_NONE) {
            scoped char *reason = unknown_joint(model, words->word[i]);
            complain("--reactions %s: %s", words->word[i], reason);
            return false;
        } else {
            m->joint[m->joints++] = joint;
        }
    }
    return true;
}

/* Writes the table and the report to their outputs. */
static int write_all(const recorded_result *m, int code)
{
    const recorded_options *options = m->options;
    const bool picture = options->common.plot != NULL, table = options->output != NULL;
    if (picture || table) {
        table_output t;
        if (!table_output_open(&t, options->output) ||
            !table_output_close(&t, recorded_rows(m, &t))) {
            return EXIT_FILE;
        }
    }
    const bool piped = picture && options->common.drawn == NULL;
    if (!piped && (!table || strcmp(options->output, "-") != 0)) {
        recorded_report(m);
    }
    return code;
}

static int run_recorded(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const recorded_options *options = context;
    if (c->tree) {
        complain("--tree: a motion is given by the independent joints; leave out --tree");
        return EXIT_USAGE;
    }
    recording r;
    recorded_result m = {.s = s, .c = c, .options = options, .recorded = &r};
    ground_motion ground = {0};
    m.ground = options->ground.plane.given ? &ground : NULL;
    bool good =
        recorded_cables(&m, &options->cable) && choose_reactions(&m) &&
        (m.ground == NULL || ground_motion_new(m.ground, &options->ground, options->frame, s));
    r = (recording){0};
    int code = good ? EXIT_FILE : EXIT_USAGE;
    recording_options reads = options->recording;
    reads.feet = ground.foot_name;
    reads.foot_count = ground.feet;
    good = good && recording_read(&r, c, &reads);
    if (good && m.ground != NULL && !ground_motion_find_columns(m.ground, &r)) {
        good = false;
        code = EXIT_USAGE;
    }
    if (good) {
        m.actuator = actuator_names(c);
        m.actuators = m.actuator != NULL ? td_nu(s->model) : 0;
        if (m.actuator == NULL) {
            tell_note("joint forces are reported instead of motor forces: %s",
                      td_status_text(td_actuation_status(s->model)));
        }
        code = recorded_run(&m, &r, x->value[QUANTITY_Q]);
        if (!exit_failed(code)) {
            code = write_all(&m, code);
        }
    }
    recorded_result_free(&m);
    ground_motion_free(&ground);
    recording_free(&r);
    return code;
}

static int run(const session *s, void *context)
{
    recorded_options *options = context;
    return run_state(s, &options->common, false, options, run_recorded);
}

int command_recording(int argc, char **argv)
{
    recorded_options options = {.rate = (double)NAN,
                                .frame = TD_FRAME_ALIGNED,
                                .ground = {.contact_height = (double)NAN},
                                .recording = {.sampled = (double)NAN, .gap = (double)NAN}};
    int code = run_session(&options_of_recording, argc, argv, &options, run);
    free(options.cutoff.word);
    free(options.cable.word);
    free(options.reaction.word);
    free(options.ground.foot.word);
    free(options.ground.plate.word);
    return code;
}
