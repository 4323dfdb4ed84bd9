/* SPDX-License-Identifier: MIT */
/*
 * tandem recording: from a recorded motion to the torques, powers and reactions that it takes, and
 * a report about the motors that must give them.
 */
#include "commands/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/link_name.h"
#include "input/option_value.h"
#include "output/frame_name.h"
#include "run.h"
#include "text.h"

enum {
    KEY_SAMPLED = 0x200,
    KEY_REPAIR,
    KEY_GAP,
    KEY_FILTER,
    KEY_CUTOFF,
    KEY_CURVE,
    KEY_RATE,
    KEY_CABLE,
    KEY_REACTIONS,
    KEY_FRAME,
    KEY_CSV
};

static const struct argp_option argp_options[] = {
    {"sampled", KEY_SAMPLED, "HZ", 0, "Rows per second, if the table has no column of times", 1},
    {"gap", KEY_GAP, "SECONDS", 0, "Interpolate gaps up to this long (default: 10 steps)", 1},
    {"repair", KEY_REPAIR, NULL, 0, "Drop times that go back, replace outliers, fill gaps", 1},
    {"filter", KEY_FILTER, "KIND", 0, "Use 'butterworth', 'spline' or 'none' (default)", 2},
    {"cutoff", KEY_CUTOFF, "[COLUMN=]HZ", 0, "Set the cutoff (default: least error of forces)", 2},
    {"curve", KEY_CURVE, "KIND", 0,
     "Choose the curve through the rows of a table; a spline, 'quintic' (default) or 'cubic'", 2},
    {"rate", KEY_RATE, "HZ", 0, "Set the rows per second (default: as recorded)", 2},
    {"cable", KEY_CABLE, "LINK:X,Y,Z,X,Y,Z,FORCE", 0,
     "Pull a point of a link (m) toward a point of the world (m) with a constant force (N); may be "
     "repeated",
     3},
    {"reactions", KEY_REACTIONS, "JOINT", 0,
     "Add columns: the constraint wrench of a joint or loop at its child link's origin, or 'all'",
     4},
    {"frame", KEY_FRAME, "FRAME", 0, FRAME_HELP, 4},
    {"output", 'o', "FILE", 0, OUTPUT_FILE_HELP "; '-': instead of the report", 4},
    {"csv", KEY_CSV, NULL, 0, "Print the report as a table", 4},
    {0},
};

static td_filter read_filter(const char *text, struct argp_state *state)
{
    static const char *const word[] = {[TD_FILTER_NONE] = "none",
                                       [TD_FILTER_BUTTERWORTH] = "butterworth",
                                       [TD_FILTER_SPLINE] = "spline"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        if (strcmp(text, word[i]) == 0) {
            return (td_filter)i;
        }
    }
    option_error(state, "--filter must be 'butterworth', 'spline' or 'none', not '%s'", text);
    return TD_FILTER_NONE;
}

static void check(recorded_options *options, struct argp_state *state)
{
    const tool_options *common = &options->common;
    if (common->file == NULL) {
        return;
    }
    if (options->recording.path == NULL) {
        option_error(state, "the table RECORDED is missing ('-' is standard input)");
    } else if (strcmp(options->recording.path, "-") == 0 && strcmp(common->file, "-") == 0) {
        option_error(state, "FILE and RECORDED cannot both be standard input");
    } else if (options->filter == TD_FILTER_NONE && options->cutoff.count > 0) {
        option_error(state, "--cutoff requires a filter: --filter butterworth or spline");
    } else if (options->csv && common->json) {
        option_error(state, "give --csv or --json, not both");
    }
    file_use_read(&options->common.files, options->recording.path);
    options_take_suffix(&options->common, &options->output, false, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    recorded_options *options = state->input;
    recording_options *recorded = &options->recording;
    switch (key) {
    case ARGP_KEY_INIT:
        recorded->words = &options->common.columns;
        break;
    case KEY_SAMPLED:
        recorded->sampled = option_frequency("sampled", arg, state);
        break;
    case KEY_REPAIR:
        recorded->repair = true;
        break;
    case KEY_GAP:
        recorded->gap = option_time("gap", arg, false, state);
        break;
    case KEY_FILTER:
        options->filter = read_filter(arg, state);
        break;
    case KEY_CUTOFF:
        word_list_add(&options->cutoff, arg);
        break;
    case KEY_CURVE:
        if (strcmp(arg, "cubic") != 0 && strcmp(arg, "quintic") != 0) {
            option_error(state, "--curve must be 'cubic' or 'quintic', not '%s'", arg);
        }
        options->cubic = strcmp(arg, "cubic") == 0;
        break;
    case KEY_RATE:
        options->rate = option_frequency("rate", arg, state);
        break;
    case KEY_CABLE:
        word_list_add(&options->cable, arg);
        break;
    case KEY_REACTIONS:
        word_list_add(&options->reaction, arg);
        break;
    case KEY_FRAME:
        options->frame = option_frame(arg, state);
        break;
    case KEY_CSV:
        options->csv = true;
        break;
    case 'o':
        options->output = arg;
        break;
    case ARGP_KEY_ARG:
        if (options->common.file == NULL || recorded->path != NULL) {
            return ARGP_ERR_UNKNOWN; /* the shared parser takes FILE, and refuses a third */
        }
        recorded->path = arg;
        break;
    case ARGP_KEY_END:
        check(options, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&load_argp, 0, NULL, 0},
                                             {&state_argp, 0, "The robot:", 5},
                                             {&plot_option_argp, 0, NULL, 0},
                                             {&columns_argp, 0, NULL, 0},
                                             {&no_passive_argp, 0, NULL, 0},
                                             {&actuated_argp, 0, NULL, 0},
                                             {0}};
const struct argp recording_argp = {
    argp_options,
    parse,
    "FILE RECORDED",
    "Analyze a recorded motion: forces, speeds, power and energy of each motor, the worst "
    "instants, and violated limits (docs/recording.md).\vRECORDED is a CSV table ('-' is standard "
    "input) with a column of times and columns of joints; joints without a column stay where -q "
    "puts them. Velocities and accelerations without columns are computed from a spline. Messages "
    "report gaps, outliers, wrapped angles and times that go back with their line "
    "numbers.\n\nExamples:\n  tandem recording robot.urdf recorded.csv --unit deg --filter "
    "butterworth\n  tandem recording robot.urdf recorded.csv --map 'Elbow angle=elbow' --unit deg "
    "--unit ms --filter spline --cutoff 6 -o torques.csv",
    children,
    NULL,
    NULL};

/* The joints and loops of --reactions; false with a message. */
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
            char *reason = unknown_joint(model, words->word[i]);
            complain("--reactions %s: %s", words->word[i], reason);
            free(reason);
            return false;
        } else {
            m->joint[m->joints++] = joint;
        }
    }
    return true;
}

/* The table and the report, in their places. */
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
    bool good = recorded_cables(&m, &options->cable) && choose_reactions(&m);
    r = (recording){0};
    int code = good ? EXIT_FILE : EXIT_USAGE;
    if (good && recording_read(&r, c, &options->recording)) {
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
                                .recording = {.sampled = (double)NAN, .gap = (double)NAN}};
    int code = run_session(&recording_argp, argc, argv, &options, &options.common, run);
    free(options.cutoff.word);
    free(options.cable.word);
    free(options.reaction.word);
    return code;
}
