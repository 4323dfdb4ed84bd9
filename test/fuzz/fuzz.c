/* SPDX-License-Identifier: MIT */
/*
 * Functions that fuzz targets share; see fuzz.h.
 */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fuzz_errors = STDERR_FILENO;

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dprintf(fuzz_errors, "fuzz: ");
    vdprintf(fuzz_errors, format, arguments);
    dprintf(fuzz_errors, "\n");
    va_end(arguments);
    abort();
}

static unsigned long inputs, accepted_inputs;

static void tell_count(void)
{
    if (getenv("TANDEM_FUZZ_LOUD") != NULL)
        fprintf(stderr, "%lu of %lu inputs were accepted\n", accepted_inputs, inputs);
}

void fuzz_count(bool accepted)
{
    if (inputs++ == 0)
        atexit(tell_count);
    accepted_inputs += accepted;
}

unsigned fuzz_byte(fuzz_bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

unsigned fuzz_below(fuzz_bytes *bytes, unsigned count)
{
    return fuzz_byte(bytes) % count;
}

double fuzz_number(fuzz_bytes *bytes)
{
    const unsigned b = fuzz_byte(bytes);
    return b < 240 ? ((int)(b % 17) - 8) / 8.0 : ((int)fuzz_byte(bytes) - 128) / 128.0 + 1e-4 * b;
}

double fuzz_any(fuzz_bytes *bytes)
{
    if (fuzz_byte(bytes) % 8)
        return fuzz_number(bytes);
    double x;
    unsigned char raw[sizeof x];
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = (unsigned char)fuzz_byte(bytes);
    memcpy(&x, raw, sizeof x);
    return x;
}

uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

td_load_options fuzz_options(uint64_t choice)
{
    td_load_options options = td_load_options_default();
    options.max_bytes = 1 << 16;
    options.max_elements = 2000;
    options.max_cluster = 40;
    options.max_elastic = 100;
    options.base = choice & 1 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.actuation = choice & 2 ? TD_ACTUATION_TRANSMISSION : TD_ACTUATION_INDEPENDENT;
    options.open_loops = (choice & 12) == 12;
    options.plan = (td_plan)((choice >> 4) % 3);
    options.partial = choice & 64;
    return options;
}
