/* SPDX-License-Identifier: MIT */
/*
 * tandem id: the forces that a motion takes, for one state or (id_table.c) a table of them.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "id_table.h"
#include "json.h"
#include "session.h"
#include "state.h"
#include "table.h"
#include "text.h"

typedef struct id_options {
    tool_options common;
    const char *states;
} id_options;

enum { KEY_QD = 0x200, KEY_QDD };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    id_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        break;
    case KEY_QD:
        options_assign(&options->common, QUANTITY_QD, arg);
        break;
    case KEY_QDD:
        options_assign(&options->common, QUANTITY_QDD, arg);
        break;
    case ARGP_KEY_ARG:
        if (options->common.file == NULL || options->states != NULL) {
            return ARGP_ERR_UNKNOWN; /* the shared parser takes FILE, and refuses a third */
        }
        options->states = arg;
        break;
    case ARGP_KEY_END:
        if (options->states != NULL && options->common.assignment_count > 0) {
            argp_error(state, "give a table of states or one state by names, not both");
        }
        if (options->states != NULL && options->common.file != NULL &&
            strcmp(options->states, "-") == 0 && strcmp(options->common.file, "-") == 0) {
            argp_error(state, "FILE and STATES cannot both be standard input");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"qd", KEY_QD, "JOINT=VALUE", 0, "Velocity of a joint (rad/s, m/s)", 0},
    {"qdd", KEY_QDD, "JOINT=VALUE", 0, "Acceleration of a joint (rad/s², m/s²)", 0},
    {0},
};
static const struct argp_child children[] = {{&state_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {argp_options,
                                 parse,
                                 "FILE [STATES]",
                                 "Inverse dynamics: the joint forces (N m, N) that a motion takes, "
                                 "gravity included. STATES is a "
                                 "CSV table ('-' is standard input) with columns q:JOINT, "
                                 "qd:JOINT, qdd:JOINT and perhaps t; the "
                                 "result is one with tau:JOINT, and u:JOINT for the motors. "
                                 "Without STATES, one state by -q, --qd "
                                 "and --qdd.",
                                 children,
                                 NULL,
                                 NULL};

/* Unit of the k-th force of a joint. */
static const char *force_unit(td_joint_type type, size_t k)
{
    bool force = type == TD_JOINT_PRISMATIC || (type == TD_JOINT_PLANAR && k < 2) ||
                 (type == TD_JOINT_FLOATING && k >= 3);
    return force ? "N" : "N m";
}

/* Rows of a joint: one for each coordinate, or for a floating one its positions, then the rest. */
static void add_rows(table *t, const coordinates *c, const robot_state *x, size_t joint)
{
    td_joint_place place = td_joint_place_at(c->model, joint);
    td_joint_type type = td_joint_at(c->model, joint)->type;
    size_t position = coordinates_position(c, joint);
    size_t velocity = coordinates_velocity(c, joint);
    bool apart = type == TD_JOINT_FLOATING;
    for (size_t k = 0; apart && k < (size_t)place.nq; k++) {
        table_add(t, "%s", c->name[QUANTITY_Q][position + k]);
        table_add(t, "%s", number_brief(x->value[QUANTITY_Q][position + k]).text);
        for (size_t blank = 2; blank < t->columns; blank++) {
            table_add(t, "%s", "");
        }
    }
    for (size_t k = 0; k < (size_t)place.nv; k++) {
        const char *name = c->name[QUANTITY_QD][velocity + k];
        const char *force = strrchr(c->name[QUANTITY_TAU][velocity + k], '.');
        table_add(t, apart ? "%s, %s" : "%s", name, apart ? force : "");
        table_add(t, "%s", apart ? "" : number_brief(x->value[QUANTITY_Q][position + k]).text);
        table_add(t, "%s", number_brief(x->value[QUANTITY_QD][velocity + k]).text);
        table_add(t, "%s", number_brief(x->value[QUANTITY_QDD][velocity + k]).text);
        table_add(t, "%s", number_brief(x->value[QUANTITY_TAU][velocity + k]).text);
        table_add(t, "%s", force_unit(type, k));
    }
}

/* u, where it is not simply tau again: motors at followers, fewer or more of them than joints. */
static void print_actuators(const coordinates *c, const char *const *names, const double *u)
{
    td_status status = td_actuation_status(c->model);
    if (c->tree) {
        return;
    }
    if (names == NULL) {
        printf("\nno actuator forces: %s\n", td_status_text(status));
        return;
    }
    bool same = true;
    for (size_t i = 0; i < td_nu(c->model); i++) {
        same = same && coordinates_find(c, QUANTITY_TAU, names[i]) >= 0;
    }
    if (same) {
        return;
    }
    table t = table_new("lrl");
    table_add(&t, "motor");
    table_add(&t, "u");
    table_add(&t, "unit");
    for (size_t i = 0; i < td_nu(c->model); i++) {
        size_t joint = (size_t)td_actuated_joint(c->model, i);
        table_add(&t, "%s", names[i]);
        table_add(&t, "%s", number_brief(u[i]).text);
        bool theta = td_joint_place_at(c->model, joint).nv > 1 &&
                     strcmp(strrchr(names[i], '.'), ".theta") == 0;
        table_add(&t, "%s", force_unit(td_joint_at(c->model, joint)->type, theta ? 2 : 0));
    }
    fputc('\n', stdout);
    table_print(&t, 0);
}

static void print_state(const coordinates *c, const robot_state *x)
{
    static const char *const heading[] = {"joint", "q", "qd", "qdd", "tau", "unit"};
    table t = table_new("lrrrrl");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < c->joints; i++) {
        add_rows(&t, c, x, (size_t)c->joint[i]);
    }
    table_print(&t, 0);
}

static void print_json(const coordinates *c, const robot_state *x, const char *const *names,
                       const double *u)
{
    cJSON *root = json_root(td_model_name(c->model));
    cJSON_AddItemToObject(root, "coordinates", json_text(c->tree ? "tree" : "independent"));
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        cJSON_AddItemToObject(root, quantity_text(quantity),
                              json_named(c->name[quantity], x->value[quantity], c->size[quantity]));
    }
    if (names != NULL) {
        cJSON_AddItemToObject(root, "u", json_named(names, u, td_nu(c->model)));
    }
    json_print(root, false);
}

