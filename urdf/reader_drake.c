/* SPDX-License-Identifier: MIT */
/*
 * Parser: Drake's constraints and springs between two bodies, as in Drake's URDF documentation.
 * Point P is p_AP in the frame of body A, point Q is p_BQ in the frame of body B.
 * <drake:ball_constraint> makes them coincide, <drake:distance_constraint> keeps their distance.
 * The latter is a spring if it has a finite stiffness, otherwise rigid.
 * <drake:linear_spring_damper> is a spring between P and Q, <drake:linear_bushing_rpy> one between
 * frames.
 */
#include <stddef.h>
#include <string.h>

#include "reader.h"

/* Returns the child with the given name. Reports a missing one and returns NULL. */
static const td_xml_element *child_of(td_reader *reader, const td_xml_element *element,
                                      const char *name)
{
    const td_xml_element *child = td_reader_only(reader, element, name, TD_DYNAMIC);
    if (!child)
        TD_REPORT(reader, TD_CODE_LOOP_JOINT, element,
                  td_reader_print(reader, "add <%s .../> to it", name),
                  "<%s> has no <%s>; it is left out", element->name, name);
    return child;
}

/* Returns the child PARENT_NAME, such as <drake:ball_constraint_body_A> of
   <drake:ball_constraint>. */
static const td_xml_element *item(td_reader *reader, const td_xml_element *element,
                                  const char *name)
{
    return child_of(reader, element, td_reader_print(reader, "%s_%s", element->name, name));
}

/* Returns the name attribute of a child. Reports a missing one and returns NULL. */
static const char *name_in(td_reader *reader, const td_xml_element *child)
{
    td_reader_check(reader, child, "name", "");
    return td_reader_string(reader, child, "name", TD_CODE_LOOP_JOINT, "name the link");
}

/* Reads the numbers of a child. Returns false if child is NULL. */
static bool numbers_in(td_reader *reader, const td_xml_element *child, double *values, size_t count)
{
    if (!child)
        return false;
    td_reader_check(reader, child, "value", "");
    td_reader_required(reader, child, "value", TD_DYNAMIC, values, count);
    return true; /* invalid values are errors; defaults replace them */
}

/* Reads a body and the point on it. Reports a missing one and returns NULL. */
static const char *read_body(td_reader *reader, const td_xml_element *element, const char *body,
                             const char *point, td_pose *origin)
{
    const td_xml_element *named = item(reader, element, body), *at = item(reader, element, point);
    const char *link = named ? name_in(reader, named) : NULL;
    return numbers_in(reader, at, origin->position, 3) ? link : NULL;
}

static const char *title_of(td_reader *reader, const td_xml_element *element)
{
    return td_reader_print(reader, "%s (line %d)", element->name, element->position.line);
}

static bool read_bodies(td_reader *reader, const td_xml_element *element, td_loop *loop)
{
    loop->name = title_of(reader, element);
    loop->source = td_reader_source(reader, element);
    loop->predecessor = read_body(reader, element, "body_A", "p_AP", &loop->predecessor_origin);
    loop->successor = read_body(reader, element, "body_B", "p_BQ", &loop->successor_origin);
    return loop->predecessor && loop->successor;
}

void td_reader_ball_constraint(td_reader *reader, const td_xml_element *element)
{
    td_loop loop = td_loop_default(NULL, NULL, NULL);
    td_reader_check(reader, element, "",
                    "drake:ball_constraint_body_A drake:ball_constraint_body_B "
                    "drake:ball_constraint_p_AP drake:ball_constraint_p_BQ");
    loop.type = TD_LOOP_SPHERICAL;
    if (read_bodies(reader, element, &loop))
        td_reader_add(reader, td_builder_add_loop(reader->builder, &loop));
}

/* ---- springs --------------------------------------------------------------------------------- */

/* Reads body_A, p_AP, body_B and p_BQ of a line between two points. length, damping: names of the
   children with these numbers; damping may be NULL. */
static void read_line(td_reader *reader, const td_xml_element *element, const char *length,
                      const char *damping)
{
    td_spring spring = td_spring_default(title_of(reader, element), NULL, NULL);
    spring.source = td_reader_source(reader, element);
    spring.predecessor = read_body(reader, element, "body_A", "p_AP", &spring.predecessor_origin);
    spring.successor = read_body(reader, element, "body_B", "p_BQ", &spring.successor_origin);
    const bool numbers[] = {
        numbers_in(reader, item(reader, element, length), &spring.length, 1),
        numbers_in(reader, item(reader, element, "stiffness"), &spring.stiffness, 1),
        !damping || numbers_in(reader, item(reader, element, damping), &spring.damping, 1)};
    if (spring.predecessor && spring.successor && numbers[0] && numbers[1] && numbers[2])
        td_reader_add(reader, td_builder_add_spring(reader->builder, &spring));
}

void td_reader_spring_damper(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "",
                    "drake:linear_spring_damper_body_A drake:linear_spring_damper_body_B "
                    "drake:linear_spring_damper_p_AP drake:linear_spring_damper_p_BQ "
                    "drake:linear_spring_damper_free_length drake:linear_spring_damper_stiffness "
                    "drake:linear_spring_damper_damping");
    read_line(reader, element, "free_length", "damping");
}

