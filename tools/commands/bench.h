/* SPDX-License-Identifier: MIT */
/*
 * Measures how long calls of the library take for a robot on this machine.
 */
#ifndef TOOL_BENCH_H
#define TOOL_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* Cost of preparation before the first call. */
typedef struct bench_start {
    double load; /* seconds for reading the file and making the model; negative: not known */
    size_t workspace, per_thread; /* bytes: one workspace, and each further thread */
} bench_start;

/* One operation: the best time per state (s). */
typedef struct bench_result {
    const char *key, *text;
    double single;    /* called for one state at a time */
    double batch;     /* per state of a batch, by one thread */
    double threaded;  /* per state of a batch, by all threads */
    td_status status; /* status of the first failed state; TD_OK: none */
} bench_result;

/* Latencies of consecutive single calls (s), each at another state: minimum, median, 99 % and 99.99
   % quantiles, and maximum. */
typedef struct bench_latency {
    const char *key, *text;
    double least, median, percent_99, percent_9999, largest;
} bench_latency;

typedef struct bench_request {
    const td_model *model;
    const char *file; /* NULL if it cannot be read again */
    const td_load_options *load;
    bool tree;
    td_forces forces;
    size_t states;  /* states per batch; default 0: as many as fit in the cache, but enough for all
                       threads */
    size_t threads; /* 0: one per processor */
    double time;    /* seconds spent on each figure, for at least one call */
    size_t calls;   /* number of calls for latencies; 0: no latencies */
} bench_request;

/* Measures loading and the size of workspaces. */
bench_start bench_measure_start(const bench_request *request);

/* Returns the number of operations. */
size_t bench_operations(void);
/* Measures all operations. results has bench_operations() elements. latencies has one more, and is
   used if request->calls > 0; its first element is the latency of reading the clock. *states and
   *threads receive the numbers that were used. */
void bench_measure(const bench_request *request, bench_result *results, bench_latency *latencies,
                   size_t *states, size_t *threads);

#endif
