/* SPDX-License-Identifier: MIT */
/*
 * Computes how far a loop is from being closed, see loop_gap.h.
 */
#include "commands/loop_gap.h"
#include "vectors.h"

#include <math.h>

/* A frame of a loop joint in the world. */
typedef struct frame {
    double R[9], p[3];
} frame;

static void rotate(const double R[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = dot(R + 3 * i, v);
    }
}

/* Returns the frame of an origin in a link with a 3 × 4 pose. */
static frame frame_of(const double *pose, const td_pose *origin)
{
    frame f;
    double R[9];
    for (int i = 0; i < 9; i++) {
        R[i] = pose[4 * (i / 3) + i % 3];
    }
    rotate(R, origin->position, f.p);
    for (int i = 0; i < 3; i++) {
        f.p[i] += pose[4 * i + 3];
        for (int k = 0; k < 3; k++) {
            f.R[3 * i + k] = 0;
            for (int n = 0; n < 3; n++) {
                f.R[3 * i + k] += R[3 * i + n] * origin->rotation[3 * n + k];
            }
        }
    }
    return f;
}

/* Returns the distance of two unit vectors. */
static double apart(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot(d, d));
}

/* Writes the k-th axis of a frame. */
static void axis_of(const frame *f, int k, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = f->R[3 * i + k];
    }
}

static double orientations_apart(const frame *p, const frame *s)
{
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        double a[3], b[3];
        axis_of(p, k, a);
        axis_of(s, k, b);
        worst = fmax(worst, apart(a, b));
    }
    return worst;
}

/* Returns the largest violation of the constraints in a mask. Bits 0 to 2 constrain rotations. One
   means that two axes are perpendicular, two mean equal third axes, three mean equal frames. Bits 3
   to 5 constrain offsets along the axes. */
static double masked(unsigned mask, const frame *p, const frame *s, const double d[3], double size)
{
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        double a[3], b[3], c[3];
        const int next = (k + 1) % 3, last = (k + 2) % 3;
        axis_of(p, k, a);
        axis_of(s, k, b);
        if (mask >> (3 + k) & 1) {
            worst = fmax(worst, fabs(dot(a, d)) / size);
        }
        if ((mask >> next & 1) && (mask >> last & 1)) {
            worst = fmax(worst, apart(a, b));
        } else if ((mask & 7) == 1u << k) {
            axis_of(p, next, a);
            axis_of(s, last, c);
            worst = fmax(worst, fabs(dot(a, c)));
        }
    }
    return worst;
}

double loop_gap(const td_loop *loop, const double *predecessor, const double *successor,
                double size)
{
    const frame p = frame_of(predecessor, &loop->predecessor_origin);
    const frame s = frame_of(successor, &loop->successor_origin);
    const double d[3] = {s.p[0] - p.p[0], s.p[1] - p.p[1], s.p[2] - p.p[2]};
    double a[3], b[3], second[3];
    rotate(p.R, loop->axis, a);
    rotate(s.R, loop->axis, b);
    rotate(s.R, loop->second_axis, second);
    const double way = dot(a, d), line[3] = {way * a[0], way * a[1], way * a[2]};
    const double away = sqrt(dot(d, d)) / size, along = fabs(way) / size;
    const double across = apart(d, line) / size;
    switch (loop->type) {
    case TD_LOOP_REVOLUTE:
        return fmax(apart(a, b), away);
    case TD_LOOP_PRISMATIC:
        return fmax(orientations_apart(&p, &s), across);
    case TD_LOOP_CYLINDRICAL:
        return fmax(apart(a, b), across);
    case TD_LOOP_PLANAR:
        return fmax(apart(a, b), along);
    case TD_LOOP_UNIVERSAL:
        return fmax(fabs(dot(a, second)), away);
    case TD_LOOP_SPHERICAL:
        return away;
    case TD_LOOP_FIXED:
        return fmax(orientations_apart(&p, &s), away);
    case TD_LOOP_DISTANCE:
        return fabs(sqrt(dot(d, d)) - loop->distance) / size;
    case TD_LOOP_MASK:
        break;
    }
    return masked(loop->mask, &p, &s, d, size);
}
