/* SPDX-License-Identifier: MIT */
/*
 * Reads loop_constraints of submechanism lists.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/frame.h"
#include "lists.h"
#include "vocabulary.h"

static void read_origin(td_lists *l, const td_yaml_node *map, const char *key, td_pose *pose)
{
    const td_yaml_node *origin = td_lists_value(map, key);
    double rpy[3];
    if (!origin || !td_lists_is_map(l, origin, "xyz rpy"))
        return;
    td_lists_numbers(l, origin, "xyz", pose->position, 3);
    if (td_lists_numbers(l, origin, "rpy", rpy, 3))
        td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], pose->rotation);
}

/* Sets the loop's frames so that they coincide when all joints are at zero: HyRoDyn does not give
   frames. */
static void close_at_zero(td_lists *l, const td_yaml_node *map, td_loop *loop)
{
    bool found = td_zero_between(&l->zero, loop->predecessor, &loop->predecessor_origin,
                                 loop->successor, &loop->successor_origin);
    if (!found && l->zero.steps == 0) /* otherwise there are several trees, which the builder
                                         reports */
        TD_LISTS_REPORT(l, TD_CODE_YAML_TOO_LARGE, map,
                        "write successor_origin: {xyz: ..., rpy: ...}",
                        "there are too many loops to compute the poses of their links");
}

/* Returns the bit of a constrained direction wx, wy, wz, vx, vy, vz, exactly one of them nonzero.
   Reports other directions and returns 0. */
static unsigned axis_bit(td_lists *l, const td_yaml_node *item)
{
    double axis[6];
    if (!td_lists_is_map(l, item, "name axis baumgarte_stabilization_parameter"))
        return 0;
    const td_yaml_node *n = td_lists_value(item, "axis");
    if (!n)
        td_lists_required_word(l, item, "axis");
    if (!n || !td_lists_read_numbers(l, n, axis, 6))
        return 0;
    int largest = 0, others = 0;
    for (int i = 1; i < 6; i++)
        largest = fabs(axis[i]) > fabs(axis[largest]) ? i : largest;
    for (int i = 0; i < 6; i++)
        others += i != largest && fabs(axis[i]) > 1e-9 * fabs(axis[largest]);
    if (axis[largest] != 0 && others == 0)
        return 1U << largest;
    TD_LISTS_REPORT(
        l, TD_CODE_LOOP_MASK, n,
        "write one 1 and five 0, rotations first; rotate the loop's frame with predecessor_origin",
        "a constrained axis is not an axis of the loop's frame");
    return 0;
}

/* Reads the type, or the mask of constrained axes that replaces it. */
static void read_loop_type(td_lists *l, const td_yaml_node *map, td_loop *loop)
{
    const td_yaml_node *axes = td_lists_list(l, map, "constraint_axes");
    const char *type = td_lists_word(l, map, "type");
    if (type && !td_loop_type_of_word(type, &loop->type)) {
        char remedy[160];
        snprintf(remedy, sizeof remedy, "use one of %s", td_loop_words());
        TD_LISTS_REPORT(l, TD_CODE_JOINT_TYPE, td_lists_value(map, "type"), remedy,
                        "a loop has the unknown type '%.*s'", td_shown(type), type);
    } else if (type && axes && loop->type != TD_LOOP_MASK) {
        TD_LISTS_REPORT(l, TD_CODE_NUMBER_CONFLICT, axes, "keep one of the two",
                        "the loop has both a type and constrained axes");
    } else if (!type && !axes) {
        TD_LISTS_REPORT(l, TD_CODE_JOINT_TYPE_MISSING, map,
                        "add type: ... or constraint_axes: [...]", "a loop has no type");
    }
    if (!axes)
        return;
    size_t errors = l->errors;
    loop->type = TD_LOOP_MASK;
    for (const td_yaml_node *item = axes->first; item; item = item->next)
        loop->mask |= axis_bit(l, item);
    if (l->errors > errors)
        loop->mask |= 1; /* avoids a second report about an empty mask */
}

/* Reads numbers that are required for one type of loop and invalid for all others. */
static void read_of_type(td_lists *l, const td_yaml_node *map, const char *key, const td_loop *loop,
                         td_loop_type type, double *values, size_t count)
{
    const td_yaml_node *n = td_lists_value(map, key);
    const char *text = td_loop_type_text(type);
    if (n && loop->type == type)
        td_lists_read_numbers(l, n, values, count);
    else if (n)
        TD_LISTS_REPORT(l, TD_CODE_LOOP_ITEM, n, "remove it, or correct the type",
                        "'%s' is only for %s loops; ignored", key, text);
    else if (loop->type == type)
        TD_LISTS_REPORT(l, TD_CODE_NUMBER_MISSING, map, "add it", "a %s loop has no '%s'", text,
                        key);
}

void td_lists_loop(td_lists *l, const td_yaml_node *map)
{
    if (!td_lists_is_map(l, map,
                         "cut_joint type predecessor_body predecessor_origin successor_body "
                         "successor_origin axis axis2 distance constraint_axes damping friction "
                         "spring_stiffness spring_reference"))
        return;
    td_loop loop = td_loop_default(td_lists_required_word(l, map, "cut_joint"),
                                   td_lists_required_word(l, map, "predecessor_body"),
                                   td_lists_required_word(l, map, "successor_body"));
    loop.source = td_lists_source(l, map);
    loop.distance = 1;
    read_loop_type(l, map, &loop);
    td_lists_numbers(l, map, "axis", loop.axis, 3);
    read_of_type(l, map, "axis2", &loop, TD_LOOP_UNIVERSAL, loop.second_axis, 3);
    read_of_type(l, map, "distance", &loop, TD_LOOP_DISTANCE, &loop.distance, 1);
    td_lists_numbers(l, map, "damping", &loop.damping, 1);
    td_lists_numbers(l, map, "friction", &loop.friction, 1);
    td_lists_numbers(l, map, "spring_stiffness", &loop.spring_stiffness, 1);
    td_lists_numbers(l, map, "spring_reference", &loop.spring_reference, 1);
    read_origin(l, map, "predecessor_origin", &loop.predecessor_origin);
    read_origin(l, map, "successor_origin", &loop.successor_origin);
    if (!loop.predecessor || !loop.successor)
        return;
    if (!td_lists_value(map, "successor_origin") && loop.type != TD_LOOP_DISTANCE)
        close_at_zero(l, map, &loop);
    td_lists_fail(l, td_builder_add_loop(l->builder, &loop));
}
