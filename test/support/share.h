/* SPDX-License-Identifier: MIT */
/*
 * Lets tests run only a share of their cases: with TANDEM_TEST_SHARE=N, about one in N where there
 * are many. Use it in slow builds in which a few cases find the faults sought, such as those with
 * sanitizers. Loop tests need nothing for this: only the number of a case decides whether it runs.
 * A loop inside a test asks in_share or shared_cases.
 */
#ifndef TD_TEST_SHARE_H
#define TD_TEST_SHARE_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { FEW_CASES = 6 }; /* tests with no more cases than this run all of them */

static inline unsigned test_share(void)
{
    const char *share = getenv("TANDEM_TEST_SHARE");
    return share && atoi(share) > 1 ? (unsigned)atoi(share) : 1;
}

static inline bool in_share(int number, int cases)
{
    const unsigned n = test_share();
    if (n < 2 || cases <= FEW_CASES || number == 0)
        return true;
    /* mixed, so that no kind of case that occurs every N-th time is always skipped */
    const uint64_t mixed = ((uint64_t)number + 1) * 0x9e3779b97f4a7c15;
    return (mixed >> 40) % n == 0;
}

/* Returns how many of the first cases run, where the cases depend on those before. */
static inline int shared_cases(int cases)
{
    const int some = cases / (int)test_share();
    return some >= FEW_CASES ? some : cases < FEW_CASES ? cases : FEW_CASES;
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
