/* SPDX-License-Identifier: MIT */
/*
 * Integration of ordinary differential equations ẋ = f(t, x): methods with a fixed step for real
 * time, and an adaptive one with a continuous solution between its steps, in which events are
 * located. It knows nothing of robots; simulation.h integrates their motion by it. It is part of
 * libtandem-simulation, not of libtandem.
 *
 * An integrator allocates when it is made and never again (TD_METHOD_CVODE: what CVODE does aside);
 * its functions neither lock nor do I/O. One thread at a time may use it.
 */
#ifndef TANDEM_INTEGRATOR_H
#define TANDEM_INTEGRATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The equations. Start from td_ode_default().
 *
 * rate writes f(t, x) (size). Where it returns another status than TD_OK, the adaptive method tries
 * a shorter step, and a step that cannot be made shorter ends with that status.
 * project, which may be NULL, brings x back to where it belongs after every step (a quaternion to
 * unit length): by no more than the error of the step.
 * event, which may be NULL, writes events numbers. An event happens where its number, which was
 * positive, becomes zero or negative; it is continuous along x(t).
 */
typedef struct td_ode {
    size_t size_of;
    size_t size;      /* numbers in x */
    size_t positions; /* of the semi-implicit method: the first so many are moved by the rates at
                         the new values of the others */
    size_t events;
    td_status (*rate)(void *context, double t, const double *x, double *rate);
    void (*project)(void *context, double t, double *x);
    td_status (*event)(void *context, double t, const double *x, double *values);
    void *context;     /* handed to all of these */
    size_t velocities; /* of TD_METHOD_RADAU: so many behind the positions are their velocities,
                          whose errors count by the way that they make within the step. Vibrations
                          that are faster than the steps are damped then, where their deflections
                          are below tolerance; 0: all numbers are alike */
    /* NULL, or of TD_METHOD_RADAU (in TD_METHOD_AUTO too), TD_METHOD_CVODE and the exponential
       methods: writes ∂f/∂x (size × size, by rows). Where there is none, or it returns another
       status than TD_OK or numbers that are not finite, it is taken by differences, size calls of
       rate. Implicit methods have their tolerance also with one that is not exact, as long as their
       iterations converge by it; exponential methods have their order with an exact one alone */
    td_status (*jacobian)(void *context, double t, const double *x, double *J);
} td_ode;

TD_API void td_ode_init(td_ode *ode, size_t size_of);

static inline td_ode td_ode_default(void)
{
    td_ode ode;
    td_ode_init(&ode, sizeof ode);
    return ode;
}

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
       with its own polynomial between steps; a Jacobian of size² numbers (td_ode.jacobian). Only
       where td_method_available */
    TD_METHOD_CVODE,
    /* for stiff equations: Radau IIA of order 9 in five stages, adaptive (Hairer and Wanner,
       Solving ODEs II, IV.8), with the polynomial of degree 5 through its stages between steps; a
       Jacobian (td_ode.jacobian), and seven times as much for its factors. The estimate of the
       error, of order 5, is kept below 0.1 tol^(3/5) in place of tol: the result is of higher order
       */
    TD_METHOD_RADAU,
    /* TD_METHOD_DORMAND_PRINCE, or with rtol (atol where that is 0) below 1e-9
       TD_METHOD_DORMAND_PRINCE_8; and TD_METHOD_RADAU where the equations are stiff: from where ten
       steps were as long as stability lets them be (Hairer and Wanner, IV.2) to where twenty were
       shorter than three of the former. Equations of more than 400 numbers, whose Jacobian is
       large, stay with the former; with td_ode.velocities it begins with the latter */
    TD_METHOD_AUTO,
    /* order 8 in 12 stages, with error estimates of orders 5 and 3, adaptive (Dormand and Prince's
       DOP853: Hairer, Nørsett and Wanner, Solving ODEs I, II.5 and II.10): for small tolerances.
       Between steps a polynomial of order 7, which takes three more evaluations where it is asked
       for; of order 6, and no more evaluations, where the rate fails in them, and where it is asked
       for after td_integrator_jump alone */
    TD_METHOD_DORMAND_PRINCE_8,
    /* exponential, fixed step: exact for linear equations. Of ẋ = J x + N(t, x) about the state
       where the step begins N is held (zero-order hold): x⁺ = x + h φ₁(hJ) f(t, x) (Pope 1963;
       exponential Rosenbrock-Euler, Hochbruck and Ostermann 2010). Order 2, where f depends on t 1;
       one evaluation and a Jacobian (td_ode.jacobian), O(size³); cubic between steps. Vibrations
       faster than the steps stay where they are linear */
    TD_METHOD_EXPONENTIAL,
    /* the same with N on a straight line to what it is at the end of that (first-order hold; ETD2RK
       of Cox and Matthews 2002): x⁺⁺ = x⁺ + h φ₂(hJ) (f(t + h, x⁺) − f(t, x) − J (x⁺ − x)). Order
       2, two evaluations */
    TD_METHOD_EXPONENTIAL_LINEAR,
} td_method;

