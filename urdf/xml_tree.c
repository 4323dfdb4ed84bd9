/* SPDX-License-Identifier: MIT */
/*
 * Queries of the XML tree.
 */
#include <string.h>

#include "xml.h"

void td_xml_free(td_xml *xml)
{
    td_arena_free(&xml->arena);
    xml->root = NULL;
}

const char *td_xml_attribute_value(const td_xml_element *element, const char *name)
{
    for (size_t i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name) == 0)
            return element->attributes[i].value;
    return NULL;
}

static td_xml_element *named(td_xml_element *element, const char *name)
{
    while (element && strcmp(element->name, name) != 0)
        element = element->next;
    return element;
}

td_xml_element *td_xml_child(const td_xml_element *element, const char *name)
{
    return named(element->first, name);
}

td_xml_element *td_xml_next(const td_xml_element *element)
{
    return named(element->next, element->name);
}

bool td_xml_equal(const td_xml_element *a, const td_xml_element *b)
{
    if (strcmp(a->name, b->name) != 0 || strcmp(a->text, b->text) != 0 ||
        a->attribute_count != b->attribute_count)
        return false;
    for (size_t i = 0; i < a->attribute_count; i++) {
        const char *value = td_xml_attribute_value(b, a->attributes[i].name);
        if (!value || strcmp(value, a->attributes[i].value) != 0)
            return false;
    }
    const td_xml_element *x = a->first, *y = b->first;
    for (; x && y && td_xml_equal(x, y); x = x->next, y = y->next)
        continue;
    return !x && !y;
}
