/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a position is outside its limits. All checks of limits share this tolerance.
 * Positions of followers and of loop joints are computed, so they reach a limit only up to
 * rounding.
 */
#ifndef TD_LIMIT_H
#define TD_LIMIT_H

#include <math.h>
#include <stdbool.h>

/* Returns the tolerance of a limit: 1e-9 rad or m, relative above 1. */
static inline double td_limit_tolerance(double limit)
{
    return 1e-9 * (1 + fabs(limit));
}

/* Return whether a position is outside of its limits. Infinite and NaN limits mean no limit. */
static inline bool td_is_below(double position, double lower)
{
    return position < lower - td_limit_tolerance(lower);
}

static inline bool td_is_above(double position, double upper)
{
    return position > upper + td_limit_tolerance(upper);
}

static inline bool td_is_outside(double position, double lower, double upper)
{
    return td_is_below(position, lower) || td_is_above(position, upper);
}

#endif
