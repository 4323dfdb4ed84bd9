/* SPDX-License-Identifier: MIT */
/*
 * Simulation: the motion y(t) of a robot under forces, integrated in its independent coordinates,
 * so that mimic joints and loops stay exact. Part of libtandem-simulation, which stands above
 * libtandem and uses its public functions alone.
 *
 *   td_simulation_new, _start            a robot, what acts on it, and where it begins
 *   td_simulation_step, _sample          one step, and what the motion was at any time of it
 *   td_simulation_advance                steps up to a time
 *   td_simulation_jump                   forces jump
 *   td_simulation_event_at               what happened at the end of the last step
 *
 * A simulation allocates when it is made and started and never in a step (TD_METHOD_CVODE: what
 * CVODE does aside). One thread at a time may use it; the model is shared.
 *
 * With the integrator's state go the user's own differential states z and the work of all that is
 * not conservative, so that energy less work is constant: the balance of the integration.
 * Quaternions are integrated by their rates, x ↦ ½ x ⊗ (ω, 0), from states of unit length, and made
 * unit length after each step, which keeps the method's order on the manifold (Hairer, Lubich and
 * Wanner, Geometric Numerical Integration, IV.4).
 */
#ifndef TANDEM_SIMULATION_H
#define TANDEM_SIMULATION_H

#include <stdbool.h>

#include "tandem/dynamics.h"
#include "tandem/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What acts at a state: filled in by the callback of the options. */
typedef struct td_action {
    size_t size_of;
    double t;             /* s */
    const double *y, *yd; /* ny, nyd */
    const double *z;      /* states of the user's own, NULL without any */
    double *tau_y;        /* nyd: forces along y, zero on entry (N m, N) */
    double *wrenches;     /* links × 6 in the frame of the options' forces, those of the options on
                             entry; NULL unless options.wrenches */
    double *z_rate;       /* rates of z, zero on entry */
    td_workspace *workspace; /* of the simulation, for calls at y and yd: td_closure, poses. It is
                                in independent coordinates y, without a chart, at each call of act,
                                which may change that (td_use_coordinates). Near a dead point y does
                                not determine the closed loops: there, calls with
                                TD_COORDINATES_TREE at q and qd do not need them closed */
    const double *q, *qd;    /* nq, nv; NULL for a model without loops that are iterated */
} td_action;

/* What a joint does at the limits of its position. A limit of a dependent joint acts along its row
   of G; those of linear followers are limits of their leader. */
typedef enum td_stops {
    TD_STOPS_NONE,   /* nothing: joints go on */
    TD_STOPS_SPRING, /* a spring and a damper that push, and never pull, beyond the limit */
    TD_STOPS_IMPACT, /* impacts at located times, several at once, with Newton's restitution; then
                        rest at the stop, as long as the joint is pressed against it. An impact puts
                        a joint with a coordinate of its own on the stop, a follower's by its
                        leader; one that loops decide is there to 1e-12 */
} td_stops;

/* What acts, the motions that are prescribed, and the method. Start from
   td_simulation_options_default(). */
typedef struct td_simulation_options {
    size_t size_of;
    const td_integrator_options *integrator; /* NULL: their defaults. Each step gets a hundredth of
                                               rtol and atol, since the errors of thousands add
                                               up; not less than 1e-14 */
    const td_forces *forces; /* NULL: passive forces act, no wrenches. Its wrenches stay the
                                caller's and must live as long as the simulation */
    td_status (*act)(void *context, const td_action *action); /* NULL: no forces of one's own. A
                                status other than TD_OK ends the motion with it */
    void *context;                                            /* of act and motion */
    size_t states;                                            /* of the user's own: numbers in z */
    bool wrenches;                                            /* false; true: act writes wrenches */
    const unsigned char *given; /* NULL, or nyd bytes: ≠ 0 where the coordinate's motion is
                                   prescribed, and the force an output. The coordinates of a
                                   planar or floating joint must agree */
    td_status (*motion)(void *context, double t, double *y, double *yd, double *ydd); /* writes the
                                prescribed entries of the motion at t, leaves the others */
    td_stops stops;        /* TD_STOPS_NONE */
    double stop_stiffness; /* 1e4 N m/rad or N/m */
    double stop_damping;   /* 10 N m s/rad or N s/m */
    double restitution;    /* 0; from 0 to 1: speed after an impact against that before */
    double rest_speed; /* 1e-3 rad/s or m/s: where no stop is reached faster, all joints that touch
                          theirs come to rest, so that bouncing ends, from one stop to another
                          one too, and those that stick stay. So does a joint whose last flight
                          rounding of its time and height does not tell from rest, however small
                          this speed is: bouncing under a force ends after the flights of the
                          closed form, t₀ (1 + e)/(1 − e) of all. Else restitution is that of all
                          stops that are touched: with v = J ẏ, 0 ≤ p ⊥ v⁺ + e v⁻ ≥ 0 of all of them
                          together (Newton; Moreau 1988), and kinetic energy never grows */
    bool stiction;     /* false; true: Coulomb friction by events instead of smoothed (td_forces): a
                          joint, also one that closes a loop, rests while its reaction is within
                          friction, several together */
} td_simulation_options;

