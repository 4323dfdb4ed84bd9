/* SPDX-License-Identifier: MIT */
/*
 * Parses --package and --mesh-root, the folders of the meshes of a robot.
 */
#include <string.h>

#include "input/option_value.h"
#include "options.h"
#include "text.h"

static void read_package(const command_option *o, char *text, command_line *line)
{
    tool_options *options = line->options;
    (void)o;
    char *equals = strchr(text, '=');
    if (equals == NULL || equals[1] == '\0') {
        option_error(line, "--package must be NAME=DIR, not '%s'", text);
    } else {
        *equals = '\0';
        options->package =
            reallocate(options->package, options->packages + 1, sizeof *options->package);
        options->package[options->packages++] = (td_package){text, equals + 1};
    }
}

static const command_option package_rows[] = {
    {"package", "NAME=DIR",
     "Search DIR for meshes of package://NAME (an empty NAME stands for package:///); may be "
     "repeated",
     read_package, .group = 1},
    {"mesh-root", "DIR",
     "Search this folder for meshes, by the paths given in the robot; may be repeated", option_list,
     offsetof(tool_options, mesh_root), .group = 1},
    {0},
};
const option_set package_set = {.rows = package_rows};

td_file_search options_mesh_places(const tool_options *options, const char *file)
{
    td_file_search places = td_file_search_default();
    places.robot = strcmp(file, "-") == 0 ? NULL : file;
    places.packages = options->package;
    places.package_count = options->packages;
    places.roots = options->mesh_root.word;
    places.root_count = options->mesh_root.count;
    return places;
}
