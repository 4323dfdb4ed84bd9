/* SPDX-License-Identifier: MIT */
/*
 * Parser: <transmission> in its common dialects, in <robot> and in <ros2_control>.
 *
 * Types with two actuators have the equations of transmission_interface in ros_control and
 * ros2_control (differential_transmission and four_bar_linkage_transmission, .h and .hpp): with
 * x = q − offset, the reductions r of joints and n of actuators,
 *
 *   simple           a = n r x
 *   differential     a1 = n1 (r1 x1 + r2 x2),  a2 = n2 (r1 x1 − r2 x2)
 *   four-bar linkage a1 = n1 r1 x1,            a2 = n2 (x1 + r2 x2)
 *
 * Torques follow from these by virtual work. The torques of ros_control's four-bar linkage do not:
 * its power at the joints differs from its power at the actuators.
 */
#include <math.h>
#include <string.h>

#include "model/records.h"
#include "reader.h"

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

/* The files of the PR2 use flexJoint, rollJoint and gap_joint, with two actuators. */
static const char *const joint_names[] = {"joint", "flexJoint", "rollJoint", "gap_joint", NULL};
static const char *const actuator_names[] = {"actuator", "leftActuator", "rightActuator", NULL};
static const char *const reduction_names[] = {"mechanicalReduction", "mechanical_reduction",
                                              "drake:gear_ratio", NULL};
static const char *const rotor_names[] = {"motorInertia", "rotorInertia", "rotor_inertia",
                                          "drake:rotor_inertia", NULL};
static const char *const ratio_names[] = {"ratio", NULL};
static const char *const offset_names[] = {"offset", NULL};
static const char *const damping_names[] = {"damping", NULL};
static const char *const friction_names[] = {"friction", NULL};
static const char *const effort_names[] = {"effort", NULL};
static const char *const velocity_names[] = {"velocity", NULL};
static const char *const power_names[] = {"power", NULL};
static const char positive_limit[] = "give a positive number, or none if there is no limit";

enum { MOST_ENDS = 64 };

/* A number that the element of a transmission, a joint or an actuator gives. */
typedef enum quantity {
    REDUCTION,
    ROTOR,
    RATIO,
    OFFSET,
    DAMPING,
    FRICTION,
    MOTOR_EFFORT, /* from here on attributes of <limit> */
    MOTOR_VELOCITY,
    MOTOR_POWER,
    QUANTITIES
} quantity;

static const struct {
    const char *const *names;
    const char *what, *remedy;
    bool nonzero, positive;
} quantities[QUANTITIES] = {
    [REDUCTION] = {reduction_names, "a mechanical reduction of zero",
                   "give the number of motor turns per turn of the joint", true, false},
    [ROTOR] = {rotor_names, "a negative rotor inertia", "give a value of 0 or more, in kg m²",
               false, true},
    [RATIO] = {ratio_names, "a ratio of zero",
               "give the motion of the motor per motion of the joint", true, false},
    [OFFSET] = {offset_names, "", "", false, false},
    [DAMPING] = {damping_names, "negative damping", "give a value of 0 or more, in N m s/rad",
                 false, true},
    [FRICTION] = {friction_names, "negative friction", "give a value of 0 or more, in N m", false,
                  true},
    [MOTOR_EFFORT] = {effort_names, "an effort limit of zero or less", positive_limit, true, true},
    [MOTOR_VELOCITY] = {velocity_names, "a velocity limit of zero or less", positive_limit, true,
                        true},
    [MOTOR_POWER] = {power_names, "a power limit of zero or less", positive_limit, true, true},
};

/* A joint or an actuator of a transmission, or the transmission itself. NaN: not given. */
typedef struct end {
    const td_xml_element *element;
    const char *name, *role;
    double value[QUANTITIES];
} end;

typedef struct drive {
    td_transmission common;
    end whole;
    end joint[MOST_ENDS], actuator[MOST_ENDS];
    size_t joints, actuators;
} drive;

/* ---- what the file says ---------------------------------------------------------------------- */

