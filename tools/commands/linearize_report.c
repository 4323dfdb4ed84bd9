/* SPDX-License-Identifier: MIT */
/*
 * Prints the results of tandem linearize as text, JSON, CSV and arrays.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/linearize.h"
#include "input/passive.h"
#include "output/coordinates_json.h"
#include "output/matrix.h"
#include "output/table.h"
#include "output/table_output.h"
#include "text.h"

/* ---- text ------------------------------------------------------------------------------------ */

static void print_state(const linear_model *x)
{
    table t = table_new("lrrr");
    const char *const heading[] = {"joint", "q", "qd", "qdd"};
    const coordinates *c = x->c;
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < c->joints; i++) {
        const size_t joint = (size_t)c->joint[i], position = coordinates_position(c, joint);
        const size_t velocity = coordinates_velocity(c, joint);
        const size_t positions = coordinates_count(c, QUANTITY_Q, joint);
        const size_t velocities = coordinates_count(c, QUANTITY_QD, joint);
        const double *q = x->state->value[QUANTITY_Q], *qd = x->state->value[QUANTITY_QD];
        const bool apart = has_quaternion(c->model, joint); /* lists positions, then velocities */
        for (size_t k = 0; apart && k < positions; k++) {
            table_add(&t, "%s", c->name[QUANTITY_Q][position + k]);
            table_add(&t, "%s", number_place(q[position + k]).text);
            table_add(&t, "%s", "");
            table_add(&t, "%s", "");
        }
        for (size_t k = 0; k < velocities; k++) {
            table_add(&t, "%s",
                      apart ? c->name[QUANTITY_QD][velocity + k]
                            : c->name[QUANTITY_Q][position + k]);
            table_add(&t, "%s", apart ? "" : number_place(q[position + k]).text);
            table_add(&t, "%s", number_of_scale(qd[velocity + k], largest_of(qd, x->n)).text);
            table_add(&t, "%s", number_place(x->ydd[velocity + k]).text);
        }
    }
    table_print(&t, 0);
    t = table_new("lr");
    table_add(&t, "input");
    table_add(&t, "value");
    for (size_t i = 0; i < x->m; i++) {
        table_add(&t, "%s", x->input_name[i]);
        table_add(&t, "%s", number_of_scale(x->u[i], largest_of(x->u, x->m)).text);
    }
    fputc('\n', stdout);
    table_print(&t, 0);
}

const char *reach_word(double margin)
{
    return margin <= REACH_TOLERANCE ? "no" : margin <= 100 * REACH_TOLERANCE ? "?" : "yes";
}

/* Prints eigenvalues, conjugate pairs once. margin: how strongly inputs act on each mode, or NULL.
   Parts below 1e-8 of the largest are set to zero, since multiple eigenvalues are no more accurate.
 */
static void print_spectrum(size_t states, const double *real, const double *imaginary, bool steps,
                           const double *margin)
{
    table t = table_new("rrrrrl");
    const char *const heading[] = {"real", "imaginary", steps ? "magnitude" : "rad/s",
                                   "Hz",   "damping",   "reached"};
    t.columns = steps ? 3 : margin != NULL ? 6 : 5;
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    double most = 0;
    for (size_t i = 0; i < states; i++) {
        most = fmax(most, hypot(real[i], imaginary[i]));
    }
    for (size_t i = 0; i < states; i++) {
        const double least = 1e-8 * most;
        const double re = fabs(real[i]) < least ? 0 : real[i];
        const double im = fabs(imaginary[i]) < least ? 0 : imaginary[i];
        const double magnitude = hypot(re, im);
        if (im < 0) {
            continue;
        }
        table_add(&t, "%s", number_brief(re).text);
        table_add(&t, "%s%s", im > 0 ? "±" : "", im > 0 ? number_brief(im).text : "");
        table_add(&t, "%s", number_brief(magnitude).text);
        if (!steps) {
            table_add(&t, "%s", number_brief(magnitude / (2 * acos(-1))).text);
            table_add(&t, "%s", magnitude > 0 ? number_brief(-re / magnitude + 0.0).text : "");
        }
        if (margin != NULL) {
            const char *word = reach_word(margin[i]);
            const char *other = im > 0 ? reach_word(margin[i + 1]) : word;
            const bool alike = strcmp(word, other) == 0; /* false if both are close to one */
            table_add(&t, "%s%s%s", word, alike ? "" : ", ", alike ? "" : other);
        }
    }
    table_print(&t, 0);
}

static void print_reach(const linear_model *x)
{
    const size_t states = 2 * x->n;
    printf("\nthe inputs reach %zu", x->reached);
    if (x->most > x->reached) {
        printf(" to %zu", x->most);
    }
    printf(" of %zu states", states);
    if (x->most < states) {
        printf("; modes with 'no' are not reached, or hardly");
    }
    if (x->most > x->reached) {
        printf("; for modes with '?' rounding errors hide whether they are reached");
    }
    fputc('\n', stdout);
}

static void print_matrix(const char *heading, const char *title, char **row, char **column,
                         size_t rows, size_t columns, const double *values)
{
    const named_matrix m = {
        title, (const char *const *)row, (const char *const *)column, rows, columns, values, false};
    printf("\n%s\n", heading);
    matrix_print(&m);
}

static void print_pair(const linear_model *x, const char *A, const char *B, const double *a,
                       const double *b)
{
    print_matrix(A, "entry", x->state_name, x->state_name, 2 * x->n, 2 * x->n, a);
    if (x->m > 0) {
        print_matrix(B, "entry", x->state_name, x->input_name, 2 * x->n, x->m, b);
    }
}

