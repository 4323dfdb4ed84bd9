/* SPDX-License-Identifier: MIT */
/*
 * The named results of a command for one state of a robot. A command declares them once; from the
 * declaration come columns of tables (CSV, arrays of NumPy, pictures), JSON and text.
 */
#ifndef TOOL_OUTPUTS_H
#define TOOL_OUTPUTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "input/coordinates.h"
#include "input/state.h"

typedef enum output_kind {
    /* Numbers, each with a name in column. JSON: a number, a list of three (null where one of them
       is not a number), or an object of names. Columns: prefix:NAME. */
    OUTPUT_NUMBER,
    OUTPUT_POINT,
    OUTPUT_NAMED,
    /* rows × columns, row-major. JSON: a list of rows, null where it does not exist (NaN). Columns:
       prefix:ROW,COLUMN, of symmetric matrices only on and below the diagonal; without a prefix
       ROW:COLUMN. */
    OUTPUT_MATRIX,
    OUTPUT_SYMMETRIC,
    /* Numbers for each name in row. JSON: an object of names. POSES: position and quaternion
       (x, y, z, w), columns x:ROW to qw:ROW. WRENCHES: moment, force, and for each component the
       largest change by self-stress; columns prefix:ROW.mx to prefix:ROW.fz. */
    OUTPUT_POSES,
    OUTPUT_WRENCHES,
} output_kind;

/* Numbers for each row: of POSES; of WRENCHES, which are a wrench and its ambiguity. */
enum { POSE_NUMBERS = 7, WRENCH_PARTS = 6, WRENCH_NUMBERS = 2 * WRENCH_PARTS };

/* How numbers in text are rounded. Numbers of one group are rounded beside the largest of them. */
enum { GROUP_PLACE = 0, GROUP_BRIEF = -1 };

typedef struct output {
    output_kind kind;
    const char *key;    /* in JSON */
    const char *prefix; /* of columns; NULL: see OUTPUT_MATRIX */
    const char *title;  /* in text; NULL: the key */
    const char *const *row, *const *column;
    size_t rows, columns;
    const char *unit;         /* in text */
    const char *const *units; /* for each entry of NAMED */
    bool coordinates;         /* NAMED: values of a quantity of the joints */
    enum quantity quantity;
    const char *none; /* in text, for values that do not exist (NaN); NULL: the row is left out */
    int group;        /* of NUMBER and POINT: GROUP_PLACE, GROUP_BRIEF, or above 0 */
    bool no_columns;  /* not in tables, only in JSON and text */
} output;

typedef struct outputs {
    const coordinates *c;      /* of the state */
    const coordinates *result; /* of the outputs; NULL: the same */
    output *each;
    size_t count;
    bool plain;      /* an array has the numbers of the first output, without names */
    bool one_by_one; /* states are not computed in batches */
    void **kept;
    size_t kept_count;
} outputs;

output *outputs_add(outputs *o, output declared);
/* Frees the pointer with the outputs. Returns it. */
void *outputs_keep(outputs *o, void *pointer);
void outputs_free(outputs *o);

/* Numbers of one state. */
size_t output_size(const output *declared);

/* The columns of a table: new names, and where their numbers are. */
typedef struct output_place {
    size_t output, index;
} output_place;

typedef struct outputs_table {
    char **name;
    output_place *place;
    size_t count, current;
    bool straight; /* the columns are all numbers of the first output in their order */
} outputs_table;

outputs_table outputs_columns(const outputs *o, bool array);
/* Returns the values of one state in the order of the columns: row, or values that are in it
   already. value: of each output. */
const double *outputs_row(const outputs_table *t, double *const *value, double *row);

/* Adds the outputs to an object. */
void outputs_add_json(const outputs *o, const double *const *value, cJSON *object);
/* Adds names of rows and columns of matrices: "names" where these are coordinates, "rows" and
   "columns" where not. */
void outputs_add_names(const outputs *o, cJSON *object);

/* Prints the outputs of one state as text. A quantity of the joints is printed beside positions,
   velocities and given, the third quantity of the state. */
void outputs_print(const outputs *o, const robot_state *x, enum quantity given,
                   const double *const *value);

#endif
