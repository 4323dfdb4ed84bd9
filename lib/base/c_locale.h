/* SPDX-License-Identifier: MIT */
/*
 * Switches the calling thread to the C locale while it reads or writes numbers. Decimals then
 * have a point, whatever locale the program has set. Only this file and c_locale.c depend on the
 * operating system's functions.
 */
#ifndef TD_C_LOCALE_H
#define TD_C_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* the thread's previous locale */
typedef struct td_c_locale {
#if defined(_WIN32)
    char *before;
    int configured;
#else
    locale_t own, before;
#endif
} td_c_locale;

/* Switch this thread to the C locale, and back. Pairs may be nested. td_c_locale_begin returns
   false if memory is exhausted; do not call td_c_locale_end then. */
bool td_c_locale_begin(td_c_locale *scope);
void td_c_locale_end(td_c_locale *scope);

#endif
