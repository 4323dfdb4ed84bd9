/* SPDX-License-Identifier: MIT */
/*
 * The fields of records in model files (docs/model-files.md). A field that is added to a struct of
 * the interface gets a line here, and the format a new version if older readers would compute
 * something else without it.
 */
#include "load/text/model_fields.h"

#define STRING(type, member)                                                                       \
    {                                                                                              \
#member, TD_FIELD_STRING, offsetof(type, member), 1, NULL                                  \
    }
#define INT(type, member)                                                                          \
    {                                                                                              \
#member, TD_FIELD_INT, offsetof(type, member), 1, NULL                                     \
    }
#define UNSIGNED(type, member)                                                                     \
    {                                                                                              \
#member, TD_FIELD_UNSIGNED, offsetof(type, member), 1, NULL                                \
    }
#define SIZE(type, member)                                                                         \
    {                                                                                              \
#member, TD_FIELD_SIZE, offsetof(type, member), 1, NULL                                    \
    }
#define BOOL(type, member)                                                                         \
    {                                                                                              \
#member, TD_FIELD_BOOL, offsetof(type, member), 1, NULL                                    \
    }
#define DOUBLES(type, member, n)                                                                   \
    {                                                                                              \
#member, TD_FIELD_DOUBLES, offsetof(type, member), n, NULL                                 \
    }
#define DOUBLE(type, member) DOUBLES(type, member, 1)
#define ARRAY(type, member, counter)                                                               \
    {                                                                                              \
#member, TD_FIELD_ARRAY, offsetof(type, member), offsetof(type, counter), NULL             \
    }
#define WORD(type, member, words)                                                                  \
    {                                                                                              \
#member, TD_FIELD_WORD, offsetof(type, member), 1, words                                   \
    }
#define POSE(type, member) DOUBLES(type, member.position, 3), DOUBLES(type, member.rotation, 9)
#define SOURCE(type, member)                                                                       \
    STRING(type, member.file), INT(type, member.line), INT(type, member.column),                   \
        STRING(type, member.element)

/* ---- enums: the words of their values, NULL behind the last ---------------------------------- */

#define WORDS(name, ...)                                                                           \
    static const char *name(unsigned value)                                                        \
    {                                                                                              \
        static const char *const words[] = {__VA_ARGS__};                                          \
        return value < sizeof words / sizeof *words ? words[value] : NULL;                         \
    }

WORDS(spring_types, "line", "bushing")
WORDS(curve_types, "polynomial", "sine", "spline")
WORDS(curve_ends, "natural", "clamped", "periodic", "hermite")
WORDS(shapes, "box", "sphere", "cylinder", "capsule", "mesh")
WORDS(bases, "fixed", "floating")
WORDS(actuations, "independent", "transmission", "list")
WORDS(plans, "auto", "cluster", "reduced")

static const char *joint_types(unsigned value)
{
    const td_joint_kind *kind = td_joint_kind_of(value);
    return kind ? kind->word : NULL;
}

static const char *loop_types(unsigned value)
{
    return td_loop_type_text(value);
}

/* ---- records --------------------------------------------------------------------------------- */

static const td_field robot[] = {STRING(td_robot_line, name), SOURCE(td_robot_line, source)};

static const td_field options[] = {
    WORD(td_load_options, base, bases),      DOUBLES(td_load_options, gravity, 3),
    BOOL(td_load_options, strict),           WORD(td_load_options, actuation, actuations),
    WORD(td_load_options, plan, plans),      BOOL(td_load_options, open_loops),
    SIZE(td_load_options, loop_evaluations), BOOL(td_load_options, partial),
    SIZE(td_load_options, max_cluster),      SIZE(td_load_options, max_elastic),
    BOOL(td_load_options, ignore_limits),
};

static const td_field position[] = {STRING(td_joint_position, joint),
                                    DOUBLE(td_joint_position, position)};

static const td_field actuated[] = {STRING(td_actuated_line, joint)};

static const td_field link[] = {
    STRING(td_link, name),
    SOURCE(td_link, source),
    BOOL(td_link, has_inertial),
    DOUBLE(td_link, mass),
    POSE(td_link, inertial),
    DOUBLES(td_link, inertia, 6),
    SOURCE(td_link, inertial_source),
    STRING(td_link, flexible),
};

