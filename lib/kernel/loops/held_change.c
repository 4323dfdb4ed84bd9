/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the constrained motion of kernel/loops/held.c along a velocity or a position of
 * the tree, closed or not. From K q̈ = k and Kᵀ λ = τ_c, at constant q̈ and λ, it computes
 *
 *   e = −∂(K q̈ + K̇ q̇ + 2 α K q̇ + β² φ),   ∂(Kᵀ λ),
 *
 * by displacing the bodies (change.h), the particular solution g of K g = e, and the change of the
 * shortest λ. J = Q R has one column per constrained coordinate and weighted rows. With Jᵀ λ = b
 * and λ = J z,
 *
 *   ∂λ = (Jᵀ)⁺ (∂b − ∂Jᵀ λ) + (1 − Q Qᵀ) ∂J z.
 */
#include "kernel/loops/balance.h"
#include "kernel/loops/forms.h"

/* ---- scratch --------------------------------------------------------------------------------- */

typedef struct held_change_room {
    real *unit;                      /* nv: a direction */
    real *row, *other;               /* rows */
    real *along;                     /* nv: z of the constrained coordinates, as velocities */
    spatial *motion;                 /* bodies: their motion at the velocities `along` */
    spatial *wrench, *wrench_change; /* loops: Σ λ F, and its change */
    loop_change change;
    balance_room balance;
} held_change_room;

/* Allocates scratch that suffices for every group and set. */
static held_change_room held_change_take(td_stack *stack, const td_tree *tree,
                                         const td_loops *loops, const td_balances *b)
{
    td_loop_balance set = {.rows = 0};
    size_t rows = 0, bodies = 0, of_group = 0;
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        rows = (size_t)g->rows > rows ? (size_t)g->rows : rows;
        bodies = (size_t)g->bodies > bodies ? (size_t)g->bodies : bodies;
        of_group = (size_t)g->loops > of_group ? (size_t)g->loops : of_group;
    }
    for (size_t n = 0; n < b->count; n++) {
        set.rows = b->set[n].rows > set.rows ? b->set[n].rows : set.rows;
        set.held = b->set[n].held > set.held ? b->set[n].held : set.held;
    }
    held_change_room r;
    r.unit = td_take(stack, real, tree->nv);
    r.row = td_take(stack, real, rows);
    r.other = td_take(stack, real, rows);
    r.along = td_take(stack, real, tree->nv);
    r.motion = td_take(stack, spatial, bodies);
    r.wrench = td_take(stack, spatial, of_group);
    r.wrench_change = td_take(stack, spatial, of_group);
    r.change = change_take(stack, bodies);
    r.balance = balance_take(stack, &set);
    return r;
}

static void held_change_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->constraints)
        held_change_take(stack, sizes->tree, sizes->loops, sizes->balances);
}

/* ---- one group ------------------------------------------------------------------------------- */

/* Returns whether a velocity of the tree moves bodies of a group relative to its carrier, or is an
   argument of its curves. */
static bool moves_group(const td_tree *tree, const td_loop_group *g, int velocity)
{
    for (int e = 0; e < coupling_places(g); e++)
        if (g->curves->qd[e] == velocity)
            return true;
    for (int i = 0; i < g->bodies; i++) {
        const td_body *body = &tree->body[g->body[i]];
        if (velocity >= body->qd && velocity < body->qd + body->nv)
            return true;
    }
    return false;
}

/* Displaces the bodies of a group along a velocity. Returns a loop_room with these displacements as
   motions. Poses and rows must belong to q. */
static loop_room displaced_by(const loop_problem *p, const loop_room *r, const held_change_room *c,
                              int velocity)
{
    loop_room displaced = *r;
    displaced.motion = c->change.displacement;
    clear(c->unit, p->tree->nv);
    c->unit[velocity] = splat(1);
    loop_motions(p->tree, p->g, p->s, &displaced, c->unit);
    return displaced;
}

/* out −= the change of Kᵀ λ, with λ per row of the group */
static void subtract_force_change(const loop_problem *p, const loop_room *r,
                                  const held_change_room *c, const loop_room *displaced,
                                  const real *lambda, real *out)
{
    const td_loop_group *g = p->g;
    sum_wrenches(g, lambda, r->wrench, c->wrench);
    loop_row_rates(g, displaced, c->unit);
    sum_wrenches(g, lambda, displaced->wrench_rate, c->wrench_change);
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *column = &g->column[n];
        const td_loop_joint *loop = &g->loop[column->loop];
        const loop_ends e = ends_of(loop, displaced);
        const vec3 moved = loop_point_velocity(loop, displaced, &e);
        const spatial S = loop_column(p->tree, g, p->s, displaced, column, e.point);
        const spatial S_change =
            loop_column_rate(p->tree, g, p->s, displaced, column, e.point, moved);
        out[column->velocity] -= column->sign * (spatial_dot(c->wrench_change[column->loop], S) +
                                                 spatial_dot(c->wrench[column->loop], S_change));
    }
    for (int e = 0; e < coupling_places(g); e++)
        out[g->curves->qd[e]] -= lambda[coupling_row(g, e)] * displaced->coupling.K_rate[e];
}

