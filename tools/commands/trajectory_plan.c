/* SPDX-License-Identifier: MIT */
/*
 * Makes the plan of tandem trajectory: a curve through points or moves between them, with times
 * that respect the robot's limits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/quaternions.h"
#include "input/table_input.h"
#include "text.h"
#include "trajectory.h"

static const char *coordinate_name_of(const plan *p, size_t j)
{
    return p->c->name[QUANTITY_Q][j];
}

static bool is_move(curve_kind curve)
{
    return curve >= CURVE_MINIMUM_JERK;
}

/* Returns whether a curve's times follow from limits of velocity and acceleration. */
static bool is_limited(curve_kind curve)
{
    return curve >= CURVE_TRAPEZOID;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Returns all coordinates of each point, from the table or, if it has none, from rest. */
static double *complete_points(const motion_table *points, const double *rest)
{
    size_t n = points->c->size[QUANTITY_Q];
    double *all = allocate(points->rows * n, sizeof *all);
    scoped double *others = allocate(n, sizeof *others);
    memcpy(others, rest, n * sizeof *others);
    complete_quaternions(points->c, points->has[QUANTITY_Q], others);
    for (size_t i = 0; i < points->rows * n; i++) {
        bool given = points->has[QUANTITY_Q][i % n];
        all[i] = given ? points->value[QUANTITY_Q][i] : others[i % n];
    }
    return all;
}

/* Returns the velocity limit of a joint, with limits of its followers, or the option's; infinite
   without one. */
static double velocity_limit(const plan *p, size_t joint)
{
    const double limit = td_effective_limit_at(p->s->model, joint).velocity;
    return isfinite(limit) ? limit : p->limits[joint].velocity;
}

/* Returns how far position j moves between two points, as its joint's limits measure it: for a
   position of a joint with a quaternion, its distance or the angle of its turn. */
static double way_of(const plan *p, size_t j, const double *from, const double *to)
{
    const size_t joint = coordinates_owner(p->c, QUANTITY_Q, j);
    if (!has_quaternion(p->s->model, joint)) {
        return fabs(to[j] - from[j]);
    }
    const size_t first = coordinates_position(p->c, joint);
    const double *a = from + first, *b = to + first;
    const size_t quaternion = quaternion_of(p->s->model, joint);
    if (j < first + quaternion) {
        return hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
    }
    double near = 0, far = 0; /* |b − a| and |b + a|, 2 sin and 2 cos of a quarter of the turn */
    for (size_t k = quaternion; k < quaternion + 4; k++) {
        near = hypot(near, b[k] - a[k]);
        far = hypot(far, b[k] + a[k]);
    }
    return 4 * atan2(fmin(near, far), fmax(near, far));
}

/* Chooses times for points without times: each step takes the shortest time at the velocity limits.
   A coordinate without a limit counts with a limit of 1. */
static double *choose_times(const plan *p, size_t rows, const double *points)
{
    size_t n = p->c->size[QUANTITY_Q];
    double *t = allocate(rows, sizeof *t);
    for (size_t i = 1; i < rows; i++) {
        double longest = 0;
        for (size_t j = 0; j < n; j++) {
            double limit = velocity_limit(p, coordinates_owner(p->c, QUANTITY_Q, j));
            double way = way_of(p, j, points + (i - 1) * n, points + i * n);
            longest = fmax(longest, way / (isfinite(limit) && limit > 0 ? limit : 1));
        }
        t[i] = t[i - 1] + longest;
    }
    return t;
}

/* Checks that consecutive points differ, since equal points have no time between them. Prints a
   message and returns false if two are equal. */
static bool points_differ(const plan *p, const motion_table *points, const double *t)
{
    for (size_t i = 1; i < points->rows && !is_limited(p->options->curve); i++) {
        if (t[i] <= t[i - 1]) {
            complain("%s:%zu: the point equals the point of line %zu; to wait there, give times in "
                     "a column 't'",
                     points->name, points->line[i], points->line[i - 1]);
            return false;
        }
    }
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static td_status make_curve(const plan *p, const motion_table *points, const double *t,
                            const double *values, td_trajectory **curve)
{
    curve_kind kind = p->options->curve;
    return td_trajectory_spline(
        points->rows, p->c->size[QUANTITY_Q], t, values, kind == CURVE_QUINTIC ? 5 : 3,
        kind == CURVE_B_SPLINE ? TD_SPLINE_B : TD_SPLINE_CLAMPED, NULL, NULL, curve);
}

/* Writes a coordinate's limit to *out, or 1 if it does not move. Prints a message and returns false
   if it moves and has no limit. */
static bool take_limit(const plan *p, size_t j, bool moves, double limit, const char *what,
                       double *out)
{
    bool good = !moves || (limit > 0 && isfinite(limit));
    *out = moves && good ? limit : 1;
    if (!good) {
        complain("%s: joint '%s' has no limit of %s, which --curve trapezoid and jerk-limited need "
                 "(--%s)",
                 p->s->file, coordinate_name_of(p, j), what, what);
    }
    return good;
}

/* Computes the fastest move within limits. Prints a message and returns TD_ERROR_LIMIT if one is
   missing. */
static td_status make_limited(const plan *p, const double *from, const double *to,
                              td_trajectory **curve)
{
    size_t n = p->c->size[QUANTITY_Q];
    double *limit = allocate(3 * n, sizeof *limit);
    bool jerk = p->options->curve == CURVE_JERK_LIMITED;
    bool good = true;
    for (size_t j = 0; j < n && good; j++) {
        const size_t joint = coordinates_owner(p->c, QUANTITY_Q, j);
        const td_limit *own = &p->limits[joint];
        bool moves = from[j] != to[j];
        double braking = own->deceleration > 0 ? own->deceleration : INFINITY;
        good = take_limit(p, j, moves, velocity_limit(p, joint), "velocity", &limit[j]) &&
               take_limit(p, j, moves, fmin(own->acceleration, braking), "acceleration",
                          &limit[n + j]) &&
               (!jerk || take_limit(p, j, moves, own->jerk, "jerk", &limit[2 * n + j]));
        const double way = way_of(p, j, from, to);
        const double part = moves && way > 0 ? fabs(to[j] - from[j]) / way : 1;
        for (size_t d = 0; d < 3; d++) {
            limit[d * n + j] *= part; /* of a quaternion's number, of its joint's limit */
        }
    }
    td_status status = good ? td_trajectory_limited(n, from, to, limit, limit + n,
                                                    jerk ? limit + 2 * n : NULL, curve)
                            : TD_ERROR_LIMIT;
    free(limit);
    return status;
}

/* Lets joints with a quaternion turn about a fixed axis in a move. */
static td_status turn_quaternions(const plan *p, td_trajectory *curve)
{
    td_status status = TD_OK;
    for (size_t i = 0; i < p->c->joints && status == TD_OK; i++) {
        const size_t joint = (size_t)p->c->joint[i];
        if (has_quaternion(p->s->model, joint)) {
            status = td_trajectory_turn(curve, coordinates_position(p->c, joint) +
                                                   quaternion_of(p->s->model, joint));
        }
    }
    return status;
}

static td_status make_move(const plan *p, const double *from, const double *to, double duration,
                           td_trajectory **curve)
{
    static const td_profile profile[CURVE_COUNT] = {[CURVE_MINIMUM_JERK] = TD_PROFILE_MINIMUM_JERK,
                                                    [CURVE_SEPTIC] = TD_PROFILE_SEPTIC,
                                                    [CURVE_CYCLOID] = TD_PROFILE_CYCLOID};
    td_status status = is_limited(p->options->curve)
                           ? make_limited(p, from, to, curve)
                           : td_trajectory_move(p->c->size[QUANTITY_Q], from, to,
                                                profile[p->options->curve], duration, curve);
    status = status != TD_OK ? status : turn_quaternions(p, *curve);
    if (status != TD_OK) {
        td_trajectory_free(*curve);
    }
    return status;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Stretches a part in time to respect the limits. chosen: the program chose its times, so the part
   may also become faster. */
static int keep_limits(plan *p, plan_part *part, bool chosen)
{
    td_time_scale_options options = td_time_scale_options_default();
    options.limits = p->limits;
    options.forces = p->forces;
    options.passive = p->options->common.passive;
    options.wrenches = p->s->loads->total;
    options.wrench_frame = loads_frame(p->s->loads);
    options.faster = true;
    part->scale.size_of = sizeof part->scale;
    td_status status =
        td_trajectory_time_scale(p->s->model, p->s->workspace, part->curve, &options, &part->scale);
    double own = td_trajectory_begin(part->curve);
    double factor = part->scale.factor;
    if (status == TD_ERROR_LIMIT) {
        return complain_limit(p, part, NAN);
    }
    if (status != TD_OK) {
        return session_complain(p->s, table_input_name(p->options->points), status);
    }
    bool limited = is_limited(p->options->curve);
    if (chosen && !limited && part->scale.kind == TD_LIMIT_NONE) {
        complain("%s: no limit determines the duration; give times in a column 't'",
                 table_input_name(p->options->points));
        return EXIT_FILE;
    }
    if (!chosen && factor > 1 + 1e-9 && !p->options->slower) {
        return complain_limit(p, part, factor);
    }
    bool scales = factor > 1 + 1e-9 || (chosen && !limited);
    part->bound = scales || (limited && part->scale.kind != TD_LIMIT_NONE && factor > 1 - 1e-9);
    if (scales) {
        td_trajectory_scale(part->curve, factor);
    }
    part->scale.t = part->begin + (part->scale.t - own) * (scales ? factor : 1);
    return EXIT_GOOD;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Appends a part to the plan. */
static int add_part(plan *p, const motion_table *points, const double *t, const double *values)
{
    size_t n = p->c->size[QUANTITY_Q];
    size_t i = p->parts;
    plan_part *part = &p->part[i];
    bool move = is_move(p->options->curve);
    *part =
        (plan_part){.begin = p->end, .from = move ? i : 0, .to = move ? i + 1 : points->rows - 1};
    td_status status =
        move ? make_move(p, values + i * n, values + (i + 1) * n, t[i + 1] - t[i], &part->curve)
             : make_curve(p, points, t, values, &part->curve);
    if (status == TD_ERROR_LIMIT) { /* --curve requires limits that are missing */
        return EXIT_USAGE;
    }
    if (status != TD_OK) {
        complain("%s: %s", table_input_name(p->options->points),
                 status == TD_ERROR_ARGUMENT ? "a b-spline needs four points"
                                             : td_status_text(status));
        return EXIT_FILE;
    }
    p->parts++;
    int code = keep_limits(p, part, !points->has_time);
    p->end += td_trajectory_end(part->curve) - td_trajectory_begin(part->curve);
    return code;
}

/* Returns whether a joint rotates or translates; UNIT_TIME if it does both or neither. */
static unit_domain joint_domain(const td_model *model, size_t joint)
{
    const size_t count = td_joint_place_at(model, joint).nv;
    unit_domain domain = count > 0 ? coordinate_domain(model, joint, QUANTITY_QD, 0) : UNIT_TIME;
    for (size_t k = 1; k < count; k++) {
        domain = coordinate_domain(model, joint, QUANTITY_QD, k) == domain ? domain : UNIT_TIME;
    }
    return domain;
}

/* Rejects an option with a unit for rotations or translations if no joint moves that way. */
static void check_amount(const plan *p, const char *option, const joint_amount *amount)
{
    bool does[UNIT_DOMAINS] = {true};
    for (size_t i = 0; i < td_joint_count(p->s->model); i++) {
        does[joint_domain(p->s->model, i)] = true;
    }
    for (unit_domain domain = UNIT_TURN; domain < UNIT_DOMAINS; domain++) {
        const double x = amount->of[domain];
        if (!isnan(x) && x != amount->of[UNIT_TIME] && !does[domain]) {
            refuse_usage("--%s has a unit of joints that %s, but %s has none", option,
                         domain == UNIT_TURN ? "turn" : "slide", p->s->file);
        }
    }
}

/* Reads the limits of the model, and of the options for joints without limits. */
static void read_limits(plan *p)
{
    size_t joints = td_joint_count(p->s->model);
    const trajectory_options *o = p->options;
    check_amount(p, "velocity", &o->velocity);
    check_amount(p, "acceleration", &o->acceleration);
    check_amount(p, "jerk", &o->jerk);
    p->limits = allocate(joints, sizeof *p->limits);
    for (size_t i = 0; i < joints; i++) {
        td_limit *limit = &p->limits[i];
        const unit_domain domain = joint_domain(p->s->model, i);
        *limit = td_joint_at(p->s->model, i)->limit;
        if (td_joint_at(p->s->model, i)->motor != NULL) {
            continue; /* shafts of motors have no joints whose defaults these could be */
        }
        if (!isfinite(limit->velocity) && !isnan(o->velocity.of[domain])) {
            limit->velocity = o->velocity.of[domain];
        }
        limit->acceleration =
            limit->acceleration > 0 ? limit->acceleration : o->acceleration.of[domain];
        limit->jerk = limit->jerk > 0 ? limit->jerk : o->jerk.of[domain];
    }
}

static bool check_points(const plan *p, const motion_table *points)
{
    bool any = false;
    for (size_t j = 0; j < p->c->size[QUANTITY_Q]; j++) {
        any = any || points->has[QUANTITY_Q][j];
    }
    if (!any || points->rows < 2) {
        complain("%s: %s", points->name,
                 any ? "a motion needs two points" : "a column q:JOINT is missing");
        return false;
    }
    if (points->has_time && is_limited(p->options->curve)) {
        complain("%s: remove the column 't': limits determine the times of this motion",
                 points->name);
        return false;
    }
    return true;
}

int plan_new(plan *p, const session *s, const coordinates *c, const trajectory_options *options,
             const motion_table *points, const double *rest)
{
    *p = (plan){.s = s, .c = c, .options = options};
    p->forces = td_actuation_status(s->model) == TD_OK;
    if (!check_points(p, points)) {
        return EXIT_FILE;
    }
    if (!p->forces) {
        tell_note("efforts of motors are not checked: %s",
                  td_status_text(td_actuation_status(s->model)));
    }
    read_limits(p);
    scoped double *values = complete_points(points, rest);
    scoped double *chosen = points->has_time ? NULL : choose_times(p, points->rows, values);
    const double *t = chosen != NULL ? chosen : points->time;
    p->begin = p->end = t[0];
    size_t parts = is_move(options->curve) ? points->rows - 1 : 1;
    p->part = allocate(parts, sizeof *p->part);
    int code = points_differ(p, points, t) ? EXIT_GOOD : EXIT_FILE;
    for (size_t i = 0; i < parts && code == EXIT_GOOD; i++) {
        code = add_part(p, points, t, values);
    }
    if (code != EXIT_GOOD) {
        plan_free(p);
    }
    return code;
}

void plan_free(plan *p)
{
    for (size_t i = 0; i < p->parts; i++) {
        td_trajectory_free(p->part[i].curve);
    }
    free(p->part);
    free(p->limits);
}

void plan_at(const plan *p, double t, double *y, double *yd, double *ydd)
{
    size_t low = 0;
    size_t high = p->parts;
    while (high - low > 1) { /* finds the last part that begins at or before t */
        size_t middle = low + (high - low) / 2;
        if (p->part[middle].begin <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const plan_part *part = &p->part[low];
    double own = t - part->begin + td_trajectory_begin(part->curve);
    /* rounding must not move the end of the part beyond the curve */
    td_trajectory_state(part->curve, p->s->model, fmin(own, td_trajectory_end(part->curve)), y, yd,
                        ydd);
}
