/* SPDX-License-Identifier: MIT */
/*
 * Simulation: integrates the motion y(t) of a robot under forces. It integrates the independent
 * coordinates, so that mimic joints and loops stay exact. It is part of libtandem-simulation, a
 * separate library that uses only the public functions of libtandem.
 *
 *   td_simulation_new        allocates a simulation of a robot, with forces and a method
 *   td_simulation_start      sets the initial state
 *   td_simulation_step       takes one step of the integrator
 *   td_simulation_evaluate   computes the motion at any time within the last step
 *   td_simulation_advance    takes steps up to a time
 *   td_simulation_jump       reports that forces are discontinuous now
 *   td_simulation_event_at   returns the events at the end of the last step
 *
 * td_simulation_new and td_simulation_start allocate; steps do not. A simulation must not
 * be used by two threads at once; the model may be shared.
 *
 * The state also has the caller's differential states z and the work of all nonconservative forces.
 * Energy minus work is therefore constant, and its drift measures the integration error.
 *
 * Quaternions x are integrated by ẋ = ½ x ⊗ (ω, 0), from states of unit length, and normalized
 * after each step. This keeps the order of the method on the manifold (Hairer, Lubich and Wanner,
 * Geometric Numerical Integration, IV.4).
 */
#ifndef TANDEM_SIMULATION_H
#define TANDEM_SIMULATION_H

#include <stdbool.h>

#include "tandem/dynamics.h"
#include "tandem/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The forces at one state. The simulation fills in the inputs, and the callback
   td_simulation_options.act fills in the outputs. */
typedef struct td_action {
    size_t size_of;
    double t;             /* s */
    const double *y, *yd; /* ny, nyd */
    const double *z;      /* the caller's states; NULL if options.states is 0 */
    double *tau_y;        /* output, nyd: forces along y (N m, N); zero on entry */
    double *wrenches;     /* output, links × 6, in the frame options.forces.wrench_frame; on entry
                             the wrenches of options.forces. NULL unless options.wrenches */
    double *z_rate;       /* output: dz/dt; zero on entry */
    td_workspace *workspace; /* workspace of the simulation, for calls at y and yd such as
                                td_closure. At each call of act it uses the independent coordinates
                                y without a chart; act may select others (td_use_coordinates). Near
                                a dead point y does not determine the closed loops. Calls with
                                TD_COORDINATES_TREE at q and qd work there */
    const double *q, *qd;    /* nq, nv; NULL if the model has no iterated loops */
} td_action;

/* How joints behave at their position limits. The stop of a dependent joint acts along its row of
   G. Limits of linear followers are converted to limits of their leader. */
typedef enum td_stops {
    TD_STOPS_NONE,   /* no effect: joints pass their limits */
    TD_STOPS_SPRING, /* a spring and a damper beyond the limit, which push but never pull */
    TD_STOPS_IMPACT, /* impacts, located in time, with Newton's restitution; simultaneous impacts
                        are solved together. Afterwards the joint rests at the stop while forces
                        press it there. An impact places an independent joint exactly at its limit,
                        and a linear follower through its leader. A joint in a loop reaches the
                        limit to 1e-12 */
} td_stops;

/* Forces, prescribed motions, stops and the method. Start from td_simulation_options_default();
   pointers without a stated default are NULL. */
typedef struct td_simulation_options {
    size_t size_of;
    /* default NULL: the integrator's defaults. Each step uses a hundredth of rtol and atol, but at
       least 1e-14, because the errors of thousands of steps add up */
    const td_integrator_options *integrator;
    const td_forces *forces; /* default NULL: passive forces, no wrenches. The array of wrenches is
                                not copied; it must live as long as the simulation */
    /* Computes the forces at a state. NULL: no forces. A status other than TD_OK ends the motion,
       and the step returns this status. */
    td_status (*act)(void *context, const td_action *action);
    void *context; /* passed to act and motion */
    size_t states; /* number of the caller's differential states z; default 0 */
    bool wrenches; /* default false; true: act computes wrenches, and must not be NULL */
    const unsigned char *given; /* NULL, or nyd bytes: nonzero if the motion of the coordinate is
                                   prescribed and its force is computed. Bytes of the same planar or
                                   floating joint must agree. Requires motion */
    /* Computes the prescribed motion at t: writes the prescribed entries of y (ny), yd (nyd) and
       ydd (nyd), and leaves the others unchanged. NULL if no motion is prescribed. */
    td_status (*motion)(void *context, double t, double *y, double *yd, double *ydd);
    td_stops stops;        /* default TD_STOPS_NONE */
    double stop_stiffness; /* default 1e4 N m/rad or N/m; positive */
    double stop_damping;   /* default 10 N m s/rad or N s/m; not negative */
    double restitution;    /* default 0; from 0 to 1: speed after an impact relative to the speed
                              before */
    /* default 1e-3 rad/s or m/s; positive: the speed below which bouncing ends, even between two
       stops. If no stop is hit faster than this, all joints in contact with a stop come to rest,
       and sticking joints stay at rest. Otherwise the restitution e applies to all stops in
       contact: with v = J ẏ, 0 ≤ p ⊥ v⁺ + e v⁻ ≥ 0 (Newton; Moreau 1988). Kinetic energy never
       grows. A joint also comes to rest at any speed once its bounces are too short or too low to
       be distinguished from rounding errors. After a fall that lasts t₀, bouncing under a constant
       force ends at t₀ (1 + e)/(1 − e). */
    double rest_speed;
    /* default false: friction is smoothed (td_forces). true: Coulomb friction with events. A joint,
       or several joints together, stay at rest while the reaction does not exceed friction. This
       includes joints that close loops. */
    bool stiction;
} td_simulation_options;

