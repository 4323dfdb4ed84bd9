/* SPDX-License-Identifier: MIT */
/*
 * Linear models of a robot near a state, for planners and controllers:
 *
 *   ẋ = A x + B δu,  x = (δy, δẏ), 2 nyd numbers; δy is along the tangent (derivatives.h)
 *
 *   A = ( −ad(ẏ)        1       )   B = (  0   )
 *       ( ∂ÿ/∂y       ∂ÿ/∂ẏ     )       ( H⁻¹ Mᵀ )
 *
 * The inputs u are the forces τ_y along the independent coordinates (M = 1), or the forces of the
 * motors: τ_y = M_uᵀ u (actuation.h). With motors, ∂ÿ/∂y includes the derivative of M_u.
 *
 * ad(ẏ) is nonzero only for moving floating and ball joints. Their δy rotates with the body:
 * d δy/dt = δẏ − ẏ × δy, where × is the product of twists for a floating joint.
 *
 *   td_linearize         about a state with given inputs
 *   td_linearize_held    about a state with ÿ = 0, for inputs that it computes
 *   td_equilibrium       finds the nearest configuration at rest under given inputs
 *   td_link_compliance   computes the displacement of a link under loads
 *
 * All matrices are row-major. The workspace must have matrices (TD_ERROR_MATRICES). td_linearize,
 * td_linearize_held and td_equilibrium refuse a workspace in a chart (chart.h; TD_ERROR_ARGUMENT).
 * All functions return the statuses of workspace.h and of loops. At a dead point of y, A does not
 * exist (TD_ERROR_CLOSURE_SINGULAR). The comments below list further statuses.
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

/* The inputs u of a linear model. */
typedef enum td_inputs {
    TD_INPUTS_FORCES, /* τ_y, nyd */
    TD_INPUTS_MOTORS, /* the forces of the motors, nu */
} td_inputs;

/* Opaque: A and B of a robot, and the memory to compute them repeatedly. It must not be used by two
   threads at once. The model must outlive it. */
typedef struct td_linearization td_linearization;

/* Allocates a linear model. TD_ERROR_ARGUMENT: an argument is NULL, or inputs is unknown.
   TD_ERROR_MEMORY. After an error *linearization is NULL. */
TD_API td_status td_linearization_new(const td_model *model, td_inputs inputs,
                                      td_linearization **linearization);
/* Frees a linear model. NULL is allowed. */
TD_API void td_linearization_free(td_linearization *linearization);

/* Computes A and B about a state with given inputs.

     linearization  receives A, B and ÿ
     workspace      of the model
     y              ny
     yd             nyd; NULL: at rest
     u              td_linearization_inputs numbers; NULL: zeros
     forces         as in td_forward_dynamics; may be NULL

   Uses td_forward_dynamics_derivatives and td_forces_from_actuators_derivatives, and returns their
   statuses, such as TD_ERROR_SINGULAR. A result that overflows is TD_ERROR_NOT_FINITE. After an
   error A, B and ÿ are NaN. Does not allocate. Cost: O(nyd³). */
TD_API td_status td_linearize(td_linearization *linearization, td_workspace *workspace,
                              const double *y, const double *yd, const double *u,
                              const td_forces *forces);

/* Computes A and B about a state y, yd and the inputs u for which ÿ = 0. Parameters, other statuses
   and cost as in td_linearize.

   With TD_INPUTS_FORCES, u is τ_y from inverse dynamics. With TD_INPUTS_MOTORS, u has the least Σ
   u² if several solutions exist. Motors that are too few, or do not span the coordinates, are
   accepted if they balance the state, such as an upright pole on a cart. The unbalanced part of τ_y
   (td_linearization_rest) must then be at most 1e-9 of the largest entry of τ_y and ∂τ_y/∂y. If it
   is larger, the status is TD_ERROR_UNDERACTUATED or TD_ERROR_ACTUATION_SINGULAR. */
TD_API td_status td_linearize_held(td_linearization *linearization, td_workspace *workspace,
                                   const double *y, const double *yd, const td_forces *forces);

/* Finds the nearest configuration at rest: τ_y(y, 0, 0) = M_uᵀ u, with gravity, wrenches and
   springs between links, and with springs of joints if forces->passive.

     linearization  memory, and the kind of inputs
     workspace      of the model
     y              ny: the start on entry, the equilibrium on return
     u              td_linearization_inputs numbers; NULL: zeros
     forces         as in td_forward_dynamics; may be NULL
     held           nyd bytes; nonzero locks the coordinate, regardless of the force that this
                    requires. Bytes of a floating or ball joint must agree. NULL: none

   Uses damped Newton steps with the exact ∂τ_y/∂y, each at most 1 rad or m. The steps end when the
   residual is at the rounding level of the largest force. The equilibrium may be unstable; the
   eigenvalues of A show this. TD_ERROR_EQUILIBRIUM: none was found. After an error y is unchanged.
 */
TD_API td_status td_equilibrium(td_linearization *linearization, td_workspace *workspace, double *y,
                                const double *u, const td_forces *forces,
                                const unsigned char *held);

/* Return the sizes, and the results of the last call: A (states × states), B (states × inputs), ÿ
   (nyd) and u (inputs). The linearization owns this memory. Return 0 or NULL if linearization is
   NULL. */
TD_API size_t td_linearization_states(const td_linearization *linearization); /* 2 nyd */
TD_API size_t td_linearization_inputs(const td_linearization *linearization); /* nyd or nu */
TD_API const double *td_linearization_A(const td_linearization *linearization);
TD_API const double *td_linearization_B(const td_linearization *linearization);
TD_API const double *td_linearization_ydd(const td_linearization *linearization); /* nyd */
TD_API const double *td_linearization_u(const td_linearization *linearization);
/* Returns the part of τ_y that no motor balances (nyd) in the last td_linearize_held. */
TD_API const double *td_linearization_rest(const td_linearization *linearization);

/* Computes the compliance of a link at a point, for a robot at rest.

     model       the robot
     workspace   of the model
     link        index
     point       in link coordinates (m); NULL: the link's origin
     y           ny
     forces      wrenches and springs, which add to K; as in td_forward_dynamics; may be NULL
     held        nyd bytes, nonzero: the coordinate is rigid; NULL: none
     K_y         nyd × nyd: ∂τ_y/∂y of all coordinates; may be NULL
     compliance  6 × 6: maps a load (moment, force) to a displacement (rotation, translation), in
                 world axes; may be NULL
     stiffness   6 × 6: its inverse; may be NULL. NaN if the inverse does not exist because the link
                 cannot move in some direction

   With K and the columns J of the Jacobian restricted to the coordinates that are not rigid and do
   not represent an idle direction (td_idle_direction),

     compliance = J K⁻¹ Jᵀ

   TD_ERROR_STIFFNESS: K is singular, because something moves without resistance. Then only K_y is
   valid. After any error compliance and stiffness are NaN. TD_ERROR_MEMORY: unlike dynamics, this
   function allocates. Cost: O(nyd³). */
TD_API td_status td_link_compliance(const td_model *model, td_workspace *workspace, size_t link,
                                    const double *point, const double *y, const td_forces *forces,
                                    const unsigned char *held, double *K_y, double *compliance,
                                    double *stiffness);

#ifdef __cplusplus
}
#endif

#endif
