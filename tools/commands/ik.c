/* SPDX-License-Identifier: MIT */
/*
 * tandem ik: the configuration at which a link is where it is wanted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "run.h"
#include "table/table.h"
#include "text.h"
#include "value.h"

enum { KEY_POSE = 0x200, KEY_POSITION, KEY_POINT };

typedef struct ik_options {
    tool_options common;
    const char *link;
    double point[3]; /* in the link's coordinates */
    td_ik_kind kind;
    bool has_target;
    double target[7];
} ik_options;

/* Values with blanks between, most at most; false where one is none, or lengths have a unit that is
   not one of lengths (the first three), and angles likewise. */
static bool read_values(const char *text, double *value, size_t most, size_t *count)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = allocate(bytes, 1);
    char *rest = NULL;
    memcpy(copy, text, bytes);
    bool good = true;
    *count = 0;
    for (char *word = strtok_r(copy, " \t", &rest); word != NULL && good;
         word = strtok_r(NULL, " \t", &rest)) {
        const value_unit *u = NULL;
        double x = 0;
        good = *count < most && value_parse(word, &x, &u) &&
               (u == NULL || (u->domain == (*count < 3 ? UNIT_SLIDE : UNIT_TURN) && u->order == 0));
        if (good) {
            value[(*count)++] = x;
        }
    }
    free(copy);
    return good;
}

static void read_pose(ik_options *options, const char *text, struct argp_state *state)
{
    size_t count;
    double value[7];
    bool good = read_values(text, value, 7, &count) && count >= 6;
    double length = 1;
    if (good && count == 7) {
        length = sqrt(value[3] * value[3] + value[4] * value[4] + value[5] * value[5] +
                      value[6] * value[6]);
        for (int i = 3; i < 7; i++) {
            value[i] /= length;
        }
    }
    if (!good || !(fabs(length - 1) < 0.01)) {
        argp_error(state,
                   "--pose is six numbers x y z (m) roll pitch yaw (rad), or seven with a unit "
                   "quaternion qx qy qz qw, not '%s'",
                   text);
        return;
    }
    memcpy(options->target, value, sizeof value);
    if (count == 6) {
        double rotation[9];
        td_rotation_from_rpy(value[3], value[4], value[5], rotation);
        td_quaternion_from_rotation(rotation, options->target + 3);
    }
}

static void set_target(ik_options *options, td_ik_kind kind, struct argp_state *state)
{
    if (options->has_target) {
        argp_error(state, "one of --pose and --position is enough");
    }
    options->kind = kind;
    options->has_target = true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    ik_options *options = state->input;
    size_t count;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        break;
    case 'l':
        options->link = arg;
        break;
    case KEY_POINT:
        if (!parse_triple(arg, options->point)) {
            argp_error(state, "--point is three numbers X,Y,Z in m, not '%s'", arg);
        }
        break;
    case KEY_POSE:
        set_target(options, TD_IK_POSE, state);
        read_pose(options, arg, state);
        break;
    case KEY_POSITION:
        set_target(options, TD_IK_POSITION, state);
        if (!read_values(arg, options->target, 3, &count) || count != 3) {
            argp_error(state, "--position is three numbers x y z in m, not '%s'", arg);
        }
        break;
    case ARGP_KEY_END:
        if (options->link == NULL) {
            argp_error(state, "a link is missing: --link NAME");
        } else if (!options->has_target) {
            argp_error(state, "a target is missing: --pose or --position");
        } else if (options->common.tree) {
            argp_error(state, "inverse kinematics finds independent coordinates; --open-loops "
                              "makes all of the tree's that");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"link", 'l', "NAME", 0, "The link", 0},
    {"pose", KEY_POSE, "\"X Y Z R P Y\"", 0,
     "Where it is to be, and how it is turned in the world: m, and roll, pitch and yaw as in URDF "
     "(rad), or a quaternion qx qy qz qw",
     0},
    {"position", KEY_POSITION, "\"X Y Z\"", 0, "Where it is to be, however it is turned", 0},
    {"point", KEY_POINT, "X,Y,Z", 0,
     "A point of the link, m, that is to be there (default: its origin)", 0},
    {0},
};
static const struct argp_child children[] = {{&state_argp, 0, NULL, 0}, {0}};
const struct argp ik_argp = {
    argp_options,
    parse,
    "FILE",
    "Inverse kinematics: the positions of joints, within their limits, at which a link has a pose, "
    "or a point of it a position; or the nearest ones, and the exit code is 1 then. The search "
    "begins at the state of -q. Collisions are not looked at.\v"
    "Examples:\n  tandem ik robot.urdf --link hand --position \"0.35 0 -0.2\" --point 0.1,0,0\n"
    "  tandem ik robot.urdf --link hand --pose \"0 0 -0.4 0 pi/2 0\"",
    children,
    NULL,
    NULL};

