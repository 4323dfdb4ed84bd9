/* SPDX-License-Identifier: MIT */
/*
 * Prints the text of --version: the version, the kernels for this processor, and the features of
 * the build.
 */
#ifndef TOOL_VERSION_H
#define TOOL_VERSION_H

#include <stdio.h>

void put_version(FILE *stream);

#endif
