/* SPDX-License-Identifier: MIT */
/*
 * Detects xacro. Files that xacro has not expanded are well-formed XML, and often load as a
 * robot without most of its links or with names such as "${side}_hip", so such a file is expanded
 * or refused. Expanded files often still declare xacro's namespace, which is accepted. So are
 * substitutions in shapes and in elements for simulators, since they do not affect dynamics.
 */
#include <string.h>

#include "xacro.h"

static bool is_substitution(const char *text)
{
    return strstr(text, "${") != NULL || strstr(text, "$(") != NULL;
}

static void add(td_xacro_parts *r, const td_xml_element *element, const char *what)
{
    if (r->count++ == 0) {
        r->first = element;
        r->what = what;
    }
}

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list) != 0)
        list++;
    return *list != NULL;
}

/* Returns whether the prefix of an element's name is declared, in the element or its ancestors, as
   a namespace of xacro: http://www.ros.org/wiki/xacro or an older spelling. */
static bool is_prefix_of_xacro(const td_xml_element *element, size_t length)
{
    static const char declares[] = "xmlns:";
    const size_t before = sizeof declares - 1;
    const char *prefix = element->name;
    for (; element; element = element->parent)
        for (size_t i = 0; i < element->attribute_count; i++) {
            const char *name = element->attributes[i].name;
            if (strncmp(name, declares, before) == 0 && strlen(name) == before + length &&
                strncmp(name + before, prefix, length) == 0)
                return strstr(element->attributes[i].value, "xacro") != NULL;
        }
    return false;
}

/* Returns whether an element belongs to xacro, by its prefix, or in <robot> by an old name without
   a prefix. */
static bool is_directive(const td_xml_element *element)
{
    static const char *const old[] = {"include", "macro",        "property", "if",
                                      "unless",  "insert_block", NULL};
    const char *colon = strchr(element->name, ':');
    if (!colon)
        return element->parent && strcmp(element->parent->name, "robot") == 0 &&
               is_one_of(element->name, old);
    return strncmp(element->name, "xacro:", 6) == 0 ||
           is_prefix_of_xacro(element, (size_t)(colon - element->name));
}

/* Returns whether an element belongs to a simulator, which may have its own syntax. */
static bool is_foreign(const td_xml_element *element)
{
    static const char *const names[] = {"gazebo", "ros2_control", "plugin", "sensor", NULL};
    return is_one_of(element->name, names);
}

/* Returns whether an element is a shape. Shapes affect no torque; a substitution in a shape is
   reported as an invalid number. */
static bool is_shape(const td_xml_element *element)
{
    static const char *const names[] = {"visual", "collision", "material", NULL};
    return is_one_of(element->name, names);
}

static void collect(td_xacro_parts *r, const td_xml_element *element, bool importance)
{
    if (is_directive(element))
        add(r, element, element->name);
    importance = importance && !is_shape(element);
    for (size_t i = 0; importance && i < element->attribute_count; i++)
        if (is_substitution(element->attributes[i].value))
            add(r, element, element->attributes[i].value);
    if (importance && is_substitution(element->text))
        add(r, element, element->text);
    for (const td_xml_element *child = element->first; child; child = child->next)
        if (!is_foreign(child))
            collect(r, child, importance);
}

td_xacro_parts td_xacro_find(const td_xml_element *root)
{
    td_xacro_parts parts = {NULL, NULL, 0};
    collect(&parts, root, true);
    return parts;
}
