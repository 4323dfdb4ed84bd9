/* SPDX-License-Identifier: MIT */
/*
 * Computes one thread's part of a sweep; see worker.h.
 */
#include "sweep/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

sweep_worker *sweep_worker_new(const sweep_spec *spec)
{
    sweep_worker *w = allocate(1, sizeof *w);
    sweep_arrays *a = &w->arrays;
    a->spec = spec;
    a->workspace = session_workspace(spec->s, spec->fd ? NEEDS_FORWARD : NEEDS_WORKSPACE, 1);
    w->reduction = sweep_form_reduction(&spec->form);
    a->points = allocate(SWEEP_LEAF * spec->dimensions + 1, sizeof *a->points);
    for (size_t array = 0; array < SWEEP_ARRAYS; array++) {
        const size_t width = spec->width[array];
        a->array[array] = allocate(SWEEP_LEAF * width + 1, sizeof **a->array);
        for (size_t i = 0; i < SWEEP_LEAF && array < SWEEP_INPUTS && width > 0; i++) {
            memcpy(a->array[array] + i * width, spec->base[array], width * sizeof(double));
        }
    }
    w->values = allocate(SWEEP_LEAF * spec->form.columns + 1, sizeof *w->values);
    a->status = allocate(SWEEP_LEAF, sizeof *a->status);
    a->each = allocate(SWEEP_LEAF, sizeof *a->each);
    a->scratch = allocate(sweep_scratch(spec) + 1, sizeof *a->scratch);
    if (a->workspace != NULL && w->reduction != NULL &&
        (spec->payloads == 0 || td_allow_payloads(a->workspace) == TD_OK)) {
        return w;
    }
    if (a->workspace != NULL) { /* otherwise a message was printed */
        complain("%s", td_status_text(TD_ERROR_MEMORY));
    }
    sweep_worker_free(w);
    return NULL;
}

void sweep_worker_free(sweep_worker *w)
{
    if (w == NULL) {
        return;
    }
    for (size_t array = 0; array < SWEEP_ARRAYS; array++) {
        free(w->arrays.array[array]);
    }
    td_reduction_free(w->reduction);
    td_workspace_free(w->arrays.workspace);
    free(w->arrays.points);
    free(w->arrays.status);
    free(w->arrays.each);
    free(w->arrays.scratch);
    free(w->values);
    free(w);
}

/* Collects the columns of the form, row by row. */
static void gather(sweep_worker *w, size_t n)
{
    const size_t columns = w->arrays.spec->form.columns;
    for (size_t k = 0; k < columns; k++) {
        const sweep_source *source = &w->arrays.spec->source[k];
        const size_t width = w->arrays.spec->width[source->array];
        const double *from = w->arrays.array[source->array] + source->index;
        for (size_t i = 0; i < n; i++) {
            w->values[i * columns + k] = from[i * width];
        }
    }
}

static bool is_chosen(const sweep_worker *w, const double *row)
{
    const sweep_keep *keep = &w->arrays.spec->chosen;
    for (size_t i = 0; i < keep->keep.condition_count; i++) {
        const td_condition *c = &keep->condition[i];
        if (!(row[c->column] >= c->from && row[c->column] <= c->to)) {
            return false;
        }
    }
    return true;
}

static void choose_rows(sweep_worker *w, uint64_t first, size_t n)
{
    sweep_rows *rows = w->rows;
    const size_t width = 1 + w->arrays.spec->form.chosens;
    for (size_t i = 0; i < n; i++) {
        const double *row = w->values + i * w->arrays.spec->form.columns;
        if (w->arrays.status[i] != TD_OK || !is_chosen(w, row)) {
            continue;
        }
        if (++rows->chosen > rows->most) {
            continue; /* counted, but not written */
        }
        if (rows->rows == rows->room) {
            rows->room = 2 * rows->room + 64;
            rows->value = reallocate(rows->value, rows->room * width, sizeof *rows->value);
        }
        double *out = rows->value + rows->rows++ * width;
        out[0] = (double)(first + i);
        for (size_t k = 0; k < w->arrays.spec->form.chosens; k++) {
            out[1 + k] = row[w->arrays.spec->row_column[k]];
        }
    }
}

td_status sweep_worker_leaf(sweep_worker *w, uint64_t first, size_t n)
{
    sweep_sample(&w->arrays, first, n);
    sweep_evaluate(&w->arrays, n);
    gather(w, n);
    if (w->rows != NULL) {
        choose_rows(w, first, n);
    }
    return td_reduction_add(w->reduction, first, n, w->values, w->arrays.status);
}

void sweep_worker_state(sweep_worker *w, uint64_t i, double *input)
{
    const sweep_arrays *a = &w->arrays;
    sweep_sample(&w->arrays, i, 1);
    for (size_t array = 0; array < SWEEP_INPUTS; array++) {
        const size_t width = a->spec->width[array];
        if (width > 0) {
            memcpy(input, a->array[array], width * sizeof *input);
            input += width;
        }
    }
}