static inline td_simulation_options td_simulation_options_default(void)
{
    TD_SIZED(td_simulation_options, options);
    options.stop_stiffness = 1e4;
    options.stop_damping = 10;
    options.rest_speed = 1e-3;
    return options;
}

typedef struct td_simulation td_simulation;

/* options NULL: the defaults. It copies them (not what pointers of forces->wrenches and contexts
   point to). TD_ERROR_ARGUMENT: NULL, an option out of its range, given without motion, or given
   that does not agree within a joint; TD_ERROR_MEMORY. *simulation is NULL then. The model must
   outlive it. */
TD_API td_status td_simulation_new(const td_model *model, const td_simulation_options *options,
                                   td_simulation **simulation);
TD_API void td_simulation_free(td_simulation *simulation);

/* The workspace of the simulation: for td_closure_start (the branch of loops, in which each motion
   begins that is started from then on), td_set_gravity and td_set_payload before the start,
   td_singular_joint after a failure. After a motion its calls follow loops from where that came to.
 */
TD_API td_workspace *td_simulation_workspace(td_simulation *simulation);

/* Begins at t with y (ny; NULL: where the robot begins, td_reference),
   yd (nyd; NULL: at rest) and z (NULL: zeros). Prescribed entries are those of the motion at t.
   The work begins at zero. Statuses of the dynamics at that state, and of act and motion;
   TD_ERROR_ARGUMENT (NULL). The simulation must be started again before it steps then. */
TD_API td_status td_simulation_start(td_simulation *simulation, double t, const double *y,
                                     const double *yd, const double *z);

/* One step of the integrator, to not later than until; shorter where an event ends it. On failure
   the motion ends where it was before the step, and what was computed stays: td_simulation_time,
   _at go on working. Dead points of y are passed: near them other joints are integrated (a chart,
   see chart.h), unless td_load_options.closures decides the loop. Statuses of the dynamics (of
   loops: TD_ERROR_ASSEMBLY, TD_ERROR_BRANCH, TD_ERROR_CLOSURE_SINGULAR, which is a loss of rank or
   a bifurcation then; td_simulation_failed_loop says of which), of act and motion, and of the
   integrator: TD_ERROR_STEP, a step that keeps the tolerances is below rounding of t, and
   TD_ERROR_NOT_FINITE, the state or its rate overflows; TD_ERROR_DIVERGED instead of those that
   blame the model, where steps of fixed length have led to a state whose energy is for the most
   part from nothing; TD_ERROR_REACTION: stops and friction that should hold contradict each other,
   or the mass matrix has no factor by rounding, though forward dynamics has an answer;
   TD_ERROR_EVENTS: 10 000 events within 1e-6 s; TD_ERROR_STOP: motions that are prescribed drive a
   joint of a loop into its stop, which is the event. TD_ERROR_ARGUMENT also for until before the
   time, or without a start. */
TD_API td_status td_simulation_step(td_simulation *simulation, double until);

/* Steps until t is reached. As td_simulation_step. */
TD_API td_status td_simulation_advance(td_simulation *simulation, double t);

/* To be called between steps where the forces of act jump, or what motion prescribes: the next step
   begins with their new values, instead of those that the last one ended with; a joint that rests
   at a stop or sticks may be let go. The last step stays and is still to be sampled: one of a fixed
   length before the forces change, since its polynomial takes the rate at its end, and one of
   TD_METHOD_DORMAND_PRINCE_8 not between their change and this call, since its polynomial of order
   7 takes rates within it; what is first asked for afterwards is of order 6. At its end the sample
   is that after the jump. Work and counts go on. What happens is td_simulation_event_at. Statuses
   as of td_simulation_start, and the simulation must be started again then. */
