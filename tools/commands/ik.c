/* SPDX-License-Identifier: MIT */
/*
 * tandem ik: finds the configuration at which links reach their targets.
 */
#include "commands/ik.h"
#include "input/option_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/value.h"
#include "output/coordinates_json.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

/* ---- arguments ------------------------------------------------------------------------------- */

/* Reads at most `most` values, separated by blanks or commas. The first `lengths` values are
   lengths, the rest angles. Returns false for an invalid value or unit. */
static bool read_values(const char *text, double *value, size_t most, size_t lengths, size_t *count)
{
    char *copy = text_format("%s", text), *rest = NULL;
    bool good = true;
    *count = 0;
    for (char *word = strtok_r(copy, " \t,", &rest); word != NULL && good;
         word = strtok_r(NULL, " \t,", &rest)) {
        const value_unit *u = NULL;
        double x = 0;
        good = *count < most && value_parse(word, &x, &u) &&
               (u == NULL ||
                (u->domain == (*count < lengths ? UNIT_SLIDE : UNIT_TURN) && u->order == 0));
        if (good) {
            value[(*count)++] = x;
        }
    }
    free(copy);
    return good;
}

/* Adds a link without goals. */
static link_goal *add_goal(ik_options *options)
{
    options->goal = reallocate(options->goal, options->goals + 1, sizeof *options->goal);
    link_goal *goal = &options->goal[options->goals++];
    *goal = (link_goal){.axis = {0, 0, 1}};
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        goal->column[i] = -1;
    }
    return goal;
}

/* Returns the goal that an option sets: the last --link's, or a new one before any --link. */
static link_goal *goal_of(ik_options *options)
{
    return options->goals > 0 ? &options->goal[options->goals - 1] : add_goal(options);
}

/* Returns the goal that --pose or --position sets. */
static link_goal *place_of(const command_line *line)
{
    link_goal *goal = goal_of(line->options);
    if (goal->pose || goal->position) {
        option_error(line, "give --pose or --position for a link, not both");
    }
    return goal;
}

static void read_link(const command_option *o, char *text, command_line *line)
{
    link_goal *goal = goal_of(line->options);
    (void)o;
    goal = goal->link != NULL ? add_goal(line->options) : goal;
    goal->link = text;
}

static void read_pose(const command_option *o, char *text, command_line *line)
{
    link_goal *goal = place_of(line);
    size_t count;
    double value[7];
    (void)o;
    bool good = read_values(text, value, 7, 3, &count) && count >= 6;
    double length = 1;
    if (good && count == 7) {
        length = sqrt(value[3] * value[3] + value[4] * value[4] + value[5] * value[5] +
                      value[6] * value[6]);
        for (int i = 3; i < 7; i++) {
            value[i] /= length;
        }
    }
    if (!good || !(fabs(length - 1) < 0.01)) {
        option_error(line,
                     "--pose must be six numbers x y z (m) roll pitch yaw (rad), or seven with a "
                     "unit quaternion qx qy qz qw, not '%s'",
                     text);
    }
    goal->pose = true;
    memcpy(goal->place, value, sizeof value);
    if (count == 6) {
        double rotation[9];
        td_rotation_from_rpy(value[3], value[4], value[5], rotation);
        td_quaternion_from_rotation(rotation, goal->place + 3);
    }
}

/* Reads three lengths in m, or a direction of any length except zero. o->at and o->number are the
   offsets of the values and of their flag in the goal. */
static void read_vector(const command_option *o, char *text, command_line *line)
{
    char *goal = (char *)goal_of(line->options);
    double *x = (double *)(void *)(goal + o->at);
    const bool direction = strncmp(o->name, "po", 2) != 0 || strcmp(o->name, "pointing") == 0;
    size_t count;
    if (!read_values(text, x, 3, direction ? 0 : 3, &count) || count != 3) {
        option_error(line, "--%s must be three numbers x y z%s, not '%s'", o->name,
                     direction ? "" : " in m", text);
    } else if (direction && x[0] == 0 && x[1] == 0 && x[2] == 0) {
        option_error(line, "--%s %s has length zero and is not a direction", o->name, text);
    }
    *(bool *)(goal + o->number) = true;
}

static void read_position(const command_option *o, char *text, command_line *line)
{
    place_of(line);
    read_vector(o, text, line);
}

static void check_goals(const ik_options *options, command_line *line)
{
    const bool tabular = options->common.states != NULL;
    if (options->goals == 0 && !tabular) {
        option_error(line, "a link is missing: --link NAME");
    }
    for (size_t i = 0; i < options->goals; i++) {
        const link_goal *goal = &options->goal[i];
        if (goal->link == NULL) {
            option_error(line, "a link is missing: --link NAME");
        } else if (goal->pose && goal->pointing) {
            option_error(
                line,
                "--pose already sets the orientation of the link; use --pointing with --position");
        } else if (goal->axis_given && !goal->pointing) {
            option_error(line, "--axis requires --pointing");
        } else if (!tabular && !goal->pose && !goal->position && !goal->pointing) {
            option_error(line,
                         "the target is missing: give --pose, --position, --pointing or a TABLE");
        }
    }
}

