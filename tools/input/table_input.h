/* SPDX-License-Identifier: MIT */
/*
 * Reads the bytes of a table from a file or standard input. Decompresses gzip, whatever the name of
 * the file. Uses a fixed amount of memory.
 */
#ifndef TOOL_TABLE_INPUT_H
#define TOOL_TABLE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct table_input table_input;

/* Opens a file ("-" is standard input) and reads its first bytes. Prints a message and returns NULL
   if the file cannot be read, or is compressed and this build lacks zlib. */
table_input *table_input_open(const char *path);
void table_input_close(table_input *in); /* in may be NULL */

/* Returns the name for messages: "<stdin>" for "-", otherwise the path. */
const char *table_input_name(const char *path);

/* Returns whether the input is a NumPy array, by its first bytes. */
bool table_input_is_array(const table_input *in);

/* Returns the answer of judge, 1 or 0, about the first bytes of the input. Judge returns −1 to see
   more of them; after 4096 bytes, or all of the input, the answer is 0. Must precede all reading.
   Returns −1 after a message. */
int table_input_begins(table_input *in, int (*judge)(const char *text, size_t size));

/* Reads 1 to size bytes, as soon as some are available. Returns their number, 0 at the end, or −1
   after a message. */
ssize_t table_input_read(table_input *in, void *bytes, size_t size);

/* Reads exactly size bytes. Returns false if the input ends earlier, or after a message (*told is
   set then). */
bool table_input_fill(table_input *in, void *bytes, size_t size, bool *told);

/* Return how many bytes were read, and the size of the file (0: unknown), for progress. */
size_t table_input_done(const table_input *in);
size_t table_input_total(const table_input *in);

#endif