/* Returns the first of these siblings with one of the names, or NULL. */
static const td_xml_element *find(const td_xml_element *sibling, const char *const *names)
{
    while (sibling && !is_one_of(sibling->name, names))
        sibling = sibling->next;
    return sibling;
}

/* Reads a value from an attribute, from the text of a child, or from the child's value
   attribute. */
static void read_quantity(td_reader *reader, const td_xml_element *element,
                          const char *const *names, double *value)
{
    for (const char *const *name = names; *name; name++)
        if (td_xml_attribute_value(element, *name)) {
            td_reader_number(reader, element, *name, TD_TRANSMISSION, value);
            return;
        }
    const td_xml_element *child = find(element->first, names);
    if (child && td_xml_attribute_value(child, "value"))
        td_reader_number(reader, child, "value", TD_TRANSMISSION, value);
    else if (child)
        td_reader_text(reader, child, TD_TRANSMISSION, value, 1);
}

/* Returns an attribute, or the text of a child. */
static const char *word_of(const td_xml_element *element, const char *name)
{
    const td_xml_element *child = td_xml_child(element, name);
    if (child && *child->text)
        return child->text;
    return td_xml_attribute_value(element, name);
}

static void read_end(td_reader *reader, const td_xml_element *element, end *e)
{
    *e = (end){.element = element, .role = word_of(element, "role")};
    for (int k = 0; k < QUANTITIES; k++) {
        double *value = &e->value[k];
        *value = NAN;
        const td_xml_element *at = k >= MOTOR_EFFORT ? td_xml_child(element, "limit") : element;
        if (at)
            read_quantity(reader, at, quantities[k].names, value);
        if (!(quantities[k].nonzero && *value == 0) && !(quantities[k].positive && *value < 0))
            continue;
        TD_REPORT(reader, TD_CODE_TRANSMISSION_NUMBER, element, quantities[k].remedy,
                  "%s has %s; ignored", td_reader_title(reader, element), quantities[k].what);
        *value = NAN;
    }
}

/* Lists the ends with one of these element names. Joints must have names. */
static size_t read_ends(td_reader *reader, const td_xml_element *element, const char *const *names,
                        bool joints, end *list)
{
    size_t count = 0;
    for (const td_xml_element *e = find(element->first, names); e; e = find(e->next, names)) {
        if (count == MOST_ENDS) {
            TD_REPORT(reader, TD_CODE_TRANSMISSION_TYPE, e, "write several transmissions",
                      "a transmission with more than %d ends is not read beyond them", MOST_ENDS);
            break;
        }
        read_end(reader, e, &list[count]);
        list[count].name = joints ? td_reader_string(reader, e, "name", TD_CODE_TRANSMISSION_JOINT,
                                                     "name the joint: name=\"...\"")
                                  : td_xml_attribute_value(e, "name");
        count++;
    }
    return count;
}

static const char *type_of(const td_xml_element *element)
{
    static const char *const names[] = {"type", "plugin", "class", NULL};
    const char *type = NULL;
    for (const char *const *name = names; *name && !type; name++)
        type = word_of(element, *name);
    return type;
}

/* ---- records --------------------------------------------------------------------------------- */

static double given_or(double value, double other)
{
    return isnan(value) ? other : value;
}

/* Returns a number of the actuator, of the joint or of the transmission, in this order. */
static double first_of(const drive *d, const end *joint, const end *actuator, quantity k,
                       double by_default)
{
    const double common = given_or(d->whole.value[k], by_default);
    const double of_joint = joint ? given_or(joint->value[k], common) : common;
    return actuator ? given_or(actuator->value[k], of_joint) : of_joint;
}

/* Returns the record of an actuator, without a joint. Numbers of the joint count, too, unless it is
   NULL. */
