/* SPDX-License-Identifier: MIT */
/*
 * The articulated-body algorithm in independent coordinates, over clusters of bodies (constraint
 * embedding: Jain 2012; Chignoli et al. 2023). One body outside the cluster, the outer body,
 * supports the bodies i of a cluster; their origins are d_i away from its origin. Ψ_i is the motion
 * of body i per unit of the cluster's ÿ. Accelerations are relative to those without ÿ, whose force
 * is the bias p_i (see aba.c).
 *
 *   a_i = a_outer (at d_i) + Ψ_i ÿ
 *   D = Σ Ψ_iᵀ I_i Ψ_i,   U = Σ I_i Ψ_i (at the outer origin),   u = τ − Σ Ψ_iᵀ p_i
 *
 * The inertia added to the outer body is Σ I_i − U D⁻¹ Uᵀ, with the bias Σ p_i + U D⁻¹ u. No
 * inertia couples two bodies of a cluster, because each subtree outside the cluster is attached to
 * one of its bodies. The joint of a body without couplings is eliminated as in aba.c. The number of
 * operations is proportional to the sum of the cubes of the numbers of coordinates per cluster.
 */
#include "kernel/algebra/ldlt.h"
#include "kernel/real/arrays.h"
#include "kernel/tree/articulated_bias.h"
#include "kernel/tree/articulated_joint.h"
#include "kernel/tree/cluster_room.h"

/* A pivot of a solved loop must exceed this part of its summed terms. The limit is larger than for
   joints, because a large G is itself less accurate. */
#define SMALLEST_OF_LOOPS 1e-8

/* Allocates the scratch of each cluster. Plain clusters need none. */
static cluster_room *cluster_take(td_stack *stack, const td_clusters *clusters)
{
    cluster_room *rooms = td_take(stack, cluster_room, clusters->count), r;
    for (size_t k = 0; k < clusters->count; k++) {
        const td_cluster *c = &clusters->cluster[k];
        const size_t m = (size_t)c->bodies, n = (size_t)c->coordinates;
        if (c->plain)
            continue;
        r.columns = td_take(stack, spatial, m * n);
        r.U = td_take(stack, spatial, n);
        r.D = td_take(stack, real, n * n);
        r.u = td_take(stack, real, n);
        r.x = td_take(stack, real, n);
        if (rooms)
            rooms[k] = r;
    }
    return rooms;
}

/* Computes Ψ of every body, about the body's origin. */
static void cluster_columns(const td_tree *tree, const td_closure_map *closure, const td_cluster *c,
                            const td_scratch *s, const cluster_room *work)
{
    const td_clusters *clusters = &closure->clusters;
    const td_csr *G = &closure->velocity;
    const int *member = clusters->body + c->first;
    const axes *p = s->pose;
    const packed3 *arm = s->arm;
    const real *value = s->G;
    size_t n = (size_t)c->coordinates;
    for (int i = 0; i < c->bodies; i++) {
        const td_body *body = &tree->body[member[i]];
        spatial *own = work->columns + (size_t)i * n;
        /* its index in the cluster, −1 for the outer body */
        const int parent = body->parent == c->outer ? -1 : clusters->place[body->parent];
        for (size_t k = 0; k < n; k++)
            own[k] = parent < 0 ? spatial_zero()
                                : motion_shift(work->columns[(size_t)parent * n + k],
                                               packed3_vec3(arm[member[i]]));
        for (int k = 0; k < body->nv; k++) {
            int row = body->qd + k;
            spatial column = column_at(body, s, &p[member[i]], k);
            for (int e = G->row[row]; e < G->row[row + 1]; e++) {
                int local = clusters->local[G->column[e]];
                own[local] = spatial_add(own[local], spatial_scale(value[e], column));
            }
        }
    }
}

static void dense_factor(size_t n, real *D)
{
    for (size_t k = 0; k < n; k++)
        ldlt_eliminate(n, n, D, k, 1.0 / D[k * n + k]);
}

/* Checks whether the pivots of D have significant digits; see examine in kernel/algebra/ltdl.c.
   terms: the sum of terms per coordinate. number: the index to report per coordinate. The upper
   triangle of D is scratch. */
static void dense_examine(size_t n, real *D, const real *terms, double bound, const int *number,
                          real *bad)
{
    for (size_t k = 0; k < n; k++) {
        real sum = terms[k];
        for (size_t j = k; j-- > 0;) { /* x_j for j < k: row j of Lᵀ x = 0 */
            real x = -D[k * n + j];
            for (size_t i = j + 1; i < k; i++)
                x -= D[i * n + j] * D[i * n + k];
            D[j * n + k] = x;
            sum += terms[j] * x * x;
        }
        *bad = first_bad(*bad, bound * sum, 1.0 / D[k * n + k], (size_t)number[k]);
    }
}

