/* SPDX-License-Identifier: MIT */
/*
 * The tree as the kernels see it: bodies, joints and numbers, nothing of names, URDF or mimic. Made
 * once at load, constant afterwards.
 *
 * Every body has a frame at its joint's origin whose z axis is the joint's axis; the URDF's link
 * frames are placed in it. Fixed joints are gone: their links are frames of the body that carries
 * them, their inertia is part of its own. Parents come before their children; −1 is the world.
 */
#ifndef TD_TREE_H
#define TD_TREE_H

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

/* How a body moves against its parent. */
typedef enum td_motion {
    TD_MOTION_REVOLUTE,  /* turns about z */
    TD_MOTION_PRISMATIC, /* slides along z */
    TD_MOTION_PLANAR,    /* slides along x and y, then turns about z */
    TD_MOTION_FLOATING,  /* position and quaternion */
} td_motion;

typedef struct td_body {
    int parent; /* body, −1 for the world */
    td_motion motion;
    int q, qd;        /* first entry in q and in q̇ */
    int angle;        /* slot in the arrays of sines and cosines, −1 for none */
    int wide;         /* slot of a joint with several coordinates, −1 for one with one */
    int nv;           /* number of its velocities */
    td_mat3 rotation; /* E: turns parent coordinates into the body's, at q = 0 */
    td_vec3 position; /* r: the joint's origin in the parent's frame */
    double mass;
    td_vec3 moment;  /* h = mass · centre of mass */
    td_sym3 inertia; /* about the body's origin */
    double subtree;  /* mass of the body and all below it */
} td_body;

/* A link: its frame in that of its body (or in the world, for body −1), and its own inertia. */
typedef struct td_link_frame {
    int body;
    int parent;       /* link, −1 for the root */
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
    size_t *row;
} td_pattern;

typedef struct td_tree {
    size_t bodies, links, joints, angles, wides, nq, nv;
    td_body *body;
    td_link_frame *link;
    int *angle_q;        /* for each slot, the entry of q that is an angle */
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
