/* SPDX-License-Identifier: MIT */
/*
 * Writes chosen rows of a sweep to a part file, which an interrupted sweep continues, and in the
 * end to a NumPy array. A lock allows only one run to use the part; the system releases the lock
 * when the run ends. Checkpoints contain a digest of the rows, which detects rows of another run on
 * file systems without locks.
 */
#ifndef TOOL_SWEEP_CHOSEN_H
#define TOOL_SWEEP_CHOSEN_H

#include <stdio.h>

#include "sweep/result.h"
#include "sweep/worker.h"

typedef struct chosen_rows {
    const sweep_spec *spec;
    char *path, *part; /* of the array, and of the part: rows without a heading */
    FILE *stream;
    uint64_t chosen, written; /* numbers of rows; written is at most most_rows */
    uint64_t digest;          /* of the written rows */
    bool made;                /* the part is new; no checkpoint refers to it */
} chosen_rows;

/* Returns the path of the rows of a result, "sweep.rows.npy", in a new string. */
char *chosen_rows_path(const char *output);

/* Opens and locks the part. Keeps its rows if there is a checkpoint, otherwise empties it. Prints a
   message and returns false on failure, for example if another run uses it. The functions below
   also print a message and return false on failure. */
bool chosen_rows_open(chosen_rows *rows, const sweep_spec *spec, const char *output,
                      const char *checkpoint);
/* Continues after the rows of a checkpoint, with which the part must begin. chosen, digest: of the
   checkpoint, or 0 without one. */
bool chosen_rows_resume(chosen_rows *rows, uint64_t chosen, uint64_t digest);
bool chosen_rows_add(chosen_rows *rows, const sweep_rows *more);
/* Writes all added rows to the file, before the caller writes a checkpoint. */
bool chosen_rows_save(chosen_rows *rows);
/* chosen_rows_finish writes the array. If the process ends before chosen_rows_keep, the array is
   removed, because it has no result. The part stays until the result is written. */
bool chosen_rows_finish(chosen_rows *rows);
void chosen_rows_keep(chosen_rows *rows);
/* Closes and unlocks the part. dropped: also removes it. */
void chosen_rows_close(chosen_rows *rows, bool dropped);

/* Removes an obsolete part and checkpoint if the result exists and no other run is using them. */
void chosen_rows_clean(const char *output, const char *checkpoint);

/* Returns whether the array beside a result has the right columns and number of rows, and has
   states of the result in ascending order. most: the largest number of rows to write. */
bool chosen_rows_check(const sweep_result *r, const char *output, uint64_t most);

#endif
