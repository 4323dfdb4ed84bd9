/* SPDX-License-Identifier: MIT */
/*
 * The tree as the kernels see it: bodies, joints and numbers, nothing of names, URDF or mimic. Made
 * once at load, constant afterwards.
 *
 * Every body has a frame at its joint's origin whose z axis is the joint's axis; the URDF's link
 * frames are placed in it. Fixed joints are gone: their links are frames of the body that carries
 * them, their inertia is part of its own. Parents come before their children; −1 is the world.
 * A limb is a chain of a few bodies with consecutive numbers, each the parent of the next.
 */
#ifndef TD_TREE_H
#define TD_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct td_vec3 {
    double x, y, z;
} td_vec3;

typedef struct td_mat3 {
    double xx, xy, xz, yx, yy, yz, zx, zy, zz;
} td_mat3;

typedef struct td_sym3 {
    double xx, xy, xz, yy, yz, zz;
} td_sym3;

/* [R r]: x_outer = R x + r. Row by row, as a row of four numbers is a vector. */
typedef struct td_placement {
    double x[4], y[4], z[4];
} td_placement;

/* What the force that moves a body takes of its inertia about its origin, as arrow.h has it: h and
   its entries turned round, (y, z, x) and (z, x, y); the diagonals of I, (xx, yy, zz), (xy, yz, zx)
   and (xz, yx, zy); and the sum of m x xᵀ over its points x. */
typedef struct td_inertia {
    double first[3][4], second[3][4];
    td_sym3 spread;
    double mass;
} td_inertia;

/*
 * The same of consecutive bodies, for inertias in world axes: h, and u, v and middle with which I
 * is middle · 1 − u uᵀ + v vᵀ. Those turn with the first moment, at two thirds of the price of R I
 * Rᵀ.
 */
enum { TD_ABREAST = 4 };
typedef struct td_moments {
    double h[3][TD_ABREAST], u[3][TD_ABREAST], v[3][TD_ABREAST], middle[TD_ABREAST];
} td_moments;

/* room for so many and what is computed beyond them */
static inline size_t td_abreast(size_t count)
{
    return (count + 2 * TD_ABREAST - 1) / TD_ABREAST * TD_ABREAST;
}

/* How a body moves against its parent. */
typedef enum td_motion {
    TD_MOTION_REVOLUTE,  /* turns about z */
    TD_MOTION_PRISMATIC, /* slides along z */
    TD_MOTION_PLANAR,    /* slides along x and y, then turns about z */
    TD_MOTION_FLOATING,  /* position and quaternion */
} td_motion;

/* How a frame stands to another, a body to its parent at q = 0 or a link to its body: most often as
   one whose x, y and z are axes of the other; N for a z that is backwards. Kernels have a code for
   each. */
typedef enum td_manner {
    TD_MANNER_XYZ,
    TD_MANNER_YZX,
    TD_MANNER_ZXY,
    TD_MANNER_YXN, /* (y, x, −z) */
    TD_MANNER_ZYN, /* (z, y, −x) */
    TD_MANNER_XZN, /* (x, z, −y) */
    TD_MANNER_OTHER,
} td_manner;

/* What most algorithms ask comes first, in a line or two of the cache. */
typedef struct td_body {
    int parent; /* body, −1 for the world */
    td_motion motion;
    td_manner names;  /* of a joint with one coordinate; else TD_MANNER_OTHER */
    td_manner manner; /* the same where the joint turns; else TD_MANNER_OTHER */
    int q, qd;        /* first entry in q and in q̇; those of bodies ascend without a gap */
    int angle;        /* slot in the arrays of sines and cosines, −1 for none */
    bool leaf;        /* it has no children */
    bool last;        /* it is the last child of its parent */
    bool forks;       /* it has children other than the next body */
    td_vec3 position; /* r: the joint's origin in the parent's frame */
    double mass;
    td_vec3 moment;   /* h = mass · centre of mass */
    td_sym3 inertia;  /* about the body's origin */
    td_mat3 rotation; /* E: turns parent coordinates into the body's, at q = 0 */
    double subtree;   /* mass of the body and all below it */
    int wide;         /* slot of a joint with several coordinates, −1 for one with one */
    int nv;           /* number of its velocities */
    int link;         /* that its joint moves; its origin is the body's */
    int limb;         /* that it is in */
    int straight;     /* how many bodies from this one on have consecutive velocities: up to the
                         next joint with several */
} td_body;

