/* SPDX-License-Identifier: MIT */
/*
 * Parses payloads and wrenches of the command line; see loads.h.
 */
#include "input/loads.h"

#include <stdlib.h>
#include <string.h>

#include "input/units.h"
#include "input/value.h"
#include "output/frame_name.h"
#include "text.h"

/* Reads a mass: "5", "5kg" or "500g". */
static bool read_mass(const char *text, double *mass)
{
    size_t length = strlen(text);
    double size = 1;
    if (length > 2 && strcmp(text + length - 2, "kg") == 0) {
        length -= 2;
    } else if (length > 1 && text[length - 1] == 'g') {
        length -= 1;
        size = 1e-3;
    }
    scoped char *digits = text_format("%.*s", (int)length, text);
    const bool good = parse_number(digits, mass);
    *mass *= size;
    return good;
}

/* Reads at most `most` numbers separated by commas. The first three have units of one domain, the
   others of another, all of the given order (see value_unit). Returns their count, 0 if one is
   invalid. */
static size_t read_list(const char *text, int order, unit_domain first, unit_domain others,
                        size_t most, double *x)
{
    char *copy = text_format("%s", text), *rest = copy;
    size_t count = 0;
    bool good = true;
    for (char *part = strsep(&rest, ","); part != NULL && good; part = strsep(&rest, ",")) {
        good = count < most && read_quantity(part, count < 3 ? first : others, order, &x[count]);
        count++;
    }
    free(copy);
    return good ? count : 0;
}

/* Splits text at the last equals sign, since names may contain one. Returns the name in a new
   string and sets *value; Returns NULL without an equals sign or a name. */
static char *split(const char *text, char **value)
{
    char *copy = text_format("%s", text);
    char *equals = strrchr(copy, '=');
    if (equals == NULL || equals == copy) {
        free(copy);
        return NULL;
    }
    *equals = '\0';
    *value = equals + 1;
    return copy;
}

/* Cuts the text at its first @ and returns the text after it, or NULL without one. */
static char *cut_place(char *text)
{
    char *place = text != NULL ? strchr(text, '@') : NULL;
    if (place != NULL) {
        *place++ = '\0';
    }
    return place;
}

/* Returns whether an inertia (in the order of td_link) is physically possible: ½ tr(I) 1 − I = ∫ r
   rᵀ dm is positive semidefinite, by its principal minors. */
static bool is_inertia(const double inertia[6])
{
    const double trace = inertia[0] + inertia[3] + inertia[5];
    const double a = trace / 2 - inertia[0], b = trace / 2 - inertia[3], c = trace / 2 - inertia[5];
    const double d = inertia[1], e = inertia[2], f = inertia[4]; /* with opposite signs */
    const double rounding = 1e-9 * trace;
    const double third = a * b * c - 2 * d * e * f - a * f * f - b * e * e - c * d * d;
    return trace >= 0 && a >= -rounding && b >= -rounding && c >= -rounding &&
           a * b - d * d >= -rounding * trace && a * c - e * e >= -rounding * trace &&
           b * c - f * f >= -rounding * trace && third >= -rounding * trace * trace;
}

char *loads_add_payload(robot_loads *loads, const char *text)
{
    static const size_t order[6] = {0, 3, 5, 1, 2, 4}; /* xx yy zz xy xz yz */
    payload p = {.mass = 0};
    char *numbers = NULL;
    double x[9] = {0};
    size_t count = 0;
    p.link = split(text, &numbers);
    char *place = cut_place(numbers);
    bool good = p.link != NULL && read_mass(numbers, &p.mass);
    if (good && place != NULL) {
        count = read_list(place, 0, UNIT_SLIDE, UNIT_NONE, 9, x);
        good = count == 3 || count == 9;
    }
    const char *fault =
        !good ? "expected LINK=MASS@X,Y,Z or LINK=MASS@X,Y,Z,IXX,IYY,IZZ,IXY,IXZ,IYZ (kg, m, kg m²)"
        : p.mass < 0 ? "the mass must not be negative"
                     : NULL;
    memcpy(p.com, x, sizeof p.com);
    for (size_t i = 0; i < 6; i++) {
        p.inertia[order[i]] = x[3 + i];
    }
    fault = fault == NULL && !is_inertia(p.inertia) ? "no rigid body can have this inertia" : fault;
    if (fault != NULL) {
        free(p.link);
        return text_format("--payload %s: %s", text, fault);
    }
    loads->payload = reallocate(loads->payload, loads->payloads + 1, sizeof *loads->payload);
    loads->payload[loads->payloads++] = p;
    return NULL;
}

