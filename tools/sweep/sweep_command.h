/* SPDX-License-Identifier: MIT */
/*
 * The command of sweeps, of one process or of a team of them.
 */
#ifndef TOOL_SWEEP_SWEEP_COMMAND_H
#define TOOL_SWEEP_SWEEP_COMMAND_H

#include <argp.h>
#include <stddef.h>

/* Processes that share a sweep out among them: each does a shard, and the first one puts their
   results together. */
typedef struct sweep_team {
    size_t rank, ranks;
    /* Brings the text of every rank to the first one, where all becomes an array of ranks new
       strings; NULL elsewhere. False, with a message, where that fails. */
    int (*gather)(const char *text, char ***all);
    /* Whether all ranks say yes. */
    int (*agree)(int yes);
    /* Ends all ranks, which save how far they are, since this one cannot go on. */
    void (*end)(int code);
} sweep_team;

extern const struct argp sweep_argp;

/* team NULL: this process alone. Returns an exit code. */
int sweep_command(int argc, char **argv, const sweep_team *team);

#endif
