/* SPDX-License-Identifier: MIT */
/*
 * Fuzz targets. LLVMFuzzerTestOneInput of each target accepts any bytes. It must return without a
 * crash, a leak or contradictory results. Targets run under libFuzzer (-Dfuzz=true, with clang) and
 * under other fuzzers with its interface (AFL++, OSS-Fuzz). With any compiler, driver.c mutates
 * inputs from a seed.
 */
#ifndef TD_FUZZ_H
#define TD_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tandem/tandem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints a message and aborts, which every fuzzer reports as a crash. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern int fuzz_errors; /* the file descriptor for that message: standard error */

/* Counts inputs and accepted inputs. Prints both counts at exit if TANDEM_FUZZ_LOUD is set in the
   environment. */
void fuzz_count(bool accepted);

/* Input bytes that are read as numbers; beyond the end, all bytes are zero. */
typedef struct fuzz_bytes {
    const uint8_t *at, *end;
} fuzz_bytes;

unsigned fuzz_byte(fuzz_bytes *bytes);
unsigned fuzz_below(fuzz_bytes *bytes, unsigned count);
/* Returns a number from about −1 to 1. Most are multiples of 1/8, so that numbers often agree or
   cancel. */
double fuzz_number(fuzz_bytes *bytes);
/* Returns any double, including NaN and infinity, in one of eight cases; else a fuzz_number. */
double fuzz_any(fuzz_bytes *bytes);
uint64_t fuzz_hash(const uint8_t *data, size_t size);

/* Returns the builder of a robot with at most 11 links. Any bytes are accepted. */
td_builder *fuzz_robot(fuzz_bytes *bytes);

/* Returns options whose limits keep a call within some milliseconds. The bits of choice select the
   rest. */
td_load_options fuzz_options(uint64_t choice);

/* Calls every dynamics function of the library at random states, singly and in batches. Compares
   nothing. */
void fuzz_call_all(const td_model *model, uint64_t seed);

/* Checks that there is a model if and only if the text was accepted, and that errors are reported
   otherwise. Calls all functions of the model and writes it. */
void fuzz_check_loaded(td_status status, const td_model *model, const td_diagnostics *said,
                       uint64_t seed);

/* Writes the model as text, reads that, and writes it again. Both texts must agree. */
void fuzz_check_text(const td_model *model);

/* Writes the model as URDF, if a URDF can represent it, and loads that with the options. Digest,
   text and torques must agree with the model. */
void fuzz_check_urdf(const td_model *model, const td_load_options *options, uint64_t seed);

#endif
