/* SPDX-License-Identifier: MIT */
/*
 * What wasi-libc lacks of POSIX, and the command's sources call where they write files, which the
 * page does not; the linker leaves those functions out.
 */
#ifndef VIEW_SYSTEM_ABSENT_H
#define VIEW_SYSTEM_ABSENT_H

#include <sys/types.h>

int mkstemp(char *name);
mode_t umask(mode_t mask);
int fchmod(int file, mode_t mode);

#endif
