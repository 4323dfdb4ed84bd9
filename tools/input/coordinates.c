/* SPDX-License-Identifier: MIT */
/*
 * Builds and looks up names of coordinates; see coordinates.h.
 */
#include "input/coordinates.h"

#include <stdlib.h>
#include <string.h>

#include "input/combination.h"
#include "input/coordinate_name.h"
#include "input/loops.h"
#include "text.h"

const char *quantity_text(enum quantity quantity)
{
    static const char *const text[] = {"q", "qd", "qdd", "tau"};
    return text[quantity];
}

size_t coordinates_position(const coordinates *c, size_t joint)
{
    td_joint_place place = td_joint_place_at(c->model, joint);
    return (size_t)(c->tree ? place.q : place.y);
}

size_t coordinates_velocity(const coordinates *c, size_t joint)
{
    td_joint_place place = td_joint_place_at(c->model, joint);
    return (size_t)(c->tree ? place.qd : place.yd);
}

size_t coordinates_count(const coordinates *c, enum quantity quantity, size_t joint)
{
    td_joint_place place = td_joint_place_at(c->model, joint);
    bool positions = quantity == QUANTITY_Q;
    return (size_t)(c->tree ? (positions ? place.nq : place.nv)
                            : (positions ? place.ny : place.nyd));
}

size_t coordinates_joint(const coordinates *c, size_t velocity)
{
    size_t i = c->joints;
    while (i > 1 && coordinates_velocity(c, c->joint[i - 1]) > velocity) {
        i--;
    }
    return c->joint[i - 1];
}

size_t coordinates_owner(const coordinates *c, enum quantity quantity, size_t index)
{
    if (quantity != QUANTITY_Q) {
        return coordinates_joint(c, index);
    }
    size_t i = c->joints;
    while (i > 1 && coordinates_position(c, c->joint[i - 1]) > index) {
        i--;
    }
    return c->joint[i - 1];
}

unit_domain coordinates_domain(const coordinates *c, enum quantity quantity, size_t index)
{
    size_t joint = coordinates_owner(c, quantity, index);
    size_t first =
        quantity == QUANTITY_Q ? coordinates_position(c, joint) : coordinates_velocity(c, joint);
    td_joint_place place = td_joint_place_at(c->model, joint);
    return coordinate_domain(c->model, joint, quantity,
                             joint_component(place, quantity, c->tree, index - first));
}

char *unit_fault(const td_joint *joint, const char *name, unit_domain domain,
                 enum quantity quantity, const value_unit *u)
{
    static const char *const values[] = {"positions", "velocities", "accelerations", "forces"};
    if (u == NULL || (u->domain == domain && u->order == (int)quantity)) {
        return NULL;
    }
    scoped char *known = unit_words_of(domain, (int)quantity);
    char *text =
        domain == UNIT_NONE
            ? text_format("'%s' is part of a quaternion, which has no unit, not %s", name, u->word)
            : text_format("'%s' %s (%s joint): its %s are in %s, not %s", name,
                          domain == UNIT_TURN ? "turns" : "slides", joint_type_text(joint),
                          values[quantity], known, u->word);
    return text;
}

char *coordinates_unit_fault(const coordinates *c, enum quantity quantity, size_t index,
                             const value_unit *u)
{
    return unit_fault(td_joint_at(c->model, coordinates_owner(c, quantity, index)),
                      c->name[quantity][index], coordinates_domain(c, quantity, index), quantity,
                      u);
}

static void name_quantity(coordinates *c, enum quantity quantity)
{
    bool positions = quantity == QUANTITY_Q;
    c->name[quantity] = allocate(c->size[quantity], sizeof(char *));
    for (size_t i = 0; i < c->joints; i++) {
        size_t joint = c->joint[i];
        td_joint_place place = td_joint_place_at(c->model, joint);
        size_t first = positions ? coordinates_position(c, joint) : coordinates_velocity(c, joint);
        size_t count = coordinates_count(c, quantity, joint);
        for (size_t n = 0; n < count; n++) {
            c->name[quantity][first + n] = coordinate_text(
                c->model, joint, quantity, joint_component(place, quantity, c->tree, n));
        }
    }
}

static int compare_names(const void *a, const void *b)
{
    const coordinate_name *x = a;
    const coordinate_name *y = b;
    return strcmp(x->name, y->name);
}

static void sort_quantity(coordinates *c, enum quantity quantity)
{
    size_t size = c->size[quantity];
    c->sorted[quantity] = allocate(size, sizeof *c->sorted[quantity]);
    for (size_t i = 0; i < size; i++) {
        c->sorted[quantity][i] = (coordinate_name){c->name[quantity][i], i};
    }
    qsort(c->sorted[quantity], size, sizeof *c->sorted[quantity], compare_names);
}

