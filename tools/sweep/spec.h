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
    /* results */
    SWEEP_FORCES = SWEEP_INPUTS, /* of id, along the coordinates */
    SWEEP_MOTORS,                /* of motors, if they differ from these */
    SWEEP_ACCELERATIONS,         /* of fd */
    SWEEP_POSES,                 /* 7 of each link */
    SWEEP_JACOBIANS,             /* smallest and largest singular value of each */
    SWEEP_LOOPS,                 /* the same for the loops nearest to singular */
    SWEEP_DRIVES,                /* the same for M_u, and its condition number */
    SWEEP_LIMITS,                /* how many limits are exceeded, and the largest use of a limit */
    SWEEP_REACTIONS,             /* 8 of each joint */
    SWEEP_ARRAYS
};

/* SWEEP_FIXED: a constant that replaces a sample. */
typedef enum sweep_kind { SWEEP_UNIFORM, SWEEP_NORMAL, SWEEP_GRID, SWEEP_FIXED } sweep_kind;

/* An input that varies. */
typedef struct sweep_variable {
    sweep_kind kind;
    enum sweep_array array;
    size_t index;         /* in that array */
    double from, to;      /* the bounds; normal: mean and standard deviation */
    size_t dimension;     /* coordinate of the generator's points, for uniform and normal */
    uint64_t steps;       /* of a grid */
    uint64_t divisor;     /* state i has step (i / divisor) mod steps */
    td_position position; /* in the file, which determines the order of variables */
} sweep_variable;

/* A link, or a point of it. */
typedef struct sweep_place {
    const char *name; /* in the file */
    size_t link;      /* for a point of a flexible link, the piece at the point */
    double point[3];  /* in the coordinates of link */
} sweep_place;

/* A table of states. */
typedef struct sweep_samples {
    size_t rows;
    double *value[QUANTITY_COUNT]; /* rows × width; NULL if not in the table */
    bool any;                      /* choose rows at random, otherwise in order */
    size_t dimension;              /* coordinate of the generator's points that chooses the row */
} sweep_samples;

/* The source of a column. */
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
    size_t dimensions; /* of the generator's points */
    uint64_t grid;     /* combinations of all grids; 1 without any */
    uint64_t period;   /* states after which grids and ordered samples repeat */
    sweep_variable *variable;
    size_t variables;
    bool turned; /* components of quaternions vary, so quaternions are normalized */

    size_t width[SWEEP_ARRAYS]; /* numbers per state in each array; 0 if unused */
    double *base[SWEEP_INPUTS]; /* values of inputs that do not vary */
    char **name[SWEEP_ARRAYS];  /* of columns */
    size_t *carrier;            /* links of payloads; for flexible links, the piece at the
                                   payload */
    double *shift;              /* 3 per payload: com in the file minus com in coordinates of
                                   carrier */
    size_t payloads;
    sweep_samples samples;

    td_forces forces; /* which forces of joints to include */
    bool id, fd, drives;
    bool loops, motors, limits; /* compute singular values of loops or motors, or exceeded limits */
    sweep_place *pose, *jacobian;
    size_t poses, jacobians;
    size_t *reaction;     /* joints */
    double *motor_effort; /* nu, and per joint; NULL if efforts are not checked */
    double *follower_effort;
    bool followers_carry; /* some follower has an effort limit */
    size_t reactions;

    sweep_form form;
    sweep_source *source; /* per column of the form */
    bool rows;            /* write chosen rows */
    uint64_t most_rows;
    sweep_keep chosen;  /* the conditions for chosen rows */
    size_t *row_column; /* form.chosens */
} sweep_spec;

#endif
