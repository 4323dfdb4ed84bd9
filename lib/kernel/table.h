/* SPDX-License-Identifier: MIT */
/*
 * Every kernel, once, as KERNEL(result, name, (parameters)); OPTIONAL_KERNEL for those that some
 * reals do without, whose pointer is NULL there. kernel.h makes a structure of pointers of the
 * list, kernels.c a table of the functions of these names. Included with KERNEL defined; the
 * definitions end with it. Kernels of a folder stand in its table.h.
 *
 * What a kernel needs in the scratch and what it leaves there is said as "needs → leaves".
 */
#ifndef KERNEL /* the file is read alone */
#define KERNEL(result, name, parameters)
#endif
#ifndef OPTIONAL_KERNEL
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/rooms.c ---- */
/* Takes the members of the scratch. */
KERNEL(void, take, (const td_scratch_sizes *sizes, td_stack *stack, td_scratch *s))
/* Takes what the scopes of kernels take at most, of a stack without a block. */
KERNEL(void, measure, (const td_scratch_sizes *sizes, td_stack *stack))
/* Takes what constraints of one group need, without anything else; the group's room is 0. */
KERNEL(void, take_group, (const td_tree *tree, const td_loop_group *g, td_stack *stack,
       td_scratch *s))
/* after constraints: per body of a group 12 reals, its rotation and position against the body that
   carries the group; per row the 6 of its wrench */
KERNEL(void, group_places, (const td_loop_group *g, const td_scratch *s, const td_reals **poses,
       const td_reals **wrenches))

// clang-format on
#include "kernel/algebra/table.h"
#include "kernel/loops/table.h"
#include "kernel/tree/table.h"

#undef KERNEL
#undef OPTIONAL_KERNEL
