/* SPDX-License-Identifier: MIT */
/*
 * Fuzz targets: LLVMFuzzerTestOneInput of each takes any bytes and must come back, without a crash,
 * a leak or a result that contradicts another one. They run under libFuzzer (-Dfuzz=true, with
 * clang), under what understands its interface (AFL++, OSS-Fuzz), or by a driver of our own, which
 * changes inputs by a seed and takes any compiler (driver.c).
 */
#ifndef TD_FUZZ_H
#define TD_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tandem/tandem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what is wrong and aborts, which every fuzzer takes for a crash. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern int fuzz_errors; /* the descriptor that it says so to: standard error */

/* Counts inputs, and those that came further than being refused: told at the end where
   TANDEM_FUZZ_LOUD is in the environment. */
void fuzz_count(bool accepted);

/* Input that is read as numbers; behind its end all is zero. */
typedef struct fuzz_bytes {
    const uint8_t *at, *end;
} fuzz_bytes;

unsigned fuzz_byte(fuzz_bytes *bytes);
unsigned fuzz_below(fuzz_bytes *bytes, unsigned count);
/* From −1 to 1, in steps of 1/8 for the most part, so that numbers agree, or cancel, by chance. */
double fuzz_number(fuzz_bytes *bytes);
/* Any number at all, as an eighth of those of inputs are. */
double fuzz_any(fuzz_bytes *bytes);
uint64_t fuzz_hash(const uint8_t *data, size_t size);

/* The builder of a robot of at most 11 links, whatever the bytes are. */
td_builder *fuzz_robot(fuzz_bytes *bytes);

/* Options whose caps keep a call within some milliseconds; the rest by the bits of choice. */
td_load_options fuzz_options(uint64_t choice);

/* Every dynamics function of the library at random states, one and several; nothing is compared. */
void fuzz_call_all(const td_model *model, uint64_t seed);

/* What must hold of a text that was read: there is a model if and only if it was accepted, errors
   tell of the other. The model is called and written. */
void fuzz_check_loaded(td_status status, const td_model *model, const td_diagnostics *said,
                       uint64_t seed);

/* Writes the model as text, reads that, and writes it again: both texts agree. */
void fuzz_check_text(const td_model *model);

/* Writes the model as URDF, if that can hold it, and loads that with the options: it has the digest
   and the text of the model, and its torques. */
void fuzz_check_urdf(const td_model *model, const td_load_options *options, uint64_t seed);

#endif
