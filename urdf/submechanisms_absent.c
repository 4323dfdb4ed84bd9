/* SPDX-License-Identifier: MIT */
/*
 * Reports submechanism lists as unsupported in builds without YAML.
 */
#include "submechanisms.h"

td_status td_submechanisms_read(td_builder *builder, const char *text, size_t size,
                                const char *name, const td_load_options *options,
                                td_diagnostics *list)
{
    (void)builder;
    (void)text;
    (void)size;
    (void)options;
    td_report(list, TD_CODE_YAML_ABSENT, (td_source){name, 0, 0, NULL},
              "build tandem with libyaml (-Dyaml=enabled), or write the loops into the URDF",
              "submechanism lists are YAML, which this build of the library cannot read");
    return TD_ERROR_IO;
}
