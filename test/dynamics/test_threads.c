/* SPDX-License-Identifier: MIT */
/*
 * Batches with threads. For any number of threads, every function of batch.h must give the same
 * bits, the same status for every state and the same singular joint. In a build without threads
 * every workspace has one, and the same tests must pass. test_thread_pool.c tests the threads
 * themselves.
 */
#include <math.h>
#include <string.h>

#include "functions.h"

/* enough states for every thread, and no multiple of any number of lanes */
enum { STATES = 2563 };

static const size_t counts[] = {2, 3, 5};
enum { COUNTS = sizeof counts / sizeof *counts };

static const bool have_threads = TANDEM_HAS_THREADS;

/* Regular robots with followers, and a random robot some of whose joints move no inertia. */
static td_model *robot(int k)
{
    td_random random = {(uint64_t)(70 + k)};
    td_base base = k % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_builder *builder = k == 2 ? td_random_robot(&random, 9, 3, false)
                                 : regular_robot(&random, 7, k ? 0 : 4, false, base);
    td_model *model = robot_for(builder, base, NULL);
    return model;
}

typedef struct result {
    td_status status, each[STATES];
    size_t singular_joint;
    double *numbers;
} result;

/* one call on that workspace */
static void run(const function *f, states *s, td_workspace *w, bool tree, result *r)
{
    arguments a;
    states_clear(s, f, tree, 4711);
    a = s->a;
    a.w = w;
    r->status = function_call(f, &a, tree, true);
    r->singular_joint = td_singular_joint(w);
    memcpy(r->each, a.each, sizeof r->each);
    memcpy(r->numbers, s->memory, s->room * sizeof(double));
}

static void compare(const function *f, const states *s, const result *one, const result *several,
                    size_t threads)
{
    ck_assert_int_eq(one->status, several->status);
    ck_assert_uint_eq(one->singular_joint, several->singular_joint);
    ck_assert_msg(memcmp(one->each, several->each, sizeof one->each) == 0,
                  "%s, %zu threads: other statuses", f->name, threads);
    ck_assert_msg(memcmp(one->numbers, several->numbers, s->room * sizeof(double)) == 0,
                  "%s, %zu threads: other bits", f->name, threads);
}

TD_LOOP_TEST(same_bits, 0, 3)
{
    td_model *model = robot(_i);
    for (int tree = 0; tree < 2; tree++) {
        td_random random = {5};
        states *s = states_new(&random, model, tree, STATES);
        size_t nq = tree ? td_nq(model) : td_ny(model);
        s->y[1700 * nq] = s->y[(STATES - 1) * nq] = NAN;
        result one = {.numbers = doubles(s->room)};
        result several = {.numbers = doubles(s->room)};
        for (size_t c = 0; c < COUNTS; c++) {
            td_workspace *alone = test_workspace(model);
            td_workspace *w = test_workspace_threads(model, counts[c]);
            for (size_t k = 0; k < function_count; k++) {
                if (!in_share((int)k, (int)function_count))
                    continue;
                run(&functions[k], s, alone, tree, &one);
                run(&functions[k], s, w, tree, &several);
                compare(&functions[k], s, &one, &several, counts[c]);
            }
        }
    }
}

/* a batch with fewer states than threads */
TD_TEST(few_states)
{
    td_model *model = robot(0);
    td_workspace *one = test_workspace(model), *many = test_workspace_threads(model, 64);
    td_random random = {6};
    states *s = states_new(&random, model, false, STATES);
    size_t nyd = td_nyd(model);
    double *expected = doubles(STATES * nyd);
    double *got = doubles(STATES * nyd);
    for (size_t n = 0; n <= STATES; n = 2 * n + 1) {
        td_batch_inverse_dynamics(model, one, n, s->y, s->yd, NULL, NULL, expected, NULL);
        td_batch_inverse_dynamics(model, many, n, s->y, s->yd, NULL, NULL, got, NULL);
        ck_assert(memcmp(expected, got, STATES * nyd * sizeof *got) == 0);
    }
}

static size_t bytes_of(const td_model *model, size_t threads)
{
    td_workspace_options options = td_workspace_options_default();
    options.threads = threads;
    return td_workspace_bytes(model, &options);
}

TD_TEST(workspaces)
{
    td_model *model = robot(0);
    size_t one = bytes_of(model, 1), two = bytes_of(model, 2);
    ck_assert_uint_eq(td_workspace_bytes(model, NULL), one);
    ck_assert(have_threads ? two > one && two < 2 * one : two == one);
    ck_assert_uint_eq(bytes_of(model, 5) - one, have_threads ? 4 * (two - one) : 0);
    static const size_t asked[] = {1, 2, 5, 1024, 5000, 0};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        td_workspace *w = test_workspace_threads(model, asked[i]);
        size_t threads = td_workspace_threads(w), most = asked[i] < 1024 ? asked[i] : 1024;
        ck_assert_uint_ge(threads, 1);
        ck_assert_uint_le(threads, 1024); /* or as many as the system permits */
        if (asked[i] > 0 && asked[i] < 64)
            ck_assert_uint_eq(threads, have_threads ? most : 1);
    }
    td_workspace *w = test_workspace(model);
    ck_assert_uint_eq(td_workspace_threads(w), 1);
    ck_assert_uint_eq(td_workspace_threads(NULL), 0);
    ck_assert_ptr_null(test_workspace_threads(NULL, 2));
}
