/* SPDX-License-Identifier: MIT */
/*
 * Prints declared results as text; see outputs.h. Consecutive results of one kind share a table.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/matrix.h"
#include "output/outputs.h"
#include "output/table.h"
#include "text.h"

/* ---- quantities of joints -------------------------------------------------------------------- */

/* The data for a table of joints: the state, a given quantity and the result. */
typedef struct joint_values {
    const coordinates *c;
    const robot_state *x;
    enum quantity given, effect;
    const double *value; /* of the result */
} joint_values;

static const char *si_unit(const coordinates *c, enum quantity quantity, size_t index)
{
    static const char *const unit[][2] = {[QUANTITY_Q] = {"rad", "m"},
                                          [QUANTITY_QD] = {"rad/s", "m/s"},
                                          [QUANTITY_QDD] = {"rad/s²", "m/s²"},
                                          [QUANTITY_TAU] = {"N m", "N"}};
    return unit[quantity][coordinates_domain(c, quantity, index) == UNIT_SLIDE];
}

static void add_entry(table *t, const coordinates *c, enum quantity quantity, const double *x,
                      size_t i)
{
    table_add(t, "%s", number_of_scale(x[i], largest_of(x, c->size[quantity])).text);
}

/* Adds a row for each coordinate of a joint. A joint with a quaternion has rows for its positions,
   then for its velocities. */
static void add_joint(table *t, const joint_values *v, size_t joint)
{
    const coordinates *c = v->c;
    const size_t position = coordinates_position(c, joint);
    const size_t velocity = coordinates_velocity(c, joint);
    const bool apart = has_quaternion(c->model, joint);
    for (size_t k = 0; apart && k < coordinates_count(c, QUANTITY_Q, joint); k++) {
        table_add(t, "%s", c->name[QUANTITY_Q][position + k]);
        add_entry(t, c, QUANTITY_Q, v->x->value[QUANTITY_Q], position + k);
        for (size_t blank = 2; blank < t->columns; blank++) {
            table_add(t, "%s", "");
        }
    }
    for (size_t k = 0; k < coordinates_count(c, QUANTITY_QD, joint); k++) {
        const size_t i = velocity + k;
        const char *force = strrchr(c->name[QUANTITY_TAU][i], '.');
        table_add(t, apart ? "%s, %s" : "%s", c->name[QUANTITY_QD][i], apart ? force : "");
        if (apart) {
            table_add(t, "%s", "");
        } else {
            add_entry(t, c, QUANTITY_Q, v->x->value[QUANTITY_Q], position + k);
        }
        add_entry(t, c, QUANTITY_QD, v->x->value[QUANTITY_QD], i);
        add_entry(t, c, v->given, v->x->value[v->given], i);
        add_entry(t, c, v->effect, v->value, i);
        table_add(t, "%s", si_unit(c, v->effect, i));
    }
}

static void print_joints(const joint_values *v)
{
    const char *const heading[] = {
        "joint", "q", "qd", quantity_text(v->given), quantity_text(v->effect), "unit"};
    table t = table_new("lrrrrl");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < v->c->joints; i++) {
        add_joint(&t, v, v->c->joint[i]);
    }
    table_print(&t, 0);
}

/* ---- the other kinds ------------------------------------------------------------------------- */

/* A range of outputs of one kind, and their values. */
typedef struct run {
    const output *each;
    const double *const *value;
    size_t count;
} run;

static const char *title_of(const output *declared)
{
    return declared->title != NULL ? declared->title : declared->key;
}

static bool is_number(const output *declared)
{
    return declared->kind <= OUTPUT_POINT;
}

/* Returns the largest of the numbers of a group. */
static double group_scale(const run *r, int group)
{
    double scale = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->each[i].group == group) {
            scale = fmax(scale, largest_of(r->value[i], r->each[i].columns));
        }
    }
    return scale;
}

static number rounded(double x, int group, double scale)
{
    return group == GROUP_PLACE   ? number_place(x)
           : group == GROUP_BRIEF ? number_brief(x)
                                  : number_of_scale(x, scale);
}

static void print_numbers(const run *r)
{
    table t = table_new("lrrrl");
    t.plain = true;
    for (size_t i = 0; i < r->count; i++) {
        const output *declared = &r->each[i];
        const double scale = group_scale(r, declared->group);
        const bool none = isnan(r->value[i][0]);
        if (none && declared->none == NULL) {
            continue;
        }
        table_add(&t, "%s", title_of(declared));
        for (size_t k = 0; k < 3; k++) {
            const bool has = k < declared->columns && !none;
            table_add(&t, "%s",
                      has              ? rounded(r->value[i][k], declared->group, scale).text
                      : none && k == 0 ? "none"
                                       : "");
        }
        table_add(&t, "%s", none ? declared->none : declared->unit);
    }
    table_print(&t, 0);
}

