/* SPDX-License-Identifier: MIT */
/*
 * Units of --lock and --start, see position_units.h.
 */
#include "robot/position_units.h"

#include <stdlib.h>
#include <string.h>

#include "robot/coordinates.h"
#include "robot/model_text.h"
#include "text.h"

/* The robot without its locks, which have made fixed joints of those that are asked about; NULL
   where it cannot be made. Its loops stay open: they do not matter here. */
static td_model *unlocked(const td_model *model, const td_load_options *options)
{
    td_load_options plain = td_load_options_default();
    plain.base = options->base;
    plain.open_loops = true;
    plain.partial = options->partial;
    char *text = model_text(model);
    td_model *made = NULL;
    if (text != NULL) {
        td_model_read(text, strlen(text), "model", &plain, NULL, &made);
    }
    free(text);
    return made;
}

static bool check(const coordinates *c, const char *option, const td_joint_position *list,
                  const value_unit *const *units, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const int index = coordinates_find(c, QUANTITY_Q, list[i].joint);
        char *fault =
            index >= 0 ? coordinates_unit_fault(c, QUANTITY_Q, (size_t)index, units[i]) : NULL;
        if (fault != NULL) {
            complain("%s %s: %s", option, list[i].joint, fault);
        }
        good = good && fault == NULL;
        free(fault);
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
    if (!any(lock, load->locked_count) && !any(start, load->start_count)) {
        return true;
    }
    td_model *plain = unlocked(model, load);
    if (plain == NULL) {
        return true;
    }
    coordinates c = coordinates_new(plain, true);
    const bool locks = check(&c, "--lock", options->locked, lock, load->locked_count);
    const bool starts = check(&c, "--start", options->start, start, load->start_count);
    coordinates_free(&c);
    td_model_free(plain);
    return locks && starts;
}