static td_transmission record_of(const drive *d, const end *joint, const end *actuator)
{
    td_transmission record = d->common;
    record.actuator = actuator ? actuator->name : NULL;
    record.rotor_inertia = first_of(d, joint, actuator, ROTOR, 0);
    record.damping = first_of(d, joint, actuator, DAMPING, 0);
    record.friction = first_of(d, joint, actuator, FRICTION, 0);
    record.effort_limit = first_of(d, NULL, actuator, MOTOR_EFFORT, NAN);
    record.velocity_limit = first_of(d, NULL, actuator, MOTOR_VELOCITY, NAN);
    record.power_limit = first_of(d, NULL, actuator, MOTOR_POWER, NAN);
    record.mechanical_reduction = first_of(d, NULL, actuator, REDUCTION, 1);
    return record;
}

static void add(td_reader *reader, td_transmission record, const end *joint, double ratio)
{
    record.joint = joint->name;
    record.ratio = ratio;
    if (record.joint)
        td_reader_add(reader, td_builder_add_transmission(reader->builder, &record));
}

/* The reductions of joint and actuator multiply. One of the transmission holds if neither has
   one. */
static void add_simple(td_reader *reader, const drive *d, const end *joint, const end *actuator)
{
    const double r = joint->value[REDUCTION], n = actuator ? actuator->value[REDUCTION] : NAN;
    td_transmission record = record_of(d, joint, actuator);
    if (!isnan(r) || !isnan(n))
        record.mechanical_reduction = given_or(r, 1) * given_or(n, 1);
    record.offset = 0 - given_or(joint->value[OFFSET], 0);
    add(reader, record, joint, 1);
}

/* Adds a motor that moves with ratio[0] x1 + ratio[1] x2. */
static void add_pair(td_reader *reader, const drive *d, const end *const joint[2],
                     const end *actuator, const double ratio[2])
{
    td_transmission record = record_of(d, NULL, actuator);
    for (int i = 0; i < 2; i++)
        record.offset -= ratio[i] * given_or(joint[i]->value[OFFSET], 0);
    for (int i = 0; i < 2; i++)
        add(reader, record, joint[i], ratio[i]);
}

/* Sorts two ends by their roles, which end in 1 and 2. Without roles, they stay in order. */
static void sort_ends(const end list[2], const end *sorted[2])
{
    const size_t length = list[0].role ? strlen(list[0].role) : 0;
    const bool swapped = length > 0 && list[0].role[length - 1] == '2';
    sorted[0] = &list[swapped];
    sorted[1] = &list[!swapped];
}

static bool is_double(td_reader *reader, const drive *d)
{
    const bool named = d->joints == 2 && d->actuators == 2 && d->joint[0].name &&
                       d->joint[1].name && d->actuator[0].name && d->actuator[1].name &&
                       strcmp(d->actuator[0].name, d->actuator[1].name) != 0;
    if (!named)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_TYPE, d->whole.element,
                  "give it two joints and two actuators, with different names",
                  "%s of type '%.*s' has %zu joints and %zu actuators; it is not read",
                  td_reader_title(reader, d->whole.element), td_shown(d->common.type),
                  d->common.type, d->joints, d->actuators);
    return named;
}

/* ---- types ----------------------------------------------------------------------------------- */

static void read_simple(td_reader *reader, const drive *d)
{
    for (size_t i = 0; i < d->joints; i++)
        add_simple(reader, d, &d->joint[i], i < d->actuators ? &d->actuator[i] : NULL);
}

static void read_double(td_reader *reader, const drive *d, bool four_bar)
{
    const end *joint[2], *actuator[2];
    if (!is_double(reader, d))
        return;
    sort_ends(d->joint, joint);
    sort_ends(d->actuator, actuator);
    const double r1 = given_or(joint[0]->value[REDUCTION], 1);
    const double r2 = given_or(joint[1]->value[REDUCTION], 1);
    if (four_bar) {
        add_simple(reader, d, joint[0], actuator[0]);
        add_pair(reader, d, joint, actuator[1], (const double[2]){1, r2});
    } else {
        add_pair(reader, d, joint, actuator[0], (const double[2]){r1, r2});
        add_pair(reader, d, joint, actuator[1], (const double[2]){r1, -r2});
    }
}

static void read_differential(td_reader *reader, const drive *d)
{
    read_double(reader, d, false);
}

static void read_four_bar(td_reader *reader, const drive *d)
{
    read_double(reader, d, true);
}

