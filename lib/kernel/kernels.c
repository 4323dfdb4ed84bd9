/* SPDX-License-Identifier: MIT */
/*
 * All kernels for one instruction set and one `real`, as one object: the compiler flags choose both
 * (lib/meson.build), TD_KERNELS names the table. Every file compiles alone as well; as one object
 * they need no symbols and no calls between them.
 */
#include "kernel/algebra/constraints.c"
#include "kernel/algebra/ltdl.c"
#include "kernel/algebra/matrix.c"
#include "kernel/algebra/transfer.c"
#include "kernel/kernel.h"
#include "kernel/loops/axis.c"
#include "kernel/loops/close.c"
#include "kernel/loops/drives.c"
#include "kernel/tree/aba.c"
#include "kernel/tree/aba_body.c"
#include "kernel/tree/cluster.c"
#include "kernel/tree/coriolis.c"
#include "kernel/tree/jacobian.c"
#include "kernel/tree/mass.c"
#include "kernel/tree/mass_body.c"
#include "kernel/tree/mass_dense.c"
#include "kernel/tree/motion.c"
#include "kernel/tree/passive.c"
#include "kernel/tree/poses.c"
#include "kernel/tree/rnea.c"

extern const td_kernels TD_KERNELS;

const td_kernels TD_KERNELS = {
    .isa = TD_ISA_NAME,
    .lanes = TD_LANE_COUNT,
    .real_size = sizeof(real),
    .load = load,
    .store = store,
    .store_symmetric = store_symmetric,
    .symmetric = symmetric,
    .finite = lanes_finite,
    .all_finite = all_finite,
    .unit = unit,
    .copy = copy,
    .clear = clear,
    .add = add_to,
    .subtract = subtract_from,
    .affine = affine,
    .spread = spread,
    .rates = rates,
    .transposed = transposed,
    .scatter = scatter,
    .times_sparse = times_sparse,
    .congruence = congruence,
    .choose = choose,
    .prepare = prepare,
    .poses = poses,
    .link_poses = link_poses,
    .store_link_poses = store_link_poses,
    .wrenches = wrenches,
    .rnea = rnea,
    .passive = passive,
    .rotors = rotors,
    .inertias = inertias,
    .composites = composites,
    .crba = crba,
#if !defined(TD_REAL_DOUBLE)
    .hinged_mass = hinged_mass,
#endif
#if defined(TD_DENSE_MASS)
    .dense_mass = dense_mass,
#endif
    .factor = factor,
    .examine = examine,
    .solve = solve,
    .invert = invert,
    .multiply = multiply,
    .exclude = exclude,
    .aba = aba,
    .cluster_aba = cluster_aba,
    .gather = gather,
    .drive_forces = drive_forces,
    .drive_rates = drive_rates,
    .close = close_loops,
    .tangent = tangent,
    .close_rates = close_rates,
    .loop_columns = dependent_columns,
    .constraints = constraints,
    .loop_passive = loop_passive,
    .loop_push = loop_push,
    .loop_motion = loop_motion_of,
    .loop_motors = loop_motors,
    .linear_constraints = linear_constraints,
    .stabilize = stabilize,
    .constrain = constrain,
    .motions = motions,
    .link_velocities = link_velocities,
    .link_accelerations = link_accelerations,
    .point_motion = point_motion,
    .jacobian_rate = jacobian_rate,
    .energies = energies,
    .center_of_mass = center_of_mass,
    .momentum = momentum,
    .mass_center = mass_center,
    .momentum_rate = momentum_rate,
    .reactions = reactions,
    .jacobian = jacobian,
    .joint_columns = joint_columns,
    .momentum_matrix = momentum_matrix,
    .com_jacobian = com_jacobian,
    .coriolis = coriolis,
};
