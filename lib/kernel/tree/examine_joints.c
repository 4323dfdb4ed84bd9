/* SPDX-License-Identifier: MIT */
/*
 * Pivots of the mass matrix and the sums of terms from which they result, as in examine of
 * kernel/algebra/ltdl.c. The mass matrix itself is not needed, and the time is linear in the number
 * of joints. Let coordinate k accelerate by 1, and let its descendants be free, with accelerations
 * x_j. The pivot D_k is the quadratic form of the articulated inertia A of its body at this motion.
 * The sum is
 *
 *   H_kk + Σ H_jj x_j² = H_kk + Sᵀ Q S,
 *
 * where Q is a quadratic form of the body's acceleration a: the sum over all free coordinates that
 * the body supports. Let the coordinates of a cluster move its bodies i by Ψ_i, d_i away from the
 * outer body. With composite inertias C, H_kk = Σ Ψ_ikᵀ C_i Ψ_ik, and
 *
 *   D = Σ Ψᵀ A Ψ,  B = Σ Ψᵀ Q Ψ + diag H,  x = X a,  X = −D⁻¹ Uᵀ,  U = Σ A Ψ,  V = Σ Q Ψ
 *   A_outer += Σ A − U D⁻¹ Uᵀ,  Q_outer += Σ Q + V X + Xᵀ Vᵀ + Xᵀ B X,  C_outer += Σ C
 *
 * In tree coordinates each body is a cluster, and Ψ is S. D = Lᵀ diag L, starting with the last
 * coordinate. U and D come from the computation of accelerations. Quadratic forms of the
 * acceleration are stored as articulated inertias, with unused biases.
 */
#include "kernel/real/arrays.h"
#include "kernel/tree/articulated_joint.h"
#include "kernel/tree/cluster_room.h"

/* Scratch. Per body: C with its mass, and Q. Per velocity: whether to examine it. The rest belongs
   to the current cluster. */
typedef struct joints_room {
    double *mass;
    composite *whole;
    articulated *behind;
    unsigned char *asked;
    spatial *columns, *U, *V, *X; /* columns: Ψ of a plain cluster */
    real *D, *B, *x;
} joints_room;

static joints_room joints_take(td_stack *stack, const td_tree *tree, const td_clusters *clusters)
{
    const size_t most = clusters ? (size_t)clusters->most_coordinates : 0, n = most > 6 ? most : 6;
    joints_room r;
    r.mass = td_take(stack, double, tree->bodies);
    r.whole = td_take(stack, composite, tree->bodies);
    r.behind = td_take(stack, articulated, tree->bodies);
    r.asked = td_take(stack, unsigned char, tree->nv);
    r.columns = td_take(stack, spatial, 6);
    r.U = td_take(stack, spatial, n);
    r.V = td_take(stack, spatial, n);
    r.X = td_take(stack, spatial, n);
    r.D = td_take(stack, real, n * n);
    r.B = td_take(stack, real, n * n);
    r.x = td_take(stack, real, n);
    return r;
}

static void examine_joints_measure(const td_scratch_sizes *sizes, td_stack *stack)
{
    joints_take(stack, sizes->tree, sizes->clusters);
}

typedef struct joints_pass {
    const td_tree *tree;
    const td_clusters *clusters;
    const td_csr *G;
    const td_scratch *s;
    joints_room r;
    int rotors;
    bool in_body_axes; /* accelerations were computed in body axes */
    double digits;
} joints_pass;

/* Rotates a force on body i from the axes of the acceleration kernel to world axes. */
TD_INLINE spatial joints_to_world(const joints_pass *p, size_t i, spatial f)
{
    if (!p->in_body_axes)
        return f;
    const pose at = pose_at((const axes *)p->s->pose + i);
    return (spatial){rotate(&at.R, f.angular), rotate(&at.R, f.linear)};
}

