/* SPDX-License-Identifier: MIT */
/*
 * Links by the names that people write.
 */
#ifndef TOOL_LINK_NAME_H
#define TOOL_LINK_NAME_H

#include "tandem/tandem.h"

/* Index of a link; -1, with a message that may name another one, where there is none. */
int find_link(const td_model *model, const char *name);

#endif
