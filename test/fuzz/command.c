/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the command, in this process. The first byte chooses what it does, the rest is the
 * file that it reads: a table of states, of recorded motion, of poses or of markers, as text or as
 * an array of NumPy, a state or a list. It must return 0, 1 or 2, and leave no file.
 *
 * TANDEM_ROBOTS is the folder of robots. What the command says is thrown away.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"
#include "text.h"

enum { MOST_WORDS = 12 };

/* FILE stands for the input, OUT for a file that is written. */
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
    {command_motion, "csv", "arm7.urdf", {"motion", "ROBOT", "FILE"}},
    {command_motion, "npy", "arm7.urdf", {"motion", "ROBOT", "FILE", "-o", "OUT.csv"}},
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
};

static char folder[] = "/tmp/tandem-fuzz-XXXXXX", input_name[64], output_name[64], robot_name[4096];

static void remove_folder(void)
{
    rmdir(folder);
}

static void prepare(void)
{
    static bool prepared;
    if (prepared)
        return;
    prepared = true;
    if (mkdtemp(folder) == NULL || getenv("TANDEM_ROBOTS") == NULL)
        fuzz_fail("no temporary folder, or no TANDEM_ROBOTS");
    atexit(remove_folder);
}

static char *word_for(const char *word, const struct trial *t)
{
    if (strcmp(word, "FILE") == 0) {
        snprintf(input_name, sizeof input_name, "%s/input.%s", folder, t->suffix);
        return input_name;
    }
    if (strncmp(word, "OUT.", 4) == 0) {
        snprintf(output_name, sizeof output_name, "%s/output%s", folder, word + 3);
        return output_name;
    }
    if (strcmp(word, "ROBOT") == 0) {
        snprintf(robot_name, sizeof robot_name, "%s/%s", getenv("TANDEM_ROBOTS"), t->robot);
        return robot_name;
    }
    return (char *)(uintptr_t)word;
}

/* Lets standard output and, unless TANDEM_FUZZ_LOUD is set, standard error go nowhere; and back. */
static void silence(int kept[2])
{
    fflush(NULL);
    const int nowhere = open("/dev/null", O_WRONLY);
    for (int k = 0; k < 2; k++) {
        kept[k] = dup(STDOUT_FILENO + k);
        if (k == 0 || getenv("TANDEM_FUZZ_LOUD") == NULL)
            dup2(nowhere, STDOUT_FILENO + k);
    }
    close(nowhere);
}

static void restore(const int kept[2])
{
    flush_output();
    restart_output();
    for (int k = 0; k < 2; k++) {
        dup2(kept[k], STDOUT_FILENO + k);
        close(kept[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prepare();
    if (size < 1)
        return 0;
    const struct trial *t = &trials[data[0] % (sizeof trials / sizeof *trials)];
    char *argv[MOST_WORDS + 1] = {NULL};
    int argc = 0, kept[2];
    *output_name = '\0';
    for (; argc < MOST_WORDS && t->word[argc] != NULL; argc++)
        argv[argc] = word_for(t->word[argc], t);
    FILE *file = fopen(input_name, "wb");
    if (file == NULL || fwrite(data + 1, 1, size - 1, file) != size - 1 || fclose(file) != 0)
        fuzz_fail("%s cannot be written", input_name);
    silence(kept);
    const int code = t->run(argc, argv);
    restore(kept);
    fuzz_count(code == 0);
    unlink(input_name);
    const bool wrote = *output_name != '\0' && unlink(output_name) == 0;
    if (code < 0 || code > 2)
        fuzz_fail("%s: exit code %d", argv[0], code);
    if (wrote && code == 2 && strcmp(argv[0], "trajectory") != 0)
        fuzz_fail("%s: a file after exit code 2", argv[0]);
    return 0;
}
