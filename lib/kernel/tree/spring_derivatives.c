/* SPDX-License-Identifier: MIT */
/*
 * What springs and dampers between links add to derivatives of inverse dynamics. With spatial
 * vectors about the successor's point, columns S^s and S^p of a coordinate at the two links, ξ =
 * S^s − S^p, and the load W on the successor,
 *
 *   τ_b = −ξ_b · W,
 *   ∂τ_b/∂y_a = S_b^s · (ξ_a ×* W) − ξ_b · δW,   ∂τ_b/∂ẏ_a = −ξ_b · F_v ξ_a
 *
 * beyond what kernel/tree/rnea_derivatives.c has, for which W moves with the successor and −W with
 * the predecessor. δW is what W changes by in axes that move with the predecessor, where the
 * successor is displaced by ξ_a against it, and its relative velocity changes by P^s − P^p + ξ_a ×
 * v^s (P as in column_motion.h); F_v is what it changes by with that velocity.
 *
 * A joint before both links moves them together: it has a row, and no column.
 */
#include "kernel/kernel.h"
#include "kernel/tree/column_motion.h"
#include "kernel/tree/springs.h"

/* ---- loads ----------------------------------------------------------------------------------- */

/* A small motion of the successor against the predecessor and a change of its relative velocity, at
   the successor's point and in axes that move with the predecessor. */
typedef struct spring_change {
    spatial displacement, velocity;
} spring_change;

/* With φ = −(k (l − l₀) + c dl/dt), in δ(φ u) = −(k δl + c δ(dl/dt)) u + φ δu the terms of k and
   without l₀ are −k times the displacement: nothing is divided by l then, and a line without free
   length has this derivative also where its points coincide. */
TD_INLINE spatial line_load_change(const td_spring_element *spring, const spring_state *state,
                                   const spring_change *change)
{
    const line_state *line = &state->line;
    const vec3 u = line->u, moved = change->displacement.linear;
    const vec3 turned = scale_by(line->inverse, sub(moved, scale_by(dot(u, moved), u)));
    const real rate = dot(turned, state->between.against.linear) + dot(u, change->velocity.linear);
    const real rest = spring->stiffness * spring->length - spring->damping * line->rate;
    spatial load = spatial_zero();
    load.linear = sub(scale_by(rest, turned), scale(spring->stiffness, moved));
    load.linear = sub(load.linear, scale_by(spring->damping * rate, u));
    return load;
}

/* What N ω changes by with the angles: yaw turns what N is applied to, and pitch changes what the
   rate of roll is divided by and adds to that of yaw. */
TD_INLINE vec3 angle_rates_change(const roll_pitch_yaw *a, vec3 w, vec3 angle_rate, vec3 angles)
{
    const vec3 turned = {angles.z * w.y, -(angles.z * w.x), splat(0)};
    const real roll = angles.y * angle_rate.x;
    return add(angle_rates(a, turned),
               (vec3){roll * a->tangent_pitch, splat(0), roll / a->cosine_pitch});
}

/* what Nᵀ m changes by with the angles */
TD_INLINE vec3 moment_change(const roll_pitch_yaw *a, vec3 m, vec3 moment, vec3 angles)
{
    const real roll = angles.y * (a->tangent_pitch * m.x + m.z / a->cosine_pitch);
    const vec3 turned = {-(angles.z * moment.y), angles.z * moment.x, splat(0)};
    return add(moment_of(a, (vec3){roll, splat(0), splat(0)}), turned);
}

/* What H turns by where the rotation H H turns by φ: (1 + H)⁻¹ φ. As H turns by ψ/2 about n, that
   is φ/2 along n, and across it 1 / (1 + exp(iψ/2)) = (1 − i tan(ψ/4)) / 2 times φ. */
TD_INLINE vec3 half_turn(const half_rotation *half, vec3 turn)
{
    return scale(0.5, sub(turn, cross(half->tangent, turn)));
}

TD_INLINE spatial bushing_load_change(const td_spring_element *spring, const spring_state *state,
                                      const spring_change *change)
{
    const bushing_state *b = &state->bushing;
    const mat3 *A = &state->between.predecessor, *H = &b->half.R;
    const spatial moved = rotate_transposed_spatial(A, change->displacement);
    const spatial velocity = rotate_transposed_spatial(A, change->velocity);

    const vec3 angles = angle_rates(&b->angles, moved.angular);
    const vec3 angle_rate = add(angle_rates(&b->angles, velocity.angular),
                                angle_rates_change(&b->angles, b->w, b->angle_rate, angles));
    const vec3 along_angles =
        resistance(spring->angular_stiffness, angles, spring->angular_damping, angle_rate);
    const vec3 moment = add(moment_of(&b->angles, along_angles),
                            moment_change(&b->angles, b->along_angles, b->moment, angles));

    const vec3 turn = half_turn(&b->half, moved.angular);
    const vec3 rate = sub(velocity.linear,
                          scale(0.5, add_cross(cross(velocity.angular, b->d), b->w, moved.linear)));
    const vec3 halfway = rotate_transposed(H, sub(moved.linear, cross(turn, b->d)));
    const vec3 rate_halfway = rotate_transposed(H, sub(rate, cross(turn, b->rate)));
    const vec3 resisting =
        resistance(spring->linear_stiffness, halfway, spring->linear_damping, rate_halfway);
    const vec3 force = add_cross(rotate(H, resisting), turn, b->force);

    const vec3 arm = add_cross(cross(moved.linear, b->force), b->d, force);
    return (spatial){rotate(A, sub(moment, scale(0.5, arm))), rotate(A, force)};
}

