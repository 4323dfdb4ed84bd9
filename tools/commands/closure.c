/* SPDX-License-Identifier: MIT */
/*
 * tandem closure: prints q = γ(y) = M y + b with names, like equation 21 of "Integrating Mimic
 * Joints into Dynamics Algorithms" (Kumar et al. 2017). Only rows of dependent joints are printed;
 * the other rows are the identity. Long sums are printed as equations. For iterated loops, G and
 * the residuals at y are added (closure_report.c). A sweep prints a table of γ instead
 * (closure_sweep.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/closure_report.h"
#include "commands/closure_sweep.h"
#include "commands/closure_text.h"
#include "input/bundled.h"
#include "input/follower.h"
#include "input/loops.h"
#include "input/npy.h"
#include "input/option_value.h"
#include "input/value.h"
#include "output/coordinates_json.h"
#include "output/table.h"
#include "run.h"
#include "state_command.h"
#include "text.h"

typedef struct closure_options {
    tool_options common;
    sweep_options sweep;
    const coordinates *tree;
} closure_options;

/* Reads one end of the sweep. */
static void read_end(const command_option *o, char *text, command_line *line)
{
    sweep_end *end = option_place(o, line);
    if (!value_parse(text, &end->at, &end->unit)) {
        option_error(line, "--%s must be a finite number, not '%s'", o->name, text);
    }
    if (end->unit == NULL && strstr(text, "pi") != NULL) {
        end->unit = unit_find("rad"); /* regardless of --unit */
    }
}

static void read_sweep(const command_option *o, char *text, command_line *line)
{
    closure_options *options = line->options;
    (void)o;
    options->sweep.joint = text;
    options->common.tabular = true;
}

static bool is_table(const void *options, const char *word)
{
    (void)options;
    return !names_robot(word);
}

static void check(command_line *line)
{
    closure_options *options = line->options;
    const tool_options *common = &options->common;
    const bool sweep = options->sweep.joint != NULL, states = common->states != NULL;
    if (common->file_count > 1 && (states || sweep)) {
        option_error(line, "with several FILEs, leave out STATES and --sweep");
    } else if (common->plot != NULL && !states && !sweep) {
        option_error(line, "--plot draws a table: give STATES or --sweep JOINT");
    } else if (states && (sweep || common->assignment_count > 0 || common->state != NULL)) {
        option_error(line, "give a table of states, one state y or a sweep, not several of them");
    } else if (common->output != NULL && npy_is_path(common->output) && sweep) {
        option_error(line, "the table of a sweep contains text; write it with -o FILE.csv");
    }
    options->common.plot_x = options->sweep.joint;
}

#define AT(member) .at = offsetof(closure_options, member)

static const command_option command_rows[] = {
    {"q", "JOINT=VALUE", Q_HELP "; prints q at this y", option_assign, .at = QUANTITY_Q,
     .letter = 'q'},
    {"qd", "JOINT=VALUE", QD_HELP "; prints the values of all joints", option_assign,
     .at = QUANTITY_QD},
    {"sweep", "JOINT", "Print a CSV table of γ over the range of this independent joint",
     read_sweep, .at = 0},
    {"first", "VALUE", "Start at this value (default: the lower limit, or -180deg)", read_end,
     AT(sweep.start)},
    {"last", "VALUE", "End at this value (default: the upper limit, or 180deg)", read_end,
     AT(sweep.end)},
    {"steps", "N",
     "Divide the range into this many steps, one less than the number of rows (default 100)",
     option_count, AT(sweep.steps), .number = SWEEP_MOST_STEPS},
    {0},
};
static const option_rule rules[] = {
    {"first last steps", "sweep", NULL, "--first, --last and --steps need --sweep JOINT"}, {0}};
