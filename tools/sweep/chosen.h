/* SPDX-License-Identifier: MIT */
/*
 * Chosen rows of a sweep, written as they come into a file that a sweep which was stopped goes on
 * with, and in the end as an array of NumPy. One run at a time has that file: it holds a lock,
 * which the system frees however the run ends. A digest of the rows goes along, in checkpoints too,
 * so that rows of another run would be found where locks do not work.
 */
#ifndef TOOL_SWEEP_CHOSEN_H
#define TOOL_SWEEP_CHOSEN_H

#include <stdio.h>

#include "sweep/result.h"
#include "sweep/worker.h"

typedef struct chosen_rows {
    const sweep_spec *spec;
    char *path, *part; /* of the array, and of rows without a heading */
    FILE *stream;
    uint64_t chosen, written; /* rows; at most most_rows are written */
    uint64_t digest;          /* of those that are written */
    bool made;                /* the part is new, and no checkpoint knows it */
} chosen_rows;

/* Returns the path of the rows of a result, "sweep.rows.npy", in a new string. */
char *chosen_rows_path(const char *output);

/* Takes the part, which stays as it is where there is a checkpoint, and is empty otherwise. False,
   with a message, where another run has it. All others, too, return false with a message. */
bool chosen_rows_open(chosen_rows *rows, const sweep_spec *spec, const char *output,
                      const char *checkpoint);
/* Goes on behind the rows of a checkpoint, or begins: chosen as the checkpoint says, 0 without
   one, and digest likewise. They must be those that the part begins with. */
bool chosen_rows_resume(chosen_rows *rows, uint64_t chosen, uint64_t digest);
bool chosen_rows_add(chosen_rows *rows, const sweep_rows *more);
/* All that was added is in the file, which a checkpoint that is now written goes on with. */
bool chosen_rows_save(chosen_rows *rows);
/* Makes the array, and the second keeps it: where the process ends before that, the array goes, for
   it has no result. The part stays until the result is written. */
bool chosen_rows_finish(chosen_rows *rows);
void chosen_rows_keep(chosen_rows *rows);
/* dropped: nothing goes on with the part, which is removed. */
void chosen_rows_close(chosen_rows *rows, bool dropped);

/* Removes a part and a checkpoint that nobody goes on with, since the result is there; no run that
   is at work loses them. */
void chosen_rows_clean(const char *output, const char *checkpoint);

/* Returns whether the array next to a result has its rows: its columns, the right number, and
   states of the result in ascending order. most: the largest number of rows that is written. */
bool chosen_rows_check(const sweep_result *r, const char *output, uint64_t most);

#endif
