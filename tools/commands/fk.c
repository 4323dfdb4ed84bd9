/* SPDX-License-Identifier: MIT */
/*
 * tandem fk: where the links are at one configuration.
 */
#include <stdlib.h>

#include "command.h"
#include "input/option_value.h"
#include "input/point_pose.h"
#include "output/json.h"
#include "output/row_table.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

typedef struct fk_options {
    tool_options common;
    const char **link; /* names asked for; none: all */
    size_t links;
    bool pointed;
    double point[3]; /* of the links, in their coordinates */
} fk_options;

enum { KEY_POINT = 0x200 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    fk_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        state->child_inputs[1] = &options->common;
        options->common.takes_states = true;
        break;
    case 'l':
        options->link = reallocate(options->link, options->links + 1, sizeof *options->link);
        options->link[options->links++] = arg;
        break;
    case KEY_POINT:
        options->pointed = true;
        option_point(arg, options->point, state);
        break;
    case ARGP_KEY_END:
        if (options->pointed && options->links == 0) {
            option_error(state, "--point is one of a link: --link NAME");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"link", 'l', "NAME", 0, "Only this link; may be given again", 0},
    {"point", KEY_POINT, "X,Y,Z", 0, POINT_HELP, 0},
    {0},
};
static const struct argp_child children[] = {
    {&state_argp, 0, NULL, 0}, {&table_argp, 0, NULL, 0}, {0}};
const struct argp fk_argp = {
    argp_options,
    parse,
    "FILE [STATES]",
    "Forward kinematics: position (m) and quaternion (x, y, z, w) of "
    "every link in the world. STATES is a CSV table ('-' is standard input) with "
    "columns q:JOINT; the result is one with a row a state. Without it, one "
    "configuration by -q.\v"
    "Examples:\n  tandem fk robot.urdf -q elbow=pi/4 --link hand\n"
    "  tandem fk robot.urdf motion.csv --link hand --keep -o path.csv",
    children,
    NULL,
    NULL};

/* A link that is printed, under the name it was asked for by. */
typedef struct fk_place {
    const char *name;
    size_t link;
    double point[3]; /* in its coordinates */
} fk_place;

/* Returns the links to print in a new array. Prints a message and returns NULL for unknown names.
 */
static fk_place *choose_links(const td_model *model, const fk_options *options, size_t *count)
{
    size_t all = td_link_count(model);
    *count = options->links > 0 ? options->links : all;
    fk_place *chosen = allocate(*count, sizeof *chosen);
    bool good = true;
    for (size_t i = 0; i < *count; i++) {
        fk_place *place = &chosen[i];
        place->name = options->links > 0 ? options->link[i] : td_link_at(model, i)->name;
        const int index = options->links > 0 ? find_link_point(model, place->name, options->pointed,
                                                               options->point, place->point)
                                             : (int)i;
        place->link = (size_t)index;
        good = good && index >= 0;
    }
    if (!good) {
        free(chosen);
        return NULL;
    }
    return chosen;
}

static void print_table(const fk_place *chosen, size_t count, const double *poses)
{
    static const char *const heading[] = {"link", "x", "y", "z", "qx", "qy", "qz", "qw"};
    table t = table_new("lrrrrrrr");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < count; i++) {
        double value[7];
        point_pose(poses + 12 * chosen[i].link, chosen[i].point, value);
        table_add(&t, "%s", chosen[i].name);
        for (size_t k = 0; k < 7; k++) {
            table_add(&t, "%s", number_place(value[k]).text);
        }
    }
    table_print(&t, 0);
}

typedef struct fk_rows {
    const fk_options *options;
    const fk_place *chosen;
    size_t count;
    double *poses;
} fk_rows;

static cJSON *json_head(const coordinates *c, const void *context)
{
    const fk_rows *rows = context;
    cJSON *root = json_root(td_model_name(c->model));
    if (rows->options->pointed) {
        cJSON_AddItemToObject(root, "point", json_numbers(rows->options->point, 3));
    }
    return root;
}

/* out: 7 numbers of each link */
static void json_state(const coordinates *c, const void *context, const double *out, cJSON *state)
{
    (void)c;
    const fk_rows *rows = context;
    cJSON *links = cJSON_AddObjectToObject(state, "links");
    for (size_t i = 0; i < rows->count; i++) {
        cJSON *link = cJSON_CreateObject();
        cJSON_AddItemToObject(link, "position", json_numbers(out + 7 * i, 3));
        cJSON_AddItemToObject(link, "quaternion", json_numbers(out + 7 * i + 3, 4));
        cJSON_AddItemToObject(links, rows->chosen[i].name, link);
    }
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const fk_options *options = context;
    size_t count;
    fk_place *chosen = choose_links(s->model, options, &count);
    if (chosen == NULL) {
        return EXIT_USAGE;
    }
    double *poses = allocate(12 * td_link_count(s->model), sizeof *poses);
    td_status status = td_link_poses(s->model, s->workspace, x->value[QUANTITY_Q], poses);
    int code = EXIT_GOOD;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else if (options->common.json) {
        const fk_rows rows = {options, chosen, count, poses};
        double *places = allocate(7 * count, sizeof *places);
        for (size_t i = 0; i < count; i++) {
            point_pose(poses + 12 * chosen[i].link, chosen[i].point, places + 7 * i);
        }
        cJSON *root = json_head(c, &rows);
        json_state(c, &rows, places, root);
        json_print(root, false);
        free(places);
    } else {
        print_table(chosen, count, poses);
    }
    free(chosen);
    free(poses);
    return code;
}

static td_status fk_row(const session *s, const coordinates *c, const double *q, const double *qd,
                        const double *qdd, const void *context, double *out)
{
    (void)c, (void)qdd;
    const fk_rows *rows = context;
    (void)qd;
    td_status status = td_link_poses(s->model, s->workspace, q, rows->poses);
    for (size_t i = 0; i < rows->count && status == TD_OK; i++) {
        point_pose(rows->poses + 12 * rows->chosen[i].link, rows->chosen[i].point, out + 7 * i);
    }
    return status;
}

static int run_table(const session *s, const fk_options *options)
{
    static const char *const prefix[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    size_t count;
    fk_place *chosen = choose_links(s->model, options, &count);
    if (chosen == NULL) {
        return EXIT_USAGE;
    }
    row_columns columns = {.name = NULL};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 7; k++) {
            row_columns_add(&columns, prefix[k], chosen[i].name);
        }
    }
    fk_rows rows = {options, chosen, count, allocate(12 * td_link_count(s->model), sizeof(double))};
    const row_form form = {
        .compute = fk_row, .context = &rows, .json_head = json_head, .json_state = json_state};
    int code = row_table(s, &options->common, &form, &columns);
    free(rows.poses);
    row_columns_free(&columns);
    free(chosen);
    return code;
}

static int run(const session *s, void *context)
{
    fk_options *options = context;
    if (options_tabular(&options->common)) {
        return run_table(s, options);
    }
    return run_state(s, &options->common, true, options, run_one);
}

int command_fk(int argc, char **argv)
{
    fk_options options = {.link = NULL};
    int code =
        run_session_needing(NEEDS_WORKSPACE, &fk_argp, argc, argv, &options, &options.common, run);
    free(options.link);
    return code;
}
