/* SPDX-License-Identifier: MIT */
/*
 * Reports columns that a command does not use.
 */
#ifndef TOOL_UNUSED_H
#define TOOL_UNUSED_H

#include <stddef.h>

/* Prints a note with the first names: "TABLE: not used: columns 'a', 'b'". Prints nothing if count
   is 0. what: text after the table's name. */
void tell_unused(const char *table, const char *what, char *const *names, size_t count);

#endif
