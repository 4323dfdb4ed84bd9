/* SPDX-License-Identifier: MIT */
/*
 * Selects which goals count, and their weights.
 */
#include <string.h>

#include "ik/ik.h"

void td_ik_choose(td_ik *ik, double required, double wished)
{
    for (size_t k = 0; k < ik->tasks; k++) {
        const td_ik_goal *goal = &ik->task[k].goal;
        const double factor = goal->required ? required : wished;
        for (size_t i = ik->task[k].row; i < ik->task[k].row + ik->task[k].rows; i++)
            ik->scale[i] = factor * (ik->turn[i] ? goal->turn_weight : goal->weight);
    }
    memset(ik->shift, 0, ik->rows * sizeof *ik->shift);
}

bool td_ik_any_required(const td_ik *ik)
{
    for (size_t k = 0; k < ik->tasks; k++)
        if (ik->task[k].goal.required)
            return true;
    return false;
}
