/* SPDX-License-Identifier: MIT */
/*
 * The arguments of commands whose robots may carry loads and have forces on links, see options.h:
 * --payload and --wrench.
 */
#include <stdlib.h>

#include "options.h"

enum { KEY_PAYLOAD = 0x1a0, KEY_WRENCH };

static error_t parse_loads(int key, char *arg, struct argp_state *state)
{
    tool_options *options = parsed_options(state);
    if (key != KEY_PAYLOAD && key != KEY_WRENCH) {
        return ARGP_ERR_UNKNOWN;
    }
    char *fault = key == KEY_PAYLOAD ? loads_add_payload(&options->loads, arg)
                                     : loads_add_wrench(&options->loads, arg);
    if (fault != NULL) {
        option_error(state, "%s", fault);
        free(fault);
    }
    return 0;
}

static const struct argp_option load_options[] = {
    {"payload", KEY_PAYLOAD, "...", OPTION_HIDDEN, NULL, 0},
    {"wrench", KEY_WRENCH, "...", OPTION_HIDDEN, NULL, 0},
    {"--payload, --wrench", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
     "Apply payloads and forces to links: 'tandem help robot'", 0},
    {0},
};
static const struct argp_option payload_options[] = {
    {"payload", KEY_PAYLOAD, "...", OPTION_HIDDEN, NULL, 0},
    {"--payload", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
     "Attach payloads to links: 'tandem help robot'", 0},
    {0},
};
static const struct argp_option load_page_options[] = {
    {"payload", KEY_PAYLOAD, "LINK=MASS@X,Y,Z", 0,
     "Attach a body to the link: mass (kg) and center of mass in the link's frame (m); optionally "
     "followed by ,IXX,IYY,IZZ,IXY,IXZ,IYZ, its inertia about that point (kg m²). May be repeated",
     0},
    {"wrench", KEY_WRENCH, "LINK=FX,FY,FZ", 0,
     "Apply a force (N) to the link, in world axes at the link's origin. The full form is "
     "LINK=PART,PART,... with the parts force:X,Y,Z (N), moment:X,Y,Z (N m), point:X,Y,Z (m, in "
     "the link's frame) and frame:FRAME ('aligned', default, 'body' or 'world'). May be repeated",
     0},
    {0},
};

static const struct argp_child load_children[] = {{&gravity_argp, 0, NULL, 0}, {0}};
const struct argp load_argp = {load_options, parse_loads, NULL, NULL, load_children, NULL, NULL};
const struct argp payload_argp = {payload_options, parse_loads, NULL, NULL, NULL, NULL, NULL};
const struct argp load_page_argp = {load_page_options, NULL, NULL, NULL, NULL, NULL, NULL};
