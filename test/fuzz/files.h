/* SPDX-License-Identifier: MIT */
/*
 * Shared by targets that run the command's sources: files in a temporary folder, which is removed
 * at exit, and discarded output.
 */
#ifndef TD_FUZZ_FILES_H
#define TD_FUZZ_FILES_H

#include <stddef.h>

/* Writes "FOLDER/NAME" to room, which has FUZZ_PATH bytes. */
enum { FUZZ_PATH = 128 };
void fuzz_path(char room[FUZZ_PATH], const char *name);

/* Writes a file. */
void fuzz_write(const char *path, const void *bytes, size_t size);

/* fuzz_silence discards standard output and, unless TANDEM_FUZZ_LOUD is set in the environment,
   standard error. fuzz_restore undoes this. */
void fuzz_silence(void);
void fuzz_restore(void);

#endif
