/* SPDX-License-Identifier: MIT */
/*
 * Parser: <mimic>. URDF defines q = multiplier · q_leader + offset. Other forms without a
 * specification are polycoef="c0 c1 …", type="sin" as proposed for urdfdom_headers (pull request
 * 104), and a sum of children <curve> (docs/couplings.md).
 */
#include <math.h>
#include <string.h>

#include "reader.h"

static const char blanks[] = " \t\r\n";

static void refuse(td_reader *reader, const td_xml_element *element, const char *remedy,
                   const char *what)
{
    TD_REPORT(reader, TD_CODE_MIMIC_FORM, element, remedy, "%s %s",
              td_reader_title(reader, element), what);
}

/* Returns all numbers of an attribute and their count. Without any, or after a report of invalid
   ones, returns NULL and sets *count to 0. */
static const double *read_numbers(td_reader *reader, const td_xml_element *element,
                                  const char *name, size_t *count)
{
    const char *text = td_xml_attribute_value(element, name);
    *count = 0;
    if (!text)
        return NULL;
    for (const char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
        ++*count;
        at += strcspn(at, blanks);
    }
    const size_t room = *count ? *count : 1; /* an empty attribute is reported as one missing
                                                number */
    double *numbers = TD_ARENA_NEW(&reader->xml->arena, double, room);
    if (!numbers)
        td_reader_add(reader, TD_ERROR_MEMORY);
    if (numbers && td_reader_vector(reader, element, name, TD_DYNAMIC, numbers, room) == TD_READ)
        return numbers;
    *count = 0;
    return NULL;
}

/* Reads an attribute that must be one of some words. Sets *index to its index, by default 0.
   Reports another word and returns false. */
static bool read_word(td_reader *reader, const td_xml_element *element, const char *name,
                      const char *const *words, int *index)
{
    const char *text = td_xml_attribute_value(element, name);
    *index = 0;
    for (int i = 0; text && words[i]; i++)
        if (strcmp(text, words[i]) == 0) {
            *index = i;
            return true;
        }
    if (!text)
        return true;
    const char *list = words[0];
    for (int i = 1; words[i]; i++)
        list = td_reader_print(reader, "%s, %s", list, words[i]);
    refuse(reader, element, td_reader_print(reader, "use one of %s", list),
           td_reader_print(reader, "has the unknown %s '%.60s'", name, text));
    return false;
}

/* ---- <curve> --------------------------------------------------------------------------------- */

static void read_range(td_reader *reader, const td_xml_element *element, td_curve *curve)
{
    double range[2];
    if (td_reader_vector(reader, element, "range", TD_DYNAMIC, range, 2) != TD_READ)
        return;
    curve->lower = range[0];
    curve->upper = range[1];
}

/* Reads the lists of a table, which must have the same length as at. Reports faults and returns
   false. */
static bool read_table(td_reader *reader, const td_xml_element *element, td_curve *curve)
{
    static const char *const ends[] = {"natural", "clamped", "periodic", "hermite", NULL};
    int end;
    double degree = 3;
    const size_t errors = reader->errors;
    td_reader_check(reader, element,
                    "joint type degree ends at value slope curvature end_slope end_curvature kinks",
                    "");
    if (!read_word(reader, element, "ends", ends, &end) ||
        td_reader_boolean(reader, element, "kinks", &curve->kinks) == TD_BAD)
        return false;
    curve->ends = (td_curve_ends)end;
    td_reader_number(reader, element, "degree", TD_DYNAMIC, &degree);
    curve->degree = degree == 5                   ? 5
                    : degree == 3                 ? 3
                    : degree > 0 && degree < 1000 ? (int)degree
                                                  : 0;
    curve->at = read_numbers(reader, element, "at", &curve->points);
    const bool slopes = curve->ends == TD_CURVE_ENDS_HERMITE;
    const struct {
        const char *name;
        const double **to;
        bool wanted;
    } lists[] = {{"value", &curve->value, true},
                 {"slope", &curve->slope, slopes},
                 {"curvature", &curve->curvature, slopes && curve->degree == 5}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists && reader->errors == errors; i++) {
        size_t count;
        *lists[i].to = read_numbers(reader, element, lists[i].name, &count);
        if (reader->errors == errors && lists[i].wanted && count != curve->points)
            refuse(reader, element, "give the same number of values in each list",
                   td_reader_print(reader, "has %zu numbers in 'at', but %zu in '%s'",
                                   curve->points, count, lists[i].name));
        else if (reader->errors == errors && !lists[i].wanted && *lists[i].to)
            refuse(reader, element, "write ends=\"hermite\", and for curvatures also degree=\"5\"",
                   td_reader_print(reader, "has '%s' without ends that use it", lists[i].name));
    }
    td_reader_vector(reader, element, "end_slope", TD_DYNAMIC, curve->end_slope, 2);
    td_reader_vector(reader, element, "end_curvature", TD_DYNAMIC, curve->end_curvature, 2);
    return reader->errors == errors;
}

