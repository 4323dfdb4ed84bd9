/* SPDX-License-Identifier: MIT */
/*
 * Parser: <joint> and its children.
 */
#include <math.h>
#include <string.h>

#include "reader.h"

/* ---- type, parent, child --------------------------------------------------------------------- */

/* Returns the words of all types: "a b c", or "the types are a, b and c". */
static const char *types_text(td_reader *reader, bool sentence)
{
    const char *text = sentence ? "the types are " : "";
    const td_joint_kind *kind = td_joint_kind_of(0), *next;
    for (unsigned n = 1; kind; kind = next, n++) {
        next = td_joint_kind_of(n);
        const bool last = next && !td_joint_kind_of(n + 1);
        text = td_reader_print(reader, "%s%s%s", text, kind->word,
                               !next       ? ""
                               : !sentence ? " "
                               : last      ? " and "
                                           : ", ");
    }
    return text;
}

static void report_type(td_reader *reader, const td_xml_element *element, const char *type)
{
    const char *remedy = types_text(reader, true);
    const char *nearest = td_reader_nearest(reader, type, types_text(reader, false));
    if (nearest)
        remedy = td_reader_print(reader, "did you mean '%s'?", nearest);
    TD_REPORT(reader, TD_CODE_JOINT_TYPE, element, remedy, "%s has the unknown type '%.*s'",
              td_reader_title(reader, element), td_shown(type), type);
}

/* Reads the type. Returns false if it is missing or unknown. */
static bool read_type(td_reader *reader, const td_xml_element *element, td_joint_type *read)
{
    const char *type = td_reader_string(reader, element, "type", TD_CODE_JOINT_TYPE_MISSING,
                                        types_text(reader, true));
    if (type && td_joint_type_of_word(type, read))
        return true;
    if (type)
        report_type(reader, element, type);
    return false;
}

/* Returns the link named by <parent> or <child>, or NULL, which the builder reports. */
static const char *read_end(td_reader *reader, const td_xml_element *joint, const char *name)
{
    const td_xml_element *end = td_reader_only(reader, joint, name, TD_DYNAMIC);
    if (!end)
        return NULL;
    td_reader_check(reader, end, "link", "");
    const char *link = td_xml_attribute_value(end, "link");
    return link && *link ? link : NULL;
}

/* ---- axis ------------------------------------------------------------------------------------ */

void td_reader_axis(td_reader *reader, const td_xml_element *element, td_importance importance,
                    double axis[3])
{
    td_reader_check(reader, element, "xyz", "");
    if (td_xml_attribute_value(element, "xyz")) {
        td_reader_vector(reader, element, "xyz", importance, axis, 3);
    } else {
        td_code code =
            importance == TD_DYNAMIC ? TD_CODE_NUMBER_MISSING : TD_CODE_NUMBER_MISSING_IGNORED;
        TD_REPORT(reader, code, element,
                  "write <axis xyz=\"1 0 0\"/>, or leave <axis> out for that default",
                  "%s has no 'xyz'", td_reader_title(reader, element));
    }
}

/* Reads the axis. In joints without an axis it is checked, but has no effect, and 0 0 0 is common.
   known: whether the joint's type is known. */
static void read_axis(td_reader *reader, const td_xml_element *element, bool known, td_joint *joint)
{
    bool idle = !td_joint_kind_of(joint->type)->axis;
    td_importance importance = idle ? TD_COSMETIC : TD_DYNAMIC;
    const td_xml_element *axis = td_reader_only(reader, element, "axis", importance);
    double unused[3];
    if (!axis) {
        if (!idle && known && reader->no_axis_count++ == 0)
            reader->no_axis = element;
        return;
    }
    joint->axis_source = td_reader_source(reader, axis);
    td_reader_axis(reader, axis, importance, idle ? unused : joint->axis);
}

/* ---- limit ----------------------------------------------------------------------------------- */

/* Reads a limit. *value is NaN if it is missing or ignored. */
static td_presence read_bound(td_reader *reader, const td_xml_element *element, const char *name,
                              double *value)
{
    const char *text = td_xml_attribute_value(element, name);
    bool negative;
    if (text && reader->infinite_limits && td_number_is_infinity(text, &negative) &&
        negative == (strcmp(name, "lower") == 0))
        return TD_READ; /* infinite: no limit */
    return td_reader_number(reader, element, name, TD_COSMETIC, value);
}

/* Sets a missing bound to 0 if the other bound is given, as before URDF 1.2. */
static void default_bound(td_reader *reader, const td_xml_element *element, const char *name,
                          const char *given, double *value)
{
    *value = 0;
    TD_REPORT(reader, TD_CODE_NUMBER_MISSING_IGNORED, element,
              td_reader_print(reader, "add %s=\"...\" to it", name),
              "%s has '%s' but no '%s', which defaults to 0", td_reader_title(reader, element),
              given, name);
}

static void read_limit(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    td_limit *limit = &joint->limit;
    td_reader_check(reader, element, "lower upper effort velocity acceleration deceleration jerk",
                    "");
    joint->limit_source = td_reader_source(reader, element);
    td_presence lower = read_bound(reader, element, "lower", &limit->lower);
    td_presence upper = read_bound(reader, element, "upper", &limit->upper);
    td_presence effort = read_bound(reader, element, "effort", &limit->effort);
    td_presence velocity = read_bound(reader, element, "velocity", &limit->velocity);
    read_bound(reader, element, "acceleration", &limit->acceleration);
    read_bound(reader, element, "deceleration", &limit->deceleration);
    read_bound(reader, element, "jerk", &limit->jerk);
    if (reader->infinite_limits)
        return; /* all attributes are optional there; the default is no limit */
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    const bool bounded = kind->bounded;
    if (bounded && lower == TD_ABSENT && upper == TD_READ)
        default_bound(reader, element, "lower", "upper", &limit->lower);
    if (bounded && upper == TD_ABSENT && lower == TD_READ)
        default_bound(reader, element, "upper", "lower", &limit->upper);
    if (kind->nq == 1 && (effort == TD_ABSENT || velocity == TD_ABSENT))
        TD_REPORT(reader, TD_CODE_NUMBER_MISSING_IGNORED, element,
                  "URDF requires both effort and velocity in a <limit>", "%s has no %s%s%s",
                  td_reader_title(reader, element), effort == TD_ABSENT ? "'effort'" : "",
                  effort == TD_ABSENT && velocity == TD_ABSENT ? " and no " : "",
                  velocity == TD_ABSENT ? "'velocity'" : "");
}

