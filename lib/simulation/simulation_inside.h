/* SPDX-License-Identifier: MIT */
/*
 * What the files of the simulation share. The integrator's state is
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

/* A joint with a quaternion: the indices of its coordinates in the tree's and of its positions in
   u, and the index of the quaternion in its positions. */
typedef struct td_free_joint {
    size_t q, qd;
    int quaternion;
    int u, velocity; /* u is −1 where they are not in u; velocity as velocity_of */
} td_free_joint;

/* what damps a joint of one coordinate, or one that closes a loop */
typedef struct td_damper {
    size_t at; /* entry in q̇, or index of the loop */
    double damping, friction;
} td_damper;

/* the rotor of a joint: reduction² · inertia */
typedef struct td_rotor {
    size_t qd; /* entry in q̇ */
    double inertia;
} td_rotor;

/* a stop, or the friction of a joint or of one that closes a loop, and what it does now */
typedef enum td_row_mode {
    TD_ROW_OFF,       /* of a stop: away from it; of friction: slips */
    TD_ROW_PRESSED,   /* of a stop with a spring */
    TD_ROW_HOLDS,     /* rests at the stop, sticks: the row carries a reaction */
    TD_ROW_UNDECIDED, /* may hold: no force while that is looked at */
} td_row_mode;

typedef struct td_row {
    bool stop;          /* else friction */
    size_t joint, loop; /* one of them is TD_NONE */
    size_t q, qd;       /* of a joint */
    size_t yd;          /* of an independent joint, else TD_NONE */
    double sign, at; /* of a stop: its gap is sign · (q − at); of friction: sign of the slip */
    double friction;
    td_row_mode mode;
    td_row_mode step_mode; /* this and sign during the last step, before what happened at its end */
    double step_sign;
    bool held;       /* before what happens now */
    bool passes;     /* only, at the end of its joint's way: nothing holds it there */
    bool rests;      /* of friction: as told by the events so far */
    double offset;   /* of the event function, see settle.c */
    double slack;    /* that, while the row holds */
    double left;     /* of a stop: when its joint was there last, s; −∞: never */
    double gap;      /* of a stop; this and the next two are of the state looked at last */
    double rate;     /* of the coordinate: q̇ of a joint, also of a stop */
    double reaction; /* along sign of a stop, along the rate of friction */
    double impulse;  /* of a stop, in what happens now */
} td_row;

/* Room for reactions: n is nyd, r the number of rows. */
typedef struct td_reactions {
    double *G;     /* nv × n */
    double *M;     /* n × n; then the factor of its free part, m × m */
    double *full;  /* n × n: M with prescribed motions */
    double *J, *X; /* r × n: rows, and M⁻¹ Jᵀ by rows */
    double *A, *b; /* r × r, r */
    double *lower, *upper, *lambda, *share, *rest; /* r */
    double *force;                                 /* nv: of slipping joints and springs at stops */
    double *in_loops, *of_loops; /* loops, nv: forces in joints that close loops, and what
                                    they do to the tree's */
    double *extra;               /* n */
    size_t *active;              /* r: the rows that are looked at */
    double *size;                /* n: forces that are there without reactions */
    unsigned char *held;         /* n: prescribed, or held by a row */
} td_reactions;

/* Room for ∂ẋ/∂x: n is nyd. */
typedef struct td_rate_jacobian {
    double *along, *rate, *mass; /* n × n: ∂ü along u's tangent and by u̇, H⁻¹; then others */
    double *along_back, *rate_back; /* n × n */
    double *G, *qd_along;           /* nv × n: of the closure, of rows and charts alone; */
    double *qdd_along, *qdd_rate;   /* ∂q̇ and ∂q̈ by u, ∂q̈ by u̇ */
    double *rest;                   /* n × size: of fixed rows */
    double *u, *ud, *back, *udd;    /* np, n, n, n: the state, with back = −u̇ */
    double *tau, *force, *weight;   /* n each */
    double *joint_force, *wrenches; /* nv, links × 6 */
    double *here, *beside;          /* size each: rates */
} td_rate_jacobian;

struct td_simulation {
    const td_model *model;
    td_workspace *w;
    td_integrator *integrator;
    td_stack stack; /* what all arrays are of */
    td_simulation_options options;
    td_forces forces;
    size_t ny, nyd, nq, nv, size;
    size_t np; /* entries of x reserved for u, which uses the first ones: as many as charts need */
    bool iterated; /* γ is not linear */
    bool fixed;    /* the length of the steps */
    bool implicit; /* the method gets Jacobians */
    bool started;
    size_t failed_loop; /* of the last step that failed, TD_NONE for none */

