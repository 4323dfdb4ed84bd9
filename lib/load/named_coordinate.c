/* SPDX-License-Identifier: MIT */
/*
 * Positions that options give by name: "elbow", or "deck.theta" for a coordinate of a joint that
 * has several.
 */
#include <math.h>
#include <string.h>

#include "load/build.h"

/* Names of the coordinates of a joint that has several; NULL for others. */
static const char *const *suffixes(td_joint_type type)
{
    const bool several = type == TD_JOINT_PLANAR || type == TD_JOINT_FLOATING;
    return several ? td_components(td_joint_nv(type), TD_POSITION) : NULL;
}

/* Which of the coordinates of a joint has that name; −1 for none. */
static int coordinate_of(const td_joint *joint, const char *name)
{
    const char *const *suffix = suffixes(joint->type);
    size_t length = strlen(joint->name);
    if (!suffix || strncmp(name, joint->name, length) != 0)
        return -1;
    for (int k = 0; suffix[k]; k++)
        if (strcmp(suffix[k], name + length) == 0)
            return k;
    return -1;
}

int td_named_coordinate(const td_model *model, const char *name, int *coordinate)
{
    int joint = td_joint_index(model, name);
    *coordinate = -1;
    if (joint >= 0)
        *coordinate = suffixes(model->records.joint.at[joint].type) ? -1 : 0;
    for (size_t i = 0; joint < 0 && i < model->records.joint.count; i++) {
        *coordinate = coordinate_of(&model->records.joint.at[i], name);
        if (*coordinate >= 0)
            joint = (int)i;
    }
    return joint;
}

const char *td_coordinates_remedy(td_joint_type type)
{
    return type == TD_JOINT_PLANAR
               ? "name them by .x, .y and .theta behind the joint"
               : "name them by .x, .y, .z, .qx, .qy, .qz and .qw behind the joint";
}

bool td_is_unit_quaternion(const double xyzw[4])
{
    return fabs(hypot(hypot(xyzw[0], xyzw[1]), hypot(xyzw[2], xyzw[3])) - 1) <= 1e-6;
}
