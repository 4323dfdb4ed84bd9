/* SPDX-License-Identifier: MIT */
/*
 * The data of closed loops that kernels use: rows of constraints, the unknown coordinates, and
 * closed forms of their solution.
 */
#ifndef TD_LOOPS_H
#define TD_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"
#include "model/curve.h"
#include "model/sparse.h"
#include "model/tree.h"

/* One row of φ: how it compares the two frames of a loop joint. */
typedef enum td_row_kind {
    TD_ROW_POINT,    /* a · (p_successor − p_predecessor) */
    TD_ROW_DOT,      /* a · b − c · d − aligned */
    TD_ROW_DISTANCE, /* (|p_successor − p_predecessor|² / length − length) / 2 */
    TD_ROW_FOLLOWER, /* belongs to a follower, not to a loop; see td_loop_curves */
} td_row_kind;

typedef struct td_loop_row {
    td_row_kind kind;
    td_vec3 a, c;   /* directions fixed to the predecessor's body */
    td_vec3 b, d;   /* directions fixed to the successor's body */
    double aligned; /* a · b − c · d of the closed loop: 0 except for a turn row */
    double length;
    double weight; /* makes rows of lengths comparable to rows of angles */
} td_loop_row;

/* A loop joint. Bodies are indices in the group's list. −1 is the body that carries the group; its
   frame is used as the world frame. */
typedef struct td_loop_joint {
    int index; /* of its record */
    int predecessor, successor;
    int predecessor_link, successor_link;
    td_vec3 predecessor_point, successor_point; /* in the bodies' frames */
    td_mat3 frame;   /* rotates the successor's loop frame into the axes of its body */
    int first, rows; /* first row in the group, and number of rows */
    /* Two or three rotations are constrained by right angles, which also occur half a turn away.
       This row distinguishes the two cases. It is 0 with zero gradient if the frames agree, and at
       most −aligned if they are half a turn apart. aligned is 0 for loops that do not need this
       row. */
    td_loop_row turn;
} td_loop_joint;

/* The coordinate of a loop joint that rotates about or translates along one axis. */
typedef struct td_loop_axis {
    int loop; /* index in the group */
    bool turns;
    td_vec3 axis, base; /* fixed to the predecessor's body; base is perpendicular to the axis */
    td_vec3 arm;        /* fixed to the successor's body; equals base if the coordinate is 0 */
    td_passive passive; /* without a rotor */
} td_loop_axis;

/* A velocity of the tree that moves only one side of a loop. */
typedef struct td_loop_column {
    int loop, body; /* indices in the group */
    int k;          /* index among the body's velocities */
    int velocity;   /* index in q̇ */
    double sign;    /* 1 on the successor's side, −1 on the predecessor's */
} td_loop_column;

/* How the dependent coordinates of a group follow from the independent ones. The functions of each
   form are in NAME_functions (kernel/loops/forms.h). */
#define TD_GROUP_FORMS(X)                                                                          \
    X(FOLLOWED, followed) /* by continuation from the start */                                     \
    X(SLIDER, slider)     /* closed form */                                                        \
    X(FOUR_BAR, four_bar) /* closed form */                                                        \
    X(FUNCTION, function) /* by a user-supplied function */                                        \
    X(CURVES, curves)     /* by functions of one coordinate each */                                \
    X(COVERED, covered)   /* user-supplied functions determine them; φ is checked */              \
    X(LINEAR, linear)     /* the linear closure determines them */

typedef enum td_group_form {
#define FORM(NAME, name) TD_FORM_##NAME,
    TD_GROUP_FORMS(FORM)
#undef FORM
} td_group_form;

/* γ by a user-supplied function: see td_closure_function. */
typedef struct td_loop_function {
    int (*solve)(const void *context, const double *y, const double *yd, double *x, double *G,
                 double *G_rate);
    int (*derivatives)(const void *context, const double *y, const double *yd, const double *ydd,
                       const double *f, double *velocity_y, double *acceleration_y,
                       double *force_y); /* may be NULL */
    const void *context;
    int *q, *qd; /* per slot: index in the coordinates of the tree */
} td_loop_function;

/* One term f(x) of a follower, with x = constant + Σ factor · coordinate over its arguments. */
typedef struct td_curve_term {
    const td_curve_data *curve;
    int follower;
    double constant;
    int first, arguments; /* arguments: indices in td_loop_curves */
    bool begins;          /* the first term of its follower */
    bool chained;         /* its arguments include other followers */
} td_curve_term;

/* Joints that follow others by curves: follower = offset + Σ terms. Followers and their terms come
   after their leaders, unless loops determine the leaders. In a group of TD_FORM_CURVES the
   followers are the dependent coordinates, in this order. In a group of loops they are some of the
   dependent coordinates, and each has a row of φ: follower − offset − Σ terms. These rows come
   last. The arrays per place have an element for each follower, then for each argument of each
   term. */
