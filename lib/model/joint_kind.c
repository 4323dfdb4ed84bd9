/* SPDX-License-Identifier: MIT */
/*
 * The rows of joint types; see joint_kind.h.
 */
#include "model/joint_kind.h"

#include <math.h>

#define ANGLE(suffix)                                                                              \
    {                                                                                              \
        suffix, TD_UNIT_ANGLE                                                                      \
    }
#define LENGTH(suffix)                                                                             \
    {                                                                                              \
        suffix, TD_UNIT_LENGTH                                                                     \
    }
#define NUMBER(suffix)                                                                             \
    {                                                                                              \
        suffix, TD_UNIT_NONE                                                                       \
    }

const td_motion_row *td_motion_row_of(td_motion motion)
{
    static const td_motion_row revolute = {1, 1, .angle = 0, .turns = true, .free = {2}};
    static const td_motion_row prismatic = {1, 1, .angle = -1, .slides = true, .free = {5}};
    static const td_motion_row screw = {1, 1, .angle = 0, .free = {2}};
    static const td_motion_row planar = {3, 3, .angle = 2, .free = {2, 3, 4}};
    static const td_motion_row ball = {4, 3, .angle = -1, .free = {0, 1, 2}};
    static const td_motion_row floating = {7, 6, .angle = -1, .free = {0, 1, 2, 3, 4, 5}};
    switch (motion) { /* no default, so that the compiler reports a missing motion */
    case TD_MOTION_REVOLUTE:
        return &revolute;
    case TD_MOTION_PRISMATIC:
        return &prismatic;
    case TD_MOTION_SCREW:
        return &screw;
    case TD_MOTION_PLANAR:
        return &planar;
    case TD_MOTION_BALL:
        return &ball;
    case TD_MOTION_FLOATING:
        return &floating;
    }
    return NULL;
}

void td_body_column(const td_body *body, int k, double column[6])
{
    enum { Z = 2, LINEAR = 3 };
    const int entry = td_motion_row_of(body->motion)->free[k];
    for (int i = 0; i < 6; i++)
        column[i] = i == entry;
    if (entry == Z)
        column[LINEAR + Z] = body->pitch; /* zero except for screws */
}

static const td_joint_row revolute = {
    .kind = {"revolute", 1, 1, .quaternion = TD_NONE, .axis = true, .bounded = true, .ranged = true,
             .damped = true, .sprung = true},
    .position = {ANGLE("")},
    .velocity = {ANGLE("")},
    .force = {""},
    .bodies = 1,
    .body = {{TD_MOTION_REVOLUTE, TD_BODY_AXES_ALONG}},
    .loop = "revolute",
};

static const td_joint_row continuous = {
    .kind = {"continuous", 1, 1, .quaternion = TD_NONE, .axis = true, .damped = true,
             .sprung = true},
    .position = {ANGLE("")},
    .velocity = {ANGLE("")},
    .force = {""},
    .bodies = 1,
    .body = {{TD_MOTION_REVOLUTE, TD_BODY_AXES_ALONG}},
    .loop = "revolute",
};

static const td_joint_row prismatic = {
    .kind = {"prismatic", 1, 1, .quaternion = TD_NONE, .axis = true, .bounded = true,
             .ranged = true, .damped = true, .sprung = true},
    .position = {LENGTH("")},
    .velocity = {LENGTH("")},
    .force = {""},
    .bodies = 1,
    .body = {{TD_MOTION_PRISMATIC, TD_BODY_AXES_ALONG}},
    .loop = "prismatic",
};

/* The fixed joint has no coordinates and no body. */
static const td_joint_row fixed = {
    .kind = {"fixed", 0, 0, .quaternion = TD_NONE},
    .loop = "fixed",
};

static const td_joint_row floating = {
    .kind = {"floating", 7, 6, .quaternion = 3},
    .manifold = TD_MANIFOLD_POSE,
    .position = {LENGTH(".x"), LENGTH(".y"), LENGTH(".z"), NUMBER(".qx"), NUMBER(".qy"),
                 NUMBER(".qz"), NUMBER(".qw")},
    .velocity = {ANGLE(".wx"), ANGLE(".wy"), ANGLE(".wz"), LENGTH(".vx"), LENGTH(".vy"),
                 LENGTH(".vz")},
    .force = {".mx", ".my", ".mz", ".fx", ".fy", ".fz"},
    .bodies = 1,
    .body = {{TD_MOTION_FLOATING, TD_BODY_AXES_JOINT}},
};

