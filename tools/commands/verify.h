/* SPDX-License-Identifier: MIT */
/*
 * Checks identities of dynamics on a robot at random states: two functions of the library must
 * agree if they compute a result in different ways. A residual is relative to the largest number of
 * its kind. Forces are compared in the coordinates √H_ii q_i, in which small and large links, and
 * meters and radians, have equal weight. Accelerations are compared by the forces that their
 * difference requires, so that an ill-conditioned mass matrix does not fail.
 */
#ifndef TOOL_VERIFY_H
#define TOOL_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/coordinates.h"
#include "input/session.h"

/* X(name, tolerance, description) */
#define IDENTITY_TABLE(X)                                                                          \
    X(inverse_forward, 1e-10, "forward dynamics undoes inverse dynamics")                          \
    X(equation_of_motion, 1e-11, "tau = H qdd + C")                                                \
    X(mass_columns, 1e-11, "columns of H by inverse dynamics")                                     \
    X(mass_inverse, 1e-10, "H times its inverse = 1")                                              \
    X(mass_solve, 1e-10, "the solution x satisfies H x = b")                                       \
    X(hybrid, 1e-10, "hybrid dynamics agrees with inverse dynamics")                               \
    X(coriolis, 1e-11, "Coriolis matrix times qd = C - gravity force")                             \
    X(jacobian, 1e-11, "J qd = velocity of links")                                                 \
    X(jacobian_rate, 1e-11, "J qdd + J' qd = acceleration of links")                               \
    X(energy, 1e-11, "energy = qd H qd / 2, -m g COM")                                             \
    X(power, 1e-11, "power of tau = rate of energy")                                               \
    X(momentum, 1e-11, "A qd = momentum")                                                          \
    X(momentum_rate, 1e-11, "A qdd + A' qd = m times acceleration of COM")                         \
    X(reactions, 1e-11, "reaction of a joint along its axis = tau")                                \
    X(loop_reactions, 1e-10, "reaction of a joint driven by loops along its axis = 0")             \
    X(batch_inverse, 1e-11, "a batch agrees with single states, id")                               \
    X(batch_forward, 1e-10, "a batch agrees with single states, fd")                               \
    X(closure, 1e-11, "y is recovered from q = gamma(y)")                                          \
    X(loops, 1e-8, "frames of closed loops meet")                                                  \
    X(actuators, 1e-10, "motor forces and the residual give tau_y and its power")                  \
    X(integration, 1e-11, "difference undoes integration")

enum {
#define IDENTITY_COUNT_ONE(name, tolerance, text) +1
    IDENTITY_COUNT = 0 IDENTITY_TABLE(IDENTITY_COUNT_ONE)
#undef IDENTITY_COUNT_ONE
};

/* The result of an identity. Indices are TD_NONE if they do not apply. */
typedef struct finding {
    const char *name;
    const char *text;
    double tolerance;
    double residual;    /* the largest one; NaN if some number was NaN */
    size_t joint, link; /* where it occurs */
    int state;          /* number of the state, from 1 */
    size_t singular;    /* the joint that moves no inertia, if the identity needs H⁻¹ */
    td_status status;   /* of the first call that failed */
} finding;

/* Checks all identities at random states from the seed. findings has IDENTITY_COUNT entries. */
void verify(const session *s, const coordinates *c, const td_forces *forces, size_t states,
            uint64_t seed, finding *findings);

bool finding_skipped(const finding *f);
bool finding_passed(const finding *f);

#endif
