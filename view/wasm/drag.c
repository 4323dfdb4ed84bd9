/* SPDX-License-Identifier: MIT */
/*
 * Dragging: the independent coordinates move so that a point of a link comes nearer to a goal, by
 * damped least squares (Wampler 1986; Nakamura and Hanafusa 1986),
 *
 *   Δy = Jᵀ (J Jᵀ + λ² 1)⁻¹ e,
 *
 * J (3 × n) being the Jacobian of the point in independent coordinates, so that loops stay closed.
 * λ shrinks with steps that come nearer and grows with those that do not (Levenberg and Marquardt).
 */
#include <math.h>
#include <string.h>

#include "page.h"

/* Whether the coordinate is a floating base's, which stays where it is, or one that is at a limit
   and would go beyond it. */
typedef struct drag {
    size_t n;
    const double *J; /* 3 × n */
    double error[3];
    double distance;
} drag;

static double point_error(int link, double error[3])
{
    const double *pose = page.array[PAGE_poses] + 12 * link, *p = page.array[PAGE_point];
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double *row = pose + 4 * i;
        const double x = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
        error[i] = page.array[PAGE_goal][i] - x;
        sum += error[i] * error[i];
    }
    return sqrt(sum);
}

/* a x = b for a symmetric positive definite 3 × 3 matrix, by Cramer's rule */
static void solve3(const double a[3][3], const double b[3], double x[3])
{
    const double c[3][3] = {
        {a[1][1] * a[2][2] - a[1][2] * a[2][1], a[0][2] * a[2][1] - a[0][1] * a[2][2],
         a[0][1] * a[1][2] - a[0][2] * a[1][1]},
        {a[1][2] * a[2][0] - a[1][0] * a[2][2], a[0][0] * a[2][2] - a[0][2] * a[2][0],
         a[0][2] * a[1][0] - a[0][0] * a[1][2]},
        {a[1][0] * a[2][1] - a[1][1] * a[2][0], a[0][1] * a[2][0] - a[0][0] * a[2][1],
         a[0][0] * a[1][1] - a[0][1] * a[1][0]}};
    const double determinant = a[0][0] * c[0][0] + a[0][1] * c[1][0] + a[0][2] * c[2][0];
    for (int i = 0; i < 3; i++)
        x[i] = (c[i][0] * b[0] + c[i][1] * b[1] + c[i][2] * b[2]) / determinant;
}

/* Δy of the free coordinates; J J ᵀ is measured by its trace, so that λ has no unit. */
static void damped_step(const drag *d, double lambda, const bool *is_free, double *step)
{
    double a[3][3] = {{0}}, x[3], trace = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (size_t j = 0; j < d->n; j++)
                a[i][k] +=
                    is_free[j] ? d->J[i * (int)d->n + (int)j] * d->J[k * (int)d->n + (int)j] : 0;
    for (int i = 0; i < 3; i++)
        trace += a[i][i];
    for (int i = 0; i < 3; i++)
        a[i][i] += lambda * lambda * trace + 1e-300;
    solve3(a, d->error, x);
    for (size_t j = 0; j < d->n; j++) {
        step[j] = 0;
        for (size_t i = 0; i < 3 && is_free[j]; i++)
            step[j] += d->J[i * d->n + j] * x[i];
    }
}

/* Coordinates whose step would lead beyond a limit at which they are stay; returns whether there is
   a new one of them. */
static bool hold_at_limits(const double *step, bool *is_free)
{
    bool any = false;
    for (size_t i = 0; i < td_independent_count(page.model); i++) {
        const size_t joint = (size_t)td_independent_joint(page.model, i);
        const td_joint_place place = td_joint_place_at(page.model, joint);
        const td_effective_limit limit = td_effective_limit_at(page.model, joint);
        const double y = page.array[PAGE_y][place.y], s = step[place.yd];
        if (place.nyd == 1 && is_free[place.yd] &&
            ((s > 0 && y >= limit.upper) || (s < 0 && y <= limit.lower))) {
            is_free[place.yd] = false;
            any = true;
        }
    }
    return any;
}

/* No coordinate beyond its limits, nor by more than a third of a radian or metre at once. */
static void limited_target(const double *step, double *target)
{
    double largest = 0;
    for (size_t j = 0; j < td_nyd(page.model); j++)
        largest = fmax(largest, fabs(step[j]));
    td_integrate(page.model, page.array[PAGE_y], step, largest > 0.33 ? 0.33 / largest : 1, target);
    for (size_t i = 0; i < td_independent_count(page.model); i++) {
        const size_t joint = (size_t)td_independent_joint(page.model, i);
        const td_joint_place place = td_joint_place_at(page.model, joint);
        const td_effective_limit limit = td_effective_limit_at(page.model, joint);
        for (int k = place.y; k < place.y + place.ny; k++) {
            const double y = page.array[PAGE_y][k]; /* beyond its limit already it may stay there */
            target[k] = fmin(fmax(target[k], fmin(limit.lower, y)), fmax(limit.upper, y));
        }
    }
}

static void find_free(bool *is_free)
{
    for (size_t i = 0; i < td_independent_count(page.model); i++) {
        const size_t joint = (size_t)td_independent_joint(page.model, i);
        const td_joint_place place = td_joint_place_at(page.model, joint);
        for (int k = 0; k < place.nyd; k++)
            is_free[place.yd + k] =
                td_joint_kind_of(td_joint_at(page.model, joint)->type)->quaternion < 0;
    }
}

/* Drags page.point of the link towards page.goal; returns the distance that is left (m). y and all
   that follows from it are up to date then. */
double tv_drag(int link, int iterations)
{
    const td_model *m = page.model;
    double *y = page.array[PAGE_y], *step = page.array[PAGE_step];
    double kept[td_ny(m) + 1];
    bool is_free[td_nyd(m) + 1];
    drag d = {.n = td_nyd(m), .J = page.array[PAGE_jacobian] + 3 * td_nyd(m)};
    double lambda = 1e-2;
    d.distance = point_error(link, d.error);
    for (int i = 0; i < iterations && d.distance > 1e-7; i++) {
        td_link_jacobian(m, page.workspace, (size_t)link, page.array[PAGE_point], y,
                         TD_WORLD_ALIGNED, page.array[PAGE_jacobian]);
        find_free(is_free);
        do
            damped_step(&d, lambda, is_free, step);
        while (hold_at_limits(step, is_free));
        memcpy(kept, y, td_ny(m) * sizeof *y);
        limited_target(step, page.array[PAGE_target]);
        tv_move();
        const double before = d.distance;
        d.distance = point_error(link, d.error);
        if (d.distance < before) {
            lambda = fmax(0.3 * lambda, 1e-6);
        } else {
            memcpy(page.array[PAGE_target], kept, td_ny(m) * sizeof *y);
            tv_move();
            d.distance = point_error(link, d.error);
            lambda *= 8;
        }
    }
    return d.distance;
}
