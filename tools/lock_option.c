/* SPDX-License-Identifier: MIT */
/*
 * --lock, see lock_option.h.
 */
#include "lock_option.h"

#include <stdlib.h>
#include <string.h>

#include "coordinates.h"
#include "model_json.h"
#include "text.h"
#include "value.h"

/* The name of a joint may hold an equals sign. */
void lock_option_read(tool_options *options, char *text, struct argp_state *state)
{
    td_load_options *load = &options->load;
    char *equals = strrchr(text, '=');
    td_locked_joint lock = {text, 0};
    const value_unit *u = NULL;
    if (equals == NULL || equals == text) {
        argp_error(state, "--lock is JOINT=POSITION, not '%s'", text);
    } else if (!value_parse(equals + 1, &lock.position, &u)) {
        argp_error(state, "--lock %s: '%s' is not a finite number", text, equals + 1);
    } else {
        const size_t count = load->locked_count + 1;
        *equals = '\0';
        options->locked = reallocate(options->locked, count, sizeof *options->locked);
        options->locked_unit = reallocate(options->locked_unit, count, sizeof(value_unit *));
        options->locked_unit[load->locked_count] = u;
        options->locked[load->locked_count++] = lock;
        load->locked = options->locked;
    }
}

/* The robot without its locks, which has made fixed joints of those that are asked about; NULL
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

/* One lock that is given in a unit. */
static bool check_lock(const coordinates *c, const td_locked_joint *lock, const value_unit *u)
{
    const int index = coordinates_find(c, QUANTITY_Q, lock->joint);
    char *fault = index >= 0 ? coordinates_unit_fault(c, QUANTITY_Q, (size_t)index, u) : NULL;
    const bool good = fault == NULL;
    if (!good) {
        complain("--lock %s: %s", lock->joint, fault);
    }
    free(fault);
    return good;
}

bool lock_option_check(const tool_options *options, const td_model *model)
{
    const size_t count = options->load.locked_count;
    bool units = false, good = true;
    for (size_t i = 0; i < count; i++) {
        units = units || options->locked_unit[i] != NULL;
    }
    td_model *plain = units ? unlocked(model, &options->load) : NULL;
    if (plain == NULL) {
        return true;
    }
    coordinates c = coordinates_new(plain, true);
    for (size_t i = 0; i < count; i++) {
        good = check_lock(&c, &options->locked[i], options->locked_unit[i]) && good;
    }
    coordinates_free(&c);
    td_model_free(plain);
    return good;
}
