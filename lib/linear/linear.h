/* SPDX-License-Identifier: MIT */
/*
 * Linear systems: n states, m inputs, A (n × n), B (n × m). Only the command and the Python package
 * use these functions, to analyze linear models.
 *
 * All functions allocate memory (TD_ERROR_MEMORY) and take O((n + m)³) operations. Inputs that are
 * not finite give TD_ERROR_NOT_FINITE. After a failure, matrices and eigenvalues are NaN.
 * TD_ERROR_ARGUMENT leaves outputs unchanged, except in td_linear_regulator.
 */
#ifndef TD_LINEAR_H
#define TD_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"
#include "tandem/model.h"
#include "tandem/status.h"
#include "tandem/workspace.h"

/* Computes the eigenvalues of A into real and imaginary (n numbers each). They are ordered by
   magnitude, equal ones (to 1e-9) by real part; conjugate pairs are next to each other. A
   vibration has the natural frequency |λ| (rad/s) and the damping ratio −Re λ / |λ|. */
TD_PRIVATE td_status td_linear_eigenvalues(size_t n, const double *A, double *real,
                                           double *imaginary);

/* Computes x(t + dt) = Ad x + Bd u for inputs that are constant over dt. This is the exponential
   of ((A, B), (0, 0)) dt, by a Padé approximant of order 13 with scaling and squaring (Higham,
   2005). */
TD_PRIVATE td_status td_linear_discrete(size_t n, size_t m, const double *A, const double *B,
                                        double dt, double *Ad, double *Bd);

/* Counts the states that inputs reach, mode by mode. *reached is the number of states that are
   certainly reached. *most (may be NULL) also counts undecided ones. The system is controllable
   if all n states are reached.

   margin (n, may be NULL, in the order of td_linear_eigenvalues) tells how far each mode is from
   not being reached. It is the length of wᵀ B for an orthonormal basis w of its left
   eigenvectors (two for a conjugate pair). A is balanced for this, and the magnitudes in each
   column of B are scaled to sum to one. Eigenvalues that rounding cannot separate form a group:
   Jordan blocks, and modes whose left eigenvectors rounding rotates into each other by more than
   the tolerance. Reached states of a group have the smallest pivot of its staircase as their
   margin. Modes that no input moves have margins of 1e-17 to 1e-13.

   Margins up to tolerance (positive; 0 means 1e-10) count as not reached, up to 100 tolerance as
   undecided. A mode that inputs reach by less than tolerance therefore counts as not reached:
   for example a mode at the far end of a chain of dissimilar springs. Balancing ignores numbers
   within rounding of zero (8 n DBL_EPSILON of the largest). Modes about 1e14 times slower than
   the fastest one are merged into one eigenvalue, zero. So choose units in which all states have
   similar magnitudes, such as SI units for a robot. Units of inputs and of time do not matter.
   O(n³). */
TD_PRIVATE td_status td_linear_controllable(size_t n, size_t m, const double *A, const double *B,
                                            double tolerance, size_t *reached, size_t *most,
                                            double *margin);

/* Computes the gain K (m × n) for which u = −K x minimizes ∫ xᵀQx + uᵀRu dt, or its sum over the
   steps of a discrete system. Also computes the cost-to-go matrix S (n × n, may be NULL): the
   cost from x is xᵀSx. Q (n × n) and R (m × m) are symmetric, Q positive semidefinite and R
   positive definite (otherwise TD_ERROR_ARGUMENT). Uses the structure-preserving doubling
   algorithm for Riccati equations (Chu, Fan, Lin and Wang, 2004), then Newton steps.
   TD_ERROR_RICCATI: no gain stabilizes the system, at least not beyond rounding, or Q does not
   observe an unstable mode. */
TD_PRIVATE td_status td_linear_regulator(size_t n, size_t m, const double *A, const double *B,
                                         const double *Q, const double *R, bool discrete, double *K,
                                         double *S);

/* Directions of ẏ that a gain leaves out: per direction its entry that is 1, and nyd numbers. */
typedef struct td_linear_directions {
    size_t count, *entry; /* room for td_idle_count */
    double *direction;
} td_linear_directions;

/* Finds the idle directions at y (td_idle_directions) that inputs do not move: motors, or forces in
   all coordinates (motors = false), which move all with inertia. Errors as in td_idle_directions.
 */
TD_PRIVATE td_status td_linear_idle(const td_model *model, td_workspace *workspace, const double *y,
                                    bool motors, td_linear_directions *idle);

/* Inputs of td_linear_regulator. n: twice nyd, positions and velocities */
typedef struct td_linear_problem {
    size_t n, m;
    const double *A, *B, *Q, *R;
    bool discrete;
} td_linear_problem;

/* Computes K and S as td_linear_regulator, but without the states of idle directions, which neither
   K nor the cost depends on. S may be NULL. Valid at rest and in motions along which A leaves these
   directions invariant. */
TD_PRIVATE td_status td_linear_regulator_beside(const td_linear_directions *idle,
                                                const td_linear_problem *problem, double *K,
                                                double *S);

#endif
