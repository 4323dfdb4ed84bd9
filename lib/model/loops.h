/* SPDX-License-Identifier: MIT */
/*
 * Closed loops as the kernels see them: rows of constraints, the coordinates that are solved for,
 * and what is known of their solution in closed form.
 */
#ifndef TD_LOOPS_H
#define TD_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"
#include "model/curve.h"
#include "model/sparse.h"
#include "model/tree.h"

/* One row of φ: how the frames of a loop joint on the two links are compared. */
typedef enum td_row_kind {
    TD_ROW_POINT,    /* a · (p_successor − p_predecessor) */
    TD_ROW_DOT,      /* a · b − c · d − aligned */
    TD_ROW_DISTANCE, /* (|p_successor − p_predecessor|² / length − length) / 2 */
    TD_ROW_FOLLOWER, /* of no loop: see td_loop_curves */
} td_row_kind;

typedef struct td_loop_row {
    td_row_kind kind;
    td_vec3 a, c;   /* directions fixed to the predecessor's body */
    td_vec3 b, d;   /* to the successor's */
    double aligned; /* a · b − c · d where the loop is closed: 0, but for a turn */
    double length;
    double weight; /* makes rows of lengths comparable with those of angles */
} td_loop_row;

/* A loop joint. Bodies are places in the group's list; −1 is the body that carries the group, whose
   frame stands for the world. */
typedef struct td_loop_joint {
    int index; /* of the record */
    int predecessor, successor;
    int predecessor_link, successor_link;
    td_vec3 predecessor_point, successor_point; /* in the bodies' frames */
    td_mat3 frame;   /* from the axes of the successor's loop frame to those of its body */
    int first, rows; /* in the group's rows */
    /* Two or three rotations are held by right angles, which are there at half a turn as well. This
       row tells the two apart: it is 0, without a gradient, where the frames agree, and −aligned or
       less where they are half a turn apart. aligned is 0 for loops that need none. */
    td_loop_row turn;
} td_loop_joint;

/* The coordinate of a loop joint that turns about or slides along one axis. */
typedef struct td_loop_axis {
    int loop; /* in the group */
    bool turns;
    td_vec3 axis, base; /* fixed to the predecessor's body; base is at right angles to the axis */
    td_vec3 arm;        /* to the successor's: base where the coordinate is 0 */
    td_passive passive; /* without a rotor */
} td_loop_axis;

/* A velocity of the tree that moves one side of a loop, and not the other. */
typedef struct td_loop_column {
    int loop, body; /* places in the group */
    int k;          /* which of the body's velocities */
    int velocity;   /* in q̇ */
    double sign;    /* 1 on the successor's side, −1 on the predecessor's */
} td_loop_column;

/* How the dependent coordinates of a group come from the independent ones: each form has its
   functions, NAME_functions (kernel/loops/forms.h). */
#define TD_GROUP_FORMS(X)                                                                          \
    X(FOLLOWED, followed) /* along a path from the start */                                        \
    X(SLIDER, slider)     /* by a formula */                                                       \
    X(FOUR_BAR, four_bar) /* by another one */                                                     \
    X(FUNCTION, function) /* by a function of the user's */                                        \
    X(CURVES, curves)     /* by functions of one coordinate each */                                \
    X(COVERED, covered)   /* functions of the user's have decided them: φ is looked at */         \
    X(LINEAR, linear)     /* the linear closure has decided them */

typedef enum td_group_form {
#define FORM(NAME, name) TD_FORM_##NAME,
    TD_GROUP_FORMS(FORM)
#undef FORM
} td_group_form;

/* γ by a function of the user's: see td_closure_function. */
typedef struct td_loop_function {
    int (*solve)(const void *context, const double *y, const double *yd, double *x, double *G,
                 double *G_rate);
    int (*derivatives)(const void *context, const double *y, const double *yd, const double *ydd,
                       const double *f, double *velocity_y, double *acceleration_y,
                       double *force_y); /* NULL: there is none */
    const void *context;
    int *q, *qd; /* per slot: in the coordinates of the tree */
} td_loop_function;

/* One term f(x) of a follower, with x = constant + Σ factor · coordinate over its arguments. */
typedef struct td_curve_term {
    const td_curve_data *curve;
    int follower;
    double constant;
    int first, arguments; /* places of td_loop_curves */
    bool begins;          /* the first one of its follower */
    bool chained;         /* about other followers, too */
} td_curve_term;

/* Followers by curves: each is offset + Σ of its terms. They come after those that they follow, and
   so do their terms, unless loops decide these. In a group of TD_FORM_CURVES followers are the
   dependent slots, in this order. In a group of loops they are dependent coordinates among others,
   and each has a row of φ, which is follower − offset − Σ of its terms; these are the last rows.
   Coordinates that the followers are and that terms are about have places: those of the followers
   first, then those of the terms' arguments, one term after the other. */