static const td_field geometry[] = {
    STRING(td_geometry, name),     BOOL(td_geometry, collision),  WORD(td_geometry, shape, shapes),
    DOUBLES(td_geometry, size, 3), STRING(td_geometry, file),     POSE(td_geometry, origin),
    STRING(td_geometry, material), DOUBLES(td_geometry, rgba, 4),
};

static const td_field joint[] = {
    STRING(td_joint, name),
    SOURCE(td_joint, source),
    WORD(td_joint, type, joint_types),
    STRING(td_joint, parent),
    STRING(td_joint, child),
    POSE(td_joint, origin),
    DOUBLES(td_joint, axis, 3),
    SOURCE(td_joint, axis_source),
    DOUBLE(td_joint, limit.lower),
    DOUBLE(td_joint, limit.upper),
    DOUBLE(td_joint, limit.effort),
    DOUBLE(td_joint, limit.velocity),
    DOUBLE(td_joint, limit.acceleration),
    DOUBLE(td_joint, limit.deceleration),
    DOUBLE(td_joint, limit.jerk),
    SOURCE(td_joint, limit_source),
    DOUBLE(td_joint, damping),
    DOUBLE(td_joint, friction),
    DOUBLE(td_joint, spring_stiffness),
    DOUBLE(td_joint, spring_reference),
    SOURCE(td_joint, dynamics_source),
    DOUBLE(td_joint, calibration_rising),
    DOUBLE(td_joint, calibration_falling),
    DOUBLE(td_joint, soft_lower),
    DOUBLE(td_joint, soft_upper),
    DOUBLE(td_joint, k_position),
    DOUBLE(td_joint, k_velocity),
    STRING(td_joint, mimic),
    DOUBLE(td_joint, multiplier),
    DOUBLE(td_joint, offset),
    SOURCE(td_joint, mimic_source),
    INT(td_joint, independent),
    SOURCE(td_joint, independent_source),
    BOOL(td_joint, must_depend),
    STRING(td_joint, flexible),
    DOUBLES(td_joint, reference, 7),
    DOUBLE(td_joint, pitch),
};

static const td_field loop[] = {
    STRING(td_loop, name),
    SOURCE(td_loop, source),
    WORD(td_loop, type, loop_types),
    STRING(td_loop, predecessor),
    STRING(td_loop, successor),
    POSE(td_loop, predecessor_origin),
    POSE(td_loop, successor_origin),
    DOUBLES(td_loop, axis, 3),
    DOUBLES(td_loop, second_axis, 3),
    UNSIGNED(td_loop, mask),
    DOUBLE(td_loop, distance),
    DOUBLE(td_loop, damping),
    DOUBLE(td_loop, friction),
    DOUBLE(td_loop, spring_stiffness),
    DOUBLE(td_loop, spring_reference),
};

static const td_field coupling[] = {
    STRING(td_coupling, name),      SOURCE(td_coupling, source), STRING(td_coupling, predecessor),
    STRING(td_coupling, successor), DOUBLE(td_coupling, ratio),
};

static const td_field follower[] = {STRING(td_follower, joint), SOURCE(td_follower, source),
                                    DOUBLE(td_follower, offset)};

static const td_field curve[] = {
    STRING(td_curve, leader),
    WORD(td_curve, type, curve_types),
    ARRAY(td_curve, coefficient, coefficients),
    DOUBLE(td_curve, lower),
    DOUBLE(td_curve, upper),
    DOUBLE(td_curve, amplitude),
    DOUBLE(td_curve, frequency),
    DOUBLE(td_curve, phase),
    INT(td_curve, degree),
    WORD(td_curve, ends, curve_ends),
    ARRAY(td_curve, at, points),
    ARRAY(td_curve, value, points),
    ARRAY(td_curve, slope, points),
    ARRAY(td_curve, curvature, points),
    DOUBLES(td_curve, end_slope, 2),
    DOUBLES(td_curve, end_curvature, 2),
    BOOL(td_curve, kinks),
};

static const td_field spring[] = {
    STRING(td_spring, name),
    SOURCE(td_spring, source),
    WORD(td_spring, type, spring_types),
    STRING(td_spring, predecessor),
    STRING(td_spring, successor),
    POSE(td_spring, predecessor_origin),
    POSE(td_spring, successor_origin),
    DOUBLE(td_spring, length),
    DOUBLE(td_spring, stiffness),
    DOUBLE(td_spring, damping),
    DOUBLES(td_spring, angular_stiffness, 3),
    DOUBLES(td_spring, angular_damping, 3),
    DOUBLES(td_spring, linear_stiffness, 3),
    DOUBLES(td_spring, linear_damping, 3),
};

