/* SPDX-License-Identifier: MIT */
/*
 * Coordinates of loop joints with one axis. Computes their motion, maps the forces f of damping,
 * friction and springs in them to the tree by Jᵀ f, and computes the rows of M_u of their motors,
 * with derivatives. J is the Jacobian of the coordinate x: ẋ = J q̇.
 */
#include "kernel/loops/axis_view.h"
#include "kernel/tree/passive.h"

/* Returns the rate of J's entry for one of the group's columns while the bodies move with the
   motions in r. */
static real axis_entry_rate(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                            const loop_room *r, const axis_view *view, const td_loop_column *c)
{
    const vec3 v = loop_point_velocity(view->loop, r, &view->ends);
    const vec3 w = loop_velocity(r, view->loop->predecessor).angular;
    const spatial rate = {cross(w, view->wrench.angular), cross(w, view->wrench.linear)};
    const spatial S = loop_column(tree, g, s, r, c, view->ends.point);
    const spatial S_rate = loop_column_rate(tree, g, s, r, c, view->ends.point, v);
    return c->sign * (spatial_dot(rate, S) + spatial_dot(view->wrench, S_rate));
}

/* Returns J̇ q̇. */
static real axis_drift(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                       const loop_room *r, const axis_view *view, const real *qd)
{
    real sum = splat(0);
    for (int n = 0; n < g->columns; n++)
        if (g->column[n].loop == view->axis->loop)
            sum += axis_entry_rate(tree, g, s, r, view, &g->column[n]) * qd[g->column[n].velocity];
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

static void loop_motion(const td_tree *tree, const td_loop_group *g, int axis, const td_scratch *s,
                        const td_motion_inputs *in, td_reals *out)
{
    loop_room r = s->loop[g->room];
    real *motion = out;
    loop_poses(tree, g, s, &r, in->q);
    loop_motions(tree, g, s, &r, in->qd);
    axis_view view = view_axis(g, &r, axis);
    motion[0] = axis_position(&view);
    motion[1] = axis_rate(tree, g, s, &r, &view, in->qd);
    motion[2] =
        axis_rate(tree, g, s, &r, &view, in->qdd) + axis_drift(tree, g, s, &r, &view, in->qd);
}

/* Computes the rows of M_u of motors in loops, J G. Updates the groups' poses to q. */
static void loop_motors(const td_tree *tree, const td_closure_map *closure,
                        const td_loop_motors *motors, const td_scratch *s, const td_reals *q)
{
    const td_csr *G = &closure->velocity;
    const real *from = s->G;
    real *entry = s->M_u;
    for (size_t i = 0; i < motors->count; i++) {
        const td_loop_motor *motor = &motors->motor[i];
        const td_loop_group *g = &closure->loops.group[motor->group];
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

/* ---- derivatives of motors along y ----------------------------------------------------------- */

static real *motors_take(td_stack *stack, const td_tree *tree)
{
    return td_take(stack, real, tree->nv); /* a column of G */
}

static void motors_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->matrices)
        motors_take(stack, sizes->tree);
}

/* Extracts the entries of column b of G for the bodies of a group. */
static void column_of_group(const td_tree *tree, const td_loop_group *g, const td_csr *G,
                            const real *values, int b, real *column)
{
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        for (int k = body->qd; k < body->qd + body->nv; k++) {
            column[k] = splat(0);
            for (int e = G->row[k]; e < G->row[k + 1]; e++)
                if (G->column[e] == b)
                    column[k] = values[e];
        }
    }
}

/* Computes the derivatives of forces of motors. The last rows of M_u, J G, belong to motors in
   loops. */
static void motor_derivatives(const td_tree *tree, const td_closure_map *closure,
                              const td_actuation_map *map, const td_scratch *s,
                              const td_motion_inputs *in, const td_reals *motor_forces,
                              const td_motor_changes *out)
{
    const td_loop_motors *motors = &map->loops;
    const td_csr *G = &closure->velocity, *M_u = &map->matrix;
    const real *values = s->G, *C = out->curved ? s->velocity_y : NULL, *qd = in->qd;
    const real *u = motor_forces;
    const size_t n = (size_t)G->columns;
    real *f = out->force, *X = out->X, *Z = out->Z;
    td_scope(s->stack, motors);
    real *displacement = motors_take(s->stack, tree);
    clear(f, tree->nv);
    for (size_t i = 0; i + motors->count < (size_t)M_u->rows; i++)
        f[map->row[i]] += u[i];
    for (size_t i = 0; i < motors->count; i++) {
        const td_loop_motor *motor = &motors->motor[i];
        const td_loop_group *g = &closure->loops.group[motor->group];
        const int row = M_u->rows - (int)(motors->count - i);
        loop_room r = s->loop[g->room];
        loop_poses(tree, g, s, &r, in->q);
        const axis_view view = view_axis(g, &r, motor->axis);
        axis_push(tree, g, s, &r, &view, u[row], f);
        for (int c = 0; Z && C && c < g->columns; c++) {
            const td_loop_column *column = &g->column[c];
            if (column->loop != view.axis->loop)
                continue;
            const real J = axis_entry(tree, g, s, &r, &view, column);
            for (int e = G->row[column->velocity]; e < G->row[column->velocity + 1]; e++)
                Z[(size_t)row * n + (size_t)G->column[e]] += J * C[e];
        }
        for (int at = M_u->row[row]; at < M_u->row[row + 1]; at++) {
            const size_t b = (size_t)M_u->column[at];
            column_of_group(tree, g, G, values, (int)b, displacement);
            loop_motions(tree, g, s, &r, displacement);
            for (int c = 0; c < g->columns; c++) {
                const td_loop_column *column = &g->column[c];
                if (column->loop != view.axis->loop)
                    continue;
                const real change = axis_entry_rate(tree, g, s, &r, &view, column);
                for (int e = G->row[column->velocity]; e < G->row[column->velocity + 1]; e++)
                    X[(size_t)G->column[e] * n + b] += u[row] * change * values[e];
                if (Z)
                    Z[(size_t)row * n + b] += change * qd[column->velocity];
            }
        }
    }
}