typedef struct td_limb {
    int top; /* its first body, the only one that may have several velocities */
    int bodies;
    int qd;     /* the velocity that the first one begins with */
    int rows;   /* number of its velocities, which are consecutive */
    int depth;  /* of that in the pattern of the mass matrix */
    int parent; /* the body that carries it, −1 for the world */
    int outer;  /* the limb of that body, −1 for none */
    int end;    /* behind the last velocity of the outer limb that moves this one */
} td_limb;

/* A link: its frame in that of its body (or in the world, for body −1), and its own inertia. */
typedef struct td_link_frame {
    int body;
    int parent;       /* link, −1 for the root */
    bool here;        /* its origin is the body's */
    bool about_z;     /* its z axis is the body's */
    bool parallel;    /* its axes are those of the body, in another order or backwards: */
    int axis[3];      /* which ones (0, 1, 2) */
    double sign[3];   /* 1 or −1 */
    td_manner names;  /* where it is here and none is backwards; else TD_MANNER_OTHER */
    td_mat3 rotation; /* x_body = rotation · x_link + position */
    td_vec3 position;
    double mass;
    td_vec3 moment;  /* in the link's frame */
    td_sym3 inertia; /* about the link's origin, in its frame */
} td_link_frame;

/* What a joint's coordinate meets beside the bodies; zero but for joints of one coordinate. */
typedef struct td_passive {
    double damping, friction, stiffness, reference;
    double rotor; /* rotor inertia times the square of the gear ratio */
} td_passive;

enum { TD_TILE = 4 };

/*
 * A part of a symmetric matrix whose rows are stored without a gap; or, without columns, the
 * triangle of some rows on the diagonal. The whole matrix, both triangles, is written in lines of
 * TD_TILE numbers, of which those behind the tile may be any where later tiles have them right.
 * Reading passes the last entry of the matrix by up to TD_TILE − 1.
 */
typedef struct td_tile {
    unsigned short row, column, rows, columns;
    bool exactly, mirror_exactly; /* behind its lines, or their mirrors, are zeros of the matrix or
                                     the next row */
    unsigned entry[TD_TILE]; /* where the rows begin; the last one again where there are fewer */
} td_tile;

/*
 * The sparsity of a symmetric matrix whose entries (i, j) vanish unless one coordinate is an
 * ancestor of the other. Row i holds the entries of i's ancestors from the root on, then i itself:
 * depth[i] + 1 numbers from row[i]. A row of an ancestor is thus as long as a beginning of the row
 * of i.
 */
typedef struct td_pattern {
    size_t size;    /* rows */
    size_t entries; /* numbers in all */
    int *parent;    /* coordinate, −1 at a root */
    int *depth;     /* number of ancestors */
    int *run;       /* first of the consecutive ancestors that end here: i, i − 1, ... run[i] */
    size_t *row;
    bool tiled; /* or else entries one by one are less work */
    /* up to TD_TILE rows and all their ancestors that are consecutive, then their triangle: the
       whole matrix, from one row to the next */
    size_t tiles_below;
    td_tile *below;
    /* up to TD_TILE consecutive rows and ancestors, from one ancestor to the next: the mirror of
       all that but the triangles, from one row to the next */
    size_t tiles_above;
    td_tile *above;
} td_pattern;

/*
 * A partition of the bodies for the articulated-body algorithm in independent coordinates. All that
 * depends on one coordinate is in one cluster, and all bodies of a cluster whose parents are not in
 * it have one parent, so that clusters form a tree. A body that nothing is coupled to is a cluster
 * of its own.
 */
typedef struct td_cluster {
    int outer;         /* the body that carries the cluster, −1 for the world */
    int first, bodies; /* in td_clusters.body: parents before children */
    int coordinate;    /* first entry in td_clusters.coordinate */
    int coordinates;   /* number of independent velocities that move it */
    bool plain;        /* one body with a joint that nothing follows */
    size_t room;       /* where its scratch starts, in reals */
} td_cluster;

