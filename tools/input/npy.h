/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes arrays in NumPy's format (NPY 1.0 to 3.0) row by row, of any length. Reads
 * doubles and floats; writes doubles.
 */
#ifndef TOOL_NPY_H
#define TOOL_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "input/table_input.h"
#include "output/output_file.h"

/* An array that is being read: rows × columns, or, with names, rows of records with one number per
   field. */
typedef struct npy_input {
    table_input *in;
    const char *name; /* of the file, for messages */
    size_t rows, columns;
    char **column; /* names of fields; NULL for a plain array */
    bool single;   /* the numbers are floats */
    bool turned;   /* the byte order differs from this machine's */
    bool latin;    /* the heading is in Latin-1, not in UTF-8 */
} npy_input;

/* Returns whether a file's name ends in .npy. */
bool npy_is_path(const char *path);

/* Reads the heading of an array of doubles or floats: two dimensions in C order, or one dimension
   of records. Prints a message and returns false for all other arrays. */
bool npy_open(npy_input *array, table_input *in, const char *name);
/* Reads at most rows further rows into values (rows × columns). Returns their number, 0 at the end.
   If the file is shorter than its heading declares, prints a message, sets *good to false and
   returns 0. */
size_t npy_read(npy_input *array, double *values, size_t rows, bool *good);
void npy_close(npy_input *array);

/* An array that is being written. The file has a temporary name until it is complete. */
typedef struct npy_output {
    output_file file;
    const char *const *name; /* of the fields; NULL for a plain array */
    size_t columns;
    size_t written; /* numbers */
    size_t heading; /* bytes */
} npy_output;

/* Begins an array with the given number of columns, or of records if name is not NULL. npy_finish
   sets the number of rows. Prints a message and returns false on failure. */
bool npy_create(npy_output *out, const char *path, const char *const *name, size_t columns);
bool npy_write(npy_output *out, const double *values, size_t count);
/* Gives the file its name, or removes it if good is false. If writing failed, removes it, prints a
   message and returns false. */
bool npy_finish(npy_output *out, bool good);

#endif