    td_free_joint *free_joints;
    size_t free_count;
    bool moved;          /* whether γ changes entries of y: of poses that loops decide in part */
    size_t *velocity_of; /* np: what u[i] is the integral of, in q̇ where td_knows_tree, else in u̇;
                            of the joints above nothing */
    size_t *qd_of_q;     /* nq: likewise in q̇, what q[i] is the integral of */
    int *u_of_q;         /* nq: its entry in u, −1 for none */
    size_t *ud_of_qd;    /* nv: room */
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
    size_t events_since;    /* ends of steps with events since the time burst */
    double burst;           /* s */
    double resolution;      /* resolution of times within the last step, s */
    double begin_energy[2]; /* kinetic and potential energy at the start, J; only for fixed steps */

    bool other;           /* u is not y */
    double *u, *ud, *udd; /* nu, nyd, nyd: of y, or own */
    size_t nu;            /* entries of u at present */
    double *own, *kept;   /* room for the three; for q and q̇ */
    size_t *y_q, *y_qd;   /* ny, nyd: entries of y in q and q̇ */
    size_t *u_q, *u_qd;   /* np, nyd: of u */
    /* states of γ (td_closure_remember), nq each: of the last evaluated state, and of the starting
       points of loops in the first and in the last step; remembered: 2 nq, of y and of u */
    double *looked, *home, *begin, *remembered;
    bool away;                        /* there was a step since loops started at home */
    double latest, latest_remembered; /* the time of the state that was looked at, as remembered */
    double *joint_force, *tau_u;      /* nv, nyd: room */
    double *y, *yd, *ydd, *tau_y, *q, *qd, *qdd; /* of the state that was looked at last */
    double *wrenches, *velocities;               /* links × 6; NULL without wrenches */
    double *x, *z_rate;                          /* size, states: room */
};

/* What lies in x. */
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

/* whether q and q̇ are found wherever x is looked at: γ gives entries of u, or of y, then */
static inline bool td_knows_tree(const td_simulation *s)
{
    return s->other || s->moved;
}

/* The state x at t as s->u, s->ud, with quaternions of unit length and prescribed entries in their
   places, and s->y, s->yd. */
td_status td_simulation_look(td_simulation *s, double t, const double *x);

/* What act does at the state that was looked at: s->tau_y, s->wrenches. z_rate may be NULL. */
td_status td_simulation_act(td_simulation *s, double t, const double *x, double *z_rate);

/* Forces and accelerations there, of act and all else: s->tau_y, s->udd. z_rate may be NULL. */
td_status td_simulation_accelerate(td_simulation *s, double t, const double *x, double *z_rate);

/* The power of all that is not conservative at the state that was looked at. */
td_status td_simulation_power(td_simulation *s, double *power);

/* ---- in whichever coordinates u -------------------------------------------------------------- */

/* At the state that was looked at: q and q̇, and y; q̈ of s->udd, and ÿ. */
td_status td_simulation_joints(td_simulation *s);
td_status td_simulation_joint_accelerations(td_simulation *s);
/* s->udd under s->tau_y and, where joint is not NULL, forces along all joints: joint (nv) and
   joint_u (nyd), which is its projection. Prescribed entries of s->tau_y are outputs. held, only
   where u is y: NULL, or bytes, ≠ 0 where an entry of s->udd is 0, and the force for that comes in
   joint_u. */
td_status td_simulation_move(td_simulation *s, const td_forces *forces, const double *joint,
                             double *joint_u, const unsigned char *held);

/* Other coordinates u at x, where those that it has are near a dead point, or y again; *changed,
   and x is then in the new ones. at_once: also those that are not near. */
td_status td_simulation_choose(td_simulation *s, double t, double *x, bool at_once, bool *changed);
void td_simulation_choose_y(td_simulation *s);
/* Where loops are followed from. Before a motion: from where td_closure_start has the workspace's,
   whatever motion was before, which note_start finds out after each step. A step begins at the
   state that was looked at: loops of all its states are followed from there. */
void td_simulation_find_home(td_simulation *s);
void td_simulation_begin_loops(td_simulation *s);
void td_simulation_note_start(td_simulation *s);
/* Who uses the simulation finds its workspace in y: the workspace speaks u only inside. */
void td_simulation_enter(td_simulation *s);
void td_simulation_leave(td_simulation *s);
/* What evaluations leave for the next ones, near which loops are closed, kept and given back: what
   lies between changes the motion by no bit. */
void td_simulation_remember(td_simulation *s);
void td_simulation_recall(td_simulation *s);
void td_simulation_take_coordinates(td_simulation *s, td_stack *stack);

/* Counts the rows, or with room lists them; takes room for them, and for td_bounded_solve. */
void td_rows_list(td_simulation *s);
void td_rows_take(td_simulation *s, td_stack *stack);

/* q and q̇ of the state that was looked at, and the gaps and rates of the rows there. */
td_status td_rows_look(td_simulation *s);

