/* SPDX-License-Identifier: MIT */
/*
 * Points on links that were recorded: for tandem ik --points.
 */
#ifndef TOOL_IK_MARKERS_H
#define TOOL_IK_MARKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/number_table.h"
#include "tandem/tandem.h"

/* A point that was recorded. */
typedef struct marker {
    char *name;
    size_t link;
    double point[3]; /* in the link's coordinates */
    int column[3];   /* of the recording */
    bool recorded;   /* it has columns there */
    bool seen;       /* in this row */
} marker;

typedef struct marker_list {
    const td_model *model;
    const char *name; /* of their table, for messages */
    marker *marker;
    size_t count;
    size_t place[5]; /* of point, link, x, y, z in it */
} marker_list;

/* The table of points: point, link, x, y, z. False with a message. */
bool markers_read(marker_list *list, const td_model *model, const char *path);
void markers_free(marker_list *list);

/* Finds the columns of the points in a recording, POINT.x and so on, and reports points without
   columns. Prints a message and returns false on errors. */
bool markers_find(marker_list *list, const number_heading *heading);

#endif
