/* SPDX-License-Identifier: MIT */
/*
 * Internals of the simulation. The integrator's state is
 *
 *   x = (u, u̇, z, work)          of sizes np, nyd, states, 1
 *
 * where u is y, or near a dead point of y another choice of coordinates (tandem/chart.h).
 */
#ifndef TD_SIMULATION_INSIDE_H
#define TD_SIMULATION_INSIDE_H

#include "base/stack.h"
#include "ode.h"
#include "tandem/chart.h"
#include "tandem/configuration.h"
#include "tandem/constraint.h"
#include "tandem/kinematics.h"
#include "tandem/simulation.h"

/* A joint with a quaternion: the index of its coordinates in q and q̇ and of its positions in u,
   and the index of the quaternion in its positions. */
typedef struct td_free_joint {
    size_t q, qd;
    int quaternion;
    int u, velocity; /* u is −1 if they are not in u; velocity: like velocity_of */
} td_free_joint;

/* Damping and friction of a joint with one coordinate, or of a loop joint. */
typedef struct td_damper {
    size_t at; /* index in q̇, or of the loop */
    double damping, friction;
} td_damper;

/* The rotor of a joint: reduction² · inertia. */
typedef struct td_rotor {
    size_t qd; /* index in q̇ */
    double inertia;
} td_rotor;

/* Mode of a row. A row is a stop, or the friction of a joint or loop joint. */
typedef enum td_row_mode {
    TD_ROW_OFF,       /* stop: not touched; friction: slips */
    TD_ROW_PRESSED,   /* stop with a spring: touched */
    TD_ROW_HOLDS,     /* at rest at the stop, or sticks: the row has a reaction */
    TD_ROW_UNDECIDED, /* may hold; has no force until this is decided */
} td_row_mode;

typedef struct td_row {
    bool stop;          /* false: friction */
    size_t joint, loop; /* one of them is TD_NONE: a joint, or a loop joint */
    size_t q, qd;       /* of a joint */
    size_t yd;          /* of an independent joint, otherwise TD_NONE */
    double sign, at;    /* stop: the gap is sign · (q − at); friction: sign of the slip */
    double friction;
    td_row_mode mode;
    td_row_mode step_mode; /* mode and sign during the last step, before events at its end */
    double step_sign;
    bool held;       /* mode was TD_ROW_HOLDS before the current events */
    bool passes;     /* the joint only passes the end of its range, where nothing can hold it */
    bool rests;      /* friction: at rest according to the events so far */
    double offset;   /* offset of the event function, see settle.c */
    double slack;    /* the same while the row holds */
    double left;     /* stop: last time at which the joint was there, s; −∞: never */
    double gap;      /* of a stop; this and the next two belong to the last evaluated state */
    double rate;     /* of the coordinate: q̇ of the joint, also for a stop */
    double reaction; /* along the sign of a stop, or the rate of friction */
    double impulse;  /* of a stop, during the current events */
} td_row;

/* Scratch for reactions: n is nyd, r the number of rows. */
typedef struct td_reactions {
    double *G;     /* nv × n */
    double *M;     /* n × n; then the factor for free coordinates, m × m */
    double *full;  /* n × n: M including prescribed motions */
    double *J, *X; /* r × n: rows, and M⁻¹ Jᵀ row by row */
    double *A, *b; /* r × r, r */
    double *lower, *upper, *lambda, *share, *rest; /* r */
    double *force;               /* nv: forces of slipping joints and springs at stops */
    double *in_loops, *of_loops; /* loops, nv: forces in loop joints, and their effect on the joints
                                    of the tree */
    double *extra;               /* n */
    size_t *active;              /* r: indices of the rows in question */
    double *size;                /* n: forces without reactions */
    unsigned char *held;         /* n: prescribed, or held by a row */
} td_reactions;

