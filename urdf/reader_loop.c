/* SPDX-License-Identifier: MIT */
/*
 * Parser: elements that close loops. These are <loop> and <coupling> of URDF+, with additional
 * children for types of loops that URDF+ lacks, and <loop_joint> of Drake and Isaac Sim.
 */
#include <string.h>

#include "reader.h"

/* ---- <loop> and <coupling> ------------------------------------------------------------------- */

/* Returns the link named by <predecessor> or <successor>, and reads the frame on it. */
static const char *read_side(td_reader *reader, const td_xml_element *element, const char *name,
                             td_pose *origin)
{
    const td_xml_element *side = td_reader_only(reader, element, name, TD_DYNAMIC);
    if (!side) {
        TD_REPORT(reader, TD_CODE_LOOP_LINK_UNDEFINED, element,
                  td_reader_print(reader, "add <%s link=\"...\"/> to it", name), "%s has no <%s>",
                  td_reader_title(reader, element), name);
        return NULL;
    }
    td_reader_check(reader, side, "link", origin ? "origin" : "");
    if (origin)
        td_reader_origin(reader, td_reader_only(reader, side, "origin", TD_DYNAMIC), TD_DYNAMIC,
                         origin);
    return td_reader_string(reader, side, "link", TD_CODE_LOOP_LINK_UNDEFINED, "name the link");
}

/* Reads the type. Reports a missing or unknown type and returns false. */
static bool read_loop_type(td_reader *reader, const td_xml_element *element, td_loop_type *type)
{
    const char *word = td_reader_string(reader, element, "type", TD_CODE_JOINT_TYPE_MISSING,
                                        "name the type of the joint that closes the loop");
    if (word && td_loop_type_of_word(word, type))
        return true;
    if (word)
        TD_REPORT(reader, TD_CODE_JOINT_TYPE, element,
                  td_reader_print(reader, "use one of %s", td_loop_words()),
                  "%s has the unknown type '%.*s'", td_reader_title(reader, element),
                  td_shown(word), word);
    return false;
}

/* Returns a child that only loops of one type have and require, or NULL without one. Reports a
   child in a loop of another type, and a missing child. */
static const td_xml_element *only_of_type(td_reader *reader, const td_xml_element *element,
                                          const char *name, const td_loop *loop, td_loop_type type)
{
    const td_xml_element *child = td_reader_only(reader, element, name, TD_DYNAMIC);
    const char *word = td_loop_type_text(type);
    if (child && loop->type != type) {
        TD_REPORT(reader, TD_CODE_LOOP_ITEM, child,
                  td_reader_print(reader, "remove it, or write type=\"%s\"", word),
                  "%s is only for %s loops; ignored", td_reader_title(reader, child), word);
        return NULL;
    }
    if (!child && loop->type == type)
        TD_REPORT(reader, TD_CODE_NUMBER_MISSING, element,
                  td_reader_print(reader, "add <%s .../>, which a %s loop requires", name, word),
                  "%s has no <%s>", td_reader_title(reader, element), name);
    return child;
}

static void read_second_axis(td_reader *reader, const td_xml_element *element, td_loop *loop)
{
    const td_xml_element *axis = only_of_type(reader, element, "axis2", loop, TD_LOOP_UNIVERSAL);
    if (axis)
        td_reader_axis(reader, axis, TD_DYNAMIC, loop->second_axis);
}

static void read_distance(td_reader *reader, const td_xml_element *element, td_loop *loop)
{
    const td_xml_element *child = only_of_type(reader, element, "distance", loop, TD_LOOP_DISTANCE);
    loop->distance = 1; /* the default replaces a missing or invalid value, which is reported */
    if (!child)
        return;
    td_reader_check(reader, child, "value", "");
    td_reader_required(reader, child, "value", TD_DYNAMIC, &loop->distance, 1);
}

/* Returns the bits for letters x, y and z; first is the bit of x. Reports other letters. */
static unsigned read_letters(td_reader *reader, const td_xml_element *element, const char *name,
                             unsigned first)
{
    static const char blanks[] = " \t\r\n", letters[] = "xyz";
    const char *text = td_xml_attribute_value(element, name);
    unsigned bits = 0;
    for (const char *p = text ? text : ""; *p; p++) {
        const char *letter = strchr(letters, *p);
        if (letter)
            bits |= first << (letter - letters);
        if (letter || strchr(blanks, *p))
            continue;
        TD_REPORT(reader, TD_CODE_LOOP_MASK, element, "the axes are x, y and z",
                  "%s: %s='%.*s' is not a list of axes", td_reader_title(reader, element), name,
                  td_shown(text), text);
        return first; /* avoids a second report about an empty mask */
    }
    return bits;
}

static void read_mask(td_reader *reader, const td_xml_element *element, td_loop *loop)
{
    const td_xml_element *child = only_of_type(reader, element, "mask", loop, TD_LOOP_MASK);
    if (child) {
        td_reader_check(reader, child, "rotation translation", "");
        loop->mask = read_letters(reader, child, "rotation", 1) |
                     read_letters(reader, child, "translation", 8);
    } else {
        loop->mask = 1;
    }
}

