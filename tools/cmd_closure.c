/* SPDX-License-Identifier: MIT */
/*
 * tandem closure: q = γ(y) = M y + b with names, as equation 21 of "Integrating Mimic Joints into
 * Dynamics Algorithms" (Kumar et al. 2017) prints it; a robot with many coordinates gets an
 * equation for each instead. Loops that are iterated add G and how well they are closed at y
 * (closure_report.c); a sweep is a table of γ instead (closure_sweep.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "closure_report.h"
#include "closure_sweep.h"
#include "command.h"
#include "json.h"
#include "loops.h"
#include "run.h"
#include "table.h"
#include "text.h"

enum { WIDEST_MATRIX = 12 };

typedef struct closure_options {
    tool_options common;
    sweep_options sweep;
} closure_options;

enum { KEY_SWEEP = 0x200, KEY_FROM, KEY_TO, KEY_STEPS };

static const struct argp_option argp_options[] = {
    {"q", 'q', "JOINT=VALUE", 0, "Position of an independent joint: prints q at this y", 0},
    {"sweep", KEY_SWEEP, "JOINT", 0,
     "Print γ over the range of this independent joint, a CSV table", 0},
    {"from", KEY_FROM, "VALUE", 0,
     "First value of the sweep (default: the lower limit, else half a turn below zero)", 0},
    {"to", KEY_TO, "VALUE", 0,
     "Last value of the sweep (default: the upper limit, else half a turn above zero)", 0},
    {"steps", KEY_STEPS, "N", 0, "Steps of the sweep, one less than its rows (default 100)", 0},
    {0},
};

static double read_end(const char *option, const char *text, struct argp_state *state)
{
    double value = 0;
    if (!parse_number(text, &value)) {
        argp_error(state, "%s is a finite number, not '%s'", option, text);
    }
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    closure_options *options = state->input;
    sweep_options *sweep = &options->sweep;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        break;
    case 'q':
        options_assign(&options->common, QUANTITY_Q, arg);
        break;
    case KEY_SWEEP:
        sweep->joint = arg;
        break;
    case KEY_FROM:
        sweep->from = read_end("--from", arg, state);
        break;
    case KEY_TO:
        sweep->to = read_end("--to", arg, state);
        break;
    case KEY_STEPS:
        sweep->steps = option_count("steps", arg, SWEEP_MOST_STEPS, state);
        break;
    case ARGP_KEY_END:
        if (sweep->joint == NULL &&
            !(isnan(sweep->from) && isnan(sweep->to) && sweep->steps == 0)) {
            argp_error(state, "--from, --to and --steps need --sweep JOINT");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&model_argp, 0, NULL, 0}, {0}};
const struct argp closure_argp = {
    argp_options,
    parse,
    "FILE",
    "Print q = M y + b: how all joints of the tree (q) follow from the independent ones (y). With "
    "iterated loops that is their linear part, q = M w + b, and G and how well every loop is "
    "closed "
    "follow it, at the y of -q or where the loops were assembled. With --json also G, for "
    "velocities.\v"
    "A sweep starts at that y and follows its branch both ways. Where it cannot be assembled the "
    "dependent joints' cells are empty and the status says why: assembly, singular or branch. Exit "
    "status of a sweep: 0 all rows are assembled, 1 some are not.",
    children,
    NULL,
    NULL};

typedef struct closure {
    td_sparse M;
    const double *b;
    coordinates tree;               /* names of q */
    const coordinates *independent; /* names of y */
    char **column;                  /* names of w */
    const double *q;                /* at the y of the options; NULL where none is given */
} closure;

/* One row of a sparse matrix as a sum of names. */
static void put_row(FILE *stream, const closure *c, size_t row)
{
    bool first = true;
    for (int k = c->M.row[row]; k < c->M.row[row + 1]; k++) {
        if (c->M.value[k] != 0) {
            put_term(stream, first, c->M.value[k], c->column[c->M.column[k]]);
            first = false;
        }
    }
    if (c->b[row] != 0 || first) {
        put_term(stream, first, c->b[row], NULL);
    }
}

