/* SPDX-License-Identifier: MIT */
/*
 * tandem diff: prints the differences of two robots after loading. Fields that change the dynamics
 * come first, then the others, then the largest difference of torques at random states. Links and
 * joints are matched by name; renamed ones are matched by their fields and their parents.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/diff.h"
#include "input/option_value.h"
#include "input/session.h"
#include "output/json.h"
#include "output/model_json.h"
#include "text.h"

enum { DEFAULT_STATES = 100, MOST_STATES = 1000000 };

typedef struct diff_options {
    tool_options common;
    const char *second;
    double tolerance;
    size_t states;
} diff_options;

/* ---- options --------------------------------------------------------------------------------- */

static void read_tolerance(const command_option *o, char *text, command_line *line)
{
    double *tolerance = option_place(o, line);
    if (!parse_number(text, tolerance) || !(*tolerance >= 0) || isinf(*tolerance)) {
        option_error(line, "--tolerance must be a nonnegative number, not '%s'", text);
    }
}

#define AT(member) .at = offsetof(diff_options, member)

static const command_option command_rows[] = {
    {"tolerance", "X",
     "Treat numbers as equal up to this relative difference (default 1e-9; 0: equal to the bit)",
     read_tolerance, AT(tolerance)},
    {"states", "N", "Use this many random states (default 100) to compare torques", option_count,
     AT(states), .number = MOST_STATES},
    {0},
};
static const option_argument arguments[] = {
    {"FILE", AT(second), "give two FILEs to compare", "more than two FILEs", .takes = NULL}, {0}};
const option_set options_of_diff = {
    .rows = command_rows,
    .usage = "FILE FILE",
    .arguments = arguments,
    .about = "Compare two robots: masses, inertias, joints, limits, couplings, loops, and their "
             "torques at "
             "the same states. Both are loaded with the same options.\vExit status: 0 the robots "
             "are the "
             "same, 1 they differ, 2 the command line is wrong, 3 a file does not load.",
    .parts = {&model_set, &gravity_set}};

/* ---- differences ----------------------------------------------------------------------------- */

void diff_add(comparison *c, char *what, const char *field, char *const text[DIFF_SIDES],
              cJSON *const value[DIFF_SIDES], bool dynamic)
{
    c->list = reallocate(c->list, c->count + 1, sizeof *c->list);
    c->list[c->count++] =
        (difference){what, field, {text[0], text[1]}, {value[0], value[1]}, dynamic};
}

void diff_add_one_sided(comparison *c, const char *kind, const char *name, int side, bool dynamic)
{
    char *text[DIFF_SIDES] = {NULL, NULL};
    cJSON *value[DIFF_SIDES] = {cJSON_CreateBool(side == DIFF_BEFORE),
                                cJSON_CreateBool(side == DIFF_AFTER)};
    diff_add(c, text_format("%s '%s'", kind, name != NULL ? name : ""),
             side == DIFF_BEFORE ? "removed" : "added", text, value, dynamic);
}

static int *all_unknown(size_t count)
{
    int *list = allocate(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i] = -1;
    }
    return list;
}

void diff_begin(comparison *c, const td_model *before, const td_model *after, double tolerance)
{
    *c = (comparison){.model = {before, after}, .tolerance = tolerance};
    for (int side = 0; side < DIFF_SIDES; side++) {
        c->link[side] = all_unknown(td_link_count(c->model[side]));
        c->joint[side] = all_unknown(td_joint_count(c->model[side]));
    }
}

void diff_end(comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->list[i].what);
        for (int side = 0; side < DIFF_SIDES; side++) {
            free(c->list[i].text[side]);
            cJSON_Delete(c->list[i].value[side]);
        }
    }
    for (int side = 0; side < DIFF_SIDES; side++) {
        free(c->link[side]);
        free(c->joint[side]);
    }
    free(c->list);
}

/* ---- matching ------------------------------------------------------------------------------- */

static void pair(int *const map[DIFF_SIDES], int before, int after)
{
    map[0][before] = after;
    map[1][after] = before;
}

