/* SPDX-License-Identifier: MIT */
/*
 * Parser: elements for other programs that add forces, masses or constraints and are not read. The
 * model lacks them, so each kind causes a warning that names the effect and counts the elements.
 * Other elements for other programs cause a note.
 */
#include <string.h>

#include "reader.h"

static const char forces[] = "its forces are missing";
static const char freedom[] = "its constraint is missing, and the model moves more freely";
static const char parts[] = "its links are missing";
static const char loads[] = "add them to the calls as external wrenches or joint torques";
static const char rigid[] = "if it is rigid, write <mimic>, <coupling> or <loop>";
static const char spring[] = "write it as <dynamics spring_stiffness=\"...\"/> of the joint";
static const char damper[] = "write it as <dynamics damping=\"...\"/> of the joints";
static const char links[] = "write them as <link> and <joint> of the robot";

static const struct {
    td_omission_place place;
    const char *element, *missing, *remedy;
} kinds[] = {
    {TD_IN_ROBOT, "drake:tendon_constraint", freedom, rigid},
    {TD_IN_ROBOT, "drake:coupler_constraint", freedom, rigid},
    {TD_IN_ROBOT, "force_element", forces, loads},
    {TD_IN_GAZEBO, "link", parts, links},
    {TD_IN_GAZEBO, "model", parts, links},
    {TD_IN_GAZEBO, "include", parts, links},
    {TD_AT_REFERENCE, "springStiffness", forces, spring},
    {TD_AT_REFERENCE, "dampingFactor", forces, damper},
    {TD_AT_REFERENCE, "velocity_decay", forces, damper},
};

void td_reader_omit(td_reader *reader, const td_xml_element *element, const char *missing,
                    const char *remedy)
{
    for (size_t i = 0; i < reader->omission_count; i++) {
        td_omission *known = &reader->omission[i];
        if (strcmp(known->first->name, element->name) == 0 && known->missing == missing) {
            known->count++;
            return;
        }
    }
    if (reader->omission_count < td_most_omissions)
        reader->omission[reader->omission_count++] = (td_omission){element, missing, remedy, 1};
}

bool td_reader_is_omission(td_reader *reader, const td_xml_element *element,
                           td_omission_place place)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (place == kinds[i].place && strcmp(element->name, kinds[i].element) == 0) {
            td_reader_omit(reader, element, kinds[i].missing, kinds[i].remedy);
            return true;
        }
    return false;
}

void td_reader_report_omissions(td_reader *reader)
{
    for (size_t i = 0; i < reader->omission_count; i++) {
        const td_omission *o = &reader->omission[i];
        const char *times =
            o->count > 1 ? td_reader_print(reader, " (%zu times, first here)", o->count) : "";
        TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, o->first, o->remedy, "<%.*s> is not read%s: %s",
                  td_shown(o->first->name), o->first->name, times, o->missing);
    }
}
