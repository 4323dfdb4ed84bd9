/* SPDX-License-Identifier: MIT */
/*
 * Scratch arrays of operations, each in a scope of the operation's name (kernel/scopes.h). The
 * workspace measures their sizes when it is created; this module is independent of workspace and
 * operations.
 */
#ifndef TD_OPERATION_ROOM_H
#define TD_OPERATION_ROOM_H

#include "dynamics/eval.h"

/* For constrained motion; in tree coordinates unless noted. */
typedef struct td_constrained_room {
    td_reals *qdd, *lambda, *mu;  /* the motion; constraint rows */
    td_reals *matrix;             /* nv × nv: ∂τ_id if only λ is wanted */
    td_reals *by_tau, *force, *e; /* of a direction: ∂τ_id − τ', f, and e (constraint rows) */
    td_reals *particular, *rest, *out; /* g; right-hand side; q̈' */
    td_reals *y;                       /* in independent coordinates */
    td_reals *lambda_change;           /* constraint rows */
    td_reals *factors;                 /* factors of the sets of balances */
} td_constrained_room;

/* For an M_u that depends on y: X = ∂(M_uᵀ u)/∂y, nyd × nyd, and Z = ∂(M_u λ)/∂y, nu × nyd. Also
   the motors' forces on the tree, the values of ∂(Gẏ)/∂y by entries of M_u, and λ and the rest τ
   − M_uᵀ u (nyd each). */
typedef struct td_motor_room {
    char *X, *Z, *force, *values, *lambda, *rest;
} td_motor_room;

enum { TD_PRODUCT_POSITION, TD_PRODUCT_RATE, TD_PRODUCT_ACCELERATION, TD_PRODUCT_PARTS };

/* For products with derivatives. In tree coordinates: `part` has three directions or covectors,
   `other` one more. In the call's coordinates: the result, accelerations, and the solution for a
   covector. */
typedef struct td_products_room {
    td_reals *part[TD_PRODUCT_PARTS], *other, *found, *ydd, *solved;
} td_products_room;

/* the number of derivative matrices of a motion, and the number of rows of each */
enum { TD_CHANGE_MATRICES = 4, TD_CHANGE_ROWS = 6 };

td_motor_room td_actuation_take(td_stack *stack, const td_model *model, const td_kernels *k);
td_constrained_room td_constrained_take(td_stack *stack, const td_model *model,
                                        const td_kernels *k);
td_products_room td_products_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* Allocates a matrix of the tree, unused in tree coordinates. */
td_reals *td_coriolis_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* Allocates accelerations if they are not an output, or a unit vector for ∂H/∂y. */
td_reals *td_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* Allocates a copy of the mass matrix, needed after it is factored. */
td_reals *td_hybrid_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* Allocates TD_CHANGE_MATRICES matrices of the tree, TD_CHANGE_ROWS × nv. */
td_reals *td_motion_derivatives_take(td_stack *stack, const td_model *model, const td_kernels *k);
/* Allocates J of a link and H⁻¹ Jᵀ. */
td_reals *td_operational_take(td_stack *stack, const td_model *model, const td_kernels *k);

#endif
