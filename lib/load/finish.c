/* SPDX-License-Identifier: MIT */
/*
 * Makes a model from a builder's records, or none if they have errors. If joints are locked and the
 * robot has loops, the model is made twice. The first one has no locks: its loops decide the branch
 * to which the locked robot can move.
 */
#include <stdlib.h>
#include <string.h>

#include "load/build.h"

static const char beyond_cap[] = "URDF-C055";

/* Makes a model from a builder's records; NULL if that fails. */
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

/* Makes the robot without locks. *model is NULL if it is not needed: no locks, no loops, or loops
   left open. It is also NULL if the robot has errors. They are found and reported again with the
   locks, except for groups of loops above max_cluster that locks make smaller; list has these.
   Returns false if memory runs out. */
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

/* Reports a group of loops above max_cluster in the robot without locks: the branch would be
   arbitrary. */
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
