/* SPDX-License-Identifier: MIT */
/*
 * The bundled robots with mimic joints and loops fall for 10 s, or end at a singular configuration
 * that is named. Followers stay exact, loops stay closed to rounding, and energy minus work stays
 * constant.
 */
#include <math.h>
#include <string.h>

#include "falling.h"

/* Bundled robots that reach a singular configuration, and the loop that loses rank there: where
   branches of the linkage bifurcate, or where a leg has zero length. */
static const struct ending {
    const char *file, *loop;
} endings[] = {
    {"goldberg_6r.urdf", "closure"},
    {"spherical_3rpr.urdf", "end_2"},
};

static const char *end_of(const char *file)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(endings[i].file, file) == 0)
            return endings[i].loop;
    return NULL;
}

TD_LOOP_TEST(bundled, 0, td_robot_count())
{
    const char *file = td_robots[_i];
    td_load_options options = fall_load_options();
    td_model *model = td_load_robot(file, &options);
    /* the segments of its beam vibrate at thousands of rad/s: see test_flexible_motion */
    const bool flexible = strcmp(file, "flexible_arm.urdf") == 0;
    if (td_nyd(model) < td_nv(model))
        fall_check(model, 1, flexible ? 0.05 * FALL_TIME : FALL_TIME, end_of(file));
}

/* The last state of a simulation is far enough from the refused configuration that all samples of
   it succeed, from any previous state. */
TD_LOOP_TEST(last_state, 0, 12)
{
    td_load_options options = fall_load_options();
    td_model *model = td_load_robot("goldberg_6r.urdf", &options);
    td_simulation *s = fall_simulation(model);
    double y, yd, ydd, q[FALL_MOST], qd[FALL_MOST];
    fall_start(model, (uint64_t)_i, &y, &yd);
    assert_ok(td_simulation_start(s, 0, &y, &yd, NULL));
    td_status status = TD_OK;
    while (status == TD_OK && td_simulation_time(s) < FALL_TIME) {
        status = td_simulation_step(s, FALL_TIME);
        td_simulation_sample sample = td_simulation_sample_default();
        for (int k = 0; k < 3; k++) { /* twice, and with other outputs in between */
            sample.q = q, sample.qd = qd;
            sample.ydd = k % 2 ? &ydd : NULL;
            assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        }
    }
}

/* Close to zero length of a leg, equations lose digits with the square of this length. The
   simulation must end before that costs many steps and energy. */
TD_LOOP_TEST(few_digits, 0, 12)
{
    td_load_options options = fall_load_options();
    td_model *model = td_load_robot("spherical_3rpr.urdf", &options);
    td_simulation *s = fall_simulation(model);
    double y[FALL_MOST], yd[FALL_MOST];
    fall_start(model, (uint64_t)_i, y, yd);
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    td_simulation_sample sample = td_simulation_sample_default();
    assert_ok(td_simulation_evaluate(s, 0, &sample));
    const double start = sample.kinetic + sample.potential - sample.work;
    td_status status = td_simulation_advance(s, FALL_TIME);
    ck_assert_msg(status == TD_OK || td_simulation_failed_loop(s) != TD_NONE, "%s",
                  td_status_text(status));
    assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
    const double change = fabs(sample.kinetic + sample.potential - sample.work - start);
    const size_t evaluations = td_simulation_counts(s).evaluations;
    ck_assert_msg(evaluations < 60000 && change < 1e-6 * sample.kinetic,
                  "%zu evaluations for %.6g s, energy less work changes by %.3g of %.3g",
                  evaluations, td_simulation_time(s), change, sample.kinetic);
}
