/* SPDX-License-Identifier: MIT */
/*
 * tandem: dynamics of robots described in URDF, with mimic joints, couplings and closed loops as
 * part of the model. This header includes all others of libtandem; docs/conventions.md holds the
 * notation.
 *
 *   load a file     td_load_urdf                  urdf.h, diagnostic.h
 *   build in C      td_builder_new                builder.h, records.h
 *   keep and send   td_model_write, _read         model_file.h
 *   for others      td_model_export, _digest      export.h
 *   scratch         td_workspace_new              workspace.h
 *   all joints' q   td_use_coordinates            workspace.h
 *   joint torques   td_inverse_dynamics           dynamics.h, actuation.h
 *   accelerations   td_forward_dynamics           dynamics.h
 *   mass matrix     td_mass_matrix                dynamics.h
 *   derivatives     td_inverse_dynamics_derivatives  derivatives.h
 *   poses           td_link_poses                 kinematics.h
 *   of one link     td_link_pose                  kinematics.h
 *   of moving ones  td_moving_link_poses          kinematics.h
 *   Jacobians       td_link_jacobian              kinematics.h
 *   of all links    td_motion_subspaces           kinematics.h
 *   y for poses     td_ik_solve                   ik.h
 *   y along a path  td_ik_solve_path              ik_path.h
 *   ẏ for twists    td_ik_rate_solve              ik_rate.h
 *   q = γ(y)        td_closure                    closure.h
 *   all from some   td_complete                   completion.h
 *   dead points     td_chart_choose               chart.h
 *   cams, tables    td_builder_add_follower       curve.h
 *   q ⊕ v dt        td_integrate                  configuration.h
 *   R, p            td_pose_compose               pose.h
 *   K, λ, τ_c       td_constraint_jacobian        constraint.h
 *   A, B of ẋ = Ax + Bu td_linearize              linearize.h
 *   many states     td_batch_inverse_dynamics     batch.h
 *   on all cores    td_workspace_new              workspace.h
 *   a payload       td_set_payload                payload.h
 *
 * urdf.h is here where the library was built with its reader of files (TANDEM_HAS_URDF of
 * config.h). libtandem-simulation, motion over time, is a library of its own, whose headers a
 * program includes beside this one:
 *
 *   simulate        td_simulation_new             simulation.h
 *   trajectories    td_trajectory_limited         trajectory.h
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
