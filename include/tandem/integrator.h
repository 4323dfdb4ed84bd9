/* SPDX-License-Identifier: MIT */
/*
 * The integration methods of a simulation (simulation.h): fixed steps for real time, and adaptive
 * steps. Between steps each method has a continuous solution, in which events are located.
 */
#ifndef TANDEM_INTEGRATOR_H
#define TANDEM_INTEGRATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Integration methods for ẋ = f(t, x) with steps of length h. J is the Jacobian ∂f/∂x. */
typedef enum td_method {
    /* Dormand and Prince 1980: order 5 with an error estimate of order 4, adaptive. Between steps
       it uses a polynomial of order 4 (Hairer, Nørsett and Wanner, Solving ODEs I, II.6). */
    TD_METHOD_DORMAND_PRINCE,
    /* The classical Runge-Kutta method: order 4, fixed step. Between steps it uses a cubic. */
    TD_METHOD_RK4,
    /* Semi-implicit Euler: order 1, fixed step, two evaluations. It updates velocities first, then
       positions with the new velocities. Between steps it uses a cubic. */
    TD_METHOD_SEMI_IMPLICIT_EULER,
    /* For stiff equations: Radau IIA of order 9 with five stages, adaptive (Hairer and Wanner,
       Solving ODEs II, IV.8). Between steps it uses the polynomial of degree 5 through the stages.
       It stores a Jacobian, and factors that are seven times as large. The error estimate has only
       order 5. It is therefore compared with 0.1 tol^(3/5) instead of tol. */
    TD_METHOD_RADAU,
    /* Selects an explicit method by tolerance, and switches to TD_METHOD_RADAU where the equations
       are stiff. The explicit method is TD_METHOD_DORMAND_PRINCE, or TD_METHOD_DORMAND_PRINCE_8 if
       rtol (atol if rtol is 0) is below 1e-7, which is 1e-9 per step.

       It switches to Radau after ten steps near the limit of stability (Hairer and Wanner, IV.2):
       longer than 2.5/ρ(J), or 4.6/ρ(J) for order 8, where ρ is the spectral radius. It switches
       back after twenty steps of Radau shorter than 3/ρ(J), or 5.5/ρ(J). States of more than 400
       numbers, whose Jacobian is large, always use the explicit method. Robots with flexible links
       begin with Radau. */
    TD_METHOD_AUTO,
    /* For small tolerances: order 8 with 12 stages and error estimates of orders 5 and 3, adaptive
       (DOP853 by Dormand and Prince: Hairer, Nørsett and Wanner, Solving ODEs I, II.5 and II.10).

       Between steps it uses a polynomial of order 7, which takes three more evaluations the first
       time. If these fail, or if the polynomial is first used after an event, it has order 6 and
       needs none. */
    TD_METHOD_DORMAND_PRINCE_8,
    /* Exponential Rosenbrock-Euler method, fixed step, exact for linear equations (Pope 1963;
       Hochbruck and Ostermann 2010). With ẋ = J x + N(t, x) it keeps N constant over a step
       (zero-order hold): x⁺ = x + h φ₁(hJ) f(t, x). Its order is 2, or 1 if f depends on t. A step
       takes one evaluation and a Jacobian, O(n³). Between steps it uses a cubic. Linear vibrations
       faster than the steps stay accurate. */
    TD_METHOD_EXPONENTIAL,
    /* Like TD_METHOD_EXPONENTIAL, but N is linear in time over a step (first-order hold; ETD2RK of
       Cox and Matthews 2002): x⁺⁺ = x⁺ + h φ₂(hJ) (f(t + h, x⁺) − f(t, x) − J (x⁺ − x)). Its order
       is 2, and a step takes two evaluations.
     */
    TD_METHOD_EXPONENTIAL_LINEAR,
} td_method;

/* Returns whether a method has steps of fixed length. */
static inline bool td_method_is_fixed(td_method method)
{
    return method == TD_METHOD_RK4 || method == TD_METHOD_SEMI_IMPLICIT_EULER ||
           method == TD_METHOD_EXPONENTIAL || method == TD_METHOD_EXPONENTIAL_LINEAR;
}

/* Options of the integrator. Start from td_integrator_options_default(). */
typedef struct td_integrator_options {
    size_t size_of;
    td_method method; /* default TD_METHOD_AUTO */
    double step; /* s; default 0. Fixed steps: their length; 0 means 1e-3. Adaptive steps: length of
                    the first; 0 means automatic */
    /* default 1e-8 and 0: the error estimate of x_i in an adaptive step is at most atol + rtol ·
       |x_i|. If atol is 0, it has the value of rtol, in the units of x. Simulations use a hundredth
       of both. */
    double rtol, atol;
    double longest; /* the longest adaptive step, s; default 0: no limit */
    /* default 4: number of parts into which the search for events divides a step. Two changes of
       sign within one part are found only if a polynomial through the values at the ends of four
       parts shows them. */
    size_t event_parts;
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
    /* accepted steps, rejected steps, evaluations of the accelerations */
    size_t steps, rejected, evaluations;
    size_t stiff;     /* accepted steps of TD_METHOD_RADAU */
    size_t jacobians; /* computed in closed form or by differences */
} td_integrator_counts;

#ifdef __cplusplus
}
#endif
#endif
