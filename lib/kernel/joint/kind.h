/* SPDX-License-Identifier: MIT */
/*
 * What recursions ask of a joint's kind before they choose a way. A simple joint has one
 * coordinate and turns about z or slides along z: recursions have a form of their own for each.
 * All others are general ones, whose columns are in kernel/joint/columns.h.
 */
#ifndef TD_KERNEL_JOINT_KIND_H
#define TD_KERNEL_JOINT_KIND_H

#include "kernel/real/real.h"
#include "model/tree.h"
#include <stdbool.h>

/* whether the joint turns about z, and nothing else */
TD_INLINE bool joint_only_turns(const td_body *body)
{
    return body->motion == TD_MOTION_REVOLUTE;
}

TD_INLINE bool joint_is_general(const td_body *body)
{
    return body->general >= 0;
}

/* whether velocity k turns the body */
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

/* Whether the joint's coordinates follow on one another, like joints of their own; those of others
   move together. */
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

/* Whether column k keeps its direction in the parent; all others keep theirs in the body. */
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
