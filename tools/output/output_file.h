/* SPDX-License-Identifier: MIT */
/*
 * Output files of commands. A file is written under a temporary name in the same folder and renamed
 * when it is complete and on disk, so that other programs never read an incomplete file. A replaced
 * file keeps its permissions, and a symbolic link stays one. Pipes and other special files are
 * written directly, and so are open files such as /dev/stdout and /dev/fd/3, from their current
 * offset. If the process ends early, by exit or by a signal, all temporary files are removed.
 */
#ifndef TOOL_OUTPUT_FILE_H
#define TOOL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct output_file {
    FILE *stream;
    const char *name; /* for messages */
    char *path;       /* final path; NULL if the file is written directly */
    char *temporary;
} output_file;

/* Opens a file; path NULL or "-": standard output. Prints a message and returns false on
   failure. */
bool output_open(output_file *file, const char *path);

/* Writes buffered output. Returns whether all output so far was written. */
bool output_flush(output_file *file);

/* Renames a file that will stay incomplete: "x.csv" becomes "x.partial.csv". Returns the new name,
   or NULL if the file has no name. */
const char *output_make_partial(output_file *file);

/* Writes the file to disk and gives it its final name. On failure prints a message, removes the
   file and returns false. */
bool output_close(output_file *file);

/* Redirect standard output to the file, and restore it. output_restore prints no message; it
   returns whether all output was written. */
bool output_redirect(output_file *file, int *before);
bool output_restore(int before);

/* Closes the file and removes it, unless it is written directly. */
void output_drop(output_file *file);

/* ---- temporary files that a command creates itself ------------------------------------------- */

/* Installs the signal handlers. Callers with handlers of their own call this first, and later
   restore the previous handlers. */
void output_prepare(void);

/* Returns the permissions of the file at a path, or of a new file. */
mode_t output_permissions(const char *path);

/* output_guard has the file removed when the process ends. output_release, called with the same
   string, cancels this. */
void output_guard(const char *path);
void output_release(const char *path);

/* Enclose the call that creates such a file. Signals wait until output_made, which guards the file
   (path NULL: none was created). */
void output_making(void);
void output_made(const char *path);

#endif
