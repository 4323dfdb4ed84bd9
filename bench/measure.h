/* SPDX-License-Identifier: MIT */
/*
 * The clock, the core, the statistics of a few measurements, and a writer of JSON.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

double now_ns(void);

/* Zeros; ends the program where there is no room. */
void *allocate(size_t n, size_t size);

/* Keeps this thread on that core (−1: the last one it may use). The core, or −1 where that fails.
 */
int pin(int core);
/* The name of the processor. */
const char *processor(char *text, size_t size);

typedef struct sample {
    double best, median;
} sample;

/* Of n measurements, which it sorts. */
sample sample_of(double *x, size_t n);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Written as it comes: an object or an array is opened and closed, and everything in it has a name,
   NULL in an array. Nothing happens where the file is NULL. */
void json_open(FILE *json, const char *name, char bracket);
void json_close(FILE *json, char bracket);
void json_number(FILE *json, const char *name, double x);
void json_flag(FILE *json, const char *name, bool x);
void json_text(FILE *json, const char *name, const char *text);

#endif