/* Reads one term. leader: the default leader, from <mimic>. Reports faults and returns false. */
static bool read_curve(td_reader *reader, const td_xml_element *element, const char *leader,
                       td_curve *curve)
{
    static const char *const types[] = {"polynomial", "sine", "spline", NULL};
    const size_t errors = reader->errors;
    int type;
    if (!td_xml_attribute_value(element, "type")) {
        refuse(reader, element, "write type=\"polynomial\", \"sine\" or \"spline\"", "has no type");
        return false;
    }
    if (!read_word(reader, element, "type", types, &type))
        return false;
    *curve = td_curve_default((td_curve_type)type, td_xml_attribute_value(element, "joint"));
    if (!curve->leader)
        curve->leader = leader;
    if (!curve->leader)
        refuse(reader, element, "name the joint to follow: <curve joint=\"...\" .../>",
               "names no joint, and neither does its <mimic>");
    if (curve->type == TD_CURVE_SPLINE)
        return read_table(reader, element, curve) && reader->errors == errors;
    if (curve->type == TD_CURVE_SINE) {
        td_reader_check(reader, element, "joint type amplitude frequency phase range", "");
        td_reader_required(reader, element, "amplitude", TD_DYNAMIC, &curve->amplitude, 1);
        td_reader_number(reader, element, "frequency", TD_DYNAMIC, &curve->frequency);
        td_reader_number(reader, element, "phase", TD_DYNAMIC, &curve->phase);
    } else {
        td_reader_check(reader, element, "joint type coefficients range", "");
        curve->coefficient = read_numbers(reader, element, "coefficients", &curve->coefficients);
    }
    read_range(reader, element, curve);
    return reader->errors == errors;
}

/* ---- <mimic> --------------------------------------------------------------------------------- */

/* Returns whether <mimic> has only supported attributes and children. Reports unsupported ones that
   would change how the joint follows. */
static bool is_known(td_reader *reader, const td_xml_element *element)
{
    static const char *const other[] = {"expression", "expr",       "function", "formula",
                                        "equation",   "polynomial", "poly",     "coefficients"};
    const size_t errors = reader->errors;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (td_xml_attribute_value(element, other[i]))
            refuse(reader, element, "write polycoef=\"c0 c1 ...\", type=\"sin\" or <curve>",
                   td_reader_print(reader, "follows by '%s', which is not supported", other[i]));
    for (const td_xml_element *child = element->first; child; child = child->next)
        if (strcmp(child->name, "curve") != 0)
            refuse(reader, element, "write <curve type=\"...\" .../>",
                   td_reader_print(reader, "has the unknown child <%.*s>", td_shown(child->name),
                                   child->name));
    return reader->errors == errors;
}

