/* SPDX-License-Identifier: MIT */
/*
 * Parses --package and --mesh-root, the folders of the meshes of a robot.
 */
#include <string.h>

#include "options.h"
#include "text.h"

enum { KEY_PACKAGE = 0x380, KEY_MESH_ROOT };

static error_t parse_package(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    if (key == KEY_MESH_ROOT) {
        options->mesh_root =
            reallocate(options->mesh_root, options->mesh_roots + 1, sizeof *options->mesh_root);
        options->mesh_root[options->mesh_roots++] = arg;
        return 0;
    }
    if (key != KEY_PACKAGE) {
        return ARGP_ERR_UNKNOWN;
    }
    const char *equals = strchr(arg, '=');
    if (equals == NULL || equals[1] == '\0') {
        option_error(state, "--package must be NAME=DIR, not '%s'", arg);
    } else {
        options->package =
            reallocate(options->package, options->packages + 1, sizeof *options->package);
        options->package[options->packages++] =
            (mesh_package){arg, (size_t)(equals - arg), equals + 1};
    }
    return 0;
}

static const struct argp_option package_options[] = {
    {"package", KEY_PACKAGE, "NAME=DIR", 0,
     "Search DIR for meshes of package://NAME (an empty NAME stands for package:///); may be "
     "repeated",
     1},
    {"mesh-root", KEY_MESH_ROOT, "DIR", 0,
     "Search this folder for meshes, by the paths given in the robot; may be repeated", 1},
    {0},
};

const struct argp package_argp = {package_options, parse_package, NULL, NULL, NULL, NULL, NULL};

mesh_places options_mesh_places(const tool_options *options, const char *file)
{
    return (mesh_places){strcmp(file, "-") == 0 ? NULL : file, options->package, options->packages,
                         options->mesh_root, options->mesh_roots};
}