static td_status compute(const session *s, const coordinates *c, const robot_state *x)
{
    const double *q = x->value[QUANTITY_Q];
    const double *qd = x->value[QUANTITY_QD];
    const double *qdd = x->value[QUANTITY_QDD];
    double *tau = x->value[QUANTITY_TAU];
    return c->tree ? td_tree_inverse_dynamics(s->model, s->workspace, q, qd, qdd, NULL, tau)
                   : td_inverse_dynamics(s->model, s->workspace, q, qd, qdd, NULL, tau);
}

static int run_state(const session *s, const coordinates *c, const id_options *options)
{
    robot_state x = state_new(c);
    int code = EXIT_USAGE;
    if (state_read(&x, c, &options->common, true)) {
        td_status status = compute(s, c, &x);
        if (status != TD_OK) {
            complain("%s", td_status_text(status));
        } else {
            char **names = actuator_names(c);
            double *u = allocate(td_nu(s->model), sizeof *u);
            if (names != NULL) {
                td_actuator_forces(s->model, s->workspace, x.value[QUANTITY_TAU], u);
            }
            if (options->common.json) {
                print_json(c, &x, (const char *const *)names, u);
            } else {
                print_state(c, &x);
                print_actuators(c, (const char *const *)names, u);
            }
            actuator_names_free(c, names);
            free(u);
            code = EXIT_GOOD;
        }
    }
    state_free(&x);
    return code;
}

int command_id(int argc, char **argv)
{
    id_options options = {.states = NULL};
    session s;
    parse_arguments(&argp, argc, argv, &options, &options.common);
    int code = session_open(&s, &options.common, false);
    if (code == EXIT_GOOD) {
        coordinates c = coordinates_new(s.model, options.common.tree);
        code = options.states != NULL ? id_table(&s, &c, options.states, options.common.json)
                                      : run_state(&s, &c, &options);
        coordinates_free(&c);
        session_close(&s);
    }
    options_free(&options.common);
    return code;
}
