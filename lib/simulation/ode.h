/* SPDX-License-Identifier: MIT */
/*
 * Integration of ordinary differential equations ẋ = f(t, x). It knows nothing of robots; the
 * simulation integrates their motion by it.
 *
 * An integrator allocates when it is made and never again (TD_METHOD_CVODE: what CVODE does aside);
 * its functions neither lock nor do I/O. One thread at a time may use it.
 */
#ifndef TD_ODE_H
#define TD_ODE_H

#include "tandem/integrator.h"

/*
 * The equations. Members that are not set are zero: none.
 *
 * rate writes f(t, x) (size). Where it returns another status than TD_OK, the adaptive method tries
 * a shorter step, and a step that cannot be made shorter ends with that status.
 * project, which may be NULL, brings x back to where it belongs after every step (a quaternion to
 * unit length): by no more than the error of the step.
 * event, which may be NULL, writes events numbers. An event happens where its number, which was
 * positive, becomes zero or negative; it is continuous along x(t).
 */
typedef struct td_ode {
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

typedef struct td_integrator td_integrator;

/* options NULL: the defaults. It copies both. It must be started before it is stepped.
   TD_ERROR_ARGUMENT: NULL, no rate, no numbers, positions beyond size, events without a function,
   an option out of its range, or a method that is not available; TD_ERROR_MEMORY. *integrator is
   NULL then. */
td_status td_integrator_new(const td_ode *ode, const td_integrator_options *options,
                            td_integrator **integrator);
void td_integrator_free(td_integrator *integrator);

/* Begins at t with x (size), or goes on from a state that has jumped: no step is kept. The next
   step of the adaptive method is as long as options.step, chosen anew where that is 0.
   TD_ERROR_ARGUMENT (NULL), TD_ERROR_NOT_FINITE: the integrator is as before. */
td_status td_integrator_start(td_integrator *integrator, double t, const double *x);

/* One step, or part of one, to not later than until; none where until is reached. Where
   a fixed step ends within 1e-9 of itself of until, it ends there. On failure the state is that
   before the step: the status of rate or event (where the rate fails, the adaptive method ends
   about a billionth of a step before that); TD_ERROR_STEP: the step that keeps the tolerances
   is below rounding of t; TD_ERROR_NOT_FINITE: x or its rate are no numbers (with a fixed step; the
   adaptive one tries shorter ones first); TD_ERROR_ARGUMENT: NULL, not started, until is before t
   or NaN. */
td_status td_integrator_step(td_integrator *integrator, double until);

/* Time and state (size numbers, valid until the next call) after the last step, and when that step
   began. 0 and NULL for NULL. */
double td_integrator_time(const td_integrator *integrator);
double td_integrator_begin(const td_integrator *integrator);
const double *td_integrator_state(const td_integrator *integrator);

/* x (size) at a time t within the last step, by its polynomial, projected. The methods with a
   fixed step evaluate the rate at the end of the step for it, which the next step takes over;
   TD_METHOD_DORMAND_PRINCE_8 at three times within it, once.
   TD_ERROR_ARGUMENT: NULL, or t is outside of the step (before any: not the start); a status of
   rate. x is NaN then, but for NULL. */
td_status td_integrator_evaluate(td_integrator *integrator, double t, double *x);

/* The earliest event within the last step: *t its time, to rounding, on the far side; *happened
   (events bytes) 1 for those that have happened by then. *t is infinite and all are 0 where none
   has. Event values at the begin of the step that are not positive do not count until they have
   been. A status of event or rate; TD_ERROR_ARGUMENT (NULL). */
td_status td_integrator_locate(td_integrator *integrator, double *t, unsigned char *happened);

/* Ends the last step at t, within it: the state becomes that of td_integrator_evaluate. Errors as
   there. */
td_status td_integrator_cut(td_integrator *integrator, double t);

/* Goes on from x (size) at the same time, where the state jumps or the equations change: the last
   step stays and is still to be asked for, its end having two states, of which
   td_integrator_evaluate gives the one after. The next step is at most as long as the last one was
   to be. As td_integrator_start. */
td_status td_integrator_jump(td_integrator *integrator, const double *x);

/* What it took since td_integrator_new; all 0 for NULL. */
td_integrator_counts td_integrator_counts_of(const td_integrator *integrator);

#endif
