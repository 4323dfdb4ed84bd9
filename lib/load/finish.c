/* SPDX-License-Identifier: MIT */
/*
 * A builder's records become a model, or none where they have errors. A robot with loops of which
 * joints are locked is made twice: first without locks, since the branch on which its loops close
 * is the one to which that robot can move.
 */
#include <stdlib.h>
#include <string.h>

#include "load/build.h"

static const char beyond_cap[] = "URDF-C055";

/* An empty model is made of a builder's records; NULL where that fails. */
static td_status make(const td_builder *builder, td_load_options *options, td_diagnostics *list,
                      const td_model *unlocked, td_model **model)
{
    td_model *made = calloc(1, sizeof *made);
    const td_status status =
        made ? td_make_model(builder, options, list, unlocked, made) : TD_ERROR_MEMORY;
    if (status != TD_OK) {
        td_model_free(made);
        made = NULL;
    }
    *model = made;
    return status;
}

/* The robot without locks; NULL where loops do not ask for it, or where it has errors: those are
   found again with the locks, and reported, but for loops beyond the cap that locks take joints
   from, which list has. False without memory. */
static bool make_unlocked(const td_builder *builder, const td_load_options *options,
                          td_diagnostics *list, td_model **model)
{
    td_load_options free = *options;
    *model = NULL;
    if (!options->locked_count || !builder->records.loop.count || options->open_loops)
        return true;
    free.locked_count = 0;
    free.strict = false;
    free.actuation = TD_ACTUATION_INDEPENDENT;
    return make(builder, &free, list, NULL, model) != TD_ERROR_MEMORY;
}

/* That of a robot without locks, where there is one: a model on any branch would not do. */
static td_status report_cap(const td_diagnostics *without_locks, td_diagnostics *list)
{
    for (size_t i = 0; i < td_diagnostics_size(without_locks); i++) {
        const td_diagnostic *entry = td_diagnostics_at(without_locks, i);
        if (strcmp(entry->code, beyond_cap) == 0)
            return td_diagnostics_add(list, entry) == TD_OK ? TD_ERROR_MODEL : TD_ERROR_MEMORY;
    }
    return TD_OK;
}

td_status td_builder_finish(const td_builder *builder, const td_load_options *options,
                            td_diagnostics *diagnostics, td_model **model)
{
    if (model)
        *model = NULL;
    td_load_options ours;
    if (!builder || !model || !td_options_read(options, &ours) || !td_options_are_valid(&ours))
        return TD_ERROR_ARGUMENT;
    td_diagnostics *list = diagnostics;
    if (!list)
        td_diagnostics_new(1, &list);
    td_diagnostics *without_locks;
    td_diagnostics_new(0, &without_locks);
    td_model *unlocked = NULL;
    td_status status =
        list && without_locks && make_unlocked(builder, &ours, without_locks, &unlocked)
            ? make(builder, &ours, list, unlocked, model)
            : TD_ERROR_MEMORY;
    if (status == TD_OK && (status = report_cap(without_locks, list)) != TD_OK) {
        td_model_free(*model);
        *model = NULL;
    }
    td_model_free(unlocked);
    td_diagnostics_free(without_locks);
    if (!diagnostics)
        td_diagnostics_free(list);
    return status;
}

void td_model_free(td_model *model)
{
    if (model) {
        td_records_free(&model->records);
        td_records_free(&model->given);
    }
    free(model);
}
