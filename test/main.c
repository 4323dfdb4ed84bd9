/* SPDX-License-Identifier: MIT */
/*
 * The main of test programs that prepare nothing: no test takes longer than 300 s.
 */
#include "run.h"

int main(void)
{
    return td_run_tests(300);
}
