/* SPDX-License-Identifier: MIT */
/*
 * Allocation of the scratch: the members through which kernels pass results, and the largest
 * allocation of each scope. This file includes the kernels that open scopes, since their element
 * types are needed here.
 */
#include "kernel/real/packed3.h" /* included first because it defines real */
#include "kernel/scratch.h"

#include "kernel/algebra/constraints.c"
#include "kernel/algebra/ltdl.c"
#include "kernel/algebra/solve_many.c"
#include "kernel/kernel.h"
#include "kernel/loops/axis.c"
#include "kernel/loops/balance.c"
#include "kernel/loops/close.c"
#include "kernel/loops/drives.c"
#include "kernel/loops/held_change.c"
#include "kernel/tree/articulated_joint.h"
#include "kernel/tree/cluster.c"
#include "kernel/tree/coriolis.h"
#include "kernel/tree/examine_joints.c"
#include "kernel/tree/mass_dense.c"
#include "kernel/tree/mass_rows.h"
#include "kernel/tree/momentum_derivatives.c"
#include "kernel/tree/newton_euler.h"
#include "kernel/tree/rnea_adjoint.c"
#include "kernel/tree/rnea_derivatives.c"
#include "kernel/tree/rnea_tangent.c"
#include "kernel/tree/spring_derivatives.c"

static void take_coordinates(const td_scratch_sizes *sizes, td_stack *stack, td_scratch *s)
{
    const td_tree *tree = sizes->tree;
    const size_t nv = tree->nv, angles = td_whole_vectors(tree->angles);
    s->q = td_take(stack, real, tree->nq);
    s->qd = td_take(stack, real, nv);
    s->qdd = td_take(stack, real, nv);
    s->tau = td_take(stack, real, nv);
    s->zeros = td_take(stack, real, nv);
    s->tau_y = td_take(stack, real, nv);
    s->bias = td_take(stack, real, nv);
    s->rest = td_take(stack, real, nv);
    s->force_y = td_take(stack, real, nv);
    s->sine = td_take(stack, real, angles);
    s->cosine = td_take(stack, real, angles);
    s->path = td_take(stack, int, TD_PATH_LISTS + 2 * tree->bodies);
    s->singular = td_take(stack, real, 1);
    s->doubt = td_take(stack, real, 1);
    s->M_u = td_take(stack, real, sizes->M_u);
    s->G = td_take(stack, real, sizes->G);
}

/* With a single state, SIMD packs read past the last body or velocity. At the end of a row they
   write the numbers after it back unchanged (strip_store in strip.h). */
static void take_bodies(const td_tree *tree, td_stack *stack, td_scratch *s)
{
    const size_t bodies = tree->bodies;
    const size_t strips = TD_STRIP > 1 ? td_whole_strips(bodies) : bodies; /* accessed in packs */
    s->placed = td_take(stack, placement, bodies);
    s->velocity = td_take(stack, packed3, bodies);
    s->spin_motion = td_take(stack, spin_motion, bodies);
    s->packed_force = td_take(stack, packed_force, bodies);
    s->acceleration = td_take(stack, screw, bodies);
    s->force = td_take(stack, spatial, tree->links);
    s->wrench = td_take(stack, spatial, bodies);
    s->pose = td_take(stack, axes, strips);
    s->arm = td_take(stack, packed3, strips);
    s->inertia = td_take(stack, inertia, strips);
    s->composite = td_take(stack, composite, strips);
    s->motion = td_take(stack, body_motion, strips);
    s->articulated = td_take(stack, articulated, bodies);
    s->joint_projection = td_take(stack, joint_projection, bodies);
    s->general = td_take(stack, general_projection, tree->general_joints);
    s->product = td_take(stack, product, bodies);
}

/* Allocates arrays that grow with the square of the number of joints, and others that only matrices
   need. */
static void take_matrices(const td_scratch_sizes *sizes, td_stack *stack, td_scratch *s)
{
    s->row_parts = row_parts_take(stack, sizes->tree);
    s->mass = td_take(stack, real, pattern_reals(&sizes->tree->pattern));
    s->reduced = td_take(stack, real, sizes->reduced ? pattern_reals(sizes->reduced) : 0);
    s->K = td_take(stack, real, sizes->constraints * sizes->tree->nv);
    s->phi = td_take(stack, real, sizes->constraints);
    s->drift = td_take(stack, real, sizes->constraints);
}

static void take_loops(const td_scratch_sizes *sizes, td_stack *stack, td_scratch *s)
{
    const td_loops *loops = sizes->loops;
    s->w = td_take(stack, real, sizes->w);
    s->G_rate = td_take(stack, real, sizes->G_rate);
    s->velocity_y = td_take(stack, real, sizes->G_rate);
    s->acceleration_y = td_take(stack, real, sizes->G_rate);
    s->acceleration_yd = td_take(stack, real, sizes->G_rate);
    s->force_w = td_take(stack, real, sizes->wd);
    s->g = td_take(stack, real, sizes->reduced ? sizes->tree->nv : 0);
    s->outcome = td_take(stack, real, TD_OUTCOMES);
    s->u = td_take(stack, real, sizes->u);
    s->loop_wrench = td_take(stack, spatial, sizes->balances->loops ? sizes->balances->of : 0);
    s->loop_motor = td_take(stack, real, sizes->balances->loops ? sizes->balances->of : 0);
    s->loop = td_take(stack, loop_room, loops->count);
    s->function = td_take(stack, function_room, loops->count);
    s->curves = td_take(stack, curves_room, loops->count);
    for (size_t n = 0; n < loops->count; n++)
        if (loops->group[n].form == TD_FORM_FUNCTION) {
            const function_room room = function_take(stack, &loops->group[n]);
            if (s->function)
                s->function[n] = room;
        } else if (loops->group[n].form == TD_FORM_CURVES) {
            const curves_room room = curves_take(stack, &loops->group[n]);
            if (s->curves)
                s->curves[n] = room;
        } else {
            const loop_room room = loop_take(stack, &loops->group[n]);
            if (s->loop)
                s->loop[n] = room;
        }
}

static void take(const td_scratch_sizes *sizes, td_stack *stack, td_scratch *s)
{
    *s = (td_scratch){.stack = stack};
    take_coordinates(sizes, stack, s);
    take_bodies(sizes->tree, stack, s);
    s->cluster = cluster_take(stack, sizes->clusters);
    s->columns = td_take(stack, real, sizes->reduced ? 6 * sizes->tree->nv : 0);
    if (sizes->matrices)
        take_matrices(sizes, stack, s);
    take_loops(sizes, stack, s);
}

static void take_group(const td_tree *tree, const td_loop_group *g, td_stack *stack, td_scratch *s)
{
    *s = (td_scratch){.stack = stack};
    s->sine = td_take(stack, real, td_whole_vectors(tree->angles));
    s->cosine = td_take(stack, real, td_whole_vectors(tree->angles));
    s->loop = td_take(stack, loop_room, 1);
    const loop_room room = loop_take(stack, g);
    if (s->loop)
        *s->loop = room;
}

static void group_places(const td_loop_group *g, const td_scratch *s, const td_reals **poses,
                         const td_reals **wrenches)
{
    *poses = (const real *)s->loop[g->room].pose;
    *wrenches = (const real *)s->loop[g->room].wrench;
}

static void measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    const size_t begin = stack->used;
#define MEASURE(name)                                                                              \
    name##_measure(sizes, stack);                                                                  \
    stack->used = begin;
    TD_KERNEL_SCOPES(MEASURE)
#undef MEASURE
}
