/* SPDX-License-Identifier: MIT */
/*
 * Reads recorded motion: a table with positions, velocities or accelerations of joints in any
 * units, possibly among other columns. Handles gaps, outliers and decreasing times.
 */
#ifndef TOOL_RECORDING_H
#define TOOL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/recording/filters.h"
#include "input/coordinates.h"

/* A column in use. For wrenches on links and columns of feet only name, column, index, factor and x
   are set. Their index is in links × 6, followed by feet × FOOT_COLUMNS. */
typedef struct channel {
    char *name;             /* its heading */
    size_t column;          /* in the file */
    enum quantity quantity; /* position, velocity or acceleration */
    bool follower;          /* position of a dependent joint, used only for comparison */
    size_t index;           /* coordinate of its quantity; for a follower, its position in q */
    double factor;          /* converts from its unit */
    double *x;              /* rows, in rad, m and s; NaN if missing */
    td_filter filter;       /* the filter that was applied */
    double noise;           /* standard deviation, in rad, m and s; NaN if there are too few rows */
    double cutoff;          /* Hz; NaN without a filter */
    bool chosen;            /* the cutoff was chosen by its effect on forces */
    size_t jumps;           /* jumps by whole turns that were removed */
    size_t doubtful;        /* steps that may include a turn */
} channel;

typedef struct recording {
    const coordinates *c; /* independent */
    const char *name;     /* of the file, for messages */
    size_t rows;
    double *t;    /* rows, s */
    size_t *line; /* rows: the line in the file */
    channel *channel;
    size_t channels; /* of joints */
    size_t all;      /* joints, then wrenches on links and columns of feet */
} recording;

typedef struct recording_options {
    const char *path;          /* "-" is standard input */
    const column_words *words; /* --map and --unit */
    double sampled;            /* Hz, for a table without a column of times; NaN if it has one */
    bool repair;               /* drop faulty rows and values, fill gaps of any length */
    double gap;                /* s: the longest gap that is filled without --repair */
    const char *const *feet;   /* links whose plates and contacts are read */
    size_t foot_count;
} recording_options;

/* Reads the table, reports faulty lines, and fills gaps. Prints messages and returns false if the
   table cannot be used. */
bool recording_read(recording *r, const coordinates *c, const recording_options *options);
void recording_free(recording *r);

/* Adds the values at time t of the columns of wrenches and feet whose index is between first and
   first + count, to values (count). Interpolates linearly between rows and extends the first and
   last rows. */
void recording_forces(const recording *r, double t, size_t first, size_t count, double *values);

/* Returns the joint of a column, which may be a follower. */
size_t recording_joint(const recording *r, const channel *c);

/* Lists the columns of the quaternion that a column is part of, in the order of the table; missing
   components are 0. Returns their number, 0 if it is no part of one (recording_quaternions.c). */
size_t recording_quaternion(const recording *r, const channel *c, channel *part[4]);
/* Returns −1 if the column belongs to a quaternion that has the other sign, in a row, than the one
   in a position q; else 1. */
double recording_sign(const recording *r, const channel *c, size_t row, const double *q);
/* Scales all quaternions to unit length; incomplete ones become missing values. With repair,
   quaternions of another length become missing values, too. Prints messages, and returns false
   without repair if there are some. */
bool recording_check_quaternions(recording *r, bool repair);
/* Chooses the signs of a quaternion's rows, so that it changes least from row to row. last: reports
   rows that are too far apart. */
void recording_align(const recording *r, channel *const *part, size_t parts, bool last);

/* recording_goes_round returns whether the column is an angle of a joint without limits, which
   may be recorded modulo a turn. recording_unwrap removes the jumps of such an angle; last: also
   reports them and jumps of other angles. It prints a message and returns false if memory is
   short. */
bool recording_goes_round(const recording *r, const channel *c);
bool recording_unwrap(const recording *r, channel *c, bool last);

/* Repairs times, gaps, outliers and turns (recording_repair.c). Prints messages and returns false
   if the recording cannot be used. */
bool recording_repair(recording *r, const recording_options *options);

#endif
