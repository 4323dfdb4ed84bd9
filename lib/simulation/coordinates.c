/* SPDX-License-Identifier: MIT */
/*
 * The state in the integrated coordinates u, which are the workspace's coordinates, and the change
 * of coordinates: near a dead point the simulation uses a chart (tandem/chart.h).
 */
#include <math.h>
#include <string.h>

#include "simulation_inside.h"

/* The coordinates are changed if another joint moves WORST times faster than one of them
   (lengths are scaled by the size of the mechanism). y is used again if no joint moves more than
   GOOD times faster. */
static const double WORST = 10, GOOD = 5;

/* ---- state ----------------------------------------------------------------------------------- */

/* Returns whether γ changes entries of u. */
static bool moves_u(const td_simulation *s)
{
    return s->moved || s->nu > s->ny;
}

td_status td_simulation_joints(td_simulation *s)
{
    td_status status = td_closure(s->model, s->w, s->u, s->ud, NULL, s->q, s->qd, NULL);
    if (status != TD_OK)
        return status;
    for (size_t i = 0; moves_u(s) && i < s->nu; i++)
        s->u[i] = s->q[s->u_q[i]];
    if (!s->other)
        return TD_OK;
    for (size_t i = 0; i < s->ny; i++)
        s->y[i] = s->q[s->y_q[i]];
    for (size_t i = 0; i < s->nyd; i++)
        s->yd[i] = s->qd[s->y_qd[i]];
    return TD_OK;
}

td_status td_simulation_joint_accelerations(td_simulation *s)
{
    td_status status = td_closure(s->model, s->w, s->u, s->ud, s->udd, s->q, s->qd, s->qdd);
    for (size_t i = 0; s->other && i < s->nyd; i++)
        s->ydd[i] = s->qdd[s->y_qd[i]];
    return status;
}

static td_status prescribe(td_simulation *s, double t)
{
    return s->given ? s->options.motion(s->options.context, t, s->u, s->ud, s->udd) : TD_OK;
}

/* Reads x into s->u and s->ud. Loops are followed from the state before it in time. If a later
   state was evaluated, such as a trial step that went too far, they are followed from the
   beginning of the step. Beyond a singular position they could close on another branch, or not
   at all. */
static td_status read_state(td_simulation *s, double t, const double *x)
{
    if (s->iterated && t < s->latest)
        td_closure_recall(s->model, s->w, NULL);
    s->latest = t;
    memcpy(s->u, x, s->nu * sizeof *x);
    memcpy(s->ud, td_x_velocity(s, x), s->nyd * sizeof *x);
    td_status status = prescribe(s, t);
    td_normalize(s->model, TD_COORDINATES_INDEPENDENT, s->u);
    return status;
}

td_status td_simulation_look(td_simulation *s, double t, const double *x)
{
    td_status status = read_state(s, t, x);
    return status == TD_OK && td_knows_tree(s) ? td_simulation_joints(s) : status;
}

void td_simulation_project(void *simulation, double t, double *x)
{
    td_simulation *s = simulation;
    td_normalize(s->model, TD_COORDINATES_INDEPENDENT, x);
    const bool moves = moves_u(s);
    if (!s->given && !moves)
        return;
    if (read_state(s, t, x) != TD_OK || (moves && td_simulation_joints(s) != TD_OK))
        return; /* the next rate reports the error */
    memcpy(x, s->u, s->nu * sizeof *x);
    memcpy(x + s->np, s->ud, s->nyd * sizeof *x);
}