static void check(command_line *line)
{
    const ik_options *options = line->options;
    const bool tabular = options->common.states != NULL;
    if (options->points == NULL) {
        check_goals(options, line);
    } else if (options->goals > 0) {
        option_error(line, "--points names the links itself; leave out --link, --pose and other "
                           "options for poses");
    } else if (!tabular) {
        option_error(line, "--points needs the table RECORDED after FILE");
    }
    if (options->path && (!tabular || options->points != NULL)) {
        option_error(line, "--path needs a TABLE of poses");
    }
}

#define AT(member) .at = offsetof(ik_options, member)
#define GOAL(member, given) .at = offsetof(link_goal, member), .number = offsetof(link_goal, given)

static const command_option command_rows[] = {
    {"link", "NAME",
     "Set a target for this link. May be repeated: --pose, --position, --point, --pointing and "
     "--axis apply to the last --link before them",
     read_link, .at = 0, .letter = 'l'},
    {"pose", "\"X Y Z R P Y\"",
     "Move the link to this pose in the world: position in m, and roll, pitch and yaw as in URDF "
     "(rad) or a quaternion qx qy qz qw",
     read_pose, .at = 0},
    {"position", "\"X Y Z\"", "Move the link to this position in the world, with any orientation",
     read_position, GOAL(place, position)},
    {"point", "X,Y,Z", POINT_HELP "; this point is moved to the target", read_vector,
     GOAL(point, pointed)},
    {"pointing", "\"X Y Z\"", "Point the axis of the link along this direction in the world",
     read_vector, GOAL(direction, pointing)},
    {"axis", "X,Y,Z", "Use this axis for --pointing, in the link's frame (default 0,0,1)",
     read_vector, GOAL(axis, axis_given)},
    {"path", NULL,
     "Follow the rows of TABLE as a path, from each row to the next; report jumps and passages "
     "near singularities",
     option_flag, AT(path)},
    {"points", "POINTS",
     "Fit recorded points: TABLE has columns POINT.x, POINT.y, POINT.z; --map NAME=POINT or LINK "
     "reads NAME.x instead. The CSV table POINTS has point, link, x, y, z",
     option_input, AT(points)},
    {"noise", "LENGTH",
     "Standard deviation of a recorded coordinate, as 0.3mm; a warning says if residuals are three "
     "times as large",
     option_length, AT(noise)},
    {0},
};
static const option_rule rules[] = {
    {"noise", "points", NULL, "--noise is the noise of recorded points; it requires --points"},
    {"tree", NULL, NULL,
     "--tree: inverse kinematics computes independent coordinates; 'tandem closure' computes all "
     "joints from its table"},
    {0},
};
const option_set options_of_ik = {
    .rows = command_rows,
    .usage = "FILE [TABLE]",
    .rules = rules,
    .check = check,
    .about =
        "Inverse kinematics: find joint positions within limits that move a link to a pose, or a "
        "point "
        "of it to a position. If there is no solution, print the nearest one and exit with 1. The "
        "search begins at the state of -q. Collisions are not checked.\n\nTABLE is a CSV table "
        "('-' is "
        "standard input) with columns x, y, z and optionally qx, qy, qz, qw or roll, pitch, yaw. "
        "The "
        "names may end with :LINK, as 'tandem fk' writes them. The result has columns t, q:JOINT "
        "and "
        "reached (1 or 0); the search for each row starts at the previous one. With --points it "
        "has "
        "the residual (root mean square, m) instead of reached.\vExamples:\n  tandem ik robot.urdf "
        "--link hand --position \"0.35 0 -0.2\" --point 0.1,0,0\n  tandem ik robot.urdf --link "
        "hand "
        "--pose \"0 0 -0.4 0 pi/2 0\"\n  tandem ik robot.urdf -l hand --point 0.1,0,0 --path "
        "seam.csv -o "
        "joints.csv\n  tandem ik robot.urdf --points markers.csv marked.csv -o "
        "joints.csv",
    .parts = {&state_set, &table_set}};

/* ---- one state ------------------------------------------------------------------------------- */

