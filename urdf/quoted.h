/* SPDX-License-Identifier: MIT */
/*
 * Robots in quoted texts of YAML or JSON, as ROS prints its robot_description.
 */
#ifndef TD_QUOTED_H
#define TD_QUOTED_H

#include "yaml_tree.h"

/* Finds the robot's text in YAML and reports it with a note, since lines and columns will count in
   that text. text, size: the YAML; on success they become the robot's text, which belongs to *yaml.
   The text of a key robot_description has precedence; otherwise exactly one text may begin with
   '<'. Returns TD_ERROR_MODEL or TD_ERROR_IO after a diagnostic, or TD_ERROR_MEMORY. Callers call
   td_yaml_free in all cases. */
td_status td_quoted_find(const char **text, size_t *size, const char *file,
                         const td_load_options *options, td_diagnostics *diagnostics,
                         td_yaml *yaml);

#endif
