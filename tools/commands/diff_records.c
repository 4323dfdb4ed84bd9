/* SPDX-License-Identifier: MIT */
/*
 * tandem diff: compares the records of both robots, field by field.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/diff.h"
#include "input/coordinate_name.h"
#include "output/json.h"
#include "output/records.h"
#include "text.h"

/* ---- numbers --------------------------------------------------------------------------------- */

bool diff_same(const comparison *c, const double *a, const double *b, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++) {
        if (isfinite(a[i])) {
            scale = fmax(scale, fabs(a[i]));
        }
        if (isfinite(b[i])) {
            scale = fmax(scale, fabs(b[i]));
        }
    }
    for (size_t i = 0; i < n; i++) {
        const bool same = (isnan(a[i]) && isnan(b[i])) || a[i] == b[i] ||
                          fabs(a[i] - b[i]) <= c->tolerance * scale;
        if (!same) {
            return false;
        }
    }
    return true;
}

static char *text_of(const double *x, size_t n, number (*digits)(double x))
{
    char *text = text_format("%s", "");
    for (size_t i = 0; i < n; i++) {
        char *longer =
            text_format("%s%s%s", text, i > 0 ? " " : "", isnan(x[i]) ? "none" : digits(x[i]).text);
        free(text);
        text = longer;
    }
    return text;
}

static void compare_numbers(comparison *c, const char *what, const char *field, const double *a,
                            const double *b, size_t n, double scale, bool dynamic)
{
    if (diff_same(c, a, b, n, scale)) {
        return;
    }
    char *text[] = {text_of(a, n, number_clear), text_of(b, n, number_clear)};
    cJSON *value[] = {n == 1 ? json_number(*a) : json_numbers(a, n),
                      n == 1 ? json_number(*b) : json_numbers(b, n)};
    if (strcmp(text[0], text[1]) == 0) { /* the difference is in digits that are not shown */
        for (int side = 0; side < DIFF_SIDES; side++) {
            free(text[side]);
            text[side] = text_of(side == 0 ? a : b, n, number_exact);
        }
    }
    diff_add(c, text_format("%s", what), field, text, value, dynamic);
}

