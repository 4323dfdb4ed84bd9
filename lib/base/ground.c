/* SPDX-License-Identifier: MIT */
/*
 * Ground reactions: the points of a plane at which the moment of a wrench has a given direction,
 * and the split of a wrench among contacts.
 */
#include "tandem/ground.h"

#include <math.h>

#include "base/frame.h"

typedef struct wrench_at {
    td_vec3 moment, force;
} wrench_at;

static wrench_at wrench_from(const double x[6])
{
    return (wrench_at){td_vec3_from(x), td_vec3_from(x + 3)};
}

/* Writes a vector, or NaN if it is not defined. Returns whether it is. */
static bool write_vector(bool defined, td_vec3 a, double x[3])
{
    x[0] = defined ? a.x : NAN;
    x[1] = defined ? a.y : NAN;
    x[2] = defined ? a.z : NAN;
    return defined;
}

static td_vec3 unit(td_vec3 a)
{
    return td_vec3_along((td_vec3){0, 0, 0}, 1 / td_vec3_length(a), a);
}

/* Returns the moment about a point of a wrench about the world's origin. */
static td_vec3 moment_about(const wrench_at *w, td_vec3 point)
{
    return td_vec3_along(w->moment, -1, td_vec3_cross(point, w->force));
}

/* ---- points of a plane ----------------------------------------------------------------------- */

/* Finds the point p + r of the plane at which the moment is parallel to the axis a (unit vectors n
   and a). With the moment m about p, a × (m − r × f) = 0, that is

     r (a · f) = a × m + f (a · r),    a · r = −n · (a × m) / (n · f),

   where the second equation is n times the first, with n · r = 0. Returns false if a force is not
   above least, or if a number is not finite. */
static bool find_point(const wrench_at *w, td_vec3 p, td_vec3 n, td_vec3 a, double least,
                       td_vec3 *found)
{
    const td_vec3 m = moment_about(w, p), turned = td_vec3_cross(a, m);
    const double along = td_vec3_dot(n, w->force), up = td_vec3_dot(a, w->force);
    if (!(along > fmax(least, 0) && up > fmax(least, 0)))
        return false;
    const double height = -td_vec3_dot(n, turned) / along; /* a · r */
    *found = td_vec3_along(td_vec3_along(p, 1 / up, turned), height / up, w->force);
    return isfinite(found->x) && isfinite(found->y) && isfinite(found->z);
}

bool td_center_of_pressure(const double wrench[6], const double point[3], const double normal[3],
                           double least, double center[3], double *moment)
{
    const wrench_at w = wrench_from(wrench);
    const td_vec3 n = unit(td_vec3_from(normal));
    td_vec3 found = {0, 0, 0};
    const bool defined = find_point(&w, td_vec3_from(point), n, n, least, &found);
    if (moment)
        *moment = defined ? td_vec3_dot(n, moment_about(&w, found)) : NAN;
    return write_vector(defined, found, center);
}

