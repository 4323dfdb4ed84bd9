/* SPDX-License-Identifier: MIT */
/*
 * Parser: functions for reports: text, positions and titles of elements, and failures.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"

const char *td_reader_print(td_reader *reader, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t bytes = length < 0 ? 1 : (size_t)length + 1;
    char *text = td_arena_array(&reader->xml->arena, bytes, 1);
    if (text)
        vsnprintf(text, bytes, format, again);
    else
        td_reader_add(reader, TD_ERROR_MEMORY);
    va_end(again);
    return text ? text : "";
}

static const char *path_of(td_reader *reader, const td_xml_element *element)
{
    const char *above = element->parent ? path_of(reader, element->parent) : "";
    const char *name = element->parent ? td_xml_attribute_value(element, "name") : NULL;
    if (name && *name)
        return td_reader_print(reader, "%s/%.*s[@name='%.*s']", above, td_shown(element->name),
                               element->name, td_shown(name), name);
    return td_reader_print(reader, "%s/%.*s", above, td_shown(element->name), element->name);
}

td_source td_reader_source(td_reader *reader, const td_xml_element *element)
{
    const bool result = reader->expanded && !element->elsewhere;
    return (td_source){result ? reader->expanded : reader->file, element->position.line,
                       element->position.column, path_of(reader, element)};
}

const char *td_reader_title(td_reader *reader, const td_xml_element *element)
{
    const td_xml_element *named = element;
    const char *name = td_xml_attribute_value(named, "name");
    while (!(name && *name) && named->parent && named->parent->parent) {
        named = named->parent;
        name = td_xml_attribute_value(named, "name");
    }
    if (!name || !*name || !named->parent)
        return td_reader_print(reader, "<%.*s>", td_shown(element->name), element->name);
    return td_reader_print(reader, named == element ? "%.0s%s '%.*s'" : "<%s> of %s '%.*s'",
                           element->name, named->name, td_shown(name), name);
}

void td_reader_add(td_reader *reader, td_status status)
{
    if (reader->status == TD_OK)
        reader->status = status;
}