/* Adds to weighted rows: factor times the column of K of a velocity, or −K x if velocity is −1. */
static void add_column_of_K(const loop_problem *p, const loop_room *r, int velocity, double factor,
                            const real *x, real *rows)
{
    const td_loop_group *g = p->g;
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *c = &g->column[n];
        if (velocity >= 0 && c->velocity != velocity)
            continue;
        const td_loop_joint *loop = &g->loop[c->loop];
        const spatial S = loop_column(p->tree, g, p->s, r, c, ends_of(loop, r).point);
        const real by = velocity >= 0 ? splat(factor) : -x[c->velocity];
        for (int i = loop->first; i < loop->first + loop->rows; i++)
            rows[i] += (c->sign * g->row[i].weight) * by * spatial_dot(r->wrench[i], S);
    }
    for (int e = 0; e < coupling_places(g); e++) {
        const int of = g->curves->qd[e], i = coupling_row(g, e);
        if (velocity < 0 || of == velocity)
            rows[i] +=
                g->row[i].weight * (velocity >= 0 ? splat(factor) : -x[of]) * r->coupling.K[e];
    }
}

/* e −= factor times rows */
static void subtract_rows(size_t count, const real *rows, double factor, real *e)
{
    for (size_t i = 0; i < count; i++)
        e[i] -= factor * rows[i];
}

/* Computes weighted e of a group's rows along a direction. */
static void change_group(const loop_problem *p, const held_change_room *c,
                         const td_held_direction *d, const real *mu, real *e, real *force)
{
    const td_loop_group *g = p->g;
    const td_tree *tree = p->tree;
    const td_scratch *s = p->s;
    const loop_room r = s->loop[g->room];
    const size_t m = (size_t)g->rows;
    const real *qd = d->qd, *qdd = d->qdd;
    loop_motions(tree, g, s, &r, qd);
    loop_accelerations(tree, g, s, &r, qd, qdd, c->change.acceleration);
    const loop_room displaced = displaced_by(p, &r, c, d->velocity);
    if (d->position) {
        loop_changes(p, &r, &c->change, CHANGE_OF_ACCELERATION, qd, qdd, NULL);
        loop_row_changes(g, &r, &c->change, CHANGE_OF_ACCELERATION, c->row);
        coupling_changes(g, &r.coupling, c->unit, qd, qdd, NULL, c->row);
        loop_row_changes(g, &r, &c->change, CHANGE_OF_VELOCITY, c->other);
        coupling_changes(g, &r.coupling, c->unit, qd, NULL, NULL, c->other);
        subtract_rows(m, c->row, 1, e);
        subtract_rows(m, c->other, 2 * d->alpha, e);
        clear(c->row, m);
        add_column_of_K(p, &r, d->velocity, d->beta * d->beta, NULL, c->row);
        subtract_rows(m, c->row, 1, e);
        for (size_t i = 0; i < m; i++)
            c->other[i] = -mu[i];
        subtract_force_change(p, &r, c, &displaced, c->other, force);
        return;
    }
    for (int i = 0; i < g->bodies; i++)
        c->change.displacement[i] = spatial_zero();
    loop_changes(p, &r, &c->change, CHANGE_OF_ACCELERATION, qd, qdd, c->unit);
    loop_row_changes(g, &r, &c->change, CHANGE_OF_ACCELERATION, c->row);
    coupling_changes(g, &r.coupling, NULL, qd, qdd, c->unit, c->row);
    add_column_of_K(p, &r, d->velocity, 2 * d->alpha, NULL, c->row);
    subtract_rows(m, c->row, 1, e);
}

/* ---- all groups ------------------------------------------------------------------------------ */

