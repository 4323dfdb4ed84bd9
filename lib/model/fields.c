/* SPDX-License-Identifier: MIT */
/*
 * The fields of records. Each new member of a public record needs a row here. Model files, copies,
 * digests and tandem diff then support it, and the test `fields` reports exporters that lack it.
 * Raise the version of model files (docs/model-files.md) if older readers would compute different
 * results without the field.
 */
#include "model/fields.h"

/* A field of a record: its struct and member, its use, and further members of td_field. */
#define FIELD(type, member, kind_of, many, ...)                                                    \
    {                                                                                              \
        .key = #member, .kind = kind_of, .offset = offsetof(type, member), .count = many,          \
        .use = __VA_ARGS__                                                                         \
    }
#define STRING(type, member, ...) FIELD(type, member, TD_FIELD_STRING, 1, __VA_ARGS__)
#define INT(type, member, ...) FIELD(type, member, TD_FIELD_INT, 1, __VA_ARGS__)
#define UNSIGNED(type, member, ...) FIELD(type, member, TD_FIELD_UNSIGNED, 1, __VA_ARGS__)
#define SIZE(type, member, ...) FIELD(type, member, TD_FIELD_SIZE, 1, __VA_ARGS__)
#define BOOL(type, member, ...) FIELD(type, member, TD_FIELD_BOOL, 1, __VA_ARGS__)
#define DOUBLES(type, member, n, ...) FIELD(type, member, TD_FIELD_DOUBLES, n, __VA_ARGS__)
#define DOUBLE(type, member, ...) DOUBLES(type, member, 1, __VA_ARGS__)
#define ARRAY(type, member, counter, ...)                                                          \
    FIELD(type, member, TD_FIELD_ARRAY, offsetof(type, counter), __VA_ARGS__)
#define WORD(type, member, words, ...)                                                             \
    FIELD(type, member, TD_FIELD_WORD, 1, __VA_ARGS__, .word = words)
#define POSE(type, member, bears, ...)                                                             \
    DOUBLES(type, member.position, 3, bears, .unit = "m", .title = "position " __VA_ARGS__),       \
        DOUBLES(type, member.rotation, 9, bears, .unit = "direction",                              \
                .title = "rotation " __VA_ARGS__)
#define SOURCE(type, member)                                                                       \
    STRING(type, member.file, PLACE), INT(type, member.line, PLACE),                               \
        INT(type, member.column, PLACE), STRING(type, member.element, PLACE)

#define PLACE TD_USE_PLACE
#define OWN TD_USE_OWN
#define KEPT TD_USE_KEPT
#define DYNAMIC TD_USE_DYNAMIC

/* ---- enums: the words of their values, NULL past the last ------------------------------------ */

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
WORDS(actuations, "independent", "transmission", "list", "commanded")
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

static const td_field robot[] = {
    STRING(td_robot_line, name, KEPT),
    SOURCE(td_robot_line, source),
};

static const td_field options[] = {
    WORD(td_load_options, base, bases, OWN),
    DOUBLES(td_load_options, gravity, 3, OWN, .unit = "m/s²"),
    BOOL(td_load_options, strict, OWN),
    WORD(td_load_options, actuation, actuations, OWN),
    WORD(td_load_options, plan, plans, OWN),
    BOOL(td_load_options, open_loops, OWN),
    SIZE(td_load_options, loop_evaluations, OWN),
    BOOL(td_load_options, partial, OWN),
    SIZE(td_load_options, max_cluster, OWN),
    SIZE(td_load_options, max_elastic, OWN),
    BOOL(td_load_options, ignore_limits, OWN),
};

static const td_field position[] = {
    STRING(td_joint_position, joint, OWN),
    DOUBLE(td_joint_position, position, OWN, .unit = "rad or m"),
};

static const td_field actuated[] = {STRING(td_actuated_line, joint, OWN)};

