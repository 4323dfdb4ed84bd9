/* SPDX-License-Identifier: MIT */
/*
 * Parses XML into a simple tree of elements. xml.c builds the tree with libxml2, xml_remedy.c
 * translates libxml2's errors, and xml_tree.c has queries of the tree. The text may be malicious: a
 * DOCTYPE is refused, only the five predefined entities exist, nothing is read from the network,
 * and bytes, elements, attributes and depth are limited.
 */
#ifndef TD_XML_H
#define TD_XML_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "cursor.h"
#include "tandem/builder.h"

typedef struct td_xml_attribute {
    const char *name; /* with its prefix, as in xmlns:xacro */
    const char *value;
} td_xml_attribute;

typedef struct td_xml_element {
    const char *name; /* with its prefix */
    const td_xml_attribute *attributes;
    size_t attribute_count;
    const char *text;     /* of an element without children, trimmed; otherwise "" */
    td_position position; /* of its '<' */
    bool elsewhere;       /* position refers to the file that xacro expanded (xacro.h) */
    td_position stray;    /* of its first text that is not blank; line 0 without any */
    struct td_xml_element *parent;
    struct td_xml_element *first; /* child */
    struct td_xml_element *last;
    struct td_xml_element *next; /* sibling */
} td_xml_element;

typedef struct td_xml {
    td_arena arena; /* owns the tree; callers may allocate from it */
    td_xml_element *root;
} td_xml;

/* Parses size bytes; file is the name for diagnostics. Returns TD_ERROR_IO if the text is larger
   than max_bytes, TD_ERROR_MODEL after a diagnostic if it is refused, or TD_ERROR_MEMORY. Callers
   call td_xml_free in all cases. */
td_status td_xml_parse(const char *text, size_t size, const char *file,
                       const td_load_options *options, td_diagnostics *diagnostics, td_xml *xml);
void td_xml_free(td_xml *xml);

/* Returns the value of an attribute, or NULL. */
const char *td_xml_attribute_value(const td_xml_element *element, const char *name);

/* Return the first child with a name, and the next sibling with the same name, or NULL. */
td_xml_element *td_xml_child(const td_xml_element *element, const char *name);
td_xml_element *td_xml_next(const td_xml_element *element);

/* Returns whether both have the same attributes, children and text. */
bool td_xml_equal(const td_xml_element *a, const td_xml_element *b);

#endif
