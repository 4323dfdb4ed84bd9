/* SPDX-License-Identifier: MIT */
/*
 * Splines through points: computes slopes and, for quintics, second derivatives at the points.
 */
#ifndef TD_SPLINE_H
#define TD_SPLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"

/* largest number of coefficients of a piece */
enum { TD_SPLINE_POWERS = 6 };

/* The conditions at the two ends. */
typedef enum td_spline_ends {
    TD_SPLINE_NATURAL,  /* f'' = 0; for quintics also f'''' = 0 */
    TD_SPLINE_CLAMPED,  /* f', and for quintics f'', are given in slope and bend */
    TD_SPLINE_PERIODIC, /* all derivatives agree at the two ends */
} td_spline_ends;

/* Computes slope and, for quintics, bend = f'' at the points from x (n, ascending) and value, so
   that f is C² (cubic) or C⁴ (quintic). Needs at least 2 points, 3 for periodic splines. Returns
   false if memory is exhausted. Cubics follow C. de Boor, A Practical Guide to Splines, chapter
   IV; quintics likewise, by continuity of f''' and f''''. O(n). */
TD_PRIVATE bool td_spline_derivatives(int degree, td_spline_ends ends, size_t n, const double *x,
                                      const double *value, double *slope, double *bend);

/* Computes a piece of a spline over a distance h from the values at its ends. coefficient
   receives degree + 1 coefficients of ascending powers of the distance from the first end.
   `bend` is only used for quintics. */
TD_PRIVATE void td_spline_piece(int degree, double h, const double value[2], const double slope[2],
                                const double bend[2], double coefficient[TD_SPLINE_POWERS]);

#endif