/* Scratch for ∂ẋ/∂x: n is nyd. */
typedef struct td_rate_jacobian {
    double *along, *rate, *mass; /* n × n: ∂ü along the tangent of u and by u̇, H⁻¹; reused */
    double *along_back, *rate_back; /* n × n */
    double *G, *qd_along;           /* nv × n: of the closure, only for rows and charts */
    double *qdd_along, *qdd_rate;   /* ∂q̇ and ∂q̈ by u, ∂q̈ by u̇ */
    double *rest;                   /* n × size: for fixed rows */
    double *u, *ud, *back, *udd;    /* np, n, n, n: the state; back = −u̇ */
    double *tau, *force, *weight;   /* n each */
    double *joint_force, *wrenches; /* nv, links × 6 */
    double *here, *beside;          /* size each: rates */
} td_rate_jacobian;

struct td_simulation {
    const td_model *model;
    td_workspace *w;
    td_integrator *integrator;
    td_stack stack; /* the block of all arrays */
    td_simulation_options options;
    td_forces forces;
    size_t ny, nyd, nq, nv, size;
    size_t np;     /* entries of x reserved for u: as many as charts need; u uses the first ones */
    bool iterated; /* γ is nonlinear */
    bool fixed;    /* the step length is fixed */
    bool implicit; /* the method uses Jacobians */
    bool started;
    size_t failed_loop; /* loop that failed in the last step, TD_NONE for none */

    td_free_joint *free_joints;
    size_t free_count;
    bool moved;          /* γ changes entries of y: poses that loops determine in part */
    size_t *velocity_of; /* np: index of the velocity that u[i] integrates: in q̇ if td_knows_tree,
                            otherwise in u̇; unused for free joints */
    size_t *qd_of_q;     /* nq: index in q̇ of the velocity that q[i] integrates */
    int *u_of_q;         /* nq: index in u, −1 for none */
    size_t *ud_of_qd;    /* nv: scratch */
    td_damper *dampers, *loop_dampers;
    size_t damper_count, loop_damper_count;
    td_rotor *rotors;
    size_t rotor_count;
    unsigned char *given; /* NULL: none */

    td_row *rows;
    size_t row_count;
    td_reactions reactions;
    td_rate_jacobian jacobian;
    unsigned char *happened;     /* rows */
    td_simulation_event *events; /* 2 × rows */
    size_t event_count;
    size_t events_since;    /* steps that ended with events since the time `burst` */
    double burst;           /* s */
    double resolution;      /* resolution of times within the last step, s */
    double begin_energy[2]; /* kinetic and potential energy at the start, J; only for fixed steps */

    bool other;           /* u is not y */
    double *u, *ud, *udd; /* nu, nyd, nyd: point to y, yd, ydd or into own */
    size_t nu;            /* current size of u */
    double *own, *kept;   /* memory for u, ud and udd; and to save q and q̇ */
    size_t *y_q, *y_qd;   /* ny, nyd: indices of y and ẏ in q and q̇ */
    size_t *u_q, *u_qd;   /* np, nyd: indices of u and u̇ in q and q̇ */
    /* States of γ (td_closure_remember), nq each: of the last evaluated state, and of the
       starting points of loops in the first and in the last step. remembered: 2 nq, for y and
       for u. */
    double *looked, *home, *begin, *remembered;
    bool away;                        /* a step was taken since loops started at home */
    double latest, latest_remembered; /* time of the last evaluated state; its remembered value */
    double *joint_force, *tau_u;      /* nv, nyd: scratch */
    double *y, *yd, *ydd, *tau_y, *q, *qd, *qdd; /* of the last evaluated state */
    double *wrenches, *velocities;               /* links × 6; NULL without wrenches */
    double *x, *z_rate;                          /* size, states: scratch */
};

/* Return the parts of x. */
static inline const double *td_x_velocity(const td_simulation *s, const double *x)
{
    return x + s->np;
}
static inline const double *td_x_states(const td_simulation *s, const double *x)
{
    return x + s->np + s->nyd;
}
static inline double td_x_work(const td_simulation *s, const double *x)
{
    return x[s->size - 1];
}

/* Returns whether every evaluation of x computes q and q̇, since γ determines entries of u or y. */
static inline bool td_knows_tree(const td_simulation *s)
{
    return s->other || s->moved;
}

