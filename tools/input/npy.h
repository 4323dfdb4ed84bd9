/* SPDX-License-Identifier: MIT */
/*
 * Arrays of doubles, or floats that are read as such, in NumPy's format (NPY 1.0 to 3.0), row by
 * row, of any length.
 */
#ifndef TOOL_NPY_H
#define TOOL_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "input/table_input.h"
#include "output/output_file.h"

/* An array that is being read: rows × columns. With names it is one of records, a double each. */
typedef struct npy_input {
    table_input *in;
    const char *name; /* of the file, for messages */
    size_t rows, columns;
    char **column; /* names; NULL: a plain array */
    bool single;   /* its numbers are floats */
    bool turned;   /* their bytes are in the other order than this machine's */
    bool latin;    /* its heading is in Latin-1, and not in UTF-8 */
} npy_input;

/* Whether a file's name ends in .npy. */
bool npy_is_path(const char *path);

/* Reads the heading of an array of doubles or floats: two dimensions in C order, or one dimension
   of records. Prints a message and returns false for other arrays. */
bool npy_open(npy_input *array, table_input *in, const char *name);
/* The next rows, at most as many as that, rows × columns doubles; 0 at the end, or after a message
   where the file is shorter than its heading says (*good is false then). */
size_t npy_read(npy_input *array, double *values, size_t rows, bool *good);
void npy_close(npy_input *array);

/* A file that is being written, under a temporary name until it is complete. */
typedef struct npy_output {
    output_file file;
    const char *const *name; /* of the fields; NULL: a plain array */
    size_t columns;
    size_t written; /* numbers */
    size_t heading; /* bytes */
} npy_output;

/* An array of rows of that many columns, with names one of records; how many rows it has is found
   when it is finished. False, with a message. */
bool npy_create(npy_output *out, const char *path, const char *const *name, size_t columns);
bool npy_write(npy_output *out, const double *values, size_t count);
/* Renames the file, or removes it where good is false or writing failed. False, with a message. */
bool npy_finish(npy_output *out, bool good);

#endif
