/* SPDX-License-Identifier: MIT */
/*
 * Kinematics: poses, velocities, accelerations and Jacobians of links and points; center of mass,
 * momentum and energy.
 *
 * As in dynamics.h, every function computes in the coordinates of its workspace: the independent
 * ones, or with TD_COORDINATES_TREE the coordinates of the spanning tree. n is nyd or nv. y has ny
 * or nq entries; yd and ydd have n, and NULL means zero. Outputs must not alias inputs.
 *
 * A call fails only for the reasons in workspace.h (TD_ERROR_ARGUMENT, TD_ERROR_NOT_FINITE,
 * TD_ERROR_QUATERNION) and if a loop cannot be closed at y (closure.h). Spatial vectors are
 * (angular, linear). Accelerations exclude gravity. Costs refer to models without iterated loops;
 * solving γ for loops adds to them. If the mass is zero, the center of mass and the momentum about
 * it are NaN. This is not an error for one state; in a batch the status is TD_ERROR_NOT_FINITE.
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

/* Computes the pose of every link in the world. poses is links × 12, in the order of the links.
   Each pose is a row-major 3 × 4 matrix [R p] with x_world = R x_link + p (m). Cost: O(joints +
   links). */
TD_API td_status td_link_poses(const td_model *model, td_workspace *workspace, const double *y,
                               double *poses);

/* Computes only the poses of links that are the child of a movable joint. poses is movable × 12, in
   the order of td_movable_joint. All other links are fixed to one of these or to the world. For
   robots with many fixed links this is much faster than td_link_poses. Cost: O(joints). */
TD_API td_status td_moving_link_poses(const td_model *model, td_workspace *workspace,
                                      const double *y, double *poses);

/* Computes the pose of one link (12: [R p], m). The call visits only the bodies on the path to the
   root. Cost: O(depth), plus γ. */
TD_API td_status td_link_pose(const td_model *model, td_workspace *workspace, size_t link,
                              const double *y, double *pose);

/* Computes the velocity of every link in frame (links × 6: rad/s, m/s). Cost: O(joints + links). */
TD_API td_status td_link_velocities(const td_model *model, td_workspace *workspace, const double *y,
                                    const double *yd, td_frame frame, double *velocities);

/* Computes the velocity of one link at a point.

     link      index of the link
     point     3: reference point in link coordinates, m, in place of the link's origin; NULL: the
               origin. TD_FRAME_WORLD ignores it
     y, yd     state
     frame     frame of the result
     velocity  output, 6: rad/s, m/s

   Cost: O(depth), plus γ. */
TD_API td_status td_link_velocity(const td_model *model, td_workspace *workspace, size_t link,
                                  const double point[3], const double *y, const double *yd,
                                  td_frame frame, double *velocity);

/* Computes the acceleration of every link in frame (links × 6: rad/s², m/s²). The spatial
   acceleration is the derivative of the spatial velocity; in TD_FRAME_BODY this is the derivative
   of its components. The classical acceleration is the angular acceleration and the acceleration of
   the material point at the frame's reference point. Cost: O(joints + links). */
TD_API td_status td_link_spatial_accelerations(const td_model *model, td_workspace *workspace,
                                               const double *y, const double *yd, const double *ydd,
                                               td_frame frame, double *accelerations);
TD_API td_status td_link_classical_accelerations(const td_model *model, td_workspace *workspace,
                                                 const double *y, const double *yd,
                                                 const double *ydd, td_frame frame,
                                                 double *accelerations);

/* Computes the motion of a point of a link.

     link        index of the link
     point       3: the point in link coordinates, m
     y, yd, ydd  state and accelerations
     motion      output, 9: position, velocity and acceleration in world axes (m, m/s, m/s²)

   Cost: O(depth), plus γ. */
TD_API td_status td_point_motion(const td_model *model, td_workspace *workspace, size_t link,
                                 const double point[3], const double *y, const double *yd,
                                 const double *ydd, double *motion);

/* Computes the Jacobian of a link's velocity: velocity = J ẏ.

     link   index of the link
     point  3: reference point of TD_FRAME_BODY and TD_FRAME_ALIGNED, in link coordinates, m; NULL:
            the link's origin
     y      configuration
     frame  frame of the velocity
     J      output, 6 × n, row-major

   Cost: O(depth). */
TD_API td_status td_link_jacobian(const td_model *model, td_workspace *workspace, size_t link,
                                  const double point[3], const double *y, td_frame frame,
                                  double *J);
/* Computes J̇ ẏ (6: rad/s², m/s²), the acceleration of a link for ÿ = 0, with J of td_link_jacobian
   for the same link, point and frame. The derivative of the components of the velocity in this
   frame is J ÿ + J̇ ẏ. This is the classical acceleration in TD_FRAME_ALIGNED, and the spatial
   acceleration in the other frames. Cost: O(depth). */
