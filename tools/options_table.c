/* SPDX-License-Identifier: MIT */
/*
 * The arguments of commands that write tables, see options.h: --plot, -o and --keep.
 */
#include <string.h>

#include "input/npy.h"
#include "options.h"
#include "output/plot.h"

enum { KEY_PLOT = 0x180, KEY_KEEP, KEY_MAP, KEY_UNIT };

static error_t parse_plot(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    if (key == KEY_PLOT) {
        options->plot = arg;
        return 0;
    }
    if (key == ARGP_KEY_END && options->plot != NULL && options->json) {
        option_error(state, "--plot draws a table, but --json prints none; leave one of them out");
    }
    return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

static const struct argp_option plot_options_of_tables[] = {
    {"plot", KEY_PLOT, "FILE", 0, "Plot the table to FILE: .svg, .png, .pdf", 0},
    {0},
};
static const struct argp_option hidden_plot_options[] = {
    {"plot", KEY_PLOT, "FILE", OPTION_HIDDEN, NULL, 0},
    {0},
};

const struct argp plot_option_argp = {
    plot_options_of_tables, parse_plot, NULL, NULL, NULL, NULL, NULL};
static const struct argp hidden_plot_argp = {
    hidden_plot_options, parse_plot, NULL, NULL, NULL, NULL, NULL};

static error_t parse_columns(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    if (key == KEY_MAP) {
        word_list_add(&options->columns.map, arg);
    } else if (key == KEY_UNIT) {
        word_list_add(&options->columns.unit, arg);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option column_options[] = {
    {"map", KEY_MAP, "COLUMN=JOINT", 0, "Map a column to JOINT, q:JOINT, qd:JOINT, t, nothing", 0},
    {"unit", KEY_UNIT, "[COLUMN=]UNIT", 0, "Set the unit of a column, or of all: deg, mm, rpm, ms",
     0},
    {0},
};
static const struct argp_option hidden_column_options[] = {
    {"map", KEY_MAP, "COLUMN=JOINT", OPTION_HIDDEN, NULL, 0},
    {"unit", KEY_UNIT, "[COLUMN=]UNIT", OPTION_HIDDEN, NULL, 0},
    {0},
};

const struct argp columns_argp = {column_options, parse_columns, NULL, NULL, NULL, NULL, NULL};
const struct argp hidden_columns_argp = {
    hidden_column_options, parse_columns, NULL, NULL, NULL, NULL, NULL};

/* Exits where a table cannot be written as what the suffix says. */
static void check_suffix(const char *path, bool json, struct argp_state *state)
{
    const char *suffix = path_suffix(path);
    if (strcmp(suffix, ".json") == 0 && !json) {
        option_error(state, "%s: the table is not written as JSON", path);
    } else if (*suffix != '\0' && strcmp(suffix, ".csv") != 0 && strcmp(suffix, ".json") != 0 &&
               !npy_is_path(path) && !plot_is_picture(path)) {
        option_error(state,
                     "%s: write a table to .csv (or no suffix), .npy,%s or as a picture to .svg, "
                     ".png or .pdf",
                     path, json ? " .json," : "");
    }
}

/* Checks that --json does not contradict the suffix of the file. json: --json prints the table
   itself and not a separate report. */
static void check_json(const tool_options *options, const char *path, bool json,
                       struct argp_state *state)
{
    const char *suffix = path_suffix(path);
    if (json && options->json && *suffix != '\0' && strcmp(suffix, ".json") != 0) {
        option_error(
            state,
            "--json does not match the suffix of %s; name the file .json, or leave out --json",
            path);
    }
}

void options_take_suffix(tool_options *options, const char **output, bool json,
                         struct argp_state *state)
{
    const bool array = *output != NULL && npy_is_path(*output);
    const bool drawn = *output != NULL && options->plot != NULL;
    if (*output != NULL) {
        check_suffix(*output, json, state);
        check_json(options, *output, json, state);
        options->json_file = !options->json && strcmp(path_suffix(*output), ".json") == 0;
        options->json = options->json || options->json_file;
    }
    if (drawn && (array || strcmp(*output, "-") == 0 || plot_is_picture(*output))) {
        option_error(state,
                     "-o and --plot together write a CSV file and a picture: %s is not a picture",
                     *output);
    } else if (drawn) {
        options->drawn = *output;
    }
    if (*output != NULL && plot_is_picture(*output)) {
        options->plot = *output;
        *output = NULL;
    }
    file_use_write(&options->files, *output);
    if (json && options->json && options->plot != NULL) {
        option_error(state, "--plot draws a table, but --json prints none; leave one of them out");
    }
}

bool options_tabular(const tool_options *options)
{
    return options->states != NULL || (options->output != NULL && !options->json);
}

/* What does not go together. */
static void check_table(tool_options *options, struct argp_state *state)
{
    const bool table = options->states != NULL || options->tabular;
    if (options->file_count > 1 && (options->output != NULL || options->plot != NULL)) {
        option_error(state, "with several FILEs, leave out -o and --plot");
    }
    if (options->output != NULL && plot_is_picture(options->output) && !table) {
        option_error(state, "%s: only a table can be drawn as a picture; give STATES",
                     options->output);
    } else if (options->keep && options->states == NULL) {
        option_error(state, "--keep copies columns of STATES; give STATES");
    }
    options_take_suffix(options, &options->output, true, state);
    if (options->keep && (options->json || npy_is_path(options->states) ||
                          (options->output != NULL && npy_is_path(options->output)))) {
        option_error(state, "--keep copies columns from CSV to CSV only");
    }
}

static error_t parse_table(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    switch (key) {
    case 'o':
        options->output = arg;
        break;
    case KEY_KEEP:
        options->keep = true;
        break;
    case ARGP_KEY_END:
        check_table(options, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option table_options[] = {
    {"output", 'o', "FILE", OPTION_HIDDEN, NULL, 0},
    {"keep", KEY_KEEP, NULL, OPTION_HIDDEN, NULL, 0},
    {"-o, --plot, --keep, --map, --unit", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
     "Read and write tables and pictures: 'tandem help table'", 0},
    {0},
};
static const struct argp_option table_page_options[] = {
    {"output", 'o', "FILE", 0,
     "Write the table of STATES, or the one state as a table, to FILE, which appears when it is "
     "complete: CSV, .json, .npy, or a picture (.svg, .png, .pdf)",
     0},
    {"plot", KEY_PLOT, "FILE", 0,
     "Plot the table instead of printing it: .svg, .png or .pdf (needs gnuplot); with -o write "
     "both",
     0},
    {"keep", KEY_KEEP, NULL, 0, "Keep the columns of STATES before those of the result", 0},
    {"map", KEY_MAP, "COLUMN=JOINT", 0,
     "Say what a column of the table is: JOINT, q:JOINT, qd:JOINT and so on, or t; nothing leaves "
     "it out. Columns that already have such a name, or 'time', need no --map",
     0},
    {"unit", KEY_UNIT, "[COLUMN=]UNIT", 0,
     "Set the unit of a column, or of all columns and values of -q without a unit: deg, mm, rpm, "
     "ms and so on (default: the unit in the heading, as 'elbow [deg]', else radians and SI units)",
     0},
    {0},
};
const struct argp table_page_argp = {
    table_page_options,
    NULL,
    "FILE STATES",
    "These options control how commands read and write tables of states. STATES ('-' is standard "
    "input) is a CSV file or a NumPy array, optionally compressed by gzip. Its columns, in any "
    "order, are t (seconds, clock times or dates), q:JOINT or the joint's name, qd:JOINT, "
    "qdd:JOINT, tau:JOINT and wrench:LINK.fx to .mz, or paths such as /states/elbow/position. They "
    "are in SI units and radians, or have a unit after the name: 'elbow [deg]'. The result has one "
    "row per state.",
    NULL,
    NULL,
    NULL};

static const struct argp_child table_children[] = {
    {&hidden_plot_argp, 0, NULL, 0}, {&hidden_columns_argp, 0, NULL, 0}, {0}};

const struct argp table_argp = {table_options, parse_table, NULL, NULL, table_children, NULL, NULL};