typedef struct td_loop_curves {
    int followers, terms, places;
    td_curve_term *term;
    double *offset;   /* per follower */
    int *row;         /* per place: the follower whose equation it is in */
    int *joint;       /* per place: its joint */
    int *w, *wd;      /* per place: index in the positions w, and in ẇ */
    int *q, *qd;      /* per place: index in the coordinates of the tree */
    int *slot;        /* per place, of TD_FORM_CURVES: its slot */
    double *factor;   /* per place; 1 for followers */
    td_scatter moves; /* of TD_FORM_CURVES: followers to entries of q̇ that move with them */
} td_loop_curves;

/* The given coordinate of a planar loop of three revolute joints and a prismatic joint. */
typedef enum td_slider_given {
    TD_SLIDER_CRANK, /* the angle of the first link: slider-crank */
    TD_SLIDER_HINGE, /* the angle between the links: a linear actuator across a hinge */
    TD_SLIDER_SLIDE, /* the displacement of the slider */
} td_slider_given;

/* The angle α of the first link relative to the slider's direction, the angle δ of the second link,
   ρ = δ − α, and the displacement s. Angles are not wrapped. */
enum {
    TD_SLIDER_FIRST,
    TD_SLIDER_SECOND,
    TD_SLIDER_BETWEEN,
    TD_SLIDER_DISPLACEMENT,
    TD_SLIDER_PARTS
};

/* part = offset + factor · w */
typedef struct td_planar_part {
    int slot; /* in the group; −1 for the coordinate of the loop joint */
    double factor, offset;
} td_planar_part;

/* The slider-crank in its plane, see kernel/loops/slider.h: a (cos α, sin α) + b (cos δ, sin δ) =
   (s, e). */
typedef struct td_slider {
    td_slider_given given;
    bool through; /* if s is given: it may pass through 0 */
    double a, b, e;
    td_planar_part part[TD_SLIDER_PARTS];
} td_slider;

/* The joint angles of a planar four-bar with revolute joints, in order from the given one: α, ρ₂ =
   β − α, ρ₃ = κ − β and κ. The links R1 R2, R2 R3 and R4 R3 have the directions α, β and κ relative
   to R1 R4. Angles are not wrapped. */
enum {
    TD_FOUR_BAR_GIVEN,
    TD_FOUR_BAR_SECOND,
    TD_FOUR_BAR_THIRD,
    TD_FOUR_BAR_LAST,
    TD_FOUR_BAR_PARTS
};

/* The four-bar in its plane, see kernel/loops/four_bar.h: a e^iα + b e^iβ = d + c e^iκ. */
typedef struct td_four_bar {
    double a, b, c, d;
    bool folded, stretched; /* the loop may not close for α near 0, and near half a turn */
    td_planar_part part[TD_FOUR_BAR_PARTS];
} td_four_bar;

/* Number of positions of a floating joint, the maximum of all joints. */
enum { TD_FLOATING_POSITIONS = 7 };

/* A joint with a quaternion, floating or ball, among the coordinates of a group of loops. It is
   dependent or independent as a whole, or loops determine it in part. In the latter case y contains
   all of its positions and ẏ its independent velocities; γ moves the pose given by y along the
   dependent directions until the loops close. Its slots are its velocities, angular before linear.
   The quaternion is the last of its positions. */
typedef struct td_loop_quaternion {
    int velocity; /* index of its first velocity in ẇ */
    int slot;   /* slot of this velocity; the others follow it unless loops determine only a part */
    int w;      /* index of its first position in w */
    int y;      /* index of its first position in y; −1 if it is dependent as a whole */
    int before; /* positions before the quaternion: 3 if floating, 0 for a ball */
    int part; /* if loops determine it in part: the first of its coordinates relative to the pose in
                 y (kernel/loops/part.h); else −1 */
} td_loop_quaternion;

/* coordinates of a pose relative to another pose; a ball has only the first three */
enum { TD_PART_COORDINATES = 6 };

static inline int td_loop_quaternion_positions(const td_loop_quaternion *f)
{
    return f->before + 4;
}

/* Sparsity of J_x of a large group of loops, and of its factors Q and R, whose columns are in the
   same order. R has no entry for two columns that share no row. */
typedef struct td_loop_sparsity {
    int *first, *end; /* per dependent slot: range of rows of its column of Q */
    int *lead;  /* per dependent slot j: the first row of R with an entry in column j; at most j */
    int *reach; /* per dependent slot j: the first row of R⁻¹ with an entry in column j */
    double products; /* multiplications that the factorization takes */
} td_loop_sparsity;

/*
 * Loops that share joints and are solved together. The unknowns are entries of w, the coordinates
 * that the linear closure leaves. A slot is the index of a coordinate in the group; the dependent
 * ones come first. Rows are all constraints, including redundant ones. The number of dependent
 * coordinates is the rank.
 */
