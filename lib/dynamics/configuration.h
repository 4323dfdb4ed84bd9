/* SPDX-License-Identifier: MIT */
/*
 * Configurations for stepping methods; the public functions are in tandem/configuration.h.
 */
#ifndef TD_FUNCTIONS_CONFIGURATION_H
#define TD_FUNCTIONS_CONFIGURATION_H

#include "dynamics/eval.h"
#include "tandem/configuration.h"

/* Like td_integrate, but keeps the sign of quaternions continuous with y. */
void td_move(const td_model *model, td_coordinates space, const double *y, const double *yd,
             double dt, double *result);

#endif