static inline td_simulation_options td_simulation_options_default(void)
{
    TD_SIZED(td_simulation_options, options);
    options.stop_stiffness = 1e4;
    options.stop_damping = 10;
    options.rest_speed = 1e-3;
    return options;
}

/* Opaque: a robot, its state, and the memory of the integrator. */
typedef struct td_simulation td_simulation;

/* Allocates a simulation. It copies the options (NULL: the defaults), but not the wrenches of
   options->forces or the data behind context. The model must outlive it.

   TD_ERROR_ARGUMENT: a NULL argument; an option out of range; given without motion; wrenches
   without act; bytes of given that do not agree within a joint. TD_ERROR_MEMORY. *simulation is
   NULL after an error. */
TD_API td_status td_simulation_new(const td_model *model, const td_simulation_options *options,
                                   td_simulation **simulation);
/* Frees a simulation. NULL is allowed. */
TD_API void td_simulation_free(td_simulation *simulation);

/* Returns the workspace of the simulation; NULL for NULL. Use it before td_simulation_start for
   td_closure_start, td_set_gravity and td_set_payload, and after a failure for td_singular_joint.
   td_closure_start selects the branch of the loops for motions that are started later. After a
   motion, calls on the workspace follow loops from the end of that motion. */
TD_API td_workspace *td_simulation_workspace(td_simulation *simulation);

/* Sets the initial state. options.motion at t replaces prescribed entries. The work is set to 0.

     t   s
     y   ny; NULL: td_reference
     yd  nyd; NULL: at rest
     z   options.states numbers; NULL: zeros

   Returns the statuses of the dynamics at this state, and of act and motion. TD_ERROR_ARGUMENT:
   simulation is NULL. After an error the simulation must be started again before it can step. */
TD_API td_status td_simulation_start(td_simulation *simulation, double t, const double *y,
                                     const double *yd, const double *z);

/* Takes one step of the integrator, at most to the time until. An event ends the step early. The
   simulation passes dead points of y: near them it integrates other coordinates (a chart, chart.h),
   unless a closure of td_load_options.closures determines the loop.

   If a step fails, the motion ends at the beginning of the step. td_simulation_time and
   td_simulation_evaluate still work for the previous step. Statuses:

     any status of the dynamics, act or motion
     loops                      TD_ERROR_ASSEMBLY, TD_ERROR_BRANCH, TD_ERROR_CLOSURE_SINGULAR. The
                                last one means a loss of rank or a bifurcation.
                                td_simulation_failed_loop returns the loop
     TD_ERROR_STEP              the tolerances need a step below the rounding of t
     TD_ERROR_NOT_FINITE        the state or its rate overflows
     TD_ERROR_DIVERGED          steps of fixed length are too long: more than half of the energy in
                                the state comes from integration error. It replaces statuses that
                                would suggest a fault of the model
     TD_ERROR_REACTION          no reactions keep the resting and sticking joints at rest, or
                                rounding makes the mass matrix impossible to factor although forward
                                dynamics succeeds
     TD_ERROR_EVENTS            10 000 events within 1e-6 s
     TD_ERROR_STOP              prescribed motions drive a joint of a loop into its stop; the event
                                names the joint
     TD_ERROR_ARGUMENT          simulation is NULL, until is before the current time, or no state
                                was set */
TD_API td_status td_simulation_step(td_simulation *simulation, double until);

/* Takes steps until the time is t. Statuses as in td_simulation_step. */
TD_API td_status td_simulation_advance(td_simulation *simulation, double t);

/* Tells the simulation that the forces of act, or the prescribed motion, are discontinuous at the
   current time. Call it between steps, after the forces have changed. The next step begins with the
   new values, and joints at rest or sticking may be released. td_simulation_event_at returns the
   events. Work and counts continue.

   The last step can still be evaluated; at its end, the sample is the state after the jump. Within
   the step, some methods then call act, which must still compute the old forces. With a fixed step,
   evaluate the last step before the forces change. With TD_METHOD_DORMAND_PRINCE_8, do not evaluate
   it between the change and this call; if it was not evaluated before, its polynomial has order 6
   instead of 7.

   Statuses as in td_simulation_start. After an error the simulation must be started again. */
TD_API td_status td_simulation_jump(td_simulation *simulation);

/* Returns the loop that ended the motion; TD_NONE if no loop did, and for NULL. */
TD_API size_t td_simulation_failed_loop(const td_simulation *simulation);

