/* SPDX-License-Identifier: MIT */
/*
 * Actuation: the map between the forces along y and the forces of the motors. u (nu) are the forces
 * of the actuated joints, both in the tree and in loops (revolute and prismatic loop joints). The
 * list of actuated joints is fixed at load (td_load_options.actuation).
 *
 * The velocities of the motors are M_u ẏ, so tau_y = M_uᵀ u. M_u consists of the rows of G that
 * belong to actuated joints; with mimic joints alone, G is constant. The row of a joint that closes
 * a loop is J G, where J is the Jacobian of its coordinate. If loops are iterated, M_u depends on
 * y.
 *
 * A floating base is never actuated: its six entries of tau_y are the residual base wrench. In
 * general, a velocity of a floating, ball or elastic joint needs a motor only if some motor moves
 * it through loops. Velocities of all other joints always need one, except the entry yd of an idle
 * direction that moves no motor (td_idle_direction). The velocities that need a motor are called
 * drivable.
 *
 * These functions ignore the coordinates of the workspace (td_use_coordinates); y and tau_y are
 * always independent. Unless documented otherwise, if loops cannot be closed at y, they return the
 * status of td_closure, and the outputs are NaN. Outputs must not alias inputs. Only
 * td_actuation_examine allocates.
 */
#ifndef TANDEM_ACTUATION_H
#define TANDEM_ACTUATION_H

#include <stdbool.h>

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

TD_API size_t td_nu(const td_model *model); /* Returns the number of motors, the size of u. */
/* The joint or loop on which an entry of u acts. In u, the actuated joints come first, in the order
   of the model, and then the loops. A planar joint has three entries; with TD_ACTUATION_INDEPENDENT
   it has one for each of its velocities in ẏ. */
typedef struct td_actuator {
    size_t size_of;
    const char *name; /* name of the joint or loop; NULL if the index is out of range */
    size_t joint;     /* index of the joint; TD_NONE for a loop */
    size_t loop;      /* index of the loop; TD_NONE for a joint */
    size_t component; /* 0, 1 or 2 for a planar joint; 0 otherwise */
    size_t q, qd;     /* index of its coordinate in q and in q̇; TD_NONE for a loop */
    bool turns;       /* true: u is a torque (N m); false: a force (N) */
    /* Limits of the motors that drive it (td_transmission), infinite without any. A joint has
       limits of its own, too (td_joint.limit) */
    double effort_limit;   /* of |u|: N m or N */
    double velocity_limit; /* of the velocity along u: rad/s or m/s */
    double power_limit;    /* of |u · velocity|: W */
} td_actuator;

/* Writes the td_actuator of entry i of u. size_of is the size of the struct (docs/abi.md). */
TD_API void td_actuator_read(const td_model *model, size_t i, td_actuator *actuator,
                             size_t size_of);

static inline td_actuator td_actuator_at(const td_model *model, size_t i)
{
    td_actuator actuator;
    td_actuator_read(model, i, &actuator, sizeof actuator);
    return actuator;
}

/* Returns whether tau_y determines u. TD_OK: M_u has full rank in the drivable coordinates.
   TD_ERROR_UNDERACTUATED: there are too few motors. TD_ERROR_ACTUATION_SINGULAR: there are enough
   motors, but they do not span these coordinates. The result is computed at load. If loops are
   iterated, it depends only on which motors move which coordinates; td_actuation_examine checks one
   state. */
TD_API td_status td_actuation_status(const td_model *model);

/* Computes M_u at y (ny), dense nu × nyd, row-major. Here and in the functions below, y may be NULL
   if M_u is constant, that is, if no loop is iterated or has a motor. Cost: one td_closure and O(nu
   nyd). */
TD_API td_status td_actuation_matrix(const td_model *model, td_workspace *workspace,
                                     const double *y, double *M_u);

