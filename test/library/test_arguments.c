/* SPDX-License-Identifier: MIT */
/*
 * Passes bad arguments to every function of a state or a batch. Each must return TD_ERROR_ARGUMENT
 * for missing and out-of-range arguments, and especially for a workspace of another model. It must
 * name the argument and write neither results nor statuses.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "loop_robots.h"
#include "object_functions.h"

enum { STATES = 3 };
static const double marker = 4711;

typedef struct trial {
    const function *f;
    states *s;
    bool tree, batch;
    td_workspace *foreign; /* of another model */
    const char *headers;   /* public headers; NULL if not available */
} trial;

/* ---- names ----------------------------------------------------------------------------------- */

/* Returns whether the declaration of that function has an argument of that name. */
static bool has_argument(const char *headers, const char *of, const char *name)
{
    char found[80];
    const char *at = headers, *list;
    size_t length, n = strlen(name);
    while (next_declaration(&at, found, sizeof found, &list, &length)) {
        if (strcmp(found, of) != 0)
            continue;
        for (const char *p = list; (p = strstr(p, name)) && p < list + length; p++)
            if (strchr(" *", p[-1]) && strchr(",)[", p[n]))
                return true;
        return false;
    }
    return false;
}

static void check_fault(const trial *t, const td_workspace *w, const char *why)
{
    char of[80];
    snprintf(of, sizeof of, "td_%s%s", t->batch ? "batch_" : "", t->f->name);
    const char *fault = td_argument_fault(w);
    ck_assert_msg(fault != NULL, "%s: %s, and no name", of, why);
    ck_assert_msg(!t->headers || has_argument(t->headers, of, fault), "%s: %s, and the name is %s",
                  of, why, fault);
}

static bool untouched(const states *s)
{
    bool same = true;
    for (size_t i = 0; i < s->room; i++)
        same = same && s->memory[i] == marker;
    return same;
}

/* Checks that a call with these arguments is refused. */
static void refused(const trial *t, const arguments *a, const char *why)
{
    memset(a->each, 0x55, STATES * sizeof *a->each);
    td_status unset;
    memset(&unset, 0x55, sizeof unset);
    td_status status =
        TD_IN(a->w, coordinates_for(t->tree), (t->batch ? t->f->batch : t->f->single)(a));
    ck_assert_msg(status == TD_ERROR_ARGUMENT, "%s, %s%s: %s gives '%s'", t->f->name,
                  t->tree ? "tree" : "y", t->batch ? ", batch" : "", why, td_status_text(status));
    check_fault(t, a->w, why);
    ck_assert_msg(untouched(t->s), "%s: %s, and it writes", t->f->name, why);
    for (size_t i = 0; i < STATES; i++)
        ck_assert_msg(a->each[i] == unset, "%s: %s, and a status", t->f->name, why);
}

static void check_required(const trial *t)
{
    arguments a = t->s->a;
    a.model = NULL, refused(t, &a, "no model"), a = t->s->a;
    ck_assert_str_eq(td_argument_fault(a.w), "model");
    a.w = NULL, refused(t, &a, "no workspace"), a = t->s->a;
    a.w = t->foreign, refused(t, &a, "a workspace of another model"), a = t->s->a;
    ck_assert_str_eq(td_argument_fault(t->foreign), "workspace");
    a.y = NULL, refused(t, &a, "no y"), a = t->s->a;
    ck_assert_str_eq(td_argument_fault(a.w), "y");
    size_t columns[MOST_PARTS], parts = function_parts(t->f, a.model, t->tree, columns);
    for (size_t p = 0; p < parts && !(t->f->takes & MAY_LACK_OUTPUTS); p++)
        a.out[p] = NULL, refused(t, &a, "no output"), a = t->s->a;
    if (t->f->takes & TAKES_GIVEN)
        a.given = NULL, refused(t, &a, "no mask"), a = t->s->a;
}