/* Adds Q and the composite inertia of body i to the outer body, whose origin is at −d. */
TD_INLINE void joints_hand_on(const joints_pass *p, size_t i, int outer, vec3 d)
{
    const joints_room *r = &p->r;
    const articulated behind = articulated_shift(&r->behind[i], d);
    r->behind[outer] = articulated_sum(&r->behind[outer], &behind);
    r->whole[outer] =
        composite_add_shifted(&r->whole[outer], r->mass[i], &r->whole[i], packed3_of(d));
    r->mass[outer] += r->mass[i];
}

/* ---- single joints of one coordinate -------------------------------------------------------- */

static void pass_joint(const joints_pass *p, const td_cluster *c, real *bad)
{
    const size_t i = (size_t)p->clusters->body[c->first];
    const int number = p->clusters->coordinate[c->coordinate];
    const td_body *body = &p->tree->body[i];
    const joint_projection *joint = (const joint_projection *)p->s->joint_projection + i;
    const joints_room *r = &p->r;
    const vec3 axis = axis_in((const axes *)p->s->pose + i),
               d = packed3_vec3(((const packed3 *)p->s->arm)[i]);
    const bool turns = joint_only_turns(body);
    const inertia whole = composite_inertia(&r->whole[i]);
    const projection V = turns ? projection_revolute(&r->behind[i], axis, splat(0))
                               : projection_prismatic(&r->behind[i], axis, splat(0));
    const vec3 along = turns ? projection_angular(&V) : projection_linear(&V);
    const real H = turns ? dot(axis, mul_sym(&whole.I, axis)) : splat(r->mass[i]);
    const double rotor = p->rotors ? p->tree->passive[body->qd].rotor : 0;
    const real B = H + rotor + dot(axis, along);
    if (r->asked[number])
        *bad = first_bad(*bad, p->digits * B * joint->inverse, splat(1), (size_t)number);
    if (c->outer < 0)
        return;
    const spatial U = {projection_angular(&joint->U), projection_linear(&joint->U)};
    const projection own = projection_of(joints_to_world(p, i, U), splat(0));
    const projection there = p->in_body_axes ? projection_shift(&own, d) : own;
    const projection X = projection_scale(-joint->inverse, there);
    const projection Y = projection_add(projection_shift(&V, d), projection_scale(0.5 * B, X));
    const projection minus = projection_scale(splat(-1), X);
    joints_hand_on(p, i, c->outer, d);
    articulated_subtract(&r->behind[c->outer], &minus, &Y);
    articulated_subtract(&r->behind[c->outer], &Y, &minus);
}

/* ---- general clusters ----------------------------------------------------------------------- */

/* Computes U and D of a joint of several coordinates. Returns its columns. */
static const spatial *start_general(const joints_pass *p, size_t i, vec3 d)
{
    const td_body *body = &p->tree->body[i];
    const general_projection *joint = (const general_projection *)p->s->general + body->general;
    const joints_room *r = &p->r;
    const size_t n = (size_t)body->nv;
    for (size_t k = 0; k < n; k++) {
        const spatial U = {projection_angular(&joint->U[k]), projection_linear(&joint->U[k])};
        for (size_t j = 0; j <= k; j++)
            r->D[k * n + j] = spatial_dot(joint->S[j], U);
        r->U[k] = force_shift(joints_to_world(p, i, U), d);
        r->columns[k] = column_at(body, p->s, (const axes *)p->s->pose + i, (int)k);
    }
    return r->columns;
}

/* Adds the part of a cluster's body to U and D. */
static void add_held(const joints_pass *p, size_t i, size_t n, const spatial *columns, vec3 d)
{
    const articulated *A = (const articulated *)p->s->articulated + i;
    const joints_room *r = &p->r;
    for (size_t k = 0; k < n; k++) {
        const spatial held = articulated_apply(A, columns[k]);
        r->U[k] = spatial_add(r->U[k], force_shift(held, d));
        for (size_t j = 0; j <= k; j++)
            r->D[k * n + j] += spatial_dot(columns[j], held);
    }
}

