/* SPDX-License-Identifier: MIT */
/*
 * The configuration manifold. Plain coordinates are added; the pose of a floating joint moves
 * along a twist (model/manifold.c).
 */
#include "dynamics/configuration.h"

#include <math.h>
#include <string.h>

#include "base/pose_motion.h"
#include "model/manifold.h"
#include "tandem/derivatives.h"

/* ---- joint by joint -------------------------------------------------------------------------- */

/* Writes the layout of movable joint i in a space: its place and the indices q and qd. Returns
   false if the joint has no coordinates there. */
static bool entries(const td_model *model, td_coordinates space, size_t i, td_place *place, int *q,
                    int *qd)
{
    *place = model->place[model->movable[i]];
    *q = space == TD_COORDINATES_TREE ? place->q : place->y;
    *qd = space == TD_COORDINATES_TREE ? place->qd : place->yd;
    if (space == TD_COORDINATES_INDEPENDENT) {
        place->nq = place->ny;
        place->nv = place->nyd;
    }
    return *q >= 0;
}

static const td_joint_row *row_of(const td_model *model, size_t movable)
{
    return td_joint_row_of(model->records.joint.at[model->movable[movable]].type);
}

#define FOR_JOINTS(model, space, place, q, qd)                                                     \
    td_place place;                                                                                \
    int q, qd;                                                                                     \
    for (size_t i_ = 0; i_ < (model)->movable_count; i_++)                                         \
        if (entries(model, space, i_, &place, &q, &qd))

void td_neutral(const td_model *model, td_coordinates space, double *y)
{
    if (td_position_count(model, space))
        memset(y, 0, td_position_count(model, space) * sizeof *y);
    FOR_JOINTS(model, space, place, q, qd)
    if (row_of(model, i_)->kind.quaternion != TD_NONE)
        td_joint_neutral(row_of(model, i_), y + q);
}

/* Returns whether velocity k of a pose is a coordinate of a space. y leaves out the velocities
   that loops determine. */
static bool has_velocity(const td_place *place, td_coordinates space, int k)
{
    return space == TD_COORDINATES_TREE || !(place->dependents >> k & 1);
}

static void move_pose(const td_joint_row *row, const td_place *place, td_coordinates space,
                      const double *y, const double *yd, double dt, double *result)
{
    double step[TD_MOST_VELOCITIES];
    for (int k = 0, n = 0; k < row->kind.nv; k++)
        step[k] = has_velocity(place, space, k) ? dt * yd[n++] : 0;
    td_joint_move(row, y, step, result);
}

static void find_difference(const td_joint_row *row, const td_place *place, td_coordinates space,
                            const double *start, const double *end, double *v)
{
    double all[TD_MOST_VELOCITIES];
    td_joint_difference(row, start, end, all);
    for (int k = 0, n = 0; k < row->kind.nv; k++)
        if (has_velocity(place, space, k))
            v[n++] = all[k];
}

void td_move(const td_model *model, td_coordinates space, const double *y, const double *yd,
             double dt, double *result)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        if (row_of(model, i_)->manifold != TD_MANIFOLD_PLAIN)
            move_pose(row_of(model, i_), &place, space, y + q, yd + qd, dt, result + q);
        else
            for (int k = 0; k < place.nq; k++)
                result[q + k] = y[q + k] + dt * yd[qd + k];
    }
}

/* Selects the quaternion with w ≥ 0 of the two that represent an orientation. */
static void choose_quaternion(double p[4])
{
    const bool turned = p[3] < 0;
    for (int k = 0; k < 4 && turned; k++)
        p[k] = 0 - p[k];
}

void td_integrate(const td_model *model, td_coordinates space, const double *y, const double *yd,
                  double dt, double *result)
{
    td_move(model, space, y, yd, dt, result);
    const td_quaternions *quaternions = &model->quaternion[space];
    for (size_t i = 0; i < quaternions->count; i++)
        choose_quaternion(result + quaternions->at[i]);
}

void td_difference(const td_model *model, td_coordinates space, const double *start,
                   const double *end, double *v)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        if (row_of(model, i_)->manifold != TD_MANIFOLD_PLAIN)
            find_difference(row_of(model, i_), &place, space, start + q, end + q, v + qd);
        else
            for (int k = 0; k < place.nq; k++)
                v[qd + k] = end[q + k] - start[q + k];
    }
}

