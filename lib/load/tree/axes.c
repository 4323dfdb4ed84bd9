/* SPDX-License-Identifier: MIT */
/*
 * Selects the axes of articulated inertias for forward dynamics of one state. World axes take less
 * time (kernel/tree/aba.c), but all entries are rounded relative to the largest one. In body axes
 * (kernel/tree/aba_body.c) a body's own inertia is added without rounding, and the direction that a
 * joint frees is exactly zero.
 *
 * The effect on a joint's inertia D is known to first order. If the joint accelerates by one unit
 * and the joints of the bodies k after it are free, the bodies accelerate by (α_k, a_k). D is the
 * sum of their resistances. Rounding their articulated inertias by a part ε of the traces t_k and
 * m_k changes D by ε Σ t_k α_k² + m_k a_k². This can be large compared with D if inertias cancel:
 * for small distal links, rods spinning about their axis, and massless links between joints. The
 * sum divided by D is below 600 for the arms, legs and hands that were measured, and the relative
 * error of accelerations is about 10⁻¹⁵ times that. If it exceeds 1000 for a joint, at one of
 * several random configurations, the tree uses body axes. At other configurations rounding may
 * destroy a joint's inertia completely, so pivots of the mass matrix are then examined: see
 * kernel/algebra/ltdl.c.
 */
#include <math.h>
#include <string.h>

#include "base/frame.h"
#include "load/closure/loop_analysis.h"
#include "model/joint_kind.h"

static const double much_amplified = 1000, some_amplified = 30;

/* motions of bodies beyond this depth are negligible */
enum { MOST_BODIES_BEHIND = 12 };

/* A body at a configuration. Spatial vectors are angular before linear, in body axes. */
typedef struct part {
    double inertia[6][6];                     /* articulated, including its children */
    double turning, sliding;                  /* traces of its angular and linear blocks */
    double column[6][6], release[6][6], D[6]; /* per coordinate of its joint: S, A S and Sᵀ A S */
    double X[6][6];                           /* transforms motions from the parent to the body */
    double motion[6];
    int behind;       /* depth below the accelerated body, −1 if not considered */
    size_t end;       /* one past the last body that its joint may move */
    double amplified; /* the largest amplification of its joint's coordinates so far */
} part;

static void start(const td_body *body, part *p)
{
    const td_sym3 *I = &body->inertia;
    const td_vec3 h = body->moment;
    const double m = body->mass;
    const double own[6][6] = {{I->xx, I->xy, I->xz, 0, -h.z, h.y},
                              {I->xy, I->yy, I->yz, h.z, 0, -h.x},
                              {I->xz, I->yz, I->zz, -h.y, h.x, 0},
                              {0, h.z, -h.y, m, 0, 0},
                              {-h.z, 0, h.x, 0, m, 0},
                              {h.y, -h.x, 0, 0, 0, m}};
    memcpy(p->inertia, own, sizeof own);
}

/* Computes X at a joint angle. */
static void place(const td_body *body, double angle, double X[6][6])
{
    const double c = cos(angle), s = sin(angle);
    const td_mat3 *K = &body->rotation;
    const td_vec3 r = body->position;
    const double E[3][3] = {
        {c * K->xx + s * K->yx, c * K->xy + s * K->yy, c * K->xz + s * K->yz},
        {c * K->yx - s * K->xx, c * K->yy - s * K->xy, c * K->yz - s * K->xz},
        {K->zx, K->zy, K->zz},
    };
    const double cross[3][3] = {{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}}; /* ω → ω × r */
    memset(X, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            X[i][j] = X[3 + i][3 + j] = E[i][j];
            for (int k = 0; k < 3; k++)
                X[3 + i][j] += E[i][k] * cross[k][j];
        }
}

/* A ← A − U Uᵀ / D, one coordinate at a time */
static void release(const td_body *body, part *p)
{
    p->turning = p->inertia[0][0] + p->inertia[1][1] + p->inertia[2][2];
    p->sliding = p->inertia[3][3] + p->inertia[4][4] + p->inertia[5][5];
    for (int n = 0; n < body->nv; n++) {
        double *S = p->column[n], *U = p->release[n];
        td_body_column(body, n, S);
        p->D[n] = 0;
        for (int i = 0; i < 6; i++) {
            U[i] = 0;
            for (int j = 0; j < 6; j++)
                U[i] += p->inertia[i][j] * S[j];
            p->D[n] += S[i] * U[i];
        }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                p->inertia[i][j] -= p->D[n] > 0 ? U[i] * U[j] / p->D[n] : 0;
    }
    if (!td_motion_is_simple(body->motion))
        return;
    const int k = p->column[0][2] != 0 ? 2 : 5; /* exactly zero, as in the kernels */
    for (int i = 0; i < 6; i++)
        p->inertia[i][k] = p->inertia[k][i] = 0;
}

