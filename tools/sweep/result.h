/* SPDX-License-Identifier: MIT */
/*
 * Results of sweeps, whole ones, parts (of a shard, or at a checkpoint) and merged ones: as JSON
 * files, from which they are read again, and as text.
 */
#ifndef TOOL_SWEEP_RESULT_H
#define TOOL_SWEEP_RESULT_H

#include "output/output_file.h"
#include "sweep/form.h"

/* States that a result speaks of, in ascending order. */
typedef struct sweep_states {
    uint64_t *index;
    double *value; /* count × inputs of the form */
    size_t count;
} sweep_states;

typedef struct sweep_result {
    sweep_form form;
    td_reduction *reduction;
    sweep_states states;
    uint64_t chosen; /* rows that met the conditions of those that are written; */
    uint64_t rows;   /* of a checkpoint: digest of those that were written */
} sweep_result;

/* Returns whether all states are in it. */
bool sweep_result_complete(const sweep_result *r);
/* How many states are in it; and whether there are some, and all of them failed. */
uint64_t sweep_result_states(const sweep_result *r);
bool sweep_result_failed(const sweep_result *r);

/* Indices of all states that the result speaks of, ascending and once each, in a new array. */
uint64_t *sweep_result_spoken(const sweep_result *r, size_t *count);
/* The numbers of one; NULL where they are not known. */
const double *sweep_result_state(const sweep_result *r, uint64_t index);

/* Returns the text of a result's file in a new string. brief: like checkpoints, without the lists
   of all cells, which the reduction contains. Prints a message and returns NULL without memory. */
char *sweep_result_text(const sweep_result *r, bool brief);
/* What such a text ends with behind its first bytes, with a checksum of these; a new string. */
char *sweep_result_end(const char *text, size_t length);
/* Writes a file. False with a message. */
bool sweep_result_write(const sweep_result *r, const char *path, bool brief);
/* The same to standard output, without what only merging needs. */
void sweep_result_print_json(const sweep_result *r);
/* For people, to standard output. */
void sweep_result_print(const sweep_result *r);

/* What went wrong with a state. */
const char *sweep_failure_text(td_status status);

/* " where limits:position = 0 and x:hand from 0 to 1", "" without conditions; a new string. */
char *sweep_conditions_text(const sweep_form *form, const sweep_keep *keep);

/* Reads a file of sweep_result_write. Prints a message and returns false if it is another file or
   was changed. */
bool sweep_result_read(sweep_result *r, const char *path);
/* The same of such a file's text; name stands for it in messages. */
bool sweep_result_parse(sweep_result *r, const char *text, const char *name);
void sweep_result_free(sweep_result *r);

/* Adds the states of another result, whose reduction is merged already, that r still speaks of. */
void sweep_result_take_states(sweep_result *r, const sweep_result *other);

#endif
