/* SPDX-License-Identifier: MIT */
/*
 * Parser: <flexible> in a link, which makes it a beam (td_flexible in tandem/records.h). If numbers
 * are missing, the link stays rigid, and the errors prevent a model.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "reader.h"

/* Reads EI, one number or two. */
static bool read_bending(td_reader *reader, const td_xml_element *element, double stiffness[2])
{
    static const char blanks[] = " \t\r\n";
    const char *text = td_xml_attribute_value(element, "EI");
    if (!text)
        return true;
    text += strspn(text, blanks);
    const char *rest = text + strcspn(text, blanks);
    const size_t count = rest[strspn(rest, blanks)] ? 2 : 1;
    return td_reader_vector(reader, element, "EI", TD_DYNAMIC, stiffness, count) == TD_READ;
}

static bool read_segments(td_reader *reader, const td_xml_element *element, int *segments)
{
    double count;
    switch (td_reader_number(reader, element, "segments", TD_DYNAMIC, &count)) {
    case TD_ABSENT:
        return true;
    case TD_READ:
        if (count >= 1 && count <= INT_MAX && count == floor(count)) {
            *segments = (int)count;
            return true;
        }
        TD_REPORT(reader, TD_CODE_FLEXIBLE_NUMBER, element, "give a whole number of at least 1",
                  "%s: segments='%.9g' is not a number of segments",
                  td_reader_title(reader, element), count);
        return false;
    default:
        return false;
    }
}

/* Reads which ends are clamped. */
static bool read_clamped(td_reader *reader, const td_xml_element *element, td_flexible *flexible)
{
    static const struct {
        const char *word;
        bool start, end;
    } words[] = {
        {"both", true, true}, {"start", true, false}, {"end", false, true}, {"none", false, false}};
    const char *value = td_xml_attribute_value(element, "clamped");
    if (!value)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(value, words[i].word) == 0) {
            flexible->start_clamped = words[i].start;
            flexible->end_clamped = words[i].end;
            return true;
        }
    TD_REPORT(reader, TD_CODE_FLEXIBLE_NUMBER, element,
              "write both (the default), start, end or none", "%s: clamped='%.*s' is unknown",
              td_reader_title(reader, element), td_shown(value), value);
    return false;
}

bool td_reader_flexible(td_reader *reader, const td_xml_element *element, const char *link)
{
    td_flexible flexible = td_flexible_default(link);
    td_reader_check(reader, element,
                    "axis start length across EI GJ mass_per_length rotary_inertia damping_ratio "
                    "segments clamped",
                    "");
    flexible.source = td_reader_source(reader, element);
    const struct {
        const char *name;
        double *values;
        size_t count;
        bool required;
    } numbers[] = {
        {"axis", flexible.axis, 3, true},
        {"start", flexible.start, 3, false},
        {"length", &flexible.length, 1, true},
        {"across", flexible.across, 3, false},
        {"GJ", &flexible.torsional_stiffness, 1, false},
        {"mass_per_length", &flexible.mass_per_length, 1, true},
        {"rotary_inertia", &flexible.rotary_inertia, 1, false},
        {"damping_ratio", &flexible.damping_ratio, 1, false},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const td_presence presence = (numbers[i].required ? td_reader_required : td_reader_vector)(
            reader, element, numbers[i].name, TD_DYNAMIC, numbers[i].values, numbers[i].count);
        good = good && (presence == TD_READ || (presence == TD_ABSENT && !numbers[i].required));
    }
    good = read_bending(reader, element, flexible.bending_stiffness) && good;
    good = read_segments(reader, element, &flexible.segments) && good;
    good = read_clamped(reader, element, &flexible) && good;
    if (good && link)
        td_reader_add(reader, td_builder_add_flexible(reader->builder, &flexible));
    return good;
}
