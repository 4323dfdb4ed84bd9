/* SPDX-License-Identifier: MIT */
/*
 * What a library must offer to stand in the comparison: a handful of functions in one file
 * peer_NAME.c or peer_NAME.cpp, a row in peers.c, and a few lines in meson.build that find it.
 *
 * Robots have a fixed base and joints of one coordinate. Numbers go to a peer and come back in the
 * order of the robot's joints, which peers find by name; bringing them into the library's own order
 * is not timed. Nor is loading; a peer reserves what it can before it runs.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, key, description, results per state for n joints and k independent coordinates) */
#define OPERATION_TABLE(X)                                                                         \
    X(OP_FK, fk, "poses of all joints' links", 12 * n)                                             \
    X(OP_JACOBIAN, jacobian, "Jacobian of the link farthest from the root", 6 * n)                 \
    X(OP_JACOBIANS, jacobians, "Jacobians of all joints' links", 6 * n * n)                        \
    X(OP_COLUMNS, columns, "poses, and Jacobian columns of all joints in the world", 18 * n)       \
    X(OP_RNEA, rnea, "inverse dynamics", n)                                                        \
    X(OP_CRBA, crba, "mass matrix", (n * n))                                                       \
    X(OP_SOLVE, solve, "mass matrix, factors, one solve", n)                                       \
    X(OP_ABA, aba, "forward dynamics", n)                                                          \
    X(OP_COUPLED, coupled, "forward dynamics with the mimic joints", k)

typedef enum operation {
#define OPERATION_ENUM(name, key, text, results) name,
    OPERATION_TABLE(OPERATION_ENUM)
#undef OPERATION_ENUM
        OPERATIONS
} operation;

/* A robot with states to compute at. Rows of n_joints or n_independent numbers, one a state. */
typedef struct bench_robot {
    const char *name;
    const char *file; /* as it came, with mimic joints */
    const char *tree; /* URDF of the tree alone: names, masses, joints without limits and mimic */
    const char *scratch; /* a directory for files of a peer's own */
    size_t joints, independent;
    const char *const *joint; /* names, in the order of q */
    const char *const *link;  /* what they move */
    size_t farthest;          /* the joint with the most joints above it, the last one of those */
    size_t states;
    const double *q, *qd, *qdd, *tau; /* q and qd satisfy the couplings */
    const double *y, *yd, *tau_y;
    /* q̇ = G ẏ: the nonzeros of row i are column[k], value[k] for row[i] ≤ k < row[i + 1] */
    const size_t *row, *column;
    const double *value;
    const double *offset;            /* q = G y + offset */
    const size_t *independent_joint; /* joint of every independent coordinate */
} bench_robot;

typedef struct peer {
    const char *name;
    /* Loads robot->tree, or robot->file if the library knows mimic joints, and reads the states.
       Returns NULL and sets *why if it cannot. */
    void *(*open)(const bench_robot *robot, int variant, const char **why);
    bool (*offers)(const void *self, operation op);
    /* The operation at n states from the first-th on, one after the other or side by side. Only
       this is timed. */
    void (*run)(void *self, operation op, size_t first, size_t n);
    /* Results for the last state of the last run: poses as 3 × 4 matrices [R p] and Jacobians
       (angular over linear, world axes, at the link's origin; 6 × joints) by joint. Columns: the
       poses, then 6 × joints: what each joint's link moves like, at the world's origin. A library
       may have them about another point that all share; bringing them here is not timed. */
    void (*result)(const void *self, operation op, double *out);
    void (*close)(void *self);
} peer;

/* A peer as it runs: with a name for tables that tells variants apart. tandem's come first, and
   the first of all is what the others are compared with. */
typedef struct contender {
    const char *name;
    const peer *library;
    int variant;
    bool soft; /* agrees with the others only roughly, by design; never the best peer */
} contender;

extern const contender contenders[];
extern const size_t contender_count;

extern const char peer_versions[]; /* "tandem ..., MuJoCo ..." */

/* For libraries without mimic joints, what a user of them writes: the dense system
   Gᵀ H G ÿ = τ_y − Gᵀ C, summed over the nonzeros of G and solved by Cholesky's method, and plain
   H x = b. */

/* Reads the lower triangle of the n × n matrix A and overwrites A by its factor and x by A⁻¹ x. */
void dense_solve(size_t n, double *A, double *x);

/* ÿ at a state from its H (joints × joints, both triangles) and C, in which order[i] is the place
   of joint i. room: independent² doubles. */
void dense_forward(const bench_robot *robot, const size_t *order, const double *H, const double *C,
                   const double *tau_y, double *room, double *ydd);

#ifdef __cplusplus
}
#endif
#endif
