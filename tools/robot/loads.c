/* SPDX-License-Identifier: MIT */
/*
 * Payloads and wrenches of the command line, see loads.h.
 */
#include "robot/loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "robot/link_name.h"
#include "robot/model_text.h"
#include "text.h"
#include "units.h"
#include "value.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* A value in units of that domain and order, or without one. */
static bool read_value(const char *text, unit_domain domain, int order, double *x)
{
    const value_unit *u;
    return value_parse(text, x, &u) && (u == NULL || (u->domain == domain && u->order == order));
}

/* "5", "5kg" or "500g" */
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
    char *digits = text_format("%.*s", (int)length, text);
    const bool good = parse_number(digits, mass);
    *mass *= size;
    free(digits);
    return good;
}

/* Numbers with commas between, at most most of them; 0 where one is none. Units of the first three
   are those of lengths or forces (order: as in value_unit), of all others those of that domain. */
static size_t read_list(const char *text, int order, unit_domain others, size_t most, double *x)
{
    char *copy = text_format("%s", text), *rest = copy;
    size_t count = 0;
    bool good = true;
    for (char *part = strsep(&rest, ","); part != NULL && good; part = strsep(&rest, ",")) {
        good = count < most && read_value(part, count < 3 ? UNIT_SLIDE : others, order, &x[count]);
        count++;
    }
    free(copy);
    return good ? count : 0;
}

/* The text before the last equals sign, since names may hold one, and what is behind it: up to an
   at sign, and behind that (NULL without one). All in one new string, the name. */
static char *split(const char *text, char **numbers, char **place)
{
    char *copy = text_format("%s", text);
    char *equals = strrchr(copy, '=');
    if (equals == NULL || equals == copy) {
        free(copy);
        return NULL;
    }
    *equals = '\0';
    *numbers = equals + 1;
    *place = strchr(*numbers, '@');
    if (*place != NULL) {
        *(*place)++ = '\0';
    }
    return copy;
}

/* Whether an inertia is that of some body: ½ tr(I) 1 − I = ∫ r rᵀ dm has no negative eigenvalue,
   which its principal minors tell. In the order of td_link. */
static bool is_inertia(const double inertia[6])
{
    const double trace = inertia[0] + inertia[3] + inertia[5];
    const double a = trace / 2 - inertia[0], b = trace / 2 - inertia[3], c = trace / 2 - inertia[5];
    const double d = inertia[1], e = inertia[2], f = inertia[4]; /* with their signs turned */
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
    char *numbers, *place;
    double x[9] = {0};
    size_t count = 0;
    p.link = split(text, &numbers, &place);
    bool good = p.link != NULL && read_mass(numbers, &p.mass);
    if (good && place != NULL) {
        count = read_list(place, 0, UNIT_NONE, 9, x);
        good = count == 3 || count == 9;
    }
    const char *fault =
        !good ? "LINK=MASS@X,Y,Z or LINK=MASS@X,Y,Z,IXX,IYY,IZZ,IXY,IXZ,IYZ expected (kg, m, "
                "kg m²)"
        : p.mass < 0 ? "a mass is not below zero"
                     : NULL;
    memcpy(p.com, x, sizeof p.com);
    for (size_t i = 0; i < 6; i++) {
        p.inertia[order[i]] = x[3 + i];
    }
    fault = fault == NULL && !is_inertia(p.inertia) ? "no body has this inertia" : fault;
    if (fault != NULL) {
        free(p.link);
        return text_format("--payload %s: %s", text, fault);
    }
    loads->payload = reallocate(loads->payload, loads->payloads + 1, sizeof *loads->payload);
    loads->payload[loads->payloads++] = p;
    return NULL;
}

/* Of at most that many numbers; what the option expects is said where it is something else. */
static char *add_wrench(robot_loads *loads, const char *text, size_t most, const char *option,
                        const char *expected)
{
    point_wrench w = {.index = 0};
    char *numbers, *place;
    double x[6] = {0};
    size_t count = 0;
    w.link = split(text, &numbers, &place);
    if (w.link != NULL) {
        count = read_list(numbers, UNIT_FORCE, UNIT_TURN, most, x);
    }
    if ((count != 3 && count != 6) ||
        (place != NULL && read_list(place, 0, UNIT_NONE, 3, w.point) != 3)) {
        free(w.link);
        return text_format("%s %s: %s", option, text, expected);
    }
    memcpy(w.force, x, sizeof w.force);
    memcpy(w.moment, x + 3, sizeof w.moment);
    loads->wrench = reallocate(loads->wrench, loads->wrenches + 1, sizeof *loads->wrench);
    loads->wrench[loads->wrenches++] = w;
    return NULL;
}

