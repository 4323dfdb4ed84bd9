/* SPDX-License-Identifier: MIT */
/*
 * Reading the specification of a sweep.
 */
#ifndef TOOL_SWEEP_SPEC_READ_H
#define TOOL_SWEEP_SPEC_READ_H

#include "sweep/spec.h"

/* Reads it. False with messages "file:line:column: ...". To be freed in both cases. */
bool sweep_spec_read(sweep_spec *spec, const session *s, const tool_options *options,
                     const char *file);
void sweep_spec_free(sweep_spec *spec);

#endif
