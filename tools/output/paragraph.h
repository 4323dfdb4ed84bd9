/* SPDX-License-Identifier: MIT */
/*
 * Prints text with a label on its left:
 *
 *   actuation     7 motors: panda_joint1, panda_joint2, panda_joint3, panda_joint4, panda_joint5,
 *                 panda_joint6, panda_joint7
 *
 * Lines fit the width of the terminal. In files and pipes, a paragraph is one line.
 */
#ifndef TOOL_PARAGRAPH_H
#define TOOL_PARAGRAPH_H

#include <stdbool.h>
#include <stddef.h>

/* A list of texts; initially {NULL, 0}. */
typedef struct name_list {
    char **name;
    size_t count;
} name_list;

/* Appends a copy. */
void names_add(name_list *list, const char *name);
void names_clear(name_list *list);

/* Prints a label and a text. Makes control characters visible. */
void put_paragraph(const char *label, const char *text);

/* Prints a label and a text. Indents lines after the first by indentation. */
void put_hanging(const char *label, const char *text, size_t indentation);

/* Does the same as put_paragraph, with a printf format. */
void put_fact(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the label and the whole list: "a, b, c". Prints nothing for an empty list. Frees the
   list. */
void names_print(name_list *list, const char *label);

/* Prints the list after its length: "2 loops: a, b". all: print the whole list, otherwise only one
   line. Breaks lines in files, too, since lists may be long. */
void names_count(name_list *list, const char *label, const char *what, bool all);

#endif
