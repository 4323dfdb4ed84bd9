/* SPDX-License-Identifier: MIT */
/*
 * Chosen rows of a sweep, written as they come into a file that a sweep which was stopped goes on
 * with, and in the end as an array of NumPy.
 */
#ifndef TOOL_SWEEP_CHOSEN_H
#define TOOL_SWEEP_CHOSEN_H

#include <stdio.h>

#include "sweep/worker.h"

typedef struct chosen_rows {
    const sweep_spec *spec;
    char *path, *part; /* of the array, and of rows without a heading */
    FILE *stream;
    uint64_t chosen, written; /* rows; at most most_rows are written */
} chosen_rows;

/* The file of the rows beside that of a result: "sweep.rows.npy"; and where they are until the
   sweep is done. New strings. */
char *chosen_rows_path(const char *output);
char *chosen_rows_part(const char *output);

/* chosen says how many rows there were before. Opens the part, cut to the rows that are written
 * already. All return false with a message. */
bool chosen_rows_open(chosen_rows *rows, const sweep_spec *spec, const char *output);
bool chosen_rows_add(chosen_rows *rows, const sweep_rows *more);
/* All that was added is in the file. */
bool chosen_rows_save(chosen_rows *rows);
/* Makes the array. The part stays until the result is written (sweep_forget). */
bool chosen_rows_finish(chosen_rows *rows);
/* dropped: nothing goes on with the part, which is removed. */
void chosen_rows_close(chosen_rows *rows, bool dropped);

#endif
