/* SPDX-License-Identifier: MIT */
/*
 * Text with a label on its left, on as many lines as it takes:
 *
 *   actuation     7 motors: panda_joint1, panda_joint2, panda_joint3, panda_joint4, panda_joint5,
 *                 panda_joint6, panda_joint7
 *
 * Lines end at the width of a terminal. In a file and in a pipe sentences are one line.
 */
#ifndef TOOL_PARAGRAPH_H
#define TOOL_PARAGRAPH_H

#include <stdbool.h>
#include <stddef.h>

/* A list of texts; {NULL, 0} is an empty one. */
typedef struct name_list {
    char **name;
    size_t count;
} name_list;

/* Appends a copy. */
void names_add(name_list *list, const char *name);
void names_clear(name_list *list);

/* The label and the words of a text behind it. Control characters in it are made visible. */
void put_paragraph(const char *label, const char *text);

/* The label and the words of a text behind it; lines after the first are indented so much. */
void put_hanging(const char *label, const char *text, size_t indentation);

/* As put_paragraph with a printf format. */
void put_fact(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The label and the list, "a, b, c": all of it. Prints nothing for an empty list, and frees it. */
void names_print(name_list *list, const char *label);

/* As above with their number and what they are, "2 loops: a, b". all: whole lists, else what one
   line holds. Lists are of any length, so lines end in files as well. */
void names_count(name_list *list, const char *label, const char *what, bool all);

#endif
