/* SPDX-License-Identifier: MIT */
/*
 * Recorded motion: a table with columns of joints' positions, velocities or accelerations in any
 * unit among others, and with the faults of recordings: gaps, outliers, times that go back.
 */
#ifndef TOOL_RECORDING_H
#define TOOL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/recording/filters.h"
#include "input/coordinates.h"

/* A column that is used. Of forces on links name, column, index (link × 6 + component), factor and
 * x. */
typedef struct channel {
    char *name;             /* its heading */
    size_t column;          /* in the file */
    enum quantity quantity; /* position, velocity or acceleration */
    bool follower;          /* position of a dependent joint, which is compared and not used */
    size_t index;           /* coordinate of its quantity; of a follower, in q of the tree */
    double factor;          /* from its unit */
    double *x;              /* rows, in rad, m and s; NaN if missing */
    td_filter filter;       /* what was applied */
    double noise;           /* standard deviation, in rad, m and s; NaN: too few rows to tell */
    double cutoff;          /* Hz; NaN without a filter */
    bool chosen;            /* cutoff by what it does to forces */
    size_t jumps;           /* by whole turns, which were taken out */
    size_t doubtful;        /* steps that may have turns in them */
} channel;

typedef struct recording {
    const coordinates *c; /* independent */
    const char *name;     /* of the file, for messages */
    size_t rows;
    double *t;    /* rows, s */
    size_t *line; /* rows: of the file */
    channel *channel;
    size_t channels; /* of joints */
    size_t all;      /* followed by the columns of forces on links */
} recording;

typedef struct recording_options {
    const char *path;          /* "-" is standard input */
    const column_words *words; /* --map and --unit */
    double sampled;            /* Hz, of a table without a column of times; NaN: there is one */
    bool repair;               /* drop faulty rows and values, fill gaps of any length */
    double gap;                /* s: the longest gap that is filled without being asked for */
} recording_options;

/* Reads the table, reports faulty lines, and fills gaps. Prints messages and returns false if the
   table cannot be used. */
bool recording_read(recording *r, const coordinates *c, const recording_options *options);
void recording_free(recording *r);

/* Adds the forces on links (links × 6) at t, on lines between the rows, at the ends the last ones.
 */
void recording_forces(const recording *r, double t, double *wrenches);

/* Whether the column is an angle of a joint without limits, which recordings may have modulo a
   turn; then takes the jumps out (recording_turns.c). last: and tells of them, and of jumps of
   other angles. False, with a message, without memory. */
bool recording_goes_round(const recording *r, const channel *c);
bool recording_unwrap(const recording *r, channel *c, bool last);

/* Gaps, outliers, turns and times (recording_repair.c). */
bool recording_repair(recording *r, const recording_options *options);

#endif
