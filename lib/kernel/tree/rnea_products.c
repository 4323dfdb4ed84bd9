/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of inverse dynamics times a direction, and covectors times them, without matrices:
 * the columns and rows of kernel/tree/rnea_derivatives.c summed up on the way. In axes that move
 * with the bodies a rigid motion changes nothing. With a direction d, ḋ, d̈ of q, q̇, q̈ and x = S d,
 * velocities and accelerations of bodies change there by
 *
 *   p = p_parent + v × x + S ḋ,   r = r_parent + a × x + v × (v × x + 2 S ḋ) + S d̈,
 *
 * and with F, what a body and all below it take, forces and what joints carry by
 *
 *   g = I r + 2 B p,   g_parent += g + x ×* F,   δτ = Sᵀ g.
 *
 * Backwards, with a virtual velocity W = W_parent + S w and sums M of I W and N of 2 Bᵀ W over all
 * that a joint moves,
 *
 *   wᵀ ∂τ/∂q̈ = Sᵀ M,   wᵀ ∂τ/∂q̇ = Sᵀ (N − 2 v ×* M),
 *   wᵀ ∂τ/∂q = −Sᵀ (v ×* (N − v ×* M) + a ×* M + W ×* F).
 *
 * v and a are those of the body: they differ from those before the joint by what S does not see.
 * Joints of several coordinates take those before; such that follow on one another take one after
 * the other. Wrenches that do not turn with their links, and what springs between links change by,
 * go with the displacement of bodies ξ = ξ_parent + x. O(joints), in time and memory.
 */
#include "kernel/kernel.h"
#include "kernel/tree/carried.h"
#include "kernel/tree/column_motion.h"
#include "kernel/tree/pair_adjoint.h"

/* ---- room ------------------------------------------------------------------------------------ */

/* What a body has of a direction, p, r and g; or of a covector, W, M and N. */
typedef struct product_body {
    screw velocity, acceleration, force;
} product_body;

typedef struct product_room {
    body_load *load; /* B of each body by itself, and n, f of all below it */
    product_body *body;
    spatial *displaced;   /* ξ, or weights of it */
    kept_direction *kept; /* of each by itself */
    size_t apart;
    real *along;  /* d, ḋ, d̈ or w in whole strips */
    real *result; /* of w, in the same order */
} product_room;

static product_room product_take(td_stack *stack, const td_tree *tree)
{
    const size_t bodies = td_whole_strips(tree->bodies);
    product_room r = {.apart = td_whole_strips(tree->nv)};
    r.load = td_take(stack, body_load, bodies);
    r.body = td_take(stack, product_body, bodies);
    r.displaced = td_take(stack, spatial, tree->bodies);
    r.kept = td_take(stack, kept_direction, tree->bodies);
    r.along = td_take(stack, real, 3 * r.apart);
    r.result = td_take(stack, real, 3 * r.apart);
    return r;
}

static void rnea_products_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    product_take(stack, sizes->tree);
}

/* ---- what both have in common ---------------------------------------------------------------- */

/* of a strip of bodies: ω, v, α, a (spatial, against free fall) and the axes of their joints */
typedef struct strip_motion {
    strip3 w, v, alpha, a, z;
} strip_motion;

TD_INLINE strip_motion motion_of_strip(const td_tree *tree, const td_scratch *s, size_t i)
{
    const body_motion *m = (const body_motion *)s->motion + i;
    const axes *p = (const axes *)s->pose + i;
    strip_motion x = {
        .w = strip3_gather_vec3(&m->velocity.angular, sizeof *m),
        .v = strip3_gather_vec3(&m->velocity.linear, sizeof *m),
        .alpha = strip3_gather_vec3(&m->acceleration.angular, sizeof *m),
        .a = strip3_gather_vec3(&m->acceleration.linear, sizeof *m),
        .z = strip3_gather_columns(&p->z, sizeof *p),
    };
    x.a.x -= strip_splat(splat(tree->gravity.x));
    x.a.y -= strip_splat(splat(tree->gravity.y));
    x.a.z -= strip_splat(splat(tree->gravity.z));
    x.a = strip3_sub(x.a, strip3_cross(x.w, x.v));
    return x;
}

