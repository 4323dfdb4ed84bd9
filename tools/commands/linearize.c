/* SPDX-License-Identifier: MIT */
/*
 * tandem linearize: the linear model of a robot near a state.
 */
#include "commands/linearize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/npy.h"
#include "input/option_value.h"
#include "input/passive.h"
#include "linear/linear.h"
#include "output/json.h"
#include "run.h"
#include "state_command.h"
#include "text.h"

/* ---- arguments ------------------------------------------------------------------------------- */

static const option_choice input_choices[] = {
    {"motors", TD_INPUTS_MOTORS}, {"forces", TD_INPUTS_FORCES}, {0}};

static void read_weights(const command_option *o, char *text, command_line *line)
{
    linearize_options *options = line->options;
    (void)o;
    const double *w = options->weights;
    if (!parse_triple(text, options->weights) || !(w[0] >= 0) || !(w[1] >= 0) || !(w[2] > 0)) {
        option_error(line,
                     "--lqr must be three weights for positions, velocities and inputs, the last "
                     "one above zero, not '%s'",
                     text);
    }
    options->regulate = true;
}

#define AT(member) .at = offsetof(linearize_options, member)

static const command_option command_rows[] = {
    {"inputs", "WHAT",
     "Choose the inputs: 'motors' of the robot (default), or 'forces' along all independent "
     "coordinates",
     option_choose, AT(inputs), .of = input_choices},
    {"tau", "JOINT=VALUE", TAU_HELP "; without any, the inputs balance the given state",
     option_assign, .at = QUANTITY_TAU},
    {"equilibrium", NULL,
     "Linearize at the configuration at rest that is nearest to -q, under --tau (default: none)",
     option_flag, AT(equilibrium)},
    {"hold", "JOINT,...", HOLD_HELP "; for --equilibrium", option_text, AT(hold)},
    {"dt", "SECONDS", "Also discretize with this time step and constant inputs", option_time,
     AT(dt)},
    {"lqr", "Q,QD,R",
     "Compute the gain K of the regulator u = -K x with these weights for positions, velocities "
     "and inputs; with --dt for the discrete model",
     read_weights, .at = 0},
    {0},
};
static const option_rule rules[] = {
    {"tree", NULL, NULL,
     "--tree: linear models use independent coordinates; --open-loops makes all coordinates of the "
     "tree independent"},
    {"hold", "equilibrium", NULL, "--hold requires --equilibrium"},
    {0},
};
const option_set options_of_linearize = {
    .rows = command_rows,
    .usage = "FILE [STATES]",
    .rules = rules,
    .about =
        "Linearize the dynamics of a robot at a state: dx/dt = A x + B u, where x are small "
        "changes of "
        "positions and velocities and u small changes of motor forces. Print the matrices, "
        "eigenvalues, natural frequencies, damping ratios, and which modes the inputs reach. The "
        "inputs balance the state unless --tau gives forces. --passive adds springs, damping and "
        "friction. -o FILE writes A and B (with --dt the discrete ones) side by side. STATES is a "
        "CSV "
        "table ('-' is standard input) with columns q:JOINT, qd:JOINT and optionally tau:JOINT; "
        "the "
        "result has columns q:JOINT, the inputs, A:ROW,COLUMN, B:ROW,COLUMN and with --lqr "
        "K:ROW,COLUMN for each state.\vExamples:\n  tandem linearize robot.urdf -q elbow=90deg\n  "
        "tandem linearize robot.urdf --equilibrium --passive\n  tandem linearize robot.urdf --dt "
        "0.01 "
        "--lqr 100,1,0.1 --json\n  tandem linearize robot.urdf motion.csv --lqr 100,1,0.1 -o "
        "gains.csv\n",
    .parts = {&load_set, &velocity_set, &passive_set, &table_set, &actuated_set, &plan_set}};

/* ---- joints that are held -------------------------------------------------------------------- */

/* Whether a joint has that name, or is in the flexible link of that name. */
static bool is_named(const td_model *model, size_t joint, const char *name)
{
    const td_joint *record = td_joint_at(model, joint);
    return strcmp(record->name, name) == 0 ||
           (record->flexible != NULL && strcmp(record->flexible, name) == 0);
}

