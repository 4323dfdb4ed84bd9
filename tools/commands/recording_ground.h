/* SPDX-License-Identifier: MIT */
/*
 * Ground reactions of a recorded motion (--ground), and their split among feet (--foot). Parts:
 * options, rows and contacts (recording_ground.c), shares of feet (recording_feet.c), the report
 * (recording_ground_report.c).
 */
#ifndef TOOL_RECORDING_GROUND_H
#define TOOL_RECORDING_GROUND_H

#include "commands/ground.h"
#include "input/column_words.h"
#include "input/recording.h"
#include "input/state_form.h"
#include "output/table_output.h"

typedef struct ground_options {
    ground_option plane;
    word_list foot;        /* LINK or LINK:X,Y,Z */
    word_list plate;       /* LINK:X,Y,Z */
    double contact_height; /* m; NaN: not given */
} ground_options;

/* A link that touches the ground at one point. */
typedef struct ground_foot {
    const char *name; /* of the link */
    size_t link;
    double point[3]; /* m, in the link's coordinates */
    double plate[3]; /* m, world: reference point of the plate's moments */
    bool has_plate;
    bool has_contact; /* the recording has a column of contacts */
} ground_foot;

/* The ground reactions of all rows of a motion. */
typedef struct ground_motion {
    ground_plane plane;
    const ground_options *options;
    const session *s;
    ground_foot *foot;
    const char **foot_name;
    size_t feet;
    size_t n; /* rows */
    const double *t;
    double *numbers;  /* n × GROUND_ALL */
    double *points;   /* n × feet × 3: contact points, m, world */
    double *measured; /* n × feet × FOOT_COLUMNS: 0 without columns */
    bool *contact;    /* n × feet */
    double *wrenches; /* n × feet × 6: about the contact points, in world axes */
} ground_motion;

/* Reads the options and finds the links. Prints a message and returns false on failure. Must be
   freed in both cases. */
bool ground_motion_new(ground_motion *m, const ground_options *options, td_frame frame,
                       const session *s);
void ground_motion_free(ground_motion *m);

/* Finds the columns of feet in the recording. Prints a message and returns false if a column of a
   plate is missing, or if contacts of a foot are unknown. */
bool ground_motion_find_columns(ground_motion *m, const recording *r);

/* Allocates n rows at the times t, and interpolates the columns of feet there. */
void ground_motion_rows(ground_motion *m, size_t n, const double *t, const recording *r);

/* Computes row i, at a state with a result. ground_motion_fail sets the row to NaN. */
td_status ground_motion_row(ground_motion *m, size_t i, const ground_state *state);
void ground_motion_fail(ground_motion *m, size_t i);

/* After all rows: finds contacts and splits the wrenches among feet (recording_feet.c). */
void ground_motion_split(ground_motion *m);

/* Declares the columns of the table, and writes row i. */
void ground_motion_heading(const ground_motion *m, table_output *t);
void ground_motion_write(const ground_motion *m, size_t i, table_output *t);

/* Print the report (recording_ground_report.c). The CSV form returns lines by put. */
void ground_motion_print(const ground_motion *m);
void ground_motion_add_json(const ground_motion *m, cJSON *root);
typedef void ground_line(const char *kind, const char *name, const char *quantity, double value,
                         const char *unit, double t);
void ground_motion_put(const ground_motion *m, ground_line *put);

#endif
