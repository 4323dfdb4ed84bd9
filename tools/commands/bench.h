/* SPDX-License-Identifier: MIT */
/*
 * How long calls of the library take on this robot and this machine.
 */
#ifndef TOOL_BENCH_H
#define TOOL_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* What it costs before the first call. */
typedef struct bench_start {
    double load; /* seconds for reading the file and making the model; negative: not known */
    size_t workspace, per_thread; /* bytes; of a workspace, and for each further thread */
} bench_start;

/* One operation: the best time per state (s). */
typedef struct bench_result {
    const char *key, *text;
    double single;    /* called for one state at a time */
    double batch;     /* for all states at once */
    double threaded;  /* per state of a batch that is shared out among the threads */
    td_status status; /* of the first state that is not TD_OK */
} bench_result;

/* Single calls (s), one after the other at ever different states: the longest of all, the time that
   half, 99 % and 99.99 % of them do not exceed, and the shortest. */
typedef struct bench_latency {
    const char *key, *text;
    double least, median, percent_99, percent_9999, largest;
} bench_latency;

typedef struct bench_request {
    const td_model *model;
    const char *file; /* NULL where it cannot be read again */
    const td_load_options *load;
    bool tree;
    td_forces forces;
    size_t states;  /* of a batch; 0: enough for threads, few enough for the cache */
    size_t threads; /* 0: as many as there are */
    double time;    /* seconds for each figure, at least one call */
    size_t calls;   /* for latencies; 0: none are measured */
} bench_request;

bench_start bench_measure_start(const bench_request *request);

/* The number of operations; results must hold as many. *states and *threads become those used.
   latencies, used where calls are asked for, hold one more: the clock alone, which comes first. */
size_t bench_operations(void);
void bench_measure(const bench_request *request, bench_result *results, bench_latency *latencies,
                   size_t *states, size_t *threads);

#endif
