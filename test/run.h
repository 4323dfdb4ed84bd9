/* SPDX-License-Identifier: MIT */
/*
 * Tests that register themselves where they are defined; main.c runs all tests of a program.
 */
#ifndef TD_RUN_H
#define TD_RUN_H

#include <check.h>

#include "share.h"

typedef struct td_registered {
    const TTest *test;
    int (*first)(void), (*end)(void); /* called when all tests are known */
    struct td_registered *next;
} td_registered;

void td_register(td_registered *entry);

/* Runs the registered tests in the order of the source, each within that many seconds (0: any
   time); the exit code of the program. A program that prepares something has a main that ends with
   this call; others use the main of main.c. */
int td_run_tests(int timeout);

/* Defines and registers a test; its body follows. */
#define TD_TEST(name) TD_LOOP_TEST(name, 0, 1)

/* The same for a test that runs once for each _i from first to end - 1. */
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
