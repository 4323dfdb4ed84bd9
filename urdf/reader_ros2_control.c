/* SPDX-License-Identifier: MIT */
/*
 * Parser: <ros2_control>, whose transmissions are read as in <robot>. Couplings of its joints
 * are not read, because they apply only to some versions of ros2_control; a warning names them.
 */
#include <string.h>

#include "reader.h"

/* Returns the text of <param name="...">, or NULL. */
static const char *param_of(const td_xml_element *joint, const char *name)
{
    for (const td_xml_element *e = td_xml_child(joint, "param"); e; e = td_xml_next(e)) {
        const char *own = td_xml_attribute_value(e, "name");
        if (own && strcmp(own, name) == 0 && *e->text)
            return e->text;
    }
    return NULL;
}

/* Returns whether a joint of the robot follows others. */
static bool follows(const td_xml_element *robot, const char *name)
{
    for (const td_xml_element *e = td_xml_child(robot, "joint"); e; e = td_xml_next(e)) {
        const char *own = td_xml_attribute_value(e, "name");
        if (own && strcmp(own, name) == 0)
            return td_xml_child(e, "mimic") != NULL;
    }
    return false;
}

static void check_joint(td_reader *reader, const td_xml_element *robot, const td_xml_element *joint)
{
    const char *name = td_xml_attribute_value(joint, "name"), *leader = param_of(joint, "mimic");
    const char *multiplier = param_of(joint, "multiplier"), *offset = param_of(joint, "offset");
    if (!name || !leader || follows(robot, name))
        return;
    TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, joint,
              td_reader_print(reader,
                              "if joint '%.60s' is coupled, write <mimic joint=\"%.60s\" "
                              "multiplier=\"%.30s\" offset=\"%.30s\"/> into it",
                              name, leader, multiplier ? multiplier : "1", offset ? offset : "0"),
              "joint '%.*s' follows '%.*s' in <ros2_control> only, which is not read: the model "
              "moves more freely",
              td_shown(name), name, td_shown(leader), leader);
}

void td_reader_ros2_control(td_reader *reader, const td_xml_element *element)
{
    for (const td_xml_element *child = element->first; child; child = child->next)
        if (strcmp(child->name, "transmission") == 0)
            td_reader_transmission(reader, child);
        else if (strcmp(child->name, "joint") == 0)
            check_joint(reader, element->parent, child);
}