/* Reads the state x at t into s->u, s->ud, s->y and s->yd. Normalizes quaternions and inserts
   prescribed entries. */
td_status td_simulation_look(td_simulation *s, double t, const double *x);

/* Computes the effects of `act` at the evaluated state: s->tau_y and s->wrenches. z_rate may be
   NULL. */
td_status td_simulation_act(td_simulation *s, double t, const double *x, double *z_rate);

/* Computes all forces and accelerations at the evaluated state: s->tau_y and s->udd. z_rate may
   be NULL. */
td_status td_simulation_accelerate(td_simulation *s, double t, const double *x, double *z_rate);

/* Computes the power of all nonconservative forces at the evaluated state. */
td_status td_simulation_power(td_simulation *s, double *power);

/* ---- functions in the coordinates u ---------------------------------------------------------- */

/* At the evaluated state: compute q, q̇ and y; compute q̈ and ÿ from s->udd. */
td_status td_simulation_joints(td_simulation *s);
td_status td_simulation_joint_accelerations(td_simulation *s);
/* Computes s->udd from s->tau_y and, unless joint is NULL, forces along all joints: joint (nv)
   with projection joint_u (nyd). Prescribed entries of s->tau_y are outputs. held is NULL or,
   only if u is y, nonzero for entries of s->udd that must be 0; joint_u receives the required
   forces. */
td_status td_simulation_move(td_simulation *s, const td_forces *forces, const double *joint,
                             double *joint_u, const unsigned char *held);

/* Selects other coordinates u at x if the current ones are near a dead point, or y if possible.
   Sets *changed and converts x. at_once: also changes coordinates that are not near a dead
   point. */
td_status td_simulation_choose(td_simulation *s, double t, double *x, bool at_once, bool *changed);
void td_simulation_choose_y(td_simulation *s);
/* The starting point of loops. A motion starts where td_closure_start has set the workspace,
   independent of earlier motions; td_simulation_note_start detects such calls after each step. A
   step starts at the evaluated state, from which the loops of all its stages are followed. */
void td_simulation_find_home(td_simulation *s);
void td_simulation_begin_loops(td_simulation *s);
void td_simulation_note_start(td_simulation *s);
/* Switch the workspace to u and back to y. When the user's code runs, it is always in y. */
void td_simulation_enter(td_simulation *s);
void td_simulation_leave(td_simulation *s);
/* Save and restore the states from which evaluations close loops. Calls between the two do not
   change the motion, bit for bit. */
void td_simulation_remember(td_simulation *s);
void td_simulation_recall(td_simulation *s);
void td_simulation_take_coordinates(td_simulation *s, td_stack *stack);

/* td_rows_list counts the rows, or lists them if there is memory. td_rows_take allocates them
   and the scratch of td_bounded_solve. */
void td_rows_list(td_simulation *s);
void td_rows_take(td_simulation *s, td_stack *stack);

/* Computes q and q̇ of the evaluated state, and gaps and rates of the rows. */
td_status td_rows_look(td_simulation *s);

/* td_rows_force calls td_rows_look, then computes forces of slipping joints and springs at
   stops, along the joints in s->reactions.force and along u in extra. td_rows_power returns
   their nonconservative power, and td_rows_energy the energy of the springs at s->q. */
td_status td_rows_force(td_simulation *s);
/* Adds to force (nv) the effect of s->reactions.in_loops, the forces in loop joints, on the joints
   of the tree. */
td_status td_rows_add_loops(td_simulation *s, double *force);
double td_rows_power(const td_simulation *s);
double td_rows_energy(const td_simulation *s);

/* Computes J, X = M⁻¹ Jᵀ and A = J X at the evaluated state, for the rows in
   reactions.active[0..count). */
td_status td_rows_matrix(td_simulation *s, size_t count);
/* Computes the accelerations b of the rows in active at s->udd. */
td_status td_rows_acceleration(td_simulation *s, size_t count);
/* Returns whether each row in active belongs to a different independent joint. */
bool td_rows_are_apart(td_simulation *s, size_t count);
/* Computes s->udd and s->tau_y under the forces of td_rows_force and the reactions of rows that
   hold. */
