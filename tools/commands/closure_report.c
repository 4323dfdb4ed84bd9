/* SPDX-License-Identifier: MIT */
/*
 * Examines loops at one configuration, see closure_report.h.
 */
#include "commands/closure_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/loops.h"
#include "output/json.h"
#include "output/table.h"
#include "text.h"

enum { WIDEST = 12 }; /* G with more columns is listed entry by entry */

/* Finds the largest |φ| among the rows of each loop. */
static void find_residuals(const session *s, closure_state *state)
{
    const td_model *model = s->model;
    scoped double *phi = allocate(td_constraint_count(model), sizeof *phi);
    td_status status = td_constraint_residual(model, s->workspace, state->q, phi);
    for (size_t i = 0; i < td_loop_count(model); i++) {
        td_loop_place place = td_loop_place_at(model, i);
        bool open = status != TD_OK || place.form == TD_LOOP_FORM_OPEN;
        state->residual[i] = open ? (double)NAN : 0;
        for (size_t k = 0; !open && k < place.constraint_count; k++) {
            state->residual[i] = fmax(state->residual[i], fabs(phi[place.constraint + k]));
        }
    }
}

td_status closure_state_at(const session *s, const double *y, closure_state *state)
{
    const td_model *model = s->model;
    *state = (closure_state){
        .report = {.size_of = sizeof state->report},
        .y = y,
        .q = allocate(td_nq(model), sizeof(double)),
        .G = allocate(td_nv(model) * td_nyd(model), sizeof(double)),
        .residual = allocate(td_loop_count(model), sizeof(double)),
    };
    td_status status = td_closure_examine(model, s->workspace, y, &state->report);
    if (status == TD_OK) {
        status = td_closure(model, s->workspace, y, NULL, NULL, state->q, NULL, NULL);
    }
    if (status == TD_OK) {
        status = td_closure_jacobian(model, s->workspace, y, state->G);
    }
    if (status == TD_OK) {
        find_residuals(s, state);
    }
    return status;
}

void closure_state_free(closure_state *state)
{
    free(state->q);
    free(state->G);
    free(state->residual);
}

