/* SPDX-License-Identifier: MIT */
/*
 * tandem: dynamics of robots described in URDF, with mimic joints, couplings and closed loops as
 * part of the model. This header includes all other headers of libtandem. docs/conventions.md
 * defines the notation.
 *
 * Most programs need five calls:
 *
 *   td_load_urdf         loads a robot from a URDF file               urdf.h
 *   td_workspace_new     allocates scratch memory for one thread      workspace.h
 *   td_inverse_dynamics  computes joint forces from accelerations     dynamics.h
 *   td_forward_dynamics  computes accelerations from joint forces     dynamics.h
 *   td_link_poses        computes the poses of all links              kinematics.h
 *
 * Models
 *
 *   build a robot in C                         td_builder_new                   builder.h
 *   read the errors and warnings of a model    td_diagnostics_new               diagnostic.h
 *   query links, joints and coordinates        td_joint_at                      model.h
 *   add a joint that follows a cam or table    td_builder_add_follower          curve.h
 *   write a model as text and read it back     td_model_write                   model_file.h
 *   export for other programs                  td_model_export                  export.h
 *   hash that distinguishes models             td_model_digest                  export.h
 *
 * Workspaces
 *
 *   use several threads                        td_workspace_new                 workspace.h
 *   compute in the coordinates of all joints   td_use_coordinates               workspace.h
 *   attach a payload or change gravity         td_set_payload                   payload.h
 *
 * Kinematics
 *
 *   pose of one link                           td_link_pose                     kinematics.h
 *   poses of the links that joints move        td_moving_link_poses             kinematics.h
 *   Jacobian of one link                       td_link_jacobian                 kinematics.h
 *   Jacobians of all links                     td_motion_subspaces              kinematics.h
 *   inverse kinematics: y for poses            td_ik_solve                      ik.h
 *   inverse kinematics along a path            td_ik_solve_path                 ik_path.h
 *   inverse kinematics: ẏ for twists           td_ik_rate_solve                 ik_rate.h
 *   integrate a velocity: q ⊕ v dt             td_integrate                     configuration.h
 *   compose and invert poses                   td_pose_compose                  pose.h
 *
 * Dynamics
 *
 *   mass matrix                                td_mass_matrix                   dynamics.h
 *   forces of the motors                       td_forces_to_actuators           actuation.h
 *   derivatives of the dynamics                td_inverse_dynamics_derivatives  derivatives.h
 *   wrench that a motion needs from the ground td_residual_wrench               dynamics.h
 *   center of pressure, split between feet     td_center_of_pressure            ground.h
 *   linear model A, B of ẋ = A x + B u         td_linearize                     linearize.h
 *   many states in one call                    td_batch_inverse_dynamics        batch.h
 *
 * Closed loops
 *
 *   all joints from independent ones, q = γ(y) td_closure                       closure.h
 *   all joints from some measured ones         td_complete                      completion.h
 *   cross dead points                          td_chart_choose                  chart.h
 *   constraints K, multipliers λ, forces τ_c   td_constraint_jacobian           constraint.h
 *
 * urdf.h is included if the library was built with the URDF importer (TANDEM_HAS_URDF in config.h).
 * Motion over time is in a second library, libtandem-simulation. Include its headers separately:
 *
 *   simulate                                   td_simulation_new                simulation.h
 *   plan trajectories                          td_trajectory_limited            trajectory.h
 */
#ifndef TANDEM_TANDEM_H
#define TANDEM_TANDEM_H

#include "tandem/actuation.h"
#include "tandem/batch.h"
#include "tandem/builder.h"
#include "tandem/chart.h"
#include "tandem/closure.h"
#include "tandem/completion.h"
#include "tandem/config.h"
#include "tandem/configuration.h"
#include "tandem/constraint.h"
#include "tandem/curve.h"
#include "tandem/derivatives.h"
#include "tandem/diagnostic.h"
#include "tandem/dynamics.h"
#include "tandem/export.h"
#include "tandem/ground.h"
#include "tandem/ik.h"
#include "tandem/ik_path.h"
#include "tandem/ik_rate.h"
#include "tandem/kinematics.h"
#include "tandem/linearize.h"
#include "tandem/model.h"
#include "tandem/model_file.h"
#include "tandem/payload.h"
#include "tandem/pose.h"
#include "tandem/records.h"
#include "tandem/status.h"
#include "tandem/workspace.h"
#if TANDEM_HAS_URDF
#include "tandem/urdf.h"
#endif

#endif
