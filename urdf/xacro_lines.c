/* SPDX-License-Identifier: MIT */
/*
 * Finds the elements of a xacro file in xacro's result; see xacro.h. xacro copies an element that
 * is outside of its own elements exactly once. So if both documents have one such element, they are
 * the same.
 */
#include <string.h>

#include "xacro.h"

enum { most_children = 5000 };

static bool have_same_name(const td_xml_element *a, const td_xml_element *b)
{
    const char *x = td_xml_attribute_value(a, "name"), *y = td_xml_attribute_value(b, "name");
    return strcmp(a->name, b->name) == 0 && (x && y ? strcmp(x, y) == 0 : x == y);
}

/* Returns the only child with the type and name of an element, or NULL. */
static const td_xml_element *only_child(const td_xml_element *parent, const td_xml_element *like)
{
    const td_xml_element *found = NULL;
    for (const td_xml_element *child = parent->first; child; child = child->next)
        if (have_same_name(child, like)) {
            if (found)
                return NULL;
            found = child;
        }
    return found;
}

static void place(td_xml_element *element, td_position position)
{
    element->position = position;
    element->elsewhere = true;
    if (element->stray.line > 0)
        element->stray = position;
    for (td_xml_element *child = element->first; child; child = child->next)
        place(child, position);
}

static size_t children_of(const td_xml_element *parent)
{
    size_t count = 0;
    for (const td_xml_element *child = parent->first; child; child = child->next)
        count++;
    return count;
}

void td_xacro_place(const td_xml_element *file, td_xml_element *result)
{
    result->position = file->position;
    result->elsewhere = true;
    /* the time grows with the square of the number of children */
    if (children_of(file) > most_children || children_of(result) > most_children)
        return;
    for (td_xml_element *child = result->first; child; child = child->next) {
        const td_xml_element *same = only_child(file, child);
        if (!same || only_child(result, child) != child)
            continue;
        place(child, same->position);
        td_xacro_place(same, child);
    }
}
