/* SPDX-License-Identifier: MIT */
/*
 * The integrators that simulation.h integrates motion with: methods with a fixed step for real
 * time, and adaptive ones with a continuous solution between their steps, in which events are
 * located.
 */
#ifndef TANDEM_INTEGRATOR_H
#define TANDEM_INTEGRATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_method {
    /* order 5 with an error estimate of order 4, adaptive (Dormand and Prince 1980); between steps
       a polynomial of order 4 (Hairer, Nørsett and Wanner, Solving ODEs I, II.6) */
    TD_METHOD_DORMAND_PRINCE,
    /* the classical method of order 4, fixed step; cubic between steps */
    TD_METHOD_RK4,
    /* order 1, fixed step, two evaluations: velocities first, positions by the new ones; cubic
       between steps */
    TD_METHOD_SEMI_IMPLICIT_EULER,
    /* for stiff equations: backward differentiation of orders 1 to 5 by SUNDIALS' CVODE, adaptive,
       with its own polynomial between steps; a Jacobian of size² numbers, size being that of the
       state. Only where td_method_available */
    TD_METHOD_CVODE,
    /* for stiff equations: Radau IIA of order 9 in five stages, adaptive (Hairer and Wanner,
       Solving ODEs II, IV.8), with the polynomial of degree 5 through its stages between steps; a
       Jacobian, and seven times as much memory for its factors. The estimate of the
       error, of order 5, is kept below 0.1 tol^(3/5) in place of tol: the result is of higher order
       */
    TD_METHOD_RADAU,
    /* TD_METHOD_DORMAND_PRINCE, or with rtol (atol where that is 0) below 1e-9
       TD_METHOD_DORMAND_PRINCE_8; and TD_METHOD_RADAU where the equations are stiff: from where ten
       steps were as long as stability lets them be (Hairer and Wanner, IV.2) to where twenty were
       shorter than three of the former. Equations of more than 400 numbers, whose Jacobian is
       large, stay with the former. A robot with flexible links begins with the latter */
    TD_METHOD_AUTO,
    /* order 8 in 12 stages, with error estimates of orders 5 and 3, adaptive (Dormand and Prince's
       DOP853: Hairer, Nørsett and Wanner, Solving ODEs I, II.5 and II.10): for small tolerances.
       Between steps a polynomial of order 7, which takes three more evaluations where it is asked
       for; of order 6, and no more evaluations, where the rate fails in them, and where it is first
       asked for after an event */
    TD_METHOD_DORMAND_PRINCE_8,
    /* exponential, fixed step: exact for linear equations. Of ẋ = J x + N(t, x) about the state
       where the step begins N is held (zero-order hold): x⁺ = x + h φ₁(hJ) f(t, x) (Pope 1963;
       exponential Rosenbrock-Euler, Hochbruck and Ostermann 2010). Order 2, where f depends on t 1;
       one evaluation and a Jacobian, O(size³); cubic between steps. Vibrations
       faster than the steps stay where they are linear */
    TD_METHOD_EXPONENTIAL,
    /* the same with N on a straight line to what it is at the end of that (first-order hold; ETD2RK
       of Cox and Matthews 2002): x⁺⁺ = x⁺ + h φ₂(hJ) (f(t + h, x⁺) − f(t, x) − J (x⁺ − x)). Order
       2, two evaluations */
    TD_METHOD_EXPONENTIAL_LINEAR,
} td_method;

/* Whether this build has the method: TD_METHOD_CVODE is built where SUNDIALS is found. */
TD_API bool td_method_available(td_method method);

/* Returns whether the steps of a method have a fixed length. */
static inline bool td_method_is_fixed(td_method method)
{
    return method == TD_METHOD_RK4 || method == TD_METHOD_SEMI_IMPLICIT_EULER ||
           method == TD_METHOD_EXPONENTIAL || method == TD_METHOD_EXPONENTIAL_LINEAR;
}

typedef struct td_integrator_options {
    size_t size_of;
    td_method method;   /* TD_METHOD_AUTO */
    double step;        /* s; fixed: 0 means 1e-3; adaptive: the first one, 0: chosen */
    double rtol, atol;  /* 1e-8 and 0: the error estimate of a step in each x_i is at most
                           atol + rtol · |x_i|; atol 0 means rtol (in the units of x) */
    double longest;     /* longest step of the adaptive methods, s; 0: none */
    size_t event_parts; /* 4: a step is searched for events in so many parts; an event value that
                           changes its sign twice within a part is seen as far as a polynomial
                           through the values at the ends of four parts shows it */
} td_integrator_options;

static inline td_integrator_options td_integrator_options_default(void)
{
    TD_SIZED(td_integrator_options, options);
    options.method = TD_METHOD_AUTO;
    options.rtol = 1e-8;
    options.event_parts = 4;
    return options;
}

/* Work since td_simulation_new. */
typedef struct td_integrator_counts {
    size_t size_of;
    size_t steps, rejected, evaluations; /* evaluations: of the accelerations */
    size_t stiff;                        /* of the steps, those by TD_METHOD_RADAU */
    size_t jacobians;                    /* in closed form or by differences */
} td_integrator_counts;

#ifdef __cplusplus
}
#endif
#endif