/* One actuator that moves with Σ ratio q: a tendon over pulleys, or any other linear map. */
static void read_ratios(td_reader *reader, const drive *d)
{
    const end *actuator = d->actuators ? &d->actuator[0] : NULL;
    td_transmission record = record_of(d, NULL, actuator);
    if (d->actuators > 1) {
        TD_REPORT(reader, TD_CODE_TRANSMISSION_TYPE, d->whole.element,
                  "write one <transmission> per actuator",
                  "%s has ratios and %zu actuators; it is not read",
                  td_reader_title(reader, d->whole.element), d->actuators);
        return;
    }
    record.actuator = record.actuator ? record.actuator : record.name;
    record.offset = first_of(d, NULL, actuator, OFFSET, 0);
    for (size_t i = 0; i < d->joints; i++)
        add(reader, record, &d->joint[i], given_or(d->joint[i].value[RATIO], 1));
}

/* Returns the reader of a type, which may have a package before it; NULL for an unknown type. */
static void (*reader_of(const char *type))(td_reader *, const drive *)
{
    static const struct {
        const char *word;
        void (*read)(td_reader *, const drive *);
    } types[] = {
        {"SimpleTransmission", read_simple},
        {"Simple", read_simple},
        {"DifferentialTransmission", read_differential},
        {"FourBarLinkageTransmission", read_four_bar},
    };
    if (!type)
        return read_simple;
    for (const char *p; (p = strpbrk(type, "/:")) != NULL;)
        type = p + 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].word) == 0)
            return types[i].read;
    return NULL;
}

/* Returns whether the last record has the name of this transmission, and one of its actuators. */
static bool repeats(const td_reader *reader, const drive *d)
{
    const td_records *records = &reader->builder->records;
    const size_t count = records->transmission.count;
    const td_transmission *last = count ? &records->transmission.at[count - 1] : NULL;
    if (!last || !last->name || !last->actuator || !d->common.name ||
        strcmp(last->name, d->common.name) != 0)
        return false;
    bool same = d->actuators == 0 && strcmp(last->actuator, d->common.name) == 0;
    for (size_t i = 0; i < d->actuators; i++)
        same = same || (d->actuator[i].name && strcmp(d->actuator[i].name, last->actuator) == 0);
    return same;
}

/* Records with the same name and actuator are one motor, so a repeated name gets its line. */
static void read_ends_of(td_reader *reader, const td_xml_element *element, drive *d)
{
    d->common = td_transmission_default(td_reader_name(reader, element), NULL);
    d->common.source = td_reader_source(reader, element);
    d->common.type = type_of(element);
    read_end(reader, element, &d->whole);
    d->joints = read_ends(reader, element, joint_names, true, d->joint);
    d->actuators = read_ends(reader, element, actuator_names, false, d->actuator);
    if (repeats(reader, d))
        d->common.name =
            td_reader_print(reader, "%s (line %d)", d->common.name, element->position.line);
}

void td_reader_transmission(td_reader *reader, const td_xml_element *element)
{
    drive d;
    read_ends_of(reader, element, &d);
    bool ratios = false;
    for (size_t i = 0; i < d.joints; i++)
        ratios = ratios || !isnan(d.joint[i].value[RATIO]);
    void (*read)(td_reader *, const drive *) = ratios ? read_ratios : reader_of(d.common.type);
    if (!d.joints)
        TD_REPORT(reader, TD_CODE_TRANSMISSION_JOINT, element, "add <joint name=\"...\"/> to it",
                  "%s names no joint; ignored", td_reader_title(reader, element));
    else if (read)
        read(reader, &d);
    else
        TD_REPORT(reader, TD_CODE_TRANSMISSION_TYPE, element,
                  d.joints > 1
                      ? "write one <transmission> per actuator with a <ratio> in each joint"
                      : "write <type>SimpleTransmission</type> if the actuator drives one "
                        "joint, or a <ratio> in the joint",
                  "%s has the unknown type '%.*s'; it is not read",
                  td_reader_title(reader, element), td_shown(d.common.type), d.common.type);
}
