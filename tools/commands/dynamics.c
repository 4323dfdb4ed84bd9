/* SPDX-License-Identifier: MIT */
/*
 * Inverse and forward dynamics on the command line, see dynamics.h.
 */
#include "commands/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/reactions.h"
#include "input/motors.h"
#include "input/npy.h"
#include "input/passive.h"
#include "output/coordinates_json.h"
#include "output/table.h"
#include "run.h"
#include "text.h"

/* ---- arguments ------------------------------------------------------------------------------- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    dynamics_options *options = state->input;
    (void)arg;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    for (size_t i = 0; i < 4; i++) {
        state->child_inputs[i] = &options->common;
    }
    options->common.takes_states = true;
    return 0;
}

static const struct argp_child children[] = {{&load_argp, 0, NULL, 0},
                                             {&velocity_argp, 0, NULL, 0},
                                             {&passive_argp, 0, NULL, 0},
                                             {&table_argp, 0, NULL, 0},
                                             {0}};

const struct argp dynamics_argp = {NULL, parse, NULL, NULL, children, NULL, NULL};

/* ---- one state ------------------------------------------------------------------------------- */

/* Unit of the k-th entry of a joint in forces or accelerations. */
static const char *si_unit(const coordinates *c, enum quantity quantity, size_t joint, size_t k)
{
    const size_t component =
        joint_component(td_joint_place_at(c->model, joint), quantity, c->tree, k);
    bool slides = coordinate_domain(c->model, joint, quantity, component) == UNIT_SLIDE;
    if (quantity == QUANTITY_TAU) {
        return slides ? "N" : "N m";
    }
    return slides ? "m/s²" : "rad/s²";
}

/* An entry of a quantity beside the largest of its column. */
static number entry(const coordinates *c, const robot_state *x, enum quantity quantity, size_t i)
{
    const double *value = x->value[quantity];
    return number_of_scale(value[i], largest_of(value, c->size[quantity]));
}

/* Rows of a joint: one for each coordinate, or for one with a quaternion its positions, then the
 * rest. */
static void add_rows(table *t, const coordinates *c, const robot_state *x, enum quantity effect,
                     size_t joint)
{
    enum quantity cause = effect == QUANTITY_TAU ? QUANTITY_QDD : QUANTITY_TAU;
    size_t position = coordinates_position(c, joint);
    size_t velocity = coordinates_velocity(c, joint);
    bool apart = has_quaternion(c->model, joint);
    for (size_t k = 0; apart && k < coordinates_count(c, QUANTITY_Q, joint); k++) {
        table_add(t, "%s", c->name[QUANTITY_Q][position + k]);
        table_add(t, "%s", entry(c, x, QUANTITY_Q, position + k).text);
        for (size_t blank = 2; blank < t->columns; blank++) {
            table_add(t, "%s", "");
        }
    }
    for (size_t k = 0; k < coordinates_count(c, QUANTITY_QD, joint); k++) {
        const char *name = c->name[QUANTITY_QD][velocity + k];
        const char *force = strrchr(c->name[QUANTITY_TAU][velocity + k], '.');
        table_add(t, apart ? "%s, %s" : "%s", name, apart ? force : "");
        table_add(t, "%s", apart ? "" : entry(c, x, QUANTITY_Q, position + k).text);
        table_add(t, "%s", entry(c, x, QUANTITY_QD, velocity + k).text);
        table_add(t, "%s", entry(c, x, cause, velocity + k).text);
        table_add(t, "%s", entry(c, x, effect, velocity + k).text);
        table_add(t, "%s", si_unit(c, effect, joint, k));
    }
}

/* u, where it is not simply tau again: motors at followers, fewer or more of them than joints. */
static void print_actuators(const session *s, const coordinates *c, const char *const *names,
                            const double *u, td_status status)
{
    if (c->tree) {
        return;
    }
    if (names == NULL || status != TD_OK) {
        char *missing = motors_missing(s);
        printf("\nno actuator forces: %s%s%s\n",
               td_status_text(names == NULL ? td_actuation_status(c->model) : status),
               *missing != '\0' ? ": " : "", missing);
        free(missing);
        return;
    }
    if (!actuators_differ(c)) {
        return;
    }
    table t = table_new("lrl");
    table_add(&t, "motor");
    table_add(&t, "u");
    table_add(&t, "unit");
    for (size_t i = 0; i < td_nu(c->model); i++) {
        table_add(&t, "%s", names[i]);
        table_add(&t, "%s", number_of_scale(u[i], largest_of(u, td_nu(c->model))).text);
        table_add(&t, "%s", td_actuator_at(c->model, i).turns ? "N m" : "N");
    }
    fputc('\n', stdout);
    table_print(&t, 0);
}

