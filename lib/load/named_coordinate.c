/* SPDX-License-Identifier: MIT */
/*
 * Looks up coordinates that options name: "elbow", or "deck.theta" for a coordinate of a joint with
 * several coordinates.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/build.h"
#include "model/joint_kind.h"

int td_coordinate_of_joint(const td_joint *joint, const char *name)
{
    size_t length = strlen(joint->name);
    const char *suffix;
    if (strncmp(name, joint->name, length) != 0)
        return -1;
    for (int k = 0; (suffix = td_component_suffix(joint->type, TD_QUANTITY_POSITION, (size_t)k));
         k++)
        if (strcmp(suffix, name + length) == 0)
            return k;
    return -1;
}

int td_named_coordinate(const td_model *model, const char *name, int *coordinate)
{
    int joint = td_index_in(td_joint_index(model, name));
    *coordinate = -1;
    if (joint >= 0)
        *coordinate = td_joint_row_of(model->records.joint.at[joint].type)->kind.nq > 1 ? -1 : 0;
    for (size_t i = 0; joint < 0 && i < model->records.joint.count; i++) {
        *coordinate = td_coordinate_of_joint(&model->records.joint.at[i], name);
        if (*coordinate >= 0)
            joint = (int)i;
    }
    return joint;
}

const char *td_coordinates_remedy(td_joint_type type, char text[TD_SUGGESTION])
{
    const int count = td_joint_row_of(type)->kind.nq;
    int used = snprintf(text, TD_SUGGESTION, "name one of them: append ");
    for (int k = 0; k < count; k++)
        used += snprintf(text + used, (size_t)(TD_SUGGESTION - used), "%s%s",
                         k == 0           ? ""
                         : k + 1 == count ? " or "
                                          : ", ",
                         td_component_suffix(type, TD_QUANTITY_POSITION, (size_t)k));
    snprintf(text + used, (size_t)(TD_SUGGESTION - used), " to the joint's name");
    return text;
}

bool td_is_unit_quaternion(const double xyzw[4])
{
    return fabs(hypot(hypot(xyzw[0], xyzw[1]), hypot(xyzw[2], xyzw[3])) - 1) <= 1e-6;
}