typedef struct td_loop_curves {
    int followers, terms, places;
    td_curve_term *term;
    double *offset;   /* per follower */
    int *row;         /* per place: the follower whose equation it is in */
    int *joint;       /* per place: whose coordinate it is */
    int *w, *wd;      /* per place: in the positions w, and in ẇ */
    int *q, *qd;      /* per place: in the coordinates of the tree */
    int *slot;        /* per place, of TD_FORM_CURVES */
    double *factor;   /* per place; 1 of followers */
    td_scatter moves; /* of TD_FORM_CURVES, from the followers to q̇: what moves with them */
} td_loop_curves;

/* What is given of a planar loop of three revolute joints and a prismatic one. */
typedef enum td_slider_given {
    TD_SLIDER_CRANK, /* the angle of the first link: crank and slider */
    TD_SLIDER_HINGE, /* the angle between the links: an actuator across a hinge */
    TD_SLIDER_SLIDE, /* the displacement of the slider */
} td_slider_given;

/* The angle α of the first link against the direction of the slider, δ of the second, ρ = δ − α,
   and the displacement s: not wrapped. */
enum {
    TD_SLIDER_FIRST,
    TD_SLIDER_SECOND,
    TD_SLIDER_BETWEEN,
    TD_SLIDER_DISPLACEMENT,
    TD_SLIDER_PARTS
};

/* part = offset + factor · w */
typedef struct td_planar_part {
    int slot; /* of the group; −1 for the part that the loop joint has */
    double factor, offset;
} td_planar_part;

/* That loop in the plane, see kernel/loops/slider.h: a (cos α, sin α) + b (cos δ, sin δ) = (s, e).
 */
typedef struct td_slider {
    td_slider_given given;
    bool through; /* where s is given: it may pass 0 */
    double a, b, e;
    td_planar_part part[TD_SLIDER_PARTS];
} td_slider;

/* The joints of a planar loop of four that turn, going round from the one that is given: α, ρ₂ = β
   − α, ρ₃ = κ − β and κ, with the directions α, β and κ of the links R1 R2, R2 R3 and R4 R3 against
   R1 R4; not wrapped. */
enum {
    TD_FOUR_BAR_GIVEN,
    TD_FOUR_BAR_SECOND,
    TD_FOUR_BAR_THIRD,
    TD_FOUR_BAR_LAST,
    TD_FOUR_BAR_PARTS
};

/* That loop in the plane, see kernel/loops/four_bar.h: a e^iα + b e^iβ = d + c e^iκ. */
typedef struct td_four_bar {
    double a, b, c, d;
    bool folded, stretched; /* the loop may not close where α is about 0, and half a turn */
    td_planar_part part[TD_FOUR_BAR_PARTS];
} td_four_bar;

/* positions of a floating joint, the most that a joint has */
enum { TD_FLOATING_POSITIONS = 7 };

/* A joint with a quaternion, a floating one or a ball, among the coordinates of a group of loops.
   It is dependent or independent as a whole, or loops decide a part of it: then all of its
   positions are in y, those of its velocities that depend on no other are in ẏ, and γ moves the
   pose that y has along the others until the loops close. Its slots are its velocities, the angular
   ones first; its positions end with the quaternion. */
typedef struct td_loop_quaternion {
    int velocity; /* the first of its velocities, in ẇ */
    int slot;     /* of that one; the others follow it, unless loops decide a part */
    int w;        /* the first of its positions */
    int y;        /* the first of them in y; −1 where it is dependent as a whole */
    int before;   /* positions before the quaternion: 3 of a floating joint, 0 of a ball */
    int part;     /* the first of its coordinates against the pose in y (kernel/loops/part.h), where
                     loops decide a part of it; else −1 */
} td_loop_quaternion;

/* coordinates of a pose against another one, of which a ball has the first three */
enum { TD_PART_COORDINATES = 6 };

static inline int td_loop_quaternion_positions(const td_loop_quaternion *f)
{
    return f->before + 4;
}

/* Where J_x of a group of many loops may have something, and Q and R of it, which have its columns
   in the same order: a column that shares no row with another has nothing of it. */
typedef struct td_loop_sparsity {
    int *first, *end; /* per dependent slot: the rows that its column of Q begins and ends with */
    int *lead;        /* the first slot whose column it has something of; at most its own */
    int *reach;       /* the first one with which R⁻¹ ties it */
    double products;  /* that Q R takes */
} td_loop_sparsity;

/*
 * Loops that share joints, solved together. Their unknowns are coordinates w, those that the linear
 * closure leaves: in slots, the dependent ones first. Rows are all constraints, redundant ones
 * included; the dependent coordinates are as many as the rank.
 */
