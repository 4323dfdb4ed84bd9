/* SPDX-License-Identifier: MIT */
/*
 * Forces and prescribed motions in tandem simulate. The forces are the sum of constant forces, a
 * table, and a PD controller or computed torque.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "simulate.h"
#include "text.h"

static const double default_kp = 100, default_kd = 20; /* of computed torque */

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_forces(acting *a)
{
    const state_form form = {.read = {QUANTITY_TAU},
                             .count = 1,
                             .wrenches = true,
                             .framed = loads_frame(a->s->loads) != TD_FRAME_ALIGNED,
                             .words = &a->options->common.columns};
    if (a->options->tau == NULL) {
        return true;
    }
    if (!motion_table_read(&a->tau, a->c, &form, true, a->options->tau)) {
        return false;
    }
    bool any = a->tau.wrench != NULL;
    for (size_t i = 0; i < a->c->size[QUANTITY_TAU]; i++) {
        any = any || a->tau.has[QUANTITY_TAU][i];
    }
    if (!any) {
        complain("%s: a column tau:JOINT is missing", a->tau.name);
    }
    return any;
}

static bool read_motion(acting *a, motion_curve *curve, const char *path)
{
    const state_form form = {.read = {QUANTITY_Q, QUANTITY_QD, QUANTITY_QDD},
                             .count = 3,
                             .words = &a->options->common.columns};
    motion_table table;
    if (path == NULL) {
        return true;
    }
    if (!motion_table_read(&table, a->c, &form, true, path)) {
        return false;
    }
    motion_table_tell_turns(&table);
    bool good = motion_curve_new(curve, &table, 3);
    motion_table_free(&table);
    return good;
}

static const char *velocity_name(const acting *a, size_t i)
{
    return a->c->name[QUANTITY_QD][i];
}

/* Returns whether motors can apply any force along a coordinate. They can if motors drive all
   coordinates or if its joint is a motor. Joints with a quaternion have no motors. */
static bool is_driven(const acting *a, size_t velocity)
{
    const td_model *model = a->s->model;
    size_t joint = coordinates_joint(a->c, velocity);
    if (has_quaternion(model, joint)) {
        return false;
    }
    if (td_actuation_status(model) == TD_OK) {
        return true;
    }
    for (size_t i = 0; i < td_nu(model); i++) {
        if (td_actuator_at(model, i).joint == joint) {
            return true;
        }
    }
    return false;
}

/* Maps velocities to the positions that they are derivatives of; SIZE_MAX for quaternions. */
static void map_positions(acting *a)
{
    const coordinates *c = a->c;
    for (size_t i = 0; i < c->joints; i++) {
        size_t joint = (size_t)c->joint[i];
        const bool whole = has_quaternion(c->model, joint);
        size_t q = coordinates_position(c, joint);
        size_t qd = coordinates_velocity(c, joint);
        for (size_t k = 0; k < coordinates_count(c, QUANTITY_QD, joint); k++) {
            a->position[qd + k] = whole ? SIZE_MAX : q + k;
        }
    }
}

/* Checks that a motion has all coordinates of a joint or none, such as of a planar joint. */
static bool has_whole_joints(const acting *a, const motion_curve *m)
{
    for (size_t i = 0; i < a->c->joints && m->n > 0; i++) {
        size_t joint = (size_t)a->c->joint[i];
        size_t first = coordinates_velocity(a->c, joint);
        for (size_t k = 1; k < coordinates_count(a->c, QUANTITY_QD, joint); k++) {
            if (motion_curve_has(m, first + k) != motion_curve_has(m, first)) {
                complain("%s: joint '%s' needs columns for all its coordinates", m->name,
                         td_joint_at(a->c->model, joint)->name);
                return false;
            }
        }
    }
    return true;
}

static bool choose_prescribed(acting *a)
{
    for (size_t i = 0; i < a->c->size[QUANTITY_QD]; i++) {
        a->given[i] = motion_curve_has(&a->drive, i);
    }
    return has_whole_joints(a, &a->drive) && has_whole_joints(a, &a->track);
}

/* Reports joints with a quaternion in the tracked motion, on which no motor acts. */
static void tell_untracked(const acting *a)
{
    for (size_t i = 0; i < a->c->joints; i++) {
        const size_t joint = (size_t)a->c->joint[i];
        if (has_quaternion(a->c->model, joint) &&
            motion_curve_has(&a->track, coordinates_velocity(a->c, joint))) {
            tell_note("%s: no motor moves '%s'; it starts as in the table, then moves freely",
                      a->track.name, td_joint_at(a->c->model, joint)->name);
        }
    }
}

