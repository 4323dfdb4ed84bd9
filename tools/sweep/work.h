/* SPDX-License-Identifier: MIT */
/*
 * The work of a sweep on one machine: states shared out among threads, in rounds, between which it
 * is written down how far they have come.
 */
#ifndef TOOL_SWEEP_WORK_H
#define TOOL_SWEEP_WORK_H

#include "sweep/result.h"
#include "sweep/spec.h"

/* A part of the states: shard of shards. */
typedef struct sweep_job {
    const sweep_spec *spec;
    uint64_t shard, shards;
    size_t threads;     /* 0: one for each processor */
    double checkpoint;  /* s between two */
    const char *output; /* the file of the result; NULL: none, and no checkpoint */
} sweep_job;

typedef enum sweep_outcome {
    SWEEP_DONE,
    SWEEP_THERE,   /* its output was there already, and stays as it is */
    SWEEP_FAILED,  /* a message was written */
    SWEEP_STOPPED, /* by a signal, which sweep_stopped_by names; the checkpoint is written */
} sweep_outcome;

/* The file of a shard's result: "sweep.json" of shard 3 of 10 is "sweep.shard-3-of-10.json"; of one
   shard the name as it is. A new string. */
char *sweep_shard_path(const char *output, uint64_t shard, uint64_t shards);
/* Does it, from the checkpoint where there is one, into a result whose form is a copy of the
   specification's, and writes that to the output, with its rows beside it. Where the output is
   there already, and is this job's, it is read. */
sweep_outcome sweep_work(const sweep_job *job, sweep_result *result);

int sweep_stopped_by(void);

#endif
