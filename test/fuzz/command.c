/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the command, in this process. The first byte selects a command line, the rest is the
 * file that it reads: a table of states, recorded motion, poses or markers (CSV or a NumPy array),
 * a state or a list. The command must return 0, 1 or 2, and leave no file behind.
 *
 * TANDEM_ROBOTS is the folder of robots. The command's messages are discarded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "fuzz.h"

enum { MOST_WORDS = 12 };

/* FILE stands for the input, SECOND for the part after a "%%" line in it, OUT for an output file.
   The corpus depends on the order: append new entries at the end. */
static const struct trial {
    int (*run)(int argc, char **argv);
    const char *suffix, *robot;
    const char *word[MOST_WORDS];
} trials[] = {
    {command_id, "csv", "gripper.urdf", {"id", "ROBOT", "FILE"}},
    {command_id, "npy", "gripper.urdf", {"id", "ROBOT", "FILE"}},
    {command_fd, "csv", "four_bar.urdf", {"fd", "ROBOT", "FILE", "--passive"}},
    {command_fk, "csv", "arm7.urdf", {"fk", "ROBOT", "FILE", "--json"}},
    {command_mass, "npy", "arm7.urdf", {"mass", "ROBOT", "FILE", "-o", "OUT.npy"}},
    {command_energy, "csv", "humanoid.urdf", {"energy", "ROBOT", "FILE", "--base", "floating"}},
    {command_closure, "csv", "five_bar.urdf", {"closure", "ROBOT", "FILE"}},
    {command_closure, "json", "five_bar.urdf", {"closure", "ROBOT", "--state", "FILE"}},
    {command_recording, "csv", "arm7.urdf", {"recording", "ROBOT", "FILE"}},
    {command_recording, "npy", "arm7.urdf", {"recording", "ROBOT", "FILE", "-o", "OUT.csv"}},
    {command_trajectory, "csv", "arm7.urdf", {"trajectory", "ROBOT", "FILE"}},
    {command_ik, "csv", "arm7.urdf", {"ik", "ROBOT", "FILE"}},
    {command_id, "json", "arm7.urdf", {"id", "ROBOT", "--state", "FILE"}},
    {command_check, "yaml", "linear_leg.urdf", {"check", "ROBOT", "--submechanisms", "FILE"}},
    {command_check, "urdf", "gripper.urdf", {"check", "FILE"}},
    {command_info, "urdf", "gripper.urdf", {"info", "FILE", "--json"}},
    {command_simulate,
     "csv",
     "four_bar.urdf",
     {"simulate", "ROBOT", "--tau", "FILE", "--time", "0.05", "--integrator", "rk4", "--step",
      "0.001"}},
    {command_fd, "npy", "arm7.urdf", {"fd", "ROBOT", "FILE", "-o", "OUT.npy"}},
    {command_recording,
     "csv",
     "arm7.urdf",
     {"recording", "ROBOT", "FILE", "--repair", "--filter", "butterworth", "--cutoff", "5",
      "--rate", "50", "-o", "OUT.csv"}},
    {command_recording,
     "csv",
     "four_bar.urdf",
     {"recording", "ROBOT", "FILE", "--filter", "spline", "--gap", "1", "--reactions", "all",
      "--csv"}},
    {command_recording,
     "npy",
     "four_bar.urdf",
     {"recording", "ROBOT", "FILE", "--sampled", "100", "--filter", "butterworth"}},
    {command_trajectory,
     "csv",
     "five_bar.urdf",
     {"trajectory", "ROBOT", "FILE", "--time-scale", "--acceleration", "5", "-o", "OUT.npy"}},
    {command_trajectory,
     "csv",
     "arm7.urdf",
     {"trajectory", "ROBOT", "FILE", "--curve", "jerk-limited", "--acceleration", "5", "--jerk",
      "50"}},
    {command_ik, "csv", "arm7.urdf", {"ik", "ROBOT", "FILE", "--link", "tool", "--path"}},
    {command_ik, "csv", "arm7.urdf", {"ik", "ROBOT", "FILE", "--points", "SECOND"}},
    {command_simulate,
     "csv",
     "four_bar.urdf",
     {"simulate", "ROBOT", "--drive", "FILE", "--time", "0.05", "--constraints", "--residual"}},
    {command_simulate,
     "csv",
     "arm7.urdf",
     {"simulate", "ROBOT", "--computed-torque", "FILE", "--pd", "100,20", "--time", "0.02",
      "--step", "0.001"}},
    {command_simulate,
     "csv",
     "gripper.urdf",
     {"simulate", "ROBOT", "--tau", "FILE", "--interpolate", "linear", "--stops", "--stiction",
      "--time", "0.05"}},
    {command_simulate,
     "json",
     "five_bar.urdf",
     {"simulate", "ROBOT", "--state", "FILE", "--time", "0.05", "--stops"}},
    {command_complete, "csv", "four_bar.urdf", {"complete", "ROBOT", "FILE"}},
    {command_derivatives, "csv", "five_bar.urdf", {"derivatives", "ROBOT", "FILE", "--of", "fd"}},
    {command_jacobian, "csv", "arm7.urdf", {"jacobian", "ROBOT", "FILE", "--link", "tool"}},
    {command_fit, "csv", "", {"fit", "FILE", "--joint", "b", "--leader", "a"}},
    {command_fit,
     "csv",
     "",
     {"fit", "FILE", "--joint", "b", "--leader", "a", "--spline", "5", "--period", "6.25"}},
    {command_export, "urdf", "", {"export", "FILE", "--to", "urdf", "-o", "OUT.urdf"}},
    {command_export, "urdf", "", {"export", "FILE", "--to", "mjcf", "--fit", "-o", "OUT.xml"}},
    {command_diff, "urdf", "", {"diff", "FILE", "SECOND"}},
    {command_contributions,
     "json",
     "gripper.urdf",
     {"contributions", "ROBOT", "driver_joint", "--state", "FILE"}},
    {command_linearize, "json", "five_bar.urdf", {"linearize", "ROBOT", "--state", "FILE"}},
    {command_equilibrium, "json", "flexible_arm.urdf", {"equilibrium", "ROBOT", "--state", "FILE"}},
    {command_tree, "urdf", "", {"tree", "FILE"}},
    {command_tree, "urdf", "", {"tree", "--dot", "FILE"}},
    {command_sweep, "yaml", "arm7.urdf", {"sweep", "ROBOT", "FILE", "--at", "3"}},
    {command_sweep, "json", "", {"sweep", "--merge", "FILE", "SECOND", "--json"}},
    {command_calibrate, "csv", "arm7.urdf", {"calibrate", "ROBOT", "SECOND", "FILE"}},
};