/* Selects the joints that the controller acts on: all with motors in the tracked motion if there is
   one, else all with motors and no prescribed motion. */
static bool choose_held(acting *a)
{
    bool any = false;
    tell_untracked(a);
    for (size_t i = 0; i < a->c->size[QUANTITY_QD]; i++) {
        bool tracked = motion_curve_has(&a->track, i);
        bool driven = is_driven(a, i);
        if (tracked && a->given[i]) {
            complain("%s: the motion of '%s' is already prescribed by %s", a->track.name,
                     velocity_name(a, i), a->drive.name);
            return false;
        }
        if (tracked && !driven && a->position[i] != SIZE_MAX) {
            complain("%s: no motor moves '%s'", a->track.name, velocity_name(a, i));
            return false;
        }
        a->held[i] = a->track.n > 0 ? tracked && driven : a->options->pd && driven && !a->given[i];
        any = any || a->held[i];
    }
    if (a->track.n > 0 && !any) {
        complain("%s: no motor moves a joint of this motion", a->track.name);
    } else if (a->options->pd && !any) {
        complain("--pd: the robot has no joint with a motor");
    }
    return any || (a->track.n == 0 && !a->options->pd);
}

/* ---- initial state -------------------------------------------------------------------------- */

/* Returns the positions whose rates velocity i determines: one, or all of a joint with a
 * quaternion.
 */
static size_t positions_of(const acting *a, size_t i, size_t *first)
{
    const size_t joint = coordinates_joint(a->c, i);
    *first = a->position[i] != SIZE_MAX ? a->position[i] : coordinates_position(a->c, joint);
    return a->position[i] != SIZE_MAX ? 1 : coordinates_count(a->c, QUANTITY_Q, joint);
}

/* Sets initial values of prescribed coordinates from their motion. Tracked ones also begin there
   unless the user gave other values. */
static bool begin_on_motions(acting *a, robot_state *x)
{
    size_t size = a->c->size[QUANTITY_QD];
    bool good = true;
    motion_curve_at(&a->drive, 0, a->y, a->yd, NULL);
    motion_curve_at(&a->track, 0, a->y, a->yd, NULL);
    for (size_t i = 0; i < size; i++) {
        bool tracked = motion_curve_has(&a->track, i) && a->options->common.state == NULL;
        if (!a->given[i] && !tracked) {
            continue;
        }
        size_t q;
        const size_t count = positions_of(a, i, &q);
        bool position = false;
        for (size_t k = q; k < q + count; k++) {
            position = position || x->given[QUANTITY_Q][k];
        }
        bool velocity = x->given[QUANTITY_QD][i];
        if (a->given[i] && (position || velocity)) {
            complain("%s %s: its motion is prescribed by %s", position ? "-q" : "--qd",
                     position ? a->c->name[QUANTITY_Q][q] : velocity_name(a, i), a->drive.name);
            good = false;
        }
        if (!position) {
            memcpy(x->value[QUANTITY_Q] + q, a->y + q, count * sizeof *a->y);
        }
        if (!velocity) {
            x->value[QUANTITY_QD][i] = a->yd[i];
        }
    }
    /* PD control without a motion holds the initial positions; yd is zero */
    memcpy(a->y, x->value[QUANTITY_Q], a->c->size[QUANTITY_Q] * sizeof *a->y);
    return good;
}

