/* SPDX-License-Identifier: MIT */
/*
 * Internals of the integrator: its struct, and a step of each method.
 */
#ifndef TD_INTEGRATOR_INSIDE_H
#define TD_INTEGRATOR_INSIDE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/exponential.h"
#include "base/stack.h"
#include "dormand_prince_table.h"

enum { TD_CUBIC = 4, TD_DENSE = TD_CUBIC + TD_TERMS, TD_BLOCK = 4 };

typedef struct td_radau td_radau; /* radau.c */

struct td_integrator {
    td_ode ode;
    td_integrator_options options;
    td_stack stack; /* the block of all arrays */
    bool started;
    double t, begin;          /* the last step goes from begin to t */
    double *x, *x_begin;      /* `size` numbers each */
    const td_pair *pair;      /* the explicit adaptive method, also for TD_METHOD_AUTO */
    double *k[TD_ALL_STAGES]; /* rates of the stages, as many as the pair has; k[0] is the rate at
                                 the beginning of the step */
    double *rate;             /* rate at x, if rate_known */
    double *trial, *scratch;  /* size each */
    double *dense[TD_DENSE];  /* the polynomial of the last step, if dense_known */
    int dense_count;          /* number of its coefficients */
    double *value, *begin_value, *probe; /* event values at three times */
    double *block;                       /* (TD_BLOCK + 1) × events: values at the ends of parts */
    bool *armed, *armed_before; /* per event: its value has been positive; the same at the beginning
                                   of the block */
    bool rate_known, dense_known;
    double dense_begin, dense_end; /* the step that the polynomial belongs to */
    double next;       /* proposed length of the next step of an adaptive method; 0: choose one */
    double last_error; /* error of the last accepted step */
    double failing;    /* length of the step at which rate began to fail; 0: it has not failed */
    double origin;     /* of a fixed step: t = origin + count · step */
    size_t count;
    td_method active;   /* method of the last step; with TD_METHOD_AUTO one of its two methods */
    td_method wanted;   /* method of the next step */
    int speaks, hushes; /* counts of steps for and against a switch by TD_METHOD_AUTO */
    td_radau *radau;    /* NULL for other methods */
    double *J, *change; /* size × size, size; for the exponential methods, like the next one */
    td_exponential exponential;
    td_integrator_counts counts;
};

/* Evaluates and counts the rate at t, x. Returns TD_ERROR_NOT_FINITE if it is not finite. */
td_status td_integrator_rate(td_integrator *i, double t, const double *x, double *rate);

/* Evaluates the rate at the current state, unless it is known. */
td_status td_integrator_current_rate(td_integrator *i);

/* Return whether the rate is known, and mark it as unknown. */
bool td_integrator_rate_is_known(const td_integrator *i);
void td_integrator_forget_rate(td_integrator *i);

/* Returns whether a state is finite. */
bool td_integrator_is_finite(const td_integrator *i, const double *x);

/* Makes trial, reached at t, the current state. */
void td_integrator_accept(td_integrator *i, double t);

/* Take one step; on TD_OK, trial is the new state. */
td_status td_step_rk4(td_integrator *i, double h);
td_status td_step_semi_implicit(td_integrator *i, double h);

/* td_method_is_exponential returns whether a method is exponential. td_step_exponential takes a
   step; td_exponential_step_take allocates its memory. */
bool td_method_is_exponential(td_method method);
td_status td_step_exponential(td_integrator *i, double h);
void td_exponential_step_take(td_integrator *i, td_stack *stack);

/* Take a step of the pair, repeated until it is accepted, and evaluate the additional stages of
   the larger polynomial for the last step. */
td_status td_step_dormand_prince(td_integrator *i, double until);
td_status td_dormand_prince_extend(td_integrator *i, int stages);

/* Allocate memory for Radau's method from the integrator's stack, take a step, and compute the
   state within the last step, not projected. td_radau_restart discards data from previous steps. */
td_radau *td_radau_take(size_t size, td_stack *stack);
td_status td_step_radau(td_integrator *i, double until);
void td_radau_at(const td_integrator *i, double t, double *x);
void td_radau_restart(td_integrator *i);

/* Return whether TD_METHOD_AUTO may change between the explicit method and Radau's, and update the
   choice after each step. ratio: the step's length times the largest eigenvalue. */
bool td_switches(const td_integrator *i);
void td_switch_after(td_integrator *i, double ratio);
/* Returns an estimate of ρ(J), from products of J with a vector. Uses `scratch`. */
double td_radau_fastest(td_integrator *i);

/* Returns a number near x for finite differences. The distance is the square root of rounding at
   this magnitude. */
static inline double td_integrator_beside(double x)
{
    const double least = 1e-3, step = sqrt(DBL_EPSILON * fmax(least, fabs(x)));
    return x + (x < 0 ? -step : step);
}

/* Computes ∂f/∂x at x (size × size, row-major), where `rate` is f. Uses the equations' Jacobian,
   or finite differences with trial and scratch as memory. */
td_status td_integrator_jacobian(td_integrator *i, double t, const double *x, const double *rate,
                                 double *J);

/* Returns whether the method uses Jacobians for size equations. */
bool td_method_has_jacobian(td_method method, size_t size);

/* td_step_begin evaluates the rate at the beginning of a step and chooses its first length.
   td_shortest_step returns the shortest length after a failure with this status. */
td_status td_step_begin(td_integrator *i, double until, double *h);
double td_shortest_step(const td_integrator *i, td_status status);

/* Computes the polynomial of the last step. may_evaluate is false if the equations may have
   changed; the rate is then not evaluated within the step. */
td_status td_dense_prepare(td_integrator *i, bool may_evaluate);
void td_dense_at(const td_integrator *i, double t, double *x);

#endif