/* Writes x in the coordinates u from s->q and s->qd. */
static void write_state(td_simulation *s, double *x)
{
    for (size_t i = 0; i < s->np; i++)
        x[i] = i < s->nu ? s->q[s->u_q[i]] : 0;
    for (size_t i = 0; i < s->nyd; i++)
        x[s->np + i] = s->qd[s->u_qd[i]];
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* Adds the forces along u: joint_u, and s->tau_y at the independent joints unless joint_u includes
 * it. */
static td_status add_forces(td_simulation *s, const double *joint, const double *joint_u,
                            double *total)
{
    if (!s->other) {
        for (size_t i = 0; i < s->nyd; i++)
            total[i] = s->tau_y[i] + (joint_u ? joint_u[i] : 0);
        return TD_OK;
    }
    for (size_t i = 0; i < s->nv; i++)
        s->joint_force[i] = joint ? joint[i] : 0;
    for (size_t i = 0; i < s->nyd; i++)
        if (!s->given || !s->given[i])
            s->joint_force[s->y_qd[i]] += s->tau_y[i];
    return td_project_force(s->model, s->w, s->u, s->joint_force, total);
}

td_status td_simulation_move(td_simulation *s, const td_forces *forces, const double *joint,
                             double *joint_u, const unsigned char *held)
{
    const unsigned char *known = held ? held : s->given;
    double *total = s->tau_u;
    joint_u = joint ? joint_u : NULL;
    td_status status = add_forces(s, joint, joint_u, total);
    if (status != TD_OK)
        return status;
    if (!known)
        return td_forward_dynamics(s->model, s->w, s->u, s->ud, total, forces, s->udd);
    for (size_t i = 0; i < s->nyd; i++) {
        if (known[i] && !(s->given && s->given[i]))
            s->udd[i] = 0;
        /* the total force along the coordinate, including all others */
        if (s->given && s->given[i])
            s->tau_y[i] = s->other ? total[i] : joint_u ? joint_u[i] : 0;
    }
    status = td_hybrid_dynamics(s->model, s->w, s->u, s->ud, known, forces, s->udd, total);
    for (size_t i = 0; i < s->nyd; i++) {
        if (s->given && s->given[i])
            s->tau_y[i] = total[i] - s->tau_y[i];
        else if (known[i])
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): held implies joint_u */
            joint_u[i] = total[i] - s->tau_y[i];
    }
    return status;
}

/* ---- choice of coordinates ------------------------------------------------------------------- */

/* Determines which velocity each entry of u integrates. */
static void map_velocities(td_simulation *s)
{
    const bool tree = td_knows_tree(s);
    for (size_t i = 0; i < s->nv; i++)
        s->ud_of_qd[i] = tree ? i : 0;
    for (size_t i = 0; i < s->nyd && !tree; i++)
        s->ud_of_qd[s->u_qd[i]] = i;
    for (size_t i = 0; i < s->nq; i++)
        s->u_of_q[i] = -1;
    for (size_t i = 0; i < s->nu; i++) {
        s->u_of_q[s->u_q[i]] = (int)i;
        s->velocity_of[i] = s->ud_of_qd[s->qd_of_q[s->u_q[i]]];
    }
    for (size_t i = 0; i < s->free_count; i++) {
        td_free_joint *f = &s->free_joints[i];
        f->u = s->u_of_q[f->q];
        f->velocity = (int)s->ud_of_qd[f->qd];
    }
}

static void use(td_simulation *s, bool other)
{
    s->other = other;
    s->nu = other ? s->np : s->ny;
    s->u = other ? s->own : s->y;
    s->ud = other ? s->own + s->np : s->yd;
    s->udd = other ? s->own + s->np + s->nyd : s->ydd;
    td_chart_use(s->w, other);
    td_chart_entries(s->model, s->w, s->u_q, s->u_qd);
    map_velocities(s);
}

void td_simulation_take_coordinates(td_simulation *s, td_stack *stack)
{
    s->tau_u = td_take(stack, double, s->nyd);
    s->own = td_take(stack, double, s->np + 2 * s->nyd);
    s->kept = td_take(stack, double, s->nq + s->nv);
    s->looked = td_take(stack, double, s->nq);
    s->home = td_take(stack, double, s->nq);
    s->begin = td_take(stack, double, s->nq);
    s->remembered = td_take(stack, double, 2 * s->nq);
    s->y_q = td_take(stack, size_t, s->ny);
    s->u_q = td_take(stack, size_t, s->np);
    s->y_qd = td_take(stack, size_t, s->nyd);
    s->velocity_of = td_take(stack, size_t, s->np);
    s->qd_of_q = td_take(stack, size_t, s->nq);
    s->u_of_q = td_take(stack, int, s->nq);
    s->ud_of_qd = td_take(stack, size_t, s->nv);
    s->u_qd = td_take(stack, size_t, s->nyd);
}

