/* SPDX-License-Identifier: MIT */
/*
 * Commands and options that have another name now: the former name is an error that says so.
 */
#ifndef TOOL_RENAMED_H
#define TOOL_RENAMED_H

/* Returns what replaces a former command, or option is not NULL, a former option of a command:
   "tandem tree --dot". option: as typed, "--hold" or "--hold=VALUE". NULL: it was none. */
const char *renamed_now(const char *command, const char *option);

#endif
