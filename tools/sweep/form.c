/* SPDX-License-Identifier: MIT */
/*
 * Manages the form of a sweep; see form.h.
 */
#include "sweep/form.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

sweep_keep *sweep_form_add(sweep_form *form, td_keep_kind kind)
{
    form->keep = reallocate(form->keep, form->keeps + 1, sizeof *form->keep);
    sweep_keep *added = &form->keep[form->keeps++];
    *added = (sweep_keep){.keep = td_keep_default()};
    added->keep.kind = kind;
    return added;
}

void sweep_keep_condition(sweep_keep *keep, size_t column, double from, double to)
{
    size_t *count = &keep->keep.condition_count;
    keep->condition = reallocate(keep->condition, *count + 1, sizeof *keep->condition);
    keep->condition[(*count)++] = (td_condition){column, from, to};
    keep->keep.conditions = keep->condition;
}

void sweep_keep_percentile(sweep_keep *keep, double percent)
{
    keep->percentile = reallocate(keep->percentile, keep->percentiles + 1, sizeof(double));
    keep->percentile[keep->percentiles++] = percent;
}

size_t sweep_form_column(sweep_form *form, const char *name)
{
    for (size_t i = 0; i < form->columns; i++) {
        if (strcmp(form->column[i], name) == 0) {
            return i;
        }
    }
    form->column = reallocate(form->column, form->columns + 1, sizeof *form->column);
    form->column[form->columns] = text_format("%s", name);
    return form->columns++;
}

static char **copy_texts(char *const *text, size_t count)
{
    char **copy = allocate(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        copy[i] = text_format("%s", text[i]);
    }
    return copy;
}

sweep_form sweep_form_copy(const sweep_form *form)
{
    sweep_form copy = *form;
    copy.robot = text_format("%s", form->robot);
    copy.isa = text_format("%s", form->isa);
    copy.version = text_format("%s", form->version);
    copy.column = copy_texts(form->column, form->columns);
    copy.input = copy_texts(form->input, form->inputs);
    copy.chosen = copy_texts(form->chosen, form->chosens);
    copy.keep = NULL;
    copy.keeps = 0;
    for (size_t i = 0; i < form->keeps; i++) {
        const sweep_keep *from = &form->keep[i];
        sweep_keep *to = sweep_form_add(&copy, from->keep.kind);
        to->keep = from->keep;
        to->keep.condition_count = 0;
        to->shown = from->shown;
        for (size_t k = 0; k < from->keep.condition_count; k++) {
            const td_condition *c = &from->condition[k];
            sweep_keep_condition(to, c->column, c->from, c->to);
        }
        for (size_t k = 0; k < from->percentiles; k++) {
            sweep_keep_percentile(to, from->percentile[k]);
        }
    }
    return copy;
}

static void free_texts(char **text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(text[i]);
    }
    free(text);
}

void sweep_form_free(sweep_form *form)
{
    for (size_t i = 0; i < form->keeps; i++) {
        free(form->keep[i].condition);
        free(form->keep[i].percentile);
    }
    free(form->keep);
    free_texts(form->column, form->columns);
    free_texts(form->input, form->inputs);
    free_texts(form->chosen, form->chosens);
    free(form->robot);
    free(form->isa);
    free(form->version);
    *form = (sweep_form){.robot = NULL};
}

const char *sweep_keep_text(td_keep_kind kind)
{
    switch (kind) {
    case TD_KEEP_MOMENTS:
        return "moments";
    case TD_KEEP_LARGEST:
        return "largest";
    case TD_KEEP_SMALLEST:
        return "smallest";
    case TD_KEEP_HISTOGRAM:
        return "histogram";
    case TD_KEEP_CELLS:
        return "cells";
    }
    return "";
}

const char *sweep_shown_text(sweep_shown shown)
{
    static const char *const text[] = {"largest", "smallest", "count"};
    return text[shown];
}

td_reduction *sweep_form_reduction(const sweep_form *form)
{
    scoped td_keep *keeps = allocate(form->keeps + 1, sizeof *keeps);
    for (size_t i = 0; i < form->keeps; i++) {
        keeps[i] = form->keep[i].keep;
    }
    td_reduction *made = NULL;
    const size_t columns = form->columns > 0 ? form->columns : 1;
    const td_status status =
        td_reduction_new(form->states, columns, keeps, form->keeps, form->examples, &made);
    if (status != TD_OK) {
        complain("results to keep: %s", td_status_text(status));
    }
    return made;
}

void sweep_shard_range(uint64_t states, uint64_t shard, uint64_t shards, uint64_t *first,
                       uint64_t *end)
{
    enum { LEAF = TD_REDUCTION_LEAF };
    const uint64_t leaves = (states + LEAF - 1) / LEAF;
    const uint64_t each = leaves / shards, more = leaves % shards;
    const uint64_t before = shard * each + (shard < more ? shard : more);
    const uint64_t after = before + each + (shard < more);
    *first = before * LEAF < states ? before * LEAF : states;
    *end = after * LEAF < states ? after * LEAF : states;
}

const char *sweep_form_difference(const sweep_form *a, const sweep_form *b)
{
    return a->model != b->model                  ? SWEEP_ROBOTS
           : a->spec != b->spec                  ? "specifications, samples or wrenches"
           : a->states != b->states              ? "numbers of states"
           : strcmp(a->isa, b->isa) != 0         ? "instruction sets"
           : strcmp(a->version, b->version) != 0 ? "versions of tandem"
                                                 : NULL;
}
