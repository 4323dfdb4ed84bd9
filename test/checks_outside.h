/* SPDX-License-Identifier: MIT */
/*
 * The helpers of the tests check what they do. In programs in which no test is running, linked with
 * --wrap for these two functions of the test library, a failed check calls fail_check, which the
 * one source that includes this defines.
 */
#ifndef CHECKS_OUTSIDE_H
#define CHECKS_OUTSIDE_H

_Noreturn static void fail_check(const char *file, int line, const char *expression);

void __wrap__mark_point(const char *file, int line);
_Noreturn void __wrap__ck_assert_failed(const char *file, int line, const char *expression,
                                        const char *message, ...);

void __wrap__mark_point(const char *file, int line)
{
    (void)file;
    (void)line;
}

void __wrap__ck_assert_failed(const char *file, int line, const char *expression,
                              const char *message, ...)
{
    (void)message;
    fail_check(file, line, expression);
}

#endif
