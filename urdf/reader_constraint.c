/* SPDX-License-Identifier: MIT */
/*
 * Parser: <constraint>, as proposed for urdfdom (pull request 264) and urdfdom_headers (108). It is
 * a loop joint between two links that already have parents, with a frame and an axis on each. The
 * axes coincide. If their directions in the two frames differ, the child's frame is rotated by the
 * smallest rotation that aligns them. A universal joint rotates about both axes.
 */
#include <math.h>
#include <string.h>

#include "reader.h"

/* Returns the link of <parent> or <child>. Reports a missing one and returns NULL. */
static const char *read_link(td_reader *reader, const td_xml_element *element, const char *name)
{
    const td_xml_element *side = td_reader_only(reader, element, name, TD_DYNAMIC);
    if (side) {
        td_reader_check(reader, side, "link", "");
        return td_reader_string(reader, side, "link", TD_CODE_LOOP_LINK_UNDEFINED, "name the link");
    }
    TD_REPORT(reader, TD_CODE_LOOP_LINK_UNDEFINED, element,
              td_reader_print(reader, "add <%s link=\"...\"/> to it", name), "%s has no <%s>",
              td_reader_title(reader, element), name);
    return NULL;
}

/* Reads <NAME_axis>. Without one, returns false and leaves axis unchanged. */
static bool read_axis(td_reader *reader, const td_xml_element *element, const char *name,
                      double axis[3])
{
    const td_xml_element *child = td_reader_only(reader, element, name, TD_DYNAMIC);
    if (child)
        td_reader_axis(reader, child, TD_DYNAMIC, axis);
    return child != NULL;
}

/* Reads the type. Reports a type that no loop has and returns false. */
static bool read_type(td_reader *reader, const td_xml_element *element, td_loop_type *type)
{
    const char *word = td_xml_attribute_value(element, "type");
    if (word && td_loop_type_of_word(word, type) && *type != TD_LOOP_DISTANCE &&
        *type != TD_LOOP_MASK)
        return true;
    TD_REPORT(reader, TD_CODE_LOOP_JOINT, element,
              "use one of revolute, continuous, prismatic, cylindrical, planar, universal, "
              "spherical, ball, fixed",
              word ? "%s has the type '%.*s', which cannot close a loop; it is left out"
                   : "%s has no type; it is left out",
              td_reader_title(reader, element), word ? td_shown(word) : 0, word);
    return false;
}

/* Reports children that joints can have but loops cannot. */
static void report_rest(td_reader *reader, const td_xml_element *element)
{
    static const char *const rest[] = {"limit", "mimic", "calibration", "safety_controller"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        const td_xml_element *child = td_xml_child(element, rest[i]);
        if (child)
            TD_REPORT(reader, TD_CODE_LOOP_ITEM, child,
                      "put it on a joint of the tree that the loop moves",
                      "%s does not apply to loops; ignored", td_reader_title(reader, child));
    }
}

static bool normalise(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; length > 0 && i < 3; i++)
        v[i] /= length;
    return length > 0;
}

/* Computes the smallest rotation from one direction to another less than a right angle away: 1 +
   [v]× + (v vᵀ − v² 1)/(1 + c), v = from × to, c = from · to. */
