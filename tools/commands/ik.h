/* SPDX-License-Identifier: MIT */
/*
 * Shared parts of tandem ik: goals of links from the command line, goals for the library, and
 * tables of both.
 */
#ifndef TOOL_IK_H
#define TOOL_IK_H

#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/number_table.h"
#include "input/session.h"
#include "input/state.h"
#include "options.h"
#include "output/table_writer.h"
#include "tandem/ik.h"

/* Columns of a table with the target pose of a link, in this order. */
enum {
    PLACE_X,
    PLACE_QX = 3,
    PLACE_ROLL = 7,
    PLACE_COUNT = 10,
};

/* One link and its goals: its position, its orientation, or the direction of one of its axes. */
typedef struct link_goal {
    const char *link; /* NULL: not named yet */
    size_t index;
    bool pointed;
    double point[3]; /* in the link's coordinates */
    double at[3]; /* in the frame of link index; for a flexible link, of its segment at the point */
    double axis[3];
    bool pose, position, pointing; /* given as options; the first two also by a table */
    bool axis_given, table;        /* the table has columns of its target */
    double place[7];               /* x y z qx qy qz qw */
    double direction[3];
    int column[PLACE_COUNT]; /* in the table; −1: none */
} link_goal;

typedef struct ik_options {
    tool_options common;
    link_goal *goal;
    size_t goals;
    const char *points; /* file of --points; NULL: none */
    double noise;       /* of points (m); NaN: found */
    bool path;          /* rows are points of a path */
} ik_options;

/* Makes the library's goals from the options, after ik_find_links. */
td_status ik_goals_new(const session *s, const ik_options *options, td_ik **ik);
/* ik_targets writes the target numbers of all goals. ik_parts returns how many goals of the library
   a link's goal consists of. */
void ik_targets(const ik_options *options, double *target);
size_t ik_parts(const link_goal *goal);

/* Sums the residuals of one link's goals, in m and rad, and advances *residuals to the next link.
 */
void ik_left(const link_goal *goal, const double **residuals, double left[2]);

/* Finds the links of all goals. Prints a message and returns false for an unknown link. */
bool ik_find_links(const td_model *model, ik_options *options);

/* Reports joints that move a goal's link and whose limits allow no position or only one. y: where
   Jacobians are evaluated; NULL: the reference configuration. */
void ik_complain_ranges(const session *s, const ik_options *options, const double *y);

/* Solves a table of poses, one row of joints each. Returns the exit code. */
int ik_table(const session *s, const coordinates *c, const robot_state *x, ik_options *options);

/* Computes joints from recorded points. Returns the exit code. */
int ik_points(const session *s, const coordinates *c, const robot_state *x, ik_options *options);

/* Finds the goals' columns in a table of poses. Prints a message and returns false if they are
   invalid. *time: the column of times, −1 without one. */
bool ik_columns(const number_heading *heading, const td_model *model, ik_options *options,
                int *time);
/* Copies the poses of a row to the goals. Sets *fault and returns false if a value is missing or a
   quaternion is invalid. */
bool ik_place(ik_options *options, const double *value, const char **fault);

/* Writes results of tandem ik as rows of a table or of JSON. */
typedef struct ik_writer {
    const session *s;
    const coordinates *c;
    const ik_options *options;
    table_writer table;
    state_batch batch; /* of one row */
    double time;
    bool *kept; /* per column; NULL without --keep */
    char *kept_heading, *kept_text;
    size_t kept_size;
    const char *last; /* name of the column after the joints: reached or residual */
    bool begun;       /* the heading of JSON is written */
    size_t written;
    size_t missed; /* rows that were not reached */
} ik_writer;

ik_writer ik_writer_new(const session *s, const coordinates *c, const ik_options *options,
                        const char *last);
/* Starts the output after the heading was read; time: see ik_columns. */
bool ik_writer_start(ik_writer *w, const number_heading *heading, int time);
/* Stores a row's time and kept columns for the next result. */
void ik_writer_take(ik_writer *w, const number_row *row, int time);
/* Writes a row: the stored time and columns, positions (NULL: none), and the last column. */
void ik_writer_row(ik_writer *w, const double *y, double last);
/* Writes a row with the given time and kept columns. */
void ik_writer_kept(ik_writer *w, double time, const char *kept, const double *y, double last);
/* Frees it and returns the exit code. */
int ik_writer_end(ik_writer *w, bool good);

/* ---- paths (ik_path.c) ----------------------------------------------------------------------- */

/* A row of a path: its number in the table, and the columns written next to the result. */
typedef struct ik_path_row {
    size_t number;
    double time;
    char *kept; /* NULL: none */
    bool bad;   /* it has no target, which was reported */
} ik_path_row;

typedef struct ik_path {
    ik_path_row *row;
    double *target;
    size_t rows;
} ik_path;

/* Appends a row: its targets (count numbers; NULL: none), with time and text from the writer. */
void ik_path_add(ik_path *p, const ik_writer *w, size_t row, const double *target, size_t count);
void ik_path_free(ik_path *p);
/* Follows the path and writes its rows. Reports jumps and singular configurations. Returns an exit
   code: EXIT_NEGATIVE after jumps. Returns EXIT_COMPUTE without memory and then writes nothing. */
int ik_path_solve(ik_path *p, const session *s, td_ik *ik, const double *seed, ik_writer *w);

#endif
