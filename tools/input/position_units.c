/* SPDX-License-Identifier: MIT */
/*
 * Checks units of values on the command line; see position_units.h.
 */
#include "input/position_units.h"

#include <stdlib.h>
#include <string.h>

#include "input/coordinates.h"
#include "output/model_text.h"
#include "text.h"

/* Returns the robot without locks, since locked joints have become fixed joints, or NULL on
   failure. Its loops stay open, because units do not depend on them. */
static td_model *unlocked(const td_model *model, const td_load_options *options)
{
    td_load_options plain = td_load_options_default();
    plain.base = options->base;
    plain.open_loops = true;
    plain.partial = options->partial;
    scoped char *text = model_text(model);
    td_model *made = NULL;
    if (text != NULL) {
        td_load_model_memory(text, strlen(text), "model", &plain, NULL, &made);
    }
    return made;
}

/* Returns why a position is refused, in a new string, or NULL. The robot was loaded with the number
   in radians or meters, so --unit can no longer change it. */
static char *position_fault(const coordinates *c, size_t index, double position,
                            const value_unit *unit, const column_lookup *lookup)
{
    const unit_domain domain = coordinates_domain(c, QUANTITY_Q, index);
    const value_unit *other = domain != UNIT_NONE ? lookup->general[domain][QUANTITY_Q] : NULL;
    return unit == NULL && position != 0 && other != NULL && other->size != 1
               ? text_format("--unit %s does not apply to it; write the unit after the number",
                             other->word)
               : coordinates_unit_fault(c, QUANTITY_Q, index, unit);
}

static bool check(const coordinates *c, const char *option, const td_joint_position *list,
                  const value_unit *const *units, size_t count, const column_lookup *lookup)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const int index = coordinates_find(c, QUANTITY_Q, list[i].joint);
        scoped char *fault =
            index >= 0 ? position_fault(c, (size_t)index, list[i].position, units[i], lookup)
                       : NULL;
        if (fault != NULL) {
            complain("%s %s: %s", option, list[i].joint, fault);
        }
        good = good && fault == NULL;
    }
    return good;
}

static bool any(const value_unit *const *units, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (units[i] != NULL) {
            return true;
        }
    }
    return false;
}

bool position_units_check(const tool_options *options, const td_model *model)
{
    const td_load_options *load = &options->load;
    const value_unit *const *lock = (const value_unit *const *)options->locked_unit;
    const value_unit *const *start = (const value_unit *const *)options->start_unit;
    const bool positions = load->locked_count + load->start_count > 0;
    if (!any(lock, load->locked_count) && !any(start, load->start_count) &&
        !(positions && options->columns.unit.count > 0)) {
        return true;
    }
    column_lookup lookup;
    column_lookup_new(&lookup, &options->columns, "");
    td_model *plain = unlocked(model, load);
    bool good = true;
    if (plain != NULL) {
        coordinates c = coordinates_new(plain, true);
        good = check(&c, "--lock", options->locked, lock, load->locked_count, &lookup);
        good = check(&c, "--start", options->start, start, load->start_count, &lookup) && good;
        coordinates_free(&c);
        td_model_free(plain);
    }
    column_lookup_free(&lookup);
    return good;
}

bool apply_general_unit(const coordinates *c, column_lookup *lookup, enum quantity quantity,
                        size_t index, double *value)
{
    const char *name = c->name[quantity][index];
    const value_unit *u = NULL;
    scoped char *heading = text_format("%s:%s", quantity_text(quantity), name);
    column_unit(lookup, heading, name, &u);
    scoped char *fault = coordinates_unit_fault(c, quantity, index, u);
    const bool good = fault == NULL;
    if (!good) {
        complain("--unit: %s", fault);
    }
    *value *= column_factor(lookup, u, coordinates_domain(c, quantity, index), (int)quantity);
    return good;
}
