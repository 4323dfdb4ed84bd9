/* SPDX-License-Identifier: MIT */
/*
 * The form of a sweep without its robot: the columns of its states, the reductions of them, and the
 * fields that must be equal in results that belong together. It is part of every result, so that
 * parts can be merged without the robot.
 */
#ifndef TOOL_SWEEP_FORM_H
#define TOOL_SWEEP_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/reduction_api.h"

/* What a picture of cells shows: numbers of the column, or how many states are in them. */
typedef enum sweep_shown { SHOW_LARGEST, SHOW_SMALLEST, SHOW_COUNT } sweep_shown;

/* One thing that is kept, as the reduction knows it, and what the report wants of it. */
typedef struct sweep_keep {
    td_keep keep; /* its conditions are those below */
    td_condition *condition;
    double *percentile; /* of a histogram, per cent */
    size_t percentiles;
    sweep_shown shown; /* of cells, in pictures */
} sweep_keep;

typedef struct sweep_form {
    char *robot;    /* its name */
    char *isa;      /* the kernels: results have the same bits on equal ones alone */
    char *version;  /* of the library */
    uint64_t model; /* digest of the robot as it was loaded, with what it carries; */
    uint64_t spec;  /* and of the specification, samples and wrenches */
    uint64_t states;
    size_t examples; /* of each kind of failure */
    char **column;
    size_t columns;
    char **input; /* inputs that identify a state */
    size_t inputs;
    sweep_keep *keep;
    size_t keeps;
    char **chosen; /* columns of rows that are kept as such, none: no such rows */
    size_t chosens;
} sweep_form;

/* Adds a keep, which the form owns, and which may be filled further until the next is added. */
sweep_keep *sweep_form_add(sweep_form *form, td_keep_kind kind);
void sweep_keep_condition(sweep_keep *keep, size_t column, double from, double to);
void sweep_keep_percentile(sweep_keep *keep, double percent);
/* Index of a column, which is added where it is not there yet; and of one that is there, or -1. */
size_t sweep_form_column(sweep_form *form, const char *name);
sweep_form sweep_form_copy(const sweep_form *form);
void sweep_form_free(sweep_form *form);

/* Returns the word of a specification for a reduction, such as "moments". */
const char *sweep_keep_text(td_keep_kind kind);

/* "largest", "smallest" or "count". */
const char *sweep_shown_text(sweep_shown shown);

/* An empty reduction of the form; NULL, with a message, without memory or where the grid is too
   large. */
td_reduction *sweep_form_reduction(const sweep_form *form);

/* Which states a shard has: whole leaves of the reduction. */
void sweep_shard_range(uint64_t states, uint64_t shard, uint64_t shards, uint64_t *first,
                       uint64_t *end);

/* What differs in the robot, for messages. */
#define SWEEP_ROBOTS "robots, or options that load them (--actuated, --fd-plan, ...)"

/* What differs between forms whose results do not belong together, NULL where they do. */
const char *sweep_form_difference(const sweep_form *a, const sweep_form *b);

#endif