/* diff compares inertias in the link's axes, regardless of the inertial frame */
static const td_field link[] = {
    STRING(td_link, name, KEPT),
    SOURCE(td_link, source),
    BOOL(td_link, has_inertial, OWN),
    DOUBLE(td_link, mass, OWN, .unit = "kg"),
    POSE(td_link, inertial, OWN, "of the inertial frame"),
    DOUBLES(td_link, inertia, 6, OWN, .unit = "kg m²"),
    SOURCE(td_link, inertial_source),
    STRING(td_link, flexible, OWN),
};

static const td_field geometry[] = {
    STRING(td_geometry, name, KEPT),        BOOL(td_geometry, collision, KEPT),
    WORD(td_geometry, shape, shapes, KEPT), DOUBLES(td_geometry, size, 3, KEPT, .unit = "m"),
    STRING(td_geometry, file, KEPT),        POSE(td_geometry, origin, KEPT, "of its origin"),
    STRING(td_geometry, material, KEPT),    DOUBLES(td_geometry, rgba, 4, KEPT, .title = "colour"),
};

static const td_field joint[] = {
    STRING(td_joint, name, KEPT),
    SOURCE(td_joint, source),
    WORD(td_joint, type, joint_types, DYNAMIC),
    STRING(td_joint, parent, DYNAMIC, .names = TD_RECORD_LINK),
    STRING(td_joint, child, DYNAMIC, .names = TD_RECORD_LINK),
    POSE(td_joint, origin, DYNAMIC, "of its origin"),
    DOUBLES(td_joint, axis, 3, OWN, .unit = "direction"), /* for types with an axis */
    SOURCE(td_joint, axis_source),
    DOUBLE(td_joint, limit.lower, KEPT, .unit = "rad or m", .title = "lower limit"),
    DOUBLE(td_joint, limit.upper, KEPT, .unit = "rad or m", .title = "upper limit"),
    DOUBLE(td_joint, limit.effort, KEPT, .unit = "N m or N", .title = "effort limit"),
    DOUBLE(td_joint, limit.velocity, KEPT, .unit = "rad/s or m/s", .title = "velocity limit"),
    DOUBLE(td_joint, limit.acceleration, KEPT, .unit = "rad/s² or m/s²",
           .title = "acceleration limit"),
    DOUBLE(td_joint, limit.deceleration, KEPT, .unit = "rad/s² or m/s²",
           .title = "deceleration limit"),
    DOUBLE(td_joint, limit.jerk, KEPT, .unit = "rad/s³ or m/s³", .title = "jerk limit"),
    SOURCE(td_joint, limit_source),
    DOUBLE(td_joint, damping, DYNAMIC, .unit = "N m s/rad or N s/m"),
    DOUBLE(td_joint, friction, DYNAMIC, .unit = "N m or N"),
    DOUBLE(td_joint, spring_stiffness, DYNAMIC, .unit = "N m/rad or N/m"),
    DOUBLE(td_joint, spring_reference, DYNAMIC, .unit = "rad or m"),
    SOURCE(td_joint, dynamics_source),
    DOUBLE(td_joint, calibration_rising, KEPT, .unit = "rad or m"),
    DOUBLE(td_joint, calibration_falling, KEPT, .unit = "rad or m"),
    DOUBLE(td_joint, soft_lower, KEPT, .unit = "rad or m", .title = "lower soft limit"),
    DOUBLE(td_joint, soft_upper, KEPT, .unit = "rad or m", .title = "upper soft limit"),
    DOUBLE(td_joint, k_position, KEPT, .unit = "1/s"),
    DOUBLE(td_joint, k_velocity, KEPT, .unit = "N m s/rad or N s/m"),
    STRING(td_joint, mimic, DYNAMIC, .names = TD_RECORD_JOINT, .title = "leader"),
    DOUBLE(td_joint, multiplier, DYNAMIC),
    DOUBLE(td_joint, offset, DYNAMIC, .unit = "rad or m"),
    SOURCE(td_joint, mimic_source),
    INT(td_joint, independent, OWN), /* diff compares its effect */
    SOURCE(td_joint, independent_source),
    BOOL(td_joint, must_depend, OWN),
    STRING(td_joint, flexible, OWN),
    DOUBLES(td_joint, reference, 7, OWN, .unit = "rad or m"), /* one per coordinate of the joint */
    DOUBLE(td_joint, pitch, DYNAMIC, .unit = "m"),
    STRING(td_joint, motor, OWN),
    STRING(td_joint, command, KEPT),
};

