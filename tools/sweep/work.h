/* SPDX-License-Identifier: MIT */
/*
 * Computes a sweep on one machine. Distributes the states to threads in rounds, and writes
 * checkpoints between rounds.
 */
#ifndef TOOL_SWEEP_WORK_H
#define TOOL_SWEEP_WORK_H

#include "sweep/result.h"
#include "sweep/spec.h"

/* A part of the states: shard number `shard` of `shards`. */
typedef struct sweep_job {
    const sweep_spec *spec;
    uint64_t shard, shards;
    size_t threads;     /* 0: default, one per processor */
    double checkpoint;  /* s between checkpoints */
    const char *output; /* the file of the result; NULL: no result file and no checkpoints */
} sweep_job;

typedef enum sweep_outcome {
    SWEEP_DONE,
    SWEEP_THERE,   /* the output existed already and is unchanged */
    SWEEP_FAILED,  /* a message was printed */
    SWEEP_STOPPED, /* by the signal sweep_stopped_by; the checkpoint is written */
} sweep_outcome;

/* Returns the file of a shard's result in a new string: "sweep.shard-3-of-10.json" for
   "sweep.json". With one shard the name is unchanged. */
char *sweep_shard_path(const char *output, uint64_t shard, uint64_t shards);
/* Computes the result, beginning with the checkpoint if there is one. Writes it to the output, with
   its rows beside it. If the output already exists and belongs to this job, reads it instead.
   result: its form is a copy of the specification's. */
sweep_outcome sweep_work(const sweep_job *job, sweep_result *result);

int sweep_stopped_by(void);

#endif