static void check_ranges(const trial *t)
{
    arguments a = t->s->a;
    static const int outside[] = {-1, 17};
    for (int i = 0; i < 2; i++) {
        if (t->f->takes & TAKES_FRAME)
            a.frame = (td_frame)outside[i], refused(t, &a, "no such frame"), a = t->s->a;
        if (t->f->takes & TAKES_SCOPE)
            a.scope = (td_scope)(i ? 3 : -1), refused(t, &a, "no such scope"), a = t->s->a;
    }
    size_t links[] = {td_link_count(a.model), SIZE_MAX};
    for (int i = 0; i < 2 && t->f->takes & TAKES_LINK; i++)
        a.link = links[i], refused(t, &a, "no such link"), a = t->s->a;
}

static void check_forces(const trial *t)
{
    static const double speeds[] = {0, -1, NAN};
    static const int frames[] = {-1, 3};
    if (!(t->f->takes & TAKES_FORCES))
        return;
    arguments a = t->s->a;
    td_forces forces = td_forces_default();
    a.forces = &forces;
    forces.size_of--;
    refused(t, &a, "forces of another size");
    for (int i = 0; i < 3; i++) {
        forces = td_forces_default();
        forces.friction_velocity = speeds[i];
        refused(t, &a, "no friction velocity");
    }
    for (int i = 0; i < 2; i++) {
        forces = td_forces_default();
        forces.wrench_frame = (td_frame)frames[i];
        refused(t, &a, "no such frame of wrenches");
    }
}

/* Checks masks that select only one of several coordinates of a joint. */
static void check_mask(const trial *t)
{
    if (!(t->f->takes & TAKES_GIVEN))
        return;
    arguments a = t->s->a;
    size_t n = t->tree ? td_nv(a.model) : td_nyd(a.model), wide = 0;
    unsigned char *given = test_calloc(n + 1, 1);
    a.given = given;
    for (size_t j = 0; j < td_movable_count(a.model); j++) {
        td_joint_place p = td_joint_place_at(a.model, td_movable_joint(a.model, j));
        size_t first = t->tree ? p.qd : p.yd;
        for (size_t k = 0; p.nv > 1 && first != TD_NONE && k < p.nv; k++) {
            given[first + k] = 1;
            refused(t, &a, "a joint given in part");
            given[first + k] = 0;
            wide++;
        }
    }
    ck_assert_uint_ge(wide, 9);
}

TD_TEST(refusals)
{
    td_random random = {31};
    td_builder *builder = td_random_robot(&random, 12, 4, false);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    td_model *other = robot_for(builder, TD_BASE_FIXED, NULL);
    td_workspace *foreign = test_workspace(other);
    char *headers = public_headers();
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_new(&random, model, tree, STATES);
        for (size_t k = 0; k < function_count; k++)
            for (int batch = 0; batch < 2; batch++) {
                trial t = {&functions[k], s, tree, batch, foreign, headers};
                states_clear(s, t.f, tree, marker);
                check_required(&t);
                check_ranges(&t);
                check_forces(&t);
                check_mask(&t);
            }
    }
    free(headers);
}

/* ---- other functions of a model and a workspace ---------------------------------------------- */

static void other_refused(const other_function *f, other_arguments *a, const char *why)
{
    const td_model *model = a->model;
    td_status status = f->call(a);
    ck_assert_msg(status == TD_ERROR_ARGUMENT, "%s, %s, gives '%s'", f->name, why,
                  td_status_text(status));
    if (model)
        ck_assert_msg(other_outputs_untouched(a, marker), "%s: %s, and it writes", f->name, why);
}

