/* SPDX-License-Identifier: MIT */
/*
 * The configuration manifold: per joint, plain numbers are added, and the pose of a floating joint
 * moves along a twist (pose_motion.c).
 */
#include "functions/configuration.h"

#include <math.h>
#include <string.h>

#include "base/pose_motion.h"

/* ---- joint by joint -------------------------------------------------------------------------- */

/* the i-th movable joint's coordinates in a space, as many as it has there; false for none */
static bool entries(const td_model *model, td_space space, size_t i, td_joint_place *place, int *q,
                    int *qd)
{
    *place = model->place[model->movable[i]];
    *q = space == TD_SPACE_TREE ? place->q : place->y;
    *qd = space == TD_SPACE_TREE ? place->qd : place->yd;
    if (space == TD_SPACE_INDEPENDENT) {
        place->nq = place->ny;
        place->nv = place->nyd;
    }
    return *q >= 0;
}

static td_joint_type type_of(const td_model *model, size_t movable)
{
    return model->records.joint.at[model->movable[movable]].type;
}

#define FOR_JOINTS(model, space, place, q, qd)                                                     \
    td_joint_place place;                                                                          \
    int q, qd;                                                                                     \
    for (size_t i_ = 0; i_ < (model)->movable_count; i_++)                                         \
        if (entries(model, space, i_, &place, &q, &qd))

static void neutral(const td_model *model, td_space space, double *y)
{
    if (td_space_positions(model, space))
        memset(y, 0, td_space_positions(model, space) * sizeof *y);
    FOR_JOINTS(model, space, place, q, qd)
    if (type_of(model, i_) == TD_JOINT_FLOATING)
        y[q + 6] = 1;
}

void td_move(const td_model *model, td_space space, const double *y, const double *yd, double dt,
             double *result)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        const double *v = yd + qd;
        if (type_of(model, i_) == TD_JOINT_FLOATING) {
            const double twist[6] = {dt * v[0], dt * v[1], dt * v[2],
                                     dt * v[3], dt * v[4], dt * v[5]};
            td_pose_move(y + q, twist, result + q);
            continue;
        }
        for (int k = 0; k < place.nq; k++)
            result[q + k] = y[q + k] + dt * v[k];
    }
}

/* The one of the two quaternions of an orientation that has w ≥ 0. */
static void choose_quaternion(double *pose)
{
    const bool turned = pose[6] < 0;
    for (int k = 3; k < 7 && turned; k++)
        pose[k] = 0 - pose[k];
}

static void integrate(const td_model *model, td_space space, const double *y, const double *yd,
                      double dt, double *result)
{
    td_move(model, space, y, yd, dt, result);
    FOR_JOINTS(model, space, place, q, qd)
    if (type_of(model, i_) == TD_JOINT_FLOATING)
        choose_quaternion(result + q);
}

static void difference(const td_model *model, td_space space, const double *start,
                       const double *end, double *v)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        if (type_of(model, i_) == TD_JOINT_FLOATING)
            td_pose_twist(start + q, end + q, v + qd);
        else
            for (int k = 0; k < place.nq; k++)
                v[qd + k] = end[q + k] - start[q + k];
    }
}

static void normalize(const td_model *model, td_space space, double *y)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        if (place.nq != 7)
            continue;
        double *p = y + q + 3;
        double norm = hypot(hypot(p[0], p[1]), hypot(p[2], p[3]));
        for (int k = 0; k < 4; k++)
            p[k] = norm == 0 ? k == 3 : p[k] / norm; /* NaN stays */
    }
}

/* ---- random configurations ------------------------------------------------------------------- */

/* splitmix64: uniform in [0, 1) */
static double uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* The difference of finite limits may overflow: DBL_MAX stands for none in some files. */
static double between(uint64_t *seed, double lower, double upper)
{
    const double span = upper - lower, part = uniform(seed);
    return isfinite(span) ? lower + span * part : lower * (1 - part) + upper * part;
}

static void random_scalar(const td_model *model, td_space space, int joint, uint64_t *seed,
                          double *x)
{
    const td_joint *record = &model->records.joint.at[joint];
    bool slides = record->type == TD_JOINT_PRISMATIC;
    bool own = space == TD_SPACE_TREE, turns = record->type == TD_JOINT_CONTINUOUS;
    double lower = own ? record->limit.lower : model->limit[joint].lower;
    double upper = own ? record->limit.upper : model->limit[joint].upper;
    if (own && turns) /* its limits do not bind */
        lower = upper = INFINITY;
    double span = slides ? 1 : M_PI;
    if (!isfinite(lower))
        lower = isfinite(upper) ? upper - 2 * span : -span;
    if (!isfinite(upper))
        upper = lower + 2 * span;
    *x = lower <= upper ? between(seed, lower, upper) : 0.5 * lower + 0.5 * upper;
}

/* uniform over orientations (Shoemake 1992) */
static void random_pose(uint64_t *seed, double *x)
{
    for (int k = 0; k < 3; k++)
        x[k] = between(seed, -1, 1);
    double u = uniform(seed), a = between(seed, 0, 2 * M_PI), b = between(seed, 0, 2 * M_PI);
    x[3] = sqrt(1 - u) * sin(a);
    x[4] = sqrt(1 - u) * cos(a);
    x[5] = sqrt(u) * sin(b);
    x[6] = sqrt(u) * cos(b);
    choose_quaternion(x);
}

static void random_configuration(const td_model *model, td_space space, uint64_t *seed, double *y)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        const td_joint_place *all = &model->place[model->movable[i_]];
        if (type_of(model, i_) == TD_JOINT_FLOATING)
            random_pose(seed, y + q);
        else if (type_of(model, i_) == TD_JOINT_PLANAR) { /* x, y, θ */
            double *end = y + q;
            for (int k = 0; k < 3; k++)
                if (space == TD_SPACE_TREE || !td_position_is_dependent(all, k))
                    *end++ = between(seed, k < 2 ? -1 : -M_PI, k < 2 ? 1 : M_PI);
        } else
            random_scalar(model, space, model->movable[i_], seed, y + q);
    }
}

/* ---- the public functions -------------------------------------------------------------------- */

void td_neutral(const td_model *model, double *y)
{
    neutral(model, TD_SPACE_INDEPENDENT, y);
}

void td_tree_neutral(const td_model *model, double *q)
{
    neutral(model, TD_SPACE_TREE, q);
}

void td_integrate(const td_model *model, const double *y, const double *yd, double dt,
                  double *result)
{
    integrate(model, TD_SPACE_INDEPENDENT, y, yd, dt, result);
}

void td_tree_integrate(const td_model *model, const double *q, const double *qd, double dt,
                       double *result)
{
    integrate(model, TD_SPACE_TREE, q, qd, dt, result);
}

void td_difference(const td_model *model, const double *start, const double *end, double *v)
{
    difference(model, TD_SPACE_INDEPENDENT, start, end, v);
}

void td_tree_difference(const td_model *model, const double *start, const double *end, double *v)
{
    difference(model, TD_SPACE_TREE, start, end, v);
}

void td_normalize(const td_model *model, double *y)
{
    normalize(model, TD_SPACE_INDEPENDENT, y);
}

void td_tree_normalize(const td_model *model, double *q)
{
    normalize(model, TD_SPACE_TREE, q);
}

void td_random_configuration(const td_model *model, uint64_t *seed, double *y)
{
    random_configuration(model, TD_SPACE_INDEPENDENT, seed, y);
}

void td_tree_random_configuration(const td_model *model, uint64_t *seed, double *q)
{
    random_configuration(model, TD_SPACE_TREE, seed, q);
}
