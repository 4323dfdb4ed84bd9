/* SPDX-License-Identifier: MIT */
/*
 * Names of single coordinates: the joint's, and what a component appends to it.
 */
#include "coordinate_name.h"

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
