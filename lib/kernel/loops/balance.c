/* SPDX-License-Identifier: MIT */
/*
 * The forces of loops. τ_c, what the closure does to the joints of the tree, is given. Of a held
 * coordinate (load/closure/balance.c) the loops must give the sum of τ_c over the velocities that
 * it moves: Jᵀ λ = b, with a column of J for each, and rows weighted so that those of lengths
 * compare with those of angles. J = Q R has more rows than columns where loops are
 * over-constrained: the shortest λ is the one that lies in Q. What no loop gives of τ_c is left to
 * joints that follow others, couplings and closures of the user's own, which act about the joints'
 * axes; followers by curves that are solved with loops have their rows in J.
 *
 * A wrench of a loop acts on the successor, the opposite one on the predecessor, both at the
 * successor's point. It is kept in world axes, per loop of the model.
 */
#include "kernel/loops/balance.h"
#include "kernel/loops/axis_view.h"
#include "kernel/tree/link_forces.h"
#include "kernel/tree/passive.h"

/* what a self-stress changes by less than this part of what it changes most is rounding */
#define NO_CHANGE 1e-9

static void balance_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    const size_t begin = stack->used;
    for (size_t n = 0; n < sizes->balances->count; n++, stack->used = begin)
        balance_take(stack, &sizes->balances->set[n]);
}

/* ---- places in the world --------------------------------------------------------------------- */

/* of a body; −1: the world */
TD_INLINE pose world_pose(int body, const td_scratch *s)
{
    return body < 0 ? origin_pose() : pose_at((const axes *)s->pose + body);
}

/* of a loop's frame on its successor */
TD_INLINE pose loop_frame(const td_loop_group *g, const td_loop_joint *loop, const td_scratch *s)
{
    const pose body = world_pose(loop->successor < 0 ? g->carrier : g->body[loop->successor], s);
    return (pose){mul_k(&body.R, &loop->frame),
                  add(body.p, rotate_k(&body.R, loop->successor_point))};
}

/* ---- λ --------------------------------------------------------------------------------------- */

/* Where one of the coordinates that loops alone hold is not held: into the outcome. */
static void judge_balance(const td_loops *loops, const td_loop_balance *set, const td_scratch *s,
                          const real *R)
{
    real *outcome = s->outcome, bad = splat(0);
    for (int j = 0; set->strict && j < set->alone; j++)
        bad = select_lt(splat(0), R[j * set->held + j], bad, splat(1));
    real first = select_lt(outcome[TD_OUTCOME_CODE], splat(0.5), bad, splat(0));
    outcome[TD_OUTCOME_LOOP] =
        select_lt(splat(0.5), first, splat(loops->group[set->group[0]].loop[0].index),
                  outcome[TD_OUTCOME_LOOP]);
    outcome[TD_OUTCOME_CODE] = select_lt(splat(0.5), first, splat(2), outcome[TD_OUTCOME_CODE]);
    outcome[TD_OUTCOME_REACHED] =
        select_lt(splat(0.5), first, splat(1), outcome[TD_OUTCOME_REACHED]);
}

/* What the set gives of tau, off it and onto wrenches. Where multipliers are wanted (not NULL)
   those of followers by curves are off tau as well, else that has what they do. */
static void balance_set(const td_tree *tree, const td_closure_map *closure,
                        const td_loop_balance *set, const td_scratch *s, real *tau,
                        real *multipliers)
{
    const td_loops *loops = &closure->loops;
    const td_csr *moved = &closure->balances.moved;
    td_scope(s->stack, balance);
    const balance_room r = balance_take(s->stack, set);
    const size_t m = (size_t)set->rows, n = (size_t)set->held;
    real least;
    balance_columns(tree, closure, set, set->held, s, r.A);
    factor_columns(m, n, NULL, NOT_HELD, r.A, r.R, &least);
    judge_balance(loops, set, s, r.R);
    clear(r.unit, m);
    /* twice: the columns of Q are orthogonal but for rounding times the condition */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t h = 0; h < n; h++) {
            const int row = set->first + (int)h;
            r.part[h] = splat(0);
            for (int e = moved->row[row]; e < moved->row[row + 1]; e++)
                r.part[h] += moved->value[e] * tau[moved->column[e]];
        }
        solve_rows(m, n, r.A, r.R, r.part, r.lambda);
        add_wrenches(tree, loops, set, s, r.lambda, s->loop_wrench, tau);
        if (multipliers)
            add_multipliers(loops, set, r.lambda, multipliers);
        for (size_t i = 0; i < m; i++)
            r.unit[i] += r.lambda[i];
    }
    if (!multipliers)
        add_couplings(loops, set, s, r.unit, 1, tau);
}

