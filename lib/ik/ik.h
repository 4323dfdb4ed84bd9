/* SPDX-License-Identifier: MIT */
/*
 * What an inverse kinematics is made of.
 */
#ifndef TD_IK_H
#define TD_IK_H

#include "base/stack.h"
#include "tandem/chart.h"
#include "tandem/ik.h"

static const double td_ik_turn = 6.283185307179586477; /* a whole one, rad */

static inline double td_ik_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A goal as it is evaluated: rows of the residual r, which are metres or radians. */
typedef struct td_ik_task {
    td_ik_goal goal;
    size_t target, targets; /* its first number among the targets, and how many */
    size_t row, rows;
    int body, other_body;  /* place among td_moving_link_poses; −1: the world */
    double frame[12];      /* the goal's frame against that body's link */
    double axis[3];        /* of TD_IK_AXIS, of unit length, in that link */
    double other_point[3]; /* in the frame of other_body */
} td_ik_task;

/* A posture. */
typedef struct td_ik_posture {
    double *y, *q, *r; /* ny, nq, rows */
    double *memory;    /* nq: td_closure_remember there */
    double cost; /* Σ (scale (r + shift))²; while followers are restored what they exceed, Σ x² */
    double outside; /* of the follower that is farthest beyond its limits, in parts of their
                       tolerance: 0 within, ≤ 1 to it */
} td_ik_posture;

/* Limits of a follower that effective limits of its leaders do not stand for. */
typedef struct td_ik_follower {
    size_t q, qd;
    double lower, upper;
    double margin; /* how far within a step is to end: what curvature needed last */
} td_ik_follower;

struct td_ik {
    const td_model *model;
    td_ik_options options;
    size_t ny, n, nq, nv; /* n: of ẏ */
    size_t tasks, rows, targets, bodies, followers, columns;
    size_t rank;   /* of the Jacobian of required goals, except at singular postures */
    bool poses;    /* a goal needs poses of links */
    bool has_rows; /* there are loops, followers or bounds of q̇: G is asked for */
    bool solves;   /* γ is asked for q */
    bool turns;    /* loops decide a part of a pose in y */
    bool wishes;   /* required goals and wished ones */
    bool opens;    /* F has one more row: the direction in which loops open, with a margin room */
    double room;
    bool restores; /* a descent leads followers within their limits, and goals do not count */
    td_ik_task *task;
    td_ik_follower *follower;
    unsigned char *held;    /* n: does not move */
    unsigned char *moved;   /* n: has a column, since goals need it or (2) followers alone */
    unsigned char *turn;    /* per row: radians */
    unsigned char *turning; /* n: whole turns may be added */
    unsigned char *angle;   /* n: of one position, an angle */
    unsigned char *random;  /* ny: a restart draws it */
    unsigned char *moves;   /* ny: a step may change it */
    size_t *column;         /* the velocities that move */
    size_t *position;       /* n: entry in y, where velocity and position are one by one */
    size_t *in_q;           /* n: in q, likewise */
    double *least, *most;   /* n: limits; infinite for poses */
    double *lower, *upper;  /* n: limits of a search, infinite if whole turns lead within the
                               others */
    double *scale, *shift;  /* rows */
    double *target;         /* targets: directions of unit length */
    double *pose;           /* bodies × 12 */
    double *J, *other_J;    /* 6 × n, of a link */
    double *A;              /* rows × columns: ∂r/∂ẏ, scaled */
    double *G;              /* nv × n, where it is asked for */
    unsigned char *depends; /* nv × n, while columns are found: entries of G that can be nonzero */
    double *F;              /* (followers + 1) × columns: their rows of G; see opens */
    double *rate;           /* nv: of all joints along a direction */
    double *seed, *base;    /* ny: of the call; closed, where there is one */
    double *drawn, *away;   /* ny, n: of a restart; from base to there */
    double *step;           /* n */
    double *gradient, *delta; /* columns: Aᵀ r; the step */
    double *H, *L;            /* columns × columns */
    double *right;            /* columns */
    size_t *free;             /* columns that move in a step */
    unsigned char *stopped;   /* columns: at a limit, beyond which downhill is */
    unsigned char *fixed;     /* columns: in a step */
    unsigned char *released;  /* columns: were fixed in it first */
    signed char *active;      /* rows of F: −1, 1 at a limit, 0, 2 left alone */
    size_t *acting;           /* rows of F, the first acts of them active */
    size_t acts;
    double *X, *S, *nu;      /* rows of F × columns, its square, rows of F */
    double *svd, *value, *V; /* rows × columns, the smaller of these, its square */
    double *found;           /* nq: the result */
    double *before;          /* nq: what the workspace remembered */
    double largest_wish;     /* of the weights of wished goals; and the least of required ones */
    double least_need;
    td_ik_posture now, trial, best;
    size_t evaluations, iterations, starts;
    td_stack stack;
};

