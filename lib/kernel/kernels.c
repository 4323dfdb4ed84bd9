/* SPDX-License-Identifier: MIT */
/*
 * Compiles all kernels for one instruction set and one `real` as a single translation unit. The
 * compiler flags select both (lib/meson.build), and TD_KERNELS names the table. Each file also
 * compiles alone. In one unit, the kernels need no external symbols and the compiler can inline
 * calls between files.
 */
#include "kernel/algebra/matrix.c"
#include "kernel/algebra/transfer.c"
#include "kernel/kernel.h"
#include "kernel/loops/held.c"
#include "kernel/rooms.c" /* also includes the kernels that use scopes */
#include "kernel/tree/aba.c"
#include "kernel/tree/aba_body.c"
#include "kernel/tree/amplification.c"
#include "kernel/tree/coriolis.c"
#include "kernel/tree/jacobian.c"
#include "kernel/tree/mass.c"
#include "kernel/tree/mass_body.c"
#include "kernel/tree/motion.c"
#include "kernel/tree/motion_derivatives.c"
#include "kernel/tree/operational.c"
#include "kernel/tree/passive.c"
#include "kernel/tree/poses.c"
#include "kernel/tree/rnea.c"
#include "kernel/tree/springs.c"

extern const td_kernels TD_KERNELS;

/* Kernels that some reals lack are NULL in their tables. */
#if defined(TD_DENSE_MASS)
#define dense_mass_or_null dense_mass
#else
#define dense_mass_or_null NULL
#endif
#if defined(TD_REAL_DOUBLE)
#define body_axes_mass_or_null NULL
#define world_axes_aba_or_null world_axes_aba
#else
#define body_axes_mass_or_null body_axes_mass
#define world_axes_aba_or_null NULL
#endif

const td_kernels TD_KERNELS = {
    .isa = TD_ISA_NAME,
    .lanes = TD_LANE_COUNT,
    .real_size = sizeof(real),
#define KERNEL(result, name, parameters) .name = name,
#define OPTIONAL_KERNEL(result, name, parameters) .name = name##_or_null,
#include "kernel/table.h"
};
