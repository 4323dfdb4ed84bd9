/* SPDX-License-Identifier: MIT */
/*
 * tandem jacobian: computes the Jacobian of a link or of a point on it.
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
    given_point point; /* in the coordinates of the named link or frame */
    size_t index;      /* index of the link */
    double at[3];      /* the point in the link's coordinates */
} jacobian_options;

static const char *const row_names[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

static void check(command_line *line)
{
    const jacobian_options *options = line->options;
    if (options->point.given && options->frame == TD_FRAME_WORLD) {
        option_error(line, "--frame world refers to the world's origin, whatever the --point");
    }
}

#define AT(member) .at = offsetof(jacobian_options, member)

static const command_option command_rows[] = {
    {"link", "NAME", "Compute the Jacobian of this link", option_text, AT(link), .letter = 'l'},
    {"frame", "FRAME", FRAME_HELP, option_choose, AT(frame), .of = frame_choices},
    {"point", "X,Y,Z", POINT_HELP, option_point, AT(point)},
    {0},
};
static const option_rule rules[] = {{NULL, "link", NULL, "a link is missing: --link NAME"}, {0}};
const option_set options_of_jacobian = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .rules = rules,
    .check = check,
    .about =
        "Compute the Jacobian of a link, which maps joint velocities to its angular (wx, wy, wz) "
        "and "
        "linear (vx, vy, vz) velocity. Joints without -q are in the reference configuration. If "
        "the "
        "matrix is too wide for a page, it is printed with one row per joint that moves the link. "
        "STATES is a CSV table ('-' is standard input) with columns q:JOINT; the result has one "
        "row "
        "per state: wx:JOINT and so on.",
    .parts = {&state_set, &table_set}};

static bool declare(outputs *o, const session *s, void *context)
{
    jacobian_options *options = context;
    const int link = find_link_point(s->model, options->link, options->point.given,
                                     options->point.at, options->at);
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
    cJSON_AddItemToObject(root, "point", json_numbers(options->point.at, 3));
}

int command_jacobian(int argc, char **argv)
{
    static const state_command command = {.set = &options_of_jacobian,
                                          .needs = NEEDS_WORKSPACE,
                                          .used = USES_Q,
                                          .head = add_head,
                                          .declare = declare,
                                          .compute = compute};
    jacobian_options options = {.common = {.takes_states = true}, .frame = TD_FRAME_ALIGNED};
    return run_state_command(&command, argc, argv, &options);
}