/* Computes motor forces from forces along y: u with M_uᵀ u = tau_y, for example u = M_u⁻ᵀ Gᵀ τ_ID
   (equations 14 and 19 of Kumar et al. 2017).

     y       ny positions; NULL: see td_actuation_matrix
     tau_y   nyd joint forces
     weight  nu positive weights; NULL: ones
     u       output, nu: motor forces (N m or N)
     rest    output, nyd: tau_y − M_uᵀ u; may be NULL

   With more motors than coordinates, u is the solution with the least Σ weight u².

   For a floating base, rest contains the base wrench; its other entries are at rounding level. If
   td_actuation_status is TD_ERROR_UNDERACTUATED or TD_ERROR_ACTUATION_SINGULAR, the call returns
   that status. u is then the least-squares solution, and rest is the force that no motor can
   provide. A joint without a motor moves as requested if its entry of rest is zero.

   If the motion needs a force along an idle direction that exceeds 1e-6 of the largest entry of
   tau_y, the call returns TD_ERROR_UNDERACTUATED, because without that force the rod rotates
   differently. u moves all other coordinates as requested, and the entry yd of rest is the force.

   If M_u is singular in this state (a pivot is below 1e-8 of the length of its column), the status
   is TD_ERROR_ACTUATION_SINGULAR and u and rest are NaN. Cost: O(nonzeros of M_u), plus O(m³) for m
   motors that share coordinates. */
TD_API td_status td_forces_to_actuators(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *tau_y, const double *weight,
                                        double *u, double *rest);

/* Computes forces along y from motor forces: tau_y (nyd) = M_uᵀ u, with u (nu), at y (ny). Cost:
   O(nonzeros of M_u). */
TD_API td_status td_forces_from_actuators(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *u, double *tau_y);

/* Computes the motion of the motors from the motion of the robot.

     y             ny positions
     yd            nyd velocities; NULL: zero
     ydd           nyd accelerations; NULL: zero
     position      output, nu; NULL: not computed
     velocity      output, nu; NULL: not computed
     acceleration  output, nu; NULL: not computed

   Cost: one td_closure, plus O(nonzeros of M_u). */
TD_API td_status td_motion_to_actuators(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        double *position, double *velocity, double *acceleration);

/* Computes the motion of the robot from the motion of the motors.

     position      nu motor positions. Angles are not wrapped, except for joints that close loops
     velocity      nu motor velocities; NULL: zero
     acceleration  nu motor accelerations; NULL: zero
     y             ny; on entry the initial guess of Newton's method, on return the solution
     yd            nyd; output; may be NULL if ydd is NULL. Velocities that no motor moves are
                   unchanged
     ydd           nyd; output, may be NULL. Accelerations that no motor moves are unchanged
     residual      output: largest error of a motor position; may be NULL

   With more motors than coordinates, y is the least-squares solution. If td_actuation_status is not
   TD_OK, the call returns it at once. TD_ERROR_ASSEMBLY: no y was found.
   TD_ERROR_ACTUATION_SINGULAR: M_u became singular during the iteration. On these errors y, yd and
   ydd are unchanged. */
TD_API td_status td_motion_from_actuators(const td_model *model, td_workspace *workspace,
                                          const double *position, const double *velocity,
                                          const double *acceleration, double *y, double *yd,
                                          double *ydd, double *residual);

/* Properties of M_u at y. Singular values and condition numbers are in the units of the coordinates
   (rad, m). */
typedef struct td_actuation_report {
    size_t size_of;   /* set by the caller: sizeof the struct (docs/abi.md) */
    td_status status; /* TD_OK, _UNDERACTUATED, _ACTUATION_SINGULAR, or the status of the closure */
    size_t drivable;  /* number of drivable velocities: all of ẏ, except velocities of floating,
                         ball and elastic joints that no motor moves */
    size_t rank;      /* rank of M_u: number of singular values above 1e-10 of the largest */
    double smallest, largest; /* singular values of M_u; smallest is 0 if rank < drivable */
    double closure_condition; /* condition number of G, the map from ẏ to q̇ */
    double map_condition;     /* condition number of G M_u⁺, the map from motor velocities to q̇;
                                 infinite if rank < drivable */
} td_actuation_report;

/* Examines M_u at a state and fills report.

     y           ny positions
     report      output; the caller sets report->size_of
     directions  output, drivable × nyd; may be NULL. The first drivable − rank rows are an
                 orthonormal basis of the velocities ẏ that move no motor, M_u ẏ = 0

   Returns report->status. Unlike the other functions it allocates (TD_ERROR_MEMORY) and costs O(nv
   nyd²). */
TD_API td_status td_actuation_examine(const td_model *model, td_workspace *workspace,
                                      const double *y, td_actuation_report *report,
                                      double *directions);

#ifdef __cplusplus
}
#endif
#endif
