/* SPDX-License-Identifier: MIT */
/*
 * tandem mass: the joint-space mass matrix at one configuration.
 */
#include <stdlib.h>

#include "command.h"
#include "input/passive.h"
#include "output/coordinates_json.h"
#include "output/matrix.h"
#include "output/row_table.h"
#include "run.h"
#include "text.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    for (size_t i = 0; i < 4; i++) {
        state->child_inputs[i] = state->input;
    }
    ((tool_options *)state->input)->takes_states = true;
    return 0;
}

static const struct argp_child children[] = {{&payload_argp, 0, NULL, 0},
                                             {&state_argp, 0, NULL, 0},
                                             {&passive_argp, 0, NULL, 0},
                                             {&table_argp, 0, NULL, 0},
                                             {0}};
const struct argp mass_argp = {
    NULL,
    parse,
    "FILE [STATES]",
    "The mass matrix H (kg m², kg m, kg) at one configuration. Joints "
    "without -q are in the reference configuration. Of a matrix too large for a page only "
    "the entries are printed that are not zero, and each pair once. "
    "--passive adds the rotors. STATES is a CSV table ('-' is standard input) with columns "
    "q:JOINT; the result is one with a row a state, of each pair of "
    "entries the one below the diagonal.",
    children,
    NULL,
    NULL};

static void print_matrix(const coordinates *c, const double *H)
{
    if (c->size[QUANTITY_QD] == 0) {
        puts("no joint moves: the mass matrix is empty");
        return;
    }
    const char *const *names = c->name[QUANTITY_QD];
    const size_t n = c->size[QUANTITY_QD];
    const named_matrix m = {"H", names, names, n, n, H, true};
    matrix_print(&m);
}

static cJSON *json_head(const coordinates *c, const tool_options *options)
{
    cJSON *root = coordinates_json_root(c);
    forces_add_json(options, root);
    coordinates_add_names(c, root);
    return root;
}

static int run_one(const session *s, const coordinates *c, const robot_state *x, void *context)
{
    const tool_options *options = context;
    size_t n = c->size[QUANTITY_QD];
    double *H = allocate(n * n, sizeof *H);
    td_forces forces = options_forces(options);
    td_status status = td_mass_matrix(s->model, s->workspace, x->value[QUANTITY_Q], &forces, H);
    int code = EXIT_GOOD;
    if (status != TD_OK) {
        code = session_complain(s, NULL, status);
    } else if (options->json) {
        cJSON *root = json_head(c, options);
        cJSON_AddItemToObject(root, "H", json_matrix(H, n, n));
        json_print(root, false);
    } else {
        print_matrix(c, H);
    }
    free(H);
    return code;
}

typedef struct mass_rows {
    const tool_options *options;
    td_forces forces;
    double *H;
} mass_rows;

static td_status mass_row(const session *s, const coordinates *c, const double *q, const double *qd,
                          const double *qdd, const void *context, double *out)
{
    (void)qdd;
    const mass_rows *rows = context;
    size_t n = c->size[QUANTITY_QD];
    (void)qd;
    td_status status = td_mass_matrix(s->model, s->workspace, q, &rows->forces, rows->H);
    for (size_t i = 0; i < n && status == TD_OK; i++) {
        for (size_t j = 0; j <= i; j++) {
            *out++ = rows->H[i * n + j];
        }
    }
    return status;
}

static cJSON *json_head_of_rows(const coordinates *c, const void *context)
{
    const mass_rows *rows = context;
    return json_head(c, rows->options);
}

/* out: the entries on and below the diagonal */
static void json_state(const coordinates *c, const void *context, const double *out, cJSON *state)
{
    const mass_rows *rows = context;
    const size_t n = c->size[QUANTITY_QD];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            rows->H[i * n + j] = rows->H[j * n + i] = *out++;
        }
    }
    cJSON_AddItemToObject(state, "H", json_matrix(rows->H, n, n));
}

static int run_table(const session *s, const tool_options *options)
{
    coordinates c = coordinates_new(s->model, options->tree);
    size_t n = c.size[QUANTITY_QD];
    row_columns columns = {.name = NULL};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            char *pair = text_format("%s,%s", c.name[QUANTITY_QD][i], c.name[QUANTITY_QD][j]);
            row_columns_add(&columns, "H", pair);
            free(pair);
        }
    }
    mass_rows rows = {options, options_forces(options), allocate(n * n, sizeof(double))};
    const row_form form = {.compute = mass_row,
                           .context = &rows,
                           .json_head = json_head_of_rows,
                           .json_state = json_state};
    int code = row_table(s, options, &form, &columns);
    free(rows.H);
    row_columns_free(&columns);
    coordinates_free(&c);
    return code;
}

static int run(const session *s, void *options)
{
    if (options_tabular(options)) {
        return run_table(s, options);
    }
    return run_state(s, options, true, options, run_one);
}

int command_mass(int argc, char **argv)
{
    tool_options options;
    return run_session(&mass_argp, argc, argv, &options, &options, run);
}
