/* SPDX-License-Identifier: MIT */
/*
 * Splines through points: the slopes, and of fifth degree the second derivatives, that pieces
 * between two points have to have at them.
 */
#ifndef TD_SPLINE_H
#define TD_SPLINE_H

#include <stdbool.h>
#include <stddef.h>

/* The most coefficients that a piece has. */
enum { TD_SPLINE_POWERS = 6 };

/* How the unknown derivatives at the two ends are decided. */
typedef enum td_spline_ends {
    TD_SPLINE_NATURAL,  /* f'' = 0; of fifth degree f'''' = 0 too */
    TD_SPLINE_CLAMPED,  /* f', of fifth degree f'' too, have the values that slope and bend hold */
    TD_SPLINE_PERIODIC, /* all derivatives of the two ends are the same */
} td_spline_ends;

/* x (n, ascending), value → slope and, of fifth degree, bend = f'' at the points, such that f is
   C² (third degree) or C⁴ (fifth). At least 2 points, 3 of periodic ones. False without memory.
   Third degree: C. de Boor, A Practical Guide to Splines, chapter IV; fifth likewise, by continuity
   of f''' and f''''. O(n). */
bool td_spline_derivatives(int degree, td_spline_ends ends, size_t n, const double *x,
                           const double *value, double *slope, double *bend);

/* The piece of a spline over a distance h by what it has at its two ends: coefficients of ascending
   powers of the distance from the first one, degree + 1 of them. bend: of fifth degree alone. */
void td_spline_piece(int degree, double h, const double value[2], const double slope[2],
                     const double bend[2], double coefficient[TD_SPLINE_POWERS]);

#endif
