/* SPDX-License-Identifier: MIT */
/*
 * Recorded points on links, for tandem ik --points and tandem calibrate.
 */
#ifndef TOOL_IK_MARKERS_H
#define TOOL_IK_MARKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/column_words.h"
#include "input/number_table.h"
#include "tandem/tandem.h"

/* A recorded point. */
typedef struct marker {
    char *name;
    char *source; /* name in the recording, if --map gives one; NULL: the same name */
    bool ignored; /* --map leaves it out */
    size_t link;
    double point[3]; /* in the link's coordinates */
    int column[3];   /* columns in the recording */
    bool recorded;   /* the recording has its columns */
    bool seen;       /* present in this row */
} marker;

typedef struct marker_list {
    const td_model *model;
    const char *name; /* name of their table, for messages */
    marker *marker;
    size_t count;
    size_t place[5]; /* columns of point, link, x, y, z in the table */
} marker_list;

/* Reads the table of points: point, link, x, y, z. Prints a message and returns false on failure.
 */
bool markers_read(marker_list *list, const td_model *model, const char *path);
void markers_free(marker_list *list);

/* Applies --map NAME=POINT, NAME=LINK and POINT= (to leave a point out). A link that is no point is
   added as a point at its origin. Ends the program for unknown names. Returns true. */
bool markers_map(marker_list *list, const word_list *map);

/* Finds the columns of the points in a recording, POINT.x or x:POINT and so on, applies --unit, and
   reports points without columns. Prints a message and returns false on errors. */
bool markers_find(marker_list *list, const number_heading *heading, const column_words *words);

/* Writes the positions of all points (count × 3), NaN for points that are not in this row. seen: of
   the points in this row, one after the other. */
void markers_spread(const marker_list *list, const double *seen, double *all);

#endif
