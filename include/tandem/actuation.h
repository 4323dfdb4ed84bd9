/* SPDX-License-Identifier: MIT */
/*
 * Actuation: u (nu) are the forces of the actuated joints of the tree and of those that close loops
 * (revolute and prismatic ones), the list of which is decided at load (td_load_options.actuation).
 * Their velocities are u̇ = M_u ẏ, M_u being the rows of G (of M,
 * for mimic joints) that belong to them (J G for one that closes a loop, J being the Jacobian of
 * its coordinate), and so tau_y = M_uᵀ u. Where loops are iterated M_u
 * depends on y.
 *
 * A floating base is never actuated: its six rows of tau_y are the residual base wrench. In
 * general, the velocities of floating joints count only where a motor moves them through loops.
 */
#ifndef TANDEM_ACTUATION_H
#define TANDEM_ACTUATION_H

#include <stdbool.h>

#include "tandem/model.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

TD_API size_t td_nu(const td_model *model); /* number of motors, size of u */
/* What an entry of u acts on: joints in the model's order, a planar one with three entries (with
   TD_ACTUATION_INDEPENDENT as many as it has in ẏ), then
   loops. */
typedef struct td_actuator {
    size_t size_of;
    const char *name; /* of the joint or loop; NULL out of range */
    size_t joint;     /* index of the joint, TD_NONE for a loop */
    size_t loop;      /* index of the loop, TD_NONE for a joint */
    size_t component; /* of a planar joint: 0, 1 or 2; else 0 */
    size_t q, qd;     /* the joint's entries in q and q̇, TD_NONE for a loop */
    bool turns;       /* whether u is a torque (N m), and not a force (N) */
} td_actuator;

TD_API void td_actuator_read(const td_model *model, size_t i, td_actuator *actuator,
                             size_t size_of);

static inline td_actuator td_actuator_at(const td_model *model, size_t i)
{
    td_actuator actuator;
    td_actuator_read(model, i, &actuator, sizeof actuator);
    return actuator;
}

/* Whether u follows from tau_y: TD_OK where M_u has the rank of the coordinates that count; with
   too few motors TD_ERROR_UNDERACTUATED, with enough that do not span them
   TD_ERROR_ACTUATION_SINGULAR. Decided at load: where loops are iterated, as well as their
   structure tells; td_actuation_examine knows a state. */
TD_API td_status td_actuation_status(const td_model *model);

/* M_u at y (ny), dense nu × nyd, row-major. Here and below y may be NULL where M_u is constant: no
   loop is iterated, and no motor is in one. */
TD_API td_status td_actuation_matrix(const td_model *model, td_workspace *workspace,
                                     const double *y, double *M_u);

/* u (nu) with M_uᵀ u = tau_y (nyd) at y (ny): u = M_u⁻ᵀ Gᵀ τ_ID
   (equations 14 and 19 of Kumar et al. 2017). Of several such u, with more motors than coordinates,
   the one with the least Σ weight u²; weight (nu, positive) may be NULL for ones.

   rest (nyd, may be NULL) is tau_y − M_uᵀ u: the base wrench of a floating base; rounding
   elsewhere. With a status of TD_ERROR_UNDERACTUATED, or TD_ERROR_ACTUATION_SINGULAR that
   td_actuation_status says already, u comes as near to tau_y as it can and rest is what no motor
   does; a passive joint whose rest vanishes moves as asked. In a state in which M_u is singular
   (pivots below 1e-8 of their columns) u and rest are NaN, with TD_ERROR_ACTUATION_SINGULAR; they
   are NaN as well where loops are not closed. O(nonzeros of M_u) and, for motors that share
   coordinates, the third power of their number. */
TD_API td_status td_forces_to_actuators(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *tau_y, const double *weight,
                                        double *u, double *rest);

/* The way back: tau_y (nyd) = M_uᵀ u. O(nonzeros of M_u). */
TD_API td_status td_forces_from_actuators(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *u, double *tau_y);

/* Positions, velocities and accelerations (nu each) of the motors in a motion y, ẏ, ÿ. NULL yd
   or ydd means zero; an output that is NULL is not computed. */
TD_API td_status td_motion_to_actuators(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, const double *ydd,
                                        double *position, double *velocity, double *acceleration);

/* The way back: the motion y, ẏ, ÿ that goes with motions of the motors. y (ny) is found by
   Newton's method from what it holds on entry; turns are not wrapped, but for
   joints that close loops. Entries of velocities that no
   motor moves stay what they are, in yd and ydd too. NULL velocity or acceleration means zero; yd
   and ydd may be NULL, yd only if ydd is. With more motors than coordinates, by least squares;
   residual (may be NULL) is the largest difference of a motor's position. td_actuation_status, if
   not TD_OK, is returned at once. TD_ERROR_ASSEMBLY: no y was found, TD_ERROR_ACTUATION_SINGULAR:
   M_u became singular on the way; y, yd and ydd are as before then. */
TD_API td_status td_motion_from_actuators(const td_model *model, td_workspace *workspace,
                                          const double *position, const double *velocity,
                                          const double *acceleration, double *y, double *yd,
                                          double *ydd, double *residual);

/* What M_u is like at y. Singular values and conditions are those of matrices in the units of their
   coordinates (rad, m). */
typedef struct td_actuation_report {
    size_t size_of;   /* set by the caller: sizeof the struct (docs/abi.md) */
    td_status status; /* TD_OK, _UNDERACTUATED, _ACTUATION_SINGULAR, or that of the closure */
    size_t drivable;  /* velocities that count: all but those of floating joints that no
                         motor moves */
    size_t rank;      /* of M_u: singular values above 1e-10 of the largest */
    double smallest, largest; /* singular values of M_u; smallest is 0 where rank < drivable */
    double closure_condition; /* of G: joints against independent coordinates */
    double map_condition; /* of G M_u⁺: joints against motors; infinite where rank < drivable */
} td_actuation_report;

/* Fills the report. directions (drivable × nyd, may be NULL) receives in its first drivable − rank
   rows an orthonormal basis of the ẏ that no motor feels: M_u d = 0. Returns report->status. Unlike
   the others it allocates (TD_ERROR_MEMORY) and takes O(nv nyd²). */
TD_API td_status td_actuation_examine(const td_model *model, td_workspace *workspace,
                                      const double *y, td_actuation_report *report,
                                      double *directions);

#ifdef __cplusplus
}
#endif
#endif
