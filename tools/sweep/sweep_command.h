/* SPDX-License-Identifier: MIT */
/*
 * The command of sweeps, of one process or of a team of them.
 */
#ifndef TOOL_SWEEP_SWEEP_COMMAND_H
#define TOOL_SWEEP_SWEEP_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processes that share a sweep out among them: each does a shard, and the first one puts their
   results together. */
typedef struct sweep_team {
    size_t rank, ranks;
    /* Whether all ranks say yes; whether all have the same number. All call these. */
    bool (*agree)(bool yes);
    bool (*same)(uint64_t number);
    /* Send a text to the first rank; receive there a text of another rank in a new string. */
    void (*send)(const char *text);
    char *(*receive)(size_t rank);
    /* Ends all ranks, which save how far they are, since this one cannot go on. */
    void (*end)(int code);
} sweep_team;

extern const struct argp sweep_argp;

/* team NULL: this process alone. Returns an exit code. */
int sweep_command(int argc, char **argv, const sweep_team *team);

#endif
