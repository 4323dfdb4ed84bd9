/* SPDX-License-Identifier: MIT */
/*
 * The structs of inverse kinematics, and declarations that its files share.
 */
#ifndef TD_IK_H
#define TD_IK_H

#include "base/stack.h"
#include "tandem/chart.h"
#include "tandem/ik.h"

static const double td_ik_turn = 6.283185307179586477; /* a whole turn, rad */

static inline double td_ik_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A goal in the form for evaluation: its rows of the residual r, in meters or radians. */
typedef struct td_ik_task {
    td_ik_goal goal;
    size_t target, targets; /* first index and number of its targets */
    size_t row, rows;
    int body, other_body;  /* index in td_moving_link_poses; −1: the world */
    double frame[12];      /* pose of the goal's frame relative to that body's link */
    double axis[3];        /* of TD_IK_AXIS: unit vector in that link */
    double other_point[3]; /* in the frame of other_body */
} td_ik_task;

/* A posture. */
typedef struct td_ik_posture {
    double *y, *q, *r; /* ny, nq, rows */
    double *memory;    /* nq: td_closure_remember there */
    double cost; /* Σ (scale (r + shift))²; while followers are being restored, Σ of their squared
                    excess */
    double outside; /* largest excess of a follower over its limits, in multiples of its tolerance:
                       0 inside, ≤ 1 within tolerance */
} td_ik_posture;

/* Limits of a follower that the effective limits of its leaders do not imply. */
typedef struct td_ik_follower {
    size_t q, qd;
    double lower, upper;
    double margin; /* distance from the limits at which a step must end; set from the curvature of
                      the last step */
} td_ik_follower;

struct td_ik {
    const td_model *model;
    td_ik_options options;
    size_t ny, n, nq, nv; /* n: size of ẏ */
    size_t tasks, rows, targets, bodies, followers, columns;
    size_t rank;   /* of the Jacobian of required goals at regular postures */
    bool poses;    /* a goal needs poses of links */
    bool has_rows; /* there are loops, followers or bounds of q̇, so G is needed */
    bool solves;   /* γ is needed for q */
    bool turns;    /* loops determine part of a pose in y */
    bool wishes;   /* there are required and wished goals */
    bool opens;    /* F has one more row, the direction in which loops open; `room` is its margin */
    double room;
    bool restores; /* a descent is bringing followers inside their limits; goals are ignored */
    td_ik_task *task;
    td_ik_follower *follower;
    unsigned char *held;    /* n: coordinate must not move */
    unsigned char *moved;   /* n: the coordinate has a column, because of goals, or (value 2) only
                               because of followers */
    unsigned char *turn;    /* per row: unit is radians */
    unsigned char *turning; /* n: whole turns may be added */
    unsigned char *angle;   /* n: a single position, which is an angle */
    unsigned char *random;  /* ny: randomized by restarts */
    unsigned char *moves;   /* ny: steps may change it */
    size_t *column;         /* indices of the velocities that move */
    size_t *position;       /* n: index in y, if velocity and position correspond one to one */
    size_t *in_q;           /* n: index in q, likewise */
    double *least, *most;   /* n: limits; infinite for poses */
    double *lower, *upper;  /* n: limits used by the search; infinite if whole turns can bring a
                               solution inside the limits */
    double *scale, *shift;  /* rows */
    double *target;         /* targets, with directions normalized */
    double *pose;           /* bodies × 12 */
    double *J, *other_J;    /* 6 × n: Jacobians of a link */
    double *A;              /* rows × columns: ∂r/∂ẏ, scaled */
    double *G;              /* nv × n, if needed */
    /* nv × n, while columns are determined: entries of G that can be nonzero */
    unsigned char *depends;
    double *F;            /* (followers + 1) × columns: rows of G for followers; see opens */
    double *rate;         /* nv: rates of all joints along a direction */
    double *seed, *base;  /* ny: seed of the call; the nearest start with closed loops, if any */
    double *drawn, *away; /* ny, n: start of this restart; difference to it from base */
    double *step;         /* n */
    double *gradient, *delta; /* columns: Aᵀ r; the step */
    double *H, *L;            /* columns × columns */
    double *right;            /* columns */
    size_t *free;             /* columns that are free in a step */
    unsigned char *stopped;   /* columns: at a limit that the descent direction points beyond */
    unsigned char *fixed;     /* columns: fixed in this step */
    unsigned char *released;  /* columns: were fixed in this step and released */
    signed char *active;      /* rows of F: −1, 1 active at a limit; 0 inactive; 2 ignored */
    size_t *acting;           /* active rows of F; their number is acts */
    size_t acts;
    double *X, *S, *nu;      /* rows of F × columns; rows of F squared; rows of F */
    double *svd, *value, *V; /* rows × columns; min(rows, columns); its square */
    double *found;           /* nq: the result */
    double *before;          /* nq: memory of the workspace before the call */
    double largest_wish; /* largest weight of wished goals; least_need: smallest weight of required
                            ones */
    double least_need;
    td_ik_posture now, trial, best;
    size_t evaluations, iterations, starts;
    td_stack stack;
};

