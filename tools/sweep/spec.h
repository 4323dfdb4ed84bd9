/* SPDX-License-Identifier: MIT */
/*
 * The specification of a sweep for one robot, a YAML file: varied inputs, results of each state,
 * and reductions. docs/formats/sweep.md describes the file.
 */
#ifndef TOOL_SWEEP_SPEC_H
#define TOOL_SWEEP_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../urdf/yaml_tree.h"
#include "input/coordinates.h"
#include "input/session.h"
#include "sweep/form.h"

/* Arrays of a state; the quantities of a state come first. */
enum sweep_array {
    SWEEP_Q = QUANTITY_Q,
    SWEEP_QD = QUANTITY_QD,
    SWEEP_QDD = QUANTITY_QDD,
    SWEEP_TAU = QUANTITY_TAU,
    SWEEP_PAYLOAD, /* mass and center of mass, 4 of each payload */
    SWEEP_GRAVITY, /* 3 */
    SWEEP_INPUTS,
    /* and results */
    SWEEP_FORCES = SWEEP_INPUTS, /* of id: along the coordinates */
    SWEEP_MOTORS,                /* of motors that are not simply these */
    SWEEP_ACCELERATIONS,         /* of fd */
    SWEEP_POSES,                 /* 7 of each link */
    SWEEP_JACOBIANS,             /* smallest and largest singular value of each */
    SWEEP_LOOPS,                 /* likewise, of the loops that are nearest to singular */
    SWEEP_DRIVES,                /* of M_u, and the condition of motors against joints */
    SWEEP_LIMITS,                /* how many are passed, and the largest part that is used */
    SWEEP_REACTIONS,             /* 8 of each joint */
    SWEEP_ARRAYS
};

/* SWEEP_FIXED: a number that takes the place of a sample. */
typedef enum sweep_kind { SWEEP_UNIFORM, SWEEP_NORMAL, SWEEP_GRID, SWEEP_FIXED } sweep_kind;

/* A number of the state that varies. */
typedef struct sweep_variable {
    sweep_kind kind;
    enum sweep_array array;
    size_t index;         /* in that array */
    double from, to;      /* of a grid the ends; normal: mean and deviation */
    size_t dimension;     /* of the points that the generator gives: uniform and normal ones */
    uint64_t steps;       /* of a grid; */
    uint64_t divisor;     /* state i has step (i / divisor) mod steps */
    td_position position; /* in the file: variables are in its order */
} sweep_variable;

/* A link, or a point of it. */
typedef struct sweep_place {
    const char *name; /* in the file */
    size_t link;      /* of a point of a flexible link the piece there */
    double point[3];  /* in its coordinates */
} sweep_place;

/* A table of states. */
typedef struct sweep_samples {
    size_t rows;
    double *value[QUANTITY_COUNT]; /* rows × width; NULL: not in the table */
    bool any;                      /* any of them by chance; else one after the other */
    size_t dimension;              /* of the choice */
} sweep_samples;

/* Where a column comes from. */
typedef struct sweep_source {
    enum sweep_array array;
    size_t index;
} sweep_source;

typedef struct sweep_spec {
    const session *s;
    coordinates c;
    const char *file;
    uint64_t seed;
    bool sobol;
    size_t dimensions; /* of a point */
    uint64_t grid;     /* combinations of all grids; 1 without any */
    uint64_t period;   /* states after which grids and rows of samples in turn begin anew */
    sweep_variable *variable;
    size_t variables;
    bool turned; /* parts of quaternions vary, which are made of unit length */

    size_t width[SWEEP_ARRAYS]; /* numbers of a state in each array; 0: it has no part */
    double *base[SWEEP_INPUTS]; /* where nothing varies */
    char **name[SWEEP_ARRAYS];  /* of columns */
    size_t *carrier;            /* links of payloads; of flexible ones the piece there, */
    double *shift;              /* from whose origin com is less by these, three a payload */
    size_t payloads;
    sweep_samples samples;

    td_forces forces; /* beside the joints' own */
    bool id, fd, drives;
    bool loops, motors, limits; /* singular values of loops and of motors; limits passed */
    sweep_place *pose, *jacobian;
    size_t poses, jacobians;
    size_t *reaction;     /* joints */
    double *motor_effort; /* nu, and of joints; NULL where efforts are not looked at */
    double *follower_effort;
    bool followers_carry; /* some follower has an effort */
    size_t reactions;

    sweep_form form;
    sweep_source *source; /* of each column of the form */
    bool rows;            /* chosen ones are written as such */
    uint64_t most_rows;
    sweep_keep chosen;  /* its conditions are theirs */
    size_t *row_column; /* form.chosens */
} sweep_spec;

#endif