/* Checks that missing and out-of-range arguments of an operation are refused. */
static void check_other(const other_function *f, other_arguments *a)
{
    const struct {
        const char *taken;
        double **at;
    } required[] = {{"IN(y)", &a->y},       {"IN(q)", &a->q},   {"IN(tau)", &a->tau},
                    {"IN(tau_y)", &a->tau}, {"IN(b)", &a->tau}, {"IN(u)", &a->u},
                    {"OUT(0)", &a->out[0]}};
    const bool loads = strstr(f->arguments, "IN(forces)");
    const bool lacks = loads || strstr(f->name, "derivatives"); /* no tau: zero forces */
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        double *own = *required[i].at;
        const bool is_output = required[i].at == a->out;
        if (!strstr(f->arguments, required[i].taken) || (lacks && required[i].at == &a->tau) ||
            (is_output && strstr(f->arguments, "OUT(1)"))) /* some outputs of several may be NULL */
            continue;
        *required[i].at = NULL;
        if (is_output)
            ck_assert_msg(f->call(a) == TD_ERROR_ARGUMENT, "%s without its output", f->name);
        else
            other_refused(f, a, required[i].taken);
        ck_assert_ptr_nonnull(td_argument_fault(a->w));
        *required[i].at = own;
    }
    if (loads) {
        td_forces forces = td_forces_default();
        forces.friction_velocity = 0;
        a->forces = &forces, other_refused(f, a, "no friction velocity"), a->forces = NULL;
        ck_assert_str_eq(td_argument_fault(a->w), "forces");
    }
    if (strstr(f->arguments, "IN(loop)") || strstr(f->arguments, "IN(spring)")) {
        a->element = SIZE_MAX, other_refused(f, a, "no such element"), a->element = 0;
        ck_assert_ptr_nonnull(td_argument_fault(a->w));
    }
}

TD_TEST(other_refusals)
{
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    td_random random = {38};
    size_t checked = 0;
    for (size_t k = 0; k < other_function_count; k++) {
        if (!other_functions[k].arguments)
            continue;
        other_arguments *a = other_arguments_new(&random, model, marker);
        check_other(&other_functions[k], a);
        checked++;
    }
    ck_assert_uint_ge(checked, 22);
}

/* Tests mechanisms with at least as many joints and a robot with fewer. A model refuses a workspace
   of any other model, even of an equal one. */
TD_TEST(workspaces_of_other_models)
{
    td_random random = {34};
    td_builder *builders[] = {chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS),
                              chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS),
                              chain_of_four_bars(5, CHAIN_OF_CRANK_ROCKERS),
                              td_random_robot(&random, 2, 0, true)};
    enum { MODELS = sizeof builders / sizeof *builders };
    td_model *model[MODELS];
    for (int i = 0; i < MODELS; i++)
        model[i] = robot_for(builders[i], TD_BASE_FLOATING, NULL);
    for (size_t k = 0; k < other_function_count; k++) {
        const other_function *f = &other_functions[k];
        other_arguments *a = other_arguments_new(&random, model[0], marker);
        td_workspace *own = a->w;
        for (int i = 1; i < MODELS; i++) {
            a->w = test_workspace(model[i]);
            other_refused(f, a, "a workspace of another model");
            ck_assert_str_eq(td_argument_fault(a->w), "workspace");
        }
        a->w = NULL, other_refused(f, a, "no workspace"), a->w = own;
        a->model = NULL, other_refused(f, a, "no model"), a->model = model[0];
        ck_assert_str_eq(td_argument_fault(a->w), "model");
    }
}