/* ---- robot.c --------------------------------------------------------------------------------- */

/* Counts limits of followers that depend on several coordinates or on solved loops, and lists
   them in follower unless it is NULL. */
size_t td_ik_find_followers(const td_model *model, td_ik_follower *follower);
/* Analyzes the robot for the given goals. bounded (nv) marks the entries of q̇ with bounds;
   coordinates that share a bound are solved together. NULL marks the followers. Temporarily
   allocates a workspace; returns TD_ERROR_MEMORY if that fails. */
td_status td_ik_prepare(td_ik *ik, const unsigned char *bounded);

/* ---- object.c -------------------------------------------------------------------------------- */

/* Does the same as td_ik_new, with `bounded` as in td_ik_prepare. */
td_status td_ik_new_bounded(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                            const td_ik_options *options, const unsigned char *bounded,
                            td_ik **out);

/* ---- targets.c ------------------------------------------------------------------------------- */

/* Returns whether goals of that kind refer to a link. */
bool td_ik_has_link(td_ik_kind kind);
/* The number of targets of a goal, of its rows in the residual, and of its velocities. */
typedef struct td_ik_sizes {
    size_t targets, rows, velocities;
} td_ik_sizes;

td_ik_sizes td_ik_goal_sizes(const td_model *model, td_ik_kind kind);
/* Copies the targets of a call into ik->target. */
td_status td_ik_take_targets(td_ik *ik, const double *targets);
/* Normalizes x. Returns false if it has no direction. */
bool td_ik_make_unit(double x[3]);

/* ---- goals.c --------------------------------------------------------------------------------- */

/* Computes the pose c = a ∘ b; rows of 3 × 4 numbers. */
void td_ik_compose(const double a[12], const double b[12], double c[12]);
/* Compute r of a posture from its y, and, immediately afterwards, ∂r/∂ẏ (scaled) into A. */
td_status td_ik_residual(td_ik *ik, td_workspace *workspace, td_ik_posture *p);
td_status td_ik_jacobian(td_ik *ik, td_workspace *workspace, const td_ik_posture *p);
/* Computes the remaining error of a goal, in meters and radians. */
void td_ik_left(const td_ik *ik, const td_ik_task *task, const double *r, double left[2]);
/* Return the axis of a goal in the world, and the distance of its two points with the direction
   to the first. */
void td_ik_axis_at(const td_ik *ik, const td_ik_task *task, double axis[3]);
double td_ik_distance_at(const td_ik *ik, const td_ik_task *task, double direction[3]);

/* ---- choice.c -------------------------------------------------------------------------------- */

/* Sets the scales of required and wished goals to their weights times these factors. Clears
   shifts. */
void td_ik_choose(td_ik *ik, double required, double wished);
bool td_ik_any_required(const td_ik *ik);

/* ---- singular.c ------------------------------------------------------------------------------ */

/* Calls `look` at the reference and at random configurations (ik->now.y). Moves each toward the
   reference until `look` returns true. */
void td_ik_sample(td_ik *ik, td_workspace *workspace,
                  bool (*look)(td_ik *ik, td_workspace *workspace));
