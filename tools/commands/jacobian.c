/* SPDX-License-Identifier: MIT */
/*
 * tandem jacobian: how a link, or a point on it, moves with the joints.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/option_value.h"
#include "output/coordinates_json.h"
#include "output/frame_name.h"
#include "output/row_table.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

enum { WIDEST = 12 }; /* beyond that many columns the matrix is printed transposed */

typedef struct jacobian_options {
    tool_options common;
    const char *link;
    td_frame frame;
    bool has_point;
    double point[3]; /* in the link's coordinates */
} jacobian_options;

static const char *const row_names[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

enum { KEY_FRAME = 0x200, KEY_POINT };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    jacobian_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        state->child_inputs[1] = &options->common;
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
    {"link", 'l', "NAME", 0, "The link", 0},
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
    "The Jacobian of a link: its angular (wx, wy, wz) and linear (vx, "
    "vy, vz) velocity for each joint's. Joints without -q are in "
    "the reference configuration. A matrix too wide for a page is printed with a row for "
    "each joint that moves the link. STATES is a CSV table ('-' is "
    "standard input) with columns q:JOINT; the result is one with a row "
    "a state: wx:JOINT and so on.",
    children,
    NULL,
    NULL};

static table rows_of_link(const coordinates *c, const double *J)
{
    size_t n = c->size[QUANTITY_QD];
    double scale = largest_of(J, 6 * n);
    table t = table_new("lrrrrrrrrrrrr"); /* the names of the rows and WIDEST */
    t.columns = n + 1;
    table_add(&t, "%s", "");
    for (size_t j = 0; j < n; j++) {
        table_add(&t, "%s", c->name[QUANTITY_QD][j]);
    }
    for (size_t i = 0; i < 6; i++) {
        table_add(&t, "%s", row_names[i]);
        for (size_t j = 0; j < n; j++) {
            table_add(&t, "%s", number_of_scale(J[i * n + j], scale).text);
        }
    }
    return t;
}

static table rows_of_joints(const coordinates *c, const double *J)
{
    size_t n = c->size[QUANTITY_QD];
    double scale = largest_of(J, 6 * n);
    table t = table_new("lrrrrrr");
    table_add(&t, "joint");
    for (size_t i = 0; i < 6; i++) {
        table_add(&t, "%s", row_names[i]);
    }
    for (size_t j = 0; j < n; j++) {
        bool moves = false;
        for (size_t i = 0; i < 6; i++) {
            moves = moves || J[i * n + j] != 0;
        }
        if (moves) {
            table_add(&t, "%s", c->name[QUANTITY_QD][j]);
            for (size_t i = 0; i < 6; i++) {
                table_add(&t, "%s", number_of_scale(J[i * n + j], scale).text);
            }
        }
    }
    return t;
}

static void print_matrix(const coordinates *c, const double *J)
{
    if (c->size[QUANTITY_QD] == 0) {
        puts("no joint moves: the Jacobian is empty");
        return;
    }
    table t;
    bool whole = c->size[QUANTITY_QD] <= WIDEST;
    if (whole) {
        t = rows_of_link(c, J);
        whole = table_width(&t) <= terminal_columns();
        if (!whole) {
            table_free(&t);
        }
    }
    if (!whole) {
        t = rows_of_joints(c, J);
    }
    table_print(&t, 0);
}

static cJSON *json_head(const coordinates *c, const void *context)
{
    const jacobian_options *options = context;
    cJSON *root = coordinates_json_root(c);
    cJSON_AddItemToObject(root, "link", json_text(options->link));
    cJSON_AddItemToObject(root, "frame", json_text(frame_name(options->frame)));
    cJSON_AddItemToObject(root, "point", json_numbers(options->point, 3));
    cJSON_AddItemToObject(root, "rows", json_texts(row_names, 6));
    coordinates_add_names(c, root);
    return root;
}

static void json_state(const coordinates *c, const void *context, const double *out, cJSON *state)
{
    (void)context;
    cJSON_AddItemToObject(state, "J", json_matrix(out, 6, c->size[QUANTITY_QD]));
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const jacobian_options *options = context;
    double at[3];
    int link = find_link_point(s->model, options->link, options->has_point, options->point, at);
    if (link < 0) {
        return EXIT_USAGE;
    }
    double *J = allocate(6 * c->size[QUANTITY_QD], sizeof *J);
    td_status status = td_link_jacobian(s->model, s->workspace, (size_t)link, at,
                                        x->value[QUANTITY_Q], options->frame, J);
    int code = EXIT_GOOD;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else if (options->common.json) {
        cJSON *root = json_head(c, options);
        json_state(c, options, J, root);
        json_print(root, false);
    } else {
        print_matrix(c, J);
    }
    free(J);
    return code;
}

/* What rows are made of. */
typedef struct jacobian_rows {
    const jacobian_options *options;
    size_t link;
    double point[3]; /* in its coordinates */
} jacobian_rows;

static cJSON *rows_head(const coordinates *c, const void *context)
{
    return json_head(c, ((const jacobian_rows *)context)->options);
}

static td_status jacobian_row(const session *s, const coordinates *c, const double *q,
                              const double *qd, const double *qdd, const void *context, double *out)
{
    (void)c, (void)qdd;
    const jacobian_rows *rows = context;
    (void)qd;
    return td_link_jacobian(s->model, s->workspace, rows->link, rows->point, q,
                            rows->options->frame, out);
}

static int run_table(const session *s, const jacobian_options *options)
{
    jacobian_rows rows = {.options = options};
    const int link =
        find_link_point(s->model, options->link, options->has_point, options->point, rows.point);
    if (link < 0) {
        return EXIT_USAGE;
    }
    rows.link = (size_t)link;
    coordinates c = coordinates_new(s->model, options->common.tree);
    row_columns columns = {.name = NULL};
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < c.size[QUANTITY_QD]; j++) {
            row_columns_add(&columns, row_names[i], c.name[QUANTITY_QD][j]);
        }
    }
    const row_form form = {.compute = jacobian_row,
                           .context = &rows,
                           .json_head = rows_head,
                           .json_state = json_state};
    int code = row_table(s, &options->common, &form, &columns);
    row_columns_free(&columns);
    coordinates_free(&c);
    return code;
}

static int run(const session *s, void *context)
{
    jacobian_options *options = context;
    if (options_tabular(&options->common)) {
        return run_table(s, options);
    }
    return run_state(s, &options->common, true, options, run_one);
}

int command_jacobian(int argc, char **argv)
{
    jacobian_options options = {.frame = TD_FRAME_ALIGNED};
    return run_session_needing(NEEDS_WORKSPACE, &jacobian_argp, argc, argv, &options,
                               &options.common, run);
}
