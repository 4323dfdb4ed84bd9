/* SPDX-License-Identifier: MIT */
/*
 * tandem derivatives: how inverse or forward dynamics change with the state and with what causes
 * the motion, for one state or a table of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/dynamics.h"
#include "input/passive.h"
#include "output/coordinates_json.h"
#include "output/matrix.h"
#include "output/row_table.h"
#include "run.h"
#include "text.h"

enum { KEY_OF = 0x200, KEY_QDD, KEY_TAU, MATRICES = 3 };

static void read_of(dynamics_options *options, const char *text, struct argp_state *state)
{
    if (strcmp(text, "id") == 0) {
        options->cause = QUANTITY_QDD;
    } else if (strcmp(text, "fd") == 0) {
        options->cause = QUANTITY_TAU;
    } else {
        option_error(state, "--of is 'id' or 'fd', not '%s'", text);
    }
}

/* What only the other of both takes. */
static void check_causes(const dynamics_options *options, struct argp_state *state)
{
    for (size_t i = 0; i < options->common.assignment_count; i++) {
        if (options->common.assignments[i].quantity == options->effect) {
            option_error(state, "--%s is what --of %s gives", quantity_text(options->effect),
                         options->effect == QUANTITY_TAU ? "id" : "fd");
        }
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    dynamics_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        break;
    case KEY_OF:
        read_of(options, arg, state);
        break;
    case KEY_QDD:
        options_assign(&options->common, QUANTITY_QDD, arg);
        break;
    case KEY_TAU:
        options_assign(&options->common, QUANTITY_TAU, arg);
        break;
    case ARGP_KEY_END:
        options->effect = options->cause == QUANTITY_QDD ? QUANTITY_TAU : QUANTITY_QDD;
        check_causes(options, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option argp_options[] = {
    {"of", KEY_OF, "WHAT", 0,
     "Of inverse dynamics, 'id' (default): ∂τ/∂y, ∂τ/∂ẏ and H = ∂τ/∂ÿ; or of forward dynamics, "
     "'fd': ∂ÿ/∂y, ∂ÿ/∂ẏ and ∂ÿ/∂τ",
     0},
    {"qdd", KEY_QDD, "JOINT=VALUE", 0, QDD_HELP "; of 'id'", 0},
    {"tau", KEY_TAU, "JOINT=VALUE", 0, TAU_HELP "; of 'fd'", 0},
    {0},
};
static const struct argp_child children[] = {
    {&dynamics_argp, 0, NULL, 0}, {&plan_argp, 0, NULL, 0}, {0}};
const struct argp derivatives_argp = {
    argp_options,
    parse,
    "FILE [STATES]",
    "Derivatives of inverse or forward dynamics along the coordinates, their velocities, and "
    "accelerations or forces, exact to rounding. An entry is how its row changes with its column; "
    "along a floating, ball or planar joint with velocities of the joint. Of matrices too large "
    "for a page only the entries are printed that are not zero. STATES is a CSV table as of "
    "'tandem id' or 'tandem fd' ('-' is standard input); the result is one with the columns "
    "tau:JOINT, \"dtau_y_dy:JOINT,JOINT\", \"dtau_y_dyd:...\" and \"H:...\", or qdd:JOINT and "
    "\"dydd_dy:...\", \"dydd_dyd:...\" and \"dydd_dtau_y:...\", with --tree dtau_dq and so on.\v"
    "Examples:\n  tandem derivatives robot.urdf -q elbow=90deg --qd elbow=1\n"
    "  tandem derivatives --of fd robot.urdf --tau elbow=2 --json\n"
    "  tandem derivatives robot.urdf motion.csv -o derivatives.npy\n",
    children,
    NULL,
    NULL};

/* Key of a matrix: of id tau along y, yd, and H; of fd ydd along y, yd, tau; --tree: q for y. */
static const char *matrix_key(const coordinates *c, enum quantity effect, size_t k)
{
    static const char *const key[2][2][MATRICES] = {
        {{"dtau_y_dy", "dtau_y_dyd", "H"}, {"dtau_dq", "dtau_dqd", "H"}},
        {{"dydd_dy", "dydd_dyd", "dydd_dtau_y"}, {"dqdd_dq", "dqdd_dqd", "dqdd_dtau"}}};
    return key[effect == QUANTITY_QDD][c->tree][k];
}

/* out: the effect (n) and the matrices (n × n each), one after the other */
static td_status compute(const session *s, const coordinates *c, const double *q, const double *qd,
                         const double *cause, const void *context, double *out)
{
    const dynamics_options *options = context;
    const size_t n = c->size[QUANTITY_QD];
    const td_forces forces = options_forces(&options->common);
    double *matrix = out + n;
    __typeof__(&td_inverse_dynamics_derivatives) call = options->effect == QUANTITY_TAU
                                                            ? td_inverse_dynamics_derivatives
                                                            : td_forward_dynamics_derivatives;
    td_status status = call(s->model, s->workspace, q, qd, cause, &forces, out, matrix,
                            matrix + n * n, matrix + 2 * n * n);
    for (size_t i = 0; status == TD_OK && i < n + MATRICES * n * n; i++) {
        status = isfinite(out[i]) ? TD_OK : TD_ERROR_NOT_FINITE;
    }
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_head(const coordinates *c, const void *context)
{
    const dynamics_options *options = context;
    cJSON *root = coordinates_json_root(c);
    forces_add_json(&options->common, root);
    cJSON_AddItemToObject(root, "of", json_text(options->effect == QUANTITY_TAU ? "id" : "fd"));
    coordinates_add_names(c, root);
    return root;
}

static void json_state(const coordinates *c, const void *context, const double *out, cJSON *state)
{
    const dynamics_options *options = context;
    const size_t n = c->size[QUANTITY_QD];
    coordinates_add_json(c, options->effect, out, state);
    for (size_t k = 0; k < MATRICES; k++) {
        cJSON_AddItemToObject(state, matrix_key(c, options->effect, k),
                              json_matrix(out + n + k * n * n, n, n));
    }
}

static void print_json(const coordinates *c, const robot_state *x, const dynamics_options *options,
                       const double *out)
{
    const enum quantity given[] = {QUANTITY_Q, QUANTITY_QD, options->cause};
    cJSON *root = json_head(c, options);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        coordinates_add_json(c, given[i], x->value[given[i]], root);
    }
    json_state(c, options, out, root);
    json_print(root, false);
}

/* ---- one state ------------------------------------------------------------------------------- */

static void print_text(const coordinates *c, const robot_state *x, const dynamics_options *options)
{
    static const char *const meaning[2][2][MATRICES] = {
        {{"∂τ/∂y", "∂τ/∂ẏ", "∂τ/∂ÿ"}, {"∂τ/∂q", "∂τ/∂q̇", "∂τ/∂q̈"}},
        {{"∂ÿ/∂y", "∂ÿ/∂ẏ", "∂ÿ/∂τ"}, {"∂q̈/∂q", "∂q̈/∂q̇", "∂q̈/∂τ"}}};
    const size_t n = c->size[QUANTITY_QD];
    if (n == 0) {
        puts("no joint moves: there are no derivatives");
        return;
    }
    const double *matrix = x->value[options->effect] + n;
    dynamics_print(c, x, options->effect);
    for (size_t k = 0; k < MATRICES; k++) {
        const char *key = matrix_key(c, options->effect, k);
        const char *const *names = c->name[QUANTITY_QD];
        const named_matrix m = {key, names, names, n, n, matrix + k * n * n, false};
        printf("\n%s, %s\n", key, meaning[options->effect == QUANTITY_QDD][c->tree][k]);
        matrix_print(&m);
    }
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const dynamics_options *options = context;
    const size_t n = c->size[QUANTITY_QD];
    double *out = allocate(n + MATRICES * n * n, sizeof *out);
    td_status status = compute(s, c, x->value[QUANTITY_Q], x->value[QUANTITY_QD],
                               x->value[options->cause], options, out);
    int code = EXIT_GOOD;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else if (options->common.json) {
        print_json(c, x, options, out);
    } else {
        robot_state with = *x; /* the effect is where the results begin */
        with.value[options->effect] = out;
        print_text(c, &with, options);
    }
    free(out);
    return code;
}

/* ---- a table --------------------------------------------------------------------------------- */

static int run_table(const session *s, const dynamics_options *options)
{
    coordinates c = coordinates_new(s->model, options->common.tree);
    const char **name = c.name[QUANTITY_QD];
    const size_t n = c.size[QUANTITY_QD];
    row_columns columns = {.name = NULL};
    for (size_t i = 0; i < n; i++) {
        row_columns_add(&columns, quantity_text(options->effect), c.name[options->effect][i]);
    }
    for (size_t k = 0; k < MATRICES; k++) {
        for (size_t i = 0; i < n * n; i++) {
            char *pair = text_format("%s,%s", name[i / n], name[i % n]);
            row_columns_add(&columns, matrix_key(&c, options->effect, k), pair);
            free(pair);
        }
    }
    const row_form form = {.forces = options->cause == QUANTITY_TAU,
                           .velocities = true,
                           .causes = true,
                           .compute = compute,
                           .context = options,
                           .json_head = json_head,
                           .json_state = json_state};
    int code = row_table(s, &options->common, &form, &columns);
    row_columns_free(&columns);
    coordinates_free(&c);
    return code;
}

static int run(const session *s, void *context)
{
    dynamics_options *options = context;
    if (options_tabular(&options->common)) {
        return run_table(s, options);
    }
    return run_state(s, &options->common, true, options, run_one);
}

int command_derivatives(int argc, char **argv)
{
    dynamics_options options = {.cause = QUANTITY_QDD, .effect = QUANTITY_TAU};
    return run_session(&derivatives_argp, argc, argv, &options, &options.common, run);
}
