/* SPDX-License-Identifier: MIT */
/*
 * tandem plot: draws a table.
 */
#include "output/plot.h"
#include "input/option_value.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/file_use.h"
#include "input/session.h"
#include "options.h"
#include "output/help_page.h"
#include "text.h"

typedef struct plot_command {
    plot_options options;
    const char *table;
    const char *robot; /* NULL: none */
} plot_command;

static void check(command_line *line)
{
    const plot_command *c = line->options;
    if (c->options.output == NULL && strcmp(c->table, "-") == 0) {
        option_error(line, "a table from standard input needs -o FILE");
    }
}

#define AT(member) .at = offsetof(plot_command, member)

static const command_option command_rows[] = {
    {"output", "FILE",
     "Write the picture to FILE: .svg, .png or .pdf (default: the name of TABLE with .svg); '-' "
     "writes SVG to standard output",
     option_text, AT(options.output), .letter = 'o'},
    {"column", "NAME", "Plot only this column or quantity (q, qd, qdd, tau, u); may be repeated",
     option_list, AT(options.only), .letter = 'c'},
    {"x", "COLUMN", "Use this column for the x axis (default t, or the row number)", option_text,
     AT(options.x)},
    {"robot", "FILE",
     "Read this robot: revolute and prismatic joints get separate panels, and limits near the "
     "curves are marked",
     option_text, AT(robot)},
    {"title", "TEXT", "Print a title above the panels", option_text, AT(options.title)},
    {0},
};
static const option_argument arguments[] = {
    {"TABLE", AT(table), "the TABLE is missing ('-' is standard input)", "more than one TABLE",
     .takes = NULL},
    {0},
};
const option_set options_of_plot = {.rows = command_rows,
                                    .usage = "TABLE",
                                    .arguments = arguments,
                                    .check = check,
                                    .about =
                                        "Plot a CSV table written by another command ('-' is "
                                        "standard input): one panel per quantity, "
                                        "one curve per joint, and events as vertical lines. Needs "
                                        "gnuplot.\vExamples:\n  tandem plot "
                                        "motion.csv --robot robot.urdf -o motion.svg\n  tandem "
                                        "simulate robot.urdf --time 1 | tandem "
                                        "plot - -c q -c energy -o fall.png",
                                    .parts = {&common_set}};

/* Draws the table, with units and names from the robot's file. */
static int draw(const plot_command *c, const plot_table *t)
{
    if (c->robot == NULL) {
        return plot_write(t, &c->options);
    }
    tool_options options = {.file = c->robot, .load = td_load_options_default()};
    session s;
    int code = session_open(&s, &options, true);
    if (code == EXIT_GOOD) {
        plot_options known = c->options;
        plot_joint *joint = plot_joints_new(s.model, &known.joints);
        known.joint = joint;
        known.energy = plot_energy(s.model);
        code = plot_write(t, &known);
        plot_joints_free(joint, known.joints);
        session_close(&s);
    }
    return code;
}

int command_plot(int argc, char **argv)
{
    plot_command c = {.table = NULL};
    parse_words(&options_of_plot, argc, argv, &c);
    char *output = NULL;
    if (c.options.output == NULL) {
        size_t length = strlen(c.table);
        bool csv = length > 4 && strcmp(c.table + length - 4, ".csv") == 0;
        output = text_format("%.*s.svg", (int)(csv ? length - 4 : length), c.table);
        c.options.output = output;
    }
    file_use files = {.reads = 0};
    file_use_read(&files, c.table);
    file_use_read(&files, c.robot);
    file_use_write(&files, c.options.output);
    plot_table t = {.columns = 0};
    int code = EXIT_USAGE;
    if (file_use_check(&files)) {
        code = plot_table_read(&t, c.table) ? draw(&c, &t) : (int)EXIT_FILE;
    }
    plot_table_free(&t);
    file_use_free(&files);
    free(c.options.only.word);
    free(output);
    return code;
}