/* to += Xᵀ A X */
static void add_to_parent(const part *p, part *parent_part)
{
    double AX[6][6] = {{0}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++)
                AX[i][j] += p->inertia[i][k] * p->X[k][j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++)
                parent_part->inertia[i][j] += p->X[k][i] * AX[k][j];
}

/* Updates a motion for the first coordinates of a joint, which are free. */
static void give_way(int coordinates, part *p)
{
    for (int n = coordinates; n-- > 0;) {
        double force = 0;
        for (int i = 0; i < 6; i++)
            force += p->release[n][i] * p->motion[i];
        for (int i = 0; i < 6 && p->D[n] > 0; i++)
            p->motion[i] -= force / p->D[n] * p->column[n][i];
    }
}

/* Computes a body's motion from its parent's, with its joint free. */
static void follow(const td_body *body, const part *parent, part *p)
{
    for (int i = 0; i < 6; i++) {
        p->motion[i] = 0;
        for (int j = 0; j < 6; j++)
            p->motion[i] += p->X[i][j] * parent->motion[j];
    }
    give_way(body->nv, p);
}

static double rounding_of(const part *p)
{
    const double *a = p->motion;
    return p->turning * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) +
           p->sliding * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
}

/* Returns Σ t α² + m a² over D for a joint's coordinate n, with the preceding coordinates free as
   well. */
static double amplification(const td_tree *tree, size_t b, int n, part *parts)
{
    part *p = &parts[b];
    if (!(p->D[n] > 0))
        return 0;
    memcpy(p->motion, p->column[n], sizeof p->motion);
    give_way(n, p);
    p->behind = 0;
    double sum = rounding_of(p);
    for (size_t k = b + 1; k < p->end; k++) {
        const int above = tree->body[k].parent;
        const int behind = above < (int)b ? -1 : parts[above].behind;
        parts[k].behind = behind < 0 || behind == MOST_BODIES_BEHIND ? -1 : behind + 1;
        if (parts[k].behind < 0)
            continue;
        follow(&tree->body[k], &parts[above], &parts[k]);
        sum += rounding_of(&parts[k]);
    }
    return sum / p->D[n];
}

/* Updates the largest amplification of each joint, with revolute joints at random angles. */
static void sample(const td_tree *tree, unsigned *seed, part *parts)
{
    for (size_t b = 0; b < tree->bodies; b++) {
        const bool turns = tree->body[b].angle >= 0;
        start(&tree->body[b], &parts[b]);
        place(&tree->body[b], turns ? M_PI * td_analysis_random(seed) : 0, parts[b].X);
    }
    for (size_t b = tree->bodies; b-- > 0;) {
        release(&tree->body[b], &parts[b]);
        if (tree->body[b].parent >= 0)
            add_to_parent(&parts[b], &parts[tree->body[b].parent]);
    }
    for (size_t b = 0; b < tree->bodies; b++)
        for (int n = 0; n < tree->body[b].nv; n++)
            parts[b].amplified = fmax(parts[b].amplified, amplification(tree, b, n, parts));
}

/* If any joint amplifies much, lists the velocities of all joints that amplify somewhat. */
static bool find_suspects(td_model *model, const part *parts)
{
    td_tree *tree = &model->tree;
    bool much = false;
    for (size_t b = 0; b < tree->bodies; b++)
        if (parts[b].amplified > much_amplified) {
            much = true;
            tree->fine = tree->fine || td_motion_is_simple(tree->body[b].motion);
        }
    tree->suspect = TD_ARENA_NEW(&model->records.arena, int, much ? tree->nv : 0);
    for (size_t b = tree->bodies; tree->suspect && b-- > 0;)
        for (int n = tree->body[b].nv; much && parts[b].amplified > some_amplified && n-- > 0;)
            tree->suspect[tree->suspects++] = tree->body[b].qd + n;
    return tree->suspect != NULL;
}

/* Orders bodies by depth. Neighbors in this order are on different limbs and rarely wait for each
   other, so the processor can overlap them. */
static bool order_by_depth(td_model *model, td_arena *temporary)
{
    td_tree *tree = &model->tree;
    if (!tree->fine)
        return true;
    size_t *depth = TD_ARENA_NEW(temporary, size_t, tree->bodies), most = 0, found = 0;
    tree->by_depth = TD_ARENA_NEW(&model->records.arena, int, tree->bodies);
    if (!depth || !tree->by_depth)
        return false;
    for (size_t b = 0; b < tree->bodies; b++) {
        const int above = tree->body[b].parent;
        depth[b] = above < 0 ? 0 : depth[above] + 1;
        most = depth[b] > most ? depth[b] : most;
    }
    for (size_t level = 0; level <= most; level++)
        for (size_t b = 0; b < tree->bodies; b++)
            if (depth[b] == level)
                tree->by_depth[found++] = (int)b;
    return true;
}