/* (I of a strip of bodies) times a motion: moment and force */
TD_INLINE void momenta_of_strip(const td_tree *tree, const td_scratch *s, size_t i, strip3 w,
                                strip3 v, strip3 *n, strip3 *f)
{
    const td_moments *k = &tree->moments[i / TD_STRIP_BODIES];
    const strip mass = strip_load_k(k->mass + i % TD_STRIP_BODIES);
    const strip_inertia own = own_inertias(tree, s, i);
    *n = strip3_add(strip3_symmetric(own.diagonal, own.mixed, w), strip3_cross(own.h, v));
    *f = strip3_add(strip3_scale(mass, v), strip3_cross(w, own.h));
}

/* per body, all below it included */
static void sum_forces(const td_tree *tree, const td_scratch *s, body_load *all)
{
    const packed3 *arm = s->arm;
    for (size_t i = tree->bodies; i-- > 0;) {
        if (tree->body[i].parent < 0)
            continue;
        body_load *sum = &all[tree->body[i].parent];
        sum->n = packed3_add(sum->n, packed3_add_cross(all[i].n, arm[i], all[i].f));
        sum->f = packed3_add(sum->f, all[i].f);
    }
}

/* how many bodies from one on have consecutive velocities, at most a strip */
TD_INLINE size_t strip_of_joints(const td_tree *tree, size_t i)
{
    const size_t straight = (size_t)tree->body[i].straight;
    return straight < TD_STRIP ? straight : TD_STRIP;
}

/* the spatial acceleration behind a coordinate of a joint whose coordinates follow on one another,
   v being the velocity before it: a + S q̈ + v × S q̇ */
TD_INLINE spatial acceleration_behind(spatial a, spatial v, spatial S, real qd, real qdd)
{
    return spatial_add_scaled(spatial_add_scaled(a, qdd, S), qd, motion_cross(v, S));
}

/* springs, damping, friction and rotors of joints, which are diagonal: k x, d y, r z */
static void add_passive_products(const td_tree *tree, const real *qd, double friction_velocity,
                                 const real *x, const real *y, const real *z, real *kx, real *dy,
                                 real *rz)
{
    for (size_t j = 0; j < tree->nv; j++) {
        const td_passive *p = &tree->passive[j];
        kx[j] += p->stiffness * x[j];
        dy[j] += passive_resistance(p, qd[j], friction_velocity) * y[j];
        rz[j] += p->rotor * z[j];
    }
}

TD_INLINE screw force_of_child(screw f, packed3 arm)
{
    return (screw){packed3_add_cross(f.angular, arm, f.linear), f.linear};
}

TD_INLINE spatial carried_force(const body_load *c)
{
    return (spatial){packed3_vec3(c->n), packed3_vec3(c->f)};
}

/* a body's motion at a point, that of the world being none */
TD_INLINE spatial motion_at_point(const td_scratch *s, int body, spatial motion, vec3 point)
{
    return motion_shift(motion, sub(point, origin_in((const axes *)s->pose + body)));
}

TD_INLINE void add_screw(screw *sum, spatial x)
{
    *sum = screw_add(*sum, screw_of(x));
}

/* Calls f(pair, with) for every spring between links, and every loop joint with passive forces. */
TD_INLINE void for_each_pair(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                             double friction_velocity,
                             void (*f)(const td_scratch *, const product_room *, const pair_load *),
                             const product_room *room)
{
    for (size_t i = 0; i < tree->springs; i++) {
        const spring_state state = spring_state_of(tree, s, &tree->spring[i]);
        const pair_load pair = spring_pair(tree, &tree->spring[i], &state);
        f(s, room, &pair);
    }
    for (size_t n = 0; n < loops->count; n++) {
        const td_loop_group *g = &loops->group[n];
        for (int k = 0; g->passive && k < g->axes; k++)
            if (passive_acts(&g->axis[k].passive)) {
                const pair_load pair = axis_pair(s, g, &g->axis[k], friction_velocity);
                f(s, room, &pair);
            }
    }
}