static void complain_held(const td_model *model, const char *name)
{
    scoped const char **names = allocate(2 * td_joint_count(model), sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *record = td_joint_at(model, i);
        if (td_joint_place_at(model, i).nyd > 0) {
            names[count++] = record->name;
            if (record->flexible != NULL) {
                names[count++] = record->flexible;
            }
        }
    }
    scoped char *text = unknown_name("independent joint or flexible link", name, names, count);
    complain("--hold: %s", text);
}

unsigned char *held_joints(const td_model *model, const char *names)
{
    unsigned char *held = allocate(td_nyd(model), 1);
    char *copy = text_format("%s", names != NULL ? names : ""), *rest = copy;
    bool good = true;
    for (char *name = strsep(&rest, ","); name != NULL && names != NULL && good;
         name = strsep(&rest, ",")) {
        good = false;
        for (size_t i = 0; i < td_joint_count(model); i++) {
            const td_joint_place place = td_joint_place_at(model, i);
            if (place.nyd > 0 && is_named(model, i, name)) {
                memset(held + place.yd, 1, place.nyd);
                good = true;
            }
        }
        if (!good) {
            complain_held(model, name);
        }
    }
    free(copy);
    if (!good) {
        free(held);
    }
    return good ? held : NULL;
}

/* ---- computation ----------------------------------------------------------------------------- */

/* Why there is no model; the exit code. */
static int tell(const session *s, const td_linearization *l, td_status status)
{
    if (status != TD_ERROR_UNDERACTUATED && status != TD_ERROR_ACTUATION_SINGULAR) {
        return session_complain(s, NULL, status);
    }
    const double *rest = td_linearization_rest(l);
    coordinates c = coordinates_new(s->model, false);
    size_t worst = 0;
    for (size_t i = 0; i < td_nyd(s->model); i++) {
        worst = fabs(rest[i]) > fabs(rest[worst]) ? i : worst;
    }
    complain("the motors cannot balance this state: at '%s' a force of %s remains; --equilibrium "
             "finds a configuration at rest, --inputs forces makes all joints motors",
             c.name[QUANTITY_TAU][worst], number_brief(rest[worst]).text);
    coordinates_free(&c);
    return EXIT_COMPUTE;
}

/* Computes the motors' forces u from the joints' forces tau. Returns false, with a message, where
   the motors cannot provide these. */
static bool read_motors(const session *s, const double *y, const double *tau, double *u)
{
    const size_t n = td_nyd(s->model);
    scoped double *rest = allocate(n, sizeof *rest);
    td_status status = td_forces_to_actuators(s->model, s->workspace, y, tau, NULL, u, rest);
    bool good = status == TD_OK || status == TD_ERROR_UNDERACTUATED ||
                status == TD_ERROR_ACTUATION_SINGULAR;
    for (size_t i = 0; i < n; i++) {
        good = good && fabs(rest[i]) <= 1e-9 * largest_of(tau, n);
    }
    if (!good) {
        session_complain(s, "--tau", status == TD_OK ? TD_ERROR_UNDERACTUATED : status);
    }
    return good;
}

/* Computes the model about the state y, ẏ after moving y to the equilibrium if requested, and the
   idle directions for --lqr. given: the inputs u are. */
static td_status find(const session *s, const linearize_options *options, double *y,
                      const double *yd, const double *u, bool given, const td_forces *forces,
                      td_linearization *l, td_linear_directions *idle)
{
    td_status status = TD_OK;
    if (options->equilibrium) {
        status = td_equilibrium(l, s->workspace, y, u, forces, options->held);
    }
    if (status != TD_OK) {
        return status;
    }
    /* motors hold the joints of --hold */
    const bool free_motion = (given || options->equilibrium) && options->hold == NULL;
    status = free_motion ? td_linearize(l, s->workspace, y, yd, u, forces)
                         : td_linearize_held(l, s->workspace, y, yd, forces);
    if (status != TD_OK || !options->regulate) {
        return status;
    }
    return td_linear_idle(s->model, s->workspace, y, options->inputs == TD_INPUTS_MOTORS, idle);
}