void td_rates_to_velocities(const td_model *model, td_coordinates space, const double *y,
                            const double *rate, const double *second, double *yd, double *ydd)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        const td_joint_row *row = row_of(model, i_);
        const double *more = ydd ? second + q : NULL;
        double v[TD_MOST_VELOCITIES], a[TD_MOST_VELOCITIES];
        if (row->manifold == TD_MANIFOLD_PLAIN) {
            for (int k = 0; k < place.nq; k++) {
                yd[qd + k] = rate[q + k];
                if (ydd)
                    ydd[qd + k] = more[k];
            }
            continue;
        }
        if (row->manifold == TD_MANIFOLD_POSE)
            td_pose_velocity(y + q, rate + q, more, v, ydd ? a : NULL);
        else
            td_orientation_velocity(y + q, rate + q, more, v, ydd ? a : NULL);
        for (int k = 0, n = 0; k < row->kind.nv; k++) {
            if (!has_velocity(&place, space, k))
                continue;
            yd[qd + n] = v[k];
            if (ydd)
                ydd[qd + n] = a[k];
            n++;
        }
    }
}

void td_velocities_to_rates(const td_model *model, td_coordinates space, const double *y,
                            const double *yd, const double *ydd, double *rate, double *second)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        const td_joint_row *row = row_of(model, i_);
        double *more = second ? second + q : NULL;
        double v[TD_MOST_VELOCITIES], a[TD_MOST_VELOCITIES];
        if (row->manifold == TD_MANIFOLD_PLAIN) {
            for (int k = 0; k < place.nq; k++) {
                rate[q + k] = yd[qd + k];
                if (second)
                    more[k] = ydd[qd + k];
            }
            continue;
        }
        for (int k = 0, n = 0; k < row->kind.nv; k++) {
            const bool has = has_velocity(&place, space, k);
            v[k] = has ? yd[qd + n] : 0;
            a[k] = has && second ? ydd[qd + n] : 0;
            n += has;
        }
        if (row->manifold == TD_MANIFOLD_POSE)
            td_pose_rate(y + q, v, a, rate + q, more);
        else
            td_orientation_rate(y + q, v, a, rate + q, more);
    }
}

void td_align_quaternions(const td_model *model, td_coordinates space, const double *with,
                          double *y)
{
    const td_quaternions *quaternions = &model->quaternion[space];
    for (size_t i = 0; i < quaternions->count; i++) {
        const double *a = with + quaternions->at[i];
        double *p = y + quaternions->at[i];
        const bool turned = a[0] * p[0] + a[1] * p[1] + a[2] * p[2] + a[3] * p[3] < 0;
        for (int k = 0; k < 4 && turned; k++)
            p[k] = 0 - p[k];
    }
}

/* Copies a joint's own matrix into rows of an n × n matrix, restricted to the velocities that
   the space has. The other entries of these rows become 0. */
static void put_block(const td_joint_row *row, const td_place *place, td_coordinates space,
                      const double *block, size_t n, int qd, double *matrix)
{
    const int size = row->kind.nv;
    double *at = matrix + (size_t)qd * n;
    for (int i = 0; i < size; i++) {
        if (!has_velocity(place, space, i))
            continue;
        memset(at, 0, n * sizeof *at);
        for (int j = 0, column = qd; j < size; j++)
            if (has_velocity(place, space, j))
                at[column++] = block[i * size + j];
        at += n;
    }
}

enum { MOST_BLOCK = TD_MOST_VELOCITIES * TD_MOST_VELOCITIES };

void td_integrate_derivatives(const td_model *model, td_coordinates space, const double *yd,
                              double dt, double *by_start, double *by_velocity)
{
    const size_t n = td_velocity_count(model, space);
    FOR_JOINTS(model, space, place, q, qd)
    {
        const td_joint_row *row = row_of(model, i_);
        double step[TD_MOST_VELOCITIES], start[MOST_BLOCK], velocity[MOST_BLOCK];
        const double *v = yd + qd;
        for (int k = 0; k < row->kind.nv; k++)
            step[k] = has_velocity(&place, space, k) ? dt * *v++ : 0;
        td_joint_move_jacobian(row, step, start, velocity);
        for (int k = 0; k < row->kind.nv * row->kind.nv; k++)
            velocity[k] *= dt;
        if (by_start)
            put_block(row, &place, space, start, n, qd, by_start);
        if (by_velocity)
            put_block(row, &place, space, velocity, n, qd, by_velocity);
    }
}