coordinates coordinates_new(const td_model *model, bool tree)
{
    coordinates c = {.model = model, .tree = tree};
    c.joints = tree ? td_movable_count(model) : td_independent_count(model);
    c.joint = allocate(c.joints, sizeof *c.joint);
    for (size_t i = 0; i < c.joints; i++) {
        c.joint[i] = tree ? td_movable_joint(model, i) : td_independent_joint(model, i);
    }
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        bool positions = quantity == QUANTITY_Q;
        c.size[quantity] = positions ? (tree ? td_nq(model) : td_ny(model))
                                     : (tree ? td_nv(model) : td_nyd(model));
        name_quantity(&c, quantity);
        sort_quantity(&c, quantity);
    }
    return c;
}

void coordinates_free(coordinates *c)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        for (size_t i = 0; i < c->size[quantity]; i++) {
            free((char *)c->name[quantity][i]);
        }
        free(c->name[quantity]);
        free(c->sorted[quantity]);
    }
    free(c->joint);
}

static int find_as_it_is(const coordinates *c, enum quantity quantity, const char *name)
{
    coordinate_name key = {name, 0};
    const coordinate_name *found =
        bsearch(&key, c->sorted[quantity], c->size[quantity], sizeof key, compare_names);
    return found == NULL ? -1 : (int)found->index;
}

int coordinates_find(const coordinates *c, enum quantity quantity, const char *name)
{
    static const char always[] = "$base.";
    size_t prefix = strlen(always);
    int found = find_as_it_is(c, quantity, name);
    if (found < 0 && strncmp(name, always, prefix) == 0 &&
        td_model_base(c->model) == TD_BASE_FLOATING) {
        scoped char *plain = text_format("%s.%s", td_joint_at(c->model, 0)->name, name + prefix);
        found = find_as_it_is(c, quantity, plain);
    }
    return found;
}

/* Returns whether limits of an independent joint or of its followers exclude zero, so that its
   reference position is at a limit. Joints of loops do not count. */
static bool begins_at_limit(const coordinates *c, size_t joint)
{
    const td_effective_limit limit = td_effective_limit_at(c->model, joint);
    if (has_solved_loops(c->model) || td_joint_place_at(c->model, joint).y == TD_NONE ||
        !td_joint_kind_of(td_joint_at(c->model, joint)->type)->bounded) {
        return false;
    }
    return !(limit.lower > limit.upper) && (limit.lower > 0 || limit.upper < 0);
}

void coordinates_default(const coordinates *c, double *position)
{
    memcpy(position,
           td_reference(c->model, c->tree ? TD_COORDINATES_TREE : TD_COORDINATES_INDEPENDENT),
           c->size[QUANTITY_Q] * sizeof *position);
}

void coordinates_report_default(const coordinates *c, const bool *given)
{
    enum { LISTED = 4 };
    size_t count = 0;
    char *text = text_format("%s", "");
    scoped double *begins = allocate(c->size[QUANTITY_Q], sizeof *begins);
    coordinates_default(c, begins);
    for (size_t i = 0; i < c->joints; i++) {
        size_t joint = c->joint[i];
        const size_t at = coordinates_position(c, joint);
        if (begins_at_limit(c, joint) && !given[at] && count++ < LISTED) {
            const double begin = begins[at];
            char *longer =
                text_format("%s%s%s = %s", text, *text == '\0' ? "" : ", ",
                            td_joint_at(c->model, joint)->name, number_clear(begin).text);
            free(text);
            text = longer;
        }
    }
    if (count > LISTED) {
        tell_note("zero is outside the limits of joints without a position: %s and %zu more", text,
                  count - LISTED);
    } else if (count > 0) {
        tell_note("zero is outside the limits of joints without a position: %s", text);
    }
    free(text);
}

char *actuator_name(const td_model *model, size_t i)
{
    const td_actuator a = td_actuator_at(model, i);
    return a.joint == TD_NONE ? text_format("%s", a.name)
                              : coordinate_text(model, a.joint, QUANTITY_TAU, a.component);
}

char **actuator_names(const coordinates *c)
{
    if (c->tree || td_actuation_status(c->model) != TD_OK) {
        return NULL;
    }
    size_t count = td_nu(c->model);
    char **names = allocate(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = actuator_name(c->model, i);
    }
    return names;
}

bool actuators_differ(const coordinates *c)
{
    char **names = actuator_names(c);
    bool differ = false;
    for (size_t i = 0; names != NULL && i < td_nu(c->model); i++) {
        differ = differ || coordinates_find(c, QUANTITY_TAU, names[i]) < 0;
    }
    actuator_names_free(c, names);
    return differ;
}

void actuator_names_free(const coordinates *c, char **names)
{
    for (size_t i = 0; names != NULL && i < td_nu(c->model); i++) {
        free(names[i]);
    }
    free(names);
}
