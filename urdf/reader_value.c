/* SPDX-License-Identifier: MIT */
/*
 * Parser: the values of attributes.
 */
#include <math.h>
#include <string.h>

#include "reader.h"

enum { longest_quote = 60 }; /* longest value in a message */

typedef enum { WRONG_NUMBER, WRONG_COUNT, WRONG_MISSING } wrong;

static td_code code_of(td_importance importance, wrong what)
{
    static const td_code codes[][3] = {
        [TD_DYNAMIC] = {TD_CODE_NUMBER, TD_CODE_NUMBER_COUNT, TD_CODE_NUMBER_MISSING},
        [TD_COSMETIC] = {TD_CODE_NUMBER_IGNORED, TD_CODE_NUMBER_IGNORED,
                         TD_CODE_NUMBER_MISSING_IGNORED},
        [TD_VISUAL] = {TD_CODE_NUMBER_IGNORED, TD_CODE_NUMBER_IGNORED,
                       TD_CODE_NUMBER_MISSING_IGNORED},
        [TD_TRANSMISSION] = {TD_CODE_TRANSMISSION_NUMBER, TD_CODE_TRANSMISSION_NUMBER,
                             TD_CODE_TRANSMISSION_NUMBER},
    };
    return codes[importance][what];
}

static const char *ignored(td_importance importance)
{
    return importance == TD_DYNAMIC ? "" : "; ignored";
}

const char *td_reader_string(td_reader *reader, const td_xml_element *element, const char *name,
                             td_code missing, const char *remedy)
{
    const char *value = td_xml_attribute_value(element, name);
    if (value && *value)
        return value;
    TD_REPORT(reader, missing, element, remedy, "%s has %s '%s'", td_reader_title(reader, element),
              value ? "an empty" : "no", name);
    return NULL;
}

const char *td_reader_name(td_reader *reader, const td_xml_element *element)
{
    const char *name =
        td_reader_string(reader, element, "name", TD_CODE_NUMBER_MISSING_IGNORED, "give it a name");
    return name ? name : td_reader_print(reader, "(line %d)", element->position.line);
}

static const char *number_remedy(const char *text, td_number_status status)
{
    if (text[strspn(text, " \t\r\n")] == '\0')
        return "give a number";
    if (strstr(text, "${") || strstr(text, "$("))
        return "expand the file with xacro before it is read";
    if (status == TD_NUMBER_INFINITE || status == TD_NUMBER_TOO_LARGE)
        return "write a finite number";
    if (strchr(text, ','))
        return "write decimal points instead of commas, and separate numbers by blanks";
    return "write a plain decimal number such as 0.5 or 1e-3, without a unit";
}

/* Returns a title such as "<mimic> of joint 'elbow': offset", or the title of the element if
   attribute is NULL. */
static const char *title_of(td_reader *reader, const td_xml_element *element, const char *attribute)
{
    const char *title = td_reader_title(reader, element);
    return attribute ? td_reader_print(reader, "%s: %s", title, attribute) : title;
}

static void report_number(td_reader *reader, const td_xml_element *element, const char *attribute,
                          const char *text, td_importance importance, td_number_status status)
{
    const char *what = status == TD_NUMBER_INFINITE    ? "is not finite"
                       : status == TD_NUMBER_TOO_LARGE ? "is too large for a double"
                                                       : "is not a number";
    bool blank = text[strspn(text, " \t\r\n")] == '\0';
    bool cut = strlen(text) > longest_quote;
    TD_REPORT(reader, code_of(importance, WRONG_NUMBER), element, number_remedy(text, status),
              "%s%s'%.*s%s' %s%s", title_of(reader, element, attribute), attribute ? "=" : ": ",
              longest_quote, text, cut ? "..." : "", blank ? "is empty" : what,
              ignored(importance));
}

/* Reads numbers from the text of an attribute, or of the element if attribute is NULL. */
static td_presence read_text(td_reader *reader, const td_xml_element *element,
                             const char *attribute, const char *text, td_importance importance,
                             double *values, size_t count)
{
    size_t found;
    td_number_status status = td_number_read(text, values, count, &found);
    if (status == TD_NUMBER_OK)
        return TD_READ;
    if (status == TD_NUMBER_COUNT && found > 0)
        TD_REPORT(
            reader, code_of(importance, WRONG_COUNT), element,
            td_reader_print(reader, count == 1 ? "give one number" : "give %zu numbers", count),
            "%s has %zu number%s where %zu %s expected%s", title_of(reader, element, attribute),
            found, found == 1 ? "" : "s", count, count == 1 ? "is" : "are", ignored(importance));
    else
        report_number(reader, element, attribute, text, importance, status);
    return TD_BAD;
}

td_presence td_reader_text(td_reader *reader, const td_xml_element *element,
                           td_importance importance, double *values, size_t count)
{
    return read_text(reader, element, NULL, element->text, importance, values, count);
}

td_presence td_reader_vector(td_reader *reader, const td_xml_element *element, const char *name,
                             td_importance importance, double *values, size_t count)
{
    const char *text = td_xml_attribute_value(element, name);
    return text ? read_text(reader, element, name, text, importance, values, count) : TD_ABSENT;
}

td_presence td_reader_number(td_reader *reader, const td_xml_element *element, const char *name,
                             td_importance importance, double *value)
{
    return td_reader_vector(reader, element, name, importance, value, 1);
}

td_presence td_reader_required(td_reader *reader, const td_xml_element *element, const char *name,
                               td_importance importance, double *values, size_t count)
{
    td_presence presence = td_reader_vector(reader, element, name, importance, values, count);
    if (presence == TD_ABSENT)
        TD_REPORT(reader, code_of(importance, WRONG_MISSING), element,
                  td_reader_print(reader, "add %s=\"...\" to it", name), "%s has no '%s'%s",
                  td_reader_title(reader, element), name, ignored(importance));
    return presence;
}

