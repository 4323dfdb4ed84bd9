/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a motion is an idle spin, at one configuration. The bodies that move form rods:
 * connected sets with two joints to bodies at rest, which are two different bodies. Every body of a
 * rod rotates about an axis that meets one line, the axis of one of them. Bodies with mass rotate
 * about a principal axis through their center of mass. So gravity has no torque along the motion.
 * The joints that move are in loops, without damping, friction, springs and rotors.
 *
 * A wheel has only one joint to a body at rest, and a shaft in two bearings has two joints to the
 * same body. Both have a purpose: they are not idle.
 */
#include <math.h>

#include "base/sets.h"
#include "base/vector.h"
#include "load/tree/spins.h"

static td_vec3 minus(td_vec3 a, td_vec3 b)
{
    return td_vec3_along(a, -1, b);
}

/* Returns the velocity of a point that moves with the body. */
static td_vec3 velocity_at(const td_spin_twist *t, td_vec3 point)
{
    return td_vec3_add(t->linear, td_vec3_cross(t->angular, point));
}

void td_spin_add(td_spin_twist *t, const double *at, size_t nv, double rate)
{
    const td_vec3 w = {at[0], at[nv], at[2 * nv]}, v = {at[3 * nv], at[4 * nv], at[5 * nv]};
    t->angular = td_vec3_along(t->angular, rate, w);
    t->linear = td_vec3_along(t->linear, rate, v);
}

void td_spin_twists(td_spin_motion *m, const double *J)
{
    const td_tree *tree = &m->model->tree;
    const size_t nv = tree->nv;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        const td_spin_twist none = {{0, 0, 0}, {0, 0, 0}};
        td_spin_twist t = body->parent < 0 ? none : m->twist[body->parent];
        for (size_t i = (size_t)body->qd; i < (size_t)(body->qd + body->nv); i++)
            td_spin_add(&t, J + i, nv, m->rate[i]);
        m->twist[b] = t;
    }
}

/* Scales the motion to the angular velocity 1. Returns false if nothing rotates. */
static bool scale(td_spin_motion *m)
{
    const td_tree *tree = &m->model->tree;
    double most = 0;
    for (size_t b = 0; b < tree->bodies; b++)
        most = fmax(most, td_vec3_length(m->twist[b].angular));
    for (size_t i = 0; most > 0 && i < tree->nv; i++)
        m->rate[i] /= most;
    for (size_t b = 0; most > 0 && b < tree->bodies; b++) {
        const td_vec3 none = {0, 0, 0};
        td_spin_twist *t = &m->twist[b];
        t->angular = td_vec3_along(none, 1 / most, t->angular);
        t->linear = td_vec3_along(none, 1 / most, t->linear);
        m->moves[b] = td_vec3_length(t->angular) > TD_SPIN_ROUNDED ||
                      td_vec3_length(velocity_at(t, m->origin[b])) > TD_SPIN_ROUNDED * m->size;
    }
    return most > 0;
}

/* ---- resistance ------------------------------------------------------------------------------ */

static bool body_moves(const td_spin_motion *m, int body)
{
    return body >= 0 && m->moves[body];
}

/* Returns whether one of the joints that move is outside of loops or resists. */
static bool joint_resists(const td_spin_motion *m)
{
    const td_tree *tree = &m->model->tree;
    for (size_t i = 0; i < tree->nv; i++) {
        if (fabs(m->rate[i]) > TD_SPIN_ROUNDED &&
            (!m->in_loops[i] || td_velocity_resists(&tree->passive[i])))
            return true;
    }
    return false;
}

static int body_of(const td_model *model, int link)
{
    return model->tree.link[link].body;
}

/* Returns whether a loop joint with passive forces, or a spring, acts on one of the bodies. */
static bool element_resists(const td_spin_motion *m)
{
    const td_tree *tree = &m->model->tree;
    const td_loops *loops = &m->model->closure.loops;
    for (size_t n = 0; n < loops->count; n++)
        for (int k = 0; loops->group[n].passive && k < loops->group[n].axes; k++) {
            const td_loop_axis *axis = &loops->group[n].axis[k];
            const td_loop_joint *loop = &loops->group[n].loop[axis->loop];
            if (td_velocity_resists(&axis->passive) &&
                (body_moves(m, body_of(m->model, loop->predecessor_link)) ||
                 body_moves(m, body_of(m->model, loop->successor_link))))
                return true;
        }
    for (size_t k = 0; k < tree->springs; k++)
        if (body_moves(m, body_of(m->model, tree->spring[k].predecessor.link)) ||
            body_moves(m, body_of(m->model, tree->spring[k].successor.link)))
            return true;
    return false;
}

/* ---- shape ----------------------------------------------------------------------------------- */

/* Counts a joint between two bodies: as an end of a rod if one of them rests, or as inside of one
   if both move. Returns false if both ends of a rod are at the same body. */
