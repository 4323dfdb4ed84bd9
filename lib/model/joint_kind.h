/* SPDX-License-Identifier: MIT */
/*
 * The table of joint types, with a row for each type. It is the only place outside the kernels that
 * distinguishes types of joints; other code queries it.
 */
#ifndef TD_JOINT_KIND_H
#define TD_JOINT_KIND_H

#include "model/tree.h"
#include "tandem/model.h"

/* How the positions of a joint relate to its velocities. */
typedef enum td_manifold {
    TD_MANIFOLD_PLAIN,       /* numbers with the velocities as their rates */
    TD_MANIFOLD_ORIENTATION, /* a quaternion; angular velocity in the child's axes */
    TD_MANIFOLD_POSE,        /* position and quaternion; the child's twist in its axes */
} td_manifold;

/* Properties of a body's motion relative to its parent, for code outside the kernels. */
typedef struct td_motion_row {
    int nq, nv;
    int angle;          /* index of the position that rotates it about z, −1 for none */
    bool turns, slides; /* revolute about z, or prismatic along z: it has this one coordinate */
    int free[6]; /* indices of the free entries of the twist (ω, v) in the body's axes, ascending,
                    one per velocity; a screw has only the index of its rotation */
} td_motion_row;

const td_motion_row *td_motion_row_of(td_motion motion);

/* Returns whether the motion is revolute or prismatic. Recursions have special code for such
   joints. */
static inline bool td_motion_is_simple(td_motion motion)
{
    return td_motion_row_of(motion)->turns || td_motion_row_of(motion)->slides;
}

/* Computes column k of the joint's motion subspace at q = 0: (ω, v) in the body's axes, about its
   origin. */
void td_body_column(const td_body *body, int k, double column[6]);

/* Orientation of a tree body's axes at q = 0, in the frame of the joint that moves it. */
typedef enum td_body_axes {
    TD_BODY_AXES_JOINT, /* equal to the joint's frame */
    TD_BODY_AXES_PLANE, /* z along the joint's axis, by the smallest rotation: x and y matter */
    TD_BODY_AXES_ALONG, /* z along the joint's axis, x and y arbitrary */
    TD_BODY_AXES_X,     /* z along x of the joint's frame */
    TD_BODY_AXES_Y,     /* z along y of the joint's frame */
} td_body_axes;

/* Suffix of a coordinate's name after the joint's name, and unit of the coordinate. */
typedef struct td_component {
    const char *suffix;
    td_unit unit;
} td_component;

/* The maxima over all joint types. */
enum { TD_MOST_POSITIONS = 7, TD_MOST_VELOCITIES = 6, TD_MOST_BODIES = 2 };

typedef struct td_joint_row {
    td_joint_kind kind; /* the public part */
    td_manifold manifold;
    td_component position[TD_MOST_POSITIONS], velocity[TD_MOST_VELOCITIES];
    const char *force[TD_MOST_VELOCITIES]; /* suffixes; the force acts along the velocity */
    int bodies; /* number of consecutive bodies in the tree, all at the joint's origin; the last one
                   carries the child, the others have no mass */
    struct {
        td_motion motion;
        td_body_axes axes;
    } body[TD_MOST_BODIES];
    const char *loop; /* the type of a <loop> with the same freedoms; NULL for none */
} td_joint_row;

/* Returns the row of a type; NULL if the number is not a joint type. */
const td_joint_row *td_joint_row_of(td_joint_type type);

/* Returns the suffix of a component; NULL past the last one. */
const char *td_component_suffix(td_joint_type type, td_quantity quantity, size_t k);

/* Returns the word for a type, such as "revolute". */
static inline const char *td_joint_word(td_joint_type type)
{
    return td_joint_row_of(type)->kind.word;
}

/* Returns whether a joint has no coordinates. */
static inline bool td_joint_is_fixed(const td_joint *joint)
{
    return td_joint_row_of(joint->type)->kind.nq == 0;
}

/* Returns whether a joint has one position and one velocity, its rate. Only such joints can lead,
   follow and be coupled. */
static inline bool td_joint_is_scalar(td_joint_type type)
{
    return td_joint_row_of(type)->kind.nq == 1;
}

/* Returns whether the joint's first position is an angle. */
static inline bool td_joint_turns(td_joint_type type)
{
    return td_joint_row_of(type)->position[0].unit == TD_UNIT_ANGLE;
}

static inline bool td_joint_slides(td_joint_type type)
{
    return td_joint_is_scalar(type) && !td_joint_turns(type);
}

/* Returns the axis of the joint's n-th body, in the joint's frame. */
td_vec3 td_joint_axis(const td_joint *joint, int n);

/* Returns whether the joint's positions contain a quaternion. */
static inline bool td_joint_has_quaternion(td_joint_type type)
{
    return td_joint_row_of(type)->kind.quaternion != TD_NONE;
}

/* Returns the position limits of a joint; infinite if it has none. */
void td_joint_limits(const td_joint *joint, double *lower, double *upper);

#endif
