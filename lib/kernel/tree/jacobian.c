/* SPDX-License-Identifier: MIT */
/*
 * Jacobians: column i is what a unit of velocity i gives, so that J q̇ is the velocity of the link,
 * and A q̇ the momentum about the centre of mass. Row-major, 6 × nv, angular part first.
 */
#include "kernel/real/arrays.h"
#include "kernel/tree/inertia.h"
#include "kernel/tree/link_state.h"
#include "kernel/tree/scope.h"

/* column i of a 6 × nv matrix */
TD_INLINE void write_column(real *matrix, size_t nv, size_t i, spatial x)
{
    matrix[i] = x.angular.x, matrix[nv + i] = x.angular.y, matrix[2 * nv + i] = x.angular.z;
    matrix[3 * nv + i] = x.linear.x, matrix[4 * nv + i] = x.linear.y;
    matrix[5 * nv + i] = x.linear.z;
}

static void jacobian(const td_tree *tree, const td_scratch *s, int k, const double point[3],
                     int frame, td_reals *out)
{
    const axes *p = s->pose;
    const td_link_frame *link = &tree->link[k];
    pose at = link_pose(link, s);
    at.p = add(at.p, rotate_k(&at.R, (td_vec3){point[0], point[1], point[2]}));
    clear(out, 6 * tree->nv);
    for (int b = link->body; b >= 0; b = tree->body[b].parent) {
        const td_body *body = &tree->body[b];
        vec3 d = sub(at.p, origin_in(&p[b]));
        for (int i = 0; i < body->nv; i++) {
            spatial column = motion_shift(column_at(body, s, &p[b], i), d);
            write_column(out, tree->nv, (size_t)(body->qd + i), express_motion(&at, column, frame));
        }
    }
}

/* column i: the velocity of the link that a joint moves, for a unit of its velocity i */
static void joint_columns(const td_tree *tree, const td_scratch *s, int frame, td_reals *out)
{
    const axes *p = s->pose;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        size_t first = (size_t)body->qd;
        pose at = {.p = origin_in(&p[b])};
        if (frame == TD_AT_WORLD && joint_only_turns(body)) { /* most of them */
            vec3 axis = axis_in(&p[b]);
            write_column(out, tree->nv, first, (spatial){axis, cross(at.p, axis)});
            continue;
        }
        if (frame == TD_AT_BODY)
            at = link_pose(&tree->link[body->link], s);
        for (int i = 0; i < body->nv; i++)
            write_column(out, tree->nv, first + (size_t)i,
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
            write_column(out, tree->nv, (size_t)(body->qd + i), force_shift(h, r));
        }
    }
}

static void com_jacobian(const td_tree *tree, const td_scratch *s, int moving_only, td_reals *out)
{
    const axes *p = s->pose;
    const double factor_of_sum = 1 / scope_mass(tree, moving_only);
    real *J = out;
    size_t nv = tree->nv;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        const inertia total = composite_at(s, b);
        for (int i = 0; i < body->nv; i++) {
            spatial h = momentum_of(body->subtree, &total, column_at(body, s, &p[b], i));
            vec3 v = scale(factor_of_sum, h.linear);
            size_t column = (size_t)(body->qd + i);
            J[column] = v.x, J[nv + column] = v.y, J[2 * nv + column] = v.z;
        }
    }
}
