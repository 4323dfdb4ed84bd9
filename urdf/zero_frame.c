/* SPDX-License-Identifier: MIT */
/*
 * Computes frames of links with all joints at zero; see zero_frame.h.
 */
#include "zero_frame.h"

#include <stddef.h>
#include <string.h>

/* Limit over all calls, which take a fraction of a second. */
static const size_t most_steps = 10000000;

bool td_zero_make(td_zero *zero, td_arena *arena, const td_records *records)
{
    zero->records = records;
    zero->steps = most_steps;
    return td_names_build(&zero->children, arena, records->joint.at, records->joint.count,
                          sizeof(td_joint), offsetof(td_joint, child));
}

int td_zero_joint_above(const td_zero *zero, const char *link)
{
    return td_names_find(&zero->children, link);
}

const char *td_zero_frame(td_zero *zero, const char *link, td_frame3 *frame)
{
    *frame = (td_frame3)TD_FRAME3_IDENTITY;
    int joint;
    while ((joint = td_zero_joint_above(zero, link)) >= 0) {
        const td_joint *record = &zero->records->joint.at[joint];
        if (zero->steps == 0 || !record->parent)
            return NULL;
        zero->steps--;
        *frame = td_frame3_compose(td_frame3_from(&record->origin), *frame);
        link = record->parent;
    }
    return link;
}

bool td_zero_between(td_zero *zero, const char *parent, const td_pose *origin, const char *child,
                     td_pose *pose)
{
    td_frame3 parent_frame, child_frame;
    const char *root = td_zero_frame(zero, parent, &parent_frame);
    const char *other = root ? td_zero_frame(zero, child, &child_frame) : NULL;
    if (!other || strcmp(root, other) != 0)
        return false;
    parent_frame = td_frame3_compose(parent_frame, td_frame3_from(origin));
    td_mat3 inverse = td_mat3_transpose(child_frame.rotation);
    td_mat3 rotation = td_mat3_mul(inverse, parent_frame.rotation);
    td_vec3 p = td_mat3_apply(inverse, parent_frame.position),
            q = td_mat3_apply(inverse, child_frame.position);
    const double position[3] = {p.x - q.x, p.y - q.y, p.z - q.z};
    memcpy(pose->position, position, sizeof position);
    memcpy(pose->rotation, &rotation, sizeof pose->rotation);
    return true;
}
