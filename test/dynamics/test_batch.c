/* SPDX-License-Identifier: MIT */
/*
 * Every function of batch.h must equal the function for one state, row by row: on every instruction
 * set of this machine, for batches of any length, and in both kinds of coordinates. Robots have
 * followers, planar and floating joints. Velocities may be omitted, and one state may be NaN. No
 * function may depend on data that an earlier call left in the workspace.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra.h"
#include "dynamics/workspace.h"
#include "functions.h"
#include "kernel/isa.h"
#include "model/model.h"

enum { ROBOTS = 6, MOST_STATES = 13 };

static const char *const isas[] = {"baseline", "avx2", "avx512"};
static const size_t lengths[] = {1, 3, 7, MOST_STATES};

/* Instruction sets differ only in the contraction of products and sums. Accelerations lose digits
   by the condition of the mass matrix. It is at most 1e5 for these robots in tree coordinates and
   hardly worse in y, and it is computed where needed. */
static double tolerance(const function *f, const arguments *one, bool tree)
{
    if (!(f->takes & SOLVES))
        return 1e-13;
    size_t n = tree ? td_nv(one->model) : td_nyd(one->model);
    OWNED_HERE;
    double *H = doubles(2 * n * n), *inverse = H + n * n;
    TD_IN(one->w, coordinates_for(tree), td_mass_matrix(one->model, one->w, one->y, NULL, H));
    TD_IN(one->w, coordinates_for(tree),
          td_mass_matrix_inverse(one->model, one->w, one->y, NULL, inverse));
    double condition = mat_norm(n, H) * mat_norm(n, inverse);
    ck_assert(condition >= 1 && condition < 1e7);
    return 1e-14 * condition + 1e-13;
}

/* a: outputs of a batch; expected: the same arguments with the outputs of single calls, possibly
   from a model for another instruction set */
static void compare(const function *f, const arguments *a, const arguments *expected, bool tree,
                    size_t bad)
{
    size_t columns[MOST_PARTS], parts = function_parts(f, a->model, tree, columns);
    for (size_t i = 0; i < a->n; i++) {
        arguments got = function_row(f, a, tree, i), want = function_row(f, expected, tree, i);
        ck_assert_msg(a->each[i] == (i == bad ? TD_ERROR_NOT_FINITE : TD_OK), "%s, state %zu: %s",
                      f->name, i, td_status_text(a->each[i]));
        double allowed = i == bad ? 0 : tolerance(f, &want, tree);
        for (size_t p = 0; p < parts; p++) {
            if (i == bad) {
                for (size_t k = 0; k < columns[p]; k++)
                    ck_assert_msg(isnan(got.out[p][k]), "%s: the bad state has numbers", f->name);
                continue;
            }
            /* not below 1, the size of positions and velocities here, because terms may cancel */
            double error = td_relative_difference(columns[p], got.out[p], want.out[p], 1);
            ck_assert_msg(error <= allowed, "%s, part %zu, state %zu of %zu: %.3g", f->name, p, i,
                          a->n, error);
        }
    }
}

static void one_by_one(const function *f, const arguments *a, bool tree)
{
    for (size_t i = 0; i < a->n; i++) {
        arguments one = function_row(f, a, tree, i);
        assert_ok(function_call(f, &one, tree, false));
    }
}

/* same arguments for the model of another instruction set */
static states *states_for(uint64_t seed, const td_model *model, bool tree, size_t n)
{
    td_random random = {seed};
    return states_new(&random, model, tree, n);
}

/* what: bits 0 and 1: without velocities, accelerations; bit 2: without forces and tau */
static void leave_out(const function *f, arguments *a, unsigned what)
{
    a->yd = what & 1 ? NULL : a->yd;
    a->ydd = what & 2 && !(f->takes & TAKES_GIVEN) ? NULL : a->ydd;
    a->forces = what & 4 ? NULL : a->forces;
    a->tau = what & 4 && strcmp(f->name, "forward_dynamics") == 0 ? NULL : a->tau;
}

