/* SPDX-License-Identifier: MIT */
/*
 * What is said of columns that nothing is made of.
 */
#ifndef TOOL_UNUSED_H
#define TOOL_UNUSED_H

#include <stddef.h>

/* One line with the first names; nothing where there are none. */
void tell_unused(const char *table, char *const *names, size_t count);

#endif