void linear_print(const linear_model *x, const linearize_options *options)
{
    print_state(x);
    printf("\neigenvalues of A\n");
    const bool all = x->reached == 2 * x->n;
    print_spectrum(2 * x->n, x->real, x->imaginary, false, all ? NULL : x->margin);
    print_reach(x);
    print_pair(x, "A", "B", x->A, x->B);
    if (x->Ad != NULL) {
        scoped char *A = text_format("A of discrete steps of %s s", number_brief(options->dt).text);
        scoped char *B = text_format("B of discrete steps of %s s", number_brief(options->dt).text);
        print_pair(x, A, B, x->Ad, x->Bd);
    }
    if (x->K != NULL) {
        print_matrix("K, of u = -K x", "entry", x->input_name, x->state_name, x->m, 2 * x->n, x->K);
        printf("\neigenvalues of A - B K\n");
        print_spectrum(2 * x->n, x->loop_real, x->loop_imaginary, x->Ad != NULL, NULL);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

bool linear_write(const linear_model *x, const char *path)
{
    const double *A = x->Ad != NULL ? x->Ad : x->A, *B = x->Ad != NULL ? x->Bd : x->B;
    const size_t states = 2 * x->n;
    table_output t;
    table_output_open(&t, path);
    t.plain = true;
    table_output_text(&t, "state");
    for (size_t j = 0; j < states; j++) {
        table_output_name(&t, x->state_name[j]);
    }
    for (size_t j = 0; j < x->m; j++) {
        table_output_name(&t, x->input_name[j]);
    }
    bool good = table_output_end(&t);
    for (size_t i = 0; i < states && good; i++) {
        table_output_text(&t, x->state_name[i]);
        table_output_numbers(&t, A + i * states, states);
        table_output_numbers(&t, B + i * x->m, x->m);
        good = table_output_end(&t);
    }
    return table_output_close(&t, good);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns a JSON object with the fields that both commands print first. */
static cJSON *state_json(const coordinates *c, const robot_state *state,
                         const linearize_options *options)
{
    cJSON *root = coordinates_json_root(c);
    forces_add_json(&options->common, root);
    coordinates_add_names(c, root);
    coordinates_add_json(c, QUANTITY_Q, state->value[QUANTITY_Q], root);
    coordinates_add_json(c, QUANTITY_QD, state->value[QUANTITY_QD], root);
    return root;
}

/* Adds the inputs at the state by name: "u" of motors, "tau" of joints. */
static void add_inputs(cJSON *root, const linear_model *x, td_inputs inputs)
{
    const char *key = inputs == TD_INPUTS_MOTORS ? "u" : "tau";
    cJSON *item = cJSON_AddObjectToObject(root, key);
    for (size_t i = 0; i < x->m; i++) { /* names begin with the key and a colon */
        cJSON_AddItemToObject(item, x->input_name[i] + strlen(key) + 1, json_number(x->u[i]));
    }
}

static void add_spectrum(cJSON *root, const char *key, size_t states, const double *real,
                         const double *imaginary, bool steps, const double *margin)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < states; i++) {
        cJSON *one = cJSON_CreateObject();
        const double magnitude = hypot(real[i], imaginary[i]);
        cJSON_AddItemToObject(one, "real", json_number(real[i]));
        cJSON_AddItemToObject(one, "imaginary", json_number(imaginary[i]));
        if (!steps) {
            cJSON_AddItemToObject(one, "frequency", json_number(magnitude));
            cJSON_AddItemToObject(one, "damping", json_number(-real[i] / magnitude));
        }
        if (margin != NULL) {
            cJSON_AddItemToObject(one, "reach", json_text(reach_word(margin[i])));
            cJSON_AddItemToObject(one, "margin", json_number(margin[i]));
        }
        cJSON_AddItemToArray(list, one);
    }
    cJSON_AddItemToObject(root, key, list);
}

void linear_print_json(const linear_model *x, const linearize_options *options)
{
    const size_t states = 2 * x->n;
    cJSON *root = state_json(x->c, x->state, options);
    coordinates_add_json(x->c, QUANTITY_QDD, x->ydd, root);
    cJSON_AddItemToObject(root, "inputs", json_texts((const char *const *)x->input_name, x->m));
    add_inputs(root, x, options->inputs);
    cJSON_AddItemToObject(root, "A", json_matrix(x->A, states, states));
    cJSON_AddItemToObject(root, "B", json_matrix(x->B, states, x->m));
    add_spectrum(root, "eigenvalues", states, x->real, x->imaginary, false, x->margin);
    cJSON_AddItemToObject(root, "reached_least", json_count(x->reached));
    cJSON_AddItemToObject(root, "reached_most", json_count(x->most));
    if (x->Ad != NULL) {
        cJSON_AddItemToObject(root, "dt", json_number(options->dt));
        cJSON_AddItemToObject(root, "Ad", json_matrix(x->Ad, states, states));
        cJSON_AddItemToObject(root, "Bd", json_matrix(x->Bd, states, x->m));
    }
    if (x->K != NULL) {
        cJSON_AddItemToObject(root, "K", json_matrix(x->K, x->m, states));
        add_spectrum(root, "closed_loop", states, x->loop_real, x->loop_imaginary, x->Ad != NULL,
                     NULL);
    }
    json_print(root, false);
}
