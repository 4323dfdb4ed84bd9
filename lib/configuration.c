/* SPDX-License-Identifier: MIT */
/*
 * The configuration manifold: per joint, plain numbers are added, and the pose of a floating joint
 * moves along a twist by the exponential map of SE(3).
 */
#include "tandem/configuration.h"

#include <math.h>
#include <string.h>

#include "run.h"

typedef struct quaternion {
    double x, y, z, w;
} quaternion;

static quaternion product(quaternion a, quaternion b)
{
    return (quaternion){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static td_vec3 cross(td_vec3 a, td_vec3 b)
{
    return (td_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* v turned by the quaternion */
static td_vec3 turn(quaternion p, td_vec3 v)
{
    td_vec3 axis = {p.x, p.y, p.z}, t = cross(axis, v);
    t = (td_vec3){2 * t.x, 2 * t.y, 2 * t.z};
    td_vec3 u = cross(axis, t);
    return (td_vec3){v.x + p.w * t.x + u.x, v.y + p.w * t.y + u.y, v.z + p.w * t.z + u.z};
}

/* (1 − cos a) / a² and (a − sin a) / a³, by their series where they cancel */
static void turning_factors(double a, double *first, double *second)
{
    double square = a * a;
    if (a < 0.1) {
        *first = 0.5 - square / 24 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90)));
        *second = (1 - square / 20 * (1 - square / 42 * (1 - square / 72))) / 6;
        return;
    }
    double half = sin(0.5 * a);
    *first = 2 * half * half / square;
    *second = (a - sin(a)) / (square * a);
}

/* x: position and quaternion; moved along the twist (turn w, way v, body axes) for the time it
 * takes */
static void move_along(const double *x, td_vec3 w, td_vec3 v, double *result)
{
    double angle = sqrt(w.x * w.x + w.y * w.y + w.z * w.z), first, second;
    double k = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    turning_factors(angle, &first, &second);
    td_vec3 wv = cross(w, v), wwv = cross(w, wv); /* V v = v + first w × v + second w × (w × v) */
    td_vec3 way = {v.x + first * wv.x + second * wwv.x, v.y + first * wv.y + second * wwv.y,
                   v.z + first * wv.z + second * wwv.z};
    quaternion p = {x[3], x[4], x[5], x[6]};
    way = turn(p, way);
    p = product(p, (quaternion){k * w.x, k * w.y, k * w.z, cos(0.5 * angle)});
    double norm = sqrt(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w);
    result[0] = x[0] + way.x, result[1] = x[1] + way.y, result[2] = x[2] + way.z;
    result[3] = p.x / norm, result[4] = p.y / norm, result[5] = p.z / norm, result[6] = p.w / norm;
}

/* the twist that moves one pose into the other, (w, v) in the axes of the first */
static void twist_between(const double *from, const double *to, double *twist)
{
    quaternion back = {-from[3], -from[4], -from[5], from[6]};
    quaternion p = product(back, (quaternion){to[3], to[4], to[5], to[6]});
    if (p.w < 0)
        p = (quaternion){-p.x, -p.y, -p.z, -p.w};
    double s = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    double angle = 2 * atan2(s, p.w), k = s > 1e-8 ? angle / s : 2 / p.w;
    td_vec3 w = {k * p.x, k * p.y, k * p.z};
    td_vec3 way = turn(back, (td_vec3){to[0] - from[0], to[1] - from[1], to[2] - from[2]});
    /* V⁻¹ = 1 − ½ [w] + (1 − a/2 cot a/2) / a² [w]² */
    double square = angle * angle;
    double c = angle < 0.1 ? (1 + square / 60 * (1 + square / 42 * (1 + square / 40))) / 12
                           : (1 - 0.5 * angle / tan(0.5 * angle)) / square;
    td_vec3 wp = cross(w, way), wwp = cross(w, wp);
    twist[0] = w.x, twist[1] = w.y, twist[2] = w.z;
    twist[3] = way.x - 0.5 * wp.x + c * wwp.x;
    twist[4] = way.y - 0.5 * wp.y + c * wwp.y;
    twist[5] = way.z - 0.5 * wp.z + c * wwp.z;
}

/* ---- joint by joint -------------------------------------------------------------------------- */

/* the i-th movable joint's coordinates in a space; false for a dependent one in y */
static bool entries(const td_model *model, td_space space, size_t i, td_joint_place *place, int *q,
                    int *qd)
{
    *place = model->place[model->movable[i]];
    *q = space == TD_SPACE_TREE ? place->q : place->y;
    *qd = space == TD_SPACE_TREE ? place->qd : place->yd;
    return *q >= 0;
}

#define FOR_JOINTS(model, space, place, q, qd)                                                     \
    td_joint_place place;                                                                          \
    int q, qd;                                                                                     \
    for (size_t i_ = 0; i_ < (model)->movable_count; i_++)                                         \
        if (entries(model, space, i_, &place, &q, &qd))

static void neutral(const td_model *model, td_space space, double *y)
{
    memset(y, 0, td_space_positions(model, space) * sizeof *y);
    FOR_JOINTS(model, space, place, q, qd)
    if (place.nq == 7)
        y[q + 6] = 1;
}

static void integrate(const td_model *model, td_space space, const double *y, const double *yd,
                      double dt, double *result)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        const double *v = yd + qd;
        if (place.nq == 7) {
            move_along(y + q, (td_vec3){dt * v[0], dt * v[1], dt * v[2]},
                       (td_vec3){dt * v[3], dt * v[4], dt * v[5]}, result + q);
            continue;
        }
        for (int k = 0; k < place.nq; k++)
            result[q + k] = y[q + k] + dt * v[k];
    }
}