static void pair_by_name(comparison *c)
{
    for (size_t i = 0; i < td_link_count(c->model[0]); i++) {
        const size_t other = td_link_index(c->model[1], td_link_at(c->model[0], i)->name);
        if (other != TD_NONE) {
            pair(c->link, (int)i, (int)other);
        }
    }
    for (size_t i = 0; i < td_joint_count(c->model[0]); i++) {
        const size_t other = td_joint_index(c->model[1], td_joint_at(c->model[0], i)->name);
        if (other != TD_NONE) {
            pair(c->joint, (int)i, (int)other);
        }
    }
}

/* Pairs links below paired joints, and the root links. Returns true if it found a pair. */
static bool pair_links(comparison *c)
{
    bool found = false;
    const int root[] = {(int)td_root_link(c->model[0]), (int)td_root_link(c->model[1])};
    for (size_t i = 0; i < td_link_count(c->model[0]); i++) {
        const size_t above = td_link_parent_joint(c->model[0], i);
        const int joint = above != TD_NONE ? c->joint[0][above] : -1;
        const int other = (int)i == root[0] ? root[1]
                          : joint >= 0
                              ? (int)td_joint_place_at(c->model[1], (size_t)joint).child_link
                              : -1;
        if (c->link[0][i] < 0 && other >= 0 && c->link[1][other] < 0 &&
            diff_same_inertia(c, i, (size_t)other)) {
            pair(c->link, (int)i, other);
            found = true;
        }
    }
    return found;
}

/* Pairs joints on the same link that move alike and have the same child link. If the child links
   are not paired yet, their inertias must agree. */
static bool pair_joints(comparison *c)
{
    bool found = false;
    for (size_t i = 0; i < td_joint_count(c->model[0]); i++) {
        const td_joint_place place = td_joint_place_at(c->model[0], i);
        const int parent = place.parent_link != TD_NONE ? c->link[0][place.parent_link] : -1;
        for (size_t k = 0; k < td_joint_count(c->model[1]) && c->joint[0][i] < 0 && parent >= 0;
             k++) {
            const td_joint_place other = td_joint_place_at(c->model[1], k);
            const int child = c->link[0][place.child_link];
            const bool known = child >= 0 || c->link[1][other.child_link] >= 0;
            if (c->joint[1][k] < 0 && other.parent_link == (size_t)parent &&
                (known ? (size_t)child == other.child_link
                       : diff_same_inertia(c, place.child_link, other.child_link)) &&
                diff_same_motion(c, i, k)) {
                pair(c->joint, (int)i, (int)k);
                found = true;
            }
        }
    }
    return found;
}