/* Whether this build has the method: TD_METHOD_CVODE is built where SUNDIALS is found. */
TD_API bool td_method_available(td_method method);

/* Whether its steps have a fixed length. */
TD_API bool td_method_is_fixed(td_method method);

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

TD_API void td_integrator_options_init(td_integrator_options *options, size_t size_of);

static inline td_integrator_options td_integrator_options_default(void)
{
    td_integrator_options options;
    td_integrator_options_init(&options, sizeof options);
    return options;
}

typedef struct td_integrator td_integrator;

/* options NULL: the defaults. It copies both. It must be started before it is stepped.
   TD_ERROR_ARGUMENT: NULL, no rate, no numbers, positions beyond size, events without a function,
   an option out of its range, or a method that is not available; TD_ERROR_MEMORY. *integrator is
   NULL then. */
TD_API td_status td_integrator_new(const td_ode *ode, const td_integrator_options *options,
                                   td_integrator **integrator);
TD_API void td_integrator_free(td_integrator *integrator);

/* Begins at t with x (size), or goes on from a state that has jumped: no step is kept. The next
   step of the adaptive method is as long as options.step, chosen anew where that is 0.
   TD_ERROR_ARGUMENT (NULL), TD_ERROR_NOT_FINITE: the integrator is as before. */
TD_API td_status td_integrator_start(td_integrator *integrator, double t, const double *x);

/* One step, or part of one, to not later than until; none where until is reached. Where
   a fixed step ends within 1e-9 of itself of until, it ends there. On failure the state is that
   before the step: the status of rate or event (where the rate fails, the adaptive method ends
   about a billionth of a step before that); TD_ERROR_STEP: the step that keeps the tolerances
   is below rounding of t; TD_ERROR_NOT_FINITE: x or its rate are no numbers (with a fixed step; the
   adaptive one tries shorter ones first); TD_ERROR_ARGUMENT: NULL, not started, until is before t
   or NaN. */
TD_API td_status td_integrator_step(td_integrator *integrator, double until);

/* Time and state (size numbers, valid until the next call) after the last step, and when that step
   began. 0 and NULL for NULL. */
TD_API double td_integrator_time(const td_integrator *integrator);
TD_API double td_integrator_begin(const td_integrator *integrator);
TD_API const double *td_integrator_state(const td_integrator *integrator);

/* x (size) at a time t within the last step, by its polynomial, projected. The methods with a
   fixed step evaluate the rate at the end of the step for it, which the next step takes over;
   TD_METHOD_DORMAND_PRINCE_8 at three times within it, once.
   TD_ERROR_ARGUMENT: NULL, or t is outside of the step (before any: not the start); a status of
   rate. x is NaN then, but for NULL. */
TD_API td_status td_integrator_at(td_integrator *integrator, double t, double *x);

/* The earliest event within the last step: *t its time, to rounding, on the far side; *happened
   (events bytes) 1 for those that have happened by then. *t is infinite and all are 0 where none
   has. Event values at the begin of the step that are not positive do not count until they have
   been. A status of event or rate; TD_ERROR_ARGUMENT (NULL). */
TD_API td_status td_integrator_locate(td_integrator *integrator, double *t,
                                      unsigned char *happened);

/* Ends the last step at t, within it: the state becomes that of td_integrator_at. Errors as
   there. */
TD_API td_status td_integrator_cut(td_integrator *integrator, double t);

/* Goes on from x (size) at the same time, where the state jumps or the equations change: the last
   step stays and is still to be asked for, its end having two states, of which td_integrator_at
   gives the one after. The next step is at most as long as the last one was to be. As
   td_integrator_start. */
TD_API td_status td_integrator_jump(td_integrator *integrator, const double *x);

/* What it took since td_integrator_new: steps, steps that were rejected, calls of rate. */
typedef struct td_integrator_counts {
    size_t size_of;
    size_t steps, rejected, evaluations; /* evaluations of rate */
    size_t stiff;                        /* of the steps, those by TD_METHOD_RADAU */
    size_t jacobians;                    /* by td_ode.jacobian or by differences */
} td_integrator_counts;

TD_API void td_integrator_counts_read(const td_integrator *integrator, td_integrator_counts *counts,
                                      size_t size_of);

static inline td_integrator_counts td_integrator_counts_of(const td_integrator *integrator)
{
    td_integrator_counts counts;
    td_integrator_counts_read(integrator, &counts, sizeof counts);
    return counts;
}

#ifdef __cplusplus
}
#endif
#endif