/* Returns the inputs that --tau gives in a new array, or NULL, with a message. */
static double *read_inputs_of(const session *s, const linearize_options *options, const double *y,
                              const double *tau, bool given, size_t inputs)
{
    double *u = allocate(inputs, sizeof *u);
    if (options->inputs == TD_INPUTS_FORCES) {
        memcpy(u, tau, td_nyd(s->model) * sizeof *u);
    } else if (given && !read_motors(s, y, tau, u)) {
        free(u);
        return NULL;
    }
    return u;
}

/* Eigenvalues of A − B K, or of A without K, into new arrays */
static td_status find_spectrum(const linear_model *x, const double *A, const double *B,
                               const double *K, double **real, double **imaginary)
{
    const size_t states = 2 * x->n;
    scoped double *loop = allocate(states * states, sizeof *loop);
    memcpy(loop, A, states * states * sizeof *loop);
    for (size_t i = 0; i < states && K != NULL; i++) {
        for (size_t k = 0; k < x->m; k++) {
            for (size_t j = 0; j < states; j++) {
                loop[i * states + j] -= B[i * x->m + k] * K[k * states + j];
            }
        }
    }
    *real = allocate(states, sizeof **real);
    *imaginary = allocate(states, sizeof **imaginary);
    return td_linear_eigenvalues(states, loop, *real, *imaginary);
}

static td_status find_gain(linear_model *x, const linearize_options *options)
{
    const size_t n = x->n, states = 2 * n;
    scoped double *Q = allocate(states * states, sizeof *Q), *R = allocate(x->m * x->m, sizeof *R);
    for (size_t i = 0; i < states; i++) {
        Q[i * states + i] = options->weights[i >= n];
    }
    for (size_t i = 0; i < x->m; i++) {
        R[i * x->m + i] = options->weights[2];
    }
    x->K = allocate(x->m * states, sizeof *x->K);
    const bool discrete = x->Ad != NULL;
    const double *A = discrete ? x->Ad : x->A, *B = discrete ? x->Bd : x->B;
    const td_linear_problem problem = {states, x->m, A, B, Q, R, discrete};
    td_status status = td_linear_regulator_beside(&x->idle, &problem, x->K, NULL);
    if (status == TD_OK) {
        status = find_spectrum(x, A, B, x->K, &x->loop_real, &x->loop_imaginary);
    }
    return status;
}

/* Computes the matrices of steps if --dt is given. */
static td_status find_steps(linear_model *x, const linearize_options *options)
{
    const size_t states = 2 * x->n;
    if (!(options->dt > 0)) {
        return TD_OK;
    }
    x->Ad = allocate(states * states, sizeof *x->Ad);
    x->Bd = allocate(states * x->m, sizeof *x->Bd);
    return td_linear_discrete(states, x->m, x->A, x->B, options->dt, x->Ad, x->Bd);
}

/* Eigenvalues of A, and how far the inputs reach its modes. */
static td_status analyse(linear_model *x)
{
    const size_t states = 2 * x->n;
    const td_status status = find_spectrum(x, x->A, x->B, NULL, &x->real, &x->imaginary);
    x->margin = allocate(states, sizeof *x->margin);
    return status != TD_OK ? status
                           : td_linear_controllable(states, x->m, x->A, x->B, REACH_TOLERANCE,
                                                    &x->reached, &x->most, x->margin);
}

static void name_all(linear_model *x, td_inputs inputs)
{
    x->state_name = allocate(2 * x->n, sizeof *x->state_name);
    x->input_name = allocate(x->m, sizeof *x->input_name);
    for (size_t i = 0; i < x->n; i++) {
        x->state_name[i] = text_format("q:%s", x->c->name[QUANTITY_QD][i]);
        x->state_name[x->n + i] = text_format("qd:%s", x->c->name[QUANTITY_QD][i]);
    }
    for (size_t i = 0; i < x->m; i++) {
        scoped char *name = inputs == TD_INPUTS_MOTORS
                                ? actuator_name(x->c->model, i)
                                : text_format("%s", x->c->name[QUANTITY_TAU][i]);
        x->input_name[i] = text_format("%s:%s", inputs == TD_INPUTS_MOTORS ? "u" : "tau", name);
    }
}