/* Reports multiplier and offset beside a form that does not use them. */
static void check_beside(td_reader *reader, const td_xml_element *element, const td_joint *joint,
                         bool offset)
{
    if (joint->multiplier != 1 || (!offset && joint->offset != 0))
        refuse(reader, element,
               offset ? "put the multiplier into the curves"
                      : "put them into the coefficients: offset is c0, multiplier c1",
               offset ? "has a multiplier in addition to its curves"
                      : "has a multiplier or an offset in addition to polycoef");
}

static void add_follower(td_reader *reader, const td_xml_element *element, td_joint *joint,
                         td_follower *follower)
{
    follower->source = joint->mimic_source;
    if (element && joint->name)
        td_reader_add(reader, td_builder_add_follower(reader->builder, follower));
}

/* Reads a sum of <curve> elements with the offset of the <mimic>. */
static void read_sum(td_reader *reader, const td_xml_element *element, const char *leader,
                     td_joint *joint)
{
    const size_t errors = reader->errors;
    td_follower follower = td_follower_default(joint->name);
    size_t count = 0;
    for (const td_xml_element *c = td_xml_child(element, "curve"); c; c = td_xml_next(c))
        count++;
    td_curve *curves = TD_ARENA_NEW(&reader->xml->arena, td_curve, count);
    if (!curves) {
        td_reader_add(reader, TD_ERROR_MEMORY);
        return;
    }
    check_beside(reader, element, joint, true);
    for (const td_xml_element *c = td_xml_child(element, "curve"); c; c = td_xml_next(c))
        read_curve(reader, c, leader, &curves[follower.curves++]);
    follower.curve = curves;
    follower.offset = joint->offset;
    if (reader->errors == errors)
        add_follower(reader, element, joint, &follower);
}

/* Reads polycoef, or the proposed sine, as one curve of one leader. */
static void read_single(td_reader *reader, const td_xml_element *element, const char *leader,
                        bool sine, td_joint *joint)
{
    const size_t errors = reader->errors;
    td_follower follower = td_follower_default(joint->name);
    td_curve curve = td_curve_default(sine ? TD_CURVE_SINE : TD_CURVE_POLYNOMIAL, leader);
    if (sine) {
        curve.amplitude = joint->multiplier;
        follower.offset = joint->offset;
    } else {
        check_beside(reader, element, joint, false);
        curve.coefficient = read_numbers(reader, element, "polycoef", &curve.coefficients);
    }
    read_range(reader, element, &curve);
    follower.curve = &curve;
    follower.curves = 1;
    if (reader->errors == errors && leader)
        add_follower(reader, element, joint, &follower);
}

void td_reader_mimic(td_reader *reader, const td_xml_element *element, td_joint *joint)
{
    static const char *const types[] = {"linear", "sin", NULL};
    const bool polynomial = td_xml_attribute_value(element, "polycoef") != NULL;
    const bool sum = element->first != NULL;
    int type = 0;
    if (!is_known(reader, element) || !read_word(reader, element, "type", types, &type))
        return;
    joint->mimic_source = td_reader_source(reader, element);
    td_reader_check(reader, element,
                    polynomial ? "joint multiplier offset type polycoef range"
                    : type     ? "joint multiplier offset type range"
                               : "joint multiplier offset type",
                    "curve");
    const char *leader = td_xml_attribute_value(element, "joint");
    if (!sum || leader)
        leader = td_reader_string(reader, element, "joint", TD_CODE_NUMBER_MISSING,
                                  "name the joint to follow: <mimic joint=\"...\"/>");
    td_reader_number(reader, element, "multiplier", TD_DYNAMIC, &joint->multiplier);
    td_reader_number(reader, element, "offset", TD_DYNAMIC, &joint->offset);
    if (polynomial + sum + (type == 1) > 1)
        refuse(reader, element, "keep one of them", "has several forms at once");
    else if (sum)
        read_sum(reader, element, leader, joint);
    else if (polynomial || type == 1)
        read_single(reader, element, leader, type == 1, joint);
    else
        joint->mimic = leader;
    if (!joint->mimic) {
        joint->multiplier = 1;
        joint->offset = 0;
    }
}
