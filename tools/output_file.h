/* SPDX-License-Identifier: MIT */
/*
 * Files that commands write, tables, arrays, pictures and pages alike: one is written under a
 * temporary name beside it and gets its own at the end, when it is on the disk, so that nobody
 * finds half of it. A file that is replaced keeps its permissions, and a symbolic link stays one.
 * What is no regular file, such as a pipe, is written directly, and so is what is open already, as
 * /dev/stdout and /dev/fd/3 say: it goes on from where it is. Where the process ends before, by
 * exit or by a signal, the temporary files of all are removed.
 */
#ifndef TOOL_OUTPUT_FILE_H
#define TOOL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct output_file {
    FILE *stream;
    const char *name; /* for messages */
    char *path;       /* where it goes; NULL: it is there already */
    char *temporary;
} output_file;

/* path NULL or "-": standard output. False, with a message, where it cannot be written. */
bool output_open(output_file *file, const char *path);

/* Whether all that was written so far has gone out. */
bool output_flush(output_file *file);

/* The file will not be complete: its name becomes that of a new file, "x.partial.csv" for "x.csv",
   which is returned. NULL: it has no name to be given, and stays as it is. */
const char *output_make_partial(output_file *file);

/* Puts the file on the disk and gives it its name. False, with a message, where something of it
   could not be written; it is removed then. */
bool output_close(output_file *file);

/* Lets standard output go to the file, and back to where it went before. The second returns whether
   all was written, with no message. */
bool output_redirect(output_file *file, int *before);
bool output_restore(int before);

/* Removes what was written of the file, if it is one. */
void output_drop(output_file *file);

/* ---- files that a command makes by itself, to go on with ------------------------------------- */

/* Whoever has signals of its own calls it before it sets them, and sets back what was there. */
void output_prepare(void);

/* The permissions of the file at a path, or of a new one where there is none. */
mode_t output_permissions(const char *path);

/* The file is removed where the process ends, until the second is called with the same string. */
void output_guard(const char *path);
void output_release(const char *path);

/* Around the call that makes such a file: signals wait from the first to the second, which guards
   what was made, if anything (path not NULL). */
void output_making(void);
void output_made(const char *path);

#endif
