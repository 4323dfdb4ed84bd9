/* SPDX-License-Identifier: MIT */
/*
 * What targets share that run the command's sources: files in a folder of their own, which is gone
 * at the end, and messages that go nowhere.
 */
#ifndef TD_FUZZ_FILES_H
#define TD_FUZZ_FILES_H

#include <stddef.h>

/* "FOLDER/NAME" in room, which has that many bytes. */
enum { FUZZ_PATH = 128 };
void fuzz_path(char room[FUZZ_PATH], const char *name);

/* Writes a file there. */
void fuzz_write(const char *path, const void *bytes, size_t size);

/* From here on standard output and, unless TANDEM_FUZZ_LOUD is in the environment, standard error
   go nowhere; and back. */
void fuzz_silence(void);
void fuzz_restore(void);

#endif
