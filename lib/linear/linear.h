/* SPDX-License-Identifier: MIT */
/*
 * Linear systems: n states, m inputs, A (n × n), B (n × m). The command and the Python package
 * analyze linear models with these functions; the shared library does not export them.
 *
 * They allocate (TD_ERROR_MEMORY), and take O((n + m)³). Numbers that are not finite are
 * TD_ERROR_NOT_FINITE; matrices and eigenvalues are NaN after failures, but after
 * TD_ERROR_ARGUMENT, which writes nothing but for the regulator's.
 */
#ifndef TD_LINEAR_H
#define TD_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/status.h"

/* Eigenvalues of A, pairs of conjugates next to each other, ordered by their magnitude, equal ones
   (to 1e-9) by their real part. Of a vibration the natural frequency is |λ| (rad/s) and the damping
   ratio −Re λ / |λ|. real and imaginary have n numbers. */
td_status td_linear_eigenvalues(size_t n, const double *A, double *real, double *imaginary);

/* x(t + dt) = Ad x + Bd u for inputs that are constant over dt: the exponential of ((A, B), (0, 0))
   dt, by Padé's approximant of order 13 with scaling and squaring (Higham, 2005). */
td_status td_linear_discrete(size_t n, size_t m, const double *A, const double *B, double dt,
                             double *Ad, double *Bd);

/* What inputs reach, mode by mode (Popov, Belevitch and Hautus): the modes of an eigenvalue λ of A
   are reached where (A − λ, B) has full rank. *reached is how many surely are, *most (may be NULL)
   how many may be: where they differ, rounding hides the rest. All n: controllable. margin (n, may
   be NULL) has, in the order of td_linear_eigenvalues, how far each mode is from not being reached:
   the last pivot of that matrix, its rows and columns in units that make their largest entries one.
   Modes that nothing moves have 1e-17 to 1e-13 there, or the rounding of A. Up to tolerance
   (positive; 0 stands for 1e-10) a mode counts as not reached, up to 100 tolerance as unsure, and
   where other units, as good, show more. So a mode that inputs do reach, but by less than
   tolerance, counts as not reached: one that rings at the far end of a chain of unlike springs, or
   is slow beside others that are fast. Of modes with one λ, as many as have left vectors of their
   own are not reached, those of Jordan blocks included; where rounding hides how many there are,
   they are unsure, with a margin of 10 tolerance. Numbers of A that are within rounding of zero (16
   n DBL_EPSILON of the largest in their row or column) are taken as zero, and such of B beside
   their column, and modes some 1e14 times as slow as the fastest one are one eigenvalue, zero. So
   states are to be in units in which their numbers are of like size, as SI units of a robot are;
   units that are 1e4 times too large or small may lose what tells two parts apart. Units of inputs
   and of time have no influence. After TD_ERROR_ARGUMENT nothing is written. O(n³ (n + m)): 120
   states of a robot take 0.1 s. */
td_status td_linear_controllable(size_t n, size_t m, const double *A, const double *B,
                                 double tolerance, size_t *reached, size_t *most, double *margin);

/* The gain K (m × n) with which u = −K x makes ∫ xᵀQx + uᵀRu dt least, or the sum of that over the
   steps of a discrete system, and the cost S (n × n, may be NULL): xᵀSx from x on. Q (n × n) and R
   (m × m) are symmetric, Q without negative eigenvalues, R with positive ones (TD_ERROR_ARGUMENT).
   By the doubling iteration that keeps the structure of Riccati's equation (Chu, Fan, Lin and Wang,
   2004), then Newton's steps. TD_ERROR_RICCATI: no gain makes all of the motion stable, or none
   that rounding leaves, or Q does not see something that is not stable. */
td_status td_linear_regulator(size_t n, size_t m, const double *A, const double *B, const double *Q,
                              const double *R, bool discrete, double *K, double *S);

#endif
