/* SPDX-License-Identifier: MIT */
/*
 * Submechanism lists: a YAML file beside a URDF for what the URDF cannot express: closed loops,
 * independent joints and driven joints. docs/formats/submechanisms.md documents the format of
 * HyRoDyn and Phobos, with some additional keys, and robot.yaml of Extended URDF. A build without
 * YAML has submechanisms_absent.c in place of submechanisms.c and its parts.
 */
#ifndef TD_SUBMECHANISMS_H
#define TD_SUBMECHANISMS_H

#include "base/diagnostic.h"
#include "tandem/builder.h"

/* Adds a list to a builder that has all links and joints, like td_parse_submechanisms_memory. list
   and options must not be NULL. */
td_status td_submechanisms_read(td_builder *builder, const char *text, size_t size,
                                const char *name, const td_load_options *options,
                                td_diagnostics *list);

#endif
