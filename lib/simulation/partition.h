/* SPDX-License-Identifier: MIT */
/*
 * Coordinate partitioning: where the model's y is about to lose the robot (a dead point: G without
 * bound), others of the tree's coordinates take the places of some of y until that has passed.
 *
 * The coordinates u that are integrated have the sizes and the order of y; a place of one whose
 * joint is no longer independent is another joint's. Then
 *
 *   φ(q) = 0,  K_d q̇_d = −K_u u̇,  K_d q̈_d = k − K_u ü        (Wehage and Haug 1982)
 *
 * give q, q̇ = G u̇ and q̈ = G ü + g by Newton's method and elimination, and the motion follows from
 * (Gᵀ H G) ü = Gᵀ (τ − C − H g).
 */
#ifndef TD_PARTITION_H
#define TD_PARTITION_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/closure.h"
#include "tandem/constraint.h"
#include "tandem/kinematics.h"

/* what a velocity coordinate of the tree may be */
typedef enum td_part {
    TD_PART_FREE,     /* of a loop: dependent or not */
    TD_PART_FOLLOWS,  /* follows others linearly: dependent */
    TD_PART_STAYS,    /* of a floating joint, prescribed, or beside the loops: independent */
    TD_PART_DECLINED, /* of a floating joint that loops decide: dependent */
} td_part;

typedef struct td_partition {
    const td_model *model;
    td_workspace *w;
    size_t ny, nyd, nq, nv, rows, count; /* rows of K, and how many of them decide: nv − nyd */
    td_part *part;                       /* nv */
    bool *is_length;                     /* nv */
    size_t *link;                        /* nv: that the joint carries */
    double *poses;                       /* links × 12 */
    double *scale;                    /* nv: lengths in those of their mechanism, angles in rad */
    size_t *q_of;                     /* nv: entry in q, of coordinates that may be swapped */
    size_t *y_q, *y_qd;               /* ny, nyd: entries of y in q and q̇ */
    size_t *u_q, *u_qd;               /* of u */
    unsigned char *dependent, *of_y;  /* nv: in this choice; in that of y */
    unsigned char *allowed, *pivoted; /* nv: columns that may become pivots, and those that are */
    size_t *kept;                     /* the last choice: u_q, u_qd, row, column */
    unsigned char *kept_dependent;    /* and dependent */
    unsigned char *decided;           /* rows: had a pivot when they were chosen */
    size_t *row, *column;             /* count: pivots in the order of elimination */
    double *pivot, *first_pivot;      /* count: now, and when they were chosen */
    size_t linear;                    /* rows of followers, the first */
    double ratio, regular; /* of the last to the largest pivot of loops; the largest so far */
    double *largest;       /* rows: the largest entry that may become a pivot */
    size_t *largest_at;
    double *K, *phi;            /* rows × nv; rows */
    double *q, *step, *drift;   /* nq: of the last state; nv; nv: g */
    double *trial, *next;       /* nq */
    double *G, *H, *HG, *M, *L; /* nv × nyd, nv × nv, nv × nyd, nyd × nyd twice */
    double *bias, *right;       /* nv, nyd */
    int failed_loop;
} td_partition;

/* given: NULL or nyd bytes, coordinates of y that are prescribed. False without memory;
   td_partition_free in any case. */
bool td_partition_make(td_partition *p, const td_model *model, td_workspace *w,
                       const unsigned char *given);
void td_partition_free(td_partition *p);

/* The lengths in which displacements count, from p->K and p->poses. */
void td_partition_measure(td_partition *p);
/* u = y, and lengths measured anew, at a configuration q of the tree. */
td_status td_partition_reset(td_partition *p, const double *q);

/* The largest entry of a G (nv × nyd) of y among coordinates that could be swapped. */
double td_partition_worst(const td_partition *p, const double *G);

/* Chooses u at a configuration q where loops are closed, from the present choice on, by swaps until
   no entry of G is larger than 2; *swapped says whether there were any. TD_ERROR_CLOSURE_SINGULAR:
   K has lost rank there. */
td_status td_partition_choose(td_partition *p, const double *q, bool *swapped);

/* Whether y would do at q: no entry of its G is larger than that. A choice must follow, or reset.
 */
bool td_partition_allows_y(td_partition *p, const double *q, double most);

/* q (nq) and q̇ (nv) from u and u̇, G on the way. TD_ERROR_ASSEMBLY, TD_ERROR_BRANCH (Newton's method
   leaves the neighbourhood), TD_ERROR_CLOSURE_SINGULAR (K_d is, or has been on the way: its
   determinant has changed its sign). */
td_status td_partition_joints(td_partition *p, const double *u, const double *ud, double *q,
                              double *qd);

/* After td_partition_joints: g, and the acceleration ü under forces tau (nv) of the tree, which may
   be NULL, and those of forces; coordinates with given[i] ≠ 0 have ü given, and their force found
   in tau_u (nyd). */
td_status td_partition_accelerate(td_partition *p, const double *q, const double *qd,
                                  const double *tau, const td_forces *forces,
                                  const unsigned char *given, double *udd, double *tau_u);
/* q̈ = G ü + g, after td_partition_accelerate */
void td_partition_accelerations(const td_partition *p, const double *udd, double *qdd);
/* Gᵀ τ */
void td_partition_project(const td_partition *p, const double *tau, double *tau_u);
/* M = Gᵀ H G, of nyd × nyd, into p->M */
td_status td_partition_mass(td_partition *p, const double *q, const td_forces *forces);

/* ---- elimination, of p->K in place ----------------------------------------------------------- */

/* With the pivots of the choice; false where one vanishes or has changed its sign. Row p->row[n]
   has then −G of the coordinate p->column[n] in the columns of u. */
bool td_partition_eliminate(td_partition *p);
/* Remembers the loop of a row of K as the one that failed. */
void td_partition_blame(td_partition *p, size_t row);
/* The same steps on a right-hand side b (rows): b[p->row[n]] is that of p->column[n]. */
void td_partition_apply(const td_partition *p, double *b);

#endif
