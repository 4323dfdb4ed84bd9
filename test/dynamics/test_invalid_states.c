/* SPDX-License-Identifier: MIT */
/*
 * Invalid states. A NaN or an infinity in any input that a function reads gives
 * TD_ERROR_NOT_FINITE, and a quaternion without unit length TD_ERROR_QUATERNION. This holds for one
 * state and for rows of batches, whether or not a result depends on the input. All results of such
 * a state are NaN, and other states are not affected.
 */
#include <math.h>
#include <string.h>

#include "functions.h"
#include "loop_robots.h"
#include "other_functions.h"

enum { STATES = 6, BAD = 4 };

/* first index of the quaternion within the position of the i-th movable joint, TD_NONE if it has
   none */
static size_t quaternion_of(const td_model *model, size_t i)
{
    return td_joint_kind_of(td_joint_at(model, td_movable_joint(model, i))->type)->quaternion;
}

/* A robot with at least the given number of joints with quaternions, followers and their
   leaders. */
static td_model *robot(int k, size_t floating)
{
    for (uint64_t seed = 1;; seed++) {
        td_random random = {1000 * (uint64_t)k + seed};
        td_builder *builder = regular_robot(&random, 5, 2, false, TD_BASE_FLOATING);
        td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
        size_t count = 0;
        for (size_t j = 0; j < td_movable_count(model); j++)
            count += quaternion_of(model, j) != TD_NONE;
        if (count >= floating)
            return model;
    }
}

typedef struct trial {
    const function *f;
    states *s;
    double *expected; /* results for valid states, one state and many */
    bool tree, batch;
} trial;

static td_status call_it(trial *t)
{
    states_clear(t->s, t->f, t->tree, 4711);
    return function_call(t->f, &t->s->a, t->tree, t->batch);
}

/* Checks that rows with a bit in `bad` are NaN with that status, and that other rows are as
   expected. Lanes next to them may compute the sine differently, and accelerations lose digits by
   the condition of the mass matrix. */
static void check_rows(trial *t, unsigned bad, td_status status, const char *what, size_t entry)
{
    size_t columns[MOST_PARTS], parts = function_parts(t->f, t->s->a.model, t->tree, columns);
    const size_t rows = t->batch ? STATES : 1;
    const char *name = t->f->name;
    for (size_t row = 0; row < rows; row++) {
        bool is_bad = bad >> row & 1;
        if (t->batch)
            ck_assert_msg(t->s->a.each[row] == (is_bad ? status : TD_OK), "%s, %s %zu, row %zu: %s",
                          name, what, entry, row, td_status_text(t->s->a.each[row]));
        for (size_t p = 0; p < parts; p++) {
            const double *got = t->s->a.out[p] + row * columns[p];
            const double *expected = t->expected + (got - t->s->memory);
            for (size_t i = 0; is_bad && i < columns[p]; i++)
                ck_assert_msg(isnan(got[i]), "%s, %s %zu: %g", name, what, entry, got[i]);
            if (is_bad)
                continue;
            double error = td_relative_difference(columns[p], got, expected, 1);
            ck_assert_msg(error <= (t->f->takes & SOLVES ? 1e-8 : 1e-12), "%s, %s %zu: %g", name,
                          what, entry, error);
        }
    }
}

/* Makes the entries of one row invalid, one at a time. The row has `columns` entries and begins at
   `first`. shared: all states use it. */
static void spoil(trial *t, double *x, size_t first, size_t columns, bool shared, const char *what)
{
    static const double none[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < columns; i++) {
        double kept = x[first + i];
        x[first + i] = none[i % 3];
        td_status status = call_it(t);
        ck_assert_msg(status == TD_ERROR_NOT_FINITE, "%s, %s, %s %zu: %s", t->f->name,
                      t->batch ? "batch" : "one", what, i, td_status_text(status));
        check_rows(t, shared || !t->batch ? ~0U : 1U << BAD, status, what, i);
        x[first + i] = kept;
    }
}

/* Same for accelerations and forces of hybrid dynamics, for the entries that the mask selects. */
static void spoil_chosen(trial *t, double *x, size_t first, size_t columns, bool marked)
{
    for (size_t i = 0; i < columns; i++) {
        double kept = x[first + i];
        bool counts = !t->s->given[i] == !marked;
        x[first + i] = NAN;
        td_status status = call_it(t);
        ck_assert_int_eq(status, counts ? TD_ERROR_NOT_FINITE : TD_OK);
        check_rows(t, !counts ? 0 : t->batch ? 1U << BAD : 1, status, "chosen", i);
        x[first + i] = kept;
    }
}