static void print_text(const coordinates *c, const ik_options *options, const double *y,
                       bool reached, const double *residuals)
{
    table t = table_new("lr");
    table_add(&t, "joint");
    table_add(&t, "q");
    for (size_t i = 0; i < c->size[QUANTITY_Q]; i++) {
        table_add(&t, "%s", c->name[QUANTITY_Q][i]);
        table_add(&t, "%s", number_place(y[i]).text);
    }
    table_print(&t, 0);
    for (size_t i = 0; i < options->goals && !reached; i++) {
        double left[2];
        ik_left(&options->goal[i], &residuals, left);
        printf("%s%snot reached: the error is %s m and %s rad\n",
               options->goals > 1 ? options->goal[i].link : "", options->goals > 1 ? " " : "",
               number_brief(left[0]).text, number_brief(left[1]).text);
    }
}

/* Adds the goals of one link and their residuals to an object. */
static void add_goal_json(cJSON *to, const link_goal *goal)
{
    cJSON_AddItemToObject(to, "link", json_text(goal->link));
    cJSON_AddItemToObject(to, "point", json_numbers(goal->point, 3));
    if (goal->pose || goal->position) {
        cJSON_AddItemToObject(to, goal->pose ? "pose" : "position",
                              json_numbers(goal->place, goal->pose ? 7 : 3));
    }
    if (goal->pointing) {
        cJSON_AddItemToObject(to, "pointing", json_numbers(goal->direction, 3));
        cJSON_AddItemToObject(to, "axis", json_numbers(goal->axis, 3));
    }
}

static void print_json(const coordinates *c, const ik_options *options, const double *y,
                       bool reached, const double *residuals)
{
    cJSON *root = coordinates_json_root(c);
    double left[2];
    cJSON *several = options->goals > 1 ? cJSON_AddArrayToObject(root, "goals") : NULL;
    for (size_t i = 0; i < options->goals; i++) {
        cJSON *to = several != NULL ? cJSON_CreateObject() : root;
        add_goal_json(to, &options->goal[i]);
        ik_left(&options->goal[i], &residuals, left);
        if (several != NULL) {
            cJSON_AddItemToObject(to, "left", json_numbers(left, 2));
            cJSON_AddItemToArray(several, to);
        }
    }
    cJSON_AddItemToObject(root, "reached", cJSON_CreateBool(reached));
    coordinates_add_json(c, QUANTITY_Q, y, root);
    if (several == NULL) {
        cJSON_AddItemToObject(root, "left", json_numbers(left, 2));
    }
    json_print(root, false);
}

static int solve_one(const session *s, const coordinates *c, const robot_state *x,
                     const ik_options *options)
{
    td_ik *ik;
    td_status status = ik_goals_new(s, options, &ik);
    scoped double *y = allocate(c->size[QUANTITY_Q], sizeof *y);
    scoped double *target = allocate(td_ik_target_count(ik), sizeof *target);
    scoped double *residuals = allocate(2 * td_ik_goal_count(ik), sizeof *residuals);
    td_ik_result result = {.size_of = sizeof result};
    if (status == TD_OK) {
        ik_targets(options, target);
        status = td_ik_solve(ik, s->workspace, target, x->value[QUANTITY_Q], y, residuals, &result);
    }
    const bool reached = status == TD_OK && result.status == TD_IK_STATUS_REACHED;
    int code = reached ? EXIT_GOOD : EXIT_NEGATIVE;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else {
        if (result.status == TD_IK_STATUS_OPEN) {
            complain("no configuration was found with closed loops and within limits");
        }
        if (!reached) {
            ik_complain_ranges(s, options, result.status != TD_IK_STATUS_OPEN ? y : NULL);
        }
        if (options_tabular(&options->common)) {
            ik_writer w = ik_writer_new(s, c, options, "reached");
            if (ik_writer_start(&w, NULL, -1)) {
                ik_writer_row(&w, result.status != TD_IK_STATUS_OPEN ? y : NULL, reached);
            }
            const int written = ik_writer_end(&w, w.written > 0);
            code = written != EXIT_GOOD ? written : code;
        } else if (options->common.json) {
            print_json(c, options, y, reached, residuals);
        } else if (result.status != TD_IK_STATUS_OPEN) {
            print_text(c, options, y, reached, residuals);
        }
    }
    td_ik_free(ik);
    return code;
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    ik_options *options = context;
    if (!ik_find_links(s->model, options)) {
        return EXIT_USAGE;
    }
    return options->points != NULL          ? ik_points(s, c, x, options)
           : options->common.states != NULL ? ik_table(s, c, x, options)
                                            : solve_one(s, c, x, options);
}

static int run(const session *s, void *context)
{
    ik_options *options = context;
    return run_state(s, &options->common, false, options, run_one);
}

int command_ik(int argc, char **argv)
{
    ik_options options = {.common = {.takes_states = true, .table_beside_state = true},
                          .noise = (double)NAN};
    int code = run_session_needing(NEEDS_WORKSPACE, &options_of_ik, argc, argv, &options, run);
    free(options.goal);
    return code;
}