/* Adds one body to D, U and u, and to the inertia that is added to the outer body. */
TD_INLINE void cluster_add_body(const td_cluster *c, const articulated *A, const spatial *columns,
                                vec3 d, const cluster_room *work, real *bound, articulated *seen)
{
    size_t n = (size_t)c->coordinates;
    const spatial bias = articulated_bias(A);
    real turning = articulated_angular_trace(A), sliding = articulated_linear_trace(A);
    for (size_t k = 0; k < n; k++) {
        spatial force = articulated_apply(A, columns[k]);
        work->U[k] = spatial_add(work->U[k], force_shift(force, d));
        work->u[k] -= spatial_dot(columns[k], bias);
        bound[k] += turning * dot(columns[k].angular, columns[k].angular) +
                    sliding * dot(columns[k].linear, columns[k].linear);
        for (size_t j = k; j < n; j++)
            work->D[j * n + k] += spatial_dot(columns[j], force);
    }
    const articulated shifted = articulated_shift(A, d);
    *seen = articulated_sum(seen, &shifted);
}

/* Adds rotors, which rotate with the tree's coordinates: D += Gᵀ rotor G, u −= Gᵀ rotor g. */
static void cluster_add_rotors(const td_tree *tree, const td_closure_map *closure,
                               const td_cluster *c, const real *value, const real *g,
                               const cluster_room *work)
{
    const td_clusters *clusters = &closure->clusters;
    const td_csr *G = &closure->velocity;
    size_t n = (size_t)c->coordinates;
    for (int i = 0; i < c->bodies; i++) {
        int row = tree->body[clusters->body[c->first + i]].qd;
        double rotor = tree->passive[row].rotor;
        for (int a = G->row[row]; rotor != 0 && a < G->row[row + 1]; a++) {
            size_t k = (size_t)clusters->local[G->column[a]];
            if (g)
                work->u[k] -= rotor * value[a] * g[row];
            for (int b = G->row[row]; b < G->row[row + 1]; b++) {
                size_t j = (size_t)clusters->local[G->column[b]];
                if (j >= k)
                    work->D[j * n + k] += rotor * value[a] * value[b];
            }
        }
    }
}

/* Returns the articulated inertia of a cluster that is added to the outer body. */
static articulated through_cluster(const td_tree *tree, const td_closure_map *closure,
                                   const td_cluster *c, const td_scratch *s,
                                   const td_motion_inputs *in, const real *tau, real *bad)
{
    const td_clusters *clusters = &closure->clusters;
    const cluster_room *work = (const cluster_room *)s->cluster + (c - clusters->cluster);
    const axes *p = s->pose;
    const articulated *A = s->articulated;
    const int *coordinate = clusters->coordinate + c->coordinate;
    size_t n = (size_t)c->coordinates;
    articulated seen = {0};
    cluster_columns(tree, closure, c, s, work);
    clear(work->D, n * n);
    clear(work->x, n); /* the sums of terms of the pivots, for now */
    for (size_t k = 0; k < n; k++) {
        work->U[k] = spatial_zero();
        work->u[k] = tau[coordinate[k]];
    }
    for (int i = 0; i < c->bodies; i++) {
        int b = clusters->body[c->first + i];
        vec3 d = c->outer < 0 ? origin_in(&p[b]) : sub(origin_in(&p[b]), origin_in(&p[c->outer]));
        cluster_add_body(c, &A[b], work->columns + (size_t)i * n, d, work, work->x, &seen);
    }
    if (in->rotors)
        cluster_add_rotors(tree, closure, c, s->G, in->qdd, work);
    dense_factor(n, work->D);
    dense_examine(n, work->D, work->x, in->qdd ? SMALLEST_OF_LOOPS : SMALLEST_JOINT_INERTIA,
                  coordinate, bad);

    /* − U D⁻¹ Uᵀ = − Σ w_k w_kᵀ / d_k, with W = L⁻¹ U overwriting U */
    for (size_t k = 0; c->outer >= 0 && k < n; k++) {
        for (size_t j = 0; j < k; j++) {
            work->U[k] = spatial_sub(work->U[k], spatial_scale(work->D[k * n + j], work->U[j]));
            work->u[k] -= work->D[k * n + j] * work->u[j];
        }
        const projection U = projection_of(work->U[k], work->u[k]);
        const projection V = projection_scale(work->D[k * n + k], U);
        articulated_subtract(&seen, &U, &V);
    }
    return seen;
}