static void short_rotation(const double from[3], const double to[3], double R[9])
{
    const double v[3] = {from[1] * to[2] - from[2] * to[1], from[2] * to[0] - from[0] * to[2],
                         from[0] * to[1] - from[1] * to[0]};
    const double c = from[0] * to[0] + from[1] * to[1] + from[2] * to[2], scale = 1 / (1 + c);
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double X[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = (i == j) * (1 - scale * square) + X[3 * i + j] + scale * v[i] * v[j];
}

/* Computes a direction perpendicular to from, and to to as well unless that is almost the opposite
   of from: there rounding dominates the perpendicular part of v. */
static void across_both(const double from[3], const double to[3], double across[3])
{
    double v[3] = {from[1] * to[2] - from[2] * to[1], from[2] * to[0] - from[0] * to[2],
                   from[0] * to[1] - from[1] * to[0]};
    if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < 1e-28) {
        const int least = fabs(from[0]) <= fabs(from[1]) && fabs(from[0]) <= fabs(from[2]) ? 0
                          : fabs(from[1]) <= fabs(from[2])                                 ? 1
                                                                                           : 2;
        const double e[3] = {least == 0, least == 1, least == 2};
        v[0] = from[1] * e[2] - from[2] * e[1];
        v[1] = from[2] * e[0] - from[0] * e[2];
        v[2] = from[0] * e[1] - from[1] * e[0];
    }
    normalise(v);
    const double along = v[0] * from[0] + v[1] * from[1] + v[2] * from[2];
    for (int i = 0; i < 3; i++)
        across[i] = v[i] - along * from[i];
    normalise(across);
}

/* Computes the shortest rotation from one direction to another, about any perpendicular axis if
   they are opposite. Beyond a right angle it is half a turn about a common perpendicular followed
   by a short rotation, because 1 + c is dominated by rounding for nearly opposite directions. */
static void shortest_rotation(const double from[3], const double to[3], double R[9])
{
    if (from[0] * to[0] + from[1] * to[1] + from[2] * to[2] >= 0) {
        short_rotation(from, to, R);
        return;
    }
    const double back[3] = {-from[0], -from[1], -from[2]};
    double e[3], S[9];
    across_both(from, to, e);
    short_rotation(back, to, S);
    for (int i = 0; i < 3; i++) {
        const double along = S[3 * i] * e[0] + S[3 * i + 1] * e[1] + S[3 * i + 2] * e[2];
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = 2 * along * e[j] - S[3 * i + j];
    }
}

/* Rotates the child's frame so that the axis has the parent's components in it. */
static void align(double rotation[9], const double parent_axis[3], const double child_axis[3])
{
    double from[3], to[3], turn[9], turned[9];
    memcpy(from, parent_axis, sizeof from), memcpy(to, child_axis, sizeof to);
    if (!normalise(from) || !normalise(to))
        return; /* an invalid axis is reported with the loop */
    shortest_rotation(from, to, turn);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turned[3 * i + j] = rotation[3 * i] * turn[j] + rotation[3 * i + 1] * turn[3 + j] +
                                rotation[3 * i + 2] * turn[6 + j];
    memcpy(rotation, turned, sizeof turned);
}

void td_reader_constraint(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name type",
                    "parent child parent_origin child_origin parent_axis child_axis dynamics limit "
                    "mimic calibration safety_controller");
    td_loop loop = td_loop_default(td_reader_name(reader, element), NULL, NULL);
    loop.source = td_reader_source(reader, element);
    loop.predecessor = read_link(reader, element, "parent");
    loop.successor = read_link(reader, element, "child");
    td_reader_origin(reader, td_reader_only(reader, element, "parent_origin", TD_DYNAMIC),
                     TD_DYNAMIC, &loop.predecessor_origin);
    td_reader_origin(reader, td_reader_only(reader, element, "child_origin", TD_DYNAMIC),
                     TD_DYNAMIC, &loop.successor_origin);
    const bool typed = read_type(reader, element, &loop.type);
    double child_axis[3];
    read_axis(reader, element, "parent_axis", loop.axis);
    memcpy(child_axis, loop.axis, sizeof child_axis);
    const bool both = read_axis(reader, element, "child_axis", child_axis);
    if (typed && loop.type == TD_LOOP_UNIVERSAL && both)
        memcpy(loop.second_axis, child_axis, sizeof child_axis);
    else if (typed && loop.type != TD_LOOP_FIXED && loop.type != TD_LOOP_SPHERICAL)
        align(loop.successor_origin.rotation, loop.axis, child_axis);
    td_reader_loop_dynamics(reader, element, &loop);
    report_rest(reader, element);
    if (loop.predecessor && loop.successor && typed)
        td_reader_add(reader, td_builder_add_loop(reader->builder, &loop));
}
