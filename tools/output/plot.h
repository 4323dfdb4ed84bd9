/* SPDX-License-Identifier: MIT */
/*
 * Pictures of tables: a panel for each quantity, a curve for each joint, drawn by gnuplot, which
 * reads its commands through a pipe.
 */
#ifndef TOOL_PLOT_H
#define TOOL_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* A table by columns. Text is kept of columns that are named event alone. */
typedef struct plot_table {
    size_t columns, rows, capacity;
    char **name;
    double **value; /* NaN where there is no number */
    bool *numeric;  /* some row has a number */
    char **event;   /* per row, NULL without one */
} plot_table;

/* Reads a CSV table ("-" is standard input). False, with a message, where something is wrong. */
bool plot_table_read(plot_table *t, const char *path);
void plot_table_free(plot_table *t);

/* Facts about a column: its unit, and limits to mark. */
typedef struct plot_joint {
    char *column;
    bool slides;         /* m, N, ... in place of rad, N m, ... */
    double lower, upper; /* infinite: none */
} plot_joint;

/* Of all columns that the joints of a robot may have, in a new array. */
plot_joint *plot_joints_new(const td_model *model, size_t *count);
void plot_joints_free(plot_joint *joints, size_t count);

typedef struct plot_options {
    const plot_joint *joint; /* facts about columns */
    size_t joints;
    const char *output; /* .svg, .png or .pdf */
    const char *title;  /* NULL: none */
    const char *x;      /* name of the column across; NULL: t, or else the number of the row */
    const char **only;  /* names of columns, or quantities (q, tau, energy); none: all */
    size_t only_count;
    bool results;  /* also columns QUANTITY:NAME of other quantities, a panel for each */
    double energy; /* what energies of the robot are large beside, J; 0: not known */
} plot_options;

/* Whether a file's name ends as one of a picture. */
bool plot_is_picture(const char *path);

/* Its weight times its size. */
double plot_energy(const td_model *model);

/* Whether there is gnuplot; false with a message. */
bool plot_possible(void);

/* Draws the picture, which is written to a temporary name and renamed. Returns an exit_code, with a
   message where something is wrong: gnuplot is missing, a column does not exist. */
int plot_write(const plot_table *t, const plot_options *options);

#endif
