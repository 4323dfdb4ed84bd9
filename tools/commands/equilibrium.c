/* SPDX-License-Identifier: MIT */
/*
 * tandem equilibrium: finds where a robot with springs and flexible links rests under loads, and
 * the compliance and stiffness of a link there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/linearize.h"
#include "input/option_value.h"
#include "output/json.h"
#include "output/matrix.h"
#include "output/table.h"
#include "state_command.h"
#include "text.h"

typedef struct equilibrium_options {
    tool_options common;
    const char *hold;
    const char *link; /* NULL: none */
    given_point point;
    unsigned char *held; /* nyd bytes */
    size_t index;        /* index of the link */
    double at[3];        /* the point in the link's coordinates */
} equilibrium_options;

#define AT(member) .at = offsetof(equilibrium_options, member)

static const command_option command_rows[] = {
    {"load", "LINK=FX,FY,FZ",
     "Apply a force (N) at the origin of a link, in world axes, like --wrench without a moment; "
     "may be repeated",
     option_load, .at = 0},
    {"tau", "JOINT=VALUE", TAU_HELP, option_assign, .at = QUANTITY_TAU},
    {"hold", "JOINT,...", HOLD_HELP, option_text, AT(hold)},
    {"stiffness", "LINK",
     "Print how this link is displaced, and its compliance and stiffness at rest", option_text,
     AT(link)},
    {"point", "X,Y,Z", POINT_HELP, option_point, AT(point)},
    {0},
};
static const option_rule rules[] = {
    {"tree", NULL, NULL,
     "--tree: equilibria are computed in independent coordinates; --open-loops makes all "
     "coordinates of the tree independent"},
    {"point", "stiffness", NULL,
     "--point is a point of the link of --stiffness; add --stiffness LINK"},
    {0},
};
const option_set options_of_equilibrium = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .rules = rules,
    .about =
        "Find the configuration at rest nearest to -q, under gravity, springs, bending of flexible "
        "links, loads on links and joint forces, and print the forces on the joints of --hold. "
        "STATES "
        "is a table of initial configurations, optionally with columns tau:JOINT and "
        "wrench:LINK.fx; "
        "the result has columns q:JOINT and tau:JOINT at rest.\vExamples:\n  tandem equilibrium "
        "robot.urdf --hold shoulder,elbow --load hand=0,0,-20 --stiffness hand\n  tandem "
        "equilibrium "
        "robot.urdf --json\n",
    .parts = {&load_set, &state_set, &table_set}};

/* ---- outputs --------------------------------------------------------------------------------- */

enum { START, AT_REST, FORCE, TURN, SHIFT, STIFFNESS_K, COMPLIANCE, STIFFNESS };

static const char *const twist_name[] = {"rx", "ry", "rz", "x", "y", "z"};

static void declare_named(outputs *o, enum quantity quantity, const char *key, bool no_columns)
{
    outputs_add(o, (output){.kind = OUTPUT_NAMED,
                            .key = key,
                            .prefix = key,
                            .column = o->c->name[quantity],
                            .columns = o->c->size[quantity],
                            .no_columns = no_columns});
}

static void declare_matrix(outputs *o, output_kind kind, const char *key, const char *const *name,
                           size_t count)
{
    outputs_add(o, (output){.kind = kind,
                            .key = key,
                            .prefix = key,
                            .row = name,
                            .column = name,
                            .rows = count,
                            .columns = count});
}

static bool declare(outputs *o, const session *s, void *context)
{
    static const char *const axes[] = {"x", "y", "z"};
    equilibrium_options *options = context;
    options->held = held_joints(s->model, options->hold);
    if (options->held == NULL) {
        return false;
    }
    outputs_keep(o, options->held);
    declare_named(o, QUANTITY_Q, "start", true);
    declare_named(o, QUANTITY_Q, "q", false);
    declare_named(o, QUANTITY_TAU, "tau", false);
    if (options->link == NULL) {
        return true;
    }
    const int link = find_link_point(s->model, options->link, options->point.given,
                                     options->point.at, options->at);
    options->index = link >= 0 ? (size_t)link : 0;
    outputs_add(o, (output){.kind = OUTPUT_POINT, .key = "turn", .column = axes, .columns = 3})
        ->prefix = "turn";
    outputs_add(o, (output){.kind = OUTPUT_POINT, .key = "shift", .column = axes, .columns = 3})
        ->prefix = "shift";
    declare_matrix(o, OUTPUT_MATRIX, "K", o->c->name[QUANTITY_QD], o->c->size[QUANTITY_QD]);
    declare_matrix(o, OUTPUT_SYMMETRIC, "compliance", twist_name, 6);
    declare_matrix(o, OUTPUT_SYMMETRIC, "stiffness", twist_name, 6);
    return link >= 0;
}