/* ---- along a direction ----------------------------------------------------------------------- */

/* what joints of a strip of bodies add to p and r, as if all of them were revolute */
static void start_changes(const td_tree *tree, const td_scratch *s, const product_room *room,
                          size_t i)
{
    const strip_motion m = motion_of_strip(tree, s, i);
    const real *along = room->along + tree->body[i].qd;
    product_body *out = &room->body[i];
    const strip3 x = strip3_scale(strip_load(along), m.z);
    const strip3 z = strip3_scale(strip_load(along + room->apart), m.z);
    const strip3 u = strip3_cross(m.w, x), uv = strip3_cross(m.v, x);
    const strip3 t = strip3_add(u, strip3_add(z, z));
    const strip3 r = strip3_add(strip3_cross(m.alpha, x), strip3_cross(m.w, t));
    const strip3 rv =
        strip3_add(strip3_cross(m.a, x), strip3_add(strip3_cross(m.w, uv), strip3_cross(m.v, t)));
    strip3_scatter(strip3_add(u, z), &out->velocity.angular, sizeof *out);
    strip3_scatter(uv, &out->velocity.linear, sizeof *out);
    strip3_scatter(strip3_add(r, strip3_scale(strip_load(along + 2 * room->apart), m.z)),
                   &out->acceleration.angular, sizeof *out);
    strip3_scatter(rv, &out->acceleration.linear, sizeof *out);
}

/* the same of a joint of any kind */
static void start_general_change(const td_tree *tree, const td_scratch *s, const product_room *room,
                                 const real *qd, const real *qdd, size_t i)
{
    const td_body *body = &tree->body[i];
    const real *d = room->along + body->qd, *dd = d + room->apart, *ddd = dd + room->apart;
    const spatial after = ((const body_motion *)s->motion)[i].velocity;
    spatial v = velocity_before(tree, s, i),
            a = acceleration_before(tree, s, i, world_acceleration(tree));
    spatial p = spatial_zero(), r = p;
    for (int k = 0; k < body->nv; k++) {
        const spatial S = column_at(body, s, (const axes *)s->pose + i, k);
        const bool one_by_one = body->nv == 1 || joint_is_sequence(body);
        const spatial x = spatial_scale(d[k], S), z = spatial_scale(dd[k], S);
        const spatial u = motion_cross(v, x), t = spatial_add(u, z);
        p = spatial_add(p, t);
        r = spatial_add(r, spatial_add(motion_cross(a, x), motion_cross(v, t)));
        r = spatial_add(r, motion_cross(one_by_one ? v : after, z));
        r = spatial_add_scaled(r, ddd[k], S);
        if (joint_is_sequence(body)) {
            a = acceleration_behind(a, v, S, qd[body->qd + k], qdd[body->qd + k]);
            v = spatial_add_scaled(v, qd[body->qd + k], S);
        }
    }
    room->body[i].velocity = screw_of(p);
    room->body[i].acceleration = screw_of(r);
}

/* p and r of all bodies, and their forces g = I r + 2 B p */
static void change_bodies(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    product_body *all = room->body;
    for (size_t i = 0; i < tree->bodies; i++) {
        const int parent = tree->body[i].parent;
        if (parent < 0)
            continue;
        all[i].velocity = screw_add(all[i].velocity, screw_shift(all[parent].velocity, arm[i]));
        all[i].acceleration =
            screw_add(all[i].acceleration, screw_shift(all[parent].acceleration, arm[i]));
    }
    for (size_t i = 0; i < tree->bodies; i += TD_STRIP) {
        product_body *x = &all[i];
        const body_load *c = &room->load[i];
        const strip3 A[3] = {strip3_gather(&c->A[0], sizeof *c), strip3_gather(&c->A[1], sizeof *c),
                             strip3_gather(&c->A[2], sizeof *c)};
        const strip3 momentum = strip3_gather(&c->p, sizeof *c);
        const strip3 p = strip3_gather(&x->velocity.angular, sizeof *x);
        const strip3 twice = strip3_add(p, p);
        strip3 n, f;
        momenta_of_strip(tree, s, i, strip3_gather(&x->acceleration.angular, sizeof *x),
                         strip3_gather(&x->acceleration.linear, sizeof *x), &n, &f);
        strip3_scatter(strip3_add(n, strip3_times(A, twice)), &x->force.angular, sizeof *x);
        strip3_scatter(strip3_add(f, strip3_cross(twice, momentum)), &x->force.linear, sizeof *x);
    }
}

