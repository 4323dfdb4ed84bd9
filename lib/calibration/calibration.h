/* SPDX-License-Identifier: MIT */
/*
 * Solves calibrations, which problem.h describes.
 */
#ifndef TD_CALIBRATION_H
#define TD_CALIBRATION_H

#include "problem.h"

/* Solves the problem by the Levenberg-Marquardt method over all unknowns at once. A parameter at
   its bound stays there while the sum would decrease beyond it. Limits of joints are ignored. The
   noise is found by repetition: each time with the noise of the last residuals.

   With change = 0 and parameters = 0 it only fits the configurations. TD_ERROR_MEMORY;
   TD_ERROR_ARGUMENT: a coordinate count differs between models; or the status of build or of
   td_link_poses at the given y. After an error the arrays of the result are undefined. Each
   derivative makes 2 n models and computes the poses of 2 n rows. Memory:
   O(rows · nyd · (nyd + n)). */
td_status td_calibrate(const td_calibration *problem, td_calibration_result *result);

#endif