static void held_forces(const td_closure_map *closure, const td_scratch *s, const td_reals *tau_c,
                        td_reals *mu)
{
    const td_loops *loops = &closure->loops;
    const td_csr *rate = &closure->rate;
    const real *given = tau_c;
    real *of_w = s->force_w, *out = mu;
    if (!loops->solved)
        return;
    clear(of_w, (size_t)rate->columns);
    for (int i = 0; i < rate->rows; i++)
        for (int e = rate->row[i]; e < rate->row[i + 1]; e++)
            of_w[rate->column[e]] += rate->value[e] * given[i];
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        const loop_room r = s->loop[g->room];
        for (int i = 0; i < g->dependents; i++)
            r.step[i] = of_w[g->velocity[i]];
        solve_rows((size_t)g->rows, (size_t)g->dependents, r.dependent, r.R, r.step,
                   out + g->constraint);
        for (int i = 0; i < g->rows; i++)
            out[g->constraint + i] *= g->row[i].weight;
    }
}

static void held_change(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                        const td_held_direction *direction, const td_reals *mu, td_reals *e,
                        td_reals *force)
{
    const td_loops *loops = &closure->loops;
    const td_csr *followers = &closure->constraint;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    const real *multipliers_of_solved = mu;
    real *rows = e;
    const double alpha = direction->alpha, beta = direction->beta;
    const double by = direction->position ? beta * beta : 2 * alpha;
    td_scope(s->stack, held_change);
    const held_change_room c = held_change_take(s->stack, tree, loops, &closure->balances);
    for (int i = 0; i < followers->rows; i++) {
        rows[i] = splat(0);
        for (int k = followers->row[i]; k < followers->row[i + 1]; k++)
            if (followers->column[k] == direction->velocity)
                rows[i] -= splat(by * followers->value[k]);
    }
    for (size_t n = 0; n < loops->solved; n++) {
        p.g = &loops->group[n];
        clear(rows + p.g->constraint, (size_t)p.g->rows);
        if (moves_group(tree, p.g, direction->velocity))
            change_group(&p, &c, direction, multipliers_of_solved + p.g->constraint,
                         rows + p.g->constraint, force);
    }
}

static void held_particular(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                            int velocity, int followed, const td_reals *e, td_reals *out)
{
    const td_loops *loops = &closure->loops;
    const td_csr *followers = &closure->constraint, *rate = &closure->rate;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    const real *rows = e;
    real *g = out, *w = s->w;
    clear(g, tree->nv);
    for (int i = 0; followed && i < followers->rows; i++)
        g[followers->column[followers->row[i]]] = rows[i];
    if (loops->solved)
        clear(w, (size_t)rate->columns);
    for (size_t n = 0; n < loops->solved; n++) {
        p.g = &loops->group[n];
        if (!followed && !moves_group(tree, p.g, velocity))
            continue;
        const loop_room r = s->loop[p.g->room];
        const size_t m = (size_t)p.g->rows, x = (size_t)p.g->dependents;
        copy(r.column, rows + p.g->constraint, m);
        if (followed)
            add_column_of_K(&p, &r, -1, 0, g, r.column);
        loop_solve(p.g, &r, r.column, r.step, 1);
        for (size_t i = 0; i < x; i++)
            w[p.g->velocity[i]] = -r.step[i];
    }
    for (int i = 0; loops->solved && i < rate->rows; i++)
        for (int k = rate->row[i]; k < rate->row[i + 1]; k++)
            g[i] += rate->value[k] * w[rate->column[k]];
}

/* ---- λ --------------------------------------------------------------------------------------- */

/* Computes ∂J z of a group along a position: the change of K times the velocities z of a set's
   constrained coordinates. */
static void change_of_held(const loop_problem *p, const held_change_room *c, int velocity,
                           const td_loop_balance *set, const real *z, real *rows)
{
    const td_loop_group *g = p->g;
    const td_csr *held = &p->closure->balances.held;
    const loop_room at = p->s->loop[g->room];
    loop_room r = at;
    for (size_t j = 0; j < p->tree->nv; j++) {
        c->along[j] = splat(0);
        for (int e = held->row[j]; e < held->row[j + 1]; e++) {
            const int h = held->column[e] - set->first;
            if (h >= 0 && h < set->held)
                c->along[j] += held->value[e] * z[h];
        }
    }
    r.motion = c->motion;
    loop_motions(p->tree, g, p->s, &r, c->along);
    displaced_by(p, &r, c, velocity);
    loop_changes(p, &r, &c->change, CHANGE_OF_VELOCITY, c->along, NULL, NULL);
    loop_row_changes(g, &r, &c->change, CHANGE_OF_VELOCITY, rows);
    coupling_changes(g, &r.coupling, c->unit, c->along, NULL, NULL, rows);
}