static const td_field loop[] = {
    STRING(td_loop, name, KEPT),
    SOURCE(td_loop, source),
    WORD(td_loop, type, loop_types, DYNAMIC),
    STRING(td_loop, predecessor, DYNAMIC, .names = TD_RECORD_LINK),
    STRING(td_loop, successor, DYNAMIC, .names = TD_RECORD_LINK),
    POSE(td_loop, predecessor_origin, DYNAMIC, "in the predecessor"),
    POSE(td_loop, successor_origin, DYNAMIC, "in the successor"),
    DOUBLES(td_loop, axis, 3, DYNAMIC, .unit = "direction"),
    DOUBLES(td_loop, second_axis, 3, DYNAMIC, .unit = "direction", .title = "second axis"),
    UNSIGNED(td_loop, mask, DYNAMIC),
    DOUBLE(td_loop, distance, DYNAMIC, .unit = "m"),
    DOUBLE(td_loop, damping, DYNAMIC, .unit = "N m s/rad or N s/m"),
    DOUBLE(td_loop, friction, DYNAMIC, .unit = "N m or N"),
    DOUBLE(td_loop, spring_stiffness, DYNAMIC, .unit = "N m/rad or N/m"),
    DOUBLE(td_loop, spring_reference, DYNAMIC, .unit = "rad or m"),
};

static const td_field coupling[] = {
    STRING(td_coupling, name, KEPT),
    SOURCE(td_coupling, source),
    STRING(td_coupling, predecessor, DYNAMIC, .names = TD_RECORD_LINK),
    STRING(td_coupling, successor, DYNAMIC, .names = TD_RECORD_LINK),
    DOUBLE(td_coupling, ratio, DYNAMIC),
};

/* diff compares the values of curves, regardless of their form */
static const td_field follower[] = {
    STRING(td_follower, joint, OWN),
    SOURCE(td_follower, source),
    DOUBLE(td_follower, offset, OWN, .unit = "rad or m"),
};

static const td_field curve[] = {
    STRING(td_curve, leader, OWN),
    WORD(td_curve, type, curve_types, OWN),
    ARRAY(td_curve, coefficient, coefficients, OWN),
    DOUBLE(td_curve, lower, KEPT, .unit = "rad or m", .title = "lower end"),
    DOUBLE(td_curve, upper, KEPT, .unit = "rad or m", .title = "upper end"),
    DOUBLE(td_curve, amplitude, OWN, .unit = "rad or m"),
    DOUBLE(td_curve, frequency, OWN),
    DOUBLE(td_curve, phase, OWN, .unit = "rad"),
    INT(td_curve, degree, OWN),
    WORD(td_curve, ends, curve_ends, OWN),
    ARRAY(td_curve, at, points, OWN, .unit = "rad or m"),
    ARRAY(td_curve, value, points, OWN, .unit = "rad or m"),
    ARRAY(td_curve, slope, points, OWN),
    ARRAY(td_curve, curvature, points, OWN),
    DOUBLES(td_curve, end_slope, 2, OWN),
    DOUBLES(td_curve, end_curvature, 2, OWN),
    BOOL(td_curve, kinks, KEPT),
};

static const td_field spring[] = {
    STRING(td_spring, name, OWN), /* Drake's springs have no names */
    SOURCE(td_spring, source),
    WORD(td_spring, type, spring_types, DYNAMIC),
    STRING(td_spring, predecessor, DYNAMIC, .names = TD_RECORD_LINK),
    STRING(td_spring, successor, DYNAMIC, .names = TD_RECORD_LINK),
    POSE(td_spring, predecessor_origin, DYNAMIC, "in the predecessor"),
    POSE(td_spring, successor_origin, DYNAMIC, "in the successor"),
    DOUBLE(td_spring, length, DYNAMIC, .unit = "m"),
    DOUBLE(td_spring, stiffness, DYNAMIC, .unit = "N/m"),
    DOUBLE(td_spring, damping, DYNAMIC, .unit = "N s/m"),
    DOUBLES(td_spring, angular_stiffness, 3, DYNAMIC, .unit = "N m/rad",
            .title = "angular stiffness"),
    DOUBLES(td_spring, angular_damping, 3, DYNAMIC, .unit = "N m s/rad",
            .title = "angular damping"),
    DOUBLES(td_spring, linear_stiffness, 3, DYNAMIC, .unit = "N/m", .title = "linear stiffness"),
    DOUBLES(td_spring, linear_damping, 3, DYNAMIC, .unit = "N s/m", .title = "linear damping"),
};

