/* SPDX-License-Identifier: MIT */
/*
 * Reads the states of a command; see states.h.
 */
#include "input/states.h"

#include "command.h"
#include "input/state.h"

bool states_read(const coordinates *c, const state_form *form, const tool_options *options,
                 state_sink sink, void *context)
{
    if (options->states != NULL) {
        return state_table_read(c, form, options->states, sink, context);
    }
    robot_state x = state_new(c);
    double time = 0;
    size_t line = 1;
    state_batch batch = {.rows = 1, .room = 1, .first_row = 1, .time = &time, .line = &line};
    for (size_t i = 0; i < form->count; i++) {
        const enum quantity quantity = form->read[i];
        batch.value[quantity] = x.value[quantity];
        batch.has[quantity] = x.given[quantity];
        batch.given[quantity] = true;
    }
    const bool good = state_read(&x, c, options, true) == EXIT_GOOD && sink(context, &batch);
    state_free(&x);
    return good;
}
