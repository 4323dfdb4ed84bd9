/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the closure along y by the complex step: the same γ, G and g over complex numbers,
 * of a y that is displaced along its tangent by an imaginary part.
 */
#ifndef TD_ALONG_H
#define TD_ALONG_H

#include "td_test.h"

/* Compares td_closure_derivatives at a state that closes (or fails where γ does), relative to the
   largest entry of each matrix. */
void along_check(const td_model *model, td_workspace *workspace, const double *y, const double *yd,
                 const double *ydd, const double *tau, double tolerance);

/* the same by differences of sixth order of td_closure and td_project_force, h apart along
   td_integrate */
void along_check_differences(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, const double *ydd, const double *tau, double h,
                             double tolerance);

/* that many random velocities, accelerations and forces at a y, by the complex step */
void along_check_at(td_random *random, const td_model *model, td_workspace *workspace,
                    const double *y, int count, double tolerance);

#endif