static const td_field transmission[] = {
    STRING(td_transmission, name, KEPT),
    SOURCE(td_transmission, source),
    STRING(td_transmission, type, KEPT),
    STRING(td_transmission, joint, DYNAMIC, .names = TD_RECORD_JOINT),
    STRING(td_transmission, actuator, KEPT),
    DOUBLE(td_transmission, mechanical_reduction, DYNAMIC, .title = "mechanical reduction"),
    DOUBLE(td_transmission, rotor_inertia, DYNAMIC, .unit = "kg m²", .title = "rotor inertia"),
    DOUBLE(td_transmission, ratio, DYNAMIC),
    DOUBLE(td_transmission, offset, KEPT, .unit = "rad or m"),
    DOUBLE(td_transmission, damping, DYNAMIC, .unit = "N m s/rad"),
    DOUBLE(td_transmission, friction, DYNAMIC, .unit = "N m"),
    DOUBLE(td_transmission, effort_limit, KEPT, .unit = "N m", .title = "effort limit"),
    DOUBLE(td_transmission, velocity_limit, KEPT, .unit = "rad/s", .title = "velocity limit"),
    DOUBLE(td_transmission, power_limit, KEPT, .unit = "W", .title = "power limit"),
    STRING(td_transmission, shaft, OWN),
};

static const td_field flexible[] = {
    STRING(td_flexible, link, DYNAMIC, .names = TD_RECORD_LINK),
    SOURCE(td_flexible, source),
    DOUBLES(td_flexible, start, 3, DYNAMIC, .unit = "m"),
    DOUBLES(td_flexible, axis, 3, DYNAMIC, .unit = "direction"),
    DOUBLE(td_flexible, length, DYNAMIC, .unit = "m"),
    DOUBLES(td_flexible, across, 3, DYNAMIC, .unit = "direction"),
    DOUBLES(td_flexible, bending_stiffness, 2, DYNAMIC, .unit = "N m²", .title = "EI"),
    DOUBLE(td_flexible, torsional_stiffness, DYNAMIC, .unit = "N m²", .title = "GJ"),
    DOUBLE(td_flexible, mass_per_length, DYNAMIC, .unit = "kg/m", .title = "mass per length"),
    DOUBLE(td_flexible, rotary_inertia, DYNAMIC, .unit = "kg m", .title = "rotary inertia"),
    DOUBLE(td_flexible, damping_ratio, DYNAMIC, .title = "damping ratio"),
    INT(td_flexible, segments, DYNAMIC),
    BOOL(td_flexible, start_clamped, DYNAMIC, .title = "start clamped"),
    BOOL(td_flexible, end_clamped, DYNAMIC, .title = "end clamped"),
};

#define NAMED_FORM(word, record, type)                                                             \
    {                                                                                              \
        word, record, sizeof record / sizeof *record, sizeof(type)                                 \
    }
#define FORM(record) NAMED_FORM(#record, record, td_##record)

const td_record_form td_record_forms[TD_RECORD_KINDS] = {
    [TD_RECORD_ROBOT] = NAMED_FORM("robot", robot, td_robot_line),
    [TD_RECORD_OPTIONS] = NAMED_FORM("options", options, td_load_options),
    [TD_RECORD_LOCK] = NAMED_FORM("lock", position, td_joint_position),
    [TD_RECORD_START] = NAMED_FORM("start", position, td_joint_position),
    [TD_RECORD_ACTUATED] = NAMED_FORM("actuated", actuated, td_actuated_line),
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
