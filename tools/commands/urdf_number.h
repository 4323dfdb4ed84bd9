/* SPDX-License-Identifier: MIT */
/*
 * Finds numbers of joints and loops in the text of a URDF file, and writes the text with other
 * numbers. All other bytes stay as they are.
 */
#ifndef TOOL_URDF_NUMBER_H
#define TOOL_URDF_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* The text of a file. */
typedef struct urdf_text {
    const char *name; /* of the file, for messages */
    char *text;       /* ends with NUL */
    size_t size;
} urdf_text;

/* A number in the text. */
typedef struct urdf_number {
    size_t begin, end; /* byte offsets */
    double value;
} urdf_number;

/* A new value of a number. */
typedef struct urdf_change {
    urdf_number number;
    double value;
} urdf_change;

/* Reads the file of a robot, which may be tandem:NAME. Prints a message and returns false if it
   cannot be read, or if its numbers do not stand in the file itself, because it is expanded by
   xacro or encoded in UTF-16. Callers free the text in all cases. */
bool urdf_text_read(urdf_text *to, const char *file);
void urdf_text_free(urdf_text *text);

/* Finds the numbers of an attribute of an element inside a joint or loop.

     source     where the joint or loop begins
     path       of the element inside it, such as "origin" or "predecessor/origin"
     attribute  such as "xyz"
     count      how many numbers the attribute has to have, 1 or 3
     to         output: count numbers
     owner      names the joint or loop in the message; NULL: no message

   Returns false if there are no such numbers; the message contains the remedy. */
bool urdf_find_numbers(const urdf_text *text, const td_source *source, const char *path,
                       const char *attribute, size_t count, urdf_number *to, const char *owner);

/* Returns the text with changed numbers in a new string of *size bytes and a NUL. Sorts the changes
   by their place; a value that equals the number in the text changes nothing. */
char *urdf_text_changed(const urdf_text *text, urdf_change *change, size_t count, size_t *size);

#endif
