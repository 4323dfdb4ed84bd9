/* SPDX-License-Identifier: MIT */
/*
 * Former names of commands and options, see renamed.h.
 */
#include "renamed.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *command; /* NULL: every command */
    const char *option;  /* NULL: the command itself */
    const char *now;
} renamed[] = {
    {"couple", NULL, "fit"},
    {"dot", NULL, "tandem tree --dot"},
    {"explain", NULL, "contributions"},
    {"motion", NULL, "recording"},
    {"selftest", NULL, "verify"},
    {"statics", NULL, "equilibrium"},
    {NULL, "--notes", "--verbose"},
    {"bench", "--states", "--batch"},
    {"bench", "--time", "--measure"},
    {"closure", "--from", "--first"},
    {"closure", "--to", "--last"},
    {"closure", "--measured", "tandem complete"},
    {"equilibrium", "--link", "--stiffness"},
    {"equilibrium", "-l", "--stiffness"},
    {"linearize", "--stiffness", "tandem equilibrium --stiffness"},
    {"recording", "--spline", "--curve"},
    {"simulate", "--curve", "--interpolate"},
    {"simulate", "--hold", "--interpolate"},
};

static bool is_option(const char *former, const char *option)
{
    const size_t length = strlen(former);
    return strncmp(former, option, length) == 0 &&
           (option[length] == '\0' || option[length] == '=');
}

const char *renamed_now(const char *command, const char *option)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const bool same = renamed[i].command == NULL || strcmp(renamed[i].command, command) == 0;
        if (same && option == NULL && renamed[i].option == NULL) {
            return renamed[i].now;
        }
        if (same && option != NULL && renamed[i].option != NULL &&
            is_option(renamed[i].option, option)) {
            return renamed[i].now;
        }
    }
    return NULL;
}