char *loads_add_wrench(robot_loads *loads, const char *text)
{
    return add_wrench(loads, text, 6, "--wrench",
                      "LINK=FX,FY,FZ, perhaps with ,MX,MY,MZ and @X,Y,Z behind it, expected (N, N "
                      "m, m)");
}

char *loads_add_force(robot_loads *loads, const char *text)
{
    return add_wrench(loads, text, 3, "--load",
                      "LINK=FX,FY,FZ expected (N); --wrench LINK=FX,FY,FZ,MX,MY,MZ has a moment, "
                      "too");
}

void loads_free(robot_loads *loads)
{
    for (size_t i = 0; i < loads->payloads; i++) {
        free(loads->payload[i].link);
    }
    for (size_t i = 0; i < loads->wrenches; i++) {
        free(loads->wrench[i].link);
    }
    free(loads->payload);
    free(loads->wrench);
    free(loads->total);
}

/* ---- on a robot ------------------------------------------------------------------------------ */

/* What a robot carries, and what pushes it, is at a point of a link, as joints are: the origin
   where none was given. */
static bool find(const td_model *model, const char *name, const double point[3], size_t *index,
                 double at[3])
{
    const int link = find_link_point(model, name, true, point, at);
    *index = (size_t)link;
    return link >= 0;
}

/* A name as model files write it. */
static void put_quoted(FILE *to, const char *name)
{
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
        if (*c < 0x20 || *c == 0x7f) {
            fprintf(to, "\\x%02x", *c);
        } else {
            fprintf(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        }
    }
    fputc('"', to);
}

static bool has_point(const point_wrench *w)
{
    return w->at[0] != 0 || w->at[1] != 0 || w->at[2] != 0;
}

static char *name_of_point(size_t i)
{
    return text_format("$point:%zu", i + 1);
}

/* The text of a model file with the links of points, in a new string; NULL with a message. */
static char *text_with_points(const robot_loads *loads, const td_model *model)
{
    static const char end[] = "end\n";
    char *before = model_text(model);
    text_stream text;
    if (before == NULL) {
        return NULL;
    }
    text_open(&text);
    FILE *to = text.stream;
    fprintf(to, "%.*s", (int)(strlen(before) - strlen(end)), before);
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        char *name = name_of_point(i);
        if (has_point(w)) {
            fprintf(to, "link name=\"%s\"\njoint name=\"%s\" type=fixed parent=", name, name);
            put_quoted(to, td_link_at(model, w->index)->name);
            fprintf(to, " child=\"%s\" origin.position=%s,%s,%s\n", name,
                    number_exact(w->at[0]).text, number_exact(w->at[1]).text,
                    number_exact(w->at[2]).text);
        }
        free(name);
    }
    fputs(end, to);
    free(before);
    return text_close(&text);
}

/* The model with the links of points. */
static bool place_points(robot_loads *loads, td_model **model)
{
    char *text = text_with_points(loads, *model);
    td_model *placed = NULL;
    const td_status status = text != NULL
                                 ? td_model_read(text, strlen(text), "model", NULL, NULL, &placed)
                                 : TD_ERROR_MEMORY;
    free(text);
    if (status != TD_OK) {
        complain("--wrench: %s", td_status_text(status));
        return false;
    }
    td_model_free(*model);
    *model = placed;
    for (size_t i = 0; i < loads->wrenches; i++) {
        if (has_point(&loads->wrench[i])) {
            char *name = name_of_point(i);
            loads->wrench[i].index = (size_t)td_link_index(placed, name);
            loads->points++;
            free(name);
        }
    }
    return true;
}

