/* SPDX-License-Identifier: MIT */
/*
 * Internals of plots: plot_draw.c assigns columns to panels, and plot_script.c writes the script
 * for gnuplot.
 */
#ifndef TOOL_PLOT_PICTURE_H
#define TOOL_PLOT_PICTURE_H

#include <stdio.h>

#include "output/plot.h"

enum { MOST_PANELS = 16 };

typedef struct panel {
    const char *title;
    size_t *column, count;
} panel;

typedef struct picture {
    const plot_table *t;
    const plot_options *options;
    int x;         /* column, −1 for the number of the row */
    double origin; /* the value at 0 on the horizontal axis */
    panel panels[MOST_PANELS];
    size_t panel_count;
    char **titles; /* of other quantities */
    size_t title_count;
    FILE *script;
} picture;

/* Returns the name of a column without its quantity. */
const char *picture_label(const char *name);
/* Returns the unit and limits of a column, or NULL. */
const plot_joint *picture_joint(const picture *p, const char *name);
/* Returns the index of the joint of a panel's column among all joints of the picture, so that a
   joint has the same color in all panels. For other columns returns the index within the panel. */
size_t picture_place(const picture *p, const panel *shown, size_t place);

/* Returns the largest change of values in a panel that counts as rounding. */
double picture_rounding(const picture *p, const panel *shown);

/* Writes p->script. */
void picture_script(const picture *p);

#endif