/* Subtracts from tau the change of Kᵀ λ of a group along a position. */
static void subtract_held_force(const loop_problem *p, const held_change_room *c, int velocity,
                                const real *lambda, real *tau)
{
    const loop_room r = p->s->loop[p->g->room];
    const loop_room displaced = displaced_by(p, &r, c, velocity);
    subtract_force_change(p, &r, c, &displaced, lambda, tau);
}

/* Adds a set's part of the change of λ to out and subtracts its effect from tau. */
static void change_set(loop_problem *p, const td_loop_balance *set, const held_change_room *c,
                       int velocity, const real *lambda, real *tau, real *out)
{
    const balance_room *r = &c->balance;
    const size_t m = (size_t)set->rows, n = (size_t)set->held;
    const td_loops *loops = &p->closure->loops;
    const td_csr *moved = &p->closure->balances.moved;
    for (int k = 0; velocity >= 0 && k < set->groups; k++) {
        p->g = &loops->group[set->group[k]];
        if (moves_group(p->tree, p->g, velocity))
            subtract_held_force(p, c, velocity, lambda + p->g->constraint, tau);
    }
    if (velocity >= 0) {
        size_t at = 0;
        for (int k = 0; k < set->groups; k++) {
            const td_loop_group *g = &loops->group[set->group[k]];
            for (int i = 0; i < g->rows; i++, at++)
                r->unit[at] = lambda[g->constraint + i] * (1 / g->row[i].weight);
        }
        solve_columns(m, n, r->A, r->R, r->unit, r->part, 1); /* −z */
        for (size_t h = 0; h < n; h++)
            r->part[h] = -r->part[h];
        at = 0;
        clear(r->unit, m);
        for (int k = 0; k < set->groups; k++) {
            p->g = &loops->group[set->group[k]];
            if (moves_group(p->tree, p->g, velocity))
                change_of_held(p, c, velocity, set, r->part, r->unit + at);
            at += (size_t)p->g->rows;
        }
        leave_range(m, n, r->A, r->unit);
        add_wrenches(p->tree, loops, set, p->s, r->unit, p->s->loop_wrench, tau);
        add_multipliers(loops, set, r->unit, out);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t h = 0; h < n; h++) {
            const int row = set->first + (int)h;
            r->part[h] = splat(0);
            for (int e = moved->row[row]; e < moved->row[row + 1]; e++)
                r->part[h] += moved->value[e] * tau[moved->column[e]];
        }
        solve_rows(m, n, r->A, r->R, r->part, r->lambda);
        add_wrenches(p->tree, loops, set, p->s, r->lambda, p->s->loop_wrench, tau);
        add_multipliers(loops, set, r->lambda, out);
    }
}

/* Returns r with Q and R of a set at *next, and advances *next past them. */
TD_INLINE balance_room factors_at(balance_room r, const td_loop_balance *set, real **next)
{
    const size_t m = (size_t)set->rows, n = (size_t)set->held;
    r.A = *next, r.R = r.A + m * n;
    *next = r.R + n * n;
    return r;
}

static void multiplier_factors(const td_tree *tree, const td_closure_map *closure,
                               const td_scratch *s, td_reals *factors)
{
    const td_balances *b = &closure->balances;
    real *next = factors, least;
    for (size_t k = 0; k < b->count; k++) {
        const td_loop_balance *set = &b->set[k];
        const balance_room r = factors_at((balance_room){0}, set, &next);
        balance_columns(tree, closure, set, set->held, s, r.A);
        factor_columns((size_t)set->rows, (size_t)set->held, NULL, NOT_HELD, r.A, r.R, &least);
    }
}

static void multiplier_change(const td_tree *tree, const td_closure_map *closure,
                              const td_scratch *s, const td_reals *factors, int velocity,
                              const td_reals *lambda, td_reals *out)
{
    const td_loops *loops = &closure->loops;
    const td_balances *b = &closure->balances;
    const td_csr *followers = &closure->constraint;
    loop_problem p = {.tree = tree, .closure = closure, .s = s};
    real *tau = s->tau, *rows = out, *next = (real *)factors;
    td_scope(s->stack, held_change);
    held_change_room c = held_change_take(s->stack, tree, loops, b);
    for (size_t n = 0; n < b->count; n++) {
        const td_loop_balance *set = &b->set[n];
        for (int k = 0; k < set->groups; k++)
            clear(rows + loops->group[set->group[k]].constraint,
                  (size_t)loops->group[set->group[k]].rows);
        c.balance = factors_at(c.balance, set, &next);
        change_set(&p, set, &c, velocity, lambda, tau, rows);
    }
    for (int i = 0; i < followers->rows; i++)
        rows[i] = tau[followers->column[followers->row[i]]];
}