static void check_robot(const td_model *model, const td_model *baseline, uint64_t seed, bool tree,
                        size_t n, unsigned what)
{
    states *got = states_for(seed, model, tree, n), *alone = states_for(seed, model, tree, n);
    states *expected = states_for(seed, baseline, tree, n);
    for (size_t k = 0; k < function_count; k++) {
        const function *f = &functions[k];
        states *all[] = {got, alone, expected};
        arguments a[3];
        for (int i = 0; i < 3; i++) {
            states_clear(all[i], f, tree, 4711);
            a[i] = all[i]->a;
            leave_out(f, &a[i], what);
        }
        assert_ok(function_call(f, &a[0], tree, true));
        one_by_one(f, &a[1], tree);
        one_by_one(f, &a[2], tree);
        compare(f, &a[0], &a[1], tree, SIZE_MAX);
        compare(f, &a[0], &a[2], tree, SIZE_MAX);
        a[0].each = NULL;
        assert_ok(function_call(f, &a[0], tree, true));
    }
}

static td_builder *robot(int k, td_base *base)
{
    td_random random = {(uint64_t)(40 + k)};
    *base = k % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    return regular_robot(&random, 3 + 2 * (size_t)k, k % 3 == 2 ? 0 : 4, false, *base);
}

TD_LOOP_TEST(batches, 0, 3)
{
    const char *isa = isas[_i];
    if (!td_isa_choose(isa)) {
        printf("# %s: not on this machine\n", isa);
        return;
    }
    for (int k = 0; k < ROBOTS; k++) {
        OWNED_HERE;
        td_base base;
        td_builder *builder = robot(k, &base);
        td_model *model = robot_for(builder, base, isa);
        td_model *baseline = robot_for(builder, base, "baseline");
        ck_assert_str_eq(td_isa(model), td_isa_choose(isa)->batch->isa);
        for (unsigned what = 0; what < 8; what++)
            for (int tree = 0; tree < 2; tree++)
                check_robot(model, baseline, (uint64_t)k, tree, lengths[(what + (unsigned)k) % 4],
                            what);
    }
}

/* all rows except the invalid one have the same bits in both */
static void compare_bits(const function *f, const arguments *a, const arguments *b, bool tree,
                         size_t bad)
{
    size_t columns[MOST_PARTS], parts = function_parts(f, a->model, tree, columns);
    for (size_t i = 0; i < a->n; i++) {
        const arguments left = function_row(f, a, tree, i), right = function_row(f, b, tree, i);
        for (size_t p = 0; p < parts && i != bad; p++)
            ck_assert_msg(memcmp(left.out[p], right.out[p], columns[p] * sizeof(double)) == 0,
                          "%s, part %zu, state %zu: other bits beside a bad state", f->name, p, i);
    }
}

/* All coordinates of one state are NaN. Other states must equal single calls up to rounding, and
   must have the same bits as next to a valid state. */
TD_LOOP_TEST(one_bad_state, 0, 3)
{
    const char *isa = isas[_i];
    if (!td_isa_choose(isa))
        return;
    for (int k = 0; k < ROBOTS; k++) {
        OWNED_HERE;
        td_base base;
        td_builder *builder = robot(k, &base);
        td_model *model = robot_for(builder, base, isa);
        for (int tree = 0; tree < 2; tree++) {
            states *got = states_for(9, model, tree, MOST_STATES);
            states *expected = states_for(9, model, tree, MOST_STATES);
            size_t nq = tree ? td_nq(model) : td_ny(model), bad = 6;
            for (size_t i = 0; i < function_count; i++) {
                const function *f = &functions[i];
                states_clear(got, f, tree, 4711);
                states_clear(expected, f, tree, 4711);
                /* the link must depend on all of y */
                double kept[64];
                memcpy(kept, got->y + bad * nq, nq * sizeof *kept);
                for (size_t j = 0; j < nq; j++)
                    got->y[bad * nq + j] = NAN;
                got->a.link = expected->a.link = td_link_count(model) - 1;
                if (td_link_body(model, got->a.link) != TD_NONE) {
                    ck_assert_int_eq(function_call(f, &got->a, tree, true), TD_ERROR_NOT_FINITE);
                    one_by_one(f, &expected->a, tree);
                    compare(f, &got->a, &expected->a, tree, bad);
                    assert_ok(function_call(f, &expected->a, tree, true));
                    compare_bits(f, &got->a, &expected->a, tree, bad);
                }
                memcpy(got->y + bad * nq, kept, nq * sizeof *kept);
            }
        }
    }
}

