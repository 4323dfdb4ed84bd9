/* SPDX-License-Identifier: MIT */
/*
 * Names single coordinates of a joint; see coordinate_name.h.
 */
#include "input/coordinate_name.h"

#include <math.h>

#include "text.h"

const char *const wrench_part[6] = {"mx", "my", "mz", "fx", "fy", "fz"};

static td_quantity quantity_of(enum quantity quantity)
{
    return quantity == QUANTITY_Q     ? TD_QUANTITY_POSITION
           : quantity == QUANTITY_TAU ? TD_QUANTITY_FORCE
                                      : TD_QUANTITY_VELOCITY;
}

char *coordinate_text(const td_model *model, size_t joint, enum quantity quantity, size_t k)
{
    return text_format("%s%s", td_joint_at(model, joint)->name,
                       td_component_text(model, joint, quantity_of(quantity), k));
}

size_t joint_component(td_joint_place place, enum quantity quantity, bool tree, size_t n)
{
    const bool whole = quantity == QUANTITY_Q && place.nq != place.nv;
    if (tree || whole || place.dependent || place.dependents == 0) {
        return n;
    }
    size_t k = 0;
    for (size_t before = 0;; k++) {
        bool independent = (place.dependents >> k & 1) == 0;
        if (independent && before == n) {
            return k;
        }
        before += independent;
    }
}

unit_domain coordinate_domain(const td_model *model, size_t joint, enum quantity quantity, size_t k)
{
    static const unit_domain domains[] = {
        [TD_UNIT_NONE] = UNIT_NONE, [TD_UNIT_ANGLE] = UNIT_TURN, [TD_UNIT_LENGTH] = UNIT_SLIDE};
    return domains[td_component_unit(model, joint, quantity_of(quantity), k)];
}

const char *joint_type_text(const td_joint *joint)
{
    return td_joint_kind_of(joint->type)->word;
}

size_t quaternion_of(const td_model *model, size_t joint)
{
    return td_joint_kind_of(td_joint_at(model, joint)->type)->quaternion;
}

bool has_quaternion(const td_model *model, size_t joint)
{
    return quaternion_of(model, joint) != TD_NONE;
}

bool joint_turns(const td_model *model, size_t joint)
{
    return coordinate_domain(model, joint, QUANTITY_Q, 0) == UNIT_TURN;
}

bool joint_goes_round(const td_joint *joint)
{
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    const bool limited = isfinite(joint->limit.lower) || isfinite(joint->limit.upper);
    return !kind->pitched && !(kind->bounded && limited);
}

wrench_parts positive_parts(const double x[6])
{
    wrench_parts parts = {""};
    for (size_t i = 0; i < 6; i++) {
        if (x[i] > 0) {
            const size_t length = strlen(parts.text);
            snprintf(parts.text + length, sizeof parts.text - length, "%s%s", length > 0 ? " " : "",
                     wrench_part[i]);
        }
    }
    return parts;
}
