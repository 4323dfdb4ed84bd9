/* SPDX-License-Identifier: MIT */
/*
 * What the files of the integrator share: its state, and a step of each method.
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

typedef struct td_cvode td_cvode; /* cvode.c */
typedef struct td_radau td_radau; /* radau.c */

struct td_integrator {
    td_ode ode;
    td_integrator_options options;
    td_stack stack; /* what all arrays are of */
    bool started;
    double t, begin;          /* the last step goes from begin to t */
    double *x, *x_begin;      /* size each */
    const td_pair *pair;      /* the explicit adaptive method, also of TD_METHOD_AUTO */
    double *k[TD_ALL_STAGES]; /* rates of the stages; k[0] is the rate at the start of the step;
                                 those that the pair has */
    double *rate;             /* at x, where rate_known */
    double *trial, *scratch;  /* size each */
    double *dense[TD_DENSE];  /* the polynomial of the last step, where dense_known */
    int dense_count;          /* of these */
    double *value, *begin_value, *probe; /* events each: of three times */
    double *block;                       /* (TD_BLOCK + 1) × events: at the ends of parts */
    bool *armed, *armed_before;          /* events: has been positive; that when the block began */
    bool rate_known, dense_known;
    double dense_begin, dense_end; /* the step that the polynomial is of */
    double next;       /* proposal for the next step of the adaptive method, 0: to be chosen */
    double last_error; /* of the last step that was accepted */
    double failing;    /* length of the step in which rate began to fail; 0: it does not */
    double origin;     /* of a fixed step: t = origin + count · step */
    size_t count;
    td_method active;   /* of the last step: the options' method, or one of TD_METHOD_AUTO's two */
    td_method wanted;   /* of the next one */
    int speaks, hushes; /* steps that spoke for the other of the two, and that did not since */
    td_radau *radau;    /* NULL for others */
    double *J, *change; /* size × size, size; of the exponential methods, as the next */
    td_exponential exponential;
    td_cvode *cvode; /* NULL for other methods */
    td_integrator_counts counts;
};

/* rate at t, x, counted; TD_ERROR_NOT_FINITE where it is no number. */
td_status td_integrator_rate(td_integrator *i, double t, const double *x, double *rate);

/* The rate at the state, once. */
td_status td_integrator_current_rate(td_integrator *i);

/* Whether that has been found, and that it has not. */
bool td_integrator_rate_is_known(const td_integrator *i);
void td_integrator_forget_rate(td_integrator *i);

/* Whether the numbers of a state are. */
bool td_integrator_is_finite(const td_integrator *i, const double *x);

/* Takes trial, reached at t, for the state. */
void td_integrator_accept(td_integrator *i, double t);

/* One step each; trial is the new state where they return TD_OK. */
td_status td_step_rk4(td_integrator *i, double h);
td_status td_step_semi_implicit(td_integrator *i, double h);

/* The same of the exponential methods, and their room. */
bool td_method_is_exponential(td_method method);
td_status td_step_exponential(td_integrator *i, double h);
void td_exponential_step_take(td_integrator *i, td_stack *stack);

/* A step of the pair, tried until it is accepted; and the stages that only a polynomial of more
   has, of the last step. */
td_status td_step_dormand_prince(td_integrator *i, double until);
td_status td_dormand_prince_extend(td_integrator *i, int stages);

/* CVODE: its memory (false: none, or none in this build), a step, and the state within the last
   one, not projected. Restart: its own state is no longer the integrator's. */
bool td_cvode_open(td_integrator *i);
void td_cvode_close(td_integrator *i);
td_status td_step_cvode(td_integrator *i, double until);
td_status td_cvode_at(td_integrator *i, double t, double *x);
void td_cvode_restart(td_integrator *i);

/* The same of Radau's method, of the integrator's stack and without a state of its own: restart
   forgets what it has learned. */
td_radau *td_radau_take(size_t size, td_stack *stack);
td_status td_step_radau(td_integrator *i, double until);
void td_radau_at(const td_integrator *i, double t, double *x);
void td_radau_restart(td_integrator *i);

/* Return whether TD_METHOD_AUTO may change between the explicit method and Radau's, and update the
   choice after each step. ratio: the step's length times the largest eigenvalue. */
bool td_switches(const td_integrator *i);
void td_switch_after(td_integrator *i, double ratio);
/* ρ(J) as far as it is known, from products of J with a vector of scratch's size */
double td_radau_fastest(td_integrator *i);

/* A number beside x for differences: as far from it as the root of rounding, relative to a number
   of this size and more. */
static inline double td_integrator_beside(double x)
{
    const double least = 1e-3, step = sqrt(DBL_EPSILON * fmax(least, fabs(x)));
    return x + (x < 0 ? -step : step);
}

/* ∂f/∂x at x (size × size, by rows), where rate is f: of the equations, or by differences, for
   which trial and scratch are room. */
td_status td_integrator_jacobian(td_integrator *i, double t, const double *x, const double *rate,
                                 double *J);

/* Returns whether the method uses Jacobians for size equations. */
bool td_method_has_jacobian(td_method method, size_t size);

/* The rate where a step begins and how long that is at first; and the shortest one, with the status
   of one that failed. */
td_status td_step_begin(td_integrator *i, double until, double *h);
double td_shortest_step(const td_integrator *i, td_status status);

/* The polynomial of the last step; without evaluations within it where the equations may be others
   already. */
td_status td_dense_prepare(td_integrator *i, bool may_evaluate);
void td_dense_at(const td_integrator *i, double t, double *x);

#endif
