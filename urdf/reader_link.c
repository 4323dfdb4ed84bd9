/* SPDX-License-Identifier: MIT */
/*
 * Parser: <link> and <inertial>.
 */
#include <math.h>

#include "reader.h"

/* Compares an entry of the lower triangle, which URDF does not define but some files have, with the
   upper one. */
static void check_twin(td_reader *reader, const td_xml_element *element, const char *name,
                       const char *twin_name, double twin)
{
    double value;
    if (td_reader_number(reader, element, name, TD_COSMETIC, &value) != TD_READ)
        return;
    if (fabs(value - twin) > 1e-9 * fmax(fabs(value), fabs(twin)))
        TD_REPORT(reader, TD_CODE_INERTIA_ASYMMETRIC, element,
                  "an inertia matrix is symmetric: remove the lower entry",
                  "%s: %s=%.9g contradicts %s=%.9g, which is used",
                  td_reader_title(reader, element), name, value, twin_name, twin);
}

/* Reads an inertia. Returns false if an entry is invalid, or a diagonal entry is missing. */
static bool read_inertia(td_reader *reader, const td_xml_element *element, double inertia[6])
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const bool required[6] = {true, false, false, true, false, true};
    td_reader_check(reader, element, "ixx ixy ixz iyy iyz izz iyx izx izy", "");
    bool good = true;
    for (int i = 0; i < 6; i++) {
        td_presence presence =
            required[i] ? td_reader_required(reader, element, names[i], TD_DYNAMIC, &inertia[i], 1)
                        : td_reader_number(reader, element, names[i], TD_DYNAMIC, &inertia[i]);
        good = good && presence != TD_BAD && (presence == TD_READ || !required[i]);
    }
    if (good) {
        check_twin(reader, element, "iyx", "ixy", inertia[1]);
        check_twin(reader, element, "izx", "ixz", inertia[2]);
        check_twin(reader, element, "izy", "iyz", inertia[4]);
    }
    return good;
}

static bool read_mass(td_reader *reader, const td_xml_element *inertial, double *mass)
{
    const td_xml_element *element = td_reader_only(reader, inertial, "mass", TD_DYNAMIC);
    if (!element) {
        TD_REPORT(reader, TD_CODE_NUMBER_MISSING, inertial, "add <mass value=\"...\"/> (kg)",
                  "%s has no <mass>", td_reader_title(reader, inertial));
        return false;
    }
    td_reader_check(reader, element, "value", "");
    return td_reader_required(reader, element, "value", TD_DYNAMIC, mass, 1) == TD_READ;
}

/* Sets an inertial that causes no further reports. */
static void stand_in(td_link *link)
{
    const double sound[6] = {1, 0, 0, 1, 0, 1};
    link->has_inertial = true;
    link->mass = 1;
    for (int i = 0; i < 6; i++)
        link->inertia[i] = sound[i];
}

static void read_inertial(td_reader *reader, const td_xml_element *element, td_link *link)
{
    td_reader_check(reader, element, "", "origin mass inertia");
    link->has_inertial = true;
    link->inertial_source = td_reader_source(reader, element);
    bool good = td_reader_origin(reader, td_reader_only(reader, element, "origin", TD_DYNAMIC),
                                 TD_DYNAMIC, &link->inertial);
    good = read_mass(reader, element, &link->mass) && good;
    const td_xml_element *inertia = td_reader_only(reader, element, "inertia", TD_DYNAMIC);
    good = (!inertia || read_inertia(reader, inertia, link->inertia)) && good;
    if (!good)
        stand_in(link);
}

void td_reader_link(td_reader *reader, const td_xml_element *element)
{
    td_reader_check(reader, element, "name", "inertial visual collision flexible");
    const char *name = td_reader_string(reader, element, "name", TD_CODE_NAME_MISSING,
                                        "give every link a unique name");
    td_link link = td_link_default(name);
    link.source = td_reader_source(reader, element);
    const td_xml_element *inertial = td_reader_only(reader, element, "inertial", TD_DYNAMIC);
    if (inertial)
        read_inertial(reader, inertial, &link);
    link.geometry = td_reader_geometry(reader, element, &link.geometry_count);
    const td_xml_element *flexible = td_reader_only(reader, element, "flexible", TD_DYNAMIC);
    if (flexible && !td_reader_flexible(reader, flexible, name))
        stand_in(&link);
    if (name)
        td_reader_add(reader, td_builder_add_link(reader->builder, &link));
}