/* ---- bounds that avoid most examinations of pivots ------------------------------------------- */

/* The mass of a body and its subtree, and an upper bound of Σ m d² + tr I about the body's origin,
   for any configuration of the subtree. */
typedef struct reach {
    double mass, turning;
} reach;

/* Returns an upper bound of Σ m d² + tr I about a point at a distance from the origin: (√Σ m d² +
   √m r)² */
static double turning_about(const reach *r, double away)
{
    const double root = sqrt(r->turning) + sqrt(r->mass) * away;
    return root * root;
}

/* Returns a lower bound of a body's least moment about axes through its center of mass: 4 det /
   tr², because the product of the other two moments is at most (tr / 2)². */
static double least_moment(const td_body *body)
{
    const td_sym3 *I = &body->inertia;
    const double m = body->mass, x = m > 0 ? body->moment.x / m : 0,
                 y = m > 0 ? body->moment.y / m : 0, z = m > 0 ? body->moment.z / m : 0;
    const double xx = I->xx - m * (y * y + z * z), yy = I->yy - m * (x * x + z * z),
                 zz = I->zz - m * (x * x + y * y), xy = I->xy + m * x * y, xz = I->xz + m * x * z,
                 yz = I->yz + m * y * z;
    const double trace = xx + yy + zz;
    const double det =
        xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    return det > 0 && trace > 0 ? 4 * det / (trace * trace) : 0;
}

/* Bounds the energy of everything that a joint carries, relative to its parent's energy, if both
   move with (α, a of the parent's center of mass): Σ m (|a| + |α| d)² + tr I α² ≤ 2 M a² + 2 T α²,
   with T about that center. */
static double carried_by(const td_body *parent, const reach *behind, td_vec3 joint)
{
    const double m = parent->mass, least = least_moment(parent);
    if (!(m > 0) || !(least > 0))
        return INFINITY;
    const td_vec3 c = {joint.x - parent->moment.x / m, joint.y - parent->moment.y / m,
                       joint.z - parent->moment.z / m};
    return sqrt(2 * fmax(behind->mass / m, turning_about(behind, td_vec3_length(c)) / least));
}

/* Computes tree->largest and tree->carried. They stay NULL if a joint can move its body's origin,
   unless that body has no parent. */
static bool find_bounds(td_model *model, td_arena *temporary)
{
    td_tree *tree = &model->tree;
    reach *at = TD_ARENA_NEW(temporary, reach, tree->bodies);
    if (!at)
        return false;
    for (size_t b = tree->bodies; b-- > 0;) {
        const td_body *body = &tree->body[b];
        at[b].mass += body->mass;
        at[b].turning += body->inertia.xx + body->inertia.yy + body->inertia.zz;
        double S[6];
        for (int n = 0; n < body->nv && body->parent >= 0; n++) {
            td_body_column(body, n, S);
            if (S[3] != 0 || S[4] != 0 || S[5] != 0)
                return true;
        }
        if (body->parent >= 0) {
            at[body->parent].mass += at[b].mass;
            at[body->parent].turning += turning_about(&at[b], td_vec3_length(body->position));
        }
    }
    tree->largest = TD_ARENA_NEW(&model->records.arena, double, tree->nv);
    tree->carried = TD_ARENA_NEW(&model->records.arena, double, tree->bodies);
    if (!tree->largest || !tree->carried)
        return false;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        for (int n = 0; n < body->nv; n++) {
            double S[6];
            td_body_column(body, n, S);
            const double root = sqrt((S[0] * S[0] + S[1] * S[1] + S[2] * S[2]) * at[b].turning) +
                                sqrt((S[3] * S[3] + S[4] * S[4] + S[5] * S[5]) * at[b].mass);
            tree->largest[body->qd + n] = root * root;
        }
        tree->carried[b] = body->parent < 0
                               ? INFINITY
                               : carried_by(&tree->body[body->parent], &at[b], body->position);
    }
    return true;
}

bool td_choose_axes(td_build *build)
{
    enum { SAMPLES = 8 };
    const td_tree *tree = &build->model->tree;
    td_arena_scope(&build->temporary);
    part *parts = TD_ARENA_NEW(&build->temporary, part, tree->bodies);
    unsigned seed = 1;
    for (size_t b = 0; parts && b < tree->bodies; b++)
        for (int above = (int)b, n = 0; above >= 0 && n <= MOST_BODIES_BEHIND; n++) {
            parts[above].end = b + 1;
            above = tree->body[above].parent;
        }
    for (int n = 0; parts && n < SAMPLES; n++)
        sample(tree, &seed, parts);
    return parts && find_suspects(build->model, parts) &&
           order_by_depth(build->model, &build->temporary) &&
           (tree->suspects == 0 || find_bounds(build->model, &build->temporary));
}
