/* SPDX-License-Identifier: MIT */
/*
 * The one place outside the kernels that knows the types of joints: a table with a row for each, of
 * which all else asks what it needs.
 */
#ifndef TD_JOINT_KIND_H
#define TD_JOINT_KIND_H

#include "model/tree.h"
#include "tandem/model.h"

/* How the positions of a joint move with its velocities. */
typedef enum td_manifold {
    TD_MANIFOLD_PLAIN,       /* numbers, whose rates are the velocities */
    TD_MANIFOLD_ORIENTATION, /* a quaternion; angular velocity in the child's axes */
    TD_MANIFOLD_POSE,        /* position and quaternion; the child's twist in its axes */
} td_manifold;

/* What is known of a body's motion against its parent outside the kernels. */
typedef struct td_motion_row {
    int nq, nv;
    int angle;          /* which position turns it about z, −1 for none */
    bool turns, slides; /* it has one coordinate, which does that alone, about or along z */
    int free[6]; /* which entries of the twist (ω, v) in the body's axes it leaves free: as many as
                    it has velocities, ascending; a screw's turn takes its slide along */
} td_motion_row;

const td_motion_row *td_motion_row_of(td_motion motion);

/* Whether it turns about z or slides along z, and nothing else: recursions have a form of their own
   for such joints. */
static inline bool td_motion_is_simple(td_motion motion)
{
    return td_motion_row_of(motion)->turns || td_motion_row_of(motion)->slides;
}

/* Column k of the joint at q = 0, in the body's axes and about its origin: ω, v. */
void td_body_column(const td_body *body, int k, double column[6]);

/* How the axes of a body in the tree stand, at q = 0, in the frame of the joint that moves it. */
typedef enum td_body_axes {
    TD_BODY_AXES_JOINT, /* as the joint's frame */
    TD_BODY_AXES_PLANE, /* z along the joint's axis, by the smallest rotation: x and y count */
    TD_BODY_AXES_ALONG, /* z along the joint's axis, x and y as it suits */
    TD_BODY_AXES_X,     /* z along x of the joint's frame */
    TD_BODY_AXES_Y,     /* z along y of the joint's frame */
} td_body_axes;

/* What comes behind the joint's name in that of a coordinate, and what that measures. */
typedef struct td_component {
    const char *suffix;
    td_unit unit;
} td_component;

/* no joint has more positions, velocities and bodies */
enum { TD_MOST_POSITIONS = 7, TD_MOST_VELOCITIES = 6, TD_MOST_BODIES = 2 };

typedef struct td_joint_row {
    td_joint_kind kind; /* what programs may know */
    td_manifold manifold;
    td_component position[TD_MOST_POSITIONS], velocity[TD_MOST_VELOCITIES];
    const char *force[TD_MOST_VELOCITIES]; /* suffixes; it is along the velocity */
    int bodies; /* in the tree, one after the other, all at the joint's origin; the last one carries
                   the child, all others nothing */
    struct {
        td_motion motion;
        td_body_axes axes;
    } body[TD_MOST_BODIES];
    const char *loop; /* the type of a <loop> that leaves the same free; NULL for none */
} td_joint_row;

/* NULL where a number is no type of joint. */
const td_joint_row *td_joint_row_of(td_joint_type type);

/* The suffix of a component; NULL past the last one. */
const char *td_component_suffix(td_joint_type type, td_quantity quantity, size_t k);

/* one position and one velocity, its rate: such joints can lead and follow, and be coupled */
static inline bool td_joint_is_scalar(td_joint_type type)
{
    return td_joint_row_of(type)->kind.nq == 1;
}

/* whether its positions are angles, or the one that it has is a length */
static inline bool td_joint_turns(td_joint_type type)
{
    return td_joint_row_of(type)->position[0].unit == TD_UNIT_ANGLE;
}

static inline bool td_joint_slides(td_joint_type type)
{
    return td_joint_is_scalar(type) && !td_joint_turns(type);
}

/* the direction that its n-th body turns about or slides along, in the joint's frame */
td_vec3 td_joint_axis(const td_joint *joint, int n);

/* whether its positions have a quaternion: loops decide the whole of such a joint or nothing */
static inline bool td_joint_has_quaternion(td_joint_type type)
{
    return td_joint_row_of(type)->kind.quaternion != TD_NONE;
}

/* limits of a joint that bound its motion; infinite where there are none */
void td_joint_limits(const td_joint *joint, double *lower, double *upper);

#endif
