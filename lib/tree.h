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
    td_mat3 rotation; /* E: turns parent coordinates into the body's, at q = 0 */
    td_vec3 position; /* r: the joint's origin in the parent's frame */
    double mass;
    td_vec3 moment;  /* h = mass · centre of mass */
    td_sym3 inertia; /* about the body's origin */
} td_body;

/* A link: its frame in that of its body (or in the world, for body −1). */
typedef struct td_link_frame {
    int body;
    td_mat3 rotation; /* x_body = rotation · x_link + position */
    td_vec3 position;
} td_link_frame;

typedef struct td_tree {
    size_t bodies, links, angles, nq, nv;
    td_body *body;
    td_link_frame *link;
    int *angle_q; /* for each slot, the entry of q that is an angle */
    td_vec3 gravity;
    double world_mass; /* of links that are part of the world */
    td_vec3 world_moment;
} td_tree;

#endif
