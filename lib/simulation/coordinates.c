/* SPDX-License-Identifier: MIT */
/*
 * The state in whichever coordinates u are integrated, and the functions of libtandem in these:
 * those for y, or near a dead point of y those for the spanning tree with the G of the partition;
 * and when to change.
 */
#include <stdlib.h>
#include <string.h>

#include "simulation_inside.h"

/* Coordinates are left where another joint moves this much faster than one of them (lengths by the
   levers of the mechanism), and y is taken again where none does by half of that. */
static const double WORST = 10, GOOD = 5;

/* ---- state ----------------------------------------------------------------------------------- */

/* y and ẏ are entries of q and q̇ */
static void pick(td_simulation *s)
{
    for (size_t i = 0; i < s->ny; i++)
        s->y[i] = s->q[s->partition.y_q[i]];
    for (size_t i = 0; i < s->nyd; i++)
        s->yd[i] = s->qd[s->partition.y_qd[i]];
}

td_status td_u_joints(td_simulation *s)
{
    if (!s->other)
        return td_closure(s->model, s->w, s->y, s->yd, NULL, s->q, s->qd, NULL);
    td_status status = td_partition_joints(&s->partition, s->u, s->ud, s->q, s->qd);
    if (status == TD_OK)
        pick(s);
    return status;
}

td_status td_u_joint_accelerations(td_simulation *s)
{
    if (!s->other)
        return td_closure(s->model, s->w, s->y, s->yd, s->ydd, s->q, s->qd, s->qdd);
    td_partition_accelerations(&s->partition, s->udd, s->qdd);
    for (size_t i = 0; i < s->nyd; i++)
        s->ydd[i] = s->qdd[s->partition.y_qd[i]];
    return TD_OK;
}

static td_status prescribe(td_simulation *s, double t)
{
    return s->given ? s->options.motion(s->options.context, t, s->u, s->ud, s->udd) : TD_OK;
}

/* x as s->u, s->ud */
static td_status read_state(td_simulation *s, double t, const double *x)
{
    memcpy(s->u, x, s->ny * sizeof *x);
    memcpy(s->ud, td_x_velocity(s, x), s->nyd * sizeof *x);
    td_status status = prescribe(s, t);
    td_normalize(s->model, s->u);
    return status;
}

td_status td_simulation_look(td_simulation *s, double t, const double *x)
{
    td_status status = read_state(s, t, x);
    return status == TD_OK && s->other ? td_u_joints(s) : status;
}

void td_simulation_project(void *simulation, double t, double *x)
{
    td_simulation *s = simulation;
    td_normalize(s->model, x);
    if (!s->given)
        return;
    if (read_state(s, t, x) != TD_OK)
        return; /* the next rate says so */
    memcpy(x, s->u, s->ny * sizeof *x);
    memcpy(x + s->ny, s->ud, s->nyd * sizeof *x);
}

/* ---- matrices -------------------------------------------------------------------------------- */

td_status td_u_jacobian(td_simulation *s, double *G)
{
    if (!s->other)
        return td_closure_jacobian(s->model, s->w, s->y, G);
    memcpy(G, s->partition.G, s->nv * s->nyd * sizeof *G);
    return TD_OK;
}

td_status td_u_mass_matrix(td_simulation *s, double *M)
{
    if (!s->other)
        return td_mass_matrix(s->model, s->w, s->y, &s->forces, M);
    td_status status = td_partition_mass(&s->partition, s->q, &s->forces);
    memcpy(M, s->partition.M, s->nyd * s->nyd * sizeof *M);
    return status;
}

