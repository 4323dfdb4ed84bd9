/* SPDX-License-Identifier: MIT */
/*
 * What the files on actuation share.
 */
#ifndef TD_ACTUATION_H
#define TD_ACTUATION_H

#include "model/model.h"

/* whether M_u depends on y */
static inline bool td_motors_change(const td_model *model)
{
    return model->closure.loops.solved || model->actuation.loops.count;
}

#endif