static bool is_word(const char *text, const char *word)
{
    for (; *text && *word; text++, word++)
        if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *word)
            return false;
    return *text == *word;
}

td_truth td_reader_truth(const char *text)
{
    static const char *const words[][3] = {{"false", "no", "0"}, {"true", "yes", "1"}};
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 3; i++)
            if (is_word(text, words[truth][i]))
                return truth ? TD_TRUE : TD_FALSE;
    return TD_NEITHER;
}

td_presence td_reader_boolean(td_reader *reader, const td_xml_element *element, const char *name,
                              bool *value)
{
    const char *text = td_xml_attribute_value(element, name);
    if (!text)
        return TD_ABSENT;
    const td_truth truth = td_reader_truth(text);
    const char *word = truth == TD_TRUE ? "true" : "false";
    if (truth == TD_NEITHER) {
        TD_REPORT(reader, TD_CODE_NUMBER, element,
                  td_reader_print(reader, "write %s=\"true\" or \"false\"", name),
                  "%s: %s='%.*s' is neither true nor false", td_reader_title(reader, element), name,
                  td_shown(text), text);
        return TD_BAD;
    }
    *value = truth == TD_TRUE;
    if (strcmp(text, word) != 0 && strcmp(text, *value ? "1" : "0") != 0)
        TD_REPORT(reader, TD_CODE_BOOLEAN_WORD, element,
                  td_reader_print(reader, "write %s=\"%s\"", name, word),
                  "%s: %s='%s' is read as %s", td_reader_title(reader, element), name, text, word);
    return TD_READ;
}

/* Converts a quaternion x, y, z, w to a rotation. */
static bool rotation_from_quaternion(td_reader *reader, const td_xml_element *origin,
                                     td_importance importance, const double xyzw[4],
                                     double rotation[9])
{
    double norm = hypot(hypot(xyzw[0], xyzw[1]), hypot(xyzw[2], xyzw[3]));
    if (!td_rotation_from_quaternion(xyzw, rotation)) {
        td_code code = importance == TD_DYNAMIC ? TD_CODE_QUATERNION_ZERO : TD_CODE_NUMBER_IGNORED;
        TD_REPORT(reader, code, origin, "write quat_xyzw=\"0 0 0 1\" for no rotation",
                  "%s: quat_xyzw has no direction%s", td_reader_title(reader, origin),
                  ignored(importance));
        return false;
    }
    if (importance == TD_DYNAMIC && fabs(norm - 1) > 1e-6)
        TD_REPORT(reader, TD_CODE_QUATERNION_NOT_UNIT, origin, NULL,
                  "%s: quat_xyzw has length %.9g; it is normalized",
                  td_reader_title(reader, origin), norm);
    return true;
}

/* Warns of angles in degrees: angles above a turn that are whole or half numbers and not multiples
   of 15° in rad. A program that adds up turns writes no such numbers. */
static void check_angles(td_reader *reader, const td_xml_element *origin, const double rpy[3])
{
    const double turn = 6.283185307179586, step = turn / 24;
    for (int i = 0; i < 3; i++) {
        double steps = rpy[i] / step;
        if (fabs(rpy[i]) <= 1.01 * turn || fabs(steps - nearbyint(steps)) < 1e-3 ||
            fabs(2 * rpy[i] - nearbyint(2 * rpy[i])) > 1e-6)
            continue;
        TD_REPORT(reader, TD_CODE_NUMBER_DEGREES, origin,
                  td_reader_print(reader, "angles are in rad: %g degrees are %.9g rad", rpy[i],
                                  rpy[i] * turn / 360),
                  "%s: an angle of rpy is %g rad, more than a turn",
                  td_reader_title(reader, origin), rpy[i]);
        return;
    }
}

bool td_reader_pose(td_reader *reader, const td_xml_element *origin, td_importance importance,
                    td_pose *pose)
{
    double rpy[3], xyzw[4];
    td_pose read = *pose;
    td_presence position = td_reader_vector(reader, origin, "xyz", importance, read.position, 3);
    td_presence angles = td_reader_vector(reader, origin, "rpy", importance, rpy, 3);
    td_presence quaternion = td_reader_vector(reader, origin, "quat_xyzw", importance, xyzw, 4);
    if (position == TD_BAD || angles == TD_BAD || quaternion == TD_BAD)
        return false;
    if (angles == TD_READ && quaternion == TD_READ) {
        td_code code = importance == TD_DYNAMIC ? TD_CODE_NUMBER_CONFLICT : TD_CODE_NUMBER_IGNORED;
        TD_REPORT(reader, code, origin, "keep one of the two", "%s has both rpy and quat_xyzw%s",
                  td_reader_title(reader, origin), ignored(importance));
        return false;
    }
    if (angles == TD_READ)
        check_angles(reader, origin, rpy);
    if (angles == TD_READ)
        td_rotation_from_rpy(rpy[0], rpy[1], rpy[2], read.rotation);
    if (quaternion == TD_READ &&
        !rotation_from_quaternion(reader, origin, importance, xyzw, read.rotation))
        return false;
    *pose = read;
    return true;
}

bool td_reader_origin(td_reader *reader, const td_xml_element *origin, td_importance importance,
                      td_pose *pose)
{
    if (!origin)
        return true;
    td_reader_check(reader, origin, "xyz rpy quat_xyzw", "");
    return td_reader_pose(reader, origin, importance, pose);
}
