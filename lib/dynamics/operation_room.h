/* SPDX-License-Identifier: MIT */
/*
 * Temporary arrays of operations, each in a scope of its name (kernel/scopes.h). A workspace
 * measures them when it is made: this module is below both.
 */
#ifndef TD_OPERATION_ROOM_H
#define TD_OPERATION_ROOM_H

#include "dynamics/eval.h"

/* Of constrained motion, in the tree's coordinates unless it is said. */
typedef struct td_constrained_room {
    td_reals *qdd, *lambda, *mu;       /* the motion; rows */
    td_reals *matrix;                  /* nv × nv: ∂τ_id, where only λ is wanted */
    td_reals *by_tau, *force, *e;      /* of a direction: ∂τ_id − τ', f, e (rows) */
    td_reals *particular, *rest, *out; /* g; right-hand side; q̈' */
    td_reals *y;                       /* in independent coordinates */
    td_reals *lambda_change;           /* rows */
    td_reals *factors;                 /* of what loops hold */
} td_constrained_room;

/* Where M_u changes, X = ∂(M_uᵀ u)/∂y, nyd × nyd, and Z = ∂(M_u λ)/∂y, nu × nyd; forces of the
   motors along the tree, the values of ∂(Gẏ)/∂y by entries of M_u, and λ and the rest τ − M_uᵀ u,
   nyd each. */
typedef struct td_motor_room {
    char *X, *Z, *force, *values, *lambda, *rest;
} td_motor_room;

enum { TD_PRODUCT_POSITION, TD_PRODUCT_RATE, TD_PRODUCT_ACCELERATION, TD_PRODUCT_PARTS };

/* Of products with derivatives. Of the tree: three directions or weights, and another one; in the
   call's coordinates: what is found, accelerations, and a covector of them. */
typedef struct td_products_room {
    td_reals *part[TD_PRODUCT_PARTS], *other, *found, *ydd, *solved;
} td_products_room;

/* matrices of the derivatives of a motion, and the rows of one */
enum { TD_CHANGE_MATRICES = 4, TD_CHANGE_ROWS = 6 };

td_motor_room td_actuation_take(td_stack *stack, const td_model *model, const td_kernels *k);
td_constrained_room td_constrained_take(td_stack *stack, const td_model *model,
                                        const td_kernels *k);
td_products_room td_products_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* a matrix of the tree, where that is not the result */
td_reals *td_coriolis_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* accelerations where those are no output, or a vector for ∂H/∂y */
td_reals *td_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* the mass matrix, which is needed after it was factored */
td_reals *td_hybrid_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* TD_CHANGE_MATRICES matrices of the tree, TD_CHANGE_ROWS × nv */
td_reals *td_motion_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* J of a link, and H⁻¹ of its rows, where they are no outputs */
td_reals *td_operational_take(td_stack *stack, const td_model *model, const td_kernels *k);

#endif
