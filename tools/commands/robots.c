/* SPDX-License-Identifier: MIT */
/*
 * tandem robots: lists the bundled robots by the names that other commands accept, and their files.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "input/bundled.h"
#include "options.h"
#include "output/help_page.h"
#include "output/table.h"
#include "text.h"

const option_set options_of_robots = {
    .usage = "",
    .about = "List the robots that come with tandem, by the names that other commands accept as "
             "FILE, and "
             "their paths. The environment variable TANDEM_ROBOTS names another folder to "
             "search.\vExample:\n  tandem id -q driver_joint=0.3 tandem:gripper",
    .parts = {&common_set}};

int command_robots(int argc, char **argv)
{
    parse_words(&options_of_robots, argc, argv, NULL);
    char *folder = td_bundled_folder(), **names = folder != NULL ? td_bundled_names(folder) : NULL;
    const bool some = names != NULL && names[0] != NULL;
    if (some) {
        table t = table_new("ll");
        t.plain = true;
        for (size_t i = 0; names[i] != NULL; i++) {
            table_add(&t, TD_BUNDLED "%s", names[i]);
            table_add(&t, "%s/%s.urdf", folder, names[i]);
        }
        table_print(&t, 0);
    } else {
        complain("the robots that come with tandem are not installed");
    }
    td_bundled_names_free(names);
    free(folder);
    return some ? EXIT_GOOD : EXIT_USAGE;
}