/* results so large that their sum is not finite must stay finite */
TD_LOOP_TEST(large_results, 0, 3)
{
    const char *isa = isas[_i];
    if (!td_isa_choose(isa))
        return;
    enum { STATES = 9, LARGE = 5, INFINITE = 6 };
    td_random random = {77};
    td_builder *builder = regular_robot(&random, 5, 0, true, TD_BASE_FLOATING);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, isa);
    size_t nq = td_nq(model), links = td_link_count(model);
    states *s = states_new(&random, model, true, STATES);
    double *poses = doubles(STATES * 12 * links);
    td_status each[STATES];
    s->y[LARGE * nq] = 1.7e308;
    s->y[INFINITE * nq] = INFINITY;
    ck_assert_int_eq(
        TD_IN_TREE(s->a.w, td_batch_link_poses(model, s->a.w, STATES, s->y, poses, each)),
        TD_ERROR_NOT_FINITE);
    for (int i = 0; i < STATES; i++) {
        ck_assert_int_eq(each[i], i == INFINITE ? TD_ERROR_NOT_FINITE : TD_OK);
        for (size_t k = 0; k < 12 * links; k++)
            ck_assert(!isfinite(poses[(size_t)i * 12 * links + k]) == (i == INFINITE));
    }
    for (size_t k = 0; k < links; k++)
        ck_assert_double_eq(poses[(LARGE * links + k) * 12 + 3], 1.7e308);
}

