/* SPDX-License-Identifier: MIT */
/*
 * Reader: what stands beside links and joints: <transmission> in the dialects that are in use, and
 * the <loop> and <coupling> of URDF+.
 */
#include <string.h>

#include "reader.h"

/* ---- transmissions --------------------------------------------------------------------------- */

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

/* flexJoint, rollJoint and gap_joint with their two actuators are those of the PR2. */
static const char *const joint_names[] = {"joint", "flexJoint", "rollJoint", "gap_joint", NULL};
static const char *const actuator_names[] = {"actuator", "leftActuator", "rightActuator", NULL};
static const char *const reduction_names[] = {"mechanicalReduction", "mechanical_reduction",
                                              "drake:gear_ratio", NULL};
static const char *const rotor_names[] = {"motorInertia", "rotorInertia", "rotor_inertia",
                                          "drake:rotor_inertia", NULL};

/* The i-th child with one of these names; NULL past the last. */
static const td_xml_element *nth(const td_xml_element *element, const char *const *names, size_t i)
{
    const td_xml_element *child = element->first;
    while (child && !(is_one_of(child->name, names) && i-- == 0))
        child = child->next;
    return child;
}

/* A value given as an attribute, as the text of a child or as its value=. */
static td_presence read_quantity(td_reader *reader, const td_xml_element *element,
                                 const char *const *names, double *value)
{
    if (!element)
        return TD_ABSENT;
    for (const char *const *name = names; *name; name++)
        if (td_xml_attribute_value(element, *name))
            return td_reader_number(reader, element, *name, TD_TRANSMISSION, value);
    const td_xml_element *child = nth(element, names, 0);
    if (!child)
        return TD_ABSENT;
    if (td_xml_attribute_value(child, "value"))
        return td_reader_number(reader, child, "value", TD_TRANSMISSION, value);
    return td_reader_text(reader, child, TD_TRANSMISSION, value);
}

/* It may stand in the actuator, in the joint, or in the transmission. */
static void find_quantity(td_reader *reader, const td_xml_element *const places[3],
                          const char *const *names, double *value)
{
    for (int i = 0; i < 3; i++)
        if (read_quantity(reader, places[i], names, value) != TD_ABSENT)
            return;
}

static void read_drive(td_reader *reader, const td_xml_element *const places[3],
                       td_transmission *record)
{
    double reduction = record->mechanical_reduction, rotor = record->rotor_inertia;
    find_quantity(reader, places, reduction_names, &reduction);
    find_quantity(reader, places, rotor_names, &rotor);
    if (reduction == 0)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_NUMBER, places[2],
                  "give the motor's turns for one turn of the joint",
                  "%s has a mechanical reduction of zero; ignored",
                  td_reader_title(reader, places[2]));
    else
        record->mechanical_reduction = reduction;
    if (rotor < 0)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_NUMBER, places[2], NULL,
                  "%s has a negative rotor inertia; ignored", td_reader_title(reader, places[2]));
    else
        record->rotor_inertia = rotor;
}

static const char *type_of(const td_xml_element *element)
{
    const td_xml_element *child = td_xml_child(element, "type");
    if (child && *child->text)
        return child->text;
    return td_xml_attribute_value(element, "type");
}

/* Records without a name get one: nothing refers to it. */
static const char *name_of(td_reader *reader, const td_xml_element *element)
{
    const char *name =
        td_reader_string(reader, element, "name", TD_CODE_NUMBER_MISSING_IGNORED, "give it a name");
    return name ? name : td_reader_print(reader, "(line %d)", element->position.line);
}