TD_API td_status td_link_bias_acceleration(const td_model *model, td_workspace *workspace,
                                           size_t link, const double point[3], const double *y,
                                           const double *yd, td_frame frame, double *rate);

/* Computes the columns that make up the Jacobians of all links.

     y        configuration
     frame    frame of columns
     columns  output, 6 × nv, row-major, in both kinds of coordinates: column i is the velocity of
              the child link of the joint with tree velocity q̇_i, if q̇_i is 1 and the other entries
              of q̇ are 0; NULL: not computed
     poses    output, links × 12, as td_link_poses; NULL: not computed

   The columns of a joint start at td_joint_place.qd. In TD_FRAME_WORLD all columns have the same
   reference point. In the coordinates of the tree, the Jacobian of a link then consists of the
   columns of the joints above it, and zeros. These joints are td_link_parent_joint of the link,
   then td_joint_place.parent_joint repeatedly. In independent coordinates the Jacobian is that
   matrix times G (td_closure_jacobian). If (ω, v) is the velocity of a link in TD_FRAME_WORLD, its
   velocity at a point p of the world is (ω, v + ω × p). Cost: O(joints + links). */
TD_API td_status td_motion_subspaces(const td_model *model, td_workspace *workspace,
                                     const double *y, td_frame frame, double *columns,
                                     double *poses);

/* Which links and springs count in the center of mass, momentum and energy. */
typedef enum td_scope {
    TD_SCOPE_ALL,     /* all links, including the root and links fixed to it */
    TD_SCOPE_MOVING,  /* only links that move relative to the world */
    TD_SCOPE_SPRINGS, /* for energies: all links and all springs; otherwise as TD_SCOPE_ALL */
} td_scope;

/* Computes the center of mass in the world (3: m). Cost: O(joints). */
TD_API td_status td_center_of_mass(const td_model *model, td_workspace *workspace, const double *y,
                                   td_scope scope, double *com);
/* Computes position, velocity and acceleration of the center of mass in the world (9: m, m/s,
   m/s²). Cost: O(joints). */
TD_API td_status td_center_of_mass_motion(const td_model *model, td_workspace *workspace,
                                          const double *y, const double *yd, const double *ydd,
                                          td_scope scope, double *motion);
/* Computes the Jacobian J (3 × n) of the center of mass; its velocity is J ẏ. Cost: O(joints). */
TD_API td_status td_center_of_mass_jacobian(const td_model *model, td_workspace *workspace,
                                            const double *y, td_scope scope, double *J);

/* Compute the momentum about the center of mass, (angular, linear) in world axes: the centroidal
   momentum matrix A (6 × n; kg m², kg), the momentum A ẏ (6: N m s, N s), and its rate Ȧ ẏ for ÿ =
   0 (6: N m, N). Cost: O(joints). */
TD_API td_status td_centroidal_momentum_matrix(const td_model *model, td_workspace *workspace,
                                               const double *y, td_scope scope, double *A);
TD_API td_status td_centroidal_momentum(const td_model *model, td_workspace *workspace,
                                        const double *y, const double *yd, td_scope scope,
                                        double *momentum);
TD_API td_status td_centroidal_momentum_bias(const td_model *model, td_workspace *workspace,
                                             const double *y, const double *yd, td_scope scope,
                                             double *bias);

/* Computes kinetic and potential energy (2: J). The potential energy of gravity is zero at the
   world's origin. TD_SCOPE_SPRINGS adds the energy of all springs that td_forces.passive activates:
   of joints with one coordinate, of loop joints, and between links. A relaxed spring has zero
   energy. The kinetic energy excludes rotors. Cost: O(joints). */
TD_API td_status td_energy(const td_model *model, td_workspace *workspace, const double *y,
                           const double *yd, td_scope scope, double *energy);
/* Computes the energy stored in all springs (1: J). Cost: O(joints). */
TD_API td_status td_spring_energy(const td_model *model, td_workspace *workspace, const double *y,
                                  double *energy);
/* Computes the state of a spring between two links (td_spring_at).

     spring   index of the spring
     y, yd    state
     motion   output, 4: distance of its two points (m), rate of the distance (m/s), stored energy
              (J), and power dissipated by its damper (W)

   TD_ERROR_ARGUMENT: there is no such spring. Cost: O(links). */
TD_API td_status td_spring_state(const td_model *model, td_workspace *workspace, size_t spring,
                                 const double *y, const double *yd, double motion[4]);

#ifdef __cplusplus
}
#endif
#endif