/* Adds a body's part to B and V. */
static void add_behind(const joints_pass *p, size_t i, size_t n, const spatial *columns, vec3 d)
{
    const joints_room *r = &p->r;
    const inertia whole = composite_inertia(&r->whole[i]);
    for (size_t k = 0; k < n; k++) {
        const spatial behind = articulated_apply(&r->behind[i], columns[k]);
        r->V[k] = spatial_add(r->V[k], force_shift(behind, d));
        r->B[k * (n + 1)] += spatial_dot(columns[k], momentum_of(r->mass[i], &whole, columns[k]));
        for (size_t j = 0; j <= k; j++)
            r->B[k * n + j] += spatial_dot(columns[j], behind);
    }
}

/* Adds rotors, which rotate with the tree's coordinates. */
static void joints_add_rotors(const joints_pass *p, const td_cluster *c)
{
    const size_t n = (size_t)c->coordinates;
    const real *value = p->s->G;
    for (int i = 0; i < c->bodies; i++) {
        const td_body *body = &p->tree->body[p->clusters->body[c->first + i]];
        for (int v = 0; v < body->nv; v++) {
            const int row = body->qd + v;
            const double rotor = p->tree->passive[row].rotor;
            if (c->plain) {
                p->r.D[(size_t)v * (n + 1)] += splat(rotor);
                p->r.B[(size_t)v * (n + 1)] += splat(rotor);
                continue;
            }
            for (int a = p->G->row[row]; rotor != 0 && a < p->G->row[row + 1]; a++) {
                const size_t k = (size_t)p->clusters->local[p->G->column[a]];
                p->r.B[k * (n + 1)] += rotor * value[a] * value[a];
                for (int b = p->G->row[row]; b < p->G->row[row + 1]; b++) {
                    const size_t j = (size_t)p->clusters->local[p->G->column[b]];
                    if (j <= k)
                        p->r.D[k * n + j] += rotor * value[a] * value[b];
                }
            }
        }
    }
}

/* Factors D, replaces U by L⁻ᵀ U, and examines the requested pivots. */
static void joints_factor(const joints_pass *p, const td_cluster *c, real *bad)
{
    const joints_room *r = &p->r;
    const size_t n = (size_t)c->coordinates;
    for (size_t k = n; k-- > 0;) {
        const int number = p->clusters->coordinate[c->coordinate + (int)k];
        const real pivot = r->D[k * (n + 1)], inverse = 1.0 / pivot;
        real sum = splat(0);
        r->x[k] = splat(1);
        for (size_t j = k; r->asked[number] && j < n; j++) {
            if (j > k) { /* row j of L x = 0 */
                r->x[j] = splat(0);
                for (size_t i = k; i < j; i++)
                    r->x[j] -= r->D[j * n + i] * r->x[i];
            }
            real row = 0.5 * r->B[j * (n + 1)] * r->x[j];
            for (size_t i = k; i < j; i++)
                row += r->B[j * n + i] * r->x[i];
            sum += 2 * row * r->x[j];
        }
        if (r->asked[number])
            *bad = first_bad(*bad, p->digits * sum, pivot, (size_t)number);
        for (size_t i = 0; i < k; i++) {
            const real quotient = r->D[k * n + i] * inverse;
            r->U[i] = spatial_sub(r->U[i], spatial_scale(quotient, r->U[k]));
            for (size_t j = 0; j <= i; j++)
                r->D[i * n + j] -= quotient * r->D[k * n + j];
        }
        for (size_t i = 0; i < k; i++)
            r->D[k * n + i] *= inverse;
    }
}

