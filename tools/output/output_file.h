/* SPDX-License-Identifier: MIT */
/*
 * Output files of commands. A file is written under a temporary name in the same folder and renamed
 * when it is complete and on the disk, so that nobody reads half a file. A replaced file keeps its
 * permissions, and a symbolic link stays one. Pipes and other special files are written directly,
 * and so are open files such as /dev/stdout and /dev/fd/3, from their current offset. If the
 * process ends early, by exit or by a signal, all temporary files are removed.
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

/* Renames a file that will stay incomplete: "x.csv" becomes "x.partial.csv". Returns the new name,
   or NULL if the file has no name. */
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

/* Returns the permissions of the file at a path, or of a new file. */
mode_t output_permissions(const char *path);

/* The file is removed where the process ends, until the second is called with the same string. */
void output_guard(const char *path);
void output_release(const char *path);

/* Around the call that makes such a file: signals wait from the first to the second, which guards
   what was made, if anything (path not NULL). */
void output_making(void);
void output_made(const char *path);

#endif