static void print_named(const run *r)
{
    const output *declared = r->each;
    table t = table_new("lrl");
    table_add(&t, "%s", declared->title != NULL ? declared->title : "joint");
    table_add(&t, "%s", declared->key);
    table_add(&t, "unit");
    const double scale = largest_of(*r->value, declared->columns);
    for (size_t i = 0; i < declared->columns; i++) {
        table_add(&t, "%s", declared->column[i]);
        table_add(&t, "%s", number_of_scale((*r->value)[i], scale).text);
        table_add(&t, "%s", declared->units[i]);
    }
    table_print(&t, 0);
}

static void print_matrix(const run *r)
{
    const output *declared = r->each;
    const named_matrix m = {.title = declared->key,
                            .row = declared->row,
                            .column = declared->column,
                            .rows = declared->rows,
                            .columns = declared->columns,
                            .x = *r->value,
                            .symmetric = declared->kind == OUTPUT_SYMMETRIC};
    if (declared->title != NULL) {
        printf("%s, %s\n", declared->key, declared->title);
    }
    matrix_print(&m);
}

static void print_poses(const run *r)
{
    static const char *const heading[] = {"link", "x", "y", "z", "qx", "qy", "qz", "qw"};
    table t = table_new("lrrrrrrr");
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    const double *x = *r->value;
    for (size_t i = 0; i < r->each->rows; i++) {
        table_add(&t, "%s", r->each->row[i]);
        for (size_t k = 0; k + 1 < t.columns; k++) {
            table_add(&t, "%s", number_place(*x++).text);
        }
    }
    table_print(&t, 0);
}

/* Prints wrenches. Rounds moments relative to the largest moment of the table, and forces
   likewise. */
static void print_wrenches(const run *r)
{
    double scale[2] = {0, 0};
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < WRENCH_NUMBERS * r->each[i].rows; k++) {
            const size_t part = k % WRENCH_NUMBERS / 3;
            if (part < 2) {
                scale[part] = fmax(scale[part], fabs(r->value[i][k]));
            }
        }
    }
    table t = table_new("lrrrrrrl");
    table_add(&t, "reaction (N m, N)");
    for (size_t i = 0; i < WRENCH_PARTS; i++) {
        table_add(&t, "%s", wrench_part[i]);
    }
    table_add(&t, "not unique");
    for (size_t i = 0; i < r->count; i++) {
        const double *x = r->value[i];
        for (size_t k = 0; k < r->each[i].rows; k++, x += WRENCH_NUMBERS) {
            table_add(&t, "%s%s", r->each[i].title, r->each[i].row[k]);
            for (size_t j = 0; j < WRENCH_PARTS; j++) {
                table_add(&t, "%s", number_of_scale(x[j], scale[j / 3]).text);
            }
            table_add(&t, "%s", positive_parts(x + WRENCH_PARTS).text);
        }
    }
    table_print(&t, 0);
}

/* Returns how many outputs from the first one on share its table. */
static size_t sharing(const outputs *o, size_t first)
{
    const output *declared = o->each + first;
    size_t count = 1;
    while (first + count < o->count &&
           (is_number(declared)
                ? is_number(declared + count)
                : declared->kind == OUTPUT_WRENCHES && declared[count].kind == OUTPUT_WRENCHES)) {
        count++;
    }
    return count;
}

void outputs_print(const outputs *o, const robot_state *x, enum quantity given,
                   const double *const *value)
{
    bool printed = false;
    for (size_t i = 0, count; i < o->count; i += count) {
        const run r = {o->each + i, value + i, count = sharing(o, i)};
        if (output_size(r.each) == 0) {
            continue;
        }
        if (printed) {
            putchar('\n');
        }
        printed = true;
        if (is_number(r.each)) {
            print_numbers(&r);
        } else if (r.each->kind == OUTPUT_NAMED && r.each->coordinates) {
            print_joints(&(joint_values){o->c, x, given, r.each->quantity, *r.value});
        } else if (r.each->kind == OUTPUT_NAMED) {
            print_named(&r);
        } else if (r.each->kind == OUTPUT_POSES) {
            print_poses(&r);
        } else if (r.each->kind == OUTPUT_WRENCHES) {
            print_wrenches(&r);
        } else {
            print_matrix(&r);
        }
    }
    if (!printed) {
        puts("no joint moves");
    }
}