/* Returns the joint whose independent coordinate has the fastest dynamics at the current state.

     rate  receives the largest |∂ÿᵢ/∂ẏᵢ| or √|∂ÿᵢ/∂yᵢ| in 1/s; may be NULL

   The derivatives are differences that include all forces. Explicit methods with a fixed step need
   steps of at most about 2/rate. Other methods have no such bound.

   Returns TD_NONE and a rate of 0 if no coordinate qualifies, before a start, for NULL, without
   memory, or if an evaluation fails. The state does not change. Allocates. Cost: about 2 nyd
   evaluations of the equations of motion. */
TD_API size_t td_simulation_fastest(td_simulation *simulation, double *rate);

/* Return the end and the beginning of the last step (s); 0 for NULL. */
TD_API double td_simulation_time(const td_simulation *simulation);
TD_API double td_simulation_begin(const td_simulation *simulation);

/* The motion at one time. Arrays that are NULL are skipped. Start from
   td_simulation_sample_default(). */
typedef struct td_simulation_sample {
    size_t size_of;
    double *y, *yd, *ydd; /* ny, nyd, nyd */
    double *tau_y;        /* nyd: forces of act, and the forces that prescribed motions need */
    double *q, *qd, *qdd; /* nq, nv, nv */
    double *z;            /* options.states: the caller's states */
    double kinetic;       /* J, of all links and rotors */
    double potential;     /* J, of gravity and springs */
    double work;          /* J since the start: of act, wrenches and prescribed motions, minus
                             dissipation by damping and friction. kinetic + potential − work is
                             constant */
    /* nv: constraint forces of mimic joints and loops on the joints of the tree (N m, N). H q̈ + C =
       τ + τ_c (Kumar et al. 2017, equation 2), where τ includes the forces of stops and of sticking
       friction. Gᵀ τ_c = 0. With stiction, the friction of a linear follower acts at its leader. */
    double *tau_c;
} td_simulation_sample;

static inline td_simulation_sample td_simulation_sample_default(void)
{
    TD_SIZED(td_simulation_sample, sample);
    return sample;
}

/* Computes the sample at a time t within the last step. This does not affect the motion. Returns
   the statuses of the dynamics, act and motion; the arrays may then be partly written.
   TD_ERROR_ARGUMENT: an argument is NULL, the simulation was not started, or t is outside the last
   step. */
TD_API td_status td_simulation_evaluate(td_simulation *simulation, double t,
                                        td_simulation_sample *sample);

/* ---- events ---------------------------------------------------------------------------------- */

/* The kinds of events, as X(code, text). New kinds are added at the end. */
#define TD_EVENT_TABLE(X)                                                                          \
    X(TD_EVENT_LOWER_STOP, "lower stop") /* an impact at the limit, or the spring engages */       \
    X(TD_EVENT_UPPER_STOP, "upper stop")                                                           \
    X(TD_EVENT_REST, "rest")       /* the joint comes to rest at the stop */                       \
    X(TD_EVENT_RELEASE, "release") /* the joint leaves the stop */                                 \
    X(TD_EVENT_STICK, "stick")     /* friction brings the joint to rest */                         \
    X(TD_EVENT_SLIP, "slip")       /* the load exceeds static friction */

/* The kinds of events in TD_EVENT_TABLE. */
typedef enum td_event_kind {
#define TD_EVENT_ENUM(code, text) code,
    TD_EVENT_TABLE(TD_EVENT_ENUM)
#undef TD_EVENT_ENUM
} td_event_kind;

/* Returns the text of an event kind, never NULL; "unknown event" for an unknown number. */
TD_API const char *td_event_text(td_event_kind kind);

/* An event. For an index out of range, joint and loop are TD_NONE and t is NaN. */
typedef struct td_simulation_event {
    size_t size_of;
    double t;           /* s */
    td_event_kind kind; /* stop, rest, release, stick or slip */
    size_t joint;       /* index of the joint; TD_NONE for a joint that closes a loop */
    double impulse;     /* N m s or N s, for impacts; otherwise 0 */
    size_t loop;        /* index of the loop; TD_NONE for a joint of the tree */
} td_simulation_event;

/* td_simulation_event_count returns the number of events at the end of the last step, at the start
   or at the last jump; 0 for NULL. td_simulation_event_at returns the i-th of them. */
TD_API size_t td_simulation_event_count(const td_simulation *simulation);
TD_API void td_simulation_event_read(const td_simulation *simulation, size_t i,
                                     td_simulation_event *event, size_t size_of);

static inline td_simulation_event td_simulation_event_at(const td_simulation *simulation, size_t i)
{
    td_simulation_event event;
    td_simulation_event_read(simulation, i, &event, sizeof event);
    return event;
}

/* td_simulation_counts returns the numbers of steps, rejected steps and evaluations since
   td_simulation_new. */
TD_API void td_simulation_counts_read(const td_simulation *simulation, td_integrator_counts *counts,
                                      size_t size_of);

static inline td_integrator_counts td_simulation_counts(const td_simulation *simulation)
{
    td_integrator_counts counts;
    td_simulation_counts_read(simulation, &counts, sizeof counts);
    return counts;
}

#ifdef __cplusplus
}
#endif
#endif