/* after every other function, in both kinds of coordinates, at states that are NaN */
TD_LOOP_TEST(order_does_not_matter, 0, ROBOTS)
{
    td_base base;
    td_builder *builder = robot(_i, &base);
    td_model *model = robot_for(builder, base, NULL);
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_for(3, model, tree, 2), *other = states_for(4, model, !tree, 2);
        td_workspace *own = other->a.w;
        double *first = doubles(s->room);
        memset(other->y, 0xff, 2 * (tree ? td_ny(model) : td_nq(model)) * sizeof *other->y);
        other->a.w = s->a.w;
        for (size_t k = 0; k < function_count; k++)
            for (int batch = 0; batch < 2; batch++) {
                states_clear(s, &functions[k], tree, 4711);
                function_call(&functions[k], &s->a, tree, batch);
                memcpy(first, s->memory, s->room * sizeof *first);
                for (size_t i = 0; i < function_count; i++) {
                    states_clear(other, &functions[i], !tree, 0);
                    function_call(&functions[i], &other->a, !tree, batch);
                    states_clear(s, &functions[k], tree, 4711);
                    function_call(&functions[k], &s->a, tree, batch);
                    ck_assert_msg(memcmp(first, s->memory, s->room * sizeof *first) == 0,
                                  "%s after %s", functions[k].name, functions[i].name);
                }
            }
        other->a.w = own;
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* A four-bar on a link; its crank may follow another one. Its frames are parallel in the assembled
   position and are rotated relative to the link that carries it. */
static void add_four_bar(td_builder *builder, int index, const char *carrier, const char *leader)
{
    static const double at[4][3] = {{0, 0, 0}, {0.05, 0.1, 0}, {0.3, 0.25, 0}, {0.35, 0, 0}};
    enum { CRANK, COUPLER, ROCKER, BARS };
    static const char *const parts[BARS] = {"crank", "coupler", "rocker"};
    char name[BARS][16], link[BARS][16], pin[16];
    const int below[BARS] = {-1, CRANK, -1}, from[BARS] = {0, 0, 0}, to[BARS] = {0, 1, 3};
    for (int i = 0; i < BARS; i++) {
        snprintf(name[i], sizeof name[i], "%s%d", parts[i], index);
        snprintf(link[i], sizeof link[i], "%s_link%d", parts[i], index);
        td_link record = td_link_default(link[i]);
        record.has_inertial = true;
        record.mass = 0.5 + 0.2 * i;
        record.inertial.position[0] = 0.05, record.inertial.position[2] = 0.03 * i;
        record.inertia[0] = 0.003, record.inertia[3] = 0.004, record.inertia[5] = 0.005;
        assert_ok(td_builder_add_link(builder, &record));
    }
    for (int i = 0; i < BARS; i++) {
        td_joint joint = td_joint_default(name[i], TD_JOINT_CONTINUOUS,
                                          below[i] < 0 ? carrier : link[below[i]], link[i]);
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.mimic = i == CRANK ? leader : NULL;
        for (int k = 0; k < 3; k++)
            joint.origin.position[k] = at[to[i]][k] - at[from[i]][k];
        if (below[i] < 0) { /* rotate the four-bar about the crank's joint */
            double turned[3];
            td_rotation_from_rpy(0.3, 0.7 + index, -0.4, joint.origin.rotation);
            for (int k = 0; k < 3; k++) {
                const double *R = joint.origin.rotation + 3 * k, *x = joint.origin.position;
                turned[k] = R[0] * x[0] + R[1] * x[1] + R[2] * x[2];
            }
            memcpy(joint.origin.position, turned, sizeof turned);
        }
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    snprintf(pin, sizeof pin, "pin%d", index);
    td_loop loop = td_loop_default(pin, link[COUPLER], link[ROCKER]);
    loop.axis[0] = 0, loop.axis[2] = 1;
    for (int k = 0; k < 3; k++) {
        loop.predecessor_origin.position[k] = at[2][k] - at[1][k];
        loop.successor_origin.position[k] = at[2][k] - at[3][k];
    }
    assert_ok(td_builder_add_loop(builder, &loop));
}

/* Two four-bars with one crank angle, which are solved together. A turntable carries one of them,
   and another four-bar drives the turntable. */
static td_model *carried_loops(void)
{
    td_builder *builder = test_builder("carried");
    td_link base = td_link_default("base"), table = td_link_default("table");
    assert_ok(td_builder_add_link(builder, &base));
    table.has_inertial = true;
    table.mass = 1;
    table.inertia[0] = table.inertia[3] = table.inertia[5] = 0.1;
    add_four_bar(builder, 0, "base", NULL);
    td_joint turn = td_joint_default("turn", TD_JOINT_CONTINUOUS, "rocker_link0", "table");
    assert_ok(td_builder_add_link(builder, &table));
    assert_ok(td_builder_add_joint(builder, &turn));
    add_four_bar(builder, 1, "base", NULL);
    add_four_bar(builder, 2, "table", "crank1");
    td_model *model = model_of_builder(builder, NULL);
    ck_assert_uint_eq(td_ny(model), 3);
    ck_assert_uint_eq(td_loop_cluster_count(model), 2);
    return model;
}

static void reverse(double *rows, size_t n, size_t columns)
{
    for (size_t i = 0; i < n / 2; i++)
        for (size_t k = 0; k < columns; k++) {
            double *a = rows + i * columns + k, *b = rows + (n - 1 - i) * columns + k, kept = *a;
            *a = *b;
            *b = kept;
        }
}

static void reverse_states(states *s)
{
    const td_model *model = s->a.model;
    reverse(s->y, s->a.n, td_ny(model));
    reverse(s->yd, s->a.n, td_nyd(model));
    reverse(s->ydd, s->a.n, td_nyd(model));
    reverse(s->tau, s->a.n, td_nyd(model));
    for (size_t k = 0; k < 4; k++)
        reverse(s->direction + k * s->a.n * td_nyd(model), s->a.n, td_nyd(model));
}

/* Rows have the same bits as in the first call: in workspaces filled with nonzero bytes, and in
   reverse order, where each row has other neighbors and predecessors. */
TD_TEST(rows_of_loops_stand_alone)
{
    enum { ROWS = 19 };
    static const int bytes[] = {0, 0x40, 0x41, 0xff};
    td_model *model = carried_loops();
    states *s = states_for(5, model, false, ROWS);
    double *first = doubles(s->room);
    for (size_t k = 0; k < function_count; k++) {
        const function *f = &functions[k];
        size_t columns[MOST_PARTS], parts = function_parts(f, model, false, columns);
        states_clear(s, f, false, 4711);
        assert_ok(function_call(f, &s->a, false, true));
        memcpy(first, s->memory, s->room * sizeof *first);
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
            td_workspace_fill(s->a.w, bytes[b]);
            states_clear(s, f, false, 4711);
            assert_ok(function_call(f, &s->a, false, true));
            ck_assert_msg(memcmp(first, s->memory, s->room * sizeof *first) == 0,
                          "%s reads what was left", f->name);
        }
        reverse_states(s);
        states_clear(s, f, false, 4711);
        assert_ok(function_call(f, &s->a, false, true));
        for (size_t p = 0; p < parts; p++)
            reverse(s->a.out[p], ROWS, columns[p]);
        reverse_states(s);
        ck_assert_msg(memcmp(first, s->memory, s->room * sizeof *first) == 0,
                      "%s depends on the other rows", f->name);
    }
}
