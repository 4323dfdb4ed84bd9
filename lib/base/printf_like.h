/* SPDX-License-Identifier: MIT */
/*
 * Declares functions with printf formats, so that the compiler checks their arguments.
 */
#ifndef TD_PRINTF_LIKE_H
#define TD_PRINTF_LIKE_H

/* text and first: numbers of parameters, from 1. On Windows GCC's "printf" format is
   Microsoft's, while mingw-w64 implements the C standard's (its __USE_MINGW_ANSI_STDIO). */
#if defined(__MINGW32__) && !defined(__clang__)
#define TD_PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define TD_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#endif

#endif