void td_reader_loop_dynamics(td_reader *reader, const td_xml_element *element, td_loop *loop)
{
    const td_xml_element *child = td_reader_only(reader, element, "dynamics", TD_DYNAMIC);
    if (!child)
        return;
    td_reader_check(reader, child, "damping friction spring_stiffness spring_reference", "");
    td_reader_number(reader, child, "damping", TD_DYNAMIC, &loop->damping);
    td_reader_number(reader, child, "friction", TD_DYNAMIC, &loop->friction);
    td_reader_number(reader, child, "spring_stiffness", TD_DYNAMIC, &loop->spring_stiffness);
    td_reader_number(reader, child, "spring_reference", TD_DYNAMIC, &loop->spring_reference);
}

void td_reader_loop(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name type",
                    "predecessor successor axis axis2 distance mask dynamics");
    td_loop loop = td_loop_default(td_reader_name(reader, element), NULL, NULL);
    loop.source = td_reader_source(reader, element);
    loop.predecessor = read_side(reader, element, "predecessor", &loop.predecessor_origin);
    loop.successor = read_side(reader, element, "successor", &loop.successor_origin);
    bool typed = read_loop_type(reader, element, &loop.type);
    const td_xml_element *axis = td_reader_only(reader, element, "axis", TD_DYNAMIC);
    if (axis)
        td_reader_axis(reader, axis, TD_DYNAMIC, loop.axis);
    if (typed) {
        read_second_axis(reader, element, &loop);
        read_distance(reader, element, &loop);
        read_mask(reader, element, &loop);
    }
    td_reader_loop_dynamics(reader, element, &loop);
    if (loop.predecessor && loop.successor)
        td_reader_add(reader, td_builder_add_loop(reader->builder, &loop));
}

void td_reader_coupling(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name", "predecessor successor ratio");
    td_coupling coupling = td_coupling_default(td_reader_name(reader, element), NULL, NULL, 1);
    coupling.source = td_reader_source(reader, element);
    coupling.predecessor = read_side(reader, element, "predecessor", NULL);
    coupling.successor = read_side(reader, element, "successor", NULL);
    const td_xml_element *ratio = td_reader_only(reader, element, "ratio", TD_DYNAMIC);
    if (ratio) {
        td_reader_check(reader, ratio, "value", "");
        td_reader_required(reader, ratio, "value", TD_DYNAMIC, &coupling.ratio, 1);
    } else {
        TD_REPORT(reader, TD_CODE_NUMBER_MISSING, element, "add <ratio value=\"...\"/> to it",
                  "%s has no <ratio>", td_reader_title(reader, element));
    }
    if (coupling.predecessor && coupling.successor)
        td_reader_add(reader, td_builder_add_coupling(reader->builder, &coupling));
}

/* ---- <loop_joint> ---------------------------------------------------------------------------- */

/* Returns the link named by <link1> or <link2>, which also give origins, or NULL. */
static const char *read_link(td_reader *reader, const td_xml_element *element, const char *name,
                             td_pose *origin)
{
    const td_xml_element *side = td_reader_only(reader, element, name, TD_DYNAMIC);
    const char *link = side ? td_xml_attribute_value(side, "link") : NULL;
    if (link && *link) {
        td_reader_check(reader, side, "link xyz rpy quat_xyzw", "");
        td_reader_pose(reader, side, TD_DYNAMIC, origin);
        return link;
    }
    TD_REPORT(reader, TD_CODE_LOOP_JOINT, side ? side : element,
              td_reader_print(reader, "write <%s link=\"...\" xyz=\"...\" rpy=\"...\"/>", name),
              "%s does not name its %s; it is left out", td_reader_title(reader, element), name);
    return NULL;
}

/* Reads the type. Reports types that a <loop_joint> cannot define and returns false. */
static bool read_loop_joint_type(td_reader *reader, const td_xml_element *element,
                                 td_loop_type *type)
{
    const char *word = td_xml_attribute_value(element, "type");
    if (word && td_loop_type_of_word(word, type) && *type != TD_LOOP_UNIVERSAL &&
        *type != TD_LOOP_DISTANCE && *type != TD_LOOP_MASK)
        return true;
    TD_REPORT(
        reader, TD_CODE_LOOP_JOINT, element,
        "use one of revolute, continuous, prismatic, cylindrical, planar, spherical, ball, fixed",
        word ? "%s has the type '%.*s', which is not supported; it is left out"
             : "%s has no type; it is left out",
        td_reader_title(reader, element), word ? td_shown(word) : 0, word);
    return false;
}

/* Makes <link1> the predecessor. The axis, which Drake reads and Isaac Sim ignores, is in its
   frame. */
void td_reader_loop_joint(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name type", "axis link1 link2");
    td_loop loop = td_loop_default(td_reader_name(reader, element), NULL, NULL);
    loop.source = td_reader_source(reader, element);
    loop.predecessor = read_link(reader, element, "link1", &loop.predecessor_origin);
    loop.successor = read_link(reader, element, "link2", &loop.successor_origin);
    bool typed = read_loop_joint_type(reader, element, &loop.type);
    const td_xml_element *axis = td_reader_only(reader, element, "axis", TD_DYNAMIC);
    if (axis)
        td_reader_axis(reader, axis, TD_DYNAMIC, loop.axis);
    if (loop.predecessor && loop.successor && typed)
        td_reader_add(reader, td_builder_add_loop(reader->builder, &loop));
}
