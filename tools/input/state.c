/* SPDX-License-Identifier: MIT */
/*
 * Reads one state from the command line; see state.h.
 */
#include "input/state.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/position_units.h"
#include "input/quaternions.h"
#include "input/state_file.h"
#include "input/value.h"
#include "text.h"

robot_state state_new(const coordinates *c)
{
    robot_state s;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        s.value[quantity] = allocate(c->size[quantity], sizeof(double));
        s.given[quantity] = allocate(c->size[quantity], sizeof(bool));
    }
    coordinates_default(c, s.value[QUANTITY_Q]);
    return s;
}

void state_free(robot_state *s)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(s->value[quantity]);
        free(s->given[quantity]);
    }
}

/* The state that assignments fill, and the units for it. */
typedef struct filling {
    robot_state *state;
    const coordinates *c;
    column_lookup units; /* of --unit */
    bool tree_hint;
} filling;

/* Returns "-q" or "--qd". */
static const char *dashes(enum quantity quantity)
{
    return quantity == QUANTITY_Q ? "-" : "--";
}

/* Stores one value. text: the whole assignment, for messages. */
static bool put(filling *f, enum quantity quantity, const char *text, size_t index,
                const char *value)
{
    const char *option = quantity_text(quantity);
    const value_unit *u;
    double x;
    if (!value_parse(value, &x, &u)) {
        complain("%s%s %s: '%s' is not a finite number", dashes(quantity), option, text, value);
        return false;
    }
    char *fault = coordinates_unit_fault(f->c, quantity, index, u);
    if (fault != NULL) {
        complain("%s%s %s: %s", dashes(quantity), option, text, fault);
        free(fault);
        return false;
    }
    /* values with 'pi' are in radians, whatever --unit sets */
    if (u == NULL && strstr(value, "pi") == NULL &&
        !apply_general_unit(f->c, &f->units, quantity, index, &x)) {
        return false;
    }
    if (f->state->given[quantity][index]) {
        complain("%s%s %s: '%s' is given twice", dashes(quantity), option, text,
                 f->c->name[quantity][index]);
        return false;
    }
    f->state->value[quantity][index] = x;
    f->state->given[quantity][index] = true;
    return true;
}

/* Returns the text before the last equals sign, since names of joints may contain one, in a new
   string. Returns NULL without one. */
static char *name_in(const char *text)
{
    const char *equals = strrchr(text, '=');
    return equals == NULL || equals == text ? NULL
                                            : text_format("%.*s", (int)(equals - text), text);
}

/* Returns whether the text is a single NAME=VALUE of a coordinate or joint, whose name may contain
   any character. */
static bool is_one(const filling *f, enum quantity quantity, const char *text)
{
    scoped char *name = name_in(text);
    return name != NULL && strchr(strrchr(text, '='), ',') == NULL &&
           (coordinates_find(f->c, quantity, name) >= 0 ||
            td_joint_index(f->c->model, name) != TD_NONE);
}

/* Assigns NAME=VALUE. Prints a message and returns false if it is invalid. */
static bool assign_one(filling *f, enum quantity quantity, const char *text)
{
    scoped char *name = name_in(text);
    if (name == NULL) {
        complain("%s%s %s: expected JOINT=VALUE", dashes(quantity), quantity_text(quantity), text);
        return false;
    }
    int index = coordinates_find(f->c, quantity, name);
    bool good = index >= 0 && put(f, quantity, text, (size_t)index, strrchr(text, '=') + 1);
    if (index < 0) {
        scoped char *reason = coordinates_explain(f->c, quantity, name, f->tree_hint);
        complain("%s%s %s: %s", dashes(quantity), quantity_text(quantity), text, reason);
    }
    return good;
}

/* Assigns all values of a quantity in the model's order. */
static bool assign_all(filling *f, enum quantity quantity, const char *text)
{
    size_t size = f->c->size[quantity], count = 1;
    for (const char *comma = strchr(text, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        count++;
    }
    if (count != size) {
        complain("%s%s %s: %s, but the robot has %zu: %s%s%s; write JOINT=VALUE to set one",
                 dashes(quantity), quantity_text(quantity), text, counted(count, "value").text,
                 size, size > 0 ? f->c->name[quantity][0] : "", size > 1 ? ", " : "",
                 size > 2   ? "..."
                 : size > 1 ? f->c->name[quantity][1]
                            : "");
        return false;
    }
    char *copy = text_format("%s", text), *rest = copy;
    bool good = true;
    for (size_t i = 0; i < size; i++) {
        good = put(f, quantity, text, i, strsep(&rest, ",")) && good;
    }
    free(copy);
    return good;
}

/* Assigns several NAME=VALUE, separated by commas. */
static bool assign_several(filling *f, enum quantity quantity, const char *text)
{
    char *copy = text_format("%s", text), *rest = copy;
    bool good = true;
    for (char *part = strsep(&rest, ","); part != NULL; part = strsep(&rest, ",")) {
        if (strchr(part, '=') == NULL) {
            complain("%s%s %s: '%s' is not JOINT=VALUE (use a decimal point, not a comma)",
                     dashes(quantity), quantity_text(quantity), text, part);
            good = false;
        } else {
            good = assign_one(f, quantity, part) && good;
        }
    }
    free(copy);
    return good;
}

/* Performs an assignment. Names may contain commas and equals signs, so first tries the whole text
   as one NAME=VALUE. */
static bool assign(filling *f, const assignment *a)
{
    const value_unit *u;
    double value;
    if (is_one(f, a->quantity, a->text)) {
        return assign_one(f, a->quantity, a->text);
    }
    bool several = strchr(a->text, ',') != NULL;
    if (strchr(a->text, '=') == NULL && (several || value_parse(a->text, &value, &u))) {
        return assign_all(f, a->quantity, a->text);
    }
    return several ? assign_several(f, a->quantity, a->text) : assign_one(f, a->quantity, a->text);
}

int state_read(robot_state *s, const coordinates *c, const tool_options *options, bool tree_hint)
{
    filling f = {.state = s, .c = c, .tree_hint = tree_hint};
    column_lookup_new(&f.units, &options->columns, "the state");
    if (options->state != NULL &&
        !state_file_read(c, options->state, &options->columns, s->value)) {
        column_lookup_free(&f.units);
        return EXIT_FILE;
    }
    bool good = true;
    for (size_t i = 0; i < options->assignment_count; i++) {
        good = assign(&f, &options->assignments[i]) && good;
    }
    if (good && options->takes_states && options->states == NULL && options->state == NULL) {
        column_lookup_used(&f.units, NULL, 0); /* refuses --unit for unknown columns */
    }
    column_lookup_free(&f.units);
    complete_quaternions(c, s->given[QUANTITY_Q], s->value[QUANTITY_Q]);
    if (good && options->state == NULL) {
        coordinates_report_default(c, s->given[QUANTITY_Q]);
    }
    double norm;
    size_t joint = normalize_quaternions(c, s->value[QUANTITY_Q], &norm);
    if (joint != TD_NONE) {
        complain("the quaternion of joint '%s' has norm %s, not 1",
                 td_joint_at(c->model, joint)->name, number_clear(norm).text);
        good = false;
    }
    return good ? EXIT_GOOD : EXIT_USAGE;
}
