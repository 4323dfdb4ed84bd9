/* SPDX-License-Identifier: MIT */
/*
 * Implements the arguments of commands that write tables, see options.h: --plot, -o and --keep.
 */
#include <string.h>

#include "input/npy.h"
#include "input/option_value.h"
#include "options.h"
#include "output/plot.h"

#define AT(member) .at = offsetof(tool_options, member)

static const command_option plot_rows[] = {
    {"plot", "FILE", "Plot the table to FILE: .svg, .png, .pdf", option_text, AT(plot)}, {0}};
static const option_rule plot_rules[] = {
    {"plot", NULL, "json", "--plot draws a table, but --json prints none; leave one of them out"},
    {0},
};
const option_set picture_set = {.rows = plot_rows, .rules = plot_rules};

static const command_option column_rows[] = {
    {"map", "COLUMN=JOINT", "Map a column to JOINT, q:JOINT, qd:JOINT, t, nothing", option_list,
     AT(columns.map)},
    {"unit", "[COLUMN=]UNIT", "Set the unit of a column, or of all: deg, mm, rpm, ms", option_list,
     AT(columns.unit)},
    {0},
};
const option_set columns_set = {.rows = column_rows};

/* Exits if the command cannot write a table in the format of the suffix. */
static void check_suffix(const char *path, bool json, const command_line *line)
{
    const char *suffix = path_suffix(path);
    if (strcmp(suffix, ".json") == 0 && !json) {
        option_error(line, "%s: the table is not written as JSON", path);
    } else if (*suffix != '\0' && strcmp(suffix, ".csv") != 0 && strcmp(suffix, ".json") != 0 &&
               !npy_is_path(path) && !plot_is_picture(path)) {
        option_error(line,
                     "%s: write a table to .csv (or no suffix), .npy,%s or as a picture to .svg, "
                     ".png or .pdf",
                     path, json ? " .json," : "");
    }
}

/* Checks that --json does not contradict the suffix of the file. json: --json prints the table
   itself and not a separate report. */
static void check_json(const tool_options *options, const char *path, bool json,
                       const command_line *line)
{
    const char *suffix = path_suffix(path);
    if (json && options->json && *suffix != '\0' && strcmp(suffix, ".json") != 0) {
        option_error(
            line,
            "--json does not match the suffix of %s; name the file .json, or leave out --json",
            path);
    }
}

void options_take_suffix(tool_options *options, const char **output, bool json,
                         const command_line *line)
{
    const bool array = *output != NULL && npy_is_path(*output);
    const bool drawn = *output != NULL && options->plot != NULL;
    if (*output != NULL) {
        check_suffix(*output, json, line);
        check_json(options, *output, json, line);
        options->json_file = !options->json && strcmp(path_suffix(*output), ".json") == 0;
        options->json = options->json || options->json_file;
    }
    if (drawn && (array || strcmp(*output, "-") == 0 || plot_is_picture(*output))) {
        option_error(line,
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
        option_error(line, "--plot draws a table, but --json prints none; leave one of them out");
    }
}

bool options_tabular(const tool_options *options)
{
    return options->states != NULL || (options->output != NULL && !options->json);
}

/* Checks that the options do not contradict each other. */
static void check_table(command_line *line)
{
    tool_options *options = line->options;
    const bool table = options->states != NULL || options->tabular;
    if (options->file_count > 1 && (options->output != NULL || options->plot != NULL)) {
        option_error(line, "with several FILEs, leave out -o and --plot");
    }
    if (options->output != NULL && plot_is_picture(options->output) && !table) {
        option_error(line, "%s: only a table can be drawn as a picture; give STATES",
                     options->output);
    } else if (options->keep && options->states == NULL) {
        option_error(line, "--keep copies columns of STATES; give STATES");
    }
    options_take_suffix(options, &options->output, true, line);
    if (options->keep && (options->json || npy_is_path(options->states) ||
                          (options->output != NULL && npy_is_path(options->output)))) {
        option_error(line, "--keep copies columns from CSV to CSV only");
    }
}

static const command_option written_rows[] = {
    {"output", "FILE",
     "Write the table of STATES, or the one state as a table, to FILE, which appears when it is "
     "complete: CSV, .json, .npy, or a picture (.svg, .png, .pdf)",
     option_text, AT(output), .letter = 'o'},
    {"plot", "FILE",
     "Plot the table instead of printing it: .svg, .png or .pdf (needs gnuplot); with -o write "
     "both",
     option_text, AT(plot)},
    {"keep", NULL, "Keep the columns of STATES before those of the result", option_flag, AT(keep)},
    {0},
};
static const command_option hidden_column_rows[] = {
    {"map", "COLUMN=JOINT",
     "Say what a column of the table is: JOINT, q:JOINT, qd:JOINT and so on, or t; nothing leaves "
     "it out. Columns that already have such a name, or 'time', need no --map",
     option_list, AT(columns.map)},
    {"unit", "[COLUMN=]UNIT",
     "Set the unit of a column, or of all columns and values of -q without a unit: deg, mm, rpm, "
     "ms and so on (default: the unit in the heading, as 'elbow [deg]', else radians and SI units)",
     option_list, AT(columns.unit)},
    {0},
};
static const command_option table_rows[] = {
    {"-o, --plot, --keep, --map, --unit",
     .help = "Read and write tables and pictures: 'tandem help table'"},
    {0},
};
static const option_set written_set = {
    .rows = written_rows, .rules = plot_rules, .page = &table_page};
const option_set hidden_columns_set = {.rows = hidden_column_rows, .page = &table_page};
const option_set table_set = {
    .rows = table_rows, .check = check_table, .parts = {&written_set, &hidden_columns_set}};

const option_set table_page = {
    .usage = "FILE STATES",
    .about =
        "These options control how commands read and write tables of states. STATES ('-' is "
        "standard input) is a CSV file, a NumPy array, or joint states that 'ros2 topic echo' "
        "printed (YAML or --csv), optionally compressed by gzip. Its "
        "columns, in any order, are t (seconds, clock times or dates), q:JOINT or the joint's "
        "name, qd:JOINT, qdd:JOINT, tau:JOINT and wrench:LINK.fx to .mz, or paths such as "
        "/states/elbow/position. They are in SI units and radians, or have a unit after the name: "
        "'elbow [deg]'. The result has one row per state.",
    .parts = {&written_set, &hidden_columns_set}};