bool td_zero_moment_point(const double wrench[6], const double point[3], const double normal[3],
                          const double up[3], double least, double zmp[3])
{
    const wrench_at w = wrench_from(wrench);
    const td_vec3 n = unit(td_vec3_from(normal)), a = unit(td_vec3_from(up));
    td_vec3 found = {0, 0, 0};
    const bool defined = find_point(&w, td_vec3_from(point), n, a, least, &found);
    return write_vector(defined, found, zmp);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Inputs of a split, in the order of td_split_wrench. */
typedef struct contacts {
    size_t count;
    const double *points, *weights, *near;
    double per_length; /* 1/length² */
} contacts;

static td_vec3 point_of(const contacts *c, size_t i)
{
    return td_vec3_from(c->points + 3 * i);
}

static wrench_at near_of(const contacts *c, size_t i)
{
    return c->near ? wrench_from(c->near + 6 * i) : (wrench_at){{0, 0, 0}, {0, 0, 0}};
}

/* Computes the sum of the weights and the weighted mean of the points. Returns false if a weight is
   invalid or all are zero. */
static bool find_middle(const contacts *c, double *sum, td_vec3 *middle)
{
    *sum = 0;
    *middle = (td_vec3){0, 0, 0};
    for (size_t i = 0; i < c->count; i++) {
        if (!(c->weights[i] >= 0))
            return false;
        *sum += c->weights[i];
        *middle = td_vec3_along(*middle, c->weights[i], point_of(c, i));
    }
    if (!(*sum > 0))
        return false;
    *middle = td_vec3_along((td_vec3){0, 0, 0}, 1 / *sum, *middle);
    return true;
}

/* Returns what remains of the wrench after the near wrenches: force, and moment about the middle.
 */
static wrench_at find_remainder(const contacts *c, const double wrench[6], td_vec3 middle)
{
    const wrench_at given = wrench_from(wrench);
    wrench_at rest = {moment_about(&given, middle), given.force};
    for (size_t i = 0; i < c->count; i++) {
        const wrench_at near = near_of(c, i);
        const td_vec3 arm = td_vec3_along(point_of(c, i), -1, middle);
        rest.force = td_vec3_along(rest.force, -1, near.force);
        rest.moment = td_vec3_along(rest.moment, -1, near.moment);
        rest.moment = td_vec3_along(rest.moment, -1, td_vec3_cross(arm, near.force));
    }
    return rest;
}

/* Returns x = A⁻¹ b for a symmetric positive definite A, by Cramer's rule. */
static td_vec3 solve_symmetric(td_sym3 A, td_vec3 b)
{
    const td_vec3 x = {A.xx, A.xy, A.xz}, y = {A.xy, A.yy, A.yz}, z = {A.xz, A.yz, A.zz};
    const td_vec3 yz = td_vec3_cross(y, z), zx = td_vec3_cross(z, x), xy = td_vec3_cross(x, y);
    const double determinant = td_vec3_dot(x, yz);
    return (td_vec3){td_vec3_dot(yz, b) / determinant, td_vec3_dot(zx, b) / determinant,
                     td_vec3_dot(xy, b) / determinant};
}

/* Solves for the common moment ν of the remainder. With the multipliers λ (force) and ν/length²
   (moment), contact i at the arm d_i from the middle takes

     force  w_i (λ + ν × d_i/length²),    moment  w_i ν,

   so that λ = force / Σ w and Σ w_i (ν + d_i × (ν × d_i)/length²) = moment. */
static td_vec3 solve_moment(const contacts *c, double sum, td_vec3 middle, td_vec3 moment)
{
    td_sym3 A = {sum, 0, 0, sum, 0, sum};
    for (size_t i = 0; i < c->count; i++) {
        const td_vec3 d = td_vec3_along(point_of(c, i), -1, middle);
        A = td_sym3_shift(A, c->weights[i] * c->per_length, d);
    }
    return solve_symmetric(A, moment);
}

/* Writes the wrenches. Returns whether all numbers are finite. */
static bool split_wrench(const contacts *c, const double wrench[6], double *wrenches)
{
    double sum;
    td_vec3 middle;
    if (!find_middle(c, &sum, &middle))
        return false;
    const wrench_at rest = find_remainder(c, wrench, middle);
    const td_vec3 nu = solve_moment(c, sum, middle, rest.moment);
    bool finite = true;
    for (size_t i = 0; i < c->count; i++) {
        const double w = c->weights[i];
        const td_vec3 d = td_vec3_along(point_of(c, i), -1, middle);
        wrench_at own = near_of(c, i);
        own.force = td_vec3_along(own.force, w / sum, rest.force);
        own.force = td_vec3_along(own.force, w * c->per_length, td_vec3_cross(nu, d));
        own.moment = td_vec3_along(own.moment, w, nu);
        write_vector(true, own.moment, wrenches + 6 * i);
        write_vector(true, own.force, wrenches + 6 * i + 3);
        for (size_t k = 0; k < 6; k++)
            finite = finite && isfinite(wrenches[6 * i + k]);
    }
    return finite;
}

bool td_split_wrench(const double wrench[6], size_t count, const double *points,
                     const double *weights, const double *near, double length, double *wrenches)
{
    const contacts c = {count, points, weights, near, 1 / (length * length)};
    const bool split = length > 0 && split_wrench(&c, wrench, wrenches);
    for (size_t i = 0; i < 6 * count && !split; i++)
        wrenches[i] = NAN;
    return split;
}
