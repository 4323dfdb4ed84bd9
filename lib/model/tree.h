/* SPDX-License-Identifier: MIT */
/*
 * The tree as the kernels see it: bodies, joints and numbers, nothing of names, URDF or mimic. Made
 * once at load, constant afterwards.
 *
 * Every body has a frame at its joint's origin whose z axis is the joint's axis; the URDF's link
 * frames are placed in it. Fixed joints are gone: their links are frames of the body that carries
 * them, their inertia is part of its own. Parents come before their children; −1 is the world.
 * A chain is a few bodies with consecutive numbers, each the parent of the next.
 */
#ifndef TD_TREE_H
#define TD_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"
#include "model/pattern.h"

/* [R r]: x_outer = R x + r. Row by row, as a row of four numbers is a vector. */
typedef struct td_placement {
    double x[4], y[4], z[4];
} td_placement;

/* What the force that moves a body takes of its inertia about its origin, as packed3.h has it: h
   and its entries permuted, (y, z, x) and (z, x, y); the diagonals of I, (xx, yy, zz), (xy, yz,
   zx) and (xz, yx, zy); and the sum of m x xᵀ over its points x. */
typedef struct td_inertia {
    double first[3][4], second[3][4];
    td_sym3 spread;
    double mass;
} td_inertia;

/*
 * Inertias of consecutive bodies about their origins, to be taken to world axes: m, h, and u, v and
 * middle with which I is middle · 1 − u uᵀ + v vᵀ. Rotating those three vectors takes two thirds of
 * the operations of R I Rᵀ.
 */
enum { TD_STRIP_BODIES = 4 };
typedef struct td_mass_moments {
    double h[3][TD_STRIP_BODIES], u[3][TD_STRIP_BODIES], v[3][TD_STRIP_BODIES],
        middle[TD_STRIP_BODIES];
    double mass[TD_STRIP_BODIES];
} td_mass_moments;

/* count rounded up to whole strips, and one more strip that is computed beyond them */
static inline size_t td_whole_strips(size_t count)
{
    return (count + 2 * TD_STRIP_BODIES - 1) / TD_STRIP_BODIES * TD_STRIP_BODIES;
}

/* How a body moves against its parent. */
typedef enum td_motion {
    TD_MOTION_REVOLUTE,  /* turns about z */
    TD_MOTION_PRISMATIC, /* slides along z */
    TD_MOTION_SCREW,     /* turns about z and slides along it, pitch a radian */
    TD_MOTION_PLANAR,    /* slides along x and y, then turns about z */
    TD_MOTION_BALL,      /* quaternion */
    TD_MOTION_FLOATING,  /* position and quaternion */
} td_motion;

/* How a frame stands to another, a body to its parent at q = 0 or a link to its body: most often as
   one whose x, y and z are axes of the other; N for a z that is backwards. Kernels have a code for
   each. */
typedef enum td_permutation {
    TD_PERMUTATION_XYZ,
    TD_PERMUTATION_YZX,
    TD_PERMUTATION_ZXY,
    TD_PERMUTATION_YXN, /* (y, x, −z) */
    TD_PERMUTATION_ZYN, /* (z, y, −x) */
    TD_PERMUTATION_XZN, /* (x, z, −y) */
    TD_PERMUTATION_OTHER,
} td_permutation;

/* What most algorithms ask comes first, in a line or two of the cache. */
typedef struct td_body {
    int parent; /* body, −1 for the world */
    td_motion motion;
    td_permutation
        frame_permutation; /* of a joint that turns or slides; else TD_PERMUTATION_OTHER */
    td_permutation
        permutation;  /* frame_permutation of a revolute joint; else TD_PERMUTATION_OTHER */
    int q, qd;        /* first entry in q and in q̇; those of bodies ascend without a gap */
    int angle;        /* slot in the arrays of sines and cosines, −1 for none */
    bool leaf;        /* it has no children */
    bool last;        /* it is the last child of its parent */
    bool branching;   /* it has children other than the next body */
    td_vec3 position; /* r: the joint's origin in the parent's frame */
    double mass;
    td_vec3 moment;   /* h = mass · centre of mass */
    td_sym3 inertia;  /* about the body's origin */
    td_mat3 rotation; /* E: turns parent coordinates into the body's, at q = 0 */
    double subtree;   /* mass of the body and all below it */
    int general;      /* slot of a general joint, −1 for one that only turns or only slides */
    int nq, nv;       /* number of its positions and of its velocities */
    double pitch;     /* of a screw: metres a radian */
    int link;         /* that its joint moves; its origin is the body's */
    int chain;        /* that it is in */
    int straight;     /* how many bodies from this one on have consecutive velocities: up to the
                         next joint with several */
} td_body;

