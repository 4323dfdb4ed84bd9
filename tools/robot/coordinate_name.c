/* SPDX-License-Identifier: MIT */
/*
 * Single coordinates of a joint, see coordinate_name.h.
 */
#include "robot/coordinate_name.h"

#include "text.h"

char *coordinate_text(const td_model *model, size_t joint, enum quantity quantity, size_t k)
{
    td_quantity kind = quantity == QUANTITY_Q     ? TD_POSITION
                       : quantity == QUANTITY_TAU ? TD_FORCE
                                                  : TD_VELOCITY;
    return text_format("%s%s", td_joint_at(model, joint)->name,
                       td_component_text(model, joint, kind, k));
}

size_t joint_component(td_joint_place place, bool tree, size_t n)
{
    if (tree || place.dependent || place.dependents == 0) {
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

unit_domain coordinate_domain(td_joint_type type, enum quantity quantity, size_t k)
{
    enum { SPACE = 3 };
    switch (type) {
    case TD_JOINT_PRISMATIC:
        return UNIT_SLIDE;
    case TD_JOINT_PLANAR:
        return k < 2 ? UNIT_SLIDE : UNIT_TURN;
    case TD_JOINT_FLOATING:
        return quantity == QUANTITY_Q ? (k < SPACE ? UNIT_SLIDE : UNIT_NONE)
                                      : (k < SPACE ? UNIT_TURN : UNIT_SLIDE);
    case TD_JOINT_REVOLUTE:
    case TD_JOINT_CONTINUOUS:
    case TD_JOINT_FIXED:
        break;
    }
    return UNIT_TURN;
}

const char *joint_type_text(td_joint_type type)
{
    static const char *const text[] = {
        [TD_JOINT_REVOLUTE] = "revolute",   [TD_JOINT_CONTINUOUS] = "continuous",
        [TD_JOINT_PRISMATIC] = "prismatic", [TD_JOINT_FIXED] = "fixed",
        [TD_JOINT_FLOATING] = "floating",   [TD_JOINT_PLANAR] = "planar",
    };
    return text[type];
}