static bool connect(td_spin_motion *m, int a, int b)
{
    const bool moves = body_moves(m, a);
    if (moves && body_moves(m, b)) {
        const int from = td_set_of(m->set, a), to = td_set_of(m->set, b);
        m->set[from] = to;
        if (from != to && m->ends[from] && m->ends[to] && m->neighbor[from] == m->neighbor[to])
            return false;
        if (from != to) {
            m->neighbor[to] = m->ends[from] ? m->neighbor[from] : m->neighbor[to];
            m->ends[to] += m->ends[from];
        }
        return true;
    }
    if (moves == body_moves(m, b))
        return true;
    const int rod = td_set_of(m->set, moves ? a : b), rests = moves ? b : a;
    if (m->ends[rod] && m->neighbor[rod] == rests)
        return false;
    m->neighbor[rod] = rests;
    m->ends[rod]++;
    return true;
}

/* Returns whether the bodies that move form rods with two ends. */
static bool have_two_ends(td_spin_motion *m)
{
    const td_tree *tree = &m->model->tree;
    const td_loops *loops = &m->model->closure.loops;
    bool good = true;
    for (size_t b = 0; b < tree->bodies; b++) {
        m->set[b] = (int)b;
        m->ends[b] = 0;
    }
    for (size_t b = 0; good && b < tree->bodies; b++)
        if (tree->body[b].nv < 6) /* a floating joint connects nothing */
            good = connect(m, (int)b, tree->body[b].parent);
    for (size_t n = 0; n < loops->count; n++)
        for (int k = 0; good && k < loops->group[n].loops; k++)
            good = connect(m, body_of(m->model, loops->group[n].loop[k].predecessor_link),
                           body_of(m->model, loops->group[n].loop[k].successor_link));
    for (size_t b = 0; good && b < tree->bodies; b++)
        good = !m->moves[b] || m->ends[td_set_of(m->set, (int)b)] == 2;
    return good;
}

/* Computes a point of the axis of a body. Returns false if the body does not only rotate. */
static bool find_axis(const td_spin_motion *m, size_t b, td_vec3 *point)
{
    const td_spin_twist *t = &m->twist[b];
    const double square = td_vec3_dot(t->angular, t->angular);
    const td_vec3 v = velocity_at(t, m->origin[b]);
    if (!(square > 0) || fabs(td_vec3_dot(v, t->angular)) > TD_SPIN_ROUNDED * m->size * square)
        return false;
    *point = td_vec3_along(m->origin[b], 1 / square, td_vec3_cross(t->angular, v));
    return true;
}

/* Returns whether the axes of two bodies meet. */
static bool axes_meet(const td_spin_motion *m, size_t a, size_t b)
{
    const td_vec3 u = m->twist[a].angular, v = m->twist[b].angular, none = {0, 0, 0};
    const double long_u = td_vec3_length(u), long_v = td_vec3_length(v);
    td_vec3 p, q;
    if (!find_axis(m, a, &p) || !find_axis(m, b, &q))
        return false;
    const td_vec3 normal = td_vec3_along(none, 1 / (long_u * long_v), td_vec3_cross(u, v));
    const double sine = td_vec3_length(normal), most = 1e-4 * m->size;
    if (sine > 1e-4)
        return fabs(td_vec3_dot(minus(q, p), normal)) <= most * sine;
    return td_vec3_length(td_vec3_cross(minus(q, p), u)) <= most * long_u;
}

/* Returns whether the axes of all bodies of a rod meet the axis of one of them. */
static bool have_line(td_spin_motion *m, int rod)
{
    const size_t bodies = m->model->tree.bodies;
    for (size_t line = 0; line < bodies; line++) {
        bool good = m->moves[line] && td_set_of(m->set, (int)line) == rod;
        for (size_t b = 0; good && b < bodies; b++)
            good = !m->moves[b] || td_set_of(m->set, (int)b) != rod || axes_meet(m, line, b);
        if (good)
            return true;
    }
    return false;
}

/* Returns whether a body with mass rotates about a principal axis through its center of mass. */
static bool is_balanced(const td_spin_motion *m, size_t b)
{
    const td_spin_inertia *body = &m->body[b];
    const td_sym3 S = body->inertia;
    const td_mat3 full = {S.xx, S.xy, S.xz, S.xy, S.yy, S.yz, S.xz, S.yz, S.zz};
    const td_vec3 w = m->twist[b].angular, moment = td_mat3_apply(full, w);
    const double *I = &full.xx;
    double largest = 0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(I[i]));
    return td_vec3_length(td_vec3_cross(w, moment)) <=
               TD_SPIN_ROUNDED * largest * td_vec3_dot(w, w) &&
           (!(body->mass > 0) ||
            td_vec3_length(velocity_at(&m->twist[b], body->com)) <= TD_SPIN_ROUNDED * m->size);
}

bool td_is_spin(td_spin_motion *m)
{
    const size_t bodies = m->model->tree.bodies;
    if (!scale(m) || joint_resists(m) || element_resists(m) || !have_two_ends(m))
        return false;
    for (size_t b = 0; b < bodies; b++) {
        td_vec3 point;
        if (m->moves[b] && (!find_axis(m, b, &point) || !is_balanced(m, b)))
            return false;
    }
    for (size_t b = 0; b < bodies; b++)
        if (m->moves[b] && td_set_of(m->set, (int)b) == (int)b && !have_line(m, (int)b))
            return false;
    return true;
}
