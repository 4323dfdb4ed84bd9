/* SPDX-License-Identifier: MIT */
/*
 * Checks that a motion without friction and drives conserves energy.
 */
#ifndef TD_KEPT_ENERGY_H
#define TD_KEPT_ENERGY_H

#include <check.h>
#include <math.h>

#include "tandem/simulation.h"

/* Simulates `time` seconds from y and yd. The sum of kinetic and potential energy must be constant
   to 1e-9 of the largest kinetic energy, which must exceed 0.1 J. */
static inline void check_energy_is_kept(const td_model *model, double rtol, const double *y,
                                        const double *yd, double time)
{
    td_integrator_options adaptive = td_integrator_options_default();
    adaptive.rtol = rtol;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &adaptive;
    td_simulation *s = NULL;
    ck_assert_int_eq(td_simulation_new(model, &options, &s), TD_OK);
    ck_assert_int_eq(td_simulation_start(s, 0, y, yd, NULL), TD_OK);
    td_simulation_sample sample = td_simulation_sample_default();
    double start = 0, most = 0, off = 0;
    while (td_simulation_time(s) < time) {
        ck_assert_int_eq(td_simulation_step(s, time), TD_OK);
        ck_assert_int_eq(td_simulation_evaluate(s, td_simulation_time(s), &sample), TD_OK);
        start = most > 0 ? start : sample.kinetic + sample.potential;
        most = fmax(most, sample.kinetic);
        off = fmax(off, fabs(sample.kinetic + sample.potential - start));
    }
    ck_assert_double_gt(most, 0.1);
    ck_assert_double_lt(off, 1e-9 * most);
    td_simulation_free(s);
}

#endif
