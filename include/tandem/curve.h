/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow others by curves: cams, measured transmissions, underactuated fingers, cables
 * over several joints. The position of a follower is
 *
 *   q = offset + Σ f_k(q_k),  q̇ = Σ f_k' q̇_k,  q̈ = Σ f_k' q̈_k + f_k'' q̇_k²
 *
 * with one scalar function of one leader in each term (docs/couplings.md has the formula of each
 * form). It is part of γ: exact in every algorithm, derivatives of dynamics by f_k''' included.
 * Leaders and followers have one coordinate. Leaders may follow others themselves, in any order but
 * a circle, linearly too, and may be fixed or locked. Both may be joints of loops. Hysteresis and
 * backlash are no functions of the leaders and have no place here.
 *
 * f' may be 0 or change its sign. The follower then adds no inertia to its leader, and where
 * nothing else moves either, forward dynamics is TD_ERROR_SINGULAR, as of other massless joints.
 */
#ifndef TANDEM_CURVE_H
#define TANDEM_CURVE_H

#include <math.h>

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_curve_type {
    TD_CURVE_POLYNOMIAL, /* f(x) = Σ c_k x^k */
    TD_CURVE_SINE,       /* f(x) = amplitude · sin(frequency x + phase) */
    TD_CURVE_SPLINE,     /* through points, in pieces of third or fifth degree */
} td_curve_type;

/* What a spline is beside its points. n points, h the distance of two. */
typedef enum td_curve_ends {
    /* f'' = 0 at both ends; of fifth degree f'''' too. Goes on beyond them straight, which is C² */
    TD_CURVE_ENDS_NATURAL,
    /* f' at both ends is end_slope; of fifth degree f'' is end_curvature. Goes on straight, where
       f'' jumps unless it is 0 there */
    TD_CURVE_ENDS_CLAMPED,
    /* repeats itself: the last value is the first one */
    TD_CURVE_ENDS_PERIODIC,
    /* f' is given at every point (slope); of fifth degree f'' too (curvature). Goes on straight */
    TD_CURVE_ENDS_HERMITE,
} td_curve_ends;

/* One term f(q_leader) of a follower. Lengths and angles are those of the two joints: rad or m. */
typedef struct td_curve {
    size_t size_of;
    const char *leader;        /* a joint */
    td_curve_type type;        /* which of the fields below count */
    const double *coefficient; /* of a polynomial, ascending powers: from 1 to 16 */
    size_t coefficients;       /* how many */
    double lower, upper; /* of the leader: the range that a polynomial or a sine is good for. Beyond
                            it is evaluated as it is; a warning says where limits reach there. −∞
                            and ∞ where there is none */
    double amplitude, frequency, phase; /* of a sine; 0, 1, 0 */
    int degree;                         /* of a spline: 3 or 5; 3 */
    td_curve_ends ends;                 /* natural by default */
    const double *at, *value;           /* its points: at ascends, value need not */
    const double *slope, *curvature;    /* of TD_CURVE_ENDS_HERMITE, as many; else NULL */
    size_t points;                      /* two or more, three of TD_CURVE_ENDS_PERIODIC */
    double end_slope[2];     /* of TD_CURVE_ENDS_CLAMPED: at the first point and at the last */
    double end_curvature[2]; /* of fifth degree */
    bool kinks; /* false; true: slopes of TD_CURVE_ENDS_HERMITE by which f'' jumps at points are
                   meant so, and accelerations jump there; otherwise that is an error */
} td_curve;

/* A joint that follows others by curves. The elements of curve are as long as the first one says
   (docs/abi.md). */
typedef struct td_follower {
    size_t size_of;
    const char *joint; /* the follower, by name */
    td_source source;
    const td_curve *curve; /* each of one leader; their sum is q */
    size_t curves;         /* how many */
    double offset;         /* rad or m */
} td_follower;

/* No leader; a polynomial without coefficients. */
/* No curve yet; offset 0. */

static inline td_curve td_curve_default(td_curve_type type, const char *leader)
{
    TD_SIZED(td_curve, curve);
    curve.leader = leader;
    curve.type = type;
    curve.lower = -INFINITY;
    curve.upper = INFINITY;
    curve.frequency = 1;
    curve.degree = 3;
    return curve;
}

static inline td_follower td_follower_default(const char *joint)
{
    TD_SIZED(td_follower, follower);
    follower.joint = joint;
    return follower;
}

/* The followers of a model, as they were given; NULL out of range. */
TD_API size_t td_follower_count(const td_model *model);
TD_API const td_follower *td_follower_at(const td_model *model, size_t follower);
/* its i-th curve, NULL out of range */
TD_API const td_curve *td_curve_at(const td_follower *follower, size_t i);
/* The follower that a joint is, TD_NONE for none (linear ones included: td_joint.mimic) and out of
   range. O(1). */
TD_API size_t td_follower_of(const td_model *model, size_t joint);

/* f, f', f'' and f''' of the k-th curve of a follower at a position of its leader. At a point of a
   spline those beyond the last continuous one are of the piece that begins there.
   TD_ERROR_ARGUMENT: NULL, out of range, or of a follower that was left out since its joint is
   fixed. O(log points). */
TD_API td_status td_curve_value(const td_model *model, size_t follower, size_t k, double position,
                                double value[4]);

#ifdef __cplusplus
}
#endif
#endif