/* ξ of all bodies */
static void displace_bodies(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        spatial *xi = &room->displaced[i];
        *xi = joint_rate_at(body, s, (const axes *)s->pose + i, room->along + body->qd);
        if (body->parent >= 0)
            *xi =
                spatial_add(*xi, motion_shift(room->displaced[body->parent], packed3_vec3(arm[i])));
    }
}

static void change_kept_directions(const td_tree *tree, const product_room *room)
{
    for (size_t i = 0; i < tree->bodies; i++) {
        const kept_direction *kept = &room->kept[i];
        const spatial xi = room->displaced[i];
        spatial f = product_apply(&kept->B, xi.angular);
        f.angular = add_cross(f.angular, xi.linear, kept->g);
        add_screw(&room->body[i].force, f);
    }
}

/* what a pair adds: forces that act on bodies are no part of what they take */
static void change_pair(const td_scratch *s, const product_room *room, const pair_load *pair)
{
    spatial xi = spatial_zero(), P = xi;
    const int ends[] = {pair->predecessor, pair->successor};
    for (int k = 0; k < 2; k++) {
        if (ends[k] >= 0) {
            const spatial v = screw_spatial(room->body[ends[k]].velocity);
            xi =
                spatial_add(motion_at_point(s, ends[k], room->displaced[ends[k]], pair->point), xi);
            P = spatial_add(motion_at_point(s, ends[k], v, pair->point), P);
        }
        if (k == 0)
            xi = spatial_scale(splat(-1), xi), P = spatial_scale(splat(-1), P);
    }
    const pair_change change = pair_change_of(pair, xi, P);
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0) {
            const vec3 back = sub(pair->point, origin_in((const axes *)s->pose + ends[k]));
            const spatial f = force_shift(k ? change.successor : change.predecessor, back);
            add_screw(&room->body[ends[k]].force, spatial_scale(splat(-1), f));
        }
}

/* δτ = Sᵀ g of a joint, and what its parent takes */
static void change_joint(const td_tree *tree, const td_scratch *s, const product_room *room,
                         size_t i, real *out)
{
    const td_body *body = &tree->body[i];
    const body_load *load = &room->load[i];
    screw g = room->body[i].force;
    if (joint_only_turns(body)) {
        const packed3 z = packed3_col(&((const axes *)s->pose + i)->z);
        const packed3 along = packed3_mul(z, g.angular);
        out[body->qd] = packed3_get(&along, 0) + packed3_get(&along, 1) + packed3_get(&along, 2);
        const packed3 x = packed3_scale_by(room->along[body->qd], z);
        g.angular = packed3_add_cross(g.angular, x, load->n);
        g.linear = packed3_add_cross(g.linear, x, load->f);
    } else {
        const spatial F = carried_force(load);
        spatial seen = screw_spatial(g), x = spatial_zero();
        for (int k = body->nv; k-- > 0;) {
            const spatial S = column_at(body, s, (const axes *)s->pose + i, k);
            out[body->qd + k] = spatial_dot(S, seen);
            x = spatial_scale(room->along[body->qd + k], S);
            add_screw(&g, force_cross(x, F));
            if (joint_is_sequence(body))
                seen = spatial_add(seen, force_cross(x, F));
        }
    }
    if (body->parent < 0)
        return;
    screw *sum = &room->body[body->parent].force;
    *sum = screw_add(*sum, force_of_child(g, ((const packed3 *)s->arm)[i]));
}

