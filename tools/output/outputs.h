/* SPDX-License-Identifier: MIT */
/*
 * The named results of a command for one state of a robot. A command declares them once. The
 * declaration determines columns of tables (CSV, NumPy arrays, pictures), JSON and text.
 */
#ifndef TOOL_OUTPUTS_H
#define TOOL_OUTPUTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/state.h"

typedef enum output_kind {
    /* Numbers, each with a name in column. JSON: a number, a list of three (null if one is NaN), or
       an object of names. Columns: prefix:NAME. */
    OUTPUT_NUMBER,
    OUTPUT_POINT,
    OUTPUT_NAMED,
    /* rows × columns, row-major. JSON: a list of rows, or null if it does not exist (NaN). Columns:
       prefix:ROW,COLUMN, or ROW:COLUMN without a prefix; for symmetric matrices only the lower
       triangle. */
    OUTPUT_MATRIX,
    OUTPUT_SYMMETRIC,
    /* Numbers for each name in row. JSON: an object of names. POSES: position and quaternion
       (x, y, z, w), columns x:ROW to qw:ROW. WRENCHES: moment, force, and for each component the
       largest change by self-stress; columns prefix:ROW.mx to prefix:ROW.fz. */
    OUTPUT_POSES,
    OUTPUT_WRENCHES,
} output_kind;

/* Numbers for each row of POSES, and of WRENCHES: a wrench and its ambiguity. */
enum { POSE_NUMBERS = 7, WRENCH_PARTS = 6, WRENCH_NUMBERS = 2 * WRENCH_PARTS };

/* How numbers in text are rounded. Numbers of a group with a positive index are rounded relative to
   the largest of them. */
enum { GROUP_PLACE = 0, GROUP_BRIEF = -1 };

typedef struct output {
    output_kind kind;
    const char *key;    /* in JSON */
    const char *prefix; /* prefix of columns; NULL: see OUTPUT_MATRIX */
    const char *title;  /* in text; default: the key */
    const char *const *row, *const *column;
    size_t rows, columns;
    const char *unit;         /* in text */
    const char *const *units; /* for each number of NAMED */
    bool coordinates;         /* NAMED: the values are a quantity of the joints */
    enum quantity quantity;
    const char *none; /* in text, for values that do not exist (NaN); NULL: omit the row */
    int group;        /* of NUMBER and POINT: GROUP_PLACE, GROUP_BRIEF, or above 0 */
    bool no_columns;  /* omit from tables */
} output;

typedef struct outputs {
    const coordinates *c;      /* of the state */
    const coordinates *result; /* of the outputs; default: the same */
    output *each;
    size_t count;
    bool plain;      /* NumPy arrays contain only the first output, without names */
    bool one_by_one; /* states are not computed in batches */
    void **kept;
    size_t kept_count;
} outputs;

output *outputs_add(outputs *o, output declared);
/* Returns the pointer; outputs_free will free it. */
void *outputs_keep(outputs *o, void *pointer);
void outputs_free(outputs *o);

/* Returns how many numbers an output has for one state. */
size_t output_size(const output *declared);

/* The columns of a table: names, and the indices of their numbers. */
typedef struct output_place {
    size_t output, index;
} output_place;

typedef struct outputs_table {
    char **name;
    output_place *place;
    size_t count, current;
    bool straight; /* the columns are the numbers of the first output in the same order */
} outputs_table;

outputs_table outputs_columns(const outputs *o, bool array);
/* Returns the values of one state in the order of the columns: row, or the values of the first
   output if no copy is necessary. value: per output. */
const double *outputs_row(const outputs_table *t, double *const *value, double *row);

/* Adds the outputs to an object. */
void outputs_add_json(const outputs *o, const double *const *value, cJSON *object);
/* Adds names of rows and columns of matrices: "names" for coordinates, otherwise "rows" and
   "columns". */
void outputs_add_names(const outputs *o, cJSON *object);

/* Prints the outputs of one state as text. A quantity of the joints shares a table with positions,
   velocities and given, the third quantity of the state. */
void outputs_print(const outputs *o, const robot_state *x, enum quantity given,
                   const double *const *value);

#endif
