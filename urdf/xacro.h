/* SPDX-License-Identifier: MIT */
/*
 * Expands xacro files by running the program xacro, if the load options name it. xacro's result has
 * no positions, so elements of the result take the positions of the same elements in the file where
 * these are known (xacro_lines.c).
 */
#ifndef TD_XACRO_H
#define TD_XACRO_H

#include "program.h"
#include "xacro_file.h"
#include "xml.h"

/* The parts of a document that xacro expands, where dynamics depend on them. */
typedef struct td_xacro_parts {
    const td_xml_element *first;
    const char *what; /* the first one: the name of an element, or a text */
    size_t count;
} td_xacro_parts;

/* A file, and how it is expanded. */
typedef struct td_xacro {
    td_xml *xml; /* the document of the file; after the expansion, of the result */
    const char *file;
    bool is_file; /* file is a path; xacro reads only files */
    const td_load_options *options;
    td_diagnostics *diagnostics;
    const char *result;   /* the name of the result, in the arena of xml; NULL: not expanded */
    td_xacro_parts parts; /* of xml, set by td_xacro_expand */
} td_xacro;

td_xacro_parts td_xacro_find(const td_xml_element *root);

/* Expands a file if it is a xacro file: its name ends with .xacro, or td_xacro_find finds parts.
   Then x->xml becomes the document of the result, and x->result its name.

   Does nothing if x->options->xacro is NULL, except that it checks the arguments. Returns
   TD_ERROR_MODEL after a report if xacro cannot be run or fails, if its result is not XML, or if
   options have arguments that cannot be used. TD_ERROR_ARGUMENT: the time limit is negative, or
   an argument is NULL. TD_ERROR_MEMORY. */
td_status td_xacro_expand(td_xacro *x);

/* Returns the time limit of the options, s. */
double td_xacro_seconds(const td_load_options *options);

/* Sets the positions of elements of the result that are also in the file: children of <robot> with
   a type and name that occur once in both, and their descendants. Elements inside macros and
   conditions are not in the file in this sense. An unknown descendant takes the position of its
   nearest known ancestor. Elements with more than 5000 children are not compared. */
void td_xacro_place(const td_xml_element *file, td_xml_element *result);

/* ---- xacro_report.c -------------------------------------------------------------------------- */

/* Reports that xacro could not be run or failed, with its messages. */
void td_xacro_report_failure(const td_xacro *x, const td_program *program);
/* Reports that the file was expanded, and the messages that xacro printed. */
void td_xacro_report_success(const td_xacro *x, const td_program *program);

#endif