static void compare_words(comparison *c, const char *what, const char *field, const char *a,
                          const char *b, bool dynamic)
{
    if (strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0) {
        return;
    }
    char *text[] = {text_format("%s", a != NULL ? a : "none"),
                    text_format("%s", b != NULL ? b : "none")};
    cJSON *value[] = {json_text(a), json_text(b)};
    diff_add(c, text_format("%s", what), field, text, value, dynamic);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- fields ---------------------------------------------------------------------------------- */

/* Returns the name that a link of the first robot has in the second, or NULL. */
static const char *link_after(const comparison *c, const char *name)
{
    const size_t link = name != NULL ? td_link_index(c->model[0], name) : TD_NONE;
    const int other = link != TD_NONE ? c->link[0][link] : -1;
    return other >= 0 ? td_link_at(c->model[1], (size_t)other)->name : NULL;
}

static const char *joint_after(const comparison *c, const char *name)
{
    const size_t joint = name != NULL ? td_joint_index(c->model[0], name) : TD_NONE;
    const int other = joint != TD_NONE ? c->joint[0][joint] : -1;
    return other >= 0 ? td_joint_at(c->model[1], (size_t)other)->name : NULL;
}

/* Compares names of links or joints. mapped is the name that a has in the second robot. */
static void compare_ends(comparison *c, const char *what, const char *field, const char *a,
                         const char *mapped, const char *b)
{
    if (mapped == NULL || b == NULL || strcmp(mapped, b) != 0) {
        compare_words(c, what, field, a, b, true);
    }
}

/* Returns the scale of a field: 1 for lengths, angles and directions, which can be near 0. */
static double scale_of(const td_field *f)
{
    static const char *const near[] = {"m", "rad", "rad or m", "direction"};
    for (size_t i = 0; i < COUNT(near) && f->unit != NULL; i++) {
        if (strcmp(f->unit, near[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static double integer_at(const td_field *f, const void *at)
{
    return f->kind == TD_FIELD_SIZE       ? (double)*(const size_t *)at
           : f->kind == TD_FIELD_UNSIGNED ? (double)*(const unsigned *)at
                                          : *(const int *)at;
}

static void compare_field(comparison *c, const char *what, const td_field *f, const void *a,
                          const void *b)
{
    const char *field = f->title != NULL ? f->title : f->key;
    const bool dynamic = f->use == TD_USE_DYNAMIC;
    switch (f->kind) {
    case TD_FIELD_STRING: {
        const char *x = *(const char *const *)a, *y = *(const char *const *)b;
        if (f->names == TD_RECORD_LINK) {
            compare_ends(c, what, field, x, link_after(c, x), y);
        } else if (f->names == TD_RECORD_JOINT) {
            compare_ends(c, what, field, x, joint_after(c, x), y);
        } else {
            compare_words(c, what, field, x, y, dynamic);
        }
        break;
    }
    case TD_FIELD_DOUBLES:
        compare_numbers(c, what, field, a, b, f->count, scale_of(f), dynamic);
        break;
    case TD_FIELD_INT:
    case TD_FIELD_UNSIGNED:
    case TD_FIELD_SIZE: {
        const double x = integer_at(f, a), y = integer_at(f, b);
        compare_numbers(c, what, field, &x, &y, 1, 0, dynamic);
        break;
    }
    case TD_FIELD_BOOL:
        compare_words(c, what, field, *(const bool *)a ? "true" : "false",
                      *(const bool *)b ? "true" : "false", dynamic);
        break;
    case TD_FIELD_WORD:
        compare_words(c, what, field, f->word(*(const unsigned *)a), f->word(*(const unsigned *)b),
                      dynamic);
        break;
    case TD_FIELD_ARRAY: /* only curves have arrays; curves are compared by value */
        break;
    }
}

/* Compares all fields of two records except those that are compared in another way. */
static void compare_fields(comparison *c, const char *what, td_record_kind kind, const void *a,
                           const void *b)
{
    const td_record_form *form = &td_record_forms[kind];
    for (size_t i = 0; i < form->fields; i++) {
        const td_field *f = &form->field[i];
        if (f->use == TD_USE_KEPT || f->use == TD_USE_DYNAMIC) {
            compare_field(c, what, f, (const char *)a + f->offset, (const char *)b + f->offset);
        }
    }
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Mass, center of mass, and the inertia about it in the axes of the link. */
typedef struct inertia {
    double mass, com[3], matrix[6];
} inertia;

static inertia inertia_of(const td_model *model, size_t link)
{
    const td_link *l = td_link_at(model, link);
    const double *R = l->inertial.rotation, *I = l->inertia;
    const double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
    static const int at[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    inertia found = {.mass = l->has_inertial ? l->mass : 0};
    for (int i = 0; i < 3; i++) {
        found.com[i] = found.mass != 0 ? l->inertial.position[i] : 0;
    }
    for (int n = 0; n < 6; n++) { /* (R I Rᵀ)_ij */
        for (int k = 0; k < 9 && l->has_inertial; k++) {
            found.matrix[n] += R[3 * at[n][0] + k / 3] * full[k] * R[3 * at[n][1] + k % 3];
        }
    }
    return found;
}

bool diff_same_inertia(const comparison *c, size_t before, size_t after)
{
    const inertia a = inertia_of(c->model[0], before), b = inertia_of(c->model[1], after);
    return diff_same(c, &a.mass, &b.mass, 1, 0) && diff_same(c, a.com, b.com, 3, 1) &&
           diff_same(c, a.matrix, b.matrix, 6, 0);
}

static void compare_geometry(comparison *c, const td_link *a, const td_link *b)
{
    const double shapes[] = {(double)a->geometry_count, (double)b->geometry_count};
    for (size_t i = 0; i < a->geometry_count && i < b->geometry_count; i++) {
        char *what = text_format("visual or collision %zu of link '%s'", i + 1, a->name);
        compare_fields(c, what, TD_RECORD_GEOMETRY, td_geometry_at(a, i), td_geometry_at(b, i));
        free(what);
    }
    char *what = text_format("link '%s'", a->name);
    compare_numbers(c, what, "visuals and collisions", &shapes[0], &shapes[1], 1, 0, false);
    free(what);
}

static void compare_link(comparison *c, size_t before, size_t after)
{
    const inertia a = inertia_of(c->model[0], before), b = inertia_of(c->model[1], after);
    const td_link *l[] = {td_link_at(c->model[0], before), td_link_at(c->model[1], after)};
    scoped char *what = text_format("link '%s'", l[0]->name);
    compare_numbers(c, what, "mass", &a.mass, &b.mass, 1, 0, true);
    compare_numbers(c, what, "center of mass", a.com, b.com, 3, 1, true);
    compare_numbers(c, what, "inertia", a.matrix, b.matrix, 6, 0, true);
    compare_fields(c, what, TD_RECORD_LINK, l[0], l[1]);
    compare_geometry(c, l[0], l[1]);
}

/* ---- joints ---------------------------------------------------------------------------------- */

static bool has_axis(const td_joint *joint)
{
    return td_joint_kind_of(joint->type)->axis;
}

bool diff_same_motion(const comparison *c, size_t before, size_t after)
{
    const td_joint *a = td_joint_at(c->model[0], before), *b = td_joint_at(c->model[1], after);
    return a->type == b->type && diff_same(c, a->origin.position, b->origin.position, 3, 1) &&
           diff_same(c, a->origin.rotation, b->origin.rotation, 9, 1) &&
           (!has_axis(a) || diff_same(c, a->axis, b->axis, 3, 1));
}

static void compare_curves(comparison *c, const char *what, size_t before, size_t after)
{
    enum { POINTS = 41 };
    const size_t f[] = {td_follower_of(c->model[0], before), td_follower_of(c->model[1], after)};
    if (f[0] == TD_NONE && f[1] == TD_NONE) {
        return;
    }
    if (f[0] == TD_NONE || f[1] == TD_NONE) {
        compare_words(c, what, "curves", f[0] == TD_NONE ? "none" : "some",
                      f[1] == TD_NONE ? "none" : "some", true);
        return;
    }
    const td_follower *a = td_follower_at(c->model[0], f[0]);
    const td_follower *b = td_follower_at(c->model[1], f[1]);
    const double counts[] = {(double)a->curves, (double)b->curves};
    compare_numbers(c, what, "offset", &a->offset, &b->offset, 1, 1, true);
    compare_numbers(c, what, "number of curves", &counts[0], &counts[1], 1, 0, true);
    for (size_t k = 0; k < a->curves && k < b->curves; k++) {
        const td_curve *curve = td_curve_at(a, k);
        compare_ends(c, what, "leader", curve->leader, joint_after(c, curve->leader),
                     td_curve_at(b, k)->leader);
        compare_fields(c, what, TD_RECORD_CURVE, curve, td_curve_at(b, k));
        double worst = 0, at = 0, values[DIFF_SIDES] = {0};
        const bool table = curve->type == TD_CURVE_SPLINE;
        const double first = table ? curve->at[0] : -3,
                     last = table ? curve->at[curve->points - 1] : 3;
        for (int i = 0; i < POINTS; i++) {
            const double x = first + (last - first) * i / (POINTS - 1);
            double fa[4], fb[4];
            if (td_curve_value(c->model[0], f[0], k, x, fa) == TD_OK &&
                td_curve_value(c->model[1], f[1], k, x, fb) == TD_OK &&
                !diff_same(c, fa, fb, 1, 1) && fabs(fa[0] - fb[0]) > worst) {
                worst = fabs(fa[0] - fb[0]);
                at = x, values[0] = fa[0], values[1] = fb[0];
            }
        }
        if (worst > 0) {
            scoped char *field = text_format("%s, curve at %s", what, number_brief(at).text);
            compare_numbers(c, field, "value", &values[0], &values[1], 1, 1, true);
        }
    }
}

static void compare_joint(comparison *c, size_t before, size_t after)
{
    const td_joint *a = td_joint_at(c->model[0], before), *b = td_joint_at(c->model[1], after);
    scoped char *what = text_format("joint '%s'", a->name);
    compare_fields(c, what, TD_RECORD_JOINT, a, b);
    if (has_axis(a) && has_axis(b)) {
        compare_numbers(c, what, "axis", a->axis, b->axis, 3, 1, true);
    }
    compare_curves(c, what, before, after);
    const td_joint_place places[] = {td_joint_place_at(c->model[0], before),
                                     td_joint_place_at(c->model[1], after)};
    compare_words(c, what, "coordinate", places[0].dependent ? "dependent" : "independent",
                  places[1].dependent ? "dependent" : "independent", true);
    if (places[0].nq == places[1].nq) { /* assembly of loops starts from here */
        compare_numbers(c, what, "reference", a->reference, b->reference, places[0].nq, 1,
                        td_loop_count(c->model[0]) + td_loop_count(c->model[1]) > 0);
    }
}

/* ---- loops and other records, by name or index ----------------------------------------------- */

/* A kind of record: its name in texts, and how records of both robots are matched. */
typedef struct kind {
    const char *word;
    td_record_kind form;
    const char *(*name)(const void *record);
    /* maps names of the first robot to names of the second; NULL: no mapping */
    const char *(*other)(const comparison *c, const char *name);
} kind;

#define NAMED(type, member)                                                                        \
    static const char *type##_name(const void *record)                                             \
    {                                                                                              \
        return ((const td_##type *)record)->member;                                                \
    }
NAMED(loop, name)
NAMED(coupling, name)
NAMED(transmission, joint)
NAMED(flexible, link)

static const kind kinds[] = {
    {"loop", TD_RECORD_LOOP, loop_name, NULL},
    {"coupling", TD_RECORD_COUPLING, coupling_name, NULL},
    {"spring", TD_RECORD_SPRING, NULL, NULL},
    {"transmission of joint", TD_RECORD_TRANSMISSION, transmission_name, joint_after},
    {"flexible link", TD_RECORD_FLEXIBLE, flexible_name, link_after},
};

/* Returns the index of the other robot's record with that name that is not matched yet, or −1.
   Kinds without names are matched by index. */
static int find(const kind *k, const td_model *model, const char *name, size_t i, const bool *taken)
{
    const size_t count = record_count(model, k->form);
    if (k->name == NULL) {
        return i < count ? (int)i : -1;
    }
    for (size_t n = 0; n < count; n++) {
        const char *own = k->name(record_at(model, k->form, n));
        if (!taken[n] && strcmp(own != NULL ? own : "", name != NULL ? name : "") == 0) {
            return (int)n;
        }
    }
    return -1;
}

/* Returns the label of a record without a name: "1" for the first one. */
static number order_text(size_t i)
{
    number order;
    snprintf(order.text, sizeof order.text, "%zu", i + 1);
    return order;
}

static void compare_kind(comparison *c, const kind *k)
{
    const size_t counts[] = {record_count(c->model[0], k->form),
                             record_count(c->model[1], k->form)};
    scoped bool *taken = allocate(counts[1] + 1, sizeof *taken);
    for (size_t i = 0; i < counts[0]; i++) {
        const void *a = record_at(c->model[0], k->form, i);
        const number order = order_text(i);
        const char *name = k->name != NULL ? k->name(a) : order.text;
        const int other =
            find(k, c->model[1], k->other != NULL ? k->other(c, name) : name, i, taken);
        if (other < 0) {
            diff_add_one_sided(c, k->word, name, DIFF_BEFORE, true);
            continue;
        }
        const void *b = record_at(c->model[1], k->form, (size_t)other);
        scoped char *what = k->name != NULL
                                ? text_format("%s '%s'", k->word, name != NULL ? name : "")
                                : text_format("%s %zu", k->word, i + 1);
        taken[other] = true;
        compare_fields(c, what, k->form, a, b);
    }
    for (size_t i = 0; i < counts[1]; i++) {
        const number order = order_text(i);
        if (!taken[i]) {
            diff_add_one_sided(c, k->word,
                               k->name != NULL ? k->name(record_at(c->model[1], k->form, i))
                                               : order.text,
                               DIFF_AFTER, true);
        }
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

void diff_records(comparison *c)
{
    for (int side = 0; side < DIFF_SIDES; side++) {
        for (size_t i = 0; i < td_link_count(c->model[side]); i++) {
            if (c->link[side][i] < 0) {
                diff_add_one_sided(c, "link", td_link_at(c->model[side], i)->name, side, true);
            }
        }
        for (size_t i = 0; i < td_joint_count(c->model[side]); i++) {
            if (c->joint[side][i] < 0) {
                diff_add_one_sided(c, "joint", td_joint_at(c->model[side], i)->name, side, true);
            }
        }
    }
    for (size_t i = 0; i < td_link_count(c->model[0]); i++) {
        if (c->link[0][i] >= 0) {
            compare_link(c, i, (size_t)c->link[0][i]);
        }
    }
    for (size_t i = 0; i < td_joint_count(c->model[0]); i++) {
        if (c->joint[0][i] >= 0) {
            compare_joint(c, i, (size_t)c->joint[0][i]);
        }
    }
    for (size_t i = 0; i < COUNT(kinds); i++) {
        compare_kind(c, &kinds[i]);
    }
    compare_words(c, "robot", "name", td_model_name(c->model[0]), td_model_name(c->model[1]),
                  false);
}
