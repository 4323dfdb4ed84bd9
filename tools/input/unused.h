/* SPDX-License-Identifier: MIT */
/*
 * Messages about unused columns.
 */
#ifndef TOOL_UNUSED_H
#define TOOL_UNUSED_H

#include <stddef.h>

/* One line with the first names, "TABLE: not used: columns 'a', 'b'"; nothing where there are none.
 */
void tell_unused(const char *table, const char *what, char *const *names, size_t count);

#endif