td_status td_rows_react(td_simulation *s, const td_forces *forces);

/* Computes the total effect of all rows on the joints (force, nv) at the state of the last
   td_simulation_accelerate. */
td_status td_rows_total(td_simulation *s, double *force);

/* Speeds below TD_AT_REST (rad/s or m/s) count as rest, and gaps below TD_NEAR (rad or m) as
   contact. */
#define TD_AT_REST 1e-9
#define TD_NEAR 1e-9

/* Calls td_simulation_look and td_rows_look. */
td_status td_rows_look_at(td_simulation *s, double t, const double *x);
void td_rows_report(td_simulation *s, const td_row *row, double t, td_event_kind kind,
                    double impulse);
/* Returns whether a joint touches the stop. Stops that hold are touched, however far integration
   has drifted. */
bool td_row_is_touched(const td_row *row);
/* Returns the rounding error of a stop's gap: of the position, or for dependent joints of
   closing the loops. */
double td_row_rounding(const td_simulation *s, const td_row *row);
/* Returns the sign of a row's rate relative to J u̇. */
static inline double td_row_sign(const td_row *row)
{
    return row->stop ? row->sign : 1;
}
/* Returns whether row i in active (of count) belongs to a joint that only passes the end of its
   range. u̇ moves it no further there, so its rate is zero. It cannot be held, since that would
   require an infinite impulse or force. */
bool td_row_passes(const td_simulation *s, size_t count, size_t i);
/* Changes the velocities of x by the impulses λ of the rows in active. Returns their work Δu̇ᵀ M
   (u̇⁻ + u̇⁺)/2, including prescribed motions. */
double td_rows_kick(td_simulation *s, double *x, size_t count);
/* Reports the stops that prescribed motions contradict as events, and returns an error. */
td_status td_rows_contradiction(td_simulation *s, double t, size_t count);
/* Computes impacts at t until no joint moves into a stop. Updates x and the rows' rates. A joint
   already at rest at its stop causes no event. */
td_status td_rows_impact(td_simulation *s, double t, double *x);

/* Event functions of the rows, for the integrator. */
td_status td_rows_values(void *simulation, double t, const double *x, double *values);

/* Computes impacts, rest, sticking and slip at t, x. Changes x discontinuously. happened: NULL, or
   marks the rows with events. Sets the rows' modes and s->events. */
td_status td_simulation_settle(td_simulation *s, double t, double *x,
                               const unsigned char *happened);

/* Computes kinetic and potential energy at the evaluated state. */
td_status td_simulation_energy(td_simulation *s, double both[2]);
/* Returns whether most of the motion's energy is a numerical error, because a fixed step was too
   long. */
bool td_simulation_diverges(td_simulation *s);

/* Callbacks of the integrator. The Jacobian returns an error if it needs finite differences. */
td_status td_simulation_rate(void *simulation, double t, const double *x, double *rate);
td_status td_simulation_jacobian(void *simulation, double t, const double *x, double *J);
void td_simulation_project(void *simulation, double t, double *x);

/* Allocates scratch for td_simulation_jacobian. */
void td_rate_jacobian_take(td_simulation *s, td_stack *stack);

/* Computes the rates of the position and quaternion of a joint from its velocities ω, and v for a
   floating joint, in body axes: ẋ = R v, ξ̇ = ½ ξ ⊗ (ω, 0). For quaternions of any length ξ̇ scales
   with ξ, and R is the rotation of the unit quaternion. */
void td_free_joint_rate(int quaternion, const double *unit, const double *y, const double *yd,
                        double *rate);

bool td_spring_is_damped(const td_spring *spring);

/* Returns whether the joint that closes the loop has a coordinate, on which passive forces act. */
bool td_simulation_loop_moves(const td_simulation *s, size_t loop);

/* Counts the dampers and rotors of the model, or lists them if there is memory. */
void td_simulation_list_passive(td_simulation *s);

#endif