static const char wrench_form[] =
    "expected LINK=FX,FY,FZ or LINK=force:FX,FY,FZ,moment:MX,MY,MZ,point:X,Y,Z,frame:FRAME (N, N "
    "m, m; 'aligned', 'body' or 'world')";

/* Reads a force, "0,0,-20", and an optional point after an at sign. */
static const char *read_short_wrench(char *text, point_wrench *w)
{
    char *place = cut_place(text);
    double x[6];
    const size_t count = read_list(text, UNIT_FORCE, UNIT_SLIDE, UNIT_TURN, 6, x);
    if (count == 6) {
        return "six numbers are ambiguous; write LINK=force:FX,FY,FZ,moment:MX,MY,MZ";
    }
    if (count != 3 ||
        (place != NULL && read_list(place, 0, UNIT_SLIDE, UNIT_NONE, 3, w->point) != 3)) {
        return wrench_form;
    }
    memcpy(w->force, x, sizeof w->force);
    return NULL;
}

/* Cuts the text before the next named part and returns that part, or NULL without one. */
static char *cut_part(char *text)
{
    for (char *comma = strchr(text, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        if (strspn(comma + 1, "abcdefghijklmnopqrstuvwxyz") > 0 &&
            comma[1 + strcspn(comma + 1, ":,")] == ':') {
            *comma = '\0';
            return comma + 1;
        }
    }
    return NULL;
}

static bool read_part(const char *text, size_t k, point_wrench *w)
{
    switch (k) {
    case 0:
        return read_list(text, UNIT_FORCE, UNIT_SLIDE, UNIT_NONE, 3, w->force) == 3;
    case 1:
        return read_list(text, UNIT_FORCE, UNIT_TURN, UNIT_NONE, 3, w->moment) == 3;
    case 2:
        return read_list(text, 0, UNIT_SLIDE, UNIT_NONE, 3, w->point) == 3;
    default:
        return frame_find(text, &w->frame);
    }
}

/* Reads "force:0,0,-20,point:0,0,0.1". Parts may have any order and occur at most once. */
static const char *read_named_wrench(char *text, point_wrench *w)
{
    static const char *const part_name[] = {"force:", "moment:", "point:", "frame:"};
    bool given[4] = {false};
    for (char *next, *part = text; part != NULL; part = next) {
        next = cut_part(part);
        size_t k = 0;
        while (k < 4 && strncmp(part, part_name[k], strlen(part_name[k])) != 0) {
            k++;
        }
        if (k == 4 || given[k] || !read_part(part + strlen(part_name[k]), k, w)) {
            return wrench_form;
        }
        given[k] = true;
    }
    return !given[0] && !given[1] ? "give a force or a moment"
           : given[2] && w->frame == TD_FRAME_WORLD
               ? "frame:world refers to the world's origin, whatever the point"
               : NULL;
}

static char *add_wrench(robot_loads *loads, const char *text, bool named, const char *option)
{
    point_wrench w = {.frame = TD_FRAME_ALIGNED};
    char *value = NULL;
    w.link = split(text, &value);
    const char *fault = wrench_form;
    if (w.link != NULL) {
        fault = named && strchr(value, ':') != NULL ? read_named_wrench(value, &w)
                                                    : read_short_wrench(value, &w);
    }
    if (fault == NULL && loads->wrenches > 0 && w.frame != loads_frame(loads)) {
        fault = "all wrenches of a command must use the same frame";
    }
    if (fault != NULL) {
        free(w.link);
        return text_format("%s %s: %s", option, text,
                           named ? fault : "expected LINK=FX,FY,FZ (N); use --wrench for moments");
    }
    loads->wrench = reallocate(loads->wrench, loads->wrenches + 1, sizeof *loads->wrench);
    loads->wrench[loads->wrenches++] = w;
    return NULL;
}

char *loads_add_wrench(robot_loads *loads, const char *text)
{
    return add_wrench(loads, text, true, "--wrench");
}

char *loads_add_force(robot_loads *loads, const char *text)
{
    return add_wrench(loads, text, false, "--load");
}
