/* SPDX-License-Identifier: MIT */
/*
 * Functions that take a format and its arguments as printf does, which the compiler then looks at.
 */
#ifndef TD_PRINTF_LIKE_H
#define TD_PRINTF_LIKE_H

/* format, first: numbers of parameters, from 1. On Windows GCC's "printf" is that of Microsoft,
   while mingw-w64 provides that of the C standard (its __USE_MINGW_ANSI_STDIO). */
#if defined(__MINGW32__) && !defined(__clang__)
#define TD_PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define TD_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#endif

#endif
