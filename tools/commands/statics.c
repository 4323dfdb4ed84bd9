/* SPDX-License-Identifier: MIT */
/*
 * tandem statics: where a robot comes to rest under loads, on its springs and flexible links, and
 * how a link yields there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/linearize.h"
#include "input/option_value.h"
#include "output/coordinates_json.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

enum { KEY_TAU = 0x200, KEY_LOAD, KEY_HOLD, KEY_POINT };

typedef struct statics_options {
    tool_options common;
    const char *hold;
    const char *link; /* NULL: none */
    bool pointed;     /* there is a point */
    double point[3];
} statics_options;

static void add_load(statics_options *options, const char *text, struct argp_state *state)
{
    char *fault = loads_add_force(&options->common.loads, text);
    if (fault != NULL) {
        option_error(state, "%s", fault);
    }
    free(fault);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    statics_options *options = state->input;
    switch (key) {
    case KEY_TAU:
        options_assign(&options->common, QUANTITY_TAU, arg);
        break;
    case KEY_LOAD:
        add_load(options, arg, state);
        break;
    case KEY_HOLD:
        options->hold = arg;
        break;
    case 'l':
        options->link = arg;
        break;
    case KEY_POINT:
        option_point(arg, options->point, state);
        options->pointed = true;
        break;
    case ARGP_KEY_END:
        if (options->common.tree) {
            option_error(state,
                         "independent coordinates come to rest; --open-loops makes all of the "
                         "tree's that");
        } else if (options->pointed && options->link == NULL) {
            option_error(state, "--point is one of a link: --link NAME");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"load", KEY_LOAD, "LINK=FX,FY,FZ", 0,
     "A force (N) at the origin of a link, in world axes: --wrench without a moment; may be "
     "repeated",
     0},
    {"tau", KEY_TAU, "JOINT=VALUE", 0, TAU_HELP, 0},
    {"hold", KEY_HOLD, "JOINT,...", 0, HOLD_HELP, 0},
    {"link", 'l', "NAME", 0, "How this link is moved, and its compliance and stiffness at rest", 0},
    {"point", KEY_POINT, "X,Y,Z", 0, POINT_HELP, 0},
    {0},
};
static const struct argp_child children[] = {
    {&load_argp, 0, NULL, 0}, {&state_argp, 0, NULL, 0}, {0}};
const struct argp statics_argp = {
    argp_options,
    parse,
    "FILE",
    "The configuration at rest nearest to -q, under gravity, springs, bending of flexible links, "
    "loads on links and forces of joints; and what joints that are held take.\v"
    "Examples:\n  tandem statics robot.urdf --hold shoulder,elbow --load hand=0,0,-20 --link hand\n"
    "  tandem statics robot.urdf --json\n",
    children,
    NULL,
    NULL};

/* ---- computation ----------------------------------------------------------------------------- */

typedef struct rest {
    const coordinates *c;
    double *start, *tau;          /* ny, nyd: where it began; forces at rest */
    double before[12], after[12]; /* poses of the link */
    double shift[3], turn[3];     /* of the point, and about the axis turned */
    link_stiffness yields;
} rest;

static td_status pose_of(const session *s, size_t link, const double *y, double pose[12])
{
    double *all = allocate(12 * td_link_count(s->model), sizeof *all);
    td_status status = td_link_poses(s->model, s->workspace, y, all);
    memcpy(pose, all + 12 * link, 12 * sizeof *pose);
    free(all);
    return status;
}

/* How the point moves from one pose to the other, and the link turns: of the quaternion b a⁻¹. */
static void displace(rest *r, const double point[3])
{
    double from[3], to[3], a[4], b[4];
    td_pose_split(r->before, from, a);
    td_pose_split(r->after, to, b);
    for (int i = 0; i < 3; i++) {
        r->shift[i] = to[i] - from[i];
        for (int k = 0; k < 3; k++) {
            r->shift[i] += (r->after[4 * i + k] - r->before[4 * i + k]) * point[k];
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
        r->turn[i] = sine > 0 ? 2 * atan2(copysign(sine, w), fabs(w)) * v[i] / sine : 0;
    }
}

/* The state is moved to where it rests. */
static td_status settle(const session *s, const statics_options *options, robot_state *x,
                        const td_forces *forces, rest *r)
{
    double *y = x->value[QUANTITY_Q];
    td_linearization *l;
    td_status status = td_linearization_new(s->model, TD_INPUTS_FORCES, &l);
    memcpy(r->start, y, r->c->size[QUANTITY_Q] * sizeof *y);
    if (status == TD_OK) {
        status = td_equilibrium(l, s->workspace, y, x->value[QUANTITY_TAU], forces, r->yields.held);
    }
    td_linearization_free(l);
    if (status == TD_OK) {
        status = td_inverse_dynamics(s->model, s->workspace, y, NULL, NULL, forces, r->tau);
    }
    for (size_t i = 0; i < r->c->size[QUANTITY_TAU]; i++) { /* equal up to rounding */
        r->tau[i] = r->yields.held[i] ? r->tau[i] : x->value[QUANTITY_TAU][i];
    }
    if (status != TD_OK || options->link == NULL) {
        return status;
    }
    double at[3];
    const size_t link =
        (size_t)find_link_point(s->model, options->link, options->pointed, options->point, at);
    status = pose_of(s, link, r->start, r->before);
    if (status == TD_OK) {
        status = pose_of(s, link, y, r->after);
    }
    if (status == TD_OK) {
        displace(r, at);
        status = td_link_compliance(s->model, s->workspace, link, at, y, forces, r->yields.held,
                                    r->yields.K, r->yields.compliance, r->yields.stiffness);
    }
    return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_text(const rest *r, const robot_state *x, const statics_options *options)
{
    const coordinates *c = r->c;
    const char *const heading[] = {"joint", "start", "at rest", "force", ""};
    table t = table_new("lrrrl");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    const double *q = x->value[QUANTITY_Q];
    const double largest = largest_of(r->tau, c->size[QUANTITY_TAU]);
    for (size_t i = 0; i < c->joints; i++) {
        const size_t joint = (size_t)c->joint[i], position = coordinates_position(c, joint);
        const size_t velocity = coordinates_velocity(c, joint);
        const bool apart = has_quaternion(c->model, joint); /* positions, then forces */
        for (size_t k = 0; k < coordinates_count(c, QUANTITY_Q, joint); k++) {
            const size_t v = velocity + k;
            table_add(&t, "%s", c->name[QUANTITY_Q][position + k]);
            table_add(&t, "%s", number_place(r->start[position + k]).text);
            table_add(&t, "%s", number_place(q[position + k]).text);
            table_add(&t, "%s", apart ? "" : number_of_scale(r->tau[v], largest).text);
            table_add(&t, "%s", !apart && r->yields.held[v] ? "held" : "");
        }
        for (size_t k = 0; apart && k < coordinates_count(c, QUANTITY_QD, joint); k++) {
            const size_t v = velocity + k;
            table_add(&t, "%s", c->name[QUANTITY_TAU][v]);
            table_add(&t, "%s", "");
            table_add(&t, "%s", "");
            table_add(&t, "%s", number_of_scale(r->tau[v], largest).text);
            table_add(&t, "%s", r->yields.held[v] ? "held" : "");
        }
    }
    table_print(&t, 0);
    if (options->link == NULL) {
        return;
    }
    printf("\n'%s' turns by %s, %s, %s rad and moves by %s, %s, %s m\n", options->link,
           number_place(r->turn[0]).text, number_place(r->turn[1]).text,
           number_place(r->turn[2]).text, number_place(r->shift[0]).text,
           number_place(r->shift[1]).text, number_place(r->shift[2]).text);
    fputc('\n', stdout);
    stiffness_print(&r->yields, options->link);
}

static void print_json(const rest *r, const robot_state *x, const statics_options *options)
{
    const coordinates *c = r->c;
    cJSON *root = coordinates_json_root(c);
    loads_add_json(&options->common.loads, root);
    coordinates_add_names(c, root);
    cJSON_AddItemToObject(root, "start",
                          json_named(c->name[QUANTITY_Q], r->start, c->size[QUANTITY_Q]));
    coordinates_add_json(c, QUANTITY_Q, x->value[QUANTITY_Q], root);
    coordinates_add_json(c, QUANTITY_TAU, r->tau, root);
    if (options->link != NULL) {
        cJSON_AddItemToObject(root, "turn", json_numbers(r->turn, 3));
        cJSON_AddItemToObject(root, "shift", json_numbers(r->shift, 3));
    }
    stiffness_add_json(&r->yields, options->link, options->point, root);
    json_print(root, false);
}

static int run_one(const session *s, const coordinates *c, const robot_state *state, void *context)
{
    const statics_options *options = context;
    robot_state x = *state;
    const size_t n = td_nyd(s->model);
    rest r = {.c = c,
              .start = allocate(td_ny(s->model), sizeof(double)),
              .tau = allocate(n, sizeof(double)),
              .yields = {.c = c, .K = allocate(n * n, sizeof(double))}};
    unsigned char *held = held_joints(s->model, options->hold);
    int code = EXIT_USAGE;
    if (held != NULL && (options->link == NULL || find_link(s->model, options->link) >= 0)) {
        td_forces forces = td_forces_default();
        forces.passive = true;
        forces.wrenches = s->loads->total;
        forces.wrench_frame = loads_frame(s->loads);
        r.yields.held = held;
        td_status status = settle(s, options, &x, &forces, &r);
        if (status == TD_OK) {
            (options->common.json ? print_json : print_text)(&r, &x, options);
            code = EXIT_GOOD;
        } else {
            code = session_complain(s, NULL, status);
        }
    }
    free(held);
    free(r.start);
    free(r.tau);
    free(r.yields.K);
    return code;
}

static int run(const session *s, void *context)
{
    statics_options *options = context;
    if (td_nyd(s->model) == 0) {
        puts("no joint moves: the robot is at rest");
        return EXIT_GOOD;
    }
    return run_state(s, &options->common, false, options, run_one);
}

int command_statics(int argc, char **argv)
{
    statics_options options = {.link = NULL};
    return run_session(&statics_argp, argc, argv, &options, &options.common, run);
}
