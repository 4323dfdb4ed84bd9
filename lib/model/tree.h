/* SPDX-License-Identifier: MIT */
/*
 * The data of the spanning tree that kernels use: bodies, joints and numbers, without names, URDF
 * or mimic joints. The tree is built at load and constant afterwards.
 *
 * Every body has a frame at its joint's origin. The z axis of this frame is the joint's axis. The
 * link frames of the URDF are placed relative to their bodies. Fixed joints are eliminated: their
 * links become frames of the body that carries them, and their inertia is added to that body.
 * Parents come before their children; −1 is the world. A chain is a run of bodies with consecutive
 * numbers, each the parent of the next.
 */
#ifndef TD_TREE_H
#define TD_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"
#include "model/pattern.h"

/* [R r]: x_outer = R x + r. Stored row by row, because a row of four numbers is one vector. */
typedef struct td_placement {
    double x[4], y[4], z[4];
} td_placement;

/* The inertia of a body about its origin, arranged for computing the force that moves it
   (packed3.h). first: h and its permutations (y, z, x) and (z, x, y). second: the entries of I
   as (xx, yy, zz), (xy, yz, zx) and (xz, yx, zy). spread: the sum of m x xᵀ over the body's
   points x. */
typedef struct td_inertia {
    double first[3][4], second[3][4];
    td_sym3 spread;
    double mass;
} td_inertia;

/*
 * Inertias of consecutive bodies about their origins, in a form that takes few operations to rotate
 * into world axes: m, h, and u, v and middle with I = middle · 1 − u uᵀ + v vᵀ. Rotating u, v and h
 * takes two thirds of the operations of R I Rᵀ.
 */
enum { TD_STRIP_BODIES = 4 };
typedef struct td_mass_moments {
    double h[3][TD_STRIP_BODIES], u[3][TD_STRIP_BODIES], v[3][TD_STRIP_BODIES],
        middle[TD_STRIP_BODIES];
    double mass[TD_STRIP_BODIES];
} td_mass_moments;

/* Returns count rounded up to whole packs of TD_STRIP_BODIES, plus one pack that may be computed in
   excess. */
static inline size_t td_whole_strips(size_t count)
{
    return (count + 2 * TD_STRIP_BODIES - 1) / TD_STRIP_BODIES * TD_STRIP_BODIES;
}

/* The motion of a body relative to its parent. */
typedef enum td_motion {
    TD_MOTION_REVOLUTE,  /* rotates about z */
    TD_MOTION_PRISMATIC, /* translates along z */
    TD_MOTION_SCREW,     /* rotates about z and translates along it by pitch per radian */
    TD_MOTION_PLANAR,    /* translates along x and y, then rotates about z */
    TD_MOTION_BALL,      /* quaternion */
    TD_MOTION_FLOATING,  /* position and quaternion */
} td_motion;

/* Orientation of a frame relative to another: a body in its parent at q = 0, or a link in its body.
   Usually the axes x, y and z of one frame are axes of the other. N stands for a negated z axis.
   Kernels have code for each permutation. */
typedef enum td_permutation {
    TD_PERMUTATION_XYZ,
    TD_PERMUTATION_YZX,
    TD_PERMUTATION_ZXY,
    TD_PERMUTATION_YXN, /* (y, x, −z) */
    TD_PERMUTATION_ZYN, /* (z, y, −x) */
    TD_PERMUTATION_XZN, /* (x, z, −y) */
    TD_PERMUTATION_OTHER,
} td_permutation;

/* The members that most algorithms read come first, to fit in one or two cache lines. */
typedef struct td_body {
    int parent; /* body, −1 for the world */
    td_motion motion;
    td_permutation
        frame_permutation; /* of a revolute or prismatic joint; else TD_PERMUTATION_OTHER */
    td_permutation
        permutation;  /* frame_permutation of a revolute joint; else TD_PERMUTATION_OTHER */
    int q, qd;        /* first entry in q and in q̇; consecutive from body to body */
    int angle;        /* index in the arrays of sines and cosines, −1 for none */
    bool leaf;        /* it has no children */
    bool last;        /* it is the last child of its parent */
    bool branching;   /* it has a child other than the next body */
    td_vec3 position; /* r: the joint's origin in the parent's frame */
    double mass;
    td_vec3 moment;   /* h = mass · center of mass */
    td_sym3 inertia;  /* about the body's origin */
    td_mat3 rotation; /* E: rotates parent coordinates into body coordinates at q = 0 */
    double subtree;   /* mass of the body and all its descendants */
    int general;      /* index among the general joints, −1 for a revolute or prismatic joint */
    int nq, nv;       /* number of positions and of velocities of its joint */
    double pitch;     /* of a screw: meters per radian */
    int link;         /* the link that its joint moves; the link's origin is the body's origin */
    int chain;        /* index of its chain */
    int straight; /* number of bodies from this one on with consecutive velocities; only the last
                     may have several */
} td_body;