static const option_argument arguments[] = {{"STATES", AT(common.states), .takes = is_table}, {0}};
const option_set options_of_closure = {
    .rows = command_rows,
    .usage = "FILE [STATES]\nFILE...",
    .arguments = arguments,
    .rules = rules,
    .check = check,
    .about =
        "Print q = M y + b, which maps the independent joints (y) to all joints of the tree (q). "
        "Rows "
        "of independent joints, which are the identity, are omitted; so is M_u if it is the "
        "identity. "
        "For a robot with iterated loops, print the linear part q = M w + b, where w also contains "
        "the "
        "joints that loops make dependent. Then print G and the closure error of every loop, at "
        "the y "
        "given by -q or where the loops were assembled. --json prints complete matrices, and G. "
        "STATES "
        "is a CSV table ('-' is standard input) with columns q:JOINT and optionally qd:JOINT and "
        "qdd:JOINT; the result has these columns for all joints of the tree.\vA sweep starts at "
        "this y "
        "and follows its branch in both directions. If the loops cannot be assembled, the cells of "
        "the "
        "dependent joints are empty and the column 'status' gives the reason: assembly, singular "
        "or "
        "branch. Exit status of a sweep: 0 if all rows were assembled, 1 otherwise.\n\nExamples:\n "
        " "
        "tandem closure robot.urdf -q elbow=0.2\n  tandem closure robot.urdf --sweep elbow --first "
        "-90deg --last 90deg --plot sweep.svg\n  tandem closure robot.urdf motion.csv --keep",
    .parts = {&state_file_set, &model_set, &table_set, &actuated_set}};

static void print_json(const session *s, const closure *c, const closure_state *state,
                       const double *qd)
{
    const td_model *model = s->model;
    static const char *const label[] = {"q_names", "y_names", "qd_names", "yd_names"};
    cJSON *root = coordinates_json_root(&c->tree);
    for (size_t i = 0; i < 4; i++) {
        const coordinates *which = i % 2 == 0 ? &c->tree : c->independent;
        enum quantity quantity = i < 2 ? QUANTITY_Q : QUANTITY_QD;
        cJSON_AddItemToObject(root, label[i],
                              json_texts(which->name[quantity], which->size[quantity]));
    }
    if (!closure_is_linear(c)) {
        cJSON_AddItemToObject(root, "w_names",
                              json_texts((const char *const *)c->column, c->M.columns));
    }
    double *M = dense_matrix(c->M);
    cJSON_AddItemToObject(root, "M", json_matrix(M, c->M.rows, c->M.columns));
    free(M);
    cJSON_AddItemToObject(root, "b", json_numbers(c->b, c->M.rows));
    size_t nu = td_nu(model), nyd = td_nyd(model);
    cJSON_AddItemToObject(root, "G", json_matrix(state->G, td_nv(model), nyd));
    scoped double *M_u = allocate(nu * nyd, sizeof *M_u);
    td_actuation_matrix(model, s->workspace, state->y, M_u);
    cJSON *motors = cJSON_AddArrayToObject(root, "u_names");
    for (size_t i = 0; i < nu; i++) {
        scoped char *name = actuator_name(model, i);
        cJSON_AddItemToArray(motors, json_text(name));
    }
    cJSON_AddItemToObject(root, "M_u", json_matrix(M_u, nu, nyd));
    if (td_follower_count(model) > 0) {
        cJSON_AddItemToObject(root, "followers", json_followers(model));
    }
    if (c->q != NULL || !closure_is_linear(c)) {
        cJSON_AddItemToObject(root, "y",
                              json_named(c->independent->name[QUANTITY_Q], state->y, td_ny(model)));
        coordinates_add_json(&c->tree, QUANTITY_Q, state->q, root);
    }
    if (qd != NULL) {
        coordinates_add_json(&c->tree, QUANTITY_QD, qd, root);
    }
    if (td_loop_count(model) > 0) {
        cJSON_AddItemToObject(root, "closure", closure_state_json(model, state));
    }
    json_print(root, false);
}

/* Reports loops that are open although the user did not ask for it. Returns EXIT_NEGATIVE if there
   are any. */
static int complain_open(const session *s, const tool_options *options)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < td_loop_count(s->model) && !options->load.open_loops; i++) {
        if (td_loop_place_at(s->model, i).form == TD_LOOP_FORM_OPEN) {
            complain("loop '%s' is open: the robot does not move as shown",
                     td_loop_at(s->model, i)->name);
            code = EXIT_NEGATIVE;
        }
    }
    return code;
}

