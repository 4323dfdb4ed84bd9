/* SPDX-License-Identifier: MIT */
/*
 * What --version prints: the version, the kernels that this processor gets, and what the build has.
 */
#ifndef TOOL_VERSION_H
#define TOOL_VERSION_H

#include <stdio.h>

void put_version(FILE *stream);

#endif
