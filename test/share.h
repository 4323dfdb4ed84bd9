/* SPDX-License-Identifier: MIT */
/*
 * Loop tests run a share of their cases where TANDEM_TEST_SHARE=N asks for it: about one in N of
 * those that have many. For builds in which code is slow and a few cases see what is looked for,
 * such as those with sanitizers. A case is in the share or not by its number alone.
 */
#ifndef TD_TEST_SHARE_H
#define TD_TEST_SHARE_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { FEW_CASES = 6 }; /* of which all are run */

static inline bool in_share(int number, int cases)
{
    const char *share = getenv("TANDEM_TEST_SHARE");
    const unsigned n = share ? (unsigned)atoi(share) : 1;
    if (n < 2 || cases <= FEW_CASES || number == 0)
        return true;
    /* mixed, so that no kind of case falls out that comes every N-th time */
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
