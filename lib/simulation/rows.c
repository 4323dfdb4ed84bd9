/* SPDX-License-Identifier: MIT */
/*
 * Stops and friction of joints, and friction of joints that close loops: which there are, where
 * they are, and the forces of those that push or slip. Reactions of those that hold are in
 * reactions.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulation_inside.h"

/* ---- which there are ------------------------------------------------------------------------- */

/* follows one joint linearly, whose rows stand for it */
static bool is_follower(td_joint_place place)
{
    return place.dependent && (place.leader >= 0 || (place.terms == 0 && place.cluster < 0));
}

/* of a joint and, through |α|, of those that follow it */
static double friction_of(const td_model *model, size_t joint)
{
    double sum = td_joint_at(model, joint)->friction;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.nv == 1 && place.leader == (int)joint)
            sum += fabs(place.multiplier) * td_joint_at(model, i)->friction;
    }
    return sum;
}

static void own_limits(const td_model *model, size_t joint, double limits[2])
{
    const td_joint *record = td_joint_at(model, joint);
    const bool bounded = record->type != TD_JOINT_CONTINUOUS;
    limits[0] = bounded && !isnan(record->limit.lower) ? record->limit.lower : -INFINITY;
    limits[1] = bounded && !isnan(record->limit.upper) ? record->limit.upper : INFINITY;
}

/* of a joint and those that follow it; of one that loops decide, the model has no effective ones */
static void limits_of(const td_model *model, size_t joint, double limits[2])
{
    if (!td_joint_place_at(model, joint).dependent) {
        const td_effective_limit effective = td_effective_limit_at(model, joint);
        limits[0] = effective.lower;
        limits[1] = effective.upper;
        return;
    }
    own_limits(model, joint, limits);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.nv != 1 || place.leader != (int)joint || place.multiplier == 0)
            continue;
        double own[2];
        own_limits(model, i, own);
        const double a = (own[0] - place.offset) / place.multiplier;
        const double b = (own[1] - place.offset) / place.multiplier;
        limits[0] = fmax(limits[0], fmin(a, b));
        limits[1] = fmin(limits[1], fmax(a, b));
    }
}

bool td_simulation_loop_moves(const td_simulation *s, size_t loop)
{
    const td_loop_type type = td_loop_at(s->model, loop)->type;
    return (type == TD_LOOP_REVOLUTE || type == TD_LOOP_PRISMATIC) &&
           td_loop_place_at(s->model, loop).form != TD_LOOP_OPEN;
}

static bool has_stiction(const td_simulation *s)
{
    return s->options.stiction && s->forces.passive;
}

static void list_joints(td_simulation *s)
{
    for (size_t i = 0; i < td_movable_count(s->model); i++) {
        const size_t joint = (size_t)td_movable_joint(s->model, i);
        const td_joint_place place = td_joint_place_at(s->model, joint);
        if (place.nv != 1 || is_follower(place) ||
            (s->given && place.yd >= 0 && s->given[place.yd]))
            continue;
        td_row row = {.stop = true,
                      .joint = (int)joint,
                      .loop = -1,
                      .q = (size_t)place.q,
                      .qd = (size_t)place.qd,
                      .yd = place.dependent ? -1 : place.yd};
        double limits[2];
        limits_of(s->model, joint, limits);
        for (int side = 0; side < 2 && s->options.stops != TD_STOPS_NONE; side++) {
            row.sign = side ? -1 : 1;
            row.at = limits[side];
            if (isfinite(row.at))
                s->rows[s->row_count++] = row;
        }
        row.stop = false;
        row.friction = friction_of(s->model, joint);
        if (has_stiction(s) && row.friction > 0)
            s->rows[s->row_count++] = row;
    }
}

static void list_loops(td_simulation *s)
{
    for (size_t i = 0; i < td_loop_count(s->model) && has_stiction(s); i++)
        if (td_simulation_loop_moves(s, i) && td_loop_at(s->model, i)->friction > 0)
            s->rows[s->row_count++] = (td_row){.joint = -1,
                                               .loop = (int)i,
                                               .yd = -1,
                                               .friction = td_loop_at(s->model, i)->friction};
}