static void difference(const td_model *model, td_space space, const double *from, const double *to,
                       double *v)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        if (place.nq == 7)
            twist_between(from + q, to + q, v + qd);
        else
            for (int k = 0; k < place.nq; k++)
                v[qd + k] = to[q + k] - from[q + k];
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

static double between(uint64_t *seed, double lower, double upper)
{
    return lower + (upper - lower) * uniform(seed);
}

static void random_scalar(const td_model *model, td_space space, int joint, uint64_t *seed,
                          double *x)
{
    const td_joint *record = &model->records.joint.at[joint];
    bool slides = record->type == TD_JOINT_PRISMATIC;
    bool own = space == TD_SPACE_TREE && record->type != TD_JOINT_CONTINUOUS;
    double lower = own ? record->limit.lower : model->limit[joint].lower;
    double upper = own ? record->limit.upper : model->limit[joint].upper;
    double span = slides ? 1 : M_PI;
    if (!isfinite(lower))
        lower = isfinite(upper) ? upper - 2 * span : -span;
    if (!isfinite(upper))
        upper = lower + 2 * span;
    *x = lower <= upper ? between(seed, lower, upper) : 0.5 * (lower + upper);
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
}

static void random_configuration(const td_model *model, td_space space, uint64_t *seed, double *y)
{
    FOR_JOINTS(model, space, place, q, qd)
    {
        if (place.nq == 7)
            random_pose(seed, y + q);
        else if (place.nq == 3) {
            y[q] = between(seed, -1, 1);
            y[q + 1] = between(seed, -1, 1);
            y[q + 2] = between(seed, -M_PI, M_PI);
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

void td_difference(const td_model *model, const double *from, const double *to, double *v)
{
    difference(model, TD_SPACE_INDEPENDENT, from, to, v);
}

void td_tree_difference(const td_model *model, const double *from, const double *to, double *v)
{
    difference(model, TD_SPACE_TREE, from, to, v);
}

void td_normalize(const td_model *model, double *y)
{
    normalize(model, TD_SPACE_INDEPENDENT, y);
}

void td_tree_normalize(const td_model *model, double *q)
{
    normalize(model, TD_SPACE_TREE, q);
}

void td_sample_configuration(const td_model *model, uint64_t *seed, double *y)
{
    random_configuration(model, TD_SPACE_INDEPENDENT, seed, y);
}

void td_tree_sample_configuration(const td_model *model, uint64_t *seed, double *q)
{
    random_configuration(model, TD_SPACE_TREE, seed, q);
}