/* what the load changes by in axes that move with the predecessor, about the successor's point,
   which moves */
TD_INLINE spatial load_change(const td_spring_element *spring, const spring_state *state,
                              const spring_change *change)
{
    return spring->bushing ? bushing_load_change(spring, state, change)
                           : line_load_change(spring, state, change);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* of a coordinate, about the successor's point: S^s, ξ and P^s − P^p */
typedef struct spring_column {
    spatial S, xi, P;
} spring_column;

typedef struct spring_call {
    const td_tree *tree;
    const td_scratch *s;
    const td_csr *pattern; /* of the next two; NULL in the tree's coordinates */
    const real *G, *C;     /* C NULL: zero */
    const real *qd;
    size_t n;
    int *place;            /* per coordinate: in the next ones, −1: not there */
    int *coordinate;       /* that move links of a spring: */
    int count;             /* so many, */
    int against;           /* of which the first move one of them against the other */
    spring_column *column; /* per place */
} spring_call;

static spring_call spring_take(td_stack *stack, const td_tree *tree)
{
    const size_t most = tree->springs ? tree->nv : 0; /* coordinates of y are not more */
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

/* The joint of a body: before the successor, before the predecessor, or both. */
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

static void find_spring_columns(spring_call *call, const td_spring_element *spring, vec3 point)
{
    const td_body *body = call->tree->body;
    int to = call->tree->link[spring->successor.link].body;
    int from = call->tree->link[spring->predecessor.link].body;
    call->count = 0;
    while (to != from)
        if (to > from) {
            add_spring_joint(call, to, point, true, false);
            to = body[to].parent;
        } else {
            add_spring_joint(call, from, point, false, true);
            from = body[from].parent;
        }
    call->against = call->count;
    for (int i = to; call->against && i >= 0; i = body[i].parent)
        add_spring_joint(call, i, point, true, true);
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void add_position_column(const spring_call *call, const td_spring_element *spring,
                                const spring_state *state, int a, real *by_position)
{
    const spring_column *c = &call->column[a];
    const spatial v = state->between.velocity, against = state->between.against;
    spring_change change = {c->xi, spatial_add(c->P, motion_cross(c->xi, v))};
    /* at the point where the successor's has moved to */
    change.velocity.linear = add_cross(change.velocity.linear, against.angular, c->xi.linear);
    spatial load = load_change(spring, state, &change);
    load.angular = add_cross(load.angular, c->xi.linear, state->load.linear);
    const spatial turned = force_cross(c->xi, state->load);
    real *entry = by_position + call->coordinate[a];
    for (int b = 0; b < call->count; b++)
        entry[(size_t)call->coordinate[b] * call->n] +=
            spatial_dot(call->column[b].S, turned) - spatial_dot(call->column[b].xi, load);
}

static void add_rate_column(const spring_call *call, const td_spring_element *spring,
                            const spring_state *state, int a, real *by_rate)
{
    const spring_change change = {spatial_zero(), call->column[a].xi};
    const spatial load = load_change(spring, state, &change);
    real *entry = by_rate + call->coordinate[a];
    for (int b = 0; b < call->against; b++)
        entry[(size_t)call->coordinate[b] * call->n] -= spatial_dot(call->column[b].xi, load);
}

static void spring_derivatives(const td_tree *tree, const td_scratch *s, const td_csr *G,
                               const td_reals *velocity_y, const td_reals *rates,
                               td_reals *by_position, td_reals *by_rate)
{
    td_scope(s->stack, spring_derivatives);
    spring_call call = spring_take(s->stack, tree);
    call.tree = tree, call.s = s, call.pattern = G, call.G = s->G, call.C = velocity_y;
    call.qd = rates, call.n = G ? (size_t)G->columns : tree->nv;
    for (size_t a = 0; a < call.n; a++)
        call.place[a] = -1;
    for (size_t i = 0; i < tree->springs; i++) {
        const td_spring_element *spring = &tree->spring[i];
        const spring_state state = spring_state_of(tree, s, spring);
        find_spring_columns(&call, spring, state.between.point);
        for (int a = 0; a < call.against; a++) {
            if (by_position)
                add_position_column(&call, spring, &state, a, by_position);
            if (by_rate)
                add_rate_column(&call, spring, &state, a, by_rate);
        }
        for (int a = 0; a < call.count; a++)
            call.place[call.coordinate[a]] = -1;
    }
}