typedef struct td_chain {
    int top; /* its first body, the only one that may have several velocities */
    int bodies;
    int qd;     /* the velocity that the first one begins with */
    int rows;   /* number of its velocities, which are consecutive */
    int depth;  /* of that in the pattern of the mass matrix */
    int parent; /* the body that carries it, −1 for the world */
    int outer;  /* the chain of that body, −1 for none */
    int end;    /* behind the last velocity of the outer chain that moves this one */
} td_chain;

/* A link: its frame in that of its body (or in the world, for body −1), and its own inertia. */
typedef struct td_link_frame {
    int body;
    int parent;     /* link, −1 for the root */
    bool here;      /* its origin is the body's */
    bool about_z;   /* its z axis is the body's */
    bool parallel;  /* its axes are those of the body, in another order or backwards: */
    int axis[3];    /* which ones (0, 1, 2) */
    double sign[3]; /* 1 or −1 */
    td_permutation
        permutation;  /* where it is here and none is backwards; else TD_PERMUTATION_OTHER */
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

/* One end of a spring: a frame on a link. */
typedef struct td_spring_end {
    int link;
    td_mat3 rotation; /* x_link = rotation · x_frame + position */
    td_vec3 position;
} td_spring_end;

/* A spring with a damper between two links, as td_spring has it. */
typedef struct td_spring_element {
    bool bushing;
    td_spring_end predecessor, successor;
    double length, stiffness, damping; /* of a line */
    td_vec3 angular_stiffness, angular_damping, linear_stiffness, linear_damping;
} td_spring_element;

/* count rounded up to what the longest vectors of any instruction set take at once */
static inline size_t td_whole_vectors(size_t count)
{
    return (count + 7) / 8 * 8;
}

typedef struct td_tree {
    size_t bodies, chains, links, joints, angles, general_joints, nq, nv;
    td_body *body;
    td_chain *chain; /* after the one that carries it */
    td_link_frame *link;
    /* in arrays of their own, for loops that need nothing else of a body or a link */
    td_placement *body_at_zero;   /* per body [Eᵀ r] */
    td_placement *link_placement; /* per link [rotation position] */
    td_inertia *body_inertia;     /* per body */
    td_inertia *regrouped;        /* per body: the same to joints, but not to bodies */
    td_mass_moments *moments;     /* per TD_STRIP_BODIES bodies */
    bool shallow;                 /* few ancestors: see kernel/tree/mass_body.c */
    bool deep;                    /* so many that lanes take them by kernel/tree/mass_dense.c */
    bool fine;                    /* with inertias so small beside others that one state, too, is
                                     accelerated in the bodies' axes: see load/tree/axes.c */
    int *by_depth;                /* of such a tree: bodies, those with fewer ancestors first */
    size_t suspects; /* velocities whose inertia may be near to rounding: load/tree/axes.c */
    int *suspect;    /* the last one first */
    /* Per velocity at least what its coordinate moves, whatever the configuration; NULL where
       nothing is suspect, and where no such bound is known. Per body, with these, at least the root
       of what its joint carries against its parent's own inertia, in any motion of that; infinite
       without a parent. */
    double *largest, *carried;
    bool emptied;  /* payloads have taken a link almost all it had: suspect is all velocities, and
                      those of independent coordinates are suspect as well */
    size_t others; /* bodies whose joint does not only turn */
    int *other;
    int *angle_q; /* for each slot, the entry of q that is an angle; some of them again to fill up
                     the last vector */
    int *link_order;     /* links, parents before children */
    int *joint_link;     /* the link below each joint, fixed ones included */
    size_t movable;      /* joints */
    int *moving_link;    /* the link below each of these */
    td_passive *passive; /* per velocity */
    int *velocity_q;     /* per velocity: its entry of q, for joints of one coordinate */
    size_t springs;
    td_spring_element *spring;
    td_pattern pattern; /* of the mass matrix */
    td_vec3 gravity;
    double world_mass; /* of links that are part of the world */
    td_vec3 world_moment;
} td_tree;

#endif