static void print_equations(const closure *c)
{
    table t = table_new(c->q != NULL ? "lllll" : "lll");
    t.plain = true;
    for (size_t i = 0; i < c->M.rows; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        if (stream != NULL) {
            put_row(stream, c, i);
            fclose(stream);
        }
        table_add(&t, "%s", c->tree.name[QUANTITY_Q][i]);
        table_add(&t, "=");
        table_add(&t, "%s", text != NULL ? text : "");
        if (c->q != NULL) {
            table_add(&t, "=");
            table_add(&t, "%s", number_brief(c->q[i]).text);
        }
        free(text);
    }
    table_print(&t, 0);
}

/* Dense M, rows × columns, in a new array. */
static double *dense(td_sparse m)
{
    double *full = allocate(m.rows * m.columns, sizeof *full);
    for (size_t i = 0; i < m.rows; i++) {
        for (int k = m.row[i]; k < m.row[i + 1]; k++) {
            full[i * m.columns + (size_t)m.column[k]] = m.value[k];
        }
    }
    return full;
}

/* A row of the picture: [ q ] = [ M ] [ y ] + [ b ], y centred beside the taller q. */
static void add_matrix_row(table *t, const closure *c, const double *M, size_t i)
{
    size_t columns = c->M.columns;
    size_t above = (c->M.rows - columns) / 2;
    bool middle = i == c->M.rows / 2;
    bool has_y = i >= above && i - above < columns;
    table_add(t, "[");
    table_add(t, "%s", c->tree.name[QUANTITY_Q][i]);
    table_add(t, middle ? "] = [" : "]   [");
    for (size_t j = 0; j < columns; j++) {
        table_add(t, "%s%s", j > 0 ? " " : "", number_clear(M[i * columns + j]).text);
    }
    table_add(t, has_y ? "] [" : "]");
    table_add(t, "%s", has_y ? c->column[i - above] : "");
    table_add(t, "%s%s", has_y ? "]" : " ", middle ? " + [" : "   [");
    table_add(t, "%s", number_clear(c->b[i]).text);
    table_add(t, c->q == NULL ? "]" : middle ? "] = [" : "]   [");
    if (c->q != NULL) {
        table_add(t, "%s", number_brief(c->q[i]).text);
        table_add(t, "]");
    }
}

static void print_matrix(const closure *c)
{
    char alignment[WIDEST_MATRIX + 16] = "lll";
    memset(alignment + 3, 'r', c->M.columns);
    strcpy(alignment + 3 + c->M.columns, c->q != NULL ? "lllrlrl" : "lllrl");
    double *M = dense(c->M);
    table t = table_new(alignment);
    t.plain = true;
    t.gap = 1;
    for (size_t i = 0; i < c->M.rows; i++) {
        add_matrix_row(&t, c, M, i);
    }
    table_print(&t, 0);
    free(M);
}

/* the rows of M that belong to motors, where u follows from tau_y by them */
static void print_actuation(const session *s, const double *y)
{
    const td_model *model = s->model;
    size_t nu = td_nu(model), nyd = td_nyd(model);
    if (nu == 0 || nyd > WIDEST_MATRIX)
        return;
    char alignment[WIDEST_MATRIX + 8] = "ll";
    memset(alignment + 2, 'r', nyd);
    strcpy(alignment + 2 + nyd, "l");
    double *M_u = allocate(nu * nyd, sizeof *M_u);
    td_actuation_matrix(model, s->workspace, y, M_u);
    printf("\nM_u, %zu × %zu\n\n", nu, nyd);
    table t = table_new(alignment);
    t.plain = true;
    t.gap = 1;
    for (size_t i = 0; i < nu; i++) {
        table_add(&t, "%s", td_actuator_at(model, i).name);
        table_add(&t, "[");
        for (size_t j = 0; j < nyd; j++)
            table_add(&t, "%s", number_clear(M_u[i * nyd + j]).text);
        table_add(&t, "]");
    }
    table_print(&t, 0);
    free(M_u);
}

/* whether M's columns are y, and not also joints that loops are solved for */
static bool is_linear(const closure *c)
{
    return !has_solved_loops(c->tree.model);
}

static void print_text(const closure *c)
{
    printf("q = M %s + b, %zu × %zu\n\n", is_linear(c) ? "y" : "w", c->M.rows, c->M.columns);
    if (c->M.columns > WIDEST_MATRIX) {
        print_equations(c);
    } else {
        print_matrix(c);
    }
}

