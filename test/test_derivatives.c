/* SPDX-License-Identifier: MIT */
/*
 * Derivatives of the closure along y: against the complex step of the same closure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "along.h"
#include "loop_robots.h"

enum { ROOM = 128 };

START_TEST(of_mechanisms)
{
    td_random random = {(uint64_t)_i + 1};
    const loop_robot *robot = &loop_robots[_i];
    td_model *model = loop_robot_load(robot);
    td_workspace *w = td_workspace_new(model);
    double y[ROOM];
    int closed = 0;
    for (int n = 0; n < 20; n++) {
        loop_robot_state(&random, robot, model, y);
        if (td_largest_rate(model, w, y) > 10)
            continue;
        closed++;
        along_check_at(&random, model, w, y, 2, 1e-11);
    }
    ck_assert_int_gt(closed, 3);
    td_workspace_free(w);
    td_model_free(model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivatives");
    TCase *closure = tcase_create("closure");
    tcase_add_loop_test(closure, of_mechanisms, 0, (int)loop_robot_count);
    suite_add_tcase(suite, closure);
    return td_test_run(suite);
}
