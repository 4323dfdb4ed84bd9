/* SPDX-License-Identifier: MIT */
/*
 * Parser: <ros2_control>, whose transmissions are read as in <robot>. Its joints with a
 * <command_interface> are commanded. Couplings of its joints are not read, because they apply only
 * to some versions of ros2_control; a warning names them.
 */
#include <string.h>

#include "model/records.h"
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

/* Returns whether a joint follows others. */
static bool follows(const td_records *records, const td_joint *joint)
{
    bool found = joint->mimic != NULL;
    for (size_t i = 0; !found && i < records->follower.count; i++)
        found = strcmp(records->follower.at[i].joint, joint->name) == 0;
    return found;
}

static void check_mimic(td_reader *reader, const td_xml_element *element, const td_joint *joint)
{
    const char *leader = param_of(element, "mimic");
    const char *multiplier = param_of(element, "multiplier"), *offset = param_of(element, "offset");
    if (!leader || follows(&reader->builder->records, joint))
        return;
    TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, element,
              td_reader_print(reader,
                              "if joint '%.60s' is coupled, write <mimic joint=\"%.60s\" "
                              "multiplier=\"%.30s\" offset=\"%.30s\"/> into it",
                              joint->name, leader, multiplier ? multiplier : "1",
                              offset ? offset : "0"),
              "joint '%.*s' follows '%.*s' in <ros2_control> only, which is not read: the model "
              "moves more freely",
              td_shown(joint->name), joint->name, td_shown(leader), leader);
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (; *words; words += strspn(words, " ")) {
        const size_t own = strcspn(words, " ");
        if (own == length && strncmp(words, word, length) == 0)
            return true;
        words += own;
    }
    return false;
}

/* Appends the names of <command_interface>s to those that the joint has. */
static void read_commands(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    const td_xml_element *e = td_xml_child(element, "command_interface");
    const char *words = joint->command;
    for (; e; e = td_xml_next(e)) {
        const char *name = td_reader_string(reader, e, "name", TD_CODE_TRANSMISSION_JOINT,
                                            "add a name, such as name=\"position\"");
        if (name && !(words && has_word(words, name)))
            words = words ? td_reader_print(reader, "%s %s", words, name) : name;
    }
    if (words) /* the record outlives the document */
        joint->command = td_arena_string(&reader->builder->records.arena, words);
    if (words && !joint->command)
        td_reader_add(reader, TD_ERROR_MEMORY);
}

static void read_joint(const td_places *places, const td_xml_element *element)
{
    td_reader *reader = places->reader;
    const char *name = td_xml_attribute_value(element, "name");
    td_records *records = &reader->builder->records;
    const int index = name ? td_names_find(&places->joints, name) : -1;
    if (index >= 0) {
        check_mimic(reader, element, &records->joint.at[index]);
        read_commands(reader, element, &records->joint.at[index]);
    } else if (td_xml_child(element, "command_interface") && name &&
               td_records_find_loop(records, name) < 0) {
        TD_REPORT(reader, TD_CODE_TRANSMISSION_JOINT, element, "name an existing joint",
                  "<ros2_control> commands joint '%.*s', which does not exist", td_shown(name),
                  name);
    }
}

void td_reader_controlled_joints(const td_places *places, const td_xml_element *robot)
{
    const td_xml_element *system = td_xml_child(robot, "ros2_control");
    for (; system; system = td_xml_next(system))
        for (const td_xml_element *e = td_xml_child(system, "joint"); e; e = td_xml_next(e))
            read_joint(places, e);
}

void td_reader_ros2_control(td_reader *reader, const td_xml_element *element)
{
    for (const td_xml_element *e = td_xml_child(element, "transmission"); e; e = td_xml_next(e))
        td_reader_transmission(reader, e);
}
