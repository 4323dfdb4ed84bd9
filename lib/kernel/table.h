/* SPDX-License-Identifier: MIT */
/*
 * The list of all kernels, each as KERNEL(result, name, (parameters)). OPTIONAL_KERNEL marks
 * kernels that some reals lack; their pointer is NULL there. kernel.h makes a struct of pointers
 * from the list, kernels.c a table of the functions with these names. Define KERNEL before
 * including this file, which undefines it at its end. The kernels of each folder are in its
 * table.h.
 *
 * A comment "needs → leaves" names the members of the scratch that a kernel reads and writes.
 */
#ifndef KERNEL /* if the file is parsed by itself */
#define KERNEL(result, name, parameters)
#endif
#ifndef OPTIONAL_KERNEL
#define OPTIONAL_KERNEL KERNEL
#endif

// clang-format off
/* ---- kernel/rooms.c ---- */
/* Allocates the members of the scratch. */
KERNEL(void, take, (const td_scratch_sizes *sizes, td_stack *stack, td_scratch *s))
/* Allocates the largest scope of the kernels from a stack without memory, to count the bytes. */
KERNEL(void, measure, (const td_scratch_sizes *sizes, td_stack *stack))
/* Allocates only the members that constraints needs for one group, whose room index is 0. */
KERNEL(void, take_group, (const td_tree *tree, const td_loop_group *g, td_stack *stack,
       td_scratch *s))
/* After constraints: returns pointers to the poses of a group's bodies and the wrenches of its
   rows. A pose has 12 reals, rotation and position relative to the body that carries the group. A
   wrench has 6. */
KERNEL(void, group_places, (const td_loop_group *g, const td_scratch *s, const td_reals **poses,
       const td_reals **wrenches))

// clang-format on
#include "kernel/algebra/table.h"
#include "kernel/loops/table.h"
#include "kernel/tree/table.h"

#undef KERNEL
#undef OPTIONAL_KERNEL
