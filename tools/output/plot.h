/* SPDX-License-Identifier: MIT */
/*
 * Draws pictures of tables with gnuplot: a panel for each quantity, a curve for each joint.
 */
#ifndef TOOL_PLOT_H
#define TOOL_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "input/column_words.h"

#include "tandem/tandem.h"

/* A table by columns. Only the column event keeps its text. */
typedef struct plot_table {
    size_t columns, rows, capacity;
    char **name;
    double **value; /* NaN if a cell is not a number */
    bool *numeric;  /* some row has a number */
    char **event;   /* per row; NULL without an event */
} plot_table;

/* Reads a CSV table ("-" is standard input). Prints a message and returns false on failure. */
bool plot_table_read(plot_table *t, const char *path);
void plot_table_free(plot_table *t);

/* The unit of a column, and limits to draw. */
typedef struct plot_joint {
    char *column;
    bool slides;         /* units are m, N, ... instead of rad, N m, ... */
    double lower, upper; /* infinite if there is no limit */
} plot_joint;

/* Returns the units and limits of all columns that the joints of a robot may have, in a new
   array. */
plot_joint *plot_joints_new(const td_model *model, size_t *count);
void plot_joints_free(plot_joint *joints, size_t count);

typedef struct plot_options {
    const plot_joint *joint; /* units and limits of columns */
    size_t joints;
    const char *output; /* .svg, .png or .pdf */
    const char *title;  /* NULL: none */
    const char *x;      /* name of the column across; NULL: t, or else the number of the row */
    word_list only;     /* names of columns, or quantities (q, tau, energy); none: all */
    bool results;       /* also columns QUANTITY:NAME of other quantities, a panel for each */
    double energy;      /* what energies of the robot are large beside, J; 0: not known */
} plot_options;

/* Returns whether a file's name has the suffix of a picture. */
bool plot_is_picture(const char *path);

/* Returns the weight of the robot times its size. */
double plot_energy(const td_model *model);

/* Returns whether gnuplot is installed. Otherwise prints a message. */
bool plot_possible(void);

/* Draws the picture under a temporary name and renames it. Returns an exit_code. Prints a message
   on failure, for example if gnuplot or a column is missing. */
int plot_write(const plot_table *t, const plot_options *options);

#endif