static void cluster_inwards(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                            const td_motion_inputs *in, real *tau)
{
    const td_clusters *clusters = &closure->clusters;
    const axes *p = s->pose;
    const packed3 *arm = s->arm;
    articulated *A = s->articulated;
    joint_projection *joint = s->joint_projection;
    real bad = splat(-1);

    for (size_t i = 0; i < tree->bodies; i++)
        A[i] = own_articulated(tree, s, i);
    for (size_t n = clusters->count; n-- > 0;) {
        const td_cluster *c = &clusters->cluster[n];
        int b = clusters->body[c->first];
        const td_body *body = &tree->body[b];
        if (!c->plain) {
            articulated seen = through_cluster(tree, closure, c, s, in, tau, &bad);
            if (c->outer >= 0)
                A[c->outer] = articulated_sum(&A[c->outer], &seen);
            continue;
        }
        /* the joint's coordinates are the cluster's, in order and unscaled */
        int first = clusters->coordinate[c->coordinate];
        real before = bad;
        bad = splat(-1);
        if (!joint_is_general(body)) {
            const double rotor = in->rotors ? tree->passive[body->qd].rotor : 0;
            project_joint(body, &A[b], joint_line_at(&p[b], arm[b]), tau[first], rotor, &joint[b],
                          &bad);
            if (c->outer >= 0)
                A[c->outer] = articulated_add_through(&A[c->outer], &A[b], packed3_vec3(arm[b]),
                                                      &joint[b].U, joint[b].inverse);
        } else {
            articulated seen = A[b];
            const joint_drive drive = {in->rotors, false, tau + first, NULL};
            through_general_joint(tree, body, s, &p[b], &seen, &drive, &bad);
            if (c->outer >= 0) {
                seen = articulated_shift(&seen, packed3_vec3(arm[b]));
                A[c->outer] = articulated_sum(&A[c->outer], &seen);
            }
        }
        /* convert from the tree's numbering to y's; keep an earlier failure */
        bad = select_lt(bad, splat(0), bad, bad + (double)(first - body->qd));
        bad = select_lt(before, splat(0), bad, before);
    }
    *s->singular = bad;
}

/* Computes ÿ of a cluster and the accelerations of its bodies from the outer body's
   acceleration. */
static void cluster_accelerate(const td_clusters *clusters, const td_cluster *c,
                               const td_scratch *s, const cluster_room *work, spatial outer,
                               real *ydd)
{
    const axes *p = s->pose;
    screw *acceleration = s->acceleration;
    const int *coordinate = clusters->coordinate + c->coordinate;
    size_t n = (size_t)c->coordinates;
    for (size_t k = 0; k < n; k++)
        work->x[k] = work->u[k] - spatial_dot(work->U[k], outer);
    if (c->outer < 0)
        ldlt_forward(n, n, work->D, work->x); /* else U is L⁻¹ U already */
    ldlt_back(n, n, work->D, work->x);
    for (size_t k = 0; k < n; k++)
        ydd[coordinate[k]] = work->x[k];
    for (int i = 0; i < c->bodies; i++) {
        int b = clusters->body[c->first + i];
        vec3 d = c->outer < 0 ? origin_in(&p[b]) : sub(origin_in(&p[b]), origin_in(&p[c->outer]));
        spatial a = motion_shift(outer, d);
        for (size_t k = 0; k < n; k++)
            a = spatial_add(a, spatial_scale(work->x[k], work->columns[(size_t)i * n + k]));
        acceleration[b] = screw_of(a);
    }
}

static void cluster_outwards(const td_tree *tree, const td_clusters *clusters, const td_scratch *s,
                             real *ydd)
{
    const axes *p = s->pose;
    const packed3 *arm = s->arm;
    screw *acceleration = s->acceleration;
    const cluster_room *rooms = s->cluster;

    for (size_t n = 0; n < clusters->count; n++) {
        const td_cluster *c = &clusters->cluster[n];
        screw a = c->outer >= 0 ? acceleration[c->outer] : screw_of(spatial_zero());
        if (!c->plain) {
            cluster_accelerate(clusters, c, s, &rooms[n], screw_spatial(a), ydd);
            continue;
        }
        int b = clusters->body[c->first];
        const screw outer = a;
        a = screw_shift(outer, arm[b]);
        const joint_drive drive = {.qdd = ydd + clusters->coordinate[c->coordinate]};
        accelerate_joint(tree, s, (size_t)b, &p[b], &outer, &a, &drive);
        acceleration[b] = a;
    }
}

static void cluster_aba(const td_tree *tree, const td_closure_map *closure, const td_scratch *s,
                        const td_motion_inputs *in, td_reals *tau, td_reals *ydd)
{
    aba_bias(tree, s, in->qd, in->qdd, NULL, in->loaded);
    cluster_inwards(tree, closure, s, in, tau);
    cluster_outwards(tree, &closure->clusters, s, ydd);
}