/* wrenches of loops from the axes of the groups' carriers to those of the world */
static void turn_wrenches(const td_loops *loops, const td_scratch *s, spatial *wrench)
{
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        const pose carrier = world_pose(g->carrier, s);
        for (int l = 0; l < g->loops; l++) {
            spatial *f = &wrench[g->loop[l].index];
            *f = (spatial){rotate(&carrier.R, f->angular), rotate(&carrier.R, f->linear)};
        }
    }
}

/* what motors, and where they act springs, damping and friction, in a loop's joint do */
static void add_axis_wrenches(const td_tree *tree, const td_loop_group *g, const td_scratch *s,
                              const loop_room *r, const td_motion_inputs *in)
{
    for (int k = 0; k < g->axes; k++) {
        const axis_view view = view_axis(g, r, k);
        real force = s->loop_motor[view.loop->index];
        if (in->passive && g->passive)
            force -= passive_force(&g->axis[k].passive, axis_position(&view),
                                   axis_rate(tree, g, s, r, &view, in->qd), in->friction_velocity);
        spatial *f = &s->loop_wrench[view.loop->index];
        f->angular = add(f->angular, scale_by(force, view.wrench.angular));
        f->linear = add(f->linear, scale_by(force, view.wrench.linear));
    }
}

static void balance_loops(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                          const td_motion_inputs *in, td_reals *tau_c)
{
    const td_loops *loops = &closure->loops;
    const td_balances *b = &closure->balances;
    clear((real *)s->loop_wrench, 6 * b->of);
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        if (!g->loops)
            continue;
        const loop_room r = s->loop[g->room];
        loop_poses(tree, g, s, &r, in->q);
        loop_rows(g, &r, in->q);
        add_axis_wrenches(tree, g, s, &r, in);
    }
    for (size_t n = 0; n < b->count; n++)
        balance_set(tree, closure, &b->set[n], s, tau_c, NULL);
    turn_wrenches(loops, s, s->loop_wrench);
}

/* λ of loops as above, and of what follows linearly from what they leave. */
static void multipliers(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                        td_reals *tau_c, td_reals *lambda)
{
    const td_loops *loops = &closure->loops;
    const td_balances *b = &closure->balances;
    const td_csr *followers = &closure->constraint;
    real *tau = tau_c, *out = lambda;
    for (size_t n = 0; n < b->count; n++) {
        const td_loop_balance *set = &b->set[n];
        for (int k = 0; k < set->groups; k++)
            clear(out + loops->group[set->group[k]].constraint,
                  (size_t)loops->group[set->group[k]].rows);
        balance_set(tree, closure, set, s, tau, out);
    }
    for (int i = 0; i < followers->rows; i++)
        out[i] = tau[followers->column[followers->row[i]]];
}

/* ---- what comes of it ------------------------------------------------------------------------ */

/* the wrenches of loops off the forces of links */
static void unload_loops(const td_tree *tree, const td_loops *loops, const td_scratch *s)
{
    const spatial *wrench = s->loop_wrench;
    spatial *total = s->force;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        for (int l = 0; l < g->loops; l++) {
            const td_loop_joint *loop = &g->loop[l];
            const vec3 point = loop_frame(g, loop, s).p;
            const int to = loop->successor_link, from = loop->predecessor_link;
            const vec3 ahead = sub(point, link_pose(&tree->link[to], s).p);
            const vec3 back = sub(point, link_pose(&tree->link[from], s).p);
            const spatial f = wrench[loop->index];
            total[to] = spatial_sub(total[to], force_shift(f, ahead));
            total[from] = spatial_add(total[from], force_shift(f, back));
        }
    }
}

TD_INLINE spatial loop_force_in(const td_loop_group *g, int loop, const td_scratch *s,
                                const spatial *wrench, int frame)
{
    const pose at = loop_frame(g, &g->loop[loop], s);
    return express_force(&at, wrench[g->loop[loop].index], frame);
}

