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

/* Counts the states that inputs reach, mode by mode: *reached is how many surely are, *most (may be
   NULL) how many may be; where they differ, rounding hides the rest. All n: controllable. margin
   (n, may be NULL) says, in the order of td_linear_eigenvalues, how far each mode is from not being
   reached: the length of wᵀ B of an orthonormal basis w of its left eigenvectors (two of a pair of
   conjugates), where A is balanced and the magnitudes in each column of B sum to one. Eigenvalues
   that rounding does not tell apart (Jordan blocks; modes whose left vectors it turns into each
   other by more than the tolerance) form a group, whose reached states have the smallest pivot of
   its staircase. Modes that nothing moves have 1e-17 to 1e-13 there. Up to tolerance (positive; 0
   stands for 1e-10) a mode counts as not reached, up to 100 tolerance as unsure. So a mode that
   inputs do reach, but by less than tolerance, counts as not reached: one that rings at the far end
   of a chain of unlike springs. Balancing passes over numbers within rounding of zero (8 n
   DBL_EPSILON of the largest), and modes some 1e14 times as slow as the fastest one are one
   eigenvalue, zero. So states are to be in units in which their numbers are of like size, as SI
   units of a robot are. Units of inputs and of time have no influence. After TD_ERROR_ARGUMENT
   nothing is written. O(n³). */
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
