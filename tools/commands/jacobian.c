/* SPDX-License-Identifier: MIT */
/*
 * tandem jacobian: how a link, or a point on it, moves with the joints.
 */
#include "command.h"
#include "input/option_value.h"
#include "output/frame_name.h"
#include "output/json.h"
#include "state_command.h"

typedef struct jacobian_options {
    tool_options common;
    const char *link;
    td_frame frame;
    bool has_point;
    double point[3]; /* in the coordinates of the named link or frame */
    size_t index;    /* of the link */
    double at[3];    /* the point in its coordinates */
} jacobian_options;

static const char *const row_names[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

enum { KEY_FRAME = 0x200, KEY_POINT };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    jacobian_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        options->common.takes_states = true;
        break;
    case 'l':
        options->link = arg;
        break;
    case KEY_FRAME:
        options->frame = option_frame(arg, state);
        break;
    case KEY_POINT:
        option_point(arg, options->point, state);
        options->has_point = true;
        break;
    case ARGP_KEY_END:
        if (options->link == NULL) {
            option_error(state, "a link is missing: --link NAME");
        }
        if (options->has_point && options->frame == TD_FRAME_WORLD) {
            option_error(state, "--frame world refers to the world's origin, whatever the --point");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"link", 'l', "NAME", 0, "Compute the Jacobian of this link", 0},
    {"frame", KEY_FRAME, "FRAME", 0, FRAME_HELP, 0},
    {"point", KEY_POINT, "X,Y,Z", 0, POINT_HELP, 0},
    {0},
};
static const struct argp_child children[] = {
    {&state_argp, 0, NULL, 0}, {&table_argp, 0, NULL, 0}, {0}};
const struct argp jacobian_argp = {
    argp_options,
    parse,
    "FILE [STATES]",
    "Compute the Jacobian of a link, which maps joint velocities to its angular (wx, wy, wz) and "
    "linear (vx, vy, vz) velocity. Joints without -q are in the reference configuration. If the "
    "matrix is too wide for a page, it is printed with one row per joint that moves the link. "
    "STATES is a CSV table ('-' is standard input) with columns q:JOINT; the result has one row "
    "per state: wx:JOINT and so on.",
    children,
    NULL,
    NULL};

static bool declare(outputs *o, const session *s, void *context)
{
    jacobian_options *options = context;
    const int link =
        find_link_point(s->model, options->link, options->has_point, options->point, options->at);
    options->index = link >= 0 ? (size_t)link : 0;
    outputs_add(o, (output){.kind = OUTPUT_MATRIX,
                            .key = "J",
                            .row = row_names,
                            .rows = 6,
                            .column = o->c->name[QUANTITY_QD],
                            .columns = o->c->size[QUANTITY_QD]});
    return link >= 0;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    const jacobian_options *options = context;
    (void)c;
    return td_link_jacobian(s->model, s->workspace, options->index, options->at, x->q,
                            options->frame, out[0]);
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const jacobian_options *options = context;
    (void)s;
    cJSON_AddItemToObject(root, "link", json_text(options->link));
    cJSON_AddItemToObject(root, "frame", json_text(frame_name(options->frame)));
    cJSON_AddItemToObject(root, "point", json_numbers(options->point, 3));
}

int command_jacobian(int argc, char **argv)
{
    static const state_command command = {.argp = &jacobian_argp,
                                          .needs = NEEDS_WORKSPACE,
                                          .used = USES_Q,
                                          .head = add_head,
                                          .declare = declare,
                                          .compute = compute};
    jacobian_options options = {.frame = TD_FRAME_ALIGNED};
    return run_state_command(&command, argc, argv, &options);
}
