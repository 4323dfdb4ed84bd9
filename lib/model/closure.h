/* SPDX-License-Identifier: MIT */
/*
 * Which motions of the tree a robot has: how its coordinates follow from independent ones, and its
 * motors from them. Kernels of loops, drives and couplings know these maps.
 */
#ifndef TD_CLOSURE_MAP_H
#define TD_CLOSURE_MAP_H

#include "model/clusters.h"
#include "model/drives.h"
#include "model/loops.h"
#include "model/sparse.h"
#include "model/tree.h"
#include "tandem/actuation.h"
#include "tandem/closure.h"

/* What a dependent joint is: Σ factor · q_joint + constant, over independent joints. */
typedef struct td_combination {
    int count;
    int *joint;
    double *factor;
    double constant;
    bool by_loop; /* loops make it so, and nothing else does */
} td_combination;

/* A motion that moves no inertia, whatever the configuration: the velocities that take part,
   ascending, which of the tree's move, whether one of them, or of the joints that they move, has a
   rotor, and the bodies that move, to which a workspace may have added payloads. */
typedef struct td_idle_motion {
    size_t count, bodies;
    int *velocity, *body;
    char *moves; /* per velocity of the tree */
    bool rotors;
} td_idle_motion;

/* The idle motions of a space, which make its mass matrix singular; none where all is NULL. Where
   something resists them, a sum of them may be idle still: the velocities that take part in any,
   the last one first, are those whose pivots may be rounding then. What they move: per velocity of
   the tree, and of the links those that turn. */
typedef struct td_idle {
    size_t count, suspects;
    td_idle_motion *motion;
    int *suspect;
    char *moves, *turns;
} td_idle;

/*
 * The closure in two steps. What is linear (mimic, couplings, parallelograms) leaves the
 * coordinates w: q = M w + b, q̇ = rate ẇ. Loops make some of those depend on the others, y; without
 * loops that have to be solved w is y. q̇ = G ẏ is both.
 */
typedef struct td_closure_map {
    bool identity;               /* q and y are the same */
    td_combination *combination; /* per joint that depends on others linearly */
    size_t nw, nwd, ny, nyd;
    int *w, *wd;          /* per joint: its first entry in w and ẇ, −1 for none */
    int *w_of_y, *q_of_y; /* per entry of y: which of w, and of q, it is */
    int *qd_of_yd;        /* per entry of ẏ: which of q̇ it is */
    char *placed;         /* per entry of y: whether it is of a pose that loops decide in part,
                             and γ moves it */
    td_csr position;      /* M */
    td_csr rate;          /* nv × nwd, constant */
    td_csr velocity;      /* G; the values are those of the reference configuration */
    td_sparse position_out, velocity_out; /* M and G as the interface has them */
    td_csr constraint;                    /* K of what is linear: a row per such joint */
    int *constraint_q;                    /* per entry of that: the position it is about */
    double *constraint_offset;            /* per row */
    double *offset;                       /* b */
    double *reference;                    /* w where loops were assembled */
    double *reference_q;                  /* q where the robot begins, its loops assembled */
    double *reference_y;                  /* and y */
    td_loops loops;
    td_loop_place *loop_place;     /* per loop */
    int *loop_group;               /* per loop: the group that it is in, −1 for open ones */
    td_loop_cluster *loop_cluster; /* per group that is solved */
    td_balances balances;
    size_t rows;          /* of all constraints: linear ones, then those of the loops */
    double *row_rounding; /* per row: a row of K that is no longer is rounding */
    td_pattern pattern;   /* of Gᵀ H G */
    size_t suspects; /* independent velocities of loops with several: large values of G may leave no
                        digits of GᵀHG */
    int *suspect;    /* the last one first */
    td_clusters clusters; /* empty for the identity */
    size_t terms;         /* products of which Gᵀ H G is the sum; 0 for the identity */
    td_scatter scatter; /* these, from the entries of H to those of Gᵀ H G; empty where there are
                           too many to be written down */
    td_idle idle;       /* in independent coordinates */
} td_closure_map;

typedef struct td_actuation_map {
    size_t nu;      /* entries of u */
    int *joint;     /* of each; −1 for one in a loop */
    int *loop;      /* the loop then, else −1 */
    int *row;       /* the joint's entry in q̇ */
    int *position;  /* the joint's entry in q */
    td_csr matrix;  /* M_u; the values are those of the reference configuration */
    size_t entries; /* of joints' rows, which come first */
    int *entry;     /* per such entry: the one of G */
    td_loop_motors loops;
    size_t drivable; /* independent velocities that are in drives */
    td_drives drives;
    td_status status; /* what td_actuation_status says */
} td_actuation_map;

#endif