static int compare_times(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

static void add_breaks(acting *a, size_t count, const double *time, const td_trajectory *curve)
{
    a->breaks = reallocate(a->breaks, a->break_count + count, sizeof *a->breaks);
    for (size_t i = 0; i < count; i++) {
        a->breaks[a->break_count++] = time != NULL ? time[i] : td_trajectory_piece(curve, i);
    }
}

static void list_breaks(acting *a)
{
    const motion_curve *curves[] = {&a->drive, &a->track};
    add_breaks(a, a->tau.rows, a->tau.time, NULL);
    for (size_t i = 0; i < 2; i++) {
        if (curves[i]->n > 0) {
            add_breaks(a, td_trajectory_pieces(curves[i]->curve) + 1, NULL, curves[i]->curve);
        }
    }
    qsort(a->breaks, a->break_count, sizeof *a->breaks, compare_times);
}

/* Passes the current wrenches to the controllers if wrenches change with time. */
static void begin_wrenches(acting *a)
{
    if (a->tau.wrench != NULL) {
        a->wrench = allocate(6 * td_link_count(a->s->model), sizeof *a->wrench);
        a->forces.wrenches = a->wrench;
    }
}

int acting_new(acting *a, const session *s, const coordinates *c, const simulate_options *options,
               robot_state *x)
{
    size_t velocities = c->size[QUANTITY_QD];
    *a = (acting){.s = s, .c = c, .options = options, .force = x->value[QUANTITY_TAU]};
    a->forces = td_forces_default();
    a->forces.passive = options->common.passive;
    options_add_wrenches(&options->common, &a->forces);
    a->given = allocate(velocities, 1);
    a->held = allocate(velocities, 1);
    a->known = allocate(velocities, 1);
    a->position = allocate(velocities, sizeof *a->position);
    a->y = allocate(c->size[QUANTITY_Q], sizeof *a->y);
    a->yd = allocate(velocities, sizeof *a->yd);
    a->ydd = allocate(velocities, sizeof *a->ydd);
    a->total = allocate(velocities, sizeof *a->total);
    map_positions(a);
    const bool read = read_forces(a) && read_motion(a, &a->drive, options->drive) &&
                      read_motion(a, &a->track, options->track);
    if (read && choose_prescribed(a) && choose_held(a) && begin_on_motions(a, x)) {
        list_breaks(a);
        begin_wrenches(a);
        return EXIT_GOOD;
    }
    acting_free(a);
    return read ? EXIT_USAGE : EXIT_FILE;
}

void acting_free(acting *a)
{
    motion_table_free(&a->tau);
    motion_curve_free(&a->drive);
    motion_curve_free(&a->track);
    free(a->given);
    free(a->held);
    free(a->known);
    free(a->position);
    free(a->y);
    free(a->yd);
    free(a->ydd);
    free(a->total);
    free(a->wrench);
    free(a->breaks);
}

double acting_duration(const acting *a)
{
    return a->break_count > 0 ? a->breaks[a->break_count - 1] : 0;
}

/* A prescribed motion is at rest before its first row and after its last row. Checks that its
   velocity does not jump there. */
bool acting_covers(const acting *a, double end)
{
    const motion_curve *m = &a->drive;
    double ends[] = {td_trajectory_begin(m->curve), td_trajectory_end(m->curve)};
    for (size_t k = 0; k < 2 && m->n > 0; k++) {
        bool needed = k == 0 ? ends[k] > 0 : ends[k] < end;
        motion_curve_at(m, ends[k], NULL, a->total, NULL);
        for (size_t j = 0; j < m->velocities && needed; j++) {
            double velocity = a->total[m->qd[j]];
            if (fabs(velocity) > 1e-9) {
                complain("%s: '%s' has velocity %s at %s s, %s, so it cannot rest %s", m->name,
                         velocity_name(a, m->qd[j]), number_brief(velocity).text,
                         number_clear(ends[k]).text, k == 0 ? "the first row" : "the last row",
                         k == 0 ? "before" : "from there on");
                return false;
            }
        }
    }
    return true;
}

/* ---- during the simulation ------------------------------------------------------------------- */

double acting_next(const acting *a, double t, double end)
{
    size_t low = 0;
    size_t high = a->break_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->breaks[middle] <= t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < a->break_count ? fmin(a->breaks[low], end) : end;
}

/* Returns whether the motion begins or ends at t, where its accelerations may jump. */
static bool enter_motion(const motion_curve *m, phase *now, double t)
{
    phase before = *now;
    if (m->n > 0) {
        *now = t < td_trajectory_begin(m->curve) ? PHASE_BEFORE
               : t < td_trajectory_end(m->curve) ? PHASE_WITHIN
                                                 : PHASE_AFTER;
    }
    return *now != before;
}

bool acting_enter(acting *a, double t, double end)
{
    size_t before = a->interval;
    while (a->interval < a->tau.rows && a->tau.time[a->interval] <= t) {
        a->interval++;
    }
    bool jumps = a->interval != before && !a->options->linear;
    if (t < end) {
        jumps = enter_motion(&a->drive, &a->driven, t) || jumps;
        jumps = enter_motion(&a->track, &a->tracked, t) || jumps;
    }
    return jumps;
}

/* Evaluates motion_curve_at. At the ends of the motion, the phase decides on which side t is. */
static void motion_at(const motion_curve *m, phase now, double t, double *y, double *yd,
                      double *ydd)
{
    double begin = td_trajectory_begin(m->curve), end = td_trajectory_end(m->curve);
    double at = now == PHASE_BEFORE   ? fmin(t, nextafter(begin, -INFINITY))
                : now == PHASE_WITHIN ? fmin(fmax(t, begin), end)
                                      : fmax(t, nextafter(end, INFINITY));
    motion_curve_at(m, at, y, yd, ydd);
}

/* Adds the values of a table (rows × size) at time t: the latest row's, or interpolated to the next
   row. Before the first and after the last row, that row applies. */
static void add_table(const acting *a, double t, const double *values, size_t size, double *to)
{
    size_t row = a->interval > 0 ? a->interval - 1 : 0;
    const double *left = values + row * size;
    bool between = a->options->linear && row + 1 < a->tau.rows;
    double begin = a->tau.time[row];
    double s = between ? fmax(0, fmin(1, (t - begin) / (a->tau.time[row + 1] - begin))) : 0;
    const double *right = between ? left + size : left;
    for (size_t i = 0; i < size; i++) {
        to[i] += (1 - s) * left[i] + s * right[i];
    }
}

/* τ = KP (y_d − y) + KD (ẏ_d − ẏ) */
static double feedback(const acting *a, const td_action *x, size_t i, double kp, double kd)
{
    size_t q = a->position[i];
    return kp * (a->y[q] - x->y[q]) + kd * (a->yd[i] - x->yd[i]);
}

/* Adds computed torque: the forces that accelerate tracked joints with ÿ_d + KP (y_d − y) + KD (ẏ_d
   − ẏ). The other joints are free or prescribed. */
static td_status add_computed(acting *a, const td_action *x)
{
    double kp = a->options->pd ? a->options->kp : default_kp;
    double kd = a->options->pd ? a->options->kd : default_kd;
    size_t size = a->c->size[QUANTITY_QD];
    motion_at(&a->track, a->tracked, x->t, a->y, a->yd, a->ydd);
    motion_at(&a->drive, a->driven, x->t, NULL, NULL, a->ydd);
    memcpy(a->total, x->tau_y, size * sizeof *a->total);
    for (size_t i = 0; i < size; i++) {
        a->known[i] = a->held[i] || a->given[i];
        if (a->held[i]) {
            a->ydd[i] += feedback(a, x, i, kp, kd);
        }
    }
    td_status status = td_hybrid_dynamics(a->s->model, x->workspace, x->y, x->yd, a->known,
                                          &a->forces, a->ydd, a->total);
    for (size_t i = 0; i < size; i++) {
        x->tau_y[i] += a->held[i] ? a->total[i] : 0;
    }
    return status;
}

/* Sets the wrenches from the options and the table. */
static void change_wrenches(acting *a, const td_action *x)
{
    const robot_loads *loads = a->s->loads;
    const size_t size = 6 * td_link_count(a->s->model);
    for (size_t i = 0; i < size && a->wrench != NULL; i++) {
        a->wrench[i] = loads->total != NULL ? loads->total[i] : 0;
    }
    if (a->wrench != NULL) {
        add_table(a, x->t, a->tau.wrench, size, a->wrench);
        memcpy(x->wrenches, a->wrench, size * sizeof *x->wrenches);
    }
}

td_status acting_forces(void *context, const td_action *action)
{
    acting *a = context;
    change_wrenches(a, action);
    for (size_t i = 0; i < a->c->size[QUANTITY_TAU]; i++) {
        action->tau_y[i] += a->force[i];
    }
    if (a->tau.rows > 0) {
        add_table(a, action->t, a->tau.value[QUANTITY_TAU], a->c->size[QUANTITY_TAU],
                  action->tau_y);
    }
    if (a->track.n > 0) {
        return add_computed(a, action);
    }
    for (size_t i = 0; i < a->c->size[QUANTITY_TAU] && a->options->pd; i++) {
        if (a->held[i]) {
            action->tau_y[i] += feedback(a, action, i, a->options->kp, a->options->kd);
        }
    }
    return TD_OK;
}

td_status acting_motion(void *context, double t, double *y, double *yd, double *ydd)
{
    const acting *a = context;
    motion_at(&a->drive, a->driven, t, y, yd, ydd);
    return TD_OK;
}