/* ---- computation ----------------------------------------------------------------------------- */

static td_status pose_of(const session *s, size_t link, const double *y, double pose[12])
{
    scoped double *all = allocate(12 * td_link_count(s->model), sizeof *all);
    td_status status = td_link_poses(s->model, s->workspace, y, all);
    memcpy(pose, all + 12 * link, 12 * sizeof *pose);
    return status;
}

/* Computes the displacement of the point from one pose to the other, and the rotation vector of the
   link from the quaternion b a⁻¹. */
static void displace(const double before[12], const double after[12], const double point[3],
                     double turn[3], double shift[3])
{
    double from[3], to[3], a[4], b[4];
    td_pose_split(before, from, a);
    td_pose_split(after, to, b);
    for (int i = 0; i < 3; i++) {
        shift[i] = to[i] - from[i];
        for (int k = 0; k < 3; k++) {
            shift[i] += (after[4 * i + k] - before[4 * i + k]) * point[k];
        }
    }
    const double w = a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double v[3], sine = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = a[3] * b[i] - b[3] * a[i] + a[j] * b[k] - a[k] * b[j];
        sine = hypot(sine, v[i]);
    }
    for (int i = 0; i < 3; i++) {
        turn[i] = sine > 0 ? 2 * atan2(copysign(sine, w), fabs(w)) * v[i] / sine : 0;
    }
}

/* Computes the displacement of the link and its stiffness. */
static td_status compute_link(const session *s, const equilibrium_options *options,
                              const td_forces *forces, double *const *out)
{
    double before[12], after[12];
    td_status status = pose_of(s, options->index, out[START], before);
    if (status == TD_OK) {
        status = pose_of(s, options->index, out[AT_REST], after);
    }
    if (status == TD_OK) {
        displace(before, after, options->at, out[TURN], out[SHIFT]);
        status = td_link_compliance(s->model, s->workspace, options->index, options->at,
                                    out[AT_REST], forces, options->held, out[STIFFNESS_K],
                                    out[COMPLIANCE], out[STIFFNESS]);
    }
    return status;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    const equilibrium_options *options = context;
    const size_t n = c->size[QUANTITY_TAU];
    td_forces forces = x->forces;
    td_linearization *l;
    forces.passive = true;
    memcpy(out[START], x->q, c->size[QUANTITY_Q] * sizeof *x->q);
    memcpy(out[AT_REST], x->q, c->size[QUANTITY_Q] * sizeof *x->q);
    if (n == 0) {
        return TD_OK;
    }
    td_status status = td_linearization_new(s->model, TD_INPUTS_FORCES, &l);
    if (status == TD_OK) {
        status = td_equilibrium(l, s->workspace, out[AT_REST], x->third, &forces, options->held);
    }
    td_linearization_free(l);
    if (status == TD_OK) {
        status = td_inverse_dynamics(s->model, s->workspace, out[AT_REST], NULL, NULL, &forces,
                                     out[FORCE]);
    }
    for (size_t i = 0; i < n; i++) { /* equal up to rounding */
        out[FORCE][i] = options->held[i] ? out[FORCE][i] : x->third[i];
    }
    return status == TD_OK && options->link != NULL ? compute_link(s, options, &forces, out)
                                                    : status;
}

/* ---- text and JSON --------------------------------------------------------------------------- */

enum { MOST_OF_K = 12 }; /* K is printed up to this size */

