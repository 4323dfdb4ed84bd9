/* SPDX-License-Identifier: MIT */
/*
 * Manages stops and friction of joints, and friction of loop joints: the list of rows, their state,
 * and forces of rows that push or slip. Reactions of rows that hold are in reactions.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinates.h"
#include "bounded.h"
#include "simulation_inside.h"

/* ---- list of rows ---------------------------------------------------------------------------- */

/* Returns whether a joint follows another one linearly; the leader's rows represent it. */
static bool is_follower(td_joint_place place)
{
    return place.dependent &&
           (place.leader != TD_NONE || (place.terms == 0 && place.cluster == TD_NONE));
}

/* Returns the friction of a joint, plus |α| times the friction of joints that follow it. */
static double friction_of(const td_model *model, size_t joint)
{
    double sum = td_joint_at(model, joint)->friction;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        if (place.nv == 1 && place.leader == joint)
            sum += fabs(place.multiplier) * td_joint_at(model, i)->friction;
    }
    return sum;
}

static void own_limits(const td_model *model, size_t joint, double limits[2])
{
    const td_joint *record = td_joint_at(model, joint);
    const bool bounded = td_joint_kind_of(record->type)->bounded;
    limits[0] = bounded && !isnan(record->limit.lower) ? record->limit.lower : -INFINITY;
    limits[1] = bounded && !isnan(record->limit.upper) ? record->limit.upper : INFINITY;
}

/* Computes the limits of a joint and its followers. The model has no effective limits for joints
   that loops determine. */
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
        if (place.nv != 1 || place.leader != joint || place.multiplier == 0)
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
           td_loop_place_at(s->model, loop).form != TD_LOOP_FORM_OPEN;
}

static bool has_stiction(const td_simulation *s)
{
    return s->options.stiction && s->forces.passive;
}

static void add_row(td_simulation *s, td_row row)
{
    if (s->rows)
        s->rows[s->row_count] = row;
    s->row_count++;
}

/* Lists coordinate k of a joint. yd: index in ẏ, TD_NONE if it depends on others. */
static void list_coordinate(td_simulation *s, size_t joint, size_t k, size_t yd)
{
    const td_joint_place place = td_joint_place_at(s->model, joint);
    td_row row = {.stop = true,
                  .joint = joint,
                  .loop = TD_NONE,
                  .q = place.q + k,
                  .qd = place.qd + k,
                  .yd = yd};
    double limits[2];
    limits_of(s->model, joint, limits);
    for (int side = 0; side < 2 && s->options.stops != TD_STOPS_NONE; side++) {
        row.sign = side ? -1 : 1;
        row.at = limits[side];
        if (isfinite(row.at))
            add_row(s, row);
    }
    row.stop = false;
    row.friction = friction_of(s->model, joint);
    if (has_stiction(s) && row.friction > 0)
        add_row(s, row);
}

static void list_joints(td_simulation *s)
{
    for (size_t i = 0; i < td_movable_count(s->model); i++) {
        const size_t joint = td_movable_joint(s->model, i);
        const td_joint_place place = td_joint_place_at(s->model, joint);
        const td_joint_kind *kind = td_joint_kind_of(td_joint_at(s->model, joint)->type);
        if (!kind->sprung || is_follower(place))
            continue;
        for (size_t k = 0, yd = place.yd; k < place.nv; k++) {
            const bool depends = place.dependent || (place.dependents >> k & 1);
            if (depends || !s->options.given || !s->options.given[yd])
                list_coordinate(s, joint, k, depends ? TD_NONE : yd);
            yd += !depends;
        }
    }
}

static void list_loops(td_simulation *s)
{
    for (size_t i = 0; i < td_loop_count(s->model) && has_stiction(s); i++)
        if (td_simulation_loop_moves(s, i) && td_loop_at(s->model, i)->friction > 0)
            add_row(s, (td_row){.joint = TD_NONE,
                                .loop = i,
                                .yd = TD_NONE,
                                .friction = td_loop_at(s->model, i)->friction});
}

void td_rows_list(td_simulation *s)
{
    s->row_count = 0;
    list_joints(s);
    list_loops(s);
}

void td_rows_take(td_simulation *s, td_stack *stack)
{
    const size_t nv = s->nv, n = s->nyd, r = s->row_count;
    td_reactions *k = &s->reactions;
    if (r == 0)
        return;
    s->rows = td_take(stack, td_row, r);
    s->happened = td_take(stack, unsigned char, r);
    s->events = td_take(stack, td_simulation_event, 2 * r);
    k->G = td_take(stack, double, nv *n);
    k->M = td_take(stack, double, n *n);
    k->full = td_take(stack, double, n *n);
    k->J = td_take(stack, double, r *n);
    k->X = td_take(stack, double, r *n);
    k->A = td_take(stack, double, r *r);
    double **const of_rows[] = {&k->b, &k->lower, &k->upper, &k->lambda, &k->share, &k->rest};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        *of_rows[i] = td_take(stack, double, r);
    k->force = td_take(stack, double, nv);
    k->extra = td_take(stack, double, n);
    k->size = td_take(stack, double, n);
    k->in_loops = td_take(stack, double, td_loop_count(s->model));
    k->of_loops = td_take(stack, double, nv);
    k->active = td_take(stack, size_t, r);
    k->held = td_take(stack, unsigned char, n);
    td_bounded_measure(r, stack);
}

/* ---- the state ------------------------------------------------------------------------------- */

/* Returns the gap of a stop at the joints' present positions. */
static double gap_of(const td_simulation *s, const td_row *row)
{
    return row->sign * (s->q[row->q] - row->at);
}

td_status td_rows_look(td_simulation *s)
{
    td_status status = td_simulation_joints(s);
    for (size_t i = 0; i < s->row_count && status == TD_OK; i++) {
        td_row *row = &s->rows[i];
        if (row->loop == TD_NONE) {
            row->rate = s->qd[row->qd];
            row->gap = gap_of(s, row);
            continue;
        }
        double motion[3];
        status =
            TD_IN_TREE(s->w, td_loop_motion(s->model, s->w, row->loop, s->q, s->qd, NULL, motion));
        row->rate = motion[1];
    }
    return status;
}

/* ---- forces of rows that push or slip -------------------------------------------------------- */

/* Returns the force of a touched stop with a spring, along its sign: k · depth + d · its rate,
   and never negative. */
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
        double *force = row->loop == TD_NONE ? &k->force[row->qd] : &k->in_loops[row->loop];
        if (slips)
            *force -= row->sign * row->friction;
        if (pressed)
            *force += row->sign * push(s, row);
        any |= slips || pressed;
        any_in_loops |= slips && row->loop != TD_NONE;
    }
    if (status == TD_OK && any_in_loops)
        status = td_rows_add_loops(s, k->force);
    return status == TD_OK && any ? td_project_force(s->model, s->w, s->u, k->force, k->extra)
                                  : status;
}

double td_rows_power(const td_simulation *s)
{
    double power = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const td_row *row = &s->rows[i];
        const double rate = row->sign * row->rate;
        if (!row->stop && row->mode == TD_ROW_OFF)
            power -= row->friction * rate;
        if (row->mode == TD_ROW_PRESSED) /* without the power that the spring stores */
            power += (push(s, row) + s->options.stop_stiffness * row->gap) * rate;
    }
    return power;
}

double td_rows_energy(const td_simulation *s)
{
    double energy = 0;
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].mode == TD_ROW_PRESSED) {
            /* the rows may have been evaluated at another state */
            const double gap = gap_of(s, &s->rows[i]);
            energy += 0.5 * s->options.stop_stiffness * gap * gap;
        }
    return energy;
}
