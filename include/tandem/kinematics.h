/* SPDX-License-Identifier: MIT */
/*
 * Kinematics: poses, velocities, accelerations and Jacobians of links and points; centre of mass,
 * momentum and energy.
 *
 * As in dynamics.h, every function computes in the coordinates of its workspace: independent ones,
 * or the spanning tree's with TD_COORDINATES_TREE; n is nyd or nv. NULL yd or ydd means zero. A
 * call fails only for the reasons that workspace.h lists (TD_ERROR_ARGUMENT, TD_ERROR_NOT_FINITE,
 * TD_ERROR_QUATERNION), and where loops do not close. Spatial vectors are (angular, linear).
 * Accelerations exclude gravity.
 */
#ifndef TANDEM_KINEMATICS_H
#define TANDEM_KINEMATICS_H

#include "tandem/dynamics.h"
#include "tandem/model.h"
#include "tandem/pose.h"
#include "tandem/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pose of every link in the world, in the order of the links: poses is links × 12, each a row-major
   3 × 4 matrix [R p] with x_world = R x_link + p. O(joints + links). */
TD_API td_status td_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                               double *poses);

/* The same of the links that joints move, and of no others: poses is movable × 12, in the order of
   td_movable_joint, of the child links of these joints. What is fixed to a link moves with it;
   where a robot has many fixed links, these poses take a fraction of the time. O(joints). */
TD_API td_status td_moving_link_poses(const td_model *model, td_workspace *workspace,
                                      const double *y, double *poses);

/* Computes the pose of one link (12: [R p], m). Only the bodies between the link and the root are
   visited: O(depth), and γ. */
TD_API td_status td_link_pose(const td_model *model, td_workspace *workspace, size_t link,
                              const double *y, double *pose);

/* Velocity of every link (links × 6: rad/s, m/s) in frame. O(joints + links). */
TD_API td_status td_link_velocities(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, td_frame frame, double *velocities);

/* Computes the velocity of one link (6: rad/s, m/s) in frame, as if its frame were at point (link
   coordinates, m; NULL: where it is). O(depth), and γ. */
TD_API td_status td_link_velocity(const td_model *model, td_workspace *workspace, size_t link,
                                  const double point[3], const double *y, const double *yd,
                                  td_frame frame, double *velocity);

/* Acceleration of every link (links × 6) in frame. Spatial: the derivative of the spatial velocity,
   which in TD_FRAME_BODY is that of its components. Classical: angular acceleration, and the
   acceleration of the point at the frame's reference point. */
TD_API td_status td_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                               const double *y, const double *yd, const double *ydd,
                                               td_frame frame, double *accelerations);
TD_API td_status td_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *ydd, td_frame frame,
                                                 double *accelerations);

/* Position, velocity and acceleration (9: m, m/s, m/s², world axes) of the point of a link that is
   at point (link coordinates, m). */
TD_API td_status td_point_motion(const td_model *model, td_workspace *workspace, size_t link,
                                 const double point[3], const double *y, const double *yd,
                                 const double *ydd, double *motion);

/* Jacobian of a link's velocity in frame: J (6 × n, row-major), velocity = J ẏ. With a point (link
   coordinates; NULL: the link's origin) the reference point of TD_FRAME_BODY and TD_FRAME_ALIGNED
   is that point. Its rate: J̇ ẏ (6), the acceleration at ÿ = 0; the derivative of the velocity's
   components in that frame is J ÿ + J̇ ẏ. O(depth). */
TD_API td_status td_link_jacobian(const td_model *model, td_workspace *workspace, size_t link,
                                  const double point[3], const double *y, td_frame frame,
                                  double *J);
TD_API td_status td_link_bias_acceleration(const td_model *model, td_workspace *workspace,
                                           size_t link, const double point[3], const double *y,
                                           const double *yd, td_frame frame, double *rate);

/* Computes what the Jacobians of all links consist of. Column i of columns (6 × nv, row-major, in
   both kinds of coordinates) is the velocity, in frame, of the link that the joint of tree velocity
   i moves, where q̇_i is 1 and the rest of q̇ is 0. The columns of a joint start at
   td_joint_place.qd. poses are those of td_link_poses. Either may be NULL and is not computed then.
   O(joints + links).

   In TD_FRAME_WORLD all columns refer to one point. The Jacobian of a link in the tree's
   coordinates then has the columns of the joints above it (td_link_parent_joint of the link, then
   td_joint_place.parent_joint), and zeros elsewhere. The link's velocity at a point p of the world
   is (ω, v + ω × p), where (ω, v) is its velocity in TD_FRAME_WORLD. In independent coordinates the
   Jacobian is the tree's times G (td_closure_jacobian). */
TD_API td_status td_motion_subspaces(const td_model *model, td_workspace *workspace,
                                     const double *y, td_frame frame, double *columns,
                                     double *poses);

/* What mass, centre of mass and energy are of. */
typedef enum td_scope {
    TD_SCOPE_ALL,     /* the root and what is fixed to it included */
    TD_SCOPE_MOVING,  /* what moves against the world */
    TD_SCOPE_SPRINGS, /* of energy: all links, and all springs; else as TD_SCOPE_ALL */
} td_scope;

/* Centre of mass in the world (3: m). NaN without mass. */
TD_API td_status td_center_of_mass(const td_model *model, td_workspace *workspace, const double *y,
                                   td_scope scope, double *com);
/* Position, velocity and acceleration of the centre of mass in the world (9: m, m/s, m/s²). */
TD_API td_status td_center_of_mass_motion(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *ydd,
                                          td_scope scope, double *motion);
/* Jacobian of the centre of mass, 3 × n: its velocity is J ẏ. */
TD_API td_status td_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                            const double *y, td_scope scope, double *J);

/* Momentum about the centre of mass, world axes: A ẏ with A 6 × n (kg m², kg); the momentum itself
   (6); and Ȧ ẏ (6), its rate of change at ÿ = 0. */
TD_API td_status td_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                               const double *y, td_scope scope, double *A);
TD_API td_status td_centroidal_momentum(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, td_scope scope,
                                        double *momentum);
TD_API td_status td_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, td_scope scope,
                                             double *bias);

/* Kinetic and potential energy (2: J). The potential of gravity is zero at the world's origin. With
   TD_SCOPE_SPRINGS that of all springs is added: of joints of one coordinate, of loop joints and
   between links, which td_forces.passive switches on; it is zero where they are relaxed. Rotors are
   not in it. */
TD_API td_status td_energy(const td_model *model, td_workspace *workspace, const double *y,
                           const double *yd, td_scope scope, double *energy);
/* The energy that all springs store (1: J). */
TD_API td_status td_spring_energy(const td_model *model, td_workspace *workspace, const double *y,
                                  double *energy);
/* The state of a spring between two links (td_spring_at): the distance of its two points (m), the
   rate of that (m/s), the energy it stores (J) and the power its damper takes (W). O(links).
   TD_ERROR_ARGUMENT where there is no such spring. */
TD_API td_status td_spring_state(const td_model *model, td_workspace *workspace, size_t spring,
                                 const double *y, const double *yd, double motion[4]);

#ifdef __cplusplus
}
#endif
#endif