/* Adds V X + Xᵀ Vᵀ + Xᵀ B X to Q of the outer body. */
static void joints_release(const joints_room *r, size_t n, articulated *Q)
{
    for (size_t k = 0; k < n; k++) {
        r->X[k] = spatial_scale(-1.0 / r->D[k * (n + 1)], r->U[k]);
        for (size_t i = 0; i < k; i++)
            r->X[k] = spatial_sub(r->X[k], spatial_scale(r->D[k * n + i], r->X[i]));
    }
    for (size_t k = 0; k < n; k++) {
        spatial Y = r->V[k]; /* V + ½ B X */
        for (size_t j = 0; j < n; j++) {
            const real half = 0.5 * (j < k ? r->B[k * n + j] : r->B[j * n + k]);
            Y = spatial_add(Y, spatial_scale(half, r->X[j]));
        }
        const projection minus = projection_of(spatial_scale(splat(-1), r->X[k]), splat(0));
        const projection half = projection_of(Y, splat(0));
        articulated_subtract(Q, &minus, &half);
        articulated_subtract(Q, &half, &minus);
    }
}

static void pass_cluster(const joints_pass *p, size_t index, real *bad)
{
    const td_cluster *c = &p->clusters->cluster[index];
    const size_t n = (size_t)c->coordinates;
    const axes *placed = p->s->pose;
    const joints_room *r = &p->r;
    clear(r->D, n * n);
    clear(r->B, n * n);
    for (size_t k = 0; k < n; k++)
        r->U[k] = r->V[k] = spatial_zero();
    for (size_t m = 0; m < (size_t)c->bodies; m++) {
        const size_t i = (size_t)p->clusters->body[c->first + (int)m];
        const vec3 at = origin_in(&placed[i]);
        const vec3 d =
            c->outer < 0 ? vec3_splat((td_vec3){0, 0, 0}) : sub(at, origin_in(&placed[c->outer]));
        const spatial *columns;
        if (c->plain) {
            columns = start_general(p, i, d);
        } else {
            columns = ((const cluster_room *)p->s->cluster)[index].columns + m * n;
            add_held(p, i, n, columns, d);
        }
        add_behind(p, i, n, columns, d);
        if (c->outer >= 0)
            joints_hand_on(p, i, c->outer, d);
    }
    if (p->rotors)
        joints_add_rotors(p, c);
    joints_factor(p, c, bad);
    if (c->outer >= 0)
        joints_release(r, n, &r->behind[c->outer]);
}

/* ---- driver -------------------------------------------------------------------------------- */

static void start_joints(const joints_pass *p, const td_suspects *suspects)
{
    const joints_room *r = &p->r;
    const inertia *own = p->s->inertia;
    const articulated none = {0};
    for (size_t i = 0; i < p->tree->bodies; i++) {
        r->mass[i] = p->tree->body[i].mass;
        r->whole[i] = composite_of(&own[i]);
        r->behind[i] = none;
    }
    memset(r->asked, 0, p->tree->nv);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < suspects->list[k].count; i++)
            r->asked[suspects->list[k].velocity[i]] = 1;
}

static void examine_joints(const td_tree *tree, const td_clusters *clusters, const td_csr *G,
                           const td_scratch *s, const td_motion_inputs *in,
                           const unsigned char *given, const td_suspects *suspects)
{
    td_scope(s->stack, examine_joints);
    const joints_room room = joints_take(s->stack, tree, G ? clusters : NULL);
    const joints_pass p = {tree, clusters, G, s, room, in->rotors, in->q != NULL, suspects->digits};
    real bad = *s->singular;
    if (in->q) {
        poses(tree, s, in->q, TD_EVERY_LINK, true);
        inertias(tree, s);
    }
    start_joints(&p, suspects);
    for (size_t n = clusters->count; n-- > 0;) {
        const td_cluster *c = &clusters->cluster[n];
        const td_body *body = &tree->body[clusters->body[c->first]];
        if (given && given[body->qd]) {
            if (c->outer >= 0)
                joints_hand_on(&p, (size_t)(body - tree->body), c->outer,
                               packed3_vec3(((const packed3 *)s->arm)[body - tree->body]));
        } else if (c->plain && !joint_is_general(body)) {
            pass_joint(&p, c, &bad);
        } else {
            pass_cluster(&p, n, &bad);
        }
    }
    *s->singular = bad;
}
