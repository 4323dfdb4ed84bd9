/* SPDX-License-Identifier: MIT */
/*
 * tandem closure: q = γ(y) = M y + b with names, as equation 21 of "Integrating Mimic Joints into
 * Dynamics Algorithms" (Kumar et al. 2017) prints it; a robot with many coordinates gets an
 * equation for each instead.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "loops.h"
#include "session.h"
#include "state.h"
#include "table.h"
#include "text.h"

enum { WIDEST_MATRIX = 12 };

static const struct argp_option argp_options[] = {
    {"q", 'q', "JOINT=VALUE", 0, "Position of an independent joint: prints q at this y", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    tool_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        break;
    case 'q':
        options_assign(options, QUANTITY_Q, arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&model_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    argp_options,
    parse,
    "FILE",
    "Print q = M y + b: how all joints of the tree (q) follow from the independent ones (y). With "
    "--json also G, for velocities.",
    children,
    NULL,
    NULL};

typedef struct closure {
    td_sparse M;
    const double *b;
    coordinates tree;        /* names of q */
    coordinates independent; /* names of y */
    char **column;           /* names of w */
    double *q;               /* at the y of the options; NULL where none is given */
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
        table_add(&t, "%s", td_joint_at(model, (size_t)td_actuated_joint(model, i))->name);
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

static void print_json(const session *s, const closure *c, const double *y)
{
    const td_model *model = s->model;
    static const char *const label[] = {"q", "y", "qd", "yd"};
    cJSON *root = json_root(td_model_name(model));
    cJSON *names = cJSON_AddObjectToObject(root, "names");
    for (size_t i = 0; i < 4; i++) {
        const coordinates *of = i % 2 == 0 ? &c->tree : &c->independent;
        enum quantity quantity = i < 2 ? QUANTITY_Q : QUANTITY_QD;
        cJSON_AddItemToObject(names, label[i], json_texts(of->name[quantity], of->size[quantity]));
    }
    if (!is_linear(c)) {
        cJSON_AddItemToObject(names, "w", json_texts((const char *const *)c->column, c->M.columns));
    }
    td_sparse G = td_closure_velocity_matrix(model);
    double *full[] = {dense(c->M), dense(G)};
    cJSON_AddItemToObject(root, "M", json_matrix(full[0], c->M.rows, c->M.columns));
    cJSON_AddItemToObject(root, "b", json_numbers(c->b, c->M.rows));
    cJSON_AddItemToObject(root, "G", json_matrix(full[1], G.rows, G.columns));
    size_t nu = td_nu(model);
    double *M_u = allocate(nu * G.columns, sizeof *M_u);
    td_actuation_matrix(model, s->workspace, y, M_u);
    cJSON *motors = cJSON_AddArrayToObject(names, "u");
    for (size_t i = 0; i < nu; i++) {
        const td_joint *motor = td_joint_at(model, (size_t)td_actuated_joint(model, i));
        cJSON_AddItemToArray(motors, cJSON_CreateString(motor->name));
    }
    cJSON_AddItemToObject(root, "M_u", json_matrix(M_u, nu, G.columns));
    free(M_u);
    if (c->q != NULL) {
        cJSON_AddItemToObject(root, "y",
                              json_named(c->independent.name[QUANTITY_Q], y, td_ny(model)));
        cJSON_AddItemToObject(root, "q", json_named(c->tree.name[QUANTITY_Q], c->q, c->M.rows));
    }
    json_print(root, false);
    free(full[0]);
    free(full[1]);
}

static int run(const session *s, const tool_options *options)
{
    closure c = {.M = td_closure_matrix(s->model),
                 .b = td_closure_offset(s->model),
                 .tree = coordinates_new(s->model, true),
                 .independent = coordinates_new(s->model, false)};
    size_t columns;
    c.column = names_of_columns(s->model, &columns);
    robot_state x = state_new(&c.independent);
    td_status status = TD_OK;
    int code = EXIT_USAGE;
    if (state_read(&x, &c.independent, options, false)) {
        if (options->assignment_count > 0) {
            c.q = allocate(c.M.rows, sizeof *c.q);
            status = td_closure(s->model, s->workspace, x.value[QUANTITY_Q], NULL, NULL, c.q, NULL,
                                NULL);
        }
        if (status != TD_OK) {
            session_complain(s, NULL, status);
        } else {
            if (options->json) {
                print_json(s, &c, x.value[QUANTITY_Q]);
            } else {
                print_text(&c);
                print_actuation(s, x.value[QUANTITY_Q]);
            }
            code = EXIT_GOOD;
        }
    }
    names_free(c.column, columns);
    free(c.q);
    state_free(&x);
    coordinates_free(&c.tree);
    coordinates_free(&c.independent);
    return code;
}

int command_closure(int argc, char **argv)
{
    tool_options options;
    session s;
    parse_arguments(&argp, argc, argv, &options, &options);
    int code = session_open(&s, &options, false);
    if (code == EXIT_GOOD) {
        code = run(&s, &options);
        session_close(&s);
    }
    options_free(&options);
    return code;
}
