/* SPDX-License-Identifier: MIT */
/*
 * Inertias of the tree. The inertias of links are summed into their bodies. Kernels use them in the
 * forms with the fewest operations: by principal axes, arranged for forces, and regrouped.
 */
#include "model/tree_inertia.h"

#include <math.h>

#include "base/frame.h"
#include "base/jacobi.h"
#include "model/joint_kind.h"

/* Computes first moment and inertia of a link about the origin of the frame in which it is
   placed. */
static void inertia_in(const td_link *link, td_frame3 holder, td_vec3 *moment, td_sym3 *inertia)
{
    td_frame3 frame = td_frame3_compose(holder, td_frame3_from(&link->inertial));
    double m = link->mass;
    const double *I = link->inertia;
    td_vec3 c = frame.position;
    *moment = (td_vec3){m * c.x, m * c.y, m * c.z};
    *inertia = td_sym3_shift(
        td_sym3_rotate(frame.rotation, (td_sym3){I[0], I[1], I[2], I[3], I[4], I[5]}), m, c);
}

void td_tree_add_inertia(td_tree *tree, const td_link *link, int index)
{
    if (!link->has_inertial)
        return;
    td_link_frame *own = &tree->link[index];
    td_vec3 moment;
    td_sym3 inertia;
    own->mass += link->mass;
    inertia_in(link, (td_frame3)TD_FRAME3_IDENTITY, &moment, &inertia);
    own->moment = td_vec3_add(own->moment, moment);
    own->inertia = td_sym3_add(own->inertia, inertia);
    inertia_in(link, (td_frame3){own->rotation, own->position}, &moment, &inertia);
    if (own->body < 0) {
        tree->world_mass += link->mass;
        tree->world_moment = td_vec3_add(tree->world_moment, moment);
        return;
    }
    td_body *body = &tree->body[own->body];
    body->mass += link->mass;
    body->moment = td_vec3_add(body->moment, moment);
    body->inertia = td_sym3_add(body->inertia, inertia);
}

/* Stores inertias by the principal axes of the smallest and the largest moment. */
static void find_moments(td_tree *tree)
{
    for (size_t b = 0; b < tree->bodies; b++) {
        td_body *body = &tree->body[b];
        const td_sym3 *I = &body->inertia;
        double moment[3], axis[9];
        if (!td_symmetric_eigen((const double[]){I->xx, I->xy, I->xz, I->yy, I->yz, I->zz}, moment,
                                axis))
            moment[0] = moment[1] = moment[2] = NAN; /* the inertia is not finite */
        double u = sqrt(moment[1] - moment[0]), v = sqrt(moment[2] - moment[1]);
        const td_vec3 *h = &body->moment;
        td_mass_moments *moments = &tree->moments[b / TD_STRIP_BODIES];
        const size_t at = b % TD_STRIP_BODIES;
        moments->h[0][at] = h->x, moments->h[1][at] = h->y, moments->h[2][at] = h->z;
        for (int k = 0; k < 3; k++)
            moments->u[k][at] = u * axis[k], moments->v[k][at] = v * axis[6 + k];
        moments->middle[at] = moment[1];
        moments->mass[at] = tree->body[b].mass;
    }
}

/* Computes (b + c − a) / 2 of three moments of inertia. This order keeps the digits of thin rods,
   which have two almost equal moments and a small one. */
static double half_without(double a, double b, double c)
{
    return (fmax(b, c) - a + fmin(b, c)) / 2;
}

static td_points points_of(const td_body *body)
{
    const td_sym3 I = body->inertia;
    return (td_points){body->mass,
                       body->moment,
                       {half_without(I.xx, I.yy, I.zz), -I.xy, -I.xz,
                        half_without(I.yy, I.xx, I.zz), -I.yz, half_without(I.zz, I.xx, I.yy)}};
}

static td_inertia inertia_of(const td_points *points)
{
    const td_vec3 h = points->first;
    const td_sym3 S = points->second;
    return (td_inertia){
        .first = {{h.x, h.y, h.z}, {h.y, h.z, h.x}, {h.z, h.x, h.y}},
        .second = {{S.yy + S.zz, S.xx + S.zz, S.xx + S.yy},
                   {-S.xy, -S.yz, -S.xz},
                   {-S.xz, -S.xy, -S.yz}},
        .spread = S,
        .mass = points->mass,
    };
}

/* Adds a rod to an inertia. The rod lies along the unit vector z; its points are r + z s, and its
   sums are mass, first = Σ m s and second = Σ m s². */
static td_points with_rod(const td_points *points, td_vec3 r, td_vec3 z, double mass, double first,
                          double second)
{
    const td_vec3 at = {mass * r.x + first * z.x, mass * r.y + first * z.y,
                        mass * r.z + first * z.z};
    const td_vec3 along = {first * r.x + second * z.x, first * r.y + second * z.y,
                           first * r.z + second * z.z};
    const td_sym3 S = {at.x * r.x + along.x * z.x, at.x * r.y + along.x * z.y,
                       at.x * r.z + along.x * z.z, at.y * r.y + along.y * z.y,
                       at.y * r.z + along.y * z.z, at.z * r.z + along.z * z.z};
    return (td_points){points->mass + mass, td_vec3_add(points->first, at),
                       td_sym3_add(points->second, S)};
}

/*
 * Computes inertias, plain and regrouped. A rod along the axis of a revolute joint has the same
 * dynamics whether or not it rotates with the body. So m, h_z and the sum of m z² of every revolute
 * body are moved to its parent, and joint forces do not change (Gautier and Khalil's base
 * parameters). Seven of ten numbers remain. Digits are lost only if a joint's origin lies far along
 * its axis from the masses that it moves.
 */
static void find_inertias(td_tree *tree, td_points *points)
{
    for (size_t b = 0; b < tree->bodies; b++) {
        points[b] = points_of(&tree->body[b]);
        tree->body_inertia[b] = inertia_of(&points[b]);
    }
    for (size_t b = tree->bodies; b-- > 0;) {
        const td_body *body = &tree->body[b];
        const td_mat3 *E = &body->rotation;
        if (td_motion_row_of(body->motion)->turns) {
            if (body->parent >= 0)
                points[body->parent] =
                    with_rod(&points[body->parent], body->position, (td_vec3){E->zx, E->zy, E->zz},
                             points[b].mass, points[b].first.z, points[b].second.zz);
            points[b].mass = points[b].first.z = points[b].second.zz = 0;
        }
        tree->regrouped[b] = inertia_of(&points[b]);
    }
}

static void find_subtrees(td_tree *tree)
{
    for (size_t b = 0; b < tree->bodies; b++)
        tree->body[b].subtree = 0;
    for (size_t b = tree->bodies; b-- > 0;) {
        td_body *body = &tree->body[b];
        body->subtree += body->mass;
        if (body->parent >= 0)
            tree->body[body->parent].subtree += body->subtree;
    }
}

void td_tree_derive(td_tree *tree, td_points *points)
{
    find_moments(tree);
    find_subtrees(tree);
    find_inertias(tree, points);
}