static void rnea_tangent(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                         const td_reals *rates, const td_reals *accelerations, int loaded,
                         const double *wrenches, int frame, int with_passive,
                         double friction_velocity, const td_reals *position, const td_reals *rate,
                         const td_reals *acceleration, td_reals *out)
{
    td_scope(s->stack, rnea_products);
    const product_room room = product_take(s->stack, tree);
    const real *qd = rates, *qdd = accelerations;
    const bool turning = wrenches && frame != TD_AT_BODY;
    real *tau = out;
    copy(room.along, position, tree->nv);
    copy(room.along + room.apart, rate, tree->nv);
    copy(room.along + 2 * room.apart, acceleration, tree->nv);
    find_loads(tree, s, loaded, room.load);
    for (size_t i = 0, step; i < tree->bodies; i += step) {
        step = strip_of_joints(tree, i);
        if (TD_STRIP > 1 || joint_only_turns(&tree->body[i]))
            start_changes(tree, s, &room, i);
    }
    for (size_t k = 0; k < tree->others; k++)
        start_general_change(tree, s, &room, qd, qdd, (size_t)tree->other[k]);
    change_bodies(tree, s, &room);
    if (turning || with_passive)
        displace_bodies(tree, s, &room);
    if (turning) {
        start_kept_directions(tree, s, wrenches, frame, room.kept);
        change_kept_directions(tree, &room);
    }
    if (with_passive)
        for_each_pair(tree, loops, s, friction_velocity, change_pair, &room);
    sum_forces(tree, s, room.load);
    for (size_t i = tree->bodies; i-- > 0;)
        change_joint(tree, s, &room, i, tau);
    if (with_passive)
        add_passive_products(tree, qd, friction_velocity, room.along, room.along + room.apart,
                             room.along + 2 * room.apart, tau, tau, tau);
}

/* ---- back from a covector -------------------------------------------------------------------- */

/* W of all bodies, and M and N of each by itself */
static void move_virtually(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    const packed3 *arm = s->arm;
    product_body *all = room->body;
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        all[i].velocity =
            screw_of(joint_rate_at(body, s, (const axes *)s->pose + i, room->along + body->qd));
        if (body->parent >= 0)
            all[i].velocity =
                screw_add(all[i].velocity, screw_shift(all[body->parent].velocity, arm[i]));
    }
    for (size_t i = 0; i < tree->bodies; i += TD_STRIP) {
        product_body *x = &all[i];
        const body_load *c = &room->load[i];
        const strip3 w = strip3_gather(&x->velocity.angular, sizeof *x);
        const strip3 v = strip3_gather(&x->velocity.linear, sizeof *x);
        const strip3 momentum = strip3_gather(&c->p, sizeof *c);
        const strip3 A[3] = {strip3_gather(&c->A[0], sizeof *c), strip3_gather(&c->A[1], sizeof *c),
                             strip3_gather(&c->A[2], sizeof *c)};
        strip3 n, f;
        momenta_of_strip(tree, s, i, w, v, &n, &f);
        /* N = 2 Bᵀ W, a moment */
        const strip3 half =
            strip3_add((strip3){strip3_dot(A[0], w), strip3_dot(A[1], w), strip3_dot(A[2], w)},
                       strip3_cross(momentum, v));
        strip3_scatter(n, &x->acceleration.angular, sizeof *x);
        strip3_scatter(f, &x->acceleration.linear, sizeof *x);
        strip3_scatter(strip3_add(half, half), &x->force.angular, sizeof *x);
        strip3_scatter(strip3_splat(0), &x->force.linear, sizeof *x);
    }
}

/* weights of ξ */
static void weigh_kept_directions(const td_tree *tree, const product_room *room)
{
    for (size_t i = 0; i < tree->bodies; i++) {
        const kept_direction *kept = &room->kept[i];
        const spatial W = screw_spatial(room->body[i].velocity);
        const spatial weight = {product_apply_transposed(&kept->B, W), cross(kept->g, W.angular)};
        room->displaced[i] = spatial_add(room->displaced[i], weight);
    }
}