void diff_match(comparison *c)
{
    pair_by_name(c);
    while (pair_links(c) || pair_joints(c)) {
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put_difference(const difference *d)
{
    fputs("  ", stdout);
    put_clean(stdout, d->what);
    if (d->text[0] == NULL) {
        printf(": %s\n", d->field);
        return;
    }
    printf(": %s ", d->field);
    put_clean(stdout, d->text[0]);
    fputs(" -> ", stdout);
    put_clean(stdout, d->text[1]);
    fputc('\n', stdout);
}

static void put_list(const comparison *c, bool dynamic, const char *title)
{
    bool any = false;
    for (size_t i = 0; i < c->count; i++) {
        if (c->list[i].dynamic != dynamic) {
            continue;
        }
        if (!any) {
            puts(title);
        }
        any = true;
        put_difference(&c->list[i]);
    }
}

static void put_torques(const torque_difference *t)
{
    if (!t->compared) {
        printf("torques are not compared: %s\n", t->why_not);
        return;
    }
    if (t->differs && t->where != NULL) {
        printf("torques differ by %.3g of the largest of '", t->relative);
        put_clean(stdout, t->where);
        printf("': %s -> %s at state %zu of %zu\n", number_brief(t->value[0]).text,
               number_brief(t->value[1]).text, t->state, t->states);
    } else if (t->used > 0) {
        printf("torques are the same at %zu random states%s\n", t->used,
               t->used < t->states ? ": loops do not close at the other states that were tried"
                                   : "");
    } else {
        puts("torques are not compared: loops do not close at any of the states");
    }
    if (t->one_sided > 0) {
        printf("at %zu of %zu states only one of the robots has torques\n", t->one_sided,
               t->states);
    }
}

static bool is_same(const comparison *c, const torque_difference *t)
{
    return c->count == 0 && !t->differs;
}

static void put_text(const comparison *c, const torque_difference *t)
{
    if (c->count == 0) {
        puts("nothing differs");
    }
    put_list(c, true, "differences that affect dynamics:");
    put_torques(t);
    put_list(c, false, "differences that do not affect dynamics:");
}

static cJSON *json_torques(const torque_difference *t)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToObject(item, "compared", cJSON_CreateBool(t->compared));
    cJSON_AddItemToObject(item, "state_count", json_count(t->states));
    cJSON_AddItemToObject(item, "used", json_count(t->used));
    cJSON_AddItemToObject(item, "one_sided", json_count(t->one_sided));
    cJSON_AddItemToObject(item, "differs", cJSON_CreateBool(t->differs));
    cJSON_AddItemToObject(item, "largest", json_number(t->largest));
    cJSON_AddItemToObject(item, "relative", json_number(t->relative));
    cJSON_AddItemToObject(item, "where", json_text(t->where));
    cJSON_AddItemToObject(item, "state", json_count(t->state));
    cJSON_AddItemToObject(item, "values", json_numbers(t->value, DIFF_SIDES));
    return item;
}

static void put_json(comparison *c, const torque_difference *t, const session s[DIFF_SIDES])
{
    cJSON *root = json_root(NULL), *files = cJSON_CreateArray(), *list = cJSON_CreateArray();
    for (int side = 0; side < DIFF_SIDES; side++) {
        cJSON *file = cJSON_CreateObject();
        cJSON_AddItemToObject(file, "file", json_text(s[side].file));
        cJSON_AddItemToObject(file, "name", json_text(td_model_name(c->model[side])));
        cJSON_AddItemToObject(file, "digest", json_digest(c->model[side], NULL));
        cJSON_AddItemToArray(files, file);
    }
    cJSON_AddItemToObject(root, "same", cJSON_CreateBool(is_same(c, t)));
    cJSON_AddItemToObject(root, "tolerance", json_number(c->tolerance));
    cJSON_AddItemToObject(root, "files", files);
    for (size_t i = 0; i < c->count; i++) {
        difference *d = &c->list[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToObject(item, "of", json_text(d->what));
        cJSON_AddItemToObject(item, "what", json_text(d->field));
        cJSON_AddItemToObject(item, "dynamic", cJSON_CreateBool(d->dynamic));
        cJSON_AddItemToObject(item, "before", d->value[0]);
        cJSON_AddItemToObject(item, "after", d->value[1]);
        d->value[0] = d->value[1] = NULL;
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddItemToObject(root, "differences", list);
    cJSON_AddItemToObject(root, "torques", json_torques(t));
    json_print(root, false);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int compare(const diff_options *options, const session s[DIFF_SIDES])
{
    comparison c;
    diff_begin(&c, s[0].model, s[1].model, options->tolerance);
    diff_match(&c);
    diff_records(&c);
    torque_difference t = diff_torques(&c, options->states);
    if (options->common.json) {
        put_json(&c, &t, s);
    } else {
        put_text(&c, &t);
    }
    const bool same = is_same(&c, &t);
    free(t.where);
    diff_end(&c);
    return same ? EXIT_GOOD : EXIT_NEGATIVE;
}

int command_diff(int argc, char **argv)
{
    diff_options options = {.tolerance = 1e-9, .states = DEFAULT_STATES};
    session s[DIFF_SIDES];
    int code = EXIT_GOOD;
    parse_arguments(&options_of_diff, argc, argv, &options);
    const char *files[] = {options.common.file, options.second};
    options_spread_arguments(&options.common, files, DIFF_SIDES);
    for (int side = 0; side < DIFF_SIDES; side++) {
        const int loaded = session_load(&s[side], &options.common, files[side]);
        if (loaded != EXIT_GOOD || is_verbose()) {
            session_report(&s[side], is_verbose());
            code = loaded > code ? loaded : code;
        }
    }
    if (code == EXIT_GOOD) {
        code = compare(&options, s);
    }
    session_close(&s[0]);
    session_close(&s[1]);
    options_free(&options.common);
    return code;
}
