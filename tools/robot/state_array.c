/* SPDX-License-Identifier: MIT */
/*
 * The columns of an array of NumPy that has no names, see state_columns.h.
 */
#include "robot/state_columns.h"
#include "text.h"

/* Quantities of the form in the model's order, all of them or those that are told and more. */
static bool fits(const state_columns *r, size_t columns)
{
    size_t next = 0, needed = 0;
    bool good = columns == 0;
    for (size_t k = 0; k < r->form->count; k++) {
        next += r->c->size[r->form->read[k]];
        needed = r->form->told >> r->form->read[k] & 1 ? next : needed;
        good = good || next == columns;
    }
    return good && columns >= needed;
}

static bool place_all(state_columns *r, const npy_input *in)
{
    if (!fits(r, in->columns)) {
        complain("%s: %s a row, and the robot has %zu positions and %zu velocities", in->path,
                 counted(in->columns, "number").text, r->c->size[QUANTITY_Q],
                 r->c->size[QUANTITY_QD]);
        return false;
    }
    size_t next = 0;
    r->count = in->columns;
    r->column = allocate(in->columns, sizeof *r->column);
    r->kept = allocate(in->columns, sizeof *r->kept);
    for (size_t k = 0; k < r->form->count && next < in->columns; k++) {
        const enum quantity quantity = r->form->read[k];
        for (size_t i = 0; i < r->c->size[quantity]; i++) {
            r->given[quantity][i] = r->any[quantity] = true;
            r->column[next++] = (state_column){
                .kind = COLUMN_VALUE,
                .quantity = quantity,
                .index = i,
                .known = true,
                .factor = 1,
                .name = text_format("%s:%s", quantity_text(quantity), r->c->name[quantity][i])};
        }
    }
    return true;
}

bool state_columns_read_array(state_columns *r, const npy_input *in, double *neutral)
{
    const csv_row heading = {1, in->columns, in->name};
    return in->name != NULL ? state_columns_read(r, &heading, neutral) : place_all(r, in);
}
