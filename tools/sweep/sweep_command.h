/* SPDX-License-Identifier: MIT */
/*
 * The command of sweeps, for one process or a team of processes.
 */
#ifndef TOOL_SWEEP_SWEEP_COMMAND_H
#define TOOL_SWEEP_SWEEP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "option.h"

/* Processes that share a sweep out among them: each does a shard, and the first one puts their
   results together. */
typedef struct sweep_team {
    size_t rank, ranks;
    /* Return whether all ranks pass true, and whether all pass the same number. All ranks must call
       these. */
    bool (*agree)(bool yes);
    bool (*same)(uint64_t number);
    /* Sends a text to the first rank; the first rank receives it in a new string. */
    void (*send)(const char *text);
    char *(*receive)(size_t rank);
    /* Ends all ranks because this one cannot continue. The others write their checkpoints. */
    void (*end)(int code);
} sweep_team;

extern const option_set options_of_sweep;

/* Runs the command. team NULL: only this process. Returns an exit code. */
int sweep_command(int argc, char **argv, const sweep_team *team);

#endif
