/* SPDX-License-Identifier: MIT */
/*
 * Reads "vary" of a specification: the inputs that vary from state to state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec_parts.h"

#include "text.h"

static const double pi = 3.14159265358979323846;

/* An input, with data for messages and units. */
typedef struct target {
    enum sweep_array array;
    size_t index;
    unit_domain domain;
    int order;
    bool has_limits; /* the value may be "limits" */
} target;

/* ---- limits ---------------------------------------------------------------------------------- */

static bool is_bound(double x)
{
    return isfinite(x) && fabs(x) < 1e30;
}

/* Returns the range of a coordinate within its own limits and its followers' limits. */
static bool limits_of(const sweep_spec *spec, const target *t, double *from, double *to)
{
    const enum quantity quantity = (enum quantity)t->array;
    const size_t joint = coordinates_owner(&spec->c, quantity, t->index);
    if (coordinates_count(&spec->c, QUANTITY_QD, joint) != 1) {
        return false;
    }
    const td_effective_limit limit = td_effective_limit_at(spec->s->model, joint);
    const double acceleration = td_joint_at(spec->s->model, joint)->limit.acceleration;
    const bool endless = !is_bound(limit.lower) && !is_bound(limit.upper);
    *from = quantity == QUANTITY_Q ? limit.lower : -limit.velocity;
    *to = quantity == QUANTITY_Q ? limit.upper : limit.velocity;
    if (quantity == QUANTITY_Q && endless && t->domain == UNIT_TURN) {
        *from = -pi;
        *to = pi;
    } else if (quantity == QUANTITY_QDD || quantity == QUANTITY_TAU) {
        *to = quantity == QUANTITY_QDD ? acceleration : limit.effort;
        *from = -*to;
    }
    return is_bound(*from) && is_bound(*to) && *from < *to;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Sets the variable of an input. Replaces an earlier one. */
static void set_variable(sweep_spec *spec, const target *t, const td_yaml_node *node,
                         const sweep_variable *v)
{
    size_t at = 0;
    while (at < spec->variables &&
           (spec->variable[at].array != t->array || spec->variable[at].index != t->index)) {
        at++;
    }
    if (at < spec->variables) {
        memmove(&spec->variable[at], &spec->variable[at + 1],
                (spec->variables - at - 1) * sizeof *spec->variable);
        spec->variables--;
    }
    spec->variable = reallocate(spec->variable, spec->variables + 1, sizeof *spec->variable);
    sweep_variable *added = &spec->variable[spec->variables++];
    *added = *v;
    added->array = t->array;
    added->index = t->index;
    added->position = node->position;
}

static bool set_limits(sweep_spec *spec, const td_yaml_node *node, const target *t)
{
    sweep_variable v = {.kind = SWEEP_UNIFORM};
    const char *name = spec->name[t->array][t->index];
    if (!t->has_limits || !limits_of(spec, t, &v.from, &v.to)) {
        return node_fault(spec->file, node,
                          "'%s' has no limits: give a number, or {uniform: [FROM, TO]}", name);
    }
    set_variable(spec, t, node, &v);
    return true;
}

/* Reads {uniform: [FROM, TO]}, {normal: [MEAN, DEVIATION]} or {grid: [FROM, TO, STEPS]}. */
static bool set_distribution(sweep_spec *spec, const td_yaml_node *map, const target *t)
{
    if (!node_keys(spec->file, map, "uniform normal grid")) {
        return false;
    }
    const td_yaml_node *list = map->first;
    if (map->count != 1) {
        return node_fault(spec->file, map, "expected one of uniform, normal and grid");
    }
    sweep_variable v = {.kind = strcmp(list->key, "uniform") == 0  ? SWEEP_UNIFORM
                                : strcmp(list->key, "normal") == 0 ? SWEEP_NORMAL
                                                                   : SWEEP_GRID};
    const size_t count = v.kind == SWEEP_GRID ? 3 : 2;
    if (list->kind != TD_YAML_LIST || list->count != count) {
        return node_fault(spec->file, list, "expected %s",
                          v.kind == SWEEP_GRID     ? "[FROM, TO, STEPS]"
                          : v.kind == SWEEP_NORMAL ? "[MEAN, DEVIATION]"
                                                   : "[FROM, TO]");
    }
    const td_yaml_node *second = list->first->next;
    if (!node_number(spec->file, list->first, t->domain, t->order, &v.from) ||
        !node_number(spec->file, second, t->domain, t->order, &v.to) ||
        (count == 3 && !node_count(spec->file, second->next, 2, 1000000000, &v.steps))) {
        return false;
    }
    if (v.kind == SWEEP_NORMAL ? v.to < 0 : v.from >= v.to) {
        return node_fault(spec->file, second, "%s",
                          v.kind == SWEEP_NORMAL ? "the deviation must not be negative"
                                                 : "a range must increase");
    }
    set_variable(spec, t, map, &v);
    return true;
}

static bool set_value(sweep_spec *spec, const td_yaml_node *node, const target *t)
{
    if (node->kind == TD_YAML_MAP) {
        return set_distribution(spec, node, t);
    }
    if (node->kind == TD_YAML_SCALAR && strcmp(node->text, "limits") == 0) {
        return set_limits(spec, node, t);
    }
    double x;
    if (!node_number(spec->file, node, t->domain, t->order, &x)) {
        return false;
    }
    const sweep_variable fixed = {.kind = SWEEP_FIXED, .from = x};
    set_variable(spec, t, node, &fixed);
    spec->base[t->array][t->index] = x;
    return true;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static target target_of(const sweep_spec *spec, enum quantity quantity, size_t index)
{
    const int order = quantity == QUANTITY_TAU ? (int)UNIT_FORCE : (int)quantity;
    return (target){(enum sweep_array)quantity, index,
                    coordinates_domain(&spec->c, quantity, index), order, true};
}

/* Varies each joint with one coordinate, unless the map (may be NULL) names it. Other joints stay
   unchanged. */
static bool set_all(sweep_spec *spec, const td_yaml_node *node, const td_yaml_node *map,
                    enum quantity quantity)
{
    for (size_t i = 0; i < spec->c.size[quantity]; i++) {
        const target t = target_of(spec, quantity, i);
        const size_t joint = coordinates_owner(&spec->c, quantity, i);
        const bool named = map != NULL && node_of(map, spec->c.name[quantity][i]) != NULL;
        if (coordinates_count(&spec->c, QUANTITY_QD, joint) == 1 && !named &&
            !set_value(spec, node, &t)) {
            return false;
        }
    }
    return true;
}

/* Reads "limits", or a map of names. In the map, "all" stands for the joints that it does not
   name. */
static bool vary_quantity(sweep_spec *spec, const td_yaml_node *node, enum quantity quantity)
{
    if (node->kind != TD_YAML_MAP) {
        return set_all(spec, node, NULL, quantity);
    }
    const td_yaml_node *all = node_of(node, "all");
    if (!node_once(spec->file, node) || (all != NULL && !set_all(spec, all, node, quantity))) {
        return false;
    }
    for (const td_yaml_node *one = node->first; one != NULL; one = one->next) {
        if (one == all) {
            continue;
        }
        const int index = coordinates_find(&spec->c, quantity, one->key);
        if (index < 0) {
            scoped char *why = coordinates_explain(&spec->c, quantity, one->key, false);
            node_fault(spec->file, one, "%s", why);
            return false;
        }
        const target t = target_of(spec, quantity, (size_t)index);
        spec->turned = spec->turned || (quantity == QUANTITY_Q && t.domain == UNIT_NONE);
        if (!set_value(spec, one, &t)) {
            return false;
        }
    }
    return true;
}

static void name_coordinates(sweep_spec *spec, enum quantity quantity)
{
    const enum sweep_array array = (enum sweep_array)quantity;
    spec_array(spec, array, spec->c.size[quantity]);
    for (size_t i = 0; i < spec->c.size[quantity]; i++) {
        spec->name[array][i] =
            text_format("%s:%s", quantity_text(quantity), spec->c.name[quantity][i]);
    }
}

/* ---- payloads and gravity -------------------------------------------------------------------- */

/* Finds the link that carries the next payload, whose com was read. In a flexible link this is the
   piece at com, so com must not vary. */
static bool seat_payload(sweep_spec *spec, const td_yaml_node *one, const td_yaml_node *com)
{
    const td_model *model = spec->s->model;
    const double *given = spec->base[SWEEP_PAYLOAD] + 4 * spec->payloads + 1;
    double at[3];
    const int link = find_link_point(model, one->key, true, given, at);
    for (const td_yaml_node *x = com != NULL ? com->first : NULL; x != NULL; x = x->next) {
        if (is_flexible(model, one->key) && x->kind != TD_YAML_SCALAR) {
            return node_fault(spec->file, x,
                              "'%s' is flexible, and its pieces are links: name the one that "
                              "carries this payload, '%s.1' and so on, and com in its coordinates",
                              one->key, one->key);
        }
    }
    for (size_t i = 0; i < spec->payloads; i++) {
        if (spec->carrier[i] == (size_t)link) {
            return node_fault(spec->file, one, "'%s' is given twice",
                              td_link_at(model, (size_t)link)->name);
        }
    }
    for (size_t k = 0; k < 3; k++) {
        spec->shift[3 * spec->payloads + k] = given[k] - at[k];
    }
    spec->carrier[spec->payloads++] = (size_t)link;
    return true;
}

/* Reads {LINK: {mass: VALUE, com: [X, Y, Z]}}. Each number may vary. */
static bool vary_payloads(sweep_spec *spec, const td_yaml_node *map)
{
    static const char *const part[] = {"mass", "com.x", "com.y", "com.z"};
    if (map->kind != TD_YAML_MAP) {
        return node_fault(spec->file, map, "expected {LINK: {mass: VALUE, com: [X, Y, Z]}}");
    }
    if (!node_once(spec->file, map)) {
        return false;
    }
    spec->carrier = allocate(map->count + 1, sizeof *spec->carrier);
    spec->shift = allocate(3 * (map->count + 1), sizeof *spec->shift);
    spec_array(spec, SWEEP_PAYLOAD, 4 * map->count);
    for (const td_yaml_node *one = map->first; one != NULL; one = one->next) {
        if (td_link_index(spec->s->model, one->key) == TD_NONE) {
            return node_unknown(spec->file, one, unknown_link(spec->s->model, one->key));
        }
        const size_t at = 4 * spec->payloads;
        for (size_t k = 0; k < 4; k++) {
            spec->name[SWEEP_PAYLOAD][at + k] = text_format("%s:%s", part[k], one->key);
        }
        if (!node_keys(spec->file, one, "mass com")) {
            return false;
        }
        const td_yaml_node *mass = node_of(one, "mass"), *com = node_of(one, "com");
        const target weight = {SWEEP_PAYLOAD, at, UNIT_NONE, 0, false};
        if (mass == NULL) {
            return node_fault(spec->file, one, "a payload needs a mass");
        }
        if (!set_value(spec, mass, &weight)) {
            return false;
        }
        if (com != NULL && (com->kind != TD_YAML_LIST || com->count != 3)) {
            return node_fault(spec->file, com, "expected a list of 3 numbers");
        }
        size_t k = 0;
        for (const td_yaml_node *x = com != NULL ? com->first : NULL; x != NULL; x = x->next) {
            const target place = {SWEEP_PAYLOAD, at + ++k, UNIT_SLIDE, 0, false};
            if (!set_value(spec, x, &place)) {
                return false;
            }
        }
        if (!seat_payload(spec, one, com)) {
            return false;
        }
    }
    return true;
}

/* Reads {x: VALUE, y: VALUE, z: VALUE}. */
static bool vary_gravity(sweep_spec *spec, const td_yaml_node *map)
{
    static const char *const axis[] = {"x", "y", "z"};
    spec_array(spec, SWEEP_GRAVITY, 3);
    const double *gravity = td_gravity(spec->s->model, NULL);
    for (size_t k = 0; k < 3; k++) {
        spec->base[SWEEP_GRAVITY][k] = gravity[k];
        spec->name[SWEEP_GRAVITY][k] = text_format("gravity:%s", axis[k]);
    }
    if (!node_keys(spec->file, map, "x y z")) {
        return false;
    }
    for (size_t k = 0; k < 3; k++) {
        const td_yaml_node *value = node_of(map, axis[k]);
        const target t = {SWEEP_GRAVITY, k, UNIT_SLIDE, 2, false};
        if (value != NULL && !set_value(spec, value, &t)) {
            return false;
        }
    }
    return true;
}

/* ---- all variables --------------------------------------------------------------------------- */

/* Compares by the order in the file, then by the order of the robot's coordinates. */
static int compare_places(const void *a, const void *b)
{
    const sweep_variable *x = a, *y = b;
    return x->position.line != y->position.line ? x->position.line - y->position.line
           : x->position.column != y->position.column
               ? x->position.column - y->position.column
               : (x->index > y->index) - (x->index < y->index);
}

/* Drops constants, which the base contains, except those that replace samples. */
static void drop_fixed(sweep_spec *spec)
{
    size_t left = 0;
    for (size_t i = 0; i < spec->variables; i++) {
        if (spec->variable[i].kind != SWEEP_FIXED || spec->samples.rows > 0) {
            spec->variable[left++] = spec->variable[i];
        }
    }
    spec->variables = left;
}

/* Assigns coordinates of the generator's points to variables, and orders grids: the first varies
   slowest. */
static bool place_variables(sweep_spec *spec, const td_yaml_node *vary)
{
    enum { MOST_BITS = 52 };
    drop_fixed(spec);
    if (spec->variables > 0) {
        qsort(spec->variable, spec->variables, sizeof *spec->variable, compare_places);
    }
    spec->grid = 1;
    for (size_t i = spec->variables; i-- > 0;) {
        sweep_variable *v = &spec->variable[i];
        if (v->kind == SWEEP_GRID) {
            v->divisor = spec->grid;
            if (spec->grid > (UINT64_C(1) << MOST_BITS) / v->steps) {
                return node_fault(spec->file, vary, "the grids have more than 2^52 combinations");
            }
            spec->grid *= v->steps;
        }
    }
    for (size_t i = 0; i < spec->variables; i++) {
        const sweep_kind kind = spec->variable[i].kind;
        if (kind == SWEEP_UNIFORM || kind == SWEEP_NORMAL) {
            spec->variable[i].dimension = spec->dimensions++;
        }
    }
    spec->period = spec->grid;
    if (spec->samples.any) {
        spec->samples.dimension = spec->dimensions++;
    } else if (spec->samples.rows > 0) {
        if (spec->grid > (UINT64_C(1) << MOST_BITS) / spec->samples.rows) {
            return node_fault(spec->file, vary,
                              "grids and samples have more than 2^52 combinations");
        }
        spec->period *= spec->samples.rows;
    }
    return true;
}

bool spec_vary(sweep_spec *spec, const tool_options *options, const td_yaml_node *vary)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        name_coordinates(spec, quantity);
    }
    coordinates_default(&spec->c, spec->base[SWEEP_Q]);
    spec->grid = spec->period = 1;
    if (vary == NULL || vary->null) {
        return true;
    }
    if (!node_keys(spec->file, vary, "q qd qdd tau payload gravity samples")) {
        return false;
    }
    for (const td_yaml_node *one = vary->first; one != NULL; one = one->next) {
        bool good = true;
        if (strcmp(one->key, "payload") == 0) {
            good = vary_payloads(spec, one);
        } else if (strcmp(one->key, "gravity") == 0) {
            good = vary_gravity(spec, one);
        } else if (strcmp(one->key, "samples") == 0) {
            good = spec_samples(spec, options, one);
        } else {
            enum quantity quantity = QUANTITY_Q;
            while (strcmp(one->key, quantity_text(quantity)) != 0) {
                quantity++;
            }
            good = vary_quantity(spec, one, quantity);
        }
        if (!good) {
            return false;
        }
    }
    return place_variables(spec, vary);
}
