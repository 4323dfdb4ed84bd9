/* SPDX-License-Identifier: MIT */
/*
 * See measure.h.
 */
#include "measure.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void *allocate(size_t n, size_t size)
{
    void *room = calloc(n > 0 ? n : 1, size);
    if (!room) {
        perror("compare");
        exit(2);
    }
    return room;
}

int pin(int core)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (int i = CPU_SETSIZE; core < 0 && i-- > 0;)
        if (CPU_ISSET((size_t)i, &allowed))
            core = i;
    if (core < 0 || core >= CPU_SETSIZE)
        return -1;
    CPU_ZERO(&one);
    CPU_SET((size_t)core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? core : -1;
}

const char *processor(char *text, size_t size)
{
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(text, size, "unknown");
    while (info && fgets(line, sizeof line, info)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(text, size, "%s", colon + 2);
            text[strcspn(text, "\n")] = 0;
            break;
        }
    }
    if (info)
        fclose(info);
    return text;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

sample sample_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return (sample){x[0], n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2};
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool comma; /* something has been written in the innermost bracket */

static void put_text(FILE *json, const char *text)
{
    fputc('"', json);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20)
            fprintf(json, "\\u%04x", *c);
        else
            fprintf(json, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputc('"', json);
}

static void put_name(FILE *json, const char *name)
{
    fputs(comma ? ",\n" : "\n", json);
    if (name) {
        put_text(json, name);
        fputs(": ", json);
    }
    comma = true;
}

void json_open(FILE *json, const char *name, char bracket)
{
    if (!json)
        return;
    put_name(json, name);
    fputc(bracket, json);
    comma = false;
}

void json_close(FILE *json, char bracket)
{
    if (!json)
        return;
    fputc('\n', json);
    fputc(bracket, json);
    comma = true;
}

void json_number(FILE *json, const char *name, double x)
{
    if (!json)
        return;
    put_name(json, name);
    if (isfinite(x))
        fprintf(json, "%.9g", x);
    else
        fputs("null", json);
}

void json_flag(FILE *json, const char *name, bool x)
{
    if (!json)
        return;
    put_name(json, name);
    fputs(x ? "true" : "false", json);
}

void json_text(FILE *json, const char *name, const char *text)
{
    if (!json)
        return;
    put_name(json, name);
    put_text(json, text);
}
