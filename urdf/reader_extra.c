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

/* The first of these siblings with one of the names; NULL if there is none. */
static const td_xml_element *find(const td_xml_element *sibling, const char *const *names)
{
    while (sibling && !is_one_of(sibling->name, names))
        sibling = sibling->next;
    return sibling;
}

/* A value given as an attribute, as the text of a child or as its value=. */
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
        td_reader_text(reader, child, TD_TRANSMISSION, value);
}

/* What a transmission, a joint in it or an actuator says of gear and rotor; it may be NULL. */
static void read_drive(td_reader *reader, const td_xml_element *element, td_transmission *record)
{
    if (!element)
        return;
    double reduction = record->mechanical_reduction, rotor = record->rotor_inertia;
    read_quantity(reader, element, reduction_names, &reduction);
    read_quantity(reader, element, rotor_names, &rotor);
    if (reduction == 0)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_NUMBER, element,
                  "give the motor's turns for one turn of the joint",
                  "%s has a mechanical reduction of zero; ignored",
                  td_reader_title(reader, element));
    else
        record->mechanical_reduction = reduction;
    if (rotor < 0)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_NUMBER, element, "give it in kg m²",
                  "%s has a negative rotor inertia; ignored", td_reader_title(reader, element));
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

/* The i-th joint goes with the i-th actuator. Gear and rotor may be given in the transmission, in
   the joint or in the actuator; the last of these prevails. */
void td_reader_transmission(td_reader *reader, const td_xml_element *element)
{
    const td_xml_element *joint = find(element->first, joint_names);
    const td_xml_element *actuator = find(element->first, actuator_names);
    td_transmission common = td_transmission_default(name_of(reader, element), NULL);
    common.source = td_reader_source(reader, element);
    common.type = type_of(element);
    read_drive(reader, element, &common);
    if (!joint)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_JOINT, element, "add <joint name=\"...\"/> to it",
                  "%s names no joint; it is ignored", td_reader_title(reader, element));
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

/* "continuous" and "point" are other words for two of the types */
static void read_loop_type(td_reader *reader, const td_xml_element *element, td_loop_type *type)
{
    const char *word = td_reader_string(reader, element, "type", TD_CODE_JOINT_TYPE_MISSING,
                                        "name the type of the joint that closes the loop");
    if (!word || strcmp(word, "continuous") == 0)
        return;
    if (strcmp(word, "point") == 0) {
        *type = TD_LOOP_SPHERICAL;
        return;
    }
    td_loop_type t = TD_LOOP_REVOLUTE;
    while (td_loop_type_text(t) && strcmp(td_loop_type_text(t), word) != 0)
        t = (td_loop_type)(t + 1);
    if (td_loop_type_text(t))
        *type = t;
    else
        TD_REPORT(reader, TD_CODE_JOINT_TYPE, element,
                  "one of revolute, continuous, prismatic, cylindrical, planar, universal, "
                  "spherical, point, fixed, distance, mask",
                  "%s has the unknown type '%.*s'", td_reader_title(reader, element),
                  td_reader_shown(word), word);
}

void td_reader_loop(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name type", "predecessor successor axis");
    td_loop loop = td_loop_default(name_of(reader, element), NULL, NULL);
    loop.source = td_reader_source(reader, element);
    loop.predecessor = read_side(reader, element, "predecessor", &loop.predecessor_origin);
    loop.successor = read_side(reader, element, "successor", &loop.successor_origin);
    read_loop_type(reader, element, &loop.type);
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
