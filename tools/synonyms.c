/* SPDX-License-Identifier: MIT */
/*
 * Lists other words for commands and options, see synonyms.h.
 */
#include "synonyms.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const command_synonym commands[] = {
    {"couple", "fit", true},
    {"dot", "tree --dot", true},
    {"explain", "contributions", true},
    {"motion", "recording", true},
    {"selftest", "verify", true},
    {"statics", "equilibrium", true},
    {"validate", "check", false},
    {"lint", "check", false},
    {"show", "view", false},
    {"display", "view", false},
    {"visualize", "view", false},
    {"visualise", "view", false},
    {"render", "view", false},
    {"gui", "view", false},
    {"summary", "info", false},
    {"inspect", "info", false},
    {"describe", "info", false},
    {"print", "info", false},
    {"graph", "tree", false},
    {"links", "tree", false},
    {"joints", "info", false},
    {"limits", "info", false},
    {"convert", "export", false},
    {"sdf", "export", false},
    {"urdf", "export --to urdf", false},
    {"mjcf", "export --to mjcf", false},
    {"mujoco", "export --to mjcf", false},
    {"compare", "diff", false},
    {"difference", "diff", false},
    {"constraints", "closure", false},
    {"loops", "closure", false},
    {"mimic", "closure", false},
    {"forward-kinematics", "fk", false},
    {"kinematics", "fk", false},
    {"pose", "fk", false},
    {"poses", "fk", false},
    {"inverse-kinematics", "ik", false},
    {"jac", "jacobian", false},
    {"calibration", "calibrate", false},
    {"inverse-dynamics", "id", false},
    {"dynamics", "id", false},
    {"gravity", "id", false},
    {"rnea", "id", false},
    {"torque", "id", false},
    {"torques", "id", false},
    {"bias", "id", false},
    {"forward-dynamics", "fd", false},
    {"acceleration", "fd", false},
    {"accelerations", "fd", false},
    {"aba", "fd", false},
    {"crba", "mass", false},
    {"inertia", "mass", false},
    {"mass-matrix", "mass", false},
    {"com", "energy", false},
    {"momentum", "energy", false},
    {"gradient", "derivatives", false},
    {"gradients", "derivatives", false},
    {"lqr", "linearize --lqr", false},
    {"modes", "linearize", false},
    {"poles", "linearize", false},
    {"eigenvalues", "linearize", false},
    {"linearise", "linearize", false},
    {"sim", "simulate", false},
    {"simulation", "simulate", false},
    {"run", "simulate", false},
    {"plan", "trajectory", false},
    {"path", "trajectory", false},
    {"draw", "plot", false},
    {"benchmark", "bench", false},
    {"timing", "bench", false},
    {"list", "robots", false},
    {"examples", "robots", false},
    {"version", "--version", false},
    {"man", "help", false},
    {"usage", "help", false},
};

const command_synonym *find_command_synonym(const char *word)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcasecmp(commands[i].word, word) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static const option_synonym options[] = {
    {"recording", "spline", "--curve"},
    {"closure", "from", "--first"},
    {"closure", "to", "--last"},
    {"closure", "measured", "tandem complete"},
    {"equilibrium", "link", "--stiffness"},
    {"linearize", "stiffness", "tandem equilibrium"},
    {"simulate", "hold", "--interpolate"},
    {"simulate", "curve", "--interpolate"},
    {"bench", "states", "--batch"},
    {"bench", "time", "--measure"},
    {NULL, "notes", "--verbose"},
    {NULL, "silent", "--quiet"},
    {NULL, "floating", "--base floating"},
    {NULL, "floating-base", "--base floating"},
    {NULL, "degrees", "--unit deg"},
    {NULL, "deg", "--unit deg"},
};

const option_synonym *find_option_synonym(const char *command, const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const option_synonym *o = &options[i];
        if (strcmp(o->word, word) == 0 &&
            (o->command == NULL || strcmp(o->command, command) == 0)) {
            return o;
        }
    }
    return NULL;
}
