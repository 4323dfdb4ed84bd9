/* SPDX-License-Identifier: MIT */
/*
 * tandem plot: a picture of a table.
 */
#include "output/plot.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/file_use.h"
#include "input/session.h"
#include "options.h"
#include "output/help_page.h"
#include "text.h"

enum { KEY_TITLE = 0x200, KEY_X, KEY_ROBOT };

typedef struct plot_command {
    plot_options options;
    const char *table;
    const char *robot; /* NULL: none */
} plot_command;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    plot_command *c = state->input;
    plot_options *options = &c->options;
    switch (key) {
    case 'o':
        options->output = arg;
        break;
    case 'c':
        options->only = reallocate(options->only, options->only_count + 1, sizeof *options->only);
        options->only[options->only_count++] = arg;
        break;
    case KEY_TITLE:
        options->title = arg;
        break;
    case KEY_X:
        options->x = arg;
        break;
    case KEY_ROBOT:
        c->robot = arg;
        break;
    case ARGP_KEY_ARG:
        if (c->table != NULL) {
            option_error(state, "more than one TABLE: '%s'", arg);
        }
        c->table = arg;
        break;
    case ARGP_KEY_END:
        if (c->table == NULL) {
            option_error(state, "the TABLE is missing ('-' is standard input)");
        } else if (options->output == NULL && strcmp(c->table, "-") == 0) {
            option_error(state, "a table from standard input needs -o FILE");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0,
     "Write the picture to FILE: .svg, .png or .pdf (default: the name of TABLE with .svg); '-' "
     "writes SVG to standard output",
     0},
    {"column", 'c', "NAME", 0,
     "Plot only this column or quantity (q, qd, qdd, tau, u); may be repeated", 0},
    {"x", KEY_X, "COLUMN", 0, "Use this column for the x axis (default t, or the row number)", 0},
    {"robot", KEY_ROBOT, "FILE", 0,
     "Read this robot: revolute and prismatic joints get separate panels, and limits near the "
     "curves are marked",
     0},
    {"title", KEY_TITLE, "TEXT", 0, "Print a title above the panels", 0},
    {0},
};
static const struct argp_child children[] = {{&help_option_argp, 0, NULL, 0}, {0}};
const struct argp plot_argp = {
    argp_options,
    parse,
    "TABLE",
    "Plot a CSV table written by another command ('-' is standard input): one panel per quantity, "
    "one curve per joint, and events as vertical lines. Needs gnuplot.\vExamples:\n  tandem plot "
    "motion.csv --robot robot.urdf -o motion.svg\n  tandem simulate robot.urdf --time 1 | tandem "
    "plot - -c q -c energy -o fall.png",
    children,
    NULL,
    NULL};

/* The picture, with what the robot's file says of its columns. */
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
    parse_words(&plot_argp, argc, argv, &c);
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
    free(c.options.only);
    free(output);
    return code;
}
