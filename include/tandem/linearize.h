/* SPDX-License-Identifier: MIT */
/*
 * Linear models of a robot near a state, for planners and controllers:
 *
 *   ẋ = A x + B δu,  x = (δy, δẏ) of 2 nyd numbers, δy along the tangent (derivatives.h)
 *
 *   A = ( −ad(ẏ)        1       )   B = (  0   )
 *       ( ∂ÿ/∂y       ∂ÿ/∂ẏ     )       ( H⁻¹ Mᵀ )
 *
 * The inputs are the forces τ_y along the independent coordinates (M = 1), or those of the motors,
 * u with τ_y = M_uᵀ u (actuation.h); ∂ÿ/∂y contains then what M_u changes by. ad(ẏ) is zero but for
 * floating and ball joints that move: their δy turn with the body, d δy/dt = δẏ − ẏ × δy (for a
 * twist, the product of twists).
 *
 *   td_linearize            about a state with given inputs
 *   td_linearize_held       about a state that the inputs hold (ÿ = 0), which it finds
 *   td_equilibrium          the nearest configuration at rest under given inputs
 *   td_link_compliance      how a link yields to loads on it
 *
 * All matrices are row-major. The workspace must have matrices (TD_ERROR_MATRICES) and use no
 * chart (chart.h; TD_ERROR_ARGUMENT). Beside the statuses of workspace.h and of the loops
 * (at a dead point of y there is no A: TD_ERROR_CLOSURE_SINGULAR) a function names its own.
 */
#ifndef TANDEM_LINEARIZE_H
#define TANDEM_LINEARIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/dynamics.h"
#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What u is. */
typedef enum td_inputs {
    TD_INPUTS_FORCES, /* τ_y, nyd */
    TD_INPUTS_MOTORS, /* the forces of motors, nu */
} td_inputs;

/* A and B of a robot, and the memory to find them again and again. One thread at a time may use it.
   The model must outlive it. */
typedef struct td_linearization td_linearization;

/* TD_ERROR_ARGUMENT: NULL, or inputs that are none; TD_ERROR_MEMORY. *linearization is NULL then.
 */
TD_API td_status td_linearization_new(const td_model *model, td_inputs inputs,
                                      td_linearization **linearization);
TD_API void td_linearization_free(td_linearization *linearization);

/* About y (ny), yd (nyd; NULL: at rest) and inputs u (NULL: zeros). By
   td_forward_dynamics_derivatives, whose statuses it has (TD_ERROR_SINGULAR), and
   td_forces_from_actuators_derivatives. A and B are NaN after a failure. O(nyd³), no memory is
   taken. */
TD_API td_status td_linearize(td_linearization *linearization, td_workspace *workspace,
                              const double *y, const double *yd, const double *u,
                              const td_forces *forces);

/* The same about the inputs that hold the state, so that ÿ = 0: τ_y by inverse dynamics, or motors'
   forces, of which there may be several with the least Σ u². Too few motors, or such that do not
   span the coordinates, are well if they hold it all the same, as those of a cart hold a pole that
   stands upright: to 1e-9 of the largest force and of the largest entry of ∂τ_y/∂y. Else
   TD_ERROR_UNDERACTUATED or TD_ERROR_ACTUATION_SINGULAR, with td_linearization_rest. */
TD_API td_status td_linearize_held(td_linearization *linearization, td_workspace *workspace,
                                   const double *y, const double *yd, const td_forces *forces);

/* The configuration at rest nearest to y (ny), in place of it: τ_y(y, 0, 0) = M_uᵀ u with gravity,
   wrenches, springs between links and, if forces say passive, springs of joints. Coordinates with
   held[i] ≠ 0 (nyd bytes, may be NULL) stay where they are, whatever that takes; those of a
   floating or ball joint must agree. By damped Newton steps with the exact ∂τ_y/∂y, each at most 1
   rad or m, to rounding beside the largest force. It may be one that is not stable: eigenvalues
   tell. TD_ERROR_EQUILIBRIUM: none was found; y is as before then. */
TD_API td_status td_equilibrium(td_linearization *linearization, td_workspace *workspace, double *y,
                                const double *u, const td_forces *forces,
                                const unsigned char *held);

/* Sizes, and what the last of these calls left. Pointers live as long as the object. */
TD_API size_t td_linearization_states(const td_linearization *linearization); /* 2 nyd */
TD_API size_t td_linearization_inputs(const td_linearization *linearization); /* nyd or nu */
TD_API const double *td_linearization_A(const td_linearization *linearization);
TD_API const double *td_linearization_B(const td_linearization *linearization);
TD_API const double *td_linearization_ydd(const td_linearization *linearization); /* nyd */
TD_API const double *td_linearization_u(const td_linearization *linearization);
/* Of td_linearize_held: τ_y that no motor gives, nyd. */
TD_API const double *td_linearization_rest(const td_linearization *linearization);

/* How a point of a link (in the link's coordinates; NULL: its origin) yields at rest to loads on
   it, in world axes: compliance and stiffness (6 × 6, either may be NULL) take loads (moment,
   force) to displacements (turn, shift) and back. With K = ∂τ_y/∂y at y (ny), of the coordinates
   that are free, and their columns J of the Jacobian,

     compliance = J K⁻¹ Jᵀ

   Springs, gravity and wrenches are in K as forces say; coordinates with held[i] ≠ 0 (nyd bytes;
   NULL: none) are rigid. K_y (nyd × nyd, may be NULL) is all of K. stiffness is NaN where the
   compliance has no inverse: where the link cannot be shifted along or turned about some direction
   at all. TD_ERROR_STIFFNESS: K is singular, so something that is not held gives way without
   resistance; compliance and stiffness are NaN. Unlike dynamics it allocates (TD_ERROR_MEMORY).
   O(nyd³). */
TD_API td_status td_link_compliance(const td_model *model, td_workspace *workspace, size_t link,
                                    const double *point, const double *y, const td_forces *forces,
                                    const unsigned char *held, double *K_y, double *compliance,
                                    double *stiffness);

#ifdef __cplusplus
}
#endif

#endif