/* Frees what was found at a state. */
static void linear_free_results(linear_model *x)
{
    double **const arrays[] = {&x->Ad, &x->Bd,        &x->real,           &x->imaginary,
                               &x->K,  &x->loop_real, &x->loop_imaginary, &x->margin};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(*arrays[i]);
        *arrays[i] = NULL;
    }
}

static void linear_free(linear_model *x)
{
    free(x->idle.entry);
    free(x->idle.direction);
    for (size_t i = 0; i < 2 * x->n; i++) {
        free(x->state_name[i]);
    }
    for (size_t i = 0; i < x->m; i++) {
        free(x->input_name[i]);
    }
    linear_free_results(x);
    free(x->state_name);
    free(x->input_name);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int report(const linear_model *x, const linearize_options *options)
{
    const char *path = options->common.output;
    if (options->common.json) {
        linear_print_json(x, options);
    } else if (path != NULL) {
        return linear_write(x, npy_is_path(path) ? path : NULL) ? EXIT_GOOD : EXIT_FILE;
    } else {
        linear_print(x, options);
    }
    return EXIT_GOOD;
}

/* Makes the model of the session's robot, without matrices. Prints a message and returns false if
   that fails. */
static bool open_model(const session *s, const coordinates *c, linearize_options *options)
{
    const td_status status = td_linearization_new(s->model, options->inputs, &options->l);
    if (status != TD_OK) {
        options->code = session_complain(s, NULL, status);
        return false;
    }
    const td_linearization *l = options->l;
    options->model = (linear_model){.c = c,
                                    .n = td_nyd(s->model),
                                    .m = td_linearization_inputs(l),
                                    .A = td_linearization_A(l),
                                    .B = td_linearization_B(l),
                                    .u = td_linearization_u(l),
                                    .ydd = td_linearization_ydd(l)};
    const size_t idle = td_idle_count(s->model);
    options->model.idle.entry = allocate(idle, sizeof *options->model.idle.entry);
    options->model.idle.direction =
        allocate(idle * options->model.n, sizeof *options->model.idle.direction);
    name_all(&options->model, options->inputs);
    return true;
}

/* Finds the model at a state; moves y to the equilibrium if requested. complete: analyzes A and B
   as well, and explains a failure. *told: a message explains the failure. */
static td_status solve(const session *s, linearize_options *options, double *y,
                       const given_state *x, bool complete, bool *told)
{
    linear_model *model = &options->model;
    scoped double *u = read_inputs_of(s, options, y, x->third, x->third_given, model->m);
    *told = u == NULL;
    if (u == NULL) {
        return TD_ERROR_UNDERACTUATED;
    }
    td_status status =
        find(s, options, y, x->qd, u, x->third_given, &x->forces, options->l, &model->idle);
    linear_free_results(model);
    if (status != TD_OK && complete) {
        *told = true;
        options->code = tell(s, options->l, status);
    } else if (status == TD_OK) {
        status = complete ? analyse(model) : TD_OK;
        status = status == TD_OK ? find_steps(model, options) : status;
    }
    return status == TD_OK && options->regulate ? find_gain(model, options) : status;
}

static int run_one(const session *s, const coordinates *c, const robot_state *state, void *context)
{
    linearize_options *options = context;
    double *const *value = state->value;
    given_state x = {value[QUANTITY_Q], value[QUANTITY_QD], value[QUANTITY_TAU], false,
                     options_forces(&options->common)};
    bool told;
    for (size_t i = 0; i < td_nyd(s->model); i++) {
        x.third_given = x.third_given || state->given[QUANTITY_TAU][i];
    }
    if (!open_model(s, c, options)) {
        return options->code;
    }
    options->model.state = state;
    options->code = EXIT_USAGE;
    const td_status status = solve(s, options, value[QUANTITY_Q], &x, true, &told);
    if (status == TD_OK) {
        return report(&options->model, options);
    }
    return told ? options->code : session_complain(s, NULL, status);
}

/* ---- tables of states ------------------------------------------------------------------------ */

static void declare_matrix(outputs *o, const char *key, char **row, size_t rows, char **column,
                           size_t columns)
{
    outputs_add(o, (output){.kind = OUTPUT_MATRIX,
                            .key = key,
                            .prefix = key,
                            .row = (const char *const *)row,
                            .column = (const char *const *)column,
                            .rows = rows,
                            .columns = columns});
}

static bool declare(outputs *o, const session *s, void *context)
{
    linearize_options *options = context;
    linear_model *x = &options->model;
    const bool motors = options->inputs == TD_INPUTS_MOTORS;
    if (!open_model(s, o->c, options)) {
        return false;
    }
    const char **input = outputs_keep(o, allocate(x->m, sizeof *input));
    for (size_t i = 0; i < x->m; i++) {
        input[i] = strchr(x->input_name[i], ':') + 1;
    }
    outputs_add(o, (output){.kind = OUTPUT_NAMED,
                            .key = "q",
                            .prefix = "q",
                            .column = o->c->name[QUANTITY_Q],
                            .columns = o->c->size[QUANTITY_Q]});
    outputs_add(o, (output){.kind = OUTPUT_NAMED,
                            .key = motors ? "u" : "tau",
                            .prefix = motors ? "u" : "tau",
                            .column = input,
                            .columns = x->m});
    const bool steps = options->dt > 0;
    declare_matrix(o, steps ? "Ad" : "A", x->state_name, 2 * x->n, x->state_name, 2 * x->n);
    declare_matrix(o, steps ? "Bd" : "B", x->state_name, 2 * x->n, x->input_name, x->m);
    if (options->regulate) {
        declare_matrix(o, "K", x->input_name, x->m, x->state_name, 2 * x->n);
    }
    return true;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *context, double *const *out)
{
    linearize_options *options = context;
    linear_model *model = &options->model;
    const size_t states = 2 * model->n;
    memcpy(out[0], x->q, c->size[QUANTITY_Q] * sizeof *x->q);
    bool told;
    const td_status status = solve(s, options, out[0], x, false, &told);
    if (status == TD_OK) {
        const bool steps = options->dt > 0;
        memcpy(out[1], model->u, model->m * sizeof *model->u);
        memcpy(out[2], steps ? model->Ad : model->A, states * states * sizeof *model->A);
        memcpy(out[3], steps ? model->Bd : model->B, states * model->m * sizeof *model->B);
        if (options->regulate) {
            memcpy(out[4], model->K, model->m * states * sizeof *model->K);
        }
    }
    return status;
}

static void add_head(cJSON *root, const session *s, const void *context)
{
    const linearize_options *options = context;
    (void)s;
    forces_add_json(&options->common, root);
    if (options->dt > 0) {
        cJSON_AddItemToObject(root, "dt", json_number(options->dt));
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

static int run(const session *s, void *context)
{
    static const enum quantity given = QUANTITY_TAU;
    static const state_command table = {.third = &given,
                                        .used = USES_Q | USES_QD,
                                        .wrenches = true,
                                        .declare = declare,
                                        .compute = compute,
                                        .head = add_head};
    linearize_options *options = context;
    if (td_nyd(s->model) == 0) {
        puts("no joint moves, so there is no linear model");
        return EXIT_GOOD;
    }
    options->held = held_joints(s->model, options->hold);
    if (options->held == NULL) {
        return EXIT_USAGE;
    }
    const int code = options->common.states != NULL
                         ? run_state_outputs(&table, s, options)
                         : run_state(s, &options->common, false, options, run_one);
    linear_free(&options->model);
    td_linearization_free(options->l);
    free(options->held);
    return code;
}

int command_linearize(int argc, char **argv)
{
    linearize_options options = {.common = {.takes_states = true}, .inputs = TD_INPUTS_MOTORS};
    return run_session(&options_of_linearize, argc, argv, &options, run);
}