static void print_json(const session *s, const closure *c, const closure_state *state)
{
    const td_model *model = s->model;
    static const char *const label[] = {"q", "y", "qd", "yd"};
    cJSON *root = json_root(td_model_name(model));
    cJSON *names = cJSON_AddObjectToObject(root, "names");
    for (size_t i = 0; i < 4; i++) {
        const coordinates *of = i % 2 == 0 ? &c->tree : c->independent;
        enum quantity quantity = i < 2 ? QUANTITY_Q : QUANTITY_QD;
        cJSON_AddItemToObject(names, label[i], json_texts(of->name[quantity], of->size[quantity]));
    }
    if (!is_linear(c)) {
        cJSON_AddItemToObject(names, "w", json_texts((const char *const *)c->column, c->M.columns));
    }
    double *M = dense(c->M);
    cJSON_AddItemToObject(root, "M", json_matrix(M, c->M.rows, c->M.columns));
    free(M);
    cJSON_AddItemToObject(root, "b", json_numbers(c->b, c->M.rows));
    size_t nu = td_nu(model), nyd = td_nyd(model);
    cJSON_AddItemToObject(root, "G", json_matrix(state->G, td_nv(model), nyd));
    double *M_u = allocate(nu * nyd, sizeof *M_u);
    td_actuation_matrix(model, s->workspace, state->y, M_u);
    cJSON *motors = cJSON_AddArrayToObject(names, "u");
    for (size_t i = 0; i < nu; i++) {
        cJSON_AddItemToArray(motors, json_text(td_actuator_at(model, i).name));
    }
    cJSON_AddItemToObject(root, "M_u", json_matrix(M_u, nu, nyd));
    free(M_u);
    if (c->q != NULL || !is_linear(c)) {
        cJSON_AddItemToObject(root, "y",
                              json_named(c->independent->name[QUANTITY_Q], state->y, td_ny(model)));
        cJSON_AddItemToObject(root, "q", json_named(c->tree.name[QUANTITY_Q], state->q, c->M.rows));
    }
    if (td_loop_count(model) > 0) {
        cJSON_AddItemToObject(root, "closure", closure_state_json(model, state));
    }
    json_print(root, false);
}

/* Says which loops are open although nobody asked for that; EXIT_MODEL if there are some. */
static int complain_open(const session *s, const tool_options *options)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < td_loop_count(s->model) && !options->load.open_loops; i++) {
        if (td_loop_place_at(s->model, i).form == TD_LOOP_OPEN) {
            complain("loop '%s' is open: the motion shown is not that of the robot",
                     td_loop_at(s->model, i)->name);
            code = EXIT_MODEL;
        }
    }
    return code;
}

static int print_closure(const session *s, const coordinates *independent, const double *y,
                         const tool_options *options)
{
    closure c = {.M = td_closure_matrix(s->model),
                 .b = td_closure_offset(s->model),
                 .tree = coordinates_new(s->model, true),
                 .independent = independent};
    size_t columns;
    c.column = names_of_columns(s->model, &columns);
    closure_state state;
    td_status status = closure_state_at(s, y, &state);
    int code = EXIT_GOOD;
    c.q = options->assignment_count > 0 ? state.q : NULL;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else if (options->json) {
        print_json(s, &c, &state);
    } else {
        print_text(&c);
        print_actuation(s, y);
        closure_state_print(&c.tree, independent, &state);
    }
    closure_state_free(&state);
    names_free(c.column, columns);
    coordinates_free(&c.tree);
    return code;
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const closure_options *options = context;
    const double *y = x->value[QUANTITY_Q];
    int code = options->sweep.joint != NULL
                   ? closure_sweep(s, c, y, &options->sweep, options->common.json)
                   : print_closure(s, c, y, &options->common);
    return code == EXIT_GOOD ? complain_open(s, &options->common) : code;
}

static int run(const session *s, void *context)
{
    closure_options *options = context;
    return run_state(s, &options->common, false, options, run_one);
}

int command_closure(int argc, char **argv)
{
    closure_options options = {.sweep = {.from = NAN, .to = NAN}};
    return run_session(&closure_argp, argc, argv, &options, &options.common, run);
}