/* td_rows_look, then the forces of slipping joints and springs at stops along the joints in
   s->reactions.force, and along u in extra; their power that is not conservative, of rows that were
   looked at; the energy of the springs at s->q. */
td_status td_rows_force(td_simulation *s);
/* Adds to force (nv) the effect of s->reactions.in_loops, the forces in loop joints, on the joints
   of the tree. */
td_status td_rows_add_loops(td_simulation *s, double *force);
double td_rows_power(const td_simulation *s);
double td_rows_energy(const td_simulation *s);

/* The rows that hold, or with all those in reactions.active[0..count), at the state that was looked
   at: J, X = M⁻¹ Jᵀ and A = J X. */
td_status td_rows_matrix(td_simulation *s, size_t count);
/* Rates b of the rows in active at s->udd. */
td_status td_rows_acceleration(td_simulation *s, size_t count);
/* Whether each row in active is of an independent joint of its own. */
bool td_rows_are_apart(td_simulation *s, size_t count);
/* s->udd and s->tau_y under the forces of td_rows_force and the reactions of rows that hold, which
   are found. */
td_status td_rows_react(td_simulation *s, const td_forces *forces);

/* What all rows do along the joints (force, nv) at the state where td_simulation_accelerate was
   called last. */
td_status td_rows_total(td_simulation *s, double *force);

/* As fast is at rest, rad/s or m/s; as far from a stop is at it, rad or m. */
#define TD_AT_REST 1e-9
#define TD_NEAR 1e-9

/* td_simulation_look and td_rows_look. */
td_status td_rows_look_at(td_simulation *s, double t, const double *x);
void td_rows_report(td_simulation *s, const td_row *row, double t, td_event_kind kind,
                    double impulse);
/* Whether a stop is touched: held ones are, however far integration has led them from it. */
bool td_row_is_touched(const td_row *row);
/* Returns the rounding of a stop's gap: of the position, or for dependent joints of closing the
 * loops. */
double td_row_rounding(const td_simulation *s, const td_row *row);
/* A row's rate is positive where J u̇ is. */
static inline double td_row_sign(const td_row *row)
{
    return row->stop ? row->sign : 1;
}
/* Whether the i-th row in active (of count) is of a joint that only passes the end of its way,
   where u̇ moves it no further: it has a rate of zero but cannot be held, which would take an
   impulse or a force without end. */
bool td_row_passes(const td_simulation *s, size_t count, size_t i);
/* Changes x's velocities by the impulses λ of the rows in active. Returns their energy
   Δu̇ᵀ M (u̇⁻ + u̇⁺)/2, prescribed motions included. */
double td_rows_kick(td_simulation *s, double *x, size_t count);
/* What cannot be: motions that are prescribed go against stops, which are the events then. */
td_status td_rows_contradiction(td_simulation *s, double t, size_t count);
/* Impacts at t until no stop is moved into; x, and the rows' rates. Who has rested at a stop does
   not reach it: no event. */
td_status td_rows_impact(td_simulation *s, double t, double *x);

/* The event functions of the rows, for the integrator. */
td_status td_rows_values(void *simulation, double t, const double *x, double *values);

/* Impacts, rest, stick and slip at t, x, which jumps; happened: NULL or the rows whose events these
   are. The rows' modes and s->events are those from then on. */
td_status td_simulation_settle(td_simulation *s, double t, double *x,
                               const unsigned char *happened);

/* Kinetic and potential energy at the state that was looked at. */
td_status td_simulation_energy(td_simulation *s, double both[2]);
/* Whether the motion has gained its energy from nothing: a fixed step was too long for it. */
bool td_simulation_diverges(td_simulation *s);

/* The callbacks of the integrator; the Jacobian has a status where it cannot be had but by
   differences. */
td_status td_simulation_rate(void *simulation, double t, const double *x, double *rate);
td_status td_simulation_jacobian(void *simulation, double t, const double *x, double *J);
void td_simulation_project(void *simulation, double t, double *x);

/* Takes room for td_simulation_jacobian. */
void td_rate_jacobian_take(td_simulation *s, td_stack *stack);

/* Computes the rates of the position and quaternion of a joint from its velocities ω, and v for a
   floating joint, in body axes: ẋ = R v, ξ̇ = ½ ξ ⊗ (ω, 0). For quaternions of any length ξ̇ scales
   with ξ, and R is the rotation of the unit quaternion. */
void td_free_joint_rate(int quaternion, const double *unit, const double *y, const double *yd,
                        double *rate);

bool td_spring_is_damped(const td_spring *spring);

/* Whether the joint that closes the loop has a coordinate, on which passive forces act. */
bool td_simulation_loop_moves(const td_simulation *s, size_t loop);

/* Counts, or with room lists, the dampers and rotors of the model. */
void td_simulation_list_passive(td_simulation *s);

#endif