static void weigh_pair(const td_scratch *s, const product_room *room, const pair_load *pair)
{
    const int ends[] = {pair->predecessor, pair->successor};
    spatial W[2] = {spatial_zero(), spatial_zero()};
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0)
            W[k] = motion_at_point(s, ends[k], screw_spatial(room->body[ends[k]].velocity),
                                   pair->point);
    const pair_weight weight = pair_weight_of(pair, W[1], W[0]);
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0) {
            const real sign =
                splat(k ? -1 : 1); /* what acts on bodies is no part of what they take */
            const vec3 back = sub(pair->point, origin_in((const axes *)s->pose + ends[k]));
            spatial *xi = &room->displaced[ends[k]];
            *xi = spatial_add_scaled(*xi, sign, force_shift(weight.xi, back));
            add_screw(&room->body[ends[k]].force, spatial_scale(sign, force_shift(weight.P, back)));
        }
}

/* M, N and weights of ξ per body, all below it included */
static void sum_weights(const td_tree *tree, const td_scratch *s, const product_room *room,
                        bool displaced)
{
    const packed3 *arm = s->arm;
    for (size_t i = tree->bodies; i-- > 0;) {
        const int parent = tree->body[i].parent;
        if (parent < 0)
            continue;
        const product_body *own = &room->body[i];
        product_body *sum = &room->body[parent];
        sum->acceleration = screw_add(sum->acceleration, force_of_child(own->acceleration, arm[i]));
        sum->force = screw_add(sum->force, force_of_child(own->force, arm[i]));
        if (displaced)
            room->displaced[parent] = spatial_add(
                room->displaced[parent], force_shift(room->displaced[i], packed3_vec3(arm[i])));
    }
}

/* what weights of ξ give as such of positions */
static void weigh_displacements(const td_tree *tree, const td_scratch *s, const product_room *room)
{
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        for (int k = 0; k < body->nv; k++)
            room->result[body->qd + k] +=
                spatial_dot(column_at(body, s, (const axes *)s->pose + i, k), room->displaced[i]);
    }
}

/* the joints of a strip of bodies as if all of them were revolute: moments about their axes */
static void weigh_joints(const td_tree *tree, const td_scratch *s, const product_room *room,
                         size_t i)
{
    real *out = room->result + tree->body[i].qd;
    const strip_motion m = motion_of_strip(tree, s, i);
    const product_body *x = &room->body[i];
    const body_load *c = &room->load[i];
    const strip3 Mn = strip3_gather(&x->acceleration.angular, sizeof *x);
    const strip3 Mf = strip3_gather(&x->acceleration.linear, sizeof *x);
    const strip3 Nn = strip3_gather(&x->force.angular, sizeof *x);
    const strip3 Nf = strip3_gather(&x->force.linear, sizeof *x);
    const strip3 Wn = strip3_gather(&x->velocity.angular, sizeof *x);
    const strip3 Wv = strip3_gather(&x->velocity.linear, sizeof *x);
    /* v ×* M */
    const strip3 n = strip3_add(strip3_cross(m.w, Mn), strip3_cross(m.v, Mf));
    const strip3 f = strip3_cross(m.w, Mf);
    strip3 sum =
        strip3_add(strip3_cross(m.w, strip3_sub(Nn, n)), strip3_cross(m.v, strip3_sub(Nf, f)));
    sum = strip3_add(sum, strip3_add(strip3_cross(m.alpha, Mn), strip3_cross(m.a, Mf)));
    sum = strip3_add(sum, strip3_add(strip3_cross(Wn, strip3_gather(&c->n, sizeof *c)),
                                     strip3_cross(Wv, strip3_gather(&c->f, sizeof *c))));
    strip_store(out, -strip3_dot(m.z, sum), TD_STRIP);
    strip_store(out + room->apart, strip3_dot(m.z, strip3_sub(Nn, strip3_add(n, n))), TD_STRIP);
    strip_store(out + 2 * room->apart, strip3_dot(m.z, Mn), TD_STRIP);
}

