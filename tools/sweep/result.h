/* SPDX-License-Identifier: MIT */
/*
 * Results of sweeps: complete, of a shard, at a checkpoint, or merged. Reads and writes them as
 * JSON files, and prints them as text.
 */
#ifndef TOOL_SWEEP_RESULT_H
#define TOOL_SWEEP_RESULT_H

#include "output/output_file.h"
#include "sweep/form.h"

/* The states that a result mentions, in ascending order. */
typedef struct sweep_states {
    uint64_t *index;
    double *value; /* count × inputs of the form */
    size_t count;
} sweep_states;

typedef struct sweep_result {
    sweep_form form;
    td_reduction *reduction;
    sweep_states states;
    uint64_t chosen; /* number of rows that meet the conditions for writing */
    uint64_t rows;   /* in a checkpoint: digest of the written rows */
} sweep_result;

/* Returns whether the result contains all states. */
bool sweep_result_complete(const sweep_result *r);
/* Return how many states the result contains, and whether it has states and all of them failed. */
uint64_t sweep_result_states(const sweep_result *r);
bool sweep_result_failed(const sweep_result *r);

/* Returns the indices of all states that the result mentions, ascending and without duplicates, in
   a new array. */
uint64_t *sweep_result_spoken(const sweep_result *r, size_t *count);
/* Returns the inputs of a state, or NULL if unknown. */
const double *sweep_result_state(const sweep_result *r, uint64_t index);

/* Returns the text of a result's file in a new string. brief: omit the lists of all cells, as in
   checkpoints, since the reduction contains them. Prints a message and returns NULL if memory is
   short. */
char *sweep_result_text(const sweep_result *r, bool brief);
/* Returns the end of such a text after its first length bytes, with their checksum, in a new
   string. */
char *sweep_result_end(const char *text, size_t length);
/* Writes a file. Prints a message and returns false on failure. */
bool sweep_result_write(const sweep_result *r, const char *path, bool brief);
/* Prints the result as JSON to standard output, without the fields that only merging needs. */
void sweep_result_print_json(const sweep_result *r);
/* Prints the result as text to standard output. */
void sweep_result_print(const sweep_result *r);

/* Returns why a state failed. */
const char *sweep_failure_text(td_status status);

/* Returns " where limits:position = 0 and x:hand from 0 to 1", or "" without conditions, in a new
   string. */
char *sweep_conditions_text(const sweep_form *form, const sweep_keep *keep);

/* Reads a file of sweep_result_write. Prints a message and returns false if it is another file or
   was changed. */
bool sweep_result_read(sweep_result *r, const char *path);
/* Does the same for the text of such a file. name: the name in messages. */
bool sweep_result_parse(sweep_result *r, const char *text, const char *name);
void sweep_result_free(sweep_result *r);

/* Adds states of another result, as far as r mentions them after the reductions were merged. */
void sweep_result_take_states(sweep_result *r, const sweep_result *other);

#endif