static const td_field transmission[] = {
    STRING(td_transmission, name),          SOURCE(td_transmission, source),
    STRING(td_transmission, type),          STRING(td_transmission, joint),
    STRING(td_transmission, actuator),      DOUBLE(td_transmission, mechanical_reduction),
    DOUBLE(td_transmission, rotor_inertia),
};

static const td_field flexible[] = {
    STRING(td_flexible, link),
    SOURCE(td_flexible, source),
    DOUBLES(td_flexible, start, 3),
    DOUBLES(td_flexible, axis, 3),
    DOUBLE(td_flexible, length),
    DOUBLES(td_flexible, across, 3),
    DOUBLES(td_flexible, bending_stiffness, 2),
    DOUBLE(td_flexible, torsional_stiffness),
    DOUBLE(td_flexible, mass_per_length),
    DOUBLE(td_flexible, rotary_inertia),
    DOUBLE(td_flexible, damping_ratio),
    INT(td_flexible, segments),
    BOOL(td_flexible, start_clamped),
    BOOL(td_flexible, end_clamped),
};

#define NAMED_FORM(word, record)                                                                   \
    {                                                                                              \
        word, record, sizeof record / sizeof *record                                               \
    }
#define FORM(record) NAMED_FORM(#record, record)

const td_record_form td_record_forms[TD_RECORD_KINDS] = {
    [TD_RECORD_ROBOT] = FORM(robot),
    [TD_RECORD_OPTIONS] = FORM(options),
    [TD_RECORD_LOCK] = NAMED_FORM("lock", position),
    [TD_RECORD_START] = NAMED_FORM("start", position),
    [TD_RECORD_ACTUATED] = FORM(actuated),
    [TD_RECORD_LINK] = FORM(link),
    [TD_RECORD_GEOMETRY] = FORM(geometry),
    [TD_RECORD_JOINT] = FORM(joint),
    [TD_RECORD_LOOP] = FORM(loop),
    [TD_RECORD_COUPLING] = FORM(coupling),
    [TD_RECORD_FOLLOWER] = FORM(follower),
    [TD_RECORD_CURVE] = FORM(curve),
    [TD_RECORD_SPRING] = FORM(spring),
    [TD_RECORD_TRANSMISSION] = FORM(transmission),
    [TD_RECORD_FLEXIBLE] = FORM(flexible),
};

_Static_assert(sizeof joint / sizeof *joint <= TD_MOST_FIELDS, "fields of a joint");

td_any_record td_record_default(td_record_kind kind)
{
    switch (kind) {
    case TD_RECORD_OPTIONS:
        return (td_any_record){.options = td_load_options_default()};
    case TD_RECORD_LINK:
        return (td_any_record){.link = td_link_default(NULL)};
    case TD_RECORD_GEOMETRY:
        return (td_any_record){.geometry = td_geometry_default(TD_SHAPE_BOX)};
    case TD_RECORD_JOINT:
        return (td_any_record){.joint = td_joint_default(NULL, TD_JOINT_FIXED, NULL, NULL)};
    case TD_RECORD_LOOP:
        return (td_any_record){.loop = td_loop_default(NULL, NULL, NULL)};
    case TD_RECORD_COUPLING:
        return (td_any_record){.coupling = td_coupling_default(NULL, NULL, NULL, 1)};
    case TD_RECORD_FOLLOWER:
        return (td_any_record){.follower = td_follower_default(NULL)};
    case TD_RECORD_CURVE:
        return (td_any_record){.curve = td_curve_default(TD_CURVE_POLYNOMIAL, NULL)};
    case TD_RECORD_SPRING:
        return (td_any_record){.spring = td_spring_default(NULL, NULL, NULL)};
    case TD_RECORD_TRANSMISSION:
        return (td_any_record){.transmission = td_transmission_default(NULL, NULL)};
    case TD_RECORD_FLEXIBLE:
        return (td_any_record){.flexible = td_flexible_default(NULL)};
    default:
        return (td_any_record){0};
    }
}
