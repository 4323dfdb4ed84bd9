/* SPDX-License-Identifier: MIT */
/*
 * tandem robots: the robots that come with tandem, as other commands are given them, and their
 * files.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "help_page.h"
#include "options.h"
#include "robot/bundled.h"
#include "table/table.h"
#include "text.h"

static const struct argp_child children[] = {{&help_option_argp, 0, NULL, 0}, {0}};
const struct argp robots_argp = {
    NULL,
    NULL,
    "",
    "The robots that come with tandem, as a FILE of other commands, and where they are. "
    "TANDEM_ROBOTS of the environment is another folder to look for them in.\v"
    "Example:\n  tandem id -q driver_joint=0.3 tandem:gripper",
    children,
    NULL,
    NULL};

int command_robots(int argc, char **argv)
{
    size_t count;
    parse_words(&robots_argp, argc, argv, NULL);
    char *folder = bundled_folder();
    char **names = bundled_names(&count);
    if (count == 0) {
        complain("the robots that come with tandem are not installed");
    } else {
        table t = table_new("ll");
        t.plain = true;
        for (size_t i = 0; i < count; i++) {
            table_add(&t, BUNDLED "%s", names[i]);
            table_add(&t, "%s/%s.urdf", folder, names[i]);
        }
        table_print(&t, 0);
    }
    bundled_names_free(names, count);
    free(folder);
    return count == 0 ? EXIT_USAGE : EXIT_GOOD;
}
