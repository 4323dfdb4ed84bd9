/* SPDX-License-Identifier: MIT */
/*
 * Shows progress; see progress.h.
 */
#include "output/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double first_after = 1, again_after = 0.25; /* s */

static struct {
    bool on, shown;
    const char *what;
    size_t total, done, rows;
    double begin, last; /* s */
} state;

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool silent; /* show nothing */

void progress_silence(void)
{
    silent = true;
}

static void begin(bool on, size_t total, const char *what)
{
    state.on = on && !silent;
    state.what = what;
    state.total = total;
    state.done = state.rows = 0;
    state.begin = state.last = state.on ? seconds_now() : 0;
}

void reading_begin(size_t total)
{
    begin(isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) != 1, total, "rows");
}

void work_begin(size_t total, const char *what)
{
    begin(isatty(STDERR_FILENO) == 1, total, what);
}

void reading_done(size_t done)
{
    state.done = done;
}

void reading_rows(size_t rows)
{
    state.rows = rows;
    const double at = state.on ? seconds_now() : 0, since = at - state.begin;
    if (!state.on || since < first_after || at - state.last < again_after) {
        return;
    }
    state.last = at;
    state.shown = true;
    fputs("\r\033[K", stderr);
    if (state.total > 0) {
        const double part = (double)state.done / (double)state.total;
        fprintf(stderr, "%3.0f %%  ", 100 * part);
    }
    fprintf(stderr, "%zu %s, %.3g a second", rows, state.what, (double)rows / since);
    if (state.total > 0 && state.done > 0) {
        const double left = since * ((double)state.total / (double)state.done - 1);
        fprintf(stderr, ", %.0f s left", left > 0 ? left : 0);
    }
    fflush(stderr);
}

void reading_clear(void)
{
    if (state.shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr); /* since stderr may be line-buffered */
        state.shown = false;
    }
}

void reading_end(void)
{
    reading_clear();
    state.on = false;
}
