/* SPDX-License-Identifier: MIT */
/*
 * The main function of test programs without preparations. No test may take longer than 300 s.
 */
#include "run.h"

int main(void)
{
    return td_run_tests(300);
}