bool td_rows_list(td_simulation *s)
{
    const size_t loops = td_loop_count(s->model);
    s->rows = calloc(3 * td_joint_count(s->model) + loops + 1, sizeof *s->rows);
    if (!s->rows)
        return false;
    list_joints(s);
    list_loops(s);
    const size_t n = s->nyd, r = s->row_count;
    td_reactions *k = &s->reactions;
    if (r == 0)
        return true;
    double **const arrays[] = {&k->G,        &k->M,     &k->full,  &k->J,     &k->X,
                               &k->A,        &k->b,     &k->lower, &k->upper, &k->lambda,
                               &k->room,     &k->force, &k->total, &k->extra, &k->in_loops,
                               &k->of_loops, &k->share, &k->rest};
    const size_t lengths[] = {s->nv * n, n * n,       n * n, r * n, r * n, r * r, r,     r, r,
                              r,         r * (r + 2), s->nv, n,     n,     loops, s->nv, r, r};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= (*arrays[i] = calloc(lengths[i] + 1, sizeof(double))) != NULL;
    good &= (k->active = calloc(r, sizeof *k->active)) != NULL;
    good &= (k->held = calloc(n + 1, 1)) != NULL;
    good &= (k->state = calloc(r, sizeof *k->state)) != NULL;
    good &= (s->happened = calloc(r, 1)) != NULL;
    good &= (s->events = calloc(2 * r, sizeof *s->events)) != NULL;
    return good;
}

void td_rows_free(td_simulation *s)
{
    td_reactions *k = &s->reactions;
    double *const arrays[] = {k->G,     k->M,     k->full,     k->J,        k->X,     k->A,
                              k->b,     k->lower, k->upper,    k->lambda,   k->room,  k->force,
                              k->total, k->extra, k->in_loops, k->of_loops, k->share, k->rest};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(k->active);
    free(k->held);
    free(k->state);
    free(s->happened);
    free(s->events);
    free(s->rows);
}

/* ---- the state ------------------------------------------------------------------------------- */

td_status td_rows_look(td_simulation *s)
{
    td_status status = td_u_joints(s);
    for (size_t i = 0; i < s->row_count && status == TD_OK; i++) {
        td_row *row = &s->rows[i];
        if (row->loop < 0) {
            row->rate = s->qd[row->qd];
            row->gap = row->sign * (s->q[row->q] - row->at);
            continue;
        }
        double motion[3];
        status = td_u_loop_motion(s, (size_t)row->loop, false, motion);
        row->rate = motion[1];
    }
    return status;
}

/* ---- forces of those that push or slip ------------------------------------------------------- */

/* along sign, of a stop that is pressed: k · depth + d · its rate, and never a pull */
static double push(const td_simulation *s, const td_row *row)
{
    return fmax(0, -s->options.stop_stiffness * row->gap -
                       s->options.stop_damping * row->sign * row->rate);
}

td_status td_rows_add_loops(td_simulation *s, double *force)
{
    td_reactions *k = &s->reactions;
    td_status status = td_loop_force(s->model, s->w, s->q, s->qd, k->in_loops, NULL, k->of_loops);
    for (size_t i = 0; i < s->nv && status == TD_OK; i++)
        force[i] += k->of_loops[i];
    return status;
}

td_status td_rows_force(td_simulation *s)
{
    td_reactions *k = &s->reactions;
    memset(k->force, 0, s->nv * sizeof *k->force);
    memset(k->extra, 0, s->nyd * sizeof *k->extra);
    memset(k->in_loops, 0, td_loop_count(s->model) * sizeof *k->in_loops);
    bool any = false, any_in_loops = false;
    td_status status = td_rows_look(s);
    for (size_t i = 0; i < s->row_count && status == TD_OK; i++) {
        const td_row *row = &s->rows[i];
        const bool slips = !row->stop && row->mode == TD_ROW_OFF,
                   pressed = row->mode == TD_ROW_PRESSED;
        double *force = row->loop < 0 ? &k->force[row->qd] : &k->in_loops[row->loop];
        if (slips)
            *force -= row->sign * row->friction;
        if (pressed)
            *force += row->sign * push(s, row);
        any |= slips || pressed;
        any_in_loops |= slips && row->loop >= 0;
    }
    if (status == TD_OK && any_in_loops)
        status = td_rows_add_loops(s, k->force);
    return status == TD_OK && any ? td_u_project(s, k->force, k->extra) : status;
}

double td_rows_power(const td_simulation *s)
{
    double power = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        const double rate = row->sign * row->rate;
        if (!row->stop && row->mode == TD_ROW_OFF)
            power -= row->friction * rate;
        if (row->mode == TD_ROW_PRESSED) /* what the spring does not keep */
            power += (push(s, row) + s->options.stop_stiffness * row->gap) * rate;
    }
    return power;
}

double td_rows_energy(const td_simulation *s)
{
    double energy = 0;
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].mode == TD_ROW_PRESSED)
            energy += 0.5 * s->options.stop_stiffness * s->rows[i].gap * s->rows[i].gap;
    return energy;
}
