/* SPDX-License-Identifier: MIT */
/*
 * Tests register themselves where they are defined. main.c runs all tests of a program.
 */
#ifndef TD_RUN_H
#define TD_RUN_H

#include <check.h>

#include "share.h"

typedef struct td_registered {
    const TTest *test;
    int (*first)(void), (*end)(void); /* called after all tests are registered */
    struct td_registered *next;
} td_registered;

void td_register(td_registered *entry);

/* Runs the registered tests in source order, each with a limit of `seconds` (0: none). Returns the
   exit code of the program. A program with preparations has a main that ends with this call; others
   use main.c. */
int td_run_tests(int timeout);

/* Defines and registers a test; its body follows. */
#define TD_TEST(name) TD_LOOP_TEST(name, 0, 1)

/* Same for a test that runs once for each _i from first to end - 1. */
#define TD_LOOP_TEST(name, from, to)                                                               \
    static const TTest *name;                                                                      \
    static int name##_first(void)                                                                  \
    {                                                                                              \
        return (int)(from);                                                                        \
    }                                                                                              \
    static int name##_end(void)                                                                    \
    {                                                                                              \
        return (int)(to);                                                                          \
    }                                                                                              \
    __attribute__((constructor)) static void name##_register(void)                                 \
    {                                                                                              \
        static td_registered entry;                                                                \
        entry = (td_registered){name, name##_first, name##_end, NULL};                             \
        td_register(&entry);                                                                       \
    }                                                                                              \
    START_TEST(name)

#endif