static void loop_reactions(const td_closure_map *closure, const td_scratch *s, int frame,
                           td_reals *out)
{
    const spatial *wrench = s->loop_wrench;
    const td_loops *loops = &closure->loops;
    real *row = out;
    clear(row, 6 * closure->balances.of);
    for (size_t n = 0; n < loops->count; n++)
        for (int l = 0; l < loops->group[n].loops; l++)
            write_spatial(row + 6 * (size_t)loops->group[n].loop[l].index,
                          loop_force_in(&loops->group[n], l, s, wrench, frame));
}

/* ---- what is not unique ---------------------------------------------------------------------- */

/* What some λ changes: the largest square of each kind of component, moments and forces, and the
   squares of joints and loops in that frame (NULL: not). */
typedef struct reaction_changes {
    int frame;
    real largest[2];
    real *joints, *loops;
} reaction_changes;

/* the squares of a wrench, onto those of a row where there is one */
static void add_squares(spatial f, reaction_changes *changes, real *row)
{
    real part[6];
    write_spatial(part, f);
    for (int i = 0; i < 6; i++) {
        const real square = part[i] * part[i];
        real *largest = &changes->largest[i / 3];
        *largest = select_lt(*largest, square, square, *largest);
        if (row)
            row[i] += square;
    }
}

/* what the weighted multipliers λ alone change */
static void add_change(const td_tree *tree, const td_closure_map *closure,
                       const td_loop_balance *set, const td_scratch *s, const real *lambda,
                       reaction_changes *changes)
{
    const td_loops *loops = &closure->loops;
    const int frame = changes->frame;
    spatial *wrench = s->loop_wrench;
    clear((real *)wrench, 6 * closure->balances.of);
    clear((real *)s->force, 6 * tree->links);
    add_wrenches(tree, loops, set, s, lambda, wrench, NULL);
    turn_wrenches(loops, s, wrench);
    unload_loops(tree, loops, s);
    sum_link_forces(tree, s);
    for (size_t j = 0; j < tree->joints; j++)
        add_squares(joint_force(tree, s, j, frame), changes,
                    changes->joints ? changes->joints + 6 * j : NULL);
    for (int k = 0; k < set->groups; k++) {
        const td_loop_group *g = &loops->group[set->group[k]];
        for (int l = 0; l < g->loops; l++)
            add_squares(loop_force_in(g, l, s, wrench, frame), changes,
                        changes->loops ? changes->loops + 6 * (size_t)g->loop[l].index : NULL);
    }
}

/* of a set: what is not unique of it, and what λ of single rows change */
static void set_ambiguity(const td_tree *tree, const td_closure_map *closure,
                          const td_loop_balance *set, const td_scratch *s,
                          reaction_changes *ambiguity, reaction_changes *by_rows)
{
    td_scope(s->stack, balance);
    const balance_room r = balance_take(s->stack, set);
    const size_t m = (size_t)set->rows, n = (size_t)set->alone;
    real least;
    balance_columns(tree, closure, set, set->alone, s, r.A);
    factor_columns(m, n, NULL, NOT_HELD, r.A, r.R, &least);
    for (size_t i = 0; i < m; i++) {
        clear(r.unit, m);
        r.unit[i] = splat(1);
        add_change(tree, closure, set, s, r.unit, by_rows);
        leave_range(m, n, r.A, r.unit);
        add_change(tree, closure, set, s, r.unit, ambiguity);
    }
}

/* squares to what they are of, those of rounding to 0 */
static void take_roots(size_t count, const reaction_changes *most, real *row)
{
    for (size_t k = 0; k < 6 * count; k++) {
        const real least = (NO_CHANGE * NO_CHANGE) * most->largest[k % 6 / 3];
        const real root = real_sqrt(select_lt(least, row[k], row[k], splat(1)));
        row[k] = select_lt(least, row[k], root, splat(0));
    }
}

static void loop_ambiguity(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                           int frame, td_reals *joints, td_reals *of_loops)
{
    const td_balances *b = &closure->balances;
    const size_t count = b->of;
    reaction_changes by_rows = {frame, {splat(0), splat(0)}, NULL, NULL}, ambiguity = by_rows;
    ambiguity.joints = joints;
    ambiguity.loops = of_loops;
    if (joints)
        clear(joints, 6 * tree->joints);
    if (of_loops)
        clear(of_loops, 6 * count);
    for (size_t n = 0; n < b->count; n++)
        set_ambiguity(tree, closure, &b->set[n], s, &ambiguity, &by_rows);
    if (joints)
        take_roots(tree->joints, &by_rows, joints);
    if (of_loops)
        take_roots(count, &by_rows, of_loops);
}
