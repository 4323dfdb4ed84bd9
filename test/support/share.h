/* SPDX-License-Identifier: MIT */
/*
 * Lets loop tests run only a share of their cases: with TANDEM_TEST_SHARE=N, about one in N for
 * tests that have many. Use it in slow builds in which a few cases find the faults sought, such as
 * those with sanitizers. Only the number of a case decides whether it runs.
 */
#ifndef TD_TEST_SHARE_H
#define TD_TEST_SHARE_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { FEW_CASES = 6 }; /* tests with no more cases than this run all of them */

static inline bool in_share(int number, int cases)
{
    const char *share = getenv("TANDEM_TEST_SHARE");
    const unsigned n = share ? (unsigned)atoi(share) : 1;
    if (n < 2 || cases <= FEW_CASES || number == 0)
        return true;
    /* mixed, so that no kind of case that occurs every N-th time is always skipped */
    const uint64_t mixed = ((uint64_t)number + 1) * 0x9e3779b97f4a7c15;
    return (mixed >> 40) % n == 0;
}

#undef tcase_add_loop_test
#define tcase_add_loop_test(tests, function, first, last)                                          \
    do {                                                                                           \
        const int last_ = (last);                                                                  \
        for (int i_ = (first); i_ < last_; i_++)                                                   \
            if (in_share(i_, last_ - (first)))                                                     \
                tcase_add_loop_test_raise_signal(tests, function, 0, i_, i_ + 1);                  \
    } while (0)

#endif