static void print_text(const coordinates *c, const double *y, bool reached, const double left[2])
{
    table t = table_new("lr");
    table_add(&t, "joint");
    table_add(&t, "q");
    for (size_t i = 0; i < c->size[QUANTITY_Q]; i++) {
        table_add(&t, "%s", c->name[QUANTITY_Q][i]);
        table_add(&t, "%s", number_place(y[i]).text);
    }
    table_print(&t, 0);
    if (!reached) {
        printf("not reached: %s m and %s rad are left\n", number_brief(left[0]).text,
               number_brief(left[1]).text);
    }
}

static void print_json(const coordinates *c, const ik_options *options, const double *y,
                       const td_ik_result *result, const double left[2])
{
    const size_t n = options->kind == TD_IK_POSE ? 7 : 3;
    cJSON *root = json_root(td_model_name(c->model));
    cJSON_AddItemToObject(root, "link", json_text(options->link));
    cJSON_AddItemToObject(root, "point", json_numbers(options->point, 3));
    cJSON_AddItemToObject(root, options->kind == TD_IK_POSE ? "pose" : "position",
                          json_numbers(options->target, n));
    cJSON_AddItemToObject(root, "reached", cJSON_CreateBool(result->status == TD_IK_REACHED));
    cJSON_AddItemToObject(root, "q", json_named(c->name[QUANTITY_Q], y, c->size[QUANTITY_Q]));
    cJSON_AddItemToObject(root, "left", json_numbers(left, 2));
    json_print(root, false);
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const ik_options *options = context;
    const int link = find_link(s->model, options->link);
    if (link < 0) {
        return EXIT_USAGE;
    }
    td_ik_goal goal = td_ik_goal_default(options->kind, (size_t)link);
    memcpy(goal.point, options->point, sizeof goal.point);
    td_ik *ik;
    td_status status = td_ik_new(s->model, &goal, 1, NULL, &ik);
    double *y = allocate(c->size[QUANTITY_Q], sizeof *y);
    double left[2];
    td_ik_result result = {.size_of = sizeof result};
    if (status == TD_OK) {
        status =
            td_ik_solve(ik, s->workspace, options->target, x->value[QUANTITY_Q], y, left, &result);
    }
    const bool reached = status == TD_OK && result.status == TD_IK_REACHED;
    int code = reached ? EXIT_GOOD : EXIT_MODEL;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else {
        if (result.status == TD_IK_OPEN) {
            complain("no configuration with closed loops and within limits was found");
        }
        if (options->common.json) {
            print_json(c, options, y, &result, left);
        } else if (result.status != TD_IK_OPEN) {
            print_text(c, y, reached, left);
        }
    }
    td_ik_free(ik);
    free(y);
    return code;
}

static int run(const session *s, void *context)
{
    ik_options *options = context;
    return run_state(s, &options->common, false, options, run_one);
}

int command_ik(int argc, char **argv)
{
    ik_options options = {.link = NULL};
    return run_session(&ik_argp, argc, argv, &options, &options.common, run);
}
