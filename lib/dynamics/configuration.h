/* SPDX-License-Identifier: MIT */
/*
 * Configurations for methods that step: the public functions are in tandem/configuration.h.
 */
#ifndef TD_FUNCTIONS_CONFIGURATION_H
#define TD_FUNCTIONS_CONFIGURATION_H

#include "dynamics/eval.h"
#include "tandem/configuration.h"

/* td_integrate with quaternions that go on from those of y, of either sign.
 */
void td_move(const td_model *model, td_coordinates space, const double *y, const double *yd,
             double dt, double *result);

#endif