void td_reader_transmission(td_reader *reader, const td_xml_element *element)
{
    const char *name = name_of(reader, element);
    const td_xml_element *joint;
    size_t i = 0;
    for (; (joint = nth(element, joint_names, i)); i++) {
        const td_xml_element *actuator = nth(element, actuator_names, i);
        const char *joint_name = td_reader_string(reader, joint, "name", TD_CODE_TRANSMISSION_JOINT,
                                                  "name the joint: name=\"...\"");
        if (!joint_name)
            continue;
        td_transmission record = td_transmission_default(name, joint_name);
        record.source = td_reader_source(reader, element);
        record.type = type_of(element);
        record.actuator = actuator ? td_xml_attribute_value(actuator, "name") : NULL;
        read_drive(reader, (const td_xml_element *const[]){actuator, joint, element}, &record);
        td_reader_add(reader, td_builder_add_transmission(reader->builder, &record));
    }
    if (i == 0)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_JOINT, element, "add <joint name=\"...\"/> to it",
                  "%s names no joint; it is ignored", td_reader_title(reader, element));
}

/* ---- loops and couplings --------------------------------------------------------------------- */

/* The link named by <predecessor> or <successor>, and the frame on it. */
static const char *read_side(td_reader *reader, const td_xml_element *element, const char *name,
                             td_pose *origin)
{
    const td_xml_element *side = td_reader_only(reader, element, name, TD_BEARS);
    if (!side) {
        TD_REPORT(reader, TD_CODE_LOOP_LINK_UNDEFINED, element,
                  td_reader_print(reader, "add <%s link=\"...\"/> to it", name), "%s has no <%s>",
                  td_reader_title(reader, element), name);
        return NULL;
    }
    td_reader_check(reader, side, "link", origin ? "origin" : "");
    if (origin)
        td_reader_origin(reader, td_reader_only(reader, side, "origin", TD_BEARS), TD_BEARS,
                         origin);
    return td_reader_string(reader, side, "link", TD_CODE_LOOP_LINK_UNDEFINED, "name the link");
}

void td_reader_loop(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name type", "predecessor successor axis");
    td_loop loop = td_loop_default(name_of(reader, element), NULL, NULL);
    loop.source = td_reader_source(reader, element);
    loop.predecessor = read_side(reader, element, "predecessor", &loop.predecessor_origin);
    loop.successor = read_side(reader, element, "successor", &loop.successor_origin);
    const char *type = td_reader_string(reader, element, "type", TD_CODE_JOINT_TYPE_MISSING,
                                        "name the type of the joint that closes the loop");
    if (type)
        loop.type = type;
    const td_xml_element *axis = td_reader_only(reader, element, "axis", TD_BEARS);
    if (axis)
        td_reader_axis(reader, axis, TD_BEARS, loop.axis);
    if (loop.predecessor && loop.successor)
        td_reader_add(reader, td_builder_add_loop(reader->builder, &loop));
}

void td_reader_coupling(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name", "predecessor successor ratio");
    td_coupling coupling = td_coupling_default(name_of(reader, element), NULL, NULL, 1);
    coupling.source = td_reader_source(reader, element);
    coupling.predecessor = read_side(reader, element, "predecessor", NULL);
    coupling.successor = read_side(reader, element, "successor", NULL);
    const td_xml_element *ratio = td_reader_only(reader, element, "ratio", TD_BEARS);
    if (ratio) {
        td_reader_check(reader, ratio, "value", "");
        td_reader_required(reader, ratio, "value", TD_BEARS, &coupling.ratio, 1);
    } else {
        TD_REPORT(reader, TD_CODE_NUMBER_MISSING, element, "add <ratio value=\"...\"/> to it",
                  "%s has no <ratio>", td_reader_title(reader, element));
    }
    if (coupling.predecessor && coupling.successor)
        td_reader_add(reader, td_builder_add_coupling(reader->builder, &coupling));
}

void td_reader_loop_joint(td_reader *reader, const td_xml_element *element)
{
    TD_REPORT(reader, TD_CODE_LOOP_JOINT, element,
              "write it as a <loop> with <predecessor> and <successor>",
              "%s closes a loop in another program's syntax; it is not read",
              td_reader_title(reader, element));
}
