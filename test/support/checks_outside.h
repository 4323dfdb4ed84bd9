/* SPDX-License-Identifier: MIT */
/*
 * Lets the helpers of the tests, which use Check's assertions, run in programs without a running
 * test. Link with --wrap for the two functions of Check below. A failed check then calls
 * fail_check, which the one source that includes this header defines.
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