/* Wrenches of the options, added up. */
static void sum_wrenches(robot_loads *loads, const td_model *model)
{
    loads->total = allocate(6 * td_link_count(model), sizeof *loads->total);
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        for (size_t a = 0; a < 3; a++) {
            loads->total[6 * w->index + a] += w->moment[a];
            loads->total[6 * w->index + 3 + a] += w->force[a];
        }
    }
}

bool loads_find(robot_loads *loads, td_model **model)
{
    bool points = false;
    for (size_t i = 0; i < loads->payloads; i++) {
        payload *p = &loads->payload[i];
        if (!find(*model, p->link, p->com, &p->index, p->at)) {
            return false;
        }
        for (size_t k = 0; k < i; k++) {
            if (loads->payload[k].index == p->index) {
                complain("--payload: link '%s' has one already",
                         td_link_at(*model, p->index)->name);
                return false;
            }
        }
    }
    for (size_t i = 0; i < loads->wrenches; i++) {
        point_wrench *w = &loads->wrench[i];
        if (!find(*model, w->link, w->point, &w->index, w->at)) {
            return false;
        }
        points = points || has_point(w);
    }
    if (points && !loads->apart && !place_points(loads, model)) {
        return false;
    }
    if (loads->wrenches > 0) {
        sum_wrenches(loads, *model);
    }
    return true;
}

bool loads_carry(const robot_loads *loads, const td_model *model, td_workspace *workspace)
{
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        const td_status status = td_set_payload(workspace, p->index, p->mass, p->at, p->inertia);
        if (status != TD_OK) {
            complain("--payload: link '%s': %s", td_link_at(model, p->index)->name,
                     td_status_text(status));
            return false;
        }
    }
    return true;
}

/* Whether the link is part of a moving body. */
static bool moves(const td_model *model, size_t link)
{
    const int joint = td_link_parent_joint(model, link);
    return joint >= 0 && td_joint_place_at(model, (size_t)joint).body >= 0;
}

double loads_mass(const robot_loads *loads, const td_model *model, bool moving)
{
    double sum = 0;
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        sum += moving && !moves(model, p->index) ? 0 : p->mass;
    }
    return sum;
}

/* ---- what is said of them -------------------------------------------------------------------- */

void loads_tell(const robot_loads *loads)
{
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        complain("payload on '%s': %s kg at %s %s %s m", p->link, number_clear(p->mass).text,
                 number_clear(p->com[0]).text, number_clear(p->com[1]).text,
                 number_clear(p->com[2]).text);
    }
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        char *moment =
            largest_of(w->moment, 3) > 0
                ? text_format(" and the moment %s %s %s N m", number_clear(w->moment[0]).text,
                              number_clear(w->moment[1]).text, number_clear(w->moment[2]).text)
                : text_format("%s", "");
        complain("wrench on '%s': the force %s %s %s N%s at %s %s %s m", w->link,
                 number_clear(w->force[0]).text, number_clear(w->force[1]).text,
                 number_clear(w->force[2]).text, moment, number_clear(w->point[0]).text,
                 number_clear(w->point[1]).text, number_clear(w->point[2]).text);
        free(moment);
    }
}

void loads_add_json(const robot_loads *loads, cJSON *root)
{
    cJSON *list = loads->payloads > 0 ? cJSON_AddArrayToObject(root, "payloads") : NULL;
    for (size_t i = 0; i < loads->payloads; i++) {
        const payload *p = &loads->payload[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_text(p->link));
        cJSON_AddItemToObject(item, "mass", json_number(p->mass));
        cJSON_AddItemToObject(item, "com", json_numbers(p->com, 3));
        const double *m = p->inertia;
        const double inertia[9] = {m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]};
        cJSON_AddItemToObject(item, "inertia", json_matrix(inertia, 3, 3));
        cJSON_AddItemToArray(list, item);
    }
    list = loads->wrenches > 0 ? cJSON_AddArrayToObject(root, "wrenches") : NULL;
    for (size_t i = 0; i < loads->wrenches; i++) {
        const point_wrench *w = &loads->wrench[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "link", json_text(w->link));
        cJSON_AddItemToObject(item, "force", json_numbers(w->force, 3));
        cJSON_AddItemToObject(item, "moment", json_numbers(w->moment, 3));
        cJSON_AddItemToObject(item, "point", json_numbers(w->point, 3));
        cJSON_AddItemToArray(list, item);
    }
}