void td_difference_derivatives(const td_model *model, td_coordinates space, const double *start,
                               const double *end, double *by_start, double *by_end)
{
    const size_t n = td_velocity_count(model, space);
    FOR_JOINTS(model, space, place, q, qd)
    {
        const td_joint_row *row = row_of(model, i_);
        double v[TD_MOST_VELOCITIES] = {0}, first[MOST_BLOCK], last[MOST_BLOCK];
        if (row->manifold != TD_MANIFOLD_PLAIN)
            td_joint_difference(row, start + q, end + q, v);
        td_joint_difference_jacobian(row, v, first, last);
        if (by_start)
            put_block(row, &place, space, first, n, qd, by_start);
        if (by_end)
            put_block(row, &place, space, last, n, qd, by_end);
    }
}

void td_normalize(const td_model *model, td_coordinates space, double *y)
{
    const td_quaternions *quaternions = &model->quaternion[space];
    for (size_t i = 0; i < quaternions->count; i++) {
        double *p = y + quaternions->at[i];
        double norm = hypot(hypot(p[0], p[1]), hypot(p[2], p[3]));
        for (int k = 0; k < 4; k++)
            p[k] = norm == 0 ? k == 3 : p[k] / norm; /* keeps NaN */
    }
}

/* ---- random configurations ------------------------------------------------------------------- */

/* Returns a uniform number in [0, 1), by splitmix64. */
static double uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Returns a uniform number between two limits. Their difference may overflow: some files use
   DBL_MAX for "no limit". */
static double between(uint64_t *seed, double lower, double upper)
{
    const double span = upper - lower, part = uniform(seed);
    return isfinite(span) ? lower + span * part : lower * (1 - part) + upper * part;
}

/* Returns a random value for position k of a joint whose positions are plain numbers. */
static double random_position(const td_model *model, td_coordinates space, int joint, int k,
                              uint64_t *seed)
{
    const td_joint *record = &model->records.joint.at[joint];
    const td_joint_row *row = td_joint_row_of(record->type);
    const bool own = space == TD_COORDINATES_TREE;
    double lower = own ? record->limit.lower : model->limit[joint].lower;
    double upper = own ? record->limit.upper : model->limit[joint].upper;
    if (own && !row->kind.bounded)
        lower = upper = INFINITY;
    double span = row->position[k].unit == TD_UNIT_LENGTH ? 1 : M_PI;
    if (!isfinite(lower))
        lower = isfinite(upper) ? upper - 2 * span : -span;
    if (!isfinite(upper))
        upper = lower + 2 * span;
    return lower <= upper ? between(seed, lower, upper) : 0.5 * lower + 0.5 * upper;
}

/* Moves the reference pose by random amounts along the velocities that loops do not determine. */
static void random_part(const td_model *model, int joint, uint64_t *seed, double *y)
{
    const td_place *place = &model->place[joint];
    const td_joint_row *row = td_joint_row_of(model->records.joint.at[joint].type);
    double step[TD_MOST_VELOCITIES];
    for (int k = 0; k < row->kind.nv; k++) {
        const double span = row->velocity[k].unit == TD_UNIT_LENGTH ? 1 : M_PI;
        step[k] =
            has_velocity(place, TD_COORDINATES_INDEPENDENT, k) ? between(seed, -span, span) : 0;
    }
    td_joint_move(row, model->closure.reference_q + place->q, step, y);
}

/* Samples orientations uniformly (Shoemake 1992). */
static void random_orientation(uint64_t *seed, double p[4])
{
    double u = uniform(seed), a = between(seed, 0, 2 * M_PI), b = between(seed, 0, 2 * M_PI);
    p[0] = sqrt(1 - u) * sin(a);
    p[1] = sqrt(1 - u) * cos(a);
    p[2] = sqrt(u) * sin(b);
    p[3] = sqrt(u) * cos(b);
    choose_quaternion(p);
}

void td_random_configuration(const td_model *model, td_coordinates space, uint64_t *seed, double *y)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        const int joint = model->movable[i_];
        const td_place *all = &model->place[joint];
        double *end = y + q;
        if (space == TD_COORDINATES_INDEPENDENT && all->nq != all->nv && all->dependents) {
            random_part(model, joint, seed, end);
            continue;
        }
        switch (row_of(model, i_)->manifold) {
        case TD_MANIFOLD_PLAIN:
            for (int k = 0; k < all->nq; k++)
                if (space == TD_COORDINATES_TREE || !td_position_is_dependent(all, k))
                    *end++ = random_position(model, space, joint, k, seed);
            break;
        case TD_MANIFOLD_POSE:
            for (int k = 0; k < 3; k++)
                *end++ = between(seed, -1, 1);
            random_orientation(seed, end);
            break;
        case TD_MANIFOLD_ORIENTATION:
            random_orientation(seed, end);
            break;
        }
    }
}
