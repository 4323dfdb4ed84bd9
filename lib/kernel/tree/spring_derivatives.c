/* SPDX-License-Identifier: MIT */
/*
 * The part of springs and dampers between links, and of passive forces in loop joints, in the
 * derivatives of inverse dynamics. Spatial vectors are about the successor's point. S^s and S^p are
 * the columns of a coordinate at the two links, ξ = S^s − S^p, and W is the load on the successor.
 *
 *   τ_b = −ξ_b · W,
 *   ∂τ_b/∂y_a = S_b^s · (ξ_a ×* W) − ξ_b · δW,   ∂τ_b/∂ẏ_a = −ξ_b · F_v ξ_a
 *
 * This is added to the derivatives with loaded wrenches of kernel/tree/rnea_derivatives.c, where W
 * moves with the successor and −W with the predecessor. δW is the change of W in axes that move
 * with the predecessor. Its causes are a displacement ξ_a of the successor relative to the
 * predecessor, and a change P^s − P^p + ξ_a × v^s of the relative velocity. P is defined in
 * column_motion.h. F_v is the derivative of W with respect to this velocity.
 *
 * A joint that supports both links moves them together: it has a row, but no column.
 */
#include "kernel/kernel.h"
#include "kernel/tree/pair_load.h"

/* ---- columns --------------------------------------------------------------------------------- */

/* S^s, ξ and P^s − P^p of a coordinate, about the successor's point */
typedef struct spring_column {
    spatial S, xi, P;
} spring_column;

typedef struct spring_call {
    const td_tree *tree;
    const td_scratch *s;
    const td_csr *pattern; /* of the next two; NULL in the coordinates of the tree */
    const real *G, *C;     /* C NULL: zero */
    const real *qd;
    size_t n;
    int *place;            /* per coordinate: its index in the next arrays, −1 for none */
    int *coordinate;       /* coordinates that move links of the spring */
    int count;             /* number of coordinates */
    int against;           /* how many of them, at the front, move one link relative to the other */
    spring_column *column; /* per index */
} spring_call;

static spring_call spring_take(td_stack *stack, const td_tree *tree)
{
    const size_t most = tree->nv; /* y has no more coordinates */
    return (spring_call){
        .place = td_take(stack, int, most),
        .coordinate = td_take(stack, int, most),
        .column = td_take(stack, spring_column, most),
    };
}

static void spring_derivatives_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    if (sizes->matrices)
        spring_take(stack, sizes->tree);
}

TD_INLINE spring_column *spring_column_of(spring_call *call, int coordinate)
{
    int *place = &call->place[coordinate];
    if (*place < 0) {
        *place = call->count++;
        call->coordinate[*place] = coordinate;
        call->column[*place] = (spring_column){spatial_zero(), spatial_zero(), spatial_zero()};
    }
    return &call->column[*place];
}

/* Adds the joint of a body, which supports the successor, the predecessor, or both. */
static void add_spring_joint(spring_call *call, int i, vec3 point, bool successor, bool predecessor)
{
    const td_body *body = &call->tree->body[i];
    const td_csr *pattern = call->pattern;
    const vec3 arm = sub(point, origin_in((const axes *)call->s->pose + i));
    joint_column_motion own[MOST_JOINT_VELOCITIES];
    joint_column_motions(call->tree, call->s, (size_t)i, call->qd, own);
    for (int k = 0; k < body->nv; k++) {
        const int j = body->qd + k;
        const spatial S = motion_shift(own[k].S, arm), P = motion_shift(own[k].P, arm);
        const int first = pattern ? pattern->row[j] : j,
                  end = pattern ? pattern->row[j + 1] : j + 1;
        for (int e = first; e < end; e++) {
            spring_column *c = spring_column_of(call, pattern ? pattern->column[e] : j);
            const real G = pattern ? call->G[e] : splat(1);
            if (successor)
                c->S = spatial_add_scaled(c->S, G, S);
            if (successor && predecessor)
                continue;
            const real sign = splat(successor ? 1 : -1);
            c->xi = spatial_add_scaled(c->xi, sign * G, S);
            c->P = spatial_add_scaled(c->P, sign * G, P);
            if (call->C)
                c->P = spatial_add_scaled(c->P, sign * call->C[e], S);
        }
    }
}

