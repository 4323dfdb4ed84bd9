/* SPDX-License-Identifier: MIT */
/*
 * Computes Jacobians. Column i is the result for a unit of velocity i: J q̇ is the velocity of the
 * link, A q̇ the momentum about the center of mass. Matrices are row-major, 6 × nv, angular part
 * first.
 */
#include "kernel/real/arrays.h"
#include "kernel/tree/inertia.h"
#include "kernel/tree/link_state.h"
#include "kernel/tree/scope.h"

static void jacobian(const td_tree *tree, const td_scratch *s, int k, const double point[3],
                     int frame, td_reals *out)
{
    const axes *p = s->pose;
    const td_link_frame *link = &tree->link[k];
    pose at = link_pose(link, s);
    real *J = out;
    const size_t nv = tree->nv; /* loaded once, regardless of stores to out */
    at.p = add(at.p, rotate_k(&at.R, (td_vec3){point[0], point[1], point[2]}));
    clear(out, 6 * tree->nv);
    for (int b = link->body; b >= 0; b = tree->body[b].parent) {
        const td_body *body = &tree->body[b];
        vec3 d = sub(at.p, origin_in(&p[b]));
        for (int i = 0; i < body->nv; i++) {
            spatial column = motion_shift(column_at(body, s, &p[b], i), d);
            put_spatial_part(J + body->qd + i, nv, express_motion(&at, column, frame));
        }
    }
}

/* Computes a matrix whose column i is the velocity of the link that the joint moves, per unit of
   velocity i. */
static void joint_columns(const td_tree *tree, const td_scratch *s, int frame, td_reals *out)
{
    const axes *p = s->pose;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        real *column = (real *)out + body->qd;
        pose at = {.p = origin_in(&p[b])};
        if (frame == TD_AT_WORLD && joint_only_turns(body)) { /* most joints */
            vec3 axis = axis_in(&p[b]);
            put_spatial_part(column, tree->nv, (spatial){axis, cross(at.p, axis)});
            continue;
        }
        if (frame == TD_AT_BODY)
            at = link_pose(&tree->link[body->link], s);
        for (int i = 0; i < body->nv; i++)
            put_spatial_part(column + i, tree->nv,
                             express_motion(&at, column_at(body, s, &p[b], i), frame));
    }
}

static void momentum_matrix(const td_tree *tree, const td_scratch *s, int moving_only,
                            td_reals *out)
{
    const axes *p = s->pose;
    vec3 c = scale(1 / scope_mass(tree, moving_only), scope_moment(tree, s, moving_only));
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        vec3 r = sub(origin_in(&p[b]), c);
        const inertia total = composite_at(s, b);
        for (int i = 0; i < body->nv; i++) {
            spatial h = momentum_of(body->subtree, &total, column_at(body, s, &p[b], i));
            put_spatial_part((real *)out + body->qd + i, tree->nv, force_shift(h, r));
        }
    }
}

static void com_jacobian(const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out)
{
    const axes *p = s->pose;
    const double factor_of_sum = 1 / scope_mass(tree, moving_only);
    real *J = out;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        const inertia total = composite_at(s, b);
        for (int i = 0; i < body->nv; i++) {
            spatial h = momentum_of(body->subtree, &total, column_at(body, s, &p[b], i));
            put_vec3_part(J + body->qd + i, tree->nv, scale(factor_of_sum, h.linear));
        }
    }
}
