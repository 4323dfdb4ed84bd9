/* SPDX-License-Identifier: MIT */
/* Linked into Check programs of the copy (--wrap): runs their tests one at a time, by name. */
#include "runtime.h"

#include <check.h>

void __real__tcase_add_test(TCase *tests, const TTest *test, int signal, int exit_value, int start,
                            int end);
void __wrap__tcase_add_test(TCase *tests, const TTest *test, int signal, int exit_value, int start,
                            int end);

void __wrap__tcase_add_test(TCase *tests, const TTest *test, int signal, int exit_value, int start,
                            int end)
{
    if (td_mutation_runs(test->name))
        __real__tcase_add_test(tests, test, signal, exit_value, start, end);
}