/* Returns whether the name, without td_ and batch_, is in the table of functions. */
static bool in_table(const char *name)
{
    static const char *const prefixes[] = {"td_", "batch_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            name += strlen(prefixes[i]);
    for (size_t k = 0; k < function_count; k++)
        if (strcmp(functions[k].name, name) == 0)
            return true;
    return false;
}

static bool of_objects(const char *name)
{
    for (size_t k = 0; k < object_function_count; k++)
        if (strcmp(object_functions[k].name, name) == 0)
            return true;
    for (size_t k = 0; functions_of_set_up[k]; k++)
        if (strcmp(functions_of_set_up[k], name) == 0)
            return true;
    return false;
}

/* Checks that the tables contain every function of all public headers with a model and a workspace,
   and every function with a workspace. */
TD_TEST(tables_are_complete)
{
    char *headers = public_headers(), name[80];
    const char *at = headers, *list;
    size_t length, found = 0, others = 0, objects_found = 0;
    if (!headers) {
        printf("# the headers are not at hand\n");
        return;
    }
    for (; next_declaration(&at, name, sizeof name, &list, &length); found++) {
        bool other = false;
        for (size_t k = 0; k < other_function_count; k++)
            other = other || strcmp(other_functions[k].name, name) == 0;
        const bool object = of_objects(name);
        ck_assert_msg(other || object || in_table(name), "no table has %s", name);
        others += other;
        objects_found += object;
    }
    size_t named = 0;
    for (size_t k = 0; k < other_function_count; k++)
        named += other_functions[k].coordinates == TD_COORDINATES_INDEPENDENT;
    ck_assert_uint_eq(others, named);
    ck_assert_uint_eq(found - others - objects_found, 2 * function_count);
    size_t with_workspace = 0;
    for (at = headers; next_of_workspace(&at, name, sizeof name); with_workspace++) {
        bool other = of_objects(name) || in_table(name);
        for (size_t k = 0; k < other_function_count; k++)
            other = other || strcmp(other_functions[k].name, name) == 0;
        ck_assert_msg(other, "no table has %s, which takes a workspace", name);
    }
    ck_assert_uint_gt(with_workspace, found); /* functions of objects */
    free(headers);
}

/* Calls functions of a workspace alone, and of a model alone, with NULL. */
TD_TEST(no_workspace_at_all)
{
    double residual = marker;
    ck_assert_uint_eq(td_singular_joint(NULL), TD_NONE);
    ck_assert_uint_eq(td_failed_loop(NULL, &residual), TD_NONE);
    ck_assert_double_eq(residual, 0);
    ck_assert_uint_eq(td_failed_loop(NULL, NULL), TD_NONE);
    ck_assert_double_eq(td_failed_path(NULL), 1);
    ck_assert_int_eq(td_closure_remember(NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_closure_recall(NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_closure_start_from(NULL, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_workspace_bytes(NULL, NULL), 0);
    ck_assert_uint_eq(td_workspace_threads(NULL), 0);
    ck_assert_ptr_null(test_workspace(NULL));
    td_workspace_free(NULL);
}

/* Functions that change a workspace also name the refused argument. */
TD_TEST(names_of_changes)
{
    td_random random = {37};
    td_builder *builder = td_random_robot(&random, 2, 0, true);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    td_workspace *w = test_workspace(model);
    static const double bad[6] = {NAN};
    ck_assert_ptr_null(td_argument_fault(w));
    ck_assert_int_eq(td_set_gravity(w, bad), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "gravity");
    ck_assert_double_eq(td_gravity(model, w)[2], -9.81);
    assert_ok(td_set_gravity(w, (const double[]){1, 2, 3}));
    ck_assert(td_gravity(model, w)[0] == 1 && td_gravity(NULL, w)[2] == 3);
    ck_assert_double_eq(td_gravity(model, NULL)[2], -9.81);
    ck_assert_ptr_null(td_gravity(NULL, NULL));
    assert_ok(td_set_gravity(w, NULL));
    ck_assert_double_eq(td_gravity(model, w)[2], -9.81);
    ck_assert_int_eq(td_set_payload(w, SIZE_MAX, 1, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "link");
    ck_assert_int_eq(td_set_payload(w, 1, INFINITY, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "mass");
    ck_assert_int_eq(td_set_payload(w, 1, 1, bad, NULL), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "com");
    ck_assert_int_eq(td_set_payload(w, 1, 1, NULL, bad), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "inertia");
}

/* ---- beyond the table ------------------------------------------------------------------------ */

TD_TEST(refusals_of_terms)
{
    td_random random = {32};
    td_builder *builder = regular_robot(&random, 5, 0, false, TD_BASE_FIXED);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    states *s = states_new(&random, model, true, STATES);
    td_workspace *w = s->a.w;
    double *x = doubles(td_nv(model));
    x[0] = marker;
    td_terms terms = td_terms_default();
    terms.C = x;
    terms.size_of++;
    ck_assert_int_eq(td_dynamics_terms(model, w, s->y, s->yd, NULL, &terms), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_dynamics_terms(model, w, s->y, s->yd, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(
        TD_IN_TREE(w, td_batch_dynamics_terms(model, w, STATES, s->y, s->yd, NULL, &terms, NULL)),
        TD_ERROR_ARGUMENT);
    ck_assert_double_eq(x[0], marker);
}

/* Returns whether results agree up to rounding. Compilers contract products and sums differently in
   the copies of a loop for each set of outputs. */
static bool same_but_rounding(const double *a, const double *b, size_t n)
{
    double largest = 0, off = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(b[i]));
        off = isfinite(a[i]) ? fmax(off, fabs(a[i] - b[i])) : INFINITY;
    }
    return off <= 1e-14 * largest;
}

/* A batch of zero states neither needs nor writes arrays. Terms that are NULL are skipped; the
   others change by rounding at most. */
TD_TEST(nothing_wanted)
{
    td_random random = {33};
    td_builder *builder = regular_robot(&random, 6, 3, false, TD_BASE_FLOATING);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_new(&random, model, tree, STATES);
        double *all = doubles(s->room);
        size_t columns[MOST_PARTS];
        for (size_t k = 0; k < function_count; k++) {
            states_clear(s, &functions[k], tree, marker);
            s->a.n = 0;
            assert_ok(TD_IN(s->a.w, coordinates_for(tree), functions[k].batch(&s->a)));
            ck_assert(untouched(s));
            s->a.n = STATES;
            if (!(functions[k].takes & MAY_LACK_OUTPUTS))
                continue;
            for (int batch = 0; batch < 2; batch++) {
                size_t parts = function_parts(&functions[k], model, tree, columns);
                size_t rows = batch ? STATES : 1;
                states_clear(s, &functions[k], tree, marker);
                assert_ok(function_call(&functions[k], &s->a, tree, batch));
                memcpy(all, s->memory, s->room * sizeof *all);
                for (size_t p = 0; p < parts; p++) {
                    states_clear(s, &functions[k], tree, marker);
                    double *only = s->a.out[p];
                    memset(s->a.out, 0, sizeof s->a.out);
                    s->a.out[p] = only;
                    assert_ok(function_call(&functions[k], &s->a, tree, batch));
                    ck_assert(same_but_rounding(only, all + (only - s->memory), rows * columns[p]));
                }
            }
        }
    }
}

/* A robot without joints has no coordinates. Arrays of coordinates may be NULL in every function.
 */
TD_TEST(arrays_of_nothing)
{
    td_random random = {36};
    td_builder *builder = test_builder("link");
    td_link link = td_solid_link("link", 1, 1);
    assert_ok(td_builder_add_link(builder, &link));
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_new(&random, model, tree, STATES);
        arguments *a = &s->a;
        a->scope = TD_SCOPE_ALL;
        a->y = a->yd = a->ydd = a->tau = NULL;
        a->given = NULL;
        for (size_t k = 0; k < function_count; k++) {
            size_t columns[MOST_PARTS], parts = function_parts(&functions[k], model, tree, columns);
            states_clear(s, &functions[k], tree, 0);
            for (size_t p = 0; p < parts; p++)
                a->out[p] = columns[p] ? a->out[p] : NULL;
            for (int batch = 0; batch < 2; batch++) {
                td_status status = TD_IN(a->w, coordinates_for(tree),
                                         (batch ? functions[k].batch : functions[k].single)(a));
                ck_assert_msg(status == TD_OK, "%s: %s", functions[k].name, td_status_text(status));
            }
        }
    }
    other_arguments *a = other_arguments_new(&random, model, 0), none = {.model = model, .w = a->w};
    for (size_t k = 0; k < other_function_count; k++) {
        td_status status = other_functions[k].call(&none);
        /* there was no solve before */
        bool has_none = strstr(other_functions[k].name, "factored") ||
                        strstr(other_functions[k].name, "loop_motion") ||
                        strncmp(other_functions[k].name, "td_spring", 9) == 0 ||
                        strcmp(other_functions[k].name, "td_motion_from_actuators") == 0;
        ck_assert_msg(status == (has_none ? TD_ERROR_ARGUMENT : TD_OK), "%s: %s",
                      other_functions[k].name, td_status_text(status));
    }
}
