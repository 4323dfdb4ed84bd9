/* SPDX-License-Identifier: MIT */
/*
 * Assigns the columns of a NumPy array without names; see state_columns.h.
 */
#include <stdlib.h>

#include "input/state_columns.h"
#include "text.h"

/* Returns the quantities of the form that the array has, or lacks, as "q" or "q and qd". */
static char *list_quantities(const state_columns *r, bool there)
{
    char *text = text_format("%s", "");
    for (size_t k = 0; k < r->form->count; k++) {
        const enum quantity quantity = r->form->read[k];
        if (r->any[quantity] == there) {
            char *longer =
                text_format("%s%s%s", text, *text != '\0' ? " and " : "", quantity_text(quantity));
            free(text);
            text = longer;
        }
    }
    return text;
}

/* Reports which quantities a plain array has, derived from its width, and which are zero. */
static void tell_width(const state_columns *r)
{
    scoped char *there = list_quantities(r, true), *missing = list_quantities(r, false);
    if (*missing != '\0') {
        tell_note("%s: its %s are %s; zero is used for %s", r->name,
                  counted(r->count, "column").text, there, missing);
    }
}

/* Applies --unit to a column. Columns have their usual names here, such as q:JOINT. */
static void take_unit(state_columns *r, size_t column, enum quantity quantity, size_t i)
{
    const char *name = r->heading->text[column];
    const unit_domain domain = coordinates_domain(r->c, quantity, i);
    const td_joint *joint = td_joint_at(r->c->model, coordinates_owner(r->c, quantity, i));
    const value_unit *u = NULL;
    column_unit(&r->lookup, name, name, &u);
    char *fault = unit_fault(joint, r->c->name[quantity][i], domain, quantity, u);
    if (fault != NULL) { /* the unit comes from --unit, since an array has none */
        refuse_usage("%s: column '%s': %s", r->name, name, fault);
    }
    r->heading->factor[column] = column_factor(&r->lookup, u, domain, (int)quantity);
}

bool state_columns_place(state_columns *r)
{
    size_t next = 0;
    bool fits = false;
    if (r->lookup.words->map.count > 0) {
        refuse_usage("--map %s: the columns of %s have no names", r->lookup.words->map.word[0],
                     r->name);
    }
    for (size_t k = 0; k < r->form->count; k++) {
        next += r->c->size[r->form->read[k]];
        fits = fits || next == r->count;
    }
    if (!fits) {
        complain("%s: %s per row, but the robot has %zu positions and %zu velocities", r->name,
                 counted(r->count, "number").text, r->c->size[QUANTITY_Q], r->c->size[QUANTITY_QD]);
        return false;
    }
    next = 0;
    for (size_t k = 0; k < r->form->count && next < r->count; k++) {
        const enum quantity quantity = r->form->read[k];
        for (size_t i = 0; i < r->c->size[quantity]; i++, next++) {
            r->given[quantity][i] = r->any[quantity] = true;
            free(r->heading->text[next]);
            r->heading->text[next] =
                text_format("%s:%s", quantity_text(quantity), r->c->name[quantity][i]);
            r->heading->used[next] = true;
            r->column[next] = (state_column){.kind = COLUMN_VALUE,
                                             .quantity = quantity,
                                             .index = i,
                                             .known = true,
                                             .name = r->heading->text[next]};
            take_unit(r, next, quantity, i);
        }
    }
    if (r->form->told != 0) {
        tell_width(r);
    }
    column_lookup_used(&r->lookup, r->heading->text, r->count);
    return true;
}