typedef struct td_loop_group {
    td_group_form form;
    int bodies, *body, *parent; /* parents before children; parent is an index in this list */
    int carrier;                /* the body that carries the group, −1 for the world */
    int loops;
    td_loop_joint *loop;
    int rows;
    td_loop_row *row;
    int columns;
    td_loop_column *column;
    int axes;
    td_loop_axis *axis;
    bool passive; /* whether one of the axes has damping, friction or a spring */
    int dependents, independents;
    int *coordinate; /* per slot: index in the positions w; TD_COORDINATE_WHOLE or −2 − k for joints
                        with a quaternion, see td_loop_quaternion */
    int *velocity; /* per slot: index in ẇ */
    int *y, *yd; /* per independent slot: index in y and ẏ; y is −1 for joints with a quaternion */
    int *entry;   /* of charts whose u has all positions of the group (td_charts.wide): per slot its
                     index in u, −1 for joints with a quaternion; else NULL */
    double *unit; /* per slot: 1 for an angle, the size of the mechanism for a length */
    double *usual; /* per slot: squared length of its column of J if that is large; shorter columns
                      have lost digits */
    td_loop_sparsity *sparse; /* NULL if J_x is small or dense */
    int quaternions, parts;   /* parts: number of quaternions that loops determine in part */
    td_loop_quaternion *quaternion;
    int constraint;             /* its first row in φ of the whole model */
    int room;                   /* index of its scratch memory */
    td_slider slider;           /* of TD_FORM_SLIDER */
    td_four_bar four_bar;       /* of TD_FORM_FOUR_BAR */
    td_loop_function *function; /* of TD_FORM_FUNCTION, which has no loops; else NULL */
    td_loop_curves *curves;     /* of TD_FORM_CURVES, and of loops with followers; else NULL */
    td_scatter fill; /* from the entries of ∂w/∂y (dependents × independents) to the values of G */
} td_loop_group;

/* Returns whether the dependent coordinates are explicit functions of the independent ones. Such a
   group has no loops, does not depend on earlier values, and allows no other independent
   coordinates. */
static inline bool td_group_is_explicit(const td_loop_group *g)
{
    return g->form == TD_FORM_FUNCTION || g->form == TD_FORM_CURVES;
}

/* count consecutive coordinates of w that equal consecutive coordinates of y */
typedef struct td_run {
    int w, y, count;
} td_run;

typedef struct td_loops {
    size_t count; /* of groups: the ones to solve, then groups that are closed already, of
                     TD_FORM_COVERED and TD_FORM_LINEAR */
    size_t solved;
    td_loop_group *group;
    int most_evaluations; /* limit of evaluations of a group's constraints in one call */
    int *slot;            /* per velocity in ẇ: its slot in its group */
    bool direct; /* only curves are solved, and each fills separate entries of G; other entries are
                    constant */
    int runs;
    td_run *run;      /* the coordinates of w that equal y, in runs */
    double *constant; /* constant values of G; 0 elsewhere */
} td_loops;

/* Loops whose constraint forces are computed together: the loops of some groups. The coordinates
   that they determine are a range of the constrained coordinates of td_balances. */
typedef struct td_loop_balance {
    int groups, *group;
    int rows; /* of all these loops */
    int first, held;
    int alone;   /* number of these that nothing else constrains; they come first */
    bool strict; /* whether a state is singular if the loops cannot support one of these */
} td_loop_balance;

/* td_loop_group.coordinate of a joint with a quaternion: TD_COORDINATE_WHOLE if it is dependent or
   independent as a whole, td_coordinate_of_part(k) for coordinate k of a pose that loops determine
   in part */
enum { TD_COORDINATE_WHOLE = -1 };

static inline int td_coordinate_of_part(int k)
{
    return TD_COORDINATE_WHOLE - 1 - k;
}

/* Data for computing the constraint forces of loops (load/closure/balance.c,
   kernel/loops/balance.c). A constrained coordinate is an entry of ẇ that loops determine, or a
   velocity of the tree that follows others linearly. */
typedef struct td_balances {
    size_t loops; /* closed loops; if 0, all other members are empty */
    size_t count; /* of sets: first the sets that determine entries of w */
    td_loop_balance *set;
    int *number;  /* per constrained coordinate: its index in ẇ, or nwd plus its index in q̇ */
    td_csr moved; /* per constrained coordinate: the velocities of the tree per unit of it */
    td_csr held;  /* its transpose: rows are velocities of the tree */
    size_t of;    /* loops of the model, including open ones */
} td_balances;

/* A motor in a loop joint. entry and entries give the range of its row in M_u, which is summed from
   the rows of G of the joints that move the loop. */
typedef struct td_loop_motor {
    size_t group;
    int axis; /* index in the group */
    size_t entry, entries;
    size_t first; /* index in td_loop_motors.target */
} td_loop_motor;

typedef struct td_loop_motors {
    size_t count;
    td_loop_motor *motor;
    size_t *target; /* per column of the loop and entry of that row of G: the index in M_u */
} td_loop_motors;

#endif