static void find_spring_columns(spring_call *call, const pair_load *pair)
{
    const td_body *body = call->tree->body;
    int to = pair->successor, from = pair->predecessor;
    call->count = 0;
    while (to != from)
        if (to > from) {
            add_spring_joint(call, to, pair->point, true, false);
            to = body[to].parent;
        } else {
            add_spring_joint(call, from, pair->point, false, true);
            from = body[from].parent;
        }
    call->against = call->count;
    for (int i = to; call->against && i >= 0; i = body[i].parent)
        add_spring_joint(call, i, pair->point, true, true);
}

/* Resets the indices before the columns of another spring. */
static void forget_spring_columns(spring_call *call)
{
    for (int a = 0; a < call->count; a++)
        call->place[call->coordinate[a]] = -1;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void add_position_column(const spring_call *call, const pair_load *pair, int a,
                                real *by_position)
{
    const spring_column *c = &call->column[a];
    const pair_change change = pair_change_of(pair, c->xi, c->P);
    const spatial both = spatial_add(change.successor, change.predecessor);
    real *entry = by_position + call->coordinate[a];
    for (int b = 0; b < call->count; b++)
        entry[(size_t)call->coordinate[b] * call->n] +=
            spatial_dot(call->column[b].xi, change.predecessor) -
            spatial_dot(call->column[b].S, both);
}

static void add_rate_column(const spring_call *call, const pair_load *pair, int a, real *by_rate)
{
    const spring_change change = {spatial_zero(), call->column[a].xi};
    const spatial load = load_change(pair, &change);
    real *entry = by_rate + call->coordinate[a];
    for (int b = 0; b < call->against; b++)
        entry[(size_t)call->coordinate[b] * call->n] -= spatial_dot(call->column[b].xi, load);
}

static void add_pair(spring_call *call, const pair_load *pair, real *by_position, real *by_rate)
{
    find_spring_columns(call, pair);
    for (int a = 0; a < call->against; a++) {
        if (by_position)
            add_position_column(call, pair, a, by_position);
        if (by_rate)
            add_rate_column(call, pair, a, by_rate);
    }
    forget_spring_columns(call);
}

/* Allocates and initializes the scratch, in the caller's scope. */
static spring_call spring_begin(const td_tree *tree, const td_scratch *s, const td_csr *G,
                                const real *velocity_y, const real *rates)
{
    spring_call call = spring_take(s->stack, tree);
    call.tree = tree, call.s = s, call.pattern = G, call.G = s->G, call.C = velocity_y;
    call.qd = rates, call.n = G ? (size_t)G->columns : tree->nv;
    for (size_t a = 0; a < call.n; a++)
        call.place[a] = -1;
    return call;
}

static void spring_derivatives(const td_tree *tree, const td_scratch *s,
                               const td_closure_changes *closure, const td_motion_inputs *in,
                               const td_force_derivatives *out)
{
    td_scope(s->stack, spring_derivatives);
    spring_call call = spring_begin(tree, s, closure->G, closure->velocity_y, in->qd);
    for (size_t i = 0; i < tree->springs; i++) {
        const spring_state state = spring_state_of(tree, s, &tree->spring[i]);
        const pair_load pair = spring_pair(tree, &tree->spring[i], &state);
        add_pair(&call, &pair, out->by_position, out->by_rate);
    }
}

/* Changes of distance, its rate, stored energy and dissipated power. If the stiffness of a bushing
   differs between its axes, its force is not the derivative of its energy. */
typedef struct spring_motion_change {
    real length, rate, energy, power;
} spring_motion_change;

TD_INLINE spring_motion_change spring_motion_change_of(const td_spring_element *spring,
                                                       const spring_state *state,
                                                       const spring_change *change)
{
    const spring_state as_line = {.between = state->between, .line = line_of(&state->between)};
    const line_state *line = &as_line.line;
    const line_change by = line_change_of(&as_line, change);
    if (!spring->bushing)
        return (spring_motion_change){
            by.length, by.rate, spring->stiffness * (line->length - spring->length) * by.length,
            2 * spring->damping * line->rate * by.rate};
    const bushing_state *b = &state->bushing;
    const mat3 *A = &state->between.predecessor;
    const bushing_change of =
        bushing_change_of(b, rotate_transposed_spatial(A, change->displacement),
                          rotate_transposed_spatial(A, change->velocity));
    const vec3 none = spatial_zero().angular;
    const td_vec3 zero = {0, 0, 0};
    const vec3 by_angles = resistance(spring->angular_stiffness, b->angles.angles, zero, none);
    const vec3 by_way = resistance(spring->linear_stiffness, b->displacement_halfway, zero, none);
    const vec3 by_turning = resistance(zero, none, spring->angular_damping, b->angle_rate);
    const vec3 by_moving = resistance(zero, none, spring->linear_damping, b->rate_halfway);
    return (spring_motion_change){
        by.length, by.rate, -(dot(by_angles, of.angles) + dot(by_way, of.halfway)),
        -2 * (dot(by_turning, of.angle_rate) + dot(by_moving, of.rate_halfway))};
}

TD_INLINE void put_spring_motion(real *column, size_t apart, spring_motion_change x)
{
    column[0] = x.length, column[apart] = x.rate;
    column[2 * apart] = x.energy, column[3 * apart] = x.power;
}

static void spring_motion_derivatives(const td_tree *tree, const td_scratch *s, size_t spring,
                                      const td_reals *rates, td_reals *by_position,
                                      td_reals *by_rate)
{
    td_scope(s->stack, spring_derivatives);
    spring_call call = spring_begin(tree, s, NULL, NULL, rates);
    const td_spring_element *element = &tree->spring[spring];
    const spring_state state = spring_state_of(tree, s, element);
    const pair_load pair = spring_pair(tree, element, &state);
    real *along = by_position, *rate = by_rate;
    if (along)
        clear(along, 4 * tree->nv);
    if (rate)
        clear(rate, 4 * tree->nv);
    find_spring_columns(&call, &pair);
    for (int a = 0; a < call.against; a++) {
        const spring_column *c = &call.column[a];
        const spring_change moved = displaced(&pair, c->xi, c->P);
        const spring_change faster = {spatial_zero(), c->xi};
        const int j = call.coordinate[a];
        if (along)
            put_spring_motion(along + j, tree->nv,
                              spring_motion_change_of(element, &state, &moved));
        if (rate)
            put_spring_motion(rate + j, tree->nv,
                              spring_motion_change_of(element, &state, &faster));
    }
}

static void spring_energy_derivatives(const td_tree *tree, const td_scratch *s,
                                      const td_reals *rates, td_reals *out)
{
    td_scope(s->stack, spring_derivatives);
    spring_call call = spring_begin(tree, s, NULL, NULL, rates);
    real *energy = out;
    for (size_t i = 0; i < tree->springs; i++) {
        const spring_state state = spring_state_of(tree, s, &tree->spring[i]);
        const pair_load pair = spring_pair(tree, &tree->spring[i], &state);
        find_spring_columns(&call, &pair);
        for (int a = 0; a < call.against; a++) {
            const spring_change moved = displaced(&pair, call.column[a].xi, call.column[a].P);
            energy[call.coordinate[a]] +=
                spring_motion_change_of(&tree->spring[i], &state, &moved).energy;
        }
        forget_spring_columns(&call);
    }
}

/* ---- loop joints ----------------------------------------------------------------------------- */

static void load_loop_passive(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                              int loaded, double friction_velocity)
{
    spatial *total = s->wrench;
    for (size_t i = 0; i < tree->bodies && !loaded; i++)
        total[i] = spatial_zero();
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        for (int k = 0; g->passive && k < g->axes; k++) {
            if (!passive_acts(&g->axis[k].passive))
                continue;
            const pair_load pair = axis_pair(s, g, &g->axis[k], friction_velocity);
            load_body(s, pair.successor, pair.load, pair.point);
            load_body(s, pair.predecessor, spatial_sub(spatial_zero(), pair.load), pair.point);
        }
    }
}

static void loop_passive_derivatives(const td_tree *tree, const td_loops *loops,
                                     const td_scratch *s, const td_closure_changes *closure,
                                     const td_motion_inputs *in, const td_force_derivatives *out)
{
    td_scope(s->stack, spring_derivatives);
    spring_call call = spring_begin(tree, s, closure->G, closure->velocity_y, in->qd);
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        for (int k = 0; g->passive && k < g->axes; k++) {
            if (!passive_acts(&g->axis[k].passive))
                continue;
            const pair_load pair = axis_pair(s, g, &g->axis[k], in->friction_velocity);
            add_pair(&call, &pair, out->by_position, out->by_rate);
        }
    }
}
