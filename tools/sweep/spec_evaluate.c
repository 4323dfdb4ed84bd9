/* SPDX-License-Identifier: MIT */
/*
 * Reads "evaluate" of a specification: the list of results of each state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/spec_parts.h"

#include "input/motors.h"

#include "text.h"

static void name_of(sweep_spec *spec, enum sweep_array array, size_t i, const char *prefix,
                    const char *name)
{
    spec->name[array][i] = text_format("%s:%s", prefix, name);
}

static void name_all(sweep_spec *spec, enum sweep_array array, const char *prefix,
                     const char *const *name, size_t count)
{
    spec_array(spec, array, count);
    for (size_t i = 0; i < count; i++) {
        name_of(spec, array, i, prefix, name[i]);
    }
}

static void take_forces(sweep_spec *spec)
{
    spec->id = true;
    name_all(spec, SWEEP_FORCES, "tau", spec->c.name[QUANTITY_TAU], spec->c.size[QUANTITY_TAU]);
    char **motor = actuators_differ(&spec->c) ? actuator_names(&spec->c) : NULL;
    spec->drives = motor != NULL;
    if (motor != NULL) {
        name_all(spec, SWEEP_MOTORS, "u", (const char *const *)motor, td_nu(spec->s->model));
        actuator_names_free(&spec->c, motor);
    }
}

/* Reads a link, {link: NAME, point: [X, Y, Z]}, or a list of these. */
static bool read_places(sweep_spec *spec, const td_yaml_node *node, sweep_place **place,
                        size_t *count)
{
    const td_yaml_node *one = node->kind == TD_YAML_LIST ? node->first : node;
    if (one == NULL) {
        return node_fault(spec->file, node, "expected a link or a list of links");
    }
    while (one != NULL) {
        const bool map = one->kind == TD_YAML_MAP;
        const td_yaml_node *name = map ? node_of(one, "link") : one;
        const td_yaml_node *point = map ? node_of(one, "point") : NULL;
        if (map && !node_keys(spec->file, one, "link point")) {
            return false;
        }
        if (name == NULL || name->kind != TD_YAML_SCALAR) {
            return node_fault(spec->file, one,
                              "expected the name of a link, or {link: NAME, point: [X, Y, Z]}");
        }
        double given[3] = {0, 0, 0};
        if (point != NULL && !node_numbers(spec->file, point, UNIT_SLIDE, 0, given, 3)) {
            return false;
        }
        sweep_place added = {.name = NULL};
        if (td_link_index(spec->s->model, name->text) == TD_NONE) {
            return node_unknown(spec->file, name, unknown_link(spec->s->model, name->text));
        }
        added.link =
            (size_t)find_link_point(spec->s->model, name->text, point != NULL, given, added.point);
        added.name = td_link_at(spec->s->model, td_link_index(spec->s->model, name->text))->name;
        for (size_t i = 0; i < *count; i++) {
            if (strcmp((*place)[i].name, added.name) == 0) {
                return node_fault(spec->file, name, "'%s' is given twice", name->text);
            }
        }
        *place = reallocate(*place, *count + 1, sizeof **place);
        (*place)[(*count)++] = added;
        one = node->kind == TD_YAML_LIST ? one->next : NULL;
    }
    return true;
}

static void name_places(sweep_spec *spec, enum sweep_array array, const sweep_place *place,
                        size_t count, const char *const *prefix, size_t prefixes)
{
    spec_array(spec, array, count * prefixes);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < prefixes; k++) {
            name_of(spec, array, prefixes * i + k, prefix[k], place[i].name);
        }
    }
}

static bool take_poses(sweep_spec *spec, const td_yaml_node *node)
{
    static const char *const prefix[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    if (!read_places(spec, node, &spec->pose, &spec->poses)) {
        return false;
    }
    name_places(spec, SWEEP_POSES, spec->pose, spec->poses, prefix, 7);
    return true;
}

static bool take_jacobians(sweep_spec *spec, const td_yaml_node *node)
{
    static const char *const prefix[] = {"smallest", "largest"};
    if (!read_places(spec, node, &spec->jacobian, &spec->jacobians)) {
        return false;
    }
    name_places(spec, SWEEP_JACOBIANS, spec->jacobian, spec->jacobians, prefix, 2);
    return true;
}

static bool take_reactions(sweep_spec *spec, const td_yaml_node *node)
{
    const td_model *model = spec->s->model;
    const char **word;
    size_t count;
    if (!node_words(spec->file, node, &word, &count)) {
        return false;
    }
    spec->reaction = allocate(count + 1, sizeof *spec->reaction);
    spec_array(spec, SWEEP_REACTIONS, 8 * count);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const size_t joint = td_joint_index(model, word[i]);
        good = joint != TD_NONE || node_unknown(spec->file, node, unknown_joint(model, word[i]));
        for (size_t k = 0; k < i && good; k++) {
            good = spec->reaction[k] != joint ||
                   node_fault(spec->file, node, "'%s' is given twice", word[i]);
        }
        spec->reaction[i] = joint;
        for (size_t k = 0; k < 8; k++) {
            const char *prefix = k < 6 ? wrench_part[k] : k == 6 ? "moment" : "force";
            name_of(spec, SWEEP_REACTIONS, 8 * i + k, prefix, word[i]);
        }
    }
    spec->reactions = count;
    free(word);
    return good;
}