static void spoil_all(trial *t)
{
    states *s = t->s;
    const td_model *model = s->a.model;
    unsigned takes = t->f->takes;
    size_t nq = t->tree ? td_nq(model) : td_ny(model), row = t->batch ? BAD : 0;
    size_t n = t->tree ? td_nv(model) : td_nyd(model), links = 6 * td_link_count(model);
    assert_ok(call_it(t));
    memcpy(t->expected, s->memory, s->room * sizeof *t->expected);
    spoil(t, s->y, row * nq, nq, false, "y");
    if (takes & TAKES_YD)
        spoil(t, s->yd, row * n, n, false, "yd");
    if (takes & TAKES_GIVEN) {
        spoil_chosen(t, s->ydd, row * n, n, true);
        spoil_chosen(t, s->tau, row * n, n, false);
    } else {
        if (takes & TAKES_YDD)
            spoil(t, s->ydd, row * n, n, false, "ydd");
        if (takes & TAKES_TAU)
            spoil(t, s->tau, row * n, n, false, "tau");
    }
    const bool rotors_alone =
        strncmp(t->f->name, "mass_", 5) == 0 || strcmp(t->f->name, "operational_inertia") == 0;
    if (takes & TAKES_FORCES && !rotors_alone)
        spoil(t, s->wrenches, s->forces.wrenches_per_state ? row * links : 0, links,
              !s->forces.wrenches_per_state, "wrench");
    if (takes & TAKES_POINT)
        spoil(t, s->point, 0, 3, true, "point");
}

/* runs a check for all functions, in both kinds of coordinates, for one state and for batches */
static void for_all(const td_model *model, uint64_t seed, void (*check)(trial *t))
{
    td_random random = {seed};
    for (int tree = 0; tree < 2; tree++) {
        trial t = {.s = states_new(&random, model, tree, STATES), .tree = tree};
        t.expected = test_calloc(t.s->room + 1, sizeof *t.expected);
        for (size_t k = 0; k < function_count; k++)
            for (int batch = 0; batch < 2; batch++) {
                if (test_share() > 1 && (k + (size_t)tree) % 4 != 0)
                    continue; /* half of the functions, in one kind of coordinates */
                t.f = &functions[k];
                t.batch = batch;
                check(&t);
            }
    }
}

TD_LOOP_TEST(no_numbers, 0, 3)
{
    td_model *model = robot(_i, 1);
    for_all(model, 80, spoil_all);
}

/* ---- quaternions ----------------------------------------------------------------------------- */

static const struct {
    double length;
    bool good;
} lengths[] = {{0, false},        {0.5, false},     {2, false},      {1 + 2e-6, false},
               {1 - 2e-6, false}, {1 + 9e-7, true}, {1 - 9e-7, true}};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void scale(double *quaternion, double length)
{
    for (int i = 0; i < 4; i++)
        quaternion[i] *= length;
}

static void stretch(trial *t)
{
    states *s = t->s;
    const td_model *model = s->a.model;
    size_t nq = t->tree ? td_nq(model) : td_ny(model), row = t->batch ? BAD : 0, stretched = 0;
    assert_ok(call_it(t));
    memcpy(t->expected, s->memory, s->room * sizeof *t->expected);
    for (size_t j = 0; j < td_movable_count(model); j++) {
        td_joint_place place = td_joint_place_at(model, td_movable_joint(model, j));
        size_t first = t->tree ? place.q : place.y;
        if (first == TD_NONE || quaternion_of(model, j) == TD_NONE)
            continue;
        double *quaternion = s->y + row * nq + first + quaternion_of(model, j), kept[4];
        memcpy(kept, quaternion, sizeof kept);
        for (int k = 0; k < LENGTHS; k++) {
            scale(quaternion, lengths[k].length);
            td_status status = call_it(t);
            ck_assert_msg(status == (lengths[k].good ? TD_OK : TD_ERROR_QUATERNION), "%s, %g: %s",
                          t->f->name, lengths[k].length, td_status_text(status));
            if (!lengths[k].good)
                check_rows(t, t->batch ? 1U << BAD : 1, status, "length", (size_t)k);
            memcpy(quaternion, kept, sizeof kept);
        }
        stretched++;
    }
    ck_assert_uint_ge(stretched, 2);
}

TD_LOOP_TEST(quaternions_of_other_lengths, 0, 3)
{
    td_model *model = robot(_i, 2);
    for_all(model, 81, stretch);
}

/* ---- other functions ------------------------------------------------------------------------- */

static void other_status(const other_function *f, other_arguments *a, td_status expected,
                         const char *what, size_t entry)
{
    const bool batch = strncmp(f->name, "td_batch_", 9) == 0;
    td_status status = f->call(a);
    ck_assert_msg(status == expected, "%s, %s %zu: %s", f->name, what, entry,
                  td_status_text(status));
    for (size_t i = 0; batch && i < OTHER_STATES; i++)
        ck_assert_msg(a->each[i] == (i == 0 ? expected : TD_OK), "%s, %s %zu, row %zu: %s", f->name,
                      what, entry, i, td_status_text(a->each[i]));
}

