/* SPDX-License-Identifier: MIT */
/*
 * The coordinate x of a loop joint that rotates about or translates along one axis, as a function
 * of the tree: its position, its Jacobian J (ẋ = J q̇), and the wrench of a unit force or moment
 * along the axis.
 */
#ifndef TD_AXIS_VIEW_H
#define TD_AXIS_VIEW_H

#include "kernel/loops/residual.h"

/* A loop joint's coordinate at the group's current poses (and motions). */
typedef struct axis_view {
    const td_loop_axis *axis;
    const td_loop_joint *loop;
    loop_ends ends;
    spatial wrench;
} axis_view;

TD_INLINE axis_view view_axis(const td_loop_group *g, const loop_room *r, int index)
{
    const td_loop_axis *axis = &g->axis[index];
    const td_loop_joint *loop = &g->loop[axis->loop];
    axis_view view = {axis, loop, ends_of(loop, r), spatial_zero()};
    vec3 a = rotate_k(&view.ends.predecessor.R, axis->axis);
    if (axis->turns)
        view.wrench.angular = a;
    else
        view.wrench.linear = a;
    return view;
}

/* Returns x: the angle from `base` to `arm` in (−π, π], or the displacement along the axis. */
TD_INLINE real axis_position(const axis_view *view)
{
    if (!view->axis->turns)
        return dot(view->wrench.linear, view->ends.difference);
    vec3 base = rotate_k(&view->ends.predecessor.R, view->axis->base);
    vec3 arm = rotate_k(&view->ends.successor.R, view->axis->arm);
    return real_atan2(dot(cross(view->wrench.angular, base), arm), dot(base, arm));
}

/* Returns the entry of J for one of the group's columns. */
TD_INLINE real axis_entry(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                          const loop_room *r, const axis_view *view, const td_loop_column *c)
{
    return c->sign * spatial_dot(view->wrench, loop_column(tree, g, s, r, c, view->ends.point));
}

/* Returns J times a velocity or acceleration of the tree. */
TD_INLINE real axis_rate(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                         const loop_room *r, const axis_view *view, const real *rates)
{
    real sum = splat(0);
    for (int n = 0; n < g->columns; n++)
        if (g->column[n].loop == view->axis->loop)
            sum += axis_entry(tree, g, s, r, view, &g->column[n]) * rates[g->column[n].velocity];
    return sum;
}

#endif
