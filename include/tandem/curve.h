/* SPDX-License-Identifier: MIT */
/*
 * Joints that follow others nonlinearly, through curves: cams, measured transmissions,
 * underactuated fingers, cables over several joints. The position of a follower is
 *
 *   q = offset + Σ f_k(q_k),  q̇ = Σ f_k' q̇_k,  q̈ = Σ f_k' q̈_k + f_k'' q̇_k²
 *
 * Each f_k is a scalar function of one leader; docs/couplings.md has the formula of each form.
 * Curves are part of γ: every algorithm treats them exactly, and derivatives of dynamics use
 * f_k'''.
 *
 * Leaders and followers have one coordinate. A leader may itself follow other joints, linearly or
 * through curves, but not in a cycle. It may be fixed or locked. Leaders and followers may be
 * joints of loops. Hysteresis and backlash are not functions of the leaders and cannot be
 * described.
 *
 * f' may be 0 or change sign. Where f' is 0 the follower adds no inertia to its leader. If the
 * leader moves no other inertia, forward dynamics returns TD_ERROR_SINGULAR, as for other massless
 * joints.
 */
#ifndef TANDEM_CURVE_H
#define TANDEM_CURVE_H

#include <math.h>

#include "tandem/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The form of a curve f. */
typedef enum td_curve_type {
    TD_CURVE_POLYNOMIAL, /* f(x) = Σ c_k x^k */
    TD_CURVE_SINE,       /* f(x) = amplitude · sin(frequency x + phase) */
    TD_CURVE_SPLINE,     /* piecewise polynomial of degree 3 or 5 through points */
} td_curve_type;

/* The end conditions of a spline, and its continuation beyond the first and last point. */
typedef enum td_curve_ends {
    /* f'' = 0 at both ends; for degree 5 also f'''' = 0. Continues as a straight line, which is C²
     */
    TD_CURVE_ENDS_NATURAL,
    /* f' = end_slope at both ends; for degree 5 also f'' = end_curvature. Continues as a straight
       line; f'' jumps there unless it is 0 at the end */
    TD_CURVE_ENDS_CLAMPED,
    /* repeats itself; the last value must equal the first */
    TD_CURVE_ENDS_PERIODIC,
    /* f' is given at every point (slope); for degree 5 also f'' (curvature). Continues as a
       straight line */
    TD_CURVE_ENDS_HERMITE,
} td_curve_ends;

/* One term f(q_leader) of a follower. Lengths and angles are in the units of the two joints (rad or
   m). Start from td_curve_default(), which returns a polynomial without coefficients for
   TD_CURVE_POLYNOMIAL. Comments name the other defaults. */
typedef struct td_curve {
    size_t size_of;
    const char *leader;        /* name of a joint */
    td_curve_type type;        /* determines which of the fields below are used */
    const double *coefficient; /* polynomial: coefficients of ascending powers */
    size_t coefficients;       /* their number, from 1 to 16 */
    /* polynomial, sine: the range of the leader in which the curve is valid; −∞ and ∞: everywhere.
       Outside this range the curve is evaluated as well, but a warning reports that the leader's
       limits exceed it */
    double lower, upper;
    double amplitude, frequency, phase; /* sine; default 0, 1, 0 */
    int degree;                         /* spline: 3 (default) or 5 */
    td_curve_ends ends;                 /* spline: default TD_CURVE_ENDS_NATURAL */
    const double *at, *value;           /* spline: its points; at must ascend */
    const double *slope, *curvature;    /* TD_CURVE_ENDS_HERMITE: one per point; otherwise NULL */
    size_t points;                      /* at least 2; TD_CURVE_ENDS_PERIODIC: at least 3 */
    double end_slope[2];     /* TD_CURVE_ENDS_CLAMPED: f' at the first and at the last point */
    double end_curvature[2]; /* the same for f'', degree 5 */
    /* false (default): it is an error if the slopes of TD_CURVE_ENDS_HERMITE make f'' jump at
       points. true: such jumps are intended, and accelerations jump there */
    bool kinks;
} td_curve;

/* A joint that follows others through curves. All elements of curve must have the size_of of the
   first one (docs/abi.md). Start from td_follower_default(), which has no curve. */
typedef struct td_follower {
    size_t size_of;
    const char *joint; /* name of the follower */
    td_source source;
    const td_curve *curve; /* one element per term */
    size_t curves;         /* their number */
    double offset;         /* rad or m; default 0 */
} td_follower;

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

/* td_follower_count returns the number of followers of a model. td_follower_at returns the record
   of a follower, and NULL if follower is out of range. */
TD_API size_t td_follower_count(const td_model *model);
TD_API const td_follower *td_follower_at(const td_model *model, size_t follower);
/* Returns the i-th curve of a follower, and NULL if i is out of range. */
TD_API const td_curve *td_curve_at(const td_follower *follower, size_t i);
/* Returns the index of the follower for a joint. Returns TD_NONE if the joint follows no curve,
   including linear followers (td_joint.mimic), and if joint is out of range. Cost: O(1). */
TD_API size_t td_follower_of(const td_model *model, size_t joint);

/* Evaluates a curve.

     model     the robot
     follower  index
     k         index of the curve of this follower
     position  of the leader (rad or m)
     value     4: f, f', f'' and f'''

   At a point of a spline, a discontinuous derivative has the value of the piece that begins there.
   TD_ERROR_ARGUMENT: an argument is NULL, an index is out of range, or the model has no such
   follower because its joint is fixed. Cost: O(log points). */
TD_API td_status td_curve_value(const td_model *model, size_t follower, size_t k, double position,
                                double value[4]);

#ifdef __cplusplus
}
#endif
#endif
