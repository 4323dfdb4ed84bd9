/* SPDX-License-Identifier: MIT */
/*
 * Runs the registered tests of a program with Check.
 */
#include "run.h"

#include <stdlib.h>

#include "owned.h"

static td_registered *all;

void td_register(td_registered *entry)
{
    td_registered **at = &all;
    while (*at && (*at)->test->line < entry->test->line)
        at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

int td_run_tests(int timeout)
{
    Suite *suite = suite_create("tests");
    TCase *tests = tcase_create("tests");
    tcase_set_timeout(tests, timeout);
    tcase_add_checked_fixture(tests, NULL, release_owned);
    for (const td_registered *t = all; t; t = t->next)
        tcase_add_loop_test(tests, t->test, t->first(), t->end());
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
