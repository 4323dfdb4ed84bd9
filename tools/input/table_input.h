/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a table: of a file or of standard input, unpacked where they are gzip's, whatever
 * the file is called. Memory does not grow with them.
 */
#ifndef TOOL_TABLE_INPUT_H
#define TOOL_TABLE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct table_input table_input;

/* Opens it ("-" is standard input) and looks at its first bytes. NULL, with a message, where it
   cannot be read, or is packed in a way that this build does not know. */
table_input *table_input_open(const char *path);
void table_input_close(table_input *in); /* NULL: nothing */

/* "<stdin>" for "-", else the path: what messages call it. */
const char *table_input_name(const char *path);

/* Whether it begins as an array of NumPy does. */
bool table_input_is_array(const table_input *in);

/* The next bytes, at most as many as that and at least one, as soon as some are there; 0 at the
   end, −1 after a message. */
ssize_t table_input_read(table_input *in, void *bytes, size_t size);

/* As many as that. False at an earlier end, and after a message (*told is set then). */
bool table_input_fill(table_input *in, void *bytes, size_t size, bool *told);

/* Bytes of the file that were read, and of the whole file (0: unknown), for progress. */
size_t table_input_done(const table_input *in);
size_t table_input_total(const table_input *in);

#endif