static const td_joint_row planar = {
    .kind = {"planar", 3, 3, .quaternion = TD_NONE, .axis = true},
    .position = {LENGTH(".x"), LENGTH(".y"), ANGLE(".theta")},
    .velocity = {LENGTH(".x"), LENGTH(".y"), ANGLE(".theta")},
    .force = {".x", ".y", ".theta"},
    .bodies = 1,
    .body = {{TD_MOTION_PLANAR, TD_BODY_AXES_PLANE}},
    .loop = "planar",
};

static const td_joint_row screw = {
    .kind = {"screw", 1, 1, .quaternion = TD_NONE, .axis = true, .bounded = true, .pitched = true,
             .damped = true, .sprung = true},
    .position = {ANGLE("")},
    .velocity = {ANGLE("")},
    .force = {""},
    .bodies = 1,
    .body = {{TD_MOTION_SCREW, TD_BODY_AXES_ALONG}},
};

static const td_joint_row ball = {
    .kind = {"ball", 4, 3, .quaternion = 0, .damped = true},
    .manifold = TD_MANIFOLD_ORIENTATION,
    .position = {NUMBER(".qx"), NUMBER(".qy"), NUMBER(".qz"), NUMBER(".qw")},
    .velocity = {ANGLE(".wx"), ANGLE(".wy"), ANGLE(".wz")},
    .force = {".mx", ".my", ".mz"},
    .bodies = 1,
    .body = {{TD_MOTION_BALL, TD_BODY_AXES_JOINT}},
    .loop = "spherical",
};

static const td_joint_row universal = {
    .kind = {"universal", 2, 2, .quaternion = TD_NONE, .bounded = true, .damped = true,
             .sprung = true},
    .position = {ANGLE(".rx"), ANGLE(".ry")},
    .velocity = {ANGLE(".rx"), ANGLE(".ry")},
    .force = {".rx", ".ry"},
    .bodies = 2, /* the first one is massless */
    .body = {{TD_MOTION_REVOLUTE, TD_BODY_AXES_X}, {TD_MOTION_REVOLUTE, TD_BODY_AXES_Y}},
};

const td_joint_row *td_joint_row_of(td_joint_type type)
{
    switch (type) { /* no default, so that the compiler reports a missing type */
    case TD_JOINT_REVOLUTE:
        return &revolute;
    case TD_JOINT_CONTINUOUS:
        return &continuous;
    case TD_JOINT_PRISMATIC:
        return &prismatic;
    case TD_JOINT_FIXED:
        return &fixed;
    case TD_JOINT_FLOATING:
        return &floating;
    case TD_JOINT_PLANAR:
        return &planar;
    case TD_JOINT_SCREW:
        return &screw;
    case TD_JOINT_BALL:
        return &ball;
    case TD_JOINT_UNIVERSAL:
        return &universal;
    }
    return NULL;
}

const td_joint_kind *td_joint_kind_of(td_joint_type type)
{
    const td_joint_row *row = td_joint_row_of(type);
    return row ? &row->kind : NULL;
}

const char *td_component_suffix(td_joint_type type, td_quantity quantity, size_t k)
{
    const td_joint_row *row = td_joint_row_of(type);
    if (k >= (size_t)(quantity == TD_QUANTITY_POSITION ? row->kind.nq : row->kind.nv))
        return NULL;
    return quantity == TD_QUANTITY_POSITION   ? row->position[k].suffix
           : quantity == TD_QUANTITY_VELOCITY ? row->velocity[k].suffix
                                              : row->force[k];
}

td_vec3 td_joint_axis(const td_joint *joint, int n)
{
    switch (td_joint_row_of(joint->type)->body[n].axes) {
    case TD_BODY_AXES_X:
        return (td_vec3){1, 0, 0};
    case TD_BODY_AXES_Y:
        return (td_vec3){0, 1, 0};
    case TD_BODY_AXES_JOINT:
    case TD_BODY_AXES_PLANE:
    case TD_BODY_AXES_ALONG:
        break;
    }
    return (td_vec3){joint->axis[0], joint->axis[1], joint->axis[2]};
}

void td_joint_limits(const td_joint *joint, double *lower, double *upper)
{
    bool bounded = td_joint_row_of(joint->type)->kind.bounded;
    *lower = bounded && !isnan(joint->limit.lower) ? joint->limit.lower : -INFINITY;
    *upper = bounded && !isnan(joint->limit.upper) ? joint->limit.upper : INFINITY;
}