static void weigh_general_joint(const td_tree *tree, const td_scratch *s, const product_room *room,
                                const real *qd, const real *qdd, size_t i)
{
    const td_body *body = &tree->body[i];
    const product_body *x = &room->body[i];
    const spatial M = screw_spatial(x->acceleration), N = screw_spatial(x->force);
    const spatial F = carried_force(&room->load[i]);
    const spatial after = ((const body_motion *)s->motion)[i].velocity;
    spatial v = velocity_before(tree, s, i),
            a = acceleration_before(tree, s, i, world_acceleration(tree));
    spatial W = spatial_zero();
    if (body->parent >= 0)
        W = screw_spatial(
            screw_shift(room->body[body->parent].velocity, ((const packed3 *)s->arm)[i]));
    for (int k = 0; k < body->nv; k++) {
        const int j = body->qd + k;
        real *out = room->result + j;
        const spatial S = column_at(body, s, (const axes *)s->pose + i, k);
        const bool one_by_one = body->nv == 1 || joint_is_sequence(body);
        const spatial rest = spatial_sub(N, force_cross(v, M));
        const spatial position =
            spatial_add(spatial_add(force_cross(v, rest), force_cross(a, M)), force_cross(W, F));
        out[0] = -spatial_dot(S, position);
        out[room->apart] =
            spatial_dot(S, spatial_sub(rest, force_cross(one_by_one ? v : after, M)));
        out[2 * room->apart] = spatial_dot(S, M);
        if (joint_is_sequence(body)) {
            a = acceleration_behind(a, v, S, qd[j], qdd[j]);
            v = spatial_add_scaled(v, qd[j], S);
            W = spatial_add_scaled(W, room->along[j], S);
        }
    }
}

static void rnea_adjoint(const td_tree *tree, const td_loops *loops, const td_scratch *s,
                         const td_reals *rates, const td_reals *accelerations, int loaded,
                         const double *wrenches, int frame, int with_passive,
                         double friction_velocity, const td_reals *covector, td_reals *by_position,
                         td_reals *by_rate, td_reals *by_acceleration)
{
    td_scope(s->stack, rnea_products);
    const product_room room = product_take(s->stack, tree);
    const real *qd = rates, *qdd = accelerations;
    const bool turning = wrenches && frame != TD_AT_BODY, displaced = turning || with_passive;
    copy(room.along, covector, tree->nv);
    find_loads(tree, s, loaded, room.load);
    move_virtually(tree, s, &room);
    for (size_t i = 0; displaced && i < tree->bodies; i++)
        room.displaced[i] = spatial_zero();
    if (turning) {
        start_kept_directions(tree, s, wrenches, frame, room.kept);
        weigh_kept_directions(tree, &room);
    }
    if (with_passive)
        for_each_pair(tree, loops, s, friction_velocity, weigh_pair, &room);
    sum_forces(tree, s, room.load);
    sum_weights(tree, s, &room, displaced);
    for (size_t i = 0, step; i < tree->bodies; i += step) {
        step = strip_of_joints(tree, i);
        if (TD_STRIP > 1 || joint_only_turns(&tree->body[i]))
            weigh_joints(tree, s, &room, i);
    }
    for (size_t k = 0; k < tree->others; k++)
        weigh_general_joint(tree, s, &room, qd, qdd, (size_t)tree->other[k]);
    if (displaced)
        weigh_displacements(tree, s, &room);
    if (with_passive)
        add_passive_products(tree, qd, friction_velocity, room.along, room.along, room.along,
                             room.result, room.result + room.apart, room.result + 2 * room.apart);
    td_reals *const out[] = {by_position, by_rate, by_acceleration};
    for (size_t k = 0; k < 3; k++)
        if (out[k])
            copy(out[k], room.result + k * room.apart, tree->nv);
}
