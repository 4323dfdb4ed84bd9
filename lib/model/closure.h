/* SPDX-License-Identifier: MIT */
/*
 * The maps from independent coordinates to the coordinates of the tree and to the motors. Kernels
 * of loops, drives and couplings take these maps.
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

/* A joint that depends linearly on independent joints: q = Σ factor · q_joint + constant. */
typedef struct td_combination {
    int count;
    int *joint;
    double *factor;
    double constant;
    bool by_loop; /* only loops cause this dependence */
} td_combination;

/* A motion that moves no inertia at any configuration. The velocities that take part are in
   ascending order. rotors: one of them, or of the joints that they move, has a rotor. body lists
   all bodies that move; a workspace may have added payloads to them. */
typedef struct td_idle_motion {
    size_t count, bodies;
    int *velocity, *body;
    char *moves; /* per velocity of the tree: whether it takes part in the motion or follows it */
    bool rotors;
    bool spin; /* of a rod about the line of its ends (load/tree/spins.c) */
    int held;  /* of a spin: the velocity of the tree whose acceleration is zero */
} td_idle_motion;

/* The massless motions of a space, which make its mass matrix singular. All members are NULL if
   there are no such motions. Even if friction or rotors resist each of them, a combination may
   still be massless. suspect lists all velocities that take part in any massless motion, the last
   one first: their pivots may be rounding errors. moves and turns describe the motions together:
   the velocities of the tree that they move, and the links that they rotate. */
typedef struct td_idle {
    size_t count, suspects;
    td_idle_motion *motion;
    int *suspect;
    char *moves, *turns;
    bool spins; /* whether one of the motions is a spin */
} td_idle;

/*
 * The closure map, in two steps. The linear couplings (mimic joints, weighted sums, parallelograms)
 * leave the coordinates w: q = M w + b, q̇ = rate ẇ. Loops make some of these depend on the others,
 * y. Without loops to solve, w equals y. Both steps together give q̇ = G ẏ.
 */
typedef struct td_closure_map {
    bool identity;               /* q and y are the same */
    td_combination *combination; /* per joint that depends linearly on others */
    size_t nw, nwd, ny, nyd;
    int *w, *wd;          /* per joint: its first entry in w and ẇ, −1 for none */
    int *w_of_y, *q_of_y; /* per entry of y: its index in w and in q */
    int *qd_of_yd;        /* per entry of ẏ: its index in q̇ */
    char *placed; /* per entry of y: whether it belongs to a pose that loops determine in part, so
                     that γ moves it */
    td_csr position;                      /* M */
    td_csr rate;                          /* nv × nwd, constant */
    td_csr velocity;                      /* G; the values belong to the reference configuration */
    td_sparse position_out, velocity_out; /* M and G as the API returns them */
    td_csr constraint;         /* K of the linear couplings: one row per dependent joint */
    int *constraint_q;         /* per entry of constraint: the index of its position in q */
    double *constraint_offset; /* per row */
    double *offset;            /* b */
    double *reference;         /* w at which the loops were assembled */
    double *reference_q;       /* initial q, with assembled loops */
    double *reference_y;       /* initial y */
    td_loops loops;
    td_loop_place *loop_place;     /* per loop */
    int *loop_group;               /* per loop: its group, −1 for open loops */
    td_loop_cluster *loop_cluster; /* per group that is solved */
    td_balances balances;
    size_t rows;          /* number of all constraints: the linear ones, then the loops' rows */
    double *row_rounding; /* per row of K: at or below this norm the row is rounding error */
    td_pattern pattern;   /* of Gᵀ H G */
    size_t suspects; /* independent velocities of loops that have several: if G is large, rounding
                        may destroy all digits of GᵀHG */
    int *suspect;    /* in descending order */
    td_clusters clusters; /* empty for the identity */
    size_t terms;         /* number of products that GᵀHG sums; 0 for the identity */
    td_scatter scatter; /* entries of H to entries of GᵀHG; empty if there are too many products */
    td_idle idle;       /* in independent coordinates */
} td_closure_map;

typedef struct td_actuation_map {
    size_t nu;      /* entries of u */
    int *joint;     /* per entry of u: its joint, −1 for a motor in a loop joint */
    int *loop;      /* per entry of u: its loop, −1 for a motor in a joint of the tree */
    int *row;       /* the joint's entry in q̇ */
    int *position;  /* the joint's entry in q */
    td_csr matrix;  /* M_u; the values belong to the reference configuration */
    size_t entries; /* entries in the rows of joints, which come first */
    int *entry;     /* per such entry: its index in G */
    td_loop_motors loops;
    size_t drivable; /* independent velocities that belong to drives */
    td_drives drives;
    bool spins;       /* whether spins are left out of the drives (model/idle_spins.h) */
    td_status status; /* returned by td_actuation_status */
} td_actuation_map;

#endif
