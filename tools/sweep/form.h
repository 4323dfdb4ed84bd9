/* SPDX-License-Identifier: MIT */
/*
 * The form of a sweep: its columns, its reductions, and the fields that must agree before results
 * are merged. Every result contains it, so that parts can be merged without the robot.
 */
#ifndef TOOL_SWEEP_FORM_H
#define TOOL_SWEEP_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/reduction_api.h"

/* The quantity in a picture of cells: values of the column, or the number of states. */
typedef enum sweep_shown { SHOW_LARGEST, SHOW_SMALLEST, SHOW_COUNT } sweep_shown;

/* An item of "keep": a reduction, and options for reports. */
typedef struct sweep_keep {
    td_keep keep; /* its conditions point to condition */
    td_condition *condition;
    double *percentile; /* of a histogram, in percent */
    size_t percentiles;
    sweep_shown shown; /* for pictures of cells */
} sweep_keep;

typedef struct sweep_form {
    char *robot;    /* its name */
    char *isa;      /* instruction set of the kernels; results are bitwise equal only for the same
                       one */
    char *version;  /* version of the library */
    uint64_t model; /* digest of the robot as loaded, with payloads */
    uint64_t spec;  /* digest of the specification, samples and wrenches */
    uint64_t states;
    size_t examples; /* number of examples for each kind of failure */
    char **column;
    size_t columns;
    char **input; /* inputs that identify a state */
    size_t inputs;
    sweep_keep *keep;
    size_t keeps;
    char **chosen; /* columns of chosen rows; none if rows are not written */
    size_t chosens;
} sweep_form;

/* Adds an item, which the form owns. The pointer is valid until the next item is added. */
sweep_keep *sweep_form_add(sweep_form *form, td_keep_kind kind);
void sweep_keep_condition(sweep_keep *keep, size_t column, double from, double to);
void sweep_keep_percentile(sweep_keep *keep, double percent);
/* Returns the index of a column. Adds the column if it does not exist. */
size_t sweep_form_column(sweep_form *form, const char *name);
sweep_form sweep_form_copy(const sweep_form *form);
void sweep_form_free(sweep_form *form);

/* Returns the word of a specification for a reduction, such as "moments". */
const char *sweep_keep_text(td_keep_kind kind);

/* Returns "largest", "smallest" or "count". */
const char *sweep_shown_text(sweep_shown shown);

/* Returns an empty reduction. Prints a message and returns NULL if memory is short or the grid is
   too large. */
td_reduction *sweep_form_reduction(const sweep_form *form);

/* Computes the range of states of a shard, which consists of whole leaves. */
void sweep_shard_range(uint64_t states, uint64_t shard, uint64_t shards, uint64_t *first,
                       uint64_t *end);

/* The difference in messages if robots differ. */
#define SWEEP_ROBOTS "robots, or options that load them (--actuated, --fd-plan, ...)"

/* Returns which field prevents merging results of two forms, or NULL. */
const char *sweep_form_difference(const sweep_form *a, const sweep_form *b);

#endif