void dynamics_print(const coordinates *c, const robot_state *x, enum quantity effect)
{
    enum quantity cause = effect == QUANTITY_TAU ? QUANTITY_QDD : QUANTITY_TAU;
    const char *const heading[] = {"joint", "q", "qd", quantity_text(cause), quantity_text(effect),
                                   "unit"};
    table t = table_new("lrrrrl");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < c->joints; i++) {
        add_rows(&t, c, x, effect, (size_t)c->joint[i]);
    }
    table_print(&t, 0);
}

static void print_json(const coordinates *c, const tool_options *common, const robot_state *x,
                       const char *const *names, const double *u, const reactions *carried)
{
    cJSON *root = coordinates_json_root(c);
    forces_add_json(common, root);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        coordinates_add_json(c, quantity, x->value[quantity], root);
    }
    if (names != NULL) {
        cJSON_AddItemToObject(root, "u", json_named(names, u, td_nu(c->model)));
    }
    if (carried != NULL) {
        reactions_add_json(carried, root);
    }
    json_print(root, false);
}

static td_status compute(const session *s, const coordinates *c, const dynamics_options *options,
                         const robot_state *x)
{
    const td_forces forces = options_forces(&options->common);
    double *const *value = x->value;
    __typeof__(&td_inverse_dynamics) call =
        options->effect == QUANTITY_TAU ? td_inverse_dynamics : td_forward_dynamics;
    td_status status = call(s->model, s->workspace, value[QUANTITY_Q], value[QUANTITY_QD],
                            value[options->cause], &forces, value[options->effect]);
    for (size_t i = 0; status == TD_OK && i < c->size[options->effect]; i++) {
        if (!isfinite(value[options->effect][i])) { /* a call of one state does not look at it */
            status = TD_ERROR_NOT_FINITE;
        }
    }
    return status;
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const dynamics_options *options = context;
    td_status status = compute(s, c, options, x);
    if (status != TD_OK) {
        return session_complain(s, NULL, status);
    }
    int code = EXIT_GOOD;
    bool inverse = options->effect == QUANTITY_TAU;
    char **names = inverse ? actuator_names(c) : NULL;
    double *u = allocate(td_nu(s->model), sizeof *u);
    td_status forces = TD_OK;
    if (names != NULL) {
        forces = td_forces_to_actuators(s->model, s->workspace, x->value[QUANTITY_Q],
                                        x->value[QUANTITY_TAU], NULL, u, NULL);
    }
    reactions carried = {0};
    if (options->reactions) {
        status = reactions_find(&carried, s, c, x, options);
    }
    if (status != TD_OK) {
        code = session_complain(s, "--reactions", status);
    } else if (options->common.json) {
        print_json(c, &options->common, x, (const char *const *)names, u,
                   options->reactions ? &carried : NULL);
    } else {
        dynamics_print(c, x, options->effect);
        if (inverse) {
            print_actuators(s, c, (const char *const *)names, u, forces);
        }
        if (options->reactions) {
            reactions_print(&carried);
        }
    }
    reactions_free(&carried);
    actuator_names_free(c, names);
    free(u);
    return code;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int run(const session *s, void *context)
{
    dynamics_options *options = context;
    const tool_options *common = &options->common;
    if (!options_tabular(common)) {
        return run_state(s, common, true, options, run_one);
    } else if (options->reactions) { /* of one state with -o */
        complain("--reactions have no columns; -o FILE.json has them");
        return EXIT_USAGE;
    }
    coordinates c = coordinates_new(s->model, common->tree);
    int code = dynamics_table(s, &c, options);
    coordinates_free(&c);
    return code;
}

int dynamics_command(const struct argp *argp, int argc, char **argv, enum quantity cause)
{
    dynamics_options options = {.cause = cause, .frame = TD_FRAME_ALIGNED};
    options.effect = cause == QUANTITY_QDD ? QUANTITY_TAU : QUANTITY_QDD;
    const workspace_needs needs = cause == QUANTITY_TAU ? NEEDS_FORWARD : NEEDS_WORKSPACE;
    return run_session_needing(needs, argp, argc, argv, &options, &options.common, run);
}
