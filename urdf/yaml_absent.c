/* SPDX-License-Identifier: MIT */
/*
 * Replaces the YAML parser in builds without libyaml, and refuses every text.
 */
#include "yaml_tree.h"

td_status td_yaml_parse(const char *text, size_t size, const char *file,
                        const td_load_options *options, td_diagnostics *diagnostics, td_yaml *yaml)
{
    (void)text;
    (void)size;
    (void)options;
    *yaml = (td_yaml){.root = NULL};
    td_report(diagnostics, TD_CODE_YAML_ABSENT, (td_source){file, 0, 0, NULL},
              "build tandem with libyaml", "this build cannot read YAML");
    return TD_ERROR_MODEL;
}

void td_yaml_free(td_yaml *yaml)
{
    (void)yaml;
}
