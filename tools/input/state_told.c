/* SPDX-License-Identifier: MIT */
/*
 * Prints messages about the columns of a table of states; see state_columns.h.
 */
#include <stdlib.h>

#include "input/column_path.h"
#include "input/quaternions.h"
#include "input/state_columns.h"
#include "input/unused.h"
#include "text.h"

/* Reports unused columns with unknown names, except kept columns. */
static void report_unknown(const state_columns *r)
{
    name_list names = {NULL, 0};
    const char *numbered = NULL;
    for (size_t i = 0; i < r->count && !r->form->keep; i++) {
        if (!r->column[i].known && r->column[i].kind == COLUMN_UNUSED) {
            names_add(&names, r->column[i].name);
            numbered =
                column_path_is_numbered(r->heading->column[i]) ? r->column[i].name : numbered;
        }
    }
    tell_unused(r->name, "not used", names.name, names.count);
    if (numbered != NULL && r->form->words != NULL) {
        tell_note("%s: '%s' does not name its joint; give --map '%s=JOINT'", r->name, numbered,
                  numbered);
    }
    names_clear(&names);
}

/* Appends the missing columns of a quantity to text: "q:a, q:b and 3 more", or "all q". */
static char *append_missing(const state_columns *r, enum quantity quantity, char *text)
{
    enum { LISTED = 4 };
    size_t missing = 0;
    size_t size = r->c->size[quantity];
    for (size_t i = 0; i < size; i++) {
        missing += !r->given[quantity][i];
    }
    if (missing == 0) {
        return text;
    }
    const char *comma = *text != '\0' ? ", " : "";
    char *longer =
        missing == size ? text_format("%s%sall %s", text, comma, quantity_text(quantity)) : NULL;
    size_t listed = 0;
    for (size_t i = 0; i < size && missing < size && listed < LISTED; i++) {
        if (!r->given[quantity][i]) {
            char *next =
                text_format("%s%s%s:%s", longer != NULL ? longer : text, listed > 0 ? ", " : comma,
                            quantity_text(quantity), r->c->name[quantity][i]);
            free(longer);
            longer = next;
            listed++;
        }
    }
    if (missing < size && missing > LISTED) {
        char *next =
            text_format("%s and %zu more %s", longer, missing - LISTED, quantity_text(quantity));
        free(longer);
        longer = next;
    }
    free(text);
    return longer;
}

/* Reports missing columns once. */
static void report_missing(const state_columns *r, const double *neutral)
{
    char *text = text_format("%s", "");
    for (size_t i = 0; i < r->form->count; i++) {
        enum quantity quantity = r->form->read[i];
        text = r->form->told >> quantity & 1 ? append_missing(r, quantity, text) : text;
    }
    bool quaternions = false, elsewhere = false;
    for (size_t i = 0; i < r->c->joints; i++) {
        size_t joint = (size_t)r->c->joint[i];
        size_t w = coordinates_position(r->c, joint) + quaternion_of(r->c->model, joint) + 3;
        quaternions = quaternions || (has_quaternion(r->c->model, joint) && neutral[w] == 1 &&
                                      !r->given[QUANTITY_Q][w]);
    }
    for (size_t i = 0; i < r->c->size[QUANTITY_Q]; i++) {
        elsewhere = elsewhere || (!r->given[QUANTITY_Q][i] && neutral[i] != 0 &&
                                  coordinates_domain(r->c, QUANTITY_Q, i) != UNIT_NONE);
    }
    if (*text != '\0') {
        tell_note("%s: no column for %s; zero is used%s%s", r->name, text,
                  elsewhere ? ", and the reference configuration for positions" : "",
                  quaternions ? " (quaternions: identity)" : "");
    }
    free(text);
}

void state_columns_tell(const state_columns *r, const double *neutral)
{
    report_unknown(r);
    if (r->form->told != 0) {
        report_missing(r, neutral);
        coordinates_report_default(r->c, r->given[QUANTITY_Q]);
    }
}