/* Returns q̇ (nv) = G ẏ in a new array, or NULL if ẏ is zero. */
static double *velocities_of(const session *s, const robot_state *x, td_status *status)
{
    bool moves = false;
    for (size_t i = 0; i < td_nyd(s->model); i++) {
        moves = moves || x->value[QUANTITY_QD][i] != 0;
    }
    if (!moves) {
        return NULL;
    }
    double *qd = allocate(td_nv(s->model), sizeof *qd);
    *status = td_closure(s->model, s->workspace, x->value[QUANTITY_Q], x->value[QUANTITY_QD], NULL,
                         NULL, qd, NULL);
    return qd;
}

static void print_velocities(const coordinates *tree, const double *qd)
{
    const size_t n = tree->size[QUANTITY_QD];
    const double most = largest_of(qd, n);
    table t = table_new("lrl");
    table_add(&t, "joint");
    table_add(&t, "qd");
    table_add(&t, "unit");
    for (size_t i = 0; i < n; i++) {
        const bool turns = coordinates_domain(tree, QUANTITY_QD, i) == UNIT_TURN;
        table_add(&t, "%s", tree->name[QUANTITY_QD][i]);
        table_add(&t, "%s", number_of_scale(qd[i], most).text);
        table_add(&t, "%s", turns ? "rad/s" : "m/s");
    }
    putchar('\n');
    table_print(&t, 0);
}

static int print_closure(const session *s, const coordinates *independent, const robot_state *x,
                         const tool_options *options)
{
    const double *y = x->value[QUANTITY_Q];
    closure c = {.M = td_closure_matrix(s->model),
                 .b = td_closure_offset(s->model),
                 .tree = coordinates_new(s->model, true),
                 .independent = independent};
    size_t columns;
    c.column = names_of_columns(s->model, &columns);
    closure_find_sums(&c);
    closure_state state;
    td_status status = closure_state_at(s, y, &state);
    scoped double *qd = status == TD_OK ? velocities_of(s, x, &status) : NULL;
    int code = EXIT_GOOD;
    c.q = options->assignment_count > 0 || options->state != NULL ? state.q : NULL;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else if (options->json) {
        print_json(s, &c, &state, qd);
    } else {
        closure_print(&c);
        closure_print_actuation(s, y);
        closure_state_print(&c.tree, independent, &state);
        if (qd != NULL) {
            print_velocities(&c.tree, qd);
        }
    }
    closure_state_free(&state);
    names_free(c.column, columns);
    free(c.row);
    free(c.which);
    coordinates_free(&c.tree);
    return code;
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const closure_options *options = context;
    const double *y = x->value[QUANTITY_Q];
    int code = options->sweep.joint != NULL
                   ? closure_sweep(s, c, y, &options->sweep, &options->common)
                   : print_closure(s, c, x, &options->common);
    return code == EXIT_GOOD ? complain_open(s, &options->common) : code;
}

/* Declares q, q̇ and q̈ of the tree. */
static bool declare(outputs *o, const session *s, void *context)
{
    (void)s;
    closure_options *options = context;
    o->result = options->tree;
    for (enum quantity quantity = QUANTITY_Q; quantity <= QUANTITY_QDD; quantity++) {
        outputs_add(o, (output){.kind = OUTPUT_NAMED,
                                .key = quantity_text(quantity),
                                .prefix = quantity_text(quantity),
                                .column = options->tree->name[quantity],
                                .columns = options->tree->size[quantity]});
    }
    return true;
}

static td_status compute(const session *s, const coordinates *c, const given_state *x,
                         void *options, double *const *out)
{
    (void)c, (void)options;
    return td_closure(s->model, s->workspace, x->q, x->qd, x->third, out[0], out[1], out[2]);
}

static int run_table(const session *s, closure_options *options)
{
    static const state_command command = {
        .used = USES_Q, .no_tree = true, .declare = declare, .compute = compute};
    coordinates tree = coordinates_new(s->model, true);
    options->tree = &tree;
    const int code = run_state_outputs(&command, s, options);
    coordinates_free(&tree);
    return code;
}

static int run(const session *s, void *context)
{
    closure_options *options = context;
    if (options_tabular(&options->common) && options->sweep.joint == NULL) {
        return run_table(s, options);
    }
    return run_state(s, &options->common, false, options, run_one);
}

int command_closure(int argc, char **argv)
{
    closure_options options = {.common = {.takes_states = true},
                               .sweep = {.start = {.at = NAN}, .end = {.at = NAN}}};
    return run_session_needing(NEEDS_CONSTRAINTS, &options_of_closure, argc, argv, &options, run);
}
