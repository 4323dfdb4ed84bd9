/* SPDX-License-Identifier: MIT */
/*
 * tandem fk: computes the poses of links at one configuration.
 */
#include <stdlib.h>

#include "command.h"
#include "input/option_value.h"
#include "input/point_pose.h"
#include "output/json.h"
#include "state_command.h"
#include "text.h"

/* A point of a link to print. */
typedef struct fk_place {
    size_t link;
    double point[3]; /* in the link's coordinates */
} fk_place;

typedef struct fk_options {
    tool_options common;
    word_list link;    /* requested names; empty: all */
    given_point point; /* in the coordinates of each link */
    fk_place *places;  /* one per output row */
    double *poses;     /* of all links */
} fk_options;

#define AT(member) .at = offsetof(fk_options, member)

static const command_option command_rows[] = {
    {"link", "NAME", "Print only this link; may be repeated", option_list, AT(link), .letter = 'l'},
    {"point", "X,Y,Z", POINT_HELP, option_point, AT(point)},
    {0},
};
static const option_rule rules[] = {{"point", "link", NULL, "--point needs its link: --link NAME"},
                                    {0}};
const option_set options_of_fk = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .rules = rules,
    .about = "Forward kinematics: compute the position (m) and quaternion "
             "(x, y, z, w) of every link in the "
             "world. STATES is a CSV table ('-' is standard input) with "
             "columns q:JOINT; the result has one "
             "row per state. Without STATES, -q gives one "
             "configuration.\vExamples:\n  tandem fk robot.urdf "
             "-q elbow=pi/4 --link hand\n  tandem fk robot.urdf motion.csv "
             "--link hand --keep -o path.csv",
    .parts = {&state_set, &table_set}};

static bool declare(outputs *o, const session *s, void *context)
{
    fk_options *options = context;
    const size_t all = td_link_count(s->model);
    const size_t count = options->link.count > 0 ? options->link.count : all;
    const char **name = outputs_keep(o, allocate(count, sizeof *name));
    bool good = true;
    options->places = outputs_keep(o, allocate(count, sizeof *options->places));
    options->poses = outputs_keep(o, allocate(12 * all, sizeof *options->poses));
    for (size_t i = 0; i < count; i++) {
        fk_place *place = &options->places[i];
        name[i] = options->link.count > 0 ? options->link.word[i] : td_link_at(s->model, i)->name;
        const int index = options->link.count > 0
                              ? find_link_point(s->model, name[i], options->point.given,
                                                options->point.at, place->point)
                              : (int)i;
        good = good && index >= 0;
        place->link = good ? (size_t)index : 0;
    }
    outputs_add(o, (output){.kind = OUTPUT_POSES, .key = "links", .row = name, .rows = count});
    return good;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    const fk_options *options = context;
    const size_t count = options->link.count > 0 ? options->link.count : td_link_count(s->model);
    const td_status status = td_link_poses(s->model, s->workspace, x->q, options->poses);
    (void)c;
    for (size_t i = 0; i < count && status == TD_OK; i++) {
        const fk_place *place = &options->places[i];
        point_pose(options->poses + 12 * place->link, place->point, out[0] + 7 * i);
    }
    return status;
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const fk_options *options = context;
    (void)s;
    if (options->point.given) {
        cJSON_AddItemToObject(root, "point", json_numbers(options->point.at, 3));
    }
}

int command_fk(int argc, char **argv)
{
    static const state_command command = {.set = &options_of_fk,
                                          .needs = NEEDS_WORKSPACE,
                                          .used = USES_Q,
                                          .head = add_head,
                                          .declare = declare,
                                          .compute = compute};
    fk_options options = {.common = {.takes_states = true}};
    const int code = run_state_command(&command, argc, argv, &options);
    free(options.link.word);
    return code;
}