typedef struct td_clusters {
    size_t count;
    td_cluster *cluster; /* a cluster comes after the one that carries it */
    int *body;
    int *coordinate; /* independent velocities, cluster by cluster */
    int *local;      /* per independent velocity: its place within its cluster */
    size_t room;     /* scratch of all clusters, in reals */
} td_clusters;

/* One row of φ: how the frames of a loop joint on the two links are compared. */
typedef enum td_row_kind {
    TD_ROW_POINT,    /* a · (p_successor − p_predecessor) */
    TD_ROW_DOT,      /* a · b − c · d */
    TD_ROW_DISTANCE, /* (|p_successor − p_predecessor|² / length − length) / 2 */
} td_row_kind;

typedef struct td_loop_row {
    td_row_kind kind;
    td_vec3 a, c; /* directions fixed to the predecessor's body */
    td_vec3 b, d; /* to the successor's */
    double length;
    double weight; /* makes rows of lengths comparable with those of angles */
} td_loop_row;

/* A loop joint. Bodies are places in the group's list; −1 is the body that carries the group, whose
   frame stands for the world. */
typedef struct td_loop_joint {
    int index; /* of the record */
    int predecessor, successor;
    td_vec3 predecessor_point, successor_point; /* in the bodies' frames */
    int first, rows;                            /* in the group's rows */
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

/* target[to] += factor · source[from] for each; how Gᵀ H G is summed from the entries of H. Where
   left is not NULL, each is also times two values of G, which change with the state. */
typedef struct td_scatter {
    size_t count;
    size_t *from, *to;
    double *factor;
    int *left, *right;
} td_scatter;

/* γ by a function of the user's: see td_closure_function. */
typedef struct td_loop_function {
    int (*solve)(const void *context, const double *y, const double *yd, double *x, double *G,
                 double *G_rate);
    const void *context;
    int *q, *qd; /* per slot: in the coordinates of the tree */
} td_loop_function;

/* What is given of a planar loop of three revolute joints and a prismatic one. */
typedef enum td_slider_given {
    TD_SLIDER_NONE,  /* there is no closed form */
    TD_SLIDER_CRANK, /* the angle of the first link: crank and slider */
    TD_SLIDER_HINGE, /* the angle between the links: an actuator across a hinge */
    TD_SLIDER_SLIDE, /* the way of the slider */
} td_slider_given;

/* The angle α of the first link against the way of the slider, δ of the second, ρ = δ − α, and the
   way s: not wrapped. */
enum { TD_SLIDER_FIRST, TD_SLIDER_SECOND, TD_SLIDER_BETWEEN, TD_SLIDER_WAY, TD_SLIDER_PARTS };

/* part = offset + factor · w */
typedef struct td_slider_part {
    int slot; /* of the group; −1 for the part that the loop joint has */
    double factor, offset;
} td_slider_part;

/* That loop in the plane, see kernel/slider.c: a (cos α, sin α) + b (cos δ, sin δ) = (s, e). */
typedef struct td_slider {
    td_slider_given given;
    bool through; /* where s is given: it may pass 0 */
    double a, b, e;
    td_slider_part part[TD_SLIDER_PARTS];
} td_slider;

enum { TD_FLOATING_POSITIONS = 7, TD_FLOATING_VELOCITIES = 6 };

/* A floating joint among the coordinates of a group of loops, dependent or independent as a whole.
   Its slots are those of its twist; its position and quaternion are seven entries of w. */
typedef struct td_loop_floating {
    int slot; /* the first of six */
    int w;    /* the first of seven */
    int y;    /* the first of seven in y; −1 where it is dependent */
} td_loop_floating;

/*
 * Loops that share joints, solved together. Their unknowns are coordinates w, those that the linear
 * closure leaves: in slots, the dependent ones first. Rows are all constraints, redundant ones
 * included; the dependent coordinates are as many as the rank.
 */
typedef struct td_loop_group {
    int bodies, *body, *parent; /* parents before children; parent as a place in the list */
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
    int *coordinate; /* per slot: in the positions w; −1 for those of floating joints */
    int *velocity;   /* per slot: in ẇ */
    int *y, *yd;     /* per independent slot; y is −1 for those of floating joints */
    double *unit;    /* per slot: 1 for an angle, the size of the mechanism for a length */
    int floatings;
    td_loop_floating *floating;
    int constraint; /* its first row in φ of the model */
    size_t room;    /* where its scratch starts, in reals */
    td_slider slider;
    td_loop_function *function; /* NULL, or what decides the dependents; there are no loops then */
    bool registered; /* functions decide the joints of its loops: whether φ vanishes is checked */
    td_scatter fill; /* from the dependents × independents of ∂w/∂y to the values of G */
} td_loop_group;

typedef struct td_loops {
    size_t count; /* of groups: those to be solved, then those that are closed already */
    size_t solved;
    td_loop_group *group;
    int most_evaluations; /* of the constraints of a group, in one call */
    int *slot;            /* per velocity w: its slot in its group */
    double *constant;     /* values of G that do not change; 0 elsewhere */
    size_t room;          /* scratch of all groups, in reals */
} td_loops;

/* A motor in a loop joint: its row of M_u has entries from one on, which are summed from those of G
   in the rows of the joints that move the loop. */
typedef struct td_loop_motor {
    size_t group;
    int axis; /* in the group */
    size_t entry, entries;
    size_t first; /* in td_loop_motors.to */
} td_loop_motor;

typedef struct td_loop_motors {
    size_t count;
    td_loop_motor *motor;
    size_t *to; /* per column of the loop and entry of G in its row: the entry of M_u */
} td_loop_motors;

/* Motors and the independent velocities that they move; no other motor moves those, and these
   motors no others. */
typedef struct td_drive {
    int motors, motor;           /* how many, and the first of them in td_drives.motor */
    int coordinates, coordinate; /* likewise in td_drives.coordinate */
} td_drive;

typedef struct td_drives {
    size_t count;
    td_drive *drive;
    int *motor;      /* rows of M_u, drive by drive */
    int *coordinate; /* columns of M_u, likewise; those of floating joints that no motor moves are
                        in none */
    int *local;      /* per independent velocity: its place in its drive, −1 for none */
    size_t room;     /* scratch of the largest drive, in reals */
} td_drives;

/* count rounded up to what the longest vectors of any instruction set take at once */
static inline size_t td_whole_vectors(size_t count)
{
    return (count + 7) / 8 * 8;
}

typedef struct td_tree {
    size_t bodies, limbs, links, joints, angles, wides, nq, nv;
    td_body *body;
    td_limb *limb; /* after the one that carries it */
    td_link_frame *link;
    /* apart, for loops that need nothing else of a body or a link */
    td_placement *body_at_zero;   /* per body [Eᵀ r] */
    td_placement *link_placement; /* per link [rotation position] */
    td_inertia *body_inertia;     /* per body */
    td_inertia *regrouped;        /* per body: the same to joints, but not to bodies */
    td_moments *moments;          /* per TD_ABREAST bodies */
    bool shallow;                 /* few ancestors: see hinged_mass.c */
    bool deep;                    /* so many that lanes take them by dense_mass.c */
    bool fine;                    /* with inertias so small beside others that one state, too, is
                                     accelerated in the bodies' axes: see model_axes.c */
    size_t suspects; /* velocities whose inertia may be near to rounding: model_axes.c */
    int *suspect;    /* the last one first */
    size_t others;   /* bodies whose joint does not only turn */
    int *other;
    int *angle_q; /* for each slot, the entry of q that is an angle; some of them again to fill up
                     the last vector */
    int *link_order;     /* links, parents before children */
    int *joint_link;     /* the link below each joint, fixed ones included */
    td_passive *passive; /* per velocity */
    int *velocity_q;     /* per velocity: its entry of q, for joints of one coordinate */
    td_pattern pattern;  /* of the mass matrix */
    td_vec3 gravity;
    double world_mass; /* of links that are part of the world */
    td_vec3 world_moment;
} td_tree;

#endif
