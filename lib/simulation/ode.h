/* SPDX-License-Identifier: MIT */
/*
 * Integrates ordinary differential equations ẋ = f(t, x), independent of robots. Simulations use
 * it.
 *
 * An integrator allocates only when it is created. Its functions neither lock nor do I/O.
 * Only one thread at a time may use it.
 */
#ifndef TD_ODE_H
#define TD_ODE_H

#include "tandem/integrator.h"

/*
 * The equations. Members that are not set are zero, which means none.
 *
 * rate writes f(t, x) (size). If it returns a status other than TD_OK, an adaptive method tries
 * a shorter step. A step that cannot be made shorter ends with that status. project, which may
 * be NULL, projects x onto the manifold after every step (a quaternion to unit length). It must
 * not change x by more than the error of the step. event, which may be NULL, writes `events`
 * numbers. An event happens when its number, after being positive, becomes zero or negative. The
 * numbers must be continuous along x(t).
 */
typedef struct td_ode {
    size_t size;      /* numbers in x */
    size_t positions; /* for the semi-implicit method: number of leading entries that are moved by
                         the rates at the new values of the others */
    size_t events;
    td_status (*rate)(void *context, double t, const double *x, double *rate);
    void (*project)(void *context, double t, double *x);
    td_status (*event)(void *context, double t, const double *x, double *values);
    void *context;     /* passed to all of these functions */
    size_t velocities; /* for TD_METHOD_RADAU: number of entries after the positions that are their
                          velocities. Their errors count by the displacement within the step, so
                          vibrations faster than the steps are damped if their deflections are below
                          tolerance; 0: all entries are alike */
    /* NULL, or for TD_METHOD_RADAU (also within TD_METHOD_AUTO) and the exponential methods: writes
       ∂f/∂x (size × size, row-major). If it is NULL, fails, or writes numbers that are not finite,
       finite differences replace it (size calls of rate). Radau's method reaches its tolerance with
       an approximate Jacobian too, if its iterations converge. Exponential methods have their order
       only with an exact one */
    td_status (*jacobian)(void *context, double t, const double *x, double *J);
} td_ode;

typedef struct td_integrator td_integrator;

/* Creates an integrator. options NULL means the defaults; both structs are copied. Call
   td_integrator_start before the first step. TD_ERROR_ARGUMENT: NULL, no rate, size 0, positions
   beyond size, events without a function, an option out of range, or a method that is not
   available. TD_ERROR_MEMORY: no memory. *integrator is then NULL. */
td_status td_integrator_new(const td_ode *ode, const td_integrator_options *options,
                            td_integrator **integrator);
void td_integrator_free(td_integrator *integrator);

/* Starts at t with x (size), also after a jump of the state: discards the last step. The next step
   of an adaptive method has the length options.step, or is selected automatically if that is 0.
   Fails with TD_ERROR_ARGUMENT (NULL) or TD_ERROR_NOT_FINITE and leaves the integrator unchanged.
 */
td_status td_integrator_start(td_integrator *integrator, double t, const double *x);

/* Takes one step, or part of one, but not beyond `until`; does nothing if `until` is reached. A
   fixed step that ends within 1e-9 of its length from `until` ends there. A failure restores the
   state before the step. It is a status of rate or event; if rate fails, an adaptive method
   first advances to about a billionth of a step before the failure. TD_ERROR_STEP: the step for
   these tolerances is below rounding of t. TD_ERROR_NOT_FINITE: x or its rate is not finite
   (adaptive methods try shorter steps first). TD_ERROR_ARGUMENT: NULL, not started, or `until`
   is NaN or before t. */
td_status td_integrator_step(td_integrator *integrator, double until);

/* Return time and state (size numbers, valid until the next call) after the last step, and the
   time at which it began. Return 0 and NULL for NULL. */
double td_integrator_time(const td_integrator *integrator);
double td_integrator_begin(const td_integrator *integrator);
const double *td_integrator_state(const td_integrator *integrator);

/* Computes x (size) at a time t within the last step by its polynomial, and projects it. Methods
   with a fixed step evaluate the rate at the end of the step, which the next step reuses;
   TD_METHOD_DORMAND_PRINCE_8 evaluates it at three times within the step, once.
   Fails with TD_ERROR_ARGUMENT for NULL or t outside of the step (without a step: t is not the
   start), or with a status of rate, and fills x with NaN. */
td_status td_integrator_evaluate(td_integrator *integrator, double t, double *x);

/* Finds the earliest event within the last step. *t is its time, to rounding, just after the
   event. happened (events bytes) is 1 for events that have happened by then. Without an event,
   *t is infinite and all are 0. An event whose value is not positive at the beginning of the
   step counts only after its value has been positive. Returns a status of event or rate, or
   TD_ERROR_ARGUMENT for NULL. */
td_status td_integrator_locate(td_integrator *integrator, double *t, unsigned char *happened);

/* Ends the last step at t, within it. The state becomes the result of td_integrator_evaluate, with
   the same errors. */
td_status td_integrator_cut(td_integrator *integrator, double t);

/* Continues from x (size) at the same time, after a jump of the state or a change of the equations.
   Unlike td_integrator_start it keeps the last step, which can still be evaluated; at its end
   td_integrator_evaluate returns the state after the jump. The next step is at most as long as the
   last one was planned. Errors as for td_integrator_start. */
td_status td_integrator_jump(td_integrator *integrator, const double *x);

/* Returns counts since td_integrator_new; all 0 for NULL. */
td_integrator_counts td_integrator_counts_of(const td_integrator *integrator);

#endif