double closure_condition(const td_closure_report *report)
{
    return report->largest > 0 ? report->largest / report->smallest : (double)NAN;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Marks the rows of G for dependent joints and the columns in which these are not zero. */
static size_t mark_entries(const coordinates *tree, const double *G, size_t columns, bool *row,
                           bool *column)
{
    const td_model *model = tree->model;
    size_t marked = 0;
    for (size_t i = 0; i < td_movable_count(model); i++) {
        td_joint_place place = td_joint_place_at(model, td_movable_joint(model, i));
        for (size_t k = 0; k < place.nv; k++) {
            size_t at = place.qd + k;
            if ((place.dependents >> k & 1) == 0) {
                continue;
            }
            row[at] = true;
            for (size_t j = 0; j < columns; j++) {
                marked += G[at * columns + j] != 0 && !column[j];
                column[j] = column[j] || G[at * columns + j] != 0;
            }
        }
    }
    return marked;
}

static void print_whole(const coordinates *tree, const coordinates *independent, const double *G,
                        const bool *row, const bool *column, size_t width)
{
    char alignment[WIDEST + 2] = "l";
    memset(alignment + 1, 'r', width);
    table t = table_new(alignment);
    size_t columns = independent->size[QUANTITY_QD];
    double scale = largest_of(G, tree->size[QUANTITY_QD] * columns);
    table_add(&t, "joint");
    for (size_t j = 0; j < columns; j++) {
        if (column[j]) {
            table_add(&t, "%s", independent->name[QUANTITY_QD][j]);
        }
    }
    for (size_t i = 0; i < tree->size[QUANTITY_QD]; i++) {
        if (row[i]) {
            table_add(&t, "%s", tree->name[QUANTITY_QD][i]);
            for (size_t j = 0; j < columns; j++) {
                if (column[j]) {
                    table_add(&t, "%s", number_of_scale(G[i * columns + j], scale).text);
                }
            }
        }
    }
    table_print(&t, 2);
}

static void print_entries(const coordinates *tree, const coordinates *independent, const double *G,
                          const bool *row)
{
    table t = table_new("llr");
    size_t columns = independent->size[QUANTITY_QD];
    double scale = largest_of(G, tree->size[QUANTITY_QD] * columns);
    table_add(&t, "joint");
    table_add(&t, "by");
    table_add(&t, "factor");
    for (size_t i = 0; i < tree->size[QUANTITY_QD]; i++) {
        for (size_t j = 0; row[i] && j < columns; j++) {
            number entry = number_of_scale(G[i * columns + j], scale);
            if (strcmp(entry.text, "0") != 0) {
                table_add(&t, "%s", tree->name[QUANTITY_QD][i]);
                table_add(&t, "%s", independent->name[QUANTITY_QD][j]);
                table_add(&t, "%s", entry.text);
            }
        }
    }
    table_print(&t, 2);
}

static void print_jacobian(const coordinates *tree, const coordinates *independent, const double *G)
{
    size_t columns = independent->size[QUANTITY_QD];
    scoped bool *row = allocate(tree->size[QUANTITY_QD], sizeof *row);
    scoped bool *column = allocate(columns, sizeof *column);
    size_t width = mark_entries(tree, G, columns, row, column);
    puts("\nG at y: velocities of the dependent joints per velocity of the independent ones");
    if (width <= WIDEST) {
        print_whole(tree, independent, G, row, column, width);
    } else {
        print_entries(tree, independent, G, row);
    }
}

static void print_loops(const td_model *model, const closure_state *state)
{
    const td_closure_report *report = &state->report;
    puts("\nloops at y");
    table t = table_new("llrr");
    table_add(&t, "loop");
    table_add(&t, "form");
    table_add(&t, "rows");
    table_add(&t, "residual");
    for (size_t i = 0; i < td_loop_count(model); i++) {
        td_loop_place place = td_loop_place_at(model, i);
        bool open = isnan(state->residual[i]);
        table_add(&t, "%s", td_loop_at(model, i)->name);
        table_add(&t, "%s", loop_form_text(place.form));
        table_add(&t, "%zu", place.constraint_count);
        table_add(&t, "%s", open ? "" : number_brief(state->residual[i]).text);
    }
    table_print(&t, 2);
    if (has_solved_loops(model)) {
        size_t n = report->iterations;
        bool several = td_loop_cluster_count(model) > 1;
        printf("  %s of the constraints; singular values %s to %s, condition %s%s\n",
               counted(n, "evaluation").text, number_brief(report->smallest).text,
               number_brief(report->largest).text, number_brief(closure_condition(report)).text,
               several ? " (the worst of the clusters)" : "");
    }
}

void closure_state_print(const coordinates *tree, const coordinates *independent,
                         const closure_state *state)
{
    if (has_solved_loops(tree->model)) {
        print_jacobian(tree, independent, state->G);
    }
    if (td_loop_count(tree->model) > 0) {
        print_loops(tree->model, state);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

cJSON *closure_state_json(const td_model *model, const closure_state *state)
{
    const td_closure_report *report = &state->report;
    bool solved = has_solved_loops(model);
    double none = NAN;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "evaluations", json_count(report->iterations));
    cJSON_AddItemToObject(item, "smallest", json_number(solved ? report->smallest : none));
    cJSON_AddItemToObject(item, "largest", json_number(solved ? report->largest : none));
    cJSON_AddItemToObject(item, "condition", json_number(closure_condition(report)));
    cJSON *loops = cJSON_AddArrayToObject(item, "loops");
    for (size_t i = 0; i < td_loop_count(model); i++) {
        td_loop_place place = td_loop_place_at(model, i);
        cJSON *loop = cJSON_CreateObject();
        cJSON_AddItemToObject(loop, "name", json_text(td_loop_at(model, i)->name));
        cJSON_AddItemToObject(loop, "form", json_text(loop_form_text(place.form)));
        cJSON_AddItemToObject(loop, "cluster",
                              place.cluster == TD_NONE ? cJSON_CreateNull()
                                                       : json_count(place.cluster));
        cJSON_AddItemToObject(loop, "residual", json_number(state->residual[i]));
        cJSON_AddItemToArray(loops, loop);
    }
    return item;
}