/* ---- robot.c --------------------------------------------------------------------------------- */

/* Limits of followers that depend on several coordinates, or are solved: how many there are, and
   they themselves where there is room (NULL: none). */
size_t td_ik_find_followers(const td_model *model, td_ik_follower *follower);
/* Analyzes the robot for the given goals. bounded (nv): which entries of q̇ have bounds, so that the
   coordinates that share one are solved together; NULL: the followers'. Allocates a workspace
   meanwhile and fails with TD_ERROR_MEMORY. */
td_status td_ik_prepare(td_ik *ik, const unsigned char *bounded);

/* ---- object.c -------------------------------------------------------------------------------- */

/* td_ik_new; bounded: as td_ik_prepare has it */
td_status td_ik_new_bounded(const td_model *model, const td_ik_goal *goals, size_t goal_count,
                            const td_ik_options *options, const unsigned char *bounded,
                            td_ik **out);

/* ---- targets.c ------------------------------------------------------------------------------- */

/* whether a goal of that kind is about a link */
bool td_ik_has_link(td_ik_kind kind);
/* How many numbers the target of a goal has, how many rows of its residual. */
size_t td_ik_targets_of(const td_model *model, td_ik_kind kind);
size_t td_ik_rows_of(const td_model *model, td_ik_kind kind);
/* Targets of a call, into ik->target. */
td_status td_ik_take_targets(td_ik *ik, const double *targets);
/* x of unit length; false where it has none. */
bool td_ik_make_unit(double x[3]);

/* ---- goals.c --------------------------------------------------------------------------------- */

/* r of a posture whose y is there; and ∂r/∂ẏ, scaled, into A, right after that. */
td_status td_ik_residual(td_ik *ik, td_workspace *workspace, td_ik_posture *p);
td_status td_ik_jacobian(td_ik *ik, td_workspace *workspace, const td_ik_posture *p);
/* Of a goal: metres and radians that are left. */
void td_ik_left(const td_ik *ik, const td_ik_task *task, const double *r, double left[2]);
/* The axis of a goal in the world; the distance of its two points, and the direction to the first.
 */
void td_ik_axis_at(const td_ik *ik, const td_ik_task *task, double axis[3]);
double td_ik_distance_at(const td_ik *ik, const td_ik_task *task, double direction[3]);

/* ---- choice.c -------------------------------------------------------------------------------- */

/* Scales of required goals and of wished ones: their weights times these; no shifts. */
void td_ik_choose(td_ik *ik, double required, double wished);
bool td_ik_any_required(const td_ik *ik);

/* ---- singular.c ------------------------------------------------------------------------------ */

/* Looks at the robot at its reference and at random configurations (ik->now.y), which come nearer
   to the reference until look says that it was possible. */
void td_ik_sample(td_ik *ik, td_workspace *workspace,
                  bool (*look)(td_ik *ik, td_workspace *workspace));