static char input_name[FUZZ_PATH], second_name[FUZZ_PATH], output_name[FUZZ_PATH], robot_name[4096];

static char *word_for(const char *word, const struct trial *t)
{
    char name[32];
    if (strcmp(word, "FILE") == 0 || strcmp(word, "SECOND") == 0) {
        const bool first = *word == 'F';
        snprintf(name, sizeof name, first ? "input.%s" : "second.%s", t->suffix);
        fuzz_path(first ? input_name : second_name, name);
        return first ? input_name : second_name;
    }
    if (strncmp(word, "OUT.", 4) == 0) {
        snprintf(name, sizeof name, "output%s", word + 3);
        fuzz_path(output_name, name);
        return output_name;
    }
    if (strcmp(word, "ROBOT") == 0) {
        const char *robots = getenv("TANDEM_ROBOTS");
        if (robots == NULL)
            fuzz_fail("no TANDEM_ROBOTS");
        snprintf(robot_name, sizeof robot_name, "%s/%s", robots, t->robot);
        return robot_name;
    }
    return (char *)(uintptr_t)word;
}

/* Writes the bytes to one file, or to two if there is a "%%" line between them. */
static void write_input(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n%%\n";
    const uint8_t *cut = *second_name ? memmem(data, size, mark, strlen(mark)) : NULL;
    const size_t first = cut != NULL ? (size_t)(cut - data) + 1 : size;
    const size_t rest = cut != NULL ? first + strlen(mark) - 1 : size;
    fuzz_write(input_name, data, first);
    if (*second_name)
        fuzz_write(second_name, data + rest, size - rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const struct trial *t = &trials[data[0] % (sizeof trials / sizeof *trials)];
    char *argv[MOST_WORDS + 1] = {NULL};
    int argc = 0;
    *output_name = *second_name = '\0';
    for (; argc < MOST_WORDS && t->word[argc] != NULL; argc++)
        argv[argc] = word_for(t->word[argc], t);
    write_input(data + 1, size - 1);
    fuzz_silence();
    const int code = t->run(argc, argv);
    fuzz_restore();
    fuzz_count(code == 0);
    unlink(input_name);
    if (*second_name)
        unlink(second_name);
    const bool wrote = *output_name != '\0' && unlink(output_name) == 0;
    if (code < 0 || code > 4)
        fuzz_fail("%s: exit code %d", argv[0], code);
    if (wrote && code >= 2 && strcmp(argv[0], "trajectory") != 0)
        fuzz_fail("%s: a file after an exit code above 1", argv[0]);
    return 0;
}
