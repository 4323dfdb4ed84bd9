/* SPDX-License-Identifier: MIT */
/*
 * Implements --payload and --wrench: loads and forces on links, see options.h.
 */
#include <stdlib.h>

#include "options.h"

/* Exits with the message fault unless it is NULL. */
static void tell_fault(char *fault, const command_line *line)
{
    if (fault != NULL) {
        option_error(line, "%s", fault);
    }
}

static void read_payload(const command_option *o, char *text, command_line *line)
{
    (void)o;
    tell_fault(loads_add_payload(&((tool_options *)line->options)->loads, text), line);
}

static void read_wrench(const command_option *o, char *text, command_line *line)
{
    (void)o;
    tell_fault(loads_add_wrench(&((tool_options *)line->options)->loads, text), line);
}

void option_load(const command_option *o, char *text, command_line *line)
{
    (void)o;
    tell_fault(loads_add_force(&((tool_options *)line->options)->loads, text), line);
}

static const command_option payload_rows[] = {
    {"payload", "LINK=MASS@X,Y,Z",
     "Attach a body to the link: mass (kg) and center of mass in the link's frame (m); optionally "
     "followed by ,IXX,IYY,IZZ,IXY,IXZ,IYZ, its inertia about that point (kg m²). May be repeated",
     read_payload, .at = 0},
    {0},
};
static const command_option wrench_rows[] = {
    {"wrench", "LINK=FX,FY,FZ",
     "Apply a force (N) to the link, in world axes at the link's origin. The full form is "
     "LINK=PART,PART,... with the parts force:X,Y,Z (N), moment:X,Y,Z (N m), point:X,Y,Z (m, in "
     "the link's frame) and frame:FRAME ('aligned', default, 'body' or 'world'). May be repeated",
     read_wrench, .at = 0},
    {0},
};
static const command_option payload_refers[] = {
    {"--payload", .help = "Attach payloads to links: 'tandem help robot'"}, {0}};
static const command_option load_refers[] = {
    {"--payload, --wrench", .help = "Apply payloads and forces to links: 'tandem help robot'"},
    {0}};

const option_set payload_rows_set = {.rows = payload_rows, .page = &robot_page};
const option_set wrench_rows_set = {.rows = wrench_rows, .page = &robot_page};
const option_set payload_set = {.rows = payload_refers, .parts = {&payload_rows_set}};
const option_set load_set = {.rows = load_refers,
                             .parts = {&payload_rows_set, &wrench_rows_set, &gravity_set}};
