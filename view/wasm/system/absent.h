/* SPDX-License-Identifier: MIT */
/*
 * POSIX functions that wasi-libc lacks. The command's sources call them to write files. The page
 * writes no files, and the linker drops the functions that do.
 */
#ifndef VIEW_SYSTEM_ABSENT_H
#define VIEW_SYSTEM_ABSENT_H

#include <sys/types.h>

int mkstemp(char *name);
mode_t umask(mode_t mask);
int fchmod(int file, mode_t mode);

#endif
