/* SPDX-License-Identifier: MIT */
/*
 * Properties of joint types. A simple joint has one coordinate and rotates about z or translates
 * along z; recursions have separate code for each. All others are general joints, whose columns are
 * in kernel/joint/columns.h.
 */
#ifndef TD_KERNEL_JOINT_KIND_H
#define TD_KERNEL_JOINT_KIND_H

#include "kernel/real/real.h"
#include "model/tree.h"
#include <stdbool.h>

/* Returns whether the joint is revolute about z. */
TD_INLINE bool joint_only_turns(const td_body *body)
{
    return body->motion == TD_MOTION_REVOLUTE;
}

TD_INLINE bool joint_is_general(const td_body *body)
{
    return body->general >= 0;
}

/* Returns whether velocity k rotates the body. */
TD_INLINE bool joint_turns(const td_body *body, int k)
{
    switch (body->motion) {
    case TD_MOTION_REVOLUTE:
    case TD_MOTION_SCREW:
    case TD_MOTION_BALL:
        return true;
    case TD_MOTION_PRISMATIC:
        return false;
    case TD_MOTION_PLANAR:
        return k == 2;
    case TD_MOTION_FLOATING:
        return k < 3;
    }
    return false;
}

/* Returns whether the joint's coordinates act in sequence, like separate joints. In other joints
   they act together. */
TD_INLINE bool joint_is_sequence(const td_body *body)
{
    switch (body->motion) {
    case TD_MOTION_PLANAR:
        return true;
    case TD_MOTION_REVOLUTE:
    case TD_MOTION_PRISMATIC:
    case TD_MOTION_SCREW:
    case TD_MOTION_BALL:
    case TD_MOTION_FLOATING:
        return false;
    }
    return false;
}

/* Returns whether column k is fixed in the parent. All others are fixed in the body. */
TD_INLINE bool joint_column_is_parents(const td_body *body, int k)
{
    switch (body->motion) {
    case TD_MOTION_PLANAR:
        return k < 2;
    case TD_MOTION_REVOLUTE:
    case TD_MOTION_PRISMATIC:
    case TD_MOTION_SCREW:
    case TD_MOTION_BALL:
    case TD_MOTION_FLOATING:
        return false;
    }
    return false;
}

#endif