static void print_stiffness(const outputs *o, const char *link, const double *const *value)
{
    const char *const *names = o->c->name[QUANTITY_QD];
    const size_t n = o->c->size[QUANTITY_QD];
    const named_matrix K = {"K", names, names, n, n, value[STIFFNESS_K], false};
    named_matrix m = {"entry", twist_name, twist_name, 6, 6, value[COMPLIANCE], true};
    if (n <= MOST_OF_K) {
        puts("K, ∂τ/∂y at rest");
        matrix_print(&K);
        putchar('\n');
    }
    printf("compliance of '%s': rotation and translation per moment and force, world axes\n", link);
    matrix_print(&m);
    if (isfinite(*value[STIFFNESS])) {
        puts("\nstiffness");
        m.x = value[STIFFNESS];
        matrix_print(&m);
    } else {
        puts("\nno stiffness: the link is rigid in some of the six directions");
    }
}

/* Adds a row of a coordinate. NULL leaves the position or force empty. */
static void add_row(table *t, const char *name, const double *start, const double *at_rest,
                    const number *force, bool held)
{
    table_add(t, "%s", name);
    table_add(t, "%s", start != NULL ? number_place(*start).text : "");
    table_add(t, "%s", start != NULL ? number_place(*at_rest).text : "");
    table_add(t, "%s", force != NULL ? force->text : "");
    table_add(t, "%s", force != NULL && held ? "held" : "");
}

static void print(const outputs *o, const session *s, const robot_state *x, const void *context,
                  const double *const *value)
{
    const equilibrium_options *options = context;
    const coordinates *c = o->c;
    const char *const heading[] = {"joint", "start", "at rest", "force", ""};
    table t = table_new("lrrrl");
    (void)s, (void)x;
    if (c->size[QUANTITY_TAU] == 0) {
        puts("no joint moves: the robot is at rest");
        return;
    }
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    const double largest = largest_of(value[FORCE], c->size[QUANTITY_TAU]);
    for (size_t i = 0; i < c->joints; i++) {
        const size_t joint = c->joint[i], position = coordinates_position(c, joint);
        const size_t velocity = coordinates_velocity(c, joint);
        const bool apart = has_quaternion(c->model, joint); /* lists positions, then forces */
        for (size_t k = 0; k < coordinates_count(c, QUANTITY_Q, joint); k++) {
            const number force = number_of_scale(apart ? 0 : value[FORCE][velocity + k], largest);
            add_row(&t, c->name[QUANTITY_Q][position + k], &value[START][position + k],
                    &value[AT_REST][position + k], apart ? NULL : &force,
                    !apart && options->held[velocity + k]);
        }
        for (size_t k = 0; apart && k < coordinates_count(c, QUANTITY_QD, joint); k++) {
            const number force = number_of_scale(value[FORCE][velocity + k], largest);
            add_row(&t, c->name[QUANTITY_TAU][velocity + k], NULL, NULL, &force,
                    options->held[velocity + k]);
        }
    }
    table_print(&t, 0);
    if (options->link != NULL) {
        const double *turn = value[TURN], *shift = value[SHIFT];
        printf("\n'%s' rotates by %s, %s, %s rad and moves by %s, %s, %s m\n\n", options->link,
               number_place(turn[0]).text, number_place(turn[1]).text, number_place(turn[2]).text,
               number_place(shift[0]).text, number_place(shift[1]).text,
               number_place(shift[2]).text);
        print_stiffness(o, options->link, value);
    }
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const equilibrium_options *options = context;
    loads_add_json(&options->common.loads, root);
    coordinates c = coordinates_new(s->model, false);
    cJSON *held = cJSON_AddArrayToObject(root, "held");
    for (size_t i = 0; i < c.size[QUANTITY_QD]; i++) {
        if (options->held[i]) {
            cJSON_AddItemToArray(held, json_text(c.name[QUANTITY_QD][i]));
        }
    }
    coordinates_free(&c);
    if (options->link != NULL) {
        cJSON_AddItemToObject(root, "link", json_text(options->link));
        cJSON_AddItemToObject(root, "point", json_numbers(options->point.at, 3));
    }
}

int command_equilibrium(int argc, char **argv)
{
    static const enum quantity given = QUANTITY_TAU;
    static const state_command command = {.set = &options_of_equilibrium,
                                          .needs = NEEDS_MATRICES,
                                          .third = &given,
                                          .used = USES_Q,
                                          .wrenches = true,
                                          .declare = declare,
                                          .compute = compute,
                                          .head = add_head,
                                          .print = print};
    equilibrium_options options = {.common = {.takes_states = true}};
    return run_state_command(&command, argc, argv, &options);
}