typedef struct td_loop_group {
    td_group_form form;
    int bodies, *body, *parent; /* parents before children; parent as a place in the list */
    int carrier;                /* the body that carries the group, −1 for the world */
    int loops;
    td_loop_joint *loop;
    int rows;
    td_loop_row *row;
    int columns;
    td_loop_column *column;
    int axes;
    td_loop_axis *axis;
    bool passive; /* whether one of those has damping, friction or a spring */
    int dependents, independents;
    int *coordinate; /* per slot: in the positions w; TD_COORDINATE_WHOLE or −2 − k for joints with
                        a quaternion, see td_loop_quaternion */
    int *velocity; /* per slot: in ẇ */
    int *y, *yd;   /* per independent slot; y is −1 for joints with a quaternion */
    int *entry;   /* of groups of charts whose positions are all in u (td_charts.wide): per slot its
                     entry there, −1 for joints with a quaternion; else NULL */
    double *unit; /* per slot: 1 for an angle, the size of the mechanism for a length */
    double *usual; /* per slot: the square of the length of its column of J where that is long;
                      shorter ones have lost digits */
    td_loop_sparsity *sparse; /* NULL: J_x is small or full */
    int quaternions, parts;   /* so many of these are decided in part */
    td_loop_quaternion *quaternion;
    int constraint;             /* its first row in φ of the model */
    int room;                   /* in the scratch: its place among the groups */
    td_slider slider;           /* of TD_FORM_SLIDER */
    td_four_bar four_bar;       /* of TD_FORM_FOUR_BAR */
    td_loop_function *function; /* of TD_FORM_FUNCTION, else NULL; there are no loops then */
    td_loop_curves *curves;     /* of TD_FORM_CURVES, and of loops with followers; else NULL */
    td_scatter fill; /* from the dependents × independents of ∂w/∂y to the values of G */
} td_loop_group;

/* whether dependent coordinates are functions of the others, whatever they were before: there are
   no loops, nothing is followed and no other coordinates may be the independent ones */
static inline bool td_group_is_explicit(const td_loop_group *g)
{
    return g->form == TD_FORM_FUNCTION || g->form == TD_FORM_CURVES;
}

/* so many coordinates of w from one on are those of y from one on */
typedef struct td_run {
    int w, y, count;
} td_run;

typedef struct td_loops {
    size_t count; /* of groups: those to be solved, then those that are closed already, of
                     TD_FORM_COVERED and TD_FORM_LINEAR */
    size_t solved;
    td_loop_group *group;
    int most_evaluations; /* of the constraints of a group, in one call */
    int *slot;            /* per velocity w: its slot in its group */
    bool direct;          /* curves are all that is solved, and each has its own entries of G: the
                             others keep their values */
    int runs;
    td_run *run;      /* the coordinates of w that are y, in runs */
    double *constant; /* values of G that do not change; 0 elsewhere */
} td_loops;

/* Loops whose forces are found together: those of some groups. What they hold is a range of the
   held coordinates of td_balances. */
typedef struct td_loop_balance {
    int groups, *group;
    int rows; /* of all of them */
    int first, held;
    int alone;   /* of those, so many that nothing else holds; they come first */
    bool strict; /* a state in which the loops cannot hold one of these is singular */
} td_loop_balance;

/* td_loop_group.coordinate of a joint with a quaternion that is dependent or independent as a
   whole, and of the k-th coordinate of poses that loops decide in part */
enum { TD_COORDINATE_WHOLE = -1 };

static inline int td_coordinate_of_part(int k)
{
    return TD_COORDINATE_WHOLE - 1 - k;
}

/* What finds the forces of loops (load/closure/balance.c, kernel/loops/balance.c). A held
   coordinate is one of w that loops decide, or a velocity of the tree that follows others linearly.
 */
typedef struct td_balances {
    size_t loops; /* that are closed; without any there is nothing else */
    size_t count; /* of sets: those that decide coordinates of w, then the others */
    td_loop_balance *set;
    int *number;  /* per held coordinate: that of ẇ, or nwd and the velocity of the tree */
    td_csr moved; /* per held coordinate: the velocities of the tree that it moves, per unit */
    td_csr held;  /* the transposed: per velocity of the tree */
    size_t of;    /* loops of the model, open ones too */
} td_balances;

/* A motor in a loop joint: its row of M_u has entries from one on, which are summed from those of G
   in the rows of the joints that move the loop. */
typedef struct td_loop_motor {
    size_t group;
    int axis; /* in the group */
    size_t entry, entries;
    size_t first; /* in td_loop_motors.target */
} td_loop_motor;

typedef struct td_loop_motors {
    size_t count;
    td_loop_motor *motor;
    size_t *target; /* per column of the loop and entry of G in its row: the entry of M_u */
} td_loop_motors;

#endif
