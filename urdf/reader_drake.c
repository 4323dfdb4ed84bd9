/* SPDX-License-Identifier: MIT */
/*
 * Reader: the constraints of Drake between points of two bodies, as Drake's URDF documentation has
 * them: point P is p_AP in the frame of body A, point Q is p_BQ in the frame of body B.
 * <drake:ball_constraint> keeps them together, <drake:distance_constraint> at a distance. The
 * latter is a spring where it has a finite stiffness, and rigid without one.
 */
#include <string.h>

#include "reader.h"

/* The child PARENT_NAME, as <drake:ball_constraint> has <drake:ball_constraint_body_A>; NULL, and a
   report, where there is none. */
static const td_xml_element *item(td_reader *reader, const td_xml_element *element,
                                  const char *name)
{
    const char *whole = td_reader_print(reader, "%s_%s", element->name, name);
    const td_xml_element *child = td_reader_only(reader, element, whole, TD_DYNAMIC);
    if (!child)
        TD_REPORT(reader, TD_CODE_LOOP_JOINT, element,
                  td_reader_print(reader, "add <%s .../> to it", whole),
                  "<%s> has no <%s>: it is left out", element->name, whole);
    return child;
}

/* The body and the point on it; NULL, and a report, where one is missing. */
static const char *read_body(td_reader *reader, const td_xml_element *element, const char *body,
                             const char *point, td_pose *origin)
{
    const td_xml_element *named = item(reader, element, body), *at = item(reader, element, point);
    const char *link = NULL;
    if (named) {
        td_reader_check(reader, named, "name", "");
        link = td_reader_string(reader, named, "name", TD_CODE_LOOP_JOINT, "name the link");
    }
    if (at) {
        td_reader_check(reader, at, "value", "");
        td_reader_required(reader, at, "value", TD_DYNAMIC, origin->position, 3);
    }
    return at ? link : NULL;
}

static bool read_bodies(td_reader *reader, const td_xml_element *element, td_loop *loop)
{
    loop->name = td_reader_print(reader, "%s (line %d)", element->name, element->position.line);
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

/* Whether it has no stiffness, or an infinite one. */
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
        td_reader_omit(reader, element,
                       "of a finite stiffness it is a spring, whose forces are "
                       "missing",
                       "leave out the stiffness where it is rigid");
        return;
    }
    loop.type = TD_LOOP_DISTANCE;
    loop.distance = 1; /* stands in for what is missing or bad, which is reported */
    const td_xml_element *distance = item(reader, element, "distance");
    if (distance) {
        td_reader_check(reader, distance, "value", "");
        td_reader_required(reader, distance, "value", TD_DYNAMIC, &loop.distance, 1);
    }
    if (read_bodies(reader, element, &loop) && distance)
        td_reader_add(reader, td_builder_add_loop(reader->builder, &loop));
}