/* Names the results about limits. Efforts are checked only if forces are computed or given. */
static void name_limits(sweep_spec *spec)
{
    static const char *const name[] = {"limits:position", "limits:velocity", "use:velocity",
                                       "limits:effort", "use:effort"};
    const size_t count = spec->id || spec->fd ? 5 : 3;
    spec_array(spec, SWEEP_LIMITS, count);
    for (size_t i = 0; i < count; i++) {
        spec->name[SWEEP_LIMITS][i] = text_format("%s", name[i]);
    }
    if (count < 5) {
        return;
    }
    const td_model *model = spec->s->model;
    spec->motor_effort = allocate(td_nu(model) + 1, sizeof *spec->motor_effort);
    spec->follower_effort = allocate(td_joint_count(model) + 1, sizeof *spec->follower_effort);
    for (size_t i = 0; i < td_nu(model); i++) {
        spec->motor_effort[i] = motor_effort(model, i);
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        spec->follower_effort[i] = follower_effort(model, i, true);
        spec->followers_carry = spec->followers_carry || isfinite(spec->follower_effort[i]);
    }
}

static bool take_word(sweep_spec *spec, const td_yaml_node *node, const char *word)
{
    static const char *const extreme[] = {"smallest", "largest", "condition"};
    if (strcmp(word, "id") == 0) {
        take_forces(spec);
    } else if (strcmp(word, "fd") == 0) {
        spec->fd = true;
        name_all(spec, SWEEP_ACCELERATIONS, "qdd", spec->c.name[QUANTITY_QDD],
                 spec->c.size[QUANTITY_QDD]);
    } else if (strcmp(word, "loops") == 0) {
        if (td_loop_cluster_count(spec->s->model) == 0) {
            return node_fault(spec->file, node, "the robot has no iterated loops");
        }
        spec->loops = true;
        name_all(spec, SWEEP_LOOPS, "loops", extreme, 2);
    } else if (strcmp(word, "motors") == 0) {
        if (td_nu(spec->s->model) == 0) {
            return node_fault(spec->file, node, "the robot has no motors");
        }
        spec->motors = true;
        name_all(spec, SWEEP_DRIVES, "motors", extreme, 3);
    } else if (strcmp(word, "limits") == 0) {
        spec->limits = true;
    } else {
        return node_fault(spec->file, node,
                          "'%s' cannot be evaluated; choose among id, fd, loops, motors, limits, "
                          "{poses: LINKS}, {jacobian: LINKS} and {reactions: JOINTS}",
                          word);
    }
    return true;
}

static bool take_map(sweep_spec *spec, const td_yaml_node *map)
{
    if (!node_keys(spec->file, map, "poses jacobian reactions")) {
        return false;
    }
    for (const td_yaml_node *one = map->first; one != NULL; one = one->next) {
        if (strcmp(one->key, "poses") == 0      ? spec->poses > 0
            : strcmp(one->key, "jacobian") == 0 ? spec->jacobians > 0
                                                : spec->reactions > 0) {
            return node_fault(spec->file, one, "'%s' is given twice; it takes a list", one->key);
        }
        if (!(strcmp(one->key, "poses") == 0      ? take_poses(spec, one)
              : strcmp(one->key, "jacobian") == 0 ? take_jacobians(spec, one)
                                                  : take_reactions(spec, one))) {
            return false;
        }
    }
    return true;
}

bool spec_evaluate(sweep_spec *spec, const td_yaml_node *list)
{
    if (list->kind == TD_YAML_MAP || (list->kind == TD_YAML_LIST && list->count == 0)) {
        return node_fault(spec->file, list,
                          "expected a list of quantities to evaluate: [id, limits]");
    }
    const td_yaml_node *one = list->kind == TD_YAML_LIST ? list->first : list;
    while (one != NULL) {
        for (const td_yaml_node *before = list->first; before != NULL && before != one;
             before = before->next) {
            if (one->kind == TD_YAML_SCALAR && before->kind == TD_YAML_SCALAR &&
                strcmp(one->text, before->text) == 0) {
                return node_fault(spec->file, one, "'%s' is given twice", one->text);
            }
        }
        if (one->kind == TD_YAML_LIST ||
            !(one->kind == TD_YAML_MAP ? take_map(spec, one) : take_word(spec, one, one->text))) {
            return one->kind == TD_YAML_LIST
                       ? node_fault(spec->file, one, "a list must not contain a list")
                       : false;
        }
        one = list->kind == TD_YAML_LIST ? one->next : NULL;
    }
    if (spec->limits) {
        name_limits(spec);
    }
    if (spec->id && spec->fd) {
        return node_fault(
            spec->file, list,
            "a sweep cannot evaluate both id and fd: forces would be input and output");
    }
    return true;
}