void td_simulation_enter(td_simulation *s)
{
    td_chart_use(s->w, s->other);
}

void td_simulation_leave(td_simulation *s)
{
    td_chart_use(s->w, false);
}

void td_simulation_remember(td_simulation *s)
{
    s->latest_remembered = s->latest;
    const bool used = td_chart_use(s->w, false);
    td_closure_remember(s->model, s->w, s->remembered);
    td_chart_use(s->w, s->other);
    td_closure_remember(s->model, s->w, s->remembered + s->nq);
    td_chart_use(s->w, used);
}

void td_simulation_recall(td_simulation *s)
{
    s->latest = s->latest_remembered;
    const bool used = td_chart_use(s->w, false);
    td_closure_recall(s->model, s->w, s->remembered);
    td_chart_use(s->w, s->other);
    td_closure_recall(s->model, s->w, s->remembered + s->nq);
    td_chart_use(s->w, used);
}

void td_simulation_choose_y(td_simulation *s)
{
    use(s, false);
}

/* Returns to y if it is well-conditioned and its loops close on the same branch. Otherwise s->q
   and s->qd are unchanged. */
static bool return_to_y(td_simulation *s, double t, double *x, double of_y)
{
    if (!(of_y <= GOOD) || td_chart_leave(s->model, s->w, s->q) != TD_OK)
        return false;
    memcpy(s->kept, s->q, s->nq * sizeof *s->q);
    memcpy(s->kept + s->nq, s->qd, s->nv * sizeof *s->qd);
    use(s, false);
    write_state(s, x);
    if (td_simulation_look(s, t, x) == TD_OK && td_simulation_joints(s) == TD_OK)
        return true;
    use(s, true);
    memcpy(s->q, s->kept, s->nq * sizeof *s->q);
    memcpy(s->qd, s->kept + s->nq, s->nv * sizeof *s->qd);
    return false;
}

static td_status choose(td_simulation *s, double t, double *x, bool at_once, bool *changed)
{
    const bool was_other = s->other;
    double of_u = 0, of_y = 0;
    td_status status = td_simulation_look(s, t, x);
    if (status == TD_OK && !was_other)
        status = td_simulation_joints(s);
    if (status == TD_OK && !at_once)
        status = td_chart_speeds(s->model, s->w, s->q, s->given, &of_u, &of_y);
    if (status != TD_OK || (!at_once && !was_other && of_u <= WORST))
        return status;
    if (!at_once && was_other && return_to_y(s, t, x, of_y)) {
        *changed = true;
        return TD_OK;
    }
    status = td_chart_choose(s->model, s->w, s->q, s->given, changed);
    if (status != TD_OK || !*changed)
        return was_other ? status : TD_OK; /* in y, the public functions report the error */
    use(s, td_chart_is_used(s->w));
    write_state(s, x);
    return TD_OK;
}

td_status td_simulation_choose(td_simulation *s, double t, double *x, bool at_once, bool *changed)
{
    *changed = false;
    td_status status = choose(s, t, x, at_once, changed);
    if (status == TD_OK)
        td_simulation_begin_loops(s);
    return status;
}

/* ---- starting point of loops ----------------------------------------------------------------- */

/* Reads the starting point of loops, in the workspace's current coordinates. Also makes it the
   workspace's last state. */
static void read_start(td_simulation *s, double *memory)
{
    td_closure_recall(s->model, s->w, NULL);
    td_closure_remember(s->model, s->w, memory);
}

void td_simulation_find_home(td_simulation *s)
{
    if (!s->iterated)
        return;
    read_start(s, s->remembered);
    if (s->away && memcmp(s->remembered, s->begin, s->nq * sizeof *s->begin) == 0)
        /* unless the user has set another start since */
        td_closure_start_from(s->model, s->w, s->home);
    read_start(s, s->home);
    s->away = false;
    s->latest = -INFINITY;
}

void td_simulation_begin_loops(td_simulation *s)
{
    if (!s->iterated)
        return;
    td_closure_remember(s->model, s->w, s->begin);
    td_closure_start_from(s->model, s->w, s->begin);
}

void td_simulation_note_start(td_simulation *s)
{
    if (!s->iterated)
        return;
    read_start(s, s->begin);
    s->away = true;
}