typedef struct td_chain {
    int top; /* its first body, the only one that may have several velocities */
    int bodies;
    int qd;     /* index of its first velocity in q̇ */
    int rows;   /* number of its velocities, which are consecutive */
    int depth;  /* depth of its first velocity in the pattern of the mass matrix */
    int parent; /* the body that carries it, −1 for the world */
    int outer;  /* the chain of the parent body, −1 for none */
    int end;    /* one past the last velocity of the outer chain that moves this one */
} td_chain;

/* A link: its frame relative to its body (or to the world, if body is −1), and its inertia. */
typedef struct td_link_frame {
    int body;
    int parent;     /* parent link, −1 for the root */
    bool here;      /* its origin coincides with the body's origin */
    bool about_z;   /* its z axis is parallel to the body's */
    bool parallel;  /* each of its axes is an axis of the body or its negative: */
    int axis[3];    /* indices of these axes (0, 1, 2) */
    double sign[3]; /* 1 or −1 */
    td_permutation
        permutation;  /* if here is set and no axis is negated; else TD_PERMUTATION_OTHER */
    td_mat3 rotation; /* x_body = rotation · x_link + position */
    td_vec3 position;
    double mass;
    td_vec3 moment;  /* in the link's frame */
    td_sym3 inertia; /* about the link's origin, in its frame */
} td_link_frame;

/* Passive quantities of a velocity. Zero unless the joint has one coordinate. */
typedef struct td_passive {
    double damping, friction, stiffness, reference;
    double rotor; /* rotor inertia times the square of the gear ratio */
} td_passive;

/* One end of a spring: a frame that is fixed to a link. */
typedef struct td_spring_end {
    int link;
    td_mat3 rotation; /* x_link = rotation · x_frame + position */
    td_vec3 position;
} td_spring_end;

/* A spring with a damper between two links; see td_spring. */
typedef struct td_spring_element {
    bool bushing;
    td_spring_end predecessor, successor;
    double length, stiffness, damping; /* of a spring along a line */
    td_vec3 angular_stiffness, angular_damping, linear_stiffness, linear_damping;
} td_spring_element;

/* Returns count rounded up to the longest vector of any instruction set. */
static inline size_t td_whole_vectors(size_t count)
{
    return (count + 7) / 8 * 8;
}

typedef struct td_tree {
    size_t bodies, chains, links, joints, angles, general_joints, nq, nv;
    td_body *body;
    td_chain *chain; /* each chain comes after its outer chain */
    td_link_frame *link;
    /* copies of body and link data, for loops that need nothing else */
    td_placement *body_at_zero;   /* per body [Eᵀ r] */
    td_placement *link_placement; /* per link [rotation position] */
    td_inertia *body_inertia;     /* per body */
    td_inertia *regrouped; /* per body: inertia regrouped into base parameters; joint forces are the
                              same, body forces differ */
    td_mass_moments *moments; /* per pack of TD_STRIP_BODIES bodies */
    bool shallow;             /* few ancestors per body: see kernel/tree/mass_body.c */
    bool deep;                /* many ancestors per body: SIMD lanes use kernel/tree/mass_dense.c */
    bool fine;     /* some inertias are so small compared to others that single states, too, compute
                      accelerations in body axes: see load/tree/axes.c */
    int *by_depth; /* in body axes: bodies, ordered by number of ancestors; else NULL */
    size_t suspects; /* number of velocities whose inertia may be close to rounding: see
                        load/tree/axes.c */
    int *suspect;    /* these velocities in descending order */
    /* largest: per velocity, an upper bound of the inertia that it moves, at any configuration.
       carried: per body, an upper bound of the square root of an energy ratio, for any motion of
       its parent: the energy of all bodies that its joint carries, divided by the parent's energy.
       It is infinite without a parent. Both are NULL if no velocity is listed in suspect, or if no
       such bound is known. */
    double *largest, *carried;
    bool emptied;  /* payloads have removed nearly all inertia of a link; suspect then lists all
                      velocities, and all independent velocities are examined, too */
    size_t others; /* number of bodies with a joint that is not revolute */
    int *other;
    int *angle_q;        /* per angle: its entry of q; some are repeated to fill the last vector */
    int *link_order;     /* links, parents before children */
    int *joint_link;     /* per joint, fixed ones included: its child link */
    size_t movable;      /* number of movable joints */
    int *moving_link;    /* per movable joint: its child link */
    td_passive *passive; /* per velocity */
    int *velocity_q;     /* per velocity of a joint with one coordinate: its entry of q */
    size_t springs;
    td_spring_element *spring;
    td_pattern pattern; /* of the mass matrix */
    td_vec3 gravity;
    double world_mass; /* of links that are fixed to the world */
    td_vec3 world_moment;
} td_tree;

#endif