/* Their configurations, for a mechanism with a floating base. The start of γ must not change. */
TD_TEST(configurations_of_other_functions)
{
    td_random random = {82};
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    td_model *bare = robot_for(builder, TD_BASE_FLOATING, NULL);
    const td_spring spring =
        td_spring_default("spring", td_link_at(bare, 0)->name, td_link_at(bare, 1)->name);
    assert_ok(td_builder_add_spring(builder, &spring)); /* for td_spring_state */
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    for (size_t k = 0; k < other_function_count; k++) {
        const other_function *f = &other_functions[k];
        if (f->takes == CONFIGURATION_none)
            continue;
        other_arguments *a = other_arguments_new(&random, model, 0);
        double *x = f->takes == CONFIGURATION_q ? a->q : a->y;
        size_t n = f->takes == CONFIGURATION_q ? td_nq(model) : td_ny(model);
        for (size_t i = 0; i < n; i++) {
            double kept = x[i];
            x[i] = i % 2 ? NAN : INFINITY;
            other_status(f, a, TD_ERROR_NOT_FINITE, "entry", i);
            x[i] = kept;
        }
        for (int i = 0; i < LENGTHS; i++) {
            if (lengths[i].good)
                continue;
            double kept[4];
            memcpy(kept, x + 3, sizeof kept);
            scale(x + 3, lengths[i].length);
            other_status(f, a, TD_ERROR_QUATERNION, "length", (size_t)i);
            memcpy(x + 3, kept, sizeof kept);
        }
        assert_ok(td_closure(model, a->w, a->y, NULL, NULL, a->out[0], NULL, NULL));
    }
}

/* A report of an invalid state must not contain the residual of another state. */
TD_TEST(report_of_no_state)
{
    td_random random = {83};
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    other_arguments *a = other_arguments_new(&random, model, 0);
    td_closure_report report = {.size_of = sizeof report};
    assert_ok(td_closure_examine(model, a->w, a->y, &report));
    ck_assert_double_gt(report.smallest, 0);
    a->y[0] = NAN;
    ck_assert_int_eq(td_closure_examine(model, a->w, a->y, &report), TD_ERROR_NOT_FINITE);
    ck_assert_int_eq(report.status, TD_ERROR_NOT_FINITE);
    ck_assert_uint_eq(report.loop, TD_NONE);
    ck_assert_double_nan(report.residual);
    ck_assert_double_eq(report.smallest, 0);
}

/* ---- denormal numbers ------------------------------------------------------------------------ */

#if defined(__SSE2__)

#include <immintrin.h>

enum { MANY = 48 };

/* counts results of inverse dynamics that are not zero */
static size_t not_zero(const states *s, td_workspace *w)
{
    const size_t n = MANY * td_nyd(s->a.model);
    size_t count = 0;
    assert_ok(
        td_batch_inverse_dynamics(s->a.model, w, MANY, s->y, s->yd, s->ydd, NULL, s->memory, NULL));
    for (size_t i = 0; i < n; i++)
        count += s->memory[i] != 0;
    return count;
}

/* Tests the remedy that dynamics.h recommends, flushing denormals to zero. States of normal size
   have the same results to the last bit. Without gravity, denormal motions need no force, in
   batches with threads too. */
TD_TEST(zeros_for_what_is_next_to_zero)
{
    td_random random = {84};
    td_builder *builder = td_random_robot(&random, 60, 0, true);
    td_load_options options = td_load_options_default();
    options.gravity[2] = 0;
    td_model *model = model_of_builder(builder, &options);
    states *s = states_new(&random, model, false, MANY);
    const size_t n = MANY * td_nyd(model);
    double *tau = doubles(n), *tiny = doubles(n);
    for (size_t i = 0; i < n; i++)
        tiny[i] = 1e-310 * (double)(1 + i % 7);
    ck_assert_uint_gt(not_zero(s, s->a.w), 0);
    memcpy(tau, s->memory, n * sizeof *tau);
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    td_workspace *threads = test_workspace_threads(model, 2);
    ck_assert_uint_gt(not_zero(s, s->a.w), 0);
    ck_assert_mem_eq(tau, s->memory, n * sizeof *tau);
    memcpy(s->yd, tiny, n * sizeof *tiny);
    memcpy(s->ydd, tiny, n * sizeof *tiny);
    ck_assert_uint_eq(not_zero(s, s->a.w), 0);
    ck_assert_uint_eq(not_zero(s, threads), 0);
    _mm_setcsr(before);
    ck_assert_uint_gt(not_zero(s, s->a.w), 0);
}

#endif