/* Determines the rank from the reference and random configurations. */
void td_ik_find_rank(td_ik *ik, td_workspace *workspace);
/* Computes the largest singular value of required goals and the smallest that is not zero
   everywhere; 0 if loops do not close. The workspace then remembers the posture. */
void td_ik_singular(td_ik *ik, td_workspace *workspace, const td_ik_posture *p, double *smallest,
                    double *largest);

/* ---- solve.c --------------------------------------------------------------------------------- */

/* Options of a search. */
typedef struct td_ik_search {
    size_t from, to; /* range of starts: 0 the seed, 1 the reference, then random ones */
    bool here;       /* evaluate the start without taking steps */
    bool all;        /* find every solution */
    /* for `all`: receives each result (ik->best); returns false to stop */
    bool (*take)(void *context, td_ik *ik, bool found);
    void *context;
} td_ik_search;

/* Checks targets and seed of a call, runs the search and returns the result of td_ik_solve.
   Restores the memory of loops. */
td_status td_ik_call(td_ik *ik, td_workspace *workspace, const double *targets, const double *seed,
                     const td_ik_search *search);
/* Writes y, residuals and td_ik_q of the best posture; NaN if status is not TD_OK or there is no
   posture. */
void td_ik_give(td_ik *ik, td_status status, double *y, double *residuals, td_ik_result *result);

/* ---- step.c ---------------------------------------------------------------------------------- */

/* Computes the delta that minimizes |A δ + b|² + damping |δ|², with b = scale (r + shift),
   within the limits of y and, to first order, of followers. *decrease is |b|² − |A δ + b|².
   Returns false if rounding makes a pivot nonpositive. */
bool td_ik_step(td_ik *ik, const td_ik_posture *p, double damping, double *decrease);
/* Computes gradient = Aᵀ b and H = Aᵀ A, of the goals or of the followers' excess over their
   limits. Returns the length of the gradient projected to the limits. */
double td_ik_slope(td_ik *ik, const td_ik_posture *p);

/* ---- opening.c ------------------------------------------------------------------------------- */

/* Finds the direction in which loops opened during the last step, after its fraction `part`, so
   that the next step avoids it. Returns an error of td_closure_jacobian if that fails. */
td_status td_ik_find_opening(td_ik *ik, td_workspace *workspace, double part);
/* Updates the direction at now (G is known) from the direction at the previous posture. */
void td_ik_turn_opening(td_ik *ik);

/* ---- descent.c ------------------------------------------------------------------------------- */

/* Computes q, r and cost of a posture from its y. Returns TD_OK, TD_ERROR_LIMIT if a follower is
   beyond its limits, or a status of loops; other statuses end the call. */
td_status td_ik_look(td_ik *ik, td_workspace *workspace, td_ik_posture *p);
double td_ik_cost(const td_ik *ik, const double *r);
/* Returns the signed excess of a follower over its limits; 0 inside. While followers are being
   restored, measures from some distance inside the limits. */
double td_ik_excess(const td_ik *ik, const td_ik_follower *follower, const double *q);
/* Moves `now`, where td_ik_look returned TD_ERROR_LIMIT, to a posture with followers inside
   their limits, and returns TD_OK. Returns TD_ERROR_LIMIT if none is found, or other statuses of
   td_ik_look. */
td_status td_ik_restore(td_ik *ik, td_workspace *workspace);
/* Descends from the current posture until the tolerances are met, or until the given number of
   consecutive steps gains little (TD_IK_TO_THE_END: until no step helps). */
enum { TD_IK_TO_THE_END = 0 };
td_status td_ik_descend(td_ik *ik, td_workspace *workspace, size_t iterations, size_t patience);
/* Clamps y to the limits; entries that do not move are copied from `from`. */
void td_ik_confine(const td_ik *ik, const double *from, double *y);
/* Returns whether all goals that count (scale > 0) are within their tolerances. */
bool td_ik_reached(const td_ik *ik, const double *r);
/* Copies a = b. */
void td_ik_copy(const td_ik *ik, td_ik_posture *a, const td_ik_posture *b);
/* Returns whether loops do not close at a posture, or a follower exceeds its limits there. */
bool td_ik_is_open(td_status status);

#endif