/* ---- other children -------------------------------------------------------------------------- */

static void read_dynamics(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    td_reader_check(reader, element, "damping friction spring_stiffness spring_reference", "");
    joint->dynamics_source = td_reader_source(reader, element);
    td_reader_number(reader, element, "damping", TD_DYNAMIC, &joint->damping);
    td_reader_number(reader, element, "friction", TD_DYNAMIC, &joint->friction);
    td_reader_number(reader, element, "spring_stiffness", TD_DYNAMIC, &joint->spring_stiffness);
    td_reader_number(reader, element, "spring_reference", TD_DYNAMIC, &joint->spring_reference);
}

static void read_calibration(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    td_reader_check(reader, element, "rising falling reference_position", "");
    td_reader_number(reader, element, "rising", TD_COSMETIC, &joint->calibration_rising);
    td_reader_number(reader, element, "falling", TD_COSMETIC, &joint->calibration_falling);
}

static void read_safety(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    td_reader_check(reader, element, "soft_lower_limit soft_upper_limit k_position k_velocity", "");
    td_reader_number(reader, element, "soft_lower_limit", TD_COSMETIC, &joint->soft_lower);
    td_reader_number(reader, element, "soft_upper_limit", TD_COSMETIC, &joint->soft_upper);
    td_reader_number(reader, element, "k_position", TD_COSMETIC, &joint->k_position);
    td_reader_number(reader, element, "k_velocity", TD_COSMETIC, &joint->k_velocity);
}

/* Reads whether the joint's coordinate is independent (URDF+). */
static void read_independent(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    bool independent;
    if (td_reader_boolean(reader, element, "independent", &independent) == TD_READ)
        joint->independent = independent;
}

/* Reads the start position for closing loops, one number per position of the joint. */
static void read_reference(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    const int count = td_joint_kind_of(joint->type)->nq;
    td_reader_vector(reader, element, "reference", TD_DYNAMIC, joint->reference,
                     count > 0 ? (size_t)count : 1);
}

/* Reads Drake's pitch, the displacement along the axis per turn. */
static void read_pitch(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    td_reader_check(reader, element, "value", "");
    joint->pitch = 1; /* the default replaces a missing or invalid value, which is reported */
    td_reader_required(reader, element, "value", TD_DYNAMIC, &joint->pitch, 1);
}

static void read_parts(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    static const struct {
        const char *name;
        td_importance importance;
        void (*read)(td_reader *reader, const td_xml_element *element, td_joint *joint);
    } parts[] = {
        {"limit", TD_COSMETIC, read_limit},
        {"dynamics", TD_DYNAMIC, read_dynamics},
        {"calibration", TD_COSMETIC, read_calibration},
        {"safety_controller", TD_COSMETIC, read_safety},
        {"mimic", TD_DYNAMIC, td_reader_mimic},
        {"screw_thread_pitch", TD_DYNAMIC, read_pitch},
        {"drake:screw_thread_pitch", TD_DYNAMIC, read_pitch},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const td_xml_element *part =
            td_reader_only(reader, element, parts[i].name, parts[i].importance);
        if (part)
            parts[i].read(reader, part, joint);
    }
}

void td_reader_report_axes(td_reader *reader)
{
    if (reader->no_axis_count == 0)
        return;
    const char *times =
        reader->no_axis_count > 1
            ? td_reader_print(reader, " (%zu joints, first here)", reader->no_axis_count)
            : "";
    TD_REPORT(reader, TD_CODE_AXIS_MISSING, reader->no_axis,
              "add <axis xyz=\"...\"/> with the intended direction",
              "%s has no <axis>; it defaults to 1 0 0%s", td_reader_title(reader, reader->no_axis),
              times);
}

void td_reader_joint(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name type independent reference",
                    "origin parent child axis limit dynamics calibration safety_controller mimic "
                    "screw_thread_pitch drake:screw_thread_pitch");
    const char *name = td_reader_string(reader, element, "name", TD_CODE_NAME_MISSING,
                                        "give every joint a unique name");
    if (!name) /* the joint still connects its links */
        name = td_reader_print(reader, "(line %d)", element->position.line);
    /* treat an unknown type as continuous, which causes the fewest further reports */
    td_joint_type type = TD_JOINT_CONTINUOUS;
    bool known = read_type(reader, element, &type);
    const char *parent = read_end(reader, element, "parent"); /* in the order of reports */
    const char *child = read_end(reader, element, "child");
    td_joint joint = td_joint_default(name, type, parent, child);
    joint.source = td_reader_source(reader, element);
    td_reader_origin(reader, td_reader_only(reader, element, "origin", TD_DYNAMIC), TD_DYNAMIC,
                     &joint.origin);
    read_axis(reader, element, known, &joint);
    read_independent(reader, element, &joint);
    read_reference(reader, element, &joint);
    read_parts(reader, element, &joint);
    if (!known)
        joint.limit.lower = joint.limit.upper = NAN;
    td_reader_add(reader, td_builder_add_joint(reader->builder, &joint));
}
