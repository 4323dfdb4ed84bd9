/* SPDX-License-Identifier: MIT */
/*
 * The coordinate x of a loop joint that turns about or slides along one axis, as it follows from
 * the tree: its Jacobian J (ẋ = J q̇), what damping, friction and springs in it do to the tree, Jᵀ
 * f, and the row of M_u of a motor in it.
 */
#include "kernel/loops/axis_view.h"
#include "kernel/tree/passive.h"

/* J̇ q̇ */
static real axis_drift(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                       const loop_room *r, const axis_view *view, const real *qd)
{
    real sum = splat(0);
    vec3 v = loop_point_velocity(view->loop, r, &view->ends);
    vec3 w = loop_velocity(r, view->loop->predecessor).angular;
    spatial rate = {cross(w, view->wrench.angular), cross(w, view->wrench.linear)};
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *c = &g->column[n];
        if (c->loop != view->axis->loop)
            continue;
        spatial S = loop_column(tree, g, s, r, c, view->ends.point);
        spatial S_rate = loop_column_rate(tree, g, s, r, c, view->ends.point, v);
        sum +=
            c->sign * (spatial_dot(rate, S) + spatial_dot(view->wrench, S_rate)) * qd[c->velocity];
    }
    return sum;
}

/* out += Jᵀ f */
static void axis_push(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                      const loop_room *r, const axis_view *view, real f, real *out)
{
    for (int n = 0; n < g->columns; n++)
        if (g->column[n].loop == view->axis->loop)
            out[g->column[n].velocity] += f * axis_entry(tree, g, s, r, view, &g->column[n]);
}

static void loop_passive(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                         const td_reals *q, const td_reals *qd, double friction_velocity,
                         td_reals *out)
{
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        if (!g->passive)
            continue;
        loop_room r = s->loop[g->room];
        loop_poses(tree, g, s, &r, q);
        for (int k = 0; k < g->axes; k++) {
            const td_passive *p = &g->axis[k].passive;
            if (!passive_acts(p))
                continue;
            axis_view view = view_axis(g, &r, k);
            real rate = axis_rate(tree, g, s, &r, &view, qd);
            axis_push(tree, g, s, &r, &view,
                      passive_force(p, axis_position(&view), rate, friction_velocity), out);
        }
    }
}

static void loop_energy(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                        const td_reals *q, td_reals *out)
{
    real *energy = out;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        if (!g->passive)
            continue;
        loop_room r = s->loop[g->room];
        loop_poses(tree, g, s, &r, q);
        for (int k = 0; k < g->axes; k++) {
            const td_passive *p = &g->axis[k].passive;
            const axis_view view = view_axis(g, &r, k);
            const real x = axis_position(&view) - p->reference;
            if (p->stiffness != 0)
                energy[0] += 0.5 * p->stiffness * x * x;
        }
    }
}

static void loop_push(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                      const td_reals *q, const td_reals *forces, td_reals *out)
{
    const real *force = forces;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        loop_room r = s->loop[g->room];
        if (g->axes)
            loop_poses(tree, g, s, &r, q);
        for (int k = 0; k < g->axes; k++) {
            axis_view view = view_axis(g, &r, k);
            axis_push(tree, g, s, &r, &view, force[view.loop->index], out);
        }
    }
}

static void loop_motion(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                        size_t group, int axis, const td_reals *q, const td_reals *qd,
                        const td_reals *qdd, td_reals *out)
{
    const td_loop_group *g = &loops->group[group];
    loop_room r = s->loop[g->room];
    real *motion = out;
    loop_poses(tree, g, s, &r, q);
    loop_motions(tree, g, s, &r, qd);
    axis_view view = view_axis(g, &r, axis);
    motion[0] = axis_position(&view);
    motion[1] = axis_rate(tree, g, s, &r, &view, qd);
    motion[2] = axis_rate(tree, g, s, &r, &view, qdd) + axis_drift(tree, g, s, &r, &view, qd);
}

/* the rows of M_u of motors in loops: J G. The groups' poses are those of q. */
static void loop_motors(const td_tree *tree, const td_loops *loops, const td_loop_motors *motors,
                        const td_csr *G, const td_scratch *s, const td_reals *q,
                        const td_reals *values, td_reals *M_u)
{
    const real *from = values;
    real *entry = M_u;
    for (size_t i = 0; i < motors->count; i++) {
        const td_loop_motor *motor = &motors->motor[i];
        const td_loop_group *g = &loops->group[motor->group];
        loop_room r = s->loop[g->room];
        size_t next = motor->first;
        loop_poses(tree, g, s, &r, q);
        axis_view view = view_axis(g, &r, motor->axis);
        clear(entry + motor->entry, motor->entries);
        for (int n = 0; n < g->columns; n++) {
            const td_loop_column *c = &g->column[n];
            if (c->loop != view.axis->loop)
                continue;
            real J = axis_entry(tree, g, s, &r, &view, c);
            for (int e = G->row[c->velocity]; e < G->row[c->velocity + 1]; e++)
                entry[motors->target[next++]] += J * from[e];
        }
    }
}
