/* SPDX-License-Identifier: MIT */
/*
 * Parser: <transmission> in its common dialects.
 */
#include <string.h>

#include "reader.h"

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

/* The files of the PR2 use flexJoint, rollJoint and gap_joint, with two actuators. */
static const char *const joint_names[] = {"joint", "flexJoint", "rollJoint", "gap_joint", NULL};
static const char *const actuator_names[] = {"actuator", "leftActuator", "rightActuator", NULL};
static const char *const reduction_names[] = {"mechanicalReduction", "mechanical_reduction",
                                              "drake:gear_ratio", NULL};
static const char *const rotor_names[] = {"motorInertia", "rotorInertia", "rotor_inertia",
                                          "drake:rotor_inertia", NULL};

/* Returns the first of these siblings with one of the names, or NULL. */
static const td_xml_element *find(const td_xml_element *sibling, const char *const *names)
{
    while (sibling && !is_one_of(sibling->name, names))
        sibling = sibling->next;
    return sibling;
}

/* Reads a value from an attribute, from the text of a child, or from the child's value
   attribute. */
static void read_quantity(td_reader *reader, const td_xml_element *element,
                          const char *const *names, double *value)
{
    for (const char *const *name = names; *name; name++)
        if (td_xml_attribute_value(element, *name)) {
            td_reader_number(reader, element, *name, TD_TRANSMISSION, value);
            return;
        }
    const td_xml_element *child = find(element->first, names);
    if (child && td_xml_attribute_value(child, "value"))
        td_reader_number(reader, child, "value", TD_TRANSMISSION, value);
    else if (child)
        td_reader_text(reader, child, TD_TRANSMISSION, value, 1);
}

/* Reads the gear and rotor data of a transmission, or of a joint or actuator in it. element may be
   NULL. */
static void read_drive(td_reader *reader, const td_xml_element *element, td_transmission *record)
{
    if (!element)
        return;
    double reduction = record->mechanical_reduction, rotor = record->rotor_inertia;
    read_quantity(reader, element, reduction_names, &reduction);
    read_quantity(reader, element, rotor_names, &rotor);
    if (reduction == 0)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_NUMBER, element,
                  "give the number of motor turns per turn of the joint",
                  "%s has a mechanical reduction of zero; ignored",
                  td_reader_title(reader, element));
    else
        record->mechanical_reduction = reduction;
    if (rotor < 0)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_NUMBER, element,
                  "give a value of 0 or more, in kg m²", "%s has a negative rotor inertia; ignored",
                  td_reader_title(reader, element));
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

/* Assigns the i-th actuator to the i-th joint. Gear and rotor may be given in the transmission, the
   joint or the actuator; the last of these takes precedence. */
void td_reader_transmission(td_reader *reader, const td_xml_element *element)
{
    const td_xml_element *joint = find(element->first, joint_names);
    const td_xml_element *actuator = find(element->first, actuator_names);
    td_transmission common = td_transmission_default(td_reader_name(reader, element), NULL);
    common.source = td_reader_source(reader, element);
    common.type = type_of(element);
    read_drive(reader, element, &common);
    if (!joint)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_JOINT, element, "add <joint name=\"...\"/> to it",
                  "%s names no joint; ignored", td_reader_title(reader, element));
    while (joint) {
        td_transmission record = common;
        record.joint = td_reader_string(reader, joint, "name", TD_CODE_TRANSMISSION_JOINT,
                                        "name the joint: name=\"...\"");
        record.actuator = actuator ? td_xml_attribute_value(actuator, "name") : NULL;
        read_drive(reader, joint, &record);
        read_drive(reader, actuator, &record);
        if (record.joint)
            td_reader_add(reader, td_builder_add_transmission(reader->builder, &record));
        joint = find(joint->next, joint_names);
        actuator = actuator ? find(actuator->next, actuator_names) : NULL;
    }
}
