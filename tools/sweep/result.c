/* SPDX-License-Identifier: MIT */
/*
 * Manages results of sweeps and the states that they mention; see result.h.
 */
#include "sweep/result.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

bool sweep_result_complete(const sweep_result *r)
{
    uint64_t first, end;
    td_reduction_range(r->reduction, 0, &first, &end);
    return td_reduction_range_count(r->reduction) == 1 && first == 0 && end == r->form.states;
}

uint64_t sweep_result_states(const sweep_result *r)
{
    uint64_t states = 0;
    for (size_t i = 0; i < td_reduction_range_count(r->reduction); i++) {
        uint64_t first, end;
        td_reduction_range(r->reduction, i, &first, &end);
        states += end - first;
    }
    return states;
}

bool sweep_result_failed(const sweep_result *r)
{
    const uint64_t states = sweep_result_states(r);
    uint64_t failed = 0;
#define ADD_FAILED(code, text) failed += td_reduction_failed(r->reduction, code, NULL, NULL);
    TD_STATUS_TABLE(ADD_FAILED)
#undef ADD_FAILED
    return states > 0 && failed == states;
}

const char *sweep_failure_text(td_status status)
{
    /* the specification is valid, but varied parameters may make an impossible robot */
    return status == TD_ERROR_ARGUMENT ? "a payload leaves a link with a negative mass"
                                       : td_status_text(status);
}

/* ---- states ---------------------------------------------------------------------------------- */

typedef struct index_list {
    uint64_t *index;
    size_t count, room;
} index_list;

static void add_index(index_list *list, uint64_t index)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->index = reallocate(list->index, list->room, sizeof *list->index);
    }
    list->index[list->count++] = index;
}

static int compare_indices(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_kept(index_list *list, const sweep_result *r, size_t keep)
{
    const uint64_t *rows;
    td_moments m;
    switch (r->form.keep[keep].keep.kind) {
    case TD_KEEP_MOMENTS:
        td_reduction_moments(r->reduction, keep, &m);
        if (m.smallest <= m.largest) { /* the moments include at least one row */
            add_index(list, m.smallest_row);
            add_index(list, m.largest_row);
        }
        break;
    case TD_KEEP_LARGEST:
    case TD_KEEP_SMALLEST:
        for (size_t i = 0, n = td_reduction_rows(r->reduction, keep, &rows, NULL); i < n; i++) {
            add_index(list, rows[i]);
        }
        break;
    case TD_KEEP_HISTOGRAM:
    case TD_KEEP_CELLS:
        break;
    }
}

uint64_t *sweep_result_spoken(const sweep_result *r, size_t *count)
{
    index_list list = {0};
    for (size_t i = 0; i < r->form.keeps; i++) {
        add_kept(&list, r, i);
    }
#define ADD_FAILED(code, text)                                                                     \
    {                                                                                              \
        const uint64_t *rows;                                                                      \
        size_t known;                                                                              \
        td_reduction_failed(r->reduction, code, &rows, &known);                                    \
        for (size_t i = 0; i < known; i++) {                                                       \
            add_index(&list, rows[i]);                                                             \
        }                                                                                          \
    }
    TD_STATUS_TABLE(ADD_FAILED)
#undef ADD_FAILED
    *count = 0;
    if (list.count > 0) {
        qsort(list.index, list.count, sizeof *list.index, compare_indices);
    }
    for (size_t i = 0; i < list.count; i++) {
        if (i == 0 || list.index[i] != list.index[i - 1]) {
            list.index[(*count)++] = list.index[i];
        }
    }
    return list.index;
}

const double *sweep_result_state(const sweep_result *r, uint64_t index)
{
    const uint64_t *found = r->states.count == 0 ? NULL
                                                 : bsearch(&index, r->states.index, r->states.count,
                                                           sizeof index, compare_indices);
    return found != NULL ? r->states.value + (size_t)(found - r->states.index) * r->form.inputs
                         : NULL;
}

void sweep_result_take_states(sweep_result *r, const sweep_result *other)
{
    size_t count;
    uint64_t *index = sweep_result_spoken(r, &count);
    const size_t inputs = r->form.inputs;
    sweep_states all = {index, allocate(count * inputs + 1, sizeof(double)), 0};
    for (size_t i = 0; i < count; i++) {
        const double *state = sweep_result_state(r, index[i]);
        state = state != NULL ? state : sweep_result_state(other, index[i]);
        if (state != NULL) {
            memcpy(all.value + all.count * inputs, state, inputs * sizeof *state);
            all.index[all.count++] = index[i];
        }
    }
    free(r->states.index);
    free(r->states.value);
    r->states = all;
}

void sweep_result_free(sweep_result *r)
{
    td_reduction_free(r->reduction);
    free(r->states.index);
    free(r->states.value);
    sweep_form_free(&r->form);
    *r = (sweep_result){.reduction = NULL};
}
