/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the closure along y by the complex step: evaluates γ, G and g over complex numbers
 * at a y that is displaced along its tangent by an imaginary step.
 */
#ifndef TD_ALONG_H
#define TD_ALONG_H

#include "td_test.h"

/* Checks td_closure_derivatives against the complex step at y. The tolerance is relative to the
   largest entry of each matrix. Where γ fails, the derivatives must fail too. */
void along_check(const td_model *model, td_workspace *workspace, const double *y, const double *yd,
                 const double *ydd, const double *tau, double tolerance);

/* Same check against sixth-order differences of td_closure and td_project_force with step h along
   td_integrate. */
void along_check_differences(const td_model *model, td_workspace *workspace, const double *y,
                             const double *yd, const double *ydd, const double *tau, double h,
                             double tolerance);

/* Repeats the complex-step check at y with the given number of random velocities, accelerations and
   forces. */
void along_check_at(td_random *random, const td_model *model, td_workspace *workspace,
                    const double *y, int count, double tolerance);

#endif
