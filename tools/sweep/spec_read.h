/* SPDX-License-Identifier: MIT */
/*
 * Reads the specification of a sweep.
 */
#ifndef TOOL_SWEEP_SPEC_READ_H
#define TOOL_SWEEP_SPEC_READ_H

#include "sweep/spec.h"

/* Reads the file. On failure prints messages "file:line:column: ..." and returns false. Callers
   free spec in both cases. */
bool sweep_spec_read(sweep_spec *spec, const session *s, const tool_options *options,
                     const char *file);
void sweep_spec_free(sweep_spec *spec);

#endif
