/* SPDX-License-Identifier: MIT */
/*
 * The C locale for the calling thread while it reads or writes numbers: a point for the decimals,
 * whatever the program has set. What systems call it differently is here and in c_locale.c alone.
 */
#ifndef TD_C_LOCALE_H
#define TD_C_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* what the thread had before */
typedef struct td_c_locale {
#if defined(_WIN32)
    char *before;
    int configured;
#else
    locale_t own, before;
#endif
} td_c_locale;

/* The C locale for this thread, and back; one pair may lie within another. begin: false without
   memory, and nothing is to be ended. */
bool td_c_locale_begin(td_c_locale *scope);
void td_c_locale_end(td_c_locale *scope);

#endif