/* rank, by the reference and random configurations */
void td_ik_find_rank(td_ik *ik, td_workspace *workspace);
/* The smallest singular value of required goals that is not zero everywhere, and the largest; 0
   where loops do not close. The workspace remembers the posture then. */
void td_ik_singular(td_ik *ik, td_workspace *workspace, const td_ik_posture *p, double *smallest,
                    double *largest);

/* ---- solve.c --------------------------------------------------------------------------------- */

/* How a search goes. */
typedef struct td_ik_search {
    size_t from, to; /* which starts: 0 the seed, 1 the reference, random ones */
    bool here;       /* no step is taken */
    bool all;        /* each that is reached is found */
    /* of all: takes what was found, which is best; false: enough */
    bool (*take)(void *context, td_ik *ik, bool found);
    void *context;
} td_ik_search;

/* Checks targets and seed of a call, runs the search and returns the result of td_ik_solve.
   Restores the memory of loops. */
td_status td_ik_call(td_ik *ik, td_workspace *workspace, const double *targets, const double *seed,
                     const td_ik_search *search);
/* Writes y and residuals of the best posture and td_ik_q; NaN if status is not TD_OK or without
 * one. */
void td_ik_give(td_ik *ik, td_status status, double *y, double *residuals, td_ik_result *result);

/* ---- step.c ---------------------------------------------------------------------------------- */

/* delta of least |A δ + b|² + damping |δ|², b = scale (r + shift), within the limits of y and, to
   first order, of followers. False where rounding leaves no positive pivot. *decrease: by how much
   less |A δ + b|² is than |b|². */
bool td_ik_step(td_ik *ik, const td_ik_posture *p, double damping, double *decrease);
/* Computes gradient = Aᵀ b and H = Aᵀ A, of the goals or of the followers' excess over their
   limits. Returns the length of the gradient projected to the limits. */
double td_ik_slope(td_ik *ik, const td_ik_posture *p);

/* ---- opening.c ------------------------------------------------------------------------------- */

/* Finds the direction in which loops opened in the last step, after its fraction part, so
   that the next step avoids it. Returns an error of td_closure_jacobian if that fails. */
td_status td_ik_find_opening(td_ik *ik, td_workspace *workspace, double part);
/* Updates the direction at now (G is known) from the direction at the previous posture. */
void td_ik_turn_opening(td_ik *ik);

/* ---- descent.c ------------------------------------------------------------------------------- */

/* Computes q, r and cost of a posture from its y. Returns TD_OK, TD_ERROR_LIMIT if a follower is
   beyond its limits, or a status of loops; other statuses end the call. */
td_status td_ik_look(td_ik *ik, td_workspace *workspace, td_ik_posture *p);
double td_ik_cost(const td_ik *ik, const double *r);
/* how far a follower is beyond its limits, signed; 0 within. While followers are restored, how far
   it is from some way inside. */
double td_ik_excess(const td_ik *ik, const td_ik_follower *follower, const double *q);
/* From now on, where td_ik_look has said TD_ERROR_LIMIT, to where followers are within their limits
   and that is TD_OK; TD_ERROR_LIMIT where no way leads there, or as td_ik_look. */
td_status td_ik_restore(td_ik *ik, td_workspace *workspace);
/* Descends from the current posture until the tolerances are met, or until the given number of
   consecutive steps gains little (TD_IK_TO_THE_END: until no step helps). */
enum { TD_IK_TO_THE_END = 0 };
td_status td_ik_descend(td_ik *ik, td_workspace *workspace, size_t iterations, size_t patience);
/* Clamps y to the limits; entries that do not move are copied from `from`. */
void td_ik_confine(const td_ik *ik, const double *from, double *y);
/* What goals that count (scale > 0) are is within their tolerances. */
bool td_ik_reached(const td_ik *ik, const double *r);
/* a = b */
void td_ik_copy(const td_ik *ik, td_ik_posture *a, const td_ik_posture *b);
/* loops do not close there, or a follower would be out of its limits */
bool td_ik_is_open(td_status status);

#endif
