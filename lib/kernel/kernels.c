/* SPDX-License-Identifier: MIT */
/*
 * All kernels for one instruction set and one `real`, as one object: the compiler flags choose both
 * (lib/meson.build), TD_KERNELS names the table.
 */
#include "kernel/kernel.h"
#include "spatial.h"

/* in the order of their use of each other */
// clang-format off
#include "kernel/transfer.c"
#include "kernel/place.c"
#include "kernel/poses.c"
#include "kernel/rnea.c"
// clang-format on

const td_kernels TD_KERNELS;
const td_kernels TD_KERNELS = {
    .isa = TD_ISA_NAME,
    .lanes = TD_LANE_COUNT,
    .real_size = sizeof(real),
    .load = load,
    .store = store,
    .zero = zero,
    .affine = affine,
    .transposed = transposed,
    .prepare = prepare,
    .place = place,
    .poses = poses,
    .link_poses = link_poses,
    .center_of_mass = center_of_mass,
    .wrenches = wrenches,
    .rnea = rnea,
};