TD_API td_status td_simulation_jump(td_simulation *simulation);

/* The loop by which the motion ended, TD_NONE for none, and for NULL. */
TD_API size_t td_simulation_failed_loop(const td_simulation *simulation);

/* The joint of an independent coordinate whose motion changes fastest at the present state, and how
   fast (rate, 1/s, may be NULL): the largest |∂ÿᵢ/∂ẏᵢ| or root of |∂ÿᵢ/∂yᵢ|, by differences, of all
   that acts. Methods of a fixed step need some 2 over it and less; the others do not depend on it.
   TD_NONE and 0 where there is none, before a start, for NULL, and where memory or the equations
   fail. It allocates, and takes 2 nyd evaluations of the equations, which change nothing. */
TD_API size_t td_simulation_fastest(td_simulation *simulation, double *rate);

/* The end and the begin of the last step. 0 for NULL. */
TD_API double td_simulation_time(const td_simulation *simulation);
TD_API double td_simulation_begin(const td_simulation *simulation);

/* The motion at a time: arrays that are NULL are not computed. Start from
   td_simulation_sample_default(). */
typedef struct td_simulation_sample {
    size_t size_of;
    double *y, *yd, *ydd; /* ny, nyd, nyd */
    double *tau_y;        /* nyd: forces of act, and those that the prescribed motions take */
    double *q, *qd, *qdd; /* nq, nv, nv */
    double *z;            /* states of act */
    double kinetic;       /* J, of all links and rotors */
    double potential;     /* J, of gravity and springs */
    double work;          /* J since the start: of act, wrenches and prescribed motions, less what
                             damping and friction have taken. kinetic + potential − work stays */
    double *tau_c; /* nv: what mimic joints and loops do to the joints of the tree (N m, N), so
                      that H q̈ + C = τ + τ_c (Kumar et al. 2017, equation 2), τ having the
                      forces of stops and of friction that sticks. Gᵀ τ_c = 0. With stiction the
                      friction of joints that follow one linearly acts at that one */
} td_simulation_sample;

static inline td_simulation_sample td_simulation_sample_default(void)
{
    TD_SIZED(td_simulation_sample, sample);
    return sample;
}

/* Fills the sample at t within the last step; the motion goes on as it would without. Statuses of
   the dynamics, act and motion there: the arrays are then partly written. TD_ERROR_ARGUMENT: NULL,
   or t outside of the last step. */
TD_API td_status td_simulation_evaluate(td_simulation *simulation, double t,
                                        td_simulation_sample *sample);

/* ---- events ---------------------------------------------------------------------------------- */

/* X(code, text): new ones go at the end */
#define TD_EVENT_TABLE(X)                                                                          \
    X(TD_EVENT_LOWER_STOP, "lower stop") /* reaches the limit: an impact, or the spring begins */  \
    X(TD_EVENT_UPPER_STOP, "upper stop")                                                           \
    X(TD_EVENT_REST, "rest")       /* stays at the stop */                                         \
    X(TD_EVENT_RELEASE, "release") /* leaves the stop */                                           \
    X(TD_EVENT_STICK, "stick")     /* comes to rest under friction */                              \
    X(TD_EVENT_SLIP, "slip")       /* friction no longer holds it */

typedef enum td_event_kind {
#define TD_EVENT_ENUM(code, text) code,
    TD_EVENT_TABLE(TD_EVENT_ENUM)
#undef TD_EVENT_ENUM
} td_event_kind;

/* Its text, never NULL; "unknown event" for a number that is none. */
TD_API const char *td_event_text(td_event_kind kind);

typedef struct td_simulation_event {
    size_t size_of;
    double t;           /* s */
    td_event_kind kind; /* what happened */
    size_t joint;       /* TD_NONE for one that closes a loop, and out of range */
    double impulse;     /* of an impact: N m s or N s, else 0 */
    size_t loop;        /* TD_NONE for a joint of the tree, and out of range */
} td_simulation_event;

/* What happened at the end of the last step, at the start or at the last jump. */
TD_API size_t td_simulation_event_count(const td_simulation *simulation);
TD_API void td_simulation_event_read(const td_simulation *simulation, size_t i,
                                     td_simulation_event *event, size_t size_of);

static inline td_simulation_event td_simulation_event_at(const td_simulation *simulation, size_t i)
{
    td_simulation_event event;
    td_simulation_event_read(simulation, i, &event, sizeof event);
    return event;
}

/* Steps, rejected steps and evaluations of the dynamics. */
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
