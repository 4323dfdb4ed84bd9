/* SPDX-License-Identifier: MIT */
/*
 * Completes and normalizes quaternions of joints; see quaternions.h.
 */
#include "input/quaternions.h"

#include <math.h>

void complete_quaternions(const coordinates *c, const bool *given, double *position)
{
    for (size_t i = 0; i < c->joints; i++) {
        size_t joint = c->joint[i];
        if (!has_quaternion(c->model, joint)) {
            continue;
        }
        size_t x = coordinates_position(c, joint) + quaternion_of(c->model, joint);
        const bool any = given[x] || given[x + 1] || given[x + 2] || given[x + 3];
        for (size_t k = x; k < x + 4 && any; k++) {
            position[k] = given[k] ? position[k] : 0;
        }
    }
}

size_t normalize_quaternions(const coordinates *c, double *position, double *norm)
{
    for (size_t i = 0; i < c->joints; i++) {
        size_t joint = c->joint[i];
        if (!has_quaternion(c->model, joint)) {
            continue;
        }
        double *p = position + coordinates_position(c, joint) + quaternion_of(c->model, joint);
        *norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        if (!(fabs(*norm - 1) <= 1e-6)) {
            return joint;
        }
        for (size_t k = 0; k < 4; k++) {
            p[k] /= *norm;
        }
    }
    return TD_NONE;
}