td_status td_u_project(td_simulation *s, const double *tau, double *tau_u)
{
    if (!s->other)
        return td_project_force(s->model, s->w, s->y, tau, tau_u);
    td_partition_project(&s->partition, tau, tau_u);
    return TD_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static td_status accelerate_y(td_simulation *s, const td_forces *forces, double *joint_u,
                              const unsigned char *held)
{
    double *total = joint_u ? s->reactions.total : s->tau_y;
    for (size_t i = 0; i < s->nyd && joint_u; i++)
        total[i] = s->tau_y[i] + joint_u[i];
    const unsigned char *known = held ? held : s->given;
    if (!known)
        return td_forward_dynamics(s->model, s->w, s->y, s->yd, total, forces, s->ydd);
    for (size_t i = 0; i < s->nyd; i++)
        if (known[i] && !(s->given && s->given[i]))
            s->ydd[i] = 0;
    td_status status =
        td_hybrid_dynamics(s->model, s->w, s->y, s->yd, known, forces, s->ydd, total);
    for (size_t i = 0; i < s->nyd; i++) {
        if (s->given && s->given[i])
            s->tau_y[i] = total[i] - (joint_u ? joint_u[i] : 0);
        else if (known[i])
            joint_u[i] = total[i] - s->tau_y[i];
    }
    return status;
}

td_status td_u_accelerate(td_simulation *s, const td_forces *forces, const double *joint,
                          double *joint_u, const unsigned char *held)
{
    if (!s->other)
        return accelerate_y(s, forces, joint ? joint_u : NULL, held);
    double *tau = s->joint_force;
    for (size_t i = 0; i < s->nv; i++)
        tau[i] = joint ? joint[i] : 0;
    for (size_t i = 0; i < s->nyd; i++) /* a force along y acts at the joint itself */
        if (!s->given || !s->given[i])
            tau[s->partition.y_qd[i]] += s->tau_y[i];
    return td_partition_accelerate(&s->partition, s->q, s->qd, tau, forces, s->given, s->udd,
                                   s->tau_y);
}

td_status td_u_link_velocities(td_simulation *s)
{
    const td_frame frame = s->forces.wrench_frame;
    return s->other ? td_tree_link_velocities(s->model, s->w, s->q, s->qd, frame, s->velocities)
                    : td_link_velocities(s->model, s->w, s->y, s->yd, frame, s->velocities);
}

td_status td_u_energy(td_simulation *s, double both[2])
{
    const td_scope scope = s->forces.passive ? TD_WITH_SPRINGS : TD_ALL_LINKS;
    return s->other ? td_tree_energy(s->model, s->w, s->q, s->qd, scope, both)
                    : td_energy(s->model, s->w, s->y, s->yd, scope, both);
}

td_status td_u_loop_motion(td_simulation *s, size_t loop, bool accelerations, double motion[3])
{
    const double *qdd = accelerations ? s->qdd : NULL;
    return td_tree_loop_motion(s->model, s->w, loop, s->q, s->qd, qdd, motion);
}

td_status td_u_spring_motion(td_simulation *s, size_t spring, double motion[4])
{
    return s->other ? td_tree_spring_motion(s->model, s->w, spring, s->q, s->qd, motion)
                    : td_spring_motion(s->model, s->w, spring, s->y, s->yd, motion);
}

/* ---- which coordinates ----------------------------------------------------------------------- */

static void use(td_simulation *s, bool other)
{
    s->other = other;
    s->u = other ? s->own : s->y;
    s->ud = other ? s->own + s->ny : s->yd;
    s->udd = other ? s->own + s->ny + s->nyd : s->ydd;
}

bool td_u_make(td_simulation *s)
{
    use(s, false);
    if (!s->iterated)
        return true;
    s->has_partition = true;
    s->own = calloc(s->ny + 2 * s->nyd + 1, sizeof *s->own);
    s->kept = calloc(s->nq + s->nv + 1, sizeof *s->kept);
    s->begin_q = calloc(s->nq + 1, sizeof *s->begin_q);
    s->remembered = calloc(2 * s->nq + 1, sizeof *s->remembered);
    s->jacobian = calloc(s->nv * s->nyd + 1, sizeof *s->jacobian);
    return td_partition_make(&s->partition, s->model, s->w, s->given) && s->own && s->kept &&
           s->begin_q && s->remembered && s->jacobian;
}

void td_u_free(td_simulation *s)
{
    if (s->has_partition)
        td_partition_free(&s->partition);
    free(s->own);
    free(s->kept);
    free(s->begin_q);
    free(s->remembered);
    free(s->jacobian);
}

void td_u_remember(td_simulation *s)
{
    if (!s->has_partition)
        return;
    td_closure_remember(s->model, s->w, s->remembered);
    memcpy(s->remembered + s->nq, s->partition.q, s->nq * sizeof *s->remembered);
}

void td_u_recall(td_simulation *s)
{
    if (!s->has_partition)
        return;
    td_closure_recall(s->model, s->w, s->remembered);
    memcpy(s->partition.q, s->remembered + s->nq, s->nq * sizeof *s->remembered);
}

void td_u_reset(td_simulation *s)
{
    use(s, false);
    s->measured = false;
    s->partition.regular = 0;
    s->partition.failed_loop = -1;
}

/* x in the coordinates of the partition, from s->q and s->qd */
static void write_state(td_simulation *s, double *x)
{
    const td_partition *p = &s->partition;
    for (size_t i = 0; i < s->ny; i++)
        x[i] = s->q[s->other ? p->u_q[i] : p->y_q[i]];
    for (size_t i = 0; i < s->nyd; i++)
        x[s->ny + i] = s->qd[s->other ? p->u_qd[i] : p->y_qd[i]];
}

/* y again, where it is good and its loops find the branch. Else s->q and s->qd stay, but the pivots
   of the partition are gone. */
static bool return_to_y(td_simulation *s, double t, double *x)
{
    if (!td_partition_allows_y(&s->partition, s->q, GOOD) ||
        td_closure_start(s->model, s->w, s->q) != TD_OK)
        return false;
    memcpy(s->kept, s->q, s->nq * sizeof *s->q);
    memcpy(s->kept + s->nq, s->qd, s->nv * sizeof *s->qd);
    use(s, false);
    write_state(s, x);
    if (td_simulation_look(s, t, x) == TD_OK && td_u_joints(s) == TD_OK)
        return true;
    use(s, true);
    memcpy(s->q, s->kept, s->nq * sizeof *s->q);
    memcpy(s->qd, s->kept + s->nq, s->nv * sizeof *s->qd);
    return false;
}

static td_status leave_y(td_simulation *s, bool at_once, bool *leave)
{
    *leave = at_once;
    if (at_once)
        return TD_OK;
    td_status status = TD_OK;
    if (!s->measured) { /* lengths */
        status = td_u_joints(s);
        if (status == TD_OK)
            status = td_partition_reset(&s->partition, s->q);
        s->measured = status == TD_OK;
    }
    if (status == TD_OK)
        status = td_closure_jacobian(s->model, s->w, s->y, s->jacobian);
    *leave = status == TD_OK && td_partition_worst(&s->partition, s->jacobian) > WORST;
    return status;
}

static td_status choose(td_simulation *s, double t, double *x, bool at_once, bool *changed)
{
    *changed = false;
    td_partition *p = &s->partition;
    bool leave = true;
    td_status status = td_simulation_look(s, t, x);
    if (status == TD_OK && !s->other)
        status = leave_y(s, at_once, &leave);
    if (status != TD_OK || !leave)
        return status;
    const bool was_other = s->other;
    if (was_other && !at_once && return_to_y(s, t, x)) {
        *changed = true;
        return TD_OK;
    }
    if (!was_other)
        status = td_u_joints(s);
    if (status == TD_OK && !was_other)
        status = td_partition_reset(p, s->q);
    if (status == TD_OK)
        status = td_partition_choose(p, s->q, changed);
    if (status != TD_OK || !*changed)
        return was_other ? status : TD_OK; /* in y, its functions judge */
    use(s, true);
    write_state(s, x);
    return TD_OK;
}

td_status td_u_choose(td_simulation *s, double t, double *x, bool at_once, bool *changed)
{
    td_status status = choose(s, t, x, at_once, changed);
    if (status == TD_OK && s->other)
        memcpy(s->begin_q, s->partition.q, s->nq * sizeof *s->begin_q);
    return status;
}

void td_u_go_back(td_simulation *s)
{
    if (s->other)
        memcpy(s->partition.q, s->begin_q, s->nq * sizeof *s->begin_q);
}
