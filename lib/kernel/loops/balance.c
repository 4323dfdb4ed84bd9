/* SPDX-License-Identifier: MIT */
/*
 * Constraint forces of loops. The force τ_c that the closure exerts on the joints of the tree is
 * given. For each constrained coordinate (load/closure/balance.c), the loops must supply b, the sum
 * of τ_c over the velocities that the coordinate moves. This gives Jᵀ λ = b, where J has one column
 * per constrained coordinate and its rows are weighted to make lengths and angles comparable. If
 * loops are over-constrained, J = Q R has more rows than columns, and the shortest λ is the
 * solution in the range of Q. The rest of τ_c is supplied by followers, couplings and user-supplied
 * closures, which act about the joints' axes. Followers by curves that are solved together with
 * loops have rows in J.
 *
 * The wrench of a loop acts on the successor, and its opposite on the predecessor, both at the
 * successor's point. It is stored in world axes, per loop of the model.
 */
#include "kernel/loops/balance.h"
#include "kernel/loops/axis_view.h"
#include "kernel/tree/link_forces.h"
#include "kernel/tree/passive.h"

/* a change by self-stress below this fraction of the largest change is rounding error */
#define NO_CHANGE 1e-9

static void balance_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    const size_t begin = stack->used;
    for (size_t n = 0; n < sizes->balances->count; n++, stack->used = begin)
        balance_take(stack, &sizes->balances->set[n]);
}

/* ---- poses in the world ---------------------------------------------------------------------- */

/* Returns the pose of a body; −1 is the world. */
TD_INLINE pose world_pose(int body, const td_scratch *s)
{
    return body < 0 ? origin_pose() : pose_at((const axes *)s->pose + body);
}

/* Returns the pose of a loop's frame on its successor. */
TD_INLINE pose loop_frame(const td_loop_group *g, const td_loop_joint *loop, const td_scratch *s)
{
    const pose body = world_pose(loop->successor < 0 ? g->carrier : g->body[loop->successor], s);
    return (pose){mul_k(&body.R, &loop->frame),
                  add(body.p, rotate_k(&body.R, loop->successor_point))};
}

/* ---- λ --------------------------------------------------------------------------------------- */

/* Reports the set as singular in the outcome if loops fail to support a coordinate that nothing
   else constrains. */
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

/* Computes the constraint forces of a set of loops, subtracts their effect from tau and adds the
   wrenches to the scratch. If multipliers are wanted (not NULL), the effect of followers by curves
   is subtracted too; otherwise it stays in tau. */
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
    /* two passes, since rounding makes the columns of Q orthogonal only to ε times the condition
       number */
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

/* Rotates the wrenches of loops from the axes of the groups' carriers to world axes. */
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

/* Adds the wrenches of motors in a group's loop joints and, if passive forces act, of springs,
   damping and friction. */
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

/* Computes λ of loops as above, then of the linear followers from the rest of τ_c. */
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

/* ---- reactions ------------------------------------------------------------------------------- */

/* Subtracts the wrenches of loops from the forces of links. */
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

/* ---- ambiguity of reactions in over-constrained loops ---------------------------------------- */

/* Changes of reactions by given λ: the largest squared component of moments and of forces, and the
   summed squares per joint and loop in the given frame (NULL: not wanted). */
typedef struct reaction_changes {
    int frame;
    real largest[2];
    real *joints, *loops;
} reaction_changes;

/* Adds the squares of a wrench's components to row, if that is not NULL, and updates the
   largest. */
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

/* Adds the changes that weighted multipliers λ of a set alone cause. */
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

/* Adds a set's contributions: the ambiguity by self-stress, and the changes by unit λ of each
   row. */
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

/* Replaces squares by their roots, and squares that are rounding error by 0. */
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