typedef struct td_named_frame {
    const char *name;
    const td_xml_element *element;
} td_named_frame;

/* Lists the <frame>s under <robot> by name. Returns false if memory is short. */
static bool list_frames(td_reader *reader, const td_xml_element *robot)
{
    td_arena *arena = &reader->xml->arena;
    size_t count = 0, listed = 0;
    for (const td_xml_element *f = td_xml_child(robot, "frame"); f; f = td_xml_next(f))
        count++;
    reader->frame = TD_ARENA_NEW(arena, td_named_frame, count);
    for (const td_xml_element *f = td_xml_child(robot, "frame"); reader->frame && f;
         f = td_xml_next(f))
        reader->frame[listed++] = (td_named_frame){td_xml_attribute_value(f, "name"), f};
    return reader->frame && td_names_build(&reader->frame_names, arena, reader->frame, listed,
                                           sizeof(td_named_frame), offsetof(td_named_frame, name));
}

const td_xml_element *td_reader_frame(td_reader *reader, const td_xml_element *robot,
                                      const char *name)
{
    if (!reader->frame && !list_frames(reader, robot)) {
        td_reader_add(reader, TD_ERROR_MEMORY);
        return NULL;
    }
    const int index = td_names_find(&reader->frame_names, name);
    return index < 0 ? NULL : reader->frame[index].element;
}

const char *td_reader_frame_link(td_reader *reader, const td_xml_element *frame, td_pose *pose)
{
    td_reader_pose(reader, frame, TD_DYNAMIC, pose);
    return td_reader_string(reader, frame, "link", TD_CODE_LOOP_JOINT,
                            "name the link that the frame is on");
}

/* Returns the link of a <frame> of the robot, and the frame's pose in it. A name without a <frame>
   is a link's name. */
static const char *read_frame(td_reader *reader, const td_xml_element *child, td_pose *pose)
{
    const char *name = child ? name_in(reader, child) : NULL;
    const td_xml_element *frame =
        name ? td_reader_frame(reader, child->parent->parent, name) : NULL;
    return frame ? td_reader_frame_link(reader, frame, pose) : name;
}

void td_reader_bushing(td_reader *reader, const td_xml_element *element)
{
    static const char *const words[] = {
        "drake:bushing_torque_stiffness", "drake:bushing_torque_damping",
        "drake:bushing_force_stiffness", "drake:bushing_force_damping"};
    td_spring spring = td_spring_default(title_of(reader, element), NULL, NULL);
    double *const values[] = {spring.angular_stiffness, spring.angular_damping,
                              spring.linear_stiffness, spring.linear_damping};
    bool whole = true;
    td_reader_check(reader, element, "",
                    "drake:bushing_frameA drake:bushing_frameC drake:bushing_torque_stiffness "
                    "drake:bushing_torque_damping drake:bushing_force_stiffness "
                    "drake:bushing_force_damping");
    spring.source = td_reader_source(reader, element);
    spring.type = TD_SPRING_BUSHING;
    spring.predecessor = read_frame(reader, child_of(reader, element, "drake:bushing_frameA"),
                                    &spring.predecessor_origin);
    spring.successor = read_frame(reader, child_of(reader, element, "drake:bushing_frameC"),
                                  &spring.successor_origin);
    for (int k = 0; k < 4; k++)
        whole = numbers_in(reader, child_of(reader, element, words[k]), values[k], 3) && whole;
    if (whole && spring.predecessor && spring.successor)
        td_reader_add(reader, td_builder_add_spring(reader->builder, &spring));
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Returns whether a distance constraint has no stiffness, or an infinite one. */
static bool is_rigid(td_reader *reader, const td_xml_element *element)
{
    const td_xml_element *stiffness =
        td_reader_only(reader, element, "drake:distance_constraint_stiffness", TD_DYNAMIC);
    const char *value = stiffness ? td_xml_attribute_value(stiffness, "value") : NULL;
    bool negative = false;
    return !stiffness || (value && td_number_is_infinity(value, &negative) && !negative);
}

void td_reader_distance_constraint(td_reader *reader, const td_xml_element *element)
{
    td_loop loop = td_loop_default(NULL, NULL, NULL);
    td_reader_check(reader, element, "",
                    "drake:distance_constraint_body_A drake:distance_constraint_body_B "
                    "drake:distance_constraint_p_AP drake:distance_constraint_p_BQ "
                    "drake:distance_constraint_distance drake:distance_constraint_stiffness "
                    "drake:distance_constraint_damping");
    if (!is_rigid(reader, element)) {
        const td_xml_element *damping =
            td_reader_only(reader, element, "drake:distance_constraint_damping", TD_DYNAMIC);
        read_line(reader, element, "distance", damping ? "damping" : NULL);
        return;
    }
    loop.type = TD_LOOP_DISTANCE;
    loop.distance = 1; /* the default replaces a missing or invalid value, which is reported */
    const bool distance = numbers_in(reader, item(reader, element, "distance"), &loop.distance, 1);
    if (read_bodies(reader, element, &loop) && distance)
        td_reader_add(reader, td_builder_add_loop(reader->builder, &loop));
}
